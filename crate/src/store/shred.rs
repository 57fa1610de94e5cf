//! What to blank: every place that shares a piece with forgotten content and with nothing that is kept.

use super::codec;
use super::entry::{Body, Fact, Observation, Row};
use super::state::State;
use super::tables::Tables;
use crate::memory::{Memory, MemoryId};
use serde_json::Value;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Characters of the shortest piece that may tell what was said.
///
/// # Source
/// The promise of `docs/ledger.md`: no six characters in a row. Shorter pieces are words that anybody says.
pub const PIECE_CHARS: usize = 6;

/// Stands in the place of a forgotten character in a file that is not ours to read.
const BLANK: char = '·';

/// Six characters, 21 bits each.
type Piece = u128;

const PIECE_MASK: u128 = (1 << (21 * PIECE_CHARS)) - 1;

/// Knows what to blank.
#[derive(Debug)]
pub(super) struct Shredder {
    ids: BTreeSet<MemoryId>,
    pieces: BTreeSet<Piece>,
    /// One bit for each piece, by its hash: nearly every piece of a long ledger is ruled out here.
    sieve: Vec<u64>,
    /// Contents too short to have a piece, as whole texts.
    short: BTreeSet<String>,
}

/// Calls `each` with every piece of `text` and the character it ends before.
fn pieces_of(text: &str, mut each: impl FnMut(Piece, usize)) {
    let mut piece: Piece = 0;
    for (n, c) in text.chars().enumerate() {
        piece = ((piece << 21) | u128::from(u32::from(c))) & PIECE_MASK;
        if n + 1 >= PIECE_CHARS {
            each(piece, n + 1);
        }
    }
}

/// Words of the sieve: 65,536 bits for at most some ten thousand pieces.
const SIEVE_WORDS: usize = 1_024;

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

impl Shredder {
    /// Takes the pieces of `contents` that are in nothing `state` keeps.
    pub(super) fn new(ids: &[MemoryId], contents: &BTreeSet<String>, state: &State) -> Self {
        let mut pieces = BTreeSet::new();
        let mut short = BTreeSet::new();
        for content in contents {
            let trimmed = content.trim();
            if trimmed.chars().count() < PIECE_CHARS {
                if !trimmed.is_empty() {
                    short.insert(trimmed.to_owned());
                }
                continue;
            }
            pieces_of(content, |piece, _| {
                pieces.insert(piece);
            });
            pieces_of(&escaped(content), |piece, _| {
                pieces.insert(piece);
            });
        }
        let mut keep = |text: &str| {
            short.remove(text.trim());
            pieces_of(text, |piece, _| {
                pieces.remove(&piece);
            });
        };
        for memory in state.memories().filter(|memory| !ids.contains(&memory.id)) {
            for text in memory.words() {
                keep(&text);
            }
        }
        for failure in state.failures() {
            keep(&failure.signature);
        }
        let mut sieve = vec![0; SIEVE_WORDS];
        for &piece in &pieces {
            let (word, bit) = place_of(piece);
            if let Some(word) = sieve.get_mut(word) {
                *word |= bit;
            }
        }
        Self {
            ids: ids.iter().cloned().collect(),
            pieces,
            sieve,
            short,
        }
    }

    /// Knows every tombstone's id and no words: for rows that name what was forgotten.
    pub(super) fn of_tombstones(state: &State) -> Self {
        Self {
            ids: state.tombstones().map(|x| x.id.clone()).collect(),
            pieces: BTreeSet::new(),
            sieve: Vec::new(),
            short: BTreeSet::new(),
        }
    }

    /// Blanks the observations among rows that are about to be written.
    pub(super) fn bodies(&self, bodies: &mut [Body]) {
        for body in bodies {
            if let Body::Observation(observation) = body {
                self.observation(observation);
            }
        }
    }

    fn has(&self, piece: Piece) -> bool {
        let (word, bit) = place_of(piece);
        self.sieve.get(word).is_some_and(|word| word & bit != 0) && self.pieces.contains(&piece)
    }

    /// Returns whether a text shares a piece with what is forgotten.
    fn touches(&self, text: &str) -> bool {
        let mut found = self.short.contains(text.trim());
        pieces_of(text, |piece, _| {
            found = found || self.has(piece);
        });
        found
    }

    fn names(&self, id: &MemoryId) -> bool {
        self.ids.contains(id)
    }

    /// Blanks one row; returns whether it changed. Rows that hold the forgotten records themselves change only when `is_source`.
    pub(super) fn row(&self, row: &mut Row, is_source: bool) -> bool {
        match &mut row.body {
            Body::Observation(observation) => self.observation(observation),
            Body::Unknown(_) => false,
            Body::Fact(fact) => self.fact(fact, is_source),
        }
    }

