//! One turn, from what was said to what is kept: extract, screen, judge, gate, relate, commit.

use super::budget::Budget;
use super::judge::Judged;
use super::relations::Act;
use super::sentence::{Heard, Sentence, heard};
use super::{Engine, Problem, cut};
use crate::error::{Error, StoreError};
use crate::extract::Candidate;
use crate::extract::failure::{Failure, failures};
use crate::judge::Judgement;
use crate::memory::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Remember, Revision,
    ScopeKey, Source, Status, Text, Type,
};
use crate::port::Ports;
use crate::screen::Screened;
use crate::store::entry::{Body, Fact, Observation};
use crate::store::{Draft, State, Store, commit};
use crate::text::digest::is_same_cut;
use crate::text::sorted::Map;
use crate::text::window::Window;
use crate::turn::{Position, Turn, TurnEvent};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;

/// How often a decision is taken again when another process changed what it was based on.
const ATTEMPTS_MAX: u32 = 3;
/// Milliseconds before the end of the budget after which no lock is waited for.
const PUBLISH_RESERVE_MS: u32 = 100;

/// A memory that a turn left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LearnedMemory {
    pub id: MemoryId,
    #[serde(rename = "type")]
    pub memory_type: Type,
    pub text: String,
}

impl LearnedMemory {
    fn of(memory: &Memory) -> Self {
        Self {
            id: memory.id.clone(),
            memory_type: memory.memory_type,
            text: memory.text.to_string(),
        }
    }
}

/// What a turn left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Learned {
    pub kept: Vec<LearnedMemory>,
    /// What waits for the human because it contradicts something known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<LearnedMemory>,
    pub skipped: u32,
    /// Why nothing could be committed. What was read stays unread and is tried again after the next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Problem>,
}

/// What one pass over a turn decided, before it is published.
#[derive(Debug, Default)]
pub(super) struct Decided {
    pub(super) rows: Vec<Body>,
    /// Every record that is to be written.
    pub(super) written: Vec<Rc<Memory>>,
    /// What a judge decided about contradictions.
    pub(super) acts: Vec<Act>,
    /// Records the decision looked at.
    pub(super) based_on: Vec<(MemoryId, Revision)>,
    kept: Vec<LearnedMemory>,
    held: Vec<LearnedMemory>,
    /// Of those held, how many no card is shown for by itself.
    pub(super) n_unasked: u32,
    skipped: u32,
}

impl Decided {
    pub(super) fn n_held(&self) -> usize {
        self.held.len()
    }

    pub(super) fn skip(&mut self, skip: Observation) {
        self.skipped += 1;
        self.rows.push(Body::Observation(skip));
    }

    pub(super) fn keep(&mut self, memory: Memory) {
        self.kept.push(LearnedMemory::of(&memory));
        self.write(memory);
    }

    /// Writes a record that waits for the human.
    pub(super) fn hold(&mut self, memory: Memory) {
        self.held.push(LearnedMemory::of(&memory));
        self.write(memory);
    }

    fn write(&mut self, memory: Memory) {
        self.written.push(Rc::new(memory.clone()));
        self.rows.push(Body::Fact(Fact::Write {
            memory: Box::new(memory),
        }));
    }
}

impl Engine {
    /// Reads a turn and commits what it decided, once per session and position: saying it again changes nothing.
    ///
    /// Never fails: what could not be published is named in [`Learned::failed`] and stays unread.
    pub async fn learn(&self, ports: Ports<'_>, turn: Turn) -> Learned {
        if self.inert.borrow().is_some() {
            return Learned::default();
        }
        let budget = Budget::begin(ports, self.config.write_timeout_ms);
        let scope = match self.scope_of(&turn.session.id) {
            Some(scope) => scope,
            None => {
                let next = turn.events.first().map_or(turn.read_to, TurnEvent::seq);
                self.attach(ports, &turn.session, next, next, None).await
            }
        };
        let turn = self.unread(turn);
        self.say_start(ports).await;
        self.hand_over();
        let Some(store) = self.store.get() else {
            return Learned::default();
        };
        if turn.events.is_empty() && turn.read_to <= self.read_position(&turn.session.id) {
            return Learned::default();
        }
        let position = self.read_position(&turn.session.id);
        match self
            .learn_and_commit(ports, store, &turn, &scope, (position, budget))
            .await
        {
            Ok(learned) => {
                self.tell_result(store, Ok(()));
                learned
            }
            Err(error) => {
                self.commit_failed(&error);
                Learned {
                    failed: Some(Problem {
                        code: Error::from(error.clone()).code().to_owned(),
                        detail: error.to_string(),
                    }),
                    ..Learned::default()
                }
            }
        }
    }

