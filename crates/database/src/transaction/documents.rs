//! Reading and writing single documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use convex_wasm_persistence::Versioned;
use convex_wasm_values::names::check_identifier;
use convex_wasm_values::value::{MAX_DOCUMENT_NESTING, MAX_DOCUMENT_SIZE, object_nesting, object_size};
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId, InternalId, decode_document, decode_patch};

use super::{Current, Transaction, place};
use crate::catalog::{SchemaRow, SchemaRowState, Table};
use crate::reader::Place;
use crate::system_tables::check_readable;
use crate::{DocumentArg, Error, InsertArg, PatchArg, ReplaceArg, Result};

impl Transaction {
    /// `1.0/get`: a document, or `None` if there is none.
    pub async fn get(&mut self, document: &DocumentArg) -> Result<Option<Arc<ConvexObject>>> {
        let Some(read) = self.start_get(document)? else { return Ok(None) };
        let document = match read.known {
            Some(known) => known,
            None => {
                let stored = self.database.reader.documents(&[read.place], self.timestamp()).await?.pop().flatten();
                stored.map(|stored| stored.document)
            }
        };
        document.map(|document| self.count_read(&read.table, document)).transpose()
    }

    /// A batch of `1.0/get`: the same as one after the other, with one visit to the store for each table.
    pub async fn get_many(&mut self, documents: &[DocumentArg]) -> Vec<Result<Option<Arc<ConvexObject>>>> {
        let located: Vec<_> = documents.iter().map(|document| self.start_get(document)).collect();
        let stored = match self.fetch_reads(&located).await {
            Ok(stored) => stored,
            Err(error) => return documents.iter().map(|_| Err(error.clone())).collect(),
        };
        let read = |(located, stored): (Result<Option<PointRead>>, Option<Versioned>)| {
            let Some(PointRead { table, known, .. }) = located? else { return Ok(None) };
            let document = known.unwrap_or(stored.map(|stored| stored.document));
            document.map(|document| self.count_read(&table, document)).transpose()
        };
        located.into_iter().zip(stored).map(read).collect()
    }

    fn start_get(&mut self, document: &DocumentArg) -> Result<Option<PointRead>> {
        let located = self.locate(document, "get")?;
        self.counters.check_intervals(self.interval_count())?;
        Ok(located.map(|(table, id)| self.start_read(table, id)))
    }

    /// `1.0/insert`: the id of the new document. Creates the table if it does not exist.
    pub async fn insert(&mut self, arg: &InsertArg) -> Result<DocumentId> {
        let content = decode_document(&arg.value)?;
        // A refused document leaves no new table behind.
        self.begin_nested();
        let inserted = self.insert_document(&arg.table, content).await;
        match inserted {
            Ok(_) => self.commit_nested(),
            Err(_) => self.rollback_nested(),
        }
        inserted
    }

    async fn insert_document(&mut self, table: &str, content: ConvexObject) -> Result<DocumentId> {
        if let Some(field) = ["_id", "_creationTime"].into_iter().find(|field| content.contains_key(*field)) {
            return Err(invalid_document(format!("The field `{field}` of a new document is set by the system.")));
        }
        let table = self.table_to_write(table)?;
        let content = self.check_content(&table, content).await?;
        let internal = self.new_id();
        let id = table.document_id(internal);
        let document = with_system_fields(content, id, self.next_creation_time);
        check_document(&document)?;
        self.counters.write(object_size(&document))?;
        self.next_creation_time = self.next_creation_time.next_up();
        self.write(&table, internal, None, Some(Arc::new(document)))?;
        Ok(id)
    }

    /// `1.0/shallowMerge` (`db.patch`): the merged document.
    pub async fn patch(&mut self, arg: &PatchArg) -> Result<Arc<ConvexObject>> {
        let changes = decode_patch(&arg.value)?;
        let (table, id, current) = self.existing(&arg.document, "patch", "Update").await?;
        let mut document = ConvexObject::clone(&current.document);
        for (name, value) in changes {
            match value {
                Some(value) => document.insert(name, value),
                None => document.remove(&name),
            };
        }
        self.update(&table, id, current, document).await
    }

