//! Values tied to a name by words of prose: `the password must always be …`, `never change the password from …`, `PIN 一律是 …`.

use super::accept::accept;
use super::name::{Class, Name};
use super::named::value;
use super::value::{
    is_digest, is_mixed, is_random, is_stand_in, is_term, is_uuid, is_word_run, is_wordy, kinds,
};

/// What a word between a name and its value does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tie {
    /// Says when or how firmly; ties nothing on its own.
    Adverb,
    /// Says that the value is not the one: only what is clearly drawn counts.
    Negation,
    /// Says that the value is the one.
    Verb,
    /// Stands before a value and before much else.
    Preposition,
}

use Tie::{Adverb, Negation, Preposition, Verb};

#[rustfmt::skip]
const ENGLISH: &[(Tie, &[&str])] = &[
    (Adverb, &[
        "always", "still", "now", "currently", "just", "simply", "only", "forever", "permanently", "usually", "actually",
        "also", "really", "again", "henceforth", "definitely", "normally", "strictly", "exactly", "ever", "by", "default",
        "once", "must", "should", "will", "shall", "would", "can", "may", "has", "have", "had", "needs", "need", "ought",
        "going", "supposed", "all", "both", "already", "sadly", "today", "then", "hereafter", "probably", "generally",
        "and", "anything", "nothing", "but", "else", "hasn't", "haven't", "doesn't", "don't", "isn't",
    ]),
    (Negation, &["never", "not", "no", "longer"]),
    (Verb, &[
        "is", "are", "was", "were", "be", "been", "being", "stays", "stay", "remains", "remain", "equals", "becomes",
        "become", "reads", "continues", "continue", "'s", "=", ":",
    ]),
    (Preposition, &[
        "to", "as", "from", "with", "at", "back", "set", "changed", "changes", "change", "kept", "keeps", "reset", "called",
    ]),
];

#[rustfmt::skip]
const CHINESE: &[(Tie, &[&str])] = &[
    (Negation, &["不再是", "不是", "不能是", "不要用", "别用", "不能用"]),
    (Verb, &[
        "设置为", "设置成", "保持为", "固定为", "设为", "设成", "改为", "改成", "定为", "配成", "等于", "保持", "是", "为", "叫",
        ":", "=",
    ]),
    (Preposition, &["使用", "采用", "沿用", "输入", "用", "填", "写", "输"]),
    (Adverb, &[
        "一律", "永远", "一直", "始终", "总是", "统一", "必须", "仍然", "仍旧", "依旧", "依然", "固定", "只能", "应该", "应当",
        "务必", "全部", "目前", "现在", "以后", "今后", "从此", "暂时", "默认", "每次", "平时", "通常", "一般", "长期", "永久",
        "继续", "可以", "需要", "当前", "反正", "号码", "的值", "都", "全", "均", "皆", "仍", "还", "就", "要", "得", "须", "会",
        "将", "从来", "向来", "历来", "一向", "一贯", "不要改", "别改", "不用改", "不改", "不变", "不要动", "别动", "需", "先", "恒", "也", "只", "码", "值", "的", "得", ",", " ",
    ]),
];

/// Words behind a name after which a tie may come later: `the unlock code for the phone is …`.
const BRIDGES: [&str; 22] = [
    "for",
    "of",
    "on",
    "to",
    "in",
    "at",
    "i",
    "we",
    "you",
    "they",
    "here",
    "there",
    "below",
    "used",
    "that",
    "which",
    "under",
    "and",
    "inside",
    "behind",
    "everyone",
    "everybody",
];

/// Words that put a value right behind a name: `use the password …`.
const USES: [&str; 18] = [
    "use", "uses", "using", "used", "with", "enter", "type", "keep", "remember", "via", "try",
    "change", "changing", "changed", "reset", "rotate", "set", "leave",
];

