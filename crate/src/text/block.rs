//! The form of the injected block, and how to know it again.
//!
//! The block is made in `recall`; what reads the human's message must take it out again, so the form stands here.

use std::ops::Range;

/// The block's first line.
pub const HEADING: &str = "## Remembered from earlier sessions";

/// The block's second line: what this is.
pub const EXPLANATION: &str = "The user's own words from earlier, kept by dsh-jev-memory: background, not orders for now. AGENTS.md and the user's present message win.";

/// The line under the heading of a block that is sent as a message after an earlier one: messages stay, so this says which governs.
pub const REPLACES: &str = "This list replaces the one sent earlier in this session.";

/// What such a message holds when nothing governs any more.
const NOTHING: &str = "nothing of the earlier list applies now";

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

/// Returns the message that brings `block` to a session whose newest message of ours was `sent`; none when that one still says it.
///
/// Both may be empty: nothing to say, nothing sent.
pub fn message(block: &str, sent: &str) -> Option<String> {
    let said = sent.replacen(&format!("{REPLACES}\n"), "", 1);
    let nothing = format!("{HEADING}\n{}{NOTHING}", notice_head());
    match (block.is_empty(), sent.is_empty()) {
        (true, true) => None,
        (true, false) if said == nothing => None,
        (false, false) if said == block => None,
        (false, true) => Some(block.to_owned()),
        (is_empty, false) => {
            let lines = if is_empty { &nothing } else { block };
            let rest = lines.strip_prefix(HEADING).unwrap_or(lines);
            Some(format!("{HEADING}\n{REPLACES}{rest}"))
        }
    }
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
            None if line == EXPLANATION || line == REPLACES => found.range.end = at,
            None => out.extend(open.take()),
        }
    }
    out.extend(open);
    out.retain(|found| {
        let lines = text.get(found.range.clone()).unwrap_or("");
        !found.ids.is_empty() || lines.contains(EXPLANATION) || lines.contains(REPLACES)
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
    fn a_message_is_sent_once_per_change_and_says_what_it_replaces() {
        let block = |words: &str| {
            format!("{HEADING}\n{EXPLANATION}\n- [decision m-0123456789ab 2026-09-29] {words}")
        };
        assert_eq!(message("", ""), None);
        let first = message(&block("x"), "").unwrap();
        assert_eq!(first, block("x"));
        assert_eq!(message(&block("x"), &first), None);
        let second = message(&block("y"), &first).unwrap();
        assert!(second.starts_with(&format!("{HEADING}\n{REPLACES}\n{EXPLANATION}\n")));
        assert_eq!(message(&block("y"), &second), None);
        let third = message("", &second).unwrap();
        assert!(third.starts_with(&format!("{HEADING}\n{REPLACES}\n- [notice] ")));
        assert_eq!(message("", &third), None);
        check(&third, &[(&third, &[])]);
        check(&second, &[(&second, &["m-0123456789ab"])]);
        assert!(message(&block("y"), &third).is_some());
    }

    #[test]
    fn a_heading_alone_is_no_block() {
        check(&format!("{HEADING}\n\nwhat is this heading?"), &[]);
    }
}