    /// `1.0/replace`: the new document.
    pub async fn replace(&mut self, arg: &ReplaceArg) -> Result<Arc<ConvexObject>> {
        let mut document = decode_document(&arg.value)?;
        let (table, id, current) = self.existing(&arg.document, "replace", "Replace").await?;
        for name in ["_id", "_creationTime"] {
            if let Some(value) = current.document.get(name) {
                document.entry(name.to_owned()).or_insert_with(|| value.clone());
            }
        }
        self.update(&table, id, current, document).await
    }

    /// `1.0/remove` (`db.delete`): the deleted document.
    pub async fn delete(&mut self, document: &DocumentArg) -> Result<Arc<ConvexObject>> {
        let (table, id, current) = self.existing(document, "delete", "Delete").await?;
        self.counters.write(0)?;
        self.write(&table, id, current.old, None)?;
        Ok(current.document)
    }

    /// `1.0/db/normalizeId`: the id if it is one of the table, else `None`.
    pub fn normalize_id(&mut self, table: &str, id: &str) -> Result<Option<DocumentId>> {
        check_identifier(table).map_err(|error| Error::developer("InvalidTableName", error))?;
        let Ok(id) = id.parse::<DocumentId>() else { return Ok(None) };
        Ok(self.table(table).filter(|table| table.number == id.table).map(|_| id))
    }

    /// Finds the table of an id; `None` if there is no such table.
    fn locate(&mut self, arg: &DocumentArg, method: &str) -> Result<Option<(Arc<Table>, InternalId)>> {
        let invalid = |problem: String| {
            Error::developer("InvalidArgument", format!("Invalid argument `id` for `db.{method}`{problem}"))
        };
        let id: DocumentId = arg.id.parse().map_err(|error| invalid(format!(": {error}")))?;
        let table = self.table_by_number(id.table);
        if let Some(expected) = &arg.table {
            match table.as_deref() {
                Some(table) if table.name == *expected => {}
                Some(table) => {
                    return Err(invalid(format!(
                        ", expected ID in table '{expected}', got ID in table '{}'",
                        table.name
                    )));
                }
                None => return Err(invalid(format!(", expected ID in table '{expected}', got ID of no table"))),
            }
        }
        let Some(table) = table else { return Ok(None) };
        check_readable(&table.name)?;
        check_side(&table, arg.is_system, method)?;
        Ok(Some((table, id.internal)))
    }

    /// Reads a document that is to be changed.
    async fn existing(
        &mut self,
        arg: &DocumentArg,
        method: &str,
        action: &str,
    ) -> Result<(Arc<Table>, InternalId, Current)> {
        let located = self.locate(arg, method)?;
        if let Some((table, id)) = located {
            self.counters.check_intervals(self.interval_count())?;
            if table.is_system() {
                return Err(Error::developer("ReadOnlyTable", format!("Table `{}` cannot be written to.", table.name)));
            }
            if let Some(current) = self.read(&table, id).await? {
                self.count_read(&table, current.document.clone())?;
                return Ok((table, id, current));
            }
        }
        Err(Error::developer("NonexistentDocument", format!("{action} on nonexistent document ID {}", arg.id)))
    }

    /// Gives a document new content, unless it is the old one.
    async fn update(
        &mut self,
        table: &Arc<Table>,
        id: InternalId,
        current: Current,
        document: ConvexObject,
    ) -> Result<Arc<ConvexObject>> {
        for name in ["_id", "_creationTime"] {
            if document.get(name) != current.document.get(name) {
                return Err(invalid_document(format!(
                    "The field `{name}` of document {} cannot be changed.",
                    table.document_id(id)
                )));
            }
        }
        if document == *current.document {
            return Ok(current.document);
        }
        let mut content = document;
        let system_fields = ["_id", "_creationTime"].map(|name| content.remove_entry(name));
        let mut document = self.check_content(table, content).await?;
        document.extend(system_fields.into_iter().flatten());
        check_document(&document)?;
        self.counters.write(object_size(&document))?;
        let document = Arc::new(document);
        self.write(table, id, current.old, Some(document.clone()))?;
        Ok(document)
    }

