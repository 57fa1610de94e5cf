//! A disk in memory, shared by any number of pretended processes.

use super::give_way;
use crate::error::FilesError;
use crate::port::{Answer, FileEntry, Files, Liveness, Owner, Publication, Published};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Which kind of call a fault answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Read,
    List,
    Append,
    Replace,
    Create,
    Truncate,
    Rename,
    Remove,
}

/// What a call meets instead of success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No space: an append leaves this many of its bytes behind, everything else leaves nothing.
    NoSpace { written_bytes: usize },
    /// The system refuses.
    NotPermitted,
}

/// When, in the course of a replacement, a person saves the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The new bytes are durable beside it, and nobody looked yet at what stands there.
    BeforeTheLook,
    /// The new file is in place, and the call has not returned.
    AfterTheRename,
}

/// What a crash takes of the folder changes that were not yet durable (created, renamed and removed names).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The process died and the system lived: everything that was done is there.
    Nothing,
    /// The system died: every change of a name since it was last synced is undone.
    All,
    /// The system died and one change alone was lost, so the order of names on disk is not the order in which they were made.
    Only(usize),
}

/// A change of a name that a crash may undo.
#[derive(Debug, Clone)]
enum Pending {
    Created(String, Vec<u8>),
    Renamed(String, String),
    Removed(String),
}

#[derive(Debug, Default)]
struct Inner {
    /// What a reader sees now.
    seen: BTreeMap<String, Vec<u8>>,
    /// What survives the system's death.
    durable: BTreeMap<String, Vec<u8>>,
    pending: Vec<Pending>,
    changes: BTreeMap<String, u64>,
    change: u64,
    /// Points at which a crash could have happened so far.
    points: u64,
    crash_at: Option<u64>,
    crashed: bool,
    read_only: bool,
    faults: Vec<(Operation, String, Fault)>,
    dead: BTreeSet<(String, u32, String)>,
    tells: bool,
    calls: BTreeMap<Operation, u64>,
    people: Vec<(Moment, String, Vec<u8>)>,
    /// How long processes were stopped by the system so far.
    stopped_ms: u64,
}

/// The disk. Clones share it.
#[derive(Debug, Clone)]
pub struct Disk {
    inner: Rc<RefCell<Inner>>,
    yields: Rc<Cell<bool>>,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            inner: Rc::new(RefCell::new(Inner {
                tells: true,
                ..Inner::default()
            })),
            yields: Rc::new(Cell::new(false)),
        }
    }
}

impl Disk {
    /// Returns an empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the files of a pretended process.
    pub fn process(&self, pid: u32) -> MemoryFiles {
        MemoryFiles {
            disk: self.clone(),
            owner: Owner {
                host: "host".to_owned(),
                pid,
                started: format!("s{pid}"),
            },
        }
    }

    /// Sets whether each call gives way once before it acts, so that processes interleave. At first none does.
    pub fn give_way_at_each_call(&self, yields: bool) {
        self.yields.set(yields);
    }

    /// Marks a process as dead: its locks may be reclaimed.
    pub fn kill(&self, owner: &Owner) {
        self.inner
            .borrow_mut()
            .dead
            .insert((owner.host.clone(), owner.pid, owner.started.clone()));
    }

    /// Sets whether the system tells if a process lives. Where it does not, only a heartbeat can.
    pub fn tells_liveness(&self, tells: bool) {
        self.inner.borrow_mut().tells = tells;
    }

    /// Stops everything at the `point`-th point from now, counted from 0. Every call after it fails and does nothing.
    pub fn crash_at(&self, point: u64) {
        let mut inner = self.inner.borrow_mut();
        inner.points = 0;
        inner.crash_at = Some(point);
    }

    /// Returns how many points there were since the count began, and begins it anew.
    pub fn take_points(&self) -> u64 {
        std::mem::take(&mut self.inner.borrow_mut().points)
    }

