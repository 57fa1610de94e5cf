//! What a status means, whether to try again, and when.

use super::super::Fault;
use serde_json::Value;

/// Longest wait that is honoured. Source: the official JavaScript client.
const WAIT_MAX_MS: u64 = 60_000;
/// First wait, doubled each time up to the cap. Source: both official clients.
const FIRST_WAIT_MS: u64 = 500;
const BACKOFF_MAX_MS: u64 = 5_000;
/// Share of a wait that randomness may take off. Source: both official clients.
const JITTER: f64 = 0.25;
/// Characters of a server's message that are kept.
const MESSAGE_MAX_CHARS: usize = 200;

/// A request that brought no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub fault: Fault,
    /// Whether the same request may be sent again.
    pub retry: bool,
    /// How long the server asked to wait, in milliseconds.
    pub wait_ms: Option<u64>,
    /// Whether everybody should slow down.
    pub crowded: bool,
}

/// Statuses by what they mean. The first row that holds wins.
///
/// # Source
/// `docs/jev.md`, errors. Retried are 408, 429, 500, 502, 503, 504, 529 and nothing else.
const STATUSES: &[(&[u16], &str, bool)] = &[
    (&[401, 403], "jev-auth", false),
    (&[402], "jev-no-credit", false),
    (&[413], "jev-too-large", false),
    (&[408], "jev-timeout", true),
    (&[429], "jev-rate-limited", true),
    (&[529], "jev-overloaded", true),
    (&[500, 502, 503, 504], "jev-server", true),
];

/// Reads a reply whose status is not 200. `header` gives a header by its lower-case name.
pub fn failure(
    status: u16,
    header: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
    now_ms: i64,
) -> Failure {
    let (mut cause, retry) = STATUSES
        .iter()
        .find(|(statuses, _, _)| statuses.contains(&status))
        .map_or(
            if status >= 500 {
                ("jev-server", false)
            } else {
                ("jev-refused", false)
            },
            |(_, cause, retry)| (*cause, *retry),
        );
    let text = String::from_utf8_lossy(body);
    // A gateway may wrap the body, so the word is looked for in the text.
    if text.contains("max_tokens_exceeded") {
        cause = "jev-too-large";
    }
    let request_id = header("x-typesafe-request-id")
        .map(|id| format!(", request {}", plain(&id, 60)))
        .unwrap_or_default();
    Failure {
        fault: Fault::new(
            cause,
            format!("status {status}{request_id}: {}", message(&text)),
        ),
        retry,
        wait_ms: wait(header, now_ms),
        crowded: matches!(status, 429 | 529),
    }
}

/// Returns how long to wait before attempt `attempt` (the second is 1), or none when it is longer than anybody waits.
///
/// `random` is from 0 to 1.
pub fn wait_before(attempt: u32, failure: &Failure, random: f64) -> Option<u64> {
    match failure.wait_ms {
        Some(wait) if wait > WAIT_MAX_MS => None,
        Some(wait) => Some(wait),
        None => {
            let doubled = FIRST_WAIT_MS.saturating_mul(1 << attempt.saturating_sub(1).min(16));
            let whole = doubled.min(BACKOFF_MAX_MS) as f64;
            Some((whole * (1.0 - JITTER * random.clamp(0.0, 1.0))) as u64)
        }
    }
}

/// The milliseconds a server asks for: `retry-after-ms`, else `retry-after` in seconds or as a date.
fn wait(header: &dyn Fn(&str) -> Option<String>, now_ms: i64) -> Option<u64> {
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|x| x.is_finite() && *x >= 0.0)
    };
    if let Some(ms) = header("retry-after-ms").as_deref().and_then(number) {
        return Some(ms as u64);
    }
    let after = header("retry-after")?;
    if let Some(seconds) = number(&after) {
        return Some((seconds * 1_000.0) as u64);
    }
    let at = http_date(&after)?;
    Some(u64::try_from(at.saturating_sub(now_ms)).unwrap_or(0))
}

/// Reads a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`, in milliseconds since the epoch.
///
/// # Source
/// RFC 9110, section 5.6.7, the preferred form. The two obsolete forms are not read: the usual wait is taken then.
fn http_date(text: &str) -> Option<i64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let (_, rest) = text.trim().split_once(", ")?;
    let mut fields = rest.split_ascii_whitespace();
    let (day, month, year, time) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    if fields.next() != Some("GMT") || month.len() != 3 {
        return None;
    }
    let month = MONTHS.find(month).filter(|at| at % 3 == 0)? / 3 + 1;
    let day: u32 = day.parse().ok()?;
    let midnight = crate::text::day::parse(&format!("{year}-{month:02}-{day:02}"))?;
    let mut clock = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
    Some(midnight + (hours * 3_600 + minutes * 60 + seconds) * 1_000)
}

/// Returns what a server says is wrong, in the order the official clients look.
pub fn message(text: &str) -> String {
    let said = serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|body| from_body(&body));
    plain(&said.unwrap_or_else(|| text.to_owned()), MESSAGE_MAX_CHARS)
}

fn from_body(body: &Value) -> Option<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let error = body.get("error");
    let detail = body.get("detail");
    let inside = |outer: Option<&Value>, key: &str| text(outer.and_then(|value| value.get(key)));
    text(error)
        .or_else(|| inside(error, "message"))
        .or_else(|| text(body.get("message")))
        .or_else(|| text(detail))
        .or_else(|| inside(detail, "message"))
        .or_else(|| detail.and_then(Value::as_array).map(|items| listed(items)))
        .or_else(|| inside(detail, "error_type"))
}

/// `path: msg` of each validation item, the path without its `body`.
fn listed(items: &[Value]) -> String {
    let one = |item: &Value| {
        let path: Vec<String> = item
            .get("loc")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|step| step.as_str() != Some("body"))
            .map(|step| {
                step.as_str()
                    .map_or_else(|| step.to_string(), str::to_owned)
            })
            .collect();
        let message = item.get("msg").and_then(Value::as_str).unwrap_or_default();
        format!("{}: {message}", path.join("."))
    };
    let items: Vec<String> = items.iter().take(3).map(one).collect();
    items.join("; ")
}

/// One line, at most `chars_max` characters.
fn plain(text: &str, chars_max: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    crate::text::cut(&words.join(" "), chars_max).to_owned()
}
