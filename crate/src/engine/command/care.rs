//! `health` and `doctor`: whether memory works, and what to do where it does not.

use super::{DONE, Ending, Typed, found_nothing, unusable};
use crate::account::doctor::{Findings, Grade};
use crate::account::health::{self, Facts};
use crate::account::phrase::{doctor as say, health as told};
use crate::account::{Page, size};
use crate::config::JudgeChoice;
use crate::engine::Engine;
use crate::error::FilesError;
use crate::memory::{Millis, Status};
use crate::port::{FileEntry, Liveness, Owner, Ports};
use crate::store;
use crate::store::entry::{Body, LEDGER_VERSION, Observation, Row};
use serde_json::{Value, json};

/// The host this version was tested with; `docs/decisions.md` says how.
const TESTED_HOST: &str = "0.1.0-rc.8";
/// Bytes at the end of the ledger that are searched for the last failure: some thousand rows.
const TAIL_BYTES: u64 = 256 * 1024;
/// Milliseconds that a look for a key may take.
const KEY_WAIT_MS: u32 = 500;

/// What the end of the ledger says of the folder's recent past.
#[derive(Default)]
struct Tail {
    /// When, and its code.
    last_failure: Option<(Millis, String)>,
    start: Option<Observation>,
}

impl Tail {
    fn add(&mut self, row: Row) {
        match row.body {
            Body::Observation(Observation::Degraded { cause, .. }) => {
                self.last_failure = Some((row.at, cause));
            }
            Body::Observation(start @ Observation::Start { .. }) => self.start = Some(start),
            _ => {}
        }
    }
}

impl Engine {
    /// Returns the one line that says whether memory works.
    ///
    /// `is_host` says whether this process is a host's own; another one tells how the newest host was set up.
    pub(in crate::engine) async fn health_line(
        &self,
        ports: Ports<'_>,
        is_host: bool,
        page: &Page<'_>,
    ) -> String {
        let mut facts = self.facts(ports).await;
        let tail = self.tail(ports).await;
        facts.last_failure = tail.last_failure;
        if !is_host {
            facts.judge.clear();
            if let Some(Observation::Start {
                judge,
                key,
                capture,
                host,
                ..
            }) = tail.start
            {
                facts.judge = judge;
                facts.key = key;
                facts.host = host;
                if facts.capture && !capture {
                    facts.capture = false;
                    facts.why_not = page.words(&told::JUDGE_OFF, &[]);
                }
            }
        }
        health::line(&facts, page)
    }

    /// Returns what this process knows of its own memory.
    pub(in crate::engine) async fn facts(&self, ports: Ports<'_>) -> Facts {
        let entries = ports.files.list(&self.dir).await.unwrap_or_default();
        let why_not = match self.inert.borrow().as_ref() {
            Some(problem) => problem.detail.clone(),
            None if self.judge_is_off() => "`judge: off`".to_owned(),
            None => String::new(),
        };
        let mut facts = Facts {
            capture: self.captures(),
            why_not,
            judge: self.judge_name(),
            key: self.key_path.borrow().clone(),
            key_name: self.config.jev.api_key_env.clone(),
            wants_key: self
                .config
                .judge
                .iter()
                .any(|judge| matches!(judge, JudgeChoice::Auto | JudgeChoice::Jev)),
            size_bytes: bytes_of(&entries),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ledger_version: LEDGER_VERSION,
            tokeniser: crate::text::token::TOKENISER_VERSION.to_owned(),
            host: self.host_version.clone(),
            ..Facts::default()
        };
        if let Some(store) = self.store.get() {
            let store = store.borrow();
            for memory in store.state().memories() {
                facts.n_memories += usize::from(super::list::stands(memory));
                facts.n_pending += usize::from(memory.status == Status::NeedsReview);
                facts.last_write = facts.last_write.max(Some(memory.updated_at));
            }
        }
        facts
    }

    /// Reads the end of the newest segment. What cannot be read tells nothing.
    async fn tail(&self, ports: Ports<'_>) -> Tail {
        let mut tail = Tail::default();
        let Some(store) = self.store.get() else {
            return tail;
        };
        let from = store.borrow().ledger_bytes().saturating_sub(TAIL_BYTES);
        let rows = store::tail(store, ports, from).await.unwrap_or_default();
        rows.into_iter().for_each(|row| tail.add(row));
        tail
    }

