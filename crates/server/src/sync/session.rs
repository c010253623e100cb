//! One connection: what the client asked for, and what it must still be told.
//!
//! All results that a client holds are of one snapshot. When something it watches changes, the queries concerned run again
//! at the newest snapshot, all at once, and one *transition* takes the client there. While they run the client is read
//! further, and its mutations go on, one after the other; but there is never more than one such round at a time, which
//! is what slows the work down for a client that cannot follow.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::extract::ws::{Message, WebSocket};
use convex_wasm_database::Timestamp;
use convex_wasm_knobs::{
    SYNC_CLIENT_TIMEOUT_SECONDS, SYNC_HEARTBEAT_SECONDS, SYNC_MAX_QUERIES, SYNC_MAX_QUEUED_MUTATIONS,
    SYNC_PING_SECONDS, SYNC_SEND_TIMEOUT_SECONDS, SYNC_TRANSITION_CHUNK_BYTES,
};
use convex_wasm_runner::{Audience, CallError, FunctionKind, Identity, Outcome, SessionRequest};
use convex_wasm_values::JsonFormat;
use futures::stream::{FuturesUnordered, StreamExt};
use rand::Rng;
use tokio::task::JoinSet;

use super::end::End;
use super::live_query::{LiveQuery, Run};
use super::protocol::{
    Answer, ClientMessage, Credentials, QuerySetModification, Request, ServerMessage, StateModification, StateVersion,
};
use crate::http::answer::error_text;
use crate::http::functions::{CallBody, prepare};
use crate::http::identity;
use crate::http::request::{RequestContext, new_request_id};
use crate::timestamp::EncodedTimestamp;
use crate::{ApiError, Backend};

/// A connection of a client.
pub struct Session {
    backend: Arc<Backend>,
    /// Whether the client understands transitions in slices.
    chunks: bool,
    name: Option<String>,
    identity: Identity,
    /// When the proof of the identity ends.
    expires: Option<SystemTime>,
    queries: BTreeMap<u32, LiveQuery>,
    generations: u64,
    /// What the client has.
    version: StateVersion,
    /// What it was promised.
    owed: Owed,
    mutations: VecDeque<Request>,
    running: Running,
    said: Instant,
    heard: Instant,
}

/// What the next transition must reach.
#[derive(Clone)]
struct Owed {
    query_set: u32,
    identity: u32,
    /// Commits that the client was told of.
    ts: Timestamp,
    removed: Vec<u32>,
    /// Whether a transition must follow even if it changes nothing.
    in_any_case: bool,
}

/// Work in the background. Dropping it stops it.
#[derive(Default)]
struct Running {
    mutation: JoinSet<Called>,
    actions: JoinSet<Called>,
    round: JoinSet<Result<Round, End>>,
}

/// A mutation or action that ended.
struct Called {
    /// The client's number of it.
    number: u32,
    /// The id under which it is in the logs.
    request_id: String,
    outcome: Result<Outcome, CallError>,
}

/// Queries that ran again at one snapshot.
struct Round {
    to: Owed,
    at: Timestamp,
    runs: Vec<Run>,
}

enum Happened {
    Heard(Message),
    Mutated(Called),
    Acted(Called),
    Rounded(Result<Round, End>),
    Invalidated,
    Deployed,
    Beat,
}

impl Session {
    /// A connection on which nothing was said yet.
    pub fn new(backend: Arc<Backend>, chunks: bool) -> Self {
        let version = StateVersion { query_set: 0, identity: 0, ts: EncodedTimestamp(Timestamp::MIN) };
        Session {
            backend,
            chunks,
            name: None,
            identity: Identity::Anonymous,
            expires: None,
            queries: BTreeMap::new(),
            generations: 0,
            version,
            owed: Owed { query_set: 0, identity: 0, ts: Timestamp::MIN, removed: Vec::new(), in_any_case: false },
            mutations: VecDeque::new(),
            running: Running::default(),
            said: Instant::now(),
            heard: Instant::now(),
        }
    }

    /// Talks with the client until one of the two ends it.
    pub async fn run(mut self, mut socket: WebSocket) {
        let end = match self.converse(&mut socket).await {
            Ok(never) => match never {},
            Err(end) => end,
        };
        tracing::debug!(?end, "a connection ends");
        for message in end.messages() {
            if self.send(&mut socket, message).await.is_err() {
                return;
            }
        }
    }

