//! Refusals: a candidate is kept, or vetoed with a reason.

pub mod secret;
