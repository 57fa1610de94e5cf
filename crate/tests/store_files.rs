//! The files of a store: the checkpoint, hand edits, damage, rotation, forgetting.

#![allow(clippy::indexing_slicing, clippy::expect_used)]

use crate::folder;

use folder::{DIR, Folder, memory, memory_at, position, scope, turn, write};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, Fault, Moment, Operation, block_on};
use jev_memory_core::memory::{Author, MemoryId, Status};
use jev_memory_core::store::entry::{Body, Fact, Observation};
use jev_memory_core::store::{Draft, Request, close, forget, history, observe, settle};

fn forget_one(folder: &Folder, id: &MemoryId) -> jev_memory_core::store::Receipt {
    let request = Request {
        ids: vec![id.clone()],
        by: "command".to_owned(),
        asked: None,
    };
    block_on(forget(&folder.store, folder.ports(), request, 500)).expect("forgets")
}

fn skip(reason: &str, id: Option<&MemoryId>, quote: &str, seq: u64) -> Body {
    Observation::Skip {
        reason: reason.to_owned(),
        scope: scope(),
        id: id.cloned(),
        quote: Some(quote.to_owned()),
        rule: None,
        count: None,
        position: position("s2", seq),
    }
    .into()
}

fn texts(folder: &Folder) -> Vec<String> {
    let store = folder.store.borrow();
    let mut out: Vec<String> = store
        .state()
        .memories()
        .map(|memory| format!("{} {}", memory.status.as_str(), memory.text))
        .collect();
    out.sort();
    out
}

#[test]
fn the_checkpoint_follows_a_change_and_equals_its_replay() {
    let folder = Folder::new();
    folder.commit(vec![write("端口固定 8123。"), turn("s1", 1, 4)]);
    folder.settle();
    let first = folder.text("memory.json");
    assert!(first.lines().count() > 8, "a record a line: {first}");
    let state = folder.reopen().state();
    assert_eq!(state, folder.state());
    folder.disk.delete(&format!("{DIR}/memory.json"));
    let again = folder.reopen();
    assert_eq!(again.state(), state);
    again.settle();
    assert_eq!(folder.text("memory.json"), first);
}

#[test]
fn a_missing_ledger_is_made_again_from_the_checkpoint() {
    let folder = Folder::new();
    folder.commit(vec![write("端口固定 8123。")]);
    folder.settle();
    folder.disk.delete(&format!("{DIR}/ledger.jsonl"));
    let again = folder.reopen();
    assert_eq!(texts(&again), ["active 端口固定 8123。"]);
    again.commit(vec![write("second rule")]);
    folder.disk.delete(&format!("{DIR}/memory.json"));
    assert_eq!(texts(&folder.reopen()).len(), 2);
}

#[test]
fn a_ledger_that_lost_its_tail_does_not_take_the_checkpoint_back() {
    let folder = Folder::new();
    folder.commit(vec![write("first rule")]);
    let short = folder.text("ledger.jsonl");
    folder.commit(vec![write("second rule")]);
    folder.settle();
    folder.put("ledger.jsonl", &short);
    let again = folder.reopen();
    assert_eq!(texts(&again).len(), 2);
    again.commit(vec![write("third rule")]);
    again.disk.delete(&format!("{DIR}/memory.json"));
    assert_eq!(texts(&folder.reopen()).len(), 3);
}

#[test]
fn a_damaged_checkpoint_goes_to_quarantine_and_the_ledger_gives_the_state() {
    for damage in [
        "",
        "\0\0\0\0",
        "{\"memories\":[",
        "[1,2]",
        "{\"name\":\"x\"}",
        "not json",
    ] {
        let folder = Folder::new();
        folder.commit(vec![write("first rule")]);
        folder.settle();
        folder.put("memory.json", damage);
        let again = folder.reopen();
        assert_eq!(texts(&again), ["active first rule"], "{damage:?}");
        again.commit(vec![write("second rule")]);
        again.settle();
        let kept: Vec<String> = again
            .disk
            .paths()
            .into_iter()
            .filter(|path| path.contains("/quarantine/memory."))
            .collect();
        assert_eq!(kept.len(), 1, "{damage:?}: {:?}", again.disk.paths());
        assert_eq!(again.disk.get(&kept[0]).unwrap(), damage.as_bytes());
        assert!(
            again
                .text("ledger.jsonl")
                .contains("checkpoint-quarantined")
        );
        assert_eq!(folder.reopen().state(), again.state());
    }
}