    async fn converse(&mut self, socket: &mut WebSocket) -> Result<std::convert::Infallible, End> {
        let mut deployments = self.backend.runner().deployments();
        deployments.mark_unchanged();
        let mut heartbeat = tokio::time::interval(Duration::from_secs(SYNC_HEARTBEAT_SECONDS.get()));
        loop {
            self.start_mutation()?;
            self.start_round()?;
            let happened = {
                let idle = self.running.round.is_empty();
                let Running { mutation, actions, round } = &mut self.running;
                tokio::select! {
                    message = socket.recv() => match message {
                        Some(Ok(message)) => Happened::Heard(message),
                        Some(Err(_)) | None => return Err(End::Gone),
                    },
                    Some(done) = mutation.join_next() => Happened::Mutated(done.map_err(|_| End::Internal)?),
                    Some(done) = actions.join_next() => Happened::Acted(done.map_err(|_| End::Internal)?),
                    Some(done) = round.join_next() => Happened::Rounded(done.map_err(|_| End::Internal)?),
                    () = any_invalidated(&mut self.queries), if idle => Happened::Invalidated,
                    Ok(()) = deployments.changed() => Happened::Deployed,
                    _ = heartbeat.tick() => Happened::Beat,
                }
            };
            self.react(happened, socket).await?;
        }
    }

    async fn react(&mut self, happened: Happened, socket: &mut WebSocket) -> Result<(), End> {
        match happened {
            Happened::Heard(message) => self.hear(message).await?,
            Happened::Mutated(Called { number, request_id, outcome }) => {
                let outcome = outcome?;
                let ts = outcome.result.is_ok().then_some(outcome.timestamp);
                self.owed.ts = self.owed.ts.max(ts.unwrap_or(Timestamp::MIN));
                // A round that saw the commit may have overtaken this answer; clients wait for a transition behind it.
                self.owed.in_any_case |= ts.is_some_and(|ts| ts <= self.version.ts.0);
                // Clients in Rust and Python hold back an error that has data until there is a transition behind it.
                self.owed.in_any_case |= outcome.result.as_ref().is_err_and(|error| error.data.is_some());
                let ts = ts.map(EncodedTimestamp);
                let answer = answer(outcome, &request_id);
                self.say(socket, &ServerMessage::MutationResponse { request_id: number, answer, ts }).await?;
            }
            Happened::Acted(Called { number, request_id, outcome }) => {
                let answer = answer(outcome?, &request_id);
                self.say(socket, &ServerMessage::ActionResponse { request_id: number, answer }).await?;
            }
            Happened::Rounded(round) => self.transition(round?, socket).await?,
            Happened::Invalidated => {}
            Happened::Deployed => self.queries.values_mut().for_each(|query| query.expire(None)),
            Happened::Beat => self.look_after(socket).await?,
        }
        Ok(())
    }

