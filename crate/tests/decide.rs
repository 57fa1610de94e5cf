//! Versioned decisions without IO: what is legal, and what several answers come to together.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use jev_memory_core::decide::action::{Action, LEGAL, Standing, legal, question};
use jev_memory_core::decide::ask::{Chosen, Question, Shown, body, read};
use jev_memory_core::decide::extract::{self, Proposal};
use jev_memory_core::decide::outcome::{Done, Status, Update};
use jev_memory_core::decide::plan::{Settled, Verdict, settle, status};
use jev_memory_core::decide::route::lexical;
use jev_memory_core::decide::settings::Settings;
use jev_memory_core::decide::target::Link;
use jev_memory_core::memory::Millis;
use serde_json::{Value, json};

/// 2026-09-29 08:00 UTC.
const NOON: Millis = Millis(1_790_668_800_000);

fn proposal(text: &str) -> Proposal {
    Proposal {
        text: text.to_owned(),
        quote: text.to_owned(),
        at: NOON,
        valid_from: None,
        valid_until: None,
        temporal_scope: None,
        by_model: true,
        procedure: None,
    }
}

/// Every action by every target: `+` legal, `-` a mismatch. The columns are the rows of the documentation's table.
const TABLE: &str = "
    OVERRIDE      Head + Earlier + NewerHead - Several - Nothing -
    SUPPLEMENT    Head + Earlier + NewerHead - Several + Nothing +
    NEGATE        Head + Earlier + NewerHead - Several - Nothing -
    CONFLICT      Head + Earlier + NewerHead + Several - Nothing -
    SKIP          Head + Earlier + NewerHead + Several - Nothing -
    DELETE        Head + Earlier - NewerHead - Several - Nothing -
    HISTORICAL    Head - Earlier - NewerHead + Several - Nothing -
    TEMPORAL      Head - Earlier - NewerHead - Several - Nothing +
    RAW_ONLY      Head - Earlier - NewerHead - Several + Nothing +
    INVALID       Head + Earlier + NewerHead + Several + Nothing +
    NEED_CONTEXT  Head + Earlier + NewerHead + Several + Nothing +
";

#[test]
fn every_action_is_legal_for_exactly_the_targets_of_its_row() {
    let mut n = 0;
    for line in TABLE.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let action = Action::named(words[0]).unwrap();
        assert_eq!(action.as_str(), words[0]);
        for cell in words[1..].chunks(2) {
            let (standing, _) = LEGAL
                .iter()
                .find(|(standing, _)| format!("{standing:?}") == cell[0])
                .unwrap();
            assert_eq!(
                action.is_legal(*standing),
                cell[1] == "+",
                "{line} {}",
                cell[0]
            );
            // A mismatch is an error of the whole plan, whatever else is in it.
            let target = match standing {
                Standing::Nothing => None,
                Standing::Earlier => Some(Link::Earlier(0)),
                Standing::Head | Standing::NewerHead => Some(Link::Head(0)),
                Standing::Several => Some(Link::Several),
            };
            let proposals = [
                proposal("Mara lives in Porto."),
                proposal("Mara moved to Faro."),
            ];
            let first = Verdict::independent(&proposals[0]);
            let second = Verdict {
                target,
                action,
                confidence: Some(0.9),
            };
            let settled = settle(&proposals, &[first, second], &|_| *standing, 0.0);
            match settled {
                Ok(_) => assert_eq!(cell[1], "+", "{line} {}", cell[0]),
                Err(error) => {
                    assert_eq!(cell[1], "-", "{line} {}", cell[0]);
                    assert_eq!(
                        error.row(),
                        ("DecisionContextError", "decision-context", 422)
                    );
                }
            }
            n += 1;
        }
    }
    assert_eq!(n, Action::ALL.len() * LEGAL.len());
}

#[test]
fn only_what_is_legal_is_offered_and_every_option_says_when_it_applies() {
    for (standing, actions) in LEGAL {
        let target = (standing != Standing::Nothing).then(Shown::default);
        let asked = question("p0_action".to_owned(), Shown::default(), target, standing);
        let names: Vec<&str> = asked
            .options
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let expected: Vec<&str> = actions.iter().map(|action| action.as_str()).collect();
        assert_eq!(names, expected);
        assert!(
            asked.options.iter().all(|(_, means)| !means.is_empty()),
            "{standing:?}"
        );
        assert_eq!(legal(standing), actions);
    }
    // Without a target there is nothing to skip for, and nothing says so.
    let alone = question(String::new(), Shown::default(), None, Standing::Nothing);
    assert!(!format!("{alone:?}").to_lowercase().contains("skip"));
}

