//! Opening: the checkpoint and what the ledger says after it. Reads only; what must be written waits for the first commit.

use super::changes::Changes;
use super::entry::{Body, Fact, Row};
use super::forget::MARKER;
use super::keep::SEGMENT_MAX_BYTES;
use super::pieces::Pieces;
use super::scan::{Damaged, End, TAIL_BYTES, scan};
use super::snapshot::{self, Header, Snapshot};
use super::state::State;
use super::tables::Tables;
use super::{Notice, Saved, Store};
use crate::error::{FilesError, StoreError};
use crate::memory::Seq;
use crate::port::Ports;

/// The newest segment.
pub(super) const LEDGER: &str = "ledger.jsonl";
/// How the row that holds a state is known by its first bytes.
const CHECKPOINT_KIND: &[u8] = br#","kind":"checkpoint","#;
/// More than the fields before `kind` can take.
const HEAD_MAX_BYTES: usize = 256;
/// A longer checkpoint is read in pieces of this length.
const PIECE_BYTES: u64 = 128 * 1024;
/// The checkpoint.
pub(super) const CHECKPOINT: &str = "memory.json";

/// Opens the folder and says what was found wrong. Reads only, and does not wait where the files answer at once.
///
/// A missing folder is an empty store. Damage is a notice, never an error.
///
/// # Errors
/// `Files` when a file that is there cannot be read.
pub async fn open(ports: Ports<'_>, dir: &str) -> Result<(Store, Vec<Notice>), StoreError> {
    let mut store = Store {
        dir: dir.to_owned(),
        state: State::default(),
        changes: Changes::default(),
        end: End::default(),
        head_bytes: 0,
        torn_bytes: 0,
        segment_max_bytes: SEGMENT_MAX_BYTES,
        saved: Saved::default(),
        queue: Default::default(),
        n_dropped: 0,
        notices: Vec::new(),
        unsaid: Vec::new(),
        damaged: Vec::new(),
        heal: false,
        newer: None,
        is_forgetting: false,
        n_forgotten: 0,
        is_swept: false,
        n_promises: 0,
        next_ticket: 0,
        waiting: Default::default(),
        tokens: Vec::new(),
        watched: None,
        swift: Default::default(),
    };
    let loaded = load(ports, dir).await?;
    take(&mut store, loaded);
    let notices = store.notices.clone();
    Ok((store, notices))
}

/// What the files say.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    state: State,
    end: End,
    head_bytes: u64,
    torn_bytes: u64,
    saved: Saved,
    notices: Vec<Notice>,
    damaged: Vec<Damaged>,
    heal: bool,
    newer: Option<u32>,
    is_forgetting: bool,
}

impl Loaded {
    /// Returns whether nothing on disk is of the ledger that `known` was read from: the folder was removed, perhaps made anew.
    pub(super) fn is_another(&self, known: &State) -> bool {
        let is_same = self.state.origin() == known.origin();
        known.origin().is_some() && !is_same && self.newer.is_none() && self.damaged.is_empty()
    }
}

/// Puts what the files say in the place of what the store knew. Its queue and its tokens stay.
pub(super) fn take(store: &mut Store, loaded: Loaded) {
    let is_promise = loaded
        .state
        .tombstones()
        .any(|tombstone| store.state.tombstone(&tombstone.id).is_none());
    store.state = loaded.state;
    if is_promise {
        store.promised();
    }
    store.changes.reset();
    store.end = loaded.end;
    store.head_bytes = loaded.head_bytes;
    store.torn_bytes = loaded.torn_bytes;
    store.saved = loaded.saved;
    store.heal = loaded.heal;
    store.newer = loaded.newer;
    store.is_forgetting = loaded.is_forgetting;
    store.n_forgotten += 1;
    store.damaged.extend(loaded.damaged);
    for notice in loaded.notices {
        // Damage is said in a row by whoever puts it into quarantine, so that it is said once.
        if notice.code.ends_with("-damaged") {
            store.tell(notice);
        } else {
            store.notice(notice.code, notice.detail);
        }
    }
}

