//! The thin layer over the engine: one class, values in, values out. Nothing here decides.

#[cfg(feature = "bench")]
mod bench;
mod eval;
mod host;
mod job;
mod library;
mod network;
mod rest;

use crate::engine::{Answered, Call, Engine, Settings, Typed, When};
use crate::memory::{EventSeq, SessionId};
use crate::turn::{Session, Turn};
use host::{Host, JobPorts, now, offset_minutes};
use job::{Job, Mailbox};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a panic's message for [`last_panic`]: the exception that reaches JavaScript only says `unreachable`.
#[wasm_bindgen(start)]
fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        // A second panic while the first is being noted must not make a third.
        LAST_PANIC.with(|last| {
            if let Ok(mut last) = last.try_borrow_mut() {
                *last = message;
            }
        });
    }));
}

/// Returns the message of the panic behind a `RuntimeError`, or an empty text. Drop the instance afterwards: its state may be half changed.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    LAST_PANIC.with(|last| {
        last.try_borrow()
            .map(|last| last.clone())
            .unwrap_or_default()
    })
}

/// The memory of one host process.
#[wasm_bindgen]
pub struct Core {
    engine: Rc<Engine>,
    host: Host,
}

#[wasm_bindgen]
impl Core {
    /// Makes a core; nothing is read until `open`. Wrong settings are named in `health` and survived.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Settings")] settings: JsValue,
        host: Host,
    ) -> Self {
        let settings: Settings = from_js(settings).unwrap_or_default();
        Self {
            engine: Rc::new(Engine::new(&settings)),
            host,
        }
    }

    /// Reads the data folder. Only reads: it may be driven synchronously at mount. Value: `Health`.
    pub fn open(&self) -> Job {
        self.job(0, |engine, ports| async move {
            engine.open(ports.ports()).await;
            to_js(&engine.health())
        })
    }

    /// Writes what waits: the `start` row, damaged files to quarantine. Value: `Health`.
    pub fn settle(&self) -> Job {
        self.job(0, |engine, ports| async move {
            engine.settle(ports.ports()).await;
            to_js(&engine.health())
        })
    }

    /// Reads what other processes appended. Only reads: for the first step of a turn, driven synchronously.
    pub fn refresh(&self) -> Job {
        self.job(0, |engine, ports| async move {
            engine.refresh(ports.ports()).await;
            JsValue::UNDEFINED
        })
    }

    /// Makes a session known: its scope, its read position, the order of lines its log already holds (`lastBlock`). Value: the scope key.
    pub fn attach(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Session")] session: JsValue,
        #[wasm_bindgen(js_name = nextSeq)] next_seq: f64,
        #[wasm_bindgen(js_name = firstLiveSeq)] first_live_seq: f64,
        #[wasm_bindgen(js_name = lastBlock)] last_block: Option<String>,
    ) -> Job {
        self.job(0, move |engine, ports| async move {
            let session: Session = match from_js(session) {
                Ok(session) => session,
                Err(problem) => return problem,
            };
            let (next, live) = (event_seq(next_seq), event_seq(first_live_seq));
            let scope = engine
                .attach(ports.ports(), &session, next, live, last_block.as_deref())
                .await;
            JsValue::from_str(scope.as_str())
        })
    }

    /// Notes the human's message that a turn begins with.
    pub fn hear(
        &self,
        #[wasm_bindgen(js_name = sessionId)] session_id: &str,
        turn: u32,
        text: &str,
    ) {
        self.engine.hear(&SessionId::from(session_id), turn, text);
    }

    /// Returns the block for a step of `turn`; an empty text is no block. The same bytes until something it shows changes.
    pub fn recall(
        &self,
        #[wasm_bindgen(js_name = sessionId)] session_id: &str,
        turn: u32,
    ) -> String {
        self.engine
            .recall(&SessionId::from(session_id), turn, now(), &offset_minutes)
    }

    /// Returns the message that brings the block to a session without runtime context; undefined when `sent`, the newest
    /// one the session still shows, says it already.
    pub fn message(
        &self,
        #[wasm_bindgen(js_name = sessionId)] session_id: &str,
        turn: u32,
        sent: &str,
    ) -> Option<String> {
        let session = SessionId::from(session_id);
        self.engine
            .message(&session, turn, now(), &offset_minutes, sent)
    }

    /// Notes that a preset turned runtime context off for a session; said once.
    pub fn suppressed(&self, #[wasm_bindgen(js_name = sessionId)] session_id: &str) {
        self.engine.suppressed(&SessionId::from(session_id));
    }

    /// Takes all messages in which the host gave a session's model its hand-written instructions, oldest first.
    pub fn instruct(&self, #[wasm_bindgen(js_name = sessionId)] session_id: &str, messages: &str) {
        self.engine.instruct(&SessionId::from(session_id), messages);
    }

    /// Returns whether anything waits for the human in a session's scope and no card is open.
    #[wasm_bindgen(js_name = hasQuestions)]
    pub fn has_questions(&self, #[wasm_bindgen(js_name = sessionId)] session_id: &str) -> bool {
        self.engine.has_questions(&SessionId::from(session_id))
    }

    /// Returns the question to ask the human now, if one is due: at the end of a turn, or `beforeStep` while the model
    /// waits. Its place is held until `answer`. Value: `Question`, or null.
    pub fn question(
        &self,
        #[wasm_bindgen(js_name = sessionId)] session_id: &str,
        #[wasm_bindgen(js_name = beforeStep)] before_step: bool,
    ) -> Job {
        let session = SessionId::from(session_id);
        let when = if before_step {
            When::PreStep
        } else {
            When::TurnEnd
        };
        self.job(0, move |engine, ports| async move {
            to_js(&engine.question(ports.ports(), &session, when).await)
        })
    }

    /// Notes that the card stands before the human: it counts as asked.
    #[wasm_bindgen(js_name = questionShown)]
    pub fn question_shown(&self, token: u32) -> Job {
        self.job(0, move |engine, ports| async move {
            engine.question_shown(ports.ports(), token).await;
            JsValue::UNDEFINED
        })
    }

    /// Takes the answer to a question: the label chosen or a text of one's own, or in `ended` why there is none:
    /// `timeout` or the host's code. Value: the outcome, as the ledger calls it.
    pub fn answer(&self, token: u32, selected: &str, custom: &str, ended: &str) -> Job {
        let answered = Answered {
            selected: selected.to_owned(),
            custom: custom.to_owned(),
            ended: ended.to_owned(),
        };
        self.job(0, move |engine, ports| async move {
            JsValue::from_str(&engine.answer(ports.ports(), token, &answered).await)
        })
    }

    /// Returns the first event of a session that was not read.
    #[wasm_bindgen(js_name = readPosition)]
    pub fn read_position(&self, #[wasm_bindgen(js_name = sessionId)] session_id: &str) -> f64 {
        self.engine.read_position(&SessionId::from(session_id)).0 as f64
    }

    /// Reads a turn, `Turn` as UTF-8 JSON, within `writeTimeoutMs`. Value: `Learned`.
    pub fn learn(&self, turn: &[u8]) -> Job {
        let turn: Result<Turn, String> =
            serde_json::from_slice(turn).map_err(|error| error.to_string());
        let deadline_ms = self.engine.config().write_timeout_ms;
        self.job(deadline_ms, move |engine, ports| async move {
            match turn {
                Ok(turn) => {
                    fault::strike(&turn, ports.ports()).await;
                    let learned = engine.learn(ports.ports(), turn).await;
                    to_js(&learned)
                }
                Err(reason) => {
                    engine.note("turn-unreadable", &reason);
                    error_value("bad-input", &reason)
                }
            }
        })
    }

    /// Restates what was kept, by the host's model. Nobody waits for it. Value: how many memories have a form now.
    pub fn normalise(&self, #[wasm_bindgen(js_name = sessionId)] session_id: &str) -> Job {
        let session = SessionId::from(session_id);
        self.job(0, move |engine, ports| async move {
            let done = engine.normalise(ports.ports(), &session).await;
            JsValue::from_f64(done as f64)
        })
    }

    /// Answers `memory_search`. Value: `Reply`.
    pub fn search(
        &self,
        args: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Call")] call: JsValue,
    ) -> Job {
        self.tool(args, call, |engine, ports, args, call| async move {
            engine.search(ports.ports(), &args, &call).await
        })
    }

    /// Answers `memory_write`. Value: `Reply`.
    pub fn write(
        &self,
        args: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Call")] call: JsValue,
    ) -> Job {
        self.tool(args, call, |engine, ports, args, call| async move {
            engine.write(ports.ports(), &args, &call).await
        })
    }

    /// Answers `memory_forget`. Value: `Reply`.
    pub fn forget(
        &self,
        args: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Call")] call: JsValue,
    ) -> Job {
        self.tool(args, call, |engine, ports, args, call| async move {
            engine.forget(ports.ports(), &args, &call).await
        })
    }

    /// Carries out what a person typed, `/memory` and the command line alike: `Typed` as UTF-8 JSON. Value: `CommandReply`.
    pub fn command(&self, typed: &[u8]) -> Job {
        let typed: Result<Typed, String> =
            serde_json::from_slice(typed).map_err(|error| error.to_string());
        self.job(0, move |engine, ports| async move {
            match typed {
                Ok(typed) => to_js(&engine.command(ports.ports(), &typed).await),
                Err(reason) => error_value("bad-input", &reason),
            }
        })
    }

    /// Returns the next question that waits in a session's scope, because the human asked to see it. Value: `Question`, or null.
    pub fn review(&self, #[wasm_bindgen(js_name = sessionId)] session_id: &str) -> Job {
        let session = SessionId::from(session_id);
        self.job(0, move |engine, ports| async move {
            to_js(&engine.question(ports.ports(), &session, When::Review).await)
        })
    }

    /// Queues a `degraded` row from the shim: what was given up, and why.
    pub fn note(&self, cause: &str, detail: &str) {
        self.engine.note(cause, detail);
    }

    /// Returns the state of this process's memory.
    #[wasm_bindgen(unchecked_return_type = "Health")]
    pub fn health(&self) -> JsValue {
        to_js(&self.engine.health())
    }

    /// Writes what waits and a checkpoint. Value: undefined.
    pub fn close(&self) -> Job {
        self.job(CLOSE_DEADLINE_MS, |engine, ports| async move {
            engine.close(ports.ports()).await;
            JsValue::UNDEFINED
        })
    }
}

