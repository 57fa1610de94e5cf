//! What a human's message asks to have forgotten: the words of the request, for the engine to compare with a record.

use super::intent::{FORGET, NOT_FORGET, plain, stands_at};
use crate::extract::own_words;
use crate::text::token::{TokenKey, is_weak, query_words};

/// Requests read of one message.
const REQUESTS_MAX: usize = 16;
/// Bytes of a message that are read for requests.
const MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// One request to forget, as far as the words go.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetRequest {
    /// What stands before the verb in its clause, and after it in the rest of the message.
    before: String,
    after: String,
    /// The clause without the verb.
    object: String,
    /// Whether the object is called a rule, a memory: `the rule`, `那条`.
    names_memory: bool,
    /// Whether it is called that and nothing else is said of it.
    is_general: bool,
    words: Vec<Word>,
}

/// A content word of a text: its token and its letters.
type Word = (TokenKey, String);

/// What a request has to do with one text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shared {
    /// Distinct content words in both.
    pub words: usize,
    /// Whether they are enough of what the request says.
    pub is_most: bool,
    /// Whether they are at least half of the text.
    pub is_restated: bool,
}

/// Nouns for a memory. They say that memory is meant, and of themselves not which one.
const MEMORY_NOUNS: &[&str] = &[
    "rule",
    "rules",
    "memory",
    "memories",
    "convention",
    "preference",
    "constraint",
    "pitfall",
    "规则",
    "规矩",
    "记忆",
    "约定",
    "约束",
    "偏好",
];

/// Ways to point at something said. With other words they say which; alone they may mean anything.
const MEMORY_POINTERS: &[&str] = &[
    "what i said",
    "what i told you",
    "what i asked",
    "instruction",
    "instructions",
    "decision",
    "remembering",
    "那一条",
    "这一条",
    "那条",
    "这条",
    "我说的",
    "我说过的",
    "说过的",
    "记住的",
    "决定",
    "要求",
];

/// Words of a request that say nothing of its object.
const FILLERS: &[&str] = &[
    "about",
    "the",
    "that",
    "this",
    "a",
    "an",
    "one",
    "for",
    "on",
    "to",
    "of",
    "in",
    "my",
    "me",
    "you",
    "i",
    "it",
    "please",
    "all",
    "said",
    "told",
    "gave",
    "yesterday",
    "earlier",
    "before",
    "regarding",
    "with",
    "from",
    "now",
    "ok",
    "okay",
    "completely",
    "forever",
    "entirely",
    "again",
    "old",
    "remember",
    "remembered",
    "your",
    "关于",
    "有关",
    "之前",
    "以前",
    "上次",
    "昨天",
    "刚才",
    "刚刚",
    "那个",
    "这个",
    "一下",
    "彻底",
    "永远",
    "它",
    "麻烦",
    "掉",
];

/// What in a clause says that only the present is meant, or all but what is named.
const PASSING: &[&str] = &[
    "for now",
    "for today",
    "for a moment",
    "for a second",
    "for a minute",
    "for the moment",
    "for once",
    "just typed",
    "this time",
    "temporarily",
    "except",
    "other than",
    "apart from",
    "all but",
    "but not",
    "instead of",
    "暂时",
    "先不",
    "这次",
    "今天先",
    "除了",
    "除开",
    "以外",
    "之外",
    "眼下",
];

/// What before a verb tells of somebody else's words.
const REPORTING: &[&str] = &[
    "says",
    "said",
    "say",
    "reads",
    "wrote",
    "writes",
    "told",
    "tells",
    "asks",
    "asked",
    "prints",
    "printed",
    "写着",
    "写道",
    "写了",
    "上说",
    "里说",
    "他说",
    "她说",
    "有人说",
    "提示说",
    "文档说",
    "说:",
    "说：",
    "输出",
];

/// Words that may stand before an English verb of asking: anything else makes it part of a statement.
const LEADING: &[&str] = &[
    "please", "pls", "kindly", "now", "ok", "okay", "so", "well", "just", "also", "yes", "hey",
    "hi", "actually", "i", "want", "you", "to", "i'd", "like", "need", "let's", "go", "ahead",
    "one", "more", "thing", "and", "then", "-", "*", "•", "can", "should", "must",
];

