use super::retry::{failure, message, wait_before};
use super::*;
use crate::judge::{Answer, Asked, Known};
use crate::memory::Type;
use serde_json::{Value, json};

fn asked() -> Vec<Asked> {
    vec![
        Asked {
            text: "服务端口改成 7010。".to_owned(),
            before: "先看看日志。".to_owned(),
            after: String::new(),
            known: vec![Known {
                id: "m-1".into(),
                text: "服务端口用 7000。".to_owned(),
            }],
        },
        Asked {
            text: "Always run the linter.".to_owned(),
            ..Asked::default()
        },
    ]
}

fn good() -> Value {
    let types = json!({ "constraint": 0.1, "pitfall": 0.0, "decision": 0.9, "none of these": 0.0 });
    json!({
        "model": "jev-1.13.0",
        "answers": {
            "c0_remember": { "type": "noul", "noul": 0.93 },
            "c0_type": { "type": "choice", "choice": "decision", "confidence": 0.87, "probabilities": types },
            "c0_contradicts": { "type": "choice", "choice": "remembered 1", "confidence": 0.8,
                "probabilities": { "nothing": 0.1, "remembered 1": 0.9 } },
            "c1_remember": { "type": "noul", "noul": 0.2 },
            "c1_type": { "type": "choice", "choice": "none of these",
                "probabilities": { "constraint": 0.0, "pitfall": 0.0, "decision": 0.3, "none of these": 0.7 } },
        },
        "usage": { "input_tokens": 304, "output_tokens": 18 },
        "x_debug": { "anything": [1] },
    })
}

fn one_part() -> Part {
    let (parts, refused) = parts(&asked(), "jev-latest");
    assert!(refused.is_empty());
    assert_eq!(parts.len(), 1);
    parts.into_iter().next().unwrap()
}

fn told(reply: &Value) -> String {
    match read(reply.to_string().as_bytes(), &one_part(), &asked()) {
        Err(fault) => fault.cause.to_owned(),
        Ok(answered) => {
            let row = |row: &Result<Answer, crate::judge::Fault>| match row {
                Err(fault) => fault.cause.to_owned(),
                Ok(answer) => format!(
                    "{} {} {:?}",
                    answer.remember,
                    answer.memory_type.map_or("none", Type::as_str),
                    answer.contradicts
                ),
            };
            let rows: Vec<String> = answered.rows.iter().map(|(_, one)| row(one)).collect();
            rows.join(", ")
        }
    }
}

const BOTH: &str = "0.93 decision Some((0, 0.9)), 0.2 none None";
const SECOND: &str = "0.2 none None";

/// A reply with one change.
fn check(path: &str, value: Value, expected: &str) {
    let mut reply = good();
    let slot = reply.pointer_mut(path).expect(path);
    *slot = value;
    assert_eq!(told(&reply), expected, "{path}");
}

#[test]
fn a_good_reply_is_read() {
    assert_eq!(told(&good()), BOTH);
    let answered = read(good().to_string().as_bytes(), &one_part(), &asked()).unwrap();
    assert_eq!(answered.model, "jev-1.13.0");
    assert_eq!(answered.usage.input_tokens, 304);
}

#[test]
fn what_a_reply_may_lack_is_not_missed() {
    check("/usage", json!(null), BOTH);
    check(
        "/usage",
        json!({ "input_tokens": 12.0, "output_tokens": "many" }),
        BOTH,
    );
    check("/answers/c0_type/confidence", json!(null), BOTH);
    // Two decimals each may miss 1 by half a hundredth each.
    check(
        "/answers/c0_contradicts/probabilities/nothing",
        json!(0.14),
        BOTH,
    );
}

