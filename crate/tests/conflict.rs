//! A contradiction from the sentence to its end: held, asked, answered, and never lost.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::indexing_slicing)]

use crate::house;

use house::House;
use jev_memory_core::engine::{Answered, Question, When};
use jev_memory_core::fake::{Disk, block_on};
use jev_memory_core::memory::SessionId;
use jev_memory_core::port::Files;
use serde_json::{Value, json};

const CWD: &str = "/home/project";
const OLD: &str = "本项目以后前端开发端口必须固定用 5173。";
const NEW: &str = "以后前端开发端口必须固定用 5180。";

fn question(house: &House, session: &str, when: When) -> Option<Question> {
    block_on(
        house
            .engine
            .question(house.ports(), &SessionId::from(session), when),
    )
}

/// Shows the card and gives an answer to it.
fn answer(house: &House, question: &Question, label: usize) -> String {
    block_on(house.engine.question_shown(house.ports(), question.token));
    let answered = Answered {
        selected: question.card.options[label].label.clone(),
        ..Answered::default()
    };
    block_on(
        house
            .engine
            .answer(house.ports(), question.token, &answered),
    )
}

/// Shows the card and ends it without an answer.
fn ends(house: &House, question: &Question, code: &str) -> String {
    block_on(house.engine.question_shown(house.ports(), question.token));
    refused(house, question, code)
}

/// Ends the question before any card was shown.
fn refused(house: &House, question: &Question, code: &str) -> String {
    let answered = Answered {
        ended: code.to_owned(),
        ..Answered::default()
    };
    block_on(
        house
            .engine
            .answer(house.ports(), question.token, &answered),
    )
}

/// Texts and statuses of what a search finds, history included, in its order.
fn found(talk: &house::Talk<'_>, query: &str, history: bool) -> Vec<(String, String)> {
    let reply = talk.search_with(json!({ "query": query, "includeHistory": history }));
    let hits = reply["hits"].as_array().cloned().unwrap_or_default();
    let text = |hit: &Value, key: &str| hit[key].as_str().unwrap_or_default().to_owned();
    hits.iter()
        .map(|hit| (text(hit, "text"), text(hit, "status")))
        .collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(text, status)| ((*text).to_owned(), (*status).to_owned()))
        .collect()
}

#[test]
fn a_contradicting_sentence_is_held_and_asked_about() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    assert_eq!(talk.turn(OLD).kept.len(), 1);
    let learned = talk.turn(NEW);
    assert!(learned.kept.is_empty(), "{learned:?}");
    assert_eq!(learned.held.len(), 1);
    assert!(talk.says("端口是多少").contains("5173"));
    assert!(!talk.block().contains("5180"));
    assert_eq!(
        found(&talk, "前端开发端口", false).len(),
        2,
        "a pending one is found, as such"
    );
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert!(asked.card.detail.contains("5180") && asked.card.detail.contains("5173"));
    assert!(asked.card.detail.contains("2026-09-29"));
    // One card at a time.
    assert_eq!(question(&house, "s1", When::TurnEnd), None);
    assert_eq!(answer(&house, &asked, 0), "replace");
    assert_eq!(
        found(&talk, "前端开发端口", false),
        pairs(&[(NEW, "active")])
    );
    // Opened, claimed, shown.
    let rows = house.rows(&disk, "conflict-ask");
    let attempts: Vec<&Value> = rows.iter().map(|row| &row["attempt"]).collect();
    assert_eq!(attempts, [0, 0, 1]);
    assert!(rows[0]["asker"].is_null() && rows[1]["asker"].is_string());
    assert_eq!(rows[2]["detector"], "offline:value");
    assert_eq!(rows[2]["question"], asked.card.question.as_str());
    assert!(!rows[2]["shared"].as_array().unwrap().is_empty());
    assert_eq!(
        house.rows(&disk, "conflict-resolved")[0]["choice"],
        "replace"
    );
}

