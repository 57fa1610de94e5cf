//! What is known already, as a judge that reads is shown it.

use super::Engine;
use crate::judge::Known;
use crate::memory::{Millis, ScopeKey};
use crate::store::Store;

impl Engine {
    /// Returns the memories that a new sentence is compared with, the nearest first.
    ///
    /// The order says what is looked at, never what is contradicted.
    pub(super) fn known(
        &self,
        store: &Store,
        scope: &ScopeKey,
        text: &str,
        now: Millis,
    ) -> Vec<Known> {
        self.known_to(store, scope, text, now)
            .into_iter()
            .map(|memory| Known {
                id: memory.id.clone(),
                text: memory.text.to_string(),
            })
            .collect()
    }
}
