//! Several devices, one memory: whatever is done on each, whatever is carried where and in which order, those that hold
//! the same entries have the same state, and what was forgotten on one is nowhere.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use crate::folder;

use folder::{DIR, Folder, NOW, WAIT_MS, memory_at};
use jev_memory_core::decide::outcome::{Decision, Done, Path, Planned, Status as Came};
use jev_memory_core::fake::{Disk, FakeRandom, Loss, block_on};
use jev_memory_core::memory::{
    EventSeq, Memory, MemoryId, Millis, Origin, Revision, ScopeKey, SessionId, Status,
};
use jev_memory_core::store::devices::{Taken, collect, take_in};
use jev_memory_core::store::entry::{Body, Fact};
use jev_memory_core::store::names::shared_scope;
use jev_memory_core::store::tables::{Heard, Tables};
use jev_memory_core::store::{Request, State, forget, log};
use jev_memory_core::turn::Position;
use proptest::prelude::*;
use std::rc::Rc;

const DEVICES: usize = 3;
/// Sentences that are said: few, so that devices meet.
const SENTENCES: usize = 5;
const SCOPES: [&str; 3] = ["git:example.org/shop", "path:/srv/work", "global"];

/// A device, and what is started again there.
struct Device {
    folder: Folder,
    disk: Disk,
    pid: u32,
    n_done: u64,
}

impl Device {
    fn new(number: usize) -> Self {
        let disk = Disk::new();
        let pid = 1 + number as u32 * 100;
        Self {
            folder: Folder::on(&disk, pid),
            disk,
            pid,
            n_done: 0,
        }
    }

    fn restart(&mut self) {
        self.pid += 1;
        self.folder = Folder::on(&self.disk, self.pid);
    }

    fn state(&self) -> State {
        self.folder.state()
    }

    fn own(&self) -> Origin {
        let state = self.state();
        state.origin().cloned().unwrap_or_else(|| Origin::from(""))
    }

    fn vector(&self) -> Vec<Heard> {
        let found = block_on(collect(&self.folder.store, self.folder.ports()));
        found.expect("reads").vector()
    }

    fn export(&self, since: &[Heard]) -> String {
        let held = block_on(collect(&self.folder.store, self.folder.ports())).expect("reads");
        let (rows, withheld) = held.shared(since).expect("is whole");
        assert_eq!(withheld, 0);
        String::from_utf8(log::write(&self.own(), since, &rows)).expect("text")
    }

    fn import(&self, text: &str) -> Taken {
        let log = log::read(text).expect("is a log");
        let (store, ports) = (&self.folder.store, self.folder.ports());
        block_on(take_in(store, ports, vec![log], false, WAIT_MS)).expect("takes in")
    }

    fn ids(&self) -> Vec<MemoryId> {
        self.state().memories().map(|x| x.id.clone()).collect()
    }

    /// Everything every device must agree on.
    fn tables(&self) -> Tables {
        let mut tables = self.state().tables();
        let own = self.own();
        let shared = |scope: &mut ScopeKey| *scope = shared_scope(scope, own.as_str());
        for memory in &mut tables.memories {
            shared(&mut Rc::make_mut(memory).scope);
        }
        for failure in &mut tables.failures {
            shared(&mut failure.scope);
            failure.more = 0;
        }
        for reading in &mut tables.sessions {
            shared(&mut reading.scope);
        }
        for tombstone in &mut tables.tombstones {
            shared(&mut tombstone.scope);
        }
        for recorded in &mut tables.requests {
            shared(&mut Rc::make_mut(recorded).plan.scope);
        }
        for join in &mut tables.scopes {
            shared(&mut join.from);
            shared(&mut join.to);
        }
        tables
            .failures
            .sort_by(|a, b| (&a.scope, &a.key).cmp(&(&b.scope, &b.key)));
        tables.scopes.sort_by(|a, b| a.from.cmp(&b.from));
        tables.vector.clear();
        tables.digests.clear();
        tables
    }

    fn bytes(&self) -> String {
        let mut out = Vec::new();
        self.tables().write(&mut out);
        String::from_utf8(out).expect("text")
    }
}

/// One thing that happens.
#[derive(Debug, Clone)]
struct Step {
    device: usize,
    what: u8,
    a: u16,
    b: u16,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0..DEVICES, 0u8..24, any::<u16>(), any::<u16>())
        .prop_map(|(device, what, a, b)| Step { device, what, a, b });
    prop::collection::vec(step, 1..40)
}

