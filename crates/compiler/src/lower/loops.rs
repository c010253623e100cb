//! Loops, with a fresh environment for each iteration where closures capture the loop's variables.

use oxc_ast::ast::*;
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeId;

use super::control::Control;
use super::facts::EnvKey;
use super::function::FunctionLowerer;
use super::patterns::Source;
use super::{Result, disposal, text};
use crate::ir::{Block, Op, Reg, Terminator};

impl FunctionLowerer<'_, '_> {
    /// Lowers a loop's body between its `break` and `continue` targets.
    fn loop_body(&mut self, body: &Statement<'_>, continue_target: Block, break_target: Block) -> Result<()> {
        let labels = std::mem::take(&mut self.labels);
        self.control.push(Control::Break { labels: labels.clone(), unlabelled: true, target: break_target });
        self.control.push(Control::Continue { labels, target: continue_target });
        let lowered = self.statement(body);
        self.control.pop();
        self.control.pop();
        lowered
    }

    pub(super) fn while_statement(&mut self, statement: &WhileStatement<'_>) -> Result<()> {
        let (head, body, after) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.builder.fall_into(head);
        self.condition(&statement.test, body, after)?;
        self.builder.switch_to(body);
        self.loop_body(&statement.body, head, after)?;
        self.builder.jump(head);
        self.builder.switch_to(after);
        Ok(())
    }

    pub(super) fn do_while(&mut self, statement: &DoWhileStatement<'_>) -> Result<()> {
        let (body, test, after) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.builder.fall_into(body);
        self.loop_body(&statement.body, test, after)?;
        self.builder.fall_into(test);
        self.condition(&statement.test, body, after)?;
        self.builder.switch_to(after);
        Ok(())
    }

