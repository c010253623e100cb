//! One execution of one function in a transaction: check the arguments, run it on its lane, check the result.

use std::sync::Arc;

use convex_wasm_database::Transaction;
use convex_wasm_knobs::{FUNCTION_MAX_ARGS_SIZE, FUNCTION_MAX_RESULT_SIZE};
use convex_wasm_runtime::{BoxError, RunError, ThrownError};
use convex_wasm_values::{ConvexValue, JsonFormat};
use rand_chacha::ChaCha12Rng;

use crate::deployment::Deployment;
use crate::error::FunctionError;
use crate::execution::{CallContext, CallState, Execution};
use crate::function::{Function, FunctionKind};
use crate::lane::Invocation;
use crate::recording::{ExecutionRecord, OutcomeRecord, Recorder};
use crate::stack;

/// What to execute.
pub(crate) struct Invoke {
    pub(crate) context: Arc<CallContext>,
    pub(crate) function: Arc<Function>,
    pub(crate) arguments: ConvexValue,
    /// Executions above this one.
    pub(crate) depth: usize,
    /// Seed of `Math.random`.
    pub(crate) seed: [u8; 32],
    /// Seeds of nested executions.
    pub(crate) seeds: ChaCha12Rng,
}

/// Why an execution gave no value.
pub(crate) enum Failed {
    /// By the application's fault.
    Function(FunctionError),
    /// By the database's or our own fault.
    System(BoxError),
}

type Invoked = (Result<ConvexValue, Failed>, Box<CallState>);

/// Executes a function.
///
/// # Errors
/// A lane did not give the state back, which is a fault of ours.
pub(crate) async fn invoke(invoke: Invoke, state: Box<CallState>) -> Result<Invoked, BoxError> {
    if let Err(error) = check_arguments(&invoke.function, &invoke.arguments, &state.transaction) {
        return Ok((Err(Failed::Function(error)), state));
    }
    let Invoke { context, function, arguments, depth, seed, seeds } = invoke;
    let invocation = Invocation {
        path: function.path.clone(),
        method: function.kind.method(),
        arguments: ConvexValue::Array(vec![arguments]).to_json_text(JsonFormat::Encoded),
        writable: function.kind == FunctionKind::Mutation,
        time_ms: context.time_ms,
        seed,
    };
    let recorded = state.recording.is_some().then(|| invocation.clone());
    let host = Execution::new(context.clone(), function.path.clone(), function.kind, depth, seeds, state);
    let (result, host) = context.deployment.lane().run(invocation, host).await;
    let (mut state, recorder) = match host {
        Some(host) => host.into_parts()?,
        None => return Err(result.err().map_or_else(|| "the lane lost the host".into(), BoxError::from)),
    };
    if let (Some(invocation), Some(recorder), Some(recording)) = (recorded, recorder, &mut state.recording) {
        recording.executions.push(record(invocation, recorder, &result));
    }
    let result = match result {
        Ok(text) => check_result(&function, &text, &state.transaction).map_err(Failed::Function),
        Err(error) => Err(failed(&context.deployment, error)),
    };
    Ok((result, state))
}

/// Whether a function may be called with these arguments.
pub(crate) fn check_arguments(
    function: &Function,
    arguments: &ConvexValue,
    transaction: &Transaction,
) -> Result<(), FunctionError> {
    let limit = FUNCTION_MAX_ARGS_SIZE.get();
    if arguments.size() > limit {
        return Err(FunctionError::new(format!(
            "Arguments for {} are too large (actual: {} bytes, limit: {limit} bytes)",
            function.path,
            arguments.size(),
        )));
    }
    function
        .args
        .check(arguments, transaction)
        .map_err(|error| FunctionError::new(format!("ArgumentValidationError: {error}")))
}

/// The value in the text that a function returned, if it may return it.
pub(crate) fn check_result(
    function: &Function,
    text: &str,
    transaction: &Transaction,
) -> Result<ConvexValue, FunctionError> {
    let limit = FUNCTION_MAX_RESULT_SIZE.get();
    let value = ConvexValue::from_json_text(text)
        .map_err(|error| FunctionError::new(format!("Function {} return value is invalid: {error}", function.path)))?;
    if value.size() > limit {
        return Err(FunctionError::new(format!(
            "Function {} return value is too large (actual: {} bytes, limit: {limit} bytes)",
            function.path,
            value.size(),
        )));
    }
    function
        .returns
        .check(&value, transaction)
        .map_err(|error| FunctionError::new(format!("ReturnsValidationError: {error}")))?;
    Ok(value)
}

/// What the failure of a lane means for the call.
pub(crate) fn failed(deployment: &Deployment, error: RunError) -> Failed {
    match error {
        RunError::Thrown(error) => Failed::Function(thrown(deployment, &error)),
        RunError::Timeout { .. } | RunError::OutOfMemory { .. } | RunError::Stuck | RunError::HandOver { .. } => {
            Failed::Function(FunctionError::new(error.to_string()))
        }
        RunError::Aborted(error) => Failed::System(error),
        RunError::Internal(_) => Failed::System(error.into()),
    }
}

/// An exception that nobody caught, with the place in the developer's sources.
fn thrown(deployment: &Deployment, error: &ThrownError) -> FunctionError {
    let message = stack::uncaught(&error.text, &error.stack, |module| deployment.source_map(module));
    // The library writes the data as Convex JSON; a value that is none was made by hand, and is not data.
    let data = error.data.as_deref().and_then(|text| ConvexValue::from_json_text(text).ok());
    FunctionError { data, ..FunctionError::new(message) }
}

fn record(invocation: Invocation, recorder: Recorder, result: &Result<String, RunError>) -> ExecutionRecord {
    ExecutionRecord {
        function: invocation.path.to_string(),
        method: invocation.method,
        arguments: invocation.arguments,
        time_ms: invocation.time_ms,
        seed: hex::encode(invocation.seed),
        operations: recorder.operations,
        log_lines: recorder.log_lines,
        outcome: match result {
            Ok(text) => OutcomeRecord::Value(text.clone()),
            Err(RunError::Thrown(error)) => {
                OutcomeRecord::Thrown { text: error.text.clone(), data: error.data.clone() }
            }
            Err(other) => OutcomeRecord::Ended(other.to_string()),
        },
    }
}
