//! The memory as a library, on the fake ports: what is kept, what a judge is asked, what a plan commits.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use jev_memory_core::decide::Error;
use jev_memory_core::decide::settings::Settings;
use jev_memory_core::engine::Library;
use jev_memory_core::error::{HttpError, LlmError};
use jev_memory_core::fake::{
    Disk, FakeClock, FakeRandom, MemoryFiles, Network, block_on, run_together,
};
use jev_memory_core::port::{HttpReply, HttpRequest, LlmReply, LlmRequest, Ports};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;

/// 2026-09-29 08:00 UTC.
pub const NOON: i64 = 1_790_668_800_000;
const DAY: i64 = 86_400_000;

/// One call under way.
pub type Call<'a> = Pin<Box<dyn Future<Output = Result<Value, Error>> + 'a>>;

/// One process with the library open.
pub struct Desk {
    pub library: Library,
    pub clock: Rc<FakeClock>,
    pub network: Network,
    pub random: FakeRandom,
    pub files: MemoryFiles,
    pub ended: Cell<bool>,
}

impl Desk {
    pub fn open(disk: &Disk, pid: u32, settings: Value) -> Self {
        Self::try_open(disk, pid, settings).unwrap()
    }

    pub fn try_open(disk: &Disk, pid: u32, settings: Value) -> Result<Self, Error> {
        let mut all = json!({ "dataDir": "/data" });
        all.as_object_mut()
            .unwrap()
            .extend(settings.as_object().unwrap().clone());
        let clock = Rc::new(FakeClock::at(NOON + i64::from(pid)));
        let desk = Self {
            library: Library::new(Settings::read(&all)?),
            network: Network::new(clock.clone()),
            clock,
            random: FakeRandom::from_seed(u64::from(pid) * 7_919),
            files: disk.process(pid),
            ended: Cell::new(false),
        };
        block_on(desk.library.open(desk.ports()))?;
        Ok(desk)
    }

    pub fn ports(&self) -> Ports<'_> {
        Ports {
            clock: &*self.clock,
            random: &self.random,
            files: &self.files,
            http: &self.network,
            llm: &self.network,
            ended: &self.ended,
        }
    }

    pub fn call(&self, verb: &str, args: Value) -> Result<Value, Error> {
        block_on(self.library.call(self.ports(), verb, &args))
    }

    pub fn add(&self, source: &str) -> Value {
        self.call("add", json!({ "source": source, "scope": "mara" }))
            .unwrap()
    }

    /// The texts of the heads, sorted.
    pub fn heads(&self) -> Vec<String> {
        self.texts(json!({ "scope": "mara" }))
    }

    pub fn texts(&self, args: Value) -> Vec<String> {
        let list = self.call("list", args).unwrap();
        let mut out: Vec<String> = texts(&list);
        out.sort();
        out
    }

    /// Answers with `rule`, which gets the question's id, its instructions and its options.
    pub fn judged(self, rule: impl Fn(&str, &Value, &[String]) -> String + 'static) -> Self {
        self.network
            .replies(move |request| Ok(reply(request, &rule)));
        self
    }
}

pub fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap().iter();
    items
        .map(|item| item["text"].as_str().unwrap().to_owned())
        .collect()
}

