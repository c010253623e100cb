//! `Convex.asyncSyscall` in actions.

use convex_wasm_runtime::{OperationResult, ThrowError};
use convex_wasm_v8_workers::Streams;
use convex_wasm_values::{ConvexValue, JsonFormat};
use serde::Deserialize;
use serde_json::json;

use super::asynchronous::unsupported;
use super::functions::{FunctionReference, create_handle};
use super::{SyscallError, SyscallResult, parse, scheduling, storage, write};
use crate::actions::Action;
use crate::function::FunctionKind;
use crate::lookup::Audience;
use crate::runner::Call;

/// Answers an operation of an action.
pub(crate) async fn run_in_action(action: &Action, streams: &Streams, name: &str, argument: &str) -> OperationResult {
    run(action, streams, name, argument).await.map_err(|error| match error {
        SyscallError::Throw(error) => error,
        // Nothing is lost by the action going on: it has no transaction.
        SyscallError::Abort(error) => ThrowError { message: error.to_string(), ..ThrowError::default() },
    })
}

async fn run(action: &Action, streams: &Streams, name: &str, argument: &str) -> SyscallResult {
    match name {
        "http/respond" => action.respond(streams, parse(name, argument)?),
        "1.0/actions/query" => call(action, FunctionKind::Query, parse(name, argument)?).await,
        "1.0/actions/mutation" => call(action, FunctionKind::Mutation, parse(name, argument)?).await,
        "1.0/actions/action" => call(action, FunctionKind::Action, parse(name, argument)?).await,
        "1.0/actions/schedule" => scheduling::schedule_in_action(action, parse(name, argument)?).await,
        "1.0/actions/cancel_job" => scheduling::cancel_in_action(action, parse(name, argument)?).await,
        "1.0/createFunctionHandle" => create_handle(&action.deployment, &parse(name, argument)?),
        "1.0/getUserIdentity" => match &action.unauthenticated {
            Some(message) => Err(SyscallError::throw("Unauthenticated", message.as_str())),
            None => write(&action.identity.user()),
        },
        "1.0/getFunctionMetadata" => write(&json!({ "name": action.function.to_string(), "componentPath": "" })),
        "1.0/getDeploymentMetadata" => {
            write(&json!({ "name": &*action.instance_name, "region": null, "class": "self-hosted" }))
        }
        "1.0/getRequestMetadata" => write(&json!({
            "ip": null, "userAgent": null, "requestId": action.request_id,
            "scheduledFunctionId": action.scheduled.map(|id| id.to_string()), "authToken": null,
        })),
        _ => storage::in_action(action, streams, name, argument).await?.ok_or_else(|| unsupported(name)),
    }
}

#[derive(Deserialize)]
struct CallArgs {
    args: serde_json::Value,
    #[serde(flatten)]
    function: FunctionReference,
}

async fn call(action: &Action, kind: FunctionKind, args: CallArgs) -> SyscallResult {
    let path = args.function.path()?;
    let arguments = ConvexValue::from_json(&args.args)
        .map_err(|error| SyscallError::throw(error.code(), format!("Invalid arguments for {path}: {error}")))?;
    let call = Call {
        path,
        arguments,
        kind: Some(kind),
        audience: Audience::Functions,
        identity: action.identity.clone(),
        request_id: action.request_id.clone(),
        scheduled: action.scheduled,
    };
    match action.call(call).await {
        Ok(Ok(value)) => Ok(value.to_json_text(JsonFormat::Encoded)),
        Ok(Err(error)) => Err(SyscallError::Throw(ThrowError {
            message: error.message,
            code: None,
            data: error.data.map(|data| data.to_json_text(JsonFormat::Encoded)),
        })),
        Err(error) => Err(SyscallError::throw(error.code(), error.to_string())),
    }
}
