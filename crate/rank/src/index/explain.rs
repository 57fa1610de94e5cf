//! Why a document scores what it scores.

use super::{Index, bm25, postings};
use crate::order;
use crate::token;
use serde::Serialize;

/// A score and the terms it is the sum of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// 0 when nothing matches or the document is not there.
    pub score: f32,
    /// Best first, ties by word. Only matching ones.
    pub terms: Vec<TermScore>,
    /// Tokens of the document, as kept (see the limits of [`super::Index`]).
    pub length: u32,
    pub average_length: f32,
    /// Documents in the index.
    pub count: u32,
    pub k1: f32,
    pub b: f32,
}

/// What one distinct word of the query brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TermScore {
    pub word: String,
    pub score: f32,
    /// How often the document has it, at most 15.
    pub term_frequency: u32,
    /// How many documents have it.
    pub document_frequency: u32,
    pub idf: f32,
    /// The idf with the weights of its class and of its repeats in the query.
    pub weight: f32,
}

pub(super) fn explain(index: &Index, doc: u32, query: &str) -> Explanation {
    let average_length = index.postings.average_length();
    let length = index.postings.length(doc).unwrap_or(0);
    let mut out = Explanation {
        score: 0.0,
        terms: Vec::new(),
        length,
        average_length,
        count: index.postings.count(),
        k1: index.weights.k1,
        b: index.weights.b,
    };
    let mut pairs = token::query_words(query);
    order::sort(&mut pairs);
    for run in pairs.chunk_by(|a, b| a.0 == b.0) {
        let Some((key, word)) = run.first() else {
            continue;
        };
        let list = index.postings.list(*key);
        let Some(posting) = list.iter().find(|&&p| postings::doc(p) == doc) else {
            continue;
        };
        let term_frequency = postings::norm_slot(*posting) as u32 >> 8;
        let document_frequency = list.len() as u32;
        let weight = index
            .weights
            .of(*key, run.len(), bm25::idf(document_frequency, out.count));
        let norm = bm25::norm(
            &index.weights,
            term_frequency as f32,
            length,
            average_length,
        );
        // In key order, as the query adds them, so the sum is the same to the bit.
        out.score += weight * norm;
        out.terms.push(TermScore {
            word: word.clone(),
            score: weight * norm,
            term_frequency,
            document_frequency,
            idf: bm25::idf(document_frequency, out.count),
            weight,
        });
    }
    order::sort_by(&mut out.terms, |a, b| {
        b.score.total_cmp(&a.score).then(a.word.cmp(&b.word))
    });
    out
}