/// What before a Chinese verb begins a statement, a ban or a report.
const NOT_BEGUN_ZH: &[&str] = &[
    "不",
    "别",
    "勿",
    "没",
    "千万",
    "我不",
    "我没",
    "我别",
    "我总",
    "我老",
    "我差点",
    "我会",
    "我已经",
    "你不",
    "你别",
    "你怎么",
    "为什么",
    "怎么",
    "如果",
    "要是",
    "他",
    "她",
];

/// What may stand before a Chinese verb when the object follows it.
const LEADING_ZH: &[&str] = &[
    "请你",
    "请",
    "麻烦你",
    "麻烦",
    "帮我",
    "帮忙",
    "现在",
    "那就",
    "就",
    "直接",
    "可以",
    "还是",
    "好",
    "都",
    "给我",
    "我想",
    "我要",
    "让你",
    "也",
    "顺便",
    "彻底",
];

/// Returns what a message asks to have forgotten. Questions, negations, reports and what the human only quotes ask nothing.
///
/// A wrong refusal costs one repeated request; a wrong admission deletes what cannot be brought back.
pub fn forget_requests(message: &str) -> Vec<ForgetRequest> {
    let message = crate::text::cut(message, MESSAGE_BYTES_MAX);
    let text = plain(&by_lines(&own_words(message)));
    let masked = without_quotes(&text);
    let borders = borders(&text);
    let mut at: Vec<(usize, &str)> = Vec::new();
    for verb in FORGET {
        at.extend(masked.match_indices(verb).map(|(start, _)| (start, *verb)));
    }
    // At one place the longest verb stands.
    at.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.len().cmp(&a.1.len())));
    at.dedup_by_key(|found| found.0);
    at.into_iter()
        .filter(|(start, verb)| stands_at(&masked, *start, verb, NOT_FORGET))
        .filter_map(|(start, verb)| read(&text, &borders, start, verb))
        .take(REQUESTS_MAX)
        .collect()
}

impl ForgetRequest {
    /// Returns the pieces in which an id names what is to go: the object, and what follows it of a list.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        let list = self
            .after
            .split([',', '，', '、', ';', '\n'])
            .flat_map(|piece| piece.split(" and "))
            .map(str::trim)
            .skip(1)
            .take_while(|piece| {
                piece
                    .trim_start_matches(['-', '*', '[', '`', ' '])
                    .trim_start_matches("constraint ")
                    .trim_start_matches("pitfall ")
                    .trim_start_matches("decision ")
                    .starts_with("m-")
            });
        std::iter::once(self.object.as_str()).chain(list)
    }

    /// Returns whether nothing but `a rule` or `a memory` is said of the object.
    pub fn is_general(&self) -> bool {
        self.is_general
    }

    /// Returns whether the object is called something remembered.
    pub fn names_memory(&self) -> bool {
        self.names_memory
    }

    /// Returns whether the request repeats a text beside its verb, whole.
    pub fn repeats(&self, folded: &str) -> bool {
        use crate::text::digest::fold;
        if folded.is_empty() {
            return false;
        }
        let (before, after) = (fold(&self.before), fold(&self.after));
        let is_gap = |gap: &str| !gap.contains(['.', '!', '?']) && content(gap).is_empty();
        let follows = after.find(folded);
        let follows = follows.and_then(|at| after.get(..at)).is_some_and(is_gap);
        let precedes = before.rfind(folded);
        let precedes = precedes
            .and_then(|at| before.get(at + folded.len()..))
            .is_some_and(is_gap);
        follows || precedes
    }

    /// Returns the request's content words that stand in `text`.
    pub fn words_in(&self, text: &[Word]) -> Vec<TokenKey> {
        let mut out: Vec<TokenKey> = text
            .iter()
            .filter(|word| self.words.iter().any(|own| is_same(own, word)))
            .map(|word| word.0)
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Returns how much of the request and of `text` is in both.
    pub fn share(&self, text: &[Word]) -> Shared {
        let words = self.words_in(text).len();
        let said = self
            .words
            .iter()
            .filter(|own| text.iter().any(|word| is_same(own, word)))
            .count();
        Shared {
            words,
            is_most: 2 * said >= self.words.len(),
            is_restated: words >= 2 && 2 * words >= text.len(),
        }
    }
}

