//! Placeholders for what changes from run to run, and for nothing else.

use super::path;

/// Words after which a number is a moving place, a process or an amount of time.
#[rustfmt::skip]
const BEFORE_NUMBER: &[&str] = &[
    "line", "lines", "position", "pos", "column", "col", "char", "character", "offset", "byte", "pid", "pid:", "pid=",
    "process", "ppid", "thread", "tid", "attempt", "after", "took", "within", "elapsed", "行", "第", "位置", "进程",
];

/// Words before which a number is an amount.
#[rustfmt::skip]
const AFTER_NUMBER: &[&str] = &[
    "s", "sec", "secs", "second", "seconds", "ms", "msec", "millisecond", "milliseconds", "us", "µs", "ns", "m",
    "min", "mins", "minute", "minutes", "h", "hour", "hours", "byte", "bytes", "kb", "mb", "gb", "kib", "mib", "gib",
    "times", "attempts", "retries", "tries", "秒", "毫秒", "分钟", "次", "字节",
];

/// Words after which a number is a name, however long.
const NAMED_NUMBER: &[&str] = &[
    "port", "code", "errno", "error", "status", "http", "exit", "端口", "signal", "version", "v",
];

/// Units that stand on a number.
const UNITS: &[&str] = &[
    "s", "ms", "us", "µs", "ns", "m", "h", "sec", "secs", "min", "mins", "b", "kb", "mb", "gb",
    "kib", "mib", "gib", "k", "g", "%", "x", "kb/s", "mb/s", "秒", "毫秒", "分钟",
];

/// Hosts that mean this machine: a tool tries them in turn.
#[rustfmt::skip]
const LOCAL_HOSTS: [&str; 9] = [
    "127.0.0.1", "0.0.0.0", "localhost", "::", "::1", "[::]", "[::1]", "*", "",
];

/// Two wordings of one message by two versions of a tool: as found, as written.
#[rustfmt::skip]
const WORDINGS: &[(&str, &str)] = &[
    ("npm error ", "npm ERR! "),
    ("EADDRINUSE: address already in use", "EADDRINUSE"),
    (" - error TS", ": error TS"),
    ("nothing added to commit but untracked files present (use 'git add' to track)", "nothing to commit"),
    ("nothing added to commit but untracked files present", "nothing to commit"),
    ("nothing to commit, working tree clean", "nothing to commit"),
    ("nothing to commit, working directory clean", "nothing to commit"),
];

/// Returns `line` with placeholders, single spaces and plain quotes.
pub(super) fn mask(line: &str) -> String {
    let line = after_numbered(&after_shell(&plain(line)));
    let tokens = tokens(&line);
    // How long something waited says nothing about why.
    let is_timeout = line.contains("timed out") || line.contains("imeout") || line.contains("超时");
    let mut out = String::with_capacity(line.len());
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Space => {
                if !out.ends_with(' ') && !out.is_empty() {
                    out.push(' ');
                }
            }
            Token::Sign(sign) => out.push_str(sign),
            Token::Place => {}
            Token::Word(word) => {
                let before = previous_word(&tokens, index);
                let after = next_word(&tokens, index);
                out.push_str(&mask_word(
                    word,
                    before,
                    after,
                    is_timeout,
                    next_sign(&tokens, index),
                ));
            }
        }
    }
    let mut out = out.trim().to_owned();
    for (found, written) in WORDINGS {
        if out.contains(found) {
            out = out.replace(found, written);
        }
    }
    out
}

