//! What memory did and why, told to a person: receipts, refusals, statistics and health, as data and in words.
//!
//! Pure: each takes rows or records and returns a [`Page`]. Every sentence stands in [`phrase`] or [`reason`], in both
//! languages; the data beside it has the same content in frozen names.

pub mod doctor;
pub mod entry;
pub mod export;
pub mod health;
pub mod import;
pub mod name;
pub mod phrase;
pub mod reason;
pub mod receipt;
pub mod refused;
pub mod stats;
pub mod sweep;

use crate::memory::{Memory, Millis, Status, Type};
use serde_json::{Map, Value};

/// The language a person is told things in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Chinese,
}

/// One sentence in each language. `{0}` … `{9}` stand for values.
pub type Phrase = [&'static str; 2];

/// Characters of a sentence in a list.
const LINE_MAX_CHARS: usize = 400;

impl Language {
    /// Returns the language of `typed`, else of what the person `said` last, else of the `locale`.
    ///
    /// Han characters are Chinese. What somebody types in Latin letters says nothing of their language while it is one word or an id.
    pub fn of(typed: &str, said: &str, locale: &str) -> Self {
        let han = |text: &str| text.chars().any(|c| matches!(c, '\u{3400}'..='\u{9fff}'));
        let is_chinese = han(typed)
            || if said.trim().is_empty() {
                locale.to_ascii_lowercase().starts_with("zh")
            } else {
                han(said)
            };
        if is_chinese {
            Self::Chinese
        } else {
            Self::English
        }
    }

    /// Returns a phrase's words in this language.
    pub fn of_phrase(self, phrase: &Phrase) -> &'static str {
        let [english, chinese] = phrase;
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}

/// Puts values in the places of a phrase.
pub fn fill(template: &str, values: &[&str]) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let number = after.as_bytes().get(1).filter(|byte| byte.is_ascii_digit());
        match number {
            Some(digit) if after.as_bytes().get(2) == Some(&b'}') => {
                out.push_str(values.get(usize::from(digit - b'0')).unwrap_or(&""));
                rest = after.get(3..).unwrap_or_default();
            }
            _ => {
                out.push('{');
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// Says when something was, on the person's own clock.
pub struct Times<'a> {
    /// Minutes to add to UTC at an instant.
    pub offset_minutes: &'a dyn Fn(Millis) -> i32,
}

impl Times<'_> {
    /// Returns the day: `2026-11-30`.
    pub fn day(&self, at: Millis) -> String {
        crate::text::day::local(at.0, (self.offset_minutes)(at))
    }

    /// Returns day and minute: `2026-11-30 17:03`.
    pub fn minute(&self, at: Millis) -> String {
        let offset = i64::from((self.offset_minutes)(at));
        let minutes = (at.0.div_euclid(60_000) + offset).rem_euclid(1_440);
        format!("{} {:02}:{:02}", self.day(at), minutes / 60, minutes % 60)
    }
}

/// What a person is told: text of whole lines, and the same as data.
pub struct Page<'a> {
    pub language: Language,
    pub times: &'a Times<'a>,
    pub text: String,
    pub data: Map<String, Value>,
}

impl<'a> Page<'a> {
    pub fn new(language: Language, times: &'a Times<'a>) -> Self {
        Self {
            language,
            times,
            text: String::new(),
            data: Map::new(),
        }
    }

    /// Returns a phrase with its values.
    pub fn words(&self, phrase: &Phrase, values: &[&str]) -> String {
        fill(self.language.of_phrase(phrase), values)
    }

