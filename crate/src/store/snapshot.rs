//! `memory.json`: the state a person can read, with a digest of itself and the place in the ledger it reflects.

use super::codec::{self, is_checksum, is_number};
use super::entry::{LEDGER_VERSION, Row};
use super::scan::End;
use super::state::State;
use super::tables::Tables;
use crate::memory::record::given;
use crate::memory::{Memory, Origin, Seq};
use crate::text::json::{Fields, Malformed, Names, Reader, Writer};
use std::collections::VecDeque;
use std::rc::Rc;
use xxhash_rust::xxh3::Xxh3;

/// Says what the file is, so a foreign one is known at once.
const FORMAT: &str = "dsh-jev-memory";
/// Stands where the digest is while it is computed.
pub(super) const NO_DIGEST: &str = "0000000000000000";
const DIGEST_KEY: &[u8] = br#""digest":""#;
/// The digest stands in the first line; an edited file is not searched further.
const HEADER_MAX_BYTES: usize = 1024;

/// The first line of the file.
#[derive(Debug, Clone, PartialEq)]
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

impl Header {
    /// Returns whether it is of such a file, with a number that a row can have.
    pub(super) fn is_for_this_build(&self) -> bool {
        self.format == FORMAT && is_number(self.seq)
    }

    fn read(reader: &mut Reader<'_, '_>) -> Result<Self, Malformed> {
        let (mut format, mut v, mut origin, mut seq) = (None, None, None, None);
        let (mut offset, mut link, mut digest) = (None, None, None);
        let mut fields = Fields::of(&["format", "v", "origin", "seq", "offset", "link", "digest"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => format = Some(reader.owned()?),
                1 => v = Some(reader.whole()?),
                2 => origin = Some(Origin(reader.shared()?)),
                3 => seq = Some(Seq(reader.u64()?)),
                4 => offset = Some(reader.u64()?),
                5 => link = Some(reader.owned()?),
                _ => digest = Some(reader.owned()?),
            }
        }
        Ok(Self {
            format: given(format, "format")?,
            v: given(v, "v")?,
            origin: given(origin, "origin")?,
            seq: given(seq, "seq")?,
            offset: given(offset, "offset")?,
            link: given(link, "link")?,
            digest: given(digest, "digest")?,
        })
    }

    /// Appends the header, open for the lists.
    fn write<'a>(&self, out: &'a mut Vec<u8>) -> Writer<'a> {
        let mut writer = Writer::object(out);
        writer
            .text("format", &self.format)
            .whole("v", self.v.into())
            .text("origin", self.origin.as_str())
            .whole("seq", self.seq.0)
            .whole("offset", self.offset)
            .text("link", &self.link)
            .text("digest", &self.digest);
        writer
    }
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

/// Records written between two chances for others to run: a millisecond or two.
pub const SLICE_RECORDS: usize = 500;

/// Records of the first slice of many: it runs code that nothing ran before, and follows the taking down of what there is.
const FIRST_SLICE_RECORDS: usize = 50;

/// What is written is handed over in pieces of about this length: handing one over is a copy, and so is growing one.
const PIECE_BYTES: usize = 512 * 1024;

/// The state on its way to bytes, a slice at a time.
pub struct Writing {
    /// Those not yet written.
    memories: VecDeque<Rc<Memory>>,
    rest: Tables,
    n_written: usize,
    out: Vec<u8>,
    done: Vec<Vec<u8>>,
    /// Keeps up with what is written, so that the end of a large file waits for no more than the last slice.
    hasher: Xxh3,
    n_hashed: usize,
    /// A newline in the file, nothing in a ledger row.
    between: &'static str,
}

impl Writing {
    /// Begins `memory.json` of a state with these memories; `None` before the first row.
    pub fn file(state: &State, memories: VecDeque<Rc<Memory>>, end: &End) -> Option<Self> {
        let header = Header {
            format: FORMAT.to_owned(),
            v: LEDGER_VERSION,
            origin: state.origin()?.clone(),
            seq: state.seq(),
            offset: end.offset_bytes,
            link: end.link(),
            digest: NO_DIGEST.to_owned(),
        };
        let mut out = Vec::new();
        header.write(&mut out);
        out.extend_from_slice(b",\n\"memories\":[");
        Some(Self::begin(out, state, memories, "\n"))
    }

    /// Begins a `checkpoint` row, whose body is left aside.
    pub fn row(state: &State, memories: VecDeque<Rc<Memory>>, row: &Row) -> Self {
        let mut out = Vec::new();
        codec::head(row, "checkpoint", &mut out)
            .name("state")
            .extend_from_slice(b"{\"memories\":[");
        Self::begin(out, state, memories, "")
    }

