//! What came of a run: counts by folder, the failing tests, and the snapshot that the repository keeps.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

/// Parts of a path that make a row of the table.
const FOLDER_DEPTH: usize = 3;

/// One test's result.
#[derive(Debug, Serialize)]
pub struct TestResult {
    /// Path in the checkout.
    pub path: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why it failed, or for which feature it is excluded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It ended as it expects.
    Passed,
    /// It did not.
    Failed,
    /// It was not run.
    Excluded,
}

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    excluded: usize,
}

impl Counts {
    fn of<'r>(results: impl Iterator<Item = &'r TestResult>) -> Self {
        let mut counts = Counts::default();
        for result in results {
            match result.verdict {
                Verdict::Passed => counts.passed += 1,
                Verdict::Failed => counts.failed += 1,
                Verdict::Excluded => counts.excluded += 1,
            }
        }
        counts
    }

    fn run(self) -> usize {
        self.passed + self.failed
    }

    fn all(self) -> usize {
        self.run() + self.excluded
    }
}

/// The two shares, and a row for each folder.
pub fn summary(results: &[TestResult]) -> String {
    let all = Counts::of(results.iter());
    let core = Counts::of(
        results
            .iter()
            .filter(|result| ["test/language/", "test/built-ins/"].iter().any(|f| result.path.starts_with(f))),
    );
    let mut text = String::new();
    let mut line = |name: &str, passed: usize, of: usize| {
        let _ = writeln!(text, "{name}: {passed} of {of} = {:.2} %", share(passed, of));
    };
    line("Passed of the tests not excluded", all.passed, all.run());
    line("Passed of those in test/language and test/built-ins", core.passed, core.run());
    line("Passed of all of test/language and test/built-ins", core.passed, core.all());
    text.push('\n');
    let mut folders: BTreeMap<String, Vec<&TestResult>> = BTreeMap::new();
    for result in results {
        let parts: Vec<&str> = result.path.split('/').collect();
        let depth = FOLDER_DEPTH.min(parts.len() - 1);
        folders.entry(parts[..depth].join("/")).or_default().push(result);
    }
    for (folder, results) in folders {
        let counts = Counts::of(results.into_iter());
        let _ = write!(text, "{folder}: {} of {}", counts.passed, counts.run());
        if counts.excluded > 0 {
            let _ = write!(text, ", {} excluded", counts.excluded);
        }
        text.push('\n');
    }
    text
}

/// The text of the committed snapshot.
pub fn snapshot(results: &[TestResult], commit: &str) -> String {
    let mut text = format!(
        "test262 at commit {commit}\nWritten by `cargo xtask test262 DIR --write`.\n\n\
         Scripts that may run in both modes are run in strict mode only. Not counted: tests tagged with SharedArrayBuffer,\n\
         Atomics or Temporal, and the folders intl402 and staging.\n\n{}\nFailing:\n",
        summary(results)
    );
    for result in results.iter().filter(|result| result.verdict == Verdict::Failed) {
        text.push_str(&result.path);
        text.push('\n');
    }
    text
}

/// Failing tests that a snapshot does not list as failing.
pub fn regressions<'r>(results: &'r [TestResult], snapshot: &str) -> Vec<&'r TestResult> {
    let known: std::collections::HashSet<&str> =
        snapshot.split_once("\nFailing:\n").map_or("", |(_, list)| list).lines().collect();
    let failed = results.iter().filter(|result| result.verdict == Verdict::Failed);
    failed.filter(|result| !known.contains(result.path.as_str())).collect()
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Vec<TestResult> {
        let result = |path: &str, verdict| TestResult { path: path.to_owned(), verdict, reason: None };
        vec![
            result("test/language/types/a.js", Verdict::Passed),
            result("test/language/types/b.js", Verdict::Failed),
            result("test/built-ins/Atomics/c.js", Verdict::Excluded),
            result("test/annexB/language/d.js", Verdict::Passed),
        ]
    }

    #[test]
    fn shares_are_of_what_was_run_and_of_everything() {
        let text = summary(&results());
        assert!(text.contains("not excluded: 2 of 3 = 66.67 %"), "{text}");
        assert!(text.contains("Passed of those in test/language and test/built-ins: 1 of 2 = 50.00 %"), "{text}");
        assert!(text.contains("Passed of all of test/language and test/built-ins: 1 of 3 = 33.33 %"), "{text}");
        assert!(text.contains("test/language/types: 1 of 2\n"), "{text}");
    }

    #[test]
    fn what_a_snapshot_lists_is_no_regression() {
        let results = results();
        assert!(regressions(&results, &snapshot(&results, "abc")).is_empty());
        assert_eq!(regressions(&results, "").len(), 1);
    }
}
