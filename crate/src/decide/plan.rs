//! From answers to a plan: what each candidate becomes once all of them are looked at together.
//!
//! One head is replaced at most once, nothing hangs on what is not written, and what was said first stands behind what
//! was said last.

use super::action::{Action, Standing};
use super::error::{Error, Kind};
use super::extract::Proposal;
use super::outcome::{Done, Status, Update};
use super::target::Link;

/// What a judge said about one candidate, or the route in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    pub target: Option<Link>,
    pub action: Action,
    /// None when no judge was asked.
    pub confidence: Option<f64>,
}

impl Verdict {
    /// Returns what a candidate gets that is like nothing known, unasked.
    pub fn independent(proposal: &Proposal) -> Self {
        Self {
            target: None,
            action: if is_temporal(proposal) {
                Action::Temporal
            } else {
                Action::Supplement
            },
            confidence: None,
        }
    }
}

/// What one candidate becomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    pub done: Done,
    pub update: Option<Update>,
    /// The head or the earlier candidate it is linked to.
    pub target: Option<Link>,
    pub confidence: Option<f64>,
}

/// Whether a candidate says itself for how long it holds.
fn is_temporal(proposal: &Proposal) -> bool {
    proposal.valid_from.is_some() || proposal.valid_until.is_some()
}

/// Settles candidates together. `standing` says how a head stands to this source; `review_confidence` of 0 is off.
///
/// In order: what is unclear stands by itself; what hangs on an earlier candidate that is not written follows that one's
/// own target, or stands by itself; of several that take one target the most confident does, the first on a tie; what
/// repeats something that was replaced earlier in the same source returns to it, in front of what stands there now; a
/// conflict is between two that both stay.
///
/// # Errors
/// `DecisionContextError` when an action is not legal for its target.
pub fn settle(
    proposals: &[Proposal],
    verdicts: &[Verdict],
    standing: &dyn Fn(Link) -> Standing,
    review_confidence: f64,
) -> Result<Vec<Settled>, Error> {
    let mut all = legal(verdicts, standing)?;
    for (at, proposal) in proposals.iter().enumerate() {
        let Some(mine) = all.get(at).copied() else {
            continue;
        };
        let unsure = mine
            .confidence
            .is_some_and(|confidence| confidence < review_confidence);
        let mut mine = mine;
        if unsure || mine.action == Action::NeedContext || mine.action == Action::Supplement {
            mine = alone(proposal, mine);
        }
        if let Some(Link::Earlier(_)) = mine.target {
            mine = followed(&all, at, mine, standing).unwrap_or_else(|| alone(proposal, mine));
        }
        put(&mut all, at, mine);
    }
    let mut takers = takers(&all);
    for (at, proposal) in proposals.iter().enumerate() {
        let Some(mine) = all.get(at).copied() else {
            continue;
        };
        let Some(link) = mine.target else { continue };
        let taker = taker(&takers, link);
        let next = match mine.action {
            Action::Override | Action::Negate | Action::Delete if taker != Some(at) => {
                alone(proposal, mine)
            }
            Action::Skip => match taker.filter(|taker| *taker < at) {
                None => continue,
                Some(first) => match tip(&all, &takers, first, at) {
                    Some(tip) if self::taker(&takers, Link::Earlier(tip)).is_none() => {
                        takers.push((Link::Earlier(tip), at));
                        Verdict {
                            target: Some(Link::Earlier(tip)),
                            action: Action::Override,
                            ..mine
                        }
                    }
                    _ => alone(proposal, mine),
                },
            },
            Action::Conflict if taker.is_some() => alone(proposal, mine),
            _ => continue,
        };
        put(&mut all, at, next);
    }
    Ok(all.iter().map(settled).collect())
}

/// Settles procedures together: several may take one head, which then goes once and is linked to all of them.
///
/// What is unclear stands by itself. Where a head is replaced nothing is left to delete; what repeats or contradicts a head that goes
/// stands by itself.
///
/// # Errors
/// As [`settle`].
pub fn settle_procedures(
    proposals: &[Proposal],
    verdicts: &[Verdict],
    standing: &dyn Fn(Link) -> Standing,
    review_confidence: f64,
) -> Result<Vec<Settled>, Error> {
    let mut all = legal(verdicts, standing)?;
    for (mine, proposal) in all.iter_mut().zip(proposals) {
        let unsure = mine.confidence.is_some_and(|x| x < review_confidence);
        if unsure || matches!(mine.action, Action::NeedContext | Action::Supplement) {
            *mine = alone(proposal, *mine);
        }
    }
    let asked = all.clone();
    let does = |mine: &Verdict, at: usize, actions: &[Action]| {
        let others = asked.iter().take(at);
        let same = |x: &Verdict| x.target == mine.target && actions.contains(&x.action);
        mine.target.is_some() && others.into_iter().any(same)
    };
    let everywhere = asked.len();
    for (at, (mine, proposal)) in all.iter_mut().zip(proposals).enumerate() {
        let is_replaced = does(mine, everywhere, &[Action::Override, Action::Negate]);
        match mine.action {
            Action::Delete if is_replaced || does(mine, at, &[Action::Delete]) => {
                mine.action = Action::RawOnly;
            }
            Action::Skip | Action::Conflict
                if is_replaced || does(mine, everywhere, &[Action::Delete]) =>
            {
                *mine = alone(proposal, *mine);
            }
            _ => {}
        }
    }
    Ok(all.iter().map(settled).collect())
}

