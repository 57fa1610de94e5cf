//! Judgement: labels and probabilities for one candidate. There is no field that could carry a sentence.

pub mod heuristic;

use crate::memory::{JudgeName, Type};

/// What a judge says of one candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// How likely it is worth remembering, 0..=1. Compared only with the threshold of the judge that gave it.
    pub remember: f64,
    pub memory_type: Type,
    /// How much it should weigh in recall, 0..=1.
    pub importance: f64,
    pub by: JudgeName,
    /// The answering model's version, where a model answered.
    pub model: Option<String>,
}
