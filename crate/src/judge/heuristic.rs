//! The offline judge: no meaning, only signals. Conservative: a wrong memory governs every later session, a missed one is said again.

use crate::extract::Candidate;
use crate::judge::Judgement;
use crate::memory::{JudgeName, Type};
use crate::screen::Kept;

/// Added to every score, before any fit.
pub const PRIOR_BIAS: f64 = -1.6;

/// Added to every score.
pub const BIAS: f64 = -1.11;

/// Judges a kept candidate.
///
/// `importance = 1 / (1 + e^-(BIAS + Σ weight of the matched signals))`, and `remember` is the same number: this judge has one.
pub fn judge(_candidate: &Candidate, kept: &Kept) -> Judgement {
    let importance = importance(kept);
    Judgement {
        remember: importance,
        memory_type: memory_type(kept),
        importance,
        by: JudgeName::Heuristic,
        model: None,
    }
}

fn importance(kept: &Kept) -> f64 {
    let score: f64 = kept.signals.iter().map(|signal| signal.weight).sum();
    1.0 / (1.0 + (-(BIAS + score)).exp())
}

/// Returns the type with the most weight of kinds; a constraint when they are even.
fn memory_type(kept: &Kept) -> Type {
    let mut totals = [0.0f64; 3];
    for signal in &kept.signals {
        let Some(kind) = signal.kind.to_type() else {
            continue;
        };
        for (total, known) in totals.iter_mut().zip(Type::ALL) {
            if known == kind {
                *total += signal.weight.max(0.1);
            }
        }
    }
    let [constraint, pitfall, decision] = totals;
    if pitfall > constraint && pitfall >= decision {
        Type::Pitfall
    } else if decision > constraint {
        Type::Decision
    } else {
        Type::Constraint
    }
}
