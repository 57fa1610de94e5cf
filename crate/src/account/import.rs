//! Reading an export: what of it may come in, as what, and why the rest may not.
//!
//! A file is somebody's word. Each record is checked as if a stranger had written it; what this device did not say
//! itself waits for the human. No field of it is ever a path.

use super::export::{FORMAT, VERSION};
use crate::decide::procedure::orders;
use crate::extract::Candidate;
use crate::memory::{
    Author, Memory, MemoryId, Millis, Origin, Revision, ScopeKey, Status, Text, Type,
};
use crate::screen::{Screened, screen};
use crate::store::State;
use crate::store::codec::checksum;
use crate::text::digest::key;
use crate::text::json::{Names, Reader};
use crate::text::secret;
use crate::text::sorted::Set;
use serde_json::Value;

/// Records of one file.
pub const RECORDS_MAX: usize = 20_000;
/// Longest line of a file.
const LINE_MAX_BYTES: usize = 64 * 1024;
/// Longest text, as for one a person writes by hand.
const TEXT_MAX_CHARS: usize = 4_000;
/// Longest key, name or signal.
pub(super) const NAME_MAX_CHARS: usize = 1_000;
/// Signals and links of one record.
const LIST_MAX: usize = 64;

/// The one veto that also holds for what is no sentence.
const INJECTION: &str = "veto:injection";

/// The first line of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    pub origin: Origin,
    pub at: Millis,
    pub package: String,
    /// Whether the records are those the digest was made of.
    pub is_whole: bool,
}

/// What becomes of one record.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It comes in.
    Added(Box<Memory>),
    /// Known, forgotten, a duplicate: nothing to do. With a code.
    Passed(&'static str),
    /// It may not come in. With a code.
    Refused(&'static str),
}

/// One line of the file and what becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// From 1.
    pub line: usize,
    /// Where it could be read.
    pub id: Option<MemoryId>,
    pub fate: Fate,
}

/// Reads the header and returns the records' bytes with it.
///
/// # Errors
/// `not-an-export`; `newer-export` for a version this build does not know.
pub fn header(content: &str) -> Result<(Header, &str), &'static str> {
    let content = content.trim_start_matches('\u{feff}');
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    let fields: Value = serde_json::from_slice(first.as_bytes()).map_err(|_| "not-an-export")?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or("");
    if text("format") != FORMAT {
        return Err("not-an-export");
    }
    if fields.get("v").and_then(Value::as_u64) != Some(VERSION.into()) {
        return Err("newer-export");
    }
    let header = Header {
        origin: Origin::from(text("origin")),
        at: Millis(fields.get("at").and_then(Value::as_i64).unwrap_or(0)),
        package: text("package").to_owned(),
        is_whole: text("digest") == checksum(rest.as_bytes()),
    };
    Ok((header, rest))
}

/// How records come in.
pub struct Terms<'a> {
    /// Whether they are this device's own words, whole: then they come in as they were.
    pub is_own: bool,
    /// In place of each record's own scope, `global` ones excepted.
    pub scope: Option<&'a ScopeKey>,
    pub now: Millis,
}

/// Decides about every record. Pure: nothing is written.
pub fn verdicts(records: &str, state: &State, terms: &Terms<'_>) -> Vec<Verdict> {
    let mut out: Vec<Verdict> = Vec::new();
    let mut coming: Set<MemoryId> = Set::new();
    let mut standing: Standing = state
        .memories()
        .filter(|memory| stands(memory))
        .map(|memory| place_of(memory))
        .collect();
    for (line, text) in (2..).zip(records.lines()) {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if out.len() >= RECORDS_MAX {
            out.push(Verdict {
                line,
                id: None,
                fate: Fate::Refused("over-limit"),
            });
            break;
        }
        let read = if text.len() > LINE_MAX_BYTES {
            None
        } else {
            Memory::read(&mut Reader::new(text, &mut Names::none())).ok()
        };
        let Some(memory) = read.filter(|memory| is_sound(memory, LIST_MAX)) else {
            out.push(Verdict {
                line,
                id: None,
                fate: Fate::Refused("not-a-record"),
            });
            continue;
        };
        let id = memory.id.clone();
        let fate = fate(memory, state, terms, &coming, &standing);
        if let Fate::Added(memory) = &fate {
            coming.insert(id.clone());
            if stands(memory) {
                standing.insert(place_of(memory));
            }
        }
        out.push(Verdict {
            line,
            id: Some(id),
            fate,
        });
    }
    // Links to what is neither here nor coming would lead nowhere.
    for verdict in &mut out {
        if let Fate::Added(memory) = &mut verdict.fate {
            for links in [
                &mut memory.supersedes,
                &mut memory.superseded_by,
                &mut memory.conflicts_with,
                &mut memory.source.source_ids,
            ] {
                links.retain(|id| coming.contains(id) || state.memory(id).is_some());
            }
        }
    }
    out
}

