//! Absolute paths of one machine, reduced to the part that belongs to the project.
//!
//! `/home/a/code/shop/src/x.js`, `/tmp/run-1f/shop/src/x.js` and `C:\Users\b\work\shop\src\x.js` all become
//! `<path>/src/x.js`: a path is a root, folders that hold projects, a project and the rest, and only the rest is about the
//! project. Paths of the system (`/etc/app.conf`, `/usr/lib/node_modules/x`) can be the whole point and stay.

use super::mask::component;

/// Beginnings that belong to a machine or a run: components, how many more belong to them, and whether the next one is the project.
const ROOTS: &[(&[&str], usize, Root)] = &[
    (&["home"], 1, Root::Projects),
    (&["Users"], 1, Root::Projects),
    (&["root"], 0, Root::Projects),
    (&["private", "tmp"], 0, Root::Temporary),
    (&["private", "var", "folders"], 3, Root::Temporary),
    (&["var", "folders"], 3, Root::Temporary),
    (&["var", "tmp"], 0, Root::Temporary),
    (&["tmp"], 0, Root::Temporary),
    (&["run", "user"], 1, Root::Temporary),
    (&["dev", "shm"], 0, Root::Temporary),
    (&["srv"], 0, Root::Projects),
    (&["mnt"], 0, Root::Projects),
    (&["media"], 0, Root::Projects),
    (&["data"], 0, Root::Projects),
    (&["builds"], 0, Root::Projects),
    (&["build"], 0, Root::Projects),
    (&["scratch"], 0, Root::Projects),
    (&["__w"], 0, Root::Projects),
    (&["github", "workspace"], 0, Root::Project),
    (&["var", "jenkins_home"], 0, Root::Projects),
    (&["var", "lib", "jenkins"], 0, Root::Projects),
    (&["workspaces"], 0, Root::Projects),
    (&["workspace"], 0, Root::Project),
    (&["app"], 0, Root::Project),
    (&["repo"], 0, Root::Project),
    (&["code"], 0, Root::Project),
];

/// Folders people keep projects in.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "code", "work", "works", "projects", "project", "src", "source", "sources", "dev", "develop", "development",
    "repos", "repo", "repositories", "workspace", "workspaces", "git", "github", "github.com", "gitlab", "build",
    "builds", "desktop", "documents", "downloads", "runner", "runners", "_work", "go", "a", "d", "c", "jobs", "ci",
    "checkout", "tmp", "temp", "sandbox", "appdata", "local", "agent",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// Containers and a project follow.
    Projects,
    /// The root is the project.
    Project,
    /// As for projects, but a file that lies directly there has a name made for the run.
    Temporary,
}

/// Returns `path` without what belongs to the machine or the run; system paths only lose ids.
pub(super) fn mask(path: &str) -> String {
    let windows = path.as_bytes().get(1) == Some(&b':');
    let slashed = path.replace('\\', "/");
    let trimmed = slashed.trim_end_matches('/');
    let all: Vec<&str> = trimmed
        .split('/')
        .filter(|part| !part.is_empty() && *part != "?")
        .collect();
    let parts = if windows {
        all.get(1..).unwrap_or_default()
    } else {
        all.as_slice()
    };
    let root = if trimmed.starts_with('~') {
        Some((1, Root::Projects))
    } else {
        root(parts).or_else(|| {
            let system = parts.first().is_none_or(|part| {
                part.eq_ignore_ascii_case("windows")
                    || part.to_ascii_lowercase().starts_with("program")
            });
            (windows && !system).then_some((0, Root::Projects))
        })
    };
    let Some((used, root)) = root else {
        let masked: Vec<String> = slashed.split('/').map(component).collect();
        return masked.join("/");
    };
    let rest = parts.get(used..).unwrap_or_default();
    // A package manager stages files under random names, one of them being the first to fail.
    if rest.contains(&".staging") {
        return "<path>".to_owned();
    }
    let rest = match root {
        Root::Project => rest,
        Root::Temporary if rest.len() == 1 => {
            let name = rest.first().copied().unwrap_or_default();
            return match name.rfind('.') {
                Some(dot) if dot > 0 && name.len() - dot <= 8 => {
                    format!("<path>{}", name.get(dot..).unwrap_or_default())
                }
                _ => "<path>".to_owned(),
            };
        }
        Root::Projects => after_project(rest, false),
        Root::Temporary => after_project(rest, true),
    };
    let mut out = String::from("<path>");
    for part in rest {
        out.push('/');
        out.push_str(&component(part));
    }
    out
}

fn root(parts: &[&str]) -> Option<(usize, Root)> {
    ROOTS.iter().find_map(|(names, more, root)| {
        let begins = names.len() <= parts.len()
            && names
                .iter()
                .zip(parts)
                .all(|(name, part)| name.eq_ignore_ascii_case(part));
        // A root with nothing inside is named for itself.
        (begins && parts.len() > names.len()).then(|| (parts.len().min(names.len() + more), *root))
    })
}

/// Drops the folders that hold projects and the project itself.
fn after_project<'a, 'b>(parts: &'b [&'a str], is_temporary: bool) -> &'b [&'a str] {
    let mut rest = parts;
    let is_container = |part: &str| {
        CONTAINERS.contains(&part.to_ascii_lowercase().as_str())
            || part.bytes().all(|b| b.is_ascii_digit())
            || component(part) != *part
            // A folder made for one run carries a number: `/tmp/run-7/shop`.
            || is_temporary && (part.len() <= 2 || part.bytes().any(|b| b.is_ascii_digit()))
    };
    while let [first, more @ ..] = rest {
        if !is_container(first) || more.is_empty() {
            break;
        }
        rest = more;
    }
    match rest {
        // Dot folders and files are no projects: `~/.npm/_logs`.
        [first, ..] if first.starts_with('.') => rest,
        // A lone name with an extension is a file beside the projects.
        [only] if has_extension(only) => rest,
        // Build runners check a project out into a folder of its own name.
        [first, second, more @ ..] if first == second => more,
        [_, more @ ..] => more,
        [] => rest,
    }
}

fn has_extension(name: &str) -> bool {
    name.rfind('.').is_some_and(|dot| {
        let extension = name.get(dot + 1..).unwrap_or_default();
        (1..=6).contains(&extension.len()) && extension.bytes().any(|b| b.is_ascii_alphabetic())
    })
}
