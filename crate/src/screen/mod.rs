//! Keeps a candidate with the signals it showed, or refuses it with a reason. Content only: what is known already
//! (`duplicate`, `forgotten`) is the engine's to say.

mod around;
pub mod compound;
mod forgetting;
pub mod frame;
mod intent;
mod reading;
pub mod secret;
pub mod shape;
pub mod signal;
mod tech;
pub mod veto;

use crate::extract::Candidate;
use crate::text::lexicon::Lexicon;
use compound::Masks;
use frame::{FRAMES, Frame};
use reading::Reading;
use signal::Kind;
use std::sync::{LazyLock, OnceLock};
use veto::{Test, VETOES, Veto};

pub use forgetting::{ForgetRequest, content_words, forget_requests};
pub use intent::declares_global;

/// A row of the tables that matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchedSignal {
    /// Frozen, stored with the memory.
    pub id: &'static str,
    pub weight: f64,
    pub kind: Kind,
    /// The place of the row in [`rows`].
    pub row: usize,
}

/// Returns the ids of the rows of all tables: words, combinations, shapes, frames.
pub fn rows() -> impl Iterator<Item = &'static str> {
    let words = signal::all().map(|row| row.id);
    let compounds = compound::COMPOUNDS.iter().map(|row| row.id);
    let shapes = shape::SHAPES.iter().map(|row| row.id);
    let frames = FRAMES.iter().map(|row| row.id);
    words.chain(compounds).chain(shapes).chain(frames)
}

/// What the screen found in a sentence it keeps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kept {
    /// In the order of the tables.
    pub signals: Vec<MatchedSignal>,
}

impl Kept {
    /// Returns whether the sentence orders something or points at what was shown before.
    pub fn orders(&self) -> bool {
        let orders = [Kind::Order, Kind::Pointing];
        self.signals
            .iter()
            .any(|signal| orders.contains(&signal.kind))
    }

    /// Returns the frame by which the sentence is no rule of the human's for later: it reports, supposes, or is for today.
    pub fn frame(&self) -> Option<&'static str> {
        self.signals
            .iter()
            .map(|signal| signal.id)
            .find(|id| FRAMES.iter().any(|frame| frame.id == *id))
    }

    /// Returns whether the sentence points at what was shown before.
    pub fn points(&self) -> bool {
        self.signals
            .iter()
            .any(|signal| signal.kind == Kind::Pointing)
    }

    /// Returns the ids that are stored with the memory.
    pub fn signal_ids(&self) -> Vec<String> {
        self.signals
            .iter()
            .map(|signal| signal.id.to_owned())
            .collect()
    }
}

/// What the screen says.
#[derive(Debug, Clone, PartialEq)]
pub enum Screened {
    Kept(Kept),
    Vetoed {
        /// The ledger's reason code, `veto:` and a word.
        reason: &'static str,
        /// The row of the table, for reports.
        rule: &'static str,
    },
}

/// Screens a candidate. Pure.
pub fn screen(candidate: &Candidate) -> Screened {
    let cleaned = candidate.text != candidate.quote;
    if secret::contains(&candidate.quote) || cleaned && secret::contains(&candidate.text) {
        return Screened::Vetoed {
            reason: "veto:secret",
            rule: "secret",
        };
    }
    let reading = read(candidate);
    if let Some(veto) = veto_of(&reading) {
        return Screened::Vetoed {
            reason: veto.reason,
            rule: veto.rule,
        };
    }
    let refusal = frames(&reading).find_map(|(_, frame)| Some((frame.refuses?, frame.id)));
    if let Some((reason, rule)) = refusal {
        return Screened::Vetoed { reason, rule };
    }
    Screened::Kept(Kept {
        signals: signals(&reading),
    })
}

/// Returns the signals of a candidate, vetoed or not: for the fit and the reports.
pub fn signals_of(candidate: &Candidate) -> Vec<MatchedSignal> {
    signals(&read(candidate))
}

