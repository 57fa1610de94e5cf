//! Memories by number: what the index ranks, kept in step with the state.

use crate::memory::{Memory, MemoryId, ScopeKey};
use crate::rank::{Index, Relevance};
use crate::recall::{Card, Occasion, shortlist};
use crate::store::table::Table;
use crate::store::{State, Store};
use std::rc::Rc;

/// One index over every memory's text, serving recall and search.
#[derive(Default)]
pub(super) struct Catalogue {
    index: Index,
    /// By document number; a forgotten memory leaves a free place.
    ids: Vec<Option<MemoryId>>,
    /// By document number: the scope's place in `scopes`, and what choosing needs; none for what never governs.
    cards: Vec<Option<(u32, Card)>>,
    scopes: Vec<ScopeKey>,
    docs: Table<(u32, Rc<Memory>)>,
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
                let gone: Vec<MemoryId> = self
                    .docs
                    .values()
                    .map(|(_, memory)| &memory.id)
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
        } else if let Some((doc, _)) = self.docs.remove(id) {
            self.index.remove(doc);
            self.free.push(doc);
            if let Some(place) = self.ids.get_mut(doc as usize) {
                *place = None;
            }
            if let Some(card) = self.cards.get_mut(doc as usize) {
                *card = None;
            }
        }
    }

    fn update(&mut self, memory: &Rc<Memory>) {
        let doc = match self.docs.get(&memory.id) {
            // A record that changed stands elsewhere in memory.
            Some((_, known)) if Rc::ptr_eq(known, memory) => return,
            Some((doc, _)) => *doc,
            None => self.free.pop().unwrap_or(self.ids.len() as u32),
        };
        if !self.index.insert(doc, &memory.text) {
            return;
        }
        if doc as usize >= self.ids.len() {
            self.ids.resize(doc as usize + 1, None);
            self.cards.resize(doc as usize + 1, None);
        }
        let scope = self.scope(&memory.scope);
        if let Some(card) = self.cards.get_mut(doc as usize) {
            *card = Card::of(memory).map(|card| (scope, card));
        }
        if let Some(place) = self.ids.get_mut(doc as usize) {
            *place = Some(memory.id.clone());
        }
        self.docs.insert(memory.id.clone(), (doc, memory.clone()));
    }

    /// Returns the best `k` memories that are `wanted`, best first.
    pub(super) fn search<'a>(
        &self,
        state: &'a State,
        query: &str,
        k: usize,
        wanted: impl Fn(&Memory) -> bool,
    ) -> Vec<(&'a Memory, f64)> {
        let memory = |doc: u32| {
            let id = self.ids.get(doc as usize)?.as_ref()?;
            state.memory(id).map(Rc::as_ref)
        };
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

    /// Returns the memories of a scope and of `global` among which the choice is to be made, with their raw relevance:
    /// the best and the shown.
    pub(super) fn shortlist(
        &self,
        scope: &ScopeKey,
        relevance: &Relevance,
        occasion: &Occasion<'_>,
    ) -> Vec<(&Rc<Memory>, f32)> {
        let of = |key: &ScopeKey| self.scopes.iter().position(|known| known == key);
        let (mine, global) = (of(scope), of(&ScopeKey::global()));
        let here = |scope: u32| Some(scope as usize) == mine || Some(scope as usize) == global;
        let raw = |doc: u32| relevance.scores.get(doc as usize).copied().unwrap_or(0.0);
        let cards = (0u32..).zip(&self.cards).filter_map(|(doc, entry)| {
            let (scope, card) = entry.as_ref()?;
            here(*scope).then(|| (doc, card, raw(doc)))
        });
        let mut docs = shortlist(cards, occasion);
        docs.extend(occasion.shown.iter().filter_map(|id| self.doc(id)));
        docs.sort_unstable();
        docs.dedup();
        docs.into_iter()
            .filter_map(|doc| {
                let (scope, _) = self.cards.get(doc as usize)?.as_ref()?;
                let id = self.ids.get(doc as usize)?.as_ref()?;
                let (_, memory) = self.docs.get(id)?;
                here(*scope).then(|| (memory, raw(doc)))
            })
            .collect()
    }

    /// Scores every memory against `query`.
    pub(super) fn relevance(&self, query: &str, out: &mut Relevance) {
        self.index.relevance(query, out);
    }

    /// Returns the document number of a memory.
    pub(super) fn doc(&self, id: &MemoryId) -> Option<u32> {
        self.docs.get(id).map(|(doc, _)| *doc)
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
