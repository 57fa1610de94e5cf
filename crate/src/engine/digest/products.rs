//! What a digest makes: schemas of a cluster, core schemas of schemas, the catalogue of a person; and the rows of each.

use super::{CHANGED, Run, Terms, dialogue, is_stale, retired};
use crate::decide::Error;
use crate::decide::digest::schema::{self, Known, Operation, union};
use crate::decide::digest::{EVIDENCE, core, is_basic, is_fresh, key, n_sources, persona};
use crate::decide::outcome::id_of;
use crate::engine::Engine;
use crate::memory::{
    Author, EventSeq, JudgeName, Layer, Memory, MemoryId, Millis, Origin, Remember, Revision,
    ScopeKey, SessionId, Source, Status, Text, Type,
};
use crate::port::Ports;
use crate::store::entry::{Body, Fact};
use crate::store::{State, Store};
use crate::text::digest::fold;
use std::cell::RefCell;
use std::rc::Rc;

/// An answer that cannot be read.
const UNREADABLE: &str = "unreadable: the answer is not the JSON that was asked for";
/// Weight in the catalogue of the first of a domain, and what each later one has less.
const FIRST: f64 = 1.0;
const LATER: f64 = 0.1;

type Base = Vec<(MemoryId, Revision)>;

fn base<'a>(memories: impl Iterator<Item = &'a Rc<Memory>>) -> Base {
    memories.map(|x| (x.id.clone(), x.revision)).collect()
}

impl Engine {
    /// Asks about one cluster, unless the very same was asked before.
    pub(super) async fn schemas_of(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        terms: &Terms,
        run: &mut Run,
        cluster: &[Rc<Memory>],
    ) -> Result<(), Error> {
        let name = key("cluster", cluster.iter());
        if run.before.contains(&name) {
            run.names.push(name);
            return Ok(());
        }
        let known = {
            let store = store.borrow();
            if !stand(store.state(), cluster) {
                run.report.failed.push(CHANGED.to_owned());
                return Ok(());
            }
            known(store.state(), &run.scope, cluster)
        };
        let question = (
            schema::SYSTEM.to_owned(),
            schema::prompt(cluster, &known),
            schema::TOKENS_MAX,
        );
        let Some(reply) = self.asked(ports, terms, run, question).await? else {
            return Ok(());
        };
        let Ok(answer) = schema::read(&reply.text, cluster, &known, terms.rules.min_sources) else {
            run.report.failed.push(UNREADABLE.to_owned());
            return Ok(());
        };
        let mut made = Made::of(&reply.model, ports.clock.now());
        made.n_dropped = answer.n_dropped;
        {
            let store = store.borrow();
            made.operations(store.state(), run, &name, answer.operations);
        }
        let mut based_on = base(cluster.iter());
        based_on.extend(made.based_on);
        if self
            .put(ports, store, run, based_on, (made.rows, name))
            .await?
        {
            run.report.schemas += made.n_new;
            run.report.evidence_added += made.n_more;
            run.report.dropped += made.n_dropped;
        }
        Ok(())
    }

    /// Asks about each group of schemas that come to one behaviour.
    pub(super) async fn cores(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        terms: &Terms,
        run: &mut Run,
    ) -> Result<(), Error> {
        let mut basics: Vec<Rc<Memory>> = {
            let store = store.borrow();
            let state = store.state();
            let all = state.in_scope(&run.scope).filter(|x| is_basic(x));
            all.filter(|x| is_fresh(x, |id| state.memory(id)))
                .cloned()
                .collect()
        };
        if basics.len() < terms.rules.cross_domain_min_basics {
            return Ok(());
        }
        basics.retain(|schema| schema.canonical.is_some());
        basics.truncate(core::BASICS_MAX);
        let whole = key("basics", basics.iter());
        if run.before.contains(&whole) {
            let groups = run
                .before
                .iter()
                .filter(|name| name.starts_with("core-"))
                .cloned();
            let groups: Vec<String> = groups.collect();
            run.names.extend(groups);
            run.names.push(whole);
            return Ok(());
        }
        let behaviours: Vec<String> = basics.iter().filter_map(|x| x.canonical.clone()).collect();
        let contents: Vec<String> = basics.iter().map(|x| x.text.to_string()).collect();
        let behaviours = self.space(ports, store, terms, &behaviours).await?;
        let contents = self.space(ports, store, terms, &contents).await?;
        for group in core::groups(basics.len(), &behaviours, &contents) {
            let group: Vec<Rc<Memory>> = group
                .iter()
                .filter_map(|at| basics.get(*at).cloned())
                .collect();
            self.core_of(ports, store, terms, run, &group).await?;
        }
        run.names.push(whole);
        Ok(())
    }