#[test]
fn a_refused_rename_costs_no_commit_and_is_tried_again() {
    let folder = Folder::new();
    folder.commit(vec![write("first rule")]);
    folder.settle();
    folder.put("memory.json", "{\"memories\":");
    folder
        .disk
        .fail_next(Operation::Rename, "memory.json", Fault::NotPermitted);
    folder.commit(vec![write("second rule")]);
    assert_eq!(folder.text("memory.json"), "{\"memories\":");
    folder.commit(vec![write("third rule")]);
    folder.settle();
    assert_eq!(texts(&folder).len(), 3);
    let kept = folder.disk.paths();
    assert!(kept.iter().any(|path| path.contains("/quarantine/memory.")));
    assert_eq!(folder.reopen().state(), folder.state());
}

#[test]
fn hand_edits_survive_the_next_commit() {
    let folder = Folder::new();
    folder.commit(vec![
        write("alpha rule is old"),
        write("beta rule goes away"),
        write("gamma rule stays"),
    ]);
    folder.settle();
    let mut document: serde_json::Value =
        serde_json::from_str(&folder.text("memory.json")).unwrap();
    let records = document["memories"].as_array_mut().unwrap();
    for record in records.iter_mut() {
        if record["text"] == "alpha rule is old" {
            record["text"] = "alpha rule is new".into();
        }
    }
    records.retain(|record| record["text"] != "beta rule goes away");
    records.push(serde_json::json!({"text": "delta rule by hand"}));
    let edited = serde_json::to_string_pretty(&document).unwrap();
    // As an editor on another system saves it.
    let saved = format!("\u{feff}{}", edited.replace('\n', "\r\n"));
    folder.put("memory.json", &saved);
    folder.commit(vec![write("epsilon rule by plugin")]);
    let expected = [
        "active alpha rule is new",
        "active delta rule by hand",
        "active epsilon rule by plugin",
        "active gamma rule stays",
    ];
    assert_eq!(texts(&folder), expected);
    let state = folder.state();
    let hand: Vec<_> = state
        .memories()
        .filter(|memory| memory.by == Author::Edit)
        .map(|memory| (memory.text.to_string(), memory.revision.0))
        .collect();
    assert!(hand.contains(&("alpha rule is new".to_owned(), 2)));
    assert_eq!(hand.len(), 2);
    assert!(state.memories().all(|memory| !memory.text.contains('\r')));
    let gone = memory("beta rule goes away").id;
    assert_eq!(state.tombstone(&gone).map(|x| x.by.as_str()), Some("edit"));
    folder.settle();
    assert_eq!(texts(&folder.reopen()), expected);
    // The same edit seen again changes nothing.
    let seq = folder.state().seq();
    folder.put("memory.json", &saved);
    folder.settle();
    assert_eq!(texts(&folder), expected);
    assert!(folder.state().seq().0 <= seq.0 + 2);
}

#[test]
fn an_edited_procedure_and_its_text_say_the_same() {
    let given = |solution: &str| serde_json::json!({"task": "Fix the clock", "solution": solution, "boundaryScope": "project", "confidence": 0.5});
    type Edit = fn(&mut serde_json::Value);
    // What a person does to the record, its text and its solution afterwards.
    let edits: [(Edit, &str, &str); 4] = [
        (
            |x| x["procedure"]["solution"] = "Set TZ.\nRun it.".into(),
            "Fix the clock: Set TZ. Run it.",
            "Set TZ.\nRun it.",
        ),
        (
            |x| x["text"] = "Fix the clock: Use UTC.".into(),
            "Fix the clock: Use UTC.",
            "Use UTC.",
        ),
        (|x| x["text"] = "Use UTC.".into(), "Use UTC.", "Use UTC."),
        (
            |x| x["procedure"]["solution"] = "".into(),
            "Fix the clock: Wait.",
            "Wait.",
        ),
    ];
    for (edit, text, solution) in edits {
        let folder = Folder::new();
        folder.commit(vec![write("alpha rule stays")]);
        folder.settle();
        let change = |how: &dyn Fn(&mut Vec<serde_json::Value>)| {
            let mut document: serde_json::Value =
                serde_json::from_str(&folder.text("memory.json")).unwrap();
            how(document["memories"].as_array_mut().unwrap());
            folder.put("memory.json", &document.to_string());
            folder.settle();
        };
        change(&|all| {
            all.push(serde_json::json!({"type": "procedure", "text": "Fix the clock: Wait.", "procedure": given("Wait.")}));
        });
        change(&|all| {
            edit(all.iter_mut().find(|x| x["type"] == "procedure").unwrap());
        });
        let state = folder.state();
        let memory = state.memories().find(|x| x.procedure.is_some()).unwrap();
        let procedure = memory.procedure.as_ref().unwrap();
        assert_eq!(
            (&*memory.text, procedure.solution.as_str()),
            (text, solution)
        );
        assert_eq!(folder.reopen().state().tables(), state.tables());
    }
}

