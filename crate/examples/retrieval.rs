//! Ranks memories for queries and prints one prediction a line: `{"id", "ranked": [...], "scores": [...]}`.
//!
//!     cargo run --release --example retrieval -- MEMORIES.jsonl QUERIES.jsonl [--pool lang|scope|all] [--k1 N] [--b N] [--weak N]
//!
//! A memory has `id`, `text` and the pool's field; a query has `id`, `query`, `exclude` and the pool's field.
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use jev_memory_core::rank::{Index, Weights};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const RANKED_MAX: usize = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let mut weights = Weights::default();
    for (name, value) in [
        ("--k1", &mut weights.k1),
        ("--b", &mut weights.b),
        ("--weak", &mut weights.weak),
    ] {
        if let Some(given) = option(name) {
            *value = given.parse().unwrap();
        }
    }
    let field = option("--pool").unwrap_or_else(|| "lang".to_owned());
    let pool_of = |row: &Value| row[&field].as_str().unwrap_or("").to_owned();
    let mut pools: BTreeMap<String, (Index, Vec<String>)> = BTreeMap::new();
    for memory in rows(&arguments[0]) {
        let (index, ids) = pools
            .entry(pool_of(&memory))
            .or_insert_with(|| (Index::with_weights(weights), Vec::new()));
        index.insert(ids.len() as u32, memory["text"].as_str().unwrap());
        ids.push(memory["id"].as_str().unwrap().to_owned());
    }
    for query in rows(&arguments[1]) {
        let excluded: BTreeSet<&str> = query["exclude"]
            .as_array()
            .map(|ids| ids.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut hits = Vec::new();
        let mut names: &[String] = &[];
        if let Some((index, ids)) = pools.get(&pool_of(&query)) {
            let wanted = |doc: u32| !excluded.contains(ids[doc as usize].as_str());
            hits = index.search(query["query"].as_str().unwrap(), RANKED_MAX, &wanted);
            names = ids;
        }
        let ranked: Vec<&str> = hits
            .iter()
            .map(|hit| names[hit.doc as usize].as_str())
            .collect();
        let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
        println!(
            "{}",
            json!({"id": query["id"], "ranked": ranked, "scores": scores})
        );
    }
}

fn rows(path: &str) -> Vec<Value> {
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
