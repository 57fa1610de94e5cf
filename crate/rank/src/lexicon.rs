//! Finds words of a table in a sentence: one pass, built once.

use crate::needles::Needles;
use crate::sorted::Map;
use std::ops::Range;

/// The groups a sentence may match, as bits. A table has at most 128 rows.
pub type Hits = u128;

/// A compiled table of words.
#[derive(Debug)]
pub struct Lexicon {
    needles: Needles,
    patterns: Vec<Pattern>,
}

/// One word, and the rows it speaks for.
#[derive(Debug, Clone, Copy)]
struct Pattern {
    rows: Hits,
    /// Bound to the start of the sentence in these rows.
    start_rows: Hits,
    latin_start: bool,
    latin_end: bool,
    /// Of the words that are counted and belong to no row.
    counted: bool,
}

/// What a text holds of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    pub rows: Hits,
    /// Those that stand outside quotation marks too.
    pub open_rows: Hits,
    /// Whether quotation marks stand in it.
    pub quotes: bool,
    /// How many counted words.
    pub n_counted: usize,
}

/// What negates a word that stands shortly after it.
const NEGATIONS: &[&str] = &["不", "没", "无需", "非", "not", "n't", "never", "no"];

impl Lexicon {
    /// Builds the table from rows of words separated by `|`; `masks` are words that hide the letters under them; `counted` are
    /// single words of no row.
    ///
    /// The longest word at the leftmost place wins, so a mask hides every shorter word inside it. Words are written in
    /// lower case.
    pub fn new<'a>(
        rows: impl Iterator<Item = &'a str>,
        masks: impl Iterator<Item = &'a str>,
        counted: &[&'a str],
    ) -> Self {
        let mut words: Vec<&str> = Vec::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        let mut places: Map<&str, usize> = Map::new();
        for (index, row) in rows.enumerate() {
            for word in row.split('|').filter(|word| !word.is_empty()) {
                let (bare, at_start) = match word.strip_prefix('^') {
                    Some(bare) => (bare, true),
                    None => (word, false),
                };
                let bit = 1u128 << (index & 127);
                let at = *places.or_insert_with(bare, || {
                    words.push(bare);
                    patterns.push(Pattern::of(bare));
                    words.len() - 1
                });
                if let Some(pattern) = patterns.get_mut(at) {
                    if at_start {
                        pattern.start_rows |= bit;
                    } else {
                        pattern.rows |= bit;
                    }
                }
            }
        }
        for mask in masks.flat_map(|row| row.split('|')) {
            if !places.contains_key(mask) {
                words.push(mask);
                patterns.push(Pattern::of(mask));
            }
        }
        for word in counted {
            let at = *places.or_insert_with(word, || {
                words.push(word);
                patterns.push(Pattern::of(word));
                words.len() - 1
            });
            if let Some(pattern) = patterns.get_mut(at) {
                pattern.counted = true;
            }
        }
        Self {
            needles: Needles::leftmost(words.into_iter()),
            patterns,
        }
    }

    /// Returns the rows that match in `text`, which is in lower case. `windows` gives, by row, the characters before a match in
    /// which a negation undoes it.
    pub fn hits(&self, text: &str, windows: &[usize]) -> Found {
        let mut out = Found::default();
        let quoted = quoted(text);
        out.quotes = !quoted.is_empty();
        let mut from = 0;
        while let Some(found) = self.needles.first(text.as_bytes(), from) {
            let Some(pattern) = self.patterns.get(found.index) else {
                break;
            };
            if !pattern.stands_whole(text, found.start, found.end) {
                from = next_character(text, found.start);
                continue;
            }
            let rows = if starts_here(text, found.start) {
                pattern.rows | pattern.start_rows
            } else {
                pattern.rows
            };
            out.n_counted += usize::from(pattern.counted);
            let rows = without_negated(rows, text, found.start, windows);
            out.rows |= rows;
            if !quoted.iter().any(|span| span.contains(&found.start)) {
                out.open_rows |= rows;
            }
            // A word is never empty; were one, the search must still end.
            from = found.end.max(next_character(text, found.start));
        }
        out
    }
}

impl Pattern {
    fn of(word: &str) -> Self {
        Self {
            rows: 0,
            start_rows: 0,
            latin_start: word.starts_with(|c: char| c.is_ascii_alphanumeric()),
            latin_end: word.ends_with(|c: char| c.is_ascii_alphanumeric()),
            counted: false,
        }
    }

    fn stands_whole(&self, text: &str, start: usize, end: usize) -> bool {
        let bytes = text.as_bytes();
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let joins =
            |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        !(self.latin_start && joins(before) || self.latin_end && joins(bytes.get(end)))
    }
}

/// Quotation marks: the opening one and its twin.
const QUOTES: &[(char, char)] = &[
    ('“', '”'),
    ('「', '」'),
    ('『', '』'),
    ('"', '"'),
    ('`', '`'),
    ('\'', '\''),
];

