//! Ordering by meaning: what an embedding service is asked, how its answer is read, and vectors kept small.
//!
//! A vector orders, it never decides: no threshold is applied to a cosine anywhere.

use crate::text::digest::short_digest;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where Zhipu serves its embeddings.
///
/// # Source
/// The service's own documentation of `POST /paas/v4/embeddings`, which takes up to 64 texts and `dimensions` for `embedding-3`.
pub const ENDPOINT: &str = "https://open.bigmodel.cn/api/paas/v4/embeddings";
/// Texts of one request.
pub const BATCH_MAX: usize = 64;
/// Vectors kept; the rest is asked for again.
const VECTORS_MAX: usize = 4_000;
/// Numbers of a vector, at most.
const DIMENSIONS_MAX: usize = 16_384;
/// What the cache calls itself.
const FORMAT: &str = "dsh-jev-memory-embeddings";

/// A vector of small whole numbers: its direction is all that is used.
pub type Vector = Vec<i8>;

/// Why an answer gives no order: a stable code of the ledger, and a line for a person.
pub type Fault = (&'static str, String);

/// Returns the name of a text's vector: by text, model and dimensions, so that no two kinds of vector are ever compared.
pub fn key(model: &str, dimensions: u32, text: &str) -> String {
    short_digest(format!("{model}\0{dimensions}\0{text}").as_bytes())
}

/// Returns the body of a request; `dimensions` of 0 leaves the choice to the service.
pub fn request(model: &str, dimensions: u32, texts: &[&str]) -> Vec<u8> {
    let mut body = json!({ "model": model, "input": texts });
    if let (Value::Object(map), true) = (&mut body, dimensions > 0) {
        map.insert("dimensions".to_owned(), dimensions.into());
    }
    body.to_string().into_bytes()
}

/// Reads an answer into `n_texts` vectors, in the order of the texts. `length` is that of vectors known already; 0 when none is.
///
/// # Errors
/// `embedding-malformed` for another shape or number, `embedding-dimension` for vectors of another length.
pub fn read(body: &[u8], n_texts: usize, length: usize) -> Result<Vec<Vector>, Fault> {
    let malformed = |detail: &str| ("embedding-malformed", detail.to_owned());
    let document: Value =
        serde_json::from_slice(body).map_err(|_| malformed("the answer is no JSON"))?;
    let rows = document
        .get("data")
        .and_then(Value::as_array)
        .ok_or_else(|| malformed("the answer has no list `data`"))?;
    if rows.len() != n_texts {
        return Err(malformed(&format!(
            "{} vectors for {n_texts} texts",
            rows.len()
        )));
    }
    let mut out: Vec<Vector> = vec![Vec::new(); n_texts];
    let mut known = length;
    for (place, row) in rows.iter().enumerate() {
        let at = match row.get("index") {
            None => place,
            Some(index) => index
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .ok_or_else(|| malformed("an index is no number"))?,
        };
        let numbers: Vec<f64> = row
            .get("embedding")
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(Value::as_f64).collect())
            .ok_or_else(|| malformed("a vector is no list of numbers"))?;
        if known > 0 && numbers.len() != known {
            let found = numbers.len();
            return Err((
                "embedding-dimension",
                format!("a vector of {found} numbers where others have {known}"),
            ));
        }
        known = numbers.len();
        let vector = small(&numbers).ok_or_else(|| malformed("a vector without direction"))?;
        match out.get_mut(at) {
            Some(slot) if slot.is_empty() => *slot = vector,
            _ => return Err(malformed("an index twice or out of range")),
        }
    }
    Ok(out)
}

/// Scales a vector so that its largest number is 127.
fn small(numbers: &[f64]) -> Option<Vector> {
    let most = numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let fits = most.is_finite() && most > 0.0 && numbers.len() <= DIMENSIONS_MAX;
    (fits && numbers.iter().all(|x| x.is_finite())).then(|| {
        numbers
            .iter()
            .map(|x| (x / most * 127.0).round() as i8)
            .collect()
    })
}

/// Returns the cosine of two vectors, -1..=1; 0 where their lengths differ.
pub fn cosine(left: &[i8], right: &[i8]) -> f64 {
    if left.len() != right.len() {
        return 0.0;
    }
    let dot = |a: &[i8], b: &[i8]| -> i64 {
        a.iter()
            .zip(b)
            .map(|(x, y)| i64::from(*x) * i64::from(*y))
            .sum()
    };
    let norm = (dot(left, left) as f64 * dot(right, right) as f64).sqrt();
    if norm > 0.0 {
        dot(left, right) as f64 / norm
    } else {
        0.0
    }
}

