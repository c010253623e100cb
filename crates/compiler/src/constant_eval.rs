//! `eval("constant text")`: the text is parsed with the module and put in place of the call, as an arrow function that is
//! called at once. That has the meaning of strict direct eval: variables are the text's own, while `this`, `arguments`,
//! `new.target` and `super` are those around it. The arrow function answers the completion value of the text.
//!
//! Variables and functions of sloppy texts belong to the function around the call: they are assigned, not declared, and
//! `$declare("name", function)`, a call that lowering knows, creates them at the beginning of the text.
//!
//! `(0, eval)("constant text")` is the same at the top level of a script; elsewhere it stays a call of `eval`.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, VisitMut, walk_mut};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::block_functions::bound_names;

/// Name of the function that creates a variable of a text, with its value if it is a function.
pub(crate) const DECLARE: &str = "$declare";

/// Variable of the arrow function that holds the completion value so far (ECMA-262 14, "UpdateEmpty").
const COMPLETION: &str = "$completion";

/// Texts that were put in place of calls.
#[derive(Debug, Default)]
pub(crate) struct Inlined {
    /// Where each text lies in [`Inlined::source`].
    regions: Vec<Range<u32>>,
    /// The module's source, followed by the texts.
    pub(crate) source: String,
}

impl Inlined {
    /// Number of the text that a byte of the source belongs to.
    pub(crate) fn text_at(&self, offset: u32) -> Option<usize> {
        self.regions.iter().position(|region| region.contains(&offset))
    }
}

/// Puts constant texts in place of calls of `eval`. Those numbered in `wrong` have early errors and throw instead.
pub(crate) fn inline<'a>(allocator: &'a Allocator, program: &mut Program<'a>, wrong: &BTreeSet<usize>) -> Inlined {
    let strict = program.source_type.is_module() || has_use_strict(&program.directives);
    let inlined = Inlined { regions: Vec::new(), source: program.source_text.to_owned() };
    let mut inliner = Inliner { allocator, wrong, strict, depth: 0, parameters: None, inlined };
    inliner.visit_program(program);
    program.source_text = allocator.alloc_str(&inliner.inlined.source);
    inliner.inlined
}

struct Inliner<'a, 'w> {
    allocator: &'a Allocator,
    wrong: &'w BTreeSet<usize>,
    strict: bool,
    /// Number of functions and classes around the current expression.
    depth: u32,
    /// Inside a parameter list: names that a text there cannot declare.
    parameters: Option<HashSet<String>>,
    inlined: Inlined,
}

/// How `eval` is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Direct,
    Indirect,
}

