//! Packed postings: a table of tokens, and for each its documents in four bytes a posting.
//!
//! A token of one document keeps its posting in the table itself; most tokens do. Lists of more live in one arena, in
//! blocks of a power of two, so a list's capacity follows from its length and freed blocks are used again.

use crate::token::{TokenKey, is_weak};

/// Document numbers are below this: 20 bits of a posting.
pub const DOCS_MAX: u32 = 1 << 20;

/// A larger term frequency counts as this: 4 bits.
pub(super) const TF_MAX: u32 = 15;

/// Length codes: 8 bits.
pub(super) const CODES: usize = 256;

/// Tokens a document of a large collection brings that no other has, about.
const NEW_TOKENS_PER_DOC: usize = 2;

/// The code of a document that is not there.
const ABSENT: u8 = 255;

/// Lengths up to this are exact; from here a code stands for [`STEP`] tokens.
const EXACT: u32 = 127;
const STEP: u32 = 8;

/// Returns the document of a posting.
pub(super) fn doc(posting: u32) -> u32 {
    posting >> 12
}

/// Returns the place of a posting's frequency and length in a table of norms.
pub(super) fn norm_slot(posting: u32) -> usize {
    (posting & 0xfff) as usize
}

fn pack(doc: u32, tf: u32, code: u8) -> u32 {
    doc << 12 | tf.min(TF_MAX) << 8 | u32::from(code)
}

fn code_of_length(length: u32) -> u8 {
    if length <= EXACT {
        length as u8
    } else {
        (EXACT + (length - EXACT + STEP / 2) / STEP).min(u32::from(ABSENT) - 1) as u8
    }
}

/// Returns the length a code stands for.
pub(super) fn length_of_code(code: usize) -> u32 {
    let code = code as u32;
    if code <= EXACT {
        code
    } else {
        EXACT + (code - EXACT) * STEP
    }
}

/// A token and where its postings are.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// 0: free.
    key: TokenKey,
    /// The one posting, or where the list begins in the arena.
    at: u32,
    /// The document frequency.
    count: u32,
}

#[derive(Default)]
pub(super) struct Postings {
    /// Open addressing, linear probing.
    slots: Vec<Slot>,
    used: usize,
    arena: Vec<u32>,
    /// Freed blocks by the power of two of their size.
    free: Vec<Vec<u32>>,
    /// Length code by document.
    codes: Vec<u8>,
    count: u32,
    /// Sum of the lengths the codes stand for.
    total_length: u64,
}

impl Postings {
    /// Makes room for `n_docs` more documents, so that the table does not grow step by step while many come in.
    pub fn reserve(&mut self, n_docs: usize) {
        let length = (self.used + n_docs.saturating_mul(NEW_TOKENS_PER_DOC)) * 8 / 7 + 1;
        if self.slots.len() < length {
            self.grow_to(length);
        }
    }

    /// Puts a document of `keys` in, in place of what was there.
    pub fn insert(&mut self, doc: u32, keys: &[TokenKey]) -> bool {
        if doc >= DOCS_MAX {
            return false;
        }
        self.remove(doc);
        let at = doc as usize;
        if self.codes.len() <= at {
            self.codes.resize(at + 1, ABSENT);
        }
        // Single characters repeat what the pairs say; counting both would double the length of Chinese texts only.
        let length = keys.iter().filter(|key| !is_weak(**key)).count();
        let code = code_of_length(length.try_into().unwrap_or(u32::MAX));
        if let Some(slot) = self.codes.get_mut(at) {
            *slot = code;
        }
        self.count += 1;
        self.total_length += u64::from(length_of_code(code.into()));
        for &key in keys {
            self.push(usable(key), pack(doc, 1, code));
        }
        true
    }

