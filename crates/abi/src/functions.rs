//! Guest functions that compiled code may call: imports `rt.<name>`, exports `rt_<name>` of the guest.
//!
//! Types: `i` i32, `j` i64 (a value unless said otherwise), `d` f64; after the colon the result, nothing for none.
//! A `j` result may be EXCEPTION unless marked *never throws*; an `i` result described as *status* is 1 if it threw, else 0.
//! `key` (i) is the address of an interned string that is no array index; `cache` (i) the address of an inline cache;
//! `info` (i) the absolute address of a function record; `env` (i) an environment or 0. Variadic operands are in
//! `ARGUMENTS[0..count]`; call arguments follow [`crate::layout::function`] (fourth on in `ARGUMENTS[3..]`).

/// One guest function.
pub struct RuntimeFunction {
    /// Name without prefix.
    pub name: &'static str,
    /// Types, `parameters:result`.
    pub signature: &'static str,
}

macro_rules! runtime_functions {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal $signature:literal;)*) => {
        /// Index into [`RUNTIME_FUNCTIONS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Runtime { $($(#[doc = $doc])* $variant,)* }
        impl Runtime {
            /// All of them.
            pub const ALL: &[Runtime] = &[$(Runtime::$variant,)*];
        }
        /// All guest functions, in the order of [`Runtime`].
        pub const RUNTIME_FUNCTIONS: &[RuntimeFunction] = &[
            $(RuntimeFunction { name: $name, signature: $signature },)*
        ];
    };
}

