//! `convex-wasm serve`: runs a deployment.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use convex_wasm_database::{Database, Persistence};
use convex_wasm_knobs::HTTP_SERVER_LISTEN_SECONDS;
use convex_wasm_runner::RecordingSink;
use convex_wasm_server::push::Exclusions;
use convex_wasm_server::{Backend, BackendOptions};
use convex_wasm_storage::Files;
use convex_wasm_v8_workers::{Settings, Workers};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::builder;
use crate::exit::Failure;
use crate::instance::InstanceOptions;
use crate::node;
use crate::output;
use crate::s3::S3Options;

/// How often it is looked whether a port is free by now.
const LISTEN_AGAIN: Duration = Duration::from_millis(20);

/// Where to listen, and which deployment to serve.
#[derive(Args)]
#[command(after_help = "\
Examples:
  convex-wasm serve --db my-app.sqlite3
  convex-wasm serve --db my-app.sqlite3 --interface 0.0.0.0 --port 8080
  POSTGRES_URL=postgres://convex:PASSWORD@db.internal:5432 convex-wasm serve --instance-name my-app

Files beside the database: PATH.secret (the instance secret, if none is given), PATH.files (what the app stores) and
PATH.cache (compiled code, may be deleted); if the database is on a server, NAME.secret, NAME.files and NAME.cache in the
working directory. Files may be in an S3-compatible store instead. The server that opens a database last owns it: another one that had it open stops. Limits are
environment variables, all documented in the crate `knobs`; RUST_LOG chooses log events.")]
pub struct Options {
    #[command(flatten)]
    instance: InstanceOptions,
    /// Port to listen on; 0 picks a free one.
    #[arg(long, env = "PORT", default_value_t = 3210)]
    port: u16,
    /// Port of HTTP actions; the one after `--port` unless said otherwise, 0 picks a free one.
    #[arg(long, env = "SITE_PROXY_PORT")]
    site_proxy_port: Option<u16>,
    /// Address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    interface: IpAddr,
    /// Address under which clients reach this server; functions see it as CONVEX_CLOUD_URL.
    #[arg(long, env = "CONVEX_CLOUD_ORIGIN", value_name = "URL")]
    convex_origin: Option<String>,
    /// Address of HTTP actions; functions see it as CONVEX_SITE_URL.
    #[arg(long, env = "CONVEX_SITE_ORIGIN", value_name = "URL")]
    convex_site: Option<String>,
    /// Node.js 22 or newer, for functions that do not run on Wasm; without it the one on the PATH is taken.
    #[arg(long, env = "CONVEX_WASM_NODE", value_name = "PATH")]
    node: Option<PathBuf>,
    /// Functions to run on V8, such as `reports:*`, though they could run on Wasm; separated by commas.
    #[arg(long, env = "CONVEX_WASM_V8_FUNCTIONS", value_name = "PATTERNS", value_delimiter = ',')]
    v8_functions: Vec<String>,
    #[command(flatten)]
    s3: S3Options,
    /// Appends a recording of every call to a file, as lines of JSON: what went in, what was asked, what came out.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

/// Runs the command.
pub async fn run(options: Options) -> Result<(), Failure> {
    convex_wasm_knobs::check().map_err(|error| Failure::setup("could not start", error))?;
    let (listener, address) = listen(options.interface, options.port).await?;
    // A free port has no neighbour that is known to be free.
    let next = if options.port == 0 { 0 } else { options.port.wrapping_add(1) };
    let (site_listener, site) = listen(options.interface, options.site_proxy_port.unwrap_or(next)).await?;
    let persistence = open_persistence(&options.instance).await?;
    let backend = open(options, address, site, persistence.clone()).await?;
    let signal = stop_signal().map_err(|error| Failure::setup("could not wait for signals", error))?;
    let store = persistence.clone();
    let stop = async move {
        tokio::select! {
            () = signal => {}
            () = store.taken_over() => tracing::error!("another backend took over the database: this one stops"),
        }
    };
    output::line(format!("Serving {} at http://{address}", backend.instance_name()));
    output::line(format!("HTTP actions are at http://{site}"));
    let served = convex_wasm_server::serve(listener, site_listener, backend.clone(), stop).await;
    backend.shut_down().await;
    served.map_err(|error| Failure::setup("the server failed", error))
}

async fn listen(interface: IpAddr, port: u16) -> Result<(TcpListener, SocketAddr), Failure> {
    let failed = |error: std::io::Error| Failure::setup(format!("could not listen on {interface}:{port}"), error);
    let give_up = Instant::now() + Duration::from_secs(HTTP_SERVER_LISTEN_SECONDS.get());
    let listener = loop {
        match TcpListener::bind((interface, port)).await {
            Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < give_up => {
                tokio::time::sleep(LISTEN_AGAIN).await;
            }
            bound => break bound.map_err(failed)?,
        }
    };
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

async fn open(
    options: Options,
    address: SocketAddr,
    site: SocketAddr,
    persistence: Arc<dyn Persistence>,
) -> Result<Arc<Backend>, Failure> {
    let secret = options.instance.secret()?;
    let cache = options.instance.file("cache");
    let mut builder = builder::open(&cache)?;
    if let Some(workers) = workers(options.node.as_deref(), &cache)? {
        builder = builder.with_v8(workers).without(Exclusions::new(options.v8_functions));
    }
    let files = files(options.s3, &options.instance)?;
    let recordings = options.record.as_deref().map(recording_sink).transpose()?;
    let backend = Backend::open(BackendOptions {
        database: open_database(persistence).await?,
        instance_name: options.instance.instance_name,
        secret,
        builder,
        origin: options.convex_origin.unwrap_or_else(|| format!("http://{address}")),
        files,
        site: options.convex_site.unwrap_or_else(|| format!("http://{site}")),
        recordings,
    });
    backend.await.map_err(|error| Failure::setup("could not load the deployed app", error))
}

/// Files in the bucket that was named, or in a folder beside the database.
fn files(s3: S3Options, instance: &InstanceOptions) -> Result<Files, Failure> {
    if let Some(bucket) = s3.bucket() {
        return Files::in_bucket(bucket).map_err(|error| Failure::setup("could not use the S3 store", error));
    }
    let folder = instance.file("files");
    Files::open(&folder).map_err(|error| Failure::setup(format!("could not open {}", folder.display()), error))
}

/// Workers on the given Node.js, or on one that is found; without any, everything must run on Wasm.
fn workers(node: Option<&Path>, cache: &Path) -> Result<Option<Workers>, Failure> {
    let node = match node {
        Some(node) => node::find(&[node.to_owned()])?,
        None => match node::find(&[PathBuf::from("node")]) {
            Ok(node) => node,
            Err(_) => {
                tracing::info!("no Node.js 22 was found: functions that cannot run on Wasm do not run");
                return Ok(None);
            }
        },
    };
    let workers = Workers::new(Settings::new(node, cache.join("v8")));
    workers.map(Some).map_err(|error| Failure::setup("could not prepare V8 workers", error))
}

async fn open_persistence(instance: &InstanceOptions) -> Result<Arc<dyn Persistence>, Failure> {
    let location = instance.location();
    let shown = location.to_string();
    let persistence =
        location.open().await.map_err(|error| Failure::setup(format!("could not open {shown}"), error))?;
    Ok(persistence)
}

async fn open_database(persistence: Arc<dyn Persistence>) -> Result<Database, Failure> {
    Database::open(persistence).await.map_err(|error| Failure::setup("could not open the database", error))
}

/// Writes recordings to a file; the first failure to write ends that, not the calls.
fn recording_sink(path: &Path) -> Result<RecordingSink, Failure> {
    let file = File::options()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|error| Failure::setup(format!("could not write {}", path.display()), error))?;
    let file = Mutex::new(Some(file));
    Ok(Arc::new(move |recording| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(output) = file.as_mut() else { return };
        let written = serde_json::to_string(&recording).map_err(Into::into).and_then(|json| writeln!(output, "{json}"));
        if let Err(error) = written {
            tracing::error!(%error, "no more recordings: the file cannot be written");
            *file = None;
        }
    }))
}

/// Ready when the process is asked to end.
fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
