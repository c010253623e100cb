//! How imported documents get into tables.

use convex_wasm_database::{DocumentArg, Error, FileContent, Result, Transaction};
use convex_wasm_knobs::IMPORT_OCC_MAX_RETRIES;
use convex_wasm_storage::Written;
use futures::StreamExt;
use serde::Deserialize;

use super::export::{FILES, ids};
use super::formats::{Imported, ImportedFile, ImportedTable};
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
pub fn plan(backend: &Backend, import: &Imported, mode: Mode) -> Result<Plan> {
    let Imported { tables, files } = import;
    let mut transaction = backend.begin_system();
    let mut message = String::from("Import of these documents:\n");
    let mut deletes = false;
    for table in tables {
        let present = transaction.count(&table.name)?;
        if mode == Mode::RequireEmpty && present > 0 {
            return Err(not_empty(&table.name));
        }
        let deleted = if mode == Mode::Append { 0 } else { present };
        deletes |= deleted > 0;
        message.push_str(&format!(
            "  {}: {} added, {deleted} of {present} deleted\n",
            table.name,
            table.documents.len()
        ));
    }
    for name in other_tables(&mut transaction, tables, mode) {
        let present = transaction.count(&name)?;
        deletes |= present > 0;
        message.push_str(&format!("  {name}: all {present} deleted\n"));
    }
    if let Some(files) = files {
        let present = transaction.count(FILES)?;
        deletes |= present > 0 && !matches!(mode, Mode::Append | Mode::RequireEmpty);
        message.push_str(&format!("  files: {} added, {present} present\n", files.len()));
    }
    Ok(Plan { message, deletes })
}

/// Carries an import out; the number of documents that were added. It happens as a whole or not at all: everything is one
/// transaction, without the limits of those of functions.
///
/// # Errors
/// A document does not fit into its table, or the database failed.
pub async fn run(backend: &Backend, import: &Imported, mode: Mode) -> Result<usize> {
    let Imported { tables, files } = import;
    // Contents of an import that fails are swept away later, as those of any upload that was abandoned.
    let files = match files {
        Some(files) => Some(store(backend, files).await?),
        None => None,
    };
    let mut conflicts = 0;
    loop {
        let mut transaction = backend.begin_system();
        transaction.lift_limits();
        write(&mut transaction, tables, mode).await?;
        if let Some(files) = &files {
            write_files(&mut transaction, files, mode).await?;
        }
        match backend.database.commit(transaction).await {
            Err(error) if error.is_retriable() && conflicts < IMPORT_OCC_MAX_RETRIES.get() => conflicts += 1,
            result => return result.map(|_| tables.iter().map(|table| table.documents.len()).sum()),
        }
    }
}

async fn write(transaction: &mut Transaction, tables: &[ImportedTable], mode: Mode) -> Result<()> {
    for table in tables {
        if mode == Mode::RequireEmpty && transaction.count(&table.name)? > 0 {
            return Err(not_empty(&table.name));
        }
        if matches!(mode, Mode::Replace | Mode::ReplaceAll) {
            clear(transaction, &table.name).await?;
        }
    }
    for name in other_tables(transaction, tables, mode) {
        clear(transaction, &name).await?;
    }
    // Tables get the numbers that the documents' ids carry before any of them has documents.
    for table in tables {
        if let Some(number) = table.number {
            transaction.claim_table(&table.name, number).await?;
        }
    }
    for table in tables {
        for document in &table.documents {
            transaction.import(&table.name, document.clone()).await?;
        }
    }
    Ok(())
}

/// A file whose content is stored.
struct StoredContent<'a> {
    file: &'a ImportedFile,
    content: FileContent,
}

async fn store<'a>(backend: &Backend, files: &'a [ImportedFile]) -> Result<Vec<StoredContent<'a>>> {
    let mut stored = Vec::new();
    for file in files {
        let content = file.content.clone();
        let stream = futures::stream::once(async move { Ok(content) }).boxed();
        let written = backend.storage.files.write(stream).await;
        let Written { key, sha256, size } = written.map_err(|error| {
            Error::developer("ImportFailed", format!("The content of {} could not be stored: {error}.", file.id))
        })?;
        let content_type = file.content_type.clone();
        let content = FileContent { key: key.as_str().to_owned(), sha256, size, content_type };
        stored.push(StoredContent { file, content });
    }
    Ok(stored)
}

async fn write_files(transaction: &mut Transaction, files: &[StoredContent<'_>], mode: Mode) -> Result<()> {
    if mode == Mode::RequireEmpty && transaction.count(FILES)? > 0 {
        return Err(not_empty(FILES));
    }
    if matches!(mode, Mode::Replace | Mode::ReplaceAll) {
        for id in ids(transaction, FILES).await? {
            if let Ok(id) = id.parse() {
                transaction.delete_file(id).await?;
            }
        }
    }
    for StoredContent { file, content } in files {
        transaction.import_file(file.id, file.created, content).await?;
    }
    Ok(())
}

fn not_empty(table: &str) -> Error {
    Error::developer(
        "TableNotEmpty",
        format!("Data already exists in table \"{table}\". Use `--append` to add to it, `--replace` to replace it."),
    )
}

/// Tables that are emptied though nothing is imported into them.
fn other_tables(transaction: &mut Transaction, tables: &[ImportedTable], mode: Mode) -> Vec<String> {
    if mode != Mode::ReplaceAll {
        return Vec::new();
    }
    let mut names = transaction.table_names();
    names.retain(|name| tables.iter().all(|table| table.name != *name));
    names
}

/// Deletes all documents of a table.
async fn clear(transaction: &mut Transaction, table: &str) -> Result<()> {
    for id in ids(transaction, table).await? {
        transaction.delete(&DocumentArg { id, table: None, is_system: false }).await?;
    }
    Ok(())
}
