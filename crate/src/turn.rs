//! Input: what the host's log says happened, in the host's order, with nothing decided about content.

use crate::memory::{EventSeq, Millis, SessionId};
use serde::{Deserialize, Serialize};

/// The session a turn belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: SessionId,
    /// The folder the session works in, as the host gave it.
    pub cwd: String,
    /// Whether another agent delegated this session.
    #[serde(default)]
    pub child: bool,
}

/// Events of one session since the last read position, ending with the turn that is stopping.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    pub session: Session,
    /// The number of the turn that is stopping.
    pub turn: u32,
    /// One past the last event read: the new read position once committed.
    pub read_to: EventSeq,
    /// Ascending by `seq`.
    pub events: Vec<TurnEvent>,
}

/// What a human typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Human {
    pub seq: EventSeq,
    pub turn: u32,
    pub at: Millis,
    pub text: String,
    /// IANA zone of the client, when the message has it.
    #[serde(default)]
    pub zone: Option<String>,
}

/// One event that can matter to memory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum TurnEvent {
    /// What a human typed: by the host's own marks, never by the text.
    Human(Human),
    /// A tool was called.
    ToolCall {
        seq: EventSeq,
        turn: u32,
        call_id: String,
        tool: String,
        /// Raw JSON text, may be invalid.
        arguments: String,
    },
    /// A tool answered.
    ToolResult {
        seq: EventSeq,
        turn: u32,
        at: Millis,
        call_id: String,
        tool: String,
        /// The host's error mark. A shell's non-zero exit does not set it.
        #[serde(default)]
        is_error: bool,
        /// The host's error code, where it has one (`ABORTED_BEFORE_DISPATCH`, `FS_NOT_FOUND` …).
        #[serde(default)]
        code: Option<String>,
        /// Whether the human or a policy refused the call, by the host's approval events.
        #[serde(default)]
        denied: bool,
        text: String,
    },
}

impl TurnEvent {
    /// Returns the event's position in the session's log.
    pub fn seq(&self) -> EventSeq {
        match self {
            TurnEvent::Human(human) => human.seq,
            TurnEvent::ToolCall { seq, .. } | TurnEvent::ToolResult { seq, .. } => *seq,
        }
    }
}

/// Where something was said or happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    pub session_id: SessionId,
    pub turn: u32,
    pub seq: EventSeq,
}
