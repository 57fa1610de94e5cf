//! Housekeeping under the lock and off the path of any step: damaged files moved aside, hand edits read, the checkpoint
//! written, the ledger rotated.

use super::codec::checksum;
use super::entry::{Body, Fact, Row};
use super::load::{self, CHECKPOINT, LEDGER};
use super::lock::{self, Held};
use super::scan::End;
use super::snapshot::{self, Snapshot, Writing};
use super::{Notice, Saved, Store, edit, forget};
use crate::error::{FilesError, StoreError};
use crate::memory::{Memory, Seq};
use crate::port::Ports;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A segment that grew by this much, or by its own beginning if that is more, is rotated.
///
/// # Source
/// Design section 5 asks for a stated size. At some 500 bytes a row this is about 16,000 rows, months of one person's
/// work, and reads in tens of milliseconds when a checkpoint is lost.
pub const SEGMENT_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Up to this length the checkpoint follows every change a person would see; past it only a tail of a quarter of its size.
pub const SMALL_BYTES: u64 = 1024 * 1024;

/// A tail shorter than this is never worth a checkpoint of a large store.
const TAIL_MIN_BYTES: u64 = 64 * 1024;

/// Damaged lines moved aside at once; more are counted and stay where they are.
const QUARANTINE_MAX: usize = 64;

/// Edits read one after another in one piece of housekeeping; the next one reads what a person saves after that.
const EDITS_MAX: usize = 3;

/// Memories taken down at once for a checkpoint: a millisecond.
const GATHER_RECORDS: usize = 5_000;

/// How often taking them down begins again because one changed.
const GATHERS_MAX: u32 = 4;

/// Where damaged files go.
pub(super) const QUARANTINE: &str = "quarantine";

impl Store {
    /// Returns whether the checkpoint should be written.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        let tail_bytes = self
            .end
            .offset_bytes
            .saturating_sub(self.saved.offset_bytes);
        let is_small = self.saved.length_bytes <= SMALL_BYTES;
        self.saved.is_behind && is_small
            || self.saved.offset_bytes > self.end.offset_bytes
            || tail_bytes > (self.saved.length_bytes / 4).max(TAIL_MIN_BYTES)
    }

    /// Returns whether the newest segment is long enough to become history.
    pub(super) fn is_rotation_due(&self) -> bool {
        let grown = self.end.offset_bytes.saturating_sub(self.head_bytes);
        grown > self.segment_max_bytes.max(self.head_bytes)
    }
}

/// Does what is due, once the lock is held and everything others wrote is read.
pub(super) async fn tend(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    mut drawn: Option<Drawn>,
) -> Result<(), StoreError> {
    let stamp = ports.files.stamp(&cell.borrow().path(CHECKPOINT));
    for _ in 0..EDITS_MAX {
        tend_once(cell, ports, held, drawn.take()).await?;
        // What a person saved while this was at work is read now, not by whoever commits next.
        if !was_edited_since(&cell.borrow(), ports, &stamp) {
            break;
        }
        look(cell, ports, held).await?;
    }
    Ok(())
}

/// Returns whether `memory.json` is neither as it was at `stamp` nor as it was last written or read.
fn was_edited_since(store: &Store, ports: Ports<'_>, stamp: &str) -> bool {
    let now = ports.files.stamp(&store.path(CHECKPOINT));
    now != stamp && store.saved.stamp.as_deref() != Some(now.as_str())
}

async fn tend_once(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    drawn: Option<Drawn>,
) -> Result<(), StoreError> {
    if !cell.borrow().is_swept {
        sweep(cell, ports).await?;
        cell.borrow_mut().is_swept = true;
    }
    if cell.borrow().is_forgetting {
        forget::resume(cell, ports, held).await?;
    }
    if cell.borrow().is_rotation_due() {
        rotate(cell, ports, held).await?;
    } else if let Some(drawn) = drawn {
        publish_checkpoint(cell, ports, held, drawn).await?;
    }
    if cell.borrow().is_checkpoint_due() {
        write_checkpoint(cell, ports, held).await?;
    }
    Ok(())
}

