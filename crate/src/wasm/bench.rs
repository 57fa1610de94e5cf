//! The index by itself, for `npm run bench`. Compiled with the feature `bench` only; the plugin never ships it.

use crate::config::Config;
use crate::extract::Candidate;
use crate::gate::{Gate, gate};
use crate::judge::heuristic;
use crate::rank::{Index, Relevance};
use crate::screen::{Screened, screen};
use crate::text::token;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the checksum a ledger line ends with, so that the benchmark can write ledgers of any size.
#[wasm_bindgen]
pub fn checksum(line: &str) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(line.as_bytes()))
}

/// Screens, judges and gates each line as a sentence alone; returns how many would be kept.
#[wasm_bindgen]
pub fn judge(lines: &str) -> u32 {
    let config = Config::default();
    let kept = lines.lines().filter(|line| {
        let candidate = Candidate::alone(line);
        match screen(&candidate) {
            Screened::Kept(kept) => {
                matches!(
                    gate(&heuristic::judge(&candidate, &kept), &config),
                    Gate::Admit
                )
            }
            Screened::Vetoed { .. } => false,
        }
    });
    u32::try_from(kept.count()).unwrap_or(u32::MAX)
}

/// The index, reached as a peer of other search engines would be: a string in, numbers out.
#[wasm_bindgen]
#[derive(Default)]
pub struct BenchIndex {
    index: Index,
    relevance: Relevance,
}

#[wasm_bindgen]
impl BenchIndex {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, doc: u32, text: &str) {
        self.index.insert(doc, text);
    }

    pub fn remove(&mut self, doc: u32) {
        self.index.remove(doc);
    }

    /// Returns the numbers of the best `k`.
    pub fn search(&self, query: &str, k: usize) -> Vec<u32> {
        let hits = self.index.search(query, k, &|_| true);
        hits.into_iter().map(|hit| hit.doc).collect()
    }

    /// Scores every document, as recall does; returns the best score.
    pub fn relevance(&mut self, query: &[u8]) -> f32 {
        let query = String::from_utf8_lossy(query);
        self.index.relevance(&query, &mut self.relevance);
        self.relevance.scores.iter().copied().fold(0.0, f32::max)
    }

    #[wasm_bindgen(js_name = lengthBytes)]
    pub fn length_bytes(&self) -> usize {
        self.index.length_bytes()
    }

    /// Returns the tokens that are indexed for `text`, with a space between: what the peers are given.
    pub fn words(text: &str) -> String {
        token::words(text).join(" ")
    }

    /// Returns the tokens that are looked up for `query`.
    #[wasm_bindgen(js_name = queryWords)]
    pub fn query_words(query: &str) -> String {
        let words = token::query_words(query);
        let words: Vec<String> = words.into_iter().map(|pair| pair.1).collect();
        words.join(" ")
    }
}
