//! Jev: a decision model that is asked typed questions and answers with probabilities. Requests and answers only; the
//! engine sends. The contract, with its sources, is in `docs/jev.md`.

mod answer;
mod request;
pub mod retry;

pub use answer::{Answered, read};
pub use request::{Part, parts};

/// Where Jev is asked when the config names no endpoint.
pub const ENDPOINT: &str = "https://api.typesafe.ai/v1/systemone";

/// The path that is added to an endpoint that has none.
const PATH: &str = "/v1/systemone";

/// Returns the address to ask: a full one as it is, a root with the path added, the default for an empty one.
pub fn endpoint(configured: &str) -> String {
    let given = configured.trim().trim_end_matches('/');
    if given.is_empty() {
        return ENDPOINT.to_owned();
    }
    let rest = given.split_once("://").map_or(given, |(_, rest)| rest);
    if rest.contains('/') {
        given.to_owned()
    } else {
        format!("{given}{PATH}")
    }
}

#[cfg(test)]
mod tests;
