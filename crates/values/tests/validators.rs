//! Validators and schemas.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_values::names::{check_field_name, check_identifier};
use convex_wasm_values::{ConvexValue, FieldPath, Schema, TableMapping, TableNumber, Validator};
use serde_json::{Value as Json, json};

struct Tables;

impl TableMapping for Tables {
    fn table_name(&self, number: TableNumber) -> Option<&str> {
        match number.0 {
            10_001 => Some("users"),
            10_002 => Some("posts"),
            513 => Some("_tables"),
            _ => None,
        }
    }
}

fn validator(json: Json) -> Validator {
    let validator = Validator::from_json(&json).unwrap();
    assert_eq!(Validator::from_json(&validator.to_json()).unwrap(), validator);
    validator
}

fn check(validator: &Validator, value: Json) -> Result<(), String> {
    let value = ConvexValue::from_json(&value).unwrap();
    validator.check(&value, &Tables).map_err(|error| error.to_string())
}

fn id_of(table: u32) -> String {
    use convex_wasm_values::{DocumentId, InternalId};
    DocumentId { table: TableNumber(table), internal: InternalId([3; 16]) }.to_string()
}

fn user() -> Validator {
    validator(json!({"type": "object", "value": {
        "name": {"fieldType": {"type": "string"}, "optional": false},
        "age": {"fieldType": {"type": "number"}, "optional": true},
    }}))
}

#[test]
fn every_type_accepts_its_values_only() {
    let values = [
        ("null", json!(null)),
        ("number", json!(1)),
        ("bigint", json!({"$integer": "AQAAAAAAAAA="})),
        ("boolean", json!(true)),
        ("string", json!("x")),
        ("bytes", json!({"$bytes": ""})),
    ];
    for (kind, _) in &values {
        let validator = validator(json!({"type": kind}));
        for (other, value) in &values {
            assert_eq!(check(&validator, value.clone()).is_ok(), kind == other, "{kind} and {value}");
        }
    }
    let any = validator(json!({"type": "any"}));
    values.into_iter().for_each(|(_, value)| check(&any, value).unwrap());
}

#[test]
fn a_missing_field_is_named() {
    assert_eq!(
        check(&user(), json!({"age": 3})).unwrap_err(),
        "Object is missing the required field `name`. Consider wrapping the field validator in `v.optional(...)` if \
         this is expected.\n\nObject: {age: 3.0}\nValidator: v.object({name: v.string(), age: v.optional(v.float64())})"
    );
    check(&user(), json!({"name": "x"})).unwrap();
}

#[test]
fn an_extra_field_is_named() {
    assert_eq!(
        check(&user(), json!({"name": "x", "b": 1})).unwrap_err(),
        "Object contains extra field `b` that is not in the validator.\n\nObject: {b: 1.0, name: \"x\"}\nValidator: \
         v.object({name: v.string(), age: v.optional(v.float64())})"
    );
}

#[test]
fn a_mismatch_has_its_path() {
    let nested = validator(json!({"type": "array", "value": user().to_json()}));
    assert_eq!(
        check(&nested, json!([{"name": "x"}, {"name": "x", "age": "old"}])).unwrap_err(),
        "Value does not match validator.\nPath: [1].age\nValue: \"old\"\nValidator: v.float64()"
    );
    assert_eq!(
        check(&nested, json!(1)).unwrap_err(),
        "Value does not match validator.\nValue: 1.0\nValidator: v.array(v.object({name: v.string(), age: \
         v.optional(v.float64())}))"
    );
}

#[test]
fn literals_and_unions() {
    let union = validator(json!({"type": "union", "value": [
        {"type": "literal", "value": "a"},
        {"type": "literal", "value": {"$integer": "AQAAAAAAAAA="}},
        {"type": "literal", "value": 0},
    ]}));
    check(&union, json!("a")).unwrap();
    check(&union, json!({"$integer": "AQAAAAAAAAA="})).unwrap();
    // -0
    check(&union, json!({"$float": "AAAAAAAAAIA="})).unwrap();
    assert_eq!(
        check(&union, json!(1)).unwrap_err(),
        "Value does not match validator.\nValue: 1.0\nValidator: v.union(v.literal(\"a\"), v.literal(1n), \
         v.literal(0.0))"
    );
    let literal = validator(json!({"type": "literal", "value": true}));
    assert_eq!(
        check(&literal, json!(false)).unwrap_err(),
        "Value is not the expected literal.\nValue: false\nValidator: v.literal(true)"
    );
    assert!(check(&validator(json!({"type": "union", "value": []})), json!(null)).is_err());
}

