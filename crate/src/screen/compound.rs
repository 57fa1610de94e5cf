//! Signals that speak only together: a table over the rows of the lexicon.

use super::reading::Reading;
use super::signal::{Kind, all};
use crate::text::lexicon::Hits;

/// The rows of each kind, as bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Masks {
    pub rules: Hits,
    choices: Hits,
    traps: Hits,
    support: Hits,
    passing: Hits,
    orders: Hits,
    pointers: Hits,
}

impl Masks {
    /// Reads the tables of words.
    pub fn of_signals() -> Self {
        let mut masks = Self::default();
        for (row, signal) in all().enumerate() {
            let bit = 1u128 << (row & 127);
            match signal.kind {
                Kind::Rule => masks.rules |= bit,
                Kind::Choice => masks.choices |= bit,
                Kind::Trap => masks.traps |= bit,
                Kind::Support => masks.support |= bit,
                Kind::Passing => masks.passing |= bit,
                Kind::Order => {
                    masks.passing |= bit;
                    masks.orders |= bit;
                }
                Kind::Pointing => {
                    masks.passing |= bit;
                    masks.pointers |= bit;
                }
            }
        }
        masks
    }
}

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
    pub fn of(hits: Hits, masks: &Masks) -> Self {
        Self {
            rules: (hits & masks.rules).count_ones(),
            choices: (hits & masks.choices).count_ones(),
            traps: (hits & masks.traps).count_ones(),
            support: (hits & masks.support).count_ones(),
            passing: (hits & masks.passing).count_ones(),
            orders: (hits & masks.orders).count_ones(),
            pointers: (hits & masks.pointers).count_ones(),
        }
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
    row("clean-rule", 0.6, 0.28, Kind::Rule, |s, _| {
        s.rules > 0 && s.passing == 0
    }),
    row("clean-choice", 0.5, 0.79, Kind::Choice, |s, r| {
        s.choices > 0 && r.tech() > 0 && s.passing == 0
    }),
    // Three names of technology are a stack, whatever else is said of it.
    row("stack", 0.8, 0.89, Kind::Choice, |_, r| r.tech() > 2),
    row("chosen-tech", 0.5, 0.98, Kind::Choice, |s, r| {
        s.choices > 0 && r.tech() > 1
    }),
    // `Use X for Y`: what is used, and for what, whether or not X is a name that we know.
    row("use-for", 0.8, 0.97, Kind::Choice, |s, r| {
        s.pointers == 0 && s.orders == 0 && uses_for(&r.lower) && r.length() <= 16
    }),
    row("much-passing", -0.5, -0.42, Kind::Passing, |s, _| {
        s.passing > 3
    }),
    row("nothing-lasting", -0.6, -0.82, Kind::Passing, |s, r| {
        s.rules + s.choices + s.traps == 0 && r.tech() == 0
    }),
    // A message that is one rule and nothing else was typed to be kept. The corpora have hardly any, so the prior decides.
    row("lone-rule", 1.2, 1.20, Kind::Rule, |s, r| {
        is_lone(s, r) && s.rules > 0 && s.orders == 0
    }),
    row("lone-fact", 0.6, 0.60, Kind::Support, |s, r| {
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

/// Returns whether a sentence begins with a use and says what it is for.
fn uses_for(lower: &str) -> bool {
    if !lower.starts_with(['u', 'w', 'o', 'p', 'j']) {
        return false;
    }
    let rest = ["use ", "we use ", "only use ", "please use ", "just use "]
        .iter()
        .find_map(|start| lower.strip_prefix(start));
    rest.is_some_and(|rest| {
        [" for ", " as ", " to ", " instead of ", " when ", " over "]
            .iter()
            .any(|word| rest.contains(word))
    })
}
