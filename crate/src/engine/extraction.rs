//! `extract: model`: the host's model says which passages state something; what is stored is still the human's own words.

use super::budget::Budget;
use super::sentence::{Heard, sentence_of};
use super::{Engine, cut};
use crate::canonical::restated;
use crate::config::Extraction;
use crate::decide::extract;
use crate::extract::{Candidate, Context, own_words};
use crate::memory::Millis;
use crate::port::{LlmRequest, Ports};
use crate::store::entry::{Observation, Position};
use crate::text::{clean, secret};
use crate::turn::{Turn, TurnEvent};

impl Engine {
    /// Puts the passages that the model found in the place of the sentences. Without an answer that can be read the sentences
    /// stay, and a row says why.
    pub(super) async fn extract_by_model(
        &self,
        ports: Ports<'_>,
        turn: &Turn,
        heard: &mut Heard,
        budget: Budget,
    ) {
        if self.config.extract != Extraction::Model || heard.sentences.is_empty() {
            return;
        }
        let mut messages: Vec<(Position, Millis, Option<String>, String)> = Vec::new();
        for event in &turn.events {
            if let TurnEvent::Human(human) = event {
                let position = Position {
                    session_id: turn.session.id.clone(),
                    turn: human.turn,
                    seq: human.seq,
                };
                // As the sentences are made: a secret never reaches a model.
                let text = secret::redact(&own_words(&human.text)).0;
                messages.push((position, human.at, human.zone.clone(), text));
            }
        }
        let all: Vec<&str> = messages.iter().map(|row| row.3.as_str()).collect();
        let source = all.join("\n");
        let at = messages.last().map_or(Millis(0), |row| row.1);
        let request = LlmRequest {
            session: turn.session.id.clone(),
            provider: self.config.normalize.provider.clone(),
            model: self.config.normalize.model.clone(),
            system: extract::SYSTEM.to_owned(),
            prompt: extract::prompt(&source, at),
            max_tokens: extract::TOKENS_MAX,
            // The other half is the judge's.
            timeout_ms: budget.left_ms(ports) / 2,
        };
        let given_up = |cause: &str, detail: &str| Observation::Degraded {
            cause: format!("extract-{cause}"),
            count: None,
            detail: cut(detail, 200),
        };
        let found = match self.generate(ports, request).await {
            Ok(reply) => extract::read(&reply.text, &source, at),
            Err(fault) => return self.observe(given_up(fault.cause, &fault.detail)),
        };
        if found.partial && found.proposals.is_empty() {
            let detail = "the model's answer is no list of candidates; the sentences were taken";
            return self.observe(given_up("unreadable", detail));
        }
        let scope = heard.scope().clone();
        heard.sentences.clear();
        for proposal in found.proposals {
            let quote = proposal.quote.trim();
            let Some((position, at, zone, message)) =
                messages.iter().find(|row| row.3.contains(quote))
            else {
                continue;
            };
            let candidate = Candidate {
                position: position.clone(),
                at: *at,
                zone: zone.as_deref().map(Into::into),
                quote: quote.to_owned(),
                text: clean::clean(quote),
                context: Context::find(message, quote),
            };
            let mut sentence = sentence_of(candidate, &scope, ports.clock);
            let form = restated(&proposal.text, quote);
            let is_new = form.refused.is_none() && form.text != sentence.candidate.text;
            sentence.form = is_new.then_some(form.text);
            heard.sentences.push(sentence);
        }
    }
}
