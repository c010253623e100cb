//! The committer: the one task that decides the order of commits.
//!
//! It takes all transactions that queued up while the previous batch was being written, checks each against the commits
//! after its begin timestamp, gives it a timestamp, and writes all that passed in one durable batch. So a busy database
//! shares one `fsync` among many mutations, and an idle one does not wait for company.

use std::sync::Arc;

use convex_wasm_knobs::{COMMITTER_MAX_WRITE_BATCH_BYTES, COMMITTER_MAX_WRITE_BATCH_DOCUMENTS};
use convex_wasm_persistence::{DocumentKey, IndexEntry, Key, Persistence, Revision, Timestamp, WriteBatch};
use convex_wasm_values::ConvexObject;
use tokio::sync::{mpsc, oneshot};

use crate::catalog::{Catalog, Table};
use crate::history::{DocumentChange, IndexChange, LogEntry};
use crate::snapshots::Snapshots;
use crate::world::World;
use crate::writes::{Write, Writes};
use crate::{Error, ReadSet, Result};

/// What the committer is asked to do.
pub enum Message {
    /// Commit a transaction.
    Commit(Request),
    /// Finish what came before, and stop.
    Stop,
}

/// A transaction that wants to be committed.
pub struct Request {
    /// The snapshot it read.
    pub begin: Timestamp,
    /// What it read there.
    pub reads: ReadSet,
    /// What it wrote.
    pub writes: Writes,
    /// The function's path.
    pub writer: Option<String>,
    /// Where the commit timestamp goes once the commit is durable and published.
    pub reply: oneshot::Sender<Result<Timestamp>>,
}

/// The state of the committer's task.
pub struct Committer {
    persistence: Arc<dyn Persistence>,
    world: Arc<dyn World>,
    snapshots: Arc<Snapshots>,
    messages: mpsc::Receiver<Message>,
    /// The newest timestamp given to a commit, durable or not.
    last: Timestamp,
}

/// A batch that is being put together.
struct Batch {
    storage: WriteBatch,
    /// The commits, to be published when they are durable.
    commits: Vec<(LogEntry, oneshot::Sender<Result<Timestamp>>)>,
    /// The catalog after them.
    catalog: Arc<Catalog>,
    bytes: usize,
}

impl Committer {
    /// A committer that goes on from the newest snapshot.
    pub fn new(
        persistence: Arc<dyn Persistence>,
        world: Arc<dyn World>,
        snapshots: Arc<Snapshots>,
        messages: mpsc::Receiver<Message>,
    ) -> Self {
        let last = snapshots.latest().0;
        Self { persistence, world, snapshots, messages, last }
    }

    /// Runs until it is stopped, every handle of the database is gone, or the store fails in a way that leaves it
    /// unknown what is in it. From then on every commit is refused, and only opening the database again tells.
    pub async fn run(mut self) {
        let mut stopped = false;
        while !stopped && let Some(Message::Commit(first)) = self.messages.recv().await {
            let mut batch = Batch {
                storage: WriteBatch::default(),
                commits: Vec::new(),
                catalog: self.snapshots.latest().1,
                bytes: 0,
            };
            self.add(&mut batch, first);
            while !batch.is_full()
                && !stopped
                && let Ok(message) = self.messages.try_recv()
            {
                match message {
                    Message::Commit(request) => self.add(&mut batch, request),
                    Message::Stop => stopped = true,
                }
            }
            if batch.commits.is_empty() {
                continue;
            }
            let storage = std::mem::take(&mut batch.storage);
            match self.persistence.write(storage).await {
                Ok(()) => self.publish(batch),
                Err(error) => {
                    tracing::error!(%error, "a batch of commits could not be written");
                    let nothing_written = self.nothing_after_latest().await;
                    for (_, reply) in batch.commits {
                        let _ = reply.send(Err(error.clone().into()));
                    }
                    if !nothing_written {
                        return;
                    }
                }
            }
        }
    }

