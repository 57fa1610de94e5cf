//! The lexicon: words of English and Chinese that speak for or against a sentence still holding in a later session.
//!
//! A row counts once however often it matches. Weights are added by [`crate::judge::heuristic`]; `eval/fit.ts` rewrites the
//! numbers of these tables, of [`crate::screen::shape`] and of [`crate::screen::compound`] in place.

pub mod chinese;
pub mod english;

/// What a row speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A rule: must, must not, how we work.
    Rule,
    /// A choice that could have gone otherwise.
    Choice,
    /// Something that breaks.
    Trap,
    /// Lasting, with nothing to say about the type.
    Support,
    /// Used up by doing the task, or not about how we work.
    Passing,
    /// Passing: asks for something to be done.
    Order,
    /// Passing: points at something said or shown before.
    Pointing,
}

/// One signal of the lexicon.
#[derive(Debug)]
pub struct Signal {
    /// Stored with the memory; frozen.
    pub id: &'static str,
    /// Set by hand, before any fit: what the row should say. The fit holds on to it.
    pub prior: f64,
    /// Added to the score when a word matches. Above 0 speaks for lasting, below 0 for passing.
    pub weight: f64,
    pub kind: Kind,
    /// Characters before a match in which a negating word takes the match away; 0 for none.
    pub negation_window: usize,
    /// A sentence in which the row must match; only tests hold it.
    #[cfg(test)]
    pub case: &'static str,
    /// Separated by `|`. Latin words match whole, in any letter case; Han words match anywhere. `^` binds to the start of the
    /// sentence.
    pub words: &'static str,
}

/// Returns every row: English, then Chinese. Both are looked for in every sentence, since people mix them.
pub fn all() -> impl Iterator<Item = &'static Signal> {
    english::SIGNALS.iter().chain(chinese::SIGNALS)
}
