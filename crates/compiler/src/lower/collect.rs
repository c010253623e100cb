//! The walk over the syntax tree before lowering.
//!
//! It numbers the functions (class initialisers included, which have no node of their own), finds out which variables
//! closures capture, lays out the environments that hold them, and remembers which variables always hold the same
//! function.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{ScopeFlags, Scoping};
use oxc_span::GetSpan;
use oxc_syntax::reference::ReferenceId;
use oxc_syntax::scope::ScopeId;
use oxc_syntax::symbol::SymbolId;

use super::dynamic_imports::{constant_specifier, is_relative_path};
use super::eval_variables::{Target, declared_name, target};
use super::facts::{
    ClassFacts, EnvKey, EnvSlot, Facts, FunctionFacts, Implicit, SymbolFacts, is_constructor, is_instance_state,
    is_lexical, is_static_state, private_names,
};
use super::{Goal, with};
use crate::constant_eval::DECLARE;
use crate::ir::{FunctionId, FunctionKind};

/// Collects the facts of a module.
pub(super) fn collect(program: &Program<'_>, scoping: &Scoping, goal: Goal) -> Facts {
    let mut collector = Collector {
        scoping,
        goal,
        facts: Facts::default(),
        function: FunctionId(0),
        scope_starts: vec![0],
        switch_depth: 0,
        in_parameters: false,
        imports_by_name: false,
        symbol_uses: Vec::new(),
        implicit_uses: BTreeSet::new(),
        object_owners: HashMap::new(),
        references: Vec::new(),
        eval_variables: Vec::new(),
        class_uses: Vec::new(),
        classes: Vec::new(),
        private_names: Vec::new(),
        loop_depth: 0,
    };
    collector.add_function(FunctionKind::ModuleBody, Some(scoping.root_scope_id()), 0);
    collector.visit_statements(&program.body);
    collector.finish()
}

struct Collector<'s> {
    scoping: &'s Scoping,
    goal: Goal,
    facts: Facts,
    function: FunctionId,
    scope_starts: Vec<u32>,
    switch_depth: u32,
    /// In a parameter list with default values, which may refer to parameters too early.
    in_parameters: bool,
    /// There is an `import()` of something not constant.
    imports_by_name: bool,
    symbol_uses: Vec<(SymbolId, FunctionId, u32)>,
    implicit_uses: BTreeSet<(FunctionId, Implicit, FunctionId)>,
    /// Functions that create the objects which may have names as properties.
    object_owners: HashMap<EnvKey, FunctionId>,
    /// In a script: all uses of names, whether `arguments` is meant, and the functions that they are in.
    references: Vec<(ReferenceId, bool, FunctionId)>,
    /// Variables that texts given to `eval` create, with the texts' functions and their positions.
    eval_variables: Vec<(String, FunctionId, u32)>,
    /// Functions that read a class's environment, and the function that creates it.
    class_uses: Vec<(FunctionId, FunctionId)>,
    /// Classes around the current position: the function that evaluates the class, if its instances have state.
    classes: Vec<Option<FunctionId>>,
    /// Private names of the classes around the current position: the function that evaluates the class, if the names are in
    /// the class's environment.
    private_names: Vec<HashMap<String, Option<FunctionId>>>,
    /// Loops of the function around the current position.
    loop_depth: u32,
}

impl<'s> Collector<'s> {
    fn add_function(&mut self, kind: FunctionKind, scope: Option<ScopeId>, callable_from: u32) -> FunctionId {
        let id = FunctionId(self.facts.functions.len() as u32);
        let env = scope.map_or(EnvKey::Initializer(id), EnvKey::Scope);
        if let Some(scope) = scope {
            self.facts.by_scope.insert(scope, id);
        }
        self.facts.functions.push(FunctionFacts {
            kind,
            parent: self.function,
            env,
            needs_env: false,
            callable_from,
            uses: BTreeSet::new(),
            strict: scope.is_none_or(|scope| self.scoping.scope_flags(scope).is_strict_mode()),
            mapped: None,
        });
        id
    }

