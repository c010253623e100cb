//! How long `() => null` takes on V8: on the plain path, from a snapshot and in a parked worker, and what parked workers
//! cost, as a section of `benches/RESULTS.md`. Usage: `latency NODE [ROUNDS]`, or `latency NODE endurance ACTIONS`, which
//! tells what so many actions leave behind.

#![allow(clippy::print_stdout, reason = "this is a command")]

mod endurance;
mod processes;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_execution::{BoxError, LogLevel, OperationResult, SilentHost};
use convex_wasm_v8_workers::{
    ActionCall, ActionHost, Call, Entry, ImportPhase, Phase, Program, Settings, Streams, V8Snapshot, Workers,
};

/// Calls in the measurement of hits, and the time between two of them.
const CALLS: u32 = 100;
const INTERVAL: Duration = Duration::from_millis(100);

const SOURCE: &str = "const handler = () => null;
export const query = { invokeQuery: async (args) => JSON.stringify(await handler(...JSON.parse(args))) };
export const action = { invokeAction: async (id, args) => JSON.stringify(await handler(...JSON.parse(args))) };";

struct Nothing;

impl ActionHost for Nothing {
    async fn operation(self: Arc<Self>, _: Streams, _: String, argument: String) -> OperationResult {
        Ok(argument)
    }

    fn log(&self, _: LogLevel, _: String) {}
}

async fn action(workers: &Workers, program: &Arc<Program>) -> Result<Duration, BoxError> {
    let environment = BTreeMap::new();
    let call = ActionCall {
        module: "m.js",
        entry: Entry::Action("action"),
        argument: "[{}]",
        streams: Streams::default(),
        seed: [7; 32],
        environment: &environment,
        limit: Duration::from_secs(60),
    };
    let begun = Instant::now();
    workers.act(program, None, &call, Arc::new(Nothing)).await?;
    Ok(begun.elapsed())
}

async fn query(workers: &Workers, program: &Arc<Program>) -> Result<Duration, BoxError> {
    let call = Call {
        module: "m.js",
        export: "query",
        method: "invokeQuery",
        argument: "[{}]",
        phase: Phase::Query,
        time_ms: 0.0,
        seed: [7; 32],
        import_budget: Duration::from_secs(10),
        budget: Duration::from_secs(10),
    };
    let begun = Instant::now();
    workers.run(program, &call, SilentHost::default()).await.0?;
    Ok(begun.elapsed())
}

fn report(name: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("| {name} | {:.2} | {:.2} | {:.2} |", at(0.0), at(0.5), at(0.95));
}

/// Claims that found a parked worker, of `CALLS` that come ten times a second.
async fn hits(workers: &Workers, program: &Arc<Program>) -> Result<u64, BoxError> {
    workers.refilled().await;
    let before = workers.statistics().warm_worker_hit;
    let mut ticks = tokio::time::interval(INTERVAL);
    for _ in 0..CALLS {
        ticks.tick().await;
        action(workers, program).await?;
    }
    Ok(workers.statistics().warm_worker_hit - before)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut arguments = std::env::args().skip(1);
    let node = PathBuf::from(arguments.next().ok_or("usage: latency NODE [ROUNDS | endurance ACTIONS]")?);
    let folder = tempfile::tempdir()?;
    let workers = |name: &str, warm_workers, snapshots| {
        let directory = folder.path().join(name);
        Workers::new(Settings {
            node: node.clone(),
            npm: "npm".into(),
            directory,
            warm_workers,
            max_parked: 8,
            heap_mb: 64,
            snapshots,
        })
    };
    let program = Arc::new(Program::new([("m.js".to_owned(), SOURCE.to_owned())], ImportPhase::default()));
    let parked = workers("parked", 2, V8Snapshot::Block)?;
    parked.prepare(&program);
    let rounds = match arguments.next().as_deref() {
        Some("endurance") => {
            let actions = arguments.next().ok_or("how many actions?")?.parse()?;
            return endurance::run(&parked, &program, actions).await;
        }
        rounds => rounds.map_or(Ok(50), str::parse)?,
    };
    parked.refilled().await;
    let memory = processes::private_memory()?;
    let plain = workers("plain", 0, V8Snapshot::Off)?;
    let restored = workers("restored", 0, V8Snapshot::Block)?;
    action(&restored, &program).await?;
    let [mut plain_times, mut restored_times, mut parked_times, mut query_times] = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        plain_times.push(action(&plain, &program).await?);
        restored_times.push(action(&restored, &program).await?);
        parked.refilled().await;
        parked_times.push(action(&parked, &program).await?);
    }
    query(&restored, &program).await?;
    for _ in 0..rounds * 10 {
        query_times.push(query(&restored, &program).await?);
    }
    let hits = hits(&parked, &program).await?;
    println!("\n## Functions on V8\n");
    println!("`() => null`, {rounds} rounds in which the kinds of action take turns; milliseconds.\n");
    println!("| execution | least | median | 95 % |\n| --- | --: | --: | --: |");
    report("action, plain", &mut plain_times);
    report("action, from a snapshot", &mut restored_times);
    report("action, in a parked worker", &mut parked_times);
    report("query, in a fresh context", &mut query_times);
    println!("\nOf {CALLS} actions at ten calls a second, {hits} found a parked worker.");
    let memory: Vec<_> = memory.iter().map(|bytes| format!("{:.1}", *bytes as f64 / 1e6)).collect();
    println!("Memory of their own that parked workers keep, in MB: {}.", memory.join(", "));
    for workers in [plain, restored, parked] {
        workers.shut_down().await;
    }
    Ok(())
}
