//! What is known is ordered by meaning where the settings ask for it, and by words whenever anything goes wrong.
#![allow(clippy::disallowed_methods)]

use crate::house;

use house::House;
use jev_memory_core::error::HttpError;
use jev_memory_core::fake::{Disk, Network};
use jev_memory_core::port::{HttpReply, HttpRequest};
use serde_json::{Value, json};

const CWD: &str = "/home/project";
const FILE: &str = "/home/jev-memory/embeddings.json";
const OLD: &str = "以后前端开发端口必须固定用 5173。";
const OTHER: &str = "以后端口冲突时必须先查占用。";
const NEW: &str = "以后前端开发端口必须固定用 5180。";

fn settings() -> Value {
    json!({ "judge": "heuristic", "conflictRanking": "embedding", "knownForConflict": 1, "embedding": { "endpoint": "http://127.0.0.1:9/v4/embeddings", "timeoutMs": 500 } })
}

fn reply(body: Value) -> HttpReply {
    HttpReply {
        status: 200,
        headers: Vec::new(),
        body: body.to_string().into_bytes(),
    }
}

fn texts(request: &HttpRequest) -> Vec<String> {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let list = body.get("input").and_then(Value::as_array).cloned();
    list.unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Vectors in which what is about the dev port lies together.
fn by_topic(request: &HttpRequest) -> HttpReply {
    let vector = |text: &String| {
        if text.contains("开发端口") {
            json!([0.9, 0.1])
        } else {
            json!([0.1, 0.9])
        }
    };
    let data: Vec<Value> = texts(request)
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "index": index, "embedding": vector(text) }))
        .collect();
    reply(json!({ "data": data, "model": "embedding-3" }))
}

fn house(disk: &Disk, pid: u32, config: Value, reach: impl FnOnce(&Network)) -> House {
    House::mount_with(disk, pid, config, reach)
}

fn degraded(house: &House, disk: &Disk) -> Vec<String> {
    house
        .rows(disk, "degraded")
        .iter()
        .filter_map(|row| row["cause"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn one_request_holds_all_texts_and_vectors_are_kept() {
    let disk = Disk::new();
    let one = house(&disk, 1, settings(), |net| {
        net.replies(|request| Ok(by_topic(request)))
    });
    let mut talk = one.session("s1", CWD);
    talk.turn(&format!("{OLD}\n{OTHER}"));
    // Nothing was known, so there was nothing to order.
    assert!(one.network.requests.borrow().is_empty());
    assert_eq!(talk.turn(NEW).held.len(), 1);
    {
        let requests = one.network.requests.borrow();
        assert_eq!(requests.len(), 1);
        assert_eq!(texts(&requests[0]).len(), 3);
        assert_eq!(requests[0].credential, "ZHIPU_API_KEY");
        let body = String::from_utf8_lossy(&requests[0].body).into_owned();
        assert!(body.contains("embedding-3") && !body.contains("dimensions"));
    }
    house::settle(&one);
    assert!(disk.get(FILE).is_some());
    // Another process asks for the new sentence alone, and for what was written since.
    let two = house(&disk, 2, settings(), |net| {
        net.replies(|request| Ok(by_topic(request)))
    });
    let mut talk = two.session("s2", CWD);
    talk.turn("以后前端开发端口必须固定用 5190。");
    let sent = texts(&two.network.requests.borrow()[0]);
    assert_eq!(sent.len(), 2, "{sent:?}");
}

#[test]
fn nothing_is_sent_while_the_order_is_by_words() {
    let disk = Disk::new();
    let mut config = settings();
    config["conflictRanking"] = json!("lexical");
    let house = house(&disk, 1, config, |net| {
        net.replies(|request| Ok(by_topic(request)))
    });
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    assert_eq!(talk.turn(NEW).held.len(), 1);
    assert!(house.network.requests.borrow().is_empty());
    assert!(disk.get(FILE).is_none());
}

#[test]
fn every_failure_falls_back_to_words_with_one_row() {
    type Script = fn(&HttpRequest) -> Result<HttpReply, HttpError>;
    let cases: [(&str, Script); 6] = [
        ("embedding-status", |_| {
            Ok(HttpReply {
                status: 503,
                headers: Vec::new(),
                body: Vec::new(),
            })
        }),
        ("embedding-malformed", |_| {
            Ok(reply(json!({ "data": "no" })))
        }),
        ("embedding-malformed", |_| {
            Ok(reply(
                json!({ "data": [{ "index": 0, "embedding": [1, 2] }] }),
            ))
        }),
        ("embedding-dimension", |_| {
            Ok(reply(
                json!({ "data": [{ "index": 0, "embedding": [1] }, { "index": 1, "embedding": [1, 2] }] }),
            ))
        }),
        ("embedding-timeout", |_| {
            Err(HttpError::Timeout { timeout_ms: 1 })
        }),
        ("embedding-unreachable", |_| {
            Err(HttpError::Transport {
                message: "refused".to_owned(),
            })
        }),
    ];
    for (cause, script) in cases {
        let disk = Disk::new();
        let house = house(&disk, 1, settings(), |net| net.replies(script));
        let mut talk = house.session("s1", CWD);
        talk.turn(OLD);
        assert_eq!(talk.turn(NEW).held.len(), 1, "{cause}");
        house.close();
        assert_eq!(degraded(&house, &disk), [cause]);
    }
    let disk = Disk::new();
    let house = house(&disk, 1, settings(), |_| {});
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    assert_eq!(talk.turn(NEW).held.len(), 1);
    house.close();
    assert_eq!(degraded(&house, &disk), ["embedding-no-key"]);
}

#[test]
fn a_slow_service_costs_no_more_than_its_time() {
    let disk = Disk::new();
    let house = house(&disk, 1, settings(), |net| {
        net.replies(|request| Ok(by_topic(request)));
        net.delay_ms.set(10_000);
    });
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    let before = house.clock.now_ms.get();
    assert_eq!(talk.turn(NEW).held.len(), 1);
    assert!(house.clock.now_ms.get() - before <= 600);
    house.close();
    assert_eq!(degraded(&house, &disk), ["embedding-timeout"]);
}

#[test]
fn what_is_forgotten_leaves_no_vector() {
    let disk = Disk::new();
    let house = house(&disk, 1, settings(), |net| {
        net.replies(|request| Ok(by_topic(request)))
    });
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.turn(NEW);
    house::settle(&house);
    assert!(disk.get(FILE).is_some());
    talk.says("请忘掉前端开发端口 5173 那条。");
    assert!(talk.forget(OLD)["forgotten"].is_object());
    assert!(disk.get(FILE).is_none());
    talk.turn("以后日志必须保留 14 天。");
    house::settle(&house);
    let text = String::from_utf8(disk.get(FILE).unwrap()).unwrap();
    let gone = jev_memory_core::conflict::embedding::key("embedding-3", 0, OLD);
    assert!(!text.contains(&gone));
}
