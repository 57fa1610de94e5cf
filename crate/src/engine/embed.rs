//! Orders what is known by meaning, where the settings ask for it. Any failure leaves the order by words.

use super::budget::Budget;
use super::{Engine, cut};
use crate::config::ConflictRanking;
use crate::conflict::embedding::{self, BATCH_MAX, Fault, Vector, cosine};
use crate::error::HttpError;
use crate::memory::{Memory, MemoryId, Millis, ScopeKey, Status};
use crate::port::{HttpRequest, Ports};
use crate::store::entry::Observation;
use crate::store::{self, Store};
use crate::text::order;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The cache in the data folder.
const FILE: &str = "embeddings.json";
/// Records compared with one sentence.
const COMPARED_MAX: usize = 4_000;

/// Vectors of what is remembered, and the order they gave to this turn's sentences.
#[derive(Debug, Default)]
pub(super) struct Embeddings {
    is_read: bool,
    /// Whether the file lacks something.
    is_ahead: bool,
    vectors: BTreeMap<String, Vector>,
    /// By sentence, the nearest first.
    nearest: BTreeMap<String, Vec<MemoryId>>,
}

impl Embeddings {
    /// Lets go of every vector: something was forgotten.
    pub(super) fn clear(&mut self) {
        self.vectors.clear();
        self.nearest.clear();
    }
}

impl Engine {
    /// Orders what is known for each of `sentences`, in one request. Nothing is sent while the order is by words.
    pub(super) async fn order_by_meaning(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        sentences: &[(&ScopeKey, &str)],
        budget: Budget,
    ) {
        if self.config.conflict_ranking != ConflictRanking::Embedding || sentences.is_empty() {
            return;
        }
        self.embeddings.borrow_mut().nearest.clear();
        self.read_cache(ports, store).await;
        let now = ports.clock.now();
        let mut texts: Vec<String> = Vec::new();
        for (_, text) in sentences {
            if texts.len() < BATCH_MAX && !texts.iter().any(|known| known == text) {
                texts.push((*text).to_owned());
            }
        }
        let n_sentences = texts.len();
        let missing = self.missing(&store.borrow(), sentences, now);
        if missing.is_none() {
            return;
        }
        texts.extend(missing.into_iter().flatten().take(BATCH_MAX - n_sentences));
        match self.embed(ports, &texts, budget).await {
            Ok(vectors) => self.take_order(store, sentences, &texts, vectors, n_sentences, now),
            Err((cause, detail)) => self.observe(Observation::Degraded {
                cause: cause.to_owned(),
                count: None,
                detail: cut(&detail, 400),
            }),
        }
    }

    /// Returns the order by meaning of a sentence's known memories, if there is one.
    pub(super) fn nearest(&self, text: &str) -> Option<Vec<MemoryId>> {
        self.embeddings.borrow().nearest.get(text).cloned()
    }

    /// Writes the cache, without what is no longer remembered.
    pub(super) async fn save_embeddings(&self, ports: Ports<'_>) {
        let Some(store) = self.store.get() else {
            return;
        };
        if !self.embeddings.borrow().is_ahead {
            return;
        }
        let promises = store.borrow().n_promises();
        let bytes = {
            let store = store.borrow();
            let mut embeddings = self.embeddings.borrow_mut();
            let kept: BTreeSet<String> = store
                .state()
                .memories()
                .map(|memory| self.key(&memory.text))
                .collect();
            embeddings.vectors.retain(|key, _| kept.contains(key));
            embeddings.is_ahead = false;
            embedding::write_cache(embeddings.vectors.iter())
        };
        let path = self.cache_path();
        let _ = ports.files.replace(&path, &bytes).await;
        // Something that was forgotten meanwhile, here or elsewhere, may be among what was just written.
        let _ = store::refresh(store, ports).await;
        if store.borrow().n_promises() != promises {
            let _ = ports.files.remove(&path).await;
            self.embeddings.borrow_mut().is_ahead = true;
        }
    }

    fn cache_path(&self) -> String {
        format!("{}/{FILE}", self.dir)
    }

    fn key(&self, text: &str) -> String {
        let settings = &self.config.embedding;
        embedding::key(&settings.model, settings.dimensions, text)
    }

    async fn read_cache(&self, ports: Ports<'_>, store: &RefCell<Store>) {
        if self.embeddings.borrow().is_read {
            return;
        }
        let bytes = ports.files.read(&self.cache_path(), 0).await;
        let known: BTreeSet<String> = {
            let store = store.borrow();
            let memories = store.state().memories();
            memories.map(|memory| self.key(&memory.text)).collect()
        };
        let mut embeddings = self.embeddings.borrow_mut();
        embeddings.is_read = true;
        if let Ok(bytes) = bytes {
            embeddings.vectors = embedding::read_cache(&bytes);
            embeddings.vectors.retain(|key, _| known.contains(key));
        }
    }

