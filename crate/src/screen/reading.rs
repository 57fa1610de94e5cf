//! A sentence read once: the facts that vetoes and shapes ask about.

use super::around::{self, Intro, Near};
use super::lexicon::{Found, Lexicon};
use crate::extract::Candidate;

/// What one pass over a cleaned sentence and a look at its surroundings tell.
#[derive(Debug, Clone)]
pub struct Reading<'a> {
    /// The cleaned sentence, curly apostrophes made straight.
    pub text: std::borrow::Cow<'a, str>,
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
    pub marks: Marks,
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
            found: lexicon.hits(&text, windows),
            near: around::near(before, after),
            intro: around::intro(before),
            pasted: candidate.context.is_pasted(),
            marks: Marks::default(),
            text,
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
