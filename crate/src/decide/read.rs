//! Reading: how scores are made, one memory as a value, a result made flat, and a result as text for a prompt.

use crate::memory::{Memory, MemoryId, Millis, Status};
use crate::text::{day, order};
use serde_json::{Map, Value, json};

/// Shares of meaning and of words in a score. Source: the issue on versioned decisions, reading.
const SEMANTIC_WEIGHT: f64 = 0.6;
const LEXICAL_WEIGHT: f64 = 0.4;
/// The largest score of a raw source: it never stands before a statement that matches well. Same source.
const RAW_MAX: f64 = 0.5;
/// The constant of reciprocal rank fusion.
///
/// # Source
/// Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning Methods", 2009.
const RANK_CONSTANT: f64 = 60.0;

/// An id and a score, best first.
pub type Ranked = Vec<(MemoryId, f64)>;

/// Returns whether a memory is a statement that stands: what lists and searches hold unless history is asked for.
pub fn is_head(memory: &Memory) -> bool {
    memory.is_statement() && memory.status == Status::Active
}

/// Returns a memory as the caller sees it.
pub fn item(memory: &Memory) -> Value {
    let ids = |ids: &[MemoryId]| -> Vec<String> { ids.iter().map(MemoryId::to_string).collect() };
    let mut out = json!({
        "id": memory.id.as_str(),
        "text": memory.text.as_str(),
        "scope": memory.scope.as_str(),
        "layer": memory.layer.as_str(),
        "kind": memory.memory_type.as_str(),
        "status": memory.status.as_str(),
        "isLatest": is_head(memory),
        "revision": memory.revision.0,
        "by": memory.by.as_str(),
        "at": memory.source.at.0,
        "date": day::local(memory.source.at.0, 0),
        "createdAt": memory.created_at.0,
        "sourceIds": ids(&memory.source.source_ids),
        "supersedes": ids(&memory.supersedes),
        "supersededBy": ids(&memory.superseded_by),
        "conflictsWith": ids(&memory.conflicts_with),
    });
    let mut put = |name: &str, value: Option<Value>| {
        if let (Value::Object(map), Some(value)) = (&mut out, value) {
            map.insert(name.to_owned(), value);
        }
    };
    let quote = memory.source.quote.as_str();
    put("quote", (!quote.is_empty()).then(|| quote.into()));
    put("validFrom", memory.valid_from.map(|at| at.0.into()));
    put("validUntil", memory.valid_until.map(|at| at.0.into()));
    put(
        "temporalScope",
        memory.temporal_scope.as_deref().map(Value::from),
    );
    if !memory.source.aliases.is_empty() {
        put("aliases", Some(ids(&memory.source.aliases).into()));
    }
    if let Some(procedure) = &memory.procedure {
        let mut bytes = Vec::new();
        procedure.write(&mut bytes);
        put("procedure", serde_json::from_slice(&bytes).ok());
    }
    out
}

/// Fuses meaning and words: the weighted sum where there are vectors, words alone where there are none. Best first, ties by id.
///
/// Words count against the best of their list, meaning as its cosine; both then lie in 0..=1.
pub fn fused(semantic: Option<Ranked>, lexical: Ranked) -> Ranked {
    let most = lexical.iter().map(|x| x.1).fold(0.0, f64::max);
    weighed(semantic, lexical, most)
}

/// Fuses meaning and words as [`fused`], but for what words count against: `most` is a whole match.
pub fn weighed(semantic: Option<Ranked>, lexical: Ranked, most: f64) -> Ranked {
    let share = |score: f64| if most > 0.0 { score / most } else { 0.0 };
    let Some(semantic) = semantic else {
        return sorted(
            lexical
                .into_iter()
                .map(|(id, score)| (id, share(score)))
                .collect(),
        );
    };
    let mut out: Ranked = semantic
        .into_iter()
        .map(|(id, cosine)| (id, SEMANTIC_WEIGHT * cosine.clamp(0.0, 1.0)))
        .collect();
    for (id, score) in lexical {
        let words = LEXICAL_WEIGHT * share(score);
        match out.iter_mut().find(|(known, _)| *known == id) {
            Some((_, sum)) => *sum += words,
            None => out.push((id, words)),
        }
    }
    sorted(out)
}