fn said(number: usize) -> String {
    [
        "always run the linter before a push",
        "the staging port is 8123 everywhere",
        "never touch the generated folder",
        "releases are cut on a tuesday",
        "use four spaces in python files",
    ][number % SENTENCES]
        .to_owned()
}

fn pick<T>(all: &[T], n: u16) -> Option<&T> {
    all.get(usize::from(n) % all.len().max(1))
}

fn status(id: &MemoryId, status: Status, revision: u32) -> Body {
    Fact::Status {
        id: id.clone(),
        status,
        revision: Revision(revision + 1),
        reason: "test".to_owned(),
    }
    .into()
}

fn record(device: &Device, text: &str, scope: &str, n: u64) -> Memory {
    let scope = device.state().scope_of(&ScopeKey::from(scope)).clone();
    let mut memory = memory_at(text, &format!("s-{}", device.own()), n);
    memory.id = device.state().next_id(&scope, text);
    memory.scope = scope;
    memory.origin = device.own();
    memory.created_at = Millis(device.folder.clock.now_ms.get());
    memory
}

fn write(memory: Memory) -> Body {
    Fact::Write {
        memory: Box::new(memory),
    }
    .into()
}

fn act(devices: &mut [Device], step: &Step) {
    let Step { device, what, a, b } = *step;
    if what >= 21 {
        return carry(devices, device, a, b);
    }
    let device = &mut devices[device];
    device.n_done += 1;
    let n = device.n_done;
    let (state, ids) = (device.state(), device.ids());
    let text = said(usize::from(a));
    let scope = SCOPES[usize::from(b) % SCOPES.len()];
    let chosen = pick(&ids, a).and_then(|id| state.memory(id)).cloned();
    let folder = &device.folder;
    match (what, chosen) {
        (0..=3, _) => {
            let key = state.scope_of(&ScopeKey::from(scope)).clone();
            let standing = state.versions(&key, &text).len();
            if standing < 2 {
                folder.commit(vec![write(record(device, &text, scope, n)), turn(n)]);
            }
        }
        (4 | 5, Some(memory)) => {
            let mut edited = Memory::clone(&memory);
            edited.revision.0 += 1;
            let mut changed = vec!["text".to_owned()];
            if b.is_multiple_of(3) {
                edited.importance = f64::from(b % 10) / 10.0;
                changed = vec!["importance".to_owned()];
            } else {
                edited.text = format!("{} ({})", memory.text, b % 4).into();
            }
            if b % 5 == 4 {
                edited.valid_until = Some(Millis(i64::from(b)));
                changed.push("validUntil".to_owned());
            }
            let memory = Box::new(edited);
            folder.commit(vec![Fact::Edit { memory, changed }.into()]);
        }
        (6, Some(memory)) => {
            // By hand, in the readable file.
            folder.settle();
            let name = format!("{DIR}/memory.json");
            let Some(bytes) = device.disk.get(&name) else {
                return;
            };
            let text = String::from_utf8(bytes).expect("text");
            let before = format!(r#""id":"{}""#, memory.id);
            let Some(at) = text.find(&before) else { return };
            let (head, tail) = text.split_at(at);
            let tail = tail.replacen(
                r#""importance":0."#,
                &format!(r#""importance":0.{}"#, b % 9),
                1,
            );
            device.disk.put(&name, format!("{head}{tail}").as_bytes());
            folder.commit(vec![turn(n)]);
        }
        (7 | 8, Some(memory)) => {
            let to = [Status::Archived, Status::Active, Status::NeedsReview][usize::from(b) % 3];
            if memory.status != Status::Superseded {
                folder.commit(vec![status(&memory.id, to, memory.revision.0)]);
            }
        }
        (9 | 10, Some(old)) => {
            if old.status == Status::Active {
                let new = record(
                    device,
                    &format!("{text} since {}", b % 3),
                    old.scope.as_str(),
                    n,
                );
                if state.memory(&new.id).is_none() {
                    let link = Fact::Supersede {
                        old: old.id.clone(),
                        new: new.id.clone(),
                    };
                    folder.commit(vec![write(new), link.into()]);
                }
            }
        }
        (11 | 12, Some(old)) => {
            let mut new = record(
                device,
                &format!("{text} but not {}", b % 3),
                old.scope.as_str(),
                n,
            );
            if state.memory(&new.id).is_none() && old.status == Status::Active {
                new.status = Status::NeedsReview;
                let ask = ask(&new.id, std::slice::from_ref(&old.id), 0);
                folder.commit(vec![write(new), ask]);
            }
        }
        (13 | 14, _) => {
            let asks: Vec<_> = state.asks().cloned().collect();
            let Some(ask) = pick(&asks, a) else { return };
            let Some(memory) = state.memory(&ask.id) else {
                return;
            };
            if b.is_multiple_of(7) {
                let row = self::ask(&ask.id, &ask.against, ask.attempt + 1);
                folder.commit(vec![row]);
                return;
            }
            let choice = ["replace", "keep-old", "keep-both"][usize::from(b) % 3];
            let to = if choice == "keep-old" {
                Status::Archived
            } else {
                Status::Active
            };
            let mut rows = vec![status(&ask.id, to, memory.revision.0)];
            if choice == "replace" {
                let olds = ask.against.iter().filter(|old| state.memory(old).is_some());
                rows.extend(olds.map(|old| -> Body {
                    Fact::Supersede {
                        old: old.clone(),
                        new: ask.id.clone(),
                    }
                    .into()
                }));
            }
            rows.push(
                Fact::ConflictResolved {
                    id: ask.id.clone(),
                    against: ask.against.clone(),
                    choice: choice.to_owned(),
                }
                .into(),
            );
            folder.commit(rows);
        }
        (15, Some(memory)) => {
            let text = format!("restated as {b}");
            let id = memory.id.clone();
            folder.commit(vec![Fact::Canonical { id, text }.into()]);
        }
        (16, _) => {
            let key = format!("key-{}", a % 2);
            let scope = state.scope_of(&ScopeKey::from(scope)).clone();
            let known = state.failure(&scope, &key).map_or(0, |x| x.count);
            if known > 0 && b.is_multiple_of(5) {
                folder.commit(vec![
                    Fact::FailureDropped {
                        scope,
                        keys: vec![key],
                    }
                    .into(),
                ]);
                return;
            }
            folder.commit(vec![failure(scope, &key, known + 1, n)]);
        }
        (17, Some(memory)) => {
            let request = Request {
                ids: vec![memory.id.clone()],
                by: "command".to_owned(),
                asked: None,
            };
            block_on(forget(&folder.store, folder.ports(), request, WAIT_MS)).expect("forgets");
        }
        (18, _) => {
            let all: Vec<ScopeKey> = state.scopes().map(|x| x.0.clone()).collect();
            if let (Some(from), Some(to)) = (pick(&all, a), pick(&all, b)) {
                let (from, to) = (from.clone(), to.clone());
                folder.commit(vec![Fact::Scope { from, to }.into()]);
            }
        }
        (19, _) => match b % 4 {
            0 => device.restart(),
            1 => {
                folder.settle();
                device.restart();
            }
            2 => {
                // From the ledger alone.
                let before = device.state();
                device.disk.delete(&format!("{DIR}/memory.json"));
                device.restart();
                let after = device.state();
                assert_eq!(before, after, "the ledger alone gives the state");
            }
            _ => {
                folder.store.borrow_mut().rotate_after(1);
                folder.settle();
                device.restart();
            }
        },
        (20, Some(memory)) if b.is_multiple_of(2) => {
            let request = format!("r-{}", a % 3);
            if memory.is_statement() && state.recorded(&request).is_none() {
                let plan = planned(&state, &memory, &request, b);
                folder.commit(vec![Fact::Plan { plan }.into()]);
            }
        }
        _ => {
            // A clock that is wrong, or goes back.
            let at = NOW + i64::from(a) * 1_000 - 30_000_000;
            folder.clock.now_ms.set(at);
        }
    }
}

/// A request that came to what is known already.
fn planned(state: &State, known: &Memory, request: &str, n: u16) -> Box<Planned> {
    Box::new(Planned {
        scope: known.scope.clone(),
        request: Some(request.to_owned()),
        input: "0123456789ab".to_owned(),
        epoch: state.epoch(&known.scope),
        status: Came::Known,
        scene: "chat".to_owned(),
        sources: Vec::new(),
        bases: Vec::new(),
        decisions: vec![Decision {
            path: Path::Chat,
            action: Done::Skip,
            update: None,
            targets: vec![known.id.clone()],
            proposal_ids: vec![MemoryId::from(format!("m-again{n}"))],
            source_ids: Vec::new(),
            confidence: None,
        }],
        model: None,
        failed: None,
    })
}

fn ask(id: &MemoryId, against: &[MemoryId], attempt: u32) -> Body {
    Fact::ConflictAsk {
        id: id.clone(),
        against: against.to_vec(),
        attempt,
        detector: "offline:value".to_owned(),
        shared: Vec::new(),
        question: (attempt > 0).then(|| "Which one holds?".to_owned()),
        asker: None,
        instead: None,
    }
    .into()
}

fn failure(scope: ScopeKey, key: &str, count: u32, n: u64) -> Body {
    Fact::Failure {
        scope,
        key: key.to_owned(),
        tool: "bash".to_owned(),
        signature: format!("make: no rule for {key}"),
        count,
        more: 0,
        position: Position {
            session_id: SessionId::from("s-fail"),
            turn: 1,
            seq: EventSeq(n),
        },
    }
    .into()
}

fn turn(n: u64) -> Body {
    Fact::Turn {
        session_id: SessionId::from(format!("s-{}", n % 4)),
        turn: n as u32,
        read_to: EventSeq(n * 3),
        scope: ScopeKey::from(SCOPES[0]),
    }
    .into()
}

/// Carries a log from one device to another: whole, from the beginning, or cut off somewhere.
fn carry(devices: &mut [Device], to: usize, a: u16, b: u16) {
    let from = (to + 1 + usize::from(a) % (DEVICES - 1)) % DEVICES;
    let since = if b.is_multiple_of(2) {
        devices[to].vector()
    } else {
        Vec::new()
    };
    let mut text = devices[from].export(&since);
    if b.is_multiple_of(3) {
        let cut = text.len() * usize::from(b % 100) / 100;
        text.truncate(cut);
        if log::read(&text).is_err() {
            return;
        }
    }
    devices[to].import(&text);
}

fn exchange_all(devices: &mut [Device], seed: u64) {
    let random = FakeRandom::from_seed(seed);
    // In any order, several times, until nobody learns anything.
    for _ in 0..20 {
        let mut n_new = 0;
        let mut pairs: Vec<(usize, usize)> = (0..DEVICES)
            .flat_map(|to| {
                (0..DEVICES)
                    .filter(move |&x| x != to)
                    .map(move |from| (from, to))
            })
            .collect();
        while !pairs.is_empty() {
            let at = random.next() as usize % pairs.len();
            let (from, to) = pairs.swap_remove(at);
            let since = devices[to].vector();
            let text = devices[from].export(&since);
            n_new += devices[to].import(&text).n_new;
        }
        if n_new == 0 {
            return;
        }
        // What merging wrote is an entry, too; it changes nothing but who knows what.
        let told: Vec<String> = devices.iter().map(Device::bytes).collect();
        if told.iter().all(|x| *x == told[0]) {
            return;
        }
    }
    let told: Vec<String> = devices.iter().map(Device::bytes).collect();
    for other in &told {
        assert_eq!(*other, told[0]);
    }
}

fn run(steps: &[Step], seed: u64) {
    let mut devices: Vec<Device> = (0..DEVICES).map(Device::new).collect();
    for device in &devices {
        device.folder.commit(vec![turn(0)]);
    }
    for step in steps {
        act(&mut devices, step);
    }
    exchange_all(&mut devices, seed);
    let told: Vec<String> = devices.iter().map(Device::bytes).collect();
    assert_eq!(told[1], told[0]);
    assert_eq!(told[2], told[0]);
    // What each has, step by step, is what one has that hears all at once.
    let fresh = Device::new(DEVICES);
    fresh.import(&devices[0].export(&[]));
    assert_eq!(fresh.bytes(), told[0]);
    for device in &mut devices {
        let state = device.state();
        device.disk.delete(&format!("{DIR}/memory.json"));
        device.restart();
        assert_eq!(device.state(), state);
        // Again changes nothing.
        let before = device.bytes();
        let text = fresh.export(&[]);
        device.import(&text);
        assert_eq!(device.bytes(), before);
    }
}

/// As many as `PROPTEST_CASES` says; few by default, so that the suite stays short.
fn cases() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = std::env::var("PROPTEST_CASES").map_or(96, |_| default.cases);
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..default
    }
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn devices_that_hold_the_same_entries_have_the_same_state(steps in steps(), seed in any::<u64>()) {
        run(&steps, seed);
    }
}