    /// Returns whether the planned crash happened.
    pub fn has_crashed(&self) -> bool {
        self.inner.borrow().crashed
    }

    /// Returns how many changes of names a crash now could undo.
    pub fn n_pending(&self) -> usize {
        self.inner.borrow().pending.len()
    }

    /// Returns a disk of its own with the same files.
    pub fn copy(&self) -> Disk {
        self.after_crash(Loss::Nothing)
    }

    /// Goes on after a crash, with what it left.
    pub fn restart(&self, loss: Loss) {
        let next = self.after_crash(loss);
        let mut inner = self.inner.borrow_mut();
        let fresh = next.inner.borrow();
        inner.seen = fresh.seen.clone();
        inner.durable = fresh.durable.clone();
        inner.pending.clear();
        inner.crashed = false;
        inner.crash_at = None;
        // Every file may be another one now.
        inner.change += 1;
        let change = inner.change;
        for path in fresh.seen.keys() {
            inner.changes.insert(path.clone(), change);
        }
    }

    /// Returns the disk as the next process finds it after a crash.
    pub fn after_crash(&self, loss: Loss) -> Disk {
        let inner = self.inner.borrow();
        let files = match loss {
            Loss::Nothing => inner.seen.clone(),
            Loss::All => inner.durable.clone(),
            Loss::Only(lost) => {
                let mut files = inner.durable.clone();
                for (number, pending) in inner.pending.iter().enumerate() {
                    if number != lost {
                        apply(&mut files, pending);
                    }
                }
                files
            }
        };
        let next = Disk::new();
        {
            let mut fresh = next.inner.borrow_mut();
            fresh.durable = files.clone();
            fresh.seen = files;
            fresh.dead = inner.dead.clone();
            fresh.tells = inner.tells;
        }
        next
    }

    /// Makes the next call of this kind whose path ends in `suffix` meet `fault`.
    pub fn fail_next(&self, operation: Operation, suffix: &str, fault: Fault) {
        self.inner
            .borrow_mut()
            .faults
            .push((operation, suffix.to_owned(), fault));
    }

    /// Has a person put `bytes` in the next file replaced whose path ends in `suffix`, in the middle of that.
    pub fn edit_during_replace(&self, moment: Moment, suffix: &str, bytes: &[u8]) {
        self.inner
            .borrow_mut()
            .people
            .push((moment, suffix.to_owned(), bytes.to_vec()));
    }

    /// Removes the files under a folder, as a person does.
    pub fn delete_folder(&self, folder: &str) {
        let inside = format!("{}/", folder.trim_end_matches('/'));
        for path in self.paths() {
            if path.starts_with(&inside) {
                self.delete(&path);
            }
        }
    }

    /// Stops whoever is at work for so long, at this moment.
    pub fn stop_for(&self, ms: u64) {
        self.inner.borrow_mut().stopped_ms += ms;
    }

    /// Makes every change fail as on a read-only folder, or lets changes pass again.
    pub fn read_only(&self, on: bool) {
        self.inner.borrow_mut().read_only = on;
    }

    /// Returns the bytes of a file, as a person with an editor sees them.
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.inner.borrow().seen.get(path).cloned()
    }

    /// Puts bytes in a file, as a person with an editor does.
    pub fn put(&self, path: &str, bytes: &[u8]) {
        let mut inner = self.inner.borrow_mut();
        inner.write(path, bytes.to_vec());
    }

    /// Removes a file, as a person does.
    pub fn delete(&self, path: &str) {
        let mut inner = self.inner.borrow_mut();
        inner.seen.remove(path);
        inner.durable.remove(path);
        inner.touch(path);
    }

    /// Returns every path, sorted.
    pub fn paths(&self) -> Vec<String> {
        self.inner.borrow().seen.keys().cloned().collect()
    }

    /// Returns how many calls of this kind were made.
    pub fn n_calls(&self, operation: Operation) -> u64 {
        self.inner
            .borrow()
            .calls
            .get(&operation)
            .copied()
            .unwrap_or(0)
    }
}

