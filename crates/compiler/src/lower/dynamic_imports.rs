//! `import()`.
//!
//! A specifier that is not constant is compared, when the call is evaluated, with the relative paths that are written
//! anywhere in the module. If it is none of them the execution is handed over.

use oxc_ast::ast::*;

use super::Result;
use super::function::FunctionLowerer;
use crate::ir::{Binary, Op, Reg, Terminator};

/// The specifier, if it is constant.
pub(super) fn constant_specifier<'b>(import: &'b ImportExpression<'_>) -> Option<&'b str> {
    match &import.source {
        Expression::StringLiteral(literal) => Some(literal.value.as_str()),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            template.quasis.first().and_then(|quasi| quasi.value.cooked.as_ref()).map(|text| text.as_str())
        }
        _ => None,
    }
}

/// Whether a text may be the path of a module.
pub(super) fn is_relative_path(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../")
}

impl FunctionLowerer<'_, '_> {
    pub(super) fn dynamic_import(&mut self, import: &ImportExpression<'_>) -> Result<Reg> {
        if let (Some(specifier), None, None) = (constant_specifier(import), &import.options, import.phase) {
            let slot = self.module.import_slot(specifier, None);
            self.builder.position = import.span.start;
            return Ok(self.builder.emit(Op::ImportDynamic(slot)));
        }
        let specifier = self.expression(&import.source)?;
        let later: Vec<&Expression<'_>> = import.options.iter().collect();
        let specifier = self.stable_before(specifier, &later);
        let options = import.options.as_ref().map(|options| self.expression(options)).transpose()?;
        self.builder.position = import.span.start;
        let result = self.result_register();
        let (failed, end) = (self.builder.new_block(), self.builder.new_block());
        let outer = self.builder.handler();
        self.builder.set_handler(Some(failed));
        let source_phase = import.phase == Some(ImportPhase::Source);
        let specifier = self.builder.emit(Op::ImportSpecifier { specifier, options, source_phase });
        self.builder.set_handler(outer);
        self.import_by_name(import, specifier, result);
        self.builder.jump(end);
        self.builder.switch_to(failed);
        let reason = self.builder.emit(Op::Catch);
        self.builder.emit_into(result, Op::RejectedPromise(reason));
        self.builder.fall_into(end);
        Ok(result)
    }

    /// Imports the module that a string names.
    fn import_by_name(&mut self, import: &ImportExpression<'_>, specifier: Reg, result: Reg) {
        let end = self.builder.new_block();
        let facts = self.module.facts;
        let constant = constant_specifier(import);
        let known = facts.relative_paths.iter().map(String::as_str).filter(|_| constant.is_none());
        for path in constant.into_iter().chain(known) {
            let (same, next) = (self.builder.new_block(), self.builder.new_block());
            let text = self.string_value(path);
            let is_same = self.builder.emit(Op::Binary(Binary::StrictEqual, specifier, text));
            self.builder.branch(is_same, same, next);
            let slot = self.module.import_slot(path, None);
            self.builder.emit_into(result, Op::ImportDynamic(slot));
            self.builder.jump(end);
            self.builder.switch_to(next);
        }
        let reason = self.module.string("import() of a module that the code does not name");
        self.builder.perform(Op::HandOver(reason));
        self.builder.terminate(Terminator::Unreachable);
        self.builder.switch_to(end);
    }
}
