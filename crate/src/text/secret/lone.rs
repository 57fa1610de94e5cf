//! Secrets without name or prefix: two dotted parts of a Chinese vendor's key, a random run on its own.

use super::Found;
use super::value::{
    is_digest, is_hex, is_random, is_stand_in, is_uuid, is_wordy, kinds, longest_word,
};
use crate::text::form;

/// Characters of a random run in the middle of a sentence, and on a line of its own.
const INSIDE_CHARS: usize = 24;
const ALONE_CHARS: usize = 20;
/// Bytes of the shortest run that is half a key.
const RUN_MIN: usize = 8;
/// Characters beyond which a run is data, not a key (an encoded picture).
const RUN_MAX: usize = 1024;

/// Words before a random run that make it an identifier or a digest.
#[rustfmt::skip]
const IDENTIFIER_WORDS: &[&str] = &[
    "id", "ids", "sha", "sha1", "sha256", "sha384", "sha512", "md5", "hash", "digest", "checksum", "commit",
    "revision", "rev", "etag", "fingerprint", "trace", "request", "span", "uuid", "integrity", "h1", "blob", "tree",
    "object", "ref", "nonce", "tx", "transaction", "block", "address", "cid", "build", "version", "tag", "image",
    "layer", "cache", "校验和", "摘要", "指纹", "哈希", "提交", "编号", "版本", "标识", "校验值",
];

/// Beginnings of runs that are public by design.
#[rustfmt::skip]
const PUBLIC_STARTS: &[&str] = &[
    "sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", "req_", "msg_",
    "toolu_", "chatcmpl-", "call_", "cus_", "evt_", "run_", "resp_", "asst_", "thread_", "price_", "prod_", "file-",
    "Qm", "bafy", "0x", "xxxx", "data:", "MII",
];

/// Finds runs that are keys by their form alone.
pub(super) fn scan(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut last: Option<(usize, usize)> = None;
    for (at, end) in form::runs(text, RUN_MIN) {
        let length = end - at;
        let run = Run {
            text,
            start: at,
            end,
        };
        if let Some((start, stop)) = run.key() {
            // What was broken off at the end of the line before is the first half of this key.
            let first = last
                .filter(|&(_, stop)| run.continues(stop))
                .filter(|&(start, stop)| text.get(start..stop).is_some_and(is_half));
            found.push(Found {
                rule: "lone-key",
                start: first.map_or(start, |(start, _)| start),
                end: stop,
            });
        } else if let Some((start, stop)) = last
            && run.continues(stop)
            && let Some(joined) = bytes
                .get(start..stop)
                .and_then(|first| join(first, bytes.get(at..end)?))
            && is_joined_key(&joined, stop - start, length)
        {
            found.push(Found {
                rule: "lone-key",
                start,
                end,
            });
        }
        last = Some((at, end));
    }
}

fn join(first: &[u8], second: &[u8]) -> Option<String> {
    (first.len() + second.len() <= RUN_MAX).then_some(())?;
    Some(format!(
        "{}{}",
        std::str::from_utf8(first).ok()?,
        std::str::from_utf8(second).ok()?
    ))
}

struct Run<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

