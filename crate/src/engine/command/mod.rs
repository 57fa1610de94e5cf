//! The verbs of `/memory` and of the command line: one entry for both, so that they print the very same.
//!
//! What is said and decided here is all of it; the programs around it only pass words in and text out.

mod care;
mod carry;
mod devices;
mod digest;
mod list;
mod review;

use super::Engine;
use crate::account::name::{Named, named};
use crate::account::phrase::command as say;
use crate::account::receipt::Receipt;
use crate::account::refused::Refused;
use crate::account::stats::{self, Stats};
use crate::account::{Language, Page, Times, health, one_line};
use crate::error::{Error, StoreError};
use crate::memory::{EventSeq, Memory, MemoryId, Millis, ScopeKey};
use crate::port::Ports;
use crate::store::forget::Request as Forgetting;
use crate::store::{self, State, Store};
use crate::text::digest::fold;
use crate::turn::{Position, Session};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// What was typed, where, and what else the program around it knows.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Typed {
    pub verb: String,
    /// Everything after the verb that is no option.
    pub words: String,
    /// Options by their long names in camelCase: flags are true, values texts.
    pub options: Value,
    /// The session it was typed in; absent on a command line.
    pub session: Option<Session>,
    pub turn: u32,
    pub seq: EventSeq,
    /// What the human said last, for the language.
    pub said: String,
    /// Such as `zh_CN.UTF-8`.
    pub locale: String,
    /// The folder a command line stands in.
    pub cwd: String,
    /// What the `doctor` is told of the system.
    pub facts: Value,
}

/// What a command came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reply {
    pub ok: bool,
    /// `done`, or why not: kebab-case, stable.
    pub code: String,
    /// For a person.
    pub text: String,
    /// The same as data.
    pub data: Value,
    /// How a command line ends: 0 done, 1 found nothing or something wrong, 2 not understood, 3 memory cannot be used.
    pub exit: u8,
    /// Whether questions wait that a card could ask now.
    pub ask: bool,
    /// What stands beside a text that is a file's content; empty otherwise.
    pub note: String,
}

/// How a command ended, beside what its page says.
struct Ending {
    code: &'static str,
    exit: u8,
}

const DONE: Ending = Ending {
    code: "done",
    exit: 0,
};

/// How a command ends whose question has no answer.
const fn found_nothing(code: &'static str) -> Ending {
    Ending { code, exit: 1 }
}

/// How a command ends that was not understood.
const fn misunderstood(code: &'static str) -> Ending {
    Ending { code, exit: 2 }
}

/// How a command ends that memory could not carry out.
const fn unusable(code: &'static str) -> Ending {
    Ending { code, exit: 3 }
}

/// Verbs that only a command line has, with what each needs and an example.
const SHELL_VERBS: [&str; 4] = ["doctor", "export", "import", "sweep"];

/// Milliseconds that a command waits for the lock.
const WAIT_MS: u32 = 5_000;

/// Results a search is measured by, and looked at most.
const K_DEFAULT: usize = 5;
const K_MAX: usize = 50;

impl Typed {
    /// Returns whether an option is set, or stands among the words of a verb that takes it so.
    fn has(&self, option: &str) -> bool {
        self.options
            .get(option)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).and_then(Value::as_str)
    }

    fn is_shell(&self) -> bool {
        self.session.is_none()
    }
}

impl Engine {
    /// Carries out one command. Never fails: what went wrong is the reply.
    pub async fn command(&self, ports: Ports<'_>, typed: &Typed) -> Reply {
        let offset_minutes = |at: Millis| ports.clock.offset_minutes(at);
        let times = Times {
            offset_minutes: &offset_minutes,
        };
        let language = Language::of(&typed.words, &typed.said, &typed.locale);
        let mut page = Page::new(language, &times);
        let mut reply = Reply::default();
        let ending = self.carry_out(ports, typed, &mut page, &mut reply).await;
        reply.ok = ending.exit == 0;
        reply.code = ending.code.to_owned();
        reply.exit = ending.exit;
        if reply.text.is_empty() {
            reply.text = page.text;
        }
        reply.data = Value::Object(page.data);
        reply
    }

