//! The gates of the canonical form, on pairs of a sentence and a restatement of it.

use jev_memory_core::canonical::{SHARE_MIN, restated};

/// Restatements that add nothing and lose nothing.
const TIDY: &[(&str, &str)] = &[
    (
        "嗯那个啥就是端口别乱改啊定了 8000",
        "端口固定为 8000，不得随意更改。",
    ),
    (
        "以后提交信息都写英文哈，别用中文了",
        "提交信息一律写英文，不用中文。",
    ),
    (
        "那个，咱们还是用 pnpm 吧，npm 太慢",
        "项目使用 pnpm，因为 npm 太慢。",
    ),
    (
        "测试跑之前一定得先起 redis 啊不然全挂",
        "跑测试之前必须先启动 redis，不然会全挂。",
    ),
    (
        "我是说 vendor/ 目录里的东西谁都别动",
        "vendor/ 目录里的东西不得改动。",
    ),
    ("日志嘛保留 14 天就行了", "日志保留 14 天。"),
    ("评审怎么也得两个人点头才能合", "合并需要两个人评审点头。"),
    (
        "数据库就定 SQLite 了，别再提 Postgres",
        "数据库定为 SQLite，不再考虑 Postgres。",
    ),
    ("呃接口返回一律 snake_case", "接口返回一律使用 snake_case。"),
    (
        "上线都放在周二，周五千万别发",
        "上线安排在周二，周五不发布。",
    ),
    (
        "我这台机器是 arm 的，x86 的镜像跑不起来",
        "用户的机器是 arm，x86 镜像跑不起来。",
    ),
    (
        "um so basically always run make lint before you commit ok",
        "make lint is always run before a commit.",
    ),
    (
        "please please never push to main directly",
        "Pushing to main directly is never done.",
    ),
    (
        "I prefer tabs over spaces, like, everywhere",
        "The user prefers tabs over spaces everywhere.",
    ),
    (
        "we're on Node 22 now, so nothing that needs 24",
        "The project is on Node 22, so nothing may need 24.",
    ),
    (
        "heads up the staging box is called heron",
        "The staging box is called heron.",
    ),
    (
        "don't touch the generated files in dist/ by hand",
        "Generated files in dist/ are not touched by hand.",
    ),
    (
        "for the record the API timeout is 30s",
        "The API timeout is 30s.",
    ),
    (
        "tests with a real clock flake on CI so use the fake one",
        "Tests use the fake clock, since a real clock flakes on CI.",
    ),
];

/// Restatements that invent, explain, advise or turn around.
const INVENTED: &[(&str, &str, &str)] = &[
    (
        "嗯那个啥就是端口别乱改啊定了 8000",
        "服务端口已确定，建议在部署文档中补充说明，并通知运维团队更新防火墙与负载均衡配置以避免冲突。",
        "share",
    ),
    (
        "嗯那个啥就是端口别乱改啊定了 8000",
        "端口定了 8080，不要乱改。",
        "facts",
    ),
    (
        "以后提交信息都写英文哈，别用中文了",
        "团队采用国际化协作规范，从而提升跨地区沟通效率与代码可维护性。",
        "share",
    ),
    (
        "日志嘛保留 14 天就行了",
        "为满足合规审计要求，系统应定期归档并清理历史数据，下一步配置轮转策略。",
        "share",
    ),
    ("日志嘛保留 14 天就行了", "日志保留 30 天。", "facts"),
    ("日志嘛保留 14 天就行了", "日志长期保留。", "facts"),
    (
        "评审怎么也得两个人点头才能合",
        "代码质量是工程文化的基石，因此应当建立完善的流程。",
        "share",
    ),
    ("数据库就定 SQLite 了", "数据库不使用 SQLite。", "facts"),
    (
        "um so basically always run make lint before you commit ok",
        "To improve quality, the team adopted continuous integration with automated checks and should next configure hooks.",
        "share",
    ),
    (
        "please please never push to main directly",
        "Pushing to main directly is the way to go.",
        "facts",
    ),
    (
        "I prefer tabs over spaces, like, everywhere",
        "Consistent formatting reduces cognitive load; consider adding an EditorConfig file next.",
        "share",
    ),
    (
        "heads up the staging box is called heron",
        "The staging box is called heron.internal.",
        "facts",
    ),
    (
        "heads up the staging box is called heron",
        "- The staging box is called heron.",
        "form",
    ),
    (
        "heads up the staging box is called heron",
        "The staging box is called heron.\nIt should be documented.",
        "form",
    ),
    ("heads up the staging box is called heron", "", "form"),
    (
        "for the record the API timeout is 30s",
        "What should the API timeout be?",
        "form",
    ),
];

#[test]
fn a_tidy_restatement_passes_every_gate() {
    for (original, form) in TIDY {
        let restated = restated(form, original);
        assert_eq!(restated.refused, None, "{form} ({:.2})", restated.share);
    }
}

#[test]
fn an_invention_is_dropped_by_the_gate_that_sees_it() {
    for (original, form, gate) in INVENTED {
        let restated = restated(form, original);
        assert_eq!(
            restated.refused,
            Some(*gate),
            "{form} ({:.2})",
            restated.share
        );
    }
}

#[test]
fn the_threshold_lies_between_what_was_measured() {
    let least = TIDY
        .iter()
        .map(|(original, form)| restated(form, original).share)
        .fold(1.0, f64::min);
    let most = INVENTED
        .iter()
        .filter(|(_, _, gate)| *gate == "share")
        .map(|(original, form, _)| restated(form, original).share)
        .fold(0.0, f64::max);
    assert!(
        most < SHARE_MIN && SHARE_MIN < least,
        "inventions up to {most:.2}, restatements from {least:.2}"
    );
    assert!(TIDY.len() + INVENTED.len() >= 20);
}
