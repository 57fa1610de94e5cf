//! `memory_search`: ranked hits of the session's scope and `global`, with what each score is made of.

use super::{Call, Engine, Refused};
use crate::memory::{Memory, MemoryId, Millis, ScopeKey, Status, Type};
use crate::port::Ports;
use crate::store::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Hits given when none are asked for.
const LIMIT_DEFAULT: usize = 8;
/// Hits given at most.
const LIMIT_MAX: usize = 50;
/// Characters of a query that are looked at.
const QUERY_MAX_CHARS: usize = 2_000;
/// Hits looked at before filters that only a record can answer, for each one asked for.
const LOOK_FACTOR: usize = 8;

/// The arguments of `memory_search`, checked by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    query: String,
    types: Vec<Type>,
    limit: usize,
    scope: Option<ScopeKey>,
    include_history: bool,
    as_of: Option<Millis>,
}

/// One ranked memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hit {
    id: MemoryId,
    #[serde(rename = "type")]
    memory_type: Type,
    text: String,
    /// The user's local day on which it was said.
    date: String,
    status: Status,
    scope: ScopeKey,
    /// The untouched original.
    quote: String,
    /// From when it holds, and the first instant at which it no longer does, where the sentence says so: on the user's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    score: f64,
    /// The words that matched, with what each added.
    terms: Vec<Term>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    previous: Vec<Link>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Link>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Term {
    word: String,
    score: f64,
}

/// A memory one link away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Link {
    id: MemoryId,
    text: String,
    date: String,
    status: Status,
}

impl Search {
    /// Reads the tool's arguments.
    pub fn read(args: &Value) -> Result<Self, Refused> {
        let bad = |message: String| Refused::new("bad-arguments", message);
        let Value::Object(map) = args else {
            return Err(bad(
                "memory_search takes an object with a `query`".to_owned()
            ));
        };
        const KNOWN: [&str; 6] = ["query", "types", "limit", "scope", "includeHistory", "asOf"];
        if let Some(other) = map.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            return Err(bad(format!(
                "`{}` is not an argument; known are {}",
                super::cut(other, 40),
                KNOWN.join(", ")
            )));
        }
        let query = map
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or("")
            .trim();
        if query.is_empty() {
            return Err(bad("`query` must be a text of one word or more".to_owned()));
        }
        let types = match map.get("types") {
            None | Some(Value::Null) => Type::ALL.to_vec(),
            Some(Value::Array(list)) if !list.is_empty() => list
                .iter()
                .map(|item| {
                    Type::ALL
                        .into_iter()
                        .find(|known| item.as_str() == Some(known.as_str()))
                })
                .collect::<Option<Vec<Type>>>()
                .ok_or_else(|| bad("`types` takes constraint, pitfall, decision".to_owned()))?,
            Some(_) => {
                return Err(bad(
                    "`types` takes a list of constraint, pitfall, decision".to_owned()
                ));
            }
        };
        let limit = match map.get("limit") {
            None | Some(Value::Null) => LIMIT_DEFAULT,
            Some(value) => value
                .as_f64()
                .filter(|n| n.fract() == 0.0 && *n >= 1.0 && *n <= LIMIT_MAX as f64)
                .map(|n| n as usize)
                .ok_or_else(|| {
                    bad(format!(
                        "`limit` must be a whole number from 1 to {LIMIT_MAX}"
                    ))
                })?,
        };
        let scope = match map.get("scope") {
            None | Some(Value::Null) => None,
            Some(Value::String(key)) if !key.trim().is_empty() => Some(ScopeKey::from(key.trim())),
            Some(_) => {
                return Err(bad(
                    "`scope` must be a scope key, as hits print it".to_owned()
                ));
            }
        };
        let include_history = match map.get("includeHistory") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(on)) => *on,
            Some(_) => return Err(bad("`includeHistory` must be true or false".to_owned())),
        };
        let as_of = match map.get("asOf") {
            None | Some(Value::Null) => None,
            Some(Value::Number(n)) => n.as_f64().map(|ms| Millis(ms as i64)),
            Some(Value::String(day)) => Some(
                crate::text::day::parse(day.trim())
                    .map(Millis)
                    .ok_or_else(|| {
                        bad(
                            "`asOf` must be a day like 2026-02-15, or milliseconds since the epoch"
                                .to_owned(),
                        )
                    })?,
            ),
            Some(_) => {
                return Err(bad(
                    "`asOf` must be a day like 2026-02-15, or milliseconds since the epoch"
                        .to_owned(),
                ));
            }
        };
        Ok(Self {
            query: super::cut(query, QUERY_MAX_CHARS),
            types,
            limit,
            scope,
            include_history,
            as_of,
        })
    }
}

impl Engine {
    /// Answers `memory_search`: `{ hits }`, best first, or `{ refused }`.
    pub async fn search(&self, ports: Ports<'_>, args: &Value, call: &Call) -> Value {
        match self.find(ports, args, call).await {
            Ok(hits) if hits.is_empty() => serde_json::json!({
                "hits": [],
                "note": "nothing in this scope matches; other words, a type fewer or includeHistory may find more",
            }),
            Ok(hits) => serde_json::json!({ "hits": hits }),
            Err(refused) => serde_json::json!({ "refused": refused }),
        }
    }

