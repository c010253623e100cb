//! Tables, indexes and schemas as a transaction finds and makes them. What it finds, and what it does not, counts as read.

use std::sync::Arc;

use convex_wasm_persistence::{KeyRange, TabletId};
use convex_wasm_values::names::check_identifier;
use convex_wasm_values::sort_key::{encode_sort_key, encode_string_key};
use convex_wasm_values::{ConvexValue, FieldPath, InternalId, TableNumber};

use super::{Transaction, with_prefix};
use crate::catalog::{Index, IndexState, SchemaRowState, Table, index_document, schema_document, table_document};
use crate::system_tables::{INDEX, SCHEMAS, TABLES};
use crate::{Error, Result};

/// Most tables of users.
const MAX_TABLES: usize = 10_000;

impl Transaction {
    /// The names of all tables of users, in order.
    pub fn table_names(&mut self) -> Vec<String> {
        self.reads.record(TABLES.index(0), KeyRange::all());
        let mut names: Vec<String> = self.catalog.user_tables().map(|table| table.name.clone()).collect();
        names.sort();
        names
    }

    /// The number that ids of a table carry, or `None` if there is no such table.
    pub fn table_number(&mut self, name: &str) -> Option<TableNumber> {
        self.table(name).map(|table| table.number)
    }

    /// A table by its name. That it exists, or not, counts as read.
    pub(crate) fn table(&mut self, name: &str) -> Option<Arc<Table>> {
        let mut prefix = Vec::new();
        encode_string_key(name, &mut prefix);
        self.reads.record(TABLES.index(2), with_prefix(prefix));
        self.catalog.table(name).cloned()
    }

    /// A table by its number. That it exists, or not, counts as read.
    pub(super) fn table_by_number(&mut self, number: TableNumber) -> Option<Arc<Table>> {
        let table = self.catalog.table_by_number(number).cloned();
        match &table {
            Some(table) => self.reads.record_point(TABLES.index(0), &table.row),
            None => self.reads.record(TABLES.index(0), KeyRange::all()),
        }
        table
    }

    /// The indexes of a name. What there is counts as read.
    pub(super) fn indexes(&mut self, table: &Table, name: &str) -> Vec<Arc<Index>> {
        if !table.is_system() {
            let mut prefix = Vec::new();
            encode_sort_key(Some(&ConvexValue::Bytes(table.tablet.0.0.to_vec())), &mut prefix);
            encode_string_key(name, &mut prefix);
            self.reads.record(INDEX.index(2), with_prefix(prefix));
        }
        table.indexes.iter().filter(|index| index.name == name).cloned().collect()
    }

    /// The table that a document is inserted into.
    pub(super) fn table_to_write(&mut self, name: &str) -> Result<Arc<Table>> {
        check_identifier(name).map_err(|error| Error::developer("InvalidTableName", error))?;
        if name.starts_with('_') {
            return Err(Error::developer("ReadOnlyTable", format!("Table `{name}` cannot be written to.")));
        }
        match self.table(name) {
            Some(table) => Ok(table),
            None => self.create_table(name),
        }
    }

    /// Creates a table with its two built-in indexes.
    pub(crate) fn create_table(&mut self, name: &str) -> Result<Arc<Table>> {
        // The new number depends on all others: two transactions that create tables conflict.
        self.reads.record(TABLES.index(0), KeyRange::all());
        if self.catalog.user_tables().count() >= MAX_TABLES {
            return Err(Error::developer("TooManyTables", format!("There are too many tables (limit: {MAX_TABLES}).")));
        }
        let number = self.catalog.next_table_number();
        let tablet = TabletId(self.insert_system(&TABLES, table_document(name, number))?);
        let built_in = [("by_id", Vec::new()), ("by_creation_time", vec![FieldPath::creation_time()])];
        for (index, fields) in built_in {
            let row = index_document(tablet, index, &fields, IndexState::Enabled, false);
            self.insert_system(&INDEX, row)?;
        }
        self.catalog
            .tablet(tablet)
            .cloned()
            .ok_or_else(|| Error::developer("InvalidTable", format!("Table `{name}` could not be created.")))
    }

    /// Changes the state of a row of `_schemas`.
    pub(crate) async fn set_schema_state(&mut self, id: InternalId, state: SchemaRowState) -> Result<()> {
        let Some(row) = self.catalog.schema(id).cloned() else { return Ok(()) };
        self.replace_system_row(&SCHEMAS, id, Some(schema_document(&row.schema, &state))).await
    }
}
