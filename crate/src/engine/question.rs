//! The open questions: which one is asked now, what its card says, and what an answer does.
//!
//! One card at a time. A card is bound to the revisions it was drawn from: an answer to a pair that changed meanwhile
//! changes nothing, and the pair as it is now is asked about again.

use super::{Engine, cut};
use crate::conflict::card::{Card, Choice, Shown, card, read_answer};
use crate::conflict::instruction::is_instruction;
use crate::error::StoreError;
use crate::memory::{Memory, MemoryId, Millis, Revision, SessionId, Status};
use crate::port::Ports;
use crate::store::entry::{Body, Fact};
use crate::store::state::UNANSWERED;
use crate::store::tables::Ask;
use crate::store::{Draft, commit};
use serde::Serialize;
use std::rc::Rc;

/// Questions that could not be asked in a session, kept so that they are not tried at every turn.
const UNASKABLE_MAX: usize = 1_000;
/// Longest wait for an answer before the model starts.
const PRE_STEP_MAX_MS: u32 = 120_000;

/// When a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The turn in which the sentence was said ends; the turn does not wait.
    TurnEnd,
    /// The human spoke again; the model waits.
    PreStep,
    /// The human asked to see what waits, by a command.
    Review,
}

/// A question to be shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Names this card; an answer brings it back.
    pub token: u32,
    pub card: Card,
    /// How long an answer is waited for.
    pub timeout_ms: u32,
}

/// How a card ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// The label that was chosen.
    pub selected: String,
    /// A text of the person's own.
    pub custom: String,
    /// Why there is no answer: `timeout`, or the host's code; empty when there is one.
    pub ended: String,
}

/// The card that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenCard {
    token: u32,
    session: SessionId,
    ask: Ask,
    based_on: Vec<(MemoryId, Revision)>,
    card: Card,
}

impl Engine {
    /// Returns whether anything waits in a session's scope and no card is open: only then a look for the next question is worth a job.
    pub fn has_questions(&self, session: &SessionId) -> bool {
        let (Some(store), Some(scope)) = (self.store.get(), self.scope_of(session)) else {
            return false;
        };
        if self.inert.borrow().is_some() || self.open_card.borrow().is_some() {
            return false;
        }
        let store = store.borrow();
        let state = store.state();
        state
            .asks()
            .filter_map(|ask| state.memory(&ask.id))
            .any(|memory| memory.scope == *state.scope_of(&scope) || memory.scope.is_global())
    }

    /// Returns the next question for a session and holds its place, or nothing: one is open, none is due, asking is off.
    pub async fn question(
        &self,
        ports: Ports<'_>,
        session: &SessionId,
        when: When,
    ) -> Option<Question> {
        if self.inert.borrow().is_some() || self.open_card.borrow().is_some() {
            return None;
        }
        self.refresh(ports).await;
        self.tend_questions(ports, session).await;
        if !self.config.ask_on_conflict && when != When::Review {
            return None;
        }
        // Another job of this process may have opened a card while this one waited.
        if self.open_card.borrow().is_some() {
            return None;
        }
        let open = self.draw(ports, session, when)?;
        let question = Question {
            token: open.token,
            card: open.card.clone(),
            timeout_ms: match when {
                When::TurnEnd | When::Review => self.config.ask_on_conflict_timeout_ms,
                When::PreStep => self.config.ask_on_conflict_timeout_ms.min(PRE_STEP_MAX_MS),
            },
        };
        let (row, token) = (self.claim(ports, &open.ask), open.token);
        // Held while the claim is on its way: other jobs of this process look here.
        self.open_card.replace(Some(open));
        let is_published = self.publish(ports, vec![row], Vec::new()).await.is_ok();
        if !is_published || !self.is_claimed(token) {
            self.open_card.replace(None);
            return None;
        }
        Some(question)
    }

    /// Notes that the card stands before the human: from now on it counts as asked.
    pub async fn question_shown(&self, ports: Ports<'_>, token: u32) {
        let Some(open) = self.card_of(token) else {
            return;
        };
        let attempt = open.ask.attempt.saturating_add(1);
        let row = Fact::ConflictAsk {
            id: open.ask.id.clone(),
            against: open.ask.against.clone(),
            attempt,
            detector: open.ask.detector.clone(),
            shared: open.ask.shared.clone(),
            question: Some(open.card.question.clone()),
            asker: None,
            instead: None,
        };
        // Without a base: a pair that changed meanwhile was asked about all the same.
        let _ = self.publish(ports, vec![row], Vec::new()).await;
        if let Some(known) = self.open_card.borrow_mut().as_mut() {
            known.ask.attempt = attempt;
        }
    }

