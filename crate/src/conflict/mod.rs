//! The offline detector of contradictions: one subject with another value, or the opposite said of it.
//!
//! Precision first: a card about two rules that go well together costs a person's attention, a missed contradiction leaves two
//! rules of which the newer is shown beside the older. What the detector cannot tell it leaves alone.

mod align;
pub mod card;
mod compare;
pub mod embedding;
pub mod instruction;
mod reading;
mod words;

use compare::contradicts;
pub use compare::{Contradiction, Reason, compare};
use reading::Reading;

/// The known sentence that a new one contradicts, by its place in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub at: usize,
    pub contradiction: Contradiction,
}

impl Contradiction {
    /// Returns whether the two sentences are one but for a value or a refusal: nothing else is left to doubt.
    pub fn is_certain(&self) -> bool {
        self.score >= compare::CERTAIN && matches!(self.reason, Reason::Value | Reason::Polarity)
    }
}

/// Returns whether a sentence says that it holds for this once. "Now" says the opposite: what held before holds no longer.
pub fn is_passing(text: &str) -> bool {
    let text = text.to_lowercase();
    words::PASSING.iter().any(|word| text.contains(word))
}

/// Contradictions this close to the best one are as good.
const TIE: f64 = 0.02;

/// Returns the one of `known` that `new` contradicts. The best-ranked of equals, unless they are about different things.
pub fn detect<'a>(new: &str, known: impl IntoIterator<Item = &'a str>) -> Option<Found> {
    let reading = Reading::of(new);
    let mut best: Option<(Found, &str)> = None;
    let mut rival: Option<(f64, &str)> = None;
    for (at, old) in known.into_iter().enumerate() {
        let Some(contradiction) = contradicts(&reading, old) else {
            continue;
        };
        let score = contradiction.score;
        match &best {
            Some((found, _)) if score <= found.contradiction.score => {
                if rival.is_none_or(|(known, _)| score > known) {
                    rival = Some((score, old));
                }
            }
            _ => {
                rival = best
                    .take()
                    .map(|(found, old)| (found.contradiction.score, old));
                best = Some((Found { at, contradiction }, old));
            }
        }
    }
    let (found, old) = best?;
    // A sentence that fits two different records equally well names neither.
    let is_vague = rival.is_some_and(|(score, other)| {
        score > found.contradiction.score - TIE
            && score < compare::CERTAIN
            && compare::differ_in_subject(old, other)
    });
    (!is_vague).then_some(found)
}

#[cfg(test)]
mod tests;