/// Histories that once came out differently on one device, as (device, what, a, b).
#[test]
fn histories_that_once_differed_agree() {
    let histories: [&[(usize, u8, u16, u16)]; 2] = [
        // Forgotten on one device, restated on another: the same sentence in two folders of one path.
        &[
            (2, 0, 35710, 31345),
            (2, 17, 0, 0),
            (0, 16, 0, 0),
            (0, 0, 63845, 14863),
            (0, 15, 0, 0),
        ],
        &[
            (2, 0, 27311, 8920),
            (0, 19, 0, 2447),
            (2, 17, 0, 0),
            (0, 0, 1286, 57343),
            (0, 15, 0, 0),
        ],
    ];
    for history in histories {
        let steps: Vec<Step> = history
            .iter()
            .map(|&(device, what, a, b)| Step { device, what, a, b })
            .collect();
        run(&steps, 0);
    }
}

/// Two devices that both know `text`.
fn two(text: &str) -> (Device, Device, Memory) {
    let (a, b) = (Device::new(0), Device::new(1));
    let memory = record(&a, text, SCOPES[0], 1);
    a.folder.commit(vec![write(memory.clone())]);
    b.import(&a.export(&[]));
    (a, b, memory)
}

fn meet(a: &Device, b: &Device) {
    for _ in 0..2 {
        a.import(&b.export(&a.vector()));
        b.import(&a.export(&b.vector()));
    }
    assert_eq!(a.bytes(), b.bytes());
}