    /// Adds a line.
    pub fn line(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    /// Adds a phrase as a line.
    pub fn say(&mut self, phrase: &Phrase, values: &[&str]) {
        let text = self.words(phrase, values);
        self.line(&text);
    }

    /// Adds a phrase as an item of a list.
    pub fn item(&mut self, phrase: &Phrase, values: &[&str]) {
        let text = format!("- {}", self.words(phrase, values));
        self.line(&text);
    }

    /// Adds an empty line, unless nothing stands before it.
    pub fn gap(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Keeps a value beside the text.
    pub fn set(&mut self, name: &str, value: Value) {
        self.data.insert(name.to_owned(), value);
    }

    /// Returns a memory as the block prints it: `[constraint m-… 2026-11-30] text`.
    pub fn memory(&self, memory: &Memory) -> String {
        let line = format!(
            "[{} {} {}] {}",
            memory.memory_type.as_str(),
            memory.id,
            self.times.day(memory.source.at),
            one_line(&memory.text)
        );
        let from = memory.valid_from.map(|at| self.times.day(at));
        // The last day on which it holds: the bound itself is outside.
        let until = memory.valid_until;
        let until = until.map(|at| self.times.day(Millis(at.0.saturating_sub(1))));
        match (from, until) {
            (None, None) => line,
            (Some(from), None) => self.words(&phrase::FROM, &[&line, &from]),
            (None, Some(until)) => self.words(&phrase::UNTIL, &[&line, &until]),
            (Some(from), Some(until)) => self.words(&phrase::BETWEEN, &[&line, &from, &until]),
        }
    }

    /// Returns what a status is called.
    pub fn status(&self, status: Status) -> &'static str {
        let at = match status {
            Status::Active => 0,
            Status::NeedsReview => 1,
            Status::Superseded => 2,
            Status::Archived => 3,
        };
        let phrase = phrase::STATUS.get(at).unwrap_or(&["", ""]);
        self.language.of_phrase(phrase)
    }
}

/// Returns a text as one line of bounded length; a secret in it is not shown.
pub fn one_line(text: &str) -> String {
    if crate::text::secret::contains(text) {
        return "…".to_owned();
    }
    let cut = crate::text::cut(text, LINE_MAX_CHARS);
    let mut out: String = cut
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if cut.len() < text.len() {
        out.push('…');
    }
    out
}

/// Returns a record as data: its own JSON.
pub fn record(memory: &Memory) -> Value {
    let mut bytes = Vec::new();
    memory.write(&mut bytes);
    serde_json::from_slice(&bytes).unwrap_or(Value::Null)
}

/// Returns a share as a person reads it: `0.42`, or a dash where there is nothing to share.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        "–".to_owned()
    } else {
        two_digits(part as f64 / whole as f64)
    }
}

/// Returns a number with two digits after its point.
pub fn two_digits(number: f64) -> String {
    format!("{number:.2}")
}

/// Returns a share as data: a number of two digits, or null.
pub fn share_value(part: u64, whole: u64) -> Value {
    if whole == 0 {
        return Value::Null;
    }
    let share = (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0;
    Value::from(share)
}

/// Returns a number of bytes as a person reads it.
pub fn size(bytes: u64) -> String {
    if bytes < 1_024 {
        format!("{bytes} B")
    } else if bytes < 10 * 1_024 * 1_024 {
        format!("{} KB", bytes / 1_024)
    } else {
        format!("{} MB", bytes / (1_024 * 1_024))
    }
}

/// Returns the type a word names.
pub fn type_named(word: &str) -> Option<Type> {
    Type::named(word).or_else(|| {
        let names = ["约束", "踩坑", "决定"];
        let at = names.iter().position(|name| *name == word)?;
        Type::ALL.get(at).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_what_is_typed_then_said_then_set() {
        let check = |typed, said, locale, expected| {
            assert_eq!(
                Language::of(typed, said, locale),
                expected,
                "{typed} {said} {locale}"
            );
        };
        check("端口", "hello", "en_US", Language::Chinese);
        check("m-0123", "以后都用 pnpm", "en_US", Language::Chinese);
        check(
            "m-0123",
            "always use pnpm",
            "zh_CN.UTF-8",
            Language::English,
        );
        check("", "", "zh_CN.UTF-8", Language::Chinese);
        check("", "", "C", Language::English);
    }

    #[test]
    fn values_stand_where_a_phrase_wants_them() {
        assert_eq!(fill("{1} of {0}", &["a", "b"]), "b of a");
        assert_eq!(fill("{a} {9} {", &[]), "{a}  {");
    }

    #[test]
    fn a_time_is_the_persons_own() {
        let offset = |_: Millis| 480;
        let times = Times {
            offset_minutes: &offset,
        };
        assert_eq!(times.minute(Millis(1_796_056_200_000)), "2026-12-01 00:30");
    }
}
