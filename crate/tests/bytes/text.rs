//! What must hold for any text: cut, cleaned, screened, compared, and read for what failed.

use jev_memory_core::config::Config;
use jev_memory_core::conflict::detect;
use jev_memory_core::extract::{Candidate, MAX_CANDIDATES, MAX_GRAPHEMES, MIN_GRAPHEMES};
use jev_memory_core::extract::{failure, sentences};
use jev_memory_core::gate::gate;
use jev_memory_core::judge::heuristic;
use jev_memory_core::memory::{EventSeq, Millis};
use jev_memory_core::screen::{Screened, screen};
use jev_memory_core::text::{clean, secret, sentence, token};
use jev_memory_core::turn::{Human, Session, Turn, TurnEvent};
use std::time::{Duration, Instant};
use unicode_segmentation::UnicodeSegmentation;

/// Messages to begin with: both languages, lists, quotes, code, a log, a formula, a table, marks, every line end.
pub const MESSAGES: &[&str] = &[
    "以后每个接口改动都要同步更新 openapi.yaml，否则前端会拿到旧的类型。不要改动 data/ 目录！",
    "Never push to main; always open a pull request (see `docs/flow.md`).\r\n- use tabs\r\n- 日志用英文\r\n",
    "1. 先备份\n2. 再迁移\n> quoted line\n```rust\nfn main() { loop {} }\n```\nthe port is 8000, not 9000",
    "\\begin{itemize}\\item \\textbf{注意} 表格统一三线表 $a_{ij}^2 \\ne 0$\\end{itemize}",
    "| name | value |\n|---|---|\n| port | 8000 |\n👩‍👩‍👧‍👦🏽 e\u{301}\u{301}\u{301} \u{200b}\u{feff}“quoted”",
    "[2026-01-02T03:04:05Z] ERROR db: refused\n    at Object.<anonymous> (/srv/app/index.js:10:3)\npostgres://u:p@h/db",
    "the key is kept elsewhere; password: asked for at run time; token=$TOKEN; sha256:0123456789abcdef0123456789abcdef",
];

/// Outputs to begin with.
pub const OUTPUTS: &[&str] = &[
    "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n[exit code: 1]",
    "error[E0308]: mismatched types\n  --> src/main.rs:10:5\n   |\n10 |     x\n[exit code: 101]",
    "Traceback (most recent call last):\n  File \"/tmp/a1b2/x.py\", line 3, in <module>\nKeyError: 'user'\n[exit code: 1]",
    "bash: 第 1 行: 没有那个文件或目录\n\u{1b}[31mfatal: 不是 git 仓库\u{1b}[0m\r50%\r100%\n[exit code: 128]",
    "Error: listen EADDRINUSE: address already in use :::3000 pid 4242 at 0x7fff5fbff8c0 after 12.5ms",
];

/// A text twice as long may take about twice as long, not four times: this long for a megabyte, and never less.
const LIMIT: Duration = Duration::from_secs(20);

fn within_the_limit<T>(length_bytes: usize, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = work();
    let most = LIMIT.mul_f64((length_bytes as f64 / 1e6).max(0.05));
    assert!(start.elapsed() < most, "{what}: {:?}", start.elapsed());
    out
}

fn message_of(text: &str) -> Turn {
    Turn {
        session: Session {
            id: "s".into(),
            cwd: String::new(),
            child: false,
        },
        turn: 1,
        read_to: EventSeq(2),
        events: vec![TurnEvent::Human(Human {
            seq: EventSeq(1),
            turn: 1,
            at: Millis(0),
            text: text.to_owned(),
            zone: None,
        })],
    }
}

/// Holds a message to what is said of any.
pub fn check_message(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let pieces: String = sentence::cut(&text).collect();
    assert_eq!(pieces, text, "pieces joined give the text");
    let (redacted, n_secrets) = within_the_limit(text.len(), "secrets", || secret::redact(&text));
    assert_eq!(secret::redact(&redacted), (redacted.clone(), 0), "redacted");
    assert_eq!(n_secrets == 0, redacted == text);
    let extracted = within_the_limit(text.len(), "cut", || sentences(&message_of(&text)));
    assert!(extracted.candidates.len() <= MAX_CANDIDATES);
    let config = Config::default();
    for candidate in &extracted.candidates {
        let length = candidate.quote.graphemes(true).count();
        assert!(
            (MIN_GRAPHEMES..=MAX_GRAPHEMES).contains(&length),
            "{length}"
        );
        let cleaned = clean::clean(&candidate.text);
        assert_eq!(cleaned, candidate.text, "cleaning twice is cleaning once");
        if let Screened::Kept(kept) = screen(candidate) {
            let judgement = heuristic::judge(candidate, &kept);
            assert!((0.0..=1.0).contains(&judgement.importance));
            assert!((0.0..=1.0).contains(&judgement.remember));
            let _ = gate(&judgement, &config);
            assert!(!secret::contains(&candidate.quote), "a secret was kept");
        }
    }
    let texts = || extracted.candidates.iter().map(|x| x.text.as_str()).take(8);
    for new in texts() {
        let _ = detect(new, texts());
        // A sentence is no contradiction of itself.
        assert!(detect(new, [new]).is_none(), "{new}");
    }
    let mut keys = Vec::new();
    token::tokens(&text, &mut keys);
    assert!(keys.len() <= token::TOKENS_MAX);
    let _ = Candidate::alone(&text);
}

/// Holds a tool's output to what is said of any.
pub fn check_output(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let signature = |text: &str| failure::signature("bash", text);
    let first = within_the_limit(text.len(), "signature", || signature(&text));
    if let Some(signature) = &first {
        assert!(signature.chars().count() <= 160, "{signature}");
        assert!(!signature.contains(['\n', '\r', '\u{1b}']), "{signature:?}");
        assert!(secret::spans(signature).is_empty(), "{signature}");
    }
    assert_eq!(
        signature(&text),
        first,
        "the same output, the same signature"
    );
}

/// Holds both to their limits over a text of a megabyte that repeats the input.
pub fn check_long(bytes: &[u8]) {
    let n = 1_000_000 / bytes.len().max(1);
    let long = bytes.repeat(n.clamp(1, 100_000));
    check_message(&long);
    check_output(&long);
}