/// `action target confidence` by candidate; a target is `h0` (a head), `n1` (a newer head), `p0` (an earlier candidate) or `-`.
fn settled(verdicts: &str) -> Vec<Settled> {
    let rows: Vec<Vec<&str>> = verdicts
        .split(',')
        .map(|row| row.split_whitespace().collect())
        .collect();
    let proposals: Vec<Proposal> = rows
        .iter()
        .map(|_| proposal("Mara lives in Porto."))
        .collect();
    let verdicts: Vec<Verdict> = rows
        .iter()
        .map(|row| Verdict {
            action: Action::named(row[0]).unwrap(),
            target: row[1]
                .get(1..)
                .and_then(|at| at.parse().ok())
                .map(|at: usize| match row[1].as_bytes()[0] {
                    b'p' => Link::Earlier(at),
                    _ => Link::Head(at),
                }),
            confidence: row.get(2).map(|x| x.parse().unwrap()),
        })
        .collect();
    let newer = verdicts_newer(&rows);
    settle(
        &proposals,
        &verdicts,
        &|link| match link {
            Link::Earlier(_) => Standing::Earlier,
            Link::Several => Standing::Several,
            Link::Head(at) if newer.contains(&at) => Standing::NewerHead,
            Link::Head(_) => Standing::Head,
        },
        0.5,
    )
    .unwrap()
}

fn verdicts_newer(rows: &[Vec<&str>]) -> Vec<usize> {
    let newer = rows.iter().filter_map(|row| row[1].strip_prefix('n'));
    newer.map(|at| at.parse().unwrap()).collect()
}

fn check(verdicts: &str, expected: &str) {
    let found: Vec<String> = settled(verdicts)
        .iter()
        .map(|one| {
            let target = match one.target {
                None => "-".to_owned(),
                Some(Link::Head(at)) => format!("h{at}"),
                Some(Link::Earlier(at)) => format!("p{at}"),
                Some(Link::Several) => "several".to_owned(),
            };
            let name = one.update.map_or(one.done.as_str(), Update::as_str);
            format!("{name} {target}")
        })
        .collect();
    assert_eq!(found.join(", "), expected, "{verdicts}");
}

#[test]
fn a_supplement_carries_no_target() {
    check("SUPPLEMENT h0 0.9", "SUPPLEMENT -");
    check("NEGATE h0 0.9", "NEGATE h0");
    check("CONFLICT h0 0.9", "CONFLICT h0");
    check("SKIP h0 0.9", "SKIP h0");
    check("DELETE h0 0.9", "DELETE h0");
    check("HISTORICAL n0 0.9", "HISTORICAL h0");
    check("INVALID h0 0.9", "INVALID -");
    check("RAW_ONLY - 0.9", "RAW_ONLY -");
    check("TEMPORAL - 0.9", "TEMPORAL -");
}

#[test]
fn what_is_unclear_stands_by_itself() {
    check("NEED_CONTEXT h0 0.9", "SUPPLEMENT -");
    check("NEED_CONTEXT - 0.9", "SUPPLEMENT -");
    check("OVERRIDE h0 0.4", "SUPPLEMENT -");
    check("OVERRIDE h0 0.5", "OVERRIDE h0");
}

#[test]
fn the_most_confident_of_several_takes_the_head() {
    check(
        "OVERRIDE h0 0.6, OVERRIDE h0 0.9, NEGATE h0 0.8",
        "SUPPLEMENT -, OVERRIDE h0, SUPPLEMENT -",
    );
    check(
        "OVERRIDE h0 0.7, OVERRIDE h0 0.7",
        "OVERRIDE h0, SUPPLEMENT -",
    );
    check("DELETE h0 0.9, OVERRIDE h0 0.6", "DELETE h0, SUPPLEMENT -");
    check(
        "OVERRIDE h0 0.9, OVERRIDE h1 0.6",
        "OVERRIDE h0, OVERRIDE h1",
    );
}

