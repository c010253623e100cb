//! Schemas: enforcement, indexes built over existing documents, activation.

use std::time::Duration;

use crate::common::*;
use convex_wasm_database::SchemaState;
use convex_wasm_values::Schema;
use serde_json::{Value as Json, json};

fn object(fields: &[(&str, &str)]) -> Json {
    let fields: serde_json::Map<String, Json> = fields
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({"fieldType": {"type": kind}, "optional": false})))
        .collect();
    json!({"type": "object", "value": fields})
}

fn users() -> Json {
    json!({"users": [object(&[("name", "string")]), {}]})
}

fn eq(field: &str, value: Json) -> Json {
    json!([{"type": "Eq", "fieldPath": field, "value": value}])
}

#[tokio::test]
async fn writes_have_to_match() {
    let fixture = Fixture::with_schema(users()).await;
    let mut transaction = fixture.begin();
    let t = &mut transaction;
    let id = insert(t, "users", json!({"name": "ann"})).await.unwrap();
    for result in [
        insert(t, "users", json!({"name": 1})).await.map(|_| ()),
        insert(t, "users", json!({})).await.map(|_| ()),
        patch(t, &id, json!({"age": 1})).await.map(|_| ()),
        patch(t, &id, json!({"name": {"$undefined": null}})).await.map(|_| ()),
        replace(t, &id, json!({})).await.map(|_| ()),
    ] {
        assert_eq!(code(result), "SchemaEnforcementError");
    }
    let message = insert(t, "users", json!({"name": 1})).await.unwrap_err().to_string();
    assert_eq!(
        message,
        "Failed to insert or update a document in table \"users\" because it does not match the schema: Value does \
         not match validator.\nPath: .name\nValue: 1.0\nValidator: v.string()"
    );
    patch(t, &id, json!({"name": "bob"})).await.unwrap();
    insert(t, "others", json!({"anything": 1})).await.unwrap();
    fixture.database.commit(transaction).await.unwrap();
    assert_eq!(fixture.collect(full_scan("users")).await.len(), 1);
}

#[tokio::test]
async fn a_schema_without_validation_checks_nothing() {
    let fixture = Fixture::new().await;
    let mut unchecked = schema(users());
    unchecked.schema_validation = false;
    fixture.database.set_schema(&unchecked).await.unwrap();
    fixture.insert("users", json!({"name": 1})).await;
    assert_eq!(*fixture.begin().schema(), unchecked);
}

#[tokio::test]
async fn ids_in_documents_have_to_be_of_their_table() {
    let author = json!({"type": "object", "value": {
        "author": {"fieldType": {"type": "id", "tableName": "users"}, "optional": false},
    }});
    let fixture = Fixture::with_schema(json!({"users": [null, {}], "posts": [author, {}]})).await;
    let user = fixture.insert("users", json!({})).await;
    let post = fixture.insert("posts", json!({"author": user})).await;
    let mut transaction = fixture.begin();
    let error = insert(&mut transaction, "posts", json!({"author": post})).await.unwrap_err();
    assert!(error.to_string().contains("from table `posts`"), "{error}");
}

#[tokio::test]
async fn existing_documents_have_to_match() {
    let fixture = Fixture::new().await;
    let id = fixture.insert("users", json!({"name": 1})).await;
    let error = fixture.database.set_schema(&schema(users())).await.unwrap_err();
    assert_eq!(error.code(), "SchemaEnforcementError");
    assert!(
        error.to_string().starts_with(&format!(
            "Document with ID \"{id}\" in table \"users\" does not match the schema: Value does not match validator."
        )),
        "{error}"
    );
    // The schema is not in force.
    fixture.insert("users", json!({"name": 2})).await;
    let mut transaction = fixture.begin();
    for row in fixture.collect(full_scan("users")).await {
        patch(&mut transaction, row["_id"].as_str().unwrap(), json!({"name": "x"})).await.unwrap();
    }
    fixture.database.commit(transaction).await.unwrap();
    fixture.database.set_schema(&schema(users())).await.unwrap();
    assert_eq!(code(insert(&mut fixture.begin(), "users", json!({"name": 1})).await), "SchemaEnforcementError");
}

