//! What the tests of the database share.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use convex_wasm_database::{
    Begin, Database, DocumentArg, Error, InsertArg, MemoryPersistence, Options, Page, PageArgs, PatchArg, ReplaceArg,
    Result, SqlitePersistence, Transaction,
};
use convex_wasm_values::{ConvexObject, ConvexValue, JsonFormat, Schema};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A database in a directory of its own.
pub struct Fixture {
    pub database: Database,
    pub directory: TempDir,
}

pub async fn open(path: &Path) -> Database {
    Database::open(Arc::new(SqlitePersistence::open(path.join("test.sqlite3")).unwrap())).await.unwrap()
}

/// Opens a database that another handle has just shut down: background work may still hold it for a moment.
pub async fn open_again(path: &Path) -> Database {
    loop {
        match SqlitePersistence::open(path.join("test.sqlite3")) {
            Ok(persistence) => return Database::open(Arc::new(persistence)).await.unwrap(),
            Err(convex_wasm_database::PersistenceError::InUse { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

/// A database in memory, with other choices than the default ones.
pub async fn in_memory(store: &MemoryPersistence, options: Options) -> Database {
    Database::open_with(Arc::new(store.clone()), options).await.unwrap()
}

impl Fixture {
    pub async fn new() -> Self {
        let directory = TempDir::new().unwrap();
        Self { database: open(directory.path()).await, directory }
    }

    pub async fn with_schema(tables: Json) -> Self {
        let fixture = Self::new().await;
        fixture.database.set_schema(&schema(tables)).await.unwrap();
        fixture
    }

    /// Closes the database and opens it again.
    pub async fn reopen(self) -> Self {
        self.database.shut_down().await;
        Self { database: open_again(self.directory.path()).await, directory: self.directory }
    }

    pub fn begin(&self) -> Transaction {
        self.database.begin(begin())
    }

    /// Inserts one document in a transaction of its own.
    pub async fn insert(&self, table: &str, value: Json) -> String {
        let mut transaction = self.begin();
        let id = insert(&mut transaction, table, value).await.unwrap();
        self.database.commit(transaction).await.unwrap();
        id
    }

    /// All rows of a query in a transaction of its own.
    pub async fn collect(&self, query: Json) -> Vec<Json> {
        collect(&mut self.begin(), query).await.unwrap()
    }
}

/// A fresh seed and a fixed time.
pub fn begin() -> Begin {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let mut id_seed = [0; 32];
    id_seed[..8].copy_from_slice(&SEED.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    Begin { id_seed, unix_nanos: 1_760_000_000_000_000_000, writer: Some("test:function".to_owned()), journal: None }
}

/// A schema from its tables: name to `[documentType, {index: [field]}]`.
pub fn schema(tables: Json) -> Schema {
    let tables: Vec<Json> = tables
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, table)| {
            let indexes: Vec<Json> = table[1]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, fields)| json!({"indexDescriptor": name, "fields": fields}))
                .collect();
            json!({"tableName": name, "documentType": table[0], "indexes": indexes})
        })
        .collect();
    Schema::from_json(&json!({"schemaValidation": true, "tables": tables})).unwrap()
}

pub fn document(id: &str) -> DocumentArg {
    serde_json::from_value(json!({"id": id, "isSystem": false, "version": "1.49.0"})).unwrap()
}

pub async fn insert(transaction: &mut Transaction, table: &str, value: Json) -> Result<String> {
    let arg: InsertArg = serde_json::from_value(json!({"table": table, "value": value})).unwrap();
    Ok(transaction.insert(&arg).await?.to_string())
}

pub async fn get(transaction: &mut Transaction, id: &str) -> Result<Option<Json>> {
    Ok(transaction.get(&document(id)).await?.map(|document| to_json(&document)))
}

pub async fn patch(transaction: &mut Transaction, id: &str, value: Json) -> Result<Json> {
    let arg: PatchArg = serde_json::from_value(json!({"id": id, "value": value})).unwrap();
    Ok(to_json(&*transaction.patch(&arg).await?))
}

pub async fn replace(transaction: &mut Transaction, id: &str, value: Json) -> Result<Json> {
    let arg: ReplaceArg = serde_json::from_value(json!({"id": id, "value": value})).unwrap();
    Ok(to_json(&*transaction.replace(&arg).await?))
}

pub async fn delete(transaction: &mut Transaction, id: &str) -> Result<Json> {
    Ok(to_json(&*transaction.delete(&document(id)).await?))
}

pub async fn collect(transaction: &mut Transaction, query: Json) -> Result<Vec<Json>> {
    let query = transaction.query_stream(&query)?;
    let mut rows = Vec::new();
    while let Some(row) = transaction.query_next(query).await? {
        rows.push(to_json(&row));
    }
    assert!(transaction.query_cleanup(query));
    Ok(rows)
}

pub async fn page(transaction: &mut Transaction, args: Json) -> Result<Page> {
    let args: PageArgs = serde_json::from_value(args).unwrap();
    transaction.query_page(&args).await
}

pub fn full_scan(table: &str) -> Json {
    json!({"source": {"type": "FullTableScan", "tableName": table, "order": null}, "operators": []})
}

pub fn index_range(index: &str, range: Json, order: &str) -> Json {
    json!({"source": {"type": "IndexRange", "indexName": index, "range": range, "order": order}, "operators": []})
}

/// The values of one field.
pub fn field(rows: &[Json], name: &str) -> Vec<Json> {
    rows.iter().map(|row| row[name].clone()).collect()
}

pub fn to_json(document: &ConvexObject) -> Json {
    ConvexValue::Object(document.clone()).to_json(JsonFormat::Encoded)
}

pub fn code<T: std::fmt::Debug>(result: Result<T>) -> &'static str {
    result.unwrap_err().code()
}

pub fn is_conflict<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Conflict(_)))
}
