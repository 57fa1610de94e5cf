//! Words that tell how a sentence speaks of its subject: refusing, choosing, ruling, dating. Data only.
//!
//! A table is one text, a word between spaces, so that adding one is adding one. Chinese words are matched longest first;
//! English ones stand in lower case.

use crate::text::order;
use std::sync::LazyLock;

/// What a word of the tables does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Turns what follows into its opposite.
    Not,
    /// Turns what follows into its opposite, and not the clause: "A instead of B" chooses.
    Instead,
    /// Looks like a refusal and is none, or asks.
    Plain,
    /// Demands: the sentence is a rule.
    Must,
    /// Chooses; says nothing of the subject itself.
    Choose,
    /// Chooses, and says that something else held before.
    Change,
    /// Grammar, and words every rule has.
    Grammar,
    /// A natural language: the value of how comments, messages and answers are written.
    Language,
    /// A part of time: rules of two times do not meet.
    Period,
    /// One of several that stand side by side: rules about two of them do not meet.
    Sibling,
    /// Says that something lies somewhere.
    Place,
    /// Stands before the place.
    At,
}

/// Chinese, by role.
const CHINESE: &[(Role, &str)] = &[
    (
        Role::Not,
        "不要 不能 不用 不得 不准 不许 不可 不可以 不应 不应该 不再 不需要 不需 无需 无须 不必 禁止 严禁 请勿 切勿 勿 别 避免 杜绝 弃用 停用 废弃 \
         没有 不 别再 不要再 不能再 不用再 不允许 拒绝 取消",
    ),
    (
        Role::Plain,
        "不同 不仅 不但 不过 不断 不管 不论 不足 不少 不久 不变 不可变 不一致 不是 不止 不只 不限 不限于 区别 级别 类别 识别 分别 特别 别名 别处 别的 \
         会话 性能 功能 智能 通过 地址 规则 从库 主要 重要 需求 用户 应用 作用 通用 调用 引用 启用 禁用 复用 可用 费用 专用 占用 用例 用途 用法 存在 在线 现有 正在 是否 目的 其他 其它 参与 会员 机会 \
         能不能 是不是 要不要 会不会 该不该 可不可以 不得不 不会 取消按钮 左右",
    ),
    (Role::Instead, "而不是 而非 代替 替代 取代 从"),
    (
        Role::Must,
        "必须 务必 一律 统一 始终 总是 只能 只准 只许 应该 应当 应 需要 需 都要 每次 优先 强制 规定 要求 永远 请 先 才 等我 等你 等用户 一定 一定要 得 都 只 仅 均",
    ),
    (
        Role::Choose,
        "使用 采用 选用 设置为 设置成 设为 设成 \
         定为 定成 固定为 固定 保持 保持在 用 目前 当前 以后 今后 从今以后 继续 仍然 仍 还是 选择 选 走 那套 这套 直接 即可 就行 为准",
    ),
    (
        Role::Change,
        "改用 换成 换用 改成 改为 改到 改叫 改名 换为 换到 切换到 切换为 切到 迁移到 升级到 升级为 升到 升级 降到 调整为 调整到 调成 调到 提高到 降低到 缩短到 延长到 \
         变成 变为 已经 已 现在 从现在起 从现在开始",
    ),
    (
        Role::Grammar,
        "的 了 吧 是 在 把 和 与 及 以及 或 或者 并 并且 也 就 还 再 将 为 被 对 要 着 过 地 之 其 而 且 则 所有 全部 任何 每个 各个 一个 这个 那个 该 此 \
         本项目 这个项目 我们的 我们 咱们 我 你 他 本仓库 这里 等 等等 有 可 可以 会 能 呢 啊 嘛 如 比如 例如 时候",
    ),
    (
        Role::Language,
        "中文 英文 汉语 英语 日文 日语 繁体 简体 双语 简体中文 繁体中文 韩文",
    ),
    (
        Role::Period,
        "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月 周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五 星期六 星期日 \
         工作日 周末 上午 下午 晚上 夜间 白天 上半年 下半年 一季度 二季度 三季度 四季度 第一季度 第二季度 第三季度 第四季度 今年 明年 去年 本周 下周 上周 本月 下个月 上个月 今天 明天 节假日",
    ),
    (
        Role::Place,
        "放在 放到 写在 写到 写入 放进 存在 存到 存放 存放在 存储 存储在 保存 保存在 保存到 位于 输出到 归档到 放入 落在",
    ),
];

