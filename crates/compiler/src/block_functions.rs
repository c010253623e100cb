//! Functions declared in blocks of sloppy code (ECMA-262 B.3.2), rewritten before names are resolved.
//!
//! Such a function is a variable of its block, and where its declaration is evaluated also becomes the value of a `var`
//! of the function around it, unless that would be an error. `{ …; function f() {} … }` becomes
//! `{ let f = function () {}; …; $hoist_f(f); … }`, with `var f; const $hoist_f = ($v) => { f = $v; };` at the beginning
//! of the function around it.

use std::collections::HashSet;

use oxc_allocator::{Allocator, Vec as ArenaVec};
use oxc_ast::ast::*;
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_parser::Parser;
use oxc_span::SourceType;
use oxc_syntax::scope::ScopeFlags;

use crate::constant_eval::{DECLARE, has_use_strict, parameter_names};

/// Rewrites a script.
pub(crate) fn rewrite<'a>(allocator: &'a Allocator, program: &mut Program<'a>) {
    let mut rewriter = Rewriter {
        allocator,
        strict: has_use_strict(&program.directives),
        parameters: HashSet::new(),
        scopes: Vec::new(),
        blocks: Vec::new(),
    };
    rewriter.variable_scope(&mut program.body);
}

/// A function, the script, or a text given to `eval`.
struct VariableScope {
    is_eval: bool,
    parameters: HashSet<String>,
    /// Number of blocks around it.
    depth: usize,
    /// Names of functions in blocks that are its variables too.
    hoisted: Vec<String>,
}

struct Rewriter<'a> {
    allocator: &'a Allocator,
    strict: bool,
    /// Names of the parameters of the function whose body comes next.
    parameters: HashSet<String>,
    scopes: Vec<VariableScope>,
    /// Lexically declared names of the blocks around the current statement.
    blocks: Vec<HashSet<String>>,
}

impl<'a> Rewriter<'a> {
    fn variable_scope(&mut self, body: &mut ArenaVec<'a, Statement<'a>>) {
        let at = body.iter().take_while(|statement| !is_marker(statement)).count();
        let is_eval = at < body.len();
        let parameters = std::mem::take(&mut self.parameters);
        self.scopes.push(VariableScope { is_eval, parameters, depth: self.blocks.len(), hoisted: Vec::new() });
        self.blocks.push(body.iter().flat_map(|statement| lexical_names(statement, false)).collect());
        for statement in body.iter_mut() {
            self.visit_statement(statement);
        }
        self.blocks.pop();
        let hoisted = self.scopes.pop().map(|scope| scope.hoisted).unwrap_or_default();
        let at = if is_eval { at + 1 } else { 0 };
        for name in hoisted.iter().rev() {
            let declaration = match is_eval {
                true => format!("{DECLARE}({name:?});"),
                false if name == "arguments" => String::new(),
                false => format!("var {name};"),
            };
            let setter = format!("const $hoist_{name}=($v)=>{{{name}=$v}};");
            for statement in self.parse(&(declaration + &setter)).into_iter().rev() {
                body.insert(at, statement);
            }
        }
    }

    /// Statements of a block with names of its own.
    fn block(&mut self, statements: &mut ArenaVec<'a, Statement<'a>>) {
        self.in_block(statements.iter().flat_map(|statement| lexical_names(statement, true)).collect(), |this| {
            for statement in statements.iter_mut() {
                this.visit_statement(statement);
            }
        });
        for declaration in self.take_functions(statements.iter_mut()).into_iter().rev() {
            statements.insert(0, declaration);
        }
    }

    fn in_block(&mut self, names: HashSet<String>, visit: impl FnOnce(&mut Self)) {
        self.blocks.push(names);
        visit(self);
        self.blocks.pop();
    }

