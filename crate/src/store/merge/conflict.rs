//! Contradictions that several devices met, replaced or answered: what differs waits for a person.

use super::super::entry::{Body, Fact, Row};
use super::super::fold::{UNANSWERED, bump, link};
use super::{Did, Merger, Stamp};
use crate::memory::{MemoryId, Millis, Status};

/// Answers that only a person gives.
const ANSWERS: [&str; 3] = ["replace", "keep-old", "keep-both"];

/// Links followed from a version to what stands in its place.
const LINKS_MAX: usize = 64;

/// How one device's person decided a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    by: Stamp,
    choice: String,
    against: Vec<MemoryId>,
}

/// A claim to show a card is about processes of one device.
pub(in crate::store) fn is_claim(fact: &Fact) -> bool {
    let Fact::ConflictAsk { asker, .. } = fact else {
        return false;
    };
    asker.as_ref().is_some_and(|asker| asker != "review")
}

impl Merger {
    /// Looks at a commit before its entries are folded: an answer that contradicts another device's decides nothing.
    pub(super) fn begin(&mut self, rows: &[&Row]) {
        let mut passed = Vec::new();
        for row in rows {
            let Body::Fact(Fact::ConflictResolved { id, choice, .. }) = &row.body else {
                continue;
            };
            let id = self.name_of(&row.origin, row.seq, id);
            let by = Stamp {
                origin: row.origin.clone(),
                seq: row.seq,
            };
            let answers = self.answers.get(&id).map(Vec::as_slice);
            let differs =
                |answer: &Answer| answer.choice != *choice && !self.knows(&by, &answer.by);
            let is_answer = ANSWERS.contains(&choice.as_str());
            if is_answer && answers.unwrap_or_default().iter().any(differs) {
                passed.push(id);
            }
        }
        self.passed = passed;
    }

    pub(super) fn is_replaced_unaware(&self, id: &MemoryId, by: &Stamp) -> bool {
        self.state
            .memory(id)
            .is_some_and(|x| x.status == Status::Superseded)
            && self.is_unaware(id, by, |did| matches!(did, Did::Replaced(_)))
    }

    pub(super) fn supersede(&mut self, old: MemoryId, new: MemoryId, by: Stamp, at: Millis) {
        if self.passed.contains(&new) {
            return;
        }
        let others: Vec<MemoryId> = self
            .marks(&old)
            .iter()
            .filter_map(|mark| match &mark.what {
                Did::Replaced(other) if *other != new && !self.knows(&by, &mark.by) => {
                    Some(other.clone())
                }
                _ => None,
            })
            .collect();
        self.mark(&old, Did::Replaced(new.clone()), &by);
        self.mark(&new, Did::Linked, &by);
        let fact = Fact::Supersede {
            old,
            new: new.clone(),
        };
        self.state.apply(fact, by.seq, at);
        let stand = |id: &MemoryId| {
            let found = self.state.memory(id);
            found.is_some_and(|x| x.status == Status::Active)
        };
        if !stand(&new) {
            return;
        }
        let mut heads: Vec<MemoryId> = Vec::new();
        for other in others {
            let mut at = other;
            for _ in 0..LINKS_MAX {
                if stand(&at) {
                    if at != new {
                        link(&mut heads, &at);
                    }
                    break;
                }
                let next = self.state.memory(&at).and_then(|x| x.superseded_by.last());
                let Some(next) = next else { break };
                at = next.clone();
            }
        }
        // Two devices put something else in the same place: both stay, and the second waits.
        if !heads.is_empty() {
            self.state.change(&new, at, |memory| {
                memory.status = Status::NeedsReview;
                bump(memory);
            });
            self.hold(&new, heads, &by, at);
        }
    }

