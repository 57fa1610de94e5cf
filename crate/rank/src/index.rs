//! Lexical ranking: BM25 over packed postings. One index serves recall, search and the conflict question.
//!
//! Limits: 1,048,576 documents ([`DOCS_MAX`]; one past it is refused), a term frequency over 15 counts as 15, a length
//! over 1,150 tokens counts as 1,150, and lengths over 127 tokens are kept to the nearest 8.

mod bm25;
mod explain;
mod postings;
mod top;

pub use explain::{Explanation, TermScore};
pub use postings::DOCS_MAX;

use crate::token::{self, TokenKey};
pub use bm25::Weights;
use bm25::{Idfs, Norms};
use postings::Postings;
use std::cell::Cell;
use top::Top;

/// A document and how well it matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub doc: u32,
    /// Above 0; comparable within one query only.
    pub score: f32,
}

/// Texts by number, searchable by words.
///
/// Numbers are the caller's and should be dense from 0: memory grows with the highest one. Document frequencies stay
/// exact under removal: an index with removals answers as one built anew from what is left.
#[derive(Default)]
pub struct Index {
    postings: Postings,
    weights: Weights,
    /// Taken during a query and put back, so that a query allocates nothing once warm.
    scratch: Cell<Option<Box<Scratch>>>,
}

#[derive(Default)]
struct Scratch {
    keys: Vec<TokenKey>,
    terms: Vec<Term>,
    /// One score a document, all 0 between queries.
    scores: Vec<f32>,
    touched: Vec<u32>,
    norms: Norms,
    idfs: Idfs,
}

/// One distinct token of a query.
#[derive(Clone, Copy)]
struct Term {
    key: TokenKey,
    weight: f32,
    document_frequency: u32,
}

/// Below this many documents, or when postings are few, the touched documents are listed instead of scanning all.
///
/// # Source
/// `npm run bench`; the scan of a thousand scores costs as much as listing about sixty documents.
const DENSE_DOCS_MIN: usize = 1_000;

/// Scores of every document, for a caller that chooses by more than words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relevance {
    /// By document number; 0 for what does not match or is not there.
    pub scores: Vec<f32>,
    /// What a document would score that holds every word of the query often: scores divided by it lie in 0..=1.
    pub most: f32,
}

impl Relevance {
    /// Returns the first document at or after `from` that scores above `least`, which is 0 or more, and its score.
    pub fn next_above(&self, from: usize, least: f32) -> Option<(usize, f32)> {
        let rest = self.scores.get(from..)?;
        let (chunks, tail) = rest.as_chunks::<16>();
        let mut at = from;
        let find = |at: usize, scores: &[f32]| {
            let found = scores.iter().position(|score| *score > least)?;
            Some((at + found, scores.get(found).copied()?))
        };
        for chunk in chunks {
            // Floats that are not negative are ordered as their bits are.
            let most = chunk
                .iter()
                .fold(0, |most, score| score.to_bits().max(most));
            if most > least.to_bits()
                && let Some(found) = find(at, chunk)
            {
                return Some(found);
            }
            at += chunk.len();
        }
        find(at, tail)
    }

