//! Blanking bytes that are not ours to read: damaged lines, quarantined files, rows of an unknown kind.

use super::Shredder;
use super::pieces::PIECE_CHARS;
use crate::store::codec;
use crate::text::sorted::Set;
use serde_json::Value;

/// Stands in the place of a forgotten character in a file that is not ours to read.
const BLANK: char = '·';

/// How a line names a record.
const ID_KEY: &str = r#""id":""#;

impl Shredder {
    /// Blanks the strings of a row whose kind is not known here, and appends it; returns whether it changed.
    pub(in crate::store) fn unknown(&self, line: &[u8], out: &mut Vec<u8>) -> bool {
        let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(line) else {
            return false;
        };
        fields.remove("sum");
        let mut changed = false;
        for (name, value) in &mut fields {
            if !matches!(name.as_str(), "v" | "origin" | "kind") {
                changed |= self.value(value);
            }
        }
        if !changed {
            return false;
        }
        let start = out.len();
        if serde_json::to_writer(&mut *out, &fields).is_err() {
            return false;
        }
        out.pop();
        codec::seal(out, start);
        true
    }

    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().fold(false, |x, item| x | self.value(item)),
            Value::Object(fields) => fields
                .values_mut()
                .fold(false, |x, item| x | self.value(item)),
            _ => false,
        }
    }

    /// Returns the bytes of a file that is not ours to read with every piece blanked, and how many places there were; `None` when there were none.
    ///
    /// A line that names one record, and a forgotten one, is blanked whole: it may hold words that nothing else knows any more.
    pub(in crate::store) fn bytes(&self, bytes: &[u8]) -> Option<(Vec<u8>, u32)> {
        let text = String::from_utf8_lossy(bytes);
        let mut gone: Set<usize> = Set::new();
        let ends = self.pieces.ends_in(&text);
        for end in &ends {
            gone.extend(end.saturating_sub(PIECE_CHARS)..*end);
        }
        let mut n = ends.len();
        let mut begins = 0;
        for line in text.split_inclusive('\n') {
            let n_chars = line.chars().count();
            if self.is_about_forgotten(line) {
                gone.extend(begins..begins + n_chars);
                n += 1;
            }
            begins += n_chars;
        }
        if n == 0 {
            return None;
        }
        let out: String = text
            .chars()
            .enumerate()
            .map(|(n, c)| {
                if gone.contains(&n) && c != '\n' {
                    BLANK
                } else {
                    c
                }
            })
            .collect();
        Some((out.into_bytes(), u32::try_from(n).unwrap_or(u32::MAX)))
    }

    fn is_about_forgotten(&self, line: &str) -> bool {
        let Some((_, rest)) = line.split_once(ID_KEY) else {
            return false;
        };
        // Of several records the others are kept.
        !rest.contains(ID_KEY)
            && rest
                .split_once('"')
                .is_some_and(|(id, _)| self.ids.iter().any(|known| known.as_str() == id))
    }
}
