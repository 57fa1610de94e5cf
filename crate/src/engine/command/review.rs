//! `review`: what waits for the human, and their answer in words.

use super::{
    DONE, Ending, Reply, Typed, WAIT_MS, failed, find, found_nothing, misunderstood, within,
};
use crate::account::Page;
use crate::account::phrase::command as say;
use crate::conflict::card::Choice;
use crate::conflict::detect;
use crate::conflict::instruction::is_instruction;
use crate::engine::Engine;
use crate::error::StoreError;
use crate::memory::{Memory, MemoryId, Millis, Revision, ScopeKey, Status};
use crate::port::Ports;
use crate::store::entry::{Body, Fact};
use crate::store::{self, Draft, State, Store};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// Questions told at once.
const TOLD_MAX: usize = 20;

/// An answer, by the words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Conflict(Choice),
    Keep,
    Drop,
}

/// Every word an answer can be.
const ANSWERS: &[(&[&str], Answer)] = &[
    (
        &["replace", "new", "1", "新", "新的", "以新的为准"],
        Answer::Conflict(Choice::Replace),
    ),
    (
        &["keep-old", "old", "2", "旧", "旧的", "保留旧的"],
        Answer::Conflict(Choice::KeepOld),
    ),
    (
        &["both", "keep-both", "3", "都", "都保留", "两条都保留"],
        Answer::Conflict(Choice::KeepBoth),
    ),
    (&["keep", "采用", "保留"], Answer::Keep),
    (&["drop", "归档", "不要"], Answer::Drop),
];

fn answer(word: &str) -> Option<Answer> {
    let word = word
        .trim_matches(|c: char| "`.,。，".contains(c))
        .to_ascii_lowercase();
    let row = ANSWERS
        .iter()
        .find(|(words, _)| words.contains(&word.as_str()));
    row.map(|(_, answer)| *answer)
}

impl Engine {
    pub(super) async fn review(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        (home, page): (&ScopeKey, &mut Page<'_>),
        reply: &mut Reply,
    ) -> Ending {
        let words = typed.words.trim();
        let all = typed.has("all") || words == "all" || words == "全部";
        if words.is_empty() || all {
            reply.ask = list_waiting(store.borrow().state(), home, all, !typed.is_shell(), page);
            return DONE;
        }
        let (given, last) = words
            .rsplit_once(char::is_whitespace)
            .unwrap_or((words, ""));
        let chosen = answer(last);
        let given = if chosen.is_some() || answer_like(last) {
            given
        } else {
            words
        };
        let found = find(store.borrow().state(), home, given, page, false);
        let id = match found {
            Ok(id) => id,
            Err(ending) => return ending,
        };
        let Some(memory) = store.borrow().state().memory(&id).cloned() else {
            return misunderstood("not-found");
        };
        if memory.status != Status::NeedsReview {
            let status = page.status(memory.status);
            page.say(&say::NOT_WAITING, &[id.as_str(), status]);
            return misunderstood("not-waiting");
        }
        if last.is_empty() || given == words {
            tell(store.borrow().state(), &memory, page);
            return DONE;
        }
        let asked = store.borrow().state().ask(&id).cloned();
        if let (Some(Answer::Keep | Answer::Conflict(Choice::Replace)), None) = (chosen, &asked)
            && let Some(ask) = self.contradicted(store, &memory, ports.clock.now())
        {
            let draft = Draft {
                rows: vec![Body::Fact(ask)],
                based_on: vec![(memory.id.clone(), memory.revision)],
                ..Draft::default()
            };
            if let Err(error) = store::commit(store, ports, draft, WAIT_MS).await {
                return failed(&error, page);
            }
            page.say(&say::CONTRADICTS, &[]);
            tell(store.borrow().state(), &memory, page);
            return found_nothing("contradicts");
        }
        let done = match (chosen, &asked) {
            (Some(Answer::Conflict(choice)), Some(ask)) => self
                .decide_question(ports, ask, choice)
                .await
                .map(|()| choice.as_str()),
            (Some(Answer::Keep | Answer::Conflict(Choice::Replace | Choice::KeepBoth)), None) => {
                set_status(store, ports, &memory, Status::Active, "review:keep").await
            }
            (Some(Answer::Drop | Answer::Conflict(Choice::KeepOld)), None) => {
                set_status(store, ports, &memory, Status::Archived, "review:drop").await
            }
            _ => {
                page.say(&say::BAD_CHOICE, &[last]);
                return misunderstood("bad-arguments");
            }
        };
        match done {
            Ok(choice) => {
                // A failure here only leaves the readable checkpoint behind until the next commit.
                let _ = store::settle(store, ports, WAIT_MS).await;
                let store = store.borrow();
                let status = store
                    .state()
                    .memory(&id)
                    .map_or("", |memory| page.status(memory.status));
                page.say(&say::DECIDED, &[choice, id.as_str(), status]);
                page.set(
                    "decided",
                    json!({ "id": id, "choice": choice, "against": asked.map(|ask| ask.against) }),
                );
                DONE
            }
            Err(StoreError::Stale { .. }) => {
                page.say(&say::CHANGED, &[]);
                misunderstood("stale")
            }
            Err(error) => failed(&error, page),
        }
    }
}

impl Engine {
    /// Returns the question about a record read in from elsewhere that contradicts what is active here.
    fn contradicted(&self, store: &RefCell<Store>, memory: &Memory, now: Millis) -> Option<Fact> {
        let store = store.borrow();
        let mut known = self.known_by_words(&store, &memory.scope, &memory.text, now);
        known.retain(|other| other.status == Status::Active);
        let found = detect(&memory.text, known.iter().map(|other| other.text.as_ref()))?;
        Some(Fact::ConflictAsk {
            id: memory.id.clone(),
            against: vec![known.get(found.at)?.id.clone()],
            attempt: 0,
            detector: found.contradiction.reason.as_str().to_owned(),
            shared: found.contradiction.shared,
            question: None,
            asker: None,
            instead: None,
        })
    }
}

/// Whether a word stands where an answer does and is none: one word of letters, and no id.
fn answer_like(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
        && !word.starts_with("m-")
}

async fn set_status(
    store: &RefCell<Store>,
    ports: Ports<'_>,
    memory: &Memory,
    status: Status,
    reason: &'static str,
) -> Result<&'static str, StoreError> {
    let fact = Fact::Status {
        id: memory.id.clone(),
        status,
        revision: Revision(memory.revision.0.saturating_add(1)),
        reason: reason.to_owned(),
    };
    let draft = Draft {
        rows: vec![Body::Fact(fact)],
        based_on: vec![(memory.id.clone(), memory.revision)],
        ..Draft::default()
    };
    store::commit(store, ports, draft, WAIT_MS).await?;
    Ok(reason.split_once(':').map_or(reason, |(_, choice)| choice))
}