pub fn reply(
    request: &HttpRequest,
    rule: &impl Fn(&str, &Value, &[String]) -> String,
) -> HttpReply {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let mut answers = Map::new();
    for (id, question) in body["questions"].as_object().unwrap() {
        let options: Vec<String> = question["criteria"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        let chosen = rule(id, &question["instructions"], &options);
        assert!(
            options.contains(&chosen),
            "{chosen} is not offered: {options:?}"
        );
        let probabilities: Map<String, Value> = options
            .iter()
            .map(|name| (name.clone(), json!(f64::from(u8::from(*name == chosen)))))
            .collect();
        let answer = json!({ "type": "choice", "choice": chosen, "probabilities": probabilities, "confidence": 0.9 });
        answers.insert(id.clone(), answer);
    }
    let body = json!({ "model": "jev-1.13.0", "answers": answers, "usage": { "input_tokens": 1, "output_tokens": 1 } });
    HttpReply {
        status: 200,
        headers: Vec::new(),
        body: body.to_string().into_bytes(),
    }
}

/// The first head, and one action whenever it is legal.
pub fn always(action: &'static str) -> impl Fn(&str, &Value, &[String]) -> String {
    move |id, _, options| {
        let has = |name: &str| options.iter().any(|option| option == name);
        if id.ends_with("_target") {
            let first = options.iter().find(|name| name.starts_with("current"));
            return first.map_or("NONE", String::as_str).to_owned();
        }
        // The head of a call that began later is newer than this source: its report goes behind it.
        let known = [action, "SUPPLEMENT", "HISTORICAL"];
        let chosen = known.into_iter().find(|name| has(name));
        chosen.unwrap().to_owned()
    }
}

pub fn updates(result: &Value) -> Vec<String> {
    let decisions = result["decisions"].as_array().unwrap().iter();
    decisions
        .map(|x| {
            x["updateType"]
                .as_str()
                .unwrap_or_else(|| x["action"].as_str().unwrap())
                .to_owned()
        })
        .collect()
}

pub fn code(result: Result<Value, Error>) -> (&'static str, u16) {
    let (name, _, status) = result.unwrap_err().row();
    (name, status)
}

#[test]
fn a_source_is_kept_and_what_is_like_nothing_known_is_added_unasked() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({}));
    let result = desk.add("Mara lives in Porto. The office closes at six.");
    assert_eq!(result["status"], "committed");
    assert_eq!(result["scene"], "chat");
    assert_eq!(updates(&result), ["SUPPLEMENT", "SUPPLEMENT"]);
    assert!(result["decisions"][0].get("confidence").is_none());
    assert_eq!(
        desk.heads(),
        ["Mara lives in Porto.", "The office closes at six."]
    );
    let source = desk
        .call("get", json!({ "id": result["sourceIds"][0] }))
        .unwrap();
    assert_eq!(source["layer"], "L0_RAW");
    assert_eq!(
        source["text"],
        "Mara lives in Porto. The office closes at six."
    );
    let id = &result["decisions"][0]["proposalIds"][0];
    assert_eq!(
        desk.call("get", json!({ "id": id })).unwrap()["sourceIds"],
        result["sourceIds"]
    );
    assert!(desk.network.requests.borrow().is_empty());
    // Equal text is no duplicate here: only a request's id tells a repetition.
    let again = Desk::open(&disk, 2, json!({})).judged(always("SUPPLEMENT"));
    again.add("The office closes at six.");
    assert_eq!(again.heads().len(), 3);
}

#[test]
fn a_newer_value_takes_the_heads_place_and_the_old_one_stays_readable() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({})).judged(always("OVERRIDE"));
    let first = desk.add("Mara lives in Porto.");
    let old = first["decisions"][0]["proposalIds"][0].clone();
    let second = desk.add("Mara lives in Faro now.");
    let new = second["decisions"][0]["proposalIds"][0].clone();
    assert_eq!(updates(&second), ["OVERRIDE"]);
    assert_eq!(second["decisions"][0]["targets"], json!([old]));
    assert_eq!(second["decisions"][0]["confidence"], 0.9);
    assert_eq!(desk.heads(), ["Mara lives in Faro now."]);
    let read = desk.call("get", json!({ "id": old })).unwrap();
    assert_eq!(
        (read["isLatest"].as_bool(), read["supersededBy"].clone()),
        (Some(false), json!([new]))
    );
    // Porto, Faro, Porto: the third links to the second.
    let third = desk.add("Mara lives in Porto again.");
    assert_eq!(third["decisions"][0]["targets"], json!([new]));
    assert_eq!(
        desk.texts(json!({ "scope": "mara", "includeHistory": true }))
            .len(),
        3
    );
    let found = desk
        .call(
            "search",
            json!({ "query": "where does Mara live", "scope": "mara" }),
        )
        .unwrap();
    assert_eq!(found["memories"][0]["previous"][0]["id"], new);
    let text = desk.call("format", found).unwrap();
    assert_eq!(
        text,
        "- [2026-09-29] Mara lives in Porto again. (previously, 2026-09-29: Mara lives in Faro now.)\n"
    );
    // What a judge was told about the past.
    let asked: Value =
        serde_json::from_slice(&desk.network.requests.borrow().last().unwrap().body).unwrap();
    assert_eq!(
        asked["state"]["current"][0]["history"][0]["text"],
        "Mara lives in Porto."
    );
}

