//! Files that arrive in parts, and imports from their upload to their end. They are in memory: a server that is started
//! again does not know them, and clients are told so.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use convex_wasm_knobs::{IMPORT_MAX_BYTES, IMPORT_MAX_KEPT};
use parking_lot::Mutex;
use rand::Rng;
use serde_json::{Value as Json, json};
use tokio::sync::watch;

use super::formats::Imported;
use super::import::Mode;

/// Uploads and imports, the oldest first; there are at most so many, and the oldest are forgotten.
#[derive(Default)]
pub struct Transfers {
    uploads: Mutex<VecDeque<Upload>>,
    imports: Mutex<VecDeque<Arc<Import>>>,
    /// Whether the export that was asked for last is to have the app's files.
    pub export_files: AtomicBool,
}

struct Upload {
    token: String,
    parts: Vec<Bytes>,
}

/// An import.
pub struct Import {
    /// Its name.
    pub id: String,
    /// What happens to documents that are there.
    pub mode: Mode,
    /// What waits to be imported.
    pub content: Mutex<Option<Imported>>,
    /// How far it is.
    pub state: watch::Sender<ImportState>,
}

/// How far an import is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportState {
    /// The developer must agree.
    Waiting {
        /// What will happen.
        message: String,
        /// Whether it is dangerous.
        deletes: bool,
    },
    /// Documents are written.
    InProgress,
    /// It is done.
    Completed {
        /// Documents that were added.
        added: usize,
    },
    /// It ended otherwise.
    Failed {
        /// Why.
        error: String,
    },
}

impl ImportState {
    /// The state as clients expect it.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Waiting { message, deletes } => json!({
                "state": "waiting_for_confirmation",
                "message_to_confirm": message,
                "require_manual_confirmation": deletes,
            }),
            Self::InProgress => {
                json!({ "state": "in_progress", "progress_message": "Importing", "checkpoint_messages": [] })
            }
            Self::Completed { added } => json!({ "state": "completed", "num_rows_written": added }),
            Self::Failed { error } => json!({ "state": "failed", "error_message": error }),
        }
    }
}

impl Transfers {
    /// Begins an upload; its token.
    pub fn start_upload(&self) -> String {
        let token = new_name();
        let mut uploads = self.uploads.lock();
        uploads.push_back(Upload { token: token.clone(), parts: Vec::new() });
        bound(&mut uploads);
        token
    }

    /// Takes the part of an upload; its token.
    ///
    /// # Errors
    /// The upload is not known, or too large.
    pub fn add_part(&self, token: &str, number: usize, part: Bytes) -> Result<String, String> {
        let mut uploads = self.uploads.lock();
        let upload = uploads.iter_mut().find(|upload| upload.token == token).ok_or_else(unknown_upload)?;
        let others: usize = upload.parts.iter().map(Bytes::len).sum();
        if others + part.len() > IMPORT_MAX_BYTES.get() {
            return Err(format!("The file is too large (limit: {} bytes).", IMPORT_MAX_BYTES.get()));
        }
        if number != upload.parts.len() + 1 {
            return Err(format!("Part {number} came after part {}; parts come in order.", upload.parts.len()));
        }
        upload.parts.push(part);
        Ok(number.to_string())
    }

    /// The whole file of an upload, which is over then.
    ///
    /// # Errors
    /// The upload is not known.
    pub fn finish_upload(&self, token: &str) -> Result<Vec<u8>, String> {
        let mut uploads = self.uploads.lock();
        let at = uploads.iter().position(|upload| upload.token == token).ok_or_else(unknown_upload)?;
        Ok(uploads.remove(at).map(|upload| upload.parts.concat()).unwrap_or_default())
    }

    /// Keeps an import; its name.
    pub fn keep(&self, mode: Mode, content: Option<Imported>, state: ImportState) -> String {
        let id = new_name();
        let import = Import { id: id.clone(), mode, content: Mutex::new(content), state: watch::Sender::new(state) };
        let mut imports = self.imports.lock();
        imports.push_back(Arc::new(import));
        bound(&mut imports);
        id
    }

    /// An import by its name.
    pub fn import(&self, id: &str) -> Option<Arc<Import>> {
        self.imports.lock().iter().find(|import| import.id == id).cloned()
    }

    /// All imports.
    pub fn imports(&self) -> Vec<Arc<Import>> {
        self.imports.lock().iter().cloned().collect()
    }
}

impl Import {
    /// The import as clients expect it.
    pub fn to_json(&self) -> Json {
        json!({ "_id": self.id, "state": self.state.borrow().to_json() })
    }

    /// Waits until it is not in progress.
    pub async fn settled(&self) {
        let mut state = self.state.subscribe();
        // It fails only when the sender is dropped, which this import holds.
        if let Err(gone) = state.wait_for(|state| *state != ImportState::InProgress).await {
            tracing::debug!(%gone, "an import is gone");
        }
    }
}

fn bound<T>(kept: &mut VecDeque<T>) {
    while kept.len() > IMPORT_MAX_KEPT.get() {
        kept.pop_front();
    }
}

fn unknown_upload() -> String {
    "The upload is not known: the server was restarted, or many others were begun. Import again.".to_owned()
}

fn new_name() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}
