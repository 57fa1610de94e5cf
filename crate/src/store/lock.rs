//! Keeps a second process out of a commit, and knows when the first one is gone.
//!
//! `lock` is made exclusively, here or by [`super::swift`], and names its owner and a token used once. A lock whose owner is dead is taken away by
//! whoever holds its guard, a file named after that token and made exclusively too; a guard whose owner is dead has a
//! guard of its own. The holder of the deepest guard looks again and removes `lock` only while it still has that token:
//! a lock made since has another. The argument in full is in `docs/ledger.md`.

use super::codec::checksum;
use super::{Store, commit};
use crate::error::{FilesError, StoreError};
use crate::memory::Millis;
use crate::port::{Liveness, Owner, Ports};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// How long a lock whose owner cannot be asked must stand unchanged before it is taken for dead.
///
/// Wrong early: two holders, caught by the look before publishing. Wrong late: commits fail for that long. A commit
/// takes milliseconds; a slow disk's sync stays under two seconds.
pub const HEARTBEAT_MS: i64 = 5_000;

/// A holder older than this looks whether the lock is still its own before it publishes.
pub const FENCE_MS: i64 = 1_000;

/// Longest pause between two looks at a lock that is held.
const PAUSE_MAX_MS: u32 = 24;

/// After this long a committer looks at a held lock every few milliseconds.
const IMPATIENT_MS: u32 = 300;

/// Guards of guards: each level needs one process that died while reclaiming.
const GUARDS_MAX: usize = 8;

/// The content of `lock` and of its guards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Claim {
    pub owner: Owner,
    pub token: String,
    pub at: Millis,
    /// Counts up while the holder works.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beat: u32,
    /// The holder is done and the system would not let it remove the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub released: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A lock that is held.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) claim: Claim,
}

/// A place in the queue of this process's committers; gives it up when dropped.
pub(super) struct Place<'a> {
    cell: &'a RefCell<Store>,
    ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Ok(mut store) = self.cell.try_borrow_mut() {
            store.waiting.remove(&self.ticket);
        }
    }
}

/// What is left of the time for waiting.
pub(super) struct Budget {
    wait_ms: u32,
    waited_ms: u32,
}

impl Budget {
    pub(super) fn of(wait_ms: u32) -> Self {
        Self {
            wait_ms,
            waited_ms: 0,
        }
    }

    /// Waits once more, a little longer each time; an error when the time is over or the job ended.
    async fn pause(&mut self, ports: Ports<'_>, ms: u32, owner: &str) -> Result<(), StoreError> {
        if ports.ended.get() {
            return Err(StoreError::Ended { reason: "waiting" });
        }
        if self.waited_ms >= self.wait_ms {
            return Err(StoreError::LockBusy {
                owner: owner.to_owned(),
                waited_ms: self.waited_ms,
            });
        }
        let ms = ms.min(self.wait_ms - self.waited_ms).max(1);
        let before = ports.clock.now();
        ports.clock.sleep(ms).await;
        // A clock that went backwards still cannot stretch the wait.
        let slept = ports
            .clock
            .now()
            .0
            .saturating_sub(before.0)
            .max(i64::from(ms));
        self.waited_ms = self
            .waited_ms
            .saturating_add(u32::try_from(slept).unwrap_or(u32::MAX));
        Ok(())
    }
}

/// Waits until this committer is the first of its process.
pub(super) async fn queue<'a>(
    cell: &'a RefCell<Store>,
    ports: Ports<'_>,
    budget: &mut Budget,
) -> Result<Place<'a>, StoreError> {
    let ticket = {
        let mut store = cell.borrow_mut();
        store.next_ticket += 1;
        let ticket = store.next_ticket;
        store.waiting.insert(ticket);
        ticket
    };
    let place = Place { cell, ticket };
    while cell.borrow().waiting.first() != Some(&ticket) {
        budget
            .pause(ports, 1, "another job of this process")
            .await?;
    }
    Ok(place)
}