fn read(candidate: &Candidate) -> Reading<'_> {
    let tables = tables();
    let mut reading = Reading::of(candidate, &tables.lexicon, &tables.windows);
    let found = reading.found;
    reading.rules_in_quotes =
        found.rows & tables.masks.rules != 0 && found.open_rows & tables.masks.rules == 0;
    reading
}

/// Returns the frames that the sentence stands in, with their places.
fn frames<'a>(reading: &'a Reading<'_>) -> impl Iterator<Item = (usize, &'static Frame)> + 'a {
    let mut row = tables().frames;
    FRAMES.iter().enumerate().filter(move |(_, frame)| {
        let first = row;
        row += frame.words.len();
        (first..row).all(|row| reading.found.rows >> (row & 127) & 1 == 1) && (frame.holds)(reading)
    })
}

/// Returns the first rule that holds.
fn veto_of(reading: &Reading) -> Option<&'static Veto> {
    let mut row = tables().windows.len();
    VETOES.iter().find(|veto| match veto.test {
        Test::Shape(holds) => holds(reading),
        Test::Words(lists) => {
            let first = row;
            row += lists.len();
            (first..row).all(|row| reading.found.rows >> (row & 127) & 1 == 1)
        }
    })
}

fn signals(reading: &Reading) -> Vec<MatchedSignal> {
    let tables = tables();
    let hits = reading.found.rows;
    let mut out = Vec::with_capacity(24);
    let mut rest = hits & tables.signal_rows;
    while rest != 0 {
        let row = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        if let Some(signal) = tables.signals.get(row) {
            out.push(MatchedSignal {
                id: signal.id,
                weight: signal.weight,
                kind: signal.kind,
                row,
            });
        }
    }
    let mut first = tables.signals.len();
    let sides = compound::Sides::of(hits, &tables.masks);
    for (at, compound) in compound::COMPOUNDS.iter().enumerate() {
        if (compound.holds)(&sides, reading) {
            out.push(MatchedSignal {
                id: compound.id,
                weight: compound.weight,
                kind: compound.kind,
                row: first + at,
            });
        }
    }
    first += compound::COMPOUNDS.len();
    for (at, shape) in shape::SHAPES.iter().enumerate() {
        if (shape.holds)(reading) {
            out.push(MatchedSignal {
                id: shape.id,
                weight: shape.weight,
                kind: shape.kind,
                row: first + at,
            });
        }
    }
    first += shape::SHAPES.len();
    for (at, frame) in frames(reading) {
        if frame.refuses.is_none() {
            out.push(MatchedSignal {
                id: frame.id,
                weight: frame.weight,
                kind: frame::KIND,
                row: first + at,
            });
        }
    }
    out
}

/// Returns whether a lower-case word is a name of technology.
pub fn is_technology(word: &str) -> bool {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| tech::NAMES.split_whitespace().collect());
    let at = NAMES.partition_point(|name| *name < word);
    NAMES.get(at).is_some_and(|name| *name == word)
}

struct Tables {
    lexicon: Lexicon,
    windows: Vec<usize>,
    masks: Masks,
    signals: Vec<&'static signal::Signal>,
    /// The bits of the signals.
    signal_rows: u128,
    /// The row of the first list of the frames.
    frames: usize,
}

/// Built at the first sentence, then shared: the tables are constants.
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables {
        lexicon: Lexicon::new(
            signal::all()
                .map(|signal| signal.words)
                .chain(veto::lists())
                .chain(frame::lists()),
            [signal::english::MASKS, signal::chinese::MASKS].into_iter(),
            &tech::NAMES.split(' ').collect::<Vec<_>>(),
        ),
        windows: signal::all().map(|signal| signal.negation_window).collect(),
        masks: Masks::of_signals(),
        signals: signal::all().collect(),
        signal_rows: (1u128 << (signal::all().count() & 127)) - 1,
        frames: signal::all().count() + veto::lists().count(),
    })
}

#[cfg(test)]
mod tests;
