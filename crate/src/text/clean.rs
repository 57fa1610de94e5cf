//! Takes away what stands before a sentence and is not part of it, and paths that name nothing lasting.

/// Put in place of a temporary path. The same word that failure signatures use.
pub const PATH: &str = "<path>";

/// Rounds of prefix removal. Each takes at least one grapheme, and a candidate has at most 400.
const MAX_ROUNDS: usize = 400;

/// Returns the sentence without leading markup, and with `<path>` for temporary paths.
///
/// Ordinary paths stay: a config path can be the whole point. Cleaning twice equals cleaning once. Identity never comes from
/// the result: [`crate::memory::MemoryId::of`] takes the original sentence.
pub fn clean(sentence: &str) -> String {
    let mut text = replace_temporary_paths(sentence.trim());
    if has_no_mark(&text) {
        return text;
    }
    for _ in 0..MAX_ROUNDS {
        let next = strip_once(text.trim());
        if next.len() == text.len() {
            break;
        }
        text = next;
    }
    text
}

/// A sentence that begins with a Latin letter or a Han character and ends without emphasis has none of the marks: most do.
fn has_no_mark(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || ('\u{3400}'..='\u{9fff}').contains(&c))
        && !text.ends_with('*')
        && !text.ends_with(char::is_whitespace)
}

/// One row: a prefix mark that may be taken away, and the case that asked for it.
struct Mark {
    take: fn(&str) -> Option<String>,
    /// A sentence of the shape, and what is left of it.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the table's own test"))]
    #[cfg(test)]
    case: (&'static str, &'static str),
}

const MARKS: &[Mark] = &[
    Mark {
        take: latex_environment,
        #[cfg(test)]
        case: ("\\end{itemize} 表格统一三线表", "表格统一三线表"),
    },
    Mark {
        take: latex_item,
        #[cfg(test)]
        case: ("\\item 图注放在图下面", "图注放在图下面"),
    },
    Mark {
        take: latex_wrapped,
        #[cfg(test)]
        case: ("\\textbf{注意} 不要改模板", "注意 不要改模板"),
    },
    Mark {
        take: bullet,
        #[cfg(test)]
        case: ("- use tabs", "use tabs"),
    },
    Mark {
        take: numbered,
        #[cfg(test)]
        case: ("3. 日志用英文", "日志用英文"),
    },
    Mark {
        take: bracket_numbered,
        #[cfg(test)]
        case: ("（2）日志用英文", "日志用英文"),
    },
    Mark {
        take: heading,
        #[cfg(test)]
        case: ("## Use tabs", "Use tabs"),
    },
    Mark {
        take: section_numbered,
        #[cfg(test)]
        case: ("2.4.1 接口必须鉴权", "接口必须鉴权"),
    },
    Mark {
        take: check_box,
        #[cfg(test)]
        case: ("[x] keep the lock file", "keep the lock file"),
    },
    Mark {
        take: attachment,
        #[cfg(test)]
        case: ("[Image #2] 按钮一律放右边", "按钮一律放右边"),
    },
    Mark {
        take: emphasis,
        #[cfg(test)]
        case: ("**Paths**: keep them short", "Paths: keep them short"),
    },
    Mark {
        take: quoted_line,
        #[cfg(test)]
        case: ("> keep it short", "keep it short"),
    },
    Mark {
        take: quotes_around,
        #[cfg(test)]
        case: ("“接口一律鉴权”", "接口一律鉴权"),
    },
    Mark {
        take: loose_quote,
        #[cfg(test)]
        case: ("\"keep the lock file", "keep the lock file"),
    },
    Mark {
        take: trailing_emphasis,
        #[cfg(test)]
        case: ("keep the lock file**", "keep the lock file"),
    },
];

fn strip_once(text: &str) -> String {
    for mark in MARKS {
        if let Some(left) = (mark.take)(text) {
            let left = left.trim();
            if !left.is_empty() && left.len() < text.len() {
                return left.to_owned();
            }
        }
    }
    text.to_owned()
}

fn latex_environment(text: &str) -> Option<String> {
    let rest = text
        .strip_prefix("\\end{")
        .or_else(|| text.strip_prefix("\\begin{"))?;
    let (_, tail) = rest.split_once('}')?;
    Some(tail.to_owned())
}

fn latex_item(text: &str) -> Option<String> {
    let rest = text.strip_prefix("\\item")?;
    rest.starts_with([' ', '\t', '[', '{'])
        .then(|| rest.to_owned())
}

