//! Two sentences: whether the new one contradicts the old one, and by which words one can tell.

use super::align::align;
use super::reading::{Class, Clause, Reading, Unit};
use super::subject::{Difference, apart};
use super::topic::{activity, language, place};
use crate::text::sorted::Set;

/// What gave a contradiction away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The same subject with another value.
    Value,
    /// The same said and refused.
    Polarity,
    /// A thing refused that the other sentence uses.
    Refused,
    /// One kind of text in two languages.
    Language,
    /// One thing in two places.
    Place,
    /// Something to be done, and to be left undone.
    Activity,
}

impl Reason {
    /// Returns the frozen string of the ledger's `detector`.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Value => "offline:value",
            Reason::Polarity => "offline:polarity",
            Reason::Refused => "offline:refused",
            Reason::Language => "offline:language",
            Reason::Place => "offline:place",
            Reason::Activity => "offline:activity",
        }
    }
}

/// Why two sentences contradict each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    pub reason: Reason,
    /// How much they have in common, 0..=1.
    pub score: f64,
    /// Words both say, at most [`SHARED_MAX`].
    pub shared: Vec<String>,
    /// Whether nothing else is left to doubt: one sentence but for a value or a refusal, or a change of what is known.
    pub(super) is_certain: bool,
    /// Whether the known sentence names more of its subject than the new one does.
    pub(super) is_reduced: bool,
}

/// Words told of what two sentences share.
pub(super) const SHARED_MAX: usize = 8;
/// From this score on, two records that a sentence fits equally well are two wordings of one.
pub(super) const CERTAIN: f64 = 0.8;

/// Returns whether `new` contradicts `old`. Order matters little: the reason is found from both sides.
pub fn compare(new: &str, old: &str) -> Option<Contradiction> {
    contradicts(&Reading::of(new), &Reading::of(old))
}

/// The same for sentences that were read already.
pub fn contradicts(new: &Reading, old: &Reading) -> Option<Contradiction> {
    // Most pairs say nothing of one thing; only languages and what is left undone are known by other words.
    let languages = new.names_language && old.names_language;
    let refuses = new.refuses || old.refuses;
    if (new.touches(old) == 0 && !languages && !refuses) || apart(new, old) {
        return None;
    }
    let has_clauses = new.clauses.len() > 2 || old.clauses.len() > 2;
    whole(new, old)
        .or_else(|| has_clauses.then(|| clauses(new, old)).flatten())
        .or_else(|| refuses.then(|| refused(new, old)).flatten())
        .or_else(|| languages.then(|| language(new, old)).flatten())
        .or_else(|| {
            (new.places && old.places)
                .then(|| place(new, old))
                .flatten()
        })
        .or_else(|| refuses.then(|| activity(new, old)).flatten())
}

/// Returns whether two records that one sentence contradicts are about different things.
pub(super) fn differ_in_subject(left: &Reading, right: &Reading) -> bool {
    let (a, b) = (every(left), every(right));
    let difference = Difference::of(&align(&a, &b), &a, &b);
    apart(left, right) || difference.is_elsewhere || !difference.is_of_one_thing(left, right)
}

fn every(reading: &Reading) -> Vec<&Unit> {
    reading.units.iter().collect()
}

fn whole(new: &Reading, old: &Reading) -> Option<Contradiction> {
    pair(new, &every(new), old, &every(old), Least::WHOLE)
}

/// How much two sentences, or two clauses of them, must have in common.
struct Least {
    /// Share of what both say in what either says, changed values left out.
    share: f64,
    /// Weight of what both say.
    weight: u32,
}

impl Least {
    const WHOLE: Least = Least {
        share: 0.55,
        weight: 2,
    };
    const CLAUSE: Least = Least {
        share: 0.6,
        weight: 2,
    };
    /// Two clauses that both have their subject in another one: 保留 14 天.
    const INNER: Least = Least {
        share: 0.6,
        weight: 6,
    };
}

fn clauses<'a>(new: &'a Reading, old: &'a Reading) -> Option<Contradiction> {
    let mut best: Option<Contradiction> = None;
    let first = |reading: &'a Reading| -> Vec<&'a Unit> { reading.of_clause(0).collect() };
    let (a, b) = (first(new), first(old));
    let other_topic = Difference::of(&align(&a, &b), &a, &b).is_elsewhere;
    let cut = |reading: &Reading, at: usize| -> Vec<String> {
        reading
            .of_clause(at)
            .map(|unit| unit.text.clone())
            .collect()
    };
    // What both say word for word is nobody's contradiction.
    let is_kept = |reading: &Reading, at: usize, other: &Reading| {
        let said = cut(reading, at);
        (0..other.clauses.len()).any(|there| {
            cut(other, there) == said
                && reading.clauses.get(at).map(Clause::refuses)
                    == other.clauses.get(there).map(Clause::refuses)
        })
    };
    for mine in (0..new.clauses.len()).filter(|at| !is_kept(new, *at, old)) {
        let left: Vec<&Unit> = new.of_clause(mine).collect();
        for theirs in (0..old.clauses.len()).filter(|at| !is_kept(old, *at, new)) {
            let right: Vec<&Unit> = old.of_clause(theirs).collect();
            let least = match (mine, theirs) {
                (0, _) | (_, 0) => Least::CLAUSE,
                _ if other_topic => continue,
                _ => Least::INNER,
            };
            let found = pair(new, &left, old, &right, least);
            if let Some(found) = found
                && best.as_ref().is_none_or(|known| found.score > known.score)
            {
                best = Some(found);
            }
        }
    }
    best
}

