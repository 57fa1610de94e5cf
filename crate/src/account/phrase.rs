//! Every sentence a person is told, in English and in Chinese. Values stand at `{0}` ….

use super::Phrase;

/// A memory with a time: the first day it holds, and the last.
pub const FROM: Phrase = ["{0} (from {1})", "{0}（{1} 起）"];
pub const UNTIL: Phrase = ["{0} (until {1})", "{0}（{1} 止）"];
pub const BETWEEN: Phrase = ["{0} ({1} to {2})", "{0}（{1} 至 {2}）"];

/// In the order active, needs-review, superseded, archived.
pub const STATUS: [Phrase; 4] = [
    ["active", "生效"],
    ["waits for your answer", "等你确认"],
    ["superseded", "已被取代"],
    ["archived", "已归档"],
];

/// What happened to a memory.
pub mod event {
    use super::Phrase;

    pub const HEARD: Phrase = [
        "said in session {0}, turn {1}, event {2}",
        "在会话 {0} 第 {1} 回合第 {2} 个事件说出",
    ];
    pub const SEEN: Phrase = [
        "failed in session {0}, turn {1}, event {2}",
        "在会话 {0} 第 {1} 回合第 {2} 个事件失败",
    ];
    pub const ADMITTED: Phrase = [
        "judged by {0}: {1}, needed {2}: admitted",
        "由 {0} 判定：{1}，阈值 {2}，通过",
    ];
    pub const REFUSED: Phrase = [
        "judged by {0}: {1}, needed {2}: refused",
        "由 {0} 判定：{1}，阈值 {2}，未通过",
    ];
    pub const WRITTEN: Phrase = ["written as {0}, by {1}", "写入，状态 {0}，来自 {1}"];
    pub const EDITED: Phrase = ["edited by hand: {0}", "被手工修改：{0}"];
    pub const STATUS: Phrase = ["became {0} ({1})", "变为 {0}（{1}）"];
    pub const SUPERSEDED: Phrase = ["superseded by {0}", "被 {0} 取代"];
    pub const SUPERSEDES: Phrase = ["took the place of {0}", "取代了 {0}"];
    pub const RESTATED: Phrase = ["restated: {0}", "得到规范形式：{0}"];
    pub const HELD: Phrase = ["found to contradict {0} ({1})", "与 {0} 矛盾（{1}）"];
    pub const ASKED: Phrase = [
        "asked about, against {0}, card {1}",
        "就它与 {0} 的矛盾询问，第 {1} 次",
    ];
    pub const ANSWERED: Phrase = ["answered: {0}", "回答：{0}"];
    pub const FORGOTTEN: Phrase = ["forgotten, by {0}", "被遗忘，来自 {0}"];
    pub const FAILED: Phrase = [
        "failed, {0} so far, session {1}",
        "失败，累计 {0} 次，会话 {1}",
    ];
    pub const SAID_AGAIN: Phrase = [
        "came again, not kept twice ({0}), session {1}",
        "再次出现，未重复记录（{0}），会话 {1}",
    ];
    pub const FORM_KEPT: Phrase = [
        "a restatement passed its gates, share {0}",
        "规范形式通过检验，占比 {0}",
    ];
    pub const FORM_DROPPED: Phrase = [
        "a restatement was dropped, share {0}",
        "规范形式未通过检验，占比 {0}",
    ];
}

/// A memory's receipt.
pub mod receipt {
    use super::Phrase;

    pub const STATE: Phrase = ["{0} · {1} · importance {2}", "{0} · {1} · 重要度 {2}"];
    pub const QUOTE: Phrase = ["as it was said: {0}", "原话：{0}"];
    pub const CANONICAL: Phrase = ["restated: {0}", "规范形式：{0}"];
    pub const WAY_OUT: Phrase = ["what worked then: {0}", "当时可行的做法：{0}"];
    pub const REPLACES: Phrase = ["replaces {0}", "取代了 {0}"];
    pub const REPLACED_BY: Phrase = ["replaced by {0}", "被 {0} 取代"];
    pub const DIFFERS: Phrase = ["kept beside {0}, which differs", "与有出入的 {0} 并存"];
    pub const GONE: Phrase = [
        "{0} was forgotten on {1}, by {2}; nothing of its content is left",
        "{0} 已于 {1} 被遗忘（{2}），内容已全部清除",
    ];
    pub const HAPPENED: Phrase = ["What happened:", "经过："];
    pub const MORE_EVENTS: Phrase = ["… and {0} more rows", "……另有 {0} 行"];
    pub const NEVER_SHOWN: Phrase = ["Never shown to a model.", "从未给模型看过。"];
    pub const SHOWN: Phrase = [
        "Shown to a model, blocks: {0}, sessions: {1}.",
        "给模型看过：{1} 个会话，{0} 次注入：",
    ];
    pub const SHOWN_IN: Phrase = [
        "session {0}: blocks {1}, {2} to {3}, last in turn {4}; tokens of that block: {5}, score {6}",
        "会话 {0}：{1} 次，{2} 至 {3}，最后在第 {4} 回合；那次共 {5} 个 token，得分 {6}",
    ];
}

/// Why something was not kept.
pub mod why {
    use super::Phrase;

