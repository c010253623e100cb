//! JavaScript modules to native code, on all processors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convex_wasm_compiler::cache::{Cache, key};
use convex_wasm_compiler::unit::{CompiledUnit, SourceModule};
use convex_wasm_compiler::{Options, compile_module};
use convex_wasm_runtime::{Engine, NativeUnit, ProgramUnit};
use rayon::prelude::*;

use super::body::PushedModule;
use super::error::PushError;

/// A compiled module.
#[derive(Clone)]
pub struct CompiledModule {
    /// Its code, portable and native.
    pub native: NativeUnit,
    /// Time it took to make the Wasm, or to find it.
    pub wasm_time: Duration,
    /// Time it took to make the native code, or to find it.
    pub native_time: Duration,
    /// Whether the Wasm was there already.
    pub cached: bool,
    source: Arc<str>,
}

impl CompiledModule {
    /// The portable unit.
    pub fn unit(&self) -> &CompiledUnit {
        &self.native.unit
    }

    /// Bytes of JavaScript.
    pub fn source_bytes(&self) -> usize {
        self.source.len()
    }

    /// 0-based line and UTF-16 column of a byte of the source.
    pub fn position_of(&self, byte: usize) -> (u32, u32) {
        let before = self.source.get(..byte).unwrap_or(&self.source);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count();
        (line as u32, before[line_start..].encode_utf16().count() as u32)
    }

    /// As a part of a program.
    pub fn program_unit(&self) -> ProgramUnit {
        ProgramUnit { native: self.native.clone(), source: self.source.clone() }
    }
}

/// Compiles modules; they come out sorted by path. Blocks.
///
/// # Errors
/// A module is no valid JavaScript.
pub fn compile(
    engine: &Engine,
    cache: &dyn Cache,
    mut modules: Vec<PushedModule>,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Vec<CompiledModule>, PushError> {
    // The largest first, so that no processor is left with it alone at the end.
    modules.sort_by_key(|module| std::cmp::Reverse(module.source.len()));
    let compile = |module| {
        let compiled = compile_one(engine, cache, module)?;
        done(&compiled.unit().path);
        Ok(compiled)
    };
    let mut compiled: Vec<_> =
        modules.into_par_iter().with_max_len(1).map(compile).collect::<Result<_, PushError>>()?;
    compiled.sort_by(|left, right| left.unit().path.cmp(&right.unit().path));
    Ok(compiled)
}

fn compile_one(engine: &Engine, cache: &dyn Cache, module: PushedModule) -> Result<CompiledModule, PushError> {
    let source = Arc::from(module.source.as_str());
    let module = SourceModule { path: module.path, source: module.source, source_map: module.source_map };
    let started = Instant::now();
    let key = key(&module.source);
    let kept = cache.get(&key).and_then(|bytes| CompiledUnit::from_bytes(&bytes));
    let cached = kept.is_some();
    let unit = match kept {
        Some(unit) => CompiledUnit { path: module.path, ..unit },
        None => {
            let unit = compile_module(&module, &Options::default())?;
            cache.put(&key, &unit.to_bytes());
            unit
        }
    };
    let wasm_time = started.elapsed();
    let native = engine.compile(&[Arc::new(unit)])?.pop().ok_or_else(|| PushError::internal("no native code"))?;
    let native_time = started.elapsed() - wasm_time;
    Ok(CompiledModule { native, wasm_time, native_time, cached, source })
}
