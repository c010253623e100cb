//! Lowering: from the syntax tree of an ES module to the control-flow graphs of its functions.
//!
//! - [`collect`], [`facts`]: what must be known of the whole module before: captured variables, environments, known
//!   functions
//! - [`module`]: imports, exports, module-level bindings
//! - [`function`]: entry of a function: parameters, hoisting, what arrow functions capture
//! - [`variables`]: reading and writing variables wherever they live
//! - [`with`], [`eval_variables`]: names that may be properties of an object
//! - [`statements`], [`loops`], [`control`]: statements; `break`, `continue`, `return` through `finally`
//! - [`disposal`]: resources of `using`
//! - [`expressions`], [`assignments`], [`patterns`], [`calls`], [`literals`], [`classes`], [`suspend`],
//!   [`dynamic_imports`]: expressions
//! - [`builder`]: the graph under construction

mod assignments;
mod builder;
mod calls;
mod classes;
mod collect;
mod control;
mod disposal;
mod dynamic_imports;
mod eval_variables;
mod expressions;
mod facts;
mod function;
mod literals;
mod loops;
mod module;
mod patterns;
mod statements;
mod suspend;
mod text;
mod variables;
mod with;

use std::collections::HashMap;

use oxc_ast::ast::Program;
use oxc_semantic::Scoping;
use oxc_syntax::symbol::SymbolId;

use crate::ir::{self, Constant, ConstantValue, FunctionId};
use facts::{EnvSlot, Facts};

/// A lowered module and what of it could not be lowered.
#[derive(Debug)]
pub struct Lowered {
    /// The module; refused functions are marked.
    pub module: ir::Module,
    /// Functions that were refused, in the order of their numbers.
    pub refusals: Vec<RefusedFunction>,
}

/// A function that cannot be compiled.
#[derive(Debug)]
pub struct RefusedFunction {
    /// Its name, "" if anonymous.
    pub name: String,
    /// Why, a sentence.
    pub reason: String,
    /// Byte offset of the construct.
    pub position: u32,
}

/// The symbol of the grammar that a source is to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// An ES module.
    Module,
    /// A script, whose variables and functions are global.
    Script,
}

/// Lowers a module that parsed and passed the semantic checks.
pub fn lower(program: &Program<'_>, scoping: &Scoping, goal: Goal) -> Lowered {
    let facts = collect::collect(program, scoping, goal);
    let mut lowerer = ModuleLowerer::new(scoping, &facts, program, goal);
    lowerer.declare_bindings();
    lowerer.declare_module(program);
    lowerer.lower_body(program);
    lowerer.finish()
}

/// Why a function cannot be compiled, and where.
#[derive(Debug)]
struct Refusal {
    reason: String,
    position: u32,
}

impl Refusal {
    fn new(reason: impl Into<String>, position: u32) -> Refusal {
        Refusal { reason: reason.into(), position }
    }
}

type Result<T, E = Refusal> = std::result::Result<T, E>;

/// State shared by all functions of a module.
/// A private name of a class.
#[derive(Clone, Copy)]
struct PrivateName {
    /// The name at the first evaluation of the class.
    first: Constant,
    /// Where the name of this evaluation is, if there may be more than one.
    slot: Option<EnvSlot>,
}

struct ModuleLowerer<'m> {
    scoping: &'m Scoping,
    facts: &'m Facts,
    source: &'m str,
    /// Length of the module's own source, behind which the texts given to `eval` follow.
    source_end: u32,
    goal: Goal,
    module: ir::Module,
    constants: HashMap<ConstantValue, Constant>,
    functions: Vec<Option<ir::Function>>,
    refusals: Vec<(FunctionId, RefusedFunction)>,
    /// Index of the binding of each module-level variable.
    bindings: HashMap<SymbolId, u32>,
    /// Import slot of each imported name.
    imports: HashMap<SymbolId, u32>,
    /// Names of a script's variables and functions, which are properties of the global object.
    globals: HashMap<SymbolId, Constant>,
    /// Binding of an anonymous default export.
    default_binding: Option<u32>,
    /// For derived constructors: the position from which on `super()` was certainly called.
    this_bound_at: HashMap<FunctionId, u32>,
    /// For constructors of classes with instance state: the initialiser and where the class keeps it.
    initializers: HashMap<FunctionId, (FunctionId, facts::EnvSlot)>,
    /// Names of the classes being lowered: constant inside.
    class_names: Vec<SymbolId>,
    /// Private names in scope, innermost class last.
    private_names: Vec<HashMap<String, PrivateName>>,
}

impl<'m> ModuleLowerer<'m> {
    fn new(scoping: &'m Scoping, facts: &'m Facts, program: &Program<'m>, goal: Goal) -> ModuleLowerer<'m> {
        ModuleLowerer {
            scoping,
            facts,
            source: program.source_text,
            source_end: program.span.end,
            goal,
            module: ir::Module::default(),
            constants: HashMap::new(),
            functions: facts.functions.iter().map(|_| None).collect(),
            refusals: Vec::new(),
            bindings: HashMap::new(),
            imports: HashMap::new(),
            globals: HashMap::new(),
            default_binding: None,
            this_bound_at: HashMap::new(),
            initializers: HashMap::new(),
            class_names: Vec::new(),
            private_names: Vec::new(),
        }
    }

    /// A constant, the same for the same value.
    fn constant(&mut self, value: ConstantValue) -> Constant {
        if let Some(&constant) = self.constants.get(&value) {
            return constant;
        }
        let constant = self.fresh_constant(value.clone());
        self.constants.insert(value, constant);
        constant
    }

    /// A constant of its own, for values with identity.
    fn fresh_constant(&mut self, value: ConstantValue) -> Constant {
        self.module.constants.push(value);
        Constant(self.module.constants.len() as u32 - 1)
    }

    fn string(&mut self, text: &str) -> Constant {
        self.constant(ConstantValue::String(text.encode_utf16().collect()))
    }

    /// Where a token stands that comes next behind a position (nothing but blanks, comments and brackets between).
    fn position_of(&self, from: u32, token: &str) -> u32 {
        let rest = self.source.get(from as usize..).unwrap_or_default();
        from + rest.find(token).unwrap_or_default() as u32
    }

    fn private_name(&self, name: &str) -> Option<PrivateName> {
        self.private_names.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    fn finish(mut self) -> Lowered {
        let unreached = function::unreached;
        self.module.functions = self.functions.into_iter().map(|function| function.unwrap_or_else(unreached)).collect();
        for function in &mut self.module.functions {
            // What came from a text given to `eval` or `Function` has no place in the module's source.
            function.source = Some(function.source).filter(|source| source.1 <= self.source_end).unwrap_or_default();
        }
        self.refusals.sort_by_key(|(id, _)| *id);
        let refusals = self.refusals.into_iter().map(|(_, refused)| refused).collect();
        Lowered { module: self.module, refusals }
    }
}
