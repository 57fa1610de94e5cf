//! What a turn's human said, from the cut to the decision.

use super::judge::Judged;
use super::learn::{Decided, Place, current, same_form, sentence_memory, skip_row, stands};
use super::{Engine, cut};
use crate::conflict::{is_change, is_passing};
use crate::extract::{Candidate, sentences};
use crate::gate::{BELOW_MIN_IMPORTANCE, Gate, gate, threshold};
use crate::judge::heuristic;
use crate::memory::{Memory, MemoryId, Millis, ScopeKey};
use crate::port::Clock;
use crate::screen::{Screened, declares_global, screen};
use crate::store::entry::{Body, Fact, Observation, Position};
use crate::store::{State, Store};
use crate::text::digest::{is_same_cut, key, letters_mark};
use crate::text::order::sort_by;
use crate::text::sorted::Map;
use crate::text::window::{self, Window};
use crate::turn::Turn;
use std::rc::Rc;

/// Characters of a quote in a row that is not a memory.
const QUOTE_MAX_CHARS: usize = 160;

/// A candidate with what can be said of it without the state.
pub(super) struct Sentence {
    pub(super) candidate: Candidate,
    /// The session's, or `global` where the sentence says so.
    pub(super) scope: ScopeKey,
    pub(super) id: MemoryId,
    pub(super) screened: Screened,
    /// When what it says holds, where it says so.
    pub(super) window: Option<Window>,
    /// What a model that extracts made of it, where that passed the gates of a restatement.
    pub(super) form: Option<String>,
}

/// From this many sentences on, what stands is looked up in a list made once, not read for each.
const MANY: usize = 8;

/// Records by the digest of their letters, then by their place.
type ByLetters<'a> = Vec<(u64, usize, &'a Memory)>;

/// What a turn's sentences are held against.
pub(super) struct Seen<'a> {
    /// What they were so far: each scope and form, and the id of the first.
    said: Map<(ScopeKey, String), MemoryId>,
    is_long: bool,
    /// What stands in a scope, ascending by the digest of its letters.
    standing: Vec<(ScopeKey, ByLetters<'a>)>,
}

impl<'a> Seen<'a> {
    pub(super) fn of(n_sentences: usize) -> Self {
        Self {
            said: Map::new(),
            is_long: n_sentences >= MANY,
            standing: Vec::new(),
        }
    }

    /// As [`current`].
    fn current(
        &mut self,
        state: &'a State,
        scope: &'a ScopeKey,
        quote: &str,
        time: (Millis, Option<Window>),
    ) -> Option<&'a Memory> {
        if !self.is_long {
            return current(state, scope, quote, time);
        }
        let at = match self.standing.iter().position(|(known, _)| known == scope) {
            Some(at) => at,
            None => {
                let list = state.in_scope(scope).map(Rc::as_ref).enumerate();
                let mut list: ByLetters<'a> = list
                    .map(|(at, memory)| (letters_mark(&memory.source.quote), at, memory))
                    .collect();
                sort_by(&mut list, |a, b| (a.0, a.1).cmp(&(b.0, b.1)));
                self.standing.push((scope.clone(), list));
                self.standing.len() - 1
            }
        };
        let (_, list) = self.standing.get(at)?;
        let mark = letters_mark(quote);
        let from = list.partition_point(|(known, _, _)| *known < mark);
        let mut same = list
            .iter()
            .skip(from)
            .take_while(|(known, _, _)| *known == mark);
        same_form(state, scope, quote, time).or_else(|| {
            let is_same =
                |memory: &Memory| stands(memory, time) && is_same_cut(&memory.source.quote, quote);
            same.find(|(_, _, memory)| is_same(memory))
                .map(|(_, _, memory)| *memory)
        })
    }
}

/// Everything the human said in a turn.
pub(super) struct Heard {
    scope: ScopeKey,
    over_limit: Vec<(Position, u32)>,
    pub(super) sentences: Vec<Sentence>,
}

impl Sentence {
    /// Returns why nothing new can come of it, and of which record: `forgotten`, or `duplicate` of what is known or was just `seen`.
    pub(super) fn standing<'a>(
        &'a self,
        state: &'a State,
        seen: &mut Seen<'a>,
    ) -> Option<(&'static str, MemoryId)> {
        let quote = &self.candidate.quote;
        let position = &self.candidate.position;
        if state.forgotten(&self.scope, quote, position).is_some() {
            return Some(("forgotten", self.id.clone()));
        }
        if let Some(id) = seen.said.get(&self.key()) {
            return Some(("duplicate", id.clone()));
        }
        let time = (self.candidate.at, self.window);
        let known = seen.current(state, &self.scope, quote, time)?;
        // Said in the same form it keeps the id of the form, whatever version stands.
        let is_version = MemoryId::of(&known.scope, &known.source.quote) == self.id;
        let id = if is_version { &self.id } else { &known.id };
        Some(("duplicate", id.clone()))
    }

    /// Notes that it was seen in this turn.
    pub(super) fn note(&self, seen: &mut Seen<'_>) {
        seen.said.insert(self.key(), self.id.clone());
    }

    fn key(&self) -> (ScopeKey, String) {
        (self.scope.clone(), key(&self.candidate.quote))
    }

    /// A `skip` row. A secret and what is forgotten leave no trace of their content.
    fn skip(&self, reason: &str, rule: Option<&str>) -> Observation {
        let position = self.candidate.position.clone();
        if reason == "forgotten" {
            return skip_row(reason, &self.scope, position);
        }
        let may_show = reason != "veto:secret";
        Observation::Skip {
            reason: reason.to_owned(),
            scope: self.scope.clone(),
            id: may_show.then(|| self.id.clone()),
            quote: may_show.then(|| cut(&self.candidate.quote, QUOTE_MAX_CHARS)),
            rule: rule.map(str::to_owned),
            count: None,
            position,
        }
    }
}

