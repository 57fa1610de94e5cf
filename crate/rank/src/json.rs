//! JSON one field at a time, for what the store reads and writes by the thousand.
//!
//! A derived reader is compiled again for each type and builds a buffer for each string; a [`Reader`] is one cursor that
//! every type shares, and lends strings from the text where nothing is escaped. A [`Writer`] gives the bytes that
//! `serde_json` gives. What a reader does not know it passes over, as the derived ones did.

mod names;
mod read;
mod write;

pub use names::Names;
pub use read::{Fields, Malformed, Reader};
pub use write::Writer;

#[cfg(test)]
mod tests;
