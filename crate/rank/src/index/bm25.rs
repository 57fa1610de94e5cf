//! The BM25 formula and its constants.

use super::postings::{CODES, TF_MAX, length_of_code, norm_slot};
use crate::token::{TokenKey, is_weak};

/// Constants of the score.
///
/// # Source
/// Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that stays
/// positive. Values: a sweep on the shared corpus, see `docs/decisions.md`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// How fast a repeated token saturates.
    pub k1: f32,
    /// How much length counts, 0..=1.
    pub b: f32,
    /// What a single Han character weighs beside a pair or a word.
    pub weak: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            k1: 0.9,
            b: 0.75,
            weak: 0.4,
        }
    }
}

impl Weights {
    /// Returns what one distinct query token brings at most, before saturation and length.
    pub(super) fn of(&self, key: TokenKey, n_in_query: usize, idf: f32) -> f32 {
        let class = if is_weak(key) { self.weak } else { 1.0 };
        // A word the query repeats counts more, but not in proportion: a long prompt is not a short one said often.
        let repeats = match n_in_query {
            1 => 1.0,
            n => 1.0 + (n as f32).ln(),
        };
        class * repeats * idf
    }

    /// Returns the largest norm: saturation without bound on the term frequency.
    pub(super) fn norm_max(&self) -> f32 {
        self.k1 + 1.0
    }
}

/// Returns the inverse document frequency, above 0.
pub(super) fn idf(document_frequency: u32, count: u32) -> f32 {
    let (df, n) = (f64::from(document_frequency), f64::from(count));
    (1.0 + (n - df + 0.5).max(0.0) / (df + 0.5)).ln() as f32
}

/// The inverse frequencies of rare tokens, which are most of a query's: a table in place of a logarithm a token.
#[derive(Default)]
pub(super) struct Idfs {
    /// By document frequency; 0 where none was asked for.
    table: Vec<f32>,
    made_for: u32,
}

/// Document frequencies whose inverse is kept.
const IDFS: usize = 512;

impl Idfs {
    pub fn of(&mut self, document_frequency: u32, count: u32) -> f32 {
        if self.made_for != count {
            self.made_for = count;
            self.table.clear();
            self.table.resize(IDFS, 0.0);
        }
        let Some(known) = self.table.get_mut(document_frequency as usize) else {
            return idf(document_frequency, count);
        };
        if *known == 0.0 {
            *known = idf(document_frequency, count);
        }
        *known
    }
}

/// The saturated, length-corrected term frequency for every pair of frequency and length code.
///
/// A table in place of a division a posting; made anew when the average length changed.
pub(super) struct Norms {
    table: Box<[f32; NORMS]>,
    made_for: Option<(u32, u32, u32)>,
}

impl Default for Norms {
    fn default() -> Self {
        Self {
            table: Box::new([0.0; NORMS]),
            made_for: None,
        }
    }
}

const NORMS: usize = (TF_MAX as usize + 1) * CODES;

impl Norms {
    /// Makes the table for these constants and this average length, unless it is.
    pub fn update(&mut self, weights: &Weights, average_length: f32) {
        let key = (
            weights.k1.to_bits(),
            weights.b.to_bits(),
            average_length.to_bits(),
        );
        if self.made_for == Some(key) {
            return;
        }
        self.made_for = Some(key);
        for (tf, row) in self.table.chunks_mut(CODES).enumerate() {
            for (code, norm) in row.iter_mut().enumerate() {
                *norm = self::norm(weights, tf as f32, length_of_code(code), average_length);
            }
        }
    }

    /// Returns the norm of a packed posting.
    pub fn get(&self, posting: u32) -> f32 {
        self.table.get(norm_slot(posting)).copied().unwrap_or(0.0)
    }
}

/// Returns tf·(k1+1) / (tf + k1·(1 − b + b·length/average)).
pub(super) fn norm(weights: &Weights, tf: f32, length: u32, average_length: f32) -> f32 {
    if tf == 0.0 {
        return 0.0;
    }
    let relative = if average_length > 0.0 {
        length as f32 / average_length
    } else {
        1.0
    };
    tf * (weights.k1 + 1.0) / (tf + weights.k1 * (1.0 - weights.b + weights.b * relative))
}
