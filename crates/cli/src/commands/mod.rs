//! One module for each command.

pub mod compile;
pub mod deploy;
pub mod deployments;
pub mod exec;
pub mod keys;
pub mod migrate;
pub mod package;
pub mod run;
pub mod serve;
