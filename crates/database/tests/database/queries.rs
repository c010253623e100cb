//! Query streams and pages.

use crate::common::*;
use convex_wasm_database::{Begin, PageStatus};
use convex_wasm_values::ConvexValue;
use serde_json::{Value as Json, json};

/// Messages 0 to 9 in two channels, indexed by channel and number.
async fn messages() -> Fixture {
    let fixture = Fixture::with_schema(json!({"messages": [null, {"by_channel": ["channel", "number"]}]})).await;
    let mut transaction = fixture.begin();
    for number in 0..10 {
        let channel = if number % 2 == 0 { "even" } else { "odd" };
        let value = json!({"channel": channel, "number": number, "author": {"name": format!("a{}", number % 3)}});
        insert(&mut transaction, "messages", value).await.unwrap();
    }
    fixture.database.commit(transaction).await.unwrap();
    fixture
}

fn numbers(rows: &[Json]) -> Vec<f64> {
    field(rows, "number").iter().map(|number| number.as_f64().unwrap_or(-1.0)).collect()
}

fn expression(kind: &str, field: &str, value: Json) -> Json {
    json!({"type": kind, "fieldPath": field, "value": value})
}

fn with_operators(mut query: Json, operators: Json) -> Json {
    query["operators"] = operators;
    query
}

#[tokio::test]
async fn a_string_with_a_zero_is_not_taken_for_the_one_before_it() {
    let fixture = messages().await;
    for channel in ["a", "a\0", "a\0b", "b"] {
        fixture.insert("messages", json!({"channel": channel, "number": 1})).await;
    }
    for (comparison, expected) in [
        ("Eq", json!(["a"])),
        ("Lte", json!(["a"])),
        ("Gt", json!(["a\0", "a\0b", "b", "even", "odd"])),
        ("Gte", json!(["a", "a\0", "a\0b", "b", "even", "odd"])),
    ] {
        let range = json!([expression(comparison, "channel", json!("a"))]);
        let mut channels = field(&fixture.collect(index_range("messages.by_channel", range, "asc")).await, "channel");
        channels.dedup();
        assert_eq!(json!(channels), expected, "{comparison}");
    }
}

#[tokio::test]
async fn ranges_select_what_they_say() {
    let fixture = messages().await;
    let even = || expression("Eq", "channel", json!("even"));
    for (range, order, expected) in [
        (json!([]), "asc", vec![0., 2., 4., 6., 8., 1., 3., 5., 7., 9.]),
        (json!([even()]), "asc", vec![0., 2., 4., 6., 8.]),
        (json!([even()]), "desc", vec![8., 6., 4., 2., 0.]),
        (json!([even(), expression("Gt", "number", json!(2))]), "asc", vec![4., 6., 8.]),
        (json!([even(), expression("Gte", "number", json!(2))]), "desc", vec![8., 6., 4., 2.]),
        (json!([even(), expression("Lt", "number", json!(4))]), "asc", vec![0., 2.]),
        (
            json!([even(), expression("Gt", "number", json!(0)), expression("Lte", "number", json!(6))]),
            "asc",
            vec![2., 4., 6.],
        ),
        (json!([even(), expression("Eq", "number", json!(4))]), "asc", vec![4.]),
        (
            json!([even(), expression("Eq", "number", json!(4)), expression("Gt", "_creationTime", json!(0))]),
            "asc",
            vec![4.],
        ),
        (json!([expression("Gt", "channel", json!("even"))]), "asc", vec![1., 3., 5., 7., 9.]),
        (json!([expression("Lte", "channel", json!("even"))]), "asc", vec![0., 2., 4., 6., 8.]),
        (json!([expression("Eq", "channel", json!("none"))]), "asc", vec![]),
        (json!([even(), expression("Gt", "number", json!(6)), expression("Lt", "number", json!(2))]), "asc", vec![]),
    ] {
        let rows = fixture.collect(index_range("messages.by_channel", range.clone(), order)).await;
        assert_eq!(numbers(&rows), expected, "{range} {order}");
    }
}