#[test]
fn a_reply_that_breaks_the_contract_is_no_answer() {
    check("/model", json!(""), "jev-contract");
    check("/model", json!(7), "jev-contract");
    check("/answers", json!([]), "jev-contract");
    let mut extra = good();
    extra["answers"]["c9_remember"] = json!({ "type": "noul", "noul": 0.5 });
    assert_eq!(told(&extra), "jev-contract");
    for body in [
        "",
        "<html>",
        "{\"model\":\"m\",\"answers\":{\"c0_re",
        ")]}'\n{}",
    ] {
        let read = read(body.as_bytes(), &one_part(), &asked());
        assert_eq!(read.unwrap_err().cause, "jev-contract", "{body}");
    }
}

#[test]
fn one_wrong_answer_is_one_candidates_loss() {
    let lost = format!("jev-contract, {SECOND}");
    for (path, value) in [
        ("/answers/c0_remember/noul", json!(1.3)),
        ("/answers/c0_remember/noul", json!(-0.01)),
        ("/answers/c0_remember/noul", json!("0.9")),
        ("/answers/c0_remember/type", json!("boolean")),
        ("/answers/c0_type/choice", json!("fact")),
        ("/answers/c0_type/choice", json!("Decision")),
        ("/answers/c0_type/choice", json!("constraint")),
        ("/answers/c0_type/confidence", json!(1.5)),
        ("/answers/c0_type/probabilities", json!({ "decision": 1.0 })),
        ("/answers/c0_type/probabilities/constraint", json!(0.4)),
        ("/answers/c0_contradicts/probabilities/nothing", json!(0.9)),
    ] {
        check(path, value, &lost);
    }
    let mut missing = good();
    missing["answers"]
        .as_object_mut()
        .unwrap()
        .remove("c0_type");
    assert_eq!(told(&missing), format!("jev-missing-row, {SECOND}"));
}

#[test]
fn all_questions_about_one_state_are_one_request() {
    let part = one_part();
    let body: Value = serde_json::from_str(&part.body).unwrap();
    assert_eq!(body["model"], "jev-latest");
    assert_eq!(body["questions"].as_object().unwrap().len(), 5);
    assert_eq!(
        body["questions"]["c0_remember"]["instructions"]["sentence"],
        "服务端口改成 7010。"
    );
    assert_eq!(body["state"]["surroundings"][0]["before"], "先看看日志。");
    let options = body["questions"]["c0_contradicts"]["criteria"]
        .as_object()
        .unwrap();
    assert_eq!(options["remembered 1"], "服务端口用 7000。");
    assert!(part.body.find("\"nothing\"").unwrap() < part.body.find("\"remembered 1\"").unwrap());
    assert_eq!(part.body.matches("先看看日志").count(), 1);
}

#[test]
fn limits_split_requests_and_what_fits_none_is_said() {
    let many = vec![asked().remove(1); 50];
    let (several, refused) = parts(&many, "m");
    assert!(refused.is_empty());
    assert_eq!(
        several.iter().map(|part| part.places.len()).sum::<usize>(),
        50
    );
    for part in &several {
        let body: Value = serde_json::from_str(&part.body).unwrap();
        assert!(body["questions"].as_object().unwrap().len() <= 64);
        assert_eq!(body["state"]["surroundings"].as_array().unwrap().len(), 50);
    }
    let mut huge = asked();
    huge[1].text = "字".repeat(40_000);
    let (fitting, refused) = parts(&huge, "m");
    assert_eq!(fitting[0].places, [0]);
    assert_eq!((refused[0].0, refused[0].1.cause), (1, "jev-too-large"));
    huge.remove(0);
    assert!(parts(&huge, "m").0.is_empty());
}

#[test]
fn an_endpoint_may_be_a_root_or_whole() {
    for (given, expected) in [
        ("", ENDPOINT),
        (
            "http://127.0.0.1:8000",
            "http://127.0.0.1:8000/v1/systemone",
        ),
        (
            "http://127.0.0.1:8000/",
            "http://127.0.0.1:8000/v1/systemone",
        ),
        (
            "https://proxy.example/typesafe/v1/systemone",
            "https://proxy.example/typesafe/v1/systemone",
        ),
    ] {
        assert_eq!(endpoint(given), expected);
    }
}

