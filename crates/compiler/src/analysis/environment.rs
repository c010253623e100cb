//! Environment variables that are read while the module is initialised, by module-level code or by functions of the
//! module that it calls.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{ScopeFlags, Scoping};
use oxc_span::GetSpan;
use oxc_syntax::symbol::SymbolId;

/// What the report says of each.
pub(super) const REASON: &str = "it is read while the module is initialised; calls see the value of that time";

/// A read of an environment variable.
#[derive(Clone)]
pub(super) struct Read {
    pub(super) variable: String,
    pub(super) position: u32,
}

/// The reads of initialisation, in the order of their places, each variable once.
pub(super) fn find(program: &Program<'_>, scoping: &Scoping) -> Vec<Read> {
    let mut collector = Collector { scoping, place: Place::Initialisation, next_name: None, code: BTreeMap::new() };
    collector.visit_program(program);
    let mut reached = BTreeSet::new();
    let mut pending = vec![Place::Initialisation];
    let mut reads: Vec<Read> = Vec::new();
    while let Some(place) = pending.pop() {
        let Some(code) = collector.code.get(&place).filter(|_| reached.insert(place)) else { continue };
        reads.extend(code.reads.iter().cloned());
        pending.extend(code.calls.iter().map(|&symbol| Place::Function(symbol)));
    }
    reads.sort_by_key(|read| read.position);
    let mut seen = BTreeSet::new();
    reads.retain(|read| seen.insert(read.variable.clone()));
    reads
}

/// Where code stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Initialisation,
    /// In the function that a module-level variable holds.
    Function(SymbolId),
    /// In a function that initialisation is not known to call.
    Elsewhere,
}

#[derive(Default)]
struct Code {
    reads: Vec<Read>,
    calls: BTreeSet<SymbolId>,
}

struct Collector<'s> {
    scoping: &'s Scoping,
    place: Place,
    /// The variable that the function about to be visited is bound to.
    next_name: Option<SymbolId>,
    code: BTreeMap<Place, Code>,
}

impl Collector<'_> {
    fn read(&mut self, variable: &str, position: u32) {
        self.code.entry(self.place).or_default().reads.push(Read { variable: variable.to_owned(), position });
    }

    /// Functions at module level are places of their own; others belong nowhere.
    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        let inner = match (self.place, self.next_name.take()) {
            (Place::Initialisation, Some(symbol)) => Place::Function(symbol),
            _ => Place::Elsewhere,
        };
        let outer = std::mem::replace(&mut self.place, inner);
        visit(self);
        self.place = outer;
    }

    /// A function that is called on the spot runs as part of the code around it.
    fn called_at_once<'a>(&mut self, callee: &Expression<'a>) -> bool
    where
        Self: Visit<'a>,
    {
        match callee {
            Expression::FunctionExpression(function) => walk::walk_function(self, function, ScopeFlags::Function),
            Expression::ArrowFunctionExpression(arrow) => walk::walk_arrow_function_expression(self, arrow),
            _ => return false,
        }
        true
    }
}

impl<'a> Visit<'a> for Collector<'_> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let Some(id) = function.id.as_ref().filter(|_| function.is_declaration()) {
            self.next_name = id.symbol_id.get();
        }
        self.inside(|this| walk::walk_function(this, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.inside(|this| walk::walk_arrow_function_expression(this, arrow));
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        match (&declarator.id, &declarator.init) {
            (
                BindingPattern::BindingIdentifier(name),
                Some(Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)),
            ) => self.next_name = name.symbol_id.get(),
            (BindingPattern::ObjectPattern(pattern), Some(init)) if is_process_env(init) => {
                for property in &pattern.properties {
                    if let Some(name) = property.key.static_name() {
                        self.read(&name, property.span.start);
                    }
                }
            }
            _ => {}
        }
        walk::walk_variable_declarator(self, declarator);
        self.next_name = None;
    }

    fn visit_member_expression(&mut self, member: &MemberExpression<'a>) {
        if is_process_env(member.object())
            && let Some(name) = member.static_property_name()
        {
            self.read(name, member.object().span().start);
        }
        walk::walk_member_expression(self, member);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = &call.callee {
            let symbol = callee.reference_id.get().and_then(|id| self.scoping.get_reference(id).symbol_id());
            self.code.entry(self.place).or_default().calls.extend(symbol);
        }
        if self.called_at_once(&call.callee) {
            self.visit_arguments(&call.arguments);
        } else {
            walk::walk_call_expression(self, call);
        }
    }
}

fn is_process_env(expression: &Expression<'_>) -> bool {
    let Expression::StaticMemberExpression(member) = expression else { return false };
    member.property.name == "env"
        && matches!(&member.object, Expression::Identifier(object) if object.name == "process")
}
