//! What tables, indexes and schemas there are at a timestamp, computed from the documents that describe them.

use std::collections::HashMap;
use std::sync::Arc;

use convex_wasm_persistence::{DocumentKey, IndexId, Key, PersistenceError, TabletId};
use convex_wasm_values::sort_key::{encode_sort_key, encode_string_key};
use convex_wasm_values::{
    ConvexObject, ConvexValue, DocumentId, FieldPath, InternalId, Schema, TableMapping, TableNumber,
};

use crate::Result;
use crate::system_tables::{ALL, INDEX, SCHEMAS, TABLES};

/// Number of the first table of users.
pub const FIRST_USER_TABLE: u32 = 10_001;

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The table in the store.
    pub tablet: TabletId,
    /// The number inside ids.
    pub number: TableNumber,
    /// The key of the table's row in `_tables`.
    pub row: Key,
    /// The name.
    pub name: String,
    /// Every index, `by_id` first, whatever its state: all of them are kept up to date by commits.
    pub indexes: Vec<Arc<Index>>,
}

/// An index of a table.
#[derive(Clone, Debug)]
pub struct Index {
    /// The index in the store; also its row in `_index`.
    pub id: IndexId,
    /// The name, unique among the enabled indexes of a table.
    pub name: String,
    /// The fields at the start of a key, `_creationTime` included. The document's id follows.
    pub fields: Vec<FieldPath>,
    /// Whether it holds all documents.
    pub state: IndexState,
    /// Built, but not to be queried.
    pub staged: bool,
}

/// Whether an index can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Documents from before its creation are still being added.
    Backfilling,
    /// Complete, to be enabled with its schema.
    Backfilled,
    /// In use.
    Enabled,
}

/// A row of `_schemas`.
#[derive(Clone, Debug)]
pub struct SchemaRow {
    /// The row's id.
    pub id: InternalId,
    /// The schema.
    pub schema: Arc<Schema>,
    /// What it is waiting for.
    pub state: SchemaRowState,
}

/// State of a row of `_schemas`. A row that was replaced is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaRowState {
    /// Its indexes are being built and the documents checked.
    Pending,
    /// It can be activated.
    Validated,
    /// A document does not match: error text and table.
    Failed(String, Option<String>),
    /// In force.
    Active,
}

/// All tables, indexes and schemas at a timestamp.
#[derive(Clone, Debug)]
pub struct Catalog {
    tables: HashMap<TabletId, Arc<Table>>,
    by_name: HashMap<String, TabletId>,
    by_number: HashMap<TableNumber, TabletId>,
    /// Which table an index is of.
    index_tables: HashMap<IndexId, TabletId>,
    schemas: HashMap<InternalId, SchemaRow>,
}

impl Table {
    /// `by_id`.
    pub fn by_id(&self) -> &Arc<Index> {
        // Every table is made with this index, and it is never dropped.
        &self.indexes[0]
    }

    /// Whether the table belongs to the system.
    pub fn is_system(&self) -> bool {
        self.name.starts_with('_')
    }

    /// The id of one of the table's documents.
    pub fn document_id(&self, internal: InternalId) -> DocumentId {
        DocumentId { table: self.number, internal }
    }
}

impl Index {
    /// The key of a document.
    pub fn key(&self, document: &ConvexObject) -> Key {
        let mut key = Vec::with_capacity(48 + 12 * self.fields.len());
        for field in &self.fields {
            encode_sort_key(field.get(document), &mut key);
        }
        encode_sort_key(document.get("_id"), &mut key);
        key
    }

    /// The fields that a query may use: a key of `by_id` consists of the id alone.
    pub fn query_fields(&self) -> Vec<FieldPath> {
        if self.fields.is_empty() { vec![FieldPath::id()] } else { self.fields.clone() }
    }
}

/// The key of a table's row in `_tables`.
fn row_key(table: TabletId) -> Key {
    id_key(DocumentId { table: TABLES.number, internal: table.0 })
}

/// The key of a document in `by_id`.
pub fn id_key(id: DocumentId) -> Key {
    let mut key = Vec::with_capacity(40);
    encode_string_key(&id.to_string(), &mut key);
    key
}

impl Catalog {
    /// The tables of the system alone.
    pub fn system() -> Self {
        let mut catalog = Self {
            tables: HashMap::new(),
            by_name: HashMap::new(),
            by_number: HashMap::new(),
            index_tables: HashMap::new(),
            schemas: HashMap::new(),
        };
        for table in ALL {
            let indexes = (0..).zip(table.all_indexes()).map(|(position, (name, fields))| {
                let state = IndexState::Enabled;
                Arc::new(Index { id: table.index(position), name: name.to_owned(), fields, state, staged: false })
            });
            catalog.put_table(Table {
                tablet: table.tablet(),
                number: table.number,
                row: row_key(table.tablet()),
                name: table.name.to_owned(),
                indexes: indexes.collect(),
            });
        }
        catalog
    }

