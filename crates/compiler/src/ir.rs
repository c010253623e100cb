//! The intermediate representation: one control-flow graph for each JavaScript function.
//!
//! It speaks JavaScript, not Wasm: operations have the meaning of the specification, registers hold JavaScript values.
//! Representation (unboxed doubles, integers, booleans), inline caches, inline fast paths, and control structure are
//! decided behind it, by `optimize` and `codegen`. Lowering ([`crate::lower`]) is the only producer.
//!
//! Registers are mutable locals, not SSA: a source variable that no closure captures is one register; temporaries are
//! assigned once. Every instruction that can throw has an implicit edge to its block's handler (or leaves the function).
//! Blocks may jump anywhere; what `codegen` makes of it is its own affair. Suspension points end blocks.

use crate::element::Element;

/// A virtual register of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// A basic block of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(pub u32);

/// A function of a module; index into [`Module::functions`]. 0 is the module's body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A constant of a module; index into [`Module::constants`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constant(pub u32);

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegKind {
    /// A JavaScript value, EMPTY, or an iterator record.
    Value,
    /// The address of an environment or of other memory (never a JavaScript value).
    Env,
}

/// A JavaScript module.
#[derive(Debug, Default)]
pub struct Module {
    /// All functions; the module's body first.
    pub functions: Vec<Function>,
    /// Interned constants.
    pub constants: Vec<ConstantValue>,
    /// Module-level bindings, in slot order.
    pub bindings: Vec<Binding>,
    /// Bindings that hold a function from the start, in order.
    pub hoisted: Vec<(u32, FunctionId)>,
    /// Import slots, in the order of their indices.
    pub imports: Vec<Import>,
    /// Exported names.
    pub exports: Vec<Export>,
    /// Specifiers in source order (static imports and re-exports): what must be evaluated before this module.
    pub requests: Vec<String>,
}

/// A constant that needs a heap cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstantValue {
    /// A string (UTF-16 units, since JavaScript strings may hold lone surrogates); interned, so usable as a key.
    String(Vec<u16>),
    /// A BigInt, as decimal digits.
    BigInt(String),
    /// A private name, one for each class evaluation site (`#x` of one class body).
    PrivateName(String),
    /// Template object: cooked (None: undefined) and raw strings.
    Template(Vec<Option<Constant>>, Vec<Constant>),
    /// A well-known symbol such as `iterator`.
    WellKnownSymbol(&'static str),
    /// Pattern and flags of a regular expression literal, so that it is compiled before it is evaluated.
    RegExp(Constant, Constant),
}

/// A module-level variable, in linear memory.
#[derive(Debug)]
pub struct Binding {
    /// Source name.
    pub name: String,
    /// Starts in the temporal dead zone (let, const, class) rather than undefined (var, function).
    pub lexical: bool,
    /// The function it always holds once initialised, if it is a function declaration or a `const` function that is
    /// never assigned again.
    pub known_function: Option<FunctionId>,
}

/// One import slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Module specifier as written.
    pub specifier: String,
    /// Imported name; `None` for a namespace (`import * as`), also used by `import()` of a literal.
    pub name: Option<String>,
}

/// One export.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the comment of a variant says what its fields are")]
pub enum Export {
    /// `export { local as name }`
    Local { name: String, binding: u32 },
    /// `export { imported as name } from "specifier"`, or a re-exported import; `imported` None: the namespace.
    From { name: String, specifier: String, imported: Option<String> },
    /// `export * from "specifier"`
    Star { specifier: String },
}

/// How a function may be called and what it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Function declaration or expression: [[Call]], [[Construct]], `prototype`.
    Normal,
    /// Arrow function. `this`, `new.target`, `arguments`, `super` are captured like variables by lowering.
    Arrow,
    /// Method, getter or setter.
    Method,
    /// Class constructor without heritage.
    BaseConstructor,
    /// Class constructor with heritage: `this` starts EMPTY; lowering binds and checks it.
    DerivedConstructor,
    /// Field initialisers or static block, called with `this` once.
    Initializer,
    /// The module's body.
    ModuleBody,
}