    async fn learn_and_commit(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        turn: &Turn,
        scope: &ScopeKey,
        (position, budget): (EventSeq, Budget),
    ) -> Result<Learned, StoreError> {
        // What the ledger knows, not where this process began: a session new to it stands at 0.
        let mut read_from = store.borrow().state().read_to(&turn.session.id);
        let heard_at = store.borrow().n_promises();
        let mut heard = self.listens(turn).then(|| heard(turn, scope, ports.clock));
        if let Some(heard) = &mut heard {
            self.extract_by_model(ports, turn, heard, budget.for_judges())
                .await;
        }
        let judged = match &heard {
            Some(heard) => {
                let (session, judging) = (&turn.session.id, budget.for_judges());
                let kept = |one: &&Sentence| matches!(one.screened, Screened::Kept(_));
                let said = heard.sentences.iter().filter(kept);
                let said: Vec<(&ScopeKey, &str)> = said
                    .map(|one| (&one.scope, one.candidate.text.as_str()))
                    .collect();
                self.order_by_meaning(ports, store, &said, judging).await;
                self.judge(ports, store, session, &heard.sentences, judging)
                    .await
            }
            None => Judged::default(),
        };
        self.hand_over();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let decided = self.decide(
                ports,
                &store.borrow(),
                turn,
                scope,
                (heard.as_ref(), &judged),
            );
            let wait_ms = budget.left_ms(ports).saturating_sub(PUBLISH_RESERVE_MS);
            let draft = Draft {
                rows: decided.rows,
                based_on: decided.based_on,
                read_from: Some((turn.session.id.clone(), read_from)),
                heard_at: Some(heard_at),
            };
            match commit(store, ports, draft, wait_ms).await {
                Ok(_) => {
                    self.read_position(&turn.session.id);
                    return Ok(Learned {
                        kept: decided.kept,
                        held: decided.held,
                        skipped: decided.skipped,
                        failed: None,
                    });
                }
                // Another process read this turn: there is nothing left to do.
                Err(StoreError::Stale { .. })
                    if self.read_position(&turn.session.id) >= turn.read_to =>
                {
                    return Ok(Learned::default());
                }
                Err(StoreError::Stale { .. }) if attempt < ATTEMPTS_MAX => {
                    // The ledger was removed meanwhile: it knows less, and the same events are unread.
                    if self.read_position(&turn.session.id) == position {
                        read_from = store.borrow().state().read_to(&turn.session.id);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Drops what the ledger says was read.
    fn unread(&self, mut turn: Turn) -> Turn {
        let from = self.read_position(&turn.session.id);
        turn.events.retain(|event| event.seq() >= from);
        turn
    }

    /// Whether what is said in this turn is anything to this plugin.
    fn listens(&self, turn: &Turn) -> bool {
        let is_skipped = turn.session.child && self.config.write_skip_subagents;
        !self.judge_is_off() && !is_skipped
    }

    /// Decides over a snapshot of the state, without awaiting.
    fn decide(
        &self,
        ports: Ports<'_>,
        store: &Store,
        turn: &Turn,
        scope: &ScopeKey,
        (heard, judged): (Option<&Heard>, &Judged),
    ) -> Decided {
        let state = store.state();
        let now = ports.clock.now();
        let mut decided = Decided {
            acts: judged.acts.clone(),
            ..Decided::default()
        };
        decided.rows.extend(judged.rows.iter().cloned());
        if let Some(heard) = heard {
            self.decide_sentences(store, turn, (heard, judged), now, &mut decided);
            self.readings.take();
            if decided.n_unasked > 0 {
                decided.rows.push(Body::Observation(Observation::Degraded {
                    cause: "questions-over-limit".to_owned(),
                    count: Some(decided.n_unasked),
                    detail: "more contradictions in one turn than cards are shown for; the rest waits for `/memory review`".to_owned(),
                }));
            }
            self.decide_failures(state, turn, scope, now, &mut decided);
        } else if !self.judge_is_off() {
            decided.skip(skip_row("subagent-session", scope, begin(turn)));
        } // With judging off only the position moves: what was said meanwhile is not caught up later.
        if let Some(joined) = self.join(state, turn, scope) {
            decided.rows.push(Body::Fact(joined));
        }
        decided.rows.push(Body::Fact(Fact::Turn {
            session_id: turn.session.id.clone(),
            turn: turn.turn,
            read_to: turn.read_to,
            scope: scope.clone(),
        }));
        decided
    }

    /// A `scope` fact, when what was remembered under the path belongs to a remote now.
    fn join(&self, state: &State, turn: &Turn, scope: &ScopeKey) -> Option<Fact> {
        let sessions = self.sessions.borrow();
        let path_scope = &sessions.get(&turn.session.id)?.path_scope;
        let apart = state.scope_of(path_scope) != state.scope_of(scope);
        (apart && state.in_scope(path_scope).next().is_some()).then(|| Fact::Scope {
            from: path_scope.clone(),
            to: scope.clone(),
        })
    }

    fn decide_failures(
        &self,
        state: &State,
        turn: &Turn,
        scope: &ScopeKey,
        now: Millis,
        decided: &mut Decided,
    ) {
        let mut counts: Map<String, u32> = Map::new();
        for failure in failures(turn) {
            let count = counts.or_insert_with(failure.key.clone(), || {
                state
                    .failure(scope, &failure.key)
                    .map_or(0, |known| known.count)
            });
            *count = count.saturating_add(1);
            let count = *count;
            decided.rows.push(Body::Fact(Fact::Failure {
                scope: scope.clone(),
                key: failure.key.clone(),
                tool: failure.tool.clone(),
                signature: failure.signature.clone(),
                count,
                more: 0,
                position: failure.position.clone(),
            }));
            let id = MemoryId::of(scope, &failure.signature);
            let place = Place::of(state, scope, &failure.signature, now);
            let known = current(state, scope, &failure.signature, (now, None)).is_some()
                || decided.kept.iter().any(|kept| kept.id == place.id);
            let reason = if count < self.config.repeat_failures_to_write {
                "failure-seen-once"
            } else if !self.config.types.contains(&Type::Pitfall) {
                "type-disabled:pitfall"
            } else if known {
                "duplicate"
            } else {
                decided.keep(failure_memory(&failure, count, place));
                continue;
            };
            decided.skip(Observation::Skip {
                reason: reason.to_owned(),
                scope: scope.clone(),
                id: Some(id),
                quote: Some(failure.signature.clone()),
                rule: None,
                count: Some(count),
                position: failure.position.clone(),
            });
        }
    }

    fn commit_failed(&self, error: &StoreError) {
        // What waiting mends is said in `health` alone; what stays broken the model is told once, too.
        if matches!(error, StoreError::Files(_)) && !self.write_failed.replace(true) {
            let line = format!("memory cannot be written: {error}");
            self.pending_notices.borrow_mut().push(cut(&line, 200));
        }
        self.problem("commit-failed", &error.to_string());
        self.observe(Observation::Degraded {
            cause: "commit-failed".to_owned(),
            count: None,
            detail: cut(&error.to_string(), 400),
        });
    }
}

/// Where what is unread of a turn begins.
fn begin(turn: &Turn) -> Position {
    Position {
        session_id: turn.session.id.clone(),
        turn: turn.turn,
        seq: turn.events.first().map_or(turn.read_to, TurnEvent::seq),
    }
}

pub(super) fn skip_row(reason: &str, scope: &ScopeKey, position: Position) -> Observation {
    Observation::Skip {
        reason: reason.to_owned(),
        scope: scope.clone(),
        id: None,
        quote: None,
        rule: None,
        count: None,
        position,
    }
}

/// Returns the version of a sentence that stands now: active, or waiting for the human. A sentence in other dress (case,
/// width, quotes, bullet, stops) is the same one. Said when the version's time is over, or of another time, it is said anew.
pub(super) fn current<'a>(
    state: &'a State,
    scope: &'a ScopeKey,
    original: &str,
    time: (Millis, Option<Window>),
) -> Option<&'a Memory> {
    same_form(state, scope, original, time).or_else(|| {
        let mut known = state.in_scope(scope).map(Rc::as_ref);
        known.find(|memory| stands(memory, time) && is_same_cut(&memory.source.quote, original))
    })
}

/// Returns the standing version of a sentence said in the same form.
pub(super) fn same_form<'a>(
    state: &'a State,
    scope: &ScopeKey,
    original: &str,
    time: (Millis, Option<Window>),
) -> Option<&'a Memory> {
    let versions = state.versions(scope, original);
    let mut versions = versions.into_iter().map(Rc::as_ref);
    versions.rfind(|memory| stands(memory, time))
}

