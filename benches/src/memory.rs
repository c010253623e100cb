//! What memory a program takes: the image that all environments share, and what an idle environment keeps of its own.

use std::{fmt::Write, sync::Arc, time::Duration};

use anyhow::Context;
use convex_wasm_runtime::{
    BoxError, Call, Engine, Host, HostError, LogLevel, Operation, OperationResult, Phase, Pool, Program,
};
use tokio::{sync::Barrier, task::JoinSet};

use crate::{compile, kernels, program};

/// Environments that are in use at the same time, and idle afterwards.
const ENVIRONMENTS: usize = 64;
/// How often each of them is used first.
const ROUNDS: usize = 5;
/// Computing time nobody reaches.
const BUDGET: Duration = Duration::from_secs(60);
/// The published package with the largest image.
const PACKAGE: &str = "zod";

/// Waits in the middle of an execution for all the others, so that each has an environment of its own.
const EMPTY: &str = "export const bench = { async run() { await Convex.asyncSyscall('meet', ''); return ''; } };";
const KERNEL: &str = "import { kernel } from './kernel.js';
export const bench = { async run() { await Convex.asyncSyscall('meet', ''); return String(await kernel()); } };";

/// A table of programs: an empty query, one beside a large package, and kernels that fill much memory.
pub async fn table(engine: &Engine) -> anyhow::Result<String> {
    let mut text = format!(
        "\n## Memory\n\nThe image is shared by all environments of a program. *Idle* is what the process has grown by for each of\n\
         {ENVIRONMENTS} environments that were in use at the same time, {ROUNDS} times: pages of memory and stack, and what the host keeps.\n\n\
         | program | image, kB | an idle environment, kB |\n| --- | --: | --: |\n"
    );
    let package = (format!("{PACKAGE}.js"), compile::bundle_of(PACKAGE)?);
    let beside = ("main.js".to_owned(), format!("import './{PACKAGE}.js'; {EMPTY}"));
    let kernel = |name: &str| -> anyhow::Result<Vec<(String, String)>> {
        Ok(vec![("kernel.js".to_owned(), kernels::source(name)?), ("main.js".to_owned(), KERNEL.to_owned())])
    };
    for (name, modules) in [
        ("an empty query", vec![("main.js".to_owned(), EMPTY.to_owned())]),
        ("an empty query, beside zod and calls of it", vec![package, beside]),
        ("b_documents", kernel("b_documents")?),
        ("e_collections", kernel("e_collections")?),
        ("k_spread", kernel("k_spread")?),
    ] {
        let modules: Vec<_> = modules.iter().map(|(path, source)| (path.as_str(), source.clone())).collect();
        let program = program::prepare(engine, &modules).await?.pool.program().clone();
        let image = program.shared_memory();
        writeln!(text, "| {name} | {} | {} |", image / 1_000, idle(program).await? / 1_000)?;
    }
    Ok(text)
}

/// Bytes for each environment.
async fn idle(program: Program) -> anyhow::Result<usize> {
    let export = program.export("main.js", "bench").context("main.js does not export bench")?;
    let pool = Arc::new(Pool::new(program));
    let before = private_memory()?;
    for _ in 0..ROUNDS {
        let barrier = Arc::new(Barrier::new(ENVIRONMENTS));
        let mut calls = JoinSet::new();
        for _ in 0..ENVIRONMENTS {
            let (pool, host) = (pool.clone(), Meeting(barrier.clone()));
            let call = Call {
                export,
                method: "run",
                argument: "",
                phase: Phase::Query,
                time_ms: 0.0,
                seed: [7; 32],
                budget: BUDGET,
            };
            calls.spawn(async move { pool.run(call, host).await.result });
        }
        while let Some(call) = calls.join_next().await {
            call??;
        }
    }
    anyhow::ensure!(pool.idle() == ENVIRONMENTS, "{} environments are idle", pool.idle());
    Ok(private_memory()?.saturating_sub(before) / ENVIRONMENTS)
}

/// Bytes of memory that belong to this process alone, as Linux counts them.
fn private_memory() -> anyhow::Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon")?;
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1_024)
}

/// A host whose asynchronous operation ends when all executions have begun it.
struct Meeting(Arc<Barrier>);

impl Host for Meeting {
    fn syscall(&mut self, name: &str, _argument: &str) -> Result<String, HostError> {
        Err(HostError::Abort(format!("no system call {name}").into()))
    }

    fn environment_variable(&mut self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(Vec::new())
    }

    fn log(&mut self, _level: LogLevel, _message: String) -> Result<(), HostError> {
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        self.0.wait().await;
        Ok(batch.iter().map(|_| Ok("null".to_owned())).collect())
    }
}