/// Removes what dead processes left half written: replacements, and guards of locks that are long gone.
async fn sweep(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<(), StoreError> {
    remove_leftovers(cell, ports, "").await?;
    remove_leftovers(cell, ports, QUARANTINE).await?;
    for name in names(cell, ports, "").await? {
        if name.starts_with("lock.") {
            lock::remove_leftover(cell, ports, &name).await?;
        }
    }
    Ok(())
}

/// Returns the files in a folder under the data folder; "" is the data folder itself.
pub(super) async fn names(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    folder: &str,
) -> Result<Vec<String>, StoreError> {
    let path = cell.borrow().path(folder);
    match ports.files.list(path.trim_end_matches('/')).await {
        Ok(entries) => Ok(entries
            .into_iter()
            .filter(|entry| !entry.is_folder)
            .map(|entry| entry.name)
            .collect()),
        Err(FilesError::NotFound { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Removes half-written replacements and returns their names. The lock's own are left: they hold no content and may be in use.
///
/// Everything else is written under the lock, which is held here. So their owners are dead, or were taken for dead and
/// must not publish: without the file, the last step of a replacement fails.
pub(super) async fn remove_leftovers(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    folder: &str,
) -> Result<Vec<String>, StoreError> {
    let mut removed = Vec::new();
    for name in names(cell, ports, folder).await? {
        if name.ends_with(".tmp") && !name.starts_with("lock") {
            let name = format!("{folder}/{name}")
                .trim_start_matches('/')
                .to_owned();
            let path = cell.borrow().path(&name);
            ports.files.remove(&path).await?;
            removed.push(name);
        }
    }
    Ok(removed)
}

/// Puts damaged lines into quarantine, under names that say where they were and what they are: found again, they are the same file.
pub(super) async fn quarantine_lines(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
) -> Result<(), StoreError> {
    let (damaged, folder) = {
        let mut store = cell.borrow_mut();
        (std::mem::take(&mut store.damaged), store.path(QUARANTINE))
    };
    let more = damaged.len().saturating_sub(QUARANTINE_MAX);
    for line in damaged.into_iter().take(QUARANTINE_MAX) {
        let at = line.offset_bytes;
        let path = format!("{folder}/ledger.{at}.{}.txt", checksum(&line.bytes));
        let is_new = match ports.files.create(&path, &line.bytes).await {
            Ok(is_new) => is_new,
            Err(error) => {
                cell.borrow_mut().damaged.push(line);
                return Err(error.into());
            }
        };
        if is_new {
            cell.borrow_mut().say(Notice {
                code: "ledger-damaged",
                detail: format!(
                    "one line at byte {at} of {LEDGER} was damaged ({}) and is in {QUARANTINE}",
                    line.reason
                ),
            });
        }
    }
    if more > 0 {
        cell.borrow_mut().notice(
            "ledger-damaged",
            format!("{more} more damaged lines stay where they are"),
        );
    }
    Ok(())
}

/// Looks at `memory.json` if it changed since it was last written or read whole.
///
/// # Errors
/// `NewerVersion`, `Files`, and those of a commit when a person's changes are committed.
pub(super) async fn look(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let path = cell.borrow().path(CHECKPOINT);
    let stamp = ports.files.stamp(&path);
    if cell.borrow().saved.stamp.as_deref() == Some(stamp.as_str()) {
        return Ok(());
    }
    let Some(bytes) = load::read(ports, &path, 0).await? else {
        let mut store = cell.borrow_mut();
        let is_behind = store.state.seq() > Seq(0);
        store.saved = Saved {
            stamp: Some(stamp),
            is_behind,
            ..Saved::default()
        };
        return Ok(());
    };
    match snapshot::read(&bytes) {
        Snapshot::Whole(header, _) => {
            let ours = cell
                .borrow()
                .state
                .origin()
                .is_none_or(|x| *x == header.origin);
            if !ours {
                return quarantine_file(cell, ports, CHECKPOINT, "another ledger's").await;
            }
            let mut store = cell.borrow_mut();
            store.saved = Saved {
                stamp: Some(stamp),
                seq: header.seq,
                length_bytes: bytes.len() as u64,
                offset_bytes: header.offset,
                is_behind: header.seq < store.state.seq(),
            };
            Ok(())
        }
        Snapshot::Newer(found) => {
            cell.borrow_mut().newer = Some(found);
            Err(StoreError::NewerVersion {
                found,
                supported: super::entry::LEDGER_VERSION,
            })
        }
        Snapshot::Damaged(reason) => quarantine_file(cell, ports, CHECKPOINT, reason).await,
        Snapshot::Edited(header, document) => {
            // What is forgotten by the edit writes over this very file.
            cell.borrow_mut().saved.stamp = Some(stamp);
            if let Err(error) = edit::apply(cell, ports, held, header, document).await {
                cell.borrow_mut().saved.stamp = None;
                return Err(error);
            }
            write_checkpoint(cell, ports, held).await
        }
    }
}

/// Moves a damaged file aside, over nothing.
pub(super) async fn quarantine_file(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    name: &str,
    reason: &str,
) -> Result<(), StoreError> {
    let (from, folder) = {
        let store = cell.borrow();
        (store.path(name), store.path(QUARANTINE))
    };
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "txt"));
    let mut bytes = [0; 3];
    ports.random.fill(&mut bytes);
    let [a, b, c] = bytes;
    let to = format!(
        "{stem}.{}.{a:02x}{b:02x}{c:02x}.{ending}",
        ports.clock.now()
    );
    match ports.files.rename(&from, &format!("{folder}/{to}")).await {
        // Another process was first.
        Ok(()) | Err(FilesError::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let mut store = cell.borrow_mut();
    store.saved = Saved {
        stamp: Some(String::new()),
        is_behind: true,
        ..Saved::default()
    };
    let detail = format!(
        "{name} was damaged ({reason}) and is kept as {QUARANTINE}/{to}; the ledger gave the state"
    );
    store.notice("checkpoint-quarantined", detail);
    Ok(())
}

/// Writes `memory.json` for the state as it is, whatever stands there: something in it was forgotten.
pub(super) async fn overwrite_checkpoint(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let path = cell.borrow().path(CHECKPOINT);
    for _ in 0..EDITS_MAX {
        let stamp = ports.files.stamp(&path);
        {
            let mut store = cell.borrow_mut();
            if store.saved.stamp.as_deref() != Some(stamp.as_str()) && !stamp.is_empty() {
                store.say(Notice {
                    code: "edit-overwritten",
                    detail: format!(
                        "{CHECKPOINT} was saved while something was forgotten; it is written over: it may hold what goes"
                    ),
                });
            }
            store.saved.stamp = Some(stamp.clone());
        }
        write_checkpoint(cell, ports, held).await?;
        let now = ports.files.stamp(&path);
        if cell.borrow().saved.stamp.as_deref() == Some(now.as_str()) {
            return Ok(());
        }
    }
    // The promise stands and is kept with the next commit.
    Err(StoreError::Files(FilesError::Other {
        path,
        action: "replace",
        message: "somebody else writes it all the time".to_owned(),
    }))
}

/// Writes `memory.json` for the state as it is.
pub(super) async fn write_checkpoint(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let Some(drawn) = draw(cell, ports).await else {
        return Ok(());
    };
    publish_checkpoint(cell, ports, held, drawn).await
}

/// A checkpoint on its way, and the state it is of.
pub(super) struct Drawn {
    pieces: Vec<Vec<u8>>,
    seq: Seq,
    end: End,
    n_forgotten: u64,
}

/// Writes a checkpoint of the state into memory, giving way between slices: no step waits for a large store. `None` before
/// the first row.
pub(super) async fn draw(cell: &RefCell<Store>, ports: Ports<'_>) -> Option<Drawn> {
    let (writing, mut drawn) = gathered(cell, ports, |store, memories| {
        let drawn = Drawn {
            pieces: Vec::new(),
            seq: store.state.seq(),
            end: store.end.clone(),
            n_forgotten: store.n_forgotten,
        };
        Some((Writing::file(&store.state, memories, &store.end)?, drawn))
    })
    .await?;
    drawn.pieces = finish(ports, writing).await;
    Some(drawn)
}

/// Takes down which memories there are, a slice at a time, and begins with all of them, in the same step as the last slice.
///
/// When one changes meanwhile it begins again; where that happens each time, all are taken at once.
async fn gathered<T>(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    begin: impl Fn(&Store, VecDeque<Rc<Memory>>) -> T,
) -> T {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let generation = cell.borrow().generation();
        let slice = if attempt < GATHERS_MAX {
            GATHER_RECORDS
        } else {
            usize::MAX
        };
        let mut memories = VecDeque::new();
        loop {
            {
                let store = cell.borrow();
                if store.generation() != generation {
                    break;
                }
                let all = store.state.memories();
                let n_all = all.len();
                memories.extend(all.skip(memories.len()).take(slice).cloned());
                if memories.len() >= n_all {
                    return begin(&store, memories);
                }
            }
            ports.clock.sleep(0).await;
        }
    }
}

async fn finish(ports: Ports<'_>, mut writing: Writing) -> Vec<Vec<u8>> {
    while writing.slice() {
        ports.clock.sleep(0).await;
    }
    writing.finish().unwrap_or_default()
}

/// Puts a checkpoint in place, unless something was forgotten since it was drawn: it would bring the content back to disk.
pub(super) async fn publish_checkpoint(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    drawn: Drawn,
) -> Result<(), StoreError> {
    if drawn.pieces.is_empty() || cell.borrow().n_forgotten != drawn.n_forgotten {
        return Ok(());
    }
    lock::beat(cell, ports, held).await?;
    let path = cell.borrow().path(CHECKPOINT);
    // A change a person made since the last look is read before it is written over.
    let known = cell.borrow().saved.stamp.clone();
    let Some(known) = known.filter(|known| *known == ports.files.stamp(&path)) else {
        return Ok(());
    };
    // Writing it takes milliseconds in which a person may save, and so does making its name last.
    let made = ports
        .files
        .replace_if(&path, Some(&known), &drawn.pieces)
        .await?;
    let Some(stamp) = made else {
        return Ok(());
    };
    let mut store = cell.borrow_mut();
    store.saved = Saved {
        stamp: Some(stamp),
        seq: drawn.seq,
        length_bytes: drawn.pieces.iter().map(|piece| piece.len() as u64).sum(),
        offset_bytes: drawn.end.offset_bytes,
        is_behind: drawn.seq < store.state.seq(),
    };
    Ok(())
}

/// Makes the newest segment history and begins a new one with the folded state.
///
/// The old rows are copied first and `ledger.jsonl` is replaced at once after it: that replacement is the one moment of
/// change. A copy left by a process that died in between is recognised and written over.
pub(super) async fn rotate(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let (dir, path) = {
        let store = cell.borrow();
        (store.dir.clone(), store.path(LEDGER))
    };
    let names = load::segments(ports, &dir).await?;
    let mut number = 1;
    if let Some(last) = names.last() {
        let last_path = cell.borrow().path(last);
        let is_copy = ports.files.begins_with(&path, &last_path).await?;
        number = load::segment_number(last).unwrap_or(0) + u32::from(!is_copy);
    }
    lock::beat(cell, ports, held).await?;
    let segment = cell.borrow().path(&format!("ledger.{number:06}.jsonl"));
    ports.files.copy(&path, &segment).await?;
    lock::beat(cell, ports, held).await?;
    begin_segment(cell, ports).await?;
    lock::fence(cell, ports, held).await
}

/// Replaces `ledger.jsonl` by one row that holds the state.
async fn begin_segment(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<(), StoreError> {
    let begun = gathered(cell, ports, |store, memories| {
        let seq = Seq(store.state.seq().0 + 1);
        let row = Row {
            origin: store.state.origin()?.clone(),
            seq,
            at: ports.clock.now(),
            tx: seq,
            last: true,
            body: Body::Fact(Fact::Checkpoint {
                state: Box::default(),
            }),
        };
        Some((Writing::row(&store.state, memories, &row), row))
    });
    let Some((writing, row)) = begun.await else {
        return Ok(());
    };
    let pieces = finish(ports, writing).await;
    if pieces.is_empty() {
        return Err(StoreError::RowInvalid {
            seq: row.seq.0,
            reason: "does not read back".to_owned(),
        });
    }
    let path = cell.borrow().path(LEDGER);
    ports.files.replace_if(&path, None, &pieces).await?;
    let mut store = cell.borrow_mut();
    let origin = row.origin.clone();
    store.state.stand_at(origin, row.seq);
    let whole = |end: End, piece: &Vec<u8>| end.after(piece);
    store.end = pieces.iter().fold(End::default(), whole);
    store.head_bytes = store.end.offset_bytes;
    store.saved.is_behind = true;
    // The checkpoint names a place in the segment before this one.
    store.saved.offset_bytes = u64::MAX;
    Ok(())
}