#[test]
fn nothing_hangs_on_what_is_not_written() {
    check("INVALID - 0.9, OVERRIDE p0 0.9", "INVALID -, SUPPLEMENT -");
    check("RAW_ONLY - 0.9, SKIP p0 0.9", "RAW_ONLY -, SUPPLEMENT -");
    // What an earlier candidate is covered by covers what hangs on it.
    check("SKIP h0 0.9, OVERRIDE p0 0.9", "SKIP h0, OVERRIDE h0");
    check(
        "SKIP h0 0.9, SKIP p0 0.9, SKIP p1 0.9",
        "SKIP h0, SKIP h0, SKIP h0",
    );
    // But not where that would not be legal: the head is newer than this source.
    check("SKIP n0 0.9, OVERRIDE p0 0.9", "SKIP h0, SUPPLEMENT -");
    check(
        "SUPPLEMENT - 0.9, OVERRIDE p0 0.9",
        "SUPPLEMENT -, OVERRIDE p0",
    );
}

#[test]
fn what_returns_links_to_what_stands_now() {
    // Beijing is known; the source says Shanghai, then Beijing again.
    check("OVERRIDE h0 0.9, SKIP h0 0.9", "OVERRIDE h0, OVERRIDE p0");
    check(
        "OVERRIDE h0 0.9, OVERRIDE p0 0.9, SKIP h0 0.9",
        "OVERRIDE h0, OVERRIDE p0, OVERRIDE p1",
    );
    // Said before it was replaced, it is covered by what it repeats.
    check("SKIP h0 0.9, OVERRIDE h0 0.9", "SKIP h0, OVERRIDE h0");
    // What was deleted and is said again is new.
    check("DELETE h0 0.9, SKIP h0 0.9", "DELETE h0, SUPPLEMENT -");
}

#[test]
fn a_conflict_is_between_two_that_stay() {
    check(
        "OVERRIDE h0 0.9, CONFLICT h0 0.9",
        "OVERRIDE h0, SUPPLEMENT -",
    );
    check(
        "CONFLICT h0 0.9, CONFLICT h0 0.8",
        "CONFLICT h0, CONFLICT h0",
    );
}

#[test]
fn the_status_says_what_a_source_came_to() {
    let of = |verdicts: &str| status(&settled(verdicts), false);
    assert_eq!(of("SUPPLEMENT - 0.9, INVALID - 0.9"), Status::Committed);
    assert_eq!(of("DELETE h0 0.9"), Status::Committed);
    assert_eq!(of("SKIP h0 0.9, RAW_ONLY - 0.9"), Status::Known);
    assert_eq!(of("RAW_ONLY - 0.9, INVALID - 0.9"), Status::RawOnly);
    assert_eq!(status(&[], false), Status::RawOnly);
    assert_eq!(status(&[], true), Status::Partial);
    assert_eq!(settled("INVALID - 0.9")[0].done, Done::Invalid);
}

#[test]
fn no_answers_take_one_target_twice_or_hang_on_what_is_not_written() {
    let mut state = 7u64;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    for _ in 0..4_000 {
        let n = 1 + next(6);
        let proposals: Vec<Proposal> = (0..n).map(|_| proposal("x")).collect();
        let newer = next(4);
        let stands = |link: Link| match link {
            Link::Earlier(_) => Standing::Earlier,
            Link::Several => Standing::Several,
            Link::Head(at) if at == newer => Standing::NewerHead,
            Link::Head(_) => Standing::Head,
        };
        let verdicts: Vec<Verdict> = (0..n)
            .map(|at| {
                let target = match next(4) {
                    0 => None,
                    1 if at > 0 => Some(Link::Earlier(next(at))),
                    _ => Some(Link::Head(next(3))),
                };
                let offered = legal(target.map_or(Standing::Nothing, stands));
                Verdict {
                    target,
                    action: offered[next(offered.len())],
                    confidence: Some(next(10) as f64 / 10.0),
                }
            })
            .collect();
        let settled = settle(&proposals, &verdicts, &stands, 0.2).unwrap();
        let mut taken: Vec<Link> = Vec::new();
        for (at, one) in settled.iter().enumerate() {
            let takes = one.done == Done::Delete
                || matches!(one.update, Some(Update::Override | Update::Negate));
            if let Some(Link::Earlier(other)) = one.target {
                assert!(other < at);
                assert_eq!(settled[other].done, Done::Add, "{verdicts:?}");
            }
            if takes {
                let link = one.target.unwrap();
                assert!(!taken.contains(&link), "{verdicts:?}");
                assert_ne!(stands(link), Standing::NewerHead, "{verdicts:?}");
                taken.push(link);
            }
        }
    }
}

fn asked() -> Vec<Question> {
    let option = |name: &str| (name.to_owned(), "means".to_owned());
    ["p0_target", "p1_target"]
        .map(|id| Question {
            id: id.to_owned(),
            text: "Which?",
            shown: Vec::new(),
            options: vec![option("NONE"), option("current 1"), option("current 2")],
        })
        .to_vec()
}