fn apply(files: &mut BTreeMap<String, Vec<u8>>, pending: &Pending) {
    match pending {
        Pending::Created(path, bytes) => {
            files.insert(path.clone(), bytes.clone());
        }
        Pending::Renamed(from, to) => {
            if let Some(bytes) = files.remove(from) {
                files.insert(to.clone(), bytes);
            }
        }
        Pending::Removed(path) => {
            files.remove(path);
        }
    }
}

impl Inner {
    fn touch(&mut self, path: &str) {
        self.change += 1;
        self.changes.insert(path.to_owned(), self.change);
    }

    fn write(&mut self, path: &str, bytes: Vec<u8>) {
        self.durable.insert(path.to_owned(), bytes.clone());
        self.seen.insert(path.to_owned(), bytes);
        self.settle(path);
        self.touch(path);
    }

    fn extend(&mut self, path: &str, bytes: &[u8]) {
        let file = self.seen.entry(path.to_owned()).or_default();
        file.extend_from_slice(bytes);
        // Most files are only appended to: then the durable copy grows by the same bytes.
        let whole = file.len();
        let durable = self.durable.entry(path.to_owned()).or_default();
        if durable.len() + bytes.len() == whole {
            durable.extend_from_slice(bytes);
        } else {
            durable.clone_from(file);
        }
        self.settle(path);
        self.touch(path);
    }

    /// What was made durable cannot be undone by losing an older change of the same name.
    fn settle(&mut self, path: &str) {
        self.pending.retain(|pending| match pending {
            Pending::Created(name, _) | Pending::Removed(name) => name != path,
            Pending::Renamed(_, to) => to != path,
        });
    }

    /// Lets a person's planned edit happen at this moment of a replacement.
    fn meet_a_person(&mut self, moment: Moment, path: &str) {
        let found = self
            .people
            .iter()
            .position(|(when, suffix, _)| *when == moment && path.ends_with(suffix.as_str()));
        if let Some(number) = found {
            let (_, _, bytes) = self.people.remove(number);
            self.write(path, bytes);
        }
    }

    fn stamp(&self, path: &str) -> String {
        match self.seen.get(path) {
            Some(bytes) => {
                let change = self.changes.get(path).copied().unwrap_or(0);
                format!("{}:{change}", bytes.len())
            }
            None => {
                let inside = format!("{path}/");
                let mut after = self.seen.range(inside.clone()..);
                let is_folder = after
                    .next()
                    .is_some_and(|(name, _)| name.starts_with(&inside));
                if is_folder { "folder" } else { "" }.to_owned()
            }
        }
    }

    /// Passes one point; returns whether the crash happens here.
    fn point(&mut self) -> bool {
        let here = self.points;
        self.points += 1;
        if self.crash_at == Some(here) {
            self.crashed = true;
        }
        self.crashed
    }

    fn gone(path: &str) -> FilesError {
        FilesError::Other {
            path: path.to_owned(),
            action: "reach",
            message: "the disk stopped".to_owned(),
        }
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), FilesError> {
        let fault = self.enter(Operation::Append, path)?;
        if let Some(fault) = fault {
            if let Fault::NoSpace { written_bytes } = fault {
                self.extend(path, bytes.get(..written_bytes).unwrap_or(bytes));
            }
            return Err(refuse(fault, path, "append"));
        }
        // A point before each byte and one after the last.
        let n_points = bytes.len() as u64 + 1;
        match self.crash_at.and_then(|at| at.checked_sub(self.points)) {
            Some(into) if into < n_points => {
                let n_bytes = usize::try_from(into).unwrap_or(usize::MAX);
                self.extend(path, bytes.get(..n_bytes).unwrap_or(bytes));
                self.points += into;
                self.point();
                Err(Self::gone(path))
            }
            _ => {
                self.extend(path, bytes);
                self.points += n_points;
                Ok(())
            }
        }
    }

