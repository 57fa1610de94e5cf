//! Whether two sentences are about one thing: what stands in one place of both must be one thing, and one value may differ.
//!
//! Wrong "one thing": a person is asked about two rules that go well together, and may retire one of them. Wrong "two
//! things": the newer rule stands beside the older. The second costs less, so what cannot be told is two things.

use super::align::Alignment;
use super::reading::{Class, Reading, Sibling, Unit};
use super::words::{self, Apart};
use crate::screen::is_technology;

/// Two values that stand in place of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) new: &'a Unit,
    pub(super) old: &'a Unit,
    /// The gap between shared words that both stand in.
    gap: usize,
}

/// What two readings laid beside each other do not share.
#[derive(Debug, Default)]
pub(super) struct Difference<'a> {
    pub(super) changes: Vec<Change<'a>>,
    /// Weight of what both say in another order.
    pub(super) moved: u32,
    /// Weight of what only one side says, values that the other side names elsewhere left out.
    pub(super) only_new: u32,
    pub(super) only_old: u32,
    /// Whether in one place both sides speak of something that the other does not.
    pub(super) is_elsewhere: bool,
}

/// Returns whether the sentences are about two times, or about two things that stand side by side.
pub(super) fn apart(new: &Reading, old: &Reading) -> bool {
    if !new.periods.is_empty() && !old.periods.is_empty() && new.periods != old.periods {
        return true;
    }
    let (mine, theirs) = (only(new, old), only(old, new));
    let both = mine
        .iter()
        .any(|one| theirs.iter().any(|two| one.set == two.set));
    // Where the new sentence says that something changes, it speaks of what is known, whatever that is called there.
    let alone = |some: &[&Sibling], is_new: bool| {
        some.iter().any(|one| match words::SIBLINGS.get(one.set) {
            Some((Apart::Alone, _)) => one.leads && (is_new || !new.changes),
            Some((Apart::Unchanged, _)) => !new.changes,
            _ => false,
        })
    };
    both || alone(&mine, true) || alone(&theirs, false)
}

/// Returns the siblings that only `mine` names. One that names several of a set speaks of them all, and what is meant where none is named says nothing alone.
fn only<'a>(mine: &'a Reading, theirs: &Reading) -> Vec<&'a Sibling> {
    let names = |reading: &Reading, one: &Sibling| {
        reading.siblings.iter().any(|other| other.word == one.word)
    };
    let mut out: Vec<&Sibling> = mine
        .siblings
        .iter()
        .filter(|one| !names(theirs, one))
        .collect();
    let of_set = |set: usize| mine.siblings.iter().filter(move |one| one.set == set);
    let others = |set: usize| theirs.siblings.iter().any(|one| one.set == set);
    out.retain(|one| {
        let differs = of_set(one.set).any(|two| two.word != one.word);
        others(one.set) || !(differs || words::has(words::MEANT, &one.word))
    });
    out
}

impl<'a> Difference<'a> {
    pub(super) fn of(alignment: &Alignment<'a>, left: &[&'a Unit], right: &[&'a Unit]) -> Self {
        let mut out = Self::default();
        let mut news: Vec<(usize, &Unit)> = Vec::new();
        let mut olds: Vec<(usize, &Unit)> = Vec::new();
        for (at, gap) in alignment.gaps.iter().enumerate() {
            let mut old: Vec<&Unit> = values(&gap.old, left);
            for unit in values(&gap.new, right) {
                if let Some(found) = old.iter().position(|other| instead_of(unit, other)) {
                    let old = old.remove(found);
                    out.changes.push(Change {
                        new: unit,
                        old,
                        gap: at,
                    });
                }
            }
            news.extend(gap.new.iter().map(|unit| (at, *unit)));
            olds.extend(gap.old.iter().map(|unit| (at, *unit)));
        }
        // A list that lost its first number and gained a last one.
        if out.changes.is_empty() {
            let number = |units: &[(usize, &'a Unit)], there: &[&Unit]| {
                let mut units = units.iter().copied();
                units.find(|(_, unit)| {
                    unit.class == Class::Number && unit.measure.is_empty() && says(there, unit) == 0
                })
            };
            if let (Some((gap, new)), Some((_, old))) = (number(&news, right), number(&olds, left))
                && instead_of(new, old)
            {
                out.changes.push(Change { new, old, gap });
            }
        }
        let is_changed = |unit: &Unit| {
            let mut changes = out.changes.iter();
            changes.any(|change| std::ptr::eq(change.new, unit) || std::ptr::eq(change.old, unit))
        };
        // What only one side says, by the place in which it does.
        let mut only = vec![(0u32, 0u32); alignment.gaps.len()];
        let mut moved = 0;
        for (units, there, is_new) in [(&news, right, true), (&olds, left, false)] {
            for (gap, unit) in units {
                if is_changed(unit) || unit.replaced {
                    continue;
                }
                // A Han character is no word: that it stands somewhere else says nothing.
                let is_word = unit.is_value() || unit.text.is_ascii();
                if is_word && says(there, unit) > 0 {
                    moved += unit.weight();
                    continue;
                }
                if let Some((new, old)) = only.get_mut(*gap) {
                    *(if is_new { new } else { old }) += unit.weight();
                }
            }
        }
        out.moved = moved / 2;
        for (at, (new, old)) in only.into_iter().enumerate() {
            out.only_new += new;
            out.only_old += old;
            // Words around names that changed belong to them: `Linux 模块` for `#[cfg]`.
            let mut here = out.changes.iter().filter(|change| change.gap == at);
            let is_name = here.any(|change| change.new.class != Class::Number);
            out.is_elsewhere |= if is_name {
                plain_on_both(alignment, at)
            } else {
                new.min(old) > 0
            };
        }
        out
    }

    /// Returns whether what changed can be one thing's value: nothing that tells which thing is meant changed with it.
    pub(super) fn is_of_one_thing(&self, new: &Reading, old: &Reading) -> bool {
        self.changes.iter().all(|change| {
            let these: Vec<&Change<'_>> = self
                .changes
                .iter()
                .filter(|one| one.shares_clause(change) && !one.repeats(change))
                .collect();
            match these.as_slice() {
                [one] => !one.names_subject(new, old),
                many => {
                    let names = many.iter().filter(|one| one.new.class != Class::Number);
                    let n_names = names.clone().count();
                    let one_gap = many.windows(2).all(|two| match two {
                        [a, b] => a.gap == b.gap,
                        _ => true,
                    });
                    if n_names == 0 {
                        // "v1 接口 3 秒", "v2 接口 5 秒": a number before the subject tells which one.
                        let is_ordinal = |one: &Change<'_>| {
                            !one.new.ruled && !one.old.ruled && one.new.measure.is_empty()
                        };
                        one_gap || !many.first().is_some_and(|one| is_ordinal(one))
                    } else if n_names == many.len() {
                        names.clone().all(|one| {
                            one.new.ruled
                                && one.old.ruled
                                && is_technology(&one.new.text)
                                && is_technology(&one.old.text)
                        })
                    } else {
                        // "MySQL 8" for "PostgreSQL 15" is one value, where it is said that it changed.
                        one_gap && new.changes
                    }
                }
            }
        })
    }
}

