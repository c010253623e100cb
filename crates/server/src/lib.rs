//! The HTTP interface of a Convex deployment.
//!
//! - [`push`]: from a pushed app to a deployment that runs
//! - [`Backend`]: a database and what is deployed in it
//! - `http`: routes; handlers only translate between HTTP and the backend
//! - [`serve`]: listening and stopping

mod admin_key;
mod backend;
mod http;
pub mod push;
mod serve;

pub use admin_key::{InstanceSecret, InvalidSecret};
pub use backend::{Backend, BackendOptions};
pub use http::{ApiError, router};
pub use serve::serve;
