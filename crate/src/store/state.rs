//! The state: what all facts of the ledger, folded in order, say.

use super::entry::{Body, Fact, Row};
use super::tables::{Ask, Failure, Join, Reading, Tables, Tombstone};
use crate::memory::{
    EventSeq, Memory, MemoryId, Millis, Origin, Revision, ScopeKey, Seq, SessionId, Status,
};
use crate::text::order;
use crate::turn::Position;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Sessions whose read position is kept; past it the one least recently read is dropped by the fold.
///
/// A dropped session that is resumed later is treated as one older than the plugin: read from then on.
pub const SESSIONS_MAX: usize = 20_000;

/// Failure signatures that are counted; past it the oldest ones seen once are dropped by a fact.
pub const FAILURES_MAX: usize = 2_000;

/// How the human decided a contradiction, as the ledger spells it. Only `keep-both` changes the fold: it links the two.
pub const KEEP_BOTH: &str = "keep-both";

/// How a `conflict-resolved` row begins that says why there is no answer: the question stays open.
pub const UNANSWERED: &str = "unanswered:";

/// What all facts say. Only [`State::fold`] changes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    origin: Option<Origin>,
    seq: Seq,
    memories: BTreeMap<MemoryId, Rc<Memory>>,
    by_scope: BTreeMap<ScopeKey, BTreeSet<MemoryId>>,
    failures: BTreeMap<(ScopeKey, String), Failure>,
    sessions: BTreeMap<SessionId, Reading>,
    sessions_by_seq: BTreeMap<Seq, SessionId>,
    tombstones: BTreeMap<MemoryId, Tombstone>,
    asks: BTreeMap<MemoryId, Ask>,
    joins: BTreeMap<ScopeKey, ScopeKey>,
}

impl State {
    /// Returns the device whose ledger this is; `None` before the first row.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Returns the last row folded; 0 before the first.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Returns every memory, ascending by id, whatever its status.
    pub fn memories(&self) -> impl ExactSizeIterator<Item = &Rc<Memory>> {
        self.memories.values()
    }

    /// Returns one memory.
    pub fn memory(&self, id: &MemoryId) -> Option<&Rc<Memory>> {
        self.memories.get(id)
    }

    /// Returns the memories of one scope, ascending by id. Joined scopes are one.
    pub fn in_scope(&self, scope: &ScopeKey) -> impl Iterator<Item = &Rc<Memory>> {
        self.by_scope
            .get(self.scope_of(scope))
            .into_iter()
            .flatten()
            .filter_map(|id| self.memories.get(id))
    }

    /// Returns every scope that holds a memory, ascending, with how many it holds.
    pub fn scopes(&self) -> impl Iterator<Item = (&ScopeKey, usize)> {
        self.by_scope.iter().map(|(scope, ids)| (scope, ids.len()))
    }

    /// Returns the key under which a scope is kept: the one it was joined to, or itself.
    pub fn scope_of<'a>(&'a self, scope: &'a ScopeKey) -> &'a ScopeKey {
        self.joins.get(scope).unwrap_or(scope)
    }

    /// Returns the scope's key and every key that was joined to it.
    pub fn aliases(&self, scope: &ScopeKey) -> Vec<ScopeKey> {
        let kept = self.scope_of(scope);
        let mut out = vec![kept.clone()];
        out.extend(
            self.joins
                .iter()
                .filter(|(_, to)| *to == kept)
                .map(|(from, _)| from.clone()),
        );
        out
    }

    /// Returns every version of an original sentence in a scope, oldest first: the sentence as it was first said, then `-2`, `-3` ….
    pub fn versions(&self, scope: &ScopeKey, original: &str) -> Vec<&Rc<Memory>> {
        let mut out: Vec<&Rc<Memory>> = Vec::new();
        for alias in self.aliases(scope) {
            let base = MemoryId::of(&alias, original);
            // The suffix sorts after the id itself, and `.` after `-`: the range holds this id's versions alone.
            let end = MemoryId(format!("{base}."));
            out.extend(self.memories.range(base..end).map(|(_, memory)| memory));
        }
        order::sort_by(&mut out, |a, b| {
            (a.created_at, version_of(&a.id), &a.id).cmp(&(b.created_at, version_of(&b.id), &b.id))
        });
        out
    }

    /// Returns the id a new version of an original sentence gets: its own, or with the next suffix when it was said before.
    ///
    /// A forgotten version keeps its number: its id names the tombstone for ever.
    pub fn next_id(&self, scope: &ScopeKey, original: &str) -> MemoryId {
        let mut version = 0;
        for alias in self.aliases(scope) {
            let base = MemoryId::of(&alias, original);
            let end = MemoryId(format!("{base}."));
            let known = self.memories.range(base.clone()..end.clone()).map(|x| x.0);
            let dead = self.tombstones.range(base..end).map(|x| x.0);
            version = known.chain(dead).map(version_of).fold(version, u32::max);
        }
        let base = MemoryId::of(self.scope_of(scope), original);
        match version {
            0 => base,
            version => MemoryId(format!("{base}-{}", version + 1)),
        }
    }