enum Token<'a> {
    Space,
    Sign(&'a str),
    Word(&'a str),
    /// A place in parentheses or brackets right behind a file, which moves: `(12,5)`, `[12,5]`.
    Place,
}

/// Writes quotes, brackets and stops as the C locale does.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '‘' | '’' | '“' | '”' | '`' | '「' | '」' | '"' => out.push('\''),
            '：' => {
                out.push(':');
                if chars.peek().is_some_and(|next| *next != ' ') {
                    out.push(' ');
                }
            }
            '，' => out.push(','),
            '。' => out.push('.'),
            '（' => out.push('('),
            '）' => out.push(')'),
            c if c.is_whitespace() || c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Programs that put their own name, and the line of a script that moves, before a message.
const SHELLS: [&str; 7] = ["bash", "sh", "dash", "zsh", "ksh", "ash", "fish"];

/// Words for a line before or behind its number.
const LINE_WORDS: [&str; 8] = [
    "line",
    "行",
    "第",
    "Zeile",
    "ligne",
    "línea",
    "linha",
    "строка",
];

/// Drops where in a script a shell was (`bash: line 3: x` is `bash: x`), and the process it speaks of.
fn after_shell(line: &str) -> String {
    let Some((program, rest)) = line.split_once(':') else {
        return line.to_owned();
    };
    let name = program
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .trim_start_matches('-');
    if !SHELLS.contains(&name) {
        return line.to_owned();
    }
    let mut rest = rest.trim_start();
    if let Some((place, more)) = rest.split_once(':') {
        let is_place = place.split([' ', '\u{a0}']).all(|word| {
            word.is_empty()
                || LINE_WORDS.contains(&word)
                || word.bytes().all(|b| b.is_ascii_digit())
        });
        if is_place && place.bytes().any(|b| b.is_ascii_digit()) {
            rest = more.trim_start();
        }
    }
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if n_digits > 0 && rest.as_bytes().get(n_digits) == Some(&b' ') {
        rest = rest.get(n_digits..).unwrap_or_default().trim_start();
    }
    format!("{name}: {rest}")
}

/// Drops the number of a nested make and of a thread that panicked.
fn after_numbered(line: &str) -> String {
    if let Some((depth, rest)) = line
        .strip_prefix("make[")
        .and_then(|rest| rest.split_once(']'))
        && depth.bytes().all(|b| b.is_ascii_digit())
    {
        return format!("make{rest}");
    }
    if line.starts_with("thread '")
        && let Some((thread, rest)) = line.split_once("' (")
        && let Some((number, rest)) = rest.split_once(") ")
        && number.bytes().all(|b| b.is_ascii_digit())
    {
        return format!("{thread}' {rest}");
    }
    line.to_owned()
}

fn is_sign(c: char) -> bool {
    matches!(
        c,
        '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | '=' | '|'
    )
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = line.get(at..) {
        let Some(c) = rest.chars().next() else {
            break;
        };
        if c == ' ' {
            tokens.push(Token::Space);
            at += 1;
        } else if is_sign(c) {
            match place_length(rest)
                .filter(|_| matches!(tokens.last(), Some(Token::Word(word)) if is_placed(word)))
            {
                Some(length) => {
                    tokens.push(Token::Place);
                    at += length;
                }
                None => {
                    tokens.push(Token::Sign(rest.get(..c.len_utf8()).unwrap_or_default()));
                    at += c.len_utf8();
                }
            }
        } else {
            let end = rest
                .find(|c: char| c == ' ' || is_sign(c))
                .unwrap_or(rest.len());
            // A drive path may hold spaces inside quotes; it is taken up to the quote.
            tokens.push(Token::Word(rest.get(..end).unwrap_or_default()));
            at += end;
        }
    }
    tokens
}

/// Whether a place in brackets may follow: a file, and the colon that Maven puts between.
fn is_placed(word: &str) -> bool {
    let bare = word.trim_end_matches(':');
    is_file(bare) || is_absolute(bare)
}

/// Length of `(12,5)`, `(12)` or `[12,5]` at the start; a lone `[3]` is an index and stays.
fn place_length(rest: &str) -> Option<usize> {
    let close = match rest.as_bytes().first()? {
        b'(' => ')',
        b'[' => ']',
        _ => return None,
    };
    let end = rest.find(close)?;
    let inside = rest.get(1..end)?;
    let numbers = !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit() || b == b',');
    (numbers && (inside.contains(',') || close == ')' || inside.len() >= 3)).then_some(end + 1)
}

fn previous_word<'a>(tokens: &[Token<'a>], index: usize) -> &'a str {
    tokens
        .get(..index)
        .unwrap_or_default()
        .iter()
        .rev()
        .take(3)
        .find_map(|token| match token {
            Token::Word(word) => Some(*word),
            _ => None,
        })
        .unwrap_or_default()
}

fn next_word<'a>(tokens: &[Token<'a>], index: usize) -> &'a str {
    let mut rest = tokens
        .get(index + 1..)
        .unwrap_or_default()
        .iter()
        .peekable();
    if !matches!(rest.peek(), Some(Token::Space)) {
        return "";
    }
    match rest.find(|token| !matches!(token, Token::Space)) {
        Some(Token::Word(word)) => word,
        _ => "",
    }
}

fn next_sign<'a>(tokens: &[Token<'a>], index: usize) -> &'a str {
    match tokens.get(index + 1) {
        Some(Token::Sign(sign)) => sign,
        _ => "",
    }
}

fn mask_word(word: &str, before: &str, after: &str, is_timeout: bool, sign: &str) -> String {
    let core = word.trim_end_matches(['.', ':', ',', '!', '?']);
    let end = word.get(core.len()..).unwrap_or_default();
    if core.is_empty() {
        return word.to_owned();
    }
    if let Some(at) = core.find("://") {
        return format!("{}{end}", url(core, at));
    }
    // `app.rb:12:in` of a Ruby message.
    if let Some((path, place)) = core.strip_suffix(":in").map(split_place)
        && !place.is_empty()
    {
        return format!("{}:in{end}", parts(path));
    }
    let (path, place) = split_place(core);
    if is_absolute(path) {
        return format!("{}{end}", path::mask(path));
    }
    if !place.is_empty() && is_file(path) {
        return format!("{}{end}", parts(path));
    }
    if let Some(number) = number(core, before, after, is_timeout) {
        return format!("{number}{end}");
    }
    if let Some(address) = address(core, sign) {
        return format!("{address}{end}");
    }
    format!("{}{end}", parts(core))
}

