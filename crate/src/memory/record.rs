//! A memory as JSON, one field at a time. The order of fields is the files' own.

use super::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Procedure, Remember,
    Revision, ScopeKey, SessionId, Source, Status, Text, Type,
};
use crate::text::json::{Fields, Malformed, Reader, Writer};

type Result<T> = std::result::Result<T, Malformed>;

const REMEMBER: &[&str] = &["score", "by", "model"];
const SOURCE: &[&str] = &[
    "sessionId",
    "turn",
    "seq",
    "quote",
    "at",
    "tool",
    "count",
    "wayOut",
    "sourceIds",
    "aliases",
];
const MEMORY: &[&str] = &[
    "id",
    "type",
    "layer",
    "text",
    "canonical",
    "status",
    "scope",
    "importance",
    "signals",
    "remember",
    "by",
    "source",
    "supersedes",
    "supersededBy",
    "conflictsWith",
    "validFrom",
    "validUntil",
    "temporalScope",
    "procedure",
    "origin",
    "revision",
    "createdAt",
    "updatedAt",
];

/// Returns a field's value, or says which one is missing.
pub fn given<T>(value: Option<T>, name: &'static str) -> Result<T> {
    value.ok_or(Malformed(name))
}

/// Reads a list of ids.
pub fn ids(reader: &mut Reader<'_, '_>) -> Result<Vec<MemoryId>> {
    reader.list(|item| item.text().map(|id| MemoryId::from(&*id)))
}

/// Returns the strings of ids, to be written.
pub fn id_texts(ids: &[MemoryId]) -> impl ExactSizeIterator<Item = &str> {
    ids.iter().map(MemoryId::as_str)
}

impl Remember {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut score, mut by, mut model) = (None, None, None);
        let mut fields = Fields::of(REMEMBER);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => score = Some(reader.number()?),
                1 => by = Some(reader.one_of("by", JudgeName::named)?),
                _ => model = reader.or_null(Reader::owned)?,
            }
        }
        Ok(Self {
            score: given(score, "score")?,
            by: given(by, "by")?,
            model,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .number("score", self.score)
            .text("by", self.by.as_str())
            .text_if("model", self.model.as_deref());
        writer.end();
    }
}

impl Source {
    /// Reads a source; a quote that is `text` is the same string.
    fn read(reader: &mut Reader<'_, '_>, text: Option<&Text>) -> Result<Self> {
        let (mut session_id, mut turn, mut seq, mut quote, mut at) = (None, None, None, None, None);
        let (mut tool, mut count, mut way_out) = (None, None, None);
        let (mut source_ids, mut aliases) = (Vec::new(), Vec::new());
        let mut fields = Fields::of(SOURCE);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => session_id = Some(SessionId(reader.shared()?)),
                1 => turn = Some(reader.whole()?),
                2 => seq = Some(EventSeq(reader.u64()?)),
                3 => {
                    let read = reader.text()?;
                    quote = Some(match text {
                        Some(text) if **text == *read => text.clone(),
                        _ => Text::from(&*read),
                    });
                }
                4 => at = Some(Millis(reader.i64()?)),
                5 => tool = reader.or_null(Reader::owned)?,
                6 => count = reader.or_null(Reader::whole)?,
                7 => way_out = reader.or_null(Reader::owned)?,
                8 => source_ids = ids(reader)?,
                _ => aliases = ids(reader)?,
            }
        }
        Ok(Self {
            session_id: given(session_id, "sessionId")?,
            turn: given(turn, "turn")?,
            seq: given(seq, "seq")?,
            quote: given(quote, "quote")?,
            at: given(at, "at")?,
            tool,
            count,
            way_out,
            source_ids,
            aliases,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("sessionId", self.session_id.as_str())
            .whole("turn", self.turn.into())
            .whole("seq", self.seq.0)
            .text("quote", &self.quote)
            .signed("at", self.at.0)
            .text_if("tool", self.tool.as_deref())
            .whole_if("count", self.count.map(u64::from))
            .text_if("wayOut", self.way_out.as_deref())
            .texts_if("sourceIds", id_texts(&self.source_ids))
            .texts_if("aliases", id_texts(&self.aliases));
        writer.end();
    }
}

