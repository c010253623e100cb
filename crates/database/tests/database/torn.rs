//! A log that was not written to its end, as after a loss of power, leaves a prefix of the commits.

use std::fs;
use std::path::Path;

use crate::common::*;
use serde_json::json;
use tempfile::TempDir;

const COMMITS: usize = 40;

/// The numbers of the pairs in a database that is opened from a damaged copy.
async fn recovered(from: &Path, damage: impl FnOnce(&mut Vec<u8>)) -> Vec<f64> {
    let directory = TempDir::new().unwrap();
    fs::copy(from.join("test.sqlite3"), directory.path().join("test.sqlite3")).unwrap();
    let mut log = fs::read(from.join("test.sqlite3-wal")).unwrap();
    damage(&mut log);
    fs::write(directory.path().join("test.sqlite3-wal"), log).unwrap();
    let database = open(directory.path()).await;
    let mut transaction = database.begin(begin());
    let rows = collect(&mut transaction, full_scan("pairs")).await.unwrap();
    assert_eq!(transaction.count("pairs").unwrap(), rows.len() as u64);
    let numbers: Vec<f64> = rows.iter().map(|row| row["number"].as_f64().unwrap()).collect();
    assert!(numbers.chunks(2).all(|pair| pair.len() == 2 && pair[0] == pair[1]), "half a commit is there");
    numbers.into_iter().step_by(2).collect()
}

#[tokio::test]
async fn a_torn_log_gives_a_prefix_of_whole_commits() {
    let fixture = Fixture::new().await;
    for number in 0..COMMITS {
        let mut transaction = fixture.begin();
        for _ in 0..2 {
            insert(&mut transaction, "pairs", json!({"number": number, "text": "text ".repeat(200)})).await.unwrap();
        }
        fixture.database.commit(transaction).await.unwrap();
    }
    let from = fixture.directory.path();
    let length = fs::metadata(from.join("test.sqlite3-wal")).unwrap().len() as usize;
    let all: Vec<f64> = (0..COMMITS).map(|number| number as f64).collect();
    assert_eq!(recovered(from, |_| {}).await, all);
    let mut longest = 0;
    for part in 0..40 {
        // Not a multiple of a page.
        let cut = length * part / 40 + part;
        let truncated = recovered(from, |log| log.truncate(cut)).await;
        let garbage = recovered(from, |log| log[cut..].fill(0xA5)).await;
        assert_eq!(truncated, garbage);
        assert!(all.starts_with(&truncated) && truncated.len() >= longest);
        longest = truncated.len();
    }
    assert!(longest > COMMITS / 2);
}
