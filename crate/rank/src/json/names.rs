//! Strings that many records share, kept once.

use std::rc::Rc;
use xxhash_rust::xxh3::xxh3_64;

/// Slots of a table for many records: more than a person's sessions, scopes and signals of a year.
const SLOTS: usize = 4_096;

/// A table of strings seen lately. Two that meet in one slot take turns: that costs memory, never truth.
#[derive(Debug, Default)]
pub struct Names {
    slots: Vec<Option<Rc<str>>>,
}

impl Names {
    /// Returns a table for one record: nothing is looked up.
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns a table for many records.
    pub fn many() -> Self {
        Self {
            slots: vec![None; SLOTS],
        }
    }

    /// Returns `text`, shared with whoever asked for it before.
    pub fn shared(&mut self, text: &str) -> Rc<str> {
        if self.slots.is_empty() {
            return Rc::from(text);
        }
        let at = xxh3_64(text.as_bytes()) as usize % SLOTS;
        let Some(slot) = self.slots.get_mut(at) else {
            return Rc::from(text);
        };
        match slot {
            Some(known) if **known == *text => known.clone(),
            _ => slot.insert(Rc::from(text)).clone(),
        }
    }
}
