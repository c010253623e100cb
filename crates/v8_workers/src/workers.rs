//! The workers of a backend: claimed for executions, started when there are none, replaced in the background.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_knobs::{
    CONVEX_WASM_NODE_HEAP_SIZE, CONVEX_WASM_V8_MAX_PARKED_WORKERS, CONVEX_WASM_V8_PHASES,
    CONVEX_WASM_V8_REFILL_DELAY_MS, CONVEX_WASM_V8_SNAPSHOT, CONVEX_WASM_V8_WARM_WORKERS, ISOLATE_MAX_USER_HEAP_SIZE,
    V8Snapshot,
};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use crate::error::WorkerError;
use crate::harness;
use crate::packages::npm_beside;
use crate::pool::{Pool, Purpose};
use crate::program::{Key, Program, Runtime};
use crate::reaper::Reaper;
use crate::snapshots::Snapshots;
use crate::spawner::Spawner;
use crate::statistics::{Counters, Statistics};
use crate::worker::{Starter, Worker};

/// How workers are kept.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Path of Node, 22 or newer.
    pub node: PathBuf,
    /// Path of npm.
    pub npm: PathBuf,
    /// A folder for scripts and snapshots.
    pub directory: PathBuf,
    /// Parked workers of each program that have run nothing; 0 parks none.
    pub warm_workers: usize,
    /// Parked workers in all.
    pub max_parked: usize,
    /// Limit of the heap, in units of 2^20 bytes.
    pub heap_mb: usize,
    /// When snapshots are used.
    pub snapshots: V8Snapshot,
}

impl Settings {
    /// Settings as the knobs say.
    pub fn new(node: PathBuf, directory: PathBuf) -> Self {
        let snapshots = CONVEX_WASM_V8_SNAPSHOT.get();
        if snapshots == V8Snapshot::Unknown {
            tracing::warn!("CONVEX_WASM_V8_SNAPSHOT is none of auto, block and off: auto is used");
        }
        Self {
            npm: npm_beside(&node),
            node,
            directory,
            warm_workers: CONVEX_WASM_V8_WARM_WORKERS.get(),
            max_parked: CONVEX_WASM_V8_MAX_PARKED_WORKERS.get(),
            heap_mb: ISOLATE_MAX_USER_HEAP_SIZE.get() >> 20,
            snapshots,
        }
    }
}

/// Starts, parks and hands out workers. Cheap to clone.
#[derive(Clone)]
pub struct Workers(Arc<Inner>);

struct Inner {
    settings: Settings,
    starter: Starter,
    snapshots: Snapshots,
    pool: Pool,
    counters: Counters,
    /// Held while a worker is started to be parked.
    refills: tokio::sync::Mutex<()>,
    /// Held while packages are installed.
    installs: tokio::sync::Mutex<()>,
}

/// A worker that was claimed in advance, by a hint of what will run.
pub struct Claim {
    key: Key,
    worker: Worker,
}

/// A worker for one execution.
pub(crate) struct Lease {
    pub(crate) worker: Worker,
    /// It was parked, so it may have died since nobody looked.
    pub(crate) parked: bool,
    key: Key,
    /// A refill waits for the end of this.
    running: Option<oneshot::Sender<()>>,
}

