//! Memories by id: a sorted list in pieces, so that a record in the middle of many moves few of them.
//!
//! Reading a checkpoint gives ids in order, and each goes to the end at the cost of one comparison; a tree would look
//! for the place of each.

use crate::memory::MemoryId;

/// Records of one piece: moving half of them costs less than finding the place.
const PIECE_MAX: usize = 256;

/// Values by id, ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<V> {
    /// None is empty.
    pieces: Vec<Vec<(MemoryId, V)>>,
    length: usize,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            length: 0,
        }
    }
}

impl<V> Table<V> {
    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the piece in which an id is or would be, and its place there or where it would go.
    fn find(&self, id: &MemoryId) -> (usize, Result<usize, usize>) {
        let after = self
            .pieces
            .partition_point(|piece| piece.first().is_some_and(|entry| entry.0 <= *id));
        let at = after.saturating_sub(1);
        let piece = self.pieces.get(at).map(Vec::as_slice).unwrap_or_default();
        (at, piece.binary_search_by(|entry| entry.0.cmp(id)))
    }

    /// Returns the value of an id.
    pub fn get(&self, id: &MemoryId) -> Option<&V> {
        let (at, place) = self.find(id);
        Some(&self.pieces.get(at)?.get(place.ok()?)?.1)
    }

    /// Returns the value of an id, to be changed.
    pub fn get_mut(&mut self, id: &MemoryId) -> Option<&mut V> {
        let (at, place) = self.find(id);
        Some(&mut self.pieces.get_mut(at)?.get_mut(place.ok()?)?.1)
    }

    /// Returns whether an id is there.
    pub fn contains(&self, id: &MemoryId) -> bool {
        self.find(id).1.is_ok()
    }

    /// Puts a value in, in place of the one that was there.
    pub fn insert(&mut self, id: MemoryId, value: V) {
        let is_last = self
            .pieces
            .last()
            .and_then(|piece| piece.last())
            .is_none_or(|last| last.0 < id);
        if is_last {
            self.length += 1;
            match self.pieces.last_mut() {
                Some(piece) if piece.len() < PIECE_MAX => piece.push((id, value)),
                _ => self.pieces.push(vec![(id, value)]),
            }
            return;
        }
        let (at, place) = self.find(&id);
        let Some(piece) = self.pieces.get_mut(at) else {
            return;
        };
        match place {
            Ok(place) => {
                if let Some(entry) = piece.get_mut(place) {
                    entry.1 = value;
                }
            }
            Err(place) => {
                piece.insert(place, (id, value));
                self.length += 1;
                if piece.len() > PIECE_MAX {
                    let half = piece.split_off(PIECE_MAX / 2);
                    self.pieces.insert(at + 1, half);
                }
            }
        }
    }

    /// Takes a value out.
    pub fn remove(&mut self, id: &MemoryId) -> Option<V> {
        let (at, place) = self.find(id);
        let piece = self.pieces.get_mut(at)?;
        let (_, value) = piece.remove(place.ok()?);
        if piece.is_empty() {
            self.pieces.remove(at);
        }
        self.length -= 1;
        Some(value)
    }

    /// Returns the values, ascending by id.
    pub fn values(&self) -> Values<'_, V> {
        Values {
            pieces: self.pieces.iter(),
            piece: [].iter(),
            left: self.length,
        }
    }

    /// Returns the values, ascending by id, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.pieces.iter_mut().flatten().map(|entry| &mut entry.1)
    }

    /// Returns what stands from `from` up to and without `to`, ascending.
    pub fn range<'a>(
        &'a self,
        from: &MemoryId,
        to: MemoryId,
    ) -> impl Iterator<Item = (&'a MemoryId, &'a V)> {
        let (at, place) = self.find(from);
        let begin = place.unwrap_or_else(|place| place);
        let ahead = self.pieces.get(at..).unwrap_or_default();
        ahead
            .iter()
            .flatten()
            .skip(begin)
            .take_while(move |entry| entry.0 < to)
            .map(|entry| (&entry.0, &entry.1))
    }
}

/// The values of a [`Table`].
#[derive(Debug)]
pub struct Values<'a, V> {
    pieces: std::slice::Iter<'a, Vec<(MemoryId, V)>>,
    piece: std::slice::Iter<'a, (MemoryId, V)>,
    left: usize,
}

impl<'a, V> Iterator for Values<'a, V> {
    type Item = &'a V;

    fn next(&mut self) -> Option<&'a V> {
        loop {
            if let Some(entry) = self.piece.next() {
                self.left = self.left.saturating_sub(1);
                return Some(&entry.1);
            }
            self.piece = self.pieces.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<V> ExactSizeIterator for Values<'_, V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::FakeRandom;
    use std::collections::BTreeMap;

    #[test]
    fn it_answers_as_a_tree_does() {
        for span in [40, 5_000] {
            let random = FakeRandom::from_seed(span);
            let (mut table, mut tree) = (Table::default(), BTreeMap::new());
            for step in 0..6_000u64 {
                let id = MemoryId::from(format!("m-{:06}", random.next() % span));
                if random.next().is_multiple_of(3) {
                    assert_eq!(table.remove(&id), tree.remove(&id));
                } else {
                    table.insert(id.clone(), step);
                    tree.insert(id.clone(), step);
                }
                assert_eq!(table.get(&id), tree.get(&id));
                assert_eq!(table.len(), tree.len());
            }
            assert!(table.values().eq(tree.values()));
            let [from, to] = ["m-000010", "m-000030"].map(MemoryId::from);
            let expected = tree.range(from.clone()..to.clone());
            assert!(table.range(&from, to).eq(expected));
            assert_eq!(table.values().len(), tree.len());
        }
    }
}
