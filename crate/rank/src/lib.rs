//! Lexical ranking by itself: texts become tokens, tokens an index, an index answers. And the cursor that opens a
//! store, and the estimate of what a line costs.
//!
//! A package of its own for one reason: it is the code a step of the agent waits for, so it is compiled for speed, while
//! the core around it is compiled for size (the profiles in `Cargo.toml` say so). Nothing here knows what a memory is.

pub mod fold;
pub mod form;
pub mod budget;
pub mod dot;
pub mod json;
pub mod lexicon;
pub mod needles;
pub mod order;
pub mod sorted;
pub mod token;
mod index;

pub use index::{DOCS_MAX, Explanation, Hit, Index, Relevance, TermScore, Weights};
