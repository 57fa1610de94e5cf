//! Tool failures that really happened, each under a signature that is the same when the same thing fails again.

use crate::memory::Millis;
use crate::turn::{Position, Turn};

/// One failure of one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub tool: String,
    /// Tool and telling line, placeholders for what changes from run to run; at most 160 characters.
    pub signature: String,
    /// The short digest of the signature.
    pub key: String,
    pub position: Position,
    pub at: Millis,
    /// The untouched telling line without secrets, at most 400 characters.
    pub quote: String,
    /// Arguments of the next call of the same tool that succeeded in the turn, verbatim, cut to 160 characters.
    pub way_out: Option<String>,
}

/// Returns the signature of a failed call of `tool` that answered `text`; nothing when the text tells nothing.
pub fn signature(_tool: &str, _text: &str) -> Option<String> {
    None
}

/// Returns the failures of a turn, ascending by position.
pub fn failures(_turn: &Turn) -> Vec<Failure> {
    Vec::new()
}
