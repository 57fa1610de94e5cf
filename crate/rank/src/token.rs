//! Tokens for ranking: Han single characters and pairs, whole Latin words and identifiers with their parts.
//!
//! No dictionary and no host segmenter: one result on every machine. Words that carry polarity or grammar
//! (不要, 必须, 的, must, the) divide the text and are no tokens themselves; they speak to the screen, not to the subject.

mod function;
mod hash;
mod stem;
mod synonym;

use function::{function_word_chars, is_function_word};
use hash::hash;
use stem::stem;

/// Names what [`tokens`] does. A change of any token of any text changes it, and with it the `start` row.
pub const TOKENISER_VERSION: &str = "han-pairs-words-parts/1";

/// A token's key: a hash of its text, or of its meaning's (`synonym.rs`). The lowest bit is 1 for a weak token (a single Han character), else 0.
///
/// 63 bits: among a million distinct tokens the odds of any collision are about 5 in 10⁸.
pub type TokenKey = u64;

/// Latin runs longer than this are data (base64, minified code), not words; they become one token of their beginning.
const WORD_BYTES_MAX: usize = 64;

/// An identifier gives at most this many parts.
const PARTS_MAX: usize = 8;

/// Tokens of one text past this count are left out: 400 characters of Han give at most 799.
pub const TOKENS_MAX: usize = 4096;

/// Appends the token keys of `text` to `out`, in text order, repeats included, at most [`TOKENS_MAX`].
pub fn tokens(text: &str, out: &mut Vec<TokenKey>) {
    let end = out.len().saturating_add(TOKENS_MAX);
    walk(text, &mut |token, kind| {
        if out.len() < end {
            out.push(key(token, kind));
        }
    });
}

/// Appends the token keys of a query to `out`, like [`tokens`], without the single Han characters of longer runs.
///
/// A text is found by any of its characters when that is all the query has; in a longer query single characters match
/// by chance.
///
/// # Source
/// Shared corpus, 187 Chinese queries, 2026-11-30: Recall@5 0.643 without, 0.573 with.
pub fn query_tokens(query: &str, out: &mut Vec<TokenKey>) {
    let end = out.len().saturating_add(TOKENS_MAX);
    walk(query, &mut |token, kind| {
        if out.len() < end && kind != Kind::Inner {
            out.push(key(token, kind));
        }
    });
}

/// Returns what [`query_tokens`] does, each key with its word: for explanations.
pub fn query_words(query: &str) -> Vec<(TokenKey, String)> {
    let mut out = Vec::new();
    walk(query, &mut |token, kind| {
        if out.len() < TOKENS_MAX && kind != Kind::Inner {
            out.push((key(token, kind), token.to_owned()));
        }
    });
    out
}

/// Returns the tokens of `text` as words, in the order of [`tokens`]: for explanations and shared words on a card.
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    walk(text, &mut |token, _| {
        if out.len() < TOKENS_MAX {
            out.push(token.to_owned());
        }
    });
    out
}

fn key(token: &str, kind: Kind) -> TokenKey {
    let key = hash(token.as_bytes()) & !1;
    match kind {
        Kind::Strong => synonym::meaning(key),
        Kind::Inner | Kind::Lone => key | 1,
    }
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word, an identifier or its part, or a pair of Han characters.
    Strong,
    /// A single Han character of a longer run.
    Inner,
    /// A single Han character by itself.
    Lone,
}

/// Returns whether `key` is a single Han character's, which matches by chance more often than a pair or a word.
pub fn is_weak(key: TokenKey) -> bool {
    key & 1 == 1
}

/// Returns the share of `restated`'s tokens that also stand in `original`, 0..=1; 0 when `restated` has none.
///
/// Distinct tokens count once. Polarity words are no tokens, so a flipped sentence shares everything: what compares
/// meaning must look at polarity itself.
pub fn share(restated: &str, original: &str) -> f64 {
    let sorted = |text: &str| {
        let mut keys = Vec::new();
        tokens(text, &mut keys);
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let (mine, theirs) = (sorted(restated), sorted(original));
    if mine.is_empty() {
        return 0.0;
    }
    let shared = mine
        .iter()
        .filter(|key| theirs.binary_search(key).is_ok())
        .count();
    shared as f64 / mine.len() as f64
}

/// What a character is to the tokeniser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Written without spaces: Han, kana, hangul.
    Dense,
    /// Letters and digits of a spaced script.
    Word,
    /// Joins two word characters into one identifier: `sync-ledger`, `PR#77`, `a.b`.
    Joint,
    /// Dropped without dividing: combining marks, joiners.
    Silent,
    Gap,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '-' | '_' | '.' | '/' | '\\' | '#' | '@' | ':' | '+' | '\'' | '’' => Class::Joint,
        '\0'..='\u{7f}' => Class::Gap,
        '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{20000}'..='\u{323af}'
        | '々' => Class::Dense,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{fe0e}' | '\u{fe0f}' => {
            Class::Silent
        }
        _ if c.is_alphanumeric() => Class::Word,
        _ => Class::Gap,
    }
}

/// Maps full-width letters, digits and signs to their ASCII twins.
fn half_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// The run being read.
struct Walker {
    /// Characters of the open Latin run, joints included, case kept.
    run: String,
    /// The last character of the open dense run.
    before: Option<char>,
    /// Whether the open dense run has one character so far, not yet emitted.
    lone: bool,
    scratch: String,
}

