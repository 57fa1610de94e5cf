//! What of a human's message is somebody else's words, or words for somewhere else: pasted mail and chat, a text to be
//! translated, the contents of a file.

mod chat;

use crate::text::lexicon::{Hits, Lexicon};
use crate::text::order;
use chat::Chat;
use std::ops::Range;
use std::sync::OnceLock;

pub use chat::{is_person, is_said_line};

/// Why a stretch of a message is not what the human asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// A pasted letter or conversation.
    Letter,
    /// A text that something is to be done with: translated, put into a file, shown on a screen.
    Matter,
}

/// Rows of the lexicon of lines that hand over a text.
#[rustfmt::skip]
const ROWS: &[&str] = &[
    // 0: verbs that work on a text.
    "translate|paraphrase|rephrase|proofread|reword|rewrite|summarize|summarise|polish|spellcheck|翻译|翻成|译成|译为|润色|改写\
     |校对|概括|总结|解释|复述",
    // 1: what points at the text.
    "this|these|the following|following|below|the sentence|the text|the paragraph|the line|the rule|a line|a note|a sentence\
     |a section|a paragraph|the words|下面|以下|如下|这句|这段|这条|这行|这几|一句|一行|一段|句话|段话|成英文|成中文|成英语\
     |成日语|成日文|成法语|into english|into chinese|to english|to chinese|into french|into japanese",
    // 2: verbs that put a text somewhere.
    "put|add|write|append|insert|paste|include|copy|prepend|show|display|draft|render|print|create|generate|make it say|写进|写到\
     |写入|写上|写一|加到|加进|加上|加一|添加|放进|放到|贴到|补一|补充到|追加|插入|改成|改为|换成|弹出|显示|展示|输出",
    // 3: where a text is shown or kept.
    "readme|readme.md|contributing|contributing.md|agents.md|claude.md|changelog.md|the docs|the wiki|docs page|error message\
     |toast|tooltip|banner|placeholder|popup|dialog|caption|heading|footer|help text|docstring|description|the prompt|system prompt\
     |slide|email|newsletter|announcement|a comment|a message|the message|a page|a label|the label|a warning|a notice|文档|注释\
     |提示|提示语|文案|标题|页脚|弹窗|按钮|邮件|公告|横幅|占位|帮助页|首页|登录页|.md",
    // 4: words that make the line a rule of its own.
    "always|never|every|whenever|from now on|must|should|we|以后|每次|每个|一律|统一|所有|必须|都要|凡是|今后|规则|约定|规范\
     |rules|conventions|remember|memory|记住|记忆|遵守|注意",
    // 5: what brings the shown text: `a banner that says …`.
    "that says|which says|that reads|which reads|saying|reading|with the text|that tells|内容是|内容为|文案是|文案为|写着|标题是\
     |标题为|提示语是|上面写|提示用户|提醒用户",
    // 6: what announces a pasted letter or conversation.
    "wrote|写道|聊天记录|邮件内容|邮件原文|原文|转发|chat log|transcript|the email says|the email i got|here is the email\
     |this is the email|here's the email|message from|email from|mail from|群里的|from slack|slack thread|收到的邮件|发来的\
     |here is the file|here's the file|here is the log|here's the log|the log says|log output|the output is|contents of\
     |file contents|文件内容|手册内容|日志如下|报错如下|输出如下|全文如下|原话",
];

const WORKS: usize = 0;
const POINTS: usize = 1;
const PUTS: usize = 2;
const PLACE: usize = 3;
const RULES: usize = 4;
const BRINGS: usize = 5;
const LETTER: usize = 6;

/// Longest line or clause that hands over a text, in bytes.
const HEAD_BYTES: usize = 160;
/// Words of an order short enough to point at nothing: `Translate into German: …`, `add to the README: …`.
const SHORT_WORDS: usize = 5;

/// Returns what the text behind `head` is, when `head` hands one over: `Translate this`, `put this in the README`,
/// `add a banner that says`.
pub fn handed_over(head: &str) -> Option<Others> {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    if head.len() > HEAD_BYTES {
        return None;
    }
    let lexicon =
        LEXICON.get_or_init(|| Lexicon::new(ROWS.iter().copied(), std::iter::empty(), &[]));
    let head = head.trim().to_ascii_lowercase();
    let rows = lexicon.hits(&head, &[]).rows;
    let has = |row: usize| rows >> row & 1 == 1;
    let all_of = |bits: Hits| rows & bits == bits;
    if has(RULES) {
        return None;
    }
    if has(LETTER) {
        return Some(Others::Letter);
    }
    let is_short = head.split_whitespace().take(SHORT_WORDS + 1).count() <= SHORT_WORDS
        && head.chars().count() <= 24;
    let worked_on = has(WORKS) && (has(POINTS) || is_short && is_bare(&head));
    let put = all_of(1 << PUTS | 1 << PLACE) && (has(POINTS) || has(BRINGS) || is_short);
    let brought = all_of(1 << BRINGS | 1 << PLACE) || all_of(1 << BRINGS | 1 << PUTS);
    (worked_on || put || brought).then_some(Others::Matter)
}

/// `Translate`, `please rephrase`, `翻译一下`: a verb with nothing it could be about but what follows.
fn is_bare(head: &str) -> bool {
    let head = ["please ", "请", "帮我", "can you ", "could you "]
        .iter()
        .fold(head, |head, polite| {
            head.strip_prefix(polite).unwrap_or(head)
        });
    let words = head.split_whitespace().count();
    words == 1 && head.chars().count() <= 12
        || words <= 4 && (head.contains(" into ") || head.contains(" to "))
}

