//! What compiling costs: bundles of published packages, to Wasm and to native code.

use std::{
    ffi::OsStr,
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use convex_wasm_compiler::{
    Options,
    cache::NoCache,
    compile_all, compile_module,
    unit::{CompiledUnit, SourceModule},
};
use convex_wasm_runtime::{DirectoryCache, Engine};

/// Scripts that use published packages; each is bundled with what it imports.
const SCRIPTS: &str = "tests/libraries";
/// The bundler, as `npm ci` installs it in that folder.
const BUNDLER: &str = "tests/libraries/node_modules/.bin/esbuild";

struct Row {
    name: String,
    source: usize,
    wasm: usize,
    native: usize,
    compile: Duration,
    code: Duration,
    edit: Duration,
}

/// The table of all bundles, and what all together take.
pub fn table(engine: &Engine) -> anyhow::Result<String> {
    let modules = bundles()?;
    let cache = std::env::temp_dir().join(format!("convex-wasm-benches-{}", std::process::id()));
    let caching = Engine::new(DirectoryCache::open(&cache)?)?;
    let rows = modules.iter().map(|module| measure(engine, &caching, module)).collect::<anyhow::Result<Vec<_>>>();
    std::fs::remove_dir_all(&cache)?;
    let rows = rows?;
    render(&rows, together(engine, &modules)?)
}

/// Bundles as an app's deploy makes them, but one for each script.
fn bundles() -> anyhow::Result<Vec<SourceModule>> {
    let is_script = |path: &PathBuf| path.extension() == Some(OsStr::new("js"));
    let entries = std::fs::read_dir(SCRIPTS)?.collect::<Result<Vec<_>, _>>()?;
    let mut scripts: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).filter(is_script).collect();
    scripts.sort();
    scripts.iter().map(|script| bundle(script)).collect()
}

/// The bundle of one package and the script that uses it.
pub fn bundle_of(package: &str) -> anyhow::Result<String> {
    Ok(bundle(&Path::new(SCRIPTS).join(package).with_extension("js"))?.source)
}

fn bundle(script: &Path) -> anyhow::Result<SourceModule> {
    let output = Command::new(BUNDLER)
        .arg(script)
        .args(["--bundle", "--format=esm", "--platform=browser", "--conditions=convex,module", "--target=esnext"])
        .args(["--log-level=error"])
        .output()
        .with_context(|| format!("{BUNDLER} does not start; run `npm ci` in {SCRIPTS}"))?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(SourceModule { path, source: String::from_utf8(output.stdout)?, source_map: None })
}

/// Compiles one bundle, and once more after an edit, with what is kept of the first time.
fn measure(engine: &Engine, caching: &Engine, module: &SourceModule) -> anyhow::Result<Row> {
    let started = Instant::now();
    let unit = Arc::new(compile_module(module, &Options::default())?);
    let compile = started.elapsed();
    let started = Instant::now();
    let native = engine.compile(std::slice::from_ref(&unit))?;
    let code = started.elapsed();
    caching.compile(std::slice::from_ref(&unit))?;
    let edited = edit(module)?;
    let started = Instant::now();
    let unit = Arc::new(compile_module(&edited, &Options::default())?);
    let again = caching.compile(std::slice::from_ref(&unit))?;
    anyhow::ensure!(!again[0].cached, "the edit of {} changed nothing", module.path);
    let edit = started.elapsed();
    Ok(Row {
        name: module.path.trim_end_matches(".js").to_owned(),
        source: module.source.len(),
        wasm: unit.wasm.len(),
        native: native.iter().map(|unit| unit.code_size()).sum(),
        compile,
        code,
        edit,
    })
}

/// The module with a statement more in a function in its middle.
fn edit(module: &SourceModule) -> anyhow::Result<SourceModule> {
    let mut end = 0;
    let mut ends = module.source.split_inclusive('\n').map(|line| {
        end += line.len();
        (line, end)
    });
    let in_middle = ends.find(|(line, end)| *end > module.source.len() / 2 && opens_function(line));
    let (_, at) = in_middle.with_context(|| format!("{} has no function in its middle", module.path))?;
    let mut source = module.source.clone();
    source.insert_str(at, "console.log('edited', globalThis.edited);\n");
    Ok(SourceModule { source, ..module.clone() })
}

fn opens_function(line: &str) -> bool {
    line.trim_start().starts_with("function ") && line.ends_with(") {\n")
}

/// Compiles all bundles at once, on all cores, as a deploy does.
fn together(engine: &Engine, modules: &[SourceModule]) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let units = compile_all(modules, &Options::default(), &NoCache, &|_| ())?;
    let units: Vec<Arc<CompiledUnit>> = units.into_iter().map(Arc::new).collect();
    engine.compile(&units)?;
    Ok(started.elapsed())
}

fn render(rows: &[Row], together: Duration) -> anyhow::Result<String> {
    let mut text = String::from(
        "\n## Compiling\n\nPublished packages, each bundled with a script that uses it: to Wasm and to native code, one bundle at a time. *Native*\nis code alone, without tables. *Edit* is both steps for a bundle that has a statement more, in a function in its middle,\nwith what the first time left in the cache of native code.\n\n| bundle | source, B | Wasm, B | native, B | native / source | to Wasm, ms | to native, ms | edit, ms |\n| --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    let total = Row {
        name: "**all**".to_owned(),
        source: rows.iter().map(|row| row.source).sum(),
        wasm: rows.iter().map(|row| row.wasm).sum(),
        native: rows.iter().map(|row| row.native).sum(),
        compile: rows.iter().map(|row| row.compile).sum(),
        code: rows.iter().map(|row| row.code).sum(),
        edit: rows.iter().map(|row| row.edit).sum(),
    };
    for row in rows.iter().chain([&total]) {
        writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {:.0} | {:.0} | {:.0} |",
            row.name,
            row.source,
            row.wasm,
            row.native,
            row.native as f64 / row.source as f64,
            row.compile.as_secs_f64() * 1_000.0,
            row.code.as_secs_f64() * 1_000.0,
            row.edit.as_secs_f64() * 1_000.0,
        )?;
    }
    writeln!(text, "\nAll bundles at once, as a deploy compiles them: {:.2} s.", together.as_secs_f64())?;
    if let Some(peak) = peak_memory() {
        writeln!(text, "Most memory this program has used until then: {peak}.")?;
    }
    text.push('\n');
    Ok(text)
}

/// The largest resident size of this process so far, as Linux says it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