/// Fuses two orders of raw sources by reciprocal rank, scaled so that the first of both has [`RAW_MAX`].
pub fn raw(orders: &[Ranked]) -> Ranked {
    let mut out: Ranked = Vec::new();
    let scale = RAW_MAX * (RANK_CONSTANT + 1.0) / orders.len().max(1) as f64;
    for order in orders {
        for (place, (id, _)) in order.iter().enumerate() {
            let part = scale / (RANK_CONSTANT + place as f64 + 1.0);
            match out.iter_mut().find(|(known, _)| known == id) {
                Some((_, sum)) => *sum += part,
                None => out.push((id.clone(), part)),
            }
        }
    }
    sorted(out)
}

fn sorted(mut ranked: Ranked) -> Ranked {
    order::sort_by(&mut ranked, |a, b| {
        b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0))
    });
    ranked
}

/// Returns whether a memory may be found at a time: without one, validity says nothing.
pub fn holds(memory: &Memory, as_of: Option<Millis>) -> bool {
    as_of.is_none_or(|at| memory.holds_at(at))
}

/// Makes a search result one list: statements and raw sources by score, each id once, statements first on a tie; behind them the
/// procedures in their own order, since their scores are of another measure.
pub fn flatten(result: &Value) -> Vec<Value> {
    let list = |name: &str| {
        result
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let mut out: Vec<&Value> = Vec::new();
    for item in list("memories").chain(list("raw")) {
        if !out.iter().any(|known| known.get("id") == item.get("id")) {
            out.push(item);
        }
    }
    let score = |item: &Value| item.get("score").and_then(Value::as_f64).unwrap_or(0.0);
    let mut placed: Vec<(usize, &Value)> = out.into_iter().enumerate().collect();
    order::sort_by(&mut placed, |a, b| {
        score(b.1).total_cmp(&score(a.1)).then(a.0.cmp(&b.0))
    });
    let procedures = list("procedures");
    let all = placed.into_iter().map(|(_, item)| item).chain(procedures);
    all.cloned().collect()
}

/// Returns items as lines for a prompt, each with what it replaced, what contradicts it, and when it holds.
pub fn format(items: &[Value]) -> String {
    let mut out = String::new();
    for item in items.iter().filter_map(Value::as_object) {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or("");
        out.push_str("- [");
        if item.contains_key("procedure") {
            out.push_str("procedure ");
        }
        out.push_str(text("date"));
        out.push_str("] ");
        out.push_str(&one_line(text("text")));
        for (name, says) in [("boundaryEnvs", " (needs: "), ("files", " (files: ")] {
            let texts = item.get("procedure").and_then(|x| x.get(name)?.as_array());
            let texts = texts.into_iter().flatten().filter_map(Value::as_str);
            let texts: Vec<String> = texts.map(one_line).collect();
            if !texts.is_empty() {
                out.push_str(says);
                out.push_str(&texts.join(", "));
                out.push(')');
            }
        }
        for (name, says) in [
            ("previous", "previously, "),
            ("conflicts", "conflicts, both unretracted: "),
        ] {
            related(item, name, says, &mut out);
        }
        validity(item, &mut out);
        out.push('\n');
    }
    out
}

/// Returns what stands beside the hits of a result as lines for a prompt: schemas, and the catalogue by domain.
pub fn beside(result: &Value) -> String {
    let mut out = String::new();
    for (list, label) in [("derived", "kind"), ("catalog", "domain")] {
        let items = result.get(list).and_then(Value::as_array);
        for item in items.into_iter().flatten() {
            let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or("");
            out.push_str(&format!("- [{}] {}\n", text(label), one_line(text("text"))));
        }
    }
    out
}

fn related(item: &Map<String, Value>, name: &str, says: &str, out: &mut String) {
    let others = item.get(name).and_then(Value::as_array);
    for other in others.into_iter().flatten() {
        let text = |name: &str| other.get(name).and_then(Value::as_str).unwrap_or("");
        out.push_str(" (");
        out.push_str(says);
        if name == "previous" {
            out.push_str(text("date"));
            out.push_str(": ");
        }
        out.push_str(&one_line(text("text")));
        out.push(')');
    }
}

fn validity(item: &Map<String, Value>, out: &mut String) {
    let at = |name: &str| item.get(name).and_then(Value::as_f64);
    let (from, until) = (at("validFrom"), at("validUntil"));
    if from.is_none() && until.is_none() {
        return;
    }
    // Saturating casts of what was a whole number; the last day is the one before the first instant outside.
    let first = from.map_or("…".to_owned(), |ms| day::local(ms as i64, 0));
    let last = until.map_or("…".to_owned(), |ms| {
        day::local((ms as i64).saturating_sub(1), 0)
    });
    out.push_str(&format!(" (valid: {first} → {last})"));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(list: &[(&str, f64)]) -> Ranked {
        list.iter()
            .map(|(id, score)| (MemoryId::from(*id), *score))
            .collect()
    }

    #[test]
    fn meaning_counts_for_three_fifths_and_words_for_two() {
        let found = fused(
            Some(ranked(&[("m-a", 0.9), ("m-b", 0.5)])),
            ranked(&[("m-b", 8.0), ("m-c", 4.0)]),
        );
        let expected = ranked(&[("m-b", 0.3 + 0.4), ("m-a", 0.54), ("m-c", 0.2)]);
        assert_eq!(found.len(), 3);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(
            fused(None, ranked(&[("m-a", 3.0)])),
            ranked(&[("m-a", 1.0)])
        );
    }

    #[test]
    fn a_raw_source_scores_at_most_one_half() {
        let both = raw(&[
            ranked(&[("m-a", 9.0), ("m-b", 1.0)]),
            ranked(&[("m-a", 0.4)]),
        ]);
        assert!((both[0].1 - 0.5).abs() < 1e-9);
        assert!(both[1].1 < 0.25);
        assert_eq!(raw(&[ranked(&[("m-a", 9.0)])]), ranked(&[("m-a", 0.5)]));
    }

    #[test]
    fn a_line_says_what_was_before_what_contradicts_and_when_it_holds() {
        let items = [json!({
            "date": "2026-03-01", "text": "Mara lives in Porto.",
            "previous": [{ "date": "2025-01-01", "text": "Mara lives in Faro." }],
            "conflicts": [{ "date": "2026-02-01", "text": "Mara lives in Braga." }],
            "validFrom": 1_772_323_200_000i64, "validUntil": 1_774_915_200_000i64,
        })];
        assert_eq!(
            format(&items),
            "- [2026-03-01] Mara lives in Porto. (previously, 2025-01-01: Mara lives in Faro.) (conflicts, both unretracted: Mara lives in Braga.) (valid: 2026-03-01 → 2026-03-30)\n"
        );
    }

    #[test]
    fn a_line_of_a_procedure_says_what_it_needs_and_which_files_it_was_about() {
        let items = [json!({
            "date": "2026-03-01", "text": "Fix the clock: Set TZ.",
            "procedure": { "boundaryEnvs": ["Node 24"], "files": ["a.ts", "b.ts"] },
        })];
        assert_eq!(
            format(&items),
            "- [procedure 2026-03-01] Fix the clock: Set TZ. (needs: Node 24) (files: a.ts, b.ts)\n"
        );
    }

    #[test]
    fn a_flat_result_has_each_memory_once_by_score() {
        let result = json!({
            "memories": [{ "id": "m-a", "score": 0.4 }, { "id": "m-b", "score": 0.3 }],
            "raw": [{ "id": "m-r", "score": 0.35 }, { "id": "m-a", "score": 0.5 }],
            "procedures": [{ "id": "m-p", "score": 0.9 }, { "id": "m-q", "score": 0.8 }],
        });
        let flat = flatten(&result);
        let ids: Vec<&str> = flat.iter().filter_map(|x| x["id"].as_str()).collect();
        assert_eq!(ids, ["m-a", "m-r", "m-b", "m-p", "m-q"]);
    }
}