/// English, by role.
const ENGLISH: &[(Role, &str)] = &[
    (
        Role::Not,
        "not no never don't dont doesn't isn't aren't wasn't can't cannot won't shouldn't mustn't needn't avoid forbid forbids forbidden \
         disallow disallowed prohibited without zero stop nor neither none ban banned deprecated drop dropped",
    ),
    (Role::Instead, "instead rather from"),
    (
        Role::Must,
        "must always should shall only please strictly wait",
    ),
    (
        Role::Choose,
        "use uses using used keep set adopt adopted prefer prefers preferred \
         currently going forward still pick chose chosen choose",
    ),
    (
        Role::Change,
        "switch switched change changed changes move moved migrate migrated now anymore longer bump bumped upgrade upgraded raise raised lower lowered",
    ),
    (
        Role::Grammar,
        "a about all am an and any are as be been both by every each has have need needs is was were with via but can could did do does done either etc e.g for had how i it its just let's like make may me my of on or our \
         so such sure than that the their them then there these they this those to we what when where which while will would you your ensure also than it's example eg i.e \
         project repo repository here",
    ),
    (
        Role::Language,
        "english chinese japanese korean french german spanish mandarin",
    ),
    (
        Role::Period,
        "january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday \
         q1 q2 q3 q4 weekday weekdays weekend weekends morning afternoon evening night today tomorrow",
    ),
    (Role::At, "in under into at inside"),
    (
        Role::Place,
        "live lives located stored placed put store place saved save goes belong belongs",
    ),
];

/// When two members of a set, or one alone, are about another thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// Two members are; one alone may be the other sentence's thing, said more exactly.
    Both,
    /// One alone is, too, where it leads: what holds in production says nothing about the rest.
    Alone,
    /// One alone is, wherever it stands, unless the new sentence says that something changes: then it speaks of what is known.
    Unchanged,
}

/// Words that stand side by side: a row a set. Rules about two members of one set are about two things.
pub(super) const SIBLINGS: &[(Apart, &str)] = &[
    (
        Apart::Unchanged,
        "前端 后端 frontend backend front-end back-end 网关 gateway 移动端 小程序 定时任务 批处理 爬虫",
    ),
    (Apart::Both, "客户端 服务端 client server"),
    (
        Apart::Alone,
        "开发 本地 测试环境 预发 生产 线上 灰度 沙箱 dev development local staging prod production preprod sandbox canary",
    ),
    (Apart::Both, "单元测试 集成测试 端到端 unit e2e integration"),
    (Apart::Alone, "linux windows macos mac"),
    (Apart::Alone, "ios android"),
    (Apart::Both, "读 写 read write"),
    (Apart::Both, "请求 响应 request response"),
    (Apart::Both, "输入 输出 input output"),
    (Apart::Both, "上传 下载 upload download"),
    (Apart::Both, "最大 最小 max min maximum minimum"),
    (Apart::Both, "上限 下限 upper lower"),
    (Apart::Both, "用户 管理员 user admin"),
    (Apart::Both, "主库 从库 primary replica"),
    (Apart::Both, "内网 外网 internal external"),
    (Apart::Both, "上行 下行 左 右 left right"),
    (Apart::Both, "开始 结束 start end"),
    (Apart::Both, "public private"),
    (Apart::Both, "http https grpc websocket"),
    (Apart::Alone, LANGUAGES),
];

/// Languages that code is written in: where one is chosen it is a value, else it says which code is meant.
pub(super) const LANGUAGES: &str = "js ts css html javascript typescript python rust golang java";

/// Verbs right before what is chosen; other words of choice say when or how much.
pub(super) const CHOOSING: &str = "用 使用 采用 选用 选择 选 改用 换成 换用 改成 改为 换为 换到 切换到 切换为 切到 迁移到 use uses using used adopt adopted prefer prefers preferred pick chose chosen choose switch switched change changed move moved migrate migrated";

/// Members of a set that are meant where none is named.
pub(super) const MEANT: &str = "开发 本地 dev development local";

/// Technology that takes the place of its like: a row a kind. One of another kind takes no place of it.
pub(super) const FAMILIES: &[&str] = &[
    "npm yarn pnpm bun pip poetry uv conda cargo maven gradle",
    "jest vitest mocha jasmine pytest junit unittest",
    "playwright cypress puppeteer selenium",
    "eslint oxlint biome ruff clippy pylint flake8 prettier black rustfmt gofmt",
    "vite webpack rollup esbuild parcel rspack rsbuild swc",
    "postgres postgresql mysql sqlite mariadb duckdb mongo mongodb cockroachdb clickhouse oracle",
    "react vue svelte angular solid next.js nextjs nuxt astro",
    "django flask fastapi express koa nestjs hono spring springboot rails laravel gin axum actix",
    "docker podman",
    "nginx caddy haproxy traefik envoy",
    "jenkins circleci buildkite",
    "node node.js nodejs deno python rust golang go java kotlin ruby php typescript javascript",
];

