//! Reads a sentence as clauses of units: what it is about, the values it names, and what it refuses.

use super::amount::{amount, chinese_number, dimension, language, measure_at, number};
use super::words::{self, Role};
use crate::screen::is_technology;
use crate::text::sorted::Set;
use crate::text::token::{TokenKey, tokens};

/// Units of one sentence; what is over is left out. Two sentences are compared in the product of their units.
const UNITS_MAX: usize = 240;
/// Characters of a Chinese word of the tables, at most.
const CHINESE_MAX: usize = 5;

/// What a unit can be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A Han character or a Latin word: what is spoken of.
    Plain,
    /// A number, a version, an amount.
    Number,
    /// A name, a tool, an identifier, a path.
    Name,
    /// A natural language.
    Language,
}

/// One word, value or Han character.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unit {
    /// As compared: lower case, an amount of time in milliseconds.
    pub(super) text: String,
    pub(super) class: Class,
    /// What a number counts; empty where it is not told.
    pub(super) measure: &'static str,
    /// A digest of the text.
    mark: u64,
    /// The word's token, which words of one meaning share; 0 for a value.
    key: TokenKey,
    /// Whether a refusal before it in its clause reaches it.
    pub(super) refused: bool,
    /// Whether it is named as what went: A in "from A to B" and in "B instead of A".
    pub(super) replaced: bool,
    /// Whether a word that rules or chooses stands before it in its clause.
    pub(super) ruled: bool,
    /// Whether a word that says where something lies stands before it in its clause.
    pub(super) placed: bool,
    /// Its clause.
    pub(super) clause: usize,
}

impl Unit {
    /// Returns how much the unit says: a Han character is half a word.
    pub(super) fn weight(&self) -> u32 {
        match self.class {
            Class::Plain if !self.text.is_ascii() => 1,
            _ => 2,
        }
    }

    /// Makes a number one of what `word` measures.
    fn count(&mut self, word: &str, measure: &'static str) {
        self.text = amount(&self.text, word);
        self.mark = mark(&self.text);
        self.measure = measure;
    }

    /// Returns whether the unit is a value.
    pub(super) fn is_value(&self) -> bool {
        self.class != Class::Plain
    }

    /// Returns whether both say the same.
    pub(super) fn same(&self, other: &Unit) -> bool {
        match (self.class, other.class) {
            (Class::Number, Class::Number) => {
                self.mark == other.mark
                    && (self.measure == other.measure
                        || self.measure.is_empty()
                        || other.measure.is_empty())
            }
            (Class::Plain, Class::Plain) => {
                self.mark == other.mark
                    || (self.key != 0 && self.key == other.key)
                    || nearly(&self.text, &other.text)
            }
            _ => self.mark == other.mark && self.replaced == other.replaced,
        }
    }
}

/// A digest of a word, FNV-1a: two words of one sentence are told apart by it.
fn mark(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns whether two longer words differ by one letter, as a slip of the pen does.
fn nearly(a: &str, b: &str) -> bool {
    let longer = a.len().max(b.len());
    if longer < 6 || a.len().abs_diff(b.len()) > 1 || !a.is_ascii() || !b.is_ascii() {
        return false;
    }
    let before = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let after = a
        .bytes()
        .rev()
        .zip(b.bytes().rev())
        .take_while(|(x, y)| x == y)
        .count();
    before + after + 1 >= longer
}

/// One clause.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Clause {
    /// Refusals in it; an odd number refuses.
    pub(super) n_refusals: u32,
    /// Whether it rules or chooses.
    pub(super) rules: bool,
    /// Whether it says where something lies.
    pub(super) places: bool,
    /// Whether it leaves room: unless, except, 除非.
    pub(super) excepts: bool,
}

impl Clause {
    /// Returns whether the clause refuses.
    pub(super) fn refuses(&self) -> bool {
        self.n_refusals % 2 == 1
    }
}

/// A word of [`words::SIBLINGS`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sibling {
    /// Its set.
    pub(super) set: usize,
    pub(super) word: String,
    /// Whether it says where or of what the sentence speaks: at the beginning of a clause, or behind "in" and "on".
    pub(super) leads: bool,
}

