//! The folded state as it is written: lists in a fixed order, one type for `memory.json` and the `checkpoint` fact.

use crate::decide::outcome::Recorded;
use crate::memory::record::{given, id_texts, ids};
use crate::memory::{EventSeq, Memory, MemoryId, Millis, Origin, ScopeKey, Seq, SessionId};
use crate::text::json::{Fields, Malformed, Reader, Writer};
use crate::turn::Position;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Malformed>;

/// The whole state, each list ascending by its key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tables {
    pub memories: Vec<Rc<Memory>>,
    pub failures: Vec<Failure>,
    pub sessions: Vec<Reading>,
    pub tombstones: Vec<Tombstone>,
    pub asks: Vec<Ask>,
    pub scopes: Vec<Join>,
    /// Recorded results, by request id.
    pub requests: Vec<Rc<Recorded>>,
    /// What is known about the digest of each scope, by scope.
    pub digests: Vec<Digest>,
    /// What is held of other devices.
    pub vector: Vec<Heard>,
}

impl Tables {
    /// The lists, by name, in the order in which they are written.
    pub const LISTS: &'static [&'static str] = &[
        "memories",
        "failures",
        "sessions",
        "tombstones",
        "asks",
        "scopes",
        "requests",
        "digests",
        "vector",
    ];

    /// Reads the lists from an object that may hold other fields, too. A list that is not there is empty.
    ///
    /// # Errors
    /// The first field that is missing or of another kind.
    pub fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let mut out = Self::default();
        let mut fields = Fields::of(Self::LISTS);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => out.memories = reader.list(|item| Memory::read(item).map(Rc::new))?,
                1 => out.failures = reader.list(Failure::read)?,
                2 => out.sessions = reader.list(Reading::read)?,
                3 => out.tombstones = reader.list(Tombstone::read)?,
                4 => out.asks = reader.list(Ask::read)?,
                5 => out.scopes = reader.list(Join::read)?,
                6 => out.requests = reader.list(|item| Recorded::read(item).map(Rc::new))?,
                7 => out.digests = reader.list(Digest::read)?,
                _ => out.vector = reader.list(Heard::read)?,
            }
        }
        Ok(out)
    }

    /// Appends the lists as one object.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer.list("memories", &self.memories, |out, x| x.write(out));
        self.write_lists(out, "");
        out.push(b'}');
    }

    /// Appends every list but the memories, each after a comma, with `between` before each name and record.
    pub(super) fn write_lists(&self, out: &mut Vec<u8>, between: &str) {
        let mut list = |name: &str, write: &dyn Fn(&mut Vec<u8>, usize) -> bool| {
            out.push(b',');
            out.extend_from_slice(between.as_bytes());
            Writer::quoted(out, name);
            out.extend_from_slice(b":[");
            for number in 0.. {
                let begin = out.len();
                if number > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(between.as_bytes());
                if !write(out, number) {
                    out.truncate(begin);
                    break;
                }
            }
            out.push(b']');
        };
        fn one<T>(items: &[T], at: usize, write: impl FnOnce(&T)) -> bool {
            items.get(at).map(write).is_some()
        }
        list("failures", &|out, at| {
            one(&self.failures, at, |x| x.write(out))
        });
        list("sessions", &|out, at| {
            one(&self.sessions, at, |x| x.write(out))
        });
        list("tombstones", &|out, at| {
            one(&self.tombstones, at, |x| x.write(out))
        });
        list("asks", &|out, at| one(&self.asks, at, |x| x.write(out)));
        list("scopes", &|out, at| one(&self.scopes, at, |x| x.write(out)));
        // Only a memory that is used as a library has any.
        if !self.requests.is_empty() {
            list("requests", &|out, at| {
                one(&self.requests, at, |x| x.write(out))
            });
        }
        if !self.digests.is_empty() {
            list("digests", &|out, at| {
                one(&self.digests, at, |x| x.write(out))
            });
        }
        // Only a memory that took something in has one.
        if !self.vector.is_empty() {
            list("vector", &|out, at| one(&self.vector, at, |x| x.write(out)));
        }
    }
}

