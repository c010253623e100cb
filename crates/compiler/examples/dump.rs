//! Prints what the compiler makes of JavaScript modules: `dump [--ir] FILE…`.
#![allow(clippy::print_stdout, reason = "a tool for the terminal")]

use std::time::Instant;

use convex_wasm_compiler::unit::SourceModule;
use convex_wasm_compiler::{Options, compile_module, lower_module};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut show_ir = false;
    for argument in std::env::args().skip(1) {
        if argument == "--ir" {
            show_ir = true;
            continue;
        }
        let module = SourceModule { source: std::fs::read_to_string(&argument)?, path: argument, source_map: None };
        if show_ir {
            println!("{}", lower_module(&module, &Options::default())?.module);
            continue;
        }
        let start = Instant::now();
        let unit = compile_module(&module, &Options::default())?;
        println!("{}: {} bytes in {:?}", module.path, unit.wasm.len(), start.elapsed());
        wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all()).validate_all(&unit.wasm)?;
        for refusal in &unit.report.refusals {
            println!("  {}:{}: {}: {}", refusal.line + 1, refusal.column + 1, refusal.name, refusal.reason);
        }
    }
    Ok(())
}