#[test]
fn an_old_report_goes_behind_the_head() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({})).judged(always("HISTORICAL"));
    desk.add("Mara lives in Porto.");
    let late =
        json!({ "source": "Mara lives in Braga.", "scope": "mara", "memoryAt": NOON - 100 * DAY });
    let result = desk.call("add", late).unwrap();
    assert_eq!(updates(&result), ["HISTORICAL"]);
    assert_eq!(desk.heads(), ["Mara lives in Porto."]);
    let found = desk
        .call("search", json!({ "query": "Mara lives", "scope": "mara" }))
        .unwrap();
    assert_eq!(found["memories"].as_array().unwrap().len(), 1);
    assert_eq!(
        found["memories"][0]["previous"][0]["text"],
        "Mara lives in Braga."
    );
    let asked = desk.network.requests.borrow().last().unwrap().body.clone();
    assert!(!String::from_utf8_lossy(&asked).contains("\"OVERRIDE\""));
}

#[test]
fn each_legal_answer_does_what_its_row_says() {
    // Heads afterwards, and the status.
    for (action, heads, status) in [
        ("OVERRIDE", 1, "committed"),
        ("SUPPLEMENT", 2, "committed"),
        ("NEGATE", 1, "committed"),
        ("CONFLICT", 2, "committed"),
        ("SKIP", 1, "known"),
        ("DELETE", 0, "committed"),
        ("INVALID", 1, "raw_only"),
        ("NEED_CONTEXT", 2, "committed"),
    ] {
        let disk = Disk::new();
        let desk = Desk::open(&disk, 1, json!({})).judged(always(action));
        let old = desk.add("Mara lives in Porto.")["decisions"][0]["proposalIds"][0].clone();
        let result = desk.add("Mara lives in Faro.");
        assert_eq!(
            (desk.heads().len(), result["status"].as_str().unwrap()),
            (heads, status),
            "{action}"
        );
        let decision = &result["decisions"][0];
        let read = desk.call("get", json!({ "id": old })).unwrap();
        match action {
            "SKIP" => {
                // The target is known by the candidate's id, too, and cites both sources.
                let alias = desk
                    .call("get", json!({ "id": decision["proposalIds"][0] }))
                    .unwrap();
                assert_eq!(alias["id"], old);
                assert_eq!(alias["sourceIds"].as_array().unwrap().len(), 2);
            }
            "CONFLICT" => {
                let found = desk
                    .call("search", json!({ "query": "Mara lives", "scope": "mara" }))
                    .unwrap();
                let text = desk.call("format", found).unwrap();
                assert!(
                    text.as_str()
                        .unwrap()
                        .contains("(conflicts, both unretracted: "),
                    "{text}"
                );
                assert_eq!(read["conflictsWith"], decision["proposalIds"]);
                // Another wording decides nothing.
                let anew = desk
                    .call(
                        "update",
                        json!({ "id": old, "text": "Mara lives in central Porto." }),
                    )
                    .unwrap();
                assert_eq!(anew["conflictsWith"], decision["proposalIds"]);
            }
            "DELETE" => assert_eq!(read["status"], "archived"),
            "INVALID" => assert_eq!(decision["action"], "INVALID"),
            _ => {}
        }
        // A new process reads the same.
        let heads = desk.heads();
        assert_eq!(Desk::open(&disk, 2, json!({})).heads(), heads, "{action}");
    }
}

#[test]
fn a_repeated_request_says_the_same_and_writes_nothing() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({}));
    let args = json!({ "source": "Mara lives in Porto.", "scope": "mara", "requestId": "turn-1" });
    let first = desk.call("add", args.clone()).unwrap();
    let bytes = disk.get("/data/ledger.jsonl");
    assert_eq!(desk.call("add", args.clone()).unwrap(), first);
    assert_eq!(
        Desk::open(&disk, 2, json!({}))
            .call("add", args.clone())
            .unwrap(),
        first
    );
    // An empty plan is found again, too.
    let nothing = json!({ "source": "What time is it?", "scope": "mara", "requestId": "turn-2" });
    let empty = desk.call("add", nothing.clone()).unwrap();
    assert_eq!(empty["status"], "raw_only");
    assert_eq!(desk.call("add", nothing).unwrap(), empty);
    assert!(
        disk.get("/data/ledger.jsonl")
            .unwrap()
            .starts_with(&bytes.unwrap())
    );
    let other = json!({ "source": "Mara lives in Faro.", "scope": "mara", "requestId": "turn-1" });
    assert_eq!(
        code(desk.call("add", other.clone())),
        ("IdempotencyConflictError", 409)
    );
    assert_eq!(desk.heads(), ["Mara lives in Porto."]);
    // The result lives for its time; then the id may be used anew.
    let later = Desk::open(&disk, 3, json!({ "requestOutcomeTtlSeconds": 60 }));
    later.clock.now_ms.set(NOON + 61_000);
    assert!(later.call("add", other.clone()).is_err());
    let later = Desk::try_open(&disk, 120_000, json!({ "requestOutcomeTtlSeconds": 60 })).unwrap();
    assert_eq!(
        later.judged(always("OVERRIDE")).call("add", other).unwrap()["status"],
        "committed"
    );
}

