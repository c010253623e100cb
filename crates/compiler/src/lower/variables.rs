//! Variables, wherever they live: registers, environments, module bindings, imports, the global object.

use convex_wasm_abi::layout::env;
use oxc_ast::ast::*;
use oxc_semantic::SymbolFlags;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use super::facts::{EnvKey, EnvSlot, Implicit, is_constant};
use super::function::FunctionLowerer;
use super::{Goal, Refusal, Result};
use crate::ir::{Constant, ConstantValue, FunctionId, FunctionKind, Op, Reg};

/// Where a variable is.
#[derive(Clone, Copy)]
enum Place {
    Register(Reg),
    Slot(EnvSlot),
    Binding(u32),
    Import(u32),
    Global(Constant),
}

/// Globals whose mere use means that the function needs an engine with them.
const UNSUPPORTED_GLOBALS: &[&str] = &["WebAssembly", "SharedArrayBuffer", "Atomics"];

const UNBOUND_THIS: &str =
    "Must call super constructor in derived class before accessing 'this' or returning from derived constructor";

impl FunctionLowerer<'_, '_> {
    fn place(&mut self, symbol: SymbolId) -> Place {
        if let Some(&binding) = self.module.bindings.get(&symbol) {
            return Place::Binding(binding);
        }
        if let Some(&slot) = self.module.imports.get(&symbol) {
            return Place::Import(slot);
        }
        if let Some(&name) = self.module.globals.get(&symbol) {
            return Place::Global(name);
        }
        match self.module.facts.symbol_slot(symbol) {
            Some(slot) => Place::Slot(slot),
            None => Place::Register(self.local(symbol)),
        }
    }

    /// The register of a variable that no closure captures.
    fn local(&mut self, symbol: SymbolId) -> Reg {
        if let Some(&register) = self.locals.get(&symbol) {
            return register;
        }
        let register = self.result_register();
        self.locals.insert(symbol, register);
        let scoping = self.module.scoping;
        if scoping.symbol_is_mutated(symbol) || !scoping.symbol_redeclarations(symbol).is_empty() {
            self.mutable.insert(register);
        }
        register
    }

    /// A register that is defined in more than one place.
    pub(super) fn result_register(&mut self) -> Reg {
        let register = self.builder.new_register();
        self.variables.insert(register);
        register
    }

    pub(super) fn symbol_of(&self, identifier: &IdentifierReference<'_>) -> Option<SymbolId> {
        identifier.reference_id.get().and_then(|id| self.module.scoping.get_reference(id).symbol_id())
    }

    pub(super) fn read_identifier(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        match self.find_in_objects(identifier) {
            Some(found) => self.read_found(identifier, found, |this| this.read_declared(identifier)),
            None => self.read_declared(identifier),
        }
    }

    /// Reads the declared variable or the global of a name.
    pub(super) fn read_declared(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        self.builder.position = identifier.span.start;
        match self.symbol_of(identifier) {
            Some(symbol) => Ok(self.read_symbol(symbol, identifier.span.start)),
            None => self.read_global(identifier),
        }
    }

    pub(super) fn read_symbol(&mut self, symbol: SymbolId, position: u32) -> Reg {
        let place = self.place(symbol);
        let value = self.load(place);
        let needs_check = match place {
            Place::Import(slot) => self.module.module.imports[slot as usize].name.is_some(),
            _ => self.may_be_uninitialized(symbol, position),
        };
        if needs_check {
            self.check_initialized(symbol, value);
        }
        value
    }

    fn may_be_uninitialized(&self, symbol: SymbolId, position: u32) -> bool {
        let facts = self.module.facts;
        facts.has_dead_zone(symbol) && !facts.is_initialized(symbol, self.id, position)
    }

    fn load(&mut self, place: Place) -> Reg {
        match place {
            Place::Register(register) => register,
            Place::Slot(slot) => self.load_slot(slot),
            Place::Binding(binding) => self.builder.emit(Op::LoadBinding(binding)),
            Place::Import(slot) => self.builder.emit(Op::LoadImport(slot)),
            Place::Global(name) => self.builder.emit(Op::LoadGlobal(name)),
        }
    }

    fn check_initialized(&mut self, symbol: SymbolId, value: Reg) {
        let name = self.module.string(self.module.scoping.symbol_name(symbol));
        self.builder.perform(Op::CheckInitialized { value, name });
    }

    fn read_global(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        let name = identifier.name.as_str();
        if name == "arguments" && self.module.facts.receiver(self.id) != FunctionId(0) {
            return Ok(self.read_implicit(Implicit::Arguments));
        }
        if name == "undefined" {
            return Ok(self.builder.undefined());
        }
        if UNSUPPORTED_GLOBALS.contains(&name) && !self.module.facts.probed_globals.contains(name) {
            return Err(Refusal::new(format!("it uses {name}"), identifier.span.start));
        }
        let key = self.module.string(name);
        Ok(self.builder.emit(Op::LoadGlobal(key)))
    }

    pub(super) fn global_object(&mut self) -> Reg {
        let name = self.module.string("globalThis");
        self.builder.emit(Op::LoadGlobal(name))
    }

