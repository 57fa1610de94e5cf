//! `add`: keep the source, find candidates, decide, commit once; say the same again for the same request.

use super::reconcile::Asking;
use super::{ATTEMPTS_MAX, Args, COMMIT_WAIT_MS, Library};
use crate::decide::Error;
use crate::decide::error::Kind;
use crate::decide::extract::{self, Extracted, Proposal};
use crate::decide::outcome::{Done, Path, Planned, REQUEST_MAX_CHARS, id_of, replay};
use crate::decide::procedure::{self, Place};
use crate::decide::scene;
use crate::decide::settings::Extract;
use crate::decide::source::{PARTS_MAX, Source, digest};
use crate::engine::together::{Work, together};
use crate::error::StoreError;
use crate::memory::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Remember, Revision,
    ScopeKey, SessionId, Status, Text, Type,
};
use crate::port::{LlmRequest, Ports};
use crate::store::entry::{Body, Fact};
use crate::store::{Draft, State, commit};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Weight in recall. Statements of a library have no place in the block, so it only has to be a number.
const IMPORTANCE: f64 = 0.5;

/// What an `add` was given.
pub(super) struct Input {
    pub(super) source: Source,
    pub(super) scope: ScopeKey,
    pub(super) at: Millis,
    /// The caller's id of this request.
    pub(super) request: Option<String>,
    /// What ids are made of: the request's id, or a random name.
    pub(super) key: String,
    pub(super) digest: String,
    /// Where it was done, and with which files.
    place: Place,
}

/// What was taken from a source, by each way.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) scene: &'static str,
    pub(super) statements: Extracted,
    /// In the order of their scopes.
    pub(super) procedures: Extracted,
    /// The way that came to nothing.
    pub(super) failed: Option<(Path, Error)>,
    /// Whether a judge is there to be asked.
    pub(super) has_judge: bool,
}

impl Taken {
    /// Notes that a way came to nothing. What was said by people and models counts first.
    pub(super) fn lose(&mut self, path: Path, error: Error) {
        if path == Path::Chat || self.failed.is_none() {
            self.failed = Some((path, error));
        }
    }
}

/// Milliseconds for the question whether a judge is there.
const KEY_WAIT_MS: u32 = 1_000;

impl Library {
    fn input(ports: Ports<'_>, args: &Value) -> Result<Input, Error> {
        let given = Args(args);
        given.only(&[
            "source",
            "scope",
            "memoryAt",
            "requestId",
            "workspace",
            "branch",
            "sessionId",
        ])?;
        let scope = given.scope()?;
        let at = given.time("memoryAt")?;
        let request = given.text("requestId")?.map(str::to_owned);
        let is_name = |id: &String| {
            !id.trim().is_empty()
                && id.chars().count() <= REQUEST_MAX_CHARS
                && !crate::text::secret::contains(id)
        };
        if request.as_ref().is_some_and(|id| !is_name(id)) {
            return Err(Error::input(format!(
                "`requestId` is a text of at most {REQUEST_MAX_CHARS} characters"
            )));
        }
        let given_source = given.given("source").unwrap_or(&Value::Null);
        let mut source = Source::read(given_source)?;
        let place = Place {
            workspace: given.place("workspace")?,
            branch: given.place("branch")?,
            session: given.place("sessionId")?,
            files: std::mem::take(&mut source.files),
        };
        let places = [&place.workspace, &place.branch, &place.session];
        let named = places.map(|x| x.as_deref().unwrap_or(""));
        let named = if named.concat().is_empty() {
            &[][..]
        } else {
            &named[..]
        };
        Ok(Input {
            digest: digest(scope.as_str(), given_source, at.map(|at| at.0), named),
            source,
            place,
            scope,
            at: at.unwrap_or_else(|| ports.clock.now()),
            key: request.clone().unwrap_or_else(|| Self::nonce(ports)),
            request,
        })
    }

