//! A first pass over many memories by a few numbers each, so that a step touches the matching ones and the best of the
//! rest, and not every record of a large store.

use super::select::{Occasion, SPARE, allowed, place, score, standing};
use crate::memory::{Memory, Millis, Type};
use crate::rank::Relevance;

/// What choosing needs to know of a memory, side by side in memory with those of all others.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Card {
    /// [`NOWHERE`] for what governs at no time.
    scope: u32,
    memory_type: Type,
    /// It governs only for some time.
    is_bounded: bool,
    importance: f64,
    at: Millis,
}

/// The scope of a card that is not there.
const NOWHERE: u32 = u32::MAX;

/// No memory stands higher by its importance and age.
const STANDING_MAX: f32 = 0.25;

impl Card {
    const NONE: Self = Self {
        scope: NOWHERE,
        memory_type: Type::Constraint,
        is_bounded: false,
        importance: 0.0,
        at: Millis(0),
    };

    fn standing(&self, now: Millis) -> f64 {
        standing(self.importance, self.at, now)
    }

    fn head(&self) -> usize {
        self.scope as usize * Type::ALL.len() + place(self.memory_type)
    }
}

/// The memories of one scope and type that stand highest by importance and age, as of some time.
#[derive(Debug, Default)]
struct Head {
    /// In no order.
    docs: Vec<u32>,
    /// How many were asked for; 0 before it is made.
    n_wanted: usize,
    made_at: Millis,
    /// What all others stood at most, then. Age only takes from it.
    others: f64,
}

/// The cards of a store, by document number.
#[derive(Debug, Default)]
pub struct Deck {
    cards: Vec<Card>,
    /// By scope and type.
    heads: Vec<Head>,
}

impl Deck {
    /// Puts a memory's card in, in place of the one that was there.
    pub fn put(&mut self, doc: u32, scope: u32, memory: &Memory) {
        self.take(doc);
        // A type without a quota is in no list.
        if !memory.may_govern() || place(memory.memory_type) >= Type::ALL.len() {
            return;
        }
        let card = Card {
            scope,
            memory_type: memory.memory_type,
            is_bounded: memory.valid_from.is_some() || memory.valid_until.is_some(),
            importance: memory.importance,
            at: memory.source.at,
        };
        let at = doc as usize;
        if self.cards.len() <= at {
            self.cards.resize(at + 1, Card::NONE);
        }
        if let Some(place) = self.cards.get_mut(at) {
            *place = card;
        }
        if let Some(head) = self.heads.get_mut(card.head())
            && head.n_wanted > 0
            && card.standing(head.made_at) >= head.others
        {
            head.docs.push(doc);
            if head.docs.len() > head.n_wanted * 4 {
                *head = Head::default();
            }
        }
    }

    /// Takes a card out.
    pub fn take(&mut self, doc: u32) {
        let known = self.cards.get_mut(doc as usize);
        let Some(card) = known.filter(|card| card.scope != NOWHERE) else {
            return;
        };
        let head = card.head();
        *card = Card::NONE;
        if let Some(head) = self.heads.get_mut(head) {
            head.docs.retain(|known| *known != doc);
        }
    }

    /// Returns the scope of a memory that may govern.
    pub fn scope(&self, doc: u32) -> Option<u32> {
        let card = self.cards.get(doc as usize)?;
        (card.scope != NOWHERE).then_some(card.scope)
    }

    /// Returns the numbers of the memories of these scopes among which [`super::select`] would choose, ascending.
    ///
    /// `governs` is asked about those that do only for some time. The shown are not all among the result: the caller adds them.
    pub fn shortlist(
        &mut self,
        scopes: &[u32],
        relevance: &Relevance,
        occasion: &Occasion<'_>,
        governs: &dyn Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut lists = Lists::of(occasion);
        self.make_heads(scopes, &lists, occasion.now);
        let raw = |doc: u32| relevance.scores.get(doc as usize).copied().unwrap_or(0.0);
        let offer = |lists: &mut Lists, doc: u32, raw: f32| {
            let Some(card) = self.cards.get(doc as usize) else {
                return false;
            };
            scopes.contains(&card.scope)
                && (!card.is_bounded || governs(doc))
                && lists.offer(card, doc, raw, occasion.now)
        };
        let heads = || {
            let of_scope = |scope: &u32| *scope as usize * Type::ALL.len();
            let numbers = scopes.iter().map(of_scope);
            numbers.flat_map(|at| self.heads.get(at..at + Type::ALL.len()).unwrap_or_default())
        };
        for doc in heads().flat_map(|head| &head.docs) {
            offer(&mut lists, *doc, raw(*doc));
        }
        // What matches too little to come before the least of every list is passed over many at a time.
        let mut least = lists.least_raw();
        let mut from = 0;
        while let Some((doc, raw)) = relevance.next_above(from, least) {
            from = doc + 1;
            if offer(&mut lists, doc as u32, raw) {
                least = lists.least_raw();
            }
        }
        let types = (0..Type::ALL.len()).cycle();
        let is_whole = heads()
            .zip(types)
            .all(|(head, at)| lists.are_above(at, head.others));
        if !is_whole {
            for doc in 0..self.cards.len() as u32 {
                offer(&mut lists, doc, raw(doc));
            }
            self.heads.clear();
        }
        lists.docs()
    }

