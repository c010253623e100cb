//! Calls a second: a query that does nothing, over connections that are kept alive.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::app;
use crate::http::Connection;
use crate::statistics::Durations;

const CONNECTIONS: usize = 32;
const WARM_UP: Duration = Duration::from_secs(2);
const MEASURED: Duration = Duration::from_secs(8);

/// Measures it.
pub async fn measure() -> anyhow::Result<String> {
    let developer = app::deployed()?;
    let url = developer.backend.url();
    let mut report = format!(
        "\n## Calls\n\nA query that returns null, on {CONNECTIONS} connections that are kept alive, each waiting for its answer.\n\n\
         | arguments | calls a second | latency |\n| --- | ---: | --- |\n"
    );
    let kinds = [("the same: the result is known", false), ("always others: each call is executed", true)];
    for (name, fresh) in kinds {
        run(url, fresh, WARM_UP).await?;
        let mut durations = run(url, fresh, MEASURED).await?;
        let rate = durations.len() as f64 / MEASURED.as_secs_f64();
        report += &format!("| {name} | {rate:.0} | {} |\n", durations.summary());
    }
    Ok(report)
}

/// Calls for a while; how long each took.
async fn run(url: &str, fresh: bool, time: Duration) -> anyhow::Result<Durations> {
    let end = Instant::now() + time;
    let mut clients = JoinSet::new();
    for client in 0..CONNECTIONS {
        let mut connection = Connection::open(url).await?;
        clients.spawn(async move {
            let request = |connection: &Connection, number: usize| {
                let args = if fresh { format!(r#"{{"n":"{client} {number}"}}"#) } else { "{}".to_owned() };
                connection.request("/api/query", &format!(r#"{{"path":"empty:call","args":{args}}}"#))
            };
            let mut durations = Durations::default();
            while Instant::now() < end {
                let request = request(&connection, durations.len());
                let started = Instant::now();
                connection.send(&request).await?;
                durations.add(started.elapsed());
            }
            anyhow::Ok(durations)
        });
    }
    let mut all = Durations::default();
    while let Some(client) = clients.join_next().await {
        all.extend(client??);
    }
    Ok(all)
}
