//! Judgement: labels and probabilities for one candidate. There is no field that could carry a sentence.
//!
//! [`heuristic`] answers offline. [`jev`] and [`host`] build what a judge that reads is asked and check what it answers;
//! they send nothing themselves. The wording of every question is in [`questions`].

pub mod heuristic;
pub mod host;
pub mod jev;
pub mod ordered;
pub mod questions;

use crate::memory::{JudgeName, MemoryId, Type};

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
    /// The known memory it contradicts, where a judge that reads named one. Not yet compared with any threshold.
    pub contradicts: Option<Contradicts>,
}

/// A known memory that a candidate is said to contradict.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradicts {
    pub id: MemoryId,
    /// Probability of the chosen option, 0..=1; 1 from a judge that gives labels only.
    pub confidence: f64,
    pub by: JudgeName,
}

/// What a judge that reads is shown of one candidate. Every text in it is data to that judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Asked {
    /// The candidate's cleaned text.
    pub text: String,
    /// What the human typed right before and after it, secrets taken out.
    pub before: String,
    pub after: String,
    /// Known memories it may contradict, the nearest first. Empty: that question is not asked.
    pub known: Vec<Known>,
}

/// A memory that is known already.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub id: MemoryId,
    pub text: String,
}

/// What a judge that reads answered about one candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// How likely it is worth remembering, 0..=1.
    pub remember: f64,
    /// None when the judge found that no type fits.
    pub memory_type: Option<Type>,
    /// The place in [`Asked::known`] of what it contradicts, and how sure that is, 0..=1.
    pub contradicts: Option<(usize, f64)>,
}

/// Why a candidate has no answer: a stable code of the ledger, and a line for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub cause: &'static str,
    pub detail: String,
}

impl Fault {
    /// Makes a fault.
    pub fn new(cause: &'static str, detail: impl Into<String>) -> Self {
        Self {
            cause,
            detail: detail.into(),
        }
    }
}

/// What a call cost, as far as it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub requests: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl Usage {
    /// Adds another call's cost.
    pub fn add(&mut self, other: Usage) {
        self.requests = self.requests.saturating_add(other.requests);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// Turns an answer into a judgement; `fallback` gives the type where none fitted.
pub fn judgement(
    answer: &Answer,
    asked: &Asked,
    by: JudgeName,
    model: &str,
    fallback: Type,
) -> Judgement {
    Judgement {
        remember: answer.remember,
        memory_type: answer.memory_type.unwrap_or(fallback),
        importance: answer.remember,
        by,
        model: Some(model.to_owned()),
        contradicts: answer.contradicts.and_then(|(place, confidence)| {
            asked.known.get(place).map(|known| Contradicts {
                id: known.id.clone(),
                confidence,
                by,
            })
        }),
    }
}