#[tokio::test]
async fn missing_fields_come_first_and_types_in_their_order() {
    let fixture = messages().await;
    for number in [json!("text"), json!(null), json!({"$integer": "AQAAAAAAAAA="}), json!([])] {
        fixture.insert("messages", json!({"channel": "mixed", "number": number})).await;
    }
    fixture.insert("messages", json!({"channel": "mixed"})).await;
    let mixed = expression("Eq", "channel", json!("mixed"));
    let collect = async |range: Json| {
        let rows = fixture.collect(index_range("messages.by_channel", range, "asc")).await;
        field(&rows, "number")
    };
    let integer = json!({"$integer": "AQAAAAAAAAA="});
    assert_eq!(collect(json!([mixed])).await, [json!(null), json!(null), integer, json!("text"), json!([])]);
    let undefined = expression("Eq", "number", json!({"$undefined": null}));
    assert_eq!(collect(json!([mixed, undefined])).await, [json!(null)]);
    let above = expression("Gt", "number", json!({"$undefined": null}));
    assert_eq!(collect(json!([mixed, above])).await.len(), 4);
    let above = expression("Gt", "number", json!(5));
    assert_eq!(collect(json!([mixed, above])).await, [json!("text"), json!([])]);
    let rows = fixture
        .collect(index_range(
            "messages.by_channel",
            json!([expression("Eq", "channel", json!({"$undefined": null}))]),
            "asc",
        ))
        .await;
    assert_eq!(rows, [] as [Json; 0]);
}

#[tokio::test]
async fn built_in_indexes_can_be_queried() {
    let fixture = messages().await;
    let rows = fixture.collect(full_scan("messages")).await;
    assert_eq!(numbers(&rows), (0..10).map(f64::from).collect::<Vec<_>>());
    let time = rows[6]["_creationTime"].clone();
    let range = json!([expression("Gte", "_creationTime", time)]);
    assert_eq!(
        numbers(&fixture.collect(index_range("messages.by_creation_time", range, "desc")).await),
        [9., 8., 7., 6.]
    );
    let range = json!([expression("Eq", "_id", rows[3]["_id"].clone())]);
    assert_eq!(numbers(&fixture.collect(index_range("messages.by_id", range, "asc")).await), [3.]);
    let mut ids: Vec<String> = field(&rows, "_id").iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    ids.sort();
    assert_eq!(field(&fixture.collect(index_range("messages.by_id", json!([]), "asc")).await, "_id"), ids);
    assert_eq!(fixture.begin().count("messages").unwrap(), 10);
    assert_eq!(fixture.begin().count("nothing").unwrap(), 0);
}

#[tokio::test]
async fn operators_apply_in_their_order() {
    let fixture = messages().await;
    let name_is = |name: &str| json!({"filter": {"$eq": [{"$field": "author.name"}, {"$literal": name}]}});
    let run = async |operators: Json| numbers(&fixture.collect(with_operators(full_scan("messages"), operators)).await);
    assert_eq!(run(json!([name_is("a1")])).await, [1., 4., 7.]);
    assert_eq!(run(json!([name_is("a1"), {"limit": 2}])).await, [1., 4.]);
    assert_eq!(run(json!([{"limit": 2}, name_is("a1")])).await, [1.]);
    assert_eq!(run(json!([{"limit": 0}])).await, [] as [f64; 0]);
    assert_eq!(run(json!([{"limit": 3.0}, {"limit": 2}])).await, [0., 1.]);
}

