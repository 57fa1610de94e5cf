//! Hand edits of `memory.json`, read as facts: what a person changed there is what they want.

use super::commit;
use super::entry::{Body, Fact};
use super::forget::{self, Request};
use super::load::{self, CHECKPOINT, LEDGER};
use super::lock::Held;
use super::scan::{End, scan};
use super::snapshot::Header;
use super::state::State;
use super::{Notice, Store};
use crate::error::StoreError;
use crate::memory::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Procedure, Remember,
    Revision, ScopeKey, SessionId, Source, Status, Text, Type,
};
use crate::port::Ports;
use crate::text::digest::fold;
use crate::text::json::{Names, Reader};
use crate::text::secret;
use crate::text::sorted::Set;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Fields of a record that a person may change. The others say where it came from, and stay.
pub(super) const EDITABLE: &[&str] = &[
    "type",
    "text",
    "canonical",
    "status",
    "scope",
    "importance",
    "signals",
    "supersedes",
    "supersededBy",
    "conflictsWith",
    "validFrom",
    "validUntil",
    "temporalScope",
    "procedure",
];

/// Longest text a person can put in by hand, in characters: ten times the longest cut.
const TEXT_MAX_CHARS: usize = 4_000;

/// The weight of a record that a person wrote without giving one.
const ADDED_IMPORTANCE: f64 = 0.8;

/// What a person's edit comes to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Edits {
    /// Changed and added records as they are now.
    pub records: Vec<Memory>,
    /// For each of them which fields changed; none named for an added one.
    pub fields: Vec<Vec<String>>,
    /// Removed ones.
    pub removed: Vec<MemoryId>,
    /// What could not be taken over, for a person.
    pub refused: Vec<String>,
}

/// Commits what a person changed. Applying the same edit again changes nothing more.
pub(super) async fn apply(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    held: &mut Held,
    header: Option<Header>,
    document: Value,
) -> Result<(), StoreError> {
    let base = base(cell, ports, header.as_ref()).await?;
    let edits = {
        let store = cell.borrow();
        let origin = match store.state.origin() {
            Some(origin) => origin.clone(),
            None => header
                .as_ref()
                .map_or_else(|| commit::new_origin(ports), |x| x.origin.clone()),
        };
        compare(
            base.as_ref(),
            &store.state,
            &document,
            &origin,
            ports.clock.now(),
        )
    };
    let n_changed = edits.records.len() + edits.removed.len();
    {
        let mut store = cell.borrow_mut();
        for reason in edits.refused {
            store.notice("edit-refused", reason);
        }
        if n_changed > 0 {
            let (changed, removed) = (edits.records.len(), edits.removed.len());
            store.say(Notice {
                code: "edited-by-hand",
                detail: format!(
                    "{CHECKPOINT} was edited: {changed} records changed or added, {removed} removed"
                ),
            });
        }
    }
    let rows: Vec<Body> = edits
        .records
        .into_iter()
        .zip(edits.fields)
        .map(|(memory, changed)| {
            Body::Fact(Fact::Edit {
                memory: Box::new(memory),
                changed,
            })
        })
        .collect();
    if !rows.is_empty() {
        commit::append(cell, ports, held, rows).await?;
    }
    if !edits.removed.is_empty() {
        let request = Request {
            ids: edits.removed,
            by: "edit".to_owned(),
            asked: None,
        };
        forget::forget_held(cell, ports, held, request, &[]).await?;
    }
    Ok(())
}

/// Returns the state the edited file was written from; `None` when the newest segment cannot tell.
async fn base(
    cell: &RefCell<Store>,
    ports: Ports<'_>,
    header: Option<&Header>,
) -> Result<Option<State>, StoreError> {
    let Some(header) = header else {
        return Ok(None);
    };
    let (path, is_same) = {
        let store = cell.borrow();
        let is_same = store.state.origin() == Some(&header.origin);
        if is_same && store.state.seq() == header.seq {
            return Ok(Some(store.state.clone()));
        }
        (store.path(LEDGER), is_same)
    };
    if !is_same {
        return Ok(None);
    }
    let bytes = load::read(ports, &path, 0).await?.unwrap_or_default();
    let found = scan(&bytes, &End::default());
    if !load::begins_a_state(found.rows.first())
        || found.rows.first().is_none_or(|row| row.seq > header.seq)
    {
        return Ok(None);
    }
    let mut state = State::default();
    for row in found.rows {
        if row.seq <= header.seq {
            state.fold(row);
        }
    }
    Ok(Some(state))
}

