//! Texts as points: by meaning where there are vectors, else by their words.

use crate::conflict::embedding::Vector;
use crate::text::dot::dot;
use crate::text::token::{self, TokenKey};

/// Texts at least, for how rare a word is: a handful says little about that.
///
/// # Source
/// Measured on the themes of `digest/tests.rs`: with their own number, five statements about one thing are not alike.
const TEXTS_MIN: usize = 1_000;

/// Points between which there is a cosine.
#[derive(Debug, Clone, PartialEq)]
pub enum Space {
    /// Vectors with their lengths.
    Meaning(Vec<(Vector, f64)>),
    /// Tokens with their weights, ascending, of length 1.
    Words(Vec<Vec<(TokenKey, f64)>>),
}

impl Space {
    /// Takes vectors as they are.
    pub fn of_vectors(vectors: Vec<Vector>) -> Self {
        let norm = |vector: &Vector| f64::from(dot(vector, vector)).sqrt();
        Self::Meaning(
            vectors
                .into_iter()
                .map(|x| {
                    let n = norm(&x);
                    (x, n)
                })
                .collect(),
        )
    }

    /// Weighs each token of each text by how few of the texts have it: ln(1 + N / n), N at least [`TEXTS_MIN`].
    ///
    /// # Source
    /// Inverse document frequency: Spärck Jones, "A statistical interpretation of term specificity", 1972, smoothed so that a
    /// token of every text still counts a little; cosine normalisation: Salton, Buckley, 1988.
    pub fn of_texts(texts: &[&str]) -> Self {
        let mut all: Vec<TokenKey> = Vec::new();
        let mut each: Vec<Vec<TokenKey>> = Vec::with_capacity(texts.len());
        for text in texts {
            let mut keys = Vec::new();
            token::tokens(text, &mut keys);
            keys.sort_unstable();
            keys.dedup();
            all.extend_from_slice(&keys);
            each.push(keys);
        }
        all.sort_unstable();
        let weight = |key: TokenKey| {
            let from = all.partition_point(|other| *other < key);
            let to = all.partition_point(|other| *other <= key);
            (1.0 + texts.len().max(TEXTS_MIN) as f64 / (to - from).max(1) as f64).ln()
        };
        let point = |keys: Vec<TokenKey>| {
            let mut point: Vec<(TokenKey, f64)> =
                keys.into_iter().map(|key| (key, weight(key))).collect();
            let length = point.iter().map(|x| x.1 * x.1).sum::<f64>().sqrt();
            for entry in &mut point {
                entry.1 /= length;
            }
            point
        };
        Self::Words(each.into_iter().map(point).collect())
    }

    /// What points are compared by, as results say it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Meaning(_) => "embedding",
            Self::Words(_) => "lexical",
        }
    }

    /// Returns the cosine of two points; 0 where there is none.
    pub fn like(&self, left: usize, right: usize) -> f64 {
        match self {
            Self::Meaning(points) => match (points.get(left), points.get(right)) {
                (Some((a, x)), Some((b, y))) if a.len() == b.len() && x * y > 0.0 => {
                    f64::from(dot(a, b)) / (x * y)
                }
                _ => 0.0,
            },
            Self::Words(points) => match (points.get(left), points.get(right)) {
                (Some(a), Some(b)) => shared(a, b),
                _ => 0.0,
            },
        }
    }
}

fn shared(mut left: &[(TokenKey, f64)], mut right: &[(TokenKey, f64)]) -> f64 {
    let mut sum = 0.0;
    while let (Some((a, rest_a)), Some((b, rest_b))) = (left.split_first(), right.split_first()) {
        match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => left = rest_a,
            std::cmp::Ordering::Greater => right = rest_b,
            std::cmp::Ordering::Equal => {
                sum += a.1 * b.1;
                (left, right) = (rest_a, rest_b);
            }
        }
    }
    sum
}