fn answer(choice: &str) -> Value {
    json!({ "type": "choice", "choice": choice, "confidence": 0.5,
        "probabilities": { "NONE": 0.1, "current 1": 0.7, "current 2": 0.2 } })
}

#[test]
fn a_reply_answers_exactly_what_was_asked() {
    let good = json!({ "model": "jev-1", "answers": { "p0_target": answer("current 1"), "p1_target": answer("NONE") } });
    let (chosen, model) = read(good.to_string().as_bytes(), &asked()).unwrap();
    assert_eq!(
        chosen,
        [
            Chosen {
                option: 1,
                confidence: 0.5
            },
            Chosen {
                option: 0,
                confidence: 0.5
            }
        ]
    );
    assert_eq!(model, "jev-1");
    type Spoil = fn(&mut Value);
    let faults: [(&str, Spoil, &str); 7] = [
        (
            "a missing answer",
            |x| drop(x["answers"].as_object_mut().unwrap().remove("p1_target")),
            "did not answer",
        ),
        (
            "an extra one",
            |x| x["answers"]["p9"] = answer("NONE"),
            "was not asked",
        ),
        (
            "another type",
            |x| x["answers"]["p0_target"] = json!({ "type": "noul", "noul": 0.4 }),
            "another type",
        ),
        (
            "an unknown option",
            |x| x["answers"]["p0_target"] = answer("current 3"),
            "none of the options",
        ),
        (
            "other probabilities",
            |x| x["answers"]["p0_target"]["probabilities"] = json!({ "NONE": 1 }),
            "not those",
        ),
        (
            "a number past one",
            |x| x["answers"]["p0_target"]["probabilities"]["NONE"] = json!(1.3),
            "from 0 to 1",
        ),
        ("no answers", |x| x["answers"] = json!(null), "no `answers`"),
    ];
    for (name, spoil, says) in faults {
        let mut bad = good.clone();
        spoil(&mut bad);
        let error = read(bad.to_string().as_bytes(), &asked()).unwrap_err();
        assert_eq!(
            error.row(),
            ("JudgeContractError", "judge-contract", 422),
            "{name}"
        );
        assert!(error.message.contains(says), "{name}: {}", error.message);
    }
    assert!(read(b"<html>", &asked()).is_err());
}

#[test]
fn a_missing_confidence_is_the_contracts_formula() {
    let mut bare = answer("current 1");
    bare["confidence"] = json!(null);
    let reply = json!({ "answers": { "p0_target": bare, "p1_target": { "type": "choice", "choice": "NONE" } } });
    let (chosen, _) = read(reply.to_string().as_bytes(), &asked()).unwrap();
    assert!((chosen[0].confidence - 0.55).abs() < 1e-9);
    assert_eq!(chosen[1].confidence, 1.0);
}

#[test]
fn a_request_keeps_the_order_of_questions_and_options() {
    let body = body("jev-latest", "{\"current\":[]}", &asked());
    let value: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(value["model"], "jev-latest");
    assert_eq!(value["questions"]["p1_target"]["type"], "choice");
    assert!(body.find("p0_target") < body.find("p1_target"));
    assert!(body.find("\"NONE\"") < body.find("\"current 1\""));
}

#[test]
fn the_models_answer_is_read_strictly() {
    let source = "user: I moved to Porto in March. The trip to Faro is from 2 to 6 October.";
    let read = |answer: &str| extract::read(answer, source, NOON);
    let one = json!({ "candidates": [
        { "text": "The user moved to Porto in March.", "quote": "I moved to Porto in March." },
        { "text": "The user's trip to Faro is from 2 to 6 October.", "quote": "The trip to Faro is from 2 to 6 October.",
          "validFrom": "2026-10-02", "validUntil": "2026-10-06", "temporalScope": "trip" },
    ] });
    let found = read(&format!("```json\n{one}\n```"));
    assert!(!found.partial);
    assert_eq!(found.proposals.len(), 2);
    let trip = &found.proposals[1];
    // The last day is whole: the bound is the first instant after it.
    assert_eq!(
        trip.valid_until.unwrap().0 - trip.valid_from.unwrap().0,
        5 * 86_400_000
    );
    assert_eq!(trip.temporal_scope.as_deref(), Some("trip"));
    for unreadable in ["", "Sure! Here they are:", "[]", "{\"candidates\": 3}"] {
        let found = read(unreadable);
        assert!(found.partial && found.proposals.is_empty(), "{unreadable}");
    }
}

