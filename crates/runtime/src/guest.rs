//! The guest's module: what it exports to the host and to units.

use std::collections::HashMap;

use convex_wasm_abi::functions::RUNTIME_FUNCTIONS;
use wasmtime::{Module, ModuleExport};

use crate::{data::Data, error::ProgramError, native::Loaded};

/// Prefix of the guest's exports that units import from the module `rt`.
const RUNTIME_PREFIX: &str = "rt_";

/// The guest's code and its exports.
pub(crate) struct Guest {
    pub(crate) module: Module,
    pub(crate) data: Data,
    pub(crate) table: ModuleExport,
    pub(crate) stack_pointer: Option<ModuleExport>,
    pub(crate) heap_base: ModuleExport,
    pub(crate) boot: ModuleExport,
    pub(crate) allocate: ModuleExport,
    pub(crate) link_unit: ModuleExport,
    pub(crate) make_namespace: ModuleExport,
    pub(crate) register_requests: ModuleExport,
    pub(crate) register_import: ModuleExport,
    pub(crate) evaluate: ModuleExport,
    pub(crate) clear_garbage: ModuleExport,
    pub(crate) describe: ModuleExport,
    pub(crate) invoke: ModuleExport,
    pub(crate) resume: ModuleExport,
    runtime: HashMap<&'static str, ModuleExport>,
}

impl Guest {
    pub(crate) fn new(Loaded { module, data }: Loaded) -> Result<Self, ProgramError> {
        let find = |name: &str| {
            module.get_export_index(name).ok_or_else(|| ProgramError::Link(format!("the guest does not export {name}")))
        };
        let runtime = RUNTIME_FUNCTIONS
            .iter()
            .filter_map(|function| {
                let export = module.get_export_index(&format!("{RUNTIME_PREFIX}{}", function.name))?;
                Some((function.name, export))
            })
            .collect();
        Ok(Guest {
            table: find("__indirect_function_table")?,
            stack_pointer: module.get_export_index("__stack_pointer"),
            heap_base: find("__heap_base")?,
            boot: find("boot")?,
            allocate: find("allocate")?,
            link_unit: find("link_unit")?,
            make_namespace: find("make_namespace")?,
            register_requests: find("register_requests")?,
            register_import: find("register_import")?,
            evaluate: find("evaluate")?,
            clear_garbage: find("clear_garbage")?,
            describe: find("describe")?,
            invoke: find("invoke")?,
            resume: find("resume")?,
            runtime,
            data,
            module,
        })
    }

    /// The guest's export for `rt.<name>`.
    pub(crate) fn runtime_function(&self, name: &str) -> Option<ModuleExport> {
        self.runtime.get(name).copied()
    }
}