#[tokio::test]
async fn filters_compute_what_they_say() {
    let fixture = Fixture::new().await;
    fixture.insert("t", json!({"f": 7, "i": {"$integer": "BwAAAAAAAAA="}, "b": true, "s": "x", "n": null})).await;
    let matches = async |filter: Json| -> convex_wasm_database::Result<bool> {
        let query = with_operators(full_scan("t"), json!([{"filter": filter}]));
        Ok(collect(&mut fixture.begin(), query).await?.len() == 1)
    };
    let (f, i, b) = (json!({"$field": "f"}), json!({"$field": "i"}), json!({"$field": "b"}));
    let lit = |value: Json| json!({"$literal": value});
    let int = |bytes: &str| lit(json!({"$integer": bytes}));
    for (filter, expected) in [
        (json!({"$eq": [f, lit(json!(7))]}), true),
        (json!({"$eq": [f, i]}), false),
        (json!({"$lt": [i, f]}), true),
        (json!({"$neq": [f, lit(json!(8))]}), true),
        (json!({"$gt": [f, lit(json!(7))]}), false),
        (json!({"$gte": [f, lit(json!(7))]}), true),
        (json!({"$lte": [f, lit(json!(7))]}), true),
        (json!({"$eq": [{"$field": "missing"}, lit(json!({"$undefined": null}))]}), true),
        (json!({"$lt": [{"$field": "missing"}, {"$field": "n"}]}), true),
        (json!({"$eq": [{"$add": [f, lit(json!(1))]}, lit(json!(8))]}), true),
        (json!({"$eq": [{"$sub": [f, lit(json!(1))]}, lit(json!(6))]}), true),
        (json!({"$eq": [{"$mul": [f, f]}, lit(json!(49))]}), true),
        (json!({"$eq": [{"$div": [f, lit(json!(2))]}, lit(json!(3.5))]}), true),
        (json!({"$eq": [{"$mod": [f, lit(json!(4))]}, lit(json!(3))]}), true),
        (json!({"$eq": [{"$neg": f}, lit(json!(-7))]}), true),
        (json!({"$eq": [{"$add": [i, i]}, int("DgAAAAAAAAA=")]}), true),
        (json!({"$and": [b, {"$not": {"$not": b}}]}), true),
        (json!({"$or": [{"$not": b}, {"$eq": [f, f]}]}), true),
        (json!({"$or": [b, f]}), true),
        (json!({"$and": []}), true),
        (json!({"$or": []}), false),
        (b.clone(), true),
        (f.clone(), false),
    ] {
        assert_eq!(matches(filter.clone()).await.unwrap(), expected, "{filter}");
    }
    for (filter, expected) in [
        (json!({"$add": [f, i]}), "EvalError"),
        (json!({"$neg": {"$field": "s"}}), "EvalError"),
        (json!({"$and": [f]}), "EvalError"),
        (json!({"$not": {"$field": "missing"}}), "EvalError"),
        (json!({"$div": [i, int("AAAAAAAAAAA=")]}), "EvalError"),
        (json!({"$what": 1}), "InvalidFilter"),
        (json!({"$eq": [f]}), "InvalidFilter"),
        (json!(true), "InvalidFilter"),
    ] {
        assert_eq!(code(matches(filter.clone()).await), expected, "{filter}");
    }
}

