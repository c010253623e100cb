//! A report of a push, for people.

use convex_wasm_runner::Visibility;
use convex_wasm_server::push::{DeployReport, FunctionReport, ModuleReport, PlacedFinding};

use serde_json::Value;

use crate::exit::Failure;
use crate::output::{self, Table};

/// Prints the report that a server has answered, as it is or for people, and then what was done.
///
/// # Errors
/// The answer is no report.
pub fn print_answer(answer: Value, json: bool, done: &str) -> Result<(), Failure> {
    if json {
        output::line(answer.to_string());
        return Ok(());
    }
    let report: DeployReport =
        serde_json::from_value(answer).map_err(|error| Failure::setup("the server's report cannot be read", error))?;
    print(&report);
    output::line(done);
    Ok(())
}

/// Prints functions, findings and times.
pub fn print(report: &DeployReport) {
    let mut table = Table::new(&["function", "kind", "visibility", "lane", "bytes", "ms"]);
    for FunctionReport { path, kind, visibility, lane, bytes, compile_ms } in &report.functions {
        let visibility = match visibility {
            Visibility::Public => "public",
            Visibility::Internal => "internal",
        };
        table.row(vec![
            path.clone(),
            kind.to_string().to_lowercase(),
            visibility.to_owned(),
            lane.clone(),
            bytes.to_string(),
            format!("{compile_ms:.1}"),
        ]);
    }
    table.print();
    let all = |list: fn(&ModuleReport) -> &Vec<PlacedFinding>| report.modules.iter().flat_map(list);
    findings("cannot run here", all(|module| &module.refusals));
    findings("does not persist from call to call", all(|module| &module.mutable_state));
    findings("environment variable read on import", all(|module| &module.import_environment));
    summary(report);
}

/// Prints findings in the app's own files, and counts those in its packages.
fn findings<'a>(title: &str, findings: impl Iterator<Item = &'a PlacedFinding>) {
    let (packages, own): (Vec<_>, Vec<_>) = findings.partition(|finding| finding.place.contains("node_modules/"));
    for PlacedFinding { name, reason, place } in own {
        output::line(format!("{place}: {name}: {title}: {reason}"));
    }
    if !packages.is_empty() {
        output::line(format!("node_modules: {title}: {} places (--json lists them)", packages.len()));
    }
}

fn summary(report: &DeployReport) {
    let sum = |size: fn(&ModuleReport) -> usize| report.modules.iter().map(size).sum::<usize>();
    let times: Vec<String> = report.milliseconds.iter().map(|(step, time)| format!("{step} {time:.0} ms")).collect();
    output::line(format!(
        "{} functions in {} modules: {} KiB of JavaScript, {} KiB of Wasm, {} KiB of native code; {}",
        report.functions.len(),
        report.modules.len(),
        sum(|module| module.source_bytes) / 1024,
        sum(|module| module.wasm_bytes) / 1024,
        sum(|module| module.native_bytes) / 1024,
        times.join(", "),
    ));
}