/// First words of the lines of a letter's head, in lower case, and whether they are in no other list of lines.
const HEADERS: &[(&str, bool)] = &[
    ("from:", false),
    ("to:", false),
    ("cc:", true),
    ("sent:", true),
    ("subject:", true),
    ("date:", false),
    ("reply-to:", true),
    ("发件人", true),
    ("收件人", true),
    ("抄送", true),
    ("主题", false),
    ("发送时间", true),
    ("寄件者", true),
];

/// Lines that begin a forwarded letter, in lower case.
const FORWARDED: &[&str] = &[
    "---------- forwarded message",
    "-----original message",
    "----- original message",
    "-----原始邮件",
    "----- 原始邮件",
    "------------------ 原始邮件",
    "begin forwarded message",
    "---------- 转发",
];

/// Lines of a head may stand this many lines apart.
const HEAD_LINES: usize = 4;

/// Returns the stretches of `message` that are others' words, ascending. One pass; nothing for a message of one plain line.
pub fn stretches(message: &str) -> Vec<(Range<usize>, Others)> {
    let mut out: Vec<(Range<usize>, Others)> = Vec::new();
    let mut walk = Walk::default();
    let mut start = 0;
    for line in message.split_inclusive('\n') {
        let end = start + line.len();
        walk.read(line.trim(), start..end, &mut out);
        start = end;
    }
    if let Some((from, kind)) = walk.open {
        out.push((from..message.len(), kind));
    }
    walk.chat.close(&mut out);
    order::sort_by(&mut out, |a, b| a.0.start.cmp(&b.0.start));
    out
}

/// What is known while the lines of a message are read.
#[derive(Default)]
struct Walk {
    n_line: usize,
    /// Where a letter or a text that was handed over began.
    open: Option<(usize, Others)>,
    /// A line handed a text over, which has not begun.
    awaited: Option<Others>,
    /// The text handed over has begun: an empty line ends it, but between items of a list.
    in_text: bool,
    after_empty: bool,
    last_is_item: bool,
    /// The last line that looked like one of a letter's head: its number, its start, whether it is one for certain.
    header: Option<(usize, usize, bool)>,
    chat: Chat,
}

impl Walk {
    fn read(&mut self, line: &str, span: Range<usize>, out: &mut Vec<(Range<usize>, Others)>) {
        self.n_line += 1;
        if line.is_empty() {
            self.after_empty = true;
            self.chat.pause();
            return;
        }
        let after_empty = std::mem::replace(&mut self.after_empty, false);
        let is_item = line.starts_with(['-', '*', '•', '·'])
            || line.starts_with(|c: char| c.is_ascii_digit());
        let was_item = std::mem::replace(&mut self.last_is_item, is_item);
        if let Some((from, kind)) = self.open {
            let ends = if self.in_text {
                after_empty && !(is_item && was_item)
            } else {
                is_rule_off(line)
            };
            if !ends {
                return;
            }
            out.push((from..span.start, kind));
            self.open = None;
        }
        if let Some(kind) = self.awaited.take() {
            self.open = Some((span.start, kind));
            self.in_text = true;
            return;
        }
        if self.begins_letter(line, &span) {
            return;
        }
        self.chat.read(line, &span, out);
        if let Some(head) = line.strip_suffix([':', '：']) {
            self.awaited = handed_over(head);
        }
    }

    /// Returns whether a letter begins at or before this line.
    fn begins_letter(&mut self, line: &str, span: &Range<usize>) -> bool {
        let forwarded = line.starts_with('-') || line.starts_with(['B', 'b']);
        if forwarded && FORWARDED.iter().any(|mark| starts_with(line, mark)) {
            self.begin_letter(span.start);
            return true;
        }
        let Some((_, certain)) = HEADERS.iter().find(|(head, _)| is_header(line, head)) else {
            return false;
        };
        let certain = *certain || line.contains('@');
        // The whole head on one line: `From: … Subject: …`.
        let lower = line.to_ascii_lowercase();
        let is_whole = [" subject:", " sent:", "主题：", "主题:"]
            .iter()
            .any(|mark| lower.find(mark).is_some_and(|at| at > 0));
        if is_whole {
            self.begin_letter(span.start);
            return true;
        }
        match self.header {
            Some((n_line, start, known)) if self.n_line - n_line <= HEAD_LINES => {
                if certain || known {
                    self.begin_letter(start);
                    return true;
                }
                self.header = Some((self.n_line, start, false));
            }
            _ => self.header = Some((self.n_line, span.start, certain)),
        }
        false
    }

    fn begin_letter(&mut self, start: usize) {
        self.open = Some((start, Others::Letter));
        self.in_text = false;
        self.header = None;
    }
}

fn starts_with(line: &str, mark: &str) -> bool {
    line.get(..mark.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(mark))
}

fn is_header(line: &str, head: &str) -> bool {
    starts_with(line, head)
        && (head.ends_with(':')
            || line
                .get(head.len()..)
                .is_some_and(|rest| rest.starts_with([':', '：'])))
}

/// A line of dashes, under which the human speaks again.
fn is_rule_off(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|b| matches!(b, b'-' | b'=' | b'*' | b'_'))
}
