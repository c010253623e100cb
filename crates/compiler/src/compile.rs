//! Compiling one module, or all modules of an app at once.

use std::collections::BTreeSet;
use std::thread;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::SourceType;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::cache::{self, Cache};
use crate::codegen::{self, SourceInfo};
use crate::constant_eval::{self, Inlined};
use crate::error::CompileError;
use crate::function_text::{self, Inserted};
use crate::ir::{Export, Import};
use crate::lower::{self, Goal, Lowered};
use crate::position::LineIndex;
use crate::unit::{CompiledUnit, ImportSlot, SourceModule, UnitExport};
use crate::{analysis, block_functions};

/// Stack of a compiler thread in bytes: parser and lowering recurse with the nesting of the source.
const THREAD_STACK: usize = 256 << 20;

/// What a caller may choose. Nothing here changes the bytes of a unit.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most bytes of source a module may have.
    pub max_source_bytes: usize,
    /// Threads that compile at the same time; 0: as many as there are processors.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_source_bytes: 32 << 20, threads: 0 }
    }
}

/// What [`compile_all`] reports while it works, from any thread.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Path of a module that is finished.
    pub path: &'a str,
    /// Whether it came from the cache.
    pub cached: bool,
}

/// Compiles a module.
///
/// # Errors
/// [`CompileError`] if the source is no valid module. Functions that cannot be compiled are in the report instead.
pub fn compile_module(module: &SourceModule, options: &Options) -> Result<CompiledUnit, CompileError> {
    on_deep_stack(&module.path, || compile_here(module, options))
}

/// Compiles a script: its top-level `var`s and functions are properties of the global object, and it is sloppy unless it
/// says otherwise. What a script declares with `let`, `const` or `class` is its own; other scripts do not see it.
///
/// # Errors
/// As [`compile_module`].
pub fn compile_script(script: &SourceModule, options: &Options) -> Result<CompiledUnit, CompileError> {
    on_deep_stack(&script.path, || compile_source(script, Goal::Script, options))
}

/// Lowers a module without generating code, for tests and for looking at.
///
/// # Errors
/// As [`compile_module`].
pub fn lower_module(module: &SourceModule, options: &Options) -> Result<Lowered, CompileError> {
    on_deep_stack(&module.path, || {
        parse(module, Goal::Module, options, |program, scoping| lower::lower(program, scoping, Goal::Module))
    })
}

