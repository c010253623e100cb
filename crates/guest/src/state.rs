//! Global state of the guest, which has one thread.

use core::cell::UnsafeCell;

/// A global variable.
pub struct State<T>(UnsafeCell<T>);

// SAFETY: the guest is compiled for wasm32 without threads; there is only one.
unsafe impl<T> Sync for State<T> {}

impl<T> State<T> {
    /// With its first value.
    pub const fn new(value: T) -> State<T> {
        State(UnsafeCell::new(value))
    }

    /// Calls `body` with the state. `body` must not come back here for the same state: it calls no JavaScript.
    #[inline(always)]
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: one thread, and `body` does not re-enter (contract above), so the reference is unique.
        body(unsafe { &mut *self.0.get() })
    }
}