/// Returns the cache as a file, at most [`VECTORS_MAX`] vectors.
pub fn write_cache<'a>(vectors: impl Iterator<Item = (&'a String, &'a Vector)>) -> Vec<u8> {
    let mut out = format!("{{\"format\":\"{FORMAT}\",\"v\":1,\"vectors\":{{");
    for (place, (key, vector)) in vectors.take(VECTORS_MAX).enumerate() {
        out.push_str(if place > 0 { ",\n\"" } else { "\n\"" });
        out.push_str(key);
        out.push_str("\":\"");
        for byte in vector {
            let byte = *byte as u8;
            out.extend(
                [byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16).unwrap_or('0')),
            );
        }
        out.push('"');
    }
    out.push_str("}}\n");
    out.into_bytes()
}

/// Reads a cache file. What is not one reads as empty: it is asked for again.
pub fn read_cache(bytes: &[u8]) -> BTreeMap<String, Vector> {
    let document: Value = serde_json::from_slice(bytes).unwrap_or(Value::Null);
    if document.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return BTreeMap::new();
    }
    let vectors = document.get("vectors").and_then(Value::as_object);
    vectors
        .into_iter()
        .flatten()
        .take(VECTORS_MAX)
        .filter_map(|(key, value)| Some((key.clone(), bytes_of(value.as_str()?)?)))
        .collect()
}

fn bytes_of(text: &str) -> Option<Vector> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect();
    let pairs = digits?;
    (!pairs.is_empty() && pairs.len() % 2 == 0).then(|| {
        pairs
            .chunks(2)
            .map(|pair| pair.iter().fold(0u8, |byte, half| byte << 4 | half) as i8)
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(body: &str, n_texts: usize, length: usize) -> &'static str {
        read(body.as_bytes(), n_texts, length).unwrap_err().0
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        let body = r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[1,0]}]}"#;
        assert_eq!(
            read(body.as_bytes(), 2, 0).unwrap(),
            [vec![127, 0], vec![0, 127]]
        );
    }

    #[test]
    fn another_answer_gives_no_order() {
        assert_eq!(fault("<html>", 1, 0), "embedding-malformed");
        assert_eq!(fault("{}", 1, 0), "embedding-malformed");
        assert_eq!(fault(r#"{"data":[]}"#, 1, 0), "embedding-malformed");
        assert_eq!(
            fault(r#"{"data":[{"embedding":["x"]}]}"#, 1, 0),
            "embedding-malformed"
        );
        assert_eq!(
            fault(r#"{"data":[{"embedding":[0,0]}]}"#, 1, 0),
            "embedding-malformed"
        );
        assert_eq!(
            fault(
                r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
                2,
                0
            ),
            "embedding-malformed"
        );
        assert_eq!(
            fault(r#"{"data":[{"embedding":[1,2]}]}"#, 1, 3),
            "embedding-dimension"
        );
        assert_eq!(
            fault(r#"{"data":[{"embedding":[1,2]},{"embedding":[1]}]}"#, 2, 0),
            "embedding-dimension"
        );
    }

    #[test]
    fn the_cache_reads_what_it_wrote() {
        let vectors = BTreeMap::from([
            ("a".to_owned(), vec![127, -127, 0]),
            ("b".to_owned(), vec![-1]),
        ]);
        assert_eq!(read_cache(&write_cache(vectors.iter())), vectors);
        assert!(read_cache(b"not json").is_empty());
        assert!(read_cache(br#"{"format":"x","vectors":{"a":"00"}}"#).is_empty());
    }

    #[test]
    fn a_cosine_is_of_direction_alone() {
        assert!((cosine(&[10, 0], &[100, 0]) - 1.0).abs() < 1e-9);
        assert!(cosine(&[1, 0], &[0, 1]).abs() < 1e-9);
        assert_eq!(cosine(&[1, 0], &[1]), 0.0);
    }

    #[test]
    fn no_two_kinds_of_vector_share_a_name() {
        assert_ne!(key("m", 0, "x"), key("n", 0, "x"));
        assert_ne!(key("m", 0, "x"), key("m", 256, "x"));
    }
}
