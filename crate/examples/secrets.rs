//! Reads texts as JSON lines and prints each line that holds a credential, with the rule and what it found.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use jev_memory_core::text::secret;
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let Ok(row) = serde_json::from_str::<serde_json::Value>(&line) else {
            continue;
        };
        let text = row
            .get("text")
            .and_then(|value| value.as_str())
            .unwrap_or_default();
        if let Some(found) = secret::find(text) {
            let row = serde_json::json!({"id": row.get("id"), "rule": found.rule, "found": text.get(found.span), "text": text});
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}