    /// Takes a document out; returns whether it was there.
    pub fn remove(&mut self, doc: u32) -> bool {
        let Some(code) = self.codes.get_mut(doc as usize).filter(|c| **c != ABSENT) else {
            return false;
        };
        self.total_length -= u64::from(length_of_code((*code).into()));
        self.count -= 1;
        *code = ABSENT;
        // Deleting moves later slots back, so the table is walked from its end and each slot is looked at again.
        for at in (0..self.slots.len()).rev() {
            while self.take(at, doc) {}
        }
        true
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns one more than the highest document number seen.
    pub fn width(&self) -> usize {
        self.codes.len()
    }

    pub fn average_length(&self) -> f32 {
        if self.count == 0 {
            0.0
        } else {
            (self.total_length as f64 / f64::from(self.count)) as f32
        }
    }

    /// Returns the length the document's code stands for, or none.
    pub fn length(&self, doc: u32) -> Option<u32> {
        let code = *self.codes.get(doc as usize)?;
        (code != ABSENT).then(|| length_of_code(code.into()))
    }

    pub fn document_frequency(&self, key: TokenKey) -> u32 {
        self.find(usable(key)).map_or(0, |slot| slot.count)
    }

    /// Returns the postings of a token, in no order.
    pub fn list(&self, key: TokenKey) -> &[u32] {
        let Some(slot) = self.find(usable(key)) else {
            return &[];
        };
        if slot.count == 1 {
            return std::slice::from_ref(&slot.at);
        }
        let begin = slot.at as usize;
        self.arena
            .get(begin..begin + slot.count as usize)
            .unwrap_or(&[])
    }

    pub fn length_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.arena.capacity() * size_of::<u32>()
            + self
                .free
                .iter()
                .map(|b| b.capacity() * 4 + 24)
                .sum::<usize>()
            + self.codes.capacity()
    }

    fn find(&self, key: TokenKey) -> Option<&Slot> {
        if self.slots.is_empty() {
            return None;
        }
        let home = home(key, self.slots.len());
        let (before, from) = self.slots.split_at_checked(home)?;
        from.iter()
            .chain(before)
            .take_while(|slot| slot.key != 0)
            .find(|slot| slot.key == key)
    }