/// Compiles all modules of an app in parallel, in their order, then looks across them for Convex functions.
///
/// # Errors
/// The error of the first module, in the order given, that is no valid module.
pub fn compile_all(
    modules: &[SourceModule],
    options: &Options,
    cache: &dyn Cache,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<CompiledUnit>, CompileError> {
    let pool = ThreadPoolBuilder::new().num_threads(options.threads).stack_size(THREAD_STACK).build();
    let pool = pool.map_err(|error| CompileError::Code { path: String::new(), message: error.to_string() })?;
    let compiled: Vec<Result<CompiledUnit, CompileError>> = pool.install(|| {
        let compile = |module| {
            let (unit, cached) = compile_cached(module, options, cache)?;
            progress(Progress { path: &unit.path, cached });
            Ok(unit)
        };
        modules.par_iter().map(compile).collect()
    });
    let mut units = compiled.into_iter().collect::<Result<Vec<_>, _>>()?;
    analysis::find_convex_functions(&mut units);
    Ok(units)
}

fn compile_cached(
    module: &SourceModule,
    options: &Options,
    cache: &dyn Cache,
) -> Result<(CompiledUnit, bool), CompileError> {
    let key = cache::key(&module.source);
    if let Some(mut unit) = cache.get(&key).and_then(|bytes| CompiledUnit::from_bytes(&bytes)) {
        unit.path.clone_from(&module.path);
        return Ok((unit, true));
    }
    let unit = compile_here(module, options)?;
    cache.put(&key, &unit.to_bytes());
    Ok((unit, false))
}

fn compile_here(module: &SourceModule, options: &Options) -> Result<CompiledUnit, CompileError> {
    compile_source(module, Goal::Module, options)
}

fn compile_source(module: &SourceModule, goal: Goal, options: &Options) -> Result<CompiledUnit, CompileError> {
    parse(module, goal, options, |program, scoping| {
        let lowered = lower::lower(program, scoping, goal);
        let lines = LineIndex::new(&module.source);
        let report = analysis::report(program, scoping, &lowered.refusals, &lines);
        let definitions = analysis::definitions(program, &lowered.module.bindings);
        let emitted = codegen::emit(&lowered.module, &SourceInfo { text: &module.source });
        CompiledUnit {
            path: module.path.clone(),
            source_hash: hex::encode(Sha256::digest(module.source.as_bytes())),
            wasm: emitted.wasm,
            data_size: emitted.data_size,
            table_size: emitted.table_size,
            bindings_offset: emitted.bindings_offset,
            imports_offset: emitted.imports_offset,
            requests: lowered.module.requests,
            imports: lowered.module.imports.into_iter().map(import_slot).collect(),
            exports: lowered.module.exports.into_iter().map(unit_export).collect(),
            definitions,
            functions: emitted.functions,
            positions: emitted.positions,
            points: emitted.points,
            report,
        }
    })
}

fn import_slot(import: Import) -> ImportSlot {
    ImportSlot { specifier: import.specifier, name: import.name }
}

fn unit_export(export: Export) -> UnitExport {
    match export {
        Export::Local { name, binding } => UnitExport::Local { name, binding },
        Export::From { name, specifier, imported } => UnitExport::From { name, specifier, imported },
        Export::Star { specifier } => UnitExport::Star { specifier },
    }
}

/// Parses and checks a module, then hands it to `consume`.
fn parse<R>(
    module: &SourceModule,
    goal: Goal,
    options: &Options,
    consume: impl FnOnce(&Program<'_>, &Scoping) -> R,
) -> Result<R, CompileError> {
    let limit = options.max_source_bytes.min(u32::MAX as usize);
    if module.source.len() > limit {
        return Err(CompileError::TooLarge { path: module.path.clone(), size: module.source.len(), limit });
    }
    let source_type = match goal {
        Goal::Module => SourceType::mjs(),
        Goal::Script => SourceType::script(),
    };
    let allocator = Allocator::default();
    let parse_options =
        ParseOptions { preserve_parens: false, parse_regular_expression: true, ..ParseOptions::default() };
    // Texts given to `eval` that turned out to have early errors, and texts of functions that use the module's own names.
    let (mut wrong, mut entangled) = (BTreeSet::new(), BTreeSet::new());
    loop {
        let parsed = Parser::new(&allocator, &module.source, source_type).with_options(parse_options).parse();
        check(module, parsed.diagnostics.iter())?;
        let program = allocator.alloc(parsed.program);
        let mut inlined = Inlined::default();
        if module.source.contains("eval") {
            inlined = constant_eval::inline(&allocator, program, &wrong);
        }
        let mut inserted = Inserted::default();
        if module.source.contains("Function") {
            let texts = function_text::foresee(&allocator, program);
            inserted = function_text::insert(&allocator, program, &texts - &entangled);
        }
        let semantic = SemanticBuilder::new_compiler().build(program);
        let labels = semantic.diagnostics.iter().flat_map(|diagnostic| diagnostic.labels.iter());
        let found: Vec<usize> = labels.filter_map(|label| inlined.text_at(label.offset())).collect();
        let known = wrong.len();
        wrong.extend(found);
        if wrong.len() > known {
            continue;
        }
        let is_own =
            |diagnostic: &&OxcDiagnostic| !diagnostic.labels.iter().any(|label| inserted.contains(label.offset()));
        check(module, semantic.diagnostics.iter().filter(is_own))?;
        let mut scoping = semantic.semantic.into_scoping();
        let known = entangled.len();
        entangled.extend(inserted.entangled(program, &scoping));
        if entangled.len() > known {
            continue;
        }
        if goal == Goal::Script {
            break;
        }
        inserted.restore_strictness(program, &mut scoping);
        return Ok(consume(program, &scoping));
    }
    // A script without errors is parsed once more, to be changed.
    let parsed = Parser::new(&allocator, &module.source, source_type).with_options(parse_options).parse();
    let program = allocator.alloc(parsed.program);
    constant_eval::inline(&allocator, program, &wrong);
    block_functions::rewrite(&allocator, program);
    let texts = function_text::foresee(&allocator, program);
    let inserted = function_text::insert(&allocator, program, &texts - &entangled);
    let mut scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    inserted.restore_strictness(program, &mut scoping);
    Ok(consume(program, &scoping))
}

fn check<'d>(
    module: &SourceModule,
    mut diagnostics: impl Iterator<Item = &'d OxcDiagnostic>,
) -> Result<(), CompileError> {
    let Some(first) = diagnostics.next() else { return Ok(()) };
    // A redeclaration has the earlier declaration as its first label; engines point at the later one.
    let label = match first.message.ends_with("has already been declared") {
        true => first.labels.iter().last(),
        false => first.labels.iter().next(),
    };
    let (line, column) = LineIndex::new(&module.source).locate(label.map_or(0, |label| label.offset()));
    let message = first.message.replace('`', "'");
    Err(CompileError::Syntax { path: module.path.clone(), line, column, message })
}

fn on_deep_stack<R: Send>(
    path: &str,
    work: impl FnOnce() -> Result<R, CompileError> + Send,
) -> Result<R, CompileError> {
    let failed = |message: String| CompileError::Code { path: path.to_owned(), message };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(THREAD_STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| failed(error.to_string()))?;
        thread.join().unwrap_or_else(|_| Err(failed("the compiler failed on this module; please report it".to_owned())))
    })
}
