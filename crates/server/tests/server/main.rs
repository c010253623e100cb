//! The backend through HTTP: a real server in this process, real apps, a real database.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crons;
mod deploys;
mod functions;
mod http;
mod lanes;
mod node;
mod query_results;
mod scheduler;
mod site;
mod storage;
mod support;
