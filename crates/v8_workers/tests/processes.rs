//! Workers as processes: claimed, replaced, killed, bounded; none is left behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use convex_wasm_execution::{BoxError, Host, HostError, LogLevel, Operation, OperationResult, RunError};
use convex_wasm_v8_workers::{Call, V8Snapshot, Workers};
use support::*;

fn kill(process: u32) {
    // SAFETY: a plain system call.
    assert_eq!(unsafe { libc::kill(process as i32, libc::SIGKILL) }, 0);
}

/// Processes whose parent is this one.
fn children() -> Vec<u32> {
    let id = std::process::id();
    let text = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    let mut found: Vec<u32> = text.split_whitespace().map(|id| id.parse().unwrap()).collect();
    for task in std::fs::read_dir(format!("/proc/{id}/task")).unwrap() {
        let text = std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
        found.extend(text.split_whitespace().map(|id| id.parse::<u32>().unwrap()));
    }
    found
}

async fn until_parked(workers: &Workers, count: usize) {
    while workers.statistics().parked < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_function_that_computes_too_long_is_ended_and_the_next_one_runs() {
    let lane = lane(V8Snapshot::Off, 0);
    let endless = query("async () => { for (;;); }");
    let microtasks = query("async () => { for (;;) await null; }");
    for program in [endless, microtasks] {
        let call = Call { budget: Duration::from_millis(100), ..call() };
        let (result, _) = lane.workers.run(&program, &call, RecordingHost::default()).await;
        assert!(matches!(result, Err(RunError::Timeout { .. })), "{result:?}");
    }
    let import = program("for (;;);");
    let call = Call { import_budget: Duration::from_millis(100), ..call() };
    let (result, _) = lane.workers.run(&import, &call, RecordingHost::default()).await;
    assert!(matches!(result, Err(RunError::Timeout { .. })), "{result:?}");
    assert_eq!(value(&lane, "async () => 1").await, "1");
    lane.workers.shut_down().await;
    assert_eq!(lane.workers.statistics().alive, 0);
}

#[tokio::test]
async fn a_full_heap_ends_the_worker_with_convexs_text() {
    let lane = lane(V8Snapshot::Off, 0);
    let (result, _) =
        run(&lane, &query("async () => { const all = []; for (;;) all.push(new Array(1000).fill(1)); }")).await;
    let expected = "JavaScript execution ran out of memory (maximum memory usage: 64 MB)";
    assert_eq!(result.unwrap_err().to_string(), expected);
    assert_eq!(value(&lane, "async () => 1").await, "1");
}

/// Kills its worker when it is asked something.
struct Killer {
    workers: Workers,
}

impl Killer {
    fn strike(&self) {
        let workers = children();
        assert_eq!(workers.len(), self.workers.statistics().alive);
        workers.into_iter().for_each(kill);
    }
}

impl Host for Killer {
    fn syscall(&mut self, _: &str, argument: &str) -> Result<String, HostError> {
        self.strike();
        Ok(argument.to_owned())
    }

    fn environment_variable(&mut self, _: &str) -> Result<Option<String>, HostError> {
        self.strike();
        Ok(None)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(Vec::new())
    }

    fn log(&mut self, _: LogLevel, _: String) -> Result<(), HostError> {
        self.strike();
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        self.strike();
        Ok(batch.into_iter().map(|operation| Ok(operation.argument)).collect())
    }
}

// One test, since it looks at the children of the whole process; the harness runs it in a process of its own below.
#[test]
fn processes_of_one_backend() {
    let me = std::env::current_exe().unwrap();
    for scenario in ["killed_at_every_phase", "many_executions"] {
        let status = Command::new(&me)
            .args([scenario, "--exact", "--nocapture", "--test-threads=1"])
            .env("SCENARIO", scenario)
            .status();
        assert!(status.unwrap().success(), "{scenario}");
    }
}

fn is_scenario(name: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "how the test above speaks to its other process")]
    std::env::var("SCENARIO").is_ok_and(|scenario| scenario == name)
}

