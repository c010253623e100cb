//! A report of a push, for people.

use convex_wasm_runner::Visibility;
use convex_wasm_server::push::{DeployReport, FunctionReport, PlacedFinding};

use crate::output::{self, Table};

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
    for module in &report.modules {
        findings("cannot run here", &module.refusals);
        findings("does not persist from call to call", &module.mutable_state);
        findings("environment variable read on import", &module.import_environment);
    }
    summary(report);
}

fn findings(title: &str, findings: &[PlacedFinding]) {
    for PlacedFinding { name, reason, place } in findings {
        output::line(format!("{place}: {name}: {title}: {reason}"));
    }
}

fn summary(report: &DeployReport) {
    let sum =
        |size: fn(&convex_wasm_server::push::ModuleReport) -> usize| report.modules.iter().map(size).sum::<usize>();
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