impl<'a> VisitMut<'a> for Inliner<'a, '_> {
    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        if let Expression::CallExpression(call) = expression
            && let Some((text, how)) = constant_text(call)
            && let Some(function) = self.function(&text, how, call.span)
        {
            *expression = function;
        }
        walk_mut::walk_expression(self, expression);
    }

    fn visit_function(&mut self, function: &mut Function<'a>, flags: ScopeFlags) {
        let mut names = parameter_names(&function.params);
        names.insert("arguments".to_owned());
        self.inside(Some(names), |this| walk_mut::walk_function(this, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &mut ArrowFunctionExpression<'a>) {
        let names = parameter_names(&arrow.params);
        self.inside(Some(names), |this| walk_mut::walk_arrow_function_expression(this, arrow));
    }

    fn visit_arrow_function_body(&mut self, body: &mut ArrowFunctionBody<'a>) {
        self.inside(None, |this| walk_mut::walk_arrow_function_body(this, body));
    }

    fn visit_function_body(&mut self, body: &mut FunctionBody<'a>) {
        let outer = self.strict;
        self.strict |= has_use_strict(&body.directives);
        self.inside(None, |this| walk_mut::walk_function_body(this, body));
        self.strict = outer;
    }

    fn visit_class(&mut self, class: &mut Class<'a>) {
        let outer = std::mem::replace(&mut self.strict, true);
        self.inside(None, |this| walk_mut::walk_class(this, class));
        self.strict = outer;
    }
}

impl<'a> Inliner<'a, '_> {
    fn inside(&mut self, parameters: Option<HashSet<String>>, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.parameters, parameters);
        self.depth += 1;
        visit(self);
        self.depth -= 1;
        self.parameters = outer;
    }

    /// The called arrow function for a text, in place of the call at `span`.
    fn function(&mut self, text: &str, how: Call, span: Span) -> Option<Expression<'a>> {
        let number = self.inlined.regions.len();
        let code = match self.wrong.contains(&number) {
            true => throwing("Invalid or unexpected token"),
            false => self.function_text(text, how)?,
        };
        let start = self.inlined.source.len() as u32 + 1;
        let end = start.checked_add(code.len() as u32)?;
        // Blanks in front, so that the nodes lie where the text will be.
        let padded = self.allocator.alloc_str(&format!("{}{code}", " ".repeat(start as usize)));
        let mut expression = parse_expression(self.allocator, padded)?;
        // What is initialised before the call is initialised for the text.
        if let Expression::CallExpression(call) = &mut expression {
            call.span = span;
            if let Expression::ArrowFunctionExpression(arrow) = &mut call.callee {
                arrow.span = span;
            }
        }
        self.inlined.regions.push(start..end);
        self.inlined.source.push('\n');
        self.inlined.source.push_str(&code);
        Some(expression)
    }

    fn function_text(&self, text: &str, how: Call) -> Option<String> {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, SourceType::script()).with_options(options()).parse();
        if let Some(error) = parsed.diagnostics.iter().next() {
            return Some(throwing(&error.message));
        }
        let program = parsed.program;
        let strict = has_use_strict(&program.directives) || (self.strict && how == Call::Direct);
        if how == Call::Indirect {
            let checked = SemanticBuilder::new_compiler().build(&program);
            if let Some(error) = checked.diagnostics.iter().next() {
                return Some(throwing(&error.message));
            }
            if self.depth > 0 || (self.strict && !strict) {
                return None;
            }
        }
        let mut edits = Edits { text, edits: Vec::new() };
        let mut declarations = String::new();
        if !strict {
            let declared = edits.take_declarations(&program.body);
            let taken = |name: &str| self.parameters.as_ref().is_some_and(|names| names.contains(name));
            if let Some((name, _)) = declared.iter().find(|(name, _)| taken(name)) {
                return Some(throwing(&format!("Identifier '{name}' has already been declared")));
            }
            declarations = format!("{DECLARE}();");
            for (name, function) in declared {
                declarations +=
                    &format!("{DECLARE}({name:?}{}{function});", if function.is_empty() { "" } else { "," });
            }
        }
        program.body.iter().for_each(|statement| edits.statement(statement));
        let (prologue, value) = match program.directives.last() {
            Some(last) => (last.span.end as usize, last.expression.span),
            None => (0, Span::default()),
        };
        let value = if value.is_empty() { "void 0" } else { value.source_text(text) };
        let (directives, body) = (text.get(..prologue)?, edits.apply(prologue)?);
        Some(format!(
            "(()=>{{{directives}\n;{declarations}let {COMPLETION}={value};\n{body}\n;return {COMPLETION}}})()"
        ))
    }
}

/// Changes of a text: places, and what comes there.
struct Edits<'t> {
    text: &'t str,
    edits: Vec<(Range<u32>, String)>,
}

