//! One memory on several devices: what is given out, what is taken in, and which files of a remote say what.

use super::Engine;
use crate::account::entry::{self, Refusal, is_origin};
use crate::error::StoreError;
use crate::memory::{Origin, Seq};
use crate::port::Ports;
use crate::store::devices::{self, Holding, Taken};
use crate::store::entry::Row;
use crate::store::log::{self, Log};
use crate::store::tables::Heard;
use crate::store::{self, Store};
use crate::text::sorted::Map;
use serde_json::{Value, json};
use std::cell::RefCell;

/// Milliseconds that taking in waits for other processes.
const WAIT_MS: u32 = 10_000;
/// Entries and bytes, about, of one file of a remote.
const FILE_ENTRIES: usize = 5_000;
/// Digits of a number in a file's name: so that names sort as numbers do.
const DIGITS: usize = 16;

/// What came of logs.
#[derive(Debug, Default)]
pub struct Came {
    pub taken: Taken,
    pub refused: Vec<Refusal>,
    /// For each log, in order: whether it is whole, or why not.
    pub files: Vec<&'static str>,
}

/// A file for a remote, by its name there.
pub struct Segment {
    pub name: String,
    pub content: String,
}

impl Engine {
    /// Returns everything after `since` as a log, with how many entries it holds and how many stay for a secret in them.
    ///
    /// # Errors
    /// `Err(code)` inside for what is no fault of the store.
    pub(super) async fn export_log(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        since: &[Heard],
    ) -> Result<Result<(String, usize, usize), &'static str>, StoreError> {
        let held = self.held(ports, store).await?;
        Ok(held.shared(since).map(|(rows, withheld)| {
            let own = held.own.clone().unwrap_or_else(|| Origin::from(""));
            let bytes = log::write(&own, since, &rows);
            let text = String::from_utf8(bytes).unwrap_or_default();
            (text, rows.len(), withheld)
        }))
    }

    /// Takes logs in, each as far as it can be read.
    ///
    /// # Errors
    /// As a commit.
    pub(super) async fn import_logs(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        contents: &[&str],
        is_preview: bool,
    ) -> Result<Came, StoreError> {
        let mut came = Came::default();
        let mut logs: Vec<Log> = Vec::new();
        for content in contents {
            let code = match log::read(content) {
                Err(code) => code,
                Ok(mut log) => {
                    let refused = entry::check(&mut log);
                    let stopped = log.stopped.map(|(_, code)| code);
                    let ended = refused.last().filter(|x| x.code == "not-an-entry");
                    let is_whole = log.is_whole;
                    came.refused.extend(refused.iter().cloned());
                    logs.push(log);
                    match (ended, stopped) {
                        (Some(_), _) => "not-an-entry",
                        (None, Some(code)) => code,
                        (None, None) if is_whole => "whole",
                        (None, None) => "cut-off",
                    }
                }
            };
            came.files.push(code);
        }
        self.hand_over();
        came.taken = devices::take_in(store, ports, logs, is_preview, WAIT_MS).await?;
        Ok(came)
    }

    pub(super) async fn held(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
    ) -> Result<Holding, StoreError> {
        self.hand_over();
        store::settle(store, ports, WAIT_MS).await?;
        devices::collect(store, ports).await
    }

    /// Returns the files a remote lacks that holds these whole ones.
    ///
    /// # Errors
    /// `Err(code)` inside: `log-incomplete`.
    pub(super) async fn segments_to_send(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        names: &[&str],
    ) -> Result<Result<Vec<Segment>, &'static str>, StoreError> {
        let held = self.held(ports, store).await?;
        let covered = covered(names);
        let since: Vec<Heard> = covered
            .iter()
            .map(|(origin, seq)| Heard {
                origin: origin.clone(),
                seq: *seq,
            })
            .collect();
        Ok(held
            .shared(&since)
            .map(|(rows, _)| segments(&rows, &covered)))
    }

    /// Returns these files as they would be written now: without what was forgotten since. Left out is one with other
    /// entries than are held here under the same numbers: it is of a copied folder, and somebody's only copy.
    ///
    /// # Errors
    /// As reading.
    pub(super) async fn segments_again(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        files: &[(&str, &str)],
    ) -> Result<Vec<Segment>, StoreError> {
        let held = self.held(ports, store).await?;
        let mut out = Vec::new();
        let Ok((rows, _)) = held.shared(&[]) else {
            return Ok(out);
        };
        let mut by: Map<Origin, Vec<Row>> = Map::new();
        for row in rows {
            by.or_default(row.origin.clone()).push(row);
        }
        for (name, content) in files {
            let Some((origin, from, to)) = named(name) else {
                continue;
            };
            let own = by.get(&origin).map(Vec::as_slice).unwrap_or_default();
            let mine = own.iter().filter(|row| row.seq > from && row.seq <= to);
            let mine: Vec<Row> = mine.cloned().collect();
            if mine.last().is_some_and(|row| row.seq == to) && is_same(content, &mine) {
                out.push(segment(&origin, from, &mine));
            }
        }
        Ok(out)
    }
}

