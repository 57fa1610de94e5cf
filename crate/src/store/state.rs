//! The state: what all facts of the ledger, folded in order, say.

use super::entry::Fact;
pub use super::fold::{KEEP_BOTH, STORED_CONFLICT, UNANSWERED};
use super::names::alias;
use super::table::{Table, Values};
use super::tables::{Ask, Digest, Failure, Heard, Join, Reading, Tables, Tombstone};
use crate::decide::outcome::Recorded;
use crate::memory::{EventSeq, Memory, MemoryId, Millis, Origin, ScopeKey, Seq, SessionId};
use crate::text::order;
use crate::text::sorted::{Map, Set};
use crate::turn::Position;
use std::rc::Rc;

/// Versions of one sentence that are looked up under a device's own ids.
const ALIASED_VERSIONS: u32 = 8;

/// Sessions whose read position is kept; past it the one least recently read is dropped by the fold.
///
/// A dropped session that is resumed later is treated as one older than the plugin: read from then on.
pub const SESSIONS_MAX: usize = 20_000;

/// Failure signatures that are counted; past it the oldest ones seen once are dropped by a fact.
pub const FAILURES_MAX: usize = 2_000;

/// Results of requests that are kept; past it the oldest are dropped by a fact.
pub const REQUESTS_MAX: usize = 10_000;

/// Names of what was asked about a scope; past it the oldest are dropped, and asked again.
pub const ASKED_MAX: usize = 2_000;

