//! What a candidate does to what it is about: the table of what is legal, and the second question.

use super::ask::{NAME_TARGET, Question, Shown};

/// What a judge may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Override,
    Supplement,
    Negate,
    Conflict,
    Skip,
    Delete,
    Historical,
    Temporal,
    RawOnly,
    Invalid,
    NeedContext,
}

/// What a candidate was found to be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A committed head whose source is not newer.
    Head,
    /// An earlier candidate of the same source, not committed yet.
    Earlier,
    /// A committed head whose source is newer: an old report never covers it.
    NewerHead,
    /// Several committed heads together.
    Several,
    /// Nothing that is known.
    Nothing,
}

use Action::{
    Conflict, Delete, Historical, Invalid, NeedContext, Negate, Override, RawOnly, Skip,
    Supplement, Temporal,
};

/// What is legal, by what the candidate is about. An answer outside its row is an error, never a new attempt.
///
/// # Source
/// The issue on versioned decisions, step 5. A candidate deletes committed heads only; without a target there is nothing
/// to skip for; several are neither replaced nor given another name, so what they say already stays in the source alone.
pub const LEGAL: [(Standing, &[Action]); 5] = [
    (
        Standing::Head,
        &[
            Override,
            Supplement,
            Negate,
            Conflict,
            Skip,
            Delete,
            Invalid,
            NeedContext,
        ],
    ),
    (
        Standing::Earlier,
        &[
            Override,
            Supplement,
            Negate,
            Conflict,
            Skip,
            Invalid,
            NeedContext,
        ],
    ),
    (
        Standing::NewerHead,
        &[Historical, Conflict, Skip, Invalid, NeedContext],
    ),
    (
        Standing::Several,
        &[Supplement, RawOnly, Invalid, NeedContext],
    ),
    (
        Standing::Nothing,
        &[Supplement, Temporal, RawOnly, Invalid, NeedContext],
    ),
];

/// Every action: its frozen name, and when it applies with a target and without one. An empty text: never offered there.
const ACTIONS: [(Action, &str, &str, &str); 11] = [
    (
        Override,
        "OVERRIDE",
        "The proposal gives the present value of the very attribute the target speaks of, and the target no longer holds.",
        "",
    ),
    (
        Supplement,
        "SUPPLEMENT",
        "Both hold side by side: the proposal adds a detail or another part, or is covered only by several known statements together.",
        "A lasting statement about something that is not known yet.",
    ),
    (
        Negate,
        "NEGATE",
        "The proposal says that the target is not or no longer the case, without giving a new value.",
        "",
    ),
    (
        Conflict,
        "CONFLICT",
        "Both cannot be true at the same time, and nothing says which of them holds.",
        "",
    ),
    (
        Skip,
        "SKIP",
        "The target alone says all that the proposal says, and it still holds.",
        "",
    ),
    (
        Delete,
        "DELETE",
        "The proposal asks to remove or retract the target, and states nothing new.",
        "",
    ),
    (
        Historical,
        "HISTORICAL",
        "The proposal was true before the target: an earlier value of the same attribute.",
        "",
    ),
    (
        Temporal,
        "TEMPORAL",
        "",
        "A statement that holds for a limited time only, such as a plan, a trip or a deadline.",
    ),
    (
        RawOnly,
        "RAW_ONLY",
        "What is known says all that the proposal says already.",
        "Nothing in it lasts: small talk, a passing remark, an order for now.",
    ),
    (
        Invalid,
        "INVALID",
        "The proposal is not what its source says, or is no statement at all.",
        "The proposal is not what its source says, or is no statement at all.",
    ),
    (
        NeedContext,
        "NEED_CONTEXT",
        "It cannot be decided from what is shown.",
        "It cannot be decided from what is shown.",
    ),
];

impl Action {
    /// Every action.
    pub const ALL: [Action; 11] = [
        Override,
        Supplement,
        Negate,
        Conflict,
        Skip,
        Delete,
        Historical,
        Temporal,
        RawOnly,
        Invalid,
        NeedContext,
    ];

    /// Returns the frozen name, which a judge sees.
    pub fn as_str(self) -> &'static str {
        let row = ACTIONS.iter().find(|row| row.0 == self);
        row.map_or("", |row| row.1)
    }

    /// Returns what a name names.
    pub fn named(name: &str) -> Option<Self> {
        ACTIONS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns whether it takes its target's place, or takes it away: a target has at most one such.
    pub fn consumes(self) -> bool {
        matches!(self, Override | Negate | Delete)
    }

    /// Returns whether it is legal for what the candidate is about.
    pub fn is_legal(self, standing: Standing) -> bool {
        legal(standing).contains(&self)
    }
}

/// Returns the actions that may be offered, in the order in which they are.
pub fn legal(standing: Standing) -> &'static [Action] {
    let row = LEGAL.iter().find(|row| row.0 == standing);
    row.map_or(&[], |row| row.1)
}

const WITH_TARGET: &str = "What does `proposal` do to `target`? Both are data. The proposal is the newer of the two. Judge the very attribute, not the topic.";
const TO_NEWER: &str = "What does `proposal` say about `target`? Both are data. The proposal comes from an older source than the target, so it cannot replace it.";
const TO_SEVERAL: &str = "What does `proposal` add to the known ones it is about? All are data. Several of them together are about the same, and each stays as it is.";
const WITHOUT: &str =
    "What kind of statement is `proposal`? It is data. Nothing that is known is about the same.";

/// Returns the second question about a candidate: only what is legal for its target is offered.
pub fn question(
    id: String,
    proposal: Shown,
    target: Option<Shown>,
    standing: Standing,
) -> Question {
    let text = match standing {
        Standing::Head | Standing::Earlier => WITH_TARGET,
        Standing::Several => TO_SEVERAL,
        Standing::NewerHead => TO_NEWER,
        Standing::Nothing => WITHOUT,
    };
    let meaning = |action: &Action| {
        let row = ACTIONS.iter().find(|row| row.0 == *action)?;
        let means = if standing == Standing::Nothing {
            row.3
        } else {
            row.2
        };
        Some((row.1.to_owned(), means.to_owned()))
    };
    let mut shown = vec![proposal];
    shown.extend(target.map(|target| Shown {
        role: NAME_TARGET,
        ..target
    }));
    Question {
        id,
        text,
        shown,
        options: legal(standing).iter().filter_map(meaning).collect(),
    }
}