/// One function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Static name ("" if anonymous); for `name` and stack traces.
    pub name: String,
    /// Name of the class whose method it is, else ""; for stack traces.
    pub class: String,
    /// Kind.
    pub kind: FunctionKind,
    /// Async function, or async generator with `is_generator`.
    pub is_async: bool,
    /// Generator.
    pub is_generator: bool,
    /// Strict code. Module code always is.
    pub strict: bool,
    /// `length`.
    pub length: u32,
    /// Byte range of the source text.
    pub source: (u32, u32),
    /// Registers of positional parameters as received; UNDEFINED if absent. Patterns and defaults are lowered in the body.
    pub parameters: Vec<Reg>,
    /// Rest parameter: its register; it starts at `parameters.len()`.
    pub rest: Option<Reg>,
    /// Register that receives `this`, if the body (or an arrow in it) uses it.
    pub this: Option<Reg>,
    /// Register that receives `new.target`.
    pub new_target: Option<Reg>,
    /// Register that receives the `arguments` object.
    pub arguments: Option<Reg>,
    /// Register that receives the function object itself (named function expressions, `super`).
    pub callee: Option<Reg>,
    /// Register that receives the captured environment; absent if the function captures nothing.
    pub env: Option<Reg>,
    /// Kinds of all registers.
    pub registers: Vec<RegKind>,
    /// Blocks; execution starts in block 0.
    pub blocks: Vec<BlockData>,
    /// Why this function cannot be compiled; then `blocks` is ignored and the body is a hand-over.
    pub refused: Option<String>,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Instructions in order.
    pub instructions: Vec<Instruction>,
    /// How it ends.
    pub terminator: Terminator,
    /// Where exceptions thrown in it go; `None`: out of the function. The handler's first instruction is `Op::Catch`.
    pub handler: Option<Block>,
}

/// An instruction: an operation, the register it defines, and the byte offset in the source it came from.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Result register, if any.
    pub result: Option<Reg>,
    /// Operation.
    pub op: Op,
    /// Byte offset in the module's source (for stack traces).
    pub position: u32,
}

/// How a block ends.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the comment of a variant says what its fields are")]
pub enum Terminator {
    /// Go on there.
    Jump(Block),
    /// Truthiness of a register decides.
    Branch { condition: Reg, then: Block, otherwise: Block },
    /// `index` was made by `Op::Int` assignments only (finally dispatch): jumps to `targets[index]`, or `otherwise`.
    Dispatch { index: Reg, targets: Vec<Block>, otherwise: Block },
    /// Return a value. In an async function it resolves the promise; in a generator it completes it.
    Return(Reg),
    /// Throw a value (to the block's handler).
    Throw(Reg),
    /// Await a value: afterwards `result` holds the settled value and execution goes on in `resume`; a rejection is
    /// thrown there, into the handler of *this* block.
    Await { value: Reg, result: Reg, resume: Block, position: u32 },
    /// Yield a value (async generators: lowering has awaited it). `result` receives what `next` was given, execution goes
    /// on in `resume`; `throw` throws into this block's handler; `return(v)` stores `v` in `result` and goes to `on_return`.
    Yield { value: Reg, result: Reg, resume: Block, on_return: Block },
    /// First suspension of a generator, after parameters are bound: `next` goes on in the block.
    InitialYield(Block),
    /// Inside `yield*`: suspend with the value the last `DelegateStep`/`DelegateResult` left behind; stores the received
    /// mode (as an int) in `mode` and value in `result` and goes on in `resume` whatever the mode is.
    YieldDelegate { mode: Reg, result: Reg, resume: Block },
    /// Cannot be reached.
    Unreachable,
}

