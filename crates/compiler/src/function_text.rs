//! `Function("a", "return a")`: functions made of text. Texts that the module shows ([`foresight`]) are compiled with it, and
//! when it is evaluated the guest is told of them; a call of the constructor finds its text among them. Other texts are a
//! matter of V8, so what is foreseen need not be right, nor everything.
//!
//! The functions are put in front of the module's statements, where they see global variables only: in a module, texts that
//! use a name which the module declares are left to V8.

mod foresight;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::SourceType;
use oxc_syntax::scope::{ScopeFlags, ScopeId};

use crate::constant_eval::parse_expression;
pub(crate) use foresight::foresee;

/// Name of the callee of the statements that tell the guest of a function: text, arrow function that makes it.
pub(crate) const FORESEE: &str = "$foresee";

/// Name of functions made of text, which they do not see themselves.
const NAME: &str = "anonymous";

/// Functions that were put in front of a program.
#[derive(Debug, Default)]
pub(crate) struct Inserted {
    /// Text of each function, and the strictness of its scopes in the order of their visit. Empty for early errors.
    functions: Vec<(String, Vec<ScopeFlags>)>,
    /// Where they lie in the program's source.
    region: Range<u32>,
}

impl Inserted {
    /// Whether a byte of the source belongs to one of the functions.
    pub(crate) fn contains(&self, offset: u32) -> bool {
        self.region.contains(&offset)
    }

    /// The texts that use names of the module's own.
    pub(crate) fn entangled(&self, program: &Program<'_>, scoping: &Scoping) -> Vec<String> {
        let is_module = program.source_type.is_module();
        let functions = self.functions.iter().zip(&program.body);
        let entangled = functions.filter(|(_, statement)| {
            let mut inspector = Inspector { is_module, ..Inspector::new(scoping) };
            inspector.visit_statement(statement);
            inspector.entangled
        });
        entangled.map(|((text, _), _)| text.clone()).collect()
    }

    /// Makes the functions as strict as they are by themselves, whatever surrounds them.
    pub(crate) fn restore_strictness(&self, program: &Program<'_>, scoping: &mut Scoping) {
        for ((_, flags), statement) in self.functions.iter().zip(&program.body) {
            let mut inspector = Inspector::new(scoping);
            inspector.visit_statement(statement);
            // The first scope is the arrow function's.
            for (scope, own) in inspector.scopes.into_iter().skip(1).zip(flags) {
                let combined = scoping.scope_flags_mut(scope);
                combined.set(ScopeFlags::StrictMode, own.is_strict_mode());
            }
        }
    }
}

/// Puts functions of these texts in front of a program.
pub(crate) fn insert<'a>(allocator: &'a Allocator, program: &mut Program<'a>, mut texts: BTreeSet<String>) -> Inserted {
    texts.retain(|text| !aliases_arguments(text));
    if texts.is_empty() {
        return Inserted::default();
    }
    let (mut code, mut functions) = (String::new(), Vec::new());
    for text in texts {
        let checked = check(&text);
        let maker = match &checked {
            Ok(_) => text.clone(),
            Err(message) => format!("{{throw new SyntaxError({})}}", quoted(message)),
        };
        code.push_str(&format!("\n{FORESEE}({},()=>{maker});", quoted(&text)));
        functions.push((text, checked.unwrap_or_default()));
    }
    // Blanks in front, so that the nodes lie where their text will be.
    let start = program.source_text.len();
    let padded = allocator.alloc_str(&format!("{}{code}", " ".repeat(start)));
    let mut parsed = Parser::new(allocator, padded, SourceType::script()).with_options(options()).parse();
    if !parsed.diagnostics.is_empty() || parsed.program.body.len() != functions.len() {
        return Inserted::default();
    }
    for statement in &mut parsed.program.body {
        make_callable_from_start(statement);
    }
    parsed.program.body.extend(program.body.drain(..));
    program.body = parsed.program.body;
    program.source_text = allocator.alloc_str(&format!("{}{code}", program.source_text));
    Inserted { functions, region: start as u32..program.source_text.len() as u32 }
}

/// Whether a function may see that its parameters and its `arguments` are the same in sloppy code, which compiled code does not
/// do.
fn aliases_arguments(text: &str) -> bool {
    text.contains("arguments") && !text.contains("(\n) {\n")
}

/// The functions may be called while the module's variables are not initialised, although their text lies behind it.
fn make_callable_from_start(statement: &mut Statement<'_>) {
    if let Statement::ExpressionStatement(statement) = statement
        && let Expression::CallExpression(call) = &mut statement.expression
        && let Some(Argument::ArrowFunctionExpression(arrow)) = call.arguments.get_mut(1)
    {
        arrow.span.start = 0;
    }
}

/// The flags of the scopes of a function's text, in the order of their visit, or its first early error. Parameters and body
/// must each be complete.
fn check(text: &str) -> Result<Vec<ScopeFlags>, String> {
    let invalid = || "Invalid or unexpected token".to_owned();
    let (head, rest) = text.split_once('(').ok_or_else(invalid)?;
    let bodies = rest.match_indices("\n) {\n").map(|(at, _)| at);
    // Where parameters end cannot be told from the text alone if it has more than one such place.
    let parts = bodies.filter_map(|at| Some((rest.get(..at)?, rest.get(at + 5..rest.len() - 2)?)));
    for (parameters, body) in parts {
        let alone = [format!("{head}({parameters}\n) {{\n\n}}"), format!("{head}(\n) {{\n{body}\n}}")];
        if alone.iter().all(|text| parse(text).is_ok()) {
            return parse(text);
        }
    }
    parse(text).and(Err(invalid()))
}

fn parse(text: &str) -> Result<Vec<ScopeFlags>, String> {
    let (allocator, expression) = (Allocator::default(), format!("({text})"));
    let parsed = Parser::new(&allocator, &expression, SourceType::script()).with_options(options()).parse();
    let message = |message: &str| message.replace('`', "'");
    if let Some(error) = parsed.diagnostics.iter().next() {
        return Err(message(&error.message));
    }
    let semantic = SemanticBuilder::new_compiler().build(&parsed.program);
    if let Some(error) = semantic.diagnostics.iter().next() {
        return Err(message(&error.message));
    }
    let scoping = semantic.semantic.scoping();
    let mut inspector = Inspector::new(scoping);
    inspector.visit_program(&parsed.program);
    // The first scope is the program's.
    Ok(inspector.scopes.iter().skip(1).map(|&scope| scoping.scope_flags(scope)).collect())
}

/// Collects the scopes of what it visits, and looks for names that belong to what surrounds it.
struct Inspector<'s> {
    scoping: &'s Scoping,
    is_module: bool,
    scopes: Vec<ScopeId>,
    entangled: bool,
}

impl<'s> Inspector<'s> {
    fn new(scoping: &'s Scoping) -> Self {
        Inspector { scoping, is_module: false, scopes: Vec::new(), entangled: false }
    }
}

impl<'a> Visit<'a> for Inspector<'_> {
    fn enter_scope(&mut self, _: ScopeFlags, scope: &Cell<Option<ScopeId>>) {
        self.scopes.extend(scope.get());
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        let reference = identifier.reference_id.get().map(|id| self.scoping.get_reference(id));
        let Some(symbol) = reference.and_then(|reference| reference.symbol_id()) else { return };
        let is_outside = self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id();
        self.entangled |= is_outside && self.is_module || identifier.name == NAME;
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn options() -> ParseOptions {
    ParseOptions { preserve_parens: false, parse_regular_expression: true, ..ParseOptions::default() }
}
