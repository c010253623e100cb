//! `ctx.scheduler`: functions that are to run later.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use convex_wasm_database::{self as database, JobState, Transaction};
use convex_wasm_values::{ConvexValue, DocumentId};
use futures::FutureExt;
use serde::Deserialize;

use super::functions::FunctionReference;
use super::{SyscallError, SyscallResult, write};
use crate::actions::Action;
use crate::deployment::Deployment;
use crate::execution::Execution;
use crate::function::FunctionKind;
use crate::lookup::{Audience, not_found};

/// How far away in time a function may be scheduled: five years.
const FARTHEST_MS: f64 = 5.0 * 365.0 * 86_400_000.0;

#[derive(Deserialize)]
pub(super) struct ScheduleArgs {
    /// Seconds since the epoch.
    ts: f64,
    args: serde_json::Value,
    #[serde(flatten)]
    function: FunctionReference,
}

#[derive(Deserialize)]
pub(super) struct CancelArgs {
    id: String,
}

/// A function and when it is to run.
struct Wanted {
    name: String,
    arguments: ConvexValue,
    time_ms: f64,
}

pub(super) async fn schedule(execution: &mut Execution, args: ScheduleArgs) -> SyscallResult {
    let wanted = check(&execution.context.deployment, args)?;
    let parent = execution.context.scheduled;
    write(&insert(scheduler(execution)?, &wanted, parent).await?.to_string())
}

pub(super) async fn cancel(execution: &mut Execution, args: CancelArgs) -> SyscallResult {
    let id = job_id(&args.id)?;
    let current = execution.context.scheduled;
    cancel_job(scheduler(execution)?, id, current).await?;
    write(&())
}

pub(super) async fn schedule_in_action(action: &Action, args: ScheduleArgs) -> SyscallResult {
    let wanted = Arc::new(check(&action.deployment, args)?);
    let parent = action.scheduled;
    let writer = action.function.to_string();
    let scheduled = action.runner.change(&writer, |transaction| {
        let wanted = wanted.clone();
        async move { insert(transaction, &wanted, parent).await }.boxed()
    });
    write(&scheduled.await?.to_string())
}

pub(super) async fn cancel_in_action(action: &Action, args: CancelArgs) -> SyscallResult {
    let id = job_id(&args.id)?;
    let writer = action.function.to_string();
    let canceled = action.runner.change(&writer, |transaction| cancel_job(transaction, id, None).boxed());
    write(&canceled.await?)
}

/// The transaction, if functions may be scheduled in it.
fn scheduler(execution: &mut Execution) -> Result<&mut Transaction, SyscallError> {
    if execution.kind != FunctionKind::Mutation {
        return Err(SyscallError::throw(
            "ReadOnlyTransaction",
            format!("{} is a query: queries cannot schedule functions. Make it a mutation.", execution.function),
        ));
    }
    Ok(execution.transaction()?)
}

fn check(deployment: &Deployment, args: ScheduleArgs) -> Result<Wanted, SyscallError> {
    let path = args.function.path()?;
    let function = deployment
        .function(&path)
        .ok_or_else(|| SyscallError::throw("FunctionNotFound", not_found(&path, Audience::Functions).message))?;
    if !matches!(function.kind, FunctionKind::Mutation | FunctionKind::Action) {
        return Err(SyscallError::throw(
            "UnsupportedScheduledFunctionType",
            format!("Only mutations and actions can be scheduled: {path} is defined as {}.", function.kind),
        ));
    }
    let time_ms = args.ts * 1e3;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1e3;
    // A time that is no number is never near.
    let is_near = (time_ms - now).abs() <= FARTHEST_MS;
    if !is_near {
        return Err(SyscallError::throw(
            "InvalidScheduledFunctionDelay",
            "A function must be scheduled within five years of now.",
        ));
    }
    let arguments = ConvexValue::from_json(&args.args)
        .map_err(|error| SyscallError::throw(error.code(), format!("Invalid arguments for {path}: {error}")))?;
    Ok(Wanted { name: format!("{}:{}", path.module(), path.function()), arguments, time_ms })
}

/// What a canceled function schedules does not run.
async fn insert(
    transaction: &mut Transaction,
    wanted: &Wanted,
    parent: Option<DocumentId>,
) -> database::Result<DocumentId> {
    let canceled = match parent {
        Some(parent) => transaction.scheduled_state(parent).await? == Some(JobState::Canceled),
        None => false,
    };
    let state = if canceled { JobState::Canceled } else { JobState::Pending };
    transaction.schedule(&wanted.name, wanted.arguments.clone(), wanted.time_ms, &state)
}

/// Cancels a function that has not ended. `current` is the one that runs, if it was scheduled.
async fn cancel_job(
    transaction: &mut Transaction,
    id: DocumentId,
    current: Option<DocumentId>,
) -> database::Result<()> {
    // A mutation stays pending until it commits: it would cancel what it does.
    if current == Some(id) && transaction.scheduled_state(id).await? == Some(JobState::Pending) {
        return Err(database::Error::Developer {
            code: "ScheduledFunctionCancelingItself",
            message: "A scheduled mutation cannot cancel itself. Throw an error to undo what it does.".to_owned(),
            data: None,
        });
    }
    transaction.cancel_scheduled(id).await
}

fn job_id(id: &str) -> Result<DocumentId, SyscallError> {
    id.parse().map_err(|error| {
        SyscallError::throw("InvalidArgument", format!("Invalid argument `id` for `scheduler.cancel`: {error}"))
    })
}
