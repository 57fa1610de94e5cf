//! Windows in Chinese.

use super::calendar::{Anchor, Bound, DAY, Edge, Found, Point, Unit, Year};
use super::is_open_to_past;

/// Before a point: it ends there, or begins there.
const UNTILS: [&str; 6] = ["直到", "截止到", "截至", "截止", "到", "至"];
const FROMS: [&str; 3] = ["自从", "从", "自"];
/// Behind a point, with what may not follow: then the sign begins another word.
const BEHIND: [(&str, Bound, &str); 13] = [
    ("之前", Bound::Before, ""),
    ("以前", Bound::Before, ""),
    ("前", Bound::Before, "端台面后缀置提往者"),
    ("为止", Bound::Through, ""),
    ("起", Bound::From, "草来飞"),
    ("开始", Bound::From, ""),
    ("之后", Bound::After, ""),
    ("以后", Bound::After, ""),
    ("后", Bound::After, "端台面缀续来门期"),
    ("之内", Bound::During, ""),
    ("以内", Bound::During, ""),
    ("内", Bound::During, "部存网核容置"),
    ("期间", Bound::During, ""),
];
const BETWEEN: [&str; 6] = ["到", "至", "~", "～", "-", "–"];
const AHEADS: [&str; 5] = ["接下来", "未来", "今后", "往后", "后面"];
const COUNTED: [(&str, Unit); 9] = [
    ("小时", Unit::Hour),
    ("天", Unit::Day),
    ("日", Unit::Day),
    ("周", Unit::Week),
    ("星期", Unit::Week),
    ("礼拜", Unit::Week),
    ("个月", Unit::Month),
    ("月", Unit::Month),
    ("年", Unit::Year),
];
const DAYS: [(&str, i64); 7] = [
    ("大后天", 3),
    ("后天", 2),
    ("明天", 1),
    ("明日", 1),
    ("明早", 1),
    ("今天", 0),
    ("今日", 0),
];
const EVENINGS: [(&str, i64); 2] = [("今晚", 0), ("明晚", 1)];
const WEEK_WORDS: [&str; 3] = ["星期", "礼拜", "周"];
/// Which week, month: the longer first.
const AHEAD_OF: [(&str, i64); 7] = [
    ("下下个", 2),
    ("下下", 2),
    ("下个", 1),
    ("下", 1),
    ("这个", 0),
    ("这", 0),
    ("本", 0),
];
const YEARS_AHEAD: [(&str, i64); 4] = [("今年", 0), ("本年", 0), ("明年", 1), ("后年", 2)];
/// Halves of a day, and what they add to an hour before noon.
const HALVES: [(&str, i64); 11] = [
    ("凌晨", 0),
    ("清晨", 0),
    ("早上", 0),
    ("早晨", 0),
    ("上午", 0),
    ("早", 0),
    ("中午", 12),
    ("下午", 12),
    ("傍晚", 12),
    ("晚上", 12),
    ("晚", 12),
];
/// After 今天: an order bound to the day.
const TODAY_ONLY: [&str; 9] = [
    "先", "别", "不要", "不准", "不许", "不能", "禁止", "一律", "都",
];
const ONLY_TODAY: [&str; 3] = ["只在今天", "仅今天", "仅限今天"];
const RECURRING: [&str; 16] = [
    "每天",
    "每日",
    "每周",
    "每个星期",
    "每星期",
    "每个礼拜",
    "每月",
    "每个月",
    "每年",
    "每季度",
    "每晚",
    "每早",
    "周报",
    "日报",
    "月报",
    "逢",
];
const PAST: [&str; 8] = [
    "已经",
    "刚刚",
    "当时",
    "去年",
    "上周",
    "上个月",
    "昨天",
    "前天",
];
const DIGITS: &str = "〇一二三四五六七八九";

