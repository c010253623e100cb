//! Scheduled functions and files survive a server that is killed in the middle of its work.

use convex_wasm_tests::{backend::Backend, places};
use serde_json::json;

const JOBS: usize = 300;

#[tokio::test(flavor = "multi_thread")]
async fn scheduled_mutations_happen_once_each_across_kills() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    let count = async || backend.call("query", "counters:value", json!({ "name": "later" })).await;
    backend.call("mutation", "counters:addLater", json!({ "name": "later", "times": JOBS })).await?;
    for part in 1..4 {
        while count().await?.as_f64() < Some((JOBS * part / 4) as f64) {}
        backend.restart()?;
    }
    while count().await?.as_f64() < Some(JOBS as f64) {}
    // Nothing is left to run a second time.
    backend.restart()?;
    backend.call("mutation", "counters:addLater", json!({ "name": "after", "times": 1 })).await?;
    while backend.call("query", "counters:value", json!({ "name": "after" })).await? != json!(1.0) {}
    assert_eq!(count().await?, json!(JOBS as f64));
    Ok(())
}

#[tokio::test]
async fn uploaded_files_survive_a_kill() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let backend = Backend::start(&directory.path().join("chat.sqlite3"))?;
    backend.deploy(&places::chat())?;
    let url = backend.call("mutation", "files:uploadUrl", json!({})).await?;
    let client = reqwest::Client::new();
    let uploaded = client.post(url.as_str().unwrap_or_default()).body("content").send().await?;
    let answer: serde_json::Value = uploaded.json().await?;
    backend.call("mutation", "files:share", json!({ "file": answer["storageId"], "name": "a" })).await?;
    backend.restart()?;
    let files = backend.call("query", "files:list", json!({})).await?;
    let content = reqwest::get(files[0]["url"].as_str().unwrap_or_default()).await?.text().await?;
    assert_eq!(content, "content");
    Ok(())
}
