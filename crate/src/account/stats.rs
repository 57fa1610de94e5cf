//! Figures from the ledger: what was written by whom and why not, how contradictions ended, what recall cost and gave.

use super::phrase::stats as say;
use super::{Page, share, share_value, two_digits};
use crate::memory::{MemoryId, Millis, SessionId};
use crate::store::entry::{Body, Fact, Observation, Row};
use crate::store::state::UNANSWERED;
use crate::text::sorted::{Map, Set};
use serde_json::{Value, json};

/// Turns whose block is looked at; what is over is counted and left out.
const TURNS_MAX: usize = 200_000;

type Counts = Map<String, u64>;

fn count(counts: &mut Counts, key: &str) {
    let known = counts.get_mut(key);
    match known {
        Some(n) => *n += 1,
        None => {
            counts.insert(key.to_owned(), 1);
        }
    }
}

/// One contradiction.
struct Conflict {
    detector: String,
    n_asked: u32,
    /// The last answer or reason for none.
    outcome: Option<String>,
}

/// Collects figures. Feed it every row, oldest first.
#[derive(Default)]
pub struct Stats {
    first: Option<Millis>,
    last: Millis,
    writes_by_judge: Counts,
    writes_by_type: Counts,
    writes_by_author: Counts,
    skips: Counts,
    judged: Counts,
    admitted: Counts,
    conflicts: Map<MemoryId, Vec<Conflict>>,
    turns: Set<(SessionId, u32)>,
    n_turns_left_out: u64,
    /// By session: the turn of each changed block, its tokens, how many memories it held.
    blocks: Map<SessionId, Vec<(u32, u32, usize)>>,
    n_blocks: u64,
    shown: Set<MemoryId>,
    degraded: Counts,
    /// Commits with a `degraded` row, and those that read a turn.
    degraded_commits: Set<u64>,
    turn_commits: Set<u64>,
    forgotten: Counts,
}

impl Stats {
    /// Takes a row in.
    pub fn add(&mut self, row: &Row) {
        self.first.get_or_insert(row.at);
        self.last = row.at;
        match &row.body {
            Body::Fact(fact) => self.fact(fact, row),
            Body::Observation(observation) => self.observation(observation, row),
            Body::Unknown(_) => {}
        }
    }

    fn fact(&mut self, fact: &Fact, row: &Row) {
        match fact {
            Fact::Write { memory } => {
                count(&mut self.writes_by_judge, memory.remember.by.as_str());
                count(&mut self.writes_by_type, memory.memory_type.as_str());
                count(&mut self.writes_by_author, memory.by.as_str());
            }
            Fact::Turn {
                session_id, turn, ..
            } => {
                self.turn_commits.insert(row.tx.0);
                if self.turns.len() < TURNS_MAX {
                    self.turns.insert((session_id.clone(), *turn));
                } else {
                    self.n_turns_left_out += 1;
                }
            }
            Fact::ConflictAsk {
                id,
                attempt,
                detector,
                ..
            } => {
                let known = self.conflicts.or_default(id.clone());
                // A question whose other side changed is asked on with the same attempts.
                match known
                    .last_mut()
                    .filter(|last| last.outcome.as_deref().is_none_or(is_open))
                {
                    Some(last) => last.n_asked = last.n_asked.max(*attempt),
                    None => known.push(Conflict {
                        detector: detector.clone(),
                        n_asked: *attempt,
                        outcome: None,
                    }),
                }
            }
            Fact::ConflictResolved { id, choice, .. } => {
                if let Some(last) = self.conflicts.get_mut(id).and_then(|all| all.last_mut()) {
                    last.outcome = Some(choice.clone());
                }
            }
            Fact::Forget { by, .. } => count(&mut self.forgotten, by),
            _ => {}
        }
    }