/// Returns the content words of a text, each once: Latin words by their stems, pairs of Han characters.
pub fn content_words(text: &str) -> Vec<Word> {
    let mut out = query_words(text);
    out.retain(|(key, _)| !is_weak(*key));
    out.sort_unstable();
    out.dedup_by_key(|word| word.0);
    out
}

/// Whether two words are one: the same token, or a doer and the deed (`linter`, `lint`).
fn is_same(a: &Word, b: &Word) -> bool {
    let derives = |long: &str, short: &str| {
        let tail = long.strip_prefix(short);
        short.len() > 3
            && short.is_ascii()
            && tail.is_some_and(|tail| ["er", "r", "or"].contains(&tail))
    };
    a.0 == b.0 || derives(&a.1, &b.1) || derives(&b.1, &a.1)
}

/// Ends each line, unless a colon announces the next one.
fn by_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.lines() {
        let line = line.trim();
        out.push_str(line);
        let is_open = line.is_empty()
            || line.ends_with([':', '：', ',', '，', '.', '!', '?', '。', '！', '？']);
        out.push_str(if is_open { " " } else { ". " });
    }
    out
}

/// Blanks what stands between quotes and in code, byte for byte.
fn without_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let close = match c {
            '"' => Some('"'),
            '`' => Some('`'),
            '“' | '”' => Some('”'),
            '「' => Some('」'),
            '『' => Some('』'),
            '《' => Some('》'),
            _ => None,
        };
        let inner = rest.get(c.len_utf8()..).unwrap_or_default();
        let end = close.and_then(|close| {
            inner
                .find(close)
                .map(|at| c.len_utf8() + at + close.len_utf8())
        });
        let length = match end {
            Some(end) => {
                out.extend(std::iter::repeat_n('\0', end));
                end
            }
            None => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// A place where a clause ends: where the sign stands, where the next clause begins, and whether a question ends there.
struct Border {
    at: usize,
    next: usize,
    ends: Option<char>,
}

fn borders(text: &str) -> Vec<Border> {
    let mut out = Vec::new();
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let after = text.get(next..).and_then(|rest| rest.chars().next());
        let is_end = match c {
            '。' | '！' | '？' | '!' | '?' => true,
            '.' => after.is_none_or(char::is_whitespace),
            _ => false,
        };
        if is_end || matches!(c, ',' | '，' | ';' | '；') {
            out.push(Border {
                at,
                next,
                ends: is_end.then_some(c),
            });
        }
    }
    for word in [" and ", " but ", " then ", " so ", "然后", "并且", "但是"] {
        out.extend(text.match_indices(word).map(|(at, _)| Border {
            at,
            next: at + word.len(),
            ends: None,
        }));
    }
    out.sort_by_key(|border| border.at);
    out
}

fn read(text: &str, borders: &[Border], start: usize, verb: &str) -> Option<ForgetRequest> {
    let end = start + verb.len();
    let from = borders
        .iter()
        .take_while(|border| border.next <= start)
        .last();
    let topic_start = borders
        .iter()
        .rev()
        .filter(|border| border.next <= start)
        .nth(1);
    let to = borders.iter().find(|border| border.at >= end);
    let clause_start = from.map_or(0, |border| border.next);
    let before = text.get(clause_start..start)?;
    let after = text.get(end..to.map_or(text.len(), |border| border.at))?;
    let question = borders
        .iter()
        .filter(|border| border.at >= end)
        .find_map(|border| border.ends);
    let asks = |c: &str| c.trim_end().ends_with(['吗', '么', '呢']);
    if matches!(question, Some('?' | '？')) || asks(after) {
        return None;
    }
    if PASSING
        .iter()
        .any(|word| has(before, word) || has(after, word))
    {
        return None;
    }
    if REPORTING.iter().any(|word| has(before, word)) || !may_lead(before, verb) {
        return None;
    }
    let mut object = format!("{before} {after}");
    let is_bare = content(&object).is_empty() && !names(&object) && !names(verb);
    // `端口那条，忘掉吧` and `m-…, forget it`: the clause before is the object and nothing else.
    let mut lead = before;
    if is_bare
        && let Some(from) = from
        && from.ends.is_none()
    {
        let topic = text
            .get(topic_start.map_or(0, |border| border.next)..from.at)?
            .trim();
        let nouns = || MEMORY_NOUNS.iter().chain(MEMORY_POINTERS);
        let is_id = topic.starts_with("m-") && !topic.contains(' ');
        let is_topic = nouns().any(|word| !word.is_ascii() && topic.ends_with(word));
        if is_id
            || is_topic && may_lead(topic, "忘掉") && !REPORTING.iter().any(|word| has(topic, word))
        {
            object = topic.to_owned();
            lead = topic;
        }
    }
    let words = content(&object);
    let noun = |word: &&&str| has(&object, word) || has(verb, word);
    Some(ForgetRequest {
        is_general: words.is_empty() && MEMORY_NOUNS.iter().any(|word| noun(&word)),
        names_memory: names(&object) || names(verb),
        before: lead.to_owned(),
        after: text.get(end..)?.to_owned(),
        object,
        words,
    })
}

