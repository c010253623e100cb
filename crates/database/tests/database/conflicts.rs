//! Conflicts, and what is read without one.

use std::sync::Arc;

use crate::common::*;
use convex_wasm_database::{Database, Error, Result, Transaction};
use serde_json::{Value as Json, json};

async fn numbers() -> Fixture {
    let fixture = Fixture::with_schema(json!({"t": [null, {"by_n": ["n"]}]})).await;
    for n in [10, 20, 30, 40] {
        fixture.insert("t", json!({"n": n})).await;
    }
    fixture
}

fn range(bounds: &[(&str, i32)], order: &str, limit: Option<usize>) -> Json {
    let range: Vec<Json> =
        bounds.iter().map(|(kind, value)| json!({"type": kind, "fieldPath": "n", "value": value})).collect();
    let mut query = index_range("t.by_n", json!(range), order);
    if let Some(limit) = limit {
        query["operators"] = json!([{"limit": limit}]);
    }
    query
}

/// Runs `read` in a transaction that also writes, and `write` in one that commits first; whether the former conflicts.
async fn conflicts(
    fixture: &Fixture,
    read: impl AsyncFnOnce(&mut Transaction) -> Result<()>,
    write: impl AsyncFnOnce(&mut Transaction) -> Result<()>,
) -> bool {
    let mut reader = fixture.begin();
    read(&mut reader).await.unwrap();
    insert(&mut reader, "log", json!({})).await.unwrap();
    let mut writer = fixture.begin();
    write(&mut writer).await.unwrap();
    fixture.database.commit(writer).await.unwrap();
    let result = fixture.database.commit(reader).await;
    if let Err(error) = &result {
        assert!(matches!(error, Error::Conflict(_)), "{error}");
    }
    result.is_err()
}

#[tokio::test]
async fn a_scan_conflicts_with_what_lands_in_it() {
    for (bounds, order, limit, inserted, expected) in [
        (&[("Gt", 10), ("Lt", 30)][..], "asc", None, 25, true),
        (&[("Gt", 10), ("Lt", 30)], "asc", None, 10, false),
        (&[("Gt", 10), ("Lt", 30)], "asc", None, 30, false),
        (&[("Eq", 99)], "asc", None, 99, true),
        (&[("Eq", 99)], "asc", None, 98, false),
        // Only what was looked at counts.
        (&[], "asc", Some(2), 15, true),
        (&[], "asc", Some(2), 25, false),
        (&[], "desc", Some(2), 35, true),
        (&[], "desc", Some(2), 25, false),
        (&[], "asc", Some(0), 5, false),
        (&[], "asc", Some(9), 99, true),
        (&[], "desc", None, 5, true),
    ] {
        let fixture = numbers().await;
        fixture.insert("log", json!({})).await;
        let query = range(bounds, order, limit);
        let found = conflicts(
            &fixture,
            async |reader| collect(reader, query.clone()).await.map(|_| ()),
            async |writer| insert(writer, "t", json!({"n": inserted})).await.map(|_| ()),
        )
        .await;
        assert_eq!(found, expected, "{bounds:?} {order} {limit:?} + {inserted}");
    }
}

