//! `convex-wasm deployments`: what a server serves, what it served before, and the way back.

use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use convex_wasm_server::push::KeptDeployment;
use serde_json::json;

use crate::exit::Failure;
use crate::output::{self, Table};
use crate::{client, report};

/// Characters of an id that a list shows; any begin that is unique is understood.
const SHOWN_ID: usize = 12;
/// A rollback waits for the schema to be checked against the data.
const PATIENCE: Duration = Duration::from_secs(600);

/// What to do with deployments.
#[derive(Subcommand)]
pub enum Command {
    /// Lists the active deployment and the earlier ones that are kept.
    #[command(after_help = "\
Example:
  convex-wasm deployments list --url http://127.0.0.1:3210 --admin-key KEY

The server keeps as many as the environment variable DEPLOYMENTS_KEPT says.")]
    List(Server),
    /// Makes an earlier deployment the active one again.
    #[command(after_help = "\
Examples:
  convex-wasm deployments rollback --admin-key KEY
  convex-wasm deployments rollback 3f2a --admin-key KEY

The earlier schema must fit the data as it is now; if it does not, nothing changes. Data and environment variables stay.")]
    Rollback(Rollback),
}

/// Which server.
#[derive(Args)]
pub struct Server {
    /// Address of the server.
    #[arg(long, env = "CONVEX_SELF_HOSTED_URL", default_value = "http://127.0.0.1:3210")]
    url: String,
    /// Admin key of the instance.
    #[arg(long, env = "CONVEX_SELF_HOSTED_ADMIN_KEY", hide_env_values = true)]
    admin_key: String,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

/// Where to go back to.
#[derive(Args)]
pub struct Rollback {
    /// Id of the deployment, or its first characters. [default: the one before the active one]
    id: Option<String>,
    #[command(flatten)]
    server: Server,
}

/// Runs the command.
pub async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::List(server) => list(&server).await,
        Command::Rollback(Rollback { id, server }) => roll_back(id.as_deref(), &server).await,
    }
}

async fn list(server: &Server) -> Result<(), Failure> {
    let request = client::get(&server.url, "/api/convex_wasm/deployments");
    let answer = client::send(client::authorized(request, Some(&server.admin_key)), &server.url).await?;
    if server.json {
        output::line(answer["deployments"].to_string());
        return Ok(());
    }
    let deployments: Vec<KeptDeployment> = serde_json::from_value(answer["deployments"].clone())
        .map_err(|error| Failure::setup("the server's answer cannot be read", error))?;
    let mut table = Table::new(&[
        "",
        "id",
        "activated",
        "wasm",
        "other",
        "modules",
        "js KiB",
        "wasm KiB",
        "native KiB",
        "image KiB",
    ]);
    for deployment in &deployments {
        let activated = SystemTime::UNIX_EPOCH + Duration::from_millis(deployment.activated_ms);
        let kibibytes = |bytes: usize| (bytes / 1024).to_string();
        table.row(vec![
            if deployment.active { "*" } else { "" }.to_owned(),
            deployment.id.chars().take(SHOWN_ID).collect(),
            httpdate::fmt_http_date(activated),
            deployment.wasm_functions.to_string(),
            deployment.other_functions.to_string(),
            deployment.modules.to_string(),
            kibibytes(deployment.source_bytes),
            kibibytes(deployment.wasm_bytes),
            kibibytes(deployment.native_bytes),
            kibibytes(deployment.image_bytes),
        ]);
    }
    table.print();
    Ok(())
}

async fn roll_back(id: Option<&str>, server: &Server) -> Result<(), Failure> {
    let request =
        client::post(&server.url, "/api/convex_wasm/rollback").timeout(PATIENCE).body(json!({ "id": id }).to_string());
    let answer = client::send(client::authorized(request, Some(&server.admin_key)), &server.url).await?;
    report::print_answer(answer, server.json, &format!("Rolled back at {}", server.url))
}
