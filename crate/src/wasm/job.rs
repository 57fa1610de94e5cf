//! A job: an ordinary async block, polled by hand, whose ports are answered from outside.
//!
//! Exports are synchronous because a panic after an await in an async export is an uncaught exception that ends the
//! host (`docs/DESIGN.md`, failure). Here a panic arrives at the caller of `resume` as an exception it can catch.

use gloo_timers::callback::Timeout;
use js_sys::{Object, Reflect};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use wasm_bindgen::prelude::*;

/// One question to the host at a time, and its answer.
#[derive(Default)]
pub(super) struct Mailbox {
    request: RefCell<Option<JsValue>>,
    answer: RefCell<Option<JsValue>>,
    pub(super) ended: Rc<Cell<bool>>,
}

impl Mailbox {
    /// Puts a request out; ready when `resume` brought the answer.
    pub(super) fn ask(&self, request: JsValue) -> Asked<'_> {
        Asked {
            mailbox: self,
            request: Some(request),
        }
    }
}

/// A request that waits for its answer.
pub(super) struct Asked<'a> {
    mailbox: &'a Mailbox,
    request: Option<JsValue>,
}

impl Future for Asked<'_> {
    type Output = JsValue;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<JsValue> {
        if let Some(request) = self.request.take() {
            *self.mailbox.request.borrow_mut() = Some(request);
            return Poll::Pending;
        }
        match self.mailbox.answer.borrow_mut().take() {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        }
    }
}

/// Work in progress. Call `resume` with no argument first, then with each answer, until the step's `op` is `done`.
#[wasm_bindgen]
pub struct Job {
    mailbox: Rc<Mailbox>,
    work: Option<Pin<Box<dyn Future<Output = JsValue>>>>,
    deadline: Option<Timeout>,
}

impl Job {
    /// Begins `work`; `deadline_ms` of 0 sets no deadline.
    pub(super) fn new(
        mailbox: Rc<Mailbox>,
        work: impl Future<Output = JsValue> + 'static,
        deadline_ms: u32,
    ) -> Self {
        let ended = mailbox.ended.clone();
        let deadline =
            (deadline_ms > 0).then(|| Timeout::new(deadline_ms, move || ended.set(true)));
        Self {
            mailbox,
            work: Some(Box::pin(work)),
            deadline,
        }
    }
}

#[wasm_bindgen]
impl Job {
    /// Continues the work. Returns the next request to a port, or `{ op: 'done', value }`; after that only `done` without a value.
    pub fn resume(&mut self, answer: JsValue) -> JsValue {
        if !answer.is_undefined() {
            *self.mailbox.answer.borrow_mut() = Some(answer);
        }
        let Some(work) = self.work.as_mut() else {
            return done(JsValue::UNDEFINED);
        };
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => {
                self.work = None;
                self.deadline = None;
                done(value)
            }
            Poll::Pending => match self.mailbox.request.borrow_mut().take() {
                Some(request) => request,
                // Nothing was asked: the work waits for another job of this process. Come back soon.
                None => request("clock.sleep", &[("ms", JsValue::from(1))]),
            },
        }
    }

    /// Ends the work: nothing more is published by it. Its next step may still release a lock.
    pub fn end(&self) {
        self.mailbox.ended.set(true);
    }
}

fn done(value: JsValue) -> JsValue {
    request("done", &[("value", value)])
}

/// Builds a plain object `{ op, … }`.
pub(super) fn request(op: &str, fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    // Setting a property of a fresh plain object cannot fail.
    let _ = Reflect::set(&object, &"op".into(), &op.into());
    for (name, value) in fields {
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}