    async fn find(&self, ports: Ports<'_>, args: &Value, call: &Call) -> Result<Vec<Hit>, Refused> {
        let search = Search::read(args)?;
        self.usable()?;
        // What another process wrote is found too; a failed look leaves what is known.
        self.refresh(ports).await;
        let home = self
            .attach(ports, &call.session, call.seq, call.seq, None)
            .await;
        let now = ports.clock.now();
        // By default only what is over is left out: what begins to hold later is worth finding.
        let holds = |memory: &Memory| match search.as_of {
            Some(at) => memory.holds_at(at),
            None => memory.valid_until.is_none_or(|until| now < until),
        };
        let store = self.open_store()?.borrow();
        let state = store.state();
        let mut catalogue = self.catalogue.borrow_mut();
        catalogue.sync(&store);
        let home = state.scope_of(&home);
        let asked = search.scope.as_ref().map(|scope| state.scope_of(scope));
        let wanted = |memory: &Memory| {
            search.types.contains(&memory.memory_type)
                && !memory.is_derived()
                && match asked {
                    Some(scope) => memory.scope == *scope,
                    None => memory.scope == *home || memory.scope.is_global(),
                }
                && (search.include_history
                    || matches!(memory.status, Status::Active | Status::NeedsReview))
                && (search.include_history || holds(memory))
        };
        let mut ranked = catalogue.search(state, &search.query, search.limit * LOOK_FACTOR, wanted);
        if search.include_history {
            ranked = by_chain(state, &ranked, &wanted);
        }
        let day = |at: Millis| crate::text::day::local(at.0, ports.clock.offset_minutes(at));
        let minute = |at: Millis| crate::text::day::minute(at.0, ports.clock.offset_minutes(at));
        Ok(ranked
            .into_iter()
            .take(search.limit)
            .map(|(memory, score)| Hit {
                id: memory.id.clone(),
                memory_type: memory.memory_type,
                text: memory.text.to_string(),
                date: day(memory.source.at),
                status: memory.status,
                scope: memory.scope.clone(),
                quote: memory.source.quote.to_string(),
                valid_from: memory.valid_from.map(&minute),
                valid_until: memory.valid_until.map(&minute),
                score,
                terms: catalogue
                    .terms(&memory.id, &search.query)
                    .into_iter()
                    .map(|(word, score)| Term { word, score })
                    .collect(),
                previous: links(state, &memory.supersedes, &day),
                conflicts: links(state, &conflicts_of(state, memory), &day),
            })
            .collect())
    }
}

/// Versions followed from one hit.
const CHAIN_MAX: usize = 64;

/// Puts the versions of one statement together, the newest first, where the best of them stood.
fn by_chain<'a>(
    state: &'a State,
    ranked: &[(&'a Memory, f64)],
    wanted: &dyn Fn(&Memory) -> bool,
) -> Vec<(&'a Memory, f64)> {
    let mut out: Vec<(&'a Memory, f64)> = Vec::new();
    let score = |memory: &Memory| {
        let hit = ranked.iter().find(|(other, _)| other.id == memory.id);
        hit.map_or(0.0, |(_, score)| *score)
    };
    let newer = |memory: &Memory| {
        let links = memory.superseded_by.iter().rev();
        links.filter_map(|id| state.memory(id)).next()
    };
    for (memory, _) in ranked {
        let mut head: &Memory = memory;
        for _ in 0..CHAIN_MAX {
            match newer(head) {
                Some(next) => head = next,
                None => break,
            }
        }
        let mut open: Vec<&Memory> = vec![head, memory];
        for _ in 0..CHAIN_MAX {
            if open.is_empty() {
                break;
            }
            let next = open.remove(0);
            if out.iter().any(|(other, _)| other.id == next.id) {
                continue;
            }
            if wanted(next) {
                out.push((next, score(next)));
            }
            let older = next.supersedes.iter().rev();
            open.splice(
                0..0,
                older
                    .filter_map(|id| state.memory(id))
                    .map(std::rc::Rc::as_ref),
            );
        }
    }
    out
}

/// What a memory is linked to as differing, and, while it waits, what it contradicts.
fn conflicts_of(state: &State, memory: &Memory) -> Vec<MemoryId> {
    let asked = state.ask(&memory.id).map(|ask| ask.against.iter());
    let open = asked.into_iter().flatten();
    memory.conflicts_with.iter().chain(open).cloned().collect()
}

fn links(state: &State, ids: &[MemoryId], day: &dyn Fn(Millis) -> String) -> Vec<Link> {
    ids.iter()
        .filter_map(|id| state.memory(id))
        .map(|memory| Link {
            id: memory.id.clone(),
            text: memory.text.to_string(),
            date: day(memory.source.at),
            status: memory.status,
        })
        .collect()
}
