//! One memory's receipt: everything the ledger says about it, from the sentence to the last block that showed it.

use super::phrase::{event, receipt as say};
use super::{Page, Phrase, name, one_line, two_digits};
use crate::memory::{Memory, MemoryId, Millis, SessionId};
use crate::store::entry::{Body, Fact, Observation, Row};
use crate::store::tables::Tombstone;
use serde_json::{Value, json};

/// Events told of one memory; what is over is counted.
const EVENTS_MAX: usize = 400;
/// Sessions it was shown in that are told one by one.
const SESSIONS_MAX: usize = 100;
/// Of these, how many stand in the text.
const SESSIONS_TOLD: usize = 8;

/// One thing that happened.
struct Event {
    at: Millis,
    phrase: &'static Phrase,
    values: Vec<String>,
    data: Value,
}

/// A session whose block held it.
struct Shown {
    session: SessionId,
    first: Millis,
    last: Millis,
    last_turn: u32,
    n_blocks: u32,
    /// Of the last block that held it, whole.
    tokens: u32,
    score: f64,
}

/// Collects what rows say about one memory. Feed it every row, oldest first.
pub struct Receipt {
    id: MemoryId,
    /// The id its sentence has as a candidate.
    first: MemoryId,
    events: Vec<Event>,
    shown: Vec<Shown>,
    n_left_out: u32,
    n_blocks: u32,
}

impl Receipt {
    pub fn of(id: &MemoryId) -> Self {
        Self {
            first: name::first_version(id),
            id: id.clone(),
            events: Vec::new(),
            shown: Vec::new(),
            n_left_out: 0,
            n_blocks: 0,
        }
    }

    /// Takes a row in, if it is about this memory.
    pub fn add(&mut self, segment: &str, row: &Row, line: &[u8]) {
        let Some((phrase, values)) = self.read(row) else {
            return;
        };
        if self.events.len() >= EVENTS_MAX {
            self.n_left_out += 1;
            return;
        }
        let mut data: Value = serde_json::from_slice(line).unwrap_or(Value::Null);
        if let Value::Object(fields) = &mut data {
            fields.insert("segment".to_owned(), segment.into());
        }
        self.events.push(Event {
            at: row.at,
            phrase,
            values,
            data,
        });
    }

    fn read(&mut self, row: &Row) -> Option<(&'static Phrase, Vec<String>)> {
        if let Body::Fact(Fact::Import { row }) = &row.body {
            return self.read(row);
        }
        let is_it = |id: &MemoryId| *id == self.id;
        let is_said = |id: &MemoryId| *id == self.first;
        let list = |ids: &[MemoryId]| {
            let ids: Vec<&str> = ids.iter().map(MemoryId::as_str).collect();
            ids.join(", ")
        };
        let rest = |ids: &[MemoryId]| {
            let others: Vec<MemoryId> = ids.iter().filter(|id| **id != self.id).cloned().collect();
            list(&others)
        };
        Some(match &row.body {
            Body::Fact(Fact::Write { memory }) if is_it(&memory.id) => (
                &event::WRITTEN,
                vec![
                    memory.status.as_str().to_owned(),
                    memory.by.as_str().to_owned(),
                ],
            ),
            Body::Fact(Fact::Edit { memory, .. }) if is_it(&memory.id) => {
                (&event::EDITED, vec![one_line(&memory.text)])
            }
            Body::Fact(Fact::Status {
                id, status, reason, ..
            }) if is_it(id) => (
                &event::STATUS,
                vec![status.as_str().to_owned(), reason.clone()],
            ),
            Body::Fact(Fact::Supersede { old, new }) if is_it(old) => {
                (&event::SUPERSEDED, vec![new.to_string()])
            }
            Body::Fact(Fact::Supersede { old, new }) if is_it(new) => {
                (&event::SUPERSEDES, vec![old.to_string()])
            }
            Body::Fact(Fact::Canonical { id, text }) if is_it(id) => {
                (&event::RESTATED, vec![one_line(text)])
            }
            Body::Fact(Fact::ConflictAsk {
                id,
                against,
                attempt,
                detector,
                asker,
                ..
            }) if is_it(id) || against.contains(&self.id) => {
                // Who is about to ask is no news to a person; whether a card was shown is.
                if asker.as_deref().is_some_and(|asker| asker != "review") {
                    return None;
                }
                let other = if is_it(id) {
                    rest(against)
                } else {
                    id.to_string()
                };
                if *attempt == 0 {
                    (&event::HELD, vec![other, detector.clone()])
                } else {
                    (&event::ASKED, vec![other, attempt.to_string()])
                }
            }
            Body::Fact(Fact::ConflictResolved {
                id,
                against,
                choice,
            }) if is_it(id) || against.contains(&self.id) => {
                (&event::ANSWERED, vec![choice.clone()])
            }
            Body::Fact(Fact::Forget { id, by, .. }) if is_it(id) => {
                (&event::FORGOTTEN, vec![by.clone()])
            }
            Body::Observation(Observation::Remember {
                id,
                score,
                by,
                threshold,
                admitted,
                ..
            }) if is_said(id) => {
                let phrase = if *admitted {
                    &event::ADMITTED
                } else {
                    &event::REFUSED
                };
                let by = by.as_str().to_owned();
                (phrase, vec![by, two_digits(*score), two_digits(*threshold)])
            }
            Body::Observation(Observation::Skip {
                id: Some(id),
                reason,
                count,
                position,
                ..
            }) if is_said(id) || is_it(id) => {
                let times = count.map(|n| n.to_string()).unwrap_or_default();
                if reason == "failure-seen-once" {
                    (&event::FAILED, vec![times, position.session_id.to_string()])
                } else {
                    (
                        &event::SAID_AGAIN,
                        vec![reason.clone(), position.session_id.to_string()],
                    )
                }
            }
            Body::Observation(Observation::Normalize {
                id,
                accepted,
                share,
                ..
            }) if is_it(id) => {
                let phrase = if *accepted {
                    &event::FORM_KEPT
                } else {
                    &event::FORM_DROPPED
                };
                (phrase, vec![two_digits(*share)])
            }
            Body::Observation(Observation::Recall {
                session_id,
                turn,
                tokens,
                chosen,
                ..
            }) => {
                let score = chosen.iter().find(|one| is_it(&one.id))?.score;
                self.show(row.at, session_id, *turn, *tokens, score);
                return None;
            }
            _ => return None,
        })
    }

