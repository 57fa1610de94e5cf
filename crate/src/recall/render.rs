//! Writes the block.

use super::line::{fit, harmless_line, line, tokens_with_line_feed};
use crate::memory::{Memory, MemoryId, Millis};
use crate::text::budget::estimate;
use crate::text::{block, day};
use std::sync::OnceLock;

/// How the block is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Tokens of the whole, wrapper included, by [`estimate`].
    pub max_tokens: u32,
    /// Whether a memory's restatement is shown in place of its own words.
    pub canonical: bool,
}

/// The finished block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Empty when there is nothing to say or no room to say it; else it ends without a line feed.
    pub text: String,
    /// The memories in it, in order.
    pub ids: Vec<MemoryId>,
    /// Memories that were given and are not in it, for want of room or of anything to show.
    pub left_out: Vec<MemoryId>,
    pub tokens: u32,
}

/// Notices in one block. They say that memory itself is unwell; one or two is the rule.
const NOTICES_MAX: usize = 4;

/// Returns what the block costs before its first memory.
pub fn overhead_tokens(notices: &[String]) -> u32 {
    let notices: u32 = notices
        .iter()
        .take(NOTICES_MAX)
        .map(|notice| tokens_with_line_feed(&notice_line(notice)))
        .sum();
    wrapper_tokens().saturating_add(notices)
}

/// Writes `chosen` in the order given. Never over [`Form::max_tokens`].
///
/// `offset_minutes` gives the user's minutes ahead of UTC at an instant. A memory that does not fit is left out, but for
/// the first, which is cut at graphemes while a dozen tokens of its text remain.
pub fn render(
    chosen: &[&Memory],
    notices: &[String],
    form: Form,
    offset_minutes: &dyn Fn(Millis) -> i32,
) -> Block {
    let mut out = Block::default();
    let mut lines = Vec::new();
    let mut room = form.max_tokens.saturating_sub(wrapper_tokens());
    let mut add = |line: String, may_cut: bool| {
        let mut line = line;
        let mut cost = tokens_with_line_feed(&line);
        if cost > room {
            let Some(cut) = Some(line).filter(|_| may_cut).and_then(|x| fit(&x, room)) else {
                return false;
            };
            cost = tokens_with_line_feed(&cut);
            line = cut;
        }
        if line.is_empty() {
            return false;
        }
        room -= cost.min(room);
        lines.push(line);
        true
    };
    for notice in notices.iter().take(NOTICES_MAX) {
        add(notice_line(notice), true);
    }
    for memory in chosen {
        let at = memory.source.at;
        let day = day::local(at.0, offset_minutes(at));
        let line = line(memory, form.canonical, &day);
        if add(line, out.ids.is_empty()) {
            out.ids.push(memory.id.clone());
        } else {
            out.left_out.push(memory.id.clone());
        }
    }
    if lines.is_empty() {
        return out;
    }
    out.text = format!(
        "{}\n{}\n{}",
        block::HEADING,
        block::EXPLANATION,
        lines.join("\n")
    );
    out.tokens = estimate(&out.text);
    out
}

/// Returns the memories of the last block of ours in `text`, in order: what a resumed session has already seen.
pub fn ids_in_block(text: &str) -> Vec<MemoryId> {
    block::find(text)
        .pop()
        .map(|found| found.ids.into_iter().map(MemoryId::from).collect())
        .unwrap_or_default()
}

fn wrapper_tokens() -> u32 {
    static TOKENS: OnceLock<u32> = OnceLock::new();
    *TOKENS.get_or_init(|| {
        tokens_with_line_feed(block::HEADING) + tokens_with_line_feed(block::EXPLANATION)
    })
}

fn notice_line(notice: &str) -> String {
    format!("{}{}", block::notice_head(), harmless_line(notice))
}
