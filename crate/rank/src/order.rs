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

/// Returns the places `0..n` in the order of `compare`, equal ones as they stood.
///
/// A merge sort from the bottom up, where the library's is three sorts in one: lists here are short or already in order.
pub fn places(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(n);
    let mut width = 1;
    while width < n {
        for pair in order.chunks(width * 2) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(left, right, compare, &mut merged);
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        width *= 2;
    }
    order
}

fn merge(
    left: &[usize],
    right: &[usize],
    compare: &dyn Fn(usize, usize) -> Ordering,
    out: &mut Vec<usize>,
) {
    let (mut left, mut right) = (left, right);
    while let (Some((&a, after_a)), Some((&b, after_b))) = (left.split_first(), right.split_first())
    {
        if compare(b, a) == Ordering::Less {
            out.push(b);
            right = after_b;
        } else {
            out.push(a);
            left = after_a;
        }
    }
    out.extend_from_slice(left);
    out.extend_from_slice(right);
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
        let mut many: Vec<u32> = (0..1_000).map(|i| i * 7_919 % 1_000).collect();
        sort(&mut many);
        assert!(many.into_iter().eq(0..1_000));
    }
}
