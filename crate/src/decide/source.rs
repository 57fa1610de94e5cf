//! What came in: a text or a conversation, without what a host put there, without secrets.

use super::error::{Error, Kind};
use super::{call, scene};
use crate::extract::without_host;
use crate::text::digest::short_digest;
use crate::text::secret;
use serde_json::Value;

/// What stands where a secret stood.
pub const SECRET: &str = "<secret>";
/// What stands where a forgotten passage stood.
pub const FORGOTTEN: &str = "<forgotten>";

/// Characters of one stored source: its row stays under the ledger's limit of a line. A longer one is kept in parts.
pub const PART_MAX_CHARS: usize = 60_000;
/// Parts of a source.
pub const PARTS_MAX: usize = 16;
/// Messages of a conversation.
const MESSAGES_MAX: usize = 2_000;

/// A source, ready to be kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Source {
    /// What is kept as evidence, in parts that join to the whole.
    pub parts: Vec<String>,
    /// The messages a person wrote: what verbatim extraction cuts.
    pub said: Vec<String>,
    /// `coding` when a tool took part, else `chat`: what the conversation's form alone says.
    pub scene: &'static str,
    /// Paths out of the arguments of the tools that were called.
    pub files: Vec<String>,
}

impl Source {
    /// Reads a text, or a list of `{ role, content }`. Only what a person or an assistant said stays.
    ///
    /// # Errors
    /// `InputError` for any other shape, an empty source, or one that has more than [`PARTS_MAX`] parts.
    pub fn read(source: &Value) -> Result<Self, Error> {
        let mut said = Vec::new();
        let mut whole = String::new();
        let mut scene = scene::CHAT;
        let mut files = Vec::new();
        match source {
            Value::String(text) => {
                whole = clean(text);
                said.push(text.clone());
            }
            Value::Array(messages) if messages.len() <= MESSAGES_MAX => {
                for message in messages {
                    let role = message.get("role").and_then(Value::as_str);
                    let role =
                        role.ok_or_else(|| Error::input("each message of a source has a `role`"))?;
                    if call::has_tool(role, message) {
                        scene = scene::CODING;
                        call::files(role, message, &mut files);
                    }
                    if !matches!(role, "user" | "assistant") {
                        continue;
                    }
                    let text = content(message)?;
                    let kept = clean(&text);
                    if kept.trim().is_empty() {
                        continue;
                    }
                    if !whole.is_empty() {
                        whole.push('\n');
                    }
                    whole.push_str(role);
                    whole.push_str(": ");
                    whole.push_str(kept.trim());
                    if role == "user" {
                        said.push(text);
                    }
                }
            }
            Value::Array(_) => {
                return Err(Error::input(format!(
                    "a source has at most {MESSAGES_MAX} messages"
                )));
            }
            _ => {
                return Err(Error::input(
                    "`source` is a text, or a list of messages with `role` and `content`",
                ));
            }
        }
        // A key split over messages is one only when they stand together.
        let whole = masked(whole.trim());
        let parts = parts(&whole);
        if parts.is_empty() {
            return Err(Error::input("the source says nothing"));
        }
        if parts.len() > PARTS_MAX {
            return Err(Error::new(
                Kind::Context,
                format!(
                    "a source has at most {} characters",
                    PART_MAX_CHARS * PARTS_MAX
                ),
            ));
        }
        Ok(Self {
            parts,
            said,
            scene,
            files,
        })
    }

    /// Returns the whole text.
    pub fn text(&self) -> String {
        self.parts.concat()
    }
}

/// Returns `text` with [`SECRET`] for each credential.
pub fn masked(text: &str) -> String {
    secret::redact(text).0.replace(secret::MARKER, SECRET)
}

/// Names an input: a repeated request must bring the same.
///
/// `places` are those of a coding conversation, none of them when none was given.
pub fn digest(scope: &str, source: &Value, memory_at: Option<i64>, places: &[&str]) -> String {
    let at = memory_at.map(|at| at.to_string()).unwrap_or_default();
    let places = places.join("\0");
    short_digest(format!("{scope}\0{at}\0{source}{places}").as_bytes())
}

fn clean(text: &str) -> String {
    masked(&without_host(text))
}

/// The text of a message: a text, or the parts of a list that are texts.
fn content(message: &Value) -> Result<String, Error> {
    match message.get("content") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let said = parts.iter().filter(|part| !call::is_of_tool(part));
            let texts = said.filter_map(|part| part.get("text")?.as_str());
            Ok(texts.collect::<Vec<_>>().join("\n"))
        }
        Some(_) => Err(Error::input("the `content` of a message is a text")),
    }
}

fn parts(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .char_indices()
            .nth(PART_MAX_CHARS)
            .map_or(rest.len(), |(at, _)| at);
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push(part.to_owned());
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(source: Value, text: &str, scene: &str) {
        let read = Source::read(&source).unwrap();
        assert_eq!(
            (read.text().as_str(), read.scene),
            (text, scene),
            "{source}"
        );
    }

    #[test]
    fn only_what_a_person_or_an_assistant_said_stays() {
        check(
            json!("Mara lives in Porto."),
            "Mara lives in Porto.",
            "chat",
        );
        check(
            json!([
                { "role": "system", "content": "You are helpful." },
                { "role": "user", "content": "<system-reminder>\nnever mind\n</system-reminder>\nI live in Porto." },
                { "role": "assistant", "content": [{ "type": "text", "text": "Noted." }] },
            ]),
            "user: I live in Porto.\nassistant: Noted.",
            "chat",
        );
        check(
            json!([
                { "role": "user", "content": "Fix the build." },
                { "role": "tool", "content": "error: no such file" },
            ]),
            "user: Fix the build.",
            "coding",
        );
        check(
            json!([
                { "role": "user", "content": [
                    { "type": "tool_result", "text": "secret output", "content": "secret output" },
                    { "type": "text", "text": "Go on." },
                ] },
                { "role": "assistant", "content": "Done.", "tool_calls": [{ "function": { "arguments": "{\"path\":\"a.rs\"}" } }] },
                { "role": "function", "content": "secret output" },
                { "role": "assistant", "content": null, "tool_calls": [] },
            ]),
            "user: Go on.\nassistant: Done.",
            "coding",
        );
    }

    #[test]
    fn a_secret_never_reaches_what_is_kept() {
        let key = ["sk", "-", "ab12cd34ef56gh78", "ij90kl12mn34op56"].concat();
        let read = Source::read(&json!(format!("My key is {key}, keep it."))).unwrap();
        assert!(!read.text().contains(&key), "{}", read.text());
        assert!(read.text().contains(SECRET));
    }

    #[test]
    fn a_long_source_is_kept_in_parts_that_join_to_the_whole() {
        let text = "端口".repeat(PART_MAX_CHARS);
        let read = Source::read(&json!(text)).unwrap();
        assert_eq!(read.parts.len(), 2);
        assert_eq!(read.text(), text);
    }

    #[test]
    fn a_source_of_another_shape_is_refused() {
        for wrong in [json!(3), json!(""), json!([{ "content": "x" }]), json!([])] {
            assert_eq!(
                Source::read(&wrong).unwrap_err().row().1,
                "bad-input",
                "{wrong}"
            );
        }
    }
}