/// Calls `emit` with each token's text and what it is.
fn walk(text: &str, emit: &mut impl FnMut(&str, Kind)) {
    let mut walker = Walker::new();
    let mut skip = 0usize;
    let mut keep = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if walker.run.is_empty()
            && let Some(word) = plain_word(rest)
        {
            // Most of Latin text: words without capitals or joints need no second look.
            walker.close_dense(emit);
            (skip, keep) = (0, 0);
            walker.part(word, emit);
            rest = rest.get(word.len()..).unwrap_or("");
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or("");
        let c = half_width(c);
        match class(c) {
            Class::Dense => {
                walker.close_run(emit);
                if skip == 0 && keep == 0 {
                    (skip, keep) = function_word_chars(c, rest.chars().next());
                }
                if skip > 0 {
                    skip -= 1;
                    walker.close_dense(emit);
                    continue;
                }
                keep = keep.saturating_sub(1);
                walker.dense(c, emit);
                continue;
            }
            Class::Silent => continue,
            Class::Word => {
                if walker.run.len() < WORD_BYTES_MAX {
                    walker.run.push(c);
                }
            }
            Class::Joint => {
                if walker.run.ends_with(is_joint) {
                    walker.close_run(emit);
                } else if !walker.run.is_empty() && walker.run.len() < WORD_BYTES_MAX {
                    walker.run.push(c);
                }
            }
            Class::Gap => walker.close_run(emit),
        }
        walker.close_dense(emit);
        (skip, keep) = (0, 0);
    }
    walker.close_run(emit);
    walker.close_dense(emit);
}

/// Returns the word at the beginning of `text` when nothing can continue it and it has no inner borders.
fn plain_word(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    bytes.first().filter(|b| b.is_ascii_alphanumeric())?;
    let tail = bytes.get(1..)?;
    let length = 1 + tail
        .iter()
        .take(WORD_BYTES_MAX)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        .count();
    let ends = match bytes.get(length) {
        None => true,
        Some(b' ' | b',' | b';' | b'(' | b')' | b'`' | b'"' | b'\n' | b'*' | b'!' | b'?') => true,
        // Han text and its punctuation: three bytes from U+3000 on, full-width letters left out.
        Some(0xe3..=0xe9) => true,
        Some(_) => false,
    };
    (ends && length <= WORD_BYTES_MAX)
        .then(|| text.get(..length))
        .flatten()
}

fn is_joint(c: char) -> bool {
    class(c) == Class::Joint
}

impl Walker {
    fn new() -> Self {
        Self {
            run: String::with_capacity(WORD_BYTES_MAX + 4),
            before: None,
            lone: false,
            scratch: String::with_capacity(WORD_BYTES_MAX + 4),
        }
    }

    /// Emits the character, and its pair with the one before it.
    fn dense(&mut self, c: char, emit: &mut impl FnMut(&str, Kind)) {
        let mut buffer = [0u8; 4];
        match self.before {
            None => self.lone = true,
            Some(before) => {
                if std::mem::take(&mut self.lone) {
                    emit(before.encode_utf8(&mut buffer), Kind::Inner);
                }
                emit(c.encode_utf8(&mut buffer), Kind::Inner);
                self.scratch.clear();
                self.scratch.push(before);
                self.scratch.push(c);
                emit(&self.scratch, Kind::Strong);
            }
        }
        self.before = Some(c);
    }

    /// Ends the open dense run.
    fn close_dense(&mut self, emit: &mut impl FnMut(&str, Kind)) {
        let before = self.before.take();
        if std::mem::take(&mut self.lone)
            && let Some(c) = before
        {
            emit(c.encode_utf8(&mut [0u8; 4]), Kind::Lone);
        }
    }

    /// Emits the open Latin run: the whole when it is one word or a short identifier, then its parts.
    fn close_run(&mut self, emit: &mut impl FnMut(&str, Kind)) {
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        let whole = run.trim_end_matches(is_joint);
        let mut parts = 0usize;
        if whole.contains(is_joint) && !whole.contains(['\'', '’']) {
            self.lower(whole);
            emit(&self.scratch, Kind::Strong);
        }
        for word in whole.split(is_joint) {
            if word.is_empty() || parts >= PARTS_MAX {
                continue;
            }
            parts += 1;
            let mut humps = Humps(word);
            let first = humps.next().unwrap_or("");
            if first.len() < word.len() {
                self.lower(word);
                emit(&self.scratch, Kind::Strong);
                self.part(first, emit);
                for hump in humps.take(PARTS_MAX) {
                    self.part(hump, emit);
                }
            } else {
                self.part(word, emit);
            }
        }
        self.run = run;
        self.run.clear();
    }

    /// Emits one word without inner borders: lower case, stemmed, unless it is a function word.
    fn part(&mut self, word: &str, emit: &mut impl FnMut(&str, Kind)) {
        self.lower(word);
        if is_function_word(&self.scratch) {
            return;
        }
        stem(&mut self.scratch);
        emit(&self.scratch, Kind::Strong);
    }

    fn lower(&mut self, word: &str) {
        self.scratch.clear();
        if word.is_ascii() {
            self.scratch.push_str(word);
            self.scratch.make_ascii_lowercase();
        } else {
            self.scratch
                .extend(word.chars().flat_map(char::to_lowercase));
        }
    }
}

/// Cuts `parseHTTPBody2` into `parse`, `HTTP`, `Body2`.
struct Humps<'a>(&'a str);

impl<'a> Iterator for Humps<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0;
        let mut chars = text.char_indices().peekable();
        let (_, mut before) = chars.next()?;
        while let Some((at, c)) = chars.next() {
            let opens = c.is_uppercase()
                && (before.is_lowercase()
                    || before.is_uppercase()
                        && chars.peek().is_some_and(|&(_, after)| after.is_lowercase()));
            if opens {
                let (head, tail) = text.split_at(at);
                self.0 = tail;
                return Some(head);
            }
            before = c;
        }
        self.0 = "";
        Some(text)
    }
}

#[cfg(test)]
mod tests;
