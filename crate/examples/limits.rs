//! Times the scan of secrets and the signature of failures over made-up text; prints milliseconds, median of runs.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

use jev_memory_core::extract::failure::signature;
use jev_memory_core::text::secret;
use std::hint::black_box;
use std::time::Instant;

fn median(name: &str, runs: usize, mut work: impl FnMut()) {
    // An argument chooses by a part of the name.
    if std::env::args()
        .nth(1)
        .is_some_and(|part| !name.contains(&part))
    {
        return;
    }
    work();
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{name}: {:.4} ms",
        times.get(runs / 2).copied().unwrap_or_default()
    );
}

fn main() {
    let log =
        "2026-01-02 03:04:05 INFO served /api/cart in 12ms, request 3f2b1c4d ok\n".repeat(30_000);
    let words = "服务端口统一用 8000，提交前先跑 pnpm lint。the password field must not be filled in, see docs/auth.md\n";
    let message = words.repeat(10_000);
    let traps = [
        ("key=", "key=".repeat(250_000)),
        ("sk-", "sk-".repeat(300_000)),
        ("://", "://a:".repeat(200_000)),
        ("密码", "密码".repeat(160_000)),
        (
            "-----begin ",
            concat!("-----BEGIN RSA PRIVATE", " KEY ").repeat(40_000),
        ),
        ("eyJ", "eyJa.".repeat(200_000)),
        ("run", "aB3".repeat(330_000)),
        ("halves", "aB3dE5fG7h\n".repeat(90_000)),
        ("mysql", "mysql ".repeat(160_000)),
        (":5432:", ":5432:".repeat(160_000)),
        ("login", " login a ".repeat(100_000)),
        ("is the", "a1 is the password ".repeat(50_000)),
        ("quotes", "password \"".repeat(100_000)),
        ("spaces", format!("password{}", " ".repeat(1_000_000))),
        ("zero width", "\u{200b}".repeat(300_000)),
    ];
    median("signature of 2 MB", 21, || {
        black_box(signature("bash", &log));
    });
    median("secret in one sentence", 2001, || {
        black_box(secret::contains(words));
    });
    median("secrets in 10,000 lines (1.2 MB)", 5, || {
        black_box(secret::redact(&message));
    });
    for (name, trap) in &traps {
        median(&format!("1 MB of {name:?}, secrets"), 3, || {
            black_box(secret::spans(trap));
        });
        median(&format!("1 MB of {name:?}, signature"), 3, || {
            black_box(signature("bash", trap));
        });
    }
}
