//! Picks the one line of a tool's output that says what went wrong.
//!
//! Every line gets the rank of the strongest rule that matches it; the highest rank wins, and the first line among equals
//! (the last for a chain of causes). Rules are the rows of [`super::rules`]; what has a shape and not a word
//! (`file:line:col: message`, `SomeError: message`) is in [`super::shape`].

use super::locale;
use super::rules::{self, At, HOST_MARKS, LAST_RANKS, NPM_META, RULES, With};
use super::shape;
use crate::text::needles::Needles;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Bytes read at the beginning and at the end of an output: tools say what is wrong first or last.
const HEAD_BYTES: usize = 24 * 1024;
const TAIL_BYTES: usize = 40 * 1024;
/// Bytes of a line that are looked at.
const LINE_BYTES: usize = 1024;
/// Lines looked at for what belongs to the chosen one.
const NEAR_LINES: usize = 40;
/// Without any rule, an output of at most so many lines tells by its first.
const SHORT_LINES: usize = 5;
/// Diagnostics of a linter that make up one signature.
const LINTS_MAX: usize = 3;

/// The chosen line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    /// The line as it stood in the output, decoration included.
    pub quote: String,
    /// The line without decoration, with what belongs to it.
    pub line: String,
}

struct Line<'a> {
    raw: &'a str,
    is_indented: bool,
    /// In English, without indentation, decoration and time stamp.
    body: &'a str,
    rank: u8,
    with: With,
}

/// Returns the line of `text` that tells what went wrong; nothing when none does.
pub(super) fn choose(text: &str) -> Option<Told> {
    let window = window(text);
    let english = locale::to_english(&window);
    let mut lines = split(&window, &english);
    rank_by_rules(&mut lines);
    rank_by_shape(&mut lines);
    let mark = lines
        .iter()
        .rev()
        .take(NEAR_LINES)
        .find(|line| HOST_MARKS.iter().any(|mark| line.body.starts_with(mark)))
        .map(|line| line.body);
    let mut best: Option<(usize, u8)> = None;
    for (index, line) in lines.iter().enumerate() {
        let better = match best {
            None => line.rank > 0,
            Some((_, rank)) => line.rank > rank || line.rank == rank && LAST_RANKS.contains(&rank),
        };
        if better && mark != Some(line.body) {
            best = Some((index, line.rank));
        }
    }
    let index = match best {
        Some((index, _)) => Some(index),
        None if mark.is_none() => short_answer(&lines),
        None => None,
    };
    let told = index.and_then(|index| tell(&lines, index));
    match (mark, told) {
        (Some(mark), Some(told)) => Some(Told {
            line: format!("{mark} {}", told.line),
            quote: format!("{mark} {}", told.quote),
        }),
        (Some(mark), None) => Some(Told {
            line: mark.to_owned(),
            quote: mark.to_owned(),
        }),
        (None, told) => told,
    }
}

/// Returns at most `bytes_max` bytes of the beginning, cut at a character.
pub(super) fn head(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn tail(text: &str, bytes_max: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes_max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

/// Joins the bounded head and tail and takes out what a terminal would not show.
fn window(text: &str) -> Cow<'_, str> {
    let window = if text.len() <= HEAD_BYTES + TAIL_BYTES {
        Cow::Borrowed(text)
    } else {
        // The line torn at each cut is dropped: half a line would be a line of its own.
        let head = head(text, HEAD_BYTES);
        let head = head
            .rfind('\n')
            .and_then(|end| head.get(..end))
            .unwrap_or(head);
        let tail = tail(text, TAIL_BYTES);
        let tail = tail
            .find('\n')
            .and_then(|start| tail.get(start..))
            .unwrap_or(tail);
        Cow::Owned(format!("{head}\n{tail}"))
    };
    if window.contains(['\u{1b}', '\r', '\u{8}']) {
        Cow::Owned(shape::visible(&window))
    } else {
        window
    }
}

/// Pairs each line with its English.
fn split<'a>(window: &'a str, english: &'a str) -> Vec<Line<'a>> {
    window
        .lines()
        .zip(english.lines())
        .map(|(raw, english)| {
            let english = head(english.trim_end(), LINE_BYTES);
            Line {
                raw: head(raw.trim_end(), LINE_BYTES),
                is_indented: english.starts_with([' ', '\t']),
                body: shape::body(english),
                rank: 0,
                with: With::Nothing,
            }
        })
        .filter(|line| !line.body.is_empty() && !shape::is_host_line(line.body))
        .collect()
}

fn needles() -> &'static Needles {
    static NEEDLES: OnceLock<Needles> = OnceLock::new();
    NEEDLES.get_or_init(|| Needles::new(RULES.iter().map(|rule| rule.needle)))
}

