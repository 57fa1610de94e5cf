//! The card: what a person is asked about a contradiction, in the language of the sentences, and how the answer is read.

use crate::memory::Type;
use serde::Serialize;

/// Characters of a sentence on a card.
const TEXT_MAX_CHARS: usize = 400;
/// Old sentences on one card.
const OLD_MAX: usize = 4;

/// What the person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The new sentence takes the place of the old one.
    Replace,
    /// The old one stands; the new one is archived.
    KeepOld,
    /// Both stand, linked.
    KeepBoth,
}

impl Choice {
    /// In the order of the card's options.
    pub const ALL: [Choice; 3] = [Choice::Replace, Choice::KeepOld, Choice::KeepBoth];

    /// Returns the frozen string of the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Choice::Replace => "replace",
            Choice::KeepOld => "keep-old",
            Choice::KeepBoth => "keep-both",
        }
    }
}

/// One sentence on the card.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    pub text: String,
    pub memory_type: Option<Type>,
    /// The user's local day on which it was said; empty for a line of a file.
    pub day: String,
    /// The file a line stands in; empty for a memory.
    pub file: String,
    /// Whether it waits for the human itself.
    pub is_pending: bool,
}

/// One of the three answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardOption {
    pub label: String,
    /// What choosing it does.
    pub description: String,
}

/// One question with everything a person needs to answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    pub header: String,
    pub question: String,
    /// Markdown: both sentences with their dates and types.
    pub detail: String,
    /// In the order of [`Choice::ALL`].
    pub options: Vec<CardOption>,
}

/// The words of a card in one language.
struct Words {
    header: &'static str,
    question: &'static str,
    new: &'static str,
    old: &'static str,
    pending: &'static str,
    /// Label and description of each choice between memories, then between a memory and a hand-written line.
    memory: [(&'static str, &'static str); 3],
    file: [(&'static str, &'static str); 3],
    types: [&'static str; 3],
}

const CHINESE: Words = Words {
    header: "记忆",
    question: "刚说的和已记住的不一致，以哪句为准？",
    new: "新",
    old: "旧",
    pending: "待定",
    memory: [
        ("以新的为准", "旧的不再生效；它会留作历史，与新的互相链接。"),
        ("保留旧的", "旧的照旧生效；新的归档，不会生效，也不会丢。"),
        ("两条都保留", "两条都生效，并互相标明有出入。"),
    ],
    file: [
        (
            "记住新的",
            "新的生效；手写文件不会被改动，请自行更新那一行。",
        ),
        ("以手写的为准", "新的归档，不会生效，也不会丢。"),
        ("两条都保留", "新的也生效；与手写文件冲突时仍以手写的为先。"),
    ],
    types: ["约束", "踩坑", "决定"],
};

const ENGLISH: Words = Words {
    header: "Memory",
    question: "What was just said contradicts what is remembered. Which one holds?",
    new: "New",
    old: "Old",
    pending: "undecided",
    memory: [
        (
            "Use the new one",
            "The old one no longer applies; it is kept as history, linked to the new one.",
        ),
        (
            "Keep the old one",
            "The old one goes on applying; the new one is archived: not applied, not lost.",
        ),
        (
            "Keep both",
            "Both apply, each marked as differing from the other.",
        ),
    ],
    file: [
        (
            "Remember the new one",
            "It applies; the hand-written file is left as it is, so please change that line yourself.",
        ),
        (
            "Keep the written line",
            "The new one is archived: not applied, not lost.",
        ),
        (
            "Keep both",
            "The new one applies too; where they clash the hand-written file comes first.",
        ),
    ],
    types: ["constraint", "pitfall", "decision"],
};

fn words(new: &Shown) -> &'static Words {
    if new.text.chars().any(super::reading::is_han) {
        &CHINESE
    } else {
        &ENGLISH
    }
}

/// Builds the card. At most [`OLD_MAX`] old sentences are shown; a text that holds a secret is never among them.
pub fn card(new: &Shown, old: &[Shown]) -> Card {
    let words = words(new);
    let mut detail = part(words, words.new, new);
    for one in old.iter().take(OLD_MAX) {
        detail.push_str("\n\n");
        detail.push_str(&part(words, words.old, one));
    }
    let is_file = old.iter().all(|one| !one.file.is_empty());
    let options = if is_file { &words.file } else { &words.memory };
    Card {
        header: words.header.to_owned(),
        question: words.question.to_owned(),
        detail,
        options: options
            .iter()
            .map(|(label, description)| CardOption {
                label: (*label).to_owned(),
                description: (*description).to_owned(),
            })
            .collect(),
    }
}

