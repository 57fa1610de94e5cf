//! Forgetting: a tombstone without content, and the one permitted rewrite of everything that quotes what it names.
//!
//! Order, so that a crash anywhere leaves a promise that the next process keeps: a marker that says what to look for,
//! the `forget` facts, then the files. The marker goes last: while anything is left to find, what to look for is known.

use super::codec::{self, Line};
use super::commit;
use super::entry::{Body, Fact, Observation, Row};
use super::keep::{self, QUARANTINE};
use super::load::{self, CHECKPOINT, LEDGER};
use super::lock::{self, Budget, Held};
use super::scan::{End, scan};
use super::shred::Shredder;
use super::state::State;
use super::{Notice, Store};
use crate::decide::source::FORGOTTEN;
use crate::error::StoreError;
use crate::memory::{Memory, MemoryId, ScopeKey};
use crate::port::Ports;
use crate::text::sentence;
use crate::text::sorted::{Map, Set};
use crate::text::token::share;
use crate::turn::Position;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Says which promise is being kept, and what to look for.
pub(super) const MARKER: &str = "forgetting.json";

/// Cached vectors. They are made again from what is left.
const EMBEDDINGS: &str = "embeddings.json";

/// Positions a tombstone keeps: a sentence said in a thousand places is a habit, and its last ones are forgotten first.
pub(super) const POSITIONS_MAX: usize = 1_000;

/// Memories forgotten in one call.
const IDS_MAX: usize = 1_000;

/// What a person wants gone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    pub ids: Vec<MemoryId>,
    /// `tool`, `command`, `edit` …
    pub by: String,
    /// Where it was asked for.
    pub asked: Option<Position>,
}

/// What was removed, and what cannot be reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub ids: Vec<MemoryId>,
    /// Names under the data folder, sorted, with how many rows or places were blanked in each.
    pub blanked: Map<String, u32>,
    /// Places outside the data folder that still hold the words.
    pub not_reached: Vec<&'static str>,
}

/// What no file operation of this plugin reaches.
const NOT_REACHED: &[&str] = &["the host's own session log", "backups of the data folder"];

/// What a program around the core remembers of the remote it carries entries to.
const REMOTE: &str = "remote.json";

/// What is left until then, and until its history goes, too.
const REMOTE_NOT_REACHED: &str = "the remote and other devices, until they sync";

/// Forgets memories: durable tombstones first, then every copy under the data folder. Forgetting again finishes what was left.
///
/// # Errors
/// `NoSuchMemory` for an id that is neither known nor forgotten: nothing was done. `Ended` before the tombstone.
/// Otherwise those of a commit. An error after the tombstone leaves the rest to the next [`commit::settle`].
pub async fn forget(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    request: Request,
    wait_ms: u32,
) -> Result<Receipt, StoreError> {
    forget_with(cell, ports, request, &[], wait_ms).await
}

/// As [`forget`], and blanks `words` wherever they stand, though no record has them: what a row about a refusal quotes.
///
/// # Errors
/// As [`forget`].
pub async fn forget_with(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    request: Request,
    words: &[String],
    wait_ms: u32,
) -> Result<Receipt, StoreError> {
    let mut budget = Budget::of(wait_ms);
    let _place = lock::queue(cell, ports, &mut budget).await?;
    lock::holding(cell, ports, &mut budget, async |held| {
        commit::catch_up(cell, ports, held).await?;
        forget_held(cell, ports, held, request, words).await
    })
    .await
}

