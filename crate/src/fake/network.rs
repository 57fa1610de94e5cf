//! Services that say what a test scripted, and remember what they were asked.

use super::{FakeClock, give_way};
use crate::error::{HttpError, LlmError};
use crate::port::{Answer, Clock, Http, HttpReply, HttpRequest, Llm, LlmReply, LlmRequest};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

type Script<Q, A, E> = Box<dyn FnMut(&Q) -> Result<A, E>>;

/// Both services of a job: no key, no route and no network until a test says otherwise.
pub struct Network {
    clock: Rc<FakeClock>,
    /// Where the key is found, or `none`.
    pub key: RefCell<String>,
    /// The default route, or an empty text.
    pub route: RefCell<String>,
    /// Milliseconds that pass before a reply; what takes longer than its request allows is a timeout.
    pub delay_ms: Cell<u32>,
    /// Every request that was sent.
    pub requests: RefCell<Vec<HttpRequest>>,
    /// Every call of the model.
    pub calls: RefCell<Vec<LlmRequest>>,
    http: RefCell<Script<HttpRequest, HttpReply, HttpError>>,
    llm: RefCell<Script<LlmRequest, LlmReply, LlmError>>,
}

impl Network {
    /// Returns services that nothing reaches.
    pub fn new(clock: Rc<FakeClock>) -> Self {
        let refused = || HttpError::Transport {
            message: "there is no network".to_owned(),
        };
        Self {
            clock,
            key: RefCell::new("none".to_owned()),
            route: RefCell::default(),
            delay_ms: Cell::new(0),
            requests: RefCell::default(),
            calls: RefCell::default(),
            http: RefCell::new(Box::new(move |_| Err(refused()))),
            llm: RefCell::new(Box::new(|_| Err(LlmError::NoRoute))),
        }
    }

    /// Answers requests by `script`, and has a key.
    pub fn replies(
        &self,
        script: impl FnMut(&HttpRequest) -> Result<HttpReply, HttpError> + 'static,
    ) {
        "service:env".clone_into(&mut self.key.borrow_mut());
        *self.http.borrow_mut() = Box::new(script);
    }

    /// Answers the model's calls by `script`, and has a route.
    pub fn says(&self, script: impl FnMut(&LlmRequest) -> Result<LlmReply, LlmError> + 'static) {
        "fake/model".clone_into(&mut self.route.borrow_mut());
        *self.llm.borrow_mut() = Box::new(script);
    }

    /// Lets the time of a request pass; returns whether it was in time.
    async fn passes(&self, timeout_ms: u32) -> bool {
        give_way().await;
        let takes = self.delay_ms.get();
        self.clock.sleep(takes.min(timeout_ms)).await;
        takes <= timeout_ms
    }
}

impl Http for Network {
    fn send(&self, request: HttpRequest) -> Answer<'_, Result<HttpReply, HttpError>> {
        Box::pin(async move {
            if *self.key.borrow() == "none" && !request.credential.is_empty() {
                return Err(HttpError::NoKey {
                    credential: request.credential,
                });
            }
            self.requests.borrow_mut().push(request.clone());
            let timeout_ms = request.timeout_ms;
            if !self.passes(timeout_ms).await {
                return Err(HttpError::Timeout { timeout_ms });
            }
            (self.http.borrow_mut())(&request)
        })
    }

    fn key<'a>(&'a self, _: &'a str, _: u32) -> Answer<'a, String> {
        Box::pin(async move { self.key.borrow().clone() })
    }
}

impl Llm for Network {
    fn generate(&self, request: LlmRequest) -> Answer<'_, Result<LlmReply, LlmError>> {
        Box::pin(async move {
            self.calls.borrow_mut().push(request.clone());
            let timeout_ms = request.timeout_ms;
            if !self.passes(timeout_ms).await {
                return Err(LlmError::Timeout { timeout_ms });
            }
            (self.llm.borrow_mut())(&request)
        })
    }

    fn route(&self) -> Answer<'_, String> {
        Box::pin(async move { self.route.borrow().clone() })
    }
}

/// Services that nothing reaches, for tests that need none.
pub struct Offline;

impl Http for Offline {
    fn send(&self, request: HttpRequest) -> Answer<'_, Result<HttpReply, HttpError>> {
        Box::pin(async move {
            Err(HttpError::NoKey {
                credential: request.credential,
            })
        })
    }

    fn key<'a>(&'a self, _: &'a str, _: u32) -> Answer<'a, String> {
        Box::pin(async { "none".to_owned() })
    }
}

impl Llm for Offline {
    fn generate(&self, _: LlmRequest) -> Answer<'_, Result<LlmReply, LlmError>> {
        Box::pin(async { Err(LlmError::NoRoute) })
    }

    fn route(&self) -> Answer<'_, String> {
        Box::pin(async { String::new() })
    }
}