    /// Takes a source in.
    ///
    /// # Errors
    /// `DecisionContextError`, `JudgeContractError`, `JudgeUnavailableError`, `ModelUnavailableError`, `StaleDecisionError`:
    /// the source is kept, nothing else. `IdempotencyConflictError`, `InputError`, `StorageError`: nothing was written.
    pub(super) async fn add(&self, ports: Ports<'_>, args: &Value) -> Result<Value, Error> {
        let input = Self::input(ports, args)?;
        let ended = || Error::new(Kind::Storage, "ended before anything was decided");
        let _room = self
            .scopes
            .enter(ports, &input.scope)
            .await
            .ok_or_else(ended)?;
        self.refresh(ports).await?;
        if let Some(known) = self.replayed(&input)? {
            return Ok(known);
        }
        let sources = self.keep(ports, &input).await?;
        let text = input.source.text();
        let chars = text.chars().count();
        if chars > self.settings.jev_max_question_chars {
            return Err(Error::new(
                Kind::Context,
                format!(
                    "the source has {chars} characters, over `jevMaxQuestionChars`; it was kept, and nothing was taken from it"
                ),
            ));
        }
        let asking = RefCell::default();
        let taken = self.take(ports, &input, &text, &asking).await?;
        let mut attempt = 1;
        loop {
            let is_last = attempt >= ATTEMPTS_MAX;
            let early = if is_last {
                self.scopes.turn(ports, &input.scope).await
            } else {
                None
            };
            let (rows, plan) = self
                .reconcile(ports, &input, &sources, &taken, &asking)
                .await?;
            let _place = match early {
                Some(place) => place,
                None => self
                    .scopes
                    .turn(ports, &input.scope)
                    .await
                    .ok_or_else(ended)?,
            };
            let draft = Draft {
                rows,
                ..Draft::default()
            };
            match commit(self.store()?, ports, draft, COMMIT_WAIT_MS).await {
                Ok(_) => {
                    self.engine.save_embeddings(ports).await;
                    return Ok(result(&plan));
                }
                Err(StoreError::Stale { .. }) if !is_last => {
                    // The same request, answered elsewhere meanwhile.
                    if let Some(known) = self.replayed(&input)? {
                        return Ok(known);
                    }
                }
                Err(error) => {
                    return match self.replayed(&input)? {
                        Some(known) => Ok(known),
                        None => Err(error.into()),
                    };
                }
            }
            attempt += 1;
        }
    }

    /// Returns what this request came to before.
    fn replayed(&self, input: &Input) -> Result<Option<Value>, Error> {
        let store = self.store()?.borrow();
        let recorded = input
            .request
            .as_ref()
            .and_then(|id| store.state().recorded(id));
        recorded
            .map(|recorded| replay(recorded, &input.digest).map(result))
            .transpose()
    }

