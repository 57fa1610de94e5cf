//! A host for the engine: one disk, any number of processes, sessions that speak and call tools.
#![allow(dead_code)]

use jev_memory_core::engine::{Call, Engine, Learned, Settings};
use jev_memory_core::fake::{Disk, FakeClock, FakeRandom, MemoryFiles, Network, block_on};
use jev_memory_core::memory::{EventSeq, Millis, SessionId};
use jev_memory_core::port::Ports;
use jev_memory_core::turn::{Human, Session, Turn, TurnEvent};
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;

/// 2026-09-29 08:00 UTC.
pub const NOON: i64 = 1_790_668_800_000;

/// One host process with the plugin mounted.
pub struct House {
    pub engine: Engine,
    pub clock: Rc<FakeClock>,
    pub network: Network,
    random: FakeRandom,
    pub files: MemoryFiles,
    ended: Cell<bool>,
}

impl House {
    /// Mounts on `disk` as process `pid`, with the row's config.
    pub fn mount(disk: &Disk, pid: u32, config: Value) -> Self {
        Self::mount_with(disk, pid, config, |_| {})
    }

    /// Mounts where `network` is what `reach` makes of it.
    pub fn mount_with(disk: &Disk, pid: u32, config: Value, reach: impl FnOnce(&Network)) -> Self {
        let clock = Rc::new(FakeClock::at(NOON + i64::from(pid)));
        let network = Network::new(clock.clone());
        reach(&network);
        let settings = Settings {
            config,
            default_data_dir: "/home/jev-memory".to_owned(),
            host_version: "test".to_owned(),
        };
        let house = Self {
            engine: Engine::new(&settings),
            clock,
            network,
            random: FakeRandom::from_seed(u64::from(pid)),
            files: disk.process(pid),
            ended: Cell::new(false),
        };
        block_on(house.engine.open(house.ports()));
        block_on(house.engine.settle(house.ports()));
        house
    }

    pub fn ports(&self) -> Ports<'_> {
        Ports {
            clock: &*self.clock,
            random: &self.random,
            files: &self.files,
            http: &self.network,
            llm: &self.network,
            ended: &self.ended,
        }
    }

    /// Begins a session in `cwd`.
    pub fn session(&self, id: &str, cwd: &str) -> Talk<'_> {
        let talk = Talk {
            house: self,
            session: Session {
                id: SessionId::from(id),
                cwd: cwd.to_owned(),
                child: false,
            },
            log: Vec::new(),
            seq: 0,
            turn: 0,
            zone: None,
        };
        talk.attach(None);
        talk
    }

    pub fn close(&self) {
        block_on(self.engine.close(self.ports()));
    }

    /// Every ledger row of `kind`.
    pub fn rows(&self, disk: &Disk, kind: &str) -> Vec<Value> {
        ledger(disk)
            .into_iter()
            .filter(|row| row["kind"] == kind)
            .collect()
    }
}

/// Does what waits, as the shim does when a session comes to rest.
pub fn settle(house: &House) {
    block_on(house.engine.settle(house.ports()));
}

/// Every row of the newest segment.
pub fn ledger(disk: &Disk) -> Vec<Value> {
    let bytes = disk
        .get("/home/jev-memory/ledger.jsonl")
        .unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Every path under the data folder whose bytes hold `text`.
pub fn holding(disk: &Disk, text: &str) -> Vec<String> {
    disk.paths()
        .into_iter()
        .filter(|path| {
            let bytes = disk.get(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(text)
        })
        .collect()
}

/// One session.
pub struct Talk<'a> {
    house: &'a House,
    pub session: Session,
    log: Vec<TurnEvent>,
    seq: u64,
    pub turn: u32,
    /// The zone of the client, where it tells.
    pub zone: Option<String>,
}

impl Talk<'_> {
    pub fn attach(&self, last_block: Option<&str>) {
        let attach = self.house.engine.attach(
            self.house.ports(),
            &self.session,
            EventSeq(self.seq),
            EventSeq(0),
            last_block,
        );
        block_on(attach);
    }

    fn next(&mut self) -> EventSeq {
        self.seq += 1;
        EventSeq(self.seq)
    }

    /// The human says something: a new turn begins, and its first block is returned.
    pub fn says(&mut self, text: &str) -> String {
        self.turn += 1;
        let event = TurnEvent::Human(Human {
            seq: self.next(),
            turn: self.turn,
            at: Millis(self.house.clock.now_ms.get()),
            text: text.to_owned(),
            zone: self.zone.clone(),
        });
        self.log.push(event);
        block_on(self.house.engine.refresh(self.house.ports()));
        self.house.engine.hear(&self.session.id, self.turn, text);
        self.block()
    }

    /// The block of one more step.
    pub fn block(&self) -> String {
        let now = Millis(self.house.clock.now_ms.get());
        self.house
            .engine
            .recall(&self.session.id, self.turn, now, &|_| {
                self.house.clock.offset_minutes.get()
            })
    }

    /// A tool ran.
    pub fn tool(&mut self, tool: &str, arguments: Value, text: &str, is_error: bool) {
        let call_id = format!("call-{}", self.seq);
        let (turn, call) = (self.turn, self.next());
        self.log.push(TurnEvent::ToolCall {
            seq: call,
            turn,
            call_id: call_id.clone(),
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
        });
        let result = self.next();
        self.log.push(TurnEvent::ToolResult {
            seq: result,
            turn,
            at: Millis(self.house.clock.now_ms.get()),
            call_id,
            tool: tool.to_owned(),
            is_error,
            code: None,
            denied: false,
            text: text.to_owned(),
        });
    }

    /// The turn stops.
    pub fn ends(&mut self) -> Learned {
        self.next();
        block_on(
            self.house
                .engine
                .learn(self.house.ports(), self.transcript()),
        )
    }

    /// The whole log, as a shim that knows nothing of read positions would send it.
    pub fn transcript(&self) -> Turn {
        Turn {
            session: self.session.clone(),
            turn: self.turn,
            read_to: EventSeq(self.seq + 1),
            events: self.log.clone(),
        }
    }

    /// Says something and ends the turn.
    pub fn turn(&mut self, text: &str) -> Learned {
        self.says(text);
        self.ends()
    }

    fn call(&self) -> Call {
        Call {
            session: self.session.clone(),
            turn: self.turn,
            seq: EventSeq(self.seq),
            humans: self
                .log
                .iter()
                .filter_map(|event| match event {
                    TurnEvent::Human(human) => Some(human.clone()),
                    _ => None,
                })
                .collect(),
        }
    }

    pub fn search(&self, query: &str) -> Value {
        self.search_with(json!({ "query": query }))
    }

    pub fn search_with(&self, args: Value) -> Value {
        block_on(
            self.house
                .engine
                .search(self.house.ports(), &args, &self.call()),
        )
    }

    pub fn write(&self, args: Value) -> Value {
        block_on(
            self.house
                .engine
                .write(self.house.ports(), &args, &self.call()),
        )
    }

    pub fn forget(&self, id: &str) -> Value {
        block_on(
            self.house
                .engine
                .forget(self.house.ports(), &json!({ "id": id }), &self.call()),
        )
    }
}
