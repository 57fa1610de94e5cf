//! The nouns: a memory, where it came from, and what state it is in.

use crate::text::digest::{fold, short_digest};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! text_newtype {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);
        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

text_newtype! {
    /// `m-` and 12 characters derived from scope and original sentence, with `-2`, `-3` … for a later version of the same sentence.
    MemoryId
}
text_newtype! {
    /// `git:host/path`, `path:` and a real path, or `global`.
    ScopeKey
}
text_newtype! {
    /// The host's name for a session.
    SessionId
}
text_newtype! {
    /// The device a ledger row was first written on: `d-` and 12 characters.
    Origin
}

impl MemoryId {
    /// Returns the id of an original sentence in a scope. Two devices that heard the same sentence agree.
    ///
    /// The sentence is folded first ([`fold`]), so cuts that differ only by surrounding space, width of punctuation or
    /// letter case share an id. 60 bits: inside one scope of 100,000 memories a collision has odds of about 4 in 10⁹.
    pub fn of(scope: &ScopeKey, original: &str) -> Self {
        let folded = fold(original);
        Self(format!(
            "m-{}",
            short_digest(format!("{scope}\0{folded}").as_bytes())
        ))
    }
}

impl MemoryId {
    /// Returns the version before this one: `m-…-3` after `m-…-2` after `m-…`; none before the first.
    pub fn previous(&self) -> Option<Self> {
        let (base, version) = self.0.rsplit_once('-')?;
        // The first `-` belongs to the `m-` that every id begins with.
        let version: u32 = version.parse().ok().filter(|_| base.len() > 1)?;
        Some(Self(match version {
            0..=2 => base.to_owned(),
            _ => format!("{base}-{}", version - 1),
        }))
    }
}

impl ScopeKey {
    /// Returns the scope of what the human declared for every project.
    pub fn global() -> Self {
        Self("global".to_owned())
    }

    /// Returns whether this is the scope of every project.
    pub fn is_global(&self) -> bool {
        self.0 == "global"
    }
}

macro_rules! number_newtype {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number_newtype! {
    /// Milliseconds since the epoch, UTC.
    Millis(i64)
}
number_newtype! {
    /// Position of a row in the total order of one origin, from 1.
    Seq(u64)
}
number_newtype! {
    /// Position of an event in the host's log of one session, from 0.
    EventSeq(u64)
}
number_newtype! {
    /// How often a record changed, from 1.
    Revision(u32)
}

/// What a memory is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Type {
    /// A standing rule: must, must not, how we work.
    Constraint,
    /// Something that breaks, and what to do.
    Pitfall,
    /// A choice that could have gone otherwise.
    Decision,
}

impl Type {
    /// Every type, in the order of quotas and reports.
    pub const ALL: [Type; 3] = [Type::Constraint, Type::Pitfall, Type::Decision];

    /// Returns the frozen string of the ledger and the config.
    pub fn as_str(self) -> &'static str {
        match self {
            Type::Constraint => "constraint",
            Type::Pitfall => "pitfall",
            Type::Decision => "decision",
        }
    }
}

/// How far a memory is from what was said. The plugin's own memories are `L1_FACT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Layer {
    #[serde(rename = "L0_RAW")]
    Raw,
    #[default]
    #[serde(rename = "L1_FACT")]
    Fact,
    #[serde(rename = "L2_PROFILE")]
    Profile,
    #[serde(rename = "L3_DERIVED")]
    Derived,
}

/// Whether a memory governs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// May be recalled.
    Active,
    /// Waits for the human; neither recalled nor lost.
    NeedsReview,
    /// A newer version took its place.
    Superseded,
    /// Retired and kept.
    Archived,
}

impl Status {
    /// Returns the frozen string.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::NeedsReview => "needs-review",
            Status::Superseded => "superseded",
            Status::Archived => "archived",
        }
    }
}

/// Whose words the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Author {
    /// A verbatim cut of what the human said.
    Human,
    /// A deterministic signature of a tool failure.
    Failure,
    /// A person changed the checkpoint by hand.
    Edit,
    /// Read from another device's export.
    Import,
    /// A model's words; never in the block by default.
    Model,
}

/// Who judged a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeName {
    Jev,
    Host,
    Heuristic,
    /// Admitted by its count, not by a judge (a repeated failure).
    Count,
    /// The human asked for it through a tool or an edit.
    Request,
}

/// The judgement that let a memory in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remember {
    /// 0..=1.
    pub score: f64,
    pub by: JudgeName,
    /// The answering model's version, where a model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The evidence: where the text was first said, untouched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub session_id: SessionId,
    pub turn: u32,
    /// The event of the session's log that held it.
    pub seq: EventSeq,
    /// The untouched original cut.
    pub quote: String,
    pub at: Millis,
    /// The tool that failed, for a pitfall by count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How often the failure was seen when it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The call that worked after the failure, verbatim, at most 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_out: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_ids: Vec<MemoryId>,
}

/// One stored version of one statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    pub id: MemoryId,
    #[serde(rename = "type")]
    pub memory_type: Type,
    #[serde(default)]
    pub layer: Layer,
    /// What is stored and shown: the sentence after cleaning.
    pub text: String,
    /// A model's restatement, kept beside the evidence, never instead of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    pub status: Status,
    pub scope: ScopeKey,
    /// 0..=1.
    pub importance: f64,
    /// Ids of the signals that matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<String>,
    pub remember: Remember,
    pub by: Author,
    pub source: Source,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<MemoryId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<MemoryId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts_with: Vec<MemoryId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Millis>,
    /// The first instant at which it no longer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temporal_scope: Option<String>,
    pub origin: Origin,
    pub revision: Revision,
    pub created_at: Millis,
    pub updated_at: Millis,
}

impl Memory {
    /// Returns every text of this record that holds what was said: all that forgetting it must blank.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let always = [&self.text, &self.source.quote].into_iter();
        let optional = [&self.canonical, &self.source.way_out]
            .into_iter()
            .flatten();
        always.chain(optional).cloned()
    }

    /// Returns whether this may be recalled at `at`: active, and inside its validity.
    pub fn governs(&self, at: Millis) -> bool {
        self.status == Status::Active && self.holds_at(at)
    }

    /// Returns whether `at` is inside the validity, where one is known.
    pub fn holds_at(&self, at: Millis) -> bool {
        self.valid_from.is_none_or(|from| from <= at)
            && self.valid_until.is_none_or(|until| at < until)
    }
}
