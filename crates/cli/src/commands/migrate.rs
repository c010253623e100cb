//! `convex-wasm migrate`: copies a database to another place.

use std::sync::Arc;

use clap::Args;
use convex_wasm_persistence::{Location, Portable, TransferProgress, transfer};

use crate::exit::Failure;
use crate::instance::TlsOptions;
use crate::output::{self, Progress};

/// Reports of progress: one for so many items.
const ITEMS_A_REPORT: u64 = 10_000;

/// What to copy, and where to.
#[derive(Args)]
#[command(after_help = "\
Examples:
  convex-wasm migrate --from my-app.sqlite3 --to 'postgres://convex:PASSWORD@localhost/my_app?sslmode=disable'
  convex-wasm migrate --from postgres://… --to copy.sqlite3 --json

Everything in the database is copied: documents and their history, indexes, deployed code. The target must be empty; what was
written is read back and compared. A server that has the source open on a database server stops. What is beside the database
stays where it is: move PATH.files, if there is one, and PATH.secret to the new place (NAME.files and NAME.secret in the
working directory if the database is on a server now), so that stored files are found and admin keys stay valid.")]
pub struct Options {
    /// The database to copy: a path or a URL, as for serve --db.
    #[arg(long, value_name = "PATH|URL")]
    from: String,
    /// Where to: a path or a URL.
    #[arg(long, value_name = "PATH|URL")]
    to: String,
    #[command(flatten)]
    tls: TlsOptions,
    /// Prints what was copied as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub async fn run(options: Options) -> Result<(), Failure> {
    let location = |text: &str| options.tls.location(text, "convex_self_hosted");
    let from = location(&options.from);
    if let Location::File(path) = &from
        && !path.exists()
    {
        return Err(Failure::setup(format!("could not open {}", path.display()), "there is no such file"));
    }
    let to = location(&options.to);
    let target = to.to_string();
    let (from, to) = (open(from).await?, open(to).await?);
    let progress = Progress::count(options.json);
    let mut reported = None;
    let totals = transfer(&*from, &*to, &target, |step| {
        let (name, count) = match step {
            TransferProgress::Revisions(count) => ("documents", count),
            TransferProgress::Entries(count) => ("index entries", count),
            TransferProgress::Blobs(count) => ("blobs", count),
            TransferProgress::Verified(count) => ("read back", count),
        };
        let report = Some((name, count / ITEMS_A_REPORT));
        if report != reported {
            reported = report;
            progress.step(&format!("{name}: {count}"));
        }
    });
    let totals = totals.await.map_err(|error| Failure::setup("could not copy the database", error))?;
    progress.finish();
    if options.json {
        let json = serde_json::to_string(&totals).map_err(|error| Failure::setup("could not print", error))?;
        output::line(json);
    } else {
        output::line(format!(
            "Copied {} revisions of documents, {} index entries, {} globals and {} blobs to {target}; read back, they are \
             the same.",
            totals.revisions, totals.entries, totals.globals, totals.blobs
        ));
    }
    Ok(())
}

async fn open(location: Location) -> Result<Arc<dyn Portable>, Failure> {
    let shown = location.to_string();
    location.open().await.map_err(|error| Failure::setup(format!("could not open {shown}"), error))
}
