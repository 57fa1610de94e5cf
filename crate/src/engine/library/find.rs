//! `get`, `list`, `search`: reading, by heads unless history is asked for.

use super::digest::shown;
use super::{Args, Library};
use crate::conflict::embedding::cosine;
use crate::decide::Error;
use crate::decide::digest::is_fresh;
use crate::decide::read::{Ranked, fused, holds, is_head, item, raw, weighed};
use crate::engine::budget::Budget;
use crate::memory::{Layer, Memory, MemoryId, Millis, ScopeKey, Type};
use crate::port::Ports;
use crate::store::State;
use crate::text::{order, token};
use serde_json::{Value, json};
use std::rc::Rc;

/// Hits when none are asked for, and at most.
const LIMIT_DEFAULT: usize = 10;
const LIMIT_MAX: usize = 200;
const RAW_LIMIT_MAX: usize = 50;
const PROCEDURE_LIMIT_MAX: usize = 50;
/// Score under which a procedure is not shown. Source: the issue on procedures, search.
const PROCEDURE_SCORE_MIN: f64 = 0.3;
/// Items of one list.
const LIST_MAX: usize = 1_000;
/// Characters of a query.
const QUERY_MAX_CHARS: usize = 2_000;
/// Hits by words that are fused, for each one asked for.
const LOOK_FACTOR: usize = 8;
/// Statements that a query is compared with by meaning; past it the newest.
const COMPARED_MAX: usize = 4_000;
/// Characters of a raw source that are compared by meaning: a service takes no more.
const RAW_COMPARED_CHARS: usize = 2_000;

