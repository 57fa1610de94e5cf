//! Secrets known by what carries them: locations, headers, blocks, tokens with a form of their own, flags and files of credentials.

use super::value::{is_digest, is_mixed, is_random, is_stand_in, is_term, is_wordy, kinds};
use super::{Found, is_word_byte};

/// How what follows a mark is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// `scheme://user:password@host`
    Location,
    /// `-----BEGIN … PRIVATE KEY-----`
    Block,
    /// Three parts with dots.
    Jwt,
    /// A header's value.
    Header,
    /// A path or query that holds the token; the number is how long it is at least.
    Hook(usize),
    /// `user:password@tcp(host)`
    Dsn,
    /// The next word is a password.
    Flag,
    /// A command, of whose arguments one is a password: `-p…` joined on, or `-p …`.
    Command(&'static str),
    /// `host:port:database:user:password`
    Fields,
    /// A user's name and a slash; what follows is a password when it is all digits or mixed with marks.
    Pair,
    /// A user's name and a password, some words behind: `log in as …`, `登录都用 …`.
    Login,
    /// The word before the mark.
    Behind,
    /// The hash of a password.
    Crypt,
    /// `machine … login … password …`
    Netrc,
}

/// A mark, how it is read, a text it is there for (`{…}` as in the vendors' rows), and one that only looks like it.
pub(super) struct Row {
    pub rule: &'static str,
    pub mark: &'static str,
    read: Read,
    #[cfg(test)]
    pub hit: &'static str,
    #[cfg(test)]
    pub miss: &'static str,
}

const fn row(
    rule: &'static str,
    mark: &'static str,
    read: Read,
    hit: &'static str,
    miss: &'static str,
) -> Row {
    let _ = (hit, miss);
    Row {
        rule,
        mark,
        read,
        #[cfg(test)]
        hit,
        #[cfg(test)]
        miss,
    }
}