    fn inside(&mut self, function: FunctionId, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.function, function);
        let switch_depth = std::mem::replace(&mut self.switch_depth, 0);
        let in_parameters = std::mem::replace(&mut self.in_parameters, false);
        let loop_depth = std::mem::replace(&mut self.loop_depth, 0);
        visit(self);
        self.loop_depth = loop_depth;
        self.function = outer;
        self.switch_depth = switch_depth;
        self.in_parameters = in_parameters;
    }

    fn in_scope(&mut self, start: u32, visit: impl FnOnce(&mut Self)) {
        self.scope_starts.push(start);
        visit(self);
        self.scope_starts.pop();
    }

    fn use_implicit(&mut self, implicit: Implicit) {
        let receiver = self.facts.receiver(self.function);
        self.facts.functions[receiver.0 as usize].uses.insert(implicit);
        if receiver != self.function {
            self.implicit_uses.insert((receiver, implicit, self.function));
        }
    }

    fn use_await(&mut self) {
        if self.function == FunctionId(0) {
            self.facts.has_top_level_await = true;
        }
    }

    fn declare(&mut self, pattern: &BindingPattern<'_>, initialized_at: u32) {
        for identifier in pattern.get_binding_identifiers() {
            self.declare_identifier(identifier, initialized_at);
        }
    }

    /// The expression after `of` or `in` sees the loop's variables uninitialised.
    fn declare_loop_variable(&mut self, left: &ForStatementLeft<'_>, initialized_at: u32) {
        if let ForStatementLeft::VariableDeclaration(declaration) = left {
            for declarator in &declaration.declarations {
                self.declare(&declarator.id, initialized_at);
            }
        }
    }

    fn declare_identifier(&mut self, identifier: &BindingIdentifier<'_>, initialized_at: u32) {
        let Some(symbol) = identifier.symbol_id.get() else { return };
        let facts = SymbolFacts {
            owner: self.function,
            initialized_at,
            in_switch: self.switch_depth > 0,
            has_dead_zone: self.in_parameters || is_lexical(self.scoping.symbol_flags(symbol)),
        };
        self.facts.symbols.entry(symbol).or_insert(facts);
        // In sloppy code `var arguments` names the object that is there anyway.
        let function = self.facts.function(self.function);
        if identifier.name == "arguments" && !function.strict && function.kind != FunctionKind::Arrow {
            self.use_implicit(Implicit::Arguments);
        }
    }

    /// Remembers the function a variable is bound to if nothing else is ever assigned to it.
    fn bind_function(&mut self, symbol: Option<SymbolId>, function: FunctionId) {
        let Some(symbol) = symbol else { return };
        let is_global = self.goal == Goal::Script
            && self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id()
            && !is_lexical(self.scoping.symbol_flags(symbol));
        if !is_global
            && !self.scoping.symbol_is_mutated(symbol)
            && self.scoping.symbol_redeclarations(symbol).is_empty()
        {
            self.facts.known.insert(symbol, function);
        }
    }

    fn function_kind(&self, function: &Function<'_>, kind: FunctionKind) -> FunctionKind {
        if function.is_declaration() { FunctionKind::Normal } else { kind }
    }

    fn function_node(&mut self, function: &Function<'_>, kind: FunctionKind) -> FunctionId {
        let callable_from = match function.is_declaration() {
            true => self.scope_starts.last().copied().unwrap_or(0),
            false => function.span.start,
        };
        let kind = self.function_kind(function, kind);
        let id = self.add_function(kind, function.scope_id.get(), callable_from);
        if let Some(name) = &function.id {
            if function.is_declaration() {
                self.declare_identifier(name, 0);
                self.bind_function(name.symbol_id.get(), id);
            } else {
                self.inside(id, |this| this.declare_identifier(name, 0));
                self.bind_function(name.symbol_id.get(), id);
                if name.symbol_id.get().is_some_and(|symbol| !self.scoping.symbol_is_unused(symbol)) {
                    self.facts.functions[id.0 as usize].uses.insert(Implicit::Callee);
                }
            }
        }
        self.inside(id, |this| {
            this.visit_formal_parameters(&function.params);
            if let Some(body) = &function.body {
                this.visit_function_body(body);
            }
        });
        self.map_arguments(id, &function.params);
        id
    }

    /// Gives the parameters of a sloppy function that uses `arguments` slots, so that both can be changed by the other.
    fn map_arguments(&mut self, id: FunctionId, parameters: &FormalParameters<'_>) {
        let facts = self.facts.function(id);
        let env = facts.env;
        let is_simple = parameters.rest.is_none()
            && parameters.items.iter().all(|item| item.initializer.is_none() && item.pattern.is_binding_identifier());
        if facts.strict || !is_simple || parameters.items.is_empty() || !facts.uses.contains(&Implicit::Arguments) {
            return;
        }
        let mut first = None;
        for identifier in parameters.items.iter().flat_map(|item| item.pattern.get_binding_identifiers()) {
            // Of parameters of one name the last is the variable.
            let slot = self.take_slot(env);
            first.get_or_insert(slot.slot);
            if let Some(symbol) = identifier.symbol_id.get() {
                self.facts.symbol_slots.insert(symbol, slot);
            }
        }
        let count = parameters.items.len() as u32;
        self.facts.functions[id.0 as usize].mapped = first.map(|first| (first, count));
    }

    fn class_elements(&mut self, class: &Class<'_>, scope: ScopeId) {
        let creator = self.function;
        let derived = class.heritage.is_some();
        let body_start = class.body.span.start;
        let has_constructor = class.body.body.iter().any(is_constructor);
        let kind = if derived { FunctionKind::DerivedConstructor } else { FunctionKind::BaseConstructor };
        let needs_instance = class.body.body.iter().any(is_instance_state);
        let needs_static = class.body.body.iter().any(is_static_state);
        let mut slots = 0;
        let mut take_slot = || {
            slots += 1;
            slots - 1
        };
        let instance_initializer =
            needs_instance.then(|| (self.add_function(FunctionKind::Initializer, None, body_start), take_slot()));
        let static_initializer = needs_static.then(|| self.add_function(FunctionKind::Initializer, None, body_start));
        let mut private_methods = BTreeMap::new();
        let mut field_keys = BTreeMap::new();
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(method)
                    if !method.r#static && matches!(method.key, PropertyKey::PrivateIdentifier(_)) =>
                {
                    private_methods.insert(method.span.start, take_slot());
                }
                ClassElement::PropertyDefinition(field) if field.computed => {
                    field_keys.insert(field.span.start, take_slot());
                }
                _ => {}
            }
        }
        let declared = private_names(class);
        let is_repeated = creator != FunctionId(0) || self.loop_depth > 0;
        let fresh = declared.keys().filter(|_| is_repeated).map(|name| ((*name).to_owned(), take_slot()));
        let private_names: BTreeMap<String, u32> = fresh.collect();
        if slots > 0 {
            self.facts.env_sizes.insert(EnvKey::Scope(scope), slots);
        }
        let declared = declared.into_keys().map(|name| (name.to_owned(), is_repeated.then_some(creator)));
        self.private_names.push(declared.collect());
        let mut constructor = None;
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(method) => {
                    if method.computed {
                        self.visit_property_key(&method.key);
                    }
                    let method_kind = if is_constructor(element) { kind } else { FunctionKind::Method };
                    let id = self.function_node(&method.value, method_kind);
                    if is_constructor(element) {
                        constructor = Some(id);
                    }
                }
                ClassElement::PropertyDefinition(field) => {
                    if field.computed {
                        self.visit_property_key(&field.key);
                    }
                    let initializer =
                        if field.r#static { static_initializer } else { instance_initializer.map(|(id, _)| id) };
                    if let (Some(initializer), Some(value)) = (initializer, &field.value) {
                        self.inside(initializer, |this| this.visit_expression(value));
                    }
                }
                ClassElement::StaticBlock(block) => {
                    if let Some(initializer) = static_initializer {
                        self.inside(initializer, |this| this.visit_static_block(block));
                    }
                }
                ClassElement::AccessorProperty(_) | ClassElement::TSIndexSignature(_) => {}
            }
        }
        self.private_names.pop();
        let constructor = constructor.unwrap_or_else(|| self.add_function(kind, None, body_start));
        debug_assert!(has_constructor || self.facts.function(constructor).env == EnvKey::Initializer(constructor));
        for initializer in instance_initializer.map(|(id, _)| id).into_iter().chain(static_initializer) {
            self.facts.functions[initializer.0 as usize].uses.insert(Implicit::This);
            if slots > 0 {
                self.class_uses.push((initializer, creator));
            }
        }
        if derived || needs_instance {
            self.facts.functions[constructor.0 as usize].uses.insert(Implicit::This);
        }
        if derived {
            let uses = &mut self.facts.functions[constructor.0 as usize].uses;
            uses.extend([Implicit::Callee, Implicit::NewTarget]);
        }
        if needs_instance {
            self.class_uses.push((constructor, creator));
        }
        let facts = ClassFacts {
            constructor,
            instance_initializer,
            static_initializer,
            private_methods,
            private_names,
            field_keys,
        };
        self.facts.classes.insert(scope, facts);
    }

    fn owner(&self, symbol: SymbolId) -> FunctionId {
        self.facts.symbols.get(&symbol).map_or(FunctionId(0), |facts| facts.owner)
    }

    fn take_slot(&mut self, env: EnvKey) -> EnvSlot {
        let size = self.facts.env_sizes.entry(env).or_insert(0);
        *size += 1;
        EnvSlot { env, slot: *size - 1 }
    }

    fn mark_env(&mut self, user: FunctionId, owner: FunctionId) {
        let mut function = user;
        while function != owner {
            let facts = &mut self.facts.functions[function.0 as usize];
            facts.needs_env = true;
            function = facts.parent;
        }
    }

    /// Finds out where texts given to `eval` create their variables.
    fn place_eval_variables(&mut self) {
        for (name, text, position) in std::mem::take(&mut self.eval_variables) {
            match target(&self.facts, self.scoping, text, &name) {
                Target::Declared(symbol) => {
                    self.facts.known.remove(&symbol);
                    self.symbol_uses.push((symbol, text, position));
                }
                Target::Object(scope) => {
                    let owner = self.facts.variable_scope(text);
                    if !self.facts.object_scopes.contains_key(&scope) {
                        let slot = self.take_slot(EnvKey::Scope(scope));
                        self.facts.object_scopes.insert(scope, slot);
                        self.object_owners.insert(slot.env, owner);
                    }
                    self.mark_env(text, owner);
                }
                Target::Conflict | Target::Global => {}
            }
        }
    }

    /// Names may be looked for in objects of functions around those that use them.
    fn mark_object_uses(&mut self) {
        if self.facts.object_scopes.is_empty() {
            return;
        }
        for (reference, is_arguments, user) in std::mem::take(&mut self.references) {
            let name = if is_arguments { "arguments" } else { "" };
            for slot in with::objects_before(self.scoping, &self.facts, reference, name) {
                self.mark_env(user, self.object_owners[&slot.env]);
            }
        }
    }

    fn finish(mut self) -> Facts {
        if !self.imports_by_name {
            self.facts.relative_paths.clear();
        }
        self.place_eval_variables();
        self.mark_object_uses();
        let root = self.scoping.root_scope_id();
        for (symbol, user, position) in std::mem::take(&mut self.symbol_uses) {
            if self.facts.has_dead_zone(symbol) && !self.facts.is_initialized(symbol, user, position) {
                self.facts.checked.insert(symbol);
            }
            let owner = self.owner(symbol);
            let scope = self.scoping.symbol_scope_id(symbol);
            if scope == root || owner == user {
                continue;
            }
            if self.facts.symbol_slot(symbol).is_none() {
                let slot = self.take_slot(EnvKey::Scope(scope));
                self.facts.symbol_slots.insert(symbol, slot);
            }
            self.mark_env(user, owner);
        }
        for (receiver, implicit, user) in std::mem::take(&mut self.implicit_uses) {
            if receiver == FunctionId(0) {
                continue;
            }
            if self.facts.implicit_slot(receiver, implicit).is_none() {
                let slot = self.take_slot(self.facts.function(receiver).env);
                self.facts.implicit_slots.insert((receiver, implicit), slot);
            }
            self.mark_env(user, receiver);
        }
        for (user, creator) in std::mem::take(&mut self.class_uses) {
            self.mark_env(user, creator);
        }
        self.facts
    }
}

