//! Lexical ranking: BM25 over packed postings. One index serves recall, search and the conflict question.
//!
//! The code is the package `jev-memory-rank` in `crate/rank`, which is compiled for speed.

pub use jev_memory_rank::{DOCS_MAX, Explanation, Hit, Index, Relevance, TermScore, Weights};