/// Returns when what a human said holds, on the speaker's clock.
pub(super) fn window_of(candidate: &Candidate, clock: &dyn Clock) -> Option<Window> {
    window::read(
        &candidate.text,
        candidate.at.0,
        &|at| match &candidate.zone {
            Some(zone) => clock.offset_in_zone(zone, Millis(at)),
            None => clock.offset_minutes(Millis(at)),
        },
    )
}

/// Cuts and screens what the human said. Nothing of the state is looked at.
pub(super) fn heard(turn: &Turn, scope: &ScopeKey, clock: &dyn Clock) -> Heard {
    let extracted = sentences(turn);
    let candidates = extracted.candidates.into_iter();
    let sentences = candidates.map(|candidate| sentence_of(candidate, scope, clock));
    Heard {
        scope: scope.clone(),
        sentences: sentences.collect(),
        over_limit: extracted.over_limit,
    }
}

/// Screens a cut, and says where it belongs.
pub(super) fn sentence_of(candidate: Candidate, scope: &ScopeKey, clock: &dyn Clock) -> Sentence {
    let scope = if declares_global(&candidate.text) {
        ScopeKey::global()
    } else {
        scope.clone()
    };
    let screened = screen(&candidate);
    let is_kept = matches!(screened, Screened::Kept(_));
    Sentence {
        id: MemoryId::of(&scope, &candidate.quote),
        scope,
        window: if is_kept {
            window_of(&candidate, clock)
        } else {
            None
        },
        screened,
        candidate,
        form: None,
    }
}

impl Heard {
    /// Returns the session's scope.
    pub(super) fn scope(&self) -> &ScopeKey {
        &self.scope
    }
}

impl Engine {
    /// Decides on every sentence over the state as it is now.
    pub(super) fn decide_sentences(
        &self,
        store: &Store,
        turn: &Turn,
        (heard, judged): (&Heard, &Judged),
        now: Millis,
        decided: &mut Decided,
    ) {
        let state = store.state();
        for (position, count) in &heard.over_limit {
            let mut row = skip_row("over-limit", &heard.scope, position.clone());
            if let Observation::Skip { count: slot, .. } = &mut row {
                *slot = Some(*count);
            }
            decided.skip(row);
        }
        let mut seen = Seen::of(heard.sentences.len());
        for sentence in &heard.sentences {
            let candidate = &sentence.candidate;
            let kept = match &sentence.screened {
                Screened::Vetoed { reason, rule } => {
                    decided.skip(sentence.skip(reason, Some(rule)));
                    continue;
                }
                Screened::Kept(kept) => kept,
            };
            if let Some((reason, known)) = sentence.standing(state, &mut seen) {
                let mut row = sentence.skip(reason, None);
                if let Observation::Skip { id: Some(id), .. } = &mut row {
                    *id = known;
                }
                decided.skip(row);
                continue;
            }
            sentence.note(&mut seen);
            let mut judgement = judged
                .of(&sentence.id)
                .cloned()
                .unwrap_or_else(|| heuristic::judge(candidate, kept));
            let mut verdict = gate(&judgement, &self.config);
            if verdict == Gate::Refuse(BELOW_MIN_IMPORTANCE)
                // "把端口改成 9000" orders a change of what is known; any other order is over with the task.
                && (!kept.orders() || (!kept.points() && is_change(&candidate.text)))
                && !is_passing(&candidate.text)
                && let Some(old) = self.overridden(store, &sentence.scope, &candidate.text, now)
            {
                // It weighs what the sentence weighs whose place it may take.
                judgement.importance = judgement.importance.max(old.importance);
                judgement.memory_type = old.memory_type;
                if self.config.types.contains(&old.memory_type) {
                    verdict = Gate::Admit;
                }
            }
            decided.rows.push(Body::Observation(Observation::Remember {
                id: sentence.id.clone(),
                scope: sentence.scope.clone(),
                score: judgement.remember,
                memory_type: judgement.memory_type,
                by: judgement.by,
                model: judgement.model.clone(),
                signals: kept.signal_ids(),
                threshold: threshold(judgement.by, &self.config),
                admitted: verdict == Gate::Admit,
                quote: cut(&candidate.quote, QUOTE_MAX_CHARS),
                position: candidate.position.clone(),
            }));
            match verdict {
                Gate::Refuse(reason) => decided.skip(sentence.skip(reason, None)),
                Gate::Admit => {
                    let place = Place::of(state, &sentence.scope, &candidate.quote, now);
                    let memory = sentence_memory(
                        candidate,
                        &judgement,
                        kept.signal_ids(),
                        (place, sentence.window),
                    );
                    let id = memory.id.clone();
                    self.relate(store, &turn.session.id, &judgement, memory, decided);
                    if let Some(text) = sentence.form.clone() {
                        decided.rows.push(Fact::Canonical { id, text }.into());
                    }
                }
            }
        }
    }
}
