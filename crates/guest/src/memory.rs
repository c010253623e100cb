//! Typed access to the cells at fixed addresses (see [`convex_wasm_abi::memory`]).

use convex_wasm_abi::memory;

use crate::value::Value;

/// A cell of type `T` at a fixed address.
pub struct Fixed<T> {
    address: u32,
    kind: core::marker::PhantomData<T>,
}

impl<T: Copy> Fixed<T> {
    const fn at(address: u32) -> Self {
        Fixed { address, kind: core::marker::PhantomData }
    }

    /// Reads the cell.
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: `at` is only used below with addresses the ABI reserves for a `T`; the guest is single-threaded.
        unsafe { core::ptr::read(self.address as usize as *const T) }
    }

    /// Writes the cell.
    #[inline(always)]
    pub fn set(&self, value: T) {
        // SAFETY: as in `get`.
        unsafe { core::ptr::write(self.address as usize as *mut T, value) }
    }
}

/// The thrown value while a call returns EXCEPTION.
pub static PENDING_EXCEPTION: Fixed<Value> = Fixed::at(memory::PENDING_EXCEPTION);
/// `new.target` for the callee about to be entered.
pub static NEW_TARGET: Fixed<Value> = Fixed::at(memory::NEW_TARGET);
/// Native stack in use, in weighted bytes.
pub static STACK_DEPTH: Fixed<u32> = Fixed::at(memory::STACK_DEPTH);
/// Largest allowed [`STACK_DEPTH`].
pub static STACK_LIMIT: Fixed<u32> = Fixed::at(memory::STACK_LIMIT);
/// Next free byte of the heap's region in use.
pub static HEAP_TOP: Fixed<u32> = Fixed::at(memory::HEAP_TOP);
/// End of that region.
pub static HEAP_LIMIT: Fixed<u32> = Fixed::at(memory::HEAP_LIMIT);
/// First byte of what is collected; 0 while nothing is.
pub static HEAP_START: Fixed<u32> = Fixed::at(memory::HEAP_START);
/// End of what the heap may use.
pub static HEAP_END: Fixed<u32> = Fixed::at(memory::HEAP_END);
/// End of what the heap has used.
pub static HEAP_FRONTIER: Fixed<u32> = Fixed::at(memory::HEAP_FRONTIER);
/// Bytes between collections, if little is alive.
pub static COLLECT_AFTER: Fixed<u32> = Fixed::at(memory::COLLECT_AFTER);
/// Most bytes between collections in tests; 0 otherwise.
pub static COLLECT_STRESS: Fixed<u32> = Fixed::at(memory::COLLECT_STRESS);
/// Collections so far.
pub static COLLECTIONS: Fixed<u32> = Fixed::at(memory::COLLECTIONS);
/// Epoch of prototype caches.
pub static PROTO_EPOCH: Fixed<u32> = Fixed::at(memory::PROTO_EPOCH);
/// Address of the global object.
pub static GLOBAL_OBJECT: Fixed<u32> = Fixed::at(memory::GLOBAL_OBJECT);
static TIME_MS: Fixed<f64> = Fixed::at(memory::TIME_MS);
static TIME_READ: Fixed<u32> = Fixed::at(memory::TIME_READ);
/// Seed of `Math.random`.
pub static RANDOM_SEED: Fixed<[u8; 32]> = Fixed::at(memory::RANDOM_SEED);
/// What the execution may do: [`convex_wasm_abi::memory::phase`].
pub static PHASE: Fixed<u32> = Fixed::at(memory::PHASE);
/// Why the guest executed `unreachable`.
pub static TERMINATION: Fixed<u32> = Fixed::at(memory::TERMINATION);
/// Address and length of what an export leaves for the host.
pub static RESULT: Fixed<[u32; 2]> = Fixed::at(memory::RESULT);
/// 0 while arrays may be iterated without calling their iterator.
pub static ARRAY_ITERATION_CHANGED: Fixed<u32> = Fixed::at(memory::ARRAY_ITERATION_CHANGED);
/// Value of a `yield`.
pub static YIELD_VALUE: Fixed<Value> = Fixed::at(memory::YIELD_VALUE);
/// Shape of a fresh `[]`.
pub static ARRAY_SHAPE: Fixed<u32> = Fixed::at(memory::ARRAY_SHAPE);
/// See [`memory::STRING_PROTOTYPE`].
pub static STRING_PROTOTYPE: Fixed<u32> = Fixed::at(memory::STRING_PROTOTYPE);
/// Shape of a fresh function.
pub static FUNCTION_SHAPE: Fixed<u32> = Fixed::at(memory::FUNCTION_SHAPE);

/// The clock of the execution, in milliseconds since the epoch. The host learns that it was read.
pub fn time_ms() -> f64 {
    TIME_READ.set(1);
    TIME_MS.get()
}

/// Reads operand or argument `index` of the argument buffer.
#[inline(always)]
pub fn argument(index: u32) -> Value {
    debug_assert!(index < memory::ARGUMENT_CAPACITY);
    // SAFETY: the buffer has ARGUMENT_CAPACITY words, and callers count below it.
    unsafe { core::ptr::read((memory::ARGUMENTS as usize as *const Value).add(index as usize)) }
}

/// The first `count` operands of the argument buffer. Whoever keeps them must not call JavaScript.
#[inline(always)]
pub fn arguments(count: u32) -> &'static [Value] {
    debug_assert!(count <= memory::ARGUMENT_CAPACITY);
    // SAFETY: as in `argument`; words of any bits are values.
    unsafe { core::slice::from_raw_parts(memory::ARGUMENTS as usize as *const Value, count as usize) }
}

/// Writes argument `index` of the argument buffer.
#[inline(always)]
pub fn set_argument(index: u32, value: Value) {
    debug_assert!(index < memory::ARGUMENT_CAPACITY);
    // SAFETY: as in `argument`.
    unsafe { core::ptr::write((memory::ARGUMENTS as usize as *mut Value).add(index as usize), value) }
}

/// Writes one of the words of [`memory::INTRINSIC_TABLE`].
pub fn set_intrinsic(index: usize, value: Value) {
    debug_assert!(index < memory::INTRINSICS.len());
    // SAFETY: the table has a word for each entry of INTRINSICS.
    unsafe { core::ptr::write((memory::INTRINSIC_TABLE as usize as *mut Value).add(index), value) }
}
