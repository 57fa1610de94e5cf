//! What a row says as JSON, one field at a time. The order of fields and every string here are frozen once released.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::{write_fact, write_observation};

use super::entry::{Fact, Observation};

impl Fact {
    /// The frozen strings of `kind`.
    pub const KINDS: &'static [&'static str] = &[
        "write",
        "status",
        "supersede",
        "canonical",
        "failure",
        "failure-dropped",
        "turn",
        "conflict-ask",
        "conflict-resolved",
        "forget",
        "scope",
        "plan",
        "request-expired",
        "digest-pending",
        "digested",
        "edit",
        "checkpoint",
        "import",
        "merge",
    ];
}

impl Observation {
    /// The frozen strings of `kind`.
    pub const KINDS: &'static [&'static str] = &[
        "start",
        "skip",
        "remember",
        "judged",
        "recall",
        "normalize",
        "degraded",
        "context-suppressed",
        "health",
    ];
}

/// Returns the `kind` of a fact.
pub(super) fn kind_of_fact(fact: &Fact) -> &'static str {
    match fact {
        Fact::Write { .. } => "write",
        Fact::Status { .. } => "status",
        Fact::Supersede { .. } => "supersede",
        Fact::Canonical { .. } => "canonical",
        Fact::Failure { .. } => "failure",
        Fact::FailureDropped { .. } => "failure-dropped",
        Fact::Turn { .. } => "turn",
        Fact::ConflictAsk { .. } => "conflict-ask",
        Fact::ConflictResolved { .. } => "conflict-resolved",
        Fact::Forget { .. } => "forget",
        Fact::Scope { .. } => "scope",
        Fact::Plan { .. } => "plan",
        Fact::RequestExpired { .. } => "request-expired",
        Fact::DigestPending { .. } => "digest-pending",
        Fact::Digested { .. } => "digested",
        Fact::Edit { .. } => "edit",
        Fact::Checkpoint { .. } => "checkpoint",
        Fact::Import { .. } => "import",
        Fact::Merge { .. } => "merge",
    }
}

/// Returns the `kind` of an observation.
pub(super) fn kind_of_observation(observation: &Observation) -> &'static str {
    match observation {
        Observation::Start { .. } => "start",
        Observation::Skip { .. } => "skip",
        Observation::Remember { .. } => "remember",
        Observation::Judged { .. } => "judged",
        Observation::Recall { .. } => "recall",
        Observation::Normalize { .. } => "normalize",
        Observation::Degraded { .. } => "degraded",
        Observation::ContextSuppressed { .. } => "context-suppressed",
        Observation::Health { .. } => "health",
    }
}
