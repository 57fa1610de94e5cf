//! From a turn to candidates: what the human said, cut into sentences, with the little context the judge needs.

pub mod failure;
pub mod others;
mod strip;

use crate::memory::{EventSeq, Millis};
use crate::text::{clean, secret, sentence};
use crate::turn::{Human, Position, Turn, TurnEvent};
use others::Others;
use std::ops::Range;
use std::rc::Rc;

pub use strip::{own_words, without_host};

/// Shortest and longest candidate, in graphemes. Source: design section 6, step 2.
pub const MIN_GRAPHEMES: usize = 4;
pub const MAX_GRAPHEMES: usize = 400;

/// Longest candidate in bytes, whatever its graphemes: marks can pile up on one character without end.
const MAX_BYTES: usize = 4_800;

/// Candidates a message may give. Source: design section 6, step 2.
pub const MAX_CANDIDATES: usize = 64;

/// Bytes of the message kept on each side of a sentence: what the judge sees of its surroundings.
///
/// The labelled rows show about this much, so that a weight learned there means the same here.
const WINDOW_BYTES: usize = 300;

/// One cut of a human's message.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub position: Position,
    /// When it was said.
    pub at: Millis,
    /// IANA zone of the speaker's clock, where the message has it.
    pub zone: Option<Rc<str>>,
    /// The untouched cut.
    pub quote: String,
    /// The cut after cleaning: what is screened, stored and shown.
    pub text: String,
    pub context: Context,
}

impl Candidate {
    /// Returns a candidate with nothing around it, said nowhere: for tools, reports and tests.
    pub fn alone(quote: &str) -> Self {
        Self::within(quote, quote)
    }

    /// Returns `quote` as a candidate of `message`, said nowhere.
    pub fn within(message: &str, quote: &str) -> Self {
        Self {
            position: Position {
                session_id: "".into(),
                turn: 0,
                seq: EventSeq(0),
            },
            at: Millis(0),
            zone: None,
            quote: quote.to_owned(),
            text: clean::clean(quote),
            context: Context::find(message, quote),
        }
    }
}

/// What stood around a cut, host and tool text already taken out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// The message without host text, shared by its candidates.
    message: Rc<str>,
    /// Where the cut stands in it, in bytes.
    start: usize,
    end: usize,
    /// Whether the message holds a pasted diff, log or status.
    pasted: bool,
    /// Whether the cut stands in what is somebody else's words, or words for somewhere else.
    others: Option<Others>,
}

impl Context {
    /// Returns the context of `quote` in `message`; of the quote alone when it does not stand there.
    pub fn find(message: &str, quote: &str) -> Self {
        match message.find(quote) {
            Some(start) => Self {
                message: message.into(),
                start,
                end: start + quote.len(),
                pasted: holds_paste(message),
                others: others_at(&others::stretches(message), start),
            },
            None => Self {
                message: quote.into(),
                start: 0,
                end: quote.len(),
                pasted: false,
                others: others_at(&others::stretches(quote), 0),
            },
        }
    }

    /// Returns whether the message holds a pasted diff, log or status: much of it is then nobody's word.
    pub fn is_pasted(&self) -> bool {
        self.pasted
    }

    /// Returns why the cut is not what the human asks of us, when it stands in such a stretch of the message.
    pub fn others(&self) -> Option<Others> {
        self.others
    }

    /// Returns up to 300 bytes of the message before the cut.
    pub fn before(&self) -> &str {
        let from = (self.start.saturating_sub(WINDOW_BYTES)..=self.start)
            .find(|&at| self.message.is_char_boundary(at))
            .unwrap_or(self.start);
        self.message.get(from..self.start).unwrap_or_default()
    }

    /// Returns up to 300 bytes of the message after the cut.
    pub fn after(&self) -> &str {
        let longest = (self.end + WINDOW_BYTES).min(self.message.len());
        let to = (self.end..=longest)
            .rev()
            .find(|&at| self.message.is_char_boundary(at))
            .unwrap_or(self.end);
        self.message.get(self.end..to).unwrap_or_default()
    }
}

/// The candidates of a turn, and what was not read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extracted {
    /// In the order they were said.
    pub candidates: Vec<Candidate>,
    /// For each message that had more than its limits allow: where, and how many cuts were left out.
    pub over_limit: Vec<(Position, u32)>,
}

