//! The time a turn's end may take, and what of it is left.

use crate::memory::Millis;
use crate::port::Ports;

/// Milliseconds kept for the commit: a fifth of the whole, within these bounds.
///
/// # Source
/// `npm run bench`: a commit takes 3 to 10 ms on the reference machine; a slow disk or a lock held by another process may
/// take a hundred times that. Too little loses a turn's memories until the next turn; too much loses a slow judge's answer.
const RESERVE_MIN_MS: u32 = 20;
const RESERVE_MAX_MS: u32 = 400;

/// A span of time from a beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    began: Millis,
    total_ms: u32,
}

impl Budget {
    /// Begins a span of `total_ms`.
    pub(super) fn begin(ports: Ports<'_>, total_ms: u32) -> Self {
        Self {
            began: ports.clock.now(),
            total_ms,
        }
    }

    /// Returns what is left; nothing once the job was ended. A clock that went backwards counts as one that stood still.
    pub(super) fn left_ms(&self, ports: Ports<'_>) -> u32 {
        if ports.ended.get() {
            return 0;
        }
        let passed = ports.clock.now().0.saturating_sub(self.began.0).max(0);
        self.total_ms
            .saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX))
    }

    /// Returns how long it has run.
    pub(super) fn passed_ms(&self, ports: Ports<'_>) -> u32 {
        let passed = ports.clock.now().0.saturating_sub(self.began.0).max(0);
        u32::try_from(passed).unwrap_or(u32::MAX)
    }

    /// Returns the part that judges may use: the rest is the commit's.
    pub(super) fn for_judges(&self) -> Self {
        let reserve = (self.total_ms / 5).clamp(RESERVE_MIN_MS, RESERVE_MAX_MS);
        Self {
            began: self.began,
            total_ms: self.total_ms.saturating_sub(reserve),
        }
    }
}
