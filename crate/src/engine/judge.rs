//! Asks the judges in their order about what a turn said, within the turn's budget, and says once what was given up.

use super::budget::Budget;
use super::relations::Act;
use super::sentence::Sentence;
use super::{Engine, cut};
use crate::config::JudgeChoice;
use crate::judge::{
    Answer, Asked, Fault, Judgement, Usage, heuristic, host, jev, judgement, questions,
};
use crate::memory::{JudgeName, MemoryId, Millis, SessionId, Type};
use crate::port::{LlmRequest, Ports};
use crate::screen::Screened;
use crate::store::entry::{Body, Observation};
use crate::store::{State, Store};
use crate::text::sorted::Map;
use std::cell::RefCell;

/// Characters around a candidate that a judge is shown, on each side.
const AROUND_MAX_CHARS: usize = 200;

/// What judges that read said of a turn. What is not in it is the offline judge's.
#[derive(Debug, Default)]
pub(super) struct Judged {
    by_id: Map<MemoryId, Judgement>,
    /// `judged` and `degraded` rows.
    pub(super) rows: Vec<Body>,
    /// What was decided about contradictions, where a judge may.
    pub(super) acts: Vec<Act>,
}

impl Judged {
    /// Returns what a judge that reads said of `id`.
    pub(super) fn of(&self, id: &MemoryId) -> Option<&Judgement> {
        self.by_id.get(id)
    }
}

/// A candidate that no judge has answered yet.
struct Open<'a> {
    sentence: &'a Sentence,
    /// What the offline judge thinks: the order in which a limited judge is asked, and the type where none fits.
    offline: Judgement,
    asked: Asked,
}

/// One judge's part of a turn, for its `judged` row.
struct Round {
    by: JudgeName,
    questions: &'static str,
    model: Option<String>,
    asked: u32,
    answered: u32,
    usage: Usage,
    ms: u32,
}

impl Engine {
    /// Asks about the sentences that the screen kept and nothing knows. Without a judge that reads it asks nothing and costs nothing.
    pub(super) async fn judge(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        session: &SessionId,
        sentences: &[Sentence],
        budget: Budget,
    ) -> Judged {
        let mut out = Judged::default();
        let is_kept = |one: &Sentence| matches!(one.screened, Screened::Kept(_));
        if !sentences.iter().any(is_kept) {
            return out;
        }
        let now = ports.clock.now();
        let mut faults: Vec<Fault> = Vec::new();
        let mut open: Option<Vec<Open<'_>>> = None;
        for choice in &self.config.judge {
            match choice {
                JudgeChoice::Heuristic | JudgeChoice::Off => break,
                JudgeChoice::Auto | JudgeChoice::Jev => {
                    let key = ports
                        .http
                        .key(&self.config.jev.api_key_env, budget.left_ms(ports) / 4)
                        .await;
                    let has_key = key != "none";
                    self.key_path.replace(key);
                    if !has_key && *choice == JudgeChoice::Auto {
                        continue;
                    }
                    let left =
                        open.get_or_insert_with(|| self.to_ask(&store.borrow(), sentences, now));
                    if left.is_empty() {
                        break;
                    }
                    if !has_key {
                        let fault = Fault::new("jev-no-key", self.no_key());
                        faults.extend(left.iter().map(|_| fault.clone()));
                        continue;
                    }
                    let asked = std::mem::take(left);
                    *left = self
                        .round_jev(ports, asked, &mut out, &mut faults, budget)
                        .await;
                }
                JudgeChoice::Host => {
                    let left =
                        open.get_or_insert_with(|| self.to_ask(&store.borrow(), sentences, now));
                    if left.is_empty() {
                        break;
                    }
                    let asked = std::mem::take(left);
                    *left = self
                        .round_host(ports, session, asked, &mut out, &mut faults, budget)
                        .await;
                }
            }
        }
        self.judge_relations(ports, store, sentences, &mut out, &mut faults, budget)
            .await;
        self.say_given_up(&faults, &mut out);
        self.say_model_change(store.borrow().state(), &out);
        out
    }

