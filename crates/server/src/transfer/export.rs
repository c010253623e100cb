//! All tables of a snapshot as a ZIP file: `<table>/documents.jsonl`, and `_tables/documents.jsonl` with the numbers of
//! tables, which are part of their documents' ids.

use convex_wasm_database::{Error, PageArgs, Result, Timestamp, Transaction};
use convex_wasm_values::JsonFormat;
use serde_json::json;

use super::archive::{EntryWriter, TooLarge, Writer};
use crate::Backend;

/// Documents read at once.
const PAGE: usize = 500;
const README: &str = "Documents of a Convex deployment, one JSON object a line: `<table>/documents.jsonl`.\n\
                      `npx convex import --replace-all <this file>` brings them back.\n";

/// The file. Reads at `at`, which must still be readable.
///
/// # Errors
/// The snapshot is too old, or the database failed.
pub async fn zip_of(backend: &Backend, at: Timestamp) -> Result<Vec<u8>> {
    let mut transaction = backend.begin_system_at(at)?;
    let mut file = Writer::default();
    file.add(entry("README.md", README)?).map_err(failed)?;
    let mut numbers = String::new();
    for table in transaction.table_names() {
        let number = transaction.table_number(&table).map_or(0, |number| number.0);
        numbers.push_str(&format!("{}\n", json!({ "name": table, "id": number })));
        let mut documents = EntryWriter::new(format!("{table}/documents.jsonl"));
        let mut cursor = None;
        loop {
            // What one transaction may read is bounded; the first one keeps the snapshot readable.
            let page = page(&mut backend.begin_system_at(at)?, &table, cursor.take()).await?;
            for document in &page.page {
                documents.write(document.to_json_text(JsonFormat::Encoded).as_bytes()).map_err(failed)?;
                documents.write(b"\n").map_err(failed)?;
            }
            if page.is_done {
                break;
            }
            cursor = Some(page.continue_cursor);
        }
        file.add(documents).map_err(failed)?;
    }
    file.add(entry("_tables/documents.jsonl", &numbers)?).map_err(failed)?;
    file.finish().map_err(failed)
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
        page_size: PAGE as f64,
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