#[tokio::test]
async fn bad_queries_have_their_codes() {
    let fixture = messages().await;
    let error = async |query: Json| code(collect(&mut fixture.begin(), query).await);
    let range = |range: Json| index_range("messages.by_channel", range, "asc");
    let eq = |field: &str| expression("Eq", field, json!(1));
    let gt = |field: &str| expression("Gt", field, json!(1));
    assert_eq!(error(range(json!([eq("number")]))).await, "InvalidIndexRange");
    assert_eq!(error(range(json!([eq("channel"), eq("channel")]))).await, "InvalidIndexRange");
    assert_eq!(error(range(json!([gt("channel"), eq("number")]))).await, "InvalidIndexRange");
    assert_eq!(error(range(json!([gt("number")]))).await, "InvalidIndexRange");
    assert_eq!(error(range(json!([eq("other")]))).await, "FieldNotInIndex");
    assert_eq!(error(range(json!([eq("_id")]))).await, "FieldNotInIndex");
    assert_eq!(error(range(json!([gt("channel"), gt("channel")]))).await, "AlreadyDefinedBound");
    let lower_then_other = json!([gt("channel"), expression("Lt", "number", json!(1))]);
    assert_eq!(error(range(lower_then_other)).await, "BoundsOnMultipleFields");
    assert_eq!(error(index_range("messages.none", json!([]), "asc")).await, "IndexNotFoundError");
    assert_eq!(error(index_range("nothing.by_x", json!([]), "asc")).await, "IndexNotFoundError");
    assert_eq!(error(index_range("messages", json!([]), "asc")).await, "InvalidQuery");
    assert_eq!(error(full_scan("_tables")).await, "SystemTableError");
    assert_eq!(error(full_scan("no table")).await, "InvalidTableName");
    assert_eq!(error(json!({"source": {"type": "What"}, "operators": []})).await, "InvalidQuery");
    let many: Vec<Json> = (0..257).map(|_| json!({"limit": 1})).collect();
    assert_eq!(error(with_operators(full_scan("messages"), json!(many))).await, "InvalidQuery");
    assert_eq!(error(with_operators(full_scan("messages"), json!([{"limit": -1}]))).await, "InvalidQuery");
    assert_eq!(fixture.collect(full_scan("nothing")).await, [] as [Json; 0]);

    let mut transaction = fixture.begin();
    let query = transaction.query_stream(&full_scan("messages")).unwrap();
    assert!(transaction.query_cleanup(query));
    assert!(!transaction.query_cleanup(query));
    assert_eq!(code(transaction.query_next(query).await), "QueryNotFound");
}

#[tokio::test]
async fn a_query_sees_the_transactions_own_writes() {
    let fixture = messages().await;
    let rows = fixture.collect(full_scan("messages")).await;
    let id = |number: usize| rows[number]["_id"].as_str().unwrap();
    let mut transaction = fixture.begin();
    let t = &mut transaction;
    delete(t, id(0)).await.unwrap();
    patch(t, id(2), json!({"number": 5})).await.unwrap();
    patch(t, id(8), json!({"channel": "odd"})).await.unwrap();
    insert(t, "messages", json!({"channel": "even", "number": 1})).await.unwrap();
    let even = json!([expression("Eq", "channel", json!("even"))]);
    for (order, expected) in [("asc", [1., 4., 5., 6.]), ("desc", [6., 5., 4., 1.])] {
        let rows = collect(t, index_range("messages.by_channel", even.clone(), order)).await.unwrap();
        assert_eq!(numbers(&rows), expected);
    }
    let query = with_operators(index_range("messages.by_channel", even.clone(), "asc"), json!([{"limit": 2}]));
    assert_eq!(numbers(&collect(t, query).await.unwrap()), [1., 4.]);

    // Writes made during a query count, if they lie ahead.
    let query = t.query_stream(&index_range("messages.by_channel", even, "asc")).unwrap();
    assert_eq!(t.query_next(query).await.unwrap().unwrap()["number"], ConvexValue::Float64(1.0));
    insert(t, "messages", json!({"channel": "even", "number": 0})).await.unwrap();
    insert(t, "messages", json!({"channel": "even", "number": 2})).await.unwrap();
    delete(t, id(4)).await.unwrap();
    let mut rest = Vec::new();
    while let Some(row) = t.query_next(query).await.unwrap() {
        rest.push(row["number"].as_f64().unwrap());
    }
    assert_eq!(rest, [2., 5., 6.]);
    assert_eq!(t.count("messages").unwrap(), 11);
}

#[tokio::test]
async fn long_scans_are_complete() {
    let fixture = Fixture::new().await;
    let mut transaction = fixture.begin();
    for number in 0..2_500 {
        insert(&mut transaction, "t", json!({"number": number})).await.unwrap();
    }
    fixture.database.commit(transaction).await.unwrap();
    let all: Vec<f64> = (0..2_500).map(f64::from).collect();
    assert_eq!(numbers(&fixture.collect(full_scan("t")).await), all);
    let down = index_range("t.by_creation_time", json!([]), "desc");
    assert_eq!(numbers(&fixture.collect(down).await), all.into_iter().rev().collect::<Vec<_>>());
}

