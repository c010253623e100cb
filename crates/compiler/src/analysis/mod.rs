//! What a developer wants to know of a module beside its code: see [`ModuleReport`].

use std::collections::BTreeMap;

use oxc_ast::ast::Program;
use oxc_semantic::Scoping;

use crate::lower::RefusedFunction;
use crate::position::LineIndex;
use crate::unit::{CompiledUnit, Definition, Finding, ModuleReport};

/// Findings that need only the module itself.
pub fn report(
    _program: &Program<'_>,
    _scoping: &Scoping,
    refusals: &[RefusedFunction],
    lines: &LineIndex<'_>,
) -> ModuleReport {
    let refusals = refusals.iter().map(|refused| {
        let (line, column) = lines.locate(refused.position);
        Finding { name: refused.name.clone(), reason: refused.reason.clone(), line, column }
    });
    ModuleReport { refusals: refusals.collect(), ..ModuleReport::default() }
}

/// What the module-level names stand for.
pub fn definitions(_program: &Program<'_>, _scoping: &Scoping) -> BTreeMap<String, Definition> {
    BTreeMap::new()
}

/// Fills in the Convex functions of all units.
pub fn find_convex_functions(_units: &mut [CompiledUnit]) {}
