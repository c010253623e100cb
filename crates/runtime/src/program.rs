//! A program: units linked, their modules evaluated once, and the memory that resulted, frozen.

use std::{collections::BTreeMap, io, sync::Arc, time::Duration};

use convex_wasm_abi::{
    bridge::{self, status},
    memory,
};
use convex_wasm_compiler::{
    link::{LinkPlan, Target},
    unit::CompiledUnit,
};
use convex_wasm_execution::{Host, RunError};

use crate::{
    cells,
    engine::Engine,
    error::ProgramError,
    heap,
    image::Image,
    machine::{Machine, Placement, Trapped},
    memory::{HUGE_PAGE, PAGE},
    stack, trap,
    units::{ProgramUnit, UnitTable},
};

/// The immutable part of a deployment. Cheap to clone.
#[derive(Clone)]
pub struct Program(pub(crate) Arc<ProgramParts>);

pub(crate) struct ProgramParts {
    pub(crate) engine: Engine,
    pub(crate) units: Arc<UnitTable>,
    pub(crate) placements: Vec<Placement>,
    pub(crate) image: Image,
    /// Where the heap of an execution begins.
    pub(crate) heap_base: u32,
    /// From here on its pages are huge ones.
    pub(crate) huge_heap: usize,
    pub(crate) stack_pointer: Option<u32>,
    exports: BTreeMap<String, BTreeMap<String, Export>>,
}

/// An export of a module of one program: the address of its binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    pub(crate) address: u32,
}

/// Units and how they fit together.
pub struct Linked {
    /// The units that `plan` has indices of.
    pub units: Vec<ProgramUnit>,
    /// Made by `convex_wasm_compiler::link::link` of the same units.
    pub plan: LinkPlan,
}

/// What module evaluation may use.
#[derive(Clone, Copy, Debug)]
pub struct Initialisation {
    /// What an execution may do: [`Phase::Import`], or [`Phase::Program`] for a plain program.
    pub phase: Phase,
    /// The clock, in milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
    /// Computing time for all modules together.
    pub budget: Duration,
}

/// What an execution may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Modules are evaluated or described: no system calls.
    Import,
    /// A query.
    Query,
    /// A mutation.
    Mutation,
    /// A plain program: no system calls, and `performance.now` is real time.
    Program,
}

impl Phase {
    pub(crate) fn code(self) -> u32 {
        match self {
            Phase::Import => memory::phase::IMPORT,
            Phase::Query => memory::phase::QUERY,
            Phase::Mutation => memory::phase::MUTATION,
            Phase::Program => memory::phase::PROGRAM,
        }
    }
}

impl Program {
    /// Instantiates guest and units, evaluates the modules in order and freezes the memory. Gives the host back.
    ///
    /// # Errors
    /// [`ProgramError::Evaluate`] if a module throws or exceeds its limits; otherwise a fault of ours or the system's.
    pub async fn initialise<H: Host>(
        engine: &Engine,
        linked: Linked,
        how: Initialisation,
        host: H,
    ) -> (Result<Program, ProgramError>, Option<H>) {
        let units = Arc::new(UnitTable::new(linked.units));
        let mut machine = match Machine::new(engine, units.clone()).await {
            Ok(machine) => machine,
            Err(error) => return (Err(error), Some(host)),
        };
        machine.store.data_mut().host = Some(host);
        let mut initialiser = Initialiser { machine, units, plan: &linked.plan, budget: how.budget };
        let program = initialiser.run(how).await;
        (program, initialiser.machine.store.data_mut().host.take())
    }

    /// Paths of the modules whose exports are known: the entries, and modules of which a namespace object exists.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.0.exports.keys().map(String::as_str)
    }

    /// Names of a module's exports, sorted; none if there is no such module.
    pub fn exports(&self, path: &str) -> impl Iterator<Item = (&str, Export)> {
        let exports = self.0.exports.get(path).into_iter().flatten();
        exports.map(|(name, export)| (name.as_str(), *export))
    }

    /// An export by name.
    pub fn export(&self, path: &str, name: &str) -> Option<Export> {
        self.0.exports.get(path)?.get(name).copied()
    }

    /// Bytes of memory that all environments of the program share.
    pub fn shared_memory(&self) -> usize {
        self.0.image.occupied()
    }
}

