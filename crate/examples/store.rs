//! Times the store natively and writes a folder of the given size, for the benchmark to open in WebAssembly.
//!
//!     cargo run --release --example store -- RECORDS [FOLDER]

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a measuring program, not the core"
)]

use jev_memory_core::fake::{Disk, FakeClock, FakeRandom, Offline, block_on};
use jev_memory_core::memory::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Remember, Revision,
    ScopeKey, SessionId, Source, Status, Text, Type,
};
use jev_memory_core::port::Ports;
use jev_memory_core::store::entry::Fact;
use jev_memory_core::store::{Draft, close, commit, open};
use std::cell::{Cell, RefCell};
use std::time::Instant;

const DIR: &str = "/data";
const ROWS_PER_COMMIT: usize = 100;
const NOW: i64 = 1_790_000_000_000;

fn memory(number: usize) -> Memory {
    let scope = ScopeKey::from(format!("git:example.org/team/project-{}", number % 7));
    let text = Text::from(format!(
        "第 {number} 条约定：模块 {} 的端口固定为 {}，改动前先说明。",
        number % 97,
        8_000 + number % 1_000
    ));
    Memory {
        id: MemoryId::of(&scope, &text),
        memory_type: Type::ALL[number % 3],
        layer: Layer::Fact,
        canonical: None,
        status: Status::Active,
        scope,
        importance: 0.7,
        signals: vec!["zh-standing".into(), "number".into()],
        remember: Remember {
            score: 0.8123,
            by: JudgeName::Heuristic,
            model: None,
        },
        by: Author::Human,
        source: Source {
            session_id: SessionId::from(format!("0199c2a4-7e1d-7c32-9f10-{:012}", number / 20)),
            turn: 3,
            seq: EventSeq(41),
            quote: text.clone(),
            at: Millis(NOW),
            tool: None,
            count: None,
            way_out: None,
            source_ids: Vec::new(),
            aliases: Vec::new(),
        },
        text,
        supersedes: Vec::new(),
        superseded_by: Vec::new(),
        conflicts_with: Vec::new(),
        valid_from: None,
        valid_until: None,
        temporal_scope: None,
        procedure: None,
        origin: Origin::from("d-0123456789ab"),
        revision: Revision(1),
        created_at: Millis(NOW),
        updated_at: Millis(NOW),
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().and_then(|x| x.parse().ok()).unwrap_or(10_000);
    let folder = args.next();
    let disk = Disk::new();
    let (files, clock, random, ended) = (
        disk.process(1),
        FakeClock::at(NOW),
        FakeRandom::from_seed(1),
        Cell::new(false),
    );
    let ports = Ports {
        clock: &clock,
        random: &random,
        files: &files,
        http: &Offline,
        llm: &Offline,
        ended: &ended,
    };
    let (mut store, _) = block_on(open(ports, DIR)).expect("opens");
    store.rotate_after(u64::MAX);
    let cell = RefCell::new(store);
    for first in (0..n).step_by(ROWS_PER_COMMIT) {
        let rows = (first..n.min(first + ROWS_PER_COMMIT))
            .map(|number| {
                Fact::Write {
                    memory: Box::new(memory(number)),
                }
                .into()
            })
            .collect();
        let draft = Draft {
            rows,
            ..Draft::default()
        };
        block_on(commit(&cell, ports, draft, 1_000)).expect("commits");
    }
    let begun = Instant::now();
    block_on(close(&cell, ports, 1_000)).expect("closes");
    println!("checkpoint of {n}: {:.1} ms", ms(begun));
    drop(cell);
    for name in ["memory.json", "ledger.jsonl"] {
        let length = disk.get(&format!("{DIR}/{name}")).map_or(0, |x| x.len());
        println!(
            "{name}: {:.1} MB, {} bytes a record",
            length as f64 / 1e6,
            length / n.max(1)
        );
    }
    for what in ["open with its checkpoint", "open from the ledger alone"] {
        let mut best = f64::MAX;
        for _ in 0..5 {
            let begun = Instant::now();
            let (store, _) = block_on(open(ports, DIR)).expect("opens");
            best = best.min(ms(begun));
            assert_eq!(store.state().memories().len(), n);
        }
        println!(
            "{what}: {best:.1} ms, {:.2} µs a record",
            best * 1e3 / n as f64
        );
        if what.contains("checkpoint")
            && let Some(folder) = &folder
        {
            std::fs::create_dir_all(folder).expect("a folder");
            for path in disk.paths() {
                let name = path.trim_start_matches(DIR);
                let bytes = disk.get(&path).unwrap_or_default();
                std::fs::write(format!("{folder}{name}"), bytes).expect("writes");
            }
        }
        disk.delete(&format!("{DIR}/memory.json"));
    }
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}
