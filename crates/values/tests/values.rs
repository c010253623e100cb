//! Values: JSON formats, order, sort keys, sizes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_values::sort_key::{encode_sort_key, prefix_end};
use convex_wasm_values::{
    ConvexObject, ConvexValue, JsonFormat, ValueError, decode_document, decode_optional, decode_patch,
};
use proptest::prelude::*;
use serde_json::json;

fn value() -> impl Strategy<Value = ConvexValue> {
    let scalar = prop_oneof![
        Just(ConvexValue::Null),
        any::<i64>().prop_map(ConvexValue::Int64),
        (-3i64..300).prop_map(ConvexValue::Int64),
        any::<f64>().prop_map(ConvexValue::Float64),
        any::<u64>().prop_map(|bits| ConvexValue::Float64(f64::from_bits(bits))),
        any::<bool>().prop_map(ConvexValue::Boolean),
        "[\0a-c\u{e9}\u{1F600}]{0,4}".prop_map(ConvexValue::String),
        prop::collection::vec(prop_oneof![Just(0u8), Just(255), any::<u8>()], 0..4).prop_map(ConvexValue::Bytes),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(ConvexValue::Array),
            prop::collection::btree_map("[a-c ]{0,2}", inner, 0..4).prop_map(ConvexValue::Object),
        ]
    })
}

fn sort_key(value: Option<&ConvexValue>) -> Vec<u8> {
    let mut key = Vec::new();
    encode_sort_key(value, &mut key);
    key
}

proptest! {
    #[test]
    fn encoded_json_reads_back_the_same(value in value()) {
        let text = value.to_json_text(JsonFormat::Encoded);
        let read = ConvexValue::from_json_text(&text).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(ConvexValue::from_json(&value.to_json(JsonFormat::Encoded)).unwrap(), value);
    }

    #[test]
    fn sort_keys_order_as_values_do(a in value(), b in value()) {
        prop_assert_eq!(sort_key(Some(&a)).cmp(&sort_key(Some(&b))), a.cmp(&b));
        prop_assert!(sort_key(None) < sort_key(Some(&a)));
    }

    #[test]
    fn keys_of_several_values_order_as_sequences_do(a in prop::collection::vec(value(), 2), b in prop::collection::vec(value(), 2)) {
        let key = |values: &[ConvexValue]| -> Vec<u8> { values.iter().flat_map(|value| sort_key(Some(value))).collect() };
        prop_assert_eq!(key(&a).cmp(&key(&b)), a.cmp(&b));
    }

    #[test]
    fn keys_that_start_with_a_value_lie_before_its_end(a in value(), b in value(), next in value()) {
        let start = sort_key(Some(&a));
        let key = [sort_key(Some(&b)), sort_key(Some(&next))].concat();
        prop_assert_eq!(start <= key && key < prefix_end(&start), a == b);
        prop_assert_eq!(key < prefix_end(&start), b <= a);
        prop_assert!(sort_key(Some(&next)) < prefix_end(&[]));
    }
}

#[test]
fn a_string_is_not_a_prefix_of_a_longer_one() {
    let key = |text: &str| [sort_key(Some(&ConvexValue::from(text))), sort_key(Some(&ConvexValue::Null))].concat();
    let start = sort_key(Some(&ConvexValue::from("a")));
    assert!((start.clone()..prefix_end(&start)).contains(&key("a")));
    assert!(!(start.clone()..prefix_end(&start)).contains(&key("a\0")));
}

