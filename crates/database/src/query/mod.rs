//! Queries: from their JSON to an interval of an index and operators on its rows.

pub mod cursor;
pub mod filter;
pub mod range;

use convex_wasm_persistence::Order;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{Error, Result};
use filter::Expression;
use range::RangeExpression;

/// Most operators of a query.
const MAX_OPERATORS: usize = 256;

/// A query as the function wrote it.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where the rows come from.
    pub source: Source,
    /// From which end.
    pub order: Order,
    /// What is done with the rows, in this order.
    pub operators: Vec<Operator>,
}

/// Where the rows come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// All documents of a table in the order of their creation.
    Table(String),
    /// A range of an index.
    Index {
        /// The table's name.
        table: String,
        /// The index's name.
        index: String,
        /// Which keys.
        range: Vec<RangeExpression>,
    },
}

/// A step of a query.
#[derive(Clone, Debug)]
pub enum Operator {
    /// Drops rows for which the expression is not `true`.
    Filter(Expression),
    /// Ends the query after this many rows.
    Limit(usize),
}

#[derive(Deserialize)]
struct QueryJson {
    source: SourceJson,
    #[serde(default)]
    operators: Vec<Json>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
enum SourceJson {
    FullTableScan {
        table_name: String,
        #[serde(default)]
        order: Option<OrderJson>,
    },
    IndexRange {
        index_name: String,
        range: Vec<Json>,
        #[serde(default)]
        order: Option<OrderJson>,
    },
    Search {
        index_name: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum OrderJson {
    Asc,
    Desc,
}

impl Query {
    /// Reads the `query` of a system call.
    pub fn from_json(json: &Json) -> Result<Self> {
        let query = QueryJson::deserialize(json).map_err(|error| invalid(&error.to_string()))?;
        if query.operators.len() > MAX_OPERATORS {
            return Err(invalid(&format!("it has more than {MAX_OPERATORS} operators")));
        }
        let operators = query.operators.iter().map(Operator::from_json).collect::<Result<_>>()?;
        let (source, order) = match query.source {
            SourceJson::FullTableScan { table_name, order } => (Source::Table(table_name), order),
            SourceJson::IndexRange { index_name, range, order } => {
                let (table, index) = index_name
                    .split_once('.')
                    .ok_or_else(|| invalid(&format!("\"{index_name}\" is not of the form \"table.index\"")))?;
                let range = range.iter().map(RangeExpression::from_json).collect::<Result<_>>()?;
                (Source::Index { table: table.to_owned(), index: index.to_owned(), range }, order)
            }
            SourceJson::Search { index_name } => {
                return Err(Error::developer(
                    "SearchIndexesUnavailable",
                    format!("Search indexes are not available: cannot query \"{index_name}\"."),
                ));
            }
        };
        let order = match order {
            Some(OrderJson::Desc) => Order::Descending,
            Some(OrderJson::Asc) | None => Order::Ascending,
        };
        Ok(Self { source, order, operators })
    }

    /// The table that is queried.
    pub fn table(&self) -> &str {
        match &self.source {
            Source::Table(table) | Source::Index { table, .. } => table,
        }
    }
}

impl Operator {
    fn from_json(json: &Json) -> Result<Self> {
        if let Some(expression) = json.get("filter") {
            Ok(Self::Filter(Expression::from_json(expression)?))
        } else if let Some(limit) = json.get("limit") {
            // JavaScript has one kind of number: 10 may arrive as 10.0.
            match limit.as_f64() {
                Some(number) if number >= 0.0 && number.fract() == 0.0 => Ok(Self::Limit(number as usize)),
                _ => Err(invalid(&format!("the limit {limit} is not a count"))),
            }
        } else {
            Err(invalid(&format!("unknown operator {json}")))
        }
    }
}

fn invalid(problem: &str) -> Error {
    Error::developer("InvalidQuery", format!("The query is not valid: {problem}."))
}
