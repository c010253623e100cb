//! Concurrent transactions give what they would give one after the other, in the order of their commit timestamps.

use crate::common::*;
use convex_wasm_database::{Begin, Result, Timestamp, Transaction};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Values of the indexed field are from a small set, so that transactions meet.
const VALUES: u8 = 6;

/// A step of a transaction. Documents are named by their position in creation order.
#[derive(Clone, Debug)]
enum Step {
    /// Reads the sum of `n` over documents with `k` in a range, from an end, at most so many; then inserts it.
    InsertSum { low: u8, high: u8, descending: bool, limit: usize, k: u8 },
    /// Adds to one document what another one holds.
    Add { to: usize, from: usize },
    /// Moves a document in the index.
    Move { document: usize, k: u8 },
    /// Deletes a document, if it is there.
    Delete { document: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let k = || 0..VALUES;
    prop_oneof![
        (k(), k(), any::<bool>(), 0usize..4, k()).prop_map(|(low, high, descending, limit, k)| Step::InsertSum {
            low,
            high,
            descending,
            limit,
            k
        }),
        (0usize..6, 0usize..6).prop_map(|(to, from)| Step::Add { to, from }),
        (0usize..6, k()).prop_map(|(document, k)| Step::Move { document, k }),
        (0usize..6).prop_map(|document| Step::Delete { document }),
    ]
}

/// What a transaction saw, to be compared with what it sees when it runs alone.
type Seen = Vec<Json>;

async fn run(transaction: &mut Transaction, steps: &[Step], ids: &[String]) -> Result<Seen> {
    let mut seen = Vec::new();
    for step in steps {
        match step {
            Step::InsertSum { low, high, descending, limit, k } => {
                let range = json!([
                    {"type": "Gte", "fieldPath": "k", "value": low},
                    {"type": "Lte", "fieldPath": "k", "value": high},
                ]);
                let mut query = index_range("t.by_k", range, if *descending { "desc" } else { "asc" });
                query["operators"] = json!([{"limit": limit}]);
                let rows = collect(transaction, query).await?;
                let sum: f64 = rows.iter().map(|row| row["n"].as_f64().unwrap()).sum();
                insert(transaction, "t", json!({"k": k, "n": sum + 1.0})).await?;
                seen.push(json!(field(&rows, "n")));
            }
            Step::Add { to, from } => {
                let (Some(to_row), Some(from_row)) =
                    (get(transaction, &ids[*to]).await?, get(transaction, &ids[*from]).await?)
                else {
                    continue;
                };
                let sum = to_row["n"].as_f64().unwrap() + from_row["n"].as_f64().unwrap();
                seen.push(patch(transaction, &ids[*to], json!({"n": sum})).await?["n"].clone());
            }
            Step::Move { document, k } => {
                if get(transaction, &ids[*document]).await?.is_some() {
                    seen.push(patch(transaction, &ids[*document], json!({"k": k})).await?["n"].clone());
                }
            }
            Step::Delete { document } => {
                if get(transaction, &ids[*document]).await?.is_some() {
                    seen.push(delete(transaction, &ids[*document]).await?["n"].clone());
                }
            }
        }
    }
    Ok(seen)
}

/// What execution number `number` brings along. Its times lie after every commit, so they do not depend on the snapshot,
/// and rows with equal keys have the same order however the transactions are run.
fn begin_number(number: u64) -> Begin {
    let mut id_seed = [0; 32];
    id_seed[..8].copy_from_slice(&number.to_le_bytes());
    let unix_nanos = 4_000_000_000_000_000_000 + number * 1_000_000_000;
    Begin { id_seed, unix_nanos, writer: None, journal: None }
}

async fn prepared() -> (Fixture, Vec<String>) {
    let fixture = Fixture::with_schema(json!({"t": [null, {"by_k": ["k"]}]})).await;
    let mut transaction = fixture.database.begin(begin_number(0));
    let mut ids = Vec::new();
    for number in 0..6u8 {
        ids.push(insert(&mut transaction, "t", json!({"k": number % VALUES, "n": number})).await.unwrap());
    }
    fixture.database.commit(transaction).await.unwrap();
    (fixture, ids)
}

/// Runs rounds of transactions: all of a round begin on one snapshot and are committed at the same time.
async fn check(rounds: Vec<Vec<Vec<Step>>>) {
    let (concurrent, ids) = prepared().await;
    let mut committed: Vec<(Timestamp, Begin, Vec<Step>, Seen)> = Vec::new();
    let mut number = 0;
    for round in rounds {
        let mut running = Vec::new();
        for steps in round {
            number += 1;
            let begin = begin_number(number);
            let mut transaction = concurrent.database.begin(begin.clone());
            let seen = run(&mut transaction, &steps, &ids).await.unwrap();
            running.push((begin, steps, seen, transaction));
        }
        let commits = running.into_iter().map(|(begin, steps, seen, transaction)| {
            let database = concurrent.database.clone();
            tokio::spawn(async move {
                let has_writes = transaction.has_writes();
                (begin, steps, seen, has_writes, database.commit(transaction).await)
            })
        });
        for commit in commits.collect::<Vec<_>>() {
            match commit.await.unwrap() {
                (begin, steps, seen, true, Ok(done)) => committed.push((done.timestamp, begin, steps, seen)),
                (.., false, result) => drop(result.unwrap()),
                (.., true, result) => assert!(is_conflict(&result)),
            }
        }
    }
    committed.sort_by_key(|(timestamp, ..)| *timestamp);
    assert!(committed.windows(2).all(|pair| pair[0].0 < pair[1].0));

    let (serial, ids) = prepared().await;
    for (timestamp, begin, steps, seen) in committed {
        let mut transaction = serial.database.begin(begin);
        assert_eq!(run(&mut transaction, &steps, &ids).await.unwrap(), seen, "{steps:?} at {timestamp}");
        serial.database.commit(transaction).await.unwrap();
    }
    assert_eq!(concurrent.collect(full_scan("t")).await, serial.collect(full_scan("t")).await);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_result_is_that_of_a_serial_order(
        rounds in prop::collection::vec(prop::collection::vec(prop::collection::vec(step(), 1..3), 1..5), 1..5)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(check(rounds));
    }
}