/// The function or arrow function an initialiser consists of.
fn function_scope(expression: &Expression<'_>) -> Option<ScopeId> {
    match expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(arrow) => arrow.scope_id.get(),
        Expression::FunctionExpression(function) => function.scope_id.get(),
        _ => None,
    }
}

impl<'a> Visit<'a> for Collector<'_> {
    fn visit_function(&mut self, function: &Function<'a>, _flags: ScopeFlags) {
        self.function_node(function, FunctionKind::Normal);
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        let id = self.add_function(FunctionKind::Arrow, arrow.scope_id.get(), arrow.span.start);
        self.inside(id, |this| {
            this.visit_formal_parameters(&arrow.params);
            this.visit_arrow_function_body(&arrow.body);
        });
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if property.computed {
            self.visit_property_key(&property.key);
        }
        match &property.value {
            Expression::FunctionExpression(function) if property.method || property.kind != PropertyKind::Init => {
                self.function_node(function, FunctionKind::Method);
            }
            value => self.visit_expression(value),
        }
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        let Some(scope) = class.scope_id.get() else { return };
        if let Some(name) = &class.id {
            // Methods run only after the name is bound, unless a computed key calls one.
            let computed = class.body.body.iter().any(|element| match element {
                ClassElement::MethodDefinition(method) => method.computed,
                ClassElement::PropertyDefinition(field) => field.computed,
                _ => false,
            });
            let initialized_at = if computed { class.span.end } else { class.body.span.start };
            self.declare_identifier(name, initialized_at);
        }
        if let Some(heritage) = &class.heritage {
            self.visit_expression(&heritage.expression);
        }
        let has_state = class.body.body.iter().any(is_instance_state);
        self.classes.push(has_state.then_some(self.function));
        self.class_elements(class, scope);
        self.classes.pop();
    }

    fn visit_formal_parameters(&mut self, parameters: &FormalParameters<'a>) {
        if parameters.items.iter().all(|item| item.initializer.is_none() && item.pattern.is_binding_identifier()) {
            return walk::walk_formal_parameters(self, parameters);
        }
        self.in_parameters = true;
        for item in &parameters.items {
            self.declare(&item.pattern, item.span.end);
        }
        self.in_parameters = false;
        walk::walk_formal_parameters(self, parameters);
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        let is_loop = u32::from(statement.is_iteration_statement());
        self.loop_depth += is_loop;
        walk::walk_statement(self, statement);
        self.loop_depth -= is_loop;
    }

    fn visit_private_identifier(&mut self, identifier: &PrivateIdentifier<'a>) {
        let declared = self.private_names.iter().rev().find_map(|names| names.get(identifier.name.as_str()));
        if let Some(Some(creator)) = declared {
            self.class_uses.push((self.function, *creator));
        }
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        if statement.r#await {
            self.use_await();
        }
        self.declare_loop_variable(&statement.left, statement.right.span().end);
        walk::walk_for_of_statement(self, statement);
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.declare_loop_variable(&statement.left, statement.right.span().end);
        walk::walk_for_in_statement(self, statement);
    }

    fn visit_static_block(&mut self, block: &StaticBlock<'a>) {
        self.in_scope(block.span.start, |this| walk::walk_static_block(this, block));
    }

    fn visit_function_body(&mut self, body: &FunctionBody<'a>) {
        self.in_scope(body.span.start, |this| walk::walk_function_body(this, body));
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        let switch_depth = std::mem::replace(&mut self.switch_depth, 0);
        self.in_scope(block.span.start, |this| walk::walk_block_statement(this, block));
        self.switch_depth = switch_depth;
    }

    fn visit_with_statement(&mut self, statement: &WithStatement<'a>) {
        self.visit_expression(&statement.object);
        if let Some(scope) = statement.scope_id.get() {
            let slot = self.take_slot(EnvKey::Scope(scope));
            self.facts.object_scopes.insert(scope, slot);
            self.object_owners.insert(slot.env, self.function);
        }
        self.visit_statement(&statement.body);
    }

    fn visit_switch_statement(&mut self, switch: &SwitchStatement<'a>) {
        self.visit_expression(&switch.discriminant);
        self.in_scope(switch.span.start, |this| {
            this.switch_depth += 1;
            this.visit_switch_cases(&switch.cases);
            this.switch_depth -= 1;
        });
    }

    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        if declaration.kind == VariableDeclarationKind::AwaitUsing {
            self.use_await();
        }
        walk::walk_variable_declaration(self, declaration);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        self.declare(&declarator.id, declarator.span.end);
        let function_init = declarator.init.as_ref().and_then(function_scope);
        walk::walk_variable_declarator(self, declarator);
        if let (BindingPattern::BindingIdentifier(name), Some(scope)) = (&declarator.id, function_init) {
            let function = self.facts.function_of_scope(scope);
            self.bind_function(name.symbol_id.get(), function);
        }
    }

    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        self.declare_identifier(identifier, 0);
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        if let (Goal::Script, Some(reference)) = (self.goal, identifier.reference_id.get()) {
            self.references.push((reference, identifier.name == "arguments", self.function));
        }
        let symbol = identifier.reference_id.get().and_then(|id| self.scoping.get_reference(id).symbol_id());
        match symbol {
            Some(symbol) => {
                self.symbol_uses.push((symbol, self.function, identifier.span.start));
            }
            None if identifier.name == "arguments" => self.use_implicit(Implicit::Arguments),
            None => {}
        }
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.imports_by_name |= constant_specifier(import).is_none();
        walk::walk_import_expression(self, import);
    }

    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        if is_relative_path(&literal.value) {
            self.facts.relative_paths.insert(literal.value.to_string());
        }
    }

    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        self.use_await();
        walk::walk_await_expression(self, expression);
    }

    fn visit_this_expression(&mut self, _: &ThisExpression) {
        self.use_implicit(Implicit::This);
    }

    fn visit_new_target(&mut self, _: &NewTarget) {
        self.use_implicit(Implicit::NewTarget);
    }

    fn visit_super(&mut self, _: &Super) {
        self.use_implicit(Implicit::This);
        self.use_implicit(Implicit::Callee);
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        if let (UnaryOperator::Typeof, Expression::Identifier(identifier)) = (unary.operator, &unary.argument) {
            self.facts.probed_globals.insert(identifier.name.to_string());
        }
        walk::walk_unary_expression(self, unary);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if self.goal == Goal::Script && call.callee.is_specific_id(DECLARE) {
            self.facts.eval_texts.insert(self.function);
            if let Some(name) = declared_name(call) {
                self.eval_variables.push((name.to_owned(), self.function, call.span.start));
            }
        }
        if matches!(call.callee, Expression::Super(_)) {
            self.use_implicit(Implicit::NewTarget);
            if let Some(&Some(creator)) = self.classes.last() {
                self.class_uses.push((self.function, creator));
            }
        }
        walk::walk_call_expression(self, call);
    }
}