    /// Returns the tombstone that forbids this sentence at this place of a transcript.
    ///
    /// Said anew at another place it is allowed: then this returns `None` and [`State::next_id`] gives a new version.
    pub fn forgotten(
        &self,
        scope: &ScopeKey,
        original: &str,
        position: &Position,
    ) -> Option<&Tombstone> {
        self.aliases(scope).iter().find_map(|alias| {
            let base = MemoryId::of(alias, original);
            let end = MemoryId(format!("{base}."));
            self.tombstones
                .range(base..end)
                .map(|(_, tombstone)| tombstone)
                .find(|tombstone| {
                    tombstone.positions.iter().any(|place| {
                        place.session_id == position.session_id && place.seq == position.seq
                    })
                })
        })
    }

    /// Returns every tombstone, ascending by id.
    pub fn tombstones(&self) -> impl Iterator<Item = &Tombstone> {
        self.tombstones.values()
    }

    /// Returns the mark left by a forgotten memory.
    pub fn tombstone(&self, id: &MemoryId) -> Option<&Tombstone> {
        self.tombstones.get(id)
    }

    /// Returns how often a failure signature was seen in a scope.
    pub fn failure(&self, scope: &ScopeKey, key: &str) -> Option<&Failure> {
        self.failures
            .get(&(self.scope_of(scope).clone(), key.to_owned()))
    }