impl Run<'_> {
    /// Returns the key in this run.
    fn key(&self) -> Option<(usize, usize)> {
        let whole = self.text.get(self.start..self.end)?;
        if whole.len() < 16 {
            return None;
        }
        let run = whole.trim_start_matches(['.', '-', '=', '/', '+', '~']);
        let start = self.start + (whole.len() - run.len());
        let run = run.trim_end_matches(['.', '-', '=', '/', '+', '~']);
        let end = start + run.len();
        if run.len() < 16 || run.len() > RUN_MAX {
            return None;
        }
        if is_dotted_pair(run) {
            return Some((start, end));
        }
        // A bot's number, a colon, `AA` and 33 characters.
        if run.len() == 35 && run.starts_with("AA") {
            let before = self.text.as_bytes().get(..start).unwrap_or_default();
            let n_digits = before
                .iter()
                .rev()
                .skip(1)
                .take(12)
                .take_while(|b| b.is_ascii_digit())
                .count();
            if before.last() == Some(&b':') && n_digits >= 8 {
                return Some((start - n_digits - 1, end));
            }
        }
        // Behind `=` or `:` stands a value of its own; a name before it belongs to the scan of names.
        let alone = self.is_alone();
        let least = if alone { ALONE_CHARS } else { INSIDE_CHARS };
        if run.len() < least || self.is_identifier(run) {
            return None;
        }
        is_lone(run, alone).then_some((start, end))
    }

    /// Whether nothing but quotes stands beside the run on its line.
    fn is_alone(&self) -> bool {
        let quiet =
            |c: char| c == ' ' || c == '\t' || matches!(c, '"' | '\'' | '`' | ',' | ';' | '\r');
        let before = self.text.get(..self.start).unwrap_or_default();
        let after = self.text.get(self.end..).unwrap_or_default();
        before
            .trim_end_matches(quiet)
            .chars()
            .next_back()
            .is_none_or(|c| c == '\n')
            && after
                .trim_start_matches(quiet)
                .chars()
                .next()
                .is_none_or(|c| c == '\n')
    }

    fn is_identifier(&self, run: &str) -> bool {
        if PUBLIC_STARTS.iter().any(|start| run.starts_with(start)) {
            return true;
        }
        let before = self.text.get(..self.start).unwrap_or_default();
        if before.ends_with(['/', '@', '#', '%', '&', '?', ':'])
            && !before.ends_with(": ")
            && !before.ends_with(":")
        {
            return true;
        }
        let before = before.trim_end_matches([' ', ':', '=', '"', '\'', '`', '(', '[', '#']);
        let chars: Vec<char> = before.chars().rev().take(12).collect();
        let near: String = chars.iter().rev().collect::<String>().to_ascii_lowercase();
        let word = near
            .rsplit(|c: char| !(c.is_alphanumeric()))
            .next()
            .unwrap_or_default();
        let camel = word.ends_with("id") || word.ends_with("hash") || word.ends_with("digest");
        camel
            || IDENTIFIER_WORDS
                .iter()
                .any(|known| word == *known || !known.is_ascii() && near.ends_with(known))
    }

    /// Whether this run goes on where a run that ended at `stop` was broken: a line break, or a break and quotes.
    fn continues(&self, stop: usize) -> bool {
        let between = self.text.get(stop..self.start).unwrap_or_default();
        between.len() <= 24
            && between.contains('\n')
            && between.bytes().all(|b| {
                matches!(
                    b,
                    b'\n' | b'\r' | b' ' | b'\t' | b'"' | b'\'' | b'`' | b'+' | b'\\'
                )
            })
    }
}

/// 32 hexadecimal digits, a dot, 16 letters and digits.
fn is_dotted_pair(run: &str) -> bool {
    run.split_once('.').is_some_and(|(first, second)| {
        (first.len() == 32 && is_hex(first) || first.len() >= 16 && is_random(first))
            && (12..=64).contains(&second.len())
            && second.bytes().all(|b| b.is_ascii_alphanumeric())
            && kinds(second).digit > 0
            && is_random(second)
            && longest_word(first).max(longest_word(second)) < 6
    })
}

fn is_lone(run: &str, alone: bool) -> bool {
    if is_digest(run)
        || is_uuid(run)
        || is_stand_in(run)
        || has_words(run)
        || longest_word(run) >= 6
    {
        return false;
    }
    let kinds = kinds(run);
    if is_hex(run) {
        // 32 digits alone on a line are a key as often as a digest; said in a sentence they come with their name.
        return alone && kinds.digit > 0 && kinds.lower + kinds.upper > 0 && run.len() >= 32;
    }
    if kinds.upper == 0 || kinds.lower == 0 {
        let least = if alone { 6 } else { 4 };
        return kinds.digit >= 3
            && kinds.changes * least >= run.len()
            && kinds.other == 0
            && is_random(run);
    }
    kinds.digit >= 2
        && kinds.changes * 10 >= run.len() * 3
        && kinds.other * 8 <= run.len()
        && is_random(run)
}

/// A path, a dotted name or a file: parts separated by marks, one of which is a word.
fn has_words(run: &str) -> bool {
    let parts: Vec<&str> = run
        .split(['/', '.', '_', '-'])
        .filter(|part| !part.is_empty())
        .collect();
    parts.len() > 1
        && parts.iter().any(|part| {
            part.len() >= 4 && is_wordy(part) && part.bytes().all(|b| b.is_ascii_alphabetic())
        })
}

/// Whether two runs broken by a line end are one key. Each alone must already look drawn at random.
fn is_joined_key(joined: &str, first: usize, second: usize) -> bool {
    let bare = joined.trim_matches(['.', '-', '=', '/']);
    if is_dotted_pair(bare) {
        return true;
    }
    let halves = [
        joined.get(..first).unwrap_or_default(),
        joined.get(joined.len() - second..).unwrap_or_default(),
    ];
    bare.len() >= INSIDE_CHARS && is_lone(bare, true) && halves.into_iter().all(is_half)
}

/// Whether a piece alone looks drawn at random.
fn is_half(piece: &str) -> bool {
    let kinds = kinds(piece);
    kinds.digit > 0 && kinds.lower + kinds.upper > 0 && kinds.changes >= 3 && !is_wordy(piece)
}
