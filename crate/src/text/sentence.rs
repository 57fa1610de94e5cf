//! Cuts text into sentences: Chinese and Latin stops, line ends, list items. Pieces joined give the text.

use unicode_segmentation::UnicodeSegmentation;

/// Words that end in a full stop without ending a sentence. Lower case, without the stop.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "approx", "dept", "fig", "no", "mr", "mrs", "ms", "dr", "env",
    "dev", "resp", "incl", "excl", "max", "min", "nav", "a.k.a",
];

/// Bytes looked back over for an abbreviation: the longest is shorter.
const ABBREVIATION_LOOK_BACK: usize = 8;

/// Returns the sentences of `text` in order, whitespace and stops included, so that joined they give `text`.
///
/// A cut stands after a line end, after a Chinese stop, and after a Latin stop that is followed by space and does not belong
/// to a number, a list mark or an abbreviation. Closing quotes and brackets stay with their sentence. One pass over the text.
pub fn cut(text: &str) -> Cuts<'_> {
    Cuts { rest: text }
}

/// Iterator of [`cut`].
#[derive(Debug, Clone)]
pub struct Cuts<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Cuts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (head, tail) = self.rest.split_at(first_end(self.rest));
        self.rest = tail;
        Some(head)
    }
}

/// Returns the byte length of the first sentence, never 0 for a text that is not empty, always at a character.
fn first_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut stopped = false;
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        if c == '\n' || (c == '\r' && chars.peek().is_none_or(|&(_, next)| next != '\n')) {
            return end;
        }
        stopped = match c {
            '。' | '！' | '？' | '｡' => true,
            '.' | '!' | '?' | '…' if latin_stop(text, at, c) => true,
            _ if stopped && closes(c) => true,
            _ => false,
        };
        if !stopped {
            continue;
        }
        let next = chars.peek().map(|&(_, next)| next);
        match next {
            Some(next) if closes(next) || stops(next) => {}
            Some(next) if is_wide_stop(c) || closes(c) && !next.is_ascii_alphanumeric() => {
                return end;
            }
            Some(next) if next.is_whitespace() => return end,
            None => return end,
            // A Latin stop inside a word, a path or a version goes on.
            Some(_) => stopped = false,
        }
    }
    text.len()
}

fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡')
}

fn stops(c: char) -> bool {
    is_wide_stop(c) || matches!(c, '.' | '!' | '?' | '…')
}

fn closes(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | ')' | ']' | '”' | '’' | '」' | '』' | '）' | '】' | '》'
    )
}

/// Returns whether the stop at `at` can end a sentence: not a list mark, not an abbreviation.
fn latin_stop(text: &str, at: usize, c: char) -> bool {
    if c != '.' {
        return true;
    }
    let line = text.get(..at).unwrap_or_default();
    if line.trim_start().len() <= 3 && line.trim().bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let from = (at.saturating_sub(ABBREVIATION_LOOK_BACK)..=at)
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(at);
    let tail = text.get(from..at).unwrap_or_default().to_ascii_lowercase();
    !ABBREVIATIONS.iter().any(|word| {
        tail.strip_suffix(word).is_some_and(|before| {
            before
                .chars()
                .next_back()
                .is_none_or(|b| !b.is_alphanumeric())
        })
    })
}

/// Returns the graphemes of `text`, or `limit + 1` when there are more: it looks no further.
pub fn graphemes_up_to(text: &str, limit: usize) -> usize {
    if text.is_ascii() {
        return text.len().min(limit.saturating_add(1));
    }
    // Han stands alone: what begins with nothing else needs no table of clusters.
    let plain = |c: char| c.is_ascii_alphanumeric() || ('\u{3400}'..='\u{9fff}').contains(&c);
    let n_plain = text
        .chars()
        .take_while(|&c| plain(c))
        .take(limit.saturating_add(2))
        .count();
    if n_plain > limit.saturating_add(1) {
        return limit.saturating_add(1);
    }
    text.graphemes(true).take(limit.saturating_add(1)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        let pieces: Vec<&str> = cut(text).collect();
        assert_eq!(pieces.concat(), text);
        let trimmed: Vec<&str> = pieces
            .iter()
            .map(|piece| piece.trim())
            .filter(|piece| !piece.is_empty())
            .collect();
        assert_eq!(trimmed, expected);
    }

    #[test]
    fn chinese_and_latin_stops_end_a_sentence() {
        check(
            "端口固定。不要改！好吗？",
            &["端口固定。", "不要改！", "好吗？"],
        );
        check(
            "Use pnpm. Never npm! Clear? yes",
            &["Use pnpm.", "Never npm!", "Clear?", "yes"],
        );
        check("用 uv。Use uv. 完", &["用 uv。", "Use uv.", "完"]);
    }

    #[test]
    fn a_stop_inside_a_name_or_number_goes_on() {
        check(
            "Use v1.2.3 of a.b.c in x.rs now",
            &["Use v1.2.3 of a.b.c in x.rs now"],
        );
        check(
            "1. Use e.g. pnpm vs. npm. Fine",
            &["1. Use e.g. pnpm vs. npm.", "Fine"],
        );
        check("12. 先跑测试", &["12. 先跑测试"]);
    }

    #[test]
    fn lines_end_a_sentence_in_every_system() {
        check(
            "- a b c d\r\n- e f g h\n\n1. i j",
            &["- a b c d", "- e f g h", "1. i j"],
        );
        check("one\rtwo", &["one", "two"]);
    }

    #[test]
    fn quotes_and_brackets_stay_with_their_sentence() {
        check(
            "他说“不要改。”然后走了。",
            &["他说“不要改。”", "然后走了。"],
        );
        check(
            "(Never push to main.) Then stop...",
            &["(Never push to main.)", "Then stop..."],
        );
    }

    #[test]
    fn graphemes_are_counted_whole() {
        assert_eq!(graphemes_up_to("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 400), 3);
        assert_eq!(graphemes_up_to("abc", 400), 3);
        assert_eq!(graphemes_up_to("abcdef", 4), 5);
    }

    proptest! {
        #[test]
        fn pieces_joined_give_the_text(text in ".{0,200}") {
            prop_assert_eq!(cut(&text).collect::<String>(), text);
        }
        #[test]
        fn stops_in_any_order_are_survived(text in "[。.!?！…\"”）)\\]\r\n 1a中']{0,60}") {
            prop_assert_eq!(cut(&text).collect::<String>(), text.clone());
            prop_assert!(cut(&text).all(|piece| !piece.is_empty()));
        }
    }
}
