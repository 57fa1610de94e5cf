//! Secrets somebody named: `export X_TOKEN=…`, `"password": "…"`, the key is …, 口令是…, … 作为密码.

use super::accept::{accept, has_user};
use super::name::{Class, Name, Row, name};
use super::tied::tied;
use super::value::{
    Value, is_digest, is_mixed, is_random, is_stand_in, is_term, is_uuid, is_wordy, kinds,
};
use super::{Found, Tries};

/// Between a Chinese word and its value: with one of these it speaks about something else.
#[rustfmt::skip]
const ASIDES: &[&str] = &[
    "长度", "框", "强度", "规则", "格式", "类型", "字段", "复杂", "加密", "有效", "过期", "算法", "位数", "次数", "错误",
    "重试", "校验", "哈希", "变量", "名", "路径", "文件", "前缀", "数量", "上限", "编号", "输入", "策略", "轮换", "权限",
    "页面", "接口", "管理", "模式", "登录", "存", "放", "不要", "禁止", "别", "用户", "用于", "用来", "从", "在", "走", "读",
    "统计",
];

/// Joints that assign.
#[rustfmt::skip]
const ASSIGNING: &[&str] = &[
    "===", "==", ":=", "=>", "->", "=", ":", "|", ">", "改成了", "改成", "改为", "换成", "设置为", "设置成", "设为", "设成",
    "等于", "就是", "还是", "默认是", "默认为", "统一是", "统一为", "统一用", "都是", "是", "为", "叫", "填", "写", "用",
];

/// Joints of English prose, behind a space: what they tie is a value less often.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "is set to ", "is now ", "is ", "was changed to ", "was ", "are ", "equals ", "should be ", "will be ", "changed to ",
    "to ", "as ",
];

/// Words behind an English name after which a joint may come later: `the password for staging is …`.
const BRIDGES: [&str; 14] = [
    "for", "of", "on", "to", "in", "i", "I", "we", "you", "here", "there", "below", "used", "that",
];

/// Joints before a name: `… is the password`, `用 … 作为密码`.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    " always the ", " always my ", " always our ", " still the ", " still my ", " still our ", " be the ", " be my ",
    " be our ", " stays the ", " remains the ", " for the ", " for our ", " for my ", " is the ", " is my ", " is our ", " is a ", " as the ", " as a ", " as our ", " as my ", " as ", "作为", "当作", "当做",
    "做为", "当", "是", "为", "这个",
];

/// Words between a value and such a joint: `… must always be the password`.
const LINKS: &[&str] = &[
    " is",
    " must",
    " always",
    " will",
    " should",
    " still",
    " shall",
    " has to",
    " needs to",
    "一律",
    "永远",
    "一直",
    "始终",
    "必须",
    "统一",
    "都",
    "仍然",
];

/// Bytes looked at on either side of a word.
const REACH_BYTES: usize = 96;
/// Bytes of a value.
const VALUE_BYTES: usize = 512;

/// Reads secrets beside a word that names them; what an earlier one has used is not read again.
#[derive(Default)]
pub(super) struct Scan {
    read_to: usize,
    tries: Tries,
}

impl Scan {
    /// Looks at the word of a row.
    pub(super) fn read(
        &mut self,
        text: &str,
        row: &Row,
        start: usize,
        end: usize,
        found: &mut Vec<Found>,
    ) {
        let Some(name) = name(text, start, end, row) else {
            return;
        };
        let before = before(text, name.start);
        let mut push = |span: Option<(usize, usize)>| {
            let (start, end) = span?;
            found.push(Found {
                rule: "named",
                start,
                end,
            });
            Some(end)
        };
        push(value_before(text, before, &name));
        if end < self.read_to || !self.tries.allow(name.start, run_end(text, name.end)) {
            return;
        }
        let behind = value_after(text, before, &name).or_else(|| tied(text, before, &name));
        if let Some(end) = push(behind) {
            self.read_to = end;
        }
    }
}

/// Returns where the run of characters behind a name ends. A pasted record of many fields is many runs.
fn run_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let is_run = |b: u8| b.is_ascii_graphic() && !b"\"'`,;&?{}()[]|".contains(&b);
    at + rest
        .iter()
        .take(VALUE_BYTES)
        .take_while(|&&b| is_run(b))
        .count()
}

/// Returns the text of the line before `at`, bounded.
fn before(text: &str, at: usize) -> &str {
    let from = text.get(..at).unwrap_or_default();
    let mut begin = from.len().saturating_sub(REACH_BYTES);
    while !from.is_char_boundary(begin) {
        begin += 1;
    }
    let near = from.get(begin..).unwrap_or_default();
    near.rsplit('\n').next().unwrap_or_default()
}

