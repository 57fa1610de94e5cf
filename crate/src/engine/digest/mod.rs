//! The digest of one scope: compare its heads, ask a model about each cluster, commit each answer by itself.
//!
//! Each product is one commit that also names what was asked, so a digest that ends anywhere goes on where it was. Only
//! the last commit confirms, up to the row that stood when the heads were read. The rules: [`crate::decide::digest`].

mod products;
mod report;

pub(super) use report::{Progress, Report, failed};

use super::Engine;
use super::budget::Budget;
use crate::decide::Error;
use crate::decide::digest::cluster::{Distances, Linkage, REFINED_FROM, pages};
use crate::decide::digest::space::Space;
use crate::decide::digest::{Rules, is_dialogue, is_fresh, is_material, key, persona};
use crate::decide::error::Kind;
use crate::error::StoreError;
use crate::memory::{Memory, MemoryId, Revision, ScopeKey, Seq, SessionId, Status};
use crate::port::{LlmReply, LlmRequest, Ports};
use crate::store::entry::{Body, Fact};
use crate::store::{Draft, State, Store, commit};
use crate::text::order;
use crate::text::sorted::{Map, Set};
use std::cell::RefCell;
use std::rc::Rc;

/// Milliseconds a commit waits for other processes.
const COMMIT_WAIT_MS: u32 = 10_000;
/// Calls without an answer, one after the other, after which a digest gives up its scope.
const FAULTS_MAX: u32 = 3;
/// Milliseconds between looks at a scope that is being digested, by this process.
const LOOK_MS: u32 = 100;
/// How often the last commit is drawn up when something changes meanwhile.
const ATTEMPTS_MAX: u32 = 3;
/// Heads held against those before them between two chances for others to run.
const POINTS_SLICE: usize = 200;
/// Scopes whose last digest is remembered for whoever asks how it went.
const TOLD_MAX: usize = 64;

/// What is asked, of whom, and by which numbers.
pub(super) struct Terms {
    pub(super) rules: Rules,
    pub(super) embeddings: bool,
    pub(super) embedding_timeout_ms: u32,
    pub(super) session: SessionId,
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) timeout_ms: u32,
}

/// Which scopes are being digested in this process, and how far each is.
#[derive(Debug, Default)]
pub(super) struct Digests {
    running: RefCell<Set<ScopeKey>>,
    told: RefCell<Map<ScopeKey, Progress>>,
}

impl Digests {
    fn tell(&self, scope: &ScopeKey, change: impl FnOnce(&mut Progress)) {
        let mut told = self.told.borrow_mut();
        if !told.contains_key(scope) && told.len() >= TOLD_MAX {
            told.pop_first();
        }
        change(told.or_default(scope.clone()));
    }
}

/// A scope that is being digested, given back when dropped.
struct Running<'a>(&'a Digests, ScopeKey);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.borrow_mut().remove(&self.1);
    }
}

/// One digest under way.
struct Run {
    scope: ScopeKey,
    /// Heads that are looked at, ascending by id.
    heads: Vec<Rc<Memory>>,
    /// What was asked before it.
    before: Vec<String>,
    /// What is asked and answered now.
    names: Vec<String>,
    /// The last row that registered the scope before it.
    up_to: Option<Seq>,
    faults: u32,
    report: Report,
}

impl Engine {
    /// Returns the scopes for which a digest has something to do: registered ones, and those with something derived that is stale.
    pub(super) fn digest_due(&self, state: &State) -> Vec<ScopeKey> {
        let mut due: Set<ScopeKey> = Set::new();
        for digest in state.digests().filter(|x| x.pending.is_some()) {
            due.insert(digest.scope.clone());
        }
        for memory in state.memories().filter(|x| is_stale(state, x)) {
            due.insert(memory.scope.clone());
        }
        due.iter().cloned().collect()
    }

    /// Digests one scope. A second call for the same scope waits for the first.
    ///
    /// # Errors
    /// `ModelUnavailableError` when there is no model, or it does not answer; `StorageError`. What was committed stays, and the scope still waits.
    pub(super) async fn digest(
        &self,
        ports: Ports<'_>,
        scope: &ScopeKey,
        terms: &Terms,
    ) -> Result<Report, Error> {
        let store = self.store.get();
        let store = store.ok_or_else(|| Error::new(Kind::Storage, "the memory is not open"))?;
        let scope = store.borrow().state().scope_of(scope).clone();
        while self.digests.running.borrow().contains(&scope) {
            going_on(ports)?;
            ports.clock.sleep(LOOK_MS).await;
        }
        self.digests.running.borrow_mut().insert(scope.clone());
        let _running = Running(&self.digests, scope.clone());
        self.digests
            .tell(&scope, |told| *told = Progress::default());
        let done = self.digest_scope(ports, store, &scope, terms).await;
        self.digests.tell(&scope, |told| told.end(done.as_ref()));
        done
    }

