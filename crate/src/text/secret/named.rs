//! Secrets somebody named: `export X_TOKEN=…`, `"password": "…"`, the key is …, 口令是…, … 作为密码.

use super::Found;
use super::value::{
    is_digest, is_hex, is_mixed, is_random, is_stand_in, is_term, is_uuid, is_wordy, kinds,
};
use aho_corasick::AhoCorasick;
use std::ops::Range;
use std::sync::OnceLock;

/// How much a word says that a value beside it is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A password: a person may have thought of it, so it may be short and a word.
    Password,
    /// A token or key: drawn at random.
    Token,
    /// A word for many things (`key`): only what is clearly random counts.
    Weak,
}

/// A word, its class, and a text it is there for and one it is not. In the cases `{A16}` stands for 16 letters and digits.
pub(super) struct Row {
    word: &'static str,
    class: Class,
    #[cfg_attr(not(test), expect(dead_code))]
    pub hit: &'static str,
    #[cfg_attr(not(test), expect(dead_code))]
    pub miss: &'static str,
}

const fn row(word: &'static str, class: Class, hit: &'static str, miss: &'static str) -> Row {
    Row {
        word,
        class,
        hit,
        miss,
    }
}

use Class::{Password, Token, Weak};

/// Words are matched without regard to case.
pub(super) const ROWS: &[Row] = &[
    row(
        "password",
        Password,
        "the password for staging is {A10}",
        "the password field must not be filled in",
    ),
    row("passwd", Password, "DB_PASSWD={A10}", "passwd file"),
    row(
        "passphrase",
        Password,
        "passphrase: {A14}",
        "the passphrase is asked for each time",
    ),
    row("passcode", Password, "passcode: {A8}", "passcode screen"),
    row("pwd", Password, "uid=sa;pwd={A10};", "pwd=/srv/shop"),
    row(
        "pass",
        Password,
        "SMTP_PASS={A10}",
        "pass: 12 tests, fail: 2 tests",
    ),
    row(
        "密码",
        Password,
        "测试环境密码是 {A10}",
        "登录页的密码框禁止自动填充",
    ),
    row(
        "密碼",
        Password,
        "測試環境密碼是 {A10}",
        "密碼欄位不要自動填入",
    ),
    row("口令", Password, "口令是 {A10}", "口令长度为 8 位以上"),
    row("暗号", Password, "暗号是 {A10}", "暗号不要写进文档"),
    row("通行码", Password, "通行码：{D6}", "通行码每天更换"),
    row("验证码", Password, "万能验证码是 {D6}", "验证码是 6 位数字"),
    row("提取码", Password, "提取码: {a4}", "提取码由系统生成"),
    row(
        "secret",
        Token,
        "client_secret = \"{A32}\"",
        "the secret is kept in the vault",
    ),
    row(
        "token",
        Token,
        "export SHOP_TOKEN={A24}",
        "the token is refreshed every hour",
    ),
    row(
        "apikey",
        Token,
        "apikey={A32}",
        "apikey is read from the environment",
    ),
    row(
        "api key",
        Token,
        "the API key is {A24}",
        "the API key is in 1Password",
    ),
    row("api-key", Token, "x-api-key: {A32}", "api-key header"),
    row(
        "api_key",
        Token,
        "SHOP_API_KEY={A32}",
        "api_key=os.environ[\"SHOP_API_KEY\"]",
    ),
    row(
        "access key",
        Token,
        "access key: {A24}",
        "access key rotation",
    ),
    row(
        "accesskey",
        Token,
        "accessKey: {A24}",
        "accessKeyId is public",
    ),
    row(
        "access_key",
        Token,
        "aws_secret_access_key = {A40}",
        "access_key=${ACCESS_KEY}",
    ),
    row(
        "secret key",
        Token,
        "secret key: {A32}",
        "secret key rotation every 90 days",
    ),
    row(
        "private key",
        Token,
        "private key: {h64}",
        "the private key is in the keychain",
    ),
    row(
        "credential",
        Token,
        "credential: {A32}",
        "credential helper is store",
    ),
    row(
        "credentials",
        Token,
        "credentials: {A32}",
        "credentials are asked for at run time",
    ),
    row("密钥", Token, "密钥是 {A32}", "密钥放在环境变量里"),
    row("秘钥", Token, "秘钥：{A32}", "秘钥不要提交到仓库"),
    row("密匙", Token, "密匙：{A32}", "密匙不要提交到仓库"),
    row(
        "私钥",
        Token,
        "私钥是 {h64}",
        "私钥路径为 ~/.ssh/id_ed25519",
    ),
    row("令牌", Token, "令牌为 {A24}", "令牌有效期为 3600 秒"),
    row("凭证", Token, "凭证是 {A24}", "凭证统一走 Vault"),
    row("凭据", Token, "凭据是 {A24}", "凭据统一走 Vault"),
    row("授权码", Token, "邮箱授权码是 {a16}", "授权码模式用 PKCE"),
    row("bearer", Token, "bearer: {A32}", "bearer: required"),
    row(
        "_auth",
        Token,
        "//registry.example/:_auth={A32}",
        "need_auth=true",
    ),
    row(
        "\"auth",
        Token,
        "\"auth\": \"{A32}\"",
        "\"auth\": \"oauth2\"",
    ),
    row("cookie", Token, "Cookie: sid={A32}", "cookie: SameSite=Lax"),
    row("sessionid", Token, "sessionid={a32}", "sessionid=unset"),
    row(
        "key",
        Weak,
        "the key is {A24}",
        "the key is user_profile_v2",
    ),
    row("sk", Weak, "sk: {A32}", "sk: partition key"),
    row("ak", Weak, "ak={A24}", "ak=auth kit"),
    row("sig", Weak, "?sv=2023-01-03&sig={A43}", "sig=SIGTERM"),
    row(
        "signature",
        Weak,
        "signature={A43}",
        "signature: (req, res) => void",
    ),
    row("钥", Weak, "公司的钥：{A32}", "公钥写进文档"),
];

