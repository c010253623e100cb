//! `convex-wasm exec`: runs plain JavaScript modules on the Wasm lane.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use convex_wasm_compiler::link::{link, resolve_path};
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use convex_wasm_compiler::{Options as CompilerOptions, compile_module};
use convex_wasm_runtime::{
    BoxError, Engine, Host, HostError, Initialisation, Linked, LogLevel, NoCache, Operation, OperationResult, Phase,
    Program, ProgramError, ProgramUnit, RunError, ThrowError,
};

use crate::exit::Failure;
use crate::output;
use crate::packaged::Packaged;

/// Which programs, and for how long.
#[derive(Args)]
#[command(after_help = "\
Example:
  convex-wasm exec program.js

The files are ES modules, evaluated in the order given; what they import by relative paths is loaded too. There are no
timers, no files and no network. What they write to the console goes to standard output, warnings and errors to standard
error.")]
pub struct Options {
    /// The modules.
    #[arg(required = true, value_name = "FILE.js")]
    files: Vec<PathBuf>,
    /// Seconds of computing time.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
}

/// Runs the command.
pub async fn run(options: Options) -> Result<(), Failure> {
    let Modules { sources, units } = load(&options.files)?;
    let entries: Vec<usize> = (0..options.files.len()).collect();
    let engine = Engine::new(Packaged::above(NoCache))
        .map_err(|error| Failure::setup("could not start the Wasm engine", error))?;
    let native = engine.compile(&units).map_err(|error| Failure::setup("could not make native code", error))?;
    let plan = link(&units, &entries).map_err(|error| Failure::app(error.to_string()))?;
    let units = native.into_iter().zip(sources).map(|(native, source)| ProgramUnit { native, source }).collect();
    let how = Initialisation {
        phase: Phase::Program,
        time_ms: 0.0,
        seed: [0; 32],
        budget: Duration::from_secs(options.timeout),
    };
    let (program, _) = Program::initialise(&engine, Linked { units, plan }, how, Console).await;
    program.map(|_| ()).map_err(|error| Failure::app(explain(&error)))
}

/// Compiled modules and their sources, in the same order.
#[derive(Default)]
struct Modules {
    sources: Vec<Arc<str>>,
    units: Vec<Arc<CompiledUnit>>,
}

/// The files, in their order, and after them all they import.
fn load(files: &[PathBuf]) -> Result<Modules, Failure> {
    let mut queue: Vec<String> = files.iter().map(|file| normal(file)).collect();
    let mut known: BTreeSet<String> = queue.iter().cloned().collect();
    let mut modules = Modules::default();
    let mut next = 0;
    while let Some(path) = queue.get(next).cloned() {
        next += 1;
        let source =
            fs::read_to_string(&path).map_err(|error| Failure::setup(format!("could not read {path}"), error))?;
        let module = SourceModule { path: path.clone(), source, source_map: None };
        let unit =
            compile_module(&module, &CompilerOptions::default()).map_err(|error| Failure::app(error.to_string()))?;
        for refusal in &unit.report.refusals {
            output::note(format!("{path}:{}: {} was refused: {}", refusal.line + 1, refusal.name, refusal.reason));
        }
        for request in &unit.requests {
            if let Some(import) = resolve_path(&path, request)
                && known.insert(import.clone())
            {
                queue.push(import);
            }
        }
        modules.sources.push(module.source.into());
        modules.units.push(Arc::new(unit));
    }
    Ok(modules)
}

/// Module paths have no leading `./`.
fn normal(file: &Path) -> String {
    let path = file.to_string_lossy();
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

fn explain(error: &ProgramError) -> String {
    let ProgramError::Evaluate { error: RunError::Thrown(thrown), .. } = error else { return error.to_string() };
    let mut text = format!("Uncaught {}", thrown.text);
    for frame in &thrown.stack {
        let function = if frame.function.is_empty() { "<anonymous>" } else { &frame.function };
        text.push_str(&format!("\n    at {function} ({}:{}:{})", frame.path, frame.line + 1, frame.column + 1));
    }
    text
}

/// Prints console lines, and has nothing else to offer.
struct Console;

fn refuse(name: &str) -> ThrowError {
    ThrowError { message: format!("{name} is not available to plain programs."), ..ThrowError::default() }
}

impl Host for Console {
    fn syscall(&mut self, name: &str, _argument: &str) -> Result<String, HostError> {
        Err(refuse(name).into())
    }

    fn environment_variable(&mut self, _name: &str) -> Result<Option<String>, HostError> {
        Ok(None)
    }

    fn environment_names(&mut self) -> Result<Vec<String>, HostError> {
        Ok(Vec::new())
    }

    fn log(&mut self, level: LogLevel, message: String) -> Result<(), HostError> {
        match level {
            LogLevel::Warn | LogLevel::Error => output::note(message),
            LogLevel::Debug | LogLevel::Log | LogLevel::Info => output::line(message),
        }
        Ok(())
    }

    async fn run_batch(&mut self, batch: Vec<Operation>) -> Result<Vec<OperationResult>, BoxError> {
        Ok(batch.iter().map(|operation| Err(refuse(&operation.name))).collect())
    }
}