    /// Checks a transaction and adds it to the batch, or answers with its conflict.
    fn add(&mut self, batch: &mut Batch, request: Request) {
        let Request { begin, reads, writes, writer, reply } = request;
        let outcome = self.check(batch, begin, &reads).and_then(|()| {
            let timestamp = Timestamp(self.last.next().0.max(self.world.unix_nanos()));
            let mut catalog = batch.catalog.clone();
            for (key, write) in writes.iter().filter(|(key, _)| Catalog::describes(**key)) {
                Arc::make_mut(&mut catalog).apply(*key, write.new.as_deref())?;
            }
            Ok((timestamp, catalog))
        });
        match outcome {
            Ok((timestamp, catalog)) => {
                self.last = timestamp;
                batch.catalog = catalog;
                let (changes, documents) = batch.append(timestamp, &writes);
                let catalog = batch.catalog.clone();
                let entry = LogEntry { timestamp, writer, changes, documents, catalog };
                batch.commits.push((entry, reply));
            }
            // Nobody waits for the answer any more if the caller was cancelled.
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Whether anything the transaction read was changed after it began, by a published commit or one of the batch.
    fn check(&self, batch: &Batch, begin: Timestamp, reads: &ReadSet) -> Result<()> {
        let staged = batch.commits.iter().find_map(|(entry, _)| entry.conflict(reads));
        let conflict = match self.snapshots.first_conflict(reads, begin)? {
            Some(conflict) => Some(conflict),
            None => staged,
        };
        conflict.map_or(Ok(()), |conflict| Err(Error::Conflict(conflict)))
    }

    fn publish(&self, batch: Batch) {
        let (entries, replies): (Vec<LogEntry>, Vec<_>) = batch.commits.into_iter().unzip();
        let entries: Vec<Arc<LogEntry>> = entries.into_iter().map(Arc::new).collect();
        let timestamps: Vec<Timestamp> = entries.iter().map(|entry| entry.timestamp).collect();
        self.snapshots.publish(entries);
        for (timestamp, reply) in timestamps.into_iter().zip(replies) {
            // Nobody waits for the answer any more if the caller was cancelled.
            let _ = reply.send(Ok(timestamp));
        }
    }

    async fn nothing_after_latest(&self) -> bool {
        self.persistence.settle().await.is_ok()
            && self.persistence.max_timestamp().await.is_ok_and(|newest| newest <= self.snapshots.latest().0)
    }
}

impl Batch {
    fn is_full(&self) -> bool {
        self.storage.revisions.len() >= COMMITTER_MAX_WRITE_BATCH_DOCUMENTS.get()
            || self.bytes >= COMMITTER_MAX_WRITE_BATCH_BYTES.get()
    }

    /// Adds the revisions and index entries of a commit; returns what it changes.
    fn append(&mut self, timestamp: Timestamp, writes: &Writes) -> (Vec<IndexChange>, Vec<DocumentChange>) {
        let (mut changes, mut documents) = (Vec::new(), Vec::new());
        for (key, write) in writes.iter() {
            self.bytes += write.size;
            let write = &write.at(timestamp);
            self.storage.revisions.push(Revision {
                timestamp,
                key: *key,
                content: write.new.clone(),
                previous: write.old.as_ref().map(|old| old.timestamp),
            });
            documents.push(DocumentChange {
                key: *key,
                content: write.new.clone(),
                size: write.size,
                existed: write.old.is_some(),
            });
            // The newest catalog counts, not the transaction's: an index made since then must not miss the write.
            if let Some(table) = self.catalog.tablet(key.tablet).cloned() {
                self.append_index_entries(timestamp, &table, *key, write, &mut changes);
            }
        }
        (changes, documents)
    }

    fn append_index_entries(
        &mut self,
        timestamp: Timestamp,
        table: &Table,
        document: DocumentKey,
        write: &Write,
        changes: &mut Vec<IndexChange>,
    ) {
        for index in &table.indexes {
            let old = write.old.as_ref().map(|old| index.key(&old.document));
            let new = write.new.as_ref().map(|new| index.key(new));
            let mut change = |key: Key, content: Option<Arc<ConvexObject>>| {
                let document = content.is_some().then_some(document);
                self.storage.entries.push(IndexEntry { index: index.id, key: key.clone(), timestamp, document });
                changes.push(IndexChange { index: index.id, key, content });
            };
            if old != new
                && let Some(old) = old
            {
                change(old, None);
            }
            if let Some(new) = new {
                change(new, write.new.clone());
            }
        }
    }
}
