//! Cron jobs of an app, and how a deploy changes those that there are.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use convex_wasm_database::{Cron, Transaction};
use convex_wasm_runner::crons::CronSchedule;
use convex_wasm_runner::{FunctionKind, FunctionPath};
use convex_wasm_values::{ConvexValue, ValueError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::analyze::Analyzed;
use super::error::PushError;

/// A cron job as `crons.ts` exports it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CronSpec {
    /// `module:function`.
    pub name: String,
    /// The function's arguments: an array of one object.
    pub args: Vec<Value>,
    /// When it runs.
    pub schedule: CronSchedule,
}

/// Names of cron jobs that a deploy changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CronDiff {
    /// New ones.
    pub added: Vec<String>,
    /// Those with another schedule, function or arguments: they begin anew.
    pub updated: Vec<String>,
    /// Those that are gone.
    pub deleted: Vec<String>,
}

/// The cron jobs in the JSON that `crons.export()` gave, each calling a function that can be scheduled.
///
/// # Errors
/// One of them cannot be kept.
pub fn parse(json: &str, functions: &[Analyzed]) -> Result<BTreeMap<String, CronSpec>, PushError> {
    let crons: BTreeMap<String, CronSpec> = serde_json::from_str(json).map_err(|error| refused("crons", error))?;
    for (name, cron) in &crons {
        let path: FunctionPath = cron.name.parse().map_err(|error| refused(name, error))?;
        let function = functions.iter().map(|analyzed| &analyzed.function).find(|function| function.path == path);
        match function.map(|function| function.kind) {
            Some(FunctionKind::Mutation | FunctionKind::Action) => {}
            Some(kind) => return Err(refused(name, format!("{path} is defined as {kind}, which cannot be scheduled"))),
            None => return Err(refused(name, format!("there is no function {path}"))),
        }
        cron.arguments().map_err(|error| refused(name, error))?;
        cron.schedule.first(name, now_ms()).map_err(|error| refused(name, error))?;
    }
    Ok(crons)
}

/// Makes these the cron jobs that there are. One that did not change keeps its time.
///
/// # Errors
/// The database failed.
pub async fn apply(transaction: &mut Transaction, crons: &BTreeMap<String, CronSpec>) -> Result<CronDiff, PushError> {
    let mut diff = CronDiff::default();
    let mut before = transaction.cron_jobs().await?;
    for (name, cron) in crons {
        let path: FunctionPath = cron.name.parse().map_err(PushError::internal)?;
        let function = format!("{}:{}", path.module(), path.function());
        let schedule = serde_json::to_string(&cron.schedule).map_err(PushError::internal)?;
        let own = Cron { name: name.clone(), schedule };
        let arguments = cron.arguments().map_err(PushError::internal)?;
        match before.remove(name) {
            Some(job) if job.cron.as_ref() == Some(&own) && job.function == function && job.arguments == arguments => {
                continue;
            }
            Some(_) => diff.updated.push(name.clone()),
            None => diff.added.push(name.clone()),
        }
        let first = cron.schedule.first(name, now_ms()).map_err(PushError::internal)?;
        transaction.set_cron_job(&own, &function, arguments, first).await?;
    }
    for name in before.into_keys() {
        transaction.remove_cron_job(&name).await?;
        diff.deleted.push(name);
    }
    Ok(diff)
}

impl CronSpec {
    /// The JSON that clients are shown.
    pub fn to_json(&self) -> Value {
        json!({ "udfPath": self.name, "udfArgs": self.args, "cronSchedule": self.schedule })
    }

    fn arguments(&self) -> Result<ConvexValue, ValueError> {
        ConvexValue::from_json(self.args.first().unwrap_or(&json!({})))
    }
}

fn refused(name: &str, error: impl std::fmt::Display) -> PushError {
    PushError::refused("InvalidModules", format!("The cron job {name:?} in crons.ts cannot run: {error}."))
}

/// Milliseconds since the epoch.
fn now_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1e3
}
