//! An environment: a machine that starts every execution from its program's image.

use std::{
    ops::Range,
    time::{Duration, Instant},
};

use convex_wasm_abi::{bridge::status, memory};
use convex_wasm_execution::{Host, RunError};
use wasmtime::TypedFunc;

use crate::{
    batch, cells,
    error::ProgramError,
    heap,
    machine::{MEMORY_SIZE, Machine, Trapped},
    memory::{PAGE, prefer_huge_pages},
    program::{Export, Phase, Program, system},
    stack, trap,
};

/// Bytes of its fiber stack that an idle environment keeps.
const RESIDENT_STACK: usize = 8 * PAGE;

/// What to run, and on what terms.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The object whose method is called.
    pub export: Export,
    /// Name of the method, e.g. `invokeQuery`.
    pub method: &'a str,
    /// The method's only argument.
    pub argument: &'a str,
    /// What the execution may do.
    pub phase: Phase,
    /// The fixed clock, in milliseconds since the epoch.
    pub time_ms: f64,
    /// Seed of `Math.random`.
    pub seed: [u8; 32],
    /// Computing time; waiting for the host does not count.
    pub budget: Duration,
}

/// What an execution used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time between entering and leaving the guest, all entries together.
    pub guest_time: Duration,
    /// Bytes of the guest's heap that were used, what was collected counted once.
    pub heap: usize,
    /// Collections of it.
    pub collections: u32,
    /// Whether the guest looked at its clock.
    pub read_clock: bool,
    /// Batches of operations.
    pub batches: u32,
    /// Operations in them.
    pub operations: usize,
    /// Time until an environment was ready.
    pub checkout: Duration,
    /// Time to reset it afterwards.
    pub reset: Duration,
}

/// A machine with the image of a program in its memory.
pub(crate) struct Environment<H: Host> {
    machine: Machine<H>,
    program: Program,
    fiber_stack: Range<usize>,
    allocate: TypedFunc<u32, u32>,
    invoke: TypedFunc<(u32, u32, u32, u32, u32), u32>,
    resume: TypedFunc<(u32, u32), u32>,
    describe: TypedFunc<u32, u32>,
}

impl<H: Host> Environment<H> {
    pub(crate) async fn new(program: &Program) -> Result<Self, ProgramError> {
        let parts = &program.0;
        let mut machine = Machine::new(&parts.engine, parts.units.clone()).await?;
        for &placement in &parts.placements {
            let elements = parts.units.unit(placement.unit).map_or(0, |unit| unit.table_size);
            if machine.grow_table(elements)? != placement.table_base {
                return Err(ProgramError::Link("units do not come to lie where they lay before".to_owned()));
            }
            machine.instantiate(placement).await?;
        }
        // SAFETY: the memory is this machine's, larger than any image (checked when it was frozen), and idle.
        unsafe { parts.image.map(machine.base()) }.map_err(|source| system("map the memory image", source))?;
        // SAFETY: the rest of the same memory, which is longer than where the heap of any program begins (checked as well).
        unsafe { prefer_huge_pages(machine.base().add(parts.huge_heap), MEMORY_SIZE - parts.huge_heap) };
        let guest = &parts.engine.0.guest;
        let fiber_stack = machine.fiber_stack().await?;
        let (allocate, invoke) = (machine.function(&guest.allocate)?, machine.function(&guest.invoke)?);
        let (resume, describe) = (machine.function(&guest.resume)?, machine.function(&guest.describe)?);
        let mut environment =
            Environment { machine, program: program.clone(), fiber_stack, allocate, invoke, resume, describe };
        environment.reset_stack_pointer()?;
        Ok(environment)
    }

    /// Runs a call to its end. The host stays in the environment until [`Environment::take_host`].
    pub(crate) async fn run(&mut self, call: &Call<'_>, host: H, usage: &mut Usage) -> Result<String, RunError> {
        self.prepare(call.phase, call.time_ms, &call.seed, call.budget, host);
        let (name, argument) = (call.method.as_bytes(), call.argument.as_bytes());
        let mut entry = Entry { environment: self, budget: call.budget, usage };
        let at = entry.write(&[name, argument]).await?;
        let parameters = (call.export.address, at, name.len() as u32, at + name.len() as u32, argument.len() as u32);
        let invoke = entry.environment.invoke.clone();
        let mut outcome = entry.enter(&invoke, parameters).await?;
        while outcome == status::PENDING {
            outcome = entry.run_batch().await?;
        }
        self.finish(outcome)
    }

    /// Asks the guest what an export is: JSON as the ABI's bridge says.
    pub(crate) async fn describe(
        &mut self,
        export: Export,
        budget: Duration,
        host: H,
        usage: &mut Usage,
    ) -> Result<String, RunError> {
        self.prepare(Phase::Import, 0.0, &[0; 32], budget, host);
        let describe = self.describe.clone();
        let outcome = Entry { environment: self, budget, usage }.enter(&describe, export.address).await?;
        self.finish(outcome)
    }

    /// The host of the last execution.
    pub(crate) fn take_host(&mut self) -> Option<H> {
        self.machine.store.data_mut().host.take()
    }

    /// Collections of the heap during the execution.
    pub(crate) fn collections(&self) -> u32 {
        self.machine.cells().u32(memory::COLLECTIONS)
    }