    /// Makes a name, or changes what it holds, not durably.
    fn make(&mut self, path: &str, bytes: &[u8]) {
        self.seen.insert(path.to_owned(), bytes.to_vec());
        self.pending
            .push(Pending::Created(path.to_owned(), bytes.to_vec()));
        self.touch(path);
    }

    /// What stands in the way of a call before it starts.
    fn enter(&mut self, operation: Operation, path: &str) -> Result<Option<Fault>, FilesError> {
        *self.calls.entry(operation).or_default() += 1;
        if self.crashed {
            return Err(Self::gone(path));
        }
        let changes = !matches!(operation, Operation::Read | Operation::List);
        if changes && self.read_only {
            return Ok(Some(Fault::NotPermitted));
        }
        let found = self
            .faults
            .iter()
            .position(|(kind, suffix, _)| *kind == operation && path.ends_with(suffix.as_str()));
        Ok(found.map(|number| self.faults.remove(number).2))
    }
}

fn refuse(fault: Fault, path: &str, action: &'static str) -> FilesError {
    match fault {
        Fault::NoSpace { .. } => FilesError::NoSpace {
            path: path.to_owned(),
            action,
        },
        Fault::NotPermitted => FilesError::NotPermitted {
            path: path.to_owned(),
            action,
        },
    }
}

fn missing(path: &str) -> FilesError {
    FilesError::NotFound {
        path: path.to_owned(),
    }
}

/// The files of one pretended process.
#[derive(Debug, Clone)]
pub struct MemoryFiles {
    disk: Disk,
    owner: Owner,
}

impl MemoryFiles {
    /// Runs one call: gives way if asked, meets its fault, and passes a point before and after `change`.
    fn call<'a, T: 'a>(
        &'a self,
        operation: Operation,
        path: &'a str,
        action: &'static str,
        change: impl FnOnce(&mut Inner) -> Result<T, FilesError> + 'a,
    ) -> Answer<'a, Result<T, FilesError>> {
        Box::pin(async move {
            if self.disk.yields.get() {
                give_way().await;
            }
            let mut inner = self.disk.inner.borrow_mut();
            if let Some(fault) = inner.enter(operation, path)? {
                return Err(refuse(fault, path, action));
            }
            let changes = !matches!(operation, Operation::Read | Operation::List);
            if changes && inner.point() {
                return Err(Inner::gone(path));
            }
            let value = change(&mut inner)?;
            if changes && inner.point() {
                return Err(Inner::gone(path));
            }
            Ok(value)
        })
    }
}

impl MemoryFiles {
    async fn give_way(&self) {
        if self.disk.yields.get() {
            give_way().await;
        }
    }

    /// A commit in the steps of the real one, each a point before and after, other processes between them.
    async fn publish_in_steps(&self, of: Publication<'_>) -> Result<Published, FilesError> {
        let claim = |inner: &mut Inner| {
            inner.make(of.owner, of.claim);
            Ok(())
        };
        self.call(Operation::Create, of.owner, "create", claim)
            .await?;
        let link = |inner: &mut Inner| {
            let is_free = !inner.seen.contains_key(of.lock);
            if is_free {
                inner.make(of.lock, of.claim);
            }
            Ok(is_free)
        };
        if !self
            .call(Operation::Create, of.lock, "create", link)
            .await?
        {
            return Ok(Published::Busy);
        }
        let begun = self.disk.inner.borrow().stopped_ms;
        self.give_way().await;
        let is_late = || self.disk.inner.borrow().stopped_ms - begun >= u64::from(of.within_ms);
        {
            let inner = self.disk.inner.borrow();
            let found = inner.seen.get(of.path);
            let is_as_known = found.is_some_and(|bytes| {
                bytes.len() as u64 == of.end_bytes && bytes.ends_with(of.tail)
            });
            if !is_as_known || inner.stamp(of.beside) != of.stamp {
                return Ok(Published::Taken);
            }
        }
        if is_late() {
            return Ok(Published::Taken);
        }
        self.give_way().await;
        let appended = self.disk.inner.borrow_mut().append(of.path, of.bytes);
        if let Err(error) = appended {
            return Ok(Published::Failed(error));
        }
        self.give_way().await;
        if is_late() || self.remove(of.lock).await.is_err() {
            return Ok(Published::Kept);
        }
        Ok(Published::Done)
    }

