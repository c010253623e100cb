//! A worker process and the messages to and from it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use bytes::BytesMut;
use convex_wasm_knobs::CONVEX_WASM_V8_START_TIMEOUT_SECONDS;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::error::WorkerError;
use crate::frame::{self, Frame, command, report};
use crate::program::{Key, Program};
use crate::reaper::{Mortal, Reaper};
use crate::spawner::Spawner;

/// Bytes of what a worker writes besides messages that are kept to explain its end.
const LAST_WORDS: u64 = 16 << 10;
/// What V8 says when a heap is full.
const OUT_OF_MEMORY: &str = "heap out of memory";
/// Units of 2^20 bytes that V8's heap may grow beyond the limit before its process ends.
const HEAP_SLACK_MB: usize = 32;

/// How workers are started.
pub(crate) struct Starter {
    pub(crate) node: std::path::PathBuf,
    pub(crate) spawner: Spawner,
    pub(crate) reaper: Reaper,
    /// The script of a worker without a snapshot.
    pub(crate) script: std::path::PathBuf,
}

/// A process that holds a program and waits for executions. Dropping it kills the process.
pub(crate) struct Worker {
    process: Mortal,
    input: ChildStdin,
    output: ChildStdout,
    arrived: BytesMut,
    generation: u32,
    last_words: Option<JoinHandle<String>>,
}

impl Starter {
    /// Node with our flags and nothing of our environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command
            .args(["--experimental-vm-modules", "--no-warnings"])
            .env_clear()
            .env("TZ", "UTC")
            .env("LANG", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts a worker from `snapshot`, or without one, and waits until it is ready.
    ///
    /// # Errors
    /// It does not start, or ends before it is ready.
    pub(crate) async fn start(
        &self,
        program: &Program,
        key: &Key,
        snapshot: Option<&Path>,
    ) -> Result<Worker, WorkerError> {
        let mut node = self.command();
        node.arg(format!("--max-old-space-size={}", key.heap_mb + HEAP_SLACK_MB));
        match snapshot {
            Some(snapshot) => node.arg("--snapshot-blob").arg(snapshot),
            None => node.arg(&self.script),
        };
        let mut worker = self.spawn(node).await?;
        let seconds = CONVEX_WASM_V8_START_TIMEOUT_SECONDS.get();
        tokio::time::timeout(Duration::from_secs(seconds), worker.become_ready(program, snapshot.is_none()))
            .await
            .map_err(|_| WorkerError::Late { seconds })??;
        Ok(worker)
    }

    async fn spawn(&self, command: Command) -> Result<Worker, WorkerError> {
        let failed = |source| WorkerError::Start { program: self.node.clone(), source };
        let mut child = self.spawner.spawn(command).await.map_err(failed)?;
        let (Some(input), Some(output), Some(words)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        let last_words = Some(tokio::spawn(listen(words)));
        let process = self.reaper.watch(child);
        Ok(Worker { process, input, output, arrived: BytesMut::new(), generation: 0, last_words })
    }
}

/// Keeps the beginning, which says why, and reads the rest so that the worker is never held up.
async fn listen(mut words: tokio::process::ChildStderr) -> String {
    let mut kept = Vec::new();
    // What cannot be read explains nothing.
    let _ = (&mut words).take(LAST_WORDS).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut words, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}

impl Worker {
    async fn become_ready(&mut self, program: &Program, load: bool) -> Result<(), WorkerError> {
        if load {
            let modules = program.modules().iter().flat_map(|(path, source)| [path.as_str(), source]);
            let fields: Vec<&str> = std::iter::once(program.digest()).chain(modules).collect();
            self.send(command::LOAD, &fields).await?;
        }
        self.confirm(program).await
    }

    /// Waits until it says that it is ready, with this program.
    async fn confirm(&mut self, program: &Program) -> Result<(), WorkerError> {
        let frame = self.next().await?;
        match (frame.kind, frame.field(0) == program.digest()) {
            (report::READY, true) => Ok(()),
            (report::READY, false) => Err(WorkerError::WrongProgram),
            _ => Err(WorkerError::Malformed),
        }
    }

    /// Has it do now what every execution needs, and waits for it: it is about to be parked.
    pub(crate) async fn prepare(&mut self, program: &Program) -> Result<(), WorkerError> {
        self.send::<&str>(command::PREPARE, &[]).await?;
        self.confirm(program).await
    }

    /// Id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Whether its process is known to have ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.has_ended()
    }

    /// Begins an execution: what comes of earlier ones is dropped from now on.
    pub(crate) fn begin(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Sends a message.
    pub(crate) async fn send<T: AsRef<[u8]>>(&mut self, kind: u8, fields: &[T]) -> Result<(), WorkerError> {
        let bytes = frame::encode(self.generation, kind, fields)?;
        match self.input.write_all(&bytes).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.explain_end().await),
        }
    }

    /// The next message of this execution. May be cancelled and called again.
    pub(crate) async fn next(&mut self) -> Result<Frame, WorkerError> {
        loop {
            while let Some(frame) = frame::decode(&mut self.arrived)? {
                if frame.generation == self.generation {
                    return Ok(frame);
                }
                tracing::debug!(worker = self.id(), kind = frame.kind, "a late message of a V8 worker was dropped");
            }
            match self.output.read_buf(&mut self.arrived).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(self.explain_end().await),
            }
        }
    }

    async fn explain_end(&mut self) -> WorkerError {
        self.process.kill();
        let words = match self.last_words.take() {
            Some(listening) => listening.await.unwrap_or_default(),
            None => String::new(),
        };
        if words.contains(OUT_OF_MEMORY) {
            return WorkerError::OutOfMemory;
        }
        let diagnosis = words.trim().to_owned();
        WorkerError::Ended { diagnosis: if diagnosis.is_empty() { "it was killed".to_owned() } else { diagnosis } }
    }
}
