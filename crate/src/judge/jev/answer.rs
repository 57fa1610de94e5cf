//! What Jev answered, checked before anything is believed.

use super::super::questions::{NOTHING, TYPES};
use super::super::{Answer, Asked, Fault, Usage};
use super::request::{Part, id, option};
use crate::memory::Type;
use serde_json::{Map, Value};

/// A reply whose form holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The version that answered, not the alias that was asked.
    pub model: String,
    pub usage: Usage,
    /// For each place of the part, in order.
    pub rows: Vec<(usize, Result<Answer, Fault>)>,
}

/// How far probabilities may miss a sum of 1: rounding to two decimals misses by half a hundredth an option.
///
/// # Source
/// The official client's live test allows 0.05; recorded answers are rounded to two decimals (`docs/jev.md`).
const SUM_SLACK: f64 = 0.05;
const ROUNDING: f64 = 0.005;
/// How far the chosen option may be below the most probable one.
const TIE_SLACK: f64 = 0.011;
/// Characters of a model's name that are kept.
const MODEL_MAX_CHARS: usize = 80;

/// Reads the body of a reply with status 200.
///
/// # Errors
/// `jev-contract` when the body is no such reply at all: no JSON, no model, answers that nobody asked for. A single
/// answer that is missing or wrong is the fault of its candidate alone.
pub fn read(body: &[u8], part: &Part, asked: &[Asked]) -> Result<Answered, Fault> {
    let reply: Value =
        serde_json::from_slice(body).map_err(|_| contract("the body of a 200 is not JSON"))?;
    let model = reply
        .get("model")
        .and_then(Value::as_str)
        .filter(|name| !name.trim().is_empty())
        .ok_or_else(|| contract("the reply names no model"))?;
    let answers = reply
        .get("answers")
        .and_then(Value::as_object)
        .ok_or_else(|| contract("the reply has no answers"))?;
    let expected = |name: &String| {
        part.places.iter().any(|&place| {
            ["remember", "type", "contradicts"]
                .iter()
                .any(|what| *name == id(place, what))
        })
    };
    if !answers.keys().all(expected) {
        return Err(contract("there is an answer that nobody asked for"));
    }
    let rows = part
        .places
        .iter()
        .filter_map(|&place| Some((place, row(answers, place, asked.get(place)?))))
        .collect();
    Ok(Answered {
        model: model
            .chars()
            .filter(|c| !c.is_control())
            .take(MODEL_MAX_CHARS)
            .collect(),
        usage: usage(&reply),
        rows,
    })
}

fn row(answers: &Map<String, Value>, place: usize, asked: &Asked) -> Result<Answer, Fault> {
    let remember = entry(answers, place, "remember", "noul")?;
    let remember =
        probability(remember.get("noul")).ok_or_else(|| contract("a noul is no probability"))?;
    let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    let (place_of_type, _) = choice(entry(answers, place, "type", "choice")?, &names)?;
    let memory_type = names
        .get(place_of_type)
        .and_then(|name| Type::ALL.into_iter().find(|known| known.as_str() == *name));
    let contradicts = if asked.known.is_empty() {
        None
    } else {
        let named: Vec<String> = (0..asked.known.len()).map(option).collect();
        let mut names = vec![NOTHING];
        names.extend(named.iter().map(String::as_str));
        let (chosen, probability) =
            choice(entry(answers, place, "contradicts", "choice")?, &names)?;
        chosen.checked_sub(1).map(|known| (known, probability))
    };
    Ok(Answer {
        remember,
        memory_type,
        contradicts,
    })
}

fn entry<'a>(
    answers: &'a Map<String, Value>,
    place: usize,
    what: &str,
    kind: &str,
) -> Result<&'a Value, Fault> {
    let found = answers.get(&id(place, what)).ok_or_else(|| {
        Fault::new(
            "jev-missing-row",
            format!("the question `{what}` of a sentence has no answer"),
        )
    })?;
    if found.get("type").and_then(Value::as_str) == Some(kind) {
        Ok(found)
    } else {
        Err(contract("an answer is of another type than its question"))
    }
}

/// Returns the place of the chosen option in `names`, and its probability.
fn choice(answer: &Value, names: &[&str]) -> Result<(usize, f64), Fault> {
    let chosen = answer.get("choice").and_then(Value::as_str);
    let place = names
        .iter()
        .position(|name| Some(*name) == chosen)
        .ok_or_else(|| contract("the choice is none of its options"))?;
    let given = answer
        .get("probabilities")
        .and_then(Value::as_object)
        .filter(|given| given.len() == names.len())
        .ok_or_else(|| contract("the probabilities are not those of the options"))?;
    let mut probabilities = Vec::with_capacity(names.len());
    for name in names {
        let one = probability(given.get(*name))
            .ok_or_else(|| contract("an option has no probability from 0 to 1"))?;
        probabilities.push(one);
    }
    let slack = SUM_SLACK.max(ROUNDING * names.len() as f64);
    if (probabilities.iter().sum::<f64>() - 1.0).abs() > slack {
        return Err(contract("the probabilities of a choice do not add up to 1"));
    }
    let mine = probabilities.get(place).copied().unwrap_or_default();
    if probabilities.iter().any(|other| *other > mine + TIE_SLACK) {
        return Err(contract("the choice is not the most probable option"));
    }
    // Servers compute it in their own ways, so only its range is looked at; one that is missing is not missed.
    if answer
        .get("confidence")
        .is_some_and(|value| !value.is_null() && probability(Some(value)).is_none())
    {
        return Err(contract("a confidence is not from 0 to 1"));
    }
    Ok((place, mine))
}

fn probability(value: Option<&Value>) -> Option<f64> {
    value?.as_f64().filter(|p| (0.0..=1.0).contains(p))
}

/// Missing usage is unknown, not an error.
fn usage(reply: &Value) -> Usage {
    let count = |name: &str| {
        let told = reply.get("usage").and_then(|usage| usage.get(name));
        told.and_then(Value::as_f64)
            .filter(|tokens| *tokens >= 0.0)
            // Saturating: a number past the range becomes the largest.
            .map_or(0, |tokens| tokens as u64)
    };
    Usage {
        requests: 1,
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
    }
}

fn contract(detail: &str) -> Fault {
    Fault::new("jev-contract", detail)
}
