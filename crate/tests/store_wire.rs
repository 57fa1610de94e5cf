//! The formats as they are on disk: frozen files of each version, and the strings that may never change.

#![allow(clippy::expect_used)]

use crate::folder;

use expect_test::expect_file;
use folder::{DIR, Folder, NOW, memory, position, scope, write};
use jev_memory_core::decide::outcome::{
    Decision, Done, Path, Planned, Status as Came, Update, id_of,
};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::Disk;
use jev_memory_core::memory::{
    Author, BoundaryScope, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Procedure,
    Revision, ScopeKey, Seq, SessionId, Status, Type,
};
use jev_memory_core::store::codec::{Line, checksum, decode, encode, seal};
use jev_memory_core::store::entry::{Body, Chosen, Fact, Observation, Row};
use jev_memory_core::store::merged::Merged;
use jev_memory_core::store::scan::{End, scan};
use jev_memory_core::store::snapshot;
use jev_memory_core::store::tables::{Failure, Heard, Tables};
use jev_memory_core::store::{Draft, State};
use std::rc::Rc;

fn failed(count: u32) -> Body {
    Fact::Failure {
        scope: scope(),
        key: "0123456789ab".to_owned(),
        tool: "shell".to_owned(),
        signature: "shell: cannot find module left-pad".to_owned(),
        count,
        more: 0,
        position: position("s-1", 30),
    }
    .into()
}

fn full() -> Memory {
    let mut full = memory("服务端口用 8123。");
    full.memory_type = Type::Decision;
    full.canonical = Some("The service port is 8123.".to_owned());
    full.remember.model = Some("jev-2".to_owned());
    full.remember.by = JudgeName::Jev;
    full.source.tool = Some("shell".to_owned());
    full.source.count = Some(2);
    full.source.way_out = Some("npm ci".to_owned());
    full.source.source_ids = vec![MemoryId::from("m-source000000")];
    full.valid_from = Some(Millis(NOW - 5));
    full.valid_until = Some(Millis(NOW + 5_000));
    full.temporal_scope = Some("until Friday".to_owned());
    full.supersedes = vec![MemoryId::from("m-old000000000")];
    full.superseded_by = vec![MemoryId::from("m-new000000000")];
    full.conflicts_with = vec![MemoryId::from("m-other0000000")];
    full
}

