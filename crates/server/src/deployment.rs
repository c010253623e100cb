//! The life of a deployment: a push is started (built, its schema submitted), waited for, and finished (committed and
//! switched to). Until it is finished nothing has changed for anybody.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use convex_wasm_database::{Artifact, Begin, SchemaId, SchemaProgress, SchemaState, Timestamp, Transaction};
use convex_wasm_knobs::{DEPLOY_OCC_MAX_RETRIES, MAX_STARTED_PUSHES, SCHEMA_MAX_WAIT_SECONDS};
use convex_wasm_runner::Deployment;
use convex_wasm_values::Schema;
use rand::RngCore;

use crate::Backend;
use crate::auth::Provider;
use crate::push::{
    self, App, BuiltApp, CronDiff, DeployReport, ImportPhase, KeptDeployment, PushBody, PushError, history, store,
};

/// A push that was built and can be finished.
pub struct StartedPush {
    /// Names the push until it is finished.
    pub id: String,
    /// The app.
    pub app: App,
    /// What was built of it.
    pub built: BuiltApp,
    /// The identity providers it trusts.
    pub auth: Vec<Provider>,
    /// Those that were trusted when the push was started.
    pub replaced_auth: Vec<Provider>,
    /// Its schema.
    pub schema: Schema,
    /// The schema as it was submitted; None for a dry run.
    pub schema_id: Option<SchemaId>,
    /// The schema in force when the push was started.
    pub replaced_schema: Arc<Schema>,
    /// The developer's environment variables that it was initialised with.
    pub environment: BTreeMap<String, String>,
    /// The app as it was stored; None for a dry run.
    artifact: Option<Artifact>,
}

/// Pushes that were started and not finished yet, the oldest first.
#[derive(Default)]
pub struct StartedPushes(VecDeque<Arc<StartedPush>>);

impl StartedPushes {
    /// Keeps a push; the oldest is forgotten if there are too many, as those of clients that went away.
    fn keep(&mut self, push: Arc<StartedPush>) {
        self.0.push_back(push);
        while self.0.len() > MAX_STARTED_PUSHES.get() {
            self.0.pop_front();
        }
    }

    fn take(&mut self, id: &str) -> Option<Arc<StartedPush>> {
        let at = self.0.iter().position(|push| push.id == id)?;
        self.0.remove(at)
    }
}

/// What a push would change in the schema.
pub struct SchemaChange {
    /// The schema in force.
    pub replaced: Arc<Schema>,
    /// The schema of the push.
    pub schema: Schema,
    /// Documents of each table, those that no schema has included.
    pub documents: BTreeMap<String, u64>,
}

/// What a finished push changed.
pub struct FinishedPush {
    /// The push.
    pub push: Arc<StartedPush>,
    /// Modules that are new or differ, by path.
    pub added_modules: Vec<String>,
    /// Modules that are gone, by path.
    pub removed_modules: Vec<String>,
    /// Cron jobs that differ.
    pub crons: CronDiff,
}

impl Backend {
    /// Builds an app and submits its schema. `dry` leaves the database as it is, and nothing can be finished.
    ///
    /// # Errors
    /// See [`PushError`].
    pub async fn start_push(&self, push: PushBody, dry: bool) -> Result<Arc<StartedPush>, PushError> {
        let _one_at_a_time = self.deploying.lock().await;
        let mut transaction = self.begin_system();
        let stored = store::load(&self.database, &mut transaction).await?;
        let app = App::from_push(push, stored.as_ref(), new_import_phase())?;
        let started = self.build(app, new_id(), transaction).await?;
        if dry {
            return Ok(Arc::new(started));
        }
        let artifact = store::store(&self.database, &started.app).await?;
        self.submit(started, artifact).await
    }

    /// Builds an app under a name, with the environment variables of a transaction.
    async fn build(&self, app: App, id: String, mut transaction: Transaction) -> Result<StartedPush, PushError> {
        let environment = transaction.environment_variables().await?;
        let replaced_schema = transaction.schema();
        drop(transaction);

        let all = self.all_variables(&environment);
        let builder = &self.builder;
        let (built, schema, auth) = tokio::try_join!(
            builder.build(&app, all.clone()),
            builder.schema(app.schema.as_ref(), app.import_phase),
            builder.auth(&app, all)
        )?;
        Ok(StartedPush {
            id,
            app,
            built,
            auth,
            replaced_auth: self.authenticator.providers(),
            schema,
            schema_id: None,
            replaced_schema,
            environment,
            artifact: None,
        })
    }

    /// Submits the schema of a built app, which is stored, and keeps the push until it is finished.
    async fn submit(&self, push: StartedPush, artifact: Artifact) -> Result<Arc<StartedPush>, PushError> {
        let schema_id = self.database.submit_schema(&push.schema).await?;
        let push = Arc::new(StartedPush { schema_id: Some(schema_id), artifact: Some(artifact), ..push });
        self.pushes.lock().keep(push.clone());
        Ok(push)
    }

