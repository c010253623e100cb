//! `convex-wasm deploy`: bundles an app and deploys it to a running server.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::exit::Failure;
use crate::output::Progress;
use crate::{bundle, client, report};

/// Which app, and where to.
#[derive(Args)]
#[command(after_help = "\
Example:
  convex-wasm deploy path/to/app --url http://127.0.0.1:3210 --admin-key KEY")]
pub struct Options {
    /// Folder of the app: it has `package.json` and the folder `convex`.
    #[arg(value_name = "APP_DIR")]
    app: PathBuf,
    /// Address of the server.
    #[arg(long, env = "CONVEX_SELF_HOSTED_URL", default_value = "http://127.0.0.1:3210")]
    url: String,
    /// Admin key of the instance.
    #[arg(long, env = "CONVEX_SELF_HOSTED_ADMIN_KEY", hide_env_values = true)]
    admin_key: String,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Uploads are compressed as Convex's own: brotli's quality and window.
const QUALITY: u32 = 4;
const WINDOW: u32 = 22;
const BUFFER: usize = 64 << 10;
/// A server that compiles a large app answers late.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs the command.
pub async fn run(options: Options) -> Result<(), Failure> {
    let progress = Progress::new(2, options.json);
    progress.step("bundling");
    let push = bundle::bundle(&options.app)?;
    progress.step("deploying");
    let mut body = Vec::new();
    brotli::CompressorReader::new(push.as_bytes(), BUFFER, QUALITY, WINDOW)
        .read_to_end(&mut body)
        .map_err(|error| Failure::setup("could not compress the app", error))?;
    let request = client::post(&options.url, "/api/convex_wasm/deploy")
        .header("Content-Encoding", "br")
        .timeout(PATIENCE)
        .body(body);
    let answer = client::send(client::authorized(request, Some(&options.admin_key)), &options.url).await?;
    progress.finish();
    report::print_answer(answer, options.json, &format!("Deployed to {}", options.url))
}
