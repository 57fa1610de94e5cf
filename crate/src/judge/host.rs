//! The host's own model as a judge: one call a turn for all candidates, answering labels only.
//!
//! Whatever else the answer says is dropped unread; there is no field it could go to.

use super::ordered::Writer;
use super::questions::HOST_SYSTEM;
use super::{Answer, Asked, Fault};
use crate::memory::Type;
use serde_json::Value;

/// Candidates of one call. More are left to the next judge.
pub const CANDIDATES_MAX: usize = 32;

/// Characters of one prompt.
const PROMPT_MAX_CHARS: usize = 60_000;

/// Known memories named to the model for one candidate. All candidates share one prompt, which the user pays for.
const KNOWN_MAX: usize = 10;

/// What the model is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub system: String,
    pub prompt: String,
    /// What an answer to all candidates needs, three times over.
    pub max_tokens: u32,
}

/// Builds the prompt.
///
/// # Errors
/// `host-too-large` when the candidates with what is known do not fit one call.
pub fn prompt(asked: &[Asked]) -> Result<Prompt, Fault> {
    let mut out = String::new();
    let mut object = Writer::object(&mut out);
    let mut list = Writer::list(object.field("sentences"));
    for (place, one) in asked.iter().enumerate() {
        let mut sentence = Writer::object(list.item());
        sentence.field("id").push_str(&(place + 1).to_string());
        sentence.text("sentence", &one.text);
        sentence.text("before", &one.before);
        sentence.text("after", &one.after);
        let mut known = Writer::object(sentence.field("known"));
        for (number, memory) in one.known.iter().take(KNOWN_MAX).enumerate() {
            known.text(&(number + 1).to_string(), &memory.text);
        }
        known.end();
        sentence.end();
    }
    list.end();
    object.end();
    let chars = out.chars().count();
    if chars > PROMPT_MAX_CHARS {
        return Err(Fault::new(
            "host-too-large",
            format!("the prompt has {chars} characters"),
        ));
    }
    Ok(Prompt {
        system: HOST_SYSTEM.to_owned(),
        prompt: out,
        max_tokens: 64 + 120 * asked.len() as u32,
    })
}

/// Reads the model's answer: a row for each candidate of `asked`.
///
/// # Errors
/// `host-bad-answer` when it is not one JSON array of labels about these candidates. A row that is missing or out of
/// range is the fault of its candidate alone.
pub fn read(text: &str, asked: &[Asked]) -> Result<Vec<Result<Answer, Fault>>, Fault> {
    let bad = |detail: &str| Fault::new("host-bad-answer", detail);
    let value: Value = serde_json::from_str(unfenced(text.trim()))
        .map_err(|_| bad("the answer is not JSON alone"))?;
    let list = value
        .as_array()
        .ok_or_else(|| bad("the answer is not an array"))?;
    let mut rows: Vec<Option<Result<Answer, Fault>>> = vec![None; asked.len()];
    for item in list {
        let slot = whole(item.get("id"))
            .and_then(|id| id.checked_sub(1))
            .and_then(|place| Some((asked.get(place)?, rows.get_mut(place)?)));
        match slot {
            None => return Err(bad("a row names no sentence")),
            Some((_, Some(_))) => return Err(bad("two rows name the same sentence")),
            Some((one, slot)) => *slot = Some(row(item, one)),
        }
    }
    let missing = || Err(Fault::new("host-missing-row", "a sentence has no row"));
    Ok(rows
        .into_iter()
        .map(|row| row.unwrap_or_else(missing))
        .collect())
}

fn row(item: &Value, asked: &Asked) -> Result<Answer, Fault> {
    let bad = |detail: &str| Fault::new("host-bad-row", detail);
    let remember = item
        .get("remember")
        .and_then(Value::as_f64)
        .filter(|score| (0.0..=1.0).contains(score))
        .ok_or_else(|| bad("`remember` is not from 0 to 1"))?;
    let memory_type = match item.get("type").and_then(Value::as_str) {
        Some("none") => None,
        Some(name) => Some(
            Type::ALL
                .into_iter()
                .find(|known| known.as_str() == name)
                .ok_or_else(|| bad("`type` is none of the types"))?,
        ),
        None => return Err(bad("`type` is missing")),
    };
    let contradicts = match item.get("contradicts") {
        None | Some(Value::Null) => None,
        Some(number) => {
            let shown = asked.known.len().min(KNOWN_MAX);
            let place = whole(Some(number))
                .and_then(|number| number.checked_sub(1))
                .filter(|place| *place < shown)
                .ok_or_else(|| bad("`contradicts` is no number of a known statement"))?;
            Some((place, 1.0))
        }
    };
    Ok(Answer {
        remember,
        memory_type,
        contradicts,
    })
}

