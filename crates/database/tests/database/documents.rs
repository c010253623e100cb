//! Single documents: get, insert, patch, replace, delete.

use crate::common::*;
use serde_json::json;

#[tokio::test]
async fn a_document_lives_from_insert_to_delete() {
    let fixture = Fixture::new().await;
    let id = fixture.insert("users", json!({"name": "ann"})).await;
    assert_eq!(id.len(), 32);

    let mut transaction = fixture.begin();
    let creation_time = get(&mut transaction, &id).await.unwrap().unwrap()["_creationTime"].clone();
    let patched = patch(&mut transaction, &id, json!({"age": 3, "tags": ["a"]})).await.unwrap();
    let expected = json!({"_id": id, "_creationTime": creation_time, "name": "ann", "age": 3.0, "tags": ["a"]});
    assert_eq!(patched, expected);
    assert_eq!(get(&mut transaction, &id).await.unwrap(), Some(expected));
    let removed = patch(&mut transaction, &id, json!({"age": {"$undefined": null}, "missing": {"$undefined": null}}));
    assert_eq!(
        removed.await.unwrap(),
        json!({"_id": id, "_creationTime": creation_time, "name": "ann", "tags": ["a"]})
    );
    let replaced = replace(&mut transaction, &id, json!({"name": "bob", "_id": id})).await.unwrap();
    assert_eq!(replaced, json!({"_id": id, "_creationTime": creation_time, "name": "bob"}));
    fixture.database.commit(transaction).await.unwrap();

    let mut transaction = fixture.begin();
    assert_eq!(get(&mut transaction, &id).await.unwrap(), Some(replaced.clone()));
    assert_eq!(delete(&mut transaction, &id).await.unwrap(), replaced);
    assert_eq!(get(&mut transaction, &id).await.unwrap(), None);
    fixture.database.commit(transaction).await.unwrap();
    assert_eq!(get(&mut fixture.begin(), &id).await.unwrap(), None);
}

#[tokio::test]
async fn nothing_is_visible_before_the_commit() {
    let fixture = Fixture::new().await;
    let mut before = fixture.begin();
    let mut transaction = fixture.begin();
    let id = insert(&mut transaction, "users", json!({"name": "ann"})).await.unwrap();
    assert_eq!(get(&mut fixture.begin(), &id).await.unwrap(), None);
    let committed = fixture.database.commit(transaction).await.unwrap();
    assert!(fixture.database.latest_timestamp() >= committed.timestamp);
    assert_eq!(get(&mut before, &id).await.unwrap(), None);
    assert!(get(&mut fixture.begin(), &id).await.unwrap().is_some());
    let mut at = fixture.database.begin_at(committed.timestamp, begin()).unwrap();
    assert!(get(&mut at, &id).await.unwrap().is_some());
}

#[tokio::test]
async fn executions_are_deterministic() {
    let fixture = Fixture::new().await;
    fixture.insert("users", json!({})).await;
    let same = begin();
    let mut first = fixture.database.begin(same.clone());
    let mut second = fixture.database.begin(same);
    for _ in 0..3 {
        let a = insert(&mut first, "users", json!({"x": 1})).await.unwrap();
        let b = insert(&mut second, "users", json!({"x": 1})).await.unwrap();
        assert_eq!(a, b);
        assert_eq!(get(&mut first, &a).await.unwrap(), get(&mut second, &b).await.unwrap());
    }
}

#[tokio::test]
async fn creation_times_rise_within_a_transaction() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    for number in 0..20 {
        insert(&mut transaction, "users", json!({"number": number})).await.unwrap();
    }
    fixture.database.commit(transaction).await.unwrap();
    let rows = fixture.collect(full_scan("users")).await;
    let numbers: Vec<f64> = field(&rows, "number").iter().map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(numbers, (0..20).map(f64::from).collect::<Vec<_>>());
    let times: Vec<f64> = field(&rows, "_creationTime").iter().map(|time| time.as_f64().unwrap()).collect();
    assert!(times.windows(2).all(|pair| pair[1] == pair[0].next_up()));
    assert_eq!(times[0], 1_760_000_000_000.0);
}

