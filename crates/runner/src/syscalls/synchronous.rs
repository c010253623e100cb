//! System calls that are answered at once.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_database::{Conflict, Error, QueryId};
use convex_wasm_runtime::HostError;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{SyscallError, SyscallResult, parse, write};
use crate::execution::Execution;

pub(crate) fn run_sync(execution: &mut Execution, name: &str, argument: &str) -> Result<String, HostError> {
    let answer = match name {
        "1.0/queryStream" => query_stream(execution, parse(name, argument)?),
        "1.0/queryCleanup" => query_cleanup(execution, parse(name, argument)?),
        "1.0/db/normalizeId" => normalize_id(execution, parse(name, argument)?),
        "1.0/getSnapshotTs" => snapshot_timestamp(execution),
        // Only components have arguments.
        "1.0/componentArgument" => Ok("{}".to_owned()),
        "throwOcc" => throw_conflict(execution),
        "throwOverloaded" => {
            Err(Error::Overloaded { code: "Busy", message: "The test hook throwOverloaded was called.".into() }.into())
        }
        _ => Err(SyscallError::throw("UnknownOperation", format!("Unknown operation {name}"))),
    };
    Ok(answer?)
}

#[derive(Deserialize)]
struct QueryStreamArgs {
    query: Json,
}

fn query_stream(execution: &mut Execution, args: QueryStreamArgs) -> SyscallResult {
    let query = execution.transaction()?.query_stream(&args.query)?;
    write(&json!({ "queryId": query }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueryIdArgs {
    pub(super) query_id: QueryId,
}

fn query_cleanup(execution: &mut Execution, args: QueryIdArgs) -> SyscallResult {
    write(&execution.transaction()?.query_cleanup(args.query_id))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NormalizeIdArgs {
    table: String,
    id_string: String,
}

fn normalize_id(execution: &mut Execution, args: NormalizeIdArgs) -> SyscallResult {
    let id = execution.transaction()?.normalize_id(&args.table, &args.id_string)?;
    write(&json!({ "id": id.map(|id| id.to_string()) }))
}

fn snapshot_timestamp(execution: &mut Execution) -> SyscallResult {
    let state = execution.state()?;
    state.observed.snapshot = true;
    let timestamp = state.transaction.timestamp();
    write(&json!({ "$integer": BASE64.encode(timestamp.0.to_le_bytes()) }))
}

/// A test hook that public test suites call.
fn throw_conflict(execution: &mut Execution) -> SyscallResult {
    let timestamp = execution.transaction()?.timestamp();
    Err(Error::Conflict(Conflict::unknown(timestamp)).into())
}