    pub const NOTHING_REFUSED: Phrase = ["Nothing was refused so far.", "目前没有拒绝过任何句子。"];
    pub const NOTHING_SAID: Phrase = [
        "No sentence like “{0}” was read. It may be from a session that was not read (a delegated one, or before the plugin was mounted), or while judging was off; or its words were never written down, as for a secret. Fewer or other words may find it.",
        "没有读到与“{0}”相近的句子。它可能出自没有读取的会话（委派的子会话，或插件挂载之前），或当时判定关闭；也可能像秘密那样从未落盘。换几个词或少用几个词再试。",
    ];
    pub const SENTENCE: Phrase = [
        "“{0}” ({1}, session {2}, turn {3})",
        "“{0}”（{1}，会话 {2}，第 {3} 回合）",
    ];
    pub const BECAUSE: Phrase = ["not kept: {0} [{1}{2}]", "没有记住：{0}［{1}{2}］"];
    pub const SCORE: Phrase = ["score by {0}: {1}, needed {2}", "{0} 评分：{1}，阈值 {2}"];
    pub const CHANGE: Phrase = ["what would change it: {0}", "怎样才会记住：{0}"];
    pub const KNOWN: Phrase = ["it is this one: {0}", "就是这一条：{0}"];
    pub const KEPT: Phrase = ["it was kept, and is {1}: {0}", "已经记住，状态：{1}：{0}"];
    pub const GONE: Phrase = [
        "it was admitted, and is not remembered now",
        "曾通过判定，现在已不在",
    ];
    pub const MORE: Phrase = [
        "… and {0} more; more words narrow it down",
        "……另有 {0} 条；多给几个词可以缩小范围",
    ];
    pub const WORDLESS: Phrase = [
        "Refused without a trace of their words:",
        "以下没有留下原话：",
    ];
    pub const WORDLESS_ONE: Phrase = ["{0} × {1} → {2} [{3}]", "{0} × {1} → {2}［{3}］"];
}

/// Figures.
pub mod stats {
    use super::Phrase;

    pub const EMPTY: Phrase = [
        "The ledger is empty: nothing was read yet.",
        "台账为空：还没有读取过任何内容。",
    ];
    pub const SPAN: Phrase = [
        "From {0} to {1}. Turns read: {2}, sessions: {3}.",
        "{0} 至 {1}：{3} 个会话，{2} 个回合。",
    ];
    pub const WRITTEN: Phrase = [
        "Written: {0} (by judge: {1}; by type: {2})",
        "写入：{0}（按判定者：{1}；按类型：{2}）",
    ];
    pub const JUDGED: Phrase = [
        "Judged: {0}; admitted of judged: {1}",
        "判定：{0}；通过/判定：{1}",
    ];
    pub const SKIPPED: Phrase = ["Not kept: {0}", "没有记住：{0}"];
    pub const SKIPPED_ONE: Phrase = ["{0} × {1}: {2}", "{0} × {1}：{2}"];
    pub const FORGOTTEN: Phrase = ["Forgotten: {0} ({1})", "遗忘：{0}（{1}）"];
    pub const CONFLICTS: Phrase = ["Contradictions found: {0}", "发现矛盾：{0}"];
    pub const CONFLICT: Phrase = [
        "{0}: found {1}, new one kept {2}, old one kept {3}, both kept {4}, open {5}; right in {6} of those decided (new or old, against both)",
        "{0}：发现 {1}，以新的为准 {2}，保留旧的 {3}，两条都保留 {4}，未决 {5}；已决中判断正确的占 {6}（选新或旧为正确，都保留为误报）",
    ];
    pub const TOKENS: Phrase = [
        "Tokens in each step's request: mean {0}, median {1}, 95th percentile {2}, most {3} (the block standing at each turn; every step of the turn carries it)",
        "每步请求注入的 token：平均 {0}，中位 {1}，95 分位 {2}，最多 {3}（按每回合当时的注入块计，该回合每一步都带着它）",
    ];
    pub const HITS: Phrase = [
        "Turns whose requests carried a memory: {0} ({1} of {2})",
        "请求里带有记忆的回合占比：{0}（{1}/{2}）",
    ];
    pub const BLOCKS: Phrase = [
        "Blocks that changed: {0}; different memories shown: {1}",
        "注入块变化次数：{0}；出现过的不同记忆：{1}",
    ];
    pub const DEGRADED: Phrase = [
        "Turns in which something was given up: {0} ({1} of {2})",
        "有降级的回合占比：{0}（{1}/{2}）",
    ];
    pub const RETRIEVAL: Phrase = [
        "Search, {0} labelled queries: Hit@{1} {2}, Recall@{1} {3}",
        "检索，{0} 条标注查询：Hit@{1} {2}，Recall@{1} {3}",
    ];
    pub const HIT_AT_K: Phrase = [
        "Hit@{0}: the share of queries with at least one of their labelled memories among the first {0} results.",
        "Hit@{0}：前 {0} 个结果里至少有一条标注记忆的查询占比。",
    ];
    pub const RECALL_AT_K: Phrase = [
        "Recall@{0}: the share of a query's labelled memories among the first {0} results, averaged over the queries.",
        "Recall@{0}：每条查询的标注记忆出现在前 {0} 个结果里的占比，再对查询取平均。",
    ];
}

/// The health line and what to do.
pub mod health {
    use super::Phrase;

