//! Runs a function on a lane: arguments, validators, system calls, limits and logs.