fn automaton() -> Option<&'static AhoCorasick> {
    static AUTOMATON: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    AUTOMATON
        .get_or_init(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(ROWS.iter().map(|row| row.word))
                .ok()
        })
        .as_ref()
}

/// What may follow the word inside a name and leave it the name of a value: `API_KEY_PROD`, `password2`.
const NAME_ENDS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "test",
    "live",
    "staging",
    "stg",
    "local",
    "old",
    "new",
    "main",
    "primary",
    "secondary",
    "backup",
    "value",
    "raw",
    "cn",
    "us",
    "eu",
    "1",
    "2",
    "3",
    "4",
    "5",
    "01",
    "02",
    "s",
];

/// Names ending in `key` that hold a place in data, not a secret.
const DATA_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "public",
    "cache",
    "redis",
    "partition",
    "sort",
    "row",
    "map",
    "object",
    "index",
    "hot",
    "short",
    "query",
    "react",
    "i18n",
    "hash",
    "storage",
    "lookup",
    "dict",
    "json",
    "yaml",
    "unique",
    "composite",
    "group",
    "dedup",
    "idempotency",
    "routing",
    "shard",
    "message",
    "event",
    "s3",
    "translation",
    "locale",
    "pub",
    "file",
    "bucket",
    "item",
    "record",
    "entity",
    "column",
    "config",
    "feature",
    "flag",
    "issue",
    "project",
    "sha",
    "commit",
    "mutex",
    "lock",
    "etag",
    "trace",
    "request",
    "cursor",
];

/// Between a Chinese word and its value: with one of these it speaks about something else.
const ASIDES: &[&str] = &[
    "长度", "框", "强度", "规则", "格式", "类型", "字段", "复杂", "加密", "有效", "过期", "算法",
    "位数", "次数", "错误", "重试", "校验", "哈希", "变量", "名", "路径", "文件", "前缀", "数量",
    "上限", "编号", "输入", "策略", "轮换", "权限", "页面", "接口", "管理", "模式", "登录", "存",
    "放", "不要", "禁止", "别", "从", "在", "走", "读", "统计",
];

/// Joints between a name and its value: as written, and whether it assigns (and does not only tell).
const JOINTS: &[(&str, bool)] = &[
    ("===", true),
    ("==", true),
    (":=", true),
    ("=>", true),
    ("->", true),
    ("=", true),
    (":", true),
    ("|", true),
    (">", true),
    ("is set to ", false),
    ("is now ", false),
    ("is ", false),
    ("was ", false),
    ("are ", false),
    ("equals ", false),
    ("should be ", false),
    ("will be ", false),
    ("to ", false),
    ("as ", false),
    ("was changed to ", false),
    ("changed to ", false),
    ("改成了", true),
    ("改成", true),
    ("改为", true),
    ("换成", true),
    ("设置为", true),
    ("设置成", true),
    ("设为", true),
    ("设成", true),
    ("等于", true),
    ("就是", true),
    ("还是", true),
    ("默认是", true),
    ("默认为", true),
    ("是", true),
    ("为", true),
    ("叫", true),
    ("填", true),
    ("写", true),
    ("用", true),
];

