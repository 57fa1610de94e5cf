//! Windows in English.

use super::calendar::{Anchor, Bound, Edge, Found, Point, Unit, Year};
use super::is_open_to_past;

/// Words before a point, the longer first.
const BOUNDS: [(&[&str], Bound); 19] = [
    (&["up", "to", "and", "including"], Bound::Through),
    (&["no", "later", "than"], Bound::Until),
    (&["not", "later", "than"], Bound::Until),
    (&["starting", "from"], Bound::From),
    (&["starting", "on"], Bound::From),
    (&["beginning", "on"], Bound::From),
    (&["effective", "from"], Bound::From),
    (&["prior", "to"], Bound::Before),
    (&["as", "of"], Bound::From),
    (&["until"], Bound::Until),
    (&["till"], Bound::Until),
    (&["through"], Bound::Through),
    (&["before"], Bound::Before),
    (&["by"], Bound::Until),
    (&["starting"], Bound::From),
    (&["from"], Bound::From),
    (&["after"], Bound::After),
    (&["during"], Bound::During),
    (&["throughout"], Bound::During),
];
/// Words before a number of units from now on.
const AHEADS: [&[&str]; 5] = [
    &["for", "the", "next"],
    &["over", "the", "next"],
    &["during", "the", "next"],
    &["for", "the", "coming"],
    &["over", "the", "coming"],
];
const RESTS: [&[&str]; 3] = [
    &["for", "the", "rest", "of"],
    &["for", "the", "remainder", "of"],
    &["for", "all", "of"],
];
const TODAYS: [&[&str]; 4] = [
    &["for", "today"],
    &["today", "only"],
    &["only", "today"],
    &["just", "today"],
];
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon"],
    &["tuesday", "tue", "tues"],
    &["wednesday", "wed"],
    &["thursday", "thu", "thur", "thurs"],
    &["friday", "fri"],
    &["saturday", "sat"],
    &["sunday", "sun"],
];
const MONTHS: [&[&str]; 12] = [
    &["january", "jan"],
    &["february", "feb"],
    &["march", "mar"],
    &["april", "apr"],
    &["may"],
    &["june", "jun"],
    &["july", "jul"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct"],
    &["november", "nov"],
    &["december", "dec"],
];
const UNITS: [(&str, Unit); 6] = [
    ("day", Unit::Day),
    ("week", Unit::Week),
    ("weekend", Unit::Weekend),
    ("month", Unit::Month),
    ("quarter", Unit::Quarter),
    ("year", Unit::Year),
];
const COUNTED: [(&str, Unit); 10] = [
    ("hour", Unit::Hour),
    ("hours", Unit::Hour),
    ("day", Unit::Day),
    ("days", Unit::Day),
    ("week", Unit::Week),
    ("weeks", Unit::Week),
    ("month", Unit::Month),
    ("months", Unit::Month),
    ("year", Unit::Year),
    ("years", Unit::Year),
];
const ENDS: [(&str, Unit); 5] = [
    ("eod", Unit::Day),
    ("eow", Unit::Week),
    ("eom", Unit::Month),
    ("eoq", Unit::Quarter),
    ("eoy", Unit::Year),
];
const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];
/// A zone of its own makes a time another instant than the speaker's.
const ZONES: [&str; 15] = [
    "utc", "gmt", "pst", "pdt", "est", "edt", "cst", "cdt", "mst", "mdt", "cet", "cest", "bst",
    "ist", "jst",
];
/// Said of every week or day: no window.
const RECURRING: [&str; 8] = [
    "daily",
    "nightly",
    "weekly",
    "biweekly",
    "monthly",
    "yearly",
    "annually",
    "recurring",
];
const RECURS: [&str; 2] = ["every", "each"];
const PAST: [&str; 8] = [
    "was",
    "were",
    "had",
    "did",
    "ago",
    "yesterday",
    "previously",
    "last",
];
const SUBJECTS: [&str; 7] = ["i", "we", "they", "he", "she", "it", "you"];
/// Years ahead that a bare number can mean.
const YEARS: std::ops::Range<i64> = 2_000..2_200;

