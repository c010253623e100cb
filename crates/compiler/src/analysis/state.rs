//! Module-level state that a call can change. Each execution starts from the initialised program, so such a change
//! does not reach the next call: a developer who relies on it wants to know.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{ScopeFlags, Scoping};
use oxc_syntax::symbol::SymbolId;

/// A change of module-level state inside a function.
pub(super) struct Mutation {
    pub(super) variable: String,
    pub(super) reason: String,
    pub(super) position: u32,
}

/// Methods that change an array, map or set.
const MUTATORS: &[&str] = &[
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "copyWithin",
    "set",
    "add",
    "delete",
    "clear",
];

/// Constructors of containers.
const CONTAINERS: &[&str] = &["Map", "Set", "WeakMap", "WeakSet", "Array", "Object"];

/// The first change of each variable, in the order of their places.
pub(super) fn find(program: &Program<'_>, scoping: &Scoping) -> Vec<Mutation> {
    let mut finder = Finder { scoping, functions: Vec::new(), containers: BTreeSet::new(), found: BTreeMap::new() };
    for statement in &program.body {
        finder.remember_containers(statement);
    }
    finder.visit_program(program);
    let mut found: Vec<Mutation> = finder.found.into_values().collect();
    found.sort_by_key(|mutation| mutation.position);
    found
}

struct Finder<'s> {
    scoping: &'s Scoping,
    /// Names of the functions around the current place.
    functions: Vec<String>,
    /// Module-level variables that hold an object, array, map or set made there.
    containers: BTreeSet<SymbolId>,
    found: BTreeMap<SymbolId, Mutation>,
}

impl Finder<'_> {
    fn remember_containers(&mut self, statement: &Statement<'_>) {
        let variables = match statement {
            Statement::VariableDeclaration(variables) => variables,
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::VariableDeclaration(variables) => variables,
                _ => return,
            },
            _ => return,
        };
        for declarator in &variables.declarations {
            if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&declarator.id, &declarator.init)
                && is_container(init)
            {
                self.containers.extend(name.symbol_id.get());
            }
        }
    }

    fn module_variable(&self, identifier: &IdentifierReference<'_>) -> Option<SymbolId> {
        let symbol = self.scoping.get_reference(identifier.reference_id.get()?).symbol_id()?;
        (self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id()).then_some(symbol)
    }

    fn record(&mut self, identifier: &IdentifierReference<'_>, how: &str, needs_container: bool) {
        let (Some(symbol), Some(function)) = (self.module_variable(identifier), self.functions.last()) else { return };
        if needs_container && !self.containers.contains(&symbol) {
            return;
        }
        let place = if function.is_empty() { "a function".to_owned() } else { format!("'{function}'") };
        self.found.entry(symbol).or_insert_with(|| Mutation {
            variable: identifier.name.to_string(),
            reason: format!("{how} in {place}; the change does not last beyond the call"),
            position: identifier.span.start,
        });
    }

    fn record_target(&mut self, target: &SimpleAssignmentTarget<'_>) {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(identifier) => {
                self.record(identifier, "it is assigned", false);
            }
            other => {
                if let Some(member) = other.as_member_expression() {
                    self.record_member(member.object(), "a property of it is assigned");
                }
            }
        }
    }

    fn record_member(&mut self, object: &Expression<'_>, how: &str) {
        if let Expression::Identifier(identifier) = object {
            self.record(identifier, how, true);
        }
    }

    fn inside(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        self.functions.push(name.to_owned());
        visit(self);
        self.functions.pop();
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let name = function.id.as_ref().map_or("", |id| id.name.as_str());
        self.inside(name, |this| walk::walk_function(this, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.inside("", |this| walk::walk_arrow_function_expression(this, arrow));
    }

    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        self.record_target(target);
        walk::walk_simple_assignment_target(self, target);
    }

    fn visit_assignment_target_property_identifier(&mut self, property: &AssignmentTargetPropertyIdentifier<'a>) {
        self.record(&property.binding, "it is assigned", false);
        walk::walk_assignment_target_property_identifier(self, property);
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        if let (UnaryOperator::Delete, Some(member)) = (unary.operator, unary.argument.as_member_expression()) {
            self.record_member(member.object(), "a property of it is deleted");
        }
        walk::walk_unary_expression(self, unary);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && MUTATORS.contains(&member.property.name.as_str())
        {
            self.record_member(&member.object, &format!("its method '{}' is called", member.property.name));
        }
        walk::walk_call_expression(self, call);
    }
}

fn is_container(init: &Expression<'_>) -> bool {
    match init {
        Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => true,
        Expression::NewExpression(new) => {
            matches!(&new.callee, Expression::Identifier(name) if CONTAINERS.contains(&name.name.as_str()))
        }
        _ => false,
    }
}
