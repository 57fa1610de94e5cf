//! Forgetting: a tombstone without content, and the one permitted rewrite of everything that quotes what it names.
//!
//! Order, so that a crash anywhere leaves a promise that the next process keeps: a marker that names the ids, the
//! `forget` facts, then the files. First every row that only quotes the content goes, then the rows that hold it: while
//! anything is left to find, what to look for is still known. The marker goes last.

use super::codec::{self, Line};
use super::commit;
use super::entry::{Body, Fact, Observation, Row};
use super::keep::{self, QUARANTINE};
use super::load::{self, LEDGER};
use super::lock::{self, Budget, Held};
use super::scan::{End, scan};
use super::shred::Shredder;
use super::{Notice, Store};
use crate::error::StoreError;
use crate::memory::{Memory, MemoryId, ScopeKey};
use crate::port::Ports;
use crate::turn::Position;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Says which promise is being kept. Holds ids only.
pub(super) const MARKER: &str = "forgetting.json";

/// Cached vectors. They are made again from what is left.
const EMBEDDINGS: &str = "embeddings.json";

/// Positions a tombstone keeps: a sentence said in a thousand places is a habit, and its last ones are forgotten first.
const POSITIONS_MAX: usize = 1_000;

/// Memories forgotten in one call.
const IDS_MAX: usize = 1_000;

/// What a person wants gone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    pub ids: Vec<MemoryId>,
    /// `tool`, `command`, `edit` …
    pub by: String,
    /// Where it was asked for.
    pub asked: Option<Position>,
}

/// What was removed, and what cannot be reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub ids: Vec<MemoryId>,
    /// Names under the data folder, sorted, with how many rows or places were blanked in each.
    pub blanked: BTreeMap<String, u32>,
    /// Places outside the data folder that still hold the words.
    pub not_reached: Vec<&'static str>,
}

/// What no file operation of this plugin reaches.
const NOT_REACHED: &[&str] = &["the host's own session log", "backups of the data folder"];

/// Forgets memories: durable tombstones first, then every copy under the data folder. Forgetting again finishes what was left.
///
/// # Errors
/// `NoSuchMemory` for an id that is neither known nor forgotten: nothing was done. `Ended` before the tombstone.
/// Otherwise those of a commit. An error after the tombstone leaves the rest to the next [`commit::settle`].
pub async fn forget(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    request: Request,
    wait_ms: u32,
) -> Result<Receipt, StoreError> {
    let mut budget = Budget::of(wait_ms);
    let _place = lock::queue(cell, ports, &mut budget).await?;
    commit::writable(cell)?;
    let mut held = lock::acquire(cell, ports, &mut budget).await?;
    let done = async {
        commit::catch_up(cell, ports, &mut held).await?;
        forget_held(cell, ports, &mut held, request).await
    }
    .await;
    lock::release(cell, ports, held).await;
    done
}

/// Forgets under a lock that is held already.
pub(super) async fn forget_held(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    request: Request,
) -> Result<Receipt, StoreError> {
    let mut ids = request.ids.clone();
    crate::text::order::sort(&mut ids);
    ids.dedup();
    ids.truncate(IDS_MAX);
    for id in &ids {
        let store = cell.borrow();
        if store.state.memory(id).is_none() && store.state.tombstone(id).is_none() {
            return Err(StoreError::NoSuchMemory { id: id.to_string() });
        }
    }
    let found = gather(cell, ports, &ids).await?;
    let facts = facts(&cell.borrow(), &request, &ids, &found);
    if ports.ended.get() {
        return Err(StoreError::Ended {
            reason: "before forgetting",
        });
    }
    let marker = cell.borrow().path(MARKER);
    let content = serde_json::to_vec(&Marker { ids: ids.clone() }).unwrap_or_default();
    ports.files.replace(&marker, &content).await?;
    cell.borrow_mut().is_forgetting = true;
    if !facts.is_empty() {
        commit::append(cell, ports, held, facts).await?;
    }
    let blanked = blank(cell, ports, held, &ids, &found).await?;
    Ok(Receipt {
        ids,
        blanked,
        not_reached: NOT_REACHED.to_vec(),
    })
}