/// Forgets under a lock that is held already.
pub(super) async fn forget_held(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    request: Request,
    words: &[String],
) -> Result<Receipt, StoreError> {
    let mut ids = request.ids.clone();
    crate::text::order::sort(&mut ids);
    ids.dedup();
    ids.truncate(IDS_MAX);
    for id in &ids {
        let store = cell.borrow();
        if store.state.memory(id).is_none() && store.state.tombstone(id).is_none() {
            return Err(StoreError::NoSuchMemory { id: id.to_string() });
        }
    }
    let mut found = gather(cell, ports, &ids).await?;
    let more = || words.iter().filter(|text| !text.is_empty()).cloned();
    found.contents.extend(more());
    let derived = derived_of(&cell.borrow().state, &ids, &found.contents);
    if !derived.is_empty() {
        ids.extend(derived);
        found = gather(cell, ports, &ids).await?;
        found.contents.extend(more());
    }
    let facts = facts(&cell.borrow(), &request, &ids, &found);
    if ports.ended.get() {
        return Err(StoreError::Ended {
            reason: "before forgetting",
        });
    }
    let marker = cell.borrow().path(MARKER);
    let content = serde_json::to_vec(&Marker {
        ids: ids.clone(),
        contents: found.contents.clone(),
    });
    ports
        .files
        .replace(&marker, &content.unwrap_or_default())
        .await?;
    {
        let mut store = cell.borrow_mut();
        store.is_forgetting = true;
        let shredder = Shredder::new(&ids, &found.contents, &store.state);
        // What waits in memory would be written with the facts.
        for observation in &mut store.queue {
            shredder.observation(observation);
        }
    }
    if !facts.is_empty() {
        commit::append(cell, ports, held, facts).await?;
    }
    let blanked = blank(cell, ports, held, &ids, &found.contents).await?;
    let mut not_reached = NOT_REACHED.to_vec();
    let remote = cell.borrow().path(REMOTE);
    if !ports.files.stamp(&remote).is_empty() {
        not_reached.push(REMOTE_NOT_REACHED);
    }
    Ok(Receipt {
        ids,
        blanked,
        not_reached,
    })
}

/// Finishes what a process that died, or met an error, left undone.
pub(super) async fn resume(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
) -> Result<(), StoreError> {
    let path = cell.borrow().path(MARKER);
    let Some(bytes) = load::read(ports, &path, 0).await? else {
        cell.borrow_mut().is_forgetting = false;
        return Ok(());
    };
    let Marker { mut ids, contents } = serde_json::from_slice(&bytes).unwrap_or_else(|_| {
        // A marker that cannot be read names nobody, so every tombstone's promise is kept again.
        let store = cell.borrow();
        Marker {
            ids: store.state.tombstones().map(|x| x.id.clone()).collect(),
            contents: Set::new(),
        }
    });
    // Without a tombstone the process died before it promised anything.
    let n_named = ids.len();
    ids.retain(|id| cell.borrow().state.tombstone(id).is_some());
    let mut found = gather(cell, ports, &ids).await?;
    // The facts are one commit: they are all there or none is.
    if ids.len() == n_named {
        found.contents.extend(contents);
    }
    blank(cell, ports, held, &ids, &found.contents).await?;
    cell.borrow_mut().say(Notice {
        code: "forget-finished",
        detail: format!("{} interrupted removals were finished", ids.len()),
    });
    Ok(())
}

#[derive(Serialize, Deserialize)]
pub(super) struct Marker {
    pub ids: Vec<MemoryId>,
    /// What they ever said. On disk already, in the rows that are blanked while this stands.
    #[serde(default)]
    pub contents: Set<String>,
}

/// What the ledger knows about the forgotten.
#[derive(Default)]
struct Found {
    contents: Set<String>,
    positions: Map<MemoryId, Vec<Position>>,
    /// What records that are kept said once and do not say now.
    outdated: Set<String>,
}

/// Reads every segment for the content and the places of `ids`.
async fn gather(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    ids: &[MemoryId],
) -> Result<Found, StoreError> {
    let mut found = Found::default();
    if ids.is_empty() {
        return Ok(found);
    }
    for id in ids {
        if let Some(memory) = cell.borrow().state.memory(id) {
            of_memory(memory, &mut |id, text, position| {
                found.said(id, text, position);
            });
        }
    }
    for name in ledgers(cell, ports).await? {
        let path = cell.borrow().path(&name);
        let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
        let store = cell.borrow();
        for row in scan(&bytes, &End::default()).rows {
            of_row(&row, &mut |id, text, position| {
                if ids.contains(id) {
                    found.said(id, text, position);
                } else if let Some(kept) = store.state.memory(id)
                    && !kept.words().any(|word| word == text)
                {
                    found.outdated.insert(text.to_owned());
                }
            });
        }
    }
    found.contents.remove("");
    found.widen(ids, &cell.borrow().state);
    Ok(found)
}

