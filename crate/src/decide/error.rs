//! What `add` and its kin refuse: errors with a name and a status, the same in Rust and in TypeScript.

use crate::error::StoreError;

/// What kind of refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An action and its target do not fit, or a source does not fit the budget.
    Context,
    /// A judge's reply misses a question, adds one, answers with another type or names an unknown option.
    Contract,
    /// A judge did not answer at all.
    Judge,
    /// The model that extracts, or the embedding service, did not answer.
    Model,
    /// A linked head changed elsewhere, more often than is tried.
    Stale,
    /// Another input under a request id that is taken.
    Idempotency,
    /// A setting that is unknown, removed, nested or of the wrong kind.
    Settings,
    /// A folder that holds something else, or a newer version's files.
    Format,
    /// An argument of the wrong kind.
    Input,
    /// No memory of that id.
    NotFound,
    /// The folder could not be read or written.
    Storage,
}

/// By kind: the name of the error's class, its stable code, and its status. 409: the same call may succeed later. 422: it will not.
pub const KINDS: [(Kind, &str, &str, u16); 11] = [
    (
        Kind::Context,
        "DecisionContextError",
        "decision-context",
        422,
    ),
    (Kind::Contract, "JudgeContractError", "judge-contract", 422),
    (
        Kind::Judge,
        "JudgeUnavailableError",
        "judge-unavailable",
        409,
    ),
    (
        Kind::Model,
        "ModelUnavailableError",
        "model-unavailable",
        409,
    ),
    (Kind::Stale, "StaleDecisionError", "stale-decision", 409),
    (
        Kind::Idempotency,
        "IdempotencyConflictError",
        "idempotency-conflict",
        409,
    ),
    (Kind::Settings, "SettingsError", "settings", 422),
    (Kind::Format, "ForeignFormatError", "foreign-format", 422),
    (Kind::Input, "InputError", "bad-input", 422),
    (Kind::NotFound, "NotFoundError", "no-such-memory", 422),
    (Kind::Storage, "StorageError", "storage", 409),
];

/// A refusal. Nothing was committed but, for `add`, the source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: Kind,
    /// What is wrong, for the programmer who calls.
    pub message: String,
}

impl Error {
    /// Returns an error of `kind`.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Returns an error about an argument.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Input, message)
    }

    /// Returns the class name, the code and the status.
    pub fn row(&self) -> (&'static str, &'static str, u16) {
        let row = KINDS.iter().find(|row| row.0 == self.kind);
        row.map_or(("", "", 422), |row| (row.1, row.2, row.3))
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::Stale { .. } => Kind::Stale,
            StoreError::NoSuchMemory { .. } => Kind::NotFound,
            StoreError::NewerVersion { .. } => Kind::Format,
            StoreError::RowTooLong { .. } | StoreError::RowInvalid { .. } => Kind::Context,
            StoreError::Files(_) | StoreError::LockBusy { .. } | StoreError::Ended { .. } => {
                Kind::Storage
            }
        };
        Self::new(kind, error.to_string())
    }
}