/// A program under construction.
struct Initialiser<'a, H: Host> {
    machine: Machine<H>,
    units: Arc<UnitTable>,
    plan: &'a LinkPlan,
    budget: Duration,
}

impl<H: Host> Initialiser<'_, H> {
    async fn run(&mut self, how: Initialisation) -> Result<Program, ProgramError> {
        self.machine.write_guest_data()?;
        self.write_limits(how);
        self.machine.set_budget(how.budget);
        let engine = self.machine.engine.clone();
        self.open_heap()?;
        let boot = self.machine.function::<(), ()>(&engine.0.guest.boot)?;
        self.enter("the guest", &boot, ()).await?;
        let placements = self.place_units().await?;
        let namespaces = self.make_namespaces(&placements).await?;
        self.write_imports(&placements, &namespaces)?;
        self.register_modules(&placements, &namespaces).await?;
        self.evaluate(&placements).await?;
        self.clear_garbage().await?;
        self.freeze(placements, namespaces)
    }

    /// What evaluation finds at fixed addresses.
    fn write_limits(&mut self, how: Initialisation) {
        let mut cells = self.machine.cells_mut();
        cells.set_u32(memory::STACK_LIMIT, convex_wasm_knobs::WASM_STACK_LIMIT.get());
        cells.set_u32(memory::PHASE, how.phase.code());
        cells.set(memory::TIME_MS, &how.time_ms.to_le_bytes());
        cells.set(memory::RANDOM_SEED, &how.seed);
    }

    /// Gives every unit its data and table elements and lets the guest fill them in.
    async fn place_units(&mut self) -> Result<Vec<Placement>, ProgramError> {
        let engine = self.machine.engine.clone();
        let allocate = self.machine.function::<u32, u32>(&engine.0.guest.allocate)?;
        let link_unit = self.machine.function::<(u32, u32, u32), ()>(&engine.0.guest.link_unit)?;
        let units = self.units.clone();
        let mut placements = Vec::with_capacity(self.plan.order.len());
        for &index in &self.plan.order {
            let unit = units.unit(index).ok_or_else(|| no_unit(index))?;
            let data_base = self.enter(&unit.path, &allocate, unit.data_size).await?;
            let table_base = self.machine.grow_table(unit.table_size)?;
            let placement = Placement { unit: index, data_base, table_base };
            self.machine.write_data(placement)?;
            self.machine.instantiate(placement).await?;
            self.enter(&unit.path, &link_unit, (data_base, table_base, index as u32)).await?;
            placements.push(placement);
        }
        Ok(placements)
    }

    /// Makes namespace objects. Answers the exports of each, and where the object itself is.
    async fn make_namespaces(&mut self, placements: &[Placement]) -> Result<Namespaces, ProgramError> {
        let engine = self.machine.engine.clone();
        let allocate = self.machine.function::<u32, u32>(&engine.0.guest.allocate)?;
        let make = self.machine.function::<(u32, u32), u32>(&engine.0.guest.make_namespace)?;
        let mut made = Namespaces::default();
        for namespace in &self.plan.namespaces {
            let path = self.units.path(namespace.unit).to_owned();
            let mut names = BTreeMap::new();
            let mut record = Vec::new();
            for (name, target) in &namespace.names {
                let address = address(&self.units, placements, &made, *target)?;
                names.insert(name.clone(), Export { address });
                record.extend((name.len() as u32).to_le_bytes());
                record.extend(address.to_le_bytes());
                record.extend(name.as_bytes());
            }
            let length = record.len() as u32;
            let at = self.enter(&path, &allocate, length).await?;
            self.write(at, &record)?;
            let object = self.enter(&path, &make, (at, length)).await?;
            made.0.insert(namespace.unit, (object, names));
        }
        Ok(made)
    }

    fn write_imports(&mut self, placements: &[Placement], namespaces: &Namespaces) -> Result<(), ProgramError> {
        let units = self.units.clone();
        for placement in placements {
            let unit = units.unit(placement.unit).ok_or_else(|| no_unit(placement.unit))?;
            let slots = placement.data_base + unit.imports_offset;
            for (slot, target) in (0..).zip(self.plan.imports.get(placement.unit).into_iter().flatten()) {
                let address = address(&units, placements, namespaces, *target)?;
                self.write(slots + 4 * slot, &address.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Tells the guest which modules each one imports, and which `import()` names.
    async fn register_modules(
        &mut self,
        placements: &[Placement],
        namespaces: &Namespaces,
    ) -> Result<(), ProgramError> {
        let engine = self.machine.engine.clone();
        let guest = &engine.0.guest;
        let allocate = self.machine.function::<u32, u32>(&guest.allocate)?;
        let register_requests = self.machine.function::<(u32, u32, u32), ()>(&guest.register_requests)?;
        let register_import = self.machine.function::<(u32, u32), ()>(&guest.register_import)?;
        for placement in placements {
            let path = self.units.path(placement.unit).to_owned();
            let requests = self.plan.requests.get(placement.unit).into_iter().flatten();
            let bodies = requests.filter_map(|&unit| body(placements, unit));
            let record: Vec<u8> = bodies.flat_map(u32::to_le_bytes).collect();
            let at = self.enter(&path, &allocate, record.len() as u32).await?;
            self.write(at, &record)?;
            self.enter(&path, &register_requests, (placement.table_base, at, record.len() as u32)).await?;
        }
        for &unit in &self.plan.importable {
            let path = self.units.path(unit).to_owned();
            let namespace = address(&self.units, placements, namespaces, Target::Namespace { unit })?;
            let body = body(placements, unit).ok_or_else(|| no_unit(unit))?;
            self.enter(&path, &register_import, (namespace, body)).await?;
        }
        Ok(())
    }

    /// All that the guest allocates is in one heap and collected: realm, linked units, and what their evaluation makes.
    fn open_heap(&mut self) -> Result<(), ProgramError> {
        let policy = self.machine.engine.0.heap;
        let start = self.machine.heap_base()?.next_multiple_of(16);
        policy.open(&mut self.machine.cells_mut(), start, policy.end_of_image());
        Ok(())
    }

    /// Evaluates the entries, and at last what only `import()` reaches, which may fail: the import then rejects.
    async fn evaluate(&mut self, placements: &[Placement]) -> Result<(), ProgramError> {
        let engine = self.machine.engine.clone();
        let evaluate = self.machine.function::<u32, u32>(&engine.0.guest.evaluate)?;
        let units = self.units.clone();
        let (entries, importable) = (&self.plan.entries, self.plan.order.iter().skip(self.plan.requested));
        let entries = entries.iter().map(|unit| (unit, false)).chain(importable.map(|unit| (unit, true)));
        for (&unit, may_fail) in entries {
            let path = units.path(unit);
            let body = body(placements, unit).ok_or_else(|| no_unit(unit))?;
            let failed = match self.enter(path, &evaluate, body).await? {
                status::DONE => continue,
                status::FAILED if may_fail => continue,
                status::FAILED => self.machine.result().map(|json| trap::thrown(json, &units)),
                other => Err(RunError::Internal(format!("evaluate answered status {other}"))),
            };
            let error = failed.unwrap_or_else(|error| error);
            return Err(ProgramError::Evaluate { path: path.to_owned(), error });
        }
        Ok(())
    }

    /// Lets the guest collect what evaluation left behind, nothing of which may seem to be in use by calls that are over.
    async fn clear_garbage(&mut self) -> Result<(), ProgramError> {
        let engine = self.machine.engine.clone();
        let clear = self.machine.function::<(), ()>(&engine.0.guest.clear_garbage)?;
        let stack = self.machine.fiber_stack().await?;
        // SAFETY: the stack is this machine's, on which no fiber exists: `&mut self`.
        unsafe { stack::trim(&stack, 0) }.map_err(|source| system("clear the stack", source))?;
        self.clear_scratch();
        self.enter("the guest", &clear, ()).await?;
        self.clear_scratch();
        Ok(())
    }

    /// Clears what calls that are over left on the guest's stack and among the arguments.
    fn clear_scratch(&mut self) {
        for (start, length) in [(0, memory::RUST_STACK_SIZE), (memory::ARGUMENTS, memory::ARGUMENT_CAPACITY * 8)] {
            let scratch = cells::slice_mut(self.machine.memory_mut(), start, length);
            scratch.into_iter().for_each(|bytes| bytes.fill(0));
        }
    }

    /// Leaves limits for executions in the memory and freezes it.
    fn freeze(&mut self, placements: Vec<Placement>, namespaces: Namespaces) -> Result<Program, ProgramError> {
        let policy = self.machine.engine.0.heap;
        let image_end = heap::used_until(&self.machine.cells());
        if image_end == 0 || image_end > policy.end_of_image() {
            return Err(ProgramError::Link(format!("the heap ends at {image_end}")));
        }
        let huge_heap = ((image_end + heap::GAP) as usize + small_heap()).next_multiple_of(HUGE_PAGE);
        let heap_base = (huge_heap - small_heap()) as u32;
        policy.open(&mut self.machine.cells_mut(), heap_base, heap_base + policy.size);
        let memory = self.machine.memory_mut();
        let image = memory.get(..image_end as usize).unwrap_or_default();
        let image = Image::freeze(image).map_err(|source| system("create the memory image", source))?;
        let units = &self.units;
        let exports = namespaces.0.into_iter().map(|(unit, (_, names))| (units.path(unit).to_owned(), names)).collect();
        Ok(Program(Arc::new(ProgramParts {
            engine: self.machine.engine.clone(),
            units: units.clone(),
            placements,
            image,
            heap_base,
            huge_heap,
            stack_pointer: self.machine.stack_pointer(),
            exports,
        })))
    }

    async fn enter<P, R>(
        &mut self,
        path: &str,
        function: &wasmtime::TypedFunc<P, R>,
        parameters: P,
    ) -> Result<R, ProgramError>
    where
        P: wasmtime::WasmParams + Sync,
        R: wasmtime::WasmResults + Sync,
    {
        let entered = self.machine.enter(function, parameters).await;
        entered.map_err(|trapped: Trapped| ProgramError::Evaluate {
            path: path.to_owned(),
            error: self.machine.explain(trapped, self.budget),
        })
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), ProgramError> {
        let target = cells::slice_mut(self.machine.memory_mut(), address, bytes.len() as u32);
        let target = target.ok_or_else(|| ProgramError::Link(format!("address {address} is out of bounds")))?;
        target.copy_from_slice(bytes);
        Ok(())
    }
}

/// By unit: the address of the word that holds the namespace object, and the module's exports.
#[derive(Default)]
struct Namespaces(BTreeMap<usize, (u32, BTreeMap<String, Export>)>);

/// Address that an import slot or a name of a namespace refers to, or why there is none.
fn address(
    units: &UnitTable,
    placements: &[Placement],
    namespaces: &Namespaces,
    target: Target,
) -> Result<u32, ProgramError> {
    match target {
        Target::Binding { unit: index, index: binding } => {
            let unit: &CompiledUnit = units.unit(index).ok_or_else(|| no_unit(index))?;
            let placement = placements.iter().find(|placement| placement.unit == index);
            let placement = placement.ok_or_else(|| no_unit(index))?;
            Ok(placement.data_base + unit.bindings_offset + 8 * binding)
        }
        Target::Namespace { unit } => {
            let made = namespaces.0.get(&unit);
            made.map(|(object, _)| *object).ok_or_else(|| {
                ProgramError::Link(format!("the namespace of {} is used before it is made", units.path(unit)))
            })
        }
        Target::Missing => Ok(bridge::import::MISSING),
        Target::Unlinkable => Ok(bridge::import::UNLINKABLE),
    }
}

/// Bytes at the start of the heap that have small pages. Most of an idle environment's own memory is there, so an execution
/// that needs no more faults in next to nothing; one that does goes on in huge pages.
fn small_heap() -> usize {
    (convex_wasm_knobs::WASM_IDLE_ENVIRONMENT_MEMORY.get() / 4 * 3).next_multiple_of(PAGE)
}

/// Table index of a unit's body.
fn body(placements: &[Placement], unit: usize) -> Option<u32> {
    placements.iter().find(|placement| placement.unit == unit).map(|placement| placement.table_base)
}

fn no_unit(index: usize) -> ProgramError {
    ProgramError::Link(format!("unit {index} is not part of the program"))
}

pub(crate) fn system(action: &'static str, source: io::Error) -> ProgramError {
    ProgramError::System { action, source }
}
