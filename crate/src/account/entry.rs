//! Reading another device's entries: each is checked as if a stranger had written it, before anything of it is folded.
//!
//! What the same person's other device said stands as it is; that is what carrying it is for. What no device of this
//! plugin writes does not come in, and no field is ever used as a path.

use super::import::{NAME_MAX_CHARS, is_id, is_scope, is_sound};
use crate::extract::Candidate;
use crate::memory::{Layer, Origin};
use crate::screen::{Screened, screen};
use crate::store::devices::holds_secret;
use crate::store::entry::{Body, Fact, Row};
use crate::store::log::{DEVICES_MAX, Log};
use crate::store::names::{self, Name};
use crate::store::tables::{Heard, Tables};

/// Ids of one list. A sentence that was said again a thousand times has as many names.
const LIST_MAX: usize = 4_096;
/// Half of what a number may be: entries of this device stand above every one that was taken in.
const SEQ_MAX: u64 = 1 << 52;

/// What may not come in, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub origin: Origin,
    pub seq: u64,
    pub code: &'static str,
}

/// Takes out of a log what may not come in, and returns what that was. At an entry that no device writes it ends.
pub fn check(log: &mut Log) -> Vec<Refusal> {
    let mut refused: Vec<Refusal> = Vec::new();
    let mut end = log.rows.len();
    let mut passed: Vec<usize> = Vec::new();
    for (at, row) in log.rows.iter_mut().enumerate() {
        let is_sound = is_entry(row);
        let code = if is_sound {
            vetoed(row)
        } else {
            Some("not-an-entry")
        };
        let Some(code) = code else { continue };
        refused.push(Refusal {
            origin: row.origin.clone(),
            seq: row.seq.0,
            code,
        });
        if !is_sound {
            let tx = (row.origin.clone(), row.tx);
            end = at;
            // Its commit is whole or absent.
            while end > 0
                && log
                    .rows
                    .get(end - 1)
                    .is_some_and(|x| x.origin == tx.0 && x.tx == tx.1)
            {
                end -= 1;
            }
            log.is_whole = false;
            break;
        }
        passed.push(at);
    }
    log.rows.truncate(end);
    let mut at = 0;
    log.rows.retain(|_| {
        at += 1;
        !passed.contains(&(at - 1))
    });
    refused
}

/// Returns whether a device is named as devices are.
pub fn is_origin(origin: &Origin) -> bool {
    origin.as_str().strip_prefix("d-").is_some_and(|rest| {
        rest.len() == 12
            && rest
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

/// Returns whether a row is an entry as a device writes it: names of the known forms, everything within its limits.
fn is_entry(row: &mut Row) -> bool {
    if !is_origin(&row.origin) || row.seq.0 > SEQ_MAX {
        return false;
    }
    let Body::Fact(fact) = &mut row.body else {
        return false;
    };
    let mut is_sound_so_far = match &*fact {
        Fact::Import { .. }
        | Fact::Checkpoint { .. }
        | Fact::DigestPending { .. }
        | Fact::Digested { .. } => false,
        Fact::Merge { merged } => {
            let is_heard = |one: &Heard| is_origin(&one.origin) && one.seq.0 <= SEQ_MAX;
            merged.put == Tables::default()
                && merged.gone.is_empty()
                && merged.vector.len() <= DEVICES_MAX
                && merged.vector.iter().all(is_heard)
        }
        // Without words it was forgotten.
        Fact::Write { memory } | Fact::Edit { memory, .. } => {
            memory.text.is_empty() && memory.source.quote.is_empty() || is_sound(memory, LIST_MAX)
        }
        Fact::Failure { count, more, .. } => more <= count,
        _ => true,
    };
    let mut n_ids = 0;
    names::each(fact, &mut |name| {
        let is_right = match name {
            Name::Id(id) => {
                n_ids += 1;
                is_id(id) || is_instruction(id.as_str())
            }
            // A folder is its device's: a bare one would land in this machine's own.
            Name::Scope(scope) => {
                let is_bare =
                    scope.as_str().starts_with("path:") && !scope.as_str().starts_with("path:@");
                is_scope(scope) && is_short(scope.as_str()) && !is_bare
            }
            Name::Word(word) => is_short(word) && !word.chars().any(char::is_control),
            Name::Text(_) => true,
        };
        is_sound_so_far = is_sound_so_far && is_right;
    });
    is_sound_so_far && n_ids <= LIST_MAX
}

fn is_short(text: &str) -> bool {
    text.chars().take(NAME_MAX_CHARS + 1).count() <= NAME_MAX_CHARS
}

/// Returns whether an id is one of a line of instructions.
fn is_instruction(id: &str) -> bool {
    id.strip_prefix("i-").is_some_and(|rest| {
        rest.len() <= 38
            && rest
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

/// Returns why an entry may not stand in a ledger, though a device wrote it.
fn vetoed(row: &mut Row) -> Option<&'static str> {
    let Body::Fact(fact) = &mut row.body else {
        return None;
    };
    if holds_secret(fact) {
        return Some("veto:secret");
    }
    let orders = |text: &str| {
        let screened = screen(&Candidate::alone(text));
        matches!(screened, Screened::Vetoed { reason, .. } if reason == "veto:injection")
    };
    let is_order = match &*fact {
        Fact::Write { memory } | Fact::Edit { memory, .. } => {
            memory.layer != Layer::Raw
                && (orders(&memory.text) || memory.canonical.as_deref().is_some_and(orders))
        }
        Fact::Canonical { text, .. } => orders(text),
        _ => false,
    };
    is_order.then_some("veto:injection")
}
