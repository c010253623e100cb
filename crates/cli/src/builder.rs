//! The builder of apps, with its caches in a directory.

use std::path::Path;

use convex_wasm_runtime::{DirectoryCache, Engine};
use convex_wasm_server::push::{Builder, UnitCache};

use crate::exit::Failure;
use crate::packaged::Packaged;

/// A builder that keeps portable and native code under `cache`.
pub fn open(cache: &Path) -> Result<Builder, Failure> {
    let units = UnitCache::open(cache.join("units"))
        .map_err(|error| Failure::setup(format!("could not use {}", cache.display()), error))?;
    Ok(Builder::new(engine(cache)?, units))
}

/// An engine that keeps native code under `cache`.
pub fn engine(cache: &Path) -> Result<Engine, Failure> {
    let native = DirectoryCache::open(cache.join("native"))
        .map_err(|error| Failure::setup(format!("could not use {}", cache.display()), error))?;
    Engine::new(Packaged::above(native)).map_err(|error| Failure::setup("could not start the Wasm engine", error))
}