impl Change<'_> {
    fn shares_clause(&self, other: &Change<'_>) -> bool {
        self.new.clause == other.new.clause || self.old.clause == other.old.clause
    }

    /// Returns whether the same changed elsewhere, too.
    fn repeats(&self, other: &Change<'_>) -> bool {
        !std::ptr::eq(self.new, other.new) && self.new.same(other.new) && self.old.same(other.old)
    }

    /// Returns whether the values are what is spoken of, not what is said of it.
    fn names_subject(&self, new: &Reading, old: &Reading) -> bool {
        if self.new.class != Class::Name || self.new.ruled || self.old.ruled {
            return false;
        }
        // `a.ts` in "a.ts 不许超过 400 行".
        if ruled_about(new, self.new) && ruled_about(old, self.old) {
            return true;
        }
        // "`auth` is written in Go", "`billing` is written in Go": what comes behind is the value.
        let leads = |reading: &Reading, unit: &Unit| {
            let mut units = reading.of_clause(unit.clause);
            units.next().is_some_and(|first| std::ptr::eq(first, unit))
        };
        // `web/a` for `a`: one thing that lies elsewhere now.
        let (mine, theirs) = (
            self.new.text.trim_matches('/'),
            self.old.text.trim_matches('/'),
        );
        if !leads(new, self.new) || mine.ends_with(theirs) || theirs.ends_with(mine) {
            return false;
        }
        let mut after = new
            .of_clause(self.new.clause)
            .skip_while(|unit| !std::ptr::eq(*unit, self.new))
            .skip(1);
        let is_tool = is_technology(&self.new.text) && is_technology(&self.old.text);
        after.any(|unit| {
            let is_value = match unit.class {
                Class::Number => true,
                Class::Name => !is_tool,
                _ => false,
            };
            is_value && old.of_clause(self.old.clause).any(|other| unit.same(other))
        })
    }
}

/// Returns whether a value is what its clause rules about.
fn ruled_about(reading: &Reading, unit: &Unit) -> bool {
    let Some(clause) = reading.clauses.get(unit.clause) else {
        return false;
    };
    clause.rules
        && reading
            .of_clause(unit.clause)
            .any(|other| other.ruled && other.weight() > 0)
}

/// Returns whether both sides of a gap speak in plain words.
fn plain_on_both(alignment: &Alignment<'_>, at: usize) -> bool {
    let plain = |units: &[&Unit]| units.iter().any(|unit| !unit.is_value());
    alignment
        .gaps
        .get(at)
        .is_some_and(|gap| plain(&gap.new) && plain(&gap.old))
}

/// Returns the values of a gap that the other side does not say anywhere.
fn values<'a>(gap: &[&'a Unit], there: &[&Unit]) -> Vec<&'a Unit> {
    gap.iter()
        .filter(|unit| unit.is_value() && says(there, unit) == 0)
        .copied()
        .collect()
}

/// How often `units` say what `unit` says.
fn says(units: &[&Unit], unit: &Unit) -> usize {
    units.iter().filter(|other| unit.same(other)).count()
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
        Class::Name => {
            let kind = |unit: &Unit| words::row(words::FAMILIES, &unit.text);
            !matches!((kind(new), kind(old)), (Some(a), Some(b)) if a != b)
        }
        _ => true,
    }
}

/// Returns whether `fine` is `coarse` and more: 22.19 and 22.
fn more_exact(fine: &str, coarse: &str) -> bool {
    fine.strip_prefix(coarse)
        .is_some_and(|rest| rest.starts_with('.'))
}
