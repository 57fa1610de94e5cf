//! One decision over a snapshot: which heads are compared, what a judge says, and the rows that follow.

use super::Library;
use super::add::{Input, statement, written};
use crate::conflict::embedding::cosine;
use crate::decide::Error;
use crate::decide::action::{self, Standing};
use crate::decide::ask::{self, Chosen, Question};
use crate::decide::error::Kind;
use crate::decide::extract::{Extracted, Proposal};
use crate::decide::outcome::{Decision, Done, Planned, Update, id_of};
use crate::decide::plan::{Settled, Verdict, settle, status};
use crate::decide::read::is_head;
use crate::decide::route::{self, Head, Near, Words};
use crate::decide::source::PARTS_MAX;
use crate::decide::target::{self, Link};
use crate::engine::budget::Budget;
use crate::judge::{Fault, Usage};
use crate::memory::{JudgeName, Memory, MemoryId, Revision, ScopeKey, Status};
use crate::port::Ports;
use crate::store::State;
use crate::store::entry::{Body, Fact, Observation};
use crate::store::state::STORED_CONFLICT;
use std::rc::Rc;

/// Heads of a scope that are looked at; past it the newest.
const HEADS_MAX: usize = 20_000;
/// Versions followed back from a head.
const HISTORY_MAX: usize = 64;
/// Milliseconds for all that is waited for beside the attempts themselves.
const WAITS_MS: u32 = 60_000;
/// The version of the questions' wording.
const QUESTIONS: &str = "decide-1";

/// What the judge was asked in one decision.
#[derive(Default)]
struct Asking {
    asked: u32,
    answered: u32,
    usage: Usage,
    model: Option<String>,
}

impl Library {
    /// Decides about candidates over the state as it is now.
    ///
    /// # Errors
    /// As [`Library::add`]. Nothing was written.
    pub(super) async fn reconcile(
        &self,
        ports: Ports<'_>,
        input: &Input,
        sources: &[MemoryId],
        extracted: &Extracted,
    ) -> Result<(Vec<Body>, Planned), Error> {
        let proposals = &extracted.proposals;
        let (epoch, heads) = {
            let store = self.store()?.borrow();
            let state = store.state();
            (state.epoch(&input.scope), heads_of(state, &input.scope))
        };
        let mut near = self.near(ports, proposals, &heads).await?;
        let threshold = if self.settings.embeddings {
            self.settings.reconcile_relation_threshold
        } else {
            self.settings.reconcile_lexical_threshold
        };
        let asked: Vec<usize> = (0..proposals.len())
            .filter(|at| near.best(*at) >= threshold)
            .collect();
        let mut verdicts: Vec<Verdict> = proposals.iter().map(Verdict::independent).collect();
        let mut heads = heads;
        let mut asking = Asking::default();
        let began = Budget::begin(ports, u32::MAX);
        if !asked.is_empty() {
            let limit = self.settings.reconcile_candidate_limit;
            let chars_max = self.settings.jev_max_question_chars;
            heads = route::cut(heads, &mut near, proposals, limit, chars_max).map_err(|chars| {
                Error::new(
                    Kind::Context,
                    format!("the statements of the source alone make a question of {chars} characters, over `jevMaxQuestionChars`; the source was kept"),
                )
            })?;
            let state = route::state(&heads, proposals);
            let stage = Stage {
                input,
                proposals,
                heads: &heads,
                near: &near,
                state: &state,
            };
            for batch in asked.chunks(self.settings.reconcile_batch_size) {
                self.judge(ports, &stage, batch, &mut verdicts, &mut asking)
                    .await?;
            }
        }
        let standing = |link: Link| standing(link, &heads, input);
        let review = self.settings.reconcile_review_confidence;
        let settled = settle(proposals, &verdicts, &standing, review)?;
        let observed = (self.settings.persist_history && asking.usage.requests > 0).then(|| {
            Observation::Judged {
                by: JudgeName::Jev,
                model: asking.model.clone(),
                questions: QUESTIONS.to_owned(),
                asked: asking.asked,
                answered: asking.answered,
                requests: asking.usage.requests,
                input_tokens: asking.usage.input_tokens,
                output_tokens: asking.usage.output_tokens,
                ms: began.passed_ms(ports),
            }
        });
        let store = self.store()?.borrow();
        let drawn = Drawn {
            state: store.state(),
            input,
            sources,
            extracted,
            heads: &heads,
            settled: &settled,
            model: asking.model.as_deref(),
        };
        let (mut rows, plan) = drawn.rows(epoch, ports);
        rows.extend(observed.map(Body::Observation));
        Ok((rows, plan))
    }

