//! A process that is killed in the middle of a write load loses nothing that it acknowledged.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::*;
use serde_json::json;
use tempfile::TempDir;

/// Set in the process that is to be killed: the directory of its database.
const DIRECTORY: &str = "CRASH_TEST_DIRECTORY";
/// Tasks that write at the same time.
const WRITERS: usize = 8;
/// Acknowledgements after which the process is killed, each time.
const KILLED_AFTER: [usize; 3] = [1, 40, 200];

/// Not a test of its own: what the killed process does. Writes pairs of documents forever, and prints the number of each
/// pair that was acknowledged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "the variable is no knob; it tells the child process that it is one")]
async fn write_until_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let database = open(Path::new(&directory)).await;
    let rows = collect(&mut database.begin(begin()), full_scan("pairs")).await.unwrap();
    let start = rows.iter().map(|row| row["number"].as_f64().unwrap() as u64 + 1).max().unwrap_or(0);
    let writers = (0..WRITERS).map(|writer| {
        let database = database.clone();
        tokio::spawn(async move {
            for number in 0u64.. {
                let number = start + (number * WRITERS as u64) + writer as u64;
                let mut begin = begin();
                begin.id_seed[8..16].copy_from_slice(&(start + 1).to_le_bytes());
                let mut transaction = database.begin(begin);
                for half in 0..2 {
                    insert(&mut transaction, "pairs", json!({"number": number, "half": half})).await.unwrap();
                }
                match database.commit(transaction).await {
                    Ok(_) => writeln!(std::io::stdout(), "acknowledged {number}").unwrap(),
                    Err(error) => assert!(error.is_retriable(), "{error}"),
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

#[tokio::test]
async fn acknowledged_writes_survive_a_kill() {
    let directory = TempDir::new().unwrap();
    let mut acknowledged = BTreeSet::new();
    for count in KILLED_AFTER {
        let before = acknowledged.len();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::write_until_killed", "--nocapture"])
            .env(DIRECTORY, directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            // The test harness prints the test's name without a line break before the first line.
            let line = line.unwrap();
            if let Some((_, number)) = line.rsplit_once("acknowledged ") {
                acknowledged.insert(number.parse::<u64>().unwrap());
            }
            if acknowledged.len() == before + count {
                // SIGKILL on Unix.
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        assert!(acknowledged.len() >= before + count);

        let database = open(directory.path()).await;
        let rows = collect(&mut database.begin(begin()), full_scan("pairs")).await.unwrap();
        let half = |half: f64| -> BTreeSet<u64> {
            let rows = rows.iter().filter(|row| row["half"] == half);
            rows.map(|row| row["number"].as_f64().unwrap() as u64).collect()
        };
        assert!(half(0.0).is_superset(&acknowledged));
        // A transaction is there as a whole or not at all.
        assert_eq!(half(0.0), half(1.0));
        assert_eq!(rows.len(), 2 * half(0.0).len());
        database.shut_down().await;
    }
}