/// Marks are matched without regard to case.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("url-credentials", "://", Read::Location, "postgres://shop:{A12}@db.internal:5432/shop", "postgres://db.internal:5432/shop"),
    row("private-key", "-----begin ", Read::Block, concat!("-----BEGIN RSA PRIVATE", " KEY-----\n{A64}\n{A64}\n-----END RSA PRIVATE", " KEY-----"), "-----BEGIN CERTIFICATE-----"),
    row("private-key", "---- begin ssh2 encrypted private key", Read::Block, "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{A64}", "---- BEGIN SSH2 PUBLIC KEY ----"),
    row("private-key", "putty-user-key-file", Read::Block, "PuTTY-User-Key-File-3: ssh-ed25519\n{A64}", "putty saves sessions in the registry"),
    row("jwt", "eyj", Read::Jwt, "eyJ{A30}.eyJ{A40}.{A43}", "eyJhbGci is how such a token begins"),
    row("auth-header", "bearer ", Read::Header, "Authorization: Bearer {A32}", "send a bearer token in each request"),
    row("auth-header", "basic ", Read::Header, "Authorization: Basic {A24}==", "basic authentication is off"),
    row("auth-header", "authorization: token ", Read::Header, "Authorization: token {h40}", "Authorization: token <token>"),
    row("webhook", "/open-apis/bot/v2/hook/", Read::Hook(16), "https://open.feishu.cn/open-apis/bot/v2/hook/{g}", "/open-apis/bot/v2/hook/<id>"),
    row("webhook", "hooks.slack.com/services/", Read::Hook(20), "https://hooks.slack.com/services/T{U8}/B{U8}/{A24}", "hooks.slack.com/services/<id>"),
    row("webhook", "robot/send?access_token=", Read::Hook(16), "https://oapi.dingtalk.com/robot/send?access_token={h64}", "robot/send?access_token=xxx"),
    row("webhook", "cgi-bin/webhook/send?key=", Read::Hook(16), "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={g}", "cgi-bin/webhook/send?key=KEY"),
    row("webhook", "/api/webhooks/", Read::Hook(30), "https://discord.com/api/webhooks/{D18}/{A68}", "/api/webhooks/list"),
    row("webhook", "/webhookb2/", Read::Hook(40), "https://shop.webhook.office.com/webhookb2/{g}@{g}/IncomingWebhook/{h32}/{g}", "/webhookb2/<id>"),
    row("webhook", "api.telegram.org/bot", Read::Hook(30), "https://api.telegram.org/bot{D10}:{A35}/sendMessage", "api.telegram.org/bot<token>/sendMessage"),
    row("webhook", "sctapi.ftqq.com/", Read::Hook(16), "https://sctapi.ftqq.com/SCT{D5}T{A24}.send", "sctapi.ftqq.com/<key>.send"),
    row("webhook", "api.day.app/", Read::Hook(18), "https://api.day.app/{A22}/done", "api.day.app/<key>/done"),
    row("dsn", "@tcp(", Read::Dsn, "shop:{A10}@tcp(10.0.0.5:3306)/shop", "shop@tcp(10.0.0.5:3306)/shop"),
    row("dsn", "@unix(", Read::Dsn, "shop:{A10}@unix(/var/run/mysqld.sock)/shop", "shop@unix(/var/run/mysqld.sock)/shop"),
    row("cli-password", "sshpass -p", Read::Flag, "sshpass -p {A10} ssh deploy@host", "sshpass -p $PASS ssh deploy@host"),
    row("cli-password", "curl -u ", Read::Flag, "curl -u shop:{A12} https://host", "curl -u $USER:$PASS https://host"),
    row("cli-password", "--user ", Read::Flag, "curl --user shop:{A12} https://host", "pip install --user shop"),
    row("cli-password", "mysql", Read::Command(" -p"), "mysql -h db -uroot -p{A10} shop", "mysql -h db -uroot -p shop"),
    row("cli-password", "mariadb", Read::Command(" -p"), "mariadb -uroot -p{A10} shop", "mariadb -uroot -p shop"),
    row("cli-password", "docker login", Read::Command(" -p "), "docker login -u shop -p {A12}", "docker login -u shop --password-stdin"),
    row("cli-password", "podman login", Read::Command(" -p "), "podman login -u shop -p {A12}", "podman login -u shop"),
    row("cli-password", "helm registry login", Read::Command(" -p "), "helm registry login host -p {A12}", "helm registry login host"),
    row("cli-password", "az login", Read::Command(" -p "), "az login --service-principal -u app -p {A32}", "az login"),
    row("cli-password", "| sudo -s", Read::Behind, "echo {A12} | sudo -S apt update", "cat list.txt | sudo -S tee out"),
    row("user-password", "root/", Read::Pair, "数据库 root/{D6}", "root/index.html"),
    row("user-password", "admin/", Read::Pair, "后台 admin/{A7}!", "admin/users"),
    row("user-password", "root:", Read::Pair, "root:{D6}", "root: 0"),
    row("user-password", "admin:", Read::Pair, "admin:{A7}@", "admin: true"),
    row("user-password", "log in as ", Read::Login, "always log in as admin/{A10} on the staging server", "always log in as admin/users of the shop"),
    row("user-password", "log in with ", Read::Login, "log in with bob and {A12} there", "log in with google and github2 only"),
    row("user-password", "logged in as ", Read::Login, "stay logged in as bob/{A10}", "logged in as bob/guest"),
    row("user-password", "login as ", Read::Login, "login as the user deploy/{A10}", "login as deploy/v2 of the app"),
    row("user-password", "login with ", Read::Login, "login with shop:{A10}", "login with oauth/OAuth2"),
    row("user-password", "sign in as ", Read::Login, "sign in as admin / {A10}", "sign in as admin / owner"),
    row("user-password", "sign in with ", Read::Login, "sign in with bob/{A10}", "sign in with SSO/SAML2"),
    row("user-password", "connect as ", Read::Login, "connect as shop/{A10}", "connect as shop/readonly"),
    row("user-password", "authenticate with ", Read::Login, "always authenticate with bob:{A10}", "authenticate with bob:admin rights"),
    row("user-password", "authenticate as ", Read::Login, "authenticate as bob/{A10}", "authenticate as bob/owner"),
    row("user-password", "login ", Read::Login, "the login is always bob/{A10}", "the login is always api/v1/login2"),
    row("user-password", "登录", Read::Login, "以后登录都用 admin/{A10}。", "登录一律走 sso/callback2"),
    row("user-password", "登陆", Read::Login, "登陆一律用 bob/{A10}", "登陆页都用 pages/login2.vue"),
    row("user-password", "账号", Read::Login, "账号一直是 bob/{A10}", "账号都存 users/profile 表"),
    row("user-password", "帐号", Read::Login, "帐号永远是 bob/{A10}", "帐号都存 users/profile 表"),
    row("user-password", "账户", Read::Login, "账户都用 bob/{A10}", "账户都存 users/profile 表"),
    row("pgpass", ":5432:", Read::Fields, "db.internal:5432:shop:shop:{A12}", "ports: 5432:5432"),
    row("pgpass", ":*:", Read::Fields, "db.internal:5432:*:shop:{A12}", "a:*:b"),
    row("cli-password", "redis-cli -a ", Read::Flag, "redis-cli -a {A12} ping", "redis-cli -a $PASS ping"),
    row("cli-password", "pass:", Read::Flag, "openssl enc -pass pass:{A12}", "openssl enc -pass pass:$PASS"),
    row("password-hash", "$2a$", Read::Crypt, "$2a$10${A53}", "$2a$"),
    row("password-hash", "$2b$", Read::Crypt, "$2b$12${A53}", "$2b$"),
    row("password-hash", "$2y$", Read::Crypt, "$2y$10${A53}", "$2y$"),
    row("password-hash", "$apr1$", Read::Crypt, "shop:$apr1${A8}${A22}", "$apr1$"),
    row("password-hash", "$6$", Read::Crypt, "$6${A16}${A86}", "$6$"),
    row("password-hash", "$argon2", Read::Crypt, "$argon2id$v=19$m=65536,t=3,p=4${A22}${A43}", "$argon2id"),
    row("netrc", " login ", Read::Netrc, "machine host.example login shop password {A12}", "the login page has no password field"),
];

