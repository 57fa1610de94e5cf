//! Ledger rows: facts, which change the state, and observations, which never do.
//!
//! The strings of `kind` and of every reason are frozen once released.

use super::merged::Merged;
use super::tables::Tables;
use crate::decide::outcome::Planned;
use crate::memory::{
    EventSeq, JudgeName, Memory, MemoryId, Millis, Origin, Revision, ScopeKey, Seq, SessionId,
    Status, Type,
};
pub use crate::turn::Position;

/// The ledger version this build writes, and the newest it reads.
pub const LEDGER_VERSION: u32 = 1;

/// One line of the ledger. [`crate::store::codec`] turns it into bytes and back.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub origin: Origin,
    pub seq: Seq,
    pub at: Millis,
    /// The `seq` of the first row of this commit.
    pub tx: Seq,
    /// Whether this is the last row of its commit. A run without it is not there.
    pub last: bool,
    pub body: Body,
}

/// What a row says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Fact(Fact),
    Observation(Observation),
    /// A row of this version with a kind this build does not know: kept on disk, ignored by the fold.
    Unknown(String),
}

impl From<Fact> for Body {
    fn from(fact: Fact) -> Self {
        Body::Fact(fact)
    }
}

impl From<Observation> for Body {
    fn from(observation: Observation) -> Self {
        Body::Observation(observation)
    }
}

/// Changes the state. Folding the facts of a ledger in order gives the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A memory came in.
    Write { memory: Box<Memory> },
    /// A memory's status changed without a successor.
    Status {
        id: MemoryId,
        status: Status,
        revision: Revision,
        reason: String,
    },
    /// `new` took the place of `old`; linked both ways.
    Supersede { old: MemoryId, new: MemoryId },
    /// A restatement passed its gates.
    Canonical { id: MemoryId, text: String },
    /// A failure signature's count in a scope.
    Failure {
        scope: ScopeKey,
        /// `crate::text::digest::short_digest` of tool and signature.
        key: String,
        tool: String,
        signature: String,
        count: u32,
        /// How much of the count other devices saw, as far as was known here.
        more: u32,
        /// The last place it was seen.
        position: Position,
    },
    /// Signatures seen once and long ago were dropped to keep the map bounded.
    FailureDropped { scope: ScopeKey, keys: Vec<String> },
    /// The session was read up to `read_to` (one past the last event).
    Turn {
        session_id: SessionId,
        turn: u32,
        read_to: EventSeq,
        scope: ScopeKey,
    },
    /// The question about a pair: opened, about to be shown, or shown.
    ConflictAsk {
        id: MemoryId,
        against: Vec<MemoryId>,
        attempt: u32,
        detector: String,
        shared: Vec<String>,
        /// The card's question, once one was shown: words of the plugin, none of the sentences'.
        question: Option<String>,
        /// Who is about to show a card: nobody else does while that process lives. `review`: no card is shown by itself.
        asker: Option<String>,
        /// Whose place the asker takes: one that is gone. Another asker than that one stays.
        instead: Option<String>,
    },
    /// The pair was decided, or why not.
    ConflictResolved {
        id: MemoryId,
        against: Vec<MemoryId>,
        choice: String,
    },
    /// A promise kept: the content of `id` is blanked everywhere and these positions never bring it back.
    Forget {
        id: MemoryId,
        scope: ScopeKey,
        /// Places in transcripts where it was said.
        positions: Vec<Position>,
        /// `tool`, `command`, `edit` …
        by: String,
        /// Where it was asked for.
        asked: Option<Position>,
    },
    /// Two keys are one scope: what was under `from` is under `to`.
    Scope { from: ScopeKey, to: ScopeKey },
    /// What an `add` came to; its records and links are the rows of the same commit.
    Plan { plan: Box<Planned> },
    /// Something of a scope changed that a digest has to look at.
    DigestPending { scope: ScopeKey },
    /// A digest of a scope came to an end, or to one of its products.
    Digested {
        scope: ScopeKey,
        /// Names of what a model was asked and answered. With `up_to` they take the place of all before.
        asked: Vec<String>,
        /// Of a digest that ended whole: the last row it had before it. What was registered later still waits.
        up_to: Option<Seq>,
    },
    /// Recorded results grew too old to be said again.
    RequestExpired { requests: Vec<String> },
    /// A person changed the checkpoint by hand, or a passage of it was forgotten: the record as it is now.
    Edit {
        memory: Box<Memory>,
        /// The fields that changed; none named: any may have.
        changed: Vec<String>,
    },
    /// An entry of another device, as it was received. [`Fact::Merge`] says what it came to.
    Import { row: Box<Row> },
    /// What the entries of all devices come to, as a difference to the state before.
    Merge { merged: Box<Merged> },
    /// Begins a segment: the folded state, so older segments are history to read.
    Checkpoint { state: Box<Tables> },
}

/// Says what happened. Dropping every observation changes no state.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// The plugin was mounted.
    Start {
        version: String,
        tokeniser: String,
        judge: String,
        /// `service:<source>`, `file`, `config`, `env` or `none`.
        key: String,
        jev_ready: bool,
        normalize: String,
        capture: bool,
        /// Config keys that were set and whose feature this version does not have.
        inactive: Vec<String>,
        host: String,
        /// The health line of that moment, in English.
        summary: Option<String>,
    },
    /// A candidate was not kept.
    Skip {
        reason: String,
        scope: ScopeKey,
        /// The candidate's identity; the memory it repeats for `duplicate`.
        id: Option<MemoryId>,
        /// The original cut, at most 160 characters; never for `veto:secret`.
        quote: Option<String>,
        /// The rule that refused, where one did.
        rule: Option<String>,
        /// How many candidates this row stands for, where more than one.
        count: Option<u32>,
        position: Position,
    },
    /// A candidate was judged, kept or not.
    Remember {
        id: MemoryId,
        scope: ScopeKey,
        score: f64,
        memory_type: Type,
        by: JudgeName,
        model: Option<String>,
        signals: Vec<String>,
        threshold: f64,
        admitted: bool,
        quote: String,
        position: Position,
    },
    /// A judge that reads was asked about a turn.
    Judged {
        by: JudgeName,
        /// The answering model's version; absent when nobody answered.
        model: Option<String>,
        /// The version of the questions' wording.
        questions: String,
        /// Candidates that were asked about, and of these, how many were answered.
        asked: u32,
        answered: u32,
        requests: u32,
        /// As far as they were told.
        input_tokens: u64,
        output_tokens: u64,
        ms: u32,
    },
    /// The block of a session changed.
    Recall {
        session_id: SessionId,
        turn: u32,
        scope: ScopeKey,
        tokens: u32,
        chosen: Vec<Chosen>,
    },
    Normalize {
        id: MemoryId,
        accepted: bool,
        share: f64,
        from: String,
        to: String,
    },
    /// Something was given up in favour of a simpler way, or not done at all.
    Degraded {
        cause: String,
        count: Option<u32>,
        detail: String,
    },
    /// A preset turned runtime context off for this session.
    ContextSuppressed { session_id: SessionId },
    /// A state a person should know about.
    Health { code: String, detail: String },
}

/// One memory of a block, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    pub id: MemoryId,
    pub score: f64,
    pub relevance: f64,
    pub importance: f64,
    pub age: f64,
}