runtime_functions! {
    // ---- calls ----
    /// Calls any value: callee, argc, this, a0, a1, a2, then the address of a string that names the callee in
    /// "x is not a function" (0: none). Compiled code calls function cells itself and comes here for everything else.
    Call "call" "jijjjji:j";
    /// `f(...args)`: callee, this, array of arguments, callee's name or 0.
    CallArray "call_array" "jjji:j";
    /// `new f(a, b)`: callee, argc, a0, a1, a2, new.target (= callee for `new`), callee's name or 0.
    Construct "construct" "jijjjji:j";
    /// `new f(...args)`: callee, array, new.target, callee's name or 0.
    ConstructArray "construct_array" "jjji:j";
    /// `super(a, b)`: active function object (address), argc, a0, a1, a2, new.target. Constructs its [[Prototype]].
    SuperCall "super_call" "iijjjj:j";
    /// `super(...args)`: active function, array, new.target.
    SuperCallArray "super_call_array" "ijj:j";

    // ---- properties ----
    /// `o.key`: object, key, cache.
    Get "get" "jii:j";
    /// `o[k]`.
    GetElement "get_element" "jj:j";
    /// `o.key = v`: object, key, value, cache, mode of [`crate::layout::set_mode`]. Status.
    Set "set" "jijii:i";
    /// `o[k] = v`: object, key, value, strict. Status.
    SetElement "set_element" "jjji:i";
    /// `super[k]`: active function's home object is in its HOME; function address, key value, this.
    GetSuper "get_super" "ijj:j";
    /// `super[k] = v`: function, key, this, value, strict. Status.
    SetSuper "set_super" "ijjji:i";
    /// `delete o[k]`: object, key, strict. A boolean.
    Delete "delete" "jji:j";
    /// `k in o`: key, object. A boolean.
    In "in" "jj:j";
    /// `v instanceof c`. A boolean.
    InstanceOf "instance_of" "jj:j";
    /// Value of a global variable: key, cache. ReferenceError if there is none.
    GetGlobal "get_global" "ii:j";
    /// `typeof x` for an undeclared `x`: its value or UNDEFINED.
    GetGlobalOrUndefined "get_global_or_undefined" "ii:j";
    /// Sloppy or strict assignment to an undeclared name: key, value, strict. Status.
    SetGlobal "set_global" "iji:i";
    /// `o.#x`: object, private name, cache or 0.
    GetPrivate "get_private" "jji:j";
    /// `o.#x = v` to an existing one: object, private name, value, cache or 0. Status.
    SetPrivate "set_private" "jjji:i";
    /// Adds a private field: object, private name, value, cache or 0. Status (TypeError if present).
    AddPrivate "add_private" "jjji:i";
    /// Adds a private method (kind 0) or getter (1) or setter (2) to an instance: object, name, function, kind. Status.
    AddPrivateMethod "add_private_method" "jjji:i";
    /// `#x in o`: private name, object. A boolean.
    HasPrivate "has_private" "jj:j";
    /// The private name for one more evaluation of a class: the one given, the first time, else a fresh one; never throws.
    NewPrivateName "new_private_name" "j:j";

    // ---- operators ----
    /// `a + b`.
    Add "add" "jj:j";
    /// `a - b`.
    Sub "sub" "jj:j";
    /// `a * b`.
    Mul "mul" "jj:j";
    /// `a / b`.
    Div "div" "jj:j";
    /// `a % b`.
    Rem "rem" "jj:j";
    /// `a ** b`.
    Exp "exp" "jj:j";
    /// `a & b`.
    BitAnd "bit_and" "jj:j";
    /// `a | b`.
    BitOr "bit_or" "jj:j";
    /// `a ^ b`.
    BitXor "bit_xor" "jj:j";
    /// `a << b`.
    Shl "shl" "jj:j";
    /// `a >> b`.
    Shr "shr" "jj:j";
    /// `a >>> b`.
    UShr "ushr" "jj:j";
    /// `-a`.
    Neg "neg" "j:j";
    /// `~a`.
    BitNot "bit_not" "j:j";
    /// `++` on a value already made numeric.
    Inc "inc" "j:j";
    /// `--` on a value already made numeric.
    Dec "dec" "j:j";
    /// ToNumeric.
    ToNumeric "to_numeric" "j:j";
    /// `+a`: ToNumber.
    ToNumber "to_number" "j:j";
    /// `a < b` as a boolean value.
    Less "less" "jj:j";
    /// `a <= b`.
    LessEqual "less_equal" "jj:j";
    /// `a > b`.
    Greater "greater" "jj:j";
    /// `a >= b`.
    GreaterEqual "greater_equal" "jj:j";
    /// `a === b` as 0 or 1; never throws.
    StrictEqual "strict_equal" "jj:i";
    /// `a == b` as a boolean value.
    LooseEqual "loose_equal" "jj:j";
    /// Truthiness as 0 or 1; never throws.
    ToBoolean "to_boolean" "j:i";
    /// `typeof a`, an interned string; never throws.
    TypeOf "type_of" "j:j";
    /// ToString.
    ToString "to_string" "j:j";
    /// ToPropertyKey: an int, interned string or symbol.
    ToPropertyKey "to_property_key" "j:j";
    /// ToObject.
    ToObject "to_object" "j:j";
    /// Template literal or chain of `+` known to be strings: concatenates `ARGUMENTS[0..count]` after ToString each.
    Concat "concat" "i:j";
    /// `f64 % f64`; never throws.
    FloatRem "float_rem" "dd:d";
    /// `f64 ** f64`; never throws.
    FloatPow "float_pow" "dd:d";
    /// ToInt32 of a double outside the i64 range or NaN/infinite too; never throws.
    FloatToInt32 "float_to_int32" "d:i";
    /// ToNumber of a value known to be a primitive other than symbol and BigInt; never throws.
    PrimitiveToFloat "primitive_to_float" "j:d";
    /// Throws TypeError if null or undefined: value, and the address of the name of what is destructured, or 0. Status.
    RequireObjectCoercible "require_object_coercible" "ji:i";
    /// `this` of a sloppy function: globalThis for null and undefined, a wrapper for primitives; never throws.
    SloppyThis "sloppy_this" "j:j";

    // ---- literals and definitions ----
    /// `{}`; never throws.
    NewObject "new_object" ":j";
    /// Slow path of inline object literal allocation: shape, count; values in ARGUMENTS; never throws.
    NewLiteral "new_literal" "ii:j";
    /// `[a, b]`: elements in ARGUMENTS (EMPTY: hole); never throws.
    NewArray "new_array" "i:j";
    /// Appends to an array under construction: array, value; never throws.
    ArrayAppend "array_append" "jj:";
    /// `[...iterable]`: appends all: array, iterable, what the error calls the iterable (a string, or 0 for its type). Status.
    ArraySpread "array_spread" "jji:i";
    /// The spread that ends a call's arguments, whose errors differ: array, iterable, what they call the iterable. Status.
    ArgumentsSpread "arguments_spread" "jji:i";
    /// `{...source}`: copies own enumerable properties. Status.
    ObjectSpread "object_spread" "jj:i";
    /// Rest of an object pattern: source, count of excluded keys in ARGUMENTS (property keys). A new object.
    ObjectRest "object_rest" "ji:j";
    /// CreateDataProperty for literals and fields: object, key value, value, cache or 0 (a cache: the key is an interned string
    /// that is no index). Status.
    DefineField "define_field" "jjji:i";
    /// As DefineField, for a field of a new instance: the site mostly adds the property.
    AddField "add_field" "jjji:i";
    /// Method definition: object, key value, function, enumerable. Sets the function's HOME. Status.
    DefineMethod "define_method" "jjji:i";
    /// Getter (kind 0) or setter (kind 1): object, key value, function, kind, enumerable. Sets HOME. Status.
    DefineAccessor "define_accessor" "jjjii:i";
    /// `__proto__: v` in a literal: object, value; never throws.
    SetLiteralPrototype "set_literal_prototype" "jj:";
    /// Names an anonymous function or class: function, key value, prefix (0 none, 1 `get`, 2 `set`); never throws. Only for
    /// keys known at run time; static names are in the record.
    SetFunctionName "set_function_name" "jji:";
    /// Closure: info, env; never throws.
    NewFunction "new_function" "ii:j";
    /// Class: info, env, heritage (EMPTY: none). Answers the constructor; its prototype object is its `prototype` property.
    NewClass "new_class" "iij:j";
    /// The `prototype` object of a class just created: constructor; never throws.
    ClassPrototype "class_prototype" "j:j";
    /// Sets HOME of a function (field initialisers, static blocks): function, object; never throws.
    SetHome "set_home" "jj:";
    /// Regular expression literal: pattern, flags (strings).
    NewRegExp "new_regexp" "jj:j";
    /// Environment: parent, slot count; all slots EMPTY; never throws. Slow path of inline allocation.
    NewEnv "new_env" "ii:i";
    /// `arguments`: function, argc, a0, a1, a2; unmapped (strict) object. Never throws.
    NewArguments "new_arguments" "iijjj:j";
    /// Rest parameter: index of its first argument, argc, a0, a1, a2; never throws.
    NewRest "new_rest" "iijjj:j";

    // ---- iteration ----
    /// GetIterator(sync): an iterator record (TAG_INTERNAL). What the error calls the iterable is a string, or 0 for its type.
    IteratorOpen "iterator_open" "ji:j";
    /// Next value, or EMPTY when done. After EMPTY or EXCEPTION the record is closed.
    IteratorNext "iterator_next" "j:j";
    /// IteratorClose: record; 1 if a throw is under way (its own errors are then swallowed and the pending exception kept). Status.
    IteratorClose "iterator_close" "ji:i";
    /// Rest element of an array pattern: drains into a new array.
    IteratorRest "iterator_rest" "j:j";
    /// GetIterator(async): a record; the name as for `IteratorOpen`.
    AsyncIteratorOpen "async_iterator_open" "ji:j";
    /// Calls `next`: the value to await.
    AsyncIteratorNext "async_iterator_next" "j:j";
    /// Given the awaited result: its value, or EMPTY when done; TypeError if no object.
    AsyncIteratorResult "async_iterator_result" "jj:j";
    /// Calls `return` if there is one: the value to await, or EMPTY if nothing to wait for. With 1 errors are swallowed.
    AsyncIteratorClose "async_iterator_close" "ji:j";
    /// for-in: a record over the enumerable string keys; null and undefined give none.
    ForInOpen "for_in_open" "j:j";
    /// Next key, or EMPTY; never throws.
    ForInNext "for_in_next" "j:j";
    /// `yield*`: opens the delegate (second operand 1: async): a record.
    DelegateOpen "delegate_open" "ji:j";
    /// One step of `yield*`: record, mode (frame modes), received value. Sync: the inner result object not done (its value
    /// is in YIELD_VALUE, answer EMPTY) or done (answer is the value; mode RETURN done: see `delegate_returned`).
    /// Async: the value to await first, then pass it to `delegate_result`.
    DelegateStep "delegate_step" "jij:j";
    /// Async only: record, mode, awaited inner result: EMPTY (value in YIELD_VALUE) or the completion value.
    DelegateResult "delegate_result" "jij:j";
    /// 1 if the last completed step of the record ended by RETURN (the generator must return its value); never throws.
    DelegateReturned "delegate_returned" "j:i";

    // ---- exceptions ----
    /// "Cannot access 'x' before initialization": name. Always EXCEPTION.
    ThrowUninitialized "throw_uninitialized" "i:j";
    /// "Assignment to constant variable.". Always EXCEPTION.
    ThrowConstAssign "throw_const_assign" ":j";
    /// TypeError with the string at the address. Always EXCEPTION.
    ThrowTypeError "throw_type_error" "i:j";
    /// ReferenceError with the string at the address. Always EXCEPTION.
    ThrowReferenceError "throw_reference_error" "i:j";
    /// RangeError: Maximum call stack size exceeded. Always EXCEPTION.
    ThrowStackOverflow "throw_stack_overflow" ":j";
    /// The program reached a function that was not compiled: reason string. Traps with HAND_OVER.
    HandOver "hand_over" "i:";

    // ---- async functions and generators ----
    /// Frame: function, slots, resume function's absolute table index; never throws.
    NewFrame "new_frame" "iii:i";
    /// Starts an async function's frame: runs it to its first suspension and answers its promise; never throws (rejects).
    AsyncStart "async_start" "i:j";
    /// `await value` in the frame: after status 0 compiled code stores its state and returns SUSPENDED. Status.
    Await "await" "ij:i";
    /// Generator object (sync or async by the function's flags) of a frame not started yet.
    NewGenerator "new_generator" "i:j";
    /// `yield` in an async generator (operand already awaited): delivers to the queue head; compiled code then returns
    /// SUSPENDED; never throws.
    AsyncYield "async_yield" "ij:";

    // ---- modules ----
    /// `import()` of a literal specifier resolved at link time: address of the namespace's u64. A promise.
    ImportDynamic "import_dynamic" "i:j";
    /// `import.meta`: unit's data_base.
    ImportMeta "import_meta" "i:j";
    /// Throws TypeError "Assignment to constant variable." etc. for a namespace or import binding: name. Always EXCEPTION.
    ThrowImportAssign "throw_import_assign" "i:j";

    // ---- scripts ----
    /// Declares a script's variable (EMPTY) or function on the global object: name, function. Status.
    DeclareGlobal "declare_global" "ij:i";

    /// Tells of a function that may be made of text: the text from `function` to the last brace, a function that makes it;
    /// never throws.
    ForeseeFunction "foresee_function" "jj:";

    // ---- typed arrays ----
    /// Whether `length` of a typed array is its number of elements, which the cache then remembers: object, cache. 0 or 1;
    /// never throws.
    HasElementCount "has_element_count" "ji:i";

    /// Declares a variable (EMPTY) or function of a text given to `eval` on the global object: name, function. Status.
    DeclareEvalGlobal "declare_eval_global" "ij:i";

    // ---- `import()` of something not constant ----
    /// ToString of the specifier, and a check of the options (or UNDEFINED): specifier, options, 1 for `import.source`, which
    /// no module has. Throws what the import rejects with.
    ImportSpecifier "import_specifier" "jji:j";
    /// A promise rejected with a reason; never throws.
    RejectedPromise "rejected_promise" "j:j";

    // ---- `with` statements ----
    /// Whether an object of a `with` statement has a name, which Symbol.unscopables may hide: object, key. A boolean.
    ScopeHas "scope_has" "ji:j";
    /// Value of a name it has: object, key, strict. ReferenceError in strict code if it is gone.
    ScopeGet "scope_get" "jii:j";
    /// Assigns to a name it has: object, key, value, strict. Status.
    ScopeSet "scope_set" "jiji:i";

    // ---- disposal ----
    /// An empty stack of resources to be disposed of (TAG_INTERNAL); never throws.
    NewDisposables "new_disposables" ":j";
    /// Adds a resource: stack, value, 1 for `await using`. Status (TypeError if it cannot be disposed of).
    AddDisposable "add_disposable" "jji:i";
    /// Notes an error that disposal goes on with: stack, error; never throws.
    DisposalFailed "disposal_failed" "jj:";
    /// Disposes of resources, last first: the next value to await, or EMPTY when none is left; never throws.
    DisposeNext "dispose_next" "j:j";
    /// Throws what disposal has failed with, if it has. Status.
    DisposeEnd "dispose_end" "j:i";
    // ---- `arguments` of sloppy functions ----
    /// A mapped `arguments` object: a fresh unmapped one, environment, slot of the first parameter, number of parameters, which
    /// have consecutive slots. Stores the arguments in the slots; never throws.
    MapArguments "map_arguments" "jiii:j";
}