/// Returns the sentences of the turn's human messages.
///
/// Host text, our own block, fenced code and quoted tool output are taken out first. A cut of fewer than 4 graphemes says
/// nothing and is not counted; one of more than 400 is counted as over the limit, as is each after the 64th of a message.
pub fn sentences(turn: &Turn) -> Extracted {
    let mut out = Extracted::default();
    for event in &turn.events {
        let TurnEvent::Human(human) = event else {
            continue;
        };
        let position = Position {
            session_id: turn.session.id.clone(),
            turn: human.turn,
            seq: human.seq,
        };
        read_message(&mut out, &position, human);
    }
    out
}

fn read_message(out: &mut Extracted, position: &Position, human: &Human) {
    let (at, text) = (human.at, human.text.as_str());
    let zone: Option<Rc<str>> = human.zone.as_deref().map(Rc::from);
    let own = own_words(text);
    let (head, rest) = own.split_at(head_end(&own));
    // Secrets go before anything is cut: a key split over lines must not leave halves that look like words.
    let (message, _) = secret::redact(head);
    let message: Rc<str> = message.into();
    let pasted = holds_paste(&message);
    let stretches = others::stretches(&message);
    let n_rest = sentence::cut(rest)
        .filter(|piece| says_something(piece))
        .count();
    let (mut n, mut left_out) = (0usize, u32::try_from(n_rest).unwrap_or(u32::MAX));
    let mut start = 0;
    for piece in sentence::cut(&message) {
        let piece_start = start;
        start += piece.len();
        let quote = piece.trim();
        if !says_something(quote) {
            continue;
        }
        if n == MAX_CANDIDATES
            || quote.len() > MAX_BYTES
            || sentence::graphemes_up_to(quote, MAX_GRAPHEMES) > MAX_GRAPHEMES
        {
            left_out = left_out.saturating_add(1);
            continue;
        }
        let cleaned = clean::clean(quote);
        n += 1;
        let quote_start = piece_start + (piece.len() - piece.trim_start().len());
        out.candidates.push(Candidate {
            position: position.clone(),
            at,
            zone: zone.clone(),
            quote: quote.to_owned(),
            text: cleaned,
            context: Context {
                message: Rc::clone(&message),
                start: quote_start,
                end: quote_start + quote.len(),
                pasted,
                others: others_at(&stretches, quote_start),
            },
        });
    }
    if left_out > 0 {
        out.over_limit.push((position.clone(), left_out));
    }
}

/// Sentences of a message that are looked at closely, of which [`MAX_CANDIDATES`] can be taken. The rest is counted: what would
/// be done with it changes nothing.
const HEAD_PIECES: usize = 4 * MAX_CANDIDATES;

/// Returns where the part of a message ends that is looked at.
fn head_end(own: &str) -> usize {
    let mut n_pieces = 0;
    let mut end = 0;
    for piece in sentence::cut(own) {
        end += piece.len();
        n_pieces += usize::from(says_something(piece));
        if n_pieces == HEAD_PIECES {
            break;
        }
    }
    end
}

fn says_something(piece: &str) -> bool {
    sentence::graphemes_up_to(piece.trim(), MIN_GRAPHEMES) >= MIN_GRAPHEMES
}

fn others_at(stretches: &[(Range<usize>, Others)], at: usize) -> Option<Others> {
    let found = stretches.iter().find(|(range, _)| range.contains(&at));
    found.map(|(_, kind)| *kind)
}

/// Beginnings of lines that tools write and people do not.
const PASTE_MARKS: &[&str] = &[
    "diff --git ",
    "@@ -",
    "+++ b/",
    "--- a/",
    "index ",
    "On branch ",
    "Changes not staged",
    "Your branch is ",
    "new file mode ",
    "Traceback (most recent",
    "npm ERR!",
    "error[E",
    "commit ",
    "Author: ",
    "<persisted-output",
    "Output too large",
    "additions:",
    "deletions:",
    "    at ",
    "[INFO]",
    "[ERROR]",
    "[WARN",
];

/// Lines of such a beginning from which a message counts as pasted: one may be quoted in passing.
const PASTE_LINES: usize = 2;

fn holds_paste(message: &str) -> bool {
    let marked = |line: &&str| {
        let first = line.bytes().next().unwrap_or_default();
        b"d@+-iOCYnTecA< [a".contains(&first)
            && (PASTE_MARKS.iter().any(|mark| line.starts_with(mark))
                || line.starts_with("- Current "))
    };
    message.lines().filter(marked).take(PASTE_LINES).count() == PASTE_LINES
}

#[cfg(test)]
mod tests;