/// Returns the windows in a text, none when it speaks of what recurs.
pub(super) fn find(text: &str) -> Option<Vec<Found>> {
    let signs = Signs::of(text);
    let all: String = signs.0.iter().collect();
    if RECURRING.iter().any(|word| all.contains(word)) {
        return None;
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < signs.0.len() {
        match signs.phrase(at) {
            Some((one, next)) => {
                found.push(one);
                at = next;
            }
            // What is no window as a whole is none in its parts.
            None => at = signs.point(at).map_or(at + 1, |(_, next)| next),
        }
    }
    if PAST.iter().any(|word| all.contains(word)) {
        found.retain(|one| !is_open_to_past(one));
    }
    Some(found)
}

/// The text's characters without spaces, in half width.
struct Signs(Vec<char>);

impl Signs {
    fn of(text: &str) -> Self {
        let half = |c: char| match c {
            '０'..='９' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
            '：' => ':',
            '／' => '/',
            '两' => '二',
            '零' => '〇',
            _ => c.to_ascii_lowercase(),
        };
        let signs = text.chars().filter(|c| !c.is_whitespace());
        Self(signs.map(half).collect())
    }

    fn sign(&self, at: usize) -> char {
        self.0.get(at).copied().unwrap_or('\0')
    }

    /// Returns where `word` ends when it stands at `at`.
    fn after(&self, at: usize, word: &str) -> Option<usize> {
        let mut end = at;
        for c in word.chars() {
            if self.sign(end) != c {
                return None;
            }
            end += 1;
        }
        Some(end)
    }

    fn any<T: Copy>(&self, at: usize, table: &[(&str, T)]) -> Option<(T, usize)> {
        table
            .iter()
            .find_map(|(word, value)| Some((*value, self.after(at, word)?)))
    }

    fn one_of(&self, at: usize, words: &[&str]) -> Option<usize> {
        words.iter().find_map(|word| self.after(at, word))
    }

    fn stands_before(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| {
            let start = at.checked_sub(word.chars().count());
            start.is_some_and(|start| self.after(start, word) == Some(at))
        })
    }

    fn phrase(&self, at: usize) -> Option<(Found, usize)> {
        if let Some(next) = self.one_of(at, &AHEADS) {
            let next = self.after(next, "的").unwrap_or(next);
            let (count, next) = self.number(next)?;
            let next = match self.after(next, "个") {
                Some(after) if self.sign(after) != '月' => after,
                _ => next,
            };
            let (unit, next) = self.any(next, &COUNTED)?;
            return Some((Found::Ahead(count, unit), next));
        }
        if let Some(next) = self.one_of(at, &ONLY_TODAY) {
            return Some((Found::One(Bound::During, Point::of(Anchor::Day(0))), next));
        }
        let (point, end) = self.point(at)?;
        let has_from = self.stands_before(at, &FROMS);
        if let Some(next) = self.one_of(end, &BETWEEN)
            && let Some((last, next)) = self.last(point, next)
        {
            let by_hours = point.is_bare_time() || last.is_bare_time();
            return (!by_hours).then_some((Found::Range(point, last), next));
        }
        let behind = BEHIND.iter().find_map(|(word, bound, other)| {
            let next = self.after(end, word)?;
            (!other.contains(self.sign(next))).then_some((*bound, next))
        });
        let has_until = self.stands_before(at, &UNTILS);
        let (bound, next) = match behind {
            Some((Bound::After, next)) if has_from => (Bound::From, next),
            Some(found) => found,
            // 「到三月的数据」 speaks of the data.
            None if self.sign(end) == '的' => return None,
            None if has_until => (Bound::Until, end),
            None if has_from => (Bound::From, end),
            None => (Bound::During, end),
        };
        let is_period = matches!(point.anchor, Some(Anchor::Period { .. }));
        let is_said = match point.anchor {
            None => has_until && bound != Bound::Before,
            // A day or a month by itself says when something happens, not how long a rule holds.
            _ if behind.is_none() && bound == Bound::During => {
                let today_only = self.one_of(end, &TODAY_ONLY).is_some();
                let is_today = point == Point::of(Anchor::Day(0)) && today_only;
                (is_period && point.edge == Edge::Whole) || is_today
            }
            _ => bound != Bound::During || point.edge == Edge::Whole,
        };
        is_said.then_some((Found::One(bound, point), next))
    }

    /// The end of a range, which takes year, month or week of its beginning where it has none.
    fn last(&self, first: Point, at: usize) -> Option<(Point, usize)> {
        let (mut last, next) = self.point(at)?;
        last.anchor = match (first.anchor, last.anchor?) {
            (Some(Anchor::Date { year, month, .. }), Anchor::DayOfMonth { day, ahead: None }) => {
                Some(Anchor::Date { year, month, day })
            }
            (Some(Anchor::DayOfMonth { ahead, .. }), Anchor::DayOfMonth { day, ahead: None }) => {
                Some(Anchor::DayOfMonth { day, ahead })
            }
            (
                Some(Anchor::Months { year, .. }),
                Anchor::Months {
                    year: Year::Coming,
                    first,
                    count,
                },
            ) => Some(Anchor::Months { year, first, count }),
            (
                Some(Anchor::Date { year, .. }),
                Anchor::Date {
                    year: Year::Coming,
                    month,
                    day,
                },
            ) => Some(Anchor::Date { year, month, day }),
            (Some(Anchor::Weekday { week, .. }), Anchor::Weekday { day, week: None }) => {
                Some(Anchor::Weekday { day, week })
            }
            (_, anchor) => Some(anchor),
        };
        Some((last, next))
    }

    fn point(&self, at: usize) -> Option<(Point, usize)> {
        if let Some((ahead, next)) = self.any(at, &EVENINGS) {
            let (hour, next) = self.clock(next)?;
            let hour = if hour < 720 { hour + 720 } else { hour };
            let day = Point::of(Anchor::Day(ahead));
            return Some((
                Point {
                    time: Some(hour),
                    ..day
                },
                next,
            ));
        }
        let Some((day, next)) = self.day(at) else {
            let (time, next) = self.time(at)?;
            let bare = Point {
                anchor: None,
                edge: Edge::Whole,
                time: Some(time),
            };
            return Some((bare, next));
        };
        if !day.is_day() || day.edge != Edge::Whole {
            return Some((day, next));
        }
        let clock = self.after(next, "的").unwrap_or(next);
        match self.time(clock) {
            Some((time, next)) => Some((
                Point {
                    time: Some(time),
                    ..day
                },
                next,
            )),
            // 「明天三点」, of two: unread. 「明天上午」 is no point either.
            None if self.clock(clock).is_some() || self.any(clock, &HALVES).is_some() => None,
            None => Some((day, next)),
        }
    }

    /// Minutes after midnight, where it is clear which half of the day.
    fn time(&self, at: usize) -> Option<(i64, usize)> {
        if let Some((half, next)) = self.any(at, &HALVES) {
            let Some((clock, after)) = self.clock(next) else {
                return (self.after(at, "中午") == Some(next)).then_some((DAY / 2, next));
            };
            let is_noon = self.sign(at) == '中' && clock >= 660;
            let is_night = self.sign(at) == '晚' && clock / 60 == 12;
            let time = match clock / 60 {
                _ if is_night => clock + 720,
                12 => clock,
                _ if is_noon => clock,
                hour if hour < 12 => clock + half * 60,
                _ => clock,
            };
            return Some((time, after));
        }
        let (clock, next) = self.clock(at)?;
        let is_clear = clock >= 720 || self.sign(at + 1) == ':' || self.sign(at + 2) == ':';
        is_clear.then_some((clock, next))
    }

    /// `三点`, `三点半`, `3点20分`, `15:00`, as it is written.
    fn clock(&self, at: usize) -> Option<(i64, usize)> {
        let (hour, next) = self.number(at).filter(|found| found.0 <= 24)?;
        if let Some(after) = self.after(next, ":") {
            let (minute, end) = self.number(after).filter(|found| found.0 < 60)?;
            return (end == after + 2).then_some((hour * 60 + minute, end));
        }
        let next = self.one_of(next, &["点钟", "点整", "点", "时"])?;
        for (word, minute) in [("半", 30), ("一刻", 15), ("三刻", 45)] {
            if let Some(end) = self.after(next, word) {
                return Some((hour * 60 + minute, end));
            }
        }
        if let Some((minute, end)) = self.number(next).filter(|found| found.0 < 60)
            && let Some(end) = self.after(end, "分")
        {
            return Some((hour * 60 + minute, end));
        }
        Some((hour * 60, next))
    }

    fn day(&self, at: usize) -> Option<(Point, usize)> {
        let point = |anchor: Anchor, next: usize| Some((Point::of(anchor), next));
        if let Some((ahead, next)) = self.any(at, &DAYS) {
            // 「明早」 needs its hour.
            let next = if self.sign(next - 1) == '早' {
                next - 1
            } else {
                next
            };
            return point(Anchor::Day(ahead), next);
        }
        if let Some((ahead, next)) = self.any(at, &YEARS_AHEAD) {
            return self.of_year(Year::Ahead(ahead), next);
        }
        if let Some((ahead, next)) = self.any(at, &AHEAD_OF)
            && let Some(found) = self.period(ahead, next)
        {
            return Some(found);
        }
        if let Some(next) = self.one_of(at, &WEEK_WORDS) {
            let other = [
                '上', '每', '个', '一', '二', '三', '四', '五', '六', '几', '半', '本', '这', '下',
            ];
            let is_counted = at > 0
                && (other.contains(&self.sign(at - 1)) || self.sign(at - 1).is_ascii_digit());
            if is_counted {
                return None;
            }
            if self.sign(next) == '末' {
                return point(
                    Anchor::Period {
                        unit: Unit::Weekend,
                        ahead: 0,
                    },
                    next + 1,
                );
            }
            let (day, next) = self.weekday(next)?;
            return point(Anchor::Weekday { day, week: None }, next);
        }
        for (word, unit) in [
            ("月底", Unit::Month),
            ("月末", Unit::Month),
            ("年底", Unit::Year),
            ("年末", Unit::Year),
            ("季度末", Unit::Quarter),
            ("季度底", Unit::Quarter),
            ("季末", Unit::Quarter),
        ] {
            if let Some(next) = self.after(at, word) {
                return Some((
                    Point::of(Anchor::Period { unit, ahead: 0 }).at(Edge::End),
                    next,
                ));
            }
        }
        self.numeric(at)
    }

    /// What follows 本, 这个, 下个.
    fn period(&self, ahead: i64, at: usize) -> Option<(Point, usize)> {
        let of = |unit: Unit| Point::of(Anchor::Period { unit, ahead });
        if let Some(next) = self.one_of(at, &WEEK_WORDS) {
            if let Some((day, next)) = self.weekday(next) {
                return Some((
                    Point::of(Anchor::Weekday {
                        day,
                        week: Some(ahead),
                    }),
                    next,
                ));
            }
            return Some(match self.sign(next) {
                '末' => (of(Unit::Weekend), next + 1),
                _ => (of(Unit::Week), next),
            });
        }
        if let Some(next) = self.after(at, "季度") {
            return Some(self.or_end(of(Unit::Quarter), next));
        }
        let next = self.after(at, "月")?;
        if let Some((day, next)) = self.day_of_month(next) {
            let anchor = Anchor::DayOfMonth {
                day,
                ahead: Some(ahead),
            };
            return Some((Point::of(anchor), next));
        }
        self.is_vague(next)
            .then_some(())
            .map_or(Some(self.or_end(of(Unit::Month), next)), |()| None)
    }

    fn weekday(&self, at: usize) -> Option<(i64, usize)> {
        let day = match self.sign(at) {
            '日' | '天' | '7' => 6,
            digit @ '1'..='6' => i64::from(digit as u32 - '1' as u32),
            sign => {
                DIGITS
                    .chars()
                    .position(|digit| digit == sign)
                    .filter(|n| (1..=6).contains(n))? as i64
                    - 1
            }
        };
        // 「周一次」 counts.
        (self.sign(at + 1) != '次').then_some((day, at + 1))
    }

    /// `底` and `末` behind a period are its end.
    fn or_end(&self, point: Point, at: usize) -> (Point, usize) {
        match self.sign(at) {
            '底' | '末' => (point.at(Edge::End), at + 1),
            _ => (point, at),
        }
    }

    /// 「三月初」, 「三月中旬」: nobody can say which day.
    fn is_vague(&self, at: usize) -> bool {
        matches!(self.sign(at), '初' | '中' | '上' | '下')
    }

    /// `2026年`, `3月`, `3月5日`, `5号`, `第三季度`, `2026-12-01`.
    fn numeric(&self, at: usize) -> Option<(Point, usize)> {
        let before = at.checked_sub(1).map_or('\0', |at| self.sign(at));
        if before.is_ascii_digit() || DIGITS.contains(before) || before == '十' {
            return None;
        }
        let start = self.after(at, "第").unwrap_or(at);
        let start = self.after(start, "q").unwrap_or(start);
        let (number, next) = self.number(start)?;
        if (2_000..2_200).contains(&number) {
            let year = Year::Fixed(number);
            if let Some(next) = self.after(next, "年") {
                return self.of_year(year, next);
            }
            let sign = self.sign(next);
            let (month, next) = self
                .number(next + 1)
                .filter(|_| matches!(sign, '-' | '/'))?;
            let (day, end) = self.number(next + 1).filter(|_| self.sign(next) == sign)?;
            return Some((Point::of(Anchor::Date { year, month, day }), end));
        }
        if let Some(found) = self.months(Year::Coming, at) {
            return Some(found);
        }
        let (day, next) = self.day_of_month(at)?;
        Some((Point::of(Anchor::DayOfMonth { day, ahead: None }), next))
    }

    /// What follows a year: its end, a half, a quarter, a month, nothing.
    fn of_year(&self, year: Year, at: usize) -> Option<(Point, usize)> {
        let at = self.after(at, "度").unwrap_or(at);
        let whole = Point::of(match year {
            Year::Ahead(ahead) => Anchor::Period {
                unit: Unit::Year,
                ahead,
            },
            _ => Anchor::Months {
                year,
                first: 1,
                count: 12,
            },
        });
        if let Some(next) = self.one_of(at, &["年底", "年末", "底", "末"]) {
            return Some((whole.at(Edge::End), next));
        }
        if let Some(found) = self.months(year, at) {
            return Some(found);
        }
        (!self.is_vague(at)).then_some((whole, at))
    }

    fn months(&self, year: Year, at: usize) -> Option<(Point, usize)> {
        let of = |first: i64, count: i64| Point::of(Anchor::Months { year, first, count });
        for (word, first) in [("上半年", 1), ("下半年", 7)] {
            if let Some(next) = self.after(at, word) {
                return Some(self.or_end(of(first, 6), next));
            }
        }
        let start = self.after(at, "第").unwrap_or(at);
        if let Some(next) = self.after(start, "q") {
            let (quarter, next) = self
                .number(next)
                .filter(|found| (1..=4).contains(&found.0))?;
            return Some(self.or_end(of(quarter * 3 - 2, 3), next));
        }
        let (number, next) = self.number(start)?;
        if let Some(next) = self.after(next, "季度") {
            let first = (1..=4).contains(&number).then_some(number * 3 - 2)?;
            return Some(self.or_end(of(first, 3), next));
        }
        // `1-3月`: the first of two months says its name with the second.
        let is_month = (1..=12).contains(&number) && start == at;
        let next = match self.after(next, "月").filter(|_| is_month) {
            Some(next) => self.after(next, "份").unwrap_or(next),
            None => {
                let between = self.one_of(next, &BETWEEN).filter(|_| is_month)?;
                let (last, end) = self.number(between)?;
                let both = self.sign(end) == '月' && (1..=12).contains(&last);
                return both.then_some((of(number, 1), next));
            }
        };
        if let Some((day, next)) = self.day_of_month(next) {
            let anchor = Anchor::Date {
                year,
                month: number,
                day,
            };
            return Some((Point::of(anchor), next));
        }
        (!self.is_vague(next)).then(|| self.or_end(of(number, 1), next))
    }

    fn day_of_month(&self, at: usize) -> Option<(i64, usize)> {
        let (day, next) = self
            .number(at)
            .filter(|found| (1..=31).contains(&found.0))?;
        Some((day, self.one_of(next, &["日", "号"])?))
    }

    /// A number in digits, at most four, or in words up to 99.
    fn number(&self, at: usize) -> Option<(i64, usize)> {
        let digits = self
            .0
            .iter()
            .skip(at)
            .take_while(|c| c.is_ascii_digit())
            .count();
        if digits > 0 {
            let text: String = self.0.iter().skip(at).take(digits).collect();
            return Some((text.parse().ok().filter(|_| digits <= 4)?, at + digits));
        }
        let digit = |at: usize| {
            let place = DIGITS.chars().position(|digit| digit == self.sign(at));
            place.map(|value| value as i64)
        };
        let (tens, next) = match (digit(at), self.sign(at)) {
            (_, '十') => (1, at),
            (Some(tens), _) if self.sign(at + 1) == '十' => (tens, at + 1),
            (Some(value), _) => return Some((value, at + 1)),
            _ => return None,
        };
        let ones = digit(next + 1);
        Some((
            tens * 10 + ones.unwrap_or(0),
            next + 1 + usize::from(ones.is_some()),
        ))
    }
}
