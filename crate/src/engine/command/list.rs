//! `list`: what is remembered here, what waits, and on request what once was.

use super::{DONE, Ending, Typed, found_nothing, within};
use crate::account::phrase::command as say;
use crate::account::{Page, record, type_named};
use crate::engine::Engine;
use crate::memory::{Memory, ScopeKey, Status, Type};
use crate::store::Store;
use crate::text::digest::fold;
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Lines of a list, unless `--limit` says otherwise, and at most.
const LINES_DEFAULT: usize = 50;
const LINES_MAX: usize = 10_000;
/// Memories named where one name could mean several.
pub(super) const NAMED_MAX: usize = 12;

/// Whether a memory is active or waits.
pub(super) fn stands(memory: &Memory) -> bool {
    matches!(memory.status, Status::Active | Status::NeedsReview) && memory.is_statement()
}

/// What a list is of.
struct Wanted {
    all: bool,
    history: bool,
    types: Vec<Type>,
    words: Vec<String>,
}

impl Wanted {
    fn of(typed: &Typed) -> Self {
        let mut out = Self {
            all: typed.has("all"),
            history: typed.has("history"),
            types: typed
                .option("type")
                .and_then(type_named)
                .into_iter()
                .collect(),
            words: Vec::new(),
        };
        for word in typed.words.split_whitespace() {
            match word.trim_start_matches('-') {
                "all" | "全部" | "所有" => out.all = true,
                "history" | "历史" => out.history = true,
                bare => match type_named(bare.trim_end_matches('s')) {
                    Some(named) => out.types.push(named),
                    None => out.words.push(fold(word)),
                },
            }
        }
        out
    }

    fn takes(&self, memory: &Memory) -> bool {
        (self.history || stands(memory))
            && (self.types.is_empty() || self.types.contains(&memory.memory_type))
            && {
                let text = fold(&memory.text);
                self.words
                    .iter()
                    .all(|word| text.contains(word) || memory.id.as_str().contains(word))
            }
    }
}

impl Engine {
    pub(super) fn list(
        &self,
        store: &RefCell<Store>,
        typed: &Typed,
        home: &ScopeKey,
        page: &mut Page<'_>,
    ) -> Ending {
        let wanted = Wanted::of(typed);
        let store = store.borrow();
        let state = store.state();
        let limit = typed
            .option("limit")
            .and_then(|n| n.parse().ok())
            .unwrap_or(LINES_DEFAULT)
            .clamp(1, LINES_MAX);
        let mut memories: Vec<&Rc<Memory>> = within(state, home, wanted.all)
            .filter(|memory| wanted.takes(memory))
            .collect();
        // This project first, then every project's, then others; in each what stands, newest first.
        let place = |memory: &Memory| {
            (
                memory.scope != *home,
                !memory.scope.is_global(),
                memory.scope.clone(),
            )
        };
        crate::text::order::sort_by(&mut memories, |a, b| {
            (place(a), rank(a), b.source.at, &a.id).cmp(&(place(b), rank(b), a.source.at, &b.id))
        });
        if memories.is_empty() {
            page.say(&say::NOTHING_HERE, &[home.as_str()]);
        }
        let mut above: Option<&Memory> = None;
        for memory in memories.iter().take(limit) {
            let is_new_scope = above.is_none_or(|above| above.scope != memory.scope);
            if is_new_scope {
                page.gap();
                let active = |other: &&&Rc<Memory>| {
                    other.scope == memory.scope && other.status == Status::Active
                };
                let n = memories.iter().filter(active).count().to_string();
                page.say(&say::SCOPE, &[memory.scope.as_str(), &n]);
            }
            if memory.status != Status::Active
                && (is_new_scope || above.is_none_or(|above| rank(above) != rank(memory)))
            {
                page.say(
                    if memory.status == Status::NeedsReview {
                        &say::WAITING
                    } else {
                        &say::OLDER
                    },
                    &[],
                );
            }
            let line = page.memory(memory);
            let count = memory.source.count.map(|n| n.to_string());
            let line = match count {
                Some(n) => page.words(&say::SEEN, &[&line, &n]),
                None => line,
            };
            page.line(&format!("- {line}"));
            above = Some(memory);
        }
        if memories.len() > limit {
            page.say(&say::MORE, &[&(memories.len() - limit).to_string()]);
        }
        let elsewhere = if wanted.all {
            0
        } else {
            state.memories().filter(|memory| stands(memory)).count()
                - within(state, home, false)
                    .filter(|memory| stands(memory))
                    .count()
        };
        if elsewhere > 0 {
            page.gap();
            page.say(&say::ELSEWHERE, &[&elsewhere.to_string()]);
        }
        page.set("scope", home.as_str().into());
        page.set("elsewhere", elsewhere.into());
        page.set("total", memories.len().into());
        page.set(
            "memories",
            memories
                .iter()
                .take(limit)
                .map(|memory| record(memory))
                .collect::<Value>(),
        );
        if memories.is_empty() {
            found_nothing("not-found")
        } else {
            DONE
        }
    }
}

fn rank(memory: &Memory) -> u8 {
    match memory.status {
        Status::Active => 0,
        Status::NeedsReview => 1,
        Status::Superseded | Status::Archived => 2,
    }
}
