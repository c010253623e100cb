//! The world of one execution: what it may ask, and what it leaves behind.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_database::Transaction;
use convex_wasm_runtime::{BoxError, Host, HostError, LogLevel, Operation, OperationResult};
use convex_wasm_storage::Storage;
use convex_wasm_values::DocumentId;
use rand::RngCore;
use rand_chacha::ChaCha12Rng;

use crate::console::LogLines;
use crate::deployment::Deployment;
use crate::environment::Environment;
use crate::function::FunctionKind;
use crate::identity::Identity;
use crate::path::FunctionPath;
use crate::recording::{Recorder, Recording};
use crate::syscalls;

/// What all executions of one call share and none changes.
pub(crate) struct CallContext {
    pub(crate) deployment: Arc<Deployment>,
    pub(crate) identity: Identity,
    pub(crate) request_id: String,
    pub(crate) instance_name: Arc<str>,
    pub(crate) environment: Environment,
    pub(crate) storage: Arc<Storage>,
    /// The fixed clock, in milliseconds since the epoch.
    pub(crate) time_ms: f64,
    /// The scheduled function that the call is, or comes from.
    pub(crate) scheduled: Option<DocumentId>,
}

/// What all executions of one call change. It moves to a nested execution and back.
pub(crate) struct CallState {
    pub(crate) transaction: Transaction,
    pub(crate) logs: LogLines,
    pub(crate) recording: Option<Recording>,
    pub(crate) observed: Observed,
}

/// What an execution looked at beside its arguments and the documents.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Observed {
    /// Who calls.
    pub(crate) identity: bool,
    /// The time: the result is right for a while only.
    pub(crate) time: bool,
    /// The snapshot's timestamp: the result is that snapshot's alone.
    pub(crate) snapshot: bool,
}

/// The host of one execution.
pub struct Execution {
    pub(crate) context: Arc<CallContext>,
    pub(crate) function: FunctionPath,
    pub(crate) kind: FunctionKind,
    /// Executions above this one.
    pub(crate) depth: usize,
    /// Seeds of nested executions.
    pub(crate) seeds: ChaCha12Rng,
    /// Absent only while a nested execution has it.
    state: Option<Box<CallState>>,
    recorder: Option<Recorder>,
}

/// See [`Execution::mark`].
pub(crate) struct Mark {
    seeds: ChaCha12Rng,
    lines: usize,
}

/// The call's state was asked for while a nested execution had it.
#[derive(Debug, thiserror::Error)]
#[error("a nested execution has the transaction")]
struct StateAway;

impl Execution {
    pub(crate) fn new(
        context: Arc<CallContext>,
        function: FunctionPath,
        kind: FunctionKind,
        depth: usize,
        seeds: ChaCha12Rng,
        state: Box<CallState>,
    ) -> Self {
        let recorder = state.recording.is_some().then(Recorder::default);
        Self { context, function, kind, depth, seeds, state: Some(state), recorder }
    }

    pub(crate) fn state(&mut self) -> Result<&mut CallState, BoxError> {
        Ok(self.state.as_deref_mut().ok_or(StateAway)?)
    }

    pub(crate) fn transaction(&mut self) -> Result<&mut Transaction, BoxError> {
        Ok(&mut self.state()?.transaction)
    }

    pub(crate) fn lend_state(&mut self) -> Result<Box<CallState>, BoxError> {
        Ok(self.state.take().ok_or(StateAway)?)
    }

    pub(crate) fn return_state(&mut self, state: Box<CallState>) {
        self.state = Some(state);
    }

    pub(crate) fn next_seed(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        self.seeds.fill_bytes(&mut seed);
        seed
    }

    /// The beginning of an execution, to which [`Execution::restart`] can go back.
    pub(crate) fn mark(&self) -> Mark {
        Mark { seeds: self.seeds.clone(), lines: self.state.as_ref().map_or(0, |state| state.logs.len()) }
    }

    /// Undoes everything since a mark, so that the same execution can be run again.
    pub(crate) fn restart(&mut self, mark: Mark) -> Result<(), BoxError> {
        let state = self.state()?;
        state.transaction.restart_function();
        state.logs.truncate(mark.lines);
        self.seeds = mark.seeds;
        self.recorder = self.recorder.take().map(|_| Recorder::default());
        Ok(())
    }

    /// Notes that the function read the clock, or may have.
    pub(crate) fn observe_time(&mut self) {
        if let Some(state) = &mut self.state {
            state.observed.time = true;
        }
    }

    /// Ends the execution.
    pub(crate) fn into_parts(self) -> Result<(Box<CallState>, Option<Recorder>), BoxError> {
        Ok((self.state.ok_or(StateAway)?, self.recorder))
    }

    fn environment(&self) -> &BTreeMap<String, String> {
        &self.context.environment
    }
}

impl Host for Execution {
    fn syscall(&mut self, name: &str, argument: &str) -> Result<String, HostError> {
        let answer = syscalls::run_sync(self, name, argument);
        if let Some(recorder) = &mut self.recorder {
            recorder.syscall(name, argument, &answer);
        }
        answer
    }

    fn environment_variable(&mut self, name: &str) -> Result<Option<String>, HostError> {
        let value = self.environment().get(name).cloned();
        if let Some(recorder) = &mut self.recorder {
            recorder.environment(name, value.as_deref());
        }
        Ok(value)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(self.environment().keys().cloned().collect())
    }

    fn log(&mut self, level: LogLevel, message: String) -> Result<(), HostError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.log(level, &message);
        }
        self.state().map_err(HostError::Abort)?.logs.push(level, &message);
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        let answers = syscalls::run_batch(self, &batch).await?;
        if let Some(recorder) = &mut self.recorder {
            recorder.batch(&batch, &answers);
        }
        Ok(answers)
    }
}