#[test]
fn a_hand_edit_that_holds_a_secret_is_refused() {
    let key = ["sk", "-"].concat() + &"aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY".repeat(2)[..48];
    type Edit = fn(&mut serde_json::Value, &str);
    let edits: [(&str, Edit); 5] = [
        ("text", |x, key| {
            x["text"] = format!("alpha uses {key}").into()
        }),
        ("canonical", |x, key| {
            x["canonical"] = format!("Alpha uses {key}.").into()
        }),
        ("quote", |x, key| {
            x["source"]["quote"] = format!("alpha uses {key}").into()
        }),
        (
            "procedure",
            |x, key| x["procedure"] = serde_json::json!({"task": "Deploy", "solution": format!("alpha uses {key}"), "boundaryScope": "user", "confidence": 1}),
        ),
        (
            "added",
            |x, key| {
                *x = serde_json::json!({"id": "m-byhand", "text": format!("alpha uses {key}")})
            },
        ),
    ];
    for (field, edit) in edits {
        let folder = Folder::new();
        folder.commit(vec![write("alpha rule is old"), write("beta rule stays")]);
        folder.settle();
        let before = texts(&folder);
        let mut document: serde_json::Value =
            serde_json::from_str(&folder.text("memory.json")).unwrap();
        let records = document["memories"].as_array_mut().unwrap();
        let mut record = records
            .iter()
            .find(|record| record["text"] == "alpha rule is old")
            .unwrap()
            .clone();
        edit(&mut record, &key);
        let id = record["id"].as_str().unwrap().to_owned();
        records.retain(|old| old["id"] != record["id"]);
        records.push(record);
        folder.put(
            "memory.json",
            &serde_json::to_string_pretty(&document).unwrap(),
        );
        folder.commit(vec![turn("s1", 1, 1)]);
        folder.settle();
        assert_eq!(texts(&folder), before, "{field}");
        assert_eq!(texts(&folder.reopen()), before, "{field}");
        let store = folder.store.borrow();
        let refused: Vec<&str> = store
            .notices()
            .iter()
            .filter(|notice| notice.code == "edit-refused")
            .map(|notice| notice.detail.as_str())
            .collect();
        let told = refused.concat();
        assert_eq!(refused.len(), 1, "{field}: {told}");
        assert!(!told.contains(&key), "{field}: {told}");
        drop(store);
        assert!(told.contains(&id), "{field}: {told}");
        for path in folder.disk.paths() {
            let bytes = folder.disk.get(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert!(!text.contains(&key), "{field}: {path}");
        }
    }
}

#[test]
fn an_edit_of_an_older_file_is_carried_to_the_state_of_now() {
    let folder = Folder::new();
    folder.commit(vec![write("alpha rule is old"), write("beta rule")]);
    folder.settle();
    let old = folder.text("memory.json");
    folder.commit(vec![write("gamma rule came later")]);
    folder.settle();
    forget_one(&folder, &memory("beta rule").id);
    folder.put(
        "memory.json",
        &old.replace(
            "\"text\":\"alpha rule is old\"",
            "\"text\":\"alpha rule is new\"",
        ),
    );
    folder.commit(vec![turn("s1", 1, 1)]);
    assert_eq!(
        texts(&folder),
        ["active alpha rule is new", "active gamma rule came later"]
    );
}

#[test]
fn an_edit_that_is_no_json_is_kept_beside_the_ledgers_state() {
    let folder = Folder::new();
    folder.commit(vec![write("alpha rule")]);
    folder.settle();
    let broken = folder
        .text("memory.json")
        .replace("alpha rule\"", "alpha rule by hand");
    folder.put("memory.json", &broken);
    folder.commit(vec![write("beta rule")]);
    assert_eq!(texts(&folder), ["active alpha rule", "active beta rule"]);
    let kept = folder.disk.paths();
    let kept = kept
        .iter()
        .find(|path| path.contains("/quarantine/"))
        .unwrap();
    assert_eq!(folder.disk.get(kept).unwrap(), broken.as_bytes());
    assert!(!folder.store.borrow().notices().is_empty());
}

#[test]
fn a_flipped_bit_takes_one_line() {
    let folder = Folder::new();
    for n in 0..4 {
        folder.commit(vec![write(&format!("rule number {n}")), turn("s", n, 7)]);
    }
    let whole = folder.text("ledger.jsonl").into_bytes();
    let lines = whole.split(|&byte| byte == b'\n').count() - 1;
    assert_eq!(lines, 8);
    for at in (0..whole.len()).step_by(7) {
        for bit in [0, 3, 7] {
            let disk = Disk::new();
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            disk.put(&format!("{DIR}/ledger.jsonl"), &bytes);
            let hurt = Folder::on(&disk, 2);
            let n = hurt.state().memories().len();
            assert!(n >= 3, "byte {at} bit {bit}: {n} memories");
            hurt.commit(vec![write("written after")]);
            let state = hurt.state();
            assert!(state.memories().len() > n);
            assert_eq!(Folder::on(&disk, 3).state(), state, "byte {at} bit {bit}");
        }
    }
}

#[test]
fn repeated_and_reordered_lines_give_the_same_state() {
    let folder = Folder::new();
    for n in 0..4 {
        folder.commit(vec![write(&format!("rule number {n}")), turn("s", n, 7)]);
    }
    let text = folder.text("ledger.jsonl");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    for damaged in [
        format!("{text}{text}"),
        format!("{}\n", lines.join("\n")),
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.trim_end().to_owned(),
        format!("{}\n\n\n", text.replace('\n', "\n\n")),
    ] {
        let disk = Disk::new();
        disk.put(&format!("{DIR}/ledger.jsonl"), damaged.as_bytes());
        let hurt = Folder::on(&disk, 2);
        assert_eq!(hurt.state(), folder.state(), "{damaged:?}");
        hurt.commit(vec![write("written after")]);
        assert_eq!(Folder::on(&disk, 3).state(), hurt.state());
        assert_eq!(hurt.state().memories().len(), 5);
    }
}

#[test]
fn a_newer_ledger_is_never_written() {
    use jev_memory_core::store::codec::seal;
    let folder = Folder::new();
    folder.commit(vec![write("rule one")]);
    let mut text = folder.text("ledger.jsonl").into_bytes();
    let start = text.len();
    text.extend_from_slice(br#"{"v":2,"new":true"#);
    seal(&mut text, start);
    folder.disk.put(&format!("{DIR}/ledger.jsonl"), &text);
    let again = folder.reopen();
    assert_eq!(again.store.borrow().newer_version(), Some(2));
    let refused = again.try_commit(Draft {
        rows: vec![write("rule two")],
        ..Draft::default()
    });
    assert!(matches!(
        refused,
        Err(StoreError::NewerVersion { found: 2, .. })
    ));
    assert_eq!(folder.text("ledger.jsonl").into_bytes(), text);
    // One that was open before finds out at its next commit.
    let refused = folder.try_commit(Draft {
        rows: vec![write("rule two")],
        ..Draft::default()
    });
    assert!(matches!(refused, Err(StoreError::NewerVersion { .. })));
    let _ = block_on(close(&folder.store, folder.ports(), 500));
    assert_eq!(folder.disk.paths(), [format!("{DIR}/ledger.jsonl")]);
}

#[test]
fn an_unknown_kind_is_kept_and_ignored() {
    use jev_memory_core::store::codec::seal;
    let folder = Folder::new();
    folder.commit(vec![write("rule one")]);
    let mut text = folder.text("ledger.jsonl").into_bytes();
    let start = text.len();
    text.extend_from_slice(
        br#"{"v":1,"origin":"d-1","seq":2,"at":1,"tx":2,"last":true,"kind":"dream","x":[1]"#,
    );
    seal(&mut text, start);
    folder.disk.put(&format!("{DIR}/ledger.jsonl"), &text);
    folder.commit(vec![write("rule two")]);
    assert_eq!(folder.state().seq().0, 3);
    assert_eq!(folder.reopen().state(), folder.state());
    assert!(folder.text("ledger.jsonl").contains("dream"));
}

#[test]
fn observations_wait_for_the_next_commit_and_are_bounded() {
    let folder = Folder::new();
    let rows = (0..300).map(|n| Observation::Degraded {
        cause: format!("c{n}"),
        count: None,
        detail: String::new(),
    });
    observe(&mut folder.store.borrow_mut(), rows);
    let before = folder.state();
    folder.settle();
    let text = folder.text("ledger.jsonl");
    assert_eq!(text.lines().count(), 257);
    assert!(text.contains("observations-dropped"));
    assert_eq!(folder.state().tables(), before.tables());
}

#[test]
fn a_long_ledger_is_rotated_and_opening_reads_the_newest_segment_alone() {
    let folder = Folder::new();
    let long = "x".repeat(30_000);
    let mut n = 0;
    while folder.store.borrow().ledger_bytes() < 9 * 1024 * 1024 {
        let rows = (0..40)
            .map(|i| skip("duplicate", None, &format!("{n} {i} {long}"), 1))
            .chain([write(&format!("rule number {n}"))])
            .collect();
        folder.commit(rows);
        n += 1;
    }
    let before = folder.state();
    folder.settle();
    assert!(folder.store.borrow().ledger_bytes() < 64 * 1024);
    assert_eq!(folder.text("ledger.jsonl").lines().count(), 1);
    assert_eq!(folder.state().tables(), before.tables());
    // Whoever opens, follows, writes and closes never reads the old one: the first reading of it would be refused.
    let refuse = || {
        let old = "ledger.000001.jsonl";
        folder
            .disk
            .fail_next(Operation::Read, old, Fault::NotPermitted);
    };
    refuse();
    assert_eq!(folder.reopen().state(), folder.state());
    folder.disk.delete(&format!("{DIR}/memory.json"));
    let again = folder.reopen();
    assert_eq!(again.state(), folder.state());
    again.settle();
    folder.commit(vec![write("after rotation")]);
    block_on(close(&again.store, again.ports(), 500)).unwrap();
    block_on(settle(&folder.store, folder.ports(), 500)).unwrap();
    let refused = block_on(history(&folder.store, folder.ports(), |_| true, 1));
    assert!(refused.is_err(), "the refusal was used up by another");
    let id = memory("rule number 0").id;
    let told = block_on(history(
        &folder.store,
        folder.ports(),
        |row| matches!(&row.body, Body::Fact(Fact::Write { memory }) if memory.id == id),
        10,
    ))
    .unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].segment, "ledger.000001.jsonl");
    // Forgetting reaches the old segment.
    let receipt = forget_one(&folder, &id);
    assert!(receipt.blanked.contains_key("ledger.000001.jsonl"));
    assert!(
        !folder
            .text("ledger.000001.jsonl")
            .contains("rule number 0\"")
    );
    assert_eq!(folder.reopen().state(), folder.state());
    // Without its newest checkpoint the older segments give the state.
    let text = folder.text("ledger.jsonl");
    let rest = text.split_once('\n').unwrap().1;
    folder.put("ledger.jsonl", &format!("{{\"v\":broken\n{rest}"));
    folder.disk.delete(&format!("{DIR}/memory.json"));
    assert_eq!(folder.reopen().state(), folder.state());
}

