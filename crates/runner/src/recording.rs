//! Recordings: everything that went into an execution and came out of it.
//!
//! A recording is enough to run the same call again elsewhere, with the same answers to the same questions, and to
//! compare what comes out: this is how the lanes are compared with each other. It serializes to JSON.

use convex_wasm_runtime::{HostError, LogLevel, Operation, OperationResult, ThrowError};
use serde::Serialize;

/// All executions of one call: the function itself last, functions it called before it.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// The executions, in the order in which they ended.
    pub executions: Vec<ExecutionRecord>,
}

/// One execution.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionRecord {
    /// `module:function`.
    pub function: String,
    /// Method of the registered function, e.g. `invokeQuery`.
    pub method: &'static str,
    /// JSON text of the array of arguments.
    pub arguments: String,
    /// The fixed clock, in milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`, in hexadecimal.
    pub seed: String,
    /// What the function asked of its host, in the order of asking; batches are marked by their number.
    pub operations: Vec<OperationRecord>,
    /// Its own console lines.
    pub log_lines: Vec<LogRecord>,
    /// What came out.
    pub outcome: OutcomeRecord,
}

/// One question to the host and its answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationRecord {
    /// How it was asked.
    pub kind: OperationKind,
    /// Name of the system call or environment variable.
    pub name: String,
    /// JSON text of the argument; empty for an environment variable.
    pub argument: String,
    /// Number of its batch, if it is asynchronous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The answer.
    pub answer: AnswerRecord,
}

/// How the host was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OperationKind {
    /// `Convex.syscall`
    Syscall,
    /// `Convex.asyncSyscall`
    AsyncSyscall,
    /// `process.env`
    Environment,
}

/// The host's answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerRecord {
    /// JSON text, or the value of a variable; null for one that is not set.
    Value(Option<String>),
    /// An error was thrown.
    Error(ThrowError),
    /// The execution was ended.
    Aborted(String),
}

/// One console line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogRecord {
    /// `debug`, `log`, `info`, `warn` or `error`.
    pub level: &'static str,
    /// The formatted arguments.
    pub message: String,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OutcomeRecord {
    /// JSON text of the result.
    Value(String),
    /// What was thrown: `String(error)` and the data of a `ConvexError` as JSON text.
    Thrown {
        /// `String(error)`.
        text: String,
        /// JSON text.
        data: Option<String>,
    },
    /// It was ended: a limit, a conflict, a fault of ours.
    Ended(String),
}

/// Records the operations and log lines of one execution.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) operations: Vec<OperationRecord>,
    pub(crate) log_lines: Vec<LogRecord>,
    batches: usize,
}

impl Recorder {
    pub(crate) fn syscall(&mut self, name: &str, argument: &str, answer: &Result<String, HostError>) {
        let answer = match answer {
            Ok(value) => AnswerRecord::Value(Some(value.clone())),
            Err(HostError::Throw(error)) => AnswerRecord::Error(error.clone()),
            Err(HostError::Abort(error)) => AnswerRecord::Aborted(error.to_string()),
        };
        self.push(OperationKind::Syscall, name, argument, None, answer);
    }

    pub(crate) fn environment(&mut self, name: &str, value: Option<&str>) {
        self.push(OperationKind::Environment, name, "", None, AnswerRecord::Value(value.map(str::to_owned)));
    }

    pub(crate) fn batch(&mut self, asked: &[Operation], answers: &[OperationResult]) {
        for (Operation { name, argument }, answer) in asked.iter().zip(answers) {
            let answer = match answer {
                Ok(value) => AnswerRecord::Value(Some(value.clone())),
                Err(error) => AnswerRecord::Error(error.clone()),
            };
            self.push(OperationKind::AsyncSyscall, name, argument, Some(self.batches), answer);
        }
        self.batches += 1;
    }

    pub(crate) fn log(&mut self, level: LogLevel, message: &str) {
        let level = match level {
            LogLevel::Debug => "debug",
            LogLevel::Log => "log",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        };
        self.log_lines.push(LogRecord { level, message: message.to_owned() });
    }

    fn push(&mut self, kind: OperationKind, name: &str, argument: &str, batch: Option<usize>, answer: AnswerRecord) {
        let (name, argument) = (name.to_owned(), argument.to_owned());
        self.operations.push(OperationRecord { kind, name, argument, batch, answer });
    }
}