impl Found {
    fn said(&mut self, id: &MemoryId, text: &str, position: Option<Position>) {
        self.contents.insert(text.to_owned());
        let known = self.positions.or_default(id.clone());
        if let Some(position) = position
            && known.len() < POSITIONS_MAX
            && !known.contains(&position)
        {
            known.push(position);
        }
    }

    /// Takes in what is blanked of other records' old words, whole: nothing knows it afterwards, so no later promise could find its copies.
    fn widen(&mut self, ids: &[MemoryId], state: &State) {
        while !self.outdated.is_empty() {
            let shredder = Shredder::new(ids, &self.contents, state);
            let (found, left): (Set<String>, Set<String>) = std::mem::take(&mut self.outdated)
                .into_iter()
                .partition(|text| shredder.touches(text));
            self.outdated = left;
            if found.is_empty() {
                return;
            }
            self.contents.extend(found);
        }
    }
}

/// Calls `each` with every text of a record and the place it was said at.
fn of_memory(memory: &Memory, each: &mut dyn FnMut(&MemoryId, &str, Option<Position>)) {
    for text in memory.words() {
        let position = Position {
            session_id: memory.source.session_id.clone(),
            turn: memory.source.turn,
            seq: memory.source.seq,
        };
        each(&memory.id, &text, Some(position));
    }
}

/// Calls `each` with every text of a row that is some record's, and the place it was said at where the row has one.
fn of_row(row: &Row, each: &mut dyn FnMut(&MemoryId, &str, Option<Position>)) {
    match &row.body {
        Body::Fact(Fact::Write { memory } | Fact::Edit { memory, .. }) => of_memory(memory, each),
        Body::Fact(Fact::Import { row }) => of_row(row, each),
        Body::Fact(Fact::Merge { merged }) => {
            for memory in &merged.put.memories {
                of_memory(memory, each);
            }
        }
        Body::Fact(Fact::Checkpoint { state }) => {
            for memory in &state.memories {
                of_memory(memory, each);
            }
        }
        Body::Fact(Fact::Canonical { id, text }) => each(id, text, None),
        Body::Observation(Observation::Skip {
            id: Some(id),
            quote,
            position,
            ..
        }) => each(
            id,
            quote.as_deref().unwrap_or_default(),
            Some(position.clone()),
        ),
        Body::Observation(Observation::Remember {
            id,
            quote,
            position,
            ..
        }) => each(id, quote, Some(position.clone())),
        Body::Observation(Observation::Normalize { id, from, to, .. }) => {
            each(id, from, None);
            each(id, to, None);
        }
        _ => {}
    }
}

/// Returns the facts that make the promise: one tombstone an id that has none, and the counts of the failures they were about.
fn facts(store: &Store, request: &Request, ids: &[MemoryId], found: &Found) -> Vec<Body> {
    let mut out: Vec<Body> = Vec::new();
    let mut dropped: Map<ScopeKey, Vec<String>> = Map::new();
    for id in ids {
        let Some(memory) = store.state.memory(id) else {
            continue;
        };
        out.push(Body::Fact(Fact::Forget {
            id: id.clone(),
            scope: memory.scope.clone(),
            positions: found.positions.get(id).cloned().unwrap_or_default(),
            by: request.by.clone(),
            asked: request.asked.clone(),
        }));
    }
    out.extend(cut_sources(&store.state, ids));
    for failure in store.state.failures() {
        if found.contents.contains(&failure.signature) {
            let keys = dropped.or_default(failure.scope.clone());
            keys.push(failure.key.clone());
        }
    }
    out.extend(
        dropped
            .into_iter()
            .map(|(scope, keys)| Body::Fact(Fact::FailureDropped { scope, keys })),
    );
    out
}