    pub const CAPTURE_ON: Phrase = ["capture on", "记录：开"];
    pub const CAPTURE_OFF: Phrase = ["capture OFF ({0})", "记录：关（{0}）"];
    pub const JUDGE: Phrase = ["judge {0} ({1})", "判定 {0}（{1}）"];
    pub const JUDGE_UNKNOWN: Phrase = [
        "judge unknown: no host has run with this folder yet",
        "判定未知：还没有宿主用过这个文件夹",
    ];
    pub const JUDGE_AS_SET: Phrase = ["as configured", "按配置"];
    pub const KEY_NONE: Phrase = ["no key is known as {0}", "没有名为 {0} 的密钥"];
    pub const KEY_FOUND: Phrase = ["key {0} from {1}", "密钥 {0} 来自 {1}"];
    pub const KEY_NOT_LOOKED: Phrase = ["key {0} not looked for yet", "尚未查找密钥 {0}"];
    pub const NEVER: Phrase = ["never", "从未"];
    pub const NONE: Phrase = ["none", "无"];
    pub const LAST_WRITE: Phrase = ["last write {0}", "最近写入 {0}"];
    pub const LAST_FAILURE: Phrase = ["last failure {0}", "最近故障 {0}"];
    pub const PENDING: Phrase = ["waiting for your answer: {0}", "待你确认 {0} 条"];
    pub const STORE: Phrase = ["memories: {0}, {1}", "{0} 条记忆，{1}"];
    pub const VERSIONS: Phrase = [
        "dsh-jev-memory {0}, ledger {1}, tokens {2}{3}",
        "dsh-jev-memory {0}，台账 {1}，分词 {2}{3}",
    ];
    pub const JUDGE_OFF: Phrase = ["`judge: off`", "`judge: off`"];
    pub const PROBLEM: Phrase = ["{0}: {1}", "{0}：{1}"];
    pub const FOLDER: Phrase = ["folder {0}", "文件夹 {0}"];

    /// Codes, separated by spaces, and what to do.
    pub const ADVICE: &[(&str, Phrase)] = &[
        (
            "config",
            [
                "correct that key in the row's `config`; the default is used until then",
                "改正该行 `config` 里的这个键；在那之前使用默认值",
            ],
        ),
        (
            "jev-no-key",
            [
                "store the key in the host's credentials or the environment, or set `judge: heuristic`",
                "把密钥存入宿主凭据或环境变量，或设置 `judge: heuristic`",
            ],
        ),
        (
            "judge-off",
            [
                "set `judge: auto` to write again",
                "设置 `judge: auto` 以恢复记录",
            ],
        ),
        (
            "not-permitted",
            [
                "make the folder writable for this user, or set another `dataDir`",
                "让当前用户可写该文件夹，或另设 `dataDir`",
            ],
        ),
        (
            "disk-full",
            [
                "free some space; nothing that was acknowledged is lost",
                "腾出磁盘空间；已确认的内容没有丢失",
            ],
        ),
        (
            "not-a-folder no-data-dir file-error",
            [
                "set `dataDir` to a folder of an ordinary disk that this user may write to",
                "把 `dataDir` 设为普通磁盘上当前用户可写的文件夹",
            ],
        ),
        (
            "newer-version",
            [
                "update dsh-jev-memory; nothing is written to the folder until then",
                "升级 dsh-jev-memory；在那之前不会写入该文件夹",
            ],
        ),
        (
            "lock-busy commit-failed",
            [
                "run `doctor` to see who holds the lock; what was not written is read again at the next turn",
                "运行 `doctor` 查看谁占着锁；没写成的内容下一回合会重新读取",
            ],
        ),
        (
            "checkpoint-damaged checkpoint-quarantined checkpoint-foreign",
            [
                "nothing to do: the ledger gives the state; the file is in `quarantine/`",
                "无需处理：状态由台账重建；原文件在 `quarantine/`",
            ],
        ),
        (
            "ledger-damaged segment-damaged",
            [
                "nothing more is lost: the line is copied to `quarantine/`; if it happens again, check the disk",
                "不会再有损失：该行已复制到 `quarantine/`；若再次发生，请检查磁盘",
            ],
        ),
        (
            "ledger-missing ledger-behind folder-vanished",
            [
                "the state is kept, older history is not there; restore `ledger.jsonl` from a backup if it was removed by mistake",
                "状态仍在，更早的历史不在；若误删，请从备份恢复 `ledger.jsonl`",
            ],
        ),
        (
            "edit-refused edit-overwritten",
            [
                "make the edit again in `memory.json`, as the message says",
                "按提示重新修改 `memory.json`",
            ],
        ),
        (
            "torn-tail commit-unfinished edited-by-hand forget-finished core-restarted",
            ["nothing to do", "无需处理"],
        ),
    ];
}

/// An export as Markdown.
pub mod export {
    use super::Phrase;

    pub const HEADING: Phrase = ["# Memories", "# 记忆"];
    pub const ABOUT: Phrase = [
        "Format {0} {1} as Markdown, for reading; `export --format jsonl` is what `import` takes. Made by dsh-jev-memory {2} on device {3}, {4}. {5} records; digest of the same records as JSON Lines: {6}.",
        "格式 {0} {1}，Markdown，供阅读；`import` 读取的是 `export --format jsonl`。由 dsh-jev-memory {2} 在设备 {3} 上于 {4} 生成。共 {5} 条；同样记录的 JSON Lines 摘要：{6}。",
    ];
}

/// The doctor.
pub mod doctor {
    use super::Phrase;