/// Takes the lock, reclaiming a dead owner's. Call it as the first of the queue.
///
/// # Errors
/// `LockBusy` when a live owner held it for the whole budget; `Ended`; `Files` when the folder takes no files.
async fn acquire(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    budget: &mut Budget,
) -> Result<Held, StoreError> {
    let path = cell.borrow().path("lock");
    let mut pause_ms = 1;
    let mut refused = 0;
    loop {
        let claim = claim(ports);
        let bytes = serde_json::to_vec(&claim).unwrap_or_default();
        // Known as ours before it can exist: a job that is dropped here leaves a lock that the next one may take away.
        cell.borrow_mut().remember_token(&claim.token);
        let owner = match ports.files.create(&path, &bytes).await {
            Ok(true) => {
                // This process holds no other: what else it took is long gone.
                cell.borrow_mut().forget_tokens_but(&claim.token);
                return Ok(Held { claim });
            }
            Ok(false) => {
                cell.borrow_mut().forget_token(&claim.token);
                match look(cell, ports, &path).await? {
                    Look::Gone => continue,
                    Look::Dead(token) => {
                        if reclaim(cell, ports, &path, &token).await? {
                            continue;
                        }
                        "a process that is reclaiming a dead one's lock".to_owned()
                    }
                    Look::Held(owner) => owner,
                }
            }
            // Some systems refuse a name for a moment while its removal is under way, and a half-written claim may be swept.
            Err(FilesError::NotPermitted { .. } | FilesError::NotFound { .. }) if refused < 3 => {
                cell.borrow_mut().forget_token(&claim.token);
                refused += 1;
                pause_ms = 8;
                "the system".to_owned()
            }
            Err(error) => {
                cell.borrow_mut().forget_token(&claim.token);
                return Err(error.into());
            }
        };
        let jitter = u32::from(claim.token.bytes().next().unwrap_or(0)) % 3;
        budget.pause(ports, pause_ms + jitter, &owner).await?;
        // Who waited long looks more often than who just came, and so is served first.
        pause_ms = if budget.waited_ms > IMPATIENT_MS {
            1
        } else {
            (pause_ms * 2).min(PAUSE_MAX_MS)
        };
    }
}

/// Works under the lock: takes it, and gives it back whatever the work came to.
///
/// # Errors
/// `NewerVersion`, `LockBusy`, `Ended`, and those of the work.
pub(super) async fn holding<T>(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    budget: &mut Budget,
    work: impl AsyncFnOnce(&mut Held) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    commit::writable(cell)?;
    let held = acquire(cell, ports, budget).await?;
    holding_already(cell, ports, held, work).await
}

/// Works under a lock that is held, and gives it back whatever the work came to.
///
/// # Errors
/// Those of the work.
pub(super) async fn holding_already<T>(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    mut held: Held,
    work: impl AsyncFnOnce(&mut Held) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let done = work(&mut held).await;
    release(cell, ports, held).await;
    done
}

/// Gives the lock back. What the system refuses is tried again, then marked as released, then left to the next commit.
pub(super) async fn release(cell: &RefCell<Store>, ports: Ports<'_>, held: Held) {
    let path = cell.borrow().path("lock");
    if fence(cell, ports, &held).await.is_err() {
        // It was taken for dead and is another's now.
        cell.borrow_mut().forget_token(&held.claim.token);
        return;
    }
    for pause_ms in [0, 4, 16] {
        if pause_ms > 0 {
            ports.clock.sleep(pause_ms).await;
        }
        if ports.files.remove(&path).await.is_ok() {
            cell.borrow_mut().forget_token(&held.claim.token);
            return;
        }
    }
    let released = Claim {
        released: true,
        ..held.claim
    };
    let bytes = serde_json::to_vec(&released).unwrap_or_default();
    // When this fails too, the token stays known and the next commit of this process takes the lock away.
    let _ = ports.files.replace(&path, &bytes).await;
}

/// Makes sure, when the lock was held for long, that it is still this holder's.
///
/// # Errors
/// `LockBusy` when it is not; nothing was published.
pub(super) async fn fence(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &Held,
) -> Result<(), StoreError> {
    let age_ms = ports.clock.now().0.saturating_sub(held.claim.at.0);
    if (0..FENCE_MS).contains(&age_ms) {
        return Ok(());
    }
    let path = cell.borrow().path("lock");
    let found = ports.files.read(&path, 0).await.ok();
    match found.and_then(|bytes| serde_json::from_slice::<Claim>(&bytes).ok()) {
        Some(claim) if claim.token == held.claim.token => Ok(()),
        other => Err(StoreError::LockBusy {
            owner: other.map_or_else(|| "nobody".to_owned(), |claim| name(&claim.owner)),
            waited_ms: u32::try_from(age_ms).unwrap_or(0),
        }),
    }
}

/// Shows that the holder still works; for long work only. The look before it is the fence.
pub(super) async fn beat(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let age_ms = ports.clock.now().0.saturating_sub(held.claim.at.0);
    if (0..FENCE_MS).contains(&age_ms) {
        return Ok(());
    }
    fence(cell, ports, held).await?;
    held.claim.beat = held.claim.beat.wrapping_add(1);
    held.claim.at = ports.clock.now();
    let bytes = serde_json::to_vec(&held.claim).unwrap_or_default();
    let path = cell.borrow().path("lock");
    ports.files.replace(&path, &bytes).await?;
    Ok(())
}

enum Look {
    /// There is no lock any more.
    Gone,
    /// Nobody will ever release it; the token it is reclaimed by.
    Dead(String),
    Held(String),
}

