//! The plugin with its two ways out of the defaults: a judge that decides about contradictions, a model that points at passages.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use crate::house;

use house::{House, ledger};
use jev_memory_core::engine::Typed;
use jev_memory_core::fake::{Disk, block_on};
use jev_memory_core::port::{HttpReply, HttpRequest, LlmReply};
use jev_memory_core::turn::Session;
use serde_json::{Map, Value, json};

const OLD: &str = "From now on the service port is always 8000.";
const NEW: &str = "From now on the service port is always 9090.";

/// Finds everything worth remembering, the new port contradictory, and its act to be `action`.
fn reply(request: &HttpRequest, action: &str) -> HttpReply {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let mut answers = Map::new();
    for (id, question) in body["questions"].as_object().unwrap() {
        if question["type"] == "noul" {
            answers.insert(id.clone(), json!({ "type": "noul", "noul": 0.9 }));
            continue;
        }
        let options: Vec<&String> = question["criteria"].as_object().unwrap().keys().collect();
        let wanted = [action, "remembered 1", "decision"];
        let chosen = options
            .iter()
            .find(|name| wanted.contains(&name.as_str()))
            .unwrap();
        let probabilities: Map<String, Value> = options
            .iter()
            .map(|name| ((*name).clone(), json!(f64::from(u8::from(name == chosen)))))
            .collect();
        answers.insert(id.clone(), json!({ "type": "choice", "choice": chosen, "probabilities": probabilities, "confidence": 1.0 }));
    }
    let body = json!({ "model": "jev-1.13.0", "answers": answers });
    HttpReply {
        status: 200,
        headers: Vec::new(),
        body: body.to_string().into_bytes(),
    }
}

/// Says the old port, then the new one; returns the statuses of both and the house.
fn two_ports(disk: &Disk, relations: &str, action: &'static str) -> House {
    let config = json!({ "judge": "jev", "relations": relations, "conflictThreshold": 0.7 });
    let house = House::mount_with(disk, 1, config, |network| {
        network.replies(move |request| Ok(reply(request, action)));
    });
    let mut talk = house.session("s1", "/repo/shop");
    talk.turn(OLD);
    talk.turn(NEW);
    drop(talk);
    house
}

fn statuses(house: &House, disk: &Disk) -> Vec<(String, String)> {
    let talk = house.session("s9", "/repo/shop");
    let hits = talk.search_with(json!({ "query": "service port", "includeHistory": true }));
    let mut out: Vec<(String, String)> = hits["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| {
            (
                hit["text"].as_str().unwrap().to_owned(),
                hit["status"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    out.sort();
    assert!(!ledger(disk).is_empty());
    out
}

fn are(house: &House, disk: &Disk, old: &str, new: &str) {
    let expected = [
        (OLD.to_owned(), old.to_owned()),
        (NEW.to_owned(), new.to_owned()),
    ];
    assert_eq!(statuses(house, disk), expected);
}

fn command(house: &House, verb: &str, words: &str) -> Value {
    let typed = Typed {
        verb: verb.to_owned(),
        words: words.to_owned(),
        session: Some(Session {
            id: "s1".into(),
            cwd: "/repo/shop".to_owned(),
            child: false,
        }),
        ..Typed::default()
    };
    serde_json::to_value(block_on(house.engine.command(house.ports(), &typed))).unwrap()
}

#[test]
fn by_default_the_human_decides() {
    let disk = Disk::new();
    let house = two_ports(&disk, "ask", "OVERRIDE");
    are(&house, &disk, "active", "needs-review");
    assert_eq!(house.rows(&disk, "conflict-ask").len(), 1);
    // No second question was sent.
    let sent = house.network.requests.borrow();
    assert!(
        sent.iter()
            .all(|request| !String::from_utf8_lossy(&request.body).contains("\"OVERRIDE\""))
    );
}

#[test]
fn a_judge_that_may_decide_puts_the_new_one_in_the_olds_place_and_it_can_be_undone() {
    for action in ["OVERRIDE", "NEGATE"] {
        let disk = Disk::new();
        let house = two_ports(&disk, "judge", action);
        are(&house, &disk, "superseded", "active");
        assert!(house.rows(&disk, "conflict-ask").is_empty());
        let resolved = house.rows(&disk, "conflict-resolved");
        assert_eq!(
            resolved[0]["choice"],
            format!("judged-{}", action.to_lowercase())
        );
        let id = resolved[0]["id"].as_str().unwrap().to_owned();
        let shown = command(&house, "show", &id);
        assert!(
            shown["text"].as_str().unwrap().contains("judged-"),
            "{shown}"
        );
        assert_eq!(command(&house, "undo", &id)["code"], "done");
        are(&house, &disk, "active", "archived");
        assert_eq!(command(&house, "undo", &id)["code"], "not-judged");
    }
}

#[test]
fn what_does_not_take_a_place_is_asked_about() {
    for action in ["CONFLICT", "NEED_CONTEXT", "SKIP", "DELETE"] {
        let disk = Disk::new();
        let house = two_ports(&disk, "judge", action);
        are(&house, &disk, "active", "needs-review");
        assert_eq!(house.rows(&disk, "conflict-ask").len(), 1, "{action}");
    }
}

#[test]
fn a_model_points_at_passages_and_what_is_stored_is_the_humans_own_words() {
    let disk = Disk::new();
    let config = json!({ "extract": "model", "normalize": { "enabled": false } });
    let said = "Morning! From now on always run make lint before pushing, and never touch the data folder. Thanks.";
    let house = House::mount_with(&disk, 1, config, |network| {
        network.says(|_| {
            let answer = json!({ "candidates": [
                { "text": "make lint always runs before pushing from now on.", "quote": "From now on always run make lint before pushing" },
                { "text": "The database moved to another city.", "quote": "never touch the data folder" },
            ] });
            Ok(LlmReply { text: answer.to_string(), model: "fake/model".to_owned(), input_tokens: 1, output_tokens: 1 })
        });
    });
    let mut talk = house.session("s1", "/repo/shop");
    let learned = talk.turn(said);
    let texts: Vec<&str> = learned.kept.iter().map(|kept| kept.text.as_str()).collect();
    assert_eq!(texts, ["From now on always run make lint before pushing"]);
    let written = house.rows(&disk, "write");
    assert_eq!(
        (written.len(), written[0]["memory"]["by"].as_str()),
        (1, Some("human"))
    );
    assert_eq!(written[0]["memory"]["source"]["quote"], texts[0]);
    // An answer that cannot be read leaves the sentences, and one row says so.
    house.network.says(|_| {
        Ok(LlmReply {
            text: "Sure.".to_owned(),
            model: "fake/model".to_owned(),
            input_tokens: 1,
            output_tokens: 1,
        })
    });
    let learned = talk.turn("From now on always write the changelog entry with the change.");
    assert_eq!(learned.kept.len(), 1);
    assert_eq!(
        house.rows(&disk, "degraded").last().unwrap()["cause"],
        "extract-unreadable"
    );
}
