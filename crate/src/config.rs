//! Settings: every key, its default and where the default was measured. A wrong value is named and survived.

use crate::memory::Type;
use serde_json::{Map, Value};

/// Which judge decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeChoice {
    /// Jev when its key resolves at that moment, else the heuristic.
    Auto,
    Jev,
    Host,
    Heuristic,
    /// Nothing is written.
    Off,
}

/// Which memories a child session receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subagents {
    Constraint,
    All,
    None,
}

/// How known memories are ordered for the conflict question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictRanking {
    Lexical,
    Embedding,
}

/// Who decides about contradictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relations {
    /// The human, by a card.
    Ask,
    /// Jev, where it says surely enough that one memory takes another's place; the human about the rest.
    Judge,
}

/// How candidates are found in what the human said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extraction {
    /// Sentences.
    Verbatim,
    /// Passages that the host's model points at.
    Model,
}

/// Recall's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallConfig {
    /// Tokens of the block, wrapper included.
    pub max_tokens: u32,
    /// Memories a type may have in the block, in the order of [`Type::ALL`].
    pub quota: [u32; 3],
    pub subagents: Subagents,
}

impl RecallConfig {
    /// Returns how many memories of `memory_type` the block may hold.
    pub fn quota_of(&self, memory_type: Type) -> u32 {
        let [constraint, pitfall, decision] = self.quota;
        match memory_type {
            Type::Constraint => constraint,
            Type::Pitfall => pitfall,
            Type::Decision => decision,
            _ => 0,
        }
    }
}

/// How Jev is asked. The key itself never comes here.
#[derive(Debug, Clone, PartialEq)]
pub struct JevConfig {
    /// The name under which the host's credentials or the environment hold the key.
    pub api_key_env: String,
    /// A whole address or a root; empty for the service's own.
    pub endpoint: String,
    pub model: String,
    /// Candidates of one turn that are asked about.
    pub max_candidates: u32,
    /// One attempt.
    pub timeout_ms: u32,
    /// Attempts after the first.
    pub retries: u32,
}

/// The service that orders by meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingConfig {
    /// A whole address; empty for the service's own.
    pub endpoint: String,
    /// The name under which its key is known.
    pub api_key_env: String,
    pub model: String,
    /// Numbers of a vector; 0 leaves it to the service.
    pub dimensions: u32,
    pub timeout_ms: u32,
}

/// How memories are restated.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalizeConfig {
    pub enabled: bool,
    /// Show the restatement in place of the original words.
    pub inject: bool,
    /// Used in place of the session's route when both are set.
    pub provider: String,
    pub model: String,
}

/// Every setting, valid.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub types: Vec<Type>,
    /// Tried in order.
    pub judge: Vec<JudgeChoice>,
    pub min_importance: f64,
    pub min_remember: f64,
    pub min_remember_host: f64,
    pub conflict_threshold: f64,
    pub relations: Relations,
    pub extract: Extraction,
    pub ask_on_conflict: bool,
    pub ask_on_conflict_timeout_ms: u32,
    pub ask_on_conflict_max_attempts: u32,
    pub repeat_failures_to_write: u32,
    pub write_skip_subagents: bool,
    pub write_timeout_ms: u32,
    pub known_for_conflict: u32,
    pub conflict_ranking: ConflictRanking,
    pub embedding: EmbeddingConfig,
    pub recall: RecallConfig,
    pub jev: JevConfig,
    pub normalize: NormalizeConfig,
    pub register_tools: bool,
    /// Empty: the host's home folder decides.
    pub data_dir: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            types: Type::ALL.to_vec(),
            judge: vec![JudgeChoice::Auto],
            min_importance: 0.6,
            min_remember: 0.6,
            min_remember_host: 0.7,
            conflict_threshold: 0.7,
            relations: Relations::Ask,
            extract: Extraction::Verbatim,
            ask_on_conflict: true,
            ask_on_conflict_timeout_ms: 600_000,
            ask_on_conflict_max_attempts: 3,
            repeat_failures_to_write: 2,
            write_skip_subagents: true,
            write_timeout_ms: 2_500,
            known_for_conflict: 20,
            conflict_ranking: ConflictRanking::Lexical,
            embedding: EmbeddingConfig {
                endpoint: String::new(),
                api_key_env: "ZHIPU_API_KEY".to_owned(),
                model: "embedding-3".to_owned(),
                dimensions: 0,
                timeout_ms: 1_500,
            },
            recall: RecallConfig {
                max_tokens: 600,
                quota: [4, 3, 2],
                subagents: Subagents::Constraint,
            },
            jev: JevConfig {
                api_key_env: "TYPESAFE_API_KEY".to_owned(),
                endpoint: String::new(),
                model: "jev-latest".to_owned(),
                max_candidates: 6,
                timeout_ms: 2_000,
                retries: 1,
            },
            normalize: NormalizeConfig {
                enabled: true,
                inject: false,
                provider: String::new(),
                model: String::new(),
            },
            register_tools: true,
            data_dir: String::new(),
        }
    }
}