#[tokio::test]
async fn bad_documents_are_refused() {
    let fixture = Fixture::new().await;
    let id = fixture.insert("users", json!({})).await;
    let mut transaction = fixture.begin();
    let t = &mut transaction;
    assert_eq!(code(insert(t, "users", json!({"_x": 1})).await), "InvalidDocumentError");
    assert_eq!(code(insert(t, "users", json!({"_id": id})).await), "InvalidDocumentError");
    assert_eq!(code(insert(t, "users", json!([1])).await), "NotAnObject");
    assert_eq!(code(insert(t, "users", json!({"a": {"$undefined": null}})).await), "UndefinedNotAllowed");
    assert_eq!(code(insert(t, "no table", json!({})).await), "InvalidTableName");
    assert_eq!(code(insert(t, "_tables", json!({})).await), "ReadOnlyTable");
    assert_eq!(code(insert(t, "users", json!({"text": "x".repeat(1 << 20)})).await), "ValueTooLargeError");
    let nested = (0..16).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(code(insert(t, "users", json!({"a": nested})).await), "InvalidDocumentError");
    insert(t, "users", json!({"a": nested[0]})).await.unwrap();
    assert_eq!(code(patch(t, &id, json!({"_id": "other"})).await), "InvalidDocumentError");
    assert_eq!(code(patch(t, &id, json!({"_id": {"$undefined": null}})).await), "InvalidDocumentError");
    assert_eq!(code(patch(t, &id, json!({"_creationTime": 1})).await), "InvalidDocumentError");
    assert_eq!(code(replace(t, &id, json!({"_other": 1})).await), "InvalidDocumentError");
    patch(t, &id, json!({"_id": id})).await.unwrap();
    assert_eq!(code(insert(t, "new_table", json!({"text": "x".repeat(1 << 20)})).await), "ValueTooLargeError");
    assert_eq!(t.table_names(), ["users"]);
    // A refused write leaves nothing behind.
    assert_eq!(collect(t, full_scan("users")).await.unwrap().len(), 2);
}

#[tokio::test]
async fn bad_ids_are_refused() {
    let fixture = Fixture::new().await;
    let user = fixture.insert("users", json!({})).await;
    let post = fixture.insert("posts", json!({})).await;
    let mut transaction = fixture.begin();
    let t = &mut transaction;
    for result in [get(t, "x").await.map(|_| ()), patch(t, "x", json!({})).await.map(|_| ())] {
        assert_eq!(code(result), "InvalidArgument");
    }
    let message = get(t, "x").await.unwrap_err().to_string();
    assert!(message.starts_with("Invalid argument `id` for `db.get`"), "{message}");

    let mut wrong_table = document(&user);
    wrong_table.table = Some("posts".to_owned());
    let message = t.get(&wrong_table).await.unwrap_err().to_string();
    assert_eq!(message, "Invalid argument `id` for `db.get`, expected ID in table 'posts', got ID in table 'users'");
    wrong_table.table = Some("users".to_owned());
    assert!(t.get(&wrong_table).await.unwrap().is_some());
    wrong_table.is_system = true;
    assert_eq!(code(t.get(&wrong_table).await), "SystemTableError");
    let id_of_table = |number: u32| {
        let (table, internal) = (convex_wasm_values::TableNumber(number), convex_wasm_values::InternalId([1; 16]));
        convex_wasm_values::DocumentId { table, internal }.to_string()
    };
    // Of `_tables`, and of a table that does not exist.
    assert_eq!(code(get(t, &id_of_table(513)).await), "SystemTableError");
    assert_eq!(get(t, &id_of_table(20_000)).await.unwrap(), None);
    assert_eq!(code(patch(t, &id_of_table(20_000), json!({})).await), "NonexistentDocument");

    delete(t, &user).await.unwrap();
    for (result, text) in [
        (patch(t, &user, json!({})).await, "Update on nonexistent document ID"),
        (replace(t, &user, json!({})).await, "Replace on nonexistent document ID"),
        (delete(t, &user).await, "Delete on nonexistent document ID"),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.code(), "NonexistentDocument");
        assert_eq!(error.to_string(), format!("{text} {user}"));
    }
    assert_eq!(t.normalize_id("users", &user).unwrap().unwrap().to_string(), user);
    assert_eq!(t.normalize_id("users", &post).unwrap(), None);
    assert_eq!(t.normalize_id("nothing", &post).unwrap(), None);
    assert_eq!(t.normalize_id("users", "x").unwrap(), None);
}

#[tokio::test]
async fn a_batch_of_gets_answers_in_order() {
    let fixture = Fixture::new().await;
    let user = fixture.insert("users", json!({"name": "ann"})).await;
    let post = fixture.insert("posts", json!({"title": "hello"})).await;
    let mut transaction = fixture.begin();
    let new = insert(&mut transaction, "users", json!({"name": "new"})).await.unwrap();
    let gone = insert(&mut transaction, "users", json!({})).await.unwrap();
    delete(&mut transaction, &gone).await.unwrap();
    let documents = [&post, &new, "x", &user, &gone, &post].map(document);
    let found = transaction.get_many(&documents).await;
    let found: Vec<_> = found.into_iter().map(|found| found.map(|found| found.map(|found| to_json(&found)))).collect();
    assert_eq!(found[0].as_ref().unwrap().as_ref().unwrap()["title"], "hello");
    assert_eq!(found[1].as_ref().unwrap().as_ref().unwrap()["name"], "new");
    assert_eq!(found[2].as_ref().unwrap_err().code(), "InvalidArgument");
    assert_eq!(found[3].as_ref().unwrap().as_ref().unwrap()["name"], "ann");
    assert_eq!(found[4].as_ref().unwrap(), &None);
    assert_eq!(found[5].as_ref().unwrap(), found[0].as_ref().unwrap());
    assert_eq!(transaction.usage().documents_read.used, 4 + 1);
}

