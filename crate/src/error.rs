//! What can go wrong, with the stable codes that the ledger and TypeScript use.
//!
//! A refusal (veto, skip, hold, degrade) is a value, never an error: see [`crate::gate`] and [`crate::store::entry`].

use thiserror::Error;

/// A file operation that did not happen.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FilesError {
    #[error("{path}: not found")]
    NotFound { path: String },
    #[error("{path}: no space left to {action}")]
    NoSpace { path: String, action: &'static str },
    #[error("{path}: not permitted to {action}")]
    NotPermitted { path: String, action: &'static str },
    /// Anything else the system said, reduced to its message.
    #[error("{path}: cannot {action}: {message}")]
    Other {
        path: String,
        action: &'static str,
        message: String,
    },
}

/// A request that brought no reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HttpError {
    /// Nothing was sent: no key of that name resolves.
    #[error("no key is known as {credential}")]
    NoKey { credential: String },
    #[error("no reply within {timeout_ms} ms")]
    Timeout { timeout_ms: u32 },
    /// Refused connection, dropped connection, no such host, a body over the limit.
    #[error("{message}")]
    Transport { message: String },
    /// The job's deadline or the host's signal ended the wait.
    #[error("ended while waiting for a reply")]
    Ended,
}

/// A call to the host's model that brought no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LlmError {
    #[error("no model is selected in this host")]
    NoRoute,
    #[error("no answer within {timeout_ms} ms")]
    Timeout { timeout_ms: u32 },
    /// What the provider said, by its stable code.
    #[error("{code}: {message}")]
    Failed { code: String, message: String },
    /// The job's deadline or the host's signal ended the wait.
    #[error("ended while waiting for the model")]
    Ended,
}

/// A store operation that did not happen. The state is the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Another process held the lock until the time for waiting was over.
    #[error("lock: held by {owner} for longer than {waited_ms} ms")]
    LockBusy { owner: String, waited_ms: u32 },
    /// A record that the decision was based on has changed since.
    #[error("{id}: revision is {found}, decided on {expected}")]
    Stale {
        id: String,
        expected: u32,
        found: u32,
    },
    /// The ledger was written by a newer version; nothing is written to it.
    #[error(
        "ledger version {found} is newer than {supported}: update dsh-jev-memory, nothing was written"
    )]
    NewerVersion { found: u32, supported: u32 },
    /// An id that is neither known nor forgotten.
    #[error("{id}: no such memory")]
    NoSuchMemory { id: String },
    /// A row longer than the limit of one line.
    #[error("a ledger row of {length_bytes} bytes is over the limit of {limit_bytes}")]
    RowTooLong {
        length_bytes: usize,
        limit_bytes: usize,
    },
    /// A row that would not read back as it was written, so it was not written.
    #[error("ledger row {seq}: {reason}")]
    RowInvalid { seq: u64, reason: String },
    /// The job's signal or deadline ended it before anything was published.
    #[error("ended before the commit: {reason}")]
    Ended { reason: &'static str },
}

/// The root error: it only gathers.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A value that crossed from the host has the wrong shape.
    #[error("{what}: {reason}")]
    Input { what: &'static str, reason: String },
}

impl Error {
    /// Returns the stable kebab-case code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Files(error) | Error::Store(StoreError::Files(error)) => match error {
                FilesError::NotFound { .. } => "file-not-found",
                FilesError::NoSpace { .. } => "disk-full",
                FilesError::NotPermitted { .. } => "not-permitted",
                FilesError::Other { .. } => "file-error",
            },
            Error::Store(error) => match error {
                StoreError::Files(_) => "file-error",
                StoreError::LockBusy { .. } => "lock-busy",
                StoreError::Stale { .. } => "stale",
                StoreError::NewerVersion { .. } => "newer-version",
                StoreError::NoSuchMemory { .. } => "no-such-memory",
                StoreError::RowTooLong { .. } => "row-too-long",
                StoreError::RowInvalid { .. } => "row-invalid",
                StoreError::Ended { .. } => "ended",
            },
            Error::Input { .. } => "bad-input",
        }
    }
}