/// Every kind at least once, in commits as they come from a turn, a card, an edit and a promise.
fn commits() -> Vec<Vec<Body>> {
    let plain = memory("Always run the linter before pushing \"main\".");
    let gone = memory("临时口令是石榴七号");
    let other = memory("Use spaces, not tabs.");
    let write = |memory: &Memory| -> Body {
        Fact::Write {
            memory: Box::new(memory.clone()),
        }
        .into()
    };
    vec![
        vec![
            Observation::Start {
                version: "0.1.0".to_owned(),
                tokeniser: "1".to_owned(),
                judge: "auto".to_owned(),
                key: "none".to_owned(),
                jev_ready: false,
                normalize: "none".to_owned(),
                capture: true,
                inactive: vec!["jev.model".to_owned()],
                host: "0.1.0-rc.8".to_owned(),
                summary: None,
            }
            .into(),
            Observation::Remember {
                id: plain.id.clone(),
                scope: scope(),
                score: 0.8125,
                memory_type: Type::Constraint,
                by: JudgeName::Heuristic,
                model: None,
                signals: vec!["always".to_owned()],
                threshold: 0.6,
                admitted: true,
                quote: plain.text.to_string(),
                position: position("s-1", 3),
            }
            .into(),
            write(&plain),
            write(&full()),
            write(&gone),
            write(&other),
            Observation::Skip {
                reason: "veto:question".to_owned(),
                scope: scope(),
                id: Some(MemoryId::from("m-skip00000000")),
                quote: Some("Which port was it?".to_owned()),
                rule: Some("ends-in-question-mark".to_owned()),
                count: Some(2),
                position: position("s-1", 4),
            }
            .into(),
            failed(1),
            Fact::Turn {
                session_id: SessionId::from("s-1"),
                turn: 1,
                read_to: EventSeq(31),
                scope: scope(),
            }
            .into(),
        ],
        vec![
            failed(2),
            Fact::FailureDropped {
                scope: scope(),
                keys: vec!["zzzzzzzzzzzz".to_owned()],
            }
            .into(),
            Fact::Canonical {
                id: plain.id.clone(),
                text: "Linting precedes every push.".to_owned(),
            }
            .into(),
            Observation::Normalize {
                id: plain.id.clone(),
                accepted: true,
                share: 0.5,
                from: "Always run the linter".to_owned(),
                to: "Linting precedes every push.".to_owned(),
            }
            .into(),
            Fact::ConflictAsk {
                id: other.id.clone(),
                against: vec![plain.id.clone()],
                attempt: 1,
                detector: "value".to_owned(),
                shared: vec!["tabs".to_owned()],
                question: None,
                asker: None,
                instead: None,
            }
            .into(),
        ],
        vec![
            Fact::ConflictResolved {
                id: other.id.clone(),
                against: vec![plain.id.clone()],
                choice: "keep-both".to_owned(),
            }
            .into(),
            Fact::Supersede {
                old: plain.id.clone(),
                new: other.id.clone(),
            }
            .into(),
            Fact::Status {
                id: full().id,
                status: Status::Archived,
                revision: Revision(2),
                reason: "keep-old".to_owned(),
            }
            .into(),
        ],
        vec![
            Fact::Edit {
                memory: Box::new(Memory {
                    text: "Use spaces, never tabs.".into(),
                    by: jev_memory_core::memory::Author::Edit,
                    revision: Revision(3),
                    ..other.clone()
                }),
                changed: Vec::new(),
            }
            .into(),
            Fact::Forget {
                id: gone.id.clone(),
                scope: scope(),
                positions: vec![position("s-1", 5)],
                by: "memory_forget".to_owned(),
                asked: Some(position("s-2", 8)),
            }
            .into(),
            Fact::Scope {
                from: ScopeKey::from("path:/srv/shop"),
                to: scope(),
            }
            .into(),
            Observation::Recall {
                session_id: SessionId::from("s-2"),
                turn: 1,
                scope: scope(),
                tokens: 61,
                chosen: vec![Chosen {
                    id: other.id.clone(),
                    score: 1.5,
                    relevance: 0.75,
                    importance: 0.8,
                    age: 0.125,
                }],
            }
            .into(),
            Observation::Degraded {
                cause: "jev-timeout".to_owned(),
                count: Some(3),
                detail: "2000 ms".to_owned(),
            }
            .into(),
            Observation::ContextSuppressed {
                session_id: SessionId::from("s-2"),
            }
            .into(),
            Observation::Health {
                code: "torn-tail".to_owned(),
                detail: "12 bytes were cut".to_owned(),
            }
            .into(),
            Observation::Judged {
                by: JudgeName::Jev,
                model: Some("jev-1.13.0".to_owned()),
                questions: "jev-1".to_owned(),
                asked: 2,
                answered: 1,
                requests: 2,
                input_tokens: 900,
                output_tokens: 60,
                ms: 310,
            }
            .into(),
        ],
    ]
}