impl Workers {
    /// Workers with these settings; none is started yet. Must be called in a Tokio runtime.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn new(settings: Settings) -> Result<Self, WorkerError> {
        let file = |action| move |source| WorkerError::File { action, source };
        std::fs::create_dir_all(&settings.directory).map_err(file("create the folder of V8 workers"))?;
        let script = settings.directory.join("worker.js");
        std::fs::write(&script, harness::plain()).map_err(file("write the script of V8 workers"))?;
        let spawner = Spawner::new().map_err(file("start a thread"))?;
        let starter = Starter { node: settings.node.clone(), spawner, reaper: Reaper::default(), script };
        let snapshots = Snapshots::new(settings.directory.clone());
        let (pool, counters) = (Pool::default(), Counters::default());
        Ok(Self(Arc::new(Inner {
            settings,
            starter,
            snapshots,
            pool,
            counters,
            refills: Default::default(),
            installs: Default::default(),
        })))
    }

    /// What workers of a program are found by.
    pub fn key(&self, program: &Program) -> Key {
        let heap_mb = match program.runtime() {
            Runtime::Default => self.0.settings.heap_mb,
            Runtime::Node => CONVEX_WASM_NODE_HEAP_SIZE.get() >> 20,
        };
        Key { digest: program.digest().to_owned(), heap_mb }
    }

    /// Parks workers for a program that will be used, as far as the settings want it.
    pub fn prepare(&self, program: &Arc<Program>) {
        self.refill(program, std::future::ready(()));
    }

    /// Claims a parked worker for an action that waits for its turn. It is given to [`Workers`] again when the action
    /// runs; should another program run then, the right worker is started.
    pub fn claim(&self, key: &Key) -> Option<Claim> {
        let (worker, _) = self.0.pool.claim(key, Purpose::Action)?;
        Some(Claim { key: key.clone(), worker })
    }

    /// Waits until nobody starts workers to be parked: there are as many as there shall be, or a start failed.
    pub async fn refilled(&self) {
        self.0.pool.refilled().await;
    }

    /// Waits until the pool is filled and every other worker has ended.
    pub async fn settled(&self) {
        self.refilled().await;
        self.0.starter.reaper.only_alive(|| self.0.pool.parked()).await;
    }

    /// Ends all parked workers of a program that is no longer used.
    pub fn retire(&self, program: &Program) {
        self.0.pool.drop_workers(Some(&self.key(program)));
    }

    /// Ends all parked workers and waits until every worker has ended, those that run included.
    pub async fn shut_down(&self) {
        self.0.pool.drop_workers(None);
        self.0.starter.reaper.only_alive(|| 0).await;
    }

    /// What happened so far.
    pub fn statistics(&self) -> Statistics {
        let reaper = &self.0.starter.reaper;
        self.0.counters.read(reaper.alive(), self.0.pool.parked(), reaper.quarantined())
    }

    /// The folder of packages.
    pub(crate) fn packages(&self) -> PathBuf {
        self.0.settings.directory.join("packages")
    }

    pub(crate) fn program_of_npm(&self) -> &Path {
        &self.0.settings.npm
    }

    pub(crate) async fn installing(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.installs.lock().await
    }

    /// Starts a process that ends with the backend.
    pub(crate) async fn spawn(&self, command: Command) -> io::Result<Child> {
        self.0.starter.spawner.spawn(command).await
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Counts an execution that has ended.
    pub(crate) fn count_execution(&self, begun: Instant) {
        self.0.counters.user_code_execute.record(begun);
        if CONVEX_WASM_V8_PHASES.get() != 0 {
            self.statistics().log();
        }
    }

    pub(crate) fn heap_mb(&self) -> usize {
        self.0.settings.heap_mb
    }

    /// A worker for an execution of a program: the claimed one, a parked one, or a new one.
    pub(crate) async fn lease(
        &self,
        program: &Arc<Program>,
        purpose: Purpose,
        claim: Option<Claim>,
    ) -> Result<Lease, WorkerError> {
        let key = self.key(program);
        let claimed = match claim {
            Some(claim) if claim.key == key => Some((claim.worker, false)),
            Some(claim) => {
                tracing::info!(worker = claim.worker.id(), transition = "wrong hint", "V8 worker");
                self.0.counters.wrong_hint.count();
                None
            }
            None => self.0.pool.claim(&key, purpose),
        };
        let Some((worker, used)) = claimed else {
            self.0.counters.warm_worker_miss.count();
            let mut lease = self.start(program).await?;
            lease.running = self.refill_after(program);
            return Ok(lease);
        };
        self.0.counters.warm_worker_hit.count();
        let running = if used { None } else { self.refill_after(program) };
        Ok(Lease { worker, parked: true, key, running })
    }

    /// A new worker.
    pub(crate) async fn start(&self, program: &Arc<Program>) -> Result<Lease, WorkerError> {
        if self.0.pool.is_closed() {
            return Err(WorkerError::ShutDown);
        }
        let asked = Instant::now();
        let snapshot = self.snapshot(program).await;
        self.0.counters.snapshot_get.record(asked);
        let key = self.key(program);
        let begun = Instant::now();
        let worker = self.0.starter.start(program, &key, snapshot.as_deref()).await?;
        self.0.counters.worker_new.record(begun);
        if snapshot.is_some() {
            self.0.counters.from_snapshot.count();
        }
        Ok(Lease { worker, parked: false, key, running: None })
    }

    /// Parks a worker that ran an execution for the next one of the same program.
    pub(crate) fn give_back(&self, lease: Lease) {
        self.0.pool.park(lease.key, lease.worker, true, self.0.settings.max_parked);
    }

    async fn snapshot(&self, program: &Arc<Program>) -> Option<PathBuf> {
        match self.0.settings.snapshots {
            V8Snapshot::Off => None,
            V8Snapshot::Block => self.0.snapshots.build(&self.0.starter, program).await,
            V8Snapshot::Auto | V8Snapshot::Unknown => {
                if self.0.snapshots.is_unknown(program) {
                    let (workers, program) = (self.clone(), program.clone());
                    tokio::spawn(async move { workers.0.snapshots.build(&workers.0.starter, &program).await });
                }
                self.0.snapshots.ready(program)
            }
        }
    }

    /// Has a refill begin when the answer is dropped. A start takes most of a core, which a short execution shall not
    /// share; a long one does not hold the refill up.
    fn refill_after(&self, program: &Arc<Program>) -> Option<oneshot::Sender<()>> {
        let (running, ended) = oneshot::channel();
        let patience = Duration::from_millis(CONVEX_WASM_V8_REFILL_DELAY_MS.get());
        // Either end is one.
        self.refill(program, async move { drop(tokio::time::timeout(patience, ended).await) });
        Some(running)
    }

    /// Starts parked workers for a program in the background until there are enough, unless somebody does already. One
    /// worker is started at a time.
    fn refill(&self, program: &Arc<Program>, begin: impl Future<Output = ()> + Send + 'static) {
        let key = self.key(program);
        if self.0.settings.warm_workers == 0 || !self.0.pool.begin_refill(&key) {
            return;
        }
        let (workers, program) = (self.clone(), program.clone());
        tokio::spawn(async move {
            begin.await;
            let failed = workers.fill(&program, &key).await;
            if let Err(error) = &failed {
                tracing::warn!(code = error.code(), %error, "no V8 worker could be parked");
            }
            workers.0.pool.end_refill(&key, failed.is_err());
        });
    }

    async fn fill(&self, program: &Arc<Program>, key: &Key) -> Result<(), WorkerError> {
        let Settings { warm_workers, max_parked, .. } = self.0.settings;
        while self.0.pool.fresh(key) < warm_workers.min(max_parked) {
            let _turn = self.0.refills.lock().await;
            let Lease { mut worker, key, .. } = self.start(program).await?;
            worker.prepare(program).await?;
            tracing::debug!(worker = worker.id(), transition = "refilled", "V8 worker");
            self.0.pool.park(key, worker, false, max_parked);
        }
        Ok(())
    }
}