    /// The table of a name.
    pub fn table(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.get(self.by_name.get(name)?)
    }

    /// The table of a number.
    pub fn table_by_number(&self, number: TableNumber) -> Option<&Arc<Table>> {
        self.tables.get(self.by_number.get(&number)?)
    }

    /// A table of the store.
    pub fn tablet(&self, tablet: TabletId) -> Option<&Arc<Table>> {
        self.tables.get(&tablet)
    }

    /// The table that an index is of.
    pub fn table_of_index(&self, index: IndexId) -> Option<&Arc<Table>> {
        self.tables.get(self.index_tables.get(&index)?)
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// All tables of users.
    pub fn user_tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values().filter(|table| !table.is_system())
    }

    /// The number that the next table gets.
    pub fn next_table_number(&self) -> TableNumber {
        let last = self.by_number.keys().map(|number| number.0).max().unwrap_or(0);
        TableNumber((last + 1).max(FIRST_USER_TABLE))
    }

    /// The rows of `_schemas`.
    pub fn schemas(&self) -> impl Iterator<Item = &SchemaRow> {
        self.schemas.values()
    }

    /// The schema in force.
    pub fn active_schema(&self) -> Option<&SchemaRow> {
        self.schemas().find(|row| row.state == SchemaRowState::Active)
    }

    /// The schema that is to replace it.
    pub fn pending_schema(&self) -> Option<&SchemaRow> {
        self.schemas().find(|row| matches!(row.state, SchemaRowState::Pending | SchemaRowState::Validated))
    }

    /// A row of `_schemas`.
    pub fn schema(&self, id: InternalId) -> Option<&SchemaRow> {
        self.schemas.get(&id)
    }

    /// Checks what the rest of the program relies on: the first index of every table is `by_id`.
    pub fn check(&self) -> Result<()> {
        match self.tables.values().find(|table| table.indexes.first().is_none_or(|index| index.name != "by_id")) {
            None => Ok(()),
            Some(table) => {
                let detail = format!("table {} has no index by_id", table.name);
                Err(PersistenceError::Damaged { detail }.into())
            }
        }
    }

    /// Whether a change of this document changes the catalog.
    pub fn describes(key: DocumentKey) -> bool {
        [TABLES.tablet(), INDEX.tablet(), SCHEMAS.tablet()].contains(&key.tablet)
    }

    /// Takes in the new content of a document that [`Catalog::describes`] says is relevant. Documents of `_tables` come
    /// before those of `_index`.
    pub fn apply(&mut self, key: DocumentKey, content: Option<&ConvexObject>) -> Result<()> {
        if key.tablet == TABLES.tablet() {
            if let Some(content) = content {
                self.apply_table(key.id, content)?;
            }
        } else if key.tablet == INDEX.tablet() {
            self.apply_index(key.id, content)?;
        } else if key.tablet == SCHEMAS.tablet() {
            match content {
                Some(content) => {
                    self.schemas.insert(key.id, schema_row(key.id, content)?);
                }
                None => {
                    self.schemas.remove(&key.id);
                }
            }
        }
        Ok(())
    }

    fn apply_table(&mut self, id: InternalId, content: &ConvexObject) -> Result<()> {
        let (Some(name), Some(ConvexValue::Int64(number))) = (text(content, "name"), content.get("number")) else {
            return Err(damaged("_tables", content));
        };
        let number = u32::try_from(*number).map_err(|_| damaged("_tables", content))?;
        let (tablet, number) = (TabletId(id), TableNumber(number));
        if let Some(table) = self.tables.get_mut(&tablet) {
            // Another table may have the old number by now.
            if self.by_number.get(&table.number) == Some(&tablet) {
                self.by_number.remove(&table.number);
            }
            Arc::make_mut(table).number = number;
            self.by_number.insert(number, tablet);
        } else {
            self.put_table(Table { tablet, number, row: row_key(tablet), name: name.to_owned(), indexes: Vec::new() });
        }
        Ok(())
    }

    fn put_table(&mut self, table: Table) {
        self.by_name.insert(table.name.clone(), table.tablet);
        self.by_number.insert(table.number, table.tablet);
        self.index_tables.extend(table.indexes.iter().map(|index| (index.id, table.tablet)));
        self.tables.insert(table.tablet, Arc::new(table));
    }