    pub const FOLDER: Phrase = ["folder {0}: files {1}, {2}", "文件夹 {0}：{1} 个文件，{2}"];
    pub const NO_FOLDER: Phrase = [
        "folder {0} is not there: nothing was remembered yet",
        "文件夹 {0} 不存在：还没有记住任何内容",
    ];
    pub const NO_FOLDER_ADVICE: Phrase = [
        "mount the plugin and talk, or name another folder with `--data-dir`",
        "挂载插件后开始对话，或用 `--data-dir` 指定其他文件夹",
    ];
    pub const NOT_A_FOLDER: Phrase = ["{0} is a file, not a folder", "{0} 是文件，不是文件夹"];
    pub const NOTICED: Phrase = ["{0}: {1}", "{0}：{1}"];
    pub const LOOK: Phrase = ["look at the file it names", "查看其中提到的文件"];
    pub const MODE: Phrase = [
        "{0} is open to others (mode {1})",
        "{0} 对他人开放（权限 {1}）",
    ];
    pub const MODE_ADVICE: Phrase = ["chmod {2} '{0}'", "chmod {2} '{0}'"];
    pub const MODES_GOOD: Phrase = [
        "only its owner can read the folder",
        "只有所有者能读取该文件夹",
    ];
    pub const LOCK_FREE: Phrase = ["no commit is under way", "没有进行中的提交"];
    pub const LOCK_HELD: Phrase = [
        "a commit is under way: process {0} on {1}",
        "正在提交：{1} 上的进程 {0}",
    ];
    pub const LOCK_DEAD: Phrase = [
        "the lock is of a process that is gone: {0} on {1}",
        "锁属于已结束的进程：{1} 上的 {0}",
    ];
    pub const LOCK_DEAD_ADVICE: Phrase = [
        "nothing to do: the next commit takes it over",
        "无需处理：下一次提交会接管它",
    ];
    pub const LOCK_UNKNOWN: Phrase = [
        "the lock is of process {0} on {1}, which cannot be asked from here",
        "锁属于 {1} 上的进程 {0}，无法在此查询",
    ];
    pub const LOCK_UNKNOWN_ADVICE: Phrase = [
        "if that machine is off, wait five seconds: an unchanged lock is taken over",
        "若那台机器已关闭，等五秒：不再变化的锁会被接管",
    ];
    pub const FORMATS: Phrase = [
        "ledger version {0} (this build writes {1}); rows: {2}, segments: {3}; device {4}",
        "台账 {0}（本版本写 {1}），{3} 段共 {2} 行，设备 {4}",
    ];
    pub const DAMAGED: Phrase = [
        "lines of the ledger that cannot be read: {0}",
        "台账中有 {0} 行无法读取",
    ];
    pub const DAMAGED_ADVICE: Phrase = [
        "the lines around them hold; copies are in `quarantine/`. If it happens again, check the disk",
        "其余各行有效；副本在 `quarantine/`。若再次发生，请检查磁盘",
    ];
    pub const QUARANTINE: Phrase = ["files in quarantine: {0}", "隔离区有 {0} 个文件"];
    pub const QUARANTINE_ADVICE: Phrase = [
        "look at {1}; remove what you do not need",
        "查看 {1}；不需要的可以删除",
    ];
    pub const FORGETTING: Phrase = ["a removal was interrupted", "有一次遗忘被中断"];
    pub const FORGETTING_ADVICE: Phrase = [
        "nothing to do: the next commit of a host finishes it",
        "无需处理：宿主下一次提交会完成它",
    ];
    pub const KEY: Phrase = ["key {0}: {1}", "密钥 {0}：{1}"];
    pub const KEY_NONE: Phrase = [
        "no key is known as {0}: the offline judge answers",
        "没有名为 {0} 的密钥：由离线判定回答",
    ];
    pub const KEY_ADVICE: Phrase = [
        "to be judged by Jev, store {0} in the host's credentials",
        "若要由 Jev 判定，请把 {0} 存入宿主凭据",
    ];
    pub const CREDENTIALS: Phrase = ["credentials document {0}", "凭据文件 {0}"];
    pub const NO_CREDENTIALS: Phrase = ["no credentials document at {0}", "{0} 没有凭据文件"];
    pub const HOST: Phrase = [
        "host {0}, tested with this version",
        "宿主 {0}，已与本版本一起测试",
    ];
    pub const HOST_OTHER: Phrase = [
        "host {0}; this version was tested with {1}",
        "宿主 {0}；本版本测试于 {1}",
    ];
    pub const HOST_UNKNOWN: Phrase = [
        "the host's version is not known: no host has started from {0} yet",
        "宿主版本未知：还没有宿主从 {0} 启动过",
    ];
    pub const ALL_WELL: Phrase = ["All is well.", "一切正常。"];
    pub const WRONG: Phrase = ["{0} to mend.", "{0} 处需要处理。"];
}

/// What the commands themselves say.
pub mod command {
    use super::Phrase;

