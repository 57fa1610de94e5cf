//! Turns a compiled `wasm32-unknown-unknown` module into `core.js`, `core.d.ts` and `core_bg.wasm`.
//!
//! Usage: `bindgen MODULE.wasm OUTPUT_FOLDER`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(module), Some(output), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        eprintln!("usage: bindgen MODULE.wasm OUTPUT_FOLDER");
        return ExitCode::from(2);
    };
    let glue = output.join("core.js");
    let mut generator = Bindgen::new();
    // The web target gives `initSync`: the shim decides when to instantiate and catches what goes wrong.
    // Without the default path the glue never guesses where its module lies.
    let written = generator.web(true).and_then(|generator| {
        generator
            .omit_default_module_path(true)
            .typescript(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .out_name("core")
            .input_path(module)
            .generate(output)
    });
    let contained = written
        .map_err(|error| format!("{error:#}"))
        .and_then(|()| contain(&glue));
    match contained {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What begins a finalizer in the generated glue, and what ends it.
const FINALIZER: (&str, &str) = ("new FinalizationRegistry(", ");\n");

/// Keeps finalizers from throwing: nobody could catch it, and it would end the host. An instance that trapped, or whose second part
/// cannot be loaded, throws in all it does.
fn contain(glue: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(glue).map_err(|error| error.to_string())?;
    let mut pieces = text.split(FINALIZER.0);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    let mut n_finalizers = 0;
    for piece in pieces {
        let end = piece.find(FINALIZER.1).ok_or("a finalizer has no end")?;
        let (arrow, rest) = piece.split_at(end);
        let (parameter, body) = arrow.split_once(" => ").ok_or("a finalizer is no arrow")?;
        out += &format!(
            "{}{parameter} => {{ try {{ {body} }} catch {{ /* Its instance is broken. */ }} }}{rest}",
            FINALIZER.0
        );
        n_finalizers += 1;
    }
    if n_finalizers == 0 {
        return Err("the glue has no finalizer; has the generator changed?".to_owned());
    }
    std::fs::write(glue, out).map_err(|error| error.to_string())
}
