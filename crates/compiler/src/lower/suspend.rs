//! `await`, `yield` and `yield*`: where a function suspends itself.

use convex_wasm_abi::layout::frame;
use oxc_ast::ast::*;

use super::function::FunctionLowerer;
use super::{Refusal, Result};
use crate::ir::{FunctionKind, Op, Reg, Terminator};

impl FunctionLowerer<'_, '_> {
    pub(super) fn await_expression(&mut self, expression: &AwaitExpression<'_>) -> Result<Reg> {
        if self.kind == FunctionKind::ModuleBody {
            return Err(Refusal::new("it uses top-level await", expression.span.start));
        }
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
        self.builder.terminate(Terminator::YieldDelegate { mode, result: received, resume: step });
        self.builder.switch_to(done);
        let returned = self.builder.emit(Op::DelegateReturned(record));
        self.builder.branch(returned, return_it, go_on);
        self.return_value(value)?;
        self.builder.switch_to(go_on);
        Ok(value)
    }
}
