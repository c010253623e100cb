//! Random programs: what they print on Wasm is what they print on Node, and no text makes the compiler or the guest fail in
//! a way that has no name.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::Parser;
use convex_wasm_tests::first_difference;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

mod generator;
mod mutate;
mod node;
mod wasm;

use generator::Choices;
use wasm::Ending;

/// Programs for one process of Node.
const BATCH: u64 = 50;
/// Programs between two lines about the progress, where there is no terminal.
const REPORTED: u64 = 1_000;
/// Attempts to make a failing program smaller.
const SHRINKING: usize = 600;

/// Compares random programs on Wasm and on Node.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  convex-wasm-fuzz --programs 50000
  convex-wasm-fuzz --programs 50000 --keep-going   # every difference, none made smaller
  convex-wasm-fuzz --seed 1234 --programs 1        # one program again, shrunk if it fails")]
struct Options {
    /// The Node to compare with.
    #[arg(long, default_value = "node")]
    node: PathBuf,
    /// Seed of the first program; the others follow.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many programs.
    #[arg(long, default_value_t = 1_000)]
    programs: u64,
    /// Stop after that many minutes, even if fewer programs ran.
    #[arg(long)]
    minutes: Option<f64>,
    /// Go on after a difference: list the seeds that differ and fail at the end.
    #[arg(long)]
    keep_going: bool,
    /// Print the program of the first seed and do nothing else.
    #[arg(long)]
    print: bool,
}

#[derive(Default)]
struct Counts {
    different: AtomicU64,
    same: AtomicU64,
    handed_over: AtomicU64,
    limited: AtomicU64,
    mutants: AtomicU64,
}

struct Fuzzer {
    wasm: wasm::Lane,
    node: PathBuf,
    seeds: std::ops::Range<u64>,
    next: AtomicU64,
    deadline: Option<Instant>,
    keep_going: bool,
    counts: Counts,
    progress: ProgressBar,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    if options.print {
        println!("{}", generator::program(&mut Choices::from_seed(options.seed)));
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(options))
}

async fn run(options: Options) -> anyhow::Result<()> {
    let started = Instant::now();
    let progress = ProgressBar::new(options.programs);
    if !std::io::stderr().is_terminal() {
        progress.set_draw_target(ProgressDrawTarget::hidden());
    }
    progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} programs {elapsed}")?);
    let fuzzer = Arc::new(Fuzzer {
        wasm: wasm::Lane::new()?,
        node: options.node,
        seeds: options.seed..options.seed + options.programs,
        next: AtomicU64::new(options.seed),
        deadline: options.minutes.map(|minutes| started + Duration::from_secs_f64(minutes * 60.0)),
        keep_going: options.keep_going,
        counts: Counts::default(),
        progress,
    });
    let workers = std::thread::available_parallelism()?.get();
    let workers: Vec<_> = (0..workers).map(|_| tokio::spawn(fuzzer.clone().work())).collect();
    for worker in workers {
        worker.await??;
    }
    fuzzer.progress.finish_and_clear();
    let Counts { different, same, handed_over, limited, mutants } = &fuzzer.counts;
    println!(
        "{} programs the same on Wasm and Node, {} handed over, {} at a limit; {} damaged programs ended as they should; {:.0} s",
        same.load(Relaxed),
        handed_over.load(Relaxed),
        limited.load(Relaxed),
        mutants.load(Relaxed),
        started.elapsed().as_secs_f64()
    );
    match different.load(Relaxed) {
        0 => Ok(()),
        count => bail!("{count} programs differ"),
    }
}

impl Fuzzer {
    /// Takes batches until there are none, or the time is over.
    async fn work(self: Arc<Self>) -> anyhow::Result<()> {
        loop {
            let first = self.next.fetch_add(BATCH, Relaxed);
            let over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if first >= self.seeds.end || over {
                return Ok(());
            }
            self.batch(first..(first + BATCH).min(self.seeds.end)).await?;
        }
    }

    async fn batch(&self, seeds: std::ops::Range<u64>) -> anyhow::Result<()> {
        let programs: Vec<String> =
            seeds.clone().map(|seed| generator::program(&mut Choices::from_seed(seed))).collect();
        let on_node = node::run(&self.node, &programs).await?;
        for ((seed, program), expected) in seeds.zip(&programs).zip(on_node) {
            if let Some(failure) = self.compare(program, &expected).await {
                self.report(seed, &failure).await?;
            }
            for mutant in mutate::mutants(seed, program) {
                if let Ending::Fault(fault) = self.wasm.run(&mutant, wasm::DAMAGED_BUDGET).await {
                    bail!("seed {seed}: a damaged program ended in a way that has no name: {fault}\n{mutant}");
                }
                self.counts.mutants.fetch_add(1, Relaxed);
            }
            self.progress.inc(1);
            if self.progress.is_hidden() && self.progress.position().is_multiple_of(REPORTED) {
                eprintln!("{} programs in {:.0} s", self.progress.position(), self.progress.elapsed().as_secs_f64());
            }
        }
        Ok(())
    }

    /// Why the program is no success.
    async fn compare(&self, program: &str, expected: &str) -> Option<String> {
        match self.wasm.run(program, wasm::BUDGET).await {
            Ending::Printed(printed) if printed == expected => {
                self.counts.same.fetch_add(1, Relaxed);
                None
            }
            Ending::Printed(printed) => Some(first_difference(expected, &printed)),
            Ending::HandedOver => {
                self.counts.handed_over.fetch_add(1, Relaxed);
                None
            }
            Ending::Limited => {
                self.counts.limited.fetch_add(1, Relaxed);
                None
            }
            Ending::Invalid(reason) | Ending::Fault(reason) => Some(reason),
        }
    }

    /// Shrinks the program, prints it, and fails.
    async fn report(&self, seed: u64, failure: &str) -> anyhow::Result<()> {
        if self.keep_going {
            println!("seed {seed}: {failure}");
            self.counts.different.fetch_add(1, Relaxed);
            return Ok(());
        }
        println!("seed {seed} differs ({failure}); looking for a smaller program…");
        let mut choices = Choices::from_seed(seed);
        generator::program(&mut choices);
        let mut best = choices.into_made();
        let mut shrinking = generator::Shrinking::new(SHRINKING);
        while let Some(candidate) = shrinking.next(&best) {
            let program = generator::program(&mut Choices::replay(candidate.clone()));
            let fails = match node::run(&self.node, std::slice::from_ref(&program)).await {
                Ok(expected) => {
                    !expected[0].contains("uncaught SyntaxError")
                        && self.compare(&program, &expected[0]).await.is_some()
                }
                Err(_) => false,
            };
            if fails {
                best = candidate;
            }
            shrinking.tried(fails);
        }
        let program = generator::program(&mut Choices::replay(best));
        let expected = node::run(&self.node, std::slice::from_ref(&program)).await?;
        let failure = self.compare(&program, &expected[0]).await.unwrap_or_else(|| failure.to_owned());
        bail!("seed {seed}: {failure}\n\n{program}")
    }
}
