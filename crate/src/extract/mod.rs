//! Turn to candidates: the human's verbatim sentences and the signatures of tool failures.

pub mod failure;
