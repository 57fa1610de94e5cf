//! Typed, auditable long-term memory for coding agents: the core without IO.
//!
//! Data flows one way: turn, candidates, screened, judged, gated, related, committed, recalled. Each stage is a pure
//! function in its own file; [`engine`] holds the ports and calls the stages in order; `wasm` is a thin layer over it.
//!
//! Invariants:
//! - A memory's text is a verbatim cut of the human's words or a deterministic signature of a tool failure.
//! - Probabilities rank, thresholds in [`config`] decide.
//! - Nothing here panics on any input, and nothing here fails a turn.
//! - State changes only after the ledger's append returned.
//!
//! The modules stand in dependency order: a module imports only what stands above it.

pub mod error;
pub mod text;
pub mod memory;
pub mod config;
pub mod scope;
pub mod turn;
pub mod extract;
pub mod screen;
pub mod judge;
pub mod gate;
pub mod canonical;
pub mod rank;
pub mod conflict;
pub mod evaluate;
pub mod decide;
pub mod port;
pub mod store;
pub mod recall;
pub mod account;
#[cfg(not(target_arch = "wasm32"))]
pub mod fake;

pub mod engine;

#[cfg(target_arch = "wasm32")]
mod wasm;