    fn observation(&mut self, observation: &Observation, row: &Row) {
        match observation {
            Observation::Skip {
                reason, count: n, ..
            } => {
                count(&mut self.skips, reason);
                // Only a counted row stands for several sentences; a failure's count is how often it was seen.
                if reason == "over-limit"
                    && let (Some(n), Some(known)) = (n, self.skips.get_mut("over-limit"))
                {
                    *known += u64::from(n.saturating_sub(1));
                }
            }
            Observation::Remember { by, admitted, .. } => {
                count(&mut self.judged, by.as_str());
                if *admitted {
                    count(&mut self.admitted, by.as_str());
                }
            }
            Observation::Recall {
                session_id,
                turn,
                tokens,
                chosen,
                ..
            } => {
                self.n_blocks += 1;
                let blocks = self.blocks.or_default(session_id.clone());
                blocks.push((*turn, *tokens, chosen.len()));
                for one in chosen {
                    self.shown.insert(one.id.clone());
                }
            }
            Observation::Degraded { cause, .. } => {
                count(&mut self.degraded, cause);
                self.degraded_commits.insert(row.tx.0);
            }
            _ => {}
        }
    }

    /// Tells the figures.
    pub fn tell(&self, page: &mut Page<'_>) {
        let Some(first) = self.first else {
            page.say(&say::EMPTY, &[]);
            return;
        };
        let (from, to) = (page.times.minute(first), page.times.minute(self.last));
        let n_turns = self.turns.len() as u64;
        let mut sessions: Set<&SessionId> = Set::new();
        for (session, _) in self.turns.iter() {
            sessions.insert(session);
        }
        page.say(
            &say::SPAN,
            &[
                &from,
                &to,
                &n_turns.to_string(),
                &sessions.len().to_string(),
            ],
        );
        page.set("from", json!(first));
        page.set("to", json!(self.last));
        page.set("turns", n_turns.into());
        page.set("turnsLeftOut", self.n_turns_left_out.into());
        page.set("sessions", sessions.len().into());
        self.tell_writes(page);
        self.tell_conflicts(page);
        self.tell_recall(page, n_turns);
        self.tell_degraded(page);
    }

    fn tell_writes(&self, page: &mut Page<'_>) {
        let written = total(&self.writes_by_judge);
        page.gap();
        page.say(
            &say::WRITTEN,
            &[
                &written.to_string(),
                &told(&self.writes_by_judge),
                &told(&self.writes_by_type),
            ],
        );
        page.say(
            &say::JUDGED,
            &[
                &total(&self.judged).to_string(),
                &rates(&self.admitted, &self.judged),
            ],
        );
        page.say(&say::SKIPPED, &[&total(&self.skips).to_string()]);
        for (reason, n) in by_size(&self.skips) {
            let (why, _) = super::reason::explain(reason, page.language);
            page.item(&say::SKIPPED_ONE, &[&n.to_string(), reason, &why]);
        }
        if !self.forgotten.is_empty() {
            page.say(
                &say::FORGOTTEN,
                &[&total(&self.forgotten).to_string(), &told(&self.forgotten)],
            );
        }
        page.set(
            "writes",
            json!({ "total": written, "byJudge": value(&self.writes_by_judge),
            "byType": value(&self.writes_by_type), "byAuthor": value(&self.writes_by_author) }),
        );
        page.set(
            "judged",
            json!({ "byJudge": value(&self.judged), "admitted": value(&self.admitted) }),
        );
        page.set(
            "skips",
            json!({ "total": total(&self.skips), "byReason": value(&self.skips) }),
        );
        page.set(
            "forgotten",
            json!({ "total": total(&self.forgotten), "by": value(&self.forgotten) }),
        );
    }

    fn tell_conflicts(&self, page: &mut Page<'_>) {
        let mut by_detector: Map<&str, Counts> = Map::new();
        let mut n = 0u64;
        for conflict in self.conflicts.values().flatten() {
            n += 1;
            let outcome = match conflict.outcome.as_deref() {
                None => "open",
                Some(outcome) if is_open(outcome) => "open",
                Some(outcome) => outcome,
            };
            let counts = by_detector.or_default(&conflict.detector);
            count(counts, "found");
            count(counts, outcome);
            for _ in 0..conflict.n_asked.min(100) {
                count(counts, "cards");
            }
        }
        page.gap();
        page.say(&say::CONFLICTS, &[&n.to_string()]);
        let mut data = serde_json::Map::new();
        for (detector, counts) in by_detector.iter() {
            let of = |name: &str| counts.get(name).copied().unwrap_or(0);
            let right = of("replace") + of("keep-old");
            let wrong = of("keep-both");
            let figures = ["found", "replace", "keep-old", "keep-both", "open"]
                .map(|name| of(name).to_string());
            let [found, replaced, kept_old, both, open] = &figures;
            let values = [
                *detector,
                found,
                replaced,
                kept_old,
                both,
                open,
                &share(right, right + wrong),
            ];
            page.item(&say::CONFLICT, &values);
            let mut fields = value(counts);
            if let Value::Object(fields) = &mut fields {
                fields.insert(
                    "contradictionShare".to_owned(),
                    share_value(right, right + wrong),
                );
            }
            data.insert((*detector).to_owned(), fields);
        }
        page.set("conflicts", json!({ "total": n, "byDetector": data }));
    }

