//! Reads failure texts as JSON lines (`id`, `tool`, `text`) and prints `id` and `signature` as JSON lines.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(row) = serde_json::from_str::<serde_json::Value>(&line?) else {
            continue;
        };
        let field = |name: &str| {
            row.get(name)
                .and_then(|value| value.as_str())
                .unwrap_or_default()
        };
        let tool = std::env::var("TOOL").unwrap_or_else(|_| field("tool").to_owned());
        if let Some(signature) = jev_memory_core::extract::failure::signature(&tool, field("text"))
        {
            let row = serde_json::json!({"id": field("id"), "signature": signature});
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}