#[tokio::test]
async fn an_index_covers_what_was_there_before() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    for number in 0..1_000 {
        insert(&mut transaction, "users", json!({"name": format!("n{}", number % 10), "number": number}))
            .await
            .unwrap();
    }
    fixture.database.commit(transaction).await.unwrap();
    fixture.database.set_schema(&schema(json!({"users": [null, {"by_name": ["name"]}]}))).await.unwrap();
    let rows = fixture.collect(index_range("users.by_name", eq("name", json!("n3")), "asc")).await;
    let expected: Vec<Json> = (0..100).map(|number| json!(f64::from(number * 10 + 3))).collect();
    assert_eq!(field(&rows, "number"), expected);
}

#[tokio::test]
async fn a_changed_index_replaces_the_old_one_when_it_is_activated() {
    let fixture = Fixture::with_schema(json!({"users": [null, {"by_x": ["a"], "gone": ["b"]}]})).await;
    fixture.insert("users", json!({"a": 1, "b": 2, "c": 3})).await;
    let changed = schema(json!({"users": [null, {"by_x": ["c"], "new": ["b"]}]}));
    let id = fixture.database.submit_schema(&changed).await.unwrap();
    let progress = fixture.database.wait_for_schema(&id, Duration::from_secs(60)).await.unwrap();
    assert_eq!(progress.state, SchemaState::Validated);
    assert_eq!((progress.indexes_complete, progress.indexes_total), (2, 2));

    // Until then the old ones are in use.
    let query = |index: &str, field: &str, value: i32| index_range(index, eq(field, json!(value)), "asc");
    assert_eq!(fixture.collect(query("users.by_x", "a", 1)).await.len(), 1);
    assert_eq!(fixture.collect(query("users.gone", "b", 2)).await.len(), 1);
    assert_eq!(code(collect(&mut fixture.begin(), query("users.new", "b", 2)).await), "IndexBackfillingError");

    let mut reader = fixture.begin();
    collect(&mut reader, query("users.by_x", "a", 1)).await.unwrap();
    insert(&mut reader, "users", json!({})).await.unwrap();
    let mut transaction = fixture.begin();
    transaction.activate_schema(&id).await.unwrap();
    fixture.database.commit(transaction).await.unwrap();
    // Who used the old index has to run again.
    assert!(is_conflict(&fixture.database.commit(reader).await));
    assert_eq!(fixture.collect(query("users.by_x", "c", 3)).await.len(), 1);
    assert_eq!(fixture.collect(query("users.new", "b", 2)).await.len(), 1);
    assert_eq!(code(collect(&mut fixture.begin(), query("users.by_x", "a", 1)).await), "FieldNotInIndex");
    assert_eq!(code(collect(&mut fixture.begin(), query("users.gone", "b", 2)).await), "IndexNotFoundError");
    assert_eq!(fixture.database.schema_progress(&id).unwrap().state, SchemaState::Active);
    assert_eq!(*fixture.begin().schema(), changed);
}

#[tokio::test]
async fn a_newer_submission_overwrites_a_pending_one() {
    let fixture = Fixture::new().await;
    let first = fixture.database.submit_schema(&schema(users())).await.unwrap();
    let second = fixture.database.submit_schema(&Schema::empty()).await.unwrap();
    assert_eq!(fixture.database.schema_progress(&first).unwrap().state, SchemaState::Overwritten);
    fixture.database.wait_for_schema(&second, Duration::from_secs(60)).await.unwrap();
    let mut transaction = fixture.begin();
    assert_eq!(code(transaction.activate_schema(&first).await), "SchemaAlreadyOverwritten");
    transaction.activate_schema(&second).await.unwrap();
    fixture.database.commit(transaction).await.unwrap();
}

#[tokio::test]
async fn a_write_that_does_not_match_makes_the_pending_schema_fail() {
    let fixture = Fixture::new().await;
    let id = fixture.database.submit_schema(&schema(users())).await.unwrap();
    fixture.database.wait_for_schema(&id, Duration::from_secs(60)).await.unwrap();
    fixture.insert("users", json!({"name": 1})).await;
    let progress = fixture.database.schema_progress(&id).unwrap();
    assert!(matches!(progress.state, SchemaState::Failed { table: Some(table), .. } if table == "users"));
    assert_eq!(code(fixture.begin().activate_schema(&id).await), "SchemaEnforcementError");
}

