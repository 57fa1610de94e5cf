//! Reading the body of a row: its fields by name, then the fact or observation they make.

use crate::decide::outcome::Planned;
use crate::memory::record::given;
use crate::memory::{
    EventSeq, JudgeName, Memory, MemoryId, Revision, ScopeKey, Seq, SessionId, Status, Type,
};
use crate::store::codec;
use crate::store::entry::{Body, Chosen, Fact, Observation, Row};
use crate::store::merged::Merged;
use crate::store::tables::{Heard, Tables};
use crate::text::json::{Fields, Malformed, Reader};
use crate::turn::Position;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Malformed>;

/// Returns the fields of a kind of row, in the order in which they are written; `None` for a kind that is not known here.
fn fields_of(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "write" => &["memory"],
        "edit" => &["memory", "changed"],
        "import" => &["row"],
        "merge" => &["vector", "put", "gone"],
        "status" => &["id", "status", "revision", "reason"],
        "supersede" => &["old", "new"],
        "canonical" => &["id", "text"],
        "failure" => &[
            "scope",
            "key",
            "tool",
            "signature",
            "count",
            "more",
            "position",
        ],
        "failure-dropped" => &["scope", "keys"],
        "turn" => &["sessionId", "turn", "readTo", "scope"],
        "conflict-ask" => &[
            "id", "against", "attempt", "detector", "shared", "question", "asker", "instead",
        ],
        "conflict-resolved" => &["id", "against", "choice"],
        "forget" => &["id", "scope", "positions", "by", "asked"],
        "scope" => &["from", "to"],
        "plan" => &["plan"],
        "request-expired" => &["requests"],
        "digest-pending" => &["scope"],
        "digested" => &["scope", "asked", "upTo"],
        "checkpoint" => &["state"],
        "start" => &[
            "version",
            "tokeniser",
            "judge",
            "key",
            "jevReady",
            "normalize",
            "capture",
            "inactive",
            "host",
            "summary",
        ],
        "skip" => &[
            "reason", "scope", "id", "quote", "rule", "count", "position",
        ],
        "remember" => &[
            "id",
            "scope",
            "score",
            "type",
            "by",
            "model",
            "signals",
            "threshold",
            "admitted",
            "quote",
            "position",
        ],
        "judged" => &[
            "by",
            "model",
            "questions",
            "asked",
            "answered",
            "requests",
            "inputTokens",
            "outputTokens",
            "ms",
        ],
        "recall" => &["sessionId", "turn", "scope", "tokens", "chosen"],
        "normalize" => &["id", "accepted", "share", "from", "to"],
        "degraded" => &["cause", "count", "detail"],
        "context-suppressed" => &["sessionId"],
        "health" => &["code", "detail"],
        _ => return None,
    })
}

/// One field's value.
enum Item {
    Null,
    Text(Rc<str>),
    Number(f64),
    Whole(u64),
    Flag(bool),
    Texts(Vec<Rc<str>>),
    Place(Position),
    Places(Vec<Position>),
    Chosen(Vec<Chosen>),
    Memory(Box<Memory>),
    Plan(Box<Planned>),
    State(Box<Tables>),
    Row(Box<Row>),
    Vector(Vec<Heard>),
}

