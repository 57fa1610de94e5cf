//! One ledger row as one line, and back.
//!
//! A line is a JSON object whose last field is `sum`, the checksum of every byte before it. A row written by this build
//! has its head first (`v origin seq at tx last kind`), so the body is read straight into its type.

use super::entry::{Body, Fact, LEDGER_VERSION, Observation, Row};
use crate::memory::{Millis, Origin, Seq};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IgnoredAny, MapAccess, VariantAccess, Visitor,
};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use serde_json::Value;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// Longest line of any kind but `checkpoint`: sixteen of the longest quotes with room, far under a read of one segment.
pub const ROW_MAX_BYTES: usize = 256 * 1024;

/// The last number of a row: what every reader of JSON can hold. A commit a microsecond reaches it in three centuries.
pub const SEQ_MAX: u64 = (1 << 53) - 1;

/// Between the fields of a row and its checksum.
const SUM_KEY: &[u8] = br#","sum":""#;
/// Hexadecimal digits of a checksum.
const SUM_DIGITS: usize = 16;
/// `,"sum":"…"}` at the end of each line.
pub const SUM_BYTES: usize = SUM_KEY.len() + SUM_DIGITS + 2;

/// What a line turned out to be.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every line is a row, and a box would cost an allocation for each"
)]
pub enum Line {
    Row(Row),
    /// Whole, and of a version this build does not know.
    Newer(u32),
    Damaged(&'static str),
}

/// Returns the checksum of a line: of everything before its `sum` field.
///
/// # Source
/// XXH3, 64 bits (Collet, 2019): against accidents, not against an adversary, who can edit the file anyway. One flipped
/// bit goes unseen once in 2⁶⁴.
pub fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Appends `row` to `out` as one line with its newline.
///
/// # Errors
/// A reason, when a value has no JSON form.
pub fn encode(row: &Row, out: &mut Vec<u8>) -> Result<(), String> {
    let body = match &row.body {
        Body::Fact(fact) => serde_json::to_vec(fact),
        Body::Observation(observation) => serde_json::to_vec(observation),
        Body::Unknown(kind) => return Err(format!("`{kind}` is not a kind of this build")),
    }
    .map_err(|error| error.to_string())?;
    // `{"kind":{…}}`: the tag goes into the head and the fields follow it.
    let colon = body
        .iter()
        .position(|&byte| byte == b':')
        .ok_or_else(|| "a body without fields".to_owned())?;
    let kind = body.get(1..colon).unwrap_or_default();
    let fields = body
        .get(colon + 2..body.len().saturating_sub(2))
        .unwrap_or_default();
    let start = out.len();
    head(row, kind, out)?;
    if !fields.is_empty() {
        out.push(b',');
        out.extend_from_slice(fields);
    }
    seal(out, start);
    Ok(())
}

/// Appends a `checkpoint` row whose state is written already, and leaves `row`'s own body aside.
///
/// # Errors
/// A reason, when a value has no JSON form.
pub fn encode_checkpoint(row: &Row, state: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let start = out.len();
    head(row, br#""checkpoint""#, out)?;
    out.extend_from_slice(br#","state":"#);
    out.extend_from_slice(state);
    seal(out, start);
    Ok(())
}

/// Appends what every row begins with, open for its fields. `kind` is quoted.
fn head(row: &Row, kind: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let head = Head {
        v: LEDGER_VERSION,
        origin: &row.origin,
        seq: row.seq,
        at: row.at,
        tx: row.tx,
        last: row.last,
    };
    serde_json::to_writer(&mut *out, &head).map_err(|error| error.to_string())?;
    out.pop();
    out.extend_from_slice(br#","kind":"#);
    out.extend_from_slice(kind);
    Ok(())
}

/// Ends the line that begins at `start` of `out`: checksum, brace, newline.
pub fn seal(out: &mut Vec<u8>, start: usize) {
    let sum = checksum(out.get(start..).unwrap_or_default());
    out.extend_from_slice(SUM_KEY);
    out.extend_from_slice(sum.as_bytes());
    out.extend_from_slice(b"\"}\n");
}

/// Returns the part of a line before its checksum, and the checksum it carries; `None` when it carries none.
pub fn split_sum(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, end) = line.split_at_checked(line.len().checked_sub(SUM_BYTES)?)?;
    let sum = end.strip_prefix(SUM_KEY)?.strip_suffix(b"\"}")?;
    Some((body, sum))
}

/// Returns the checksum a line carries, if it carries one and it is right.
pub fn verified(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, sum) = split_sum(line)?;
    (checksum(body).as_bytes() == sum).then_some((body, sum))
}

/// Reads one line, without its newline. Never fails: what cannot be read says why.
pub fn decode(line: &[u8]) -> Line {
    if verified(line).is_none() {
        return Line::Damaged("checksum");
    }
    let read = match serde_json::from_slice::<Read>(line) {
        Ok(Read(row)) => Line::Row(row),
        Err(_) => decode_any_order(line),
    };
    match read {
        Line::Row(row) if !is_number(row.seq) || !is_number(row.tx) => Line::Damaged("number"),
        read => read,
    }
}

/// Returns whether a row can have this number: one that has no successor would end the ledger.
pub fn is_number(seq: Seq) -> bool {
    (1..=SEQ_MAX).contains(&seq.0)
}

/// Reads a row whose fields stand in another order, or whose version is newer.
///
/// The head is put in front and the line read again, so that one reader of rows is compiled and not two.
fn decode_any_order(line: &[u8]) -> Line {
    let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(line) else {
        return Line::Damaged("not-json");
    };
    let Some(v) = fields.get("v").and_then(Value::as_u64) else {
        return Line::Damaged("foreign");
    };
    if v > u64::from(LEDGER_VERSION) {
        return Line::Newer(u32::try_from(v).unwrap_or(u32::MAX));
    }
    let mut ordered = Vec::with_capacity(line.len());
    for name in ["v", "origin", "seq", "at", "tx", "last", "kind"] {
        let Some(value) = fields.remove(name) else {
            if name == "last" {
                continue;
            }
            return Line::Damaged("foreign");
        };
        ordered.extend_from_slice(if ordered.is_empty() { b"{\"" } else { b",\"" });
        ordered.extend_from_slice(name.as_bytes());
        ordered.extend_from_slice(b"\":");
        if serde_json::to_writer(&mut ordered, &value).is_err() {
            return Line::Damaged("shape");
        }
    }
    fields.remove("sum");
    if let Ok(rest) = serde_json::to_vec(&fields)
        && let Some(rest) = rest.get(1..).filter(|rest| rest.len() > 1)
    {
        ordered.push(b',');
        ordered.extend_from_slice(rest);
    } else {
        ordered.push(b'}');
    }
    match serde_json::from_slice::<Read>(&ordered) {
        Ok(Read(row)) => Line::Row(row),
        Err(_) => Line::Damaged("shape"),
    }
}

/// Reads the fields that follow a head into the type that `kind` names.
fn body_of<'de, A: MapAccess<'de>>(kind: &str, rest: A) -> Result<Body, A::Error> {
    if Fact::KINDS.contains(&kind) {
        return Fact::deserialize(Kinded { kind, rest }).map(Body::Fact);
    }
    if Observation::KINDS.contains(&kind) {
        return Observation::deserialize(Kinded { kind, rest }).map(Body::Observation);
    }
    IgnoredAny::deserialize(MapAccessDeserializer::new(rest))?;
    Ok(Body::Unknown(kind.to_owned()))
}

#[derive(Serialize)]
struct Head<'a> {
    v: u32,
    origin: &'a Origin,
    seq: Seq,
    at: Millis,
    tx: Seq,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    last: bool,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum HeadField {
    V,
    Origin,
    Seq,
    At,
    Tx,
    Last,
    Kind,
    #[serde(other)]
    Other,
}

/// A row read in one pass: its head stands first and its version is known.
struct Read(Row);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReadVisitor)
    }
}

