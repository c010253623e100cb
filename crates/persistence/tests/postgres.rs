//! The store in PostgreSQL: the conformance suite, and what is special about a server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;
mod servers;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use convex_wasm_persistence::{Persistence, PersistenceError, PostgresPersistence, RemoteOptions, Timestamp, TlsMode};
use tokio_postgres::NoTls;

use conformance::{Store, document, insert, scan_all, table};
use servers::{Kind, Server, find_program};

/// Where the programs are.
struct Postgres {
    initdb: PathBuf,
    postgres: PathBuf,
}

const FOLDERS: [&str; 5] = [
    "/usr/lib/postgresql/18/bin",
    "/usr/lib/postgresql/17/bin",
    "/usr/lib/postgresql/16/bin",
    "/usr/lib/postgresql/15/bin",
    "/usr/lib/postgresql/14/bin",
];

impl Kind for Postgres {
    const USER: &'static str = "postgres";

    fn find() -> Option<Self> {
        let [initdb, postgres] = ["initdb", "postgres"].map(|name| find_program(name, &FOLDERS));
        Some(Self { initdb: initdb?, postgres: postgres? })
    }

    fn initialize(&self, data: &Path) -> Command {
        let mut command = Command::new(&self.initdb);
        command.arg("-D").arg(data).args(["--auth=trust", "--username=convex", "--locale=C", "--encoding=UTF8"]);
        command
    }

    fn serve(&self, data: &Path, port: u16) -> Command {
        let mut command = Command::new(&self.postgres);
        command.arg("-D").arg(data).arg("-k").arg(data).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        command
    }

    fn url(&self, port: u16, database: &str) -> String {
        format!("postgres://convex:secret@127.0.0.1:{port}/{database}?sslmode=disable")
    }
}

/// A database on a server.
struct PostgresStore<'a> {
    server: &'a Server<Postgres>,
    database: String,
}

impl<'a> PostgresStore<'a> {
    fn new(server: &'a Server<Postgres>) -> Self {
        Self { server, database: server.new_database() }
    }

    fn options(&self) -> RemoteOptions {
        RemoteOptions::new(self.server.url(&self.database))
    }

    /// Runs a statement beside the store.
    async fn run(&self, database: &str, statement: &str) -> Result<(), tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.server.url(database), NoTls).await?;
        tokio::spawn(connection);
        client.batch_execute(statement).await
    }

    async fn try_open(&self) -> Result<PostgresPersistence, PersistenceError> {
        PostgresPersistence::open(self.options()).await
    }
}

impl Store for PostgresStore<'_> {
    type Opened = PostgresPersistence;

    async fn open(&self) -> PostgresPersistence {
        match self.try_open().await {
            Err(PersistenceError::Refused { reason, .. }) if reason.contains("does not exist") => {
                self.run("postgres", &format!("CREATE DATABASE {}", self.database)).await.unwrap();
                self.try_open().await.unwrap()
            }
            opened => opened.unwrap(),
        }
    }
}

#[tokio::test]
async fn conforms() {
    let Some(server) = Server::start() else { return };
    conformance::check(|| PostgresStore::new(&server)).await;
}

#[tokio::test]
async fn the_last_one_to_open_a_database_may_write() {
    let Some(server) = Server::start() else { return };
    let store = PostgresStore::new(&server);
    let first = store.open().await;
    first.write(insert(1, document(1, "first"))).await.unwrap();
    let second = store.open().await;
    let lost = |result: Result<(), PersistenceError>| {
        let error = result.unwrap_err();
        assert!(matches!(error, PersistenceError::LostLease { .. }), "{error}");
        assert!(error.to_string().contains("another backend took over postgres://convex@127.0.0.1"), "{error}");
    };
    lost(first.write(insert(2, document(2, "never"))).await);
    lost(first.set_global("global", 1.into()).await);
    lost(first.prune_index(table(), 9).await.map(drop));
    lost(first.put_blob("blob".into()).await.map(drop));
    first.taken_over().await;
    second.write(insert(3, document(3, "second"))).await.unwrap();
    assert_eq!(scan_all(&first, table(), 9).await.unwrap().len(), 2);
    assert_eq!(second.get_global("global").await.unwrap(), None);
}

