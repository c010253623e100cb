//! The realm: the one set of intrinsic objects.

use crate::object::{Object, PrimitiveWrapper};
use crate::state::State;
use crate::value::Value;

macro_rules! intrinsics {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// Names of intrinsic objects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Intrinsic { $($(#[doc = $doc])* $name,)* }
        const COUNT: usize = [$(Intrinsic::$name),*].len();
    };
}

intrinsics! {
    /// `Object.prototype`
    ObjectPrototype,
    /// `Function.prototype`
    FunctionPrototype,
    /// `Array.prototype`
    ArrayPrototype,
    /// `String.prototype`
    StringPrototype,
    /// `Number.prototype`
    NumberPrototype,
    /// `Boolean.prototype`
    BooleanPrototype,
    /// `Symbol.prototype`
    SymbolPrototype,
    /// `BigInt.prototype`
    BigIntPrototype,
    /// `Error.prototype`
    ErrorPrototype,
    /// `TypeError.prototype`
    TypeErrorPrototype,
    /// `RangeError.prototype`
    RangeErrorPrototype,
    /// `ReferenceError.prototype`
    ReferenceErrorPrototype,
    /// `SyntaxError.prototype`
    SyntaxErrorPrototype,
    /// `EvalError.prototype`
    EvalErrorPrototype,
    /// `URIError.prototype`
    UriErrorPrototype,
    /// `AggregateError.prototype`
    AggregateErrorPrototype,
    /// `DisposableStack.prototype`
    DisposableStackPrototype,
    /// `AsyncDisposableStack.prototype`
    AsyncDisposableStackPrototype,
    /// `SuppressedError.prototype`
    SuppressedErrorPrototype,
    /// `Promise.prototype`
    PromisePrototype,
    /// `Promise`
    PromiseConstructor,
    /// `Iterator.prototype` (%IteratorPrototype%)
    IteratorPrototype,
    /// %AsyncIteratorPrototype%
    AsyncIteratorPrototype,
    /// %ArrayIteratorPrototype%
    ArrayIteratorPrototype,
    /// %StringIteratorPrototype%
    StringIteratorPrototype,
    /// %MapIteratorPrototype%
    MapIteratorPrototype,
    /// %SetIteratorPrototype%
    SetIteratorPrototype,
    /// %RegExpStringIteratorPrototype%
    RegExpStringIteratorPrototype,
    /// %GeneratorFunction.prototype%: prototype of generator functions
    GeneratorFunctionPrototype,
    /// %GeneratorPrototype%: prototype of the `prototype` of generator functions
    GeneratorPrototype,
    /// %AsyncFunction.prototype%
    AsyncFunctionPrototype,
    /// %AsyncGeneratorFunction.prototype%
    AsyncGeneratorFunctionPrototype,
    /// %AsyncGeneratorPrototype%
    AsyncGeneratorPrototype,
    /// %AsyncFromSyncIteratorPrototype%
    AsyncFromSyncIteratorPrototype,
    /// %IteratorHelperPrototype%
    IteratorHelperPrototype,
    /// %WrapForValidIteratorPrototype%
    WrappedIteratorPrototype,
    /// `Map.prototype`
    MapPrototype,
    /// `Set.prototype`
    SetPrototype,
    /// `WeakMap.prototype`
    WeakMapPrototype,
    /// `WeakSet.prototype`
    WeakSetPrototype,
    /// `WeakRef.prototype`
    WeakRefPrototype,
    /// `FinalizationRegistry.prototype`
    FinalizationRegistryPrototype,
    /// `Date.prototype`
    DatePrototype,
    /// `RegExp.prototype`
    RegExpPrototype,
    /// `ArrayBuffer.prototype`
    ArrayBufferPrototype,
    /// `SharedArrayBuffer.prototype`
    SharedArrayBufferPrototype,
    /// `DataView.prototype`
    DataViewPrototype,
    /// %TypedArray%
    TypedArrayConstructor,
    /// %TypedArray.prototype%
    TypedArrayPrototype,
    /// `Int8Array.prototype`; the other typed arrays follow in the order of the ABI's element types
    Int8ArrayPrototype,
    /// `Uint8Array.prototype`
    Uint8ArrayPrototype,
    /// `Uint8ClampedArray.prototype`
    Uint8ClampedArrayPrototype,
    /// `Int16Array.prototype`
    Int16ArrayPrototype,
    /// `Uint16Array.prototype`
    Uint16ArrayPrototype,
    /// `Int32Array.prototype`
    Int32ArrayPrototype,
    /// `Uint32Array.prototype`
    Uint32ArrayPrototype,
    /// `Float32Array.prototype`
    Float32ArrayPrototype,
    /// `Float64Array.prototype`
    Float64ArrayPrototype,
    /// `BigInt64Array.prototype`
    BigInt64ArrayPrototype,
    /// `BigUint64Array.prototype`
    BigUint64ArrayPrototype,
    /// `Array.prototype.values`
    ArrayValues,
    /// `Array`
    ArrayConstructor,
    /// `URL.prototype`
    UrlPrototype,
    /// `URLSearchParams.prototype`
    UrlSearchParamsPrototype,
    /// Iterator of URLSearchParams
    UrlSearchParamsIteratorPrototype,
    /// `TextEncoder.prototype`
    TextEncoderPrototype,
    /// `TextDecoder.prototype`
    TextDecoderPrototype,
    /// `DOMException.prototype`
    DomExceptionPrototype,
    /// `Function.prototype[Symbol.hasInstance]`
    HasInstance,
    /// The getter of `%TypedArray%.prototype.length`
    TypedArrayLength,
    /// The function that always throws (`arguments.callee` of strict functions)
    ThrowTypeError,
}

