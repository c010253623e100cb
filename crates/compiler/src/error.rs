//! What can go wrong when compiling and linking.

use thiserror::Error;

/// A module that cannot be compiled at all. (A function that cannot be compiled is a refusal in the report instead.)
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The source is no valid ECMAScript module.
    #[error("{path}:{}:{}: SyntaxError: {message}", line + 1, column + 1)]
    Syntax {
        /// Path of the module.
        path: String,
        /// 0-based line.
        line: u32,
        /// 0-based column in UTF-16 units.
        column: u32,
        /// What the parser says.
        message: String,
    },
    /// The source is larger than offsets in a unit can say.
    #[error("{path}: the module has {size} bytes; the compiler takes at most {limit}")]
    TooLarge {
        /// Path of the module.
        path: String,
        /// Bytes of the source.
        size: usize,
        /// Most bytes allowed.
        limit: usize,
    },
    /// Code generation failed for the whole unit.
    #[error("{path}: {message}")]
    Code {
        /// Path of the module.
        path: String,
        /// Reason.
        message: String,
    },
}

/// Modules that do not fit together. The texts are those V8 gives.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// A specifier that names no unit.
    #[error("Cannot find module '{specifier}' imported from {importer}")]
    ModuleNotFound {
        /// Path of the importing module.
        importer: String,
        /// Specifier as written.
        specifier: String,
    },
    /// A name that the module does not export.
    #[error("SyntaxError: The requested module '{specifier}' does not provide an export named '{name}' ({importer})")]
    MissingExport {
        /// Path of the importing module.
        importer: String,
        /// Specifier as written.
        specifier: String,
        /// Imported name.
        name: String,
    },
    /// A name that two `export *` give with different meanings.
    #[error(
        "SyntaxError: The requested module '{specifier}' contains conflicting star exports for name '{name}' ({importer})"
    )]
    AmbiguousExport {
        /// Path of the importing module.
        importer: String,
        /// Specifier as written.
        specifier: String,
        /// Imported name.
        name: String,
    },
    /// Two modules that export each other's namespaces (`export * as a from`), which the linker does not lay out.
    #[error("{path}: its namespace object contains itself through `export * as`; import the names instead")]
    CyclicNamespace {
        /// Path of one module of the cycle.
        path: String,
    },
}
