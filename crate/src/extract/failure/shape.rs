//! Lines known by their shape: diagnostics with a place, exceptions with a name, what a terminal hides.

use super::rules::{COMPILE, LINT, SOUND, WRAP};

/// Decoration that tools put before a line.
const DECORATION: &[char] = &[
    '│', '┃', '×', '✖', '✗', '✘', '❌', '⨯', '➤', '❯', '·', '╰', '╭', '├', '└', '─', '▶', '►',
];

/// Ends of the names of raised things.
const RAISED_ENDS: [&str; 6] = [
    "Error",
    "Exception",
    "Expired",
    "Interrupt",
    "Failure",
    "DoesNotExist",
];

/// Returns the text as a terminal shows it: no escape sequences, only the last state of a line written over itself.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line_start = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    for c in chars.by_ref() {
                        if ('@'..='~').contains(&c) {
                            break;
                        }
                    }
                }
                Some(']') => {
                    // An operating system command ends with a bell or with escape and backslash.
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || c == '\n' {
                            break;
                        }
                        if c == '\u{1b}' {
                            chars.next();
                            break;
                        }
                    }
                }
                _ => {
                    chars.next();
                }
            },
            '\r' => {
                if chars.peek() != Some(&'\n') && chars.peek().is_some() {
                    out.truncate(line_start);
                }
            }
            '\u{8}' => {
                if out.len() > line_start {
                    out.pop();
                }
            }
            '\n' => {
                out.push('\n');
                line_start = out.len();
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the line without indentation, decoration and time stamp.
pub(super) fn body(raw: &str) -> &str {
    let mut rest = raw.trim();
    loop {
        let before = rest.len();
        rest = rest.trim_start_matches(DECORATION).trim_start();
        rest = after_time(rest).unwrap_or(rest);
        if rest.len() == before {
            return rest;
        }
    }
}

/// Whether the host wrote this line around the tool's output.
pub(super) fn is_host_line(body: &str) -> bool {
    body == "[stderr]"
        || body == "[stdout]"
        || body
            .strip_prefix("[exit code: ")
            .or_else(|| body.strip_prefix("Exit code "))
            .or_else(|| body.strip_prefix("exit code "))
            .is_some_and(|rest| {
                rest.trim_end_matches(']')
                    .bytes()
                    .all(|b| b.is_ascii_digit())
            })
}

/// Skips `2026-01-02 03:04:05,678`, `[03:04:05]`, `2026-01-02T03:04:05.678Z` and the like at the start of a line.
fn after_time(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[').unwrap_or(text);
    let end = inner
        .find(|c: char| {
            !(c.is_ascii_digit()
                || matches!(c, ':' | '-' | '/' | '.' | ',' | 'T' | 'Z' | '+' | ' '))
        })
        .unwrap_or(inner.len());
    let stamp = inner.get(..end)?;
    let colons = stamp.matches(':').count();
    let digits = stamp.bytes().filter(u8::is_ascii_digit).count();
    if colons < 2 || digits < 5 || !stamp.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    // A stamp ends at a space or at its bracket; the rest of a run belongs to the message.
    let rest = inner.get(end..)?;
    if let Some(rest) = rest.strip_prefix(']') {
        return Some(rest.trim_start_matches([':', ' ']));
    }
    if rest.is_empty() || !stamp.ends_with(' ') {
        return None;
    }
    Some(rest)
}

/// A place at the start of a line: the file, whether a column is given, and what follows.
struct Place<'a> {
    file: &'a str,
    column: bool,
    message: &'a str,
}

fn place(body: &str) -> Option<Place<'_>> {
    let colon = body.find([':', '('])?;
    // A drive letter is not a file.
    let colon = if colon == 1
        && body
            .as_bytes()
            .get(2)
            .is_some_and(|&b| b == b'\\' || b == b'/')
    {
        2 + body.get(2..)?.find([':', '('])?
    } else {
        colon
    };
    let file = body.get(..colon)?;
    if file.is_empty()
        || file.len() > 300
        || file.contains([' ', '"', '\''])
        || !(file.contains('.') || file.ends_with("file"))
    {
        return None;
    }
    let rest = body.get(colon + 1..)?;
    if body.as_bytes().get(colon) == Some(&b'(') {
        let end = rest.find(')')?;
        let inside = rest.get(..end)?;
        if inside.is_empty()
            || !inside
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b',' || b == b' ')
        {
            return None;
        }
        let message = rest.get(end + 1..)?.trim_start().strip_prefix(':')?;
        return Some(Place {
            file,
            column: inside.contains(','),
            message: message.trim_start(),
        });
    }
    let (line, rest) = digits(rest)?;
    if line == 0 {
        return None;
    }
    let (column, rest) = match rest.strip_prefix(':').and_then(digits) {
        Some((n, rest)) if n > 0 => (true, rest),
        _ => (false, rest),
    };
    let message = rest
        .strip_prefix(':')
        .or_else(|| rest.strip_prefix(" - "))
        .or_else(|| column.then_some(rest).filter(|rest| rest.starts_with(' ')))?;
    Some(Place {
        file,
        column,
        message: message.trim_start(),
    })
}