    pub(super) fn question(&mut self, fact: Fact, by: Stamp, at: Millis) {
        match fact {
            fact if is_claim(&fact) => {}
            Fact::ConflictAsk {
                id,
                mut against,
                mut attempt,
                mut detector,
                mut shared,
                question,
                asker,
                instead,
            } => {
                if self.state.tombstone(&id).is_some() {
                    return;
                }
                against.retain(|other| self.state.tombstone(other).is_none());
                let answered = self.answers.get(&id).map(Vec::as_slice).unwrap_or_default();
                let mut unknown = answered.iter().filter(|x| !self.knows(&by, &x.by));
                let is_answered = unknown.clone().next().is_some();
                // Against what was decided on elsewhere nothing is open any more.
                against.retain(|other| !unknown.any(|x| x.against.contains(other)));
                if against.is_empty() {
                    return;
                }
                let is_unaware = self.is_unaware(&id, &by, |did| *did == Did::Asked);
                if let Some(ask) = self.state.asks.get(&id).filter(|_| is_unaware) {
                    // What two devices found adds up; which card was the last is the later entry's.
                    let found = std::mem::replace(&mut against, ask.against.clone());
                    found.iter().for_each(|other| link(&mut against, other));
                    attempt = attempt.max(ask.attempt);
                    if question.is_none() && ask.attempt > 0 {
                        detector.clone_from(&ask.detector);
                        shared.clone_from(&ask.shared);
                    }
                }
                if is_answered {
                    self.wait(&id, at);
                }
                self.mark(&id, Did::Asked, &by);
                let fact = Fact::ConflictAsk {
                    id,
                    against,
                    attempt,
                    detector,
                    shared,
                    question,
                    asker,
                    instead,
                };
                self.state.apply(fact, by.seq, at);
            }
            Fact::ConflictResolved {
                id,
                against,
                choice,
            } => {
                if choice.starts_with(UNANSWERED) {
                    let fact = Fact::ConflictResolved {
                        id,
                        against,
                        choice,
                    };
                    return self.state.apply(fact, by.seq, at);
                }
                let is_passed = self.passed.contains(&id);
                let answer = Answer {
                    by: by.clone(),
                    choice: choice.clone(),
                    against: against.clone(),
                };
                self.answers.or_default(id.clone()).push(answer);
                if is_passed {
                    return self.reopen(&id, against, &by, at);
                }
                let is_unaware = self.is_unaware(&id, &by, |did| *did == Did::Asked);
                let open = self.state.ask(&id).filter(|_| is_unaware);
                let open = open.map(|ask| ask.against.clone());
                let left: Vec<MemoryId> = open
                    .unwrap_or_default()
                    .into_iter()
                    .filter(|other| !against.contains(other))
                    .collect();
                let fact = Fact::ConflictResolved {
                    id: id.clone(),
                    against,
                    choice,
                };
                self.state.apply(fact, by.seq, at);
                // What another device found it to contradict is still open.
                if !left.is_empty() {
                    self.wait(&id, at);
                    self.hold(&id, left, &by, at);
                }
            }
            _ => {}
        }
    }

    fn wait(&mut self, id: &MemoryId, at: Millis) {
        let found = self.state.memory(id);
        if found.is_some_and(|x| x.status == Status::Active) {
            self.state.change(id, at, |memory| {
                memory.status = Status::NeedsReview;
                bump(memory);
            });
        }
    }

    /// Two devices answered differently: the question stands as before the first answer.
    fn reopen(&mut self, id: &MemoryId, against: Vec<MemoryId>, by: &Stamp, at: Millis) {
        let mut all = against;
        for answer in self.answers.get(id).map(Vec::as_slice).unwrap_or_default() {
            answer.against.iter().for_each(|x| link(&mut all, x));
        }
        all.retain(|other| self.state.tombstone(other).is_none());
        if self.state.memory(id).is_none() || all.is_empty() {
            return;
        }
        for old in &all {
            let was_replaced = self
                .state
                .memory(old)
                .is_some_and(|x| x.superseded_by.contains(id));
            if !was_replaced {
                continue;
            }
            self.state.change(old, at, |memory| {
                memory.superseded_by.retain(|x| x != id);
                if memory.superseded_by.is_empty() && memory.status == Status::Superseded {
                    memory.status = Status::Active;
                }
                bump(memory);
            });
            self.state.change(id, at, |memory| {
                memory.supersedes.retain(|x| x != old);
            });
            if let Some(marks) = self.marks.get_mut(old) {
                marks.retain(|mark| mark.what != Did::Replaced(id.clone()));
            }
        }
        self.state.change(id, at, |memory| {
            if memory.status != Status::Superseded {
                memory.status = Status::NeedsReview;
            }
            bump(memory);
        });
        self.hold(id, all, by, at);
    }
}