#[test]
fn forgetting_leaves_nothing_of_the_words_and_keeps_the_place_shut() {
    let folder = Folder::new();
    let said = "评审只要两个人点头，不必等第三个。";
    let mut record = memory_at(said, "s1", 12);
    record.canonical = Some("审阅流程当中两人同意即可放行。".to_owned());
    let id = record.id.clone();
    folder.commit(vec![
        Fact::Write {
            memory: Box::new(record),
        }
        .into(),
        write("构建一律使用 make 完成。"),
    ]);
    folder.commit(vec![
        skip(
            "duplicate",
            Some(&id),
            "评审只要两个人点头，不必等第三个",
            31,
        ),
        skip("below-min-importance", None, "他说评审只要两个人点头", 32),
        skip("below-min-importance", None, "午饭吃什么好呢今天", 33),
    ]);
    folder.settle();
    let receipt = forget_one(&folder, &id);
    assert!(
        receipt.blanked.get("ledger.jsonl") >= Some(&3),
        "{receipt:?}"
    );
    for path in folder.disk.paths() {
        let text = String::from_utf8(folder.disk.get(&path).unwrap()).unwrap();
        for piece in ["评审只要两个", "不必等第三个", "两人同意即可"] {
            assert!(!text.contains(piece), "{path} holds {piece}");
        }
    }
    assert!(folder.text("ledger.jsonl").contains("午饭吃什么好呢今天"));
    for store in [&folder, &folder.reopen()] {
        let store = store.store.borrow();
        let state = store.state();
        assert!(state.memory(&id).is_none());
        assert!(
            state
                .forgotten(&scope(), said, &position("s1", 12))
                .is_some()
        );
        assert!(
            state
                .forgotten(&scope(), said, &position("s2", 31))
                .is_some()
        );
        assert!(
            state
                .forgotten(&scope(), said, &position("s3", 2))
                .is_none()
        );
        assert_eq!(state.next_id(&scope(), said).to_string(), format!("{id}-2"));
    }
    // The write that the tombstone names can never come back; a new version can.
    let again = folder.try_commit(Draft {
        rows: vec![write(said)],
        ..Draft::default()
    });
    assert!(matches!(again, Err(StoreError::Stale { .. })));
    let mut anew = memory_at(said, "s3", 2);
    anew.id = folder.state().next_id(&scope(), said);
    folder.commit(vec![
        Fact::Write {
            memory: Box::new(anew),
        }
        .into(),
    ]);
    assert_eq!(folder.reopen().state().memories().len(), 2);
}

