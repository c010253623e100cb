//! The app that is measured: messages in channels, through the transaction API.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use convex_wasm_database::{Begin, Database, DocumentArg, InsertArg, Persistence};
use convex_wasm_values::Schema;
use serde_json::{Value as Json, json};

/// Documents of a channel.
pub const CHANNEL: usize = 100;
/// Documents that a transaction writes while a table is filled.
const CHUNK: usize = 1_000;

/// A begin like that of a function.
pub fn begin() -> Begin {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let mut id_seed = [0; 32];
    id_seed[..8].copy_from_slice(&SEED.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    Begin { id_seed, unix_nanos: 1_760_000_000_000_000_000, writer: None, journal: None }
}

/// The name of a channel.
pub fn channel(number: usize) -> String {
    format!("c{number:07}")
}

/// The text of a message.
pub fn body() -> String {
    "hello ".repeat(10)
}

/// The message of a number, in one of so many channels.
pub fn message(number: usize, channels: usize, body: &str) -> InsertArg {
    let value = json!({"channel": channel(number % channels), "body": body, "number": number});
    InsertArg { table: "messages".to_owned(), value }
}

/// The last messages of a channel.
pub fn range(number: usize, limit: usize) -> Json {
    json!({
        "source": {
            "type": "IndexRange", "indexName": "messages.by_channel", "order": "desc",
            "range": [{"type": "Eq", "fieldPath": "channel", "value": channel(number)}],
        },
        "operators": [{"limit": limit}],
    })
}

/// A message by its id.
pub fn by_id(id: String) -> DocumentArg {
    DocumentArg { id, table: None, is_system: false }
}

/// Opens a database whose table of messages has an index by channel.
pub async fn open(persistence: Arc<dyn Persistence>) -> Database {
    let database = Database::open(persistence).await.unwrap();
    let index = json!([{"indexDescriptor": "by_channel", "fields": ["channel"]}]);
    let schema = json!({"tables": [{"tableName": "messages", "indexes": index, "documentType": null}]});
    database.set_schema(&Schema::from_json(&schema).unwrap()).await.unwrap();
    database
}

/// Inserts messages; the ids of every `keep`-th of them.
pub async fn fill(
    database: &Database,
    numbers: std::ops::Range<usize>,
    channels: usize,
    body: &str,
    keep: usize,
) -> Vec<DocumentArg> {
    let mut ids = Vec::new();
    for first in numbers.clone().step_by(CHUNK) {
        let mut transaction = database.begin(begin());
        for number in first..numbers.end.min(first + CHUNK) {
            let id = transaction.insert(&message(number, channels, body)).await.unwrap();
            if number % keep == 0 {
                ids.push(by_id(id.to_string()));
            }
        }
        database.commit(transaction).await.unwrap();
    }
    ids
}

/// The documents of a range, counted.
pub async fn collect(database: &Database, query: &Json) -> usize {
    let mut transaction = database.begin(begin());
    let query = transaction.query_stream(query).unwrap();
    let mut rows = 0;
    while transaction.query_next(query).await.unwrap().is_some() {
        rows += 1;
    }
    rows
}

/// Commits the insertion of one message.
pub async fn insert(database: &Database, number: usize, channels: usize, body: &str) {
    let mut transaction = database.begin(begin());
    transaction.insert(&message(number, channels, body)).await.unwrap();
    database.commit(transaction).await.unwrap();
}
