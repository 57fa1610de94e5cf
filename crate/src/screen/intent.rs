//! Two things a human says to the memory itself: that a rule is for every project, and that something is to be forgotten.

/// Words that declare a rule for every project.
const GLOBAL: &[&str] = &[
    "所有项目",
    "每个项目",
    "任何项目",
    "全部项目",
    "各个项目",
    "所有仓库",
    "任何仓库",
    "每个仓库",
    "不管哪个项目",
    "无论哪个项目",
    "不论哪个项目",
    "无论什么项目",
    "不管什么项目",
    "不管在哪个项目",
    "无论在哪个项目",
    "in every project",
    "in all projects",
    "in any project",
    "for every project",
    "for all projects",
    "for any project",
    "across all projects",
    "across projects",
    "in all my projects",
    "for all my projects",
    "in all of my projects",
    "in every repo",
    "in all repos",
    "in any repo",
    "for every repo",
    "for all repos",
    "every repository",
    "all repositories",
    "any repository",
    "all my repos",
    "whatever the project",
    "no matter which project",
    "regardless of project",
    "regardless of the project",
    "every project of mine",
];

/// What before a declaration turns it around.
const NOT_GLOBAL: &[&str] = &[
    "不是",
    "并非",
    "不用在",
    "不要在",
    "不适用于",
    "not ",
    "n't ",
    "except ",
    "除了",
];

/// Returns whether the text declares something for every project, in so many words.
pub fn declares_global(text: &str) -> bool {
    let text = plain(text);
    GLOBAL.iter().any(|word| stands(&text, word, NOT_GLOBAL))
}

/// Words that ask to forget.
pub(super) const FORGET: &[&str] = &[
    "忘掉",
    "忘记",
    "忘了",
    "忘了吧",
    "删掉这条记忆",
    "删除这条记忆",
    "删掉那条记忆",
    "删除那条记忆",
    "删除记忆",
    "删掉记忆",
    "清除记忆",
    "清掉记忆",
    "移除记忆",
    "抹掉",
    "不要再记",
    "不用再记",
    "别再记",
    "别记着",
    "不用记",
    "不必记",
    "从记忆里删",
    "从记忆中删",
    "把这条删",
    "把那条删",
    "这条记忆删",
    "那条记忆删",
    "记忆删掉",
    "记忆删除",
    "取消这条记忆",
    "撤销这条记忆",
    "撤回这条记忆",
    "forget",
    "unlearn",
    "delete that memory",
    "delete this memory",
    "delete the memory",
    "delete memory",
    "remove that memory",
    "remove this memory",
    "remove the memory",
    "remove memory",
    "erase that memory",
    "erase this memory",
    "erase the memory",
    "drop that memory",
    "drop the memory",
    "drop this memory",
    "delete from memory",
    "remove from memory",
    "remove it from memory",
    "delete it from memory",
    "remove that from memory",
    "stop remembering",
    "don't remember",
    "do not remember",
    "wipe the memory",
    "clear the memory",
    "delete that from memory",
    "memory_forget",
];

/// What before a word of forgetting turns it around, or makes it a report of one's own forgetting.
pub(super) const NOT_FORGET: &[&str] = &[
    "不要",
    "别",
    "勿",
    "不能",
    "不会",
    "不可",
    "没有",
    "没",
    "不许",
    "不得",
    "以免",
    "避免",
    "防止",
    "老是",
    "总是",
    "总",
    "容易",
    "经常",
    "我",
    "你",
    "他",
    "差点",
    "千万不要",
    "don't ",
    "do not ",
    "never ",
    "not ",
    "can't ",
    "cannot ",
    "won't ",
    "didn't ",
    "doesn't ",
    "shouldn't ",
    "i ",
    "you ",
    "we ",
    "they ",
    "lest ",
    "always ",
    "often ",
    "easy to ",
    "to not ",
    "let's not ",
    "should not ",
    "must not ",
];

/// Lower case, straight apostrophes, one space for a run.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '’' => out.push('\''),
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c.to_ascii_lowercase()),
        }
    }
    out
}

/// Returns whether `word` stands whole somewhere in `text` with none of `against` right before it.
fn stands(text: &str, word: &str, against: &[&str]) -> bool {
    text.match_indices(word)
        .any(|(at, _)| stands_at(text, at, word, against))
}

/// Returns whether the `word` found at `at` is whole and has none of `against` right before it.
pub(super) fn stands_at(text: &str, at: usize, word: &str, against: &[&str]) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + word.len()..).unwrap_or_default();
    let joined = word.is_ascii()
        && (before.ends_with(|c: char| c.is_ascii_alphanumeric())
            || after.starts_with(|c: char| c.is_ascii_alphanumeric()));
    !joined && !against.iter().any(|negation| ends_whole(before, negation))
}

/// Returns whether `before` ends in `word`, and a Latin word there is a whole one.
fn ends_whole(before: &str, word: &str) -> bool {
    before.strip_suffix(word).is_some_and(|head| {
        !word.is_ascii()
            || word.starts_with('n') && word.contains('\'')
            || !head.ends_with(|c: char| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_global(text: &str, expected: bool) {
        assert_eq!(declares_global(text), expected, "{text:?}");
    }

    #[test]
    fn every_project_must_be_said_in_so_many_words() {
        check_global("所有项目的提交信息都用英文", true);
        check_global("In every project, use tabs.", true);
        check_global("任何仓库都不要强推", true);
        check_global("这个项目用英文", false);
        check_global("所有接口必须鉴权", false);
        check_global("this is not in every project", false);
    }
}
