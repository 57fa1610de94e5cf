//! The usual commit, in one call: nobody else wrote since the last look, and nothing waits to be mended.
//!
//! Everything is decided and encoded before the lock is taken. The call takes it, looks at the ledger's length and end and
//! at the checkpoint's stamp, appends, and gives it back. Where one of these is not as known, the commit goes on the long
//! way ([`super::commit`]), under the lock that is held or after waiting for it.

use super::Store;
use super::commit::{self, Committed, Draft};
use super::load::{CHECKPOINT, LEDGER};
use super::lock::{self, FENCE_MS, Held};
use super::prepare::{Prepared, prepare};
use crate::error::{FilesError, StoreError};
use crate::port::{Ports, Publication, Published};
use std::cell::RefCell;

/// How files of the lock's owners begin; what follows is drawn once for each store that is open.
const OWNER: &str = "lock.owner.";

/// What a process keeps for its commits.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The name of the file its locks are linked from.
    owner: Option<String>,
    /// The folder takes no links.
    is_closed: bool,
}

/// What came of it.
pub(super) enum Swift {
    Done(Committed),
    /// The lock is held and nothing was written.
    Held(Held),
    /// Nothing happened.
    NotDone,
}

/// Commits `draft` when nothing stands in the way. Call it as the first of the queue.
///
/// # Errors
/// `Ended`; `Files` when the append failed. Nothing was published then.
pub(super) async fn publish(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    draft: &Draft,
    heard_at: u64,
) -> Result<Swift, StoreError> {
    let Some(prepared) = prepared(&cell.borrow(), ports, draft, heard_at) else {
        return Ok(Swift::NotDone);
    };
    if ports.ended.get() {
        return Err(StoreError::Ended {
            reason: "before the append",
        });
    }
    let held = Held {
        claim: lock::claim(ports),
    };
    let claim = serde_json::to_vec(&held.claim).unwrap_or_default();
    let (lock, owner, path, beside, end, stamp) = {
        let mut store = cell.borrow_mut();
        let owner = match &store.swift.owner {
            Some(owner) => owner.clone(),
            None => {
                let name = format!("{OWNER}{}", lock::token(ports));
                store.swift.owner.insert(name).clone()
            }
        };
        // Known as ours before it can exist, as by the long way.
        store.remember_token(&held.claim.token);
        (
            store.path("lock"),
            store.path(&owner),
            store.path(LEDGER),
            store.path(CHECKPOINT),
            store.end.clone(),
            store.saved.stamp.clone().unwrap_or_default(),
        )
    };
    let publication = Publication {
        lock: &lock,
        owner: &owner,
        claim: &claim,
        path: &path,
        end_bytes: end.offset_bytes,
        tail: &end.tail,
        beside: &beside,
        stamp: &stamp,
        bytes: &prepared.bytes,
        within_ms: u32::try_from(FENCE_MS).unwrap_or(0),
    };
    let came = ports.files.publish(publication).await;
    if let Ok(Published::Busy | Published::Done) | Err(_) = came {
        cell.borrow_mut().forget_token(&held.claim.token);
    }
    match came {
        Ok(Published::Done) => Ok(Swift::Done(commit::folded(
            &mut cell.borrow_mut(),
            prepared,
        ))),
        Ok(Published::Kept) => {
            let committed = commit::folded(&mut cell.borrow_mut(), prepared);
            lock::release(cell, ports, held).await;
            Ok(Swift::Done(committed))
        }
        Ok(Published::Taken) => Ok(Swift::Held(held)),
        Ok(Published::Failed(error)) => {
            let _ = ports.files.truncate(&path, end.offset_bytes).await;
            lock::release(cell, ports, held).await;
            Err(error.into())
        }
        Ok(Published::Busy) => Ok(Swift::NotDone),
        Err(error) => {
            // The long way finds out whether it is the links or the folder.
            let is_closed = !matches!(error, FilesError::NoSpace { .. });
            cell.borrow_mut().swift.is_closed |= is_closed;
            Ok(Swift::NotDone)
        }
    }
}

/// Returns the commit as bytes, if it can be made on the state as it is known.
fn prepared(store: &Store, ports: Ports<'_>, draft: &Draft, heard_at: u64) -> Option<Prepared> {
    let is_plain = store.torn_bytes == 0
        && store.damaged.is_empty()
        && !store.heal
        && store.newer.is_none()
        // A lock of ours that was left behind would be written over where it stands: the file is the same one.
        && store.tokens.is_empty()
        && store.saved.stamp.is_some()
        && store.end.offset_bytes > 0
        && !store.swift.is_closed;
    if !is_plain || commit::check(store, draft).is_err() {
        return None;
    }
    let mut rows = draft.rows.clone();
    commit::blind(store, &mut rows, heard_at);
    let prepared = prepare(store, ports, rows).ok()?;
    (!prepared.found.rows.is_empty()).then_some(prepared)
}

/// Removes this process's file. The next commit makes another.
pub(super) async fn retire(cell: &RefCell<Store>, ports: Ports<'_>) {
    let owner = cell.borrow_mut().swift.owner.take();
    if let Some(owner) = owner {
        let path = cell.borrow().path(&owner);
        // What stays is swept by the next process that opens the folder.
        let _ = ports.files.remove(&path).await;
    }
}
