//! How a task was done: what a coding conversation leaves beside its statements.

use super::record::given;
use super::{BoundaryScope, Text};
use crate::text::json::{Fields, Malformed, Reader, Writer};

/// Characters of a task, a solution, a search key or an environment, a file's path, and the name of a place.
pub const TASK_MAX_CHARS: usize = 300;
pub const SOLUTION_MAX_CHARS: usize = 4_000;
pub const ITEM_MAX_CHARS: usize = 200;
pub const FILE_MAX_CHARS: usize = 400;
pub const PLACE_MAX_CHARS: usize = 400;
/// Search keys, or environments, of one procedure; and files.
pub const ITEMS_MAX: usize = 16;
pub const FILES_MAX: usize = 32;

/// What stands between task and solution in a procedure's text.
const BETWEEN: &str = ": ";

/// How a task was done, and where that holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    pub task: String,
    /// Words under which somebody with the same task would look.
    pub search_keys: Vec<String>,
    /// What was done. May have lines.
    pub solution: String,
    /// What has to be so for it to work: systems, tools, versions.
    pub boundary_envs: Vec<String>,
    pub boundary_scope: BoundaryScope,
    /// 0..=1, as the model that wrote it said.
    pub confidence: f64,
    /// Paths out of the arguments of the tools that were called.
    pub files: Vec<String>,
    /// Where it was done, as the caller named it.
    pub workspace: Option<String>,
    pub branch: Option<String>,
    pub session: Option<String>,
}

const PROCEDURE: &[&str] = &[
    "task",
    "searchKeys",
    "solution",
    "boundaryEnvs",
    "boundaryScope",
    "confidence",
    "files",
    "workspace",
    "branch",
    "session",
];

impl Procedure {
    /// Returns the text a record shows and is found by: task and solution on one line.
    pub fn text(&self) -> Text {
        let words = self.solution.split_whitespace();
        let solution = words.collect::<Vec<_>>().join(" ");
        Text::from(format!("{}{BETWEEN}{solution}", self.task))
    }

    /// Returns `text` with the words under which it is looked for.
    // Not where nothing is a procedure: the module's first part holds what runs at a mount.
    #[inline(never)]
    pub fn findable(&self, text: &str) -> String {
        let keys = self.search_keys.join(" ");
        format!("{text} {keys}")
    }

    /// Returns whether two are looked for by the same words.
    #[inline(never)]
    pub fn are_found_alike(one: Option<&Self>, other: Option<&Self>) -> bool {
        one.map(|x| &x.search_keys) == other.map(|x| &x.search_keys)
    }

    /// Follows a new wording of the record's text: it is the solution, behind the task where it begins with that.
    pub fn reword(&mut self, text: &str) {
        let rest = text.strip_prefix(self.task.as_str());
        let rest = rest.and_then(|rest| rest.strip_prefix(BETWEEN));
        rest.unwrap_or(text).clone_into(&mut self.solution);
    }

    /// Returns every text that was said or worked on: what forgetting must blank.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        [&self.task, &self.solution]
            .into_iter()
            .chain(&self.search_keys)
            .chain(&self.boundary_envs)
            .chain(&self.files)
    }

    /// Returns the names of the places it was done at.
    pub fn places(&self) -> impl Iterator<Item = &String> {
        [&self.workspace, &self.branch, &self.session]
            .into_iter()
            .flatten()
    }

    /// Returns whether every text is within its limit and holds no control character but, in a solution, line ends and tabs.
    pub fn is_sound(&self) -> bool {
        let fits = |text: &String, max: usize| is_plain(text, max, "");
        let all = |list: &[String], n: usize, max: usize| {
            list.len() <= n && list.iter().all(|text| fits(text, max))
        };
        fits(&self.task, TASK_MAX_CHARS)
            && is_plain(&self.solution, SOLUTION_MAX_CHARS, "\n\t")
            && all(&self.search_keys, ITEMS_MAX, ITEM_MAX_CHARS)
            && all(&self.boundary_envs, ITEMS_MAX, ITEM_MAX_CHARS)
            && all(&self.files, FILES_MAX, FILE_MAX_CHARS)
            && self.places().all(|text| fits(text, PLACE_MAX_CHARS))
            && (0.0..=1.0).contains(&self.confidence)
    }

    /// Reads a procedure.
    ///
    /// # Errors
    /// The field that is missing or of another kind.
    #[inline(never)]
    pub fn read(reader: &mut Reader<'_, '_>) -> Result<Self, Malformed> {
        let texts = |reader: &mut Reader<'_, '_>| reader.list(Reader::owned);
        let (mut task, mut solution, mut boundary_scope, mut confidence) = (None, None, None, None);
        let (mut search_keys, mut boundary_envs, mut files) = (Vec::new(), Vec::new(), Vec::new());
        let (mut workspace, mut branch, mut session) = (None, None, None);
        let mut fields = Fields::of(PROCEDURE);
        while let Some(field) = reader.field(&mut fields)? {
            match field {
                0 => task = Some(reader.owned()?),
                1 => search_keys = texts(reader)?,
                2 => solution = Some(reader.owned()?),
                3 => boundary_envs = texts(reader)?,
                4 => boundary_scope = Some(reader.one_of("boundaryScope", BoundaryScope::named)?),
                5 => confidence = Some(reader.number()?),
                6 => files = texts(reader)?,
                7 => workspace = reader.or_null(Reader::owned)?,
                8 => branch = reader.or_null(Reader::owned)?,
                _ => session = reader.or_null(Reader::owned)?,
            }
        }
        Ok(Self {
            task: given(task, "task")?,
            search_keys,
            solution: given(solution, "solution")?,
            boundary_envs,
            boundary_scope: given(boundary_scope, "boundaryScope")?,
            confidence: given(confidence, "confidence")?,
            files,
            workspace,
            branch,
            session,
        })
    }

    /// Appends the procedure.
    #[inline(never)]
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut writer = Writer::object(out);
        writer
            .text("task", &self.task)
            .texts_if("searchKeys", self.search_keys.iter().map(String::as_str))
            .text("solution", &self.solution)
            .texts_if(
                "boundaryEnvs",
                self.boundary_envs.iter().map(String::as_str),
            )
            .text("boundaryScope", self.boundary_scope.as_str())
            .number("confidence", self.confidence)
            .texts_if("files", self.files.iter().map(String::as_str))
            .text_if("workspace", self.workspace.as_deref())
            .text_if("branch", self.branch.as_deref())
            .text_if("session", self.session.as_deref());
        writer.end();
    }
}

/// Whether a text says something, is within its limit, and holds no control character but `allowed` ones.
pub fn is_plain(text: &str, max_chars: usize, allowed: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().take(max_chars + 1).count() <= max_chars
        && !text.chars().any(|c| c.is_control() && !allowed.contains(c))
}