/// Finishes what a process that died, or met an error, left undone.
pub(super) async fn resume(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let path = cell.borrow().path(MARKER);
    let Some(bytes) = load::read(ports, &path, 0).await? else {
        cell.borrow_mut().is_forgetting = false;
        return Ok(());
    };
    let mut ids = serde_json::from_slice::<Marker>(&bytes)
        .map(|marker| marker.ids)
        .unwrap_or_else(|_| {
            // A marker that cannot be read names nobody, so every tombstone's promise is kept again.
            let store = cell.borrow();
            store.state.tombstones().map(|x| x.id.clone()).collect()
        });
    // Without a tombstone the process died before it promised anything.
    ids.retain(|id| cell.borrow().state.tombstone(id).is_some());
    let found = gather(cell, ports, &ids).await?;
    blank(cell, ports, held, &ids, &found).await?;
    cell.borrow_mut().say(Notice {
        code: "forget-finished",
        detail: format!("{} interrupted removals were finished", ids.len()),
    });
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Marker {
    ids: Vec<MemoryId>,
}

/// What the ledger knows about the forgotten.
#[derive(Default)]
struct Found {
    contents: BTreeSet<String>,
    positions: BTreeMap<MemoryId, Vec<Position>>,
}

/// Reads every segment for the content and the places of `ids`.
async fn gather(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    ids: &[MemoryId],
) -> Result<Found, StoreError> {
    let mut found = Found::default();
    if ids.is_empty() {
        return Ok(found);
    }
    for id in ids {
        if let Some(memory) = cell.borrow().state.memory(id) {
            found.memory(memory);
        }
    }
    for name in ledgers(cell, ports).await? {
        let path = cell.borrow().path(&name);
        let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
        for row in scan(&bytes, &End::default()).rows {
            found.row(&row, ids);
        }
    }
    found.contents.remove("");
    Ok(found)
}

impl Found {
    fn memory(&mut self, memory: &Memory) {
        self.contents.extend(memory.words());
        self.position(
            &memory.id,
            &Position {
                session_id: memory.source.session_id.clone(),
                turn: memory.source.turn,
                seq: memory.source.seq,
            },
        );
    }

    fn position(&mut self, id: &MemoryId, position: &Position) {
        let known = self.positions.entry(id.clone()).or_default();
        if known.len() < POSITIONS_MAX && !known.contains(position) {
            known.push(position.clone());
        }
    }

    fn row(&mut self, row: &Row, ids: &[MemoryId]) {
        match &row.body {
            Body::Fact(Fact::Write { memory } | Fact::Edit { memory })
                if ids.contains(&memory.id) =>
            {
                self.memory(memory);
            }
            Body::Fact(Fact::Checkpoint { state }) => {
                for memory in state.memories.iter().filter(|x| ids.contains(&x.id)) {
                    self.memory(memory);
                }
            }
            Body::Fact(Fact::Canonical { id, text }) if ids.contains(id) => {
                self.contents.insert(text.clone());
            }
            Body::Observation(Observation::Skip {
                id: Some(id),
                quote,
                position,
                ..
            }) if ids.contains(id) => {
                self.contents.extend(quote.clone());
                self.position(id, position);
            }
            Body::Observation(Observation::Remember {
                id,
                quote,
                position,
                ..
            }) if ids.contains(id) => {
                self.contents.insert(quote.clone());
                self.position(id, position);
            }
            Body::Observation(Observation::Normalize { id, from, to, .. }) if ids.contains(id) => {
                self.contents.insert(from.clone());
                self.contents.insert(to.clone());
            }
            _ => {}
        }
    }
}

/// Returns the facts that make the promise: one tombstone an id that has none, and the counts of the failures they were about.
fn facts(store: &Store, request: &Request, ids: &[MemoryId], found: &Found) -> Vec<Body> {
    let mut out: Vec<Body> = Vec::new();
    let mut dropped: BTreeMap<ScopeKey, Vec<String>> = BTreeMap::new();
    for id in ids {
        let Some(memory) = store.state.memory(id) else {
            continue;
        };
        out.push(Body::Fact(Fact::Forget {
            id: id.clone(),
            scope: memory.scope.clone(),
            positions: found.positions.get(id).cloned().unwrap_or_default(),
            by: request.by.clone(),
            asked: request.asked.clone(),
        }));
    }
    for failure in store.state.failures() {
        if found.contents.contains(&failure.signature) {
            let keys = dropped.entry(failure.scope.clone()).or_default();
            keys.push(failure.key.clone());
        }
    }
    out.extend(
        dropped
            .into_iter()
            .map(|(scope, keys)| Body::Fact(Fact::FailureDropped { scope, keys })),
    );
    out
}

/// Removes every copy under the data folder, then the marker.
async fn blank(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    ids: &[MemoryId],
    found: &Found,
) -> Result<BTreeMap<String, u32>, StoreError> {
    let shredder = {
        let mut store = cell.borrow_mut();
        let shredder = Shredder::new(ids, &found.contents, &store.state);
        // What waits in memory would be written with the next commit.
        for observation in &mut store.queue {
            shredder.observation(observation);
        }
        shredder
    };
    let mut blanked = BTreeMap::new();
    keep::remove_leftovers(cell, ports, "").await?;
    keep::remove_leftovers(cell, ports, QUARANTINE).await?;
    let embeddings = cell.borrow().path(EMBEDDINGS);
    if !ports.files.stamp(&embeddings).is_empty() {
        ports.files.remove(&embeddings).await?;
        blanked.insert(EMBEDDINGS.to_owned(), 1);
    }
    for name in keep::names(cell, ports, QUARANTINE).await? {
        let name = format!("{QUARANTINE}/{name}");
        let path = cell.borrow().path(&name);
        let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
        if let Some((bytes, n)) = shredder.bytes(&bytes) {
            lock::beat(cell, ports, held).await?;
            ports.files.replace(&path, &bytes).await?;
            blanked.insert(name, n);
        }
    }
    for is_source in [false, true] {
        for name in ledgers(cell, ports).await? {
            let path = cell.borrow().path(&name);
            let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
            let Some((bytes, n)) = rewrite(&bytes, &shredder, is_source) else {
                continue;
            };
            lock::beat(cell, ports, held).await?;
            ports.files.replace(&path, &bytes).await?;
            *blanked.entry(name.clone()).or_insert(0) += n;
            if name == LEDGER {
                let mut store = cell.borrow_mut();
                store.end = scan(&bytes, &End::default()).end;
                store.head_bytes = load::head_bytes(&bytes);
            }
        }
    }
    cell.borrow_mut().saved.is_behind = true;
    keep::overwrite_checkpoint(cell, ports, held).await?;
    let marker = cell.borrow().path(MARKER);
    ports.files.remove(&marker).await?;
    cell.borrow_mut().is_forgetting = false;
    Ok(blanked)
}

/// Returns a segment with its rows blanked and how many were; `None` when none had to be.
///
/// Lines that need no change keep their bytes. A damaged line that quotes the content becomes a mark: it still stands
/// where a row once stood, and its copy is in quarantine.
fn rewrite(bytes: &[u8], shredder: &Shredder, is_source: bool) -> Option<(Vec<u8>, u32)> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut n = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        let start = out.len();
        let changed = match codec::decode(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)) {
            Line::Row(Row {
                body: Body::Unknown(_),
                ..
            }) => shredder.unknown(text, &mut out),
            Line::Row(mut row) => {
                shredder.row(&mut row, is_source) && codec::encode(&row, &mut out).is_ok()
            }
            Line::Damaged(_) | Line::Newer(_) => match shredder.bytes(text) {
                Some(_) => {
                    out.extend_from_slice(super::scan::BLANKED_LINE);
                    out.push(b'\n');
                    true
                }
                None => false,
            },
        };
        if changed {
            n += 1;
        } else {
            out.truncate(start);
            out.extend_from_slice(line);
        }
    }
    (n > 0).then_some((out, n))
}

/// Returns every segment, oldest first.
async fn ledgers(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<Vec<String>, StoreError> {
    let dir = cell.borrow().dir.clone();
    let mut names = load::segments(ports, &dir).await?;
    names.push(LEDGER.to_owned());
    Ok(names)
}