    /// Returns the texts of known memories that have no vector, the nearest by words first; none when nothing is known.
    fn missing(
        &self,
        store: &Store,
        sentences: &[(&ScopeKey, &str)],
        now: Millis,
    ) -> Option<Vec<String>> {
        let mut pool: Vec<Rc<Memory>> = Vec::new();
        for (scope, text) in sentences {
            pool.extend(self.known_by_words(store, scope, text, now));
        }
        for (scope, _) in sentences {
            pool.extend(comparable(store, scope, now));
        }
        if pool.is_empty() {
            return None;
        }
        let embeddings = self.embeddings.borrow();
        let mut out: Vec<String> = Vec::new();
        for memory in pool {
            let is_new = !embeddings.vectors.contains_key(&self.key(&memory.text))
                && !out.iter().any(|known| **known == *memory.text)
                && !crate::text::secret::contains(&memory.text);
            if is_new {
                out.push(memory.text.to_string());
            }
            if out.len() >= BATCH_MAX {
                break;
            }
        }
        Some(out)
    }

    /// Returns a vector for each text, asking for those that are not cached, in requests of [`BATCH_MAX`].
    pub(super) async fn vectors(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        texts: &[String],
        budget: Budget,
    ) -> Result<Vec<Vector>, Fault> {
        self.read_cache(ports, store).await;
        let is_known = |text: &String| {
            self.embeddings
                .borrow()
                .vectors
                .contains_key(&self.key(text))
        };
        let mut missing: Vec<String> = texts.iter().filter(|x| !is_known(x)).cloned().collect();
        order::sort(&mut missing);
        missing.dedup();
        for batch in missing.chunks(BATCH_MAX) {
            let found = self.embed(ports, batch, budget).await?;
            let mut embeddings = self.embeddings.borrow_mut();
            for (text, vector) in batch.iter().zip(found) {
                embeddings.vectors.insert(self.key(text), vector);
                embeddings.is_ahead = true;
            }
        }
        let embeddings = self.embeddings.borrow();
        let of = |text: &String| embeddings.vectors.get(&self.key(text)).cloned();
        Ok(texts
            .iter()
            .map(|text| of(text).unwrap_or_default())
            .collect())
    }

    async fn embed(
        &self,
        ports: Ports<'_>,
        texts: &[String],
        budget: Budget,
    ) -> Result<Vec<Vector>, Fault> {
        let settings = &self.config.embedding;
        let timeout_ms = settings.timeout_ms.min(budget.left_ms(ports));
        if timeout_ms == 0 {
            return Err(("embedding-timeout", "no time was left to ask".to_owned()));
        }
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let request = HttpRequest {
            method: "POST",
            url: if settings.endpoint.is_empty() {
                embedding::ENDPOINT.to_owned()
            } else {
                settings.endpoint.clone()
            },
            headers: Vec::new(),
            body: embedding::request(&settings.model, settings.dimensions, &borrowed),
            credential: settings.api_key_env.clone(),
            timeout_ms,
        };
        let reply = ports.http.send(request).await.map_err(|error| {
            let cause = match error {
                HttpError::NoKey { .. } => "embedding-no-key",
                HttpError::Timeout { .. } | HttpError::Ended => "embedding-timeout",
                HttpError::Transport { .. } => "embedding-unreachable",
            };
            (cause, error.to_string())
        })?;
        if reply.status != 200 {
            return Err(("embedding-status", format!("status {}", reply.status)));
        }
        let known = self
            .embeddings
            .borrow()
            .vectors
            .values()
            .next()
            .map(Vec::len);
        let wanted = match settings.dimensions {
            0 => known.unwrap_or(0),
            wanted => wanted as usize,
        };
        embedding::read(&reply.body, texts.len(), wanted)
    }

    fn take_order(
        &self,
        store: &RefCell<Store>,
        sentences: &[(&ScopeKey, &str)],
        texts: &[String],
        vectors: Vec<Vector>,
        n_sentences: usize,
        now: Millis,
    ) {
        let store = store.borrow();
        let mut embeddings = self.embeddings.borrow_mut();
        let mut asked: BTreeMap<&str, Vector> = BTreeMap::new();
        for (place, (text, vector)) in texts.iter().zip(vectors).enumerate() {
            if place < n_sentences {
                asked.insert(text, vector);
            } else {
                embeddings.vectors.insert(self.key(text), vector);
                embeddings.is_ahead = true;
            }
        }
        for (scope, text) in sentences {
            let Some(mine) = asked.get(*text) else {
                continue;
            };
            let mut order: Vec<(f64, MemoryId)> = comparable(&store, scope, now)
                .filter_map(|memory| {
                    let theirs = embeddings.vectors.get(&self.key(&memory.text))?;
                    Some((cosine(mine, theirs), memory.id.clone()))
                })
                .collect();
            order::sort_by(&mut order, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            order.truncate(self.config.known_for_conflict as usize);
            let ids = order.into_iter().map(|(_, id)| id).collect();
            embeddings.nearest.insert((*text).to_owned(), ids);
        }
    }
}

/// What stands or waits in a scope and in `global`, at most [`COMPARED_MAX`].
fn comparable<'a>(
    store: &'a Store,
    scope: &'a ScopeKey,
    now: Millis,
) -> impl Iterator<Item = Rc<Memory>> + 'a {
    let state = store.state();
    let global = ScopeKey::global();
    let others: Vec<Rc<Memory>> = if scope.is_global() {
        Vec::new()
    } else {
        state.in_scope(&global).cloned().collect()
    };
    state
        .in_scope(scope)
        .cloned()
        .chain(others)
        .filter(move |memory| {
            matches!(memory.status, Status::Active | Status::NeedsReview)
                && memory.is_statement()
                && memory.holds_at(now)
        })
        .take(COMPARED_MAX)
}
