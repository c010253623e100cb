//! What the commands write: results to standard output, everything else to standard error.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use tracing_subscriber::EnvFilter;

/// Sends log events to standard error; `RUST_LOG` chooses which.
pub fn log_to_stderr() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let colors = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colors).init();
}

/// Writes a line to standard output. A reader that went away is not our problem.
pub fn line(text: impl AsRef<str>) {
    writeln!(std::io::stdout(), "{}", text.as_ref()).ok();
}

/// Writes a line to standard error.
pub fn note(text: impl AsRef<str>) {
    writeln!(std::io::stderr(), "{}", text.as_ref()).ok();
}

/// Writes the message of a failed command.
pub fn error(message: &impl std::fmt::Display) {
    note(format!("error: {message}"));
}

/// Steps of a long task: a bar on a terminal, otherwise a line for each step.
pub enum Progress {
    /// On a terminal.
    Bar(ProgressBar),
    /// Anywhere else.
    Lines,
    /// Nothing is shown.
    Quiet,
}

impl Progress {
    /// Progress of `steps` steps.
    pub fn new(steps: u64, quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Self::Bar(bar)
    }

    /// Progress of a task of which nobody knows how long it is.
    pub fn count(quiet: bool) -> Self {
        match Self::new(0, quiet) {
            Self::Bar(_) => Self::Bar(ProgressBar::new_spinner()),
            other => other,
        }
    }

    /// A step begins, or a part is done.
    pub fn step(&self, name: &str) {
        match self {
            Self::Bar(bar) => {
                bar.inc(1);
                bar.set_message(name.to_owned());
            }
            Self::Lines => note(name),
            Self::Quiet => {}
        }
    }

    /// All steps are done.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// A table with aligned columns; numbers to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column titles.
    pub fn new(titles: &[&str]) -> Self {
        Self { rows: vec![titles.iter().map(|title| (*title).to_owned()).collect()] }
    }

    /// Adds a row with as many cells as there are titles.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the table to standard output.
    pub fn print(&self) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| pad(cell, *width)).collect();
            line(cells.join("  ").trim_end());
        }
    }
}

fn pad(cell: &str, width: usize) -> String {
    if cell.starts_with(|first: char| first.is_ascii_digit()) {
        format!("{cell:>width$}")
    } else {
        format!("{cell:<width$}")
    }
}
