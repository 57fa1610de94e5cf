//! Windows of time people say in a sentence: until when, from when, between when it holds.
//!
//! Read by rules, never guessed: what is ambiguous, recurs, is told of the past, or names a thing that is no date ("before the
//! release") gives no window. Weeks begin on Monday. "until" and "through" a day include it, "before" and 前 do not; "until" a
//! month or a week ends where that begins. A day without a year is the next one.

mod calendar;
mod chinese;
mod english;
#[cfg(test)]
mod tests;

use calendar::{Bound, DAY, Found, Limits, Now};

const MINUTE_MS: i64 = 60_000;

/// When a sentence holds, in milliseconds since the epoch. At least one side is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from_ms: Option<i64>,
    /// The first instant at which it no longer holds.
    pub until_ms: Option<i64>,
}

/// Reads the window a sentence says, none where it says none that can be told for sure.
///
/// `said_at_ms` is when it was said, milliseconds since the epoch. `offset_minutes` gives the minutes to add to UTC for the speaker's clock
/// at an instant, so that a change to or from daylight saving between now and then counts.
pub fn read(text: &str, said_at_ms: i64, offset_minutes: &dyn Fn(i64) -> i32) -> Option<Window> {
    let mut found = chinese::find(text)?;
    found.extend(english::find(text)?);
    let local_ms = said_at_ms + i64::from(offset_minutes(said_at_ms)) * MINUTE_MS;
    let now = Now(local_ms.div_euclid(MINUTE_MS));
    let (from, until) = together(now, &found)?;
    let instant = |minutes: i64| instant_of(minutes, offset_minutes);
    Some(Window {
        from_ms: from.map(instant),
        until_ms: until.map(instant),
    })
}

/// One phrase, or one that begins and one that ends; two of a kind that differ say nothing for sure.
fn together(now: Now, found: &[Found]) -> Option<Limits> {
    let mut limits: Limits = (None, None);
    for one in found {
        let (from, until) = now.limits(*one)?;
        for (slot, value) in [(&mut limits.0, from), (&mut limits.1, until)] {
            match (*slot, value) {
                (Some(known), Some(value)) if known != value => return None,
                (None, Some(_)) => *slot = value,
                _ => {}
            }
        }
    }
    match limits {
        (None, None) => None,
        (Some(from), Some(until)) if from >= until => None,
        _ => Some(limits),
    }
}

/// The instant of a time on the speaker's clock. One that a change skips is as long after the change; of one that comes twice it is the first.
///
/// # Source
/// RFC 5545, section 3.3.5, on local times that do not exist or exist twice.
fn instant_of(minutes: i64, offset_minutes: &dyn Fn(i64) -> i32) -> i64 {
    let local_ms = minutes * MINUTE_MS;
    let offset_ms = |at: i64| i64::from(offset_minutes(at)) * MINUTE_MS;
    let day_ms = DAY * MINUTE_MS;
    // The offsets before and after any change nearby.
    let (before, after) = (offset_ms(local_ms - day_ms), offset_ms(local_ms + day_ms));
    let fits = |offset: i64| offset_ms(local_ms - offset) == offset;
    let offset = [before, after].into_iter().find(|offset| fits(*offset));
    local_ms - offset.unwrap_or(before)
}

/// Whether what is told of the past leaves this unread: it would set limits to what holds for good.
fn is_open_to_past(found: &Found) -> bool {
    matches!(
        found,
        Found::Range(..) | Found::One(Bound::During | Bound::From | Bound::After, _)
    )
}
