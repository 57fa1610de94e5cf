//! What a sentence looks like, apart from its words: a table of facts with weights.

use super::around::Intro;
use super::reading::Reading;
use super::signal::Kind;

/// One fact about a sentence and its surroundings.
#[derive(Debug)]
pub struct Shape {
    /// Stored with the memory; frozen.
    pub id: &'static str,
    /// Set by hand, before any fit.
    pub prior: f64,
    pub weight: f64,
    pub kind: Kind,
    pub holds: fn(&Reading) -> bool,
}

const fn row(
    id: &'static str,
    prior: f64,
    weight: f64,
    kind: Kind,
    holds: fn(&Reading) -> bool,
) -> Shape {
    Shape {
        id,
        prior,
        weight,
        kind,
        holds,
    }
}

/// The shapes.
pub const SHAPES: &[Shape] = &[
    row("is-han", 0.0, 0.09, Kind::Support, |r| r.is_han()),
    row("very-short", -0.8, -1.22, Kind::Passing, |r| r.length() < 4),
    row("short", -0.2, -0.05, Kind::Passing, |r| {
        (4..8).contains(&r.length())
    }),
    row("long", -0.4, -0.43, Kind::Passing, |r| r.length() > 30),
    row("has-path", -0.4, -0.03, Kind::Passing, |r| {
        r.marks.path && has_path(&r.text)
    }),
    row("has-url", -0.2, -0.35, Kind::Passing, |r| {
        r.marks.path && r.text.contains("://")
    }),
    row("has-mention", -0.8, -0.89, Kind::Passing, |r| {
        r.marks.at && has_mention(&r.text)
    }),
    row("has-code-mark", 0.2, 0.56, Kind::Support, |r| r.marks.tick),
    row("has-call", -0.3, -0.19, Kind::Passing, |r| {
        r.marks.brackets && r.text.contains("()")
    }),
    row("shouts", 0.4, 0.84, Kind::Rule, |r| {
        r.marks.capitals && shouts(&r.text)
    }),
    row("labelled", 0.6, 0.68, Kind::Rule, |r| {
        let mut head = r.text.bytes().take(13);
        head.any(|b| matches!(b, b':' | 0xef)) && labelled(&r.text)
    }),
    row("tech", 0.4, 0.61, Kind::Choice, |r| r.tech() == 1),
    row("tech-list", 0.9, 0.81, Kind::Choice, |r| r.tech() >= 2),
    row("tech-label", 0.8, 0.56, Kind::Choice, |r| {
        r.tech() > 0 && tech_label(&r.text)
    }),
    row("ends-query", -1.5, -1.31, Kind::Passing, |r| {
        matches!(r.last, '?' | '？')
    }),
    row("ends-part", -0.6, -0.97, Kind::Passing, |r| {
        matches!(r.last, ';' | '；' | '…' | ',' | '，')
    }),
    row("ends-stop", 0.1, -0.15, Kind::Support, |r| {
        matches!(r.last, '.' | '。' | '!' | '！')
    }),
    row("cut-start", -1.0, -1.07, Kind::Passing, |r| {
        matches!(r.first, '的' | '了' | '，' | '、' | ',' | ')' | '）' | '；')
    }),
    row("unbalanced", -0.8, -0.68, Kind::Passing, |r| {
        r.marks.balance != 0
    }),
    row("has-line-number", -0.8, -0.86, Kind::Passing, |r| {
        r.digits > 0 && has_line_number(&r.text)
    }),
    row("pointing-start", -0.6, -0.73, Kind::Passing, |r| {
        starts_pointing(&r.text)
    }),
    row("is-item", 0.0, -0.75, Kind::Support, |r| r.is_item()),
    row("lower-start", -0.2, 0.10, Kind::Passing, |r| {
        r.first.is_ascii_lowercase()
    }),
    row("many-symbols", -0.6, -0.61, Kind::Passing, |r| {
        r.symbols * 8 > r.chars
    }),
    row("many-digits", -0.3, -0.24, Kind::Passing, |r| {
        r.digits * 8 > r.chars
    }),
    row("alone", 0.2, -0.28, Kind::Support, |r| r.is_alone()),
    row("first", -0.2, -0.27, Kind::Passing, |r| {
        r.before.trim().is_empty()
    }),
    row("under-rules", 0.8, 1.17, Kind::Rule, |r| {
        r.intro == Intro::Rules
    }),
    row("under-traps", 1.0, 1.44, Kind::Trap, |r| {
        r.intro == Intro::Traps
    }),
    row("under-contents", -0.7, -0.51, Kind::Passing, |r| {
        r.intro == Intro::Contents
    }),
    row("among-items", 0.0, -0.17, Kind::Support, |r| r.near.items),
    row("in-paste", -1.5, -1.51, Kind::Passing, |r| r.pasted),
    row("near-code", -0.5, -0.59, Kind::Passing, |r| r.near.code),
];