    fn tell_recall(&self, page: &mut Page<'_>, n_turns: u64) {
        let mut tokens: Vec<u32> = Vec::with_capacity(self.turns.len());
        let mut n_hit = 0u64;
        for (session, turn) in self.turns.iter() {
            let blocks = self
                .blocks
                .get(session)
                .map(Vec::as_slice)
                .unwrap_or_default();
            // A block stands until it changes.
            let standing = blocks.iter().rfind(|(from, ..)| from <= turn);
            tokens.push(standing.map_or(0, |(_, tokens, _)| *tokens));
            if standing.is_some_and(|(_, _, n)| *n > 0) {
                n_hit += 1;
            }
        }
        tokens.sort_unstable();
        let sum: u64 = tokens.iter().copied().map(u64::from).sum();
        let mean = if tokens.is_empty() {
            0.0
        } else {
            sum as f64 / tokens.len() as f64
        };
        let at = |part: usize| {
            tokens
                .get(tokens.len().saturating_sub(1) * part / 100)
                .copied()
                .unwrap_or(0)
        };
        let figures = [at(50), at(95), at(100)].map(|n| n.to_string());
        let [median, most, max] = &figures;
        page.gap();
        page.say(&say::TOKENS, &[&two_digits(mean), median, most, max]);
        page.say(
            &say::HITS,
            &[
                &share(n_hit, n_turns),
                &n_hit.to_string(),
                &n_turns.to_string(),
            ],
        );
        page.say(
            &say::BLOCKS,
            &[&self.n_blocks.to_string(), &self.shown.len().to_string()],
        );
        page.set("recall", json!({
            "tokensPerStep": { "mean": (mean * 100.0).round() / 100.0, "median": at(50), "p95": at(95), "max": at(100) },
            "turnsWithMemories": n_hit, "hitShare": share_value(n_hit, n_turns),
            "changedBlocks": self.n_blocks, "memoriesShown": self.shown.len(),
        }));
    }

    fn tell_degraded(&self, page: &mut Page<'_>) {
        let turns = self.turn_commits.len() as u64;
        let n = self
            .turn_commits
            .intersection(&self.degraded_commits)
            .count() as u64;
        page.say(
            &say::DEGRADED,
            &[&share(n, turns), &n.to_string(), &turns.to_string()],
        );
        for (cause, n) in by_size(&self.degraded) {
            page.line(&format!("- {n} × {cause}"));
        }
        page.set(
            "degraded",
            json!({ "turns": n, "share": share_value(n, turns),
            "rows": total(&self.degraded), "byCause": value(&self.degraded) }),
        );
    }
}

/// Whether a choice leaves the question open.
fn is_open(choice: &str) -> bool {
    choice.starts_with(UNANSWERED)
}

fn total(counts: &Counts) -> u64 {
    counts.values().sum()
}

fn by_size(counts: &Counts) -> Vec<(&String, u64)> {
    let mut out: Vec<(&String, u64)> = counts.iter().map(|(key, n)| (key, *n)).collect();
    crate::text::order::sort_by(&mut out, |a, b| (b.1, a.0).cmp(&(a.1, b.0)));
    out
}

fn told(counts: &Counts) -> String {
    let parts: Vec<String> = by_size(counts)
        .iter()
        .map(|(key, n)| format!("{key} {n}"))
        .collect();
    if parts.is_empty() {
        "–".to_owned()
    } else {
        parts.join(", ")
    }
}

fn rates(part: &Counts, whole: &Counts) -> String {
    let rate = |(key, n): &(&String, u64)| {
        let admitted = part.get(key.as_str()).copied().unwrap_or(0);
        format!("{key} {admitted}/{n}")
    };
    let parts: Vec<String> = by_size(whole).iter().map(rate).collect();
    if parts.is_empty() {
        "–".to_owned()
    } else {
        parts.join(", ")
    }
}

