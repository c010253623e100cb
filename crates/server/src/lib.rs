//! The HTTP interface of a Convex deployment.
//!
//! - [`push`]: from a pushed app to a deployment that runs
//! - [`Backend`]: a database and what is deployed in it; `deployment` is how that changes
//! - `http`: routes; handlers only translate between HTTP and the backend
//! - `auth`: users' tokens
//! - `transfer`: exports and imports of data
//! - `sync`: clients on WebSockets; `system_queries`: what the CLI asks of the server itself
//! - `site`: HTTP actions
//! - `scheduler`: functions that run at a time
//! - [`serve`]: listening and stopping

mod admin_key;
mod auth;
mod backend;
mod deployment;
mod function_logs;
mod housekeeping;
mod http;
pub mod push;
mod scheduler;
mod serve;
mod site;
mod sync;
mod system_queries;
mod timestamp;
mod transfer;

pub use admin_key::{InstanceSecret, InvalidSecret};
pub use backend::{Backend, BackendOptions};
pub use deployment::{FinishedPush, StartedPush};
pub use function_logs::{FunctionLogs, LogPage, LoggedCall};
pub use http::{ApiError, router};
pub use serve::serve;
