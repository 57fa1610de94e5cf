//! Runs the core over a corpus file or folder and prints predictions, one JSON object a line. No label is read.
//!
//! `predict TASK PATH`, TASK one of `write`, `sessions`, `signals`. The last prints what the fit needs.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a program for a developer's terminal, not part of the core"
)]

use jev_memory_core::config::Config;
use jev_memory_core::extract::{self, Candidate};
use jev_memory_core::gate::{Gate, gate};
use jev_memory_core::judge::heuristic;
use jev_memory_core::memory::{EventSeq, Millis};
use jev_memory_core::screen::{self, Screened};
use jev_memory_core::turn::{Human, Session, Turn, TurnEvent};
use serde_json::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().expect("a task");
    let path = arguments.next().expect("a path");
    match task.as_str() {
        "write" => rows(&path, write),
        "signals" => rows(&path, signals),
        "sessions" => sessions(&path),
        "table" => println!("{}", table()),
        _ => panic!("unknown task {task}"),
    }
}

fn rows(path: &str, predict: fn(&Value) -> Value) {
    for line in std::fs::read_to_string(path)
        .expect("a readable file")
        .lines()
    {
        if !line.trim().is_empty() {
            println!(
                "{}",
                predict(&serde_json::from_str(line).expect("a row of JSON"))
            );
        }
    }
}

fn candidate(row: &Value) -> Candidate {
    let sentence = row["sentence"].as_str().unwrap_or_default();
    Candidate::within(row["message"].as_str().unwrap_or(sentence), sentence)
}

fn write(row: &Value) -> Value {
    let candidate = candidate(row);
    match screen::screen(&candidate) {
        Screened::Vetoed { reason, rule } => {
            json!({ "id": row["id"], "write": false, "reason": reason, "rule": rule, "score": 0.0 })
        }
        Screened::Kept(kept) => {
            let judgement = heuristic::judge(&candidate, &kept);
            let gate = gate(&judgement, &Config::default());
            let signals: Vec<&str> = kept.signals.iter().map(|signal| signal.id).collect();
            json!({
                "id": row["id"],
                "write": gate == Gate::Admit,
                "type": judgement.memory_type.as_str(),
                "score": judgement.importance,
                "signals": signals,
            })
        }
    }
}

fn signals(row: &Value) -> Value {
    let candidate = candidate(row);
    let veto = match screen::screen(&candidate) {
        Screened::Vetoed { rule, reason } => json!([reason, rule]),
        Screened::Kept(_) => Value::Null,
    };
    let signals: Vec<&str> = screen::signals_of(&candidate)
        .iter()
        .map(|signal| signal.id)
        .collect();
    json!({ "id": row["id"], "veto": veto, "signals": signals })
}

fn table() -> Value {
    let words = screen::signal::all().map(|row| json!({ "id": row.id, "weight": row.weight }));
    let shapes = screen::shape::SHAPES
        .iter()
        .map(|row| json!({ "id": row.id, "weight": row.weight }));
    let compounds = screen::compound::COMPOUNDS
        .iter()
        .map(|row| json!({ "id": row.id, "weight": row.weight }));
    let bias = json!({ "id": "bias", "weight": heuristic::BIAS });
    words.chain(shapes).chain(compounds).chain([bias]).collect()
}

fn sessions(folder: &str) {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
        .collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(path).expect("a readable file");
        println!(
            "{}",
            session(&serde_json::from_str(&text).expect("a JSON file"))
        );
    }
}

fn session(document: &Value) -> Value {
    let mut writes = Vec::new();
    for session in document["sessions"].as_array().into_iter().flatten() {
        if session["depth"] != 0 {
            continue;
        }
        let name = session["session"].as_str().unwrap_or_default();
        let events = session["events"].as_array().into_iter().flatten();
        let turn = Turn {
            session: Session {
                id: name.into(),
                cwd: String::new(),
                child: false,
            },
            turn: 1,
            read_to: EventSeq(0),
            events: events
                .filter(|event| event["role"] == "user" && event["source"] == "user")
                .map(|event| {
                    TurnEvent::Human(Human {
                        seq: EventSeq(event["seq"].as_u64().unwrap_or_default() as _),
                        turn: 1,
                        at: Millis(0),
                        text: event["text"].as_str().unwrap_or_default().to_owned(),
                        zone: None,
                    })
                })
                .collect(),
        };
        for candidate in extract::sentences(&turn).candidates {
            let Screened::Kept(kept) = screen::screen(&candidate) else {
                continue;
            };
            let judgement = heuristic::judge(&candidate, &kept);
            if gate(&judgement, &Config::default()) == Gate::Admit {
                writes.push(json!({
                    "session": name,
                    "seq": candidate.position.seq,
                    "text": candidate.quote,
                    "score": judgement.importance,
                    "type": judgement.memory_type.as_str(),
                }));
            }
        }
    }
    json!({ "id": document["id"], "writes": writes })
}
