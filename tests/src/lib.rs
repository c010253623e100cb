//! Tests across crates, and what they share: the real binary, the example app, Node.
//!
//! `cargo xtask test` builds the binary and installs the example's packages first.

pub mod backend;
pub mod places;