fn fate(
    mut memory: Memory,
    state: &State,
    terms: &Terms<'_>,
    coming: &Set<MemoryId>,
    standing: &Standing,
) -> Fate {
    if words(&memory).any(secret::contains) {
        return Fate::Refused("veto:secret");
    }
    if let Screened::Vetoed { reason, .. } = screen(&Candidate::alone(&memory.text)) {
        // A failure's signature is no sentence, and this device's own words passed the screen with what stood around them.
        let is_weighed = is_sentence(&memory) && memory.by != Author::Failure && !terms.is_own;
        if is_weighed || reason == INJECTION {
            return Fate::Refused(reason);
        }
    }
    if memory
        .procedure
        .as_ref()
        .is_some_and(|x| x.words().any(|text| orders(text)))
    {
        return Fate::Refused(INJECTION);
    }
    if state.tombstone(&memory.id).is_some() {
        return Fate::Passed("forgotten");
    }
    if state.memory(&memory.id).is_some() || coming.contains(&memory.id) {
        return Fate::Passed("known");
    }
    if let Some(scope) = terms.scope.filter(|_| !memory.scope.is_global()) {
        memory.scope = scope.clone();
    }
    memory.scope = state.scope_of(&memory.scope).clone();
    if stands(&memory) && standing.contains(&place_of(&memory)) {
        return Fate::Passed("duplicate");
    }
    // A source states nothing, so there is nothing to answer.
    if !terms.is_own && !memory.is_raw() {
        if memory.status == Status::Active {
            memory.status = Status::NeedsReview;
        }
        // Who a model's words are from stays told.
        if memory.by != Author::Model {
            memory.by = Author::Import;
        }
    }
    memory.revision = Revision(1);
    memory.updated_at = terms.now;
    memory.importance = memory.importance.clamp(0.0, 1.0);
    Fate::Added(Box::new(memory))
}

/// Scope and form of every sentence that stands.
type Standing = Set<(ScopeKey, String)>;

fn place_of(memory: &Memory) -> (ScopeKey, String) {
    (memory.scope.clone(), key(&memory.source.quote))
}

/// Whether a record is a sentence of this plugin's own kinds that is active or waits. Of other kinds equal texts are no duplicates.
fn stands(memory: &Memory) -> bool {
    is_sentence(memory) && matches!(memory.status, Status::Active | Status::NeedsReview)
}

/// Whether a record is one sentence, as this plugin keeps them; a library's sources and statements have forms of their own.
fn is_sentence(memory: &Memory) -> bool {
    memory.is_statement()
        && Type::ALL.contains(&memory.memory_type)
        && !memory.source.quote.is_empty()
}

/// Returns every text of a record that is not one of this plugin's own names.
fn words(memory: &Memory) -> impl Iterator<Item = &str> {
    let optional = [
        &memory.canonical,
        &memory.source.way_out,
        &memory.source.tool,
        &memory.temporal_scope,
        &memory.remember.model,
    ];
    [
        &*memory.text,
        &*memory.source.quote,
        memory.scope.as_str(),
        memory.source.session_id.as_str(),
    ]
    .into_iter()
    .chain(optional.into_iter().flatten().map(String::as_str))
    .chain(memory.signals.iter().map(Text::as_str))
    .chain(
        memory
            .procedure
            .iter()
            .flat_map(|x| x.words().chain(x.places()))
            .map(String::as_str),
    )
}

/// Returns whether a record can stand in a ledger and in a block: ids and scopes of the known forms, texts on one line, all within their limits.
pub(super) fn is_sound(memory: &Memory, list_max: usize) -> bool {
    let links = [
        &memory.supersedes,
        &memory.superseded_by,
        &memory.conflicts_with,
        &memory.source.source_ids,
    ];
    let is_short = |text: &str, max: usize| text.chars().take(max + 1).count() <= max;
    let is_plain = |text: &str| !text.chars().any(char::is_control);
    let is_text = |text: &str| is_short(text, TEXT_MAX_CHARS) && !text.trim().is_empty();
    let is_sentence = is_sentence(memory);
    is_id(&memory.id)
        && links
            .iter()
            .all(|ids| ids.len() <= list_max && ids.iter().all(is_id))
        && !memory.text.trim().is_empty()
        && (!is_sentence || is_plain(&memory.text))
        && memory
            .canonical
            .as_deref()
            .is_none_or(|text| is_text(text) && is_plain(text))
        && is_scope(&memory.scope)
        && memory.signals.len() <= LIST_MAX
        && words(memory).all(|text| !is_sentence || is_short(text, TEXT_MAX_CHARS))
        && is_short(memory.scope.as_str(), NAME_MAX_CHARS)
        && is_short(memory.source.session_id.as_str(), NAME_MAX_CHARS)
        && is_short(memory.origin.as_str(), NAME_MAX_CHARS)
        && is_plain(memory.source.session_id.as_str())
        && is_plain(memory.origin.as_str())
        && memory.signals.iter().all(|text| is_plain(text))
        && memory.procedure.as_ref().is_none_or(|x| x.is_sound())
        && memory.importance.is_finite()
        && memory.remember.score.is_finite()
}

pub(super) fn is_id(id: &MemoryId) -> bool {
    id.as_str().len() <= 40
        && id.as_str().strip_prefix("m-").is_some_and(|rest| {
            !rest.is_empty()
                && rest
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        })
}

pub(super) fn is_scope(scope: &ScopeKey) -> bool {
    let key = scope.as_str();
    let is_named = ["git:", "path:"]
        .iter()
        .any(|kind| key.strip_prefix(kind).is_some_and(|rest| !rest.is_empty()));
    // What a library's caller names is no path.
    let is_word = !key.trim().is_empty() && !key.contains(['/', '\\']);
    (scope.is_global() || is_named || is_word) && !key.chars().any(char::is_control)
}
