use super::*;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(words(text), expected, "{text}");
    let mut keys = Vec::new();
    tokens(text, &mut keys);
    assert_eq!(keys.len(), expected.len());
}

#[test]
fn han_text_gives_characters_and_pairs() {
    check("端口", &["端", "口", "端口"]);
    check(
        "日志目录",
        &["日", "志", "日志", "目", "志目", "录", "目录"],
    );
}

#[test]
fn polarity_and_function_words_divide_and_are_no_tokens() {
    check("端口不要用 9000 了", &["端", "口", "端口", "9000"]);
    check("不要用 yarn", &["yarn"]);
    check("Never use the yarn", &["yarn"]);
}

#[test]
fn words_about_something_are_not_divided() {
    check("用户", &["用", "户", "用户"]);
    check("调用", &["调", "用", "调用"]);
}

#[test]
fn latin_is_split_from_han_and_lower_cased() {
    check(
        "重跑sync-ledger后",
        &["重", "跑", "重跑", "sync-ledger", "sync", "ledger", "后"],
    );
    check(
        "修复见PR#77。",
        &["修", "复", "修复", "见", "复见", "pr#77", "pr", "77"],
    );
    check("端口８０００", &["端", "口", "端口", "8000"]);
}

#[test]
fn identifiers_give_the_whole_and_their_parts() {
    check("parseHTTPBody", &["parsehttpbody", "pars", "http", "bodi"]);
    check("MAX_RETRY", &["max_retry", "max", "retri"]);
    check("don't", &[]);
    check("src/app.ts", &["src/app.ts", "src", "app", "ts"]);
}

#[test]
fn share_counts_what_came_from_the_original() {
    assert_eq!(share("端口 8000", "服务端口用 8000"), 1.0);
    assert_eq!(share("", "x"), 0.0);
    assert_eq!(share("yarn", "pnpm"), 0.0);
}

#[test]
fn nothing_is_unbounded() {
    let mut keys = Vec::new();
    tokens(&"端口a".repeat(9_000), &mut keys);
    assert_eq!(keys.len(), TOKENS_MAX);
    assert!(
        words(&"x".repeat(10_000))
            .iter()
            .all(|w| w.len() <= WORD_BYTES_MAX + 4)
    );
}
