//! Who speaks in a sentence, and whose house its rule belongs to.

/// Who speaks and has no say over the project. Those who have (the team, the boss, the client) are in no list.
pub(super) const SPEAKERS: &str = "colleague|colleagues|coworker|co-worker|coworkers|teammate|friend|brother|roommate|someone|somebody\
    |some people|people|folks|he|she|they|a guy|the internet|stack overflow|stackoverflow|chatgpt|gpt|copilot|claude|gemini\
    |the model|the bot|reviewer|reviewers|blog|blogs|article|articles|tutorial|tutorials|book|books|video|podcast|reddit\
    |hacker news|twitter|interviewer|professor|teacher|author|experts|purists|critics|同事|朋友|同学|室友|有人|别人|网友|网上\
    |他|她|他们|她们|博客|教程|文章|书上|书里|视频|论坛|知乎|面试官|老师|导师|某人|群里|大佬|专家|网文|帖子";

/// Verbs of saying. What orders or decides is none of them.
pub(super) const SAYS: &str = "said|says|say|saying|told|tells|thinks|think|thought|suggested|suggests|suggest|claims|claimed|claim|believes\
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

pub(super) fn adopted(lower: &str) -> bool {
    any_in(lower, ADOPTED)
}

/// Returns whether a speaker stands shortly before a verb of saying.
pub(super) fn speaks(lower: &str) -> bool {
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
pub(super) const ELSEWHERE: &str = "style guide|guide|handbook|docs|documentation|blog|policy|guidelines|convention|conventions|manual|another company\
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

pub(super) fn is_elsewhere(lower: &str) -> bool {
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

pub(super) fn any_in(lower: &str, words: &[&str]) -> bool {
    words.iter().any(|word| lower.contains(word))
}

/// Returns the ends of the words of a list that stand whole in a text.
pub(super) fn places<'a>(lower: &'a str, list: &'a str) -> impl Iterator<Item = usize> + 'a {
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