fn edit(device: &Device, id: &MemoryId, text: &str) {
    let mut memory = Memory::clone(device.state().memory(id).unwrap());
    memory.text = text.into();
    memory.revision.0 += 1;
    let changed = vec!["text".to_owned()];
    let memory = Box::new(memory);
    device
        .folder
        .commit(vec![Fact::Edit { memory, changed }.into()]);
}

#[test]
fn two_texts_of_one_record_both_stay_and_wait_for_a_person() {
    let (a, b, memory) = two("releases are cut on a tuesday");
    edit(&a, &memory.id, "releases are cut on a monday");
    edit(&b, &memory.id, "releases are cut on a friday");
    meet(&a, &b);
    let state = a.state();
    let asks: Vec<_> = state.asks().collect();
    assert_eq!(asks.len(), 1);
    assert_eq!(asks[0].against, vec![memory.id.clone()]);
    let texts: Vec<&str> = state.memories().map(|x| &*x.text).collect();
    assert!(texts.contains(&"releases are cut on a monday"));
    assert!(texts.contains(&"releases are cut on a friday"));
    let waiting = state.memory(&asks[0].id).unwrap();
    assert_eq!(waiting.status, Status::NeedsReview);
}

#[test]
fn two_replacements_of_one_head_both_stay_and_wait_for_a_person() {
    let (a, b, old) = two("the staging port is 8123 everywhere");
    for (device, text) in [
        (&a, "the staging port is 9000 now"),
        (&b, "the staging port is 7000 now"),
    ] {
        let new = record(device, text, SCOPES[0], 7);
        let link = Fact::Supersede {
            old: old.id.clone(),
            new: new.id.clone(),
        };
        device.folder.commit(vec![write(new), link.into()]);
    }
    meet(&a, &b);
    let state = a.state();
    assert_eq!(state.memory(&old.id).unwrap().superseded_by.len(), 2);
    let mut heads: Vec<Status> = state
        .memories()
        .filter(|x| x.id != old.id)
        .map(|x| x.status)
        .collect();
    heads.sort();
    assert_eq!(heads, vec![Status::Active, Status::NeedsReview]);
    assert_eq!(state.asks().count(), 1);
}

