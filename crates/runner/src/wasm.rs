//! The Wasm lane: code compiled ahead of time, in environments of a frozen program.

use std::time::Duration;

use convex_wasm_knobs::DATABASE_UDF_USER_TIMEOUT_SECONDS;
use convex_wasm_runtime::{Call, Phase, Pool, Program, RunError};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::execution::Execution;
use crate::lane::{Invocation, Lane};

/// Runs the functions of one program.
pub struct WasmLane {
    pool: Pool<Execution>,
}

impl WasmLane {
    /// A lane for the exports of a program.
    pub fn new(program: Program) -> Self {
        Self { pool: Pool::new(program) }
    }

    /// Makes environments for the first `count` calls that run at once, so that those find them ready.
    pub async fn warm_up(&self, count: usize) {
        if let Err(error) = self.pool.warm_up(count).await {
            tracing::warn!(%error, "cannot make environments in advance");
        }
    }

    async fn execute(&self, invocation: Invocation, host: Execution) -> (Result<String, RunError>, Option<Execution>) {
        let Invocation { path, method, arguments, writable, time_ms, seed } = invocation;
        let Some(export) = self.pool.program().export(path.module(), path.function()) else {
            return (Err(RunError::Internal(format!("the program has no {path}"))), Some(host));
        };
        let call = Call {
            export,
            method,
            argument: &arguments,
            phase: if writable { Phase::Mutation } else { Phase::Query },
            time_ms,
            seed,
            budget: Duration::from_secs(DATABASE_UDF_USER_TIMEOUT_SECONDS.get()),
        };
        let mut execution = self.pool.run(call, host).await;
        if let Some(host) = execution.host.as_mut().filter(|_| execution.usage.read_clock) {
            host.observe_time();
        }
        (execution.result, execution.host)
    }
}

impl Lane for WasmLane {
    fn name(&self) -> &'static str {
        "wasm"
    }

    fn run(
        &self,
        invocation: Invocation,
        host: Execution,
    ) -> BoxFuture<'_, (Result<String, RunError>, Option<Execution>)> {
        self.execute(invocation, host).boxed()
    }
}