#[test]
fn each_choice_ends_in_its_state() {
    for (label, choice, expected) in [
        (0, "replace", [(NEW, "active"), (OLD, "superseded")]),
        (1, "keep-old", [(NEW, "archived"), (OLD, "active")]),
        (2, "keep-both", [(NEW, "active"), (OLD, "active")]),
    ] {
        let disk = Disk::new();
        let house = House::mount(&disk, 1, json!({}));
        let mut talk = house.session("s1", CWD);
        talk.turn(OLD);
        talk.turn(NEW);
        let asked = question(&house, "s1", When::TurnEnd).unwrap();
        assert_eq!(answer(&house, &asked, label), choice);
        let mut all = found(&talk, "前端开发端口", true);
        all.sort();
        let mut expected = pairs(&expected);
        expected.sort();
        assert_eq!(all, expected);
        assert_eq!(question(&house, "s1", When::PreStep), None);
        // A restart sees the same.
        let again = House::mount(&disk, 2, json!({}));
        let talk = again.session("s2", CWD);
        let mut all = found(&talk, "前端开发端口", true);
        all.sort();
        assert_eq!(all, expected);
    }
}

#[test]
fn without_an_answer_it_waits_and_is_asked_again_across_restarts() {
    let disk = Disk::new();
    let config = json!({ "askOnConflictMaxAttempts": 2 });
    let house = House::mount(&disk, 1, config.clone());
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.turn(NEW);
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert_eq!(ends(&house, &asked, "timeout"), "unanswered:timeout");
    // Not again at the end of a turn, but when the human speaks.
    assert_eq!(question(&house, "s1", When::TurnEnd), None);
    let asked = question(&house, "s1", When::PreStep).unwrap();
    assert!(asked.timeout_ms <= 120_000);
    assert_eq!(ends(&house, &asked, "ASK_CANCELLED"), "unanswered:closed");
    // Another process, another session: the second and last re-ask.
    let house = House::mount(&disk, 2, config);
    let talk = house.session("s2", CWD);
    let asked = question(&house, "s2", When::PreStep).unwrap();
    assert_eq!(ends(&house, &asked, "ASK_ABORTED"), "unanswered:aborted");
    assert_eq!(question(&house, "s2", When::PreStep), None);
    assert_eq!(
        found(&talk, "前端开发端口", false)
            .iter()
            .filter(|x| x.1 == "needs-review")
            .count(),
        1
    );
    assert!(house.rows(&disk, "conflict-ask").last().unwrap()["attempt"] == 3);
}

#[test]
fn an_ask_counts_only_when_a_card_was_shown() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({ "askOnConflictMaxAttempts": 0 }));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.turn(NEW);
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert_eq!(
        refused(&house, &asked, "NO_PROVIDER"),
        "unanswered:no-provider"
    );
    // Nobody to ask in this session: it is not tried at every turn. Another session may have somebody.
    assert_eq!(question(&house, "s1", When::PreStep), None);
    let _child = house.session("s3", CWD);
    let asked = question(&house, "s3", When::PreStep).unwrap();
    assert_eq!(
        refused(&house, &asked, "DELEGATED_CALLER"),
        "unanswered:delegated-caller"
    );
    let _other = house.session("s2", CWD);
    let asked = question(&house, "s2", When::PreStep).unwrap();
    assert_eq!(ends(&house, &asked, ""), "unanswered:skipped");
    assert_eq!(question(&house, "s2", When::PreStep), None);
}

#[test]
fn with_asking_off_it_waits() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({ "askOnConflict": false }));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    assert_eq!(talk.turn(NEW).held.len(), 1);
    assert_eq!(question(&house, "s1", When::TurnEnd), None);
    assert_eq!(question(&house, "s1", When::PreStep), None);
}

#[test]
fn an_answer_to_a_pair_that_changed_changes_nothing() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.turn(NEW);
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    // Another process had the old one forgotten meanwhile.
    let other = House::mount(&disk, 2, json!({}));
    let mut theirs = other.session("s9", CWD);
    theirs.says("请忘掉前端开发端口 5173 那条。");
    assert!(theirs.forget(OLD)["forgotten"].is_object());
    assert_eq!(answer(&house, &asked, 0), "unanswered:changed");
    // Nothing contradicts it any more: it stands, and the topic has its record.
    assert_eq!(question(&house, "s1", When::PreStep), None);
    assert_eq!(
        found(&talk, "前端开发端口", false),
        pairs(&[(NEW, "active")])
    );
}

#[test]
fn a_hand_edit_while_the_card_is_open_is_respected() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.turn(NEW);
    house.close();
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    let path = "/home/jev-memory/memory.json";
    let text = String::from_utf8(disk.get(path).unwrap()).unwrap();
    house.clock.now_ms.set(house.clock.now_ms.get() + 60_000);
    disk.put(
        path,
        text.replace(OLD, "前端开发端口固定 5199。").as_bytes(),
    );
    assert_eq!(answer(&house, &asked, 1), "unanswered:changed");
    let asked = question(&house, "s1", When::PreStep).unwrap();
    assert!(asked.card.detail.contains("5199"), "{}", asked.card.detail);
    assert_eq!(answer(&house, &asked, 1), "keep-old");
}