/// Tells what waits here; returns whether a card could ask about some of it.
fn list_waiting(
    state: &State,
    home: &ScopeKey,
    all: bool,
    has_cards: bool,
    page: &mut Page<'_>,
) -> bool {
    let mut waiting: Vec<&Rc<Memory>> = within(state, home, all)
        .filter(|memory| memory.status == Status::NeedsReview)
        .collect();
    crate::text::order::sort_by(&mut waiting, |a, b| {
        (a.created_at, &a.id).cmp(&(b.created_at, &b.id))
    });
    let asks = has_cards && waiting.iter().any(|memory| state.ask(&memory.id).is_some());
    if waiting.is_empty() {
        page.say(&say::NOTHING_WAITS, &[]);
    } else if asks {
        page.say(&say::CARD, &[]);
    }
    let mut data = Vec::new();
    for memory in waiting.iter().take(TOLD_MAX) {
        page.gap();
        data.push(tell(state, memory, page));
    }
    if waiting.len() > TOLD_MAX {
        page.say(&say::MORE, &[&(waiting.len() - TOLD_MAX).to_string()]);
    }
    let others = state
        .memories()
        .filter(|memory| memory.status == Status::NeedsReview)
        .count()
        - waiting.len();
    if others > 0 {
        page.gap();
        page.say(&say::WAITING_ELSEWHERE, &[&others.to_string()]);
    }
    page.set("waiting", Value::Array(data));
    page.set("elsewhere", others.into());
    asks
}

/// Tells one that waits, and how to answer.
fn tell(state: &State, memory: &Memory, page: &mut Page<'_>) -> Value {
    let line = page.memory(memory);
    page.line(&line);
    let ask = state.ask(&memory.id);
    for id in ask.map(|ask| ask.against.as_slice()).unwrap_or_default() {
        if is_instruction(id) {
            page.say(&say::AGAINST_LINE, &[id.as_str()]);
        } else if let Some(other) = state.memory(id) {
            let other = page.memory(other);
            page.say(&say::AGAINST, &[&other]);
        }
    }
    page.say(
        if ask.is_some() {
            &say::HOW
        } else {
            &say::HOW_IMPORTED
        },
        &[memory.id.as_str()],
    );
    let against: Vec<&MemoryId> = ask
        .map(|ask| ask.against.iter().collect())
        .unwrap_or_default();
    json!({ "id": memory.id, "text": memory.text, "against": against,
        "detector": ask.map(|ask| ask.detector.as_str()), "cards": ask.map(|ask| ask.attempt) })
}