    /// Measures how near candidates are to heads and to each other: by meaning where there are vectors, else by words.
    async fn near(
        &self,
        ports: Ports<'_>,
        proposals: &[Proposal],
        heads: &[Head],
    ) -> Result<Near, Error> {
        let texts: Vec<String> = proposals
            .iter()
            .map(|proposal| proposal.text.clone())
            .chain(heads.iter().map(|head| head.memory.text.to_string()))
            .collect();
        let (n_candidates, n_heads) = (proposals.len(), heads.len());
        if !self.settings.embeddings || proposals.is_empty() {
            let words: Vec<Words> = texts.iter().map(|text| Words::of(text)).collect();
            let like = |a: usize, b: usize| match (words.get(a), words.get(b)) {
                (Some(a), Some(b)) => a.like(b),
                _ => 0.0,
            };
            return Ok(Near::measure(n_candidates, n_heads, like));
        }
        let budget = Budget::begin(ports, self.settings.embedding_timeout_ms.saturating_mul(8));
        let vectors = self
            .engine
            .vectors(ports, self.store()?, &texts, budget)
            .await;
        let vectors = vectors.map_err(|(cause, detail)| {
            let kind = match cause {
                "embedding-malformed" | "embedding-dimension" => Kind::Contract,
                _ => Kind::Model,
            };
            Error::new(kind, format!("{cause}: {detail}"))
        })?;
        let like = |a: usize, b: usize| match (vectors.get(a), vectors.get(b)) {
            (Some(a), Some(b)) => cosine(a, b),
            _ => 0.0,
        };
        Ok(Near::measure(n_candidates, n_heads, like))
    }

    /// Asks about a batch of candidates: first what each is about, then, of what is legal for that, what it does to it.
    async fn judge(
        &self,
        ports: Ports<'_>,
        stage: &Stage<'_>,
        batch: &[usize],
        verdicts: &mut [Verdict],
        asking: &mut Asking,
    ) -> Result<(), Error> {
        let asked = batch
            .iter()
            .map(|at| target::question(*at, stage.proposals, stage.heads, stage.near));
        let (questions, links): (Vec<Question>, Vec<Vec<Option<Link>>>) = asked.unzip();
        let chosen = self.ask(ports, stage.state, &questions, asking).await?;
        let targets: Vec<(Option<Link>, f64)> = chosen
            .iter()
            .zip(&links)
            .map(|(chosen, links)| {
                let link = links.get(chosen.option).copied().flatten();
                (link, chosen.confidence)
            })
            .collect();
        let standings: Vec<Standing> = targets
            .iter()
            .map(|(link, _)| {
                link.map_or(Standing::Nothing, |link| {
                    standing(link, stage.heads, stage.input)
                })
            })
            .collect();
        let questions: Vec<Question> = batch
            .iter()
            .zip(targets.iter().zip(&standings))
            .filter_map(|(at, ((link, _), standing))| {
                let proposal = target::shown(stage.proposals.get(*at)?);
                let about =
                    link.map(|link| target::shown_target(link, stage.proposals, stage.heads));
                Some(action::question(
                    format!("p{at}_action"),
                    proposal,
                    about,
                    *standing,
                ))
            })
            .collect();
        let chosen = self.ask(ports, stage.state, &questions, asking).await?;
        for (at, (chosen, ((link, confidence), standing))) in batch
            .iter()
            .zip(chosen.iter().zip(targets.iter().zip(&standings)))
        {
            let action = action::legal(*standing).get(chosen.option).copied();
            if let (Some(verdict), Some(action)) = (verdicts.get_mut(*at), action) {
                *verdict = Verdict {
                    target: *link,
                    action,
                    confidence: Some(confidence.min(chosen.confidence)),
                };
            }
        }
        Ok(())
    }

