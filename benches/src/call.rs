//! The life of one call: an empty query, without HTTP and database.

use std::time::{Duration, Instant};

use convex_wasm_runtime::Engine;

use crate::program::{self, Prepared};

const CALLS: usize = 20_000;

/// What an empty query looks like to the runtime.
const EMPTY_QUERY: &str = "export const empty = { async invokeQuery(args) { JSON.parse(args); return 'null'; } };";

/// Medians and tails, in microseconds.
pub async fn table(engine: &Engine) -> anyhow::Result<String> {
    let prepared = program::prepare(engine, &[("empty.js", EMPTY_QUERY.to_owned())]).await?;
    let export = prepared.export("empty.js", "empty")?;
    for _ in 0..1_000 {
        program::answer(prepared.run(export, "invokeQuery").await?)?;
    }
    let mut samples = Samples::default();
    for _ in 0..CALLS {
        samples.take(&prepared, export).await?;
    }
    Ok(samples.render())
}

#[derive(Default)]
struct Samples {
    checkout: Vec<Duration>,
    guest: Vec<Duration>,
    reset: Vec<Duration>,
    total: Vec<Duration>,
}

impl Samples {
    async fn take(&mut self, prepared: &Prepared, export: convex_wasm_runtime::Export) -> anyhow::Result<()> {
        let started = Instant::now();
        let execution = prepared.run(export, "invokeQuery").await?;
        self.total.push(started.elapsed());
        self.checkout.push(execution.usage.checkout);
        self.guest.push(execution.usage.guest_time);
        self.reset.push(execution.usage.reset);
        program::answer(execution)?;
        Ok(())
    }

    fn render(mut self) -> String {
        let mut text = format!(
            "## The life of one call\n\nAn empty query in the runtime, {CALLS} calls, one after the other; microseconds.\n\n| step | median | 99 % |\n| --- | --: | --: |\n"
        );
        for (step, samples) in [
            ("environment checkout", &mut self.checkout),
            ("run: enter, execute, leave", &mut self.guest),
            ("reset to the image", &mut self.reset),
            ("**all together**", &mut self.total),
        ] {
            samples.sort_unstable();
            let at = |share: f64| samples[((samples.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
            text += &format!("| {step} | {:.1} | {:.1} |\n", at(0.5), at(0.99));
        }
        text
    }
}
