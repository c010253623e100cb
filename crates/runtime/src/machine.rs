//! A machine: guest and units instantiated around one memory, and how the host enters it.

use std::{ops::Range, sync::Arc, time::Duration};

use convex_wasm_abi::memory;
use convex_wasm_execution::{Host, RunError};
use wasmtime::{
    Extern, Func, Global, GlobalType, Instance, Memory, MemoryType, ModuleExport, Mutability, Ref, Store, Table,
    TypedFunc, UpdateDeadline, Val, ValType, WasmParams, WasmResults,
};

use crate::{
    bridge::{self, State, Stop, Stopped},
    cells::{self, Cells},
    engine::{Engine, tick},
    error::ProgramError,
    native::Loaded,
    trap,
    units::UnitTable,
};

/// Bytes of a machine's memory.
pub(crate) const MEMORY_SIZE: usize = memory::MEMORY_PAGES as usize * 65536;

/// Ticks until instantiation, which runs no code of a guest, has to be interrupted.
const NO_DEADLINE: u64 = 1 << 40;

/// Where a unit was put.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// Index in the unit table.
    pub(crate) unit: usize,
    /// Address of its data.
    pub(crate) data_base: u32,
    /// Index of its first element in the function table.
    pub(crate) table_base: u32,
}

/// A store with everything in it. Between two entries no fiber exists.
pub(crate) struct Machine<H: Host> {
    pub(crate) store: Store<State<H>>,
    pub(crate) engine: Engine,
    memory: Memory,
    table: Table,
    guest: Instance,
    stack_pointer: Option<Global>,
    /// The fiber stack, once the machine has one.
    fiber_stack: Option<Range<usize>>,
}

impl<H: Host> Machine<H> {
    /// Instantiates the guest in a zeroed memory, without its data.
    pub(crate) async fn new(engine: &Engine, units: Arc<UnitTable>) -> Result<Self, ProgramError> {
        let mut store = Store::new(&engine.0.wasmtime, State::new(engine.clone(), units));
        store.epoch_deadline_callback(|mut context| {
            let state = context.data_mut();
            match state.ticks_left.checked_sub(1) {
                Some(left) => {
                    state.ticks_left = left;
                    Ok(UpdateDeadline::Yield(1))
                }
                None => {
                    state.stop = Some(Stop::Timeout);
                    Err(Stopped.into())
                }
            }
        });
        store.set_epoch_deadline(NO_DEADLINE);
        let pages = MemoryType::new(memory::MEMORY_PAGES, Some(memory::MEMORY_PAGES));
        let memory = Memory::new(&mut store, pages).map_err(link_error)?;
        store.data_mut().memory = Some(memory);
        let guest = &engine.0.guest;
        let mut imports = Vec::new();
        for import in guest.module.imports() {
            let found = match (import.module(), import.name()) {
                ("env", "memory") => Some(memory.into()),
                ("host", name) => bridge::import(&mut store, name),
                _ => None,
            };
            imports.push(found.ok_or_else(|| missing("the guest", import.module(), import.name()))?);
        }
        let instance = Instance::new_async(&mut store, &guest.module, &imports).await.map_err(link_error)?;
        let table = export(&mut store, &instance, &guest.table)?.into_table();
        let table = table.ok_or_else(|| ProgramError::Link("the guest's table is none".to_owned()))?;
        let stack_pointer = match &guest.stack_pointer {
            Some(pointer) => export(&mut store, &instance, pointer)?.into_global(),
            None => None,
        };
        let engine = engine.clone();
        Ok(Machine { store, engine, memory, table, guest: instance, stack_pointer, fiber_stack: None })
    }

    /// Grows the table by `elements`. Answers the index of the first.
    pub(crate) fn grow_table(&mut self, elements: u32) -> Result<u32, ProgramError> {
        let base = self.table.grow(&mut self.store, elements.into(), Ref::Func(None)).map_err(link_error)?;
        u32::try_from(base).map_err(|_| ProgramError::Link("the function table is too large".to_owned()))
    }

    /// Writes the guest's data.
    pub(crate) fn write_guest_data(&mut self) -> Result<(), ProgramError> {
        let engine = self.engine.clone();
        let written = engine.0.guest.data.write(self.memory_mut(), 0);
        written.ok_or_else(|| ProgramError::Link("the guest's data is out of bounds".to_owned()))
    }

    /// Writes a unit's data.
    pub(crate) fn write_data(&mut self, placement: Placement) -> Result<(), ProgramError> {
        let units = self.store.data().units.clone();
        let written = loaded(&units, placement.unit)?.data.write(self.memory_mut(), placement.data_base);
        written.ok_or_else(|| ProgramError::Link(format!("data of {} is out of bounds", units.path(placement.unit))))
    }

    /// Instantiates a unit, which fills its table elements. That runs code of the unit, so a tick may make it yield.
    pub(crate) async fn instantiate(&mut self, placement: Placement) -> Result<(), ProgramError> {
        let units = self.store.data().units.clone();
        let module = &loaded(&units, placement.unit)?.module;
        let mut imports = Vec::with_capacity(module.imports().len());
        for import in module.imports() {
            let found: Option<Extern> = match (import.module(), import.name()) {
                ("env", "memory") => Some(self.memory.into()),
                ("env", "table") => Some(self.table.into()),
                ("env", "data_base") => Some(self.constant(placement.data_base)?.into()),
                ("env", "table_base") => Some(self.constant(placement.table_base)?.into()),
                ("rt", name) => match self.engine.0.guest.runtime_function(name) {
                    Some(function) => Some(export(&mut self.store, &self.guest, &function)?),
                    None => None,
                },
                _ => None,
            };
            let path = units.path(placement.unit);
            imports.push(found.ok_or_else(|| missing(path, import.module(), import.name()))?);
        }
        Instance::new_async(&mut self.store, module, &imports).await.map_err(link_error)?;
        Ok(())
    }

