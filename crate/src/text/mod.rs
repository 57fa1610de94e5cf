//! Text as data: cutting, cleaning, tokens, budgets, digests. Nothing here knows what a memory is about.

pub mod block;
pub mod clean;
pub mod day;
pub mod digest;
pub mod secret;
pub mod sentence;
pub mod window;

pub use jev_memory_rank::{budget, dot, form, json, lexicon, needles, order, sorted, token};

use unicode_segmentation::UnicodeSegmentation;

/// Returns the longest head of `text` that has at most `chars_max` characters and ends between graphemes.
pub fn cut(text: &str, chars_max: usize) -> &str {
    if text.len() <= chars_max {
        return text;
    }
    let mut chars = 0;
    let mut end = 0;
    for grapheme in text.graphemes(true) {
        chars += grapheme.chars().count();
        if chars > chars_max {
            break;
        }
        end += grapheme.len();
    }
    text.get(..end).unwrap_or("")
}
