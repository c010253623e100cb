//! Tables of results, printed as they come.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// What was printed so far.
#[derive(Default)]
pub struct Report {
    text: String,
}

impl Report {
    /// Begins a section.
    pub fn section(&mut self, title: &str, text: &str) {
        self.line(&format!("\n## {title}\n\n{text}\n"));
    }

    /// Begins a table: the first column has names, the others numbers.
    pub fn table(&mut self, columns: &[&str]) {
        self.row(columns);
        let rule: String = (0..columns.len()).map(|column| if column == 0 { " --- |" } else { " ---: |" }).collect();
        self.line(&format!("|{rule}"));
    }

    /// A row of a table.
    pub fn row(&mut self, cells: &[impl AsRef<str>]) {
        let cells: String = cells.iter().map(|cell| format!(" {} |", cell.as_ref())).collect();
        self.line(&format!("|{cells}"));
    }

    /// A paragraph.
    pub fn note(&mut self, text: &str) {
        self.line(&format!("\n{text}"));
    }

    fn line(&mut self, line: &str) {
        println!("{line}");
        writeln!(self.text, "{line}").unwrap();
    }

    /// Writes all of it to the committed file.
    pub fn write(&self) {
        let head = "# The database beside others\n\nWritten by `cargo bench --package convex-wasm-database -- --write`: all numbers \
                    of a table are of one run on one machine.\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/RESULTS.md");
        std::fs::write(path, format!("{head}{}", self.text)).unwrap();
    }
}

/// Microseconds with three digits that count.
pub fn micros(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        ..10.0 => format!("{micros:.2}"),
        ..100.0 => format!("{micros:.1}"),
        _ => format!("{micros:.0}"),
    }
}

/// How often a second, in thousands beyond ten of them.
pub fn rate(time: Duration) -> String {
    let rate = 1.0 / time.as_secs_f64();
    if rate < 1e4 { format!("{rate:.0}") } else { format!("{:.0} k", rate / 1e3) }
}

/// `time` as a multiple of `of`.
pub fn times(time: Duration, of: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / of.as_secs_f64())
}

/// The least of a few measurements: other programs only make them longer.
pub async fn best(mut measure: impl AsyncFnMut() -> Duration) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        best = best.min(measure().await);
    }
    best
}

/// The one in the middle.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
