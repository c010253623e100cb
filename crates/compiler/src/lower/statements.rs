//! Statements other than loops and `try`.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::control::Control;
use super::disposal;
use super::function::FunctionLowerer;
use super::patterns::Source;
use super::{Refusal, Result};
use crate::ir::{Binary, Op, Terminator};

impl FunctionLowerer<'_, '_> {
    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) -> Result<()> {
        let all = |this: &mut Self| statements.iter().try_for_each(|statement| this.statement(statement));
        match disposal::of_statements(statements) {
            Some(disposal) => self.disposing(disposal, all),
            None => all(self),
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement<'_>) -> Result<()> {
        self.builder.position = statement.span().start;
        let labels = match statement {
            // These take the labels in front of them.
            Statement::LabeledStatement(_)
            | Statement::ForStatement(_)
            | Statement::ForInStatement(_)
            | Statement::ForOfStatement(_)
            | Statement::WhileStatement(_)
            | Statement::DoWhileStatement(_) => Vec::new(),
            _ => std::mem::take(&mut self.labels),
        };
        if labels.is_empty() {
            return self.unlabelled(statement);
        }
        let after = self.builder.new_block();
        self.control.push(Control::Break { labels, unlabelled: false, target: after });
        let lowered = self.unlabelled(statement);
        self.control.pop();
        lowered?;
        self.builder.fall_into(after);
        Ok(())
    }

    fn unlabelled(&mut self, statement: &Statement<'_>) -> Result<()> {
        match statement {
            Statement::ExpressionStatement(statement) => self.effect(&statement.expression),
            Statement::VariableDeclaration(declaration) => self.variable_declaration(declaration),
            Statement::FunctionDeclaration(_) | Statement::EmptyStatement(_) | Statement::DebuggerStatement(_) => {
                Ok(())
            }
            Statement::ClassDeclaration(class) => self.class_declaration(class),
            Statement::BlockStatement(block) => self.block(block),
            Statement::IfStatement(statement) => self.if_statement(statement),
            Statement::ForStatement(statement) => self.for_statement(statement),
            Statement::ForInStatement(statement) => self.for_in(statement),
            Statement::ForOfStatement(statement) => self.for_of(statement),
            Statement::WhileStatement(statement) => self.while_statement(statement),
            Statement::DoWhileStatement(statement) => self.do_while(statement),
            Statement::SwitchStatement(statement) => self.switch(statement),
            Statement::ReturnStatement(statement) => self.return_statement(statement),
            Statement::ThrowStatement(statement) => self.throw_statement(statement),
            Statement::TryStatement(statement) => self.try_statement(statement),
            Statement::BreakStatement(statement) => self.break_statement(label_name(&statement.label)),
            Statement::ContinueStatement(statement) => self.continue_statement(label_name(&statement.label)),
            Statement::LabeledStatement(statement) => {
                self.labels.push(statement.label.name.to_string());
                self.statement(&statement.body)
            }
            Statement::ImportDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_) => Ok(()),
            Statement::ExportDeclaration(export) => self.exported(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => self.export_default(&export.declaration),
            Statement::WithStatement(statement) => self.with_statement(statement),
            other => Err(Refusal::new("it has syntax that is not JavaScript", other.span().start)),
        }
    }

    fn exported(&mut self, declaration: &Declaration<'_>) -> Result<()> {
        match declaration {
            Declaration::VariableDeclaration(variables) => self.variable_declaration(variables),
            Declaration::ClassDeclaration(class) => self.class_declaration(class),
            _ => Ok(()),
        }
    }

    fn export_default(&mut self, declaration: &ExportDefaultDeclarationKind<'_>) -> Result<()> {
        let value = match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_) => return Ok(()),
            ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                return self.class_declaration(class);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class(class, "default")?,
            other => match other.as_expression() {
                Some(expression) => self.named(expression, "default")?,
                None => return Ok(()),
            },
        };
        self.store_default_export(value);
        Ok(())
    }

    fn class_declaration(&mut self, class: &Class<'_>) -> Result<()> {
        self.class(class, "")?;
        Ok(())
    }

    pub(super) fn variable_declaration(&mut self, declaration: &VariableDeclaration<'_>) -> Result<()> {
        for declarator in &declaration.declarations {
            self.builder.position = declarator.span.start;
            self.declarator(declarator, declaration.kind)?;
        }
        Ok(())
    }

    fn declarator(&mut self, declarator: &VariableDeclarator<'_>, kind: VariableDeclarationKind) -> Result<()> {
        match (&declarator.id, &declarator.init) {
            (BindingPattern::BindingIdentifier(identifier), init) => {
                let Some(symbol) = identifier.symbol_id.get() else { return Ok(()) };
                let found = init.as_ref().and_then(|_| self.find_variable_in_objects(symbol));
                let value = match init {
                    Some(init) => self.named(init, &identifier.name)?,
                    None if kind.is_var() => return Ok(()),
                    None => self.builder.undefined(),
                };
                self.builder.position = declarator.span.start;
                self.register_disposable(kind, value);
                if let Some(found) = found {
                    return self.initialize_found(symbol, found, value);
                }
                let temporary = !self.variables.contains(&value);
                self.initialize_symbol(symbol, value, temporary);
                Ok(())
            }
            (pattern, Some(init)) => {
                let value = self.expression(init)?;
                // `var` patterns may assign the variable that the value came from.
                let value = self.stable(value, kind.is_var());
                self.destructure(pattern, value, Source::Initializer(init))
            }
            (_, None) => Ok(()),
        }
    }

    pub(super) fn block(&mut self, block: &BlockStatement<'_>) -> Result<()> {
        let scope = block.scope_id.get();
        self.enter_scope(scope);
        self.hoist_functions(&block.body);
        let lowered = self.statements(&block.body);
        self.leave_scope(scope);
        lowered
    }

    fn if_statement(&mut self, statement: &IfStatement<'_>) -> Result<()> {
        let (then, after) = (self.builder.new_block(), self.builder.new_block());
        let otherwise = if statement.alternate.is_some() { self.builder.new_block() } else { after };
        self.condition(&statement.test, then, otherwise)?;
        self.builder.switch_to(then);
        self.statement(&statement.consequent)?;
        self.builder.jump(after);
        if let Some(alternate) = &statement.alternate {
            self.builder.switch_to(otherwise);
            self.statement(alternate)?;
            self.builder.jump(after);
        }
        self.builder.switch_to(after);
        Ok(())
    }

    fn switch(&mut self, statement: &SwitchStatement<'_>) -> Result<()> {
        let value = self.expression(&statement.discriminant)?;
        let value = self.stable(value, true);
        let scope = statement.scope_id.get();
        self.enter_scope(scope);
        for case in &statement.cases {
            self.hoist_functions(&case.consequent);
        }
        let after = self.builder.new_block();
        let bodies: Vec<_> = statement.cases.iter().map(|_| self.builder.new_block()).collect();
        let mut default = after;
        for (case, &body) in statement.cases.iter().zip(&bodies) {
            let Some(test) = &case.test else {
                default = body;
                continue;
            };
            let test = self.expression(test)?;
            self.builder.position = case.span.start;
            let equal = self.builder.emit(Op::Binary(Binary::StrictEqual, value, test));
            let next = self.builder.new_block();
            self.builder.terminate(Terminator::Branch { condition: equal, then: body, otherwise: next });
            self.builder.switch_to(next);
        }
        self.builder.jump(default);
        self.control.push(Control::Break { labels: Vec::new(), unlabelled: true, target: after });
        for (case, &body) in statement.cases.iter().zip(&bodies) {
            self.builder.fall_into(body);
            self.statements(&case.consequent)?;
        }
        self.control.pop();
        self.leave_scope(scope);
        self.builder.fall_into(after);
        Ok(())
    }
}

pub(super) fn label_name<'b>(label: &'b Option<LabelIdentifier<'_>>) -> Option<&'b str> {
    label.as_ref().map(|label| label.name.as_str())
}
