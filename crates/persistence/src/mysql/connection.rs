//! Connections to the server, and what their errors mean.

use convex_wasm_knobs::MYSQL_MAX_CONNECTIONS;
use mysql_async::prelude::Queryable;
use mysql_async::{
    Conn, DriverError, Error, IoError, Opts, OptsBuilder, Pool, PoolConstraints, PoolOpts, Row, SslOpts, TxOpts,
};

use super::sql::Statements;
use crate::location::MYSQL;
use crate::remote::{Address, Failed, RemoteOptions};
use crate::{PersistenceError, Result, TlsMode};

/// What one attempt of an operation gives.
pub type Attempt<T> = std::result::Result<T, Failed>;

/// Settings of every connection. Nothing here reads twice in a transaction, so the cheaper isolation is enough.
const SESSION: &str = "SET SESSION sql_mode = 'STRICT_ALL_TABLES', SESSION time_zone = '+00:00'";
const ISOLATION: &str = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// A server and the connections to it.
pub struct Server {
    pool: Pool,
    /// Unencrypted connections, if the server can do nothing else and the address allows it.
    plain: Option<Pool>,
    /// The database's URL without its password.
    pub shown: String,
}

impl Server {
    /// Prepares to connect; nothing is sent yet.
    ///
    /// # Errors
    /// [`PersistenceError::InvalidAddress`].
    pub fn new(options: &RemoteOptions) -> Result<Self> {
        let address = Address::parse(options, &MYSQL)?;
        let invalid = |error: mysql_async::UrlError| PersistenceError::InvalidAddress(error.to_string());
        let constraints = PoolConstraints::new(0, MYSQL_MAX_CONNECTIONS.get().max(1)).unwrap_or_default();
        // Statements leave nothing behind in a session, so it need not be reset for the next one.
        let pool = PoolOpts::default().with_constraints(constraints).with_reset_connection(false);
        let builder = OptsBuilder::from_opts(Opts::from_url(address.url.as_str()).map_err(invalid)?)
            .prefer_socket(false)
            .tcp_keepalive(Some(30_000u32))
            .init(vec![SESSION, ISOLATION])
            .pool_opts(pool);
        let verifying = matches!(address.tls, TlsMode::VerifyCa | TlsMode::VerifyFull) || options.ca_file.is_some();
        let tls = SslOpts::default()
            .with_root_certs(options.ca_file.iter().cloned().map(Into::into).collect())
            .with_danger_accept_invalid_certs(!verifying)
            .with_danger_skip_domain_validation(address.tls != TlsMode::VerifyFull);
        let plain = Pool::new(builder.clone());
        let encrypted = Pool::new(builder.ssl_opts(Some(tls)));
        let shown = address.shown();
        Ok(match address.tls {
            TlsMode::Disable => Self { pool: plain, plain: None, shown },
            TlsMode::Prefer => Self { pool: encrypted, plain: Some(plain), shown },
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => Self { pool: encrypted, plain: None, shown },
        })
    }

    /// A connection of its own until it is dropped.
    pub async fn connection(&self) -> Attempt<Conn> {
        let connection = match (self.pool.get_conn().await, &self.plain) {
            (Err(Error::Driver(DriverError::NoClientSslFlagFromServer)), Some(plain)) => plain.get_conn().await,
            (connection, _) => connection,
        };
        connection.map_err(|error| self.failed(error))
    }

