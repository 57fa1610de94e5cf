//! Decides whether a value beside a name is secret.

use super::name::{Class, Name};
use super::value::{
    Value, is_digest, is_expression, is_hex, is_mixed, is_random, is_stand_in, is_term, is_uuid,
    is_wordy, kinds,
};

/// Words behind a value by which it names a kind or a place and is no secret itself.
const KINDS: [&str; 15] = [
    "类型",
    "格式",
    "加密",
    "存储",
    "字段",
    "形式",
    "哈希",
    "算法",
    "编码",
    "签名",
    "里",
    "中",
    "文件",
    "环境变量",
    "变量",
];

/// Units behind a number.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "位", "个", "字", "次", "天", "分钟", "秒", "小时", "年", "月", "日", "号", "char", "digit", "letter", "day",
    "hour", "minute", "second", "time", "bit", "byte", "week", "month", "year", "ms",
];

/// Passwords that are words and that people leave in place.
#[rustfmt::skip]
const WEAK_PASSWORDS: &[&str] = &[
    "admin", "root", "postgres", "guest", "test", "demo", "qwerty", "letmein", "welcome", "changeit", "toor", "oracle",
    "mysql", "redis", "minio", "minioadmin", "rabbitmq", "elastic", "grafana", "nacos", "jenkins", "administrator",
    "iloveyou", "dragon", "monkey", "abc123", "passw0rd", "manager", "tomcat", "kibana", "system", "super",
];

/// Whether `value`, which a joint ties to `name`, is secret; `before` and `after` are the text around both.
///
/// A word stands for a password only where somebody clearly gives one: quoted, in the environment's style, in Chinese and
/// followed by nothing, or beside a user's name.
pub(super) fn accept(
    name: &Name,
    value: &Value<'_>,
    assigns: bool,
    before: &str,
    after: &str,
) -> bool {
    let text = value.text;
    if is_stand_in(text) || is_term(text) || text.starts_with("--") {
        return false;
    }
    if !value.is_quoted && (after.starts_with(['(', '[']) || is_expression(text)) {
        return false;
    }
    let kinds = kinds(text);
    let behind = after.trim_start_matches([' ', '"', '\'', '`']);
    // `8 位`, `8-16 characters`, `3600 秒`.
    if kinds.lower + kinds.upper == 0 && starts_with_any(behind, UNITS) {
        return false;
    }
    if starts_with_any(behind, &KINDS) && !is_random(text) {
        return false;
    }
    match name.class {
        Class::Password => {
            is_random(text)
                || is_mixed(text, if value.is_quoted || assigns { 4 } else { 5 })
                || kinds.digit == text.len() && text.len() >= 4
                || assigns && is_word_password(name, value, before, behind)
        }
        Class::Code => {
            let n_marks = text.bytes().filter(|b| b"-#*".contains(b)).count();
            kinds.digit >= 4
                && kinds.digit + n_marks == text.len()
                && kinds.digit <= 12
                && !is_day(text)
                || is_random(text)
                || is_mixed(text, 6) && !is_wordy(text) && kinds.digit >= 2 && kinds.other == 0
        }
        Class::Token => {
            is_random(text)
                || is_digest(text)
                || is_uuid(text)
                || is_hex(text) && text.len() >= 16 && kinds.digit > 0
                || is_mixed(text, 8) && !is_wordy(text) && (assigns || kinds.digit >= 2)
                || assigns
                    && is_mixed(text, 6)
                    && !is_wordy(text)
                    && kinds.digit >= 2
                    && kinds.other == 0
                || (value.is_quoted || name.is_env)
                    && assigns
                    && is_mixed(text, 10)
                    && kinds.digit > 0
                || assigns && is_grouped_letters(name, text)
                || assigns && is_word_secret(name, text)
        }
        Class::Count => {
            assigns
                && (is_random(text)
                    || is_mixed(text, 6) && kinds.lower + kinds.upper > 2 && !is_wordy(text))
        }
        Class::Weak => {
            let drawn =
                is_random(text) && text.len() >= 16 && (text.len() >= 32 || !text.contains('+'));
            (drawn || is_uuid(text) && assigns && !name.is_bare) && !is_digest(text)
        }
    }
}

fn starts_with_any(text: &str, words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| super::head(text, word.len()).eq_ignore_ascii_case(word))
}

fn is_word_password(name: &Name, value: &Value<'_>, before: &str, behind: &str) -> bool {
    let text = value.text;
    let is_word = text.len() >= 4
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-!@#".contains(&b));
    // `password = user_pass` hands a variable on.
    let is_variable = !value.is_quoted && !name.is_chinese && !name.is_env && text.contains('_');
    if !is_word || is_variable || is_sentence_case(text) {
        return false;
    }
    let ends = behind
        .chars()
        .next()
        .is_none_or(|c| "\n\r,;.。)}<-、!?|#&*".contains(c));
    value.is_quoted
        || name.is_env
        || ends
            && (name.is_chinese
                || name.is_flag
                || has_user(before)
                || WEAK_PASSWORDS.contains(&text))
}

/// Whether a user was named shortly before: `user: admin, password: …`, `账号 root 密码 …`.
pub(super) fn has_user(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    [
        "user", "login", "uid", "账号", "帐号", "账户", "用户", "admin", "root",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// `2024-01-02`
fn is_day(text: &str) -> bool {
    let mut parts = text.split('-').map(str::len);
    (parts.next(), parts.next(), parts.next(), parts.next()) == (Some(4), Some(2), Some(2), None)
}

/// `Required`, `Hunter`: a capital and the rest small reads as prose.
fn is_sentence_case(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().skip(1).all(|b| b.is_ascii_lowercase())
}

/// Sixteen small letters, the form of a mail provider's code for programs.
fn is_grouped_letters(name: &Name, text: &str) -> bool {
    name.is_chinese && text.len() == 16 && text.bytes().all(|b| b.is_ascii_lowercase())
}

/// A secret in the environment's style that is a plain word: `JWT_SECRET=…`.
fn is_word_secret(name: &Name, text: &str) -> bool {
    name.is_env
        && name.word.contains("secret")
        && text.len() >= 8
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-!@#$%^&*".contains(&b))
        && !is_sentence_case(text)
}
