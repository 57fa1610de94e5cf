//! Pieces of a text: six characters in a row, and whole texts that are shorter.

use crate::text::sorted::Set;

/// Characters of the shortest piece that may tell what was said.
///
/// # Source
/// The promise of `docs/ledger.md`: no six characters in a row. Shorter pieces are words that anybody says.
pub const PIECE_CHARS: usize = 6;

/// Six characters, 21 bits each.
type Piece = u128;

const PIECE_MASK: u128 = (1 << (21 * PIECE_CHARS)) - 1;

/// Words of the sieve: 65,536 bits for at most some ten thousand pieces.
const SIEVE_WORDS: usize = 1_024;

/// The pieces of some texts.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    all: Set<Piece>,
    /// One bit for each piece, by its hash: nearly every piece of a long ledger is ruled out here.
    sieve: Vec<u64>,
    /// Texts too short to have a piece, whole.
    short: Set<String>,
}

impl Pieces {
    /// Takes the pieces of `texts`, as said and as they stand inside a JSON string, but for those of `kept`.
    pub(super) fn new<'a>(
        texts: &Set<String>,
        kept: impl Iterator<Item = std::borrow::Cow<'a, str>>,
    ) -> Self {
        let mut out = Self::default();
        for text in texts {
            let trimmed = text.trim();
            if trimmed.chars().count() < PIECE_CHARS {
                if !trimmed.is_empty() {
                    out.short.insert(trimmed.to_owned());
                }
                continue;
            }
            each(text, |piece, _| {
                out.all.insert(piece);
            });
            each(&escaped(text), |piece, _| {
                out.all.insert(piece);
            });
        }
        for text in kept {
            if out.all.is_empty() && out.short.is_empty() {
                break;
            }
            out.short.remove(text.trim());
            each(&text, |piece, _| {
                out.all.remove(&piece);
            });
        }
        out.sieve = vec![0; SIEVE_WORDS];
        for &piece in &out.all {
            let (word, bit) = place_of(piece);
            if let Some(word) = out.sieve.get_mut(word) {
                *word |= bit;
            }
        }
        out
    }

    /// Returns whether a text has one of the pieces.
    pub(super) fn are_in(&self, text: &str) -> bool {
        let mut found = self.short.contains(text.trim());
        each(text, |piece, _| {
            found = found || self.has(piece);
        });
        found
    }

    /// Returns one past the last character of every place in `text` where a piece stands.
    pub(super) fn ends_in(&self, text: &str) -> Vec<usize> {
        let mut ends: Vec<usize> = Vec::new();
        each(text, |piece, end| {
            if self.has(piece) {
                ends.push(end);
            }
        });
        for short in &self.short {
            let n_chars = short.chars().count();
            for (at, _) in text.match_indices(short.as_str()) {
                let before = text.get(..at).unwrap_or_default().chars().count();
                ends.extend(before + 1..=before + n_chars);
            }
        }
        ends
    }

    fn has(&self, piece: Piece) -> bool {
        let (word, bit) = place_of(piece);
        self.sieve.get(word).is_some_and(|word| word & bit != 0) && self.all.contains(&piece)
    }
}

/// Calls `call` with every piece of `text` and the character it ends before.
fn each(text: &str, mut call: impl FnMut(Piece, usize)) {
    let mut piece: Piece = 0;
    for (n, c) in text.chars().enumerate() {
        piece = ((piece << 21) | u128::from(u32::from(c))) & PIECE_MASK;
        if n + 1 >= PIECE_CHARS {
            call(piece, n + 1);
        }
    }
}

/// Returns a piece's place in the sieve: a word and a bit of it.
fn place_of(piece: Piece) -> (usize, u64) {
    let mixed = (piece as u64 ^ (piece >> 63) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    ((mixed >> 6) as usize % SIEVE_WORDS, 1 << (mixed & 63))
}

/// Returns a text as it stands inside a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted
        .get(1..quoted.len().saturating_sub(1))
        .unwrap_or_default()
        .to_owned()
}
