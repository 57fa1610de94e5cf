//! The evaluation's way in: predictions over corpus text. The plugin never calls it.

use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the predictions of a task, one JSON object a line, or undefined for a task that is unknown.
#[wasm_bindgen]
pub fn predict(task: &str, input: &str, memories: &str) -> Option<String> {
    crate::evaluate::predict(task, input, memories)
}
