//! Deploys while an app is used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use crate::app;
use crate::http::Connection;
use crate::statistics::{Durations, milliseconds};

const REQUESTS_A_SECOND: u32 = 200;
const CONNECTIONS: u32 = 40;
const DEPLOYS: usize = 10;
const BEFORE: Duration = Duration::from_secs(10);

/// Requests at a constant rate until they are stopped.
struct Load {
    stop: Arc<AtomicBool>,
    clients: JoinSet<anyhow::Result<Durations>>,
}

/// Measures it.
pub async fn measure() -> anyhow::Result<String> {
    let developer = app::deployed()?;
    let url = developer.backend.url().to_owned();
    let load = Load::start(&url).await?;
    tokio::time::sleep(BEFORE).await;
    let mut before = load.stop().await?;
    let mut during = Durations::default();
    let mut memory = Vec::new();
    let mut times = Durations::default();
    let developer = Arc::new(developer);
    for version in 1..=DEPLOYS {
        app::edit(&developer, version)?;
        let load = Load::start(&url).await?;
        let deployer = developer.clone();
        let started = Instant::now();
        tokio::task::spawn_blocking(move || deployer.backend.deploy(&deployer.app())).await??;
        times.add(started.elapsed());
        during.extend(load.stop().await?);
        memory.push(app::memory(&developer.backend)?);
    }
    let [calm, busy] = [&mut before, &mut during].map(|durations| milliseconds(durations.quantile(0.99)));
    let (second, last) = (memory[1], memory[DEPLOYS - 1]);
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    Ok(format!(
        "\n## Deploys\n\n{REQUESTS_A_SECOND} requests a second, four queries for each mutation, while the app is edited and \
         deployed {DEPLOYS} times in a row.\n\n\
         - Requests that failed: none of {}.\n\
         - Latency before: {}.\n\
         - Latency during the deploys: {}; p99 is {:.2} times that before.\n\
         - Memory of the server after the second deploy {:.1} MiB, after the last {:.1} MiB: {:+.1} %.\n\
         - A deploy took {}, bundling included.\n",
        before.len() + during.len(),
        before.summary(),
        during.summary(),
        busy / calm,
        mebibytes(second),
        mebibytes(last),
        (last as f64 / second as f64 - 1.0) * 100.0,
        times.summary(),
    ))
}

impl Load {
    async fn start(url: &str) -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        let started = Instant::now();
        for first in 0..CONNECTIONS {
            let (mut connection, stop) = (Connection::open(url).await?, stop.clone());
            clients.spawn(async move {
                let mut durations = Durations::default();
                for number in (first..).step_by(CONNECTIONS as usize) {
                    // Latency counts from when the request was due, so that waiting for the one before is not hidden.
                    let due = started + Duration::from_secs(1) / REQUESTS_A_SECOND * number;
                    tokio::time::sleep_until(due.into()).await;
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    connection.send(&request(&connection, number)).await?;
                    durations.add(due.elapsed());
                }
                Ok(durations)
            });
        }
        Ok(Self { stop, clients })
    }

    /// The latencies; an error if any request failed.
    async fn stop(mut self) -> anyhow::Result<Durations> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Durations::default();
        while let Some(client) = self.clients.join_next().await {
            all.extend(client??);
        }
        Ok(all)
    }
}

fn request(connection: &Connection, number: u32) -> Vec<u8> {
    let name = format!("counter {}", number % 97);
    let (path, function) = if number.is_multiple_of(5) {
        ("/api/mutation", "counters:increment")
    } else {
        ("/api/query", "counters:value")
    };
    connection.request(path, &json!({ "path": function, "args": { "name": name } }).to_string())
}
