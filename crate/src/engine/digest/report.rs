//! How a digest went, and how far one under way is: the same to a program, to a person and in tests.

use super::Digests;
use crate::decide::Error;
use crate::memory::ScopeKey;
use serde_json::{Value, json};

/// Reasons that are told; the rest is a number.
const FAILED_MAX: usize = 8;

/// What one scope's digest came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::engine) struct Report {
    /// `embedding` or `lexical`.
    pub compared_by: &'static str,
    /// Heads that were looked at, and older ones past the limit that were not.
    pub heads: usize,
    pub left_out: usize,
    /// Clusters large enough to be asked about.
    pub clusters: usize,
    /// Calls of the model.
    pub asked: usize,
    pub schemas: usize,
    pub evidence_added: usize,
    pub core_schemas: usize,
    /// Entries of the catalogue, where it was picked anew.
    pub catalog: Option<usize>,
    /// What held no more and was archived.
    pub retired: usize,
    /// Operations that the model named and that were not legal.
    pub dropped: usize,
    /// Why each product that is missing is missing.
    pub failed: Vec<String>,
}

impl Report {
    /// `done`; `unchanged`: nothing was asked; `partial`: a product is missing, and the scope still waits for it.
    pub fn status(&self) -> &'static str {
        match (self.failed.is_empty(), self.asked + self.retired) {
            (false, _) => "partial",
            (true, 0) => "unchanged",
            (true, _) => "done",
        }
    }

    /// Returns whether everything that was asked for is missing.
    pub fn made_nothing(&self) -> bool {
        let made = self.schemas + self.evidence_added + self.core_schemas + self.retired;
        !self.failed.is_empty() && made == 0 && self.catalog.is_none()
    }

    /// Returns the report as a caller sees it.
    pub fn told(&self, scope: &ScopeKey) -> Value {
        json!({
            "scope": scope.as_str(),
            "status": self.status(),
            "comparedBy": self.compared_by,
            "heads": self.heads,
            "leftOut": self.left_out,
            "clusters": self.clusters,
            "asked": self.asked,
            "schemas": self.schemas,
            "evidenceAdded": self.evidence_added,
            "coreSchemas": self.core_schemas,
            "catalog": self.catalog,
            "retired": self.retired,
            "dropped": self.dropped,
            "failures": self.failed.len(),
            "failed": self.failed.iter().take(FAILED_MAX).collect::<Vec<_>>(),
        })
    }
}

/// How far a digest is.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::engine) struct Progress {
    /// Products that are done, and how many there are; 0 while heads are compared.
    pub done: usize,
    pub total: usize,
    pub ended: Option<Result<Report, String>>,
}

impl Progress {
    /// Keeps how it ended.
    pub fn end(&mut self, done: Result<&Report, &Error>) {
        self.ended = Some(done.cloned().map_err(|error| error.message.clone()));
    }
}

impl Digests {
    /// Returns how far each scope of this process is, or how its last digest ended, ascending by scope.
    pub(in crate::engine) fn told(&self) -> Vec<(ScopeKey, Progress)> {
        let told = self.told.borrow();
        told.iter()
            .map(|(scope, progress)| (scope.clone(), progress.clone()))
            .collect()
    }
}

/// Returns how a scope's digest failed as a caller sees it.
pub(in crate::engine) fn failed(scope: &ScopeKey, message: &str) -> Value {
    json!({ "scope": scope.as_str(), "status": "failed", "error": message })
}