static INTRINSICS: State<[Option<Object>; COUNT]> = State::new([None; COUNT]);
static GLOBAL: State<Option<Object>> = State::new(None);

/// The intrinsic object. All are set when the realm is built.
#[inline]
pub fn intrinsic(name: Intrinsic) -> Object {
    match INTRINSICS.with(|objects| objects[name as usize]) {
        Some(object) => object,
        None => missing(name),
    }
}

#[cold]
fn missing(name: Intrinsic) -> Object {
    // While the realm is being built, a prototype may be needed before its file has run.
    let object = match name {
        Intrinsic::ObjectPrototype => Object::without_prototype(),
        Intrinsic::FunctionPrototype => crate::object::new_function_prototype(),
        Intrinsic::ArrayPrototype => crate::object::new_array_prototype(),
        Intrinsic::NumberPrototype => wrapper(Value::int(0)),
        Intrinsic::BooleanPrototype => wrapper(Value::FALSE),
        _ => Object::ordinary(Some(intrinsic(Intrinsic::ObjectPrototype))),
    };
    set_intrinsic(name, object);
    object
}

/// A prototype that is a wrapper object itself.
fn wrapper(value: Value) -> Object {
    PrimitiveWrapper::wrap(value, intrinsic(Intrinsic::ObjectPrototype))
}

/// The intrinsic, if it exists already.
pub fn known_intrinsic(name: Intrinsic) -> Option<Object> {
    INTRINSICS.with(|objects| objects[name as usize])
}

/// Sets an intrinsic while the realm is being built.
pub fn set_intrinsic(name: Intrinsic, object: Object) {
    INTRINSICS.with(|objects| objects[name as usize] = Some(object));
}

/// The global object.
#[inline]
pub fn global() -> Object {
    match GLOBAL.with(|global| *global) {
        Some(object) => object,
        None => {
            let object = Object::ordinary(Some(intrinsic(Intrinsic::ObjectPrototype)));
            object.mark_as_prototype();
            GLOBAL.with(|global| *global = Some(object));
            crate::memory::GLOBAL_OBJECT.set(object.address());
            object
        }
    }
}

/// The prototype of typed array kind `index` (order of the ABI's element types).
pub fn typed_array_prototype(index: usize) -> Object {
    INTRINSICS
        .with(|objects| objects[Intrinsic::Int8ArrayPrototype as usize + index])
        .unwrap_or_else(|| intrinsic(Intrinsic::TypedArrayPrototype))
}
