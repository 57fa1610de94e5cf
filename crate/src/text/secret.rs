//! Finds credentials in text, so that none reaches disk, card or judge.
//!
//! Four scans in two passes over the text: keys with a vendor's prefix, secrets known by what carries them (locations,
//! headers, blocks), secrets somebody named (`… 口令是 …`), and random runs without name or prefix. They read the text
//! half-width and without invisible characters. Missing a credential costs more than refusing a sentence, but the refusals
//! are narrow: commit hashes, digests with their name, identifiers and the bare word 密码 are no credentials.

mod accept;
mod carrier;
mod lone;
mod name;
mod named;
mod tied;
mod value;
#[cfg(test)]
mod tests;
mod vendor;

use crate::text::needles::{Needle, Needles};
use crate::text::order;
use jev_memory_rank::fold;
use std::ops::Range;
use std::sync::OnceLock;

/// What stands where a secret stood.
pub const MARKER: &str = "⟦secret⟧";

/// Scans repeated until nothing is found: a marker can bring a name and a second value together.
const PASSES_MAX: usize = 4;

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The kebab-case name of the rule that found it.
    pub rule: &'static str,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// A finding in the folded text.
struct Found {
    rule: &'static str,
    start: usize,
    end: usize,
}

/// Returns the first credential of `text`, or the first [`MARKER`] left by [`redact`] (rule `redacted`).
pub fn find(text: &str) -> Option<Secret> {
    let first = all(text).into_iter().next();
    let may_mark = text.contains('⟦');
    let marker = may_mark
        .then(|| text.find(MARKER))
        .flatten()
        .map(|start| Secret {
            rule: "redacted",
            span: start..start + MARKER.len(),
        });
    first.or(marker)
}

/// Returns the bytes of every credential of `text`, ascending, apart from each other.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    all(text).into_iter().map(|secret| secret.span).collect()
}

/// Returns whether `text` holds a credential, or the mark of a removed one.
pub fn contains(text: &str) -> bool {
    find(text).is_some()
}

/// Returns `message` with [`MARKER`] for each credential, and how many there were.
///
/// Runs over a whole message before it is cut into sentences: a key split over lines is removed as one, so neither half
/// can become a sentence of its own. A sentence that holds the marker is refused by [`find`]. Idempotent.
pub fn redact(message: &str) -> (String, usize) {
    let mut out = message.to_owned();
    let mut n_secrets = 0;
    for _ in 0..PASSES_MAX {
        let spans = spans(&out);
        if spans.is_empty() {
            break;
        }
        n_secrets += spans.len();
        out = replace(&out, &spans);
    }
    (out, n_secrets)
}

fn replace(text: &str, spans: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for span in spans {
        out.push_str(text.get(end..span.start).unwrap_or_default());
        out.push_str(MARKER);
        end = span.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

/// Every prefix, mark and word of the three tables, in this order, in one automaton: the text is read once.
fn needles() -> &'static Needles {
    static NEEDLES: OnceLock<Needles> = OnceLock::new();
    NEEDLES.get_or_init(|| {
        let prefixes = vendor::ROWS.iter().map(|row| row.prefix);
        let marks = carrier::ROWS.iter().map(|row| row.mark);
        let words = name::ROWS.iter().map(|row| row.word);
        let all: Vec<String> = prefixes
            .chain(marks)
            .chain(words)
            .map(str::to_ascii_lowercase)
            .collect();
        Needles::new(all.iter().map(String::as_str))
    })
}

/// Returns every credential, ascending; findings that touch are one, under the name of the first.
fn all(text: &str) -> Vec<Secret> {
    let folded = fold::fold(text);
    let text = folded.text.as_ref();
    let mut found = Vec::new();
    let mut keys = vendor::Scan::default();
    let mut carried = carrier::Scan::default();
    let mut named = named::Scan::default();
    for Needle { index, start, end } in needles().all_in_any_case(text) {
        let marks = vendor::ROWS.len();
        let words = marks + carrier::ROWS.len();
        if let Some(row) = vendor::ROWS.get(index) {
            keys.read(text, row, start, end, &mut found);
        } else if let Some(row) = index
            .checked_sub(marks)
            .and_then(|index| carrier::ROWS.get(index))
        {
            carried.read(text, row, start, end, &mut found);
        } else if let Some(row) = index
            .checked_sub(words)
            .and_then(|index| name::ROWS.get(index))
        {
            named.read(text, row, start, end, &mut found);
        }
    }
    lone::scan(text, &mut found);
    order::sort_by(&mut found, |a, b| {
        a.start
            .cmp(&b.start)
            .then(b.end.cmp(&a.end))
            .then(a.rule.cmp(b.rule))
    });
    let mut out: Vec<Secret> = Vec::with_capacity(found.len());
    for Found { rule, start, end } in found {
        let span = folded.original(start..end);
        match out.last_mut() {
            Some(last) if span.start <= last.span.end => {
                last.span.end = last.span.end.max(span.end)
            }
            _ => out.push(Secret { rule, span }),
        }
    }
    out
}

/// Limits how often one run of characters is read: `key=key=key=…` holds many names and one value.
#[derive(Default)]
struct Tries {
    run_end: usize,
    n_tries: u32,
}

impl Tries {
    const MAX: u32 = 12;

    /// Returns whether what begins at `start`, in a run that is read up to `run_end`, may be read.
    fn allow(&mut self, start: usize, run_end: usize) -> bool {
        if start >= self.run_end {
            self.n_tries = 0;
        }
        self.run_end = self.run_end.max(run_end);
        self.n_tries += 1;
        self.n_tries <= Self::MAX
    }
}

/// Returns at most `bytes_max` bytes of the beginning, cut at a character.
fn head(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Whether the character before `start` belongs to the same word.
fn follows_word(text: &str, start: usize) -> bool {
    start
        .checked_sub(1)
        .and_then(|at| text.as_bytes().get(at))
        .is_some_and(|&b| is_word_byte(b))
}

/// Whether a byte goes on with a word or a key.
fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}
