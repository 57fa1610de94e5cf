//! The only code that holds ports: it calls the stages in order and publishes what they decided.
//!
//! State changes only after an append returned; no borrow lives across an await.

mod asker;
mod attach;
mod budget;
mod catalogue;
mod command;
mod devices;
mod digest;
mod embed;
mod extraction;
mod forget;
mod jev;
mod judge;
mod known;
mod learn;
mod library;
mod model;
mod normalise;
mod open;
mod question;
mod recall;
mod relate;
mod relations;
mod scope;
mod search;
mod sentence;
mod tend;
mod together;
mod write;

pub use command::{Reply, Typed};
pub use forget::Forget;
pub use learn::{Learned, LearnedMemory};
pub use library::Library;
pub use question::{Answered, Question, When};
pub use search::Search;
pub use write::Write;

use crate::config::{Config, ConfigNotice, JudgeChoice};
use crate::judge::Usage;
use crate::memory::{EventSeq, JudgeName, MemoryId, ScopeKey, SessionId};
use crate::store::entry::Observation;
use crate::store::{self, Store};
use crate::text::sorted::{Map, Set};
use crate::turn::{Human, Session};
use catalogue::Catalogue;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, OnceCell, RefCell};

/// Sessions whose block is remembered; the one least recently used is dropped past it and starts a fresh block.
const SESSIONS_MAX: usize = 256;
/// Problems kept for `health`.
const PROBLEMS_MAX: usize = 32;

/// How the core is set up.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The row's `config`, as the host gave it.
    #[serde(default)]
    pub config: serde_json::Value,
    /// Used when `config.dataDir` is empty.
    #[serde(default)]
    pub default_data_dir: String,
    #[serde(default)]
    pub host_version: String,
}

/// Something a person should know, with a stable code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub code: String,
    pub detail: String,
}

/// Where a tool was called, and what the session's human said.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    pub session: Session,
    pub turn: u32,
    pub seq: EventSeq,
    /// All of the session's for `write`, this turn's for `forget`.
    #[serde(default)]
    pub humans: Vec<Human>,
}

/// A tool's refusal: a value with a reason, and what to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    pub reason: String,
    /// One sentence: why, and what to do instead.
    pub message: String,
    /// The nearest thing there is, where that helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

impl Refused {
    fn new(reason: &str, message: impl Into<String>) -> Self {
        Self {
            reason: reason.to_owned(),
            message: message.into(),
            nearest: Vec::new(),
        }
    }
}

/// What `health` tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Whether sentences are captured.
    pub capture: bool,
    /// What is wrong: empty when all is well.
    pub problems: Vec<Problem>,
    /// Why nothing works, for a note beside the data; empty while it works, and where nothing may be written.
    pub inert: String,
    /// The judges in their order; `auto` is told as the one that answers.
    pub judge: String,
    /// Where Jev's key was last found: `service:<source>`, `file`, `config`, `env` or `none`; empty before the first look.
    pub key: String,
    pub jev_ready: bool,
    /// `off`, `none` without a model, or the route that restates.
    pub normalize: String,
    /// What each judge that reads cost in this process: `{ jev: { requests, inputTokens, outputTokens } }`.
    pub usage: serde_json::Value,
    pub memories: usize,
    pub data_dir: String,
    pub version: String,
    pub tokeniser: String,
    pub register_tools: bool,
    pub write_timeout_ms: u32,
}

/// What is known of a live session.
#[derive(Debug, Clone)]
struct Attached {
    child: bool,
    scope: ScopeKey,
    /// The scope it would have without a remote.
    path_scope: ScopeKey,
    /// Events from here on are unread, where the ledger does not know better.
    read_from: EventSeq,
    /// Events before this were read, whatever the ledger says now: somebody may remove it while this process runs.
    read_to: EventSeq,
    /// The turn and text of the human's newest message.
    query: Option<(u32, String)>,
    /// Memories shown, in the order first shown.
    shown: Vec<MemoryId>,
    /// One-line notices this session was given; they stay, so that the block's bytes do.
    notices: Vec<String>,
    block: Option<recall::Cached>,
    suppressed: bool,
    /// What the host gave the model of hand-written instructions.
    instructions: std::rc::Rc<relate::Instructions>,
    /// Grows with each use; the smallest is dropped first.
    used: u64,
}

