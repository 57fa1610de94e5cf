//! Times the index natively, for `npm run bench`: reads `{"texts": [...], "queries": [...], "rounds": n}` from standard
//! input and prints `{"rankUs", "addUs"}`, medians.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a program for a developer's terminal, not part of the core"
)]

use jev_memory_core::rank::Index;
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let input: Value = serde_json::from_reader(std::io::stdin()).unwrap();
    let list = |name: &str| -> Vec<String> {
        let rows = input[name].as_array().unwrap();
        rows.iter()
            .map(|row| row.as_str().unwrap().to_owned())
            .collect()
    };
    let (texts, queries) = (list("texts"), list("queries"));
    let rounds = input["rounds"].as_u64().unwrap();
    let begin = Instant::now();
    let mut index = Index::new();
    for (doc, text) in (0u32..).zip(&texts) {
        index.insert(doc, text);
    }
    let add_us = begin.elapsed().as_secs_f64() * 1e6 / texts.len().max(1) as f64;
    let mut times = Vec::new();
    for _ in 0..rounds {
        for query in &queries {
            let begin = Instant::now();
            black_box(index.search(query, 10, &|_| true));
            times.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{}",
        json!({"rankUs": times[times.len() / 2], "addUs": add_us})
    );
}
