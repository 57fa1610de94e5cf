//! Strings that many records share, kept once.

use std::rc::Rc;

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
        let at = (hash(text.as_bytes()) >> 32) as usize % SLOTS;
        let Some(slot) = self.slots.get_mut(at) else {
            return Rc::from(text);
        };
        match slot {
            Some(known) if **known == *text => known.clone(),
            _ => slot.insert(Rc::from(text)).clone(),
        }
    }
}

/// Returns a number for a slot: no more than that hangs on it.
///
/// # Source
/// FxHash, as in Firefox: a rotation, an exclusive or and a multiplication for eight bytes.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |state: u64, word: u64| (state.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let state = words.iter().fold(bytes.len() as u64, |state, word| {
        step(state, u64::from_le_bytes(*word))
    });
    rest.iter()
        .fold(state, |state, byte| step(state, u64::from(*byte)))
}