#[test]
fn what_nobody_knows_cannot_be_forgotten() {
    let folder = Folder::new();
    folder.commit(vec![write("rule one")]);
    let before = folder.text("ledger.jsonl");
    let request = Request {
        ids: vec![MemoryId::from("m-nothing")],
        by: "tool".to_owned(),
        asked: None,
    };
    let refused = block_on(forget(&folder.store, folder.ports(), request, 500));
    assert!(matches!(refused, Err(StoreError::NoSuchMemory { .. })));
    assert_eq!(folder.text("ledger.jsonl"), before);
}

#[test]
fn another_process_sees_the_forgetting_and_writes_no_old_copy() {
    let disk = Disk::new();
    let (a, b) = (Folder::on(&disk, 1), Folder::on(&disk, 2));
    a.commit(vec![
        write("alpha secretless sentence"),
        write("beta sentence"),
    ]);
    block_on(settle(&b.store, b.ports(), 500)).unwrap();
    b.commit(vec![turn("s", 1, 3)]);
    forget_one(&a, &memory("alpha secretless sentence").id);
    block_on(close(&b.store, b.ports(), 500)).unwrap();
    b.commit(vec![write("gamma sentence")]);
    block_on(close(&b.store, b.ports(), 500)).unwrap();
    for path in disk.paths() {
        let text = String::from_utf8(disk.get(&path).unwrap()).unwrap();
        assert!(!text.contains("secretless"), "{path}");
    }
    assert_eq!(b.state().memories().len(), 2);
    assert!(b.state().memories().all(|x| x.status == Status::Active));
}

