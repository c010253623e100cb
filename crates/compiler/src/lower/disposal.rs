//! `using` and `await using`: what is declared so is disposed of on every way out of its scope.

use oxc_ast::ast::*;

use super::Result;
use super::control::Finally;
use super::function::FunctionLowerer;
use crate::ir::{Op, Reg};

/// The declarations of a scope.
#[derive(Clone, Copy)]
pub(super) struct Disposal {
    /// Position of the first.
    position: u32,
    /// One of them is an `await using`.
    is_async: bool,
}

/// The `using` declarations among statements, if there are any.
pub(super) fn of_statements(statements: &[Statement<'_>]) -> Option<Disposal> {
    let using = statements.iter().filter_map(|statement| match statement {
        Statement::VariableDeclaration(declaration) if declaration.kind.is_using() => Some(of_declaration(declaration)),
        _ => None,
    });
    using.reduce(|first, other| Disposal { is_async: first.is_async || other.is_async, ..first })
}

/// What a `using` declaration asks for.
pub(super) fn of_declaration(declaration: &VariableDeclaration<'_>) -> Disposal {
    Disposal { position: declaration.span.start, is_async: declaration.kind.is_await() }
}

impl FunctionLowerer<'_, '_> {
    /// Lowers a scope with `using` declarations.
    pub(super) fn disposing(&mut self, disposal: Disposal, scope: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let stack = self.builder.emit(Op::NewDisposables);
        let guarded = |this: &mut Self| {
            this.disposables.push(stack);
            let lowered = scope(this);
            this.disposables.pop();
            lowered
        };
        self.finally(disposal.position, guarded, |this, finally| {
            this.dispose(stack, finally, disposal.is_async);
            Ok(())
        })
    }

    /// Makes a declared value a resource of the innermost scope that has any, if it is declared by `using`.
    pub(super) fn register_disposable(&mut self, kind: VariableDeclarationKind, value: Reg) {
        if let (true, Some(&stack)) = (kind.is_using(), self.disposables.last()) {
            self.builder.perform(Op::AddDisposable { stack, value, is_async: kind.is_await() });
        }
    }

    /// DisposeResources. What it throws goes out of the scope; so does the exception that left it.
    fn dispose(&mut self, stack: Reg, finally: &Finally, is_async: bool) {
        let (thrown, begin) = (self.builder.new_block(), self.builder.new_block());
        let throwing = finally.is_throwing(&mut self.builder);
        self.builder.branch(throwing, thrown, begin);
        self.builder.perform(Op::DisposalFailed(stack, finally.value));
        self.builder.fall_into(begin);
        let awaited = self.builder.emit(Op::DisposeNext(stack));
        if is_async {
            let (wait, done) = (self.builder.new_block(), self.builder.new_block());
            let is_done = self.builder.emit(Op::IsEmpty(awaited));
            self.builder.branch(is_done, done, wait);
            self.builder.switch_to(wait);
            self.await_resource(stack, awaited);
            self.builder.jump(begin);
            self.builder.switch_to(done);
        }
        self.builder.perform(Op::DisposeEnd(stack));
    }

    /// Awaits what disposing of a resource answered; a rejection does not keep the others from being disposed of.
    fn await_resource(&mut self, stack: Reg, value: Reg) {
        let (failed, next) = (self.builder.new_block(), self.builder.new_block());
        let outer = self.builder.handler();
        self.builder.set_handler(Some(failed));
        self.await_value(value);
        self.builder.jump(next);
        self.builder.set_handler_for_next(outer);
        self.builder.switch_to(failed);
        let error = self.builder.emit(Op::Catch);
        self.builder.perform(Op::DisposalFailed(stack, error));
        self.builder.fall_into(next);
    }
}
