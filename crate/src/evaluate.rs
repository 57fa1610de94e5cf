//! Predictions over corpus files: what `eval/` measures. Text in, text out; no label is read.
//!
//! Rows are JSON objects, one a line; a row that is no JSON is left out. The formats are those of the corpus' scorer.

mod asking;

use crate::config::Config;
use crate::conflict;
use crate::extract::{self, Candidate, failure};
use crate::gate::{Gate, gate};
use crate::judge::heuristic;
use crate::memory::{EventSeq, JudgeName, Millis};
use crate::rank::Index;
use crate::screen::{self, Screened};
use crate::text::budget;
use crate::text::sorted::Map;
use crate::turn::{Human, Session, Turn, TurnEvent};
use serde_json::{Value, json};

/// Hits kept for one query.
const RANKED: usize = 20;

/// Returns the predictions of `task` over `input`, one JSON object a line, or nothing for a task that is unknown.
///
/// `write`, `signals`, `failures`, `conflicts` and `retrieval` take a file of rows, `sessions` one session document. `memories` is the file
/// that `retrieval` searches. `table` takes nothing and returns the weights; `tokens` what texts are
/// estimated to cost. `jev-requests` and `host-requests` say what is to be
/// sent for a file of sentences, `jev-write` and `host-write` what follows from the answers, which come as `memories`.
pub fn predict(task: &str, input: &str, memories: &str) -> Option<String> {
    let rows = || {
        input
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
    };
    let lines: Vec<Value> = match task {
        "write" => rows().map(|row| write(&row)).collect(),
        "signals" => rows().map(|row| signals(&row)).collect(),
        "failures" => rows().map(|row| failure_of(&row)).collect(),
        "conflicts" => rows().map(|row| contradicted(&row)).collect(),
        "retrieval" => retrieval(&rows().collect::<Vec<_>>(), memories),
        "sessions" => serde_json::from_str(input)
            .ok()
            .map(|document| sessions(&document))
            .into_iter()
            .collect(),
        "table" => table(),
        "tokens" => rows()
            .map(|row| json!({ "tokens": budget::estimate(text(&row, "text")) }))
            .collect(),
        "jev-requests" => asking::requests(JudgeName::Jev, &rows().collect::<Vec<_>>()),
        "host-requests" => asking::requests(JudgeName::Host, &rows().collect::<Vec<_>>()),
        "jev-write" => asking::predictions(JudgeName::Jev, &rows().collect::<Vec<_>>(), memories),
        "host-write" => asking::predictions(JudgeName::Host, &rows().collect::<Vec<_>>(), memories),
        _ => return None,
    };
    let mut out = String::new();
    for line in lines {
        out.push_str(&line.to_string());
        out.push('\n');
    }
    Some(out)
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn candidate(row: &Value) -> Candidate {
    let sentence = text(row, "sentence");
    match row.get("message").and_then(Value::as_str) {
        Some(message) => Candidate::within(message, sentence),
        None => Candidate::alone(sentence),
    }
}

fn write(row: &Value) -> Value {
    let candidate = candidate(row);
    match screen::screen(&candidate) {
        Screened::Vetoed { reason, rule } => json!({
            "id": row.get("id"), "write": false, "reason": reason, "rule": rule, "score": 0.0,
        }),
        Screened::Kept(kept) => {
            let judgement = heuristic::judge(&candidate, &kept);
            let gate = gate(&judgement, &Config::default());
            json!({
                "id": row.get("id"),
                "write": gate == Gate::Admit,
                "reason": match gate { Gate::Admit => Value::Null, Gate::Refuse(reason) => reason.into() },
                "type": judgement.memory_type.as_str(),
                "score": judgement.importance,
            })
        }
    }
}

/// What the fit needs: the matched signals, and the veto where one holds.
fn signals(row: &Value) -> Value {
    let candidate = candidate(row);
    let veto = match screen::screen(&candidate) {
        Screened::Vetoed { reason, rule } => json!([reason, rule]),
        Screened::Kept(_) => Value::Null,
    };
    let ids: Vec<&str> = screen::signals_of(&candidate)
        .iter()
        .map(|signal| signal.id)
        .collect();
    json!({ "id": row.get("id"), "veto": veto, "signals": ids })
}

/// Each row of the tables: its weight set by hand, and the one in use.
fn table() -> Vec<Value> {
    let words = screen::signal::all().map(|row| (row.id, row.prior, row.weight));
    let shapes = screen::shape::SHAPES
        .iter()
        .map(|row| (row.id, row.prior, row.weight));
    let compounds = screen::compound::COMPOUNDS
        .iter()
        .map(|row| (row.id, row.prior, row.weight));
    let frames = screen::frame::FRAMES
        .iter()
        .filter(|row| row.refuses.is_none())
        .map(|row| (row.id, row.prior, row.weight));
    let bias = ("bias", heuristic::PRIOR_BIAS, heuristic::BIAS);
    words
        .chain(shapes)
        .chain(compounds)
        .chain(frames)
        .chain([bias])
        .map(|(id, prior, weight)| json!({ "id": id, "prior": prior, "weight": weight }))
        .collect()
}

fn failure_of(row: &Value) -> Value {
    let signature = failure::signature(text(row, "tool"), text(row, "text"));
    // A text that tells nothing has a signature of its own: it is never the same failure as another.
    let signature = signature.unwrap_or_else(|| format!("untold {}", text(row, "id")));
    json!({ "id": row.get("id"), "signature": signature })
}

fn retrieval(queries: &[Value], memories: &str) -> Vec<Value> {
    let memories: Vec<Value> = memories
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let pool = |row: &Value| match row.get("scope").and_then(Value::as_str) {
        Some(scope) => scope.to_owned(),
        None => text(row, "lang").to_owned(),
    };
    let mut indexes: Map<String, Index> = Map::new();
    for (doc, memory) in (0u32..).zip(&memories) {
        indexes
            .or_default(pool(memory))
            .insert(doc, text(memory, "text"));
    }
    queries
        .iter()
        .map(|query| {
            let ranked: Vec<&str> = indexes.get(&pool(query)).map_or_else(Vec::new, |index| {
                let hits = index.search(text(query, "query"), RANKED + 5, &|_| true);
                hits.iter()
                    .filter_map(|hit| memories.get(hit.doc as usize))
                    .map(|memory| text(memory, "id"))
                    .collect()
            });
            json!({ "id": query.get("id"), "ranked": ranked })
        })
        .collect()
}

/// The known memories of a row by their rank against its new sentence, and the one of the best that it contradicts.
fn contradicted(row: &Value) -> Value {
    let none = Vec::new();
    let memories = row
        .get("memories")
        .and_then(Value::as_array)
        .unwrap_or(&none);
    let mut index = Index::default();
    for (doc, memory) in (0u32..).zip(memories) {
        index.insert(doc, text(memory, "text"));
    }
    let hits = index.search(text(row, "new"), RANKED, &|_| true);
    let ranked: Vec<&str> = hits
        .iter()
        .filter_map(|hit| memories.get(hit.doc as usize))
        .map(|memory| text(memory, "id"))
        .collect();
    let known = hits
        .iter()
        .filter_map(|hit| memories.get(hit.doc as usize))
        .map(|memory| text(memory, "text"));
    let found = conflict::detect(text(row, "new"), known);
    let reason = found.as_ref().map(|found| {
        let contradiction = &found.contradiction;
        json!([
            contradiction.reason.as_str(),
            contradiction.score,
            contradiction.shared
        ])
    });
    let named: Vec<&&str> = found
        .iter()
        .filter_map(|found| ranked.get(found.at))
        .collect();
    json!({ "id": row.get("id"), "conflict_ids": named, "ranked": ranked, "reason": reason })
}

/// Writes of one session document: sentences, and failures seen as often as the default asks.
fn sessions(document: &Value) -> Value {
    let config = Config::default();
    let mut counts: Map<String, u32> = Map::new();
    let mut writes: Vec<Value> = Vec::new();
    for session in document
        .get("sessions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if session.get("depth").and_then(Value::as_u64) != Some(0) {
            continue;
        }
        let name = text(session, "session");
        let none = Vec::new();
        let events = session
            .get("events")
            .and_then(Value::as_array)
            .unwrap_or(&none);
        for turn in turns(name, events) {
            for candidate in extract::sentences(&turn).candidates {
                let Screened::Kept(kept) = screen::screen(&candidate) else {
                    continue;
                };
                let judgement = heuristic::judge(&candidate, &kept);
                if gate(&judgement, &config) == Gate::Admit {
                    writes.push(json!({
                        "session": name, "seq": candidate.position.seq, "text": candidate.quote,
                        "type": judgement.memory_type.as_str(), "score": judgement.importance,
                    }));
                }
            }
            for failure in failure::failures(&turn) {
                let count = counts.or_default(failure.key.clone());
                *count += 1;
                if *count == config.repeat_failures_to_write {
                    // The scorer names a failure by the group of its event, an identity and not a verdict.
                    let event = events.iter().find(|event| {
                        event.get("seq").and_then(Value::as_u64) == Some(failure.position.seq.0)
                    });
                    writes.push(json!({
                        "session": name, "seq": failure.position.seq, "text": failure.signature, "type": "pitfall",
                        "group": event.and_then(|event| event.get("group")),
                    }));
                }
            }
        }
    }
    json!({ "id": document.get("id"), "writes": writes })
}