    /// Sends one request and reads the reply.
    async fn ask(
        &self,
        ports: Ports<'_>,
        state: &str,
        questions: &[Question],
        asking: &mut Asking,
    ) -> Result<Vec<Chosen>, Error> {
        let attempts = self.settings.jev_retries.saturating_add(1);
        let total_ms = self
            .settings
            .jev_timeout_ms
            .saturating_mul(attempts)
            .saturating_add(WAITS_MS);
        let body = ask::body(&self.settings.jev_model, state, questions);
        asking.asked += questions.len() as u32;
        let budget = Budget::begin(ports, total_ms);
        let (reply, spent) = self.engine.send_jev(ports, &body, budget).await;
        asking.usage.add(spent);
        let reply = reply.map_err(|Fault { cause, detail }| {
            Error::new(
                Kind::Judge,
                format!("no judge answered ({cause}: {detail}); the source was kept"),
            )
        })?;
        let (chosen, model) = ask::read(&reply, questions)?;
        asking.answered += chosen.len() as u32;
        asking.model = Some(model)
            .filter(|model| !model.is_empty())
            .or(asking.model.take());
        Ok(chosen)
    }
}

/// What the questions of one source share.
struct Stage<'a> {
    input: &'a Input,
    proposals: &'a [Proposal],
    heads: &'a [Head],
    near: &'a Near,
    state: &'a str,
}

/// How something stands to a source: by the time at which each was said, which a judge cannot tell.
fn standing(link: Link, heads: &[Head], input: &Input) -> Standing {
    match link {
        Link::Earlier(_) => Standing::Earlier,
        Link::Head(at) => match heads.get(at) {
            Some(head) if head.memory.source.at > input.at => Standing::NewerHead,
            _ => Standing::Head,
        },
    }
}

/// Returns the heads of a scope, each with what it replaced.
fn heads_of(state: &State, scope: &ScopeKey) -> Vec<Head> {
    let mut heads: Vec<Rc<Memory>> = state
        .in_scope(scope)
        .filter(|memory| is_head(memory))
        .cloned()
        .collect();
    if heads.len() > HEADS_MAX {
        crate::text::order::sort_by(&mut heads, |a, b| {
            (b.created_at, &b.id).cmp(&(a.created_at, &a.id))
        });
        heads.truncate(HEADS_MAX);
    }
    heads
        .into_iter()
        .map(|memory| Head {
            history: history(state, &memory),
            memory,
        })
        .collect()
}

/// Returns what a memory replaced, directly and before, the newest first.
pub(super) fn history(state: &State, memory: &Memory) -> Vec<Rc<Memory>> {
    let mut out: Vec<Rc<Memory>> = Vec::new();
    let mut open: Vec<MemoryId> = memory.supersedes.clone();
    while let Some(id) = open.pop() {
        if out.len() >= HISTORY_MAX {
            break;
        }
        let Some(old) = state.memory(&id) else {
            continue;
        };
        if old.id != memory.id && !out.iter().any(|known| known.id == id) {
            open.extend(old.supersedes.iter().cloned());
            out.push(old.clone());
        }
    }
    crate::text::order::sort_by(&mut out, |a, b| {
        (b.source.at, b.created_at, &b.id).cmp(&(a.source.at, a.created_at, &a.id))
    });
    out
}

/// What a plan is drawn from.
struct Drawn<'a> {
    state: &'a State,
    input: &'a Input,
    sources: &'a [MemoryId],
    extracted: &'a Extracted,
    heads: &'a [Head],
    settled: &'a [Settled],
    model: Option<&'a str>,
}