/// What a memory used as a library writes: a source, a plan with its versions, a repeated statement, an expiry.
fn plans() -> Vec<Vec<Body>> {
    let write = |memory: &Memory| -> Body {
        Fact::Write {
            memory: Box::new(memory.clone()),
        }
        .into()
    };
    let statement = |number: usize, text: &str| Memory {
        id: id_of("r-1", number),
        memory_type: Type::Fact,
        text: text.into(),
        ..memory(text)
    };
    let raw = Memory {
        layer: Layer::Raw,
        ..statement(0, "user: I moved from Porto to Faro.")
    };
    let mut old = statement(1, "Mara lives in Porto.");
    old.source.aliases = vec![MemoryId::from("m-alias0000000")];
    let new = statement(2, "Mara lives in Faro.");
    let other = statement(3, "Mara lives in Braga.");
    let decision = |action, update, number: usize, targets: Vec<MemoryId>| Decision {
        path: Path::Chat,
        action,
        update,
        targets,
        proposal_ids: vec![id_of("r-1", number)],
        source_ids: vec![raw.id.clone()],
        confidence: (number > 1).then_some(0.75),
    };
    let plan = |request: &str, bases: &[&Memory], decisions: Vec<Decision>| -> Body {
        Fact::Plan {
            plan: Box::new(Planned {
                scope: scope(),
                request: Some(request.to_owned()),
                input: "0123456789ab".to_owned(),
                epoch: 0,
                status: Came::Committed,
                scene: "chat".to_owned(),
                sources: vec![raw.id.clone()],
                bases: bases.iter().map(|x| (x.id.clone(), x.revision)).collect(),
                decisions,
                model: Some("jev-1.13.0".to_owned()),
                failed: None,
            }),
        }
        .into()
    };
    let add = |update, number, targets| decision(Done::Add, Some(update), number, targets);
    vec![
        vec![write(&raw), write(&old)],
        vec![
            plan(
                "r-1",
                &[&old],
                vec![
                    add(Update::Override, 2, vec![old.id.clone()]),
                    add(Update::Conflict, 3, vec![new.id.clone()]),
                ],
            ),
            write(&new),
            Fact::Supersede {
                old: old.id.clone(),
                new: new.id.clone(),
            }
            .into(),
            write(&other),
            Fact::ConflictResolved {
                id: other.id.clone(),
                against: vec![new.id.clone()],
                choice: "conflict".to_owned(),
            }
            .into(),
        ],
        vec![plan(
            "r-2",
            &[],
            vec![decision(Done::Skip, None, 4, vec![other.id.clone()])],
        )],
        vec![
            Fact::RequestExpired {
                requests: vec!["r-1".to_owned()],
            }
            .into(),
        ],
    ]
}

/// How a task was done: everything known about it, and next to nothing.
fn procedures() -> Vec<Vec<Body>> {
    let procedure = |number: usize, procedure: Procedure| {
        let mut memory = Memory {
            id: id_of("r-3", number),
            memory_type: Type::Procedure,
            text: procedure.text(),
            by: Author::Model,
            ..memory("")
        };
        memory.source.quote = "".into();
        memory.procedure = Some(Box::new(procedure));
        memory
    };
    let texts = |list: &[&str]| list.iter().map(|x| (*x).to_owned()).collect::<Vec<_>>();
    let full = Procedure {
        task: "Publish the shop's image".to_owned(),
        search_keys: texts(&["image", "registry login"]),
        solution: "Log in first.\nThen `make image push`.".to_owned(),
        boundary_envs: texts(&["Docker 27"]),
        boundary_scope: BoundaryScope::Strict,
        confidence: 0.75,
        files: texts(&["deploy/Makefile"]),
        workspace: Some("git:example.org/shop".to_owned()),
        branch: Some("main".to_owned()),
        session: Some("s-7".to_owned()),
    };
    let bare = Procedure {
        task: "修复时区测试".to_owned(),
        search_keys: Vec::new(),
        solution: "先设 TZ=UTC。".to_owned(),
        boundary_envs: Vec::new(),
        boundary_scope: BoundaryScope::Global,
        confidence: 1.0,
        files: Vec::new(),
        workspace: None,
        branch: None,
        session: None,
    };
    let write = |memory: Memory| -> Body {
        Fact::Write {
            memory: Box::new(memory),
        }
        .into()
    };
    let decision = |number: usize| Decision {
        path: Path::Procedure,
        action: Done::Add,
        update: Some(Update::Supplement),
        targets: Vec::new(),
        proposal_ids: vec![id_of("r-3", number)],
        source_ids: vec![id_of("r-3", 9)],
        confidence: None,
    };
    let plan = Fact::Plan {
        plan: Box::new(Planned {
            scope: scope(),
            request: Some("r-3".to_owned()),
            input: "0123456789ab".to_owned(),
            epoch: 0,
            status: Came::Partial,
            scene: "coding".to_owned(),
            sources: vec![id_of("r-3", 9)],
            bases: Vec::new(),
            decisions: vec![decision(0), decision(1)],
            model: None,
            failed: Some((Path::Chat, "model-unavailable".to_owned())),
        }),
    };
    vec![vec![
        plan.into(),
        write(procedure(0, full)),
        write(procedure(1, bare)),
    ]]
}

