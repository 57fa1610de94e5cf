use super::*;

mod parallel;

/// One pair: the new sentence, the known one, and the reason by which they contradict each other, if they do.
type Case = (&'static str, &'static str, Option<Reason>);

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (new, old, expected) in cases {
        let found = compare(new, old);
        if found.as_ref().map(|found| found.reason) != *expected {
            wrong.push(format!("{new} | {old}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_same_subject_with_another_value_contradicts() {
    let value = Some(Reason::Value);
    check(&[
        ("前端开发端口改成 5180。", "前端开发端口 5173。", value),
        ("The API port is 9090 now.", "The API port is 8080.", value),
        ("日志保留三十天。", "日志保留 14 天。", value),
        ("超时改成 1500 毫秒", "超时 1 秒", value),
        (
            "数据库已经换成 DuckDB，SQLite 那套不用了。",
            "本项目数据库用 SQLite。",
            Some(Reason::Polarity),
        ),
        ("后端改用 Django。", "后端用 FastAPI 写。", value),
        ("Node 升级到 24", "Node 版本固定在 22", value),
        ("Node 版本升级到 24", "Node 版本固定在 22", value),
        (
            "Use Python 3.12 for the workers.",
            "Use Python 3.10 for the workers.",
            value,
        ),
        ("合并前要三个人评审。", "合并前要两个人评审。", value),
        (
            "Two approvals are needed before a merge.",
            "Three approvals are needed before a merge.",
            value,
        ),
        ("主分支叫 trunk。", "主分支叫 main。", value),
        (
            "发布脚本在 `tools/release.sh`",
            "发布脚本在 `scripts/release.sh`",
            value,
        ),
        (
            "Install dependencies with pnpm.",
            "Install dependencies with yarn.",
            value,
        ),
        ("缩进用 2 个空格", "缩进用 4 个空格", value),
        ("单行不超过 100 字符", "单行不超过 80 字符", value),
        (
            "We deploy from the `release` branch.",
            "We deploy from the `main` branch.",
            value,
        ),
        ("测试覆盖率不得低于 90%", "测试覆盖率不得低于 80%", value),
        (
            "Redis 的 key 前缀统一用 app2:",
            "Redis 的 key 前缀统一用 app:",
            value,
        ),
        (
            "We moved from Jest to Vitest for the web tests.",
            "Use Jest for the web tests.",
            value,
        ),
        ("会话存储从 Redis 换成 Valkey", "会话存储用 Redis", value),
    ]);
}

#[test]
fn the_opposite_contradicts() {
    let flipped = Some(Reason::Polarity);
    check(&[
        ("以后提交前不用跑 lint 了。", "提交前必须跑 lint。", flipped),
        (
            "可以直接推送到 main 分支。",
            "不要直接推送到 main 分支。",
            flipped,
        ),
        (
            "Push directly to main.",
            "Never push directly to main.",
            flipped,
        ),
        (
            "Don't squash commits when merging.",
            "Squash commits when merging.",
            flipped,
        ),
        (
            "新接口不需要写集成测试。",
            "新接口需要写集成测试。",
            flipped,
        ),
        (
            "允许在组件里写内联样式。",
            "禁止在组件里写内联样式。",
            flipped,
        ),
        (
            "Allow unwrap in library code.",
            "Do not allow unwrap in library code.",
            flipped,
        ),
    ]);
}

#[test]
fn a_thing_refused_contradicts_its_use() {
    let refused = Some(Reason::Refused);
    check(&[
        ("不用 Redis 了。", "会话存到 Redis。", refused),
        ("以后别用 yarn。", "装依赖用 yarn。", refused),
        (
            "No more Docker Compose.",
            "Local stack: Docker Compose, MinIO.",
            None,
        ),
        (
            "Do not use Docker Compose.",
            "Local stack: Docker Compose, MinIO.",
            refused,
        ),
    ]);
}

#[test]
fn one_kind_of_text_has_one_language() {
    let language = Some(Reason::Language);
    check(&[
        (
            "提交信息以后写中文。",
            "commit message 一律用英文，不加表情。",
            language,
        ),
        (
            "Write all code comments in Chinese from now on.",
            "Comments must be in English.",
            language,
        ),
        ("代码注释用英文。", "提交信息用中文。", None),
        ("回复用中文，注释用英文。", "回复一律用中文。", None),
        ("文档不要用英文写。", "文档用中文写。", None),
    ]);
}

#[test]
fn one_thing_lies_in_one_place() {
    let place = Some(Reason::Place);
    check(&[
        (
            "测试文件统一放在 `spec/` 目录。",
            "测试用例写到 checks 目录里，文件名随模块。",
            place,
        ),
        (
            "测试数据放在 fixtures/ 下。",
            "测试文件放在 tests/ 下。",
            None,
        ),
        (
            "Migrations live in `db/migrations`.",
            "Migrations are stored in `sql/`.",
            Some(Reason::Value),
        ),
    ]);
}

#[test]
fn what_is_to_be_left_undone_contradicts_doing_it() {
    let activity = Some(Reason::Activity);
    check(&[
        ("不要写测试。", "每个功能先写测试再写实现。", activity),
        (
            "We no longer write a changelog.",
            "A fix should add a note to CHANGELOG.md.",
            activity,
        ),
        ("不要运行测试，我自己来。", "每个功能都要写测试。", None),
        ("不要在测试里 sleep。", "每次提交前先跑测试。", None),
        ("改动不用再和我确认。", "改数据库前要先等我确认。", activity),
    ]);
}

#[test]
fn a_change_of_one_thing_leaves_another_alone() {
    check(&[
        ("前端开发端口改成 5180。", "后端超时 30 秒。", None),
        ("前端开发端口改成 5180。", "日志保留 14 天。", None),
        ("前端开发端口改成 5180。", "后端开发端口 8000。", None),
        ("订单服务监听 8001。", "支付服务监听 8002。", None),
        (
            "订单服务的日志写到 /var/log/orders，保留 14 天",
            "支付服务的日志写到 /var/log/pay，保留 30 天",
            None,
        ),
        (
            "The staging database runs on port 5433.",
            "The production database runs on port 5432.",
            None,
        ),
        (
            "The admin API listens on 9001.",
            "The public API listens on 9000.",
            None,
        ),
        ("`b.ts` 不许超过 400 行", "`a.ts` 不许超过 300 行", None),
        (
            "release/2.1 分支禁止直接推送",
            "release/2.0 分支禁止直接推送",
            None,
        ),
        ("单元测试用 vitest。", "端到端测试用 playwright。", None),
        ("iOS 最低支持 15", "Android 最低支持 9", None),
        ("Linux 下用 systemd 启动", "Windows 下用 nssm 启动", None),
        (
            "Read timeout is 5 seconds.",
            "Write timeout is 10 seconds.",
            None,
        ),
        ("重试 5 次", "超时 30 秒", None),
        ("用户表主键用 ULID", "订单表主键用自增整数", None),
        (
            "Use snake_case for columns.",
            "Use camelCase for JSON keys.",
            None,
        ),
        (
            "Format Python with ruff.",
            "Format TypeScript with prettier.",
            None,
        ),
        (
            "`core` must not import `web`.",
            "Use Jest for the web tests.",
            None,
        ),
        ("端口不要用 9000 了", "不要用 yarn", None),
        ("端口不要用 9000 了", "服务端口用 8000", None),
    ]);
}

#[test]
fn two_times_are_no_contradiction() {
    check(&[
        ("七月到九月由甲组值班。", "一月到三月由甲组值班。", None),
        ("七月到九月由甲组值班。", "一月到三月由乙组值班。", None),
        ("周末不发版。", "工作日可以发版。", None),
        (
            "Deploys are frozen in December.",
            "Deploys are open in March.",
            None,
        ),
    ]);
}

#[test]
fn other_words_for_the_same_are_no_contradiction() {
    check(&[
        ("提交前一定要跑 lint", "每次提交前必须先跑 lint。", None),
        (
            "Always run the linter before committing.",
            "Run lint before every commit.",
            None,
        ),
        ("不要把密钥提交到仓库。", "禁止提交密钥到仓库里。", None),
        (
            "Never commit secrets.",
            "Do not commit any secrets to the repository.",
            None,
        ),
        ("端口固定 8000。", "服务端口固定为 8000", None),
        ("Warnings: zero allowed.", "No warnings allowed.", None),
        ("Don't force push.", "Never force-push.", None),
        (
            "会话存 SQLite，不用 Redis。",
            "会话存到 SQLite，不再用 Redis。",
            None,
        ),
    ]);
}

#[test]
fn more_said_of_the_same_is_no_contradiction() {
    check(&[
        ("提交前跑 lint 和单元测试。", "提交前跑 lint。", None),
        ("Node 版本固定在 22.19", "Node 版本固定在 22", None),
        (
            "接口返回统一用 JSON，字段用 camelCase。",
            "接口返回统一用 JSON。",
            None,
        ),
        (
            "Support zh, en and ja in the UI.",
            "Support zh and en in the UI.",
            None,
        ),
        (
            "Never commit secrets, tokens or `.env` files.",
            "Never commit secrets.",
            None,
        ),
        (
            "禁止直接推送 main，紧急修复除外。",
            "禁止直接推送 main。",
            None,
        ),
        (
            "用 pnpm 装依赖，不要用 npm 或 yarn。",
            "用 pnpm 装依赖，不要用 npm。",
            None,
        ),
    ]);
}

#[test]
fn a_new_sentence_names_one_of_several() {
    let known = [
        "后端超时 30 秒。",
        "前端开发端口 5173。",
        "日志保留 14 天。",
    ];
    let found = detect("前端开发端口改成 5180。", known);
    assert_eq!(found.map(|found| found.at), Some(1));
    // Which port is meant cannot be told.
    let found = detect("端口改成 9000", ["前端端口 5173", "后端端口 8000"]);
    assert_eq!(found, None);
}

#[test]
fn what_both_say_is_told() {
    let found = compare("前端开发端口改成 5180。", "前端开发端口 5173。").unwrap();
    assert_eq!(found.shared, ["前端开发端口"]);
    let found = compare("The API port is 9090 now.", "The API port is 8080.").unwrap();
    assert_eq!(found.shared, ["api", "port"]);
}
