//! The memory as a library: sources in, versions out. The rules are in [`crate::decide`]; this holds the ports.

mod add;
mod change;
mod digest;
mod find;
mod log;
mod reconcile;
mod scopes;

use super::Engine;
use crate::decide::Error;
use crate::decide::error::Kind;
use crate::decide::read::{beside, flatten, format};
use crate::decide::settings::Settings;
use crate::error::{FilesError, StoreError};
use crate::memory::procedure::{PLACE_MAX_CHARS, is_plain};
use crate::memory::{MemoryId, Millis, ScopeKey};
use crate::port::Ports;
use crate::store::codec::verified;
use crate::store::{Draft, Store, commit};
use crate::text::day;
use scopes::Scopes;
use serde_json::{Value, json};
use std::cell::RefCell;

/// Milliseconds a commit waits for other processes.
const COMMIT_WAIT_MS: u32 = 10_000;
/// How often a decision is taken again when what it was based on changed. The last time nobody else of this process commits.
const ATTEMPTS_MAX: u32 = 3;
/// Longest name of a scope, in characters.
const SCOPE_MAX_CHARS: usize = 200;

/// A memory used as a library.
pub struct Library {
    engine: Engine,
    settings: Settings,
    scopes: Scopes,
}

impl Library {
    /// Makes a library; nothing is read until [`Library::open`].
    pub fn new(settings: Settings) -> Self {
        let mut engine = Engine::new(&super::Settings::default());
        engine.dir = settings.data_dir.trim_end_matches(['/', '\\']).to_owned();
        let jev = &mut engine.config.jev;
        jev.endpoint.clone_from(&settings.jev_endpoint);
        jev.api_key_env.clone_from(&settings.jev_api_key_env);
        jev.model.clone_from(&settings.jev_model);
        jev.timeout_ms = settings.jev_timeout_ms;
        jev.retries = settings.jev_retries;
        let embedding = &mut engine.config.embedding;
        embedding.endpoint.clone_from(&settings.embedding_endpoint);
        embedding
            .api_key_env
            .clone_from(&settings.embedding_api_key_env);
        embedding.model.clone_from(&settings.embedding_model);
        embedding.dimensions = settings.embedding_dimensions;
        embedding.timeout_ms = settings.embedding_timeout_ms;
        Self {
            engine,
            settings,
            scopes: Scopes::default(),
        }
    }

    /// Reads the folder, and drops recorded results that are too old.
    ///
    /// # Errors
    /// `ForeignFormatError` for a folder that holds something else or a newer version's files: nothing in it is touched.
    /// `StorageError` when it cannot be read.
    pub async fn open(&self, ports: Ports<'_>) -> Result<(), Error> {
        if let Some(what) = foreign(ports, &self.engine.dir).await? {
            return Err(Error::new(
                Kind::Format,
                format!(
                    "`dataDir` holds {what}, which is no memory of this library; nothing was changed"
                ),
            ));
        }
        self.engine.open(ports).await;
        if let Some(problem) = self.engine.inert.borrow().as_ref() {
            let kind = match problem.code.as_str() {
                "newer-version" => Kind::Format,
                _ => Kind::Storage,
            };
            return Err(Error::new(kind, problem.detail.clone()));
        }
        self.expire(ports).await
    }

    /// Drops recorded results that are too old, by a fact.
    async fn expire(&self, ports: Ports<'_>) -> Result<(), Error> {
        let store = self.store()?;
        // Saturating: a time to live past every clock keeps all.
        let ttl_ms = i64::try_from(self.settings.request_outcome_ttl_seconds)
            .unwrap_or(i64::MAX)
            .saturating_mul(1_000);
        let before = Millis(ports.clock.now().0.saturating_sub(ttl_ms));
        let due = store.borrow().state().expired(before);
        if let Some(fact) = due {
            let draft = Draft {
                rows: vec![fact.into()],
                ..Draft::default()
            };
            commit(store, ports, draft, COMMIT_WAIT_MS).await?;
        }
        Ok(())
    }

    /// Does what `verb` says: the verbs are the methods of the library's object.
    ///
    /// # Errors
    /// By verb; `InputError` for an argument of the wrong kind.
    pub async fn call(&self, ports: Ports<'_>, verb: &str, args: &Value) -> Result<Value, Error> {
        match verb {
            "add" => self.add(ports, args).await,
            "get" => self.get(ports, args).await,
            "list" => self.list(ports, args).await,
            "search" => self.search(ports, args).await,
            "update" => self.update(ports, args).await,
            "delete" => self.delete(ports, args).await,
            "deleteBulk" => self.delete_bulk(ports, args).await,
            "digest" => self.digest(ports, args).await,
            "digestDue" => self.digest_due(ports).await,
            "digestProgress" => Ok(self.digest_progress()),
            "vector" => self.vector(ports).await,
            "exportLog" => self.export_log(ports, args).await,
            "importLog" => self.import_log(ports, args).await,
            "flatten" => Ok(flatten(args).into()),
            "format" => Ok(match args {
                Value::Array(items) => format(items),
                result => format(&flatten(result)) + &beside(result),
            }
            .into()),
            _ => Err(Error::input(format!(
                "`{}` is nothing this memory does",
                crate::text::cut(verb, 40)
            ))),
        }
    }

    /// Writes what waits, a checkpoint and the vectors.
    pub async fn close(&self, ports: Ports<'_>) {
        self.engine.close(ports).await;
    }

    /// Returns what a person should know about the folder.
    pub fn health(&self) -> Value {
        json!(self.engine.health().problems)
    }

    fn store(&self) -> Result<&RefCell<Store>, Error> {
        let store = self.engine.store.get();
        store.ok_or_else(|| Error::new(Kind::Storage, "the memory is not open"))
    }

