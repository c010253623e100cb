//! The JSON shapes of the database's system calls. Unknown fields, such as `version`, are ignored.

use convex_wasm_values::ConvexValue;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Names one document: the argument of `1.0/get` and `1.0/remove`, and a part of others.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentArg {
    /// The id as the function wrote it.
    pub id: String,
    /// The table it must be of, if the function said so.
    #[serde(default)]
    pub table: Option<String>,
    /// Whether the call came through `db.system`.
    #[serde(default)]
    pub is_system: bool,
}

/// The argument of `1.0/insert`.
#[derive(Clone, Debug, Deserialize)]
pub struct InsertArg {
    /// The table's name.
    pub table: String,
    /// The document, encoded.
    pub value: Json,
}

/// The argument of `1.0/shallowMerge`.
#[derive(Clone, Debug, Deserialize)]
pub struct PatchArg {
    /// The document.
    #[serde(flatten)]
    pub document: DocumentArg,
    /// Fields to set, encoded; `{"$undefined": null}` removes a field.
    pub value: Json,
}

/// The argument of `1.0/replace`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReplaceArg {
    /// The document.
    #[serde(flatten)]
    pub document: DocumentArg,
    /// The new content, encoded.
    pub value: Json,
}

/// A query stream of a transaction, from `1.0/queryStream`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueryId(pub u32);

/// The argument of `1.0/queryPage`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageArgs {
    /// The query.
    pub query: Json,
    /// Where the page starts, or `None` for the start of the range.
    #[serde(default)]
    pub cursor: Option<String>,
    /// Where the page ends; then `page_size` is ignored.
    #[serde(default)]
    pub end_cursor: Option<String>,
    /// Rows asked for. A number as JavaScript writes it.
    pub page_size: f64,
    /// Soft limit of rows read, dropped ones included.
    #[serde(default)]
    pub maximum_rows_read: Option<f64>,
    /// Soft limit of bytes read.
    #[serde(default)]
    pub maximum_bytes_read: Option<f64>,
}

/// The result of `1.0/queryPage`; serializes to its JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// The rows.
    pub page: Vec<ConvexValue>,
    /// Whether the range has no rows after this page.
    pub is_done: bool,
    /// Where the page ended.
    pub continue_cursor: String,
    /// A place near the middle of the page, where it can be split.
    pub split_cursor: Option<String>,
    /// Whether the client should split the page.
    pub page_status: Option<PageStatus>,
}

/// Advice to split a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PageStatus {
    /// The page grows large.
    SplitRecommended,
    /// The page was cut at a limit before its end cursor.
    SplitRequired,
}
