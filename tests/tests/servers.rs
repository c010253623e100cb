//! The real program on real database servers: both are killed under load, and nothing that was acknowledged is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../crates/persistence/tests/conformance/mod.rs"]
mod conformance;
#[path = "../../crates/persistence/tests/servers/mod.rs"]
mod servers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use convex_wasm_tests::{backend::Backend, places};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use servers::mariadb::Mariadb;
use servers::postgres::Postgres;
use servers::{Kind, Server};

const WRITERS: usize = 8;
/// Mutations that are acknowledged before something is killed.
const KILL_AFTER: usize = 150;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_on_postgresql() -> anyhow::Result<()> {
    survives_kills::<Postgres>().await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_on_mariadb() -> anyhow::Result<()> {
    survives_kills::<Mariadb>().await
}

async fn survives_kills<K: Kind>() -> anyhow::Result<()> {
    let Some(mut server) = Server::<K>::start() else { return Ok(()) };
    let store = server.new_store();
    K::run(&store.admin, &format!("CREATE DATABASE {}", store.database)).await;
    let folder = tempfile::tempdir()?;
    let backend = Arc::new(Backend::start_in(folder.path(), &store.url)?);
    backend.deploy(&places::chat())?;
    let mut acknowledged = Vec::new();

    // The database server dies: mutations wait for it, and none fails.
    let load = Load::start(&backend, "server");
    let (mut reports, stop) = load.take(KILL_AFTER, &mut acknowledged).await;
    server.kill();
    server.run();
    for _ in 0..KILL_AFTER {
        acknowledged.push(reports.recv().await.unwrap());
    }
    assert_eq!(stop.finish(&mut reports, &mut acknowledged).await, 0, "mutations failed");

    // The program dies.
    let load = Load::start(&backend, "program");
    let (mut reports, stop) = load.take(KILL_AFTER, &mut acknowledged).await;
    stop.expect_failures();
    backend.kill()?;
    stop.finish(&mut reports, &mut acknowledged).await;
    backend.restart()?;
    all_are_there(&backend, &acknowledged).await?;

    // Another one takes the database over: this one stops by itself, and loses nothing.
    let load = Load::start(&backend, "owner");
    let (mut reports, stop) = load.take(KILL_AFTER, &mut acknowledged).await;
    stop.expect_failures();
    let other = Backend::start_in(folder.path(), &store.url)?;
    backend.wait()?;
    stop.finish(&mut reports, &mut acknowledged).await;
    all_are_there(&other, &acknowledged).await
}

async fn all_are_there(backend: &Backend, acknowledged: &[Value]) -> anyhow::Result<()> {
    for id in acknowledged {
        let user = backend.call("query", "users:get", json!({ "id": id })).await?;
        assert_eq!(user["_id"], *id);
    }
    Ok(())
}

/// Clients that register users, one after the other each.
struct Load {
    reports: UnboundedReceiver<Value>,
    stop: Stop,
}

struct Stop {
    failures_are_expected: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    writers: Vec<tokio::task::JoinHandle<usize>>,
}

impl Load {
    fn start(backend: &Arc<Backend>, name: &str) -> Self {
        let (report, reports) = unbounded_channel();
        let (failures_are_expected, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let writers = (0..WRITERS)
            .map(|writer| {
                let (backend, report, name) = (backend.clone(), report.clone(), format!("{name}{writer}"));
                let (failures, done) = (failures_are_expected.clone(), done.clone());
                tokio::spawn(async move { register_users(&backend, &name, &report, &failures, &done).await })
            })
            .collect();
        Self { reports, stop: Stop { failures_are_expected, done, writers } }
    }

    /// Waits for so many acknowledged mutations.
    async fn take(mut self, count: usize, acknowledged: &mut Vec<Value>) -> (UnboundedReceiver<Value>, Stop) {
        for _ in 0..count {
            acknowledged.push(self.reports.recv().await.unwrap());
        }
        (self.reports, self.stop)
    }
}

impl Stop {
    fn expect_failures(&self) {
        self.failures_are_expected.store(true, Ordering::SeqCst);
    }

    /// Ends the load, and takes in what was acknowledged until then; how many mutations failed.
    async fn finish(self, reports: &mut UnboundedReceiver<Value>, acknowledged: &mut Vec<Value>) -> usize {
        self.done.store(true, Ordering::SeqCst);
        let mut failures = 0;
        for writer in self.writers {
            failures += writer.await.unwrap();
        }
        while let Ok(id) = reports.try_recv() {
            acknowledged.push(id);
        }
        failures
    }
}

/// Registers users until told to stop, or until a mutation fails when that is expected; how many failed.
async fn register_users(
    backend: &Backend,
    name: &str,
    report: &UnboundedSender<Value>,
    failures_are_expected: &AtomicBool,
    done: &AtomicBool,
) -> usize {
    let mut failures = 0;
    for number in 0.. {
        if done.load(Ordering::SeqCst) {
            break;
        }
        let user = json!({ "name": name, "email": format!("{name}.{number}@example.com") });
        match backend.call("mutation", "users:register", user).await {
            Ok(id) => report.send(id).unwrap(),
            Err(_) if failures_are_expected.load(Ordering::SeqCst) => break,
            Err(_) => failures += 1,
        }
    }
    failures
}
