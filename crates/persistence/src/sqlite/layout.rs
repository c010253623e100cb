//! The file: its marks, its tables, its connections.

use std::path::Path;

use convex_wasm_knobs::{SQLITE_CACHE_KIB, SQLITE_READER_CACHE_KIB};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{PersistenceError, Result};

/// `CvxW`: marks a file as ours, in SQLite's header.
const APPLICATION_ID: i64 = 0x4376_7857;
/// Format of the tables below, in SQLite's `user_version`.
const FORMAT: i64 = 1;

/// `documents` is append-only in the order of its key, so that inserts touch the last pages only. An index entry has
/// the timestamp of the revision it leads to, so the way from one to the other is one lookup.
const TABLES: &str = "
    CREATE TABLE documents (
        ts INTEGER NOT NULL,
        table_id BLOB NOT NULL,
        id BLOB NOT NULL,
        json_value TEXT NULL,
        deleted INTEGER NOT NULL,
        prev_ts INTEGER NULL,
        PRIMARY KEY (ts, table_id, id)
    );
    CREATE TABLE indexes (
        index_id BLOB NOT NULL,
        key BLOB NOT NULL,
        ts INTEGER NOT NULL,
        deleted INTEGER NOT NULL,
        table_id BLOB NULL,
        document_id BLOB NULL,
        PRIMARY KEY (index_id, key, ts)
    ) WITHOUT ROWID;
    CREATE TABLE persistence_globals (key TEXT NOT NULL PRIMARY KEY, json_value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE blobs (sha256 BLOB NOT NULL PRIMARY KEY, content BLOB NOT NULL);
";

/// Opens the connection that writes; creates the file's tables if it is new.
pub fn open_writer(path: &Path) -> Result<Connection> {
    let connection =
        open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE, SQLITE_CACHE_KIB.get())?;
    prepare_file(&connection, path)?;
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| connection.pragma_update(None, "synchronous", "FULL"))
        .map_err(from_sqlite)?;
    Ok(connection)
}

/// Opens a connection that reads.
pub fn open_reader(path: &Path) -> Result<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY, SQLITE_READER_CACHE_KIB.get())
}

fn open(path: &Path, flags: OpenFlags, cache_kib: usize) -> Result<Connection> {
    // Each connection is used by one thread at a time, so SQLite need not lock.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| PersistenceError::CannotOpen { path: path.to_owned(), reason: error.to_string() })?;
    // A negative number is kibibytes, a positive one pages.
    let cache = i64::try_from(cache_kib).unwrap_or(i64::MAX).saturating_neg();
    connection.pragma_update(None, "cache_size", cache).map_err(|error| from_first_read(error, path))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

fn prepare_file(connection: &Connection, path: &Path) -> Result<()> {
    let foreign = || PersistenceError::Foreign { database: path.display().to_string() };
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(|error| from_first_read(error, path))?;
    if application == APPLICATION_ID {
        return match number("user_version").map_err(from_sqlite)? {
            FORMAT => Ok(()),
            found => {
                Err(PersistenceError::NewerFormat { database: path.display().to_string(), found, supported: FORMAT })
            }
        };
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(from_sqlite)?;
    if application != 0 || tables != 0 {
        return Err(foreign());
    }
    connection
        .execute_batch(&format!(
            "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT;"
        ))
        .map_err(from_sqlite)
}

/// Turns an error of the first statements into ours: they find out whether the file is a database at all.
fn from_first_read(error: rusqlite::Error, path: &Path) -> PersistenceError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => PersistenceError::Foreign { database: path.display().to_string() },
        _ => from_sqlite(error),
    }
}

/// Turns an error of SQLite into ours.
pub fn from_sqlite(error: rusqlite::Error) -> PersistenceError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            PersistenceError::Damaged { detail: error.to_string() }
        }
        Some(_) => PersistenceError::Failed(error.to_string()),
        // Not from SQLite itself: a column of another type than ours, say.
        None => PersistenceError::Damaged { detail: error.to_string() },
    }
}
