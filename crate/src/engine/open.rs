//! Mount, settle, refresh, close: the life of the store in one host process.

use super::{Engine, Problem, Refused, cut};
use crate::account::{Language, Page, Times};
use crate::config::JudgeChoice;
use crate::error::{Error, StoreError};
use crate::port::Ports;
use crate::store::entry::{LEDGER_VERSION, Observation};
use crate::store::{self, Notice, Store};
use std::cell::RefCell;

/// Notices that the next block says in one line: what a person wrote or relies on could not be read.
const FOR_PEOPLE: [&str; 4] = [
    "checkpoint-damaged",
    "checkpoint-quarantined",
    "edit-refused",
    "ledger-damaged",
];

/// Records indexed between two chances for others to run: a few milliseconds before the code is compiled for speed.
const WARM_RECORDS: usize = 250;

/// Milliseconds that housekeeping waits for the lock; nobody waits for housekeeping.
const SETTLE_WAIT_MS: u32 = 2_000;

/// Longest health line of a `start` row.
const SUMMARY_MAX_CHARS: usize = 600;

/// Milliseconds that the `start` row waits to be told where the key is. A turn's first row may wait for it.
const KEY_WAIT_MS: u32 = 100;

impl Engine {
    /// Reads the data folder. Only reads. What goes wrong leaves the engine inert and said so.
    pub async fn open(&self, ports: Ports<'_>) {
        if self.dir.is_empty() {
            self.inert(
                "no-data-dir",
                "neither `dataDir` nor the host's home folder is known",
            );
            return;
        }
        match store::open(ports, &self.dir).await {
            Ok((store, notices)) => {
                if let Some(version) = store.newer_version() {
                    let error = StoreError::NewerVersion {
                        found: version,
                        supported: LEDGER_VERSION,
                    };
                    self.inert("newer-version", &error.to_string());
                } else if self.store.set(RefCell::new(store)).is_err() {
                    self.inert("opened-twice", "this instance was opened before");
                }
                self.told.set(notices.len());
                self.tell(&notices);
            }
            Err(error) => self.inert(Error::from(error.clone()).code(), &error.to_string()),
        }
        if let Some(problem) = self.inert.borrow().as_ref() {
            let line = format!("memory is off: {}", problem.detail);
            self.pending_notices.borrow_mut().push(line);
        }
    }

    fn inert(&self, code: &str, detail: &str) {
        *self.inert.borrow_mut() = Some(Problem {
            code: code.to_owned(),
            detail: cut(detail, 400),
        });
    }

    /// Takes what the store noticed: for `health`, and in one line for people where memories could be affected.
    fn tell(&self, notices: &[Notice]) {
        for notice in notices {
            self.problem(notice.code, &notice.detail);
            if FOR_PEOPLE.contains(&notice.code) {
                self.pending_notices
                    .borrow_mut()
                    .push(cut(&notice.detail, 200));
            }
        }
    }

    /// Queues the `start` row once. Not at mount: where a key and a model are found is a question that may wait.
    pub(super) async fn say_start(&self, ports: Ports<'_>) {
        if self.started.replace(true) {
            return;
        }
        let key = ports
            .http
            .key(&self.config.jev.api_key_env, KEY_WAIT_MS)
            .await;
        self.key_path.replace(key.clone());
        let route = self.route(ports).await;
        self.normalize_route.replace(route.clone());
        self.observe(Observation::Start {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tokeniser: crate::text::token::TOKENISER_VERSION.to_owned(),
            judge: self.judge_name(),
            key,
            jev_ready: self.jev_is_ready(),
            normalize: route,
            capture: self.captures(),
            inactive: self.inactive.clone(),
            host: self.host_version.clone(),
            summary: Some(self.summary(ports).await),
        });
        for notice in &self.config_notices {
            let detail = format!("config `{}` {}", notice.key, notice.problem);
            self.say_health("config", detail);
        }
        if self.config.judge.contains(&JudgeChoice::Jev) && !self.jev_is_ready() {
            self.say_health("jev-no-key", self.no_key());
        }
        if self.judge_is_off() {
            let detail = "`judge: off`: nothing is written, what is known is still recalled";
            self.say_health("judge-off", detail.to_owned());
        }
    }