/// The fields of one row.
#[derive(Default)]
struct Items(Vec<(&'static str, Item)>);

impl Items {
    fn take(&mut self, name: &'static str) -> Option<Item> {
        let at = self.0.iter().position(|item| item.0 == name)?;
        Some(self.0.swap_remove(at).1).filter(|item| !matches!(item, Item::Null))
    }

    /// Takes a field that may be missing; one of another kind is refused.
    fn take_if<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(Item) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.take(name) {
            None => Ok(None),
            Some(item) => read(item).map(Some).ok_or(Malformed(name)),
        }
    }

    fn text_if(&mut self, name: &'static str) -> Result<Option<Rc<str>>> {
        self.take_if(name, |item| match item {
            Item::Text(text) => Some(text),
            _ => None,
        })
    }

    fn text(&mut self, name: &'static str) -> Result<Rc<str>> {
        given(self.text_if(name)?, name)
    }

    fn string(&mut self, name: &'static str) -> Result<String> {
        self.text(name).map(|text| text.to_string())
    }

    fn string_if(&mut self, name: &'static str) -> Result<Option<String>> {
        Ok(self.text_if(name)?.map(|text| text.to_string()))
    }

    fn id(&mut self, name: &'static str) -> Result<MemoryId> {
        self.text(name).map(MemoryId)
    }

    fn scope(&mut self, name: &'static str) -> Result<ScopeKey> {
        self.text(name).map(ScopeKey)
    }

    fn session(&mut self) -> Result<SessionId> {
        self.text("sessionId").map(SessionId)
    }

    fn whole_if<T: TryFrom<u64>>(&mut self, name: &'static str) -> Result<Option<T>> {
        self.take_if(name, |item| match item {
            Item::Whole(number) => T::try_from(number).ok(),
            _ => None,
        })
    }

    fn whole<T: TryFrom<u64>>(&mut self, name: &'static str) -> Result<T> {
        given(self.whole_if(name)?, name)
    }

    fn number(&mut self, name: &'static str) -> Result<f64> {
        let number = self.take_if(name, |item| match item {
            Item::Number(number) => Some(number),
            _ => None,
        });
        given(number?, name)
    }

    fn flag(&mut self, name: &'static str) -> Result<bool> {
        let flag = self.take_if(name, |item| match item {
            Item::Flag(flag) => Some(flag),
            _ => None,
        });
        given(flag?, name)
    }

    fn texts_if(&mut self, name: &'static str) -> Result<Option<Vec<Rc<str>>>> {
        self.take_if(name, |item| match item {
            Item::Texts(texts) => Some(texts),
            _ => None,
        })
    }

    fn strings(&mut self, name: &'static str) -> Result<Vec<String>> {
        given(self.texts_if(name)?, name).map(owned)
    }

    fn ids(&mut self, name: &'static str) -> Result<Vec<MemoryId>> {
        let texts = given(self.texts_if(name)?, name)?;
        Ok(texts.into_iter().map(MemoryId).collect())
    }

    fn place_if(&mut self, name: &'static str) -> Result<Option<Position>> {
        self.take_if(name, |item| match item {
            Item::Place(place) => Some(place),
            _ => None,
        })
    }

    fn place(&mut self) -> Result<Position> {
        given(self.place_if("position")?, "position")
    }

    fn memory(&mut self) -> Result<Box<Memory>> {
        match self.take("memory") {
            Some(Item::Memory(memory)) => Ok(memory),
            _ => Err(Malformed("memory")),
        }
    }

    fn named<T>(&mut self, name: &'static str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        read(&self.text(name)?).ok_or(Malformed(name))
    }
}

/// Reads the value of the field `name`: what it holds follows from its name, or from its first byte.
fn item(reader: &mut Reader<'_, '_>, name: &str) -> Result<Item> {
    Ok(match (name, reader.peek()) {
        ("memory", _) => Item::Memory(Box::new(Memory::read(reader)?)),
        ("row", _) => Item::Row(Box::new(row(reader)?)),
        ("vector", _) => Item::Vector(reader.list(Heard::read)?),
        ("state" | "put", _) => Item::State(Box::new(Tables::read(reader)?)),
        ("plan", _) => Item::Plan(Box::new(Planned::read(reader)?)),
        ("positions", _) => Item::Places(reader.list(Position::read)?),
        ("chosen", _) => Item::Chosen(reader.list(Chosen::read)?),
        ("score" | "threshold" | "share", _) => Item::Number(reader.number()?),
        (_, Some(b'"')) => Item::Text(reader.shared()?),
        (_, Some(b'[')) => Item::Texts(reader.list(Reader::shared)?),
        (_, Some(b'{')) => Item::Place(Position::read(reader)?),
        (_, Some(b't' | b'f')) => Item::Flag(reader.flag()?),
        (_, Some(b'n')) => reader.or_null(Reader::u64)?.map_or(Item::Null, Item::Whole),
        _ => Item::Whole(reader.u64()?),
    })
}

/// Reads an entry of another device: a whole line inside this one. Never one inside another.
fn row(reader: &mut Reader<'_, '_>) -> Result<Row> {
    match codec::decode(reader.raw()?.as_bytes()) {
        codec::Line::Row(row) if !matches!(row.body, Body::Fact(Fact::Import { .. })) => Ok(row),
        _ => Err(Malformed("row")),
    }
}

fn owned(texts: Vec<Rc<str>>) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

/// Reads the body of a row of `kind` to the end of its object. Fields that are not of this kind are passed over.
///
/// # Errors
/// The first field that is missing or of another kind.
pub(in crate::store) fn read(
    kind: &str,
    reader: &mut Reader<'_, '_>,
    begun: impl FnOnce(&'static [&'static str]) -> Fields,
) -> Result<Body> {
    let names = fields_of(kind);
    let mut fields = begun(names.unwrap_or_default());
    let mut items = Items::default();
    while let Some(field) = reader.field(&mut fields)? {
        let name = given(names.and_then(|names| names.get(field).copied()), "field")?;
        items.0.push((name, item(reader, name)?));
    }
    if names.is_none() {
        return Ok(Body::Unknown(kind.to_owned()));
    }
    if Fact::KINDS.contains(&kind) {
        fact(kind, &mut items).map(Body::Fact)
    } else {
        observation(kind, &mut items).map(Body::Observation)
    }
}

