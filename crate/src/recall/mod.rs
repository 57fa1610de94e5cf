//! What the model sees: a few memories chosen for one turn, in a block whose bytes change only when the choice does.
//!
//! [`select`] decides, [`render`] writes. Both are synchronous and pure.

mod harmless;
mod line;
pub mod render;
pub mod select;
pub mod shortlist;

pub use line::{harmless_line, tokens_with_line_feed};
pub use render::{Block, Form, ids_in_block, overhead_tokens, render};
pub use select::{Candidate, Occasion, Selection, select};
pub use shortlist::Deck;

#[cfg(test)]
mod tests;
