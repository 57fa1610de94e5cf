//! Lays two readings beside each other: what both say, and what stands in one where the other says something else.

use super::reading::Unit;

/// What stands between two things both say.
#[derive(Debug, Default)]
pub(super) struct Gap<'a> {
    pub(super) new: Vec<&'a Unit>,
    pub(super) old: Vec<&'a Unit>,
}

/// Two readings beside each other.
#[derive(Debug, Default)]
pub(super) struct Alignment<'a> {
    /// What both say, in the new reading's order.
    pub(super) shared: Vec<&'a Unit>,
    pub(super) gaps: Vec<Gap<'a>>,
}

/// Aligns by the heaviest common subsequence.
pub(super) fn align<'a>(new: &[&'a Unit], old: &[&'a Unit]) -> Alignment<'a> {
    let width = old.len() + 1;
    // Row by row from the end: the best weight of what follows.
    let mut best = vec![0u32; (new.len() + 1) * width];
    let at = |best: &Vec<u32>, i: usize, j: usize| best.get(i * width + j).copied().unwrap_or(0);
    for (i, left) in new.iter().enumerate().rev() {
        for (j, right) in old.iter().enumerate().rev() {
            let mut value = at(&best, i + 1, j).max(at(&best, i, j + 1));
            if left.same(right) {
                value = value.max(at(&best, i + 1, j + 1) + left.weight());
            }
            if let Some(slot) = best.get_mut(i * width + j) {
                *slot = value;
            }
        }
    }
    let mut out = Alignment::default();
    let mut gap = Gap::default();
    let (mut i, mut j) = (0, 0);
    loop {
        match (new.get(i), old.get(j)) {
            (Some(left), Some(right)) => {
                let here = at(&best, i, j);
                if left.same(right) && here == at(&best, i + 1, j + 1) + left.weight() {
                    close(&mut out, &mut gap);
                    out.shared.push(left);
                    (i, j) = (i + 1, j + 1);
                } else if here == at(&best, i + 1, j) {
                    gap.new.push(left);
                    i += 1;
                } else {
                    gap.old.push(right);
                    j += 1;
                }
            }
            (Some(left), None) => {
                gap.new.push(left);
                i += 1;
            }
            (None, Some(right)) => {
                gap.old.push(right);
                j += 1;
            }
            (None, None) => break,
        }
    }
    close(&mut out, &mut gap);
    out
}

fn close<'a>(out: &mut Alignment<'a>, gap: &mut Gap<'a>) {
    if !gap.new.is_empty() || !gap.old.is_empty() {
        out.gaps.push(std::mem::take(gap));
    }
}
