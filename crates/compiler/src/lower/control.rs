//! Leaving statements early: `break`, `continue`, `return`, through `finally` blocks and open iterators; `try`.
//!
//! A `finally` block is lowered once. Whoever enters it says by a number how the block is to be left: 0 goes on behind
//! it, 1 throws again, each other number stands for one jump or `return` that passes through.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

use super::Result;
use super::builder::Builder;
use super::facts::Implicit;
use super::function::FunctionLowerer;
use super::patterns::Source;
use crate::ir::{Binary, Block, FunctionKind, Op, Reg, Terminator};

/// Something around the current statement that early exits must respect, innermost last.
pub(super) enum Control {
    /// `break` goes to the block. Loops and `switch` also take it without a label.
    Break { labels: Vec<String>, unlabelled: bool, target: Block },
    /// `continue` goes to the block.
    Continue { labels: Vec<String>, target: Block },
    /// An iterator that is closed when left; `handler` is the one outside.
    Iterator { record: Reg, is_async: bool, handler: Option<Block> },
    /// A `finally` block.
    Finally(Finally),
}

/// Ways through a `finally` block.
pub(super) struct Finally {
    /// Number that says how to go on.
    kind: Reg,
    /// Value returned or thrown.
    pub(super) value: Reg,
    entry: Block,
    exits: Vec<Exit>,
}

/// An early exit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// To a block of the control entry that has it.
    Jump(Block),
    /// Out of the function with a value.
    Return(Reg),
}

const NORMAL: i32 = 0;
const THROW: i32 = 1;
const FIRST_EXIT: i32 = 2;

impl FunctionLowerer<'_, '_> {
    pub(super) fn break_statement(&mut self, label: Option<&str>) -> Result<()> {
        let target = self.control.iter().rev().find_map(|control| match (control, label) {
            (Control::Break { unlabelled: true, target, .. }, None) => Some(*target),
            (Control::Break { labels, target, .. }, Some(label)) if labels.iter().any(|own| own == label) => {
                Some(*target)
            }
            _ => None,
        });
        self.exit_to(target)
    }

    pub(super) fn continue_statement(&mut self, label: Option<&str>) -> Result<()> {
        let target = self.control.iter().rev().find_map(|control| match (control, label) {
            (Control::Continue { target, .. }, None) => Some(*target),
            (Control::Continue { labels, target }, Some(label)) if labels.iter().any(|own| own == label) => {
                Some(*target)
            }
            _ => None,
        });
        self.exit_to(target)
    }

    /// The checks of the parser leave no jump without target.
    fn exit_to(&mut self, target: Option<Block>) -> Result<()> {
        match target {
            Some(target) => self.exit(Exit::Jump(target), self.control.len()),
            None => Ok(()),
        }
    }

    pub(super) fn return_value(&mut self, value: Reg) -> Result<()> {
        self.exit(Exit::Return(value), self.control.len())
    }

    /// Leaves the innermost `depth` control entries one by one until the exit's own, or the function.
    fn exit(&mut self, exit: Exit, depth: usize) -> Result<()> {
        for index in (0..depth).rev() {
            let close = match &mut self.control[index] {
                Control::Break { target, .. } | Control::Continue { target, .. } => {
                    if exit == Exit::Jump(*target) {
                        self.builder.jump(*target);
                        return Ok(());
                    }
                    continue;
                }
                Control::Finally(finally) => {
                    let Finally { kind, value, entry, .. } = *finally;
                    let kind_number = finally.number_of(exit);
                    if let Exit::Return(returned) = exit {
                        self.builder.emit_into(value, Op::Copy(returned));
                    }
                    self.builder.emit_into(kind, Op::Int(kind_number));
                    self.builder.jump(entry);
                    return Ok(());
                }
                Control::Iterator { record, is_async, handler } => (*record, *is_async, *handler),
            };
            let (record, is_async, handler) = close;
            // Its own handler would close the iterator again.
            let inner = self.builder.handler();
            let value = match exit {
                Exit::Return(value) => Some(self.stable(value, true)),
                Exit::Jump(_) => None,
            };
            self.builder.set_handler(handler);
            self.close_iterator(record, is_async);
            self.exit(value.map_or(exit, Exit::Return), index)?;
            self.builder.set_handler_for_next(inner);
            let unreachable = self.builder.new_block();
            self.builder.switch_to(unreachable);
            return Ok(());
        }
        if let Exit::Return(value) = exit {
            self.finish_return(value);
        }
        Ok(())
    }

