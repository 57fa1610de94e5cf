//! Chooses the few.

use super::line::line_tokens;
use crate::config::{RecallConfig, Subagents};
use crate::memory::{Memory, MemoryId, Millis, Type};
use crate::store::entry::Chosen;
use crate::text::order;
use std::cmp::Ordering;

/// A memory of the session's scope or of `global`, and how well it matches the human's message.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub memory: &'a Memory,
    /// The raw score of [`crate::rank::Index`]; 0 when nothing matches.
    pub relevance: f32,
}

/// What the choice depends on beside the memories.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    pub now: Millis,
    pub config: &'a RecallConfig,
    /// Whether a memory's restatement is shown in place of its own words.
    pub canonical: bool,
    /// Whether another agent delegated the session.
    pub child: bool,
    /// What the session's block holds now, in the order first shown.
    pub shown: &'a [MemoryId],
    /// Tokens the memories' lines may cost: the block's limit less [`super::overhead_tokens`].
    pub room_tokens: u32,
}

/// The choice, in the order of the block's lines, and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    pub ids: Vec<MemoryId>,
    /// The terms of each, in the same order.
    pub chosen: Vec<Chosen>,
}

/// Weights of a memory's score, which lies in 0..=1.
///
/// # Source
/// Shared corpus, 373 queries over 1,025 memories given random importance (0.6 to 0.95) and age (to 180 days),
/// 2026-11-30: relevant ones among the best four are 0.683 with these, 0.698 by relevance alone, 0.628 with 0.6, 0.3, 0.1.
const RELEVANCE_WEIGHT: f64 = 0.75;
const IMPORTANCE_WEIGHT: f64 = 0.2;
const AGE_WEIGHT: f64 = 0.05;

/// The raw relevance at which the relevance term is one half.
///
/// # Source
/// The same run: a third of the relevant memories score below it. From 8 to 16 the result moves by 0.003.
const RELEVANCE_HALF: f64 = 12.0;

/// The age at which the age term is one half.
const AGE_HALF_MS: f64 = 60.0 * 86_400_000.0;

/// An unshown memory takes a shown one's place only when its score is higher by this.
///
/// Too small and the block changes with every message, which the provider's prefix cache pays for; too large and the
/// block stays with the first message's subject.
const MARGIN: f64 = 0.15;

/// Candidates kept a type beside the quota and the shown, to fall back on when one does not fit.
pub(super) const SPARE: usize = 8;

/// Chooses the memories of one turn's block.
///
/// Only what governs at `now`, of types the session may see, within each type's quota and the room. Half of the
/// constraints' quota goes by importance and age alone: a rule that always holds shares no words with most messages.
/// The rest goes by relevance, importance and age. What is shown stays unless an unshown one of its type is better
/// by [`MARGIN`], and lines keep the order first shown; new ones follow, best first, ties by id.
pub fn select<'a>(
    candidates: impl IntoIterator<Item = Candidate<'a>>,
    occasion: &Occasion<'_>,
) -> Selection {
    let mut pools = [Pool::default(), Pool::default(), Pool::default()];
    let shown = Shown::of(occasion.shown);
    for candidate in candidates {
        let memory = candidate.memory;
        if !allowed(memory.memory_type, occasion) || !memory.governs(occasion.now) {
            continue;
        }
        let quota = occasion.config.quota_of(memory.memory_type) as usize;
        if let Some(pool) = pools.get_mut(place(memory.memory_type)) {
            pool.offer(Scored::of(candidate, &shown, occasion.now), quota);
        }
    }
    let mut picked = pick(&mut pools, occasion);
    order::sort_by(&mut picked, |a, b| {
        let place = |scored: &Scored| scored.shown.unwrap_or(usize::MAX);
        place(a).cmp(&place(b)).then(by_key(a, b, full_key))
    });
    Selection {
        ids: picked.iter().map(|s| s.memory.id.clone()).collect(),
        chosen: picked.iter().map(Scored::terms).collect(),
    }
}

