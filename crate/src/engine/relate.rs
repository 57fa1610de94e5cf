//! What a new sentence has to do with what is known: a contradiction is held until the human decided.

use super::Engine;
use super::asker::REVIEW;
use super::learn::Decided;
use crate::conflict::instruction::Instruction;
use crate::conflict::{Found, Reading, contradicts, detect, detect_in};
use crate::judge::Judgement;
use crate::memory::{
    Author, JudgeName, Memory, MemoryId, Millis, Revision, ScopeKey, SessionId, Status, Text,
};
use crate::rank::Index;
use crate::store::Store;
use crate::store::entry::Fact;
use crate::text::sorted::Map;
use std::rc::Rc;

/// Questions of one turn of which cards are shown by themselves. What is over waits for `/memory review`.
///
/// # Source
/// Chosen: a person answers a few questions in a row, and a pasted file of rules can contradict a whole memory.
const QUESTIONS_MAX: usize = 8;
/// Records that one question is about.
const AGAINST_MAX: usize = 4;
/// Readings kept at once; some two kilobytes each.
const READINGS_MAX: usize = 1_024;

/// What was read for the detector, by id. A text that changed is read again.
#[derive(Debug, Default)]
pub(super) struct Readings(Map<MemoryId, (Text, Rc<Reading>)>);

impl Readings {
    fn of(&mut self, memory: &Memory) -> Rc<Reading> {
        if let Some((text, reading)) = self.0.get(&memory.id)
            && *text == memory.text
        {
            return reading.clone();
        }
        if self.0.len() >= READINGS_MAX {
            self.0.clear();
        }
        let reading = Rc::new(Reading::of(&memory.text));
        let known = (memory.text.clone(), reading.clone());
        self.0.insert(memory.id.clone(), known);
        reading
    }
}

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
        if let Some(rows) = self.acted(store, &memory, &held, decided) {
            decided.based_on.extend(held.based_on);
            decided.keep(memory);
            decided.rows.extend(rows);
            return;
        }
        memory.status = Status::NeedsReview;
        let mut ask = question_of(&memory.id, &held);
        if decided.n_held() >= QUESTIONS_MAX {
            decided.n_unasked += 1;
            if let Fact::ConflictAsk { asker, .. } = &mut ask {
                *asker = Some(REVIEW.to_owned());
            }
        }
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
        fresh: &[Rc<Memory>],
    ) -> Option<Held> {
        let mut known = self.known_to(store, &memory.scope, &memory.text, memory.created_at);
        let reading = self.readings.borrow_mut().of(memory);
        known.extend(self.nearest_of(fresh, memory, &reading));
        let is_fresh = |id: &MemoryId| fresh.iter().any(|other| other.id == *id);
        let reads = matches!(judgement.by, JudgeName::Jev | JudgeName::Host);
        let mut held = self
            .judged(judgement, &known)
            .or_else(|| {
                // A judge that reads was shown what was known, and its word counts; what was said in the same turn it was not.
                let unseen = known.iter().filter(|x| !reads || is_fresh(&x.id));
                self.offline(&reading, &unseen.collect::<Vec<_>>())
            })
            .or_else(|| {
                let sessions = self.sessions.borrow();
                let instructions = &sessions.get(session)?.instructions;
                let limit = self.config.known_for_conflict as usize;
                Some(instructions.contradicted(&memory.text, limit)?.1)
            })?;
        // What waits already and is contradicted too is decided by the same answer.
        for other in known.iter().filter(|x| x.status == Status::NeedsReview) {
            let other_reading = self.readings.borrow_mut().of(other);
            if !held.against.contains(&other.id)
                && held.against.len() < AGAINST_MAX
                && contradicts(&reading, &other_reading).is_some()
            {
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
        let found = self.found(&Reading::of(text), &known.iter().collect::<Vec<_>>())?;
        found
            .contradiction
            .is_certain()
            .then(|| known.get(found.at).cloned())?
    }

    /// Returns which of `known` a sentence contradicts.
    fn found(&self, new: &Reading, known: &[&Rc<Memory>]) -> Option<Found> {
        let mut readings = self.readings.borrow_mut();
        let known: Vec<Rc<Reading>> = known.iter().map(|memory| readings.of(memory)).collect();
        detect_in(new, known.iter().map(Rc::as_ref))
    }

    /// What stands is contradicted before what waits: of the two the human meant the one that governs.
    fn offline(&self, new: &Reading, known: &[&Rc<Memory>]) -> Option<Held> {
        [Status::Active, Status::NeedsReview]
            .into_iter()
            .find_map(|status| {
                let these = known.iter().copied().filter(|x| x.status == status);
                let these: Vec<&Rc<Memory>> = these.collect();
                let found = self.found(new, &these)?;
                Some(Held {
                    against: vec![these.get(found.at)?.id.clone()],
                    detector: found.contradiction.reason.as_str().to_owned(),
                    shared: found.contradiction.shared,
                    based_on: Vec::new(),
                })
            })
    }

    /// Returns the best `knownForConflict` of what this turn said before, by how much both say, the earlier first of equals.
    fn nearest_of(&self, fresh: &[Rc<Memory>], memory: &Memory, new: &Reading) -> Vec<Rc<Memory>> {
        let mut readings = self.readings.borrow_mut();
        let here = |other: &&Rc<Memory>| other.scope == memory.scope || other.scope.is_global();
        let limit = self.config.known_for_conflict as usize;
        let mut near: Vec<(usize, usize)> = Vec::new();
        for (at, other) in fresh.iter().enumerate().filter(|(_, other)| here(other)) {
            near.push((usize::MAX - new.touches(&readings.of(other)), at));
        }
        if near.len() > limit {
            crate::text::order::sort(&mut near);
            near.truncate(limit);
        }
        let of = |(_, at): &(usize, usize)| fresh.get(*at).cloned();
        near.iter().filter_map(of).collect()
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
        asker: None,
        instead: None,
    }
}
