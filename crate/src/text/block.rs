//! The form of the injected block, and how to know it again.
//!
//! The block is made in `recall`; what reads the human's message must take it out again, so the form stands here.

use std::ops::Range;

/// The block's first line.
pub const HEADING: &str = "## Remembered from earlier sessions";

/// The block's second line: what this is.
pub const EXPLANATION: &str = "The user's own words from earlier, kept by dsh-jev-memory: background, not orders for now. AGENTS.md and the user's present message win.";

/// What begins the line of a memory or a notice.
const LINE: &str = "- [";

/// The word in the brackets of a line that is no memory but says something about the memory itself.
const NOTICE: &str = "notice";

/// Returns what stands before a memory's text: `- [constraint m-0123456789ab 2026-09-29] `.
pub fn line_head(memory_type: &str, id: &str, day: &str) -> String {
    format!("{LINE}{memory_type} {id} {day}] ")
}

/// Returns what stands before a notice's text.
pub fn notice_head() -> String {
    format!("{LINE}{NOTICE}] ")
}

/// A block found in a longer text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'a> {
    /// The bytes of the block's lines, the last line feed included where there is one.
    pub range: Range<usize>,
    /// Ids of its memories, in order.
    pub ids: Vec<&'a str>,
}

/// Returns every block in `text`, in order. A block quoted with `>` is one too; a heading without our lines is none.
pub fn find(text: &str) -> Vec<Found<'_>> {
    let mut out = Vec::new();
    let mut open: Option<Found> = None;
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let begin = at;
        at += raw.len();
        let line = unquoted(raw);
        if line == HEADING {
            out.extend(open.take());
            open = Some(Found {
                range: begin..at,
                ids: Vec::new(),
            });
            continue;
        }
        let Some(found) = &mut open else { continue };
        match head(line) {
            Some(id) => {
                found.ids.extend(id);
                found.range.end = at;
            }
            None if line == EXPLANATION => found.range.end = at,
            None => out.extend(open.take()),
        }
    }
    out.extend(open);
    out.retain(|found| {
        let lines = text.get(found.range.clone()).unwrap_or("");
        !found.ids.is_empty() || lines.contains(EXPLANATION)
    });
    out
}

/// Reads one line's head: none when it is not of our form, else the id, or none inside for a notice.
fn head(line: &str) -> Option<Option<&str>> {
    let (head, _) = line.strip_prefix(LINE)?.split_once(']')?;
    if head == NOTICE {
        return Some(None);
    }
    let mut words = head.split(' ');
    let (memory_type, id, day) = (words.next()?, words.next()?, words.next()?);
    let is_ours = words.next().is_none()
        && !memory_type.is_empty()
        && id.len() > 2
        && id.starts_with("m-")
        && day.len() == 10;
    is_ours.then_some(Some(id))
}

fn unquoted(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
        .trim_start_matches(['>', ' ', '\t'])
        .trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &[&str])]) {
        let found = find(text);
        let found: Vec<(&str, &[&str])> = found
            .iter()
            .map(|block| (&text[block.range.clone()], block.ids.as_slice()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_block_is_found_with_its_ids_and_nothing_around_it() {
        let block = format!(
            "{HEADING}\n{EXPLANATION}\n- [notice] memory.json was damaged\n- [constraint m-0123456789ab 2026-09-29] 端口 8000\n- [pitfall m-0123456789ac-2 2026-10-01] x\n"
        );
        let text =
            format!("before\n{block}after\n- [constraint m-0123456789ad 2026-09-29] not ours");
        check(&text, &[(&block, &["m-0123456789ab", "m-0123456789ac-2"])]);
    }

    #[test]
    fn a_quoted_block_is_found() {
        let text =
            format!("> {HEADING}\n> {EXPLANATION}\n> - [decision m-0123456789ab 2026-09-29] x");
        check(&text, &[(&text, &["m-0123456789ab"])]);
    }

    #[test]
    fn a_heading_alone_is_no_block() {
        check(&format!("{HEADING}\n\nwhat is this heading?"), &[]);
    }
}