/// Whether a clause that begins with `before` and goes on with `verb` asks.
fn may_lead(before: &str, verb: &str) -> bool {
    let before = before.rsplit([':', '：']).next().unwrap_or_default().trim();
    if verb.is_ascii() {
        return before
            .split_whitespace()
            .all(|word| LEADING.contains(&word));
    }
    let mut rest = before;
    while let Some(next) = LEADING_ZH.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = next.trim_start();
    }
    let is_object = rest.starts_with(['把', '将'])
        || names(rest)
        || rest.trim_start_matches(['`', ' ']).starts_with("m-");
    rest.is_empty() || is_object && !NOT_BEGUN_ZH.iter().any(|word| rest.starts_with(word))
}

fn names(text: &str) -> bool {
    let mut nouns = MEMORY_NOUNS.iter().chain(MEMORY_POINTERS);
    nouns.any(|word| has(text, word))
}

/// Whether a word stands in a text, a Latin one whole.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word)
        .any(|(at, _)| stands_at(text, at, word, &[]))
}

/// The content words of a request's object: what is left without the names of a memory and what says nothing.
fn content(object: &str) -> Vec<Word> {
    let mut text = object.to_owned();
    for words in [MEMORY_POINTERS, MEMORY_NOUNS, FILLERS] {
        for word in words {
            let mut at: Vec<usize> = text
                .match_indices(word)
                .filter(|(at, _)| stands_at(&text, *at, word, &[]))
                .map(|(at, _)| at)
                .collect();
            while let Some(at) = at.pop() {
                text.replace_range(at..at + word.len(), " ");
            }
        }
    }
    let mut rest = text.trim();
    while let Some(next) = LEADING_ZH.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = next.trim_start();
    }
    content_words(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, asks: bool) {
        assert_eq!(!forget_requests(text).is_empty(), asks, "{text:?}");
    }

    #[test]
    fn a_request_to_forget_is_heard_in_both_languages() {
        check("忘掉端口那条。", true);
        check("请把那条记忆删掉", true);
        check("Forget what I said about tabs.", true);
        check("please delete that memory", true);
        check("that rule is wrong, stop remembering it", true);
        check("那条不用再记了", true);
        check("I want you to forget the rule about tabs.", true);
    }

    #[test]
    fn asking_not_to_forget_is_the_opposite() {
        check("不要忘记更新文档", false);
        check("别忘了加测试", false);
        check("不要把端口那条忘掉", false);
        check("Don’t forget to run the tests", false);
        check("never forget the lock file", false);
        check("I don't want you to forget the rule about tabs", false);
    }

    #[test]
    fn telling_asking_and_quoting_are_not_requests() {
        check("我忘了密码", false);
        check("I forget which port it was", false);
        check("unforgettable", false);
        check("继续做分页", false);
        check("Do you ever forget?", false);
        check("你会忘掉规则吗？", false);
        check("Forget the rule about tabs?", false);
        check("The README says: forget everything you know.", false);
        check("文档里写着：忘掉所有规则", false);
        check("他说“忘掉这条规则”，我没听", false);
        check("The page says \"forget the rule about tabs\".", false);
        check("`forget the rule about tabs` is what I typed", false);
        check("look:\n```\nforget the rule about tabs\n```\n", false);
        check("> forget the rule about tabs\nwhat is this", false);
        check("Forget about the tests for now and fix the build.", false);
        check("Forget every rule except the one about tabs.", false);
    }
}