#[test]
fn ids_have_to_be_of_the_table() {
    let users = validator(json!({"type": "id", "tableName": "users"}));
    check(&users, json!(id_of(10_001))).unwrap();
    let post = id_of(10_002);
    assert_eq!(
        check(&users, json!(post)).unwrap_err(),
        format!(
            "Found ID \"{post}\" from table `posts`, which does not match the table name in validator \
             `v.id(\"users\")`."
        )
    );
    let system = id_of(513);
    assert_eq!(
        check(&users, json!(system)).unwrap_err(),
        format!(
            "Found ID \"{system}\" from a system table, which does not match the table name in validator \
             `v.id(\"users\")`."
        )
    );
    for bad in [json!("x"), json!(1), json!(id_of(10_003))] {
        assert!(check(&users, bad).unwrap_err().starts_with("Value does not match validator.\n"));
    }
}

#[test]
fn records_check_keys_and_values() {
    let record = validator(json!({
        "type": "record",
        "keys": {"type": "id", "tableName": "users"},
        "values": {"fieldType": {"type": "boolean"}, "optional": false},
    }));
    let id = id_of(10_001);
    check(&record, json!({id.as_str(): true})).unwrap();
    let error = check(&record, json!({id.as_str(): 1})).unwrap_err();
    assert_eq!(error, format!("Value does not match validator.\nPath: .{id}\nValue: 1.0\nValidator: v.boolean()"));
    assert!(check(&record, json!({"x": true})).is_err());
}

#[test]
fn commit_timestamps_and_function_handles() {
    let commit_ts = validator(json!({"type": "commitTs"}));
    check(&commit_ts, json!({"$integer": "AQAAAAAAAAA="})).unwrap();
    commit_ts.check(&ConvexValue::CommitTs, &Tables).unwrap();
    assert!(check(&commit_ts, json!(1)).is_err());
    let handle = validator(json!({"type": "function", "fnType": "mutation", "args": {"type": "any"}}));
    check(&handle, json!("function://;messages:send")).unwrap();
    assert!(check(&handle, json!("messages:send")).is_err());
}

#[test]
fn what_is_no_validator_is_refused() {
    for json in [
        json!({"type": "what"}),
        json!({}),
        json!("string"),
        json!({"type": "id"}),
        json!({"type": "id", "tableName": "no table"}),
        json!({"type": "array"}),
        json!({"type": "union", "value": {}}),
        json!({"type": "object", "value": {"a": {}}}),
        json!({"type": "literal", "value": {"$undefined": null}}),
        json!({"type": "record", "keys": {"type": "string"}, "values": {"fieldType": {"type": "any"}, "optional": true}}),
    ] {
        assert!(Validator::from_json(&json).is_err(), "{json}");
    }
    let deep = (0..200).fold(json!({"type": "any"}), |inner, _| json!({"type": "array", "value": inner}));
    assert!(Validator::from_json(&deep).is_err());
    assert_eq!(Validator::from_json(&json!(null)).unwrap(), Validator::Any);
}

#[test]
fn names_follow_their_rules() {
    for good in ["a", "_a", "a1", "A_b", &"x".repeat(64)] {
        check_identifier(good).unwrap();
    }
    for bad in ["", "1a", "a-b", "__", "é", &"x".repeat(65)] {
        check_identifier(bad).unwrap_err();
    }
    for good in ["", "a b", "~", "_x", &"x".repeat(1024)] {
        check_field_name(good).unwrap();
    }
    for bad in ["$a", "a\n", "é", &"x".repeat(1025)] {
        check_field_name(bad).unwrap_err();
    }
    let path = FieldPath::parse("a.b").unwrap();
    let document = ConvexValue::from_json(&json!({"a": {"b": 1}})).unwrap();
    assert_eq!(path.get(document.as_object().unwrap()), Some(&ConvexValue::Float64(1.0)));
    assert_eq!(FieldPath::parse("a.c").unwrap().get(document.as_object().unwrap()), None);
    assert_eq!(FieldPath::parse("a.b.c").unwrap().get(document.as_object().unwrap()), None);
    FieldPath::parse("a..b").unwrap_err();
}