    /// Returns the document's match as a share of the possible, 0..=1.
    pub fn share(&self, doc: u32) -> f32 {
        let score = self.scores.get(doc as usize).copied().unwrap_or(0.0);
        if self.most > 0.0 {
            (score / self.most).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

impl Index {
    /// Returns an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty index with other constants than the measured ones, for measuring.
    pub fn with_weights(weights: Weights) -> Self {
        Self {
            weights,
            ..Self::default()
        }
    }

    /// Puts `text` under `doc`, in place of what was there. Returns whether it could: `doc` must be under [`DOCS_MAX`].
    pub fn insert(&mut self, doc: u32, text: &str) -> bool {
        let mut scratch = self.scratch.take().unwrap_or_default();
        scratch.keys.clear();
        token::tokens(text, &mut scratch.keys);
        let done = self.postings.insert(doc, &scratch.keys);
        self.scratch.set(Some(scratch));
        done
    }

    /// Makes room for `n_docs` more texts.
    pub fn reserve(&mut self, n_docs: usize) {
        self.postings.reserve(n_docs);
    }

    /// Takes `doc` out. Returns whether it was there. Costs one pass over the postings.
    pub fn remove(&mut self, doc: u32) -> bool {
        self.postings.remove(doc)
    }

    /// Returns how many documents are in.
    pub fn len(&self) -> usize {
        self.postings.count() as usize
    }

    /// Returns whether no document is in.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes held, text excluded.
    pub fn length_bytes(&self) -> usize {
        self.postings.length_bytes()
    }

    /// Returns the best `k` documents that pass `filter`, best first, ties by number. Only matching ones.
    pub fn search(&self, query: &str, k: usize, filter: &dyn Fn(u32) -> bool) -> Vec<Hit> {
        let mut scratch = self.scratch.take().unwrap_or_default();
        let mut top = Top::new(k);
        self.prepare(query, &mut scratch);
        let Scratch {
            terms,
            scores,
            touched,
            norms,
            ..
        } = &mut *scratch;
        let width = self.postings.width();
        let n_postings: usize = terms.iter().map(|t| t.document_frequency as usize).sum();
        scores.resize(width.max(scores.len()), 0.0);
        if width < DENSE_DOCS_MIN || n_postings < width / 16 {
            touched.clear();
            for term in terms.iter() {
                for &posting in self.postings.list(term.key) {
                    let doc = postings::doc(posting);
                    if let Some(score) = scores.get_mut(doc as usize) {
                        if *score == 0.0 {
                            touched.push(doc);
                        }
                        *score += term.weight * norms.get(posting);
                    }
                }
            }
            for &doc in touched.iter() {
                if let Some(score) = scores.get_mut(doc as usize) {
                    top.offer(doc, *score, filter);
                    *score = 0.0;
                }
            }
        } else {
            self.accumulate(terms, norms, scores);
            top.scan(scores, filter);
            scores.fill(0.0);
        }
        self.scratch.set(Some(scratch));
        top.into_hits()
    }

    /// Scores every document against `query` into `out`, whose buffer is used again.
    pub fn relevance(&self, query: &str, out: &mut Relevance) {
        let mut scratch = self.scratch.take().unwrap_or_default();
        self.prepare(query, &mut scratch);
        out.scores.clear();
        out.scores.resize(self.postings.width(), 0.0);
        self.accumulate(&scratch.terms, &scratch.norms, &mut out.scores);
        out.most = scratch
            .terms
            .iter()
            .map(|term| term.weight * self.weights.norm_max())
            .sum();
        self.scratch.set(Some(scratch));
    }

    /// Returns why `doc` scores what it scores for `query`.
    pub fn explain(&self, doc: u32, query: &str) -> Explanation {
        explain::explain(self, doc, query)
    }

    /// Reads the query into distinct terms that occur, and brings the length norms up to date.
    fn prepare(&self, query: &str, scratch: &mut Scratch) {
        scratch.keys.clear();
        token::query_tokens(query, &mut scratch.keys);
        scratch.keys.sort_unstable();
        scratch.terms.clear();
        let count = self.postings.count();
        for run in scratch.keys.chunk_by(|a, b| a == b) {
            let Some(&key) = run.first() else { continue };
            let document_frequency = self.postings.document_frequency(key);
            if document_frequency > 0 {
                let idf = scratch.idfs.of(document_frequency, count);
                let weight = self.weights.of(key, run.len(), idf);
                scratch.terms.push(Term {
                    key,
                    weight,
                    document_frequency,
                });
            }
        }
        scratch
            .norms
            .update(&self.weights, self.postings.average_length());
    }

    fn accumulate(&self, terms: &[Term], norms: &Norms, scores: &mut [f32]) {
        for term in terms {
            for &posting in self.postings.list(term.key) {
                if let Some(score) = scores.get_mut(postings::doc(posting) as usize) {
                    *score += term.weight * norms.get(posting);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
