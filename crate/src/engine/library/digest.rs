//! `digest`: the scopes that wait, four at a time, each in order; and what came of digests, for reading.

use super::{Args, Library};
use crate::decide::Error;
use crate::decide::digest::{is_fresh, persona};
use crate::decide::error::Kind;
use crate::decide::read::{Ranked, fused, item};
use crate::engine::digest::{Terms, failed};
use crate::memory::{Memory, ScopeKey, SessionId, Type};
use crate::port::Ports;
use crate::store::State;
use crate::store::entry::{Body, Fact};
use crate::text::order;
use serde_json::{Value, json};

impl Library {
    /// Digests one scope, or with `scope` left out each that waits, one after the other.
    ///
    /// # Errors
    /// As [`crate::engine::Engine`]'s digest where a scope is named; without one a scope that fails is told, and the others go on.
    pub(super) async fn digest(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["scope"])?;
        if given.given("scope").is_some() {
            return self.digest_scope(ports, &given.scope()?).await;
        }
        let mut out = Vec::new();
        for scope in self.due(ports).await? {
            match self.digest_scope(ports, &scope).await {
                Ok(told) => out.push(told),
                Err(error) => out.push(failed(&scope, &error.message)),
            }
        }
        Ok(json!({ "scopes": out }))
    }

    /// Returns the scopes for which a digest has something to do.
    pub(super) async fn digest_due(&self, ports: Ports<'_>) -> Result<Value, Error> {
        let due = self.due(ports).await?;
        Ok(due.iter().map(ScopeKey::as_str).collect::<Vec<_>>().into())
    }

    /// Returns how far each digest of this process is.
    pub(super) fn digest_progress(&self) -> Value {
        let told = self.engine.digests.told().into_iter().map(|(scope, progress)| {
            json!({ "scope": scope.as_str(), "done": progress.done, "total": progress.total, "ended": progress.ended.is_some() })
        });
        told.collect::<Vec<_>>().into()
    }

    async fn due(&self, ports: Ports<'_>) -> Result<Vec<ScopeKey>, Error> {
        self.refresh(ports).await?;
        Ok(self.engine.digest_due(self.store()?.borrow().state()))
    }

    async fn digest_scope(&self, ports: Ports<'_>, scope: &ScopeKey) -> Result<Value, Error> {
        let ended = || Error::new(Kind::Storage, "ended before anything was digested");
        let _room = self.scopes.enter(ports, scope).await.ok_or_else(ended)?;
        let terms = Terms {
            rules: self.settings.system2,
            embeddings: self.settings.embeddings,
            embedding_timeout_ms: self.settings.embedding_timeout_ms,
            session: SessionId::from(""),
            provider: String::new(),
            model: String::new(),
            timeout_ms: self.settings.llm_timeout_ms,
        };
        let report = self.engine.digest(ports, scope, &terms).await?;
        Ok(report.told(scope))
    }

    /// Returns the schemas of a scope that hold, by words and meaning, and the catalogue: what a search's result says beside its hits.
    pub(super) async fn derived(
        &self,
        ports: Ports<'_>,
        scope: &ScopeKey,
        query: &str,
        limit: usize,
    ) -> Result<Vec<Value>, Error> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let wanted = |memory: &Memory| memory.is_derived() && memory.memory_type != Type::Persona;
        let words = self.by_words(scope, query, limit, &wanted)?;
        let meaning = self.by_meaning(ports, scope, query, &wanted).await;
        let store = self.store()?.borrow();
        let state = store.state();
        let ranked: Ranked = fused(meaning, words);
        let held = ranked.into_iter().filter_map(|(id, score)| {
            let memory = state
                .memory(&id)
                .filter(|x| is_fresh(x, |id| state.memory(id)))?;
            let mut out = shown(state, memory);
            if let Value::Object(map) = &mut out {
                map.insert("score".to_owned(), json!(score));
            }
            Some(out)
        });
        Ok(held.take(limit).collect())
    }

    /// Returns the catalogue of a scope: entries that hold, by domain, the weightiest first.
    pub(super) fn catalog(&self, scope: &ScopeKey) -> Result<Vec<Value>, Error> {
        if !self.settings.catalog_context_enabled {
            return Ok(Vec::new());
        }
        let store = self.store()?.borrow();
        let state = store.state();
        let all = state
            .in_scope(scope)
            .filter(|x| x.memory_type == Type::Persona);
        let mut held: Vec<_> = all.filter(|x| is_fresh(x, |id| state.memory(id))).collect();
        let place = |memory: &Memory| {
            memory
                .signals
                .first()
                .map_or(0, |name| persona::place(name))
        };
        order::sort_by(&mut held, |a, b| {
            let by_weight = b.importance.total_cmp(&a.importance);
            place(a)
                .cmp(&place(b))
                .then(by_weight)
                .then_with(|| a.id.cmp(&b.id))
        });
        Ok(held
            .into_iter()
            .map(|memory| shown(state, memory))
            .collect())
    }

    /// The row that registers a scope for the next digest; none outside `dual`.
    pub(super) fn registered(&self, scope: &ScopeKey) -> Option<Body> {
        let scope = scope.clone();
        self.settings
            .dual
            .then(|| Fact::DigestPending { scope }.into())
    }
}

/// A memory as a caller sees it; of something derived also whether it holds, its domain and its behaviour.
pub(super) fn shown(state: &State, memory: &Memory) -> Value {
    let mut out = item(memory);
    if let (Value::Object(map), true) = (&mut out, memory.is_derived()) {
        let fresh = is_fresh(memory, |id| state.memory(id));
        for name in ["fresh", "isLatest"] {
            map.insert(name.to_owned(), fresh.into());
        }
        if let Some(behaviour) = &memory.canonical {
            map.insert("behaviour".to_owned(), behaviour.as_str().into());
        }
        if let Some(domain) = memory.signals.first() {
            map.insert("domain".to_owned(), domain.as_str().into());
        }
    }
    out
}
