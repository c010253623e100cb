//! Many sessions with live queries, while mutations change what they watch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::app;
use crate::http::Connection;
use crate::statistics::Durations;
use crate::websocket::WebSocket;

const SESSIONS: usize = 2_000;
/// Live queries of a session.
const QUERIES: usize = 3;
/// Counters that are watched, each by `SESSIONS * QUERIES / COUNTERS` sessions.
const COUNTERS: usize = 200;
const MUTATIONS_A_SECOND: u32 = 50;
const MUTATIONS: u32 = 20 * MUTATIONS_A_SECOND;
/// Sessions that connect at once.
const CONNECTING: usize = 50;

/// What a mutation did, and who has seen it.
#[derive(Default)]
struct Change {
    acknowledged: Option<Instant>,
    seen: usize,
    last: Option<Instant>,
}

/// Changes by counter and value.
#[derive(Default)]
struct Changes(Mutex<HashMap<(usize, u64), Change>>);

impl Changes {
    fn note(&self, counter: usize, value: u64, note: impl FnOnce(&mut Change)) {
        let mut changes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        note(changes.entry((counter, value)).or_default());
    }

    /// Whether everybody has seen everything.
    fn are_seen(&self, subscribers: usize) -> bool {
        let changes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        changes.len() == MUTATIONS as usize && changes.values().all(|change| change.seen == subscribers)
    }
}

/// Measures it.
pub async fn measure() -> anyhow::Result<String> {
    let developer = app::deployed()?;
    let backend = &developer.backend;
    let mut writer = Connection::open(backend.url()).await?;
    for counter in 0..COUNTERS {
        let body = json!({ "path": "counters:reset", "args": { "name": name(counter) } }).to_string();
        writer.send(&writer.request("/api/mutation", &body)).await?;
    }
    let before = app::memory(backend)?;
    let changes = Arc::new(Changes::default());
    let mut sessions = JoinSet::new();
    let (ready, turns) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(CONNECTING)));
    for session in 0..SESSIONS {
        let (url, changes, ready, turns) = (backend.url().to_owned(), changes.clone(), ready.clone(), turns.clone());
        sessions.spawn(async move { watch(&url, session, &changes, &ready, &turns).await });
    }
    tokio::select! {
        permits = ready.acquire_many(SESSIONS as u32) => permits?.forget(),
        ended = sessions.join_next() => ended.context("there are no sessions")???,
    }
    let idle = (app::memory(backend)?.saturating_sub(before)) / SESSIONS as u64;

    let mut connections = Vec::new();
    for _ in 0..MUTATIONS_A_SECOND {
        connections.push(Connection::open(backend.url()).await?);
    }
    let started = Instant::now();
    let mut mutations: JoinSet<anyhow::Result<()>> = JoinSet::new();
    for (first, mut connection) in connections.into_iter().enumerate() {
        let changes = changes.clone();
        mutations.spawn(async move {
            for number in (first as u32..MUTATIONS).step_by(MUTATIONS_A_SECOND as usize) {
                tokio::time::sleep_until((started + Duration::from_secs(1) / MUTATIONS_A_SECOND * number).into()).await;
                let counter = number as usize % COUNTERS;
                let body = json!({ "path": "counters:increment", "args": { "name": name(counter) } }).to_string();
                let answer = connection.send(&connection.request("/api/mutation", &body)).await?;
                let now = Instant::now();
                let answer: Value = serde_json::from_slice(&answer)?;
                let value = answer["value"].as_f64().with_context(|| answer.to_string())? as u64;
                changes.note(counter, value, |change| change.acknowledged = Some(now));
            }
            Ok(())
        });
    }
    while let Some(mutation) = mutations.join_next().await {
        mutation??;
    }
    let subscribers = SESSIONS * QUERIES / COUNTERS;
    let settled = Instant::now();
    while !changes.are_seen(subscribers) {
        ensure!(settled.elapsed() < Duration::from_secs(60), "after a minute not everybody has seen everything");
        if let Some(ended) = sessions.try_join_next() {
            ended??;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut latencies = Durations::default();
    for change in changes.0.lock().unwrap_or_else(PoisonError::into_inner).values() {
        let (acknowledged, last) = change.acknowledged.zip(change.last).context("a change is not known")?;
        latencies.add(last.saturating_duration_since(acknowledged));
    }
    Ok(format!(
        "\n## Sessions\n\n{SESSIONS} WebSocket sessions, each with {QUERIES} live queries; {MUTATIONS_A_SECOND} mutations a \
         second, each changing what {subscribers} of them watch.\n\n\
         - Every session followed all of {MUTATIONS} changes, and all ended with the same values.\n\
         - From the answer to a mutation to the transition at the last subscriber: {}.\n\
         - Memory of an idle session: {:.1} KiB.\n",
        latencies.summary(),
        idle as f64 / 1024.0
    ))
}

fn name(counter: usize) -> String {
    format!("counter {counter}")
}

/// A session: says when it knows all its queries, then notes every change that it sees.
async fn watch(
    url: &str,
    session: usize,
    changes: &Changes,
    ready: &Semaphore,
    turns: &Semaphore,
) -> anyhow::Result<()> {
    let counters: Vec<usize> = (0..QUERIES).map(|query| (session + query * COUNTERS / QUERIES) % COUNTERS).collect();
    let turn = turns.acquire().await?;
    let mut socket = WebSocket::open(url, "/api/1.49.0/sync").await?;
    let id = format!("00000000-0000-4000-8000-{session:012}");
    let connect =
        json!({ "type": "Connect", "sessionId": id, "connectionCount": 0, "lastCloseReason": "InitialConnect" });
    socket.say(&connect.to_string()).await?;
    let queries: Vec<Value> = counters
        .iter()
        .enumerate()
        .map(|(id, counter)| {
            json!({ "type": "Add", "queryId": id, "udfPath": "counters:value", "args": [{ "name": name(*counter) }] })
        })
        .collect();
    let modify = json!({ "type": "ModifyQuerySet", "baseVersion": 0, "newVersion": 1, "modifications": queries });
    socket.say(&modify.to_string()).await?;
    let mut values = [None; QUERIES];
    let mut turn = Some(turn);
    loop {
        let message: Value = serde_json::from_str(&socket.next().await?)?;
        let now = Instant::now();
        for change in message["modifications"].as_array().into_iter().flatten() {
            let (query, value) =
                change["queryId"].as_u64().zip(change["value"].as_f64()).with_context(|| change.to_string())?;
            let (query, value) = (query as usize, value as u64);
            // One transition may take over several changes; it shows all of them.
            for seen in values[query].map_or(value, |old: u64| old) + 1..=value {
                changes.note(counters[query], seen, |change| {
                    change.seen += 1;
                    change.last = Some(now);
                });
            }
            values[query] = Some(value);
        }
        if turn.is_some() && values.iter().all(Option::is_some) {
            turn = None;
            ready.add_permits(1);
        }
    }
}