#[tokio::test]
async fn an_unchanged_document_is_not_written() {
    let fixture = Fixture::new().await;
    let id = fixture.insert("users", json!({"name": "ann"})).await;
    let latest = fixture.database.latest_timestamp();
    let mut transaction = fixture.begin();
    patch(&mut transaction, &id, json!({"name": "ann"})).await.unwrap();
    replace(&mut transaction, &id, json!({"name": "ann"})).await.unwrap();
    assert!(!transaction.has_writes());
    assert_eq!(fixture.database.commit(transaction).await.unwrap().timestamp, latest);
    assert_eq!(fixture.database.latest_timestamp(), latest);
}

#[tokio::test]
async fn a_commit_timestamp_is_filled_in_by_the_commit() {
    let fixture = Fixture::with_schema(json!({"t": [null, {"by_at": ["at"]}]})).await;
    let mut transaction = fixture.begin();
    let open = json!({"$commitTs": null});
    let id = insert(&mut transaction, "t", json!({"at": open, "list": [open]})).await.unwrap();
    assert_eq!(get(&mut transaction, &id).await.unwrap().unwrap()["at"], open);
    let rows = collect(&mut transaction, index_range("t.by_at", json!([]), "asc")).await.unwrap();
    assert_eq!(field(&rows, "at"), [open]);
    let committed = fixture.database.commit(transaction).await.unwrap();
    let at = convex_wasm_values::ConvexValue::Int64(committed.timestamp.0.try_into().unwrap());
    let at = at.to_json(convex_wasm_values::JsonFormat::Encoded);
    let range = json!([{"type": "Eq", "fieldPath": "at", "value": at}]);
    let rows = fixture.collect(index_range("t.by_at", range, "asc")).await;
    assert_eq!((field(&rows, "at"), field(&rows, "list")), (vec![at.clone()], vec![json!([at])]));
}

#[tokio::test]
async fn a_failed_nested_function_undoes_its_own_writes_only() {
    let fixture = Fixture::new().await;
    let id = fixture.insert("users", json!({"count": 0})).await;
    let mut transaction = fixture.begin();
    let t = &mut transaction;
    patch(t, &id, json!({"count": 1})).await.unwrap();
    t.begin_nested();
    patch(t, &id, json!({"count": 2})).await.unwrap();
    let inner = insert(t, "new_table", json!({})).await.unwrap();
    t.begin_nested();
    patch(t, &id, json!({"count": 3})).await.unwrap();
    t.commit_nested();
    assert_eq!(get(t, &id).await.unwrap().unwrap()["count"], 3.0);
    t.rollback_nested();
    assert_eq!(get(t, &id).await.unwrap().unwrap()["count"], 1.0);
    assert_eq!(get(t, &inner).await.unwrap(), None);
    assert_eq!(collect(t, full_scan("users")).await.unwrap()[0]["count"], 1.0);
    assert_eq!(t.table_names(), ["users"]);
    t.begin_nested();
    let kept = insert(t, "users", json!({"kept": true})).await.unwrap();
    t.commit_nested();
    fixture.database.commit(transaction).await.unwrap();
    let mut transaction = fixture.begin();
    assert_eq!(get(&mut transaction, &id).await.unwrap().unwrap()["count"], 1.0);
    assert!(get(&mut transaction, &kept).await.unwrap().is_some());
}

#[tokio::test]
async fn everything_is_there_after_reopening() {
    let Fixture { database, directory } = Fixture::with_schema(json!({"users": [null, {"by_name": ["name"]}]})).await;
    let fixture = Fixture { database, directory };
    let id = fixture.insert("users", json!({"name": "ann"})).await;
    fixture.insert("others", json!({})).await;
    let latest = fixture.database.latest_timestamp();
    let Fixture { database, directory } = fixture;
    database.shut_down().await;
    let database = open(directory.path()).await;
    let fixture = Fixture { database, directory };
    assert_eq!(fixture.database.latest_timestamp(), latest);
    let range = json!([{"type": "Eq", "fieldPath": "name", "value": "ann"}]);
    let rows = fixture.collect(index_range("users.by_name", range, "asc")).await;
    assert_eq!(field(&rows, "_id"), [json!(id)]);
    assert_eq!(fixture.begin().table_names(), ["others", "users"]);
    let other = fixture.insert("more", json!({})).await;
    assert!(fixture.begin().normalize_id("more", &other).unwrap().is_some());
    assert_eq!(fixture.begin().normalize_id("others", &other).unwrap(), None);
}

