//! Average-linkage clusters of points, in slices: a large scope holds up nobody.
//!
//! The nearest-neighbour chain finds the same tree as merging the nearest pair each time does, because an average is
//! reducible, in time and memory that grow with the square of the points. Ties go to the smaller place, so points that
//! stand in the order of their ids give the same clusters whatever order they came in.
//!
//! # Source
//! Benzécri, "Construction d'une classification ascendante hiérarchique par la recherche en chaîne des voisins
//! réciproques", 1982; Murtagh, "A survey of recent advances in hierarchical clustering algorithms", 1983. The average:
//! Sokal, Michener, 1958; its update: Lance, Williams, 1967.

use super::space::Space;

/// Cosine from which on two statements count as one. Source: the issue on devices, procedures and digest.
pub const SAME_MIN: f64 = 0.92;
/// Larger clusters are clustered again, with a smaller distance. Same source.
pub const REFINED_FROM: usize = 12;
/// Members of one question; a cluster that is still larger is asked about in parts of nearly equal size.
pub const PAGE_MAX: usize = 24;
/// Pairs compared, and looks for a nearest neighbour, between two chances for others to run: a few milliseconds.
const PAIRS_SLICE: usize = 16_384;
const LOOKS_SLICE: usize = 200;

/// Distances of all pairs, each once.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    n: usize,
    /// The next pair to be measured.
    at: (usize, usize),
    values: Vec<f32>,
}

impl Distances {
    /// Begins with nothing measured.
    pub fn of(n: usize) -> Self {
        Self {
            n,
            at: (0, 1),
            values: Vec::with_capacity(n * n.saturating_sub(1) / 2),
        }
    }

    /// Measures on; returns whether more is left.
    pub fn measure(&mut self, like: &dyn Fn(usize, usize) -> f64) -> bool {
        for _ in 0..PAIRS_SLICE {
            let (left, right) = self.at;
            if right >= self.n {
                if left + 2 >= self.n {
                    return false;
                }
                self.at = (left + 1, left + 2);
                continue;
            }
            self.values.push((1.0 - like(left, right)) as f32);
            self.at.1 += 1;
        }
        true
    }

    /// Returns the distance of a pair; 0 of a point to itself.
    pub fn get(&self, a: usize, b: usize) -> f32 {
        if a == b {
            return 0.0;
        }
        self.values
            .get(self.place(a, b))
            .copied()
            .unwrap_or(f32::MAX)
    }

    fn set(&mut self, a: usize, b: usize, distance: f32) {
        let place = self.place(a, b);
        if let Some(value) = self.values.get_mut(place) {
            *value = distance;
        }
    }

    fn place(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        low * (2 * self.n - low - 1) / 2 + high - low - 1
    }

    /// Returns the points that stand for all: each that is not the same as one before it.
    pub fn firsts(&self) -> Vec<usize> {
        let mut out: Vec<usize> = Vec::new();
        for point in 0..self.n {
            self.first(point, &mut out);
        }
        out
    }

    /// Takes the next point into the first ones, unless it is the same as one of them.
    pub fn first(&self, point: usize, firsts: &mut Vec<usize>) {
        let same = (1.0 - SAME_MIN) as f32 + f32::EPSILON;
        if !firsts.iter().any(|first| self.get(*first, point) <= same) {
            firsts.push(point);
        }
    }
}

/// The tree of some points, as far as it is built.
#[derive(Debug, Clone)]
pub struct Linkage {
    /// Places of the points, ascending.
    points: Vec<usize>,
    distances: Distances,
    /// Points under each node; 0 once it went into another.
    sizes: Vec<usize>,
    chain: Vec<usize>,
    merges: Vec<(usize, usize, f32)>,
}

impl Linkage {
    /// Begins the tree of `points`, which are places in `distances`.
    pub fn of(distances: &Distances, points: Vec<usize>) -> Self {
        let n = points.len();
        let mut own = Distances::of(n);
        for (at, left) in points.iter().enumerate() {
            let rest = points.iter().skip(at + 1);
            own.values
                .extend(rest.map(|right| distances.get(*left, *right)));
        }
        Self {
            sizes: vec![1; n],
            points,
            distances: own,
            chain: Vec::new(),
            merges: Vec::new(),
        }
    }

    /// Builds on; returns whether more is left.
    pub fn link(&mut self) -> bool {
        for _ in 0..LOOKS_SLICE {
            if self.merges.len() + 1 >= self.points.len() {
                return false;
            }
            self.look();
        }
        true
    }