/// What came from another device, what it came to, and rows that name what only matters there.
fn devices() -> Vec<Vec<Body>> {
    let one = memory("Ship on Mondays.");
    let mut theirs = memory("Ship from the release branch.");
    theirs.origin = Origin::from("d-ba9876543210");
    let entry = Row {
        origin: theirs.origin.clone(),
        seq: Seq(41),
        at: Millis(NOW),
        tx: Seq(41),
        last: true,
        body: Fact::Write {
            memory: Box::new(theirs.clone()),
        }
        .into(),
    };
    let put = Tables {
        memories: vec![Rc::new(theirs.clone())],
        failures: vec![Failure {
            scope: scope(),
            key: "0123456789ab".to_owned(),
            tool: "shell".to_owned(),
            signature: "shell: cannot find module left-pad".to_owned(),
            count: 5,
            more: 2,
            position: position("s-2", 7),
            at: Millis(NOW),
            seq: Seq(40),
        }],
        ..Tables::default()
    };
    let merged = Merged {
        vector: vec![Heard {
            origin: theirs.origin.clone(),
            seq: Seq(41),
        }],
        put,
        gone: vec!["asks m-000000000000".to_owned()],
    };
    let edited = Memory {
        importance: 0.5,
        revision: Revision(2),
        ..one.clone()
    };
    vec![
        vec![write("Ship on Mondays.")],
        vec![
            Fact::Import {
                row: Box::new(entry),
            }
            .into(),
            Fact::Merge {
                merged: Box::new(merged),
            }
            .into(),
        ],
        vec![
            Fact::Edit {
                memory: Box::new(edited),
                changed: vec!["importance".to_owned()],
            }
            .into(),
        ],
    ]
}

#[test]
fn entries_of_other_devices_are_written_as_they_always_were() {
    let (bytes, state, end) = written_as(devices());
    expect_file!["../../test/data/ledgers/v1-devices.jsonl"]
        .assert_eq(&String::from_utf8(bytes).expect("text"));
    let checkpoint = snapshot::write(&state, &end).expect("a state");
    expect_file!["../../test/data/ledgers/v1-devices.memory.json"]
        .assert_eq(&String::from_utf8(checkpoint.clone()).expect("text"));
    let disk = Disk::new();
    disk.put(&format!("{DIR}/memory.json"), &checkpoint);
    let read = Folder::on(&disk, 1).state();
    assert_eq!(read.tables(), state.tables());
    assert_eq!(read.memories().len(), 2);
    assert_eq!(read.vector().count(), 1);
}

#[test]
fn procedures_are_written_as_they_always_were() {
    let (bytes, state, end) = written_as(procedures());
    expect_file!["../../test/data/ledgers/v1-procedures.jsonl"]
        .assert_eq(&String::from_utf8(bytes).expect("text"));
    let checkpoint = snapshot::write(&state, &end).expect("a state");
    expect_file!["../../test/data/ledgers/v1-procedures.memory.json"]
        .assert_eq(&String::from_utf8(checkpoint.clone()).expect("text"));
    let disk = Disk::new();
    disk.put(&format!("{DIR}/memory.json"), &checkpoint);
    let read = Folder::on(&disk, 1).state();
    assert_eq!(read.tables(), state.tables());
    let recorded = read.recorded("r-3").expect("is recorded");
    assert_eq!(recorded.plan.failed.as_ref().map(|x| x.0), Some(Path::Chat));
    let full = read.memory(&id_of("r-3", 0)).expect("is there");
    assert_eq!(
        full.text,
        "Publish the shop's image: Log in first. Then `make image push`."
    );
}

