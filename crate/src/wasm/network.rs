//! Requests to services and to the host's model, through the job's mailbox. No key comes here.

use super::host::{JobPorts, field};
use super::job::request;
use crate::error::{HttpError, LlmError};
use crate::port::{Answer, Http, HttpReply, HttpRequest, Llm, LlmReply, LlmRequest};
use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::JsValue;

/// What the host said: the value, or a code and a message.
fn outcome(answer: &JsValue) -> Result<JsValue, (String, String)> {
    let failed = field(answer, "error");
    if failed.is_undefined() {
        return Ok(field(answer, "ok"));
    }
    let text = |name: &str| field(&failed, name).as_string().unwrap_or_default();
    Err((text("code"), text("message")))
}

fn reply(value: &JsValue) -> HttpReply {
    let pair = |item: JsValue| {
        let item = Array::from(&item);
        Some((item.get(0).as_string()?, item.get(1).as_string()?))
    };
    HttpReply {
        // A status that is none is 0, which nothing takes for a success.
        status: field(value, "status").as_f64().unwrap_or_default() as u16,
        headers: Array::from(&field(value, "headers"))
            .iter()
            .filter_map(pair)
            .collect(),
        body: Uint8Array::new(&field(value, "body")).to_vec(),
    }
}

impl Http for JobPorts {
    fn send(&self, sent: HttpRequest) -> Answer<'_, Result<HttpReply, HttpError>> {
        let headers = Object::new();
        for (name, value) in &sent.headers {
            // Setting a property of a fresh plain object cannot fail.
            let _ = Reflect::set(&headers, &(*name).into(), &value.into());
        }
        let fields = [
            ("method", sent.method.into()),
            ("url", (&sent.url).into()),
            ("headers", headers.into()),
            ("body", Uint8Array::from(sent.body.as_slice()).into()),
            ("credential", (&sent.credential).into()),
            ("timeoutMs", sent.timeout_ms.into()),
        ];
        let asked = self.mailbox.ask(request("http.send", &fields));
        Box::pin(async move {
            outcome(&asked.await)
                .map(|value| reply(&value))
                .map_err(|(code, message)| match code.as_str() {
                    "NO_KEY" => HttpError::NoKey {
                        credential: sent.credential,
                    },
                    "TIMEOUT" => HttpError::Timeout {
                        timeout_ms: sent.timeout_ms,
                    },
                    "ENDED" => HttpError::Ended,
                    _ => HttpError::Transport { message },
                })
        })
    }

    fn key<'a>(&'a self, credential: &'a str, timeout_ms: u32) -> Answer<'a, String> {
        let fields = [
            ("credential", credential.into()),
            ("timeoutMs", timeout_ms.into()),
        ];
        let asked = self.mailbox.ask(request("http.key", &fields));
        Box::pin(async move {
            let told = outcome(&asked.await)
                .ok()
                .and_then(|value| value.as_string());
            told.unwrap_or_else(|| "none".to_owned())
        })
    }
}

impl Llm for JobPorts {
    fn generate(&self, sent: LlmRequest) -> Answer<'_, Result<LlmReply, LlmError>> {
        let fields = [
            ("sessionId", sent.session.as_str().into()),
            ("provider", (&sent.provider).into()),
            ("model", (&sent.model).into()),
            ("system", (&sent.system).into()),
            ("prompt", (&sent.prompt).into()),
            ("maxTokens", sent.max_tokens.into()),
            ("timeoutMs", sent.timeout_ms.into()),
        ];
        let asked = self.mailbox.ask(request("llm.generate", &fields));
        Box::pin(async move {
            let value = outcome(&asked.await).map_err(|(code, message)| match code.as_str() {
                "NO_ROUTE" => LlmError::NoRoute,
                "TIMEOUT" => LlmError::Timeout {
                    timeout_ms: sent.timeout_ms,
                },
                "ENDED" => LlmError::Ended,
                _ => LlmError::Failed { code, message },
            })?;
            let text = |name: &str| field(&value, name).as_string().unwrap_or_default();
            // A saturating cast: what is no count is 0.
            let count = |name: &str| field(&value, name).as_f64().unwrap_or_default() as u64;
            Ok(LlmReply {
                text: text("text"),
                model: text("model"),
                input_tokens: count("inputTokens"),
                output_tokens: count("outputTokens"),
            })
        })
    }

    fn route(&self) -> Answer<'_, String> {
        let asked = self.mailbox.ask(request("llm.route", &[]));
        Box::pin(async move {
            let told = outcome(&asked.await)
                .ok()
                .and_then(|value| value.as_string());
            told.unwrap_or_default()
        })
    }
}
