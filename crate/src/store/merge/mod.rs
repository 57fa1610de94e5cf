//! The state as a function of the entries of all devices, in whatever order they arrived.
//!
//! Entries are folded in one order that every device computes alike: by their number, which stands above everything its
//! device knew (`prepare`), then by device. An entry that knew all before it is folded as on a device alone. One that did
//! not know of another about the same thing is decided on by a rule of `docs/sync.md`, which no clock takes part in.

mod conflict;
mod count;
mod field;

use super::entry::{Body, Fact, Row};
use super::fold::bump;
use super::names::{self, Name, alias, local_scope};
use super::state::State;
use super::table::Table;
use super::tables::Tables;
use crate::memory::{Memory, MemoryId, Millis, Origin, ScopeKey, Seq, Status};
use crate::text::order;
use crate::text::sorted::Map;
use conflict::Answer;
pub(super) use conflict::is_claim;
use count::Counts;

/// Which entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    origin: Origin,
    seq: Seq,
}

/// What an entry did to a record.
#[derive(Debug, Clone, PartialEq)]
struct Mark {
    what: Did,
    by: Stamp,
}

#[derive(Debug, Clone, PartialEq)]
enum Did {
    Wrote,
    /// Changed a field, by its place in [`field::FIELDS`].
    Set(usize),
    SetStatus,
    /// Put this one in its place.
    Replaced(MemoryId),
    Linked,
    Restated,
    Asked,
    Forgot,
}

/// Folds the entries of all devices.
pub(super) struct Merger {
    pub state: State,
    own: Origin,
    /// How far each device had heard each other.
    heard: Map<Origin, Map<Origin, Seq>>,
    marks: Table<Vec<Mark>>,
    answers: Map<MemoryId, Vec<Answer>>,
    /// Ids that two devices gave to different things: the entry that wrote each, and what it is called here.
    aliases: Map<MemoryId, Vec<(Stamp, MemoryId)>>,
    /// What an id in an entry was found to mean, where that is another: what was known then is not told from the end.
    renamed: Map<(Origin, Seq, MemoryId), MemoryId>,
    counts: Counts,
    /// What stands for a device's text of a record that another device changed, too.
    beside: Map<(MemoryId, Origin), MemoryId>,
    /// Entries of the commit at hand that are passed over.
    passed: Vec<MemoryId>,
}

impl Merger {
    /// Begins with what `base` says was so before every entry to come.
    pub fn new(own: &Origin, base: Option<Tables>) -> Self {
        let mut state = State::default();
        if let Some(base) = base {
            state.set(base);
        }
        let counts = Counts::of(&state, own);
        let mut heard: Map<Origin, Map<Origin, Seq>> = Map::new();
        for one in state.vector() {
            heard.or_default(own.clone()).insert(one.origin, one.seq);
        }
        Self {
            state,
            own: own.clone(),
            heard,
            marks: Table::default(),
            answers: Map::new(),
            aliases: Map::new(),
            renamed: Map::new(),
            counts,
            beside: Map::new(),
            passed: Vec::new(),
        }
    }

    /// Folds entries, whatever order they come in.
    pub fn fold(&mut self, rows: &mut Vec<Row>) {
        order::sort_by(rows, |a, b| {
            (a.tx, &a.origin, a.seq).cmp(&(b.tx, &b.origin, b.seq))
        });
        let mut begun: Option<(Seq, Origin)> = None;
        for at in 0..rows.len() {
            let Some(row) = rows.get(at) else { break };
            let commit = (row.tx, row.origin.clone());
            if begun.as_ref() != Some(&commit) {
                self.passed.clear();
                let same = rows.get(at..).unwrap_or_default().iter();
                let same = same.take_while(|x| x.tx == commit.0 && x.origin == commit.1);
                let facts: Vec<&Row> = same.collect();
                self.begin(&facts);
                begun = Some(commit);
            }
            let row = row.clone();
            if let Body::Fact(fact) = row.body {
                let stamp = Stamp {
                    origin: row.origin,
                    seq: row.seq,
                };
                self.entry(fact, stamp, row.at);
            }
        }
    }