#[tokio::test]
async fn an_open_query_counts_as_far_as_it_was_read() {
    for (inserted, expected) in [(5, true), (15, false)] {
        let fixture = numbers().await;
        fixture.insert("log", json!({})).await;
        let found = conflicts(
            &fixture,
            async |reader| {
                let query = reader.query_stream(&range(&[], "asc", None))?;
                reader.query_next(query).await.map(|_| ())
            },
            async |writer| insert(writer, "t", json!({"n": inserted})).await.map(|_| ()),
        )
        .await;
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn changes_conflict_at_the_old_and_the_new_place() {
    let fixture = numbers().await;
    fixture.insert("log", json!({})).await;
    let rows = fixture.collect(range(&[], "asc", None)).await;
    let id = |position: usize| rows[position]["_id"].as_str().unwrap().to_owned();
    let low = async |reader: &mut Transaction| collect(reader, range(&[("Lt", 25)], "asc", None)).await.map(|_| ());
    let change =
        |id: String, value: Json| async move |writer: &mut Transaction| patch(writer, &id, value).await.map(|_| ());
    assert!(conflicts(&fixture, low, change(id(0), json!({"n": 50}))).await);
    assert!(conflicts(&fixture, low, change(id(0), json!({"n": 5}))).await);
    assert!(conflicts(&fixture, low, change(id(1), json!({"other": 1}))).await);
    assert!(!conflicts(&fixture, low, change(id(3), json!({"n": 45}))).await);
    let first = id(0);
    let read_first = async |reader: &mut Transaction| get(reader, &first).await.map(|_| ());
    assert!(conflicts(&fixture, read_first, change(id(0), json!({"x": 1}))).await);
    assert!(!conflicts(&fixture, read_first, change(id(1), json!({"x": 1}))).await);
    let second = id(1);
    assert!(conflicts(&fixture, low, async |writer| delete(writer, &second).await.map(|_| ())).await);
}

#[tokio::test]
async fn blind_inserts_do_not_conflict() {
    let fixture = numbers().await;
    fixture.insert("log", json!({})).await;
    let nothing = async |_: &mut Transaction| Ok(());
    assert!(!conflicts(&fixture, nothing, async |writer| insert(writer, "log", json!({})).await.map(|_| ())).await);
    // But two that create the same table do, and so does one that saw that a table was missing.
    let create = async |writer: &mut Transaction| insert(writer, "new", json!({})).await.map(|_| ());
    assert!(conflicts(&fixture, create, create).await);
    let create = async |writer: &mut Transaction| insert(writer, "newer", json!({})).await.map(|_| ());
    let scan = async |reader: &mut Transaction| collect(reader, full_scan("newer")).await.map(|_| ());
    assert!(conflicts(&fixture, scan, create).await);
}

#[tokio::test]
async fn reads_of_undone_functions_still_count() {
    let fixture = numbers().await;
    fixture.insert("log", json!({})).await;
    let read = async |reader: &mut Transaction| {
        reader.begin_nested();
        collect(reader, range(&[], "asc", None)).await?;
        reader.rollback_nested();
        Ok(())
    };
    assert!(conflicts(&fixture, read, async |writer| insert(writer, "t", json!({"n": 1})).await.map(|_| ())).await);
}

#[tokio::test]
async fn a_conflict_names_table_and_writer() {
    let fixture = numbers().await;
    let mut first = fixture.begin();
    let mut second = fixture.begin();
    for transaction in [&mut first, &mut second] {
        collect(transaction, full_scan("t")).await.unwrap();
        insert(transaction, "t", json!({"n": 1})).await.unwrap();
    }
    let committed = fixture.database.commit(first).await.unwrap();
    let error = fixture.database.commit(second).await.unwrap_err();
    let Error::Conflict(conflict) = &error else { panic!("{error}") };
    assert_eq!(conflict.table.as_deref(), Some("t"));
    assert_eq!(conflict.writer.as_deref(), Some("test:function"));
    assert_eq!(conflict.timestamp, committed.timestamp);
    assert_eq!(error.code(), "OptimisticConcurrencyControlFailure");
    assert!(error.is_retriable() && !error.is_developer());
    assert!(error.to_string().contains("https://docs.convex.dev/error#1"));
}

#[tokio::test]
async fn queries_never_conflict() {
    let fixture = numbers().await;
    let mut transaction = fixture.begin();
    let timestamp = transaction.timestamp();
    collect(&mut transaction, full_scan("t")).await.unwrap();
    fixture.insert("t", json!({"n": 1})).await;
    assert_eq!(collect(&mut transaction, full_scan("t")).await.unwrap().len(), 4);
    assert_eq!(fixture.database.commit(transaction).await.unwrap().timestamp, timestamp);
}

#[tokio::test]
async fn commit_timestamps_rise() {
    let fixture = Fixture::new().await;
    let mut last = fixture.database.latest_timestamp();
    for _ in 0..20 {
        let mut transaction = fixture.begin();
        insert(&mut transaction, "t", json!({})).await.unwrap();
        let committed = fixture.database.commit(transaction).await.unwrap();
        assert!(committed.timestamp > last);
        last = committed.timestamp;
        assert_eq!(fixture.database.latest_timestamp(), last);
    }
    assert_eq!(code(fixture.database.begin_at(last.next(), begin()).map(|_| ())), "TimestampInTheFuture");
    // A snapshot before the first commit is empty.
    let mut before = fixture.database.begin_at(convex_wasm_database::Timestamp::MIN, begin()).unwrap();
    assert_eq!(collect(&mut before, full_scan("t")).await.unwrap(), [] as [Json; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_increments_count_to_a_thousand() {
    let fixture = Fixture::new().await;
    let id: Arc<str> = fixture.insert("counters", json!({"n": 0})).await.into();
    let increment = |database: Database, id: Arc<str>| async move {
        let mut _turn = None;
        loop {
            let mut transaction = database.begin(begin());
            let n = get(&mut transaction, &id).await.unwrap().unwrap()["n"].as_f64().unwrap();
            patch(&mut transaction, &id, json!({"n": n + 1.0})).await.unwrap();
            match database.commit(transaction).await {
                Ok(_) => return,
                Err(Error::Conflict(conflict)) => {
                    _turn = None;
                    _turn = Some(database.wait_turn(&conflict).await);
                }
                Err(error) => panic!("{error}"),
            }
        }
    };
    let tasks: Vec<_> = (0..1_000).map(|_| tokio::spawn(increment(fixture.database.clone(), id.clone()))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(get(&mut fixture.begin(), &id).await.unwrap().unwrap()["n"], 1_000.0);
}

#[tokio::test]
async fn a_subscription_ends_when_what_it_read_changes() {
    let fixture = numbers().await;
    let mut transaction = fixture.begin();
    let timestamp = transaction.timestamp();
    collect(&mut transaction, range(&[("Gt", 15), ("Lt", 35)], "asc", None)).await.unwrap();
    let reads = Arc::new(transaction.into_read_set());
    let database = fixture.database.clone();
    let waiting = tokio::spawn(async move {
        let invalidated = database.subscribe(reads.clone(), timestamp).unwrap().invalidated().await.unwrap();
        (invalidated, reads)
    });
    fixture.insert("t", json!({"n": 40})).await;
    fixture.insert("other", json!({})).await;
    let before = fixture.database.latest_timestamp();
    fixture.insert("t", json!({"n": 25})).await;
    let after = fixture.database.latest_timestamp();
    let (invalidated, reads) = waiting.await.unwrap();
    assert_eq!((invalidated.timestamp, invalidated.table.as_deref()), (after, Some("t")));
    let first = |from, to| fixture.database.first_invalidation(&reads, from, to).unwrap();
    assert_eq!(first(timestamp, before), None);
    assert_eq!(first(timestamp, after), Some(after));
    assert_eq!(first(after, after), None);
}