#[tokio::test]
async fn limits_have_their_codes() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    let result = async {
        loop {
            insert(&mut transaction, "many", json!({})).await?;
        }
    };
    let error: convex_wasm_database::Error = match result.await {
        Ok(never) => never,
        Err(error) => error,
    };
    assert_eq!(error.code(), "TooManyWrites");
    assert!(error.to_string().contains("(limit: 16000)"), "{error}");
    assert_eq!(transaction.usage().documents_written.max, 16_000);

    let mut transaction = fixture.begin();
    let text = "x".repeat(1 << 19);
    let mut written = 0;
    let error = loop {
        match insert(&mut transaction, "large", json!({"text": text})).await {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
    };
    assert_eq!((error.code(), written), ("TooManyBytesWritten", 31));
    fixture.database.commit(transaction).await.unwrap();
    fixture.insert("large", json!({"text": text})).await;
    assert_eq!(code(collect(&mut fixture.begin(), full_scan("large")).await), "TooManyBytesRead");

    let id = fixture.insert("users", json!({})).await;
    let mut transaction = fixture.begin();
    let mut internal = [0u8; 16];
    let id: convex_wasm_values::DocumentId = id.parse().unwrap();
    let error = loop {
        let next = u128::from_be_bytes(internal) + 3;
        internal = next.to_be_bytes();
        let other =
            convex_wasm_values::DocumentId { table: id.table, internal: convex_wasm_values::InternalId(internal) };
        if let Err(error) = get(&mut transaction, &other.to_string()).await {
            break error;
        }
    };
    assert_eq!(error.code(), "TooManyReads");
}

#[tokio::test]
async fn environment_variables_and_artifacts_are_kept() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    let set = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    transaction.set_environment_variables(&[set("A", Some("1")), set("B", Some("2"))]).await.unwrap();
    transaction.set_environment_variables(&[set("A", Some("3")), set("C", None)]).await.unwrap();
    let blob = fixture.database.put_blob(vec![7; 100_000].into()).await.unwrap();
    let metadata = convex_wasm_values::ConvexObject::from([("k".to_owned(), "v".into())]);
    let artifact = convex_wasm_database::Artifact { blob, size: 100_000, metadata };
    transaction.set_artifact("modules", Some(&artifact)).await.unwrap();
    fixture.database.commit(transaction).await.unwrap();

    let mut transaction = fixture.begin();
    let variables = transaction.environment_variables().await.unwrap();
    assert_eq!(
        variables.into_iter().collect::<Vec<_>>(),
        [("A".to_owned(), "3".to_owned()), ("B".to_owned(), "2".to_owned())]
    );
    assert_eq!(transaction.artifact("modules").await.unwrap(), Some(artifact.clone()));
    assert_eq!(transaction.artifact("other").await.unwrap(), None);
    assert_eq!(transaction.artifacts().await.unwrap().into_keys().collect::<Vec<_>>(), ["modules"]);
    assert_eq!(fixture.database.get_blob(artifact.blob).await.unwrap().unwrap().len(), 100_000);
    transaction.set_environment_variables(&[set("A", None)]).await.unwrap();
    transaction.set_artifact("modules", None).await.unwrap();
    assert_eq!(transaction.environment_variables().await.unwrap().len(), 1);
    assert_eq!(transaction.artifact("modules").await.unwrap(), None);

    for (name, value, expected) in [
        ("1A", "x".to_owned(), "EnvironmentVariableNameInvalid"),
        ("", "x".to_owned(), "EnvironmentVariableNameInvalid"),
        (&"A".repeat(257), "x".to_owned(), "EnvironmentVariableNameTooLong"),
        ("A", "x".repeat(8193), "EnvironmentVariableValueTooLarge"),
        ("CONVEX_SITE_URL", "x".to_owned(), "EnvVarNameForbidden"),
    ] {
        let result = transaction.set_environment_variables(&[set(name, Some(&value))]).await;
        assert_eq!(code(result), expected);
    }
    let many: Vec<_> = (0..513).map(|number| set(&format!("V{number}"), Some("x"))).collect();
    assert_eq!(code(transaction.set_environment_variables(&many).await), "EnvVarLimitMet");
}
