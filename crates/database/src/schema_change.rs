//! Changing the schema: pending, backfilled and validated, active.

/// A schema that was submitted: the id of its row in `_schemas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaId(pub String);

/// How far a submitted schema has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProgress {
    /// Where it stands.
    pub state: SchemaState,
    /// Whether all documents were checked.
    pub validation_complete: bool,
    /// Its indexes that are complete.
    pub indexes_complete: usize,
    /// Its indexes.
    pub indexes_total: usize,
}

/// Where a submitted schema stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// Indexes are being built, or documents checked.
    Pending,
    /// All done: it can be activated.
    Validated,
    /// A document does not match.
    Failed {
        /// Convex's text, with the document's id.
        error: String,
        /// The document's table.
        table: Option<String>,
    },
    /// It is in force.
    Active,
    /// Another schema was submitted or activated since.
    Overwritten,
}