    /// Whether a name stands for a variable that is no property of the global object.
    pub(super) fn is_local(&self, identifier: &IdentifierReference<'_>) -> bool {
        match self.symbol_of(identifier) {
            Some(symbol) => !self.module.globals.contains_key(&symbol),
            None => identifier.name == "arguments" && self.module.facts.receiver(self.id) != FunctionId(0),
        }
    }

    /// `typeof x`, where an undeclared `x` is no error.
    pub(super) fn read_for_typeof(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        match self.find_in_objects(identifier) {
            Some(found) => self.read_found(identifier, found, |this| this.read_declared_for_typeof(identifier)),
            None => self.read_declared_for_typeof(identifier),
        }
    }

    fn read_declared_for_typeof(&mut self, identifier: &IdentifierReference<'_>) -> Result<Reg> {
        if self.symbol_of(identifier).is_some() || identifier.name == "arguments" || identifier.name == "undefined" {
            return self.read_declared(identifier);
        }
        let key = self.module.string(&identifier.name);
        Ok(self.builder.emit(Op::LoadGlobalOrUndefined(key)))
    }

    /// Assigns to a declared or undeclared name. Answers the register that now holds the value.
    pub(super) fn assign_identifier(
        &mut self,
        identifier: &IdentifierReference<'_>,
        value: Reg,
        is_temporary: bool,
    ) -> Reg {
        let Some(symbol) = self.symbol_of(identifier) else {
            let key = self.module.string(&identifier.name);
            self.builder.perform(Op::StoreGlobal(key, value));
            return value;
        };
        let flags = self.module.scoping.symbol_flags(symbol);
        let place = self.place(symbol);
        if let Place::Import(_) = place {
            let name = self.module.string(&identifier.name);
            self.builder.perform(Op::ThrowImportAssign(name));
            return value;
        }
        if self.may_be_uninitialized(symbol, identifier.span.start) {
            let old = self.load(place);
            self.check_initialized(symbol, old);
        }
        // Sloppy code may assign to the name of the function expression that it is in; nothing happens.
        if flags.contains(SymbolFlags::FunctionExpression) && !self.module.facts.function(self.id).strict {
            return value;
        }
        if is_constant(flags)
            || flags.contains(SymbolFlags::FunctionExpression)
            || self.module.class_names.contains(&symbol)
        {
            self.builder.perform(Op::ThrowConstAssign);
            return value;
        }
        self.store(place, value, is_temporary)
    }

    /// First store of a declaration.
    pub(super) fn initialize_symbol(&mut self, symbol: SymbolId, value: Reg, is_temporary: bool) {
        let place = self.place(symbol);
        self.store(place, value, is_temporary);
    }

    /// Store of a declared function at the beginning of its scope.
    pub(super) fn initialize_function(&mut self, symbol: SymbolId, closure: Reg) {
        match self.place(symbol) {
            Place::Global(name) => self.builder.perform(Op::DeclareGlobal(name, Some(closure))),
            place => {
                self.store(place, closure, true);
            }
        }
    }

    fn store(&mut self, place: Place, value: Reg, is_temporary: bool) -> Reg {
        match place {
            Place::Register(register) => {
                self.builder.assign(register, value, is_temporary);
                return register;
            }
            Place::Slot(slot) => self.store_slot(slot, value),
            Place::Binding(binding) => self.builder.perform(Op::StoreBinding(binding, value)),
            Place::Global(name) => self.builder.perform(Op::StoreGlobal(name, value)),
            Place::Import(_) => {}
        }
        value
    }

    /// At the beginning of a scope: a variable in a register that may be used too early is marked as uninitialised.
    pub(super) fn declare_lexical(&mut self, symbol: SymbolId) {
        let facts = self.module.facts;
        if facts.is_checked(symbol) && facts.symbol_slot(symbol).is_none() {
            if self.module.bindings.contains_key(&symbol) {
                return;
            }
            let register = self.local(symbol);
            self.builder.emit_into(register, Op::Special(convex_wasm_abi::value::EMPTY));
        }
    }

    /// Creates the environment of a scope if it has one; it stays in scope until [`Self::leave_env`].
    pub(super) fn enter_env(&mut self, key: EnvKey) {
        let slots = self.module.facts.env_size(key);
        if slots > env::MAX_SLOTS && self.too_large.is_none() {
            let reason = format!("it has a scope with {slots} variables that inner functions use, too many");
            self.too_large = Some(Refusal::new(reason, self.builder.position));
        }
        if slots > 0 {
            let parent = self.active.last().map(|(_, register)| *register).or(self.hops.first().copied());
            let register = self.builder.emit(Op::NewEnv { parent, slots });
            self.active.push((key, register));
        }
    }

    pub(super) fn leave_env(&mut self, key: EnvKey) {
        if self.active.last().is_some_and(|(innermost, _)| *innermost == key) {
            self.active.pop();
        }
    }

