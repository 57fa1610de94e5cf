//! Keeps the open questions about what is known now: what a hand edit, a forget or another answer changed.

use super::Engine;
use crate::conflict::compare;
use crate::conflict::instruction::is_instruction;
use crate::memory::{Author, Memory, MemoryId, Revision, SessionId, Status};
use crate::port::Ports;
use crate::store::State;
use crate::store::entry::Fact;
use crate::store::tables::Ask;

impl Engine {
    /// Lets go what nothing contradicts any more, and sees to it that every question is about what is known now.
    pub(super) async fn tend_questions(&self, ports: Ports<'_>, session: &SessionId) {
        let Some(scope) = self.scope_of(session) else {
            return;
        };
        let work = {
            let Some(store) = self.store.get() else {
                return;
            };
            let store = store.borrow();
            let state = store.state();
            let scope = state.scope_of(&scope);
            state
                .asks()
                .filter_map(|ask| Some((ask, state.memory(&ask.id)?)))
                .filter(|(_, memory)| memory.scope == *scope || memory.scope.is_global())
                .filter_map(|(ask, memory)| self.tended(state, session, ask, memory))
                .collect::<Vec<_>>()
        };
        for (base, rows) in work {
            // One that moved meanwhile is looked at again with the next question.
            let _ = self.publish(ports, rows, vec![base]).await;
        }
    }

    /// What must be written about a held memory whose question is no longer what it was.
    fn tended(
        &self,
        state: &State,
        session: &SessionId,
        ask: &Ask,
        memory: &Memory,
    ) -> Option<((MemoryId, Revision), Vec<Fact>)> {
        let base = (memory.id.clone(), memory.revision);
        let before = &ask.against;
        let gone = |choice: &str| Fact::ConflictResolved {
            id: memory.id.clone(),
            against: before.clone(),
            choice: choice.to_owned(),
        };
        // A person decided by hand.
        if memory.status != Status::NeedsReview {
            return Some((base, vec![gone("edited")]));
        }
        let still: Vec<MemoryId> = before
            .iter()
            .filter(|id| self.still_contradicts(state, session, memory, ask, id))
            .cloned()
            .collect();
        if !before.is_empty() && still.len() == before.len() {
            return None;
        }
        if !still.is_empty() {
            let row = Fact::ConflictAsk {
                id: memory.id.clone(),
                against: still,
                attempt: ask.attempt,
                detector: ask.detector.clone(),
                shared: ask.shared.clone(),
                question: None,
                asker: (!ask.asker.is_empty()).then(|| ask.asker.clone()),
                instead: (!ask.asker.is_empty()).then(|| ask.asker.clone()),
            };
            return Some((base, vec![row]));
        }
        let rows = vec![
            Fact::Status {
                id: memory.id.clone(),
                status: Status::Active,
                revision: Revision(memory.revision.0.saturating_add(1)),
                reason: "conflict:gone".to_owned(),
            },
            gone("gone"),
        ];
        Some((base, rows))
    }

    fn still_contradicts(
        &self,
        state: &State,
        session: &SessionId,
        memory: &Memory,
        ask: &Ask,
        other: &MemoryId,
    ) -> bool {
        if is_instruction(other) {
            let sessions = self.sessions.borrow();
            // A session that was given no instructions says nothing about them.
            return sessions.get(session).is_none_or(|attached| {
                let lines = &attached.instructions.lines;
                lines.is_empty() || lines.iter().any(|line| line.id == *other)
            });
        }
        let Some(other) = state.memory(other) else {
            return false;
        };
        let stands = matches!(other.status, Status::Active | Status::NeedsReview);
        // Only a text that was changed since is read again: a judge may have seen what the words do not show.
        let changed = [memory, other]
            .iter()
            .any(|one| one.by == Author::Edit && one.updated_at > ask.at);
        stands && (!changed || compare(&memory.text, &other.text).is_some())
    }
}
