//! What a new sentence has to do with what is known: a contradiction is held until the human decided.

use super::Engine;
use super::learn::Decided;
use crate::conflict::instruction::Instruction;
use crate::conflict::{compare, detect};
use crate::judge::Judgement;
use crate::memory::{
    Author, JudgeName, Memory, MemoryId, Millis, Revision, ScopeKey, SessionId, Status,
};
use crate::rank::Index;
use crate::store::Store;
use crate::store::entry::Fact;
use std::rc::Rc;

/// Why a sentence is held.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    /// What it contradicts: the best first, then what else waits and is contradicted.
    pub(super) against: Vec<MemoryId>,
    /// Who says so.
    pub(super) detector: String,
    /// Words both say.
    pub(super) shared: Vec<String>,
    /// Revisions this was decided on.
    pub(super) based_on: Vec<(MemoryId, Revision)>,
}

/// Lines of instructions, searchable.
#[derive(Default)]
pub(super) struct Instructions {
    pub(super) lines: Vec<Instruction>,
    index: Index,
}

impl std::fmt::Debug for Instructions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lines.fmt(f)
    }
}

impl Instructions {
    pub(super) fn of(lines: Vec<Instruction>) -> Self {
        let mut index = Index::new();
        for (doc, line) in (0u32..).zip(&lines) {
            index.insert(doc, &line.text);
        }
        Self { lines, index }
    }

    /// Returns the line that `text` contradicts.
    fn contradicted(&self, text: &str, limit: usize) -> Option<(&Instruction, Held)> {
        let hits = self.index.search(text, limit, &|_| true);
        let lines: Vec<&Instruction> = hits
            .iter()
            .filter_map(|hit| self.lines.get(hit.doc as usize))
            .collect();
        let found = detect(text, lines.iter().map(|line| line.text.as_str()))?;
        let line = lines.get(found.at)?;
        let held = Held {
            against: vec![line.id.clone()],
            detector: found.contradiction.reason.as_str().to_owned(),
            shared: found.contradiction.shared,
            based_on: Vec::new(),
        };
        Some((line, held))
    }
}

impl Engine {
    /// Adds a memory to what a turn decided: as it is, or held with its open question when it contradicts something.
    pub(super) fn relate(
        &self,
        store: &Store,
        session: &SessionId,
        judgement: &Judgement,
        mut memory: Memory,
        decided: &mut Decided,
    ) {
        let Some(held) = self.contradiction(store, session, judgement, &memory, &decided.written)
        else {
            decided.keep(memory);
            return;
        };
        memory.status = Status::NeedsReview;
        let ask = question_of(&memory.id, &held);
        decided.based_on.extend(held.based_on);
        decided.hold(memory);
        decided.rows.push(ask.into());
    }

    /// Returns what `memory` contradicts: of the scope and `global`, of this very turn (`fresh`), of the instructions the host loaded.
    pub(super) fn contradiction(
        &self,
        store: &Store,
        session: &SessionId,
        judgement: &Judgement,
        memory: &Memory,
        fresh: &[Memory],
    ) -> Option<Held> {
        let mut known = self.known_to(store, &memory.scope, &memory.text, memory.created_at);
        known.extend(
            fresh
                .iter()
                .filter(|other| other.scope == memory.scope || other.scope.is_global())
                .map(|other| Rc::new(other.clone())),
        );
        let is_fresh = |id: &MemoryId| fresh.iter().any(|other| other.id == *id);
        let reads = matches!(judgement.by, JudgeName::Jev | JudgeName::Host);
        let mut held = self
            .judged(judgement, &known)
            .or_else(|| {
                // A judge that reads was shown what was known, and its word counts; what was said in the same turn it was not.
                let unseen = known.iter().filter(|x| !reads || is_fresh(&x.id));
                offline(&memory.text, &unseen.cloned().collect::<Vec<_>>())
            })
            .or_else(|| {
                let sessions = self.sessions.borrow();
                let instructions = &sessions.get(session)?.instructions;
                let limit = self.config.known_for_conflict as usize;
                Some(instructions.contradicted(&memory.text, limit)?.1)
            })?;
        // What waits already and is contradicted too is decided by the same answer.
        for other in known.iter().filter(|x| x.status == Status::NeedsReview) {
            if !held.against.contains(&other.id) && compare(&memory.text, &other.text).is_some() {
                held.against.push(other.id.clone());
            }
        }
        let of = |id: &MemoryId| known.iter().find(|other| other.id == *id);
        held.based_on = held
            .against
            .iter()
            .filter(|id| !is_fresh(id))
            .filter_map(|id| Some((id.clone(), of(id)?.revision)))
            .collect();
        Some(held)
    }

