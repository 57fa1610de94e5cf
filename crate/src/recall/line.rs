//! One line a memory.

use super::harmless::harmless;
use crate::memory::Memory;
use crate::text::budget::estimate;
use crate::text::{block, cut};
use unicode_segmentation::UnicodeSegmentation;

/// A memory's text is cut to this many characters. Sentences have at most 400; hand-edited ones may have more.
const TEXT_CHARS_MAX: usize = 400;

/// Says that a text was cut.
const ELLIPSIS: &str = "…";

/// A text is not cut shorter than this: a few words tell nothing.
const TEXT_TOKENS_MIN: u32 = 12;

/// Returns any text in the form lines have: harmless, one line, at most 400 characters.
pub fn harmless_line(text: &str) -> String {
    let whole = harmless(text);
    let head = cut(&whole, TEXT_CHARS_MAX);
    if head.len() < whole.len() {
        format!("{}{ELLIPSIS}", head.trim_end())
    } else {
        whole
    }
}

/// Returns the memory's line for a day of ten characters, without a line feed; empty when there is nothing to show.
pub(super) fn line(memory: &Memory, canonical: bool, day: &str) -> String {
    let text = memory
        .canonical
        .as_deref()
        .filter(|_| canonical)
        .unwrap_or(&memory.text);
    let text = harmless_line(text);
    if text.is_empty() {
        return String::new();
    }
    let id = harmless_id(memory.id.as_str());
    let mut line = block::line_head(memory.memory_type.as_str(), &id, day);
    line.push_str(&text);
    line
}

/// Returns what the line and its line feed cost. Any day costs the same.
pub(super) fn line_tokens(memory: &Memory, canonical: bool) -> u32 {
    match line(memory, canonical, "0000-00-00") {
        line if line.is_empty() => 0,
        line => tokens_with_line_feed(&line),
    }
}

/// Returns the estimate of a line and its line feed.
pub fn tokens_with_line_feed(line: &str) -> u32 {
    estimate(line).saturating_add(1)
}

/// Cuts a line at graphemes so that it costs at most `room_tokens` with its line feed; none when too little is left of its text.
pub(super) fn fit(line: &str, room_tokens: u32) -> Option<String> {
    if tokens_with_line_feed(line) <= room_tokens {
        return Some(line.to_owned());
    }
    let head = line.find("] ").map_or(0, |at| at + 2);
    let head_tokens = estimate(line.get(..head)?);
    let mut ends: Vec<usize> = line
        .grapheme_indices(true)
        .map(|(at, _)| at)
        .filter(|at| *at > head)
        .collect();
    let mut candidate = String::new();
    while !ends.is_empty() {
        // The estimate grows with the head, so the longest that fits is found by halves.
        let fits = |end: &usize| {
            line.get(..*end).is_some_and(|head| {
                tokens_with_line_feed(&format!("{head}{ELLIPSIS}")) <= room_tokens
            })
        };
        let n_fitting = ends.partition_point(fits);
        let end = *ends.get(n_fitting.checked_sub(1)?)?;
        candidate = format!("{}{ELLIPSIS}", line.get(..end)?.trim_end());
        if tokens_with_line_feed(&candidate) <= room_tokens {
            break;
        }
        ends.truncate(n_fitting - 1);
    }
    (estimate(&candidate) >= head_tokens + TEXT_TOKENS_MIN).then_some(candidate)
}

/// Ids are ours unless a person edited the file: keep only what an id is made of.
fn harmless_id(id: &str) -> String {
    id.chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .take(40)
        .collect()
}
