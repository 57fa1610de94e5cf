//! Words that name a secret, alone or at the end of a longer name.

/// How much a word says that a value beside it is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: a person may have thought of it, so it may be short and a word.
    Password,
    /// A code for a door or a screen: digits.
    Code,
    /// A token or key: drawn at random.
    Token,
    /// A word for many things (`key`): only what is clearly random counts.
    Weak,
    /// A word of test reports (`pass: 12`): only letters and digits mixed count.
    Count,
}

/// A word, its class, and a text it is there for and one it is not. In the cases `{A16}` stands for 16 letters and digits.
pub(super) struct Row {
    pub word: &'static str,
    class: Class,
    #[cfg(test)]
    pub hit: &'static str,
    #[cfg(test)]
    pub miss: &'static str,
}

const fn row(word: &'static str, class: Class, hit: &'static str, miss: &'static str) -> Row {
    let _ = (hit, miss);
    Row {
        word,
        class,
        #[cfg(test)]
        hit,
        #[cfg(test)]
        miss,
    }
}

use Class::{Code, Count, Password, Token, Weak};

/// Words are matched without regard to case.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("password", Password, "the password for staging is {A10}", "the password field must not be filled in"),
    row("passwd", Password, "DB_PASSWD={A10}", "passwd file"),
    row("passphrase", Password, "passphrase: {A14}", "the passphrase is asked for each time"),
    row("passcode", Password, "passcode: {A8}", "passcode screen"),
    row("pwd", Password, "uid=sa;pwd={A10};", "pwd=/srv/shop"),
    row("pass", Password, "SMTP_PASS={A10}", "pass: 12 tests, fail: 2 tests"),
    row("密码", Password, "测试环境密码是 {A10}", "登录页的密码框禁止自动填充"),
    row("密碼", Password, "測試環境密碼是 {A10}", "密碼欄位不要自動填入"),
    row("账密", Password, "账密：admin/{A10}", "账密登录要限流"),
    row("requirepass", Password, "requirepass {A16}", "requirepass is not set"),
    row("identified by", Password, "IDENTIFIED BY '{A10}'", "identified by its name"),
    row("口令", Password, "口令是 {A10}", "口令长度为 8 位以上"),
    row("暗号", Password, "暗号是 {A10}", "暗号不要写进文档"),
    row("通行码", Password, "通行码：{D6}", "通行码每天更换"),
    row("验证码", Password, "万能验证码是 {D6}", "验证码是 6 位数字"),
    row("提取码", Password, "提取码: {a4}", "提取码由系统生成"),
    row("pin", Code, "the door PIN is always {D6}", "always pin node to 22.19.0"),
    row("pin code", Code, "pin code: {D4}", "the pin code must always be 6 digits"),
    row("unlock code", Code, "the unlock code for the phone is always {D6}", "the unlock code is always sent by mail"),
    row("access code", Code, "the access code must always be {D6}", "the data access code is always in src/access2.rs"),
    row("door code", Code, "use the door code {D5} after six", "the door code changes every 1000 hours"),
    row("gate code", Code, "gate code is still {D4}", "the gate code is always reviewed twice"),
    row("entry code", Code, "entry code: {D6}", "the entry code must always be typed"),
    row("security code", Code, "the security code stays {D4}", "security code review is always on monday"),
    row("recovery code", Code, "recovery code: {D8}", "a recovery code is always 10 digits"),
    row("alarm code", Code, "the alarm code is always {D4}", "the alarm code is always asked for"),
    row("safe code", Code, "the safe code is always {D6}", "the safe code path is always tested"),
    row("verification code", Code, "the verification code on staging is always {D6}", "the verification code is always 6 digits"),
    row("2fa code", Code, "the 2FA code is always {D6}", "the 2FA code is always sent by mail"),
    row("backup code", Code, "the backup code is still {D8}", "the backup code must always be run at 3"),
    row("lock code", Code, "my lock code is always {D6}", "lock code paths are always tested"),
    row("解锁码", Code, "解锁码永远是 {D6}", "解锁码一律 6 位数字"),
    row("门禁码", Code, "门禁码一律是 {D6}", "门禁码每 1000 小时更换"),
    row("开门码", Code, "开门码固定为 {D6}", "开门码不要外传"),
    row("访问码", Code, "访问码都是 {D6}", "访问码一律由系统生成"),
    row("creds", Token, "creds: {A32}", "creds are always read from the vault"),
    row("secret", Token, "client_secret = \"{A32}\"", "the secret is kept in the vault"),
    row("token", Token, "export SHOP_TOKEN={A24}", "the token is refreshed every hour"),
    row("apikey", Token, "apikey={A32}", "apikey is read from the environment"),
    row("api key", Token, "the API key is {A24}", "the API key is in 1Password"),
    row("api-key", Token, "x-api-key: {A32}", "api-key header"),
    row("api_key", Token, "SHOP_API_KEY={A32}", "api_key=os.environ[\"SHOP_API_KEY\"]"),
    row("access key", Token, "access key: {A24}", "access key rotation"),
    row("accesskey", Token, "accessKey: {A24}", "accessKeyId is public"),
    row("access_key", Token, "aws_secret_access_key = {A40}", "access_key=${ACCESS_KEY}"),
    row("secret key", Token, "secret key: {A32}", "secret key rotation every 90 days"),
    row("private key", Token, "private key: {h64}", "the private key is in the keychain"),
    row("credential", Token, "credential: {A32}", "credential helper is store"),
    row("credentials", Token, "credentials: {A32}", "credentials are asked for at run time"),
    row("密钥", Token, "密钥是 {A32}", "密钥放在环境变量里"),
    row("秘钥", Token, "秘钥：{A32}", "秘钥不要提交到仓库"),
    row("密匙", Token, "密匙：{A32}", "密匙不要提交到仓库"),
    row("私钥", Token, "私钥是 {h64}", "私钥路径为 ~/.ssh/id_ed25519"),
    row("令牌", Token, "令牌为 {A24}", "令牌有效期为 3600 秒"),
    row("凭证", Token, "凭证是 {A24}", "凭证统一走 Vault"),
    row("凭据", Token, "凭据是 {A24}", "凭据统一走 Vault"),
    row("授权码", Token, "邮箱授权码是 {a16}", "授权码模式用 PKCE"),
    row("bearer", Token, "bearer: {A32}", "bearer: required"),
    row("_auth", Token, "//registry.example/:_auth={A32}", "need_auth=true"),
    row("\"auth", Token, "\"auth\": \"{A32}\"", "\"auth\": \"oauth2\""),
    row("cookie", Token, "Cookie: sid={A32}", "cookie: SameSite=Lax"),
    row("sessionid", Token, "sessionid={a32}", "sessionid=unset"),
    row("key", Weak, "the key is {A24}", "the key is user_profile_v2"),
    row("sk", Weak, "sk: {A32}", "sk: partition key"),
    row("ak", Weak, "ak={A24}", "ak=auth kit"),
    row("sig", Weak, "?sv=2023-01-03&sig={A43}", "sig=SIGTERM"),
    row("signature", Weak, "signature={A43}", "signature: (req, res) => void"),
    row("钥", Weak, "公司的钥：{A32}", "公钥写进文档"),
];

