//! The database through its public interface. One program, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cache;
mod common;
mod conflicts;
mod crash;
mod decoders;
mod documents;
mod failures;
mod queries;
mod retention;
mod schemas;
mod serializability;
mod subscriptions;
mod torn;
