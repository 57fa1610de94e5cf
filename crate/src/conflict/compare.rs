//! Two sentences: whether the new one contradicts the old one, and by which words one can tell.

use super::align::{Alignment, align};
use super::reading::{Class, Clause, Reading, Unit};
use super::words;
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
}

/// Words told of what two sentences share.
const SHARED_MAX: usize = 8;
/// From this score on, two records that a sentence fits equally well are two wordings of one.
pub(super) const CERTAIN: f64 = 0.8;

/// Returns whether `new` contradicts `old`. Order matters little: the reason is found from both sides.
pub fn compare(new: &str, old: &str) -> Option<Contradiction> {
    contradicts(&Reading::of(new), old)
}

/// The same for a sentence that was read already.
pub(super) fn contradicts(new: &Reading, old: &str) -> Option<Contradiction> {
    let old = Reading::of(old);
    if new.units.is_empty() || old.units.is_empty() || apart(new, &old) {
        return None;
    }
    whole(new, &old)
        .or_else(|| clauses(new, &old))
        .or_else(|| refused(new, &old))
        .or_else(|| language(new, &old))
        .or_else(|| place(new, &old))
        .or_else(|| activity(new, &old))
}

/// Returns whether two records that one sentence contradicts are about different things.
pub(super) fn differ_in_subject(left: &str, right: &str) -> bool {
    let (left, right) = (Reading::of(left), Reading::of(right));
    let (a, b) = (every(&left), every(&right));
    let alignment = align(&a, &b);
    apart(&left, &right) || subject_gap(&alignment) > 0
}

/// Returns whether the sentences are about two times, or about two things that stand side by side.
fn apart(new: &Reading, old: &Reading) -> bool {
    if !new.periods.is_empty() && !old.periods.is_empty() && new.periods != old.periods {
        return true;
    }
    let only = |mine: &Reading, theirs: &Reading| -> Set<usize> {
        mine.siblings
            .difference(&theirs.siblings)
            .map(|(set, _)| *set)
            .collect()
    };
    only(new, old)
        .intersection(&only(old, new))
        .next()
        .is_some()
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
    let other_topic = subject_gap(&align(&a, &b)) > 0;
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
    let shared: u32 = alignment.shared.iter().map(|unit| unit.weight()).sum();
    if shared < least.weight {
        return None;
    }
    let changes = changes(&alignment, left, right);
    let changed: u32 = changes.iter().map(|(a, b)| a.weight() + b.weight()).sum();
    let total: u32 = left.iter().chain(right).map(|unit| unit.weight()).sum();
    let share = f64::from(2 * shared) / f64::from(total.saturating_sub(changed).max(1));
    if share < least.share || subject_gap(&alignment) > 0 {
        return None;
    }
    let found = |reason| Contradiction {
        reason,
        score: share.min(1.0),
        shared: words_of(&alignment.shared),
    };
    if !changes.is_empty() {
        let is_subject = changes
            .iter()
            .all(|(a, b)| names_subject(new, a) && names_subject(old, b));
        return (!is_subject).then(|| found(Reason::Value));
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

/// Returns the values that stand in place of each other.
fn changes<'a>(
    alignment: &Alignment<'a>,
    left: &[&'a Unit],
    right: &[&'a Unit],
) -> Vec<(&'a Unit, &'a Unit)> {
    let missing = |unit: &Unit, there: &[&Unit]| !there.iter().any(|other| unit.same(other));
    let mut out = Vec::new();
    let mut rest: (Vec<&Unit>, Vec<&Unit>) = (Vec::new(), Vec::new());
    for gap in &alignment.gaps {
        let mut old: Vec<&Unit> = values(&gap.old, left);
        for unit in values(&gap.new, right) {
            let at = old.iter().position(|other| instead_of(unit, other));
            match at {
                Some(at) => out.push((unit, old.remove(at))),
                None => rest.0.push(unit),
            }
        }
        rest.1.extend(old);
    }
    // A list that lost its first number and gained a last one.
    if out.is_empty() {
        let number = |unit: &&&Unit| unit.class == Class::Number && unit.measure.is_empty();
        let (gone, come) = (rest.1.iter().find(number), rest.0.iter().find(number));
        if let (Some(old), Some(new)) = (gone, come)
            && missing(new, right)
            && instead_of(new, old)
        {
            out.push((new, old));
        }
    }
    out
}

/// Returns the values of a gap that the other side does not say anywhere.
fn values<'a>(gap: &[&'a Unit], there: &[&Unit]) -> Vec<&'a Unit> {
    gap.iter()
        .filter(|unit| unit.is_value() && !there.iter().any(|other| unit.same(other)))
        .copied()
        .collect()
}

