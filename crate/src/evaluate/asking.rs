//! Predictions of a judge that reads, in two steps: what is asked, and what follows from the answers. Nothing is sent here.

use super::{candidate, text, write};
use crate::config::Config;
use crate::gate::{Gate, gate};
use crate::judge::{Answer, Asked, Fault, heuristic, host, jev, judgement};
use crate::memory::JudgeName;
use crate::screen::{self, Screened};
use crate::text::cut;
use crate::text::sorted::Map;
use serde_json::{Value, json};

/// Sentences of one request, as many as one turn may ask about.
const BATCH: usize = 6;
/// Characters around a sentence that the judge is shown, as in a turn.
const AROUND_MAX_CHARS: usize = 200;

/// Sentences that are asked about together.
struct Batch {
    rows: Vec<Value>,
    asked: Vec<Asked>,
}

/// Returns the sentences that the screen keeps, in batches.
fn batches(input: &[Value]) -> Vec<Batch> {
    let mut kept: Vec<(Value, Asked)> = Vec::new();
    for row in input {
        let candidate = candidate(row);
        if let Screened::Kept(_) = screen::screen(&candidate) {
            let around = |text: &str| cut(text.trim(), AROUND_MAX_CHARS).to_owned();
            let asked = Asked {
                text: candidate.text.clone(),
                before: around(candidate.context.before()),
                after: around(candidate.context.after()),
                known: Vec::new(),
            };
            kept.push((row.clone(), asked));
        }
    }
    kept.chunks(BATCH)
        .map(|chunk| Batch {
            rows: chunk.iter().map(|(row, _)| row.clone()).collect(),
            asked: chunk.iter().map(|(_, asked)| asked.clone()).collect(),
        })
        .collect()
}

/// Returns what is sent for each batch, by its number: `{ batch, system, prompt, maxTokens }` or `{ batch, body }`.
pub(super) fn requests(judge: JudgeName, input: &[Value]) -> Vec<Value> {
    let number = |(batch, content): (usize, Value)| with(content, "batch", batch.into());
    let content = |batch: &Batch| match judge {
        JudgeName::Host => match host::prompt(&batch.asked) {
            Ok(prompt) => {
                json!({ "system": prompt.system, "prompt": prompt.prompt, "maxTokens": prompt.max_tokens })
            }
            Err(fault) => json!({ "fault": fault.cause }),
        },
        // A batch fits one request: six sentences without known memories are eighteen questions at most.
        _ => match jev::parts(&batch.asked, "jev-latest").0.first() {
            Some(part) => json!({ "body": part.body }),
            None => json!({ "fault": "jev-too-large" }),
        },
    };
    batches(input)
        .iter()
        .map(content)
        .enumerate()
        .map(number)
        .collect()
}

/// Returns the predictions that follow from `answers`, lines of `{ batch, text }` or `{ batch, fault }`.
pub(super) fn predictions(judge: JudgeName, input: &[Value], answers: &str) -> Vec<Value> {
    let mut said: Map<usize, Value> = Map::new();
    for line in answers.lines() {
        if let Ok(line) = serde_json::from_str::<Value>(line)
            && let Some(batch) = line.get("batch").and_then(Value::as_u64)
        {
            said.insert(usize::try_from(batch).unwrap_or(usize::MAX), line);
        }
    }
    let mut judged: Map<String, Value> = Map::new();
    for (number, batch) in batches(input).iter().enumerate() {
        let (answers, model) = match said.get(&number) {
            None => (Err(Fault::new("not-asked", "")), String::new()),
            Some(line) => read(judge, text(line, "text"), &batch.asked),
        };
        for (place, row) in batch.rows.iter().enumerate() {
            let answer = match &answers {
                Ok(rows) => rows.get(place).cloned(),
                Err(fault) => Some(Err(fault.clone())),
            };
            let answer = answer.unwrap_or_else(|| Err(Fault::new("missing-row", "")));
            let line = prediction(judge, row, batch.asked.get(place), &answer, &model);
            judged.insert(row.get("id").unwrap_or(&Value::Null).to_string(), line);
        }
    }
    let known = |row: &Value| judged.get(&row.get("id").unwrap_or(&Value::Null).to_string());
    input
        .iter()
        .map(|row| known(row).cloned().unwrap_or_else(|| write(row)))
        .collect()
}

type Rows = Result<Vec<Result<Answer, Fault>>, Fault>;

fn read(judge: JudgeName, text: &str, asked: &[Asked]) -> (Rows, String) {
    if judge == JudgeName::Host {
        return (host::read(text, asked), String::new());
    }
    let parts = jev::parts(asked, "jev-latest").0;
    let Some(part) = parts.first() else {
        return (Err(Fault::new("jev-too-large", "")), String::new());
    };
    match jev::read(text.as_bytes(), part, asked) {
        Ok(answered) => {
            let rows = answered.rows.into_iter().map(|(_, row)| row).collect();
            (Ok(rows), answered.model)
        }
        Err(fault) => (Err(fault), String::new()),
    }
}

/// What the gate makes of an answer; without one the offline judge's word, and why.
fn prediction(
    by: JudgeName,
    row: &Value,
    asked: Option<&Asked>,
    answer: &Result<Answer, Fault>,
    model: &str,
) -> Value {
    let line = match (answer, asked) {
        (Ok(answer), Some(asked)) => {
            let candidate = candidate(row);
            let offline = match screen::screen(&candidate) {
                Screened::Kept(kept) => heuristic::judge(&candidate, &kept).memory_type,
                Screened::Vetoed { .. } => return write(row),
            };
            let judged = judgement(answer, asked, by, model, offline);
            let verdict = gate(&judged, &Config::default());
            json!({
                "id": row.get("id"),
                "write": verdict == Gate::Admit,
                "reason": match verdict { Gate::Admit => Value::Null, Gate::Refuse(reason) => reason.into() },
                "type": judged.memory_type.as_str(),
                "score": judged.remember,
                "by": by.as_str(),
                "model": model,
            })
        }
        (Err(fault), _) => with(write(row), "fault", fault.cause.into()),
        (Ok(_), None) => write(row),
    };
    if line.get("by").is_none() {
        with(line, "by", "heuristic".into())
    } else {
        line
    }
}

/// Returns the line with one more field.
fn with(mut line: Value, name: &str, value: Value) -> Value {
    if let Value::Object(fields) = &mut line {
        fields.insert(name.to_owned(), value);
    }
    line
}