    fn begin(
        out: Vec<u8>,
        state: &State,
        memories: VecDeque<Rc<Memory>>,
        between: &'static str,
    ) -> Self {
        Self {
            memories,
            rest: state.tables_but_memories(),
            n_written: 0,
            out,
            done: Vec::new(),
            hasher: Xxh3::new(),
            n_hashed: 0,
            between,
        }
    }

    /// Writes the next memories; returns whether more are left.
    pub fn slice(&mut self) -> bool {
        let is_first = self.n_written == 0 && self.memories.len() > SLICE_RECORDS;
        let n_records = if is_first {
            FIRST_SLICE_RECORDS
        } else {
            SLICE_RECORDS
        };
        for _ in 0..n_records {
            let Some(memory) = self.memories.pop_front() else {
                break;
            };
            if self.n_written > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(self.between.as_bytes());
            memory.write(&mut self.out);
            self.n_written += 1;
        }
        self.hash();
        if self.out.len() >= PIECE_BYTES {
            let room = self.out.len() + self.out.len() / 8;
            self.done
                .push(std::mem::replace(&mut self.out, Vec::with_capacity(room)));
            self.n_hashed = 0;
        }
        !self.memories.is_empty()
    }

    /// Brings the digest up to what is written.
    fn hash(&mut self) {
        let fresh = self.out.get(self.n_hashed..).unwrap_or_default();
        self.hasher.update(fresh);
        self.n_hashed = self.out.len();
    }

    /// Writes the rest and returns the bytes in pieces.
    pub fn finish(mut self) -> Option<Vec<Vec<u8>>> {
        while self.slice() {}
        self.out.push(b']');
        self.rest.write_lists(&mut self.out, self.between);
        self.out.extend_from_slice(self.between.as_bytes());
        self.out.push(b'}');
        if self.between.is_empty() {
            self.hash();
            codec::close(&mut self.out, self.hasher.digest());
            self.done.push(self.out);
            return Some(self.done);
        }
        self.out.push(b'\n');
        self.hash();
        self.done.push(self.out);
        let digest = format!("{:016x}", self.hasher.digest());
        let first = self.done.first_mut()?;
        let at = digest_at(first)?;
        first
            .get_mut(at..at + NO_DIGEST.len())?
            .copy_from_slice(digest.as_bytes());
        Some(self.done)
    }
}

/// Returns the file that says `state`, whose last row ends at `end`; `None` before the first row.
///
/// The same state at the same place gives the same bytes.
pub fn write(state: &State, end: &End) -> Option<Vec<u8>> {
    let memories = state.memories().cloned().collect();
    let pieces = Writing::file(state, memories, end)?.finish()?;
    Some(pieces.concat())
}

/// Reads a file. Never fails: what cannot be read says why.
pub fn read(bytes: &[u8]) -> Snapshot {
    let text = std::str::from_utf8(bytes).ok();
    if let Some(text) = text.filter(|_| is_whole(bytes)) {
        let names = &mut Names::many();
        match header(text, names) {
            Ok(header) if header.format != FORMAT => return Snapshot::Damaged("foreign"),
            Ok(header) if header.v > LEDGER_VERSION => return Snapshot::Newer(header.v),
            Ok(header) if !is_number(header.seq) => return Snapshot::Damaged("number"),
            Ok(header) => {
                let mut reader = Reader::new(text, names);
                if let Ok(tables) = Tables::read(&mut reader)
                    && reader.end().is_ok()
                {
                    return Snapshot::Whole(header, Box::new(tables));
                }
            }
            Err(_) => {}
        }
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Snapshot::Damaged("empty");
    }
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Ok(document) => {
            let format = document.get("format").and_then(serde_json::Value::as_str);
            if format.is_some_and(|format| format != FORMAT) || !document.is_object() {
                return Snapshot::Damaged("foreign");
            }
            if document.get("memories").is_none() {
                return Snapshot::Damaged("foreign");
            }
            let text = text.map(|text| text.trim_start_matches('\u{feff}'));
            let header =
                text.and_then(|text| Header::read(&mut Reader::new(text, &mut Names::none())).ok());
            Snapshot::Edited(header, document)
        }
        Err(_) => Snapshot::Damaged("not-json"),
    }
}

/// Reads the header from the first line alone: reading past the tables would cost a third of opening.
pub(super) fn header(text: &str, names: &mut Names) -> Result<Header, Malformed> {
    let line = text.split('\n').next().unwrap_or("");
    let line = line.get(..line.len().min(HEADER_MAX_BYTES)).unwrap_or("");
    let alone = line.strip_suffix(',').map(|line| format!("{line}}}"));
    if let Some(line) = alone
        && let Ok(header) = Header::read(&mut Reader::new(&line, names))
    {
        return Ok(header);
    }
    Header::read(&mut Reader::new(text, names))
}

/// Returns where the digest's digits begin.
pub(super) fn digest_at(bytes: &[u8]) -> Option<usize> {
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
    is_checksum(hasher.digest(), digest)
}
