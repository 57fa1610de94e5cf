//! What is held of all devices: collecting it, giving it out, taking more in.

use super::commit;
use super::entry::{Body, Fact, Row};
use super::forget::{self, MARKER, Marker};
use super::history::walk;
use super::lock::{self, Budget, Held};
use super::log::Log;
use super::merge::{Merger, is_claim};
use super::merged::Merged;
use super::names::{self, Name, bare_scope, local_scope, shared_scope};
use super::shred::Shredder;
use super::state::State;
use super::tables::{Heard, Tables};
use super::{Store, keep};
use crate::error::StoreError;
use crate::memory::{MemoryId, Origin, Seq};
use crate::port::Ports;
use crate::text::order;
use crate::text::secret;
use crate::text::sorted::{Map, Set};
use std::cell::RefCell;

/// Entries and bytes of one commit while a log comes in.
const COMMIT_ENTRIES: usize = 2_000;
const COMMIT_BYTES: usize = 4 * 1024 * 1024;

/// Records of one row that says what a merge came to.
const MERGE_RECORDS: usize = 500;

/// Entries whose clocks are compared, to notice that a folder was copied.
const COMPARED_MAX: usize = 20_000;

/// Everything that is held, as it stands in the segments.
#[derive(Default)]
pub struct Holding {
    pub own: Option<Origin>,
    /// Facts of every device, each under the names of its own, oldest first as they arrived.
    rows: Vec<Row>,
    /// What was so before the first of them; `None` when they begin at the beginning.
    base: Option<Tables>,
    /// The first own number that is here.
    from: Seq,
    /// The newest entry of each device.
    newest: Map<Origin, Seq>,
    /// Whether something in them is lost.
    is_damaged: bool,
    /// Whether entries came in and what they come to was not said yet.
    is_behind: bool,
}

/// What a log came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Taken {
    pub n_new: usize,
    pub n_known: usize,
    /// Records that were put, changed or removed.
    pub n_changed: usize,
    /// Ids that other devices forgot.
    pub forgotten: Vec<MemoryId>,
    /// Questions that were opened.
    pub held: Vec<MemoryId>,
    /// Devices whose entries do not follow on what is held.
    pub gaps: Vec<Origin>,
    /// Devices that are two: their folder was copied.
    pub forked: Vec<Origin>,
    /// What was blanked, by file.
    pub blanked: Map<String, u32>,
}

