//! One ledger row as one line, and back.
//!
//! A line is a JSON object whose last field is `sum`, the checksum of every byte before it. A row written by this build
//! has its head first (`v origin seq at tx last kind`), so the body is read straight into its type.

use super::body;
use super::entry::{Body, LEDGER_VERSION, Row};
use crate::memory::record::given;
use crate::memory::{Millis, Origin, Seq};
use crate::text::json::{Fields, Malformed, Names, Reader, Writer};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// Longest line of any kind but `checkpoint`: sixteen of the longest quotes with room, far under a read of one segment.
pub const ROW_MAX_BYTES: usize = 256 * 1024;

/// The last number of a row: what every reader of JSON can hold. A commit a microsecond reaches it in three centuries.
pub const SEQ_MAX: u64 = (1 << 53) - 1;

/// Between the fields of a row and its checksum.
const SUM_KEY: &[u8] = br#","sum":""#;
/// Hexadecimal digits of a checksum.
const SUM_DIGITS: usize = 16;
/// `,"sum":"…"}` at the end of each line.
pub const SUM_BYTES: usize = SUM_KEY.len() + SUM_DIGITS + 2;

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every line is a row, and a box would cost an allocation for each"
)]
pub enum Line {
    Row(Row),
    /// Whole, and of a version this build does not know.
    Newer(u32),
    Damaged(&'static str),
}

/// Returns the checksum of a line: of everything before its `sum` field.
///
/// # Source
/// XXH3, 64 bits (Collet, 2019): against accidents, not against an adversary, who can edit the file anyway. One flipped
/// bit goes unseen once in 2⁶⁴.
pub fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Appends `row` to `out` as one line with its newline.
///
/// # Errors
/// A reason, when the row has no form that this build knows.
pub fn encode(row: &Row, out: &mut Vec<u8>) -> Result<(), String> {
    let start = out.len();
    match &row.body {
        Body::Fact(fact) => {
            let mut writer = head(row, body::kind_of_fact(fact), out);
            body::write_fact(fact, &mut writer);
        }
        Body::Observation(observation) => {
            let mut writer = head(row, body::kind_of_observation(observation), out);
            body::write_observation(observation, &mut writer);
        }
        Body::Unknown(kind) => return Err(format!("`{kind}` is not a kind of this build")),
    }
    seal(out, start);
    Ok(())
}

/// Writes what every row begins with, open for its fields.
pub(super) fn head<'a>(row: &Row, kind: &str, out: &'a mut Vec<u8>) -> Writer<'a> {
    let mut writer = Writer::object(out);
    writer
        .whole("v", LEDGER_VERSION.into())
        .text("origin", row.origin.as_str())
        .whole("seq", row.seq.0)
        .signed("at", row.at.0)
        .whole("tx", row.tx.0);
    if row.last {
        writer.flag("last", true);
    }
    writer.text("kind", kind);
    writer
}

/// Ends the line that begins at `start` of `out`: checksum, brace, newline.
pub fn seal(out: &mut Vec<u8>, start: usize) {
    let sum = xxh3_64(out.get(start..).unwrap_or_default());
    close(out, sum);
}

/// Ends a line whose bytes so far have this checksum.
pub(super) fn close(out: &mut Vec<u8>, sum: u64) {
    out.extend_from_slice(SUM_KEY);
    out.extend_from_slice(format!("{sum:016x}").as_bytes());
    out.extend_from_slice(b"\"}\n");
}

/// Returns the part of a line before its checksum, and the checksum it carries; `None` when it carries none.
pub fn split_sum(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, end) = line.split_at_checked(line.len().checked_sub(SUM_BYTES)?)?;
    let sum = end.strip_prefix(SUM_KEY)?.strip_suffix(b"\"}")?;
    Some((body, sum))
}

/// Returns the checksum a line carries, if it carries one and it is right.
pub fn verified(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, sum) = split_sum(line)?;
    is_checksum(xxh3_64(body), sum).then_some((body, sum))
}

/// Returns whether `digits` are the checksum `sum` as it is written.
pub(super) fn is_checksum(sum: u64, digits: &[u8]) -> bool {
    let mut rest = sum;
    digits.len() == SUM_DIGITS
        && digits.iter().all(|&digit| {
            rest = rest.rotate_left(4);
            let nibble = (rest & 0xf) as u8;
            digit == nibble + if nibble < 10 { b'0' } else { b'a' - 10 }
        })
}

