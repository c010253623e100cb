//! `with` statements: names in their bodies may be properties of an object, which only run time can tell.
//!
//! The object lives in the environment of the statement's scope. A name is looked for in the objects of all `with`
//! statements between it and its declaration, innermost first, and is the declared variable if none has it.

use convex_wasm_abi::value;
use oxc_ast::ast::*;
use oxc_semantic::{ScopeFlags, Scoping, SymbolFlags};
use oxc_syntax::reference::ReferenceId;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use super::Result;
use super::facts::{EnvKey, EnvSlot, Facts};
use super::function::FunctionLowerer;
use crate::ir::{Binary, Constant, Op, Reg, Terminator, Unary};

/// Where names are looked for before their declaration, innermost first: objects of `with` statements, and of functions
/// whose variables a text given to `eval` creates.
pub(super) fn objects_before(scoping: &Scoping, facts: &Facts, reference: ReferenceId, name: &str) -> Vec<EnvSlot> {
    let reference = scoping.get_reference(reference);
    let declared_in = reference.symbol_id().map(|symbol| scoping.symbol_scope_id(symbol));
    let is_arguments = declared_in.is_none() && name == "arguments";
    let ends = |scope: &ScopeId| {
        let flags = scoping.scope_flags(*scope);
        let has_arguments = flags.contains(ScopeFlags::Function) && !flags.contains(ScopeFlags::Arrow);
        declared_in == Some(*scope) || (is_arguments && has_arguments)
    };
    let inside = scoping.scope_ancestors(reference.scope_id()).take_while(|scope| !ends(scope));
    inside.filter_map(|scope| facts.object_scopes.get(&scope).copied()).collect()
}

impl FunctionLowerer<'_, '_> {
    pub(super) fn with_statement(&mut self, statement: &WithStatement<'_>) -> Result<()> {
        let object = self.expression(&statement.object)?;
        let object = self.builder.emit(Op::Unary(Unary::ToObject, object));
        let Some(scope) = statement.scope_id.get() else { return Ok(()) };
        let Some(&slot) = self.module.facts.object_scopes.get(&scope) else { return Ok(()) };
        self.enter_env(slot.env);
        self.store_slot(slot, object);
        let lowered = self.statement(&statement.body);
        self.leave_env(slot.env);
        lowered
    }

    /// Looks for a name in the objects around it. The register holds the object that has it, or EMPTY for the declared
    /// variable; `None` if no `with` statement is between it and its declaration.
    pub(super) fn find_in_objects(&mut self, identifier: &IdentifierReference<'_>) -> Option<Reg> {
        let objects = self.objects_before(identifier);
        self.builder.position = identifier.span.start;
        self.find_in(&objects, &identifier.name)
    }

    fn objects_before(&self, identifier: &IdentifierReference<'_>) -> Vec<EnvSlot> {
        let facts = self.module.facts;
        match identifier.reference_id.get() {
            Some(reference) if !facts.object_scopes.is_empty() => {
                objects_before(self.module.scoping, facts, reference, &identifier.name)
            }
            _ => Vec::new(),
        }
    }

    /// [`Self::find_in_objects`] for a `var` that is given a value where it is declared.
    pub(super) fn find_variable_in_objects(&mut self, symbol: SymbolId) -> Option<Reg> {
        let (scoping, facts) = (self.module.scoping, self.module.facts);
        if facts.object_scopes.is_empty() || !scoping.symbol_flags(symbol).contains(SymbolFlags::FunctionScopedVariable)
        {
            return None;
        }
        let with = |key: &EnvKey| match key {
            EnvKey::Scope(scope) if scoping.scope_flags(*scope).contains(ScopeFlags::With) => {
                facts.object_scopes.get(scope).copied()
            }
            _ => None,
        };
        let objects: Vec<EnvSlot> = self.active.iter().rev().filter_map(|(key, _)| with(key)).collect();
        self.find_in(&objects, scoping.symbol_name(symbol))
    }

    fn find_in(&mut self, objects: &[EnvSlot], name: &str) -> Option<Reg> {
        if objects.is_empty() {
            return None;
        }
        let name = self.module.string(name);
        let found = self.result_register();
        let end = self.builder.new_block();
        for &slot in objects {
            let object = self.load_slot(slot);
            self.builder.emit_into(found, Op::Copy(object));
            let has = self.builder.emit(Op::ScopeHas(object, name));
            let next = self.builder.new_block();
            self.builder.terminate(Terminator::Branch { condition: has, then: end, otherwise: next });
            self.builder.switch_to(next);
        }
        self.builder.emit_into(found, Op::Special(value::EMPTY));
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

    /// `this` of a call of a name that was looked for: the object of a `with` statement.
    pub(super) fn receiver_of_found(&mut self, identifier: &IdentifierReference<'_>, found: Reg) -> Reg {
        let (facts, scoping) = (self.module.facts, self.module.scoping);
        let this = self.result_register();
        self.builder.emit_into(this, Op::Special(value::UNDEFINED));
        for slot in self.objects_before(identifier) {
            let is_with = |scope: &ScopeId| scoping.scope_flags(*scope).contains(ScopeFlags::With);
            let with = facts.object_scopes.iter().any(|(scope, of)| of.env == slot.env && is_with(scope));
            if !with {
                continue;
            }
            let (same, next) = (self.builder.new_block(), self.builder.new_block());
            let object = self.load_slot(slot);
            let is_same = self.builder.emit(Op::Binary(Binary::StrictEqual, found, object));
            self.builder.branch(is_same, same, next);
            self.builder.emit_into(this, Op::Copy(found));
            self.builder.fall_into(next);
        }
        this
    }
}
