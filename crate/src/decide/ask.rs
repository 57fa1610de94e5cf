//! Questions with one answer out of several, as a judge is sent them, and the strict reading of its reply.
//!
//! The wire is Jev's (`docs/jev.md`). A judge given by the caller is sent the same and held to the same.

use super::error::{Error, Kind};
use crate::judge::ordered::Writer;
use serde_json::Value;

/// The role of a candidate, and of what it is about, in a question.
pub const NAME_PROPOSAL: &str = "proposal";
pub const NAME_TARGET: &str = "target";

/// Options of one question, the one for none included. Source: the contract; one more is refused with 400.
pub const OPTIONS_MAX: usize = 255;

/// Something a question shows beside its text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    pub role: &'static str,
    /// Fields by name, in order.
    pub fields: Vec<(&'static str, String)>,
}

/// One question: a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Unique within a request. Never shown to the model.
    pub id: String,
    pub text: &'static str,
    pub shown: Vec<Shown>,
    /// Names, which the model sees, and when each applies.
    pub options: Vec<(String, String)>,
}

/// What a judge chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The option's place.
    pub option: usize,
    /// 0..=1; how far the choice stands above the others, as the judge says or by the contract's formula.
    pub confidence: f64,
}

impl Question {
    /// Appends the question as a field of `questions`.
    fn write(&self, questions: &mut Writer<'_>) {
        let mut object = Writer::object(questions.field(&self.id));
        object.text("type", "choice");
        let mut instructions = Writer::object(object.field("instructions"));
        instructions.text("question", self.text);
        for shown in &self.shown {
            let mut fields = Writer::object(instructions.field(shown.role));
            for (name, value) in &shown.fields {
                fields.text(name, value);
            }
            fields.end();
        }
        instructions.end();
        let mut criteria = Writer::object(object.field("criteria"));
        for (name, meaning) in &self.options {
            criteria.text(name, meaning);
        }
        criteria.end();
        object.end();
    }

    /// Returns the characters the question takes in a request.
    pub fn chars(&self) -> usize {
        let mut out = String::new();
        let mut object = Writer::object(&mut out);
        self.write(&mut object);
        out.chars().count()
    }
}

/// Returns the body of one request about `state`, which is JSON.
pub fn body(model: &str, state: &str, questions: &[Question]) -> String {
    let mut out = String::new();
    let mut object = Writer::object(&mut out);
    object.text("model", model);
    object.field("state").push_str(state);
    let mut all = Writer::object(object.field("questions"));
    for question in questions {
        question.write(&mut all);
    }
    all.end();
    object.end();
    out
}

/// Reads a reply: what was chosen for each question, in their order, and the version that answered.
///
/// # Errors
/// `JudgeContractError` for anything but exactly one answer to each question, of its type, out of its options. It is the
/// provider's word, so nothing is asked again.
pub fn read(reply: &[u8], questions: &[Question]) -> Result<(Vec<Chosen>, String), Error> {
    let contract = |detail: String| Error::new(Kind::Contract, detail);
    let reply: Value = serde_json::from_slice(reply)
        .map_err(|_| contract("the judge's reply is not JSON".to_owned()))?;
    let answers = reply
        .get("answers")
        .and_then(Value::as_object)
        .ok_or_else(|| contract("the judge's reply has no `answers`".to_owned()))?;
    if let Some(extra) = answers
        .keys()
        .find(|id| !questions.iter().any(|question| question.id == **id))
    {
        let id = crate::text::cut(extra, 40);
        return Err(contract(format!(
            "the judge answered `{id}`, which was not asked"
        )));
    }
    let mut out = Vec::with_capacity(questions.len());
    for question in questions {
        let id = &question.id;
        let answer = answers
            .get(id)
            .ok_or_else(|| contract(format!("the judge did not answer `{id}`")))?;
        out.push(choice(answer, question).map_err(|detail| contract(format!("`{id}`: {detail}")))?);
    }
    let model = reply.get("model").and_then(Value::as_str).unwrap_or("");
    Ok((out, crate::text::cut(model, 80).to_owned()))
}

fn choice(answer: &Value, question: &Question) -> Result<Chosen, &'static str> {
    if answer.get("type").and_then(Value::as_str) != Some("choice") {
        return Err("the answer is of another type than its question");
    }
    let chosen = answer.get("choice").and_then(Value::as_str);
    let option = question
        .options
        .iter()
        .position(|(name, _)| Some(name.as_str()) == chosen)
        .ok_or("the choice is none of the options")?;
    let unit = |value: &Value| value.as_f64().filter(|x| (0.0..=1.0).contains(x));
    let mut mine = None;
    // A judge of the caller's own may give its choice alone.
    if let Some(given) = answer.get("probabilities").filter(|x| !x.is_null()) {
        let given = given.as_object().ok_or("the probabilities are no object")?;
        let known = |name: &String| question.options.iter().any(|option| option.0 == *name);
        if given.len() != question.options.len() || !given.keys().all(known) {
            return Err("the probabilities are not those of the options");
        }
        if !given.values().all(|value| unit(value).is_some()) {
            return Err("an option has no probability from 0 to 1");
        }
        mine = chosen.and_then(|name| given.get(name)).and_then(unit);
    }
    let confidence = match answer.get("confidence").filter(|x| !x.is_null()) {
        Some(value) => unit(value).ok_or("a confidence is not from 0 to 1")?,
        None => of(mine, question.options.len()),
    };
    Ok(Chosen { option, confidence })
}

/// The confidence of a choice whose largest probability is `mine`.
///
/// # Source
/// The contract's formula, `(m - 1/n) / (1 - 1/n)`. Without any probability the choice counts as sure.
fn of(mine: Option<f64>, n_options: usize) -> f64 {
    match mine {
        Some(m) if n_options > 1 => {
            let even = 1.0 / n_options as f64;
            ((m - even) / (1.0 - even)).clamp(0.0, 1.0)
        }
        _ => 1.0,
    }
}
