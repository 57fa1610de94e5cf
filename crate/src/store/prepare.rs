//! A commit on its way to bytes: what waits and what was decided, as rows that are known to read back.

use super::Store;
use super::codec::{self, ROW_MAX_BYTES};
use super::commit::new_origin;
use super::entry::{Body, Fact, Observation, Row};
use super::scan::Scan;
use super::shred::Shredder;
use super::state::{FAILURES_MAX, State};
use crate::error::StoreError;
use crate::memory::{Millis, Origin, Seq};
use crate::port::Ports;

/// Rows of one commit, past which observations are left out; a turn has at most a few dozen.
const ROWS_MAX: usize = 4_096;

/// What a row takes more that holds another device's.
const IMPORT_BYTES: usize = 4 * 1024;

/// A commit as bytes, and the rows those bytes give back.
pub(super) struct Prepared {
    pub bytes: Vec<u8>,
    pub found: Scan,
    pub tx: Seq,
    pub n_queued: usize,
    pub n_unsaid: usize,
}

/// Encodes a commit and reads it back: what cannot be read is refused before it is written.
pub(super) fn prepare(
    store: &Store,
    ports: Ports<'_>,
    rows: Vec<Body>,
) -> Result<Prepared, StoreError> {
    let origin = match store.state.origin() {
        Some(origin) => origin.clone(),
        None => new_origin(ports),
    };
    let mut bodies: Vec<Body> = Vec::new();
    if store.heal {
        bodies.push(Body::Fact(Fact::Checkpoint {
            state: Box::new(store.state.tables()),
        }));
    }
    bodies.extend(store.unsaid.iter().map(|notice| {
        Body::Observation(Observation::Health {
            code: notice.code.to_owned(),
            detail: notice.detail.clone(),
        })
    }));
    if store.n_dropped > 0 {
        bodies.push(Body::Observation(Observation::Degraded {
            cause: "observations-dropped".to_owned(),
            count: Some(store.n_dropped),
            detail: "more observations waited than the queue holds".to_owned(),
        }));
    }
    bodies.extend(store.queue.iter().cloned().map(Body::Observation));
    let completed = |body| on_device(body, &origin, &store.state);
    bodies.extend(rows.into_iter().map(completed));
    bodies.extend(
        store
            .state
            .failures_to_drop(FAILURES_MAX)
            .into_iter()
            .map(Body::Fact),
    );
    shorten(&mut bodies);
    Shredder::of_tombstones(&store.state).bodies(&mut bodies);
    // Numbers of all devices are one clock: an entry stands above everything that was known when it was made.
    let heard = bodies.iter().filter_map(|body| match body {
        Body::Fact(Fact::Import { row }) => Some(row.seq.0),
        _ => None,
    });
    let tx = Seq(heard.fold(store.state.seq().0, u64::max) + 1);
    let at = ports.clock.now();
    let (bytes, found) = encode(store, bodies, &origin, tx, at)?;
    Ok(Prepared {
        bytes,
        found,
        tx,
        n_queued: store.queue.len(),
        n_unsaid: store.unsaid.len(),
    })
}

/// Brings a commit under [`ROWS_MAX`] at the cost of what merely tells, and says how much was left out.
///
/// Facts all stay: a turn's position without what was kept of it would lose that for good.
fn shorten(bodies: &mut Vec<Body>) {
    let over = bodies.len().saturating_sub(ROWS_MAX);
    if over == 0 {
        return;
    }
    // One more goes for the row that says so.
    let mut left = over + 1;
    let mut n_dropped = 0;
    bodies.retain(|body| {
        let goes = left > 0 && matches!(body, Body::Observation(_));
        left -= usize::from(goes);
        n_dropped += u32::from(goes);
        !goes
    });
    let told = Body::Observation(Observation::Degraded {
        cause: "observations-dropped".to_owned(),
        count: Some(n_dropped),
        detail: format!("a commit holds at most {ROWS_MAX} rows"),
    });
    bodies.push(told);
}