fn whole(value: Option<&Value>) -> Option<usize> {
    usize::try_from(value?.as_u64()?).ok()
}

/// Takes off one code fence around the whole answer, which says nothing.
fn unfenced(text: &str) -> &str {
    let inside = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|rest| rest.strip_suffix("```"));
    inside.map_or(text, str::trim)
}

#[cfg(test)]
mod tests {
    use super::super::Known;
    use super::*;

    fn asked() -> Vec<Asked> {
        let known = Known {
            id: "m-1".into(),
            text: "服务端口用 7000。".to_owned(),
        };
        let one = |text: &str, known: Vec<Known>| Asked {
            text: text.to_owned(),
            known,
            ..Asked::default()
        };
        vec![
            one("服务端口改成 7010。", vec![known]),
            one("Rename the draft.", Vec::new()),
        ]
    }

    fn check(text: &str, expected: &str) {
        let told = match read(text, &asked()) {
            Err(fault) => fault.cause.to_owned(),
            Ok(rows) => {
                let row = |row: &Result<Answer, Fault>| match row {
                    Err(fault) => fault.cause.to_owned(),
                    Ok(answer) => format!(
                        "{} {} {:?}",
                        answer.remember,
                        answer.memory_type.map_or("none", Type::as_str),
                        answer.contradicts.map(|(place, _)| place)
                    ),
                };
                rows.iter().map(row).collect::<Vec<_>>().join(", ")
            }
        };
        assert_eq!(told, expected, "{text}");
    }

    const FIRST: &str = r#"{"id":1,"remember":0.9,"type":"decision","contradicts":1}"#;
    const SECOND: &str = r#"{"id":2,"remember":0,"type":"none","contradicts":null}"#;

    #[test]
    fn labels_are_read_in_any_order_and_other_text_is_dropped() {
        let both = "0.9 decision Some(0), 0 none None";
        check(&format!("[{FIRST},{SECOND}]"), both);
        check(&format!("[{SECOND},\n{FIRST}]\n"), both);
        check(&format!("```json\n[{FIRST},{SECOND}]\n```"), both);
        let chatty = FIRST.replace("\"id\"", "\"rewritten\":\"use 7010\",\"id\"");
        check(&format!("[{chatty},{SECOND}]"), both);
    }

    #[test]
    fn anything_but_the_array_is_no_answer() {
        check("", "host-bad-answer");
        check("I cannot help with that.", "host-bad-answer");
        check(
            &format!("Here you are: [{FIRST},{SECOND}]"),
            "host-bad-answer",
        );
        check(&format!("[{FIRST},{SECOND}] Done."), "host-bad-answer");
        check(FIRST, "host-bad-answer");
        check(&format!("[{FIRST},{FIRST}]"), "host-bad-answer");
        check(
            &format!("[{FIRST},{}]", SECOND.replace(":2", ":3")),
            "host-bad-answer",
        );
        check(
            &format!("[{FIRST},{}]", SECOND.replace(":2", ":0")),
            "host-bad-answer",
        );
    }

    #[test]
    fn a_row_that_is_missing_or_wrong_is_one_candidates_loss() {
        let first = "0.9 decision Some(0)";
        check(&format!("[{FIRST}]"), &format!("{first}, host-missing-row"));
        for (from, to) in [
            (":0,", ":1.3,"),
            (":0,", ":\"high\","),
            ("\"none\"", "\"secret\""),
            ("null", "1"),
            ("null", "\"all\""),
        ] {
            let second = SECOND.replace(from, to);
            check(
                &format!("[{FIRST},{second}]"),
                &format!("{first}, host-bad-row"),
            );
        }
    }

    #[test]
    fn candidates_are_numbered_data() {
        let built = prompt(&asked()).unwrap();
        let value: Value = serde_json::from_str(&built.prompt).unwrap();
        assert_eq!(value["sentences"][0]["id"], 1);
        assert_eq!(value["sentences"][0]["known"]["1"], "服务端口用 7000。");
        assert_eq!(value["sentences"][1]["known"], serde_json::json!({}));
        let many = vec![
            Asked {
                text: "x".repeat(4_000),
                ..Asked::default()
            };
            20
        ];
        assert_eq!(prompt(&many).unwrap_err().cause, "host-too-large");
    }
}