    /// Checks the fields of a document that the developer gave: names, and the schema. A document that does not match the
    /// schema which is about to replace the one in force makes that one fail.
    pub(super) async fn check_content(&mut self, table: &Table, content: ConvexObject) -> Result<ConvexObject> {
        if let Some(name) = content.keys().find(|name| name.starts_with('_')) {
            return Err(invalid_document(format!(
                "Field `{name}` starts with an underscore; such names are reserved for system fields like `_id`."
            )));
        }
        self.read_schemas();
        let check = |row: &SchemaRow| match row.schema.enforced_type(&table.name) {
            Some(document_type) => document_type.check_object(&content, self.catalog.as_ref()),
            None => Ok(()),
        };
        if let Some(Err(error)) = self.catalog.active_schema().map(check) {
            return Err(Error::developer(
                "SchemaEnforcementError",
                format!(
                    "Failed to insert or update a document in table \"{}\" because it does not match the schema: \
                     {error}",
                    table.name
                ),
            ));
        }
        let failed = self.catalog.pending_schema().and_then(|row| Some((row.clone(), check(row).err()?)));
        if let Some((row, error)) = failed {
            let text = format!(
                "A document written to table \"{}\" while the schema was being checked does not match it: {error}",
                table.name
            );
            let state = SchemaRowState::Failed(text, Some(table.name.clone()));
            self.set_schema_state(row.id, state).await?;
        }
        Ok(content)
    }

    pub(super) fn count_read(&mut self, table: &Table, document: Arc<ConvexObject>) -> Result<Arc<ConvexObject>> {
        if !table.is_system() {
            self.counters.read(object_size(&document))?;
        }
        Ok(document)
    }

    /// Records a read by id, and looks among the transaction's own writes and in memory.
    fn start_read(&mut self, table: Arc<Table>, id: InternalId) -> PointRead {
        let place = place(&table, id);
        self.reads.record_point(place.by_id, &place.key);
        let written = self.writes.get(place.document).map(|write| write.new.clone());
        let known = written.or_else(|| {
            let cached = self.database.reader.cached(place.document, self.timestamp())?;
            Some(cached.map(|versioned| versioned.document))
        });
        PointRead { table, place, known }
    }

    /// What the store has for each read that is not answered yet.
    async fn fetch_reads(&self, reads: &[Result<Option<PointRead>>]) -> Result<Vec<Option<Versioned>>> {
        let mut by_table: BTreeMap<_, (Vec<usize>, Vec<_>)> = BTreeMap::new();
        for (position, read) in reads.iter().enumerate() {
            if let Ok(Some(PointRead { place, known: None, .. })) = read {
                let (positions, places) = by_table.entry(place.by_id).or_default();
                positions.push(position);
                places.push(place.clone());
            }
        }
        let mut stored = vec![None; reads.len()];
        for (positions, places) in by_table.into_values() {
            let found = self.database.reader.documents(&places, self.timestamp()).await?;
            for (position, versioned) in positions.into_iter().zip(found) {
                stored[position] = versioned;
            }
        }
        Ok(stored)
    }
}

/// A read by id that was begun.
struct PointRead {
    table: Arc<Table>,
    place: Place,
    /// What the transaction itself wrote, or what is in memory: a document, or that there is none.
    known: Option<Option<Arc<ConvexObject>>>,
}

/// Tables of the system are read through `db.system`, all others through `db`.
fn check_side(table: &Table, is_system: bool, method: &str) -> Result<()> {
    let (right, wrong) = match (table.is_system(), is_system) {
        (true, false) => ("db.system", "db"),
        (false, true) => ("db", "db.system"),
        _ => return Ok(()),
    };
    Err(Error::developer(
        "SystemTableError",
        format!("Table `{}` cannot be read with `{wrong}.{method}`; use `{right}.{method}` instead.", table.name),
    ))
}

pub(super) fn with_system_fields(mut content: ConvexObject, id: DocumentId, creation_time: f64) -> ConvexObject {
    content.insert("_id".to_owned(), id.to_string().into());
    content.insert("_creationTime".to_owned(), ConvexValue::Float64(creation_time));
    content
}

pub(super) fn check_document(document: &ConvexObject) -> Result<()> {
    let size = object_size(document);
    if size > MAX_DOCUMENT_SIZE {
        return Err(Error::developer(
            "ValueTooLargeError",
            format!("A document is too large ({size} bytes, maximum size: {MAX_DOCUMENT_SIZE} bytes)."),
        ));
    }
    if object_nesting(document) > MAX_DOCUMENT_NESTING {
        return Err(invalid_document(format!(
            "A document is nested too deeply (maximum nesting: {MAX_DOCUMENT_NESTING})."
        )));
    }
    Ok(())
}

fn invalid_document(message: String) -> Error {
    Error::developer("InvalidDocumentError", message)
}
