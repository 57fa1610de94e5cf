//! `memory_forget`: keeps a promise to a person, and only when the person asked for it.

use super::write::not_committed;
use super::{Call, Engine, Refused, cut};
use crate::memory::{Memory, MemoryId, ScopeKey, Status};
use crate::port::Ports;
use crate::screen::{ForgetRequest, content_words, forget_requests};
use crate::store::forget::Request;
use crate::store::{self, State};
use crate::text::digest::fold;
use crate::turn::Position;
use serde_json::{Value, json};
use std::rc::Rc;

/// Candidates named when an id or text could mean several.
const LISTED_MAX: usize = 8;

/// The arguments of `memory_forget`, checked by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Forget {
    id: String,
}

impl Forget {
    /// Reads the tool's arguments.
    pub fn read(args: &Value) -> Result<Self, Refused> {
        let id = args.get("id").and_then(Value::as_str).unwrap_or("").trim();
        if id.is_empty() {
            return Err(Refused::new(
                "bad-arguments",
                "`id` must be a memory's id as the block or a search prints it, or its exact text",
            ));
        }
        Ok(Self { id: id.to_owned() })
    }
}

impl Engine {
    /// Answers `memory_forget`: `{ forgotten }` with the receipt, or `{ refused }`.
    pub async fn forget(&self, ports: Ports<'_>, args: &Value, call: &Call) -> Value {
        match self.forget_one(ports, args, call).await {
            Ok(reply) => reply,
            Err(refused) => json!({ "refused": refused }),
        }
    }

    async fn forget_one(
        &self,
        ports: Ports<'_>,
        args: &Value,
        call: &Call,
    ) -> Result<Value, Refused> {
        let forget = Forget::read(args)?;
        self.usable()?;
        if call.session.child {
            return Err(Refused::new(
                "child-session",
                "only the session the human speaks in can forget",
            ));
        }
        let asked: Vec<(Position, Vec<ForgetRequest>)> = call
            .humans
            .iter()
            .rev()
            .filter(|human| human.turn == call.turn)
            .map(|human| {
                let position = Position {
                    session_id: call.session.id.clone(),
                    turn: human.turn,
                    seq: human.seq,
                };
                (position, forget_requests(&human.text))
            })
            .filter(|(_, requests)| !requests.is_empty())
            .collect();
        if asked.is_empty() {
            return Err(Refused::new(
                "not-asked",
                "forgetting cannot be undone, so the human's message of this turn must ask for it in so many words: \
                 `forget m-…`, or `forget the rule about …` with the rule's words",
            ));
        }
        self.refresh(ports).await;
        let home = self
            .attach(ports, &call.session, call.seq, call.seq, None)
            .await;
        let store = self.open_store()?;
        let (id, asked) = {
            let store = store.borrow();
            let id = resolve(store.state(), &home, &forget.id)?;
            let position = about(store.state(), &home, &id, asked)?;
            (id, position)
        };
        self.hand_over();
        let request = Request {
            ids: vec![id],
            by: "memory_forget".to_owned(),
            asked: Some(asked),
        };
        let wait_ms = self.config.write_timeout_ms;
        match store::forget(store, ports, request, wait_ms).await {
            Ok(receipt) => Ok(json!({ "forgotten": receipt })),
            Err(error) => Err(not_committed(error)),
        }
    }
}

/// Finds the one memory that `given` names: an id in any form we print, or an exact text.
fn resolve(state: &State, home: &ScopeKey, given: &str) -> Result<MemoryId, Refused> {
    // As it is printed, whatever its form: another device or a hand may have made it.
    if let Some(memory) = state.memory(&MemoryId::from(given.trim())) {
        return Ok(memory.id.clone());
    }
    let mut named: Vec<&Memory> = ids_in(given)
        .iter()
        .filter_map(|id| state.memory(id).map(Rc::as_ref))
        .collect();
    if named.is_empty() {
        let wanted = fold(given);
        named = state
            .memories()
            .map(Rc::as_ref)
            .filter(|memory| memory.scope == *home || memory.scope.is_global())
            .filter(|memory| memory.is_statement())
            .filter(|memory| fold(&memory.text) == wanted || fold(&memory.source.quote) == wanted)
            .collect();
    }
    named.dedup_by(|a, b| a.id == b.id);
    match named.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => Err(Refused::new(
            "not-found",
            "no memory has this id or exact text; memory_search prints ids",
        )),
        several => Err(Refused {
            reason: "ambiguous".to_owned(),
            message: "this could mean several memories; name one id".to_owned(),
            nearest: several
                .iter()
                .take(LISTED_MAX)
                .map(|memory| format!("{} {}", memory.id, cut(&memory.text, 80)))
                .collect(),
        }),
    }
}