    /// Takes the function declarations out of a block's statements. Answers what declares them at its beginning.
    fn take_functions<'s>(&mut self, statements: impl Iterator<Item = &'s mut Statement<'a>>) -> Vec<Statement<'a>>
    where
        'a: 's,
    {
        let mut declarations: Vec<(String, Statement<'a>)> = Vec::new();
        for statement in statements {
            let Some(name) = self.block_function(statement) else { continue };
            let hoist = self.may_hoist(&name);
            if let Some(scope) = self.scopes.last_mut().filter(|scope| hoist && !scope.hoisted.contains(&name)) {
                scope.hoisted.push(name.clone());
            }
            let evaluated = if hoist { format!("$hoist_{name}({name});") } else { ";".to_owned() };
            let Some(evaluated) = self.parse(&evaluated).pop() else { continue };
            let Some(mut declaration) = self.parse(&format!("let {name}=0;")).pop() else { continue };
            let Statement::FunctionDeclaration(mut function) = std::mem::replace(statement, evaluated) else {
                continue;
            };
            function.id = None;
            function.r#type = FunctionType::FunctionExpression;
            if let Statement::VariableDeclaration(variables) = &mut declaration
                && let Some(declarator) = variables.declarations.first_mut()
            {
                declarator.init = Some(Expression::FunctionExpression(function));
            }
            // The last of several functions with a name is the block's.
            declarations.retain(|(earlier, _)| *earlier != name);
            declarations.push((name, declaration));
        }
        declarations.into_iter().map(|(_, declaration)| declaration).collect()
    }

    /// The name of a function declaration that is sloppy code's own kind.
    fn block_function(&self, statement: &Statement<'a>) -> Option<String> {
        match statement {
            Statement::FunctionDeclaration(function) if !self.strict && !function.r#async && !function.generator => {
                function.id.as_ref().map(|id| id.name.to_string())
            }
            _ => None,
        }
    }

    /// Whether a `var` in place of the function would be no error.
    fn may_hoist(&self, name: &str) -> bool {
        let mut around = self.blocks.len();
        for scope in self.scopes.iter().rev() {
            if self.blocks[scope.depth..around].iter().any(|names| names.contains(name)) {
                return false;
            }
            if !scope.is_eval {
                let is_inner = self.scopes.last().is_some_and(|innermost| innermost.is_eval);
                return is_inner || !scope.parameters.contains(name);
            }
            around = scope.depth;
        }
        true
    }

    fn parse(&self, text: &str) -> Vec<Statement<'a>> {
        let text = self.allocator.alloc_str(text);
        let parsed = Parser::new(self.allocator, text, SourceType::script()).parse();
        parsed.program.body.into_iter().collect()
    }

    /// Puts a function that is a branch of an `if` into a block.
    fn wrap(&mut self, statement: &mut Statement<'a>) {
        if self.block_function(statement).is_some()
            && let Some(mut function) = self.parse("{}").pop()
        {
            std::mem::swap(statement, &mut function);
            if let Statement::BlockStatement(block) = statement {
                block.body.push(function);
            }
        }
    }
}

