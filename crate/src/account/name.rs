//! What a person calls a memory: its id in any form that is printed, the beginning of one, or its exact text.

use crate::memory::MemoryId;
use crate::text::digest::fold;

/// Characters after `m-` from which on a beginning is looked for.
const PREFIX_MIN_CHARS: usize = 3;

/// What a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// Whole ids, each once, in order.
    Ids(Vec<MemoryId>),
    /// The beginning of an id, with its `m-`.
    Beginning(String),
    /// No id: perhaps the text itself, folded.
    Words(String),
}

/// Reads what a person typed: `m-…`, `M-…`, without the `m-`, a printed line with brackets and date, the first characters.
pub fn named(given: &str) -> Named {
    let words: Vec<String> = given
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .map(|word| word.trim_matches('-').to_ascii_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let mut ids: Vec<MemoryId> = words.iter().filter_map(|word| whole(word)).collect();
    crate::text::order::sort(&mut ids);
    ids.dedup();
    if !ids.is_empty() {
        return Named::Ids(ids);
    }
    let is_beginning = |word: &str| {
        word.len() >= PREFIX_MIN_CHARS
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let marked = words.iter().find_map(|word| {
        let tail = word.strip_prefix("m-")?;
        is_beginning(tail).then(|| format!("m-{tail}"))
    });
    let alone = match words.as_slice() {
        [word] if is_beginning(word) && word.bytes().any(|b| b.is_ascii_digit()) => {
            Some(format!("m-{word}"))
        }
        _ => None,
    };
    match marked.or(alone) {
        Some(beginning) => Named::Beginning(beginning),
        None => Named::Words(fold(given)),
    }
}

/// Returns the id a word is, with or without `m-`.
fn whole(word: &str) -> Option<MemoryId> {
    let tail = word.strip_prefix("m-").unwrap_or(word);
    let (digest, version) = tail.split_once('-').unwrap_or((tail, "2"));
    let is_id = digest.len() == 12
        && digest.bytes().all(|b| b.is_ascii_alphanumeric())
        && !version.is_empty()
        && version.bytes().all(|b| b.is_ascii_digit());
    // Twelve letters without `m-` are a word far oftener than an id.
    let is_sure = word.starts_with("m-") || digest.bytes().any(|b| b.is_ascii_digit());
    (is_id && is_sure).then(|| MemoryId::from(format!("m-{tail}")))
}

/// Returns the id whose first version this is a later one of: itself without `-2`, `-3` ….
pub fn first_version(id: &MemoryId) -> MemoryId {
    let tail = id.as_str().strip_prefix("m-").unwrap_or(id.as_str());
    match tail.split_once('-') {
        Some((digest, version)) if version.bytes().all(|b| b.is_ascii_digit()) => {
            MemoryId::from(format!("m-{digest}"))
        }
        _ => id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printed_form_of_an_id_names_it() {
        for form in [
            "m-0123456789ab",
            "M-0123456789AB",
            "0123456789ab",
            "[constraint m-0123456789ab 2026-09-29]",
            "- [constraint m-0123456789ab 2026-09-29] 端口固定",
            "`m-0123456789ab`",
            " (m-0123456789ab), ",
        ] {
            assert_eq!(
                named(form),
                Named::Ids(vec!["m-0123456789ab".into()]),
                "{form}"
            );
        }
        assert_eq!(
            named("m-0123456789ab-2"),
            Named::Ids(vec!["m-0123456789ab-2".into()])
        );
    }

    #[test]
    fn a_beginning_is_one_marked_word_or_one_word_with_a_digit() {
        assert_eq!(named("m-01a"), Named::Beginning("m-01a".to_owned()));
        assert_eq!(
            named("[constraint M-01A…"),
            Named::Beginning("m-01a".to_owned())
        );
        assert_eq!(named("5m51"), Named::Beginning("m-5m51".to_owned()));
        for words in [
            "changelog",
            "m-",
            "use port 8000",
            "端口固定",
            "conventional",
        ] {
            assert!(matches!(named(words), Named::Words(_)), "{words}");
        }
    }

    #[test]
    fn a_later_version_knows_its_first() {
        assert_eq!(
            first_version(&"m-0123456789ab-3".into()),
            "m-0123456789ab".into()
        );
        assert_eq!(
            first_version(&"m-0123456789ab".into()),
            "m-0123456789ab".into()
        );
    }
}