/// Splits `:12:5` or `:12` off the end of a word.
fn split_place(word: &str) -> (&str, &str) {
    let mut head = word;
    for _ in 0..2 {
        match head.rsplit_once(':') {
            Some((rest, digits))
                if !digits.is_empty()
                    && digits.bytes().all(|b| b.is_ascii_digit())
                    && rest.len() > 1 =>
            {
                head = rest;
            }
            _ => break,
        }
    }
    (head, word.get(head.len()..).unwrap_or_default())
}

fn is_absolute(word: &str) -> bool {
    let bytes = word.as_bytes();
    (word.starts_with('/') && word.len() > 1)
        || word.starts_with("~/")
        || word.starts_with("\\\\")
        || bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.get(1) == Some(&b':')
            && bytes.get(2).is_some_and(|&b| b == b'\\' || b == b'/')
}

/// Whether a word that a place follows is a file and not a host.
fn is_file(word: &str) -> bool {
    word.contains(['/', '\\'])
        || word.ends_with("file")
        || word.rsplit_once('.').is_some_and(|(name, extension)| {
            !name.is_empty()
                && (1..=8).contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_alphanumeric())
                && extension.bytes().any(|b| b.is_ascii_alphabetic())
                && !matches!(
                    extension,
                    "com" | "cn" | "org" | "net" | "io" | "dev" | "local" | "internal" | "svc"
                )
        })
}

/// A location keeps scheme, host and port; ids inside its path go.
fn url(word: &str, at: usize) -> String {
    let (scheme, rest) = (
        word.get(..at).unwrap_or_default(),
        word.get(at + 3..).unwrap_or_default(),
    );
    if scheme == "file" {
        let (path, _) = split_place(rest);
        return format!("file://{}", path::mask(path));
    }
    let path = rest.find('/').unwrap_or(rest.len());
    let (host, path) = (
        rest.get(..path).unwrap_or_default(),
        rest.get(path..).unwrap_or_default(),
    );
    let path = path.split(['?', '#']).next().unwrap_or_default();
    format!(
        "{scheme}://{}{}",
        address(host, "").unwrap_or_else(|| host.to_owned()),
        parts(path)
    )
}

/// Masks each part of a name: `run-1f2e3d/app.js` is `run-<id>/app.js`.
fn parts(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for part in word.split_inclusive(['/', '\\']) {
        let bare = part.trim_end_matches(['/', '\\']);
        out.push_str(&component(bare));
        out.push_str(part.get(bare.len()..).unwrap_or_default());
    }
    out
}

/// Masks ids in one component of a path or one word.
pub(super) fn component(word: &str) -> String {
    if is_uuid(word) {
        return "<id>".to_owned();
    }
    if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        if hex.len() >= 4 && hex.bytes().all(|b| b.is_ascii_hexdigit()) && !is_status(hex) {
            return "<addr>".to_owned();
        }
        return word.to_owned();
    }
    if word.len() < 6 {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    for piece in word.split_inclusive(['-', '_', '.', '@', ':', '+', '~', '#']) {
        let bare = piece.trim_end_matches(['-', '_', '.', '@', ':', '+', '~', '#']);
        let end = piece.get(bare.len()..).unwrap_or_default();
        if is_uuid(bare) || is_id(bare, !out.is_empty()) {
            // An id of several pieces is one id.
            if !out.ends_with("<id>-") {
                out.push_str("<id>");
            } else {
                out.pop();
            }
        } else if out.ends_with("<id>-")
            && bare.len() == 5
            && bare
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        {
            // The pod of a replica set has a short random end behind a long one.
            out.pop();
        } else if let Some(hex) = bare
            .strip_prefix("0x")
            .filter(|hex| !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        {
            out.push_str(if is_status(hex) { bare } else { "<addr>" });
        } else {
            out.push_str(bare);
        }
        out.push_str(end);
    }
    out
}

/// Eight digits that begin with 8 or C are a status of Windows, not an address.
fn is_status(hex: &str) -> bool {
    hex.len() == 8 && hex.starts_with(['8', 'c', 'C'])
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(at, b)| {
            if matches!(at, 8 | 13 | 18 | 23) {
                b == b'-'
            } else {
                b.is_ascii_hexdigit()
            }
        })
}

