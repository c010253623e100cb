//! Changing the schema: submitted, prepared, activated.
//!
//! Submitting a schema stores it as pending, and creates its tables and indexes. From that commit on every write goes to
//! the new indexes too and is checked against both schemas, so the preparation that follows has to look only at the
//! documents of one snapshot: it adds them to the new indexes and checks them. Then the schema is validated, and
//! activating it is a small transaction, which can change the code with it. Staged indexes are built last, and nothing waits
//! for them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::INDEX_BACKFILL_CHUNK_SIZE;
use convex_wasm_persistence::{
    DocumentKey, IndexEntry, IndexId, IndexRow, KeyRange, Order, Timestamp, WriteBatch, successor,
};
use convex_wasm_values::{DocumentId, FieldPath, IndexDefinition, InternalId, Schema};

use crate::catalog::{Catalog, Index, IndexState, SchemaRowState, Table, index_document, schema_document};
use crate::database::Database;
use crate::system_tables::{INDEX, SCHEMAS};
use crate::world::World;
use crate::{Begin, Error, Result, Transaction};

/// Times a change of the schema is tried again after a conflict.
const MAX_RETRIES: u32 = 8;

/// Pause after the first failure to prepare a schema; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// After a longer pause than this there is no further attempt.
const LAST_PAUSE: Duration = Duration::from_secs(60);

/// A schema that was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaId(pub String);

/// How far a submitted schema has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProgress {
    /// Where it stands.
    pub state: SchemaState,
    /// Whether all documents were checked.
    pub validation_complete: bool,
    /// Its indexes that are complete, staged ones left out.
    pub indexes_complete: usize,
    /// Its indexes, staged ones left out.
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

