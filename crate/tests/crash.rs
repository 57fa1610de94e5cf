//! The crash sweep: every operation of a history is stopped at every point, every byte of an append included, with
//! whatever the system may lose of names that were not synced. Reopening must give the state before or after.

#![allow(clippy::disallowed_macros, clippy::expect_used)]

use crate::folder;

use folder::{DIR, Folder, memory, position, scope, turn, write};
use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, Loss, block_on};
use jev_memory_core::memory::{MemoryId, Revision, ScopeKey, Status};
use jev_memory_core::store::codec::{Line, decode};
use jev_memory_core::store::entry::{Body, Fact, Observation};
use jev_memory_core::store::tables::Tables;
use jev_memory_core::store::{Draft, Request, State, close, commit, forget, observe, settle};

/// One thing a process does.
#[derive(Debug, Clone)]
enum Step {
    Commit(Vec<Body>),
    Observe(&'static str),
    Settle,
    Close,
    /// Settles with a segment length that makes it rotate.
    Rotate,
    Forget(&'static str),
    /// A person replaces a text in a file. It cannot crash.
    Person(&'static str, &'static str, &'static str),
    /// A person puts a whole file there.
    Put(&'static str, &'static str),
}

const SECRET: &str = "木星计划的代号是蓝鲸七号不得外传";
const OTHER: &str = "构建之前先跑一遍数据迁移的演练";

fn status(text: &str) -> Body {
    Fact::Status {
        id: memory(text).id,
        status: Status::Archived,
        revision: Revision(2),
        reason: "test".to_owned(),
    }
    .into()
}

fn failure(count: u32) -> Body {
    Fact::Failure {
        scope: scope(),
        key: "k1".to_owned(),
        tool: "shell".to_owned(),
        signature: "shell: exit 2".to_owned(),
        count,
        more: 0,
        position: position("s1", 9),
    }
    .into()
}

fn history() -> Vec<Step> {
    vec![
        Step::Commit(vec![write(SECRET), write("use pnpm"), turn("s1", 1, 9)]),
        Step::Observe("木星计划的代号是蓝鲸"),
        Step::Settle,
        Step::Commit(vec![
            write("use bun"),
            Fact::Supersede {
                old: memory("use pnpm").id,
                new: memory("use bun").id,
            }
            .into(),
            failure(1),
        ]),
        Step::Person(
            "memory.json",
            "\"text\":\"use pnpm\"",
            "\"text\":\"use pnpm 9\"",
        ),
        Step::Commit(vec![write(OTHER), failure(2)]),
        Step::Forget(SECRET),
        Step::Rotate,
        Step::Commit(vec![status("use bun"), turn("s1", 2, 20)]),
        Step::Forget(OTHER),
        Step::Put("memory.json", "{\"memories\":"),
        Step::Commit(vec![
            Fact::Scope {
                from: scope(),
                to: ScopeKey::from("git:example.org/store"),
            }
            .into(),
        ]),
        Step::Rotate,
        Step::Commit(vec![failure(3)]),
        Step::Close,
    ]
}

fn forgotten_before(step: usize) -> Vec<&'static str> {
    history()
        .iter()
        .take(step)
        .filter_map(|step| match step {
            Step::Forget(text) => Some(*text),
            _ => None,
        })
        .collect()
}

fn run(folder: &Folder, step: &Step) -> Result<(), StoreError> {
    let (store, ports) = (&folder.store, folder.ports());
    match step {
        Step::Commit(rows) => {
            let draft = Draft {
                rows: rows.clone(),
                ..Draft::default()
            };
            block_on(commit(store, ports, draft, 300)).map(|_| ())
        }
        Step::Observe(quote) => {
            let row = Observation::Skip {
                reason: "below-min-importance".to_owned(),
                scope: scope(),
                id: None,
                quote: Some((*quote).to_owned()),
                rule: None,
                count: None,
                position: position("s1", 4),
            };
            observe(&mut store.borrow_mut(), [row]);
            block_on(settle(store, ports, 300))
        }
        Step::Settle => block_on(settle(store, ports, 300)),
        Step::Close => block_on(close(store, ports, 300)),
        Step::Rotate => {
            store.borrow_mut().rotate_after(1);
            block_on(settle(store, ports, 300))
        }
        Step::Forget(text) => {
            let request = Request {
                ids: vec![memory(text).id],
                by: "command".to_owned(),
                asked: None,
            };
            block_on(forget(store, ports, request, 300)).map(|_| ())
        }
        Step::Person(name, from, to) => {
            let text = folder.text(name);
            assert!(text.contains(from), "{name} has no {from}");
            folder.put(name, &text.replace(from, to));
            Ok(())
        }
        Step::Put(name, text) => {
            folder.put(name, text);
            Ok(())
        }
    }
}

/// The states that a whole ledger passes through, one after each commit.
fn passed_through(disk: &Disk, after: u64) -> Vec<Tables> {
    let bytes = disk.get(&format!("{DIR}/ledger.jsonl")).unwrap_or_default();
    let mut state = State::default();
    let mut out = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        if let Line::Row(row) = decode(line) {
            let (seq, last) = (row.seq.0, row.last);
            state.fold(row);
            if last && seq > after {
                out.push(state.tables());
            }
        }
    }
    out
}

fn holds(disk: &Disk, text: &str) -> Option<String> {
    let pieces: Vec<String> = {
        let chars: Vec<char> = text.chars().collect();
        chars
            .windows(6)
            .map(|piece| piece.iter().collect())
            .collect()
    };
    disk.paths().into_iter().find(|path| {
        let bytes = disk.get(path).unwrap_or_default();
        let content = String::from_utf8_lossy(&bytes).into_owned();
        pieces.iter().any(|piece| content.contains(piece))
    })
}

/// Whether a file is the one that this process's locks are linked from.
fn is_of(disk: &Disk, path: &str, pid: u32) -> bool {
    let claim = disk.get(path).unwrap_or_default();
    path.contains("/lock.owner.")
        && String::from_utf8_lossy(&claim).contains(&format!("\"pid\":{pid},"))
}

/// What every process finds after a crash, whichever opens first.
fn check(disk: &Disk, allowed: &[Tables], forgotten: &[&str], told: &str) {
    let second = Folder::on(disk, 50);
    let found = second.state().tables();
    assert!(
        allowed.contains(&found),
        "{told}: another state\n{found:#?}"
    );
    // It can be written to at once, and what it says is whole.
    second.commit(vec![turn("probe", 1, 1)]);
    // Housekeeping finds what the dead left; without work there is none.
    let told_once = Observation::ContextSuppressed {
        session_id: "probe".into(),
    };
    observe(&mut second.store.borrow_mut(), [told_once]);
    second.settle();
    second.settle();
    let probed = second.state();
    let mut expected = probed.tables();
    expected
        .sessions
        .retain(|x| x.session_id.as_str() != "probe");
    let mut edited = allowed.to_vec();
    for tables in &mut edited {
        tables.sessions.retain(|x| x.session_id.as_str() != "probe");
    }
    assert!(
        edited.contains(&expected),
        "{told}: another state after the probe"
    );
    for path in disk.paths() {
        let is_left = path.contains("/lock") && !is_of(disk, &path, 50);
        assert!(!is_left, "{told}: {path} is left");
        assert!(!path.contains("forgetting"), "{told}: {path} is left");
    }
    let ledger = disk.get(&format!("{DIR}/ledger.jsonl")).expect("a ledger");
    let text = String::from_utf8(ledger).expect("text");
    assert!(text.ends_with('\n'), "{told}: no newline at the end");
    for line in text.lines() {
        assert!(
            matches!(decode(line.as_bytes()), Line::Row(_)),
            "{told}: {line}"
        );
    }
    for text in forgotten {
        let holder = holds(disk, text);
        assert_eq!(holder, None, "{told}: {text} is still there");
    }
    let promised: Vec<MemoryId> = probed.tombstones().map(|x| x.id.clone()).collect();
    for text in [SECRET, OTHER] {
        if promised.contains(&memory(text).id) {
            assert_eq!(holds(disk, text), None, "{told}: promised and still there");
        }
    }
    assert_eq!(Folder::on(disk, 51).state(), probed, "{told}: reopened");
    disk.delete(&format!("{DIR}/memory.json"));
    let replayed = Folder::on(disk, 52);
    assert_eq!(replayed.state(), probed, "{told}: replayed");
}

#[test]
fn a_crash_at_any_point_leaves_the_state_before_or_after() {
    let mut base = Disk::new();
    let (mut n_points, mut n_endings) = (0, 0);
    for (number, step) in history().iter().enumerate() {
        let told = format!("step {number} {step:?}");
        // The whole step, to learn how many points it has and what it comes to.
        let whole = base.copy();
        let folder = Folder::on(&whole, 1);
        let before = folder.state();
        whole.take_points();
        run(&folder, step).expect("a step without a crash");
        let points = whole.take_points();
        let mut allowed = vec![before.tables()];
        allowed.extend(passed_through(&whole, before.seq().0));
        allowed.push(folder.state().tables());
        let after = folder.state().tables();
        // What a person did to the checkpoint becomes facts with whatever is committed next, the probe of a check included.
        let edited = base.copy();
        let probe = Folder::on(&edited, 60);
        probe.settle();
        allowed.push(probe.state().tables());
        if matches!(step, Step::Person(..) | Step::Put(..)) {
            base = whole;
            continue;
        }
        for point in 0..points {
            n_points += 1;
            let mut n_pending = 0;
            let mut ending = 0;
            loop {
                let disk = base.copy();
                let folder = Folder::on(&disk, 1);
                disk.crash_at(point);
                let acknowledged = run(&folder, step).is_ok();
                assert!(disk.has_crashed(), "{told}: point {point} of {points}");
                n_pending = n_pending.max(disk.n_pending());
                let ledger = disk.get(&format!("{DIR}/ledger.jsonl"));
                let is_inside = ledger.is_some_and(|bytes| !bytes.ends_with(b"\n"));
                let loss = match ending {
                    0 => Loss::Nothing,
                    1 => Loss::All,
                    more => Loss::Only(more - 2),
                };
                n_endings += 1;
                disk.kill(&folder.owner());
                disk.restart(loss);
                let told = format!("{told}, point {point} of {points}, {loss:?}");
                // What was acknowledged is there.
                let allowed = if acknowledged {
                    std::slice::from_ref(&after)
                } else {
                    allowed.as_slice()
                };
                check(&disk, allowed, &forgotten_before(number), &told);
                ending += 1;
                // Inside an append only the names of the lock and of its owner are not synced yet; losing them is tried at every
                // sixteenth byte.
                let is_same = is_inside && point % 16 != 0;
                if n_pending == 0 || is_same || ending >= n_pending + 2 {
                    break;
                }
            }
        }
        base = whole;
    }
    println!("{n_points} points, {n_endings} endings");
    assert!(n_points > 3_000, "only {n_points} points were tried");
}

#[test]
fn a_crash_while_reclaiming_leaves_a_lock_that_the_next_one_reclaims() {
    let base = Disk::new();
    Folder::on(&base, 1).commit(vec![write("use pnpm")]);
    Folder::on(&base, 1).leave_lock();
    base.kill(&Folder::on(&base, 1).owner());
    let step = Step::Commit(vec![write("use bun")]);
    let mut n_endings = 0;
    // Each process in turn dies somewhere between finding the lock and giving its own back.
    for first in 0..20 {
        for second in 0..20 {
            for loss in [Loss::Nothing, Loss::All, Loss::Only(0), Loss::Only(1)] {
                let disk = base.copy();
                for (pid, point) in [(2, first), (3, second)] {
                    let folder = Folder::on(&disk, pid);
                    disk.crash_at(point);
                    let _ = run(&folder, &step);
                    disk.kill(&folder.owner());
                    disk.restart(loss);
                }
                n_endings += 1;
                let told = format!("points {first} and {second}, {loss:?}");
                let last = Folder::on(&disk, 4);
                last.commit(vec![write("use deno")]);
                last.settle();
                last.settle();
                let locks: Vec<String> = disk
                    .paths()
                    .into_iter()
                    .filter(|path| path.contains("/lock") && !is_of(&disk, path, 4))
                    .collect();
                assert!(locks.is_empty(), "{told}: {locks:?}");
                assert_eq!(Folder::on(&disk, 5).state(), last.state(), "{told}");
                assert!(
                    last.state().memory(&memory("use pnpm").id).is_some(),
                    "{told}"
                );
            }
        }
    }
    assert_eq!(n_endings, 1_600);
}
