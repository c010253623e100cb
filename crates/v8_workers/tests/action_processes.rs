//! Actions as processes: each has a worker of its own, which ends with it, however it ends.
//!
//! Tests that look at the children of the whole process take turns.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_execution::{LogLevel, OperationResult, RunError};
use convex_wasm_v8_workers::{ActionHost, Claim, Program, Streams, V8Snapshot};
use support::*;
use tokio::sync::Mutex;

static TURN: Mutex<()> = Mutex::const_new(());

/// Processes whose parent is this one.
fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let lists = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>()).collect()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn kill_all() {
    for worker in children() {
        // SAFETY: a plain system call.
        assert_eq!(unsafe { libc::kill(worker as i32, libc::SIGKILL) }, 0);
    }
}

/// Answers everything; kills all workers when it is asked `die` or told `die`.
struct World;

impl ActionHost for World {
    async fn operation(self: Arc<Self>, _: Streams, name: String, argument: String) -> OperationResult {
        if name == "die" {
            kill_all();
        }
        Ok(argument)
    }

    fn log(&self, _: LogLevel, message: String) {
        if message.contains("die") {
            kill_all();
        }
    }
}

fn action(handler: &str) -> Arc<Program> {
    program(&format!("export const f = {{ invokeAction: {handler} }};"))
}

async fn act(lane: &Lane, program: &Arc<Program>) -> Result<String, RunError> {
    act_with(lane, program, None).await
}

async fn act_with(lane: &Lane, program: &Arc<Program>, claim: Option<Claim>) -> Result<String, RunError> {
    let environment = BTreeMap::new();
    let call = action_call(&environment);
    lane.workers.act(program, claim, &call, Arc::new(World)).await
}

#[tokio::test]
async fn many_actions_leave_no_process_and_no_descriptor() {
    let _turn = TURN.lock().await;
    let lane = lane(V8Snapshot::Block, 2);
    let program = action("async () => '1'");
    lane.workers.prepare(&program);
    lane.workers.settled().await;
    let (before, first) = (descriptors(), children());
    for _ in 0..50 {
        assert_eq!(act(&lane, &program).await.unwrap(), "1");
    }
    lane.workers.settled().await;
    let last = children();
    assert_eq!((descriptors(), last.len()), (before, 2));
    assert!(first.iter().all(|worker| !last.contains(worker)), "no worker serves two actions");
    lane.workers.shut_down().await;
    assert_eq!(children(), Vec::<u32>::new());
}

#[tokio::test]
async fn a_worker_that_is_killed_ends_its_action_alone() {
    let _turn = TURN.lock().await;
    let lane = lane(V8Snapshot::Off, 0);
    // While it waits for an operation, while it computes, and while its event loop turns.
    for handler in [
        "() => Convex.asyncSyscall('die', '')",
        "async () => { console.log('die'); for (;;); }",
        "async () => { setInterval(() => console.log('die'), 1); await new Promise(() => {}); }",
    ] {
        let ended = act(&lane, &action(handler)).await;
        assert!(matches!(ended, Err(RunError::Internal(_))), "{handler}: {ended:?}");
        assert_eq!(act(&lane, &action("async () => '1'")).await.unwrap(), "1");
    }
    lane.workers.settled().await;
    assert_eq!(children(), Vec::<u32>::new());
}

#[tokio::test]
async fn a_worker_that_is_killed_while_it_is_parked_is_only_a_new_start() {
    let _turn = TURN.lock().await;
    let lane = lane(V8Snapshot::Block, 2);
    let program = action("async () => '1'");
    lane.workers.prepare(&program);
    lane.workers.settled().await;
    kill_all();
    assert_eq!(act(&lane, &program).await.unwrap(), "1");
    lane.workers.settled().await;
    // And between its claim and its assignment.
    let claim = lane.workers.claim(&lane.workers.key(&program)).unwrap();
    kill_all();
    assert_eq!(act_with(&lane, &program, Some(claim)).await.unwrap(), "1");
}

#[tokio::test]
async fn an_action_finds_a_worker_whenever_the_pool_is_filled() {
    let _turn = TURN.lock().await;
    let lane = lane(V8Snapshot::Block, 1);
    let program = action("async () => '1'");
    lane.workers.prepare(&program);
    for hits in 1..4 {
        lane.workers.refilled().await;
        act(&lane, &program).await.unwrap();
        let statistics = lane.workers.statistics();
        assert_eq!((statistics.warm_worker_hit, statistics.warm_worker_miss), (hits, 0));
    }
}