const HALVES: &[&str] = &[
    "memory.json.5f0c.tmp",
    "ledger.jsonl.77.tmp",
    "ledger.000001.jsonl.9.tmp",
    "embeddings.json.1.tmp",
    "quarantine/ledger.12.aa.txt.b2.tmp",
];

fn halves(folder: &Folder) -> Vec<String> {
    let paths = folder.disk.paths();
    paths.into_iter().filter(|x| x.ends_with(".tmp")).collect()
}

#[test]
fn what_a_dead_process_left_half_written_is_swept() {
    let disk = Disk::new();
    let first = Folder::on(&disk, 1);
    first.commit(vec![write("alpha rule"), write("beta rule")]);
    first.settle();
    let leave = || {
        for name in HALVES {
            first.put(name, "{\"text\":\"alpha ru");
        }
    };
    leave();
    // By the first process that opens the folder and writes.
    let next = Folder::on(&disk, 2);
    next.commit(vec![write("gamma rule")]);
    next.settle();
    assert_eq!(halves(&next), [""; 0]);
    // By one that has swept once, when it takes a dead one's lock away.
    let dead = Folder::on(&disk, 3);
    dead.leave_lock();
    disk.kill(&dead.owner());
    leave();
    next.commit(vec![write("delta rule")]);
    next.settle();
    assert_eq!(halves(&next), [""; 0]);
    // By forgetting, whoever left it and when.
    leave();
    forget_one(&first, &memory("alpha rule").id);
    assert_eq!(halves(&next), [""; 0]);
}

#[test]
fn what_a_living_process_is_writing_stays() {
    let disk = Disk::new();
    let busy = Folder::on(&disk, 1);
    busy.commit(vec![write("alpha rule")]);
    busy.leave_lock();
    for name in HALVES {
        busy.put(name, "half");
    }
    busy.put("lock.5f0c.tmp", "{\"owner\":");
    let other = Folder::on(&disk, 2);
    let refused = block_on(settle(&other.store, other.ports(), 50));
    assert!(matches!(refused, Err(StoreError::LockBusy { .. })));
    let refused = other.try_commit(Draft {
        rows: vec![write("beta rule")],
        ..Draft::default()
    });
    assert!(matches!(refused, Err(StoreError::LockBusy { .. })));
    let request = Request {
        ids: vec![memory("alpha rule").id],
        ..Request::default()
    };
    let refused = block_on(forget(&other.store, other.ports(), request, 50));
    assert!(matches!(refused, Err(StoreError::LockBusy { .. })));
    assert_eq!(halves(&other).len(), HALVES.len() + 1);
}

