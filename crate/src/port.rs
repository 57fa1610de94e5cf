//! What the core asks of the world. Traits only; each doc comment is the contract.
//!
//! Futures are boxed and not `Send`: wasm has one thread, and the same poll loop drives them in the wasm job and in tests.

use crate::error::{FilesError, HttpError, LlmError};
use crate::memory::{Millis, SessionId};
use std::future::Future;
use std::pin::Pin;

/// What a port returns: polled by the job that asked, never by an executor.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Time. Synchronous but for sleeping: recall may not wait.
pub trait Clock {
    /// Returns the present, milliseconds since the epoch. May go backwards.
    fn now(&self) -> Millis;
    /// Returns minutes to add to UTC for the user's local time at `at`.
    fn offset_minutes(&self, at: Millis) -> i32;
    /// As `offset_minutes`, on the clock of an IANA zone; the machine's when the zone is not known.
    fn offset_in_zone(&self, zone: &str, at: Millis) -> i32;
    /// Waits at least `ms` milliseconds.
    fn sleep(&self, ms: u32) -> Answer<'_, ()>;
}

/// Randomness for the device id and lock tokens.
pub trait Random {
    /// Fills `bytes`.
    fn fill(&self, bytes: &mut [u8]);
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileEntry {
    pub name: String,
    pub length_bytes: u64,
    pub is_folder: bool,
}

/// Who holds a lock, in the system's terms.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Host name.
    pub host: String,
    pub pid: u32,
    /// The process's start time in the system's own unit, or empty where the system does not tell.
    #[serde(default)]
    pub started: String,
}

/// Whether a lock's owner still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    Alive,
    Dead,
    /// Another machine's process, or the system does not tell: only a heartbeat can say.
    Unknown,
}

/// One commit in one call: what is appended under which lock, and what must still be so for it to be right.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    /// The lock's path.
    pub lock: &'a str,
    /// A file of this process alone that the lock is made from: `claim` is put in it, and its name is linked. Kept until
    /// it is removed by name.
    pub owner: &'a str,
    /// The lock's content.
    pub claim: &'a [u8],
    /// What is appended to.
    pub path: &'a str,
    /// How long it must be, and how it must end.
    pub end_bytes: u64,
    pub tail: &'a [u8],
    /// Another file, and the stamp it must have.
    pub beside: &'a str,
    pub stamp: &'a str,
    pub bytes: &'a [u8],
    /// Longer than this after the lock was made nothing is written and nothing removed: the lock may be another's by then.
    pub within_ms: u32,
}

/// How far a [`Publication`] came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Published {
    /// Somebody holds the lock. Nothing happened.
    Busy,
    /// The lock is held and nothing was written: something is not as it must be.
    Taken,
    /// The lock is held and the append failed. What it left was cut where that was possible.
    Failed(FilesError),
    /// Appended, durable, and the lock is still held.
    Kept,
    /// Appended, durable, and the lock is given back.
    Done,
}