#[test]
fn a_malformed_bound_is_dropped_and_its_candidate_stays() {
    let source = "The trip to Faro is from 2 to 6 October.";
    for (from, until, kept) in [
        ("soon", "2026-10-06", (false, true)),
        ("2026-10-02", "2026-02-30", (true, false)),
        ("2026-10-06", "2026-10-02", (false, false)),
        ("2026-10-02", "2026-10-02", (true, true)),
    ] {
        let answer = json!({ "candidates": [{ "text": source, "quote": source, "validFrom": from, "validUntil": until }] });
        let found = extract::read(&answer.to_string(), source, NOON);
        let one = &found.proposals[0];
        assert_eq!(
            (one.valid_from.is_some(), one.valid_until.is_some()),
            kept,
            "{from} {until}"
        );
    }
}

#[test]
fn a_candidate_whose_words_are_not_its_quotes_is_left_out() {
    let source = "端口定了 8000，别乱改。";
    for (text, quote, n) in [
        (
            "服务端口固定为 8000，不要修改。",
            "端口定了 8000，别乱改。",
            1,
        ),
        (
            "团队决定下个季度迁移数据库并通知所有客户。",
            "端口定了 8000，别乱改。",
            0,
        ),
        ("端口是 8000。", "数据库用 DuckDB。", 0),
        // A mark more or less in the quote is no other passage.
        ("端口固定为 8000。", "端口定了8000,别乱改", 1),
    ] {
        let answer = json!({ "candidates": [{ "text": text, "quote": quote }] });
        let found = extract::read(&answer.to_string(), source, NOON);
        assert_eq!(found.proposals.len(), n, "{text} / {quote}");
        for proposal in found.proposals {
            assert!(source.contains(&proposal.quote));
        }
    }
}

#[test]
fn without_a_model_the_persons_own_sentences_are_the_candidates() {
    let said = [
        "Mara lives in Porto. What time is it?\n```\nlet x = 1;\n```\nThe office closes at six."
            .to_owned(),
    ];
    let found = extract::verbatim(&said, NOON);
    let texts: Vec<&str> = found.proposals.iter().map(|x| x.text.as_str()).collect();
    assert_eq!(texts, ["Mara lives in Porto.", "The office closes at six."]);
    assert!(found.proposals.iter().all(|x| !x.by_model));
}

/// Statements about the same, and statements that are not: the threshold of words lies between nearly all of them.
const RELATED: [(&str, &str); 12] = [
    (
        "Mara lives in Porto.",
        "Mara moved to Faro and lives there now.",
    ),
    (
        "The team uses npm for packages.",
        "The team switched from npm to pnpm.",
    ),
    ("服务端口用 8000。", "服务端口改成 9090。"),
    ("日志保留十四天。", "日志保留三十天。"),
    (
        "Jonas likes black coffee.",
        "Jonas stopped drinking coffee.",
    ),
    ("小顾住在杭州。", "小顾搬到了宁波，现在住在那里。"),
    (
        "The office closes at six.",
        "The office closes at eight on Fridays.",
    ),
    ("主分支的发布在周四。", "发布改到周二了。"),
    (
        "Lena's dog is called Biscuit.",
        "Lena's dog died last winter.",
    ),
    ("数据库用 SQLite。", "数据库已经换成 DuckDB。"),
    (
        "The API key rotates monthly.",
        "API keys rotate every week.",
    ),
    ("会议室在三楼。", "会议室搬到五楼。"),
];
const UNRELATED: [(&str, &str); 8] = [
    ("Mara lives in Porto.", "The office closes at six."),
    ("服务端口用 8000。", "小顾住在杭州。"),
    (
        "Jonas likes black coffee.",
        "The team uses npm for packages.",
    ),
    ("日志保留十四天。", "会议室在三楼。"),
    ("Lena's dog is called Biscuit.", "数据库用 SQLite。"),
    ("The API key rotates monthly.", "Mara plays the cello."),
    ("主分支的发布在周四。", "小顾喜欢喝乌龙茶。"),
    ("The build takes nine minutes.", "Jonas was born in Riga."),
];

#[test]
fn the_threshold_of_words_tells_the_related_from_the_rest() {
    let threshold = Settings::read(&json!({ "dataDir": "/x" }))
        .unwrap()
        .reconcile_lexical_threshold;
    let over = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .filter(|(a, b)| lexical(a, b) >= threshold)
            .count()
    };
    assert_eq!(over(&RELATED), RELATED.len());
    assert_eq!(over(&UNRELATED), 0);
}
