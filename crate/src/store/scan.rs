//! A run of ledger bytes as rows: which commits are whole, what is torn, what is damaged.

use super::codec::{self, Line, SUM_BYTES};
use super::entry::Row;
use crate::memory::Seq;
use crate::text::json::Names;

/// A line that could not be read. It stays where it is until its segment is rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// Where the line begins in its file.
    pub offset_bytes: u64,
    pub bytes: Vec<u8>,
    /// `checksum`, `not-json`, `foreign` or `shape`.
    pub reason: &'static str,
}

/// Where the whole part of a ledger ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct End {
    /// One past the last byte of the last whole commit or damaged line.
    pub offset_bytes: u64,
    /// The last [`TAIL_BYTES`] before it, to tell later whether the file was replaced.
    pub tail: Vec<u8>,
}

impl End {
    /// Returns whether a newline is missing here: the next append begins with one.
    pub fn is_open(&self) -> bool {
        self.tail.last().is_some_and(|&byte| byte != b'\n')
    }

    /// Returns the end `bytes` further on, where `bytes` are what follows this one.
    pub fn after(&self, bytes: &[u8]) -> Self {
        let mut tail = self.tail.clone();
        tail.extend_from_slice(
            bytes
                .get(bytes.len().saturating_sub(TAIL_BYTES)..)
                .unwrap_or(bytes),
        );
        tail.drain(..tail.len().saturating_sub(TAIL_BYTES));
        Self {
            offset_bytes: self.offset_bytes + bytes.len() as u64,
            tail,
        }
    }

    /// Returns the mark by which a checkpoint knows this end again.
    pub fn link(&self) -> String {
        codec::checksum(&self.tail)
    }
}

/// Stands where a damaged line was that quoted something forgotten. Still no row, and nothing to keep.
pub const BLANKED_LINE: &[u8] = b"blanked";

/// How many bytes of [`End::tail`] are kept: a checksum and what surrounds it.
pub const TAIL_BYTES: usize = SUM_BYTES + 1;

/// A run longer than this holds rows enough to share their strings.
const MANY_BYTES: usize = 64 * 1024;

/// What a run of bytes holds.
#[derive(Debug, Default)]
pub struct Scan {
    /// Rows of whole commits, in file order.
    pub rows: Vec<Row>,
    pub damaged: Vec<Damaged>,
    pub end: End,
    /// Bytes after the end: a commit that was never finished.
    pub torn_bytes: u64,
    /// Rows of unfinished commits that later commits stand after.
    pub n_unfinished: usize,
    /// The newest version met that this build does not know.
    pub newer: Option<u32>,
}

/// A commit whose last row has not come yet.
#[derive(Default)]
struct Open {
    tx: Option<Seq>,
    rows: Vec<Row>,
    /// A damaged line may have been its last row.
    damaged_after: bool,
}

/// Reads `bytes`, which begin at `start` of the file and, when `start` is not 0, at a line.
///
/// A run of rows counts when its last row is there. Without it the run is not there, unless a damaged line follows it
/// that may have been that row: a damaged line takes nothing with it but itself.
pub fn scan(bytes: &[u8], start: &End) -> Scan {
    let mut out = Scan::default();
    let mut open = Open::default();
    let mut newest = Seq(0);
    let mut names = if bytes.len() > MANY_BYTES {
        Names::many()
    } else {
        Names::none()
    };
    // One past the last byte that belongs to the whole part.
    let mut whole = 0;
    // A byte order mark is an editor's habit, not a part of the first line.
    let mut at = if start.offset_bytes == 0 && bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    'lines: while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let newline = rest.iter().position(|&byte| byte == b'\n');
        let line = rest
            .get(..newline.unwrap_or(rest.len()))
            .unwrap_or_default();
        let begins = at;
        at += newline.map_or(rest.len(), |found| found + 1);
        let is_row = codec::verified(line.trim_ascii()).is_some();
        let found = if is_row { Vec::new() } else { pieces(line) };
        let alone = [(0, line.len())];
        for piece in if is_row { &alone } else { found.as_slice() } {
            let text = line.get(piece.0..piece.1).unwrap_or_default();
            let ends_line = piece.1 == line.len();
            let next = if ends_line { at } else { begins + piece.1 };
            let decoded = if is_row {
                codec::decode_verified(text.trim_ascii(), &mut names)
            } else {
                codec::decode(text.trim_ascii())
            };
            match decoded {
                Line::Newer(version) => {
                    out.newer = Some(out.newer.unwrap_or(0).max(version));
                    whole = next;
                }
                // Without a newline at the end of the file it is the torn tail of a commit that was not acknowledged.
                Line::Damaged(_) if ends_line && newline.is_none() => break 'lines,
                Line::Damaged(reason) => {
                    if text != BLANKED_LINE {
                        out.damaged.push(Damaged {
                            offset_bytes: start.offset_bytes + (begins + piece.0) as u64,
                            bytes: text.to_vec(),
                            reason,
                        });
                    }
                    open.damaged_after = open.tx.is_some();
                    if open.tx.is_none() {
                        whole = next;
                    }
                }
                Line::Row(row) => {
                    if row.seq <= newest {
                        return scan_unordered(bytes, start);
                    }
                    newest = row.seq;
                    if open.tx != Some(row.tx) {
                        settle(&mut out, &mut open);
                        open.tx = Some(row.tx);
                    }
                    let last = row.last;
                    open.rows.push(row);
                    if last {
                        out.rows.append(&mut open.rows);
                        open = Open::default();
                        whole = next;
                    }
                }
            }
        }
    }
    if open.damaged_after {
        settle(&mut out, &mut open);
        let newline = bytes.iter().rposition(|&byte| byte == b'\n');
        whole = newline.map_or(whole, |found| found + 1);
    }
    out.end = start.after(bytes.get(..whole).unwrap_or_default());
    out.torn_bytes = (bytes.len() - whole) as u64;
    out
}

