//! Two rules about two things with one head noun go well together; a change of one thing is found.

use crate::conflict::{compare, detect};

/// Sentences about two things: neither contradicts the other.
const PARALLEL: &[(&str, &str)] = &[
    // A service or a part before the head noun, named in another kind of word.
    ("API 端口固定 8000。", "前端端口固定 3000。"),
    ("网页服务监听 3000 端口。", "API 服务监听 8000 端口。"),
    ("Grafana 端口固定 3001。", "接口文档端口固定 3002。"),
    (
        "The API server listens on port 8000.",
        "The web server listens on port 3000.",
    ),
    (
        "The API port is always 8000.",
        "The admin panel's port is always 3000.",
    ),
    (
        "Use port 8000 for the API.",
        "Use port 3000 for the web app.",
    ),
    ("`auth` 的超时是 30 秒。", "`billing` 的超时是 10 秒。"),
    (
        "`auth` times out after 30 seconds.",
        "`billing` times out after 10 seconds.",
    ),
    (
        "The auth service has a timeout of 5 s.",
        "The search service has a timeout of 20 s.",
    ),
    ("支付回调超时 10 秒。", "订单查询超时 3 秒。"),
    (
        "The `auth` service is written in Go.",
        "The `billing` service is written in Rust.",
    ),
    ("API 不要直接连 Redis。", "worker 直接连 Redis。"),
    // One names a part that the other is not.
    ("API 网关超时 60 秒。", "API 超时 10 秒。"),
    ("前端 Node 版本固定 20。", "Node 版本固定 22。"),
    // Tools: whose port, whose version, which kind of tool.
    ("Redis 端口 6379。", "Postgres 端口 5432。"),
    (
        "Redis listens on port 6379.",
        "Postgres listens on port 5432.",
    ),
    ("Python 版本固定 3.12。", "Node 版本固定 22。"),
    ("CI 里用 pnpm。", "CI 里用 vitest。"),
    ("The web app uses React.", "The web app uses Vite."),
    ("格式化工具用 prettier。", "Lint 工具用 eslint。"),
    ("The formatter is prettier.", "The linter is eslint."),
    // Environments, platforms.
    ("生产数据库用 Postgres。", "测试环境数据库用 SQLite。"),
    ("生产环境日志级别是 warn。", "日志级别是 debug。"),
    ("In production the pool size is 50.", "The pool size is 10."),
    (
        "Staging keeps logs for 3 days.",
        "Logs are kept for 30 days.",
    ),
    ("Windows 下超时 60 秒。", "超时 20 秒。"),
    (
        "On macOS the build uses clang 17.",
        "The build uses clang 15.",
    ),
    ("Android 构建用 JDK 17。", "后端构建用 JDK 21。"),
    // Languages and kinds of file.
    ("Python 缩进用 4 个空格。", "TypeScript 缩进用 2 个空格。"),
    ("Rust 代码行宽 100 字符。", "行宽 80 字符。"),
    ("`*.py` 行宽 100 字符。", "`*.ts` 行宽 80 字符。"),
    (
        "Indent Go files with 8 spaces.",
        "Indent YAML files with 2 spaces.",
    ),
    (
        "SQL 文件用 utf-8 编码，缩进 2 个空格。",
        "Makefile 缩进 8 个空格。",
    ),
    // Branches, roles, teams.
    ("`main` 分支要 2 人评审。", "`release` 分支要 3 人评审。"),
    (
        "The `main` branch needs two approvals.",
        "The `hotfix` branch needs three approvals.",
    ),
    ("管理员会话 30 分钟过期。", "访客会话 10 分钟过期。"),
    ("Admins may upload 50 MB.", "Guests may upload 5 MB."),
    ("平台组用 Jira 管需求。", "算法组用 Linear 管需求。"),
    (
        "The platform team deploys on Tuesday.",
        "The data team deploys on Thursday.",
    ),
    // Directories, versions, numbered things.
    ("上传目录是 `/data/up`。", "日志目录是 `/data/log`。"),
    (
        "The upload directory is `/srv/up`.",
        "The cache directory is `/srv/cache`.",
    ),
    ("v1 接口限流每秒 100 次。", "v2 接口限流每秒 500 次。"),
    ("1 号机监听 8001 端口。", "2 号机监听 8002 端口。"),
    ("`node1` 监听 8001。", "`node2` 监听 8002。"),
    (
        "对 API 来说，端口固定 8000。",
        "对前端来说，端口固定 3000。",
    ),
    ("重试间隔 5 秒。", "心跳间隔 30 秒。"),
    ("Max retries: 5.", "Max connections: 20."),
];