fn written() -> (Vec<u8>, State, End) {
    written_as(commits())
}

fn written_as(commits: Vec<Vec<Body>>) -> (Vec<u8>, State, End) {
    let mut bytes = Vec::new();
    let mut seq = 0;
    for bodies in commits {
        let tx = Seq(seq + 1);
        let n = bodies.len();
        for (number, body) in bodies.into_iter().enumerate() {
            seq += 1;
            let row = Row {
                origin: Origin::from("d-0123456789ab"),
                seq: Seq(seq),
                at: Millis(NOW + 1_000),
                tx,
                last: number + 1 == n,
                body,
            };
            encode(&row, &mut bytes).expect("encodes");
        }
    }
    let found = scan(&bytes, &End::default());
    assert!(found.damaged.is_empty(), "{:?}", found.damaged);
    let mut state = State::default();
    for row in found.rows {
        state.fold(row);
    }
    (bytes, state, found.end)
}

#[test]
fn version_1_is_written_as_it_always_was() {
    let (bytes, state, end) = written();
    expect_file!["../../test/data/ledgers/v1.jsonl"]
        .assert_eq(&String::from_utf8(bytes).expect("text"));
    let checkpoint = snapshot::write(&state, &end).expect("a state");
    expect_file!["../../test/data/ledgers/v1.memory.json"]
        .assert_eq(&String::from_utf8(checkpoint).expect("text"));
}

#[test]
fn plans_are_written_as_they_always_were() {
    let (bytes, state, end) = written_as(plans());
    expect_file!["../../test/data/ledgers/v1-plans.jsonl"]
        .assert_eq(&String::from_utf8(bytes).expect("text"));
    let checkpoint = snapshot::write(&state, &end).expect("a state");
    expect_file!["../../test/data/ledgers/v1-plans.memory.json"]
        .assert_eq(&String::from_utf8(checkpoint.clone()).expect("text"));
    let disk = Disk::new();
    disk.put(&format!("{DIR}/memory.json"), &checkpoint);
    assert_eq!(Folder::on(&disk, 1).state().tables(), state.tables());
    let found = |number: usize| {
        state
            .memory(&id_of("r-1", number))
            .expect("is there")
            .clone()
    };
    assert_eq!(found(1).superseded_by, [id_of("r-1", 2)]);
    assert_eq!(found(2).conflicts_with, [id_of("r-1", 3)]);
    assert_eq!(found(3).source.aliases, [id_of("r-1", 4)]);
    assert!(state.recorded("r-1").is_none() && state.recorded("r-2").is_some());
}

/// A scope that waits, a product of its digest, what came meanwhile, and its end.
fn digests() -> Vec<Vec<Body>> {
    let pending = || -> Body { Fact::DigestPending { scope: scope() }.into() };
    let digested = |asked: &[&str], up_to: Option<u64>| -> Body {
        Fact::Digested {
            scope: scope(),
            asked: asked.iter().map(|name| (*name).to_owned()).collect(),
            up_to: up_to.map(Seq),
        }
        .into()
    };
    let fact = memory("Mara drinks tea.");
    let mut schema = Memory {
        id: MemoryId::from("m-schema000000"),
        memory_type: Type::Schema,
        layer: Layer::Derived,
        by: Author::Model,
        canonical: Some("Chooses one thing.".to_owned()),
        ..memory("Mara chooses tea.")
    };
    schema.source.quote = "".into();
    schema.source.source_ids = vec![fact.id.clone()];
    let write = |memory: &Memory| -> Body {
        Fact::Write {
            memory: Box::new(memory.clone()),
        }
        .into()
    };
    let core = Memory {
        id: MemoryId::from("m-core00000000"),
        memory_type: Type::CoreSchema,
        canonical: None,
        ..schema.clone()
    };
    let persona = Memory {
        id: MemoryId::from("m-persona00000"),
        memory_type: Type::Persona,
        signals: vec!["habits".into()],
        ..core.clone()
    };
    vec![
        vec![write(&fact), pending()],
        vec![write(&schema), digested(&["cluster-0123456789ab"], None)],
        vec![write(&core), write(&persona)],
        vec![pending()],
        vec![digested(
            &["catalog-0123456789ab", "cluster-0123456789ab"],
            Some(2),
        )],
    ]
}