/// Words of English that are in no passphrase worth the name.
#[rustfmt::skip]
const PROSE: &[&str] = &[
    "least", "most", "long", "short", "longer", "shorter", "stronger", "kept", "sent", "written", "shown", "given",
    "known", "chosen", "taken", "held", "built", "made", "put", "cut", "lost", "left", "found", "told", "drawn", "bound",
    "split", "shut", "gone", "done", "seen", "hidden", "unique", "secret", "safe", "case", "mandatory", "different",
    "equal", "visible", "available", "subject", "part", "one", "two", "three", "four", "five", "six", "eight", "ten",
    "twelve", "sixteen", "plain", "clear", "upper", "lower", "ascii", "alphanumeric", "end", "to", "up", "of", "per",
    "based", "time", "less", "like", "free", "wide", "ready", "grade", "out", "level", "side", "way", "your", "my",
    "our", "their", "its", "is", "are", "was", "be", "been", "do", "does", "please", "try", "again", "enter", "but",
    "very", "more", "than", "when", "while", "where", "what", "who", "how", "why", "until", "unless", "because", "since",
    "after", "before", "we", "you", "they", "it", "he", "she", "there", "here", "also", "just", "still", "so", "as",
    "into", "over", "under", "all", "any", "each", "every", "both", "between", "chars", "characters", "digits", "letters",
    "words", "users", "account", "accounts", "server", "client", "page", "screen", "label", "required", "up-to-date",
    "first", "second", "last", "next", "friendly", "proof", "specific", "own", "good", "bad", "important", "enough",
];

/// Words at which a passphrase without quotes ends.
const AFTER_PHRASE: [&str; 10] = [
    "on",
    "for",
    "in",
    "at",
    "everywhere",
    "and",
    "not",
    "never",
    "from",
    "there",
];

/// Bytes read behind a name.
const REACH_BYTES: usize = 160;

/// What ties a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tied {
    /// Where the value begins.
    at: usize,
    last: Option<Tie>,
    is_negated: bool,
}

/// Finds a value that words of prose tie to the name; `before` is the text before it.
pub(super) fn tied(text: &str, before: &str, name: &Name) -> Option<(usize, usize)> {
    if matches!(name.class, Class::Weak | Class::Count) {
        return None;
    }
    let rest = super::head(text.get(name.end..)?, REACH_BYTES);
    let stop = rest.find('\n').unwrap_or(rest.len());
    let rest = rest.get(..stop)?;
    let start = match rest.strip_prefix(['"', '`', ']', ')', '*']) {
        Some(_) => 1,
        None => 0,
    };
    // `token::Kind` and `token, isToken` are code.
    let after = rest.get(start..)?;
    if after.starts_with("::") || after.starts_with(',') && name.class != Class::Password {
        return None;
    }
    let spaced = rest.get(start..)?.starts_with([' ', '\'', ',', ':', '=']) || name.is_chinese;
    if !spaced && rest.get(start..)?.is_ascii() {
        return None;
    }
    let near = chain(rest, start);
    let span = |(start, end): (usize, usize)| (name.end + start, name.end + end);
    if let Some(found) = read(rest, near, before, name) {
        return Some(span(found));
    }
    bridged(rest, start)
        .and_then(|far| read(rest, far, before, name))
        .map(span)
}

/// Reads the words that tie, from `at` on.
fn chain(rest: &str, mut at: usize) -> Tied {
    let mut tied = Tied {
        at,
        last: None,
        is_negated: false,
    };
    loop {
        let here = rest.get(at..).unwrap_or_default();
        let bare = here.trim_start_matches([' ', ',']);
        at += here.len() - bare.len();
        let length = bare
            .find(|c: char| " ,:=".contains(c) || !c.is_ascii())
            .unwrap_or(bare.len())
            .max(usize::from(bare.starts_with([':', '='])));
        let word = bare.get(..length).unwrap_or_default();
        let (tie, length) = match tie_of(ENGLISH, |x| x.eq_ignore_ascii_case(word)) {
            Some((tie, _)) => (tie, length),
            None if bare.starts_with("'s ") => (Verb, 2),
            None => match tie_of(CHINESE, |x| bare.starts_with(x)) {
                Some((tie, length)) => (tie, length),
                None => break,
            },
        };
        at += length;
        // `never change the … from …` says that it stays.
        let is_change = ["change", "changes", "changed"]
            .iter()
            .any(|x| x.eq_ignore_ascii_case(word));
        tied.is_negated = !is_change && (tied.is_negated || tie == Negation);
        if tie != Adverb || tied.last.is_none() {
            tied.last = Some(tie);
        }
    }
    tied.at = at;
    tied
}

fn tie_of(table: &[(Tie, &[&str])], is: impl Fn(&str) -> bool) -> Option<(Tie, usize)> {
    table.iter().find_map(|(tie, words)| {
        let word = words.iter().find(|word| is(word))?;
        Some((*tie, word.len()))
    })
}