#[test]
fn answers_that_differ_open_the_question_again() {
    let (a, b, old) = two("never touch the generated folder");
    let mut new = record(&a, "the generated folder may be edited", SCOPES[0], 8);
    new.status = Status::NeedsReview;
    a.folder.commit(vec![
        write(new.clone()),
        ask(&new.id, std::slice::from_ref(&old.id), 1),
    ]);
    meet(&a, &b);
    let resolved = |choice: &str| -> Body {
        Fact::ConflictResolved {
            id: new.id.clone(),
            against: vec![old.id.clone()],
            choice: choice.to_owned(),
        }
        .into()
    };
    let replace = Fact::Supersede {
        old: old.id.clone(),
        new: new.id.clone(),
    };
    a.folder.commit(vec![
        status(&new.id, Status::Active, 1),
        replace.into(),
        resolved("replace"),
    ]);
    b.folder.commit(vec![
        status(&new.id, Status::Archived, 1),
        resolved("keep-old"),
    ]);
    meet(&a, &b);
    let state = b.state();
    assert_eq!(state.memory(&old.id).unwrap().status, Status::Active);
    assert_eq!(state.memory(&new.id).unwrap().status, Status::NeedsReview);
    assert_eq!(state.ask(&new.id).unwrap().against, vec![old.id]);
}

