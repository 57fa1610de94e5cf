//! One decision over a snapshot: which heads are compared, what a judge says, and the rows that follow.

use super::Library;
use super::add::{Input, Taken, statement, written};
use crate::conflict::embedding::cosine;
use crate::decide::Error;
use crate::decide::action::{self, Standing};
use crate::decide::ask::{self, Chosen, Question};
use crate::decide::error::Kind;
use crate::decide::extract::Proposal;
use crate::decide::outcome::{Decision, Done, Path, Planned, Update, id_of};
use crate::decide::plan::{Settled, Verdict, settle, settle_procedures, status};
use crate::decide::procedure::is_beside;
use crate::decide::read::is_head;
use crate::decide::route::{self, Head, Near, Words};
use crate::decide::source::PARTS_MAX;
use crate::decide::target::{self, Link};
use crate::engine::budget::Budget;
use crate::engine::together::{Work, together};
use crate::judge::{Fault, Usage};
use crate::memory::{JudgeName, Memory, MemoryId, Revision, ScopeKey, Status, Type};
use crate::port::Ports;
use crate::store::State;
use crate::store::entry::{Body, Fact, Observation};
use crate::store::state::STORED_CONFLICT;
use std::cell::RefCell;
use std::rc::Rc;

/// Heads of a scope that are looked at; past it the newest.
const HEADS_MAX: usize = 20_000;
/// Versions followed back from a head.
const HISTORY_MAX: usize = 64;
/// Milliseconds for all that is waited for beside the attempts themselves.
const WAITS_MS: u32 = 60_000;
/// The version of the questions' wording.
const QUESTIONS: &str = "decide-2";
/// Requests of one stage under way at once. Source: as many as a process has at once (`engine/jev.rs`).
const TOGETHER: usize = 4;

/// What the judge was asked about one source.
#[derive(Default)]
pub(super) struct Asking {
    asked: u32,
    answered: u32,
    usage: Usage,
    model: Option<String>,
}

