//! The module's second part: what no session needs before its first block (`crate/bindgen/src/split`).

use js_sys::Function;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static LOADER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Takes what loads the second part: called once at most, when something of it is first needed. It throws when it cannot.
#[wasm_bindgen(js_name = onRest)]
pub fn on_rest(loader: Function) {
    LOADER.with(|known| known.replace(Some(loader)));
}

/// Has the second part loaded. The first part calls it; a build in one piece never does.
#[wasm_bindgen(js_name = loadRest)]
pub fn load_rest() {
    let loader = LOADER.with(|known| known.borrow().clone());
    let done = match loader {
        Some(loader) => loader.call0(&JsValue::NULL),
        None => Err(JsValue::from_str(
            "nothing loads the second part of the module",
        )),
    };
    if let Err(error) = done {
        wasm_bindgen::throw_val(error);
    }
}
