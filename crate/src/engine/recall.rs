//! The block for one step: chosen once per turn, the same bytes until something it shows changes.

use super::{Attached, Engine};
use crate::memory::{Memory, MemoryId, Millis, SessionId};
use crate::recall::{
    Block, Candidate, Form, Occasion, Selection, overhead_tokens, render, select,
    tokens_with_line_feed,
};
use crate::store::entry::{Chosen, Observation};
use crate::store::{State, Store};
use crate::text::block;
use std::rc::Rc;

/// What a session's steps of one turn are given.
#[derive(Debug, Clone)]
pub(super) struct Cached {
    turn: u32,
    /// The state's generation it was checked against.
    generation: u64,
    block: Block,
    chosen: Vec<Chosen>,
}

impl Engine {
    /// Returns the block for a step of `turn`; an empty text is no block.
    ///
    /// Within a turn the choice stands; only what no longer governs leaves. A session that is not attached gets nothing.
    pub fn recall(
        &self,
        session: &SessionId,
        turn: u32,
        now: Millis,
        offset_minutes: &dyn Fn(Millis) -> i32,
    ) -> String {
        let mut sessions = self.sessions.borrow_mut();
        let Some(attached) = sessions.get_mut(session) else {
            return String::new();
        };
        let Some(store) = self.store.get() else {
            return self.notice_only(attached, offset_minutes);
        };
        let store = store.borrow();
        let state = store.state();
        let generation = store.generation();
        if let Some(cached) = &attached.block
            && cached.turn == turn
            && cached.generation == generation
            && all_govern(state, &cached.block.ids, now)
        {
            return cached.block.text.clone();
        }
        let same_turn = attached.block.as_ref().filter(|cached| cached.turn == turn);
        let selection = match same_turn {
            Some(cached) => still_governing(state, cached, now),
            None => self.choose(&store, attached, now),
        };
        self.give_notices(attached);
        let memories: Vec<Rc<Memory>> = selection
            .ids
            .iter()
            .filter_map(|id| state.memory(id).cloned())
            .collect();
        let borrowed: Vec<&Memory> = memories.iter().map(Rc::as_ref).collect();
        let form = self.form(attached.suppressed);
        let block = render(&borrowed, &attached.notices, form, offset_minutes);
        let changed = attached
            .block
            .as_ref()
            .is_none_or(|cached| cached.block.text != block.text);
        if changed && !(attached.block.is_none() && block.text.is_empty()) {
            self.observe(Observation::Recall {
                session_id: session.clone(),
                turn,
                scope: attached.scope.clone(),
                tokens: block.tokens,
                chosen: selection
                    .chosen
                    .iter()
                    .filter(|chosen| block.ids.contains(&chosen.id))
                    .cloned()
                    .collect(),
            });
        }
        attached.shown.clone_from(&block.ids);
        let text = block.text.clone();
        attached.block = Some(Cached {
            turn,
            generation,
            block,
            chosen: selection.chosen,
        });
        text
    }

    /// Returns the message that brings the block to a session without runtime context; none when `sent`, the newest one the
    /// session still shows, says it already.
    pub fn message(
        &self,
        session: &SessionId,
        turn: u32,
        now: Millis,
        offset_minutes: &dyn Fn(Millis) -> i32,
        sent: &str,
    ) -> Option<String> {
        let block = self.recall(session, turn, now, offset_minutes);
        block::message(&block, sent)
    }

    fn choose(&self, store: &Store, attached: &Attached, now: Millis) -> Selection {
        let mut catalogue = self.catalogue.borrow_mut();
        catalogue.sync(store);
        let overhead = overhead_tokens(&attached.notices);
        let max_tokens = self.form(attached.suppressed).max_tokens;
        let occasion = Occasion {
            now,
            config: &self.config.recall,
            canonical: self.config.normalize.inject,
            child: attached.child,
            shown: &attached.shown,
            room_tokens: max_tokens.saturating_sub(overhead),
        };
        let query = attached.query.as_ref().map(|(_, query)| query.as_str());
        // A person may have joined the project to another key.
        let scope = store.state().scope_of(&attached.scope);
        let candidates = catalogue.shortlist(scope, query, &occasion);
        select(
            candidates.iter().map(|(memory, relevance)| Candidate {
                memory,
                relevance: *relevance,
            }),
            &occasion,
        )
    }

    /// A block that goes as a message keeps room for the line that says what it replaces.
    fn form(&self, suppressed: bool) -> Form {
        let replaces = if suppressed {
            tokens_with_line_feed(block::REPLACES)
        } else {
            0
        };
        Form {
            max_tokens: self.config.recall.max_tokens.saturating_sub(replaces),
            canonical: self.config.normalize.inject,
        }
    }

    /// Gives what waits to the first session that asks. It stays there, so that the block's bytes do.
    fn give_notices(&self, attached: &mut Attached) {
        if !attached.child {
            attached
                .notices
                .append(&mut self.pending_notices.borrow_mut());
        }
    }

    fn notice_only(
        &self,
        attached: &mut Attached,
        offset_minutes: &dyn Fn(Millis) -> i32,
    ) -> String {
        self.give_notices(attached);
        let form = self.form(attached.suppressed);
        render(&[], &attached.notices, form, offset_minutes).text
    }
}

fn all_govern(state: &State, ids: &[MemoryId], now: Millis) -> bool {
    ids.iter()
        .all(|id| state.memory(id).is_some_and(|memory| memory.governs(now)))
}

fn still_governing(state: &State, cached: &Cached, now: Millis) -> Selection {
    let governs = |id: &MemoryId| state.memory(id).is_some_and(|memory| memory.governs(now));
    Selection {
        ids: cached
            .block
            .ids
            .iter()
            .filter(|id| governs(id))
            .cloned()
            .collect(),
        chosen: cached
            .chosen
            .iter()
            .filter(|chosen| governs(&chosen.id))
            .cloned()
            .collect(),
    }
}