/// Returns whether a version stands at a time, for that window.
pub(super) fn stands(memory: &Memory, (at, window): (Millis, Option<Window>)) -> bool {
    matches!(memory.status, Status::Active | Status::NeedsReview)
        && memory.valid_until.is_none_or(|until| at < until)
        && window.is_none_or(|window| window.until_ms.map(Millis) == memory.valid_until)
}

/// Where a new memory belongs: its id and scope, the device, the time.
pub(super) struct Place {
    id: MemoryId,
    scope: ScopeKey,
    /// Empty before the first row of a ledger: the commit fills it in.
    origin: Origin,
    now: Millis,
    /// The forgotten version it says anew.
    anew: Option<MemoryId>,
}

impl Place {
    pub(super) fn of(state: &State, scope: &ScopeKey, original: &str, now: Millis) -> Self {
        let id = state.next_id(scope, original);
        Self {
            scope: state.scope_of(scope).clone(),
            origin: state.origin().cloned().unwrap_or_else(|| Origin::from("")),
            now,
            anew: id.previous().filter(|id| state.tombstone(id).is_some()),
            id,
        }
    }
}

/// Builds the memory of a sentence the human said.
pub(super) fn sentence_memory(
    candidate: &Candidate,
    judgement: &Judgement,
    signals: Vec<String>,
    (place, window): (Place, Option<Window>),
) -> Memory {
    let text = Text::from(candidate.text.as_str());
    let source = Source {
        session_id: candidate.position.session_id.clone(),
        turn: candidate.position.turn,
        seq: candidate.position.seq,
        quote: if candidate.quote == candidate.text {
            text.clone()
        } else {
            candidate.quote.as_str().into()
        },
        at: candidate.at,
        tool: None,
        count: None,
        way_out: None,
        source_ids: Vec::new(),
        aliases: Vec::new(),
    };
    let remember = Remember {
        score: judgement.remember,
        by: judgement.by,
        model: judgement.model.clone(),
    };
    Memory {
        memory_type: judgement.memory_type,
        text,
        importance: judgement.importance,
        signals: signals.into_iter().map(Text::from).collect(),
        valid_from: window.and_then(|window| window.from_ms).map(Millis),
        valid_until: window.and_then(|window| window.until_ms).map(Millis),
        ..new_memory(place, Author::Human, remember, source)
    }
}

