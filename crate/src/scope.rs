//! Which workspace a session belongs to: pure rules over paths and git's own small files. The reading is the engine's.

use crate::memory::ScopeKey;

/// Longest scope key in bytes; a longer one is cut and ends in a digest, so two long paths stay apart.
const KEY_MAX_BYTES: usize = 512;

/// Returns one spelling for a folder: slashes forward, no `\\?\`, drive letter small, no slash at the end.
///
/// Windows spellings of one folder become equal; other paths keep every character but a final slash.
pub fn fold_path(path: &str) -> String {
    let path = path.trim_start_matches('\u{feff}');
    let windows = path.starts_with("\\\\?\\") || drive(path).is_some();
    if !windows {
        let trimmed = path.trim_end_matches('/');
        return if trimmed.is_empty() && path.starts_with('/') {
            "/".to_owned()
        } else {
            trimmed.to_owned()
        };
    }
    let slashed = path.replace('\\', "/");
    let rest = slashed.trim_start_matches("//?/");
    let rest = match rest.strip_prefix("UNC/") {
        Some(share) if slashed.starts_with("//?/") => format!("//{share}"),
        _ => rest.to_owned(),
    };
    let folded = match drive(&rest) {
        Some(letter) => format!(
            "{}{}",
            letter.to_ascii_lowercase(),
            rest.get(1..).unwrap_or("")
        ),
        None => rest,
    };
    folded.trim_end_matches('/').to_owned()
}

fn drive(path: &str) -> Option<char> {
    let mut chars = path.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    (chars.next() == Some(':')).then_some(letter)
}

/// Returns the scope of a folder without a remote.
pub fn path_key(real_path: &str) -> ScopeKey {
    limit(format!("path:{}", fold_path(real_path)))
}

/// Returns the scope of a remote: `git:host/path`, user, password, port and `.git` stripped, or none when it names no host.
///
/// Reads `https://user@host/a/b.git`, `ssh://git@host:22/a/b`, `git@host:a/b.git` and `host:a/b`. A remote that is a
/// local path (`/srv/x.git`, `file:///srv/x.git`, `C:\x`) names no host, and the scope stays a path.
pub fn remote_key(url: &str) -> Option<ScopeKey> {
    let url = url.trim();
    let (authority, path) = match url.split_once("://") {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("file") => return None,
        Some((_, rest)) => rest.split_once('/')?,
        None if drive(url).is_some() || url.starts_with(['/', '.', '\\']) => return None,
        // The short form of ssh: everything before the first colon is the host.
        None => url.split_once(':')?,
    };
    let host = authority.rsplit('@').next()?;
    // A port names a way in, not another project.
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let path = path.split(['?', '#']).next()?.trim_matches('/');
    let path = path
        .strip_suffix(".git")
        .unwrap_or(path)
        .trim_end_matches('/');
    if host.is_empty() || path.is_empty() {
        return None;
    }
    Some(limit(format!("git:{}/{path}", host.to_ascii_lowercase())))
}

/// Returns the `url` of `[remote "origin"]` in the text of a git config file. The last one wins, as git reads it.
pub fn origin_url(config: &str) -> Option<String> {
    let mut inside = false;
    let mut found = None;
    for line in config.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.split(']').next().unwrap_or("").trim();
            let name = section
                .strip_prefix("remote")
                .map(|rest| rest.trim().trim_matches('"'));
            inside = name == Some("origin");
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            let value = value.split([';', '#']).next().unwrap_or("").trim();
            found = Some(value.trim_matches('"').to_owned());
        }
    }
    found.filter(|url| !url.is_empty())
}

/// Returns the folder a `.git` *file* points to: a linked worktree or a submodule.
pub fn git_dir_of_file(text: &str) -> Option<String> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .find_map(|line| line.trim().strip_prefix("gitdir:"))
        .map(|path| path.trim().to_owned())
        .filter(|path| !path.is_empty())
}