#[test]
fn a_number_without_a_successor_is_damage() {
    use jev_memory_core::store::codec::{SEQ_MAX, seal};
    for seq in [0, SEQ_MAX + 1, u64::MAX - 1, u64::MAX] {
        for (seq, tx) in [(seq, 2), (2, seq)] {
            let folder = Folder::new();
            folder.commit(vec![write("rule one")]);
            let mut text = folder.text("ledger.jsonl").into_bytes();
            let start = text.len();
            let row = format!(
                r#"{{"v":1,"origin":"d-1","seq":{seq},"at":1,"tx":{tx},"last":true,"kind":"dream""#
            );
            text.extend_from_slice(row.as_bytes());
            seal(&mut text, start);
            folder.disk.put(&format!("{DIR}/ledger.jsonl"), &text);
            let again = folder.reopen();
            again.commit(vec![write("rule two"), write("rule three")]);
            assert_eq!(texts(&again).len(), 3);
            assert_eq!(again.state().seq().0, 4, "with the row that says so");
            assert_eq!(again.reopen().state(), again.state());
        }
    }
    // The last one that counts: nothing can follow it, and that is said.
    let folder = Folder::new();
    folder.commit(vec![write("rule one")]);
    let mut text = folder.text("ledger.jsonl").into_bytes();
    let start = text.len();
    let row = format!(
        r#"{{"v":1,"origin":"d-1","seq":{SEQ_MAX},"at":1,"tx":{SEQ_MAX},"last":true,"kind":"dream""#
    );
    text.extend_from_slice(row.as_bytes());
    seal(&mut text, start);
    folder.disk.put(&format!("{DIR}/ledger.jsonl"), &text);
    let refused = folder.try_commit(Draft {
        rows: vec![write("rule two")],
        ..Draft::default()
    });
    assert!(matches!(refused, Err(StoreError::RowInvalid { .. })));
    assert_eq!(texts(&folder.reopen()), ["active rule one"]);
}

#[test]
fn what_must_survive_a_restart_is_a_fact() {
    let folder = Folder::new();
    let (old, new) = (memory("the port is 8000"), memory("the port is 9000"));
    let gone = memory("a word nobody keeps");
    folder.commit(vec![
        write("the port is 8000"),
        write("the port is 9000"),
        write("a word nobody keeps"),
    ]);
    for count in 1..=3 {
        folder.commit(vec![
            Fact::Failure {
                scope: scope(),
                key: "k1".to_owned(),
                tool: "shell".to_owned(),
                signature: "shell: exit 2".to_owned(),
                count,
                more: 0,
                position: position("s1", 40 + u64::from(count)),
            }
            .into(),
            Fact::ConflictAsk {
                id: new.id.clone(),
                against: vec![old.id.clone()],
                attempt: count,
                detector: "value".to_owned(),
                shared: vec!["port".to_owned()],
                question: None,
                asker: None,
                instead: None,
            }
            .into(),
            turn("s1", count, 40 + u64::from(count)),
        ]);
    }
    forget_one(&folder, &gone.id);
    let check = |again: &Folder, told: &str| {
        let state = again.state();
        let tables = state.tables();
        assert_eq!(tables.failures[0].count, 3, "{told}");
        assert_eq!(state.read_to(&"s1".into()).0, 43, "{told}");
        assert_eq!(tables.asks[0].attempt, 3, "{told}");
        assert_eq!(tables.asks[0].against, std::slice::from_ref(&old.id));
        assert_eq!(
            state.tombstone(&gone.id).map(|x| x.positions.len()),
            Some(1)
        );
        assert_eq!(state, folder.state(), "{told}");
    };
    check(&folder.reopen(), "from the checkpoint");
    folder.disk.delete(&format!("{DIR}/memory.json"));
    check(&folder.reopen(), "from the ledger");
    folder.store.borrow_mut().rotate_after(1);
    folder.settle();
    folder.disk.delete(&format!("{DIR}/memory.json"));
    check(&folder.reopen(), "from a rotated ledger");
    folder.put("memory.json", "{\"half\":");
    let hurt = folder.reopen();
    hurt.settle();
    assert_eq!(hurt.state().tables(), folder.state().tables());
}

#[test]
fn the_receipt_names_every_file_that_held_the_words() {
    let folder = Folder::new();
    let said = "the password of the lab door is otter";
    let id = memory(said).id;
    folder.commit(vec![write(said), skip("duplicate", Some(&id), said, 9)]);
    folder.store.borrow_mut().rotate_after(1);
    folder.settle();
    folder.store.borrow_mut().rotate_after(1 << 30);
    folder.commit(vec![skip(
        "veto:question",
        None,
        "is the lab door open",
        10,
    )]);
    folder.commit(vec![skip("veto:question", None, "what is for lunch", 11)]);
    let whole = folder.text("memory.json");
    folder.put("memory.json", &whole[..whole.len() - 9]);
    folder.settle();
    folder.put("embeddings.json", "{}");
    folder.put("memory.json.31.tmp", &whole);
    let receipt = forget_one(&folder, &id);
    let names: Vec<String> = receipt
        .blanked
        .iter()
        .map(|(name, n)| match name.split_once("memory.17") {
            // A quarantined file is named after the moment.
            Some((folder, _)) => folder.to_owned(),
            None => format!("{name} {n}"),
        })
        .collect();
    assert_eq!(
        names,
        [
            "embeddings.json 1",
            "ledger.000001.jsonl 2",
            // The state it begins with, the question, and a `health` row that has " the l" in it, too.
            "ledger.jsonl 3",
            "memory.json 65",
            "memory.json.31.tmp 1",
            "quarantine/"
        ]
    );
    assert_eq!(receipt.ids, [id]);
    assert_eq!(
        receipt.not_reached,
        ["the host's own session log", "backups of the data folder"]
    );
    let quarantined: Vec<String> = folder.disk.paths();
    let quarantined = quarantined.iter().find(|x| x.contains("/quarantine/"));
    let text = folder.disk.get(quarantined.unwrap()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains("lab door") && text.contains("dsh-jev-memory"));
    assert!(folder.text("ledger.jsonl").contains("what is for lunch"));
}