/// Returns whether two values can take each other's place.
fn instead_of(new: &Unit, old: &Unit) -> bool {
    if new.class != old.class || new.refused != old.refused || new.replaced != old.replaced {
        return false;
    }
    match new.class {
        Class::Number => {
            let measures =
                new.measure == old.measure || new.measure.is_empty() || old.measure.is_empty();
            measures && !more_exact(&new.text, &old.text) && !more_exact(&old.text, &new.text)
        }
        _ => true,
    }
}

/// Returns whether `fine` is `coarse` and more: 22.19 and 22.
fn more_exact(fine: &str, coarse: &str) -> bool {
    fine.strip_prefix(coarse)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// Returns whether a value is what the clause rules about, not what it rules: `a.ts` in "a.ts 不许超过 400 行".
fn names_subject(reading: &Reading, unit: &Unit) -> bool {
    let Some(clause) = reading.clauses.get(unit.clause) else {
        return false;
    };
    clause.rules
        && !unit.ruled
        && reading
            .of_clause(unit.clause)
            .any(|other| other.ruled && other.weight() > 0)
}

/// Returns how much is spoken of in one place of both sentences with different words.
fn subject_gap(alignment: &Alignment<'_>) -> u32 {
    alignment
        .gaps
        .iter()
        .map(|gap| {
            let plain = |units: &[&Unit]| -> u32 {
                units
                    .iter()
                    .filter(|unit| !unit.is_value())
                    .map(|unit| unit.weight())
                    .sum()
            };
            plain(&gap.new).min(plain(&gap.old))
        })
        .sum()
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
        let bare = refusing
            .of_clause(unit.clause)
            .all(|other| other.is_value());
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
            });
        }
    }
    None
}

/// One kind of text in two languages.
fn language(new: &Reading, old: &Reading) -> Option<Contradiction> {
    let wanted = |reading: &Reading| -> Set<String> {
        let languages = reading
            .units
            .iter()
            .filter(|unit| unit.class == Class::Language);
        languages
            .filter(|unit| !unit.refused)
            .map(|unit| unit.text.clone())
            .collect()
    };
    let (mine, theirs) = (wanted(new), wanted(old));
    if mine.len() != 1 || theirs.len() != 1 || mine == theirs {
        return None;
    }
    let topic = topics(new).intersection(&topics(old)).next().copied()?;
    let name = words::TOPICS
        .get(topic)?
        .split(' ')
        .find(|word| word.is_ascii() != new.is_chinese)?;
    Some(Contradiction {
        reason: Reason::Language,
        score: 0.5,
        shared: vec![name.to_owned()],
    })
}

fn topics(reading: &Reading) -> Set<usize> {
    let text = text_of(reading.units.iter());
    (0..words::TOPICS.len())
        .filter(|at| {
            words::TOPICS
                .get(*at)
                .is_some_and(|row| row.split(' ').any(|word| says(reading, &text, word)))
        })
        .collect()
}

/// Units as one text, Latin words between spaces.
fn text_of<'a>(units: impl Iterator<Item = &'a Unit>) -> String {
    let mut out = String::new();
    for unit in units {
        if unit.text.is_ascii() {
            out.push(' ');
            out.push_str(&unit.text);
            out.push(' ');
        } else {
            out.push_str(&unit.text);
        }
    }
    out
}

fn says(reading: &Reading, text: &str, word: &str) -> bool {
    if word.is_ascii() {
        reading.units.iter().any(|unit| unit.text == word)
    } else {
        text.contains(word)
    }
}

/// One thing in two places.
fn place(new: &Reading, old: &Reading) -> Option<Contradiction> {
    let (mine, theirs) = (placements(new), placements(old));
    mine.iter().find_map(|(subject, spots)| {
        let same = theirs
            .iter()
            .find(|(other, there)| subject == other && spots.is_disjoint(there))?;
        Some(Contradiction {
            reason: Reason::Place,
            score: 0.5,
            shared: same.0.iter().take(SHARED_MAX).cloned().collect(),
        })
    })
}

/// What lies where: words of the subject in order, and the places named.
type Placement = (Vec<String>, Set<String>);

