//! Any bytes for every reader of bytes, on the stable compiler.
//!
//! A target is a row of [`TARGETS`]: where inputs come from, how a mutated one is mended so that it gets past the
//! checksums, and what must hold for any. What a target once choked on lies in `tests/corpus/<target>/`, one file a case,
//! named after what it shows, and is tried first on every run. New targets (text, screen …) are new rows, nothing else.
//!
//! `FUZZ_SECONDS=600 cargo test --test core fuzz:: -- --test-threads 1` goes on for that long, from new seeds, shared among the
//! targets, and puts what it finds into the corpus. `npm run soak` does that.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

use crate::bytes;
use crate::folder;
#[path = "bytes/text.rs"]
mod text;

use bytes::{mutate, seal_checkpoint, seal_lines};
use folder::{DIR, Folder, memory, turn, write};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, FakeRandom, block_on};
use jev_memory_core::store::codec::{Line, checksum, decode, encode};
use jev_memory_core::store::entry::Body;
use jev_memory_core::store::scan::{End, scan};
use jev_memory_core::store::snapshot::{self, Snapshot};
use jev_memory_core::store::{Draft, Request, State, close, forget};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A reader of bytes.
struct Target {
    /// The name of its folder in the corpus.
    name: &'static str,
    /// Whole inputs to begin with.
    seeds: fn() -> Vec<Vec<u8>>,
    /// Makes a mutated input pass what would only refuse it; used for every other one.
    mend: fn(&[u8]) -> Vec<u8>,
    /// Panics when something does not hold.
    check: fn(&[u8]),
}

const TARGETS: &[Target] = &[
    Target {
        name: "ledger",
        seeds: || vec![LEDGER.to_vec(), rotated(), NEWER.to_vec()],
        mend: seal_lines,
        check: check_ledger,
    },
    Target {
        name: "checkpoint",
        seeds: || vec![CHECKPOINT.to_vec()],
        mend: seal_checkpoint,
        check: check_checkpoint,
    },
    Target {
        name: "marker",
        seeds: || vec![br#"{"ids":["m-1"],"contents":["rule number one"]}"#.to_vec()],
        mend: <[u8]>::to_vec,
        check: |bytes| check_folder(&[("forgetting.json", bytes), ("ledger.jsonl", LEDGER)]),
    },
    Target {
        name: "lock",
        seeds: || {
            vec![
                br#"{"owner":{"host":"host","pid":9,"started":"s9"},"token":"ab12","at":1}"#
                    .to_vec(),
            ]
        },
        mend: <[u8]>::to_vec,
        check: |bytes| check_folder(&[("lock", bytes), ("ledger.jsonl", LEDGER)]),
    },
    Target {
        name: "message",
        seeds: || texts(text::MESSAGES),
        mend: spliced,
        check: text::check_message,
    },
    Target {
        name: "output",
        seeds: || texts(text::OUTPUTS),
        mend: spliced,
        check: text::check_output,
    },
    Target {
        name: "long",
        seeds: || {
            texts(&[
                text::MESSAGES[1],
                text::OUTPUTS[2],
                "key=",
                "a:b@",
                "<",
                "。",
                "(((",
                "\\item ",
            ])
        },
        mend: <[u8]>::to_vec,
        check: text::check_long,
    },
];

/// Inputs a target is tried with on every run, beside its corpus.
const ROUNDS: u64 = 400;

const LEDGER: &[u8] = include_bytes!("../../test/data/ledgers/v1.jsonl");
const CHECKPOINT: &[u8] = include_bytes!("../../test/data/ledgers/v1.memory.json");
const NEWER: &[u8] = include_bytes!("../../test/data/ledgers/v2.jsonl");

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Makes a text of a mutated one that is still text: what is broken is left out.
fn spliced(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes)
        .replace('\u{fffd}', "")
        .into_bytes()
}

/// A segment that begins with a state.
fn rotated() -> Vec<u8> {
    let folder = Folder::new();
    folder.commit(vec![write("rule number one"), turn("s", 1, 4)]);
    folder.store.borrow_mut().rotate_after(1);
    folder.settle();
    folder.commit(vec![write("rule number two"), turn("s", 2, 8)]);
    folder.text("ledger.jsonl").into_bytes()
}

fn check_ledger(bytes: &[u8]) {
    let found = scan(bytes, &End::default());
    let whole = usize::try_from(found.end.offset_bytes).expect("fits");
    assert_eq!(whole as u64 + found.torn_bytes, bytes.len() as u64);
    // Read up to any line and then on, as a process that follows another does.
    let mut state = State::default();
    for row in &found.rows {
        if !matches!(row.body, Body::Unknown(_)) {
            let mut line = Vec::new();
            encode(row, &mut line).expect("a row that was read can be written");
            assert_eq!(decode(line.trim_ascii()), Line::Row(row.clone()));
        }
        state.fold(row.clone());
    }
    let mut again = State::default();
    again.set(state.tables());
    assert_eq!(again.tables(), state.tables());
    check_folder(&[("ledger.jsonl", bytes)]);
    check_folder(&[("ledger.jsonl", bytes), ("memory.json", CHECKPOINT)]);
}

fn check_checkpoint(bytes: &[u8]) {
    if let Snapshot::Whole(header, tables) = snapshot::read(bytes) {
        let mut state = State::default();
        state.set(*tables);
        assert!(header.v <= 1);
        let mut again = State::default();
        again.set(state.tables());
        assert_eq!(again.tables(), state.tables());
    }
    check_folder(&[("memory.json", bytes)]);
    check_folder(&[("memory.json", bytes), ("ledger.jsonl", LEDGER)]);
}