/// A refused request: its cause, whether it is tried again, and the wait that was asked for.
fn refused(status: u16, headers: &[(&str, &str)], body: &str) -> (String, bool, Option<u64>) {
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let failed = failure(status, &header, body.as_bytes(), 784_111_770_000);
    (failed.fault.cause.to_owned(), failed.retry, failed.wait_ms)
}

#[test]
fn a_status_says_whether_to_try_again() {
    for (status, cause, retry) in [
        (400, "jev-refused", false),
        (401, "jev-auth", false),
        (402, "jev-no-credit", false),
        (403, "jev-auth", false),
        (404, "jev-refused", false),
        (408, "jev-timeout", true),
        (413, "jev-too-large", false),
        (422, "jev-refused", false),
        (429, "jev-rate-limited", true),
        (500, "jev-server", true),
        (501, "jev-server", false),
        (502, "jev-server", true),
        (503, "jev-server", true),
        (504, "jev-server", true),
        (529, "jev-overloaded", true),
    ] {
        assert_eq!(refused(status, &[], "{}"), (cause.to_owned(), retry, None));
    }
    let wrapped = r#"{"error":{"message":"HTTP 400: {\"detail\":{\"error_type\":\"max_tokens_exceeded\"}}","code":400}}"#;
    assert_eq!(refused(400, &[], wrapped).0, "jev-too-large");
}

#[test]
fn a_wait_is_read_in_each_form() {
    let wait = |headers: &[(&str, &str)]| refused(429, headers, "").2;
    assert_eq!(
        wait(&[("retry-after-ms", "250"), ("retry-after", "9")]),
        Some(250)
    );
    assert_eq!(wait(&[("retry-after", "1.5")]), Some(1_500));
    assert_eq!(
        wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
        Some(7_000)
    );
    assert_eq!(
        wait(&[("retry-after", "Sat, 05 Nov 1994 08:49:37 GMT")]),
        Some(0)
    );
    for odd in [
        "soon",
        "-3",
        "NaN",
        "Sun, 06 Nov 1994",
        "Sun, 99 Foo 1994 08:49:37 GMT",
    ] {
        assert_eq!(wait(&[("retry-after", odd)]), None, "{odd}");
    }
}

#[test]
fn waits_double_up_to_a_cap_and_a_long_one_means_give_up() {
    let failed = |wait_ms| retry::Failure {
        fault: crate::judge::Fault::new("jev-server", ""),
        retry: true,
        wait_ms,
        crowded: false,
    };
    let without: Vec<_> = (1..=5)
        .map(|n| wait_before(n, &failed(None), 0.0).unwrap())
        .collect();
    assert_eq!(without, [500, 1_000, 2_000, 4_000, 5_000]);
    assert_eq!(wait_before(1, &failed(None), 1.0), Some(375));
    assert_eq!(wait_before(1, &failed(Some(60_000)), 1.0), Some(60_000));
    assert_eq!(wait_before(1, &failed(Some(60_001)), 1.0), None);
}

#[test]
fn a_message_is_found_in_every_shape() {
    for (body, expected) in [
        (r#"{"error":"bad key"}"#, "bad key"),
        (r#"{"error":{"message":"wrapped"}}"#, "wrapped"),
        (r#"{"message":"plain"}"#, "plain"),
        (r#"{"detail":"Too many choices."}"#, "Too many choices."),
        (r#"{"detail":{"error_type":"t","message":"told"}}"#, "told"),
        (
            r#"{"detail":{"error_type":"max_tokens_exceeded"}}"#,
            "max_tokens_exceeded",
        ),
        (
            r#"{"detail":[{"loc":["body","questions","c0_type",3],"msg":"Field required","type":"missing"}]}"#,
            "questions.c0_type.3: Field required",
        ),
        ("<html>\n  <b>Bad gateway</b>", "<html> <b>Bad gateway</b>"),
        ("", ""),
    ] {
        assert_eq!(message(body), expected);
    }
    assert_eq!(message(&"x".repeat(5_000)).len(), 200);
}
