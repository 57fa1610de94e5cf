//! Everything in a fact that names something: for checking, and for putting one name in the place of another.

use super::entry::Fact;
use crate::memory::{Memory, MemoryId, Origin, ScopeKey};
use crate::text::digest::short_digest;

/// One name or text of a fact.
pub enum Name<'a> {
    Id(&'a mut MemoryId),
    Scope(&'a mut ScopeKey),
    /// A record's own words, and a failure's signature.
    Text(&'a str),
    /// A name of something else: a session, a tool, a reason.
    Word(&'a str),
}

/// Calls `each` with every name of a fact. What a merge came to has none of its own.
pub fn each(fact: &mut Fact, each: &mut dyn FnMut(Name<'_>)) {
    match fact {
        Fact::Write { memory } | Fact::Edit { memory, .. } => of_memory(memory, each),
        Fact::Status { id, reason, .. } => {
            each(Name::Id(id));
            each(Name::Word(reason));
        }
        Fact::Supersede { old, new } => {
            each(Name::Id(old));
            each(Name::Id(new));
        }
        Fact::Canonical { id, text } => {
            each(Name::Id(id));
            each(Name::Text(text));
        }
        Fact::Failure {
            scope,
            key,
            tool,
            signature,
            position,
            ..
        } => {
            each(Name::Scope(scope));
            each(Name::Word(key));
            each(Name::Word(tool));
            each(Name::Text(signature));
            each(Name::Word(position.session_id.as_str()));
        }
        Fact::FailureDropped { scope, keys } => {
            each(Name::Scope(scope));
            keys.iter().for_each(|key| each(Name::Word(key)));
        }
        Fact::Turn {
            session_id, scope, ..
        } => {
            each(Name::Scope(scope));
            each(Name::Word(session_id.as_str()));
        }
        Fact::ConflictAsk {
            id,
            against,
            detector,
            shared,
            question,
            asker,
            ..
        } => {
            each(Name::Id(id));
            against.iter_mut().for_each(|id| each(Name::Id(id)));
            each(Name::Word(detector));
            shared.iter().for_each(|word| each(Name::Word(word)));
            for word in [question, asker].into_iter().flatten() {
                each(Name::Word(word));
            }
        }
        Fact::ConflictResolved {
            id,
            against,
            choice,
        } => {
            each(Name::Id(id));
            against.iter_mut().for_each(|id| each(Name::Id(id)));
            each(Name::Word(choice));
        }
        Fact::Forget {
            id,
            scope,
            positions,
            by,
            asked,
        } => {
            each(Name::Id(id));
            each(Name::Scope(scope));
            each(Name::Word(by));
            for position in positions.iter().chain(asked.as_ref()) {
                each(Name::Word(position.session_id.as_str()));
            }
        }
        Fact::Scope { from, to } => {
            each(Name::Scope(from));
            each(Name::Scope(to));
        }
        Fact::Plan { plan } => {
            each(Name::Scope(&mut plan.scope));
            plan.sources.iter_mut().for_each(|id| each(Name::Id(id)));
            plan.bases
                .iter_mut()
                .for_each(|base| each(Name::Id(&mut base.0)));
            for decision in &mut plan.decisions {
                let lists = [
                    &mut decision.targets,
                    &mut decision.proposal_ids,
                    &mut decision.source_ids,
                ];
                for ids in lists {
                    ids.iter_mut().for_each(|id| each(Name::Id(id)));
                }
            }
            if let Some((_, code)) = &plan.failed {
                each(Name::Word(code));
            }
            for word in [&plan.request, &plan.model].into_iter().flatten() {
                each(Name::Word(word));
            }
        }
        Fact::DigestPending { scope } => each(Name::Scope(scope)),
        Fact::Digested { scope, asked, .. } => {
            each(Name::Scope(scope));
            asked.iter().for_each(|name| each(Name::Word(name)));
        }
        Fact::RequestExpired { requests } => {
            requests
                .iter()
                .for_each(|request| each(Name::Word(request)));
        }
        Fact::Import { .. } | Fact::Merge { .. } | Fact::Checkpoint { .. } => {}
    }
}

fn of_memory(memory: &mut Memory, each: &mut dyn FnMut(Name<'_>)) {
    each(Name::Id(&mut memory.id));
    each(Name::Scope(&mut memory.scope));
    let lists = [
        &mut memory.supersedes,
        &mut memory.superseded_by,
        &mut memory.conflicts_with,
        &mut memory.source.source_ids,
        &mut memory.source.aliases,
    ];
    for ids in lists {
        ids.iter_mut().for_each(|id| each(Name::Id(id)));
    }
    each(Name::Text(&memory.text));
    each(Name::Text(&memory.source.quote));
    for text in [&memory.canonical, &memory.source.way_out]
        .into_iter()
        .flatten()
    {
        each(Name::Text(text));
    }
    for word in [
        &memory.source.tool,
        &memory.temporal_scope,
        &memory.remember.model,
    ]
    .into_iter()
    .flatten()
    {
        each(Name::Word(word));
    }
    if let Some(procedure) = &memory.procedure {
        procedure.words().for_each(|text| each(Name::Text(text)));
        procedure.places().for_each(|place| each(Name::Word(place)));
    }
    each(Name::Word(memory.source.session_id.as_str()));
    each(Name::Word(memory.origin.as_str()));
    memory
        .signals
        .iter()
        .for_each(|word| each(Name::Word(word)));
}

/// How a folder of another device is told from one of this device with the same path.
const FOREIGN_PATH: &str = "path:@";

/// Returns the key that every device knows a scope by: a folder is one of a device.
pub fn shared_scope(scope: &ScopeKey, own: &str) -> ScopeKey {
    match scope.as_str().strip_prefix("path:") {
        Some(path) if !path.starts_with('@') => {
            ScopeKey::from(format!("{FOREIGN_PATH}{own}:{path}"))
        }
        _ => scope.clone(),
    }
}

/// Returns the key by which this device knows a scope that every device knows as `scope`.
pub fn local_scope(scope: &ScopeKey, own: &str) -> ScopeKey {
    let rest = scope.as_str().strip_prefix(FOREIGN_PATH);
    let path = rest.and_then(|rest| rest.strip_prefix(own)?.strip_prefix(':'));
    match path {
        Some(path) => ScopeKey::from(format!("path:{path}")),
        None => scope.clone(),
    }
}

/// Returns the key that the device of a folder knows it by: ids of its records are made of that.
pub fn bare_scope(scope: &ScopeKey) -> ScopeKey {
    let rest = scope.as_str().strip_prefix(FOREIGN_PATH);
    match rest.and_then(|rest| rest.split_once(':')) {
        Some((_, path)) => ScopeKey::from(format!("path:{path}")),
        None => scope.clone(),
    }
}

/// Returns the id of a device's record whose own is another device's: the same sentence in two folders of one path.
pub fn alias(origin: &Origin, id: &MemoryId) -> MemoryId {
    MemoryId::from(format!(
        "m-{}",
        short_digest(format!("{origin}\0{id}").as_bytes())
    ))
}
