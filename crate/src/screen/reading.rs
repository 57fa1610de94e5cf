//! A sentence read once: the facts that vetoes and shapes ask about.

use super::around::{self, Intro, Near};
use crate::extract::Candidate;
use crate::extract::others::Others;
use crate::text::form::{self, Marks};
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
    /// Whether every word of a rule stands between quotation marks.
    pub rules_in_quotes: bool,
}

impl<'a> Reading<'a> {
    /// Reads `candidate`.
    pub fn of(candidate: &'a Candidate, lexicon: &Lexicon, windows: &[usize]) -> Self {
        let text: std::borrow::Cow<'a, str> = if candidate.text.contains('’') {
            candidate.text.replace('’', "'").into()
        } else {
            candidate.text.as_str().into()
        };
        let lower = form::lower(&text);
        let (before, after) = (candidate.context.before(), candidate.context.after());
        let form = form::form(&text);
        Self {
            quote: &candidate.quote,
            before,
            after,
            chars: form.chars,
            han: form.han,
            letters: form.letters,
            digits: form.digits,
            symbols: form.symbols,
            words: form.words,
            last: form.last,
            first: form.first,
            found: lexicon.hits(&lower, windows),
            near: around::near(before, after),
            intro: around::intro(before),
            pasted: candidate.context.is_pasted(),
            others: candidate.context.others(),
            marks: form.marks,
            colon: form::colon(&text),
            rules_in_quotes: false,
            text,
            lower,
        }
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
