//! What each fact does to the state.

use super::entry::{Body, Fact, Row};
use super::forget::POSITIONS_MAX;
use super::state::{ASKED_MAX, SESSIONS_MAX, State};
use super::tables::{Ask, Digest, Failure, Reading, Tombstone};
use crate::decide::outcome::{Done, Planned, Recorded};
use crate::memory::{Memory, MemoryId, Millis, Revision, ScopeKey, Seq, Status};
use std::rc::Rc;

/// How the human decided a contradiction, as the ledger spells it. Only `keep-both` and `conflict` change the fold: they link the two.
pub const KEEP_BOTH: &str = "keep-both";

/// A judge found that two statements cannot both hold and nothing says which does: both stay, linked.
pub const STORED_CONFLICT: &str = "conflict";

/// How a `conflict-resolved` row begins that says why there is no answer: the question stays open.
pub const UNANSWERED: &str = "unanswered:";

impl State {
    /// Applies one row. Observations and unknown kinds change nothing but the position.
    pub fn fold(&mut self, row: Row) {
        if self.origin.is_none() {
            self.origin = Some(row.origin);
        }
        self.seq = self.seq.max(row.seq);
        if let Body::Fact(fact) = row.body {
            self.apply(fact, row.seq, row.at);
        }
    }

    pub(super) fn apply(&mut self, fact: Fact, seq: Seq, at: Millis) {
        match fact {
            Fact::Write { memory } => self.put(*memory, false),
            Fact::Edit { memory, .. } => self.put(*memory, true),
            Fact::Status {
                id,
                status,
                revision,
                ..
            } => self.change(&id, at, |memory| {
                memory.status = status;
                memory.revision = revision;
            }),
            Fact::Supersede { old, new } => self.supersede(&old, &new, at),
            Fact::Canonical { id, text } => self.change(&id, at, |memory| {
                memory.canonical = Some(text);
                bump(memory);
            }),
            Fact::Failure {
                scope,
                key,
                tool,
                signature,
                count,
                more,
                position,
            } => {
                let scope = self.scope_of(&scope).clone();
                let failure = Failure {
                    scope: scope.clone(),
                    key: key.clone(),
                    tool,
                    signature,
                    count,
                    more,
                    position,
                    at,
                    seq,
                };
                self.failures.insert((scope, key), failure);
            }
            Fact::FailureDropped { scope, keys } => {
                let scope = self.scope_of(&scope).clone();
                for key in keys {
                    self.failures.remove(&(scope.clone(), key));
                }
            }
            Fact::Turn {
                session_id,
                turn,
                read_to,
                scope,
            } => {
                let scope = self.scope_of(&scope).clone();
                self.read(Reading {
                    session_id,
                    turn,
                    read_to,
                    scope,
                    seq,
                });
            }
            Fact::ConflictAsk {
                id,
                against,
                attempt,
                detector,
                shared,
                question,
                asker,
                instead,
            } => {
                let before = self.asks.get(&id).map_or("", |ask| &ask.asker);
                let asker = match asker {
                    // One card at a time: the first of two askers that did not know of each other.
                    Some(_) if before != instead.as_deref().unwrap_or_default() => return,
                    Some(asker) => asker,
                    None if question.is_some() => before.to_owned(),
                    None => String::new(),
                };
                let ask = Ask {
                    id: id.clone(),
                    against,
                    attempt,
                    detector,
                    shared,
                    asker,
                    at,
                };
                self.asks.insert(id, ask);
            }
            Fact::ConflictResolved {
                id,
                against,
                choice,
            } => {
                if choice.starts_with(UNANSWERED) {
                    if let Some(ask) = self.asks.get_mut(&id) {
                        ask.asker.clear();
                    }
                    return;
                }
                self.asks.remove(&id);
                if choice == KEEP_BOTH || choice == STORED_CONFLICT {
                    for other in &against {
                        self.change(&id, at, |memory| link(&mut memory.conflicts_with, other));
                        self.change(other, at, |memory| link(&mut memory.conflicts_with, &id));
                    }
                }
            }
            Fact::Forget {
                id,
                scope,
                positions,
                by,
                ..
            } => {
                self.take(&id);
                self.asks.remove(&id);
                // A request whose source is gone may come again as a new one.
                self.requests.retain(|_, x| !x.plan.sources.contains(&id));
                // What two sentences share is content of both.
                for ask in self.asks.values_mut().filter(|x| x.against.contains(&id)) {
                    ask.against.retain(|other| *other != id);
                    ask.shared.clear();
                }
                let scope = self.scope_of(&scope).clone();
                // Two devices may forget the same; the first says when.
                if let Some(known) = self.tombstones.get_mut(&id) {
                    for position in positions {
                        if known.positions.len() < POSITIONS_MAX
                            && !known.positions.contains(&position)
                        {
                            known.positions.push(position);
                        }
                    }
                    return;
                }
                let tombstone = Tombstone {
                    id: id.clone(),
                    scope,
                    at,
                    by,
                    positions,
                };
                self.tombstones.insert(id, tombstone);
            }
            Fact::Plan { plan } => self.record(*plan, at),
            Fact::RequestExpired { requests } => {
                for request in &requests {
                    self.requests.remove(request);
                }
            }
            Fact::DigestPending { scope } => {
                let digest = self.digest_of(&scope);
                let from = digest.pending.map_or(seq, |pending| pending.0);
                digest.pending = Some((from, seq));
            }
            Fact::Digested {
                scope,
                asked,
                up_to,
            } => {
                let digest = self.digest_of(&scope);
                match up_to {
                    Some(up_to) => {
                        digest.asked = asked;
                        digest.pending = digest
                            .pending
                            .filter(|pending| pending.1 > up_to)
                            .map(|(from, to)| (from.max(Seq(up_to.0.saturating_add(1))), to));
                    }
                    None => digest.asked.extend(asked),
                }
                let over = digest.asked.len().saturating_sub(ASKED_MAX);
                digest.asked.drain(..over);
                if digest.pending.is_none() && digest.asked.is_empty() {
                    let scope = digest.scope.clone();
                    self.digests.remove(&scope);
                }
            }
            Fact::Scope { from, to } => self.join(&from, &to),
            Fact::Checkpoint { state } => self.set(*state),
            // What it comes to is said by the merge behind it.
            Fact::Import { .. } => {}
            Fact::Merge { merged } => self.merge(*merged),
        }
    }