/// Returns the verdicts, if each action is legal for its target.
fn legal(verdicts: &[Verdict], standing: &dyn Fn(Link) -> Standing) -> Result<Vec<Verdict>, Error> {
    for verdict in verdicts {
        let stands = verdict.target.map_or(Standing::Nothing, standing);
        if !verdict.action.is_legal(stands) {
            let action = verdict.action.as_str();
            return Err(Error::new(
                Kind::Context,
                format!("{action} does not fit what it is about ({stands:?})"),
            ));
        }
    }
    Ok(verdicts.to_vec())
}

/// What a source came to.
pub fn status(settled: &[Settled], partial: bool) -> Status {
    let wrote = |one: &Settled| matches!(one.done, Done::Add | Done::Delete);
    if partial {
        Status::Partial
    } else if settled.iter().any(wrote) {
        Status::Committed
    } else if settled.iter().any(|one| one.done == Done::Skip) {
        Status::Known
    } else {
        Status::RawOnly
    }
}

fn put(all: &mut [Verdict], at: usize, verdict: Verdict) {
    if let Some(mine) = all.get_mut(at) {
        *mine = verdict;
    }
}

/// Stands by itself.
fn alone(proposal: &Proposal, mine: Verdict) -> Verdict {
    Verdict {
        confidence: mine.confidence,
        ..Verdict::independent(proposal)
    }
}

/// Returns a verdict whose earlier candidate is written, or its like on what that one is covered by; none when it dangles.
fn followed(
    all: &[Verdict],
    at: usize,
    mine: Verdict,
    standing: &dyn Fn(Link) -> Standing,
) -> Option<Verdict> {
    let mut link = mine.target?;
    // Each step goes to an earlier candidate, so it ends.
    while let Link::Earlier(other) = link {
        let theirs = all.get(other).filter(|_| other < at)?;
        if settled(theirs).done == Done::Add {
            break;
        }
        link = theirs.target.filter(|_| theirs.action == Action::Skip)?;
    }
    mine.action.is_legal(standing(link)).then_some(Verdict {
        target: Some(link),
        ..mine
    })
}

/// Who takes each target that somebody takes.
fn takers(all: &[Verdict]) -> Vec<(Link, usize)> {
    let mut out: Vec<(Link, usize)> = Vec::new();
    let confidence = |at: usize| {
        let mine = all.get(at).and_then(|verdict| verdict.confidence);
        mine.unwrap_or(0.0)
    };
    for (at, verdict) in all.iter().enumerate() {
        let Some(link) = verdict.target.filter(|_| verdict.action.consumes()) else {
            continue;
        };
        match out.iter_mut().find(|(known, _)| *known == link) {
            Some((_, best)) if confidence(at) > confidence(*best) => *best = at,
            Some(_) => {}
            None => out.push((link, at)),
        }
    }
    out
}

fn taker(takers: &[(Link, usize)], link: Link) -> Option<usize> {
    takers
        .iter()
        .find(|(known, _)| *known == link)
        .map(|(_, at)| *at)
}

/// Returns the candidate that stands in place of what `first` took, as said before `at`; none when it was deleted.
fn tip(all: &[Verdict], takers: &[(Link, usize)], first: usize, at: usize) -> Option<usize> {
    let mut tip = first;
    while let Some(next) = taker(takers, Link::Earlier(tip)).filter(|next| *next < at) {
        tip = next;
    }
    all.get(tip)
        .is_some_and(|verdict| verdict.action != Action::Delete)
        .then_some(tip)
}

fn settled(verdict: &Verdict) -> Settled {
    let (done, update) = match verdict.action {
        Action::Override => (Done::Add, Some(Update::Override)),
        Action::Negate => (Done::Add, Some(Update::Negate)),
        Action::Conflict => (Done::Add, Some(Update::Conflict)),
        Action::Historical => (Done::Add, Some(Update::Historical)),
        Action::Temporal => (Done::Add, Some(Update::Temporal)),
        Action::Supplement | Action::NeedContext => (Done::Add, Some(Update::Supplement)),
        Action::Skip => (Done::Skip, None),
        Action::Delete => (Done::Delete, None),
        Action::RawOnly => (Done::RawOnly, None),
        Action::Invalid => (Done::Invalid, None),
    };
    let keeps = matches!(
        verdict.action,
        Action::Override
            | Action::Negate
            | Action::Conflict
            | Action::Historical
            | Action::Skip
            | Action::Delete
    );
    Settled {
        done,
        update,
        target: verdict.target.filter(|_| keeps),
        confidence: verdict.confidence,
    }
}
