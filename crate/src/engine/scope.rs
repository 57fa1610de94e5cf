//! Finds the scope of a session: the one function that reads and writes share.

use crate::memory::ScopeKey;
use crate::port::Ports;
use crate::scope::{fold_path, git_dir_of_file, join, origin_url, parent, path_key, remote_key};

/// Folders climbed in search of a git work tree.
const CLIMB_MAX: usize = 64;
/// Bytes of a git file that are looked at; a config is rarely over 4 KB.
const GIT_FILE_MAX_BYTES: usize = 256 * 1024;

/// A session's scope, and the path it would have without a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub scope: ScopeKey,
    /// Equal to `scope` where there is no remote.
    pub path_scope: ScopeKey,
}

/// Resolves `cwd`: the main work tree's root, named by its `origin` remote where there is one, else by its real path.
///
/// A folder that cannot be read is its own scope: the answer is always there.
pub async fn find(ports: Ports<'_>, cwd: &str) -> Found {
    let real = match ports.files.real_path(cwd).await {
        Ok(path) => path,
        Err(_) => cwd.to_owned(),
    };
    let mut folder = Some(real.as_str());
    for _ in 0..CLIMB_MAX {
        let Some(here) = folder else { break };
        if let Some(tree) = work_tree(ports, here).await {
            let path_scope = path_key(&tree.root);
            let scope = origin_url(&tree.config)
                .and_then(|url| remote_key(&url))
                .unwrap_or_else(|| path_scope.clone());
            return Found { scope, path_scope };
        }
        folder = parent(here);
    }
    let path_scope = path_key(&fold_path(&real));
    Found {
        scope: path_scope.clone(),
        path_scope,
    }
}

struct WorkTree {
    root: String,
    config: String,
}

async fn work_tree(ports: Ports<'_>, folder: &str) -> Option<WorkTree> {
    let base = folder.trim_end_matches('/');
    let git = format!("{base}/.git");
    // Most folders on the way up have none; asking costs a tenth of a read that fails.
    if ports.files.stamp(&git).is_empty() {
        return None;
    }
    if let Some(config) = text(ports, &format!("{git}/config")).await {
        return Some(WorkTree {
            root: folder.to_owned(),
            config,
        });
    }
    let pointer = git_dir_of_file(&text(ports, &git).await?)?;
    let git_dir = join(folder, &pointer);
    // A linked worktree shares the main one's folder; a submodule has no `commondir` and is a project of its own.
    let Some(common) = text(ports, &format!("{git_dir}/commondir")).await else {
        let config = text(ports, &format!("{git_dir}/config")).await?;
        return Some(WorkTree {
            root: folder.to_owned(),
            config,
        });
    };
    let common = join(&git_dir, common.trim());
    let config = text(ports, &format!("{common}/config")).await?;
    let root = match common.strip_suffix("/.git") {
        Some(main) => main.to_owned(),
        None => common,
    };
    Some(WorkTree { root, config })
}

async fn text(ports: Ports<'_>, path: &str) -> Option<String> {
    let bytes = ports.files.read(path, 0).await.ok()?;
    let head = bytes.get(..GIT_FILE_MAX_BYTES.min(bytes.len()))?;
    Some(String::from_utf8_lossy(head).into_owned())
}