impl Library {
    /// Returns one memory, of any status, by its id or another name of it; null when there is none.
    pub(super) async fn get(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&["id"])?;
        let id = given.id()?;
        self.refresh(ports).await?;
        let store = self.store()?.borrow();
        let state = store.state();
        let other_name = || {
            let mut all = state.memories();
            all.find(|memory| memory.source.aliases.contains(&id))
        };
        let found = state.memory(&id).or_else(other_name);
        Ok(found.map_or(Value::Null, |memory| with_links(state, memory, None)))
    }

    /// Returns the statements of a scope and what holds of what was derived from them, the newest first.
    pub(super) async fn list(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&[
            "scope",
            "kind",
            "layer",
            "includeHistory",
            "limit",
            "offset",
        ])?;
        let kind = given.text("kind")?;
        let is_of = |memory: &Memory| kind.is_none_or(|kind| memory.memory_type.as_str() == kind);
        let scope = given.scope()?;
        let history = given.flag("includeHistory", false)?;
        let layer = given.text("layer")?.map(|name| {
            Layer::named(name)
                .filter(|layer| *layer != Layer::Raw)
                .ok_or_else(|| Error::input("`layer` is L1_FACT, L2_PROFILE or L3_DERIVED"))
        });
        let layer = layer.transpose()?;
        let limit = given.whole("limit", LIST_MAX, LIST_MAX)?;
        let offset = given.whole("offset", 0, usize::MAX >> 12)?;
        self.refresh(ports).await?;
        let store = self.store()?.borrow();
        let state = store.state();
        let mut found: Vec<&Rc<Memory>> = state
            .in_scope(&scope)
            .filter(|memory| !memory.is_raw() && layer.is_none_or(|layer| memory.layer == layer))
            .filter(|memory| is_of(memory))
            .filter(|memory| history || is_head(memory) || is_fresh(memory, |id| state.memory(id)))
            .collect();
        newest_first(&mut found);
        let page = found.into_iter().skip(offset).take(limit);
        Ok(page
            .map(|memory| shown(state, memory))
            .collect::<Vec<_>>()
            .into())
    }

    /// Returns `{ memories, raw, procedures, derived, catalog }`: heads by meaning and words, raw sources and procedures when asked
    /// for, schemas as far as the settings let them in, and the catalogue of the person, each in a list of its own.
    pub(super) async fn search(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let given = Args(args);
        given.only(&[
            "query",
            "scope",
            "limit",
            "asOf",
            "includeRelations",
            "includeHistory",
            "rawLimit",
            "procedureLimit",
            "procedureMinScore",
        ])?;
        let scope = given.scope()?;
        let query = crate::text::cut(given.text("query")?.unwrap_or("").trim(), QUERY_MAX_CHARS);
        if query.is_empty() {
            return Err(Error::input("`query` is a text of one word or more"));
        }
        let limit = given.whole("limit", LIMIT_DEFAULT, LIMIT_MAX)?;
        let raw_limit = given.whole("rawLimit", 0, RAW_LIMIT_MAX)?;
        let procedure_limit = given.whole("procedureLimit", 0, PROCEDURE_LIMIT_MAX)?;
        let least = given.unit("procedureMinScore", PROCEDURE_SCORE_MIN)?;
        let as_of = given.time("asOf")?;
        let relations = given.flag("includeRelations", true)?;
        let history = given.flag("includeHistory", false)?;
        self.refresh(ports).await?;
        let any = |memory: &Memory| {
            memory.is_statement() && (history || is_head(memory)) && holds(memory, as_of)
        };
        let is_procedure = |memory: &Memory| memory.memory_type == Type::Procedure;
        let statement = |memory: &Memory| any(memory) && !is_procedure(memory);
        let procedure = |memory: &Memory| any(memory) && is_procedure(memory);
        let source = |memory: &Memory| memory.is_raw();
        let words = self.by_words(&scope, query, limit, &statement)?;
        let meaning = self.by_meaning(ports, &scope, query, &statement).await;
        let mut orders = Vec::new();
        if raw_limit > 0 {
            orders.push(self.by_words(&scope, query, raw_limit, &source)?);
            orders.extend(self.by_meaning(ports, &scope, query, &source).await);
        }
        let mut procedures = Ranked::new();
        if procedure_limit > 0 {
            let words = self.by_words(&scope, query, procedure_limit, &procedure)?;
            let words = self.shares(query, words)?;
            let meaning = self.by_meaning(ports, &scope, query, &procedure).await;
            procedures = weighed(meaning, words, 1.0);
            procedures.retain(|(_, score)| *score >= least);
        }
        let limit_derived = self.settings.derived_context_limit;
        let derived = self.derived(ports, &scope, query, limit_derived).await?;
        let catalog = self.catalog(&scope)?;
        let store = self.store()?.borrow();
        let state = store.state();
        let shown = |ranked: Ranked, limit: usize, with_relations: bool| -> Vec<Value> {
            let items = ranked.into_iter().take(limit).filter_map(|(id, score)| {
                let memory = state.memory(&id)?;
                let relations = with_relations.then_some(as_of);
                let mut out = match relations {
                    Some(as_of) => with_links(state, memory, as_of),
                    None => item(memory),
                };
                if let Value::Object(map) = &mut out {
                    map.insert("score".to_owned(), json!(score));
                }
                Some(out)
            });
            items.collect()
        };
        Ok(json!({
            "memories": shown(fused(meaning, words), limit, relations),
            "raw": shown(raw(&orders), raw_limit, false),
            "procedures": shown(procedures, procedure_limit, relations),
            "derived": derived,
            "catalog": catalog,
        }))
    }

    /// Scores what was found by the share of the query's words it has: a procedure has to reach a score, and the best of a bad list is
    /// as good as any by its rank alone.
    fn shares(&self, query: &str, found: Ranked) -> Result<Ranked, Error> {
        let store = self.store()?.borrow();
        let share = |(id, _): (MemoryId, f64)| {
            let memory = store.state().memory(&id)?;
            let share = token::share(query, &memory.findable());
            Some((id, share))
        };
        Ok(found.into_iter().filter_map(share).collect())
    }

    pub(super) fn by_words(
        &self,
        scope: &ScopeKey,
        query: &str,
        limit: usize,
        wanted: &dyn Fn(&Memory) -> bool,
    ) -> Result<Ranked, Error> {
        let store = self.store()?.borrow();
        let state = store.state();
        let scope = state.scope_of(scope);
        let mut catalogue = self.engine.catalogue.borrow_mut();
        catalogue.sync(&store);
        let is_wanted = |memory: &Memory| memory.scope == *scope && wanted(memory);
        let found = catalogue.search(state, query, limit.max(1) * LOOK_FACTOR, is_wanted);
        Ok(found
            .into_iter()
            .map(|(memory, score)| (memory.id.clone(), score))
            .collect())
    }

    /// Returns the order by meaning; none without vectors. A search never fails for a service.
    pub(super) async fn by_meaning(
        &self,
        ports: Ports<'_>,
        scope: &ScopeKey,
        query: &str,
        wanted: &dyn Fn(&Memory) -> bool,
    ) -> Option<Ranked> {
        if !self.settings.embeddings {
            return None;
        }
        let store = self.store().ok()?;
        let (ids, mut texts): (Vec<MemoryId>, Vec<String>) = {
            let store = store.borrow();
            let mut found: Vec<&Rc<Memory>> = store
                .state()
                .in_scope(scope)
                .filter(|memory| wanted(memory))
                .collect();
            newest_first(&mut found);
            let text = |memory: &Rc<Memory>| {
                crate::text::cut(&memory.findable(), RAW_COMPARED_CHARS).to_owned()
            };
            found
                .into_iter()
                .take(COMPARED_MAX)
                .map(|x| (x.id.clone(), text(x)))
                .unzip()
        };
        texts.push(query.to_owned());
        let budget = Budget::begin(ports, self.settings.embedding_timeout_ms.saturating_mul(2));
        let mut vectors = self
            .engine
            .vectors(ports, store, &texts, budget)
            .await
            .ok()?;
        let mine = vectors.pop()?;
        let mut out: Ranked = ids
            .into_iter()
            .zip(&vectors)
            .map(|(id, theirs)| (id, cosine(&mine, theirs)))
            .collect();
        order::sort_by(&mut out, |a, b| {
            b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0))
        });
        Some(out)
    }
}

fn newest_first(memories: &mut Vec<&Rc<Memory>>) {
    order::sort_by(memories, |a: &&Rc<Memory>, b: &&Rc<Memory>| {
        (b.source.at, b.created_at, &b.id).cmp(&(a.source.at, a.created_at, &a.id))
    });
}

/// A memory with what it replaced directly, and what contradicts it and stands.
fn with_links(state: &State, memory: &Memory, as_of: Option<Millis>) -> Value {
    let mut out = shown(state, memory);
    let of = |ids: &[MemoryId], wanted: &dyn Fn(&Memory) -> bool| -> Vec<Value> {
        let found = ids
            .iter()
            .filter_map(|id| state.memory(id))
            .filter(|x| wanted(x));
        found.map(|memory| item(memory)).collect()
    };
    let previous = of(&memory.supersedes, &|_| true);
    let conflicts = of(&memory.conflicts_with, &|other| {
        is_head(other) && holds(other, as_of)
    });
    if let Value::Object(map) = &mut out {
        if !previous.is_empty() {
            map.insert("previous".to_owned(), previous.into());
        }
        if !conflicts.is_empty() {
            map.insert("conflicts".to_owned(), conflicts.into());
        }
    }
    out
}
