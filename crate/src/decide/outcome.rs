//! What an `add` came to, as the ledger keeps it: enough to say the same again when the same request comes back.

use super::error::{Error, Kind};
use crate::memory::record::{given, id_texts, ids};
use crate::memory::{MemoryId, Millis, Revision, ScopeKey};
use crate::text::digest::short_digest;
use crate::text::json::{Fields, Malformed, Reader, Writer};

type Result<T> = std::result::Result<T, Malformed>;

/// Longest request id, in characters.
pub const REQUEST_MAX_CHARS: usize = 200;

macro_rules! frozen {
    ($(#[$doc:meta])* $name:ident { $($variant:ident => $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($variant,)*
        }
        impl $name {
            /// Returns the frozen string.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }

            /// Returns what a frozen string names.
            pub fn named(text: &str) -> Option<Self> {
                match text {
                    $($text => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

frozen! {
    /// What became of a whole source.
    Status {
        Committed => "committed",
        Known => "known",
        RawOnly => "raw_only",
        Partial => "partial",
    }
}
frozen! {
    /// What was done about a candidate.
    Done {
        Add => "ADD",
        Skip => "SKIP",
        RawOnly => "RAW_ONLY",
        Delete => "DELETE",
        Invalid => "INVALID",
    }
}
frozen! {
    /// How a candidate that was added stands to what was there.
    Update {
        Override => "OVERRIDE",
        Supplement => "SUPPLEMENT",
        Negate => "NEGATE",
        Conflict => "CONFLICT",
        Temporal => "TEMPORAL",
        Historical => "HISTORICAL",
    }
}

frozen! {
    /// Which of the two ways a candidate came: as a statement, or as a procedure. They do not see each other.
    Path {
        Chat => "chat",
        Procedure => "procedure",
    }
}

/// One candidate, decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub path: Path,
    pub action: Done,
    /// Of an `ADD`.
    pub update: Option<Update>,
    /// What it is about; none for what stands by itself.
    pub targets: Vec<MemoryId>,
    /// The candidate's id: of an `ADD` the new memory's, of a `SKIP` another name of its target.
    pub proposal_ids: Vec<MemoryId>,
    pub source_ids: Vec<MemoryId>,
    /// 0..=1; none when no judge was asked.
    pub confidence: Option<f64>,
}

/// A plan: what it was decided on, and what was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    pub scope: ScopeKey,
    /// Under which the result is found again; none when the caller gave none.
    pub request: Option<String>,
    /// [`super::source::digest`] of the input.
    pub input: String,
    /// The scope's epoch it was decided in.
    pub epoch: u64,
    pub status: Status,
    /// `chat` or `coding`.
    pub scene: String,
    /// The `L0_RAW` records.
    pub sources: Vec<MemoryId>,
    /// Linked heads, as they were decided on.
    pub bases: Vec<(MemoryId, Revision)>,
    pub decisions: Vec<Decision>,
    /// The judge's version that answered; none when none was asked.
    pub model: Option<String>,
    /// The way that came to nothing while the other was committed, and the code of its error.
    pub failed: Option<(Path, String)>,
}

/// A recorded result.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub at: Millis,
    pub plan: Planned,
}

/// Returns the id of the `n`-th record that a request makes: its sources first, then its candidates.
pub fn id_of(request: &str, n: usize) -> MemoryId {
    MemoryId::from(format!(
        "m-{}",
        short_digest(format!("request\0{request}\0{n}").as_bytes())
    ))
}

/// Checks a recorded result against the input that came under its id.
///
/// # Errors
/// `IdempotencyConflictError` when the input is another.
pub fn replay<'a>(recorded: &'a Recorded, input: &str) -> std::result::Result<&'a Planned, Error> {
    if recorded.plan.input == input {
        return Ok(&recorded.plan);
    }
    Err(Error::new(
        Kind::Idempotency,
        "this request id was used for another input; another event needs another id",
    ))
}

const DECISION: &[&str] = &[
    "action",
    "updateType",
    "targets",
    "proposalIds",
    "sourceIds",
    "confidence",
    "path",
];
const PLAN: &[&str] = &[
    "scope",
    "requestId",
    "input",
    "epoch",
    "status",
    "scene",
    "sources",
    "bases",
    "decisions",
    "model",
    "failed",
];

impl Decision {
    fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut action, mut update, mut confidence) = (None, None, None);
        let mut path = Path::Chat;
        let (mut targets, mut proposal_ids, mut source_ids) = (Vec::new(), Vec::new(), Vec::new());
        let mut fields = Fields::of(DECISION);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => action = Some(reader.one_of("action", Done::named)?),
                1 => update = Some(reader.one_of("updateType", Update::named)?),
                2 => targets = ids(reader)?,
                3 => proposal_ids = ids(reader)?,
                4 => source_ids = ids(reader)?,
                5 => confidence = Some(reader.number()?),
                _ => path = reader.one_of("path", Path::named)?,
            }
        }
        Ok(Self {
            path,
            action: given(action, "action")?,
            update,
            targets,
            proposal_ids,
            source_ids,
            confidence,
        })
    }

    /// Appends the decision, as the ledger and the caller see it.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("action", self.action.as_str())
            .text_if("updateType", self.update.map(Update::as_str))
            .texts("targets", id_texts(&self.targets))
            .texts("proposalIds", id_texts(&self.proposal_ids))
            .texts("sourceIds", id_texts(&self.source_ids));
        if let Some(confidence) = self.confidence {
            writer.number("confidence", confidence);
        }
        // What says nothing came as a statement.
        writer.text_if(
            "path",
            (self.path == Path::Procedure).then_some(self.path.as_str()),
        );
        writer.end();
    }
}