/// `for the phone is always …`: the first verb behind some words.
fn bridged(rest: &str, start: usize) -> Option<Tied> {
    let near = rest.get(start..)?;
    let first = near.trim_start_matches([' ', ',']);
    let first = first.split(' ').next()?.to_ascii_lowercase();
    if !near.starts_with(',') && !BRIDGES.contains(&first.as_str()) {
        return None;
    }
    let stop = near.find([';', '。', '!', '?']).unwrap_or(near.len());
    let stop = near.find(". ").unwrap_or(stop).min(stop);
    let near = near.get(..stop)?;
    let mut at = start;
    for word in near.split_inclusive([' ', ',']) {
        let bare = word.trim_end_matches([' ', ',']);
        let is_verb = matches!(
            tie_of(ENGLISH, |x| x.eq_ignore_ascii_case(bare)),
            Some((Verb, _))
        ) || matches!(bare, "must" | "should" | "will" | "shall" | "has" | "from");
        if is_verb {
            return Some(chain(rest, at)).filter(|tied| tied.last != Some(Adverb));
        }
        at += word.len();
    }
    None
}

/// Decides on the value behind the tie.
fn read(rest: &str, tied: Tied, before: &str, name: &Name) -> Option<(usize, usize)> {
    let is_password = name.class == Class::Password;
    let is_verb = tied.last == Some(Verb);
    let is_used = uses(before);
    if is_password || name.word == "授权码" {
        if let Some(found) = groups_of_four(rest, tied.at) {
            return Some(found);
        }
        if !tied.is_negated
            && (is_verb || is_used)
            && let Some(found) = phrase(rest, tied.at, is_verb, name)
        {
            return Some(found);
        }
    }
    if matches!(name.word, "credential" | "credentials" | "creds") && is_verb {
        return second(rest, tied.at);
    }
    let (value, end) = value(rest, tied.at, false)?;
    let behind = rest.get(end..)?;
    let text = value.text;
    let kinds = kinds(text);
    let drawn = is_random(text) && (kinds.digit > 0 || is_verb || is_used)
        || is_password
            && is_mixed(text, 8)
            && !is_wordy(text)
            && !text.contains(['/', '.', ':', '-', '='])
            && kinds.digit > 0
            && (kinds.changes >= 3 || kinds.lower > 0 && kinds.upper > 0)
        || name.class == Class::Token
            && (tied.last.is_some() || is_used)
            && text.bytes().all(|b| b.is_ascii_alphanumeric())
            && is_mixed(text, 8)
            && !is_wordy(text)
            && kinds.digit > 0
            && kinds.lower > 0
            && kinds.upper > 0
            && kinds.changes >= 3;
    let is_chinese_number = name.is_chinese && is_password && is_number(text, 6);
    // With nothing that ties: `token abc…`.
    let near = match tied.last {
        _ if tied.is_negated => drawn,
        Some(Verb) => {
            let assigns = name.class != Class::Token || drawn;
            return accept(name, &value, assigns, "", behind)
                .then_some((value.span.start, value.span.end));
        }
        Some(Preposition) if is_used => {
            drawn || is_password && (is_mixed(text, 5) || is_number(text, 5))
        }
        Some(_) => drawn || is_chinese_number,
        None if is_used && is_password => {
            drawn || is_mixed(text, 5) && kinds.digit > 0 || is_number(text, 5)
        }
        None => drawn || is_chinese_number,
    };
    // Codes are digits: `enter PIN …`.
    let near = near
        || name.class == Class::Code
            && !tied.is_negated
            && (tied.last.is_some() || name.word != "pin" || name.is_env);
    (near
        && !(name.class == Class::Token && (is_digest(text) || is_uuid(text)))
        && !is_place_of_variable(text)
        && accept(name, &value, drawn, "", behind))
    .then_some((value.span.start, value.span.end))
}