/// The writes of one owner end before the other's begin, however they meet.
#[tokio::test]
async fn writes_do_not_cross_a_change_of_owner() {
    let Some(server) = Server::start() else { return };
    let store = PostgresStore::new(&server);
    for round in 0..10 {
        let first = store.open().await;
        let writes = async {
            let mut acknowledged = 0;
            for number in 1.. {
                match first.write(insert(round * 1_000_000 + number, document(1, "text"))).await {
                    Ok(()) => acknowledged = number,
                    Err(PersistenceError::LostLease { .. }) => break,
                    Err(error) => panic!("{error}"),
                }
            }
            acknowledged
        };
        let take_over = async {
            for _ in 0..round * 20 {
                tokio::task::yield_now().await;
            }
            let second = store.open().await;
            second.max_timestamp().await.unwrap()
        };
        let (acknowledged, seen) = tokio::join!(writes, take_over);
        let newest = first.max_timestamp().await.unwrap();
        assert_eq!(newest, seen, "a write came after the new owner had looked");
        assert!(newest >= Timestamp(if acknowledged == 0 { 0 } else { round * 1_000_000 + acknowledged }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_may_be_killed_under_load() {
    let Some(mut server) = Server::<Postgres>::start() else { return };
    let database = server.new_database();
    let persistence = PostgresStore { server: &server, database: database.clone() }.open().await;
    let persistence = std::sync::Arc::new(persistence);
    let mut written = 0;
    for _ in 0..3 {
        let (report, mut reports) = tokio::sync::mpsc::unbounded_channel();
        let writer = persistence.clone();
        let writes = tokio::spawn(async move {
            for number in written + 1..=written + 300 {
                writer.write(insert(number, document((number % 200) as u8, "text"))).await.unwrap();
                report.send(number).unwrap();
            }
        });
        while reports.recv().await.unwrap() < written + 100 {}
        server.kill();
        server.run();
        writes.await.unwrap();
        written += 300;
    }
    assert_eq!(persistence.max_timestamp().await.unwrap(), Timestamp(written));
    assert_eq!(persistence.revisions(Timestamp::MIN, usize::MAX).await.unwrap().len() as u64, written);
    let reopened = PostgresStore { server: &server, database }.open().await;
    assert_eq!(scan_all(&reopened, table(), written).await.unwrap().len(), 200);
}

#[tokio::test]
async fn waits_for_a_server_that_starts() {
    let Some(mut server) = Server::<Postgres>::start() else { return };
    let database = server.new_database();
    drop(PostgresStore { server: &server, database: database.clone() }.open().await);
    server.kill();
    let options = PostgresStore { server: &server, database }.options();
    let impatient = RemoteOptions { retry: Duration::ZERO, ..options.clone() };
    let error = PostgresPersistence::open(impatient).await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::Unreachable { .. }), "{error}");
    let (opened, ()) = tokio::join!(PostgresPersistence::open(options), async { server.run() });
    opened.unwrap();
}

#[tokio::test]
async fn tells_what_it_refuses() {
    let Some(server) = Server::start() else { return };
    let store = PostgresStore::new(&server);
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(
        matches!(&error, PersistenceError::Refused { reason, .. } if reason.contains("CREATE DATABASE")),
        "{error}"
    );
    let tls = RemoteOptions { url: store.options().url.replace("?sslmode=disable", ""), ..store.options() };
    let error = PostgresPersistence::open(tls).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("does not support TLS"), "{error}");
    let wrong = RemoteOptions { url: "mysql://localhost".to_owned(), ..store.options() };
    let error = PostgresPersistence::open(wrong).await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::InvalidAddress(_)), "{error}");
    drop(store.open().await);
    store.run(&store.database, "UPDATE convex_wasm_format SET format = 99").await.unwrap();
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::NewerFormat { found: 99, .. }), "{error}");
    store.run(&store.database, "DROP TABLE convex_wasm_format").await.unwrap();
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::Foreign { .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn a_wrong_password_is_told() {
    let Some(server) = Server::start() else { return };
    let store = PostgresStore::new(&server);
    drop(store.open().await);
    store.run("postgres", "ALTER USER convex PASSWORD 'other'").await.unwrap();
    let rules = server.directory.path().join("data/pg_hba.conf");
    std::fs::write(rules, "host all all 127.0.0.1/32 scram-sha-256\n").unwrap();
    store.run("postgres", "SELECT pg_reload_conf()").await.unwrap();
    let error = loop {
        // The server reads its rules again when it gets to it.
        match store.try_open().await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, PersistenceError::Refused { reason, .. } if reason.contains("password")), "{error}");
}

#[test]
fn modes_are_read_in_the_words_of_both_servers() {
    for (text, mode) in [("disable", TlsMode::Disable), ("VERIFY_IDENTITY", TlsMode::VerifyFull)] {
        assert_eq!(text.parse(), Ok(mode));
    }
    assert!("maybe".parse::<TlsMode>().unwrap_err().contains("verify-full"));
}
