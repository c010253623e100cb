//! Variables that sloppy texts given to `eval` create in the function around them (ECMA-262 19.2.1.3).
//!
//! Those that the function declares itself are just assigned. Others are properties of an object of the function, or of
//! the global object, so they can be deleted; names are looked for there before what is declared further outside.

use convex_wasm_abi::value;
use oxc_ast::ast::*;
use oxc_semantic::{Scoping, SymbolFlags};
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use super::Result;
use super::facts::{EnvKey, Facts, is_lexical};
use super::function::FunctionLowerer;
use crate::constant_eval::DECLARE;
use crate::ir::{Arguments, Binary, FunctionId, Op, Reg, Terminator};

/// Where a text creates a variable.
pub(super) enum Target {
    /// A variable of the same name is in the way.
    Conflict,
    /// The function, or the script, has it already.
    Declared(SymbolId),
    /// A property of the function's object.
    Object(ScopeId),
    /// A property of the global object.
    Global,
}

/// Where a text, which is the arrow function `text`, creates a variable.
pub(super) fn target(facts: &Facts, scoping: &Scoping, text: FunctionId, name: &str) -> Target {
    let function = facts.variable_scope(text);
    let scope_of = |function: FunctionId| match facts.function(function).env {
        EnvKey::Scope(scope) => scope,
        EnvKey::Initializer(_) => scoping.root_scope_id(),
    };
    let end = scope_of(function);
    for scope in scoping.scope_ancestors(scope_of(text)).skip(1) {
        let binding = scoping.iter_bindings_in(scope).find(|&symbol| scoping.symbol_name(symbol) == name);
        let flags = binding.map(|symbol| scoping.symbol_flags(symbol));
        if flags.is_some_and(is_lexical) {
            return Target::Conflict;
        }
        if scope == end {
            return match (binding, function) {
                (Some(symbol), _) if !flags.is_some_and(|flags| flags.contains(SymbolFlags::FunctionExpression)) => {
                    Target::Declared(symbol)
                }
                (_, FunctionId(0)) => Target::Global,
                _ => Target::Object(scope),
            };
        }
    }
    Target::Global
}

/// The name that a call of `$declare` creates; `None` for the call that begins each text.
pub(super) fn declared_name<'b>(call: &'b CallExpression<'_>) -> Option<&'b str> {
    match call.arguments.first().and_then(Argument::as_expression) {
        Some(Expression::StringLiteral(name)) => Some(name.value.as_str()),
        _ => None,
    }
}

impl FunctionLowerer<'_, '_> {
    pub(super) fn is_eval_declaration(&self, call: &CallExpression<'_>) -> bool {
        call.callee.is_specific_id(DECLARE) && self.module.facts.eval_texts.contains(&self.id)
    }

    /// Creates a variable, undefined or a function.
    pub(super) fn eval_declaration(&mut self, call: &CallExpression<'_>) -> Result<Reg> {
        let Some(name) = declared_name(call) else { return Ok(self.builder.undefined()) };
        let function = match call.arguments.get(1).and_then(Argument::as_expression) {
            Some(function) => Some(self.named(function, name)?),
            None => None,
        };
        match target(self.module.facts, self.module.scoping, self.id, name) {
            Target::Conflict => self.throw_redeclaration(name),
            Target::Declared(symbol) if self.module.globals.contains_key(&symbol) => {
                self.create_global(name, function);
            }
            Target::Declared(symbol) => {
                if let Some(function) = function {
                    self.initialize_symbol(symbol, function, false);
                }
            }
            Target::Object(scope) => self.create_property(scope, name, function),
            Target::Global => self.create_global(name, function),
        }
        Ok(self.builder.undefined())
    }

    fn create_global(&mut self, name: &str, function: Option<Reg>) {
        let name = self.module.string(name);
        self.builder.perform(Op::DeclareEvalGlobal(name, function));
    }

    fn create_property(&mut self, scope: ScopeId, name: &str, function: Option<Reg>) {
        let Some(&slot) = self.module.facts.object_scopes.get(&scope) else { return };
        let object = self.load_slot(slot);
        let key = self.module.string(name);
        if let Some(function) = function {
            self.builder.perform(Op::Set(object, key, function));
            return;
        }
        let (create, exists) = (self.builder.new_block(), self.builder.new_block());
        let text = self.builder.emit(Op::Constant(key));
        let has = self.builder.emit(Op::Binary(Binary::In, text, object));
        self.builder.terminate(Terminator::Branch { condition: has, then: exists, otherwise: create });
        self.builder.switch_to(create);
        let undefined = self.builder.undefined();
        self.builder.perform(Op::Set(object, key, undefined));
        self.builder.fall_into(exists);
    }

    fn throw_redeclaration(&mut self, name: &str) {
        let constructor = self.module.string("SyntaxError");
        let callee = self.builder.emit(Op::LoadGlobal(constructor));
        let message = self.string_value(&format!("Identifier '{name}' has already been declared"));
        let arguments = Arguments::List(vec![message]);
        let error = self.builder.emit(Op::Construct { callee, arguments, name: None });
        self.builder.terminate(Terminator::Throw(error));
    }

    /// At a function's beginning: the object for what texts will create, if some may.
    pub(super) fn create_eval_variables(&mut self, env: EnvKey) {
        let EnvKey::Scope(scope) = env else { return };
        let Some(&slot) = self.module.facts.object_scopes.get(&scope) else { return };
        let object = self.builder.emit(Op::NewObject(Vec::new()));
        let null = self.special(value::NULL);
        self.builder.perform(Op::SetLiteralPrototype(object, null));
        self.store_slot(slot, object);
    }
}