    pub const SCOPE: Phrase = ["{0}: {1} active", "{0}：生效 {1} 条"];
    pub const NOTHING_HERE: Phrase = ["Nothing is remembered in {0}.", "{0} 里还没有记忆。"];
    pub const WAITING: Phrase = [
        "Waiting for your answer (`review`):",
        "等你确认（`review`）：",
    ];
    pub const OLDER: Phrase = ["Superseded or archived:", "已被取代或归档："];
    pub const ELSEWHERE: Phrase = [
        "{0} more in other projects: `list all`",
        "其他项目还有 {0} 条：`list all`",
    ];
    pub const MORE: Phrase = [
        "… and {0} more; words after `list` narrow it down",
        "……另有 {0} 条；在 `list` 后加词可缩小范围",
    ];
    pub const SEEN: Phrase = ["{0} (seen {1} times)", "{0}（出现 {1} 次）"];
    pub const NOTHING_WAITS: Phrase = ["Nothing waits for your answer.", "没有等待确认的记忆。"];
    pub const AGAINST: Phrase = ["against {0}", "与之矛盾：{0}"];
    pub const AGAINST_LINE: Phrase = [
        "against a line of a hand-written file ({0})",
        "与手写文件中的一行矛盾（{0}）",
    ];
    pub const HOW: Phrase = [
        "answer: `review {0} replace` (the new one holds), `review {0} keep-old`, `review {0} both`",
        "回答：`review {0} replace`（以新的为准）、`review {0} keep-old`（保留旧的）、`review {0} both`（都保留）",
    ];
    pub const HOW_IMPORTED: Phrase = [
        "read in from elsewhere; answer: `review {0} keep` or `review {0} drop`",
        "从别处导入；回答：`review {0} keep`（采用）或 `review {0} drop`（归档）",
    ];
    pub const CARD: Phrase = [
        "A card opens for each; or answer here:",
        "会逐一弹出卡片；也可以在这里回答：",
    ];
    pub const DECIDED: Phrase = [
        "Done: {0}. {1} is {2} now.",
        "完成：{0}。{1} 现在的状态：{2}。",
    ];
    pub const NOT_WAITING: Phrase = [
        "{0} does not wait for an answer: it is {1}.",
        "{0} 不在等待确认，状态：{1}。",
    ];
    pub const BAD_CHOICE: Phrase = [
        "“{0}” is no answer: it is `replace`, `keep-old` or `both`, for what was read in also `keep` or `drop`.",
        "“{0}”不是有效回答：请用 `replace`、`keep-old` 或 `both`；导入的也可用 `keep` 或 `drop`。",
    ];
    pub const CONTRADICTS: Phrase = [
        "It contradicts what is active here; nothing was changed yet:",
        "它与这里生效的记忆矛盾；尚未改变任何内容：",
    ];
    pub const CHANGED: Phrase = [
        "It changed meanwhile and nothing was decided; look again with `review`.",
        "期间有变动，未做决定；请重新 `review`。",
    ];
    pub const NOT_FOUND: Phrase = [
        "No memory is known as “{0}”. `list` prints ids; the first characters of one, or the exact text, are enough.",
        "没有叫“{0}”的记忆。`list` 会列出 id；写出 id 的前几个字符或完整原文即可。",
    ];
    pub const AMBIGUOUS: Phrase = [
        "“{0}” could mean any of these; name one:",
        "“{0}”可能指下面任何一条，请指明：",
    ];
    pub const ALREADY_FORGOTTEN: Phrase =
        ["{0} was forgotten on {1} already.", "{0} 已于 {1} 遗忘。"];
    pub const FORGOTTEN: Phrase = [
        "Forgotten: {0}. Its words are blanked in {1}.",
        "已遗忘：{0}。已从以下位置清除：{1}。",
    ];
    pub const UNDONE: Phrase = ["Undone: {0} stands again.", "已撤销：{0} 重新生效。"];
    pub const NOT_JUDGED: Phrase = [
        "No judge decided about {0}, or another version stands since; nothing was changed.",
        "没有判定替你决定过 {0}，或之后又有了新版本；没有改变任何内容。",
    ];
    pub const NOT_REACHED: Phrase = [
        "Not reached: the host's own session log, and backups of the data folder.",
        "无法触及：宿主自己的会话日志，以及数据文件夹的备份。",
    ];
    pub const NO_FILE: Phrase = ["no file", "无文件"];
    pub const NOTHING_DONE: Phrase = [
        "Nothing was changed: {0} → {1}",
        "没有改变任何内容：{0} → {1}",
    ];
    pub const TRY_AGAIN: Phrase = ["try again, or run `doctor`", "请重试，或运行 `doctor`"];
    pub const OFF: Phrase = ["Memory is off: {0} → {1}", "记忆已停用：{0} → {1}"];
    pub const NEEDS: Phrase = [
        "`{0}` needs {1}. Example: `{2}`",
        "`{0}` 需要{1}。例如：`{2}`",
    ];
    pub const AN_ID: Phrase = [
        "the id of a memory, as `list` prints it",
        "记忆的 id（`list` 会列出）",
    ];
    pub const A_FILE: Phrase = [
        "a file made by `export --format jsonl`",
        "由 `export --format jsonl` 生成的文件",
    ];
    pub const UNKNOWN: Phrase = ["There is no `{0}`. {1}", "没有 `{0}` 这个命令。{1}"];
    pub const SHELL_ONLY: Phrase = [
        "`{0}` works on the command line: `dsh-jev-memory {0}`. {1}",
        "`{0}` 在命令行可用：`dsh-jev-memory {0}`。{1}",
    ];
    pub const USAGE: Phrase = [
        "Commands: `list [all] [type] [words]` · `show <id>` · `why-not <words>` · `review [<id> replace|keep-old|both]` · `undo <id>` · `forget <id>` · `sync [remote]` · `devices` · `scope list|join` · `stats` · `digest [all|status]` · `health`",
        "命令：`list [all] [类型] [词]` · `show <id>` · `why-not <词>` · `review [<id> replace|keep-old|both]` · `undo <id>` · `forget <id>` · `sync [远端]` · `devices` · `scope list|join` · `stats` · `digest [all|status]` · `health`",
    ];
    pub const BAD_LABELS: Phrase = [
        "Line {0} of the query file is not `{\"query\":\"…\",\"ids\":[\"m-…\"]}`; nothing was measured.",
        "查询文件第 {0} 行不是 `{\"query\":\"…\",\"ids\":[\"m-…\"]}`；没有测量。",
    ];
    pub const NOT_AN_EXPORT: Phrase = [
        "This is no export of dsh-jev-memory; `export --format jsonl` makes one.",
        "这不是 dsh-jev-memory 的导出文件；请用 `export --format jsonl` 生成。",
    ];
    pub const NEWER_EXPORT: Phrase = [
        "This export is of another version than {0}; update dsh-jev-memory.",
        "该导出文件的版本不是 {0}；请升级 dsh-jev-memory。",
    ];
    pub const IMPORT_OWN: Phrase = [
        "An export of this very folder, whole: records come in as they were.",
        "这是本文件夹自己的完整导出：记录按原样恢复。",
    ];
    pub const IMPORT_FOREIGN: Phrase = [
        "An export of device {0}: what was active comes in waiting for your answer (`review`).",
        "来自设备 {0} 的导出：原本生效的记录导入后等你确认（`review`）。",
    ];
    pub const IMPORT_CHANGED: Phrase = [
        "The records are not those the digest was made of: the file was changed after the export.",
        "记录与摘要不符：文件在导出后被改动过。",
    ];
    pub const IMPORTED: Phrase = [
        "Read in: {0}. There already, or forgotten here: {1}. Refused: {2}.",
        "导入：{0}。已有或已遗忘：{1}。拒绝：{2}。",
    ];
    pub const PREVIEW: Phrase = [
        "Would be read in: {0}. There already, or forgotten here: {1}. Would be refused: {2}. Nothing was written.",
        "将导入：{0}。已有或已遗忘：{1}。将拒绝：{2}。没有写入任何内容。",
    ];
    pub const REFUSED_LINE: Phrase = ["line {0}: {1} [{2}]", "第 {0} 行：{1}［{2}］"];
    pub const NOT_A_RECORD: Phrase = ["not a sound record", "不是有效的记录"];
    pub const SWEPT_CLEAN: Phrase = [
        "{0} texts looked at; nothing is stored that would be refused today.",
        "检查了 {0} 段文字；没有今天会被拒绝的内容。",
    ];
    pub const SWEPT: Phrase = [
        "{0} texts looked at. Would be refused today:",
        "检查了 {0} 段文字。今天会被拒绝的：",
    ];
    pub const SWEPT_RECORD: Phrase = ["{0}: {1} [{2}]", "{0}：{1}［{2}］"];
    pub const SWEPT_ROWS: Phrase = [
        "{0} texts with a secret in rows of the ledger that no memory has ({1})",
        "台账中另有 {0} 段含秘密的文字，不属于任何记忆（{1}）",
    ];
    pub const SWEPT_QUARANTINE: Phrase = ["a secret in {0}", "{0} 里有秘密"];
    pub const SWEEP_HOW: Phrase = [
        "This was a dry run. `sweep --apply` forgets them, with every trace; `--secrets` leaves all but secrets.",
        "以上为试运行。`sweep --apply` 会彻底遗忘它们；`--secrets` 只处理秘密。",
    ];
    pub const SWEEP_DONE: Phrase = [
        "Forgotten, with every trace: {0} memories, {1} texts.",
        "已彻底遗忘：{0} 条记忆，{1} 段文字。",
    ];
    pub const EXPORTED: Phrase = ["{0} records, digest {1}", "{0} 条记录，摘要 {1}"];
    pub const WITHHELD: Phrase = [
        "; {0} that hold a secret were left out: run `sweep`",
        "；另有 {0} 条含有秘密，未导出：请运行 `sweep`",
    ];
    pub const WAITING_ELSEWHERE: Phrase = [
        "{0} more wait in other projects: `review all`",
        "其他项目还有 {0} 条等你确认：`review all`",
    ];
    pub const BAD_FORMAT: Phrase = [
        "`--format` is `jsonl` or `markdown`.",
        "`--format` 只能是 `jsonl` 或 `markdown`。",
    ];
}