struct ReadVisitor;

impl<'de> Visitor<'de> for ReadVisitor {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ledger row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let (mut v, mut origin, mut seq, mut at, mut tx, mut last) =
            (None, None, None, None, None, false);
        while let Some(field) = map.next_key::<HeadField>()? {
            match field {
                HeadField::V => v = Some(map.next_value::<u32>()?),
                HeadField::Origin => origin = Some(map.next_value::<Origin>()?),
                HeadField::Seq => seq = Some(map.next_value::<Seq>()?),
                HeadField::At => at = Some(map.next_value::<Millis>()?),
                HeadField::Tx => tx = Some(map.next_value::<Seq>()?),
                HeadField::Last => last = map.next_value::<bool>()?,
                HeadField::Other => break,
                HeadField::Kind => {
                    let kind = map.next_value::<std::borrow::Cow<'_, str>>()?;
                    let (Some(v), Some(origin), Some(seq), Some(at), Some(tx)) =
                        (v, origin, seq, at, tx)
                    else {
                        break;
                    };
                    if v > LEDGER_VERSION {
                        break;
                    }
                    let body = body_of(&kind, map)?;
                    return Ok(Read(Row {
                        origin,
                        seq,
                        at,
                        tx,
                        last,
                        body,
                    }));
                }
            }
        }
        // The slow way reads the line again from its beginning.
        Err(serde::de::Error::custom("another order"))
    }
}

/// An enum whose tag was read already and whose fields are the rest of the same object.
struct Kinded<'k, A> {
    kind: &'k str,
    rest: A,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Kinded<'_, A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> EnumAccess<'de> for Kinded<'_, A> {
    type Error = A::Error;
    type Variant = Rest<A>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Rest<A>), A::Error> {
        let variant = seed.deserialize(StrDeserializer::new(self.kind))?;
        Ok((variant, Rest(self.rest)))
    }
}

struct Rest<A>(A);

impl<'de, A: MapAccess<'de>> VariantAccess<'de> for Rest<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        IgnoredAny::deserialize(MapAccessDeserializer::new(self.0)).map(|_| ())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        seed.deserialize(MapAccessDeserializer::new(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(self.0)
    }
}