/// Holds settings, state and sessions of one host process.
pub struct Engine {
    config: Config,
    config_notices: Vec<ConfigNotice>,
    inactive: Vec<String>,
    dir: String,
    host_version: String,
    /// Set once by [`Engine::open`]; empty while nothing could be opened.
    store: OnceCell<RefCell<Store>>,
    /// Why nothing is captured or recalled, when that is so.
    inert: RefCell<Option<Problem>>,
    catalogue: RefCell<Catalogue>,
    sessions: RefCell<Map<SessionId, Attached>>,
    problems: RefCell<Vec<Problem>>,
    /// One-line notices for the next block.
    pending_notices: RefCell<Vec<String>>,
    /// Observations on their way to the store's queue: recall makes them while it reads the state.
    queued: RefCell<Vec<Observation>>,
    uses: RefCell<u64>,
    /// The card that stands before a human.
    open_card: RefCell<Option<question::OpenCard>>,
    /// What this engine is called in the ledger while it shows a card; empty before the first.
    asker: RefCell<String>,
    /// Memories as the detector of contradictions reads them, for the turn at hand.
    readings: RefCell<relate::Readings>,
    /// Vectors, where what is known is ordered by meaning.
    embeddings: RefCell<embed::Embeddings>,
    /// Questions for which a session had nobody to ask.
    unaskable: RefCell<Set<(SessionId, MemoryId)>>,
    /// How many of the store's notices were passed on.
    told: Cell<usize>,
    /// Whether the `start` row was said.
    started: Cell<bool>,
    /// Whether a block said that nothing can be written.
    write_failed: Cell<bool>,
    /// Where Jev's key was last found; empty before the first look.
    key_path: RefCell<String>,
    /// The route that restates, as the `start` row has it; empty before the first look.
    normalize_route: RefCell<String>,
    /// The version of Jev that answered last.
    jev_model: RefCell<Option<String>>,
    lanes: jev::Lanes,
    /// Memories whose restatement was tried, kept or dropped.
    tried: RefCell<Set<MemoryId>>,
    tried_is_read: Cell<bool>,
    normalising: Cell<bool>,
    usage: RefCell<Map<JudgeName, Usage>>,
    digests: digest::Digests,
}

/// Observations that wait at most; past it the oldest are dropped and counted.
const QUEUED_MAX: usize = 1_000;

impl Engine {
    /// Makes an engine; nothing is read until [`Engine::open`].
    pub fn new(settings: &Settings) -> Self {
        let read = Config::validate(&settings.config);
        let dir = if read.config.data_dir.is_empty() {
            settings.default_data_dir.clone()
        } else {
            read.config.data_dir.clone()
        };
        Self {
            config: read.config,
            config_notices: read.notices,
            inactive: read.inactive,
            dir: dir.trim_end_matches(['/', '\\']).to_owned(),
            host_version: settings.host_version.clone(),
            store: OnceCell::new(),
            inert: RefCell::new(None),
            catalogue: RefCell::default(),
            sessions: RefCell::default(),
            problems: RefCell::default(),
            pending_notices: RefCell::default(),
            queued: RefCell::default(),
            uses: RefCell::new(0),
            open_card: RefCell::default(),
            asker: RefCell::default(),
            readings: RefCell::default(),
            unaskable: RefCell::default(),
            embeddings: RefCell::default(),
            told: Cell::new(0),
            started: Cell::new(false),
            write_failed: Cell::new(false),
            key_path: RefCell::default(),
            normalize_route: RefCell::default(),
            jev_model: RefCell::default(),
            lanes: jev::Lanes::default(),
            tried: RefCell::default(),
            tried_is_read: Cell::new(false),
            normalising: Cell::new(false),
            usage: RefCell::default(),
            digests: digest::Digests::default(),
        }
    }

    /// Returns the settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns what a person should know about this process's memory.
    pub fn health(&self) -> Health {
        let mut problems: Vec<Problem> = self.inert.borrow().iter().cloned().collect();
        problems.extend(self.problems.borrow().iter().cloned());
        Health {
            capture: self.captures(),
            problems,
            inert: match self.inert.borrow().as_ref() {
                Some(problem) if problem.code != "newer-version" => problem.detail.clone(),
                _ => String::new(),
            },
            judge: self.judge_name(),
            key: self.key_path.borrow().clone(),
            jev_ready: self.jev_is_ready(),
            normalize: self.normalize_route.borrow().clone(),
            usage: self.usage(),
            memories: self
                .store
                .get()
                .map_or(0, |store| store.borrow().state().memories().len()),
            data_dir: self.dir.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tokeniser: crate::text::token::TOKENISER_VERSION.to_owned(),
            register_tools: self.config.register_tools,
            write_timeout_ms: self.config.write_timeout_ms,
        }
    }

