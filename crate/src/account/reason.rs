//! Why something was not kept, in words, and what would change it. One row a reason code of the ledger.

use super::{Language, Phrase};

/// One reason.
pub struct Reason {
    /// The code of a `skip` row, or what it begins with where it ends in `:`.
    pub code: &'static str,
    pub why: Phrase,
    pub change: Phrase,
}

const REPHRASE: Phrase = [
    "say it as a rule that stands by itself (“from now on …”, “always …”), or ask the agent to remember it",
    "把它单独说成一条长期规则（“以后都……”“一律……”），或者让助手记住它",
];
const NOTHING: Phrase = ["nothing needs to change", "无需改变"];

/// Every reason a `skip` row can give.
pub const REASONS: &[Reason] = &[
    Reason {
        code: "veto:secret",
        why: [
            "it holds a secret, and secrets are never written anywhere",
            "里面有密钥一类的秘密，秘密从不落盘",
        ],
        change: [
            "say the rule without the secret itself",
            "去掉秘密本身，只说规则",
        ],
    },
    Reason {
        code: "veto:task-instruction",
        why: [
            "it is an order for this task, not a rule for later ones",
            "这是对当前任务的指令，不是以后的规则",
        ],
        change: REPHRASE,
    },
    Reason {
        code: "veto:payload",
        why: [
            "it reads as pasted material: code, JSON, a table, a log",
            "看起来是粘贴的内容：代码、JSON、表格或日志",
        ],
        change: [
            "say the rule in a sentence of its own, outside the pasted part",
            "在粘贴内容之外，用一句话单独说出规则",
        ],
    },
    Reason {
        code: "veto:question",
        why: ["it asks and states nothing", "这是提问，没有陈述规则"],
        change: ["state the answer as a rule", "把结论作为规则说出来"],
    },
    Reason {
        code: "veto:fragment",
        why: [
            "it is a piece of something, not a sentence",
            "这是片段，不是完整的一句话",
        ],
        change: REPHRASE,
    },
    Reason {
        code: "veto:injection",
        why: [
            "it orders its reader to ignore their rules",
            "它要求读者无视规则",
        ],
        change: ["such a sentence is never kept", "这样的句子一律不记"],
    },
    Reason {
        code: "duplicate",
        why: ["it is remembered already", "已经记住了"],
        change: NOTHING,
    },
    Reason {
        code: "forgotten",
        why: [
            "it was forgotten on request, and this is the same place of the transcript",
            "按要求遗忘过，而这是同一处的原话",
        ],
        change: ["say it anew", "重新说一遍即可"],
    },
    Reason {
        code: "over-limit",
        why: [
            "the message had more sentences than are read of one message",
            "一条消息的句子超过了上限",
        ],
        change: [
            "send it in a message of its own",
            "把它放在单独的一条消息里",
        ],
    },
    Reason {
        code: "subagent-session",
        why: [
            "it was said in a delegated session, and those are not read",
            "出现在委派的子会话里，子会话不读取",
        ],
        change: [
            "say it in the main session, or set `writeSkipSubagents: false`",
            "在主会话里说，或设置 `writeSkipSubagents: false`",
        ],
    },
    Reason {
        code: "below-min-importance",
        why: [
            "the offline judge found too little in it that lasts",
            "离线判定认为它不够长久",
        ],
        change: [
            "say it as a standing rule (“from now on …”, “always …”), ask the agent to remember it, or lower `minImportance`",
            "说成长期规则（“以后都……”“一律……”），让助手记住它，或调低 `minImportance`",
        ],
    },
    Reason {
        code: "below-min-remember",
        why: [
            "the judge gave it too low a chance of mattering later",
            "判定认为它以后有用的可能性太低",
        ],
        change: [
            "say it as a standing rule, ask the agent to remember it, or lower the threshold (`minRemember`, `minRememberHost`)",
            "说成长期规则，让助手记住它，或调低阈值（`minRemember`、`minRememberHost`）",
        ],
    },
    Reason {
        code: "type-disabled:",
        why: [
            "its type is switched off in the configuration",
            "它的类型在配置里被关掉了",
        ],
        change: ["add the type to `types`", "把该类型加回 `types`"],
    },
    Reason {
        code: "failure-seen-once",
        why: [
            "this failure was seen too few times, and once is never a lesson",
            "这个失败出现的次数还不够，只出现一次不算教训",
        ],
        change: [
            "it is kept when it comes again (`repeatFailuresToWrite`)",
            "再次出现时会记住（`repeatFailuresToWrite`）",
        ],
    },
];

/// Returns why, and what would change it; the code itself where this build does not know it.
pub fn explain(code: &str, language: Language) -> (String, String) {
    let found = REASONS.iter().find(|reason| {
        reason.code == code || reason.code.ends_with(':') && code.starts_with(reason.code)
    });
    match found {
        Some(reason) => (
            language.of_phrase(&reason.why).to_owned(),
            language.of_phrase(&reason.change).to_owned(),
        ),
        None => (code.to_owned(), language.of_phrase(&NOTHING).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_veto_and_every_refusal_of_the_gate_is_explained() {
        let vetoes = crate::screen::veto::VETOES.iter().map(|veto| veto.reason);
        let others = [
            "veto:secret",
            "duplicate",
            "forgotten",
            "over-limit",
            "subagent-session",
            "below-min-importance",
            "below-min-remember",
            "type-disabled:pitfall",
            "failure-seen-once",
        ];
        for code in vetoes.chain(others) {
            for language in [Language::English, Language::Chinese] {
                assert_ne!(explain(code, language).0, code, "{code}");
            }
        }
    }
}
