//! Judges that read, on the engine: who is asked, what is believed, and what is given up when nobody answers.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use crate::house;

use house::{House, holding};
use jev_memory_core::error::{HttpError, LlmError};
use jev_memory_core::fake::{Disk, Network};
use jev_memory_core::port::{HttpReply, HttpRequest, LlmReply, LlmRequest};
use serde_json::{Map, Value, json};

/// Kept by the screen and refused by the offline judge: only a judge that reads keeps it.
const QUIET: &str = "The staging database is called heron.";
const RULE: &str = "From now on, always run make lint before you commit anything.";

fn http(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> HttpReply {
    HttpReply {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        body: body.into(),
    }
}

fn body(request: &HttpRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// What a server that finds everything worth remembering says.
fn answers(request: &HttpRequest, noul: f64) -> Value {
    let mut answers = Map::new();
    for (id, question) in body(request)["questions"].as_object().unwrap() {
        let answer = if question["type"] == "noul" {
            json!({ "type": "noul", "noul": noul })
        } else {
            let options: Vec<&String> = question["criteria"].as_object().unwrap().keys().collect();
            let chosen = options
                .iter()
                .find(|name| ["remembered 1", "decision"].contains(&name.as_str()))
                .unwrap();
            let probabilities: Map<String, Value> = options
                .iter()
                .map(|name| ((*name).clone(), json!(f64::from(u8::from(name == chosen)))))
                .collect();
            json!({ "type": "choice", "choice": chosen, "probabilities": probabilities, "confidence": 1.0 })
        };
        answers.insert(id.clone(), answer);
    }
    json!({ "model": "jev-1.13.0", "answers": answers, "usage": { "input_tokens": 300, "output_tokens": 20 } })
}

fn yes(request: &HttpRequest) -> Result<HttpReply, HttpError> {
    Ok(http(200, &[], answers(request, 0.9).to_string()))
}

/// A house whose network is `reach`, one turn of `text`, and what the ledger says of it.
struct Told {
    kept: Vec<String>,
    remember: Vec<Value>,
    judged: Vec<Value>,
    degraded: Vec<Value>,
    requests: usize,
    /// Milliseconds of the clock that the turn's end took.
    took_ms: i64,
}

fn turn(config: Value, text: &str, reach: impl FnOnce(&Network)) -> Told {
    let disk = Disk::new();
    let house = House::mount_with(&disk, 1, config, reach);
    let mut talk = house.session("s1", "/repo/shop");
    talk.says(text);
    let began = house.clock.now_ms.get();
    let learned = talk.ends();
    assert!(learned.failed.is_none(), "{learned:?}");
    Told {
        kept: learned.kept.into_iter().map(|kept| kept.text).collect(),
        remember: house.rows(&disk, "remember"),
        judged: house.rows(&disk, "judged"),
        degraded: house.rows(&disk, "degraded"),
        requests: house.network.requests.borrow().len(),
        took_ms: house.clock.now_ms.get() - began,
    }
}

/// One turn of [`RULE`], which must be kept offline, with `cause` in the one `degraded` row.
fn degrades(reach: impl FnOnce(&Network), cause: &str, requests: usize) {
    let told = turn(json!({}), RULE, reach);
    assert_eq!(told.kept, [RULE], "{cause}");
    assert_eq!(told.remember[0]["by"], "heuristic");
    assert_eq!(told.degraded.len(), 1, "{cause}: {:?}", told.degraded);
    assert_eq!(told.degraded[0]["cause"], cause, "{:?}", told.degraded);
    assert_eq!(told.degraded[0]["count"], 1);
    assert_eq!(told.requests, requests, "{cause}");
    assert!(told.took_ms <= 2_500, "{cause} took {} ms", told.took_ms);
}

#[test]
fn jev_keeps_what_only_a_reader_can_and_the_ledger_says_how() {
    let told = turn(json!({}), QUIET, |network| network.replies(yes));
    assert_eq!(told.kept, [QUIET]);
    let remember = &told.remember[0];
    assert_eq!(remember["by"], "jev");
    assert_eq!(remember["model"], "jev-1.13.0");
    assert_eq!(remember["score"], 0.9);
    assert_eq!(remember["threshold"], 0.6);
    assert_eq!(remember["type"], "decision");
    let judged = &told.judged[0];
    assert_eq!(judged["questions"], "jev-1");
    assert_eq!(
        (judged["asked"].as_u64(), judged["answered"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(
        (judged["inputTokens"].as_u64(), judged["requests"].as_u64()),
        (Some(300), Some(1))
    );
    assert!(told.degraded.is_empty());
    let offline = turn(json!({}), QUIET, |_| {});
    assert!(offline.kept.is_empty() && offline.judged.is_empty() && offline.degraded.is_empty());
}

#[test]
fn what_jev_finds_used_up_is_refused_by_its_own_threshold() {
    let told = turn(json!({}), RULE, |network| {
        network.replies(|request| Ok(http(200, &[], answers(request, 0.59).to_string())));
    });
    assert!(told.kept.is_empty());
    assert_eq!(told.remember[0]["admitted"], false);
}

#[test]
fn a_turn_is_one_request_and_holds_no_key() {
    let text = format!("{RULE}\n{QUIET}\nNever push to main on a Friday.");
    let disk = Disk::new();
    let house = House::mount_with(&disk, 1, json!({}), |network| network.replies(yes));
    house.session("s1", "/repo/shop").turn(&text);
    let requests = house.network.requests.borrow();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].url, "https://api.typesafe.ai/v1/systemone");
    assert_eq!(requests[0].credential, "TYPESAFE_API_KEY");
    assert!(
        requests[0]
            .headers
            .iter()
            .all(|(name, _)| *name != "authorization")
    );
    assert_eq!(
        body(&requests[0])["questions"].as_object().unwrap().len(),
        6
    );
}

#[test]
fn a_secret_is_in_no_request() {
    let key = format!("sk-{}", "a1B2c3D4".repeat(5));
    let text = format!("{RULE}\nThe api key is {key}\n{QUIET}");
    let disk = Disk::new();
    let house = House::mount_with(&disk, 1, json!({}), |network| network.replies(yes));
    house.session("s1", "/repo/shop").turn(&text);
    let requests = house.network.requests.borrow();
    assert_eq!(requests.len(), 1);
    assert!(!String::from_utf8_lossy(&requests[0].body).contains(&key));
    assert!(holding(&disk, &key).is_empty());
}

#[test]
fn the_contradicted_memory_is_asked_about_by_its_text() {
    let disk = Disk::new();
    let house = House::mount_with(&disk, 1, json!({}), |network| network.replies(yes));
    house
        .session("s1", "/repo/shop")
        .turn("Always deploy the relay on port 7000.");
    house
        .session("s2", "/repo/shop")
        .turn("Always deploy the relay on port 7010.");
    let requests = house.network.requests.borrow();
    let asked = &body(&requests[1])["questions"]["c0_contradicts"]["criteria"];
    assert_eq!(
        asked["remembered 1"],
        "Always deploy the relay on port 7000."
    );
    assert!(asked["nothing"].is_string());
}

#[test]
fn a_refusal_is_final_and_the_offline_judge_answers() {
    for (status, cause) in [
        (401, "jev-auth"),
        (403, "jev-auth"),
        (400, "jev-refused"),
        (404, "jev-refused"),
        (413, "jev-too-large"),
        (422, "jev-refused"),
    ] {
        degrades(
            |network| network.replies(move |_| Ok(http(status, &[], "{\"detail\":\"no\"}"))),
            cause,
            1,
        );
    }
}

#[test]
fn a_failure_that_may_pass_is_tried_again_once() {
    for (status, cause) in [
        (429, "jev-rate-limited"),
        (529, "jev-overloaded"),
        (500, "jev-server"),
        (502, "jev-server"),
        (503, "jev-server"),
        (504, "jev-server"),
        (408, "jev-timeout"),
    ] {
        degrades(
            |network| network.replies(move |_| Ok(http(status, &[], "<html>"))),
            cause,
            2,
        );
    }
    let dropped = || HttpError::Transport {
        message: "socket hang up".to_owned(),
    };
    degrades(
        |network| network.replies(move |_| Err(dropped())),
        "jev-transport",
        2,
    );
}

#[test]
fn a_second_attempt_that_succeeds_leaves_nothing_to_say() {
    let mut first = true;
    let told = turn(json!({}), QUIET, |network| {
        network.replies(move |request| {
            if std::mem::take(&mut first) {
                Ok(http(429, &[("retry-after-ms", "120")], "{}"))
            } else {
                assert!(
                    request
                        .headers
                        .contains(&("x-typesafe-retry-count", "1".to_owned()))
                );
                yes(request)
            }
        });
    });
    assert_eq!(told.kept, [QUIET]);
    assert!(told.degraded.is_empty());
    assert!((120..400).contains(&told.took_ms), "{}", told.took_ms);
    assert_eq!(told.judged[0]["requests"], 2);
}

#[test]
fn a_wait_longer_than_the_budget_means_give_up_now() {
    let reply = |_: &HttpRequest| Ok(http(429, &[("retry-after", "30")], "{}"));
    degrades(|network| network.replies(reply), "jev-rate-limited", 1);
}

#[test]
fn a_silent_service_costs_its_budget_and_no_more() {
    degrades(
        |network| {
            network.replies(yes);
            network.delay_ms.set(60_000);
        },
        "jev-timeout",
        1,
    );
    let told = turn(json!({ "writeTimeoutMs": 300 }), RULE, |network| {
        network.replies(yes);
        network.delay_ms.set(60_000);
    });
    assert_eq!(told.kept, [RULE]);
    assert!(told.took_ms <= 300, "{}", told.took_ms);
}

#[test]
fn a_reply_that_breaks_the_contract_is_not_asked_for_again() {
    for reply in [
        "",
        "<html>",
        "{\"model\":\"m\",\"ans",
        "{\"model\":\"m\",\"answers\":{\"other\":{}}}",
    ] {
        degrades(
            |network| network.replies(move |_| Ok(http(200, &[], reply))),
            "jev-contract",
            1,
        );
    }
}

#[test]
fn a_missing_row_is_one_candidates_loss() {
    let told = turn(json!({}), &format!("{QUIET}\n{RULE}"), |network| {
        network.replies(|request| {
            let mut reply = answers(request, 0.9);
            reply["answers"]
                .as_object_mut()
                .unwrap()
                .remove("c1_remember");
            Ok(http(200, &[], reply.to_string()))
        });
    });
    let by: Vec<&Value> = told.remember.iter().map(|row| &row["by"]).collect();
    assert_eq!(by, ["jev", "heuristic"]);
    assert_eq!(told.degraded[0]["cause"], "jev-missing-row");
    assert_eq!(
        (
            told.judged[0]["asked"].as_u64(),
            told.judged[0]["answered"].as_u64()
        ),
        (Some(2), Some(1))
    );
}

#[test]
fn candidates_past_the_limit_are_the_offline_judges_and_are_counted() {
    let text =
        format!("{QUIET}\n{RULE}\nThe relay is written in Zig.\nNever push to main on a Friday.");
    let told = turn(json!({ "jev": { "maxCandidates": 2 } }), &text, |network| {
        network.replies(yes)
    });
    let by_jev = told
        .remember
        .iter()
        .filter(|row| row["by"] == "jev")
        .count();
    assert_eq!((by_jev, told.remember.len()), (2, 4));
    // The two that say most to the offline judge are asked about.
    assert_eq!(told.remember[1]["by"], "jev");
    assert_eq!(told.degraded.len(), 1);
    assert_eq!(told.degraded[0]["cause"], "jev-over-max-candidates");
    assert_eq!(told.degraded[0]["count"], 2);
}

#[test]
fn a_key_that_stops_working_is_a_problem_and_one_that_comes_back_is_used() {
    let disk = Disk::new();
    let mut turns = 0;
    let house = House::mount_with(&disk, 1, json!({}), |network| {
        network.replies(move |request| {
            turns += 1;
            if turns == 2 {
                Ok(http(401, &[], "{\"error\":\"bad key\"}"))
            } else {
                yes(request)
            }
        });
    });
    for (n, text) in [
        "The relay is called heron.",
        "The worker is called stork.",
        "The index is called crane.",
    ]
    .iter()
    .enumerate()
    {
        house.session(&format!("s{n}"), "/repo/shop").turn(text);
    }
    let by: Vec<Value> = house
        .rows(&disk, "remember")
        .iter()
        .map(|row| row["by"].clone())
        .collect();
    assert_eq!(by, ["jev", "heuristic", "jev"]);
    assert!(
        house
            .engine
            .health()
            .problems
            .iter()
            .any(|problem| problem.code == "jev-auth")
    );
    assert_eq!(house.engine.health().usage["jev"]["requests"], 3);
}

#[test]
fn start_and_health_say_whether_jev_is_ready_and_by_which_path() {
    let start = |config: Value, reach: fn(&Network)| {
        let disk = Disk::new();
        let house = House::mount_with(&disk, 1, config, reach);
        let row = house.rows(&disk, "start").remove(0);
        let problems: Vec<String> = house
            .engine
            .health()
            .problems
            .into_iter()
            .map(|x| x.code)
            .collect();
        (
            row["judge"].as_str().unwrap().to_owned(),
            row["key"].as_str().unwrap().to_owned(),
            row["jevReady"].as_bool().unwrap(),
            problems.join(" "),
        )
    };
    let case = |judge: &str, key: &str, ready: bool, problems: &str| {
        (judge.to_owned(), key.to_owned(), ready, problems.to_owned())
    };
    assert_eq!(
        start(json!({}), |_| {}),
        case("heuristic", "none", false, "")
    );
    assert_eq!(
        start(json!({}), |network| network.replies(yes)),
        case("jev", "service:env", true, "")
    );
    assert_eq!(
        start(json!({ "judge": "jev" }), |_| {}),
        case("jev", "none", false, "jev-no-key")
    );
    assert_eq!(
        start(
            json!({ "judge": ["jev", "host", "heuristic"] }),
            |network| network.replies(yes)
        ),
        case("jev,host,heuristic", "service:env", true, "")
    );
    assert_eq!(
        start(json!({ "judge": "off" }), |network| network.replies(yes)),
        case("off", "service:env", false, "judge-off")
    );
}

#[test]
fn jev_asked_for_by_name_without_a_key_degrades_and_says_so() {
    let told = turn(json!({ "judge": "jev" }), RULE, |_| {});
    assert_eq!(told.kept, [RULE]);
    assert_eq!(told.degraded[0]["cause"], "jev-no-key");
    assert_eq!(told.requests, 0);
}

#[test]
fn judging_switched_off_asks_and_writes_nothing() {
    let told = turn(json!({ "judge": "off" }), RULE, |network| {
        network.replies(yes)
    });
    assert!(told.kept.is_empty() && told.remember.is_empty());
    assert_eq!(told.requests, 0);
}

#[test]
fn another_version_that_answers_is_said_once() {
    let disk = Disk::new();
    let mount = |pid: u32, model: &'static str| {
        House::mount_with(&disk, pid, json!({}), move |network| {
            network.replies(move |request| {
                let mut reply = answers(request, 0.9);
                reply["model"] = json!(model);
                Ok(http(200, &[], reply.to_string()))
            });
        })
    };
    let house = mount(1, "jev-1.13.0");
    house
        .session("s1", "/repo/shop")
        .turn("The relay is called heron.");
    let again = mount(2, "jev-1.14.0");
    again
        .session("s2", "/repo/shop")
        .turn("The worker is called stork.");
    again
        .session("s3", "/repo/shop")
        .turn("The index is called crane.");
    again.close();
    let said: Vec<Value> = again
        .rows(&disk, "health")
        .into_iter()
        .filter(|row| row["code"] == "jev-model-changed")
        .collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(
        said[0]["detail"],
        "jev-1.14.0 answers now, jev-1.13.0 did before"
    );
}

fn labels(text: &'static str) -> impl FnMut(&LlmRequest) -> Result<LlmReply, LlmError> {
    move |_| {
        Ok(LlmReply {
            text: text.to_owned(),
            model: "fake/model".to_owned(),
            input_tokens: 700,
            output_tokens: 30,
        })
    }
}

#[test]
fn the_hosts_model_judges_in_one_call_by_labels_alone() {
    let said = r#"[{"id":1,"remember":0.8,"type":"decision","contradicts":null,"rewritten":"the database is an eagle"},{"id":2,"remember":0.69,"type":"constraint","contradicts":null}]"#;
    let disk = Disk::new();
    let house = House::mount_with(&disk, 1, json!({ "judge": "host" }), |network| {
        network.says(labels(said))
    });
    let learned = house
        .session("s1", "/repo/shop")
        .turn(&format!("{QUIET}\n{RULE}"));
    assert_eq!(learned.kept.len(), 1);
    assert_eq!(learned.kept[0].text, QUIET);
    assert!(holding(&disk, "eagle").is_empty());
    assert_eq!(house.network.calls.borrow().len(), 1);
    let judged = &house.rows(&disk, "judged")[0];
    assert_eq!(
        (
            judged["by"].as_str(),
            judged["questions"].as_str(),
            judged["model"].as_str()
        ),
        (Some("host"), Some("host-1"), Some("fake/model"))
    );
    assert_eq!(house.rows(&disk, "remember")[1]["threshold"], 0.7);
    assert_eq!(house.engine.health().usage["host"]["inputTokens"], 700);
}

#[test]
fn whatever_else_the_hosts_model_does_is_the_offline_judges_turn() {
    let failed = || LlmError::Failed {
        code: "SERVER".to_owned(),
        message: "500".to_owned(),
    };
    let check = |reach: &dyn Fn(&Network), cause: &str| {
        let told = turn(json!({ "judge": "host" }), RULE, |network| reach(network));
        assert_eq!(told.kept, [RULE], "{cause}");
        assert_eq!(told.degraded.len(), 1);
        assert_eq!(told.degraded[0]["cause"], cause);
        assert!(told.took_ms <= 2_500);
    };
    check(&|_| {}, "host-no-route");
    check(
        &|network| network.says(move |_| Err(failed())),
        "host-failed",
    );
    check(
        &|network| network.says(labels("I would rather not.")),
        "host-bad-answer",
    );
    check(&|network| network.says(labels("[]")), "host-missing-row");
    check(
        &|network| network.says(labels(r#"[{"id":7,"remember":1,"type":"decision"}]"#)),
        "host-bad-answer",
    );
    check(
        &|network| network.says(labels(r#"[{"id":1,"remember":7,"type":"decision"}]"#)),
        "host-bad-row",
    );
    check(
        &|network| {
            network.says(labels("[]"));
            network.delay_ms.set(9_000);
        },
        "host-timeout",
    );
}

#[test]
fn a_list_is_tried_in_order() {
    let said = r#"[{"id":1,"remember":0.8,"type":"decision","contradicts":null}]"#;
    let config = json!({ "judge": ["jev", "host", "heuristic"] });
    let told = turn(config.clone(), QUIET, |network| {
        network.says(labels(said));
        network.replies(|_| Ok(http(401, &[], "{}")));
    });
    assert_eq!(told.remember[0]["by"], "host");
    assert_eq!(told.degraded[0]["cause"], "jev-auth");
    assert_eq!(told.judged.len(), 2);
    let told = turn(config, QUIET, |network| {
        network.says(labels(said));
        network.replies(yes);
    });
    assert_eq!(told.remember[0]["by"], "jev");
    assert_eq!(told.judged.len(), 1);
    let told = turn(json!({ "judge": ["heuristic", "jev"] }), QUIET, |network| {
        network.replies(yes)
    });
    assert_eq!(told.requests, 0);
}

#[test]
fn what_is_asked_for_a_second_time_is_not_paid_for_twice() {
    let disk = Disk::new();
    let house = House::mount_with(&disk, 1, json!({}), |network| network.replies(yes));
    let mut talk = house.session("s1", "/repo/shop");
    talk.turn(QUIET);
    talk.ends();
    house.session("s2", "/repo/shop").turn(QUIET);
    assert_eq!(house.network.requests.borrow().len(), 1);
}

/// Restatements of what three sentences say: one fits, one invents, one is left to a later turn.
#[test]
fn what_was_kept_is_restated_after_the_turn_and_only_by_what_passes_the_gates() {
    let disk = Disk::new();
    let mut n = 0;
    let house = House::mount_with(
        &disk,
        1,
        json!({ "normalize": { "inject": true } }),
        |network| {
            network.says(move |request| {
            n += 1;
            let text = match n {
                1 => "The user always wants make lint run before anything is committed.",
                2 => return Err(LlmError::Failed { code: "SERVER".to_owned(), message: "busy".to_owned() }),
                _ => "To improve reliability the team should schedule deployments and notify stakeholders.",
            };
            assert!(request.system.contains("third person"));
            Ok(LlmReply { text: text.to_owned(), model: "fake/model".to_owned(), input_tokens: 9, output_tokens: 9 })
        });
        },
    );
    let restate = || {
        let session = jev_memory_core::memory::SessionId::from("s1");
        jev_memory_core::fake::block_on(house.engine.normalise(house.ports(), &session))
    };
    let mut talk = house.session("s1", "/repo/shop");
    talk.turn(RULE);
    assert!(
        house.network.calls.borrow().is_empty(),
        "nothing is restated in the turn"
    );
    assert_eq!(restate(), 1);
    assert_eq!(restate(), 0);
    let row = &house.rows(&disk, "normalize")[0];
    assert_eq!(
        (row["accepted"].as_bool(), row["from"].as_str()),
        (Some(true), Some(RULE))
    );
    assert_eq!(house.rows(&disk, "canonical").len(), 1);
    assert!(
        house
            .session("s2", "/repo/shop")
            .says("commit")
            .contains("The user always wants make lint")
    );
    assert!(
        talk.search("lint")["hits"][0]["text"]
            .as_str()
            .unwrap()
            .contains("From now on")
    );

    talk.turn("Never push to main on a Friday.");
    assert_eq!((restate(), house.network.calls.borrow().len()), (0, 2));
    assert_eq!(
        (restate(), house.network.calls.borrow().len()),
        (0, 3),
        "left over, tried later, and dropped"
    );
    assert_eq!(
        (restate(), house.network.calls.borrow().len()),
        (0, 3),
        "a form that failed is not asked for again"
    );
    let dropped = &house.rows(&disk, "normalize")[1];
    assert_eq!(dropped["accepted"], false);
    house.close();

    let again = House::mount_with(&disk, 2, json!({}), |network| {
        network.says(|_| Err(LlmError::NoRoute))
    });
    again.session("s1", "/repo/shop").says("hello");
    let session = jev_memory_core::memory::SessionId::from("s1");
    jev_memory_core::fake::block_on(again.engine.normalise(again.ports(), &session));
    assert!(
        again.network.calls.borrow().is_empty(),
        "nor by the next process"
    );
    assert!(
        !again
            .session("s3", "/repo/shop")
            .says("commit")
            .contains("The user always"),
        "evidence unless `normalize.inject`"
    );
}

#[test]
fn without_a_route_or_with_the_switch_off_nothing_is_restated() {
    for (config, route) in [
        (json!({}), "none"),
        (json!({ "normalize": { "enabled": false } }), "off"),
    ] {
        let disk = Disk::new();
        let house = House::mount(&disk, 1, config);
        let mut talk = house.session("s1", "/repo/shop");
        talk.turn(RULE);
        let session = jev_memory_core::memory::SessionId::from("s1");
        jev_memory_core::fake::block_on(house.engine.normalise(house.ports(), &session));
        assert!(house.rows(&disk, "normalize").is_empty());
        assert_eq!(house.rows(&disk, "start")[0]["normalize"], route);
        assert_eq!(house.rows(&disk, "start").len(), 1);
    }
}

#[test]
fn what_jev_says_is_contradicted_is_held_by_its_own_threshold() {
    for (config, held) in [
        (json!({}), 1),
        (json!({ "conflictThreshold": 1.0, "judge": "heuristic" }), 0),
    ] {
        let disk = Disk::new();
        let house = House::mount_with(&disk, 1, config, |network| network.replies(yes));
        house
            .session("s1", "/repo/shop")
            .turn("From now on, always deploy the relay by hand.");
        house
            .session("s2", "/repo/shop")
            .turn("From now on, always let the pipeline deploy the relay.");
        let asks = house.rows(&disk, "conflict-ask");
        assert_eq!(asks.len(), held, "{asks:?}");
        assert!(asks.iter().all(|ask| ask["detector"] == "jev"));
    }
}
