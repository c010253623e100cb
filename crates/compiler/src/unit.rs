//! What compiling one JavaScript module yields.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A module to compile, as it stands in a push body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceModule {
    /// Canonical path, e.g. `messages.js` or `_deps/6NLL2H3U.js`.
    pub path: String,
    /// JavaScript source.
    pub source: String,
    /// Source map, as JSON text.
    pub source_map: Option<String>,
}

/// A compiled module. Its bytes depend on its source, the compiler's version and the options, on nothing else.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompiledUnit {
    /// Path of the module.
    pub path: String,
    /// Lowercase hex SHA-256 of the source.
    pub source_hash: String,
    /// The Wasm module (see `convex_wasm_abi::unit`).
    pub wasm: Vec<u8>,
    /// Bytes of linear memory the data segment needs.
    pub data_size: u32,
    /// Elements of the function table it needs.
    pub table_size: u32,
    /// Byte offset in the data of the first module binding (u64 each).
    pub bindings_offset: u32,
    /// Byte offset in the data of the first import slot (u32 each).
    pub imports_offset: u32,
    /// Specifiers to evaluate first, in order.
    pub requests: Vec<String>,
    /// Import slots.
    pub imports: Vec<ImportSlot>,
    /// Exports.
    pub exports: Vec<UnitExport>,
    /// What bindings, by index, were defined as, for analysis across modules.
    pub definitions: BTreeMap<u32, Definition>,
    /// Functions, for stack traces.
    pub functions: Vec<FunctionMeta>,
    /// Sorted by `offset`: the source position that holds from that Wasm byte offset (from the module's start) on.
    pub positions: Vec<CodePosition>,
    /// By number: starts and suspension points of functions.
    pub points: Vec<CodePoint>,
    /// What the developer should know.
    pub report: ModuleReport,
}

/// An import slot: `name` None is the namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportSlot {
    /// Specifier as written.
    pub specifier: String,
    /// Imported name.
    pub name: Option<String>,
}

/// An export of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnitExport {
    /// A binding of this unit.
    Local {
        /// Exported name.
        name: String,
        /// Index of the binding.
        binding: u32,
    },
    /// Re-export; `imported` None is the namespace.
    From {
        /// Exported name.
        name: String,
        /// Specifier as written.
        specifier: String,
        /// Name there.
        imported: Option<String>,
    },
    /// `export *`.
    Star {
        /// Specifier as written.
        specifier: String,
    },
}

/// How a module binding is defined, as far as analysis follows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Definition {
    /// As another binding of the module.
    Alias(u32),
    /// A name of another module; `None` is its namespace.
    Import {
        /// Specifier as written.
        specifier: String,
        /// Name there.
        name: Option<String>,
    },
    /// The result of calling another definition.
    Call(Box<Definition>),
    /// A function with this name.
    Function(String),
}

/// A function in the Wasm code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionMeta {
    /// Name, "" if anonymous.
    pub name: String,
    /// Byte offset of its Wasm body from the module's start; sorted ascending.
    pub code_offset: u32,
    /// Number of the function's first point, by which the guest knows it; [`FunctionMeta::NO_POINT`] for helpers.
    pub first_point: u32,
}

impl FunctionMeta {
    /// `first_point` of code that is no JavaScript function.
    pub const NO_POINT: u32 = u32::MAX;
}

/// A place where a function is when it does not run: its start, or where it is suspended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePoint {
    /// Name of the function, as in [`FunctionMeta`].
    pub function: String,
    /// Line, 0-based.
    pub line: u32,
    /// Column, 0-based, in UTF-16 units.
    pub column: u32,
}

/// A source position, 0-based line and UTF-16 column in the JavaScript module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePosition {
    /// Wasm byte offset.
    pub offset: u32,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl CodePosition {
    /// `line` of code that belongs to no place in the source (outlined sequences, entries that only forward arguments):
    /// stack traces leave its frames out.
    pub const NO_LINE: u32 = u32::MAX;
}

/// Findings about one module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ModuleReport {
    /// Functions that could not be compiled, and why.
    pub refusals: Vec<Finding>,
    /// Top-level state that a call can change; it will not persist from call to call.
    pub mutable_state: Vec<Finding>,
    /// Environment variables read during module initialisation.
    pub init_environment: Vec<Finding>,
    /// Convex functions found by name, without running the module.
    pub convex_functions: Vec<ConvexExport>,
}

/// A finding with its place in the JavaScript module (0-based line and column).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the function or variable.
    pub name: String,
    /// Reason, a sentence.
    pub reason: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// An export that is a Convex function by its constructor call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConvexExport {
    /// Export name.
    pub name: String,
    /// `query`, `mutation`, `action`, `httpAction`.
    pub kind: String,
    /// Public rather than internal.
    pub public: bool,
}
