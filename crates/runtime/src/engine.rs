//! Wasmtime, the guest, and the clock that bounds guests.

use std::{io, sync::Arc, thread, time::Duration};

use convex_wasm_compiler::unit::CompiledUnit;
use convex_wasm_guest_image as guest_image;
use rayon::prelude::*;
use wasmtime::{OptLevel, RegallocAlgorithm};

use crate::{
    config::{Effort, config},
    error::ProgramError,
    frames::FrameWalker,
    guest::Guest,
    heap::HeapPolicy,
    memory::{ReservedMemories, check_page_size},
    native::{NativeCache, NativeCompiler, NativeUnit},
    pagemap::Pagemap,
    stack::FiberStacks,
    units::code_of,
};

/// Compiles and runs programs. Cheap to clone; one a process is enough.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<EngineParts>);

pub(crate) struct EngineParts {
    pub(crate) wasmtime: wasmtime::Engine,
    pub(crate) guest: Guest,
    pub(crate) stacks: FiberStacks,
    pub(crate) walker: Arc<FrameWalker>,
    pub(crate) pagemap: Option<Pagemap>,
    pub(crate) heap: HeapPolicy,
    compiler: NativeCompiler,
}

impl Engine {
    /// An engine with the guest of this build. If the cache has no native code of the guest, it is made now, which
    /// takes seconds.
    ///
    /// # Errors
    /// The system lacks what the engine needs, or the guest does not fit.
    pub fn new(cache: impl NativeCache) -> Result<Self, ProgramError> {
        Self::with_effort(cache, None, Effort::Full)
    }

    /// An engine, for tests, whose guests collect after at most `bytes` of allocation and overwrite what they free.
    ///
    /// # Errors
    /// See [`Engine::new`].
    pub fn with_collector_stress(cache: impl NativeCache, bytes: u32) -> Result<Self, ProgramError> {
        let heap = HeapPolicy { stress: bytes, ..HeapPolicy::from_knobs() };
        Self::build(cache, guest_image::WASM, Effort::Full, heap)
    }

    /// An engine with another guest.
    ///
    /// # Errors
    /// See [`Engine::new`].
    pub fn with_guest(cache: impl NativeCache, wasm: &[u8]) -> Result<Self, ProgramError> {
        Self::with_effort(cache, Some(wasm), Effort::Full)
    }

    /// An engine whose units' native code is made with less or more effort, with another guest if one is given.
    ///
    /// # Errors
    /// See [`Engine::new`].
    pub fn with_effort(cache: impl NativeCache, guest: Option<&[u8]>, effort: Effort) -> Result<Self, ProgramError> {
        Self::build(cache, guest.unwrap_or(guest_image::WASM), effort, HeapPolicy::from_knobs())
    }

    fn build(cache: impl NativeCache, wasm: &[u8], effort: Effort, heap: HeapPolicy) -> Result<Self, ProgramError> {
        check_page_size().map_err(|source| ProgramError::System { action: "set up memories", source })?;
        let stacks = FiberStacks::default();
        let cache: Arc<dyn NativeCache> = Arc::new(cache);
        let mut config = config();
        config.with_host_memory(Arc::new(ReservedMemories)).with_host_stack(Arc::new(stacks.clone()));
        let wasmtime = wasmtime::Engine::new(&config).map_err(guest_error)?;
        let mut units = config.clone();
        if effort == Effort::Quick {
            units.cranelift_opt_level(OptLevel::None).cranelift_regalloc_algorithm(RegallocAlgorithm::SinglePass);
        }
        let compiler = NativeCompiler {
            compiler: wasmtime::Engine::new(&units).map_err(guest_error)?,
            config: units,
            loader: wasmtime.clone(),
            cache: cache.clone(),
        };
        // Nobody asks for positions in the guest, and finding them is most of what a backtrace of Wasmtime's costs.
        config.generate_address_map(false);
        let without_positions = wasmtime::Engine::new(&config).map_err(guest_error)?;
        let guest = NativeCompiler { compiler: without_positions, config, loader: wasmtime.clone(), cache };
        let (guest, ..) = guest.module(None, wasm).map_err(guest_error)?;
        let guest = Guest::new(guest)?;
        let walker = Arc::new(FrameWalker::new(stacks.clone(), code_of(&guest.module)));
        start_ticker(&wasmtime).map_err(|source| ProgramError::System { action: "start the ticker", source })?;
        let pagemap = Pagemap::open();
        if pagemap.is_none() {
            tracing::info!("this kernel cannot scan page maps (Linux 6.7 can): resetting environments will be slower");
        }
        Ok(Engine(Arc::new(EngineParts { wasmtime, guest, stacks, walker, pagemap, heap, compiler })))
    }

    /// Makes native code of units, using all processors, or takes it from the cache. Blocks.
    ///
    /// # Errors
    /// Wasmtime refused a unit.
    pub fn compile(&self, units: &[Arc<CompiledUnit>]) -> Result<Vec<NativeUnit>, ProgramError> {
        units.par_iter().map(|unit| self.0.compiler.unit(unit)).collect()
    }
}

fn guest_error(error: wasmtime::Error) -> ProgramError {
    ProgramError::Compile { path: "the guest".to_owned(), reason: format!("{error:#}") }
}

/// Advances the engine's epoch every tick, until the engine is gone.
fn start_ticker(engine: &wasmtime::Engine) -> io::Result<()> {
    let engine = engine.weak();
    let tick = tick();
    thread::Builder::new().name("epoch-ticker".to_owned()).spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(tick);
        }
    })?;
    Ok(())
}

/// Time between two epochs.
pub(crate) fn tick() -> Duration {
    Duration::from_millis(convex_wasm_knobs::WASM_TICK_MS.get())
}