/// Bytes of a private key block without an end.
const BLOCK_BYTES: usize = 16 * 1024;
/// Bytes of a token or of a location's user part.
const TOKEN_BYTES: usize = 4096;
const USER_BYTES: usize = 512;

/// Reads secrets by what carries them; what an earlier one has used is not read again.
#[derive(Default)]
pub(super) struct Scan {
    read_to: usize,
}

impl Scan {
    /// Looks at the mark of a row.
    pub(super) fn read(
        &mut self,
        text: &str,
        row: &Row,
        start: usize,
        end: usize,
        found: &mut Vec<Found>,
    ) {
        if start < self.read_to {
            return;
        }
        let span = match row.read {
            Read::Location => location(text, end),
            Read::Block => block(text, start, end),
            Read::Jwt => jwt(text, start),
            Read::Header => header(text, start, end),
            Read::Hook(length_min) => hook(text, end, length_min),
            Read::Dsn => dsn(text, start),
            Read::Command(option) => command(text, end, option),
            Read::Fields => fields(text, start, end),
            Read::Pair => pair(text, start, end),
            Read::Login => login(text, end),
            Read::Behind => behind(text, start),
            Read::Flag => flag(text, start, end),
            Read::Crypt => crypt(text, start, end),
            Read::Netrc => netrc(text, end),
        };
        if let Some((start, end)) = span {
            found.push(Found {
                rule: row.rule,
                start,
                end,
            });
            self.read_to = end;
        }
    }
}