/// Compares an edited file with what it was written from, and gives what must change in `now` to follow the person.
///
/// Without a base nothing counts as removed: a record may be missing because the file is older than it.
pub(super) fn compare(
    base: Option<&State>,
    state: &State,
    document: &Value,
    origin: &Origin,
    now: Millis,
) -> Edits {
    let mut out = Edits::default();
    let Some(records) = document.get("memories").and_then(Value::as_array) else {
        out.refused
            .push(format!("{CHECKPOINT}: `memories` must be a list"));
        return out;
    };
    let mut seen: Set<MemoryId> = Set::new();
    let mut scope_above = ScopeKey::global();
    for record in records {
        let Some(record) = record.as_object() else {
            out.refused.push(format!(
                "{CHECKPOINT}: a record that is not an object was left aside"
            ));
            continue;
        };
        if let Some(scope) = record.get("scope").and_then(Value::as_str) {
            scope_above = ScopeKey::from(scope);
        }
        let id = record.get("id").and_then(Value::as_str).map(MemoryId::from);
        let known = id.as_ref().filter(|id| !seen.contains(id)).and_then(|id| {
            let before = base.and_then(|base| base.memory(id));
            before
                .or_else(|| state.memory(id))
                .map(|before| (id, before))
        });
        match known {
            Some((id, before)) => {
                seen.insert(id.clone());
                // Forgotten since the file was written: the tombstone wins over a stale copy.
                if let Some(current) = state.memory(id) {
                    changed(before, current, record, now, &mut out);
                }
            }
            None => added(id, record, &scope_above, state, origin, now, &mut out),
        }
    }
    if let Some(base) = base {
        out.removed = base
            .memories()
            .map(|memory| &memory.id)
            .filter(|id| !seen.contains(id) && state.memory(id).is_some())
            .cloned()
            .collect();
    }
    out
}

/// Carries over to the current record what a person changed in the one the file had.
fn changed(
    before: &Rc<Memory>,
    current: &Rc<Memory>,
    record: &Map<String, Value>,
    now: Millis,
    out: &mut Edits,
) {
    let as_fields = |memory: &Memory| {
        let mut bytes = Vec::new();
        memory.write(&mut bytes);
        serde_json::from_slice::<Map<String, Value>>(&bytes).ok()
    };
    let (Some(before), Some(mut merged)) = (as_fields(before), as_fields(current)) else {
        return;
    };
    let mut fields: Vec<String> = Vec::new();
    // The quote stays what was said; a secret put there is told of like one in the text.
    let mut is_secret = quote(record) != quote(&before) && quote(record).is_some_and(holds_secret);
    for &name in EDITABLE {
        let value = record.get(name).filter(|value| !value.is_null());
        if value == before.get(name) || value == merged.get(name) {
            continue;
        }
        fields.push(name.to_owned());
        is_secret |= value.is_some_and(holds_secret);
        match value {
            Some(value) => merged.insert(name.to_owned(), value.clone()),
            None => merged.remove(name),
        };
    }
    if is_secret {
        out.refused.push(format!(
            "{}: the edit holds a secret, the record was left as it was",
            current.id
        ));
        return;
    }
    if fields.is_empty() {
        return;
    }
    match memory_of(merged) {
        Ok(mut memory) => {
            memory.text = plain(&memory.text).into();
            if !worded(&mut memory, current) {
                out.refused.push(format!(
                    "{}: a procedure that is none was left as it was",
                    memory.id
                ));
                return;
            }
            if memory.text.is_empty() {
                out.refused.push(format!(
                    "{}: a record without text was left as it was",
                    memory.id
                ));
                return;
            }
            memory.importance = memory.importance.clamp(0.0, 1.0);
            memory.by = Author::Edit;
            memory.revision = Revision(memory.revision.0.saturating_add(1));
            memory.updated_at = now;
            out.records.push(memory);
            out.fields.push(fields);
        }
        Err(error) => out
            .refused
            .push(format!("{}: the edit does not fit ({error})", current.id)),
    }
}

/// Reads a procedure that a person wrote; none when it is not sound.
fn procedure_of(value: &Value) -> Option<Box<Procedure>> {
    let text = value.to_string();
    let read = Procedure::read(&mut Reader::new(&text, &mut Names::none()));
    read.ok().filter(Procedure::is_sound).map(Box::new)
}

/// Makes the text and the procedure of an edited record say the same again; returns whether its procedure is sound.
fn worded(memory: &mut Memory, current: &Memory) -> bool {
    let Some(procedure) = &mut memory.procedure else {
        return true;
    };
    let is_same_text = memory.text == current.text;
    if memory.text.is_empty() || (is_same_text && Some(&*procedure) != current.procedure.as_ref()) {
        memory.text = plain(&procedure.text()).into();
    } else if !is_same_text && Some(&*procedure) == current.procedure.as_ref() {
        procedure.reword(&memory.text);
    }
    procedure.is_sound()
}

/// Returns the quote of a record as a person wrote it.
fn quote(record: &Map<String, Value>) -> Option<&Value> {
    record.get("source").and_then(|source| source.get("quote"))
}

