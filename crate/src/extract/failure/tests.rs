//! The same failure has one signature, different failures have different ones, whatever run, machine or language.

use super::*;
use crate::memory::{EventSeq, SessionId};
use crate::turn::Session;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn signed(text: &str) -> String {
    signature("bash", text).unwrap_or_else(|| panic!("{text:?} tells nothing"))
}

/// Each row is one failure in several wordings; no two rows share a signature.
fn check(rows: &[&[&str]]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (row, texts) in rows.iter().enumerate() {
        let first = signed(texts[0]);
        for text in *texts {
            let signature = signed(text);
            if signature != first {
                faults.push(format!("{first}\n  is not\n  {signature}"));
            }
        }
        if let Some(other) = seen.insert(first.clone(), row) {
            faults.push(format!("rows {other} and {row} share {first}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn shells_say_the_same_in_every_line_and_language() {
    check(&[
        &[
            "bash: line 1: foox: command not found",
            "bash: foox: command not found",
            "/usr/bin/bash: line 12: foox: command not found",
            "bash: foox：未找到命令",
            "bash: 第 3 行： foox：未找到命令",
            "bash: 行 7: foox: 未找到命令",
            "bash: foox: コマンドが見つかりません",
            "bash: foox: Kommando nicht gefunden.",
            "bash: foox : commande introuvable",
        ],
        &["bash: line 1: bary: command not found"],
        &[
            "sh: 1: foox: not found",
            "/bin/sh: 3: foox: not found",
            "/bin/sh: line 1: foox: not found",
        ],
        &[
            "zsh: command not found: foox",
            "zsh:1: command not found: foox",
        ],
        &[
            "'foox' is not recognized as an internal or external command,\noperable program or batch file.",
            "'foox' 不是内部或外部命令，也不是可运行的程序\n或批处理文件。",
        ],
        &[
            "cat: conf/x.yml: No such file or directory",
            "cat: conf/x.yml: 没有那个文件或目录",
        ],
        &["cat: conf/y.yml: No such file or directory"],
        &[
            "mkdir: cannot create directory ‘/opt/shop’: Permission denied",
            "mkdir: 无法创建目录 “/opt/shop”: 权限不够",
        ],
        &[
            "cp: error writing 'out/big.bin': No space left on device",
            "cp: 写入 'out/big.bin' 时出错: 设备上没有空间",
        ],
        &[
            "bash: line 1: 12345 Killed                  node big.js",
            "bash: line 3: 777 Killed                  node big.js",
        ],
    ]);
}

#[test]
fn builds_keep_names_and_lose_places() {
    check(&[
        &[
            "make: *** No rule to make target 'dist'.  Stop.",
            "make[1]: *** No rule to make target 'dist'.  Stop.\nmake: *** [Makefile:8: all] Error 2",
            "make: *** 没有规则可制作目标“dist”。 停止。",
        ],
        &["make: *** No rule to make target 'distx'.  Stop."],
        &[
            "make: *** [Makefile:4: test] Error 1",
            "make: *** [Makefile:14: test] 错误 1",
        ],
        &["make: *** [Makefile:4: test] Error 3"],
        &[
            "src/net.c:3:10: fatal error: shop/tax.h: No such file or directory\n    3 | #include <shop/tax.h>",
            "src/net.c:9:10: 致命错误： shop/tax.h：没有那个文件或目录\n编译中断。",
        ],
        &[
            "/usr/bin/ld: /tmp/ccAb12.o: in function `main':\nx.c:(.text+0x15): undefined reference to `shop_init'\ncollect2: error: ld returned 1 exit status",
            "/usr/bin/ld: /tmp/ccQQ.o: 在函数‘main’中：\nx.c:(.text+0xa)：对‘shop_init’未定义的引用\ncollect2: error: ld returned 1 exit status",
        ],
        &[
            "error[E0425]: cannot find value `totl` in this scope\n --> src/main.rs:3:5\nerror: could not compile `shop`",
            "error[E0425]: cannot find value `totl` in this scope\n --> src/main.rs:13:9\nerror: could not compile `shop`",
        ],
        &["error[E0425]: cannot find value `totl` in this scope\n --> src/lib.rs:3:5"],
        &["error[E0425]: cannot find value `price` in this scope\n --> src/main.rs:3:5"],
        &[
            "src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.",
            "src/cart.ts:15:9 - error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound 1 error in src/cart.ts:15",
        ],
        &["src/tax.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'."],
        &[
            "/home/a/code/shop/src/cart.js\n  3:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem",
            "/tmp/run-77aa/shop/src/cart.js\n  13:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem",
        ],
        &[
            "app.py:1:1: I001 Import block is un-sorted\napp.py:1:8: F401 `os` imported but unused",
            "app.py:4:1: I001 Import block is un-sorted\napp.py:6:8: F401 `os` imported but unused",
        ],
        &["app.py:1:1: I001 Import block is un-sorted\napp.py:1:8: F401 `sys` imported but unused"],
        &[
            "# shop/cart\ncart/cart.go:12:2: undefined: total",
            "# shop/cart\ncart/cart.go:22:9: undefined: total",
        ],
        &[
            "src/Cart.java:12: error: cannot find symbol\n    totl();\n    ^\n  symbol:   method totl()",
        ],
        &[
            "src/Cart.java:12: error: cannot find symbol\n    price();\n    ^\n  symbol:   method price()",
        ],
        &[
            "[ERROR] /home/a/code/shop/src/main/java/Cart.java:[12,5] cannot find symbol\n[ERROR]   symbol:   class Tax\n[ERROR] -> [Help 1]",
            "[ERROR] /tmp/r/shop/src/main/java/Cart.java:[14,9] cannot find symbol\n[ERROR]   symbol:   class Tax\n[ERROR] -> [Help 1]",
        ],
    ]);
}

#[test]
fn tests_are_told_apart_by_name_and_cause() {
    check(&[
        &[
            "E       AttributeError: 'Cart' has no 'tax'\ntests/test_a.py:3: AttributeError\nFAILED tests/test_a.py::test_x - AttributeError: 'Cart' has no 'tax'\n1 failed in 0.12s",
            "FAILED tests/test_a.py::test_x - AttributeError: 'Cart' has no 'tax'\n1 failed, 3 passed in 2.50s",
        ],
        &["FAILED tests/test_a.py::test_y - AttributeError: 'Cart' has no 'tax'"],
        &[
            "ImportError while importing test module '/home/a/shop/tests/test_b.py'.\nE   ModuleNotFoundError: No module named 'redsi'\nERROR tests/test_b.py\n1 error in 0.09s",
            "ImportError while importing test module '/tmp/q/shop/tests/test_b.py'.\nE   ModuleNotFoundError: No module named 'redsi'\nERROR tests/test_b.py\n1 error in 0.19s",
        ],
        &[
            "E   ModuleNotFoundError: No module named 'numpi'\nERROR tests/test_b.py\n1 error in 0.19s",
        ],
        &[
            "thread 'cart::adds' panicked at src/cart.rs:10:5:\nassertion failed\ntest result: FAILED. finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`",
            "thread 'cart::adds' (48213) panicked at src/cart.rs:12:9:\nassertion failed\ntest result: FAILED. finished in 0.31s",
        ],
        &[
            "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: got 3, want 4\nFAIL",
            "--- FAIL: TestTotal (0.12s)\n    cart_test.go:19: got 3, want 4\nFAIL",
        ],
        &[
            "FAIL src/cart.test.js\n  ● cart › adds tax\n    Expected: 4\n    Received: 3\n      at x (src/cart.test.js:7:15)\nTime: 0.5 s",
            "FAIL src/cart.test.js\n  ● cart › adds tax\n    Expected: 4\n    Received: 3\n      at x (src/cart.test.js:17:15)\nTime: 1.25 s",
        ],
        &["FAIL src/cart.test.js\n  ● cart › drops tax\n    Expected: 4\n    Received: 3"],
    ]);
}

#[test]
fn programs_keep_ports_codes_and_modules_and_lose_folders_and_ids() {
    let raised = |folder: &str, line: u32, what: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"{folder}/app.py\", line {line}, in <module>\n    x()\n{what}"
        )
    };
    let yaml = [
        raised(
            "/home/a/code/shop",
            1,
            "ModuleNotFoundError: No module named 'yaml'",
        ),
        raised(
            "/tmp/run-1/x",
            7,
            "ModuleNotFoundError: No module named 'yaml'",
        ),
    ];
    let toml = raised(
        "/home/a/code/shop",
        1,
        "ModuleNotFoundError: No module named 'toml'",
    );
    check(&[
        &[&yaml[0], &yaml[1]],
        &[&toml],
        &[
            "Error: listen EADDRINUSE: address already in use :::4000\n    at Server",
            "Error: listen EADDRINUSE: address already in use 0.0.0.0:4000\n    at Server",
            "Error: listen EADDRINUSE :::4000\n    at Server",
        ],
        &["Error: listen EADDRINUSE: address already in use :::4001\n    at Server"],
        &[
            "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCP",
            "Error: connect ECONNREFUSED ::1:5432\n    at TCP",
            "TypeError: fetch failed\n    at x {\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432\n  }",
        ],
        &["Error: connect ECONNREFUSED 127.0.0.1:6379\n    at TCP"],
        &[
            "Error: Cannot find module '/home/a/code/shop/dist/x.js'\n    at Module",
            "Error: Cannot find module '/srv/build/run-ab12cd/shop/dist/x.js'\n    at Module",
        ],
        &["Error: Cannot find module 'express'\nRequire stack:\n- /home/a/code/shop/src/index.js"],
        &[
            "read tcp 10.0.0.5:54321->140.82.112.3:443: i/o timeout",
            "read tcp 10.0.0.9:41210->140.82.113.4:443: i/o timeout",
        ],
        &[
            "request 3f2b1c4d-1111-4222-8333-abcdefabcdef failed: upstream 502",
            "request 9f2b1c4d-1111-4222-8333-abcdefabcdee failed: upstream 502",
        ],
        &["request 3f2b1c4d-1111-4222-8333-abcdefabcdef failed: upstream 503"],
        &[
            "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
            "  % Total    % Received\r  0     0\rcurl: (7) Failed to connect to localhost port 3000 after 12 ms: Couldn't connect to server",
        ],
        &[
            "curl: (7) Failed to connect to localhost port 4000 after 0 ms: Couldn't connect to server",
        ],
        &[
            "Error from server (NotFound): pods \"shop-7d9f8b6c5-x2x9z\" not found",
            "Error from server (NotFound): pods \"shop-5c8d7f6b4-a1b2c\" not found",
        ],
        &[
            "open C:\\Users\\a\\work\\shop\\src\\x.json: Access is denied.",
            "open C:\\Users\\b\\work\\shop\\src\\x.json: 拒绝访问.",
        ],
    ]);
}

#[test]
fn package_managers_are_told_apart_by_package() {
    let resolve = |word: &str, package: &str| {
        format!(
            "npm {word} code ERESOLVE\nnpm {word} ERESOLVE unable to resolve dependency tree\nnpm {word}\nnpm {word} Could not resolve dependency:\nnpm {word} peer react@\"^16.8.0\" from {package}@1.2.3"
        )
    };
    let (old, new, other) = (
        resolve("ERR!", "foo-ui"),
        resolve("error", "foo-ui"),
        resolve("error", "bar-ui"),
    );
    check(&[
        &[&old, &new],
        &[&other],
        &[
            "npm error Missing script: \"lnt\"\nnpm error To see a list",
            "npm ERR! Missing script: \"lnt\"\nnpm ERR! ",
        ],
        &[
            "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/lodahs - Not found",
        ],
        &[
            "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/expresss - Not found",
        ],
        &[
            "ERROR: Could not find a version that satisfies the requirement reqests==9\nERROR: No matching distribution found",
        ],
        &[
            "ERROR: Could not find a version that satisfies the requirement flsk\nERROR: No matching distribution found",
        ],
    ]);
}

#[test]
fn git_speaks_two_languages() {
    check(&[
        &[
            "fatal: not a git repository (or any of the parent directories): .git",
            "致命错误：不是 git 仓库（或者任何父目录）：.git",
            "fatal: 不是 git 仓库（或者任何父目录）：.git",
        ],
        &[
            "fatal: Unable to create '/home/a/code/shop/.git/index.lock': File exists.",
            "致命错误：无法创建 '/tmp/r/shop/.git/index.lock'：文件已存在。",
        ],
        &[
            "error: pathspec 'dev' did not match any file(s) known to git",
            "错误：路径规格 'dev' 未匹配任何 git 已知文件",
        ],
        &[
            "CONFLICT (content): Merge conflict in a.txt\nAutomatic merge failed",
            "自动合并 a.txt\n冲突（内容）：合并冲突于 a.txt\n自动合并失败",
        ],
        &[
            "git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.",
        ],
    ]);
}

#[test]
fn an_answer_without_telling_line_tells_nothing() {
    for text in [
        "",
        "\n\n",
        "[exit code: 1]",
        "[stderr]\n[exit code: 1]",
        "1\n2\n3\n4\n5\n6\n7",
    ] {
        assert_eq!(signature("bash", text), None, "{text:?}");
    }
    // A colour, a progress line and the host's own marks are no part of it.
    assert_eq!(
        signed("10%\r50%\r\u{1b}[31merror: no such profile 'x'\u{1b}[0m\n[exit code: 2]"),
        "bash: error: no such profile 'x'"
    );
    assert_eq!(
        signed(
            "touch: cannot touch 'a': Permission denied\n[sandbox: file access denied under read-only mode]\n[exit code: 1]"
        ),
        "bash: [sandbox: file access denied under read-only mode] touch: cannot touch 'a': Permission denied"
    );
}

#[test]
fn a_secret_in_a_telling_line_is_taken_out() {
    let token: String = (0..36u8)
        .map(|n| {
            char::from(if n % 3 == 0 {
                b'a' + n % 26
            } else {
                b'0' + n % 10
            })
        })
        .collect();
    let text = format!(
        "remote: Invalid credentials\nfatal: Authentication failed for 'https://shop:{token}@host.example/a.git/'"
    );
    let (signature, quote) = describe("bash", &text).unwrap();
    assert!(
        !signature.contains(&token[..6]) && !quote.contains(&token[..6]),
        "{signature} {quote}"
    );
}

struct Log(Vec<TurnEvent>);

impl Log {
    fn call(&mut self, id: &str, tool: &str, arguments: &str) {
        self.0.push(TurnEvent::ToolCall {
            seq: EventSeq(self.0.len() as u64),
            turn: 1,
            call_id: id.to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
        });
    }

    fn result(
        &mut self,
        id: &str,
        tool: &str,
        is_error: bool,
        code: Option<&str>,
        denied: bool,
        text: &str,
    ) {
        self.0.push(TurnEvent::ToolResult {
            seq: EventSeq(self.0.len() as u64),
            turn: 1,
            at: Millis(7),
            call_id: id.to_owned(),
            tool: tool.to_owned(),
            is_error,
            code: code.map(str::to_owned),
            denied,
            text: text.to_owned(),
        });
    }

    fn failures(self) -> Vec<Failure> {
        failures(&Turn {
            session: Session {
                id: SessionId::from("s"),
                cwd: "/home/a/code/shop".to_owned(),
                child: false,
            },
            turn: 1,
            read_to: EventSeq(self.0.len() as u64),
            events: self.0,
        })
    }
}

#[test]
fn only_what_ran_and_failed_counts() {
    let mut log = Log(Vec::new());
    let failed = "bash: foox: command not found\n[exit code: 127]";
    log.result("1", "bash", false, None, false, failed);
    log.result(
        "2",
        "bash",
        false,
        None,
        false,
        "bash: foox: command not found\n[exit code: 0]",
    );
    log.result("3", "bash", false, None, false, "error: said in passing");
    log.result(
        "4",
        "read",
        true,
        Some("FS_NOT_FOUND"),
        false,
        "Error: cannot read \"a.txt\": not found",
    );
    log.result(
        "5",
        "bash",
        true,
        Some("ABORTED_BEFORE_DISPATCH"),
        false,
        failed,
    );
    log.result("6", "bash", true, None, true, failed);
    log.result(
        "7",
        "memory_write",
        true,
        None,
        false,
        "Error: no such sentence",
    );
    log.result(
        "8",
        "frobnicate",
        true,
        Some("UNKNOWN_TOOL"),
        false,
        "Error: unknown tool",
    );
    log.result(
        "9",
        "bash",
        true,
        None,
        false,
        "Error: the user rejected escalating this command",
    );
    let told: Vec<String> = log
        .failures()
        .into_iter()
        .map(|failure| failure.signature)
        .collect();
    assert_eq!(
        told,
        [
            "bash: bash: foox: command not found",
            "read: Error: cannot read 'a.txt': not found"
        ]
    );
}

#[test]
fn the_next_call_that_works_is_the_way_out() {
    let mut log = Log(Vec::new());
    log.call("1", "bash", r#"{"command":"foox build"}"#);
    log.result(
        "1",
        "bash",
        false,
        None,
        false,
        "bash: foox: command not found\n[exit code: 127]",
    );
    log.call("2", "read", r#"{"path":"a"}"#);
    log.result("2", "read", false, None, false, "text");
    log.call("3", "bash", r#"{"command":"npx foox build"}"#);
    log.result("3", "bash", false, None, false, "done");
    let failures = log.failures();
    assert_eq!(failures.len(), 1);
    assert_eq!(
        failures[0].way_out.as_deref(),
        Some(r#"{"command":"npx foox build"}"#)
    );
    assert_eq!(
        failures[0].key,
        short_digest(failures[0].signature.as_bytes())
    );
    assert_eq!(failures[0].quote, "bash: foox: command not found");
}

#[test]
fn a_way_out_with_a_secret_is_dropped_and_a_long_one_is_cut() {
    let password: String = ["Tr0ub", "4dor&", "3x"].concat();
    for (arguments, kept) in [
        (
            format!("{{\"command\":\"mysql -uroot -p{password} shop\"}}"),
            None,
        ),
        ("长".repeat(300), Some(160)),
    ] {
        let mut log = Log(Vec::new());
        log.result(
            "1",
            "bash",
            false,
            None,
            false,
            "error: no such profile\n[exit code: 1]",
        );
        log.call("2", "bash", &arguments);
        log.result("2", "bash", false, None, false, "done");
        let way_out = log.failures()[0].way_out.clone();
        assert_eq!(way_out.map(|text| text.chars().count()), kept);
    }
}

#[test]
fn megabytes_are_read_at_both_ends_only() {
    let noise = "lorem ipsum dolor sit amet 12345\n".repeat(70_000);
    assert_eq!(
        signed(&format!("{noise}error: at the end\n[exit code: 1]")),
        "bash: error: at the end"
    );
    assert_eq!(
        signed(&format!("error: at the start\n{noise}[exit code: 1]")),
        "bash: error: at the start"
    );
    let line = "x".repeat(2_000_000);
    assert!(
        signature("bash", &line)
            .is_none_or(|signature| signature.chars().count() <= SIGNATURE_CHARS)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_keeps_the_limits(tool in "\\PC{0,60}", text in prop_oneof![".{0,300}", "([ -~\\u{1b}\\r\\n\\u{8}：，。错误行 ]{0,80}\n?){0,8}"]) {
        if let Some((signature, quote)) = describe(&tool, &text) {
            prop_assert!(signature.chars().count() <= SIGNATURE_CHARS);
            prop_assert!(quote.chars().count() <= QUOTE_CHARS);
            prop_assert!(!signature.contains('\n') && !signature.is_empty());
        }
    }

    #[test]
    fn telling_lines_with_odd_ends_never_panic(row in 0..rules::RULES.len(), tail in ".{0,40}", more in "(.{0,30}\n){0,4}") {
        let rule = rules::RULES[row];
        let _ = describe("t", &format!("{}{tail}\n{more}", rule.needle));
        let _ = describe("t", &format!("{more}{}{tail}", rule.case));
    }

    #[test]
    fn masking_is_bounded_and_total(line in "[-0-9a-fxA-Z_./\\\\:()\\[\\]<>'\", ：行第~]{0,200}") {
        let masked = mask::mask(&line);
        prop_assert!(masked.len() <= line.len() * 6 + 16);
    }
}
