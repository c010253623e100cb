//! Functions that call functions.

use convex_wasm_knobs::MAX_REACTOR_CALL_DEPTH;
use convex_wasm_runtime::ThrowError;
use convex_wasm_values::{ConvexValue, JsonFormat};
use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use serde::Deserialize;

use super::{SyscallError, SyscallResult, write};
use crate::deployment::Deployment;
use crate::execution::Execution;
use crate::function::FunctionKind;
use crate::invoke::{Failed, Invoke, invoke};
use crate::lookup::{Audience, lookup};
use crate::path::FunctionPath;

/// How a function is named in a system call: one of the three.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionReference {
    name: Option<String>,
    reference: Option<String>,
    function_handle: Option<String>,
}

const HANDLE_PREFIX: &str = "function://";
const REFERENCE_PREFIX: &str = "_reference/function/";

impl FunctionReference {
    pub(super) fn path(&self) -> Result<FunctionPath, SyscallError> {
        let text = match (&self.name, &self.reference, &self.function_handle) {
            (Some(name), None, None) => Some(name.as_str()),
            (None, Some(reference), None) => reference.strip_prefix(REFERENCE_PREFIX),
            (None, None, Some(handle)) => handle.strip_prefix(HANDLE_PREFIX),
            _ => None,
        };
        let text = text.ok_or_else(|| {
            SyscallError::throw(
                "InvalidResource",
                "Only functions of the app itself can be called: this server does not run components yet.",
            )
        })?;
        text.parse().map_err(|error| SyscallError::throw("InvalidFunctionName", format!("{error}")))
    }
}

/// A handle is the path itself: it stays valid as long as the function exists.
pub(super) fn create_handle(deployment: &Deployment, reference: &FunctionReference) -> SyscallResult {
    let path = reference.path()?;
    if deployment.function(&path).is_none() {
        return Err(SyscallError::throw("FunctionNotFound", format!("Could not find function for '{path}'.")));
    }
    write(&format!("{HANDLE_PREFIX}{path}"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunArgs {
    udf_type: NestedKind,
    args: serde_json::Value,
    #[serde(flatten)]
    function: FunctionReference,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
enum NestedKind {
    Query,
    Mutation,
    SnapshotQuery,
}

/// `ctx.runQuery` and `ctx.runMutation`: runs a function in the same transaction. If it fails, its writes are undone, and
/// what it read stays read.
pub(super) async fn run(execution: &mut Execution, args: RunArgs) -> SyscallResult {
    let kind = match args.udf_type {
        NestedKind::Query => FunctionKind::Query,
        NestedKind::Mutation => FunctionKind::Mutation,
        NestedKind::SnapshotQuery => {
            return Err(SyscallError::throw(
                "FeatureNotSupported",
                "Queries on a stale snapshot are not supported by this server yet.",
            ));
        }
    };
    let path = args.function.path()?;
    if execution.kind == FunctionKind::Query && kind != FunctionKind::Query {
        return Err(SyscallError::throw(
            "InvalidFunctionCall",
            format!("{} is a query, so it can only call queries, not the mutation {path}.", execution.function),
        ));
    }
    let depth = execution.depth + 1;
    if depth > MAX_REACTOR_CALL_DEPTH.get() {
        return Err(SyscallError::throw(
            "MaximumCallDepthExceeded",
            format!("Functions call each other too deeply (maximum depth: {}).", MAX_REACTOR_CALL_DEPTH.get()),
        ));
    }
    let arguments = ConvexValue::from_json(&args.args)
        .map_err(|error| SyscallError::throw(error.code(), format!("Invalid arguments for {path}: {error}")))?;
    let function = lookup(&execution.context.deployment, &path, Some(kind), Audience::Functions)
        .map_err(|error| SyscallError::throw("FunctionNotFound", error.message))?;
    let nested = Invoke {
        context: execution.context.clone(),
        function,
        arguments,
        depth,
        seed: execution.next_seed(),
        seeds: ChaCha12Rng::from_seed(execution.next_seed()),
    };
    run_nested(execution, nested).await
}

async fn run_nested(execution: &mut Execution, nested: Invoke) -> SyscallResult {
    let mut state = execution.lend_state()?;
    state.transaction.begin_nested();
    let (result, mut state) = invoke(nested, state).await?;
    match result {
        Ok(_) => state.transaction.commit_nested(),
        Err(_) => state.transaction.rollback_nested(),
    }
    execution.return_state(state);
    match result {
        Ok(value) => Ok(value.to_json_text(JsonFormat::Encoded)),
        Err(Failed::Function(error)) => Err(SyscallError::Throw(ThrowError {
            message: error.message,
            code: None,
            data: error.data.map(|data| data.to_json_text(JsonFormat::Encoded)),
        })),
        Err(Failed::System(error)) => Err(SyscallError::Abort(error)),
    }
}
