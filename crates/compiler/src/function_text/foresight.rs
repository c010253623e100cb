//! Which texts calls of function constructors may get: constants, and what can be put together of constants by the names
//! of variables, parameters and properties. It is a guess; only texts that the guest compares are ever used.

use std::collections::{BTreeMap, BTreeSet};

use oxc_allocator::{Allocator, TakeIn};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, VisitMut, walk, walk_mut};

/// Most texts of one call, and most values of one name.
const MAX_TEXTS: usize = 128;
/// Most bytes of a text.
const MAX_BYTES: usize = 1 << 16;

/// Names by which constructors of functions go, and how the text of their functions begins.
const CONSTRUCTORS: [(&str, &str); 4] = [
    ("Function", "function"),
    ("GeneratorFunction", "function*"),
    ("AsyncFunction", "async function"),
    ("AsyncGeneratorFunction", "async function*"),
];

/// The texts that a program may make functions of. `new Function(…)` whose texts are known becomes `Function(…)`, which does
/// the same.
pub(crate) fn foresee<'a>(allocator: &'a Allocator, program: &mut Program<'a>) -> BTreeSet<String> {
    let mut constants = Constants::default();
    constants.visit_program(program);
    constants.bind_arguments();
    let mut foresight = Foresight { allocator, constants, texts: BTreeSet::new(), in_try: false };
    foresight.visit_program(program);
    foresight.texts
}

/// Constant values by the names they are given to.
#[derive(Default)]
struct Constants {
    variables: BTreeMap<String, Vec<String>>,
    properties: BTreeMap<String, Vec<String>>,
    /// Parameters of the functions with a name.
    parameters: BTreeMap<String, Vec<Option<String>>>,
    /// Calls by name: position and values of an argument.
    arguments: Vec<(String, usize, Vec<String>)>,
}

impl Constants {
    fn bind_arguments(&mut self) {
        for (callee, position, values) in std::mem::take(&mut self.arguments) {
            let parameter = self.parameters.get(&callee).and_then(|parameters| parameters.get(position));
            if let Some(Some(parameter)) = parameter {
                add(&mut self.variables, &parameter.clone(), values);
            }
        }
    }

    /// The texts that an expression may have; `None` if nothing is known of it.
    fn values(&self, expression: &Expression<'_>) -> Option<Vec<String>> {
        let one = |text: &str| Some(vec![text.to_owned()]);
        match expression {
            Expression::StringLiteral(literal) if !literal.lone_surrogates => one(&literal.value),
            Expression::NullLiteral(_) => one("null"),
            Expression::BooleanLiteral(literal) => one(if literal.value { "true" } else { "false" }),
            Expression::NumericLiteral(literal) if literal.value.fract() == 0.0 && literal.value.abs() < 1e15 => {
                one(&literal.value.to_string())
            }
            Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::Void => one("undefined"),
            Expression::Identifier(identifier) if identifier.name == "undefined" => one("undefined"),
            Expression::Identifier(identifier) => self.variables.get(identifier.name.as_str()).cloned(),
            Expression::StaticMemberExpression(member) => self.properties.get(member.property.name.as_str()).cloned(),
            Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Addition => {
                Some(product(&self.values(&binary.left)?, &self.values(&binary.right)?, ""))
            }
            Expression::TemplateLiteral(template) => {
                let mut texts = vec![String::new()];
                for (index, quasi) in template.quasis.iter().enumerate() {
                    texts = product(&texts, &[quasi.value.cooked.as_ref()?.to_string()], "");
                    if let Some(expression) = template.expressions.get(index) {
                        texts = product(&texts, &self.values(expression)?, "");
                    }
                }
                Some(texts)
            }
            Expression::ObjectExpression(object) => object_texts(object),
            _ => None,
        }
    }
}

/// The texts of an object literal: what its `toString` returns; none if that throws.
fn object_texts(object: &ObjectExpression<'_>) -> Option<Vec<String>> {
    let Some(property) = object.properties.first() else { return Some(vec!["[object Object]".to_owned()]) };
    let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
    let Expression::FunctionExpression(function) = &property.value else { return None };
    if !property.key.is_specific_static_name("toString") {
        return None;
    }
    match function.body.as_ref()?.statements.first()? {
        Statement::ReturnStatement(statement) => Constants::default().values(statement.argument.as_ref()?),
        Statement::ThrowStatement(_) => Some(Vec::new()),
        _ => None,
    }
}