fn page_args(query: &Json, cursor: Option<&str>, size: f64) -> Json {
    json!({"query": query, "cursor": cursor, "endCursor": null, "pageSize": size, "maximumRowsRead": null, "version": "1.49.0"})
}

fn page_numbers(page: &convex_wasm_database::Page) -> Vec<f64> {
    page.page.iter().map(|row| row.as_object().unwrap()["number"].as_f64().unwrap()).collect()
}

#[tokio::test]
async fn pages_follow_each_other_without_gaps() {
    let fixture = messages().await;
    let name_is = json!({"$neq": [{"$field": "author.name"}, {"$literal": "a1"}]});
    for (query, expected) in [
        (full_scan("messages"), (0..10).map(f64::from).collect::<Vec<_>>()),
        (index_range("messages.by_channel", json!([]), "desc"), vec![9., 7., 5., 3., 1., 8., 6., 4., 2., 0.]),
        (with_operators(full_scan("messages"), json!([{"filter": name_is}])), vec![0., 2., 3., 5., 6., 8., 9.]),
        (full_scan("nothing"), vec![]),
    ] {
        for size in 1..12 {
            let mut cursor: Option<String> = None;
            let mut found = Vec::new();
            loop {
                let args = page_args(&query, cursor.as_deref(), f64::from(size));
                let page = page(&mut fixture.begin(), args).await.unwrap();
                assert!(page.page.len() <= size as usize);
                assert_eq!(page.page_status, None);
                found.extend(page_numbers(&page));
                if page.is_done {
                    break;
                }
                cursor = Some(page.continue_cursor);
            }
            assert_eq!(found, expected, "{query} by {size}");
        }
    }
}

#[tokio::test]
async fn an_end_cursor_keeps_the_boundary() {
    let fixture = messages().await;
    for order in ["asc", "desc"] {
        let query = index_range("messages.by_channel", json!([expression("Eq", "channel", json!("even"))]), order);
        let first = page(&mut fixture.begin(), page_args(&query, None, 2.0)).await.unwrap();
        let mut args = page_args(&query, None, 1.0);
        args["endCursor"] = json!(first.continue_cursor);
        let mut transaction = fixture.begin();
        insert(&mut transaction, "messages", json!({"channel": "even", "number": 1})).await.unwrap();
        insert(&mut transaction, "messages", json!({"channel": "even", "number": 7})).await.unwrap();
        let again = page(&mut transaction, args).await.unwrap();
        let expected = if order == "asc" { [0., 1., 2.] } else { [8., 7., 6.] };
        assert_eq!(page_numbers(&again), expected);
        assert_eq!((again.is_done, &again.continue_cursor), (false, &first.continue_cursor));

        let last = page(&mut fixture.begin(), page_args(&query, Some(&first.continue_cursor), 9.0)).await.unwrap();
        assert!(last.is_done);
        let mut args = page_args(&query, Some(&first.continue_cursor), 1.0);
        args["endCursor"] = json!(last.continue_cursor);
        let again = page(&mut fixture.begin(), args).await.unwrap();
        assert_eq!((page_numbers(&again), again.is_done), (page_numbers(&last), true));
    }
}

#[tokio::test]
async fn a_journal_keeps_the_boundary() {
    let fixture = messages().await;
    let query = full_scan("messages");
    let mut transaction = fixture.begin();
    assert_eq!(transaction.journal(), None);
    let first = page(&mut transaction, page_args(&query, None, 4.0)).await.unwrap();
    let journal = transaction.journal();
    assert!(journal.is_some());
    let mut rerun = fixture.database.begin(Begin { journal: journal.clone(), ..begin() });
    let again = page(&mut rerun, page_args(&query, None, 1.0)).await.unwrap();
    assert_eq!(again.page, first.page);
    assert_eq!(rerun.journal(), journal);
}

