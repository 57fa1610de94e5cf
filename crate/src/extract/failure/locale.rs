//! System messages in the user's language, put back into the English of the C locale, so that one failure has one
//! signature on every machine.

use crate::text::needles::Needles;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A translated phrase and what it stands for; `{}` is a name that both hold. Longer phrases stand before their parts.
///
/// # Source
/// The message catalogues of bash, coreutils, make, binutils, gcc, git and glibc (strerror), and the texts of Windows.
#[rustfmt::skip]
const PHRASES: &[(&str, &str)] = &[
    // Longer than a part of it below
    ("另一个程序正在使用此文件，进程无法访问", "The process cannot access the file because it is being used by another process"),
    // Shells
    ("未找到命令", "command not found"),
    ("找不到命令", "command not found"),
    ("找不到指令", "command not found"),
    ("コマンドが見つかりません", "command not found"),
    ("명령어를 찾을 수 없음", "command not found"),
    ("명령을 찾을 수 없습니다", "command not found"),
    ("Kommando nicht gefunden.", "command not found"),
    ("Befehl nicht gefunden.", "command not found"),
    (" : commande introuvable", ": command not found"),
    ("commande introuvable", "command not found"),
    ("orden no encontrada", "command not found"),
    ("no se encontró la orden", "command not found"),
    ("comando não encontrado", "command not found"),
    ("comando non trovato", "command not found"),
    ("команда не найдена", "command not found"),
    ("未绑定的变量", "unbound variable"),
    ("为绑定变量", "unbound variable"),
    ("未预期的记号 {} 附近有语法错误", "syntax error near unexpected token {}"),
    ("未预期的符号 {} 附近有语法错误", "syntax error near unexpected token {}"),
    ("语法错误: 未预期的文件结束符", "syntax error: unexpected end of file"),
    ("语法错误：未预期的文件结尾", "syntax error: unexpected end of file"),
    // Errors of the system
    ("没有那个文件或目录", "No such file or directory"),
    ("没有这个文件或目录", "No such file or directory"),
    ("没有该文件或目录", "No such file or directory"),
    ("沒有此一檔案或目錄", "No such file or directory"),
    ("そのようなファイルやディレクトリはありません", "No such file or directory"),
    ("그런 파일이나 디렉터리가 없습니다", "No such file or directory"),
    ("Datei oder Verzeichnis nicht gefunden", "No such file or directory"),
    ("Aucun fichier ou dossier de ce type", "No such file or directory"),
    ("Aucun fichier ou répertoire de ce type", "No such file or directory"),
    ("No existe el archivo o el directorio", "No such file or directory"),
    ("No existe el fichero o el directorio", "No such file or directory"),
    ("Arquivo ou diretório inexistente", "No such file or directory"),
    ("File o directory non esistente", "No such file or directory"),
    ("Нет такого файла или каталога", "No such file or directory"),
    ("权限不够", "Permission denied"),
    ("权限被拒绝", "Permission denied"),
    ("拒絕不符權限的操作", "Permission denied"),
    ("許可がありません", "Permission denied"),
    ("허가 거부", "Permission denied"),
    ("Keine Berechtigung", "Permission denied"),
    ("Permission non accordée", "Permission denied"),
    ("Permiso denegado", "Permission denied"),
    ("Permissão negada", "Permission denied"),
    ("Permesso negato", "Permission denied"),
    ("Отказано в доступе", "Permission denied"),
    ("不允许的操作", "Operation not permitted"),
    ("設備上沒有空間", "No space left on device"),
    ("设备上没有空间", "No space left on device"),
    ("デバイスに空き領域がありません", "No space left on device"),
    ("Auf dem Gerät ist kein Speicherplatz mehr verfügbar", "No space left on device"),
    ("Aucun espace disponible sur le périphérique", "No space left on device"),
    ("No queda espacio en el dispositivo", "No space left on device"),
    ("На устройстве не осталось свободного места", "No space left on device"),
    ("超出磁盘限额", "Disk quota exceeded"),
    ("超出磁盘配额", "Disk quota exceeded"),
    ("地址已在使用", "Address already in use"),
    ("地址已被使用", "Address already in use"),
    ("アドレスは既に使用中です", "Address already in use"),
    ("Die Adresse wird bereits verwendet", "Address already in use"),
    ("Adresse déjà utilisée", "Address already in use"),
    ("La dirección ya se está usando", "Address already in use"),
    ("拒绝连接", "Connection refused"),
    ("连接被拒绝", "Connection refused"),
    ("接続を拒否されました", "Connection refused"),
    ("Verbindungsaufbau abgelehnt", "Connection refused"),
    ("Connexion refusée", "Connection refused"),
    ("Conexión rehusada", "Connection refused"),
    ("В соединении отказано", "Connection refused"),
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
    ("无效的参数", "Invalid argument"),
    ("设备或资源忙", "Device or resource busy"),
    ("参数列表过长", "Argument list too long"),
    ("可执行文件格式错误", "Exec format error"),
    ("段错误", "Segmentation fault"),
    ("浮点数例外", "Floating point exception"),
    ("核心已转储", "core dumped"),
    ("已杀死", "Killed"),
    ("已放弃", "Aborted"),
    // Files
    ("写入 {} 时出错", "error writing {}"),
    ("写入 {} 出错", "error writing {}"),
    ("写入{} 出错", "error writing {}"),
    ("写入{}出错", "error writing {}"),
    ("读取 {} 时出错", "error reading {}"),
    ("无法创建目录", "cannot create directory "),
    ("无法创建普通文件", "cannot create regular file "),
    ("无法获取 {} 的文件状态(stat)", "cannot stat {}"),
    ("无法获取{} 的文件状态(stat)", "cannot stat {}"),
    ("无法获取{}的文件状态(stat)", "cannot stat {}"),
    ("对 {} 调用 stat 失败", "cannot stat {}"),
    ("无法访问", "cannot access "),
    ("无法删除", "cannot remove "),
    ("无法移动", "cannot move "),
    ("无法 touch", "cannot touch"),
    ("：无法 open", ": Cannot open"),
    (": 无法 open", ": Cannot open"),
    ("缺少操作数", "missing operand"),
    ("无效选项 -- ", "invalid option -- "),
    // Make and compilers
    ("没有规则可制作目标{}。 停止。", "No rule to make target {}.  Stop."),
    ("没有规则可制作目标{}。停止。", "No rule to make target {}.  Stop."),
    ("没有规则可以创建目标{}。 停止。", "No rule to make target {}.  Stop."),
    ("没有规则可制作目标", "No rule to make target "),
    ("没有指明目标并且找不到 makefile。 停止。", "No targets specified and no makefile found.  Stop."),
    ("缺失分隔符 。 停止。", "missing separator.  Stop."),
    ("缺失分隔符。 停止。", "missing separator.  Stop."),
    ("] 错误 ", "] Error "),
    ("对{}未定义的引用", "undefined reference to {}"),
    ("未声明(在此函数内第一次使用)", " undeclared (first use in this function)"),
    ("未声明（在此函数内第一次使用）", " undeclared (first use in this function)"),
    ("编译中断。", "compilation terminated."),
    (": 致命错误：", ": fatal error: "),
    (": 致命错误： ", ": fatal error: "),
    (": 错误：", ": error: "),
    // Git
    ("不是 git 仓库（或者任何父目录）：", "not a git repository (or any of the parent directories): "),
    ("不是一个 git 仓库（或者任何父目录）：", "not a git repository (or any of the parent directories): "),
    ("路径规格 {} 未匹配任何 git 已知文件", "pathspec {} did not match any file(s) known to git"),
    ("路径规格 {} 没有匹配任何 git 已知的文件", "pathspec {} did not match any file(s) known to git"),
    ("冲突（内容）：合并冲突于 ", "CONFLICT (content): Merge conflict in "),
    ("冲突（添加/添加）：合并冲突于 ", "CONFLICT (add/add): Merge conflict in "),
    ("无法推送一些引用到 ", "failed to push some refs to "),
    ("推送一些引用到 {} 失败", "failed to push some refs to {}"),
    ("[已拒绝]", "[rejected]"),
    ("[被拒绝]", "[rejected]"),
    ("[远程拒绝]", "[remote rejected]"),
    ("无文件要提交，干净的工作区", "nothing to commit, working tree clean"),
    ("提交为空，但是存在尚未跟踪的文件", "nothing added to commit but untracked files present"),
    ("没有配置推送目标。", "No configured push destination."),
    ("无法读取远程仓库。", "Could not read from remote repository."),
    ("远程 {} 已经存在。", "remote {} already exists."),
    ("您对下列文件的本地修改将被合并操作覆盖：", "Your local changes to the following files would be overwritten by merge:"),
    ("您对下列文件的本地修改将被检出操作覆盖：", "Your local changes to the following files would be overwritten by checkout:"),
    ("无法创建 ", "Unable to create "),
    ("致命错误：", "fatal: "),
    ("致命错误: ", "fatal: "),
    // Windows
    ("{} 不是内部或外部命令，也不是可运行的程序", "{} is not recognized as an internal or external command,"),
    ("无法将{}项识别为 cmdlet、函数、脚本文件或可运行程序的名称。", "The term {} is not recognized as the name of a cmdlet, function, script file, or operable program."),
    ("请检查名称的拼写，如果包括路径，请确保路径正确，然后再试一次。", " Check the spelling of the name, or if a path was included, verify that the path is correct and try again."),
    ("系统找不到指定的文件", "The system cannot find the file specified"),
    ("系统找不到指定的路径", "The system cannot find the path specified"),
    ("拒绝访问", "Access is denied"),
    ("错误：", "error: "),
    ("错误: ", "error: "),
];

