//! The nouns: a memory, where it came from, and what state it is in.

pub mod procedure;
pub mod record;

pub use procedure::Procedure;

use crate::text::digest::{fold, short_digest};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

macro_rules! text_newtype {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// Clones share one string.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Rc<str>);
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
                Self(text.into())
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
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
text_newtype! {
    /// What a memory holds of what was said. A quote equal to its text is the same string.
    Text
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::from("")
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl MemoryId {
    /// Returns the id of an original sentence in a scope. Two devices that heard the same sentence agree.
    ///
    /// The sentence is folded first ([`fold`]), so cuts that differ only by surrounding space, width of punctuation or
    /// letter case share an id. 60 bits: inside one scope of 100,000 memories a collision has odds of about 4 in 10⁹.
    pub fn of(scope: &ScopeKey, original: &str) -> Self {
        let folded = fold(original);
        Self::from(format!(
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
        Some(Self::from(match version {
            0..=2 => base.to_owned(),
            _ => format!("{base}-{}", version - 1),
        }))
    }
}

impl ScopeKey {
    /// Returns the scope of what the human declared for every project.
    pub fn global() -> Self {
        Self::from("global")
    }

    /// Returns whether this is the scope of every project.
    pub fn is_global(&self) -> bool {
        *self.0 == *"global"
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
    /// A statement of a memory used as a library: it has no quota, so it is never in the block.
    Fact,
    /// How a task was done, in a model's words; never in the block, either.
    Procedure,
    /// A pattern in several statements, in a model's words.
    Schema,
    /// What schemas of different subjects have in common, in a model's words.
    CoreSchema,
    /// A fact that a model picked for the catalogue of a person, in its own words.
    Persona,
}

impl Type {
    /// Every type that the plugin captures, in the order of quotas and reports.
    pub const ALL: [Type; 3] = [Type::Constraint, Type::Pitfall, Type::Decision];
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

/// How far a procedure holds, as the model that wrote it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundaryScope {
    /// In this workspace, on this branch, in this session.
    Strict,
    /// In this project.
    Project,
    /// Wherever this person works.
    User,
    /// Anywhere.
    Global,
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

macro_rules! named {
    ($name:ident { $($variant:ident => $text:literal,)* }) => {
        impl $name {
            /// Returns the frozen string.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// Returns what a frozen string names.
            pub fn named(text: &str) -> Option<Self> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

named!(Type {
    Constraint => "constraint",
    Pitfall => "pitfall",
    Decision => "decision",
    Fact => "fact",
    Procedure => "procedure",
    Schema => "schema",
    CoreSchema => "core-schema",
    Persona => "persona",
});
named!(BoundaryScope {
    Strict => "strict",
    Project => "project",
    User => "user",
    Global => "global",
});
named!(Layer {
    Raw => "L0_RAW",
    Fact => "L1_FACT",
    Profile => "L2_PROFILE",
    Derived => "L3_DERIVED",
});
named!(Status {
    Active => "active",
    NeedsReview => "needs-review",
    Superseded => "superseded",
    Archived => "archived",
});
named!(Author {
    Human => "human",
    Failure => "failure",
    Edit => "edit",
    Import => "import",
    Model => "model",
});
named!(JudgeName {
    Jev => "jev",
    Host => "host",
    Heuristic => "heuristic",
    Count => "count",
    Request => "request",
});

/// The judgement that let a memory in.
#[derive(Debug, Clone, PartialEq)]
pub struct Remember {
    /// 0..=1.
    pub score: f64,
    pub by: JudgeName,
    /// The answering model's version, where a model answered.
    pub model: Option<String>,
}

/// The evidence: where the text was first said, untouched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub session_id: SessionId,
    pub turn: u32,
    /// The event of the session's log that held it.
    pub seq: EventSeq,
    /// The untouched original cut.
    pub quote: Text,
    pub at: Millis,
    /// The tool that failed, for a pitfall by count.
    pub tool: Option<String>,
    /// How often the failure was seen when it was written.
    pub count: Option<u32>,
    /// The call that worked after the failure, verbatim, at most 160 characters.
    pub way_out: Option<String>,
    /// The `L0_RAW` records it comes from, and those that said it again.
    pub source_ids: Vec<MemoryId>,
    /// Other ids it is known by: of candidates that said it again.
    pub aliases: Vec<MemoryId>,
}

/// One stored version of one statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub id: MemoryId,
    pub memory_type: Type,
    pub layer: Layer,
    /// What is stored and shown: the sentence after cleaning.
    pub text: Text,
    /// A model's restatement, kept beside the evidence, never instead of it.
    pub canonical: Option<String>,
    pub status: Status,
    pub scope: ScopeKey,
    /// 0..=1.
    pub importance: f64,
    /// Ids of the signals that matched.
    pub signals: Vec<Text>,
    pub remember: Remember,
    pub by: Author,
    pub source: Source,
    pub supersedes: Vec<MemoryId>,
    pub superseded_by: Vec<MemoryId>,
    pub conflicts_with: Vec<MemoryId>,
    pub valid_from: Option<Millis>,
    /// The first instant at which it no longer holds.
    pub valid_until: Option<Millis>,
    pub temporal_scope: Option<String>,
    /// Of a [`Type::Procedure`].
    pub procedure: Option<Box<Procedure>>,
    pub origin: Origin,
    pub revision: Revision,
    pub created_at: Millis,
    pub updated_at: Millis,
}

impl Memory {
    /// Returns every text of this record that holds what was said: all that forgetting it must blank.
    pub fn words(&self) -> impl Iterator<Item = String> {
        let always = [&self.text, &self.source.quote].into_iter();
        let optional = [&self.canonical, &self.source.way_out];
        always
            .map(|text| text.to_string())
            .chain(optional.into_iter().flatten().cloned())
            .chain(self.procedure.iter().flat_map(|x| x.words()).cloned())
    }

    /// Returns the text it is found by: what it shows, and the words under which a procedure is looked for.
    pub fn findable(&self) -> Cow<'_, str> {
        match &self.procedure {
            Some(procedure) => procedure.findable(&self.text).into(),
            None => (&*self.text).into(),
        }
    }

    /// Returns whether `other` is found by the same text.
    pub fn is_found_as(&self, other: &Self) -> bool {
        let is_same = match (&self.procedure, &other.procedure) {
            (None, None) => true,
            (mine, theirs) => Procedure::are_found_alike(mine.as_deref(), theirs.as_deref()),
        };
        is_same && self.text == other.text
    }

    /// Returns whether this states something that was said: a raw source is evidence, and what was derived was said by nobody.
    pub fn is_statement(&self) -> bool {
        !matches!(self.layer, Layer::Raw | Layer::Derived)
    }

    /// Returns whether this is a source: what was said, untouched.
    pub fn is_raw(&self) -> bool {
        self.layer == Layer::Raw
    }

    /// Returns whether a digest made this of statements.
    pub fn is_derived(&self) -> bool {
        self.layer == Layer::Derived
    }

    /// Returns whether this may be recalled at `at`: an active statement, in nobody's words but a person's or a tool's, inside its validity.
    pub fn governs(&self, at: Millis) -> bool {
        self.may_govern() && self.holds_at(at)
    }

    /// Returns whether there may be a time at which it governs.
    pub fn may_govern(&self) -> bool {
        self.status == Status::Active && self.is_statement() && self.by != Author::Model
    }

    /// Returns whether `at` is inside the validity, where one is known.
    pub fn holds_at(&self, at: Millis) -> bool {
        self.valid_from.is_none_or(|from| from <= at)
            && self.valid_until.is_none_or(|until| at < until)
    }
}
