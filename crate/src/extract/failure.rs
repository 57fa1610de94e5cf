//! Tool failures that really happened, each under a signature that is the same when the same thing fails again.
//!
//! Of a tool's output only one telling line is kept, never the log. Two errors are possible: one failure under two
//! signatures (its repetition goes unnoticed) and two failures under one (a wrong lesson). The second is worse, so a
//! number or a name stays unless something says that it changes from run to run.

mod locale;
mod mask;
mod path;
mod rules;
mod shape;
mod telling;
#[cfg(test)]
mod tests;

use crate::memory::Millis;
use crate::text::digest::short_digest;
use crate::text::secret;
use crate::text::sorted::Map;
use crate::turn::{Position, Turn, TurnEvent};

/// Characters of a signature, tool included (`design.md` 6.3).
const SIGNATURE_CHARS: usize = 160;
/// Characters of the quoted line.
const QUOTE_CHARS: usize = 400;
/// Characters of the call that worked.
const WAY_OUT_CHARS: usize = 160;
/// Characters of a tool's name inside a signature.
const TOOL_CHARS: usize = 40;
/// Failures taken from one turn; an agent that fails more often than this is looping.
const FAILURES_MAX: usize = 64;

/// Our own tools: a memory about memory would feed on itself.
const OWN_TOOLS: [&str; 3] = ["memory_search", "memory_write", "memory_forget"];

/// Host error codes of calls that did not run, so that nothing failed. An unknown tool is the model's slip, not the project's.
const NOT_RUN_CODES: [&str; 4] = ["ABORT", "CANCEL", "UNKNOWN_TOOL", "APPROVAL"];

/// Beginnings of results by which the host says that a person or a policy said no.
const REFUSALS: [&str; 4] = [
    "Error: the user rejected",
    "Error: the user denied",
    "Error: user denied",
    "Error: approval denied",
];

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
///
/// Linear in a bounded head and tail of the text, whatever its length.
pub fn signature(tool: &str, text: &str) -> Option<String> {
    describe(tool, text).map(|(signature, _)| signature)
}

/// Returns the failures of a turn, ascending by position, at most 64.
///
/// A call failed when the host marked it or when its last line is `[exit code: N]` with N not 0. Cancelled calls, refused
/// approvals, unknown tools and our own tools never count.
pub fn failures(turn: &Turn) -> Vec<Failure> {
    let mut arguments: Map<&str, &str> = Map::new();
    let mut found: Vec<Failure> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for event in &turn.events {
        match event {
            TurnEvent::ToolCall {
                call_id,
                arguments: raw,
                ..
            } => {
                arguments.insert(call_id, raw);
            }
            TurnEvent::ToolResult {
                seq,
                turn: number,
                at,
                call_id,
                tool,
                is_error,
                code,
                denied,
                text,
            } => {
                if OWN_TOOLS.contains(&tool.as_str()) || *denied || not_run(code.as_deref(), text) {
                    continue;
                }
                if !is_error && exit_code(text).is_none_or(|code| code == 0) {
                    let way_out = arguments.get(call_id.as_str()).and_then(|raw| way_out(raw));
                    open.retain(|&index| match found.get_mut(index) {
                        Some(failure)
                            if failure.tool == *tool && failure.position.turn == *number =>
                        {
                            failure.way_out.clone_from(&way_out);
                            false
                        }
                        _ => true,
                    });
                    continue;
                }
                if found.len() == FAILURES_MAX {
                    continue;
                }
                if let Some((signature, quote)) = describe(tool, text) {
                    open.push(found.len());
                    found.push(Failure {
                        tool: tool.clone(),
                        key: short_digest(signature.as_bytes()),
                        signature,
                        position: Position {
                            session_id: turn.session.id.clone(),
                            turn: *number,
                            seq: *seq,
                        },
                        at: *at,
                        quote,
                        way_out: None,
                    });
                }
            }
            TurnEvent::Human { .. } => {}
        }
    }
    found
}

/// Returns the signature and the quoted line.
fn describe(tool: &str, text: &str) -> Option<(String, String)> {
    let told = telling::choose(text)?;
    let (quote, _) = secret::redact(&told.quote);
    let (line, _) = secret::redact(&told.line);
    let masked = mask::mask(&line);
    if masked.is_empty() {
        return None;
    }
    let tool = secret::redact(&cut(tool, TOOL_CHARS)).0;
    let signature = if tool.is_empty() {
        masked
    } else {
        format!("{tool}: {masked}")
    };
    Some((cut(&signature, SIGNATURE_CHARS), cut(&quote, QUOTE_CHARS)))
}

/// Returns the N of a last line `[exit code: N]`, the host's own mark of a shell's exit.
fn exit_code(text: &str) -> Option<i64> {
    let line = text.trim_end().rsplit('\n').next()?.trim();
    line.strip_prefix("[exit code: ")?
        .strip_suffix(']')?
        .parse()
        .ok()
}

fn not_run(code: Option<&str>, text: &str) -> bool {
    code.is_some_and(|code| NOT_RUN_CODES.iter().any(|known| code.contains(known)))
        || REFUSALS.iter().any(|known| text.starts_with(known))
        || (text.starts_with("Error: tool \"")
            && telling::head(text, 400).contains("requires approval"))
}

fn way_out(raw: &str) -> Option<String> {
    let way_out = cut(raw.trim(), WAY_OUT_CHARS);
    // The whole is scanned, not the cut: a cut can hide the end that makes a key recognisable.
    (!way_out.is_empty() && !secret::contains(telling::head(raw, 8 * 1024))).then_some(way_out)
}

/// Cuts to `chars_max` characters.
fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}