#[test]
fn digests_are_written_as_they_always_were() {
    let (bytes, state, end) = written_as(digests());
    expect_file!["../../test/data/ledgers/v1-digests.jsonl"]
        .assert_eq(&String::from_utf8(bytes).expect("text"));
    let checkpoint = snapshot::write(&state, &end).expect("a state");
    expect_file!["../../test/data/ledgers/v1-digests.memory.json"]
        .assert_eq(&String::from_utf8(checkpoint.clone()).expect("text"));
    let disk = Disk::new();
    disk.put(&format!("{DIR}/memory.json"), &checkpoint);
    assert_eq!(Folder::on(&disk, 1).state().tables(), state.tables());
    let digest = state.digest(&scope()).expect("is there");
    // What was registered after the digest began still waits.
    assert_eq!(digest.pending, Some((Seq(3), Seq(7))));
    assert_eq!(digest.asked.len(), 2);
}

#[test]
fn a_frozen_ledger_is_read_for_ever() {
    let ledger = include_bytes!("../../test/data/ledgers/v1.jsonl");
    let checkpoint = include_bytes!("../../test/data/ledgers/v1.memory.json");
    let states: Vec<State> = [(true, true), (true, false), (false, true)]
        .into_iter()
        .map(|(has_ledger, has_checkpoint)| {
            let disk = Disk::new();
            if has_ledger {
                disk.put(&format!("{DIR}/ledger.jsonl"), ledger);
            }
            if has_checkpoint {
                disk.put(&format!("{DIR}/memory.json"), checkpoint);
            }
            let folder = Folder::on(&disk, 1);
            assert!(
                !folder
                    .store
                    .borrow()
                    .notices()
                    .iter()
                    .any(|x| x.code.contains("damaged"))
            );
            folder.state()
        })
        .collect();
    assert!(states.iter().all(|state| *state == states[0]));
    let state = &states[0];
    assert_eq!(state.seq(), Seq(25));
    assert_eq!(state.memories().len(), 3);
    assert_eq!(state.tombstones().count(), 1);
    assert_eq!(state.failures().next().map(|x| x.count), Some(2));
    assert_eq!(state.read_to(&SessionId::from("s-1")), EventSeq(31));
    assert_eq!(state.scope_of(&ScopeKey::from("path:/srv/shop")), &scope());
}

