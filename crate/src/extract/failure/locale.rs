//! System messages in the user's language, put back into the English of the C locale, so that one failure has one signature on every machine.

/// Translated phrase and what it stands for. Longer phrases stand before their own parts.
#[rustfmt::skip]
const PHRASES: &[(&str, &str)] = &[
    // Chinese
    (
        "不是 git 仓库（或者任何父目录）",
        "not a git repository (or any of the parent directories)",
    ),
    ("未找到命令", "command not found"),
    ("找不到命令", "command not found"),
    ("没有那个文件或目录", "No such file or directory"),
    ("没有这个文件或目录", "No such file or directory"),
    ("没有该文件或目录", "No such file or directory"),
    ("权限不够", "Permission denied"),
    ("权限被拒绝", "Permission denied"),
    ("不允许的操作", "Operation not permitted"),
    ("设备上没有空间", "No space left on device"),
    ("设备无剩余空间", "No space left on device"),
    ("超出磁盘限额", "Disk quota exceeded"),
    ("超出磁盘配额", "Disk quota exceeded"),
    ("地址已在使用", "Address already in use"),
    ("地址已被使用", "Address already in use"),
    ("拒绝连接", "Connection refused"),
    ("连接被拒绝", "Connection refused"),
    ("连接超时", "Connection timed out"),
    ("连接被对方重置", "Connection reset by peer"),
    ("连接被对端重置", "Connection reset by peer"),
    ("网络不可达", "Network is unreachable"),
    ("没有到主机的路由", "No route to host"),
    ("域名解析暂时失败", "Temporary failure in name resolution"),
    ("未知的名称或服务", "Name or service not known"),
    ("只读文件系统", "Read-only file system"),
    ("文件已存在", "File exists"),
    ("不是目录", "Not a directory"),
    ("是一个目录", "Is a directory"),
    ("目录非空", "Directory not empty"),
    ("打开的文件过多", "Too many open files"),
    ("无法分配内存", "Cannot allocate memory"),
    ("断开的管道", "Broken pipe"),
    ("段错误", "Segmentation fault"),
    ("已杀死", "Killed"),
    ("没有规则可制作目标", "No rule to make target"),
    ("停止。", "Stop."),
    ("未定义的引用", "undefined reference"),
    ("编译中断。", "compilation terminated."),
    ("无法创建目录", "cannot create directory"),
    ("无法删除", "cannot remove"),
    ("无法打开", "cannot open"),
    ("无法获取", "cannot stat"),
    ("致命错误", "fatal"),
    ("錯誤", "Error"),
    ("错误", "error"),
    ("权限被拒", "Permission denied"),
    ("無此檔案或目錄", "No such file or directory"),
    ("沒有此一檔案或目錄", "No such file or directory"),
    ("拒絕不符權限的操作", "Permission denied"),
    ("第 ", "line "),
];

/// Returns `line` with translated phrases in English and Chinese punctuation in ASCII. Text without any is returned as it is.
pub(super) fn to_english(line: &str) -> String {
    if line.is_ascii() {
        return line.to_owned();
    }
    let mut out = line.to_owned();
    for (phrase, english) in PHRASES {
        if out.contains(phrase) {
            out = out.replace(phrase, english);
        }
    }
    out
}
