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
    /// All passing rows, orders and pointers among them.
    pub passing: u32,
    pub orders: u32,
    pub pointers: u32,
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
                Kind::Order => {
                    sides.passing += hit;
                    sides.orders += hit;
                }
                Kind::Pointing => {
                    sides.passing += hit;
                    sides.pointers += hit;
                }
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
    row("clean-rule", 0.6, 0.22, Kind::Rule, |s, _| {
        s.rules > 0 && s.passing == 0
    }),
    row("clean-choice", 0.5, 0.87, Kind::Choice, |s, r| {
        s.choices > 0 && r.tech() > 0 && s.passing == 0
    }),
    row("much-passing", -0.5, -0.43, Kind::Passing, |s, _| {
        s.passing > 3
    }),
    row("nothing-lasting", -0.6, -0.89, Kind::Passing, |s, r| {
        s.rules + s.choices + s.traps == 0 && r.tech() == 0
    }),
    // A message that is one rule and nothing else was typed to be kept. The corpora have hardly any, so the prior decides.
    row("lone-rule", 1.2, 1.2, Kind::Rule, |s, r| {
        is_lone(s, r) && s.rules > 0 && s.orders == 0
    }),
    row("lone-fact", 0.6, 0.6, Kind::Support, |s, r| {
        is_lone(s, r) && s.rules == 0 && s.choices + s.traps + s.support > 0 && r.length() <= 20
    }),
];

/// Returns whether the sentence is the whole message, points nowhere, asks nothing and says at most one passing thing.
fn is_lone(sides: &Sides, reading: &Reading) -> bool {
    reading.is_alone()
        && sides.pointers == 0
        && sides.passing <= 1
        && !matches!(reading.last, '?' | '？')
}