/// What was wrong with one key. The default took its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigNotice {
    /// Dotted path.
    pub key: String,
    pub problem: String,
}

/// Settings as read, with what to tell the person who wrote them.
#[derive(Debug, Clone, PartialEq)]
pub struct Validated {
    pub config: Config,
    pub notices: Vec<ConfigNotice>,
    /// Keys that were set and whose feature this version does not have.
    pub inactive: Vec<String>,
}

/// Reads one key's value into the config, or says what it must be.
type Apply = fn(&mut Config, &Value) -> Result<(), &'static str>;

/// One row a key.
struct Key {
    path: &'static str,
    /// Whether this version acts on it.
    active: bool,
    apply: Apply,
}

const fn key(path: &'static str, active: bool, apply: Apply) -> Key {
    Key {
        path,
        active,
        apply,
    }
}

const UNIT: &str = "a number from 0 to 1";
const SWITCH: &str = "true or false";
const TEXT: &str = "a text";
const JUDGE: &str = "auto, jev, host, heuristic or off, or a list of them";

/// Every key of the config. A key that is not here is unknown.
const KEYS: &[Key] = &[
    key("types", true, |c, v| types(v).map(|x| c.types = x)),
    key("judge", true, |c, v| judges(v).map(|x| c.judge = x)),
    key("minImportance", true, |c, v| {
        unit(v).map(|x| c.min_importance = x)
    }),
    key("minRemember", true, |c, v| {
        unit(v).map(|x| c.min_remember = x)
    }),
    key("minRememberHost", true, |c, v| {
        unit(v).map(|x| c.min_remember_host = x)
    }),
    key("conflictThreshold", true, |c, v| {
        unit(v).map(|x| c.conflict_threshold = x)
    }),
    key("relations", true, |c, v| {
        c.relations = match v.as_str() {
            Some("ask") => Relations::Ask,
            Some("judge") => Relations::Judge,
            _ => return Err("ask or judge"),
        };
        Ok(())
    }),
    key("extract", true, |c, v| {
        c.extract = match v.as_str() {
            Some("verbatim") => Extraction::Verbatim,
            Some("model") => Extraction::Model,
            _ => return Err("verbatim or model"),
        };
        Ok(())
    }),
    key("askOnConflict", true, |c, v| {
        switch(v).map(|x| c.ask_on_conflict = x)
    }),
    key("askOnConflictTimeoutMs", true, |c, v| {
        whole(
            v,
            1_000,
            86_400_000,
            "whole milliseconds from 1000 to 86400000",
        )
        .map(|x| c.ask_on_conflict_timeout_ms = x)
    }),
    key("askOnConflictMaxAttempts", true, |c, v| {
        whole(v, 0, 100, "a whole number from 0 to 100").map(|x| c.ask_on_conflict_max_attempts = x)
    }),
    key("repeatFailuresToWrite", true, |c, v| {
        whole(v, 2, 1_000, "a whole number from 2 to 1000").map(|x| c.repeat_failures_to_write = x)
    }),
    key("writeSkipSubagents", true, |c, v| {
        switch(v).map(|x| c.write_skip_subagents = x)
    }),
    key("writeTimeoutMs", true, |c, v| {
        whole(v, 50, 60_000, "whole milliseconds from 50 to 60000").map(|x| c.write_timeout_ms = x)
    }),
    key("knownForConflict", true, |c, v| {
        whole(v, 1, 200, "a whole number from 1 to 200").map(|x| c.known_for_conflict = x)
    }),
    key("conflictRanking", true, |c, v| match v.as_str() {
        Some("lexical") => {
            c.conflict_ranking = ConflictRanking::Lexical;
            Ok(())
        }
        Some("embedding") => {
            c.conflict_ranking = ConflictRanking::Embedding;
            Ok(())
        }
        _ => Err("lexical or embedding"),
    }),
    key("recall.maxTokens", true, |c, v| {
        whole(v, 0, 8_000, "a whole number from 0 to 8000").map(|x| c.recall.max_tokens = x)
    }),
    key("recall.quota.constraint", true, |c, v| {
        quota(v).map(|x| c.recall.quota[0] = x)
    }),
    key("recall.quota.pitfall", true, |c, v| {
        quota(v).map(|x| c.recall.quota[1] = x)
    }),
    key("recall.quota.decision", true, |c, v| {
        quota(v).map(|x| c.recall.quota[2] = x)
    }),
    key("recall.subagents", true, |c, v| {
        c.recall.subagents = match v.as_str() {
            Some("constraint") => Subagents::Constraint,
            Some("all") => Subagents::All,
            Some("none") => Subagents::None,
            _ => return Err("constraint, all or none"),
        };
        Ok(())
    }),
    key("jev.apiKeyEnv", true, |c, v| {
        name(v).map(|x| c.jev.api_key_env = x)
    }),
    // Read by the shim, which keeps it: only one that is no text arrives here.
    key("jev.apiKey", true, |_, v| text(v).map(|_| ())),
    key("jev.endpoint", true, |c, v| {
        address(v).map(|x| c.jev.endpoint = x)
    }),
    key("jev.model", true, |c, v| name(v).map(|x| c.jev.model = x)),
    key("jev.maxCandidates", true, |c, v| {
        whole(v, 1, 64, "a whole number from 1 to 64").map(|x| c.jev.max_candidates = x)
    }),
    key("jev.timeoutMs", true, |c, v| {
        whole(v, 50, 60_000, "whole milliseconds from 50 to 60000").map(|x| c.jev.timeout_ms = x)
    }),
    key("jev.retries", true, |c, v| {
        whole(v, 0, 10, "a whole number from 0 to 10").map(|x| c.jev.retries = x)
    }),
    key("embedding.endpoint", true, |c, v| {
        address(v).map(|x| c.embedding.endpoint = x)
    }),
    key("embedding.apiKeyEnv", true, |c, v| {
        name(v).map(|x| c.embedding.api_key_env = x)
    }),
    key("embedding.model", true, |c, v| {
        name(v).map(|x| c.embedding.model = x)
    }),
    key("embedding.dimensions", true, |c, v| {
        whole(v, 1, 16_384, "a whole number from 1 to 16384").map(|x| c.embedding.dimensions = x)
    }),
    key("embedding.timeoutMs", true, |c, v| {
        whole(v, 50, 60_000, "whole milliseconds from 50 to 60000")
            .map(|x| c.embedding.timeout_ms = x)
    }),
    key("normalize.enabled", true, |c, v| {
        switch(v).map(|x| c.normalize.enabled = x)
    }),
    key("normalize.inject", true, |c, v| {
        switch(v).map(|x| c.normalize.inject = x)
    }),
    key("normalize.provider", true, |c, v| {
        text(v).map(|x| c.normalize.provider = x)
    }),
    key("normalize.model", true, |c, v| {
        text(v).map(|x| c.normalize.model = x)
    }),
    key("registerTools", true, |c, v| {
        switch(v).map(|x| c.register_tools = x)
    }),
    key("dataDir", true, |c, v| text(v).map(|x| c.data_dir = x)),
];

