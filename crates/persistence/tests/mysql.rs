//! The store in MariaDB: the conformance suite, and what is special about a server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;
mod servers;

use convex_wasm_persistence::{MysqlPersistence, PersistenceError, RemoteOptions};

use conformance::Store;
use servers::mariadb::Mariadb;
use servers::{Kind, Server, checks};

#[tokio::test]
async fn conforms() {
    let Some(server) = Server::<Mariadb>::start() else { return };
    conformance::check(|| server.new_store()).await;
}

#[tokio::test]
async fn has_one_owner() {
    let Some(server) = Server::<Mariadb>::start() else { return };
    checks::the_last_one_to_open_a_database_may_write(&server).await;
    checks::writes_do_not_cross_a_change_of_owner(&server).await;
    checks::settling_ends_writes_that_are_under_way(&server).await;
    checks::a_damaged_row_is_named(&server).await;
}

#[tokio::test]
async fn survives_its_process() {
    let Some(server) = Server::<Mariadb>::start() else { return };
    checks::the_process_may_be_killed(&server).await;
}

#[tokio::test]
async fn writes_until_it_is_killed() {
    checks::write_until_killed::<Mariadb>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn survives_its_server() {
    let Some(mut server) = Server::<Mariadb>::start() else { return };
    checks::the_server_may_be_killed_under_load(&mut server).await;
    checks::waits_for_a_server_that_starts(&mut server).await;
}

#[tokio::test]
async fn tells_what_it_refuses() {
    let Some(server) = Server::<Mariadb>::start() else { return };
    let store = server.new_store();
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(
        matches!(&error, PersistenceError::Refused { reason, .. } if reason.contains("CREATE DATABASE")),
        "{error}"
    );
    let tls = RemoteOptions { url: store.url.replace("?sslmode=disable", ""), ..store.options() };
    let error = MysqlPersistence::open(tls.clone()).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("does not support TLS"), "{error}");
    drop(store.open().await);
    let prefer = RemoteOptions { tls: "prefer".parse().unwrap(), ..tls };
    MysqlPersistence::open(prefer).await.unwrap();
    Mariadb::run(&store.admin, "CREATE USER convex@'127.0.0.1' IDENTIFIED BY 'other'").await;
    let wrong = RemoteOptions { url: store.url.replace("root@", "convex:secret@"), ..store.options() };
    let error = MysqlPersistence::open(wrong).await.map(drop).unwrap_err();
    assert!(matches!(&error, PersistenceError::Refused { reason, .. } if reason.contains("Access denied")), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
    Mariadb::run(&store.url, "UPDATE convex_wasm_format SET format = 99").await;
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::NewerFormat { found: 99, .. }), "{error}");
    Mariadb::run(&store.url, "DROP TABLE convex_wasm_format").await;
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::Foreign { .. }), "{error}");
}
