//! Why a sentence was not kept: the ledger's rows about it, in words.

use super::phrase::why as say;
use super::{Page, one_line, reason, two_digits};
use crate::memory::{JudgeName, MemoryId, Millis};
use crate::store::State;
use crate::store::entry::{Body, Observation, Row};
use crate::text::digest::fold;
use crate::text::token;
use crate::turn::Position;
use serde_json::{Value, json};

/// Sentences kept while reading; the oldest go first.
const FOUND_MAX: usize = 200;
/// Sentences told.
const TOLD_MAX: usize = 8;
/// Share of the words asked about that a sentence must have.
///
/// # Source
/// Chosen: half of the words, so that a person need not remember the sentence exactly. A wrong hit is one more line.
const SHARE_MIN: f64 = 0.5;

/// A sentence that was offered.
struct Found {
    at: Millis,
    id: Option<MemoryId>,
    quote: String,
    position: Position,
    /// How much of what was asked about it has; 1 for a piece of it.
    share: f64,
    judged: Option<(JudgeName, f64, f64, bool)>,
    reason: Option<String>,
    rule: Option<String>,
}

/// Collects what rows say about sentences with the given words. Feed it every row, oldest first.
pub struct Refused {
    words: String,
    found: Vec<Found>,
    /// Refusals without words: secrets, what was forgotten, what was over a limit.
    n_wordless: [(&'static str, u32); 4],
}

impl Refused {
    /// Looks for `words`; for the newest refusals where there are none.
    pub fn about(words: &str) -> Self {
        Self {
            words: fold(
                words.trim_matches(|c: char| c.is_whitespace() || "\"'“”「」`".contains(c)),
            ),
            found: Vec::new(),
            n_wordless: ["veto:secret", "forgotten", "over-limit", "subagent-session"]
                .map(|code| (code, 0)),
        }
    }

    /// Takes a row in, if it is about a sentence that has the words.
    pub fn add(&mut self, row: &Row) {
        let Body::Observation(observation) = &row.body else {
            return;
        };
        match observation {
            Observation::Skip {
                reason,
                quote: None,
                count,
                ..
            } => {
                if let Some(known) = self.n_wordless.iter_mut().find(|(code, _)| code == reason) {
                    known.1 = known.1.saturating_add(count.unwrap_or(1));
                }
            }
            Observation::Skip {
                reason,
                id,
                quote: Some(quote),
                rule,
                position,
                ..
            } => {
                let Some(share) = self.share(quote) else {
                    return;
                };
                let found = self.at(row.at, id.as_ref(), quote, position, share);
                found.reason = Some(reason.clone());
                found.rule = rule.clone();
            }
            Observation::Remember {
                id,
                score,
                by,
                threshold,
                admitted,
                quote,
                position,
                ..
            } => {
                let Some(share) = self.share(quote) else {
                    return;
                };
                // Without words only refusals are asked for.
                if self.words.is_empty() && *admitted {
                    return;
                }
                let judged = Some((*by, *score, *threshold, *admitted));
                self.at(row.at, Some(id), quote, position, share).judged = judged;
            }
            _ => {}
        }
    }

    fn share(&self, quote: &str) -> Option<f64> {
        if self.words.is_empty() || fold(quote).contains(&self.words) {
            return Some(1.0);
        }
        let share = token::share(&self.words, quote);
        (share >= SHARE_MIN).then_some(share)
    }

    /// Returns the entry of a sentence at its place, made if there is none.
    fn at(
        &mut self,
        at: Millis,
        id: Option<&MemoryId>,
        quote: &str,
        position: &Position,
        share: f64,
    ) -> &mut Found {
        let is_it = |one: &Found| one.position == *position && one.quote == quote;
        let known = self.found.iter().rposition(is_it);
        let place = known.unwrap_or_else(|| {
            if self.found.len() >= FOUND_MAX {
                self.found.remove(0);
            }
            self.found.push(Found {
                at,
                id: id.cloned(),
                quote: quote.to_owned(),
                position: position.clone(),
                share,
                judged: None,
                reason: None,
                rule: None,
            });
            self.found.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the entry was found or put there")]
        &mut self.found[place]
    }

    /// Returns whether no sentence has the words.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Tells what was found: the best match first, the newest first among equals.
    pub fn tell(mut self, state: &State, page: &mut Page<'_>) {
        crate::text::order::sort_by(&mut self.found, |a, b| {
            b.share
                .total_cmp(&a.share)
                .then_with(|| (b.at, b.position.seq).cmp(&(a.at, a.position.seq)))
        });
        if self.found.is_empty() {
            page.say(
                if self.words.is_empty() {
                    &say::NOTHING_REFUSED
                } else {
                    &say::NOTHING_SAID
                },
                &[&self.words],
            );
        }
        let mut data = Vec::new();
        for (number, one) in self.found.iter().take(TOLD_MAX).enumerate() {
            if number > 0 {
                page.gap();
            }
            data.push(tell_one(one, state, page));
        }
        if self.found.len() > TOLD_MAX {
            page.gap();
            page.say(&say::MORE, &[&(self.found.len() - TOLD_MAX).to_string()]);
        }
        page.set("sentences", Value::Array(data));
        let wordless: Vec<&(&str, u32)> = self.n_wordless.iter().filter(|(_, n)| *n > 0).collect();
        if !wordless.is_empty() {
            page.gap();
            page.say(&say::WORDLESS, &[]);
            for (code, n) in &wordless {
                let (why, change) = reason::explain(code, page.language);
                page.item(&say::WORDLESS_ONE, &[&n.to_string(), &why, &change, code]);
            }
        }
        let counts = wordless
            .iter()
            .map(|(code, n)| ((*code).to_owned(), Value::from(*n)));
        page.set("withoutWords", Value::Object(counts.collect()));
    }
}

fn tell_one(one: &Found, state: &State, page: &mut Page<'_>) -> Value {
    let quote = one_line(&one.quote);
    let at = page.times.minute(one.at);
    let turn = one.position.turn.to_string();
    page.say(
        &say::SENTENCE,
        &[&quote, &at, one.position.session_id.as_str(), &turn],
    );
    let known = one.id.as_ref().and_then(|id| state.memory(id));
    let mut data = json!({ "quote": quote, "at": one.at, "id": one.id, "sessionId": one.position.session_id,
        "turn": one.position.turn, "seq": one.position.seq, "reason": one.reason, "rule": one.rule });
    let mut set = |name: &str, value: Value| {
        if let Value::Object(fields) = &mut data {
            fields.insert(name.to_owned(), value);
        }
    };
    match &one.reason {
        Some(code) => {
            let (why, change) = reason::explain(code, page.language);
            let rule = one
                .rule
                .as_deref()
                .map(|rule| format!(" / {rule}"))
                .unwrap_or_default();
            page.say(&say::BECAUSE, &[&why, code, &rule]);
            if let Some((by, score, threshold, _)) = one.judged {
                page.say(
                    &say::SCORE,
                    &[by.as_str(), &two_digits(score), &two_digits(threshold)],
                );
            }
            if let (Some(memory), "duplicate") = (known, code.as_str()) {
                let line = page.memory(memory);
                page.say(&say::KNOWN, &[&line]);
            } else {
                page.say(&say::CHANGE, &[&change]);
                set("change", change.into());
            }
            set("why", why.into());
        }
        None => {
            if let Some((by, score, threshold, _)) = one.judged {
                page.say(
                    &say::SCORE,
                    &[by.as_str(), &two_digits(score), &two_digits(threshold)],
                );
            }
            match known {
                Some(memory) => {
                    let line = page.memory(memory);
                    page.say(&say::KEPT, &[&line, page.status(memory.status)]);
                }
                None => page.say(&say::GONE, &[]),
            }
        }
    }
    if let Some((by, score, threshold, admitted)) = one.judged {
        set(
            "judged",
            json!({ "by": by.as_str(), "score": score, "threshold": threshold, "admitted": admitted }),
        );
    }
    data
}
