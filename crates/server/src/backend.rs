//! A backend: one database, one deployment, one instance name and secret.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use convex_wasm_database::{Begin, Database, SchemaId, SchemaState, Transaction};
use convex_wasm_knobs::DEPLOY_OCC_MAX_RETRIES;
use convex_wasm_runner::{FunctionRunner, RecordingSink};
use convex_wasm_values::Schema;
use rand::RngCore;
use tokio::sync::Mutex;

use crate::admin_key::InstanceSecret;
use crate::push::{App, Builder, DeployReport, ImportPhase, PushBody, PushError, store};

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
    /// Takes a recording of every call.
    pub recordings: Option<RecordingSink>,
}

/// A running backend.
pub struct Backend {
    database: Database,
    instance_name: String,
    secret: InstanceSecret,
    builder: Builder,
    system_environment: BTreeMap<String, String>,
    runner: FunctionRunner,
    /// Held while an app is deployed: one after the other.
    deploying: Mutex<()>,
}

impl Backend {
    /// A backend that serves what its database has deployed.
    ///
    /// # Errors
    /// The deployed app cannot be loaded.
    pub async fn open(options: BackendOptions) -> Result<Arc<Self>, PushError> {
        let BackendOptions { database, instance_name, secret, builder, origin, site, recordings } = options;
        let system_environment =
            BTreeMap::from([("CONVEX_CLOUD_URL".to_owned(), origin), ("CONVEX_SITE_URL".to_owned(), site)]);
        let runner =
            FunctionRunner::new(database.clone(), instance_name.as_str(), system_environment.clone(), recordings);
        let backend =
            Self { database, instance_name, secret, builder, system_environment, runner, deploying: Mutex::new(()) };
        backend.restore().await?;
        Ok(Arc::new(backend))
    }

    /// Name of the instance.
    pub fn instance_name(&self) -> &str {
        &self.instance_name
    }

    /// Secret of the instance.
    pub fn secret(&self) -> &InstanceSecret {
        &self.secret
    }

    /// Runs functions.
    pub fn runner(&self) -> &FunctionRunner {
        &self.runner
    }

    /// Waits until what is being committed is durable, and refuses everything after that.
    pub async fn shut_down(&self) {
        self.database.clone().shut_down().await;
    }

    /// Builds an app and makes it the deployed one, with its schema, all at once. If that fails nothing has changed.
    ///
    /// # Errors
    /// See [`PushError`].
    pub async fn deploy(&self, push: PushBody) -> Result<DeployReport, PushError> {
        let _one_at_a_time = self.deploying.lock().await;
        let mut transaction = self.begin();
        let stored = store::load(&self.database, &mut transaction).await?;
        let app = App::from_push(push, stored.as_ref(), new_import_phase())?;
        let environment = self.environment(&mut transaction).await?;
        drop(transaction);

        let (built, schema) = tokio::try_join!(self.builder.build(&app, environment), self.builder.schema(&app))?;
        let artifact = store::store(&self.database, &app).await?;
        let schema_id = self.prepare_schema(&schema).await?;
        self.commit(&artifact, &schema_id).await?;

        let mut report = built.report.clone();
        report.tables = schema.tables.len();
        report.indexes = schema.tables.values().map(|table| table.indexes.len()).sum();
        self.runner.deploy(Arc::new(built.into_deployment(&app).await));
        tracing::info!(functions = report.functions.len(), modules = report.modules.len(), "deployed");
        Ok(report)
    }

    /// Serves the app that is deployed already.
    async fn restore(&self) -> Result<(), PushError> {
        let mut transaction = self.begin();
        let Some(app) = store::load(&self.database, &mut transaction).await? else { return Ok(()) };
        let environment = self.environment(&mut transaction).await?;
        let built = self.builder.build(&app, environment).await?;
        tracing::info!(functions = built.report.functions.len(), "serving the deployed app");
        self.runner.deploy(Arc::new(built.into_deployment(&app).await));
        Ok(())
    }

    /// Brings the schema to the point where it can be put in force.
    async fn prepare_schema(&self, schema: &Schema) -> Result<SchemaId, PushError> {
        let id = self.database.submit_schema(schema).await?;
        loop {
            match self.database.wait_for_schema(&id, Duration::from_secs(10)).await?.state {
                SchemaState::Pending => {}
                SchemaState::Validated | SchemaState::Active => return Ok(id),
                SchemaState::Failed { error, .. } => return Err(PushError::refused("SchemaEnforcementError", error)),
                SchemaState::Overwritten => {
                    return Err(PushError::refused(
                        "RaceDetected",
                        "The schema was overwritten by another push. Push again.",
                    ));
                }
            }
        }
    }

    async fn commit(&self, artifact: &convex_wasm_database::Artifact, schema: &SchemaId) -> Result<(), PushError> {
        let mut conflicts = 0;
        loop {
            let mut transaction = self.begin();
            store::activate(&mut transaction, artifact).await?;
            transaction.activate_schema(schema).await?;
            match self.database.commit(transaction).await {
                Err(error) if error.is_retriable() && conflicts < DEPLOY_OCC_MAX_RETRIES.get() => conflicts += 1,
                result => return Ok(result.map(|_| ())?),
            }
        }
    }

    async fn environment(&self, transaction: &mut Transaction) -> Result<BTreeMap<String, String>, PushError> {
        let mut variables = self.system_environment.clone();
        variables.extend(transaction.environment_variables().await?);
        Ok(variables)
    }

    fn begin(&self) -> Transaction {
        let mut id_seed = [0; 32];
        rand::rng().fill_bytes(&mut id_seed);
        let unix_nanos = since_epoch().as_nanos().try_into().unwrap_or(u64::MAX);
        self.database.begin(Begin { id_seed, unix_nanos, writer: Some("deploy".to_owned()), journal: None })
    }
}

fn new_import_phase() -> ImportPhase {
    let mut seed = [0; 32];
    rand::rng().fill_bytes(&mut seed);
    ImportPhase { time_ms: since_epoch().as_millis() as f64, seed }
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