/// Reads every segment. Takes no lock.
///
/// # Errors
/// `Files`, `Ended`.
pub async fn collect(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<Holding, StoreError> {
    let mut out = Holding {
        own: cell.borrow().state.origin().cloned(),
        ..Holding::default()
    };
    let mut segment = String::new();
    let mut is_first = true;
    // Whether more came in since the last merge than what other devices had heard.
    let mut is_told = false;
    // Where a segment began with the state, if something before it turns out to be damaged.
    let mut begun: Option<(usize, Tables, Seq)> = None;
    let mut each = |name: &str, mut row: Row, _: &[u8]| {
        let begins = segment != name;
        if begins {
            name.clone_into(&mut segment);
        }
        let first = std::mem::replace(&mut is_first, false);
        if first {
            out.from = row.seq;
        }
        match std::mem::replace(&mut row.body, Body::Unknown(String::new())) {
            Body::Fact(Fact::Checkpoint { state }) => {
                // In the middle it stands in for what was damaged.
                if first || !begins {
                    out.rows.clear();
                    out.base = Some(*state);
                    out.from = row.seq;
                } else {
                    begun = Some((out.rows.len(), *state, row.seq));
                }
            }
            Body::Fact(Fact::Import { row: inner }) => {
                out.is_behind = true;
                is_told |= !matches!(inner.body, Body::Fact(Fact::Merge { .. }));
                out.newest.insert(inner.origin.clone(), inner.seq);
                out.rows.push(*inner);
            }
            Body::Fact(fact) => {
                let fact = match fact {
                    Fact::Merge { merged } => {
                        out.is_behind = false;
                        // To say that one heard what others heard would have no end, and tells nothing.
                        if merged.vector.is_empty() || !std::mem::take(&mut is_told) {
                            return;
                        }
                        Fact::Merge {
                            merged: Box::new(Merged {
                                vector: merged.vector,
                                ..Merged::default()
                            }),
                        }
                    }
                    fact => fact,
                };
                row.body = Body::Fact(fact);
                out.rows.push(row);
            }
            Body::Observation(_) | Body::Unknown(_) => {}
        }
    };
    let walked = walk(cell, ports, &mut each).await?;
    out.is_damaged = walked.n_damaged > 0;
    if walked.n_damaged > 0
        && let Some((at, base, seq)) = begun
    {
        out.rows.drain(..at.min(out.rows.len()));
        out.base = Some(base);
        out.from = seq;
    }
    let store = cell.borrow();
    for heard in store.state.vector() {
        let known = out.newest.or_default(heard.origin);
        *known = (*known).max(heard.seq);
    }
    if let Some(own) = store.state.origin() {
        out.newest.insert(own.clone(), store.state.seq());
    }
    Ok(out)
}

impl Holding {
    /// Returns the newest shared entry of each device, ascending: what another device is told that is held here.
    pub fn vector(&self) -> Vec<Heard> {
        let mut newest: Map<&Origin, Seq> = Map::new();
        for row in self.rows.iter().filter(|row| is_shared(row)) {
            let known = newest.or_default(&row.origin);
            *known = (*known).max(row.seq);
        }
        let heard = |(origin, seq): (&&Origin, &Seq)| Heard {
            origin: (*origin).clone(),
            seq: *seq,
        };
        newest.iter().map(heard).collect()
    }

    /// Returns the entries after `since`, as every device knows them, with how many hold a secret and stay; commit by commit, each
    /// after what its device knew.
    ///
    /// # Errors
    /// `log-incomplete` when older segments were removed that `since` asks for.
    pub fn shared(&self, since: &[Heard]) -> Result<(Vec<Row>, usize), &'static str> {
        let Some(own) = &self.own else {
            return Ok((Vec::new(), 0));
        };
        let from = |origin: &Origin| {
            let found = since.iter().find(|one| one.origin == *origin);
            found.map_or(Seq(0), |one| one.seq)
        };
        if self.base.is_some() && self.from.0 > 1 && from(own) < self.from {
            return Err("log-incomplete");
        }
        // What was removed of another device's entries is for that device to give.
        let base = self.base.iter().flat_map(|base| &base.vector);
        let lost: Vec<&Origin> = base
            .filter(|one| from(&one.origin) < one.seq)
            .map(|one| &one.origin)
            .collect();
        let mut withheld = 0;
        let mut out: Vec<Row> = Vec::new();
        for row in &self.rows {
            let is_known = row.seq <= from(&row.origin) || lost.contains(&&row.origin);
            if is_known || !is_shared(row) {
                continue;
            }
            let mut row = row.clone();
            if let Body::Fact(fact) = &mut row.body {
                let is_own = row.origin == *own;
                if is_own {
                    rename(fact, &|scope| shared_scope(scope, own.as_str()));
                }
                if holds_secret(fact) {
                    withheld += 1;
                    continue;
                }
            }
            out.push(row);
        }
        order::sort_by(&mut out, |a, b| {
            (a.tx, &a.origin, a.seq).cmp(&(b.tx, &b.origin, b.seq))
        });
        out.dedup_by(|a, b| a.origin == b.origin && a.seq == b.seq);
        let commits: Vec<(Origin, Seq)> = out.iter().map(|x| (x.origin.clone(), x.tx)).collect();
        for (at, row) in out.iter_mut().enumerate() {
            let mine = (row.origin.clone(), row.tx);
            row.last = commits.get(at + 1) != Some(&mine);
        }
        Ok((out, withheld))
    }
}

/// Returns whether another device is told: a claim to show a card, and the recorded result of a merge, are about this one.
fn is_shared(row: &Row) -> bool {
    match &row.body {
        // What a digest asked and has before it is numbered by this device's own rows.
        Body::Fact(Fact::DigestPending { .. } | Fact::Digested { .. }) => false,
        Body::Fact(fact) => !is_claim(fact),
        Body::Observation(_) | Body::Unknown(_) => false,
    }
}

fn rename(fact: &mut Fact, with: &dyn Fn(&crate::memory::ScopeKey) -> crate::memory::ScopeKey) {
    names::each(fact, &mut |name| {
        if let Name::Scope(scope) = name {
            *scope = with(scope);
        }
    });
}

/// Returns whether a fact holds a secret in any of its words.
pub fn holds_secret(fact: &mut Fact) -> bool {
    let mut found = false;
    names::each(fact, &mut |name| {
        if let Name::Text(text) | Name::Word(text) = name {
            found = found || secret::contains(text);
        }
        if let Name::Scope(scope) = name {
            found = found || secret::contains(scope.as_str());
        }
    });
    found
}

/// Takes entries in: what is new is written and merged; with `is_preview` it is only said what would come of it.
///
/// # Errors
/// As a commit. What was written before an error is known the next time, and nothing of it counts until all was.
pub async fn take_in(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    logs: Vec<Log>,
    is_preview: bool,
    wait_ms: u32,
) -> Result<Taken, StoreError> {
    let mut budget = Budget::of(wait_ms);
    let _place = lock::queue(cell, ports, &mut budget).await?;
    lock::holding(cell, ports, &mut budget, async |held| {
        commit::catch_up(cell, ports, held).await?;
        if cell.borrow().is_forgetting {
            forget::resume(cell, ports, held).await?;
        }
        taken(cell, ports, held, logs, is_preview).await
    })
    .await
}