/// Returns what a model made of what is forgotten: all that cites it, and all that repeats a piece of it uncited.
pub(super) fn derived_of(state: &State, ids: &[MemoryId], contents: &Set<String>) -> Vec<MemoryId> {
    let derived = || {
        let all = state.memories().filter(|memory| memory.is_derived());
        all.filter(|memory| !ids.contains(&memory.id))
    };
    if derived().next().is_none() {
        return Vec::new();
    }
    // Derived words keep nobody's words, and a source loses the passage in this very commit.
    let keeps_none = state.memories().filter(|x| x.is_derived() || x.is_raw());
    let mut others: Vec<MemoryId> = keeps_none.map(|memory| memory.id.clone()).collect();
    others.extend(ids.iter().cloned());
    let shredder = Shredder::new(&others, contents, state);
    let cites = |memory: &Memory| memory.source.source_ids.iter().any(|id| ids.contains(id));
    derived()
        .filter(|memory| cites(memory) || memory.words().any(|text| shredder.touches(&text)))
        .map(|memory| memory.id.clone())
        .collect()
}

/// Returns the sources that said what is forgotten, without the passage.
///
/// A source is evidence for other statements, too, so it stays; and as long as it holds the passage, the passage counts as kept.
fn cut_sources(state: &State, ids: &[MemoryId]) -> Vec<Body> {
    let mut cut: Map<MemoryId, Memory> = Map::new();
    for memory in ids.iter().filter_map(|id| state.memory(id)) {
        for id in memory
            .source
            .source_ids
            .iter()
            .filter(|id| !ids.contains(id))
        {
            let raw = state.memory(id).filter(|raw| raw.is_raw());
            if let Some(raw) = raw {
                let raw = cut.or_insert_with(id.clone(), || Memory::clone(raw));
                raw.text = without_passage(&raw.text, memory).into();
            }
        }
    }
    let edited = |mut memory: Memory| {
        memory.revision.0 = memory.revision.0.saturating_add(1);
        Body::Fact(Fact::Edit {
            memory: Box::new(memory),
            changed: vec!["text".to_owned()],
        })
    };
    cut.into_iter().map(|(_, memory)| edited(memory)).collect()
}

/// Share of a sentence's tokens that are a forgotten statement's, from which on it says the same.
///
/// # Source
/// Chosen: too much goes rather than too little, of a source that is evidence and never shown by default.
const SAYS_SAME_MIN: f64 = 0.5;

/// Returns a source's text without what said `memory`: its quote to the letter, else the sentences that say the same, else all of it.
fn without_passage(source: &str, memory: &Memory) -> String {
    let says = [memory.source.quote.as_str(), memory.text.as_str()];
    let mut text = source.to_owned();
    for said in says.into_iter().filter(|said| !said.is_empty()) {
        text = text.replace(said, FORGOTTEN);
    }
    let same = |piece: &str| says.iter().any(|said| share(piece, said) >= SAYS_SAME_MIN);
    let mut out = String::with_capacity(text.len());
    for piece in sentence::cut(&text) {
        let kept = if same(piece) { FORGOTTEN } else { piece };
        out.push_str(kept);
    }
    if out.contains(FORGOTTEN) {
        return out;
    }
    FORGOTTEN.to_owned()
}