#[test]
fn the_same_sentence_is_one_memory_in_a_shared_project_and_two_in_folders_of_one_path() {
    for (scope, n) in [(SCOPES[0], 1), (SCOPES[1], 2)] {
        let (a, b) = (Device::new(0), Device::new(1));
        for device in [&a, &b] {
            let memory = record(device, "use four spaces in python files", scope, 3);
            device.folder.commit(vec![write(memory)]);
        }
        meet(&a, &b);
        assert_eq!(a.state().memories().len(), n, "{scope}");
        let here = ScopeKey::from(scope);
        assert_eq!(b.state().in_scope(&here).count(), 1, "{scope}");
        // What one device forgets in its folder the other keeps in its own.
        let id = a.state().in_scope(&here).next().unwrap().id.clone();
        let request = Request {
            ids: vec![id],
            by: "command".to_owned(),
            asked: None,
        };
        block_on(forget(&a.folder.store, a.folder.ports(), request, WAIT_MS)).unwrap();
        meet(&a, &b);
        assert_eq!(b.state().in_scope(&here).count(), n - 1, "{scope}");
        let kept = b.state().memories().all(|x| !x.text.is_empty());
        assert!(kept, "{scope}");
    }
}

#[test]
fn what_a_device_forgot_in_its_own_folder_stays_forgotten_there_whoever_said_the_same() {
    let (a, b) = (Device::new(0), Device::new(1));
    let text = "use four spaces in python files";
    for device in [&a, &b] {
        let memory = record(device, text, SCOPES[1], 3);
        device.folder.commit(vec![write(memory)]);
    }
    let here = ScopeKey::from(SCOPES[1]);
    let mine = b.state().in_scope(&here).next().unwrap().clone();
    let request = Request {
        ids: vec![mine.id.clone()],
        by: "command".to_owned(),
        asked: None,
    };
    block_on(forget(&b.folder.store, b.folder.ports(), request, WAIT_MS)).unwrap();
    let place = Position {
        session_id: mine.source.session_id.clone(),
        turn: mine.source.turn,
        seq: mine.source.seq,
    };
    assert!(b.state().forgotten(&here, text, &place).is_some());
    meet(&a, &b);
    assert!(b.state().forgotten(&here, text, &place).is_some());
    assert!(a.state().forgotten(&here, text, &place).is_none());
}

#[test]
fn what_was_forgotten_elsewhere_leaves_every_file_whatever_comes_later() {
    let (a, b, memory) = two("the zebra vault opens at half past nine");
    let stale = b.export(&[]);
    let c = Device::new(2);
    c.import(&stale);
    let request = Request {
        ids: vec![memory.id.clone()],
        by: "command".to_owned(),
        asked: None,
    };
    block_on(forget(&a.folder.store, a.folder.ports(), request, WAIT_MS)).unwrap();
    edit(&b, &memory.id, "the zebra vault opens at ten");
    let taken = c.import(&a.export(&[]));
    assert_eq!(taken.forgotten, vec![memory.id.clone()]);
    c.import(&b.export(&[]));
    c.import(&stale);
    let fresh = Device::new(3);
    fresh.import(&stale);
    fresh.import(&a.export(&[]));
    meet(&a, &b);
    for device in [&a, &b, &c, &fresh] {
        assert!(device.state().memory(&memory.id).is_none());
        for path in device.disk.paths() {
            let bytes = device.disk.get(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("zebra vault"), "{path}");
        }
    }
}

