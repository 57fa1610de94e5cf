//! `memory_write`: stores the human's own sentence that the model's text restates, and says which one.

use super::budget::Budget;
use super::learn::{Place, current, sentence_memory};
use super::relate::question_of;
use super::sentence::window_of;
use super::{Call, Engine, Refused, cut};
use crate::error::{Error, StoreError};
use crate::extract::{Candidate, sentences};
use crate::judge::heuristic;
use crate::memory::{JudgeName, ScopeKey, Status, Type};
use crate::port::Ports;
use crate::screen::{Screened, declares_global, screen};
use crate::store::entry::{Body, Fact};
use crate::store::{Draft, commit};
use crate::text::token::share;
use crate::turn::{Turn, TurnEvent};
use serde_json::{Value, json};

/// Share of the text's tokens that must come from one sentence of the human.
///
/// # Source
/// `restated` cases of `crate/tests/flow_tools.rs`: restatements measure 0.5 and more, text from elsewhere 0.34 and less.
/// A wrong refusal costs one more sentence from the human; a wrong admission lets a document plant a rule.
const SHARE_MIN: f64 = 0.5;
/// Characters of the text that are compared.
const TEXT_MAX_CHARS: usize = 2_000;

/// The arguments of `memory_write`, checked by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    text: String,
    memory_type: Option<Type>,
}

impl Write {
    /// Reads the tool's arguments.
    pub fn read(args: &Value) -> Result<Self, Refused> {
        let bad = |message: &str| Refused::new("bad-arguments", message);
        let Value::Object(map) = args else {
            return Err(bad("memory_write takes an object with a `text`"));
        };
        if let Some(other) = map
            .keys()
            .find(|key| !["text", "type"].contains(&key.as_str()))
        {
            return Err(bad(&format!(
                "`{}` is not an argument; known are text, type",
                cut(other, 40)
            )));
        }
        let text = map.get("text").and_then(Value::as_str).unwrap_or("").trim();
        if text.is_empty() {
            return Err(bad("`text` must be the sentence to remember"));
        }
        let memory_type = match map.get("type") {
            None | Some(Value::Null) => None,
            Some(value) => Some(
                Type::ALL
                    .into_iter()
                    .find(|known| value.as_str() == Some(known.as_str()))
                    .ok_or_else(|| bad("`type` takes constraint, pitfall or decision"))?,
            ),
        };
        Ok(Self {
            text: cut(text, TEXT_MAX_CHARS),
            memory_type,
        })
    }
}

/// The human's sentence a text restates, and how much of the text it covers.
struct Matched {
    candidate: Candidate,
    share: f64,
}

impl Engine {
    /// Answers `memory_write`: `{ stored }`, `{ duplicate }` or `{ refused }`.
    pub async fn write(&self, ports: Ports<'_>, args: &Value, call: &Call) -> Value {
        match self.store_sentence(ports, args, call).await {
            Ok(reply) => reply,
            Err(refused) => json!({ "refused": refused }),
        }
    }

