//! `eval("constant text")`: the text is parsed with the module and put in place of the call, as an arrow function that is
//! called at once. That has the meaning of strict direct eval: variables are the text's own, while `this`, `arguments`,
//! `new.target` and `super` are those around it. The arrow function answers the completion value of the text.
//!
//! In sloppy code variables would belong to the function around the call; texts that declare some stay calls of `eval`.

use std::collections::BTreeSet;
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};

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
    let mut inliner = Inliner { allocator, wrong, strict, inlined };
    inliner.visit_program(program);
    program.source_text = allocator.alloc_str(&inliner.inlined.source);
    inliner.inlined
}

struct Inliner<'a, 'w> {
    allocator: &'a Allocator,
    wrong: &'w BTreeSet<usize>,
    strict: bool,
    inlined: Inlined,
}

impl<'a> VisitMut<'a> for Inliner<'a, '_> {
    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        if let Expression::CallExpression(call) = expression
            && let Some(text) = constant_text(call)
            && let Some(function) = self.function(&text, call.span)
        {
            *expression = function;
        }
        walk_mut::walk_expression(self, expression);
    }

    fn visit_function_body(&mut self, body: &mut FunctionBody<'a>) {
        let outer = self.strict;
        self.strict |= has_use_strict(&body.directives);
        walk_mut::walk_function_body(self, body);
        self.strict = outer;
    }

    fn visit_class(&mut self, class: &mut Class<'a>) {
        let outer = std::mem::replace(&mut self.strict, true);
        walk_mut::walk_class(self, class);
        self.strict = outer;
    }
}

impl<'a> Inliner<'a, '_> {
    /// The called arrow function for a text, in place of the call at `span`.
    fn function(&mut self, text: &str, span: Span) -> Option<Expression<'a>> {
        let number = self.inlined.regions.len();
        let code = match self.wrong.contains(&number) {
            true => throwing("Invalid or unexpected token"),
            false => self.function_text(text)?,
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

    fn function_text(&self, text: &str) -> Option<String> {
        let allocator = Allocator::default();
        let parsed = Parser::new(&allocator, text, SourceType::script()).with_options(options()).parse();
        if let Some(error) = parsed.diagnostics.iter().next() {
            return Some(throwing(&error.message));
        }
        let program = parsed.program;
        let strict = self.strict || has_use_strict(&program.directives);
        if !strict && program.body.iter().any(declares_variables) {
            return None;
        }
        let mut marks = Marks { text, insertions: Vec::new() };
        program.body.iter().for_each(|statement| marks.statement(statement));
        let (prologue, value) = match program.directives.last() {
            Some(last) => (last.span.end as usize, last.expression.span),
            None => (0, Span::default()),
        };
        let value = if value.is_empty() { "void 0" } else { value.source_text(text) };
        let (directives, body) = (text.get(..prologue)?, marks.apply(prologue)?);
        Some(format!("(()=>{{{directives}\n;let {COMPLETION}={value};\n{body}\n;return {COMPLETION}}})()"))
    }
}

/// Insertions that make a text note its completion value.
struct Marks<'t> {
    text: &'t str,
    insertions: Vec<(u32, String)>,
}

impl Marks<'_> {
    fn insert(&mut self, at: u32, text: &str) {
        self.insertions.push((at, text.to_owned()));
    }

    /// The text from `start` on, with the insertions.
    fn apply(mut self, start: usize) -> Option<String> {
        self.insertions.sort_by_key(|(at, _)| *at);
        let (mut result, mut done) = (String::new(), start);
        for (at, insertion) in &self.insertions {
            result.push_str(self.text.get(done..*at as usize)?);
            result.push_str(insertion);
            done = *at as usize;
        }
        result.push_str(self.text.get(done..)?);
        Some(result)
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

/// The text of `eval("text")`, if it is constant.
fn constant_text(call: &CallExpression<'_>) -> Option<String> {
    let Expression::Identifier(callee) = &call.callee else { return None };
    match call.arguments.as_slice() {
        [argument] if callee.name == "eval" && !call.optional => constant_string(argument.as_expression()?),
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

fn has_use_strict(directives: &[Directive<'_>]) -> bool {
    directives.iter().any(|directive| directive.directive == "use strict")
}

/// Whether a statement of sloppy code declares something in the function around it.
fn declares_variables(statement: &Statement<'_>) -> bool {
    let any = |statements: &[Statement<'_>]| statements.iter().any(declares_variables);
    let is_var = |declaration: &VariableDeclaration<'_>| declaration.kind.is_var();
    let left_is_var = |left: &ForStatementLeft<'_>| match left {
        ForStatementLeft::VariableDeclaration(declaration) => declaration.kind.is_var(),
        _ => false,
    };
    match statement {
        Statement::VariableDeclaration(declaration) => is_var(declaration),
        Statement::FunctionDeclaration(_) => true,
        Statement::BlockStatement(block) => any(&block.body),
        Statement::LabeledStatement(labeled) => declares_variables(&labeled.body),
        Statement::IfStatement(statement) => {
            declares_variables(&statement.consequent) || statement.alternate.as_ref().is_some_and(declares_variables)
        }
        Statement::ForStatement(statement) => {
            matches!(&statement.init, Some(ForStatementInit::VariableDeclaration(declaration)) if is_var(declaration))
                || declares_variables(&statement.body)
        }
        Statement::ForInStatement(statement) => left_is_var(&statement.left) || declares_variables(&statement.body),
        Statement::ForOfStatement(statement) => left_is_var(&statement.left) || declares_variables(&statement.body),
        Statement::WhileStatement(statement) => declares_variables(&statement.body),
        Statement::DoWhileStatement(statement) => declares_variables(&statement.body),
        Statement::WithStatement(statement) => declares_variables(&statement.body),
        Statement::SwitchStatement(statement) => statement.cases.iter().any(|case| any(&case.consequent)),
        Statement::TryStatement(statement) => {
            any(&statement.block.body)
                || statement.handler.as_ref().is_some_and(|handler| any(&handler.body.body))
                || statement.finalizer.as_ref().is_some_and(|finalizer| any(&finalizer.body))
        }
        _ => false,
    }
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