    fn apply_index(&mut self, id: InternalId, content: Option<&ConvexObject>) -> Result<()> {
        let id = IndexId(id);
        if let Some(table) = self.index_tables.remove(&id).and_then(|tablet| self.tables.get_mut(&tablet)) {
            Arc::make_mut(table).indexes.retain(|index| index.id != id);
        }
        let Some(content) = content else { return Ok(()) };
        let (tablet, index) = parse_index(id, content).ok_or_else(|| damaged("_index", content))?;
        let Some(table) = self.tables.get_mut(&tablet) else { return Err(damaged("_index", content)) };
        self.index_tables.insert(id, tablet);
        let indexes = &mut Arc::make_mut(table).indexes;
        if index.name == "by_id" {
            indexes.insert(0, Arc::new(index));
        } else {
            indexes.push(Arc::new(index));
        }
        Ok(())
    }
}

impl TableMapping for Catalog {
    fn table_name(&self, number: TableNumber) -> Option<&str> {
        self.table_by_number(number).map(|table| table.name.as_str())
    }
}

/// The content of a row of `_tables`.
pub fn table_document(name: &str, number: TableNumber) -> ConvexObject {
    ConvexObject::from([
        ("name".to_owned(), ConvexValue::from(name)),
        ("number".to_owned(), ConvexValue::Int64(number.0.into())),
    ])
}

/// The content of a row of `_index`.
pub fn index_document(
    tablet: TabletId,
    name: &str,
    fields: &[FieldPath],
    state: IndexState,
    staged: bool,
) -> ConvexObject {
    let state = match state {
        IndexState::Backfilling => "backfilling",
        IndexState::Backfilled => "backfilled",
        IndexState::Enabled => "enabled",
    };
    let fields = fields.iter().map(|field| ConvexValue::from(field.as_str())).collect::<Vec<_>>();
    ConvexObject::from([
        ("table_id".to_owned(), ConvexValue::Bytes(tablet.0.0.to_vec())),
        ("name".to_owned(), ConvexValue::from(name)),
        ("fields".to_owned(), ConvexValue::from(fields)),
        ("state".to_owned(), ConvexValue::from(state)),
        ("staged".to_owned(), ConvexValue::from(staged)),
    ])
}

fn parse_index(id: IndexId, content: &ConvexObject) -> Option<(TabletId, Index)> {
    let (ConvexValue::Bytes(table), ConvexValue::Array(fields)) = (content.get("table_id")?, content.get("fields")?)
    else {
        return None;
    };
    let tablet = TabletId(InternalId(table.as_slice().try_into().ok()?));
    let fields = fields.iter().map(|field| FieldPath::parse(field.as_str()?).ok()).collect::<Option<_>>()?;
    let state = match text(content, "state")? {
        "backfilling" => IndexState::Backfilling,
        "backfilled" => IndexState::Backfilled,
        "enabled" => IndexState::Enabled,
        _ => return None,
    };
    let staged = *content.get("staged")? == ConvexValue::Boolean(true);
    Some((tablet, Index { id, name: text(content, "name")?.to_owned(), fields, state, staged }))
}

/// The content of a row of `_schemas`.
pub fn schema_document(schema: &Schema, state: &SchemaRowState) -> ConvexObject {
    let mut content = ConvexObject::from([("schema".to_owned(), ConvexValue::from(schema.to_json().to_string()))]);
    let state = match state {
        SchemaRowState::Pending => "pending",
        SchemaRowState::Validated => "validated",
        SchemaRowState::Active => "active",
        SchemaRowState::Failed(error, table) => {
            content.insert("error".to_owned(), ConvexValue::from(error.as_str()));
            if let Some(table) = table {
                content.insert("table".to_owned(), ConvexValue::from(table.as_str()));
            }
            "failed"
        }
    };
    content.insert("state".to_owned(), ConvexValue::from(state));
    content
}

fn schema_row(id: InternalId, content: &ConvexObject) -> Result<SchemaRow> {
    let parse = || {
        let json: serde_json::Value = serde_json::from_str(text(content, "schema")?).ok()?;
        let state = match text(content, "state")? {
            "pending" => SchemaRowState::Pending,
            "validated" => SchemaRowState::Validated,
            "active" => SchemaRowState::Active,
            "failed" => {
                SchemaRowState::Failed(text(content, "error")?.to_owned(), text(content, "table").map(str::to_owned))
            }
            _ => return None,
        };
        Some(SchemaRow { id, schema: Arc::new(Schema::from_json(&json).ok()?), state })
    };
    parse().ok_or_else(|| damaged("_schemas", content))
}

fn text<'a>(content: &'a ConvexObject, field: &str) -> Option<&'a str> {
    content.get(field)?.as_str()
}

fn damaged(table: &str, content: &ConvexObject) -> crate::Error {
    let detail = format!("table {table} has a row that does not make sense: {}", ConvexValue::Object(content.clone()));
    PersistenceError::Damaged { detail }.into()
}
