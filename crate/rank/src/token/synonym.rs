//! Words of the coding domain that mean one thing: they share a token, across Chinese and English too.
//!
//! One row a meaning: the word whose token all of them get, then the others. English words stand in the form the
//! stemmer gives; Chinese ones are pairs, for pairs are the tokens (据库 is 数据库's own).

use super::TokenKey;
use super::hash::hash;
use super::stem::stem;
use std::sync::LazyLock;

const MEANINGS: &[&str] = &[
    "add 添加 新增 增加",
    "api 接口",
    "architecture 架构",
    "argument arg parameter param 参数",
    "async 异步",
    "authentication auth",
    "backend 后端",
    "backup 备份",
    "branch 分支",
    "browser 浏览",
    "build 构建",
    "button 按钮",
    "cache 缓存",
    "certificate cert 证书",
    "change modify 修改 改动 变更",
    "check 检查",
    "chinese 中文",
    "client 户端",
    "code 代码",
    "color colour 颜色",
    "command cmd 命令",
    "comment 注释",
    "commit 提交",
    "compile 编译",
    "component 组件",
    "concurrency concurrent 并发",
    "config configuration configure conf cfg 配置",
    "confirm confirmation 确认",
    "container 容器",
    "create 创建 新建",
    "data 数据",
    "database db 据库",
    "date 日期",
    "debug 调试",
    "default 默认",
    "delete remove 删除 移除",
    "dependency dep 依赖",
    "deploy deployment 部署",
    "design 设计",
    "directory dir folder 目录 件夹",
    "document doc documentation 文档",
    "encrypt encryption 加密",
    "english 英文 英语",
    "environment env 环境",
    "error err 错误 报错",
    "event 事件",
    "example 示例",
    "export 导出",
    "feature feat 功能",
    "file 文件",
    "filter 过滤",
    "fix 修复",
    "format fmt 格式",
    "frontend 前端",
    "function func fn 函数",
    "implement implementation impl 实现",
    "import 导入",
    "indent indentation 缩进",
    "index 索引",
    "input 输入",
    "install installation 安装",
    "integration 集成",
    "language lang 语言",
    "library lib",
    "limit 限制",
    "log 日志",
    "merge 合并",
    "message msg 消息",
    "migrate migration 迁移",
    "minimal minimum 最小",
    "model 模型",
    "module mod 模块",
    "naming 命名",
    "output 输出",
    "package pkg",
    "page 页面",
    "parse 解析",
    "password 密码",
    "path 路径",
    "performance perf 性能",
    "permission 权限",
    "plugin 插件",
    "port 端口",
    "project 项目",
    "publish release 发布",
    "query 查询",
    "queue 队列",
    "refactor 重构",
    "render 渲染",
    "repository repo 仓库",
    "request req 请求",
    "response resp 响应",
    "retry 重试",
    "review 评审",
    "rollback 回滚",
    "script 脚本",
    "security 安全",
    "server 务器",
    "service 服务",
    "session 会话",
    "sort 排序",
    "state status 状态",
    "style 样式 风格",
    "sync 同步",
    "template 模板",
    "terminal 终端",
    "test 测试",
    "theme 主题",
    "thread 线程",
    "timeout 超时",
    "timestamp 间戳",
    "timezone 时区",
    "token 令牌",
    "tool 工具",
    "translate translation 翻译",
    "type 类型",
    "update 更新",
    "user 用户",
    "validate validation 校验 验证",
    "variable var 变量",
    "version 版本",
    "window 窗口",
];

/// Slots of the table, over twice the words.
const SLOTS: usize = 1024;

/// Open addressing from a word's key to its meaning's; 0 is free.
static TABLE: LazyLock<Vec<(TokenKey, TokenKey)>> = LazyLock::new(|| {
    let mut table = vec![(0, 0); SLOTS];
    for row in MEANINGS {
        let mut words = row.split(' ');
        let meaning = key_of(words.next().unwrap_or(""));
        for word in words {
            let key = key_of(word);
            let mut at = slot(key);
            while table.get(at).is_some_and(|row| row.0 != 0) {
                at = (at + 1) % SLOTS;
            }
            if let Some(row) = table.get_mut(at) {
                *row = (key, meaning);
            }
        }
    }
    table
});

/// Returns the key of what the word means: its own, unless a row of the table says otherwise.
pub(super) fn meaning(key: TokenKey) -> TokenKey {
    let mut at = slot(key);
    loop {
        match TABLE.get(at) {
            Some((word, meaning)) if *word == key => return *meaning,
            Some((0, _)) | None => return key,
            _ => at = (at + 1) % SLOTS,
        }
    }
}

fn key_of(word: &str) -> TokenKey {
    let mut word = word.to_owned();
    stem(&mut word);
    hash(word.as_bytes()) & !1
}

fn slot(key: TokenKey) -> usize {
    (key >> 54) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::{tokens, words};
    use std::collections::BTreeSet;

    #[test]
    fn every_word_stands_once_and_is_one_token() {
        let mut seen = BTreeSet::new();
        for word in MEANINGS.iter().flat_map(|row| row.split(' ')) {
            assert!(seen.insert(key_of(word)), "{word} stands twice");
            let is_pair = word.chars().count() == 2 && !word.is_ascii();
            assert!(is_pair || words(word).len() == 1, "{word} is no token");
        }
        assert!(seen.len() * 2 < SLOTS);
    }

    fn check(left: &str, right: &str, same: bool) {
        let of = |text: &str| {
            let mut keys = Vec::new();
            tokens(text, &mut keys);
            keys.retain(|key| key & 1 == 0);
            keys
        };
        assert_eq!(of(left) == of(right), same, "{left} {right}");
    }

    #[test]
    fn one_meaning_is_one_token_across_languages() {
        check("提交", "commits", true);
        check("deps", "dependency", true);
        check("依赖", "dependencies", true);
        check("缓存", "依赖", false);
    }
}
