//! What a value is: a stand-in, a word, a password a person thought of, or something drawn at random.

use std::ops::Range;

/// A value read from a text.
pub(super) struct Value<'a> {
    pub text: &'a str,
    /// Where it stands in what was read.
    pub span: Range<usize>,
    pub is_quoted: bool,
}

/// Words that stand in for a value.
#[rustfmt::skip]
const STAND_INS: &[&str] = &[
    "your", "xxx", "placeholder", "example", "redacted", "changeme", "change_me", "change-me", "dummy", "sample",
    "insert", "replace", "todo", "fixme", "<", ">", "${", "{{", "$(", "***", "...", "…", "⟦", "env.", "environ",
    "getenv", "process.", "secrets.", "vault:", "masked", "hidden", "omitted", "foobar", "fake", "mock", "_here",
    "-here", "####", "----", "____", "%s",
];

/// Values that name a kind, a scheme or a state, and are no password.
#[rustfmt::skip]
const TERMS: &[&str] = &[
    "string", "str", "text", "varchar", "char", "bool", "boolean", "int", "integer", "number", "object", "any",
    "null", "none", "nil", "undefined", "true", "false", "empty", "required", "optional", "invalid", "valid",
    "missing", "expired", "wrong", "incorrect", "disabled", "enabled", "unset", "hash", "hashed", "encrypted",
    "bcrypt", "scrypt", "argon2", "argon2id", "argon2i", "pbkdf2", "md5", "sha1", "sha256", "sha-256", "sha512",
    "sha-512", "sha384", "hmac", "hs256", "hs512", "rs256", "es256", "aes", "aes128", "aes256", "aes-256", "aes-128",
    "rsa", "rsa2048", "rsa4096", "ed25519", "sm2", "sm3", "sm4", "base64", "base64url", "base32", "base58", "hex", "utf8", "utf-8",
    "jwt", "oauth", "oauth2", "oidc", "saml", "saml2", "sso", "mfa", "2fa", "totp", "otp", "http", "https", "http2",
    "json", "yaml", "toml", "uuid", "uuid4", "uuidv4", "uuidv7", "url", "uri", "path", "file", "env", "dotenv",
    "vault", "keychain", "keyring", "1password", "bitwarden", "keepass", "lastpass", "kms", "ssm", "password",
    "passwd", "pwd", "pass", "passphrase", "secret", "token", "key", "apikey", "api_key", "username", "user", "email",
    "phone", "name", "value", "input", "field", "form", "login", "self", "this", "the", "a", "an", "not", "in", "on",
    "at", "for", "from", "by", "with", "stored", "read", "set", "get", "post", "put", "used", "using", "must",
    "should", "may", "can", "will", "never", "always", "only", "now", "then", "and", "or", "if", "no", "yes",
    "default", "same", "private", "public", "type", "sensitive", "confidential", "bearer", "basic", "header",
    "cookie", "session", "redis", "mysql2", "oauth2.0", "sha256sum", "response", "request", "result", "data",
    "config", "settings", "options", "params", "args", "props", "await", "async", "new", "return", "const", "let",
    "var", "function", "def", "import", "export", "f", "b", "r", "u", "os", "req", "res", "ctx", "app", "protected",
    "unknown", "utf8mb4", "varchar255", "nvarchar", "bytes", "byte", "char64", "never", "keep", "rotated", "deprecated",
    "shared", "same", "generated", "random", "strong", "weak", "too", "incorrect",
];

/// Whether the value stands in for one: `YOUR_KEY_HERE`, `<token>`, `${VAR}`, `xxx`, `***`, `$TOKEN`, the name of a variable.
pub(super) fn is_stand_in(value: &str) -> bool {
    if value.is_empty()
        || value.starts_with(['$', '<', '{', '%', '*', '⟦', '@'])
            && !value.bytes().any(|b| b.is_ascii_digit())
    {
        return true;
    }
    if value.starts_with("${")
        || value.starts_with("{{")
        || value.starts_with("$(")
        || value.starts_with('<')
    {
        return true;
    }
    // A variable at the end: `pass:$PASS`.
    if let Some((_, variable)) = value.rsplit_once('$')
        && variable.len() >= 2
        && variable
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b == b'_')
    {
        return true;
    }
    // One character over and over.
    if value.len() >= 3
        && let Some(first) = value.bytes().find(|b| !b"-_.".contains(b))
        && value.bytes().all(|b| b == first || b"-_.".contains(&b))
        && !first.is_ascii_digit()
    {
        return true;
    }
    if value.len() >= 4
        && value.bytes().any(|b| b == b'_')
        && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    STAND_INS.iter().any(|word| lower.contains(word))
}

