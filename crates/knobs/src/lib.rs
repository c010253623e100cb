//! Every limit and knob of the product, with Convex's own names where it has them.
//!
//! A knob is read from the environment variable of its name when it is first used, and keeps that value. [`check`]
//! reads them all, so that a server can refuse to start on a value it does not understand; without that, such a value
//! counts as unset. Fixed limits, which are part of what Convex means, are plain constants.

use std::{str::FromStr, sync::OnceLock};

/// A limit that the environment can change.
pub struct Knob<T: 'static> {
    name: &'static str,
    default: T,
    value: OnceLock<T>,
}

/// An environment variable whose text is no value of its knob.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("environment variable {name}={text:?} is not a valid value; unset it or use something like {default}")]
pub struct InvalidKnob {
    name: &'static str,
    text: String,
    default: String,
}

impl<T: Copy + FromStr + std::fmt::Display> Knob<T> {
    const fn new(name: &'static str, default: T) -> Self {
        Self { name, default, value: OnceLock::new() }
    }

    /// The value in force.
    pub fn get(&self) -> T {
        *self.value.get_or_init(|| self.read().unwrap_or(self.default))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the place where environment variables are read")]
    fn read(&self) -> Result<T, InvalidKnob> {
        match std::env::var(self.name) {
            Ok(text) => text.trim().parse().map_err(|_| InvalidKnob {
                name: self.name,
                text,
                default: self.default.to_string(),
            }),
            Err(_) => Ok(self.default),
        }
    }
}

/// When V8 workers start from snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum V8Snapshot {
    /// Whenever there is one; it is built in the background and nobody waits for it.
    Auto,
    /// Always; the first execution of a program waits for it.
    Block,
    /// Never.
    Off,
    /// Some other word, which is warned of and means [`V8Snapshot::Auto`].
    Unknown,
}

impl FromStr for V8Snapshot {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "block" => Self::Block,
            "off" => Self::Off,
            _ => Self::Unknown,
        })
    }
}

impl std::fmt::Display for V8Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Block => "block",
            Self::Off => "off",
            Self::Unknown => "unknown",
        })
    }
}

