//! Contradictions that a table tells: one kind of text in two languages, one thing in two places, something done and left undone.

use super::compare::{Contradiction, Reason, SHARED_MAX, words_of};
use super::reading::{Class, Clause, Reading, Unit};
use super::words;
use crate::text::sorted::Set;

/// One kind of text in two languages.
pub(super) fn language(new: &Reading, old: &Reading) -> Option<Contradiction> {
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
        is_certain: false,
        is_reduced: false,
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
pub(super) fn place(new: &Reading, old: &Reading) -> Option<Contradiction> {
    let (mine, theirs) = (placements(new), placements(old));
    mine.iter().find_map(|(subject, spots)| {
        let same = theirs
            .iter()
            .find(|(other, there)| subject == other && spots.is_disjoint(there))?;
        Some(Contradiction {
            reason: Reason::Place,
            score: 0.5,
            shared: same.0.iter().take(SHARED_MAX).cloned().collect(),
            is_certain: false,
            is_reduced: false,
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
pub(super) fn activity(new: &Reading, old: &Reading) -> Option<Contradiction> {
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
                    is_certain: false,
                    is_reduced: false,
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