fn rank_by_rules(lines: &mut [Line<'_>]) {
    let needles = needles();
    for line in lines {
        let mut muted = false;
        for found in needles.all(line.body.as_bytes()) {
            let Some(rule) = RULES.get(found.index) else {
                continue;
            };
            if rule.at == At::Start && found.start != 0 {
                continue;
            }
            muted |= rule.rank == 0;
            if rule.rank > line.rank
                || rule.rank == rules::SUMMARY && line.rank <= rules::TOOL && rule.at == At::Start
            {
                line.rank = rule.rank;
                line.with = rule.with;
            }
        }
        if muted {
            line.rank = 0;
        }
    }
}

fn rank_by_shape(lines: &mut [Line<'_>]) {
    let mut in_traceback = false;
    for line in lines {
        if line.body.starts_with("Traceback (most recent call last)") {
            in_traceback = true;
            line.rank = 0;
            continue;
        }
        if in_traceback {
            if line.is_indented || line.body.starts_with(['+', '|']) {
                line.rank = 0;
            } else {
                in_traceback = false;
                if line.rank < rules::RAISED {
                    line.rank = rules::RAISED;
                    line.with = With::Nothing;
                }
            }
            continue;
        }
        if let Some(rank) = shape::rank(line.body)
            && (rank > line.rank || rank == 0)
        {
            line.rank = rank;
            line.with = With::Nothing;
        }
    }
}

/// A short answer without any known word tells by its first line that has words.
fn short_answer(lines: &[Line<'_>]) -> Option<usize> {
    if lines.len() > SHORT_LINES {
        return None;
    }
    lines
        .iter()
        .position(|line| line.body.chars().filter(|c| c.is_alphabetic()).count() >= 4)
}

/// Puts the chosen line and what belongs to it together.
fn tell(lines: &[Line<'_>], index: usize) -> Option<Told> {
    let line = lines.get(index)?;
    let near = lines.get(index + 1..).unwrap_or_default();
    let near = near.get(..NEAR_LINES.min(near.len())).unwrap_or_default();
    let mut told = line
        .body
        .strip_prefix("[cause]: ")
        .unwrap_or(line.body)
        .to_owned();
    let second = match line.with {
        With::Nothing => None,
        With::Next => near.first().map(|line| line.body),
        With::After(start) => near
            .iter()
            .map(|line| line.body.trim_start_matches("[ERROR]").trim_start())
            .find(|body| body.starts_with(start)),
        With::Before(start) => lines
            .get(index.saturating_sub(NEAR_LINES)..index)
            .unwrap_or_default()
            .iter()
            .rev()
            .map(|line| line.body)
            .find(|body| body.starts_with(start)),
        With::Npm => near.iter().find_map(|line| {
            let rest = npm(line.body)?;
            (!rest.is_empty() && !NPM_META.iter().any(|meta| rest.starts_with(meta)))
                .then_some(rest)
        }),
    };
    if let Some(second) = second {
        told.push(' ');
        told.push_str(second);
    }
    if shape::is_lint(line.body) {
        let mut n_lints = 1;
        for other in near {
            if n_lints == LINTS_MAX {
                break;
            }
            if let Some(message) = shape::lint_message(other.body)
                && !told.contains(message)
            {
                told.push_str(" | ");
                told.push_str(message);
                n_lints += 1;
            }
        }
    } else if shape::is_eslint(line.body)
        && let Some(file) = lines
            .get(..index)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(NEAR_LINES)
            .map(|line| line.raw)
            .find(|raw| shape::is_path_line(raw))
    {
        told = format!("{file} {told}");
    }
    Some(Told {
        quote: line.raw.trim().to_owned(),
        line: told,
    })
}

fn npm(body: &str) -> Option<&str> {
    body.strip_prefix("npm ERR! ")
        .or_else(|| body.strip_prefix("npm error "))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_chooses_its_case_among_lines_that_only_count() {
        for rule in RULES.iter().filter(|rule| !rule.case.is_empty()) {
            let body = shape::body(rule.case);
            let at = body.find(rule.needle);
            assert!(
                at == Some(0) || rule.at == At::Any && at.is_some(),
                "{} is not in its case",
                rule.needle
            );
            let output = format!("> cart@1.0.0 build\n{}\nexit status 1", rule.case);
            let told = choose(&output).map(|told| told.quote);
            assert_eq!(told.as_deref(), Some(rule.case.trim()), "{}", rule.needle);
        }
    }
}