/// Returns whether the sentence opens with the label of a rule.
fn labelled(text: &str) -> bool {
    const LABELS: &[&str] = &[
        "must",
        "must not",
        "avoid",
        "note",
        "important",
        "rule",
        "never",
        "always",
        "warning",
        "caution",
        "don't",
        "注意",
        "重要",
        "规则",
        "约定",
        "禁止",
        "原则",
        "警告",
        "提醒",
    ];
    let Some(end) = text.find([':', '：']).filter(|end| *end <= 12) else {
        return false;
    };
    text.get(..end).is_some_and(|label| {
        LABELS
            .iter()
            .any(|word| word.eq_ignore_ascii_case(label.trim()))
    })
}

/// Returns whether the sentence is a short label, a colon and a value: `缓存: Redis`.
fn tech_label(text: &str) -> bool {
    let Some((label, value)) = text.split_once([':', '：']) else {
        return false;
    };
    !label.is_empty()
        && label.chars().count() <= 16
        && !label.contains(['/', '`', '"', '，', ','])
        && !value.trim().is_empty()
        && !value.starts_with('/')
}

/// Returns whether a file path or file name stands in the text.
fn has_path(text: &str) -> bool {
    text.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '，' | '。' | '、' | '`' | '"' | '(' | ')' | '（' | '）' | ','
            )
    })
    .any(|word| {
        let word = word.trim_matches(['.', ':', ';']);
        let slashes = word.bytes().filter(|b| *b == b'/').count();
        (slashes > 0
            && word.len() > 3
            && !word.contains("://")
            && word.bytes().any(|b| matches!(b, b'.' | b'_')))
            || slashes > 1 && !word.contains("://")
            || word.rsplit_once('.').is_some_and(|(stem, ext)| {
                !stem.is_empty()
                    && (1..=5).contains(&ext.len())
                    && ext.bytes().all(|b| b.is_ascii_lowercase())
                    && stem.bytes().any(|b| b.is_ascii_alphabetic())
                    && stem.is_ascii()
            })
    })
}

fn has_mention(text: &str) -> bool {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if c == '@' && !previous.is_alphanumeric() {
            let tail = text.get(at + 1..).unwrap_or_default();
            if tail.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/')) {
                return true;
            }
        }
        previous = c;
    }
    false
}

/// Returns whether one of the words of rules is in capitals.
fn shouts(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| {
        matches!(
            word,
            "NOT"
                | "NEVER"
                | "ALWAYS"
                | "MUST"
                | "ONLY"
                | "AVOID"
                | "DO"
                | "ALL"
                | "SHOULD"
                | "REQUIRED"
        )
    })
}

/// Returns whether a line of a file is named by its number.
fn has_line_number(text: &str) -> bool {
    let digit_after = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            text.get(at + word.len()..)
                .is_some_and(|tail| tail.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    digit_after("line ")
        || digit_after("lines ")
        || digit_after("Line ")
        || text.contains('行') && digit_after("第")
}

/// Returns whether the sentence begins with a word that points at something said before.
fn starts_pointing(text: &str) -> bool {
    const POINTERS: &[&str] = &[
        "it", "it's", "that", "that's", "this", "these", "those", "they", "he", "she", "here",
        "there", "which",
    ];
    let first = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .next()
        .unwrap_or_default();
    first.len() < 6
        && POINTERS.iter().any(|word| word.eq_ignore_ascii_case(first))
        && !first_is_project(text)
}

/// `This repo`, `this project`: what they point at is there next week too.
fn first_is_project(text: &str) -> bool {
    let mut words = text.split_whitespace().skip(1);
    words.next().is_some_and(|word| {
        ["repo", "repository", "project", "codebase", "machine", "is"]
            .contains(&word.to_ascii_lowercase().as_str())
    }) && text
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case("this"))
}
