//! Wasm, and V8 for what Wasm cannot do: functions that the compiler refused, and executions that the guest hands over.

use std::collections::BTreeSet;
use std::sync::Arc;

use convex_wasm_runtime::RunError;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::execution::Execution;
use crate::lane::{Invocation, Lane};
use crate::path::FunctionPath;
use crate::v8::V8Lane;
use crate::wasm::WasmLane;

/// Both lanes of one deployment.
pub struct TwoLanes {
    wasm: WasmLane,
    v8: Arc<V8Lane>,
    refused: BTreeSet<FunctionPath>,
}

impl TwoLanes {
    /// Runs the `refused` functions on V8 and all others on Wasm.
    pub fn new(wasm: WasmLane, v8: Arc<V8Lane>, refused: BTreeSet<FunctionPath>) -> Self {
        Self { wasm, v8, refused }
    }

    /// A hand-over decides nothing: what the execution did is undone, and all of it is repeated, with the same snapshot,
    /// clock and seeds.
    async fn execute(&self, invocation: Invocation, host: Execution) -> (Result<String, RunError>, Option<Execution>) {
        if self.refused.contains(&invocation.path) {
            return self.v8.run(invocation, host).await;
        }
        let start = host.mark();
        let (result, host) = self.wasm.run(invocation.clone(), host).await;
        match (result, host) {
            (Err(RunError::HandOver { built_in }), Some(mut host)) => {
                tracing::info!(function = %invocation.path, reason = built_in, "handed over to V8");
                match host.restart(start) {
                    Ok(()) => self.v8.run(invocation, host).await,
                    Err(error) => (Err(RunError::Aborted(error)), Some(host)),
                }
            }
            ended => ended,
        }
    }
}

impl Lane for TwoLanes {
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
