//! What is known of a function before it runs.

use convex_wasm_values::Validator;
use serde::{Deserialize, Serialize};

use crate::path::FunctionPath;

/// What a function may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FunctionKind {
    /// Reads.
    Query,
    /// Reads and writes.
    Mutation,
    /// Reaches the outside world.
    Action,
    /// Answers an HTTP request.
    HttpAction,
}

impl FunctionKind {
    /// Method of the registered function that runs it.
    pub fn method(self) -> &'static str {
        match self {
            Self::Query => "invokeQuery",
            Self::Mutation => "invokeMutation",
            Self::Action => "invokeAction",
            Self::HttpAction => "invokeHttpAction",
        }
    }
}

impl std::fmt::Display for FunctionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Query => "Query",
            Self::Mutation => "Mutation",
            Self::Action => "Action",
            Self::HttpAction => "HttpAction",
        })
    }
}

/// Who may call a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everybody.
    Public,
    /// Other functions, the scheduler and admins.
    Internal,
}

/// A function of a deployment.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub path: FunctionPath,
    /// What it may do.
    pub kind: FunctionKind,
    /// Who may call it.
    pub visibility: Visibility,
    /// The type of its arguments: an object, or anything.
    pub args: Validator,
    /// The type of its result.
    pub returns: Validator,
}
