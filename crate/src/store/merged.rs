//! What the entries of all devices come to, as a difference to the state before: how a merge stands in the ledger.

use super::state::State;
use super::tables::{Heard, Tables};
use crate::memory::{MemoryId, ScopeKey, SessionId};
use crate::text::json::Writer;
use crate::text::sorted::Map;

/// A difference between two states. With it opening needs no older segment and no other device's entries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// How far the entries of each other device are held now.
    pub vector: Vec<Heard>,
    /// What is there now, in place of what had the same key.
    pub put: Tables,
    /// What is there no more: a list's name, a space, the key; of a failure its key, a space, its scope.
    pub gone: Vec<String>,
}

impl Merged {
    /// Writes the fields into a row that stands open.
    pub(super) fn write(&self, w: &mut Writer<'_>) {
        w.list("vector", &self.vector, |out, x| x.write(out));
        if self.put != Tables::default() {
            self.put.write(w.name("put"));
        }
        w.texts_if("gone", self.gone.iter().map(String::as_str));
    }

    /// Returns what makes `before` into `after`, in pieces of at most `max` records; the first holds all but records.
    pub(super) fn between(before: &State, after: &State, max: usize) -> Vec<Self> {
        let mut first = Self {
            vector: after.vector().collect(),
            ..Self::default()
        };
        let mut memories = Vec::new();
        for memory in after.memories() {
            if before.memory(&memory.id) != Some(memory) {
                memories.push(memory.clone());
            }
        }
        for memory in before.memories() {
            if after.memory(&memory.id).is_none() {
                first.gone.push(format!("memories {}", memory.id));
            }
        }
        for tombstone in after.tombstones() {
            if before.tombstone(&tombstone.id) != Some(tombstone) {
                first.put.tombstones.push(tombstone.clone());
            }
        }
        // What a device forgot under an id that another device's record has is known by another id now.
        for tombstone in before.tombstones() {
            if after.tombstone(&tombstone.id).is_none() {
                first.gone.push(format!("tombstones {}", tombstone.id));
            }
        }
        for ask in after.asks() {
            if before.ask(&ask.id) != Some(ask) {
                first.put.asks.push(ask.clone());
            }
        }
        for ask in before.asks() {
            if after.ask(&ask.id).is_none() {
                first.gone.push(format!("asks {}", ask.id));
            }
        }
        differ(
            &before.failures,
            &after.failures,
            &mut first.put.failures,
            |key| {
                first.gone.push(format!("failures {} {}", key.1, key.0));
            },
        );
        differ(
            &before.sessions,
            &after.sessions,
            &mut first.put.sessions,
            |key| {
                first.gone.push(format!("sessions {key}"));
            },
        );
        differ(
            &before.requests,
            &after.requests,
            &mut first.put.requests,
            |key| {
                first.gone.push(format!("requests {key}"));
            },
        );
        differ(
            &before.digests,
            &after.digests,
            &mut first.put.digests,
            |key| first.gone.push(format!("digests {key}")),
        );
        if before.joins != after.joins {
            let gone = before
                .joins
                .keys()
                .filter(|from| !after.joins.contains_key(*from));
            first.gone.extend(gone.map(|from| format!("scopes {from}")));
            first.put.scopes = after.tables_but_memories().scopes;
        }
        let mut out = vec![first];
        while !memories.is_empty() {
            let rest = memories.split_off(memories.len().min(max));
            out.push(Self {
                put: Tables {
                    memories,
                    ..Tables::default()
                },
                ..Self::default()
            });
            memories = rest;
        }
        out
    }
}

fn differ<K: Ord, V: Clone + PartialEq>(
    before: &Map<K, V>,
    after: &Map<K, V>,
    put: &mut Vec<V>,
    mut gone: impl FnMut(&K),
) {
    for (key, value) in after.iter() {
        if before.get(key) != Some(value) {
            put.push(value.clone());
        }
    }
    for key in before.keys() {
        if !after.contains_key(key) {
            gone(key);
        }
    }
}

impl State {
    /// Makes the state what a merge came to.
    pub(super) fn merge(&mut self, merged: Merged) {
        for gone in &merged.gone {
            let (list, key) = gone.split_once(' ').unwrap_or((gone, ""));
            match list {
                "memories" => self.take(&MemoryId::from(key)),
                "tombstones" => {
                    self.tombstones.remove(&MemoryId::from(key));
                }
                "asks" => {
                    self.asks.remove(&MemoryId::from(key));
                }
                "failures" => {
                    let (key, scope) = key.split_once(' ').unwrap_or((key, ""));
                    self.failures
                        .remove(&(ScopeKey::from(scope), key.to_owned()));
                }
                "sessions" => {
                    if let Some(reading) = self.sessions.remove(&SessionId::from(key)) {
                        self.sessions_by_seq
                            .remove(&(reading.seq, reading.session_id));
                    }
                }
                "requests" => {
                    self.requests.remove(key);
                }
                "digests" => {
                    self.digests.remove(&ScopeKey::from(key));
                }
                "scopes" => {
                    self.joins.remove(&ScopeKey::from(key));
                }
                _ => {}
            }
        }
        for heard in merged.vector {
            self.vector.insert(heard.origin, heard.seq);
        }
        let put = merged.put;
        for memory in put.memories {
            self.take(&memory.id);
            *self.by_scope.or_default(memory.scope.clone()) += 1;
            self.memories.insert(memory.id.clone(), memory);
        }
        for tombstone in put.tombstones {
            self.tombstones.insert(tombstone.id.clone(), tombstone);
        }
        for ask in put.asks {
            self.asks.insert(ask.id.clone(), ask);
        }
        for failure in put.failures {
            let key = (failure.scope.clone(), failure.key.clone());
            self.failures.insert(key, failure);
        }
        for reading in put.sessions {
            self.read(reading);
        }
        for digest in put.digests {
            self.digests.insert(digest.scope.clone(), digest);
        }
        for join in put.scopes {
            self.joins.insert(join.from, join.to);
        }
        for recorded in put.requests {
            if let Some(request) = recorded.plan.request.clone() {
                self.requests.insert(request, recorded);
            }
        }
    }
}
