//! JavaScript through compiler, guest and host.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod collector;
mod isolation;
mod limits;
mod operations;
mod stacks;
mod support;
