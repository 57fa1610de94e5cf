//! Many words looked for at once, in one pass over the bytes.
//!
//! The automaton is a double array (`daachorse`): one table lookup a byte, and a third of the code of an automaton that
//! chooses among three forms. It knows no case, so words and text are compared in lower-case ASCII where a table wants that.

use crate::order;
use daachorse::{DoubleArrayAhoCorasick, DoubleArrayAhoCorasickBuilder, MatchKind};

/// A compiled list of words.
pub struct Needles {
    automaton: Option<DoubleArrayAhoCorasick<u32>>,
    /// For each word the place of the next one with the same bytes.
    same: Vec<Option<u32>>,
}

/// A word where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needle {
    /// The place of the word in its list.
    pub index: usize,
    /// The byte it begins at.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

impl std::fmt::Debug for Needles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Needles")
    }
}

impl Needles {
    /// Compiles words for [`Needles::all`]: every one that stands in a text, also inside another.
    pub fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        Self::build(words.map(str::to_owned).collect(), MatchKind::Standard)
    }

    /// Compiles words for [`Needles::first`]: the longest one at the leftmost place.
    pub fn leftmost<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        Self::build(
            words.map(str::to_owned).collect(),
            MatchKind::LeftmostLongest,
        )
    }

    // An automaton that cannot be built (an empty list, too many words) finds nothing; the lists are constants and a test
    // builds each.
    fn build(words: Vec<String>, kind: MatchKind) -> Self {
        let mut same = vec![None; words.len()];
        let mut patterns: Vec<(&str, u32)> = Vec::with_capacity(words.len());
        for place in order::places(words.len(), &|a, b| words.get(a).cmp(&words.get(b))) {
            let (Some(word), Ok(index)) = (words.get(place), u32::try_from(place)) else {
                continue;
            };
            match patterns.last() {
                _ if word.is_empty() => {}
                Some((known, first)) if known == word => {
                    let mut last = *first as usize;
                    while let Some(next) = same.get(last).copied().flatten() {
                        last = next as usize;
                    }
                    if let Some(slot) = same.get_mut(last) {
                        *slot = Some(index);
                    }
                }
                _ => patterns.push((word, index)),
            }
        }
        Self {
            automaton: DoubleArrayAhoCorasickBuilder::new()
                .match_kind(kind)
                .build_with_values(patterns)
                .ok(),
            same,
        }
    }

    /// Returns every word of `text`, by the byte it ends at, the longer of two first; of equal ones each, as listed.
    // A list and no iterator: an iterator would be compiled where it is used, for size.
    pub fn all(&self, text: &[u8]) -> Vec<Needle> {
        let mut out = Vec::new();
        let Some(automaton) = &self.automaton else {
            return out;
        };
        for found in automaton.find_overlapping_iter(text) {
            let mut place = Some(found.value());
            while let Some(index) = place {
                let index = index as usize;
                out.push(Needle {
                    index,
                    start: found.start(),
                    end: found.end(),
                });
                place = self.same.get(index).copied().flatten();
            }
        }
        out
    }

    /// Returns what [`Needles::all`] does of the text in lower case.
    pub fn all_in_any_case(&self, text: &str) -> Vec<Needle> {
        self.all(text.to_ascii_lowercase().as_bytes())
    }

    /// Returns whether `text` has one of the words.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.automaton
            .as_ref()
            .is_some_and(|automaton| automaton.find_overlapping_iter(text).next().is_some())
    }

    /// Returns the longest word at the leftmost place at or after the byte `from`; of equal ones the first listed.
    pub fn first(&self, text: &[u8], from: usize) -> Option<Needle> {
        let found = self
            .automaton
            .as_ref()?
            .leftmost_find_iter(text.get(from..)?)
            .next()?;
        Some(Needle {
            index: found.value() as usize,
            start: from + found.start(),
            end: from + found.end(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_gives_words_inside_words_and_first_the_longest_at_the_leftmost_place() {
        let words = ["token", "to", "令牌", "to"];
        let each: Vec<_> = Needles::new(words.into_iter())
            .all("a token 令牌".as_bytes())
            .into_iter()
            .map(|needle| (needle.index, needle.start, needle.end))
            .collect();
        assert_eq!(each, [(1, 2, 4), (3, 2, 4), (0, 2, 7), (2, 8, 14)]);
        let leftmost = Needles::leftmost(words.into_iter());
        let first = |from| {
            leftmost
                .first(b"a token to", from)
                .map(|n| (n.index, n.start))
        };
        assert_eq!(first(0), Some((0, 2)));
        assert_eq!(first(3), Some((1, 8)));
        assert_eq!(first(9), None);
    }

    #[test]
    fn a_list_of_nothing_finds_nothing() {
        assert_eq!(Needles::new(std::iter::empty()).all(b"a"), []);
        assert_eq!(Needles::leftmost([""].into_iter()).first(b"a", 0), None);
    }
}