macro_rules! knobs {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty = $default:expr;)*) => {
        $($(#[doc = $doc])* pub static $name: Knob<$type> = Knob::new(stringify!($name), $default);)*

        /// Reads every knob.
        ///
        /// # Errors
        /// The first environment variable that is set to something its knob does not understand.
        pub fn check() -> Result<(), InvalidKnob> {
            $($name.read()?;)*
            Ok(())
        }
    };
}

knobs! {
    // ---- functions ----
    /// Seconds of guest time a query or mutation may use; waiting for the database does not count.
    DATABASE_UDF_USER_TIMEOUT_SECONDS: u64 = 1;
    /// Seconds a query or mutation may take in all.
    DATABASE_UDF_SYSTEM_TIMEOUT_SECONDS: u64 = 15;
    /// Bytes of arguments of a function, as JSON.
    FUNCTION_MAX_ARGS_SIZE: usize = 16 << 20;
    /// Bytes of a function's result, as JSON.
    FUNCTION_MAX_RESULT_SIZE: usize = 16 << 20;
    /// Log lines of a call; the last one says that there were more.
    MAX_LOG_LINES: usize = 256;
    /// Bytes of a log line; longer ones are cut.
    MAX_LOG_LINE_LENGTH: usize = 32_768;
    /// Bytes of the text of an uncaught error; longer ones are cut.
    MAX_ERROR_MESSAGE_LENGTH: usize = 64 << 10;
    /// Bytes of results of queries that are kept, to be given again for as long as nothing that they read has changed.
    UDF_CACHE_MAX_SIZE: usize = 100 << 20;
    /// Seconds for which such a result is given again if the query read the clock.
    QUERY_CACHE_CLOCK_SECONDS: u64 = 5;
    /// Depth of nested `ctx.runQuery` and `ctx.runMutation` calls.
    MAX_REACTOR_CALL_DEPTH: usize = 8;
    /// Times a mutation is run again after a conflict.
    UDF_EXECUTOR_OCC_MAX_RETRIES: u32 = 4;
    /// Milliseconds before the second such run; the first one waits only for its turn. Doubles each time.
    UDF_EXECUTOR_OCC_INITIAL_BACKOFF_MS: u64 = 100;
    /// Milliseconds of the longest such pause.
    UDF_EXECUTOR_OCC_MAX_BACKOFF_MS: u64 = 2_000;
    /// Queries that run at once.
    APPLICATION_MAX_CONCURRENT_QUERIES: usize = 1_024;
    /// Mutations that run at once.
    APPLICATION_MAX_CONCURRENT_MUTATIONS: usize = 1_024;
    /// Milliseconds a call waits for its turn before it is refused.
    APPLICATION_FUNCTION_RUNNER_SEMAPHORE_TIMEOUT_MS: u64 = 5_000;

    // ---- HTTP ----
    /// Bytes of the body of a function call.
    HTTP_SERVER_MAX_FUNCTION_BODY_BYTES: usize = (16 << 20) + 2_000;
    /// Bytes of the body of a request to an HTTP action, and of its response.
    HTTP_ACTION_BODY_LIMIT: usize = 20 << 20;
    /// Seconds a request may take.
    HTTP_SERVER_TIMEOUT_SECONDS: u64 = 300;
    /// Requests served at once.
    HTTP_SERVER_MAX_CONCURRENT_REQUESTS: usize = 1_024;
    /// Seconds that a server waits for its port: a process that a killed server was just starting holds it for a moment.
    HTTP_SERVER_LISTEN_SECONDS: u64 = 2;
    /// Seconds that open requests get to end when the server is stopped.
    HTTP_SERVER_SHUTDOWN_SECONDS: u64 = 10;

    // ---- sync ----
    /// Queries that one connection may watch.
    SYNC_MAX_QUERIES: usize = 10_000;
    /// Mutations of one connection that may wait for their turn, and actions that may run.
    SYNC_MAX_QUEUED_MUTATIONS: usize = 1_000;
    /// Bytes of a transition above which it is sent in slices.
    SYNC_TRANSITION_CHUNK_BYTES: usize = 5_000_000;
    /// Seconds of silence after which the server says that it is there.
    SYNC_PING_SECONDS: u64 = 15;
    /// Seconds between two looks at a connection, each with a ping that the client's WebSocket answers.
    SYNC_HEARTBEAT_SECONDS: u64 = 5;
    /// Bytes of a connection's own buffer for what it receives. Most messages are small, and most connections are idle.
    SYNC_READ_BUFFER_BYTES: usize = 4 << 10;
    /// Seconds after which a client of which nothing is heard is dropped.
    SYNC_CLIENT_TIMEOUT_SECONDS: u64 = 120;
    /// Seconds after which a client that does not read is dropped.
    SYNC_SEND_TIMEOUT_SECONDS: u64 = 60;
    /// Days for which a mutation that a client sends again is recognised.
    SESSION_REQUEST_RETENTION_DAYS: u64 = 14;

    // ---- housekeeping ----
    /// Seconds between two times at which what is old is thrown away.
    HOUSEKEEPING_SECONDS: u64 = 3_600;
    /// Rows removed, or looked at, in one transaction.
    HOUSEKEEPING_BATCH: usize = 500;
    /// Seconds for which a content may be without a file: longer than the mutation that stores it takes.
    UNREGISTERED_FILE_SECONDS: u64 = 3_600;

    // ---- auth ----
    /// Seconds for which keys of identity providers are kept if their provider does not say.
    AUTH_DOCUMENT_CACHE_SECONDS: u64 = 300;
    /// Seconds that must pass before keys are asked for again because a token names another one.
    AUTH_DOCUMENT_REFRESH_SECONDS: u64 = 10;
    /// Seconds in which an identity provider must answer.
    AUTH_DOCUMENT_TIMEOUT_SECONDS: u64 = 10;
    /// Bytes of what an identity provider answers.
    AUTH_DOCUMENT_MAX_BYTES: usize = 1 << 20;

    // ---- push ----
    /// Bytes of a push body, before and after decompression.
    MAX_PUSH_BYTES: usize = 200_000_000;
    /// Modules of an app.
    MAX_USER_MODULES: usize = 4_096;
    /// Pushes that are built and wait to be finished; the oldest are forgotten.
    MAX_STARTED_PUSHES: usize = 4;
    /// Seconds a client may wait for a schema in one request.
    SCHEMA_MAX_WAIT_SECONDS: u64 = 60;
    /// Deployments that are kept to go back to, the active one included.
    DEPLOYMENTS_KEPT: usize = 10;
    /// Calls that are kept for clients that follow the logs.
    FUNCTION_LOGS_KEPT: usize = 1_000;
    /// Bytes of console lines kept with them.
    FUNCTION_LOGS_KEPT_BYTES: usize = 8 << 20;
    /// Seconds a client may wait for logs in one request.
    FUNCTION_LOGS_WAIT_SECONDS: u64 = 60;
    /// Times the commit of a deploy is repeated after a conflict.
    DEPLOY_OCC_MAX_RETRIES: u32 = 8;
    /// Seconds that initialising the modules of a push may use.
    ISOLATE_ANALYZE_USER_TIMEOUT_SECONDS: u64 = 4;

    // ---- export and import ----
    /// Documents that an export reads at once.
    EXPORT_PAGE_DOCUMENTS: usize = 500;
    /// Bytes of an imported file, before and after decompression.
    IMPORT_MAX_BYTES: usize = 1 << 30;
    /// Imports, and files that are being uploaded, that are remembered; the oldest are forgotten.
    IMPORT_MAX_KEPT: usize = 8;
    /// Times that an import is repeated after a conflict.
    IMPORT_OCC_MAX_RETRIES: u32 = 8;

    // ---- Wasm runtime ----
    /// Bytes of memory an execution may allocate.
    ISOLATE_MAX_USER_HEAP_SIZE: usize = 64 << 20;
    /// Bytes an execution allocates before its first collection, and at least between two of them.
    WASM_COLLECT_AFTER: u32 = 8 << 20;
    /// For tests: if not 0, collections happen after at most this many bytes, and what they free is overwritten.
    WASM_COLLECT_STRESS: u32 = 0;
    /// Bytes of Wasm from which on a module's native code is also kept by function, so that an edit compiles little again.
    WASM_FUNCTION_CACHE_FROM: usize = 256 << 10;
    /// Milliseconds between two moments at which a computing guest lets others run and its time is counted.
    WASM_TICK_MS: u64 = 5;
    /// Bytes of native stack a call may use before it throws `RangeError: Maximum call stack size exceeded`.
    WASM_STACK_LIMIT: u32 = 984 << 10;
    /// Idle environments kept for each deployment.
    WASM_MAX_IDLE_ENVIRONMENTS: usize = 128;
    /// Bytes of its own that an idle environment keeps in memory, so that the next execution need not fault them in.
    WASM_IDLE_ENVIRONMENT_MEMORY: usize = 256 << 10;

    // ---- scheduler ----
    /// Scheduled functions that run at once.
    SCHEDULED_JOB_EXECUTION_PARALLELISM: usize = 8;
    /// Seconds for which a scheduled function can be read after it has ended.
    SCHEDULED_JOB_RETENTION: u64 = 604_800;
    /// Milliseconds after which a scheduled function that failed by the server's fault is tried again. Doubles each time.
    SCHEDULED_JOB_INITIAL_BACKOFF_MS: u64 = 500;
    /// Milliseconds of the longest such pause.
    SCHEDULED_JOB_MAX_BACKOFF_MS: u64 = 7_200_000;
    /// Seconds by which cron jobs with a time of day are spread, each by its own time.
    CRON_SPLAY_SECONDS: u64 = 60;
    /// Functions that a mutation may schedule.
    TRANSACTION_MAX_NUM_SCHEDULED: usize = 1_000;
    /// Bytes of the arguments of all functions that a mutation schedules.
    TRANSACTION_MAX_SCHEDULED_TOTAL_ARGUMENT_SIZE_BYTES: usize = 16 << 20;

    // ---- V8 workers ----
    /// Actions that run at once, not counting those that another action waits for.
    APPLICATION_MAX_CONCURRENT_V8_ACTIONS: usize = 64;
    /// Seconds an action may take.
    V8_ACTION_USER_TIMEOUT_SECS: u64 = 1_800;
    /// Seconds an action in Node may take.
    NODE_ACTION_USER_TIMEOUT_SECS: u64 = 600;
    /// Bytes of memory that V8 may use for an action in Node.
    CONVEX_WASM_NODE_HEAP_SIZE: usize = 512 << 20;
    /// Parked V8 workers for each program that have run nothing; 0 starts each when it is needed.
    CONVEX_WASM_V8_WARM_WORKERS: usize = 2;
    /// Parked V8 workers in all.
    CONVEX_WASM_V8_MAX_PARKED_WORKERS: usize = 8;
    /// Milliseconds after which a claimed V8 worker is replaced if its execution has not ended before.
    CONVEX_WASM_V8_REFILL_DELAY_MS: u64 = 20;
    /// Niceness of V8 workers: what they compute gives way to the backend's own work. 0 is the backend's.
    CONVEX_WASM_V8_NICE: i32 = 5;
    /// Seconds in which npm must install the packages of a push that are not bundled.
    CONVEX_WASM_NPM_TIMEOUT_SECONDS: u64 = 240;
    /// 1 logs after each execution on V8 where the time of all of them went.
    CONVEX_WASM_V8_PHASES: u8 = 0;
    /// Seconds in which a V8 worker must become ready.
    CONVEX_WASM_V8_START_TIMEOUT_SECONDS: u64 = 30;
    /// Seconds after which a V8 worker that was killed and still exists is given up.
    CONVEX_WASM_V8_KILL_TIMEOUT_SECONDS: u64 = 5;
    /// Seconds in which a V8 snapshot must be built.
    CONVEX_WASM_V8_SNAPSHOT_TIMEOUT_SECONDS: u64 = 60;
    /// When V8 workers start from snapshots: `auto` once there is one, `block` always, `off` never.
    CONVEX_WASM_V8_SNAPSHOT: V8Snapshot = V8Snapshot::Auto;
    /// V8 snapshots kept.
    CONVEX_WASM_V8_SNAPSHOT_CACHE_ENTRIES: usize = 8;
    /// Bytes of all V8 snapshots.
    CONVEX_WASM_V8_SNAPSHOT_CACHE_BYTES: u64 = 256 << 20;

    // ---- database ----
    /// Documents a transaction may read, rows that a filter drops included.
    TRANSACTION_MAX_READ_SIZE_ROWS: usize = 32_000;
    /// Bytes of documents a transaction may read.
    TRANSACTION_MAX_READ_SIZE_BYTES: usize = 16 << 20;
    /// Index intervals a transaction may read.
    TRANSACTION_MAX_READ_SET_INTERVALS: usize = 4_096;
    /// Documents a transaction may write.
    TRANSACTION_MAX_NUM_USER_WRITES: usize = 16_000;
    /// Bytes of documents a transaction may write.
    TRANSACTION_MAX_USER_WRITE_SIZE_BYTES: usize = 16 << 20;
    /// Bytes of documents that mutations may write in a second, 0 for any number. Convex allows 4 MiB.
    MAX_BYTES_WRITTEN_PER_SECOND: usize = 0;
    /// Rows a query stream fetches at once.
    DEFAULT_QUERY_PREFETCH: usize = 100;
    /// Most rows of any one fetch from an index.
    MAX_INDEX_FETCH_ROWS: usize = 1_024;
    /// Rows of a page beyond which a client is asked to split it.
    MAX_PAGE_ROWS_READ: usize = 8_192;
    /// Bytes of documents of a page beyond which a client is asked to split it.
    MAX_PAGE_BYTES_READ: usize = 8 << 20;
    /// Transactions waiting to be committed before more are refused with `CommitterFullError`.
    COMMITTER_QUEUE_SIZE: usize = 4_096;
    /// Documents written to storage at once. Convex writes 64 in each of 16 parallel batches; here one batch is written
    /// at a time, and it takes in what queued up during the one before.
    COMMITTER_MAX_WRITE_BATCH_DOCUMENTS: usize = 4_096;
    /// Bytes of documents written to storage at once.
    COMMITTER_MAX_WRITE_BATCH_BYTES: usize = 16 << 20;
    /// Seconds for which the write log keeps a commit at least. While it keeps all commits after a snapshot, that
    /// snapshot stays readable and transactions that began on it can commit.
    WRITE_LOG_MIN_RETENTION_SECS: u64 = 30;
    /// Seconds after which the write log drops a commit.
    WRITE_LOG_MAX_RETENTION_SECS: u64 = 300;
    /// Seconds for which index entries are kept after they were replaced.
    INDEX_RETENTION_DELAY: u64 = 240;
    /// Seconds for which revisions of documents are kept after they were replaced.
    DOCUMENT_RETENTION_DELAY: u64 = 172_800;
    /// Revisions of the log that retention handles at once.
    RETENTION_CHUNK_SIZE: usize = 1_024;
    /// Milliseconds of pause after each chunk of retention.
    RETENTION_PAUSE_MS: u64 = 50;
    /// Seconds until retention looks again when there is nothing more to remove.
    RETENTION_IDLE_SECS: u64 = 10;
    /// Bytes of documents and index rows in memory.
    INDEX_CACHE_SIZE: usize = 256 << 20;
    /// Bytes of documents and index keys in the write log beyond which commits older than the minimum are dropped.
    WRITE_LOG_SOFT_MAX_SIZE_BYTES: usize = 50_000_000;
    /// Environment variables of a deployment.
    ENV_VAR_LIMIT: usize = 512;
    /// Characters of the name of an environment variable.
    ENV_VAR_NAME_MAX_LENGTH: usize = 256;
    /// Bytes of the value of an environment variable.
    ENV_VAR_VALUE_MAX_LENGTH: usize = 8 << 10;
    /// Bytes of all names and values of environment variables.
    ENV_VAR_TOTAL_SIZE_LIMIT: usize = 512 << 10;
    /// Rows an index backfill and a schema validation handle at once.
    INDEX_BACKFILL_CHUNK_SIZE: usize = 256;
    /// Connections that read an SQLite file at the same time.
    SQLITE_MAX_READERS: usize = 8;
    /// Kibibytes of pages that the SQLite connection which writes caches.
    SQLITE_CACHE_KIB: usize = 16 << 10;
    /// Kibibytes of pages that each of those which read caches. They find hot documents in the database's own cache.
    SQLITE_READER_CACHE_KIB: usize = 2 << 10;
    /// Connections to a PostgreSQL server.
    POSTGRES_MAX_CONNECTIONS: usize = 32;
    /// Connections to a MySQL or MariaDB server.
    MYSQL_MAX_CONNECTIONS: usize = 32;
    /// Seconds that one attempt of an operation may take on a database server.
    PERSISTENCE_TIMEOUT_SECONDS: u64 = 60;
    /// Seconds for which an operation is tried again while a database server is away or starting.
    PERSISTENCE_RETRY_SECONDS: u64 = 60;
}