fn table(changes: Json) -> Json {
    let mut table = json!({
        "tableName": "messages",
        "indexes": [{"indexDescriptor": "by_channel", "fields": ["channel", "author.name"]}],
        "stagedDbIndexes": [{"indexDescriptor": "later", "fields": ["body"]}],
        "searchIndexes": [{"indexDescriptor": "search", "searchField": "body", "filterFields": ["channel"]}],
        "stagedSearchIndexes": [],
        "vectorIndexes": [
            {"indexDescriptor": "vector", "vectorField": "embedding", "dimensions": 1536, "filterFields": []},
        ],
        "stagedVectorIndexes": [],
        "documentType": user().to_json(),
    });
    for (key, value) in changes.as_object().unwrap() {
        table[key] = value.clone();
    }
    table
}

fn schema(changes: Json) -> Result<Schema, &'static str> {
    Schema::from_json(&json!({"schemaValidation": true, "tables": [table(changes)]})).map_err(|error| error.code)
}

#[test]
fn a_schema_reads_back_the_same() {
    let schema = schema(json!({})).unwrap();
    assert_eq!(Schema::from_json(&schema.to_json()).unwrap(), schema);
    assert!(schema.tables["messages"].indexes["later"].staged);
    assert_eq!(schema.enforced_type("messages"), Some(&user()));
    assert_eq!(schema.enforced_type("other"), None);
    let unchecked = Schema::from_json(&json!({"schemaValidation": false, "tables": [table(json!({}))]})).unwrap();
    assert_eq!(unchecked.enforced_type("messages"), None);
}

#[test]
fn a_bad_schema_has_its_code() {
    let index = |name: &str, fields: Json| json!({"indexDescriptor": name, "fields": fields});
    let indexes = |list: Json| schema(json!({"indexes": list})).unwrap_err();
    assert_eq!(indexes(json!([index("a", json!(["_id"]))])), "IndexFieldsContainId");
    assert_eq!(indexes(json!([index("a", json!(["_creationTime"]))])), "IndexFieldsContainCreationTime");
    assert_eq!(indexes(json!([index("a", json!([]))])), "EmptyIndex");
    assert_eq!(indexes(json!([index("a", json!(["x", "x"]))])), "FieldsNotUniqueWithinIndex");
    assert_eq!(indexes(json!([index("a", json!(["x"])), index("b", json!(["x"]))])), "IndexNotUnique");
    assert_eq!(indexes(json!([index("_a", json!(["x"]))])), "IndexNameReserved");
    assert_eq!(indexes(json!([index("by_id", json!(["x"]))])), "IndexNameReserved");
    assert_eq!(indexes(json!([index("by_creation_time", json!(["x"]))])), "IndexNameReserved");
    assert_eq!(indexes(json!([index("search", json!(["x"]))])), "IndexNamesNotUnique");
    let fields: Vec<String> = (0..17).map(|number| format!("f{number}")).collect();
    assert_eq!(indexes(json!([index("a", json!(fields))])), "IndexTooManyFields");
    let many: Vec<Json> = (0..65).map(|n| index(&format!("i{n}"), json!([format!("f{n}")]))).collect();
    assert_eq!(indexes(json!(many)), "TooManyIndexes");
    assert_eq!(schema(json!({"tableName": "_x"})).unwrap_err(), "TableNameReserved");
    assert_eq!(schema(json!({"documentType": {"type": "string"}})).unwrap_err(), "InvalidTopLevelTypeInSchemaError");
    let vector = json!([{"indexDescriptor": "v", "vectorField": "e", "dimensions": 1, "filterFields": []}]);
    assert_eq!(schema(json!({"vectorIndexes": vector})).unwrap_err(), "InvalidVectorDimensionError");
}
