//! The offline judge: no meaning, only signals. Conservative: a wrong memory governs every later session, a missed one is said again.

use crate::extract::Candidate;
use crate::judge::Judgement;
use crate::memory::{JudgeName, Type};
use crate::screen::{self, Kept};
use std::sync::OnceLock;

/// Added to every score, before any fit.
pub const PRIOR_BIAS: f64 = -1.6;

/// Added to every score.
///
/// # Source
/// `eval/fit.ts` over 516 labelled sentences of 44 sources, 2026-11-30: set so that the default `minImportance` finds 0.47 of
/// the sentences worth keeping in sources that the fit did not see; 0.80 of what it then writes is right (0.68 of what people typed to an agent).
pub const BIAS: f64 = -0.95;

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
        contradicts: None,
    }
}

fn importance(kept: &Kept) -> f64 {
    let score: f64 = kept.signals.iter().map(|signal| signal.weight).sum();
    1.0 / (1.0 + (-(BIAS + score)).exp())
}

/// What a signal says about the type, apart from whether the sentence lasts. In order of id.
///
/// # Source
/// Set by hand; 0.79 of 104 labelled sentences of other people and 0.86 of 81 of our own get the type they were labelled with,
/// 2026-11-30. Of the rest most are choices worded as rules, where two readers differ too.
const VOTES: &[(&str, Type, f64)] = &[
    ("clean-choice", Type::Decision, 0.5),
    ("en-all", Type::Constraint, 0.3),
    ("en-always", Type::Constraint, 1.0),
    ("en-because", Type::Pitfall, 0.4),
    ("en-env", Type::Decision, 0.2),
    ("en-if", Type::Pitfall, 0.3),
    ("en-made-of", Type::Decision, 1.0),
    ("en-must", Type::Constraint, 1.0),
    ("en-only", Type::Constraint, 0.5),
    ("en-prefer", Type::Constraint, 1.0),
    ("en-prohibit", Type::Constraint, 1.0),
    ("en-rule-noun", Type::Constraint, 0.5),
    ("en-standing", Type::Constraint, 1.0),
    ("en-trap", Type::Pitfall, 1.6),
    ("en-we-use", Type::Decision, 1.2),
    ("en-we-want", Type::Decision, 1.2),
    ("labelled", Type::Constraint, 1.0),
    ("shouts", Type::Constraint, 0.3),
    ("tech", Type::Decision, 0.6),
    ("tech-label", Type::Decision, 0.6),
    ("tech-list", Type::Decision, 0.9),
    ("under-rules", Type::Constraint, 1.0),
    ("under-traps", Type::Pitfall, 2.0),
    ("zh-all", Type::Constraint, 0.3),
    ("zh-always", Type::Constraint, 1.0),
    ("zh-because", Type::Pitfall, 0.3),
    ("zh-choose", Type::Decision, 0.8),
    ("zh-env", Type::Decision, 0.2),
    ("zh-must", Type::Constraint, 0.8),
    ("zh-prefer", Type::Constraint, 1.0),
    ("zh-prohibit", Type::Constraint, 1.0),
    ("zh-rule-noun", Type::Constraint, 0.6),
    ("zh-standing", Type::Constraint, 1.0),
    ("zh-trap", Type::Pitfall, 1.3),
    ("zh-use", Type::Decision, 0.5),
    ("zh-use-start", Type::Decision, 0.3),
];

/// Signals without which nothing is a pitfall: a reason alone is none.
const TRAPS: &[&str] = &["under-traps", "en-trap", "zh-trap"];

/// What a row says about the type, and whether it is a trap.
type Vote = (Option<(Type, f64)>, bool);

/// The votes by the place of the row: each row is looked up once, not at every sentence.
fn votes() -> &'static [Vote] {
    static BY_ROW: OnceLock<Vec<Vote>> = OnceLock::new();
    BY_ROW.get_or_init(|| {
        let vote = |id: &str| VOTES.iter().find(|(known, _, _)| *known == id);
        screen::rows()
            .map(|id| (vote(id).map(|row| (row.1, row.2)), TRAPS.contains(&id)))
            .collect()
    })
}

/// Returns the type with the most votes: a pitfall over an even choice, a constraint over both.
fn memory_type(kept: &Kept) -> Type {
    let (mut constraint, mut pitfall, mut decision) = (0.0, 0.0, 0.0);
    let mut trap = false;
    let votes = votes();
    for signal in &kept.signals {
        let Some((vote, is_trap)) = votes.get(signal.row) else {
            continue;
        };
        trap |= is_trap;
        match vote {
            Some((Type::Constraint, vote)) => constraint += vote,
            Some((Type::Pitfall, vote)) => pitfall += vote,
            Some((Type::Decision, vote)) => decision += vote,
            _ => {}
        }
    }
    if trap && pitfall > constraint && pitfall >= decision {
        Type::Pitfall
    } else if decision > constraint {
        Type::Decision
    } else {
        Type::Constraint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::{compound, shape, signal, signals_of};

    fn check(text: &str, expected: Type) {
        let kept = Kept {
            signals: signals_of(&Candidate::alone(text)),
        };
        assert_eq!(memory_type(&kept), expected, "{text}");
    }

    #[test]
    fn each_vote_belongs_to_a_signal_and_they_are_in_order() {
        assert!(VOTES.is_sorted_by_key(|(id, _, _)| id));
        for (id, _, _) in VOTES {
            assert!(
                signal::all().any(|row| row.id == *id)
                    || shape::SHAPES.iter().any(|row| row.id == *id)
                    || compound::COMPOUNDS.iter().any(|row| row.id == *id),
                "{id}"
            );
        }
    }

    #[test]
    fn a_rule_a_choice_and_a_trap_are_told_apart() {
        check("以后提交信息一律用英文", Type::Constraint);
        check("Never force-push a shared branch", Type::Constraint);
        check("后端改用 Go，缓存用 Redis", Type::Decision);
        check("We switched to Vite and Vitest", Type::Decision);
        check("这个库在 arm 上会崩溃", Type::Pitfall);
        check("The installer hangs without a terminal", Type::Pitfall);
    }
}