/// Returns where the run of bytes that `keep` holds for ends.
fn run(text: &str, start: usize, length_max: usize, keep: impl Fn(u8) -> bool) -> usize {
    start
        + text
            .as_bytes()
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take(length_max)
            .take_while(|&&b| keep(b))
            .count()
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/=_-.~".contains(&b)
}

fn location(text: &str, start: usize) -> Option<(usize, usize)> {
    let end = run(text, start, USER_BYTES, |b| {
        b.is_ascii_graphic() && !b"/?#\"'`<>|".contains(&b) || b == b'<' || b == b'>'
    });
    let authority = text.get(start..end)?;
    let (user, _) = authority.rsplit_once('@')?;
    let at = start + user.len();
    match user.split_once(':') {
        Some((name, password)) => {
            let is_secret = !password.is_empty()
                && !is_stand_in(password)
                && !is_named_stand_in(name, password);
            is_secret.then_some((start + name.len() + 1, at))
        }
        None => (user.len() >= 16 && is_random(user)).then_some((start, at)),
    }
}

/// `user:password@`, `username:password@`, `root:root@`? The first two stand in, the last is real.
fn is_named_stand_in(name: &str, password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    (lower == "password"
        || lower == "pass"
        || lower == "pwd"
        || lower == "passwd"
        || lower == "token")
        && (name.contains("user") || name.is_empty() || name == "name")
}

fn block(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let rest = super::head(text.get(end..)?, BLOCK_BYTES);
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let title = super::head(line, 80).to_ascii_lowercase();
    let is_begin =
        text.as_bytes().get(start) == Some(&b'-') && text.as_bytes().get(start + 4) == Some(&b'-');
    if is_begin && !title.contains("private key") {
        return None;
    }
    let reach = rest;
    if is_begin && let Some(close) = reach.find("-----END ") {
        let tail = reach.get(close + 9..)?;
        let stop = tail.find("-----").map_or(tail.len(), |dashes| dashes + 5);
        return Some((start, end + close + 9 + stop));
    }
    // Without an end, every following line that is key material belongs to it.
    let mut stop = end + line.len();
    for next in reach.get(line.len()..)?.split_inclusive('\n') {
        let bare = next.trim();
        let is_material = bare.is_empty()
            || bare.len() >= 16 && bare.bytes().all(is_token_byte)
            || bare.contains(": ") && bare.len() < 100
            || bare == "\\n";
        if !is_material {
            break;
        }
        if !bare.is_empty() {
            stop = end
                + line.len()
                + (next.as_ptr() as usize)
                    .saturating_sub(reach.get(line.len()..)?.as_ptr() as usize)
                + next.trim_end().len();
        }
    }
    Some((start, stop))
}

fn jwt(text: &str, start: usize) -> Option<(usize, usize)> {
    if text.get(start..start + 3)? != "eyJ"
        || start
            .checked_sub(1)
            .and_then(|at| text.as_bytes().get(at))
            .is_some_and(|&b| is_word_byte(b))
    {
        return None;
    }
    // A token may be broken over lines; its parts go on where the next line begins.
    let mut end = start;
    let mut token = String::new();
    loop {
        let next = run(text, end, TOKEN_BYTES, |b| {
            b.is_ascii_alphanumeric() || b"_-.=".contains(&b)
        });
        token.push_str(text.get(end..next)?);
        if token.len() > TOKEN_BYTES {
            break;
        }
        let gap = run(text, next, 8, |b| b.is_ascii_whitespace());
        let piece = run(text, gap, TOKEN_BYTES, |b| {
            b.is_ascii_alphanumeric() || b"_-.=".contains(&b)
        });
        let more = text.get(gap..piece)?;
        let broken =
            gap > next && text.get(next..gap)?.contains('\n') && more.len() >= 8 && is_random(more);
        end = next;
        if !broken {
            break;
        }
        end = gap;
    }
    let token = token.trim_end_matches('.');
    let parts = token.split('.').filter(|part| part.len() >= 4).count();
    (parts >= 2 && token.len() >= 30 || token.len() >= 40 && kinds(token).digit > 0)
        .then_some((start, end))
}

