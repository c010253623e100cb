//! What a developer wants to know of a module beside its code: see [`ModuleReport`].
//!
//! - [`state`]: module-level state that calls can change
//! - [`environment`]: environment variables that initialisation reads
//! - [`definitions`], [`convex`]: which exports are Convex functions, followed across modules

mod convex;
mod definitions;
mod environment;
mod state;

use oxc_ast::ast::Program;
use oxc_semantic::Scoping;

use crate::lower::RefusedFunction;
use crate::position::LineIndex;
use crate::unit::{Finding, ModuleReport};

pub use convex::find_convex_functions;
pub use definitions::definitions;

/// Findings that need only the module itself.
pub fn report(
    program: &Program<'_>,
    scoping: &Scoping,
    refusals: &[RefusedFunction],
    lines: &LineIndex<'_>,
) -> ModuleReport {
    let finding = |name: &str, reason: &str, position| {
        let (line, column) = lines.locate(position);
        Finding { name: name.to_owned(), reason: reason.to_owned(), line, column }
    };
    let refusals = refusals.iter().map(|refused| finding(&refused.name, &refused.reason, refused.position));
    let mutable_state = state::find(program, scoping);
    let mutable_state =
        mutable_state.iter().map(|mutation| finding(&mutation.variable, &mutation.reason, mutation.position));
    let init_environment = environment::find(program, scoping);
    let init_environment =
        init_environment.iter().map(|read| finding(&read.variable, environment::REASON, read.position));
    ModuleReport {
        refusals: refusals.collect(),
        mutable_state: mutable_state.collect(),
        init_environment: init_environment.collect(),
        convex_functions: Vec::new(),
    }
}
