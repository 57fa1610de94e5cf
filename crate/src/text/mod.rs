//! Text as data: cutting, cleaning, tokens, budgets, digests. Nothing here knows what a memory is about.

pub mod digest;
pub mod secret;