/// Reads bytes whose rows stand in another order than they were written, or more than once.
///
/// Sorted by `seq`, a repeated line counts once, and a commit is whole when its last row stands anywhere.
fn scan_unordered(bytes: &[u8], start: &End) -> Scan {
    let mut out = Scan::default();
    let mut rows: Vec<(Row, String)> = Vec::new();
    let mut n_blanked = 0;
    let mut at = 0;
    let mut whole = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let begins = at;
        at += line.len();
        let ended = line.last() == Some(&b'\n');
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        for (from, to) in pieces(text) {
            let text = text.get(from..to).unwrap_or_default().trim_ascii();
            match codec::decode(text) {
                Line::Row(row) => rows.push((row, codec::checksum(text))),
                Line::Newer(version) => out.newer = Some(out.newer.unwrap_or(0).max(version)),
                Line::Damaged(_) if !ended => continue,
                Line::Damaged(_) if text == BLANKED_LINE => n_blanked += 1,
                Line::Damaged(reason) => out.damaged.push(Damaged {
                    offset_bytes: start.offset_bytes + (begins + from) as u64,
                    bytes: text.to_vec(),
                    reason,
                }),
            }
            whole = at;
        }
    }
    // Rows stand in order but after damage, and moving them all would be the dearest part of opening.
    if !rows.is_sorted_by(|a, b| (a.0.seq, &a.1) <= (b.0.seq, &b.1)) {
        crate::text::order::sort_by(&mut rows, |a, b| (a.0.seq, &a.1).cmp(&(b.0.seq, &b.1)));
    }
    rows.dedup_by(|a, b| a.0.seq == b.0.seq && a.1 == b.1);
    // A damaged line may have been any row.
    let is_damaged = n_blanked > 0 || !out.damaged.is_empty();
    let mut open = Open {
        damaged_after: is_damaged,
        ..Open::default()
    };
    for (row, _) in rows {
        if open.tx != Some(row.tx) {
            settle(&mut out, &mut open);
            open.tx = Some(row.tx);
            open.damaged_after = is_damaged;
        }
        let last = row.last;
        open.rows.push(row);
        if last {
            out.rows.append(&mut open.rows);
            open = Open::default();
        }
    }
    settle(&mut out, &mut open);
    out.end = start.after(bytes.get(..whole).unwrap_or_default());
    out.torn_bytes = (bytes.len() - whole) as u64;
    out
}

/// Decides about a run whose last row did not come.
fn settle(out: &mut Scan, open: &mut Open) {
    if open.damaged_after {
        out.rows.append(&mut open.rows);
    } else {
        out.n_unfinished += open.rows.len();
    }
    *open = Open::default();
}

/// Returns the parts of a line that may be rows: one, unless the newline between two rows was lost.
///
/// Inside a row's own strings a quote mark is escaped, so the beginning of a row is found nowhere else.
fn pieces(line: &[u8]) -> Vec<(usize, usize)> {
    const BEGINNING: &[u8] = br#"{"v":"#;
    let trimmed = line.trim_ascii();
    if trimmed.is_empty() {
        return Vec::new();
    }
    if codec::verified(trimmed).is_some() {
        return vec![(0, line.len())];
    }
    let mut starts: Vec<usize> = line
        .windows(BEGINNING.len())
        .enumerate()
        .filter(|(_, window)| *window == BEGINNING)
        .map(|(at, _)| at)
        .collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let mut out = Vec::new();
    for (number, &from) in starts.iter().enumerate() {
        let to = starts.get(number + 1).copied().unwrap_or(line.len());
        let piece = line.get(from..to).unwrap_or_default();
        // What stood between two rows in place of the newline belongs to neither.
        let brace = piece.iter().rposition(|&byte| byte == b'}');
        match brace.map(|at| from + at + 1) {
            Some(end)
                if end < to
                    && codec::verified(line.get(from..end).unwrap_or_default()).is_some() =>
            {
                out.push((from, end));
                out.push((end, to));
            }
            _ => out.push((from, to)),
        }
    }
    out
}