/// Looks at a lock that is there.
async fn look(cell: &RefCell<Store>, ports: Ports<'_>, path: &str) -> Result<Look, StoreError> {
    let bytes = match ports.files.read(path, 0).await {
        Ok(bytes) => bytes,
        Err(FilesError::NotFound { .. }) => return Ok(Look::Gone),
        Err(error) => return Err(error.into()),
    };
    let claim = serde_json::from_slice::<Claim>(&bytes).ok();
    // A damaged lock has no token; its content names it as well.
    let token = claim
        .as_ref()
        .map_or_else(|| checksum(&bytes), |claim| safe(&claim.token));
    let is_dead = match &claim {
        Some(claim) if claim.released => true,
        // Ours, from a job that was dropped: the queue lets nobody else of this process be here.
        Some(claim) if cell.borrow().has_token(&claim.token) => true,
        Some(claim) => match ports.files.liveness(&claim.owner) {
            Liveness::Dead => true,
            Liveness::Alive => false,
            Liveness::Unknown => stands_still(cell, ports, &bytes),
        },
        None => stands_still(cell, ports, &bytes),
    };
    if is_dead {
        return Ok(Look::Dead(token));
    }
    Ok(Look::Held(claim.map_or_else(
        || "a damaged lock".to_owned(),
        |claim| name(&claim.owner),
    )))
}

/// Returns whether a lock was the same for as long as a heartbeat may take, by this process's own clock.
fn stands_still(cell: &RefCell<Store>, ports: Ports<'_>, bytes: &[u8]) -> bool {
    let now = ports.clock.now();
    let mut store = cell.borrow_mut();
    match &store.watched {
        Some((seen, since)) if seen == bytes && *since <= now => now.0 - since.0 >= HEARTBEAT_MS,
        _ => {
            store.watched = Some((bytes.to_vec(), now));
            false
        }
    }
}

/// Takes a dead owner's lock away; returns whether it is worth trying to take the lock at once.
async fn reclaim(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    path: &str,
    token: &str,
) -> Result<bool, StoreError> {
    let mut guard = format!("{path}.reclaim.{token}");
    let mut guards = Vec::new();
    for _ in 0..GUARDS_MAX {
        let claim = claim(ports);
        let bytes = serde_json::to_vec(&claim).unwrap_or_default();
        guards.push(guard.clone());
        if ports.files.create(&guard, &bytes).await? {
            let found = match ports.files.read(path, 0).await {
                Ok(bytes) => Some(bytes),
                Err(FilesError::NotFound { .. }) => None,
                Err(error) => {
                    ports.files.remove(&guard).await?;
                    return Err(error.into());
                }
            };
            let same = found.is_some_and(|bytes| {
                serde_json::from_slice::<Claim>(&bytes)
                    .map_or_else(|_| checksum(&bytes), |claim| safe(&claim.token))
                    == token
            });
            if same {
                ports.files.remove(path).await?;
                let mut store = cell.borrow_mut();
                store.forget_token(token);
                // Whoever died may have left half a file as well.
                store.is_swept = false;
            }
            // The token is gone for ever, so from here on its guards protect nothing.
            for guard in guards.iter().rev() {
                ports.files.remove(guard).await?;
            }
            return Ok(true);
        }
        match look(cell, ports, &guard).await? {
            Look::Gone => return Ok(true),
            Look::Dead(inner) => guard = format!("{guard}.{inner}"),
            Look::Held(_) => return Ok(false),
        }
    }
    Ok(false)
}

/// Removes what a dead process left of its lock: a claim it had not put in place yet, or a guard of a lock that is gone.
pub(super) async fn remove_leftover(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    name: &str,
) -> Result<(), StoreError> {
    let (path, lock) = {
        let store = cell.borrow();
        (store.path(name), store.path("lock"))
    };
    let Ok(bytes) = ports.files.read(&path, 0).await else {
        return Ok(());
    };
    let is_dead = match serde_json::from_slice::<Claim>(&bytes) {
        Ok(claim) => ports.files.liveness(&claim.owner) == Liveness::Dead,
        // Half a claim may be one that a live process writes this moment: then it meets `NotFound` and writes it again.
        Err(_) => true,
    };
    // The lock there now is ours, so no guard that stands beside it is of the lock that is there.
    if is_dead && !ports.files.stamp(&lock).is_empty() {
        ports.files.remove(&path).await?;
    }
    Ok(())
}

/// Returns 24 characters that nobody had before.
pub(super) fn token(ports: Ports<'_>) -> String {
    let mut bytes = [0; 12];
    ports.random.fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn claim(ports: Ports<'_>) -> Claim {
    Claim {
        owner: ports.files.owner(),
        token: token(ports),
        at: ports.clock.now(),
        beat: 0,
        released: false,
    }
}

/// Makes a token from a file safe to stand in a file's name.
fn safe(token: &str) -> String {
    let is_plain = !token.is_empty()
        && token.len() <= 64
        && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain {
        token.to_owned()
    } else {
        checksum(token.as_bytes())
    }
}

fn name(owner: &Owner) -> String {
    format!("process {} on {}", owner.pid, owner.host)
}