    pub(super) fn for_statement(&mut self, statement: &ForStatement<'_>) -> Result<()> {
        let labels = std::mem::take(&mut self.labels);
        let scope = statement.scope_id.get();
        self.enter_scope(scope);
        let lowered = match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) if declaration.kind.is_using() => {
                self.disposing(disposal::of_declaration(declaration), |this| this.for_parts(statement, labels))
            }
            _ => self.for_parts(statement, labels),
        };
        self.leave_scope(scope);
        lowered
    }

    fn for_parts(&mut self, statement: &ForStatement<'_>, labels: Vec<String>) -> Result<()> {
        let scope = statement.scope_id.get();
        match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => self.variable_declaration(declaration)?,
            Some(init) => {
                if let Some(expression) = init.as_expression() {
                    self.effect(expression)?;
                }
            }
            None => {}
        }
        let (head, body, update, after) =
            (self.builder.new_block(), self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.renew_scope(scope);
        self.builder.fall_into(head);
        match &statement.test {
            Some(test) => self.condition(test, body, after)?,
            None => self.builder.jump(body),
        }
        self.builder.switch_to(body);
        self.labels = labels;
        self.loop_body(&statement.body, update, after)?;
        self.builder.fall_into(update);
        self.renew_scope(scope);
        if let Some(expression) = &statement.update {
            self.effect(expression)?;
        }
        self.builder.jump(head);
        self.builder.switch_to(after);
        Ok(())
    }

    fn renew_scope(&mut self, scope: Option<ScopeId>) {
        if let Some(scope) = scope {
            self.renew_env(EnvKey::Scope(scope));
        }
    }

    pub(super) fn for_in(&mut self, statement: &ForInStatement<'_>) -> Result<()> {
        let object = self.loop_subject(&statement.right, statement.scope_id.get())?;
        self.builder.position = statement.right.span().start;
        let record = self.builder.emit(Op::ForInOpen(object));
        let (head, body, after) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.builder.fall_into(head);
        let key = self.builder.emit(Op::ForInNext(record));
        let done = self.builder.emit(Op::IsEmpty(key));
        self.builder.terminate(Terminator::Branch { condition: done, then: after, otherwise: body });
        self.builder.switch_to(body);
        let scope = statement.scope_id.get();
        let labels = std::mem::take(&mut self.labels);
        self.enter_scope(scope);
        self.loop_variable(&statement.left, key)?;
        self.labels = labels;
        self.loop_body(&statement.body, head, after)?;
        self.leave_scope(scope);
        self.builder.jump(head);
        self.builder.switch_to(after);
        Ok(())
    }

    pub(super) fn for_of(&mut self, statement: &ForOfStatement<'_>) -> Result<()> {
        let is_async = statement.r#await;
        let labels = std::mem::take(&mut self.labels);
        let iterable = self.loop_subject(&statement.right, statement.scope_id.get())?;
        self.builder.position = statement.right.span().start;
        let name = text::iterable(&statement.right, is_async).map(|name| self.module.string(&name));
        let open = if is_async { Op::AsyncIteratorOpen(iterable, name) } else { Op::IteratorOpen(iterable, name) };
        let record = self.builder.emit(open);
        let (head, body, after, cleanup) =
            (self.builder.new_block(), self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        self.builder.fall_into(head);
        self.builder.position = variable_position(&statement.left);
        let value = self.next_value(record, is_async);
        let done = self.builder.emit(Op::IsEmpty(value));
        self.builder.terminate(Terminator::Branch { condition: done, then: after, otherwise: body });

        let outer = self.builder.handler();
        self.builder.set_handler_for_next(Some(cleanup));
        self.builder.switch_to(body);
        self.control.push(Control::Break { labels: labels.clone(), unlabelled: true, target: after });
        self.control.push(Control::Iterator { record, is_async, handler: outer });
        self.control.push(Control::Continue { labels, target: head });
        let scope = statement.scope_id.get();
        self.enter_scope(scope);
        let iteration = |this: &mut Self| {
            this.loop_variable(&statement.left, value)?;
            this.statement(&statement.body)
        };
        let lowered = match &statement.left {
            ForStatementLeft::VariableDeclaration(declaration) if declaration.kind.is_using() => {
                self.disposing(disposal::of_declaration(declaration), iteration)
            }
            _ => iteration(self),
        };
        self.leave_scope(scope);
        self.control.truncate(self.control.len() - 3);
        lowered?;
        self.builder.jump(head);

        self.builder.set_handler_for_next(outer);
        self.iterator_cleanup(cleanup, record, is_async);
        self.builder.switch_to(after);
        Ok(())
    }

    /// What a loop goes over, evaluated where the loop's variables are in their dead zone.
    fn loop_subject(&mut self, subject: &Expression<'_>, scope: Option<ScopeId>) -> Result<Reg> {
        let scoping = self.module.scoping;
        let facts = self.module.facts;
        let used = |scope: &ScopeId| scoping.iter_bindings_in(*scope).any(|symbol| facts.is_checked(symbol));
        let scope = scope.filter(used);
        self.enter_scope(scope);
        let value = self.expression(subject);
        self.leave_scope(scope);
        value
    }

    fn next_value(&mut self, record: Reg, is_async: bool) -> Reg {
        if !is_async {
            return self.builder.emit(Op::IteratorNext(record));
        }
        let promise = self.builder.emit(Op::AsyncIteratorNext(record));
        let result = self.await_value(promise);
        self.builder.emit(Op::AsyncIteratorResult(record, result))
    }

    /// Gives the loop's variable, or whatever stands in its place, the next value.
    fn loop_variable(&mut self, left: &ForStatementLeft<'_>, value: Reg) -> Result<()> {
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                self.register_disposable(declaration.kind, value);
                match declaration.declarations.first() {
                    Some(declarator) => self.destructure(&declarator.id, value, Source::ForVariable),
                    None => Ok(()),
                }
            }
            left => match left.as_assignment_target() {
                Some(target) => self.assign_target(target, value),
                None => Ok(()),
            },
        }
    }
}

/// Where a loop's variable, or what stands in its place, is: V8 blames it for asking for the next value.
fn variable_position(left: &ForStatementLeft<'_>) -> u32 {
    let declared = match left {
        ForStatementLeft::VariableDeclaration(declaration) => declaration.declarations.first(),
        _ => None,
    };
    declared.map_or(left.span().start, |declarator| declarator.id.span().start)
}
