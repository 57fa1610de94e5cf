//! An export: what is remembered, in a file that says what it is. JSON Lines to read in again, Markdown to read.

use super::phrase::export as say;
use super::{Page, one_line};
use crate::memory::{Memory, Millis, Origin, Status};
use crate::store::codec::checksum;
use crate::text::json::Writer;

/// Says what the file is.
pub const FORMAT: &str = "dsh-jev-memory-export";
/// The version this build writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// Where and when an export is made.
pub struct Made<'a> {
    pub at: Millis,
    pub origin: Option<&'a Origin>,
    pub package: &'a str,
}

/// Returns the records, one a line.
pub fn lines(memories: &[&Memory]) -> Vec<u8> {
    let mut out = Vec::new();
    for memory in memories {
        memory.write(&mut out);
        out.push(b'\n');
    }
    out
}

/// Returns the whole file as JSON Lines: a header with the digest of all that follows it, then `lines`.
pub fn json_lines(made: &Made<'_>, lines: &[u8], n_memories: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(lines.len() + 256);
    let mut writer = Writer::object(&mut out);
    writer
        .text("format", FORMAT)
        .whole("v", VERSION.into())
        .text("package", made.package)
        .text("origin", made.origin.map_or("", Origin::as_str))
        .signed("at", made.at.0)
        .whole("memories", n_memories as u64)
        .text("digest", &checksum(lines));
    writer.end();
    out.push(b'\n');
    out.extend_from_slice(lines);
    out
}

/// Adds the export as Markdown to the page: by scope, then by status, with the digest of the same records as JSON Lines.
pub fn markdown(made: &Made<'_>, memories: &[&Memory], digest: &str, page: &mut Page<'_>) {
    let n = memories.len().to_string();
    let at = page.times.minute(made.at);
    let version = VERSION.to_string();
    page.say(&say::HEADING, &[]);
    page.gap();
    let origin = made.origin.map_or("–", Origin::as_str);
    page.say(
        &say::ABOUT,
        &[FORMAT, &version, made.package, origin, &at, &n, digest],
    );
    let mut sorted = memories.to_vec();
    crate::text::order::sort_by(&mut sorted, |a, b| {
        (&a.scope, order(a.status), a.memory_type, a.source.at, &a.id).cmp(&(
            &b.scope,
            order(b.status),
            b.memory_type,
            b.source.at,
            &b.id,
        ))
    });
    let mut above: Option<&Memory> = None;
    for memory in sorted {
        if above.is_none_or(|above| above.scope != memory.scope) {
            page.gap();
            page.line(&format!("## {}", memory.scope));
        }
        if above.is_none_or(|above| above.scope != memory.scope || above.status != memory.status) {
            page.gap();
            let status = page.status(memory.status);
            page.line(&format!("### {status}"));
            page.gap();
        }
        let line = page.memory(memory);
        page.line(&format!("- {line}"));
        if memory.source.quote != *memory.text {
            page.line(&format!("  > {}", one_line(&memory.source.quote)));
        }
        above = Some(memory);
    }
}

fn order(status: Status) -> u8 {
    match status {
        Status::Active => 0,
        Status::NeedsReview => 1,
        Status::Superseded => 2,
        Status::Archived => 3,
    }
}
