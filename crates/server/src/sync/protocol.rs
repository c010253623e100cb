//! Messages of the sync protocol, as JSON in text frames.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::timestamp::EncodedTimestamp;

/// What a client says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ClientMessage {
    /// The first message.
    Connect {
        /// Name of the session; the same after reconnecting.
        session_id: String,
        /// The newest timestamp that the client has seen.
        max_observed_timestamp: Option<EncodedTimestamp>,
    },
    /// Who the client acts for from now on.
    Authenticate {
        /// Version of the identity before.
        base_version: u32,
        /// The credentials.
        #[serde(flatten)]
        credentials: Credentials,
    },
    /// Queries that are watched from now on, or no more.
    ModifyQuerySet {
        /// Version of the set before.
        base_version: u32,
        /// Version of the set after.
        new_version: u32,
        /// The changes, in order.
        modifications: Vec<QuerySetModification>,
    },
    /// A mutation to run.
    Mutation(Request),
    /// An action to run.
    Action(Request),
    /// Something the client tells about itself.
    Event {
        /// Kind of the event.
        event_type: String,
    },
}

/// Proof of who a client acts for.
#[derive(Debug, Deserialize)]
#[serde(tag = "tokenType")]
pub enum Credentials {
    /// An admin key, perhaps acting as a user.
    Admin {
        /// The key.
        value: String,
        /// Attributes of the user.
        #[serde(alias = "acting_as")]
        impersonating: Option<Value>,
    },
    /// A user's token.
    User {
        /// The token.
        value: String,
    },
    /// Nobody.
    None,
}

/// A change of the set of watched queries.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum QuerySetModification {
    /// Watch a query.
    Add {
        /// The client's number of it.
        query_id: u32,
        /// `module:function`.
        udf_path: String,
        /// An array of one object.
        #[serde(default)]
        args: Value,
        /// Where its page ended, if it ran before.
        journal: Option<String>,
        /// Component; only the root can be called.
        component_path: Option<String>,
    },
    /// Watch it no more.
    Remove {
        /// The client's number of it.
        query_id: u32,
    },
}

/// A call with a number.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Number of the request in the session.
    pub request_id: u32,
    /// `module:function`.
    pub udf_path: String,
    /// An array of one object.
    #[serde(default)]
    pub args: Value,
    /// Component; only the root can be called.
    pub component_path: Option<String>,
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum ServerMessage {
    /// From one version of the client's state to the next.
    Transition {
        /// The version before: the end of the last transition.
        start_version: StateVersion,
        /// The version after.
        end_version: StateVersion,
        /// What differs.
        modifications: Vec<StateModification>,
    },
    /// A slice of the JSON of a transition that is too large for one message.
    TransitionChunk {
        /// The slice.
        chunk: String,
        /// Its number, from 0.
        part_number: usize,
        /// Slices in all.
        total_parts: usize,
        /// The same for all slices of a transition.
        transition_id: String,
    },
    /// What came of a mutation.
    MutationResponse {
        /// Number of the request.
        request_id: u32,
        /// Result or error.
        #[serde(flatten)]
        answer: Answer,
        /// When it was committed.
        #[serde(skip_serializing_if = "Option::is_none")]
        ts: Option<EncodedTimestamp>,
    },
    /// What came of an action.
    ActionResponse {
        /// Number of the request.
        request_id: u32,
        /// Result or error.
        #[serde(flatten)]
        answer: Answer,
    },
    /// The credentials are not accepted.
    AuthError {
        /// Why.
        error: String,
        /// Version of the identity, which did not change.
        base_version: u32,
        /// Whether the client was just changing it.
        auth_update_attempted: bool,
    },
    /// The client made a mistake that it cannot go on from.
    FatalError {
        /// Which.
        error: String,
    },
    /// The connection is alive.
    Ping {},
}

/// Result or error of a mutation or action.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Whether it succeeded.
    pub success: bool,
    /// The result, or the error's text.
    pub result: Value,
    /// What it wrote to the console.
    pub log_lines: Vec<String>,
    /// Data of a `ConvexError`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_data: Option<Value>,
}

/// Version of a client's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateVersion {
    /// Of the set of queries.
    pub query_set: u32,
    /// Of the identity.
    pub identity: u32,
    /// The snapshot that all results are of.
    pub ts: EncodedTimestamp,
}

/// A changed result.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum StateModification {
    /// A query gives another value.
    #[serde(rename = "QueryUpdated")]
    Updated {
        /// The client's number of it.
        query_id: u32,
        /// The value.
        value: Value,
        /// What it wrote to the console.
        log_lines: Vec<String>,
        /// Where its page ended.
        journal: Option<String>,
    },
    /// A query throws.
    #[serde(rename = "QueryFailed")]
    Failed {
        /// The client's number of it.
        query_id: u32,
        /// The error's text.
        error_message: String,
        /// What it wrote to the console.
        log_lines: Vec<String>,
        /// Where its page ended when it last succeeded.
        journal: Option<String>,
        /// Data of a `ConvexError`.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_data: Option<Value>,
    },
    /// A query is watched no more.
    #[serde(rename = "QueryRemoved")]
    Removed {
        /// The client's number of it.
        query_id: u32,
    },
}
