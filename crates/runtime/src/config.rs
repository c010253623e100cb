//! The one configuration of Wasmtime.

use wasmtime::{Config, OptLevel};

/// Most bytes of native stack that Wasm may use in one execution. Guest and units count their own use and throw
/// `RangeError` well before (see `STACK_LIMIT` in the ABI); this is the fence behind it.
const MAX_WASM_STACK: usize = 4 << 20;
/// Bytes of a fiber's stack: what Wasm may use, and room for the host functions it calls.
const FIBER_STACK: usize = MAX_WASM_STACK + (512 << 10);

/// How much time native code of units may take to make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// What is served to users.
    #[default]
    Full,
    /// Programs that run once, for a moment: tests.
    Quick,
}

/// Everything that native code depends on. Compiling and running with different configurations is detected by
/// Wasmtime's compatibility hash.
pub(crate) fn config() -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .parallel_compilation(true)
        .epoch_interruption(true)
        .generate_address_map(true)
        // Memories are fixed in size and place and reserve all that a 32-bit address and offset can reach, so no
        // access needs a bounds check.
        .memory_reservation(4 << 30)
        .memory_guard_size(32 << 20)
        .memory_reservation_for_growth(0)
        .memory_may_move(false)
        .guard_before_linear_memory(false)
        // Environments live long, so tables are filled once and indirect calls need no check for a lazy entry.
        .table_lazy_init(false)
        .max_wasm_stack(MAX_WASM_STACK)
        .async_stack_size(FIBER_STACK);
    config
}
