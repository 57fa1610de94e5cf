//! The one way in: lock, read what others appended, check what the decision was based on, append once, fold.

use super::entry::{Body, Fact, Observation};
use super::load::{self, LEDGER, is_visible};
use super::lock::{self, Budget, Held};
use super::prepare::{Prepared, prepare};
use super::scan::{Scan, scan};
use super::shred::Shredder;
use super::swift::{self, Swift};
use super::{Notice, QUEUE_MAX, Store, keep};
use crate::decide::read::is_head;
use crate::error::StoreError;
use crate::memory::{EventSeq, MemoryId, Origin, Revision, Seq, SessionId, Type};
use crate::port::Ports;
use crate::text::digest::short_digest;
use std::cell::RefCell;

/// What is to be committed, and what the decision was based on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// In order. Empty is allowed: then only what was queued goes out.
    pub rows: Vec<Body>,
    /// Records the decision looked at. Each must still have this revision.
    ///
    /// A `write` needs no entry: its id must not be taken and not be forgotten.
    pub based_on: Vec<(MemoryId, Revision)>,
    /// The read position the turn was read from. It must not have moved.
    pub read_from: Option<(SessionId, EventSeq)>,
    /// [`Store::n_promises`] when the words in `rows` were heard; at the call when absent. A promise made since may be about them.
    pub heard_at: Option<u64>,
}

/// What a commit wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The commit's first row.
    pub tx: Seq,
    /// Its last row.
    pub seq: Seq,
    pub n_rows: usize,
    /// Bytes appended.
    pub length_bytes: usize,
}

/// Commits `draft` with everything queued: one append, synced. The state has changed exactly when this returns `Ok`.
///
/// Waits at most `wait_ms` for other committers, of this process and of others.
///
/// # Errors
/// `Stale` when a base moved: decide again on the state as it is now. `LockBusy`, `Ended`, `NewerVersion`, `RowTooLong`,
/// `RowInvalid`, `Files`. In each case nothing of the draft was published.
pub async fn commit(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    draft: Draft,
    wait_ms: u32,
) -> Result<Committed, StoreError> {
    let heard_at = draft.heard_at.unwrap_or(cell.borrow().n_promises);
    let mut budget = Budget::of(wait_ms);
    let _place = lock::queue(cell, ports, &mut budget).await?;
    let done = swift::publish(cell, ports, &draft, heard_at).await?;
    let work = async |held: &mut Held| publish(cell, ports, held, draft, heard_at).await;
    match done {
        Swift::Done(committed) => Ok(committed),
        Swift::Held(held) => lock::holding_already(cell, ports, held, work).await,
        Swift::NotDone => lock::holding(cell, ports, &mut budget, work).await,
    }
}

/// Writes what is queued, if anything is, and does the work that no step should wait for.
///
/// # Errors
/// As [`commit`].
pub async fn settle(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    wait_ms: u32,
) -> Result<(), StoreError> {
    tidy(cell, ports, wait_ms, false).await
}

/// Writes what is queued and the checkpoint, so that the next opening reads the shortest tail, and removes this process's
/// file beside the lock.
///
/// # Errors
/// As [`commit`].
pub async fn close(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    wait_ms: u32,
) -> Result<(), StoreError> {
    let done = tidy(cell, ports, wait_ms, true).await;
    swift::retire(cell, ports).await;
    done
}

async fn tidy(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    wait_ms: u32,
    is_closing: bool,
) -> Result<(), StoreError> {
    let (is_due, has_work) = {
        let store = cell.borrow();
        let stamp = ports.files.stamp(&store.path(load::CHECKPOINT));
        let is_changed = store.saved.stamp.as_deref() != Some(stamp.as_str());
        let is_due =
            store.is_checkpoint_due() || (is_closing && store.saved.seq < store.state.seq());
        (is_due, is_changed || store.has_work())
    };
    if !is_due && !has_work && !cell.borrow().is_rotation_due() {
        return Ok(());
    }
    let mut budget = Budget::of(wait_ms);
    let _place = lock::queue(cell, ports, &mut budget).await?;
    // Drawn before the lock is taken: other processes wait for the write alone.
    let drawn = if is_due && !cell.borrow().is_rotation_due() {
        keep::draw(cell, ports).await
    } else {
        None
    };
    lock::holding(cell, ports, &mut budget, async |held| {
        catch_up(cell, ports, held).await?;
        append(cell, ports, held, Vec::new()).await?;
        keep::tend(cell, ports, held, drawn).await
    })
    .await
}

