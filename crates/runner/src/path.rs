//! Names of functions and modules.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A function of a deployment: `module:function`.
///
/// ```
/// use convex_wasm_runner::FunctionPath;
/// let path: FunctionPath = "sub/other.js:list".parse()?;
/// assert_eq!(path.to_string(), "sub/other:list");
/// assert_eq!(path.module(), "sub/other.js");
/// assert_eq!("messages".parse::<FunctionPath>()?.function(), "default");
/// # Ok::<(), convex_wasm_runner::InvalidPath>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionPath {
    module: String,
    function: String,
}

/// A text that names no function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a function path: {reason}. Write `module:function`, for example `messages:list`.")]
pub struct InvalidPath {
    text: String,
    reason: &'static str,
}

impl FunctionPath {
    /// The function `function` of the module `module`, whose canonical name ends in `.js`.
    pub fn new(module: impl Into<String>, function: impl Into<String>) -> Self {
        Self { module: module.into(), function: function.into() }
    }

    /// Canonical path of the module, e.g. `sub/other.js`.
    pub fn module(&self) -> &str {
        &self.module
    }

    /// Name of the export.
    pub fn function(&self) -> &str {
        &self.function
    }
}

impl std::str::FromStr for FunctionPath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        let (module, function) = text.rsplit_once(':').unwrap_or((text, "default"));
        let invalid = |reason| InvalidPath { text: text.chars().take(200).collect(), reason };
        let module = module.strip_suffix(".js").unwrap_or(module);
        if module.is_empty() {
            return Err(invalid("the module has no name"));
        }
        if !module.split('/').all(is_module_component) {
            return Err(invalid("a module name has letters, digits, `_`, `.` and `-` between slashes"));
        }
        if !is_identifier(function) {
            return Err(invalid("a function name has letters, digits and `_`"));
        }
        Ok(Self { module: format!("{module}.js"), function: function.to_owned() })
    }
}

fn is_module_component(component: &str) -> bool {
    !component.is_empty()
        && component != "."
        && component != ".."
        && component.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
}

impl fmt::Display for FunctionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.module.strip_suffix(".js").unwrap_or(&self.module), self.function)
    }
}
