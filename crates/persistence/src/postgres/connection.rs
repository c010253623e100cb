//! Connections to the server, and what their errors mean.

use std::error::Error;

use convex_wasm_knobs::POSTGRES_MAX_CONNECTIONS;
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Config, Row, types::ToSql};

use super::certificates::client_config;
use super::tls::Tls;
use crate::location::POSTGRES;
use crate::remote::{Address, Failed, RemoteOptions};
use crate::{PersistenceError, Result, TlsMode};

/// What one attempt of an operation gives.
pub type Attempt<T> = std::result::Result<T, Failed>;

/// Settings of every connection. Commits are on disk when they return, even if the server is set up otherwise. Every
/// query here has an index that gives its rows in order; the planner is kept from sorting or reading a whole table when
/// its statistics are old.
const SESSION: &str = "
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
    SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
    SET jit = off;
";

/// A server and the connections to it.
pub struct Server {
    pool: Pool,
    /// The database's URL without its password.
    pub shown: String,
}

impl Server {
    /// Prepares to connect; nothing is sent yet.
    ///
    /// # Errors
    /// [`PersistenceError::InvalidAddress`].
    pub fn new(options: &RemoteOptions) -> Result<Self> {
        let address = Address::parse(options, &POSTGRES)?;
        let invalid = |reason: String| PersistenceError::InvalidAddress(reason);
        let mut config: Config = address.url.as_str().parse().map_err(|error| invalid(describe(&error)))?;
        config.application_name("convex-wasm").connect_timeout(options.timeout).ssl_mode(match address.tls {
            TlsMode::Disable => SslMode::Disable,
            TlsMode::Prefer => SslMode::Prefer,
            TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
        });
        let tls = Tls::new(client_config(address.tls, options.ca_file.as_deref())?);
        let manager = Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let pool = Pool::builder(manager)
            .max_size(POSTGRES_MAX_CONNECTIONS.get().max(1))
            .runtime(Runtime::Tokio1)
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
            }))
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { pool, shown: address.shown() })
    }

    /// A connection of its own until it is dropped.
    pub async fn connection(&self) -> Attempt<Object> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => self.failed(error),
            PoolError::Closed => PersistenceError::Closed.into(),
            other => PersistenceError::Failed(other.to_string()).into(),
        })
    }

    /// Runs one statement, which is prepared once for each connection.
    pub async fn query(&self, statement: &str, parameters: &[&(dyn ToSql + Sync)]) -> Attempt<Vec<Row>> {
        let connection = Abandoned(Some(self.connection().await?));
        let Some(client) = &connection.0 else { return Err(PersistenceError::Closed.into()) };
        let result = async {
            let prepared = client.prepare_cached(statement).await?;
            client.query(&prepared, parameters).await
        };
        let result = result.await.map_err(|error| self.failed(error));
        connection.done();
        result
    }

    /// What an error means.
    pub fn failed(&self, error: tokio_postgres::Error) -> Failed {
        let database = self.shown.clone();
        let reason = describe(&error);
        if let Some(state) = error.code() {
            let away = state.code().starts_with("08") || state.code().starts_with("57P");
            let error = match state.code() {
                _ if away => PersistenceError::Unreachable { database, reason },
                "53300" => PersistenceError::Refused { database, reason },
                "3D000" => {
                    PersistenceError::Refused { database, reason: format!("{reason}; make it with CREATE DATABASE") }
                }
                code if code.starts_with("28") => PersistenceError::Refused { database, reason },
                "XX001" | "XX002" => PersistenceError::damaged(reason),
                _ => PersistenceError::Failed(reason),
            };
            let busy =
                [SqlState::TOO_MANY_CONNECTIONS, SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
            return Failed { error, transient: away || busy.contains(state) };
        }
        let io: Vec<&std::io::Error> = causes(&error).filter_map(|cause| cause.downcast_ref()).collect();
        let tls = io.iter().any(|error| error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()));
        if tls {
            return PersistenceError::Refused { database, reason }.into();
        }
        if error.is_closed() || !io.is_empty() {
            return Failed { error: PersistenceError::Unreachable { database, reason }, transient: true };
        }
        PersistenceError::Failed(reason).into()
    }
}

/// A connection in use. If the attempt is given up, an answer is still to come on it, so it is closed, not reused.
struct Abandoned(Option<Object>);

impl Abandoned {
    fn done(mut self) {
        // Back to the pool.
        drop(self.0.take());
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

/// What caused an error, the nearest cause first.
fn causes(error: &tokio_postgres::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

/// An error with its causes, in one line.
fn describe(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        // Its own text ends with its first cause.
        None => causes(error).skip(1).fold(error.to_string(), |text, cause| format!("{text}: {cause}")),
    }
}
