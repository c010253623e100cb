//! Harness files: compiled once, then part of every program that includes them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use convex_wasm_compiler::unit::SourceModule;
use convex_wasm_compiler::{Options, compile_script};
use convex_wasm_runtime::{Engine, ProgramUnit};

use crate::metadata::Metadata;
use crate::suite::Suite;

/// The global objects that a host must have.
const PRELUDE: &str = include_str!("prelude.js");

/// Compiled harness files.
pub struct Harness<'s> {
    suite: &'s Suite,
    engine: Engine,
    units: Mutex<HashMap<String, ProgramUnit>>,
}

impl<'s> Harness<'s> {
    /// The harness of a checkout; nothing is compiled yet.
    pub fn new(suite: &'s Suite, engine: Engine) -> Self {
        Harness { suite, engine, units: Mutex::default() }
    }

    /// The scripts to run before a test, in order.
    ///
    /// # Errors
    /// One cannot be read or compiled.
    pub fn units(&self, metadata: &Metadata) -> anyhow::Result<Vec<ProgramUnit>> {
        if metadata.has("raw") {
            return Ok(Vec::new());
        }
        let mut files = vec!["prelude.js", "assert.js", "sta.js"];
        if metadata.has("async") {
            files.push("doneprintHandle.js");
        }
        for file in &metadata.includes {
            if !files.contains(&file.as_str()) {
                files.push(file);
            }
        }
        files.into_iter().map(|file| self.unit(file)).collect()
    }

    fn unit(&self, file: &str) -> anyhow::Result<ProgramUnit> {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(unit) = units.get(file) {
            return Ok(unit.clone());
        }
        let unit = self.compile(file).with_context(|| format!("cannot compile harness/{file}"))?;
        units.insert(file.to_owned(), unit.clone());
        Ok(unit)
    }

    fn compile(&self, file: &str) -> anyhow::Result<ProgramUnit> {
        let source = match file {
            "prelude.js" => PRELUDE.to_owned(),
            _ => globally_visible(&self.suite.read(&format!("harness/{file}"))?),
        };
        let script = SourceModule { path: format!("harness/{file}"), source, source_map: None };
        let unit = Arc::new(compile_script(&script, &Options::default())?);
        let mut native = self.engine.compile(&[unit])?;
        let native = native.pop().context("the engine compiled nothing")?;
        Ok(ProgramUnit { native, source: script.source.into() })
    }
}

/// Makes `var`s of a harness file's top-level `let` and `const`, which tests see but other scripts would not.
fn globally_visible(source: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in source.split('\n') {
        let lexical = line.strip_prefix("const ").or_else(|| line.strip_prefix("let "));
        lines.push(lexical.map_or_else(|| line.to_owned(), |rest| format!("var {rest}")));
    }
    lines.join("\n")
}