/// Splits leading digits off; how many, and the rest.
fn digits(text: &str) -> Option<(usize, &str)> {
    let n = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((n, text.get(n..)?))
}

/// Returns the rank that a line's shape gives, 0 to mute it; nothing when it has none of the shapes.
pub(super) fn rank(body: &str) -> Option<u8> {
    if let Some(place) = place(body) {
        let lower = super::telling::head(place.message, 24).to_ascii_lowercase();
        let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
        return Some(
            if starts(&["warning", "note", "info", "help", "hint", "警告", "附注"]) {
                0
            } else if starts(&["error", "fatal error", "错误", "致命错误"]) {
                COMPILE
            } else if place.message.is_empty() {
                0
            } else if place.column {
                LINT
            } else if raised(place.message) {
                WRAP
            } else {
                SOUND
            },
        );
    }
    if is_eslint(body) {
        return Some(LINT);
    }
    raised(body).then_some(LINT)
}

/// Whether the text begins with the name of something raised: `KeyError: 'x'`, `Error [ERR_X]: …`, `a.b.SomeException`.
fn raised(text: &str) -> bool {
    let text = text.strip_prefix("Uncaught ").unwrap_or(text);
    let text = text.strip_prefix("Unhandled ").unwrap_or(text);
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')))
        .unwrap_or(text.len());
    let name = text.get(..end).unwrap_or_default();
    let rest = text.get(end..).unwrap_or_default();
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && RAISED_ENDS.iter().any(|known| name.ends_with(known))
        && (rest.is_empty()
            || rest.starts_with(": ")
            || rest.starts_with(" [")
            || rest.starts_with(":\n"))
}

/// Whether the line is a diagnostic of a linter: a place, then a code.
pub(super) fn is_lint(body: &str) -> bool {
    lint_message(body).is_some()
}

/// Returns the message of a linter's diagnostic, from its code on.
pub(super) fn lint_message(body: &str) -> Option<&str> {
    let place = place(body).filter(|place| place.column || !place.file.is_empty())?;
    let code = place.message.split([' ', ':']).next()?;
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let numbers = code.len() - letters;
    ((1..=4).contains(&letters)
        && (2..=5).contains(&numbers)
        && code.bytes().skip(letters).all(|b| b.is_ascii_digit()))
    .then_some(place.message)
}

/// Whether the line is eslint's `12:5  error  message  rule`.
pub(super) fn is_eslint(body: &str) -> bool {
    let Some((n, rest)) = digits(body) else {
        return false;
    };
    let Some((m, rest)) = rest.strip_prefix(':').and_then(digits) else {
        return false;
    };
    n > 0 && m > 0 && rest.starts_with(' ') && rest.trim_start().starts_with("error")
}

/// Whether the line is nothing but a path.
pub(super) fn is_path_line(raw: &str) -> bool {
    !raw.starts_with([' ', '\t'])
        && !raw.contains(' ')
        && raw.contains('.')
        && raw.contains(['/', '\\'])
        || raw.ends_with(".js")
        || raw.ends_with(".ts")
        || raw.ends_with(".vue")
}