/// Reads one line, without its newline. Never fails: what cannot be read says why.
pub fn decode(line: &[u8]) -> Line {
    if verified(line).is_none() {
        return Line::Damaged("checksum");
    }
    decode_verified(line, &mut Names::none())
}

/// Reads a line whose checksum was found right; what many lines hold is shared by way of `names`.
pub(super) fn decode_verified(line: &[u8], names: &mut Names) -> Line {
    let Ok(text) = std::str::from_utf8(line) else {
        return Line::Damaged("not-json");
    };
    let read = match in_order(text, names) {
        Ok(Some(row)) => Line::Row(row),
        Ok(None) | Err(_) => in_any_order(text, names),
    };
    match read {
        Line::Row(row) if !is_number(row.seq) || !is_number(row.tx) => Line::Damaged("number"),
        read => read,
    }
}

/// Returns whether a row can have this number: one that has no successor would end the ledger.
pub fn is_number(seq: Seq) -> bool {
    (1..=SEQ_MAX).contains(&seq.0)
}

/// What a row begins with.
const HEAD: &[&str] = &["v", "origin", "seq", "at", "tx", "last", "kind"];

/// The head as far as it was read.
#[derive(Default)]
struct Read<'a> {
    v: Option<u64>,
    origin: Option<Origin>,
    seq: Option<Seq>,
    at: Option<Millis>,
    tx: Option<Seq>,
    last: bool,
    kind: Option<Cow<'a, str>>,
}

impl<'a> Read<'a> {
    /// Reads one field of the head.
    fn field(&mut self, field: usize, reader: &mut Reader<'a, '_>) -> Result<(), Malformed> {
        match field {
            0 => self.v = Some(reader.u64()?),
            1 => self.origin = Some(Origin(reader.shared()?)),
            2 => self.seq = Some(Seq(reader.u64()?)),
            3 => self.at = Some(Millis(reader.i64()?)),
            4 => self.tx = Some(Seq(reader.u64()?)),
            5 => self.last = reader.flag()?,
            _ => self.kind = Some(reader.text()?),
        }
        Ok(())
    }

    /// Returns the row, once the head is whole and of a version that is known here.
    fn row(self, body: impl FnOnce(&str) -> Result<Body, Malformed>) -> Result<Row, Malformed> {
        let kind = given(self.kind, "kind")?;
        Ok(Row {
            origin: given(self.origin, "origin")?,
            seq: given(self.seq, "seq")?,
            at: given(self.at, "at")?,
            tx: given(self.tx, "tx")?,
            last: self.last,
            body: body(&kind)?,
        })
    }
}

/// Reads a row in one pass; `None` when its head does not stand first, or is of a newer version.
fn in_order(text: &str, names: &mut Names) -> Result<Option<Row>, Malformed> {
    let mut reader = Reader::new(text, names);
    let mut head = Read::default();
    let mut fields = Fields::of(HEAD);
    while head.kind.is_none() {
        match reader.field(&mut fields)? {
            Some(field) => head.field(field, &mut reader)?,
            None => return Ok(None),
        }
    }
    if head.v.is_none_or(|v| v > u64::from(LEDGER_VERSION)) {
        return Ok(None);
    }
    let row = head.row(|kind| body::read(kind, &mut reader, Fields::then))?;
    reader.end()?;
    Ok(Some(row))
}

/// Reads a row whose fields stand in another order, or whose version is newer: once for its head, once for the rest.
fn in_any_order(text: &str, names: &mut Names) -> Line {
    let mut reader = Reader::new(text, names);
    if reader.skip().is_err() || reader.end().is_err() {
        return Line::Damaged("not-json");
    }
    let mut reader = Reader::new(text, names);
    let mut head = Read::default();
    let mut fields = Fields::of(HEAD);
    while let Ok(Some(field)) = reader.field(&mut fields) {
        if head.field(field, &mut reader).is_err() {
            break;
        }
    }
    match head.v {
        None => return Line::Damaged("foreign"),
        Some(v) if v > u64::from(LEDGER_VERSION) => {
            return Line::Newer(u32::try_from(v).unwrap_or(u32::MAX));
        }
        Some(_) if head.kind.is_none() || head.origin.is_none() => return Line::Damaged("foreign"),
        Some(_) => {}
    }
    let mut reader = Reader::new(text, names);
    match head.row(|kind| body::read(kind, &mut reader, Fields::of)) {
        Ok(row) => Line::Row(row),
        Err(_) => Line::Damaged("shape"),
    }
}