#[test]
fn a_mind_changed_back_keeps_three_versions() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    for _ in 0..2 {
        let text = if talk.turn % 2 == 1 { NEW } else { OLD };
        assert_eq!(talk.turn(text).held.len(), 1, "{text}");
        let asked = question(&house, "s1", When::TurnEnd).unwrap();
        assert_eq!(answer(&house, &asked, 0), "replace");
    }
    assert_eq!(
        found(&talk, "前端开发端口", false),
        pairs(&[(OLD, "active")])
    );
    assert_eq!(
        found(&talk, "前端开发端口", true),
        pairs(&[(OLD, "active"), (NEW, "superseded"), (OLD, "superseded")])
    );
}

#[test]
fn two_conflicting_sentences_of_one_turn_are_one_question() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    let learned = talk.turn(&format!("{OLD}\n{NEW}"));
    assert_eq!((learned.kept.len(), learned.held.len()), (1, 1));
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert_eq!(answer(&house, &asked, 2), "keep-both");
    assert_eq!(question(&house, "s1", When::TurnEnd), None);
}

#[test]
fn a_conflict_with_a_pending_one_is_decided_with_it() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.turn(NEW);
    let third = "以后前端开发端口必须固定用 5190。";
    assert_eq!(talk.turn(third).held.len(), 1);
    let first = question(&house, "s1", When::TurnEnd).unwrap();
    assert!(first.card.detail.contains("5180"));
    ends(&house, &first, "ASK_CANCELLED");
    let second = question(&house, "s1", When::TurnEnd).unwrap();
    assert!(second.card.detail.contains("5190"));
    assert_eq!(answer(&house, &second, 0), "replace");
    assert_eq!(
        found(&talk, "前端开发端口", false),
        pairs(&[(third, "active")])
    );
    assert_eq!(question(&house, "s1", When::PreStep), None);
}

#[test]
fn a_plain_statement_that_overrides_a_rule_is_asked_about_though_it_says_little_by_itself() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    // By itself it is no rule.
    let plain = "The API port is 9090 now.";
    assert!(talk.turn(plain).kept.is_empty());
    talk.says("Remember: the API port is 8080.");
    let stored = talk.write(json!({ "text": "the API port is 8080" }));
    assert_eq!(stored["stored"]["status"], "active", "{stored}");
    let learned = talk.turn("The API port is 9091 now.");
    assert_eq!(learned.held.len(), 1);
    // What is over with the task overrides nothing.
    let passing = talk.turn("For now just set the API port to 7000.");
    assert!(passing.held.is_empty());
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert_eq!(answer(&house, &asked, 0), "replace");
}

#[test]
fn two_sessions_have_one_card() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut one = house.session("s1", CWD);
    one.turn(OLD);
    one.turn(NEW);
    let _two = house.session("s2", CWD);
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert_eq!(question(&house, "s2", When::PreStep), None);
    assert_eq!(answer(&house, &asked, 0), "replace");
}

#[test]
fn two_processes_show_one_card_for_one_pair() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut one = house.session("s1", CWD);
    one.turn(OLD);
    one.turn(NEW);
    let other = House::mount(&disk, 2, json!({}));
    let _two = other.session("s2", CWD);
    let mine = question(&house, "s1", When::TurnEnd).unwrap();
    assert_eq!(question(&other, "s2", When::PreStep), None);
    // Shown and not answered: the other may ask now, and then this one may not.
    assert_eq!(ends(&house, &mine, "ASK_CANCELLED"), "unanswered:closed");
    let theirs = question(&other, "s2", When::PreStep).unwrap();
    assert_eq!(question(&house, "s1", When::PreStep), None);
    // A refusal before any card gives it back too.
    assert_eq!(
        refused(&other, &theirs, "NO_PROVIDER"),
        "unanswered:no-provider"
    );
    let mine = question(&house, "s1", When::PreStep).unwrap();
    assert_eq!(answer(&house, &mine, 1), "keep-old");
    assert_eq!(question(&other, "s2", When::PreStep), None);
}

