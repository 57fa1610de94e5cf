//! Memories by number: what the index ranks, kept in step with the state.

use crate::memory::{Memory, MemoryId, ScopeKey};
use crate::rank::{Index, Relevance};
use crate::recall::{Deck, Occasion};
use crate::store::table::Table;
use crate::store::{State, Store};
use std::rc::Rc;

/// One index over every memory's text, serving recall and search.
#[derive(Default)]
pub(super) struct Catalogue {
    index: Index,
    /// By document number; a forgotten memory leaves a free place.
    memories: Vec<Option<Rc<Memory>>>,
    deck: Deck,
    scopes: Vec<ScopeKey>,
    docs: Table<u32>,
    /// Kept from one choice to the next, so that none allocates.
    relevance: Relevance,
    free: Vec<u32>,
    /// The state's generation this reflects.
    generation: u64,
}

impl Catalogue {
    /// Brings the index in step with the store. Costs one comparison when nothing changed.
    pub(super) fn sync(&mut self, store: &Store) {
        let generation = store.generation();
        if self.generation == generation {
            return;
        }
        let state = store.state();
        match store.changed_since(self.generation) {
            Some(changed) => changed.iter().for_each(|id| self.follow(id, state)),
            None => {
                let known = self.memories.iter().flatten().map(|memory| &memory.id);
                let gone: Vec<MemoryId> = known
                    .filter(|id| state.memory(id).is_none())
                    .cloned()
                    .collect();
                gone.iter().for_each(|id| self.follow(id, state));
                self.index.reserve(state.memories().len());
                state.memories().for_each(|memory| self.update(memory));
            }
        }
        self.generation = generation;
    }

    /// Takes in the memories from place `from` on, at most `n`; returns whether more are left.
    ///
    /// For the time between mounting and the first block: what was taken in here costs [`Catalogue::sync`] one comparison.
    pub(super) fn warm(&mut self, store: &Store, from: usize, n: usize) -> bool {
        if store.changed_since(self.generation).is_some() {
            self.sync(store);
            return false;
        }
        let memories = store.state().memories();
        let n_left = memories.len().saturating_sub(from);
        if from == 0 {
            self.index.reserve(n_left);
        }
        let slice = memories.skip(from).take(n);
        slice.for_each(|memory| self.update(memory));
        if n_left <= n {
            self.sync(store);
        }
        n_left > n
    }

    fn follow(&mut self, id: &MemoryId, state: &State) {
        if let Some(memory) = state.memory(id) {
            self.update(memory);
        } else if let Some(doc) = self.docs.remove(id) {
            self.index.remove(doc);
            self.free.push(doc);
            self.deck.take(doc);
            if let Some(place) = self.memories.get_mut(doc as usize) {
                *place = None;
            }
        }
    }

    fn update(&mut self, memory: &Rc<Memory>) {
        let doc = match self.docs.get(&memory.id).copied() {
            Some(doc) => {
                // A record that changed stands elsewhere in memory.
                if self
                    .memory(doc)
                    .is_some_and(|known| Rc::ptr_eq(known, memory))
                {
                    return;
                }
                doc
            }
            None => self.free.pop().unwrap_or(self.memories.len() as u32),
        };
        let is_same_text = self
            .memory(doc)
            .is_some_and(|known| known.is_found_as(memory));
        if !is_same_text && !self.index.insert(doc, &memory.findable()) {
            return;
        }
        if doc as usize >= self.memories.len() {
            self.memories.resize(doc as usize + 1, None);
        }
        let scope = self.scope(&memory.scope);
        self.deck.put(doc, scope, memory);
        if let Some(place) = self.memories.get_mut(doc as usize) {
            *place = Some(memory.clone());
        }
        self.docs.insert(memory.id.clone(), doc);
    }

    fn memory(&self, doc: u32) -> Option<&Rc<Memory>> {
        self.memories.get(doc as usize)?.as_ref()
    }

    /// Returns the best `k` memories that are `wanted`, best first.
    pub(super) fn search<'a>(
        &self,
        state: &'a State,
        query: &str,
        k: usize,
        wanted: impl Fn(&Memory) -> bool,
    ) -> Vec<(&'a Memory, f64)> {
        let memory = |doc: u32| state.memory(&self.memory(doc)?.id).map(Rc::as_ref);
        self.index
            .search(query, k, &|doc| memory(doc).is_some_and(&wanted))
            .into_iter()
            .filter_map(|hit| Some((memory(hit.doc)?, f64::from(hit.score))))
            .collect()
    }

    fn scope(&mut self, key: &ScopeKey) -> u32 {
        let at = self.scopes.iter().position(|known| known == key);
        let at = at.unwrap_or_else(|| {
            self.scopes.push(key.clone());
            self.scopes.len() - 1
        });
        at as u32
    }

    /// Returns the memories of a scope and of `global` among which the choice for `query` is to be made, with their raw
    /// relevance: the best and the shown.
    pub(super) fn shortlist(
        &mut self,
        scope: &ScopeKey,
        query: Option<&str>,
        occasion: &Occasion<'_>,
    ) -> Vec<(&Rc<Memory>, f32)> {
        match query {
            Some(query) => self.index.relevance(query, &mut self.relevance),
            None => self.relevance.scores.clear(),
        }
        let known = (0u32..).zip(&self.scopes);
        let here: Vec<u32> = known
            .filter(|(_, key)| *key == scope || **key == ScopeKey::global())
            .map(|(at, _)| at)
            .collect();
        let memories = &self.memories;
        let governs = |doc: u32| {
            let memory = memories.get(doc as usize).and_then(Option::as_ref);
            memory.is_some_and(|memory| memory.governs(occasion.now))
        };
        let mut docs = self
            .deck
            .shortlist(&here, &self.relevance, occasion, &governs);
        docs.extend(occasion.shown.iter().filter_map(|id| self.doc(id)));
        docs.sort_unstable();
        docs.dedup();
        let raw = |doc: u32| self.relevance.scores.get(doc as usize).copied();
        docs.into_iter()
            .filter(|doc| self.deck.scope(*doc).is_some_and(|at| here.contains(&at)))
            .filter_map(|doc| Some((self.memory(doc)?, raw(doc).unwrap_or(0.0))))
            .collect()
    }

    /// Returns the document number of a memory.
    pub(super) fn doc(&self, id: &MemoryId) -> Option<u32> {
        self.docs.get(id).copied()
    }

    /// Returns the words of `query` that matched a memory, with what each added to its score.
    pub(super) fn terms(&self, id: &MemoryId, query: &str) -> Vec<(String, f64)> {
        let Some(doc) = self.doc(id) else {
            return Vec::new();
        };
        self.index
            .explain(doc, query)
            .terms
            .into_iter()
            .map(|term| (term.word, f64::from(term.score)))
            .collect()
    }
}
