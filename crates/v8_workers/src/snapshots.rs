//! V8 startup snapshots of harness and program, in files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use convex_wasm_knobs::{
    CONVEX_WASM_V8_SNAPSHOT_CACHE_BYTES, CONVEX_WASM_V8_SNAPSHOT_CACHE_ENTRIES, CONVEX_WASM_V8_SNAPSHOT_TIMEOUT_SECONDS,
};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::error::WorkerError;
use crate::harness;
use crate::program::Program;
use crate::worker::Starter;

/// Builds snapshots, each once, and keeps those used last.
pub(crate) struct Snapshots {
    directory: PathBuf,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_digest: HashMap<String, Entry>,
    clock: u64,
}

struct Entry {
    file: Arc<OnceCell<Option<Snapshot>>>,
    used: u64,
}

#[derive(Clone, Debug)]
struct Snapshot {
    path: PathBuf,
    size: u64,
}

impl Snapshots {
    /// Snapshots in `directory`. Those that an earlier process left are removed: another Node may have made them.
    pub(crate) fn new(directory: PathBuf) -> Self {
        let files = std::fs::read_dir(&directory).into_iter().flatten().flatten().map(|entry| entry.path());
        for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "blob")) {
            // One that cannot be removed is only a file too many.
            let _ = std::fs::remove_file(file);
        }
        Self { directory, entries: Mutex::default() }
    }

    /// The snapshot of a program if it was built, without waiting. None if not, or if it cannot be built.
    pub(crate) fn ready(&self, program: &Program) -> Option<PathBuf> {
        let cell = self.cell(program.digest());
        cell.get()?.as_ref().map(|snapshot| snapshot.path.clone())
    }

    /// Whether nobody has begun to build it.
    pub(crate) fn is_unknown(&self, program: &Program) -> bool {
        !self.entries.lock().by_digest.contains_key(program.digest())
    }

    /// The snapshot of a program, built by whoever asks first. None if it cannot be built, which is logged once.
    pub(crate) async fn build(&self, starter: &Starter, program: &Program) -> Option<PathBuf> {
        let cell = self.cell(program.digest());
        let built = cell.get_or_init(|| async {
            match self.make(starter, program).await {
                Ok(snapshot) => Some(snapshot),
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, "workers start without a snapshot");
                    None
                }
            }
        });
        let path = built.await.as_ref().map(|snapshot| snapshot.path.clone());
        self.evict(program.digest());
        path
    }

    fn cell(&self, digest: &str) -> Arc<OnceCell<Option<Snapshot>>> {
        let mut entries = self.entries.lock();
        entries.clock += 1;
        let now = entries.clock;
        let entry =
            entries.by_digest.entry(digest.to_owned()).or_insert_with(|| Entry { file: Arc::default(), used: 0 });
        entry.used = now;
        entry.file.clone()
    }

    async fn make(&self, starter: &Starter, program: &Program) -> Result<Snapshot, WorkerError> {
        let file = |action| move |source| WorkerError::File { action, source };
        let script = self.directory.join(format!("{}.js", program.digest()));
        let path = self.directory.join(format!("{}.blob", program.digest()));
        let text = harness::with_program(program.digest(), program.modules());
        tokio::fs::write(&script, text).await.map_err(file("write the script of a snapshot"))?;
        let built = build_blob(starter, &script, &path).await;
        // A file that cannot be removed is written over by the next build.
        let _ = tokio::fs::remove_file(&script).await;
        built?;
        let size = tokio::fs::metadata(&path).await.map_err(file("read a snapshot"))?.len();
        let limit = CONVEX_WASM_V8_SNAPSHOT_CACHE_BYTES.get();
        if size > limit {
            let _ = tokio::fs::remove_file(&path).await;
            return Err(WorkerError::SnapshotTooLarge { size, limit });
        }
        Ok(Snapshot { path, size })
    }

    /// Removes the snapshots used longest ago, but not `newest`, until all are within the limits.
    fn evict(&self, newest: &str) {
        let mut entries = self.entries.lock();
        loop {
            let built = || entries.by_digest.iter().filter_map(|(digest, entry)| Some((digest, entry, size(entry)?)));
            let (count, bytes) = built().fold((0, 0), |(count, bytes), (_, _, size)| (count + 1, bytes + size));
            let fits = count <= CONVEX_WASM_V8_SNAPSHOT_CACHE_ENTRIES.get()
                && bytes <= CONVEX_WASM_V8_SNAPSHOT_CACHE_BYTES.get();
            let oldest = built().filter(|(digest, ..)| *digest != newest).min_by_key(|(_, entry, _)| entry.used);
            let Some(oldest) = oldest.map(|(digest, ..)| digest.clone()).filter(|_| !fits) else { return };
            let entry = entries.by_digest.remove(&oldest);
            if let Some(Some(snapshot)) = entry.as_ref().and_then(|entry| entry.file.get()) {
                // One that cannot be removed is only a file too many.
                let _ = std::fs::remove_file(&snapshot.path);
            }
        }
    }
}

fn size(entry: &Entry) -> Option<u64> {
    entry.file.get()?.as_ref().map(|snapshot| snapshot.size)
}

async fn build_blob(starter: &Starter, script: &Path, blob: &Path) -> Result<(), WorkerError> {
    let failed = |diagnosis: String| WorkerError::Snapshot { diagnosis };
    let mut command = starter.command();
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.arg("--snapshot-blob").arg(blob).arg("--build-snapshot").arg(script);
    let child = starter.spawner.spawn(command).await.map_err(|error| failed(error.to_string()))?;
    let limit = std::time::Duration::from_secs(CONVEX_WASM_V8_SNAPSHOT_TIMEOUT_SECONDS.get());
    match tokio::time::timeout(limit, child.wait_with_output()).await {
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => Err(failed(String::from_utf8_lossy(&output.stderr).into_owned())),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed(format!("it took longer than {} s", limit.as_secs()))),
    }
}