/// Words that bind a sentence to this once.
pub(super) const PASSING: &[&str] = &[
    "for now",
    "this time",
    "just ",
    "temporar",
    "try ",
    "once",
    "for the moment",
    "meanwhile",
    "试",
    "这次",
    "这一次",
    "本次",
    "先",
    "暂时",
    "临时",
    "一会",
];

/// What may be written in one language or another: a row a topic.
pub(super) const TOPICS: &[&str] = &[
    "注释 comment comments docstring docstrings",
    "提交 commit commits",
    "回复 回答 交流 沟通 对话 答复 reply replies answer answers respond responses response communicate communication talk",
    "文档 doc docs documentation readme",
    "日志 log logs",
    "变量 变量名 命名 variable variables identifier identifiers naming names",
    "界面 文案 ui copy label labels",
    "描述 pr 标题 title titles description descriptions",
    "changelog 变更日志 release",
    "报错 错误信息 error errors",
];

/// What is made or left undone: a row an activity.
pub(super) const ACTIVITIES: &[&str] = &[
    "测试 test tests",
    "注释 comment comments",
    "changelog 变更日志",
    "文档 documentation docs",
    "确认 confirm confirmation approval",
    "截图 screenshot screenshots",
    "总结 summary summaries",
];

/// Verbs that bring something into being.
pub(super) const MAKING: &str = "写 编写 加 添加 新增 生成 创建 做 建 设计 补 改 编辑 更新 edit add write create generate produce update make include";

/// Verbs that need something to be there.
pub(super) const RUNNING: &str = "跑 运行 执行 run ask";

/// Words that change nothing between a refusal and an activity.
pub(super) const LIGHT: &str = "再次 再 来 去 额外 向 我 与 new any extra ever line";

/// Nouns that say nothing about which thing is meant.
pub(super) const HOLLOW: &str =
    "文件 代码 用例 目录 内容 子目录 对应 下 里 中 file files code case cases folder directory";

/// Measures: a number before one counts, and a Chinese number only there.
const MEASURES: &str = "毫秒 秒 秒钟 分钟 小时 天 日 周 个月 年 次 行 个 人 位 名 条 页 列 字 字符 空格 倍 份 台 层 级 版 路 核 层级 遍 轮 ms s sec secs second seconds minute minutes min mins hour hours h day days week weeks month months year years times lines line chars characters spaces px mb gb kb tb m g k % rem em columns reviewers approvals retries attempts";

/// English numbers from two: `one` is as often an article.
pub(super) const NUMBERS: &str = "two three four five six seven eight nine ten eleven twelve";

/// A table in order of its words.
type Table = Vec<(&'static str, Role)>;

static ROLES: LazyLock<(Table, Table)> = LazyLock::new(|| {
    let of = |rows: &'static [(Role, &'static str)], siblings: bool| {
        let mut table: Table = rows
            .iter()
            .flat_map(|(role, words)| words.split_whitespace().map(|word| (word, *role)))
            .collect();
        let others = SIBLINGS.iter().flat_map(|(_, row)| row.split(' '));
        table.extend(
            others
                .filter(|word| word.is_ascii() != siblings)
                .map(|word| (word, Role::Sibling)),
        );
        order::sort(&mut table);
        table
    };
    (of(CHINESE, true), of(ENGLISH, false))
});

/// Returns what a Chinese word does.
pub(super) fn chinese(word: &str) -> Option<Role> {
    find(&ROLES.0, word)
}

/// Returns what a lower-case English word does.
pub(super) fn english(word: &str) -> Option<Role> {
    find(&ROLES.1, word)
}

fn find(table: &Table, word: &str) -> Option<Role> {
    let at = table.partition_point(|(known, _)| *known < word);
    table
        .get(at)
        .filter(|(known, _)| *known == word)
        .map(|(_, role)| *role)
}

/// Returns whether `word` is a measure.
pub(super) fn is_measure(word: &str) -> bool {
    static TABLE: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let mut table: Vec<&str> = MEASURES.split_whitespace().collect();
        order::sort(&mut table);
        table
    });
    let at = TABLE.partition_point(|known| *known < word);
    TABLE.get(at).is_some_and(|known| *known == word)
}

/// Returns whether `word` stands in a table of words.
pub(super) fn has(table: &str, word: &str) -> bool {
    !word.is_empty() && table.split_whitespace().any(|known| known == word)
}

/// Returns the row of `rows` that holds `word`.
pub(super) fn row(rows: &[&str], word: &str) -> Option<usize> {
    rows.iter().position(|row| has(row, word))
}

/// Returns the set of [`SIBLINGS`] that holds `word`.
pub(super) fn siblings(word: &str) -> Option<usize> {
    SIBLINGS.iter().position(|(_, row)| has(row, word))
}
