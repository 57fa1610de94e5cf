//! Input: what the host's log says happened, in the host's order, with nothing decided about content.

use crate::memory::record::given;
use crate::memory::{EventSeq, Millis, SessionId};
use crate::text::json::{Fields, Malformed, Reader, Writer};
use serde::Deserialize;

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
#[serde(try_from = "Event")]
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
        is_error: bool,
        /// The host's error code, where it has one (`ABORTED_BEFORE_DISPATCH`, `FS_NOT_FOUND` …).
        code: Option<String>,
        /// Whether the human or a policy refused the call, by the host's approval events.
        denied: bool,
        text: String,
    },
}

/// An event as it crosses: a tagged enum would be read twice, once into a buffer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    kind: String,
    seq: EventSeq,
    turn: u32,
    #[serde(default)]
    at: Millis,
    #[serde(default)]
    text: String,
    #[serde(default)]
    zone: Option<String>,
    #[serde(default)]
    call_id: String,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    arguments: String,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    denied: bool,
}

impl TryFrom<Event> for TurnEvent {
    type Error = String;

    fn try_from(event: Event) -> Result<Self, String> {
        Ok(match event.kind.as_str() {
            "human" => Self::Human(Human {
                seq: event.seq,
                turn: event.turn,
                at: event.at,
                text: event.text,
                zone: event.zone,
            }),
            "tool-call" => Self::ToolCall {
                seq: event.seq,
                turn: event.turn,
                call_id: event.call_id,
                tool: event.tool,
                arguments: event.arguments,
            },
            "tool-result" => Self::ToolResult {
                seq: event.seq,
                turn: event.turn,
                at: event.at,
                call_id: event.call_id,
                tool: event.tool,
                is_error: event.is_error,
                code: event.code,
                denied: event.denied,
                text: event.text,
            },
            other => return Err(format!("`{other}` is not a kind of event")),
        })
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub session_id: SessionId,
    pub turn: u32,
    pub seq: EventSeq,
}

impl Position {
    /// Reads a place.
    ///
    /// # Errors
    /// The field that is missing or of another kind.
    pub fn read(reader: &mut Reader<'_, '_>) -> Result<Self, Malformed> {
        let (mut session_id, mut turn, mut seq) = (None, None, None);
        let mut fields = Fields::of(&["sessionId", "turn", "seq"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => session_id = Some(SessionId(reader.shared()?)),
                1 => turn = Some(reader.whole()?),
                _ => seq = Some(EventSeq(reader.u64()?)),
            }
        }
        Ok(Self {
            session_id: given(session_id, "sessionId")?,
            turn: given(turn, "turn")?,
            seq: given(seq, "seq")?,
        })
    }

    /// Appends the place.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("sessionId", self.session_id.as_str())
            .whole("turn", self.turn.into())
            .whole("seq", self.seq.0);
        writer.end();
    }
}
