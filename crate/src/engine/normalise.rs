//! Restates what was kept, after the turn and outside its budget. What is left over is tried after a later turn.

use super::{Engine, cut};
use crate::canonical::{self, restated};
use crate::memory::{Author, Memory, MemoryId, SessionId, Status, Type};
use crate::port::{LlmRequest, Ports};
use crate::store::entry::{Body, Fact, Observation};
use crate::store::{Draft, Store, commit, history};
use crate::text::secret;
use std::cell::RefCell;
use std::rc::Rc;

/// Memories restated after one turn, the newest first.
const ROUND_MAX: usize = 6;
/// Longest wait for one restatement. Nobody waits for it.
const CALL_MAX_MS: u32 = 30_000;
/// Longest wait for the lock.
const WAIT_MS: u32 = 2_000;
/// Earlier attempts that are looked for in the ledger.
const TRIED_MAX: usize = 10_000;
/// Characters of a row's `from` and `to`. Source: design section 9.
const ROW_MAX_CHARS: usize = 160;

impl Engine {
    /// Restates memories of a session's scope that have no canonical form and were never tried; returns how many it has now.
    ///
    /// Stops at the first call that brings no answer: the rest waits for a later turn.
    pub async fn normalise(&self, ports: Ports<'_>, session: &SessionId) -> usize {
        let Some(store) = self.store.get() else {
            return 0;
        };
        let usable = self.inert.borrow().is_none() && self.config.normalize.enabled;
        // One round at a time: two would restate the same memories.
        if !usable || self.normalising.replace(true) {
            return 0;
        }
        let done = self.normalise_round(ports, store, session).await;
        self.normalising.set(false);
        done
    }

    async fn normalise_round(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        session: &SessionId,
    ) -> usize {
        if self.unrestated(&store.borrow(), session).is_empty() {
            return 0;
        }
        self.read_tried(ports, store).await;
        let round = self.unrestated(&store.borrow(), session);
        let mut done = 0;
        for memory in round {
            if ports.ended.get() {
                break;
            }
            let request = LlmRequest {
                session: session.clone(),
                provider: self.config.normalize.provider.clone(),
                model: self.config.normalize.model.clone(),
                system: canonical::SYSTEM.to_owned(),
                prompt: memory.text.to_string(),
                max_tokens: canonical::TOKENS_MAX,
                timeout_ms: CALL_MAX_MS,
            };
            let heard_at = store.borrow().n_promises();
            match self.generate(ports, request).await {
                Ok(reply) => {
                    let form = restated(&reply.text, &memory.text);
                    if self
                        .keep_form(ports, store, (&memory, heard_at), form)
                        .await
                    {
                        done += 1;
                    }
                }
                Err(fault) => {
                    // Without a model nothing is asked again, and the `start` row has said so.
                    if !["host-no-route", "host-ended"].contains(&fault.cause) {
                        self.problem("normalize-failed", &fault.detail);
                    }
                    break;
                }
            }
        }
        done
    }

    /// Commits what became of a restatement; returns whether the memory has a form now.
    async fn keep_form(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        (memory, heard_at): (&Memory, u64),
        form: canonical::Restated,
    ) -> bool {
        let accepted = form.refused.is_none();
        let may_show = !secret::contains(&form.text);
        let mut rows: Vec<Body> = vec![
            Observation::Normalize {
                id: memory.id.clone(),
                accepted,
                share: form.share,
                from: cut(&memory.text, ROW_MAX_CHARS),
                to: if may_show {
                    cut(&form.text, ROW_MAX_CHARS)
                } else {
                    String::new()
                },
            }
            .into(),
        ];
        if accepted {
            rows.push(
                Fact::Canonical {
                    id: memory.id.clone(),
                    text: form.text,
                }
                .into(),
            );
        }
        let draft = Draft {
            rows,
            // Words that changed meanwhile are not what was restated.
            based_on: vec![(memory.id.clone(), memory.revision)],
            read_from: None,
            // A memory that was forgotten while the model wrote is quoted nowhere.
            heard_at: Some(heard_at),
        };
        let committed = commit(store, ports, draft, WAIT_MS).await.is_ok();
        if committed {
            self.tried.borrow_mut().insert(memory.id.clone());
        }
        committed && accepted
    }

    /// The newest memories here that have no form and were not tried. Signatures of failures have no person to speak of.
    fn unrestated(&self, store: &Store, session: &SessionId) -> Vec<Rc<Memory>> {
        let Some(scope) = self.scope_of(session) else {
            return Vec::new();
        };
        let state = store.state();
        let scope = state.scope_of(&scope);
        let tried = self.tried.borrow();
        let mut found: Vec<Rc<Memory>> = state
            .memories()
            .filter(|memory| {
                let here = memory.scope == *scope || memory.scope.is_global();
                here && memory.status == Status::Active
                    && memory.by == Author::Human
                    && Type::ALL.contains(&memory.memory_type)
                    && memory.canonical.is_none()
                    && !tried.contains(&memory.id)
            })
            .cloned()
            .collect();
        found.sort_by(|a, b| (b.created_at, &a.id).cmp(&(a.created_at, &b.id)));
        found.truncate(ROUND_MAX);
        found
    }

    /// Reads once what earlier processes tried: a form that failed is not paid for at every start.
    async fn read_tried(&self, ports: Ports<'_>, store: &RefCell<Store>) {
        if self.tried_is_read.replace(true) {
            return;
        }
        let is_attempt = |row: &crate::store::entry::Row| {
            matches!(row.body, Body::Observation(Observation::Normalize { .. }))
        };
        let Ok(rows) = history(store, ports, is_attempt, TRIED_MAX).await else {
            return;
        };
        let ids = rows.into_iter().filter_map(|told| match told.row.body {
            Body::Observation(Observation::Normalize { id, .. }) => Some(id),
            _ => None,
        });
        let ids: Vec<MemoryId> = ids.collect();
        self.tried.borrow_mut().extend(ids);
    }
}