/// `SHOP_PW2`: the name of a variable.
fn is_place_of_variable(text: &str) -> bool {
    text.contains('_')
        && text
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn is_number(text: &str, length_min: usize) -> bool {
    (length_min..=12).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether one of the last words before a name puts a value behind it.
fn uses(before: &str) -> bool {
    before
        .rsplit([' ', ','])
        .filter(|word| !word.is_empty())
        .take(5)
        .any(|word| USES.iter().any(|use_| word.eq_ignore_ascii_case(use_)))
}

/// Sixteen small letters in groups of four, the form of a mail provider's code for programs.
fn groups_of_four(rest: &str, at: usize) -> Option<(usize, usize)> {
    let here = rest.get(at..)?;
    let bare = here.trim_start_matches([' ', '"', '\'', '`', ':', '=']);
    let start = at + here.len() - bare.len();
    let (groups, tail) = bare.split_at_checked(19)?;
    let mut n_words = 0;
    for group in groups.split(' ') {
        if group.len() != 4 || !group.bytes().all(|b| b.is_ascii_lowercase()) {
            return None;
        }
        n_words += usize::from(is_word_run(group.as_bytes()));
    }
    (n_words <= 1 && !tail.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .then_some((start, start + groups.len()))
}

/// A passphrase of plain words: in quotes, joined by hyphens, or up to the end of the sentence.
fn phrase(rest: &str, at: usize, is_verb: bool, name: &Name) -> Option<(usize, usize)> {
    let here = rest.get(at..)?;
    let bare = here.trim_start();
    let start = at + here.len() - bare.len();
    let quote = bare
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'));
    if let Some(quote) = quote {
        let inside = bare.get(1..)?;
        let inside = inside.get(..inside.find(quote)?)?;
        let is_chinese = matches!(name.word, "口令" | "暗号")
            && (4..=16).contains(&inside.chars().count())
            && inside
                .chars()
                .all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
            && ![
                "必填", "错误", "为空", "密码", "口令", "过期", "不", "加密", "请",
            ]
            .iter()
            .any(|word| inside.contains(word));
        let n_words = inside.split(' ').count();
        let is_phrase = (2..=8).contains(&n_words) && inside.split(' ').all(is_phrase_word);
        return (is_chinese || is_phrase).then_some((start + 1, start + 1 + inside.len()));
    }
    let token = bare.split([' ', ',', ';', ')', '。']).next()?;
    let token = token.trim_end_matches(['.', '!', '?']);
    if token.matches('-').count() >= 2 {
        return token
            .split('-')
            .all(is_phrase_word)
            .then_some((start, start + token.len()));
    }
    if !is_verb && name.word != "passphrase" {
        return None;
    }
    let stop = bare
        .find(['.', ',', ';', '!', '?', '(', ':'])
        .unwrap_or(bare.len());
    let clause = bare.get(..stop)?;
    let (mut n_words, mut end) = (0, 0);
    for word in clause.split_inclusive(' ') {
        let bare = word.trim_end();
        if n_words > 0 && AFTER_PHRASE.contains(&bare) {
            break;
        }
        if !is_phrase_word(bare) || !bare.bytes().all(|b| b.is_ascii_lowercase()) {
            return None;
        }
        n_words += 1;
        end += word.len();
    }
    let n_words_min = if name.word == "password" { 4 } else { 3 };
    let clause = clause.get(..end)?.trim_end();
    (n_words_min..=8)
        .contains(&n_words)
        .then_some((start, start + clause.len()))
}

fn is_phrase_word(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.len() >= 3
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
        && !is_term(word)
        && !is_stand_in(word)
        && !PROSE.contains(&lower.as_str())
        && !["ed", "ing", "ly", "able", "ible", "tive"]
            .iter()
            .any(|ending| lower.ends_with(ending))
}

/// The second of two: `bob and …`, `bob / …`.
fn second(rest: &str, at: usize) -> Option<(usize, usize)> {
    let here = rest.get(at..)?;
    let bare = here.trim_start_matches([' ', '"', '\'', '`']);
    let start = at + here.len() - bare.len();
    pair(bare).map(|(from, to)| (start + from, start + to))
}

/// Reads a user's name, what joins, and a password: `bob/…`, `bob and …`, `admin with the password …`.
pub(super) fn pair(text: &str) -> Option<(usize, usize)> {
    let is_user = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '@');
    let user = text.find(|c| !is_user(c))?;
    if user == 0
        || user > 64
        || text
            .get(..user)?
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    {
        return None;
    }
    let tail = text.get(user..)?.trim_start_matches(['"', '\'', '`']);
    let tail_at = text.len() - tail.len();
    let joint = [
        " / ", "/", " : ", ":", " and ", " with ", ", ", "、", "和", " 和 ",
    ]
    .into_iter()
    .find(|joint| tail.starts_with(joint))?;
    let (value, _) = value(text, tail_at + joint.len(), false)?;
    let word = value.text;
    let kinds = kinds(word);
    let is_close = joint.contains(['/', ':']);
    let is_secret = is_random(word)
        || is_mixed(word, 6)
            && kinds.digit > 0
            && !word.contains(['/', ':', '='])
            && (!is_wordy(word) || is_close && kinds.digit >= 2)
        || is_close && is_number(word, 5) && !tail.starts_with([':', ' ']);
    (is_secret
        && !is_stand_in(word)
        && !is_term(word)
        && !is_digest(word)
        && !is_uuid(word)
        && !is_place_of_variable(word))
    .then_some((value.span.start, value.span.end))
}
