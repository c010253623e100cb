//! Idle environments of a program, and executions that borrow one.

use std::time::{Duration, Instant};

use convex_wasm_execution::{Host, RunError};
use parking_lot::Mutex;
use serde::Deserialize;

use crate::{
    environment::{Call, Environment, Usage},
    error::ProgramError,
    program::{Export, Program},
};

/// Runs the functions of one deployment.
pub struct Pool<H: Host> {
    program: Program,
    idle: Mutex<Vec<Environment<H>>>,
}

/// An execution that ended.
#[derive(Debug)]
pub struct Execution<H, T = String> {
    /// What the function answered, or why it did not.
    pub result: Result<T, RunError>,
    /// The host, back from the execution.
    pub host: Option<H>,
    /// What it used.
    pub usage: Usage,
}

/// What Convex's analysis needs to know of an export.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// `query`, `mutation`, `action`, `httpAction` or `other`.
    pub kind: String,
    /// `public` or `internal`.
    pub visibility: Option<String>,
    /// JSON of the argument validator.
    pub args: Option<String>,
    /// JSON of the return validator.
    pub returns: Option<String>,
    /// An HTTP router.
    pub is_router: bool,
    /// Cron jobs.
    pub is_crons: bool,
    /// A schema.
    pub is_schema: bool,
    /// JSON that the value's own `export()` gave, or `getRoutes()` of a router.
    pub export: Option<String>,
    /// Where the handler's source is.
    pub handler: Option<HandlerPosition>,
}

/// Where a handler is in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct HandlerPosition {
    /// Index of the unit in [`crate::Linked::units`].
    pub unit: u32,
    /// Byte offset in the JavaScript source.
    pub start: u32,
    /// Byte offset after its last character.
    pub end: u32,
}

impl<H: Host> Pool<H> {
    /// A pool without environments; they are made when they are needed.
    pub fn new(program: Program) -> Self {
        Pool { program, idle: Mutex::new(Vec::new()) }
    }

    /// The program whose functions this pool runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Makes sure that `count` environments are idle, as far as the pool keeps so many.
    ///
    /// # Errors
    /// The system lacks memory.
    pub async fn warm_up(&self, count: usize) -> Result<(), ProgramError> {
        let count = count.min(max_idle());
        while self.idle.lock().len() < count {
            let environment = Environment::new(&self.program).await?;
            self.idle.lock().push(environment);
        }
        Ok(())
    }

    /// Number of idle environments.
    pub fn idle(&self) -> usize {
        self.idle.lock().len()
    }

    /// Runs a call from the program's initial state. Whatever the call changes is forgotten afterwards. Dropping the
    /// future cancels the execution, and the host with it.
    pub async fn run(&self, call: Call<'_>, host: H) -> Execution<H> {
        let mut usage = Usage::default();
        let mut lease = match self.lease(&mut usage).await {
            Ok(lease) => lease,
            Err(error) => return Execution::refused(error, host),
        };
        let result = match lease.environment.as_mut() {
            Some(environment) => environment.run(&call, host, &mut usage).await,
            None => Err(RunError::Internal("the lease is empty".to_owned())),
        };
        lease.end(result, usage)
    }

    /// Says what an export is.
    pub async fn describe(&self, export: Export, budget: Duration, host: H) -> Execution<H, Description> {
        let mut usage = Usage::default();
        let mut lease = match self.lease(&mut usage).await {
            Ok(lease) => lease,
            Err(error) => return Execution::refused(error, host),
        };
        let json = match lease.environment.as_mut() {
            Some(environment) => environment.describe(export, budget, host, &mut usage).await,
            None => Err(RunError::Internal("the lease is empty".to_owned())),
        };
        let description = json.and_then(|json| {
            serde_json::from_str(&json)
                .map_err(|error| RunError::Internal(format!("the guest's description is malformed: {error}")))
        });
        lease.end(description, usage)
    }

    async fn lease(&self, usage: &mut Usage) -> Result<Lease<'_, H>, ProgramError> {
        let started = Instant::now();
        let idle = self.idle.lock().pop();
        let environment = match idle {
            Some(environment) => environment,
            None => Environment::new(&self.program).await?,
        };
        usage.checkout = started.elapsed();
        Ok(Lease { pool: self, environment: Some(environment) })
    }
}

impl<H, T> Execution<H, T> {
    fn refused(error: ProgramError, host: H) -> Self {
        let result = Err(RunError::Internal(error.to_string()));
        Execution { result, host: Some(host), usage: Usage::default() }
    }
}

/// An environment in use. However its execution ends, it is reset and goes back to the pool.
struct Lease<'p, H: Host> {
    pool: &'p Pool<H>,
    environment: Option<Environment<H>>,
}

impl<H: Host> Lease<'_, H> {
    fn end<T>(mut self, result: Result<T, RunError>, mut usage: Usage) -> Execution<H, T> {
        let environment = self.environment.as_mut();
        usage.heap = environment.as_ref().map_or(0, |environment| environment.heap_used());
        usage.collections = environment.as_ref().map_or(0, |environment| environment.collections());
        usage.read_clock = environment.as_ref().is_some_and(|environment| environment.read_clock());
        let host = environment.and_then(Environment::take_host);
        let started = Instant::now();
        self.give_back();
        usage.reset = started.elapsed();
        Execution { result, host, usage }
    }

    fn give_back(&mut self) {
        let Some(mut environment) = self.environment.take() else { return };
        if self.pool.idle.lock().len() >= max_idle() {
            return;
        }
        match environment.reset() {
            Ok(()) => self.pool.idle.lock().push(environment),
            Err(error) => tracing::error!(%error, "an environment cannot be reset and is dropped"),
        }
    }
}

impl<H: Host> Drop for Lease<'_, H> {
    /// Gives the environment of a cancelled execution back.
    fn drop(&mut self) {
        self.give_back();
    }
}

fn max_idle() -> usize {
    convex_wasm_knobs::WASM_MAX_IDLE_ENVIRONMENTS.get()
}
