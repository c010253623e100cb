//! The last calls and what they wrote to the console, for `npx convex logs`, `dev` and the dashboard.

use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use convex_wasm_knobs::{FUNCTION_LOGS_KEPT, FUNCTION_LOGS_KEPT_BYTES};
use convex_wasm_runner::{FunctionKind, Identity, Outcome};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;

/// A bounded list of entries that clients follow.
pub struct FunctionLogs {
    kept: Mutex<Kept>,
    /// Cursor of the newest entry: milliseconds since the epoch, strictly rising.
    newest: watch::Sender<f64>,
}

#[derive(Default)]
struct Kept {
    entries: VecDeque<Entry>,
    bytes: usize,
}

/// A call as it is kept. Most entries are never asked for, so they become JSON only when they are.
struct Entry {
    cursor: f64,
    call: LoggedCall,
    log_lines: Vec<String>,
    error: Option<String>,
    seconds: f64,
}

impl Entry {
    /// Bytes of what functions and clients chose the length of.
    fn bytes(&self) -> usize {
        let texts = self.log_lines.iter().chain(&self.error);
        self.call.path.len() + texts.map(String::len).sum::<usize>()
    }
}

/// Entries after a cursor, and the cursor to go on with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogPage {
    /// The entries, the oldest first.
    pub entries: Vec<Value>,
    /// Where they end.
    pub new_cursor: f64,
}

/// What is logged of a call beside its outcome.
pub struct LoggedCall {
    /// `module:function`.
    pub path: String,
    /// Kind of the function, if it exists.
    pub kind: Option<FunctionKind>,
    /// Who called.
    pub identity: Identity,
    /// Id of the request.
    pub request_id: String,
    /// What called, as Convex names it: `HttpApi`, `Scheduler` or `Cron`.
    pub caller: &'static str,
    /// Whether the result of an earlier run was given.
    pub cached: bool,
    /// When it began.
    pub started: Instant,
}

impl Default for FunctionLogs {
    fn default() -> Self {
        Self { kept: Mutex::default(), newest: watch::Sender::new(now()) }
    }
}

impl FunctionLogs {
    /// Keeps what came of a call.
    pub fn completed(&self, call: LoggedCall, outcome: &Outcome) {
        let mut kept = self.kept.lock();
        let cursor = now().max(self.newest.borrow().next_up());
        let entry = Entry {
            cursor,
            seconds: call.started.elapsed().as_secs_f64(),
            call,
            log_lines: outcome.log_lines.clone(),
            error: outcome.result.as_ref().err().map(|error| error.message.clone()),
        };
        kept.bytes += entry.bytes();
        kept.entries.push_back(entry);
        while kept.entries.len() > FUNCTION_LOGS_KEPT.get() || kept.bytes > FUNCTION_LOGS_KEPT_BYTES.get() {
            let Some(oldest) = kept.entries.pop_front() else { break };
            kept.bytes -= oldest.bytes();
        }
        self.newest.send_replace(cursor);
    }

    /// Entries after `cursor`, as soon as there are any, at the latest after `patience`. A cursor of 0 asks only where
    /// the log ends.
    pub async fn after(&self, cursor: f64, patience: Duration) -> LogPage {
        let mut newest = self.newest.subscribe();
        if cursor > 0.0 {
            // The sender lives as long as `self`, so all that ends the wait is an entry or the time.
            tokio::time::timeout(patience, newest.wait_for(|newest| *newest > cursor)).await.ok();
        }
        let kept = self.kept.lock();
        let entries: Vec<Value> = kept.entries.iter().filter(|entry| entry.cursor > cursor).map(completion).collect();
        let new_cursor = self.newest.borrow().max(cursor);
        LogPage { entries, new_cursor }
    }
}

fn completion(entry: &Entry) -> Value {
    let Entry { cursor, call, log_lines, error, seconds } = entry;
    let cursor = *cursor;
    let kind = match call.kind {
        Some(FunctionKind::Mutation) => "Mutation",
        Some(FunctionKind::Action) => "Action",
        Some(FunctionKind::HttpAction) => "HttpAction",
        Some(FunctionKind::Query) | None => "Query",
    };
    let identity = match call.identity {
        Identity::Anonymous => "unknown",
        Identity::User { .. } => "user",
        Identity::Admin { acting_as: None } => "instance_admin",
        Identity::Admin { acting_as: Some(_) } => "member_acting_user",
    };
    json!({
        "kind": "Completion",
        "udfType": kind,
        "componentPath": null,
        "identifier": call.path,
        "logLines": log_lines.iter().map(|line| log_line(line, cursor)).collect::<Vec<_>>(),
        "timestamp": cursor / 1e3,
        "cachedResult": call.cached,
        "caller": call.caller,
        "parentExecutionId": null,
        "executionTime": seconds,
        "userExecutionTime": seconds,
        "success": null,
        "error": error,
        "requestId": call.request_id,
        "executionId": call.request_id,
        "usageStats": {
            "databaseReadBytes": 0, "databaseWriteBytes": 0, "databaseReadDocuments": 0, "storageReadBytes": 0,
            "storageWriteBytes": 0, "vectorIndexReadBytes": 0, "vectorIndexWriteBytes": 0, "memoryUsedMb": 64,
        },
        "returnBytes": null,
        "occInfo": null,
        "willRetry": false,
        "executionTimestamp": cursor / 1e3,
        "identityType": identity,
        "environment": "isolate",
    })
}

/// `[LEVEL] message` in its parts.
fn log_line(line: &str, cursor: f64) -> Value {
    let (level, message) = line.strip_prefix('[').and_then(|line| line.split_once("] ")).unwrap_or(("LOG", line));
    json!({ "messages": [message], "level": level, "timestamp": cursor, "isTruncated": false, "systemMetadata": null })
}

/// Milliseconds since the epoch.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1e3
}