    /// What a push would change in the schema. Nothing else of it is looked at.
    ///
    /// # Errors
    /// `schema.ts` does not compile, throws, or exports no valid schema.
    pub async fn evaluate_schema(&self, push: PushBody) -> Result<SchemaChange, PushError> {
        let schema = self.builder.schema(push.app_definition.schema.as_ref(), new_import_phase()).await?;
        let mut transaction = self.begin_system();
        let tables = transaction.table_names().into_iter();
        let documents = tables.map(|table| transaction.count(&table).map(|count| (table, count)));
        Ok(SchemaChange { documents: documents.collect::<Result<_, _>>()?, schema, replaced: transaction.schema() })
    }

    /// How far a submitted schema is; answers when it is decided, at the latest after `timeout`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn wait_for_schema(&self, schema: &SchemaId, timeout: Duration) -> Result<SchemaProgress, PushError> {
        Ok(self.database.wait_for_schema(schema, timeout).await?)
    }

    /// Makes a started push the deployed app, with its schema, all at once.
    ///
    /// # Errors
    /// `RaceDetected` if the push is not known, or something it was made from has changed meanwhile.
    pub async fn finish_push(&self, id: &str) -> Result<FinishedPush, PushError> {
        let _one_at_a_time = self.deploying.lock().await;
        let push = self.pushes.lock().take(id).ok_or_else(|| {
            race("The push is not known here: the server was restarted, or many other pushes were started. Push again.")
        })?;
        let mut transaction = self.begin_system();
        let replaced = store::load(&self.database, &mut transaction).await?;
        drop(transaction);
        let crons = self.commit_push(&push).await?;
        self.switch_to(push.built.deployment(&push.app).await, push.auth.clone());
        let report = &push.built.report;
        tracing::info!(functions = report.functions.len(), modules = report.modules.len(), "deployed");
        let (added_modules, removed_modules) = push.app.changed_modules(replaced.as_ref());
        Ok(FinishedPush { push, added_modules, removed_modules, crons })
    }

    /// Builds an app and makes it the deployed one, with its schema, all at once. If that fails nothing has changed.
    ///
    /// # Errors
    /// See [`PushError`].
    pub async fn deploy(&self, push: PushBody) -> Result<DeployReport, PushError> {
        let started = self.start_push(push, false).await?;
        self.finish_when_ready(&started).await
    }

    /// Makes an earlier deployment the active one again, with the same checks as a push: the one whose id begins with
    /// `name`, or the one before the active one.
    ///
    /// # Errors
    /// See [`PushError`].
    pub async fn roll_back(&self, name: Option<&str>) -> Result<DeployReport, PushError> {
        let started = {
            let _one_at_a_time = self.deploying.lock().await;
            let mut transaction = self.begin_system();
            let deployment = history::find(&mut transaction, name).await?;
            let (artifact, app) = history::load(&self.database, &mut transaction, &deployment).await?;
            let built = self.build(app, deployment.id, transaction).await?;
            self.submit(built, artifact).await?
        };
        self.finish_when_ready(&started).await
    }

    /// Deployments that are kept, the active one first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn deployments(&self) -> Result<Vec<KeptDeployment>, PushError> {
        history::list(&mut self.begin_system()).await
    }

    async fn finish_when_ready(&self, started: &StartedPush) -> Result<DeployReport, PushError> {
        if let Some(schema) = &started.schema_id {
            let longest = Duration::from_secs(SCHEMA_MAX_WAIT_SECONDS.get());
            while !is_ready(self.wait_for_schema(schema, longest).await?.state)? {}
        }
        let mut report = self.finish_push(&started.id).await?.push.built.report.clone();
        report.tables = started.schema.tables.len();
        report.indexes = started.schema.tables.values().map(|table| table.indexes.len()).sum();
        Ok(report)
    }

    /// Serves the app that is deployed already.
    pub(crate) async fn restore(&self) -> Result<(), PushError> {
        let mut transaction = self.begin_system();
        let Some(app) = store::load(&self.database, &mut transaction).await? else { return Ok(()) };
        let environment = transaction.environment_variables().await?;
        let (built, auth) = self.rebuild(&app, &environment).await?;
        tracing::info!(functions = built.report.functions.len(), "serving the deployed app");
        self.switch_to(built.deployment(&app).await, auth);
        Ok(())
    }

    /// Builds the deployed app with other environment variables.
    async fn rebuild(
        &self,
        app: &App,
        environment: &BTreeMap<String, String>,
    ) -> Result<(BuiltApp, Vec<Provider>), PushError> {
        let all = self.all_variables(environment);
        tokio::try_join!(self.builder.build(app, all.clone()), self.builder.auth(app, all))
    }

    /// Whatever begins from now on runs on this deployment.
    fn switch_to(&self, deployment: Deployment, auth: Vec<Provider>) {
        self.authenticator.trust(auth);
        self.runner.deploy(Arc::new(deployment));
    }

    /// The deployed app, if there is one.
    ///
    /// # Errors
    /// The database failed.
    pub async fn deployed_app(&self) -> Result<Option<App>, PushError> {
        store::load(&self.database, &mut self.begin_system()).await
    }

    /// The developer's environment variables.
    ///
    /// # Errors
    /// The database failed.
    pub async fn environment_variables(&self) -> Result<BTreeMap<String, String>, PushError> {
        Ok(self.begin_system().environment_variables().await?)
    }

    /// Sets and removes environment variables, all at once. The deployed app is initialised anew with them before they
    /// are stored, so that no call ever sees an image made with others.
    ///
    /// # Errors
    /// A name or value is not allowed, or a module of the app throws when it is imported with these variables.
    pub async fn change_environment(&self, changes: &[(String, Option<String>)]) -> Result<(), PushError> {
        let _one_at_a_time = self.deploying.lock().await;
        let mut conflicts = 0;
        loop {
            let mut transaction = self.begin_system();
            transaction.set_environment_variables(changes).await?;
            let environment = transaction.environment_variables().await?;
            let app = store::load(&self.database, &mut transaction).await?;
            let deployment = match &app {
                Some(app) => {
                    let (built, auth) = self.rebuild(app, &environment).await?;
                    push::apply_crons(&mut transaction, &built.crons).await?;
                    Some((built.deployment(app).await, auth))
                }
                None => None,
            };
            match self.database.commit(transaction).await {
                Err(error) if error.is_retriable() && conflicts < DEPLOY_OCC_MAX_RETRIES.get() => conflicts += 1,
                result => {
                    result?;
                    deployment.into_iter().for_each(|(deployment, auth)| self.switch_to(deployment, auth));
                    return Ok(());
                }
            }
        }
    }

    async fn commit_push(&self, push: &StartedPush) -> Result<CronDiff, PushError> {
        let mut conflicts = 0;
        loop {
            let mut transaction = self.begin_system();
            if transaction.environment_variables().await? != push.environment {
                return Err(race("The environment variables were changed during the push. Push again."));
            }
            if let Some(artifact) = &push.artifact {
                let now = since_epoch().as_millis().try_into().unwrap_or(u64::MAX);
                let deployment = KeptDeployment::new(&push.id, now, &push.built.report);
                history::activate(&mut transaction, artifact, &deployment).await?;
            }
            if let Some(schema) = &push.schema_id {
                if !is_ready(self.database.schema_progress(schema)?.state)? {
                    return Err(race("The schema is still being prepared. Wait for it, then finish the push."));
                }
                transaction.activate_schema(schema).await?;
            }
            let crons = push::apply_crons(&mut transaction, &push.built.crons).await?;
            match self.database.commit(transaction).await {
                Err(error) if error.is_retriable() && conflicts < DEPLOY_OCC_MAX_RETRIES.get() => conflicts += 1,
                result => return Ok(result.map(|_| crons)?),
            }
        }
    }

    fn all_variables(&self, environment: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut variables = self.system_environment.clone();
        variables.extend(environment.clone());
        variables
    }

    /// A transaction of the server itself.
    pub(crate) fn begin_system(&self) -> Transaction {
        self.database.begin(system())
    }

    /// A transaction of the server itself, at an older snapshot.
    ///
    /// # Errors
    /// The snapshot is too old.
    pub(crate) fn begin_system_at(&self, at: Timestamp) -> convex_wasm_database::Result<Transaction> {
        self.database.begin_at(at, system())
    }
}

fn system() -> Begin {
    let mut id_seed = [0; 32];
    rand::rng().fill_bytes(&mut id_seed);
    let unix_nanos = since_epoch().as_nanos().try_into().unwrap_or(u64::MAX);
    Begin { id_seed, unix_nanos, writer: Some("system".to_owned()), journal: None }
}

/// Whether the schema can be put in force; an error if it never will be.
fn is_ready(state: SchemaState) -> Result<bool, PushError> {
    match state {
        SchemaState::Pending => Ok(false),
        SchemaState::Validated | SchemaState::Active => Ok(true),
        SchemaState::Failed { error, .. } => Err(PushError::refused("SchemaEnforcementError", error)),
        SchemaState::Overwritten => Err(race("The schema was overwritten by another push. Push again.")),
    }
}

fn race(message: &str) -> PushError {
    PushError::refused("RaceDetected", message)
}

fn new_import_phase() -> ImportPhase {
    let mut seed = [0; 32];
    rand::rng().fill_bytes(&mut seed);
    ImportPhase { time_ms: since_epoch().as_millis() as f64, seed }
}

fn new_id() -> String {
    let mut bytes = [0; 16];
    rand::rng().fill_bytes(&mut bytes);
    hex::encode(bytes)
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
