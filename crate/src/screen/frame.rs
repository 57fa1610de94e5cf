//! Frames: what a sentence with the words of a rule is for, who speaks it, and for how long. A table, each row with a
//! sentence it is about and a twin that is a rule and must not be touched.
//!
//! A sentence that is somebody else's, or that is to be put somewhere, is refused. One that reports, supposes or limits
//! itself to today weighs against being kept; a judge that reads may still see a rule in it.

use super::reading::Reading;
use super::signal::Kind;
use crate::extract::others::{Others, handed_over, is_said_line};

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

/// Who speaks and has no say over the project. Those who have (the team, the boss, the client) are in no list.
const SPEAKERS: &str = "colleague|colleagues|coworker|co-worker|coworkers|teammate|friend|brother|roommate|someone|somebody\
    |some people|people|folks|he|she|they|a guy|the internet|stack overflow|stackoverflow|chatgpt|gpt|copilot|claude|gemini\
    |the model|the bot|reviewer|reviewers|blog|blogs|article|articles|tutorial|tutorials|book|books|video|podcast|reddit\
    |hacker news|twitter|interviewer|professor|teacher|author|experts|purists|critics|同事|朋友|同学|室友|有人|别人|网友|网上\
    |他|她|他们|她们|博客|教程|文章|书上|书里|视频|论坛|知乎|面试官|老师|导师|某人|群里|大佬|专家|网文|帖子";

/// Verbs of saying. What orders or decides is none of them.
const SAYS: &str = "said|says|say|saying|told|tells|thinks|think|thought|suggested|suggests|suggest|claims|claimed|claim|believes\
    |believe|insists|insisted|insist|recommends|recommended|recommend|argues|argued|argue|writes|mentioned|swears|swear|advised\
    |advises|preach|preaches|说|说过|觉得|认为|建议|主张|坚持|声称|告诉我|提到|写道|推荐|号称|讲过|吹";

/// Bytes between a speaker and the verb.
const SPEAKS_BYTES: usize = 24;

/// Marks that what somebody said is taken over.
const ADOPTED: &[&str] = &[
    "and i agree",
    "i agree with",
    "we agreed",
    "so from now on",
    "so we will",
    "so we'll",
    "so let's",
    "so always",
    "so never",
    "so please",
    "we follow",
    "follow the",
    "following the",
    "as in ",
    "stick to",
    "we adopt",
    "adopted",
    "same as",
    "我同意",
    "我也同意",
    "照做",
    "按他说的",
    "听他的",
    "所以以后",
    "因此以后",
    "所以今后",
    "就这么定",
    "采纳",
    "遵循",
    "遵守",
    "按照",
    "参照",
    "沿用",
    "采用",
    "我们也",
    "也一律",
    "也要",
    "也都",
];

fn adopted(lower: &str) -> bool {
    any_in(lower, ADOPTED)
}

/// Returns whether a speaker stands shortly before a verb of saying.
fn speaks(lower: &str) -> bool {
    places(lower, SPEAKERS).any(|end| {
        let mut stop = (end + SPEAKS_BYTES).min(lower.len());
        while !lower.is_char_boundary(stop) {
            stop -= 1;
        }
        let near = lower.get(end..stop).unwrap_or_default();
        let near = near
            .split([',', '，', '.', '。', ';', '；'])
            .next()
            .unwrap_or_default();
        places(near, SAYS).next().is_some()
    })
}

/// What names another house: its guide, its habits.
const ELSEWHERE: &str = "style guide|guide|handbook|docs|documentation|blog|policy|guidelines|convention|conventions|manual|another company\
    |other companies|another team|other teams|my last company|my previous company|my old company|my last job|my previous job\
    |my old job|my former|my last team|my previous team|my old team|at my last|at my previous|at my old|in my last\
    |in my previous|another project|other projects|my other project|the old team|the previous team|big tech|其他公司|别的公司\
    |上家公司|上一家公司|前公司|以前公司|之前公司|别的团队|其他团队|隔壁组|隔壁团队|别的项目|其他项目|上个项目|上一个项目|大厂\
    |人家公司|规范|规约|手册|指南|文档";

/// Documents of which the owner decides whose rule it is.
const DOCUMENTS: &[&str] = &[
    "style guide",
    "guide",
    "handbook",
    "docs",
    "documentation",
    "blog",
    "policy",
    "guidelines",
    "convention",
    "conventions",
    "manual",
    "规范",
    "规约",
    "手册",
    "指南",
    "文档",
];

/// Owners of documents of another house.
const OTHER_HOUSES: &[&str] = &[
    "google",
    "airbnb",
    "uber",
    "netflix",
    "facebook",
    "amazon",
    "microsoft",
    "meta",
    "apple",
    "twitter",
    "stripe",
    "shopify",
    "nasa",
    "the linux kernel",
    "pep 8",
    "pep8",
    "谷歌",
    "阿里",
    "腾讯",
    "字节",
    "华为",
    "微软",
    "百度",
    "美团",
    "京东",
    "网易",
    "小米",
];

/// Owners that are this house.
const OUR_HOUSE: &[&str] = &[
    "it",
    "let",
    "here",
    "that",
    "what",
    "team",
    "project",
    "repo",
    "company",
    "client",
    "customer",
    "org",
    "organisation",
    "organization",
    "there",
    "who",
    "department",
    "group",
    "package",
    "library",
];

fn is_elsewhere(lower: &str) -> bool {
    let document = DOCUMENTS.iter().find_map(|word| lower.find(word));
    let Some(at) = document else {
        return true; // Another company, the last job: the words name it.
    };
    if ELSEWHERE
        .split('|')
        .any(|word| !DOCUMENTS.contains(&word) && !word.is_empty() && lower.contains(word))
    {
        return true;
    }
    let before = lower.get(..at).unwrap_or_default();
    if OTHER_HOUSES.iter().any(|name| before.contains(name)) {
        return true;
    }
    // `Acme's guide`: anybody's but ours.
    let owner = before
        .trim_end()
        .strip_suffix("'s")
        .or_else(|| before.trim_end().strip_suffix("s'"));
    owner.is_some_and(|owner| {
        let word = owner
            .rsplit([' ', '"', '(', ','])
            .next()
            .unwrap_or_default();
        !OUR_HOUSE.contains(&word)
    })
}

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

fn any_in(lower: &str, words: &[&str]) -> bool {
    words.iter().any(|word| lower.contains(word))
}

/// Returns the ends of the words of a list that stand whole in a text.
fn places<'a>(lower: &'a str, list: &'a str) -> impl Iterator<Item = usize> + 'a {
    list.split('|')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .flat_map(move |word| {
            lower.match_indices(word).filter_map(move |(at, _)| {
                let end = at + word.len();
                let joins =
                    |b: Option<&u8>| word.is_ascii() && b.is_some_and(u8::is_ascii_alphanumeric);
                let bytes = lower.as_bytes();
                let whole = !joins(at.checked_sub(1).and_then(|at| bytes.get(at)))
                    && !joins(bytes.get(end));
                whole.then_some(end)
            })
        })
}

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