    fn look(&mut self) {
        let live = |at: &usize| self.sizes.get(*at).is_some_and(|size| *size > 0);
        let Some(top) = self
            .chain
            .last()
            .copied()
            .or_else(|| (0..self.points.len()).find(|at| live(at)))
        else {
            return;
        };
        if self.chain.is_empty() {
            self.chain.push(top);
        }
        let before = self
            .chain
            .len()
            .checked_sub(2)
            .and_then(|at| self.chain.get(at).copied());
        // The one before wins a tie, or the chain would not end.
        let mut nearest = before.map(|at| (self.distances.get(top, at), at));
        for at in (0..self.points.len()).filter(|at| *at != top && live(at)) {
            let distance = self.distances.get(top, at);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, at));
            }
        }
        match nearest {
            Some((distance, other)) if Some(other) == before => {
                self.chain.truncate(self.chain.len().saturating_sub(2));
                self.merge(top.min(other), top.max(other), distance);
            }
            Some((_, other)) => self.chain.push(other),
            None => {}
        }
    }

    /// Makes one node of two, under the place of the first.
    fn merge(&mut self, kept: usize, gone: usize, distance: f32) {
        self.merges.push((kept, gone, distance));
        let size = |at: usize| self.sizes.get(at).copied().unwrap_or(0);
        let (mine, theirs) = (size(kept), size(gone));
        for other in (0..self.points.len()).filter(|at| *at != kept && *at != gone && size(*at) > 0)
        {
            let sum = mine as f64 * f64::from(self.distances.get(kept, other))
                + theirs as f64 * f64::from(self.distances.get(gone, other));
            self.distances
                .set(kept, other, (sum / (mine + theirs) as f64) as f32);
        }
        for (at, size) in [(kept, mine + theirs), (gone, 0)] {
            if let Some(known) = self.sizes.get_mut(at) {
                *known = size;
            }
        }
    }

    /// Returns the clusters inside which no two nodes were further apart than `distance`: places, ascending, in the order of their first.
    pub fn cut(&self, distance: f64) -> Vec<Vec<usize>> {
        let mut roots: Vec<usize> = (0..self.points.len()).collect();
        for (kept, gone, height) in &self.merges {
            if f64::from(*height) <= distance + f64::from(f32::EPSILON) {
                let (kept, gone) = (root(&roots, *kept), root(&roots, *gone));
                if let Some(parent) = roots.get_mut(gone.max(kept)) {
                    *parent = kept.min(gone);
                }
            }
        }
        let mut out: Vec<(usize, Vec<usize>)> = Vec::new();
        for (at, point) in self.points.iter().enumerate() {
            let root = root(&roots, at);
            match out.iter_mut().find(|group| group.0 == root) {
                Some(group) => group.1.push(*point),
                None => out.push((root, vec![*point])),
            }
        }
        out.into_iter().map(|group| group.1).collect()
    }
}

fn root(roots: &[usize], mut at: usize) -> usize {
    while let Some(parent) = roots.get(at).copied().filter(|parent| *parent != at) {
        at = parent;
    }
    at
}

/// Cuts a cluster into questions of nearly equal size, at most [`PAGE_MAX`] each.
pub fn pages(cluster: &[usize]) -> impl Iterator<Item = &[usize]> {
    let n_pages = cluster.len().div_ceil(PAGE_MAX).max(1);
    cluster.chunks(cluster.len().div_ceil(n_pages).max(1))
}

/// Clusters points at once, for small numbers and for tests: distances, one of each, the tree, and its parts.
pub fn clusters(space: &Space, n: usize, distance: f64, refine: f64) -> Vec<Vec<usize>> {
    let mut distances = Distances::of(n);
    while distances.measure(&|a, b| space.like(a, b)) {}
    let whole = linked(&distances, distances.firsts());
    let mut out = Vec::new();
    for cluster in whole.cut(distance) {
        if cluster.len() > REFINED_FROM {
            out.extend(linked(&distances, cluster).cut(refine));
        } else {
            out.push(cluster);
        }
    }
    out
}

/// Returns the whole tree of some points.
pub fn linked(distances: &Distances, points: Vec<usize>) -> Linkage {
    let mut linkage = Linkage::of(distances, points);
    while linkage.link() {}
    linkage
}