/// What all facts say. Only [`State::fold`] and [`State::set`] change it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    pub(super) origin: Option<Origin>,
    pub(super) seq: Seq,
    pub(super) memories: Table<Rc<Memory>>,
    /// How many memories each scope holds.
    pub(super) by_scope: Map<ScopeKey, usize>,
    pub(super) failures: Map<(ScopeKey, String), Failure>,
    pub(super) sessions: Map<SessionId, Reading>,
    pub(super) sessions_by_seq: Set<(Seq, SessionId)>,
    pub(super) tombstones: Table<Tombstone>,
    pub(super) asks: Table<Ask>,
    pub(super) joins: Map<ScopeKey, ScopeKey>,
    pub(super) requests: Map<String, Rc<Recorded>>,
    pub(super) digests: Map<ScopeKey, Digest>,
    pub(super) vector: Map<Origin, Seq>,
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
    pub fn memories(&self) -> Values<'_, Rc<Memory>> {
        self.memories.values()
    }

    /// Returns one memory.
    pub fn memory(&self, id: &MemoryId) -> Option<&Rc<Memory>> {
        self.memories.get(id)
    }

    /// Returns the memories of one scope, ascending by id. Joined scopes are one.
    pub fn in_scope<'a>(&'a self, scope: &'a ScopeKey) -> impl Iterator<Item = &'a Rc<Memory>> {
        let scope = self.scope_of(scope);
        let is_there = self.by_scope.contains_key(scope);
        let all = is_there.then(|| self.memories.values());
        all.into_iter()
            .flatten()
            .filter(move |memory| memory.scope == *scope)
    }

    /// Returns every scope that holds a memory, ascending, with how many it holds.
    pub fn scopes(&self) -> impl Iterator<Item = (&ScopeKey, usize)> {
        self.by_scope.iter().map(|(scope, n)| (scope, *n))
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
            let end = MemoryId::from(format!("{base}."));
            let found = self.memories.range(&base, end);
            out.extend(found.map(|(_, memory)| memory));
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
            version = version.max(self.newest_version(&base));
        }
        let base = MemoryId::of(self.scope_of(scope), original);
        match version {
            0 => base,
            version => MemoryId::from(format!("{base}-{}", version + 1)),
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
        let bases = self.aliases(scope);
        let bases = bases.iter().map(|alias| MemoryId::of(alias, original));
        let id = bases.flat_map(|base| self.known_as(base)).find_map(|base| {
            let end = MemoryId::from(format!("{base}."));
            let found = self.tombstones.range(&base, end).find(|(_, tombstone)| {
                tombstone.positions.iter().any(|place| {
                    place.session_id == position.session_id && place.seq == position.seq
                })
            });
            found.map(|(id, _)| id.clone())
        });
        id.and_then(|id| self.tombstones.get(&id))
    }

    /// Returns an id and, where there are other devices, those by which this one's versions of it are told from theirs.
    fn known_as(&self, base: MemoryId) -> Vec<MemoryId> {
        let mut out = Vec::new();
        if let Some(own) = self.origin().filter(|_| !self.vector.is_empty()) {
            out.push(alias(own, &base));
            let later = (2..=ALIASED_VERSIONS).map(|n| MemoryId::from(format!("{base}-{n}")));
            out.extend(later.map(|id| alias(own, &id)));
        }
        out.push(base);
        out
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

    /// Puts a folded state in the place of this one.
    pub fn set(&mut self, tables: Tables) {
        *self = Self {
            origin: self.origin.take(),
            seq: self.seq,
            ..Self::default()
        };
        self.joins = tables.scopes.into_iter().map(|x| (x.from, x.to)).collect();
        // The records come ascending by id, and most stand beside one of the same scope.
        for memory in tables.memories {
            let n = match self.by_scope.get_mut(&memory.scope) {
                Some(n) => n,
                None => self.by_scope.or_default(memory.scope.clone()),
            };
            *n += 1;
            self.memories.insert(memory.id.clone(), memory);
        }
        self.failures = tables
            .failures
            .into_iter()
            .map(|x| ((x.scope.clone(), x.key.clone()), x))
            .collect();
        for reading in tables.sessions {
            self.read(reading);
        }
        for tombstone in tables.tombstones {
            self.tombstones.insert(tombstone.id.clone(), tombstone);
        }
        for ask in tables.asks {
            self.asks.insert(ask.id.clone(), ask);
        }
        let request = |x: Rc<Recorded>| Some((x.plan.request.clone()?, x));
        self.requests = tables.requests.into_iter().filter_map(request).collect();
        let digest = |x: Digest| (x.scope.clone(), x);
        self.digests = tables.digests.into_iter().map(digest).collect();
        self.vector = tables
            .vector
            .into_iter()
            .map(|x| (x.origin, x.seq))
            .collect();
    }

    /// Returns how far the entries of other devices are held, ascending.
    pub fn vector(&self) -> impl Iterator<Item = Heard> {
        self.vector.iter().map(|(origin, seq)| Heard {
            origin: origin.clone(),
            seq: *seq,
        })
    }

    /// Returns which scopes are one, ascending: from, to.
    pub fn joins(&self) -> impl Iterator<Item = (&ScopeKey, &ScopeKey)> {
        self.joins.iter()
    }

    /// Returns the state as it is written.
    pub fn tables(&self) -> Tables {
        Tables {
            memories: self.memories.values().cloned().collect(),
            ..self.tables_but_memories()
        }
    }

    /// Returns the state as lists, without the longest.
    pub(super) fn tables_but_memories(&self) -> Tables {
        Tables {
            memories: Vec::new(),
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
            requests: self.requests.values().cloned().collect(),
            digests: self.digests.values().cloned().collect(),
            vector: self.vector().collect(),
        }
    }

    /// Returns how often something of a scope was forgotten: what was decided before is to be decided again.
    pub fn epoch(&self, scope: &ScopeKey) -> u64 {
        let scope = self.scope_of(scope);
        let gone = self.tombstones.values().filter(|x| x.scope == *scope);
        gone.count() as u64
    }

    /// Returns what is known about the digest of a scope; none before anything was registered or asked.
    pub fn digest(&self, scope: &ScopeKey) -> Option<&Digest> {
        self.digests.get(self.scope_of(scope))
    }

    /// Returns what is known about digests, ascending by scope.
    pub fn digests(&self) -> impl Iterator<Item = &Digest> {
        self.digests.values()
    }

    /// Returns what a request came to, until that expires.
    pub fn recorded(&self, request: &str) -> Option<&Rc<Recorded>> {
        self.requests.get(request)
    }

    /// Returns the fact that drops results recorded before `before`, and the oldest past [`REQUESTS_MAX`]; none when none is due.
    pub fn expired(&self, before: Millis) -> Option<Fact> {
        let mut all: Vec<(Millis, &String)> =
            self.requests.iter().map(|(id, x)| (x.at, id)).collect();
        order::sort(&mut all);
        let over = all.len().saturating_sub(REQUESTS_MAX);
        let old = all.iter().take_while(|(at, _)| *at < before).count();
        all.truncate(over.max(old));
        let requests: Vec<String> = all.into_iter().map(|(_, id)| id.clone()).collect();
        (!requests.is_empty()).then_some(Fact::RequestExpired { requests })
    }

    /// Returns the first free id of a record that a request makes: `id` itself, or with the next suffix when it is taken or was forgotten.
    pub fn free_id(&self, id: &MemoryId) -> MemoryId {
        match self.newest_version(id) {
            0 => id.clone(),
            version => MemoryId::from(format!("{id}-{}", version + 1)),
        }
    }

    /// Returns every version of a record that a request made.
    pub fn family<'a>(&'a self, base: &MemoryId) -> impl Iterator<Item = &'a Rc<Memory>> {
        let end = MemoryId::from(format!("{base}."));
        self.memories.range(base, end).map(|x| x.1)
    }

    /// Returns the newest version of `base` that is known or was forgotten; 0 when none is.
    fn newest_version(&self, base: &MemoryId) -> u32 {
        // The suffix sorts after the id itself, and `.` after `-`: the range holds this id's versions alone.
        let end = MemoryId::from(format!("{base}."));
        let known = self.memories.range(base, end.clone()).map(|x| x.0);
        let dead = self.tombstones.range(base, end).map(|x| x.0);
        known.chain(dead).map(version_of).fold(0, u32::max)
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
        let mut by_scope: Map<ScopeKey, Vec<String>> = Map::new();
        for failure in all.into_iter().take(over) {
            by_scope
                .or_default(failure.scope.clone())
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
