//! A backend: one database, one deployment, one instance name and secret.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use convex_wasm_database::{self as database, Database, FileContent, Job, Timestamp};
use convex_wasm_runner::{
    Call, CallError, FunctionKind, FunctionRunner, Outcome, RecordingSink, SessionRequest, WatchedQuery,
};
use convex_wasm_storage::{Addresses, Files, Storage};
use convex_wasm_values::DocumentId;
use parking_lot::Mutex;
use tokio::task::AbortHandle;

use crate::admin_key::InstanceSecret;
use crate::auth::Authenticator;
use crate::deployment::StartedPushes;
use crate::function_logs::{FunctionLogs, LoggedCall};
use crate::housekeeping;
use crate::push::{Builder, PushError};
use crate::scheduler;
use crate::system_queries;
use crate::transfer::Transfers;

/// What a backend is made of.
pub struct BackendOptions {
    /// Its database.
    pub database: Database,
    /// Name of the instance, part of its admin keys.
    pub instance_name: String,
    /// Secret from which the admin keys derive.
    pub secret: InstanceSecret,
    /// Builds the apps that are deployed.
    pub builder: Builder,
    /// Address under which clients reach the server; functions see it as `CONVEX_CLOUD_URL`.
    pub origin: String,
    /// Address of HTTP actions; functions see it as `CONVEX_SITE_URL`.
    pub site: String,
    /// The files of the app.
    pub files: Files,
    /// Takes a recording of every call.
    pub recordings: Option<RecordingSink>,
}

/// A running backend.
pub struct Backend {
    pub(crate) database: Database,
    instance_name: String,
    secret: InstanceSecret,
    origin: String,
    site: String,
    pub(crate) builder: Builder,
    /// Variables that functions see beside those of the developer.
    pub(crate) system_environment: BTreeMap<String, String>,
    pub(crate) runner: Arc<FunctionRunner>,
    pub(crate) storage: Arc<Storage>,
    /// Held while the deployment is changed: one change after the other.
    pub(crate) deploying: tokio::sync::Mutex<()>,
    pub(crate) pushes: Mutex<StartedPushes>,
    pub(crate) authenticator: Authenticator,
    pub(crate) transfers: Transfers,
    logs: FunctionLogs,
    scheduler: Mutex<Option<AbortHandle>>,
}

impl Backend {
    /// A backend that serves what its database has deployed.
    ///
    /// # Errors
    /// The deployed app cannot be loaded.
    pub async fn open(options: BackendOptions) -> Result<Arc<Self>, PushError> {
        let BackendOptions { database, instance_name, secret, builder, origin, site, files, recordings } = options;
        let addresses = Addresses::new(origin.as_str(), secret.upload_key());
        let storage = Arc::new(Storage { files, addresses });
        let system_environment = BTreeMap::from([
            ("CONVEX_CLOUD_URL".to_owned(), origin.clone()),
            ("CONVEX_SITE_URL".to_owned(), site.clone()),
        ]);
        let runner = FunctionRunner::new(
            database.clone(),
            instance_name.as_str(),
            storage.clone(),
            system_environment.clone(),
            recordings,
        );
        let backend = Self {
            database,
            instance_name,
            secret,
            origin,
            site,
            builder,
            system_environment,
            runner: Arc::new(runner),
            storage,
            deploying: tokio::sync::Mutex::default(),
            pushes: Mutex::default(),
            authenticator: Authenticator::default(),
            transfers: Transfers::default(),
            logs: FunctionLogs::default(),
            scheduler: Mutex::default(),
        };
        backend.restore().await?;
        let backend = Arc::new(backend);
        housekeeping::start(&backend);
        let scheduler = scheduler::start(&backend).await.map_err(PushError::internal)?;
        *backend.scheduler.lock() = Some(scheduler);
        Ok(backend)
    }

    /// Name of the instance.
    pub fn instance_name(&self) -> &str {
        &self.instance_name
    }