fn value(counts: &Counts) -> Value {
    let fields = counts.iter().map(|(key, n)| (key.clone(), Value::from(*n)));
    Value::Object(fields.collect())
}

/// One labelled query.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    pub query: String,
    /// Every memory that answers it.
    pub ids: Vec<MemoryId>,
}

/// Labelled queries of one file.
const QUERIES_MAX: usize = 10_000;

/// Reads labelled queries, one JSON object a line: `{"query":"…","ids":["m-…"]}`. Blank lines and lines with `#` first are passed over.
///
/// # Errors
/// The number of the first line that is neither, from 1.
pub fn labelled(text: &str) -> Result<Vec<Labelled>, usize> {
    let mut out = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read: Value = serde_json::from_slice(line.as_bytes()).map_err(|_| number)?;
        let query = read
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or("")
            .trim();
        let ids = read
            .get("ids")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let ids: Vec<MemoryId> = ids
            .iter()
            .filter_map(Value::as_str)
            .flat_map(|id| match super::name::named(id) {
                super::name::Named::Ids(ids) => ids,
                _ => Vec::new(),
            })
            .collect();
        if query.is_empty() || ids.is_empty() || out.len() >= QUERIES_MAX {
            return Err(number);
        }
        out.push(Labelled {
            query: query.to_owned(),
            ids,
        });
    }
    Ok(out)
}

/// Tells how well a search finds what the labels name: `ranked` gives a query's ids, best first.
pub fn retrieval(
    labelled: &[Labelled],
    k: usize,
    ranked: &mut dyn FnMut(&str) -> Vec<MemoryId>,
    page: &mut Page<'_>,
) {
    let (mut n_hit, mut recall) = (0u64, 0.0);
    let mut missed = Vec::new();
    for one in labelled {
        let mut top = ranked(&one.query);
        top.truncate(k);
        let mut wanted: Set<&MemoryId> = Set::new();
        for id in &one.ids {
            wanted.insert(id);
        }
        let found = wanted.iter().filter(|id| top.contains(id)).count();
        n_hit += u64::from(found > 0);
        recall += found as f64 / wanted.len().max(1) as f64;
        if found < wanted.len() {
            missed.push(json!({ "query": one.query, "wanted": one.ids, "got": top }));
        }
    }
    let n = labelled.len() as u64;
    let recall = if n == 0 { 0.0 } else { recall / n as f64 };
    let k_text = k.to_string();
    page.gap();
    page.say(
        &say::RETRIEVAL,
        &[
            &n.to_string(),
            &k_text,
            &share(n_hit, n),
            &two_digits(recall),
        ],
    );
    page.say(&say::HIT_AT_K, &[&k_text]);
    page.say(&say::RECALL_AT_K, &[&k_text]);
    missed.truncate(100);
    page.set(
        "retrieval",
        json!({ "k": k, "queries": n, "hitAtK": share_value(n_hit, n),
        "recallAtK": (recall * 10_000.0).round() / 10_000.0, "missed": missed }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Language, Times};

    #[test]
    fn hit_and_recall_differ_where_a_query_has_several_answers() {
        let labels = labelled(
            "# what a person would ask\n{\"query\":\"port\",\"ids\":[\"m-000000000001\",\"m-000000000002\"]}\n\n{\"query\":\"tests\",\"ids\":[\"m-000000000003\"]}",
        )
        .unwrap();
        let times = Times {
            offset_minutes: &|_| 0,
        };
        let mut page = Page::new(Language::English, &times);
        let mut ranked = |query: &str| match query {
            "port" => vec![
                "m-000000000002".into(),
                "m-000000000009".into(),
                "m-000000000001".into(),
            ],
            _ => vec!["m-000000000009".into()],
        };
        retrieval(&labels, 2, &mut ranked, &mut page);
        let figures = &page.data["retrieval"];
        assert_eq!(figures["hitAtK"], 0.5);
        assert_eq!(figures["recallAtK"], 0.25);
        assert_eq!(figures["missed"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_label_file_is_refused_by_its_line() {
        for (text, line) in [
            ("{", 1),
            ("\n{\"query\":\"x\"}", 2),
            ("{\"query\":\"\",\"ids\":[\"m-000000000001\"]}", 1),
        ] {
            assert_eq!(labelled(text), Err(line), "{text}");
        }
    }
}
