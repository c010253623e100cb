//! `convex-wasm compile`: bundles and compiles an app without deploying it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use convex_wasm_server::push::{App, ImportPhase, PushBody};

use crate::exit::Failure;
use crate::manifest::Manifest;
use crate::output::{self, Progress};
use crate::{builder, bundle, report};

/// Which app, and where its code goes.
#[derive(Args)]
#[command(after_help = "\
Examples:
  convex-wasm compile path/to/app
  convex-wasm compile path/to/app --out build --json

Writes for each module portable code (.wasm) and native code (.cwasm), and manifest.json with their hashes. Modules that
did not change since the last time are taken from the folder `cache` of the output.")]
pub struct Options {
    /// Folder of the app: it has `package.json` and the folder `convex`.
    #[arg(value_name = "APP_DIR")]
    app: PathBuf,
    /// Output folder [default: APP_DIR/.convex-wasm]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Module initialisation sees the same clock and randomness each time, so that compiling twice gives the same.
const IMPORT_PHASE: ImportPhase = ImportPhase { time_ms: 0.0, seed: [0; 32] };

/// Runs the command.
pub async fn run(options: Options) -> Result<(), Failure> {
    let out = options.out.unwrap_or_else(|| options.app.join(".convex-wasm"));
    make_output_folder(&out)?;
    let push: PushBody = serde_json::from_str(&bundle::bundle(&options.app)?)
        .map_err(|error| Failure::setup("the Convex CLI wrote a push that cannot be read", error))?;
    let app = App::from_push(push, None, IMPORT_PHASE).map_err(|error| Failure::app(error.to_string()))?;

    let progress = Arc::new(Progress::new(app.isolate_modules().count() as u64, options.json));
    let steps = progress.clone();
    let builder = builder::open(&out.join("cache"))?.with_progress(Arc::new(move |path| steps.step(path)));
    let built = builder.build(&app, BTreeMap::new()).await.map_err(|error| Failure::app(error.to_string()))?;
    progress.finish();

    Manifest::write(&out, &built)?;
    if options.json {
        let json = serde_json::to_string_pretty(&built.report);
        output::line(json.map_err(|error| Failure::setup("could not print the report", error))?);
    } else {
        report::print(&built.report);
        output::line(format!("Written to {}", out.display()));
    }
    Ok(())
}

/// The folder is our own: nothing in it belongs under version control.
fn make_output_folder(out: &Path) -> Result<(), Failure> {
    fs::create_dir_all(out)
        .and_then(|()| fs::write(out.join(".gitignore"), "*\n"))
        .map_err(|error| Failure::setup(format!("could not write to {}", out.display()), error))
}