    /// Adds a posting to a token's list, or counts it in the list's last one when that is of the same document.
    ///
    /// A document's postings are at the ends of their lists while it comes in: it was in none of them before.
    fn push(&mut self, key: TokenKey, posting: u32) {
        if (self.used + 1) * 8 > self.slots.len() * 7 {
            self.grow();
        }
        let at = self.place(key);
        let Some(&slot) = self.slots.get(at) else {
            return;
        };
        let new = if slot.key == 0 {
            self.used += 1;
            Slot {
                key,
                at: posting,
                count: 1,
            }
        } else if self.count_again(slot, at, posting) {
            return;
        } else {
            let begin = self.room_for_one_more(slot);
            if let Some(end) = self.arena.get_mut(begin as usize + slot.count as usize) {
                *end = posting;
            }
            Slot {
                key,
                at: begin,
                count: slot.count + 1,
            }
        };
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = new;
        }
    }

    /// Counts one more in the last posting of a list when it is of this document; returns whether it is.
    fn count_again(&mut self, slot: Slot, at: usize, posting: u32) -> bool {
        let last = if slot.count == 1 {
            self.slots.get_mut(at).map(|slot| &mut slot.at)
        } else {
            self.arena.get_mut((slot.at + slot.count - 1) as usize)
        };
        match last {
            Some(last) if doc(*last) == doc(posting) => {
                if *last >> 8 & TF_MAX < TF_MAX {
                    *last += 1 << 8;
                }
                true
            }
            _ => false,
        }
    }

    /// Returns where the list begins once it has room for one more posting.
    fn room_for_one_more(&mut self, slot: Slot) -> u32 {
        if slot.count > 1 && !slot.count.is_power_of_two() {
            return slot.at;
        }
        let power = slot.count.trailing_zeros();
        let begin = self.allocate(power + 1);
        if slot.count == 1 {
            if let Some(first) = self.arena.get_mut(begin as usize) {
                *first = slot.at;
            }
        } else {
            let old = slot.at as usize;
            let end = old + slot.count as usize;
            if end <= self.arena.len() {
                self.arena.copy_within(old..end, begin as usize);
            }
            self.release(slot.at, power);
        }
        begin
    }

    /// Returns the beginning of a block of 2^`power` postings.
    fn allocate(&mut self, power: u32) -> u32 {
        if let Some(begin) = self.free.get_mut(power as usize).and_then(Vec::pop) {
            return begin;
        }
        let begin = self.arena.len();
        let end = begin + (1usize << power);
        if end > self.arena.capacity() {
            // Growing by an eighth keeps the slack small; the copies stay linear.
            self.arena
                .reserve_exact((end - begin).max(self.arena.len() / 8).max(64));
        }
        self.arena.resize(end, 0);
        begin as u32
    }

    fn release(&mut self, begin: u32, power: u32) {
        let power = power as usize;
        if self.free.len() <= power {
            self.free.resize_with(power + 1, Vec::new);
        }
        if let Some(blocks) = self.free.get_mut(power) {
            blocks.push(begin);
        }
    }

    /// Takes `doc`'s posting out of the slot; returns whether another slot moved here and must be looked at.
    fn take(&mut self, at: usize, doc: u32) -> bool {
        let Some(&slot) = self.slots.get(at).filter(|slot| slot.key != 0) else {
            return false;
        };
        if slot.count == 1 {
            if self::doc(slot.at) != doc {
                return false;
            }
            self.free_slot(at);
            return true;
        }
        let begin = slot.at as usize;
        let Some(list) = self.arena.get_mut(begin..begin + slot.count as usize) else {
            return false;
        };
        let Some(found) = list.iter().position(|&p| self::doc(p) == doc) else {
            return false;
        };
        let last = list.len() - 1;
        list.swap(found, last);
        let count = slot.count - 1;
        let mut new = Slot { count, ..slot };
        if count == 1 {
            new.at = list.first().copied().unwrap_or(0);
            self.release(slot.at, 1);
        } else if count.is_power_of_two() {
            // The capacity follows from the length, so the upper half of the block is given back.
            self.release(slot.at + count, count.trailing_zeros());
        }
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = new;
        }
        false
    }

    /// Empties a slot and moves back what was pushed past it.
    fn free_slot(&mut self, at: usize) {
        let length = self.slots.len();
        let mut hole = at;
        let mut next = at;
        loop {
            next = (next + 1) % length;
            let Some(&slot) = self.slots.get(next).filter(|slot| slot.key != 0) else {
                break;
            };
            let home = home(slot.key, length);
            // A slot may move to the hole unless its home lies behind the hole, on the way to where it stands.
            let reaches = (next + length - home) % length >= (next + length - hole) % length;
            if reaches {
                if let Some(target) = self.slots.get_mut(hole) {
                    *target = slot;
                }
                hole = next;
            }
        }
        if let Some(slot) = self.slots.get_mut(hole) {
            *slot = Slot::default();
        }
        self.used -= 1;
    }

    /// Returns the key's slot, or the free one where it belongs.
    fn place(&self, key: TokenKey) -> usize {
        let length = self.slots.len();
        let mut at = home(key, length);
        while let Some(slot) = self.slots.get(at) {
            if slot.key == 0 || slot.key == key {
                break;
            }
            at += 1;
            if at == length {
                at = 0;
            }
        }
        at
    }

    fn grow(&mut self) {
        self.grow_to((self.slots.len() * 3 / 2).max(64));
    }

    fn grow_to(&mut self, length: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            let at = self.place(slot.key);
            if let Some(target) = self.slots.get_mut(at) {
                *target = slot;
            }
        }
    }
}

/// 0 marks a free slot, so the one key that is 0 takes another's place.
fn usable(key: TokenKey) -> TokenKey {
    if key == 0 { 2 } else { key }
}

/// Maps a key to a slot of any number of slots, by its upper half.
fn home(key: TokenKey, length: usize) -> usize {
    (((key >> 32) * length as u64) >> 32) as usize
}