    pub fn own(&self) -> &Origin {
        &self.own
    }

    /// Returns whether the entry `by` was made knowing the entry `of`, which stands before it.
    fn knows(&self, by: &Stamp, of: &Stamp) -> bool {
        by.origin == of.origin
            || self
                .heard
                .get(&by.origin)
                .and_then(|heard| heard.get(&of.origin))
                .is_some_and(|seq| *seq >= of.seq)
    }

    fn marks(&self, id: &MemoryId) -> &[Mark] {
        self.marks.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    fn mark(&mut self, id: &MemoryId, what: Did, by: &Stamp) {
        let mark = Mark {
            what,
            by: by.clone(),
        };
        match self.marks.get_mut(id) {
            Some(marks) => {
                // What replaced a record is looked up by each; of everything else the last matters.
                if !matches!(mark.what, Did::Replaced(_)) {
                    marks.retain(|known| known.what != mark.what);
                }
                marks.push(mark);
            }
            None => self.marks.insert(id.clone(), vec![mark]),
        }
    }

    /// Returns whether something was done to a record that the entry `by` did not know.
    fn is_unaware(&self, id: &MemoryId, by: &Stamp, what: impl Fn(&Did) -> bool) -> bool {
        let marks = self.marks(id).iter();
        let mut unknown = marks.filter(|mark| what(&mark.what) && !self.knows(by, &mark.by));
        unknown.next().is_some()
    }

    /// Returns what an id in an entry that was folded is called.
    pub fn called(&self, origin: &Origin, seq: Seq, id: &MemoryId) -> MemoryId {
        let key = (origin.clone(), seq, id.clone());
        self.renamed.get(&key).unwrap_or(id).clone()
    }

    /// Returns what an id in the entry at hand is called.
    fn name_of(&self, origin: &Origin, seq: Seq, id: &MemoryId) -> MemoryId {
        let by = Stamp {
            origin: origin.clone(),
            seq,
        };
        let named = self.aliases.get(id).and_then(|all| {
            let known = all.iter().find(|(wrote, _)| self.knows(&by, wrote));
            known.map(|(_, name)| name.clone())
        });
        named.unwrap_or_else(|| id.clone())
    }

    fn entry(&mut self, mut fact: Fact, by: Stamp, at: Millis) {
        let own = self.own.clone();
        let is_write = matches!(fact, Fact::Write { .. });
        names::each(&mut fact, &mut |name| match name {
            Name::Scope(scope) => *scope = local_scope(scope, own.as_str()),
            Name::Id(id) if !is_write && !self.aliases.is_empty() => {
                let name = self.name_of(&by.origin, by.seq, id);
                if name != *id {
                    let key = (by.origin.clone(), by.seq, id.clone());
                    self.renamed.insert(key, name.clone());
                }
                *id = name;
            }
            _ => {}
        });
        match fact {
            Fact::Merge { merged } => {
                let heard = self.heard.or_default(by.origin);
                for one in merged.vector {
                    heard.insert(one.origin, one.seq);
                }
            }
            Fact::Import { .. } | Fact::Checkpoint { .. } => {}
            Fact::Write { memory } => self.write(*memory, by, at),
            Fact::Edit { memory, changed } => self.edit(*memory, &changed, by, at),
            Fact::Status {
                id,
                status,
                revision,
                reason,
            } => {
                if self.passed.contains(&id) || self.is_replaced_unaware(&id, &by) {
                    return;
                }
                let is_unaware = self.is_unaware(&id, &by, |_| true);
                let known = self.state.memory(&id).map_or(0, |x| x.revision.0);
                let mut revision = revision;
                if is_unaware {
                    revision.0 = revision.0.max(known.saturating_add(1));
                }
                self.mark(&id, Did::SetStatus, &by);
                let fact = Fact::Status {
                    id,
                    status,
                    revision,
                    reason,
                };
                self.state.apply(fact, by.seq, at);
            }
            Fact::Supersede { old, new } => self.supersede(old, new, by, at),
            Fact::Canonical { id, text } => {
                self.mark(&id, Did::Restated, &by);
                // What is blanked was forgotten, or is an old wording.
                if text.is_empty() {
                    return self.state.change(&id, at, bump);
                }
                self.state.apply(Fact::Canonical { id, text }, by.seq, at);
            }
            fact @ (Fact::Failure { .. } | Fact::FailureDropped { .. } | Fact::Scope { .. }) => {
                self.count(fact, by, at);
            }
            Fact::Turn {
                ref session_id,
                read_to,
                ..
            } => {
                if self.state.read_to(session_id) <= read_to {
                    self.state.apply(fact, by.seq, at);
                }
            }
            fact @ (Fact::ConflictAsk { .. } | Fact::ConflictResolved { .. }) => {
                self.question(fact, by, at);
            }
            Fact::Plan { ref plan } => {
                let targets = plan.decisions.iter().flat_map(|x| x.targets.iter());
                let targets: Vec<MemoryId> = targets.cloned().collect();
                for id in &targets {
                    self.mark(id, Did::Linked, &by);
                }
                self.state.apply(fact, by.seq, at);
            }
            Fact::Forget { ref id, .. } => {
                let id = id.clone();
                self.mark(&id, Did::Forgot, &by);
                self.state.apply(fact, by.seq, at);
            }
            Fact::RequestExpired { .. } | Fact::DigestPending { .. } | Fact::Digested { .. } => {
                self.state.apply(fact, by.seq, at);
            }
        }
    }

    fn write(&mut self, mut memory: Memory, by: Stamp, at: Millis) {
        let id = memory.id.clone();
        let scope = self.state.scope_of(&memory.scope).clone();
        let there = self.state.memory(&id).map(|x| (x.scope.clone(), x.status));
        let other = match (&there, self.state.tombstone(&id)) {
            (Some((other, _)), _) => Some(other.clone()),
            (None, Some(tombstone)) => Some(tombstone.scope.clone()),
            (None, None) => None,
        };
        let is_unaware = self.is_unaware(&id, &by, |did| *did == Did::Wrote);
        if let Some(other) = other {
            // The same sentence at the same path of two devices: two folders until a person joins them.
            if is_unaware && other != scope && (is_path(&other) || is_path(&scope)) {
                let alias = alias(&by.origin, &id);
                let first = self.marks(&id).iter().find(|mark| mark.what == Did::Wrote);
                let first = first.map(|mark| (mark.by.clone(), id.clone()));
                let key = (by.origin.clone(), by.seq, id.clone());
                self.renamed.insert(key, alias.clone());
                let names = self.aliases.or_default(id);
                if names.is_empty() {
                    names.extend(first);
                }
                names.push((by.clone(), alias.clone()));
                memory.id = alias.clone();
                self.mark(&alias, Did::Wrote, &by);
                return self.state.put(memory, false);
            }
            // Held by one device: held until a person chooses.
            let is_held = memory.status == Status::NeedsReview
                && there.is_some_and(|(_, status)| status == Status::Active)
                && !self.is_unaware(&id, &by, |did| *did != Did::Wrote);
            if is_unaware && is_held {
                self.state
                    .change(&id, at, |kept| kept.status = Status::NeedsReview);
            }
            return;
        }
        self.mark(&id, Did::Wrote, &by);
        let memory = Box::new(memory);
        self.state.apply(Fact::Write { memory }, by.seq, at);
    }
}

fn is_path(scope: &ScopeKey) -> bool {
    scope.as_str().starts_with("path:")
}
