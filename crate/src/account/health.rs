//! One line that says whether memory works, and what to do about what is wrong with it.

use super::phrase::health as say;
use super::{Page, Phrase, size};
use crate::memory::Millis;

/// What the line tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    pub capture: bool,
    /// Why nothing is captured; empty while it is.
    pub why_not: String,
    /// The judges in their order; empty where no host said so yet.
    pub judge: String,
    /// Where Jev's key was found: `service:…`, `file`, `config`, `env`, `none`; empty before a look.
    pub key: String,
    /// The name the key is looked for under.
    pub key_name: String,
    /// Whether a key would change who judges.
    pub wants_key: bool,
    pub last_write: Option<Millis>,
    /// When, and what it was.
    pub last_failure: Option<(Millis, String)>,
    pub n_pending: usize,
    pub n_memories: usize,
    pub size_bytes: u64,
    /// Package, ledger and tokeniser, and the host where it is known.
    pub version: String,
    pub ledger_version: u32,
    pub tokeniser: String,
    pub host: String,
}

/// Returns the line.
pub fn line(facts: &Facts, page: &Page<'_>) -> String {
    let capture = if facts.capture {
        page.words(&say::CAPTURE_ON, &[])
    } else {
        page.words(&say::CAPTURE_OFF, &[&facts.why_not])
    };
    let judge = if facts.judge.is_empty() {
        page.words(&say::JUDGE_UNKNOWN, &[])
    } else {
        let why = match facts.key.as_str() {
            _ if !facts.wants_key => page.words(&say::JUDGE_AS_SET, &[]),
            "" => page.words(&say::KEY_NOT_LOOKED, &[&facts.key_name]),
            "none" => page.words(&say::KEY_NONE, &[&facts.key_name]),
            path => page.words(&say::KEY_FOUND, &[&facts.key_name, path]),
        };
        page.words(&say::JUDGE, &[&facts.judge, &why])
    };
    let never = page.words(&say::NEVER, &[]);
    let written = facts.last_write.map_or(never, |at| page.times.minute(at));
    let failure = match &facts.last_failure {
        Some((at, what)) => format!("{} {what}", page.times.minute(*at)),
        None => page.words(&say::NONE, &[]),
    };
    let (pending, memories, bytes) = (
        facts.n_pending.to_string(),
        facts.n_memories.to_string(),
        size(facts.size_bytes),
    );
    let ledger = facts.ledger_version.to_string();
    let host = if facts.host.is_empty() {
        String::new()
    } else {
        format!(", {}", facts.host)
    };
    let parts: [(&Phrase, &[&str]); 5] = [
        (&say::LAST_WRITE, &[&written]),
        (&say::LAST_FAILURE, &[&failure]),
        (&say::PENDING, &[&pending]),
        (&say::STORE, &[&memories, &bytes]),
        (
            &say::VERSIONS,
            &[&facts.version, &ledger, &facts.tokeniser, &host],
        ),
    ];
    let mut out = vec![capture, judge];
    out.extend(
        parts
            .iter()
            .map(|(phrase, values)| page.words(phrase, values)),
    );
    out.join(" · ")
}

/// Returns what to do about a problem, by its code; nothing where only looking helps.
pub fn advice(code: &str) -> Option<&'static Phrase> {
    let row = say::ADVICE
        .iter()
        .find(|(codes, _)| codes.split(' ').any(|known| known == code));
    row.map(|(_, phrase)| phrase)
}
