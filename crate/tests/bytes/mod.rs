//! Bytes on their way to a reader that must bear any: mutation, and checksums made right again behind it.
#![allow(dead_code, clippy::indexing_slicing)]

use jev_memory_core::fake::FakeRandom;
use jev_memory_core::store::codec::{checksum, seal, split_sum};

/// Pieces that a reader takes seriously.
const WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "{\"v\":1",
    "{\"v\":2",
    "\"last\":true",
    "\"seq\":0",
    "\"seq\":18446744073709551615",
    "\"tx\":1",
    "\"kind\":\"forget\"",
    "\"kind\":\"checkpoint\"",
    "null",
    "[]",
    "{}",
    "\"sum\":\"",
    "\u{feff}",
    "\0\0\0\0",
    "-1",
    "1e999",
    "\"offset\":99999999999",
    "\"memories\":[",
    "\u{d7ff}",
    "\"digest\":\"0000000000000000\"",
];

/// Numbers at the edges of their types.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "18446744073709551615",
    "18446744073709551614",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740993",
    "4294967295",
    "4294967296",
    "1e308",
    "0.5",
];

/// Changes bytes in one to four ways.
pub fn mutate(random: &FakeRandom, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.next() % 4 {
        let at = (random.next() as usize) % (bytes.len() + 1);
        let length = (random.next() as usize) % 40;
        let end = (at + length).min(bytes.len());
        match random.next() % 10 {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << (random.next() % 8);
                }
            }
            2 => bytes[at..end].fill(0),
            3 => {
                bytes.drain(at..end);
            }
            4 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let word = WORDS[(random.next() as usize) % WORDS.len()];
                bytes.splice(at..at, word.bytes());
            }
            6 => {
                let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
                bytes.splice(at..end, noise);
            }
            7 => {
                let mut lines: Vec<Vec<u8>> = bytes
                    .split_inclusive(|&b| b == b'\n')
                    .map(<[u8]>::to_vec)
                    .collect();
                if lines.len() > 1 {
                    let (a, b) = (
                        (random.next() as usize) % lines.len(),
                        (random.next() as usize) % lines.len(),
                    );
                    lines.swap(a, b);
                }
                *bytes = lines.concat();
            }
            8 => {
                // Another number in the place of the next one.
                let is_digit = |byte: &u8| byte.is_ascii_digit();
                let Some(from) = bytes[at..].iter().position(is_digit) else {
                    continue;
                };
                let from = at + from;
                let length = bytes[from..].iter().take_while(|x| is_digit(x)).count();
                let number = NUMBERS[(random.next() as usize) % NUMBERS.len()];
                bytes.splice(from..from + length, number.bytes());
            }
            _ => {
                let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
                *bytes = text.into_bytes();
            }
        }
    }
}

/// Makes the checksum of every line right again, so that what was changed is read and not only refused.
pub fn seal_lines(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match split_sum(line.trim_ascii()) {
            Some((body, _)) => {
                let start = out.len();
                out.extend_from_slice(body);
                seal(&mut out, start);
                if !line.ends_with(b"\n") {
                    out.pop();
                }
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// Makes the digest of a checkpoint right again.
pub fn seal_checkpoint(bytes: &[u8]) -> Vec<u8> {
    const KEY: &[u8] = br#""digest":""#;
    let mut out = bytes.to_vec();
    let found = out.windows(KEY.len()).position(|window| window == KEY);
    let digits = found.map(|at| at + KEY.len()..at + KEY.len() + 16);
    if let Some(digits) = digits.filter(|digits| digits.end <= out.len()) {
        out[digits.clone()].fill(b'0');
        let digest = checksum(&out);
        out[digits].copy_from_slice(digest.as_bytes());
    }
    out
}
