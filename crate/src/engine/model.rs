//! Calls of the host's own model, and what they and Jev cost.

use super::Engine;
use crate::error::LlmError;
use crate::judge::{Fault, Usage};
use crate::memory::JudgeName;
use crate::port::{LlmReply, LlmRequest, Ports};
use serde_json::{Value, json};

/// Less than this is no time for a model.
const CALL_MIN_MS: u32 = 50;

impl Engine {
    /// Makes one call of the host's model.
    pub(super) async fn generate(
        &self,
        ports: Ports<'_>,
        request: LlmRequest,
    ) -> Result<LlmReply, Fault> {
        if request.timeout_ms < CALL_MIN_MS {
            return Err(Fault::new("host-timeout", "no time was left to ask"));
        }
        ports.llm.generate(request).await.map_err(|error| {
            let cause = match &error {
                LlmError::NoRoute => "host-no-route",
                LlmError::Timeout { .. } => "host-timeout",
                LlmError::Failed { .. } => "host-failed",
                LlmError::Ended => "host-ended",
            };
            Fault::new(cause, super::cut(&error.to_string(), 200))
        })
    }

    /// Counts what a judge cost in this process.
    pub(super) fn count_usage(&self, by: JudgeName, usage: Usage) {
        self.usage.borrow_mut().or_default(by).add(usage);
    }

    /// What each judge cost in this process, by name.
    pub(super) fn usage(&self) -> Value {
        let usage = self.usage.borrow();
        let told = usage.iter().map(|(by, usage)| {
            let counts = json!({
                "requests": usage.requests,
                "inputTokens": usage.input_tokens,
                "outputTokens": usage.output_tokens,
            });
            (by.as_str().to_owned(), counts)
        });
        Value::Object(told.collect())
    }
}