    /// The last step of `return`, when nothing is left to run. Derived constructors return an object or `this`.
    pub(super) fn finish_return(&mut self, value: Reg) {
        if self.kind != FunctionKind::DerivedConstructor {
            self.builder.terminate(Terminator::Return(value));
            return;
        }
        // The caller checks the result: no handler of this function sees what it throws.
        let handler = self.builder.handler();
        self.builder.set_handler(None);
        self.checked_return(value);
        self.builder.set_handler(handler);
    }

    fn checked_return(&mut self, value: Reg) {
        let (is_object, other, undefined, wrong) =
            (self.builder.new_block(), self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        let test = self.builder.emit(Op::IsObject(value));
        self.builder.branch(test, is_object, other);
        self.builder.terminate(Terminator::Return(value));
        self.builder.switch_to(other);
        let test = self.builder.emit(Op::IsUndefined(value));
        self.builder.branch(test, undefined, wrong);
        let position = self.builder.position;
        let this = self.read_this(position);
        self.builder.terminate(Terminator::Return(this));
        self.builder.switch_to(wrong);
        self.throw_error(false, "Derived constructors may only return object or undefined");
    }

    pub(super) fn close_iterator(&mut self, record: Reg, is_async: bool) {
        if !is_async {
            self.builder.perform(Op::IteratorClose { record, throwing: false });
            return;
        }
        let (wait, check, done) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        let promise = self.builder.emit(Op::AsyncIteratorClose { record, throwing: false });
        let nothing = self.builder.emit(Op::IsEmpty(promise));
        self.builder.branch(nothing, done, wait);
        self.builder.switch_to(wait);
        let result = self.await_value(promise);
        let is_object = self.builder.emit(Op::IsObject(result));
        self.builder.branch(is_object, done, check);
        self.builder.switch_to(check);
        self.throw_error(false, "Iterator result is not an object");
        self.builder.switch_to(done);
    }

    /// Handler that closes an iterator when its consumer threw, then goes on throwing. Fills `cleanup`, which must be
    /// begun with the handler outside in force.
    pub(super) fn iterator_cleanup(&mut self, cleanup: Block, record: Reg, is_async: bool) {
        self.builder.switch_to(cleanup);
        let exception = self.builder.emit(Op::Catch);
        if is_async {
            self.close_async_quietly(record);
        } else {
            self.builder.perform(Op::IteratorClose { record, throwing: true });
        }
        self.builder.terminate(Terminator::Throw(exception));
    }

    fn close_async_quietly(&mut self, record: Reg) {
        let (wait, failed, done) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        let outer = self.builder.handler();
        let promise = self.builder.emit(Op::AsyncIteratorClose { record, throwing: true });
        let nothing = self.builder.emit(Op::IsEmpty(promise));
        self.builder.branch(nothing, done, wait);
        self.builder.set_handler_for_next(Some(failed));
        self.builder.switch_to(wait);
        self.await_value(promise);
        self.builder.jump(done);
        self.builder.set_handler_for_next(outer);
        self.builder.switch_to(failed);
        self.builder.emit(Op::Catch);
        self.builder.fall_into(done);
    }

    // ---- try ----

    pub(super) fn try_statement(&mut self, statement: &TryStatement<'_>) -> Result<()> {
        match (&statement.handler, &statement.finalizer) {
            (Some(handler), None) => self.try_catch(&statement.block, handler),
            (handler, Some(finalizer)) => self.try_finally(&statement.block, handler.as_deref(), finalizer),
            (None, None) => self.block(&statement.block),
        }
    }

    fn try_catch(&mut self, block: &BlockStatement<'_>, clause: &CatchClause<'_>) -> Result<()> {
        let outer = self.builder.handler();
        let (catch, after) = (self.builder.new_block(), self.builder.new_block());
        self.builder.set_handler(Some(catch));
        self.block(block)?;
        self.builder.jump(after);
        self.builder.set_handler_for_next(outer);
        self.builder.switch_to(catch);
        self.catch_clause(clause)?;
        self.builder.fall_into(after);
        Ok(())
    }

    fn catch_clause(&mut self, clause: &CatchClause<'_>) -> Result<()> {
        self.builder.position = clause.span.start;
        let exception = self.builder.emit(Op::Catch);
        let (scope, body_scope) = (clause.scope_id.get(), clause.body.scope_id.get());
        self.enter_scope(scope);
        // The parameter's variables are recorded in the body's scope.
        self.enter_scope(body_scope);
        if let Some(parameter) = &clause.param {
            self.destructure(&parameter.pattern, exception, Source::Caught)?;
        }
        self.hoist_functions(&clause.body.body);
        self.statements(&clause.body.body)?;
        self.leave_scope(body_scope);
        self.leave_scope(scope);
        Ok(())
    }

    fn try_finally(
        &mut self,
        block: &BlockStatement<'_>,
        clause: Option<&CatchClause<'_>>,
        finalizer: &BlockStatement<'_>,
    ) -> Result<()> {
        self.finally(
            finalizer.span.start,
            |this| match clause {
                Some(clause) => this.try_catch(block, clause),
                None => this.block(block),
            },
            |this, _| this.block(finalizer),
        )
    }

    /// Lowers `guarded` so that `finalizer`, told how it was left, runs on every way out of it.
    pub(super) fn finally(
        &mut self,
        position: u32,
        guarded: impl FnOnce(&mut Self) -> Result<()>,
        finalizer: impl FnOnce(&mut Self, &Finally) -> Result<()>,
    ) -> Result<()> {
        let outer = self.builder.handler();
        let (kind, value) = (self.result_register(), self.result_register());
        let (thrown, entry, after) = (self.builder.new_block(), self.builder.new_block(), self.builder.new_block());
        // Every way into the block defines both registers.
        self.builder.emit_into(value, Op::Special(convex_wasm_abi::value::UNDEFINED));
        self.control.push(Control::Finally(Finally { kind, value, entry, exits: Vec::new() }));
        self.builder.set_handler(Some(thrown));
        let lowered = guarded(self);
        let popped = self.control.pop();
        lowered?;
        let Some(Control::Finally(finally)) = popped else { return Ok(()) };
        self.builder.emit_into(kind, Op::Int(NORMAL));
        self.builder.jump(entry);
        self.builder.set_handler_for_next(outer);
        self.builder.switch_to(thrown);
        self.builder.position = position;
        self.builder.emit_into(value, Op::Catch);
        self.builder.emit_into(kind, Op::Int(THROW));
        self.builder.fall_into(entry);
        finalizer(self, &finally)?;
        self.leave_finally(&finally, after)?;
        self.builder.switch_to(after);
        Ok(())
    }

    fn leave_finally(&mut self, finally: &Finally, after: Block) -> Result<()> {
        let rethrow = self.builder.new_block();
        let mut targets = vec![after, rethrow];
        targets.extend(finally.exits.iter().map(|_| self.builder.new_block()));
        let exits: Vec<Block> = targets[FIRST_EXIT as usize..].to_vec();
        self.builder.terminate(Terminator::Dispatch { index: finally.kind, targets, otherwise: rethrow });
        self.builder.switch_to(rethrow);
        self.builder.terminate(Terminator::Throw(finally.value));
        for (exit, block) in finally.exits.iter().zip(exits) {
            self.builder.switch_to(block);
            let exit = match exit {
                Exit::Return(_) => Exit::Return(finally.value),
                jump => *jump,
            };
            self.exit(exit, self.control.len())?;
        }
        Ok(())
    }

    pub(super) fn return_statement(&mut self, statement: &ReturnStatement<'_>) -> Result<()> {
        let mut value = match &statement.argument {
            Some(argument) => self.expression(argument)?,
            None => self.builder.undefined(),
        };
        if self.is_async && self.is_generator && statement.argument.is_some() {
            value = self.await_value(value);
        }
        self.builder.position = statement.span.start;
        self.return_value(value)
    }

    pub(super) fn throw_statement(&mut self, statement: &ThrowStatement<'_>) -> Result<()> {
        let value = self.expression(&statement.argument)?;
        self.builder.position = statement.argument.span().start;
        self.builder.terminate(Terminator::Throw(value));
        Ok(())
    }

    /// Runs field initialisers on `this`, if the class being constructed has any.
    pub(super) fn run_instance_initializer(&mut self) -> Result<()> {
        let receiver = self.module.facts.receiver(self.id);
        let Some(&(initializer, slot)) = self.module.initializers.get(&receiver) else { return Ok(()) };
        let this = self.read_implicit(Implicit::This);
        let callee = self.load_slot(slot);
        self.builder.emit(Op::Call {
            callee,
            this,
            arguments: crate::ir::Arguments::List(Vec::new()),
            known: Some(initializer),
            name: None,
        });
        Ok(())
    }
}

impl Finally {
    /// Whether the block is being left because of an exception, as a register.
    pub(super) fn is_throwing(&self, builder: &mut Builder) -> Reg {
        let throw = builder.emit(Op::Int(THROW));
        builder.emit(Op::Binary(Binary::StrictEqual, self.kind, throw))
    }

    /// Number of an exit; all returns share one, since their value travels in a register.
    fn number_of(&mut self, exit: Exit) -> i32 {
        let same = |known: &Exit| *known == exit || matches!((known, exit), (Exit::Return(_), Exit::Return(_)));
        let index = self.exits.iter().position(same).unwrap_or_else(|| {
            self.exits.push(exit);
            self.exits.len() - 1
        });
        FIRST_EXIT + index as i32
    }
}
