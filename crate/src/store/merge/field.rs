//! Edits of one record by several devices: field by field, and a text that both changed is held for a person.

use super::super::edit::EDITABLE as FIELDS;
use super::super::entry::Fact;
use super::super::fold::link;
use super::super::names::shared_scope;
use super::super::tables::Ask;
use super::{Did, Merger, Stamp};
use crate::decide::source::FORGOTTEN;
use crate::memory::{Layer, Memory, MemoryId, Millis, Revision, Status};

/// Who found a contradiction that two devices made.
pub const DETECTOR: &str = "devices";

/// Place of `text` among the fields.
const TEXT: usize = 1;
/// Place of `status`.
const STATUS: usize = 3;
/// Place of `procedure`.
const PROCEDURE: usize = 13;

impl Merger {
    pub(super) fn edit(&mut self, memory: Memory, changed: &[String], by: Stamp, at: Millis) {
        let id = memory.id.clone();
        let Some(current) = self.state.memory(&id).cloned() else {
            self.mark(&id, Did::Wrote, &by);
            return self.state.put(memory, true);
        };
        let fields: Vec<usize> = (0..FIELDS.len())
            .filter(|&at| {
                let name = FIELDS.get(at).copied().unwrap_or_default();
                changed.is_empty() || changed.iter().any(|x| x == name)
            })
            .collect();
        if !self.is_unaware(&id, &by, |_| true) && !memory.text.is_empty() {
            for &field in &fields {
                self.mark(&id, Did::Set(field), &by);
            }
            let memory = Box::new(memory);
            let changed = Vec::new();
            return self.state.apply(Fact::Edit { memory, changed }, by.seq, at);
        }
        let mut merged = Memory::clone(&current);
        let mut is_beside = false;
        for &field in &fields {
            let is_unaware = self.is_unaware(&id, &by, |did| *did == Did::Set(field));
            if field == TEXT {
                // An empty one was blanked, and was replaced by what stands here.
                if memory.text.is_empty() || memory.text == current.text {
                    continue;
                }
                if is_unaware && current.layer == Layer::Raw {
                    // Two passages were forgotten: neither device's text is without both.
                    merged.text = FORGOTTEN.into();
                    continue;
                }
                if is_unaware {
                    self.stand_beside(&current, &memory, &by, at);
                    is_beside = true;
                    continue;
                }
            }
            // It says what the text says.
            if field == PROCEDURE && is_beside {
                continue;
            }
            if field == STATUS
                && (self.is_replaced_unaware(&id, &by) || current.status == Status::Superseded)
            {
                continue;
            }
            take(field, &mut merged, &memory);
            self.mark(&id, Did::Set(field), &by);
        }
        if changed.is_empty() {
            for id in &memory.source.source_ids {
                link(&mut merged.source.source_ids, id);
            }
        }
        merged.by = memory.by;
        merged.revision = Revision(memory.revision.0.max(current.revision.0.saturating_add(1)));
        merged.updated_at = memory.updated_at;
        self.state.put(merged, true);
    }

    /// Keeps a text that another device's stands in the place of: as a record that waits for a person.
    fn stand_beside(&mut self, current: &Memory, edited: &Memory, by: &Stamp, at: Millis) {
        let key = (current.id.clone(), by.origin.clone());
        // Its own earlier one, if nobody answered yet.
        if let Some(before) = self.beside.get(&key).cloned()
            && self
                .state
                .memory(&before)
                .is_some_and(|x| x.status == Status::NeedsReview)
        {
            self.state.take(&before);
            self.state.asks.remove(&before);
        }
        let scope = shared_scope(&current.scope, self.own.as_str());
        let id = MemoryId::of(&scope, &edited.text);
        if self.state.tombstone(&id).is_some() || id == current.id {
            return;
        }
        self.beside.insert(key, id.clone());
        if self.state.memory(&id).is_none() {
            let mut memory = edited.clone();
            memory.id = id.clone();
            memory.scope = current.scope.clone();
            memory.status = Status::NeedsReview;
            memory.supersedes.clear();
            memory.superseded_by.clear();
            memory.conflicts_with.clear();
            memory.revision = Revision(1);
            self.state.put(memory, false);
            self.mark(&id, Did::Wrote, by);
        }
        self.hold(&id, vec![current.id.clone()], by, at);
    }

    /// Opens a question, or adds to one.
    pub(super) fn hold(&mut self, id: &MemoryId, against: Vec<MemoryId>, by: &Stamp, at: Millis) {
        self.mark(id, Did::Asked, by);
        if let Some(ask) = self.state.asks.get_mut(id) {
            for other in &against {
                link(&mut ask.against, other);
            }
            return;
        }
        let ask = Ask {
            id: id.clone(),
            against,
            attempt: 0,
            detector: DETECTOR.to_owned(),
            shared: Vec::new(),
            asker: String::new(),
            at,
        };
        self.state.asks.insert(id.clone(), ask);
    }
}

/// Carries one field over. Of links that two devices changed each one stays.
fn take(field: usize, to: &mut Memory, from: &Memory) {
    let all = |to: &mut Vec<MemoryId>, from: &[MemoryId]| from.iter().for_each(|id| link(to, id));
    match FIELDS.get(field).copied().unwrap_or_default() {
        "type" => to.memory_type = from.memory_type,
        "text" => to.text = from.text.clone(),
        "canonical" => to.canonical.clone_from(&from.canonical),
        "status" => to.status = from.status,
        "scope" => to.scope = from.scope.clone(),
        "importance" => to.importance = from.importance,
        "signals" => to.signals.clone_from(&from.signals),
        "supersedes" => all(&mut to.supersedes, &from.supersedes),
        "supersededBy" => all(&mut to.superseded_by, &from.superseded_by),
        "conflictsWith" => all(&mut to.conflicts_with, &from.conflicts_with),
        "validFrom" => to.valid_from = from.valid_from,
        "validUntil" => to.valid_until = from.valid_until,
        "procedure" => to.procedure.clone_from(&from.procedure),
        _ => to.temporal_scope.clone_from(&from.temporal_scope),
    }
}
