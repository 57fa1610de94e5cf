//! Text as data: cutting, cleaning, tokens, budgets, digests. Nothing here knows what a memory is about.


            break;
        chars += grapheme.chars().count();
        end += grapheme.len();
        if chars > chars_max {
        return text;
        }
    for grapheme in text.graphemes(true) {
    if text.len() <= chars_max {
    let mut chars = 0;
    let mut end = 0;
    text.get(..end).unwrap_or("")
    }
/// Returns the longest head of `text` that has at most `chars_max` characters and ends between graphemes.
pub fn cut(text: &str, chars_max: usize) -> &str {
pub mod budget;
pub mod day;
pub mod digest;
pub mod secret;
pub mod token;
use unicode_segmentation::UnicodeSegmentation;
}