    /// Replaces the environment of a loop's scope by a copy, for the next iteration.
    pub(super) fn renew_env(&mut self, key: EnvKey) {
        let Some(&(innermost, old)) = self.active.last() else { return };
        if innermost != key {
            return;
        }
        let slots = self.module.facts.env_size(key);
        let outer = self.active.len().checked_sub(2).map(|index| self.active[index].1);
        let parent = outer.or(self.hops.first().copied());
        let copy = self.builder.emit(Op::NewEnv { parent, slots });
        for slot in 0..slots {
            let value = self.builder.emit(Op::LoadEnv { env: old, slot });
            self.builder.perform(Op::StoreEnv { env: copy, slot, value });
        }
        self.builder.emit_into(old, Op::Copy(copy));
    }

    /// Enters a block scope: its environment, its variables' dead zones.
    pub(super) fn enter_scope(&mut self, scope: Option<ScopeId>) {
        let Some(scope) = scope else { return };
        self.enter_env(EnvKey::Scope(scope));
        let mut symbols: Vec<SymbolId> = self.module.scoping.iter_bindings_in(scope).collect();
        symbols.sort_unstable();
        for symbol in symbols {
            self.declare_lexical(symbol);
        }
    }

    pub(super) fn leave_scope(&mut self, scope: Option<ScopeId>) {
        if let Some(scope) = scope {
            self.leave_env(EnvKey::Scope(scope));
        }
    }

    pub(super) fn env_register(&mut self, key: EnvKey) -> Reg {
        if let Some((_, register)) = self.active.iter().rev().find(|(active, _)| *active == key) {
            return *register;
        }
        let depth = self.outer.iter().rev().position(|outer| *outer == key).unwrap_or(0);
        while self.hops.len() <= depth {
            let hop = self.builder.new_env_register();
            self.hops.push(hop);
        }
        self.hops[depth]
    }

    pub(super) fn load_slot(&mut self, slot: EnvSlot) -> Reg {
        let env = self.env_register(slot.env);
        self.builder.emit(Op::LoadEnv { env, slot: slot.slot })
    }

    pub(super) fn store_slot(&mut self, slot: EnvSlot, value: Reg) {
        let env = self.env_register(slot.env);
        self.builder.perform(Op::StoreEnv { env, slot: slot.slot, value });
    }

    /// `this` and the like, possibly those of the function around an arrow function; unchecked.
    pub(super) fn read_implicit(&mut self, implicit: Implicit) -> Reg {
        let receiver = self.module.facts.receiver(self.id);
        let slot = self.module.facts.implicit_slot(receiver, implicit);
        let moves =
            implicit == Implicit::This && self.module.facts.function(receiver).kind == FunctionKind::DerivedConstructor;
        match (slot, self.received(implicit)) {
            (_, Some(register)) if receiver == self.id && !(moves && slot.is_some()) => register,
            (Some(slot), _) => self.load_slot(slot),
            (None, _) => self.builder.undefined(),
        }
    }

    /// `this`, checked where `super()` may not have been called.
    pub(super) fn read_this(&mut self, position: u32) -> Reg {
        let receiver = self.module.facts.receiver(self.id);
        if receiver == FunctionId(0) && self.module.goal == Goal::Script {
            return self.global_object();
        }
        let this = self.read_implicit(Implicit::This);
        let derived = self.module.facts.function(receiver).kind == FunctionKind::DerivedConstructor;
        if derived && self.module.this_bound_at.get(&receiver).is_none_or(|&bound| position < bound) {
            self.throw_if_empty(this, UNBOUND_THIS);
        }
        this
    }

    /// Stores the result of `super()`.
    pub(super) fn bind_this(&mut self, value: Reg) {
        let receiver = self.module.facts.receiver(self.id);
        match (self.module.facts.implicit_slot(receiver, Implicit::This), self.received(Implicit::This)) {
            (Some(slot), _) => self.store_slot(slot, value),
            (None, Some(register)) => self.builder.emit_into(register, Op::Copy(value)),
            (None, None) => {}
        }
    }

    fn throw_if_empty(&mut self, value: Reg, message: &str) {
        let (throw, go_on) = (self.builder.new_block(), self.builder.new_block());
        let is_empty = self.builder.emit(Op::IsEmpty(value));
        self.builder.branch(is_empty, throw, go_on);
        self.throw_error(true, message);
        self.builder.switch_to(go_on);
    }

    /// Throws and ends the block.
    pub(super) fn throw_error(&mut self, reference: bool, message: &str) {
        let message = self.module.string(message);
        self.builder.perform(Op::ThrowError { reference, message });
        self.builder.terminate(crate::ir::Terminator::Unreachable);
    }

    /// A register with a string.
    pub(super) fn string_value(&mut self, text: &str) -> Reg {
        let constant = self.module.string(text);
        self.builder.emit(Op::Constant(constant))
    }

    pub(super) fn constant_value(&mut self, value: ConstantValue) -> Reg {
        let constant = self.module.constant(value);
        self.builder.emit(Op::Constant(constant))
    }

    /// Protects a value from assignments that happen before it is used.
    pub(super) fn stable(&mut self, value: Reg, others_assign: bool) -> Reg {
        if others_assign && self.mutable.contains(&value) { self.builder.emit(Op::Copy(value)) } else { value }
    }
}