    /// Returns the health line for the `start` row. No word of a failure's detail: it may quote what is forgotten later.
    async fn summary(&self, ports: Ports<'_>) -> String {
        let offset_minutes = |at| ports.clock.offset_minutes(at);
        let times = Times {
            offset_minutes: &offset_minutes,
        };
        let page = Page::new(Language::English, &times);
        let line = self.health_line(ports, true, &page).await;
        cut(&line, SUMMARY_MAX_CHARS)
    }

    /// Says a state for `health` and in a row.
    pub(super) fn say_health(&self, code: &str, detail: String) {
        self.problem(code, &detail);
        self.observe(Observation::Health {
            code: code.to_owned(),
            detail,
        });
    }

    /// Returns the route that restates: `off`, `none`, or provider and model.
    async fn route(&self, ports: Ports<'_>) -> String {
        let normalize = &self.config.normalize;
        if !normalize.enabled {
            return "off".to_owned();
        }
        let own = if normalize.provider.is_empty() || normalize.model.is_empty() {
            ports.llm.route().await
        } else {
            format!("{}/{}", normalize.provider, normalize.model)
        };
        if own.is_empty() {
            "none".to_owned()
        } else {
            cut(&own, 120)
        }
    }

    /// Writes what waits: observations, damaged files to quarantine, a checkpoint that is due.
    pub async fn settle(&self, ports: Ports<'_>) {
        let Some(store) = self.store.get() else {
            return;
        };
        self.say_start(ports).await;
        self.hand_over();
        let done = store::settle(store, ports, SETTLE_WAIT_MS).await;
        self.tell_result(store, done);
        self.save_embeddings(ports).await;
        self.warm(ports, store).await;
    }

    /// Indexes what is remembered, a slice at a time: whoever asks for the first block later does not wait for it.
    async fn warm(&self, ports: Ports<'_>, store: &RefCell<Store>) {
        let mut from = 0;
        while !ports.ended.get()
            && self
                .catalogue
                .borrow_mut()
                .warm(&store.borrow(), from, WARM_RECORDS)
        {
            from += WARM_RECORDS;
            ports.clock.sleep(0).await;
        }
    }

    /// Reads what other processes appended. A failed look leaves what is known.
    pub async fn refresh(&self, ports: Ports<'_>) {
        if let Some(store) = self.store.get() {
            let done = store::refresh(store, ports).await;
            self.tell_result(store, done);
        }
    }

    /// Writes what waits and a checkpoint, so that the next mount opens fast.
    pub async fn close(&self, ports: Ports<'_>) {
        let Some(store) = self.store.get() else {
            return;
        };
        self.say_start(ports).await;
        self.hand_over();
        let done = store::close(store, ports, SETTLE_WAIT_MS).await;
        self.tell_result(store, done);
    }

    pub(super) fn tell_result<T>(&self, store: &RefCell<Store>, done: Result<T, StoreError>) {
        if let Err(error) = done {
            self.problem(Error::from(error.clone()).code(), &error.to_string());
        }
        let told = self.told.replace(store.borrow().notices().len());
        let notices: Vec<Notice> = store
            .borrow()
            .notices()
            .iter()
            .skip(told)
            .cloned()
            .collect();
        self.tell(&notices);
    }

    pub(super) fn open_store(&self) -> Result<&RefCell<Store>, Refused> {
        self.store.get().ok_or_else(|| {
            Refused::new(
                "not-open",
                "the memory folder was not opened; see the health row",
            )
        })
    }

    /// Returns whether tools can work, or the refusal that says why not.
    pub(super) fn usable(&self) -> Result<(), Refused> {
        match self.inert.borrow().as_ref() {
            None => Ok(()),
            Some(problem) => Err(Refused::new(
                &problem.code,
                format!("memory is off in this session: {}", problem.detail),
            )),
        }
    }
}
