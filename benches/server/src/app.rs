//! The app that is measured: the example, with a function that does nothing.

use convex_wasm_tests::backend::Backend;
use convex_wasm_tests::developer::Developer;

/// A function that does nothing but differ from deploy to deploy.
const EMPTY: &str = "import { queryGeneric as query } from 'convex/server';\n\
                     export const call = query({ handler: () => null });\n\
                     export const version = query({ handler: () => VERSION });";

/// The example and its server, deployed.
pub fn deployed() -> anyhow::Result<Developer> {
    let developer = Developer::new()?;
    edit(&developer, 0)?;
    developer.backend.deploy(&developer.app())?;
    Ok(developer)
}

/// Edits one module.
pub fn edit(developer: &Developer, version: usize) -> anyhow::Result<()> {
    developer.write("empty.ts", &EMPTY.replace("VERSION", &version.to_string()))
}

/// Bytes of memory of a server's process that are its own or shared with nobody else.
pub fn memory(backend: &Backend) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", backend.process_id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes: u64 = line.unwrap_or_default().trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kibibytes * 1024)
}
