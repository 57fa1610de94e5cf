//! The settings of the library's face: flat and strict. What is unknown, removed or nested is refused by name.

use super::digest::Rules;
use super::error::{Error, Kind};
use serde_json::Value;

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extract {
    /// The person's own sentences; no model.
    Verbatim,
    /// One call of the model that was given.
    Model,
}

/// Every setting, valid.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub data_dir: String,
    pub extract: Extract,
    /// `system1` or `dual`. Both write the same; `dual` also registers what a digest has to look at.
    pub dual: bool,
    pub system2: Rules,
    /// Schemas of a search's result, in a list of their own; 0: none.
    pub derived_context_limit: usize,
    /// Whether a search's result holds the catalogue of the person.
    pub catalog_context_enabled: bool,
    pub reconcile_candidate_limit: usize,
    pub reconcile_relation_threshold: f64,
    pub reconcile_lexical_threshold: f64,
    /// 0: off.
    pub reconcile_review_confidence: f64,
    pub reconcile_batch_size: usize,
    pub jev_max_question_chars: usize,
    pub request_outcome_ttl_seconds: u64,
    /// Whether each decision leaves an observation, too.
    pub persist_history: bool,
    /// Whether vectors are asked for.
    pub embeddings: bool,
    pub jev_endpoint: String,
    pub jev_api_key_env: String,
    pub jev_model: String,
    pub jev_timeout_ms: u32,
    pub jev_retries: u32,
    pub embedding_endpoint: String,
    pub embedding_api_key_env: String,
    pub embedding_model: String,
    pub embedding_dimensions: u32,
    pub embedding_timeout_ms: u32,
    pub llm_timeout_ms: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data_dir: String::new(),
            extract: Extract::Verbatim,
            dual: false,
            system2: Rules::default(),
            derived_context_limit: 0,
            catalog_context_enabled: true,
            reconcile_candidate_limit: 64,
            reconcile_relation_threshold: 0.6,
            reconcile_lexical_threshold: 0.2,
            reconcile_review_confidence: 0.0,
            reconcile_batch_size: 12,
            jev_max_question_chars: 60_000,
            request_outcome_ttl_seconds: 7 * 86_400,
            persist_history: false,
            embeddings: false,
            jev_endpoint: String::new(),
            jev_api_key_env: "TYPESAFE_API_KEY".to_owned(),
            jev_model: "jev-latest".to_owned(),
            jev_timeout_ms: 30_000,
            jev_retries: 2,
            embedding_endpoint: String::new(),
            embedding_api_key_env: "ZHIPU_API_KEY".to_owned(),
            embedding_model: "embedding-3".to_owned(),
            embedding_dimensions: 0,
            embedding_timeout_ms: 10_000,
            llm_timeout_ms: 120_000,
        }
    }
}

/// Keys that were there once, and what took their place.
pub const REMOVED: [(&str, &str); 6] = [
    ("reconcileSync", "every write decides at once"),
    (
        "reconcileSkipLlm",
        "give no `llm`, or `extract: 'verbatim'`",
    ),
    (
        "reconcileWeakCandidateScore",
        "`reconcileRelationThreshold` decides what is compared",
    ),
    (
        "reconcilePolicy",
        "the table of legal actions is the policy",
    ),
    (
        "reconcileNonDestructive",
        "no write destroys: old versions stay",
    ),
    (
        "contentHashDedup",
        "a repeated request is known by its `requestId`",
    ),
];
/// What the removed gates before a write began with.
const REMOVED_GATES: &str = "cluster";

type Apply = fn(&mut Settings, &Value) -> Option<()>;

