//! Convex functions found by their constructor calls: `export const list = query({…})`, however a bundler spread the
//! definition of `query` over modules. Builders that are made at run time are not seen; running the module is what
//! tells for certain.

use crate::link::{Linker, Target};
use crate::unit::{CompiledUnit, ConvexExport, Definition, UnitExport};

/// The library's constructors: name, kind, public.
const CONSTRUCTORS: &[(&str, &str, bool)] = &[
    ("queryGeneric", "query", true),
    ("mutationGeneric", "mutation", true),
    ("actionGeneric", "action", true),
    ("httpActionGeneric", "httpAction", true),
    ("internalQueryGeneric", "query", false),
    ("internalMutationGeneric", "mutation", false),
    ("internalActionGeneric", "action", false),
];

/// Folder of the chunks that modules share; their exports are not functions of the app.
const CHUNKS: &str = "_deps/";

/// Longest chain of names that is followed.
const MAX_STEPS: u32 = 64;

/// Fills in the Convex functions of all units.
pub fn find_convex_functions(units: &mut [CompiledUnit]) {
    let found: Vec<Vec<ConvexExport>> = {
        let linker = Linker::new(units);
        (0..units.len()).map(|unit| in_unit(&linker, unit)).collect()
    };
    for (unit, functions) in units.iter_mut().zip(found) {
        unit.report.convex_functions = functions;
    }
}

fn in_unit(linker: &Linker<'_, CompiledUnit>, unit: usize) -> Vec<ConvexExport> {
    if linker.unit(unit).path.starts_with(CHUNKS) {
        return Vec::new();
    }
    let names = linker.unit(unit).exports.iter().filter_map(|export| match export {
        UnitExport::Local { name, .. } | UnitExport::From { name, .. } => Some(name),
        UnitExport::Star { .. } => None,
    });
    let mut functions: Vec<ConvexExport> = names
        .filter_map(|name| {
            let target = linker.find_export(unit, name)?;
            let (kind, public) = constructor(linker, target)?;
            Some(ConvexExport { name: name.clone(), kind: kind.to_owned(), public })
        })
        .collect();
    functions.sort_by(|left, right| left.name.cmp(&right.name));
    functions
}

/// The constructor whose result a target holds.
fn constructor(linker: &Linker<'_, CompiledUnit>, target: Target) -> Option<(&'static str, bool)> {
    let (unit, definition) = resolve(linker, target, 0)?;
    let Definition::Call(callee) = definition else { return None };
    let (_, callee) = follow(linker, unit, callee, 0)?;
    let Definition::Function(name) = callee else { return None };
    let known = CONSTRUCTORS.iter().find(|(constructor, ..)| constructor == name);
    known.map(|&(_, kind, public)| (kind, public))
}

fn resolve<'a>(linker: &Linker<'a, CompiledUnit>, target: Target, steps: u32) -> Option<(usize, &'a Definition)> {
    let Target::Binding { unit, index } = target else { return None };
    follow(linker, unit, linker.unit(unit).definitions.get(&index)?, steps)
}

/// Follows aliases and imports to a call or a function.
fn follow<'a>(
    linker: &Linker<'a, CompiledUnit>,
    unit: usize,
    definition: &'a Definition,
    steps: u32,
) -> Option<(usize, &'a Definition)> {
    if steps > MAX_STEPS {
        return None;
    }
    match definition {
        Definition::Alias(index) => resolve(linker, Target::Binding { unit, index: *index }, steps + 1),
        Definition::Import { specifier, name: Some(name) } => {
            let target = linker.find_export(linker.find(unit, specifier)?, name)?;
            resolve(linker, target, steps + 1)
        }
        Definition::Import { name: None, .. } => None,
        Definition::Call(_) | Definition::Function(_) => Some((unit, definition)),
    }
}