#[tokio::test]
async fn cursors_belong_to_their_query() {
    let fixture = messages().await;
    let query = full_scan("messages");
    let first = page(&mut fixture.begin(), page_args(&query, None, 2.0)).await.unwrap();
    let other = with_operators(full_scan("messages"), json!([{"limit": 5}]));
    for (query, cursor) in [(&other, first.continue_cursor.as_str()), (&query, "00"), (&query, "what"), (&query, "")] {
        let error = page(&mut fixture.begin(), page_args(query, Some(cursor), 2.0)).await.unwrap_err();
        assert!(error.to_string().starts_with("InvalidCursor"));
        let convex_wasm_database::Error::Developer { data: Some(data), .. } = error else { panic!("no data") };
        let data = data.to_json(convex_wasm_values::JsonFormat::Encoded);
        assert_eq!(data, json!({"isConvexSystemError": true, "paginationError": "InvalidCursor"}));
    }
}

#[tokio::test]
async fn large_pages_are_to_be_split() {
    let fixture = messages().await;
    let query = full_scan("messages");
    let with = |changes: Json| {
        let mut args = page_args(&query, None, 100.0);
        changes.as_object().unwrap().iter().for_each(|(key, value)| args[key] = value.clone());
        args
    };
    let cut = page(&mut fixture.begin(), with(json!({"maximumRowsRead": 4}))).await.unwrap();
    assert_eq!((page_numbers(&cut), cut.is_done), (vec![0., 1., 2., 3.], false));
    assert_eq!(cut.page_status, Some(PageStatus::SplitRecommended));
    let end = page(&mut fixture.begin(), page_args(&query, None, 8.0)).await.unwrap().continue_cursor;
    let required = page(&mut fixture.begin(), with(json!({"maximumRowsRead": 4, "endCursor": end}))).await.unwrap();
    assert_eq!(required.page_status, Some(PageStatus::SplitRequired));
    assert_eq!(required.continue_cursor, cut.continue_cursor);
    let bytes = page(&mut fixture.begin(), with(json!({"maximumBytesRead": 1}))).await.unwrap();
    assert_eq!(page_numbers(&bytes), [0.]);
    // The halves of a split page are the page.
    let split = cut.split_cursor.clone().unwrap();
    let first = page(&mut fixture.begin(), with(json!({"endCursor": split}))).await.unwrap();
    let second =
        page(&mut fixture.begin(), with(json!({"cursor": split, "endCursor": cut.continue_cursor}))).await.unwrap();
    assert_eq!([page_numbers(&first), page_numbers(&second)].concat(), page_numbers(&cut));
    assert_eq!((first.page.len(), first.split_cursor), (2, None));
}

#[tokio::test]
async fn bad_pages_have_their_codes() {
    let fixture = messages().await;
    let query = full_scan("messages");
    let error = async |args: Json| code(page(&mut fixture.begin(), args).await);
    assert_eq!(error(page_args(&query, None, 0.0)).await, "NoDocumentsForPagination");
    assert_eq!(error(page_args(&query, None, 1e12)).await, "PageSizeTooLarge");
    let mut args = page_args(&query, None, 1.0);
    args["maximumRowsRead"] = json!(0);
    assert_eq!(error(args).await, "InvalidPaginationLimit");
    let mut transaction = fixture.begin();
    page(&mut transaction, page_args(&query, None, 1.0)).await.unwrap();
    transaction.begin_nested();
    page(&mut transaction, page_args(&query, None, 1.0)).await.unwrap();
    transaction.commit_nested();
    let second = page(&mut transaction, page_args(&query, None, 1.0)).await;
    assert_eq!(code(second), "MultiplePaginatedDatabaseQueries");
}
