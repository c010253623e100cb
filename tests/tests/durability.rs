//! An acknowledged mutation is there after the server was killed in the middle of its work.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use convex_wasm_tests::{backend::Backend, places};
use serde_json::{Value, json};

const WRITERS: usize = 8;
const KILL_AFTER: usize = 300;

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_a_kill() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let database = directory.path().join("chat.sqlite3");
    let backend = Arc::new(Backend::start(&database)?);
    backend.deploy(&places::chat())?;
    let ann = backend.call("mutation", "users:register", json!({ "name": "Ann", "email": "ann@example.com" })).await?;
    backend.call("mutation", "channels:create", json!({ "name": "c", "createdBy": ann })).await?;

    let acknowledged = Arc::new(Mutex::new(Vec::<Value>::new()));
    let stop = Arc::new(AtomicBool::new(false));
    let enough = Arc::new(tokio::sync::Notify::new());
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (backend, acknowledged, stop, enough) =
                (backend.clone(), acknowledged.clone(), stop.clone(), enough.clone());
            tokio::spawn(async move {
                let name = format!("Writer {writer}");
                for i in 0.. {
                    let email = format!("w{writer}.{i}@example.com");
                    let answer =
                        backend.call("mutation", "users:register", json!({ "name": name, "email": email })).await;
                    match answer {
                        Ok(id) => {
                            let mut ids = acknowledged.lock().expect("no writer panicked");
                            ids.push(id);
                            if ids.len() == KILL_AFTER {
                                enough.notify_one();
                            }
                        }
                        Err(_) if stop.load(Ordering::SeqCst) => return,
                        Err(error) => panic!("{error}"),
                    }
                }
            })
        })
        .collect();
    enough.notified().await;
    stop.store(true, Ordering::SeqCst);
    backend.kill()?;
    for writer in writers {
        writer.await?;
    }
    drop(backend);

    let backend = Backend::start(&database)?;
    let ids = acknowledged.lock().expect("no writer panicked").clone();
    assert!(ids.len() >= KILL_AFTER);
    for id in ids {
        let user = backend.call("query", "users:get", json!({ "id": id })).await?;
        assert_eq!(user["_id"], id);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_concurrent_increments_count_to_a_thousand() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Arc::new(Backend::start(&directory.path().join("chat.sqlite3"))?);
    backend.deploy(&places::chat())?;
    let increments: Vec<_> = (0..1_000)
        .map(|_| {
            let backend = backend.clone();
            tokio::spawn(async move {
                // A conflict that outlasts the server's retries, or a full queue, is the client's to repeat.
                loop {
                    let answer = backend.answer("mutation", "counters:increment", json!({ "name": "n" })).await?;
                    match answer["code"].as_str() {
                        Some("OptimisticConcurrencyControlFailure" | "TooManyConcurrentRequests") => continue,
                        _ => break anyhow::Ok(answer["value"].clone()),
                    }
                }
            })
        })
        .collect();
    let mut seen = Vec::new();
    for increment in increments {
        seen.push(increment.await??.as_f64().expect("a number"));
    }
    seen.sort_by(f64::total_cmp);
    assert_eq!(seen, (1..=1_000).map(f64::from).collect::<Vec<_>>());
    assert_eq!(backend.call("query", "counters:value", json!({ "name": "n" })).await?, json!(1_000.0));
    Ok(())
}