    async fn carry_out(
        &self,
        ports: Ports<'_>,
        typed: &Typed,
        page: &mut Page<'_>,
        reply: &mut Reply,
    ) -> Ending {
        let verb = typed.verb.trim().to_ascii_lowercase();
        match verb.as_str() {
            "" | "help" => {
                let line = self.health_line(ports, !typed.is_shell(), page).await;
                page.line(&line);
                page.say(&say::USAGE, &[]);
                return DONE;
            }
            "health" => return self.tell_health(ports, typed, page).await,
            shell if SHELL_VERBS.contains(&shell) && !typed.is_shell() => {
                let usage = page.words(&say::USAGE, &[]);
                page.say(&say::SHELL_ONLY, &[shell, &usage]);
                return misunderstood("command-line-only");
            }
            "doctor" => return self.doctor(ports, typed, page).await,
            _ => {}
        }
        const VERBS: [&str; 14] = [
            "list", "show", "why-not", "review", "undo", "forget", "stats", "digest", "export",
            "import", "sweep", "sync", "devices", "scope",
        ];
        if !VERBS.contains(&verb.as_str()) {
            let usage = page.words(&say::USAGE, &[]);
            page.say(&say::UNKNOWN, &[&one_line(&verb), &usage]);
            return misunderstood("unknown-command");
        }
        let example = match verb.as_str() {
            "show" => Some("show m-5m51"),
            "forget" => Some("forget m-5m51"),
            "undo" => Some("undo m-5m51"),
            _ => None,
        };
        if let Some(example) = example.filter(|_| typed.words.trim().is_empty()) {
            let needed = page.words(&say::AN_ID, &[]);
            page.say(&say::NEEDS, &[&verb, &needed, example]);
            return misunderstood("bad-arguments");
        }
        let (store, home) = match self.ready(ports, typed).await {
            Ok(ready) => ready,
            Err((code, detail)) => {
                let advice = health::advice(&code)
                    .map(|phrase| page.words(phrase, &[]))
                    .unwrap_or_default();
                page.say(&say::OFF, &[&detail, &advice]);
                page.set("problem", json!({ "code": code, "detail": detail }));
                return unusable("off");
            }
        };
        match verb.as_str() {
            "list" => self.list(store, typed, &home, page),
            "show" => self.show(ports, store, typed, &home, page).await,
            "why-not" => self.why_not(ports, store, typed, page).await,
            "review" => self.review(ports, store, typed, (&home, page), reply).await,
            "forget" => {
                self.forget_by_command(ports, store, typed, &home, page)
                    .await
            }
            "undo" => {
                let found = find(store.borrow().state(), &home, &typed.words, page, false);
                match found {
                    Err(ending) => ending,
                    Ok(id) => match self.undo(ports, store, &id, WAIT_MS).await {
                        Ok(Some(stands)) => {
                            page.say(&say::UNDONE, &[stands.as_str()]);
                            page.set("stands", json!(stands));
                            DONE
                        }
                        Ok(None) => {
                            page.say(&say::NOT_JUDGED, &[id.as_str()]);
                            found_nothing("not-judged")
                        }
                        Err(error) => failed(&error, page),
                    },
                }
            }
            "stats" => self.stats(ports, store, typed, &home, page).await,
            "digest" => {
                self.digest_by_command(ports, store, typed, &home, page)
                    .await
            }
            "export" if typed.has("log") => {
                self.export_log_command(ports, store, typed, (page, reply))
                    .await
            }
            "sync" => self.sync(ports, store, typed, page).await,
            "devices" => self.devices(ports, store, page).await,
            "scope" => self.scopes(ports, store, (typed, &home), page).await,
            "export" => self.export(ports, store, typed, (&home, page), reply),
            "import" => self.import(ports, store, typed, &home, page).await,
            _ => self.sweep(ports, store, typed, page).await,
        }
    }

    /// Returns the store, up to date, and the scope a command is about; or why memory is off.
    async fn ready(
        &self,
        ports: Ports<'_>,
        typed: &Typed,
    ) -> Result<(&RefCell<Store>, ScopeKey), (String, String)> {
        let inert = self.inert.borrow().clone();
        if let Some(problem) = inert {
            return Err((problem.code, problem.detail));
        }
        let store = self
            .open_store()
            .map_err(|refused| (refused.reason, refused.message))?;
        self.refresh(ports).await;
        let home = match &typed.session {
            Some(session) => {
                self.attach(ports, session, typed.seq, typed.seq, None)
                    .await
            }
            None => super::scope::find(ports, &typed.cwd).await.scope,
        };
        let home = store.borrow().state().scope_of(&home).clone();
        Ok((store, home))
    }