impl Edits<'_> {
    fn insert(&mut self, at: u32, text: &str) {
        self.edits.push((at..at, text.to_owned()));
    }

    /// The text from `start` on, changed.
    fn apply(mut self, start: usize) -> Option<String> {
        self.edits.sort_by_key(|(place, _)| place.start);
        let (mut result, mut done) = (String::new(), start);
        for (place, replacement) in &self.edits {
            result.push_str(self.text.get(done..place.start as usize)?);
            result.push_str(replacement);
            done = place.end as usize;
        }
        result.push_str(self.text.get(done..)?);
        Some(result)
    }

    /// Makes assignments of the variables that statements declare in the function around them, and takes their functions
    /// out. Answers their names, with the functions.
    fn take_declarations(&mut self, statements: &[Statement<'_>]) -> Vec<(String, String)> {
        let mut declared: Vec<(String, String)> = Vec::new();
        for statement in statements {
            if let Statement::FunctionDeclaration(function) = statement
                && let Some(id) = &function.id
            {
                let (asynchronous, star) =
                    (if function.r#async { "async " } else { "" }, if function.generator { "*" } else { "" });
                let rest = Span::new(id.span.end, function.span.end).source_text(self.text);
                declared.retain(|(name, _)| *name != *id.name);
                declared.push((id.name.to_string(), format!("{asynchronous}function{star}{rest}")));
                self.edits.push((function.span.start..function.span.end, String::new()));
            }
        }
        let mut variables = Variables { edits: self, names: Vec::new() };
        statements.iter().for_each(|statement| variables.visit_statement(statement));
        for name in variables.names {
            if declared.iter().all(|(known, _)| *known != name) {
                declared.push((name, String::new()));
            }
        }
        declared
    }

    /// Statements whose value is undefined if nothing in them has one.
    fn compound(&mut self, span: Span) {
        self.insert(span.start, &format!("{{{COMPLETION}=void 0;"));
    }

    fn statements(&mut self, statements: &[Statement<'_>]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExpressionStatement(expression) => {
                let span = expression.span;
                let end = span.start + span.source_text(self.text).trim_end().trim_end_matches(';').len() as u32;
                self.insert(span.start, &format!("{COMPLETION}=("));
                self.insert(end, ")");
            }
            Statement::BlockStatement(block) => self.statements(&block.body),
            Statement::LabeledStatement(labeled) => {
                let mut body = &labeled.body;
                while let Statement::LabeledStatement(inner) = body {
                    body = &inner.body;
                }
                match is_compound(body) {
                    true => {
                        self.compound(labeled.span);
                        self.parts(body);
                        self.insert(labeled.span.end, "}");
                    }
                    false => self.statement(body),
                }
            }
            other if is_compound(other) => {
                self.compound(other.span());
                self.parts(other);
                self.insert(other.span().end, "}");
            }
            _ => {}
        }
    }

    fn parts(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::IfStatement(statement) => {
                self.statement(&statement.consequent);
                statement.alternate.iter().for_each(|alternate| self.statement(alternate));
            }
            Statement::ForStatement(statement) => self.statement(&statement.body),
            Statement::ForInStatement(statement) => self.statement(&statement.body),
            Statement::ForOfStatement(statement) => self.statement(&statement.body),
            Statement::WhileStatement(statement) => self.statement(&statement.body),
            Statement::DoWhileStatement(statement) => self.statement(&statement.body),
            Statement::WithStatement(statement) => self.statement(&statement.body),
            Statement::SwitchStatement(statement) => {
                statement.cases.iter().for_each(|case| self.statements(&case.consequent));
            }
            Statement::TryStatement(statement) => {
                self.statements(&statement.block.body);
                statement.handler.iter().for_each(|handler| self.statements(&handler.body.body));
                if let Some(finalizer) = &statement.finalizer {
                    // The value of a `finally` that ends normally is forgotten.
                    self.insert(finalizer.span.start + 1, &format!("let $kept={COMPLETION};"));
                    self.statements(&finalizer.body);
                    self.insert(finalizer.span.end - 1, &format!(";{COMPLETION}=$kept"));
                }
            }
            _ => {}
        }
    }
}

/// Makes assignments of `var` declarations.
struct Variables<'e, 't> {
    edits: &'e mut Edits<'t>,
    names: Vec<String>,
}

