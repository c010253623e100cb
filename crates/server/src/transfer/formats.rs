//! What an imported file holds.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use convex_wasm_knobs::IMPORT_MAX_BYTES;
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId, TableNumber};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{archive, csv};

/// How documents are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// Columns named by the first line; numbers are floats, everything else is text.
    Csv,
    /// A JSON object a line.
    JsonLines,
    /// An array of JSON objects.
    JsonArray,
    /// What an export gives.
    Zip,
}

/// Documents of a table.
pub struct ImportedTable {
    /// Name of the table.
    pub name: String,
    /// The number that their ids carry, if they have ids.
    pub number: Option<TableNumber>,
    /// The documents.
    pub documents: Vec<ConvexObject>,
}

/// A file of the app.
pub struct ImportedFile {
    /// Its id in `_storage`.
    pub id: DocumentId,
    /// When it was made, in milliseconds since the epoch.
    pub created: f64,
    /// Its type, if somebody said one.
    pub content_type: Option<String>,
    /// Its content.
    pub content: Bytes,
}

/// What is to be imported.
#[derive(Default)]
pub struct Imported {
    /// Documents by table.
    pub tables: Vec<ImportedTable>,
    /// Files; None if the import says nothing of files.
    pub files: Option<Vec<ImportedFile>>,
}

impl From<ImportedTable> for Imported {
    fn from(table: ImportedTable) -> Self {
        Self { tables: vec![table], files: None }
    }
}

/// What a file holds; `table` is the one that all but a ZIP file are for.
///
/// # Errors
/// A sentence that says what is wrong, and where.
pub fn parse(format: Format, table: Option<&str>, content: &[u8]) -> Result<Imported, String> {
    let named = || table.map(str::to_owned).ok_or_else(|| "`tableName` is needed for this format.".to_owned());
    match format {
        Format::Zip => zip(content),
        Format::Csv => Ok(imported(named()?, csv(content)?).into()),
        Format::JsonLines => Ok(imported(named()?, json_lines(content)?).into()),
        Format::JsonArray => Ok(imported(named()?, json_array(content)?).into()),
    }
}

fn imported(name: String, documents: Vec<ConvexObject>) -> ImportedTable {
    let number = documents.iter().find_map(|document| {
        let id = document.get("_id")?.as_str()?.parse::<DocumentId>().ok()?;
        Some(id.table)
    });
    ImportedTable { name, number, documents }
}

fn json_lines(content: &[u8]) -> Result<Vec<ConvexObject>, String> {
    let text = std::str::from_utf8(content).map_err(|error| format!("The file is not UTF-8: {error}."))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let value = ConvexValue::from_json_text(line).map_err(|error| format!("Line {}: {error}.", number + 1))?;
            object(value).ok_or_else(|| format!("Line {} is no JSON object.", number + 1))
        })
        .collect()
}

fn json_array(content: &[u8]) -> Result<Vec<ConvexObject>, String> {
    let text = std::str::from_utf8(content).map_err(|error| format!("The file is not UTF-8: {error}."))?;
    let value = ConvexValue::from_json_text(text).map_err(|error| format!("The file is not valid: {error}."))?;
    let ConvexValue::Array(elements) = value else { return Err("The file is no JSON array.".to_owned()) };
    let objects = elements.into_iter().enumerate().map(|(position, element)| {
        object(element).ok_or_else(|| format!("Element {position} of the array is no JSON object."))
    });
    objects.collect()
}

fn object(value: ConvexValue) -> Option<ConvexObject> {
    match value {
        ConvexValue::Object(object) => Some(object),
        _ => None,
    }
}

fn csv(content: &[u8]) -> Result<Vec<ConvexObject>, String> {
    let text = std::str::from_utf8(content).map_err(|error| format!("The file is not UTF-8: {error}."))?;
    let rows = csv::rows(text).map_err(|line| format!("A quote on line {line} is not closed."))?;
    let mut rows = rows.into_iter();
    let names = rows.next().ok_or_else(|| "The CSV file is empty.".to_owned())?;
    rows.enumerate()
        .map(|(number, row)| {
            if row.len() != names.len() {
                return Err(format!("Row {} has {} cells, not {}.", number + 2, row.len(), names.len()));
            }
            Ok(names.iter().cloned().zip(row.iter().map(|cell| cell_value(cell))).collect())
        })
        .collect()
}

fn cell_value(cell: &str) -> ConvexValue {
    match cell.parse::<f64>() {
        Ok(number) => ConvexValue::Float64(number),
        Err(_) => cell.into(),
    }
}

/// A line of `_tables/documents.jsonl`.
#[derive(Deserialize)]
struct TableLine {
    name: String,
    id: u32,
}

/// A line of `_storage/documents.jsonl`.
#[derive(Deserialize)]
struct FileLine {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_creationTime")]
    created: f64,
    sha256: String,
    #[serde(rename = "contentType")]
    content_type: Option<String>,
}

fn zip(content: &[u8]) -> Result<Imported, String> {
    let mut budget = IMPORT_MAX_BYTES.get();
    let mut numbers = BTreeMap::new();
    let mut tables = Vec::new();
    let (mut files, mut contents) = (None, BTreeMap::new());
    for entry in archive::entries(content).ok_or_else(|| "The file is no ZIP file.".to_owned())? {
        let path = &entry.name;
        // Exports that were unpacked and packed again may lie in a folder of their own.
        let Some(folder) = path.strip_suffix("/documents.jsonl") else {
            if let Some(id) = file_id(path) {
                let content = entry.content(budget)?;
                budget -= content.len();
                contents.insert(id, Bytes::from(content));
            }
            continue;
        };
        let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
        let lines = entry.content(budget)?;
        budget -= lines.len();
        if path.contains("_components/") {
            return Err(format!("{path}: this server does not run components yet."));
        }
        if name == "_tables" {
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let line: TableLine = serde_json::from_slice(line).map_err(|error| format!("{path}: {error}."))?;
                numbers.insert(line.name, TableNumber(line.id));
            }
        } else if name == "_storage" {
            let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let lines = lines.map(|line| serde_json::from_slice(line).map_err(|error| format!("{path}: {error}.")));
            files = Some(lines.collect::<Result<Vec<FileLine>, _>>()?);
        } else if !name.starts_with('_') {
            tables.push(imported(name, json_lines(&lines).map_err(|error| format!("{path}: {error}"))?));
        }
    }
    for table in &mut tables {
        table.number = numbers.get(&table.name).copied().or(table.number);
    }
    let files = files.map(|lines| lines.into_iter().map(|line| imported_file(line, &mut contents)).collect());
    Ok(Imported { tables, files: files.transpose()? })
}

/// The id of a file whose content is at a path, `_storage/<id>` or `_storage/<id>.<extension>`.
fn file_id(path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/')?;
    let is_content = folder == "_storage" || folder.ends_with("/_storage");
    is_content.then(|| name.split('.').next().unwrap_or(name).to_owned())
}

fn imported_file(line: FileLine, contents: &mut BTreeMap<String, Bytes>) -> Result<ImportedFile, String> {
    let FileLine { id, created, sha256, content_type } = line;
    let content = contents.remove(&id).ok_or_else(|| format!("The content of the file {id} is missing."))?;
    if BASE64.encode(Sha256::digest(&content)) != sha256 {
        return Err(format!("The content of the file {id} is damaged."));
    }
    let id = id.parse().map_err(|error| format!("{id:?} is no id of a file: {error}."))?;
    Ok(ImportedFile { id, created, content_type, content })
}
