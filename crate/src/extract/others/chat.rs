//! Lines of a conversation: a clock or a person's name before what was said.

use super::Others;
use std::ops::Range;

/// Lines of a conversation seen so far.
#[derive(Default)]
pub(super) struct Chat {
    start: Option<usize>,
    end: usize,
    n_lines: usize,
    paused: bool,
}

/// Lines of a conversation from which a message counts as holding one.
const CHAT_LINES: usize = 2;

impl Chat {
    pub(super) fn pause(&mut self) {
        self.paused = true;
    }

    pub(super) fn read(
        &mut self,
        line: &str,
        span: &Range<usize>,
        out: &mut Vec<(Range<usize>, Others)>,
    ) {
        if is_said_line(line) {
            self.start = self.start.or(Some(span.start));
            self.n_lines += 1;
            self.end = span.end;
        } else if self.start.is_some() && !self.paused {
            self.end = span.end;
        } else if self.paused {
            self.close(out);
        }
        self.paused = false;
    }

    pub(super) fn close(&mut self, out: &mut Vec<(Range<usize>, Others)>) {
        if let Some(start) = self.start.take()
            && self.n_lines >= CHAT_LINES
        {
            out.push((start..self.end, Others::Letter));
        }
        self.n_lines = 0;
    }
}

/// Returns whether the line is one of a conversation: a clock or a person's name before what was said, or a name and a clock alone.
pub fn is_said_line(line: &str) -> bool {
    let (rest, clock) = after_clock(line);
    if clock {
        let label = rest.split([':', '：']).next().unwrap_or_default();
        return label.len() < rest.len() && is_short_label(label)
            || rest.starts_with('<') && rest.contains("> ");
    }
    if let Some(end) = line.find([':', '：'])
        && line.get(..end).is_some_and(is_person)
    {
        return line.len() > end + 3;
    }
    line.len() <= 48 && ends_in_clock(line)
}

/// Takes `[10:32]`, `10:32:05`, `2026-01-02 10:32` off the start.
fn after_clock(line: &str) -> (&str, bool) {
    let bare = line.trim_start_matches(['[', '(', '【']);
    let Some(end) =
        bare.find(|c: char| !matches!(c, '0'..='9' | ':' | '-' | '/' | '.' | ' ' | 'T'))
    else {
        return (line, false);
    };
    let (clock, rest) = bare.split_at(end);
    let digits = clock.bytes().filter(u8::is_ascii_digit).count();
    let is_clock = digits >= 3 && clock.bytes().any(|b| b == b':');
    if !is_clock {
        return (line, false);
    }
    let rest = ["AM", "PM", "am", "pm"]
        .iter()
        .fold(rest, |rest, half| rest.strip_prefix(half).unwrap_or(rest));
    (rest.trim_start_matches([']', ')', '】', ' ', '-']), true)
}

/// `Maria 10:32 AM`, `小顾 2026/1/2 10:32`: what a chat program puts over a message.
fn ends_in_clock(line: &str) -> bool {
    let bare = line.trim_end_matches(['A', 'P', 'a', 'p', 'M', 'm', ' ']);
    let Some(start) = bare.rfind(|c: char| !matches!(c, '0'..='9' | ':' | '/' | '-' | ' ')) else {
        return false;
    };
    let split = start
        + bare
            .get(start..)
            .and_then(|tail| tail.chars().next())
            .map_or(1, char::len_utf8);
    let (label, clock) = bare.split_at(split);
    let mut parts = clock
        .trim()
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .split(':');
    let is_pair = |part: Option<&str>| {
        part.is_some_and(|part| {
            (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        })
    };
    is_pair(parts.next())
        && is_pair(parts.next())
        && clock.starts_with(' ')
        && is_short_label(label)
}

/// A name by its form: up to three words, or four Han characters.
fn is_short_label(label: &str) -> bool {
    let label = label.trim();
    !label.is_empty()
        && label.len() <= 32
        && label.split(' ').count() <= 3
        && label.chars().filter(|c| !c.is_ascii()).count() <= 4
        && label.starts_with(|c: char| c.is_alphabetic() || c == '@')
}

/// Common first names, in order of the alphabet.
#[rustfmt::skip]
const FIRST_NAMES: &[&str] = &[
    "adam", "alex", "alice", "amy", "andrew", "anna", "ben", "bob", "brian", "carlos", "carol", "charlie", "chris", "dan",
    "daniel", "dave", "david", "diana", "elena", "emily", "emma", "eric", "eve", "frank", "george", "hans", "henry", "ivan",
    "jack", "jake", "james", "jane", "jason", "jen", "jenny", "jessica", "jim", "joe", "john", "jose", "julia", "karen",
    "kate", "kevin", "laura", "lee", "linda", "lisa", "lucy", "maria", "mary", "matt", "michael", "mike", "nancy",
    "nick", "olivia", "paul", "peter", "priya", "rachel", "ravi", "rob", "robert", "sam", "sara", "sarah", "steve", "susan",
    "tim", "tom", "tony", "wei", "yuki",
];

/// Surnames before a given name of one or two characters.
const SURNAMES: &str = "王李张刘陈杨赵黄周吴徐孙胡朱郭梁宋郑谢韩唐冯董曹袁邓傅沈曾彭吕苏蒋蔡贾丁魏薛潘杜戴汪姜谭廖邹熊崔邱秦侯邵孟顾林何罗";

/// Words that begin like a surname and are none.
#[rustfmt::skip]
const NO_NAMES: &[&str] = &[
    "周期", "周末", "周报", "周边", "周会", "周一", "周二", "周三", "周四", "周五", "周六", "周日", "黄色", "宋体", "杜绝", "韩文", "韩语", "陈述",
    "谢谢", "曾经", "张数", "王者", "唐诗", "朱红", "林业", "罗马", "何时", "何处", "何地", "何谓", "何为", "顾客", "顾问", "顾虑", "贾维斯", "罗列", "罗盘", "何种",
    "何人", "黄线", "黄金", "胡同", "丁字", "苏打", "秦岭", "林区", "杨树", "李子", "梁柱", "徐变", "沈阳", "吴语", "苏州", "郑州", "罗列项",
];

/// Returns whether a label names a person: a common first name, `小顾`, a surname with a given name, `@handle`.
pub fn is_person(label: &str) -> bool {
    let label = label.trim();
    let label = label.strip_suffix('说').unwrap_or(label);
    if label.is_ascii() {
        let name = label.split(' ').next().unwrap_or_default();
        let is_handle = label.len() > 1 && label.starts_with('@') && !label.contains(' ');
        return is_handle
            || name.len() < 12
                && label.split(' ').count() <= 2
                && FIRST_NAMES
                    .binary_search(&name.to_ascii_lowercase().as_str())
                    .is_ok();
    }
    let mut chars = label.chars();
    let n_chars = label.chars().count();
    match chars.next() {
        Some('小' | '老' | '阿') => {
            n_chars == 2 && chars.next().is_some_and(|c| SURNAMES.contains(c))
        }
        Some(c) => {
            (2..=3).contains(&n_chars)
                && SURNAMES.contains(c)
                && chars.all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
                && !NO_NAMES.iter().any(|word| label.starts_with(word))
        }
        None => false,
    }
}
