//! The store over files in memory: what a commit promises, and what a bad file does.

use crate::folder;

use folder::{DIR, Folder, memory, position, turn, write};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, Fault, Operation, block_on, run_together};
use jev_memory_core::memory::{MemoryId, Revision, ScopeKey, SessionId, Status};
use jev_memory_core::store::entry::Fact;
use jev_memory_core::store::{Draft, close, commit};

#[test]
fn what_was_committed_is_there_after_reopening() {
    let folder = Folder::new();
    let written = folder.commit(vec![write("端口固定 8123。"), turn("s1", 3, 40)]);
    assert_eq!((written.tx.0, written.seq.0, written.n_rows), (1, 2, 2));
    let again = folder.reopen();
    assert_eq!(again.state(), folder.state());
    let store = again.store.borrow();
    assert_eq!(store.state().memories().len(), 1);
    assert_eq!(store.state().read_to(&SessionId::from("s1")).0, 40);
}

#[test]
fn opening_never_waits_for_anything() {
    let folder = Folder::new();
    folder.commit(vec![write("Use tabs here.")]);
    assert!(folder.opens_at_once());
}

#[test]
fn a_commit_is_one_append_and_every_line_carries_its_checksum() {
    let folder = Folder::new();
    folder.commit(vec![write("a b c d"), write("e f g h"), turn("s", 1, 9)]);
    assert_eq!(folder.disk.n_calls(Operation::Append), 1);
    let text = folder.text("ledger.jsonl");
    assert_eq!(text.lines().count(), 3);
    assert!(text.lines().all(|line| line.contains(r#","sum":""#)));
    assert_eq!(text.matches(r#""last":true"#).count(), 1);
}

#[test]
fn a_moved_revision_is_stale() {
    let folder = Folder::new();
    let one = memory("port is 8123");
    folder.commit(vec![write("port is 8123")]);
    let status = Fact::Status {
        id: one.id.clone(),
        status: Status::Archived,
        revision: Revision(2),
        reason: "test".to_owned(),
    };
    folder.commit(vec![status.into()]);
    let draft = Draft {
        based_on: vec![(one.id.clone(), Revision(1))],
        rows: vec![turn("s", 1, 1)],
        ..Draft::default()
    };
    assert_eq!(
        folder.try_commit(draft),
        Err(StoreError::Stale {
            id: one.id.to_string(),
            expected: 1,
            found: 2
        })
    );
}

#[test]
fn two_processes_that_hear_the_same_sentence_write_it_once() {
    let disk = Disk::new();
    let (a, b) = (Folder::on(&disk, 1), Folder::on(&disk, 2));
    a.commit(vec![write("一律用英文提交。")]);
    let stale = b.try_commit(Draft {
        rows: vec![write("一律用英文提交。")],
        ..Draft::default()
    });
    assert!(matches!(stale, Err(StoreError::Stale { .. })));
    assert_eq!(b.store.borrow().state().memories().len(), 1);
}

#[test]
fn interleaved_committers_lose_nothing_and_number_without_gaps() {
    let disk = Disk::new();
    disk.give_way_at_each_call(true);
    let folders: Vec<Folder> = (1..=4).map(|pid| Folder::on(&disk, pid)).collect();
    let mut jobs: Vec<std::pin::Pin<Box<dyn Future<Output = usize> + '_>>> = Vec::new();
    for (number, folder) in folders.iter().enumerate() {
        for lane in 0..2 {
            jobs.push(Box::pin(async move {
                let mut done = 0;
                for round in 0..5 {
                    let draft = Draft {
                        rows: vec![write(&format!("rule {number} {lane} {round}"))],
                        ..Draft::default()
                    };
                    let wrote = commit(&folder.store, folder.ports(), draft, 60_000).await;
                    done += usize::from(wrote.is_ok());
                }
                done
            }));
        }
    }
    let mut turn = 7_usize;
    let done = run_together(jobs, |n| {
        turn = turn.wrapping_mul(31).wrapping_add(17);
        (turn >> 3) % n
    });
    assert_eq!(done.iter().sum::<usize>(), 40);
    disk.give_way_at_each_call(false);
    let last = Folder::on(&disk, 9);
    assert_eq!(last.store.borrow().state().memories().len(), 40);
    assert_eq!(last.store.borrow().state().seq().0, 40);
    let is_left = |part: &str| disk.paths().iter().any(|path| path.contains(part));
    assert!(!is_left("/lock.reclaim") && disk.get("/data/lock").is_none());
    for folder in &folders {
        block_on(close(&folder.store, folder.ports(), 500)).expect("closes");
    }
    assert!(!is_left("/lock"), "{:?}", disk.paths());
}

#[test]
fn a_dead_owners_lock_is_reclaimed_at_once() {
    let disk = Disk::new();
    let dead = Folder::on(&disk, 1);
    dead.leave_lock();
    let alive = Folder::on(&disk, 2);
    let busy = alive.try_commit(Draft {
        rows: vec![turn("s", 1, 1)],
        ..Draft::default()
    });
    assert!(matches!(busy, Err(StoreError::LockBusy { .. })));
    disk.kill(&dead.owner());
    alive.commit(vec![turn("s", 1, 1)]);
    assert_eq!(disk.paths(), [format!("{DIR}/ledger.jsonl")]);
}

#[test]
fn an_owner_that_cannot_be_asked_is_waited_for_by_its_heartbeat() {
    let disk = Disk::new();
    let gone = Folder::on(&disk, 1);
    gone.leave_lock();
    disk.tells_liveness(false);
    let alive = Folder::on(&disk, 2);
    let draft = || Draft {
        rows: vec![turn("s", 1, 1)],
        ..Draft::default()
    };
    assert!(matches!(
        alive.try_commit(draft()),
        Err(StoreError::LockBusy { .. })
    ));
    alive.clock.now_ms.set(alive.clock.now_ms.get() + 6_000);
    assert!(alive.try_commit(draft()).is_ok());
}

#[test]
fn a_full_disk_fails_the_commit_and_keeps_the_state() {
    let folder = Folder::new();
    folder.commit(vec![write("first rule here")]);
    let before = folder.state();
    for written_bytes in [0, 1, 57, 100_000] {
        folder.disk.fail_next(
            Operation::Append,
            "ledger.jsonl",
            Fault::NoSpace { written_bytes },
        );
        let failed = folder.try_commit(Draft {
            rows: vec![write("second rule here")],
            ..Draft::default()
        });
        assert!(matches!(failed, Err(StoreError::Files(_))), "{failed:?}");
        assert_eq!(folder.state(), before);
        assert_eq!(folder.reopen().state(), before);
    }
    folder.commit(vec![write("second rule here")]);
    assert_eq!(folder.reopen().store.borrow().state().memories().len(), 2);
}

#[test]
fn a_folder_that_takes_no_files_fails_the_commit() {
    let folder = Folder::new();
    folder.disk.read_only(true);
    let failed = folder.try_commit(Draft {
        rows: vec![write("anything at all")],
        ..Draft::default()
    });
    assert!(matches!(failed, Err(StoreError::Files(_))));
    folder.disk.read_only(false);
    folder.commit(vec![write("anything at all")]);
}

#[test]
fn a_lock_that_may_not_be_removed_once_is_removed_the_next_time() {
    let folder = Folder::new();
    for _ in 0..3 {
        folder
            .disk
            .fail_next(Operation::Remove, "lock", Fault::NotPermitted);
    }
    folder.commit(vec![write("one rule here")]);
    let other = Folder::on(&folder.disk, 5);
    other.commit(vec![write("two rules here")]);
    folder.commit(vec![write("three rules here")]);
    assert_eq!(folder.reopen().store.borrow().state().memories().len(), 3);
}

#[test]
fn a_joined_scope_is_one_scope() {
    let folder = Folder::new();
    let path = ScopeKey::from("path:/w/shop");
    let git = ScopeKey::from("git:example.org/shop");
    let mut old = memory("build with make");
    old.scope = path.clone();
    old.id = MemoryId::of(&path, "build with make");
    let old_id = old.id.clone();
    folder.commit(vec![
        Fact::Write {
            memory: Box::new(old),
        }
        .into(),
    ]);
    folder.commit(vec![
        Fact::Scope {
            from: path.clone(),
            to: git.clone(),
        }
        .into(),
    ]);
    let store = folder.store.borrow();
    let state = store.state();
    assert_eq!(state.in_scope(&git).count(), 1);
    assert_eq!(state.in_scope(&path).count(), 1);
    assert_eq!(state.versions(&git, "build with make").len(), 1);
    assert_eq!(
        state.memory(&old_id).map(|x| x.scope.clone()),
        Some(git.clone())
    );
    assert_eq!(
        state.next_id(&git, "build with make").to_string(),
        format!("{}-2", MemoryId::of(&git, "build with make"))
    );
    assert!(
        state
            .forgotten(&git, "build with make", &position("s", 1))
            .is_none()
    );
}