    pub(super) async fn tell_health(
        &self,
        ports: Ports<'_>,
        typed: &Typed,
        page: &mut Page<'_>,
    ) -> Ending {
        if !typed.is_shell() {
            self.say_start(ports).await;
        }
        if self.inert.borrow().is_none() {
            self.refresh(ports).await;
        }
        let line = self.health_line(ports, !typed.is_shell(), page).await;
        page.line(&line);
        page.say(&told::FOLDER, &[&self.dir]);
        let health = self.health();
        for problem in &health.problems {
            page.item(&told::PROBLEM, &[&problem.code, &problem.detail]);
            if let Some(advice) = health::advice(&problem.code) {
                let advice = page.words(advice, &[]);
                page.line(&format!("  → {advice}"));
            }
        }
        let is_inert = self.inert.borrow().is_some();
        let problems: Vec<Value> = health
            .problems
            .iter()
            .map(|problem| json!({ "code": problem.code, "detail": problem.detail }))
            .collect();
        page.set("line", line.into());
        page.set("capture", health.capture.into());
        page.set("dataDir", self.dir.as_str().into());
        page.set("problems", Value::Array(problems));
        if is_inert { unusable("off") } else { DONE }
    }

    pub(super) async fn doctor(
        &self,
        ports: Ports<'_>,
        typed: &Typed,
        page: &mut Page<'_>,
    ) -> Ending {
        let line = self.health_line(ports, !typed.is_shell(), page).await;
        page.line(&line);
        page.gap();
        let mut findings = Findings::default();
        let is_there = self.examine_folder(ports, &mut findings, page).await;
        for problem in &self.health().problems {
            findings.noticed(&problem.code, &problem.detail, page);
        }
        if is_there {
            self.examine_modes(typed, &mut findings, page);
            self.examine_lock(ports, &mut findings, page).await;
            self.examine_ledger(ports, &mut findings, page).await;
        }
        self.examine_host(ports, typed, &mut findings, page).await;
        findings.tell(page);
        page.set("line", line.into());
        page.set("dataDir", self.dir.as_str().into());
        if self.inert.borrow().is_some() {
            unusable("off")
        } else if findings.is_bad() {
            found_nothing("to-mend")
        } else {
            DONE
        }
    }

    async fn examine_folder(
        &self,
        ports: Ports<'_>,
        findings: &mut Findings,
        page: &Page<'_>,
    ) -> bool {
        let dir = self.dir.as_str();
        match ports.files.list(dir).await {
            Ok(entries) => {
                let n = entries
                    .iter()
                    .filter(|entry| !entry.is_folder)
                    .count()
                    .to_string();
                let bytes = size(bytes_of(&entries));
                findings.add(
                    Grade::Good,
                    "folder",
                    (&say::FOLDER, &[dir, &n, &bytes]),
                    None,
                    page,
                );
                true
            }
            Err(FilesError::NotFound { .. }) => {
                findings.add(
                    Grade::Note,
                    "no-folder",
                    (&say::NO_FOLDER, &[dir]),
                    Some(&say::NO_FOLDER_ADVICE),
                    page,
                );
                false
            }
            // The engine's own problem says the rest.
            Err(_) => false,
        }
    }

    fn examine_modes(&self, typed: &Typed, findings: &mut Findings, page: &Page<'_>) {
        let modes = typed
            .facts
            .get("modes")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let before = findings.0.len();
        for file in modes {
            let path = file.get("path").and_then(Value::as_str).unwrap_or("");
            let is_folder = file.get("folder").and_then(Value::as_bool).unwrap_or(false);
            if let Some(mode) = file.get("mode").and_then(Value::as_u64) {
                findings.mode(path, is_folder, mode as u32 & 0o7777, page);
            }
        }
        if findings.0.len() == before && !modes.is_empty() {
            findings.add(Grade::Good, "modes", (&say::MODES_GOOD, &[]), None, page);
        }
    }

    async fn examine_lock(&self, ports: Ports<'_>, findings: &mut Findings, page: &Page<'_>) {
        let path = format!("{}/lock", self.dir);
        let Ok(bytes) = ports.files.read(&path, 0).await else {
            findings.add(Grade::Good, "lock", (&say::LOCK_FREE, &[]), None, page);
            return;
        };
        let claim: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let owner = claim.get("owner").cloned().unwrap_or(Value::Null);
        let text = |name: &str| {
            owner
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or("?")
                .to_owned()
        };
        let pid = owner.get("pid").and_then(Value::as_u64).unwrap_or(0);
        let asked = Owner {
            host: text("host"),
            pid: u32::try_from(pid).unwrap_or(0),
            started: text("started"),
        };
        let is_released = claim.get("released").and_then(Value::as_bool) == Some(true);
        let (pid, host) = (pid.to_string(), asked.host.clone());
        let (grade, code, phrase, advice) = match ports.files.liveness(&asked) {
            _ if is_released => (
                Grade::Note,
                "lock-dead",
                &say::LOCK_DEAD,
                Some(&say::LOCK_DEAD_ADVICE),
            ),
            Liveness::Alive => (Grade::Note, "lock-held", &say::LOCK_HELD, None),
            Liveness::Dead => (
                Grade::Note,
                "lock-dead",
                &say::LOCK_DEAD,
                Some(&say::LOCK_DEAD_ADVICE),
            ),
            Liveness::Unknown => (
                Grade::Note,
                "lock-unknown",
                &say::LOCK_UNKNOWN,
                Some(&say::LOCK_UNKNOWN_ADVICE),
            ),
        };
        findings.add(grade, code, (phrase, &[&pid, &host]), advice, page);
    }

