//! In-memory ports for tests: files that can stop at every byte, a clock that waits for nobody, counted randomness.
//!
//! Compiled on native targets only, so the plugin never ships them.

mod disk;
mod network;

pub use disk::{Disk, Fault, Loss, MemoryFiles, Moment, Operation};
pub use network::{Network, Offline};

use crate::memory::Millis;
use crate::port::{Answer, Clock, Random};
use std::cell::Cell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// Runs one future to its end, polling it until it is ready.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Runs one future and returns its value if it never had to wait.
///
/// This is how the plugin mounts: the host's `apply` is synchronous.
pub fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Runs several futures together. `pick` chooses, from how many still run, which one is polled next; returns the values in the order given.
pub fn run_together<'a, T>(
    futures: Vec<Pin<Box<dyn Future<Output = T> + 'a>>>,
    mut pick: impl FnMut(usize) -> usize,
) -> Vec<T> {
    let mut context = Context::from_waker(Waker::noop());
    let mut running: Vec<_> = futures.into_iter().enumerate().collect();
    let mut done: Vec<(usize, T)> = Vec::new();
    while !running.is_empty() {
        let chosen = pick(running.len()) % running.len();
        if let Some((number, future)) = running.get_mut(chosen)
            && let Poll::Ready(value) = future.as_mut().poll(&mut context)
        {
            done.push((*number, value));
            drop(running.remove(chosen));
        }
    }
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, value)| value).collect()
}

/// Gives way once, so that another future of [`run_together`] can run.
pub async fn give_way() {
    let mut given = false;
    std::future::poll_fn(|_| {
        if given {
            Poll::Ready(())
        } else {
            given = true;
            Poll::Pending
        }
    })
    .await;
}

/// A clock that stands still until someone sleeps or sets it.
#[derive(Debug)]
pub struct FakeClock {
    /// Milliseconds since the epoch.
    pub now_ms: Cell<i64>,
    /// Minutes to add to UTC for local time.
    pub offset_minutes: Cell<i32>,
}

impl FakeClock {
    /// Returns a clock that stands at `now_ms`, in UTC.
    pub fn at(now_ms: i64) -> Self {
        Self {
            now_ms: Cell::new(now_ms),
            offset_minutes: Cell::new(0),
        }
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Millis {
        Millis(self.now_ms.get())
    }

    fn offset_minutes(&self, _at: Millis) -> i32 {
        self.offset_minutes.get()
    }

    /// Knows fixed zones of the form `Etc/GMT-8`, which is eight hours ahead of UTC.
    fn offset_in_zone(&self, zone: &str, at: Millis) -> i32 {
        let hours = zone.strip_prefix("Etc/GMT");
        match hours.and_then(|hours| hours.parse::<i32>().ok()) {
            Some(hours) => -60 * hours,
            None => self.offset_minutes(at),
        }
    }

    /// Moves the clock on by `ms` and gives way once.
    fn sleep(&self, ms: u32) -> Answer<'_, ()> {
        Box::pin(async move {
            let until = self.now_ms.get() + i64::from(ms);
            give_way().await;
            // Others may have slept meanwhile: time is shared, so it only moves to the later end.
            self.now_ms.set(self.now_ms.get().max(until));
        })
    }
}

/// Random bytes from a counter: the same on every run.
#[derive(Debug)]
pub struct FakeRandom {
    state: Cell<u64>,
}

impl FakeRandom {
    /// Returns a generator that starts from `seed`.
    pub fn from_seed(seed: u64) -> Self {
        Self {
            state: Cell::new(seed),
        }
    }

    /// Returns the next number.
    ///
    /// # Source
    /// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    pub fn next(&self) -> u64 {
        let state = self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.state.set(state);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Random for FakeRandom {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            for (to, from) in chunk.iter_mut().zip(self.next().to_le_bytes()) {
                *to = from;
            }
        }
    }
}