fn fact(kind: &str, items: &mut Items) -> Result<Fact> {
    Ok(match kind {
        "write" => Fact::Write {
            memory: items.memory()?,
        },
        "edit" => Fact::Edit {
            memory: items.memory()?,
            changed: items.texts_if("changed")?.map_or_else(Vec::new, owned),
        },
        "import" => match items.take("row") {
            Some(Item::Row(row)) => Fact::Import { row },
            _ => return Err(Malformed("row")),
        },
        "merge" => Fact::Merge {
            merged: Box::new(Merged {
                vector: match items.take("vector") {
                    Some(Item::Vector(vector)) => vector,
                    _ => return Err(Malformed("vector")),
                },
                put: match items.take("put") {
                    Some(Item::State(put)) => *put,
                    Some(_) => return Err(Malformed("put")),
                    None => Tables::default(),
                },
                gone: items.texts_if("gone")?.map_or_else(Vec::new, owned),
            }),
        },
        "status" => Fact::Status {
            id: items.id("id")?,
            status: items.named("status", Status::named)?,
            revision: Revision(items.whole("revision")?),
            reason: items.string("reason")?,
        },
        "supersede" => Fact::Supersede {
            old: items.id("old")?,
            new: items.id("new")?,
        },
        "canonical" => Fact::Canonical {
            id: items.id("id")?,
            text: items.string("text")?,
        },
        "failure" => Fact::Failure {
            scope: items.scope("scope")?,
            key: items.string("key")?,
            tool: items.string("tool")?,
            signature: items.string("signature")?,
            count: items.whole("count")?,
            more: items.whole_if("more")?.unwrap_or(0),
            position: items.place()?,
        },
        "failure-dropped" => Fact::FailureDropped {
            scope: items.scope("scope")?,
            keys: items.strings("keys")?,
        },
        "turn" => Fact::Turn {
            session_id: items.session()?,
            turn: items.whole("turn")?,
            read_to: EventSeq(items.whole("readTo")?),
            scope: items.scope("scope")?,
        },
        "conflict-ask" => Fact::ConflictAsk {
            id: items.id("id")?,
            against: items.ids("against")?,
            attempt: items.whole("attempt")?,
            detector: items.string("detector")?,
            shared: items.strings("shared")?,
            question: items.string_if("question")?,
            asker: items.string_if("asker")?,
            instead: items.string_if("instead")?,
        },
        "conflict-resolved" => Fact::ConflictResolved {
            id: items.id("id")?,
            against: items.ids("against")?,
            choice: items.string("choice")?,
        },
        "forget" => Fact::Forget {
            id: items.id("id")?,
            scope: items.scope("scope")?,
            positions: match items.take("positions") {
                Some(Item::Places(places)) => places,
                _ => return Err(Malformed("positions")),
            },
            by: items.string("by")?,
            asked: items.place_if("asked")?,
        },
        "scope" => Fact::Scope {
            from: items.scope("from")?,
            to: items.scope("to")?,
        },
        "plan" => match items.take("plan") {
            Some(Item::Plan(plan)) => Fact::Plan { plan },
            _ => return Err(Malformed("plan")),
        },
        "request-expired" => Fact::RequestExpired {
            requests: items.strings("requests")?,
        },
        "digest-pending" => Fact::DigestPending {
            scope: items.scope("scope")?,
        },
        "digested" => Fact::Digested {
            scope: items.scope("scope")?,
            asked: items.strings("asked")?,
            up_to: items.whole_if("upTo")?.map(Seq),
        },
        _ => match items.take("state") {
            Some(Item::State(state)) => Fact::Checkpoint { state },
            _ => return Err(Malformed("state")),
        },
    })
}

