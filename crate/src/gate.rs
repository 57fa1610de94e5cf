//! Thresholds turn a judgement into an admission or a refusal with its reason.

use crate::config::Config;
use crate::judge::Judgement;
use crate::memory::{JudgeName, Type};

/// The offline judge finds too little in it.
pub const BELOW_MIN_IMPORTANCE: &str = "below-min-importance";

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    Admit,
    /// With the reason code of the ledger's `skip` row.
    Refuse(&'static str),
}

/// Returns whether the judgement passes the thresholds of `config`.
///
/// Each threshold belongs to the judge it was measured for. What was admitted by its count or by the human's own request has
/// only its type checked.
pub fn gate(judgement: &Judgement, config: &Config) -> Gate {
    if !config.types.contains(&judgement.memory_type) {
        return Gate::Refuse(type_disabled(judgement.memory_type));
    }
    let (score, reason) = match judgement.by {
        JudgeName::Heuristic => (judgement.importance, BELOW_MIN_IMPORTANCE),
        JudgeName::Jev | JudgeName::Host => (judgement.remember, "below-min-remember"),
        JudgeName::Count | JudgeName::Request => return Gate::Admit,
    };
    // A score that is not a number is refused: no comparison with it is true.
    if score >= threshold(judgement.by, config) {
        Gate::Admit
    } else {
        Gate::Refuse(reason)
    }
}

/// Returns the threshold of the judge `by`; 0 for what needs no score.
pub fn threshold(by: JudgeName, config: &Config) -> f64 {
    match by {
        JudgeName::Heuristic => config.min_importance,
        JudgeName::Jev => config.min_remember,
        JudgeName::Host => config.min_remember_host,
        JudgeName::Count | JudgeName::Request => 0.0,
    }
}

fn type_disabled(memory_type: Type) -> &'static str {
    match memory_type {
        Type::Constraint => "type-disabled:constraint",
        Type::Pitfall => "type-disabled:pitfall",
        Type::Decision => "type-disabled:decision",
        Type::Fact => "type-disabled:fact",
        Type::Procedure => "type-disabled:procedure",
        _ => "type-disabled:derived",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(by: JudgeName, remember: f64, importance: f64, expected: Gate) {
        let judgement = Judgement {
            remember,
            memory_type: Type::Pitfall,
            importance,
            by,
            model: None,
            contradicts: None,
        };
        assert_eq!(gate(&judgement, &Config::default()), expected);
    }

    #[test]
    fn each_judge_has_its_own_threshold() {
        check(JudgeName::Heuristic, 0.0, 0.6, Gate::Admit);
        check(
            JudgeName::Heuristic,
            1.0,
            0.59,
            Gate::Refuse("below-min-importance"),
        );
        check(JudgeName::Jev, 0.6, 0.0, Gate::Admit);
        check(
            JudgeName::Jev,
            0.59,
            1.0,
            Gate::Refuse("below-min-remember"),
        );
        check(
            JudgeName::Host,
            0.69,
            1.0,
            Gate::Refuse("below-min-remember"),
        );
    }

    #[test]
    fn a_count_needs_no_score() {
        check(JudgeName::Count, 0.0, 0.0, Gate::Admit);
    }

    #[test]
    fn no_number_is_no_admission() {
        check(
            JudgeName::Jev,
            f64::NAN,
            f64::NAN,
            Gate::Refuse("below-min-remember"),
        );
    }

    #[test]
    fn a_type_can_be_switched_off() {
        let config = Config {
            types: vec![Type::Constraint],
            ..Config::default()
        };
        let judgement = Judgement {
            remember: 1.0,
            memory_type: Type::Pitfall,
            importance: 1.0,
            by: JudgeName::Count,
            model: None,
            contradicts: None,
        };
        assert_eq!(
            gate(&judgement, &config),
            Gate::Refuse("type-disabled:pitfall")
        );
    }
}