    async fn digest_scope(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        scope: &ScopeKey,
        terms: &Terms,
    ) -> Result<Report, Error> {
        crate::store::refresh(store, ports).await?;
        let mut run = begun(store.borrow().state(), scope, &terms.rules);
        let texts: Vec<String> = run.heads.iter().map(|x| x.text.to_string()).collect();
        let space = self.space(ports, store, terms, &texts).await?;
        run.report.compared_by = space.name();
        let clusters = clusters(ports, &space, run.heads.len(), &terms.rules).await?;
        let least = terms.rules.min_cluster_size;
        let asked: Vec<Vec<Rc<Memory>>> = clusters
            .iter()
            .filter(|cluster| cluster.len() >= least)
            .flat_map(|cluster| pages(cluster))
            .filter(|page| page.len() >= least)
            .map(|page| {
                page.iter()
                    .filter_map(|at| run.heads.get(*at).cloned())
                    .collect()
            })
            .collect();
        run.report.clusters = asked.len();
        self.digests
            .tell(scope, |told| told.total = asked.len() + 2);
        for cluster in &asked {
            going_on(ports)?;
            self.schemas_of(ports, store, terms, &mut run, cluster)
                .await?;
            self.digests.tell(scope, |told| told.done += 1);
        }
        self.cores(ports, store, terms, &mut run).await?;
        self.digests.tell(scope, |told| told.done += 1);
        going_on(ports)?;
        self.catalog(ports, store, terms, &mut run).await?;
        self.digests.tell(scope, |told| told.done += 1);
        self.finish(ports, store, &mut run).await?;
        self.save_embeddings(ports).await;
        Ok(run.report)
    }

    /// Makes points of texts: by meaning where there are vectors, else by words.
    async fn space(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        terms: &Terms,
        texts: &[String],
    ) -> Result<Space, Error> {
        if !terms.embeddings || texts.is_empty() {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            return Ok(Space::of_texts(&texts));
        }
        let n_batches = texts.len().div_ceil(crate::conflict::embedding::BATCH_MAX) as u32;
        let total_ms = terms
            .embedding_timeout_ms
            .saturating_mul(n_batches.saturating_add(1));
        let budget = Budget::begin(ports, total_ms);
        let vectors = self.vectors(ports, store, texts, budget).await;
        let vectors = vectors.map_err(|(cause, detail)| {
            Error::new(
                Kind::Model,
                format!("{cause}: {detail}; the scope still waits for a digest"),
            )
        })?;
        Ok(Space::of_vectors(vectors))
    }

    /// Makes one call. None: it brought no answer, which costs this product alone.
    async fn asked(
        &self,
        ports: Ports<'_>,
        terms: &Terms,
        run: &mut Run,
        (system, prompt, max_tokens): (String, String, u32),
    ) -> Result<Option<LlmReply>, Error> {
        let request = LlmRequest {
            session: terms.session.clone(),
            provider: terms.provider.clone(),
            model: terms.model.clone(),
            system,
            prompt,
            max_tokens,
            timeout_ms: terms.timeout_ms,
        };
        run.report.asked += 1;
        match self.generate(ports, request).await {
            Ok(reply) => {
                run.faults = 0;
                Ok(Some(reply))
            }
            Err(fault) => {
                run.faults += 1;
                run.report
                    .failed
                    .push(format!("{}: {}", fault.cause, fault.detail));
                let is_over = ["host-no-route", "host-ended"].contains(&fault.cause);
                if is_over || run.faults >= FAULTS_MAX {
                    return Err(Error::new(
                        Kind::Model,
                        format!(
                            "no model answers ({}); what is done is kept, the scope still waits",
                            fault.detail
                        ),
                    ));
                }
                Ok(None)
            }
        }
    }

