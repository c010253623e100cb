//! The store in PostgreSQL: the conformance suite, and what is special about a server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod conformance;
mod servers;

use std::path::PathBuf;
use std::process::Command;

use convex_wasm_persistence::{PersistenceError, PostgresPersistence, RemoteOptions, TlsMode};

use conformance::Store;
use servers::postgres::Postgres;
use servers::{Kind, Server, checks};

#[tokio::test]
async fn conforms() {
    let Some(server) = Server::<Postgres>::start() else { return };
    conformance::check(|| server.new_store()).await;
}

#[tokio::test]
async fn has_one_owner() {
    let Some(server) = Server::<Postgres>::start() else { return };
    checks::the_last_one_to_open_a_database_may_write(&server).await;
    checks::writes_do_not_cross_a_change_of_owner(&server).await;
    checks::settling_ends_writes_that_are_under_way(&server).await;
    checks::a_damaged_row_is_named(&server).await;
}

#[tokio::test]
async fn survives_its_process() {
    let Some(server) = Server::<Postgres>::start() else { return };
    checks::the_process_may_be_killed(&server).await;
}

#[tokio::test]
async fn writes_until_it_is_killed() {
    checks::write_until_killed::<Postgres>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn survives_its_server() {
    let Some(mut server) = Server::<Postgres>::start() else { return };
    checks::the_server_may_be_killed_under_load(&mut server).await;
    checks::waits_for_a_server_that_starts(&mut server).await;
}

#[tokio::test]
async fn tells_what_it_refuses() {
    let Some(server) = Server::<Postgres>::start() else { return };
    let store = server.new_store();
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
    Postgres::run(&store.url, "UPDATE convex_wasm_format SET format = 99").await;
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::NewerFormat { found: 99, .. }), "{error}");
    Postgres::run(&store.url, "DROP TABLE convex_wasm_format").await;
    let error = store.try_open().await.map(drop).unwrap_err();
    assert!(matches!(error, PersistenceError::Foreign { .. }), "{error}");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn a_wrong_password_is_told() {
    let Some(server) = Server::<Postgres>::start() else { return };
    let store = server.new_store();
    drop(store.open().await);
    Postgres::run(&store.admin, "ALTER USER convex PASSWORD 'other'").await;
    let rules = server.directory.path().join("data/pg_hba.conf");
    std::fs::write(rules, "host all all 127.0.0.1/32 scram-sha-256\n").unwrap();
    Postgres::run(&store.admin, "SELECT pg_reload_conf()").await;
    let error = loop {
        // The server reads its rules again when it gets to it.
        match store.try_open().await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, PersistenceError::Refused { reason, .. } if reason.contains("password")), "{error}");
}

/// A server that takes nothing but TLS, with a certificate that it signed itself.
#[tokio::test]
async fn certificates_are_checked_as_the_mode_says() {
    let Some(server) = Server::<Postgres>::start() else { return };
    let store = server.new_store();
    drop(store.open().await);
    let data = server.directory.path().join("data");
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.args(["-keyout", "server.key", "-out", "server.crt"]);
    let made = servers::as_user(openssl, Postgres::USER).current_dir(&data).output();
    if !made.is_ok_and(|output| output.status.success()) {
        println!("skipped: no openssl to make a certificate");
        return;
    }
    std::fs::write(data.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n").unwrap();
    Postgres::run(&store.admin, "ALTER SYSTEM SET ssl = on").await;
    Postgres::run(&store.admin, "SELECT pg_reload_conf()").await;
    let ca_file = Some(data.join("server.crt"));
    let open = |host: &str, mode: &str, ca_file: Option<PathBuf>| {
        let url = store.url.replace("127.0.0.1", host).replace("disable", mode);
        PostgresPersistence::open(RemoteOptions { url, ca_file, ..store.options() })
    };
    // The server reads its rules again when it gets to it.
    while open("127.0.0.1", "disable", None).await.is_ok() {}
    for mode in ["prefer", "require"] {
        open("127.0.0.1", mode, None).await.unwrap();
    }
    for (host, mode) in [("localhost", "verify-full"), ("127.0.0.1", "verify-ca"), ("127.0.0.1", "require")] {
        open(host, mode, ca_file.clone()).await.unwrap();
    }
    for (host, mode, ca_file) in
        [("localhost", "verify-full", None), ("127.0.0.1", "verify-ca", None), ("127.0.0.1", "verify-full", ca_file)]
    {
        let error = open(host, mode, ca_file).await.map(drop).unwrap_err();
        assert!(
            matches!(&error, PersistenceError::Refused { reason, .. } if reason.contains("certificate")),
            "{error}"
        );
    }
}

#[test]
fn modes_are_read_in_the_words_of_both_servers() {
    for (text, mode) in [("disable", TlsMode::Disable), ("VERIFY_IDENTITY", TlsMode::VerifyFull)] {
        assert_eq!(text.parse(), Ok(mode));
    }
    assert!("maybe".parse::<TlsMode>().unwrap_err().contains("verify-full"));
}
