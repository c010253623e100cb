//! The database: its mark, its tables, and who may write.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::connection::{Attempt, Server};
use crate::PersistenceError;
use crate::remote::FORMAT;

/// The first table marks the database as ours; it gets its row when all tables are there, because each statement that
/// makes one is a transaction of its own. See the other stores for what the tables are for.
const TABLES: [&str; 6] = [
    "CREATE TABLE IF NOT EXISTS convex_wasm_format (format BIGINT NOT NULL PRIMARY KEY) ENGINE = InnoDB",
    "CREATE TABLE IF NOT EXISTS documents (
        ts BIGINT NOT NULL,
        table_id BINARY(16) NOT NULL,
        id BINARY(16) NOT NULL,
        json_value LONGBLOB NULL,
        prev_ts BIGINT NULL,
        PRIMARY KEY (ts, table_id, id)
    ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
    "CREATE TABLE IF NOT EXISTS indexes (
        index_id BINARY(16) NOT NULL,
        key_prefix VARBINARY(2500) NOT NULL,
        key_hash VARBINARY(32) NOT NULL,
        ts BIGINT NOT NULL,
        key_suffix LONGBLOB NULL,
        table_id BINARY(16) NULL,
        document_id BINARY(16) NULL,
        PRIMARY KEY (index_id, key_prefix, key_hash, ts)
    ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
    "CREATE TABLE IF NOT EXISTS persistence_globals (
        name VARBINARY(255) NOT NULL PRIMARY KEY,
        json_value LONGBLOB NOT NULL
    ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
    "CREATE TABLE IF NOT EXISTS blobs (
        sha256 BINARY(32) NOT NULL,
        part INTEGER NOT NULL,
        content LONGBLOB NOT NULL,
        PRIMARY KEY (sha256, part)
    ) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
    "CREATE TABLE IF NOT EXISTS leases (id INTEGER NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL) ENGINE = InnoDB",
];

/// Makes the tables if the database is empty, and takes the lease: from now on only writes with this epoch succeed.
pub async fn open(mut connection: Conn, server: &Server) -> Attempt<i64> {
    let epoch = prepare(&mut connection, server).await;
    // It ends here, and with it the lock that it may have.
    let _ = connection.disconnect().await;
    epoch
}

async fn prepare(connection: &mut Conn, server: &Server) -> Attempt<i64> {
    let failed = |error| server.failed(error);
    let locked: Option<Option<i64>> =
        connection.query_first("SELECT GET_LOCK(CONCAT('convex_wasm.', DATABASE()), 30)").await.map_err(failed)?;
    if locked.flatten() != Some(1) {
        let reason = "another backend is making the tables of this database".to_owned();
        return Err(PersistenceError::Failed(reason).into());
    }
    let tables: Vec<String> = connection
        .query("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()")
        .await
        .map_err(failed)?;
    let has = |name: &str| tables.iter().any(|table| table == name);
    let database = || server.shown.clone();
    if !has("convex_wasm_format") && (has("documents") || has("indexes")) {
        return Err(PersistenceError::Foreign { database: database() }.into());
    }
    if has("convex_wasm_format") {
        let found: Option<i64> =
            connection.query_first("SELECT format FROM convex_wasm_format").await.map_err(failed)?;
        if let Some(found) = found.filter(|found| *found != FORMAT) {
            let error = PersistenceError::NewerFormat { database: database(), found, supported: FORMAT };
            return Err(error.into());
        }
    }
    for table in TABLES {
        connection.query_drop(table).await.map_err(failed)?;
    }
    let durable: Option<i64> =
        connection.query_first("SELECT @@innodb_flush_log_at_trx_commit").await.map_err(failed)?;
    if durable != Some(1) {
        tracing::warn!("innodb_flush_log_at_trx_commit is not 1: commits may be lost when the server loses power");
    }
    connection.query_drop("INSERT IGNORE INTO leases VALUES (1, 0)").await.map_err(failed)?;
    connection.query_drop(format!("INSERT IGNORE INTO convex_wasm_format VALUES ({FORMAT})")).await.map_err(failed)?;
    connection.query_drop("UPDATE leases SET epoch = LAST_INSERT_ID(epoch + 1) WHERE id = 1").await.map_err(failed)?;
    let epoch: Option<i64> = connection.query_first("SELECT LAST_INSERT_ID()").await.map_err(failed)?;
    epoch.ok_or_else(|| PersistenceError::damaged("the lease has no row").into())
}