/// Whether a value is or holds a text with a secret.
fn holds_secret(value: &Value) -> bool {
    match value {
        Value::String(text) => secret::contains(text),
        Value::Array(values) => values
            .iter()
            .filter_map(Value::as_str)
            .any(secret::contains),
        Value::Object(fields) => fields.values().any(holds_secret),
        _ => false,
    }
}

/// Reads a record's fields as a record.
fn memory_of(fields: Map<String, Value>) -> Result<Memory, String> {
    let text = serde_json::to_string(&fields).map_err(|error| error.to_string())?;
    Memory::read(&mut Reader::new(&text, &mut Names::none())).map_err(|error| error.to_string())
}

/// Reads a value as a record's type. Through bytes: the reader of bytes is compiled already, one of values would be another.
fn reread<T: serde::de::DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

/// Makes a record of what a person wrote anew. What they left out gets what a careful person would expect.
fn added(
    id: Option<MemoryId>,
    record: &Map<String, Value>,
    scope_above: &ScopeKey,
    state: &State,
    origin: &Origin,
    now: Millis,
    out: &mut Edits,
) {
    let text = plain(record.get("text").and_then(Value::as_str).unwrap_or(""));
    if text.is_empty() {
        out.refused.push(format!(
            "{CHECKPOINT}: a record without text was left aside"
        ));
        return;
    }
    let mut fields = EDITABLE.iter().filter_map(|&name| record.get(name));
    if fields.any(holds_secret) || quote(record).is_some_and(holds_secret) {
        let named = id
            .as_ref()
            .map(MemoryId::as_str)
            .filter(|id| is_id(id) && !secret::contains(id));
        out.refused.push(format!(
            "{}: a record that holds a secret was left aside",
            named.unwrap_or(CHECKPOINT)
        ));
        return;
    }
    fn of<T: serde::de::DeserializeOwned>(record: &Map<String, Value>, name: &str) -> Option<T> {
        record.get(name).and_then(|value| reread(value).ok())
    }
    let scope = state.scope_of(scope_above).clone();
    let taken = |id: &MemoryId| {
        state.memory(id).is_some()
            || state.tombstone(id).is_some()
            || out.records.iter().any(|memory| memory.id == *id)
    };
    let is_there = |memory: &&Rc<Memory>| {
        fold(&memory.text) == fold(&text)
            && !matches!(memory.status, Status::Superseded | Status::Archived)
    };
    if state.in_scope(&scope).any(|memory| is_there(&memory))
        || out
            .records
            .iter()
            .any(|memory| memory.scope == scope && fold(&memory.text) == fold(&text))
    {
        return;
    }
    let mut chosen = id.filter(|id| is_id(id.as_str()) && !taken(id));
    if chosen.is_none() {
        chosen = Some(state.next_id(&scope, &text)).filter(|id| !taken(id));
    }
    let Some(id) = chosen else {
        return;
    };
    let text = Text::from(text);
    out.fields.push(Vec::new());
    out.records.push(Memory {
        id,
        memory_type: of(record, "type").unwrap_or(Type::Constraint),
        layer: Layer::Fact,
        canonical: of(record, "canonical"),
        status: of(record, "status").unwrap_or(Status::Active),
        scope,
        importance: of(record, "importance")
            .unwrap_or(ADDED_IMPORTANCE)
            .clamp(0.0, 1.0),
        signals: of::<Vec<String>>(record, "signals")
            .unwrap_or_default()
            .into_iter()
            .map(Text::from)
            .collect(),
        remember: Remember {
            score: 1.0,
            by: JudgeName::Request,
            model: None,
        },
        by: Author::Edit,
        source: Source {
            session_id: SessionId::from("edit"),
            turn: 0,
            seq: EventSeq(0),
            quote: text.clone(),
            at: now,
            tool: None,
            count: None,
            way_out: None,
            source_ids: Vec::new(),
            aliases: Vec::new(),
        },
        text,
        supersedes: of(record, "supersedes").unwrap_or_default(),
        superseded_by: of(record, "supersededBy").unwrap_or_default(),
        conflicts_with: of(record, "conflictsWith").unwrap_or_default(),
        valid_from: of(record, "validFrom"),
        valid_until: of(record, "validUntil"),
        temporal_scope: of(record, "temporalScope"),
        procedure: record.get("procedure").and_then(procedure_of),
        origin: origin.clone(),
        revision: Revision(1),
        created_at: now,
        updated_at: now,
    });
}

/// Returns a text as one line, cut to its limit.
fn plain(text: &str) -> String {
    text.trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(TEXT_MAX_CHARS)
        .collect()
}

/// Returns whether a person's own id can stand in a ledger and in a block.
fn is_id(id: &str) -> bool {
    id.len() <= 40
        && id.strip_prefix("m-").is_some_and(|rest| {
            !rest.is_empty()
                && rest
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        })
}
