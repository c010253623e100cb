//! Whatever a client or a file holds, decoders answer with a value or an error, and take only what is written the same way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_values::{
    ConvexObject, ConvexValue, DocumentId, FieldPath, JsonFormat, Schema, Validator, decode_document, decode_optional,
    decode_patch,
};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

/// JSON that looks like what decoders expect: their own keywords in places where they belong, and where they do not.
fn json() -> impl Strategy<Value = Json> {
    let word = prop::sample::select(vec![
        "$integer",
        "$float",
        "$bytes",
        "$undefined",
        "$commitTs",
        "$",
        "",
        "_id",
        "_creationTime",
        "type",
        "value",
        "keys",
        "values",
        "fieldType",
        "optional",
        "tableName",
        "tables",
        "indexes",
        "stagedDbIndexes",
        "searchIndexes",
        "vectorIndexes",
        "indexDescriptor",
        "fields",
        "searchField",
        "filterFields",
        "vectorField",
        "dimensions",
        "documentType",
        "schemaValidation",
        "object",
        "array",
        "record",
        "union",
        "literal",
        "id",
        "any",
        "null",
        "number",
        "bigint",
        "string",
        "bytes",
        "boolean",
        "AAAAAAAAAAA=",
        "AAAAAAAAAIA=",
        "AQAAAAAAAAA",
        "a.b",
        "by_id",
        "users",
    ]);
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_map(|number| json!(number)),
        word.clone().prop_map(Json::from),
        ".{0,12}".prop_map(Json::from),
    ];
    leaf.prop_recursive(5, 64, 5, move |inner| {
        let name = prop_oneof![4 => word.clone().prop_map(str::to_owned), 1 => ".{0,6}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::vec((name, inner), 0..5).prop_map(|fields| Json::Object(Map::from_iter(fields))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_json_is_a_value_or_refused(json in json()) {
        if let Ok(value) = ConvexValue::from_json(&json) {
            let written = value.to_json(JsonFormat::Encoded);
            prop_assert_eq!(ConvexValue::from_json(&written), Ok(value));
        }
        if let Ok(document) = decode_document(&json) {
            prop_assert!(document.keys().all(|name| !name.starts_with('$')));
        }
        let _ = (decode_optional(&json), decode_patch(&json));
    }

    #[test]
    fn any_text_is_a_value_or_refused(text in ".{0,64}", depth in 0usize..100_000) {
        let _ = ConvexValue::from_json_text(&text);
        // Too deep for anybody's stack.
        prop_assert!(depth <= 64 || ConvexValue::from_json_text(&"[".repeat(depth)).is_err());
    }

    #[test]
    fn any_stored_document_is_read_or_refused(json in json(), cut in any::<prop::sample::Index>()) {
        let text = json.to_string();
        if let Ok(document) = serde_json::from_str::<ConvexObject>(&text) {
            let written = serde_json::to_string(&document).unwrap();
            prop_assert_eq!(serde_json::from_str::<ConvexObject>(&written).unwrap(), document);
        }
        // A document that was not written to its end.
        let bytes = &text.as_bytes()[..cut.index(text.len())];
        let _ = serde_json::from_slice::<ConvexObject>(bytes);
    }

    #[test]
    fn any_schema_is_one_or_refused(json in json()) {
        if let Ok(schema) = Schema::from_json(&json) {
            prop_assert_eq!(Schema::from_json(&schema.to_json()).unwrap(), schema);
        }
        let _ = Validator::from_json(&json);
    }

    #[test]
    fn any_text_is_an_id_or_refused(text in prop_oneof![".{0,40}", "[0-9a-z]{28,40}"]) {
        if let Ok(id) = text.parse::<DocumentId>() {
            prop_assert_eq!(id.to_string(), text.clone());
        }
        let _ = FieldPath::parse(&text);
    }

    #[test]
    fn one_wrong_character_spoils_an_id(position in 0usize..32, digit in "[0-9a-hjkmnp-tv-z]") {
        let mut text = "j57000820c20a1g7104gm2rc1m70ynr8".to_owned();
        text.replace_range(position..position + 1, &digit);
        prop_assert!(text == "j57000820c20a1g7104gm2rc1m70ynr8" || text.parse::<DocumentId>().is_err());
    }
}