#[test]
fn a_newer_version_is_known_by_its_checksum_and_left_alone() {
    // What a later version may look like: the place of `v` and the checksums are all that stays.
    let mut ledger = br#"{"v":1,"origin":"d-0123456789ab","seq":1,"at":1790000001000,"tx":1,"last":true,"kind":"context-suppressed","sessionId":"s-1""#.to_vec();
    seal(&mut ledger, 0);
    let start = ledger.len();
    ledger.extend_from_slice(br#"{"v":2,"who":"d-later","number":2,"is":["another","row"]"#);
    seal(&mut ledger, start);
    expect_file!["../../test/data/ledgers/v2.jsonl"]
        .assert_eq(&String::from_utf8(ledger.clone()).expect("text"));
    let zeros = "0".repeat(16);
    let document = format!(
        "{{\"format\":\"dsh-jev-memory\",\"v\":2,\"origin\":\"d-later\",\"seq\":9,\"offset\":0,\"link\":\"\",\"digest\":\"{zeros}\",\n\"records\":{{}}}}\n"
    );
    let document = document.replace(&zeros, &checksum(document.as_bytes()));
    expect_file!["../../test/data/ledgers/v2.memory.json"].assert_eq(&document);
    for (name, bytes) in [
        ("ledger.jsonl", ledger),
        ("memory.json", document.into_bytes()),
    ] {
        let disk = Disk::new();
        disk.put(&format!("{DIR}/{name}"), &bytes);
        let folder = Folder::on(&disk, 1);
        assert_eq!(folder.store.borrow().newer_version(), Some(2), "{name}");
        let refused = folder.try_commit(Draft {
            rows: vec![write("anything at all")],
            ..Draft::default()
        });
        assert!(matches!(refused, Err(StoreError::NewerVersion { .. })));
        assert_eq!(disk.paths(), [format!("{DIR}/{name}")]);
        assert_eq!(disk.get(&disk.paths()[0]), Some(bytes));
    }
}

#[test]
fn every_kind_has_its_string_and_reads_back() {
    let (bytes, _, _) = written();
    let text = String::from_utf8(bytes).expect("text");
    let (more, _, _) = written_as(plans());
    let (still_more, _, _) = written_as(digests());
    let text = text
        + &String::from_utf8(more).expect("text")
        + &String::from_utf8(still_more).expect("text");
    let (more, _, _) = written_as(devices());
    let text = text + &String::from_utf8(more).expect("text");
    for kind in Fact::KINDS.iter().chain(Observation::KINDS) {
        let known = text.contains(&format!(r#","kind":"{kind}""#));
        assert!(known || *kind == "checkpoint", "{kind} is in no example");
    }
    for line in text.lines() {
        let Line::Row(row) = decode(line.as_bytes()) else {
            panic!("{line}");
        };
        assert!(!matches!(row.body, Body::Unknown(_)), "{line}");
        let mut again = Vec::new();
        encode(&row, &mut again).expect("encodes");
        assert_eq!(String::from_utf8(again).expect("text").trim_end(), line);
    }
}

#[test]
fn dropping_every_observation_changes_no_state_but_the_position() {
    let (bytes, whole, _) = written();
    let mut state = State::default();
    for row in scan(&bytes, &End::default()).rows {
        if matches!(row.body, Body::Fact(_)) {
            state.fold(row);
        }
    }
    assert_eq!(state.tables(), whole.tables());
}

#[test]
fn folding_a_prefix_then_the_rest_equals_folding_all() {
    for commits in [commits(), plans()] {
        prefixes_fold(commits);
    }
}

fn prefixes_fold(commits: Vec<Vec<Body>>) {
    let (bytes, whole, _) = written_as(commits);
    let rows = scan(&bytes, &End::default()).rows;
    for cut in 0..=rows.len() {
        let mut first = State::default();
        for row in rows.iter().take(cut).cloned() {
            first.fold(row);
        }
        let mut state = State::default();
        state.set(first.tables());
        for row in rows.iter().skip(cut).cloned() {
            state.fold(row);
        }
        assert_eq!(state.tables(), whole.tables(), "cut at {cut}");
    }
}

#[test]
fn a_number_that_json_cannot_hold_costs_the_observation_and_not_the_fact() {
    let folder = Folder::new();
    let mut rows = commits().remove(0);
    if let Some(Body::Observation(Observation::Remember { score, .. })) = rows.get_mut(1) {
        *score = f64::NAN;
    }
    folder.commit(rows);
    assert_eq!(folder.state().memories().len(), 4);
    assert!(folder.text("ledger.jsonl").contains("row-left-out"));
    assert_eq!(folder.reopen().state(), folder.state());
}