/// A change that this module makes in a transaction of its own.
enum Change<'a> {
    Submit(&'a Schema),
    Complete(IndexId),
    SetState(InternalId, SchemaRowState),
    Activate(&'a SchemaId),
}

impl Database {
    /// Stores a schema as pending, instead of the pending one, if any; creates its tables and indexes, and starts to
    /// build the indexes and to check the documents.
    pub async fn submit_schema(&self, schema: &Schema) -> Result<SchemaId> {
        let id = self.store_schema(schema).await?;
        self.prepare_in_background(id);
        Ok(schema_id(id))
    }

    /// How far a submitted schema has come.
    pub fn schema_progress(&self, schema: &SchemaId) -> Result<SchemaProgress> {
        let (_, catalog) = self.inner.snapshots.latest();
        let Some(row) = catalog.schema(internal_id(schema)?) else {
            let state = SchemaState::Overwritten;
            return Ok(SchemaProgress { state, validation_complete: false, indexes_complete: 0, indexes_total: 0 });
        };
        let indexes: Vec<bool> = schema_indexes(&row.schema)
            .filter(|(_, _, index)| !index.staged)
            .map(|(table, name, index)| {
                let found = catalog.table(table).and_then(|table| find_index(table, name, index));
                found.is_some_and(|index| index.state != IndexState::Backfilling)
            })
            .collect();
        let state = match &row.state {
            SchemaRowState::Pending => SchemaState::Pending,
            SchemaRowState::Validated => SchemaState::Validated,
            SchemaRowState::Active => SchemaState::Active,
            SchemaRowState::Failed(error, table) => SchemaState::Failed { error: error.clone(), table: table.clone() },
        };
        Ok(SchemaProgress {
            validation_complete: matches!(state, SchemaState::Validated | SchemaState::Active),
            state,
            indexes_complete: indexes.iter().filter(|complete| **complete).count(),
            indexes_total: indexes.len(),
        })
    }

    /// [`Database::schema_progress`] as soon as the schema is no more [`SchemaState::Pending`], at the latest after
    /// `timeout`.
    pub async fn wait_for_schema(&self, schema: &SchemaId, timeout: Duration) -> Result<SchemaProgress> {
        let mut newest = self.inner.snapshots.watch();
        let deadline = tokio::time::Instant::now() + timeout;
        loop {
            newest.borrow_and_update();
            let progress = self.schema_progress(schema)?;
            if progress.state != SchemaState::Pending {
                return Ok(progress);
            }
            match tokio::time::timeout_at(deadline, newest.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(Error::ShutDown),
                Err(_) => return Ok(progress),
            }
        }
    }

    /// Submits a schema, prepares and activates it.
    ///
    /// # Errors
    /// `SchemaEnforcementError` if a document does not match.
    pub async fn set_schema(&self, schema: &Schema) -> Result<()> {
        let id = self.store_schema(schema).await?;
        self.prepare(id).await?;
        self.change(&Change::Activate(&schema_id(id))).await?;
        Ok(())
    }

    /// Goes on with what was being prepared when the database was closed: a pending schema, and staged indexes.
    pub(crate) fn resume_schema(&self) {
        let (_, catalog) = self.inner.snapshots.latest();
        for row in catalog.pending_schema().into_iter().chain(catalog.active_schema()) {
            self.prepare_in_background(row.id);
        }
    }

    async fn store_schema(&self, schema: &Schema) -> Result<InternalId> {
        let stored = self.change(&Change::Submit(schema)).await?;
        stored.ok_or_else(|| Error::developer("InvalidSchemaExport", "The schema could not be stored."))
    }

    fn prepare_in_background(&self, id: InternalId) {
        let database = self.clone();
        tokio::spawn(async move {
            let mut pause = FIRST_PAUSE;
            while let Err(error) = database.prepare(id).await {
                if matches!(error, Error::ShutDown) {
                    return;
                }
                if pause > LAST_PAUSE {
                    tracing::error!(%error, "a schema could not be prepared; it stays pending until the next start");
                    return;
                }
                tracing::warn!(%error, ?pause, "a schema could not be prepared; the next attempt follows");
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
        });
    }

    /// Makes one change, again if it conflicts with another. Returns the id of the row it made, if any.
    async fn change(&self, change: &Change<'_>) -> Result<Option<InternalId>> {
        let mut retries = 0;
        loop {
            let mut transaction = self.begin(system_begin(self.inner.world.as_ref()));
            let made = transaction.apply(change).await?;
            match self.commit(transaction).await {
                Ok(_) => return Ok(made),
                Err(error) if error.is_retriable() && retries < MAX_RETRIES => retries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Builds the indexes of a pending schema and checks the documents; then builds the staged indexes, also those of an
    /// active schema. Stops quietly if it was replaced meanwhile.
    async fn prepare(&self, id: InternalId) -> Result<()> {
        // Retention would take away what the new indexes are to hold, without knowing that they will.
        let (lease, catalog) = self.inner.snapshots.lease_latest();
        let at = lease.timestamp();
        let Some(row) = catalog.schema(id) else { return Ok(()) };
        if row.state == SchemaRowState::Pending {
            self.build_indexes(&row.schema, false, &catalog, at).await?;
            let state = match self.find_mismatch(&row.schema, &catalog, at).await? {
                None => SchemaRowState::Validated,
                Some((table, error)) => SchemaRowState::Failed(error, Some(table)),
            };
            self.change(&Change::SetState(id, state)).await?;
        }
        self.build_indexes(&row.schema, true, &catalog, at).await
    }

    /// Builds the indexes of a schema, either the staged ones or the others, as far as they are not complete.
    async fn build_indexes(&self, schema: &Schema, staged: bool, catalog: &Catalog, at: Timestamp) -> Result<()> {
        for (table, name, definition) in schema_indexes(schema).filter(|(_, _, index)| index.staged == staged) {
            let Some(table) = catalog.table(table) else { continue };
            if let Some(index) = find_index(table, name, definition)
                && index.state == IndexState::Backfilling
            {
                self.backfill(table, index, at).await?;
                self.change(&Change::Complete(index.id)).await?;
            }
        }
        Ok(())
    }

    /// Adds the documents of a snapshot to an index, each at the timestamp of its revision. What is written after the
    /// snapshot, the committer adds.
    async fn backfill(&self, table: &Table, index: &Index, at: Timestamp) -> Result<()> {
        let mut range = Some(KeyRange::all());
        while let Some(rows) = self.next_chunk(table, &mut range, at).await? {
            let entries = rows
                .into_iter()
                .filter_map(|row| {
                    let id = row.versioned.document.get("_id")?.as_str()?.parse::<DocumentId>().ok()?;
                    Some(IndexEntry {
                        index: index.id,
                        key: index.key(&row.versioned.document),
                        timestamp: row.versioned.timestamp,
                        document: Some(DocumentKey { tablet: table.tablet, id: id.internal }),
                    })
                })
                .collect();
            let written = self.inner.persistence.write(WriteBatch { revisions: Vec::new(), entries }).await;
            if let Err(error) = written {
                // Once retention goes on, what comes too late would show what is gone.
                self.inner.persistence.settle().await?;
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// The first document of a snapshot that does not match a schema: its table and the error.
    async fn find_mismatch(
        &self,
        schema: &Schema,
        catalog: &Catalog,
        at: Timestamp,
    ) -> Result<Option<(String, String)>> {
        let active = catalog.active_schema().map(|row| row.schema.clone());
        for name in schema.tables.keys() {
            let Some((document_type, table)) = schema.enforced_type(name).zip(catalog.table(name)) else { continue };
            if active.as_ref().and_then(|active| active.enforced_type(name)) == Some(document_type) {
                continue;
            }
            let mut range = Some(KeyRange::all());
            while let Some(rows) = self.next_chunk(table, &mut range, at).await? {
                for row in rows {
                    let mut content = row.versioned.document.as_ref().clone();
                    let id = content.remove("_id").and_then(|id| id.as_str().map(str::to_owned)).unwrap_or_default();
                    content.remove("_creationTime");
                    if let Err(error) = document_type.check_object(&content, catalog) {
                        return Ok(Some((
                            name.clone(),
                            format!("Document with ID \"{id}\" in table \"{name}\" does not match the schema: {error}"),
                        )));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The next documents of a table; `range` is what is left, and `None` comes after the last ones.
    async fn next_chunk(
        &self,
        table: &Table,
        range: &mut Option<KeyRange>,
        at: Timestamp,
    ) -> Result<Option<Vec<IndexRow>>> {
        let Some(left) = range.take() else { return Ok(None) };
        let limit = INDEX_BACKFILL_CHUNK_SIZE.get().max(1);
        let rows = self.inner.persistence.scan(table.by_id().id, left, at, Order::Ascending, limit).await?;
        if let Some(last) = rows.last().filter(|_| rows.len() == limit) {
            *range = Some(KeyRange { start: successor(&last.key), end: None });
        }
        Ok(Some(rows))
    }
}

impl Transaction {
    /// Puts a validated schema in force and drops the indexes it does not have. Commits with the rest of the
    /// transaction, so code and schema change together.
    pub async fn activate_schema(&mut self, schema: &SchemaId) -> Result<()> {
        let id = internal_id(schema)?;
        self.read_schemas();
        let Some(row) = self.catalog().schema(id).cloned() else {
            return Err(Error::developer(
                "SchemaAlreadyOverwritten",
                "The schema was overwritten by another push. Push again.",
            ));
        };
        match row.state {
            SchemaRowState::Active => return Ok(()),
            SchemaRowState::Validated => {}
            SchemaRowState::Failed(error, _) => return Err(Error::developer("SchemaEnforcementError", error)),
            SchemaRowState::Pending => {
                return Err(Error::developer(
                    "SchemaNotValidated",
                    "The schema is still being checked. Wait until it is validated.",
                ));
            }
        }
        for table in self.tables_in_order() {
            for index in table.indexes.iter().filter(|index| !is_built_in(index)) {
                let tables = &row.schema.tables;
                let wanted = tables
                    .get(&table.name)
                    .and_then(|table| table.indexes.get(&index.name))
                    .filter(|definition| key_fields(definition) == index.fields);
                match wanted {
                    // Only a staged one may not be complete yet.
                    Some(definition) if index.state == IndexState::Backfilling => {
                        self.set_index(&table, index, IndexState::Backfilling, definition.staged).await?;
                    }
                    Some(definition) => {
                        self.set_index(&table, index, IndexState::Enabled, definition.staged).await?;
                    }
                    None => self.replace_system_row(&INDEX, index.id.0, None).await?,
                }
            }
        }
        self.delete_schemas_but(Some(id)).await?;
        self.set_schema_state(id, SchemaRowState::Active).await
    }

    async fn apply(&mut self, change: &Change<'_>) -> Result<Option<InternalId>> {
        match change {
            Change::Submit(schema) => return self.submit(schema).await.map(Some),
            Change::Complete(id) => {
                let catalog = self.catalog().clone();
                let index = catalog.table_of_index(*id).and_then(|table| {
                    let index = table.indexes.iter().find(|index| index.id == *id)?;
                    Some((table, index))
                });
                if let Some((table, index)) = index {
                    self.read_schemas();
                    let active = catalog.active_schema().and_then(|row| row.schema.tables.get(&table.name));
                    let in_force = active.and_then(|active| active.indexes.get(&index.name));
                    let state = match in_force.filter(|definition| key_fields(definition) == index.fields) {
                        Some(_) => IndexState::Enabled,
                        None => IndexState::Backfilled,
                    };
                    self.set_index(table, index, state, index.staged).await?;
                }
            }
            Change::SetState(id, state) => {
                self.read_schemas();
                if self.catalog().schema(*id).is_some_and(|row| row.state == SchemaRowState::Pending) {
                    self.set_schema_state(*id, state.clone()).await?;
                }
            }
            Change::Activate(schema) => self.activate_schema(schema).await?,
        }
        Ok(None)
    }

    async fn submit(&mut self, schema: &Schema) -> Result<InternalId> {
        self.read_schemas();
        let active = self.catalog().active_schema().map(|row| row.id);
        self.delete_schemas_but(active).await?;
        for table in self.tables_in_order() {
            let wanted = schema.tables.get(&table.name).map(|table| &table.indexes);
            for index in table.indexes.iter().filter(|index| index.state != IndexState::Enabled) {
                let definition = wanted.and_then(|indexes| indexes.get(&index.name));
                if definition.is_none_or(|definition| key_fields(definition) != index.fields) {
                    self.replace_system_row(&INDEX, index.id.0, None).await?;
                }
            }
        }
        for (name, definition) in &schema.tables {
            let table = match self.table(name) {
                Some(table) => table,
                None => self.create_table(name)?,
            };
            for (index_name, index) in &definition.indexes {
                if find_index(&table, index_name, index).is_none() {
                    let fields = key_fields(index);
                    let state = IndexState::Backfilling;
                    let row = index_document(table.tablet, index_name, &fields, state, index.staged);
                    self.insert_system(&INDEX, row)?;
                }
            }
        }
        self.insert_system(&SCHEMAS, schema_document(schema, &SchemaRowState::Pending))
    }

    async fn set_index(&mut self, table: &Table, index: &Index, state: IndexState, staged: bool) -> Result<()> {
        let row = index_document(table.tablet, &index.name, &index.fields, state, staged);
        self.replace_system_row(&INDEX, index.id.0, Some(row)).await
    }

    async fn delete_schemas_but(&mut self, kept: Option<InternalId>) -> Result<()> {
        let mut ids: Vec<InternalId> = self.catalog().schemas().map(|row| row.id).collect();
        ids.sort();
        for id in ids.into_iter().filter(|id| Some(*id) != kept) {
            self.replace_system_row(&SCHEMAS, id, None).await?;
        }
        Ok(())
    }

    /// The users' tables by name, so that the same change writes the same rows in the same order.
    fn tables_in_order(&self) -> Vec<Arc<Table>> {
        let tables = self.catalog().user_tables().map(|table| (table.name.clone(), table.clone()));
        tables.collect::<BTreeMap<_, _>>().into_values().collect()
    }
}

/// Table, name and definition of every index of a schema.
fn schema_indexes(schema: &Schema) -> impl Iterator<Item = (&str, &str, &IndexDefinition)> {
    schema.tables.iter().flat_map(|(table, definition)| {
        definition.indexes.iter().map(|(name, index)| (table.as_str(), name.as_str(), index))
    })
}

/// The index that a definition of a schema means.
fn find_index<'a>(table: &'a Table, name: &str, definition: &IndexDefinition) -> Option<&'a Arc<Index>> {
    let fields = key_fields(definition);
    table.indexes.iter().find(|index| index.name == name && index.fields == fields)
}

fn key_fields(definition: &IndexDefinition) -> Vec<FieldPath> {
    definition.fields.iter().cloned().chain([FieldPath::creation_time()]).collect()
}

fn is_built_in(index: &Index) -> bool {
    matches!(index.name.as_str(), "by_id" | "by_creation_time")
}

fn schema_id(id: InternalId) -> SchemaId {
    SchemaId(DocumentId { table: SCHEMAS.number, internal: id }.to_string())
}

fn internal_id(schema: &SchemaId) -> Result<InternalId> {
    match schema.0.parse::<DocumentId>() {
        Ok(id) if id.table == SCHEMAS.number => Ok(id.internal),
        _ => Err(Error::developer("InvalidId", format!("\"{}\" is not the ID of a schema.", schema.0))),
    }
}

/// A transaction of the system itself.
fn system_begin(world: &dyn World) -> Begin {
    let mut id_seed = [0; 32];
    world.fill_random(&mut id_seed);
    Begin { id_seed, unix_nanos: world.unix_nanos(), writer: None, journal: None }
}