    /// Reads what other processes wrote.
    async fn refresh(&self, ports: Ports<'_>) -> Result<(), Error> {
        Ok(crate::store::refresh(self.store()?, ports).await?)
    }

    /// Returns a name no other request has.
    fn nonce(ports: Ports<'_>) -> String {
        let mut bytes = [0u8; 16];
        ports.random.fill(&mut bytes);
        format!("r-{}", crate::text::digest::short_digest(&bytes))
    }
}

/// Returns what a folder holds when that is something else: files, none of which is ours.
async fn foreign(ports: Ports<'_>, dir: &str) -> Result<Option<String>, Error> {
    let names = match ports.files.list(dir).await {
        Ok(entries) => entries,
        Err(FilesError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(StoreError::from(error).into()),
    };
    let read = async |name: &str| ports.files.read(&format!("{dir}/{name}"), 0).await;
    let ledger = read("ledger.jsonl").await.unwrap_or_default();
    let checkpoint = read("memory.json").await.unwrap_or_default();
    let mut lines = ledger.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let head = checkpoint.get(..checkpoint.len().min(HEAD_BYTES));
    let is_ours = lines.any(|line| verified(line).is_some())
        || String::from_utf8_lossy(head.unwrap_or_default()).contains(MARK);
    // A process that died in its first append left a beginning of a row, or nothing.
    let is_begun = ledger.starts_with(ROW) || ROW.starts_with(&ledger);
    let hidden = |name: &str| {
        name.starts_with('.')
            || name.starts_with("lock")
            || name == "remote.json"
            || (name == "ledger.jsonl" && is_begun)
    };
    let theirs = names.into_iter().find(|entry| !hidden(&entry.name));
    Ok(theirs
        .filter(|_| !is_ours)
        .map(|entry| format!("`{}`", entry.name)))
}

/// How every row of ours begins.
const ROW: &[u8] = br#"{"v":1,"origin":"d-"#;

/// What our checkpoint says of itself, in its first bytes.
const MARK: &str = "\"dsh-jev-memory\"";
const HEAD_BYTES: usize = 4_096;

/// The fields of a call, checked by hand.
struct Args<'a>(&'a Value);

impl Args<'_> {
    /// Refuses an argument that is not known: a misspelt one would be ignored in silence.
    fn only(&self, known: &[&str]) -> Result<(), Error> {
        let Value::Object(map) = self.0 else {
            return Err(Error::input("the arguments are an object"));
        };
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(other) => Err(Error::input(format!(
                "`{}` is no argument; known are {}",
                crate::text::cut(other, 40),
                known.join(", ")
            ))),
            None => Ok(()),
        }
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&str>, Error> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Error::input(format!("`{name}` is a text"))),
        }
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, Error> {
        match self.given(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Error::input(format!("`{name}` is true or false"))),
        }
    }

    fn whole(&self, name: &str, default: usize, max: usize) -> Result<usize, Error> {
        let Some(value) = self.given(name) else {
            return Ok(default);
        };
        let number = value
            .as_f64()
            .filter(|x| x.fract() == 0.0 && *x >= 0.0 && *x <= max as f64);
        number
            .map(|x| x as usize)
            .ok_or_else(|| Error::input(format!("`{name}` is a whole number from 0 to {max}")))
    }

    /// A time: milliseconds since the epoch, or a day, which is its first millisecond of UTC.
    fn time(&self, name: &str) -> Result<Option<Millis>, Error> {
        let Some(value) = self.given(name) else {
            return Ok(None);
        };
        let number = value
            .as_f64()
            .filter(|x| x.abs() <= TIME_MAX_MS)
            .map(|x| x as i64);
        let at = number.or_else(|| value.as_str().and_then(|text| day::parse(text.trim())));
        match at {
            Some(at) => Ok(Some(Millis(at))),
            None => Err(Error::input(format!(
                "`{name}` is milliseconds since the epoch, or a day like 2026-02-15"
            ))),
        }
    }

    fn scope(&self) -> Result<ScopeKey, Error> {
        let scope = self.text("scope")?.unwrap_or("").trim();
        let fits = !scope.is_empty()
            && scope.chars().count() <= SCOPE_MAX_CHARS
            && !scope.contains(char::is_control)
            && !crate::text::secret::contains(scope);
        if fits {
            return Ok(ScopeKey::from(scope));
        }
        Err(Error::input(format!(
            "`scope` is a text of at most {SCOPE_MAX_CHARS} characters that names whose memory it is"
        )))
    }

    /// The name of a place.
    fn place(&self, name: &str) -> Result<Option<String>, Error> {
        let Some(text) = self.text(name)?.map(str::trim) else {
            return Ok(None);
        };
        if is_plain(text, PLACE_MAX_CHARS, "") && !crate::text::secret::contains(text) {
            return Ok(Some(text.to_owned()));
        }
        Err(Error::input(format!(
            "`{name}` is a name of at most {PLACE_MAX_CHARS} characters, on one line"
        )))
    }

    /// A number from 0 to 1.
    fn unit(&self, name: &str, default: f64) -> Result<f64, Error> {
        let number = match self.given(name) {
            None => return Ok(default),
            Some(value) => value.as_f64().filter(|x| (0.0..=1.0).contains(x)),
        };
        number.ok_or_else(|| Error::input(format!("`{name}` is a number from 0 to 1")))
    }

    fn id(&self) -> Result<MemoryId, Error> {
        let id = self.text("id")?.unwrap_or("").trim();
        if id.is_empty() {
            return Err(Error::input("`id` names a memory"));
        }
        Ok(MemoryId::from(id))
    }
}

/// The range of JavaScript's dates.
const TIME_MAX_MS: f64 = 8.64e15;