#[test]
fn a_claim_ends_with_its_process_and_with_the_time_of_a_card() {
    let killed = |house: &House, disk: &Disk| disk.kill(&house.files.owner());
    let late = |house: &House, _: &Disk| house.clock.now_ms.set(house.clock.now_ms.get() + 606_000);
    let untold = |_: &House, disk: &Disk| disk.tells_liveness(false);
    type Event<'a> = &'a dyn Fn(&House, &Disk);
    let rows: [(Event<'_>, bool); 3] = [(&killed, true), (&late, true), (&untold, false)];
    for (number, (event, expected)) in rows.into_iter().enumerate() {
        let disk = Disk::new();
        let house = House::mount(&disk, 1, json!({}));
        let mut one = house.session("s1", CWD);
        one.turn(OLD);
        one.turn(NEW);
        let mine = question(&house, "s1", When::TurnEnd).unwrap();
        block_on(house.engine.question_shown(house.ports(), mine.token));
        let other = House::mount(&disk, 2, json!({}));
        let _two = other.session("s2", CWD);
        let subject = if number == 0 { &house } else { &other };
        event(subject, &disk);
        let theirs = question(&other, "s2", When::PreStep);
        assert_eq!(theirs.is_some(), expected, "{number}");
        if let Some(theirs) = theirs {
            assert_eq!(answer(&other, &theirs, 1), "keep-old");
            let attempts = other.rows(&disk, "conflict-ask");
            assert_eq!(attempts.last().unwrap()["attempt"], 2);
            assert_eq!(answer(&house, &mine, 0), "unanswered:changed");
        }
    }
}

#[test]
fn of_two_claims_at_once_the_ledger_keeps_the_first() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut one = house.session("s1", CWD);
    one.turn(OLD);
    one.turn(NEW);
    let other = House::mount(&disk, 2, json!({}));
    let _two = other.session("s2", CWD);
    // The other looked before the claim came to the ledger: it claims what it saw as free.
    let _mine = question(&house, "s1", When::TurnEnd).unwrap();
    let ledger = "/home/jev-memory/ledger.jsonl";
    let text = String::from_utf8(disk.get(ledger).unwrap()).unwrap();
    let claim = text.lines().last().unwrap();
    let row: Value = serde_json::from_str(claim).unwrap();
    assert!(row["asker"].is_string(), "{claim}");
    assert_eq!(question(&other, "s2", When::PreStep), None);
    let asks = house.rows(&disk, "conflict-ask");
    assert_eq!(asks.len(), 2, "{asks:?}");
}

#[test]
fn a_flood_of_contradictions_is_held_counted_and_not_asked_at_once() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    let parts = [
        "订单", "支付", "搜索", "邮件", "登录", "媒体", "报表", "聊天", "库存", "价格", "物流",
        "发票",
    ];
    let rules = |port: u32| -> String {
        let rule = |part: &&str| format!("以后{part}服务的端口必须固定用 {port}。");
        parts.iter().map(rule).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(talk.turn(&rules(8000)).kept.len(), 12);
    assert_eq!(talk.turn(&rules(9000)).held.len(), 12);
    let mut shown = 0;
    while let Some(asked) = question(&house, "s1", When::TurnEnd) {
        assert_eq!(answer(&house, &asked, 0), "replace");
        shown += 1;
    }
    assert_eq!(shown, 8);
    assert_eq!(question(&house, "s1", When::PreStep), None);
    let waiting = house.rows(&disk, "conflict-ask");
    assert_eq!(
        waiting
            .iter()
            .filter(|row| row["asker"] == "review")
            .count(),
        4
    );
    let degraded = house.rows(&disk, "degraded");
    let row = degraded
        .iter()
        .find(|row| row["cause"] == "questions-over-limit");
    assert_eq!(row.unwrap()["count"], 4);
}

#[test]
fn a_plain_change_of_a_value_is_asked_about_among_parallel_rules() {
    // The new sentence, and the one of the known rules that it is about.
    for (new, about) in [
        ("API 端口改成 9000", 0),
        ("前端端口改成 3001。", 1),
        ("订单服务的超时改成 60 秒。", 2),
        ("The billing port is 9090 now.", 4),
        ("Change the billing port to 9000 from now on.", 4),
        ("日志目录改到 `/srv/log`。", 5),
        ("Python 版本升级到 3.13。", 6),
    ] {
        let known = [
            "以后 API 端口必须固定用 8000。",
            "以后前端端口必须固定用 3000。",
            "以后订单服务的超时必须统一用 30 秒。",
            "以后支付服务的超时必须统一用 10 秒。",
            "The billing port must always be 8500.",
            "以后日志目录必须固定用 `/data/log`。",
            "以后 Python 版本必须固定用 3.12。",
            "以后 Node 版本必须固定用 22。",
            "The mail port must always be 8600.",
        ];
        let disk = Disk::new();
        let house = House::mount(&disk, 1, json!({}));
        let mut talk = house.session("s1", CWD);
        let learned = talk.turn(&known.join("\n"));
        assert_eq!(
            (learned.kept.len(), learned.held.len()),
            (9, 0),
            "{learned:?}"
        );
        let learned = talk.turn(new);
        assert_eq!(learned.held.len(), 1, "{new}: {learned:?}");
        let asked = question(&house, "s1", When::TurnEnd).unwrap();
        assert_eq!(answer(&house, &asked, 0), "replace");
        for (at, text) in known.iter().enumerate() {
            let hits = found(&talk, text, true);
            let status = hits
                .iter()
                .find(|(hit, _)| hit == text)
                .map(|(_, status)| status.as_str());
            let expected = if at == about { "superseded" } else { "active" };
            assert_eq!(status, Some(expected), "{new}: {text}");
        }
    }
}

#[test]
fn a_change_that_names_no_one_of_two_things_is_asked_about_neither() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn("以后 API 端口必须固定用 8000。");
    assert_eq!(talk.turn("端口改成 9000").held.len(), 1);
    // What is over with the task, and an order that changes nothing known.
    assert_eq!(talk.turn("先把 API 端口改成 7000 试试").held.len(), 0);
    assert_eq!(talk.turn("跑一下 9000 端口的服务").held.len(), 0);
    let other = Disk::new();
    let house = House::mount(&other, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn("以后 API 端口必须固定用 8000。\n以后前端端口必须固定用 3000。");
    assert_eq!(talk.turn("端口改成 9000").held.len(), 0);
}

#[test]
fn two_periods_of_one_duty_are_two_records() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    for text in [
        "以后一月到三月必须由甲组值班。",
        "以后七月到九月必须由甲组值班。",
        "以后四月到六月必须由乙组值班。",
    ] {
        let learned = talk.turn(text);
        assert_eq!(
            (learned.kept.len(), learned.held.len()),
            (1, 0),
            "{text}: {learned:?}"
        );
    }
}