    /// Replaces a file, with `stamp` only the one that has it. A crash before the rename leaves the neighbour behind.
    async fn put_in_place(
        &self,
        path: &str,
        stamp: Option<&str>,
        bytes: &[u8],
    ) -> Result<Option<String>, FilesError> {
        if self.disk.yields.get() {
            give_way().await;
        }
        let mut inner = self.disk.inner.borrow_mut();
        if let Some(fault) = inner.enter(Operation::Replace, path)? {
            return Err(refuse(fault, path, "replace"));
        }
        let neighbour = format!("{path}.{}.tmp", self.owner.pid);
        for part in [0, bytes.len() / 2, bytes.len()] {
            if inner.point() {
                let half = bytes.get(..part).unwrap_or_default().to_vec();
                inner.write(&neighbour, half);
                return Err(Inner::gone(path));
            }
        }
        inner.meet_a_person(Moment::BeforeTheLook, path);
        if stamp.is_some_and(|stamp| inner.stamp(path) != stamp) {
            return Ok(None);
        }
        inner.write(path, bytes.to_vec());
        let made = inner.stamp(path);
        inner.meet_a_person(Moment::AfterTheRename, path);
        if inner.point() {
            return Err(Inner::gone(path));
        }
        Ok(Some(made))
    }
}

