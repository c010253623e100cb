//! The units of a program, and where their code is.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use convex_wasm_compiler::unit::CompiledUnit;
use wasmtime::Module;

use crate::native::{Loaded, NativeUnit};

/// A unit as a program contains it.
#[derive(Clone)]
pub struct ProgramUnit {
    /// Its code.
    pub native: NativeUnit,
    /// The JavaScript it was made from, for `Function.prototype.toString`.
    pub source: Arc<str>,
}

/// The units of a program by index, and by the address of their native code.
pub(crate) struct UnitTable {
    units: Vec<ProgramUnit>,
    /// Ranges of native code, ascending, and the unit that each belongs to.
    code: Vec<(Range<usize>, u32)>,
    /// By unit: offsets in native code, ascending, and the Wasm offset that holds from each on; made when first needed.
    address_maps: Vec<OnceLock<Vec<(u32, u32)>>>,
}

impl UnitTable {
    pub(crate) fn new(units: Vec<ProgramUnit>) -> Self {
        let mut code: Vec<_> =
            (0..).zip(&units).map(|(index, unit)| (code_of(&unit.native.loaded.module), index)).collect();
        code.sort_unstable_by_key(|(range, _)| range.start);
        let address_maps = units.iter().map(|_| OnceLock::new()).collect();
        UnitTable { units, code, address_maps }
    }

    pub(crate) fn unit(&self, index: usize) -> Option<&CompiledUnit> {
        self.units.get(index).map(|unit| &*unit.native.unit)
    }

    pub(crate) fn loaded(&self, index: usize) -> Option<&Loaded> {
        self.units.get(index).map(|unit| &unit.native.loaded)
    }

    /// The path of a unit, for messages.
    pub(crate) fn path(&self, index: usize) -> &str {
        self.unit(index).map_or("(unknown module)", |unit| &unit.path)
    }

    /// Bytes `start..end` of the source of a unit.
    pub(crate) fn source(&self, unit: usize, start: usize, end: usize) -> Option<&str> {
        self.units.get(unit)?.source.get(start..end)
    }

    /// The unit whose native code holds an address, and the offset there.
    pub(crate) fn unit_at(&self, address: usize) -> Option<(u32, u32)> {
        let index = self.code.partition_point(|(range, _)| range.start <= address).checked_sub(1)?;
        let (range, unit) = &self.code[index];
        if !range.contains(&address) {
            return None;
        }
        Some((*unit, u32::try_from(address - range.start).ok()?))
    }

    /// The unit that a module is of.
    pub(crate) fn unit_of(&self, module: &Module) -> Option<u32> {
        self.unit_at(code_of(module).start).map(|(unit, _)| unit)
    }

    /// The Wasm offset of the instruction at an offset in native code.
    pub(crate) fn wasm_offset(&self, unit: u32, native: u32) -> Option<u32> {
        let map = self.address_maps.get(unit as usize)?.get_or_init(|| {
            let entries = self.units[unit as usize].native.loaded.module.address_map().into_iter().flatten();
            entries.filter_map(|(native, wasm)| Some((u32::try_from(native).ok()?, wasm?))).collect()
        });
        let index = map.partition_point(|(start, _)| *start <= native).checked_sub(1)?;
        Some(map[index].1)
    }
}

/// Where a module's native code is.
pub(crate) fn code_of(module: &Module) -> Range<usize> {
    let code = module.text().as_ptr_range();
    code.start.addr()..code.end.addr()
}
