//! The import rule: a module of `crate/src` may import only what stands above it in `lib.rs`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Modules in the order of `lib.rs`, with one more rule for `fake`: it stands in for the ports and may see `port`.
fn order() -> Vec<String> {
    let text = fs::read_to_string(source().join("lib.rs")).unwrap();
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let name = line
                .strip_prefix("pub mod ")
                .or_else(|| line.strip_prefix("mod "))?;
            name.strip_suffix(';').map(str::to_owned)
        })
        .collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            out.push(path);
        }
    }
}

/// Every `crate::name` of a file, tests left out.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or("");
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| {
            line.split("crate::").skip(1).flat_map(|rest| {
                let group = rest
                    .strip_prefix('{')
                    .map(|g| g.split('}').next().unwrap_or(""));
                match group {
                    Some(group) => group.split(',').map(first_name).collect::<Vec<_>>(),
                    None => vec![first_name(rest)],
                }
            })
        })
        .filter(|name| !name.is_empty())
        .collect()
}

fn first_name(text: &str) -> String {
    text.trim()
        .chars()
        .take_while(|c| c.is_ascii_lowercase() || *c == '_')
        .collect()
}

#[test]
fn a_module_imports_only_what_stands_above_it() {
    let order = order();
    let place = |name: &str| order.iter().position(|known| known == name);
    let mut all = Vec::new();
    files(&source(), &mut all);
    let mut wrong = Vec::new();
    for path in all {
        let inside = path.strip_prefix(source()).unwrap();
        let first = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .into_owned();
        let own = first.trim_end_matches(".rs").to_owned();
        let Some(own_place) = place(&own) else {
            continue;
        };
        // A module's tests in a file of their own see the stand-ins of the ports, as its tests inside the file do.
        if inside.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for name in imports(&text) {
            if let Some(other) = place(&name)
                && other > own_place
            {
                wrong.push(format!("{} imports {name}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_order_of_the_house_is_the_order_of_the_file() {
    let known = [
        "error",
        "text",
        "memory",
        "config",
        "scope",
        "turn",
        "extract",
        "screen",
        "judge",
        "gate",
        "canonical",
        "rank",
        "conflict",
        "evaluate",
        "decide",
        "port",
        "store",
        "recall",
        "account",
        "fake",
        "engine",
        "wasm",
    ];
    let present: Vec<&str> = known
        .into_iter()
        .filter(|name| order().iter().any(|own| own == name))
        .collect();
    assert_eq!(order(), present);
}

#[test]
fn every_file_of_tests_is_part_of_the_one_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let listed = fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        assert!(
            name == "main" || listed.contains(&format!("\nmod {name};\n")),
            "{name} is not run"
        );
    }
}
