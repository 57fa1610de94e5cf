//! What Jev is asked: all questions about one state in as few requests as the limits allow.

use super::super::ordered::Writer;
use super::super::questions::{
    CONTRADICTS, DATA, NOTHING, NOTHING_MEANS, REMEMBER, REMEMBER_NO, REMEMBER_YES, SCENE, TYPE,
    TYPES,
};
use super::super::{Asked, Fault};

/// Questions of one request.
///
/// # Source
/// The contract documents no maximum. Self-hosted servers cap at 64, and so does the reference memory library (`docs/jev.md`).
const QUESTIONS_MAX: usize = 64;

/// Characters of one request, and of its state with one question.
///
/// # Source
/// The service allows 64k tokens a request and 32k for state and longest question; dense text has one token a character or more.
/// The reference memory library uses the same two numbers.
const REQUEST_MAX_CHARS: usize = 100_000;
const QUESTION_MAX_CHARS: usize = 30_000;

/// Options of a choice, the one for none included. Source: the contract; one more is refused with 400.
const OPTIONS_MAX: usize = 255;

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Places of its candidates in the list that was asked about.
    pub places: Vec<usize>,
    /// The body, JSON.
    pub body: String,
}

/// Builds the requests for `asked`, and says of which candidates nothing can be asked.
///
/// Every request repeats the whole state, which is read and billed once a request. A candidate's questions stay together.
pub fn parts(asked: &[Asked], model: &str) -> (Vec<Part>, Vec<(usize, Fault)>) {
    let state = state(asked);
    let state_chars = state.chars().count();
    let mut parts: Vec<Part> = Vec::new();
    let mut refused = Vec::new();
    let mut questions = Questions::default();
    for (place, one) in asked.iter().enumerate() {
        let mut mine = Questions::default();
        mine.add(place, one);
        let room = REQUEST_MAX_CHARS.saturating_sub(state_chars);
        let over = if one.known.len() + 1 > OPTIONS_MAX {
            Some("too many known memories for one choice".to_owned())
        } else if state_chars + mine.longest_chars > QUESTION_MAX_CHARS || mine.chars > room {
            Some(format!(
                "state and question have {} characters",
                state_chars + mine.longest_chars
            ))
        } else {
            None
        };
        if let Some(detail) = over {
            refused.push((place, Fault::new("jev-too-large", detail)));
            continue;
        }
        if questions.count + mine.count > QUESTIONS_MAX || questions.chars + mine.chars > room {
            parts.extend(std::mem::take(&mut questions).finish(model, &state));
        }
        questions.append(mine);
    }
    parts.extend(questions.finish(model, &state));
    (parts, refused)
}

/// Returns the name of a question about the candidate at `place`. Servers of the same shape take letters, digits and `_` everywhere.
pub(super) fn id(place: usize, what: &str) -> String {
    format!("c{place}_{what}")
}

/// Returns the name of an option for the known memory at `place`. The model sees it.
pub(super) fn option(place: usize) -> String {
    format!("remembered {}", place + 1)
}

fn state(asked: &[Asked]) -> String {
    let mut out = String::new();
    let mut state = Writer::object(&mut out);
    state.text("scene", SCENE);
    let mut list = Writer::list(state.field("surroundings"));
    for (place, one) in asked.iter().enumerate() {
        let mut around = Writer::object(list.item());
        around.field("number").push_str(&(place + 1).to_string());
        around.text("before", &one.before);
        around.text("after", &one.after);
        around.end();
    }
    list.end();
    state.end();
    out
}

/// Questions of a request that is being put together.
#[derive(Default)]
struct Questions {
    places: Vec<usize>,
    /// Fields of the `questions` object, commas between them.
    text: String,
    count: usize,
    chars: usize,
    longest_chars: usize,
}

impl Questions {
    fn add(&mut self, place: usize, one: &Asked) {
        self.places.push(place);
        self.question(place, "remember", |out| {
            out.text("type", "noul");
            instructions(out, REMEMBER, place, one);
            let mut criteria = Writer::object(out.field("criteria"));
            criteria.text("true", REMEMBER_YES);
            criteria.text("false", REMEMBER_NO);
            criteria.end();
        });
        self.question(place, "type", |out| {
            out.text("type", "choice");
            instructions(out, TYPE, place, one);
            let mut criteria = Writer::object(out.field("criteria"));
            for (name, meaning) in TYPES {
                criteria.text(name, meaning);
            }
            criteria.end();
        });
        if one.known.is_empty() {
            return;
        }
        self.question(place, "contradicts", |out| {
            out.text("type", "choice");
            instructions(out, CONTRADICTS, place, one);
            let mut criteria = Writer::object(out.field("criteria"));
            criteria.text(NOTHING, NOTHING_MEANS);
            for (place, known) in one.known.iter().enumerate() {
                criteria.text(&option(place), &known.text);
            }
            criteria.end();
        });
    }

    fn question(&mut self, place: usize, what: &str, write: impl FnOnce(&mut Writer<'_>)) {
        let from = self.text.len();
        if !self.text.is_empty() {
            self.text.push(',');
        }
        super::super::ordered::string(&mut self.text, &id(place, what));
        self.text.push(':');
        let mut object = Writer::object(&mut self.text);
        write(&mut object);
        object.end();
        let chars = self.text.get(from..).map_or(0, |text| text.chars().count());
        self.count += 1;
        self.chars += chars;
        self.longest_chars = self.longest_chars.max(chars);
    }

    fn append(&mut self, other: Questions) {
        if !self.text.is_empty() {
            self.text.push(',');
        }
        self.text.push_str(&other.text);
        self.places.extend(other.places);
        self.count += other.count;
        self.chars += other.chars;
        self.longest_chars = self.longest_chars.max(other.longest_chars);
    }

    fn finish(self, model: &str, state: &str) -> Option<Part> {
        if self.places.is_empty() {
            return None;
        }
        let mut body = String::with_capacity(self.text.len() + state.len() + 64);
        let mut object = Writer::object(&mut body);
        object.text("model", model);
        object.field("state").push_str(state);
        let questions = object.field("questions");
        questions.push('{');
        questions.push_str(&self.text);
        questions.push('}');
        object.end();
        Some(Part {
            places: self.places,
            body,
        })
    }
}

/// Writes the question beside the candidate, which is marked as data.
fn instructions(out: &mut Writer<'_>, question: &str, place: usize, one: &Asked) {
    let mut fields = Writer::object(out.field("instructions"));
    fields.text("question", question);
    fields.text("sentence", &one.text);
    fields.text("surroundings", &format!("`surroundings[{place}]`"));
    fields.text("note", DATA);
    fields.end();
}
