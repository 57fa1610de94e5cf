//! Numbers with what they count, and the names of natural languages, written one way.

use super::words;

/// Reads digits with an optional measure: `30`, `v1.2`, `3500ms`, `22.19+`.
pub(super) fn number(lower: &str) -> Option<(String, &'static str)> {
    let body = lower
        .trim_start_matches(['v', '<', '>', '=', '^', '~', '≤', '≥'])
        .trim_end_matches(['+', 'x', '.']);
    let digits = body
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(body.len());
    let (head, tail) = body.split_at(digits);
    if !head.starts_with(|c: char| c.is_ascii_digit()) || head.ends_with('.') {
        return None;
    }
    if tail.is_empty() {
        return Some((head.to_owned(), ""));
    }
    words::is_measure(tail).then(|| (amount(head, tail), dimension(tail)))
}

/// Reads a Chinese number that a measure follows.
pub(super) fn chinese_number(rest: &str) -> Option<(String, usize)> {
    const DIGITS: &str = "零一二三四五六七八九";
    let (mut total, mut digit, mut length) = (0u32, None, 0usize);
    for c in rest.chars() {
        if let Some(at) = DIGITS.chars().position(|known| known == c) {
            digit = Some(at as u32);
        } else if c == '两' {
            digit = Some(2);
        } else {
            let scale = match c {
                '十' => 10,
                '百' => 100,
                '千' => 1_000,
                _ => break,
            };
            total = total.saturating_add(digit.take().unwrap_or(1) * scale);
        }
        length += c.len_utf8();
    }
    let value = total.saturating_add(digit.unwrap_or(0));
    let (measure, _) = measure_at(rest.get(length..)?)?;
    // "一个" is an article more often than an amount.
    (length > 0 && (value > 1 || measure == "time")).then(|| (value.to_string(), length))
}

/// Returns the measure at the beginning of a text: its dimension, and the word.
pub(super) fn measure_at(rest: &str) -> Option<(&'static str, &str)> {
    (1..=2).rev().find_map(|n_chars| {
        let end = rest
            .char_indices()
            .nth(n_chars)
            .map_or(rest.len(), |(at, _)| at);
        let word = rest.get(..end).filter(|word| !word.is_ascii())?;
        words::is_measure(word).then(|| (dimension(word), word))
    })
}

/// Milliseconds of a measure of time.
fn milliseconds(measure: &str) -> Option<f64> {
    Some(match measure {
        "ms" | "毫秒" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "秒钟" => 1e3,
        "min" | "mins" | "minute" | "minutes" | "分钟" => 6e4,
        "h" | "hour" | "hours" | "小时" => 3.6e6,
        "day" | "days" | "天" | "日" => 8.64e7,
        "week" | "weeks" | "周" => 6.048e8,
        _ => return None,
    })
}

/// Returns a number in its measure's smallest unit.
pub(super) fn amount(number: &str, measure: &str) -> String {
    match (number.parse::<f64>(), milliseconds(measure)) {
        (Ok(number), Some(ms)) => (number * ms).round().to_string(),
        _ => number.to_owned(),
    }
}

/// What a measure measures; two numbers of two dimensions are about two things.
pub(super) fn dimension(measure: &str) -> &'static str {
    if milliseconds(measure).is_some()
        || matches!(
            measure,
            "个月" | "month" | "months" | "年" | "year" | "years"
        )
    {
        return "time";
    }
    match measure {
        "行" | "line" | "lines" => "lines",
        "次" | "遍" | "times" | "retries" | "attempts" | "轮" => "times",
        "人" | "位" | "名" | "reviewers" | "approvals" => "people",
        "mb" | "gb" | "kb" | "tb" | "m" | "g" | "k" => "bytes",
        "px" | "rem" | "em" => "pixels",
        "字" | "字符" | "char" | "chars" | "characters" | "列" | "columns" => "characters",
        "空格" | "spaces" => "spaces",
        "%" => "percent",
        _ => "things",
    }
}

/// Names a natural language once.
pub(super) fn language(word: &str) -> &'static str {
    match word {
        "中文" | "汉语" | "chinese" | "mandarin" | "简体" | "简体中文" => "zh",
        "英文" | "英语" | "english" => "en",
        "日文" | "日语" | "japanese" => "ja",
        "韩文" | "korean" => "ko",
        "繁体" | "繁体中文" => "zh-hant",
        "双语" => "both",
        "french" => "fr",
        "german" => "de",
        "spanish" => "es",
        _ => "other",
    }
}