/// All texts of one and another with something between them, but not too many or too long.
fn product(left: &[String], right: &[String], between: &str) -> Vec<String> {
    let pairs = left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{between}{right}")));
    pairs.filter(|text| text.len() <= MAX_BYTES).take(MAX_TEXTS).collect()
}

fn add(names: &mut BTreeMap<String, Vec<String>>, name: &str, values: Vec<String>) {
    let known = names.entry(name.to_owned()).or_default();
    for value in values {
        if known.len() < MAX_TEXTS && !known.contains(&value) {
            known.push(value);
        }
    }
}

impl<'a> Visit<'a> for Constants {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        let name = declarator.id.get_identifier_name();
        let values = match &declarator.init {
            Some(init) => self.values(init),
            None => Some(vec!["undefined".to_owned()]),
        };
        if let (Some(name), Some(values)) = (name, values) {
            add(&mut self.variables, &name, values);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(target) = &assignment.left
            && let Some(values) = self.values(&assignment.right)
        {
            add(&mut self.variables, &target.name, values);
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if let (Some(key), Some(values)) = (property.key.static_name(), self.values(&property.value)) {
            add(&mut self.properties, &key, values);
        }
        walk::walk_object_property(self, property);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: oxc_syntax::scope::ScopeFlags) {
        if let Some(name) = &function.id {
            let parameters = function.params.items.iter();
            let names =
                parameters.map(|parameter| parameter.pattern.get_identifier_name().map(|name| name.to_string()));
            self.parameters.insert(name.name.to_string(), names.collect());
        }
        walk::walk_function(self, function, flags);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = &call.callee {
            for (position, argument) in call.arguments.iter().enumerate() {
                if let Some(values) = argument.as_expression().and_then(|argument| self.values(argument)) {
                    self.arguments.push((callee.name.to_string(), position, values));
                }
            }
        }
        walk::walk_call_expression(self, call);
    }
}

struct Foresight<'a> {
    allocator: &'a Allocator,
    constants: Constants,
    texts: BTreeSet<String>,
    in_try: bool,
}

impl<'a> Foresight<'a> {
    /// Adds the texts of a call; false if nothing is known of them.
    fn add_texts(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) -> bool {
        let (callee, arguments) = match callee {
            // `Function.call(this, …)`
            Expression::StaticMemberExpression(member) if member.property.name == "call" => {
                (&member.object, arguments.get(1..).unwrap_or_default())
            }
            callee => (callee, arguments),
        };
        let Expression::Identifier(callee) = callee else { return false };
        let Some((_, start)) = CONSTRUCTORS.iter().find(|(name, _)| *name == callee.name) else { return false };
        let values = arguments.iter().map(|argument| self.constants.values(argument.as_expression()?));
        let Some(values) = values.collect::<Option<Vec<_>>>() else { return false };
        let (body, parameters) = match values.split_last() {
            Some((body, parameters)) => (body.clone(), parameters),
            None => (vec![String::new()], &[][..]),
        };
        let mut parameters = parameters.iter();
        let first = parameters.next().cloned().unwrap_or_else(|| vec![String::new()]);
        let parameters = parameters.fold(first, |texts, values| product(&texts, values, ","));
        for text in product(&parameters, &body, "\n) {\n") {
            // Libraries try whether code may be made of text at all. They are told no, so that they do without.
            let is_probe = self.in_try && text == "\n) {\n";
            if !is_probe {
                self.texts.insert(format!("{start} anonymous({text}\n}}"));
            }
        }
        true
    }
}

impl<'a> VisitMut<'a> for Foresight<'a> {
    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        walk_mut::walk_expression(self, expression);
        match expression {
            Expression::CallExpression(call) if !call.optional => {
                self.add_texts(&call.callee, &call.arguments);
            }
            Expression::NewExpression(new)
                if new.callee.is_identifier_reference() && self.add_texts(&new.callee, &new.arguments) =>
            {
                let Some(mut call) = super::parse_expression(self.allocator, "f()") else { return };
                if let Expression::CallExpression(call) = &mut call {
                    call.span = new.span;
                    call.callee = new.callee.take_in(&self.allocator);
                    call.arguments = new.arguments.take_in(&self.allocator);
                }
                *expression = call;
            }
            _ => {}
        }
    }

    fn visit_try_statement(&mut self, statement: &mut TryStatement<'a>) {
        let outer = std::mem::replace(&mut self.in_try, true);
        self.visit_block_statement(&mut statement.block);
        self.in_try = outer;
        statement.handler.iter_mut().for_each(|handler| self.visit_catch_clause(handler));
        statement.finalizer.iter_mut().for_each(|finalizer| self.visit_block_statement(finalizer));
    }
}
