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

/// Questions to the host and their answers, by number.
#[derive(Default)]
pub(super) struct Mailbox {
    /// What was not handed out yet: a few at most.
    requests: RefCell<Vec<(u32, JsValue)>>,
    answers: RefCell<Vec<(u32, JsValue)>>,
    /// The numbers of what was handed out and is not answered.
    open: RefCell<Vec<u32>>,
    last: Cell<u32>,
    pub(super) ended: Rc<Cell<bool>>,
}

impl Mailbox {
    /// Puts a request out; ready when `resume` brought the answer.
    pub(super) fn ask(&self, request: JsValue) -> Asked<'_> {
        Asked {
            mailbox: self,
            request: Some(request),
            number: 0,
        }
    }
}

impl Mailbox {
    /// Hands out the next request.
    fn next(&self) -> JsValue {
        let mut requests = self.requests.borrow_mut();
        let mut open = self.open.borrow_mut();
        if requests.is_empty() {
            if open.is_empty() {
                // The work waits for another job of this process. Come back soon: nobody waits for this answer.
                return request("clock.sleep", &[("ms", JsValue::from(1))]);
            }
            return request("wait", &[]);
        }
        let (number, next) = requests.remove(0);
        open.push(number);
        // Setting a property of a fresh plain object cannot fail.
        let _ = Reflect::set(&next, &"number".into(), &number.into());
        let _ = Reflect::set(&next, &"more".into(), &(!requests.is_empty()).into());
        next
    }
}

/// A request that waits for its answer.
pub(super) struct Asked<'a> {
    mailbox: &'a Mailbox,
    request: Option<JsValue>,
    /// From 1; 0 until it was asked.
    number: u32,
}

impl Future for Asked<'_> {
    type Output = JsValue;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<JsValue> {
        let mailbox = self.mailbox;
        if let Some(request) = self.request.take() {
            self.number = mailbox.last.get() + 1;
            mailbox.last.set(self.number);
            let mut requests = mailbox.requests.borrow_mut();
            requests.push((self.number, request));
            return Poll::Pending;
        }
        let mut answers = mailbox.answers.borrow_mut();
        match answers
            .iter()
            .position(|(number, _)| *number == self.number)
        {
            Some(at) => Poll::Ready(answers.swap_remove(at).1),
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
    /// Continues the work, with the answer to the request of that `number` if one is there; without a number to the one asked first. Returns the next
    /// request to a port, or `{ op: 'done', value }`; after that only `done` without a value.
    ///
    /// A request with `more` has another behind it: `resume` without an answer brings that. `wait`: nothing new is asked until one of
    /// those that are open is answered.
    pub fn resume(&mut self, answer: JsValue, number: Option<u32>) -> JsValue {
        if !answer.is_undefined() {
            let mut open = self.mailbox.open.borrow_mut();
            let at = open.iter().position(|known| Some(*known) == number);
            let at = at.unwrap_or(0);
            if at < open.len() {
                let number = open.remove(at);
                self.mailbox.answers.borrow_mut().push((number, answer));
            }
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
            Poll::Pending => self.mailbox.next(),
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
