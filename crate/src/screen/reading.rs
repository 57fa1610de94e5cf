//! A sentence read once: the facts that vetoes and shapes ask about.

use super::shape::{Intro, intro, tech};
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
    /// Known names of technology, at most 3.
    pub tech: usize,
    pub intro: Intro,
    /// Whether the message holds a pasted diff, log or status.
    pub pasted: bool,
}

impl<'a> Reading<'a> {
    /// Reads `candidate`.
    pub fn of(candidate: &'a Candidate) -> Self {
        let text: std::borrow::Cow<'a, str> = if candidate.text.contains('’') {
            candidate.text.replace('’', "'").into()
        } else {
            candidate.text.as_str().into()
        };
        let mut reading = Self {
            quote: &candidate.quote,
            before: candidate.context.before(),
            after: candidate.context.after(),
            chars: 0,
            han: 0,
            letters: 0,
            digits: 0,
            symbols: 0,
            words: 0,
            last: ' ',
            first: ' ',
            tech: 0,
            pasted: candidate.context.is_pasted(),
            intro: intro(candidate.context.before()),
            text,
        };
        reading.count();
        reading.tech = tech(&reading.text);
        reading
    }

    fn count(&mut self) {
        let mut in_word = false;
        let trimmed = self.text.trim();
        for c in trimmed.chars() {
            self.chars += 1;
            match c {
                'a'..='z' | 'A'..='Z' => self.letters += 1,
                '0'..='9' => self.digits += 1,
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => self.han += 1,
                '{' | '}' | '<' | '>' | '=' | ';' | '_' | '[' | ']' | '|' | '\\' | '$' | '('
                | ')' | '"' | '&' | '+' | '@' => self.symbols += 1,
                _ => {}
            }
            let wordy = c.is_ascii_alphanumeric() || c == '\'';
            self.words += usize::from(wordy && !in_word);
            in_word = wordy;
        }
        self.first = trimmed.chars().next().unwrap_or(' ');
        self.last = trimmed.chars().next_back().unwrap_or(' ');
    }

    /// Returns whether the sentence is mostly Chinese.
    pub fn is_han(&self) -> bool {
        self.han * 4 > self.letters
    }

    /// Returns words, a Han character counting half a word.
    pub fn length(&self) -> usize {
        self.words + self.han / 2
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
