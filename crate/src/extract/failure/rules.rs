//! The table of telling lines. A row: where its words stand, the words, how much the line tells, what line belongs to it,
//! and a line it is there for.

/// Where the words stand in the line, after decoration and time stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Start,
    Any,
}

/// A second line that belongs to the chosen one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    Nothing,
    /// The next line that is not blank.
    Next,
    /// The next line that begins so, decoration aside.
    After(&'static str),
    /// The nearest line above that begins so.
    Before(&'static str),
    /// The next `npm ERR!` line that is not about npm itself.
    Npm,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub at: At,
    pub needle: &'static str,
    /// 0 mutes the line; [`LAST_RANKS`] choose the last of equals, the others the first.
    pub rank: u8,
    pub with: With,
    /// A line the row is there for; empty for a row that mutes.
    #[cfg(test)]
    pub case: &'static str,
}

/// Ranks at which the last line of equals wins: a chain of causes ends with the root.
pub(super) const LAST_RANKS: [u8; 2] = [RAISED, CAUSE];
/// The root cause a runtime names.
pub(super) const CAUSE: u8 = 77;
/// What a traceback raised.
pub(super) const RAISED: u8 = 76;
/// A named test that failed.
pub(super) const TEST: u8 = 90;
/// A diagnostic of a compiler.
pub(super) const COMPILE: u8 = 80;
/// A diagnostic of a linter, an exception without traceback.
pub(super) const LINT: u8 = 72;
/// A tool's own final word.
pub(super) const TOOL: u8 = 66;
/// A message of the system.
pub(super) const SYSTEM: u8 = 60;
/// A wrapper that only passes a failure on.
pub(super) const WRAP: u8 = 45;
/// A line that calls itself an error.
pub(super) const ERROR: u8 = 40;
/// A line that sounds like one.
pub(super) const SOUND: u8 = 20;
/// A count or an exit.
pub(super) const SUMMARY: u8 = 10;
const MUTE: u8 = 0;

use At::{Any, Start};
use With::{After, Before, Next, Nothing, Npm};

const fn row(at: At, needle: &'static str, rank: u8, with: With, case: &'static str) -> Rule {
    let _ = case;
    Rule {
        at,
        needle,
        rank,
        with,
        #[cfg(test)]
        case,
    }
}

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    // Tests
    row(Start, "FAILED ", TEST, Nothing, "FAILED tests/test_api.py::test_login - KeyError: 'user'"),
    row(Start, "ERROR tests/", TEST, Before("E   "), "ERROR tests/test_api.py"),
    row(Start, "ERROR test", TEST, Before("E   "), "ERROR test_api.py"),
    row(Start, "--- FAIL: ", TEST, Next, "--- FAIL: TestTotal (0.01s)"),
    row(Start, "● ", TEST, After("Expected"), "● cart › adds tax"),
    row(Start, "FAIL  ", TEST, After("AssertionError"), "FAIL  src/cart.test.ts > cart > adds tax"),
    row(Any, "' panicked at ", TEST, Next, "thread 'cart::adds_tax' panicked at src/cart.rs:10:5:"),
    row(Any, ") panicked at ", TEST, Next, "thread 'cart::adds_tax' (4711) panicked at src/cart.rs:10:5:"),
    row(Any, "<<< FAILURE!", TEST, Nothing, "[ERROR] CartTest.total  Time elapsed: 0.01 s  <<< FAILURE!"),
    row(Any, "<<< ERROR!", TEST, Nothing, "[ERROR] CartTest.total  Time elapsed: 0.01 s  <<< ERROR!"),
    row(Start, "rspec ./", TEST, Nothing, "rspec ./spec/cart_spec.rb:12 # Cart adds tax"),
    row(Start, "not ok ", TEST, Nothing, "not ok 3 - cart adds tax"),
    // Compilers
    row(Start, "error[E", COMPILE, After("--> "), "error[E0425]: cannot find value `total` in this scope"),
    row(Any, "error TS", COMPILE, Nothing, "src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'."),
    row(Any, ": error CS", COMPILE, Nothing, "Cart.cs(12,5): error CS0103: The name 'x' does not exist"),
    row(Any, ": error MSB", COMPILE, Nothing, "cart.csproj(12,5): error MSB4019: The imported project was not found"),
    row(Any, "undefined reference to", COMPILE, Nothing, "cart.c:(.text+0x5): undefined reference to `total'"),
    row(Any, "Undefined symbols for", COMPILE, Next, "Undefined symbols for architecture arm64:"),
    row(Any, "ld: cannot find ", COMPILE, Nothing, "/usr/bin/ld: cannot find -lzstd: No such file or directory"),
    row(Start, "CMake Error", COMPILE, Next, "CMake Error at CMakeLists.txt:5 (find_package):"),
    row(Start, "error: linking with ", WRAP, Nothing, "error: linking with `cc` failed: exit status: 1"),
    row(Start, "e: ", COMPILE, Nothing, "e: file:///src/Cart.kt:12:5 Unresolved reference: total"),
    row(Start, "[ERROR] /", COMPILE, After("symbol:"), "[ERROR] /repo/src/Cart.java:[12,5] cannot find symbol"),
    row(Any, ": error: cannot find symbol", COMPILE + 1, After("symbol:"), "src/Cart.java:12: error: cannot find symbol"),
    row(Start, "[ERROR] COMPILATION ERROR", MUTE, Nothing, ""),
    row(Any, "SyntaxError: ", COMPILE, Nothing, "SyntaxError: Unexpected token '}'"),
    row(Start, "Module not found: ", COMPILE, Nothing, "Module not found: Error: Can't resolve './cart' in '/repo/src'"),
    // Causes
    row(Start, "Caused by: ", CAUSE, Nothing, "Caused by: java.net.ConnectException: Connection refused"),
    row(Start, "[cause]: ", CAUSE, Nothing, "[cause]: Error: connect ECONNREFUSED 127.0.0.1:5432"),
    row(Any, "JavaScript heap out of memory", CAUSE, Nothing, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
    row(Start, "panic: ", CAUSE, Nothing, "panic: runtime error: index out of range [3] with length 2"),
    row(Start, "** (", CAUSE, Nothing, "** (KeyError) key :total not found"),
    row(Start, "PHP Fatal error:", CAUSE, Nothing, "PHP Fatal error:  Uncaught Error: Call to undefined function total()"),
    row(Start, "* What went wrong:", CAUSE, Next, "* What went wrong:"),
    // Node and its package managers
    row(Start, "npm ERR! Error: ", TOOL + 2, Nothing, "npm ERR! Error: EACCES: permission denied, mkdir '/usr/lib/node_modules'"),
    row(Start, "npm error Error: ", TOOL + 2, Nothing, "npm error Error: EACCES: permission denied, mkdir '/usr/lib/node_modules'"),
    row(Start, "npm ERR! Missing script", TOOL + 2, Nothing, "npm ERR! Missing script: \"lint\""),
    row(Start, "npm error Missing script", TOOL + 2, Nothing, "npm error Missing script: \"lint\""),
    row(Start, "npm ERR! code E404", TOOL + 1, After("npm ERR! 404"), "npm ERR! code E404"),
    row(Start, "npm error code E404", TOOL + 1, After("npm error 404"), "npm error code E404"),
    row(Start, "npm ERR! code ERESOLVE", TOOL + 1, After("npm ERR! peer"), "npm ERR! code ERESOLVE"),
    row(Start, "npm error code ERESOLVE", TOOL + 1, After("npm error peer"), "npm error code ERESOLVE"),
    row(Start, "npm ERR! code ELIFECYCLE", WRAP, After("npm ERR! Failed at"), "npm ERR! code ELIFECYCLE"),
    row(Start, "npm ERR! code ", TOOL, Npm, "npm ERR! code EJSONPARSE"),
    row(Start, "npm error code ", TOOL, Npm, "npm error code EJSONPARSE"),
    row(Start, "npm ERR! Lifecycle script", WRAP, Nothing, "npm ERR! Lifecycle script `build` failed with error:"),
    row(Start, "npm error Lifecycle script", WRAP, Nothing, "npm error Lifecycle script `build` failed with error:"),
    row(Start, "npm ERR! ", ERROR, Nothing, "npm ERR! cb() never called!"),
    row(Start, "npm error ", ERROR, Nothing, "npm error cb() never called!"),
    row(Any, "A complete log of this run", MUTE, Nothing, ""),
    row(Start, "npm WARN tar ", SOUND + 5, Nothing, "npm WARN tar ENOSPC: no space left on device, open '/repo/node_modules/a'"),
    row(Any, "ERR_PNPM_", TOOL + 1, Nothing, "ERR_PNPM_NO_LOCKFILE  Cannot install with \"frozen-lockfile\""),
    row(Start, "ELIFECYCLE", SUMMARY, Nothing, "ELIFECYCLE  Command failed with exit code 1."),
    row(Start, "error Command failed with exit code", SUMMARY, Nothing, "error Command failed with exit code 1."),
    row(Start, "error ", TOOL, Nothing, "error Couldn't find package \"cart\" on the \"npm\" registry."),
    row(Start, "YN0", TOOL, Nothing, "YN0035: │ cart@npm:1.0.0: Package not found"),
    row(Start, "YN0000:", MUTE, Nothing, ""),
    row(Any, "Cannot find module ", LINT + 1, Nothing, "Error: Cannot find module 'express'"),
    row(Any, "Cannot find package ", LINT + 1, Nothing, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /repo/a.mjs"),
    row(Any, "EADDRINUSE", LINT + 1, Nothing, "Error: listen EADDRINUSE: address already in use :::3000"),
    // Python and its package managers
    row(Start, "ERROR: Could not find a version", TOOL + 1, Nothing, "ERROR: Could not find a version that satisfies the requirement cart"),
    row(Start, "ERROR: ", TOOL, Nothing, "ERROR: Invalid requirement: 'cart=1'"),
    row(Start, "ERROR: subprocess-exited-with-error", WRAP, Nothing, "ERROR: subprocess-exited-with-error"),
    row(Start, "error: externally-managed-environment", TOOL, Nothing, "error: externally-managed-environment"),
    row(Any, "No solution found when resolving", TOOL, Next, "× No solution found when resolving dependencies:"),
    row(Any, ": No module named ", TOOL, Nothing, "/usr/bin/python3: No module named pytest"),
    row(Start, "E   ", LINT - 1, Nothing, "E   ModuleNotFoundError: No module named 'cart'"),
    row(Start, "E: ", TOOL, Nothing, "E: Unable to locate package libcart"),
    // Rust
    row(Start, "error: could not compile", SUMMARY, Nothing, "error: could not compile `cart` (lib) due to 1 previous error"),
    row(Start, "error: aborting due to", SUMMARY, Nothing, "error: aborting due to 2 previous errors"),
    row(Start, "error: test failed, to rerun", SUMMARY, Nothing, "error: test failed, to rerun pass `--lib`"),
    row(Start, "error: no matching package", TOOL, Nothing, "error: no matching package named `cart` found"),
    row(Start, "error: failed to select a version", TOOL, Nothing, "error: failed to select a version for `cart`."),
    // Make
    row(Any, "*** No rule to make target", TOOL + 1, Nothing, "make: *** No rule to make target 'deploy'.  Stop."),
    row(Any, ": *** ", WRAP, Nothing, "make: *** [Makefile:4: lint] Error 2"),
    // Git
    row(Any, "! [rejected]", TOOL + 3, Nothing, "! [rejected]        main -> main (fetch first)"),
    row(Any, "! [remote rejected]", TOOL + 3, Nothing, "! [remote rejected] main -> main (protected branch hook declined)"),
    row(Start, "CONFLICT (", TOOL + 3, Nothing, "CONFLICT (content): Merge conflict in cart.yml"),
    row(Any, "Permission denied (publickey", TOOL + 3, Nothing, "git@host: Permission denied (publickey)."),
    row(Any, "Host key verification failed", TOOL + 3, Nothing, "Host key verification failed."),
    row(Start, "remote: Permission to ", TOOL + 3, Nothing, "remote: Permission to a/b.git denied to c."),
    row(Any, "Please tell me who you are", TOOL + 3, Nothing, "*** Please tell me who you are."),
    row(Any, "would be overwritten by", TOOL + 1, Next, "error: Your local changes to the following files would be overwritten by merge:"),
    row(Start, "fatal: ", TOOL, Nothing, "fatal: not a git repository (or any of the parent directories): .git"),
    row(Start, "nothing to commit", TOOL, Nothing, "nothing to commit, working tree clean"),
    row(Start, "nothing added to commit", TOOL, Nothing, "nothing added to commit but untracked files present"),
    row(Start, "hint: ", MUTE, Nothing, ""),
    row(Start, "提示：", MUTE, Nothing, ""),
    // Go
    row(Start, "go: ", TOOL, Nothing, "go: module example.com/cart: not found"),
    row(Any, "no required module provides package", COMPILE, Nothing, "cart.go:3:8: no required module provides package example.com/tax"),
    row(Any, "[build failed]", SUMMARY, Nothing, "FAIL\texample.com/cart [build failed]"),
    // Java
    row(Start, "Exception in thread ", LINT, Nothing, "Exception in thread \"main\" java.lang.NullPointerException: total"),
    row(Start, "[ERROR] Failed to execute goal", TOOL, Nothing, "[ERROR] Failed to execute goal on project cart: Could not resolve dependencies"),
    row(Start, "[ERROR] ", ERROR, Nothing, "[ERROR] Unknown lifecycle phase \"instal\"."),
    row(Start, "[ERROR] Re-run Maven", MUTE, Nothing, ""),
    row(Start, "[ERROR] To see the full stack", MUTE, Nothing, ""),
    row(Start, "[ERROR] -> [Help", MUTE, Nothing, ""),
    row(Start, "[ERROR] For more information", MUTE, Nothing, ""),
    row(Start, "FAILURE: Build failed", SUMMARY, Nothing, "FAILURE: Build failed with an exception."),
    // Docker and clusters
    row(Any, "Cannot connect to the Docker daemon", TOOL + 1, Nothing, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."),
    row(Any, "Error response from daemon", TOOL + 1, Nothing, "docker: Error response from daemon: pull access denied for cart."),
    row(Start, "ERROR: failed to solve", TOOL + 1, Nothing, "ERROR: failed to solve: cart: not found"),
    row(Start, "ERROR: failed to build", TOOL + 1, Nothing, "ERROR: failed to build: failed to solve: cart: not found"),
    row(Start, "Error from server", TOOL + 1, Nothing, "Error from server (NotFound): pods \"cart\" not found"),
    row(Any, "An error occurred (", TOOL + 1, Nothing, "An error occurred (AccessDenied) when calling the ListBuckets operation: Access Denied"),
    // Databases
    row(Any, "ERROR:  ", TOOL, Nothing, "ERROR:  relation \"cart\" does not exist"),
    row(Any, "FATAL:  ", TOOL, Nothing, "psql: error: FATAL:  role \"cart\" does not exist"),
    row(Start, "ERROR 1", TOOL, Nothing, "ERROR 1049 (42000): Unknown database 'cart'"),
    // Network
    row(Start, "curl: (", TOOL, Nothing, "curl: (6) Could not resolve host: cart.example"),
    row(Any, "SSL certificate problem", SYSTEM, Nothing, "SSL certificate problem: self-signed certificate"),
    row(Any, "certificate signed by unknown authority", SYSTEM, Nothing, "x509: certificate signed by unknown authority"),
    row(Any, "certificate verify failed", SYSTEM, Nothing, "certificate verify failed: unable to get local issuer certificate"),
    row(Any, "Could not resolve host", SYSTEM, Nothing, "Could not resolve host: cart.example"),
    row(Any, "Temporary failure in name resolution", SYSTEM, Nothing, "ping: cart: Temporary failure in name resolution"),
    row(Any, "Name or service not known", SYSTEM, Nothing, "ping: cart: Name or service not known"),
    row(Any, "no such host", SYSTEM, Nothing, "dial tcp: lookup cart: no such host"),
    row(Any, "ECONNREFUSED", SYSTEM, Nothing, "connect ECONNREFUSED 127.0.0.1:5432"),
    row(Any, "ECONNRESET", SYSTEM, Nothing, "read ECONNRESET"),
    row(Any, "ETIMEDOUT", SYSTEM, Nothing, "connect ETIMEDOUT 10.0.0.1:443"),
    row(Any, "ENOTFOUND", SYSTEM, Nothing, "getaddrinfo ENOTFOUND cart.example"),
    row(Any, "EAI_AGAIN", SYSTEM, Nothing, "getaddrinfo EAI_AGAIN cart.example"),
    row(Any, "onnection refused", SYSTEM, Nothing, "connect to cart port 22: Connection refused"),
    row(Any, "onnection reset", SYSTEM, Nothing, "read: Connection reset by peer"),
    row(Any, "onnection timed out", SYSTEM, Nothing, "connect: Connection timed out"),
    row(Any, "etwork is unreachable", SYSTEM, Nothing, "connect: Network is unreachable"),
    row(Any, "o route to host", SYSTEM, Nothing, "connect: No route to host"),
    row(Any, "i/o timeout", SYSTEM, Nothing, "dial tcp 10.0.0.1:443: i/o timeout"),
    // System
    row(Any, "ddress already in use", SYSTEM, Nothing, "bind: Address already in use"),
    row(Any, "is already in use", SYSTEM, Nothing, "Port 3000 is already in use"),
    row(Any, "ermission denied", SYSTEM, Nothing, "bash: ./cart.sh: Permission denied"),
    row(Any, "peration not permitted", SYSTEM, Nothing, "chown: cart: Operation not permitted"),
    row(Any, "EACCES", SYSTEM, Nothing, "EACCES: permission denied, open '/etc/cart'"),
    row(Any, "EPERM", SYSTEM, Nothing, "EPERM: operation not permitted, unlink 'C:\\cart'"),
    row(Any, "ENOENT", SYSTEM, Nothing, "ENOENT: no such file or directory, open 'cart.json'"),
    row(Any, "ENOSPC", SYSTEM, Nothing, "ENOSPC: no space left on device, write"),
    row(Any, "EDQUOT", SYSTEM, Nothing, "EDQUOT: disk quota exceeded, write"),
    row(Any, "EMFILE", SYSTEM, Nothing, "EMFILE: too many open files, open 'cart.json'"),
    row(Any, "ENOMEM", SYSTEM, Nothing, "ENOMEM: not enough memory, read"),
    row(Any, "o space left on device", SYSTEM, Nothing, "cp: error writing 'cart': No space left on device"),
    row(Any, "isk quota exceeded", SYSTEM, Nothing, "cp: error writing 'cart': Disk quota exceeded"),
    row(Any, "ead-only file system", SYSTEM, Nothing, "touch: cannot touch 'cart': Read-only file system"),
    row(Any, "o such file or directory", SYSTEM, Nothing, "cat: cart: No such file or directory"),
    row(Any, "oo many open files", SYSTEM, Nothing, "open cart: too many open files"),
    row(Any, "annot allocate memory", SYSTEM, Nothing, "fork: Cannot allocate memory"),
    row(Any, "egmentation fault", SYSTEM, Nothing, "Segmentation fault (core dumped)"),
    row(Any, "command not found", SYSTEM + 1, Nothing, "bash: line 1: cartx: command not found"),
    row(Any, ": not found", SYSTEM, Nothing, "sh: 1: cartx: not found"),
    row(Any, "is not recognized as ", SYSTEM + 1, Nothing, "'cartx' is not recognized as an internal or external command,"),
    row(Any, "syntax error", SYSTEM, Nothing, "bash: -c: line 2: syntax error near unexpected token `)'"),
    row(Any, "unbound variable", SYSTEM, Nothing, "bash: line 3: CART: unbound variable"),
    row(Any, "timed out after", SYSTEM, Nothing, "command timed out after 5s"),
    // Wrappers and words
    row(Start, "error: ", ERROR + 2, Nothing, "error: unexpected argument '--cart' found"),
    row(Start, "Error: Unsupported argument", LINT + 1, After("An argument named"), "Error: Unsupported argument"),
    row(Start, "Error: ", ERROR + 2, Nothing, "Error: no such profile"),
    row(Start, "错误：", ERROR + 2, Nothing, "错误：未知选项"),
    row(Start, "错误: ", ERROR + 2, Nothing, "错误: 未知选项"),
    row(Start, "FATAL", ERROR + 2, Nothing, "FATAL could not load the profile"),
    row(Any, "fatal error", ERROR + 2, Nothing, "fatal error: all goroutines are asleep - deadlock!"),
    row(Any, "ERROR", ERROR, Nothing, "[12:00:01] ERROR cannot load the profile"),
    row(Any, "Error: ", ERROR, Nothing, "Unhandled Error: no such profile"),
    row(Any, " error: ", ERROR, Nothing, "clang: error: no input files"),
    row(Any, "Error", SOUND + 1, Nothing, "Error while loading the profile"),
    row(Any, "error", SOUND, Nothing, "an error while loading"),
    row(Any, "failed", SOUND, Nothing, "loading the profile failed"),
    row(Any, "Failed", SOUND, Nothing, "Failed to load the profile"),
    row(Any, "annot ", SOUND, Nothing, "Cannot load the profile"),
    row(Any, "ould not ", SOUND, Nothing, "Could not load the profile"),
    row(Any, "nable to ", SOUND, Nothing, "Unable to load the profile"),
    row(Any, "not found", SOUND, Nothing, "profile not found"),
    row(Any, "nvalid ", SOUND, Nothing, "Invalid profile"),
    row(Any, "issing ", SOUND, Nothing, "Missing profile"),
    row(Any, "denied", SOUND, Nothing, "access denied for the profile"),
    row(Any, "refused", SOUND, Nothing, "the server refused the profile"),
    row(Any, "nknown ", SOUND, Nothing, "Unknown profile"),
    row(Any, "错误", SOUND, Nothing, "加载出现错误"),
    row(Any, "失败", SOUND, Nothing, "加载失败"),
    row(Any, "无法", SOUND, Nothing, "无法加载"),
    row(Any, "未安装", SOUND, Nothing, "未安装该组件"),
    row(Any, "拒绝", SOUND, Nothing, "拒绝访问。"),
    // Counts and exits, stack frames
    row(Start, "Found ", SUMMARY, Nothing, "Found 2 errors."),
    row(Start, "collect2: error", SUMMARY, Nothing, "collect2: error: ld returned 1 exit status"),
    row(Start, "Error: Process completed with exit code", SUMMARY, Nothing, "Error: Process completed with exit code 1."),
    row(Start, "at ", MUTE, Nothing, ""),
    row(Start, "File \"", MUTE, Nothing, ""),
    row(Start, "code: '", MUTE, Nothing, ""),
    row(Start, "warning: ", MUTE, Nothing, ""),
    row(Start, "warning[", MUTE, Nothing, ""),
    row(Start, "note: ", MUTE, Nothing, ""),
    row(Start, "throw ", MUTE, Nothing, ""),
    row(Start, "Emitted 'error' event", MUTE, Nothing, ""),
];

/// Marks the host adds to a result, which say more than the line does: a refusal of the sandbox, a limit of time.
pub(super) const HOST_MARKS: [&str; 2] = ["[sandbox: ", "[timed out after "];

/// Lines of npm about itself.
#[rustfmt::skip]
pub(super) const NPM_META: [&str; 20] = [
    "code ", "syscall", "path ", "errno", "cwd ", "node ", "npm ", "argv", "System ", "Linux ", "Darwin ", "Windows",
    "command ", "A complete log", "stack ", "file ", "dest ", "network ", "If you need help", "Please include",
];