    /// Takes the answer, or the reason for none, and closes the card. Returns how the ledger calls the outcome.
    pub async fn answer(&self, ports: Ports<'_>, token: u32, answered: &Answered) -> String {
        let Some(open) = self.card_of(token) else {
            return format!("{UNANSWERED}no-card");
        };
        let choice = read_answer(&open.card, &answered.selected, &answered.custom);
        let outcome = match choice {
            Some(choice) if answered.ended.is_empty() => {
                match self.resolve(ports, &open, choice).await {
                    Ok(()) => choice.as_str().to_owned(),
                    Err(StoreError::Stale { .. }) => format!("{UNANSWERED}changed"),
                    Err(_) => format!("{UNANSWERED}not-committed"),
                }
            }
            _ => format!("{UNANSWERED}{}", why_not(answered)),
        };
        if outcome.starts_with(UNANSWERED) {
            let row = Fact::ConflictResolved {
                id: open.ask.id.clone(),
                against: open.ask.against.clone(),
                choice: outcome.clone(),
            };
            let _ = self.publish(ports, vec![row], Vec::new()).await;
        }
        if matches!(
            outcome.strip_prefix(UNANSWERED),
            Some("no-provider" | "delegated-caller" | "caller-not-live" | "missing-agent")
        ) {
            let mut unaskable = self.unaskable.borrow_mut();
            if unaskable.len() < UNASKABLE_MAX {
                unaskable.insert((open.session.clone(), open.ask.id.clone()));
            }
        }
        self.open_card.replace(None);
        outcome
    }

    /// Commits what a choice means. The records must be as they were on the card.
    async fn resolve(
        &self,
        ports: Ports<'_>,
        open: &OpenCard,
        choice: Choice,
    ) -> Result<(), StoreError> {
        let id = open.ask.id.clone();
        let revision = open
            .based_on
            .iter()
            .find(|(known, _)| *known == id)
            .map_or(Revision(0), |(_, revision)| *revision);
        let status = match choice {
            Choice::KeepOld => Status::Archived,
            Choice::Replace | Choice::KeepBoth => Status::Active,
        };
        let mut rows = vec![Fact::Status {
            id: id.clone(),
            status,
            revision: Revision(revision.0.saturating_add(1)),
            reason: format!("conflict:{}", choice.as_str()),
        }];
        let memories = open.ask.against.iter().filter(|old| !is_instruction(old));
        if choice == Choice::Replace {
            rows.extend(memories.map(|old| Fact::Supersede {
                old: old.clone(),
                new: id.clone(),
            }));
        }
        rows.push(Fact::ConflictResolved {
            id,
            against: open.ask.against.clone(),
            choice: choice.as_str().to_owned(),
        });
        self.publish(ports, rows, open.based_on.clone()).await
    }

    /// Decides an open question by the human's word, without a card.
    ///
    /// # Errors
    /// As a commit; `Stale` when one of the records changed meanwhile.
    pub(super) async fn decide_question(
        &self,
        ports: Ports<'_>,
        ask: &Ask,
        choice: Choice,
    ) -> Result<(), StoreError> {
        let based_on = {
            let store = self.store.get().map(|store| store.borrow());
            let state = store.as_ref().map(|store| store.state());
            let ids = std::iter::once(&ask.id).chain(&ask.against);
            ids.filter_map(|id| Some((id.clone(), state?.memory(id)?.revision)))
                .collect()
        };
        let open = OpenCard {
            token: 0,
            session: SessionId::from(""),
            ask: ask.clone(),
            based_on,
            card: card(&Shown::default(), &[]),
        };
        self.resolve(ports, &open, choice).await
    }

