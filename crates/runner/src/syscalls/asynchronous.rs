//! System calls that wait, run in batches.

use convex_wasm_runtime::{BoxError, Operation, OperationResult};

use super::{SyscallError, SyscallResult, answer, documents, functions, metadata, parse, scheduling, storage};
use crate::execution::Execution;

/// Runs the operations that a function issued together, in the order of issue, and answers in that order. Neighbouring
/// reads by id are one visit to the database.
pub(crate) async fn run_batch(
    execution: &mut Execution,
    batch: &[Operation],
) -> Result<Vec<OperationResult>, BoxError> {
    let mut answers = Vec::with_capacity(batch.len());
    let mut rest = batch;
    while let Some(first) = rest.first() {
        let gets = rest.iter().take_while(|operation| operation.name == documents::GET).count();
        if gets > 1 {
            for result in documents::get_many(execution, &rest[..gets]).await? {
                answers.push(answer(result)?);
            }
            rest = &rest[gets..];
        } else {
            answers.push(answer(run(execution, &first.name, &first.argument).await)?);
            rest = &rest[1..];
        }
    }
    Ok(answers)
}

async fn run(execution: &mut Execution, name: &str, argument: &str) -> SyscallResult {
    match name {
        documents::GET => documents::get(execution, parse(name, argument)?).await,
        "1.0/queryStreamNext" => documents::query_next(execution, parse(name, argument)?).await,
        "1.0/queryPage" => documents::query_page(execution, parse(name, argument)?).await,
        "1.0/count" => documents::count(execution, parse(name, argument)?).await,
        "1.0/insert" => documents::insert(execution, parse(name, argument)?).await,
        "1.0/shallowMerge" => documents::patch(execution, parse(name, argument)?).await,
        "1.0/replace" => documents::replace(execution, parse(name, argument)?).await,
        "1.0/remove" => documents::remove(execution, parse(name, argument)?).await,
        "1.0/schedule" => scheduling::schedule(execution, parse(name, argument)?).await,
        "1.0/cancel_job" => scheduling::cancel(execution, parse(name, argument)?).await,
        "1.0/runUdf" => functions::run(execution, parse(name, argument)?).await,
        "1.0/storageGetUrl" => storage::get_url(execution, parse(name, argument)?).await,
        "1.0/storageGetMetadata" => storage::get_metadata(execution, parse(name, argument)?).await,
        "1.0/storageGenerateUploadUrl" => storage::generate_upload_url(execution).await,
        "1.0/storageDelete" => storage::delete(execution, parse(name, argument)?).await,
        "1.0/storageStore" => storage::store(execution, parse(name, argument)?).await,
        "1.0/storageGet" => storage::get(execution, parse(name, argument)?).await,
        "1.0/createFunctionHandle" => functions::create_handle(&execution.context.deployment, &parse(name, argument)?),
        "1.0/getUserIdentity" => metadata::user_identity(execution),
        "1.0/getFunctionMetadata" => metadata::function(execution),
        "1.0/getDeploymentMetadata" => metadata::deployment(execution),
        "1.0/getRequestMetadata" => metadata::request(execution),
        "1.0/getTransactionMetrics" => metadata::transaction(execution),
        _ => Err(unsupported(name)),
    }
}

/// The error for an operation that is not here.
pub(super) fn unsupported(name: &str) -> SyscallError {
    match missing_feature(name) {
        Some(feature) => {
            SyscallError::throw("FeatureNotSupported", format!("{feature} not supported by this server yet."))
        }
        None => SyscallError::throw("UnknownAsyncOperation", format!("Unknown async operation {name}")),
    }
}

/// What an operation of Convex that we know and do not have belongs to.
fn missing_feature(name: &str) -> Option<&'static str> {
    Some(match name {
        "1.0/actions/vectorSearch" => "Vector search is",
        "1.0/auditLog" => "The audit log is",
        "1.0/signJwt" => "Signing tokens is",
        "1.0/createServiceToken" | "1.0/getServiceUrl" => "Convex's cloud services are",
        _ => return None,
    })
}