#[test]
fn a_model_takes_statements_out_and_what_it_makes_up_stays_out() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({ "extract": "model" }));
    desk.network.says(|request: &LlmRequest| {
        assert!(request.prompt.contains("I moved to Porto"));
        let answer = json!({ "candidates": [
            { "text": "The user moved to Porto.", "quote": "I moved to Porto." },
            { "text": "The user dislikes winter and plans a long holiday abroad.", "quote": "I moved to Porto." },
            { "text": "The trip to Faro is from 2 to 6 October.", "quote": "The trip to Faro is from 2 to 6 October.",
              "validFrom": "2026-10-02", "validUntil": "2026-10-06" },
        ] });
        Ok(LlmReply { text: answer.to_string(), model: "fake".to_owned(), input_tokens: 1, output_tokens: 1 })
    });
    let source = json!([
        { "role": "system", "content": "Be kind." },
        { "role": "user", "content": "I moved to Porto. The trip to Faro is from 2 to 6 October." },
    ]);
    let result = desk
        .call("add", json!({ "source": source, "scope": "mara" }))
        .unwrap();
    assert_eq!(updates(&result), ["SUPPLEMENT", "TEMPORAL"]);
    let id = &result["decisions"][0]["proposalIds"][0];
    let read = desk.call("get", json!({ "id": id })).unwrap();
    assert_eq!(
        (read["by"].as_str(), read["quote"].as_str()),
        (Some("model"), Some("I moved to Porto."))
    );
    let trip = |at: &str| {
        let args = json!({ "query": "trip to Faro", "scope": "mara", "asOf": at });
        texts(&desk.call("search", args).unwrap()["memories"]).len()
    };
    // Only the trip says when it holds: on its last day it is found beside the other, a day later it is not.
    assert_eq!(
        [trip("2026-10-01"), trip("2026-10-06"), trip("2026-10-07")],
        [0, 1, 0]
    );
    let found = desk
        .call(
            "search",
            json!({ "query": "trip to Faro", "scope": "mara" }),
        )
        .unwrap();
    let text = desk.call("format", found).unwrap();
    assert!(
        text.as_str()
            .unwrap()
            .contains("(valid: 2026-10-02 → 2026-10-06)"),
        "{text}"
    );
}

#[test]
fn an_answer_that_cannot_be_read_leaves_the_source_and_says_partial() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({ "extract": "model" }));
    desk.network.says(|_| {
        Ok(LlmReply {
            text: "Here you go!".to_owned(),
            model: "fake".to_owned(),
            input_tokens: 0,
            output_tokens: 0,
        })
    });
    let result = desk.add("Mara lives in Porto.");
    assert_eq!(
        (result["status"].as_str(), result["decisions"].clone()),
        (Some("partial"), json!([]))
    );
    assert!(desk.heads().is_empty());
    // A model that does not answer is an error; the source is there all the same.
    desk.network.says(|_| Err(LlmError::NoRoute));
    let failed = desk.call(
        "add",
        json!({ "source": "Mara sings.", "scope": "mara", "requestId": "r" }),
    );
    assert_eq!(code(failed), ("ModelUnavailableError", 409));
    let found = desk
        .call(
            "search",
            json!({ "query": "sings", "scope": "mara", "rawLimit": 3 }),
        )
        .unwrap();
    assert_eq!(texts(&found["raw"]), ["Mara sings."]);
    assert_eq!(found["raw"][0]["score"], 0.5);
    // The same request takes that source up again.
    desk.network.says(|_| {
        let answer = json!({ "candidates": [{ "text": "Mara sings.", "quote": "Mara sings." }] });
        Ok(LlmReply {
            text: answer.to_string(),
            model: "fake".to_owned(),
            input_tokens: 0,
            output_tokens: 0,
        })
    });
    let args = json!({ "source": "Mara sings.", "scope": "mara", "requestId": "r" });
    assert_eq!(
        desk.call("add", args).unwrap()["sourceIds"][0],
        found["raw"][0]["id"]
    );
}