    /// Writes the source before any model is called. One that is kept already, by an attempt that got no further, is taken again.
    async fn keep(&self, ports: Ports<'_>, input: &Input) -> Result<Vec<MemoryId>, Error> {
        let store = self.store()?;
        for _ in 0..ATTEMPTS_MAX {
            let mut ids = Vec::new();
            let mut rows: Vec<Body> = Vec::new();
            {
                let store = store.borrow();
                let state = store.state();
                for (number, part) in input.source.parts.iter().enumerate() {
                    let base = id_of(&input.key, number);
                    let known = known_source(state, &base, part, &input.scope);
                    let id = known.clone().unwrap_or_else(|| state.free_id(&base));
                    if known.is_none() {
                        rows.push(written(Memory {
                            layer: Layer::Raw,
                            text: part.as_str().into(),
                            ..record(state, input, id.clone(), number, ports.clock.now())
                        }));
                    }
                    ids.push(id);
                }
            }
            if rows.is_empty() {
                return Ok(ids);
            }
            let draft = Draft {
                rows,
                ..Draft::default()
            };
            match commit(store, ports, draft, COMMIT_WAIT_MS).await {
                Ok(_) => return Ok(ids),
                Err(StoreError::Stale { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(
            Kind::Stale,
            "the source changed elsewhere while it was kept",
        ))
    }

    /// Finds out the scene, then takes statements and, of coding, procedures: both at once, neither seeing the other.
    async fn take(
        &self,
        ports: Ports<'_>,
        input: &Input,
        text: &str,
        asking: &RefCell<Asking>,
    ) -> Result<Taken, Error> {
        let mut taken = Taken {
            scene: input.source.scene,
            ..Taken::default()
        };
        if taken.scene == scene::CODING {
            let credential = &self.settings.jev_api_key_env;
            let key = ports.http.key(credential, KEY_WAIT_MS).await;
            taken.has_judge = key != "none";
            if taken.has_judge {
                let state = scene::state(text, self.settings.jev_max_question_chars);
                let asked = [scene::question()];
                let chosen = self.ask(ports, &state, &asked, asking).await?;
                taken.scene = scene::chosen(chosen.first().map_or(0, |x| x.option));
            }
        }
        if self.settings.extract == Extract::Verbatim {
            taken.statements = extract::verbatim(&input.source.said, input.at);
            return Ok(taken);
        }
        let is_coding = taken.scene == scene::CODING;
        let prompt = extract::prompt(text, input.at);
        let unsaid = || RefCell::new(Ok(String::new()));
        let (first, second) = (unsaid(), unsaid());
        let mut calls: Vec<Work<'_>> = vec![self.say(ports, extract::SYSTEM, &prompt, &first)];
        if is_coding {
            calls.push(self.say(ports, procedure::SYSTEM, &prompt, &second));
        }
        together(calls, usize::MAX).await;
        match first.into_inner() {
            Ok(answer) => taken.statements = extract::read(&answer, text, input.at),
            Err(error) if !is_coding => return Err(error),
            Err(error) => taken.lose(Path::Chat, error),
        }
        match second.into_inner() {
            _ if !is_coding => {}
            Ok(answer) => {
                taken.procedures = procedure::read(&answer, text, input.at, &input.place);
            }
            Err(error) => taken.lose(Path::Procedure, error),
        }
        Ok(taken)
    }

    /// Asks the model once, and leaves its answer in `said`.
    fn say<'a>(
        &'a self,
        ports: Ports<'a>,
        system: &'static str,
        prompt: &'a str,
        said: &'a RefCell<Result<String, Error>>,
    ) -> Work<'a> {
        Box::pin(async move {
            let request = LlmRequest {
                session: SessionId::from(""),
                provider: String::new(),
                model: String::new(),
                system: system.to_owned(),
                prompt: prompt.to_owned(),
                max_tokens: extract::TOKENS_MAX,
                timeout_ms: self.settings.llm_timeout_ms,
            };
            let answer = self.engine.generate(ports, request).await;
            *said.borrow_mut() = match answer {
                Ok(reply) => Ok(reply.text),
                Err(fault) => Err(Error::new(
                    Kind::Model,
                    format!(
                        "the model took nothing from the source, which was kept: {}",
                        fault.detail
                    ),
                )),
            };
        })
    }
}

/// Finds the part of a source that an earlier attempt of the same request kept.
fn known_source(state: &State, base: &MemoryId, part: &str, scope: &ScopeKey) -> Option<MemoryId> {
    let mut known = state.family(base);
    let found = known.find(|memory| {
        memory.text == *part && memory.is_raw() && memory.scope == *state.scope_of(scope)
    });
    found.map(|memory| memory.id.clone())
}

/// A first revision of what a request makes; text, layer and author are the caller's to fill in.
pub(super) fn record(
    state: &State,
    input: &Input,
    id: MemoryId,
    number: usize,
    now: Millis,
) -> Memory {
    Memory {
        id,
        memory_type: Type::Fact,
        layer: Layer::Fact,
        text: Text::default(),
        canonical: None,
        status: Status::Active,
        scope: state.scope_of(&input.scope).clone(),
        importance: IMPORTANCE,
        signals: Vec::new(),
        remember: Remember {
            score: 1.0,
            by: JudgeName::Request,
            model: None,
        },
        by: Author::Human,
        source: crate::memory::Source {
            session_id: SessionId::from(input.key.as_str()),
            turn: 0,
            seq: EventSeq(number as u64),
            quote: Text::default(),
            at: input.at,
            tool: None,
            count: None,
            way_out: None,
            source_ids: Vec::new(),
            aliases: Vec::new(),
        },
        supersedes: Vec::new(),
        superseded_by: Vec::new(),
        conflicts_with: Vec::new(),
        valid_from: None,
        valid_until: None,
        temporal_scope: None,
        procedure: None,
        origin: state.origin().cloned().unwrap_or_else(|| Origin::from("")),
        revision: Revision(1),
        created_at: now,
        updated_at: now,
    }
}

/// The record of a candidate.
pub(super) fn statement(
    state: &State,
    input: &Input,
    proposal: &Proposal,
    (id, number): (MemoryId, usize),
    now: Millis,
) -> Memory {
    let mut memory = record(state, input, id, PARTS_MAX + number, now);
    memory.text = proposal.text.as_str().into();
    memory.source.quote = proposal.quote.as_str().into();
    memory.by = if proposal.by_model {
        Author::Model
    } else {
        Author::Human
    };
    memory.valid_from = proposal.valid_from;
    memory.valid_until = proposal.valid_until;
    memory.temporal_scope.clone_from(&proposal.temporal_scope);
    memory.procedure.clone_from(&proposal.procedure);
    if memory.procedure.is_some() {
        memory.memory_type = Type::Procedure;
    }
    memory
}

pub(super) fn written(memory: Memory) -> Body {
    Body::Fact(Fact::Write {
        memory: Box::new(memory),
    })
}

/// A plan as the caller sees it.
fn result(plan: &Planned) -> Value {
    let (mut added, mut procedures) = (Vec::new(), Vec::new());
    let mut decisions: Vec<Value> = Vec::new();
    for decision in &plan.decisions {
        let mut bytes = Vec::new();
        decision.write(&mut bytes);
        let mut shown: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if let Value::Object(fields) = &mut shown {
            fields.insert("path".to_owned(), decision.path.as_str().into());
        }
        decisions.push(shown);
        let ids = decision.proposal_ids.iter().map(MemoryId::as_str);
        if decision.action == Done::Add {
            added.extend(ids.clone());
            if decision.path == Path::Procedure {
                procedures.extend(ids);
            }
        }
    }
    let mut out = json!({
        "status": plan.status.as_str(),
        "scene": plan.scene,
        "sourceIds": plan.sources.iter().map(MemoryId::as_str).collect::<Vec<_>>(),
        "procedureIds": procedures,
        "extraNodeIds": added,
        "decisions": decisions,
    });
    if let (Value::Object(fields), Some((path, code))) = (&mut out, &plan.failed) {
        let failed = json!({ "path": path.as_str(), "code": code });
        fields.insert("failed".to_owned(), failed);
    }
    out
}