/// Returns the windows in a text, none when it speaks of what recurs.
pub(super) fn find(text: &str) -> Option<Vec<Found>> {
    let words = Words::of(text);
    if words.recurs() {
        return None;
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.0.len() {
        match words.phrase(at) {
            Some((one, next)) => {
                found.push(one);
                at = next;
            }
            None => at += 1,
        }
    }
    if words.is_past() {
        found.retain(|one| !is_open_to_past(one));
    }
    Some(found)
}

/// Lower-case words, numbers and single signs.
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Self {
        let lower = text
            .to_lowercase()
            .replace("p.m.", "pm")
            .replace("a.m.", "am");
        let mut words: Vec<String> = Vec::new();
        let mut last = 's';
        for c in lower.chars() {
            let kind = match c {
                '0'..='9' => '0',
                'a'..='z' | '\'' | '’' => 'a',
                c if c.is_whitespace() => ' ',
                _ => 's',
            };
            if kind == last && matches!(kind, '0' | 'a') {
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            } else if kind != ' ' {
                words.push(c.to_string());
            }
            last = kind;
        }
        Self(words)
    }

    fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", String::as_str)
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    fn number(&self, at: usize) -> Option<i64> {
        self.word(at).parse().ok()
    }

    /// Returns where `words` end when they stand at `at`.
    fn after(&self, at: usize, words: &[&str]) -> Option<usize> {
        let all = words.iter().enumerate();
        all.into_iter()
            .all(|(i, word)| self.word(at + i) == *word)
            .then_some(at + words.len())
    }

    fn any(&self, at: usize, phrases: &[&[&str]]) -> Option<usize> {
        phrases.iter().find_map(|words| self.after(at, words))
    }

    fn recurs(&self) -> bool {
        self.0.iter().enumerate().any(|(at, word)| {
            let day = |word: &str| row(&WEEKDAYS, word).is_some() || unit(word).is_some();
            let plural = word
                .strip_suffix('s')
                .is_some_and(|one| one.ends_with("day") && day(one));
            let rest = self.word(at + 1);
            RECURRING.contains(&word.as_str())
                || (plural && word != "days")
                || (RECURS.contains(&word.as_str())
                    && (day(rest) || ["morning", "evening", "night"].contains(&rest)))
        })
    }

    fn is_past(&self) -> bool {
        self.0.iter().enumerate().any(|(at, word)| {
            let told =
                SUBJECTS.contains(&self.before(at)) && word.len() > 3 && word.ends_with("ed");
            PAST.contains(&word.as_str()) || told
        })
    }

    fn phrase(&self, at: usize) -> Option<(Found, usize)> {
        if let Some(next) = self.any(at, &AHEADS) {
            let (count, next) = self.count(next)?;
            let unit = COUNTED.iter().find(|row| row.0 == self.word(next))?.1;
            return Some((Found::Ahead(count, unit), next + 1));
        }
        if let Some(next) = self.any(at, &RESTS) {
            let next = self.any(next, &[&["the"], &["this"]]).unwrap_or(next);
            let unit = unit(self.word(next))?;
            let point = Point::of(Anchor::Period { unit, ahead: 0 });
            return Some((Found::One(Bound::During, point), next + 1));
        }
        if let Some(next) = self.any(at, &TODAYS) {
            return Some((Found::One(Bound::During, Point::of(Anchor::Day(0))), next));
        }
        if self.word(at) == "between" {
            let (first, next) = self.point(at + 1)?;
            let (last, next) = self.last(first, self.after(next, &["and"])?)?;
            return Some((Found::Range(first, last), next));
        }
        let bound = BOUNDS
            .iter()
            .find_map(|(words, bound)| self.after(at, words).map(|next| (words, *bound, next)));
        if let Some((words, bound, next)) = bound {
            let (point, end) = self.point(next)?;
            if *words == ["from"] || words.first() == Some(&"starting") {
                let to = ["to", "until", "till", "through", "-", "–"];
                if to.contains(&self.word(end))
                    && let Some((last, end)) = self.last(point, end + 1)
                {
                    return Some((Found::Range(point, last), end));
                }
            }
            let is_sure = match bound {
                _ if *words == ["by"] || words.last() == Some(&"than") => {
                    point.is_day() || point.edge == Edge::End
                }
                Bound::Until => true,
                _ => !point.is_bare_time(),
            };
            return is_sure.then_some((Found::One(bound, point), end));
        }
        self.alone(at)
    }

    /// "this week", "next month" by themselves.
    fn alone(&self, at: usize) -> Option<(Found, usize)> {
        let ahead = match self.word(at) {
            "this" => 0,
            "next" => 1,
            _ => return None,
        };
        let unit = unit(self.word(at + 1)).filter(|unit| *unit != Unit::Day)?;
        let said = ["of", "since", "until", "before", "after", "the"].contains(&self.before(at));
        let point = Point::of(Anchor::Period { unit, ahead });
        (!said).then_some((Found::One(Bound::During, point), at + 2))
    }

    /// The end of a range; a number alone is a day of the month the range began in.
    fn last(&self, first: Point, at: usize) -> Option<(Point, usize)> {
        if let Some(found) = self.point(at) {
            return Some(found);
        }
        let (day, next) = self.ordinal(at)?;
        let Some(Anchor::Date { year, month, .. }) = first.anchor else {
            return None;
        };
        Some((Point::of(Anchor::Date { year, month, day }), next))
    }

    fn count(&self, at: usize) -> Option<(i64, usize)> {
        if COUNTED.iter().any(|row| row.0 == self.word(at)) {
            return Some((1, at));
        }
        let spelled = NUMBERS.iter().position(|word| *word == self.word(at));
        let count = self.number(at).or_else(|| Some(spelled? as i64 + 1))?;
        (1..=1_000).contains(&count).then_some((count, at + 1))
    }

    fn point(&self, at: usize) -> Option<(Point, usize)> {
        let (point, next) = match self.time(at) {
            Some((time, next)) => {
                let on = self.after(next, &["on"]).unwrap_or(next);
                match self.day(on) {
                    Some((day, next)) => (
                        Point {
                            time: Some(time),
                            ..day
                        },
                        next,
                    ),
                    None => (
                        Point {
                            anchor: None,
                            edge: Edge::Whole,
                            time: Some(time),
                        },
                        next,
                    ),
                }
            }
            None => {
                let (day, next) = self.day(at)?;
                let comma = self.after(next, &[","]).unwrap_or(next);
                let clock = self.after(comma, &["at"]).unwrap_or(comma);
                match self.time(clock) {
                    Some((time, next)) => (
                        Point {
                            time: Some(time),
                            ..day
                        },
                        next,
                    ),
                    // "tomorrow at 3", of two.
                    None if clock > comma => return None,
                    None => (day, next),
                }
            }
        };
        let timed_day = point.time.is_some() && point.anchor.is_some();
        // Whose midnight, of two.
        let is_midnight = timed_day && point.time == Some(super::DAY);
        let unclear = is_midnight || (timed_day && (point.edge != Edge::Whole || !point.is_day()));
        let foreign = point.time.is_some() && ZONES.contains(&self.word(next));
        (!unclear && !foreign).then_some((point, next))
    }

    /// Minutes after midnight.
    fn time(&self, at: usize) -> Option<(i64, usize)> {
        match self.word(at) {
            "noon" => return Some((720, at + 1)),
            "midnight" => return Some((super::DAY, at + 1)),
            _ => {}
        }
        let hour = self.number(at)?;
        let (minute, next) = if self.word(at + 1) == ":" && self.word(at + 2).len() == 2 {
            (Some(self.number(at + 2)?), at + 3)
        } else {
            (None, at + 1)
        };
        let half = match self.word(next) {
            "am" => Some(0),
            "pm" => Some(12),
            _ => None,
        };
        let in_hour = (0..60).contains(&minute.unwrap_or(0));
        match half {
            Some(half) if (1..=12).contains(&hour) && in_hour => {
                Some(((hour % 12 + half) * 60 + minute.unwrap_or(0), next + 1))
            }
            None if (0..24).contains(&hour) && in_hour => Some((hour * 60 + minute?, next)),
            _ => None,
        }
    }

    fn day(&self, at: usize) -> Option<(Point, usize)> {
        let at = self.after(at, &["the"]).unwrap_or(at);
        for (words, edge) in [
            (["end", "of"], Edge::End),
            (["start", "of"], Edge::Start),
            (["beginning", "of"], Edge::Start),
        ] {
            if let Some(next) = self.after(at, &words) {
                let next = self.after(next, &["the"]).unwrap_or(next);
                if let Some(unit) = unit(self.word(next)) {
                    let anchor = Anchor::Period { unit, ahead: 0 };
                    return Some((Point::of(anchor).at(edge), next + 1));
                }
                let (point, next) = self.whole(next)?;
                return Some((point.at(edge), next));
            }
        }
        self.whole(at)
    }

    fn whole(&self, at: usize) -> Option<(Point, usize)> {
        let point = |anchor: Anchor, next: usize| Some((Point::of(anchor), next));
        let word = self.word(at);
        if let Some((_, unit)) = ENDS.iter().find(|row| row.0 == word) {
            let anchor = Anchor::Period {
                unit: *unit,
                ahead: 0,
            };
            return Some((Point::of(anchor).at(Edge::End), at + 1));
        }
        if let Some(next) = self.after(at, &["day", "after", "tomorrow"]) {
            return point(Anchor::Day(2), next);
        }
        match word {
            "today" => return point(Anchor::Day(0), at + 1),
            "tomorrow" => return point(Anchor::Day(1), at + 1),
            "this" | "next" | "coming" => {
                let (word, next) = match self.word(at + 1) {
                    "coming" => ("coming", at + 2),
                    _ => (word, at + 1),
                };
                if let Some(day) = row(&WEEKDAYS, self.word(next)) {
                    let anchor = match word {
                        "this" => Anchor::Weekday { day, week: Some(0) },
                        "next" => Anchor::NextWeekday(day),
                        _ => Anchor::Weekday { day, week: None },
                    };
                    return point(anchor, next + 1);
                }
                let unit = unit(self.word(next))?;
                let ahead = i64::from(word == "next");
                return point(Anchor::Period { unit, ahead }, next + 1);
            }
            _ => {}
        }
        if let Some(day) = row(&WEEKDAYS, word) {
            return point(Anchor::Weekday { day, week: None }, at + 1);
        }
        if let Some(month) = row(&MONTHS, word) {
            return self.month(month + 1, at + 1);
        }
        if word == "q"
            && let Some(quarter @ 1..=4) = self.number(at + 1)
        {
            let (year, next) = self.year(at + 2);
            let first = quarter * 3 - 2;
            return point(
                Anchor::Months {
                    year,
                    first,
                    count: 3,
                },
                next,
            );
        }
        self.numeric(at)
    }

    /// `March`, `March 3`, `March 3rd, 2027`, `March 2027`.
    fn month(&self, month: i64, at: usize) -> Option<(Point, usize)> {
        let (anchor, next) = match self.ordinal(at) {
            Some((day, next)) => {
                let (year, next) = self.year(next);
                (Anchor::Date { year, month, day }, next)
            }
            None => {
                let (year, next) = self.year(at);
                (
                    Anchor::Months {
                        year,
                        first: month,
                        count: 1,
                    },
                    next,
                )
            }
        };
        Some((Point::of(anchor), next))
    }

    /// `2026-12-01`, `2026/12/01`, `3 March`, `2027`.
    fn numeric(&self, at: usize) -> Option<(Point, usize)> {
        let number = self.number(at)?;
        let is_year = YEARS.contains(&number) && self.word(at).len() == 4;
        let sign = self.word(at + 1);
        if is_year && ["-", "/"].contains(&sign) && self.word(at + 3) == sign {
            let year = Year::Fixed(number);
            let (month, day) = (self.number(at + 2)?, self.number(at + 4)?);
            return Some((Point::of(Anchor::Date { year, month, day }), at + 5));
        }
        if is_year {
            let year = Year::Fixed(number);
            return Some((
                Point::of(Anchor::Months {
                    year,
                    first: 1,
                    count: 12,
                }),
                at + 1,
            ));
        }
        let (day, next) = self.ordinal(at)?;
        let next = self.after(next, &["of"]).unwrap_or(next);
        let month = row(&MONTHS, self.word(next))? + 1;
        let (year, next) = self.year(next + 1);
        Some((Point::of(Anchor::Date { year, month, day }), next))
    }

    fn ordinal(&self, at: usize) -> Option<(i64, usize)> {
        let day = self.number(at).filter(|day| (1..=31).contains(day))?;
        let clock = self.word(at + 1) == ":" || ["am", "pm"].contains(&self.word(at + 1));
        let has_end = ["st", "nd", "rd", "th"].contains(&self.word(at + 1));
        (!clock).then_some((day, at + 1 + usize::from(has_end)))
    }

    fn year(&self, at: usize) -> (Year, usize) {
        let comma = self.after(at, &[","]).unwrap_or(at);
        match self.number(comma).filter(|year| YEARS.contains(year)) {
            Some(year) => (Year::Fixed(year), comma + 1),
            None => (Year::Coming, at),
        }
    }
}

fn row(table: &[&[&str]], word: &str) -> Option<i64> {
    let at = table.iter().position(|names| names.contains(&word))?;
    Some(at as i64)
}

fn unit(word: &str) -> Option<Unit> {
    UNITS.iter().find(|row| row.0 == word).map(|row| row.1)
}