    /// The rows of one statement.
    pub async fn query(&self, statement: &str) -> Attempt<Vec<Row>> {
        let mut connection = self.connection().await?;
        match connection.query(statement).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.close(connection, error).await),
        }
    }

    /// Runs statements in one transaction if the lease has this epoch; how many rows the first of each packet changed, or `None`
    /// without the lease. A later owner waits for the lock on the lease, so it sees all of the transaction or makes it fail.
    pub async fn write(&self, epoch: i64, statements: &Statements) -> Attempt<Option<u64>> {
        let mut connection = self.connection().await?;
        match write(&mut connection, epoch, statements).await {
            Ok(changed) => Ok(changed),
            Err(error) => Err(self.close(connection, error).await),
        }
    }

    /// Raises the number in the lease from this one; whether it was this one.
    pub async fn renew(&self, epoch: i64) -> Attempt<bool> {
        let mut connection = self.connection().await?;
        let raise = format!("UPDATE leases SET epoch = epoch + 1 WHERE id = 1 AND epoch = {epoch}");
        match connection.query_drop(raise).await {
            Ok(()) => Ok(connection.affected_rows() == 1),
            Err(error) => Err(self.close(connection, error).await),
        }
    }

    /// Ends a connection of which the state is not known.
    async fn close(&self, connection: Conn, error: Error) -> Failed {
        // It is closed whatever the answer.
        let _ = connection.disconnect().await;
        self.failed(error)
    }

    /// What an error means.
    pub fn failed(&self, error: Error) -> Failed {
        let database = self.shown.clone();
        match error {
            Error::Server(error) => {
                let reason = error.message;
                match error.code {
                    1049 => {
                        let reason = format!("{reason}; make it with CREATE DATABASE");
                        PersistenceError::Refused { database, reason }.into()
                    }
                    1044 | 1045 | 1698 => PersistenceError::Refused { database, reason }.into(),
                    // Too many connections.
                    1040 => Failed { error: PersistenceError::Refused { database, reason }, transient: true },
                    // Shutting down, broken connections, killed connections.
                    1053 | 1077..=1081 | 1158..=1161 | 1317 | 1927 | 3169 => {
                        Failed { error: PersistenceError::Unreachable { database, reason }, transient: true }
                    }
                    // A lock was waited for too long, or a deadlock.
                    1205 | 1213 => Failed { error: PersistenceError::Failed(reason), transient: true },
                    // Damaged tables and indexes.
                    1034 | 1035 | 1194 | 1712 | 1877 => PersistenceError::damaged(reason).into(),
                    _ => PersistenceError::Failed(reason).into(),
                }
            }
            Error::Io(IoError::Io(error)) => {
                Failed { error: PersistenceError::Unreachable { database, reason: error.to_string() }, transient: true }
            }
            Error::Driver(error @ (DriverError::ConnectionClosed | DriverError::PacketOutOfOrder)) => {
                Failed { error: PersistenceError::Unreachable { database, reason: error.to_string() }, transient: true }
            }
            Error::Driver(DriverError::NoClientSslFlagFromServer) => {
                let reason = "the server does not support TLS; sslmode=disable in the URL connects without it";
                PersistenceError::Refused { database, reason: reason.to_owned() }.into()
            }
            Error::Driver(DriverError::PoolDisconnected) => PersistenceError::Closed.into(),
            Error::Io(IoError::Tls(error)) => PersistenceError::Refused { database, reason: error.to_string() }.into(),
            Error::Url(error) => PersistenceError::InvalidAddress(error.to_string()).into(),
            error => PersistenceError::Failed(error.to_string()).into(),
        }
    }
}

async fn write(connection: &mut Conn, epoch: i64, statements: &Statements) -> mysql_async::Result<Option<u64>> {
    let mut transaction = connection.start_transaction(TxOpts::default()).await?;
    let mut changed = 0;
    for packet in statements.packets() {
        let result = transaction.query_iter(packet).await?;
        changed += result.affected_rows();
        // Reads the answers to the other statements of the packet, too.
        result.drop_result().await?;
    }
    let current: Option<i64> =
        transaction.query_first("SELECT epoch FROM leases WHERE id = 1 LOCK IN SHARE MODE").await?;
    if current == Some(epoch) {
        transaction.commit().await?;
        Ok(Some(changed))
    } else {
        transaction.rollback().await?;
        Ok(None)
    }
}