/// What may follow the word inside a name and leave it the name of a value: `API_KEY_PROD`, `password2`.
#[rustfmt::skip]
const NAME_ENDS: &[&str] = &[
    "prod", "production", "dev", "test", "live", "staging", "stg", "local", "old", "new", "main", "primary",
    "secondary", "backup", "value", "raw", "cn", "us", "eu", "1", "2", "3", "4", "5", "01", "02", "s",
];

/// Names ending in `key` that hold a place in data, not a secret.
#[rustfmt::skip]
const DATA_KEYS: &[&str] = &[
    "primary", "foreign", "public", "cache", "redis", "partition", "sort", "row", "map", "object", "index", "hot",
    "short", "query", "react", "i18n", "hash", "storage", "lookup", "dict", "json", "yaml", "unique", "composite",
    "group", "dedup", "idempotency", "routing", "shard", "message", "event", "s3", "translation", "locale", "pub",
    "file", "bucket", "item", "record", "entity", "column", "config", "feature", "flag", "issue", "project", "sha",
    "commit", "mutex", "lock", "etag", "trace", "request", "cursor",
];

/// A name that ends in one of the words.
pub(super) struct Name {
    pub start: usize,
    pub end: usize,
    pub class: Class,
    /// The word of the table.
    pub word: &'static str,
    /// `SHOP_TOKEN`
    pub is_env: bool,
    pub is_chinese: bool,
    /// `--password`
    pub is_flag: bool,
    /// One word of prose, not part of a longer name.
    pub is_bare: bool,
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b == b'.'
}

/// Returns the name around a word; nothing when the word is only a part of it.
pub(super) fn name(text: &str, start: usize, end: usize, row: &Row) -> Option<Name> {
    let bytes = text.as_bytes();
    let word = text.get(start..end)?;
    let is_chinese = !row.word.is_ascii();
    if is_chinese {
        return Some(Name {
            start,
            end,
            class: row.class,
            word: row.word,
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
    // `keys` are many and public ones.
    if row.word == "key" && suffix == "s" {
        return None;
    }
    // `pin` is a verb; the noun has a capital or stands in a longer name, or a word before it.
    if row.word == "pin" && prefix.is_empty() && word != "PIN" {
        let before = text.get(..start)?.trim_end();
        let last = before.rsplit(' ').next()?;
        if ![
            "the", "my", "our", "your", "The", "My", "Our", "door", "phone", "card", "SIM",
        ]
        .contains(&last)
        {
            return None;
        }
    }
    let class = match row.word {
        // `tests pass: 12` is a count.
        "pass" if prefix.is_empty() => Count,
        "key" => key_class(&bare_prefix)?,
        _ => row.class,
    };
    let whole = text.get(name_start..end)?;
    Some(Name {
        start: name_start,
        end: end + after,
        class,
        word: row.word,
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
