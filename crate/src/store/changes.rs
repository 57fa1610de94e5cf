//! Which memories changed lately, so that an index over them follows without looking at all.

use super::entry::{Body, Fact};
use crate::memory::MemoryId;
use std::collections::VecDeque;

/// Changes remembered; a reader further behind looks at every memory.
const CHANGES_MAX: usize = 1_024;

/// A counter that grows with every fact, and the memories the last ones touched.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    generation: u64,
    recent: VecDeque<(u64, MemoryId)>,
    /// A reader at this generation or before must look at everything.
    complete_after: u64,
}

impl Default for Changes {
    fn default() -> Self {
        // A reader that has seen nothing is at 0 and looks at everything.
        Self {
            generation: 1,
            recent: VecDeque::new(),
            complete_after: 0,
        }
    }
}

impl Changes {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns what changed after `generation`; `None` when too much did.
    pub(super) fn since(&self, generation: u64) -> Option<Vec<MemoryId>> {
        (generation > self.complete_after).then(|| {
            let later = self.recent.iter().filter(|(at, _)| *at > generation);
            later.map(|(_, id)| id.clone()).collect()
        })
    }

    /// Notes that everything may have changed.
    pub(super) fn reset(&mut self) {
        self.generation += 1;
        self.complete_after = self.generation - 1;
        self.recent.clear();
    }

    /// Notes a row that is about to be folded.
    pub(super) fn note(&mut self, body: &Body) {
        let Body::Fact(fact) = body else { return };
        let touched: Vec<&MemoryId> = match fact {
            Fact::Write { memory } | Fact::Edit { memory, .. } => vec![&memory.id],
            Fact::Status { id, .. } | Fact::Canonical { id, .. } | Fact::Forget { id, .. } => {
                vec![id]
            }
            Fact::Supersede { old, new } => vec![old, new],
            Fact::ConflictResolved { id, against, .. } => {
                std::iter::once(id).chain(against).collect()
            }
            Fact::Plan { plan } => plan.decisions.iter().flat_map(|x| &x.targets).collect(),
            Fact::Scope { .. } | Fact::Checkpoint { .. } | Fact::Merge { .. } => {
                return self.reset();
            }
            Fact::Failure { .. }
            | Fact::FailureDropped { .. }
            | Fact::Turn { .. }
            | Fact::RequestExpired { .. }
            | Fact::DigestPending { .. }
            | Fact::Digested { .. }
            | Fact::Import { .. }
            | Fact::ConflictAsk { .. } => return,
        };
        self.generation += 1;
        for id in touched {
            self.recent.push_back((self.generation, id.clone()));
        }
        while self.recent.len() > CHANGES_MAX {
            if let Some((at, _)) = self.recent.pop_front() {
                self.complete_after = at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(id: &str) -> Body {
        Body::Fact(Fact::Canonical {
            id: id.into(),
            text: String::new(),
        })
    }

    #[test]
    fn a_reader_learns_what_changed_since_it_looked() {
        let mut changes = Changes::default();
        assert_eq!(
            changes.since(0),
            None,
            "who saw nothing looks at everything"
        );
        let seen = changes.generation();
        changes.note(&archive("m-a"));
        changes.note(&archive("m-b"));
        assert_eq!(changes.since(seen), Some(vec!["m-a".into(), "m-b".into()]));
        assert_eq!(changes.since(changes.generation()), Some(vec![]));
    }

    #[test]
    fn a_reader_too_far_behind_looks_at_everything() {
        let mut changes = Changes::default();
        let seen = changes.generation();
        for _ in 0..=CHANGES_MAX {
            changes.note(&archive("m-a"));
        }
        assert_eq!(changes.since(seen), None);
        let seen = changes.generation();
        changes.reset();
        assert_eq!(changes.since(seen), None);
    }
}