impl Files for MemoryFiles {
    fn read<'a>(
        &'a self,
        path: &'a str,
        from_bytes: u64,
    ) -> Answer<'a, Result<Vec<u8>, FilesError>> {
        self.call(Operation::Read, path, "read", move |inner| {
            let bytes = inner.seen.get(path).ok_or_else(|| missing(path))?;
            Ok(bytes
                .get(usize::try_from(from_bytes).unwrap_or(usize::MAX)..)
                .unwrap_or_default()
                .to_vec())
        })
    }

    fn read_part<'a>(
        &'a self,
        path: &'a str,
        from_bytes: u64,
        length_bytes: u64,
    ) -> Answer<'a, Result<Vec<u8>, FilesError>> {
        Box::pin(async move {
            let mut bytes = self.read(path, from_bytes).await?;
            bytes.truncate(usize::try_from(length_bytes).unwrap_or(usize::MAX));
            Ok(bytes)
        })
    }

    fn list<'a>(&'a self, path: &'a str) -> Answer<'a, Result<Vec<FileEntry>, FilesError>> {
        self.call(Operation::List, path, "list", move |inner| {
            let inside = format!("{}/", path.trim_end_matches('/'));
            let mut entries: BTreeMap<String, FileEntry> = BTreeMap::new();
            for (name, bytes) in inner.seen.range(inside.clone()..) {
                let Some(rest) = name.strip_prefix(&inside) else {
                    break;
                };
                let (name, is_folder) = match rest.split_once('/') {
                    Some((folder, _)) => (folder, true),
                    None => (rest, false),
                };
                entries.insert(
                    name.to_owned(),
                    FileEntry {
                        name: name.to_owned(),
                        length_bytes: if is_folder { 0 } else { bytes.len() as u64 },
                        is_folder,
                    },
                );
            }
            if entries.is_empty() {
                return Err(missing(path));
            }
            Ok(entries.into_values().collect())
        })
    }

    fn append<'a>(&'a self, path: &'a str, bytes: &'a [u8]) -> Answer<'a, Result<(), FilesError>> {
        Box::pin(async move {
            self.give_way().await;
            self.disk.inner.borrow_mut().append(path, bytes)
        })
    }

    fn replace<'a>(&'a self, path: &'a str, bytes: &'a [u8]) -> Answer<'a, Result<(), FilesError>> {
        Box::pin(async move { self.put_in_place(path, None, bytes).await.map(|_| ()) })
    }

    fn replace_if<'a>(
        &'a self,
        path: &'a str,
        stamp: Option<&'a str>,
        pieces: &'a [Vec<u8>],
    ) -> Answer<'a, Result<Option<String>, FilesError>> {
        let bytes = pieces.concat();
        Box::pin(async move { self.put_in_place(path, stamp, &bytes).await })
    }

    fn copy<'a>(&'a self, from: &'a str, to: &'a str) -> Answer<'a, Result<(), FilesError>> {
        Box::pin(async move {
            let bytes = self.disk.get(from).ok_or_else(|| missing(from))?;
            self.put_in_place(to, None, &bytes).await.map(|_| ())
        })
    }

    fn begins_with<'a>(
        &'a self,
        path: &'a str,
        beginning: &'a str,
    ) -> Answer<'a, Result<bool, FilesError>> {
        self.call(Operation::Read, path, "read", move |inner| {
            let bytes = inner.seen.get(path).ok_or_else(|| missing(path))?;
            let with = inner
                .seen
                .get(beginning)
                .ok_or_else(|| missing(beginning))?;
            Ok(bytes.starts_with(with))
        })
    }

    fn create<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
    ) -> Answer<'a, Result<bool, FilesError>> {
        self.call(Operation::Create, path, "create", move |inner| {
            if inner.seen.contains_key(path) {
                return Ok(false);
            }
            inner.make(path, bytes);
            Ok(true)
        })
    }

    fn publish<'a>(
        &'a self,
        publication: Publication<'a>,
    ) -> Answer<'a, Result<Published, FilesError>> {
        Box::pin(self.publish_in_steps(publication))
    }

    fn truncate<'a>(
        &'a self,
        path: &'a str,
        length_bytes: u64,
    ) -> Answer<'a, Result<(), FilesError>> {
        self.call(Operation::Truncate, path, "truncate", move |inner| {
            let mut bytes = inner.seen.get(path).cloned().ok_or_else(|| missing(path))?;
            bytes.truncate(usize::try_from(length_bytes).unwrap_or(usize::MAX));
            inner.write(path, bytes);
            Ok(())
        })
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> Answer<'a, Result<(), FilesError>> {
        self.call(Operation::Rename, from, "rename", move |inner| {
            if inner.seen.contains_key(to) {
                return Err(FilesError::Other {
                    path: to.to_owned(),
                    action: "rename",
                    message: "already exists".to_owned(),
                });
            }
            let bytes = inner.seen.remove(from).ok_or_else(|| missing(from))?;
            inner.seen.insert(to.to_owned(), bytes);
            inner
                .pending
                .push(Pending::Renamed(from.to_owned(), to.to_owned()));
            inner.touch(from);
            inner.touch(to);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, path: &'a str) -> Answer<'a, Result<(), FilesError>> {
        self.call(Operation::Remove, path, "remove", move |inner| {
            if inner.seen.remove(path).is_some() {
                inner.pending.push(Pending::Removed(path.to_owned()));
                inner.touch(path);
            }
            Ok(())
        })
    }

    fn stamp(&self, path: &str) -> String {
        self.disk.inner.borrow().stamp(path)
    }

    fn real_path<'a>(&'a self, path: &'a str) -> Answer<'a, Result<String, FilesError>> {
        Box::pin(async move { Ok(path.to_owned()) })
    }

    fn owner(&self) -> Owner {
        self.owner.clone()
    }

    fn liveness(&self, owner: &Owner) -> Liveness {
        let inner = self.disk.inner.borrow();
        if !inner.tells {
            return Liveness::Unknown;
        }
        let known = (owner.host.clone(), owner.pid, owner.started.clone());
        if inner.dead.contains(&known) {
            Liveness::Dead
        } else {
            Liveness::Alive
        }
    }
}
