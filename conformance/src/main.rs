//! Runs test262, the test suite of ECMAScript: each test is compiled, with its harness files, and evaluated on Wasmtime in
//! an environment of its own.
//!
//! - [`suite`], [`metadata`]: the tests of a checkout and what they say of themselves
//! - [`harness`]: the files that tests include, compiled once
//! - [`execute`]: one test
//! - [`results`]: counts and the snapshot

mod execute;
mod harness;
mod metadata;
mod results;
mod suite;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use convex_wasm_runtime::{Effort, Engine, NoCache};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use execute::Executor;
use results::{TestResult, Verdict};
use suite::Suite;

/// Where the snapshot is kept.
const SNAPSHOT: &str = "conformance/test262.snap";
/// Tests between two lines of progress where there is no terminal.
const LINE_EVERY: u64 = 2_000;

/// Runs test262 and prints the failing tests.
#[derive(Parser)]
struct Options {
    /// A checkout of https://github.com/tc39/test262.
    directory: PathBuf,
    /// Only tests whose path contains this.
    #[arg(long, default_value = "")]
    filter: String,
    /// Write conformance/test262.snap.
    #[arg(long, conflicts_with = "filter")]
    write: bool,
    /// Fail if a test fails that conformance/test262.snap does not list.
    #[arg(long)]
    check: bool,
    /// Print one JSON object a line for every test instead of text.
    #[arg(long)]
    json: bool,
    /// The checkout's commit, if it is no git repository.
    #[arg(long)]
    commit: Option<String>,
    /// Computing time of a test, in seconds.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Another guest than the built-in one: a Wasm file.
    #[arg(long)]
    guest: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let suite = Suite::open(&options.directory)?;
    let engine = engine(options.guest.as_deref())?;
    let executor = Executor::new(&suite, engine, Duration::from_secs(options.seconds));
    let results = run_all(&suite, &executor, &options.filter)?;
    report(&options, &suite, &results)
}

/// Test programs run for milliseconds, so their native code must be made quickly.
fn engine(guest: Option<&Path>) -> anyhow::Result<Engine> {
    let guest = guest.map(|path| fs::read(path).with_context(|| format!("cannot read {}", path.display())));
    Ok(Engine::with_effort(NoCache, guest.transpose()?.as_deref(), Effort::Quick)?)
}

/// Runs all tests that match, on all processors. The results are sorted by path.
fn run_all(suite: &Suite, executor: &Executor<'_>, filter: &str) -> anyhow::Result<Vec<TestResult>> {
    let paths = suite.paths(filter)?;
    let bar = progress_bar(paths.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(paths.len()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run_one(suite, executor, path);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                    advance(&bar);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(results)
}

fn run_one(suite: &Suite, executor: &Executor<'_>, path: &str) -> TestResult {
    let result = |verdict, reason| TestResult { path: path.to_owned(), verdict, reason };
    let test = match suite.test(path) {
        Ok(test) => test,
        Err(error) => return result(Verdict::Failed, Some(format!("{error:#}"))),
    };
    if let Some(feature) = test.excluded() {
        return result(Verdict::Excluded, Some(feature.to_owned()));
    }
    // A panic is a failure of the test that caused it.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
        runtime.block_on(executor.run(&test))
    }));
    match outcome.unwrap_or_else(|_| Err("panicked".to_owned())) {
        Ok(()) => result(Verdict::Passed, None),
        Err(reason) => result(Verdict::Failed, Some(reason)),
    }
}

fn progress_bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} tests, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
    bar
}

fn advance(bar: &ProgressBar) {
    bar.inc(1);
    if bar.is_hidden() && bar.position().is_multiple_of(LINE_EVERY) {
        eprintln!("{} of {} tests", bar.position(), bar.length().unwrap_or_default());
    }
}

fn report(options: &Options, suite: &Suite, results: &[TestResult]) -> anyhow::Result<()> {
    if options.json {
        for result in results {
            println!("{}", serde_json::to_string(result)?);
        }
    } else {
        for result in results.iter().filter(|result| result.verdict == Verdict::Failed) {
            let reason = result.reason.as_deref().unwrap_or_default();
            println!("FAIL {}: {}", result.path, reason.lines().next().unwrap_or_default());
        }
        println!("\n{}", results::summary(results));
    }
    if options.write {
        let commit = options.commit.clone().or_else(|| suite.commit()).unwrap_or_else(|| "unknown".to_owned());
        fs::write(SNAPSHOT, results::snapshot(results, &commit)).context("cannot write the snapshot")?;
    }
    if options.check {
        let snapshot = fs::read_to_string(SNAPSHOT).context("cannot read the snapshot")?;
        let regressions = results::regressions(results, &snapshot);
        anyhow::ensure!(regressions.is_empty(), "{} tests fail that {SNAPSHOT} does not list", regressions.len());
    }
    Ok(())
}