/// Whether the value is a word of the trade.
pub(super) fn is_term(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    TERMS.contains(&lower.as_str())
}

/// Whether an unquoted value is a call or another expression: `base64.b64encode(x`.
pub(super) fn is_expression(value: &str) -> bool {
    value.starts_with(':')
        || value.split_once('(').is_some_and(|(callee, _)| {
            !callee.is_empty()
                && callee
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_.:".contains(&b))
                && !is_random(callee)
        })
}

/// What kinds of characters a value has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kinds {
    pub lower: usize,
    pub upper: usize,
    pub digit: usize,
    pub other: usize,
    /// Changes between neighbours of different kind.
    pub changes: usize,
}

/// Counts the kinds of characters.
pub(super) fn kinds(value: &str) -> Kinds {
    let mut kinds = Kinds::default();
    let mut last = 4;
    for b in value.bytes() {
        let kind = match b {
            b'a'..=b'z' => 0,
            b'A'..=b'Z' => 1,
            b'0'..=b'9' => 2,
            _ => 3,
        };
        match kind {
            0 => kinds.lower += 1,
            1 => kinds.upper += 1,
            2 => kinds.digit += 1,
            _ => kinds.other += 1,
        }
        kinds.changes += usize::from(last != 4 && kind != last);
        last = kind;
    }
    kinds
}

/// Pairs of letters that English identifiers and pinyin are made of: bit `b` of row `a` stands for the pair `ab`.
///
/// # Source
/// The most frequent pairs that make up 94 % of the words in the sources and documentation of this workspace's
/// dependencies (13,343 words, each counted at most 40 times), and the initials and finals of pinyin: 272 of 676 pairs.
const PAIRS: [u32; 26] = [
    0x13efd4e, 0x0164915, 0x01e4d95, 0x0164919, 0x0efb97d, 0x01e4939, 0x0166991, 0x01a4111,
    0x2bef87f, 0x0100100, 0x0140111, 0x13c4919, 0x014d113, 0x03c6d7d, 0x07efd6e, 0x01ec991,
    0x0100100, 0x11efd7d, 0x11cddd5, 0x11ec9b5, 0x00ef917, 0x0000111, 0x0126111, 0x0188111,
    0x014e111, 0x0000190,
];

/// Whether the letters are mostly words: `user_profile_v2`, `configLoader2`, `my-service-01`.
///
/// Letters count as words in a run of four or more with a vowel, three quarters of whose pairs are common; six letters in
/// ten must. Of drawn strings of 16, 24 and 32 characters this takes 1, 0.3 and 0 in 1000 for words (letters of both
/// cases and digits), and it misses 7 in 100 identifiers put together from two to four words.
pub(super) fn is_wordy(value: &str) -> bool {
    let (mut letters, mut in_words) = (0, 0);
    each_run(value, |run| {
        letters += run.len();
        in_words += if is_word_run(run) { run.len() } else { 0 };
    });
    letters > 0 && in_words * 10 >= letters * 6
}

/// Returns the letters of the longest word.
pub(super) fn longest_word(value: &str) -> usize {
    let mut longest = 0;
    each_run(value, |run| {
        if run.len() > longest && is_word_run(run) {
            longest = run.len();
        }
    });
    longest
}

/// Visits the runs of letters: `configLoader` breaks before `L`, `HTTPServer` before `S`.
fn each_run(value: &str, mut visit: impl FnMut(&[u8])) {
    let bytes = value.as_bytes();
    let mut start = 0;
    for (at, &b) in bytes.iter().enumerate() {
        if !b.is_ascii_alphabetic() {
            start = at + 1;
            continue;
        }
        let breaks = match bytes.get(at + 1) {
            Some(next) if next.is_ascii_uppercase() => {
                b.is_ascii_lowercase() || bytes.get(at + 2).is_some_and(u8::is_ascii_lowercase)
            }
            Some(next) => !next.is_ascii_alphabetic(),
            None => true,
        };
        if breaks {
            visit(bytes.get(start..=at).unwrap_or_default());
            start = at + 1;
        }
    }
}