    /// Returns what there is to ask: kept by the screen, neither known nor forgotten, each once.
    fn to_ask<'a>(&self, store: &Store, sentences: &'a [Sentence], now: Millis) -> Vec<Open<'a>> {
        let mut seen = super::sentence::Seen::of(sentences.len());
        let mut open = Vec::new();
        for sentence in sentences {
            let Screened::Kept(kept) = &sentence.screened else {
                continue;
            };
            if sentence.standing(store.state(), &mut seen).is_some() {
                continue;
            }
            sentence.note(&mut seen);
            let candidate = &sentence.candidate;
            let around = |text: &str| cut(text.trim(), AROUND_MAX_CHARS);
            open.push(Open {
                sentence,
                offline: heuristic::judge(candidate, kept),
                asked: Asked {
                    text: candidate.text.clone(),
                    before: around(candidate.context.before()),
                    after: around(candidate.context.after()),
                    known: self.known(store, &sentence.scope, &candidate.text, now),
                },
            });
        }
        open
    }

    /// Asks Jev; returns what is still open.
    async fn round_jev<'a>(
        &self,
        ports: Ports<'_>,
        open: Vec<Open<'a>>,
        out: &mut Judged,
        faults: &mut Vec<Fault>,
        budget: Budget,
    ) -> Vec<Open<'a>> {
        let round = Budget::begin(ports, 0);
        let (mine, mut left) = best(open, self.config.jev.max_candidates as usize);
        let over = Fault::new(
            "jev-over-max-candidates",
            "more candidates in one turn than `jev.maxCandidates`",
        );
        faults.extend(left.iter().map(|_| over.clone()));
        let asked: Vec<Asked> = mine.iter().map(|one| one.asked.clone()).collect();
        let (parts, refused) = jev::parts(&asked, &self.config.jev.model);
        let mut answers: Vec<Result<Answer, Fault>> = mine
            .iter()
            .map(|_| Err(Fault::new("jev-missing-row", "a sentence has no answer")))
            .collect();
        for (place, fault) in refused {
            set(&mut answers, place, Err(fault));
        }
        let mut usage = Usage::default();
        let mut model = None;
        let mut broken: Option<Fault> = None;
        for part in parts {
            // What kept one part from being answered keeps the others, too.
            let (reply, spent) = match &broken {
                Some(fault) => (Err(fault.clone()), Usage::default()),
                None => self.ask_jev(ports, &part, &asked, budget).await,
            };
            usage.add(spent);
            match reply {
                Ok(answered) => {
                    model = Some(answered.model);
                    for (place, row) in answered.rows {
                        set(&mut answers, place, row);
                    }
                }
                Err(fault) => {
                    for place in part.places {
                        set(&mut answers, place, Err(fault.clone()));
                    }
                    broken = Some(fault);
                }
            }
        }
        let round = Round {
            by: JudgeName::Jev,
            questions: questions::JEV_VERSION,
            model,
            asked: asked.len() as u32,
            answered: 0,
            usage,
            ms: round.passed_ms(ports),
        };
        left.extend(self.take_in(round, mine, answers, out, faults));
        left
    }

    /// Asks the host's model; returns what is still open.
    async fn round_host<'a>(
        &self,
        ports: Ports<'_>,
        session: &SessionId,
        open: Vec<Open<'a>>,
        out: &mut Judged,
        faults: &mut Vec<Fault>,
        budget: Budget,
    ) -> Vec<Open<'a>> {
        let round = Budget::begin(ports, 0);
        let (mine, mut left) = best(open, host::CANDIDATES_MAX);
        let over = Fault::new("host-over-max-candidates", "more candidates than one call");
        faults.extend(left.iter().map(|_| over.clone()));
        let asked: Vec<Asked> = mine.iter().map(|one| one.asked.clone()).collect();
        let mut usage = Usage::default();
        let mut model = None;
        let said = match host::prompt(&asked) {
            Err(fault) => Err(fault),
            Ok(prompt) => {
                let request = LlmRequest {
                    session: session.clone(),
                    provider: String::new(),
                    model: String::new(),
                    system: prompt.system,
                    prompt: prompt.prompt,
                    max_tokens: prompt.max_tokens,
                    timeout_ms: budget.left_ms(ports),
                };
                match self.generate(ports, request).await {
                    Err(fault) => Err(fault),
                    Ok(reply) => {
                        usage = Usage {
                            requests: 1,
                            input_tokens: reply.input_tokens,
                            output_tokens: reply.output_tokens,
                        };
                        model = Some(cut(&reply.model, 80));
                        host::read(&reply.text, &asked)
                    }
                }
            }
        };
        let answers = match said {
            Ok(rows) => rows,
            Err(fault) => mine.iter().map(|_| Err(fault.clone())).collect(),
        };
        let round = Round {
            by: JudgeName::Host,
            questions: questions::HOST_VERSION,
            model,
            asked: asked.len() as u32,
            answered: 0,
            usage,
            ms: round.passed_ms(ports),
        };
        left.extend(self.take_in(round, mine, answers, out, faults));
        left
    }

    /// Takes a round's answers in; returns what it left open.
    fn take_in<'a>(
        &self,
        mut round: Round,
        mine: Vec<Open<'a>>,
        answers: Vec<Result<Answer, Fault>>,
        out: &mut Judged,
        faults: &mut Vec<Fault>,
    ) -> Vec<Open<'a>> {
        let mut left = Vec::new();
        let model = round.model.clone().unwrap_or_default();
        for (one, answer) in mine.into_iter().zip(answers) {
            match answer {
                Ok(answer) => {
                    let fallback: Type = one.offline.memory_type;
                    let judged = judgement(&answer, &one.asked, round.by, &model, fallback);
                    out.by_id.insert(one.sentence.id.clone(), judged);
                    round.answered += 1;
                }
                Err(fault) => {
                    faults.push(fault);
                    left.push(one);
                }
            }
        }
        self.count_usage(round.by, round.usage);
        out.rows.push(
            Observation::Judged {
                by: round.by,
                model: round.model,
                questions: round.questions.to_owned(),
                asked: round.asked,
                answered: round.answered,
                requests: round.usage.requests,
                input_tokens: round.usage.input_tokens,
                output_tokens: round.usage.output_tokens,
                ms: round.ms,
            }
            .into(),
        );
        left
    }

    /// One row a turn: the commonest cause first, each with its count.
    fn say_given_up(&self, faults: &[Fault], out: &mut Judged) {
        let mut causes: Vec<(&Fault, u32)> = Vec::new();
        for fault in faults {
            match causes
                .iter_mut()
                .find(|(known, _)| known.cause == fault.cause)
            {
                Some((_, count)) => *count += 1,
                None => causes.push((fault, 1)),
            }
        }
        // Stable: of equal counts the one that happened first stays first.
        causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let Some((first, _)) = causes.first() else {
            return;
        };
        for (fault, _) in &causes {
            if ["jev-auth", "jev-no-credit", "jev-no-key"].contains(&fault.cause) {
                self.problem(fault.cause, &fault.detail);
            }
        }
        let told: Vec<String> = causes
            .iter()
            .map(|(fault, count)| format!("{} × {count}: {}", fault.cause, fault.detail))
            .collect();
        out.rows.push(
            Observation::Degraded {
                cause: first.cause.to_owned(),
                count: u32::try_from(faults.len()).ok(),
                detail: cut(&told.join("; "), 400),
            }
            .into(),
        );
    }

    /// Says once when another version of Jev answers than before: thresholds were measured for one version.
    fn say_model_change(&self, state: &State, out: &Judged) {
        let Some(now) = out
            .by_id
            .values()
            .filter(|judged| judged.by == JudgeName::Jev)
            .find_map(|judged| judged.model.clone())
        else {
            return;
        };
        let before = self.jev_model.replace(Some(now.clone())).or_else(|| {
            state
                .memories()
                .filter(|memory| memory.remember.by == JudgeName::Jev)
                .max_by_key(|memory| memory.created_at)
                .and_then(|memory| memory.remember.model.clone())
        });
        if let Some(before) = before.filter(|before| *before != now) {
            let detail = format!("{now} answers now, {before} did before");
            self.say_health("jev-model-changed", detail);
        }
    }
}

/// Takes the `limit` candidates that the offline judge thinks most of, in the order they were said, and returns the rest.
fn best(open: Vec<Open<'_>>, limit: usize) -> (Vec<Open<'_>>, Vec<Open<'_>>) {
    let mut order: Vec<usize> = (0..open.len()).collect();
    let score = |place: &usize| open.get(*place).map_or(0.0, |one| one.offline.importance);
    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
    order.truncate(limit);
    let (mine, left): (Vec<_>, Vec<_>) = open
        .into_iter()
        .enumerate()
        .partition(|(place, _)| order.contains(place));
    let open = |list: Vec<(usize, _)>| list.into_iter().map(|(_, one)| one).collect();
    (open(mine), open(left))
}

fn set<T>(list: &mut [T], place: usize, value: T) {
    if let Some(slot) = list.get_mut(place) {
        *slot = value;
    }
}