impl Library {
    /// Decides about candidates over the state as it is now: statements, and the procedures of each boundary, side by side.
    ///
    /// # Errors
    /// As [`Library::add`]. Nothing was written. Of coding, one way may come to nothing without costing the other.
    pub(super) async fn reconcile(
        &self,
        ports: Ports<'_>,
        input: &Input,
        sources: &[MemoryId],
        taken: &Taken,
        asking: &RefCell<Asking>,
    ) -> Result<(Vec<Body>, Planned), Error> {
        let began = Budget::begin(ports, u32::MAX);
        let beside = |a: &Proposal, b: &Proposal| match (&a.procedure, &b.procedure) {
            (Some(a), Some(b)) => a.boundary_scope == b.boundary_scope,
            _ => false,
        };
        let procedures = taken.procedures.proposals.chunk_by(beside);
        let (epoch, mut parts) = {
            let store = self.store()?.borrow();
            let state = store.state();
            let mut first = 0;
            let all = std::iter::once(taken.statements.proposals.as_slice()).chain(procedures);
            let part = |proposals| {
                let part = Part::of(state, &input.scope, proposals, first);
                first += proposals.len();
                part
            };
            (state.epoch(&input.scope), all.map(part).collect::<Vec<_>>())
        };
        let came: Vec<RefCell<Result<(), Error>>> =
            parts.iter().map(|_| RefCell::new(Ok(()))).collect();
        let work = parts.iter_mut().zip(&came).map(|(part, came)| -> Work<'_> {
            Box::pin(async move {
                *came.borrow_mut() = self
                    .settle(ports, input, part, taken.has_judge, asking)
                    .await;
            })
        });
        together(work.collect(), usize::MAX).await;
        let mut failed = taken.failed.clone();
        let mut is_lost = failed.is_some();
        for (part, came) in parts.iter().zip(came) {
            let Err(error) = came.into_inner() else {
                continue;
            };
            let of_one_way = matches!(
                error.kind,
                Kind::Context | Kind::Contract | Kind::Judge | Kind::Model
            );
            if !of_one_way {
                return Err(error);
            }
            is_lost = true;
            if part.path == Path::Chat || failed.is_none() {
                failed = Some((part.path, error));
            }
        }
        // A procedure that came through is worth a commit of its own; without one there is nothing beside the statements.
        let has_procedure = parts
            .iter()
            .any(|x| x.path == Path::Procedure && !x.settled.is_empty());
        match failed {
            Some((Path::Chat, error)) if !has_procedure => return Err(error),
            _ => {}
        }
        let asked = asking.borrow();
        let observed = (self.settings.persist_history && asked.usage.requests > 0).then(|| {
            Observation::Judged {
                by: JudgeName::Jev,
                model: asked.model.clone(),
                questions: QUESTIONS.to_owned(),
                asked: asked.asked,
                answered: asked.answered,
                requests: asked.usage.requests,
                input_tokens: asked.usage.input_tokens,
                output_tokens: asked.usage.output_tokens,
                ms: began.passed_ms(ports),
            }
        });
        let is_partial = is_lost || taken.statements.partial || taken.procedures.partial;
        let store = self.store()?.borrow();
        let drawn = Drawn {
            state: store.state(),
            input,
            sources,
            parts: &parts,
            model: asked.model.as_deref(),
        };
        let settled: Vec<Settled> = parts
            .iter()
            .flat_map(|x| x.settled.iter().copied())
            .collect();
        let plan = Planned {
            scope: drawn.state.scope_of(&input.scope).clone(),
            request: input.request.clone(),
            input: input.digest.clone(),
            epoch,
            status: status(&settled, is_partial),
            scene: taken.scene.to_owned(),
            sources: sources.to_vec(),
            bases: Vec::new(),
            decisions: Vec::new(),
            model: asked.model.clone(),
            failed: failed.map(|(path, error)| (path, error.row().1.to_owned())),
        };
        let (mut rows, plan) = drawn.rows(plan, ports);
        rows.extend(self.registered(&plan.scope));
        rows.extend(observed.map(Body::Observation));
        Ok((rows, plan))
    }

    /// Decides about the candidates of one part, and leaves in it what they come to.
    async fn settle(
        &self,
        ports: Ports<'_>,
        input: &Input,
        part: &mut Part<'_>,
        has_judge: bool,
        asking: &RefCell<Asking>,
    ) -> Result<(), Error> {
        let proposals = part.proposals;
        let is_procedure = part.path == Path::Procedure;
        let mut near = self.near(ports, proposals, &part.heads).await?;
        let limit = self.settings.reconcile_candidate_limit;
        if is_procedure && has_judge && part.heads.len() > limit {
            self.include(ports, part, &mut near, asking).await?;
        }
        let threshold = if self.settings.embeddings {
            self.settings.reconcile_relation_threshold
        } else {
            self.settings.reconcile_lexical_threshold
        };
        // Procedures inside one boundary are few and said in many ways: each is asked about as long as somebody answers.
        let is_asked = |at: &usize| {
            if is_procedure && has_judge {
                !part.heads.is_empty()
            } else {
                near.best(*at) >= threshold
            }
        };
        let asked: Vec<usize> = (0..proposals.len()).filter(is_asked).collect();
        let mut verdicts: Vec<Verdict> = proposals.iter().map(Verdict::independent).collect();
        if !asked.is_empty() {
            let chars_max = self.settings.jev_max_question_chars;
            let heads = std::mem::take(&mut part.heads);
            part.heads = route::cut(heads, &mut near, proposals, limit, chars_max).map_err(|chars| {
                Error::new(
                    Kind::Context,
                    format!("the statements of the source alone make a question of {chars} characters, over `jevMaxQuestionChars`; the source was kept"),
                )
            })?;
            let state = route::state(&part.heads, proposals);
            let stage = Stage {
                input,
                proposals,
                heads: &part.heads,
                near: &near,
                state: &state,
            };
            let (given, failed) = (RefCell::new(Vec::new()), RefCell::new(None));
            let batches = asked.chunks(self.settings.reconcile_batch_size);
            let work = batches.map(|batch| -> Work<'_> {
                Box::pin(async {
                    if failed.borrow().is_some() {
                        return;
                    }
                    match self.judge(ports, &stage, batch, asking).await {
                        Ok(verdicts) => given.borrow_mut().extend(verdicts),
                        Err(error) => *failed.borrow_mut() = Some(error),
                    }
                })
            });
            together(work.collect(), TOGETHER).await;
            if let Some(error) = failed.into_inner() {
                return Err(error);
            }
            for (at, verdict) in given.into_inner() {
                if let Some(mine) = verdicts.get_mut(at) {
                    *mine = verdict;
                }
            }
        }
        let standing = |link: Link| standing(link, &part.heads, input);
        let review = self.settings.reconcile_review_confidence;
        let settle = if is_procedure {
            settle_procedures
        } else {
            settle
        };
        part.settled = settle(proposals, &verdicts, &standing, review)?;
        Ok(())
    }

    /// Keeps of too many heads those that a judge would compare, page by page.
    async fn include(
        &self,
        ports: Ports<'_>,
        part: &mut Part<'_>,
        near: &mut Near,
        asking: &RefCell<Asking>,
    ) -> Result<(), Error> {
        let (heads, pages) = route::pages(
            std::mem::take(&mut part.heads),
            near,
            part.proposals,
            self.settings.reconcile_candidate_limit,
            self.settings.jev_max_question_chars,
        );
        let (kept, failed) = (RefCell::new(Vec::new()), RefCell::new(None));
        let work = pages.iter().map(|page| -> Work<'_> {
            let shown: Vec<Head> = page
                .iter()
                .filter_map(|at| heads.get(*at))
                .cloned()
                .collect();
            let state = route::state(&shown, part.proposals);
            let (kept, failed) = (&kept, &failed);
            Box::pin(async move {
                if failed.borrow().is_some() {
                    return;
                }
                let questions: Vec<Question> = shown
                    .iter()
                    .enumerate()
                    .map(|(place, head)| target::inclusion(place, head))
                    .collect();
                match self.ask(ports, &state, &questions, asking).await {
                    Ok(chosen) => {
                        let included = page.iter().zip(&chosen).filter(|(_, x)| x.option == 0);
                        kept.borrow_mut().extend(included.map(|(at, _)| *at));
                    }
                    Err(error) => *failed.borrow_mut() = Some(error),
                }
            })
        });
        together(work.collect(), TOGETHER).await;
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        let found = kept.into_inner();
        let kept: Vec<usize> = (0..heads.len()).filter(|at| found.contains(at)).collect();
        near.keep(&kept);
        part.heads = kept
            .iter()
            .filter_map(|at| heads.get(*at))
            .cloned()
            .collect();
        Ok(())
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
        asking: &RefCell<Asking>,
    ) -> Result<Vec<(usize, Verdict)>, Error> {
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
        let mut verdicts = Vec::with_capacity(batch.len());
        for (at, (chosen, ((link, confidence), standing))) in batch
            .iter()
            .zip(chosen.iter().zip(targets.iter().zip(&standings)))
        {
            if let Some(action) = action::legal(*standing).get(chosen.option).copied() {
                let verdict = Verdict {
                    target: *link,
                    action,
                    confidence: Some(confidence.min(chosen.confidence)),
                };
                verdicts.push((*at, verdict));
            }
        }
        Ok(verdicts)
    }

    /// Sends one request and reads the reply.
    pub(super) async fn ask(
        &self,
        ports: Ports<'_>,
        state: &str,
        questions: &[Question],
        asking: &RefCell<Asking>,
    ) -> Result<Vec<Chosen>, Error> {
        let attempts = self.settings.jev_retries.saturating_add(1);
        let total_ms = self
            .settings
            .jev_timeout_ms
            .saturating_mul(attempts)
            .saturating_add(WAITS_MS);
        let body = ask::body(&self.settings.jev_model, state, questions);
        asking.borrow_mut().asked += questions.len() as u32;
        let budget = Budget::begin(ports, total_ms);
        let (reply, spent) = self.engine.send_jev(ports, &body, budget).await;
        asking.borrow_mut().usage.add(spent);
        let reply = reply.map_err(|Fault { cause, detail }| {
            Error::new(
                Kind::Judge,
                format!("no judge answered ({cause}: {detail}); the source was kept"),
            )
        })?;
        let (chosen, model) = ask::read(&reply, questions)?;
        let mut asking = asking.borrow_mut();
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

/// Candidates of one way that are decided on by themselves.
struct Part<'a> {
    path: Path,
    /// The number of its first candidate among all of the source.
    first: usize,
    proposals: &'a [Proposal],
    /// What they are compared with.
    heads: Vec<Head>,
    settled: Vec<Settled>,
}