    /// Chooses the question that is due, the one asked least and waiting longest first, and draws its card.
    fn draw(&self, ports: Ports<'_>, session: &SessionId, when: When) -> Option<OpenCard> {
        let offset = |at: Millis| ports.clock.offset_minutes(at);
        let scope = self.scope_of(session)?;
        let store = self.store.get()?.borrow();
        let state = store.state();
        let unaskable = self.unaskable.borrow();
        let asks_max = self.config.ask_on_conflict_max_attempts.saturating_add(1);
        let mut due: Vec<(&Ask, &Rc<Memory>)> = state
            .asks()
            .filter_map(|ask| Some((ask, state.memory(&ask.id)?)))
            .filter(|(ask, memory)| {
                let here = memory.scope == *state.scope_of(&scope) || memory.scope.is_global();
                let now = match when {
                    When::TurnEnd => ask.attempt == 0 && memory.source.session_id == *session,
                    When::PreStep => ask.attempt < asks_max,
                    When::Review => true,
                };
                here && now
                    && memory.status == Status::NeedsReview
                    && self.may_ask(ports, ask, when)
                    && !unaskable.contains(&(session.clone(), ask.id.clone()))
            })
            .collect();
        crate::text::order::sort_by(&mut due, |(a, x), (b, y)| {
            (a.attempt, x.created_at, x.source.seq, &a.id).cmp(&(
                b.attempt,
                y.created_at,
                y.source.seq,
                &b.id,
            ))
        });
        let (ask, memory) = due.into_iter().next()?;
        let shown = |memory: &Memory| Shown {
            text: memory.text.to_string(),
            memory_type: Some(memory.memory_type),
            day: crate::text::day::local(memory.source.at.0, offset(memory.source.at)),
            file: String::new(),
            is_pending: memory.status == Status::NeedsReview,
        };
        let new = Shown {
            is_pending: false,
            ..shown(memory)
        };
        let mut based_on = vec![(memory.id.clone(), memory.revision)];
        let mut old = Vec::new();
        for id in &ask.against {
            if let Some(other) = state.memory(id) {
                based_on.push((id.clone(), other.revision));
                old.push(shown(other));
            } else if let Some(line) = self.instruction(session, id) {
                old.push(line);
            }
        }
        if old.is_empty() {
            return None;
        }
        let token = self.next_use() as u32;
        Some(OpenCard {
            token,
            session: session.clone(),
            ask: ask.clone(),
            based_on,
            card: card(&new, &old),
        })
    }

    fn instruction(&self, session: &SessionId, id: &MemoryId) -> Option<Shown> {
        let sessions = self.sessions.borrow();
        let lines = &sessions.get(session)?.instructions.lines;
        let line = lines.iter().find(|line| line.id == *id)?;
        Some(Shown {
            text: line.text.clone(),
            memory_type: None,
            day: String::new(),
            file: line.file.clone(),
            is_pending: false,
        })
    }

    /// Returns whether the ledger gave the question of the card that is held to this engine, and the pair is still as it was drawn.
    fn is_claimed(&self, token: u32) -> bool {
        let (Some(open), Some(store)) = (self.card_of(token), self.store.get()) else {
            return false;
        };
        let store = store.borrow();
        let state = store.state();
        let stands = |(id, revision): &(MemoryId, Revision)| {
            state
                .memory(id)
                .is_some_and(|memory| memory.revision == *revision)
        };
        let ask = state.ask(&open.ask.id);
        ask.is_some_and(|ask| ask.asker == *self.asker.borrow()) && open.based_on.iter().all(stands)
    }

    fn card_of(&self, token: u32) -> Option<OpenCard> {
        let open = self.open_card.borrow();
        open.as_ref().filter(|open| open.token == token).cloned()
    }

    pub(super) async fn publish(
        &self,
        ports: Ports<'_>,
        rows: Vec<Fact>,
        based_on: Vec<(MemoryId, Revision)>,
    ) -> Result<(), StoreError> {
        let Some(store) = self.store.get() else {
            return Ok(());
        };
        self.hand_over();
        let draft = Draft {
            rows: rows.into_iter().map(Body::Fact).collect(),
            based_on,
            ..Draft::default()
        };
        let wait_ms = self.config.write_timeout_ms;
        match commit(store, ports, draft, wait_ms).await {
            Ok(_) => Ok(()),
            Err(error) => {
                if !matches!(error, StoreError::Stale { .. }) {
                    self.problem("commit-failed", &error.to_string());
                }
                Err(error)
            }
        }
    }
}

/// Names the reason for no answer in the ledger's words.
fn why_not(answered: &Answered) -> String {
    let code = answered.ended.to_ascii_lowercase().replace('_', "-");
    match code.as_str() {
        "" if answered.custom.trim().is_empty() => "skipped".to_owned(),
        "" => "free-text".to_owned(),
        "ask-cancelled" => "closed".to_owned(),
        "ask-aborted" => "aborted".to_owned(),
        "ask-missing-agent" => "missing-agent".to_owned(),
        _ => cut(&code, 40),
    }
}