const WRAPPERS: &[&str] = &[
    "\\textbf{",
    "\\textit{",
    "\\emph{",
    "\\texttt{",
    "\\underline{",
    "\\section{",
    "\\subsection{",
    "\\section*{",
    "\\paragraph{",
];

fn latex_wrapped(text: &str) -> Option<String> {
    let rest = WRAPPERS
        .iter()
        .find_map(|wrapper| text.strip_prefix(wrapper))?;
    let (inner, tail) = rest.split_once('}')?;
    Some(format!("{inner}{tail}"))
}

fn bullet(text: &str) -> Option<String> {
    let mut chars = text.chars();
    match chars.next()? {
        '-' | '*' | '+' | '–' | '—' => {
            let rest = chars.as_str();
            rest.starts_with([' ', '\t', '\u{3000}'])
                .then(|| rest.to_owned())
        }
        '•' | '·' | '●' | '○' | '▪' | '◦' | '‣' | '■' | '□' | '►' | '①'..='⑳' => {
            Some(chars.as_str().to_owned())
        }
        _ => None,
    }
}

fn numbered(text: &str) -> Option<String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let rest = text.get(digits..)?;
    if let Some(rest) = rest.strip_prefix('、') {
        return Some(rest.to_owned());
    }
    let rest = rest.strip_prefix(['.', ')', '）', '．'])?;
    rest.starts_with([' ', '\t']).then(|| rest.to_owned())
}

fn bracket_numbered(text: &str) -> Option<String> {
    let rest = text.strip_prefix(['(', '（'])?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    rest.get(digits..)?
        .strip_prefix([')', '）'])
        .map(str::to_owned)
}

fn heading(text: &str) -> Option<String> {
    let rest = text.trim_start_matches('#');
    let n = text.len() - rest.len();
    ((1..=6).contains(&n) && rest.starts_with([' ', '\t'])).then(|| rest.to_owned())
}

/// A section number of a document: at least two numbers, so that `3.5 倍` stays unless a space follows a third.
fn section_numbered(text: &str) -> Option<String> {
    let end = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let number = text.get(..end)?;
    let rest = text.get(end..)?;
    let dots = number.bytes().filter(|b| *b == b'.').count();
    (dots >= 2
        && end <= 12
        && number.starts_with(|c: char| c.is_ascii_digit())
        && rest.starts_with([' ', '\t']))
    .then(|| rest.to_owned())
}

fn check_box(text: &str) -> Option<String> {
    ["[ ] ", "[x] ", "[X] "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .map(str::to_owned)
}

/// What a client puts in place of a pasted picture or text.
fn attachment(text: &str) -> Option<String> {
    let rest = text
        .strip_prefix("[Image #")
        .or_else(|| text.strip_prefix("[Pasted text #"))?;
    let (_, tail) = rest.split_once(']')?;
    Some(tail.to_owned())
}

fn emphasis(text: &str) -> Option<String> {
    for mark in ["**", "__"] {
        if let Some(rest) = text.strip_prefix(mark) {
            return Some(match rest.split_once(mark) {
                Some((inner, tail)) => format!("{inner}{tail}"),
                None => rest.to_owned(),
            });
        }
    }
    None
}

fn quoted_line(text: &str) -> Option<String> {
    let rest = text.strip_prefix('>')?;
    rest.starts_with([' ', '>']).then(|| rest.to_owned())
}

const PAIRS: &[(char, char)] = &[
    ('“', '”'),
    ('"', '"'),
    ('「', '」'),
    ('『', '』'),
    ('‘', '’'),
];

fn quotes_around(text: &str) -> Option<String> {
    PAIRS.iter().find_map(|&(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains([open, close])).then(|| inner.to_owned())
    })
}

/// A quote mark whose twin stands in another sentence.
fn loose_quote(text: &str) -> Option<String> {
    PAIRS.iter().find_map(|&(open, close)| {
        let rest = text.strip_prefix(open)?;
        (!rest.contains(close)).then(|| rest.to_owned())
    })
}

fn trailing_emphasis(text: &str) -> Option<String> {
    let rest = text.strip_suffix("**")?;
    (!rest.contains("**")).then(|| rest.to_owned())
}

/// Folders whose contents do not outlive a run or a paste. Lower case; `\` counts as `/`.
const TEMPORARY: &[&str] = &[
    "/var/folders/",
    "/private/var/folders/",
    "/private/tmp/",
    "/var/tmp/",
    "/tmp/",
    "/dev/shm/",
    "/appdata/local/temp/",
    "%temp%/",
    "$tmpdir/",
    "/pasted-",
    "/paste-",
    "/paste/",
    "/pastes/",
    "/clipboard/",
];

