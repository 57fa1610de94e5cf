//! The record and the state folded from it.
//!
//! A [`Store`] is one process's view of a data folder. Its operations are free functions over a `RefCell` of it: each
//! borrows for a moment, waits for a port with nothing borrowed, and borrows again. Every change is one append to
//! `ledger.jsonl` under `lock`; the state changes only after the append returned. The formats and the argument for each
//! crash point are in `docs/ledger.md`.

mod body;
mod changes;
pub mod codec;
pub mod commit;
pub mod devices;
mod edit;
pub mod entry;
pub mod forget;
pub mod history;
mod keep;
mod fold;
mod load;
mod pieces;
pub mod lock;
pub mod log;
mod merge;
pub mod merged;
pub mod names;
mod prepare;
pub mod scan;
mod shred;
pub mod snapshot;
pub mod state;
mod swift;
pub mod table;
pub mod tables;

pub use commit::{Committed, Draft, close, commit, observe, refresh, settle};
pub use forget::{Receipt, Request, forget, forget_with};
pub use history::{Walked, history, tail, walk};
pub use keep::SEGMENT_MAX_BYTES;
pub use load::open;
pub use state::State;

use crate::memory::{MemoryId, Millis, Seq};
use crate::text::sorted::Set;
use changes::Changes;
use entry::Observation;
use scan::{Damaged, End};
use std::collections::VecDeque;

/// Observations that wait for the next commit; past it the oldest are dropped and counted.
pub const QUEUE_MAX: usize = 256;

/// Notices kept for the next commit and for a reader.
const NOTICES_MAX: usize = 64;

/// Something about the folder that a person should know. Becomes a `health` row with the next commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub code: &'static str,
    pub detail: String,
}

/// One process's view of a data folder.
#[derive(Debug)]
pub struct Store {
    dir: String,
    state: State,
    changes: Changes,
    /// Where the folded part of `ledger.jsonl` ends.
    end: End,
    /// Bytes of the segment's first commit when it is a checkpoint, so its own size does not count as growth.
    head_bytes: u64,
    /// Bytes after the end at the last look under the lock: a commit that was never finished.
    torn_bytes: u64,
    segment_max_bytes: u64,
    saved: Saved,
    queue: VecDeque<Observation>,
    n_dropped: u32,
    /// Everything noticed since opening, for the health report.
    notices: Vec<Notice>,
    /// Notices that no row says yet.
    unsaid: Vec<Notice>,
    damaged: Vec<Damaged>,
    /// The ledger lacks what the checkpoint had: the next commit writes the state into it first.
    heal: bool,
    /// The ledger or the checkpoint is of a newer version: nothing is ever written.
    newer: Option<u32>,
    /// A promise to forget is being kept, here or by a process that died.
    is_forgetting: bool,
    /// How often something was forgotten since opening: what was drawn before must not be written after.
    n_forgotten: u64,
    /// What dead processes left half written was looked for.
    is_swept: bool,
    /// How often a promise to forget was met since opening: what was decided before may quote what it is about.
    n_promises: u64,
    next_ticket: u64,
    waiting: Set<u64>,
    tokens: Vec<String>,
    watched: Option<(Vec<u8>, Millis)>,
    swift: swift::Way,
}

/// What is known about `memory.json` as it was last written or read whole.
#[derive(Debug, Clone, Default, PartialEq)]
struct Saved {
    /// `None`: the file needs a look (it was damaged, changed or never read).
    stamp: Option<String>,
    seq: Seq,
    length_bytes: u64,
    /// The ledger's end it reflects.
    offset_bytes: u64,
    /// Whether a person would see a difference since.
    is_behind: bool,
}

impl Store {
    /// Returns the state. Never hold it across an await: clone the `Rc`s you need.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns a number that grows whenever the state does. It starts above 0.
    pub fn generation(&self) -> u64 {
        self.changes.generation()
    }

    /// Returns the memories that changed after `generation`, some perhaps twice; `None` when too much did: then look at all.
    pub fn changed_since(&self, generation: u64) -> Option<Vec<MemoryId>> {
        self.changes.since(generation)
    }

    /// Returns everything noticed since opening.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Returns the newer version that keeps this build from writing, if one does.
    pub fn newer_version(&self) -> Option<u32> {
        self.newer
    }

    /// Returns the folder.
    pub fn dir(&self) -> &str {
        &self.dir
    }

    /// Returns the length of the newest segment as far as it was read.
    pub fn ledger_bytes(&self) -> u64 {
        self.end.offset_bytes
    }

    /// Sets how much a segment grows before it is rotated; [`SEGMENT_MAX_BYTES`] until then.
    pub fn rotate_after(&mut self, segment_max_bytes: u64) {
        self.segment_max_bytes = segment_max_bytes;
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir.trim_end_matches('/'))
    }

    /// Keeps a notice for a reader and for a row; one that is known already changes nothing.
    fn notice(&mut self, code: &'static str, detail: String) {
        let notice = Notice { code, detail };
        if !self.notices.contains(&notice) {
            self.say(notice.clone());
            self.tell(notice);
        }
    }

    /// Keeps a notice for a reader.
    fn tell(&mut self, notice: Notice) {
        if self.notices.len() < NOTICES_MAX && !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// Keeps a notice for a row.
    fn say(&mut self, notice: Notice) {
        if self.unsaid.len() < NOTICES_MAX {
            self.unsaid.push(notice);
        }
    }

    fn remember_token(&mut self, token: &str) {
        self.tokens.push(token.to_owned());
    }

    fn forget_token(&mut self, token: &str) {
        self.tokens.retain(|known| known != token);
    }

    fn forget_tokens_but(&mut self, token: &str) {
        self.tokens.retain(|known| known == token);
    }

    fn has_token(&self, token: &str) -> bool {
        self.tokens.iter().any(|known| known == token)
    }
}