/// Quotations looked at in one text.
const QUOTED_MAX: usize = 16;

/// Returns the bytes between quotation marks. An apostrophe inside a word is none; a mark without its twin quotes nothing.
pub fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    if !may_quote(text.as_bytes()) {
        return out;
    }
    let mut open: Option<(usize, char)> = None;
    let mut previous = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |&(_, next)| next);
        match open {
            Some((start, close)) if c == close && (c != '\'' || !next.is_alphanumeric()) => {
                out.push(start..at);
                open = None;
                if out.len() == QUOTED_MAX {
                    break;
                }
            }
            Some(_) => {}
            None => {
                let inside_word =
                    c == '\'' && (previous.is_alphanumeric() || !next.is_alphanumeric());
                if let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == c && !inside_word)
                {
                    open = Some((at + c.len_utf8(), *close));
                }
            }
        }
        previous = c;
    }
    out
}

/// Whether one of the quotation marks may stand in the text: ASCII ones, or the bytes of `“`, `「`, `『`.
fn may_quote(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| match bytes.get(at) {
        Some(b'"' | b'`' | b'\'') => true,
        Some(0xe2) => bytes.get(at + 1..at + 3) == Some(&[0x80, 0x9c]),
        Some(0xe3) => matches!(bytes.get(at + 1..at + 3), Some([0x80, 0x8c | 0x8e])),
        _ => false,
    })
}

fn next_character(text: &str, at: usize) -> usize {
    let tail = text.get(at..).unwrap_or_default();
    at + tail.chars().next().map_or(1, char::len_utf8)
}

/// Returns whether nothing but marks stands before `at`.
fn starts_here(text: &str, at: usize) -> bool {
    at <= 12
        && !text
            .get(..at)
            .unwrap_or("x")
            .contains(char::is_alphanumeric)
}

fn without_negated(rows: Hits, text: &str, at: usize, windows: &[usize]) -> Hits {
    if windows.is_empty() {
        return rows;
    }
    let mut left = rows;
    let mut rest = rows;
    while rest != 0 {
        let row = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let window = windows.get(row).copied().unwrap_or(0);
        if window > 0 && negated(text, at, window) {
            left &= !(1u128 << row);
        }
    }
    left
}

fn negated(text: &str, at: usize, window: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let from = before
        .char_indices()
        .rev()
        .take(window)
        .last()
        .map_or(at, |(i, _)| i);
    let near = before.get(from..).unwrap_or_default();
    near.char_indices().any(|(i, c)| {
        matches!(c, '不' | '没' | '无' | '非' | 'n') && {
            let here = near.get(i..).unwrap_or_default();
            let head = near.get(..i).unwrap_or_default();
            NEGATIONS.iter().any(|word| {
                here.strip_prefix(word)
                    .is_some_and(|tail| stands(word, head, tail))
            })
        }
    })
}

/// Whether a negation is a word of its own; one in Han always is.
fn stands(word: &str, head: &str, tail: &str) -> bool {
    !word.is_ascii()
        || !tail.starts_with(|c: char| c.is_ascii_alphanumeric())
            && (word == "n't" || !head.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[&str] = &["always|必须", "^add|别", "must|must not"];

    fn check(text: &str, expected: Hits) {
        let lexicon = Lexicon::new(ROWS.iter().copied(), ["分别|not always"].into_iter(), &[]);
        let found = lexicon.hits(&text.to_ascii_lowercase(), &[4, 0, 0]);
        assert_eq!(found.rows, expected, "{text:?}");
    }

    #[test]
    fn what_stands_in_quotes_is_told_apart() {
        let lexicon = Lexicon::new(ROWS.iter().copied(), std::iter::empty(), &[]);
        let open = |text: &str| lexicon.hits(text, &[]).open_rows;
        assert_eq!(open("rename \"always\" to on"), 0);
        assert_eq!(open("按钮写“必须”"), 0);
        assert_eq!(open("say \"done\", always"), 0b001);
        assert_eq!(open("don't always"), 0b001);
        assert_eq!(open("a rule like 'always tabs' is odd"), 0);
        assert_eq!(open("an \"open mark, always"), 0b001);
    }

    #[test]
    fn latin_words_match_whole_in_any_case() {
        check("ALWAYS add", 0b001);
        check("sideways mustard", 0);
        check("it must_not", 0);
        check("it must not", 0b100);
    }

    #[test]
    fn a_start_word_matches_only_there() {
        check("Add tests", 0b010);
        check("- add tests", 0b010);
        check("we add tests", 0);
    }

    #[test]
    fn a_mask_hides_what_is_inside_it() {
        check("分别处理", 0);
        check("别处理", 0b010);
        check("not always", 0);
    }

    #[test]
    fn a_negation_before_a_word_takes_it_away() {
        check("不是必须", 0);
        check("这一步必须", 0b001);
        check("is not an always", 0b001);
    }
}