#[test]
fn a_change_of_one_port_touches_no_other_record() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    let others = ["以后后端超时必须统一用 30 秒。", "以后日志必须保留 14 天。"];
    talk.turn(&format!("{OLD}\n{}\n{}", others[0], others[1]));
    talk.turn(NEW);
    let ask = &house.rows(&disk, "conflict-ask")[0];
    assert_eq!(ask["against"].as_array().unwrap().len(), 1);
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    answer(&house, &asked, 0);
    for text in others {
        let reply = talk.search(text);
        assert_eq!(reply["hits"][0]["text"], text);
        assert_eq!(reply["hits"][0]["status"], "active");
    }
}

#[test]
fn a_hand_written_line_is_known_text_and_is_never_stored() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    let message = "<system-reminder>\nThe following workspace instructions may be relevant.\n\n\
        Instructions from: AGENTS.md\n\n# Rules\n- Frontend port: 5173 (zebra)\n- 前端开发端口 5173。\n</system-reminder>";
    house.engine.instruct(&SessionId::from("s1"), message);
    assert_eq!(talk.turn(NEW).held.len(), 1);
    let asked = question(&house, "s1", When::TurnEnd).unwrap();
    assert!(asked.card.detail.contains("AGENTS.md") && asked.card.detail.contains("5173"));
    assert_eq!(answer(&house, &asked, 0), "replace");
    assert_eq!(
        found(&talk, "前端开发端口", true),
        pairs(&[(NEW, "active")])
    );
    house.close();
    assert!(house::holding(&disk, "zebra").is_empty());
    assert!(house::holding(&disk, "端口 5173").is_empty());
}

#[test]
fn what_the_model_has_written_is_held_too() {
    let disk = Disk::new();
    let house = House::mount(&disk, 1, json!({}));
    let mut talk = house.session("s1", CWD);
    talk.turn(OLD);
    talk.says("记住：前端开发端口改成 5180。");
    let reply = talk.write(json!({ "text": "前端开发端口改成 5180" }));
    assert_eq!(reply["stored"]["status"], "needs-review", "{reply}");
    assert_eq!(reply["stored"]["contradicts"].as_array().unwrap().len(), 1);
    assert!(question(&house, "s1", When::TurnEnd).is_some());
}
