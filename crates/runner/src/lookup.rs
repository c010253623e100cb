//! Finding the function of a path.

use std::sync::Arc;

use crate::deployment::Deployment;
use crate::error::FunctionError;
use crate::function::{Function, FunctionKind, Visibility};
use crate::path::FunctionPath;

/// Who looks for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A client, through an entry point for public functions; internal ones look as if they did not exist.
    Clients,
    /// A client, through an entry point for functions of any kind. Internal ones look as if they did not exist, too.
    Tools,
    /// An admin, through any entry point.
    Admins,
    /// Another function.
    Functions,
    /// The scheduler.
    Scheduler,
}

/// The function of a path, if it is of the wanted kind and there for the audience.
pub fn lookup(
    deployment: &Deployment,
    path: &FunctionPath,
    kind: Option<FunctionKind>,
    audience: Audience,
) -> Result<Arc<Function>, FunctionError> {
    let sees_internal = matches!(audience, Audience::Admins | Audience::Functions | Audience::Scheduler);
    let function = deployment
        .function(path)
        .filter(|function| sees_internal || function.visibility == Visibility::Public)
        .ok_or_else(|| not_found(path, audience))?;
    match kind {
        Some(kind) if kind != function.kind => Err(FunctionError::new(format!(
            "Trying to execute {path} as {kind}, but it is defined as {}.",
            function.kind
        ))),
        _ => Ok(function.clone()),
    }
}

/// The error for a path without a function.
pub(crate) fn not_found(path: &FunctionPath, audience: Audience) -> FunctionError {
    let what = if audience == Audience::Clients { "public function" } else { "function" };
    FunctionError::new(format!("Could not find {what} for '{path}'. Did you forget to run `npx convex dev`?"))
}
