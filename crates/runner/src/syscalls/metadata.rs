//! What a function may know of itself and its call.

use convex_wasm_database::Limit;
use serde_json::{Value as Json, json};

use super::{SyscallError, SyscallResult, write};
use crate::execution::Execution;
use crate::function::FunctionKind;

pub(super) fn user_identity(execution: &mut Execution) -> SyscallResult {
    execution.state()?.observed.identity = true;
    write(&execution.context.identity.user())
}

pub(super) fn function(execution: &mut Execution) -> SyscallResult {
    write(&json!({ "name": execution.function.to_string(), "componentPath": "" }))
}

pub(super) fn deployment(execution: &mut Execution) -> SyscallResult {
    write(&json!({ "name": &*execution.context.instance_name, "region": null, "class": "self-hosted" }))
}

pub(super) fn request(execution: &mut Execution) -> SyscallResult {
    if execution.kind == FunctionKind::Query {
        return Err(SyscallError::throw(
            "RequestMetadataNotAllowed",
            "Queries cannot read request metadata: their results are shared between requests.",
        ));
    }
    write(&json!({
        "ip": null,
        "userAgent": null,
        "requestId": execution.context.request_id,
        "scheduledFunctionId": execution.context.scheduled.map(|id| id.to_string()),
        "authToken": null,
    }))
}

pub(super) fn transaction(execution: &mut Execution) -> SyscallResult {
    let usage = execution.transaction()?.usage();
    write(&json!({
        "bytesRead": metric(usage.bytes_read),
        "bytesWritten": metric(usage.bytes_written),
        "databaseQueries": metric(usage.intervals_read),
        "documentsRead": metric(usage.documents_read),
        "documentsWritten": metric(usage.documents_written),
        "functionsScheduled": metric(usage.functions_scheduled),
        "scheduledFunctionArgsBytes": metric(usage.scheduled_args_bytes),
    }))
}

fn metric(limit: Limit) -> Json {
    json!({ "used": limit.used, "remaining": limit.max.saturating_sub(limit.used) })
}
