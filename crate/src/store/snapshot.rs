//! `memory.json`: the state a person can read, with a digest of itself and the place in the ledger it reflects.

use super::codec::{checksum, is_number};
use super::entry::LEDGER_VERSION;
use super::scan::End;
use super::state::State;
use super::tables::Tables;
use crate::memory::{Origin, Seq};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// Says what the file is, so a foreign one is known at once.
const FORMAT: &str = "dsh-jev-memory";
/// Stands where the digest is while it is computed.
const NO_DIGEST: &str = "0000000000000000";
const DIGEST_KEY: &[u8] = br#""digest":""#;
/// The digest stands in the first line; an edited file is not searched further.
const HEADER_MAX_BYTES: usize = 1024;

/// The first line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub format: String,
    pub v: u32,
    pub origin: Origin,
    /// The last row the state reflects.
    pub seq: Seq,
    /// Where that row's commit ends in `ledger.jsonl`.
    pub offset: u64,
    /// [`End::link`] there.
    pub link: String,
    /// XXH3 of the file with zeros in this place.
    pub digest: String,
}

/// What a file turned out to be.
#[derive(Debug)]
pub enum Snapshot {
    Whole(Header, Box<Tables>),
    /// JSON, and its digest is not its own: a person changed it.
    Edited(Option<Header>, serde_json::Value),
    /// Whole, and of a version this build does not know.
    Newer(u32),
    /// Not a checkpoint: `empty`, `not-json` or `foreign`.
    Damaged(&'static str),
}

/// Records written between two chances for others to run: a few milliseconds.
pub const SLICE_RECORDS: usize = 2_000;

/// The state on its way to bytes, a slice at a time.
#[derive(Debug)]
pub struct Writing {
    tables: Tables,
    n_written: usize,
    out: Vec<u8>,
    /// A newline in the file, nothing in a ledger row.
    between: &'static str,
}

impl Writing {
    /// Begins `memory.json`; `None` before the first row.
    pub fn file(state: &State, end: &End) -> Option<Self> {
        let header = Header {
            format: FORMAT.to_owned(),
            v: LEDGER_VERSION,
            origin: state.origin()?.clone(),
            seq: state.seq(),
            offset: end.offset_bytes,
            link: end.link(),
            digest: NO_DIGEST.to_owned(),
        };
        let mut out = serde_json::to_vec(&header).ok()?;
        out.pop();
        out.extend_from_slice(b",\n\"memories\":[");
        Some(Self {
            tables: state.tables(),
            n_written: 0,
            out,
            between: "\n",
        })
    }

    /// Begins the `state` of a `checkpoint` row.
    pub fn row(state: &State) -> Self {
        Self {
            tables: state.tables(),
            n_written: 0,
            out: b"{\"memories\":[".to_vec(),
            between: "",
        }
    }

    /// Writes the next memories; returns whether more are left.
    pub fn slice(&mut self) -> Option<bool> {
        let slice = self.tables.memories.iter().skip(self.n_written);
        for memory in slice.take(SLICE_RECORDS) {
            if self.n_written > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(self.between.as_bytes());
            serde_json::to_writer(&mut self.out, memory.as_ref()).ok()?;
            self.n_written += 1;
        }
        Some(self.n_written < self.tables.memories.len())
    }

    /// Writes the rest and returns the bytes.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        while self.slice()? {}
        self.out.push(b']');
        let tables = std::mem::take(&mut self.tables);
        self.list("failures", &tables.failures)?;
        self.list("sessions", &tables.sessions)?;
        self.list("tombstones", &tables.tombstones)?;
        self.list("asks", &tables.asks)?;
        self.list("scopes", &tables.scopes)?;
        self.out.extend_from_slice(self.between.as_bytes());
        self.out.push(b'}');
        if !self.between.is_empty() {
            self.out.push(b'\n');
            let at = digest_at(&self.out)?;
            let digest = checksum(&self.out);
            self.out
                .get_mut(at..at + NO_DIGEST.len())?
                .copy_from_slice(digest.as_bytes());
        }
        Some(self.out)
    }

    fn list<T: Serialize>(&mut self, name: &str, records: &[T]) -> Option<()> {
        let Self { out, between, .. } = self;
        out.push(b',');
        out.extend_from_slice(between.as_bytes());
        out.extend_from_slice(format!("\"{name}\":[").as_bytes());
        for (number, record) in records.iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            out.extend_from_slice(between.as_bytes());
            serde_json::to_writer(&mut *out, record).ok()?;
        }
        out.push(b']');
        Some(())
    }
}

/// Returns the file that says `state`, whose last row ends at `end`; `None` before the first row.
///
/// The same state at the same place gives the same bytes.
pub fn write(state: &State, end: &End) -> Option<Vec<u8>> {
    Writing::file(state, end)?.finish()
}

/// Reads a file. Never fails: what cannot be read says why.
pub fn read(bytes: &[u8]) -> Snapshot {
    if is_whole(bytes) {
        match header(bytes) {
            Ok(header) if header.format != FORMAT => return Snapshot::Damaged("foreign"),
            Ok(header) if header.v > LEDGER_VERSION => return Snapshot::Newer(header.v),
            Ok(header) if !is_number(header.seq) => return Snapshot::Damaged("number"),
            Ok(header) => {
                if let Ok(tables) = serde_json::from_slice::<Tables>(bytes) {
                    return Snapshot::Whole(header, Box::new(tables));
                }
            }
            Err(_) => {}
        }
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.trim_ascii().is_empty() {
        return Snapshot::Damaged("empty");
    }
    match serde_json::from_slice::<serde_json::Value>(text) {
        Ok(document) => {
            let format = document.get("format").and_then(serde_json::Value::as_str);
            if format.is_some_and(|format| format != FORMAT) || !document.is_object() {
                return Snapshot::Damaged("foreign");
            }
            if document.get("memories").is_none() {
                return Snapshot::Damaged("foreign");
            }
            Snapshot::Edited(Header::deserialize(&document).ok(), document)
        }
        Err(_) => Snapshot::Damaged("not-json"),
    }
}

/// Reads the header from the first line alone: reading past the tables would cost a third of opening.
fn header(bytes: &[u8]) -> Result<Header, serde_json::Error> {
    let head = bytes.get(..bytes.len().min(HEADER_MAX_BYTES));
    let line = head.and_then(|head| head.split(|&byte| byte == b'\n').next());
    let mut line = line.unwrap_or_default().to_vec();
    if line.pop() == Some(b',') {
        line.push(b'}');
    }
    serde_json::from_slice(&line).or_else(|_| serde_json::from_slice(bytes))
}

/// Returns where the digest's digits begin.
fn digest_at(bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..bytes.len().min(HEADER_MAX_BYTES))?;
    head.windows(DIGEST_KEY.len())
        .position(|window| window == DIGEST_KEY)
        .map(|at| at + DIGEST_KEY.len())
}

/// Returns whether the file is as it was written.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(at) = digest_at(bytes) else {
        return false;
    };
    let (Some(before), Some(digest), Some(after)) = (
        bytes.get(..at),
        bytes.get(at..at + NO_DIGEST.len()),
        bytes.get(at + NO_DIGEST.len()..),
    ) else {
        return false;
    };
    let mut hasher = Xxh3::new();
    hasher.update(before);
    hasher.update(NO_DIGEST.as_bytes());
    hasher.update(after);
    format!("{:016x}", hasher.digest()).as_bytes() == digest
}