/// Queues observations for the next commit. Past [`QUEUE_MAX`] the oldest are dropped and counted.
pub fn observe(store: &mut Store, observations: impl IntoIterator<Item = Observation>) {
    for observation in observations {
        if store.queue.len() >= QUEUE_MAX {
            store.queue.pop_front();
            store.n_dropped = store.n_dropped.saturating_add(1);
        }
        store.queue.push_back(observation);
    }
}

/// Reads what other processes committed. Takes no lock and never waits for one.
///
/// # Errors
/// `Files` when the ledger is there and cannot be read.
pub async fn refresh(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<(), StoreError> {
    let (path, dir, end) = {
        let store = cell.borrow();
        (store.path(LEDGER), store.dir.clone(), store.end.clone())
    };
    let from = end.offset_bytes - end.tail.len() as u64;
    let bytes = load::read(ports, &path, from).await?;
    let rest = match &bytes {
        None if end.offset_bytes == 0 => return Ok(()),
        None => None,
        Some(bytes) => bytes.strip_prefix(end.tail.as_slice()),
    };
    if let Some(rest) = rest {
        let found = scan(rest, &end);
        let mut store = cell.borrow_mut();
        // Another job of this process may have read on meanwhile.
        if store.end != end {
            return Ok(());
        }
        if found
            .rows
            .first()
            .is_none_or(|row| row.seq > store.state.seq())
        {
            take(&mut store, found);
            return Ok(());
        }
    }
    // The file was replaced, or rows stand in another order: everything is read again.
    let loaded = load::load(ports, &dir).await?;
    let mut store = cell.borrow_mut();
    let vanished = loaded.is_another(&store.state);
    load::take(&mut store, loaded);
    if vanished {
        store.wiped();
    }
    Ok(())
}

/// Folds rows that follow the known end.
fn take(store: &mut Store, found: Scan) {
    let n_forgotten = store.n_forgotten;
    for row in found.rows {
        // What this process appends another of its jobs may read before it is acknowledged.
        if row.seq <= store.state.seq() {
            continue;
        }
        store.saved.is_behind |= is_visible(&row.body);
        store.changes.note(&row.body);
        // A state may hold tombstones whose rows are in an older segment.
        if matches!(
            row.body,
            Body::Fact(Fact::Forget { .. } | Fact::Checkpoint { .. } | Fact::Merge { .. })
        ) {
            store.n_forgotten += 1;
        }
        store.state.fold(row);
    }
    for damaged in &found.damaged {
        let (at, reason) = (damaged.offset_bytes, damaged.reason);
        store.tell(Notice {
            code: "ledger-damaged",
            detail: format!(
                "{LEDGER} is damaged at byte {at} ({reason}): the lines around it hold"
            ),
        });
    }
    store.damaged.extend(found.damaged);
    if store.n_forgotten != n_forgotten {
        store.promised();
    }
    store.end = found.end;
    store.torn_bytes = found.torn_bytes;
    store.newer = store.newer.or(found.newer);
}

/// Everything between taking the lock and giving it back.
async fn publish(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    draft: Draft,
    heard_at: u64,
) -> Result<Committed, StoreError> {
    catch_up(cell, ports, held).await?;
    check(&cell.borrow(), &draft)?;
    let mut rows = draft.rows;
    blind(&cell.borrow(), &mut rows, heard_at);
    append(cell, ports, held, rows).await
}

/// Takes out of rows decided on before a promise to forget what cannot be checked against it.
pub(super) fn blind(store: &Store, rows: &mut [Body], heard_at: u64) {
    if store.n_promises != heard_at {
        Shredder::blind(rows, &store.state).bodies(rows);
    }
}

/// Brings the store up to what the folder says now: other processes' commits, torn tails, damage, hand edits.
pub(super) async fn catch_up(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    refresh(cell, ports).await?;
    writable(cell)?;
    cut(cell, ports).await?;
    let done = async {
        if !cell.borrow().damaged.is_empty() {
            keep::quarantine_lines(cell, ports).await?;
        }
        keep::look(cell, ports, held).await
    }
    .await;
    match done {
        // What cannot be moved aside now is tried again with the next commit, and is not written over meanwhile.
        Err(StoreError::Files(error)) => {
            cell.borrow_mut()
                .notice("quarantine-refused", error.to_string());
            Ok(())
        }
        done => done,
    }
}

/// Cuts what an unfinished commit left behind. Only under the lock: without it the tail may be another's work in progress.
pub(super) async fn cut(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<(), StoreError> {
    let (path, torn_bytes, at) = {
        let store = cell.borrow();
        (store.path(LEDGER), store.torn_bytes, store.end.offset_bytes)
    };
    if torn_bytes == 0 {
        return Ok(());
    }
    ports.files.truncate(&path, at).await?;
    let mut store = cell.borrow_mut();
    store.torn_bytes = 0;
    store.notice(
        "torn-tail",
        format!("{torn_bytes} bytes of an unfinished commit were cut at byte {at}"),
    );
    Ok(())
}

/// Appends rows and what is queued as one commit, then folds it.
pub(super) async fn append(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &Held,
    rows: Vec<Body>,
) -> Result<Committed, StoreError> {
    let prepared = prepare(&cell.borrow(), ports, rows)?;
    let path = cell.borrow().path(LEDGER);
    if prepared.found.rows.is_empty() {
        let seq = cell.borrow().state.seq();
        return Ok(Committed {
            tx: seq,
            seq,
            n_rows: 0,
            length_bytes: 0,
        });
    }
    lock::fence(cell, ports, held).await?;
    if ports.ended.get() {
        return Err(StoreError::Ended {
            reason: "before the append",
        });
    }
    if let Err(error) = ports.files.append(&path, &prepared.bytes).await {
        // What reached the file was not acknowledged; if it cannot be cut now, the next commit decides by what it finds.
        let at = cell.borrow().end.offset_bytes;
        let _ = ports.files.truncate(&path, at).await;
        return Err(error.into());
    }
    Ok(folded(&mut cell.borrow_mut(), prepared))
}

/// Folds a commit that is on disk.
pub(super) fn folded(store: &mut Store, prepared: Prepared) -> Committed {
    let committed = Committed {
        tx: prepared.tx,
        seq: prepared.found.rows.last().map_or(prepared.tx, |x| x.seq),
        n_rows: prepared.found.rows.len(),
        length_bytes: prepared.bytes.len(),
    };
    take(store, prepared.found);
    store
        .queue
        .drain(..prepared.n_queued.min(store.queue.len()));
    store
        .unsaid
        .drain(..prepared.n_unsaid.min(store.unsaid.len()));
    store.n_dropped = 0;
    store.heal = false;
    committed
}

/// Makes sure that the decision still stands.
pub(super) fn check(store: &Store, draft: &Draft) -> Result<(), StoreError> {
    let stale = |id: &str, expected: u64, found: u64| StoreError::Stale {
        id: id.to_owned(),
        expected: u32::try_from(expected).unwrap_or(u32::MAX),
        found: u32::try_from(found).unwrap_or(u32::MAX),
    };
    for (id, revision) in &draft.based_on {
        let found = store.state.memory(id).map_or(0, |x| x.revision.0);
        if found != revision.0 {
            return Err(stale(id.as_str(), revision.0.into(), found.into()));
        }
    }
    if let Some((session, from)) = &draft.read_from {
        let found = store.state.read_to(session);
        if found != *from {
            return Err(stale(session.as_str(), from.0, found.0));
        }
    }
    plan_stands(store, draft)?;
    for row in &draft.rows {
        let Body::Fact(fact) = row else { continue };
        if let Fact::Digested {
            scope,
            asked,
            up_to: None,
        } = fact
            && let Some(known) = store.state.digest(scope)
            && let Some(done) = asked.iter().find(|name| known.asked.contains(name))
        {
            // The same question, answered elsewhere meanwhile.
            return Err(stale(done, 0, 0));
        }
        let id = match fact {
            Fact::Write { memory } | Fact::Edit { memory, .. } => &memory.id,
            Fact::Canonical { id, .. } | Fact::ConflictAsk { id, .. } => id,
            _ => continue,
        };
        if let Fact::ConflictAsk { against, .. } = fact
            && let Some(gone) = against
                .iter()
                .find(|id| store.state.tombstone(id).is_some())
        {
            return Err(stale(gone.as_str(), 0, 0));
        }
        let found = store.state.memory(id).map(|x| x.revision.0);
        let is_new = matches!(fact, Fact::Write { .. });
        // Words about something forgotten meanwhile must not come to disk again.
        if store.state.tombstone(id).is_some() || (is_new && found.is_some()) {
            return Err(stale(id.as_str(), 0, found.unwrap_or(0).into()));
        }
    }
    Ok(())
}

/// Makes sure that a plan still stands: its scope's epoch, its request, its sources, the heads it links, and that nothing is
/// replaced twice or hangs on what is not there.
fn plan_stands(store: &Store, draft: &Draft) -> Result<(), StoreError> {
    let state = &store.state;
    let stale = |what: &str| StoreError::Stale {
        id: what.to_owned(),
        expected: 0,
        found: 0,
    };
    let facts = || {
        draft.rows.iter().filter_map(|row| match row {
            Body::Fact(fact) => Some(fact),
            _ => None,
        })
    };
    let Some(plan) = facts().find_map(|fact| match fact {
        Fact::Plan { plan } => Some(plan),
        _ => None,
    }) else {
        return Ok(());
    };
    if state.epoch(&plan.scope) != plan.epoch {
        return Err(stale(plan.scope.as_str()));
    }
    if let Some(request) = plan
        .request
        .as_ref()
        .filter(|x| state.recorded(x).is_some())
    {
        return Err(stale(request));
    }
    if let Some(gone) = plan.sources.iter().find(|id| state.memory(id).is_none()) {
        return Err(stale(gone.as_str()));
    }
    for (id, revision) in &plan.bases {
        let stands = state
            .memory(id)
            .is_some_and(|x| x.revision == *revision && is_head(x));
        if !stands {
            return Err(stale(id.as_str()));
        }
    }
    let written = |id: &MemoryId| {
        facts().any(|fact| matches!(fact, Fact::Write { memory } if memory.id == *id))
    };
    let is_there = |id: &MemoryId| written(id) || plan.bases.iter().any(|base| base.0 == *id);
    let mut replaced: Vec<(&MemoryId, Option<&MemoryId>)> = Vec::new();
    // Several procedures may take the place of one: each says its part of it.
    let is_shared = |id: &MemoryId| {
        let old = state.memory(id);
        old.is_some_and(|x| x.memory_type == Type::Procedure)
    };
    for fact in facts() {
        let (old, new) = match fact {
            Fact::Supersede { old, new } => (old, Some(new)),
            Fact::Status { id, .. } => (id, None),
            _ => continue,
        };
        let dangles = !is_there(old) || new.is_some_and(|new| !is_there(new));
        let twice = replaced.iter().any(|known| {
            let beside = known.1.is_some() && new.is_some() && known.1 != new;
            known.0 == old && !(beside && is_shared(old))
        });
        if dangles || twice {
            return Err(StoreError::RowInvalid {
                seq: state.seq().0 + 1,
                reason: format!("{old} is replaced twice, or links to what is not there"),
            });
        }
        replaced.push((old, new));
    }
    Ok(())
}

pub(super) fn writable(cell: &RefCell<Store>) -> Result<(), StoreError> {
    match cell.borrow().newer {
        Some(found) => Err(StoreError::NewerVersion {
            found,
            supported: super::entry::LEDGER_VERSION,
        }),
        None => Ok(()),
    }
}

pub(super) fn new_origin(ports: Ports<'_>) -> Origin {
    let mut bytes = [0; 16];
    ports.random.fill(&mut bytes);
    Origin::from(format!("d-{}", short_digest(&bytes)))
}

impl Store {
    /// Says that what this process had read is gone from disk, and lets go of what waits to be written about it: it may quote what
    /// a person wiped.
    fn wiped(&mut self) {
        self.queue.retain(|waiting| {
            matches!(
                waiting,
                Observation::Start { .. }
                    | Observation::Degraded { .. }
                    | Observation::Health { .. }
            )
        });
        self.damaged.clear();
        let notice = Notice {
            code: "folder-vanished",
            detail: format!(
                "{LEDGER} is gone, or another's, while it was in use: nothing of it is remembered, and what open sessions said before is not read again"
            ),
        };
        self.say(notice.clone());
        self.tell(notice);
    }

    /// Returns whether anything waits to be written.
    fn has_work(&self) -> bool {
        !self.queue.is_empty()
            || !self.unsaid.is_empty()
            || !self.damaged.is_empty()
            || self.heal
            || self.is_forgetting
            || self.torn_bytes > 0
    }
}