/// Finds a value behind a name.
fn value_after(text: &str, before: &str, name: &Name) -> Option<(usize, usize)> {
    let rest = super::head(text.get(name.end..)?, REACH_BYTES + VALUE_BYTES);
    let mut at = skip(rest, 0, |c| matches!(c, '"' | '\'' | '`' | ']' | ')' | '*'));
    // A remark in brackets: `密码（测试）：`.
    if let Some(inside) = rest
        .get(at..)
        .and_then(|rest| rest.trim_start().strip_prefix('('))
        && let Some(close) = inside.find(')').filter(|&close| close <= 40)
    {
        at = rest.len() - inside.len() + close + 1;
    }
    let spaced = skip(rest, at, |c| c == ' ' || c == '\t');
    let behind = |end: usize| rest.get(end..).unwrap_or_default();
    let span = |value: &Value<'_>| Some((name.end + value.span.start, name.end + value.span.end));
    if let Some((joint, assigns)) = joint(rest, spaced, spaced > at || name.is_chinese) {
        let (value, end) = value(rest, joint, assigns)?;
        if accept(name, &value, assigns, before, behind(end)) {
            return span(&value);
        }
        return pair(rest, before, name, end)
            .map(|(start, end)| (name.end + start, name.end + end));
    }
    if spaced > at {
        let (value, end) = value(rest, spaced, name.is_flag)?;
        if name.is_flag {
            return accept(name, &value, true, before, "")
                .then(|| span(&value))
                .flatten();
        }
        // `token abc…`: only what is clearly drawn at random, or a password with digits or a user beside its word.
        let is_password = name.class == Class::Password && name.is_chinese;
        // `WITH PASSWORD '…'` of SQL.
        if value.is_quoted
            && name.class == Class::Password
            && accept(name, &value, true, before, behind(end))
        {
            return span(&value);
        }
        let strong =
            is_random(value.text) || is_password && (is_mixed(value.text, 6) || has_user(before));
        if strong
            && accept(
                name,
                &value,
                is_password && has_user(before),
                before,
                behind(end),
            )
        {
            return span(&value);
        }
        if is_password && let Some((start, end)) = pair(rest, before, name, end) {
            return Some((name.end + start, name.end + end));
        }
    }
    far_value(rest, before, at, name)
}

/// The second of two: `账号密码是 admin / …`.
fn pair(rest: &str, before: &str, name: &Name, end: usize) -> Option<(usize, usize)> {
    let joined = before.trim_end_matches(['/', '、', '和', '与', ' ', '&', '+']);
    let is_pair = [
        "账号",
        "帐号",
        "账户",
        "用户名",
        "用户",
        "user",
        "username",
        "User",
        "Username",
    ]
    .iter()
    .any(|word| joined.ends_with(word));
    if name.class != Class::Password || !is_pair && name.word != "账密" {
        return None;
    }
    let at = skip(rest, end, |c| {
        matches!(c, ' ' | '/' | '、' | ',' | ':' | '和')
    });
    let (value, end) = value(rest, at, false)?;
    accept(name, &value, true, "user", rest.get(end..)?)
        .then_some((value.span.start, value.span.end))
}

/// `the password for the staging database is …`, `密码我设的是…`: some words stand between.
fn far_value(rest: &str, before: &str, at: usize, name: &Name) -> Option<(usize, usize)> {
    let near = super::head(rest.get(at..)?, REACH_BYTES);
    let stop = near
        .find(['\n', '.', ',', ';', '。', '!', '?'])
        .unwrap_or(near.len());
    let near = near.get(..stop)?;
    let first = |joints: &[&'static str]| {
        let joints = joints
            .iter()
            .filter_map(|joint| near.find(joint).map(|index| (index, *joint)));
        joints.min()
    };
    let is_chinese = name.is_chinese
        || near
            .trim_start()
            .chars()
            .next()
            .is_some_and(|c| !c.is_ascii());
    let (index, joint) = if is_chinese {
        let (index, joint) = first(&["是", "为", ":", "=", "成", "用", "填", "写", "叫"])?;
        let between = near.get(..index)?;
        if between.chars().count() > 10 || ASIDES.iter().any(|aside| between.contains(aside)) {
            return None;
        }
        (index, joint)
    } else {
        BRIDGES
            .contains(&near.trim_start().split(' ').next()?)
            .then_some(())?;
        first(&[" is ", ": ", " = "])?
    };
    let (value, end) = value(rest, at + index + joint.len(), is_chinese)?;
    (is_strong(value.text, name) && accept(name, &value, false, before, rest.get(end..)?))
        .then_some((name.end + value.span.start, name.end + value.span.end))
}

/// Whether a value that is tied loosely must be one.
fn is_strong(value: &str, name: &Name) -> bool {
    is_random(value) || name.class == Class::Password && is_mixed(value, 6)
}

