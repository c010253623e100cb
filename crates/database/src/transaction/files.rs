//! Files of the app: what is known of their content, which is kept elsewhere under a secret key.
//!
//! A row of `_storage` is what functions see through `db.system`. The key, which opens the file to everybody, is in a table
//! of its own that they do not see.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use convex_wasm_persistence::PersistenceError;
use convex_wasm_values::sort_key::encode_string_key;
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId};

use super::jobs::id_of;
use super::{Transaction, with_prefix};
use crate::system_tables::{FILE_KEYS, STORAGE};
use crate::{Error, Result};

/// Position of the index on `file` in the table of keys.
const BY_FILE: u32 = 3;

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    /// Where its content is.
    pub key: String,
    /// Hash of its content.
    pub sha256: [u8; 32],
    /// Bytes of its content.
    pub size: u64,
    /// Its type, if somebody said one.
    pub content_type: Option<String>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Its id in `_storage`.
    pub id: DocumentId,
    /// The rest.
    pub content: FileContent,
}

impl Transaction {
    /// Adds a file whose content is there already.
    pub fn insert_file(&mut self, file: &FileContent) -> Result<DocumentId> {
        let internal = self.insert_system(&STORAGE, row(file))?;
        self.next_creation_time = self.next_creation_time.next_up();
        let id = DocumentId { table: STORAGE.number, internal };
        self.insert_system(&FILE_KEYS, key_row(id, file))?;
        Ok(id)
    }

    /// Adds a file whose content is there already, with the id and the creation time that it had elsewhere.
    pub async fn import_file(&mut self, id: DocumentId, created: f64, file: &FileContent) -> Result<()> {
        if id.table != STORAGE.number || self.file(id).await?.is_some() {
            return Err(Error::developer(
                "ImportFormatError",
                format!("The import is not valid: {id} is no id of a file, or there is a file of that id already."),
            ));
        }
        let mut row = row(file);
        row.insert("_creationTime".to_owned(), ConvexValue::Float64(created));
        self.replace_system_row(&STORAGE, id.internal, Some(row)).await?;
        self.insert_system(&FILE_KEYS, key_row(id, file)).map(|_| ())
    }

    /// The file of an id.
    pub async fn file(&mut self, id: DocumentId) -> Result<Option<StoredFile>> {
        let Some(table) = self.catalog.tablet(STORAGE.tablet()).cloned() else { return Ok(None) };
        if id.table != table.number {
            return Ok(None);
        }
        let Some(current) = self.read(&table, id.internal).await? else { return Ok(None) };
        let (_, key) = self.file_key(id).await?.ok_or_else(damaged)?;
        Ok(Some(StoredFile { id, content: content(&current.document, key).ok_or_else(damaged)? }))
    }

    /// The file with a key.
    pub async fn file_by_key(&mut self, key: &str) -> Result<Option<StoredFile>> {
        let Some(row) = self.named_row(&FILE_KEYS, key).await? else { return Ok(None) };
        let id = row.document.get("file").and_then(ConvexValue::as_str).and_then(|id| id.parse().ok());
        self.file(id.ok_or_else(damaged)?).await
    }

    /// Forgets a file; whether there was one.
    pub async fn delete_file(&mut self, id: DocumentId) -> Result<bool> {
        if self.file(id).await?.is_none() {
            return Ok(false);
        }
        let (row, _) = self.file_key(id).await?.ok_or_else(damaged)?;
        self.replace_system_row(&FILE_KEYS, row.internal, None).await?;
        self.replace_system_row(&STORAGE, id.internal, None).await?;
        Ok(true)
    }

    /// The row that holds a file's key, and the key.
    async fn file_key(&mut self, id: DocumentId) -> Result<Option<(DocumentId, String)>> {
        let mut prefix = Vec::new();
        encode_string_key(&id.to_string(), &mut prefix);
        let Some(row) = self.system_rows(&FILE_KEYS, BY_FILE, with_prefix(prefix), 1).await?.pop() else {
            return Ok(None);
        };
        let key = row.get("name").and_then(ConvexValue::as_str).ok_or_else(damaged)?;
        Ok(Some((id_of(&row).ok_or_else(damaged)?, key.to_owned())))
    }
}

/// What functions see of a file.
fn row(file: &FileContent) -> ConvexObject {
    let mut row = ConvexObject::from([
        ("sha256".to_owned(), BASE64.encode(file.sha256).into()),
        ("size".to_owned(), ConvexValue::Float64(file.size as f64)),
    ]);
    if let Some(content_type) = &file.content_type {
        row.insert("contentType".to_owned(), content_type.as_str().into());
    }
    row
}

fn key_row(id: DocumentId, file: &FileContent) -> ConvexObject {
    ConvexObject::from([("name".to_owned(), file.key.as_str().into()), ("file".to_owned(), id.to_string().into())])
}

fn content(row: &ConvexObject, key: String) -> Option<FileContent> {
    let ConvexValue::Float64(size) = row.get("size")? else { return None };
    Some(FileContent {
        key,
        sha256: BASE64.decode(row.get("sha256")?.as_str()?).ok()?.try_into().ok()?,
        size: *size as u64,
        content_type: row.get("contentType").and_then(ConvexValue::as_str).map(str::to_owned),
    })
}

fn damaged() -> Error {
    PersistenceError::Damaged { detail: format!("table {} has a row that does not make sense", STORAGE.name) }.into()
}