#[tokio::test]
async fn staged_indexes_are_built_but_not_queried() {
    let fixture = Fixture::new().await;
    fixture.insert("users", json!({"name": "ann"})).await;
    let table = |staged: bool| {
        let index = json!([{"indexDescriptor": "by_name", "fields": ["name"]}]);
        let (indexes, staged) = if staged { (json!([]), index) } else { (index, json!([])) };
        json!({"tables": [{"tableName": "users", "indexes": indexes, "stagedDbIndexes": staged, "documentType": null}]})
    };
    fixture.database.set_schema(&Schema::from_json(&table(true)).unwrap()).await.unwrap();
    let query = index_range("users.by_name", eq("name", json!("ann")), "asc");
    let error = collect(&mut fixture.begin(), query.clone()).await.unwrap_err();
    assert_eq!(error.code(), "IndexStagedError");
    assert_eq!(
        error.to_string(),
        "Index users.by_name is currently staged and not available to query until it is enabled."
    );
    fixture.database.set_schema(&Schema::from_json(&table(false)).unwrap()).await.unwrap();
    assert_eq!(fixture.collect(query).await.len(), 1);
}

#[tokio::test]
async fn nothing_waits_for_a_staged_index_and_a_later_process_finishes_it() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    for number in 0..2_000 {
        insert(&mut transaction, "users", json!({"name": format!("n{}", number % 2)})).await.unwrap();
    }
    fixture.database.commit(transaction).await.unwrap();
    let index = json!([{"indexDescriptor": "by_name", "fields": ["name"]}]);
    let schema = |key: &str| {
        let mut table = json!({"tableName": "users", "indexes": [], "documentType": null});
        table[key] = index.clone();
        Schema::from_json(&json!({"tables": [table]})).unwrap()
    };
    let id = fixture.database.submit_schema(&schema("stagedDbIndexes")).await.unwrap();
    let progress = fixture.database.wait_for_schema(&id, Duration::from_secs(60)).await.unwrap();
    assert_eq!((progress.state, progress.indexes_total), (SchemaState::Validated, 0));
    let mut transaction = fixture.begin();
    transaction.activate_schema(&id).await.unwrap();
    fixture.database.commit(transaction).await.unwrap();
    let query = index_range("users.by_name", eq("name", json!("n1")), "asc");
    let error = collect(&mut fixture.begin(), query.clone()).await.unwrap_err();
    assert_eq!(error.code(), "IndexStagedError");
    let fixture = fixture.reopen().await;
    fixture.database.set_schema(&schema("indexes")).await.unwrap();
    assert_eq!(fixture.collect(query).await.len(), 1_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_built_under_load_is_complete() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    let mut ids = Vec::new();
    for number in 0..500 {
        ids.push(insert(&mut transaction, "users", json!({"name": "a", "number": number})).await.unwrap());
    }
    fixture.database.commit(transaction).await.unwrap();
    let database = fixture.database.clone();
    let writer = tokio::spawn(async move {
        for (number, id) in ids.iter().enumerate() {
            loop {
                let mut transaction = database.begin(begin());
                match number % 3 {
                    0 => patch(&mut transaction, id, json!({"name": "b"})).await.map(|_| ()).unwrap(),
                    1 => delete(&mut transaction, id).await.map(|_| ()).unwrap(),
                    _ => insert(&mut transaction, "users", json!({"name": "a"})).await.map(|_| ()).unwrap(),
                }
                match database.commit(transaction).await {
                    Ok(_) => break,
                    Err(error) => assert!(error.is_retriable(), "{error}"),
                }
            }
        }
    });
    fixture.database.set_schema(&schema(json!({"users": [null, {"by_name": ["name"]}]}))).await.unwrap();
    writer.await.unwrap();
    let mut indexed = field(&fixture.collect(index_range("users.by_name", json!([]), "asc")).await, "_id");
    let mut all = field(&fixture.collect(full_scan("users")).await, "_id");
    indexed.sort_by_key(Json::to_string);
    all.sort_by_key(Json::to_string);
    assert_eq!(indexed, all);
    let b = fixture.collect(index_range("users.by_name", eq("name", json!("b")), "asc")).await;
    assert_eq!(b.len(), 167);
}

#[tokio::test]
async fn a_pending_schema_goes_on_after_reopening() {
    let Fixture { database, directory } = Fixture::new().await;
    let fixture = Fixture { database, directory };
    fixture.insert("users", json!({"name": "ann"})).await;
    let id = fixture.database.submit_schema(&schema(users())).await.unwrap();
    let Fixture { database, directory } = fixture;
    // Closing may meet the preparation anywhere; it has to be finished afterwards.
    database.shut_down().await;
    let database = open_again(directory.path()).await;
    let progress = database.wait_for_schema(&id, Duration::from_secs(60)).await.unwrap();
    assert_eq!(progress.state, SchemaState::Validated);
}
