//! Prints what a message of 64 rules costs, natively, the more is known: `message [MESSAGES]`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::indexing_slicing,
    reason = "a program for a developer's terminal, not part of the core"
)]

use jev_memory_core::engine::{Engine, Settings};
use jev_memory_core::fake::{Disk, FakeClock, FakeRandom, Network, block_on};
use jev_memory_core::memory::{EventSeq, Millis, SessionId};
use jev_memory_core::port::Ports;
use jev_memory_core::turn::{Human, Session, Turn, TurnEvent};
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

const SERVICES: [&str; 12] = [
    "order", "billing", "search", "mail", "auth", "media", "report", "chat", "stock", "price",
    "user", "event",
];
const THINGS: [&str; 8] = [
    "port",
    "timeout",
    "log folder",
    "queue",
    "branch",
    "cache",
    "schema",
    "retry limit",
];
const PARTS: [&str; 10] = [
    "订单", "支付", "搜索", "邮件", "登录", "媒体", "报表", "聊天", "库存", "价格",
];
const MATTERS: [&str; 8] = [
    "端口",
    "超时",
    "日志目录",
    "队列",
    "分支",
    "缓存时间",
    "表前缀",
    "重试次数",
];

/// The `n`th of many rules, no two about one subject.
fn rule(n: usize) -> String {
    let round = n / 160;
    if n.is_multiple_of(2) {
        let (service, thing) = (SERVICES[n / 2 % 12], THINGS[n / 24 % 8]);
        format!(
            "The {service} service must always use {} as its {thing} in region{round}.",
            1_000 + n
        )
    } else {
        let (part, matter) = (PARTS[n / 2 % 10], MATTERS[n / 20 % 8]);
        format!(
            "以后片区{round}的{part}服务的{matter}必须固定用 {}。",
            1_000 + n
        )
    }
}

fn main() {
    let messages: usize = std::env::args()
        .nth(1)
        .and_then(|x| x.parse().ok())
        .unwrap_or(34);
    let disk = Disk::new();
    let clock = Rc::new(FakeClock::at(1_790_668_800_000));
    let network = Network::new(clock.clone());
    let random = FakeRandom::from_seed(1);
    let files = disk.process(1);
    let ended = Cell::new(false);
    let ports = Ports {
        clock: &*clock,
        random: &random,
        files: &files,
        http: &network,
        llm: &network,
        ended: &ended,
    };
    let engine = Engine::new(&Settings {
        config: json!({ "writeTimeoutMs": 60_000 }),
        default_data_dir: "/home/jev-memory".to_owned(),
        host_version: "test".to_owned(),
    });
    block_on(engine.open(ports));
    let session = Session {
        id: SessionId::from("s"),
        cwd: "/home/project".to_owned(),
        child: false,
    };
    block_on(engine.attach(ports, &session, EventSeq(0), EventSeq(0), None));
    let (mut kept, mut held) = (0, 0);
    for message in 0..messages {
        let lines: Vec<String> = (0..64).map(|line| rule(message * 64 + line)).collect();
        let seq = EventSeq(message as u64 * 2 + 1);
        let turn = Turn {
            session: session.clone(),
            turn: message as u32 + 1,
            read_to: EventSeq(seq.0 + 1),
            events: vec![TurnEvent::Human(Human {
                seq,
                turn: message as u32 + 1,
                at: Millis(1_790_668_800_000),
                text: lines.join("\n"),
                zone: None,
            })],
        };
        let start = Instant::now();
        let learned = block_on(engine.learn(ports, turn));
        let ms = start.elapsed().as_secs_f64() * 1e3;
        kept += learned.kept.len();
        held += learned.held.len();
        if message % 8 == 0 || message + 1 == messages {
            println!(
                "{ms:7.2} ms for 64 lines; {kept} kept, {held} held, {} skipped",
                learned.skipped
            );
        }
    }
}