/// What is shown, with one bit for the last characters of each id: most candidates are told apart by it alone.
struct Shown<'a> {
    ids: &'a [MemoryId],
    bits: u64,
}

impl<'a> Shown<'a> {
    fn of(ids: &'a [MemoryId]) -> Self {
        let bits = ids.iter().fold(0, |bits, id| bits | Self::bit(id));
        Self { ids, bits }
    }

    fn bit(id: &MemoryId) -> u64 {
        let mut last = id.as_str().bytes().rev();
        let (a, b) = (last.next().unwrap_or(0), last.next().unwrap_or(0));
        1 << ((a ^ b.rotate_left(3)) & 63)
    }

    fn place(&self, id: &MemoryId) -> Option<usize> {
        if self.bits & Self::bit(id) == 0 {
            return None;
        }
        self.ids.iter().position(|shown| shown == id)
    }
}

/// One candidate with its terms.
#[derive(Clone, Copy)]
struct Scored<'a> {
    memory: &'a Memory,
    relevance: f64,
    importance: f64,
    age: f64,
    /// Its place among the shown.
    shown: Option<usize>,
}

impl<'a> Scored<'a> {
    fn of(candidate: Candidate<'a>, shown: &Shown<'_>, now: Millis) -> Self {
        let memory = candidate.memory;
        Self {
            memory,
            relevance: relevance_term(candidate.relevance),
            importance: memory.importance.clamp(0.0, 1.0),
            age: age_term(memory.source.at, now),
            shown: shown.place(&memory.id),
        }
    }

    fn standing(&self) -> f64 {
        weighed(self.importance, self.age)
    }

    fn score(&self) -> f64 {
        RELEVANCE_WEIGHT * self.relevance + self.standing()
    }

    fn margin(&self) -> f64 {
        if self.shown.is_some() { MARGIN } else { 0.0 }
    }

    fn terms(&self) -> Chosen {
        Chosen {
            id: self.memory.id.clone(),
            score: self.score(),
            relevance: self.relevance,
            importance: self.importance,
            age: self.age,
        }
    }
}

fn relevance_term(raw: f32) -> f64 {
    let raw = f64::from(raw).max(0.0);
    raw / (raw + RELEVANCE_HALF)
}

fn age_term(at: Millis, now: Millis) -> f64 {
    let age_ms = now.0.saturating_sub(at.0).max(0) as f64;
    AGE_HALF_MS / (AGE_HALF_MS + age_ms)
}

fn weighed(importance: f64, age: f64) -> f64 {
    IMPORTANCE_WEIGHT * importance + AGE_WEIGHT * age
}

/// Returns the part of a memory's score that does not depend on the message.
pub(super) fn standing(importance: f64, at: Millis, now: Millis) -> f64 {
    weighed(importance.clamp(0.0, 1.0), age_term(at, now))
}

/// Returns a memory's score from its raw relevance and its standing part.
pub(super) fn score(relevance: f32, standing: f64) -> f64 {
    RELEVANCE_WEIGHT * relevance_term(relevance) + standing
}

/// Returns a raw relevance below which a memory's relevance adds less than `share` to its score: 0 when any adds that.
pub(super) fn raw_of(share: f64) -> f32 {
    // A little less than the inverse of [`relevance_term`], for both are rounded.
    let term = share / RELEVANCE_WEIGHT * (1.0 - 1e-6);
    if term >= 1.0 {
        f32::MAX
    } else {
        (RELEVANCE_HALF * term.max(0.0) / (1.0 - term.max(0.0)) * (1.0 - 1e-6)) as f32
    }
}

fn full_key(scored: &Scored) -> f64 {
    scored.score() + scored.margin()
}

fn standing_key(scored: &Scored) -> f64 {
    scored.standing() + scored.margin()
}

/// Best first, ties by id.
fn by_key(a: &Scored, b: &Scored, key: fn(&Scored) -> f64) -> Ordering {
    key(b)
        .total_cmp(&key(a))
        .then_with(|| a.memory.id.cmp(&b.memory.id))
}

