//! The database: its mark, its tables, and who may write.

use tokio_postgres::Client;

use super::connection::{Attempt, Server};
use crate::PersistenceError;
use crate::remote::FORMAT;

/// `documents` is append-only in the order of its key. An index entry has the timestamp of the revision it leads to, so
/// the way from one to the other is one lookup. `leases` has one row: the number of times that the database was opened.
const TABLES: &str = "
    CREATE TABLE documents (
        ts BIGINT NOT NULL,
        table_id BYTEA NOT NULL,
        id BYTEA NOT NULL,
        json_value BYTEA NULL,
        prev_ts BIGINT NULL,
        PRIMARY KEY (ts, table_id, id)
    );
    CREATE TABLE indexes (
        index_id BYTEA NOT NULL,
        key_prefix BYTEA NOT NULL,
        key_hash BYTEA NOT NULL,
        ts BIGINT NOT NULL,
        key_suffix BYTEA NULL,
        table_id BYTEA NULL,
        document_id BYTEA NULL,
        PRIMARY KEY (index_id, key_prefix, key_hash, ts)
    );
    CREATE TABLE persistence_globals (key TEXT NOT NULL PRIMARY KEY, json_value TEXT NOT NULL);
    CREATE TABLE blobs (sha256 BYTEA NOT NULL PRIMARY KEY, content BYTEA NOT NULL);
    CREATE TABLE leases (id INTEGER NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL);
    CREATE TABLE convex_wasm_format (format BIGINT NOT NULL);
    INSERT INTO leases VALUES (1, 0);
";

/// `CvxW`: the advisory lock of those that make the tables.
const LOCK: i64 = 0x4376_7857;

/// Makes the tables if the database is empty, and takes the lease: from now on only writes with this epoch succeed.
pub async fn open(client: &mut Client, server: &Server) -> Attempt<i64> {
    let failed = |error| server.failed(error);
    let transaction = client.transaction().await.map_err(failed)?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(failed)?;
    let row = transaction
        .query_one(
            "SELECT to_regclass('convex_wasm_format') IS NOT NULL,
                    to_regclass('documents') IS NOT NULL OR to_regclass('indexes') IS NOT NULL",
            &[],
        )
        .await
        .map_err(failed)?;
    let (marked, occupied): (bool, bool) = (row.get(0), row.get(1));
    let database = || server.shown.clone();
    if marked {
        let row = transaction.query_one("SELECT format FROM convex_wasm_format", &[]).await.map_err(failed)?;
        let found: i64 = row.get(0);
        if found != FORMAT {
            let error = PersistenceError::NewerFormat { database: database(), found, supported: FORMAT };
            return Err(error.into());
        }
    } else if occupied {
        return Err(PersistenceError::Foreign { database: database() }.into());
    } else {
        transaction.batch_execute(TABLES).await.map_err(failed)?;
        transaction.execute("INSERT INTO convex_wasm_format VALUES ($1)", &[&FORMAT]).await.map_err(failed)?;
    }
    let row = transaction
        .query_one("UPDATE leases SET epoch = epoch + 1 WHERE id = 1 RETURNING epoch", &[])
        .await
        .map_err(failed)?;
    let epoch = row.get(0);
    transaction.commit().await.map_err(failed)?;
    Ok(epoch)
}
