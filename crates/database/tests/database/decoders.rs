//! Whatever a client sends as a query or a cursor: it is carried out or refused, and nothing panics.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::*;
use convex_wasm_database::Error;
use serde_json::{Map, Value as Json, json};

/// JSON made of the words that queries have, in any order.
fn anything() -> impl Strategy<Value = Json> {
    let word = prop::sample::select(vec![
        "type",
        "source",
        "operators",
        "filter",
        "limit",
        "indexName",
        "tableName",
        "range",
        "order",
        "asc",
        "desc",
        "IndexRange",
        "FullTableScan",
        "Search",
        "users.by_name",
        "users.by_id",
        "users",
        "_tables",
        "Eq",
        "Gt",
        "Gte",
        "Lt",
        "Lte",
        "fieldPath",
        "value",
        "name",
        "_creationTime",
        "$eq",
        "$neq",
        "$lt",
        "$gte",
        "$add",
        "$div",
        "$mod",
        "$neg",
        "$and",
        "$or",
        "$not",
        "$field",
        "$literal",
        "$undefined",
        "$integer",
        "AAAAAAAAAIA=",
    ]);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(|number| json!(number)),
        word.clone().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((word.clone(), inner), 0..4).prop_map(|fields| {
                Json::Object(Map::from_iter(fields.into_iter().map(|(name, value)| (name.to_owned(), value))))
            }),
        ]
    })
}

/// A query in which anything stands in the place of one of its parts.
fn query() -> impl Strategy<Value = Json> {
    let part = || prop_oneof![2 => Just(None), 1 => anything().prop_map(Some)];
    (part(), part(), part(), part()).prop_map(|(range, filter, limit, order)| {
        let filter = filter.unwrap_or_else(|| json!({"$gte": [{"$field": "number"}, {"$literal": 1}]}));
        json!({
            "source": {
                "type": "IndexRange", "indexName": "users.by_name", "order": order.unwrap_or(json!("asc")),
                "range": range.unwrap_or(json!([{"type": "Eq", "fieldPath": "name", "value": "ann"}])),
            },
            "operators": [{"filter": filter}, {"limit": limit.unwrap_or(json!(5))}],
        })
    })
}

async fn users() -> Fixture {
    let fixture = Fixture::with_schema(json!({"users": [null, {"by_name": ["name"]}]})).await;
    for number in 0..5 {
        fixture.insert("users", json!({"name": "ann", "number": number})).await;
    }
    fixture
}

fn is_refusal(error: &Error) -> bool {
    error.is_developer() && !error.code().is_empty()
}

/// Runs a check on many inputs.
fn for_many<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, check: impl Fn(&Fixture, T) -> bool) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fixture = runtime.block_on(users());
    let _inside = runtime.enter();
    let mut runner = TestRunner::new(Config::with_cases(2_000));
    runner
        .run(&strategy, |input| {
            prop_assert!(check(&fixture, input));
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_query_is_carried_out_or_refused() {
    for_many(prop_oneof![query(), anything()], |fixture, query| {
        let rows = futures::executor::block_on(collect(&mut fixture.begin(), query));
        rows.as_ref().map_or_else(is_refusal, |rows| rows.len() <= 5)
    });
}

#[test]
fn any_page_is_read_or_refused() {
    let number = || prop_oneof![Just(json!(2)), anything()];
    let cursor = || prop_oneof![Just(Json::Null), "[0-9a-f]{0,80}".prop_map(Json::from), anything()];
    for_many((query(), number(), cursor(), cursor()), |fixture, (query, size, cursor, end)| {
        let args = json!({"query": query, "cursor": cursor, "endCursor": end, "pageSize": size});
        let Ok(args) = serde_json::from_value(args) else { return true };
        let page = futures::executor::block_on(fixture.begin().query_page(&args));
        page.as_ref().map_or_else(is_refusal, |page| page.page.len() <= 5)
    });
}

/// A cursor with one wrong digit, or of another query, is no cursor.
#[tokio::test]
async fn a_cursor_is_authentic() {
    let fixture = users().await;
    let query = index_range("users.by_name", json!([]), "asc");
    let args = |cursor: &str| json!({"query": query, "cursor": cursor, "endCursor": null, "pageSize": 2});
    let first = json!({"query": query, "cursor": null, "endCursor": null, "pageSize": 2});
    let good = page(&mut fixture.begin(), first).await.unwrap().continue_cursor;
    assert!(page(&mut fixture.begin(), args(&good)).await.is_ok());
    for position in 0..good.len() {
        let other = if good.as_bytes()[position] == b'0' { "1" } else { "0" };
        let wrong = format!("{}{other}{}", &good[..position], &good[position + 1..]);
        assert_eq!(code(page(&mut fixture.begin(), args(&wrong)).await), "InvalidCursor");
    }
    assert_eq!(code(page(&mut fixture.begin(), args(&good[..good.len() - 2])).await), "InvalidCursor");
}