/// Notices at most this many, so that a wrong file cannot fill the ledger.
const NOTICES_MAX: usize = 32;

impl Config {
    /// Reads settings. Unknown keys and wrong values are named and the defaults used; nothing here fails.
    ///
    /// `null` and a missing document give the defaults.
    pub fn validate(document: &Value) -> Validated {
        let mut out = Validated {
            config: Config::default(),
            notices: Vec::new(),
            inactive: Vec::new(),
        };
        match document {
            Value::Null => {}
            Value::Object(map) => walk("", map, &mut out),
            _ => notice(
                &mut out,
                "config",
                "must be a mapping; the defaults are used",
            ),
        }
        crate::text::order::sort(&mut out.inactive);
        out
    }
}

fn walk(prefix: &str, map: &Map<String, Value>, out: &mut Validated) {
    for (name, value) in map {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        let inside = format!("{path}.");
        if let Some(row) = KEYS.iter().find(|row| row.path == path) {
            if value.is_null() {
                continue;
            }
            match (row.apply)(&mut out.config, value) {
                Ok(()) if !row.active => out.inactive.push(path),
                Ok(()) => {}
                Err(expected) => notice(
                    out,
                    &path,
                    &format!("must be {expected}; the default is used"),
                ),
            }
        } else if KEYS.iter().any(|row| row.path.starts_with(&inside)) {
            match value {
                Value::Object(map) => walk(&path, map, out),
                Value::Null => {}
                _ => notice(out, &path, "must be a mapping; the defaults are used"),
            }
        } else {
            notice(
                out,
                &path,
                "is not a key of dsh-jev-memory and was left aside",
            );
        }
    }
}