fn replace_temporary_paths(text: &str) -> String {
    if !text.contains(['/', '\\']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = path_start(rest) {
        let (before, from) = rest.split_at(start);
        let (path, after) = from.split_at(path_end(from));
        out.push_str(before);
        out.push_str(if is_temporary(path) { PATH } else { path });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Returns where the next absolute path begins: a root, a drive, a home or a variable, not inside a word or a URL.
fn path_start(text: &str) -> Option<usize> {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let tail = text.get(at..).unwrap_or_default();
        let begins = match c {
            '/' => true,
            '~' => tail.starts_with("~/"),
            '%' | '$' => is_temporary(tail),
            'A'..='Z' | 'a'..='z' => {
                let mut next = tail.chars().skip(1);
                next.next() == Some(':') && matches!(next.next(), Some('\\' | '/'))
            }
            _ => false,
        };
        let inside = previous.is_ascii_alphanumeric()
            || matches!(previous, '/' | ':' | '.' | '_' | '-' | '>' | '~' | '@');
        if begins && !inside {
            return Some(at);
        }
        previous = c;
    }
    None
}

/// Returns the byte length of the path at the start of `text`, at least one character.
fn path_end(text: &str) -> usize {
    let end = text
        .char_indices()
        .skip(1)
        .find(|&(_, c)| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\''
                        | '`'
                        | '<'
                        | '>'
                        | '|'
                        | ')'
                        | '('
                        | ','
                        | ';'
                        | '“'
                        | '”'
                        | '，'
                        | '。'
                        | '；'
                        | '、'
                        | '（'
                        | '）'
                        | '：'
                        | '」'
                        | '』'
                        | '！'
                        | '？'
                )
        })
        .map_or(text.len(), |(at, _)| at);
    let path = text.get(..end).unwrap_or_default();
    path.trim_end_matches(['.', ':', '!', '?']).len().max(1)
}

fn is_temporary(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    TEMPORARY.iter().any(|&folder| {
        if folder.starts_with("/appdata")
            || folder.starts_with("/paste")
            || folder.starts_with("/clipboard")
        {
            path.contains(folder)
        } else {
            path.starts_with(folder) && path.len() > folder.len()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(sentence: &str, expected: &str) {
        assert_eq!(clean(sentence), expected, "{sentence:?}");
        assert_eq!(clean(expected), expected, "twice: {sentence:?}");
    }

    #[test]
    fn each_mark_has_its_case() {
        for mark in MARKS {
            check(mark.case.0, mark.case.1);
        }
    }

    #[test]
    fn marks_nest() {
        check("\\end{itemize} \\item \\textbf{图} 放在页首", "图 放在页首");
        check("> - [ ] **Rule**: tabs only", "Rule: tabs only");
    }

    #[test]
    fn a_quoted_word_at_the_start_stays() {
        check("“草稿”状态不允许删除", "“草稿”状态不允许删除");
        check(
            "\"draft\" rows are never deleted",
            "\"draft\" rows are never deleted",
        );
    }

    #[test]
    fn numbers_that_mean_something_stay() {
        check("3.5 倍行距", "3.5 倍行距");
        check("404 页面用静态文件", "404 页面用静态文件");
        check("-1 means no limit", "-1 means no limit");
    }

    #[test]
    fn temporary_paths_become_a_placeholder() {
        check(
            "日志写到 /tmp/abc/run.log，别提交",
            "日志写到 <path>，别提交",
        );
        check("see /var/folders/zz/q1/T/x.png.", "see <path>.");
        check(
            "open C:\\Users\\me\\AppData\\Local\\Temp\\a.txt now",
            "open <path> now",
        );
    }

    #[test]
    fn ordinary_paths_stay() {
        check("配置在 /etc/app/tmp.toml", "配置在 /etc/app/tmp.toml");
        check(
            "fetch https://a.example/tmp/x",
            "fetch https://a.example/tmp/x",
        );
        check("不要改动 data/tmp/ 目录", "不要改动 data/tmp/ 目录");
        check("use ~/.config/app/rc", "use ~/.config/app/rc");
    }

    proptest! {
        #[test]
        fn cleaning_twice_equals_once(text in "[-*+#>\\[\\]x \"“”'.。12)(（）、/\\\\a-eté中{}~:%$]{0,60}") {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once.clone());
        }
        #[test]
        fn any_text_is_survived(text in ".{0,120}") {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once.clone());
        }
    }
}