/// One sentence, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub(super) units: Vec<Unit>,
    pub(super) clauses: Vec<Clause>,
    /// Parts of time it names.
    pub(super) periods: Set<String>,
    /// Members of sets whose members stand side by side.
    pub(super) siblings: Vec<Sibling>,
    pub(super) is_chinese: bool,
    /// Whether it says that something else held before.
    pub(super) changes: bool,
    pub(super) names_language: bool,
    pub(super) refuses: bool,
    pub(super) places: bool,
    /// Digests of what it says, ascending.
    keys: Vec<u64>,
}

impl Reading {
    /// Reads a sentence.
    pub fn of(text: &str) -> Self {
        let mut reader = Reader {
            reading: Reading {
                is_chinese: text.chars().any(is_han),
                ..Reading::default()
            },
            refusing: false,
            replacing: false,
            ruling: false,
            choosing: false,
            placing: false,
            begins: true,
            quoted: false,
            joined: false,
            refused_at: None,
        };
        reader.reading.clauses.push(Clause::default());
        reader.read(text);
        reader.end_clause();
        reader.reading.sum_up();
        reader.reading
    }

    fn sum_up(&mut self) {
        self.names_language = self.units.iter().any(|unit| unit.class == Class::Language);
        self.refuses = self.clauses.iter().any(Clause::refuses);
        self.places = self.clauses.iter().any(|clause| clause.places);
        self.keys.reserve(self.units.len() * 2);
        for unit in &self.units {
            self.keys.push(unit.mark);
            if unit.key != 0 {
                self.keys.push(unit.key);
            }
        }
        crate::text::order::sort(&mut self.keys);
        self.keys.dedup();
    }

    /// Returns how much both say, roughly: equal words, characters and values.
    pub fn touches(&self, other: &Reading) -> usize {
        let (mut mine, mut theirs) = (self.keys.iter().peekable(), other.keys.iter().peekable());
        let mut n = 0;
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => {
                    mine.next();
                }
                std::cmp::Ordering::Greater => {
                    theirs.next();
                }
                std::cmp::Ordering::Equal => {
                    n += 1;
                    mine.next();
                    theirs.next();
                }
            }
        }
        n
    }

    /// Returns the units of a clause.
    pub(super) fn of_clause(&self, clause: usize) -> impl Iterator<Item = &Unit> {
        self.units.iter().filter(move |unit| unit.clause == clause)
    }
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