    async fn show(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        home: &ScopeKey,
        page: &mut Page<'_>,
    ) -> Ending {
        let found = find(store.borrow().state(), home, &typed.words, page, true);
        let id = match found {
            Ok(id) => id,
            Err(ending) => return ending,
        };
        let mut receipt = Receipt::of(&id);
        let mut each = |segment: &str, row, line: &[u8]| receipt.add(segment, &row, line);
        if let Err(error) = store::walk(store, ports, &mut each).await {
            return failed(&error, page);
        }
        let store = store.borrow();
        let state = store.state();
        if let Some(memory) = state.memory(&id) {
            receipt.tell(memory, page);
            digest::tell_evidence(state, memory, page);
        } else if let Some(tombstone) = state.tombstone(&id) {
            receipt.tell_forgotten(tombstone, page);
        }
        DONE
    }

    async fn why_not(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        page: &mut Page<'_>,
    ) -> Ending {
        let mut refused = Refused::about(&typed.words);
        let mut each = |_: &str, row, _: &[u8]| refused.add(&row);
        if let Err(error) = store::walk(store, ports, &mut each).await {
            return failed(&error, page);
        }
        let is_empty = refused.is_empty();
        refused.tell(store.borrow().state(), page);
        if is_empty {
            found_nothing("not-found")
        } else {
            DONE
        }
    }

    async fn forget_by_command(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        home: &ScopeKey,
        page: &mut Page<'_>,
    ) -> Ending {
        let found = find(store.borrow().state(), home, &typed.words, page, true);
        let id = match found {
            Ok(id) => id,
            Err(ending) => return ending,
        };
        if let Some(tombstone) = store.borrow().state().tombstone(&id) {
            let at = page.times.minute(tombstone.at);
            page.say(&say::ALREADY_FORGOTTEN, &[id.as_str(), &at]);
            return DONE;
        }
        let asked = typed.session.as_ref().map(|session| Position {
            session_id: session.id.clone(),
            turn: typed.turn,
            seq: typed.seq,
        });
        let request = Forgetting {
            ids: vec![id.clone()],
            by: "command".to_owned(),
            asked,
        };
        self.hand_over();
        match store::forget(store, ports, request, WAIT_MS).await {
            Ok(receipt) => {
                let mut places: Vec<String> = receipt
                    .blanked
                    .iter()
                    .map(|(name, n)| format!("{name} ({n})"))
                    .collect();
                if places.is_empty() {
                    places.push(page.words(&say::NO_FILE, &[]));
                }
                page.say(&say::FORGOTTEN, &[id.as_str(), &places.join(", ")]);
                page.say(&say::NOT_REACHED, &[]);
                if receipt.not_reached.len() > 2 {
                    page.say(&crate::account::phrase::devices::NOT_YET, &[]);
                }
                page.set(
                    "forgotten",
                    serde_json::to_vec(&receipt)
                        .ok()
                        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
                        .unwrap_or(Value::Null),
                );
                DONE
            }
            Err(error) => failed(&error, page),
        }
    }

    async fn stats(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        home: &ScopeKey,
        page: &mut Page<'_>,
    ) -> Ending {
        let labels = match typed.option("queries").map(stats::labelled) {
            None => None,
            Some(Ok(labels)) => Some(labels),
            Some(Err(line)) => {
                page.say(&say::BAD_LABELS, &[&line.to_string()]);
                return misunderstood("bad-queries");
            }
        };
        let mut figures = Stats::default();
        let mut each = |_: &str, row, _: &[u8]| figures.add(&row);
        if let Err(error) = store::walk(store, ports, &mut each).await {
            return failed(&error, page);
        }
        figures.tell(page);
        if let Some(labels) = labels {
            let k = typed
                .option("k")
                .and_then(|k| k.parse().ok())
                .unwrap_or(K_DEFAULT)
                .clamp(1, K_MAX);
            let now = ports.clock.now();
            let store = store.borrow();
            let mut catalogue = self.catalogue.borrow_mut();
            catalogue.sync(&store);
            let is_wanted = |memory: &Memory| {
                (typed.has("all") || memory.scope == *home || memory.scope.is_global())
                    && list::stands(memory)
                    && memory.holds_at(now)
            };
            let mut ranked = |query: &str| {
                let hits = catalogue.search(store.state(), query, k, is_wanted);
                hits.into_iter()
                    .map(|(memory, _)| memory.id.clone())
                    .collect()
            };
            stats::retrieval(&labels, k, &mut ranked, page);
        }
        DONE
    }
}

