//! Running one test: compile, link, evaluate in a fresh environment, compare with what it expects.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use convex_wasm_compiler::error::{CompileError, LinkError};
use convex_wasm_compiler::link::{link, resolve_path};
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use convex_wasm_compiler::{Options, compile_module, compile_script};
use convex_wasm_runtime::{
    Engine, Initialisation, Linked, Phase, Program, ProgramError, ProgramUnit, RunError, SilentHost,
};

use crate::harness::Harness;
use crate::suite::{Suite, Test};

/// What `$DONE` prints when an asynchronous test ends well.
const ASYNC_COMPLETE: &str = "Test262:AsyncTestComplete";
const ASYNC_FAILURE: &str = "Test262:AsyncTestFailure:";

/// How a test ended: `Err` says in what way it is not what the test expects.
pub type Outcome = Result<(), String>;

/// Runs tests.
pub struct Executor<'s> {
    suite: &'s Suite,
    engine: Engine,
    harness: Harness<'s>,
    budget: Duration,
}

/// An error that a test may expect.
struct Failure {
    phase: &'static str,
    /// Name of the error's constructor; empty for what is no JavaScript error.
    kind: String,
    text: String,
}

/// The modules of a test: the test first.
struct Sources {
    units: Vec<Arc<CompiledUnit>>,
    texts: Vec<String>,
}

impl<'s> Executor<'s> {
    /// An executor that gives each test `budget` of computing time.
    pub fn new(suite: &'s Suite, engine: Engine, budget: Duration) -> Self {
        Executor { suite, harness: Harness::new(suite, engine.clone()), engine, budget }
    }

    /// Runs a test.
    pub async fn run(&self, test: &Test) -> Outcome {
        let mut lines = Vec::new();
        let ended = self.evaluate(test, &mut lines).await;
        match (&test.metadata.negative, ended) {
            (None, Ok(())) if test.metadata.has("async") => asynchronous(&lines),
            (None, Ok(())) => Ok(()),
            (None, Err(failure)) => Err(failure.text),
            (Some(expected), Ok(())) => Err(format!("expected a {} ({})", expected.kind, expected.phase)),
            (Some(expected), Err(failure)) => {
                if failure.kind == expected.kind && failure.phase == expected.phase {
                    return Ok(());
                }
                Err(format!("expected a {} ({}) but got: {}", expected.kind, expected.phase, failure.text))
            }
        }
    }

    /// Evaluates a test to its end, with no microtask left.
    async fn evaluate(&self, test: &Test, lines: &mut Vec<String>) -> Result<(), Failure> {
        let harness = self.harness.units(&test.metadata).map_err(|error| Failure::other(format!("{error:#}")))?;
        let Sources { units, texts } = self.compile(test)?;
        let all: Vec<Arc<CompiledUnit>> =
            harness.iter().map(|unit| unit.native.unit.clone()).chain(units.iter().cloned()).collect();
        let entries: Vec<usize> = (0..=harness.len()).collect();
        let plan = link(&all, &entries).map_err(|error| link_failure(&error))?;
        let native = self.engine.compile(&units).map_err(|error| Failure::other(error.to_string()))?;
        let test_units =
            native.into_iter().zip(texts).map(|(native, text)| ProgramUnit { native, source: text.into() });
        let linked = Linked { units: harness.into_iter().chain(test_units).collect(), plan };
        let how = Initialisation { phase: Phase::Program, time_ms: 1.7e12, seed: [7; 32], budget: self.budget };
        let (program, host) = Program::initialise(&self.engine, linked, how, SilentHost::default()).await;
        lines.extend(host.into_iter().flat_map(|host| host.lines).map(|(_, line)| line));
        match program {
            Ok(_) => Ok(()),
            // To the language a rejection that nobody handles is no error.
            Err(ProgramError::Evaluate { error: RunError::Thrown(thrown), .. }) if thrown.is_unhandled_rejection => {
                Ok(())
            }
            Err(error) => Err(evaluation_failure(&error)),
        }
    }

    /// Compiles the test, and the modules that it imports.
    fn compile(&self, test: &Test) -> Result<Sources, Failure> {
        let source = if test.metadata.is_strict_script() {
            format!("\"use strict\"; {}", test.source)
        } else {
            test.source.clone()
        };
        let module = SourceModule { path: test.path.clone(), source, source_map: None };
        let options = Options::default();
        let unit = match test.metadata.has("module") {
            true => compile_module(&module, &options),
            false => compile_script(&module, &options),
        };
        let unit = unit.map_err(|error| compile_failure("parse", &error))?;
        let mut sources = Sources { units: vec![Arc::new(unit)], texts: vec![module.source] };
        let mut seen = HashSet::from([test.path.clone()]);
        let mut next = 0;
        while let Some(unit) = sources.units.get(next).cloned() {
            next += 1;
            self.add_imports(&unit, &mut seen, &mut sources)?;
        }
        Ok(sources)
    }

    fn add_imports(
        &self,
        importer: &CompiledUnit,
        seen: &mut HashSet<String>,
        sources: &mut Sources,
    ) -> Result<(), Failure> {
        let slots = importer.imports.iter().map(|slot| &slot.specifier);
        for specifier in importer.requests.iter().chain(slots) {
            let Some(path) = resolve_path(&importer.path, specifier) else { continue };
            if !seen.insert(path.clone()) {
                continue;
            }
            // A module that does not exist is the linker's to complain about, or makes `import()` reject.
            let Ok(source) = self.suite.read(&path) else { continue };
            let module = SourceModule { path, source, source_map: None };
            match compile_module(&module, &Options::default()) {
                Ok(unit) => {
                    sources.units.push(Arc::new(unit));
                    sources.texts.push(module.source);
                }
                Err(error) if importer.requests.contains(specifier) => {
                    return Err(compile_failure("resolution", &error));
                }
                Err(_) => {}
            }
        }
        Ok(())
    }
}

impl Failure {
    fn other(text: String) -> Self {
        Failure { phase: "", kind: String::new(), text }
    }
}

fn asynchronous(lines: &[String]) -> Outcome {
    if let Some(failure) = lines.iter().find_map(|line| line.strip_prefix(ASYNC_FAILURE)) {
        return Err(failure.to_owned());
    }
    match lines.iter().any(|line| line == ASYNC_COMPLETE) {
        true => Ok(()),
        false => Err("ended without calling $DONE".to_owned()),
    }
}

fn compile_failure(phase: &'static str, error: &CompileError) -> Failure {
    match error {
        CompileError::Syntax { message, .. } => {
            Failure { phase, kind: "SyntaxError".to_owned(), text: format!("SyntaxError: {message}") }
        }
        other => Failure::other(other.to_string()),
    }
}

fn link_failure(error: &LinkError) -> Failure {
    match error {
        LinkError::MissingExport { .. } | LinkError::AmbiguousExport { .. } => {
            Failure { phase: "resolution", kind: "SyntaxError".to_owned(), text: error.to_string() }
        }
        other => Failure::other(other.to_string()),
    }
}

fn evaluation_failure(error: &ProgramError) -> Failure {
    match error {
        ProgramError::Evaluate { error: RunError::Thrown(thrown), .. } => {
            // Errors of the harness have no `name`; their text begins with that of their constructor.
            let kind = match thrown.text.split_once(':') {
                Some((name, _)) if thrown.name.is_empty() => name,
                _ => &thrown.name,
            };
            let text = if thrown.text.is_empty() { thrown.name.clone() } else { thrown.text.clone() };
            Failure { phase: "runtime", kind: kind.to_owned(), text }
        }
        other => Failure::other(other.to_string()),
    }
}