    async fn core_of(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        terms: &Terms,
        run: &mut Run,
        group: &[Rc<Memory>],
    ) -> Result<(), Error> {
        let name = key("core", group.iter());
        if run.before.contains(&name) {
            run.names.push(name);
            return Ok(());
        }
        let evidence = {
            let store = store.borrow();
            let state = store.state();
            let all = group.iter().map(|schema| cited(state, schema));
            all.fold(Vec::new(), |all, more| union(&all, &more))
        };
        if n_sources(evidence.iter()) < terms.rules.min_sources {
            return Ok(());
        }
        let question = (
            core::SYSTEM.to_owned(),
            core::prompt(group),
            core::TOKENS_MAX,
        );
        let Some(reply) = self.asked(ports, terms, run, question).await? else {
            return Ok(());
        };
        let Ok(text) = core::read(&reply.text) else {
            run.report.failed.push(UNREADABLE.to_owned());
            return Ok(());
        };
        let mut made = Made::of(&reply.model, ports.clock.now());
        if let Some(text) = text {
            let store = store.borrow();
            let state = store.state();
            let id = state.free_id(&id_of(&format!("digest\0{name}"), 0));
            let ids = schema::ids(&evidence);
            // What rested on no more than this says less.
            let all = state
                .in_scope(&run.scope)
                .filter(|x| x.memory_type == Type::CoreSchema);
            for old in all.filter(|x| x.status == Status::Active) {
                if old.source.source_ids.iter().all(|id| ids.contains(id)) {
                    made.supersede(old, &id);
                }
            }
            let new = made.record(state, &run.scope, id, (Type::CoreSchema, &text), &evidence);
            made.write(new);
        }
        let mut based_on = base(group.iter().chain(&evidence));
        based_on.extend(made.based_on);
        if self
            .put(ports, store, run, based_on, (made.rows, name))
            .await?
        {
            run.report.core_schemas += made.n_new;
        }
        Ok(())
    }

    /// Has the catalogue picked anew when the set of facts is another.
    pub(super) async fn catalog(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        terms: &Terms,
        run: &mut Run,
    ) -> Result<(), Error> {
        let (facts, name) = dialogue(store.borrow().state(), &run.scope);
        if run.before.contains(&name) {
            run.names.push(name);
            return Ok(());
        }
        let mut model = String::new();
        let mut picks = Vec::new();
        if !facts.is_empty() {
            let (prompt, n_shown) = persona::prompt(&facts);
            let question = (persona::system(), prompt, persona::TOKENS_MAX);
            let Some(reply) = self.asked(ports, terms, run, question).await? else {
                return Ok(());
            };
            let shown = facts.get(..n_shown).unwrap_or_default();
            let Ok(read) = persona::read(&reply.text, shown) else {
                run.report.failed.push(UNREADABLE.to_owned());
                return Ok(());
            };
            (model, picks) = (reply.model, read);
        }
        let mut made = Made::of(&model, ports.clock.now());
        made.catalog(store.borrow().state(), &run.scope, &picks);
        if made.rows.is_empty() && facts.is_empty() {
            return Ok(());
        }
        let mut based_on = base(picks.iter().map(|pick| &pick.1));
        based_on.extend(made.based_on);
        if self
            .put(ports, store, run, based_on, (made.rows, name))
            .await?
        {
            run.report.catalog = Some(picks.len());
        }
        Ok(())
    }
}

