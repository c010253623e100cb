//! How imported documents get into tables: in batches, so that neither memory nor other writers suffer. An import that
//! fails in the middle leaves the batches before; `--replace` repairs that.

use convex_wasm_database::{DocumentArg, Error, Result};
use convex_wasm_knobs::{IMPORT_BATCH_BYTES, IMPORT_BATCH_DOCUMENTS, IMPORT_OCC_MAX_RETRIES};
use convex_wasm_values::value::object_size;
use convex_wasm_values::{ConvexObject, ConvexValue};
use serde::Deserialize;

use super::export::page;
use super::formats::ImportedTable;
use crate::Backend;

/// What happens to documents that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// There must be none in the tables that are imported.
    RequireEmpty,
    /// They stay.
    Append,
    /// Those of the tables that are imported are deleted.
    Replace,
    /// Those of all tables are deleted.
    ReplaceAll,
}

/// What an import will do.
pub struct Plan {
    /// For people.
    pub message: String,
    /// Whether anything will be deleted.
    pub deletes: bool,
}

/// Looks at what an import would do.
///
/// # Errors
/// Tables have documents that must have none, or the database failed.
pub fn plan(backend: &Backend, tables: &[ImportedTable], mode: Mode) -> Result<Plan> {
    let mut transaction = backend.begin_system();
    let mut message = String::from("Import of these documents:\n");
    let mut deletes = false;
    for table in tables {
        let present = transaction.count(&table.name)?;
        if mode == Mode::RequireEmpty && present > 0 {
            return Err(Error::developer(
                "TableNotEmpty",
                format!(
                    "Data already exists in table \"{}\". Use `--append` to add to it, `--replace` to replace it.",
                    table.name
                ),
            ));
        }
        let deleted = if mode == Mode::Append { 0 } else { present };
        deletes |= deleted > 0;
        message.push_str(&format!(
            "  {}: {} added, {deleted} of {present} deleted\n",
            table.name,
            table.documents.len()
        ));
    }
    for name in other_tables(backend, tables, mode) {
        let present = transaction.count(&name)?;
        deletes |= present > 0;
        message.push_str(&format!("  {name}: all {present} deleted\n"));
    }
    Ok(Plan { message, deletes })
}

/// Carries an import out; the number of documents that were added.
///
/// # Errors
/// A document does not fit into its table, or the database failed.
pub async fn run(backend: &Backend, tables: Vec<ImportedTable>, mode: Mode) -> Result<usize> {
    if matches!(mode, Mode::Replace | Mode::ReplaceAll) {
        let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
        for name in names.into_iter().chain(other_tables(backend, &tables, mode)) {
            clear(backend, &name).await?;
        }
    }
    claim(backend, &tables).await?;
    let mut added = 0;
    for table in &tables {
        for batch in batches(&table.documents) {
            insert(backend, &table.name, batch).await?;
            added += batch.len();
        }
    }
    Ok(added)
}

/// Tables that are emptied though nothing is imported into them.
fn other_tables(backend: &Backend, tables: &[ImportedTable], mode: Mode) -> Vec<String> {
    if mode != Mode::ReplaceAll {
        return Vec::new();
    }
    let mut names = backend.begin_system().table_names();
    names.retain(|name| tables.iter().all(|table| table.name != *name));
    names
}

/// Repeats a change that met conflicts.
struct Attempts(u32);

impl Attempts {
    /// Whether a result is final.
    fn settle<T>(&mut self, result: Result<T>) -> Option<Result<T>> {
        match result {
            Err(error) if error.is_retriable() && self.0 < IMPORT_OCC_MAX_RETRIES.get() => {
                self.0 += 1;
                None
            }
            result => Some(result),
        }
    }
}

/// Deletes all documents of a table.
async fn clear(backend: &Backend, table: &str) -> Result<()> {
    let mut attempts = Attempts(0);
    loop {
        let mut transaction = backend.begin_system();
        let documents = page(&mut transaction, table, None).await?.page;
        if documents.is_empty() {
            return Ok(());
        }
        for document in &documents {
            let id = document.as_object().and_then(|document| document.get("_id")).and_then(ConvexValue::as_str);
            let id = id.unwrap_or_default().to_owned();
            transaction.delete(&DocumentArg { id, table: None, is_system: false }).await?;
        }
        if let Some(result) = attempts.settle(backend.database.commit(transaction).await) {
            result?;
        }
    }
}

/// Makes the tables and gives them the numbers that the documents' ids carry.
async fn claim(backend: &Backend, tables: &[ImportedTable]) -> Result<()> {
    let mut attempts = Attempts(0);
    loop {
        let mut transaction = backend.begin_system();
        for table in tables {
            if let Some(number) = table.number {
                transaction.claim_table(&table.name, number).await?;
            }
        }
        if let Some(result) = attempts.settle(backend.database.commit(transaction).await) {
            return result.map(|_| ());
        }
    }
}

async fn insert(backend: &Backend, table: &str, documents: &[ConvexObject]) -> Result<()> {
    let mut attempts = Attempts(0);
    loop {
        let mut transaction = backend.begin_system();
        for document in documents {
            transaction.import(table, document.clone()).await?;
        }
        if let Some(result) = attempts.settle(backend.database.commit(transaction).await) {
            return result.map(|_| ());
        }
    }
}

/// Slices of documents that one transaction can write.
fn batches(mut documents: &[ConvexObject]) -> Vec<&[ConvexObject]> {
    let mut batches = Vec::new();
    while !documents.is_empty() {
        let (mut length, mut bytes) = (0, 0);
        while length < documents.len().min(IMPORT_BATCH_DOCUMENTS.get()) {
            bytes += object_size(&documents[length]);
            if length > 0 && bytes > IMPORT_BATCH_BYTES.get() {
                break;
            }
            length += 1;
        }
        let (batch, rest) = documents.split_at(length);
        batches.push(batch);
        documents = rest;
    }
    batches
}