/// Whether a piece without separators was drawn at random: a hash, or letters and digits mixed throughout.
fn is_id(piece: &str, is_tail: bool) -> bool {
    if !piece.is_ascii() || piece.len() < 6 || !piece.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let digits = piece.bytes().filter(u8::is_ascii_digit).count();
    if digits == piece.len() {
        return digits >= 8;
    }
    if digits == 0 {
        return false;
    }
    let lower_hex = piece
        .bytes()
        .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let changes = piece
        .as_bytes()
        .windows(2)
        .filter(|pair| class(pair.first()) != class(pair.last()))
        .count();
    // `abc123` and `ed25519` are names: an id changes between letters and digits more than once, or hangs on another word.
    if lower_hex {
        return piece != "ed25519"
            && (changes >= 2 || is_tail || piece.len() >= 12 || first_is_digit(piece));
    }
    piece.len() >= 8 && changes * 5 >= piece.len() * 2 && changes >= 4
}

fn first_is_digit(word: &str) -> bool {
    word.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

fn class(byte: Option<&u8>) -> u8 {
    match byte {
        Some(b) if b.is_ascii_digit() => 0,
        Some(b) if b.is_ascii_lowercase() => 1,
        Some(_) => 2,
        None => 3,
    }
}

/// Masks a number that is an amount, a moment or a moving place. Nothing when the word is no such number.
fn number(word: &str, before: &str, after: &str, is_timeout: bool) -> Option<String> {
    let first = word.trim_start_matches(['-', '+', '#', '~', 'v', 'L']);
    let digits = first
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(first.len());
    let (amount, unit) = (first.get(..digits)?, first.get(digits..)?);
    if amount.is_empty() || !amount.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    if first.split_once(':').is_some_and(|(line, column)| {
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        all_digits(line) && all_digits(column) && line.len() < 6 && column.len() < 4
    }) && matches!(after, "error" | "warning")
    {
        return Some("<n>".to_owned());
    }
    if is_moment(first) {
        return Some("<time>".to_owned());
    }
    if !unit.is_empty() {
        let lower = unit.to_ascii_lowercase();
        let is_span = UNITS.contains(&lower.as_str()) || is_span(first);
        return is_span.then(|| "<n>".to_owned());
    }
    let before = before.trim_end_matches([':', '.']).to_ascii_lowercase();
    let after = after.trim_end_matches([':', '.', ',']).to_ascii_lowercase();
    let is_version = amount.matches('.').count() > 1;
    if is_version || NAMED_NUMBER.contains(&before.as_str()) {
        return None;
    }
    let is_amount = BEFORE_NUMBER.contains(&before.as_str())
        || AFTER_NUMBER.contains(&after.as_str())
        || is_timeout
        || amount
            .split_once('.')
            .is_some_and(|(_, decimals)| decimals.len() >= 3)
        || amount.len() >= 6;
    is_amount.then(|| "<n>".to_owned())
}

/// `1m30s`, `2h05m`.
fn is_span(word: &str) -> bool {
    word.bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'h' | b'm' | b's'))
}

/// A date or a time of day.
fn is_moment(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let all = word.bytes().all(|b| {
        b.is_ascii_digit() || matches!(b, b':' | b'-' | b'/' | b'.' | b',' | b'T' | b'Z' | b'+')
    });
    let dated = word
        .as_bytes()
        .get(4)
        .is_some_and(|&b| b == b'-' || b == b'/')
        && word
            .as_bytes()
            .get(7)
            .is_some_and(|&b| b == b'-' || b == b'/');
    let timed = word.matches(':').count() >= 2 && word.as_bytes().get(2) == Some(&b':');
    all && digits >= 5 && (dated || timed)
}

/// Masks a network address and keeps its port. Nothing when the word is none.
fn address(word: &str, sign: &str) -> Option<String> {
    // The near end of a connection has a port made for it: `10.0.0.5:54321->10.0.0.9:443`.
    if sign == ">" && word.ends_with('-') && word.contains(':') {
        return Some("<ip>-".to_owned());
    }
    if LOCAL_HOSTS.contains(&word) {
        return (word.contains(['.', ':'])).then(|| "localhost".to_owned());
    }
    let (host, port) = match word.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (host, Some(port))
        }
        _ => (word, None),
    };
    if let Some(port) = port {
        if LOCAL_HOSTS.contains(&host)
            || host.starts_with("::") && host.bytes().all(|b| b == b':' || b == b'1')
        {
            return Some(format!(":{port}"));
        }
        if host == "node" && port.len() >= 3 {
            return Some("node:<n>".to_owned());
        }
    }
    let is_ip = host.split('.').count() == 4
        && host
            .split('.')
            .all(|part| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
    if !is_ip {
        return None;
    }
    Some(match port {
        Some(port) => format!("<ip>:{port}"),
        None => "<ip>".to_owned(),
    })
}
