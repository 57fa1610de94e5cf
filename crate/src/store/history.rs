//! Reading the record: the rows of every segment, oldest first. Only for a person's question; opening never comes here.

use super::Store;
use super::codec::{self, Line};
use super::entry::Row;
use super::load::{self, LEDGER};
use crate::error::StoreError;
use crate::port::Ports;
use std::cell::RefCell;

/// One row as it stands in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The name of its segment.
    pub segment: String,
    pub row: Row,
    /// The line itself.
    pub line: String,
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
    let dir = cell.borrow().dir().to_owned();
    let mut names = load::segments(ports, &dir).await?;
    names.push(LEDGER.to_owned());
    let mut out: Vec<Told> = Vec::new();
    let mut newest = None;
    for name in names {
        let path = cell.borrow().path(&name);
        let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
        for line in bytes.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let Line::Row(row) = codec::decode(line) else {
                continue;
            };
            // A segment may be a copy of the one after it.
            if newest.is_some_and(|newest| row.seq <= newest) {
                continue;
            }
            newest = Some(row.seq);
            if wanted(&row) {
                out.push(Told {
                    segment: name.clone(),
                    row,
                    line: String::from_utf8_lossy(line).into_owned(),
                });
            }
        }
        let over = out.len().saturating_sub(limit);
        out.drain(..over);
    }
    Ok(out)
}