/// Files, by absolute path with `/` or the system's separator. Folders 0700, files 0600, made as needed.
pub trait Files {
    /// Returns the bytes from `from_bytes` to the end; empty when the file is shorter.
    ///
    /// # Errors
    /// `NotFound` when there is no such file.
    fn read<'a>(
        &'a self,
        path: &'a str,
        from_bytes: u64,
    ) -> Answer<'a, Result<Vec<u8>, FilesError>>;
    /// As `read`, at most `length_bytes`.
    fn read_part<'a>(
        &'a self,
        path: &'a str,
        from_bytes: u64,
        length_bytes: u64,
    ) -> Answer<'a, Result<Vec<u8>, FilesError>>;
    /// Returns the names in a folder, sorted; `NotFound` when there is no such folder.
    fn list<'a>(&'a self, path: &'a str) -> Answer<'a, Result<Vec<FileEntry>, FilesError>>;
    /// Adds `bytes` at the end in one write. Durable when it returns. After a crash any prefix of `bytes` may be there.
    fn append<'a>(&'a self, path: &'a str, bytes: &'a [u8]) -> Answer<'a, Result<(), FilesError>>;
    /// Puts `bytes` in place of the file. All or nothing, durable when it returns. A crash may leave a neighbour `<path>.<anything>.tmp`.
    fn replace<'a>(&'a self, path: &'a str, bytes: &'a [u8]) -> Answer<'a, Result<(), FilesError>>;
    /// As `replace`, of a file that comes in pieces, and with `stamp` only while the file's stamp is that: looked at when all is
    /// durable beside it, right before the rename. Returns the stamp of the file it made, `None` when another file stood there and
    /// was left.
    fn replace_if<'a>(
        &'a self,
        path: &'a str,
        stamp: Option<&'a str>,
        pieces: &'a [Vec<u8>],
    ) -> Answer<'a, Result<Option<String>, FilesError>>;
    /// Puts what is in `from` in place of `to`, as `replace` does.
    fn copy<'a>(&'a self, from: &'a str, to: &'a str) -> Answer<'a, Result<(), FilesError>>;
    /// Returns whether a file begins with all that another one holds.
    fn begins_with<'a>(
        &'a self,
        path: &'a str,
        beginning: &'a str,
    ) -> Answer<'a, Result<bool, FilesError>>;
    /// Makes the file with `bytes` if there is none; returns whether it did. Nobody sees it half written. Need not be durable.
    fn create<'a>(&'a self, path: &'a str, bytes: &'a [u8])
    -> Answer<'a, Result<bool, FilesError>>;
    /// Makes the lock, looks, appends and gives the lock back, in this order; the append is as by `append`, the lock as by
    /// `create`.
    ///
    /// # Errors
    /// The lock could not be made, and is not held.
    fn publish<'a>(
        &'a self,
        publication: Publication<'a>,
    ) -> Answer<'a, Result<Published, FilesError>>;
    /// Cuts the file to `length_bytes`. Durable when it returns.
    fn truncate<'a>(
        &'a self,
        path: &'a str,
        length_bytes: u64,
    ) -> Answer<'a, Result<(), FilesError>>;
    /// Renames within the data folder, over nothing: an existing target is an error.
    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> Answer<'a, Result<(), FilesError>>;
    /// Removes the file; one that is not there is no error.
    fn remove<'a>(&'a self, path: &'a str) -> Answer<'a, Result<(), FilesError>>;
    /// Returns a short text that changes whenever the file does (identity, length, modification time); empty when there is neither file nor folder.
    fn stamp(&self, path: &str) -> String;
    /// Returns the real path of a file or folder, links resolved.
    fn real_path<'a>(&'a self, path: &'a str) -> Answer<'a, Result<String, FilesError>>;
    /// Returns this process as a lock's owner.
    fn owner(&self) -> Owner;
    /// Returns whether `owner` still runs.
    fn liveness(&self, owner: &Owner) -> Liveness;
}

/// A request to a service. There is no field for a key: the host attaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: &'static str,
    pub url: String,
    /// Besides those that go with a JSON body.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The name under which the key is known that goes with this request as a bearer; empty for none.
    pub credential: String,
    /// From sending to the last byte of the reply.
    pub timeout_ms: u32,
}

/// What came back, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    pub status: u16,
    /// `retry-after-ms`, `retry-after`, `x-typesafe-request-id`, as far as they were there. Names in lower case.
    pub headers: Vec<(String, String)>,
    /// At most 4 MiB.
    pub body: Vec<u8>,
}

impl HttpReply {
    /// Returns a header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }
}

/// Requests to services. The key is resolved for each request and never crosses.
pub trait Http {
    /// Sends a request. Ends early, with an error, when the job's signal ends.
    ///
    /// # Errors
    /// `NoKey` when the credential does not resolve at this moment; nothing is sent then.
    fn send(&self, request: HttpRequest) -> Answer<'_, Result<HttpReply, HttpError>>;
    /// Returns where the key of that name is found at this moment: `service:<source>`, `file`, `config`, `env` or `none`.
    /// Waits at most `timeout_ms` for whoever keeps it.
    fn key<'a>(&'a self, credential: &'a str, timeout_ms: u32) -> Answer<'a, String>;
}

/// One call to the host's own model, without thinking and without tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmRequest {
    /// Whose route is used; the host's default selection where it has none.
    pub session: SessionId,
    /// Used in place of the session's route when both are set.
    pub provider: String,
    pub model: String,
    pub system: String,
    pub prompt: String,
    pub max_tokens: u32,
    pub timeout_ms: u32,
}

/// What the model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmReply {
    /// At most 64 KiB.
    pub text: String,
    /// Provider and model that answered.
    pub model: String,
    /// 0 where it was not told.
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// The host's own model.
pub trait Llm {
    /// Makes one call. Ends early, with an error, when the job's signal ends.
    ///
    /// # Errors
    /// `NoRoute` when neither the session nor the host names a model.
    fn generate(&self, request: LlmRequest) -> Answer<'_, Result<LlmReply, LlmError>>;
    /// Returns the route of the host's default selection, `provider/model`, or an empty text.
    fn route(&self) -> Answer<'_, String>;
}

/// The ports of one job. Cloned cheaply into the futures that use them.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    pub clock: &'a dyn Clock,
    pub random: &'a dyn Random,
    pub files: &'a dyn Files,
    pub http: &'a dyn Http,
    pub llm: &'a dyn Llm,
    /// Becomes true when the job's deadline or the host's signal ended it. Looked at before anything is published.
    pub ended: &'a std::cell::Cell<bool>,
}
