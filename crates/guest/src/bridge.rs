//! The exports the host calls (see [`convex_wasm_abi::bridge`]).

use crate::memory::RESULT;
use crate::state::State;
use crate::{builtins, heap};

static BOOTED: State<bool> = State::new(false);
static RESULT_TEXT: State<Vec<u8>> = State::new(Vec::new());

/// Whether the realm is complete.
pub fn booted() -> bool {
    BOOTED.with(|booted| *booted)
}

/// Leaves bytes for the host in RESULT.
pub fn leave_text(bytes: &[u8]) {
    RESULT_TEXT.with(|text| {
        *text = bytes.to_vec();
        RESULT.set([text.as_ptr() as u32, text.len() as u32]);
    });
}

/// Builds the realm.
#[unsafe(no_mangle)]
pub extern "C" fn boot() {
    heap::initialize();
    builtins::install();
    BOOTED.with(|booted| *booted = true);
}

/// 8-aligned memory for what the host writes.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(bytes: u32) -> u32 {
    heap::allocate_storage(bytes)
}
