//! `await`, `yield` and `yield*`: where a function suspends itself.

use convex_wasm_abi::layout::frame;
use oxc_ast::ast::*;

use super::Result;
use super::function::FunctionLowerer;
use crate::ir::{Binary, Block, Op, Reg, Terminator};

impl FunctionLowerer<'_, '_> {
    pub(super) fn await_expression(&mut self, expression: &AwaitExpression<'_>) -> Result<Reg> {
        let value = self.expression(&expression.argument)?;
        self.builder.position = expression.span.start;
        Ok(self.await_value(value))
    }

    /// Suspends until a value is settled. Answers what it was fulfilled with; a rejection is thrown here.
    pub(super) fn await_value(&mut self, value: Reg) -> Reg {
        // The result is defined by whoever resumes the function, so no earlier instruction may be redirected to it.
        let result = self.builder.new_register();
        let resume = self.builder.new_block();
        let position = self.builder.position;
        self.builder.terminate(Terminator::Await { value, result, resume, position });
        self.builder.switch_to(resume);
        result
    }

    pub(super) fn yield_expression(&mut self, expression: &YieldExpression<'_>) -> Result<Reg> {
        let mut value = match &expression.argument {
            Some(argument) => self.expression(argument)?,
            None => self.builder.undefined(),
        };
        self.builder.position = expression.span.start;
        if expression.delegate {
            return self.delegate(value);
        }
        if self.is_async {
            value = self.await_value(value);
        }
        let result = self.builder.new_register();
        let (resume, on_return) = (self.builder.new_block(), self.builder.new_block());
        self.builder.terminate(Terminator::Yield { value, result, resume, on_return });
        self.builder.switch_to(on_return);
        let returned = if self.is_async { self.await_value(result) } else { result };
        self.return_value(returned)?;
        self.builder.switch_to(resume);
        Ok(result)
    }

    /// AsyncGeneratorYield inside `yield*`: the value of a `return` is awaited first, and a rejection is thrown into the
    /// delegate instead. Goes on in `step`.
    fn await_returned(&mut self, mode: Reg, received: Reg, step: Block) {
        let (wait, rejected) = (self.builder.new_block(), self.builder.new_block());
        let returning = self.builder.emit(Op::Int(frame::RETURN));
        let returns = self.builder.emit(Op::Binary(Binary::StrictEqual, mode, returning));
        self.builder.terminate(Terminator::Branch { condition: returns, then: wait, otherwise: step });
        let outer = self.builder.handler();
        self.builder.set_handler_for_next(Some(rejected));
        self.builder.switch_to(wait);
        let settled = self.await_value(received);
        self.builder.emit_into(received, Op::Copy(settled));
        self.builder.jump(step);
        self.builder.set_handler_for_next(outer);
        self.builder.switch_to(rejected);
        self.builder.emit_into(received, Op::Catch);
        self.builder.emit_into(mode, Op::Int(frame::THROW));
        self.builder.jump(step);
    }

    fn delegate(&mut self, iterable: Reg) -> Result<Reg> {
        let is_async = self.is_async;
        let record = self.builder.emit(Op::DelegateOpen { iterable, is_async });
        let (mode, received) = (self.result_register(), self.result_register());
        self.builder.emit_into(mode, Op::Int(frame::NEXT));
        self.builder.emit_into(received, Op::Special(convex_wasm_abi::value::UNDEFINED));
        let (step, suspend, done, return_it, go_on) = (
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
        );
        self.builder.fall_into(step);
        let mut value = self.builder.emit(Op::DelegateStep(record, mode, received));
        if is_async {
            let result = self.await_value(value);
            value = self.builder.emit(Op::DelegateResult(record, mode, result));
        }
        let not_done = self.builder.emit(Op::IsEmpty(value));
        self.builder.branch(not_done, suspend, done);
        let resume = if is_async { self.builder.new_block() } else { step };
        self.builder.terminate(Terminator::YieldDelegate { mode, result: received, resume });
        if is_async {
            self.builder.switch_to(resume);
            self.await_returned(mode, received, step);
        }
        self.builder.switch_to(done);
        let returned = self.builder.emit(Op::DelegateReturned(record));
        self.builder.branch(returned, return_it, go_on);
        self.return_value(value)?;
        self.builder.switch_to(go_on);
        Ok(value)
    }
}