impl Memory {
    /// Reads a record.
    ///
    /// # Errors
    /// The field that is missing or of another kind.
    pub fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut id, mut memory_type, mut text, mut status, mut scope) =
            (None, None, None, None, None);
        let (mut importance, mut remember, mut by, mut source) = (None, None, None, None);
        let (mut origin, mut revision, mut created_at, mut updated_at) = (None, None, None, None);
        let (mut layer, mut canonical, mut signals) = (Layer::default(), None, Vec::new());
        let (mut supersedes, mut superseded_by, mut conflicts_with) =
            (Vec::new(), Vec::new(), Vec::new());
        let (mut valid_from, mut valid_until, mut temporal_scope) = (None, None, None);
        let mut procedure = None;
        let mut fields = Fields::of(MEMORY);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => id = Some(MemoryId::from(&*reader.text()?)),
                1 => memory_type = Some(reader.one_of("type", Type::named)?),
                2 => layer = reader.one_of("layer", Layer::named)?,
                3 => text = Some(Text::from(&*reader.text()?)),
                4 => canonical = reader.or_null(Reader::owned)?,
                5 => status = Some(reader.one_of("status", Status::named)?),
                6 => scope = Some(ScopeKey(reader.shared()?)),
                7 => importance = Some(reader.number()?),
                8 => signals = reader.list(|item| item.shared().map(Text))?,
                9 => remember = Some(Remember::read(reader)?),
                10 => by = Some(reader.one_of("by", Author::named)?),
                11 => source = Some(Source::read(reader, text.as_ref())?),
                12 => supersedes = ids(reader)?,
                13 => superseded_by = ids(reader)?,
                14 => conflicts_with = ids(reader)?,
                15 => valid_from = reader.or_null(Reader::i64)?.map(Millis),
                16 => valid_until = reader.or_null(Reader::i64)?.map(Millis),
                17 => temporal_scope = reader.or_null(Reader::owned)?,
                18 => procedure = reader.or_null(Procedure::read)?.map(Box::new),
                19 => origin = Some(Origin(reader.shared()?)),
                20 => revision = Some(Revision(reader.whole()?)),
                21 => created_at = Some(Millis(reader.i64()?)),
                _ => updated_at = Some(Millis(reader.i64()?)),
            }
        }
        Ok(Self {
            id: given(id, "id")?,
            memory_type: given(memory_type, "type")?,
            layer,
            text: given(text, "text")?,
            canonical,
            status: given(status, "status")?,
            scope: given(scope, "scope")?,
            importance: given(importance, "importance")?,
            signals,
            remember: given(remember, "remember")?,
            by: given(by, "by")?,
            source: given(source, "source")?,
            supersedes,
            superseded_by,
            conflicts_with,
            valid_from,
            valid_until,
            temporal_scope,
            procedure,
            origin: given(origin, "origin")?,
            revision: given(revision, "revision")?,
            created_at: given(created_at, "createdAt")?,
            updated_at: given(updated_at, "updatedAt")?,
        })
    }

    /// Appends the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("id", self.id.as_str())
            .text("type", self.memory_type.as_str())
            .text("layer", self.layer.as_str())
            .text("text", &self.text)
            .text_if("canonical", self.canonical.as_deref())
            .text("status", self.status.as_str())
            .text("scope", self.scope.as_str())
            .number("importance", self.importance)
            .texts_if("signals", self.signals.iter().map(Text::as_str));
        self.remember.write(writer.name("remember"));
        writer.text("by", self.by.as_str());
        self.source.write(writer.name("source"));
        writer
            .texts_if("supersedes", id_texts(&self.supersedes))
            .texts_if("supersededBy", id_texts(&self.superseded_by))
            .texts_if("conflictsWith", id_texts(&self.conflicts_with))
            .signed_if("validFrom", self.valid_from.map(|at| at.0))
            .signed_if("validUntil", self.valid_until.map(|at| at.0))
            .text_if("temporalScope", self.temporal_scope.as_deref());
        if let Some(procedure) = &self.procedure {
            procedure.write(writer.name("procedure"));
        }
        writer
            .text("origin", self.origin.as_str())
            .whole("revision", self.revision.0.into())
            .signed("createdAt", self.created_at.0)
            .signed("updatedAt", self.updated_at.0);
        writer.end();
    }
}