    /// Whether the execution read its clock.
    pub(crate) fn read_clock(&self) -> bool {
        self.machine.cells().u32(memory::TIME_READ) != 0
    }

    /// Bytes of heap the execution took.
    pub(crate) fn heap_used(&self) -> usize {
        heap::used_until(&self.machine.cells()).saturating_sub(self.program.0.heap_base) as usize
    }

    /// Makes the environment what it was before its first execution.
    pub(crate) fn reset(&mut self) -> Result<(), ProgramError> {
        self.machine.store.data_mut().clear();
        self.reset_stack_pointer()?;
        let parts = &self.program.0;
        let pagemap = parts.engine.0.pagemap.as_ref();
        let resident = convex_wasm_knobs::WASM_IDLE_ENVIRONMENT_MEMORY.get().saturating_sub(RESIDENT_STACK) / PAGE;
        // SAFETY: the memory is this machine's, has this size and is idle: `&mut self` means that no fiber exists.
        unsafe { parts.image.restore(self.machine.base(), MEMORY_SIZE, parts.huge_heap, pagemap, resident) }
            .map_err(|source| system("reset the memory", source))?;
        // SAFETY: the stack lives as long as the store, and no fiber runs on it.
        unsafe { stack::trim(&self.fiber_stack, RESIDENT_STACK) }.map_err(|source| system("reset the stack", source))
    }

    fn reset_stack_pointer(&mut self) -> Result<(), ProgramError> {
        match self.program.0.stack_pointer {
            Some(pointer) => self.machine.set_stack_pointer(pointer),
            None => Ok(()),
        }
    }

    fn prepare(&mut self, phase: Phase, time_ms: f64, seed: &[u8; 32], budget: Duration, host: H) {
        self.machine.store.data_mut().start(host);
        self.machine.set_budget(budget);
        let mut cells = self.machine.cells_mut();
        cells.set_u32(memory::PHASE, phase.code());
        cells.set(memory::TIME_MS, &time_ms.to_le_bytes());
        cells.set_u32(memory::TIME_READ, 0);
        cells.set(memory::RANDOM_SEED, seed);
    }

    fn finish(&mut self, outcome: u32) -> Result<String, RunError> {
        match outcome {
            status::DONE => Ok(String::from_utf8_lossy(self.machine.result()?).into_owned()),
            status::FAILED => Err(trap::thrown(self.machine.result()?, &self.program.0.units)),
            status::STUCK => Err(RunError::Stuck),
            status::HAND_OVER => {
                Err(RunError::HandOver { built_in: String::from_utf8_lossy(self.machine.result()?).into_owned() })
            }
            other => Err(RunError::Internal(format!("the guest answered status {other}"))),
        }
    }
}

/// The entries into the guest of one execution.
struct Entry<'e, H: Host> {
    environment: &'e mut Environment<H>,
    budget: Duration,
    usage: &'e mut Usage,
}

impl<H: Host> Entry<'_, H> {
    async fn enter<P, R>(&mut self, function: &TypedFunc<P, R>, parameters: P) -> Result<R, RunError>
    where
        P: wasmtime::WasmParams + Sync,
        R: wasmtime::WasmResults + Sync,
    {
        let entered = Instant::now();
        let machine = &mut self.environment.machine;
        let outcome = machine.enter(function, parameters).await;
        self.usage.guest_time += entered.elapsed();
        outcome.map_err(|trapped: Trapped| machine.explain(trapped, self.budget))
    }

    /// Copies bytes to the guest's heap. Answers their address.
    async fn write(&mut self, parts: &[&[u8]]) -> Result<u32, RunError> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let length = u32::try_from(length).map_err(|_| trap::out_of_memory())?;
        let allocate = self.environment.allocate.clone();
        let address = self.enter(&allocate, length).await?;
        let target = cells::slice_mut(self.environment.machine.memory_mut(), address, length);
        let mut target = target.ok_or_else(|| RunError::Internal("the guest's heap is out of bounds".to_owned()))?;
        for part in parts {
            let (here, rest) = target.split_at_mut(part.len());
            here.copy_from_slice(part);
            target = rest;
        }
        Ok(address)
    }

    /// Lets the host do what the guest waits for, and goes on with the results.
    async fn run_batch(&mut self) -> Result<u32, RunError> {
        let batch = batch::decode(self.environment.machine.result()?);
        let (ids, operations) = batch.ok_or_else(|| RunError::Internal("the batch is malformed".to_owned()))?;
        self.usage.batches += 1;
        self.usage.operations += ids.len();
        let host = self.environment.machine.store.data_mut().host.as_mut();
        let host = host.ok_or_else(|| RunError::Internal("no execution is under way".to_owned()))?;
        let results = host.run_batch(operations).await.map_err(RunError::Aborted)?;
        if results.len() != ids.len() {
            let (asked, got) = (ids.len(), results.len());
            return Err(RunError::Internal(format!("the host answered {got} of {asked} operations")));
        }
        let results = batch::encode(&ids, &results);
        let at = self.write(&[&results]).await?;
        let resume = self.environment.resume.clone();
        self.enter(&resume, (at, results.len() as u32)).await
    }
}
