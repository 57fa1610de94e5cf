//! `update`, `delete`, `deleteBulk`: what a caller changes itself.

use super::{ATTEMPTS_MAX, Args, COMMIT_WAIT_MS, Library};
use crate::decide::Error;
use crate::decide::error::Kind;
use crate::decide::outcome::id_of;
use crate::decide::read::{is_head, item};
use crate::decide::source::masked;
use crate::error::StoreError;
use crate::memory::{Author, EventSeq, Memory, MemoryId, Revision, SessionId, Status};
use crate::port::Ports;
use crate::store::entry::{Body, Fact};
use crate::store::state::STORED_CONFLICT;
use crate::store::{Draft, Request, State, commit, forget};
use serde_json::{Value, json};
use std::rc::Rc;

/// Longest text of a statement, in characters.
const TEXT_MAX_CHARS: usize = 4_000;
/// Memories forgotten in one go.
const BULK: usize = 500;
/// Milliseconds that forgetting may wait for other processes.
const FORGET_WAIT_MS: u32 = 60_000;

impl Library {
    /// Puts a new text in the place of a head: a new id; the old stays readable, and is not the latest.
    ///
    /// # Errors
    /// `StaleDecisionError` when the memory is no head any more; `NotFoundError`, `InputError`, `StorageError`.
    pub(super) async fn update(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["id", "text"])?;
        let id = given.id()?;
        let text = masked(given.text("text")?.unwrap_or("").trim());
        if text.is_empty() || text.chars().count() > TEXT_MAX_CHARS {
            return Err(Error::input(format!(
                "`text` is a statement of at most {TEXT_MAX_CHARS} characters"
            )));
        }
        let key = Self::nonce(ports);
        let changed = self
            .change(ports, (&id, false), |state, old| {
                let mut new = Memory {
                    id: state.free_id(&id_of(&key, 0)),
                    text: text.as_str().into(),
                    canonical: None,
                    by: Author::Edit,
                    supersedes: Vec::new(),
                    conflicts_with: Vec::new(),
                    revision: Revision(1),
                    created_at: ports.clock.now(),
                    updated_at: ports.clock.now(),
                    ..Memory::clone(old)
                };
                if let Some(procedure) = &mut new.procedure {
                    procedure.reword(&text);
                    // A solution without its task says nothing.
                    new.text = procedure.text();
                }
                new.source.session_id = SessionId::from(key.as_str());
                new.source.seq = EventSeq(0);
                new.source.quote = new.text.clone();
                new.source.at = ports.clock.now();
                new.source.aliases = Vec::new();
                let supersede = Fact::Supersede {
                    old: old.id.clone(),
                    new: new.id.clone(),
                };
                // A new wording does not decide what nobody decided.
                let stands = |id: &&MemoryId| state.memory(id).is_some_and(|x| is_head(x));
                let against: Vec<MemoryId> =
                    old.conflicts_with.iter().filter(stands).cloned().collect();
                let id = new.id.clone();
                let conflict = (!against.is_empty()).then(|| Fact::ConflictResolved {
                    id: id.clone(),
                    against,
                    choice: STORED_CONFLICT.to_owned(),
                });
                let write = Fact::Write {
                    memory: Box::new(new),
                };
                let mut rows: Vec<Body> = vec![write.into(), supersede.into()];
                rows.extend(conflict.map(Body::from));
                (rows, id)
            })
            .await?;
        self.shown(&changed)
    }

    /// Retires a head and keeps it.
    ///
    /// # Errors
    /// As [`Library::update`].
    pub(super) async fn delete(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["id"])?;
        let id = given.id()?;
        let changed = self
            .change(ports, (&id, true), |_, old| {
                let archive = Fact::Status {
                    id: old.id.clone(),
                    status: Status::Archived,
                    revision: Revision(old.revision.0.saturating_add(1)),
                    reason: "delete".to_owned(),
                };
                (vec![archive.into()], old.id.clone())
            })
            .await?;
        self.shown(&changed)
    }

    /// Forgets everything of a scope, its sources too: nothing of it is left in the folder.
    ///
    /// # Errors
    /// `InputError` without `confirm: true`. `StorageError`: what is left is finished by the next opening.
    pub(super) async fn delete_bulk(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["scope", "confirm"])?;
        let scope = given.scope()?;
        if !given.flag("confirm", false)? {
            return Err(Error::input(
                "`deleteBulk` cannot be undone; it takes `confirm: true`",
            ));
        }
        self.refresh(ports).await?;
        let store = self.store()?;
        let ended = || Error::new(Kind::Storage, "ended before anything was removed");
        let _place = self.scopes.turn(ports, &scope).await.ok_or_else(ended)?;
        let mut n_removed = 0;
        loop {
            let ids: Vec<MemoryId> = {
                let store = store.borrow();
                let all = store.state().in_scope(&scope);
                all.take(BULK).map(|memory| memory.id.clone()).collect()
            };
            if ids.is_empty() {
                break;
            }
            n_removed += ids.len();
            let request = Request {
                ids,
                by: "deleteBulk".to_owned(),
                asked: None,
            };
            forget(store, ports, request, FORGET_WAIT_MS).await?;
        }
        self.engine.embeddings.borrow_mut().clear();
        Ok(json!({ "removed": n_removed }))
    }

    /// Commits a change of one head, again when another statement about it came first.
    async fn change(
        &self,
        ports: Ports<'_>,
        (id, takes_derived): (&MemoryId, bool),
        make: impl Fn(&State, &Rc<Memory>) -> (Vec<Body>, MemoryId),
    ) -> Result<MemoryId, Error> {
        let store = self.store()?;
        let mut attempt = 1;
        loop {
            self.refresh(ports).await?;
            let (draft, changed) = {
                let store = store.borrow();
                let state = store.state();
                let missing = || Error::new(Kind::NotFound, format!("{id}: no such memory"));
                let old = state
                    .memory(id)
                    .filter(|x| !x.is_raw())
                    .ok_or_else(missing)?;
                if old.is_derived() && !takes_derived {
                    return Err(Error::input(format!(
                        "{id} was derived; change what it rests on, and digest again"
                    )));
                }
                let stands = is_head(old) || old.is_derived() && old.status == Status::Active;
                if !stands {
                    return Err(Error::new(
                        Kind::Stale,
                        format!("{id} is not the latest version; look at what took its place"),
                    ));
                }
                let (mut rows, changed) = make(state, old);
                rows.extend(self.registered(&old.scope));
                let draft = Draft {
                    rows,
                    based_on: vec![(old.id.clone(), old.revision)],
                    ..Draft::default()
                };
                (draft, changed)
            };
            match commit(store, ports, draft, COMMIT_WAIT_MS).await {
                Ok(_) => return Ok(changed),
                Err(StoreError::Stale { .. }) if attempt < ATTEMPTS_MAX => attempt += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn shown(&self, id: &MemoryId) -> Result<Value, Error> {
        let store = self.store()?.borrow();
        Ok(store
            .state()
            .memory(id)
            .map_or(Value::Null, |memory| item(memory)))
    }
}
