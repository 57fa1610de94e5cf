//! Prints the core's predictions over a corpus file or folder, natively: `predict TASK PATH [MEMORIES]`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::expect_used,
    reason = "a program for a developer's terminal, not part of the core"
)]

use jev_memory_core::evaluate::predict;
use std::fs;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, path, rest @ ..] = arguments.as_slice() else {
        eprintln!("predict TASK PATH [MEMORIES]");
        return;
    };
    let memories = rest
        .first()
        .map(|path| fs::read_to_string(path).expect("a readable file"));
    let memories = memories.unwrap_or_default();
    let mut paths = vec![path.into()];
    if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        let entries = fs::read_dir(path).expect("a readable folder");
        paths = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
    }
    for path in paths {
        let input = fs::read_to_string(path).expect("a readable file");
        print!(
            "{}",
            predict(task, &input, &memories).expect("a known task")
        );
    }
}
