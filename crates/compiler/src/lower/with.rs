//! `with` statements: names in their bodies may be properties of an object, which only run time can tell.
//!
//! The object lives in the environment of the statement's scope. A name is looked for in the objects of all `with`
//! statements between it and its declaration, innermost first, and is the declared variable if none has it.

use oxc_ast::ast::*;
use oxc_semantic::{ScopeFlags, Scoping, SymbolFlags};
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use super::Result;
use super::facts::{EnvKey, EnvSlot};
use super::function::FunctionLowerer;
use crate::ir::{Constant, Op, Reg, Terminator, Unary};

/// Slot of the object in the environment of a `with` statement.
pub(super) const OBJECT: u32 = 0;

/// Scopes of the `with` statements between a name and its declaration, innermost first.
pub(super) fn scopes_before(scoping: &Scoping, identifier: &IdentifierReference<'_>) -> Vec<ScopeId> {
    let Some(reference) = identifier.reference_id.get().map(|id| scoping.get_reference(id)) else { return Vec::new() };
    let declared_in = reference.symbol_id().map(|symbol| scoping.symbol_scope_id(symbol));
    let is_arguments = declared_in.is_none() && identifier.name == "arguments";
    let ends = |scope: &ScopeId| {
        let flags = scoping.scope_flags(*scope);
        let has_arguments = flags.contains(ScopeFlags::Function) && !flags.contains(ScopeFlags::Arrow);
        declared_in == Some(*scope) || (is_arguments && has_arguments)
    };
    let inside = scoping.scope_ancestors(reference.scope_id()).take_while(|scope| !ends(scope));
    inside.filter(|scope| scoping.scope_flags(*scope).contains(ScopeFlags::With)).collect()
}

impl FunctionLowerer<'_, '_> {
    pub(super) fn with_statement(&mut self, statement: &WithStatement<'_>) -> Result<()> {
        let object = self.expression(&statement.object)?;
        let object = self.builder.emit(Op::Unary(Unary::ToObject, object));
        let Some(scope) = statement.scope_id.get() else { return Ok(()) };
        let env = EnvKey::Scope(scope);
        self.enter_env(env);
        self.store_slot(EnvSlot { env, slot: OBJECT }, object);
        let lowered = self.statement(&statement.body);
        self.leave_env(env);
        lowered
    }

    /// Looks for a name in the objects around it. The register holds the object that has it, or EMPTY for the declared
    /// variable; `None` if no `with` statement is between it and its declaration.
    pub(super) fn find_in_objects(&mut self, identifier: &IdentifierReference<'_>) -> Option<Reg> {
        if !self.module.facts.has_with {
            return None;
        }
        let scopes = scopes_before(self.module.scoping, identifier);
        self.builder.position = identifier.span.start;
        self.find_in(&scopes, &identifier.name)
    }

    /// [`Self::find_in_objects`] for a `var` that is given a value where it is declared.
    pub(super) fn find_variable_in_objects(&mut self, symbol: SymbolId) -> Option<Reg> {
        let scoping = self.module.scoping;
        if !self.module.facts.has_with || !scoping.symbol_flags(symbol).contains(SymbolFlags::FunctionScopedVariable) {
            return None;
        }
        let is_with = |scope: &ScopeId| scoping.scope_flags(*scope).contains(ScopeFlags::With);
        let scopes: Vec<ScopeId> = self
            .active
            .iter()
            .rev()
            .filter_map(|(key, _)| match key {
                EnvKey::Scope(scope) => Some(*scope).filter(is_with),
                EnvKey::Initializer(_) => None,
            })
            .collect();
        self.find_in(&scopes, scoping.symbol_name(symbol))
    }

    fn find_in(&mut self, scopes: &[ScopeId], name: &str) -> Option<Reg> {
        if scopes.is_empty() {
            return None;
        }
        let name = self.module.string(name);
        let found = self.result_register();
        let end = self.builder.new_block();
        for &scope in scopes {
            let object = self.load_slot(EnvSlot { env: EnvKey::Scope(scope), slot: OBJECT });
            self.builder.emit_into(found, Op::Copy(object));
            let has = self.builder.emit(Op::ScopeHas(object, name));
            let next = self.builder.new_block();
            self.builder.terminate(Terminator::Branch { condition: has, then: end, otherwise: next });
            self.builder.switch_to(next);
        }
        self.builder.emit_into(found, Op::Special(convex_wasm_abi::value::EMPTY));
        self.builder.fall_into(end);
        Some(found)
    }

    /// Goes one way for a name that an object has, another for the declared variable. Both answer a value.
    fn found_or_declared(
        &mut self,
        found: Reg,
        property: impl FnOnce(&mut Self) -> Result<Reg>,
        variable: impl FnOnce(&mut Self) -> Result<Reg>,
    ) -> Result<Reg> {
        let result = self.result_register();
        let (declared, has, end) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        let is_declared = self.builder.emit(Op::IsEmpty(found));
        self.builder.branch(is_declared, declared, has);
        let value = variable(self)?;
        self.builder.emit_into(result, Op::Copy(value));
        self.builder.jump(end);
        self.builder.switch_to(has);
        let value = property(self)?;
        self.builder.emit_into(result, Op::Copy(value));
        self.builder.fall_into(end);
        Ok(result)
    }

    fn name_of(&mut self, identifier: &IdentifierReference<'_>) -> Constant {
        self.module.string(&identifier.name)
    }

    /// Reads a name that was looked for; `variable` reads the declared one.
    pub(super) fn read_found(
        &mut self,
        identifier: &IdentifierReference<'_>,
        found: Reg,
        variable: impl FnOnce(&mut Self) -> Result<Reg>,
    ) -> Result<Reg> {
        let name = self.name_of(identifier);
        self.found_or_declared(found, |this| Ok(this.builder.emit(Op::ScopeGet(found, name))), variable)
    }

    /// Assigns to a name that was looked for.
    pub(super) fn write_found(&mut self, identifier: &IdentifierReference<'_>, found: Reg, value: Reg) -> Result<Reg> {
        let name = self.name_of(identifier);
        let property = |this: &mut Self| {
            this.builder.perform(Op::ScopeSet(found, name, value));
            Ok(value)
        };
        self.found_or_declared(found, property, |this| Ok(this.assign_identifier(identifier, value, false)))
    }

    /// Gives a `var` that was looked for the value of its declaration.
    pub(super) fn initialize_found(&mut self, symbol: SymbolId, found: Reg, value: Reg) -> Result<()> {
        let name = self.module.string(self.module.scoping.symbol_name(symbol));
        let property = |this: &mut Self| {
            this.builder.perform(Op::ScopeSet(found, name, value));
            Ok(value)
        };
        let variable = |this: &mut Self| {
            this.initialize_symbol(symbol, value, false);
            Ok(value)
        };
        self.found_or_declared(found, property, variable)?;
        Ok(())
    }

    /// `delete` of a name that was looked for.
    pub(super) fn delete_found(
        &mut self,
        identifier: &IdentifierReference<'_>,
        found: Reg,
        variable: impl FnOnce(&mut Self) -> Result<Reg>,
    ) -> Result<Reg> {
        let property = |this: &mut Self| {
            let key = this.string_value(&identifier.name);
            Ok(this.builder.emit(Op::Delete(found, key)))
        };
        self.found_or_declared(found, property, variable)
    }

    /// `this` of a call of a name that was looked for.
    pub(super) fn receiver_of_found(&mut self, found: Reg) -> Result<Reg> {
        self.found_or_declared(found, |_| Ok(found), |this| Ok(this.builder.undefined()))
    }
}