fn notice(out: &mut Validated, key: &str, problem: &str) {
    if out.notices.len() < NOTICES_MAX {
        out.notices.push(ConfigNotice {
            key: key.chars().take(80).collect(),
            problem: problem.to_owned(),
        });
    }
}

fn unit(value: &Value) -> Result<f64, &'static str> {
    value
        .as_f64()
        .filter(|x| (0.0..=1.0).contains(x))
        .ok_or(UNIT)
}

fn switch(value: &Value) -> Result<bool, &'static str> {
    value.as_bool().ok_or(SWITCH)
}

fn text(value: &Value) -> Result<String, &'static str> {
    value.as_str().map(str::to_owned).ok_or(TEXT)
}

/// A text of one word.
fn name(value: &Value) -> Result<String, &'static str> {
    value
        .as_str()
        .filter(|text| !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic()))
        .map(str::to_owned)
        .ok_or("a name without spaces")
}

/// An address of a service; the empty text for its own one.
fn address(value: &Value) -> Result<String, &'static str> {
    let known = |text: &&str| {
        let scheme = text.starts_with("https://") || text.starts_with("http://");
        text.is_empty() || scheme && text.chars().all(|c| c.is_ascii_graphic())
    };
    value
        .as_str()
        .filter(known)
        .map(str::to_owned)
        .ok_or("an address that begins with https:// or http://")
}

fn whole(value: &Value, min: u32, max: u32, expected: &'static str) -> Result<u32, &'static str> {
    // A number that crossed from JavaScript may arrive as 5.0.
    value
        .as_f64()
        .filter(|x| x.fract() == 0.0 && *x >= f64::from(min) && *x <= f64::from(max))
        .map(|x| x as u32)
        .ok_or(expected)
}

fn quota(value: &Value) -> Result<u32, &'static str> {
    whole(value, 0, 50, "a whole number from 0 to 50")
}

fn types(value: &Value) -> Result<Vec<Type>, &'static str> {
    const EXPECTED: &str = "a list of constraint, pitfall, decision";
    let list = value.as_array().ok_or(EXPECTED)?;
    list.iter()
        .map(|item| {
            Type::ALL
                .into_iter()
                .find(|known| item.as_str() == Some(known.as_str()))
                .ok_or(EXPECTED)
        })
        .collect()
}

fn judges(value: &Value) -> Result<Vec<JudgeChoice>, &'static str> {
    let one = |item: &Value| match item.as_str() {
        Some("auto") => Ok(JudgeChoice::Auto),
        Some("jev") => Ok(JudgeChoice::Jev),
        Some("host") => Ok(JudgeChoice::Host),
        Some("heuristic") => Ok(JudgeChoice::Heuristic),
        Some("off") => Ok(JudgeChoice::Off),
        _ => Err(JUDGE),
    };
    match value {
        Value::Array(list) if !list.is_empty() => list.iter().map(one).collect(),
        Value::Bool(false) => Ok(vec![JudgeChoice::Off]), // YAML 1.1 readers turn a bare `off` into false.
        other => Ok(vec![one(other)?]),
    }
}
