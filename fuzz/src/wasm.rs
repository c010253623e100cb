//! A program on the Wasm lane.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_compiler::error::CompileError;
use convex_wasm_compiler::{Options, compile_module, link, unit::SourceModule};
use convex_wasm_runtime::{
    Engine, Initialisation, Linked, Phase, Program, ProgramError, ProgramUnit, RunError, SilentHost,
};

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

/// Compiles and runs a module, for as long as the budget lasts.
pub async fn run(engine: &Engine, source: &str, budget: Duration) -> Ending {
    let module = SourceModule { path: "program.mjs".to_owned(), source: source.to_owned(), source_map: None };
    let unit = match compile_module(&module, &Options::default()) {
        Ok(unit) => Arc::new(unit),
        Err(error @ CompileError::Syntax { .. }) => return Ending::Invalid(error.to_string()),
        Err(error) => return Ending::Fault(error.to_string()),
    };
    if !unit.report.refusals.is_empty() {
        return Ending::HandedOver;
    }
    let linked = match link_alone(engine, unit, source) {
        Ok(linked) => linked,
        Err(error) => return Ending::Fault(error),
    };
    let how = Initialisation { phase: Phase::Program, time_ms: 0.0, seed: [0; 32], budget };
    let (program, host) = Program::initialise(engine, linked, how, SilentHost::default()).await;
    let mut printed: String = host.unwrap_or_default().lines.into_iter().map(|(_, line)| line + "\n").collect();
    match program {
        Ok(_) => Ending::Printed(printed),
        Err(ProgramError::Evaluate { error: RunError::HandOver { .. }, .. }) => Ending::HandedOver,
        Err(ProgramError::Evaluate { error: RunError::Timeout { .. } | RunError::OutOfMemory { .. }, .. }) => {
            Ending::Limited
        }
        Err(ProgramError::Evaluate { error: RunError::Thrown(thrown), .. }) => {
            printed.push_str(&format!("uncaught {}\n", thrown.name));
            Ending::Printed(printed)
        }
        Err(error) => Ending::Fault(format!("{error}\n{printed}")),
    }
}

fn link_alone(
    engine: &Engine,
    unit: Arc<convex_wasm_compiler::unit::CompiledUnit>,
    source: &str,
) -> Result<Linked, String> {
    let units = [unit];
    let native = engine.compile(&units).map_err(|error| error.to_string())?;
    let plan = link::link(&units, &[0]).map_err(|error| error.to_string())?;
    let units = native.into_iter().map(|native| ProgramUnit { native, source: source.into() }).collect();
    Ok(Linked { units, plan })
}