    fn digest_of(&mut self, scope: &ScopeKey) -> &mut Digest {
        let scope = self.scope_of(scope).clone();
        self.digests.or_insert_with(scope.clone(), || Digest {
            scope,
            pending: None,
            asked: Vec::new(),
        })
    }

    /// Takes a plan in: who said again what is known becomes another name of it, and the result can be said again.
    fn record(&mut self, mut plan: Planned, at: Millis) {
        for decision in plan.decisions.iter().filter(|x| x.action == Done::Skip) {
            for target in &decision.targets {
                self.change(target, at, |memory| {
                    for id in &decision.source_ids {
                        link(&mut memory.source.source_ids, id);
                    }
                    for id in &decision.proposal_ids {
                        link(&mut memory.source.aliases, id);
                    }
                });
            }
        }
        if let Some(request) = plan.request.clone() {
            plan.bases.clear();
            let recorded = Recorded { at, plan };
            self.requests.insert(request, Rc::new(recorded));
        }
    }

    /// Puts a record in. A tombstone wins over any write of its id; a record that is there is only replaced by a hand edit.
    pub(super) fn put(&mut self, mut memory: Memory, replace: bool) {
        if self.tombstones.contains(&memory.id) || (!replace && self.memories.contains(&memory.id))
        {
            return;
        }
        self.take(&memory.id);
        memory.scope = self.scope_of(&memory.scope).clone();
        *self.by_scope.or_default(memory.scope.clone()) += 1;
        self.memories.insert(memory.id.clone(), Rc::new(memory));
    }