fn placements(reading: &Reading) -> Vec<Placement> {
    let mut out: Vec<Placement> = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for (at, clause) in reading.clauses.iter().enumerate() {
        let (placed, plain): (Vec<&Unit>, Vec<&Unit>) =
            reading.of_clause(at).partition(|unit| unit.placed);
        let subject = without_hollow(&words_of(&plain));
        // "…存在库里，放在 a.db": the second half is about what the first was about.
        let subject = if subject.is_empty() {
            before.clone()
        } else {
            subject
        };
        let spots: Set<String> = placed
            .iter()
            .filter(|unit| unit.class == Class::Name)
            .map(|unit| unit.text.trim_matches('/').to_owned())
            .collect();
        if clause.places && !clause.refuses() && !subject.is_empty() && !spots.is_empty() {
            out.push((subject.clone(), spots));
        }
        before = subject;
    }
    out
}

fn without_hollow(words: &[String]) -> Vec<String> {
    let hollow: Vec<&str> = words::HOLLOW.split(' ').collect();
    words
        .iter()
        .map(|word| {
            let mut word = word.clone();
            for part in &hollow {
                if !word.is_ascii() {
                    word = word.replace(part, "");
                } else if word == *part {
                    word.clear();
                }
            }
            word
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Something to be done, and to be left undone.
fn activity(new: &Reading, old: &Reading) -> Option<Contradiction> {
    one_leaves_undone(new, old).or_else(|| one_leaves_undone(old, new))
}

fn one_leaves_undone(refusing: &Reading, doing: &Reading) -> Option<Contradiction> {
    let refuses = |at: &usize| refusing.clauses.get(*at).is_some_and(Clause::refuses);
    for clause in (0..refusing.clauses.len()).filter(refuses) {
        let text = text_of(refusing.of_clause(clause).filter(|unit| unit.refused));
        let (text, making) = strip_verbs(text.trim());
        let Some((row, name)) = activity_at(text) else {
            continue;
        };
        for (at, other) in doing.clauses.iter().enumerate() {
            if other.refuses() || other.excepts {
                continue;
            }
            let ruled = text_of(doing.of_clause(at).filter(|unit| unit.ruled));
            let (wanted, does) = strip_verbs(ruled.trim());
            // Not running the tests goes well with writing them.
            if asks_for(row, wanted) && (making != Some(false) || does == Some(false)) {
                return Some(Contradiction {
                    reason: Reason::Activity,
                    score: 0.4,
                    shared: vec![name.to_owned()],
                });
            }
        }
    }
    None
}

/// Returns whether a text names an activity; `CHANGELOG.md` names the changelog.
fn asks_for(row: usize, text: &str) -> bool {
    let names = words::ACTIVITIES.get(row).copied().unwrap_or("");
    names.split(' ').any(|word| {
        if word.is_ascii() {
            text.split(' ')
                .any(|said| said.split('.').next() == Some(word))
        } else {
            text.contains(word)
        }
    })
}

/// Strips verbs of doing from the front, and returns whether one of them makes (or else runs) what follows.
fn strip_verbs(text: &str) -> (&str, Option<bool>) {
    let (mut rest, mut making) = (text, None);
    loop {
        rest = rest.trim_start();
        if let Some(tail) = strip(rest, words::MAKING) {
            (rest, making) = (tail, Some(true));
        } else if let Some(tail) = strip(rest, words::RUNNING) {
            (rest, making) = (tail, Some(false));
        } else if let Some(tail) = strip(rest, words::LIGHT) {
            rest = tail;
        } else {
            return (rest, making);
        }
    }
}

/// Strips the longest word of a table from the front.
fn strip<'a>(text: &'a str, table: &str) -> Option<&'a str> {
    let ends =
        |word: &str, tail: &str| !word.is_ascii() || tail.is_empty() || tail.starts_with(' ');
    table
        .split(' ')
        .filter_map(|word| text.strip_prefix(word).filter(|tail| ends(word, tail)))
        .min_by_key(|tail| tail.len())
}

/// Returns the activity that a text is, hollow nouns behind it left out.
fn activity_at(text: &str) -> Option<(usize, &'static str)> {
    let plain = without_hollow(&[text.trim().to_owned()]);
    let plain = plain.first()?.trim();
    let is = |word: &str| {
        if word.is_ascii() {
            plain
                .split_whitespace()
                .all(|said| said == word || words::has(words::LIGHT, said))
        } else {
            plain == word
        }
    };
    words::ACTIVITIES
        .iter()
        .enumerate()
        .find_map(|(at, row)| Some((at, row.split(' ').find(|word| is(word))?)))
}

fn words_of(units: &[&Unit]) -> Vec<String> {
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
