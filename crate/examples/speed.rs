//! Prints what one sentence costs to screen, judge and gate, and what a long message costs, natively.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a program for a developer's terminal, not part of the core"
)]

use jev_memory_core::config::Config;
use jev_memory_core::extract::{Candidate, sentences};
use jev_memory_core::gate::gate;
use jev_memory_core::judge::heuristic;
use jev_memory_core::memory::{EventSeq, Millis};
use jev_memory_core::screen::{Screened, screen};
use jev_memory_core::turn::{Human, Session, Turn, TurnEvent};
use std::hint::black_box;
use std::time::Instant;

const SENTENCES: &[&str] = &[
    "以后每个接口改动都要同步更新 openapi.yaml，否则前端会拿到旧的类型。",
    "Never push straight to main, always open a pull request and wait for the pipeline.",
    "帮我把登录页的报错信息改得友好一点，再把按钮往右挪两格。",
    "The API is written in Rust with axum, and the web app in Svelte, deployed to Fly.io.",
    "Please rename this variable in src/app/main.ts and fix the imports while you are there.",
    "列表默认按创建时间倒序显示，点击一行打开右侧的详情面板。",
];

fn main() {
    let message = SENTENCES.join("\n");
    let candidates: Vec<Candidate> = SENTENCES
        .iter()
        .map(|sentence| Candidate::within(&message, sentence))
        .collect();
    let config = Config::default();
    let rounds = 20_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for candidate in &candidates {
            if let Screened::Kept(kept) = screen(black_box(candidate)) {
                black_box(gate(&heuristic::judge(candidate, &kept), &config));
            }
        }
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds) / candidates.len() as f64;
    println!("screen, judge and gate: {each:.2} µs a sentence");

    let long: String = (0..10_000)
        .map(|n| format!("第 {n} 行，保持这里的约定不变 and never change it\n"))
        .collect();
    let turn = Turn {
        session: Session {
            id: "s".into(),
            cwd: String::new(),
            child: false,
        },
        turn: 1,
        read_to: EventSeq(0),
        events: vec![TurnEvent::Human(Human {
            seq: EventSeq(1),
            turn: 1,
            at: Millis(0),
            text: long,
            zone: None,
        })],
    };
    let start = Instant::now();
    let extracted = black_box(sentences(&turn));
    let cut = start.elapsed().as_secs_f64() * 1e3;
    for candidate in &extracted.candidates {
        black_box(screen(candidate));
    }
    println!(
        "a message of 10,000 lines: {cut:.2} ms to cut, {:.2} ms in all",
        start.elapsed().as_secs_f64() * 1e3
    );
}
