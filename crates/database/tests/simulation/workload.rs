//! What clients do, drawn at random from little: few tables, few fields, few values, so that everything meets.

use convex_wasm_values::{ConvexValue, decode_optional};
use serde_json::{Value as Json, json};

use crate::chance::Chance;
use crate::model::SortKey;

pub const TABLES: [&str; 3] = ["a", "b", "c"];
/// Every index that a schema may have: name and fields.
pub const INDEXES: [(&str, &[&str]); 3] = [("by_x", &["x"]), ("by_y", &["y"]), ("by_x_y", &["x", "y"])];
/// The table in which each transaction that writes leaves its number.
pub const MARKERS: &str = "markers";

/// An operation of a transaction. Values are Convex's JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Get(String),
    Insert { table: &'static str, value: Json },
    Patch { id: String, value: Json },
    Replace { id: String, value: Json },
    Delete(String),
    Query(Query),
    Page { query: Query, cursor: Option<String>, after: Option<SortKey>, size: usize },
    Count(&'static str),
    BeginNested,
    CommitNested,
    RollBackNested,
}

/// A query: equalities on the first fields of an index, then bounds on the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub table: &'static str,
    /// `None` for a full table scan.
    pub index: Option<(&'static str, &'static [&'static str])>,
    pub equal: Vec<Json>,
    pub lower: Option<(Json, bool)>,
    pub upper: Option<(Json, bool)>,
    pub descending: bool,
    pub limit: Option<usize>,
}

impl Query {
    /// All documents of a table in an order.
    pub fn all(table: &'static str, index: Option<(&'static str, &'static [&'static str])>, descending: bool) -> Self {
        Self { table, index, equal: Vec::new(), lower: None, upper: None, descending, limit: None }
    }

    fn random(chance: &Chance) -> Self {
        let table = *chance.pick(&TABLES);
        let mut query = Self::all(table, (!chance.one_in(3)).then(|| *chance.pick(&INDEXES)), chance.one_in(2));
        query.limit = chance.one_in(2).then(|| chance.below(4));
        let Some((_, fields)) = query.index else { return query };
        query.equal = (0..chance.below(fields.len() + 1)).map(|_| value(chance)).collect();
        if query.equal.len() < fields.len() {
            query.lower = chance.one_in(3).then(|| (value(chance), chance.one_in(2)));
            query.upper = chance.one_in(3).then(|| (value(chance), chance.one_in(2)));
        }
        query
    }

    pub fn to_json(&self) -> Json {
        let order = if self.descending { "desc" } else { "asc" };
        let operators = self.limit.map_or(json!([]), |limit| json!([{"limit": limit}]));
        let source = match self.index {
            None => json!({"type": "FullTableScan", "tableName": self.table, "order": order}),
            Some((index, fields)) => {
                let mut range: Vec<Json> = self
                    .equal
                    .iter()
                    .zip(fields)
                    .map(|(value, field)| json!({"type": "Eq", "fieldPath": field, "value": value}))
                    .collect();
                let mut bound = |bound: &Option<(Json, bool)>, inclusive: &str, exclusive: &str| {
                    if let Some((value, is_inclusive)) = bound {
                        let comparison = if *is_inclusive { inclusive } else { exclusive };
                        range.push(json!({"type": comparison, "fieldPath": fields[self.equal.len()], "value": value}));
                    }
                };
                bound(&self.lower, "Gte", "Gt");
                bound(&self.upper, "Lte", "Lt");
                let index = format!("{}.{index}", self.table);
                json!({"type": "IndexRange", "indexName": index, "range": range, "order": order})
            }
        };
        json!({"source": source, "operators": operators})
    }
}

/// A value as the database compares it.
pub fn decoded(value: &Json) -> Option<ConvexValue> {
    decode_optional(value).unwrap()
}

/// Values of several types that are near each other, `undefined` among them.
fn value(chance: &Chance) -> Json {
    let values = [
        json!({"$undefined": null}),
        json!(null),
        json!({"$integer": "AQAAAAAAAAA="}),
        json!({"$float": "AAAAAAAAAIA="}),
        json!(0.0),
        json!(1.0),
        json!(true),
        json!("a"),
        json!("a\0"),
        json!([1.0]),
    ];
    chance.pick(&values).clone()
}

/// Fields of a new document.
fn fields(chance: &Chance) -> Json {
    let mut fields = json!({"n": chance.below(1000)});
    for name in ["x", "y"] {
        let value = value(chance);
        if decoded(&value).is_some() {
            fields[name] = value;
        }
    }
    fields
}

/// Changes of some fields, removals among them.
fn changes(chance: &Chance) -> Json {
    let mut changes = json!({"n": chance.below(1000)});
    for name in ["x", "y"] {
        if chance.one_in(2) {
            changes[name] = value(chance);
        }
    }
    changes
}

/// The next operation of a transaction. `ids` are documents it may know, `depth` is how many nested functions run.
pub fn next(chance: &Chance, ids: &[String], writes: bool, depth: usize) -> Op {
    let id = || chance.pick(ids).clone();
    loop {
        return match chance.below(if writes { 18 } else { 6 }) {
            0 | 1 if !ids.is_empty() => Op::Get(id()),
            2..=4 => Op::Query(Query::random(chance)),
            5 => Op::Count(table(chance)),
            6..=8 => Op::Insert { table: table(chance), value: fields(chance) },
            9..=11 if !ids.is_empty() => Op::Patch { id: id(), value: changes(chance) },
            12 if !ids.is_empty() => Op::Replace { id: id(), value: fields(chance) },
            13 | 14 if !ids.is_empty() => Op::Delete(id()),
            15 => Op::BeginNested,
            16 if depth > 0 => Op::CommitNested,
            17 if depth > 0 => Op::RollBackNested,
            _ => continue,
        };
    }
}

/// A query to be read page by page.
pub fn paged_query(chance: &Chance) -> Query {
    Query { limit: None, ..Query::random(chance) }
}

/// The JSON of a schema with some of the indexes.
pub fn schema(indexes: impl Fn(&str, &str) -> bool) -> Json {
    let tables: Vec<Json> = TABLES
        .iter()
        .map(|table| {
            let indexes: Vec<Json> = INDEXES
                .iter()
                .filter(|(name, _)| indexes(table, name))
                .map(|(name, fields)| json!({"indexDescriptor": name, "fields": fields}))
                .collect();
            json!({"tableName": table, "documentType": null, "indexes": indexes})
        })
        .collect();
    json!({"schemaValidation": true, "tables": tables})
}

fn table(chance: &Chance) -> &'static str {
    let table: &&str = chance.pick(&TABLES);
    table
}
