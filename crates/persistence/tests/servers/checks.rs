//! What every store on a server has to do beside conforming.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_persistence::{Persistence, PersistenceError, RemoteOptions, Result, Timestamp};

use super::{Kind, Server};
use crate::conformance::{Store, document, insert, scan_all, table};

/// Where the process that is to be killed finds its database.
const URL: &str = "CONVEX_WASM_TEST_URL";

pub async fn the_last_one_to_open_a_database_may_write<K: Kind>(server: &Server<K>) {
    let store = server.new_store();
    let first = store.open().await;
    first.write(insert(1, document(1, "first"))).await.unwrap();
    let second = store.open().await;
    let lost = |result: Result<()>| {
        let error = result.unwrap_err();
        assert!(matches!(error, PersistenceError::LostLease { .. }), "{error}");
        assert!(error.to_string().contains("another backend took over"), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    };
    lost(first.write(insert(2, document(2, "never"))).await);
    lost(first.set_global("global", 1.into()).await);
    lost(first.prune_index(table(), 9).await.map(drop));
    lost(first.put_blob("blob".into()).await.map(drop));
    first.taken_over().await;
    second.write(insert(3, document(3, "second"))).await.unwrap();
    assert_eq!(scan_all(&first, table(), 9).await.unwrap().len(), 2);
    assert_eq!(second.get_global("global").await.unwrap(), None);
}

/// The writes of one owner end before the other's begin, however they meet.
pub async fn writes_do_not_cross_a_change_of_owner<K: Kind>(server: &Server<K>) {
    let store = server.new_store();
    for round in 0..10 {
        let first = store.open().await;
        let writes = async {
            let mut acknowledged = 0;
            for number in 1.. {
                match first.write(insert(round * 1_000_000 + number, document(1, "text"))).await {
                    Ok(()) => acknowledged = number,
                    Err(PersistenceError::LostLease { .. }) => break,
                    Err(error) => panic!("{error}"),
                }
            }
            acknowledged
        };
        let take_over = async {
            for _ in 0..round * 20 {
                tokio::task::yield_now().await;
            }
            let second = store.open().await;
            second.max_timestamp().await.unwrap()
        };
        let (acknowledged, seen) = tokio::join!(writes, take_over);
        let newest = first.max_timestamp().await.unwrap();
        assert_eq!(newest, seen, "a write came after the new owner had looked");
        assert!(newest >= Timestamp(if acknowledged == 0 { 0 } else { round * 1_000_000 + acknowledged }));
    }
}

pub async fn the_server_may_be_killed_under_load<K: Kind>(server: &mut Server<K>) {
    let store = server.new_store();
    let persistence = Arc::new(store.open().await);
    let mut written = 0;
    for _ in 0..3 {
        let (report, mut reports) = tokio::sync::mpsc::unbounded_channel();
        let writer = persistence.clone();
        let writes = tokio::spawn(async move {
            for number in written + 1..=written + 300 {
                writer.write(insert(number, document((number % 200) as u8, "text"))).await.unwrap();
                report.send(number).unwrap();
            }
        });
        while reports.recv().await.unwrap() < written + 100 {}
        server.kill();
        server.run();
        writes.await.unwrap();
        written += 300;
    }
    assert_eq!(persistence.max_timestamp().await.unwrap(), Timestamp(written));
    assert_eq!(persistence.revisions(Timestamp::MIN, usize::MAX).await.unwrap().len() as u64, written);
    let reopened = store.open().await;
    assert_eq!(scan_all(&reopened, table(), written).await.unwrap().len(), 200);
}

/// What was sent before writes were settled is not carried out afterwards.
pub async fn settling_ends_writes_that_are_under_way<K: Kind>(server: &Server<K>) {
    let store = server.new_store();
    let persistence = Arc::new(store.open().await);
    for round in 0..20u64 {
        let writes: Vec<_> = (1..=8u64)
            .map(|writer| {
                let persistence = persistence.clone();
                tokio::spawn(async move {
                    let at = round * 100 + writer;
                    persistence.write(insert(at, document(writer as u8, "text"))).await
                })
            })
            .collect();
        for _ in 0..round * 5 {
            tokio::task::yield_now().await;
        }
        persistence.settle().await.unwrap();
        let settled = persistence.revisions(Timestamp::MIN, usize::MAX).await.unwrap().len();
        let mut acknowledged = 0;
        for write in writes {
            match write.await.unwrap() {
                Ok(()) => acknowledged += 1,
                Err(PersistenceError::Failed(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        let after = persistence.revisions(Timestamp::MIN, usize::MAX).await.unwrap().len();
        // Those that had not been sent yet have the new lease.
        assert!(after >= settled && after - settled <= acknowledged);
        persistence.write(insert(round * 100 + 50, document(50, "text"))).await.unwrap();
    }
}

/// A row that does not decode is named, and spoils nothing but itself.
pub async fn a_damaged_row_is_named<K: Kind>(server: &Server<K>) {
    let store = server.new_store();
    let persistence = store.open().await;
    for number in 1..=3 {
        persistence.write(insert(number, document(number as u8, "text"))).await.unwrap();
    }
    let key = |number: u8| vec![vec![number]];
    for damage in ["json_value = '{'", "json_value = NULL", "json_value = '[1]'", "id = 'short'"] {
        K::run(&store.url, &format!("UPDATE documents SET {damage} WHERE ts = 2")).await;
        for error in [
            scan_all(&persistence, table(), 9).await.map(drop).unwrap_err(),
            persistence.get(table(), key(2), Timestamp(9)).await.map(drop).unwrap_err(),
        ] {
            assert!(matches!(error, PersistenceError::Damaged { .. }), "{damage}: {error}");
        }
        assert!(persistence.get(table(), key(3), Timestamp(9)).await.unwrap()[0].is_some());
    }
    let error = persistence.get(table(), key(2), Timestamp(9)).await.unwrap_err();
    assert!(error.to_string().contains("restore it from a backup"), "{error}");
}

pub async fn waits_for_a_server_that_starts<K: Kind>(server: &mut Server<K>) {
    let store = server.new_store();
    drop(store.open().await);
    server.kill();
    let options = store.options();
    let impatient = RemoteOptions { retry: Duration::ZERO, ..options.clone() };
    let error = K::open(impatient).await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::Unreachable { .. }), "{error}");
    let (opened, ()) = tokio::join!(K::open(options), async { server.run() });
    opened.unwrap();
}

/// Kills a process that writes pairs of documents: what it had reported is there, and no half of a pair.
pub async fn the_process_may_be_killed<K: Kind>(server: &Server<K>) {
    let store = server.new_store();
    let mut persistence = store.open().await;
    for _ in 0..3 {
        let before = persistence.max_timestamp().await.unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["writes_until_it_is_killed", "--exact", "--nocapture"])
            .env(URL, &store.url)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(|line| line.ok());
        let mut reports = lines.filter_map(|line| line.strip_prefix("wrote ")?.parse::<u64>().ok());
        let enough = reports.find(|number| *number > before.0 + 50).unwrap();
        child.kill().unwrap();
        let reported = reports.last().unwrap_or(enough);
        child.wait().unwrap();
        persistence = store.open().await;
        let newest = persistence.max_timestamp().await.unwrap();
        assert!(newest >= Timestamp(reported), "{newest} is there, {reported} was reported");
        let revisions = persistence.revisions(Timestamp::MIN, usize::MAX).await.unwrap();
        assert_eq!(revisions.len() as u64, 2 * newest.0);
    }
}

/// The process that is killed.
pub async fn write_until_killed<K: Kind>() {
    let Ok(url) = std::env::var(URL) else { return };
    let persistence = K::open(RemoteOptions::new(url)).await.unwrap();
    for number in persistence.max_timestamp().await.unwrap().0 + 1.. {
        let mut pair = insert(number, document(1, "one"));
        let other = insert(number, document(2, "other"));
        pair.revisions.extend(other.revisions);
        pair.entries.extend(other.entries);
        persistence.write(pair).await.unwrap();
        println!("wrote {number}");
    }
}
