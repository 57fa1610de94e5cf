//! Hand-written instructions as the host loads them: lines a new sentence may contradict. Read, never stored.

use crate::memory::MemoryId;
use crate::text::clean::clean;
use crate::text::digest::{fold, short_digest};

/// Lines kept of all files.
const LINES_MAX: usize = 2_000;
/// Characters of a line that are looked at.
const LINE_MAX_CHARS: usize = 400;
/// Characters of the shortest line that can say anything.
const LINE_MIN_CHARS: usize = 4;

/// How the host begins the part of a file. The first is of a whole set, which replaces what was known.
///
/// # Source
/// The host's instruction loader, 0.1.0-rc.8: its README, "Prompt Shape".
const HEADS: [&str; 3] = [
    "Instructions from: ",
    "Additional instructions from: ",
    "Updated instructions from: ",
];
const REMOVED: &str = "Instructions removed: ";
/// Ends a message.
const END: &str = "</system-reminder>";
/// Sentences of the host's own around the files.
const FRAME: [&str; 5] = [
    "<system-reminder>",
    "The following workspace instructions",
    "This complete workspace instruction baseline",
    "These instructions apply to work under",
    "This file changed after it was loaded",
];

/// One line of a file of instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// `i-` and 12 characters of file and line: names it in the ledger without saying it.
    pub id: MemoryId,
    pub text: String,
    pub file: String,
}

/// Reads the messages in which the host gave the model its instructions, oldest first, one after the other.
pub fn instructions(messages: &str) -> Vec<Instruction> {
    let mut out: Vec<Instruction> = Vec::new();
    let mut file = String::new();
    let mut fenced = false;
    for line in messages.lines() {
        let line = line.trim();
        if let Some(path) = HEADS.iter().find_map(|head| line.strip_prefix(head)) {
            file = path.to_owned();
            fenced = false;
            out.retain(|known| known.file != file);
        } else if let Some(path) = line.strip_prefix(REMOVED) {
            out.retain(|known| known.file != path);
            file.clear();
        } else if line == END {
            file.clear();
        } else if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !file.is_empty() {
            take(&mut out, &file, line);
        }
    }
    out
}

fn take(out: &mut Vec<Instruction>, file: &str, line: &str) {
    let is_frame = FRAME.iter().any(|frame| line.starts_with(frame));
    let text = clean(crate::text::cut(line, LINE_MAX_CHARS));
    if is_frame
        || line.starts_with('#')
        || text.chars().count() < LINE_MIN_CHARS
        || out.len() >= LINES_MAX
    {
        return;
    }
    let named = format!("{file}\0{}", fold(&text));
    out.push(Instruction {
        id: MemoryId::from(format!("i-{}", short_digest(named.as_bytes()))),
        text,
        file: file.to_owned(),
    });
}

/// Returns whether an id names a line of instructions and no memory.
pub fn is_instruction(id: &MemoryId) -> bool {
    id.as_str().starts_with("i-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASELINE: &str = "<system-reminder>\nThe following workspace instructions may be relevant.\n\n\
        Instructions from: ~/.dsh/AGENTS.md\n\n# Mine\n\n- Answer in Chinese.\n\n\
        Instructions from: AGENTS.md\n\n## Ports\n\n* The API port is 8080.\n```\nport 1\n```\n</system-reminder>";

    fn check(messages: &[&str], expected: &[(&str, &str)]) {
        let read = instructions(&messages.join("\n"));
        let read: Vec<(&str, &str)> = read
            .iter()
            .map(|line| (line.file.as_str(), line.text.as_str()))
            .collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn lines_are_read_with_their_file() {
        check(
            &[BASELINE],
            &[
                ("~/.dsh/AGENTS.md", "Answer in Chinese."),
                ("AGENTS.md", "The API port is 8080."),
            ],
        );
    }

    #[test]
    fn a_file_that_changed_or_went_counts_as_it_is_now() {
        let update = "<system-reminder>\nUpdated instructions from: AGENTS.md\n\nThis file changed after it was loaded. Use it.\n\nThe API port is 9090.\n</system-reminder>";
        let removed = "Instructions removed: ~/.dsh/AGENTS.md\n\nThe previously loaded instructions from this file no longer apply.";
        check(
            &[BASELINE, update, removed],
            &[("AGENTS.md", "The API port is 9090.")],
        );
    }

    #[test]
    fn an_id_names_a_line_without_saying_it() {
        let read = instructions(BASELINE);
        assert!(read.iter().all(|line| is_instruction(&line.id)));
        assert!(!is_instruction(&MemoryId::from("m-0123456789ab")));
    }
}
