//! The promise of forgetting, over random histories: no file under the data folder holds six characters of what was
//! forgotten that are not also in something kept, and no transcript brings it back.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic
)]

mod folder;

use folder::{DIR, Folder, memory_at, position, scope};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, FakeRandom, block_on};
use jev_memory_core::memory::{Memory, MemoryId, Revision};
use jev_memory_core::store::entry::{Body, Fact, Observation};
use jev_memory_core::store::{Draft, Request, close, forget, observe};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;

/// Characters that stand in no key, id or word of the files' own. A quote and a backslash are escaped on disk.
const LETTERS: &[char] = &['山', '水', '木', '火', '"', '\\', '土', '金'];

fn sentence(random: &FakeRandom, length: usize) -> String {
    (0..length)
        .map(|_| LETTERS[(random.next() % LETTERS.len() as u64) as usize])
        .collect()
}

/// A part of a sentence, as a skip row or a damaged line quotes it.
fn part(random: &FakeRandom, text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let from = (random.next() as usize) % chars.len();
    let length = 1 + (random.next() as usize) % (chars.len() - from);
    chars.iter().skip(from).take(length).collect()
}

fn pieces(text: &str, out: &mut BTreeSet<String>) {
    let chars: Vec<char> = text.chars().collect();
    out.extend(
        chars
            .windows(6)
            .map(|piece| piece.iter().collect::<String>()),
    );
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => chars.next().unwrap_or(c),
            // A bare quote mark is JSON's, and ends what was said; one that was said stands escaped.
            '"' => '\0',
            _ => c,
        });
    }
    out
}

fn contents(memory: &Memory) -> Vec<String> {
    let mut out = vec![memory.text.clone(), memory.source.quote.clone()];
    out.extend(memory.canonical.clone());
    out.extend(memory.source.way_out.clone());
    out
}

