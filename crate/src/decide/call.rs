//! What the calls of tools say: which files they were about. What the tools answered is not looked at.

use crate::memory::procedure::{FILE_MAX_CHARS, FILES_MAX, is_plain};
use crate::text::secret;
use serde_json::Value;

/// Names of arguments that hold a path or several, in lower case without marks.
///
/// # Source
/// The tools of the coding agents of 2026: read, write, edit, multi-edit, notebook, apply-patch, search.
const PATHS: [&str; 15] = [
    "path",
    "paths",
    "file",
    "files",
    "filepath",
    "filepaths",
    "filename",
    "filenames",
    "targetfile",
    "notebookpath",
    "absolutepath",
    "relativepath",
    "relativeworkspacepath",
    "oldpath",
    "newpath",
];
/// Names under which a call holds its arguments.
const ARGUMENTS: [&str; 4] = ["arguments", "args", "input", "function"];
/// Objects inside one another that are looked into.
const DEPTH_MAX: usize = 6;

/// Returns whether a part of a message is a tool's: its call or its answer, neither of which is said by anybody.
pub fn is_of_tool(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("");
    kind.starts_with("tool") || kind.starts_with("function")
}

/// Returns whether a message is a tool's answer, or calls tools.
pub fn has_tool(role: &str, message: &Value) -> bool {
    let calls = |name: &str| match message.get(name) {
        Some(Value::Array(calls)) => !calls.is_empty(),
        Some(Value::Object(_)) => true,
        _ => false,
    };
    is_answer(role) || calls("tool_calls") || calls("function_call") || {
        let parts = message.get("content").and_then(Value::as_array);
        parts.is_some_and(|parts| parts.iter().any(is_of_tool))
    }
}

fn is_answer(role: &str) -> bool {
    matches!(role, "tool" | "function")
}

/// Takes the files that a message's calls name into `files`, each once.
pub fn files(role: &str, message: &Value, files: &mut Vec<String>) {
    if is_answer(role) {
        return;
    }
    for name in ["tool_calls", "function_call"] {
        match message.get(name) {
            Some(Value::Array(calls)) => calls.iter().for_each(|call| of_call(call, 0, files)),
            Some(call) => of_call(call, 0, files),
            None => {}
        }
    }
    let parts = message.get("content").and_then(Value::as_array);
    // An answer among the parts has its content elsewhere than where a call has its arguments; its kind says so, too.
    let is_call = |part: &&Value| {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or("");
        is_of_tool(part) && !kind.contains("result") && !kind.contains("output")
    };
    for part in parts.into_iter().flatten().filter(is_call) {
        of_call(part, 0, files);
    }
}

/// Arguments are an object, or that object as text.
fn of_call(call: &Value, depth: usize, files: &mut Vec<String>) {
    for name in ARGUMENTS {
        match call.get(name) {
            Some(Value::String(text)) => {
                if let Ok(arguments) = serde_json::from_str::<Value>(text) {
                    of_arguments(&arguments, false, depth, files);
                }
            }
            Some(function) if name == "function" && depth == 0 => of_call(function, 1, files),
            Some(arguments) => of_arguments(arguments, false, depth, files),
            None => {}
        }
    }
}

fn of_arguments(value: &Value, is_path: bool, depth: usize, files: &mut Vec<String>) {
    match value {
        Value::String(text) if is_path => {
            let path = text.trim();
            let fits = files.len() < FILES_MAX
                && is_plain(path, FILE_MAX_CHARS, "")
                && !secret::contains(path)
                && !files.iter().any(|known| known == path);
            if fits {
                files.push(path.to_owned());
            }
        }
        Value::Array(items) if depth < DEPTH_MAX => {
            for item in items {
                of_arguments(item, is_path, depth + 1, files);
            }
        }
        Value::Object(fields) if depth < DEPTH_MAX => {
            for (name, value) in fields {
                let name = name.replace(['_', '-'], "").to_ascii_lowercase();
                of_arguments(value, PATHS.contains(&name.as_str()), depth + 1, files);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(role: &str, message: Value, has: bool, expected: &[&str]) {
        assert_eq!(has_tool(role, &message), has, "{message}");
        let mut found = Vec::new();
        files(role, &message, &mut found);
        assert_eq!(found, expected, "{message}");
    }

    #[test]
    fn files_are_what_the_arguments_of_calls_name() {
        let openai = |arguments: &str| json!({ "tool_calls": [{ "id": "c1", "type": "function", "function": { "name": "read", "arguments": arguments } }] });
        check(
            "assistant",
            openai(r#"{"file_path":"src/a.rs"}"#),
            true,
            &["src/a.rs"],
        );
        check(
            "assistant",
            openai(r#"{"paths":["b.rs","c.rs","b.rs"]}"#),
            true,
            &["b.rs", "c.rs"],
        );
        check(
            "assistant",
            openai(r#"{"edits":[{"filePath":"d.rs","text":"path"}]}"#),
            true,
            &["d.rs"],
        );
        check(
            "assistant",
            json!({ "function_call": { "name": "x", "arguments": "{\"filename\":\"e.rs\"}" } }),
            true,
            &["e.rs"],
        );
        check(
            "assistant",
            json!({ "content": [{ "type": "tool_use", "input": { "path": "f.rs" } }] }),
            true,
            &["f.rs"],
        );
        check(
            "assistant",
            json!({ "content": [{ "type": "tool-call", "args": { "path": "g.rs" } }] }),
            true,
            &["g.rs"],
        );
    }

    #[test]
    fn what_a_tool_answered_is_not_looked_at() {
        check(
            "tool",
            json!({ "content": "x", "arguments": { "path": "a" } }),
            true,
            &[],
        );
        check(
            "user",
            json!({ "content": [{ "type": "tool_result", "input": { "path": "a" }, "content": { "path": "b" } }] }),
            true,
            &[],
        );
        check(
            "function",
            json!({ "content": "{\"path\":\"a\"}" }),
            true,
            &[],
        );
    }

    #[test]
    fn what_is_no_path_is_passed_over() {
        let key = ["sk", "-", "ab12cd34ef56gh78", "ij90kl12mn34op56"].concat();
        let long = "x".repeat(FILE_MAX_CHARS + 1);
        for path in [key.as_str(), long.as_str(), "", "two\nlines"] {
            let call = json!({ "tool_calls": [{ "function": { "arguments": { "path": path } } }] });
            check("assistant", call, true, &[]);
        }
        check("assistant", json!({ "tool_calls": [] }), false, &[]);
        check("assistant", json!({ "tool_calls": null }), false, &[]);
        check(
            "assistant",
            json!({ "tool_calls": [{ "function": { "arguments": "{not json" } }, 7] }),
            true,
            &[],
        );
        check(
            "user",
            json!({ "content": [{ "type": "text", "text": "path" }] }),
            false,
            &[],
        );
        let many: Vec<String> = (0..FILES_MAX + 9).map(|n| n.to_string()).collect();
        let mut found = Vec::new();
        let call = json!({ "tool_calls": [{ "function": { "arguments": { "files": many } } }] });
        files("assistant", &call, &mut found);
        assert_eq!(found.len(), FILES_MAX);
    }
}
