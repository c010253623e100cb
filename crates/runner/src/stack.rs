//! Text of uncaught errors: what was thrown, and where in the developer's TypeScript.

use std::fmt::Write;

use convex_wasm_runtime::StackFrame;

use crate::source_map::{ModuleSourceMap, SourcePosition};

/// `Uncaught <text>` and one line for each frame that is the developer's own, ending in a newline.
pub fn uncaught<'a>(text: &str, frames: &[StackFrame], map_of: impl Fn(&str) -> Option<&'a ModuleSourceMap>) -> String {
    let mut message = format!("Uncaught {text}\n");
    for frame in frames {
        let marker = if frame.is_async { "async " } else { "" };
        let function = if frame.function.is_empty() { "<anonymous>" } else { &frame.function };
        // Writing to a String cannot fail.
        if frame.path.is_empty() {
            let _ = writeln!(message, "    at {marker}{function}");
        } else if let Some(SourcePosition { file, line, column }) = visible_position(frame, map_of(&frame.path)) {
            let _ = writeln!(message, "    at {marker}{function} ({file}:{line}:{column})");
        }
    }
    message
}

/// Where a frame is shown, or None if it belongs to a library or a shared chunk and says nothing about the app.
fn visible_position(frame: &StackFrame, map: Option<&ModuleSourceMap>) -> Option<SourcePosition> {
    let shared = frame.path.starts_with("_deps/");
    match map.and_then(|map| map.lookup(frame.line, frame.column)) {
        Some(position) => {
            let library = position.file.contains("node_modules/convex/");
            let dependency = shared && position.file.contains("node_modules/");
            (!library && !dependency).then_some(position)
        }
        None if shared => None,
        None => Some(SourcePosition {
            file: format!("convex:/{}", frame.path),
            line: frame.line + 1,
            column: frame.column + 1,
        }),
    }
}