/// The host gives a disposed plugin 5 s (its own exit grace); a second stays for the shim.
const CLOSE_DEADLINE_MS: u32 = 4_000;

impl Core {
    fn job<F, W>(&self, deadline_ms: u32, work: F) -> Job
    where
        F: FnOnce(Rc<Engine>, Rc<JobPorts>) -> W,
        W: Future<Output = JsValue> + 'static,
    {
        let mailbox = Rc::new(Mailbox::default());
        let ports = Rc::new(JobPorts {
            mailbox: mailbox.clone(),
            host: self.host.clone(),
        });
        Job::new(mailbox, work(self.engine.clone(), ports), deadline_ms)
    }

    fn tool<F, W>(&self, args: JsValue, call: JsValue, work: F) -> Job
    where
        F: FnOnce(Rc<Engine>, Rc<JobPorts>, serde_json::Value, Call) -> W + 'static,
        W: Future<Output = serde_json::Value> + 'static,
    {
        self.job(0, move |engine, ports| async move {
            // Arguments the model made up may have any shape; what is no JSON reads as nothing and is refused by name.
            let args = from_js(args).unwrap_or(serde_json::Value::Null);
            match from_js::<Call>(call) {
                Ok(call) => to_js(&work(engine, ports, args, call).await),
                Err(problem) => problem,
            }
        })
    }
}

