//! All tables of a snapshot as a ZIP file: `<table>/documents.jsonl`, and `_tables/documents.jsonl` with the numbers of
//! tables, which are part of their documents' ids; with the app's files also `_storage/documents.jsonl` and the content of each at
//! `_storage/<id>`.

use convex_wasm_database::{Error, FileContent, PageArgs, Result, StoredFile, Timestamp, Transaction};
use convex_wasm_knobs::EXPORT_PAGE_DOCUMENTS;
use convex_wasm_storage::FileKey;
use convex_wasm_values::{ConvexValue, JsonFormat};
use futures::TryStreamExt;
use serde_json::json;

use super::archive::{EntryWriter, TooLarge, Writer};
use crate::Backend;

/// Table of the app's files.
pub const FILES: &str = "_storage";
const README: &str = "Documents of a Convex deployment, one JSON object a line: `<table>/documents.jsonl`.\n\
                      `npx convex import --replace-all <this file>` brings them back.\n";

/// The file. Reads at `at`, which must still be readable.
///
/// # Errors
/// The snapshot is too old, or the database failed.
pub async fn zip_of(backend: &Backend, at: Timestamp, with_files: bool) -> Result<Vec<u8>> {
    let mut transaction = backend.begin_system_at(at)?;
    let mut file = Writer::default();
    file.add(entry("README.md", README)?).map_err(failed)?;
    let mut numbers = String::new();
    for table in transaction.table_names() {
        let number = transaction.table_number(&table).map_or(0, |number| number.0);
        numbers.push_str(&format!("{}\n", json!({ "name": table, "id": number })));
        file.add(documents(backend, at, &table).await?).map_err(failed)?;
    }
    if with_files {
        files(backend, at, &mut file).await?;
    }
    file.add(entry("_tables/documents.jsonl", &numbers)?).map_err(failed)?;
    file.finish().map_err(failed)
}

/// All documents of a table.
async fn documents(backend: &Backend, at: Timestamp, table: &str) -> Result<EntryWriter> {
    let mut documents = EntryWriter::new(format!("{table}/documents.jsonl"));
    let mut cursor = None;
    loop {
        // What one transaction may read is bounded; the first one keeps the snapshot readable.
        let page = page(&mut backend.begin_system_at(at)?, table, cursor.take()).await?;
        for document in &page.page {
            documents.write(document.to_json_text(JsonFormat::Encoded).as_bytes()).map_err(failed)?;
            documents.write(b"\n").map_err(failed)?;
        }
        if page.is_done {
            return Ok(documents);
        }
        cursor = Some(page.continue_cursor);
    }
}

/// The app's files.
async fn files(backend: &Backend, at: Timestamp, zip: &mut Writer) -> Result<()> {
    zip.add(documents(backend, at, FILES).await?).map_err(failed)?;
    let mut transaction = backend.begin_system_at(at)?;
    transaction.lift_limits();
    for id in ids(&mut transaction, FILES).await? {
        let Some(file) = id.parse().ok() else { continue };
        let Some(StoredFile { content: FileContent { key, size, .. }, .. }) = transaction.file(file).await? else {
            continue;
        };
        let lost = || Error::developer("ExportFailed", format!("The content of the file {id} cannot be read."));
        let key = FileKey::parse(&key).ok_or_else(lost)?;
        let content = backend.storage.files.read(&key, 0..size).await.ok().flatten();
        let mut content = content.ok_or_else(lost)?;
        let mut entry = EntryWriter::new(format!("{FILES}/{id}"));
        while let Some(piece) = content.try_next().await.map_err(|_| lost())? {
            entry.write(&piece).map_err(failed)?;
        }
        zip.add(entry).map_err(failed)?;
    }
    Ok(())
}

/// The ids of all documents of a table.
pub async fn ids(transaction: &mut Transaction, table: &str) -> Result<Vec<String>> {
    let (mut ids, mut cursor) = (Vec::new(), None);
    loop {
        let page = page(transaction, table, cursor.take()).await?;
        let documents = page.page.iter().filter_map(ConvexValue::as_object);
        ids.extend(documents.filter_map(|document| Some(document.get("_id")?.as_str()?.to_owned())));
        if page.is_done {
            return Ok(ids);
        }
        cursor = Some(page.continue_cursor);
    }
}

/// A page of a table's documents in the order of their creation.
pub async fn page(
    transaction: &mut Transaction,
    table: &str,
    cursor: Option<String>,
) -> Result<convex_wasm_database::Page> {
    let source = json!({ "type": "FullTableScan", "tableName": table, "order": "asc" });
    let arguments = PageArgs {
        query: json!({ "source": source, "operators": [] }),
        cursor,
        end_cursor: None,
        page_size: EXPORT_PAGE_DOCUMENTS.get() as f64,
        maximum_rows_read: None,
        maximum_bytes_read: None,
    };
    transaction.query_page(&arguments).await
}

fn entry(name: &str, content: &str) -> Result<EntryWriter> {
    let mut entry = EntryWriter::new(name);
    entry.write(content.as_bytes()).map_err(failed)?;
    Ok(entry)
}

fn failed(error: TooLarge) -> Error {
    Error::developer("ExportFailed", format!("The export could not be written: {error}."))
}