/// Every key: its name, what it must be, and how it is taken.
const KEYS: &[(&str, &str, Apply)] = &[
    ("dataDir", TEXT, |s, v| {
        text(v, true).map(|x| s.data_dir = x)
    }),
    ("extract", "'verbatim' or 'model'", |s, v| {
        s.extract = match v.as_str()? {
            "verbatim" => Extract::Verbatim,
            "model" => Extract::Model,
            _ => return None,
        };
        Some(())
    }),
    ("mode", "'system1' or 'dual'", |s, v| {
        s.dual = match v.as_str()? {
            "system1" => false,
            "dual" => true,
            _ => return None,
        };
        Some(())
    }),
    (
        "reconcileCandidateLimit",
        "a whole number from 1 to 220",
        |s, v| whole(v, 1, 220).map(|x| s.reconcile_candidate_limit = x as usize),
    ),
    ("reconcileRelationThreshold", UNIT, |s, v| {
        unit(v).map(|x| s.reconcile_relation_threshold = x)
    }),
    ("reconcileLexicalThreshold", UNIT, |s, v| {
        unit(v).map(|x| s.reconcile_lexical_threshold = x)
    }),
    ("reconcileReviewConfidence", UNIT, |s, v| {
        unit(v).map(|x| s.reconcile_review_confidence = x)
    }),
    (
        "reconcileBatchSize",
        "a whole number from 1 to 64",
        |s, v| whole(v, 1, 64).map(|x| s.reconcile_batch_size = x as usize),
    ),
    (
        "jevMaxQuestionChars",
        "a whole number from 2000 to 1000000",
        |s, v| whole(v, 2_000, 1_000_000).map(|x| s.jev_max_question_chars = x as usize),
    ),
    (
        "requestOutcomeTtlSeconds",
        "a whole number from 1 to 315360000",
        |s, v| whole(v, 1, 315_360_000).map(|x| s.request_outcome_ttl_seconds = x),
    ),
    ("system2ClusterDistance", UNIT, |s, v| {
        unit(v).map(|x| s.system2.cluster_distance = x)
    }),
    ("system2RefineDistance", UNIT, |s, v| {
        unit(v).map(|x| s.system2.refine_distance = x)
    }),
    ("system2LexicalClusterDistance", UNIT, |s, v| {
        unit(v).map(|x| s.system2.lexical_distance = x)
    }),
    ("system2LexicalRefineDistance", UNIT, |s, v| {
        unit(v).map(|x| s.system2.lexical_refine_distance = x)
    }),
    (
        "system2MinClusterSize",
        "a whole number from 2 to 24",
        |s, v| whole(v, 2, 24).map(|x| s.system2.min_cluster_size = x as usize),
    ),
    (
        "system2MinSources",
        "a whole number from 1 to 24",
        |s, v| whole(v, 1, 24).map(|x| s.system2.min_sources = x as usize),
    ),
    (
        "system2CrossDomainMinBasics",
        "a whole number from 2 to 200",
        |s, v| whole(v, 2, 200).map(|x| s.system2.cross_domain_min_basics = x as usize),
    ),
    (
        "system2HeadLimit",
        "a whole number from 4 to 4000",
        |s, v| whole(v, 4, 4_000).map(|x| s.system2.head_limit = x as usize),
    ),
    (
        "derivedContextLimit",
        "a whole number from 0 to 50",
        |s, v| whole(v, 0, 50).map(|x| s.derived_context_limit = x as usize),
    ),
    ("catalogContextEnabled", SWITCH, |s, v| {
        v.as_bool().map(|x| s.catalog_context_enabled = x)
    }),
    ("persistHistory", SWITCH, |s, v| {
        v.as_bool().map(|x| s.persist_history = x)
    }),
    ("embeddings", SWITCH, |s, v| {
        v.as_bool().map(|x| s.embeddings = x)
    }),
    ("jevEndpoint", TEXT, |s, v| {
        text(v, true).map(|x| s.jev_endpoint = x)
    }),
    ("jevApiKeyEnv", TEXT, |s, v| {
        text(v, false).map(|x| s.jev_api_key_env = x)
    }),
    ("jevModel", TEXT, |s, v| {
        text(v, false).map(|x| s.jev_model = x)
    }),
    ("jevTimeoutMs", MS, |s, v| {
        milliseconds(v).map(|x| s.jev_timeout_ms = x)
    }),
    ("jevRetries", "a whole number from 0 to 10", |s, v| {
        whole(v, 0, 10).map(|x| s.jev_retries = x as u32)
    }),
    ("embeddingEndpoint", TEXT, |s, v| {
        text(v, true).map(|x| s.embedding_endpoint = x)
    }),
    ("embeddingApiKeyEnv", TEXT, |s, v| {
        text(v, false).map(|x| s.embedding_api_key_env = x)
    }),
    ("embeddingModel", TEXT, |s, v| {
        text(v, false).map(|x| s.embedding_model = x)
    }),
    (
        "embeddingDimensions",
        "a whole number from 1 to 16384",
        |s, v| whole(v, 1, 16_384).map(|x| s.embedding_dimensions = x as u32),
    ),
    ("embeddingTimeoutMs", MS, |s, v| {
        milliseconds(v).map(|x| s.embedding_timeout_ms = x)
    }),
    ("llmTimeoutMs", MS, |s, v| {
        milliseconds(v).map(|x| s.llm_timeout_ms = x)
    }),
];

const UNIT: &str = "a number from 0 to 1";
const SWITCH: &str = "true or false";
const TEXT: &str = "a text";
const MS: &str = "whole milliseconds from 50 to 600000";

impl Settings {
    /// Reads flat settings.
    ///
    /// # Errors
    /// `SettingsError` that names the first key that is unknown, removed, nested or of the wrong kind.
    pub fn read(given: &Value) -> Result<Self, Error> {
        let refused = |message: String| Err(Error::new(Kind::Settings, message));
        let Value::Object(map) = given else {
            return refused("settings are an object of flat keys".to_owned());
        };
        let mut out = Self::default();
        for (name, value) in map {
            let shown = crate::text::cut(name, 60);
            if let Some((_, why)) = REMOVED.iter().find(|(key, _)| is_spelt(name, key)) {
                return refused(format!("`{shown}` was removed: {why}"));
            }
            if name.to_ascii_lowercase().starts_with(REMOVED_GATES) {
                return refused(format!(
                    "`{shown}` was removed: nothing stands before a write but the decision"
                ));
            }
            if matches!(value, Value::Object(_) | Value::Array(_)) {
                return refused(format!("`{shown}` is nested: settings are flat"));
            }
            let Some((_, what, apply)) = KEYS.iter().find(|(key, _, _)| key == name) else {
                return refused(format!("`{shown}` is no setting"));
            };
            if apply(&mut out, value).is_none() {
                return refused(format!("`{shown}` must be {what}"));
            }
        }
        if out.data_dir.trim().is_empty() {
            return refused("`dataDir` must name a folder".to_owned());
        }
        Ok(out)
    }
}