/// A call's arguments.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// Plain arguments.
    List(Vec<Reg>),
    /// One register that holds an array (made with `NewArray`/`ArrayAppend`/`ArraySpread`), for calls with spread.
    Array(Reg),
}

/// Binary operators with JavaScript meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in the specification")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Exp,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    UShr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    StrictEqual,
    StrictNotEqual,
    LooseEqual,
    LooseNotEqual,
    In,
    InstanceOf,
}

/// Unary operators with JavaScript meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in the specification")]
pub enum Unary {
    Neg,
    Plus,
    Not,
    BitNot,
    TypeOf,
    ToNumeric,
    Inc,
    Dec,
    /// What is left to `Concat` without anybody noticing: an object is converted to a string at once, a symbol is a TypeError.
    ForConcat,
    ToPropertyKey,
    ToObject,
}

/// Operations. Registers are operands; those without a result say so.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the comment of a variant says what its fields are")]
pub enum Op {
    // ---- constants and moves ----
    /// `undefined`, `null`, booleans, EMPTY (as their words).
    Special(u64),
    /// A number; codegen picks the representation.
    Number(f64),
    /// An int used as a dispatch index or counter.
    Int(i32),
    /// A heap constant.
    Constant(Constant),
    /// Register copy.
    Copy(Reg),
    /// The pending exception, taken. Only as the first instruction of a handler.
    Catch,

    // ---- variables ----
    /// Module binding's word, unchecked. Reads of lexical bindings are followed by `CheckInitialized` unless proven.
    LoadBinding(u32),
    /// Store (no result).
    StoreBinding(u32, Reg),
    /// Word of an imported binding, unchecked.
    LoadImport(u32),
    /// Slot of an environment, unchecked.
    LoadEnv { env: Reg, slot: u32 },
    /// Store (no result).
    StoreEnv { env: Reg, slot: u32, value: Reg },
    /// New environment with all slots EMPTY. Result is an Env register.
    NewEnv { parent: Option<Reg>, slots: u32 },
    /// An `arguments` object whose elements are the parameters, in consecutive slots from `first`, made of an unmapped one.
    MapArguments { arguments: Reg, env: Reg, first: u32, count: u32 },
    /// Enclosing environment. Result is an Env register.
    ParentEnv(Reg),
    /// ReferenceError if the register is EMPTY (no result). The constant is the variable's name.
    CheckInitialized { value: Reg, name: Constant },
    /// Global variable by name; ReferenceError if absent.
    LoadGlobal(Constant),
    /// Global variable or undefined (`typeof`).
    LoadGlobalOrUndefined(Constant),
    /// Assignment to an undeclared name (no result).
    StoreGlobal(Constant, Reg),
    /// Declares a script's variable, or the function it holds from the beginning, as a property of the global object (no
    /// result).
    DeclareGlobal(Constant, Option<Reg>),
    /// As `DeclareGlobal`, for a text given to `eval`: the property can be deleted (no result).
    DeclareEvalGlobal(Constant, Option<Reg>),
    /// Throws TypeError: assignment to a constant (no result).
    ThrowConstAssign,
    /// Throws: a typed error with a message (no result).
    ThrowError { reference: bool, message: Constant },

    // ---- operators ----
    /// Binary operator.
    Binary(Binary, Reg, Reg),
    /// Unary operator.
    Unary(Unary, Reg),
    /// Concatenation with ToString of each part (template literals).
    Concat(Vec<Reg>),
    /// True if the register is undefined or null.
    IsNullish(Reg),
    /// True if the register is undefined.
    IsUndefined(Reg),
    /// True if the register is EMPTY.
    IsEmpty(Reg),
    /// True if it is an object (functions included).
    IsObject(Reg),
    /// TypeError if undefined or null (no result); the constant names what is destructured.
    RequireObjectCoercible { value: Reg, name: Option<Constant> },

