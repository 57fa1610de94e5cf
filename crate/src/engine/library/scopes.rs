//! Who decides when: a few scopes at a time, and in each scope one commit after the other.

use crate::memory::ScopeKey;
use crate::port::Ports;
use crate::text::sorted::Map;
use std::cell::{Cell, RefCell};

/// Scopes that are decided on at once. Source: the issue on versioned decisions, step 8.
const SCOPES_MAX: usize = 4;
/// Milliseconds between looks at a place that is taken: twice as long each time, up to the second number. A model takes seconds,
/// and a job has a limit of steps.
const WAIT_MS: u32 = 2;
const WAIT_MAX_MS: u32 = 100;

/// What all calls of this process share.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// How many calls each scope has under way.
    active: RefCell<Map<ScopeKey, u32>>,
    /// Who waits for a scope's turn, or has it, in order.
    queue: RefCell<Vec<(ScopeKey, u64)>>,
    next: Cell<u64>,
}

/// A place among the active scopes, given back when dropped.
pub(super) struct Room<'a>(&'a Scopes, ScopeKey);

/// A scope's turn, given back when dropped.
pub(super) struct Place<'a>(&'a Scopes, u64);

impl Drop for Room<'_> {
    fn drop(&mut self) {
        let mut active = self.0.active.borrow_mut();
        if let Some(n) = active.get_mut(&self.1) {
            *n -= 1;
            if *n == 0 {
                active.remove(&self.1);
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.queue.borrow_mut().retain(|entry| entry.1 != self.1);
    }
}

impl Scopes {
    /// Waits until `scope` may be decided on. Nothing once the job was ended.
    pub(super) async fn enter(&self, ports: Ports<'_>, scope: &ScopeKey) -> Option<Room<'_>> {
        let mut wait_ms = WAIT_MS;
        while !ports.ended.get() {
            if let Some(room) = self.room(scope) {
                return Some(room);
            }
            ports.clock.sleep(wait_ms).await;
            wait_ms = (wait_ms * 2).min(WAIT_MAX_MS);
        }
        None
    }

    fn room(&self, scope: &ScopeKey) -> Option<Room<'_>> {
        let mut active = self.active.borrow_mut();
        let fits = active.contains_key(scope) || active.len() < SCOPES_MAX;
        fits.then(|| {
            *active.or_default(scope.clone()) += 1;
            Room(self, scope.clone())
        })
    }

    /// Waits for the scope's turn, first come, first served. Nothing once the job was ended.
    pub(super) async fn turn(&self, ports: Ports<'_>, scope: &ScopeKey) -> Option<Place<'_>> {
        let ticket = self.next.get();
        self.next.set(ticket + 1);
        self.queue.borrow_mut().push((scope.clone(), ticket));
        let place = Place(self, ticket);
        let mut wait_ms = WAIT_MS;
        while !ports.ended.get() {
            let first = {
                let queue = self.queue.borrow();
                let mut mine = queue.iter().filter(|entry| entry.0 == *scope);
                mine.next().map(|entry| entry.1)
            };
            if first == Some(ticket) {
                return Some(place);
            }
            ports.clock.sleep(wait_ms).await;
            wait_ms = (wait_ms * 2).min(WAIT_MAX_MS);
        }
        None
    }
}