/// What a person makes of a checkpoint, and the health row that must say so.
const EDITS: [(&str, &str); 3] = [
    ("removed", "edited-by-hand"),
    ("changed", "edited-by-hand"),
    ("broken", "checkpoint-quarantined"),
];

/// The file as a person leaves it who removed the first rule, changed its text, or broke the JSON.
fn edited(text: &str, how: &str) -> String {
    match how {
        "removed" => {
            let mut document: serde_json::Value = serde_json::from_str(text).expect("json");
            let records = document["memories"].as_array_mut().expect("a list");
            records.retain(|record| record["text"] != "first rule");
            document.to_string()
        }
        "changed" => text.replace("\"text\":\"first rule\"", "\"text\":\"own words\""),
        _ => text.replace("\"memories\":", "\"memories\""),
    }
}

fn check_edit(folder: &Folder, how: &str, code: &str, told: &str) {
    folder.settle();
    folder.settle();
    let ledger = folder.text("ledger.jsonl");
    assert_eq!(ledger.matches(code).count(), 1, "{told}: {ledger}");
    let has = |text: &str| texts(folder).iter().any(|known| known.ends_with(text));
    assert_eq!(has("first rule"), how == "broken", "{told}");
    assert_eq!(has("own words"), how == "changed", "{told}");
    assert!(has("second rule"), "{told}");
    let paths = folder.disk.paths();
    let is_aside = paths.iter().any(|path| path.contains("quarantine/memory."));
    assert_eq!(is_aside, how == "broken", "{told}: {paths:?}");
    assert_eq!(folder.reopen().state(), folder.state(), "{told}");
    block_on(close(&folder.store, folder.ports(), 500)).expect("closes");
    let checkpoint = folder.text("memory.json");
    folder.disk.delete(&format!("{DIR}/memory.json"));
    let replayed = folder.reopen();
    assert_eq!(replayed.state(), folder.state(), "{told}: replayed");
    replayed.settle();
    assert_eq!(folder.text("memory.json"), checkpoint, "{told}: bytes");
}

#[test]
fn an_edit_between_a_commit_and_its_checkpoint_is_taken_in() {
    for (how, code) in EDITS {
        let folder = Folder::new();
        folder.commit(vec![write("first rule"), turn("s1", 1, 4)]);
        folder.settle();
        let before = folder.text("memory.json");
        folder.commit(vec![write("second rule"), turn("s1", 2, 8)]);
        let after = edited(&before, how);
        assert_ne!(after, before, "{how}");
        folder.put("memory.json", &after);
        check_edit(&folder, how, code, how);
    }
}

#[test]
fn an_edit_while_the_checkpoint_is_written_is_taken_in() {
    for (how, code) in EDITS {
        for moment in [Moment::BeforeTheLook, Moment::AfterTheRename] {
            let folder = Folder::new();
            folder.commit(vec![write("first rule"), turn("s1", 1, 4)]);
            folder.settle();
            let after = edited(&folder.text("memory.json"), how);
            folder.commit(vec![write("second rule"), turn("s1", 2, 8)]);
            folder
                .disk
                .edit_during_replace(moment, "memory.json", after.as_bytes());
            check_edit(&folder, how, code, &format!("{how}, {moment:?}"));
        }
    }
}

#[test]
fn an_edit_while_something_is_forgotten_brings_nothing_back_and_is_said() {
    for moment in [Moment::BeforeTheLook, Moment::AfterTheRename] {
        let folder = Folder::new();
        folder.commit(vec![write("first rule"), write("second rule")]);
        folder.settle();
        let after = edited(&folder.text("memory.json"), "broken");
        folder
            .disk
            .edit_during_replace(moment, "memory.json", after.as_bytes());
        forget_one(&folder, &memory("first rule").id);
        folder.settle();
        for path in folder.disk.paths() {
            let bytes = folder.disk.get(&path).expect("is there");
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("first rule"), "{moment:?}: {path}");
        }
        let ledger = folder.text("ledger.jsonl");
        assert_eq!(ledger.matches("edit-overwritten").count(), 1, "{moment:?}");
    }
}