    /// Makes what heads are missing or of another time.
    fn make_heads(&mut self, scopes: &[u32], lists: &Lists, now: Millis) {
        let width = scopes.iter().max().map_or(0, |scope| *scope as usize + 1) * Type::ALL.len();
        if self.heads.len() < width {
            self.heads.resize_with(width, Head::default);
        }
        let mut missing: Vec<(usize, Best)> = Vec::new();
        for scope in scopes {
            for at in 0..Type::ALL.len() {
                let number = *scope as usize * Type::ALL.len() + at;
                let n_wanted = lists.limit(at) * 4;
                let is_made = self
                    .heads
                    .get(number)
                    .is_some_and(|head| head.n_wanted >= n_wanted && head.made_at <= now);
                if n_wanted > 0 && !is_made {
                    missing.push((number, Best::new(n_wanted)));
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        for (doc, card) in (0u32..).zip(&self.cards) {
            if card.scope == NOWHERE {
                continue;
            }
            let number = card.head();
            if let Some((_, best)) = missing.iter_mut().find(|made| made.0 == number) {
                best.offer(card.standing(now), doc);
            }
        }
        for (number, best) in missing {
            if let Some(head) = self.heads.get_mut(number) {
                *head = Head {
                    docs: best.kept.iter().map(|kept| kept.1).collect(),
                    n_wanted: best.limit,
                    made_at: now,
                    others: best.least,
                };
            }
        }
    }
}

/// The best of each type by score, and of the constraints by what they stand at alone.
struct Lists {
    by_score: [Best; 3],
    standing: Best,
}

impl Lists {
    fn of(occasion: &Occasion<'_>) -> Self {
        let list = |memory_type: Type| {
            let quota = if allowed(memory_type, occasion) {
                occasion.config.quota_of(memory_type) as usize
            } else {
                0
            };
            Best::new(if quota == 0 { 0 } else { quota + SPARE })
        };
        Self {
            by_score: Type::ALL.map(list),
            standing: list(Type::Constraint),
        }
    }

    fn limit(&self, at: usize) -> usize {
        self.by_score.get(at).map_or(0, |list| list.limit)
    }

    /// Returns whether it came among the best.
    fn offer(&mut self, card: &Card, doc: u32, raw: f32, now: Millis) -> bool {
        let stands = card.standing(now);
        let at = place(card.memory_type);
        let is_best = self
            .by_score
            .get_mut(at)
            .is_some_and(|list| list.offer(score(raw, stands), doc));
        at == 0 && self.standing.offer(stands, doc) || is_best
    }

    /// Returns a raw relevance below which nothing comes into a list, however high it stands.
    fn least_raw(&self) -> f32 {
        let lists = self.by_score.iter().filter(|list| list.limit > 0);
        let least = lists.map(|list| list.least).fold(f64::INFINITY, f64::min);
        super::select::raw_of(least - f64::from(STANDING_MAX))
    }

    /// Returns whether nothing that stands at most at `others` could be in a list of this type.
    fn are_above(&self, at: usize, others: f64) -> bool {
        let is_above = |list: &Best| list.limit == 0 || list.least >= others;
        self.by_score.get(at).is_none_or(is_above) && (at > 0 || is_above(&self.standing))
    }

    fn docs(self) -> Vec<u32> {
        let lists = self.by_score.iter().chain([&self.standing]);
        let mut docs: Vec<u32> = lists
            .flat_map(|l| l.kept.iter().map(|kept| kept.1))
            .collect();
        docs.sort_unstable();
        docs.dedup();
        docs
    }
}

/// The best of one list, best first, ties by number.
struct Best {
    kept: Vec<(f64, u32)>,
    limit: usize,
    /// What a key must reach once the list is full.
    least: f64,
}

impl Best {
    fn new(limit: usize) -> Self {
        Self {
            kept: Vec::with_capacity(limit.min(64) + 1),
            limit,
            least: f64::NEG_INFINITY,
        }
    }

    /// Takes it in if it is among the best so far and not there; returns whether it was taken.
    fn offer(&mut self, key: f64, doc: u32) -> bool {
        if key < self.least || self.limit == 0 {
            return false;
        }
        let order = |kept: &(f64, u32)| key.total_cmp(&kept.0).then(kept.1.cmp(&doc));
        let Err(at) = self.kept.binary_search_by(order) else {
            return false;
        };
        if at >= self.limit {
            return false;
        }
        self.kept.insert(at, (key, doc));
        self.kept.truncate(self.limit);
        if self.kept.len() == self.limit {
            self.least = self.kept.last().map_or(self.least, |kept| kept.0);
        }
        true
    }
}