/// Bytes looked at on either side of a word.
const REACH_BYTES: usize = 96;
/// Bytes of a value.
const VALUE_BYTES: usize = 1024;

/// Finds secrets beside a word that names them.
pub(super) fn scan(text: &str, found: &mut Vec<Found>) {
    let Some(automaton) = automaton() else {
        return;
    };
    let mut read_to = 0;
    for hit in automaton.find_overlapping_iter(text) {
        let Some(row) = ROWS.get(hit.pattern().as_usize()) else {
            continue;
        };
        let Some(name) = name(text, hit.start(), hit.end(), row) else {
            continue;
        };
        if let Some((start, end)) = value_before(text, name.start, &name) {
            found.push(Found {
                rule: "named",
                start,
                end,
            });
        }
        if hit.end() < read_to {
            continue;
        }
        if let Some((start, end)) = value_after(text, &name) {
            found.push(Found {
                rule: "named",
                start,
                end,
            });
            read_to = end;
        }
    }
}

/// A name that ends in one of the words.
struct Name {
    start: usize,
    end: usize,
    class: Class,
    /// `SHOP_TOKEN`
    is_env: bool,
    is_chinese: bool,
    /// `--password`
    is_flag: bool,
    /// One word of prose, not part of a longer name.
    is_bare: bool,
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b == b'.'
}

/// Returns the name around a word; nothing when the word is only a part of it.
fn name(text: &str, start: usize, end: usize, row: &Row) -> Option<Name> {
    let bytes = text.as_bytes();
    let word = text.get(start..end)?;
    let is_chinese = !row.word.is_ascii();
    if is_chinese {
        return Some(Name {
            start,
            end,
            class: row.class,
            is_env: false,
            is_chinese,
            is_flag: false,
            is_bare: true,
        });
    }
    let before = bytes
        .get(..start)?
        .iter()
        .rev()
        .take(64)
        .take_while(|&&b| is_name_byte(b))
        .count();
    let name_start = start - before;
    let prefix = text.get(name_start..start)?;
    let rest = bytes.get(end..)?;
    let after = rest
        .iter()
        .take(24)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
        .count();
    let suffix = text.get(end..end + after)?;
    let bare_suffix = suffix.trim_start_matches('_').to_ascii_lowercase();
    if !suffix.is_empty() && !NAME_ENDS.contains(&bare_suffix.as_str()) {
        return None;
    }
    // A word starts a name, follows a mark, or begins with its own capital; longer words may also be joined on (`dbpassword`).
    let begins = prefix.is_empty()
        || prefix.ends_with(['_', '-', '.'])
        || word.starts_with(|c: char| c.is_ascii_uppercase())
            && prefix.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !begins && row.word.len() < 5 && row.word != "pwd" {
        return None;
    }
    let bare_prefix = prefix.trim_matches(['_', '-', '.']).to_ascii_lowercase();
    let class = match row.word {
        // `tests pass: 12` is a count.
        "pass" if prefix.trim_matches('-').is_empty() && !prefix.starts_with("--") => return None,
        "key" => key_class(&bare_prefix)?,
        _ => row.class,
    };
    let whole = text.get(name_start..end)?;
    Some(Name {
        start: name_start,
        end: end + after,
        class,
        is_env: whole.contains('_') && !whole.bytes().any(|b| b.is_ascii_lowercase())
            || whole.len() >= 3 && whole.bytes().all(|b| b.is_ascii_uppercase()),
        is_chinese,
        is_flag: prefix.starts_with('-'),
        is_bare: prefix.is_empty(),
    })
}

/// `api_key` and `OPENAI_KEY` name a secret, `primary_key` and `cacheKey` do not.
fn key_class(prefix: &str) -> Option<Class> {
    if prefix.is_empty() {
        return Some(Weak);
    }
    if DATA_KEYS.iter().any(|data| prefix.ends_with(data)) {
        return None;
    }
    Some(Token)
}

/// Finds a value behind a name.
fn value_after(text: &str, name: &Name) -> Option<(usize, usize)> {
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
    if let Some((joint, assigns)) = joint(rest, spaced, spaced > at || name.is_chinese) {
        let (value, end) = value(rest, joint, assigns)?;
        let is_secret = accept(name, &value, assigns, rest.get(end..).unwrap_or_default());
        return is_secret.then_some((name.end + value.span.start, name.end + value.span.end));
    }
    if spaced > at {
        if name.is_flag {
            let (value, _) = value(rest, spaced, true)?;
            let is_secret = accept(name, &value, true, "");
            return is_secret.then_some((name.end + value.span.start, name.end + value.span.end));
        }
        // `token abc…`: only what is clearly drawn at random, or a password with digits beside its word.
        let (value, end) = value(rest, spaced, false)?;
        let strong = is_random(value.text)
            || name.class == Password && name.is_chinese && is_mixed(value.text, 6);
        if strong && accept(name, &value, false, rest.get(end..).unwrap_or_default()) {
            return Some((name.end + value.span.start, name.end + value.span.end));
        }
    }
    far_value(rest, at, name)
}

