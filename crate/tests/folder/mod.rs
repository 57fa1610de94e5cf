//! A data folder in memory for tests of the store.
#![allow(dead_code, clippy::expect_used)]

use jev_memory_core::error::StoreError;
use jev_memory_core::fake::{Disk, FakeClock, FakeRandom, MemoryFiles, Offline, block_on, ready};
use jev_memory_core::memory::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Remember, Revision,
    ScopeKey, SessionId, Source, Status, Type,
};
use jev_memory_core::port::{Files, Owner, Ports};
use jev_memory_core::store::entry::{Body, Fact};
use jev_memory_core::store::{Committed, Draft, State, Store, commit, open, settle};
use jev_memory_core::turn::Position;
use std::cell::{Cell, RefCell};

pub const DIR: &str = "/data";
pub const NOW: i64 = 1_790_000_000_000;
pub const WAIT_MS: u32 = 500;

/// One process with the folder open.
pub struct Folder {
    pub disk: Disk,
    pub files: MemoryFiles,
    pub clock: FakeClock,
    pub random: FakeRandom,
    pub ended: Cell<bool>,
    pub store: RefCell<Store>,
    pid: u32,
}

impl Folder {
    pub fn new() -> Self {
        Self::on(&Disk::new(), 1)
    }

    pub fn on(disk: &Disk, pid: u32) -> Self {
        Self::try_on(disk, pid).expect("opens")
    }

    pub fn try_on(disk: &Disk, pid: u32) -> Result<Self, StoreError> {
        let files = disk.process(pid);
        let clock = FakeClock::at(NOW);
        let random = FakeRandom::from_seed(u64::from(pid) * 1_000 + disk.paths().len() as u64);
        let ended = Cell::new(false);
        let ports = Ports {
            clock: &clock,
            random: &random,
            files: &files,
            http: &Offline,
            llm: &Offline,
            ended: &ended,
        };
        let (store, _) = block_on(open(ports, DIR))?;
        Ok(Self {
            disk: disk.clone(),
            files,
            clock,
            random,
            ended,
            store: RefCell::new(store),
            pid,
        })
    }

    pub fn ports(&self) -> Ports<'_> {
        Ports {
            clock: &self.clock,
            random: &self.random,
            files: &self.files,
            http: &Offline,
            llm: &Offline,
            ended: &self.ended,
        }
    }

    pub fn owner(&self) -> Owner {
        self.files.owner()
    }

    pub fn state(&self) -> State {
        self.store.borrow().state().clone()
    }

    pub fn reopen(&self) -> Self {
        Self::on(&self.disk, self.pid + 1_000)
    }

    pub fn opens_at_once(&self) -> bool {
        ready(open(self.ports(), DIR)).is_some()
    }

    pub fn try_commit(&self, draft: Draft) -> Result<Committed, StoreError> {
        block_on(commit(&self.store, self.ports(), draft, WAIT_MS))
    }

    pub fn commit(&self, rows: Vec<Body>) -> Committed {
        let draft = Draft {
            rows,
            ..Draft::default()
        };
        self.try_commit(draft).expect("commits")
    }

    pub fn settle(&self) {
        block_on(settle(&self.store, self.ports(), WAIT_MS)).expect("settles");
    }

    pub fn text(&self, name: &str) -> String {
        let bytes = self.disk.get(&format!("{DIR}/{name}")).expect("is there");
        String::from_utf8(bytes).expect("text")
    }

    pub fn put(&self, name: &str, text: &str) {
        self.disk.put(&format!("{DIR}/{name}"), text.as_bytes());
    }

    /// Leaves a lock behind, as a process does that dies while it commits.
    pub fn leave_lock(&self) {
        let owner = serde_json::to_string(&self.owner()).expect("json");
        self.put(
            "lock",
            &format!(r#"{{"owner":{owner},"token":"abc123","at":{NOW}}}"#),
        );
    }
}

pub fn scope() -> ScopeKey {
    ScopeKey::from("git:example.org/shop")
}

pub fn position(session: &str, seq: u64) -> Position {
    Position {
        session_id: SessionId::from(session),
        turn: 1,
        seq: EventSeq(seq),
    }
}

pub fn memory(text: &str) -> Memory {
    memory_at(text, "s1", 5)
}

pub fn memory_at(text: &str, session: &str, seq: u64) -> Memory {
    Memory {
        id: MemoryId::of(&scope(), text),
        memory_type: Type::Constraint,
        layer: Layer::Fact,
        text: text.into(),
        canonical: None,
        status: Status::Active,
        scope: scope(),
        importance: 0.8,
        signals: vec!["always".into()],
        remember: Remember {
            score: 0.81,
            by: JudgeName::Heuristic,
            model: None,
        },
        by: Author::Human,
        source: Source {
            session_id: SessionId::from(session),
            turn: 1,
            seq: EventSeq(seq),
            quote: text.into(),
            at: Millis(NOW),
            tool: None,
            count: None,
            way_out: None,
            source_ids: Vec::new(),
            aliases: Vec::new(),
        },
        supersedes: Vec::new(),
        superseded_by: Vec::new(),
        conflicts_with: Vec::new(),
        valid_from: None,
        valid_until: None,
        temporal_scope: None,
        procedure: None,
        origin: Origin::from("d-000000000000"),
        revision: Revision(1),
        created_at: Millis(NOW),
        updated_at: Millis(NOW),
    }
}

pub fn write(text: &str) -> Body {
    Fact::Write {
        memory: Box::new(memory(text)),
    }
    .into()
}

pub fn turn(session: &str, turn: u32, read_to: u64) -> Body {
    Fact::Turn {
        session_id: SessionId::from(session),
        turn,
        read_to: EventSeq(read_to),
        scope: scope(),
    }
    .into()
}