    async fn examine_ledger(&self, ports: Ports<'_>, findings: &mut Findings, page: &Page<'_>) {
        let Some(store) = self.store.get() else {
            return;
        };
        let walked = match store::walk(store, ports, &mut |_, _, _| {}).await {
            Ok(walked) => walked,
            Err(error) => {
                findings.noticed("file-error", &error.to_string(), page);
                return;
            }
        };
        let origin = store
            .borrow()
            .state()
            .origin()
            .map_or("–".to_owned(), ToString::to_string);
        let version = LEDGER_VERSION.to_string();
        let (rows, segments) = (walked.n_rows.to_string(), walked.n_segments.to_string());
        let found = store
            .borrow()
            .newer_version()
            .map_or(version.clone(), |newer| newer.to_string());
        findings.add(
            Grade::Good,
            "formats",
            (
                &say::FORMATS,
                &[&found, &version, &rows, &segments, &origin],
            ),
            None,
            page,
        );
        if walked.n_damaged > 0 {
            let n = walked.n_damaged.to_string();
            findings.add(
                Grade::Bad,
                "damaged-lines",
                (&say::DAMAGED, &[&n]),
                Some(&say::DAMAGED_ADVICE),
                page,
            );
        }
        let quarantine = format!("{}/quarantine", self.dir);
        let n = ports
            .files
            .list(&quarantine)
            .await
            .map_or(0, |entries| entries.len());
        if n > 0 {
            let n = n.to_string();
            findings.add(
                Grade::Note,
                "quarantine",
                (&say::QUARANTINE, &[&n, &quarantine]),
                Some(&say::QUARANTINE_ADVICE),
                page,
            );
        }
        if !ports
            .files
            .stamp(&format!("{}/forgetting.json", self.dir))
            .is_empty()
        {
            findings.add(
                Grade::Note,
                "forgetting",
                (&say::FORGETTING, &[]),
                Some(&say::FORGETTING_ADVICE),
                page,
            );
        }
    }

    async fn examine_host(
        &self,
        ports: Ports<'_>,
        typed: &Typed,
        findings: &mut Findings,
        page: &Page<'_>,
    ) {
        let text = |name: &str| typed.facts.get(name).and_then(Value::as_str).unwrap_or("");
        let name = self.config.jev.api_key_env.as_str();
        let key = ports.http.key(name, KEY_WAIT_MS).await;
        if key == "none" || key.is_empty() {
            findings.add(
                Grade::Note,
                "key",
                (&say::KEY_NONE, &[name]),
                Some(&say::KEY_ADVICE),
                page,
            );
        } else {
            findings.add(Grade::Good, "key", (&say::KEY, &[name, &key]), None, page);
        }
        let credentials = text("credentials");
        if !credentials.is_empty() {
            let is_there = typed.facts.get("hasCredentials").and_then(Value::as_bool) == Some(true);
            let phrase = if is_there {
                &say::CREDENTIALS
            } else {
                &say::NO_CREDENTIALS
            };
            findings.add(
                Grade::Note,
                "credentials",
                (phrase, &[credentials]),
                None,
                page,
            );
        }
        match text("host") {
            "" => findings.add(
                Grade::Note,
                "host",
                (&say::HOST_UNKNOWN, &[text("home")]),
                None,
                page,
            ),
            TESTED_HOST => findings.add(
                Grade::Good,
                "host",
                (&say::HOST, &[TESTED_HOST]),
                None,
                page,
            ),
            other => findings.add(
                Grade::Note,
                "host",
                (&say::HOST_OTHER, &[other, TESTED_HOST]),
                None,
                page,
            ),
        }
    }
}

fn bytes_of(entries: &[FileEntry]) -> u64 {
    entries
        .iter()
        .map(|entry| {
            if entry.is_folder {
                0
            } else {
                entry.length_bytes
            }
        })
        .sum()
}