async fn taken(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    logs: Vec<Log>,
    is_preview: bool,
) -> Result<Taken, StoreError> {
    if cell.borrow().state.origin().is_none() {
        // Entries need a device that holds them: its first row makes it one.
        let rows = vec![Body::Fact(Fact::Merge {
            merged: Box::default(),
        })];
        commit::append(cell, ports, held, rows).await?;
    }
    let mut holding = collect(cell, ports).await?;
    let Some(own) = holding.own.clone() else {
        return Ok(Taken::default());
    };
    let mut out = Taken::default();
    let new = sorted_out(&mut holding, logs, &mut out);
    out.n_new = new.len();
    if new.is_empty() && !holding.is_behind {
        return Ok(out);
    }
    let mut merger = Merger::new(&own, holding.base.take());
    let mut all = holding.rows;
    all.extend(new.iter().cloned());
    merger.fold(&mut all);
    let mut after = std::mem::take(&mut merger.state);
    {
        let store = cell.borrow();
        finish(&mut after, &store.state, &holding.newest, &own);
    }
    let pieces = Merged::between(&cell.borrow().state, &after, MERGE_RECORDS);
    let (forgotten, contents) = {
        let store = cell.borrow();
        let before = &store.state;
        let mut ids: Vec<MemoryId> = after.tombstones().map(|x| x.id.clone()).collect();
        ids.retain(|id| before.tombstone(id).is_none());
        for piece in &pieces {
            out.n_changed += piece.put.memories.len();
            let asks = piece
                .put
                .asks
                .iter()
                .filter(|x| before.ask(&x.id).is_none());
            out.held.extend(asks.map(|ask| ask.id.clone()));
        }
        let gone = pieces.iter().flat_map(|piece| &piece.gone);
        out.n_changed += gone.filter(|x| x.starts_with("memories ")).count();
        let contents = words_of(&ids, &all, before, &merger);
        (ids, contents)
    };
    out.forgotten.clone_from(&forgotten);
    if is_preview {
        return Ok(out);
    }
    drop(all);
    let entries = blanked(new, &after, &merger, &contents);
    drop(merger);
    if ports.ended.get() {
        return Err(StoreError::Ended {
            reason: "before taking in",
        });
    }
    if !forgotten.is_empty() {
        let marker = cell.borrow().path(MARKER);
        let content = serde_json::to_vec(&Marker {
            ids: forgotten.clone(),
            contents: contents.clone(),
        });
        ports
            .files
            .replace(&marker, &content.unwrap_or_default())
            .await?;
        cell.borrow_mut().is_forgetting = true;
    }
    bring_in(cell, ports, held, entries).await?;
    let rows = pieces.into_iter().map(|merged| {
        Body::Fact(Fact::Merge {
            merged: Box::new(merged),
        })
    });
    lock::beat(cell, ports, held).await?;
    commit::append(cell, ports, held, rows.collect()).await?;
    if !forgotten.is_empty() {
        out.blanked = forget::blank(cell, ports, held, &forgotten, &contents).await?;
        // What a digest of this device made of it is known here alone.
        let derived = forget::derived_of(&cell.borrow().state, &forgotten, &contents);
        if !derived.is_empty() {
            let request = forget::Request {
                ids: derived,
                by: "import".to_owned(),
                asked: None,
            };
            forget::forget_held(cell, ports, held, request, &[]).await?;
        }
    }
    keep::tend(cell, ports, held, None).await?;
    Ok(out)
}

/// Writes entries as they were received, in commits of a bounded size.
async fn bring_in(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    entries: Vec<Row>,
) -> Result<(), StoreError> {
    let mut rows: Vec<Body> = Vec::new();
    let mut length_bytes = 0;
    let n_entries = entries.len();
    for (at, row) in entries.into_iter().enumerate() {
        length_bytes += length_of(&row);
        rows.push(Body::Fact(Fact::Import { row: Box::new(row) }));
        let is_full = rows.len() >= COMMIT_ENTRIES || length_bytes >= COMMIT_BYTES;
        if is_full || at + 1 == n_entries {
            lock::beat(cell, ports, held).await?;
            commit::append(cell, ports, held, std::mem::take(&mut rows)).await?;
            length_bytes = 0;
        }
    }
    Ok(())
}

/// Returns about how long a row is.
fn length_of(row: &Row) -> usize {
    match &row.body {
        Body::Fact(Fact::Write { memory } | Fact::Edit { memory, .. }) => {
            memory.text.len() * 2 + 600
        }
        _ => 300,
    }
}