/// The best candidates of one type, in two orders.
#[derive(Default)]
struct Pool<'a> {
    by_score: Vec<Scored<'a>>,
    by_standing: Vec<Scored<'a>>,
}

impl<'a> Pool<'a> {
    fn offer(&mut self, scored: Scored<'a>, quota: usize) {
        if quota == 0 {
            return;
        }
        let limit = quota + SPARE;
        keep_best(&mut self.by_score, scored, limit, full_key);
        if scored.memory.memory_type == Type::Constraint {
            keep_best(&mut self.by_standing, scored, limit, standing_key);
        }
    }
}

impl Pool<'_> {
    fn give_up(&mut self, id: &MemoryId) {
        self.by_score.retain(|scored| scored.memory.id != *id);
        self.by_standing.retain(|scored| scored.memory.id != *id);
    }
}

/// Inserts into a short list kept best first.
fn keep_best<'a>(
    list: &mut Vec<Scored<'a>>,
    scored: Scored<'a>,
    limit: usize,
    key: fn(&Scored) -> f64,
) {
    if list.len() >= limit {
        if list
            .last()
            .is_some_and(|worst| by_key(worst, &scored, key).is_le())
        {
            return;
        }
        list.pop();
    }
    let at = list.partition_point(|other| by_key(other, &scored, key).is_le());
    list.insert(at, scored);
}

/// Fills the quotas, passing over what does not fit into the room.
///
/// What is shown is seated first, so that no new memory of one type costs a shown one of another its place. When nothing
/// fits, the best is given all the same: the renderer cuts it.
fn pick<'a>(pools: &mut [Pool<'a>; 3], occasion: &Occasion<'_>) -> Vec<Scored<'a>> {
    let mut too_long: Option<Scored> = None;
    loop {
        let mut picked: Vec<Scored> = Vec::new();
        for memory_type in Type::ALL {
            if let Some(pool) = pools.get(place(memory_type)) {
                fill(
                    &mut picked,
                    pool,
                    occasion.config.quota_of(memory_type) as usize,
                );
            }
        }
        order::sort_by(&mut picked, |a, b| {
            (b.shown.is_some().cmp(&a.shown.is_some())).then(by_key(a, b, full_key))
        });
        let mut room = occasion.room_tokens;
        let over = picked.iter().find(|scored| {
            let cost = line_tokens(scored.memory, occasion.canonical);
            let fits = cost <= room;
            room = room.saturating_sub(cost);
            !fits
        });
        let Some(over) = over.copied() else {
            if picked.is_empty() {
                picked.extend(too_long);
            }
            return picked;
        };
        too_long.get_or_insert(over);
        for pool in pools.iter_mut() {
            pool.give_up(&over.memory.id);
        }
    }
}

/// Adds the best of one type: first those that stand by themselves, then by score.
fn fill<'a>(picked: &mut Vec<Scored<'a>>, pool: &Pool<'a>, quota: usize) {
    let begin = picked.len();
    picked.extend(pool.by_standing.iter().take(quota / 2));
    for scored in &pool.by_score {
        if picked.len() - begin >= quota {
            break;
        }
        let mine = picked.get(begin..).unwrap_or(&[]);
        if !mine.iter().any(|other| other.memory.id == scored.memory.id) {
            picked.push(*scored);
        }
    }
}

pub(super) fn allowed(memory_type: Type, occasion: &Occasion<'_>) -> bool {
    !occasion.child
        || match occasion.config.subagents {
            Subagents::Constraint => memory_type == Type::Constraint,
            Subagents::All => true,
            Subagents::None => false,
        }
}

pub(super) fn place(memory_type: Type) -> usize {
    match memory_type {
        Type::Constraint => 0,
        Type::Pitfall => 1,
        Type::Decision => 2,
        // Past every pool.
        _ => Type::ALL.len(),
    }
}