#[test]
fn a_judge_that_breaks_the_contract_is_an_error_of_add() {
    type Spoil = fn(&mut Value);
    let faults: [(&str, Spoil); 4] = [
        ("missing", |x| x["answers"] = json!({})),
        ("extra", |x| {
            x["answers"]["p7_target"] = json!({ "type": "choice", "choice": "NONE" })
        }),
        ("type", |x| {
            x["answers"]["p0_target"] = json!({ "type": "score", "score": 1 })
        }),
        ("option", |x| {
            x["answers"]["p0_target"]["choice"] = json!("current 9")
        }),
    ];
    for (name, spoil) in faults {
        let disk = Disk::new();
        let desk = Desk::open(&disk, 1, json!({}));
        desk.add("Mara lives in Porto.");
        desk.network.replies(move |request| {
            let mut good = reply(request, &always("OVERRIDE"));
            let mut body: Value = serde_json::from_slice(&good.body).unwrap();
            spoil(&mut body);
            good.body = body.to_string().into_bytes();
            Ok(good)
        });
        let failed = desk.call(
            "add",
            json!({ "source": "Mara lives in Faro.", "scope": "mara" }),
        );
        assert_eq!(code(failed), ("JudgeContractError", 422), "{name}");
        assert_eq!(
            desk.network.requests.borrow().len(),
            1,
            "nothing is asked again: {name}"
        );
        assert_eq!(desk.heads(), ["Mara lives in Porto."]);
        let found = desk
            .call(
                "search",
                json!({ "query": "Faro", "scope": "mara", "rawLimit": 3 }),
            )
            .unwrap();
        assert_eq!(texts(&found["raw"]), ["Mara lives in Faro."], "{name}");
    }
}

#[test]
fn a_crowded_judge_is_asked_again_and_one_that_never_answers_is_an_error() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({}));
    desk.add("Mara lives in Porto.");
    let left = Cell::new(2);
    desk.network.replies(move |request| {
        if left.get() > 0 {
            left.set(left.get() - 1);
            return Ok(HttpReply {
                status: [529, 429][left.get()],
                headers: Vec::new(),
                body: Vec::new(),
            });
        }
        Ok(reply(request, &always("OVERRIDE")))
    });
    assert_eq!(updates(&desk.add("Mara lives in Faro.")), ["OVERRIDE"]);
    desk.network.replies(|_| {
        Err(HttpError::Transport {
            message: "down".to_owned(),
        })
    });
    let failed = desk.call(
        "add",
        json!({ "source": "Mara lives in Braga.", "scope": "mara" }),
    );
    assert_eq!(code(failed), ("JudgeUnavailableError", 409));
}