    // ---- properties ----
    /// `o.key`
    Get(Reg, Constant),
    /// `o.key`, to be called next: most often a property of a prototype.
    GetMethod(Reg, Constant),
    /// `o[k]`
    GetElement(Reg, Reg),
    /// `o.key = v` (no result)
    Set(Reg, Constant, Reg),
    /// `o[k] = v` (no result)
    SetElement(Reg, Reg, Reg),
    /// `super[k]` with callee, key, this.
    GetSuper { callee: Reg, key: Reg, this: Reg },
    /// `super[k] = v` (no result)
    SetSuper { callee: Reg, key: Reg, this: Reg, value: Reg },
    /// `delete o[k]`
    Delete(Reg, Reg),
    /// `o.#x`; names are registers holding private symbols.
    GetPrivate(Reg, Reg),
    /// `o.#x = v` (no result)
    SetPrivate(Reg, Reg, Reg),
    /// A private name of a class that may be evaluated more than once, from the class's environment. `first` is the name that
    /// the first evaluation has.
    PrivateName { env: Reg, slot: u32, first: Constant },
    /// The private name for this evaluation of a class: `first`, if it is the first one, else a fresh one.
    NewPrivateName { first: Constant },
    /// Adds a private field (no result)
    AddPrivate(Reg, Reg, Reg),
    /// Adds a private method (0), getter (1), setter (2) (no result)
    AddPrivateMethod { object: Reg, name: Reg, function: Reg, kind: i32 },
    /// `#x in o`: name, object
    HasPrivate(Reg, Reg),

    // ---- calls ----
    /// Call. `known`: the callee certainly is that function of this module. `name` describes the callee for error texts.
    Call { callee: Reg, this: Reg, arguments: Arguments, known: Option<FunctionId>, name: Option<Constant> },
    /// Calls what `GetMethod` of `object` and `key` found, with `this` = object. It has a name, so codegen can guess what it is.
    CallMethod { object: Reg, key: Constant, method: Reg, arguments: Arguments, name: Option<Constant> },
    /// `new`
    Construct { callee: Reg, arguments: Arguments, name: Option<Constant> },
    /// `super(…)` with the active constructor and its new.target; the result is the new `this`.
    SuperCall { callee: Reg, arguments: Arguments, new_target: Reg },

    // ---- literals and definitions ----
    /// `{}` with these static string keys (no duplicates, no index keys, no `__proto__`) and values, in order.
    NewObject(Vec<(Constant, Reg)>),
    /// Array of elements; `None` is a hole.
    NewArray(Vec<Option<Reg>>),
    /// Tells the guest of a function that may be made of text: the text, a function that makes it (no result).
    ForeseeFunction(Reg, Reg),
    /// Append to an array under construction (no result).
    ArrayAppend(Reg, Reg),
    /// Append all of an iterable (no result); errors call it by the name, or by its type.
    ArraySpread(Reg, Reg, Option<Constant>),
    /// As `ArraySpread`, for the last argument of a call.
    ArgumentsSpread(Reg, Reg, Constant),
    /// Copy own enumerable properties into the first (no result).
    ObjectSpread(Reg, Reg),
    /// Rest of an object pattern: source, excluded property keys.
    ObjectRest(Reg, Vec<Reg>),
    /// CreateDataProperty (no result)
    DefineField(Reg, Reg, Reg),
    /// Method (no result)
    DefineMethod { object: Reg, key: Reg, function: Reg, enumerable: bool },
    /// Getter or setter (no result)
    DefineAccessor { object: Reg, key: Reg, function: Reg, setter: bool, enumerable: bool },
    /// `__proto__: v` (no result)
    SetLiteralPrototype(Reg, Reg),
    /// Names a function at run time (no result); prefix 0, 1 get, 2 set.
    SetFunctionName { function: Reg, key: Reg, prefix: i32 },
    /// Closure over an environment.
    NewFunction { function: FunctionId, env: Option<Reg> },
    /// Class constructor; its prototype object comes from `ClassPrototype`.
    NewClass { constructor: FunctionId, env: Option<Reg>, heritage: Option<Reg> },
    /// `prototype` of a class just created.
    ClassPrototype(Reg),
    /// HOME of a function (no result)
    SetHome(Reg, Reg),
    /// Regular expression literal.
    NewRegExp(Constant, Constant),

