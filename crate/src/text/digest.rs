//! Stable ids from text.

use sha2::{Digest, Sha256};

/// Crockford's base 32 in lower case: no `i`, `l`, `o`, `u`, so an id survives being read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Characters of a short digest: 60 bits.
const ID_CHARS: usize = 12;

/// Returns 12 characters that name `bytes`: a device id, a signature's key.
pub fn short_digest(bytes: &[u8]) -> String {
    base32(&Sha256::digest(bytes))
}

/// Returns whether `text` has the form [`short_digest`] gives.
pub fn is_short_digest(text: &str) -> bool {
    text.len() == ID_CHARS && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

fn base32(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(ID_CHARS);
    let (mut buffer, mut bits) = (0u32, 0u32);
    for &byte in bytes {
        buffer = (buffer << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 && out.len() < ID_CHARS {
            bits -= 5;
            let index = (buffer >> bits) as usize & 31;
            out.push(ALPHABET.get(index).copied().map_or('0', char::from));
        }
        if out.len() == ID_CHARS {
            break;
        }
    }
    out
}

/// Returns the form of a cut that its id comes from, which is frozen: half-width, lower case, one space for a run, no space or stop at the ends.
///
/// Idempotent. Used for identity only; what is stored and shown keeps its own form.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        let c = half_width(c);
        if c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}') {
            space = true;
            continue;
        }
        if space && !out.is_empty() {
            out.push(' ');
        }
        space = false;
        out.extend(c.to_lowercase());
    }
    let end = out.trim_end_matches(['.', '!', ';', ',', ' ']).len();
    out.truncate(end);
    out
}

/// Returns the form in which two cuts are compared: half-width, lower case, one space for a run and none beside
/// punctuation or between Han and Latin, without the bullet, quotes and stops around it.
///
/// Idempotent. Wider than [`fold`]: it tells whether a cut says again what is known, and no id depends on it.
pub fn key(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut space, mut before) = (false, None);
    for c in text.chars() {
        let c = half_width(c);
        if c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}') {
            space = true;
            continue;
        }
        if space && before.is_some_and(|before| parts(before, c)) {
            out.push(' ');
        }
        (space, before) = (false, Some(c));
        let c = if c == '…' { '.' } else { c };
        out.extend(c.to_lowercase());
    }
    bare(&out).to_owned()
}

/// Returns whether a space between two characters says anything: beside these signs and between scripts it is typography.
fn parts(before: char, after: char) -> bool {
    let is_sign = |c: char| matches!(c, ',' | ';' | '!' | '?' | ':' | '(' | ')' | '"');
    let is_latin = |c: char| c.is_ascii_alphanumeric();
    let is_dense = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    !(is_sign(before)
        || is_sign(after)
        || is_latin(before) && is_dense(after)
        || is_dense(before) && is_latin(after))
}

/// Returns a folded text without the bullet before it, the stops after it and the quotes that hold all of it.
fn bare(mut text: &str) -> &str {
    loop {
        let mut next = text.trim_end_matches(['.', '!', ';', ',', ':', '~', ' ']);
        for bullet in ["- ", "* ", "• "] {
            next = next.strip_prefix(bullet).unwrap_or(next);
        }
        for quote in ['"', '\'', '`'] {
            let inner = next.strip_prefix(quote).and_then(|x| x.strip_suffix(quote));
            next = inner.unwrap_or(next).trim();
        }
        if next == text {
            return text;
        }
        text = next;
    }
}

/// Letters of a cut that its mark is made of: enough to tell rules that begin alike apart.
const MARKED: usize = 32;

/// Returns a digest of the first letters, which cuts with one [`key`] share.
pub fn letters_mark(text: &str) -> u64 {
    let step = |hash: u64, c: char| (hash ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3);
    letters(text).take(MARKED).fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns whether two cuts have one [`key`], mostly at the cost of their first letters.
pub fn is_same_cut(a: &str, b: &str) -> bool {
    letters(a).eq(letters(b)) && key(a) == key(b)
}

/// Letters and digits alone, in lower case.
fn letters(text: &str) -> impl Iterator<Item = char> {
    str::chars(text)
        .map(half_width)
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Maps full-width forms and Chinese punctuation to their ASCII twins.
fn half_width(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '。' | '｡' => '.',
        '、' => ',',
        '“' | '”' | '„' | '「' | '」' | '『' | '』' => '"',
        '‘' | '’' => '\'',
        '【' => '[',
        '】' => ']',
        '《' => '<',
        '》' => '>',
        '—' | '–' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &str, right: &str, same: bool) {
        assert_eq!(is_same_cut(left, right), same, "{left:?} {right:?}");
        assert_eq!(fold(&fold(left)), fold(left));
        assert_eq!(key(&key(left)), key(left));
    }

    #[test]
    fn width_case_space_and_stops_do_not_tell_cuts_apart() {
        check("端口固定 8000。", "端口固定 8000.", true);
        check("端口固定 8000。", "端口固定 8000。\u{3000}", true);
        check("Use PNPM only", "use pnpm only.", true);
        check("接口（内部）", "接口(内部)", true);
        check("先写测试，再写代码", "先写测试, 再写代码", true);
        check("运行 make check", "运行make check！！", true);
        check("“端口固定 8000。”", "- 端口固定 8000……", true);
        check("端口固定 8000", "端口固定 8001", false);
        check(".env 不提交", "env 不提交", false);
        check("--force is banned", "force is banned", false);
        check("make check", "makecheck", false);
        check("用 tab 吗？", "用 tab 吗", false);
    }

    #[test]
    fn a_short_digest_has_twelve_characters() {
        assert_eq!(short_digest(b"x").len(), 12);
    }
}