fn header(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    if start
        .checked_sub(1)
        .and_then(|at| text.as_bytes().get(at))
        .is_some_and(|&b| is_word_byte(b))
    {
        return None;
    }
    let begin = run(text, end, 4, |b| b" \"'`".contains(&b));
    let stop = run(text, begin, TOKEN_BYTES, is_token_byte);
    let token = text.get(begin..stop)?.trim_end_matches(['.', '-']);
    let is_basic = text.get(start..start + 5)?.eq_ignore_ascii_case("basic");
    let strong = is_random(token)
        || is_mixed(token, 12) && !is_wordy(token)
        || is_digest(token)
        || is_basic
            && token.len() >= 8
            && (token.ends_with('=') || is_mixed(token, 12))
            && !is_wordy(token);
    (token.len() >= 8 && strong && !is_stand_in(token) && !is_term(token))
        .then_some((begin, begin + token.len()))
}

fn hook(text: &str, start: usize, length_min: usize) -> Option<(usize, usize)> {
    let end = run(text, start, TOKEN_BYTES, |b| {
        is_token_byte(b) || b":@".contains(&b)
    });
    let token = text.get(start..end)?;
    (token.len() >= length_min && !is_stand_in(token) && kinds(token).digit > 0)
        .then_some((start, end))
}

fn dsn(text: &str, at: usize) -> Option<(usize, usize)> {
    let before = text.get(..at)?;
    let reach = before.len().saturating_sub(128);
    let start = before
        .bytes()
        .rev()
        .take(before.len() - reach)
        .take_while(|b| b.is_ascii_graphic() && !b"\"'`=".contains(b))
        .count();
    let user = before.get(at - start..)?;
    let (name, password) = user.split_once(':')?;
    (!password.is_empty() && !is_stand_in(password)).then_some((at - start + name.len() + 1, at))
}

fn flag(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let mark = text.get(start..end)?;
    let begin = run(text, end, 4, |b| b" \"'=".contains(&b));
    let stop = run(text, begin, 256, |b| {
        b.is_ascii_graphic() && !b"\"'`;|)".contains(&b)
    });
    let value = text.get(begin..stop)?;
    if mark.eq_ignore_ascii_case("pass:") {
        // `-pass pass:x` of openssl; `pass: 12` of a test report has a space.
        let is_flag = text
            .get(start.saturating_sub(10)..start)
            .is_some_and(|before| before.contains("-pass"));
        return (begin == end && is_flag && value.len() >= 4 && !is_stand_in(value))
            .then_some((begin, stop));
    }
    let (offset, password) =
        if mark.to_ascii_lowercase().ends_with("-u ") || mark.eq_ignore_ascii_case("--user ") {
            let (name, password) = value.split_once(':')?;
            (name.len() + 1, password)
        } else {
            (0, value)
        };
    (password.len() >= 3 && !is_stand_in(password)).then_some((begin + offset, stop))
}

fn pair(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let is_inside = |b: u8| is_word_byte(b) || b"/.:\\".contains(&b);
    if start
        .checked_sub(1)
        .and_then(|at| text.as_bytes().get(at))
        .is_some_and(|&b| is_inside(b))
    {
        return None;
    }
    let stop = run(text, end, 64, |b| {
        b.is_ascii_graphic() && !b"\"'`,;)|<>&".contains(&b)
    });
    let value = text.get(end..stop)?;
    let kinds = kinds(value);
    let is_number = kinds.digit == value.len() && (5..=12).contains(&kinds.digit);
    let is_marked = is_mixed(value, 6)
        && value.contains(['!', '@', '#', '$', '%', '^'])
        && !value.contains('/')
        && kinds.digit > 0;
    (is_number || is_marked && !is_stand_in(value)).then_some((end, stop))
}

