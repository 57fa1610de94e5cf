//! Sends Jev's requests: attempts, waits, and how many at once.

use super::Engine;
use super::budget::Budget;
use crate::error::HttpError;
use crate::judge::jev::retry::{Failure, failure, wait_before};
use crate::judge::jev::{self, Answered, Part};
use crate::judge::{Asked, Fault, Usage};
use crate::port::{HttpRequest, Ports};
use std::cell::Cell;

/// Requests of this process under way at once; half of it after the service said that it is crowded.
///
/// # Source
/// The reference memory library keeps four in flight. Requests of one turn go one after the other: a second is only
/// needed past 64 questions, and concurrent requests queue at the service anyway (`docs/jev.md`).
const LANES: u32 = 4;
/// Milliseconds between looks at a lane that is taken.
const LANE_WAIT_MS: u32 = 20;
/// Less than this is no time to ask anything.
const ASK_MIN_MS: u32 = 30;

/// What all sessions of this process share.
#[derive(Debug)]
pub(super) struct Lanes {
    busy: Cell<u32>,
    limit: Cell<u32>,
    /// Nobody asks before this time, milliseconds since the epoch.
    paused_until: Cell<i64>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            busy: Cell::new(0),
            limit: Cell::new(LANES),
            paused_until: Cell::new(0),
        }
    }
}

/// A place in a lane, given back when dropped.
struct Lane<'a>(&'a Cell<u32>);

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Engine {
    /// Asks about sentences. Also returns what it cost.
    pub(super) async fn ask_jev(
        &self,
        ports: Ports<'_>,
        part: &Part,
        asked: &[Asked],
        budget: Budget,
    ) -> (Result<Answered, Fault>, Usage) {
        let (reply, mut spent) = self.send_jev(ports, &part.body, budget).await;
        let read = reply.and_then(|body| jev::read(&body, part, asked));
        if let Ok(answered) = &read {
            spent.input_tokens = answered.usage.input_tokens;
            spent.output_tokens = answered.usage.output_tokens;
        }
        (read, spent)
    }

    /// Sends one request until it is answered, refused for good, or the time is over; the body of a 200. Also returns how many were sent.
    pub(super) async fn send_jev(
        &self,
        ports: Ports<'_>,
        body: &str,
        budget: Budget,
    ) -> (Result<Vec<u8>, Fault>, Usage) {
        let mut spent = Usage::default();
        let mut attempt = 0;
        let mut last: Option<Fault> = None;
        loop {
            let Some(lane) = self.lane(ports, budget).await else {
                let waited = || Fault::new("jev-timeout", "no time was left to ask");
                return (Err(last.unwrap_or_else(waited)), spent);
            };
            let timeout_ms = self.config.jev.timeout_ms.min(budget.left_ms(ports));
            let sent = ports.http.send(self.jev_request(body, attempt, timeout_ms));
            let reply = sent.await;
            drop(lane);
            if !matches!(reply, Err(HttpError::NoKey { .. })) {
                spent.requests = spent.requests.saturating_add(1);
            }
            let failed = match reply {
                Ok(reply) if reply.status == 200 => {
                    self.lanes
                        .limit
                        .set((self.lanes.limit.get() + 1).min(LANES));
                    // No second attempt after a 200: what it says is the provider's word.
                    return (Ok(reply.body), spent);
                }
                Ok(reply) => failure(
                    reply.status,
                    &|name| reply.header(name),
                    &reply.body,
                    ports.clock.now().0,
                ),
                Err(error) => unreached(&error),
            };
            attempt += 1;
            let random = random(ports);
            let wait = wait_before(attempt, &failed, random);
            if failed.crowded {
                self.slow_down(ports, wait);
            }
            let left_ms = u64::from(budget.left_ms(ports).saturating_sub(ASK_MIN_MS));
            let fits = wait.filter(|wait| *wait <= left_ms);
            let (true, Some(wait)) = (failed.retry && attempt <= self.config.jev.retries, fits)
            else {
                return (Err(failed.fault), spent);
            };
            last = Some(failed.fault);
            ports
                .clock
                .sleep(u32::try_from(wait).unwrap_or(u32::MAX))
                .await;
        }
    }

    fn jev_request(&self, body: &str, attempt: u32, timeout_ms: u32) -> HttpRequest {
        let mut headers = vec![(
            "user-agent",
            concat!("dsh-jev-memory/", env!("CARGO_PKG_VERSION")).to_owned(),
        )];
        if attempt > 0 {
            headers.push(("x-typesafe-retry-count", attempt.to_string()));
        }
        HttpRequest {
            method: "POST",
            url: jev::endpoint(&self.config.jev.endpoint),
            headers,
            body: body.as_bytes().to_vec(),
            credential: self.config.jev.api_key_env.clone(),
            timeout_ms,
        }
    }

    /// Waits for a place; none when the time is over first.
    async fn lane(&self, ports: Ports<'_>, budget: Budget) -> Option<Lane<'_>> {
        loop {
            let left_ms = budget.left_ms(ports);
            if left_ms < ASK_MIN_MS {
                return None;
            }
            let lanes = &self.lanes;
            let pause_ms = lanes.paused_until.get().saturating_sub(ports.clock.now().0);
            if pause_ms <= 0 && lanes.busy.get() < lanes.limit.get() {
                lanes.busy.set(lanes.busy.get() + 1);
                return Some(Lane(&lanes.busy));
            }
            ports.clock.sleep(LANE_WAIT_MS.min(left_ms)).await;
        }
    }

    /// The service is crowded: everybody waits, and half as many ask at once from then on.
    fn slow_down(&self, ports: Ports<'_>, wait_ms: Option<u64>) {
        let lanes = &self.lanes;
        lanes.limit.set((lanes.limit.get() / 2).max(1));
        let wait_ms = i64::try_from(wait_ms.unwrap_or_default()).unwrap_or_default();
        let until = ports.clock.now().0.saturating_add(wait_ms);
        lanes.paused_until.set(lanes.paused_until.get().max(until));
    }
}

fn unreached(error: &HttpError) -> Failure {
    let (cause, retry) = match error {
        HttpError::NoKey { .. } => ("jev-no-key", false),
        HttpError::Timeout { .. } => ("jev-timeout", true),
        HttpError::Transport { .. } => ("jev-transport", true),
        HttpError::Ended => ("jev-ended", false),
    };
    Failure {
        fault: Fault::new(cause, error.to_string()),
        retry,
        wait_ms: None,
        crowded: false,
    }
}

/// Returns a number from 0 to 1.
fn random(ports: Ports<'_>) -> f64 {
    let mut byte = [0u8; 1];
    ports.random.fill(&mut byte);
    f64::from(byte[0]) / 255.0
}
