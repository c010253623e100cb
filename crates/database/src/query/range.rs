//! Ranges of an index: from comparisons of fields to an interval of keys.

use convex_wasm_persistence::KeyRange;
use convex_wasm_values::sort_key::{encode_sort_key, prefix_end};
use convex_wasm_values::{ConvexValue, FieldPath, decode_optional};
use serde_json::Value as Json;

use crate::{Error, Result};

/// A comparison of a field with a value; `None` is `undefined`.
#[derive(Clone, Debug)]
pub struct RangeExpression {
    comparison: Comparison,
    field: FieldPath,
    value: Option<ConvexValue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Eq,
    Gt,
    Gte,
    Lt,
    Lte,
}

impl Comparison {
    fn is_lower(self) -> bool {
        matches!(self, Self::Gt | Self::Gte)
    }
}

impl RangeExpression {
    /// Reads `{"type": "Eq", "fieldPath": …, "value": …}`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let invalid = |problem: String| Error::developer("InvalidIndexRange", problem);
        let comparison = match json.get("type").and_then(Json::as_str) {
            Some("Eq") => Comparison::Eq,
            Some("Gt") => Comparison::Gt,
            Some("Gte") => Comparison::Gte,
            Some("Lt") => Comparison::Lt,
            Some("Lte") => Comparison::Lte,
            _ => return Err(invalid(format!("Unknown index range expression {json}."))),
        };
        let field = json.get("fieldPath").and_then(Json::as_str).unwrap_or_default();
        let field =
            FieldPath::parse(field).map_err(|error| invalid(format!("Invalid field in index range: {error}")))?;
        let value = json.get("value").ok_or_else(|| invalid(format!("Index range expression {json} has no value.")))?;
        Ok(Self { comparison, field, value: decode_optional(value)? })
    }
}

/// The interval of keys that a range means in an index with these fields: equalities on the first fields in the order
/// of the index, then at most one lower and one upper bound, both on the next field.
pub fn key_range(index: &str, fields: &[FieldPath], range: &[RangeExpression]) -> Result<KeyRange> {
    let equalities = range.iter().take_while(|expression| expression.comparison == Comparison::Eq).count();
    let (equalities, bounds) = range.split_at(equalities);
    check_fields(index, fields, range)?;
    for (position, equality) in equalities.iter().enumerate() {
        if fields.get(position) != Some(&equality.field) {
            return Err(out_of_order(index, fields, range, &equality.field));
        }
    }
    let mut prefix = Vec::new();
    equalities.iter().for_each(|equality| encode_sort_key(equality.value.as_ref(), &mut prefix));

    let mut start = prefix.clone();
    let mut end = if prefix.is_empty() { None } else { Some(prefix_end(&prefix)) };
    let (mut lower, mut upper) = (None, None);
    if let Some(late) = bounds.iter().find(|bound| bound.comparison == Comparison::Eq) {
        return Err(out_of_order(index, fields, range, &late.field));
    }
    for bound in bounds {
        if let Some(other) = bounds.iter().find(|other| other.field != bound.field) {
            return Err(Error::developer(
                "BoundsOnMultipleFields",
                format!(
                    "Upper and lower bounds of a range of index {index} can only be on one field, but they are on \
                     \"{}\" and \"{}\".",
                    bound.field, other.field
                ),
            ));
        }
        if fields.get(equalities.len()) != Some(&bound.field) {
            return Err(out_of_order(index, fields, range, &bound.field));
        }
        let side = if bound.comparison.is_lower() { &mut lower } else { &mut upper };
        if side.replace(bound.comparison).is_some() {
            let kind = if bound.comparison.is_lower() { "lower" } else { "upper" };
            return Err(Error::developer(
                "AlreadyDefinedBound",
                format!("The range of index {index} already has a {kind} bound on \"{}\".", bound.field),
            ));
        }
        let mut key = prefix.clone();
        encode_sort_key(bound.value.as_ref(), &mut key);
        match bound.comparison {
            Comparison::Gte => start = key,
            Comparison::Gt => start = prefix_end(&key),
            Comparison::Lt => end = Some(key),
            Comparison::Lte => end = Some(prefix_end(&key)),
            Comparison::Eq => {}
        }
    }
    Ok(KeyRange { start, end })
}

fn check_fields(index: &str, fields: &[FieldPath], range: &[RangeExpression]) -> Result<()> {
    match range.iter().find(|expression| !fields.contains(&expression.field)) {
        None => Ok(()),
        Some(unknown) => Err(Error::developer(
            "FieldNotInIndex",
            format!(
                "The index {index} does not have the field \"{}\"; it is over the fields {}.",
                unknown.field,
                list(fields)
            ),
        )),
    }
}

fn out_of_order(index: &str, fields: &[FieldPath], range: &[RangeExpression], wrong: &FieldPath) -> Error {
    let used: Vec<FieldPath> = range.iter().map(|expression| expression.field.clone()).collect();
    Error::developer(
        "InvalidIndexRange",
        format!(
            "Tried to query index {index} but the query didn't use the index fields in order.\nIndex fields: \
             {}\nQuery fields: {}\nFirst incorrect field: \"{wrong}\"\nFor more information see \
             https://docs.convex.dev/using/indexes.",
            list(fields),
            list(&used)
        ),
    )
}

fn list(fields: &[FieldPath]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| format!("\"{field}\"")).collect();
    format!("[{}]", fields.join(", "))
}