#[test]
fn writes_the_example_of_the_encoding() {
    let object = ConvexObject::from([
        ("a".to_owned(), ConvexValue::Int64(1)),
        ("b".to_owned(), ConvexValue::Float64(-0.0)),
        ("c".to_owned(), ConvexValue::Bytes(vec![0xde, 0xad])),
        ("d".to_owned(), ConvexValue::Float64(1.5)),
    ]);
    let value = ConvexValue::Object(object);
    assert_eq!(
        value.to_json_text(JsonFormat::Encoded),
        r#"{"a":{"$integer":"AQAAAAAAAAA="},"b":{"$float":"AAAAAAAAAIA="},"c":{"$bytes":"3q0="},"d":1.5}"#
    );
    assert_eq!(value.to_json_text(JsonFormat::Clean), r#"{"a":"1","b":-0.0,"c":"3q0=","d":1.5}"#);
    assert_eq!(
        value.to_json_text(JsonFormat::Export),
        r#"{"a":1,"b":{"$float":"AAAAAAAAAIA="},"c":{"$bytes":"3q0="},"d":1.5}"#
    );
}

#[test]
fn clean_json_spells_special_floats() {
    let text = |number: f64| ConvexValue::Float64(number).to_json_text(JsonFormat::Clean);
    assert_eq!(text(f64::NAN), r#""NaN""#);
    assert_eq!(text(f64::INFINITY), r#""Infinity""#);
    assert_eq!(text(f64::NEG_INFINITY), r#""-Infinity""#);
    assert_eq!(ConvexValue::Float64(3.0).to_json_text(JsonFormat::Export), "3.0");
}

#[test]
fn an_integer_literal_is_a_float() {
    assert_eq!(ConvexValue::from_json(&json!(3)).unwrap(), ConvexValue::Float64(3.0));
    assert_eq!(ConvexValue::from_json_text("1760000000000.25").unwrap(), ConvexValue::Float64(1_760_000_000_000.25));
}

#[test]
fn refuses_what_is_not_a_value() {
    let code = |text: &str| ConvexValue::from_json_text(text).unwrap_err().code();
    assert_eq!(code(r#"{"$undefined":null}"#), "UndefinedNotAllowed");
    assert_eq!(code(r#"[{"$undefined":null}]"#), "UndefinedNotAllowed");
    assert_eq!(code(r#"{"a":{"$undefined":null}}"#), "UndefinedNotAllowed");
    assert_eq!(code(r#"{"$commitTs":null}"#), "UnresolvedCommitTimestamp");
    assert_eq!(code(r#"{"$other":1}"#), "InvalidFieldName");
    assert_eq!(code(r#"{"a":1,"$integer":"AQAAAAAAAAA="}"#), "InvalidFieldName");
    assert_eq!(code(r#"{"$integer":"AQAAAAAAAAA=","a":1}"#), "InvalidFieldName");
    assert_eq!(code(r#"{"$integer":"AQAAAAAAAA=="}"#), "BadConvexEncoding");
    assert_eq!(code(r#"{"$integer":"AQAAAAAAAAA"}"#), "BadConvexEncoding");
    assert_eq!(code(r#"{"$integer":1}"#), "BadConvexEncoding");
    assert_eq!(code(r#"{"$bytes":"3q0"}"#), "BadConvexEncoding");
    // 1.5 has a number literal.
    assert_eq!(code(r#"{"$float":"AAAAAAAA+D8="}"#), "BadConvexEncoding");
    assert_eq!(code(r#"{"é":1}"#), "InvalidFieldName");
    assert_eq!(code(&format!(r#"{{"{}":1}}"#, "x".repeat(1025))), "InvalidFieldName");
    assert_eq!(code(r#""\ud800""#), "BadConvexJson");
    assert_eq!(code("1 2"), "BadConvexJson");
    assert_eq!(code(&format!("[{}1]", "1,".repeat(8192))), "ArrayTooLong");
    let fields: Vec<String> = (0..1025).map(|number| format!(r#""f{number}":1"#)).collect();
    assert_eq!(code(&format!("{{{}}}", fields.join(","))), "TooManyFieldsError");
    assert_eq!(code(&format!("{}{}", "[".repeat(65), "]".repeat(65))), "TooNestedError");
    assert_eq!(code(&format!("\"{}\"", "x".repeat(32 << 20))), "ValueTooLargeError");
}

#[test]
fn accepts_what_is_at_the_limits() {
    for text in [
        format!("[{}1]", "1,".repeat(8191)),
        format!("{}{}", "[".repeat(64), "]".repeat(64)),
        format!(r#"{{"{}":1}}"#, "x".repeat(1024)),
        r#"{"":1}"#.to_owned(),
    ] {
        ConvexValue::from_json_text(&text).unwrap();
    }
}

#[test]
fn undefined_has_its_places() {
    assert_eq!(decode_optional(&json!({"$undefined": null})).unwrap(), None);
    assert_eq!(decode_optional(&json!(null)).unwrap(), Some(ConvexValue::Null));
    let patch = decode_patch(&json!({"a": {"$undefined": null}, "b": 1})).unwrap();
    assert_eq!(patch, [("a".to_owned(), None), ("b".to_owned(), Some(ConvexValue::Float64(1.0)))]);
    assert_eq!(decode_patch(&json!({"a": [{"$undefined": null}]})), Err(ValueError::Undefined));
    assert_eq!(decode_patch(&json!({"$a": 1})).unwrap_err().code(), "InvalidFieldName");
    assert_eq!(decode_patch(&json!([])).unwrap_err().code(), "NotAnObject");
}

#[test]
fn a_commit_timestamp_is_open_until_the_commit() {
    let json = json!({"a": {"$commitTs": null}, "b": [{"$commitTs": null}], "c": {"$integer": "AQAAAAAAAAA="}});
    let document = decode_document(&json).unwrap();
    assert_eq!(decode_document(&json!(1)).unwrap_err().code(), "NotAnObject");
    assert_eq!(decode_patch(&json!({"a": {"$commitTs": null}})).unwrap()[0].1, Some(ConvexValue::CommitTs));
    let mut value = ConvexValue::Object(document);
    assert_eq!(value.to_json(JsonFormat::Encoded), json);
    assert_eq!(value.to_string(), "{a: db.vars.commitTs, b: [db.vars.commitTs], c: 1n}");
    assert!(value.holds_commit_ts());
    assert!(
        ConvexValue::CommitTs > ConvexValue::Int64(i64::MAX - 1) && ConvexValue::CommitTs < ConvexValue::Float64(0.)
    );
    assert_eq!(sort_key(Some(&ConvexValue::CommitTs)), sort_key(Some(&ConvexValue::Int64(i64::MAX))));
    value.resolve_commit_ts(7);
    assert!(!value.holds_commit_ts());
    assert_eq!(value.to_string(), "{a: 7n, b: [7n], c: 1n}");
}

#[test]
fn types_come_in_their_order() {
    let values = [
        json!(null),
        json!({"$integer": "/////////38="}),
        json!({"$float": "AAAAAAAA8P8="}),
        json!(-1),
        json!(1e308),
        json!(false),
        json!(true),
        json!(""),
        json!("\u{ffff}"),
        json!("\u{10000}"),
        json!({"$bytes": ""}),
        json!([]),
        json!([null]),
        json!({}),
        json!({"": 1}),
        json!({"a": 1}),
        json!({"a": 1, "b": 0}),
        json!({"a": 2}),
    ];
    let values: Vec<ConvexValue> = values.iter().map(|json| ConvexValue::from_json(json).unwrap()).collect();
    for pair in values.windows(2) {
        assert!(pair[0] < pair[1], "{} < {}", pair[0], pair[1]);
        assert!(sort_key(Some(&pair[0])) < sort_key(Some(&pair[1])), "{} < {}", pair[0], pair[1]);
    }
    assert!(ConvexValue::Float64(-0.0) < ConvexValue::Float64(0.0));
    assert!(ConvexValue::Float64(f64::INFINITY) < ConvexValue::Float64(f64::NAN));
}

#[test]
fn sort_keys_have_their_bytes() {
    let key = |json: serde_json::Value| hex(&sort_key(Some(&ConvexValue::from_json(&json).unwrap())));
    let int = |number: i64| hex(&sort_key(Some(&ConvexValue::Int64(number))));
    assert_eq!(hex(&sort_key(None)), "01");
    assert_eq!(key(json!(null)), "03");
    assert_eq!([0, 1, 127, 128, -1, -128, -129].map(int), ["08", "0901", "097f", "0a0080", "07ff", "0780", "06ff7f"]);
    assert_eq!(int(i64::MIN), "048000000000000000");
    assert_eq!(int(1 << 40), "0c0000010000000000");
    assert_eq!(key(json!(1)), "0dbff0000000000000");
    assert_eq!(key(json!(-1)), "0d400fffffffffffff");
    assert_eq!([key(json!(false)), key(json!(true))], ["0e", "0f"]);
    assert_eq!(key(json!("a\0b")), "106100ff6200");
    assert_eq!(key(json!({"$bytes": "AP8="})), "1100ffff00");
    assert_eq!(key(json!([null, [true]])), "1203120f0000");
    assert_eq!(key(json!({"": null, "a": true})), "1500ff0361000f00");
}

#[test]
fn sizes_are_those_of_convex() {
    let size = |json: serde_json::Value| ConvexValue::from_json(&json).unwrap().size();
    assert_eq!(size(json!(null)), 1);
    assert_eq!(size(json!(true)), 1);
    assert_eq!(size(json!(1)), 9);
    assert_eq!(size(json!({"$integer": "AQAAAAAAAAA="})), 9);
    assert_eq!(size(json!("né")), 5);
    assert_eq!(size(json!({"$bytes": "3q0="})), 4);
    assert_eq!(size(json!([1, null])), 12);
    assert_eq!(size(json!({"ab": null, "c": "x"})), 2 + 3 + 1 + 2 + 3);
}

#[test]
fn values_print_like_javascript() {
    let print = |json: serde_json::Value| ConvexValue::from_json(&json).unwrap().to_string();
    assert_eq!(
        print(json!({"name": "x", "age": 3, "big": {"$integer": "AQAAAAAAAAA="}, "a b": [null, true, 1.5]})),
        r#"{"a b": [null, true, 1.5], age: 3.0, big: 1n, name: "x"}"#
    );
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