fn pair(
    new: &Reading,
    left: &[&Unit],
    old: &Reading,
    right: &[&Unit],
    least: Least,
) -> Option<Contradiction> {
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let alignment = align(left, right);
    let difference = Difference::of(&alignment, left, right);
    let shared: u32 = alignment.shared.iter().map(|unit| unit.weight()).sum();
    let shared = shared + difference.moved;
    let is_elsewhere = difference.is_elsewhere
        || led_elsewhere(new, left, old, difference.only_old)
        || led_elsewhere(old, right, new, difference.only_new);
    if shared < least.weight || is_elsewhere {
        return None;
    }
    let changes = &difference.changes;
    let weight = |units: &[&Unit]| -> u32 { units.iter().map(|unit| unit.weight()).sum() };
    let changed: u32 = changes
        .iter()
        .map(|one| one.new.weight() + one.old.weight())
        .sum();
    let total = weight(left) + weight(right);
    let share = f64::from(2 * shared) / f64::from(total.saturating_sub(changed).max(1));
    // "端口改成 9000": it speaks of something known, whatever else is said of that.
    let presupposes = new.changes && difference.only_new == 0 && changes.len() == 1;
    if share < least.share && !presupposes {
        return None;
    }
    let found = |reason| Contradiction {
        reason,
        score: share.min(1.0),
        shared: words_of(&alignment.shared),
        is_certain: share >= CERTAIN || presupposes,
        is_reduced: difference.only_old > 0,
    };
    if !changes.is_empty() {
        let is_one = difference.is_of_one_thing(new, old);
        return is_one.then(|| found(Reason::Value));
    }
    let rules = |reading: &Reading, units: &[&Unit]| {
        units.iter().all(|unit| {
            reading
                .clauses
                .get(unit.clause)
                .is_some_and(|clause| clause.rules)
        })
    };
    let is_whole = left.len() == new.units.len() && right.len() == old.units.len();
    let speaks = is_whole || (rules(new, left) && rules(old, right));
    (speaks && share >= POLARITY_SHARE && flipped(new, left, old, right))
        .then(|| found(Reason::Polarity))
}

/// Returns whether a later clause, set beside one that says more of its subject, has its own named at the beginning of its sentence.
fn led_elsewhere(mine: &Reading, units: &[&Unit], theirs: &Reading, more: u32) -> bool {
    let is_later = units.first().is_some_and(|unit| unit.clause > 0);
    let mut lead = mine.of_clause(0).filter(|unit| !unit.ruled);
    is_later && more > 0 && lead.any(|unit| !theirs.units.iter().any(|other| unit.same(other)))
}

/// What two clauses must share where only their polarity differs.
const POLARITY_SHARE: f64 = 0.75;

/// Returns whether the clauses say the opposite of each other: one refuses and the other does not, exceptions apart.
fn flipped(new: &Reading, left: &[&Unit], old: &Reading, right: &[&Unit]) -> bool {
    let refusals = |reading: &Reading, units: &[&Unit]| -> Option<bool> {
        let clauses: Set<usize> = units.iter().map(|unit| unit.clause).collect();
        let mut refuses = false;
        for clause in clauses {
            let clause = reading.clauses.get(clause)?;
            if clause.excepts {
                return None;
            }
            refuses ^= clause.refuses();
        }
        Some(refuses)
    };
    matches!((refusals(new, left), refusals(old, right)), (Some(a), Some(b)) if a != b)
}

/// A thing refused on one side and used on the other.
fn refused(new: &Reading, old: &Reading) -> Option<Contradiction> {
    one_refuses(new, old).or_else(|| one_refuses(old, new))
}

fn one_refuses(refusing: &Reading, using: &Reading) -> Option<Contradiction> {
    for unit in refusing
        .units
        .iter()
        .filter(|unit| unit.refused && unit.class == Class::Name)
    {
        let clause = refusing.clauses.get(unit.clause)?;
        // "API 不用 Redis": what is named besides must be the other sentence's matter, too.
        let bare = refusing.of_clause(unit.clause).all(|other| {
            other.is_value() && (other.refused || using.units.iter().any(|there| there.same(other)))
        });
        if clause.excepts || !bare {
            continue;
        }
        let used = using
            .units
            .iter()
            .find(|other| other.same(unit) && other.is_value() && !other.refused);
        // All of "git add -A" must be there, not a word of it.
        let all = used.is_some_and(|used| {
            refusing
                .of_clause(unit.clause)
                .filter(|other| other.refused)
                .all(|other| using.of_clause(used.clause).any(|there| there.same(other)))
        });
        if let Some(used) = used
            && all
            && !using
                .units
                .iter()
                .any(|other| other.same(unit) && other.refused)
        {
            let total: u32 = using.of_clause(used.clause).map(Unit::weight).sum();
            return Some(Contradiction {
                reason: Reason::Refused,
                score: f64::from(used.weight()) / f64::from(total.max(1)),
                shared: words_of(&[unit]),
                is_certain: false,
                is_reduced: false,
            });
        }
    }
    None
}

pub(super) fn words_of(units: &[&Unit]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut han = String::new();
    let take = |out: &mut Vec<String>, word: &mut String| {
        if !word.is_empty() && !out.contains(word) && out.len() < SHARED_MAX {
            out.push(std::mem::take(word));
        }
        word.clear();
    };
    for unit in units {
        if unit.text.is_ascii() {
            take(&mut out, &mut han);
            take(&mut out, &mut unit.text.clone());
        } else {
            han.push_str(&unit.text);
        }
    }
    take(&mut out, &mut han);
    out
}
