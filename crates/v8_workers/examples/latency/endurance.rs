//! What very many actions leave behind: nothing.

use std::sync::Arc;

use convex_wasm_execution::BoxError;
use convex_wasm_v8_workers::{Program, Workers};

use crate::processes::{children, descriptors, private};

/// How often it is looked.
const LOOKS: usize = 10;

/// Runs actions one after the other, and prints a table of what there is after each part of them.
pub async fn run(workers: &Workers, program: &Arc<Program>, actions: usize) -> Result<(), BoxError> {
    println!("| actions | processes | descriptors | own memory of the backend, MB |\n| --: | --: | --: | --: |");
    for part in 0..=LOOKS {
        if part > 0 {
            for _ in 0..actions / LOOKS {
                crate::action(workers, program).await?;
            }
        }
        workers.settled().await;
        let memory = private("self")? as f64 / 1e6;
        println!("| {} | {} | {} | {memory:.1} |", actions / LOOKS * part, children()?.len(), descriptors()?);
    }
    workers.shut_down().await;
    println!("| after the end | {} | {} | |", children()?.len(), descriptors()?);
    Ok(())
}
