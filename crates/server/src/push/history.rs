//! Deployments that are kept to go back to. Each is an artifact of the database under the name of its push; the active one is
//! also what is loaded at a start.

use convex_wasm_database::{Artifact, Database, Transaction};
use convex_wasm_knobs::DEPLOYMENTS_KEPT;
use convex_wasm_values::{ConvexObject, ConvexValue};
use serde::{Deserialize, Serialize};

use super::app::App;
use super::error::PushError;
use super::report::DeployReport;
use super::store;

/// Begin of the names of artifacts that are deployments.
const PREFIX: &str = "deployment/";
/// Field of an artifact's metadata: the deployment as JSON text.
const ABOUT: &str = "deployment";

/// A deployment that is active or can be again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptDeployment {
    /// Its name.
    pub id: String,
    /// When it was last made the active one, in milliseconds since the epoch.
    pub activated_ms: u64,
    /// Functions that run on Wasm.
    pub wasm_functions: usize,
    /// Functions that run on V8, and those that nothing here can run.
    pub other_functions: usize,
    /// Modules.
    pub modules: usize,
    /// Bytes of JavaScript.
    pub source_bytes: usize,
    /// Bytes of Wasm.
    pub wasm_bytes: usize,
    /// Bytes of native code.
    pub native_bytes: usize,
    /// Bytes of the initialised app.
    pub image_bytes: usize,
    /// Whether it is the one that serves.
    #[serde(default)]
    pub active: bool,
}

impl KeptDeployment {
    /// What is kept of a push with this report.
    pub fn new(id: &str, activated_ms: u64, report: &DeployReport) -> Self {
        let wasm_functions = report.functions.iter().filter(|function| function.lane == "wasm").count();
        let sum = |bytes: fn(&super::report::ModuleReport) -> usize| report.modules.iter().map(bytes).sum();
        Self {
            id: id.to_owned(),
            activated_ms,
            wasm_functions,
            other_functions: report.functions.len() - wasm_functions,
            modules: report.modules.len(),
            source_bytes: sum(|module| module.source_bytes),
            wasm_bytes: sum(|module| module.wasm_bytes),
            native_bytes: sum(|module| module.native_bytes),
            image_bytes: report.image_bytes,
            active: false,
        }
    }

    fn of(artifact: &Artifact) -> Option<Self> {
        serde_json::from_str(artifact.metadata.get(ABOUT)?.as_str()?).ok()
    }
}

/// Makes a stored app the active deployment when the transaction commits, and forgets the oldest if there are too many.
///
/// # Errors
/// The database failed.
pub async fn activate(
    transaction: &mut Transaction,
    artifact: &Artifact,
    deployment: &KeptDeployment,
) -> Result<(), PushError> {
    let about = serde_json::to_string(deployment).map_err(PushError::internal)?;
    let metadata = ConvexObject::from([(ABOUT.to_owned(), ConvexValue::from(about.as_str()))]);
    let artifact = Artifact { metadata, ..artifact.clone() };
    store::activate(transaction, &artifact).await?;
    transaction.set_artifact(&format!("{PREFIX}{}", deployment.id), Some(&artifact)).await?;
    for forgotten in list(transaction).await?.iter().skip(DEPLOYMENTS_KEPT.get().max(1)) {
        transaction.set_artifact(&format!("{PREFIX}{}", forgotten.id), None).await?;
    }
    Ok(())
}

/// All that are kept, the newest first.
///
/// # Errors
/// The database failed.
pub async fn list(transaction: &mut Transaction) -> Result<Vec<KeptDeployment>, PushError> {
    let artifacts = transaction.artifacts().await?;
    let active = store::active(transaction).await?.as_ref().and_then(KeptDeployment::of).map(|active| active.id);
    let kept = artifacts.iter().filter(|(name, _)| name.starts_with(PREFIX));
    let mut deployments: Vec<KeptDeployment> = kept.filter_map(|(_, artifact)| KeptDeployment::of(artifact)).collect();
    for deployment in &mut deployments {
        deployment.active = active.as_ref() == Some(&deployment.id);
    }
    deployments.sort_by_key(|deployment| std::cmp::Reverse((deployment.active, deployment.activated_ms)));
    Ok(deployments)
}

/// The deployment whose name begins so, or the one before the active one.
///
/// # Errors
/// `DeploymentNotFound` if there is none, or several; or the database failed.
pub async fn find(transaction: &mut Transaction, name: Option<&str>) -> Result<KeptDeployment, PushError> {
    let mut deployments = list(transaction).await?;
    match name {
        Some(name) => deployments.retain(|deployment| deployment.id.starts_with(name)),
        None => {
            deployments.retain(|deployment| !deployment.active);
            deployments.truncate(1);
        }
    }
    match <[KeptDeployment; 1]>::try_from(deployments) {
        Ok([deployment]) => Ok(deployment),
        Err(several) => Err(PushError::refused(
            "DeploymentNotFound",
            match name {
                None => "There is no earlier deployment to go back to.".to_owned(),
                Some(name) if several.is_empty() => format!("No deployment is kept whose id begins with {name:?}."),
                Some(name) => format!("The ids of {} deployments begin with {name:?}.", several.len()),
            },
        )),
    }
}

/// The stored app of a deployment that is kept.
///
/// # Errors
/// The database failed.
pub async fn load(
    database: &Database,
    transaction: &mut Transaction,
    deployment: &KeptDeployment,
) -> Result<(Artifact, App), PushError> {
    let artifact = transaction.artifact(&format!("{PREFIX}{}", deployment.id)).await?;
    let artifact = artifact.ok_or_else(|| PushError::internal(format!("{} is not kept", deployment.id)))?;
    let app = store::read(database, &artifact).await?;
    Ok((artifact, app))
}