fn observation(kind: &str, items: &mut Items) -> Result<Observation> {
    Ok(match kind {
        "start" => Observation::Start {
            version: items.string("version")?,
            tokeniser: items.string("tokeniser")?,
            judge: items.string("judge")?,
            key: items.string("key")?,
            jev_ready: items.flag("jevReady")?,
            normalize: items.string("normalize")?,
            capture: items.flag("capture")?,
            inactive: items
                .texts_if("inactive")?
                .unwrap_or_default()
                .iter()
                .map(|key| key.to_string())
                .collect(),
            host: items.string("host")?,
            summary: items.string_if("summary")?,
        },
        "skip" => Observation::Skip {
            reason: items.string("reason")?,
            scope: items.scope("scope")?,
            id: items.text_if("id")?.map(MemoryId),
            quote: items.string_if("quote")?,
            rule: items.string_if("rule")?,
            count: items.whole_if("count")?,
            position: items.place()?,
        },
        "remember" => Observation::Remember {
            id: items.id("id")?,
            scope: items.scope("scope")?,
            score: items.number("score")?,
            memory_type: items.named("type", Type::named)?,
            by: items.named("by", JudgeName::named)?,
            model: items.string_if("model")?,
            signals: items.strings("signals")?,
            threshold: items.number("threshold")?,
            admitted: items.flag("admitted")?,
            quote: items.string("quote")?,
            position: items.place()?,
        },
        "judged" => Observation::Judged {
            by: items.named("by", JudgeName::named)?,
            model: items.string_if("model")?,
            questions: items.string("questions")?,
            asked: items.whole("asked")?,
            answered: items.whole("answered")?,
            requests: items.whole("requests")?,
            input_tokens: items.whole("inputTokens")?,
            output_tokens: items.whole("outputTokens")?,
            ms: items.whole("ms")?,
        },
        "recall" => Observation::Recall {
            session_id: items.session()?,
            turn: items.whole("turn")?,
            scope: items.scope("scope")?,
            tokens: items.whole("tokens")?,
            chosen: match items.take("chosen") {
                Some(Item::Chosen(chosen)) => chosen,
                _ => return Err(Malformed("chosen")),
            },
        },
        "normalize" => Observation::Normalize {
            id: items.id("id")?,
            accepted: items.flag("accepted")?,
            share: items.number("share")?,
            from: items.string("from")?,
            to: items.string("to")?,
        },
        "degraded" => Observation::Degraded {
            cause: items.string("cause")?,
            count: items.whole_if("count")?,
            detail: items.string("detail")?,
        },
        "context-suppressed" => Observation::ContextSuppressed {
            session_id: items.session()?,
        },
        _ => Observation::Health {
            code: items.string("code")?,
            detail: items.string("detail")?,
        },
    })
}

impl Chosen {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let mut id = None;
        let mut numbers = [None; 4];
        let mut fields = Fields::of(&["id", "score", "relevance", "importance", "age"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field.checked_sub(1).and_then(|at| numbers.get_mut(at)) {
                None => id = Some(MemoryId::from(&*reader.text()?)),
                Some(number) => *number = Some(reader.number()?),
            }
        }
        let [score, relevance, importance, age] = numbers;
        Ok(Self {
            id: given(id, "id")?,
            score: given(score, "score")?,
            relevance: given(relevance, "relevance")?,
            importance: given(importance, "importance")?,
            age: given(age, "age")?,
        })
    }
}