#[test]
fn a_source_over_the_budget_is_kept_and_refused() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({ "jevMaxQuestionChars": 2_000 }));
    let long = "Mara lives in Porto. ".repeat(120);
    let failed = desk.call("add", json!({ "source": long, "scope": "mara" }));
    assert_eq!(code(failed), ("DecisionContextError", 422));
    assert!(desk.heads().is_empty());
    let found = desk
        .call(
            "search",
            json!({ "query": "Porto", "scope": "mara", "rawLimit": 1 }),
        )
        .unwrap();
    assert_eq!(found["raw"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_compared_is_cut_to_the_nearest_and_asked_in_batches() {
    let disk = Disk::new();
    let desk = Desk::open(
        &disk,
        1,
        json!({ "reconcileCandidateLimit": 3, "reconcileBatchSize": 2 }),
    )
    .judged(always("SUPPLEMENT"));
    let cities = ["Porto", "Faro", "Braga", "Lagos", "Tomar", "Evora"];
    for city in cities {
        desk.add(&format!("The {city} office has its own budget."));
    }
    desk.network.requests.borrow_mut().clear();
    desk.add("The Lagos office moved. The Tomar office moved. The Evora office moved.");
    let asked: Vec<Value> = desk
        .network
        .requests
        .borrow()
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    // Two batches of a target and an action each.
    assert_eq!(asked.len(), 4);
    assert_eq!(asked[0]["questions"].as_object().unwrap().len(), 2);
    let mut texts: Vec<String> = texts(&asked[0]["state"]["current"]);
    texts.sort();
    assert_eq!(texts.len(), 3);
    assert!(
        texts.iter().all(|text| ["Lagos", "Tomar", "Evora"]
            .iter()
            .any(|city| text.contains(city))),
        "{texts:?}"
    );
}

/// Sixteen writers of one process say sixteen values; each takes the place of the one before.
#[test]
fn sixteen_writers_leave_one_head_and_sixteen_versions_behind_it() {
    for seed in 0..6u64 {
        let disk = Disk::new();
        let desk = Desk::open(&disk, 1, json!({})).judged(always("OVERRIDE"));
        desk.add("The port of the service is 8000.");
        desk.network.delay_ms.set(3);
        let calls: Vec<Value> = (1..=16)
            .map(|n| json!({ "source": format!("The port of the service is {}.", 8_000 + n), "scope": "mara" }))
            .collect();
        let futures: Vec<Call<'_>> = calls
            .iter()
            .map(|args| Box::pin(desk.library.call(desk.ports(), "add", args)) as Pin<Box<_>>)
            .collect();
        let random = FakeRandom::from_seed(seed);
        let results = run_together(futures, |n| random.next() as usize % n);
        for result in &results {
            assert_eq!(result.as_ref().unwrap()["status"], "committed");
        }
        assert_eq!(desk.heads().len(), 1, "seed {seed}");
        assert_eq!(
            desk.texts(json!({ "scope": "mara", "includeHistory": true }))
                .len(),
            17
        );
        // At most three decisions each, of two requests.
        assert!(desk.network.requests.borrow().len() <= 16 * 6);
    }
}

/// Writers of several processes: none loses a head, and one that was overtaken too often says so.
#[test]
fn processes_that_race_lose_no_head() {
    for seed in 0..4u64 {
        let disk = Disk::new();
        let desks: Vec<Desk> = (1..=4)
            .map(|pid| {
                let desk = Desk::open(&disk, pid, json!({})).judged(always("OVERRIDE"));
                desk.network.delay_ms.set(2);
                desk
            })
            .collect();
        desks[0].add("The port of the service is 8000.");
        let calls: Vec<Value> = (0..8)
            .map(|n| json!({ "source": format!("The port of the service is {}.", 8_001 + n), "scope": "mara" }))
            .collect();
        let futures: Vec<Call<'_>> = calls
            .iter()
            .enumerate()
            .map(|(n, args)| {
                let desk = &desks[n % desks.len()];
                Box::pin(desk.library.call(desk.ports(), "add", args)) as Pin<Box<_>>
            })
            .collect();
        let random = FakeRandom::from_seed(seed);
        let results = run_together(futures, |n| random.next() as usize % n);
        let written = results.iter().filter(|result| result.is_ok()).count();
        for result in results {
            if let Err(error) = result {
                assert_eq!(error.row().0, "StaleDecisionError", "{error}");
            }
        }
        assert!(written > 0);
        let late = Desk::open(&disk, 9, json!({}));
        assert_eq!(late.heads().len(), 1, "seed {seed}");
        let all = late.texts(json!({ "scope": "mara", "includeHistory": true }));
        assert_eq!(all.len(), written + 1);
    }
}

#[test]
fn scopes_do_not_see_each_other() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({}));
    desk.add("Mara lives in Porto.");
    // Nothing of another scope is compared, so nobody is asked.
    let other = desk
        .call(
            "add",
            json!({ "source": "Mara lives in Faro.", "scope": "jonas" }),
        )
        .unwrap();
    assert_eq!(updates(&other), ["SUPPLEMENT"]);
    assert_eq!(desk.heads(), ["Mara lives in Porto."]);
    assert_eq!(
        desk.texts(json!({ "scope": "jonas" })),
        ["Mara lives in Faro."]
    );
}

#[test]
fn an_update_is_a_new_version_and_a_deletion_keeps_the_old() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({}));
    let id = desk.add("Mara lives in Porto.")["decisions"][0]["proposalIds"][0].clone();
    let new = desk
        .call("update", json!({ "id": id, "text": "Mara lives in Faro." }))
        .unwrap();
    assert_ne!(new["id"], id);
    let old = desk.call("get", json!({ "id": id })).unwrap();
    assert_eq!(
        (old["text"].as_str(), old["isLatest"].as_bool()),
        (Some("Mara lives in Porto."), Some(false))
    );
    assert_eq!(
        code(desk.call("update", json!({ "id": id, "text": "x y z" }))),
        ("StaleDecisionError", 409)
    );
    assert_eq!(
        code(desk.call("update", json!({ "id": "m-nobody", "text": "x" }))),
        ("NotFoundError", 422)
    );
    desk.call("delete", json!({ "id": new["id"] })).unwrap();
    assert!(desk.heads().is_empty());
    let read = desk.call("get", json!({ "id": new["id"] })).unwrap();
    assert_eq!(
        (read["status"].as_str(), read["text"].as_str()),
        (Some("archived"), Some("Mara lives in Faro."))
    );
}

