//! `export`, `import` and `sweep`: what goes out, what may come in, what should never have been kept.

use super::{DONE, Ending, Reply, Typed, WAIT_MS, failed, found_nothing, misunderstood, within};
use crate::account::export::{self, Made};
use crate::account::import::{self, Fate, Terms, Verdict};
use crate::account::phrase::command as say;
use crate::account::sweep::Found;
use crate::account::{Page, reason};
use crate::engine::Engine;
use crate::error::StoreError;
use crate::memory::{Memory, MemoryId, ScopeKey};
use crate::port::Ports;
use crate::store::codec::checksum;
use crate::store::entry::{Body, Fact, Observation};
use crate::store::forget::Request;
use crate::store::{self, Draft, Store, log};
use crate::text::secret;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// Records of one commit.
const COMMIT_RECORDS: usize = 500;
/// Lines told of each kind.
const TOLD_MAX: usize = 20;
/// How often a decision is made again on a state that moved.
const ATTEMPTS_MAX: u32 = 3;
/// Bytes of a quarantined file that are looked at.
const QUARANTINE_MAX_BYTES: usize = 1024 * 1024;

impl Engine {
    pub(super) fn export(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        (home, page): (&ScopeKey, &mut Page<'_>),
        reply: &mut Reply,
    ) -> Ending {
        let format = typed.option("format").unwrap_or("markdown");
        if !["jsonl", "markdown", "md"].contains(&format) {
            page.say(&say::BAD_FORMAT, &[]);
            return misunderstood("bad-arguments");
        }
        let store = store.borrow();
        let state = store.state();
        let all = !typed.has("here");
        // A secret stored before its rule existed is in the folder already, and goes nowhere else.
        let (withheld, memories): (Vec<&Memory>, Vec<&Memory>) = within(state, home, all)
            .map(Rc::as_ref)
            .partition(|memory| memory.words().any(|text| secret::contains(&text)));
        let lines = export::lines(&memories);
        let digest = checksum(&lines);
        let made = Made {
            at: ports.clock.now(),
            origin: state.origin(),
            package: env!("CARGO_PKG_VERSION"),
        };
        let content = if format == "jsonl" {
            let bytes = export::json_lines(&made, &lines, memories.len());
            String::from_utf8(bytes).unwrap_or_default()
        } else {
            export::markdown(&made, &memories, &digest, page);
            let mut text = std::mem::take(&mut page.text);
            text.push('\n');
            text
        };
        let n = memories.len().to_string();
        reply.note = page.words(&say::EXPORTED, &[&n, &digest]);
        if !withheld.is_empty() {
            reply
                .note
                .push_str(&page.words(&say::WITHHELD, &[&withheld.len().to_string()]));
        }
        page.set("format", format.into());
        page.set("digest", digest.into());
        page.set("records", memories.len().into());
        page.set("withheld", withheld.len().into());
        reply.text = content;
        DONE
    }

    pub(super) async fn import(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        home: &ScopeKey,
        page: &mut Page<'_>,
    ) -> Ending {
        let Some(content) = typed.option("content") else {
            let needed = page.words(&say::A_FILE, &[]);
            page.say(
                &say::NEEDS,
                &["import", &needed, "import memories.jsonl --preview"],
            );
            return misunderstood("bad-arguments");
        };
        if log::is_log(content) {
            return self
                .import_log_command(ports, store, (content, typed), page)
                .await;
        }
        let (header, records) = match import::header(content) {
            Ok(read) => read,
            Err("newer-export") => {
                page.say(&say::NEWER_EXPORT, &[&export::VERSION.to_string()]);
                return misunderstood("newer-export");
            }
            Err(code) => {
                page.say(&say::NOT_AN_EXPORT, &[]);
                return misunderstood(code);
            }
        };
        let is_preview = typed.has("preview");
        let mut attempt = 0;
        let verdicts = loop {
            attempt += 1;
            let (verdicts, rows) = {
                let store = store.borrow();
                let state = store.state();
                let terms = Terms {
                    is_own: header.is_whole && state.origin() == Some(&header.origin),
                    scope: typed.has("here").then_some(home),
                    now: ports.clock.now(),
                };
                if attempt == 1 {
                    if terms.is_own {
                        page.say(&say::IMPORT_OWN, &[]);
                    } else {
                        page.say(&say::IMPORT_FOREIGN, &[header.origin.as_str()]);
                    }
                    if !header.is_whole {
                        page.say(&say::IMPORT_CHANGED, &[]);
                    }
                }
                let verdicts = import::verdicts(records, state, &terms);
                let rows: Vec<Body> = verdicts.iter().filter_map(row_of).collect();
                (verdicts, rows)
            };
            if is_preview || rows.is_empty() {
                break verdicts;
            }
            match bring_in(
                store,
                ports,
                rows,
                header.origin.as_str(),
                &checksum(records.as_bytes()),
            )
            .await
            {
                Ok(()) => break verdicts,
                // What came in so far is known the next time.
                Err(StoreError::Stale { .. }) if attempt < ATTEMPTS_MAX => {}
                Err(error) => return failed(&error, page),
            }
        };
        // A failure here only leaves the readable checkpoint behind until the next commit.
        if !is_preview {
            let _ = store::settle(store, ports, WAIT_MS).await;
        }
        tell_verdicts(&verdicts, is_preview, page)
    }

    pub(super) async fn sweep(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        page: &mut Page<'_>,
    ) -> Ending {
        let mut found = Found::default();
        for memory in store.borrow().state().memories() {
            found.record(memory);
        }
        if typed.has("secrets") {
            found.records.retain(|_, reason| *reason == "veto:secret");
        }
        let mut each = |_: &str, row, _: &[u8]| found.row(&row);
        if let Err(error) = store::walk(store, ports, &mut each).await {
            return failed(&error, page);
        }
        let quarantined = self.secrets_in_quarantine(ports).await;
        let n_texts = found.n_texts.to_string();
        let is_clean = found.records.is_empty() && found.words.is_empty() && quarantined.is_empty();
        page.set(
            "records",
            found
                .records
                .iter()
                .map(|(id, reason)| json!({ "id": id, "reason": reason }))
                .collect(),
        );
        page.set("texts", found.words.len().into());
        page.set(
            "rows",
            Value::Object(
                found
                    .rows
                    .iter()
                    .map(|(kind, n)| ((*kind).to_owned(), Value::from(*n)))
                    .collect(),
            ),
        );
        page.set("quarantined", json!(quarantined));
        page.set("applied", false.into());
        if is_clean {
            page.say(&say::SWEPT_CLEAN, &[&n_texts]);
            return DONE;
        }
        page.say(&say::SWEPT, &[&n_texts]);
        for (id, code) in found.records.iter().take(TOLD_MAX) {
            let line = store
                .borrow()
                .state()
                .memory(id)
                .map_or_else(|| id.to_string(), |memory| page.memory(memory));
            let (why, _) = reason::explain(code, page.language);
            page.item(&say::SWEPT_RECORD, &[&line, &why, code]);
        }
        if found.records.len() > TOLD_MAX {
            page.say(&say::MORE, &[&(found.records.len() - TOLD_MAX).to_string()]);
        }
        if !found.words.is_empty() {
            let kinds: Vec<String> = found
                .rows
                .iter()
                .map(|(kind, n)| format!("{kind} {n}"))
                .collect();
            page.item(
                &say::SWEPT_ROWS,
                &[&found.words.len().to_string(), &kinds.join(", ")],
            );
        }
        for name in &quarantined {
            page.item(&say::SWEPT_QUARANTINE, &[name]);
        }
        page.gap();
        if !typed.has("apply") {
            page.say(&say::SWEEP_HOW, &[]);
            return found_nothing("found");
        }
        let ids: Vec<MemoryId> = found.records.keys().cloned().collect();
        let words: Vec<String> = found.words.keys().cloned().collect();
        for (number, some) in ids
            .chunks(COMMIT_RECORDS)
            .chain(ids.is_empty().then_some(&[][..]))
            .enumerate()
        {
            let request = Request {
                ids: some.to_vec(),
                by: "sweep".to_owned(),
                asked: None,
            };
            // The words go with the first: looking for them costs a rewriting of every segment.
            let also = if number == 0 { words.as_slice() } else { &[] };
            if let Err(error) = store::forget_with(store, ports, request, also, WAIT_MS).await {
                return failed(&error, page);
            }
        }
        page.say(
            &say::SWEEP_DONE,
            &[&ids.len().to_string(), &words.len().to_string()],
        );
        page.set("applied", true.into());
        DONE
    }

    /// Returns the quarantined files that hold a secret, by their names in the folder.
    async fn secrets_in_quarantine(&self, ports: Ports<'_>) -> Vec<String> {
        let folder = format!("{}/quarantine", self.dir);
        let mut out = Vec::new();
        for entry in ports.files.list(&folder).await.unwrap_or_default() {
            let path = format!("{folder}/{}", entry.name);
            let Ok(bytes) = ports.files.read(&path, 0).await else {
                continue;
            };
            let head = bytes
                .get(..bytes.len().min(QUARANTINE_MAX_BYTES))
                .unwrap_or_default();
            if String::from_utf8_lossy(head)
                .split(['"', '\n'])
                .any(secret::contains)
            {
                out.push(format!("quarantine/{}", entry.name));
            }
        }
        out
    }
}

fn row_of(verdict: &Verdict) -> Option<Body> {
    match &verdict.fate {
        Fate::Added(memory) => Some(Body::Fact(Fact::Write {
            memory: memory.clone(),
        })),
        Fate::Passed(_) | Fate::Refused(_) => None,
    }
}

async fn bring_in(
    store: &RefCell<Store>,
    ports: Ports<'_>,
    rows: Vec<Body>,
    origin: &str,
    digest: &str,
) -> Result<(), StoreError> {
    let told = Observation::Health {
        code: "imported".to_owned(),
        detail: format!(
            "{} records of an export of {origin}, digest {digest}",
            rows.len()
        ),
    };
    let mut left = rows;
    left.insert(0, Body::Observation(told));
    while !left.is_empty() {
        let rest = left.split_off(left.len().min(COMMIT_RECORDS));
        let draft = Draft {
            rows: left,
            ..Draft::default()
        };
        store::commit(store, ports, draft, WAIT_MS).await?;
        left = rest;
    }
    Ok(())
}

fn tell_verdicts(verdicts: &[Verdict], is_preview: bool, page: &mut Page<'_>) -> Ending {
    let count = |is_it: fn(&Fate) -> bool| verdicts.iter().filter(|one| is_it(&one.fate)).count();
    let added = count(|fate| matches!(fate, Fate::Added(_)));
    let passed = count(|fate| matches!(fate, Fate::Passed(_)));
    let refused = count(|fate| matches!(fate, Fate::Refused(_)));
    let figures = [added, passed, refused].map(|n| n.to_string());
    let [a, p, r] = &figures;
    page.say(
        if is_preview {
            &say::PREVIEW
        } else {
            &say::IMPORTED
        },
        &[a, p, r],
    );
    let mut n_told = 0;
    let mut data = Vec::new();
    for verdict in verdicts {
        let (fate, code) = match &verdict.fate {
            Fate::Added(memory) => ("added", memory.status.as_str()),
            Fate::Passed(code) => ("passed", *code),
            Fate::Refused(code) => ("refused", *code),
        };
        data.push(json!({ "line": verdict.line, "id": verdict.id, "fate": fate, "code": code }));
        if n_told >= TOLD_MAX {
            continue;
        }
        match &verdict.fate {
            Fate::Added(memory) => {
                let line = page.memory(memory);
                page.line(&format!("- {line} ({})", page.status(memory.status)));
                n_told += 1;
            }
            Fate::Refused(code) => {
                let why = match *code {
                    "not-a-record" => page.words(&say::NOT_A_RECORD, &[]),
                    code => reason::explain(code, page.language).0,
                };
                page.item(&say::REFUSED_LINE, &[&verdict.line.to_string(), &why, code]);
                n_told += 1;
            }
            Fate::Passed(_) => {}
        }
    }
    page.set("preview", is_preview.into());
    page.set("added", added.into());
    page.set("passed", passed.into());
    page.set("refused", refused.into());
    page.set("records", Value::Array(data));
    DONE
}
