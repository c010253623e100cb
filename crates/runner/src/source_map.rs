//! From positions in pushed JavaScript to positions in the developer's sources.

use std::sync::OnceLock;

use oxc_sourcemap::SourceMap;

/// A place in a source file; line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// Path as Convex shows it, e.g. `../convex/messages.ts`.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column, in UTF-16 units.
    pub column: u32,
}

/// The source map of one module, decoded when it is first needed.
#[derive(Debug)]
pub struct ModuleSourceMap {
    module: String,
    json: Option<String>,
    decoded: OnceLock<Option<Decoded>>,
}

#[derive(Debug)]
struct Decoded {
    files: Vec<String>,
    /// Sorted by generated position.
    mappings: Vec<Mapping>,
}

#[derive(Debug)]
struct Mapping {
    generated: (u32, u32),
    original: Option<(u32, u32, u32)>,
}

impl ModuleSourceMap {
    /// The map `json` of the module with the canonical path `module`. A map that cannot be read maps nothing.
    pub fn new(module: impl Into<String>, json: Option<String>) -> Self {
        Self { module: module.into(), json, decoded: OnceLock::new() }
    }

    /// Maps a 0-based line and column of the module. None where the map has no source for it.
    pub fn lookup(&self, line: u32, column: u32) -> Option<SourcePosition> {
        let decoded = self.decoded.get_or_init(|| self.decode()).as_ref()?;
        let after = decoded.mappings.partition_point(|mapping| mapping.generated <= (line, column));
        let mapping = &decoded.mappings[after.checked_sub(1)?];
        if mapping.generated.0 != line {
            return None;
        }
        let (file, line, column) = mapping.original?;
        Some(SourcePosition { file: decoded.files.get(file as usize)?.clone(), line: line + 1, column: column + 1 })
    }

    fn decode(&self) -> Option<Decoded> {
        let map = SourceMap::from_json_string(self.json.as_deref()?).ok()?;
        let files = map.get_sources().map(|source| self.relative_to_output(source)).collect();
        let mut mappings: Vec<Mapping> = map
            .get_tokens()
            .map(|token| Mapping {
                generated: (token.get_dst_line(), token.get_dst_col()),
                original: token.get_source_id().map(|file| (file, token.get_src_line(), token.get_src_col())),
            })
            .collect();
        mappings.sort_by_key(|mapping| mapping.generated);
        Some(Decoded { files, mappings })
    }

    /// Sources are written relative to the module; Convex shows them relative to the bundler's output folder.
    fn relative_to_output(&self, source: &str) -> String {
        let folder = self.module.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in source.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => {
                    parts.pop();
                }
                other => parts.push(other),
            }
        }
        parts.join("/")
    }
}