/// Removes every copy under the data folder, then the marker.
pub(super) async fn blank(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    ids: &[MemoryId],
    contents: &Set<String>,
) -> Result<Map<String, u32>, StoreError> {
    let shredder = Shredder::new(ids, contents, &cell.borrow().state);
    let mut blanked: Map<String, u32> = Map::new();
    for folder in ["", QUARANTINE] {
        let removed = keep::remove_leftovers(cell, ports, folder).await?;
        blanked.extend(removed.into_iter().map(|name| (name, 1)));
    }
    let embeddings = cell.borrow().path(EMBEDDINGS);
    if !ports.files.stamp(&embeddings).is_empty() {
        ports.files.remove(&embeddings).await?;
        blanked.insert(EMBEDDINGS.to_owned(), 1);
    }
    for name in keep::names(cell, ports, QUARANTINE).await? {
        let name = format!("{QUARANTINE}/{name}");
        let path = cell.borrow().path(&name);
        let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
        if let Some((bytes, n)) = shredder.bytes(&bytes) {
            lock::beat(cell, ports, held).await?;
            ports.files.replace(&path, &bytes).await?;
            blanked.insert(name, n);
        }
    }
    for name in ledgers(cell, ports).await? {
        let path = cell.borrow().path(&name);
        let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
        let Some((bytes, n)) = rewrite(&bytes, &shredder) else {
            continue;
        };
        lock::beat(cell, ports, held).await?;
        ports.files.replace(&path, &bytes).await?;
        *blanked.or_default(name.clone()) += n;
        if name == LEDGER {
            let mut store = cell.borrow_mut();
            store.end = scan(&bytes, &End::default()).end;
            store.head_bytes = load::head_bytes(&bytes);
        }
    }
    let checkpoint = cell.borrow().path(CHECKPOINT);
    let bytes = load::read(ports, &checkpoint, 0).await?.unwrap_or_default();
    if let Some((_, n)) = shredder.bytes(&bytes) {
        blanked.insert(CHECKPOINT.to_owned(), n);
    }
    cell.borrow_mut().saved.is_behind = true;
    keep::overwrite_checkpoint(cell, ports, held).await?;
    let marker = cell.borrow().path(MARKER);
    ports.files.remove(&marker).await?;
    cell.borrow_mut().is_forgetting = false;
    Ok(blanked)
}

/// Returns a segment with its rows blanked and how many were; `None` when none had to be.
///
/// Lines that need no change keep their bytes. A damaged line that quotes the content becomes a mark: it still stands
/// where a row once stood, and its copy is in quarantine.
fn rewrite(bytes: &[u8], shredder: &Shredder) -> Option<(Vec<u8>, u32)> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut n = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        let start = out.len();
        let changed = match codec::decode(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)) {
            Line::Row(Row {
                body: Body::Unknown(_),
                ..
            }) => shredder.unknown(text, &mut out),
            Line::Row(mut row) => shredder.row(&mut row) && codec::encode(&row, &mut out).is_ok(),
            Line::Damaged(_) | Line::Newer(_) => match shredder.bytes(text) {
                Some(_) => {
                    out.extend_from_slice(super::scan::BLANKED_LINE);
                    out.push(b'\n');
                    true
                }
                None => false,
            },
        };
        if changed {
            n += 1;
        } else {
            out.truncate(start);
            out.extend_from_slice(line);
        }
    }
    (n > 0).then_some((out, n))
}

/// Returns every segment, oldest first.
async fn ledgers(cell: &RefCell<Store>, ports: Ports<'_>) -> Result<Vec<String>, StoreError> {
    let dir = cell.borrow().dir.clone();
    let mut names = load::segments(ports, &dir).await?;
    names.push(LEDGER.to_owned());
    Ok(names)
}

impl Store {
    /// Returns how often this process met a promise to forget; for [`super::Draft::heard_at`].
    pub fn n_promises(&self) -> u64 {
        self.n_promises
    }

    /// Notes that something was forgotten: what waits to be written may quote it, and nothing here may know its words.
    pub(super) fn promised(&mut self) {
        self.n_promises += 1;
        let rows: Vec<Body> = self.queue.iter().cloned().map(Body::from).collect();
        let shredder = Shredder::blind(&rows, &self.state);
        for observation in &mut self.queue {
            shredder.observation(observation);
        }
    }
}
