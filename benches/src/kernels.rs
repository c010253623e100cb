//! Kernels: every one on Wasm, on Node, and on Node without its just-in-time compilers.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::bail;
use convex_wasm_runtime::Engine;

use crate::{
    node,
    program::{self, Prepared},
};

const DIRECTORY: &str = "benches/kernels";
/// Each side is measured this often, in turn; the fastest counts.
const ROUNDS: u32 = 3;
/// How long one of our rounds lasts at least.
const ROUND: Duration = Duration::from_millis(250);

/// Calls a kernel as a query would be called; the checksum travels as text.
const ENTRY: &str = "import { kernel } from './kernel.js';
export const bench = { async run() { return String(await kernel()); } };";

struct Row {
    name: String,
    warm: f64,
    first: f64,
    v8_warm: f64,
    v8_fresh: f64,
    v8_jitless: f64,
    compile: f64,
    native: f64,
    source_bytes: usize,
    wasm_bytes: usize,
}

/// The table of all kernels, with geometric means.
pub async fn table(engine: &Engine, node: &Path, only: Option<&str>) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for path in kernels(only)? {
        let row = measure(engine, node, &path).await?;
        println!(
            "{}: {:.3} ms, V8 warm {:.3}, fresh {:.3}, jitless {:.3}",
            row.name, row.warm, row.v8_warm, row.v8_fresh, row.v8_jitless
        );
        rows.push(row);
    }
    render(&rows)
}

fn kernels(only: Option<&str>) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(DIRECTORY)? {
        let path = entry?.path();
        let wanted = only.is_none_or(|part| path.to_string_lossy().contains(part));
        if wanted && path.extension().is_some_and(|extension| extension == "js") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// A kernel by name.
pub fn source(name: &str) -> anyhow::Result<String> {
    Ok(std::fs::read_to_string(Path::new(DIRECTORY).join(name).with_extension("js"))?)
}

async fn measure(engine: &Engine, node: &Path, path: &Path) -> anyhow::Result<Row> {
    let source = std::fs::read_to_string(path)?;
    let prepared = program::prepare(engine, &[("kernel.js", source), ("main.js", ENTRY.to_owned())]).await?;
    let (first, checksum) = first_call(&prepared).await?;
    let mut row = Row {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        warm: f64::INFINITY,
        first,
        v8_warm: f64::INFINITY,
        v8_fresh: f64::INFINITY,
        v8_jitless: f64::INFINITY,
        compile: milliseconds(prepared.compile),
        native: milliseconds(prepared.native),
        source_bytes: prepared.source_bytes,
        wasm_bytes: prepared.wasm_bytes,
    };
    for _ in 0..ROUNDS {
        row.warm = row.warm.min(warm(&prepared).await?);
        let v8 = node::measure(node, &[], path, 2)?;
        if v8.checksum != checksum {
            bail!("{}: our checksum is {checksum}, Node's {}", row.name, v8.checksum);
        }
        row.v8_warm = row.v8_warm.min(v8.warm);
        row.v8_fresh = row.v8_fresh.min(v8.fresh);
        row.v8_jitless = row.v8_jitless.min(node::measure(node, &["--jitless", "--no-expose-wasm"], path, 1)?.warm);
    }
    Ok(row)
}

/// The very first execution of the program: no environment exists yet.
async fn first_call(prepared: &Prepared) -> anyhow::Result<(f64, String)> {
    let export = prepared.export("main.js", "bench")?;
    let started = Instant::now();
    let execution = prepared.run(export, "run").await?;
    let elapsed = milliseconds(started.elapsed());
    Ok((elapsed, program::answer(execution)?))
}

/// Mean time of one whole execution: checkout, run, reset.
async fn warm(prepared: &Prepared) -> anyhow::Result<f64> {
    let export = prepared.export("main.js", "bench")?;
    let started = Instant::now();
    let mut calls = 0;
    while started.elapsed() < ROUND || calls < 3 {
        program::answer(prepared.run(export, "run").await?)?;
        calls += 1;
    }
    Ok(milliseconds(started.elapsed()) / f64::from(calls))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

fn render(rows: &[Row]) -> anyhow::Result<String> {
    let mut text = String::from(
        "## Kernels\n\nMilliseconds for one execution. *Ours* is a whole execution each time: checkout of an environment, run, reset to the\nimage. *First* is the first call after a deploy. V8 is measured warm, in its first call in a fresh context, and warm with\n`--jitless`. Ratios below 1 mean that ours is faster.\n\n| kernel | ours | first | V8 warm | V8 fresh | V8 jitless | ours / warm | ours / fresh | ours / jitless | compile | native | source, B | Wasm, B |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for row in rows {
        writeln!(
            text,
            "| {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} | {} | {} |",
            row.name,
            row.warm,
            row.first,
            row.v8_warm,
            row.v8_fresh,
            row.v8_jitless,
            row.warm / row.v8_warm,
            row.warm / row.v8_fresh,
            row.warm / row.v8_jitless,
            row.compile,
            row.native,
            row.source_bytes,
            row.wasm_bytes,
        )?;
    }
    let mean =
        |column: fn(&Row) -> f64| (rows.iter().map(|row| column(row).ln()).sum::<f64>() / rows.len() as f64).exp();
    writeln!(
        text,
        "| **geometric mean** | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} | {:.2} | | | | |\n",
        mean(|row| row.warm),
        mean(|row| row.first),
        mean(|row| row.v8_warm),
        mean(|row| row.v8_fresh),
        mean(|row| row.v8_jitless),
        mean(|row| row.warm / row.v8_warm),
        mean(|row| row.warm / row.v8_fresh),
        mean(|row| row.warm / row.v8_jitless),
    )?;
    Ok(text)
}
