//! Sorting, once for every type.
//!
//! Each use of the library's stable sort compiles some six kilobytes of WebAssembly for its type. Here places are sorted,
//! which is one type, and the values follow.

use std::cmp::Ordering;

/// Sorts by `compare`, stable. For lists off the hot path: it allocates twice.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = places(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut taken: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(
        order
            .into_iter()
            .filter_map(|place| taken.get_mut(place).and_then(Option::take)),
    );
}

/// Sorts by the values' own order, stable.
pub fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
}

fn places(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_their_places_and_equal_ones_keep_theirs() {
        let mut items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd')];
        sort_by(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(items, [(0, 'd'), (1, 'b'), (2, 'a'), (2, 'c')]);
        let mut words = vec!["b".to_owned(), "a".to_owned()];
        sort(&mut words);
        assert_eq!(words, ["a", "b"]);
        sort(&mut Vec::<u8>::new());
    }
}
