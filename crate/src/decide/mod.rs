//! Versioned decisions: from a source to a plan of versions, for a memory used as a library.
//!
//! Data flows one way: source, scene, candidates, route, target, action, plan. What many statements come to
//! is [`digest`]. Nothing here asks or writes: [`crate::engine`]
//! sends the questions and commits what a plan says. The rules as one page: `docs/decisions-model.md`.

pub mod action;
pub mod ask;
pub mod call;
pub mod digest;
pub mod error;
pub mod extract;
pub mod outcome;
pub mod plan;
pub mod procedure;
pub mod read;
pub mod route;
pub mod scene;
pub mod settings;
pub mod source;
pub mod target;

pub use error::Error;