/// What waits for a digest of a scope, and what a model was asked already.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    pub scope: ScopeKey,
    /// The first and the last row that registered it; none when nothing waits.
    pub pending: Option<(Seq, Seq)>,
    /// Names of what a model was asked and answered.
    pub asked: Vec<String>,
}

/// How often a failure signature was seen in a scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub scope: ScopeKey,
    pub key: String,
    pub tool: String,
    pub signature: String,
    pub count: u32,
    /// How much of the count other devices saw.
    pub more: u32,
    /// The last place it was seen.
    pub position: Position,
    /// When it was last seen.
    pub at: Millis,
    /// The row that last said so: the oldest are dropped first.
    pub seq: Seq,
}

/// How far a session was read.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq)]
pub struct Tombstone {
    pub id: MemoryId,
    pub scope: ScopeKey,
    pub at: Millis,
    pub by: String,
    /// Places in transcripts that never bring it back.
    pub positions: Vec<Position>,
}

/// A contradiction that waits for the human.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub id: MemoryId,
    pub against: Vec<MemoryId>,
    /// Cards shown so far.
    pub attempt: u32,
    pub detector: String,
    pub shared: Vec<String>,
    /// Who shows a card now, empty for nobody; `review`: it waits for the human to ask.
    pub asker: String,
    pub at: Millis,
}

/// How far another device's entries are held.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    pub origin: Origin,
    /// Its newest entry that is held; all before it are held, too.
    pub seq: Seq,
}

/// Two keys of one scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Join {
    pub from: ScopeKey,
    pub to: ScopeKey,
}

impl Failure {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut scope, mut key, mut tool, mut signature) = (None, None, None, None);
        let (mut count, mut more, mut position, mut at, mut seq) = (None, 0, None, None, None);
        let mut fields = Fields::of(&[
            "scope",
            "key",
            "tool",
            "signature",
            "count",
            "more",
            "position",
            "at",
            "seq",
        ]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => scope = Some(ScopeKey(reader.shared()?)),
                1 => key = Some(reader.owned()?),
                2 => tool = Some(reader.owned()?),
                3 => signature = Some(reader.owned()?),
                4 => count = Some(reader.whole()?),
                5 => more = reader.whole()?,
                6 => position = Some(Position::read(reader)?),
                7 => at = Some(Millis(reader.i64()?)),
                _ => seq = Some(Seq(reader.u64()?)),
            }
        }
        Ok(Self {
            scope: given(scope, "scope")?,
            key: given(key, "key")?,
            tool: given(tool, "tool")?,
            signature: given(signature, "signature")?,
            count: given(count, "count")?,
            more,
            position: given(position, "position")?,
            at: given(at, "at")?,
            seq: given(seq, "seq")?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("scope", self.scope.as_str())
            .text("key", &self.key)
            .text("tool", &self.tool)
            .text("signature", &self.signature)
            .whole("count", self.count.into())
            .whole_if("more", (self.more > 0).then(|| self.more.into()));
        self.position.write(writer.name("position"));
        writer.signed("at", self.at.0).whole("seq", self.seq.0);
        writer.end();
    }
}

impl Reading {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut session_id, mut turn, mut read_to, mut scope, mut seq) =
            (None, None, None, None, None);
        let mut fields = Fields::of(&["sessionId", "turn", "readTo", "scope", "seq"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => session_id = Some(SessionId(reader.shared()?)),
                1 => turn = Some(reader.whole()?),
                2 => read_to = Some(EventSeq(reader.u64()?)),
                3 => scope = Some(ScopeKey(reader.shared()?)),
                _ => seq = Some(Seq(reader.u64()?)),
            }
        }
        Ok(Self {
            session_id: given(session_id, "sessionId")?,
            turn: given(turn, "turn")?,
            read_to: given(read_to, "readTo")?,
            scope: given(scope, "scope")?,
            seq: given(seq, "seq")?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("sessionId", self.session_id.as_str())
            .whole("turn", self.turn.into())
            .whole("readTo", self.read_to.0)
            .text("scope", self.scope.as_str())
            .whole("seq", self.seq.0);
        writer.end();
    }
}

