//! The best few of many.

use super::Hit;

/// Scores are looked at this many at a time.
const LANES: usize = 64;

/// Keeps the best `k`.
pub(super) struct Top {
    k: usize,
    /// Best first, ties by number.
    kept: Vec<Hit>,
    /// The worst kept score once `k` are kept, else 0.
    threshold: f32,
}

impl Top {
    pub fn new(k: usize) -> Self {
        Self {
            k,
            kept: Vec::with_capacity(k.min(LANES) + 1),
            threshold: 0.0,
        }
    }

    /// Takes the document in if it is among the best so far and passes.
    pub fn offer(&mut self, doc: u32, score: f32, filter: &dyn Fn(u32) -> bool) {
        if self.k == 0 || score <= 0.0 || score < self.threshold {
            return;
        }
        let full = self.kept.len() >= self.k;
        let before = |hit: &Hit| hit.score > score || hit.score == score && hit.doc < doc;
        if full && self.kept.last().is_some_and(before) || !filter(doc) {
            return;
        }
        if full {
            self.kept.pop();
        }
        let at = self.kept.partition_point(before);
        self.kept.insert(at, Hit { doc, score });
        if self.kept.len() >= self.k {
            self.threshold = self.kept.last().map_or(0.0, |hit| hit.score);
        }
    }

    /// Offers every document of a dense array of scores, none below 0.
    pub fn scan(&mut self, scores: &[f32], filter: &dyn Fn(u32) -> bool) {
        if self.k == 0 {
            return;
        }
        let (chunks, rest) = scores.as_chunks::<LANES>();
        let mut first = 0u32;
        for chunk in chunks {
            // Floats that are not negative are ordered as their bits are, and the greatest of whole numbers is one
            // vector instruction. Documents come in ascending order, so an equal score never displaces one.
            let most = chunk
                .iter()
                .fold(0, |most, score| score.to_bits().max(most));
            if most > self.threshold.to_bits() {
                for (doc, &score) in (first..).zip(chunk) {
                    self.offer(doc, score, filter);
                }
            }
            first += LANES as u32;
        }
        for (doc, &score) in (first..).zip(rest) {
            self.offer(doc, score, filter);
        }
    }

    /// Returns what was kept, best first, ties by number.
    pub fn into_hits(self) -> Vec<Hit> {
        self.kept
    }
}