    /// Returns every counted failure, ascending by scope and key.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = &Failure> {
        self.failures.values()
    }

    /// Returns how far a session was read.
    pub fn reading(&self, session: &SessionId) -> Option<&Reading> {
        self.sessions.get(session)
    }

    /// Returns the open question about a held memory.
    pub fn ask(&self, id: &MemoryId) -> Option<&Ask> {
        self.asks.get(id)
    }

    /// Returns every open question, ascending by id.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.asks.values()
    }

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

    fn apply(&mut self, fact: Fact, seq: Seq, at: Millis) {
        match fact {
            Fact::Write { memory } => self.put(*memory, false),
            Fact::Edit { memory } => self.put(*memory, true),
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
                position,
            } => {
                let scope = self.scope_of(&scope).clone();
                let failure = Failure {
                    scope: scope.clone(),
                    key: key.clone(),
                    tool,
                    signature,
                    count,
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
            } => {
                let ask = Ask {
                    id: id.clone(),
                    against,
                    attempt,
                    detector,
                    shared,
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
                    return;
                }
                self.asks.remove(&id);
                if choice == KEEP_BOTH {
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
                // What two sentences share is content of both.
                for ask in self.asks.values_mut().filter(|x| x.against.contains(&id)) {
                    ask.against.retain(|other| *other != id);
                    ask.shared.clear();
                }
                let scope = self.scope_of(&scope).clone();
                let tombstone = Tombstone {
                    id: id.clone(),
                    scope,
                    at,
                    by,
                    positions,
                };
                self.tombstones.insert(id, tombstone);
            }
            Fact::Scope { from, to } => self.join(&from, &to),
            Fact::Checkpoint { state } => self.set(*state),
        }
    }

    /// Puts a record in. A tombstone wins over any write of its id; a record that is there is only replaced by a hand edit.
    fn put(&mut self, mut memory: Memory, replace: bool) {
        if self.tombstones.contains_key(&memory.id)
            || (!replace && self.memories.contains_key(&memory.id))
        {
            return;
        }
        self.take(&memory.id);
        memory.scope = self.scope_of(&memory.scope).clone();
        self.by_scope
            .entry(memory.scope.clone())
            .or_default()
            .insert(memory.id.clone());
        self.memories.insert(memory.id.clone(), Rc::new(memory));
    }

    /// Takes a record out.
    fn take(&mut self, id: &MemoryId) {
        let Some(memory) = self.memories.remove(id) else {
            return;
        };
        if let Some(ids) = self.by_scope.get_mut(&memory.scope) {
            ids.remove(id);
            if ids.is_empty() {
                self.by_scope.remove(&memory.scope);
            }
        }
    }

    fn change(&mut self, id: &MemoryId, at: Millis, change: impl FnOnce(&mut Memory)) {
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

    fn read(&mut self, reading: Reading) {
        if let Some(before) = self.sessions.get(&reading.session_id) {
            self.sessions_by_seq.remove(&before.seq);
        }
        self.sessions_by_seq
            .insert(reading.seq, reading.session_id.clone());
        self.sessions.insert(reading.session_id.clone(), reading);
        if self.sessions.len() > SESSIONS_MAX
            && let Some((_, oldest)) = self.sessions_by_seq.pop_first()
        {
            self.sessions.remove(&oldest);
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
        let moved = self.by_scope.remove(&from).unwrap_or_default();
        for id in &moved {
            if let Some(memory) = self.memories.get_mut(id) {
                Rc::make_mut(memory).scope = to.clone();
            }
        }
        if !moved.is_empty() {
            self.by_scope.entry(to.clone()).or_default().extend(moved);
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
                self.failures
                    .entry((to.clone(), old.1))
                    .and_modify(|kept| {
                        let count = kept.count.saturating_add(failure.count);
                        if failure.seq > kept.seq {
                            *kept = failure.clone();
                        }
                        kept.count = count;
                    })
                    .or_insert(failure);
            }
        }
        for reading in self.sessions.values_mut().filter(|x| x.scope == from) {
            reading.scope = to.clone();
        }
        for tombstone in self.tombstones.values_mut().filter(|x| x.scope == from) {
            tombstone.scope = to.clone();
        }
    }

    /// Puts a folded state in the place of this one.
    pub fn set(&mut self, tables: Tables) {
        *self = Self {
            origin: self.origin.take(),
            seq: self.seq,
            ..Self::default()
        };
        self.joins = tables.scopes.into_iter().map(|x| (x.from, x.to)).collect();
        // The records come ascending by id, so each scope's set is built from a sorted list.
        let mut by_scope: BTreeMap<&ScopeKey, Vec<MemoryId>> = BTreeMap::new();
        for memory in &tables.memories {
            by_scope
                .entry(&memory.scope)
                .or_default()
                .push(memory.id.clone());
        }
        self.by_scope = by_scope
            .into_iter()
            .map(|(scope, ids)| (scope.clone(), ids.into_iter().collect()))
            .collect();
        self.memories = tables
            .memories
            .into_iter()
            .map(|memory| (memory.id.clone(), memory))
            .collect();
        self.failures = tables
            .failures
            .into_iter()
            .map(|x| ((x.scope.clone(), x.key.clone()), x))
            .collect();
        for reading in tables.sessions {
            self.read(reading);
        }
        self.tombstones = tables
            .tombstones
            .into_iter()
            .map(|x| (x.id.clone(), x))
            .collect();
        self.asks = tables.asks.into_iter().map(|x| (x.id.clone(), x)).collect();
    }

    /// Returns the state as it is written.
    pub fn tables(&self) -> Tables {
        Tables {
            memories: self.memories.values().cloned().collect(),
            failures: self.failures.values().cloned().collect(),
            sessions: self.sessions.values().cloned().collect(),
            tombstones: self.tombstones.values().cloned().collect(),
            asks: self.asks.values().cloned().collect(),
            scopes: self
                .joins
                .iter()
                .map(|(from, to)| Join {
                    from: from.clone(),
                    to: to.clone(),
                })
                .collect(),
        }
    }

    /// Sets where a checkpoint stands.
    pub(super) fn stand_at(&mut self, origin: Origin, seq: Seq) {
        self.origin = Some(origin);
        self.seq = seq;
    }

    /// Returns the facts that bring the failure counts back under their limit: the oldest seen once go first, then the oldest.
    pub(super) fn failures_to_drop(&self, max: usize) -> Vec<Fact> {
        let over = self.failures.len().saturating_sub(max);
        if over == 0 {
            return Vec::new();
        }
        let mut all: Vec<&Failure> = self.failures.values().collect();
        order::sort_by(&mut all, |a, b| {
            (a.count > 1, a.seq).cmp(&(b.count > 1, b.seq))
        });
        let mut by_scope: BTreeMap<ScopeKey, Vec<String>> = BTreeMap::new();
        for failure in all.into_iter().take(over) {
            by_scope
                .entry(failure.scope.clone())
                .or_default()
                .push(failure.key.clone());
        }
        by_scope
            .into_iter()
            .map(|(scope, keys)| Fact::FailureDropped { scope, keys })
            .collect()
    }

    /// Returns the read position of a session, 0 when it was never read.
    pub fn read_to(&self, session: &SessionId) -> EventSeq {
        self.sessions
            .get(session)
            .map_or(EventSeq(0), |reading| reading.read_to)
    }
}

/// Returns which version of its sentence an id names, from 1.
fn version_of(id: &MemoryId) -> u32 {
    id.as_str()
        .strip_prefix("m-")
        .and_then(|rest| rest.split_once('-'))
        .and_then(|(_, version)| version.parse().ok())
        .unwrap_or(1)
}

fn bump(memory: &mut Memory) {
    memory.revision = Revision(memory.revision.0.saturating_add(1));
}

fn link(links: &mut Vec<MemoryId>, id: &MemoryId) {
    if !links.contains(id) {
        links.push(id.clone());
    }
}
