//! `digest`: what many memories come to, here and wherever something waits; and how far that is.
//!
//! A program around the core has the scopes one by one (`step`), some at once; typed plainly, all of it is one after the other.

use super::{DONE, Ending, Typed, found_nothing, misunderstood, unusable};
use crate::account::Page;
use crate::account::phrase::digest as say;
use crate::config::ConflictRanking;
use crate::decide::digest::{Rules, is_fresh};
use crate::engine::Engine;
use crate::engine::digest::{Progress, Terms};
use crate::memory::{Memory, MemoryId, ScopeKey, SessionId};
use crate::port::Ports;
use crate::store::{State, Store};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Longest wait for one answer. Nobody waits for it.
const CALL_MAX_MS: u32 = 120_000;
/// Longest wait for one batch of vectors.
const EMBEDDING_MAX_MS: u32 = 10_000;

impl Engine {
    pub(super) async fn digest_by_command(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        home: &ScopeKey,
        page: &mut Page<'_>,
    ) -> Ending {
        let word = typed.words.trim().to_ascii_lowercase();
        let step = typed.option("step").unwrap_or(&word);
        let all = matches!(word.as_str(), "all" | "全部") || typed.has("all");
        if !matches!(word.as_str(), "" | "all" | "全部" | "status") {
            page.say(&say::USAGE, &[]);
            return misunderstood("bad-arguments");
        }
        let scopes: Vec<ScopeKey> = match (step, typed.option("scope")) {
            ("status", _) => return self.digest_status(page),
            ("scope", Some(scope)) => vec![ScopeKey::from(scope)],
            _ => self.digest_scopes(store, home, all),
        };
        page.set(
            "scopes",
            json!(scopes.iter().map(ScopeKey::as_str).collect::<Vec<_>>()),
        );
        if step == "due" {
            return DONE;
        }
        let terms = self.terms(typed);
        for scope in &scopes {
            // A failure is told with the rest.
            let _ = self.digest(ports, scope, &terms).await;
        }
        self.digest_status(page)
    }

    /// The scopes of a command: where it was typed, and what waits.
    fn digest_scopes(&self, store: &RefCell<Store>, home: &ScopeKey, all: bool) -> Vec<ScopeKey> {
        let store = store.borrow();
        let state = store.state();
        let mut out = self.digest_due(state);
        let more = state.scopes().map(|scope| scope.0);
        for scope in more.filter(|scope| all || *scope == home) {
            if !out.contains(scope) {
                out.push(scope.clone());
            }
        }
        out
    }

    fn terms(&self, typed: &Typed) -> Terms {
        let session = typed.session.as_ref().map(|session| session.id.clone());
        Terms {
            rules: Rules::default(),
            embeddings: self.config.conflict_ranking == ConflictRanking::Embedding,
            embedding_timeout_ms: self.config.embedding.timeout_ms.max(EMBEDDING_MAX_MS),
            session: session.unwrap_or_else(|| SessionId::from("")),
            provider: self.config.normalize.provider.clone(),
            model: self.config.normalize.model.clone(),
            timeout_ms: CALL_MAX_MS,
        }
    }

    /// Says how far each digest of this process is, or how it ended.
    fn digest_status(&self, page: &mut Page<'_>) -> Ending {
        let told = self.digests.told();
        let mut data: Vec<Value> = Vec::new();
        let mut has_failed = false;
        for (scope, progress) in &told {
            has_failed |= match &progress.ended {
                Some(Ok(report)) => report.made_nothing(),
                Some(Err(_)) => true,
                None => false,
            };
            data.push(tell(scope, progress, page));
        }
        page.set("digests", data.into());
        if told.is_empty() {
            page.say(&say::NOTHING, &[]);
            return found_nothing("nothing-to-digest");
        }
        if has_failed {
            page.say(&say::ADVICE, &[]);
            unusable("digest-failed")
        } else {
            DONE
        }
    }
}

/// Says what something derived rests on, and whether it still holds.
pub(super) fn tell_evidence(state: &State, memory: &Memory, page: &mut Page<'_>) {
    if !memory.is_derived() {
        return;
    }
    let is_fresh = is_fresh(memory, |id| state.memory(id));
    let all: Vec<&str> = memory
        .source
        .source_ids
        .iter()
        .map(MemoryId::as_str)
        .collect();
    let says = if is_fresh { &say::HOLDS } else { &say::STALE };
    page.say(says, &[memory.layer.as_str(), &all.join(", ")]);
    page.set("fresh", is_fresh.into());
}

/// Adds the line of one scope, and returns the same as data.
fn tell(scope: &ScopeKey, progress: &Progress, page: &mut Page<'_>) -> Value {
    let name = scope.as_str();
    match &progress.ended {
        None if progress.total == 0 => page.item(&say::COMPARING, &[name]),
        None => {
            let (done, total) = (progress.done.to_string(), progress.total.to_string());
            page.item(&say::RUNNING, &[name, &done, &total]);
        }
        Some(Err(message)) => page.item(&say::FAILED, &[name, message]),
        Some(Ok(report)) => {
            let by = match report.compared_by {
                "embedding" => &say::BY_MEANING,
                _ => &say::BY_WORDS,
            };
            let by = page.words(by, &[]);
            let n = |number: usize| number.to_string();
            if report.status() == "unchanged" {
                page.item(&say::UNCHANGED, &[name, &n(report.heads), &by]);
            } else {
                let catalog = report.catalog.map_or("–".to_owned(), n);
                let figures = [
                    name,
                    &n(report.heads),
                    &by,
                    &n(report.schemas),
                    &n(report.evidence_added),
                    &n(report.core_schemas),
                    &catalog,
                    &n(report.retired),
                    &n(report.asked),
                ];
                page.item(&say::ENDED, &figures);
            }
            if let Some(why) = report.failed.first() {
                page.item(&say::MISSING, &[name, &n(report.failed.len()), why]);
            }
            if report.left_out > 0 {
                page.item(&say::LEFT_OUT, &[name, &n(report.left_out)]);
            }
            return report.told(scope);
        }
    }
    let error = progress.ended.as_ref().and_then(|x| x.as_ref().err());
    json!({ "scope": name, "done": progress.done, "total": progress.total, "error": error })
}