    /// Takes a record out.
    pub(super) fn take(&mut self, id: &MemoryId) {
        let Some(memory) = self.memories.remove(id) else {
            return;
        };
        if let Some(n) = self.by_scope.get_mut(&memory.scope) {
            *n -= 1;
            if *n == 0 {
                self.by_scope.remove(&memory.scope);
            }
        }
    }

    pub(super) fn change(&mut self, id: &MemoryId, at: Millis, change: impl FnOnce(&mut Memory)) {
        if let Some(memory) = self.memories.get_mut(id) {
            let memory = Rc::make_mut(memory);
            change(memory);
            memory.updated_at = at;
        }
    }

    fn supersede(&mut self, old: &MemoryId, new: &MemoryId, at: Millis) {
        self.change(old, at, |memory| {
            memory.status = Status::Superseded;
            link(&mut memory.superseded_by, new);
            bump(memory);
        });
        self.change(new, at, |memory| {
            link(&mut memory.supersedes, old);
            bump(memory);
        });
    }

    pub(super) fn read(&mut self, reading: Reading) {
        if let Some(before) = self.sessions.get(&reading.session_id) {
            let place = (before.seq, before.session_id.clone());
            self.sessions_by_seq.remove(&place);
        }
        self.sessions_by_seq
            .insert((reading.seq, reading.session_id.clone()));
        self.sessions.insert(reading.session_id.clone(), reading);
        if self.sessions.len() > SESSIONS_MAX
            && let Some(oldest) = self.sessions_by_seq.first().cloned()
        {
            self.sessions_by_seq.remove(&oldest);
            self.sessions.remove(&oldest.1);
        }
    }

    /// Makes two keys one scope. Joining a scope to itself, in however many steps, changes nothing.
    fn join(&mut self, from: &ScopeKey, to: &ScopeKey) {
        let to = self.scope_of(to).clone();
        let from = self.scope_of(from).clone();
        if from == to || from.is_global() || to.is_global() {
            return;
        }
        for target in self.joins.values_mut().filter(|target| **target == from) {
            *target = to.clone();
        }
        self.joins.insert(from.clone(), to.clone());
        if let Some(n) = self.by_scope.remove(&from) {
            for memory in self.memories.values_mut().filter(|x| x.scope == from) {
                Rc::make_mut(memory).scope = to.clone();
            }
            *self.by_scope.or_default(to.clone()) += n;
        }
        let keys: Vec<_> = self
            .failures
            .keys()
            .filter(|(scope, _)| *scope == from)
            .cloned()
            .collect();
        for old in keys {
            if let Some(mut failure) = self.failures.remove(&old) {
                failure.scope = to.clone();
                let key = (to.clone(), old.1);
                if let Some(kept) = self.failures.get_mut(&key) {
                    let count = kept.count.saturating_add(failure.count);
                    let more = kept.more.saturating_add(failure.more);
                    if failure.seq > kept.seq {
                        *kept = failure;
                    }
                    kept.count = count;
                    kept.more = more;
                } else {
                    self.failures.insert(key, failure);
                }
            }
        }
        if let Some(old) = self.digests.remove(&from) {
            let digest = self.digest_of(&to);
            digest.asked.extend(old.asked);
            digest.pending = match (digest.pending, old.pending) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
        }
        for reading in self.sessions.values_mut().filter(|x| x.scope == from) {
            reading.scope = to.clone();
        }
        for tombstone in self.tombstones.values_mut().filter(|x| x.scope == from) {
            tombstone.scope = to.clone();
        }
    }
}

pub(super) fn bump(memory: &mut Memory) {
    memory.revision = Revision(memory.revision.0.saturating_add(1));
}

pub(super) fn link(links: &mut Vec<MemoryId>, id: &MemoryId) {
    if !links.contains(id) {
        links.push(id.clone());
    }
}