/// Returns the turns of a session document's events.
fn turns(name: &str, events: &[Value]) -> Vec<Turn> {
    let empty = |number: u32| Turn {
        session: Session {
            id: name.into(),
            cwd: String::new(),
            child: false,
        },
        turn: number,
        read_to: EventSeq(0),
        events: Vec::new(),
    };
    let mut turns = vec![empty(1)];
    let mut call = String::new();
    for event in events {
        let number = u32::try_from(turns.len()).unwrap_or(u32::MAX);
        let Some(turn) = turns.last_mut() else { break };
        let seq = EventSeq(event.get("seq").and_then(Value::as_u64).unwrap_or_default());
        match text(event, "role") {
            "user" if text(event, "source") == "user" => {
                turn.events.push(TurnEvent::Human(Human {
                    seq,
                    turn: number,
                    at: Millis(0),
                    text: text(event, "text").to_owned(),
                    zone: None,
                }))
            }
            "tool_call" => {
                call = text(event, "tool").to_owned();
                turn.events.push(TurnEvent::ToolCall {
                    seq,
                    turn: number,
                    call_id: "c".to_owned(),
                    tool: call.clone(),
                    arguments: event.get("input").map(Value::to_string).unwrap_or_default(),
                });
            }
            "tool_result" => turn.events.push(TurnEvent::ToolResult {
                seq,
                turn: number,
                at: Millis(0),
                call_id: "c".to_owned(),
                tool: call.clone(),
                is_error: event.get("error").and_then(Value::as_bool).unwrap_or(false),
                code: None,
                denied: false,
                text: text(event, "text").to_owned(),
            }),
            "turn_end" => turns.push(empty(number.saturating_add(1))),
            _ => {}
        }
    }
    turns
}
