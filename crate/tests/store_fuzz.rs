//! Damaged files at random: any bytes in the ledger, the checkpoint, the lock and the marker. Opening never fails for
//! what is in a file, a commit works or says why, and what was committed is there afterwards.
//!
//! `FUZZ_SECONDS=600 cargo test --test core store_fuzz::` looks that long at other seeds; one it names goes into [`FOUND`] and stays.

#![allow(
    clippy::expect_used,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic
)]

use crate::bytes;
use crate::folder;

use bytes::mutate;
use folder::{DIR, Folder, memory, turn, write};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, FakeRandom, block_on};
use jev_memory_core::port::Files;
use jev_memory_core::store::{Draft, Request, close, forget};
use std::time::{Duration, Instant, SystemTime};

/// Seeds that once found something.
const FOUND: &[u64] = &[];

const ROUNDS: u64 = 1_500;

const FILES: &[&str] = &[
    "ledger.jsonl",
    "memory.json",
    "lock",
    "forgetting.json",
    "ledger.000001.jsonl",
];

fn sample(random: &FakeRandom) -> Disk {
    let disk = Disk::new();
    let folder = Folder::on(&disk, 1);
    for n in 0..1 + random.next() % 4 {
        folder.commit(vec![
            write(&format!("rule number {n}")),
            turn("s", n as u32 + 1, n + 1),
        ]);
        if random.next().is_multiple_of(2) {
            folder.settle();
        }
        if random.next().is_multiple_of(5) {
            folder.store.borrow_mut().rotate_after(1);
            folder.settle();
        }
    }
    if random.next().is_multiple_of(3) {
        let request = Request {
            ids: vec![memory("rule number 0").id],
            by: "command".to_owned(),
            asked: None,
        };
        block_on(forget(&folder.store, folder.ports(), request, 500)).expect("forgets");
    }
    disk
}

fn check(seed: u64) {
    let random = FakeRandom::from_seed(seed);
    let disk = sample(&random);
    let mut is_ledger_hurt = false;
    for _ in 0..1 + random.next() % 2 {
        let name = FILES[(random.next() as usize) % FILES.len()];
        let path = format!("{DIR}/{name}");
        let mut bytes = disk.get(&path).unwrap_or_default();
        mutate(&random, &mut bytes);
        is_ledger_hurt |= name.starts_with("ledger");
        disk.put(&path, &bytes);
    }
    let folder = Folder::try_on(&disk, 2).expect("opening fails for no content");
    let before = folder.state();
    let newer = folder.store.borrow().newer_version().is_some();
    let draft = || Draft {
        rows: vec![write("committed after the damage")],
        ..Draft::default()
    };
    let mut done = folder.try_commit(draft());
    if matches!(done, Err(StoreError::LockBusy { .. })) {
        // A lock that nobody can read, or whose owner nobody knows, is waited for by its heartbeat.
        folder.clock.now_ms.set(folder.clock.now_ms.get() + 10_000);
        disk.kill(&disk.process(1).owner());
        done = folder.try_commit(draft());
    }
    match done {
        Ok(_) => assert!(!newer, "seed {seed}: written over a newer version"),
        Err(StoreError::NewerVersion { .. }) => return,
        Err(error) => panic!("seed {seed}: {error}"),
    }
    block_on(close(&folder.store, folder.ports(), 500)).expect("closes");
    let state = folder.state();
    assert!(
        state
            .memory(&memory("committed after the damage").id)
            .is_some(),
        "seed {seed}"
    );
    for old in before.memories() {
        let known = state.memory(&old.id).is_some() || state.tombstone(&old.id).is_some();
        assert!(known, "seed {seed}: {} was there when it opened", old.id);
    }
    assert_eq!(
        Folder::on(&disk, 3).state().tables(),
        state.tables(),
        "seed {seed}: reopened"
    );
    // A line that was damaged after a checkpoint had it is only in the checkpoint.
    if is_ledger_hurt {
        return;
    }
    disk.delete(&format!("{DIR}/memory.json"));
    assert_eq!(
        Folder::on(&disk, 4).state().tables(),
        state.tables(),
        "seed {seed}: replayed"
    );
}

#[test]
fn no_bytes_in_a_file_break_the_store() {
    for seed in FOUND.iter().copied().chain(0..ROUNDS) {
        check(seed);
    }
    let Some(seconds) = std::env::var("FUZZ_SECONDS")
        .ok()
        .and_then(|x| x.parse().ok())
    else {
        return;
    };
    let until = Instant::now() + Duration::from_secs(seconds);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let first = now.expect("a clock").as_nanos() as u64;
    let mut seed = first;
    while Instant::now() < until {
        check(seed);
        seed += 1;
    }
    println!("{} folders from seed {first}", seed - first);
}