impl Variables<'_, '_> {
    /// Takes the word `var` away, with `instead` in its place.
    fn declaration(&mut self, declaration: &VariableDeclaration<'_>, instead: &str) -> bool {
        let is_var = declaration.kind.is_var();
        if is_var {
            self.names.extend(declaration.declarations.iter().flat_map(|declarator| bound_names(&declarator.id)));
            let start = declaration.span.start;
            self.edits.edits.push((start..start + "var".len() as u32, instead.to_owned()));
        }
        is_var
    }

    fn head(&mut self, left: &ForStatementLeft<'_>) {
        if let ForStatementLeft::VariableDeclaration(declaration) = left {
            self.declaration(declaration, "");
        }
    }
}

impl<'a> Visit<'a> for Variables<'_, '_> {
    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        if self.declaration(declaration, "void(")
            && let Some(last) = declaration.declarations.last()
        {
            self.edits.insert(last.span.end, ")");
        }
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.head(&statement.left);
        self.visit_statement(&statement.body);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.head(&statement.left);
        self.visit_statement(&statement.body);
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_class(&mut self, _: &Class<'a>) {}

    fn visit_expression(&mut self, _: &Expression<'a>) {}
}

/// Names that parameters bind.
pub(crate) fn parameter_names(parameters: &FormalParameters<'_>) -> HashSet<String> {
    let patterns = parameters.items.iter().map(|item| &item.pattern);
    let rest = parameters.rest.iter().map(|rest| &rest.rest.argument);
    patterns.chain(rest).flat_map(bound_names).collect()
}

fn is_compound(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::IfStatement(_)
            | Statement::ForStatement(_)
            | Statement::ForInStatement(_)
            | Statement::ForOfStatement(_)
            | Statement::WhileStatement(_)
            | Statement::DoWhileStatement(_)
            | Statement::WithStatement(_)
            | Statement::SwitchStatement(_)
            | Statement::TryStatement(_)
    )
}

/// The text of `eval("text")` or `(0, eval)("text")`, if it is constant.
fn constant_text(call: &CallExpression<'_>) -> Option<(String, Call)> {
    let is_eval = |callee: &Expression<'_>| callee.is_specific_id("eval");
    let how = match &call.callee {
        callee if is_eval(callee) => Call::Direct,
        Expression::SequenceExpression(sequence) => match sequence.expressions.as_slice() {
            [Expression::NumericLiteral(_), last] if is_eval(last) => Call::Indirect,
            _ => return None,
        },
        _ => return None,
    };
    match call.arguments.as_slice() {
        [argument] if !call.optional => Some((constant_string(argument.as_expression()?)?, how)),
        _ => None,
    }
}

fn constant_string(expression: &Expression<'_>) -> Option<String> {
    match expression {
        Expression::StringLiteral(literal) if !literal.lone_surrogates => Some(literal.value.to_string()),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            template.quasis.first()?.value.cooked.as_ref().map(|text| text.to_string())
        }
        Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::Addition => {
            Some(constant_string(&binary.left)? + &constant_string(&binary.right)?)
        }
        _ => None,
    }
}

/// Whether code begins with the directive.
pub(crate) fn has_use_strict(directives: &[Directive<'_>]) -> bool {
    directives.iter().any(|directive| directive.directive == "use strict")
}

fn throwing(message: &str) -> String {
    format!("(()=>{{throw new SyntaxError({:?})}})()", message.replace('`', "'"))
}

fn options() -> ParseOptions {
    ParseOptions { preserve_parens: false, parse_regular_expression: true, ..ParseOptions::default() }
}

/// Parses an expression.
pub(crate) fn parse_expression<'a>(allocator: &'a Allocator, text: &'a str) -> Option<Expression<'a>> {
    let mut parsed = Parser::new(allocator, text, SourceType::script()).with_options(options()).parse();
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    match parsed.program.body.pop()? {
        Statement::ExpressionStatement(statement) => Some(statement.unbox().expression),
        _ => None,
    }
}
