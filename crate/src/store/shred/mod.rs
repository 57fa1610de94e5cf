//! What to blank: every place that shares a piece with forgotten content and with nothing that is kept.

mod foreign;
mod pieces;

use super::entry::{Body, Fact, Observation, Row};
use super::state::State;
use super::tables::Tables;
use crate::memory::{Memory, MemoryId, Origin, Procedure, Text};
use crate::store::names;
use crate::text::sorted::Set;
use pieces::Pieces;
use std::borrow::Cow;
use std::rc::Rc;

/// Knows what to blank.
#[derive(Debug)]
pub(super) struct Shredder {
    ids: Set<MemoryId>,
    /// Ids that mean something else in a device's own entries ([`names::alias`]).
    spared: Set<(Origin, MemoryId)>,
    pieces: Pieces,
}

impl Shredder {
    /// Takes the pieces of `contents` that are in nothing `state` keeps.
    pub(super) fn new(ids: &[MemoryId], contents: &Set<String>, state: &State) -> Self {
        Self::with(ids, contents, state, std::iter::empty())
    }

    /// Knows nothing of what was forgotten, so every piece of `rows` that is in nothing kept may be of it.
    ///
    /// For rows that were decided on before a promise this process did not make: the tombstone has no content, the
    /// files are blanked already, and what was forgotten may never have been read here.
    pub(super) fn blind(rows: &[Body], state: &State) -> Self {
        let said = rows.iter().filter_map(|row| match row {
            Body::Observation(observation) => Some(texts(observation)),
            _ => None,
        });
        let contents = said.flatten().map(str::to_owned).collect();
        let written = rows.iter().filter_map(|row| match row {
            Body::Fact(Fact::Write { memory } | Fact::Edit { memory, .. }) => Some(memory.as_ref()),
            _ => None,
        });
        Self::with(&[], &contents, state, written)
    }

    fn with<'a>(
        ids: &[MemoryId],
        contents: &Set<String>,
        state: &'a State,
        written: impl Iterator<Item = &'a Memory>,
    ) -> Self {
        let kept = state
            .memories()
            .filter(|memory| !ids.contains(&memory.id))
            .map(Rc::as_ref);
        let words = kept.chain(written).flat_map(Memory::words).map(Cow::Owned);
        // The count of a failure goes with the memory that was about it.
        let signatures = state
            .failures()
            .filter(|failure| !contents.contains(&failure.signature))
            .map(|failure| Cow::Borrowed(failure.signature.as_str()));
        let mut spared = Set::new();
        let origins = state.vector().map(|one| one.origin);
        for origin in origins.chain(state.origin().cloned()) {
            for id in ids {
                let other = names::alias(&origin, id);
                if state.memory(&other).is_some() {
                    spared.insert((origin.clone(), id.clone()));
                }
            }
        }
        Self {
            ids: ids.iter().cloned().collect(),
            spared,
            pieces: Pieces::new(contents, words.chain(signatures)),
        }
    }

    /// Knows every tombstone's id and no words: for rows that name what was forgotten.
    pub(super) fn of_tombstones(state: &State) -> Self {
        Self {
            ids: state.tombstones().map(|x| x.id.clone()).collect(),
            spared: Set::new(),
            pieces: Pieces::default(),
        }
    }

    /// Knows one id and no words.
    pub(super) fn of_one(id: &MemoryId) -> Self {
        Self {
            ids: std::iter::once(id.clone()).collect(),
            spared: Set::new(),
            pieces: Pieces::default(),
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

    /// Returns whether a text shares a piece with what is forgotten.
    pub(super) fn touches(&self, text: &str) -> bool {
        self.pieces.are_in(text)
    }

    fn names(&self, id: &MemoryId) -> bool {
        self.ids.contains(id)
    }

    /// Blanks one row; returns whether it changed.
    pub(super) fn row(&self, row: &mut Row) -> bool {
        match &mut row.body {
            Body::Observation(observation) => self.observation(observation),
            Body::Unknown(_) => false,
            Body::Fact(fact) => self.fact(fact, &row.origin),
        }
    }

    fn fact(&self, fact: &mut Fact, origin: &Origin) -> bool {
        let is_named =
            |id: &MemoryId| self.names(id) && !self.spared.contains(&(origin.clone(), id.clone()));
        match fact {
            Fact::Write { memory } | Fact::Edit { memory, .. } => {
                let named = is_named(&memory.id);
                self.memory(memory, named)
            }
            Fact::Canonical { id, text } => {
                if is_named(id) {
                    return wipe(text);
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
            Fact::Checkpoint { state } => self.tables(state),
            Fact::Merge { merged } => self.tables(&mut merged.put),
            Fact::Import { row } => self.row(row),
            Fact::Status { reason, .. } => self.text(reason),
            Fact::Supersede { .. }
            | Fact::FailureDropped { .. }
            | Fact::Turn { .. }
            | Fact::ConflictResolved { .. }
            | Fact::Forget { .. }
            // Ids, and the caller's name of its request, which no secret and no sentence may be.
            | Fact::Plan { .. }
            | Fact::RequestExpired { .. }
            | Fact::DigestPending { .. }
            | Fact::Digested { .. }
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
            | Observation::Judged { .. }
            | Observation::Recall { .. }
            | Observation::ContextSuppressed { .. } => false,
        }
    }

    /// Blanks a record: all of a forgotten one, and of another only old words that are no longer its own.
    fn memory(&self, memory: &mut Memory, named: bool) -> bool {
        let clear = |text: &mut Text| {
            let is_to_go = !text.is_empty() && (named || self.touches(text));
            if is_to_go {
                *text = Text::default();
            }
            is_to_go
        };
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
        let is_to_go =
            |procedure: &Procedure| named || procedure.words().any(|text| self.touches(text));
        if memory.procedure.as_deref().is_some_and(is_to_go) {
            memory.procedure = None;
            changed = true;
        }
        changed
    }

    fn tables(&self, tables: &mut Tables) -> bool {
        let mut changed = false;
        for memory in &mut tables.memories {
            let is_to_look_at =
                self.names(&memory.id) || memory.words().any(|text| self.touches(&text));
            if is_to_look_at {
                let named = self.names(&memory.id);
                changed |= self.memory(Rc::make_mut(memory), named);
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
}

/// Returns what an observation quotes.
fn texts(observation: &Observation) -> Vec<&str> {
    match observation {
        Observation::Skip { quote, .. } => quote.as_deref().into_iter().collect(),
        Observation::Remember { quote, .. } => vec![quote],
        Observation::Normalize { from, to, .. } => vec![from, to],
        Observation::Degraded { detail, .. } | Observation::Health { detail, .. } => vec![detail],
        Observation::Start { .. }
        | Observation::Judged { .. }
        | Observation::Recall { .. }
        | Observation::ContextSuppressed { .. } => Vec::new(),
    }
}

/// Empties a text; returns whether there was one.
fn wipe(text: &mut String) -> bool {
    let changed = !text.is_empty();
    text.clear();
    changed
}