#[tokio::test]
async fn killed_at_every_phase() {
    if !is_scenario("killed_at_every_phase") {
        return;
    }
    let lane = lane(V8Snapshot::Off, 0);
    // While it asks synchronously, asynchronously, in the import, and when it writes a line.
    let sources = [
        "export const f = { invokeQuery: async () => Convex.syscall('a', '1') };",
        "export const f = { invokeQuery: () => Convex.asyncSyscall('a', '1') };",
        "const early = process.env.X; export const f = { invokeQuery: async () => '1' };",
        "export const f = { invokeQuery: async () => { console.log(1); for (;;); } };",
    ];
    for source in sources {
        let host = Killer { workers: lane.workers.clone() };
        let (result, _) = lane.workers.run(&program(source), &call(), host).await;
        assert!(matches!(result, Err(RunError::Internal(_))), "{source}: {result:?}");
        assert_eq!(value(&lane, "async () => 1").await, "1");
        lane.workers.retire(&query("async () => 1"));
    }
    // While it is parked: a miss, never an error.
    let query = query("async () => 1");
    run(&lane, &query).await.0.unwrap();
    until_parked(&lane.workers, 1).await;
    children().into_iter().for_each(kill);
    run(&lane, &query).await.0.unwrap();
    lane.workers.shut_down().await;
    assert_eq!(lane.workers.statistics().alive, 0);
    assert_eq!(children(), Vec::<u32>::new());
}

#[tokio::test]
async fn many_executions() {
    if !is_scenario("many_executions") {
        return;
    }
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let lane = lane(V8Snapshot::Block, 1);
    // Garbage is collected between executions, by a function that guests never see.
    let program = query("async () => { const text = await Convex.asyncSyscall('echo', typeof gc); return text; }");
    run(&lane, &program).await.0.unwrap();
    until_parked(&lane.workers, 2).await;
    let (before, processes) = (open(), children().len());
    for _ in 0..1000 {
        assert_eq!(run(&lane, &program).await.0.unwrap(), "\"undefined\"");
    }
    assert_eq!((open(), children().len()), (before, processes));
    lane.workers.shut_down().await;
    assert_eq!(children(), Vec::<u32>::new());
}

#[tokio::test]
async fn parked_workers_are_replaced_after_a_claim_and_wait_for_their_own_program_only() {
    let lane = lane(V8Snapshot::Block, 2);
    let (first, second) = (query("async () => 1"), query("async () => 2"));
    lane.workers.prepare(&first);
    until_parked(&lane.workers, 2).await;
    let before = lane.workers.statistics();
    assert!(lane.workers.claim(&lane.workers.key(&second)).is_none(), "of another program");
    let claim = lane.workers.claim(&lane.workers.key(&first)).unwrap();
    assert_eq!(lane.workers.statistics().parked, 1);
    drop(claim);
    run(&lane, &first).await.0.unwrap();
    let after = lane.workers.statistics();
    assert_eq!(after.warm_worker_hit, before.warm_worker_hit + 1);
    // Two that ran nothing, and the one that ran.
    until_parked(&lane.workers, 3).await;
    lane.workers.retire(&first);
    assert_eq!(lane.workers.statistics().parked, 0);
}

#[tokio::test]
async fn more_parked_workers_than_allowed_evict_those_of_other_programs_first() {
    let lane = lane(V8Snapshot::Off, 0);
    for number in 0..12 {
        assert_eq!(value(&lane, &format!("async () => {number}")).await, number.to_string());
        assert!(lane.workers.statistics().parked <= 8);
    }
    assert_eq!(lane.workers.statistics().parked, 8);
}

