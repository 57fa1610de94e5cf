//! Days as people write them.

const DAY_MS: i64 = 86_400_000;

/// Returns the day of `at_ms`, milliseconds since the epoch, on a clock `offset_minutes` ahead of UTC, as `2026-09-29`.
pub fn local(at_ms: i64, offset_minutes: i32) -> String {
    let local_ms = at_ms.saturating_add(i64::from(offset_minutes) * 60_000);
    let (year, month, day) = civil(local_ms.div_euclid(DAY_MS));
    format!("{year:04}-{month:02}-{day:02}")
}

/// As [`local`], with the minute: `2026-09-29 15:00`.
pub fn minute(at_ms: i64, offset_minutes: i32) -> String {
    let local_ms = at_ms.saturating_add(i64::from(offset_minutes) * 60_000);
    let minutes = local_ms.div_euclid(60_000).rem_euclid(1_440);
    let day = local(at_ms, offset_minutes);
    format!("{day} {:02}:{:02}", minutes / 60, minutes % 60)
}

/// Returns the first millisecond of a day written `2026-09-29`, UTC, or none when it is no day of the calendar.
pub fn parse(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let mut number = |width: usize| -> Option<i64> {
        let part = parts.next()?;
        let digits = part.len() == width && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    if parts.next().is_some() {
        return None;
    }
    let days = days_from_civil(year, month, day);
    (civil(days) == (year, month, day)).then(|| days * DAY_MS)
}

/// Days since 1970-01-01 of a proleptic Gregorian date.
///
/// # Source
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`], same source.
pub(super) fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_the_local_day() {
        // 2026-11-30 16:30 UTC is half past midnight of the next day, eight hours ahead.
        let at = 1_796_056_200_000;
        assert_eq!(local(at, 0), "2026-11-30");
        assert_eq!(local(at, 480), "2026-12-01");
        assert_eq!(local(at, -420), "2026-11-30");
        assert_eq!(local(-1, 0), "1969-12-31");
    }

    #[test]
    fn only_days_of_the_calendar_are_read() {
        assert_eq!(parse("1970-01-02"), Some(DAY_MS));
        for wrong in ["2026-02-30", "2026-2-3", "20260203", "2026-13-01", "x", ""] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(
            parse("2024-02-29").map(|at| local(at, 0)).as_deref(),
            Some("2024-02-29")
        );
    }
}