fn check(seed: u64, n_steps: usize) {
    let random = FakeRandom::from_seed(seed);
    let disk = Disk::new();
    let folders = [Folder::on(&disk, 1), Folder::on(&disk, 2)];
    let mut all: Vec<(MemoryId, Vec<String>, u64)> = Vec::new();
    let mut forgotten: Vec<(MemoryId, u64)> = Vec::new();
    // What may be nowhere: pieces of forgotten texts that nothing kept had then, and that nobody said anew since.
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let said = |text: &str, gone: &mut BTreeSet<String>| {
        let mut anew = BTreeSet::new();
        pieces(text, &mut anew);
        gone.retain(|piece| !anew.contains(piece));
    };
    let try_fact = |folder: &Folder, fact: Fact| {
        let draft = Draft {
            rows: vec![fact.into()],
            ..Draft::default()
        };
        match folder.try_commit(draft) {
            Ok(_) => true,
            // The other process forgot it meanwhile.
            Err(StoreError::Stale { .. }) => false,
            Err(error) => panic!("seed {seed}: {error}"),
        }
    };
    for step in 0..n_steps {
        let folder = &folders[(random.next() % 2) as usize];
        let seq = step as u64 + 1;
        let known = folder.state();
        let pick = |random: &FakeRandom| {
            let ids: Vec<MemoryId> = known.memories().map(|x| x.id.clone()).collect();
            (!ids.is_empty()).then(|| ids[(random.next() as usize) % ids.len()].clone())
        };
        match random.next() % 11 {
            0..=2 => {
                // Half of the sentences begin alike, so that what is kept and what goes share pieces.
                let length = 7 + (random.next() % 9) as usize;
                let mut text = sentence(&random, length);
                if random.next().is_multiple_of(2) {
                    text = format!("山水木火土金山{text}");
                }
                let mut one = memory_at(&text, "s1", seq);
                one.id = MemoryId(format!("{}-{}", one.id, step + 2));
                if random.next().is_multiple_of(3) {
                    one.canonical = Some(sentence(&random, 12));
                }
                if random.next().is_multiple_of(3) {
                    one.text = part(&random, &text);
                }
                for text in contents(&one) {
                    said(&text, &mut gone);
                }
                all.push((one.id.clone(), contents(&one), seq));
                folder.commit(vec![
                    Fact::Write {
                        memory: Box::new(one),
                    }
                    .into(),
                ]);
            }
            3 => {
                let Some((id, texts, _)) = all.last().cloned() else {
                    continue;
                };
                let quote = part(&random, &texts[1]);
                // A process that never read the record cannot know its words in a row that does not name it.
                let names_it = random.next().is_multiple_of(2) || known.memory(&id).is_none();
                said(&quote, &mut gone);
                let row = Observation::Skip {
                    reason: "duplicate".to_owned(),
                    scope: scope(),
                    id: names_it.then_some(id),
                    quote: Some(quote),
                    rule: None,
                    count: None,
                    position: position("s2", seq),
                };
                if random.next().is_multiple_of(2) {
                    folder.commit(vec![row.into()]);
                } else {
                    observe(&mut folder.store.borrow_mut(), [row]);
                }
            }
            4 => {
                let Some(id) = pick(&random) else { continue };
                let text = sentence(&random, 11);
                let fact = Fact::Canonical {
                    id: id.clone(),
                    text: text.clone(),
                };
                if try_fact(folder, fact) {
                    said(&text, &mut gone);
                    if let Some(known) = all.iter_mut().find(|x| x.0 == id) {
                        known.1.push(text);
                    }
                }
            }
            5 => {
                let Some(id) = pick(&random) else { continue };
                let Some(old) = known.memory(&id).cloned() else {
                    continue;
                };
                let mut edited = old.as_ref().clone();
                edited.text = sentence(&random, 10);
                edited.revision = Revision(edited.revision.0 + 1);
                let text = edited.text.clone();
                let fact = Fact::Edit {
                    memory: Box::new(edited),
                };
                if try_fact(folder, fact) {
                    said(&text, &mut gone);
                    if let Some(known) = all.iter_mut().find(|x| x.0 == id) {
                        known.1.push(text);
                    }
                }
            }
            6 => folder.settle(),
            7 => {
                folder.store.borrow_mut().rotate_after(1);
                folder.settle();
                folder.store.borrow_mut().rotate_after(1 << 30);
            }
            8 => {
                // A damaged checkpoint and a damaged line go to quarantine with what they hold.
                if let Some(bytes) = disk.get(&format!("{DIR}/memory.json")) {
                    let half = bytes.len() / 2;
                    disk.put(&format!("{DIR}/memory.json"), &bytes[..half]);
                }
                if let (Some(mut bytes), Some((_, texts, _))) =
                    (disk.get(&format!("{DIR}/ledger.jsonl")), all.last())
                    && bytes.ends_with(b"\n")
                {
                    let half = part(&random, &texts[0]);
                    said(&half, &mut gone);
                    bytes.extend_from_slice(format!("{{\"v\":1,\"half\":\"{half}\n").as_bytes());
                    disk.put(&format!("{DIR}/ledger.jsonl"), &bytes);
                }
                folder.settle();
            }
            _ => {
                let Some(id) = pick(&random) else { continue };
                let request = Request {
                    ids: vec![id.clone()],
                    by: "command".to_owned(),
                    asked: None,
                };
                let done = block_on(forget(&folder.store, folder.ports(), request, 500));
                // The other process may have been first.
                if let Ok(receipt) = done {
                    assert_eq!(receipt.ids, std::slice::from_ref(&id));
                    let seq = all.iter().find(|x| x.0 == id).map_or(0, |x| x.2);
                    for text in all.iter().filter(|x| x.0 == id).flat_map(|x| &x.1) {
                        pieces(text, &mut gone);
                    }
                    for memory in folder.state().memories() {
                        for text in contents(memory) {
                            said(&text, &mut gone);
                        }
                    }
                    forgotten.push((id, seq));
                }
            }
        }
    }
    for folder in &folders {
        block_on(close(&folder.store, folder.ports(), 500)).expect("closes");
    }
    let last = Folder::on(&disk, 3);
    let state = last.state();
    for (id, _) in &forgotten {
        assert!(state.memory(id).is_none(), "seed {seed}: {id} is back");
    }
    for path in disk.paths() {
        let bytes = disk.get(&path).expect("is there");
        let raw = String::from_utf8_lossy(&bytes).into_owned();
        // As written, and as a reader of JSON sees it.
        let unescaped = unescape(&raw);
        for piece in &gone {
            // In the raw text a backslash is an escape, not a character that was said.
            let is_plain = !piece.contains(['\\', '"']);
            assert!(
                !((is_plain && raw.contains(piece)) || unescaped.contains(piece)),
                "seed {seed}: {path} holds {piece} in {:?}",
                unescaped.lines().find(|line| line.contains(piece))
            );
        }
    }
    // Reading the whole transcript again brings nothing back.
    for (id, seq) in &forgotten {
        let tombstone = state.tombstone(id).expect("a tombstone");
        assert!(tombstone.positions.contains(&position("s1", *seq)));
    }
    assert_eq!(state.tables(), replayed(&disk), "seed {seed}");
}

fn replayed(disk: &Disk) -> jev_memory_core::store::tables::Tables {
    let copy = disk.copy();
    copy.delete(&format!("{DIR}/memory.json"));
    Folder::on(&copy, 4).state().tables()
}

/// Histories tried, the same on every run. `FORGET_CASES` tries that many others.
fn histories() -> ProptestConfig {
    let asked = std::env::var("FORGET_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(200),
        rng_seed: match asked {
            Some(_) => RngSeed::Random,
            None => RngSeed::Fixed(1),
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(histories())]

    #[test]
    fn no_file_holds_a_piece_of_what_was_forgotten(seed in any::<u64>(), n_steps in 1_usize..40) {
        check(seed, n_steps);
    }
}

#[test]
fn a_failure_that_was_forgotten_is_not_counted_on() {
    let folder = Folder::new();
    let signature = "shell: 找不到模块山水木火土金";
    let failure: Body = Fact::Failure {
        scope: scope(),
        key: "k".to_owned(),
        tool: "shell".to_owned(),
        signature: signature.to_owned(),
        count: 2,
        position: position("s1", 3),
    }
    .into();
    let one = memory_at(signature, "s1", 3);
    let id = one.id.clone();
    folder.commit(vec![
        failure,
        Fact::Write {
            memory: Box::new(one),
        }
        .into(),
    ]);
    let request = Request {
        ids: vec![id],
        by: "command".to_owned(),
        asked: None,
    };
    block_on(forget(&folder.store, folder.ports(), request, 500)).expect("forgets");
    assert_eq!(folder.state().failures().count(), 0);
    assert!(!folder.text("ledger.jsonl").contains("山水木火"));
    assert_eq!(folder.reopen().state(), folder.state());
}
