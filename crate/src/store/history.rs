//! Reading the record: the rows of every segment, oldest first. Only for a person's question; opening never comes here.

use super::Store;
use super::codec::{self, Line};
use super::entry::Row;
use super::load::{self, LEDGER};
use crate::error::StoreError;
use crate::port::Ports;
use std::cell::RefCell;

/// Rows read between two chances for others to run: some milliseconds.
const SLICE_ROWS: usize = 2_000;

/// One row as it stands in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The name of its segment.
    pub segment: String,
    pub row: Row,
    /// The line itself.
    pub line: String,
}

/// What was met beside whole rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walked {
    pub n_segments: usize,
    pub n_rows: usize,
    /// Lines that are no row of this version.
    pub n_damaged: usize,
}

/// Calls `each` with every row of every segment, oldest first: the segment's name, the row, its line. Takes no lock.
///
/// # Errors
/// `Files` when a segment that is there cannot be read; `Ended` when the job was ended.
pub async fn walk(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    each: &mut dyn FnMut(&str, Row, &[u8]),
) -> Result<Walked, StoreError> {
    let dir = cell.borrow().dir().to_owned();
    let mut names = load::segments(ports, &dir).await?;
    names.push(LEDGER.to_owned());
    let mut out = Walked::default();
    let mut newest = None;
    for name in names {
        let path = cell.borrow().path(&name);
        let Some(bytes) = load::read(ports, &path, 0).await? else {
            continue;
        };
        out.n_segments += 1;
        for line in bytes.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii();
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            if line.is_empty() || line == super::scan::BLANKED_LINE {
                continue;
            }
            let Line::Row(row) = codec::decode(line) else {
                out.n_damaged += 1;
                continue;
            };
            // A segment may be a copy of the one after it.
            if newest.is_some_and(|newest| row.seq <= newest) {
                continue;
            }
            newest = Some(row.seq);
            out.n_rows += 1;
            each(&name, row, line);
            if out.n_rows.is_multiple_of(SLICE_ROWS) {
                ports.clock.sleep(0).await;
                if ports.ended.get() {
                    return Err(StoreError::Ended { reason: "reading" });
                }
            }
        }
    }
    Ok(out)
}

/// Returns the last `limit` rows that `wanted` takes, oldest first, from every segment. Takes no lock.
///
/// # Errors
/// `Files` when a segment that is there cannot be read.
pub async fn history(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    mut wanted: impl FnMut(&Row) -> bool,
    limit: usize,
) -> Result<Vec<Told>, StoreError> {
    let mut out: Vec<Told> = Vec::new();
    walk(cell, ports, &mut |segment, row, line| {
        if wanted(&row) {
            out.push(Told {
                segment: segment.to_owned(),
                row,
                line: String::from_utf8_lossy(line).into_owned(),
            });
        }
        // Twice the limit before any are dropped, so that dropping costs a move a row.
        if out.len() > limit.saturating_mul(2) {
            let over = out.len() - limit;
            out.drain(..over);
        }
    })
    .await?;
    let over = out.len().saturating_sub(limit);
    out.drain(..over);
    Ok(out)
}

/// Returns the rows of the newest segment from `from` bytes on, as far as they are whole. Takes no lock.
///
/// # Errors
/// `Files` when the segment is there and cannot be read.
pub async fn tail(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    from: u64,
) -> Result<Vec<Row>, StoreError> {
    let path = cell.borrow().path(LEDGER);
    let bytes = load::read(ports, &path, from).await?.unwrap_or_default();
    let rows = bytes.split(|&byte| byte == b'\n').filter_map(|line| {
        match codec::decode(line.trim_ascii()) {
            Line::Row(row) => Some(row),
            Line::Newer(_) | Line::Damaged(_) => None,
        }
    });
    Ok(rows.collect())
}