/// Reads the folder anew.
pub(super) async fn load(ports: Ports<'_>, dir: &str) -> Result<Loaded, StoreError> {
    let mut out = Loaded::default();
    let dir = dir.trim_end_matches('/');
    let checkpoint = format!("{dir}/{CHECKPOINT}");
    let ledger = format!("{dir}/{LEDGER}");
    // The stamp comes first: a change after it is seen again later, never missed.
    let stamp = ports.files.stamp(&checkpoint);
    let base = match read_checkpoint(ports, &checkpoint).await? {
        None => None,
        Some((Snapshot::Whole(header, tables), length_bytes)) => {
            out.saved = Saved {
                stamp: Some(stamp),
                seq: header.seq,
                length_bytes,
                offset_bytes: header.offset,
                is_behind: false,
            };
            Some((header, *tables))
        }
        Some((Snapshot::Newer(version), _)) => {
            out.newer = Some(version);
            None
        }
        Some((Snapshot::Edited(..), _)) => None,
        Some((Snapshot::Damaged(reason), _)) => {
            notice(
                &mut out,
                "checkpoint-damaged",
                format!(
                    "{CHECKPOINT} is damaged ({reason}): the ledger gives the state, the file goes to quarantine"
                ),
            );
            None
        }
    };
    out.is_forgetting = !ports.files.stamp(&format!("{dir}/{MARKER}")).is_empty();
    if let Some((header, tables)) = base {
        with_checkpoint(ports, &ledger, &mut out, header, tables).await?;
    } else {
        let bytes = read(ports, &ledger, 0).await?.unwrap_or_default();
        replay(ports, dir, &mut out, &bytes).await?;
    }
    Ok(out)
}