/// Returns the parent of a folder, or none at the root.
pub fn parent(path: &str) -> Option<&str> {
    let cut = path.rfind(['/', '\\'])?;
    let head = path.get(..cut)?;
    match head {
        "" if path.len() > 1 => Some("/"),
        "" => None,
        _ => Some(head),
    }
}

/// Returns `path` seen from `base`, with `.` and `..` resolved by text.
pub fn join(base: &str, path: &str) -> String {
    let absolute = path.starts_with(['/', '\\']) || drive(path).is_some();
    let whole = if absolute {
        path.replace('\\', "/")
    } else {
        format!("{}/{}", base.trim_end_matches(['/', '\\']), path).replace('\\', "/")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if whole.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}

fn limit(key: String) -> ScopeKey {
    if key.len() <= KEY_MAX_BYTES {
        return ScopeKey::from(key);
    }
    let mut end = KEY_MAX_BYTES - 16;
    while !key.is_char_boundary(end) {
        end -= 1;
    }
    let head = key.get(..end).unwrap_or("");
    ScopeKey::from(format!(
        "{head}…{}",
        crate::text::digest::short_digest(key.as_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_spellings_of_one_folder_are_one_scope() {
        for spelling in ["D:\\项目\\演示", "d:/项目/演示/", "\\\\?\\D:\\项目\\演示"] {
            assert_eq!(path_key(spelling).as_str(), "path:d:/项目/演示");
        }
        assert_eq!(fold_path("\\\\?\\UNC\\nas\\share"), "//nas/share");
        assert_eq!(fold_path("/srv/Work/"), "/srv/Work");
        assert_eq!(fold_path("/"), "/");
    }

    #[test]
    fn clones_of_one_remote_agree() {
        let check = |url: &str, key: &str| {
            assert_eq!(
                remote_key(url).map_or(String::new(), |k| k.to_string()),
                key,
                "{url}"
            )
        };
        check(
            "https://example.org/team/shop.git",
            "git:example.org/team/shop",
        );
        check(
            "https://me:word@example.org/team/shop",
            "git:example.org/team/shop",
        );
        check(
            "ssh://git@Example.org:2222/team/shop.git",
            "git:example.org/team/shop",
        );
        check("git@example.org:team/shop.git", "git:example.org/team/shop");
        check("example.org:team/shop/", "git:example.org/team/shop");
        check("/srv/git/shop.git", "");
        check("file:///srv/git/shop.git", "");
        check("C:\\git\\shop", "");
        check("../shop", "");
        check("", "");
    }

    #[test]
    fn the_origin_remote_is_read_from_gits_own_file() {
        let text = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = https://example.org/x/y\n[remote \"origin\"]\r\n\tfetch = +refs\n\turl = https://example.org/a/b.git ; mirror\n[branch \"main\"]\n\turl = no\n";
        assert_eq!(
            origin_url(text).as_deref(),
            Some("https://example.org/a/b.git")
        );
        assert_eq!(origin_url("[remote \"up\"]\nurl = x"), None);
    }

    #[test]
    fn paths_join_and_climb_by_text() {
        assert_eq!(join("/a/b", "../c"), "/a/c");
        assert_eq!(join("/a/b", "/x/./y"), "/x/y");
        assert_eq!(parent("/a/b"), Some("/a"));
        assert_eq!(parent("/a"), Some("/"));
        assert_eq!(parent("/"), None);
        assert_eq!(
            git_dir_of_file("gitdir: ../.git/worktrees/x\n").as_deref(),
            Some("../.git/worktrees/x")
        );
    }

    #[test]
    fn a_long_key_is_cut_and_still_tells_two_paths_apart() {
        let long = |tail: &str| path_key(&format!("/{}{tail}", "目录/".repeat(200)));
        assert!(long("a").as_str().len() <= KEY_MAX_BYTES + 8);
        assert_ne!(long("a"), long("b"));
    }
}
