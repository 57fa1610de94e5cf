//! What stands around a sentence: the line that introduces it, lists and code nearby.

use crate::text::lexicon::Lexicon;
use std::sync::OnceLock;

/// What the line that introduces a list or a section promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Intro {
    #[default]
    None,
    Rules,
    Traps,
    Contents,
}

/// Longest introducing line, in characters.
const INTRO_CHARS: usize = 40;

/// Words of an introducing line, for traps, rules and contents in this order: the first that holds decides.
const INTROS: [&str; 3] = [
    "gotcha|gotchas|pitfall|pitfalls|caveat|caveats|known issue|known issues|traps|troubleshooting|踩坑|陷阱|常见问题|已知问题|坑",
    "rule|rules|convention|conventions|guideline|guidelines|principle|principles|standard|standards|constraint|constraints|don't|\
     do not|never|always|style|policy|important|workflow|practices|规则|规范|约定|原则|禁止|不要|约束|限制|红线|标准|习惯|注意",
    "include|includes|contain|contains|contents|following|list|step|steps|task|tasks|todo|phase|output|plan|\
     包括|包含|内容|如下|列出|步骤|阶段|任务|待办|计划|输出|生成|识别|功能|流程",
];

/// Lines near a sentence that begin or end as code, and lines that are list items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Near {
    pub code: bool,
    pub items: bool,
}

/// Beginnings of lines of code and of diffs.
const CODE_STARTS: &[&str] = &[
    "@@ ", "+ ", "+++", "def ", "import ", "from ", "const ", "#include", "func ", "class ",
];
/// Ends of lines of code.
const CODE_ENDS: &[&str] = &["();", ");", "{", "};", "):"];

/// Returns what the lines around a sentence look like. Looks at line ends only, so a long line costs little.
pub fn near(before: &str, after: &str) -> Near {
    let mut near = Near::default();
    for text in [before, after] {
        for (at, _) in text.match_indices('\n') {
            let (head, tail) = (
                text.get(..at).unwrap_or_default(),
                text.get(at + 1..).unwrap_or_default(),
            );
            let tail = tail.trim_start_matches([' ', '\t']);
            near.items |= tail.starts_with("- ");
            near.code |= CODE_STARTS.iter().any(|mark| tail.starts_with(mark))
                || CODE_ENDS.iter().any(|mark| head.ends_with(mark));
        }
    }
    near
}

/// Returns what the nearest introducing line above promises: a heading, a line that ends in a colon, or a short line with no stop.
pub fn intro(before: &str) -> Intro {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    let Some(line) = before
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| is_intro(line))
    else {
        return Intro::None;
    };
    let lexicon = LEXICON.get_or_init(|| Lexicon::new(INTROS.into_iter(), std::iter::empty(), &[]));
    let rows = lexicon.hits(&line.to_ascii_lowercase(), &[]).rows;
    [Intro::Traps, Intro::Rules, Intro::Contents]
        .into_iter()
        .enumerate()
        .find(|(row, _)| rows >> row & 1 == 1)
        .map_or(Intro::None, |(_, intro)| intro)
}

fn is_intro(line: &str) -> bool {
    if line.is_empty() || line.len() > INTRO_CHARS * 4 || line.chars().count() > INTRO_CHARS {
        return false;
    }
    let item = line.starts_with(['-', '*', '+', '•', '|', '`', '>'])
        || line.starts_with(|c: char| c.is_ascii_digit());
    line.starts_with('#')
        || line.starts_with("**")
        || line.ends_with([':', '：'])
        || !item
            && !line.ends_with(|c: char| {
                matches!(
                    c,
                    '.' | '。'
                        | '!'
                        | '！'
                        | '?'
                        | '？'
                        | ';'
                        | '；'
                        | ','
                        | '，'
                        | ')'
                        | '}'
                        | '{'
                        | '…'
                )
            })
}
