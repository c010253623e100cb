//! Heap cells and references to them.
//!
//! Cells never move and live until the execution ends (or a collector finds that nothing refers to them), so a
//! reference is a plain address that may be copied and kept anywhere: in locals, in cells, in Rust collections.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use convex_wasm_abi::layout::kind as abi;

use crate::object::Object;

/// A reference to a heap cell of type `T`. Fields of cells are `Cell`s, so sharing is the normal case.
#[repr(transparent)]
pub struct Gc<T>(NonNull<T>, PhantomData<T>);

impl<T> Clone for Gc<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Gc<T> {}

impl<T> PartialEq for Gc<T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Gc<T> {}

impl<T> Deref for Gc<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: a `Gc` is only made from the address of an initialised cell of type `T`; cells are never moved or
        // freed while something refers to them, and their mutable fields are `Cell`s.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Gc<T> {
    /// The reference with this address.
    ///
    /// # Safety
    /// `address` is that of an initialised cell of type `T`.
    #[inline(always)]
    pub unsafe fn from_address(address: u32) -> Gc<T> {
        // SAFETY: the caller's; address 0 is in the guest's stack region, never a cell.
        Gc(unsafe { NonNull::new_unchecked(core::ptr::with_exposed_provenance_mut(address as usize)) }, PhantomData)
    }

    /// The cell's address.
    #[inline(always)]
    pub fn address(self) -> u32 {
        self.0.as_ptr().expose_provenance() as u32
    }

    /// Allocates a cell that is no object and moves `value` into it. `T` is `repr(C)` and begins with a [`Header`]
    /// whose kind tells the collector its size.
    #[inline]
    pub fn new(value: T) -> Gc<T> {
        let address = crate::heap::allocate(core::mem::size_of::<T>() as u32);
        let pointer = core::ptr::with_exposed_provenance_mut::<T>(address as usize);
        // SAFETY: the memory is fresh, 8-aligned and large enough; nothing else points there.
        unsafe { pointer.write(value) };
        // SAFETY: just initialised.
        unsafe { Gc::from_address(address) }
    }
}

/// The first 8 bytes of cells that are no objects.
#[repr(C)]
pub struct Header {
    /// One of [`kind`].
    pub kind: Cell<u8>,
    /// Flags of the kind.
    pub flags: Cell<u8>,
    /// Kind-specific; for INTERNAL cells their size in 8-byte words.
    pub extra: Cell<u16>,
    /// Kind-specific.
    pub word: Cell<u32>,
}

impl Header {
    /// A header.
    #[inline(always)]
    pub fn new(kind: u8, flags: u8, extra: u16, word: u32) -> Header {
        Header { kind: Cell::new(kind), flags: Cell::new(flags), extra: Cell::new(extra), word: Cell::new(word) }
    }

    /// Header of an INTERNAL cell of type `T`.
    #[inline(always)]
    pub fn internal<T>() -> Header {
        Header::new(kind::INTERNAL, 0, core::mem::size_of::<T>().div_ceil(8) as u16, 0)
    }
}

/// An object cell type. Implementors are `repr(C)`, begin with an [`crate::object::ObjectHeader`], and keep their
/// private fields behind it. Values stored in them are found by the collector wherever they are.
///
/// # Safety
/// Every cell whose kind is `KIND` is a `Self`.
pub unsafe trait ObjectKind {
    /// Its number in [`kind`].
    const KIND: u8;
}

impl<T: ObjectKind> Gc<T> {
    /// The object as an [`Object`].
    #[inline(always)]
    pub fn object(self) -> Object {
        // SAFETY: an object cell by the trait's contract.
        unsafe { Object::from_address(self.address()) }
    }
}

/// Kinds of cells: those of the ABI and the guest's own.
pub mod kind {
    pub use super::abi::*;

    macro_rules! kinds {
        ($($(#[doc = $doc:literal])* $name:ident,)*) => {
            #[repr(u8)]
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Private { $($name,)* }
            $($(#[doc = $doc])* pub const $name: u8 = FIRST_PRIVATE_OBJECT + Private::$name as u8;)*
        };
    }

    kinds! {
        /// `Error` and its subclasses.
        ERROR,
        /// Wrapper object of a boolean, number, symbol or BigInt.
        PRIMITIVE_WRAPPER,
        /// Wrapper object of a string (exotic).
        STRING_WRAPPER,
        /// `arguments`.
        ARGUMENTS,
        /// `arguments` whose elements are parameters (exotic).
        MAPPED_ARGUMENTS,
        /// Module namespace (exotic).
        NAMESPACE,
        /// `Proxy` (exotic).
        PROXY,
        /// `Promise`
        PROMISE,
        /// Generator object.
        GENERATOR,
        /// Async generator object.
        ASYNC_GENERATOR,
        /// %AsyncFromSyncIterator%.
        ASYNC_FROM_SYNC_ITERATOR,
        /// Array iterator.
        ARRAY_ITERATOR,
        /// String iterator.
        STRING_ITERATOR,
        /// `Map`
        MAP,
        /// `Set`
        SET,
        /// Map iterator.
        MAP_ITERATOR,
        /// Set iterator.
        SET_ITERATOR,
        /// `WeakMap`
        WEAK_MAP,
        /// `WeakSet`
        WEAK_SET,
        /// `WeakRef`
        WEAK_REF,
        /// `FinalizationRegistry`
        FINALIZATION_REGISTRY,
        /// `Date`
        DATE,
        /// `RegExp`
        REGEXP,
        /// RegExp string iterator.
        REGEXP_STRING_ITERATOR,
        /// An object of `Intl`.
        INTL,
        /// `CryptoKey`
        CRYPTO_KEY,
        /// `ArrayBuffer`
        ARRAY_BUFFER,
        /// `SharedArrayBuffer`
        SHARED_ARRAY_BUFFER,
        /// `DataView`
        DATA_VIEW,
        /// Iterator helper object (`iterator.map(…)` etc.).
        ITERATOR_HELPER,
        /// Wrapper of `Iterator.from`.
        WRAPPED_ITERATOR,
        /// `process.env` (exotic).
        ENVIRONMENT,
        /// `TextEncoder`
        TEXT_ENCODER,
        /// `TextDecoder`
        TEXT_DECODER,
        /// `URL`
        URL,
        /// `URLSearchParams`
        URL_SEARCH_PARAMS,
        /// URLSearchParams iterator.
        URL_SEARCH_PARAMS_ITERATOR,
        /// What `JSON.rawJSON` makes.
        RAW_JSON,
        /// `DisposableStack`
        DISPOSABLE_STACK,
        /// `AsyncDisposableStack`
        ASYNC_DISPOSABLE_STACK,
    }
}
