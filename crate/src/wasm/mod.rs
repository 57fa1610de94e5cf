//! The exports of the WebAssembly module.

use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the version of the core.
#[wasm_bindgen(js_name = coreVersion)]
pub fn core_version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