    // ---- iteration (results and operands named as in `convex_wasm_abi::functions`) ----
    /// Iterator record; errors call the iterable by the name, or by its type.
    IteratorOpen(Reg, Option<Constant>),
    /// Next value or EMPTY.
    IteratorNext(Reg),
    /// Close (no result); `throwing`: errors of closing are swallowed (lowering saved the exception in a register).
    IteratorClose { record: Reg, throwing: bool },
    /// Rest element.
    IteratorRest(Reg),
    /// Async record; the name as for `IteratorOpen`.
    AsyncIteratorOpen(Reg, Option<Constant>),
    /// Value to await.
    AsyncIteratorNext(Reg),
    /// Awaited result: value or EMPTY.
    AsyncIteratorResult(Reg, Reg),
    /// Value to await or EMPTY.
    AsyncIteratorClose { record: Reg, throwing: bool },
    /// for-in record.
    ForInOpen(Reg),
    /// Next key or EMPTY.
    ForInNext(Reg),
    /// `yield*` record.
    DelegateOpen { iterable: Reg, is_async: bool },
    /// One step: record, mode, received value.
    DelegateStep(Reg, Reg, Reg),
    /// Async: record, mode, awaited result.
    DelegateResult(Reg, Reg, Reg),
    /// True if the delegate ended by RETURN.
    DelegateReturned(Reg),

    // ---- `with` statements ----
    /// Whether the object has the name, as a boolean.
    ScopeHas(Reg, Constant),
    /// Value of a name that the object has.
    ScopeGet(Reg, Constant),
    /// Assigns to a name that the object has (no result)
    ScopeSet(Reg, Constant, Reg),

    // ---- disposal (`using`) ----
    /// An empty stack of resources.
    NewDisposables,
    /// Adds a resource (no result)
    AddDisposable { stack: Reg, value: Reg, is_async: bool },
    /// Notes an error to go on with: stack, error (no result)
    DisposalFailed(Reg, Reg),
    /// Disposes of resources: a value to await, or EMPTY when none is left.
    DisposeNext(Reg),
    /// Throws what disposal has failed with, if it has (no result)
    DisposeEnd(Reg),

    // ---- typed arrays: made by `optimize::typed_loops` only ----
    /// Whether it is a typed array of that element type with a fixed buffer and, if asked, the original `length`.
    IsTypedArray { object: Reg, element: Element, length: bool },
    /// Number of elements of such an array.
    ElementCount(Reg),
    /// Address of element 0 of such an array. Result is an Env register.
    ElementData(Reg),
    /// The element at an integer; absent ones are undefined, or NaN for uses that cannot tell.
    LoadElement { data: Reg, count: Reg, index: Reg, element: Element, absent_is_nan: bool },
    /// Stores a number at an integer, if there is such an element (no result).
    StoreElement { data: Reg, count: Reg, index: Reg, element: Element, value: Reg },

    // ---- modules ----
    /// Promise of the namespace in an import slot.
    ImportDynamic(u32),
    /// The specifier of an `import()` as a string, after its options were looked at; throws what the import rejects with.
    ImportSpecifier { specifier: Reg, options: Option<Reg>, source_phase: bool },
    /// A promise rejected with the value.
    RejectedPromise(Reg),
    /// Ends the execution, to be repeated on V8, with a reason (no result).
    HandOver(Constant),
    /// `import.meta`
    ImportMeta,
    /// Throws for an assignment to an import (no result).
    ThrowImportAssign(Constant),
}
