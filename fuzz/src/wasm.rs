//! A program on the Wasm lane.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use convex_wasm_compiler::error::CompileError;
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use convex_wasm_compiler::{Options, compile_module, link};
use convex_wasm_runtime::{
    Engine, Initialisation, Linked, NoCache, Phase, Program, ProgramError, ProgramUnit, RunError, SilentHost,
};

use crate::generator::{PRELUDE, PRELUDE_PATH};

/// Computing time of a program. Programs carry fuel, so only our own faults reach this.
pub const BUDGET: Duration = Duration::from_secs(10);
/// Computing time of a damaged program, which may have lost its fuel.
pub const DAMAGED_BUDGET: Duration = Duration::from_secs(1);

/// How a program ended.
pub enum Ending {
    /// It ran to its end; this is what it printed.
    Printed(String),
    /// It is not a valid module.
    Invalid(String),
    /// The compiler or the guest lack something, and say so.
    HandedOver,
    /// It met a limit.
    Limited,
    /// Something that must not happen.
    Fault(String),
}

/// Compiles and runs programs.
pub struct Lane {
    engine: Engine,
    prelude: ProgramUnit,
}

impl Lane {
    /// A lane that has the prelude in native code.
    ///
    /// # Errors
    /// The guest or the prelude cannot be compiled.
    pub fn new() -> anyhow::Result<Self> {
        let engine = Engine::new(NoCache)?;
        let unit = compile_module(&module(PRELUDE_PATH, PRELUDE), &Options::default())?;
        let prelude = native(&engine, unit, PRELUDE)?;
        Ok(Self { engine, prelude })
    }

    /// Compiles and runs a program, for as long as the budget lasts.
    pub async fn run(&self, source: &str, budget: Duration) -> Ending {
        let unit = match compile_module(&module("program.mjs", source), &Options::default()) {
            Ok(unit) => unit,
            Err(error @ CompileError::Syntax { .. }) => return Ending::Invalid(error.to_string()),
            Err(error) => return Ending::Fault(error.to_string()),
        };
        if !unit.report.refusals.is_empty() {
            return Ending::HandedOver;
        }
        let plan = match link::link(&[&unit, &*self.prelude.native.unit], &[0]) {
            Ok(plan) => plan,
            Err(error) => return Ending::Invalid(error.to_string()),
        };
        let units = match native(&self.engine, unit, source) {
            Ok(program) => vec![program, self.prelude.clone()],
            Err(error) => return Ending::Fault(error.to_string()),
        };
        let how = Initialisation { phase: Phase::Program, time_ms: 0.0, seed: [0; 32], budget };
        let (program, host) =
            Program::initialise(&self.engine, Linked { units, plan }, how, SilentHost::default()).await;
        let printed: String = host.unwrap_or_default().lines.into_iter().map(|(_, line)| line + "\n").collect();
        ending(program.map(drop), printed)
    }
}

fn ending(program: Result<(), ProgramError>, printed: String) -> Ending {
    match program {
        Ok(()) => Ending::Printed(printed),
        Err(ProgramError::Evaluate { error: RunError::HandOver { .. }, .. }) => Ending::HandedOver,
        Err(ProgramError::Evaluate { error: RunError::Timeout { .. } | RunError::OutOfMemory { .. }, .. }) => {
            Ending::Limited
        }
        Err(ProgramError::Evaluate { error: RunError::Thrown(thrown), .. }) => {
            Ending::Printed(format!("{printed}uncaught {}\n", thrown.name))
        }
        Err(error) => Ending::Fault(format!("{error}\n{printed}")),
    }
}

fn module(path: &str, source: &str) -> SourceModule {
    SourceModule { path: path.to_owned(), source: source.to_owned(), source_map: None }
}

fn native(engine: &Engine, unit: CompiledUnit, source: &str) -> anyhow::Result<ProgramUnit> {
    let native = engine.compile(&[Arc::new(unit)])?.pop().context("a unit has native code")?;
    Ok(ProgramUnit { native, source: source.into() })
}