    fn fact(&self, fact: &mut Fact, is_source: bool) -> bool {
        match fact {
            Fact::Write { memory } | Fact::Edit { memory } => self.memory(memory, is_source),
            Fact::Canonical { id, text } => {
                if self.names(id) {
                    return is_source && wipe(text);
                }
                self.text(text)
            }
            Fact::Failure { signature, .. } => self.text(signature),
            Fact::ConflictAsk {
                id,
                against,
                shared,
                ..
            } => {
                if self.names(id) || against.iter().any(|id| self.names(id)) {
                    let changed = !shared.is_empty();
                    shared.clear();
                    return changed;
                }
                self.words(shared)
            }
            Fact::Checkpoint { state } => self.tables(state, is_source),
            Fact::Status { reason, .. } => self.text(reason),
            Fact::Supersede { .. }
            | Fact::FailureDropped { .. }
            | Fact::Turn { .. }
            | Fact::ConflictResolved { .. }
            | Fact::Forget { .. }
            | Fact::Scope { .. } => false,
        }
    }

    /// Blanks one observation; returns whether it changed.
    pub(super) fn observation(&self, observation: &mut Observation) -> bool {
        match observation {
            Observation::Skip { id, quote, .. } => {
                let named = id.as_ref().is_some_and(|id| self.names(id));
                let is_to_go = quote.as_ref().is_some_and(|x| named || self.touches(x));
                if is_to_go {
                    *quote = None;
                }
                is_to_go
            }
            Observation::Remember { id, quote, .. } => {
                if self.names(id) {
                    wipe(quote)
                } else {
                    self.text(quote)
                }
            }
            Observation::Normalize { id, from, to, .. } => {
                if self.names(id) {
                    wipe(from) | wipe(to)
                } else {
                    self.text(from) | self.text(to)
                }
            }
            Observation::Degraded { detail, .. } | Observation::Health { detail, .. } => {
                self.text(detail)
            }
            Observation::Start { .. }
            | Observation::Recall { .. }
            | Observation::ContextSuppressed { .. } => false,
        }
    }

    /// Blanks a record: all of a forgotten one, and of another only old words that are no longer its own.
    fn memory(&self, memory: &mut Memory, is_source: bool) -> bool {
        let named = self.names(&memory.id);
        if named && !is_source {
            return false;
        }
        let clear = |text: &mut String| if named { wipe(text) } else { self.text(text) };
        let mut changed = clear(&mut memory.text) | clear(&mut memory.source.quote);
        for optional in [&mut memory.canonical, &mut memory.source.way_out] {
            if optional
                .as_ref()
                .is_some_and(|text| named || self.touches(text))
            {
                *optional = None;
                changed = true;
            }
        }
        changed
    }

    fn tables(&self, tables: &mut Tables, is_source: bool) -> bool {
        let mut changed = false;
        for memory in &mut tables.memories {
            let is_to_look_at = self.names(&memory.id)
                || self.touches(&memory.text)
                || self.touches(&memory.source.quote)
                || memory.canonical.as_ref().is_some_and(|x| self.touches(x))
                || memory
                    .source
                    .way_out
                    .as_ref()
                    .is_some_and(|x| self.touches(x));
            if is_to_look_at {
                changed |= self.memory(Rc::make_mut(memory), is_source);
            }
        }
        for failure in &mut tables.failures {
            changed |= self.text(&mut failure.signature);
        }
        for ask in &mut tables.asks {
            if self.names(&ask.id) || ask.against.iter().any(|id| self.names(id)) {
                changed |= !ask.shared.is_empty();
                ask.shared.clear();
            } else {
                changed |= self.words(&mut ask.shared);
            }
        }
        changed
    }

    fn text(&self, text: &mut String) -> bool {
        self.touches(text) && wipe(text)
    }

    fn words(&self, words: &mut Vec<String>) -> bool {
        let before = words.len();
        words.retain(|word| !self.touches(word));
        words.len() != before
    }

    /// Blanks the strings of a row whose kind is not known here, and appends it; returns whether it changed.
    pub(super) fn unknown(&self, line: &[u8], out: &mut Vec<u8>) -> bool {
        let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(line) else {
            return false;
        };
        fields.remove("sum");
        let mut changed = false;
        for (name, value) in &mut fields {
            if !matches!(name.as_str(), "v" | "origin" | "kind") {
                changed |= self.value(value);
            }
        }
        if !changed {
            return false;
        }
        let start = out.len();
        if serde_json::to_writer(&mut *out, &fields).is_err() {
            return false;
        }
        out.pop();
        codec::seal(out, start);
        true
    }

    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().fold(false, |x, item| x | self.value(item)),
            Value::Object(fields) => fields
                .values_mut()
                .fold(false, |x, item| x | self.value(item)),
            _ => false,
        }
    }

    /// Returns the bytes of a file that is not ours to read with every piece blanked, and how many places there were; `None` when there were none.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Option<(Vec<u8>, u32)> {
        let text = String::from_utf8_lossy(bytes);
        let mut ends: Vec<usize> = Vec::new();
        pieces_of(&text, |piece, end| {
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
        if ends.is_empty() {
            return None;
        }
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        for end in &ends {
            gone.extend(end.saturating_sub(PIECE_CHARS)..*end);
        }
        let out: String = text
            .chars()
            .enumerate()
            .map(|(n, c)| {
                if gone.contains(&n) && c != '\n' {
                    BLANK
                } else {
                    c
                }
            })
            .collect();
        Some((
            out.into_bytes(),
            u32::try_from(ends.len()).unwrap_or(u32::MAX),
        ))
    }
}

/// Empties a text; returns whether there was one.
fn wipe(text: &mut String) -> bool {
    let changed = !text.is_empty();
    text.clear();
    changed
}