/// Returns whether a file holds the entries that are held here, whatever of their words was blanked.
fn is_same(content: &str, held: &[Row]) -> bool {
    let log = match log::read(content) {
        Ok(log) => log,
        Err(code) => return code != "newer-log",
    };
    // One that is cut off holds the first of them.
    let place = |row: &Row| (row.seq, row.tx, row.at);
    let held = held.iter().map(place);
    log.rows.len() <= held.len() && log.rows.iter().map(place).eq(held.take(log.rows.len()))
}

/// Returns the device and the numbers that a file's name says: everything after the first, up to the second.
pub fn named(name: &str) -> Option<(Origin, Seq, Seq)> {
    let (origin, rest) = name.split_once('/')?;
    let (from, to) = rest.strip_suffix(".jsonl")?.split_once('-')?;
    let number = |text: &str| {
        let is_number = text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| text.parse().ok().map(Seq)).flatten()
    };
    let origin = Origin::from(origin);
    let (from, to) = (number(from)?, number(to)?);
    (is_origin(&origin) && from < to).then_some((origin, from, to))
}

/// Returns how far files that are whole go, without a gap, for each device.
fn covered(names: &[&str]) -> Map<Origin, Seq> {
    let mut all: Vec<(Origin, Seq, Seq)> = names.iter().filter_map(|name| named(name)).collect();
    crate::text::order::sort(&mut all);
    let mut out: Map<Origin, Seq> = Map::new();
    for (origin, from, to) in all {
        let known = out.or_default(origin);
        if from <= *known {
            *known = (*known).max(to);
        }
    }
    out
}

/// Cuts entries into files, each of one device and of whole commits.
fn segments(rows: &[Row], covered: &Map<Origin, Seq>) -> Vec<Segment> {
    let mut by: Map<Origin, Vec<Row>> = Map::new();
    for row in rows {
        by.or_default(row.origin.clone()).push(row.clone());
    }
    let mut out = Vec::new();
    for (origin, rows) in by.iter() {
        let mut from = covered.get(origin).copied().unwrap_or_default();
        let mut begin = 0;
        for (at, row) in rows.iter().enumerate() {
            let is_full = at + 1 - begin >= FILE_ENTRIES && row.last;
            if is_full || at + 1 == rows.len() {
                let some = rows.get(begin..=at).unwrap_or_default();
                out.push(segment(origin, from, some));
                begin = at + 1;
                from = row.seq;
            }
        }
    }
    out
}

fn segment(origin: &Origin, from: Seq, rows: &[Row]) -> Segment {
    let to = rows.last().map_or(from, |row| row.seq);
    let since = [Heard {
        origin: origin.clone(),
        seq: from,
    }];
    let bytes = log::write(origin, &since, rows);
    Segment {
        name: format!("{origin}/{:0DIGITS$}-{:0DIGITS$}.jsonl", from.0, to.0),
        content: String::from_utf8(bytes).unwrap_or_default(),
    }
}

/// Reads a vector as a person gives it: a log, whose own is meant; JSON; or `d-…:12 d-…:7`.
pub fn vector_of(text: &str) -> Option<Vec<Heard>> {
    let text = text.trim();
    if log::is_log(text) {
        return log::head(text);
    }
    let heard = |origin: &str, seq: u64| {
        let origin = Origin::from(origin);
        is_origin(&origin).then_some(Heard {
            origin,
            seq: Seq(seq),
        })
    };
    if let Ok(Value::Array(items)) = serde_json::from_slice::<Value>(text.as_bytes()) {
        let one = |item: &Value| heard(item.get("origin")?.as_str()?, item.get("seq")?.as_u64()?);
        return items.iter().map(one).collect();
    }
    text.split([' ', ',', '\n'])
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (origin, seq) = pair.split_once(':')?;
            heard(origin, seq.parse().ok()?)
        })
        .collect()
}

/// Returns a vector as data.
pub fn vector_json(vector: &[Heard]) -> Value {
    let one = |x: &Heard| json!({ "origin": x.origin.as_str(), "seq": x.seq.0 });
    vector.iter().map(one).collect()
}
