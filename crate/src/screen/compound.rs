//! Signals that speak only together: a table over the rows of the lexicon.

use super::lexicon::Hits;
use super::reading::Reading;
use super::signal::{Kind, all};

/// The rows of each kind that matched.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sides {
    pub rules: u32,
    pub choices: u32,
    pub traps: u32,
    pub support: u32,
    pub passing: u32,
}

impl Sides {
    /// Counts the rows of `hits` by kind.
    pub fn of(hits: Hits) -> Self {
        let mut sides = Self::default();
        for (row, signal) in all().enumerate() {
            let hit = u32::from(hits >> (row & 127) & 1 == 1);
            match signal.kind {
                Kind::Rule => sides.rules += hit,
                Kind::Choice => sides.choices += hit,
                Kind::Trap => sides.traps += hit,
                Kind::Support => sides.support += hit,
                Kind::Passing => sides.passing += hit,
            }
        }
        sides
    }
}

/// One combination.
#[derive(Debug)]
pub struct Compound {
    /// Stored with the memory; frozen.
    pub id: &'static str,
    /// Set by hand, before any fit.
    pub prior: f64,
    pub weight: f64,
    pub kind: Kind,
    pub holds: fn(&Sides, &Reading) -> bool,
}

const fn row(
    id: &'static str,
    prior: f64,
    weight: f64,
    kind: Kind,
    holds: fn(&Sides, &Reading) -> bool,
) -> Compound {
    Compound {
        id,
        prior,
        weight,
        kind,
        holds,
    }
}

/// The combinations.
pub const COMPOUNDS: &[Compound] = &[
    row("clean-rule", 0.6, 0.21, Kind::Rule, |s, _| {
        s.rules > 0 && s.passing == 0
    }),
    row("clean-choice", 0.5, 0.88, Kind::Choice, |s, r| {
        s.choices > 0 && r.tech() > 0 && s.passing == 0
    }),
    row("much-passing", -0.5, -0.44, Kind::Passing, |s, _| {
        s.passing > 3
    }),
    row("nothing-lasting", -0.6, -0.88, Kind::Passing, |s, r| {
        s.rules + s.choices + s.traps == 0 && r.tech() == 0
    }),
];
