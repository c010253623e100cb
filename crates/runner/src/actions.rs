//! Actions: on V8, outside of transactions, calling queries, mutations and other actions, each with its own.

use std::sync::Arc;

use convex_wasm_runtime::{LogLevel, OperationResult};
use convex_wasm_v8_workers::{ActionHost, Streams};
use convex_wasm_values::{ConvexValue, DocumentId, JsonFormat};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::console::LogLines;
use crate::deployment::Deployment;
use crate::error::{CallError, FunctionError};
use crate::function::Function;
use crate::http_actions::HttpResponse;
use crate::identity::Identity;
use crate::invoke::{Failed, check_arguments, check_result, failed};
use crate::lookup::Audience;
use crate::path::FunctionPath;
use crate::runner::{Call, FunctionRunner, Outcome};
use crate::syscalls;
use crate::v8::ActionInvocation;

/// The world of one action.
pub(crate) struct Action {
    pub(crate) runner: Arc<FunctionRunner>,
    pub(crate) deployment: Arc<Deployment>,
    pub(crate) function: FunctionPath,
    pub(crate) identity: Identity,
    pub(crate) request_id: String,
    pub(crate) instance_name: Arc<str>,
    /// The scheduled function that the action is, or comes from.
    pub(crate) scheduled: Option<DocumentId>,
    /// Why it is not known who sent the HTTP request, if that cannot be known.
    pub(crate) unauthenticated: Option<String>,
    /// Takes the response of an HTTP action.
    pub(crate) response: Mutex<Option<oneshot::Sender<HttpResponse>>>,
    pub(crate) logs: Mutex<LogLines>,
}

impl Action {
    pub(crate) fn new(
        runner: &Arc<FunctionRunner>,
        call: &Call,
        deployment: &Arc<Deployment>,
        function: FunctionPath,
    ) -> Self {
        Self {
            runner: runner.clone(),
            deployment: deployment.clone(),
            function,
            identity: call.identity.clone(),
            request_id: call.request_id.clone(),
            instance_name: runner.instance_name.clone(),
            scheduled: call.scheduled,
            unauthenticated: None,
            response: Mutex::default(),
            logs: Mutex::default(),
        }
    }

    /// What it wrote to the console.
    pub(crate) fn take_log_lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.logs.lock()).into_lines()
    }

    /// Runs a function that the action calls. Its console lines are the action's too.
    pub(crate) async fn call(&self, call: Call) -> Result<Result<ConvexValue, FunctionError>, CallError> {
        let outcome = call_boxed(self.runner.clone(), call).await?;
        self.logs.lock().append(outcome.log_lines);
        Ok(outcome.result)
    }
}

/// Actions call actions: the type of this future must not contain itself.
fn call_boxed(runner: Arc<FunctionRunner>, call: Call) -> BoxFuture<'static, Result<Outcome, CallError>> {
    async move { runner.run(call).await }.boxed()
}

impl ActionHost for Action {
    async fn operation(self: Arc<Self>, streams: Streams, name: String, argument: String) -> OperationResult {
        syscalls::run_in_action(&self, &streams, &name, &argument).await
    }

    fn log(&self, level: LogLevel, message: String) {
        self.logs.lock().push(level, &message);
    }
}

impl FunctionRunner {
    /// Runs an action once: what it did in the world cannot be undone.
    pub(crate) async fn act(
        self: &Arc<Self>,
        call: &Call,
        deployment: &Arc<Deployment>,
        function: &Arc<Function>,
    ) -> Result<Outcome, CallError> {
        let Some(lane) = deployment.actions_of(function.path.module()).cloned() else {
            let text = format!("{} is an action: actions run on Node.js 22 or newer, which was not found.", call.path);
            return Ok(self.refused(FunctionError::new(text)));
        };
        let claim = lane.claim();
        // An action that another one waits for has no slot of its own: together they could wait for ever.
        let _slot = match call.audience {
            Audience::Functions => None,
            _ => Some(self.actions.take().await?),
        };
        let (before, environment) = self.read(&call.path).await?;
        if let Err(error) = check_arguments(function, &call.arguments, &before) {
            return Ok(self.refused(error));
        }
        drop(before);
        let world = Arc::new(Action::new(self, call, deployment, function.path.clone()));
        let arguments = ConvexValue::Array(vec![call.arguments.clone()]).to_json_text(JsonFormat::Encoded);
        let (entry, limit) = lane.entry(function.path.function());
        let invocation = ActionInvocation {
            module: function.path.module(),
            entry,
            arguments: &arguments,
            streams: Streams::default(),
            seed: rand::random(),
            environment: &environment,
            limit,
        };
        let result = match lane.act(invocation, claim, world.clone()).await {
            Ok(text) => check_result(function, &text, &self.read(&call.path).await?.0).map_err(Failed::Function),
            Err(error) => Err(failed(deployment, error)),
        };
        let result = match result {
            Ok(value) => Ok(value),
            Err(Failed::Function(error)) => Err(error),
            Err(Failed::System(error)) => return Err(error.into()),
        };
        let log_lines = world.take_log_lines();
        Ok(Outcome { log_lines, ..self.ended(result) })
    }
}