/// Finds the one memory that `given` names, or says what it could be.
fn find(
    state: &State,
    home: &ScopeKey,
    given: &str,
    page: &mut Page<'_>,
    with_forgotten: bool,
) -> Result<MemoryId, Ending> {
    let is_dead = |id: &MemoryId| with_forgotten && state.tombstone(id).is_some();
    // As it is printed, whatever its form: another device or a hand may have made it.
    let exact = MemoryId::from(given.trim());
    if state.memory(&exact).is_some() {
        return Ok(exact);
    }
    let mut ids: Vec<MemoryId> = match named(given) {
        Named::Ids(ids) => ids
            .into_iter()
            .filter(|id| state.memory(id).is_some() || is_dead(id))
            .collect(),
        Named::Beginning(beginning) => {
            let known = state.memories().map(|memory| &memory.id);
            let dead = state
                .tombstones()
                .filter(|_| with_forgotten)
                .map(|tombstone| &tombstone.id);
            let begins = |id: &&MemoryId| id.as_str().starts_with(&beginning);
            known
                .filter(begins)
                .chain(dead.filter(begins))
                .cloned()
                .collect()
        }
        Named::Words(_) => Vec::new(),
    };
    if ids.is_empty() {
        let wanted =
            fold(given.trim_matches(|c: char| c.is_whitespace() || "\"'“”「」`".contains(c)));
        let says_it =
            |memory: &Memory| fold(&memory.text) == wanted || fold(&memory.source.quote) == wanted;
        let here = state
            .memories()
            .filter(|memory| memory.scope == *home || memory.scope.is_global());
        ids = here
            .filter(|memory| says_it(memory))
            .map(|memory| memory.id.clone())
            .collect();
    }
    ids.dedup();
    match ids.as_slice() {
        [id] => Ok(id.clone()),
        [] => {
            page.say(&say::NOT_FOUND, &[&one_line(given.trim())]);
            Err(found_nothing("not-found"))
        }
        several => {
            page.say(&say::AMBIGUOUS, &[&one_line(given.trim())]);
            for id in several.iter().take(list::NAMED_MAX) {
                let line = match state.memory(id) {
                    Some(memory) => page.memory(memory),
                    None => id.to_string(),
                };
                page.line(&format!("- {line}"));
            }
            let ids: Vec<&str> = several
                .iter()
                .take(list::NAMED_MAX)
                .map(MemoryId::as_str)
                .collect();
            page.set("candidates", json!(ids));
            Err(found_nothing("ambiguous"))
        }
    }
}

/// Says that the store could not do it.
fn failed(error: &StoreError, page: &mut Page<'_>) -> Ending {
    let code = Error::from(error.clone()).code();
    let advice = health::advice(code).unwrap_or(&say::TRY_AGAIN);
    let advice = page.words(advice, &[]);
    page.say(&say::NOTHING_DONE, &[&error.to_string(), &advice]);
    page.set(
        "problem",
        json!({ "code": code, "detail": error.to_string() }),
    );
    unusable(code)
}

/// Returns the statements of a scope and of `global`, or of all scopes; sources, which state nothing, are left out.
fn within<'a>(
    state: &'a State,
    home: &'a ScopeKey,
    all: bool,
) -> impl Iterator<Item = &'a Rc<Memory>> {
    let is_here =
        move |memory: &&Rc<Memory>| all || memory.scope == *home || memory.scope.is_global();
    state
        .memories()
        .filter(|memory| memory.is_statement())
        .filter(is_here)
}
