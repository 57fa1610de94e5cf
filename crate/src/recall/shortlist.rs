//! A first pass over many memories by a few numbers each, so that a step does not touch every record of a large store.

use super::select::{Occasion, SPARE, allowed, place, score, standing};
use crate::memory::{Memory, Millis, Type};

/// What choosing needs to know of a memory, side by side in memory with those of all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Card {
    memory_type: Type,
    importance: f64,
    at: Millis,
    /// The first instant at which it governs, and the first at which it no longer does.
    from: Millis,
    until: Millis,
}

impl Card {
    /// Returns the card of a memory; none when it cannot govern at any time.
    pub fn of(memory: &Memory) -> Option<Self> {
        memory.may_govern().then(|| Self {
            memory_type: memory.memory_type,
            importance: memory.importance,
            at: memory.source.at,
            from: memory.valid_from.unwrap_or(Millis(i64::MIN)),
            until: memory.valid_until.unwrap_or(Millis(i64::MAX)),
        })
    }
}

/// Returns the numbers of the memories among which [`super::select`] would choose, in no order.
///
/// `cards` gives each memory's number, card and raw relevance, the shown ones too. The shown are not all among the
/// result: the caller adds them.
pub fn shortlist<'a>(
    cards: impl IntoIterator<Item = (u32, &'a Card, f32)>,
    occasion: &Occasion<'_>,
) -> Vec<u32> {
    let mut lists: [Best; 6] = std::array::from_fn(|at| {
        let memory_type = Type::ALL.get(at / 2).copied().unwrap_or(Type::Constraint);
        Best::new(occasion.config.quota_of(memory_type) as usize)
    });
    for (doc, card, relevance) in cards {
        let now = occasion.now;
        if !(card.from <= now && now < card.until && allowed(card.memory_type, occasion)) {
            continue;
        }
        let at = place(card.memory_type) * 2;
        let stands = standing(card.importance, card.at, now);
        if let Some(list) = lists.get_mut(at) {
            list.offer(score(relevance, stands), doc);
        }
        if card.memory_type == Type::Constraint
            && let Some(list) = lists.get_mut(at + 1)
        {
            list.offer(stands, doc);
        }
    }
    let mut docs: Vec<u32> = lists
        .iter()
        .flat_map(|list| list.kept.iter().map(|kept| kept.1))
        .collect();
    docs.sort_unstable();
    docs.dedup();
    docs
}

/// The best of one list, best first.
struct Best {
    kept: Vec<(f64, u32)>,
    limit: usize,
    /// What a key must be above once the list is full.
    least: f64,
}

impl Best {
    fn new(quota: usize) -> Self {
        Self {
            kept: Vec::new(),
            limit: if quota == 0 { 0 } else { quota + SPARE },
            least: f64::NEG_INFINITY,
        }
    }

    fn offer(&mut self, key: f64, doc: u32) {
        if key <= self.least || self.limit == 0 {
            return;
        }
        let at = self.kept.partition_point(|kept| kept.0 >= key);
        self.kept.insert(at, (key, doc));
        if self.kept.len() > self.limit {
            self.kept.pop();
        }
        if self.kept.len() == self.limit {
            self.least = self.kept.last().map_or(self.least, |kept| kept.0);
        }
    }
}