/// `the password for the staging database is …`, `密码我设的是…`: some words stand between.
fn far_value(rest: &str, at: usize, name: &Name) -> Option<(usize, usize)> {
    let near = super::head(rest.get(at..)?, REACH_BYTES);
    let stop = near
        .find(['\n', '.', ',', ';', '。', '!', '?'])
        .unwrap_or(near.len());
    let near = near.get(..stop)?;
    let (joint, assigns) = if name.is_chinese
        || near.chars().next().is_some_and(|c| !c.is_ascii())
        || near.starts_with(" 的")
    {
        let (index, joint) = ["是", "为", ":", "=", "成"]
            .iter()
            .filter_map(|joint| near.find(joint).map(|index| (index, *joint)))
            .min()?;
        let between = near.get(..index)?;
        if between.chars().count() > 10 || ASIDES.iter().any(|aside| between.contains(aside)) {
            return None;
        }
        (at + index + joint.len(), true)
    } else {
        let first = near.trim_start().split(' ').next()?;
        if !matches!(
            first,
            "for"
                | "of"
                | "on"
                | "to"
                | "in"
                | "i"
                | "I"
                | "we"
                | "you"
                | "here"
                | "there"
                | "below"
                | "used"
                | "that"
        ) {
            return None;
        }
        let (index, joint) = [" is ", ": ", " = "]
            .iter()
            .filter_map(|joint| near.find(joint).map(|index| (index, *joint)))
            .min()?;
        (at + index + joint.len(), false)
    };
    let (value, end) = value(rest, joint, assigns)?;
    let strong = match name.class {
        Password => is_mixed(value.text, 6) || is_random(value.text),
        Token | Weak => is_random(value.text),
    };
    (strong && accept(name, &value, false, rest.get(end..)?))
        .then_some((name.end + value.span.start, name.end + value.span.end))
}

/// `… is the password`, `用 … 作为密码`.
fn value_before(text: &str, start: usize, name: &Name) -> Option<(usize, usize)> {
    let from = text.get(..start)?;
    let mut begin = from.len().saturating_sub(REACH_BYTES);
    while !from.is_char_boundary(begin) {
        begin += 1;
    }
    let near = from.get(begin..)?;
    let line = near.rfind(['\n', '。', ';']).map_or(0, |at| {
        at + near
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let near = near.get(line..)?;
    let joint = [
        " is the ", " is my ", " is our ", " is a ", " as the ", " as a ", " as our ", " as ",
        "作为", "当作", "当做", "做为", "当", "是", "为",
    ]
    .iter()
    .filter_map(|joint| near.rfind(joint).map(|index| (index + joint.len(), index)))
    .max()?;
    let between = near.get(joint.0..)?;
    if between.chars().count() > 24
        || between.contains([',', ':', '=', '('])
        || between.contains("不")
        || between.contains("not")
    {
        return None;
    }
    // `… 作为密码哈希` is about a scheme.
    let next = super::head(text.get(name.end..)?, 24);
    if ASIDES
        .iter()
        .any(|aside| next.trim_start().starts_with(aside))
        || next.starts_with(" hash")
    {
        return None;
    }
    let before = near.get(..joint.1)?.trim_end_matches([' ', '"', '\'', '`']);
    let length = before
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_graphic() && !b"\"'`<>()[]{},".contains(b))
        .count();
    let value = before.get(before.len() - length..)?;
    let strong = match name.class {
        Password => is_mixed(value, 6) || is_random(value),
        Token | Weak => is_random(value),
    };
    if !strong
        || is_stand_in(value)
        || is_term(value)
        || is_digest(value)
        || is_uuid(value) && name.class == Weak
    {
        return None;
    }
    let end = begin + line + before.len();
    Some((end - length, end))
}

fn skip(text: &str, at: usize, keep: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !keep(c)).unwrap_or(rest.len())
}

