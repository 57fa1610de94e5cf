use super::*;
use proptest::prelude::*;

fn index(texts: &[&str]) -> Index {
    let mut index = Index::new();
    for (doc, text) in (0u32..).zip(texts) {
        assert!(index.insert(doc, text));
    }
    index
}

fn check(texts: &[&str], query: &str, expected: &[u32]) {
    let index = index(texts);
    let hits = index.search(query, 10, &|_| true);
    let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
    assert_eq!(docs, expected, "{query}");
    let mut relevance = Relevance::default();
    index.relevance(query, &mut relevance);
    for hit in hits {
        assert_eq!(relevance.scores[hit.doc as usize], hit.score);
        assert_eq!(index.explain(hit.doc, query).score, hit.score);
        assert!((0.0..=1.0).contains(&relevance.share(hit.doc)));
    }
}

const NOTES: [&str; 3] = [
    "重跑sync-ledger后再对账，修复见PR#77。",
    "前端只用 pnpm，不要用 npm",
    "Timestamps are stored in UTC",
];

#[test]
fn identifiers_glued_to_han_text_are_found() {
    for query in ["sync-ledger", "ledger", "PR#77", "对账"] {
        check(&NOTES, query, &[0]);
    }
}

#[test]
fn other_forms_of_an_english_word_are_found() {
    check(&NOTES, "store the timestamp", &[2]);
}

#[test]
fn polarity_alone_matches_nothing() {
    check(&NOTES, "不要用", &[]);
}

#[test]
fn the_subject_outranks_the_polarity_in_a_store_of_two() {
    check(
        &["不要用 yarn", "服务端口用 8000"],
        "端口不要用 9000 了",
        &[1],
    );
}

#[test]
fn the_subject_outranks_the_polarity_in_a_store_of_a_thousand() {
    let mut texts = vec!["不要用 yarn".to_owned(), "服务端口用 8000".to_owned()];
    texts.extend((2..1_000).map(|i| format!("模块{i}不要用旧接口{i}了")));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let hits = index(&texts).search("端口不要用 9000 了", 1_000, &|_| true);
    let place = |doc| hits.iter().position(|hit| hit.doc == doc);
    assert_eq!(place(1), Some(0));
    assert_eq!(place(0), None);
}

#[test]
fn a_filter_and_a_limit_hold_in_both_plans() {
    for n in [50u32, 3_000] {
        let mut index = Index::new();
        for doc in 0..n {
            index.insert(doc, &format!("端口 {doc}"));
        }
        let hits = index.search("端口", 5, &|doc| doc % 7 == 3);
        let docs: Vec<u32> = hits.iter().map(|hit| hit.doc).collect();
        assert_eq!(docs, [3, 10, 17, 24, 31]);
        assert!(index.search("端口", 0, &|_| true).is_empty());
    }
}

#[test]
fn a_document_past_the_limit_is_refused() {
    let mut index = Index::new();
    assert!(!index.insert(DOCS_MAX, "端口"));
    assert!(index.is_empty());
}

#[test]
fn long_texts_and_many_repeats_saturate() {
    let mut index = Index::new();
    index.insert(0, &"端口 ".repeat(2_000));
    index.insert(1, "端口");
    assert_eq!(index.search("端口", 2, &|_| true).len(), 2);
    assert!(index.remove(0) && !index.remove(0));
    assert_eq!(index.len(), 1);
}

/// Everything two indexes can answer about a vocabulary of short words.
fn answers(index: &Index) -> Vec<Vec<Hit>> {
    let queries = ["a1", "b2 c3", "端口 日志", "d4 a1 目录", "口", "e5 f6 g7"];
    let mut out: Vec<_> = queries
        .iter()
        .map(|query| index.search(query, 50, &|_| true))
        .collect();
    out.push(vec![Hit {
        doc: index.len() as u32,
        score: index.postings.average_length(),
    }]);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn an_index_with_removals_answers_as_one_built_anew(
        steps in prop::collection::vec((0u32..40, prop::option::of("(a1|b2|c3|d4|e5|f6|g7|端口|日志|目录| ){0,12}")), 1..120)
    ) {
        let mut lived = Index::new();
        let mut left = std::collections::BTreeMap::new();
        for (doc, text) in steps {
            match text {
                Some(text) => {
                    lived.insert(doc, &text);
                    left.insert(doc, text);
                }
                None => {
                    prop_assert_eq!(lived.remove(doc), left.remove(&doc).is_some());
                }
            }
        }
        let mut anew = Index::new();
        for (doc, text) in &left {
            anew.insert(*doc, text);
        }
        prop_assert_eq!(answers(&lived), answers(&anew));
    }
}