pub fn holding(disk: &Disk, text: &str) -> Vec<String> {
    let holds =
        |path: &String| String::from_utf8_lossy(&disk.get(path).unwrap_or_default()).contains(text);
    disk.paths().into_iter().filter(holds).collect()
}

#[test]
fn a_bulk_deletion_leaves_nothing_of_the_scope_and_the_request_may_come_anew() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({}));
    let args = json!({ "source": "Mara lives in Porto.", "scope": "mara", "requestId": "r-1" });
    let first = desk.call("add", args.clone()).unwrap();
    desk.call(
        "add",
        json!({ "source": "Jonas lives in Riga.", "scope": "jonas" }),
    )
    .unwrap();
    assert_eq!(
        code(desk.call("deleteBulk", json!({ "scope": "mara" }))),
        ("InputError", 422)
    );
    assert_eq!(
        desk.call("deleteBulk", json!({ "scope": "mara", "confirm": true }))
            .unwrap()["removed"],
        2
    );
    assert!(desk.heads().is_empty());
    assert_eq!(holding(&disk, "Porto"), Vec::<String>::new());
    assert_eq!(
        desk.texts(json!({ "scope": "jonas" })),
        ["Jonas lives in Riga."]
    );
    let anew = desk.call("add", args).unwrap();
    assert_ne!(anew["sourceIds"], first["sourceIds"]);
    assert_eq!(desk.heads(), ["Mara lives in Porto."]);
}

#[test]
fn a_folder_of_another_format_is_refused_and_stays_as_it_is() {
    for (name, bytes) in [
        ("versions.db", b"SQLite format 3\0".to_vec()),
        ("memory.json", b"[{\"id\":1,\"text\":\"old\"}]".to_vec()),
        ("ledger.jsonl", b"{\"event\":\"theirs\"}\n".to_vec()),
    ] {
        let disk = Disk::new();
        disk.put(&format!("/data/{name}"), &bytes);
        let Err(error) = Desk::try_open(&disk, 1, json!({})) else {
            panic!("{name} was taken");
        };
        assert_eq!(error.row(), ("ForeignFormatError", "foreign-format", 422));
        assert!(error.message.contains(name), "{error}");
        assert_eq!(disk.get(&format!("/data/{name}")), Some(bytes));
        assert_eq!(disk.paths().len(), 1);
    }
}

#[test]
fn an_argument_that_is_not_known_is_refused_by_name() {
    let desk = Desk::open(&Disk::new(), 1, json!({}));
    for (verb, args, says) in [
        (
            "add",
            json!({ "source": "x", "scope": "s", "memory_at": 3 }),
            "`memory_at` is no argument",
        ),
        (
            "add",
            json!({ "source": "Mara sings.", "scope": "" }),
            "`scope` is a text",
        ),
        (
            "add",
            json!({ "source": "Mara sings.", "scope": "s", "memoryAt": "soon" }),
            "`memoryAt` is milliseconds",
        ),
        (
            "search",
            json!({ "query": "x", "scope": "s", "limit": -1 }),
            "`limit` is a whole number",
        ),
        ("search", json!({ "scope": "s" }), "`query` is a text"),
        (
            "list",
            json!({ "scope": "s", "includeHistory": 1 }),
            "`includeHistory` is true or false",
        ),
        ("burn", json!({}), "`burn` is nothing"),
    ] {
        let error = desk.call(verb, args).unwrap_err();
        assert_eq!(error.row().0, "InputError");
        assert!(error.message.contains(says), "{error}");
    }
}

#[test]
fn vectors_decide_what_is_compared_and_a_malformed_one_stops_before_the_log() {
    let disk = Disk::new();
    let desk = Desk::open(&disk, 1, json!({ "embeddings": true }));
    let good = Rc::new(Cell::new(true));
    let is_good = good.clone();
    // Two texts about living are near, whatever their words.
    desk.network.replies(move |request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let Some(inputs) = body["input"].as_array() else {
            return Ok(reply(request, &always("OVERRIDE")));
        };
        let vector = |text: &str| match (
            is_good.get(),
            text.contains("home") || text.contains("lives"),
        ) {
            (false, _) => json!([]),
            (true, true) => json!([1.0, 0.1, 0.0]),
            (true, false) => json!([0.0, 0.1, 1.0]),
        };
        let data: Vec<Value> = inputs
            .iter()
            .enumerate()
            .map(|(n, text)| json!({ "index": n, "embedding": vector(text.as_str().unwrap()) }))
            .collect();
        Ok(HttpReply {
            status: 200,
            headers: Vec::new(),
            body: json!({ "data": data }).to_string().into_bytes(),
        })
    });
    desk.add("Mara lives in Porto.");
    assert_eq!(
        updates(&desk.add("Faro is home for her these days.")),
        ["OVERRIDE"]
    );
    assert_eq!(
        updates(&desk.add("Biscuit is the name of a dog.")),
        ["SUPPLEMENT"]
    );
    let found = desk
        .call("search", json!({ "query": "home", "scope": "mara" }))
        .unwrap();
    assert_eq!(
        found["memories"][0]["text"],
        "Faro is home for her these days."
    );
    good.set(false);
    let before = desk.heads();
    let failed = desk.call(
        "add",
        json!({ "source": "Jonas lives in Riga.", "scope": "mara" }),
    );
    assert_eq!(code(failed), ("JudgeContractError", 422));
    assert_eq!(desk.heads(), before);
}

