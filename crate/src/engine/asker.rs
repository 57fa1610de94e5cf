//! Who shows a card: one engine at a time, of all processes over one folder.
//!
//! The claim is a row before the card: of two that come at once the ledger keeps the first. It holds while its process
//! lives and no longer than a card can stay open; an end without an answer gives it back.

use super::Engine;
use super::question::When;
use crate::memory::Millis;
use crate::port::{Liveness, Owner, Ports};
use crate::store::entry::Fact;
use crate::store::tables::Ask;
use crate::text::digest::short_digest;

/// In place of an asker: no card is shown by itself, the question waits for the human to ask.
pub(super) const REVIEW: &str = "review";

/// How much longer than its card a claim holds: the answer is on its way.
const GRACE_MS: i64 = 5_000;

impl Engine {
    /// The row that claims a question for this engine.
    pub(super) fn claim(&self, ports: Ports<'_>, ask: &Ask) -> Fact {
        Fact::ConflictAsk {
            id: ask.id.clone(),
            against: ask.against.clone(),
            attempt: ask.attempt,
            detector: ask.detector.clone(),
            shared: ask.shared.clone(),
            question: None,
            asker: Some(self.name(ports)),
            instead: (!ask.asker.is_empty()).then(|| ask.asker.clone()),
        }
    }

    /// Returns whether no other living engine may have a card open for this question.
    pub(super) fn may_ask(&self, ports: Ports<'_>, ask: &Ask, when: When) -> bool {
        if ask.asker == REVIEW {
            return when == When::Review;
        }
        let longest = i64::from(self.config.ask_on_conflict_timeout_ms) + GRACE_MS;
        let Millis(now) = ports.clock.now();
        ask.asker.is_empty()
            || ask.asker == *self.asker.borrow()
            // By more than a card can stay open, whichever way the clock went.
            || now.saturating_sub(ask.at.0).saturating_abs() > longest
            || owner(ports, &ask.asker).is_some_and(|owner| ports.files.liveness(&owner) == Liveness::Dead)
    }

    /// This engine's name in the ledger: a digest of the host's name, the process, when it started, and one of its own.
    fn name(&self, ports: Ports<'_>) -> String {
        let mut name = self.asker.borrow_mut();
        if name.is_empty() {
            let mut own = [0; 8];
            ports.random.fill(&mut own);
            let Owner { host, pid, started } = ports.files.owner();
            *name = [
                short_digest(host.as_bytes()),
                pid.to_string(),
                started,
                short_digest(&own),
            ]
            .join("/");
        }
        name.clone()
    }
}

/// The process of an asker, where it is one of this machine.
fn owner(ports: Ports<'_>, asker: &str) -> Option<Owner> {
    let mut parts = asker.split('/');
    let (host, pid, started) = (parts.next()?, parts.next()?, parts.next()?);
    let here = ports.files.owner();
    (host == short_digest(here.host.as_bytes())).then_some(Owner {
        pid: pid.parse().ok()?,
        started: started.to_owned(),
        ..here
    })
}
