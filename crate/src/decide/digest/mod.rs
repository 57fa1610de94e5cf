//! What many statements come to: schemas, core schemas and a catalogue of a person, from the heads of one scope.
//!
//! Pure: points, clusters, what a model is asked, and how its answer is read. A model names ids and writes one sentence;
//! which ids may be cited, how many sources must stand behind it and what text is refused is decided here. The engine
//! that asks and commits: `engine/digest.rs`. The rules as one page: `docs/digest.md`.

pub mod cluster;
pub mod core;
pub mod persona;
pub mod schema;
pub mod space;

use super::extract::bare;
use super::read::is_head;
use crate::extract::Candidate;
use crate::judge::ordered::Writer;
use crate::memory::{Author, Layer, Memory, MemoryId, Type};
use crate::screen::{Screened, screen};
use crate::text::digest::short_digest;
use crate::text::{cut, day, secret};
use serde_json::Value;
use std::rc::Rc;

/// Numbers that a caller may set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Largest average distance (1 − cosine) inside a cluster, and inside a part of one that is too large.
    pub cluster_distance: f64,
    pub refine_distance: f64,
    /// The same where texts are compared by their words.
    pub lexical_distance: f64,
    pub lexical_refine_distance: f64,
    /// Smaller clusters are not asked about.
    pub min_cluster_size: usize,
    /// Different sources that must stand behind a schema.
    pub min_sources: usize,
    /// Schemas from which on core schemas are looked for.
    pub cross_domain_min_basics: usize,
    /// Heads of a scope that are looked at; past it the newest.
    pub head_limit: usize,
}

impl Default for Rules {
    /// # Source
    /// 0.35, 0.25, 4, 2 and 5: the issue on devices, procedures and digest. The lexical distances are measured:
    /// `docs/digest.md`, "Without vectors".
    fn default() -> Self {
        Self {
            cluster_distance: 0.35,
            refine_distance: 0.25,
            lexical_distance: 0.86,
            lexical_refine_distance: 0.76,
            min_cluster_size: 4,
            min_sources: 2,
            cross_domain_min_basics: 5,
            head_limit: 2_000,
        }
    }
}

/// Characters of a statement in a prompt.
const SHOWN_MAX_CHARS: usize = 400;
/// Characters of an answer that is read.
const ANSWER_MAX_CHARS: usize = 32_000;
/// Characters of a sentence that a model may add.
const SENTENCE_MAX_CHARS: usize = 300;

/// Returns whether a digest reads a memory: a head that a person or a model stated. What a tool said is not.
pub fn is_material(memory: &Memory) -> bool {
    is_head(memory)
        && matches!(memory.layer, Layer::Fact | Layer::Profile)
        && memory.by != Author::Failure
        && memory.source.tool.is_none()
        && !secret::contains(&memory.text)
}

/// Returns whether a memory may stand in the catalogue: a dialogue fact, so no procedure.
pub fn is_dialogue(memory: &Memory) -> bool {
    is_material(memory) && memory.memory_type != Type::Procedure
}

/// Returns what a memory was taken from: its raw sources, else the message that held it.
pub fn sources_of(memory: &Memory) -> Vec<String> {
    let source = &memory.source;
    if source.source_ids.is_empty() {
        return vec![format!("{}#{}", source.session_id, source.seq)];
    }
    source.source_ids.iter().map(MemoryId::to_string).collect()
}

/// Returns how many different sources stand behind memories.
pub fn n_sources<'a>(memories: impl Iterator<Item = &'a Rc<Memory>>) -> usize {
    let mut all: Vec<String> = memories.flat_map(|memory| sources_of(memory)).collect();
    crate::text::order::sort(&mut all);
    all.dedup();
    all.len()
}

/// Names what was asked: by kind, and by each memory's id and revision, in order.
pub fn key<'a>(kind: &str, memories: impl Iterator<Item = &'a Rc<Memory>>) -> String {
    let mut all = String::new();
    for memory in memories {
        all.push_str(&format!("{}\0{}\0", memory.id, memory.revision.0));
    }
    format!("{kind}-{}", short_digest(all.as_bytes()))
}

/// How the name of what stands behind a derived memory begins: the session its source names.
pub const EVIDENCE: &str = "e";

/// Returns whether a derived memory holds: it is active, and everything it cites is a head as it was cited.
pub fn is_fresh<'a>(memory: &Memory, known: impl Fn(&MemoryId) -> Option<&'a Rc<Memory>>) -> bool {
    let cited = &memory.source.source_ids;
    let heads: Vec<&Rc<Memory>> = cited
        .iter()
        .filter_map(known)
        .filter(|x| is_head(x))
        .collect();
    memory.is_derived()
        && memory.status == crate::memory::Status::Active
        && !cited.is_empty()
        && heads.len() == cited.len()
        && *memory.source.session_id.0 == *key(EVIDENCE, heads.into_iter())
}

/// Returns whether a memory of this kind is a basic schema.
pub fn is_basic(memory: &Memory) -> bool {
    memory.memory_type == Type::Schema
}

/// The answer of a model is no JSON of the form that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Reads an answer: one JSON object or nothing, at most [`ANSWER_MAX_CHARS`].
fn object(answer: &str) -> Result<Value, Unreadable> {
    if answer.chars().count() > ANSWER_MAX_CHARS {
        return Err(Unreadable);
    }
    let value: Option<Value> = serde_json::from_str(bare(answer)).ok();
    value.filter(Value::is_object).ok_or(Unreadable)
}

/// Reads a list of ids that must all be among `known`; once each. Nothing when one is not, or the list is no list of texts.
fn cited(value: Option<&Value>, known: &[Rc<Memory>]) -> Option<Vec<Rc<Memory>>> {
    let mut out: Vec<Rc<Memory>> = Vec::new();
    for id in value?.as_array()? {
        let id = id.as_str()?;
        let memory = known.iter().find(|memory| memory.id.as_str() == id)?;
        if !out.iter().any(|other| other.id == memory.id) {
            out.push(memory.clone());
        }
    }
    crate::text::order::sort_by(&mut out, |a, b| a.id.cmp(&b.id));
    (!out.is_empty()).then_some(out)
}

/// Returns a model's sentence when it may be kept: one line, not long, no secret, no order to its reader, no payload.
///
/// Every veto of the screen counts: nobody waits for this sentence, and a wrong refusal costs a pattern that is not shown by default.
fn sentence(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.trim();
    let chars = text.chars().count();
    let is_line = !text.contains(char::is_control) && !text.contains(['<', '>']);
    let fits = chars > 0 && chars <= SENTENCE_MAX_CHARS && is_line && !secret::contains(text);
    let kept = matches!(screen(&Candidate::alone(text)), Screened::Kept(_));
    (fits && kept).then(|| text.to_owned())
}

/// Writes a statement as one line of a prompt.
fn line(memory: &Memory, more: impl FnOnce(&mut Writer<'_>), out: &mut String) {
    let mut writer = Writer::object(out);
    writer.text("id", memory.id.as_str());
    writer.text("kind", memory.memory_type.as_str());
    writer.text("date", &day::local(memory.source.at.0, 0));
    more(&mut writer);
    writer.text("text", cut(&memory.text, SHOWN_MAX_CHARS));
    writer.end();
    out.push('\n');
}

#[cfg(test)]
mod tests;