/// Judges that answer anything legal, in any order of commits, over two processes.
#[test]
fn no_order_of_commits_loses_a_head() {
    for seed in 0..24u64 {
        let disk = Disk::new();
        let desks: Vec<Desk> = (1..=2u32)
            .map(|pid| {
                let answers = FakeRandom::from_seed(seed * 31 + u64::from(pid));
                let desk = Desk::open(&disk, pid, json!({})).judged(move |_, _, options| {
                    options[answers.next() as usize % options.len()].clone()
                });
                desk.network.delay_ms.set(1);
                desk
            })
            .collect();
        let calls: Vec<Value> = (0..10)
            .map(|n| {
                let source = format!("The port of the service is {n}. The log of the service is kept {n} days.");
                json!({ "source": source, "scope": "mara", "memoryAt": NOON + i64::from(n % 3) * DAY })
            })
            .collect();
        let futures: Vec<Call<'_>> = calls
            .iter()
            .enumerate()
            .map(|(n, args)| {
                let desk = &desks[n % desks.len()];
                Box::pin(desk.library.call(desk.ports(), "add", args)) as Pin<Box<_>>
            })
            .collect();
        let random = FakeRandom::from_seed(seed);
        let results = run_together(futures, |n| random.next() as usize % n);
        let mut added: Vec<String> = Vec::new();
        for result in results {
            let Ok(result) = result
                .inspect_err(|error| assert_eq!(error.row().0, "StaleDecisionError", "{error}"))
            else {
                continue;
            };
            let decisions = result["decisions"].as_array().unwrap().iter();
            let ids = decisions
                .filter(|x| x["action"] == "ADD")
                .map(|x| x["proposalIds"][0].as_str().unwrap().to_owned());
            added.extend(ids);
        }
        let late = Desk::open(&disk, 9, json!({}));
        let all = late
            .call("list", json!({ "scope": "mara", "includeHistory": true }))
            .unwrap();
        let items: Map<String, Value> = all
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["id"].as_str().unwrap().to_owned(), item.clone()))
            .collect();
        // Whatever was said to be added is there, and nothing else.
        added.sort();
        let mut there: Vec<String> = items.keys().cloned().collect();
        there.sort();
        assert_eq!(there, added, "seed {seed}");
        let links = |item: &Value, name: &str| -> Vec<String> {
            item[name]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_str().unwrap().to_owned())
                .collect()
        };
        for (id, item) in &items {
            // Links are whole: both ends know of each other.
            for next in links(item, "supersededBy") {
                assert!(
                    links(&items[&next], "supersedes").contains(id),
                    "seed {seed}"
                );
            }
            for other in links(item, "conflictsWith") {
                assert!(
                    links(&items[&other], "conflictsWith").contains(id),
                    "seed {seed}"
                );
            }
            // A version has one successor, and every chain ends in exactly one version that none replaced.
            assert!(links(item, "supersededBy").len() <= 1, "seed {seed}");
            let mut head = item;
            for _ in 0..=items.len() {
                match links(head, "supersededBy").first() {
                    Some(next) => head = &items[next],
                    None => break,
                }
            }
            assert!(
                links(head, "supersededBy").is_empty(),
                "a chain that never ends, seed {seed}"
            );
            // It stands, or it was deleted; what it replaced does not.
            assert!(
                ["active", "archived"].contains(&head["status"].as_str().unwrap()),
                "seed {seed}"
            );
            assert_eq!(
                item["isLatest"] == true,
                item["status"] == "active",
                "seed {seed}"
            );
            assert_eq!(
                item["status"] == "superseded",
                !links(item, "supersededBy").is_empty(),
                "seed {seed}"
            );
        }
    }
}