/// Bytes of the name in a phrase.
const NAME_BYTES: usize = 300;

/// Returns `text` with translated phrases in English, line by line; as it is when it holds none.
pub(super) fn to_english(text: &str) -> Cow<'_, str> {
    if !has_phrase(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if has_phrase(line) {
            out.push_str(&translate(line));
        } else {
            out.push_str(line);
        }
    }
    Cow::Owned(out)
}

fn has_phrase(text: &str) -> bool {
    static NEEDLES: OnceLock<Needles> = OnceLock::new();
    let needles = NEEDLES.get_or_init(|| {
        let parts = PHRASES.iter().map(|(phrase, _)| {
            let (head, tail) = phrase.split_once("{}").unwrap_or((phrase, ""));
            if head.is_empty() { tail } else { head }
        });
        Needles::new(parts)
    });
    needles.is_in(text.as_bytes())
}

fn translate(line: &str) -> String {
    let mut out = line.to_owned();
    for (phrase, english) in PHRASES {
        let Some((head, tail)) = phrase.split_once("{}") else {
            if out.contains(phrase) {
                out = out.replace(phrase, english);
            }
            continue;
        };
        if let Some((start, end, name)) = hole(&out, head, tail) {
            let said = english.replace("{}", &name);
            out.replace_range(start..end, &said);
        }
    }
    out
}

/// Returns where a phrase with a name in it stands, and the name.
fn hole(text: &str, head: &str, tail: &str) -> Option<(usize, usize, String)> {
    if head.is_empty() {
        // The name is the quoted word before the tail.
        let end = text.find(tail)?;
        let before = text.get(..end)?.trim_end();
        let start = before.rfind(' ').map_or(0, |at| at + 1);
        return Some((start, end + tail.len(), before.get(start..)?.to_owned()));
    }
    let start = text.find(head)?;
    let inside = text.get(start + head.len()..)?;
    let length = inside.find(tail).filter(|&length| length <= NAME_BYTES)?;
    let name = inside.get(..length)?.trim().to_owned();
    Some((start, start + head.len() + length + tail.len(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_gives_its_english_and_nothing_else_changes() {
        for (phrase, english) in PHRASES {
            let line = format!("x {}", phrase.replace("{}", "'cart'"));
            let said = to_english(&line).into_owned();
            let expected = english.replace("{}", "'cart'");
            assert!(said.contains(expected.trim()), "{line} gives {said}");
        }
        assert_eq!(to_english("nothing 中文 here\n"), "nothing 中文 here\n");
    }
}