impl<'a> Part<'a> {
    /// Takes the heads that candidates may be about: of statements no procedure, of procedures only those inside one boundary.
    fn of(state: &State, scope: &ScopeKey, proposals: &'a [Proposal], first: usize) -> Self {
        let mine = proposals.first().and_then(|x| x.procedure.as_deref());
        let wanted = |memory: &Memory| match mine {
            None => memory.memory_type != Type::Procedure,
            Some(mine) => memory
                .procedure
                .as_deref()
                .is_some_and(|x| is_beside(mine, x)),
        };
        let has_any = !proposals.is_empty();
        Self {
            path: mine.map_or(Path::Chat, |_| Path::Procedure),
            first,
            proposals,
            heads: heads_of(state, scope, &|memory| has_any && wanted(memory)),
            settled: Vec::new(),
        }
    }
}

/// How something stands to a source: by the time at which each was said, which a judge cannot tell.
fn standing(link: Link, heads: &[Head], input: &Input) -> Standing {
    match link {
        Link::Earlier(_) => Standing::Earlier,
        Link::Several => Standing::Several,
        Link::Head(at) => match heads.get(at) {
            Some(head) if head.memory.source.at > input.at => Standing::NewerHead,
            _ => Standing::Head,
        },
    }
}

/// Returns the heads of a scope that are `wanted`, each with what it replaced.
fn heads_of(state: &State, scope: &ScopeKey, wanted: &dyn Fn(&Memory) -> bool) -> Vec<Head> {
    let mut heads: Vec<Rc<Memory>> = state
        .in_scope(scope)
        .filter(|memory| is_head(memory) && wanted(memory))
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
    parts: &'a [Part<'a>],
    model: Option<&'a str>,
}

