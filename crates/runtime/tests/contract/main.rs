//! The host's side of the contract with guest and units, tested with small stand-ins for both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod executions;
mod programs;
mod support;
