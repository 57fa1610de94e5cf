//! Text as a scanner should see it: half-width, plain quotes and dashes, nothing invisible. Every byte knows where it came from.

use std::borrow::Cow;
use std::ops::Range;

/// A folded text and the way back.
pub struct Folded<'a> {
    pub text: Cow<'a, str>,
    /// For each byte of `text` the byte of the original, and one more for the end. Empty when nothing was changed.
    starts: Vec<u32>,
}

impl Folded<'_> {
    /// Returns the bytes of the original that `span` stands for.
    pub fn original(&self, span: Range<usize>) -> Range<usize> {
        if self.starts.is_empty() {
            return span;
        }
        let at = |index: usize| {
            self.starts
                .get(index)
                .or(self.starts.last())
                .map_or(0, |&start| start as usize)
        };
        at(span.start)..at(span.end)
    }
}

/// Folds `text`. Texts over 4 GiB are not folded.
pub fn fold(text: &str) -> Folded<'_> {
    if text.is_ascii()
        || u32::try_from(text.len()).is_err()
        || !text.chars().any(|c| !is_plain(c) && folded(c) != Some(c))
    {
        return Folded {
            text: Cow::Borrowed(text),
            starts: Vec::new(),
        };
    }
    let mut out = String::with_capacity(text.len());
    let mut starts = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices() {
        if let Some(c) = if is_plain(c) { Some(c) } else { folded(c) } {
            out.push(c);
            // The end of a span is the start of what follows, so an invisible character behind a secret goes with it.
            starts.resize(out.len(), u32::try_from(at).unwrap_or(u32::MAX));
        }
    }
    starts.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
    Folded {
        text: Cow::Owned(out),
        starts,
    }
}

/// Characters that read as themselves, told at a glance: ASCII and Han.
fn is_plain(c: char) -> bool {
    c < '\u{80}' || ('\u{3400}'..='\u{9fff}').contains(&c)
}

/// Returns what a character reads as; nothing for an invisible one.
fn folded(c: char) -> Option<char> {
    Some(match c {
        '\0'..='\u{7f}' => c,
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' => {
            return None;
        }
        '\u{a0}' | '\u{3000}' | '\u{2000}'..='\u{200a}' => ' ',
        '“' | '”' | '„' | '「' | '」' | '『' | '』' | '«' | '»' => '"',
        '‘' | '’' | '‹' | '›' => '\'',
        '‐' | '‑' | '–' | '—' | '−' => '-',
        '【' => '[',
        '】' => ']',
        '《' | '〈' => '<',
        '》' | '〉' => '>',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ => c,
    })
}
