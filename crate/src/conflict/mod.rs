//! The offline detector of contradictions: one subject with another value, or the opposite said of it.
//!
//! Precision first: a card about two rules that go well together costs a person's attention, a missed contradiction leaves two
//! rules of which the newer is shown beside the older. What the detector cannot tell it leaves alone.

mod align;
mod amount;
pub mod card;
mod compare;
pub mod embedding;
pub mod instruction;
mod reading;
mod subject;
mod topic;
mod words;

pub use compare::{Contradiction, Reason, compare, contradicts};
pub use reading::Reading;

/// The known sentence that a new one contradicts, by its place in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub at: usize,
    pub contradiction: Contradiction,
}

impl Contradiction {
    /// Returns whether the two sentences are one but for a value or a refusal, or the new one changes what is known: nothing else is left to doubt.
    pub fn is_certain(&self) -> bool {
        self.is_certain && matches!(self.reason, Reason::Value | Reason::Polarity)
    }
}

/// Returns whether a sentence says that something changes, and so speaks of what held before.
pub fn is_change(text: &str) -> bool {
    Reading::of(text).changes
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
    let known: Vec<Reading> = known.into_iter().map(Reading::of).collect();
    detect_in(&Reading::of(new), known.iter())
}

/// The same for sentences that were read already.
pub fn detect_in<'a>(new: &Reading, known: impl Iterator<Item = &'a Reading>) -> Option<Found> {
    let mut all: Vec<(Found, &Reading)> = Vec::new();
    let mut best = 0;
    for (at, old) in known.enumerate() {
        let Some(contradiction) = contradicts(new, old) else {
            continue;
        };
        let is_better = all
            .get(best)
            .is_some_and(|(found, _)| contradiction.score > found.contradiction.score);
        if is_better {
            best = all.len();
        }
        all.push((Found { at, contradiction }, old));
    }
    if best >= all.len() {
        return None;
    }
    let (found, old) = all.swap_remove(best);
    // A sentence that fits two different records equally well names neither, nor does one that says less than both.
    let (score, is_reduced) = (found.contradiction.score, found.contradiction.is_reduced);
    let is_vague = all.iter().any(|(Found { contradiction, .. }, other)| {
        let is_as_good =
            contradiction.score > score - TIE && contradiction.score < compare::CERTAIN;
        (is_as_good || (is_reduced && contradiction.is_reduced))
            && compare::differ_in_subject(old, other)
    });
    (!is_vague).then_some(found)
}

#[cfg(test)]
mod tests;