    fn constant(&mut self, value: u32) -> Result<Global, ProgramError> {
        let kind = GlobalType::new(ValType::I32, Mutability::Const);
        Global::new(&mut self.store, kind, Val::I32(value as i32)).map_err(link_error)
    }

    /// A function that the guest exports.
    pub(crate) fn function<P: WasmParams, R: WasmResults>(
        &mut self,
        name: &ModuleExport,
    ) -> Result<TypedFunc<P, R>, ProgramError> {
        let function = export(&mut self.store, &self.guest, name)?.into_func();
        let function =
            function.ok_or_else(|| ProgramError::Link("an export of the guest is no function".to_owned()))?;
        function.typed(&self.store).map_err(link_error)
    }

    /// Gives the guest a budget of computing time.
    pub(crate) fn set_budget(&mut self, budget: Duration) {
        self.store.data_mut().ticks_left = budget.as_micros().div_ceil(tick().as_micros().max(1)) as u64;
    }

    /// Runs a function of the guest on a fiber. It yields to other tasks every tick.
    pub(crate) async fn enter<P, R>(&mut self, function: &TypedFunc<P, R>, parameters: P) -> Result<R, Trapped>
    where
        P: WasmParams + Sync,
        R: WasmResults + Sync,
    {
        self.store.set_epoch_deadline(1);
        function.call_async(&mut self.store, parameters).await.map_err(Trapped)
    }

    /// Why a guest ended early.
    pub(crate) fn explain(&mut self, trapped: Trapped, budget: Duration) -> RunError {
        let stack_pointer = self.stack_pointer();
        let stop = self.store.data_mut().stop.take();
        let units = self.store.data().units.clone();
        trap::explain(&trapped.0, stop, self.memory(), stack_pointer, &units, budget)
    }

    pub(crate) fn memory(&self) -> &[u8] {
        self.memory.data(&self.store)
    }

    pub(crate) fn memory_mut(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }

    pub(crate) fn cells(&self) -> Cells<&[u8]> {
        Cells(self.memory())
    }

    pub(crate) fn cells_mut(&mut self) -> Cells<&mut [u8]> {
        Cells(self.memory_mut())
    }

    /// The text that the guest left for the host.
    pub(crate) fn result(&self) -> Result<&[u8], RunError> {
        let (address, length) = (self.cells().u32(memory::RESULT), self.cells().u32(memory::RESULT + 4));
        cells::slice(self.memory(), address, length)
            .ok_or_else(|| RunError::Internal(format!("the guest's result {address}+{length} is out of bounds")))
    }

    /// Start of the memory.
    pub(crate) fn base(&self) -> *mut u8 {
        self.memory.data_ptr(&self.store)
    }

    /// First byte behind the guest's static data.
    pub(crate) fn heap_base(&mut self) -> Result<u32, ProgramError> {
        let export = self.engine.0.guest.heap_base;
        let base = self.guest.get_module_export(&mut self.store, &export).and_then(Extern::into_global);
        let base = base.and_then(|global| global.get(&mut self.store).i32());
        base.map(|base| base as u32)
            .ok_or_else(|| ProgramError::Link("the guest's `__heap_base` is no address".to_owned()))
    }

    /// The guest's Rust stack pointer, if it exports it.
    pub(crate) fn stack_pointer(&mut self) -> Option<u32> {
        let pointer = self.stack_pointer?;
        pointer.get(&mut self.store).i32().map(|pointer| pointer as u32)
    }

    pub(crate) fn set_stack_pointer(&mut self, value: u32) -> Result<(), ProgramError> {
        let Some(pointer) = self.stack_pointer else { return Ok(()) };
        pointer.set(&mut self.store, Val::I32(value as i32)).map_err(link_error)
    }

    /// The stack of the fibers this machine runs on. (Wasmtime keeps it in the store for the next entry.)
    pub(crate) async fn fiber_stack(&mut self) -> Result<Range<usize>, ProgramError> {
        if let Some(stack) = &self.fiber_stack {
            return Ok(stack.clone());
        }
        let stacks = self.engine.0.stacks.clone();
        let find = Func::wrap(&mut self.store, move || -> (u64, u64) {
            let stack = stacks.current().unwrap_or_default();
            (stack.start as u64, stack.end as u64)
        });
        let find = find.typed::<(), (u64, u64)>(&self.store).map_err(link_error)?;
        let (start, end) = find.call_async(&mut self.store, ()).await.map_err(link_error)?;
        let stack = start as usize..end as usize;
        self.fiber_stack = Some(stack.clone());
        Ok(stack)
    }
}

/// Wasm ended by a trap or an error of a host function; see [`Machine::explain`].
pub(crate) struct Trapped(wasmtime::Error);

fn export<H: Host>(
    store: &mut Store<State<H>>,
    instance: &Instance,
    name: &ModuleExport,
) -> Result<Extern, ProgramError> {
    let found = instance.get_module_export(store, name);
    found.ok_or_else(|| ProgramError::Link("an export of the guest is missing".to_owned()))
}

fn loaded(units: &UnitTable, index: usize) -> Result<&Loaded, ProgramError> {
    units.loaded(index).ok_or_else(|| ProgramError::Link(format!("there is no unit {index}")))
}

fn missing(who: &str, module: &str, name: &str) -> ProgramError {
    ProgramError::Link(format!("{who} imports {module}.{name}, which does not exist"))
}

pub(crate) fn link_error(error: wasmtime::Error) -> ProgramError {
    ProgramError::Link(format!("{error:#}"))
}