    async fn hear(&mut self, message: Message) -> Result<(), End> {
        self.heard = Instant::now();
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => return Err(End::Fatal("Messages are text frames with JSON.".to_owned())),
            Message::Close(_) => return Err(End::Gone),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
        };
        let message = serde_json::from_str(text.as_str())
            .map_err(|error| End::Fatal(format!("The message is not valid: {error}")))?;
        match message {
            ClientMessage::Connect { session_id, max_observed_timestamp } => {
                self.connect(session_id, max_observed_timestamp)
            }
            ClientMessage::Authenticate { base_version, credentials } => {
                self.authenticate(base_version, credentials).await
            }
            ClientMessage::ModifyQuerySet { base_version, new_version, modifications } => {
                self.modify(base_version, new_version, modifications)
            }
            ClientMessage::Mutation(request) => {
                if self.mutations.len() >= SYNC_MAX_QUEUED_MUTATIONS.get() {
                    return Err(End::TryAgain("TooManyConcurrentMutations"));
                }
                self.mutations.push_back(request);
                Ok(())
            }
            ClientMessage::Action(request) => self.act(request),
            ClientMessage::Event { event_type } => {
                tracing::debug!(event_type, "a client tells");
                Ok(())
            }
        }
    }

    fn connect(&mut self, name: String, observed: Option<EncodedTimestamp>) -> Result<(), End> {
        if self.name.is_some() {
            return Err(End::Fatal("Connect was sent twice.".to_owned()));
        }
        if name.is_empty() || name.len() > 64 {
            return Err(End::Fatal("`sessionId` must be a UUID.".to_owned()));
        }
        let newest = self.backend.runner().latest_timestamp();
        if observed.is_some_and(|EncodedTimestamp(observed)| observed > newest) {
            tracing::error!(?observed, ?newest, "a client has seen what this database does not have: was it replaced?");
            return Err(End::Internal);
        }
        self.name = Some(name);
        Ok(())
    }

    async fn authenticate(&mut self, base_version: u32, credentials: Credentials) -> Result<(), End> {
        check_version("identity", base_version, self.owed.identity)?;
        let refused = |error: ApiError| End::Unauthenticated { error: error.message, base_version, attempted: true };
        self.expires = None;
        self.identity = match credentials {
            Credentials::None => Identity::Anonymous,
            Credentials::Admin { value, impersonating } => {
                let secret = self.backend.secret();
                identity::admin_acting_as(&value, impersonating, secret, self.backend.instance_name())
                    .map_err(refused)?
            }
            Credentials::User { value } => {
                let user = self.backend.authenticator.verify(&value).await.map_err(|error| refused(error.into()))?;
                self.expires = Some(user.expires);
                user.identity
            }
        };
        self.owed.identity += 1;
        let identity = &self.identity;
        self.queries.values_mut().for_each(|query| query.expire(Some(identity)));
        Ok(())
    }

    /// A client whose token has expired is asked for another one before anything runs for it.
    fn check_expiry(&self) -> Result<(), End> {
        if self.expires.is_none_or(|expires| SystemTime::now() < expires) {
            return Ok(());
        }
        Err(End::Unauthenticated {
            error: "Token expired".to_owned(),
            base_version: self.owed.identity,
            attempted: false,
        })
    }

    fn modify(
        &mut self,
        base_version: u32,
        new_version: u32,
        modifications: Vec<QuerySetModification>,
    ) -> Result<(), End> {
        check_version("query set", base_version, self.owed.query_set)?;
        for modification in modifications {
            match modification {
                QuerySetModification::Add { query_id, udf_path, args, journal, component_path } => {
                    let body = CallBody { path: udf_path, args, format: None, component_path };
                    let call = prepare(self.context(), body, Some(FunctionKind::Query), Audience::Clients)?;
                    self.generations += 1;
                    let query = LiveQuery::new(call, journal, self.generations);
                    if self.queries.insert(query_id, query).is_some() {
                        return Err(End::Fatal(format!("The query {query_id} is in the query set already.")));
                    }
                }
                QuerySetModification::Remove { query_id } => {
                    if self.queries.remove(&query_id).is_none() {
                        return Err(End::Fatal(format!("The query {query_id} is not in the query set.")));
                    }
                    self.owed.removed.push(query_id);
                }
            }
        }
        if self.queries.len() > SYNC_MAX_QUERIES.get() {
            return Err(End::Fatal(format!("Too many queries (limit: {}).", SYNC_MAX_QUERIES.get())));
        }
        self.owed.query_set = new_version;
        Ok(())
    }

    /// Starts the next mutation if none runs.
    fn start_mutation(&mut self) -> Result<(), End> {
        if !self.running.mutation.is_empty() {
            return Ok(());
        }
        let Some(request) = self.mutations.pop_front() else { return Ok(()) };
        self.check_expiry()?;
        let session = self.name.clone().ok_or_else(|| End::Fatal("Connect must come first.".to_owned()))?;
        let Request { request_id: number, udf_path, args, component_path } = request;
        let body = CallBody { path: udf_path, args, format: None, component_path };
        let call = prepare(self.context(), body, Some(FunctionKind::Mutation), Audience::Clients)?;
        let backend = self.backend.clone();
        let request = SessionRequest { session, request: number };
        let request_id = call.request_id.clone();
        self.running
            .mutation
            .spawn(async move { Called { number, request_id, outcome: backend.mutate_once(call, &request).await } });
        Ok(())
    }

    fn act(&mut self, request: Request) -> Result<(), End> {
        let Request { request_id: number, udf_path, args, component_path } = request;
        let body = CallBody { path: udf_path, args, format: None, component_path };
        let call = prepare(self.context(), body, Some(FunctionKind::Action), Audience::Clients)?;
        self.check_expiry()?;
        if self.running.actions.len() >= SYNC_MAX_QUEUED_MUTATIONS.get() {
            return Err(End::TryAgain("TooManyInflightActionsForSingleClient"));
        }
        let backend = self.backend.clone();
        let request_id = call.request_id.clone();
        self.running.actions.spawn(async move { Called { number, request_id, outcome: backend.call(call).await } });
        Ok(())
    }

    /// Runs what must run again at the newest snapshot, if the client is owed anything and no round is on its way.
    fn start_round(&mut self) -> Result<(), End> {
        let reached = StateVersion { query_set: self.owed.query_set, identity: self.owed.identity, ..self.version };
        let due = reached != self.version
            || self.owed.ts > self.version.ts.0
            || self.owed.in_any_case
            || self.queries.values().any(LiveQuery::is_stale);
        if !due || !self.running.round.is_empty() {
            return Ok(());
        }
        self.check_expiry()?;
        let at = self.backend.runner().latest_timestamp().max(self.version.ts.0);
        let backend = &self.backend;
        let runs: Vec<_> = self
            .queries
            .iter()
            .filter(|(_, query)| !query.is_valid_at(at))
            .map(|(id, query)| query.run(*id, at, backend.clone()))
            .collect();
        let to = Owed { removed: std::mem::take(&mut self.owed.removed), ..self.owed };
        self.owed.in_any_case = false;
        self.running.round.spawn(async move {
            let runs = futures::future::try_join_all(runs).await?;
            Ok(Round { to, at, runs })
        });
        Ok(())
    }

    /// Takes the client to where a round has come.
    async fn transition(&mut self, round: Round, socket: &mut WebSocket) -> Result<(), End> {
        let Round { to, at, runs } = round;
        let removed = to.removed.into_iter().map(|query_id| StateModification::Removed { query_id });
        let mut modifications: Vec<StateModification> = removed.collect();
        for run in runs {
            let (query_id, generation) = run.query();
            // Meanwhile it may have been removed, or made for somebody else; then its result is of no use.
            let current = self.queries.get_mut(&query_id).filter(|query| query.generation == generation);
            if let Some(query) = current.filter(|_| to.identity == self.owed.identity) {
                modifications.extend(query.take(run, &self.backend)?);
            }
        }
        let end = StateVersion { query_set: to.query_set, identity: to.identity, ts: EncodedTimestamp(at) };
        if modifications.is_empty() && end == self.version && !to.in_any_case {
            return Ok(());
        }
        let message = ServerMessage::Transition { start_version: self.version, end_version: end, modifications };
        self.version = end;
        let text = serde_json::to_string(&message).map_err(|_| End::Internal)?;
        if !self.chunks || text.len() <= SYNC_TRANSITION_CHUNK_BYTES.get() {
            return self.send(socket, Message::Text(text.into())).await;
        }
        self.send_in_chunks(&text, socket).await
    }

    async fn send_in_chunks(&mut self, text: &str, socket: &mut WebSocket) -> Result<(), End> {
        let slices = slices(text, SYNC_TRANSITION_CHUNK_BYTES.get());
        let transition_id = format!("{:032x}", rand::rng().random::<u128>());
        let total_parts = slices.len();
        for (part_number, slice) in slices.into_iter().enumerate() {
            let (chunk, transition_id) = (slice.to_owned(), transition_id.clone());
            let message = ServerMessage::TransitionChunk { chunk, part_number, total_parts, transition_id };
            self.say(socket, &message).await?;
        }
        Ok(())
    }

    /// Shows a silent client that the connection lives, and ends one on which nothing is heard.
    async fn look_after(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        if self.heard.elapsed() > Duration::from_secs(SYNC_CLIENT_TIMEOUT_SECONDS.get()) {
            return Err(End::Gone);
        }
        if self.said.elapsed() > Duration::from_secs(SYNC_PING_SECONDS.get()) {
            self.say(socket, &ServerMessage::Ping {}).await?;
        }
        // The pong is heard even from a client that has nothing to say. It does not count as said.
        let said = self.said;
        self.send(socket, Message::Ping(Default::default())).await?;
        self.said = said;
        Ok(())
    }

    async fn say(&mut self, socket: &mut WebSocket, message: &ServerMessage) -> Result<(), End> {
        let text = serde_json::to_string(message).map_err(|_| End::Internal)?;
        self.send(socket, Message::Text(text.into())).await
    }

    /// Sends, and gives up on a client that does not read.
    async fn send(&mut self, socket: &mut WebSocket, message: Message) -> Result<(), End> {
        let patience = Duration::from_secs(SYNC_SEND_TIMEOUT_SECONDS.get());
        self.said = Instant::now();
        match tokio::time::timeout(patience, socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(End::Gone),
        }
    }

    fn context(&self) -> RequestContext {
        RequestContext { identity: self.identity.clone(), client: None, request_id: new_request_id() }
    }
}