/// Whether a run of letters reads as a word.
pub(super) fn is_word_run(run: &[u8]) -> bool {
    let letter = |b: u8| usize::from(b.to_ascii_lowercase().wrapping_sub(b'a'));
    let common = run
        .windows(2)
        .filter(|pair| match pair {
            [a, b] => PAIRS
                .get(letter(*a))
                .is_some_and(|row| row >> letter(*b) & 1 == 1),
            _ => false,
        })
        .count();
    run.len() >= 4
        && common * 4 >= (run.len() - 1) * 3
        && run.iter().any(|b| b"aeiouyAEIOUY".contains(b))
}

/// Whether the value is lower or upper hexadecimal.
pub(super) fn is_hex(value: &str) -> bool {
    let lower = value
        .bytes()
        .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let upper = value
        .bytes()
        .all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b));
    !value.is_empty() && (lower || upper)
}

/// Whether the value has the form 8-4-4-4-12.
pub(super) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, b)| {
            if matches!(at, 8 | 13 | 18 | 23) {
                b == b'-'
            } else {
                b.is_ascii_hexdigit()
            }
        })
}

/// Whether the value is hexadecimal of the length of a commit or a digest that people write down.
pub(super) fn is_digest(value: &str) -> bool {
    matches!(value.len(), 40 | 56 | 64 | 96 | 128) && is_hex(value)
}

/// Whether the value was drawn at random: letters and digits mixed throughout and no words.
pub(super) fn is_random(value: &str) -> bool {
    let kinds = kinds(value);
    let (letters, length) = (kinds.lower + kinds.upper, value.len());
    if length < 12 || letters < 3 || kinds.other * 4 > length {
        return false;
    }
    // Sixteen random letters and digits hold no digit once in twenty; such a one must at least mix its case throughout.
    if kinds.digit == 0 && (kinds.upper < 3 || kinds.lower < 3 || kinds.changes * 3 < length) {
        return false;
    }
    kinds.changes * 6 >= length && distinct(value) * 5 >= length.min(40) && !is_wordy(value)
}

fn distinct(value: &str) -> usize {
    let mut seen = [false; 256];
    value
        .bytes()
        .filter(|&b| {
            seen.get_mut(usize::from(b))
                .is_some_and(|seen| !std::mem::replace(seen, true))
        })
        .count()
}

/// Whether the value is one a person would think of as a password: kinds of characters mixed, at least `length_min`.
pub(super) fn is_mixed(value: &str, length_min: usize) -> bool {
    if value.len() < length_min || is_version(value) || is_place(value) {
        return false;
    }
    let kinds = kinds(value);
    let letters = kinds.lower + kinds.upper;
    let marks = value.bytes().filter(|b| b"!@#$%^&*?+~".contains(b)).count();
    if is_identifier(value) {
        return false;
    }
    letters > 0 && (kinds.digit > 0 || marks > 0)
}

/// Whether the value is an expression or a name of words: `config.password2`, `user_token_v2`, `getToken2`.
fn is_identifier(value: &str) -> bool {
    let separated = value.bytes().filter(|b| b"._-:/".contains(b)).count();
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._-:/".contains(&b));
    plain && separated > 0 && is_wordy(value) && kinds(value).digit * 4 <= value.len()
}

/// `1.2.3`, `v2`, `3.11-slim`, `8-16`, `100k`.
fn is_version(value: &str) -> bool {
    let bare = value.trim_start_matches(['v', 'V', '^', '~', '>', '=', '<']);
    let core = bare.split(['-', '+']).next().unwrap_or_default();
    if core.matches('.').count() == 2 && core.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return true;
    }
    let numbers = bare
        .bytes()
        .take_while(|b| b.is_ascii_digit() || b".-x".contains(b))
        .count();
    numbers > 0
        && bare
            .bytes()
            .skip(numbers)
            .filter(|b| b.is_ascii_alphanumeric())
            .count()
            <= 2
        && (bare.contains('.') || bare.contains('-') || value.starts_with('v'))
        || bare.len() <= 5 && numbers > 0 && bare.len() - numbers <= 1
}

/// A path, an address, a file name, a location without credentials.
fn is_place(value: &str) -> bool {
    value.contains("://")
        || value.starts_with(['/', '~', '.'])
        || value.contains('/') && is_wordy(value)
        || value.rsplit_once('.').is_some_and(|(name, extension)| {
            !name.is_empty()
                && (2..=5).contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_lowercase())
                && is_wordy(name)
        })
}
