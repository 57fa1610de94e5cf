//! The best few of many.

use super::Hit;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Scores are looked at this many at a time: four vectors of four.
const LANES: usize = 16;

/// Keeps the best `k`.
pub(super) struct Top {
    k: usize,
    /// The worst kept one on top.
    heap: BinaryHeap<Worse>,
    /// A score must be above this to matter, or equal with a lower number.
    threshold: f32,
}

/// Orders the worse hit as the greater one.
struct Worse(Hit);

impl Ord for Worse {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .0
            .score
            .total_cmp(&self.0.score)
            .then(self.0.doc.cmp(&other.0.doc))
    }
}

impl PartialOrd for Worse {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worse {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Worse {}

impl Top {
    pub fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::new(),
            threshold: 0.0,
        }
    }

    /// Takes the document in if it is among the best so far and passes.
    pub fn offer(&mut self, doc: u32, score: f32, filter: &dyn Fn(u32) -> bool) {
        let full = self.heap.len() >= self.k;
        if score <= 0.0 || self.k == 0 || full && score < self.threshold {
            return;
        }
        let new = Worse(Hit { doc, score });
        if full && self.heap.peek().is_some_and(|worst| new >= *worst) || !filter(doc) {
            return;
        }
        if full {
            self.heap.pop();
        }
        self.heap.push(new);
        if self.heap.len() >= self.k {
            self.threshold = self.heap.peek().map_or(0.0, |worst| worst.0.score);
        }
    }

    /// Offers every document of a dense array of scores.
    pub fn scan(&mut self, scores: &[f32], filter: &dyn Fn(u32) -> bool) {
        if self.k == 0 {
            return;
        }
        let mut first = 0u32;
        for chunk in scores.chunks(LANES) {
            // Documents come in ascending order, so an equal score never displaces one.
            let threshold = self.threshold;
            let above = chunk
                .iter()
                .fold(false, |any, &score| any | (score > threshold));
            if above {
                for (doc, &score) in (first..).zip(chunk) {
                    self.offer(doc, score, filter);
                }
            }
            first += LANES as u32;
        }
    }

    /// Returns what was kept, best first, ties by number.
    pub fn into_hits(self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.heap.into_iter().map(|worse| worse.0).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc)));
        hits
    }
}