/// Whether a key is `known`, in this spelling or with underscores.
fn is_spelt(name: &str, known: &str) -> bool {
    name.replace('_', "").eq_ignore_ascii_case(known)
}

fn text(value: &Value, may_be_empty: bool) -> Option<String> {
    let text = value.as_str()?.trim();
    (may_be_empty || !text.is_empty()).then(|| text.to_owned())
}

fn unit(value: &Value) -> Option<f64> {
    value.as_f64().filter(|x| (0.0..=1.0).contains(x))
}

fn whole(value: &Value, min: u64, max: u64) -> Option<u64> {
    let number = value.as_f64().filter(|x| x.fract() == 0.0)?;
    // Within bounds that a double holds exactly.
    (number >= min as f64 && number <= max as f64).then_some(number as u64)
}

fn milliseconds(value: &Value) -> Option<u32> {
    whole(value, 50, 600_000).map(|x| x as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(given: Value, says: &str) {
        let mut all = json!({ "dataDir": "/tmp/x" });
        let pairs = given.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(pairs);
        let error = Settings::read(&all).unwrap_err();
        assert_eq!(error.row(), ("SettingsError", "settings", 422));
        assert!(
            error.message.contains(says),
            "{} lacks {says}",
            error.message
        );
    }

    #[test]
    fn a_removed_key_is_refused_by_name() {
        for (key, _) in REMOVED {
            check(json!({ key: true }), &format!("`{key}` was removed"));
        }
        check(
            json!({ "content_hash_dedup": true }),
            "`content_hash_dedup` was removed",
        );
        check(
            json!({ "clusterWriteThreshold": 0.4 }),
            "`clusterWriteThreshold` was removed",
        );
        check(json!({ "cluster_gate": 0.4 }), "`cluster_gate` was removed");
    }

    #[test]
    fn an_unknown_nested_or_wrong_key_is_refused_by_name() {
        check(json!({ "jev": { "model": "x" } }), "`jev` is nested");
        check(json!({ "mem0": {} }), "`mem0` is nested");
        check(
            json!({ "minImportance": 0.4 }),
            "`minImportance` is no setting",
        );
        check(
            json!({ "mode": "triple" }),
            "`mode` must be 'system1' or 'dual'",
        );
        check(json!({ "reconcileCandidateLimit": 221 }), "from 1 to 220");
        check(
            json!({ "reconcileBatchSize": 1.5 }),
            "`reconcileBatchSize` must be",
        );
        check(
            json!({ "reconcileRelationThreshold": "0.6" }),
            "from 0 to 1",
        );
        assert!(Settings::read(&json!({})).is_err());
    }

    #[test]
    fn every_key_has_a_value_it_takes() {
        let all = json!({
            "dataDir": "/data", "extract": "model", "mode": "dual", "reconcileCandidateLimit": 220,
            "reconcileRelationThreshold": 0.5, "reconcileLexicalThreshold": 0.1, "reconcileReviewConfidence": 0.4,
            "reconcileBatchSize": 4, "jevMaxQuestionChars": 2000, "requestOutcomeTtlSeconds": 60, "persistHistory": true,
            "system2ClusterDistance": 0.3, "system2RefineDistance": 0.2, "system2LexicalClusterDistance": 0.8,
            "system2LexicalRefineDistance": 0.7, "system2MinClusterSize": 3, "system2MinSources": 1,
            "system2CrossDomainMinBasics": 4, "system2HeadLimit": 100, "derivedContextLimit": 5, "catalogContextEnabled": false,
            "embeddings": true, "jevEndpoint": "http://127.0.0.1:1", "jevApiKeyEnv": "K", "jevModel": "jev-1.13.0",
            "jevTimeoutMs": 100, "jevRetries": 0, "embeddingEndpoint": "", "embeddingApiKeyEnv": "K",
            "embeddingModel": "m", "embeddingDimensions": 8, "embeddingTimeoutMs": 100, "llmTimeoutMs": 100,
        });
        assert_eq!(all.as_object().unwrap().len(), KEYS.len());
        let read = Settings::read(&all).unwrap();
        assert_eq!(
            (read.extract, read.dual, read.jev_retries),
            (Extract::Model, true, 0)
        );
        assert_eq!(read.reconcile_candidate_limit, 220);
    }
}
