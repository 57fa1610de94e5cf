//! Frames: what a sentence with the words of a rule is for, who speaks it, and for how long. A table, each row with a
//! sentence it is about and a twin that is a rule and must not be touched.
//!
//! A sentence that is somebody else's, or that is to be put somewhere, is refused. One that reports, supposes or limits
//! itself to today weighs against being kept; a judge that reads may still see a rule in it.

mod speech;

use super::reading::Reading;
use super::signal::Kind;
use crate::extract::others::{Others, handed_over, is_said_line};
use speech::{ELSEWHERE, SAYS, SPEAKERS, adopted, any_in, is_elsewhere, places, speaks};

/// One frame.
#[derive(Debug)]
pub struct Frame {
    /// Stored with the memory; frozen.
    pub id: &'static str,
    /// Set by hand, before any fit; of a frame that refuses, 0.
    pub prior: f64,
    pub weight: f64,
    /// The ledger's reason code, where the frame refuses.
    pub refuses: Option<&'static str>,
    /// A sentence in the frame, and one that looks like it and is a rule; only tests hold them.
    #[cfg(test)]
    pub case: (&'static str, &'static str),
    /// Lists of words in the form of the signals': one of each must stand in the sentence before the test is asked.
    pub words: &'static [&'static str],
    pub holds: fn(&Reading) -> bool,
}

const fn row(
    id: &'static str,
    prior: f64,
    weight: f64,
    case: (&'static str, &'static str),
    words: &'static [&'static str],
    holds: fn(&Reading) -> bool,
) -> Frame {
    let _ = case;
    Frame {
        id,
        prior,
        weight,
        refuses: None,
        #[cfg(test)]
        case,
        words,
        holds,
    }
}

const fn refusal(
    id: &'static str,
    reason: &'static str,
    case: (&'static str, &'static str),
    holds: fn(&Reading) -> bool,
) -> Frame {
    Frame {
        refuses: Some(reason),
        ..row(id, 0.0, 0.0, case, &[], holds)
    }
}

/// Frames speak against keeping, whatever else a sentence says.
pub const KIND: Kind = Kind::Passing;

/// Returns the lists of words of all frames, in the order in which the lexicon numbers them.
pub fn lists() -> impl Iterator<Item = &'static str> {
    FRAMES.iter().flat_map(|frame| frame.words).copied()
}