/// Picks what is new, and notes what is known, what does not follow, and who is two.
fn sorted_out(holding: &mut Holding, logs: Vec<Log>, out: &mut Taken) -> Vec<Row> {
    let mut new: Vec<Row> = Vec::new();
    let mut known: Map<(Origin, Seq), crate::memory::Millis> = Map::new();
    for log in logs {
        let mut gaps: Set<Origin> = Set::new();
        for one in &log.since {
            let newest = holding.newest.get(&one.origin).copied().unwrap_or_default();
            if one.seq > newest && log.rows.iter().any(|row| row.origin == one.origin) {
                gaps.insert(one.origin.clone());
            }
        }
        for row in log.rows {
            let newest = holding.newest.get(&row.origin).copied().unwrap_or_default();
            if gaps.contains(&row.origin) {
                continue;
            }
            if row.seq <= newest {
                out.n_known += 1;
                if known.len() < COMPARED_MAX {
                    known.insert((row.origin, row.seq), row.at);
                }
                continue;
            }
            holding.newest.insert(row.origin.clone(), row.seq);
            new.push(row);
        }
        for origin in gaps.iter() {
            if !out.gaps.contains(origin) {
                out.gaps.push(origin.clone());
            }
        }
    }
    for row in &holding.rows {
        let found = known.remove(&(row.origin.clone(), row.seq));
        if found.is_some_and(|at| at != row.at) && !out.forked.contains(&row.origin) {
            out.forked.push(row.origin.clone());
        }
    }
    // What is said to be of this device and is not.
    let is_whole = holding.base.is_none() && !holding.is_damaged;
    if let Some(own) = holding.own.clone().filter(|_| is_whole)
        && known.keys().any(|key| key.0 == own)
        && !out.forked.contains(&own)
    {
        out.forked.push(own);
    }
    new
}

/// Gives a merged state what is this device's own.
fn finish(after: &mut State, before: &State, newest: &Map<Origin, Seq>, own: &Origin) {
    after.stand_at(own.clone(), before.seq());
    for (origin, seq) in newest.iter().filter(|x| x.0 != own) {
        after.vector.insert(origin.clone(), *seq);
    }
    for ask in before.asks() {
        let is_claim = !ask.asker.is_empty() && ask.asker != "review";
        if let Some(merged) = after.asks.get_mut(&ask.id).filter(|_| is_claim) {
            merged.asker.clone_from(&ask.asker);
            merged.at = ask.at;
        }
    }
}

/// Returns every text that the forgotten ever had, in what is held and in what comes.
fn words_of(ids: &[MemoryId], rows: &[Row], before: &State, merger: &Merger) -> Set<String> {
    let mut out: Set<String> = Set::new();
    if ids.is_empty() {
        return out;
    }
    for memory in ids.iter().filter_map(|id| before.memory(id)) {
        out.extend(memory.words());
    }
    for row in rows {
        let Body::Fact(fact) = &row.body else {
            continue;
        };
        match fact {
            Fact::Write { memory } | Fact::Edit { memory, .. }
                if ids.contains(&merger.called(&row.origin, row.seq, &memory.id)) =>
            {
                out.extend(memory.words());
            }
            Fact::Canonical { id, text }
                if ids.contains(&merger.called(&row.origin, row.seq, id)) =>
            {
                out.insert(text.clone());
            }
            _ => {}
        }
    }
    out.remove("");
    out
}

/// Blanks in entries that come what was forgotten, here or elsewhere, before anything of it is written.
fn blanked(mut rows: Vec<Row>, after: &State, merger: &Merger, contents: &Set<String>) -> Vec<Row> {
    let shredder = Shredder::new(&[], contents, after);
    for row in &mut rows {
        shredder.row(row);
        let (origin, seq) = (row.origin.clone(), row.seq);
        let Body::Fact(fact) = &mut row.body else {
            continue;
        };
        if let Fact::Failure {
            scope,
            signature,
            key,
            ..
        } = fact
        {
            let scope = local_scope(scope, merger.own().as_str());
            let mut keys = after.aliases(&scope).into_iter();
            let is_gone = keys.any(|key| {
                let id = MemoryId::of(&bare_scope(&key), signature);
                after.tombstone(&id).is_some()
            });
            // Seen again since it was forgotten, it counts anew.
            if is_gone && after.failure(&scope, key).is_none() {
                signature.clear();
            }
            continue;
        }
        // An id means what it meant when its entry was folded: elsewhere it may be another's.
        let mut gone: Vec<MemoryId> = Vec::new();
        names::each(fact, &mut |name| {
            if let Name::Id(id) = name
                && after.tombstone(&merger.called(&origin, seq, id)).is_some()
            {
                gone.push(id.clone());
            }
        });
        for id in gone {
            Shredder::of_one(&id).row(row);
        }
    }
    rows
}
