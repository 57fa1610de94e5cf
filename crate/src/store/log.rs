//! A log: entries of one or several devices in a file that says what it is, to be carried to another device.
//!
//! The first line is the header, then one entry a line as in the ledger, then a last line with a digest. Entries are
//! facts alone: what merely tells stays where it was noticed.

use super::codec::{self, Line, ROW_MAX_BYTES};
use super::entry::{Body, Row};
use super::tables::Heard;
use crate::memory::record::given;
use crate::memory::{Origin, Seq};
use crate::text::json::{Fields, Malformed, Names, Reader, Writer};
use crate::text::sorted::Map;
use std::rc::Rc;

/// Says what the file is.
pub const FORMAT: &str = "dsh-jev-memory-log";
/// The version this build writes, and the newest it reads.
pub const VERSION: u32 = 1;
/// Entries of one file.
pub const ENTRIES_MAX: usize = 1_000_000;
/// Devices of one vector.
pub const DEVICES_MAX: usize = 256;

/// A log as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    /// Of each device the file speaks of: all entries after this one and up to its last are here.
    pub since: Vec<Heard>,
    /// The newest entry of each that was held where it was made.
    pub vector: Vec<Heard>,
    /// Whole commits, in file order.
    pub rows: Vec<Row>,
    /// Whether it ends as it was written.
    pub is_whole: bool,
    /// What cannot be read, by its line: then nothing after it was.
    pub stopped: Option<(usize, &'static str)>,
}

/// Appends a log of these entries: of each device everything after `since`, commit by commit.
pub fn write(origin: &Origin, since: &[Heard], rows: &[Row]) -> Vec<u8> {
    let mut body = Vec::new();
    let mut newest: Map<&Origin, Seq> = Map::new();
    for one in since {
        newest.insert(&one.origin, one.seq);
    }
    for row in rows {
        newest.insert(&row.origin, row.seq);
        // A row that came from a ledger or a log has a form.
        let _ = codec::encode(row, &mut body);
    }
    let vector: Vec<Heard> = newest
        .iter()
        .map(|(origin, seq)| Heard {
            origin: (*origin).clone(),
            seq: *seq,
        })
        .collect();
    let mut out = Vec::with_capacity(body.len() + 512);
    let mut writer = Writer::object(&mut out);
    writer
        .text("format", FORMAT)
        .whole("v", VERSION.into())
        .text("origin", origin.as_str())
        .list("since", since, |out, x| x.write(out))
        .list("vector", &vector, |out, x| x.write(out))
        .whole("count", rows.len() as u64);
    writer.end();
    out.push(b'\n');
    let digest = codec::checksum(&body);
    out.extend_from_slice(&body);
    let mut writer = Writer::object(&mut out);
    writer
        .whole("end", rows.len() as u64)
        .text("digest", &digest);
    writer.end();
    out.push(b'\n');
    out
}

struct Header {
    format: Rc<str>,
    v: u64,
    since: Vec<Heard>,
    vector: Vec<Heard>,
}

fn header(line: &str) -> Result<Header, Malformed> {
    let mut names = Names::none();
    let mut reader = Reader::new(line, &mut names);
    let (mut format, mut v, mut since, mut vector) = (None, None, Vec::new(), Vec::new());
    let mut fields = Fields::of(&["format", "v", "since", "vector"]);
    while let Some(field) = reader.field(&mut fields)? {
        match field {
            0 => format = Some(reader.shared()?),
            1 => v = Some(reader.u64()?),
            2 => since = reader.list(Heard::read)?,
            _ => vector = reader.list(Heard::read)?,
        }
    }
    Ok(Header {
        format: given(format, "format")?,
        v: given(v, "v")?,
        since,
        vector,
    })
}

/// Returns the count and the digest of a last line; `None` for any other.
fn footer(line: &str) -> Option<(u64, String)> {
    let mut names = Names::none();
    let mut reader = Reader::new(line, &mut names);
    let (mut end, mut digest) = (None, None);
    let mut fields = Fields::of(&["end", "digest"]);
    while let Some(field) = reader.field(&mut fields).ok()? {
        match field {
            0 => end = Some(reader.u64().ok()?),
            _ => digest = Some(reader.owned().ok()?),
        }
    }
    Some((end?, digest?))
}

/// Returns whether a text begins as a log does.
pub fn is_log(content: &str) -> bool {
    let first = content.trim_start_matches('\u{feff}').lines().next();
    first.is_some_and(|line| header(line).is_ok_and(|header| *header.format == *FORMAT))
}

/// Returns the vector that a log's header tells: how far the device that made it had heard each.
pub fn head(content: &str) -> Option<Vec<Heard>> {
    let first = content.trim_start_matches('\u{feff}').lines().next()?;
    header(first).ok().map(|header| header.vector)
}

/// Reads a log, as far as it is whole: a file that ends early gives every commit before its end.
///
/// # Errors
/// `not-a-log`; `newer-log` for a version this build does not know; `log-changed` when it ends and is not what was written.
pub fn read(content: &str) -> Result<Log, &'static str> {
    let content = content.trim_start_matches('\u{feff}');
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    let header = header(first).map_err(|_| "not-a-log")?;
    if *header.format != *FORMAT {
        return Err("not-a-log");
    }
    if header.v != u64::from(VERSION) {
        return Err("newer-log");
    }
    let mut log = Log {
        since: header.since,
        vector: header.vector,
        ..Log::default()
    };
    log.since.truncate(DEVICES_MAX);
    let mut open: Vec<Row> = Vec::new();
    let mut newest: Map<Origin, Seq> = Map::new();
    let mut length = 0;
    for (number, line) in (2..).zip(rest.split_inclusive('\n')) {
        let text = line.trim();
        if let Some((count, digest)) = footer(text) {
            let body = rest.get(..length).unwrap_or_default();
            log.is_whole = codec::checksum(body.as_bytes()) == digest
                && (log.rows.len() + open.len()) as u64 == count
                && open.is_empty();
            // Each line may be right and one between them missing.
            return if log.is_whole {
                Ok(log)
            } else {
                Err("log-changed")
            };
        }
        length += line.len();
        if text.is_empty() {
            continue;
        }
        let stop = |code| Some((number, code));
        if text.len() > ROW_MAX_BYTES || log.rows.len() >= ENTRIES_MAX {
            log.stopped = stop("over-limit");
            return Ok(log);
        }
        let row = match codec::decode(text.as_bytes()) {
            Line::Row(row) => row,
            // A last line without its newline is on its way.
            Line::Damaged("checksum" | "not-json") if !line.ends_with('\n') => return Ok(log),
            Line::Damaged("checksum" | "not-json") => {
                log.stopped = stop("damaged");
                return Ok(log);
            }
            Line::Damaged(_) | Line::Newer(_) => {
                log.stopped = stop("newer-entry");
                return Ok(log);
            }
        };
        let is_behind = newest.get(&row.origin).is_some_and(|seq| *seq >= row.seq);
        let is_apart = open
            .last()
            .is_some_and(|x| x.tx != row.tx || x.origin != row.origin);
        if is_behind || is_apart || row.tx > row.seq || !matches!(row.body, Body::Fact(_)) {
            let is_newer = matches!(row.body, Body::Unknown(_));
            log.stopped = stop(if is_newer {
                "newer-entry"
            } else {
                "not-an-entry"
            });
            return Ok(log);
        }
        newest.insert(row.origin.clone(), row.seq);
        let last = row.last;
        open.push(row);
        if last {
            log.rows.append(&mut open);
        }
    }
    Ok(log)
}
