//! Reading a long `memory.json` piece by piece: the bytes of a whole one would be most of what an open store ever holds.
//!
//! A piece is read into records before its digest is known to be right, so nothing of it is used before the last piece. A file
//! that is not as this build writes it is nobody's here: [`snapshot::read`](super::snapshot::read) looks at it whole.

use super::codec::is_checksum;
use super::entry::LEDGER_VERSION;
use super::snapshot::{self, Header, NO_DIGEST};
use super::tables::Tables;
use crate::memory::Memory;
use crate::text::json::{Names, Reader};
use std::rc::Rc;
use xxhash_rust::xxh3::Xxh3;

/// What stands between the header and the first record.
const FIRST_LIST: &str = "\n\"memories\":[";

/// A file on its way in.
pub struct Pieces {
    names: Names,
    header: Option<Header>,
    /// The digest the file says it has.
    digest: Vec<u8>,
    hasher: Xxh3,
    /// What was not read yet: the beginning of a record, or everything after the records.
    left: Vec<u8>,
    is_past_records: bool,
    tables: Tables,
}

impl Pieces {
    /// Begins with the first piece, which must be long enough for the header; `None` when the file is not for this reader.
    pub fn begin(first: &[u8]) -> Option<Self> {
        let at = snapshot::digest_at(first)?;
        let (before, rest) = first.split_at_checked(at)?;
        let (digest, after) = rest.split_at_checked(NO_DIGEST.len())?;
        let mut hasher = Xxh3::new();
        hasher.update(before);
        hasher.update(NO_DIGEST.as_bytes());
        hasher.update(after);
        let line = first.iter().position(|&byte| byte == b'\n')?;
        let mut names = Names::many();
        let text = std::str::from_utf8(first.get(..line)?).ok()?;
        let header = snapshot::header(text, &mut names).ok()?;
        let records = first.get(line..)?.strip_prefix(FIRST_LIST.as_bytes())?;
        if !header.is_for_this_build() || header.v > LEDGER_VERSION {
            return None;
        }
        let mut out = Self {
            names,
            header: Some(header),
            digest: digest.to_vec(),
            hasher,
            left: Vec::new(),
            is_past_records: false,
            tables: Tables::default(),
        };
        out.read(records).then_some(out)
    }

    /// Takes the next piece; returns whether it could be read.
    pub fn take(&mut self, piece: &[u8]) -> bool {
        self.hasher.update(piece);
        if self.left.is_empty() {
            return self.read(piece);
        }
        self.left.extend_from_slice(piece);
        let left = std::mem::take(&mut self.left);
        self.read(&left)
    }

    /// Reads whole lines and keeps the rest. A record is one line.
    fn read(&mut self, bytes: &[u8]) -> bool {
        if self.is_past_records {
            self.left.extend_from_slice(bytes);
            return true;
        }
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
        let (lines, rest) = bytes.split_at(whole);
        let Ok(text) = std::str::from_utf8(lines) else {
            return false;
        };
        let mut reader = Reader::new(text, &mut self.names);
        while reader.peek().is_some() && !self.is_past_records {
            if !reader.mark(b']') {
                let Ok(memory) = Memory::read(&mut reader) else {
                    return false;
                };
                self.tables.memories.push(Rc::new(memory));
                if reader.mark(b',') {
                    continue;
                }
                if !reader.mark(b']') {
                    return false;
                }
            }
            self.is_past_records = true;
            let at = reader.place();
            self.left
                .extend_from_slice(lines.get(at..).unwrap_or_default());
        }
        self.left.extend_from_slice(rest);
        true
    }

    /// Returns what the file says, now that all of it was taken; `None` when it is not whole.
    pub fn finish(mut self) -> Option<(Header, Tables)> {
        if !self.is_past_records || !is_checksum(self.hasher.digest(), &self.digest) {
            return None;
        }
        // A comma stands first, where an object has its brace.
        *self.left.first_mut().filter(|byte| **byte == b',')? = b'{';
        let text = std::str::from_utf8(&self.left).ok()?;
        let mut reader = Reader::new(text, &mut self.names);
        let rest = Tables::read(&mut reader).ok()?;
        reader.end().ok()?;
        let tables = Tables {
            memories: self.tables.memories,
            ..rest
        };
        Some((self.header?, tables))
    }
}