fn part(words: &Words, name: &str, shown: &Shown) -> String {
    let mut out = format!("**{name}**");
    let mut add = |text: &str| {
        if !text.is_empty() {
            out.push_str(" · ");
            out.push_str(text);
        }
    };
    if let Some(memory_type) = shown.memory_type {
        let [constraint, pitfall, decision] = words.types;
        add(match memory_type {
            Type::Constraint => constraint,
            Type::Pitfall => pitfall,
            Type::Decision => decision,
            _ => "",
        });
    }
    add(&shown.day);
    add(&plain(&shown.file));
    if shown.is_pending {
        add(words.pending);
    }
    out.push_str("\n\n> ");
    out.push_str(&plain(crate::text::cut(&shown.text, TEXT_MAX_CHARS)));
    out
}

/// Makes a text show as it is: one line, and no sign of it taken for markup.
fn plain(text: &str) -> String {
    if crate::text::secret::contains(text) {
        return "…".to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '\\' | '`' | '*' | '_' | '#' | '[' | ']' | '<' | '>' | '!' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Reads the answer: the option chosen, or a text of one's own that is an option's label or number.
pub fn read_answer(card: &Card, selected: &str, custom: &str) -> Option<Choice> {
    let chosen = if selected.is_empty() {
        custom
    } else {
        selected
    };
    let chosen = crate::text::digest::fold(chosen);
    let numbers = ["1", "2", "3"];
    card.options
        .iter()
        .zip(numbers)
        .position(|(option, number)| {
            crate::text::digest::fold(&option.label) == chosen || chosen == number
        })
        .and_then(|at| Choice::ALL.get(at).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Shown {
        Shown {
            text: text.to_owned(),
            memory_type: Some(Type::Constraint),
            day: "2026-09-29".to_owned(),
            file: String::new(),
            is_pending: false,
        }
    }

    #[test]
    fn the_card_speaks_the_language_of_the_sentences() {
        let chinese = card(&shown("端口改成 5180"), &[shown("port 5173")]);
        assert_eq!(chinese.header, "记忆");
        let english = card(&shown("Use port 5180"), &[shown("端口 5173")]);
        assert_eq!(english.header, "Memory");
        assert!(
            english
                .detail
                .contains("**New** · constraint · 2026-09-29\n\n> Use port 5180")
        );
        assert!(
            english
                .detail
                .contains("**Old** · constraint · 2026-09-29\n\n> 端口 5173")
        );
        assert_eq!(english.options.len(), 3);
    }

    #[test]
    fn a_text_shows_as_it_is() {
        let made = card(&shown("Use `a_b` <b>\n# now"), &[shown("[x](y)")]);
        assert!(made.detail.contains("> Use \\`a\\_b\\` \\<b\\> \\# now"));
        assert!(made.detail.contains("> \\[x\\](y)"));
    }

    #[test]
    fn a_secret_is_on_no_card() {
        let line = format!("API_KEY=\"sk-{}\"", "4f9aQ2Lm8Zx7Vb3Nc6Kp1Rt5Wy0".repeat(2));
        let made = card(&shown("Use port 5180"), &[shown(&line)]);
        assert!(!made.detail.contains("4f9aQ2"), "{}", made.detail);
    }

    #[test]
    fn a_hand_written_line_is_quoted_with_its_file() {
        let line = Shown {
            file: "AGENTS.md".to_owned(),
            memory_type: None,
            day: String::new(),
            ..shown("Use port 5173")
        };
        let made = card(&shown("Use port 5180"), &[line]);
        assert!(
            made.detail
                .contains("**Old** · AGENTS.md\n\n> Use port 5173")
        );
        assert_eq!(
            made.options.first().map(|x| x.label.as_str()),
            Some("Remember the new one")
        );
    }

    #[test]
    fn an_answer_is_a_label_or_its_number_and_nothing_else() {
        let made = card(&shown("Use port 5180"), &[shown("Use port 5173")]);
        let read = |selected: &str, custom: &str| read_answer(&made, selected, custom);
        assert_eq!(read("Use the new one", ""), Some(Choice::Replace));
        assert_eq!(read("Keep both", ""), Some(Choice::KeepBoth));
        assert_eq!(read("", "2"), Some(Choice::KeepOld));
        assert_eq!(read("", "keep the old one."), Some(Choice::KeepOld));
        assert_eq!(read("", "the new one, but only on CI"), None);
        assert_eq!(read("", ""), None);
    }
}