/// One thing, said anew: the new sentence, then the known one.
const CHANGED: &[(&str, &str)] = &[
    ("API 端口改成 9000。", "API 端口固定 8000。"),
    ("端口改成 9000", "API 端口固定 8000。"),
    ("端口改成 9000", "前端开发端口 5173。"),
    ("超时改成 60 秒", "订单服务超时 30 秒。"),
    ("前端端口改成 9000。", "端口固定 8000。"),
    ("API 网关超时改为 60 秒。", "API 网关超时 10 秒。"),
    ("API 端口现在是 9000。", "API 服务端口固定 8000。"),
    (
        "Change the port to 9000 from now on.",
        "The API server listens on port 8000.",
    ),
    (
        "The API port is 9090 now.",
        "The API server listens on port 8000.",
    ),
    ("the API port is 9090 now", "API port: 8000"),
    (
        "The web server listens on port 3001.",
        "The web server listens on port 3000.",
    ),
    ("The port moved to 9000.", "The port is 8000."),
    ("Use port 9000 for the API.", "The API uses port 8000."),
    ("`auth` 的超时改成 10 秒。", "`auth` 的超时是 30 秒。"),
    ("Redis 端口改到 6380。", "Redis 端口 6379。"),
    ("Node 版本升级到 24。", "Node 版本固定 22。"),
    ("Python is 3.13 now.", "Python is pinned to 3.11."),
    ("CI 改用 pnpm。", "CI 用 npm。"),
    ("测试改用 vitest。", "测试用 jest。"),
    ("The web app uses Svelte now.", "The web app uses React."),
    ("后端改用 Rust 写。", "后端用 Python 写。"),
    ("Use Rust for the workers.", "Use Python for the workers."),
    ("生产数据库换成 MySQL 8。", "生产数据库用 PostgreSQL 15。"),
    ("生产环境日志级别改成 error。", "生产环境日志级别是 warn。"),
    (
        "In production the pool size is 80 now.",
        "In production the pool size is 50.",
    ),
    ("Python 缩进改成 2 个空格。", "Python 缩进用 4 个空格。"),
    ("行宽改成 120 字符。", "行宽 80 字符。"),
    ("`main` 分支改成 1 人评审。", "`main` 分支要 2 人评审。"),
    (
        "The `main` branch needs one approval now, not two approvals.",
        "The `main` branch needs two approvals.",
    ),
    ("管理员会话改成 60 分钟过期。", "管理员会话 30 分钟过期。"),
    ("Admins may upload 100 MB now.", "Admins may upload 50 MB."),
    ("上传目录改到 `/srv/up`。", "上传目录是 `/data/up`。"),
    (
        "The upload directory is `/data/up` now.",
        "The upload directory is `/srv/up`.",
    ),
    ("v2 接口限流改成每秒 800 次。", "v2 接口限流每秒 500 次。"),
    ("日志保留改为 7 天。", "日志默认保留 14 天。"),
    (
        "Logs are kept for 7 days now.",
        "Logs are kept for 30 days.",
    ),
    ("缓存时间缩短到 60 秒。", "缓存时间 300 秒。"),
    (
        "Raise the upload limit to 20 MB.",
        "The upload limit is 5 MB.",
    ),
];

#[test]
fn rules_about_two_things_with_one_head_noun_go_together() {
    let both = |(one, other): &(&'static str, &'static str)| {
        [(*one, *other), (*other, *one)]
            .into_iter()
            .filter_map(|(new, old)| Some((new, old, compare(new, old)?)))
            .collect::<Vec<_>>()
    };
    let wrong: Vec<_> = PARALLEL.iter().flat_map(both).collect();
    assert!(wrong.is_empty(), "\n{wrong:#?}");
}

#[test]
fn a_change_of_one_thing_is_found() {
    let missed: Vec<_> = CHANGED
        .iter()
        .filter(|(new, old)| compare(new, old).is_none())
        .collect();
    assert!(missed.is_empty(), "\n{missed:#?}");
}

#[test]
fn a_change_names_its_own_record_among_all_the_others() {
    let parallel = PARALLEL.iter().flat_map(|(one, other)| [*one, *other]);
    let others: Vec<&str> = parallel.collect();
    let mut wrong = Vec::new();
    for (new, old) in CHANGED {
        // What says nothing of its own of which thing it means has no record of its own there.
        let known: Vec<&str> = others
            .iter()
            .copied()
            .filter(|other| compare(new, other).is_none())
            .chain([*old])
            .collect();
        if detect(new, known.iter().copied()).map(|found| found.at) != Some(known.len() - 1) {
            wrong.push((new, old));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong:#?}");
}

#[test]
fn a_change_that_fits_two_things_names_neither() {
    for (new, known) in [
        (
            "端口改成 9000",
            ["API 端口固定 8000。", "前端开发端口固定 3000。"],
        ),
        (
            "Change the port to 9000 from now on.",
            [
                "The API server listens on port 8000.",
                "The web server listens on port 3000.",
            ],
        ),
        (
            "超时改成 5 秒",
            ["`auth` 的超时是 30 秒。", "`billing` 的超时是 10 秒。"],
        ),
        (
            "版本升级到 24",
            ["Node 版本固定 22。", "Python 版本固定 3.12。"],
        ),
    ] {
        assert_eq!(detect(new, known), None, "{new}");
        for old in known {
            assert!(detect(new, [old]).is_some(), "{new} | {old}");
        }
    }
}