impl Tombstone {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut id, mut scope, mut at, mut by) = (None, None, None, None);
        let mut positions = Vec::new();
        let mut fields = Fields::of(&["id", "scope", "at", "by", "positions"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => id = Some(MemoryId::from(&*reader.text()?)),
                1 => scope = Some(ScopeKey(reader.shared()?)),
                2 => at = Some(Millis(reader.i64()?)),
                3 => by = Some(reader.owned()?),
                _ => positions = reader.list(Position::read)?,
            }
        }
        Ok(Self {
            id: given(id, "id")?,
            scope: given(scope, "scope")?,
            at: given(at, "at")?,
            by: given(by, "by")?,
            positions,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("id", self.id.as_str())
            .text("scope", self.scope.as_str())
            .signed("at", self.at.0)
            .text("by", &self.by);
        if !self.positions.is_empty() {
            writer.list("positions", &self.positions, |out, x| x.write(out));
        }
        writer.end();
    }
}

impl Ask {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut id, mut against, mut attempt, mut detector, mut at) =
            (None, None, None, None, None);
        let (mut shared, mut asker) = (Vec::new(), String::new());
        let mut fields = Fields::of(&[
            "id", "against", "attempt", "detector", "shared", "asker", "at",
        ]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => id = Some(MemoryId::from(&*reader.text()?)),
                1 => against = Some(ids(reader)?),
                2 => attempt = Some(reader.whole()?),
                3 => detector = Some(reader.owned()?),
                4 => shared = reader.list(Reader::owned)?,
                5 => asker = reader.owned()?,
                _ => at = Some(Millis(reader.i64()?)),
            }
        }
        Ok(Self {
            id: given(id, "id")?,
            against: given(against, "against")?,
            attempt: given(attempt, "attempt")?,
            detector: given(detector, "detector")?,
            shared,
            asker,
            at: given(at, "at")?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("id", self.id.as_str())
            .texts("against", id_texts(&self.against))
            .whole("attempt", self.attempt.into())
            .text("detector", &self.detector)
            .texts_if("shared", self.shared.iter().map(String::as_str));
        if !self.asker.is_empty() {
            writer.text("asker", &self.asker);
        }
        writer.signed("at", self.at.0);
        writer.end();
    }
}

impl Digest {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut scope, mut from, mut to, mut asked) = (None, None, None, Vec::new());
        let mut fields = Fields::of(&["scope", "from", "to", "asked"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => scope = Some(ScopeKey(reader.shared()?)),
                1 => from = Some(Seq(reader.u64()?)),
                2 => to = Some(Seq(reader.u64()?)),
                _ => asked = reader.list(Reader::owned)?,
            }
        }
        Ok(Self {
            scope: given(scope, "scope")?,
            pending: from.zip(to),
            asked,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("scope", self.scope.as_str())
            .whole_if("from", self.pending.map(|x| x.0.0))
            .whole_if("to", self.pending.map(|x| x.1.0))
            .texts_if("asked", self.asked.iter().map(String::as_str));
        writer.end();
    }
}

impl Heard {
    pub(super) fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut origin, mut seq) = (None, None);
        let mut fields = Fields::of(&["origin", "seq"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => origin = Some(Origin(reader.shared()?)),
                _ => seq = Some(Seq(reader.u64()?)),
            }
        }
        Ok(Self {
            origin: given(origin, "origin")?,
            seq: given(seq, "seq")?,
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("origin", self.origin.as_str())
            .whole("seq", self.seq.0);
        writer.end();
    }
}

impl Join {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut from, mut to) = (None, None);
        let mut fields = Fields::of(&["from", "to"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => from = Some(ScopeKey(reader.shared()?)),
                _ => to = Some(ScopeKey(reader.shared()?)),
            }
        }
        Ok(Self {
            from: given(from, "from")?,
            to: given(to, "to")?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("from", self.from.as_str())
            .text("to", self.to.as_str());
        writer.end();
    }
}