#[cfg(test)]
mod tests {
    /// The values a text has places for.
    fn places(text: &str) -> Vec<&str> {
        let mut out: Vec<&str> = text
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.get(..2))
            .filter(|place| place.ends_with('}'))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    #[test]
    fn both_languages_say_the_same_values() {
        let source = include_str!("phrase.rs")
            .split("#[cfg(test)]")
            .next()
            .unwrap()
            .replace("\\\"", "'");
        let literals: Vec<&str> = source
            .lines()
            .flat_map(|line| line.split('"').skip(1).step_by(2))
            .collect();
        let phrases = literals.iter().zip(literals.iter().skip(1));
        let han = |text: &str| text.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'));
        let mut n = 0;
        for (english, chinese) in phrases.filter(|(english, chinese)| !han(english) && han(chinese))
        {
            assert_eq!(places(english), places(chinese), "{english} / {chinese}");
            n += 1;
        }
        assert!(n > 100, "{n}");
    }
}

/// What many memories come to.
pub mod digest {
    use super::Phrase;

    pub const USAGE: Phrase = [
        "`digest`, `digest all` or `digest status`.",
        "`digest`、`digest all` 或 `digest status`。",
    ];
    pub const ADVICE: Phrase = [
        "Nothing was lost, and what is missing still waits. Look at the model's address, name and key, then `digest` again.",
        "没有丢失任何内容，缺的仍在等待。请检查模型的地址、名称与密钥，再运行 `digest`。",
    ];
    pub const NOTHING: Phrase = ["Nothing waits for a digest.", "没有等待归纳的内容。"];
    pub const HOLDS: Phrase = [
        "{0}, derived; it rests on {1}, which stand as they were",
        "{0}，归纳所得；依据 {1}，均未变化",
    ];
    pub const STALE: Phrase = [
        "{0}, derived, and holds no more: of what it rests on ({1}) something changed",
        "{0}，归纳所得，已失效：所依据的 {1} 有变化",
    ];
    pub const COMPARING: Phrase = ["{0}: comparing", "{0}：正在比较"];
    pub const RUNNING: Phrase = [
        "{0}: {1} of {2} done; `digest status` says how it goes on",
        "{0}：已完成 {1}/{2}；用 `digest status` 查看进度",
    ];
    pub const ENDED: Phrase = [
        "{0}: {1} memories compared {2}; new schemas: {3}, schemas with more evidence: {4}, core schemas: {5}, catalogue: {6}, retired: {7}, calls of the model: {8}",
        "{0}：{2}比较 {1} 条记忆；新模式 {3}，补充证据 {4}，核心模式 {5}，人物目录 {6}，退役 {7}，模型调用 {8} 次",
    ];
    pub const UNCHANGED: Phrase = [
        "{0}: nothing new since the last digest ({1} memories, compared {2})",
        "{0}：自上次归纳以来没有变化（{1} 条记忆，{2}比较）",
    ];
    pub const BY_MEANING: Phrase = ["by meaning", "按语义"];
    pub const BY_WORDS: Phrase = ["by words alone", "仅按词语"];
    pub const MISSING: Phrase = [
        "{0}: missing: {1}, the first because {2}; the next digest asks for them again",
        "{0}：缺 {1} 项，首个原因：{2}；下次归纳会重试",
    ];
    pub const LEFT_OUT: Phrase = [
        "{0}: the {1} oldest were left out, over the limit",
        "{0}：超出上限，最旧的 {1} 条未参与",
    ];
    pub const FAILED: Phrase = ["{0}: not digested: {1}", "{0}：未能归纳：{1}"];
}

