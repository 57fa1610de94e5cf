//! The commit in one call: what it saves, and everything that sends it the long way.

#![allow(clippy::expect_used)]

use crate::folder;

use folder::{DIR, Folder, memory, turn, write};
use jev_memory_core::fake::{Disk, Fault, Operation, give_way, run_together};
use jev_memory_core::store::entry::Fact;
use jev_memory_core::store::{Committed, Draft, close, commit, refresh};
use std::pin::Pin;

fn begun(disk: &Disk) -> Folder {
    let folder = Folder::on(disk, 1);
    folder.commit(vec![write("use pnpm")]);
    folder.settle();
    folder
}

fn owners(disk: &Disk) -> Vec<String> {
    let mut paths = disk.paths();
    paths.retain(|path| path.contains("/lock"));
    paths
}

fn draft(text: &str) -> Draft {
    Draft {
        rows: vec![write(text)],
        ..Draft::default()
    }
}

#[test]
fn the_usual_commit_reads_nothing_and_leaves_one_file_until_it_closes() {
    let disk = Disk::new();
    let folder = begun(&disk);
    folder.commit(vec![write("use bun")]);
    let first = owners(&disk);
    let n_reads = disk.n_calls(Operation::Read);
    folder.commit(vec![write("use deno")]);
    assert_eq!(disk.n_calls(Operation::Read), n_reads);
    assert_eq!(owners(&disk), first);
    assert_eq!(first.len(), 1, "{first:?}");
    folder.disk.delete(&first[0]);
    folder.commit(vec![write("use npm")]);
    fake_close(&folder);
    assert!(owners(&disk).is_empty(), "{:?}", owners(&disk));
    folder.commit(vec![write("use yarn")]);
    assert_eq!(folder.reopen().state(), folder.state());
    assert_eq!(folder.state().memories().len(), 5);
}

fn fake_close(folder: &Folder) {
    jev_memory_core::fake::block_on(close(&folder.store, folder.ports(), 500)).expect("closes");
}

#[test]
fn what_others_wrote_is_read_under_the_lock_that_is_held() {
    let disk = Disk::new();
    let folder = begun(&disk);
    folder.commit(vec![write("use bun")]);
    let other = Folder::on(&disk, 2);
    other.commit(vec![write("use deno")]);
    folder.commit(vec![write("use npm")]);
    let text = folder.text("memory.json");
    folder.put("memory.json", &text.replace("use pnpm", "use pnpm 9"));
    folder.commit(vec![write("use yarn")]);
    let known = folder.state();
    let edited = known.memory(&memory("use pnpm").id).expect("is there");
    assert_eq!(&*edited.text, "use pnpm 9");
    assert_eq!(known.memories().len(), 5);
    assert_eq!(Folder::on(&disk, 3).state(), known);
}

#[test]
fn an_append_that_fails_leaves_nothing_and_a_lock_that_stays_is_given_back() {
    let disk = Disk::new();
    let folder = begun(&disk);
    folder.commit(vec![write("use bun")]);
    let before = folder.text("ledger.jsonl");
    let fault = Fault::NoSpace { written_bytes: 9 };
    disk.fail_next(Operation::Append, "ledger.jsonl", fault);
    assert!(folder.try_commit(draft("use deno")).is_err());
    assert_eq!(folder.text("ledger.jsonl"), before);
    assert!(disk.get(&format!("{DIR}/lock")).is_none());
    disk.fail_next(Operation::Remove, "/lock", Fault::NotPermitted);
    folder.commit(vec![write("use npm")]);
    assert!(disk.get(&format!("{DIR}/lock")).is_none());
    assert_eq!(folder.reopen().state(), folder.state());
    assert_eq!(folder.state().memories().len(), 3);
    // Where no file can be linked the long way is taken from then on.
    disk.fail_next(Operation::Create, "/lock", Fault::NotPermitted);
    folder.commit(vec![write("use yarn")]);
    assert_eq!(folder.reopen().state().memories().len(), 4);
}

#[test]
fn a_process_that_was_stopped_on_the_way_looks_again_before_it_goes_on() {
    for stopped_at in 0..24 {
        let disk = Disk::new();
        let folder = begun(&disk);
        disk.give_way_at_each_call(true);
        let stop = async {
            for _ in 0..stopped_at {
                give_way().await;
            }
            disk.stop_for(2_000);
            folder.clock.now_ms.set(folder.clock.now_ms.get() + 2_000);
            None
        };
        let write = async {
            let wrote = commit(&folder.store, folder.ports(), draft("use bun"), 500).await;
            Some(wrote.expect("commits"))
        };
        let jobs: Vec<Pin<Box<dyn Future<Output = Option<Committed>> + '_>>> =
            vec![Box::pin(write), Box::pin(stop)];
        let mut next = 0;
        run_together(jobs, |n| {
            next += 1;
            next % n
        });
        disk.give_way_at_each_call(false);
        assert!(disk.get(&format!("{DIR}/lock")).is_none(), "{stopped_at}");
        assert_eq!(folder.reopen().state(), folder.state(), "{stopped_at}");
        assert_eq!(folder.state().memories().len(), 2, "{stopped_at}");
    }
}

#[test]
fn what_a_reader_saw_before_it_was_acknowledged_counts_once() {
    for delay in 0..16 {
        let disk = Disk::new();
        let folder = begun(&disk);
        folder.commit(vec![write("use bun"), turn("s1", 1, 9)]);
        disk.give_way_at_each_call(true);
        let replaced = Fact::Supersede {
            old: memory("use pnpm").id,
            new: memory("use bun").id,
        };
        let draft = Draft {
            rows: vec![replaced.into()],
            ..Draft::default()
        };
        let write = async {
            let wrote = commit(&folder.store, folder.ports(), draft, 500).await;
            wrote.expect("commits");
        };
        let read = async {
            for _ in 0..delay {
                give_way().await;
            }
            refresh(&folder.store, folder.ports()).await.expect("reads");
        };
        let jobs: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> =
            vec![Box::pin(write), Box::pin(read)];
        let mut next = 0;
        run_together(jobs, |n| {
            next += 1;
            next % n
        });
        disk.give_way_at_each_call(false);
        assert_eq!(folder.reopen().state(), folder.state(), "{delay}");
    }
}
