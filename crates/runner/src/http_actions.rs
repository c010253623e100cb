//! HTTP actions: actions that answer an HTTP request, found by the routes of `http.ts`.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_knobs::V8_ACTION_USER_TIMEOUT_SECS;
use convex_wasm_v8_workers::{ByteStream, Entry, Streams};
use convex_wasm_values::ConvexValue;
use futures::{StreamExt, stream};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;

use crate::actions::Action;
use crate::error::{CallError, FunctionError};
use crate::identity::Identity;
use crate::invoke::{Failed, failed};
use crate::lookup::Audience;
use crate::path::FunctionPath;
use crate::runner::{Call, FunctionRunner, Outcome};
use crate::syscalls::{SyscallError, SyscallResult};
use crate::v8::ActionInvocation;

/// Module of the router.
const MODULE: &str = "http.js";

/// A route of `http.ts`: method and path. A path that ends in `*` stands for all that begin with the rest of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// An exact path, or a prefix and `*`.
    pub path: String,
}

/// An HTTP request for an HTTP action.
pub struct HttpRequest {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// Its path, as routes see it.
    pub path: String,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<ByteStream>,
    /// Who sent it.
    pub identity: Identity,
    /// Why that is not known, if it cannot be: what the function is told when it asks.
    pub unauthenticated: Option<String>,
    /// Id of the request, for logs.
    pub request_id: String,
}

/// What an HTTP action answered.
pub struct HttpResponse {
    /// Status.
    pub status: u16,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<ByteStream>,
}

/// Takes the outcome of an HTTP action when it has ended, its body included.
pub type HttpEnd = Box<dyn FnOnce(Outcome) + Send>;

/// The head of a response as the worker gives it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResponseHead {
    status: u16,
    header_pairs: Vec<(String, String)>,
    stream_id: Option<String>,
}

/// The route for a path: the exact one, or the longest prefix. HEAD is answered like GET.
pub fn route<'r>(routes: &'r [Route], method: &str, path: &str) -> Option<&'r Route> {
    let method = if method == "HEAD" { "GET" } else { method };
    let of_method = || routes.iter().filter(move |route| route.method == method);
    of_method().find(|route| route.path == path).or_else(|| {
        let prefixes =
            of_method().filter(|route| route.path.strip_suffix('*').is_some_and(|prefix| path.starts_with(prefix)));
        prefixes.max_by_key(|route| route.path.len())
    })
}

impl Action {
    /// Hands the head of the response on, and the stream of its body.
    pub(crate) fn respond(&self, streams: &Streams, head: ResponseHead) -> SyscallResult {
        let response = HttpResponse {
            status: head.status,
            headers: head.header_pairs,
            body: head.stream_id.map(|id| streams.receive(&id)),
        };
        match self.response.lock().take() {
            Some(answer) => {
                // Whoever asked may have gone; the action goes on.
                let _ = answer.send(response);
                Ok("null".to_owned())
            }
            None => Err(SyscallError::throw("UnknownAsyncOperation", "Unknown async operation http/respond")),
        }
    }
}

/// A stream without content that ends when nobody waits for the response any more.
fn until_gone(gone: oneshot::Receiver<()>) -> ByteStream {
    let end = async {
        if gone.await.is_ok() {
            // The response was given.
            std::future::pending::<()>().await;
        }
        None
    };
    stream::once(end).filter_map(std::future::ready).boxed()
}

impl FunctionRunner {
    /// Runs the HTTP action of a route. Answers when the head of its response is there; `end` learns of the rest. The action
    /// goes on when nobody waits for its answer any more.
    ///
    /// # Errors
    /// See [`CallError`]. An error of the application before it responded is the inner error.
    pub async fn respond(
        self: &Arc<Self>,
        request: HttpRequest,
        end: HttpEnd,
    ) -> Result<Result<HttpResponse, FunctionError>, CallError> {
        let (answer, mut response) = oneshot::channel();
        let (waiting, gone) = oneshot::channel();
        let runner = self.clone();
        let mut action = tokio::spawn(async move { runner.run_http(request, answer, gone, end).await });
        tokio::select! {
            biased;
            Ok(response) = &mut response => {
                // From now on the body says whether somebody listens.
                let _ = waiting.send(());
                Ok(Ok(response))
            }
            ended = &mut action => match ended.map_err(|error| CallError::Internal(error.into()))? {
                // Both may be ready.
                Ok(()) => response.try_recv().map(Ok).map_err(|error| CallError::Internal(error.into())),
                Err(Failed::Function(error)) => Ok(Err(error)),
                Err(Failed::System(error)) => Err(error.into()),
            },
        }
    }

    async fn run_http(
        self: Arc<Self>,
        request: HttpRequest,
        answer: oneshot::Sender<HttpResponse>,
        gone: oneshot::Receiver<()>,
        end: HttpEnd,
    ) -> Result<(), Failed> {
        let system = |error: CallError| Failed::System(error.into());
        let not_here =
            || Failed::Function(FunctionError::new("HTTP actions run on Node.js 22 or newer, which was not found."));
        let deployment = self.deployment().ok_or_else(not_here)?;
        let lane = deployment.actions().cloned().ok_or_else(not_here)?;
        let claim = lane.claim();
        let _slot = self.actions.take().await.map_err(system)?;
        let path = FunctionPath::new(MODULE, "default");
        let (_, environment) = self.read(&path).await.map_err(system)?;
        let call = Call {
            path: path.clone(),
            arguments: ConvexValue::Null,
            kind: None,
            audience: Audience::Clients,
            identity: request.identity,
            request_id: request.request_id,
            scheduled: None,
        };
        let world = Arc::new(Action {
            unauthenticated: request.unauthenticated,
            response: Mutex::new(Some(answer)),
            ..Action::new(&self, &call, &deployment, path)
        });
        let streams = Streams::default();
        let argument = json!({
            "url": request.url,
            "method": request.method,
            "headerPairs": request.headers,
            "streamId": request.body.map(|body| streams.send(body)),
            "signal": streams.send(until_gone(gone)),
        });
        let invocation = ActionInvocation {
            module: MODULE,
            entry: Entry::Router(&request.path),
            arguments: &argument.to_string(),
            streams,
            seed: rand::random(),
            environment: &environment,
            limit: Duration::from_secs(V8_ACTION_USER_TIMEOUT_SECS.get()),
        };
        let result = lane.act(invocation, claim, world.clone()).await.map_err(|error| failed(&deployment, error));
        let outcome = match &result {
            Ok(_) => Ok(ConvexValue::Null),
            Err(Failed::Function(error)) => Err(error.clone()),
            Err(Failed::System(error)) => Err(FunctionError::new(error.to_string())),
        };
        end(Outcome { log_lines: world.take_log_lines(), ..self.ended(outcome) });
        result.map(|_| ())
    }
}