/// One memory on several devices.
pub mod devices {
    use super::Phrase;

    pub const BAD_VECTOR: Phrase = [
        "`--since` is a log of the other device, or what `devices` prints there: `d-…:12,d-…:7`.",
        "`--since` 应为另一台设备的日志文件，或那台设备上 `devices` 打印的 `d-…:12,d-…:7`。",
    ];
    pub const INCOMPLETE: Phrase = [
        "Older segments of the ledger were removed here, and with them entries the other side lacks. `export --format jsonl` there and `import` here carry the records themselves.",
        "本机删除过旧的台账分段，对方缺少的条目也在其中。可改用 `export --format jsonl` 与 `import` 搬运记录本身。",
    ];
    pub const LOG_MADE: Phrase = ["{0} entries", "{0} 个条目"];
    pub const KEPT_BACK: Phrase = [
        "; {0} stay here because they hold a secret",
        "；另有 {0} 个含秘密，留在本机",
    ];
    pub const TAKEN: Phrase = [
        "{0} new entries, {1} known already; {2} records changed.",
        "新条目 {0} 个，已有 {1} 个；改变 {2} 条记录。",
    ];
    pub const WOULD_TAKE: Phrase = [
        "Would take in {0} new entries ({1} known already) and change {2} records. Nothing was written.",
        "将收入 {0} 个新条目（已有 {1} 个），改变 {2} 条记录。没有写入任何内容。",
    ];
    pub const SYNCED: Phrase = [
        "Synced: {0} entries taken in ({1} records changed), {2} files sent.",
        "已同步：收入 {0} 个条目（改变 {1} 条记录），送出 {2} 个文件。",
    ];
    pub const FORGOTTEN: Phrase = [
        "forgotten on another device, and now here: {0}",
        "在其他设备上被遗忘，本机已一并清除：{0} 条",
    ];
    pub const HELD: Phrase = [
        "devices differ, `review` decides: {0}",
        "设备之间不一致，请用 `review` 决定：{0} 条",
    ];
    pub const REWRITTEN: Phrase = [
        "files of the remote written anew without what was forgotten: {0}",
        "远端文件已重写并去掉被遗忘的内容：{0} 个",
    ];
    pub const REFUSED: Phrase = [
        "entries refused (a secret, or orders to ignore rules): {0}",
        "拒绝的条目（含秘密或要求忽略规则）：{0} 个",
    ];
    pub const REFUSED_ENTRY: Phrase = ["{0} {1} refused: {2} [{3}]", "{0} {1} 被拒绝：{2}［{3}］"];
    pub const HISTORY: Phrase = [
        "older commits of the remote still hold what was forgotten; `sync REMOTE --rewrite` leaves one commit (and the host of the remote may keep the old ones for a while)",
        "远端的旧提交里仍有被遗忘的内容；`sync REMOTE --rewrite` 只留一个提交（远端主机可能仍会保留旧提交一段时间）",
    ];
    pub const NOT_YET: Phrase = [
        "The remote and other devices still hold it until each has synced; older commits of a git remote until `sync --rewrite`.",
        "远端与其他设备在各自同步之前仍保留它；git 远端的旧提交要等 `sync --rewrite`。",
    ];
    pub const NEEDS_REMOTE: Phrase = [
        "`sync` needs a git remote or a folder the first time: `sync git@example.org:me/memory.git`, `sync ~/Sync/memory`.",
        "第一次 `sync` 需要给出 git 远端或文件夹，例如 `sync git@example.org:me/memory.git`、`sync ~/Sync/memory`。",
    ];
    pub const NO_DEVICE: Phrase = ["Nothing is remembered yet.", "还没有任何记忆。"];
    pub const OWN_DEVICE: Phrase = [
        "{0}, this device, up to entry {1}",
        "{0}（本机），到第 {1} 个条目",
    ];
    pub const DEVICE: Phrase = ["{0}, up to entry {1}", "{0}，到第 {1} 个条目"];
    pub const VECTOR: Phrase = ["As `--since`: {0}", "用于 `--since`：{0}"];
    pub const APART: Phrase = [
        "folders of other devices that are no project here: {0}; `scope list` shows them, `scope join FROM TO` joins one",
        "其他设备上、与本机项目未合并的文件夹：{0} 个；`scope list` 查看，`scope join FROM TO` 合并",
    ];
    pub const SCOPE: Phrase = ["{0}: {1}", "{0}：{1} 条"];
    pub const SCOPE_HERE: Phrase = ["{0}: {1} (here)", "{0}：{1} 条（当前）"];
    pub const SCOPE_JOINED: Phrase = ["{0} is {1}", "{0} 即 {1}"];
    pub const NO_SCOPE: Phrase = ["Nothing is remembered yet.", "还没有任何记忆。"];
    pub const SCOPE_USAGE: Phrase = [
        "`scope list`, `scope join FROM TO`: what is under FROM is under TO, now and later, on every device.",
        "`scope list`、`scope join FROM TO`：FROM 下的内容从此归入 TO，所有设备一致。",
    ];
    pub const JOIN_WHICH: Phrase = [
        "`scope join FROM TO` needs two of these, or parts that only one of them has; `.` is the project here.",
        "`scope join FROM TO` 需要下列中的两个，或只属于其中一个的片段；`.` 表示当前项目。",
    ];
    pub const NOT_JOINED: Phrase = [
        "{0} and {1} cannot be joined: they are one already, or one is `global`.",
        "{0} 与 {1} 无法合并：已经是同一个，或其中之一是 `global`。",
    ];
    pub const JOINED: Phrase = [
        "{0} is {1} now; memories moved: {2}",
        "{0} 现已归入 {1}；移动 {2} 条记忆",
    ];
    pub const OTHER_PROBLEM: Phrase = ["{0}: {1}", "{0}：{1}"];
    /// By code; `{0}` is the file or device, `{1}` a detail.
    pub const PROBLEMS: &[(&str, Phrase)] = &[
        (
            "not-a-log",
            [
                "{0} is no log of dsh-jev-memory and was left alone",
                "{0} 不是 dsh-jev-memory 的日志，未作改动",
            ],
        ),
        (
            "newer-log",
            [
                "{0} is of a newer version: update dsh-jev-memory here; nothing of it was taken in",
                "{0} 来自更新的版本：请升级本机的 dsh-jev-memory；未收入任何内容",
            ],
        ),
        (
            "newer-entry",
            [
                "{0} holds entries of a newer version: update dsh-jev-memory here; what stands before them was taken in",
                "{0} 含有更新版本的条目：请升级本机的 dsh-jev-memory；之前的条目已收入",
            ],
        ),
        (
            "log-changed",
            [
                "{0} is not as it was written (its digest differs); nothing of it was taken in: carry it again",
                "{0} 与写入时不同（摘要不符），未收入任何内容：请重新传输",
            ],
        ),
        (
            "cut-off",
            [
                "{0} ends early; every whole commit in it was taken in, the rest comes with the next one",
                "{0} 不完整；其中完整的提交已收入，其余待下次",
            ],
        ),
        (
            "damaged",
            [
                "{0} is damaged; what stands before that was taken in",
                "{0} 已损坏；损坏之前的条目已收入",
            ],
        ),
        (
            "not-an-entry",
            [
                "{0} holds something no device writes; what stands before it was taken in",
                "{0} 含有任何设备都不会写出的内容；之前的条目已收入",
            ],
        ),
        (
            "over-limit",
            [
                "{0} is over a limit; what stands before that was taken in",
                "{0} 超出限制；之前的条目已收入",
            ],
        ),
        (
            "log-gap",
            [
                "entries of {0} do not follow on what is held here; export again, without `--since`",
                "{0} 的条目与本机已有的不衔接；请不带 `--since` 重新导出",
            ],
        ),
        (
            "forked",
            [
                "{0} are two: a data folder was copied to another machine. Keep one of them; on the other begin with an empty folder and sync into it",
                "{0} 实为两台：数据文件夹被复制到了另一台机器。请保留其一；另一台改用空文件夹再同步",
            ],
        ),
        (
            "unknown-file",
            [
                "{0} is no file of ours (a conflict copy, perhaps) and was left alone",
                "{0} 不是本插件的文件（可能是冲突副本），未作改动",
            ],
        ),
        (
            "unreachable",
            [
                "the remote cannot be reached ({1}); nothing is lost, `sync` again later",
                "无法连接远端（{1}）；没有丢失任何内容，请稍后再 `sync`",
            ],
        ),
        (
            "auth",
            [
                "the remote wants to know who you are ({1}); set up a key or a credential helper for git, it is never asked for here",
                "远端要求身份验证（{1}）；请为 git 配置密钥或凭据助手，这里从不询问",
            ],
        ),
        (
            "busy",
            [
                "other devices kept pushing meanwhile; what is here is safe, `sync` again",
                "其他设备一直在推送；本机内容安全，请再次 `sync`",
            ],
        ),
        (
            "no-git",
            [
                "`git` was not found; install it, or sync through a folder",
                "未找到 `git`；请安装，或改用文件夹同步",
            ],
        ),
        (
            "bad-remote",
            [
                "{0} is no remote that is used: give a git address or a folder, not an option or `ext::`, and no password in it",
                "{0} 不可用作远端：请给出 git 地址或文件夹，不能是选项或 `ext::`，也不能含密码",
            ],
        ),
        (
            "not-written",
            [
                "{0} could not be written ({1}); what is here is safe, `sync` again",
                "{0} 无法写入（{1}）；本机内容安全，请再次 `sync`",
            ],
        ),
        (
            "timeout",
            [
                "git did not answer in time ({1}); nothing is lost, `sync` again later",
                "git 未在时限内响应（{1}）；没有丢失任何内容，请稍后再 `sync`",
            ],
        ),
    ];
}
