//! What V8 costs those who do not use it: how long queries on Wasm take while actions keep V8 workers busy, and the memory of an
//! idle backend with parked workers and without, as a section of `benches/RESULTS.md`. Usage: `saturation [SECONDS]`.

use std::{
    fs,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use convex_wasm_tests::{backend::Backend, developer::Developer, places};
use serde_json::json;
use tokio::task::JoinSet;

/// Queries come at this interval, whether the one before was answered or not.
const INTERVAL: Duration = Duration::from_millis(5);
/// Actions that compute at the same time.
const ACTIONS: usize = 4;
/// Niceness of V8 workers, see `CONVEX_WASM_V8_NICE`.
const NICENESS: &str = "5";

const FUNCTIONS: &str = r#"
import { action, query } from "./_generated/server";
import { v } from "convex/values";

export const wasm = query({ args: { n: v.number() }, handler: async (_, { n }) => n });
export const compute = action({
  args: {},
  handler: async () => {
    const end = Date.now() + 200;
    while (Date.now() < end);
  },
});
"#;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let seconds = std::env::args().nth(1).map_or(Ok(10), |seconds| seconds.parse())?;
    let duration = Duration::from_secs(seconds);
    let developer = Arc::new(developer(&[])?);
    println!("\n## Queries on Wasm beside V8\n");
    println!("One query every {} ms for {seconds} s over HTTP; milliseconds.\n", INTERVAL.as_millis());
    println!("| meanwhile | median | 99 % |\n| --- | --: | --: |");
    queries(&developer, Duration::from_secs(1)).await?;
    report("nothing", queries(&developer, duration).await?);
    let cores = std::thread::available_parallelism()?.get();
    let busy: Vec<Busy> = (0..cores).map(|_| Busy::start()).collect::<anyhow::Result<_>>()?;
    report(&format!("{cores} processes that compute, as nice as V8 workers"), queries(&developer, duration).await?);
    drop(busy);
    let mut actions = JoinSet::new();
    for _ in 0..ACTIONS {
        let developer = developer.clone();
        actions.spawn(async move {
            loop {
                developer.backend.call("action", "load:compute", json!({})).await?;
            }
            #[expect(unreachable_code, reason = "tells the type of the errors")]
            anyhow::Ok(())
        });
    }
    report(&format!("{ACTIONS} actions that compute, again and again"), queries(&developer, duration).await?);
    actions.shutdown().await;
    let parked = memory(&developer.backend)?;
    drop(developer);
    let without = memory(&self::developer(&[("CONVEX_WASM_V8_WARM_WORKERS", "0")])?.backend)?;
    println!(
        "\nMemory of its own that the backend keeps after that with parked workers: {}; each worker: {}.",
        parked[0],
        parked[1..].join(", ")
    );
    println!("Of a new backend that parks none: {}.", without.join(", "));
    Ok(())
}

/// The example app and some functions to call, deployed.
fn developer(environment: &[(&'static str, &'static str)]) -> anyhow::Result<Developer> {
    let developer = Developer::with(environment)?;
    developer.write("load.ts", FUNCTIONS)?;
    developer.backend.deploy(&developer.app())?;
    Ok(developer)
}

/// Times of queries.
async fn queries(developer: &Arc<Developer>, duration: Duration) -> anyhow::Result<Vec<Duration>> {
    let begun = Instant::now();
    let mut ticks = tokio::time::interval(INTERVAL);
    let mut running = JoinSet::new();
    while begun.elapsed() < duration {
        ticks.tick().await;
        let developer = developer.clone();
        running.spawn(async move {
            let asked = Instant::now();
            // Each asks something else, so that none is answered from memory.
            developer.backend.call("query", "load:wasm", json!({ "n": (asked - begun).as_nanos() as f64 })).await?;
            anyhow::Ok(asked.elapsed())
        });
    }
    running.join_all().await.into_iter().collect()
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("| {name} | {:.2} | {:.2} |", at(0.5), at(0.99));
}

/// A process that computes until it is dropped.
struct Busy(Child);

impl Busy {
    fn start() -> anyhow::Result<Self> {
        let mut command = Command::new("nice");
        command.args(["-n", NICENESS]).arg(places::node()).args(["-e", "for (;;);"]).stdin(Stdio::null());
        Ok(Self(command.spawn()?))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // It does not end by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Memory that the backend and its workers share with nobody, one after the other.
fn memory(backend: &Backend) -> anyhow::Result<Vec<String>> {
    let id = backend.process_id();
    let mut ids = vec![id];
    for task in fs::read_dir(format!("/proc/{id}/task"))? {
        let children = fs::read_to_string(task?.path().join("children")).unwrap_or_default();
        ids.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    // A worker that has just been killed has no memory to read.
    let found: Vec<String> = ids.into_iter().filter_map(private).collect();
    anyhow::ensure!(!found.is_empty(), "the backend has ended");
    Ok(found)
}

fn private(id: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    let kilobytes: u64 = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum();
    Some(format!("{:.1} MB", kilobytes as f64 / 1e3))
}