    /// Secret of the instance.
    pub fn secret(&self) -> &InstanceSecret {
        &self.secret
    }

    /// Address under which clients reach the server.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Address of HTTP actions.
    pub fn site(&self) -> &str {
        &self.site
    }

    /// Runs functions.
    pub fn runner(&self) -> &Arc<FunctionRunner> {
        &self.runner
    }

    /// Runs a function for a client, and keeps what came of it in the logs.
    ///
    /// # Errors
    /// See [`CallError`]. Errors of the application are in the outcome.
    pub async fn call(&self, call: Call) -> Result<Outcome, CallError> {
        let logged = self.logged(&call);
        let is_query =
            logged.kind == Some(FunctionKind::Query) && call.kind.is_none_or(|kind| Some(kind) == logged.kind);
        if is_query || system_queries::is_system(&call) {
            let watched = self.watch(call, self.database.latest_timestamp(), None).await?;
            return Ok(Arc::unwrap_or_clone(watched.outcome));
        }
        let outcome = self.runner.run(call).await?;
        self.logs.completed(logged, &outcome);
        Ok(outcome)
    }

    /// Runs a mutation of a session unless it ran before, and keeps what came of it in the logs.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn mutate_once(&self, call: Call, request: &SessionRequest) -> Result<Outcome, CallError> {
        let logged = self.logged(&call);
        let outcome = self.runner.mutate_once(call, request).await?;
        self.logs.completed(logged, &outcome);
        Ok(outcome)
    }

    /// Runs a query at a snapshot to be watched, unless its result is known, and keeps what came of it in the logs.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn watch(&self, call: Call, at: Timestamp, journal: Option<String>) -> Result<WatchedQuery, CallError> {
        if system_queries::is_system(&call) {
            return system_queries::watch(self, &call, at).await;
        }
        let logged = self.logged(&call);
        let watched = self.runner.watch(call, at, journal).await?;
        self.logs.completed(LoggedCall { cached: watched.cached, ..logged }, &watched.outcome);
        Ok(watched)
    }

    /// Adds a file whose content is stored already.
    ///
    /// # Errors
    /// The database failed.
    pub(crate) async fn add_file(&self, file: &FileContent) -> database::Result<DocumentId> {
        let mut transaction = self.begin_system();
        let id = transaction.insert_file(file)?;
        // Nothing was read, so nothing can conflict.
        self.database.commit(transaction).await?;
        Ok(id)
    }

    /// Runs a job, and keeps what came of it in the logs.
    ///
    /// # Errors
    /// See [`FunctionRunner::run_job`].
    pub(crate) async fn run_job(&self, job: &Arc<Job>, call: &Call) -> Result<(), CallError> {
        let caller = if job.cron.is_some() { "Cron" } else { "Scheduler" };
        let logged = LoggedCall { caller, ..self.logged(call) };
        let outcome = self.runner.run_job(job, call).await?;
        self.logs.completed(logged, &outcome);
        Ok(())
    }

    fn logged(&self, call: &Call) -> LoggedCall {
        let deployment = self.runner.deployment();
        let kind = deployment.and_then(|deployment| Some(deployment.function(&call.path)?.kind));
        LoggedCall {
            path: call.path.to_string(),
            kind: kind.or(call.kind),
            identity: call.identity.clone(),
            request_id: call.request_id.clone(),
            caller: "HttpApi",
            cached: false,
            started: Instant::now(),
        }
    }

    /// The last calls.
    pub fn logs(&self) -> &FunctionLogs {
        &self.logs
    }

    /// Ends scheduler and workers, waits until what is being committed is durable, and refuses everything after that.
    pub async fn shut_down(&self) {
        if let Some(scheduler) = self.scheduler.lock().take() {
            scheduler.abort();
        }
        if let Some(workers) = self.builder.v8() {
            workers.shut_down().await;
        }
        self.database.clone().shut_down().await;
    }
}