/// Returns where the human asked for this record to be forgotten; refuses when what they asked for is another, or may be.
fn about(
    state: &State,
    home: &ScopeKey,
    id: &MemoryId,
    asked: Vec<(Position, Vec<ForgetRequest>)>,
) -> Result<Position, Refused> {
    let place = |memory: &Memory| {
        memory.scope.is_global() || state.scope_of(&memory.scope) == state.scope_of(home)
    };
    let Some(record) = state.memory(id) else {
        return Err(Refused::new("not-found", "no memory has this id"));
    };
    let words =
        |memory: &Memory| content_words(&format!("{}\n{}", memory.text, memory.source.quote));
    let own = words(record);
    let others: Vec<_> = state
        .memories()
        .filter(|memory| memory.id != *id && memory.status == Status::Active && place(memory))
        .filter(|memory| memory.is_statement())
        .map(|memory| (memory, words(memory)))
        .collect();
    let is_meant = |request: &ForgetRequest| {
        let named: Vec<MemoryId> = request.named().flat_map(ids_in).collect();
        if named
            .iter()
            .any(|named| named.to_string().starts_with("m-") && state.memory(named).is_some())
        {
            return named.contains(id);
        }
        if request.repeats(&fold(&record.text)) || request.repeats(&fold(&record.source.quote)) {
            return true;
        }
        if request.is_general() {
            return others.is_empty() && record.status == Status::Active;
        }
        let share = request.share(&own);
        let is_beaten = others
            .iter()
            .any(|(_, theirs)| request.share(theirs).words > share.words);
        if is_beaten || !share.is_most {
            return false;
        }
        // A word that no other memory has says which one; of those that others have too it takes two.
        let is_own = request.words_in(&own).iter().any(|key| {
            !others
                .iter()
                .any(|(_, theirs)| theirs.iter().any(|word| word.0 == *key))
        });
        if request.names_memory() {
            share.words >= 2 || share.words == 1 && is_own
        } else {
            share.is_restated
        }
    };
    for (position, requests) in asked {
        if requests.iter().any(is_meant) {
            return Ok(position);
        }
    }
    Err(Refused::new(
        "not-this-one",
        format!(
            "the human's message asks to forget something, and not clearly this memory: {}; forgetting cannot be undone, so \
             they must say `forget {id}`, or `forget the rule about …` with words that this memory has and others have not",
            cut(&record.text, 80)
        ),
    ))
}

/// Returns every id in a text: bare, in a printed line, or cut short of its `m-`.
pub(super) fn ids_in(given: &str) -> Vec<MemoryId> {
    let mut out: Vec<MemoryId> = given
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .map(|word| word.trim_matches('-').to_ascii_lowercase())
        .filter_map(|word| {
            let tail = word.strip_prefix("m-").unwrap_or(&word);
            let (digest, version) = tail.split_once('-').unwrap_or((tail, "2"));
            let plain = digest.len() == 12 && digest.bytes().all(|b| b.is_ascii_alphanumeric());
            (plain && version.bytes().all(|b| b.is_ascii_digit()))
                .then(|| MemoryId::from(format!("m-{tail}")))
        })
        .collect();
    crate::text::order::sort(&mut out);
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_form_of_an_id_is_read() {
        for form in [
            "m-0123456789ab",
            "M-0123456789AB",
            "0123456789ab",
            "[constraint m-0123456789ab 2026-09-29]",
            "- [constraint m-0123456789ab 2026-09-29] 端口固定",
            "`m-0123456789ab`",
        ] {
            assert_eq!(ids_in(form), [MemoryId::from("m-0123456789ab")], "{form}");
        }
        assert_eq!(
            ids_in("m-0123456789ab-2"),
            [MemoryId::from("m-0123456789ab-2")]
        );
        assert!(ids_in("端口固定 8000").is_empty());
    }
}