impl Drawn<'_> {
    /// The id a candidate has, written or not.
    fn id(&self, part: &Part<'_>, at: usize) -> MemoryId {
        let number = PARTS_MAX + part.first + at;
        self.state.free_id(&id_of(&self.input.key, number))
    }

    fn linked(&self, part: &Part<'_>, link: Link) -> Option<MemoryId> {
        match link {
            Link::Head(at) => part.heads.get(at).map(|head| head.memory.id.clone()),
            Link::Earlier(at) => Some(self.id(part, at)),
            Link::Several => None,
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
    fn rows(&self, mut plan: Planned, ports: Ports<'_>) -> (Vec<Body>, Planned) {
        let now = ports.clock.now();
        let mut facts: Vec<Body> = Vec::new();
        for part in self.parts {
            for (at, (proposal, settled)) in part.proposals.iter().zip(&part.settled).enumerate() {
                let id = self.id(part, at);
                let target = settled.target.and_then(|link| self.linked(part, link));
                if let Some(Link::Head(place)) = settled.target
                    && let Some(head) = part.heads.get(place)
                    && !plan.bases.iter().any(|base| base.0 == head.memory.id)
                {
                    let base = (head.memory.id.clone(), head.memory.revision);
                    plan.bases.push(base);
                }
                if settled.done == Done::Add {
                    let numbered = (id.clone(), part.first + at);
                    let mut memory = statement(self.state, self.input, proposal, numbered, now);
                    memory.source.source_ids = self.sources_of(proposal);
                    memory.source.aliases = self.said_again(part, at);
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
                plan.decisions.push(Decision {
                    path: part.path,
                    action: settled.done,
                    update: settled.update,
                    targets: target.into_iter().collect(),
                    proposal_ids: vec![id],
                    source_ids: self.sources_of(proposal),
                    confidence: settled.confidence,
                });
            }
        }
        let mut rows = vec![Body::Fact(Fact::Plan {
            plan: Box::new(plan.clone()),
        })];
        rows.extend(facts);
        (rows, plan)
    }

    /// The ids of later candidates of the same source that say a new statement again.
    fn said_again(&self, part: &Part<'_>, at: usize) -> Vec<MemoryId> {
        let again = |one: &Settled| one.done == Done::Skip && one.target == Some(Link::Earlier(at));
        let places = part
            .settled
            .iter()
            .enumerate()
            .filter(|(_, one)| again(one));
        places.map(|(place, _)| self.id(part, place)).collect()
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
