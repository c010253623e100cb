//! The store in an SQLite file: the conformance suite, and what is special about a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;

use std::io::Write as _;
use std::path::PathBuf;

use convex_wasm_persistence::{Persistence, PersistenceError, SqlitePersistence, Timestamp};
use tempfile::TempDir;

use conformance::{Store, document, insert, table};

/// A file in a directory of its own.
struct SqliteStore {
    directory: TempDir,
}

impl SqliteStore {
    fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("test.sqlite3")
    }
}

impl Store for SqliteStore {
    type Opened = SqlitePersistence;

    async fn open(&self) -> SqlitePersistence {
        SqlitePersistence::open(self.path()).unwrap()
    }
}

#[tokio::test]
async fn conforms() {
    conformance::check(SqliteStore::new).await;
}

fn open_error(store: &SqliteStore) -> PersistenceError {
    SqlitePersistence::open(store.path()).map(|_| ()).unwrap_err()
}

#[test]
fn refuses_a_file_that_is_no_database() {
    let store = SqliteStore::new();
    std::fs::write(store.path(), "a text that somebody keeps in this place\n".repeat(100)).unwrap();
    assert!(matches!(open_error(&store), PersistenceError::Foreign { .. }));
}

#[test]
fn refuses_the_database_of_another_program() {
    let store = SqliteStore::new();
    rusqlite::Connection::open(store.path()).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    assert!(matches!(open_error(&store), PersistenceError::Foreign { .. }));
}

#[tokio::test]
async fn refuses_a_newer_format() {
    let store = SqliteStore::new();
    drop(store.open().await);
    rusqlite::Connection::open(store.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(open_error(&store), PersistenceError::NewerFormat { found: 99, .. }));
}

#[tokio::test]
async fn refuses_a_database_that_is_in_use() {
    let store = SqliteStore::new();
    let open = store.open().await;
    assert!(matches!(open_error(&store), PersistenceError::InUse { .. }));
    drop(open);
    store.open().await;
}

#[test]
fn refuses_a_path_that_cannot_be() {
    let store = SqliteStore::new();
    let path = store.directory.path().join("missing/test.sqlite3");
    let error = SqlitePersistence::open(path).map(|_| ()).unwrap_err();
    assert!(matches!(error, PersistenceError::CannotOpen { .. }), "{error}");
}

#[tokio::test]
async fn tells_a_damaged_file() {
    let store = SqliteStore::new();
    let persistence = store.open().await;
    for number in 0..200 {
        persistence.write(insert(number + 1, document(number as u8, &"text ".repeat(100)))).await.unwrap();
    }
    drop(persistence);
    let length = std::fs::metadata(store.path()).unwrap().len();
    let mut file = std::fs::OpenOptions::new().write(true).open(store.path()).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(4096)).unwrap();
    file.write_all(&vec![0xA5; usize::try_from(length).unwrap() - 4096]).unwrap();
    drop(file);
    let found = match SqlitePersistence::open(store.path()) {
        Ok(persistence) => conformance::scan_all(&persistence, table(), 1_000).await.map(|_| ()),
        Err(error) => Err(error),
    };
    assert!(matches!(found, Err(PersistenceError::Damaged { .. })), "{found:?}");
}

/// Bytes of a page of the file.
const PAGE: usize = 4096;

/// Whatever is wrong in a file: reading it ends with the rows that were written, without some, or with an error. Nothing
/// panics, and the file stays as it was found.
#[tokio::test]
async fn a_damaged_file_is_not_made_worse() {
    let store = SqliteStore::new();
    let persistence = store.open().await;
    for number in 0..100 {
        persistence.write(insert(number + 1, document(number as u8, &"text ".repeat(50)))).await.unwrap();
    }
    let rows = conformance::scan_all(&persistence, table(), 1_000).await.unwrap();
    drop(persistence);
    assert!(!store.directory.path().join("test.sqlite3-wal").exists(), "the log was not moved into the file");
    let whole = std::fs::read(store.path()).unwrap();
    let mut recognised = 0;
    for round in 0..200usize {
        let mut damaged = whole.clone();
        // Spread over the pages behind the first one, and over each of them.
        let place = PAGE + round.wrapping_mul(7_919 * 131) % (whole.len() - PAGE - 16);
        damaged[place..place + 1 + round % 16].fill((round * 37) as u8);
        std::fs::write(store.path(), &damaged).unwrap();
        let read = match SqlitePersistence::open(store.path()) {
            Ok(persistence) => {
                let log = persistence.revisions(Timestamp::MIN, usize::MAX).await.map(drop);
                let scanned = conformance::scan_all(&persistence, table(), 1_000).await;
                log.and(scanned)
            }
            Err(error) => Err(error),
        };
        match read {
            Ok(found) => assert!(found.len() <= rows.len() + 1),
            Err(PersistenceError::Damaged { .. } | PersistenceError::Failed(_)) => recognised += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(std::fs::read(store.path()).unwrap() == damaged, "the file was changed");
    }
    assert!(recognised > 20, "{recognised}");
}
