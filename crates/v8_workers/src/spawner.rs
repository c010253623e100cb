//! The thread that starts processes.
//!
//! The kernel kills a worker when the *thread* that started it ends (`PR_SET_PDEATHSIG`), so one thread that lives as long
//! as the backend starts them all: however the backend ends, no worker stays behind.

use std::io;

use convex_wasm_knobs::CONVEX_WASM_V8_NICE;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// Starts processes that end with this one.
#[derive(Clone, Debug)]
pub(crate) struct Spawner {
    requests: mpsc::UnboundedSender<Request>,
}

struct Request {
    command: Command,
    reply: oneshot::Sender<io::Result<Child>>,
}

impl Spawner {
    /// Starts the thread; the current Tokio runtime watches the processes.
    pub(crate) fn new() -> io::Result<Self> {
        let (requests, mut received) = mpsc::unbounded_channel::<Request>();
        let runtime = Handle::current();
        std::thread::Builder::new().name("v8-spawner".to_owned()).spawn(move || {
            let _runtime = runtime.enter();
            while let Some(Request { mut command, reply }) = received.blocking_recv() {
                // Whoever asked may have gone; then the process is dropped, which kills it.
                let _ = reply.send(command.spawn());
            }
        })?;
        Ok(Self { requests })
    }

    /// Starts a process that is killed when it is dropped and when the backend ends.
    pub(crate) async fn spawn(&self, mut command: Command) -> io::Result<Child> {
        command.kill_on_drop(true);
        let (backend, niceness) = (std::process::id(), CONVEX_WASM_V8_NICE.get());
        // SAFETY: between fork and exec only system calls that are async-signal-safe are made, and nothing is allocated.
        unsafe { command.pre_exec(move || bind_to(backend, niceness)) };
        let (reply, started) = oneshot::channel();
        let gone = || io::Error::other("the thread that starts processes has ended");
        self.requests.send(Request { command, reply }).map_err(|_| gone())?;
        started.await.map_err(|_| gone())?
    }
}

/// In the new process: end with the backend, give way to it, and leave no core file.
fn bind_to(backend: u32, niceness: i32) -> io::Result<()> {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain system calls; `none` outlives the call that reads it.
    let (bound, limited, parent) = unsafe {
        let bound = libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // At last, since until it is another program this process holds what the backend has open. One that may not be nicer
        // than it is runs as it is.
        let (limited, parent) = (libc::setrlimit(libc::RLIMIT_CORE, &none), libc::getppid());
        libc::nice(niceness);
        (bound, limited, parent)
    };
    if bound != 0 || limited != 0 {
        return Err(io::Error::last_os_error());
    }
    // The backend may have ended before the kernel was told.
    if parent as u32 == backend { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}