/// The frames. Those that refuse come first.
pub const FRAMES: &[Frame] = &[
    refusal(
        "others-letter",
        "veto:payload",
        (
            "From: ops@example.org Subject: always squash",
            "From now on the subject line of a commit is in English.",
        ),
        |r| r.others == Some(Others::Letter),
    ),
    refusal(
        "said-line",
        "veto:payload",
        ("小顾：以后都用四个空格缩进", "注意：以后都用四个空格缩进"),
        |r| r.colon.is_some() && is_said_line(&r.text),
    ),
    refusal(
        "others-matter",
        "veto:task-instruction",
        (
            "把下面这句翻译成英文：以后提交信息都用英文",
            "翻译文件统一放在 locales 目录：不要写死文案",
        ),
        |r| r.others == Some(Others::Matter) || hands_over(r),
    ),
    Frame {
        refuses: Some("veto:task-instruction"),
        ..row(
            "shown-text",
            0.0,
            0.0,
            (
                "Add a banner saying never share your access code",
                "Every release needs a note saying why, never leave it out",
            ),
            &[BRINGS],
            shows,
        )
    },
    row(
        "role-play",
        -6.0,
        -6.0,
        (
            "You are a strict reviewer who always rejects long functions",
            "You are not allowed to push to main, always open a pull request",
        ),
        &[
            "^you are a|^you are an|^you're a|^you're an|^act as|^pretend|^imagine you|^role-play|^roleplay|^play the role\
           |^你是一|^你现在是|^假设你是|^扮演|^请你扮演|^请扮演|^假装|^你将扮演|^你要扮演|^假如你是|^你作为一",
        ],
        |_| true,
    ),
    row(
        "example-of-rule",
        -6.0,
        -6.0,
        (
            "For example: always wrap errors before returning them",
            "Never commit generated folders, for example dist/",
        ),
        &[
            "^for example|^for instance|^e.g.|^example:|^an example|^examples:|^sample:|^比如|^例如|^譬如|^举例|^举个例子|^示例：|^示例:|^样例：|^例子：\
           |a rule like|rules like|a rule such as|这样的规则|这类规则|something like always|something like never",
        ],
        |_| true,
    ),
    row(
        "supposed",
        -6.0,
        -6.0,
        (
            "If we always squash, how do we find the first bad commit",
            "If you change the schema, always bump the version",
        ),
        &[
            "if we always|if we never|if we all|if i always|if i never|if you always|if you never|if everyone|if everybody\
           |if they always|if they never|if we only|if we must|suppose|supposing|supposed we|imagine if|what would happen\
           |would it be|wouldn't it|what happens if|in theory|hypothetically|如果以后都|如果以后一律|如果以后全|如果以后统一\
           |如果以后不再|如果以后每|如果以后只|如果我们以后|如果今后|如果都|如果一律|如果统一|如果全部|要是以后|要是都|要是一律\
           |要是统一|假如以后|假如都|假如一律|假设以后|假设都|假设一律|假设我们|倘若|会怎样|会怎么样|会不会|假设所有|如果所有",
        ],
        |_| true,
    ),
    row(
        "disowned",
        -6.0,
        -6.0,
        (
            "My lead wants us to always squash, but I disagree",
            "Never merge when a reviewer disagrees",
        ),
        &[
            "i disagree|i don't agree|i do not agree|i don't buy|i'm not convinced|i am not convinced|i don't believe in|nonsense\
           |too strict|too rigid|that's wrong|which is wrong|which i find|ignore him|ignore her|ignore them|i'd rather not\
           |not sure about that|not so sure|i doubt|我不同意|但不同意|我不认同|不敢苟同|我不赞成|我不觉得|我不认为|我不太同意\
           |别听他|别听她|不用听他|别理他|不用理他|太绝对|太死板|太教条|没道理|胡说|不太现实|不现实|我持保留",
        ],
        |_| true,
    ),
    row(
        "reported",
        -6.0,
        -6.0,
        (
            "A colleague said to always rebase before review",
            "As the team agreed, always rebase before review",
        ),
        &[SPEAKERS, SAYS],
        |r| speaks(&r.lower) && !adopted(&r.lower),
    ),
    row(
        "elsewhere",
        -6.0,
        -6.0,
        (
            "Google's style guide says never use exceptions",
            "We follow Google's style guide: never use exceptions",
        ),
        &[ELSEWHERE],
        |r| !adopted(&r.lower) && is_elsewhere(&r.lower),
    ),
    row(
        "others-habit",
        -6.0,
        -6.0,
        (
            "They always forget to update the lock file",
            "They must always be sorted before they are written",
        ),
        &[
            "he always|he never|she always|she never|they always|they never|you always|you never|you keep|they keep|he keeps\
           |people always|people never|users always|users never|someone always|他总是|他从不|他老是|她总是|她老是|他们总是\
           |他们从不|他们老是|你总是|你老是|你从不|大家总是|大家老是|有人总是|有人老是|老是忘|总是忘",
        ],
        |_| true,
    ),
    row(
        "points-at-rule",
        -6.0,
        -6.0,
        (
            "不要忘记上次说的那条规则",
            "不要忘记更新变更日志，每次发布都要写",
        ),
        &[
            "那条规则|那条规定|那条约定|那条要求|那个规则|那个规定|那个约定|那些规则|那几条规则|上次说的|之前说的|前面说的\
           |我说过的|刚才说的|之前定的|上次定的|上面那条|之前那条|the rule about|that rule|those rules|the rule we|the rules we\
           |the rule i|the rules i|the rule on|the rule from|what we agreed|what i told you|what i said|the thing i said\
           |the rule for|rule number|rule no|remember that rule|remember the rule|remember those rules",
        ],
        |r| !says_after_colon(r),
    ),
    row(
        "for-today",
        -6.0,
        -6.0,
        (
            "今天一律走测试环境，不要碰生产库",
            "从今天起一律走测试环境，不要碰生产库",
        ),
        &[
            "今天|今晚|今早|今日|这几天|这两天|这个迭代|本次迭代|本迭代|这次会话|本次会话|这个会话|这轮|这次任务|本次任务\
           |today|tonight|this sprint|this session|this afternoon|this morning|for the next hour|the rest of the day\
           |until tomorrow|during this task|for this task|for this pr|in this pr|for this one|just this once|for this release",
        ],
        |r| !any_in(&r.lower, LASTING) && !any_in(&r.lower, LEARNED),
    ),
    row(
        "rule-in-quotes",
        -6.0,
        -6.0,
        (
            "Rename the option \"Always allow\" to \"Allow\"",
            "Always call the draft \"outline\", never \"plan\"",
        ),
        &[],
        |r| r.rules_in_quotes,
    ),
];

