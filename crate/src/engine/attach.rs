//! Makes a session known: its scope, what of it was read, what it was shown.

use super::relate::Instructions;
use super::{Attached, Engine, SESSIONS_MAX, scope};
use crate::conflict::instruction::instructions;
use crate::memory::{EventSeq, ScopeKey, SessionId};
use crate::port::Ports;
use crate::recall::ids_in_block;
use crate::turn::Session;
use std::rc::Rc;

impl Engine {
    /// Makes `session` known and returns its scope. A session already known keeps what it was shown.
    ///
    /// `next_seq` is the seq the next event will have, `first_live_seq` the first that was not inherited: a session
    /// older than the plugin is read from here on, and inherited events never. `last_block` is the newest block the
    /// session's log holds, so that after a restart the lines keep their order and the host sees the same bytes.
    pub async fn attach(
        &self,
        ports: Ports<'_>,
        session: &Session,
        next_seq: EventSeq,
        first_live_seq: EventSeq,
        last_block: Option<&str>,
    ) -> ScopeKey {
        let used = self.next_use();
        if let Some(known) = self.sessions.borrow_mut().get_mut(&session.id) {
            known.used = used;
            return known.scope.clone();
        }
        let found = scope::find(ports, &session.cwd).await;
        let attached = Attached {
            child: session.child,
            scope: found.scope.clone(),
            path_scope: found.path_scope,
            read_from: next_seq.max(first_live_seq),
            read_to: self.store.get().map_or(EventSeq(0), |store| {
                store.borrow().state().read_to(&session.id)
            }),
            query: None,
            shown: last_block.map(ids_in_block).unwrap_or_default(),
            notices: Vec::new(),
            block: None,
            suppressed: false,
            instructions: Rc::default(),
            used,
        };
        let mut sessions = self.sessions.borrow_mut();
        if sessions.len() >= SESSIONS_MAX {
            let oldest = sessions
                .iter()
                .min_by_key(|(_, attached)| attached.used)
                .map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                sessions.remove(&oldest);
            }
        }
        sessions.insert(session.id.clone(), attached);
        found.scope
    }

    /// Takes all messages in which the host gave a session's model its hand-written instructions, oldest first. They are known text for the conflict question and are never stored.
    pub fn instruct(&self, session: &SessionId, messages: &str) {
        if let Some(attached) = self.sessions.borrow_mut().get_mut(session) {
            let lines = instructions(messages);
            attached.instructions = Rc::new(Instructions::of(lines));
        }
    }

    /// Notes the human's message that a turn begins with; it is what recall searches for. A steering message in the same turn does not change it.
    pub fn hear(&self, session: &SessionId, turn: u32, text: &str) {
        if let Some(attached) = self.sessions.borrow_mut().get_mut(session)
            && attached
                .query
                .as_ref()
                .is_none_or(|(heard, _)| *heard != turn)
        {
            attached.query = Some((turn, super::cut(text, 4_000)));
        }
    }
}
