//! What a function writes to the console.

use convex_wasm_knobs::{MAX_LOG_LINE_LENGTH, MAX_LOG_LINES};
use convex_wasm_runtime::LogLevel;

/// Log lines of one call, nested calls included: at most `MAX_LOG_LINES`, each at most `MAX_LOG_LINE_LENGTH` bytes.
#[derive(Clone, Debug, Default)]
pub struct LogLines {
    lines: Vec<String>,
}

impl LogLines {
    /// Adds the line `[LEVEL] message`; `message` holds the arguments as the console shows them.
    pub fn push(&mut self, level: LogLevel, message: &str) {
        if self.lines.len() + 1 < MAX_LOG_LINES.get() {
            self.lines.push(truncated(format!("[{}] {message}", level_name(level))));
        } else if self.lines.len() < MAX_LOG_LINES.get() {
            self.lines
                .push(format!("[ERROR] Log overflow (maximum {}). Remaining log lines omitted.", MAX_LOG_LINES.get()));
        }
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Adds the lines of a function that was called, as far as there is room.
    pub fn append(&mut self, lines: Vec<String>) {
        let room = MAX_LOG_LINES.get().saturating_sub(self.lines.len());
        self.lines.extend(lines.into_iter().take(room));
    }

    /// Forgets all lines but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.lines.truncate(count);
    }

    /// All lines.
    pub fn into_lines(self) -> Vec<String> {
        self.lines
    }
}

const TRUNCATION_MARK: &str = " (truncated due to length)";

/// Cuts a line at a character boundary so that it and the mark of the cut fit.
fn truncated(mut line: String) -> String {
    let limit = MAX_LOG_LINE_LENGTH.get();
    if line.len() > limit {
        let mut end = limit.saturating_sub(TRUNCATION_MARK.len());
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        line.truncate(end);
        line.push_str(TRUNCATION_MARK);
    }
    line
}

fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "DEBUG",
        LogLevel::Log => "LOG",
        LogLevel::Info => "INFO",
        LogLevel::Warn => "WARN",
        LogLevel::Error => "ERROR",
    }
}