fn failed(reader: &mut Reader<'_, '_>) -> Result<(Path, String)> {
    let (mut path, mut code) = (None, None);
    let mut fields = Fields::of(&["path", "code"]);
    while let Some(field) = reader.field(&mut fields)? {
        match field {
            0 => path = Some(reader.one_of("path", Path::named)?),
            _ => code = Some(reader.owned()?),
        }
    }
    Ok((given(path, "path")?, given(code, "code")?))
}

fn base(reader: &mut Reader<'_, '_>) -> Result<(MemoryId, Revision)> {
    let (mut id, mut revision) = (None, None);
    let mut fields = Fields::of(&["id", "revision"]);
    while let Some(field) = reader.field(&mut fields)? {
        match field {
            0 => id = Some(MemoryId::from(&*reader.text()?)),
            _ => revision = Some(Revision(reader.whole()?)),
        }
    }
    Ok((given(id, "id")?, given(revision, "revision")?))
}

impl Planned {
    /// Reads a plan.
    ///
    /// # Errors
    /// The field that is missing or of another kind.
    pub fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut scope, mut request, mut input, mut epoch) = (None, None, None, None);
        let (mut status, mut scene, mut model, mut lost) = (None, None, None, None);
        let (mut sources, mut bases, mut decisions) = (Vec::new(), Vec::new(), Vec::new());
        let mut fields = Fields::of(PLAN);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => scope = Some(ScopeKey(reader.shared()?)),
                1 => request = Some(reader.owned()?),
                2 => input = Some(reader.owned()?),
                3 => epoch = Some(reader.u64()?),
                4 => status = Some(reader.one_of("status", Status::named)?),
                5 => scene = Some(reader.owned()?),
                6 => sources = ids(reader)?,
                7 => bases = reader.list(base)?,
                8 => decisions = reader.list(Decision::read)?,
                9 => model = Some(reader.owned()?),
                _ => lost = Some(failed(reader)?),
            }
        }
        Ok(Self {
            scope: given(scope, "scope")?,
            request,
            input: given(input, "input")?,
            epoch: given(epoch, "epoch")?,
            status: given(status, "status")?,
            scene: given(scene, "scene")?,
            sources,
            bases,
            decisions,
            model,
            failed: lost,
        })
    }

    /// Appends the plan.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("scope", self.scope.as_str())
            .text_if("requestId", self.request.as_deref())
            .text("input", &self.input)
            .whole("epoch", self.epoch)
            .text("status", self.status.as_str())
            .text("scene", &self.scene)
            .texts("sources", id_texts(&self.sources))
            .list("bases", &self.bases, |out, (id, revision)| {
                let mut writer = Writer::object(out);
                writer
                    .text("id", id.as_str())
                    .whole("revision", revision.0.into());
                writer.end();
            })
            .list("decisions", &self.decisions, |out, x| x.write(out))
            .text_if("model", self.model.as_deref());
        if let Some((path, code)) = &self.failed {
            let mut failed = Writer::object(writer.name("failed"));
            failed.text("path", path.as_str()).text("code", code);
            failed.end();
        }
        writer.end();
    }
}

impl Recorded {
    /// Reads a recorded result.
    ///
    /// # Errors
    /// The field that is missing or of another kind.
    pub fn read(reader: &mut Reader<'_, '_>) -> Result<Self> {
        let (mut at, mut plan) = (None, None);
        let mut fields = Fields::of(&["at", "plan"]);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => at = Some(Millis(reader.i64()?)),
                _ => plan = Some(Planned::read(reader)?),
            }
        }
        Ok(Self {
            at: given(at, "at")?,
            plan: given(plan, "plan")?,
        })
    }

    /// Appends the result.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer.signed("at", self.at.0);
        self.plan.write(writer.name("plan"));
        writer.end();
    }
}
