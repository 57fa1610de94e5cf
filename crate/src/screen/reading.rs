//! A sentence read once: the facts that vetoes and shapes ask about.

use super::around::{self, Intro, Near};
use crate::extract::Candidate;
use crate::extract::others::Others;
use crate::text::lexicon::{Found, Lexicon};

/// What one pass over a cleaned sentence and a look at its surroundings tell.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    /// The cleaned sentence, curly apostrophes made straight.
    pub text: std::borrow::Cow<'a, str>,
    /// The same in lower-case ASCII: as long, byte for byte.
    pub lower: String,
    /// The untouched cut.
    pub quote: &'a str,
    pub before: &'a str,
    pub after: &'a str,
    pub chars: usize,
    pub han: usize,
    pub letters: usize,
    pub digits: usize,
    /// Characters of code: braces, angle brackets, `=`, `;`, `_` …
    pub symbols: usize,
    pub words: usize,
    pub last: char,
    pub first: char,
    /// Rows of the lexicon that stand in it, and the names of technology.
    pub found: Found,
    /// What the lines around it look like.
    pub near: Near,
    pub intro: Intro,
    /// Whether the message holds a pasted diff, log or status.
    pub pasted: bool,
    /// Whether it stands in somebody else's words, or in words for somewhere else.
    pub others: Option<Others>,
    pub marks: Marks,
    /// The first colon with something before it and behind it, that is not of a clock or an address.
    pub colon: Option<usize>,
    /// Whether `says`, `saying` or `reads` stand in it.
    pub says_so: bool,
    /// Whether every word of a rule stands between quotation marks.
    pub rules_in_quotes: bool,
}

/// Characters that rarer questions depend on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Marks {
    /// A slash, or a full stop inside a word.
    pub path: bool,
    pub at: bool,
    pub tick: bool,
    pub brackets: bool,
    /// Two capitals in a row.
    pub capitals: bool,
    /// Brackets opened less brackets closed.
    pub balance: i32,
}

impl<'a> Reading<'a> {
    /// Reads `candidate`.
    pub fn of(candidate: &'a Candidate, lexicon: &Lexicon, windows: &[usize]) -> Self {
        let text: std::borrow::Cow<'a, str> = if candidate.text.contains('’') {
            candidate.text.replace('’', "'").into()
        } else {
            candidate.text.as_str().into()
        };
        let lower = text.to_ascii_lowercase();
        let (before, after) = (candidate.context.before(), candidate.context.after());
        let mut reading = Self {
            quote: &candidate.quote,
            before,
            after,
            chars: 0,
            han: 0,
            letters: 0,
            digits: 0,
            symbols: 0,
            words: 0,
            last: ' ',
            first: ' ',
            found: lexicon.hits(&lower, windows),
            near: around::near(before, after),
            intro: around::intro(before),
            pasted: candidate.context.is_pasted(),
            others: candidate.context.others(),
            marks: Marks::default(),
            colon: colon(&text),
            says_so: [" says", " saying", " read", " the text"]
                .iter()
                .any(|word| lower.contains(word)),
            rules_in_quotes: false,
            text,
            lower,
        };
        reading.count();
        reading
    }

    fn count(&mut self) {
        let (mut in_word, mut capital, mut previous) = (false, false, ' ');
        let mut marks = Marks::default();
        for c in self.text.trim().chars() {
            if self.chars == 0 {
                self.first = c;
            }
            self.chars += 1;
            match c {
                'a'..='z' => {
                    self.letters += 1;
                    marks.path |= previous == '.';
                }
                'A'..='Z' => {
                    self.letters += 1;
                    marks.capitals |= capital;
                }
                '0'..='9' => self.digits += 1,
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => self.han += 1,
                '(' | ')' => {
                    self.symbols += 1;
                    marks.balance += if c == '(' { 1 } else { -1 };
                    marks.brackets |= c == ')' && previous == '(';
                }
                '（' => marks.balance += 1,
                '）' => marks.balance -= 1,
                '{' | '}' | '<' | '>' | '=' | ';' | '_' | '[' | ']' | '|' | '\\' | '$' | '"'
                | '&' | '+' => self.symbols += 1,
                '@' => {
                    self.symbols += 1;
                    marks.at = true;
                }
                '/' => marks.path = true,
                '`' => marks.tick = true,
                _ => {}
            }
            capital = c.is_ascii_uppercase();
            let wordy = c.is_ascii_alphanumeric() || c == '\'';
            self.words += usize::from(wordy && !in_word);
            in_word = wordy;
            previous = c;
        }
        self.last = previous;
        self.marks = marks;
    }

    /// Returns how many names of technology stand in the sentence.
    pub fn tech(&self) -> usize {
        self.found.n_counted
    }

    /// Returns whether the sentence is mostly Chinese.
    pub fn is_han(&self) -> bool {
        self.han * 4 > self.letters
    }

    /// Returns words, a Han character counting half a word.
    pub fn length(&self) -> usize {
        self.words + self.han / 2
    }

    /// Returns whether the message says nothing else.
    pub fn is_alone(&self) -> bool {
        self.before.trim().is_empty() && self.after.trim().is_empty()
    }

    /// Returns whether the cut was an item of a list.
    pub fn is_item(&self) -> bool {
        let quote = self.quote;
        quote.starts_with(['-', '*', '+', '•', '·'])
            || quote
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count()
                .wrapping_sub(1)
                < 3
                && quote
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .starts_with(['.', ')', '、', '）'])
    }
}

/// Returns the first colon of prose: a wide one, or one with a space behind it or a letter that is not Latin.
fn colon(text: &str) -> Option<usize> {
    text.match_indices([':', '：'])
        .map(|(at, _)| at)
        .find(|&at| {
            let tail = text.get(at..).unwrap_or_default();
            let is_prose = match tail.strip_prefix(':') {
                None => true,
                Some(tail) => {
                    tail.starts_with(|c: char| !c.is_ascii() || matches!(c, ' ' | '"' | '\''))
                }
            };
            at > 0 && is_prose
        })
}