/// Whether memories are as they were read.
fn stand(state: &State, memories: &[Rc<Memory>]) -> bool {
    memories.iter().all(|memory| {
        let now = state.memory(&memory.id);
        now.is_some_and(|now| now.revision == memory.revision && now.status == memory.status)
    })
}

/// What something derived cites, as it is now.
fn cited(state: &State, derived: &Memory) -> Vec<Rc<Memory>> {
    let ids = derived.source.source_ids.iter();
    ids.filter_map(|id| state.memory(id).cloned()).collect()
}

/// The schemas that hold and cite some of a cluster.
fn known(state: &State, scope: &ScopeKey, cluster: &[Rc<Memory>]) -> Vec<Known> {
    let cites = |schema: &Memory| {
        let ids = &schema.source.source_ids;
        cluster.iter().any(|memory| ids.contains(&memory.id))
    };
    let all = state.in_scope(scope).filter(|x| is_basic(x) && cites(x));
    all.filter(|x| is_fresh(x, |id| state.memory(id)))
        .take(schema::SHOWN_MAX)
        .map(|schema| Known {
            evidence: cited(state, schema),
            schema: schema.clone(),
        })
        .collect()
}

/// The rows of one product.
struct Made {
    rows: Vec<Body>,
    based_on: Base,
    model: Option<String>,
    now: Millis,
    n_new: usize,
    n_more: usize,
    n_dropped: usize,
}

impl Made {
    fn of(model: &str, now: Millis) -> Self {
        Self {
            rows: Vec::new(),
            based_on: Vec::new(),
            model: Some(model.to_owned()).filter(|model| !model.is_empty()),
            now,
            n_new: 0,
            n_more: 0,
            n_dropped: 0,
        }
    }

    fn write(&mut self, memory: Memory) {
        self.n_new += 1;
        self.rows.push(Body::Fact(Fact::Write {
            memory: Box::new(memory),
        }));
    }

    fn edit(&mut self, old: &Rc<Memory>, change: impl FnOnce(&mut Memory)) {
        self.based_on.push((old.id.clone(), old.revision));
        let mut memory = Memory::clone(old);
        change(&mut memory);
        memory.revision = Revision(old.revision.0.saturating_add(1));
        memory.updated_at = self.now;
        self.rows.push(Body::Fact(Fact::Edit {
            memory: Box::new(memory),
            changed: Vec::new(),
        }));
    }

    fn supersede(&mut self, old: &Rc<Memory>, new: &MemoryId) {
        if self.based_on.iter().any(|base| base.0 == old.id) {
            return;
        }
        self.based_on.push((old.id.clone(), old.revision));
        self.rows.push(Body::Fact(Fact::Supersede {
            old: old.id.clone(),
            new: new.clone(),
        }));
    }

    /// The rows of the operations about one cluster.
    fn operations(&mut self, state: &State, run: &Run, name: &str, operations: Vec<Operation>) {
        let mine = || state.in_scope(&run.scope).filter(|x| is_basic(x));
        let mut said: Vec<String> = mine()
            .filter(|x| is_fresh(x, |id| state.memory(id)))
            .map(|x| fold(&x.text))
            .collect();
        for (number, operation) in operations.into_iter().enumerate() {
            match operation {
                Operation::Create {
                    text,
                    behaviour,
                    evidence,
                } if !said.contains(&fold(&text)) => {
                    said.push(fold(&text));
                    let id = state.free_id(&id_of(&format!("digest\0{name}"), number));
                    let mut new =
                        self.record(state, &run.scope, id, (Type::Schema, &text), &evidence);
                    new.canonical = behaviour;
                    let (id, ids) = (new.id.clone(), new.source.source_ids.clone());
                    self.write(new);
                    // In the place of what no longer holds and rested on some of the same.
                    for old in mine().filter(|old| is_stale(state, old)) {
                        if old.source.source_ids.iter().any(|id| ids.contains(id)) {
                            self.supersede(old, &id);
                        }
                    }
                }
                Operation::Add { schema, evidence }
                    if self.based_on.iter().all(|x| x.0 != schema.id) =>
                {
                    self.n_more += 1;
                    self.edit(&schema, |memory| rest_on(memory, &evidence));
                }
                _ => self.n_dropped += 1,
            }
        }
    }