    /// Returns the active memory that `text` overrides beyond doubt: the same but for a value or a refusal.
    ///
    /// Such a sentence says little of a rule by itself ("the API port is 9090 now"), and yet the old one must not go on governing unasked.
    pub(super) fn overridden(
        &self,
        store: &Store,
        scope: &ScopeKey,
        text: &str,
        now: Millis,
    ) -> Option<Rc<Memory>> {
        let mut known = self.known_to(store, scope, text, now);
        known.retain(|memory| memory.status == Status::Active && memory.by != Author::Failure);
        let found = detect(text, known.iter().map(|memory| memory.text.as_ref()))?;
        found
            .contradiction
            .is_certain()
            .then(|| known.get(found.at).cloned())?
    }

    /// What a judge that reads said, where it said it surely enough.
    fn judged(&self, judgement: &Judgement, known: &[Rc<Memory>]) -> Option<Held> {
        let said = judgement.contradicts.as_ref()?;
        if said.confidence < self.config.conflict_threshold {
            return None;
        }
        let other = known.iter().find(|memory| memory.id == said.id)?;
        Some(Held {
            against: vec![other.id.clone()],
            detector: said.by.as_str().to_owned(),
            shared: Vec::new(),
            based_on: Vec::new(),
        })
    }

    /// Returns the best `knownForConflict` memories of the scope and of `global` that stand or wait at `now`, the nearest first.
    pub(super) fn known_to(
        &self,
        store: &Store,
        scope: &ScopeKey,
        text: &str,
        now: Millis,
    ) -> Vec<Rc<Memory>> {
        let by_words = self.known_by_words(store, scope, text, now);
        let Some(nearest) = self.nearest(text) else {
            return by_words;
        };
        let state = store.state();
        let stands = |memory: &&Rc<Memory>| {
            matches!(memory.status, Status::Active | Status::NeedsReview)
                && memory.is_statement()
                && memory.holds_at(now)
        };
        let mut out: Vec<Rc<Memory>> = nearest
            .iter()
            .filter_map(|id| state.memory(id).filter(stands))
            .cloned()
            .collect();
        // What has no vector yet stands behind, in the order of words.
        for memory in by_words {
            if !out.iter().any(|known| known.id == memory.id) {
                out.push(memory);
            }
        }
        out.truncate(self.config.known_for_conflict as usize);
        out
    }

    /// The same by words alone.
    pub(super) fn known_by_words(
        &self,
        store: &Store,
        scope: &ScopeKey,
        text: &str,
        now: Millis,
    ) -> Vec<Rc<Memory>> {
        let state = store.state();
        let scope = state.scope_of(scope);
        let mut catalogue = self.catalogue.borrow_mut();
        catalogue.sync(store);
        let limit = self.config.known_for_conflict as usize;
        catalogue
            .search(state, text, limit, |memory| {
                (memory.scope == *scope || memory.scope.is_global())
                    && matches!(memory.status, Status::Active | Status::NeedsReview)
                    && memory.is_statement()
                    && memory.holds_at(now)
            })
            .into_iter()
            .filter_map(|(memory, _)| state.memory(&memory.id).cloned())
            .collect()
    }
}

/// The question that stays open until the human answers. No card was shown yet.
pub(super) fn question_of(id: &MemoryId, held: &Held) -> Fact {
    Fact::ConflictAsk {
        id: id.clone(),
        against: held.against.clone(),
        attempt: 0,
        detector: held.detector.clone(),
        shared: held.shared.clone(),
        question: None,
    }
}

/// What stands is contradicted before what waits: of the two the human meant the one that governs.
fn offline(text: &str, known: &[Rc<Memory>]) -> Option<Held> {
    [Status::Active, Status::NeedsReview]
        .into_iter()
        .find_map(|status| {
            let these: Vec<&Rc<Memory>> = known.iter().filter(|x| x.status == status).collect();
            let found = detect(text, these.iter().map(|memory| memory.text.as_str()))?;
            Some(Held {
                against: vec![these.get(found.at)?.id.clone()],
                detector: found.contradiction.reason.as_str().to_owned(),
                shared: found.contradiction.shared,
                based_on: Vec::new(),
            })
        })
}