    /// Queues a `degraded` row from the shim.
    pub fn note(&self, cause: &str, detail: &str) {
        self.problem(cause, detail);
        self.observe(Observation::Degraded {
            cause: cut(cause, 60),
            count: None,
            detail: cut(detail, 400),
        });
    }

    /// Notes that a preset turned runtime context off for a session; said once.
    pub fn suppressed(&self, session: &SessionId) {
        let mut sessions = self.sessions.borrow_mut();
        let Some(attached) = sessions.get_mut(session) else {
            return;
        };
        if !std::mem::replace(&mut attached.suppressed, true) {
            drop(sessions);
            self.observe(Observation::ContextSuppressed {
                session_id: session.clone(),
            });
        }
    }

    /// Returns the first event of a session that was not read.
    pub fn read_position(&self, session: &SessionId) -> EventSeq {
        let known = self.store.get().and_then(|store| {
            let store = store.borrow();
            store
                .state()
                .reading(session)
                .map(|reading| reading.read_to)
        });
        let mut sessions = self.sessions.borrow_mut();
        let Some(attached) = sessions.get_mut(session) else {
            return known.unwrap_or_default();
        };
        if let Some(known) = known {
            attached.read_to = attached.read_to.max(known);
        }
        known.unwrap_or(attached.read_from).max(attached.read_to)
    }

    fn captures(&self) -> bool {
        self.inert.borrow().is_none() && !self.judge_is_off()
    }

    fn judge_is_off(&self) -> bool {
        self.config.judge.first() == Some(&JudgeChoice::Off)
    }

    /// Whether Jev is asked for and its key was found at the last look.
    fn jev_is_ready(&self) -> bool {
        let wanted = [JudgeChoice::Auto, JudgeChoice::Jev];
        let asked = self.config.judge.iter().any(|judge| wanted.contains(judge));
        asked && !matches!(self.key_path.borrow().as_str(), "" | "none")
    }

    /// The judges in their order, `auto` as what it is now.
    fn judge_name(&self) -> String {
        if self.judge_is_off() {
            return "off".to_owned();
        }
        let named = |judge: &JudgeChoice| match judge {
            JudgeChoice::Jev => "jev",
            JudgeChoice::Host => "host",
            JudgeChoice::Auto if self.jev_is_ready() => "jev",
            JudgeChoice::Auto | JudgeChoice::Heuristic => "heuristic",
            JudgeChoice::Off => "off",
        };
        let names: Vec<&str> = self.config.judge.iter().map(named).collect();
        names.join(",")
    }

    fn no_key(&self) -> String {
        format!(
            "no key is known as {}; the offline judge answers",
            self.config.jev.api_key_env
        )
    }

    fn problem(&self, code: &str, detail: &str) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < PROBLEMS_MAX
            && !problems
                .iter()
                .any(|known| known.code == code && known.detail == detail)
        {
            problems.push(Problem {
                code: cut(code, 60),
                detail: cut(detail, 400),
            });
        }
    }

    fn observe(&self, row: Observation) {
        let mut queued = self.queued.borrow_mut();
        if queued.len() < QUEUED_MAX {
            queued.push(row);
        }
    }

    /// Hands what was observed to the store, whose next commit writes it. Call with nothing borrowed.
    fn hand_over(&self) {
        if let Some(store) = self.store.get() {
            let rows = std::mem::take(&mut *self.queued.borrow_mut());
            store::observe(&mut store.borrow_mut(), rows);
        }
    }

    fn next_use(&self) -> u64 {
        let mut uses = self.uses.borrow_mut();
        *uses += 1;
        *uses
    }

    /// Returns the scope a session reads and writes, once attached.
    fn scope_of(&self, session: &SessionId) -> Option<ScopeKey> {
        self.sessions
            .borrow()
            .get(session)
            .map(|attached| attached.scope.clone())
    }
}

/// Cuts at a grapheme so that at most `chars_max` characters stay.
fn cut(text: &str, chars_max: usize) -> String {
    crate::text::cut(text, chars_max).to_owned()
}