/// Panics on request, in a build for tests only (`--features fault`, never shipped).
mod fault {
    use crate::port::Ports;
    use crate::turn::Turn;

    #[cfg(not(feature = "fault"))]
    pub(super) async fn strike(_: &Turn, _: Ports<'_>) {}

    /// Panics before the turn's first port request when the human said `panic-before-port`, after it for `panic-after-port`.
    #[cfg(feature = "fault")]
    #[allow(clippy::panic)]
    pub(super) async fn strike(turn: &Turn, ports: Ports<'_>) {
        use crate::turn::TurnEvent;
        let said = |word: &str| {
            turn.events
                .iter()
                .any(|event| matches!(event, TurnEvent::Human(human) if human.text.contains(word)))
        };
        if said("panic-before-port") {
            panic!("forced before a port was asked");
        }
        if said("panic-after-port") {
            let answered = ports.files.real_path(&turn.session.cwd).await;
            panic!("forced after a port answered {}", answered.is_ok());
        }
    }
}

fn event_seq(number: f64) -> EventSeq {
    // A saturating cast: a negative number or NaN is 0.
    EventSeq(number as u64)
}

/// Reads a value that crossed. Through JSON: the reader of bytes is compiled already, one of JavaScript objects would be another for every type.
fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    let read = || -> Result<T, String> {
        let value: serde_json::Value =
            serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())?;
        let bytes = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    };
    read().map_err(|reason| error_value("bad-input", &reason))
}

/// A value that says what was wrong with the input.
fn error_value(code: &str, message: &str) -> JsValue {
    to_js(&serde_json::json!({ "error": { "code": code, "message": message } }))
}

/// Plain objects, no Map, no BigInt: the host demands lossless JSON.
fn to_js<T: Serialize>(value: &T) -> JsValue {
    serde_json::to_vec(value)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .and_then(|text| js_sys::JSON::parse(&text).ok())
        .unwrap_or(JsValue::NULL)
}