#[test]
fn counts_of_failures_are_summed() {
    let (a, b) = (Device::new(0), Device::new(1));
    let scope = ScopeKey::from(SCOPES[0]);
    for (device, n) in [(&a, 3), (&b, 2)] {
        for count in 1..=n {
            device
                .folder
                .commit(vec![failure(scope.clone(), "k", count, u64::from(count))]);
        }
    }
    meet(&a, &b);
    assert_eq!(a.state().failure(&scope, "k").unwrap().count, 5);
    a.folder.commit(vec![failure(scope.clone(), "k", 6, 9)]);
    meet(&a, &b);
    assert_eq!(b.state().failure(&scope, "k").unwrap().count, 6);
}

#[test]
fn a_log_with_a_line_taken_out_is_refused_and_one_that_ends_early_gives_its_beginning() {
    let (a, b) = (Device::new(0), Device::new(1));
    for number in 0..4 {
        a.folder.commit(vec![
            write(record(&a, &said(number), SCOPES[0], 1)),
            turn(1),
        ]);
    }
    let text = a.export(&[]);
    let lines: Vec<&str> = text.lines().collect();
    let mut without = lines.clone();
    without.remove(3);
    assert_eq!(log::read(&without.join("\n")), Err("log-changed"));
    let half = lines[..6].join("\n");
    let read = log::read(&half).unwrap();
    assert!(!read.is_whole);
    b.import(&half);
    assert_eq!(b.state().memories().len(), 2);
    b.import(&text);
    assert_eq!(b.state().memories().len(), 4);
    let newer = text.replacen(r#""v":1"#, r#""v":2"#, 1);
    assert_eq!(log::read(&newer), Err("newer-log"));
    assert_eq!(log::read("{}"), Err("not-a-log"));
}

#[test]
fn a_log_that_does_not_follow_is_left_and_a_copied_folder_is_noticed() {
    let (a, b) = (Device::new(0), Device::new(1));
    a.folder
        .commit(vec![write(record(&a, &said(0), SCOPES[0], 1))]);
    let since = a.vector();
    a.folder
        .commit(vec![write(record(&a, &said(1), SCOPES[0], 2))]);
    let taken = b.import(&a.export(&since));
    assert_eq!((taken.n_new, taken.gaps), (0, vec![a.own()]));
    let disk = a.disk.copy();
    let copy = Device {
        folder: Folder::on(&disk, 700),
        disk,
        pid: 700,
        n_done: 0,
    };
    copy.folder.clock.now_ms.set(NOW + 5_000);
    copy.folder
        .commit(vec![write(record(&copy, &said(2), SCOPES[0], 3))]);
    a.folder
        .commit(vec![write(record(&a, &said(3), SCOPES[0], 4))]);
    b.import(&a.export(&[]));
    assert_eq!(b.import(&copy.export(&[])).forked, vec![a.own()]);
}

#[test]
fn a_device_that_dies_while_it_takes_entries_in_goes_on() {
    let (a, b, memory) = two("the zebra vault opens at half past nine");
    edit(&a, &memory.id, "the zebra vault opens at ten");
    let request = Request {
        ids: vec![memory.id.clone()],
        by: "command".to_owned(),
        asked: None,
    };
    block_on(forget(&a.folder.store, a.folder.ports(), request, WAIT_MS)).unwrap();
    a.folder
        .commit(vec![write(record(&a, &said(1), SCOPES[0], 5))]);
    let text = a.export(&[]);
    let whole = Device::new(4);
    whole.import(&text);
    let mut n_points = 0;
    for point in 0.. {
        let disk = b.disk.copy();
        let dying = Folder::on(&disk, 900);
        disk.crash_at(point);
        let log = log::read(&text).unwrap();
        let done = block_on(take_in(
            &dying.store,
            dying.ports(),
            vec![log],
            false,
            WAIT_MS,
        ));
        if !disk.has_crashed() {
            assert!(done.is_ok());
            break;
        }
        n_points += 1;
        for loss in [Loss::Nothing, Loss::All] {
            let left = disk.after_crash(loss);
            left.kill(&dying.owner());
            let again = Device {
                folder: Folder::on(&left, 901),
                disk: left.clone(),
                pid: 901,
                n_done: 0,
            };
            again.import(&text);
            again.folder.settle();
            assert_eq!(again.bytes(), whole.bytes(), "point {point}");
            for path in left.paths() {
                let bytes = left.get(&path).unwrap_or_default();
                let found = String::from_utf8_lossy(&bytes).contains("zebra vault");
                assert!(!found, "{path} at point {point}");
            }
        }
    }
    assert!(n_points > 20, "{n_points}");
}
