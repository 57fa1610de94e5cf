//! Typed, auditable long-term memory for coding agents.

#[cfg(target_arch = "wasm32")]
mod wasm;
