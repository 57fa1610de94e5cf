//! Maps and sets as sorted lists.
//!
//! The library's trees compile some nine kilobytes of WebAssembly for each pair of types; here a pair costs a tenth. Finding
//! is a binary search, putting in or taking out moves what stands behind: for a few thousand entries, or entries that
//! come in order. What is larger and comes in any order wants a tree.

use std::borrow::Borrow;

/// Values by key, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
}

/// The entries of a map, ascending.
pub type Entries<'a, K, V> =
    std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
        }
    }
}

impl<K: Ord, V> Map<K, V> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        // What comes in order goes to the end at the cost of one comparison.
        match self.entries.last() {
            Some((last, _)) if last.borrow() < key => Err(self.entries.len()),
            _ => self
                .entries
                .binary_search_by(|(own, _)| own.borrow().cmp(key)),
        }
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        self.entries.get(place).map(|(_, value)| value)
    }

    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Puts a value in and returns the one that was there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => self
                .entries
                .get_mut(place)
                .map(|(_, own)| std::mem::replace(own, value)),
            Err(place) => {
                self.entries.insert(place, (key, value));
                None
            }
        }
    }

    /// Returns the value of a key, made with `make` if there is none.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.find(&key) {
            Ok(place) => place,
            Err(place) => {
                self.entries.insert(place, (key, make()));
                place
            }
        };
        #[expect(clippy::indexing_slicing, reason = "the entry was found or put there")]
        &mut self.entries[place].1
    }

    /// Returns the value of a key, the default if there is none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }

    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.entries.remove(place).1)
    }

    /// Takes out the entry with the least key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.entries.is_empty()).then(|| self.entries.remove(0))
    }

    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| keep(key, value));
    }

    pub fn iter(&self) -> Entries<'_, K, V> {
        self.into_iter()
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut out = Self::default();
        out.extend(entries);
        out
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Entries<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|(key, value)| (key, value))
    }
}

/// Keys, ascending, each once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set<K> {
    keys: Vec<K>,
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Self { keys: Vec::new() }
    }
}

impl<K: Ord> Set<K> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        match self.keys.last() {
            Some(last) if last.borrow() < key => Err(self.keys.len()),
            _ => self.keys.binary_search_by(|own| own.borrow().cmp(key)),
        }
    }

    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Puts a key in; returns whether it was new.
    pub fn insert(&mut self, key: K) -> bool {
        match self.find(&key) {
            Ok(_) => false,
            Err(place) => {
                self.keys.insert(place, key);
                true
            }
        }
    }

    /// Takes a key out; returns whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        let found = self.find(key);
        if let Ok(place) = found {
            self.keys.remove(place);
        }
        found.is_ok()
    }

    pub fn first(&self) -> Option<&K> {
        self.keys.first()
    }

    pub fn clear(&mut self) {
        self.keys.clear();
    }

    pub fn retain(&mut self, keep: impl FnMut(&K) -> bool) {
        self.keys.retain(keep);
    }

    pub fn iter(&self) -> std::slice::Iter<'_, K> {
        self.keys.iter()
    }

    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.keys.iter().any(|key| other.contains(key))
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.keys.iter().all(|key| other.contains(key))
    }

    /// Returns the keys that are in both.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a K> + Clone {
        self.keys.iter().filter(|key| other.contains(*key))
    }

    /// Returns the keys that are not in the other.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a K> + Clone {
        self.keys.iter().filter(|key| !other.contains(*key))
    }
}

impl<K: Ord> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<K: Ord> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut out = Self::default();
        out.extend(keys);
        out
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = std::vec::IntoIter<K>;

    fn into_iter(self) -> Self::IntoIter {
        self.keys.into_iter()
    }
}

impl<'a, K> IntoIterator for &'a Set<K> {
    type Item = &'a K;
    type IntoIter = std::slice::Iter<'a, K>;

    fn into_iter(self) -> Self::IntoIter {
        self.keys.iter()
    }
}

impl<K: serde::Serialize, V: serde::Serialize> serde::Serialize for Map<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<K: serde::Serialize> serde::Serialize for Set<K> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.keys)
    }
}

impl<'de, K: serde::Deserialize<'de> + Ord> serde::Deserialize<'de> for Set<K> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn a_map_is_what_a_tree_is(steps in prop::collection::vec((0u8..40, 0u8..4), 0..200)) {
            let (mut map, mut tree) = (Map::new(), BTreeMap::new());
            for (key, what) in steps {
                match what {
                    0 => prop_assert_eq!(map.remove(&key), tree.remove(&key)),
                    1 => *map.or_default(key) += 1,
                    _ => prop_assert_eq!(map.insert(key, what), tree.insert(key, what)),
                }
                if what == 1 {
                    *tree.entry(key).or_default() += 1;
                }
                prop_assert_eq!(map.get(&key), tree.get(&key));
            }
            prop_assert!(map.iter().eq(tree.iter()));
        }

        #[test]
        fn a_set_is_what_a_tree_is(a in prop::collection::vec(0u8..30, 0..40), b in prop::collection::vec(0u8..30, 0..40)) {
            let (sets, trees) = (
                [a.clone(), b.clone()].map(|keys| keys.into_iter().collect::<Set<u8>>()),
                [a, b].map(|keys| keys.into_iter().collect::<BTreeSet<u8>>()),
            );
            prop_assert!(sets[0].iter().eq(trees[0].iter()));
            prop_assert!(sets[0].intersection(&sets[1]).eq(trees[0].intersection(&trees[1])));
            prop_assert!(sets[0].difference(&sets[1]).eq(trees[0].difference(&trees[1])));
            prop_assert_eq!(sets[0].is_disjoint(&sets[1]), trees[0].is_disjoint(&trees[1]));
            prop_assert_eq!(sets[0].is_subset(&sets[1]), trees[0].is_subset(&trees[1]));
        }
    }
}