/// Fills in the device of a memory decided on before the ledger had one, and what of a count other devices saw.
fn on_device(mut body: Body, origin: &Origin, state: &State) -> Body {
    match &mut body {
        Body::Fact(Fact::Write { memory }) if memory.origin.as_str().is_empty() => {
            memory.origin = origin.clone();
        }
        Body::Fact(Fact::Failure {
            scope, key, more, ..
        }) => *more = state.failure(scope, key).map_or(0, |x| x.more),
        _ => {}
    }
    body
}

fn encode(
    store: &Store,
    bodies: Vec<Body>,
    origin: &Origin,
    tx: Seq,
    at: Millis,
) -> Result<(Vec<u8>, Scan), StoreError> {
    let mut bytes = Vec::new();
    if store.end.is_open() && !bodies.is_empty() {
        bytes.push(b'\n');
    }
    let n_rows = bodies.len() as u64;
    let mut rows = Vec::with_capacity(bodies.len());
    for (number, body) in (0..n_rows).zip(bodies) {
        let mut row = Row {
            origin: origin.clone(),
            seq: Seq(tx.0 + number),
            at,
            tx,
            last: number + 1 == n_rows,
            body,
        };
        let start = bytes.len();
        let error = match encode_row(&row, &mut bytes) {
            Ok(read) => {
                rows.push(read);
                continue;
            }
            Err(error) => error,
        };
        // What merely tells may not cost what is to be kept.
        let Body::Observation(_) = row.body else {
            return Err(error);
        };
        bytes.truncate(start);
        row.body = Body::Observation(Observation::Degraded {
            cause: "row-left-out".to_owned(),
            count: None,
            detail: error.to_string(),
        });
        rows.push(encode_row(&row, &mut bytes)?);
    }
    let found = Scan {
        end: store.end.after(&bytes),
        rows,
        ..Scan::default()
    };
    Ok((bytes, found))
}

/// Appends one row and returns it as it reads back, or says why it cannot stand in the ledger.
fn encode_row(row: &Row, bytes: &mut Vec<u8>) -> Result<Row, StoreError> {
    let start = bytes.len();
    let invalid = |reason: String| StoreError::RowInvalid {
        seq: row.seq.0,
        reason,
    };
    codec::encode(row, bytes).map_err(invalid)?;
    let line = bytes.get(start..bytes.len() - 1).unwrap_or_default();
    let limit_bytes = match row.body {
        Body::Fact(Fact::Checkpoint { .. } | Fact::Merge { .. }) => usize::MAX,
        Body::Fact(Fact::Import { .. }) => ROW_MAX_BYTES + IMPORT_BYTES,
        _ => ROW_MAX_BYTES,
    };
    if line.len() > limit_bytes {
        return Err(StoreError::RowTooLong {
            length_bytes: line.len(),
            limit_bytes,
        });
    }
    match codec::decode(line) {
        codec::Line::Damaged(reason) => Err(invalid(format!("does not read back ({reason})"))),
        codec::Line::Newer(_) => Err(invalid("is of a newer version".to_owned())),
        codec::Line::Row(row) => Ok(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_is_too_long_keeps_its_facts_and_says_what_was_left_out() {
        let told = || {
            Body::Observation(Observation::Health {
                code: "x".to_owned(),
                detail: String::new(),
            })
        };
        let fact = || {
            Body::Fact(Fact::Supersede {
                old: "m-a".into(),
                new: "m-b".into(),
            })
        };
        let mut bodies: Vec<Body> = (0..ROWS_MAX + 10).map(|_| told()).collect();
        bodies.insert(0, fact());
        bodies.push(fact());
        shorten(&mut bodies);
        assert_eq!(bodies.len(), ROWS_MAX);
        assert_eq!(bodies.iter().filter(|body| **body == fact()).count(), 2);
        assert!(matches!(
            bodies.last(),
            Some(Body::Observation(Observation::Degraded {
                count: Some(13),
                ..
            }))
        ));
    }
}