#[tokio::test]
async fn a_dropped_execution_takes_its_worker_with_it() {
    let lane = lane(V8Snapshot::Off, 0);
    let endless = query("async () => { console.log('begun'); for (;;); }");
    let (begun, mut has_begun) = tokio::sync::mpsc::unbounded_channel();
    struct Telling(tokio::sync::mpsc::UnboundedSender<()>);
    impl Host for Telling {
        fn syscall(&mut self, _: &str, argument: &str) -> Result<String, HostError> {
            Ok(argument.to_owned())
        }
        fn environment_variable(&mut self, _: &str) -> Result<Option<String>, HostError> {
            Ok(None)
        }
        fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
            Ok(Vec::new())
        }
        fn log(&mut self, _: LogLevel, _: String) -> Result<(), HostError> {
            self.0.send(()).unwrap();
            Ok(())
        }
        async fn run_batch(&mut self, _: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
            Ok(Vec::new())
        }
    }
    let workers = lane.workers.clone();
    let running = tokio::spawn(async move { workers.run(&endless, &call(), Telling(begun)).await.0 });
    has_begun.recv().await.unwrap();
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    lane.workers.shut_down().await;
    assert_eq!(lane.workers.statistics().alive, 0);
}

#[tokio::test]
async fn a_node_that_does_not_start_is_told_with_what_to_do_and_not_tried_again_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let settings = convex_wasm_v8_workers::Settings {
        node: "/nowhere/node".into(),
        npm: "/nowhere/npm".into(),
        directory: directory.path().to_owned(),
        warm_workers: 1,
        max_parked: 8,
        heap_mb: 64,
        snapshots: V8Snapshot::Off,
    };
    let workers = Workers::new(settings).unwrap();
    let (result, _) = workers.run(&query("async () => 1"), &call(), RecordingHost::default()).await;
    let error = result.unwrap_err().to_string();
    assert!(error.contains("CONVEX_WASM_NODE"), "{error}");
    let error = workers.install(&[("sharp".to_owned(), "1.0.0".to_owned())].into()).await.unwrap_err().to_string();
    assert!(error.contains("/nowhere/npm") && error.contains("node.externalPackages"), "{error}");
}

/// The other half of the test below: a backend with parked and busy workers, which tells their ids and is killed.
#[tokio::test]
async fn backend_to_be_killed() {
    if !is_scenario("backend_to_be_killed") {
        return;
    }
    let lane = lane(V8Snapshot::Off, 2);
    let program = query("async () => { for (;;); }");
    lane.workers.prepare(&program);
    until_parked(&lane.workers, 2).await;
    let workers = lane.workers.clone();
    tokio::spawn(async move { workers.run(&program, &call(), RecordingHost::default()).await.0 });
    until_alive(&lane.workers, 3).await;
    println!("\nworkers {}", children().iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    std::future::pending::<()>().await;
}

async fn until_alive(workers: &Workers, count: usize) {
    while workers.statistics().alive < count {
        tokio::task::yield_now().await;
    }
}

#[test]
fn no_worker_survives_a_backend_that_is_killed() {
    let me = std::env::current_exe().unwrap();
    let arguments = ["backend_to_be_killed", "--exact", "--nocapture"];
    let mut backend = Command::new(me)
        .args(arguments)
        .env("SCENARIO", "backend_to_be_killed")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(backend.stdout.take().unwrap()).lines();
    let told = lines.map(Result::unwrap).find_map(|line| Some(line.strip_prefix("workers ")?.to_owned())).unwrap();
    let ends: Vec<_> = told.split(' ').map(|id| End::of(id.parse().unwrap())).collect();
    assert!(ends.len() >= 3);
    backend.kill().unwrap();
    backend.wait().unwrap();
    ends.into_iter().for_each(End::wait);
}

/// A process's end, waited for through its file descriptor.
struct End(i32);

impl End {
    fn of(process: i32) -> Self {
        // SAFETY: a plain system call.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
        assert!(descriptor >= 0);
        Self(descriptor as i32)
    }

    fn wait(self) {
        let mut wanted = libc::pollfd { fd: self.0, events: libc::POLLIN, revents: 0 };
        // SAFETY: `wanted` is one entry and outlives the call.
        let ended = unsafe { libc::poll(&mut wanted, 1, 20_000) };
        assert_eq!(ended, 1, "a worker is left behind");
    }
}
