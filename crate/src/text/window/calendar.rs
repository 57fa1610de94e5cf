//! Days, weeks and months on one wall clock, counted in minutes since its 1970-01-01 00:00.

use crate::text::day::{civil, days_from_civil};

/// Minutes of a day.
pub(super) const DAY: i64 = 1_440;
/// How far ahead a day without a year may begin to hold: later ones were meant as past.
const FROM_AHEAD_MAX: i64 = 183 * DAY;
/// A range is no longer than this: past it one end was misread.
const RANGE_MAX: i64 = 5 * 366 * DAY;

/// Which year a month without one belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Year {
    /// The first in which it is not over.
    Coming,
    Fixed(i64),
    /// Years after the present one.
    Ahead(i64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Hour,
    Day,
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
}

/// A stretch of days somebody can name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    /// Days after today.
    Day(i64),
    /// 0 is Monday. Without a week the first one that is not over; otherwise weeks after this one.
    Weekday {
        day: i64,
        week: Option<i64>,
    },
    /// English "next Friday" is read only where both its readings are one day.
    NextWeekday(i64),
    Date {
        year: Year,
        month: i64,
        day: i64,
    },
    /// In the month that many after this one, or the first in which it is not over.
    DayOfMonth {
        day: i64,
        ahead: Option<i64>,
    },
    /// `count` months from `first` on: a month, a quarter, a half, a year.
    Months {
        year: Year,
        first: i64,
        count: i64,
    },
    /// That many units after the present one. Weeks begin on Monday.
    Period {
        unit: Unit,
        ahead: i64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Edge {
    Whole,
    Start,
    End,
}

/// A day or period, its beginning or end, or a time of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// None for a bare time of day.
    pub(super) anchor: Option<Anchor>,
    pub(super) edge: Edge,
    /// Minutes after the day's midnight.
    pub(super) time: Option<i64>,
}

impl Point {
    pub(super) fn of(anchor: Anchor) -> Self {
        Self {
            anchor: Some(anchor),
            edge: Edge::Whole,
            time: None,
        }
    }

    pub(super) fn at(self, edge: Edge) -> Self {
        Self { edge, ..self }
    }

    /// Whether this says when only together with something else: a time without a day.
    pub(super) fn is_bare_time(&self) -> bool {
        self.anchor.is_none()
    }

    pub(super) fn is_day(&self) -> bool {
        let is_period = matches!(
            self.anchor,
            None | Some(Anchor::Months { .. } | Anchor::Period { .. })
        );
        !is_period
    }

    fn is_any_week(&self) -> bool {
        matches!(self.anchor, Some(Anchor::Weekday { week: None, .. }))
    }

    fn is_year(&self) -> bool {
        matches!(self.anchor, Some(Anchor::Months { count: 12, .. })) && self.edge == Edge::Whole
    }
}

/// How a rule holds around a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bound {
    Before,
    Until,
    Through,
    From,
    After,
    During,
}

/// What a phrase says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found {
    One(Bound, Point),
    Range(Point, Point),
    /// From now on for that many units.
    Ahead(i64, Unit),
}

/// Half open, `start == end` for an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    start: i64,
    end: i64,
    is_period: bool,
}

/// First minute at which a rule holds, first at which it no longer does.
pub(super) type Limits = (Option<i64>, Option<i64>);

/// The moment of speaking, in minutes on the speaker's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now(pub(super) i64);

impl Now {
    /// Returns when what was found holds, or none when that is past or cannot be told.
    pub(super) fn limits(self, found: Found) -> Option<Limits> {
        match found {
            Found::One(bound, point) => self.bound(bound, &point),
            Found::Range(first, last) => self.range(&first, &last),
            Found::Ahead(count, unit) => self.ahead(count, unit).map(|until| (None, Some(until))),
        }
    }

    fn bound(self, bound: Bound, point: &Point) -> Option<Limits> {
        let year_matters = matches!(bound, Bound::From | Bound::After | Bound::During);
        if year_matters && point.is_year() && bound != Bound::During {
            return None;
        }
        let span = (0..=1)
            .filter_map(|turn| self.span(point, turn))
            .find(|span| span.end > self.0)?;
        let until = |at: i64| (at > self.0).then_some((None, Some(at)));
        let from = |at: i64| {
            let ahead = at - self.0;
            (ahead > 0 && ahead <= FROM_AHEAD_MAX).then_some((Some(at), None))
        };
        match bound {
            Bound::Before => until(span.start),
            Bound::Until if span.is_period && span.start > self.0 => until(span.start),
            Bound::Until | Bound::Through => until(span.end),
            Bound::From => from(span.start),
            Bound::After => from(span.end),
            Bound::During => Some(((span.start > self.0).then_some(span.start), Some(span.end))),
        }
    }

    fn range(self, first: &Point, last: &Point) -> Option<Limits> {
        // Two days of any week, two times of any day: said of every week, or a change of a number.
        let is_open =
            |point: &Point| point.is_any_week() || point.is_bare_time() || point.is_year();
        if is_open(first) {
            return None;
        }
        let (start, end) = (-1..=1).find_map(|turn| {
            let begin = self.span(first, turn)?;
            let close = match last.anchor {
                Some(Anchor::Weekday { day, week: None }) => {
                    let first_day = begin.start.div_euclid(DAY);
                    let at = first_day + (day - weekday(first_day)).rem_euclid(7);
                    whole(at, last.time)
                }
                _ => {
                    let same = self.span(last, turn).filter(|span| span.end > begin.start);
                    same.or_else(|| self.span(last, turn + 1))?
                }
            };
            // A beginning without a year is the one next to its end.
            let length_max = if self.comes_again(first) {
                366 * DAY
            } else {
                RANGE_MAX
            };
            let is_one = close.end > begin.start && close.end - begin.start <= length_max;
            (close.end > self.0 && is_one).then_some((begin.start, close.end))
        })?;
        Some(((start > self.0).then_some(start), Some(end)))
    }