/// Marks that a day is a beginning and not a limit.
const LASTING: &[&str] = &[
    "from now on",
    "going forward",
    "starting today",
    "as of today",
    "from today",
    "beginning today",
    "以后",
    "今后",
    "从此",
    "从今天",
    "从今日",
    "今天起",
    "今天开始",
    "今日起",
    "从这周",
    "从本周",
    "这周起",
    "本周起",
    "永远",
    "从今往后",
    "permanently",
];

/// Marks that today is when it was found out.
const LEARNED: &[&str] = &[
    "发现",
    "踩",
    "遇到",
    "才知道",
    "学到",
    "教训",
    "found out",
    "learned",
    "learnt",
    "bitten",
    "noticed",
    "discovered",
];

/// Returns whether a pointer at a rule is followed by the rule itself.
fn says_after_colon(reading: &Reading) -> bool {
    reading.colon.is_some_and(|at| {
        let tail = reading.text.get(at..).unwrap_or_default();
        tail.chars().count() > 6
    })
}

/// Words behind which a text is shown.
const BRINGS: &str = "that says|which says|saying|that reads|which reads|reading|with the text";

/// Bytes of the shortest text that is handed over.
const MATTER_BYTES: usize = 6;

/// Returns whether the clause before the first colon or quotation mark hands the rest over.
fn hands_over(reading: &Reading) -> bool {
    let text = reading.text.as_ref();
    let mark = reading.colon.or_else(|| {
        let quoted = reading.found.quotes;
        quoted.then(|| text.find(['"', '“', '「', '『'])).flatten()
    });
    mark.is_some_and(|at| hands_over_behind(text, at))
}

/// Returns whether what stands before `that says` and the like hands the rest over.
fn shows(reading: &Reading) -> bool {
    places(&reading.lower, BRINGS)
        .min()
        .is_some_and(|at| hands_over_behind(&reading.text, at))
}

fn hands_over_behind(text: &str, at: usize) -> bool {
    at > 3 && text.len() > at + MATTER_BYTES && text.get(..at).and_then(handed_over).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Candidate;
    use crate::screen::{Screened, screen};

    /// Returns the frames a sentence stands in.
    fn frames(text: &str) -> Vec<&'static str> {
        match screen(&Candidate::alone(text)) {
            Screened::Vetoed { rule, .. } => vec![rule],
            Screened::Kept(kept) => kept
                .signals
                .iter()
                .map(|signal| signal.id)
                .filter(|id| FRAMES.iter().any(|frame| frame.id == *id))
                .collect(),
        }
    }

    #[test]
    fn each_frame_holds_for_its_case_and_not_for_its_twin() {
        for frame in FRAMES {
            let (case, twin) = frame.case;
            assert!(frames(case).contains(&frame.id), "{}: {case}", frame.id);
            assert_eq!(frames(twin), Vec::<&str>::new(), "{}: {twin}", frame.id);
        }
    }
}