/// Weight of a repeated failure in recall: above the gate's default, below a plain rule of the human.
///
/// # Source
/// Chosen, not measured: a failure seen twice is likely to come again, and says less than what a person asked for.
const FAILURE_IMPORTANCE: f64 = 0.65;

fn failure_memory(failure: &Failure, count: u32, place: Place) -> Memory {
    let source = Source {
        session_id: failure.position.session_id.clone(),
        turn: failure.position.turn,
        seq: failure.position.seq,
        quote: failure.quote.as_str().into(),
        at: failure.at,
        tool: Some(failure.tool.clone()),
        count: Some(count),
        way_out: failure.way_out.clone(),
        source_ids: Vec::new(),
        aliases: Vec::new(),
    };
    let remember = Remember {
        score: 1.0,
        by: JudgeName::Count,
        model: None,
    };
    Memory {
        memory_type: Type::Pitfall,
        text: failure.signature.as_str().into(),
        importance: FAILURE_IMPORTANCE,
        ..new_memory(place, Author::Failure, remember, source)
    }
}

/// A first revision at its place; type, text and importance are the caller's to fill in.
fn new_memory(place: Place, by: Author, remember: Remember, source: Source) -> Memory {
    Memory {
        id: place.id,
        memory_type: Type::Constraint,
        layer: Layer::Fact,
        text: Text::default(),
        canonical: None,
        status: Status::Active,
        scope: place.scope,
        importance: 0.0,
        signals: Vec::new(),
        remember,
        by,
        source,
        supersedes: place.anew.into_iter().collect(),
        superseded_by: Vec::new(),
        conflicts_with: Vec::new(),
        valid_from: None,
        valid_until: None,
        temporal_scope: None,
        procedure: None,
        origin: place.origin,
        revision: Revision(1),
        created_at: place.now,
        updated_at: place.now,
    }
}
