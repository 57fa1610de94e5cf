//! What a text looks like, in one pass each: characters by kind, marks, runs of key material, lower case.

/// Characters and words of a text by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    pub chars: usize,
    pub han: usize,
    pub letters: usize,
    pub digits: usize,
    /// Characters of code: braces, angle brackets, `=`, `;`, `_` …
    pub symbols: usize,
    pub words: usize,
    pub first: char,
    pub last: char,
    pub marks: Marks,
}

/// Characters that rarer questions depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// A slash, or a full stop inside a word.
    pub path: bool,
    pub at: bool,
    pub tick: bool,
    pub brackets: bool,
    /// Two capitals in a row.
    pub capitals: bool,
    /// A question mark, or a final particle of questions.
    pub question: bool,
    /// Brackets opened less brackets closed.
    pub balance: i32,
}

/// Returns the form of a text, without the space around it.
pub fn form(text: &str) -> Form {
    let mut out = Form {
        chars: 0,
        han: 0,
        letters: 0,
        digits: 0,
        symbols: 0,
        words: 0,
        first: ' ',
        last: ' ',
        marks: Marks::default(),
    };
    let (mut in_word, mut capital, mut previous) = (false, false, ' ');
    let mut marks = Marks::default();
    for c in text.trim().chars() {
        if out.chars == 0 {
            out.first = c;
        }
        out.chars += 1;
        match c {
            'a'..='z' => {
                out.letters += 1;
                marks.path |= previous == '.';
            }
            'A'..='Z' => {
                out.letters += 1;
                marks.capitals |= capital;
            }
            '0'..='9' => out.digits += 1,
            '吗' | '呢' => {
                out.han += 1;
                marks.question = true;
            }
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => out.han += 1,
            '(' | ')' => {
                out.symbols += 1;
                marks.balance += if c == '(' { 1 } else { -1 };
                marks.brackets |= c == ')' && previous == '(';
            }
            '（' => marks.balance += 1,
            '）' => marks.balance -= 1,
            '{' | '}' | '<' | '>' | '=' | ';' | '_' | '[' | ']' | '|' | '\\' | '$' | '"' | '&'
            | '+' => {
                out.symbols += 1;
            }
            '@' => {
                out.symbols += 1;
                marks.at = true;
            }
            '/' => marks.path = true,
            '`' => marks.tick = true,
            '?' | '？' => marks.question = true,
            _ => {}
        }
        capital = c.is_ascii_uppercase();
        let wordy = c.is_ascii_alphanumeric() || c == '\'';
        out.words += usize::from(wordy && !in_word);
        in_word = wordy;
        previous = c;
    }
    out.last = previous;
    out.marks = marks;
    out
}

/// Returns the runs of letters, digits and the marks of keys that have at least `least` bytes, by where they begin and end.
pub fn runs(text: &str, least: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, b) in text.bytes().enumerate() {
        let is_run = b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~');
        if !is_run {
            if at - start >= least {
                out.push((start, at));
            }
            start = at + 1;
        }
    }
    if text.len() - start >= least {
        out.push((start, text.len()));
    }
    out
}

/// Returns the text in lower-case ASCII: as long, byte for byte.
pub fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// Returns where the first colon of prose stands: a wide one, or one with a space, a quotation mark or no ASCII behind it.
/// Not at the start.
pub fn colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (1..bytes.len()).find(|&at| match bytes.get(at) {
        Some(b':') => bytes
            .get(at + 1)
            .is_some_and(|b| !b.is_ascii() || matches!(b, b' ' | b'"' | b'\'')),
        Some(0xef) => bytes.get(at..at + 3) == Some("：".as_bytes()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_by_kind() {
        let form = form("  Use `uv`, 不要 pip (v2)? ");
        assert_eq!(
            (form.chars, form.han, form.letters, form.digits),
            (22, 2, 9, 1)
        );
        assert_eq!((form.words, form.first, form.last), (4, 'U', '?'));
        assert!(form.marks.tick && form.marks.question && form.marks.balance == 0);
    }

    #[test]
    fn runs_end_where_prose_goes_on() {
        assert_eq!(runs("a abcdefgh 中ijklmnop", 8), [(2, 10), (14, 22)]);
        assert_eq!(runs("", 8), []);
        assert_eq!(runs("short", 8), []);
    }

    #[test]
    fn a_colon_of_prose_is_no_clock_and_no_address() {
        assert_eq!(colon("at 10:32 see http://a: b"), Some(21));
        assert_eq!(colon("规则：用"), Some(6));
        assert_eq!(colon(": x"), None);
        assert_eq!(colon("ends:"), None);
    }
}