/// Opening never fails for what is in a file; a commit works or says why; what was committed is there afterwards, and can be forgotten.
fn check_folder(files: &[(&str, &[u8])]) {
    let disk = Disk::new();
    for (name, bytes) in files {
        disk.put(&format!("{DIR}/{name}"), bytes);
    }
    let folder = Folder::try_on(&disk, 2).expect("opening fails for no content");
    let draft = || Draft {
        rows: vec![write("committed after the damage")],
        ..Draft::default()
    };
    let mut done = folder.try_commit(draft());
    if matches!(done, Err(StoreError::LockBusy { .. })) {
        // A lock that nobody can read is waited for by its heartbeat.
        folder.clock.now_ms.set(folder.clock.now_ms.get() + 10_000);
        disk.tells_liveness(false);
        done = folder.try_commit(draft());
        if matches!(done, Err(StoreError::LockBusy { .. })) {
            folder.clock.now_ms.set(folder.clock.now_ms.get() + 10_000);
            done = folder.try_commit(draft());
        }
        disk.tells_liveness(true);
    }
    match done {
        Ok(_) => {}
        // One that never was here cannot be written over; a number that has no successor cannot be numbered on.
        Err(StoreError::NewerVersion { .. }) => return,
        Err(error) => panic!("{error}"),
    }
    block_on(close(&folder.store, folder.ports(), 500)).expect("closes");
    let state = folder.state();
    let id = memory("committed after the damage").id;
    assert!(state.memory(&id).is_some());
    assert_eq!(
        Folder::on(&disk, 3).state().tables(),
        state.tables(),
        "reopened"
    );
    let request = Request {
        ids: vec![id.clone()],
        by: "command".to_owned(),
        asked: None,
    };
    block_on(forget(&folder.store, folder.ports(), request, 500)).expect("forgets");
    for path in disk.paths() {
        let bytes = disk.get(&path).expect("is there");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("committed after the damage"), "{path}");
    }
    assert!(Folder::on(&disk, 4).state().memory(&id).is_none());
}

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(target)
}

/// Every case that was found once, by name.
fn found(target: &str) -> Vec<(String, Vec<u8>)> {
    let mut out: Vec<(String, Vec<u8>)> = std::fs::read_dir(corpus(target))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).expect("a case"))
        })
        .collect();
    out.sort();
    out
}

fn input(target: &Target, seeds: &[Vec<u8>], random: &FakeRandom) -> Vec<u8> {
    let pick = |n: usize| (random.next() as usize) % n.max(1);
    let mut bytes = seeds[pick(seeds.len())].clone();
    if random.next().is_multiple_of(4) {
        // The beginning of one and the end of another.
        let other = &seeds[pick(seeds.len())];
        bytes.truncate(pick(bytes.len() + 1));
        bytes.extend_from_slice(&other[pick(other.len() + 1)..]);
    }
    for _ in 0..1 + random.next() % 3 {
        mutate(random, &mut bytes);
    }
    if random.next().is_multiple_of(2) {
        bytes = (target.mend)(&bytes);
    }
    bytes
}

fn fuzz(name: &str) {
    let target = TARGETS.iter().find(|x| x.name == name).expect("a target");
    let kept = found(name);
    for (case, bytes) in &kept {
        println!("{name}: {case}");
        (target.check)(bytes);
    }
    let mut seeds = (target.seeds)();
    for bytes in &seeds {
        (target.check)(bytes);
    }
    seeds.extend(kept.into_iter().map(|(_, bytes)| bytes));
    let seconds = std::env::var("FUZZ_SECONDS").ok();
    let seconds: Option<u64> = seconds.and_then(|text| text.parse().ok());
    let seconds = seconds.map(|all| all / TARGETS.len() as u64);
    // The same inputs on every run, others when it is asked to look for long.
    let seed = seconds.map_or(1, |_| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.expect("a clock").as_nanos() as u64
    });
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let random = FakeRandom::from_seed(seed);
    let mut n_inputs = 0;
    let rounds = if name == "long" { 4 } else { ROUNDS };
    while n_inputs < rounds || (seconds.is_some() && Instant::now() < until) {
        let bytes = input(target, &seeds, &random);
        n_inputs += 1;
        if let Err(panic) = catch_unwind(|| (target.check)(&bytes)) {
            let path = corpus(name).join(checksum(&bytes));
            std::fs::create_dir_all(corpus(name)).expect("a folder");
            std::fs::write(&path, &bytes).expect("writes");
            println!("{name}: seed {seed}, input {n_inputs}: {}", path.display());
            std::panic::resume_unwind(panic);
        }
    }
    println!("{name}: {n_inputs} inputs from seed {seed}");
}

#[test]
fn any_bytes_are_a_ledger() {
    fuzz("ledger");
}

#[test]
fn any_bytes_are_a_checkpoint() {
    fuzz("checkpoint");
}

#[test]
fn any_bytes_are_a_marker_of_forgetting() {
    fuzz("marker");
}

#[test]
fn any_bytes_are_a_message() {
    fuzz("message");
}

#[test]
fn any_bytes_are_an_output() {
    fuzz("output");
}

#[test]
fn any_text_repeated_to_a_megabyte_is_read_in_time() {
    fuzz("long");
}

#[test]
fn any_bytes_are_a_lock() {
    fuzz("lock");
}