    /// Commits a product with the name of what was asked. Dropped whole when something it was made of changed meanwhile.
    async fn put(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        run: &mut Run,
        based_on: Vec<(MemoryId, Revision)>,
        (mut rows, name): (Vec<Body>, String),
    ) -> Result<bool, Error> {
        let digested = Fact::Digested {
            scope: run.scope.clone(),
            asked: vec![name.clone()],
            up_to: None,
        };
        rows.push(digested.into());
        let draft = Draft {
            rows,
            based_on,
            ..Draft::default()
        };
        match commit(store, ports, draft, COMMIT_WAIT_MS).await {
            Ok(_) => {
                run.names.push(name);
                Ok(true)
            }
            Err(StoreError::Stale { .. }) => {
                run.report.failed.push(CHANGED.to_owned());
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Retires what is stale, and confirms when every product came out.
    async fn finish(
        &self,
        ports: Ports<'_>,
        store: &RefCell<Store>,
        run: &mut Run,
    ) -> Result<(), Error> {
        for attempt in 1.. {
            let draft = {
                let store = store.borrow();
                finishing(store.state(), run)
            };
            let n_retired = draft.based_on.len();
            if draft.rows.is_empty() {
                return Ok(());
            }
            match commit(store, ports, draft, COMMIT_WAIT_MS).await {
                Err(StoreError::Stale { .. }) if attempt < ATTEMPTS_MAX => {
                    crate::store::refresh(store, ports).await?;
                }
                Err(error) => return Err(error.into()),
                Ok(_) => {
                    run.report.retired += n_retired;
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Why a product is dropped that was asked about what then changed.
const CHANGED: &str = "changed: what it was made of changed meanwhile";

/// Ends a digest whose job was ended.
fn going_on(ports: Ports<'_>) -> Result<(), Error> {
    if ports.ended.get() {
        let kept = "ended; what is done is kept, the scope still waits for a digest";
        return Err(Error::new(Kind::Storage, kept));
    }
    Ok(())
}

/// Returns whether something derived stands and holds no more.
fn is_stale(state: &State, memory: &Memory) -> bool {
    memory.is_derived()
        && memory.status == Status::Active
        && !is_fresh(memory, |id| state.memory(id))
}

/// Takes down what is digested: the newest heads, and how far they were registered.
fn begun(state: &State, scope: &ScopeKey, rules: &Rules) -> Run {
    let mut heads: Vec<Rc<Memory>> = state
        .in_scope(scope)
        .filter(|x| is_material(x))
        .cloned()
        .collect();
    let left_out = heads.len().saturating_sub(rules.head_limit);
    if left_out > 0 {
        order::sort_by(&mut heads, |a, b| {
            (b.created_at, &b.id).cmp(&(a.created_at, &a.id))
        });
        heads.truncate(rules.head_limit);
        order::sort_by(&mut heads, |a, b| a.id.cmp(&b.id));
    }
    let digest = state.digest(scope);
    Run {
        scope: scope.clone(),
        before: digest.map(|x| x.asked.clone()).unwrap_or_default(),
        names: Vec::new(),
        up_to: digest.and_then(|x| x.pending).map(|pending| pending.1),
        faults: 0,
        report: Report {
            heads: heads.len(),
            left_out,
            ..Report::default()
        },
        heads,
    }
}

/// Clusters heads in slices, those of nearly the same text as one. Places, ascending.
async fn clusters(
    ports: Ports<'_>,
    space: &Space,
    n: usize,
    rules: &Rules,
) -> Result<Vec<Vec<usize>>, Error> {
    let (distance, refine) = match space {
        Space::Meaning(_) => (rules.cluster_distance, rules.refine_distance),
        Space::Words(_) => (rules.lexical_distance, rules.lexical_refine_distance),
    };
    let mut distances = Distances::of(n);
    while distances.measure(&|a, b| space.like(a, b)) {
        going_on(ports)?;
        ports.clock.sleep(0).await;
    }
    let linked = async |points: Vec<usize>| -> Result<Linkage, Error> {
        let mut tree = Linkage::of(&distances, points);
        while tree.link() {
            going_on(ports)?;
            ports.clock.sleep(0).await;
        }
        Ok(tree)
    };
    let mut firsts = Vec::new();
    for point in 0..n {
        distances.first(point, &mut firsts);
        if point % POINTS_SLICE == POINTS_SLICE - 1 {
            going_on(ports)?;
            ports.clock.sleep(0).await;
        }
    }
    let mut out = Vec::new();
    for cluster in linked(firsts).await?.cut(distance) {
        if cluster.len() > REFINED_FROM {
            out.extend(linked(cluster).await?.cut(refine));
        } else {
            out.push(cluster);
        }
    }
    Ok(out)
}

/// Draws up the last commit: empty when nothing changes by it.
fn finishing(state: &State, run: &Run) -> Draft {
    let stale: Vec<&Rc<Memory>> = state
        .in_scope(&run.scope)
        .filter(|x| is_stale(state, x))
        .collect();
    let mut rows: Vec<Body> = stale
        .iter()
        .map(|memory| retired(memory, "stale"))
        .collect();
    let before = state.digest(&run.scope);
    let is_new = before.is_none_or(|digest| digest.asked != run.names);
    let is_worth = is_new && (before.is_some() || !run.names.is_empty());
    if run.report.failed.is_empty() && (run.up_to.is_some() || is_worth) {
        rows.push(Body::Fact(Fact::Digested {
            scope: run.scope.clone(),
            asked: run.names.clone(),
            up_to: Some(run.up_to.unwrap_or_default()),
        }));
    }
    Draft {
        rows,
        based_on: stale.iter().map(|x| (x.id.clone(), x.revision)).collect(),
        ..Draft::default()
    }
}

/// The fact that takes something derived out of sight.
fn retired(memory: &Memory, reason: &str) -> Body {
    Body::Fact(Fact::Status {
        id: memory.id.clone(),
        status: Status::Archived,
        revision: Revision(memory.revision.0.saturating_add(1)),
        reason: reason.to_owned(),
    })
}

/// Returns the dialogue facts of a scope, the newest first, and the name of their set.
fn dialogue(state: &State, scope: &ScopeKey) -> (Vec<Rc<Memory>>, String) {
    let mut facts: Vec<Rc<Memory>> = state
        .in_scope(scope)
        .filter(|x| is_dialogue(x))
        .cloned()
        .collect();
    let name = key("catalog", facts.iter());
    order::sort_by(&mut facts, |a, b| {
        (b.source.at, b.created_at, &b.id).cmp(&(a.source.at, a.created_at, &a.id))
    });
    facts.truncate(persona::FACTS_MAX);
    (facts, name)
}