    fn comes_again(self, point: &Point) -> bool {
        self.span(point, 1).is_some()
    }

    /// Through the last of the days that were named; hours are exact.
    fn ahead(self, count: i64, unit: Unit) -> Option<i64> {
        let today = self.0.div_euclid(DAY);
        let (year, month, day) = civil(today);
        let last = match unit {
            Unit::Hour => return Some(self.0 + count * 60),
            Unit::Day => today + count,
            Unit::Week => today + count * 7,
            Unit::Month => date_or_last(year, month + count, day),
            Unit::Year => date_or_last(year + count, month, day),
            Unit::Weekend | Unit::Quarter => return None,
        };
        Some((last + 1) * DAY)
    }

    /// `turn` is which of those that come again: this year's, next year's.
    fn span(self, point: &Point, turn: i64) -> Option<Span> {
        let Some(anchor) = point.anchor else {
            let at = self.0.div_euclid(DAY) * DAY + point.time?;
            let at = if at > self.0 { at } else { at + DAY };
            return (turn == 0).then_some(Span {
                start: at,
                end: at,
                is_period: false,
            });
        };
        let span = self.named(anchor, turn)?;
        let instant = |at: i64| Span {
            start: at,
            end: at,
            is_period: false,
        };
        Some(match (point.edge, point.time) {
            (Edge::Start, _) => instant(span.start),
            (Edge::End, _) => instant(span.end),
            (Edge::Whole, Some(time)) if !span.is_period => instant(span.start + time),
            (Edge::Whole, Some(_)) => return None,
            (Edge::Whole, None) => span,
        })
    }

    fn named(self, anchor: Anchor, turn: i64) -> Option<Span> {
        let today = self.0.div_euclid(DAY);
        let (year, month, _) = civil(today);
        let monday = today - weekday(today);
        let once = |span: Span| (turn == 0).then_some(span);
        let of_year = |of: Year| match of {
            Year::Coming => Some(year + turn),
            Year::Fixed(year) => (turn == 0).then_some(year),
            Year::Ahead(ahead) => (turn == 0).then_some(year + ahead),
        };
        match anchor {
            Anchor::Day(ahead) => once(whole(today + ahead, None)),
            Anchor::Weekday { day, week: None } => {
                let ahead = (day - weekday(today)).rem_euclid(7);
                Some(whole(today + ahead + 7 * turn, None))
            }
            Anchor::Weekday { day, week } => once(whole(monday + day + 7 * week?, None)),
            Anchor::NextWeekday(day) if day <= weekday(today) => {
                once(whole(monday + 7 + day, None))
            }
            Anchor::NextWeekday(_) => None,
            Anchor::Date { year, month, day } => {
                Some(whole(date(of_year(year)?, month, day)?, None))
            }
            Anchor::DayOfMonth { day, ahead: None } => {
                Some(whole(date(year, month + turn, day)?, None))
            }
            Anchor::DayOfMonth { day, ahead } => {
                once(whole(date(year, month + ahead?, day)?, None))
            }
            Anchor::Months { year, first, count } => {
                let year = of_year(year)?;
                months(year, first, count)
            }
            Anchor::Period { unit, ahead } => once(match unit {
                Unit::Hour => return None,
                Unit::Day => whole(today + ahead, None),
                Unit::Week => days(monday + 7 * ahead, 7),
                Unit::Weekend => days(monday + 5 + 7 * ahead, 2),
                Unit::Month => months(year, month + ahead, 1)?,
                Unit::Quarter => months(year, (month - 1).div_euclid(3) * 3 + 1 + 3 * ahead, 3)?,
                Unit::Year => months(year + ahead, 1, 12)?,
            }),
        }
    }
}

/// 0 is Monday; the first day of the epoch was a Thursday.
fn weekday(day: i64) -> i64 {
    (day + 3).rem_euclid(7)
}

fn whole(day: i64, time: Option<i64>) -> Span {
    match time {
        Some(time) => Span {
            start: day * DAY + time,
            end: day * DAY + time,
            is_period: false,
        },
        None => Span {
            start: day * DAY,
            end: (day + 1) * DAY,
            is_period: false,
        },
    }
}

fn days(first: i64, count: i64) -> Span {
    Span {
        start: first * DAY,
        end: (first + count) * DAY,
        is_period: true,
    }
}

/// A month past the twelfth is the next year's.
fn months(year: i64, first: i64, count: i64) -> Option<Span> {
    let start = date(year, first, 1)?;
    let end = date(year, first + count, 1)?;
    Some(days(start, end - start))
}

/// The day since the epoch, none when the calendar has no such day.
fn date(year: i64, month: i64, day: i64) -> Option<i64> {
    let (year, month) = (
        year + (month - 1).div_euclid(12),
        (month - 1).rem_euclid(12) + 1,
    );
    let at = days_from_civil(year, month, day);
    (civil(at) == (year, month, day)).then_some(at)
}

/// As [`date`], the month's last day in place of one it does not have.
fn date_or_last(year: i64, month: i64, day: i64) -> i64 {
    (0..4)
        .find_map(|back| date(year, month, day - back))
        .unwrap_or(0)
}