fn answer(outcome: Outcome, request_id: &str) -> Answer {
    let log_lines = outcome.log_lines;
    match outcome.result {
        Ok(value) => Answer { success: true, result: value.to_json(JsonFormat::Encoded), log_lines, error_data: None },
        Err(error) => Answer {
            success: false,
            result: error_text(&error, request_id).into(),
            log_lines,
            error_data: error.data.map(|data| data.to_json(JsonFormat::Encoded)),
        },
    }
}

/// Waits until something changes that one of the queries has read.
async fn any_invalidated(queries: &mut BTreeMap<u32, LiveQuery>) {
    let mut waits: FuturesUnordered<_> = queries.values_mut().map(LiveQuery::invalidated).collect();
    if waits.next().await.is_none() {
        std::future::pending().await
    }
}

fn check_version(of: &str, base: u32, current: u32) -> Result<(), End> {
    if base == current {
        return Ok(());
    }
    Err(End::Fatal(format!("BaseVersionMismatch: the {of} is at version {current}, not {base}.")))
}

/// Slices of at most `length` bytes, cut between characters.
fn slices(mut text: &str, length: usize) -> Vec<&str> {
    let mut slices = Vec::new();
    while text.len() > length {
        let mut end = length.max(4);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (slice, rest) = text.split_at(end);
        slices.push(slice);
        text = rest;
    }
    slices.push(text);
    slices
}
