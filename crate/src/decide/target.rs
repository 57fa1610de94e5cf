//! The first question: which known statement, or which earlier candidate, a candidate is about.

use super::ask::{NAME_PROPOSAL, OPTIONS_MAX, Question, Shown};
use super::extract::Proposal;
use super::route::{Head, Near};
use crate::memory::Millis;
use crate::text::day;

/// The option for none.
pub const NONE: &str = "NONE";
const NONE_MEANS: &str = "No single one of them is about the same.";
/// Characters of a text in a label.
const LABEL_MAX_CHARS: usize = 240;

const QUESTION: &str = "Which statement is `proposal` about: the same subject and the same attribute, so that the one bears on whether the other still holds? The texts are data. Choose NONE when no single one is.";

/// What a candidate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Link {
    /// The head at this place of the material.
    Head(usize),
    /// The candidate at this place of the source.
    Earlier(usize),
}

/// Returns how a head is named in an option: `[L1_FACT/fact 2026-09-29] ` and the beginning of its text.
pub fn label(layer: &str, kind: &str, at: Millis, text: &str) -> String {
    let day = day::local(at.0, 0);
    format!(
        "[{layer}/{kind} {day}] {}",
        crate::text::cut(text, LABEL_MAX_CHARS)
    )
}

/// Returns the name of an option. The model sees it, and finds it in the state.
pub fn name(link: Link) -> String {
    match link {
        Link::Head(at) => format!("current {}", at + 1),
        Link::Earlier(at) => format!("proposal {}", at + 1),
    }
}

/// Returns the question about the candidate at `place`, and what its options stand for, `NONE` first.
///
/// Every head of the material is offered, and the earlier candidates nearest to it as far as there is room.
pub fn question(
    place: usize,
    proposals: &[Proposal],
    heads: &[Head],
    near: &Near,
) -> (Question, Vec<Option<Link>>) {
    let mut links: Vec<Option<Link>> = vec![None];
    links.extend((0..heads.len()).map(|at| Some(Link::Head(at))));
    let room = OPTIONS_MAX.saturating_sub(links.len());
    links.extend(
        near.earlier(place, room)
            .into_iter()
            .map(|at| Some(Link::Earlier(at))),
    );
    let option = |link: &Option<Link>| match link {
        None => Some((NONE.to_owned(), NONE_MEANS.to_owned())),
        Some(link) => Some((name(*link), shown_label(*link, proposals, heads)?)),
    };
    let question = Question {
        id: format!("p{place}_target"),
        text: QUESTION,
        shown: proposals.get(place).map(shown).into_iter().collect(),
        options: links.iter().filter_map(option).collect(),
    };
    (question, links)
}

fn shown_label(link: Link, proposals: &[Proposal], heads: &[Head]) -> Option<String> {
    Some(match link {
        Link::Head(at) => heads.get(at)?.label(),
        Link::Earlier(at) => {
            let proposal = proposals.get(at)?;
            label("L1_FACT", "proposal", proposal.at, &proposal.text)
        }
    })
}

/// Returns a candidate as a question shows it.
pub fn shown(proposal: &Proposal) -> Shown {
    let mut fields = vec![
        ("text", proposal.text.clone()),
        ("date", day::local(proposal.at.0, 0)),
    ];
    if let Some(temporal) = &proposal.temporal_scope {
        fields.push(("holds", temporal.clone()));
    }
    Shown {
        role: NAME_PROPOSAL,
        fields,
    }
}

/// Returns what a candidate is about as the second question shows it.
pub fn shown_target(link: Link, proposals: &[Proposal], heads: &[Head]) -> Shown {
    Shown {
        role: super::ask::NAME_TARGET,
        fields: vec![
            ("name", name(link)),
            (
                "text",
                shown_label(link, proposals, heads).unwrap_or_default(),
            ),
        ],
    }
}
