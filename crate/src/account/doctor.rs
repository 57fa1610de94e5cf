//! Findings about the data folder: what is as it should be, what is not, and what to do.

use super::phrase::doctor as say;
use super::{Page, Phrase, health};
use serde_json::{Value, json};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Good,
    /// Worth knowing; nothing is wrong.
    Note,
    Bad,
}

/// One finding.
pub struct Finding {
    pub grade: Grade,
    /// Kebab-case, stable.
    pub code: String,
    pub text: String,
    /// What to do; empty where nothing is.
    pub advice: String,
}

/// Collects findings in the order in which they are told.
#[derive(Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Adds one in the page's language.
    pub fn add(
        &mut self,
        grade: Grade,
        code: &str,
        (phrase, values): (&Phrase, &[&str]),
        advice: Option<&Phrase>,
        page: &Page<'_>,
    ) {
        self.0.push(Finding {
            grade,
            code: code.to_owned(),
            text: page.words(phrase, values),
            advice: advice
                .map(|phrase| page.words(phrase, values))
                .unwrap_or_default(),
        });
    }

    /// Adds what the store or the engine noticed, with what to do about that code.
    pub fn noticed(&mut self, code: &str, detail: &str, page: &Page<'_>) {
        self.add(
            Grade::Bad,
            code,
            (&say::NOTICED, &[code, detail]),
            health::advice(code).or(Some(&say::LOOK)),
            page,
        );
    }

    /// Looks at one file's mode; `mode` holds the permission bits.
    pub fn mode(&mut self, path: &str, is_folder: bool, mode: u32, page: &Page<'_>) {
        let wanted = if is_folder { 0o700 } else { 0o600 };
        if mode & 0o077 == 0 {
            return;
        }
        let (mode, wanted) = (format!("{mode:04o}"), format!("{wanted:04o}"));
        self.add(
            Grade::Bad,
            "mode",
            (&say::MODE, &[path, &mode, &wanted]),
            Some(&say::MODE_ADVICE),
            page,
        );
    }

    /// Returns whether something is wrong.
    pub fn is_bad(&self) -> bool {
        self.0.iter().any(|finding| finding.grade == Grade::Bad)
    }

    /// Tells them.
    pub fn tell(&self, page: &mut Page<'_>) {
        for finding in &self.0 {
            let mark = match finding.grade {
                Grade::Good => "✓",
                Grade::Note => "·",
                Grade::Bad => "✗",
            };
            page.line(&format!("{mark} {}", finding.text));
            if !finding.advice.is_empty() {
                page.line(&format!("  → {}", finding.advice));
            }
        }
        let n = self
            .0
            .iter()
            .filter(|finding| finding.grade == Grade::Bad)
            .count();
        page.gap();
        page.say(
            if n == 0 { &say::ALL_WELL } else { &say::WRONG },
            &[&n.to_string()],
        );
        let findings: Vec<Value> = self
            .0
            .iter()
            .map(|finding| {
                let grade = match finding.grade {
                    Grade::Good => "good",
                    Grade::Note => "note",
                    Grade::Bad => "bad",
                };
                json!({ "grade": grade, "code": finding.code, "text": finding.text, "advice": finding.advice })
            })
            .collect();
        page.set("findings", Value::Array(findings));
    }
}
