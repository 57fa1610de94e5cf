//! Failures that several devices saw: each device's own count, summed.

use super::super::entry::Fact;
use super::super::names::bare_scope;
use super::super::state::State;
use super::{Merger, Stamp};
use crate::memory::{MemoryId, Millis, Origin, ScopeKey, Seq};
use crate::text::sorted::Map;

type Key = (ScopeKey, String);

/// What each device counted itself, and its last entry that says so.
pub(super) struct Counts(Map<Key, Map<Origin, (u32, Seq)>>);

/// Stands for all devices whose entries are not here any more.
const OTHERS: &str = "";

impl Counts {
    /// Begins with the counts of a state that was folded already.
    pub fn of(state: &State, own: &Origin) -> Self {
        let mut out: Map<Key, Map<Origin, (u32, Seq)>> = Map::new();
        for failure in state.failures() {
            let each = out.or_default((failure.scope.clone(), failure.key.clone()));
            let mine = failure.count.saturating_sub(failure.more);
            each.insert(own.clone(), (mine, Seq(0)));
            if failure.more > 0 {
                each.insert(Origin::from(OTHERS), (failure.more, Seq(0)));
            }
        }
        Self(out)
    }

    /// Returns the sum, and how much of it is not `own`.
    fn sum(&self, key: &Key, own: &Origin) -> (u32, u32) {
        let (mut all, mut more) = (0u32, 0u32);
        for (origin, (n, _)) in self.0.get(key).into_iter().flat_map(Map::iter) {
            all = all.saturating_add(*n);
            if origin != own {
                more = more.saturating_add(*n);
            }
        }
        (all, more)
    }
}

impl Merger {
    pub(super) fn count(&mut self, fact: Fact, by: Stamp, at: Millis) {
        match fact {
            Fact::Failure {
                scope,
                key,
                tool,
                signature,
                count,
                more,
                position,
            } => {
                let scope = self.state.scope_of(&scope).clone();
                if signature.is_empty() || self.is_forgotten(&scope, &signature, &by) {
                    return;
                }
                let place = (scope.clone(), key.clone());
                let mine = self.counts.0.or_default(place.clone());
                let known = mine.get(&by.origin).map_or(0, |x| x.0);
                let own = count.saturating_sub(more).max(known);
                mine.insert(by.origin, (own, by.seq));
                let (count, more) = self.counts.sum(&place, &self.own);
                let fact = Fact::Failure {
                    scope,
                    key,
                    tool,
                    signature,
                    count,
                    more,
                    position,
                };
                self.state.apply(fact, by.seq, at);
            }
            Fact::FailureDropped { scope, keys } => {
                let scope = self.state.scope_of(&scope).clone();
                for key in keys {
                    let place = (scope.clone(), key);
                    let mut left = self.counts.0.remove(&place).unwrap_or_default();
                    let known = |origin: &Origin, seq: Seq| {
                        let of = Stamp {
                            origin: origin.clone(),
                            seq,
                        };
                        seq == Seq(0) || self.knows(&by, &of)
                    };
                    left.retain(|origin, (_, seq)| !known(origin, *seq));
                    if left.is_empty() {
                        self.state.failures.remove(&place);
                        continue;
                    }
                    self.counts.0.insert(place.clone(), left);
                    self.recount(&place);
                }
            }
            Fact::Scope { from, to } => {
                let before = self.state.scope_of(&from).clone();
                self.state.apply(Fact::Scope { from, to }, by.seq, at);
                let after = self.state.scope_of(&before).clone();
                if before == after {
                    return;
                }
                let moved: Vec<Key> = self
                    .counts
                    .0
                    .keys()
                    .filter(|x| x.0 == before)
                    .cloned()
                    .collect();
                for old in moved {
                    let each = self.counts.0.remove(&old).unwrap_or_default();
                    let place = (after.clone(), old.1);
                    let kept = self.counts.0.or_default(place.clone());
                    for (origin, (n, seq)) in each.iter() {
                        let (m, s) = kept.get(origin).copied().unwrap_or((0, Seq(0)));
                        kept.insert(origin.clone(), (n.saturating_add(m), (*seq).max(s)));
                    }
                    self.recount(&place);
                }
            }
            _ => {}
        }
    }

    fn recount(&mut self, place: &Key) {
        let (count, more) = self.counts.sum(place, &self.own);
        if let Some(failure) = self.state.failures.get_mut(place) {
            failure.count = count;
            failure.more = more;
        }
    }

    /// Returns whether the memory of a failure was forgotten by somebody an entry did not know of.
    fn is_forgotten(&self, scope: &ScopeKey, signature: &str, by: &Stamp) -> bool {
        self.state.aliases(scope).iter().any(|scope| {
            let id = MemoryId::of(&bare_scope(scope), signature);
            self.state.tombstone(&id).is_some()
                && self.is_unaware(&id, by, |did| *did == super::Did::Forgot)
        })
    }
}