/// Reads the checkpoint, a long one piece by piece; returns its length, too.
async fn read_checkpoint(
    ports: Ports<'_>,
    path: &str,
) -> Result<Option<(Snapshot, u64)>, StoreError> {
    let first = match ports.files.read_part(path, 0, PIECE_BYTES).await {
        Ok(bytes) => bytes,
        Err(FilesError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if (first.len() as u64) < PIECE_BYTES {
        return Ok(Some((snapshot::read(&first), first.len() as u64)));
    }
    if let Some((header, tables, length_bytes)) = read_pieces(ports, path, first).await? {
        let whole = Snapshot::Whole(header, Box::new(tables));
        return Ok(Some((whole, length_bytes)));
    }
    // Edited, damaged, of another version, or replaced meanwhile.
    let bytes = read(ports, path, 0).await?;
    Ok(bytes.map(|bytes| (snapshot::read(&bytes), bytes.len() as u64)))
}

async fn read_pieces(
    ports: Ports<'_>,
    path: &str,
    first: Vec<u8>,
) -> Result<Option<(Header, Tables, u64)>, StoreError> {
    let Some(mut pieces) = Pieces::begin(&first) else {
        return Ok(None);
    };
    let mut at = first.len() as u64;
    // One piece at a time: memory that was once used stays with the module.
    drop(first);
    loop {
        let piece = match ports.files.read_part(path, at, PIECE_BYTES).await {
            Ok(piece) => piece,
            Err(FilesError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if !pieces.take(&piece) {
            return Ok(None);
        }
        at += piece.len() as u64;
        if (piece.len() as u64) < PIECE_BYTES {
            let whole = pieces.finish();
            return Ok(whole.map(|(header, tables)| (header, tables, at)));
        }
    }
}

/// Folds the ledger's tail onto a checkpoint.
async fn with_checkpoint(
    ports: Ports<'_>,
    ledger: &str,
    out: &mut Loaded,
    header: Header,
    tables: Tables,
) -> Result<(), StoreError> {
    out.state.set(tables);
    out.state.stand_at(header.origin.clone(), header.seq);
    let from = header.offset.saturating_sub(TAIL_BYTES as u64);
    let kept = usize::try_from(header.offset - from).unwrap_or(0);
    let Some(bytes) = read(ports, ledger, from).await? else {
        notice(
            out,
            "ledger-missing",
            format!("{LEDGER} is missing: the state is the checkpoint's"),
        );
        out.heal = true;
        return Ok(());
    };
    if let Some((tail, rest)) = bytes.split_at_checked(kept) {
        let end = End {
            offset_bytes: header.offset,
            tail: tail.to_vec(),
        };
        if end.link() == header.link {
            add(out, rest, &end, header.seq);
            return Ok(());
        }
    }
    // The ledger was rewritten or damaged since: all of it is read, and rows the checkpoint has are passed over.
    let bytes = read(ports, ledger, 0).await?.unwrap_or_default();
    let found = scan(&bytes, &End::default());
    let other = found
        .rows
        .first()
        .is_some_and(|row| row.origin != header.origin);
    if other {
        notice(
            out,
            "checkpoint-foreign",
            format!("{CHECKPOINT} is of another ledger: the ledger gives the state"),
        );
        out.state = State::default();
        out.saved = Saved::default();
        add(out, &bytes, &End::default(), Seq(0));
        return Ok(());
    }
    if !found.damaged.is_empty() || !begins_a_state(found.rows.first()) {
        // What the damaged lines said is in the checkpoint, and soon in the ledger again.
        out.heal = true;
    }
    let newest = found.rows.last().map_or(Seq(0), |row| row.seq);
    if newest < header.seq {
        notice(
            out,
            "ledger-behind",
            format!(
                "{LEDGER} ends at {newest} and the checkpoint at {}: the checkpoint gives the state",
                header.seq
            ),
        );
        out.heal = true;
    }
    add(out, &bytes, &End::default(), header.seq);
    Ok(())
}

/// Folds a whole segment, and older ones only when this one does not begin with a state of its own.
async fn replay(
    ports: Ports<'_>,
    dir: &str,
    out: &mut Loaded,
    bytes: &[u8],
) -> Result<(), StoreError> {
    let newest = scan(bytes, &End::default());
    if !bytes.is_empty() && !begins_a_state(newest.rows.first()) {
        let mut older = Vec::new();
        for name in segments(ports, dir).await?.into_iter().rev() {
            let path = format!("{dir}/{name}");
            let found = scan(
                &read(ports, &path, 0).await?.unwrap_or_default(),
                &End::default(),
            );
            let begins = begins_a_state(found.rows.first());
            older.push(found.rows);
            if begins {
                break;
            }
        }
        if !older.is_empty() {
            notice(
                out,
                "segment-damaged",
                format!("{LEDGER} does not begin with a state: older segments were read"),
            );
        }
        for row in older.into_iter().rev().flatten() {
            // A segment may be a copy of the one after it, when the process died between copying and beginning anew.
            if row.seq > out.state.seq() {
                out.state.fold(row);
            }
        }
    }
    let known = out.state.seq();
    add(out, bytes, &End::default(), known);
    Ok(())
}

/// Returns whether nothing before this row matters.
pub(super) fn begins_a_state(first: Option<&Row>) -> bool {
    first.is_some_and(|row| {
        row.seq == Seq(1) || matches!(row.body, Body::Fact(Fact::Checkpoint { .. }))
    })
}

/// Returns the names of the older segments, oldest first.
pub(super) async fn segments(ports: Ports<'_>, dir: &str) -> Result<Vec<String>, StoreError> {
    let entries = match ports.files.list(dir).await {
        Ok(entries) => entries,
        Err(FilesError::NotFound { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut names: Vec<String> = entries
        .into_iter()
        .map(|entry| entry.name)
        .filter(|name| segment_number(name).is_some())
        .collect();
    crate::text::order::sort_by(&mut names, |a, b| segment_number(a).cmp(&segment_number(b)));
    Ok(names)
}

/// Returns the number of an older segment: `ledger.000001.jsonl` is 1.
pub(super) fn segment_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("ledger.")?.strip_suffix(".jsonl")?;
    (digits.len() >= 6).then(|| digits.parse().ok()).flatten()
}

/// Folds rows after `known` and keeps what else was found.
fn add(out: &mut Loaded, bytes: &[u8], start: &End, known: Seq) {
    let found = scan(bytes, start);
    if start.offset_bytes == 0 {
        out.head_bytes = head_bytes(bytes);
    }
    for row in found.rows {
        if row.seq > known {
            if is_visible(&row.body) {
                out.saved.is_behind = true;
            }
            out.state.fold(row);
        }
    }
    if found.n_unfinished > 0 {
        notice(
            out,
            "commit-unfinished",
            format!(
                "{} rows of unfinished commits were passed over",
                found.n_unfinished
            ),
        );
    }
    for damaged in &found.damaged {
        notice(
            out,
            "ledger-damaged",
            format!(
                "{LEDGER} is damaged at byte {} ({}): the lines around it hold",
                damaged.offset_bytes, damaged.reason
            ),
        );
    }
    out.damaged = found.damaged;
    out.end = found.end;
    out.torn_bytes = found.torn_bytes;
    out.newer = out.newer.or(found.newer);
}

/// Returns how long the state at the beginning of a segment is.
pub(super) fn head_bytes(bytes: &[u8]) -> u64 {
    let length = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let head = bytes.get(..length.min(HEAD_MAX_BYTES)).unwrap_or_default();
    let is_state = head
        .windows(CHECKPOINT_KIND.len())
        .any(|window| window == CHECKPOINT_KIND);
    if is_state { length as u64 + 1 } else { 0 }
}

/// Returns whether a person reading `memory.json` would see a difference.
pub(super) fn is_visible(body: &Body) -> bool {
    match body {
        Body::Fact(fact) => !matches!(
            fact,
            Fact::Turn { .. } | Fact::Failure { .. } | Fact::Import { .. }
        ),
        Body::Observation(_) | Body::Unknown(_) => false,
    }
}

/// Reads a file that may not be there.
pub(super) async fn read(
    ports: Ports<'_>,
    path: &str,
    from: u64,
) -> Result<Option<Vec<u8>>, StoreError> {
    match ports.files.read(path, from).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FilesError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn notice(out: &mut Loaded, code: &'static str, detail: String) {
    out.notices.push(Notice { code, detail });
}