    /// The rows that make the catalogue hold these picks and no others.
    fn catalog(&mut self, state: &State, scope: &ScopeKey, picks: &[(&'static str, Rc<Memory>)]) {
        let mut stays: Vec<MemoryId> = Vec::new();
        let mut rank = 0;
        for (at, (domain, fact)) in picks.iter().enumerate() {
            let is_next = at > 0 && picks.get(at - 1).is_some_and(|before| before.0 == *domain);
            rank = if is_next { rank + 1 } else { 0 };
            let base = id_of(&format!("catalog\0{scope}\0{domain}\0{}", fact.id), 0);
            let old = state.family(&base).last();
            let id = old.map_or_else(|| state.free_id(&base), |old| old.id.clone());
            stays.push(id.clone());
            let mut new = self.record(
                state,
                scope,
                id,
                (Type::Persona, &fact.text),
                std::slice::from_ref(fact),
            );
            new.signals = vec![Text::from(*domain)];
            new.importance = FIRST - LATER * f64::from(rank);
            new.source.at = fact.source.at;
            match old {
                None => self.write(new),
                Some(old) if is_same(old, &new) => {}
                Some(old) => self.edit(old, |memory| {
                    memory.text = new.text.clone();
                    memory.status = Status::Active;
                    memory.importance = new.importance;
                    memory.source.session_id = new.source.session_id.clone();
                    memory.remember = new.remember.clone();
                }),
            }
        }
        let gone = state
            .in_scope(scope)
            .filter(|x| x.memory_type == Type::Persona);
        for old in gone.filter(|x| x.status == Status::Active && !stays.contains(&x.id)) {
            self.based_on.push((old.id.clone(), old.revision));
            self.rows.push(retired(old, "not-picked"));
        }
    }

    /// A first revision of something derived.
    fn record(
        &self,
        state: &State,
        scope: &ScopeKey,
        id: MemoryId,
        (memory_type, text): (Type, &str),
        evidence: &[Rc<Memory>],
    ) -> Memory {
        let mut memory = Memory {
            id,
            memory_type,
            layer: Layer::Derived,
            text: text.into(),
            canonical: None,
            status: Status::Active,
            scope: scope.clone(),
            importance: 0.5,
            signals: Vec::new(),
            remember: Remember {
                score: 1.0,
                by: JudgeName::Host,
                model: self.model.clone(),
            },
            by: Author::Model,
            source: Source {
                session_id: SessionId::from(""),
                turn: 0,
                seq: EventSeq(0),
                quote: Text::default(),
                at: self.now,
                tool: None,
                count: None,
                way_out: None,
                source_ids: Vec::new(),
                aliases: Vec::new(),
            },
            supersedes: Vec::new(),
            superseded_by: Vec::new(),
            conflicts_with: Vec::new(),
            valid_from: None,
            valid_until: None,
            temporal_scope: None,
            procedure: None,
            origin: state.origin().cloned().unwrap_or_else(|| Origin::from("")),
            revision: Revision(1),
            created_at: self.now,
            updated_at: self.now,
        };
        rest_on(&mut memory, evidence);
        memory
    }
}

/// Names what something derived cites, and as which revisions.
fn rest_on(memory: &mut Memory, evidence: &[Rc<Memory>]) {
    memory.source.source_ids = schema::ids(evidence);
    memory.source.session_id = SessionId::from(key(EVIDENCE, evidence.iter()));
}

/// Whether an entry of the catalogue is as it would be made.
fn is_same(old: &Memory, new: &Memory) -> bool {
    old.status == Status::Active
        && old.text == new.text
        && old.importance == new.importance
        && old.source.session_id == new.source.session_id
}