    async fn store_sentence(
        &self,
        ports: Ports<'_>,
        args: &Value,
        call: &Call,
    ) -> Result<Value, Refused> {
        let write = Write::read(args)?;
        self.usable()?;
        if call.session.child {
            return Err(Refused::new(
                "child-session",
                "memory is written in the session the human speaks in; report it there instead",
            ));
        }
        if self.judge_is_off() {
            return Err(Refused::new(
                "judge-off",
                "`judge: off` in the plugin's config: nothing is written",
            ));
        }
        let home = self
            .attach(ports, &call.session, call.seq, call.seq, None)
            .await;
        let matched = best_sentence(call, &write.text)?;
        let candidate = &matched.candidate;
        let scope = if declares_global(&candidate.text) {
            ScopeKey::global()
        } else {
            home
        };
        let kept = match screen(candidate) {
            Screened::Kept(kept) => kept,
            Screened::Vetoed { reason, .. } => {
                return Err(Refused::new(
                    reason,
                    "the human's sentence that this restates is not kept; say it as a lasting rule to have it remembered",
                ));
            }
        };
        let mut judgement = heuristic::judge(candidate, &kept);
        // Beside a pasted log a line says little about who wrote it: there it must read as a rule by itself.
        let pasted =
            candidate.context.is_pasted() && judgement.importance < self.config.min_importance;
        if kept.frame().is_some() || pasted {
            return Err(Refused::new(
                "not-a-lasting-rule",
                "the human's sentence that this restates reports, supposes, quotes or is for today; ask them to say it as a lasting rule",
            ));
        }
        judgement.by = JudgeName::Request;
        if let Some(memory_type) = write.memory_type {
            judgement.memory_type = memory_type;
        }
        if !self.config.types.contains(&judgement.memory_type) {
            let name = judgement.memory_type.as_str();
            return Err(Refused::new(
                &format!("type-disabled:{name}"),
                format!("the plugin's config switches `{name}` off"),
            ));
        }
        let store = self.open_store()?;
        let budget = Budget::begin(ports, self.config.write_timeout_ms);
        let said = [(&scope, candidate.text.as_str())];
        self.order_by_meaning(ports, store, &said, budget.for_judges())
            .await;
        let window = window_of(candidate, ports.clock);
        let (memory, held) = {
            let store = store.borrow();
            let state = store.state();
            if state
                .forgotten(&scope, &candidate.quote, &candidate.position)
                .is_some()
            {
                return Err(Refused::new(
                    "forgotten",
                    "the human had this sentence forgotten; it is kept again when they say it anew",
                ));
            }
            if let Some(known) = current(state, &scope, &candidate.quote, (candidate.at, window)) {
                return Ok(
                    json!({ "duplicate": { "id": known.id, "text": known.text, "status": known.status } }),
                );
            }
            let place = Place::of(state, &scope, &candidate.quote, ports.clock.now());
            let place = (place, window);
            let mut memory = sentence_memory(candidate, &judgement, kept.signal_ids(), place);
            let held = self.contradiction(&store, &call.session.id, &judgement, &memory, &[]);
            if held.is_some() {
                memory.status = Status::NeedsReview;
            }
            (memory, held)
        };
        let mut rows = vec![Body::Fact(Fact::Write {
            memory: Box::new(memory.clone()),
        })];
        rows.extend(held.iter().map(|held| question_of(&memory.id, held).into()));
        let draft = Draft {
            rows,
            based_on: held.iter().flat_map(|held| held.based_on.clone()).collect(),
            ..Draft::default()
        };
        self.hand_over();
        match commit(store, ports, draft, self.config.write_timeout_ms).await {
            Ok(_) => Ok(json!({ "stored": {
                "id": memory.id,
                "type": memory.memory_type,
                "text": memory.text,
                "scope": memory.scope,
                "status": memory.status,
                "contradicts": held.map(|held| held.against).unwrap_or_default(),
                "from": { "quote": memory.source.quote, "turn": memory.source.turn, "seq": memory.source.seq },
                "share": (matched.share * 100.0).round() / 100.0,
            } })),
            Err(error) => Err(not_committed(error)),
        }
    }
}

/// Says that a commit did not happen, and what to do.
pub(super) fn not_committed(error: StoreError) -> Refused {
    let detail = error.to_string();
    Refused::new(
        Error::from(error).code(),
        format!("nothing was changed: {detail}; try again, or look at the memory folder"),
    )
}

fn best_sentence(call: &Call, text: &str) -> Result<Matched, Refused> {
    let turn = Turn {
        session: call.session.clone(),
        turn: call.turn,
        read_to: call.seq,
        events: call.humans.iter().cloned().map(TurnEvent::Human).collect(),
    };
    let mut best: Option<Matched> = None;
    for candidate in sentences(&turn).candidates {
        let share = share(text, &candidate.quote);
        // A later saying of the same thing wins: it is what the human means now.
        if best.as_ref().is_none_or(|known| share >= known.share) {
            best = Some(Matched { candidate, share });
        }
    }
    match best {
        Some(matched) if matched.share >= SHARE_MIN => Ok(matched),
        nearest => Err(Refused {
            reason: "no-such-sentence".to_owned(),
            message: "only the human's own sentence of this session is stored, verbatim, and none says this; ask the human to say it".to_owned(),
            nearest: nearest
                .map(|matched| cut(&matched.candidate.text, 160))
                .filter(|text| !crate::text::secret::contains(text))
                .into_iter()
                .collect(),
        }),
    }
}