impl Drawn<'_> {
    /// The id a candidate has, written or not.
    fn id(&self, at: usize) -> MemoryId {
        self.state.free_id(&id_of(&self.input.key, PARTS_MAX + at))
    }

    fn linked(&self, link: Link) -> Option<MemoryId> {
        match link {
            Link::Head(at) => self.heads.get(at).map(|head| head.memory.id.clone()),
            Link::Earlier(at) => Some(self.id(at)),
        }
    }

    /// The parts of the source that hold a candidate's quote.
    fn sources_of(&self, proposal: &Proposal) -> Vec<MemoryId> {
        let parts = self.sources.iter().zip(&self.input.source.parts);
        let mut out: Vec<MemoryId> = parts
            .filter(|(_, part)| part.contains(proposal.quote.as_str()))
            .map(|(id, _)| id.clone())
            .collect();
        if out.is_empty() {
            out = self.sources.to_vec();
        }
        out
    }

    /// Returns the plan and everything that follows from it, in the order of one commit.
    fn rows(&self, epoch: u64, ports: Ports<'_>) -> (Vec<Body>, Planned) {
        let now = ports.clock.now();
        let mut bases: Vec<(MemoryId, Revision)> = Vec::new();
        let mut decisions: Vec<Decision> = Vec::new();
        let mut facts: Vec<Body> = Vec::new();
        for (at, (proposal, settled)) in self
            .extracted
            .proposals
            .iter()
            .zip(self.settled)
            .enumerate()
        {
            let id = self.id(at);
            let target = settled.target.and_then(|link| self.linked(link));
            if let Some(Link::Head(place)) = settled.target
                && let Some(head) = self.heads.get(place)
                && !bases.iter().any(|base| base.0 == head.memory.id)
            {
                bases.push((head.memory.id.clone(), head.memory.revision));
            }
            if settled.done == Done::Add {
                let mut memory = statement(self.state, self.input, proposal, (id.clone(), at), now);
                memory.source.source_ids = self.sources_of(proposal);
                memory.source.aliases = self.said_again(at);
                memory.remember.model = self.model.map(str::to_owned);
                if let Some(confidence) = settled.confidence {
                    memory.remember.score = confidence;
                    memory.remember.by = JudgeName::Jev;
                }
                facts.push(written(memory));
            }
            if let Some(target) = &target {
                facts.extend(self.linking(settled, &id, target));
            }
            decisions.push(Decision {
                action: settled.done,
                update: settled.update,
                targets: target.into_iter().collect(),
                proposal_ids: vec![id],
                source_ids: self.sources_of(proposal),
                confidence: settled.confidence,
            });
        }
        let plan = Planned {
            scope: self.state.scope_of(&self.input.scope).clone(),
            request: self.input.request.clone(),
            input: self.input.digest.clone(),
            epoch,
            status: status(self.settled, self.extracted.partial),
            scene: self.input.source.scene.to_owned(),
            sources: self.sources.to_vec(),
            bases,
            decisions,
            model: self.model.map(str::to_owned),
        };
        let mut rows = vec![Body::Fact(Fact::Plan {
            plan: Box::new(plan.clone()),
        })];
        rows.extend(facts);
        (rows, plan)
    }

    /// The ids of later candidates of the same source that say a new statement again.
    fn said_again(&self, at: usize) -> Vec<MemoryId> {
        let again = |one: &Settled| one.done == Done::Skip && one.target == Some(Link::Earlier(at));
        let places = self
            .settled
            .iter()
            .enumerate()
            .filter(|(_, one)| again(one));
        places.map(|(place, _)| self.id(place)).collect()
    }

    /// The link between a candidate and what it is about.
    fn linking(&self, settled: &Settled, id: &MemoryId, target: &MemoryId) -> Option<Body> {
        let fact = match (settled.done, settled.update) {
            (Done::Delete, _) => Fact::Status {
                id: target.clone(),
                status: Status::Archived,
                revision: Revision(self.state.memory(target)?.revision.0.saturating_add(1)),
                reason: "delete".to_owned(),
            },
            (Done::Add, Some(Update::Override | Update::Negate)) => Fact::Supersede {
                old: target.clone(),
                new: id.clone(),
            },
            // Behind the head, which stays.
            (Done::Add, Some(Update::Historical)) => Fact::Supersede {
                old: id.clone(),
                new: target.clone(),
            },
            (Done::Add, Some(Update::Conflict)) => Fact::ConflictResolved {
                id: id.clone(),
                against: vec![target.clone()],
                choice: STORED_CONFLICT.to_owned(),
            },
            _ => return None,
        };
        Some(fact.into())
    }
}
