//! `sync`, `devices`, `scope`, and the logs of `export` and `import`: one memory on several machines.

use super::{DONE, Ending, Reply, Typed, WAIT_MS, failed, found_nothing, misunderstood};
use crate::account::phrase::devices as say;
use crate::account::{Page, reason};
use crate::engine::Engine;
use crate::engine::devices::{Came, Segment, named, vector_json, vector_of};
use crate::memory::ScopeKey;
use crate::port::Ports;
use crate::store::entry::Fact;
use crate::store::tables::Heard;
use crate::store::{self, Draft, State, Store};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Lines told of each kind.
const TOLD_MAX: usize = 20;

impl Typed {
    fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.options.get(name).and_then(Value::as_array);
        let list = list.map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).collect()
    }
}

impl Engine {
    /// `export --log`: everything after `--since` as a log.
    pub(super) async fn export_log_command(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        (page, reply): (&mut Page<'_>, &mut Reply),
    ) -> Ending {
        let Some(since) = vector_of(typed.option("since").unwrap_or("")) else {
            page.say(&say::BAD_VECTOR, &[]);
            return misunderstood("bad-arguments");
        };
        match self.export_log(ports, store, &since).await {
            Err(error) => failed(&error, page),
            Ok(Err(code)) => {
                page.say(&say::INCOMPLETE, &[]);
                misunderstood(code)
            }
            Ok(Ok((text, n, withheld))) => {
                reply.note = page.words(&say::LOG_MADE, &[&n.to_string()]);
                if withheld > 0 {
                    reply
                        .note
                        .push_str(&page.words(&say::KEPT_BACK, &[&withheld.to_string()]));
                }
                page.set("format", "log".into());
                page.set("entries", n.into());
                page.set("withheld", withheld.into());
                reply.text = text;
                DONE
            }
        }
    }

    /// `import` of a log.
    pub(super) async fn import_log_command(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        (content, typed): (&str, &Typed),
        page: &mut Page<'_>,
    ) -> Ending {
        let is_preview = typed.has("preview");
        match self.import_logs(ports, store, &[content], is_preview).await {
            Err(error) => failed(&error, page),
            Ok(came) => {
                let phrase = if is_preview {
                    &say::WOULD_TAKE
                } else {
                    &say::TAKEN
                };
                let name = typed.words.trim();
                tell(&came, (phrase, name), store.borrow().state(), page);
                match came.files.first().copied() {
                    Some(code @ ("newer-log" | "log-changed" | "not-a-log")) => misunderstood(code),
                    Some(code) if code != "whole" => found_nothing(code),
                    _ if !came.taken.gaps.is_empty() => found_nothing("log-gap"),
                    _ if !came.taken.forked.is_empty() => found_nothing("forked"),
                    _ => DONE,
                }
            }
        }
    }

    /// `devices`: whose entries are held, and how far.
    pub(super) async fn devices(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        page: &mut Page<'_>,
    ) -> Ending {
        let held = match self.held(ports, store).await {
            Ok(held) => held,
            Err(error) => return failed(&error, page),
        };
        let vector = held.vector();
        if vector.is_empty() {
            page.say(&say::NO_DEVICE, &[]);
        }
        for one in &vector {
            let is_own = held.own.as_ref() == Some(&one.origin);
            let phrase = if is_own {
                &say::OWN_DEVICE
            } else {
                &say::DEVICE
            };
            page.item(phrase, &[one.origin.as_str(), &one.seq.to_string()]);
        }
        let pair = |one: &Heard| format!("{}:{}", one.origin, one.seq);
        let pairs: Vec<String> = vector.iter().map(pair).collect();
        if !pairs.is_empty() {
            page.say(&say::VECTOR, &[&pairs.join(",")]);
        }
        page.set("vector", vector_json(&vector));
        DONE
    }

    /// One step of `sync`: the program around carries files, here it is decided what they say.
    pub(super) async fn sync(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        typed: &Typed,
        page: &mut Page<'_>,
    ) -> Ending {
        let names = typed.texts("names");
        match typed.option("step") {
            // Which of these names are ours to read.
            Some("names") => {
                let (known, other): (Vec<&str>, Vec<&str>) =
                    names.iter().partition(|name| named(name).is_some());
                page.set("known", json!(known));
                page.set("other", json!(other));
                let forgotten = store.borrow().state().tombstones().count();
                page.set("forgotten", forgotten.into());
                DONE
            }
            Some("take") => {
                let contents = typed.texts("contents");
                match self.import_logs(ports, store, &contents, false).await {
                    Err(error) => failed(&error, page),
                    Ok(came) => {
                        data(&came, page);
                        let forgotten = store.borrow().state().tombstones().count();
                        page.set("forgotten", forgotten.into());
                        DONE
                    }
                }
            }
            Some("send") => match self.segments_to_send(ports, store, &names).await {
                Err(error) => failed(&error, page),
                Ok(Err(code)) => {
                    page.say(&say::INCOMPLETE, &[]);
                    misunderstood(code)
                }
                Ok(Ok(files)) => given(files, page),
            },
            Some("again") => {
                let contents = typed.texts("contents");
                let files: Vec<(&str, &str)> = names.into_iter().zip(contents).collect();
                match self.segments_again(ports, store, &files).await {
                    Err(error) => failed(&error, page),
                    Ok(files) => given(files, page),
                }
            }
            Some("tell") => {
                self.tell_sync(store, typed, page);
                DONE
            }
            _ => {
                page.say(&say::NEEDS_REMOTE, &[]);
                misunderstood("bad-arguments")
            }
        }
    }

    /// Says in a person's language what a `sync` did and met.
    fn tell_sync(&self, store: &RefCell<Store>, typed: &Typed, page: &mut Page<'_>) {
        let number = |name: &str| {
            let found = typed.options.get(name).and_then(Value::as_u64);
            found.unwrap_or(0).to_string()
        };
        let (taken, changed, sent) = (number("taken"), number("changed"), number("sent"));
        if typed.option("failed").is_none() {
            page.say(&say::SYNCED, &[&taken, &changed, &sent]);
        }
        for (name, phrase) in [
            ("forgotten", &say::FORGOTTEN),
            ("held", &say::HELD),
            ("rewritten", &say::REWRITTEN),
            ("refused", &say::REFUSED),
        ] {
            let n = number(name);
            if n != "0" {
                page.item(phrase, &[&n]);
            }
        }
        if typed.has("history") {
            page.item(&say::HISTORY, &[]);
        }
        let problems = typed.options.get("problems").and_then(Value::as_array);
        let problems = problems.map(Vec::as_slice).unwrap_or_default();
        for problem in problems.iter().take(TOLD_MAX) {
            let text = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or("");
            let found = say::PROBLEMS.iter().find(|row| row.0 == text("code"));
            let (what, detail) = (text("what"), text("detail"));
            match found {
                Some((_, phrase)) => page.item(phrase, &[what, detail]),
                None => page.item(&say::OTHER_PROBLEM, &[what, detail]),
            }
        }
        if problems.len() > TOLD_MAX {
            let more = (problems.len() - TOLD_MAX).to_string();
            page.say(&crate::account::phrase::command::MORE, &[&more]);
        }
        let store = store.borrow();
        let tombstones = store.state().tombstones().count();
        page.set("tombstones", tombstones.into());
        for name in [
            "taken",
            "changed",
            "sent",
            "forgotten",
            "held",
            "rewritten",
            "refused",
        ] {
            let n = typed.options.get(name).cloned().unwrap_or(Value::Null);
            page.set(name, n);
        }
        page.set("problems", problems.to_vec().into());
        apart(store.state(), page);
    }

    /// `scope list`, `scope join FROM TO`.
    pub(super) async fn scopes(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        (typed, home): (&Typed, &ScopeKey),
        page: &mut Page<'_>,
    ) -> Ending {
        let words = typed.words.trim();
        let (verb, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        match verb {
            "" | "list" => {
                list_scopes(store.borrow().state(), home, page);
                DONE
            }
            "join" => {
                let found = join_of(store.borrow().state(), home, rest.trim());
                let Some((from, to)) = found else {
                    page.say(&say::JOIN_WHICH, &[]);
                    list_scopes(store.borrow().state(), home, page);
                    return misunderstood("bad-arguments");
                };
                if from == to || from.is_global() || to.is_global() {
                    page.say(&say::NOT_JOINED, &[from.as_str(), to.as_str()]);
                    return misunderstood("not-joined");
                }
                let n = store.borrow().state().in_scope(&from).count().to_string();
                let fact = Fact::Scope {
                    from: from.clone(),
                    to: to.clone(),
                };
                let draft = Draft {
                    rows: vec![fact.into()],
                    ..Draft::default()
                };
                if let Err(error) = store::commit(store, ports, draft, WAIT_MS).await {
                    return failed(&error, page);
                }
                let _ = store::settle(store, ports, WAIT_MS).await;
                page.say(&say::JOINED, &[from.as_str(), to.as_str(), &n]);
                page.set("from", json!(from.as_str()));
                page.set("to", json!(to.as_str()));
                DONE
            }
            _ => {
                page.say(&say::SCOPE_USAGE, &[]);
                misunderstood("bad-arguments")
            }
        }
    }
}

fn given(files: Vec<Segment>, page: &mut Page<'_>) -> Ending {
    let files: Vec<Value> = files
        .into_iter()
        .map(|file| json!({ "name": file.name, "content": file.content }))
        .collect();
    page.set("files", files.into());
    DONE
}

fn data(came: &Came, page: &mut Page<'_>) {
    let taken = &came.taken;
    page.set("files", json!(came.files));
    page.set("new", taken.n_new.into());
    page.set("known", taken.n_known.into());
    page.set("changed", taken.n_changed.into());
    let ids = |ids: &[crate::memory::MemoryId]| -> Value {
        ids.iter().map(|id| Value::from(id.as_str())).collect()
    };
    page.set("forgot", ids(&taken.forgotten));
    page.set("held", ids(&taken.held));
    let origins = |all: &[crate::memory::Origin]| -> Value {
        all.iter().map(|one| Value::from(one.as_str())).collect()
    };
    page.set("gaps", origins(&taken.gaps));
    page.set("forked", origins(&taken.forked));
    let refused = came
        .refused
        .iter()
        .map(|x| json!({ "origin": x.origin.as_str(), "seq": x.seq, "code": x.code }));
    page.set("refused", refused.collect());
}

/// Says what came of a log that a person named.
fn tell(
    came: &Came,
    (phrase, name): (&crate::account::Phrase, &str),
    state: &State,
    page: &mut Page<'_>,
) {
    let taken = &came.taken;
    let [new, known, changed] =
        [taken.n_new, taken.n_known, taken.n_changed].map(|n| n.to_string());
    page.say(phrase, &[&new, &known, &changed]);
    for (n, phrase) in [
        (taken.forgotten.len(), &say::FORGOTTEN),
        (taken.held.len(), &say::HELD),
    ] {
        if n > 0 {
            page.item(phrase, &[&n.to_string()]);
        }
    }
    for refusal in came.refused.iter().take(TOLD_MAX) {
        let (why, _) = reason::explain(refusal.code, page.language);
        let seq = refusal.seq.to_string();
        page.item(
            &say::REFUSED_ENTRY,
            &[refusal.origin.as_str(), &seq, &why, refusal.code],
        );
    }
    let problem = |code: &str| say::PROBLEMS.iter().find(|row| row.0 == code);
    for code in &came.files {
        if let Some((_, phrase)) = problem(code) {
            page.item(phrase, &[if name.is_empty() { "log" } else { name }, ""]);
        }
    }
    for (origins, code) in [(&taken.gaps, "log-gap"), (&taken.forked, "forked")] {
        for origin in origins {
            if let Some((_, phrase)) = problem(code) {
                page.item(phrase, &[origin.as_str(), ""]);
            }
        }
    }
    apart(state, page);
    data(came, page);
}

/// Returns whether a scope is a folder of another device.
fn is_elsewhere(scope: &ScopeKey) -> bool {
    scope.as_str().starts_with("path:@")
}

/// Says which folders of other devices hold something and are nobody's here.
fn apart(state: &State, page: &mut Page<'_>) {
    let found = state
        .scopes()
        .filter(|(scope, _)| state.aliases(scope).iter().all(is_elsewhere));
    let n = found.count();
    if n > 0 {
        page.item(&say::APART, &[&n.to_string()]);
    }
}

fn list_scopes(state: &State, home: &ScopeKey, page: &mut Page<'_>) {
    let mut data = Vec::new();
    for (scope, n) in state.scopes() {
        let phrase = if scope == home {
            &say::SCOPE_HERE
        } else {
            &say::SCOPE
        };
        page.item(phrase, &[scope.as_str(), &n.to_string()]);
        data.push(json!({ "scope": scope.as_str(), "memories": n, "here": scope == home }));
    }
    if data.is_empty() {
        page.say(&say::NO_SCOPE, &[]);
    }
    let mut joined = Vec::new();
    for (from, to) in state.joins() {
        page.item(&say::SCOPE_JOINED, &[from.as_str(), to.as_str()]);
        joined.push(json!({ "from": from.as_str(), "to": to.as_str() }));
    }
    page.set("scopes", data.into());
    page.set("joined", joined.into());
}

/// Finds two scopes in what was typed: keys, parts of keys that only one has, or `.` for the one here. A path may hold spaces.
fn join_of(state: &State, home: &ScopeKey, words: &str) -> Option<(ScopeKey, ScopeKey)> {
    let mut all: Vec<ScopeKey> = state.scopes().map(|x| x.0.clone()).collect();
    if !all.contains(home) {
        all.push(home.clone());
    }
    let one = |given: &str| -> Option<ScopeKey> {
        let given = given.trim();
        if given == "." {
            return Some(home.clone());
        }
        if let Some(exact) = all.iter().find(|scope| scope.as_str() == given) {
            return Some(exact.clone());
        }
        let mut found = all
            .iter()
            .filter(|scope| !given.is_empty() && scope.as_str().contains(given));
        match (found.next(), found.next()) {
            (Some(scope), None) => Some(scope.clone()),
            _ => None,
        }
    };
    words
        .match_indices(char::is_whitespace)
        .find_map(|(at, _)| {
            let (from, to) = words.split_at_checked(at)?;
            Some((one(from)?, one(to)?))
        })
}
