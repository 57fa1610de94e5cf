//! The folded state as it is written: lists in a fixed order, one type for `memory.json` and the `checkpoint` fact.

use crate::memory::{EventSeq, Memory, MemoryId, Millis, ScopeKey, Seq, SessionId};
use crate::turn::Position;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The whole state, each list ascending by its key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tables {
    #[serde(default, with = "shared")]
    pub memories: Vec<Rc<Memory>>,
    #[serde(default)]
    pub failures: Vec<Failure>,
    #[serde(default)]
    pub sessions: Vec<Reading>,
    #[serde(default)]
    pub tombstones: Vec<Tombstone>,
    #[serde(default)]
    pub asks: Vec<Ask>,
    #[serde(default)]
    pub scopes: Vec<Join>,
}

/// How often a failure signature was seen in a scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub scope: ScopeKey,
    pub key: String,
    pub tool: String,
    pub signature: String,
    pub count: u32,
    /// The last place it was seen.
    pub position: Position,
    /// When it was last seen.
    pub at: Millis,
    /// The row that last said so: the oldest are dropped first.
    pub seq: Seq,
}

/// How far a session was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    pub session_id: SessionId,
    pub turn: u32,
    /// One past the last event read.
    pub read_to: EventSeq,
    pub scope: ScopeKey,
    /// The row that last said so.
    pub seq: Seq,
}

/// What is left of a forgotten memory: no content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tombstone {
    pub id: MemoryId,
    pub scope: ScopeKey,
    pub at: Millis,
    pub by: String,
    /// Places in transcripts that never bring it back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<Position>,
}

/// A contradiction that waits for the human.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    pub id: MemoryId,
    pub against: Vec<MemoryId>,
    /// Cards shown so far.
    pub attempt: u32,
    pub detector: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    pub at: Millis,
}

/// Two keys of one scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Join {
    pub from: ScopeKey,
    pub to: ScopeKey,
}

/// Memories are shared with readers that hold them across a wait; on disk they are plain.
mod shared {
    use super::{Memory, Rc};
    use serde::de::{SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};
    use std::fmt;

    pub fn serialize<S: Serializer>(
        memories: &[Rc<Memory>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(memories.iter().map(Rc::as_ref))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Rc<Memory>>, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Vec<Rc<Memory>>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of memories")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut out = Vec::new();
                while let Some(memory) = seq.next_element::<Memory>()? {
                    out.push(Rc::new(memory));
                }
                Ok(out)
            }
        }
        deserializer.deserialize_seq(List)
    }
}
