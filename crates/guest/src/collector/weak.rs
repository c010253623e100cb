//! Weak references: they do not keep their cell alive, and must be dropped when it is not.
//!
//! The collector finds references anywhere in memory, so a weak one is stored as its complement, which is no address of the
//! heap. Every structure that holds some is named here. Changing one allocates at times, so that is done
//! [`uninterrupted`](super::uninterrupted).

use core::marker::PhantomData;

use super::marks::{Marker, is_marked};
use crate::cell::Gc;
use crate::memory::HEAP_START;
use crate::shape::Shape;
use crate::value::Value;
use crate::{builtins, instances, shape, string};

/// A weak reference to a cell.
#[repr(transparent)]
pub struct Weak<T>(u32, PhantomData<Gc<T>>);

impl<T> Clone for Weak<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Weak<T> {}

impl<T> PartialEq for Weak<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Weak<T> {}

impl<T> core::hash::Hash for Weak<T> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        state.write_u32(self.0);
    }
}

impl<T> From<Gc<T>> for Weak<T> {
    #[inline(always)]
    fn from(cell: Gc<T>) -> Self {
        Weak(!cell.address(), PhantomData)
    }
}

impl<T> Weak<T> {
    /// The cell. A collection must have dropped all references to dead ones since.
    #[inline(always)]
    pub fn get(self) -> Gc<T> {
        // SAFETY: made of a cell, which is alive: see above.
        unsafe { Gc::from_address(!self.0) }
    }

    /// Whether the cell survives the collection under way.
    pub fn is_live(self) -> bool {
        is_live(!self.0)
    }
}

/// A value that its place in memory does not keep alive.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct WeakValue(pub u64);

impl From<Value> for WeakValue {
    fn from(value: Value) -> Self {
        WeakValue(!value.0)
    }
}

impl WeakValue {
    /// The value, under the condition of [`Weak::get`].
    pub fn get(self) -> Value {
        Value(!self.0)
    }
}

/// Whether the cell with this address survives the collection under way; those of the image do.
#[inline]
pub fn is_live(address: u32) -> bool {
    address < HEAP_START.get() || is_marked(address)
}

/// Marks values of weak maps whose map and key are marked; whether there were any that were not.
pub(super) fn mark_ephemerons(marker: &mut Marker) -> bool {
    let mut marked = false;
    builtins::weak::each_ephemeron(|value| {
        if value.is_reference() && !is_live(value.payload()) {
            marker.visit(value.payload());
            marked = true;
        }
    });
    marker.drain();
    marked
}

/// Drops weak references to what is not marked.
pub(super) fn drop_dead(live_shapes: impl FnOnce(&mut dyn FnMut(Shape))) {
    string::drop_dead();
    shape::drop_dead(live_shapes);
    instances::drop_dead();
    builtins::weak::drop_dead();
}