struct Reader {
    reading: Reading,
    refusing: bool,
    replacing: bool,
    ruling: bool,
    /// Whether the last word chose: what follows at once is what was chosen.
    choosing: bool,
    placing: bool,
    /// Whether no word of the clause was read yet: a capital says nothing there.
    begins: bool,
    quoted: bool,
    /// Whether the run being read follows a Han character at once.
    joined: bool,
    /// Units before the clause's last refusal.
    refused_at: Option<usize>,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let length = if is_han(c) {
                rest.find(|c| !is_han(c)).unwrap_or(rest.len())
            } else if is_wordly(c) {
                rest.find(|c| !is_wordly(c)).unwrap_or(rest.len())
            } else {
                c.len_utf8()
            };
            let (head, tail) = rest.split_at(length);
            rest = tail;
            if is_han(c) {
                self.han(head);
                self.joined = true;
                continue;
            }
            if is_wordly(c) {
                self.word(head, tail);
            } else {
                self.sign(c);
            }
            self.joined = false;
        }
    }

    fn sign(&mut self, c: char) {
        match c {
            '`' => self.quoted = !self.quoted,
            '，' | '。' | '；' | '！' | '？' | ',' | ';' | '!' | '?' | '\n' | '（' | '）' | '('
            | ')' | '—'
                // A list inside quotes is one value's.
                if !self.quoted =>
            {
                self.end_clause();
            }
            _ => {}
        }
    }

    fn end_clause(&mut self) {
        let clause = self.reading.clauses.len().saturating_sub(1);
        // "那套不用了": a refusal with nothing behind it is about what stands before it.
        if self.refused_at == Some(self.reading.units.len()) {
            for unit in &mut self.reading.units {
                unit.refused |= unit.clause == clause;
            }
        }
        let is_empty = !self.reading.units.iter().any(|unit| unit.clause == clause);
        if is_empty {
            if let Some(last) = self.reading.clauses.last_mut() {
                *last = Clause::default();
            }
        } else {
            self.reading.clauses.push(Clause::default());
        }
        (self.refusing, self.ruling, self.begins) = (false, false, true);
        (self.placing, self.replacing, self.choosing) = (false, false, false);
        self.refused_at = None;
    }

    /// Reads a run of Han characters, the longest word of the tables first.
    fn han(&mut self, run: &str) {
        let mut rest = run;
        while let Some(c) = rest.chars().next() {
            if let Some(length) = self.measure(rest) {
                rest = rest.get(length..).unwrap_or("");
                continue;
            }
            let found = (1..=CHINESE_MAX).rev().find_map(|n_chars| {
                let end = rest
                    .char_indices()
                    .nth(n_chars)
                    .map_or(rest.len(), |(at, _)| at);
                let word = rest.get(..end)?;
                (word.chars().count() == n_chars)
                    .then(|| words::chinese(word).map(|role| (word, role)))
                    .flatten()
            });
            let (length, role) = match found {
                Some((word, role)) => (word.len(), Some((word, role))),
                None => match chinese_number(rest) {
                    Some((number, length)) => {
                        self.push(&number, Class::Number, "", 0);
                        rest = rest.get(length..).unwrap_or("");
                        continue;
                    }
                    None => (c.len_utf8(), None),
                },
            };
            match role {
                Some((word, role)) => self.role(word, role),
                None => self.push(c.encode_utf8(&mut [0; 4]), Class::Plain, "", 0),
            }
            rest = rest.get(length..).unwrap_or("");
            self.begins = false;
        }
    }

    /// Joins a measure to the number before it, and returns its length.
    fn measure(&mut self, rest: &str) -> Option<usize> {
        let last = self.reading.units.last_mut()?;
        if last.class != Class::Number || !last.measure.is_empty() {
            return None;
        }
        let (measure, word) = measure_at(rest)?;
        last.count(word, measure);
        Some(word.len())
    }

    fn role(&mut self, word: &str, role: Role) {
        if let Some(clause) = self.reading.clauses.last_mut() {
            match role {
                Role::Not => {
                    clause.n_refusals += 1;
                    clause.rules = true;
                }
                Role::Must | Role::Choose | Role::Change => clause.rules = true,
                Role::Place => clause.places = true,
                _ => {}
            }
            // Of "put it in x" the preposition is what stands before the place.
            if role == Role::At || (role == Role::Place && !word.is_ascii()) {
                self.placing = true;
            }
        }
        self.reading.changes |= role == Role::Change;
        match role {
            Role::Not => {
                self.refusing = true;
                self.ruling = true;
                self.refused_at = Some(self.reading.units.len());
            }
            Role::Instead => self.replacing = true,
            Role::Must | Role::Choose | Role::Change => {
                self.ruling = true;
                self.choosing = words::has(words::CHOOSING, word);
                // 从 A 换成 B: what went ends here.
                self.replacing = false;
            }
            Role::Language => self.push(language(word), Class::Language, "", 0),
            Role::Period => {
                self.reading.periods.insert(word.to_owned());
            }
            Role::Sibling if self.choosing && words::has(words::LANGUAGES, word) => {
                self.push(word, Class::Name, "", 0);
            }
            Role::Sibling => {
                if let Some(set) = words::siblings(word)
                    && self.reading.siblings.len() < UNITS_MAX
                {
                    let clause = self.reading.clauses.len().saturating_sub(1);
                    let last = self.reading.units.last();
                    self.reading.siblings.push(Sibling {
                        set,
                        word: word.to_owned(),
                        leads: self.placing || last.is_none_or(|unit| unit.clause != clause),
                    });
                }
                self.plain(word);
            }
            Role::Plain => self.plain(word),
            Role::Grammar | Role::Place | Role::At => {}
        }
    }

    /// Adds what is spoken of: a Chinese word by its characters.
    fn plain(&mut self, word: &str) {
        if word.is_ascii() {
            let mut keys = Vec::new();
            tokens(word, &mut keys);
            let key = keys.first().copied().unwrap_or(0);
            self.push(word, Class::Plain, "", key);
        } else {
            for c in word.chars() {
                self.push(c.encode_utf8(&mut [0; 4]), Class::Plain, "", 0);
            }
        }
    }

    /// Reads a Latin run.
    fn word(&mut self, run: &str, after: &str) {
        let word = run.trim_matches(|c: char| {
            matches!(
                c,
                '.' | ':'
                    | '-'
                    | '\''
                    | '='
                    | '#'
                    | '*'
                    | '+'
                    | '>'
                    | '<'
                    | '$'
                    | '^'
                    | '&'
                    | '|'
                    | '!'
                    | '@'
                    | '%'
            ) && !(c == '.' && run.starts_with('.') && run.len() > 2)
        });
        let word = word.trim_end_matches(['.', ':']);
        // "密钥/Token": a stroke between two words, not the root folder.
        let word = match word.strip_prefix('/') {
            Some(rest) if !self.quoted && !rest.contains('/') && self.joined => rest,
            _ => word,
        };
        let lower = word.to_lowercase();
        let begins = std::mem::take(&mut self.begins);
        if !lower.is_empty() {
            self.latin(word, &lower, begins);
        }
        // A full stop with a space behind it; one inside `a.b` or before the end of an identifier is none.
        if run.ends_with('.') && !self.quoted && after.starts_with([' ', '\n']) {
            self.end_clause();
        }
    }

    fn latin(&mut self, word: &str, lower: &str, begins: bool) {
        if lower == "to" {
            self.replacing = false;
        }
        if matches!(lower, "unless" | "except" | "if") {
            if let Some(clause) = self.reading.clauses.last_mut() {
                clause.excepts = true;
            }
            return;
        }
        if let Some((text, measure)) = number(lower) {
            return self.push(&text, Class::Number, measure, 0);
        }
        if self.measure_word(lower) {
            return;
        }
        if words::has(words::NUMBERS, lower) {
            let value = words::NUMBERS
                .split(' ')
                .position(|known| known == lower)
                .map_or(0, |at| at + 2);
            return self.push(&value.to_string(), Class::Number, "", 0);
        }
        let role = words::english(lower);
        if let Some(role) = role
            && !self.quoted
            && !(self.reading.is_chinese && matches!(role, Role::Grammar | Role::At | Role::Period))
        {
            return self.role(lower, role);
        }
        if self.quoted
            || self.reading.is_chinese
            || is_code(word)
            || is_technology(lower)
            || (!begins && is_name(word))
        {
            self.push(lower, Class::Name, "", 0);
        } else {
            self.plain(lower);
        }
    }

    /// Joins an English measure to the number before it.
    fn measure_word(&mut self, lower: &str) -> bool {
        match self.reading.units.last_mut() {
            Some(last)
                if last.class == Class::Number
                    && last.measure.is_empty()
                    && words::is_measure(lower) =>
            {
                last.count(lower, dimension(lower));
                true
            }
            _ => false,
        }
    }

    fn push(&mut self, text: &str, class: Class, measure: &'static str, key: TokenKey) {
        (self.begins, self.choosing) = (false, false);
        if self.reading.units.len() >= UNITS_MAX {
            return;
        }
        let clause = self.reading.clauses.len().saturating_sub(1);
        self.reading.units.push(Unit {
            text: text.to_owned(),
            class,
            measure,
            mark: mark(text),
            key,
            refused: self.refusing,
            replaced: self.replacing,
            ruled: self.ruling,
            placed: self.placing,
            clause,
        });
    }
}

/// Characters of a Latin word, an identifier, a path or an address.
fn is_wordly(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(
            c,
            '-' | '_'
                | '.'
                | '/'
                | '\\'
                | ':'
                | '@'
                | '#'
                | '+'
                | '~'
                | '$'
                | '='
                | '*'
                | '\''
                | '%'
                | '<'
                | '>'
                | '^'
                | '&'
                | '|'
        )
        || (!c.is_ascii() && c.is_alphabetic() && !is_han(c))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase())
}

/// Returns whether a word is an identifier, a path or an address by its shape.
fn is_code(word: &str) -> bool {
    let inner = word.trim_matches(['.', '-', '\'']);
    let has_digit = inner.contains(|c: char| c.is_ascii_digit());
    let camel = inner
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let shouts = inner.len() > 1 && inner.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    has_digit
        || camel
        || shouts
        || word.starts_with(['.', '~', '/'])
        || inner.contains(['/', '\\', '_', '@', ':', '=', '#'])
        || inner.contains('.') && !inner.ends_with('.')
}