impl<'a> VisitMut<'a> for Rewriter<'a> {
    fn visit_statement(&mut self, statement: &mut Statement<'a>) {
        if let Statement::SwitchStatement(switch) = statement {
            self.visit_expression(&mut switch.discriminant);
            let names = switch.cases.iter().flat_map(|case| &case.consequent);
            self.in_block(names.flat_map(|statement| lexical_names(statement, true)).collect(), |this| {
                this.visit_switch_cases(&mut switch.cases);
            });
            let statements = switch.cases.iter_mut().flat_map(|case| case.consequent.iter_mut());
            let declarations = self.take_functions(statements);
            if !declarations.is_empty()
                && let Some(mut around) = self.parse("{}").pop()
            {
                std::mem::swap(statement, &mut around);
                if let Statement::BlockStatement(block) = statement {
                    block.body.extend(declarations);
                    block.body.push(around);
                }
            }
            return;
        }
        walk_mut::walk_statement(self, statement);
    }

    fn visit_block_statement(&mut self, block: &mut BlockStatement<'a>) {
        self.block(&mut block.body);
    }

    fn visit_if_statement(&mut self, statement: &mut IfStatement<'a>) {
        self.wrap(&mut statement.consequent);
        statement.alternate.iter_mut().for_each(|alternate| self.wrap(alternate));
        walk_mut::walk_if_statement(self, statement);
    }

    fn visit_for_statement(&mut self, statement: &mut ForStatement<'a>) {
        let names = match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => declared_lexically(declaration),
            _ => HashSet::new(),
        };
        self.in_block(names, |this| walk_mut::walk_for_statement(this, statement));
    }

    fn visit_for_in_statement(&mut self, statement: &mut ForInStatement<'a>) {
        let names = head_names(&statement.left);
        self.in_block(names, |this| walk_mut::walk_for_in_statement(this, statement));
    }

    fn visit_for_of_statement(&mut self, statement: &mut ForOfStatement<'a>) {
        let names = head_names(&statement.left);
        self.in_block(names, |this| walk_mut::walk_for_of_statement(this, statement));
    }

    fn visit_catch_clause(&mut self, clause: &mut CatchClause<'a>) {
        // A `var` may have the name of a parameter that is no pattern.
        let pattern = clause.param.as_ref().map(|parameter| &parameter.pattern);
        let names = pattern.filter(|pattern| !pattern.is_binding_identifier()).map(bound_names).unwrap_or_default();
        self.in_block(names.into_iter().collect(), |this| walk_mut::walk_catch_clause(this, clause));
    }

    fn visit_function(&mut self, function: &mut Function<'a>, flags: ScopeFlags) {
        let names = parameter_names(&function.params);
        let outer = std::mem::replace(&mut self.parameters, names);
        walk_mut::walk_function(self, function, flags);
        self.parameters = outer;
    }

    fn visit_arrow_function_expression(&mut self, arrow: &mut ArrowFunctionExpression<'a>) {
        let names = parameter_names(&arrow.params);
        let outer = std::mem::replace(&mut self.parameters, names);
        walk_mut::walk_arrow_function_expression(self, arrow);
        self.parameters = outer;
    }

    fn visit_function_body(&mut self, body: &mut FunctionBody<'a>) {
        let outer = self.strict;
        self.strict |= has_use_strict(&body.directives);
        self.variable_scope(&mut body.statements);
        self.strict = outer;
    }

    fn visit_class(&mut self, class: &mut Class<'a>) {
        let outer = std::mem::replace(&mut self.strict, true);
        walk_mut::walk_class(self, class);
        self.strict = outer;
    }
}

/// Whether a statement begins a text given to `eval`.
fn is_marker(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::CallExpression(call) => call.callee.is_specific_id(DECLARE),
            _ => false,
        },
        _ => false,
    }
}

/// Names that a statement declares in its block; functions are lexical in blocks only.
fn lexical_names(statement: &Statement<'_>, in_block: bool) -> HashSet<String> {
    match statement {
        Statement::VariableDeclaration(declaration) => declared_lexically(declaration),
        Statement::ClassDeclaration(class) => class.id.iter().map(|id| id.name.to_string()).collect(),
        Statement::FunctionDeclaration(function) if in_block => {
            function.id.iter().map(|id| id.name.to_string()).collect()
        }
        _ => HashSet::new(),
    }
}

fn declared_lexically(declaration: &VariableDeclaration<'_>) -> HashSet<String> {
    if declaration.kind.is_var() {
        return HashSet::new();
    }
    declaration.declarations.iter().flat_map(|declarator| bound_names(&declarator.id)).collect()
}

fn head_names(left: &ForStatementLeft<'_>) -> HashSet<String> {
    match left {
        ForStatementLeft::VariableDeclaration(declaration) => declared_lexically(declaration),
        _ => HashSet::new(),
    }
}

/// Names that a pattern binds.
pub(crate) fn bound_names(pattern: &BindingPattern<'_>) -> Vec<String> {
    pattern.get_binding_identifiers().iter().map(|identifier| identifier.name.to_string()).collect()
}
