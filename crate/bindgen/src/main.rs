//! Turns a compiled `wasm32-unknown-unknown` module into `core.js`, `core.d.ts` and `core_bg.wasm`.
//!
//! Usage: `bindgen MODULE.wasm OUTPUT_FOLDER`

use std::path::PathBuf;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(module), Some(output), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        eprintln!("usage: bindgen MODULE.wasm OUTPUT_FOLDER");
        return ExitCode::from(2);
    };
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
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
