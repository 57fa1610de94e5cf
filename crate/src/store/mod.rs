//! The record and the state folded from it.

pub mod entry;