/// `… is the password`, `用 … 作为密码`.
fn value_before(text: &str, before: &str, name: &Name) -> Option<(usize, usize)> {
    // Only a value with digits, marks or mixed case is tied this loosely.
    let is_plain = |b: u8| {
        b.is_ascii_lowercase()
            || b.is_ascii_whitespace()
            || !b.is_ascii()
            || b".,:-'\"()".contains(&b)
    };
    if before.bytes().filter(|&b| !is_plain(b)).take(2).count() < 2 {
        return None;
    }
    let sentence = before.rsplit(['。', ';']).next()?;
    // The joint nearest to the word; of two that end together the longer (`作为` before `为`).
    let (joint_end, joint_start) = BEFORE
        .iter()
        .filter_map(|joint| {
            sentence
                .rfind(joint)
                .map(|index| (index + joint.len(), index))
        })
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let between = sentence.get(joint_end..)?;
    if between.chars().count() > 24
        || between.contains([',', ':', '=', '(', '不'])
        || between.contains("not")
    {
        return None;
    }
    // `… 作为密码哈希` is about a scheme.
    let next = super::head(text.get(name.end..)?, 24).trim_start();
    if ASIDES.iter().any(|aside| next.starts_with(aside)) || next.starts_with("hash") {
        return None;
    }
    let mut told = sentence
        .get(..joint_start)?
        .trim_end_matches([' ', '"', '\'', '`']);
    while let Some(rest) = LINKS.iter().find_map(|link| told.strip_suffix(link)) {
        told = rest.trim_end_matches([' ', '"', '\'', '`']);
    }
    let length = told
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_graphic() && !b"\"'`<>()[]{},".contains(b))
        .count();
    let value = told.get(told.len() - length..)?;
    if !is_strong(value, name) || is_stand_in(value) || is_term(value) || is_digest(value) {
        return None;
    }
    if name.class == Class::Weak && is_uuid(value) {
        return None;
    }
    // `use OAuth2 for the password flow`: what is only near must be drawn.
    let is_far = sentence
        .get(joint_start..joint_end)
        .is_some_and(|joint| joint.starts_with(" for "));
    let kinds = kinds(value);
    let is_drawn = value.bytes().all(|b| b.is_ascii_alphanumeric())
        && !is_wordy(value)
        && kinds.lower > 0
        && kinds.upper > 0
        && kinds.changes >= 3;
    if is_far && !is_drawn {
        return None;
    }
    let end = name.start - (sentence.len() - told.len());
    Some((end - length, end))
}

fn skip(text: &str, at: usize, keep: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !keep(c)).unwrap_or(rest.len())
}

/// Returns where the value behind a joint begins, and whether the joint assigns.
fn joint(rest: &str, at: usize, spaced: bool) -> Option<(usize, bool)> {
    let here = rest.get(at..)?;
    let begins = |joint: &&&str| super::head(here, joint.len()).eq_ignore_ascii_case(joint);
    if let Some(joint) = ASSIGNING.iter().find(begins) {
        let end = at + joint.len();
        // `密码是：…`
        let after = skip(rest, end, |c| c == ' ');
        let doubled = !joint.is_ascii() && rest.get(after..)?.starts_with([':', '=']);
        return Some((if doubled { after + 1 } else { end }, true));
    }
    let joint = TELLING.iter().find(begins).filter(|_| spaced)?;
    Some((at + joint.len(), false))
}

/// Reads a value: to the closing quote, or to what ends a word. Returns it and where reading ended.
pub(super) fn value(rest: &str, at: usize, assigns: bool) -> Option<(Value<'_>, usize)> {
    // A value may stand on the next line, once.
    let mut begin = skip(rest, at, |c| c == ' ' || c == '\t');
    if assigns && rest.get(begin..)?.starts_with(['\n', '\r']) {
        begin = skip(rest, begin, |c| matches!(c, '\n' | '\r' | ' ' | '\t'));
    }
    if let Some(scheme) = ["Bearer ", "bearer ", "Basic ", "Token ", "token "]
        .iter()
        .find(|scheme| {
            rest.get(begin..)
                .is_some_and(|rest| rest.starts_with(**scheme))
        })
    {
        begin += scheme.len();
    }
    let opened = rest.get(begin..)?.chars().next()?;
    if matches!(opened, '"' | '\'' | '`') {
        let start = skip(rest, begin, |c| c == opened || c == ' ');
        let inside = rest.get(start..)?;
        let stop = inside
            .find([opened, '\n'])
            .unwrap_or(inside.len())
            .min(VALUE_BYTES);
        let text = inside.get(..stop)?.trim_end();
        let (text, end) = match text.find(' ') {
            Some(space) if !is_spaced_secret(text) => (text.get(..space)?, start + space),
            _ => (text, start + stop + 1),
        };
        return Some((
            Value {
                text,
                span: start..start + text.len(),
                is_quoted: true,
            },
            end.min(rest.len()),
        ));
    }
    let inside = rest.get(begin..)?;
    let stop = inside
        .find(|c: char| {
            !c.is_ascii_graphic()
                || matches!(
                    c,
                    '"' | '\'' | '`' | ',' | ';' | ')' | '}' | ']' | '<' | '|' | '&' | '\\'
                )
        })
        .unwrap_or(inside.len());
    let text = inside.get(..stop)?;
    let text = text.trim_end_matches(['.', ':', '?']);
    (!text.is_empty()).then_some((
        Value {
            text,
            span: begin..begin + text.len(),
            is_quoted: false,
        },
        begin + stop,
    ))
}

/// Four groups of four, and the like.
fn is_spaced_secret(text: &str) -> bool {
    let mut groups = text.split(' ').map(str::len);
    let Some(first) = groups.next() else {
        return false;
    };
    first >= 4 && groups.all(|length| length == first)
}
