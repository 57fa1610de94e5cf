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

/// Returns the form in which two cuts are compared: half-width, lower case, one space for a run, no space or stop at the ends.
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
        assert_eq!(fold(left) == fold(right), same, "{left:?} {right:?}");
        assert_eq!(fold(&fold(left)), fold(left));
    }

    #[test]
    fn width_case_space_and_stops_do_not_tell_cuts_apart() {
        check("端口固定 8000。", "端口固定 8000.", true);
        check("端口固定 8000。", "端口固定 8000。\u{3000}", true);
        check("Use PNPM only", "use pnpm only.", true);
        check("接口（内部）", "接口(内部)", true);
        check("端口固定 8000", "端口固定 8001", false);
    }

    #[test]
    fn a_short_digest_has_twelve_characters() {
        assert_eq!(short_digest(b"x").len(), 12);
    }
}