    fn show(&mut self, at: Millis, session: &SessionId, turn: u32, tokens: u32, score: f64) {
        self.n_blocks = self.n_blocks.saturating_add(1);
        if let Some(known) = self.shown.iter_mut().find(|one| one.session == *session) {
            known.last = at;
            known.last_turn = turn;
            known.n_blocks += 1;
            known.tokens = tokens;
            known.score = score;
        } else {
            // The sessions of long ago go first: the last injection is what is asked for.
            if self.shown.len() >= SESSIONS_MAX {
                self.shown.remove(0);
            }
            self.shown.push(Shown {
                session: session.clone(),
                first: at,
                last: at,
                last_turn: turn,
                n_blocks: 1,
                tokens,
                score,
            });
        }
    }

    /// Tells a memory that is known.
    pub fn tell(mut self, memory: &Memory, page: &mut Page<'_>) {
        let head = page.memory(memory);
        page.line(&head);
        let status = page.status(memory.status);
        page.say(
            &say::STATE,
            &[
                status,
                memory.scope.as_str(),
                &two_digits(memory.importance),
            ],
        );
        if memory.source.quote != *memory.text {
            page.say(&say::QUOTE, &[&one_line(&memory.source.quote)]);
        }
        if let Some(canonical) = &memory.canonical {
            page.say(&say::CANONICAL, &[&one_line(canonical)]);
        }
        if let Some(way_out) = &memory.source.way_out {
            page.say(&say::WAY_OUT, &[&one_line(way_out)]);
        }
        for (phrase, ids) in [
            (&say::REPLACES, &memory.supersedes),
            (&say::REPLACED_BY, &memory.superseded_by),
            (&say::DIFFERS, &memory.conflicts_with),
        ] {
            if !ids.is_empty() {
                let ids: Vec<&str> = ids.iter().map(MemoryId::as_str).collect();
                page.say(phrase, &[&ids.join(", ")]);
            }
        }
        page.set("memory", super::record(memory));
        let heard = Event {
            at: memory.source.at,
            phrase: if memory.source.tool.is_some() {
                &event::SEEN
            } else {
                &event::HEARD
            },
            values: vec![
                memory.source.session_id.to_string(),
                memory.source.turn.to_string(),
                memory.source.seq.to_string(),
            ],
            data: json!({ "kind": "heard", "at": memory.source.at, "position": {
                "sessionId": memory.source.session_id, "turn": memory.source.turn, "seq": memory.source.seq } }),
        };
        self.events.insert(0, heard);
        self.history(page);
    }

    /// Tells what is left of a forgotten one.
    pub fn tell_forgotten(self, tombstone: &Tombstone, page: &mut Page<'_>) {
        let at = page.times.minute(tombstone.at);
        page.say(&say::GONE, &[tombstone.id.as_str(), &at, &tombstone.by]);
        page.set("tombstone", json!({ "id": tombstone.id, "scope": tombstone.scope, "at": tombstone.at, "by": tombstone.by }));
        self.history(page);
    }

    fn history(self, page: &mut Page<'_>) {
        page.gap();
        page.say(&say::HAPPENED, &[]);
        for event in &self.events {
            let values: Vec<&str> = event.values.iter().map(String::as_str).collect();
            let text = page.words(event.phrase, &values);
            let at = page.times.minute(event.at);
            page.line(&format!("- {at} {text}"));
        }
        if self.n_left_out > 0 {
            page.say(&say::MORE_EVENTS, &[&self.n_left_out.to_string()]);
        }
        page.gap();
        if self.shown.is_empty() {
            page.say(&say::NEVER_SHOWN, &[]);
        } else {
            let n_sessions = self.shown.len().to_string();
            page.say(&say::SHOWN, &[&self.n_blocks.to_string(), &n_sessions]);
            for one in self.shown.iter().rev().take(SESSIONS_TOLD) {
                let times = (page.times.minute(one.first), page.times.minute(one.last));
                let numbers = [one.n_blocks, one.last_turn, one.tokens].map(|n| n.to_string());
                let [blocks, turn, tokens] = &numbers;
                let values = [
                    one.session.as_str(),
                    blocks,
                    &times.0,
                    &times.1,
                    turn,
                    tokens,
                    &two_digits(one.score),
                ];
                page.item(&say::SHOWN_IN, &values);
            }
        }
        let shown = self.shown.iter().map(|one| {
            json!({ "sessionId": one.session, "first": one.first, "last": one.last, "lastTurn": one.last_turn,
                "blocks": one.n_blocks, "tokens": one.tokens, "score": one.score })
        });
        page.set("shown", shown.collect());
        page.set("blocks", self.n_blocks.into());
        page.set("eventsLeftOut", self.n_left_out.into());
        page.set(
            "events",
            self.events.into_iter().map(|event| event.data).collect(),
        );
    }
}