fn login(text: &str, end: usize) -> Option<(usize, usize)> {
    let rest = super::head(text.get(end..)?, USER_BYTES);
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let mut at = 0;
    // Chinese words of prose, then a few English ones that say what the name is.
    for (skipped, c) in line.char_indices().take(14) {
        at = skipped;
        if c.is_ascii_alphanumeric() || ",;。".contains(c) {
            break;
        }
    }
    loop {
        let here = line.get(at..)?;
        let word = here.get(..here.find(' ').unwrap_or(0))?;
        if ![
            "always", "the", "user", "account", "still", "now", "as", "with", "is", "a",
        ]
        .contains(&word)
        {
            break;
        }
        at += word.len() + 1;
    }
    let (start, stop) = super::tied::pair(line.get(at..)?)?;
    Some((end + at + start, end + at + stop))
}

fn behind(text: &str, start: usize) -> Option<(usize, usize)> {
    let before = text.get(..start)?.trim_end();
    let length = before
        .bytes()
        .rev()
        .take(64)
        .take_while(|b| b.is_ascii_graphic() && !b"\"'`".contains(b))
        .count();
    let value = before.get(before.len() - length..)?;
    let end = before.len();
    (is_mixed(value, 4) && !is_stand_in(value) && !value.contains('.'))
        .then_some((end - length, end))
}

fn command(text: &str, end: usize, option: &str) -> Option<(usize, usize)> {
    let rest = super::head(text.get(end..)?, USER_BYTES);
    let line = rest.get(..rest.find(['\n', '|', ';']).unwrap_or(rest.len()))?;
    let at = line.find(option)? + option.len();
    let begin = run(line, at, 1, |b| b == b'\'' || b == b'"');
    let stop = run(line, begin, 256, |b| {
        b.is_ascii_graphic() && !b"\"'`)".contains(&b)
    });
    let value = line.get(begin..stop)?;
    let is_port = value.bytes().all(|b| b.is_ascii_digit() || b == b':') && value.len() < 6;
    (value.len() >= 3 && !is_port && !is_stand_in(value)).then_some((end + begin, end + stop))
}

fn fields(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let keep = |b: u8| b.is_ascii_graphic() && !b"\"'`/@,;".contains(&b);
    let before = text
        .as_bytes()
        .get(..start)?
        .iter()
        .rev()
        .take(128)
        .take_while(|b| keep(**b))
        .count();
    let stop = run(text, end, 256, keep);
    let line = text.get(start - before..stop)?;
    let mut fields = line.splitn(5, ':');
    let (host, port) = (fields.next()?, fields.next()?);
    let (_, _, password) = (fields.next()?, fields.next()?, fields.next()?);
    let is_line = !host.is_empty()
        && (port == "*"
            || port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit()) && !port.is_empty());
    (is_line && password.len() >= 3 && !is_stand_in(password))
        .then_some((stop - password.len(), stop))
}

fn crypt(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let stop = run(text, end, 256, |b| {
        b.is_ascii_alphanumeric() || b"./$=,+".contains(&b)
    });
    (stop - end >= 22).then_some((start, stop))
}

fn netrc(text: &str, end: usize) -> Option<(usize, usize)> {
    let rest = super::head(text.get(end..)?, 200);
    let mut words = rest.split_whitespace();
    words.next()?;
    let is_password = words.next()?.eq_ignore_ascii_case("password");
    let password = words.next()?;
    if !is_password || is_stand_in(password) || is_term(password) || !password.is_ascii() {
        return None;
    }
    let start = end + (password.as_ptr() as usize - rest.as_ptr() as usize);
    Some((start, start + password.len()))
}