/// Returns where the value behind a joint begins, and whether the joint assigns.
fn joint(rest: &str, at: usize, spaced: bool) -> Option<(usize, bool)> {
    let here = rest.get(at..)?;
    let (joint, assigns) = JOINTS.iter().find(|(joint, assigns)| {
        let is_word = joint.starts_with(|c: char| c.is_ascii_lowercase());
        super::head(here, joint.len()).eq_ignore_ascii_case(joint)
            && (*assigns || !is_word || spaced)
    })?;
    let mut end = at + joint.len();
    // `是：…`, `: = …`
    let after = skip(rest, end, |c| c == ' ');
    if !joint.is_ascii() && rest.get(after..)?.starts_with([':', '=']) {
        end = after + 1;
    }
    Some((end, *assigns))
}

struct Value<'a> {
    text: &'a str,
    span: Range<usize>,
    is_quoted: bool,
}

/// Reads a value: to the closing quote, or to what ends a word. Returns it and where reading ended.
fn value(rest: &str, at: usize, assigns: bool) -> Option<(Value<'_>, usize)> {
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

/// Decides whether a value beside a name is secret.
fn accept(name: &Name, value: &Value<'_>, assigns: bool, after: &str) -> bool {
    let text = value.text;
    if is_stand_in(text) || is_term(text) || after.starts_with(['(', '[']) && !value.is_quoted {
        return false;
    }
    let kinds = kinds(text);
    // `8 位`, `8-16 characters`, `3600 秒`.
    if kinds.lower + kinds.upper == 0 && is_amount(after) {
        return false;
    }
    let names_a_kind = [
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
    ]
    .iter()
    .any(|word| {
        after
            .trim_start_matches([' ', '"', '\'', '`'])
            .starts_with(word)
    });
    if names_a_kind && !is_random(text) {
        return false;
    }
    match name.class {
        Password => {
            is_random(text)
                || is_mixed(text, if value.is_quoted || assigns { 4 } else { 5 })
                || kinds.digit == text.len() && text.len() >= 4
                || is_word_password(name, value, assigns, after)
        }
        Token => {
            is_random(text)
                || is_digest(text)
                || is_uuid(text)
                || is_hex(text) && text.len() >= 16 && kinds.digit > 0
                || is_mixed(text, 8) && !is_wordy(text) && (assigns || kinds.digit >= 2)
                || (value.is_quoted || name.is_env)
                    && assigns
                    && is_mixed(text, 10)
                    && kinds.digit > 0
                || assigns
                    && name.is_chinese
                    && text.len() == 16
                    && text.bytes().all(|b| b.is_ascii_lowercase())
                || is_word_secret(name, value, assigns)
        }
        Weak => {
            (is_random(text) && text.len() >= 16 || is_uuid(text) && assigns && !name.is_bare)
                && !is_digest(text)
        }
    }
}

fn is_amount(after: &str) -> bool {
    let after = after.trim_start();
    [
        "位", "个", "字", "次", "天", "分钟", "秒", "小时", "char", "digit", "letter", "day",
        "hour", "minute", "second", "time", "bit", "byte", "week", "month",
    ]
    .iter()
    .any(|unit| super::head(after, unit.len()).eq_ignore_ascii_case(unit))
}

/// A password that is a plain word: quoted, in the environment's style, or said in Chinese and followed by nothing.
fn is_word_password(name: &Name, value: &Value<'_>, assigns: bool, after: &str) -> bool {
    let text = value.text;
    let is_word = text.len() >= 4
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-!@#".contains(&b))
        && !is_sentence_case(text);
    if !is_word || !assigns {
        return false;
    }
    let ends = after.trim_start_matches(['"', '\'', '`', ' ']);
    let ends = ends.is_empty()
        || ends.starts_with([
            '\n', '\r', ',', ';', '.', '。', ')', '}', '<', '-', '、', '!', '?', '|', '#', '&',
            '，',
        ]);
    if name.is_chinese {
        return ends;
    }
    value.is_quoted && !name.is_bare_prose() || name.is_env || ends && name.is_flag
}

impl Name {
    fn is_bare_prose(&self) -> bool {
        self.is_chinese
    }
}

/// `Required`, `Hunter`: a capital and the rest small reads as prose.
fn is_sentence_case(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().skip(1).all(|b| b.is_ascii_lowercase())
}

/// A secret that is a plain word: in the environment's style or quoted, and not the name of something.
fn is_word_secret(name: &Name, value: &Value<'_>, assigns: bool) -> bool {
    let text = value.text;
    assigns
        && name.is_env
        && text.len() >= 8
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-!@#$%^&*".contains(&b))
        && !text.contains(['_', '.'])
        && !is_sentence_case(text)
}
