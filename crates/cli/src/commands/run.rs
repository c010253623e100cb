//! `convex-wasm run`: calls a function of a deployment.

use clap::Args;
use serde_json::{Value as Json, json};

use crate::exit::Failure;
use crate::{client, output};

/// Which function, with which arguments.
#[derive(Args)]
#[command(after_help = "\
Examples:
  convex-wasm run messages:recent '{\"channel\": \"general\"}' --url http://127.0.0.1:3210
  convex-wasm run counters:set '{\"name\": \"likes\", \"value\": 0}' --url http://127.0.0.1:3210 --admin-key KEY

Without an admin key only public functions can be called. Log lines go to standard error, the result to standard output.")]
pub struct Options {
    /// The function, as `module:function`.
    function: String,
    /// Its arguments, a JSON object.
    #[arg(default_value = "{}")]
    arguments: String,
    /// Address of the server.
    #[arg(long, env = "CONVEX_SELF_HOSTED_URL", default_value = "http://127.0.0.1:3210")]
    url: String,
    /// Admin key.
    #[arg(long, env = "CONVEX_SELF_HOSTED_ADMIN_KEY", hide_env_values = true)]
    admin_key: Option<String>,
}

/// Runs the command.
pub async fn run(options: Options) -> Result<(), Failure> {
    let arguments: Json = serde_json::from_str(&options.arguments)
        .map_err(|error| Failure::app(format!("the arguments are not JSON: {error}")))?;
    let answer = match &options.admin_key {
        Some(key) => {
            let body = json!({ "path": options.function, "args": arguments, "format": "json" });
            let request = client::authorized(client::post(&options.url, "/api/function"), Some(key));
            client::send(request.body(body.to_string()), &options.url).await?
        }
        None => {
            let path = format!("/api/run/{}", options.function.replace(':', "/"));
            let body = json!({ "args": arguments, "format": "json" });
            client::send(client::post(&options.url, &path).body(body.to_string()), &options.url).await?
        }
    };
    for line in answer["logLines"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        output::note(line);
    }
    if answer["status"] == "success" {
        output::line(serde_json::to_string_pretty(&answer["value"]).unwrap_or_default());
        return Ok(());
    }
    let mut message = answer["errorMessage"].as_str().unwrap_or("the function failed").trim_end().to_owned();
    if let Some(data) = answer.get("errorData") {
        message.push_str(&format!("\ndata: {data}"));
    }
    Err(Failure::app(message))
}
