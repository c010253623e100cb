//! One transaction.

mod crons;
mod documents;
mod files;
mod import;
mod jobs;
mod limits;
mod queries;
mod scan;
mod scheduled;
mod sessions;
mod system;
mod tables;

use std::collections::HashMap;
use std::sync::Arc;

use convex_wasm_persistence::{DocumentKey, KeyRange, Timestamp, Versioned};
use convex_wasm_values::sort_key::prefix_end;
use convex_wasm_values::{ConvexObject, ConvexValue, InternalId, Schema, TableMapping, TableNumber};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::catalog::{Catalog, Table, id_key};
use crate::committer::Request;
use crate::database::Inner;
use crate::leases::Lease;
use crate::reader::Place;
use crate::system_tables::{SCHEMAS, SystemTable};
use crate::writes::{Savepoint, Writes};
use crate::{QueryId, ReadSet, Result};
use limits::Counters;
use queries::QueryStream;

pub use files::{FileContent, StoredFile};
pub use jobs::{Cron, Job, JobState};
pub use limits::{Limit, Usage};
pub use system::Artifact;

const NANOS_PER_MILLI: f64 = 1e6;
const NANOS_PER_DAY: u64 = 86_400_000_000_000;

/// What an execution brings to its transaction. Everything that is not decided by the snapshot comes from here, so the
/// same `Begin` on the same snapshot gives the same ids, times and cursors.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Seed of the ids of new documents. It must be fresh for each execution that may commit.
    pub id_seed: [u8; 32],
    /// The execution's `Date.now()`, in nanoseconds since the epoch; gives `_creationTime`.
    pub unix_nanos: u64,
    /// The function's path, such as `messages:send`, for the conflicts of others.
    pub writer: Option<String>,
    /// The journal of the run before this one, if this is a re-run of a query.
    pub journal: Option<String>,
}

/// One transaction: reads on an immutable snapshot, sees its own writes, and commits all of them or none.
///
/// Dropping it forgets it. After an error that is not the function's fault, drop it.
pub struct Transaction {
    database: Arc<Inner>,
    lease: Lease,
    /// The snapshot's catalog with the changes that this transaction made.
    catalog: Arc<Catalog>,
    reads: ReadSet,
    writes: Writes,
    counters: Counters,
    rng: ChaCha12Rng,
    unix_nanos: u64,
    /// `_creationTime` of the next document.
    next_creation_time: f64,
    writer: Option<String>,
    queries: HashMap<QueryId, QueryStream>,
    next_query: u32,
    /// The function that runs and those that called it, outermost first.
    frames: Vec<Frame>,
    journal: Option<String>,
    new_journal: Option<String>,
}

/// One function of the transaction.
struct Frame {
    savepoint: Savepoint,
    catalog: Arc<Catalog>,
    /// Whether it has read its one page.
    paginated: bool,
}

/// A document as the transaction sees it.
struct Current {
    document: Arc<ConvexObject>,
    /// The revision in the snapshot.
    old: Option<Versioned>,
}

impl Transaction {
    pub(crate) fn new(database: Arc<Inner>, lease: Lease, catalog: Arc<Catalog>, begin: Begin) -> Self {
        let unix_nanos = begin.unix_nanos.max(lease.timestamp().0);
        let writes = Writes::default();
        let frame = Frame { savepoint: writes.savepoint(), catalog: catalog.clone(), paginated: false };
        Self {
            database,
            lease,
            catalog,
            reads: ReadSet::default(),
            writes,
            counters: Counters::default(),
            rng: ChaCha12Rng::from_seed(begin.id_seed),
            unix_nanos,
            next_creation_time: unix_nanos as f64 / NANOS_PER_MILLI,
            writer: begin.writer,
            queries: HashMap::new(),
            next_query: 0,
            frames: vec![frame],
            journal: begin.journal,
            new_journal: None,
        }
    }

    /// The snapshot it reads.
    pub fn timestamp(&self) -> Timestamp {
        self.lease.timestamp()
    }

    /// The journal of this run, to be given to a re-run: where its page ended.
    pub fn journal(&self) -> Option<String> {
        self.new_journal.clone()
    }

    /// Starts a nested function (`runUdf`), whose writes can be undone on their own.
    pub fn begin_nested(&mut self) {
        let savepoint = self.writes.savepoint();
        self.frames.push(Frame { savepoint, catalog: self.catalog.clone(), paginated: false });
    }

    /// Ends the innermost nested function and keeps its writes.
    pub fn commit_nested(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    /// Ends the innermost nested function and undoes its writes; what it read stays read.
    pub fn rollback_nested(&mut self) {
        if self.frames.len() > 1
            && let Some(frame) = self.frames.pop()
        {
            self.writes.rollback(frame.savepoint, &self.catalog);
            self.catalog = frame.catalog;
        }
    }

    /// Undoes the writes of the innermost function, so that it can run again; what it read stays read.
    pub fn restart_function(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            self.writes.rollback(frame.savepoint, &self.catalog);
            self.catalog = frame.catalog.clone();
            frame.paginated = false;
        }
    }

    /// From now on it may read and write as much as it likes: it is a tool of the server, such as an import.
    pub fn lift_limits(&mut self) {
        self.counters.lift();
    }

    /// What was used of the limits.
    pub fn usage(&self) -> Usage {
        self.counters.usage(self.interval_count())
    }

    /// Whether anything was written.
    pub fn has_writes(&self) -> bool {
        !self.writes.is_empty()
    }

    /// Bytes of the documents written.
    pub(crate) fn bytes_to_write(&self) -> usize {
        self.writes.iter().map(|(_, write)| write.size).sum()
    }

    /// Ends a transaction that is not to be committed: what it read, to subscribe to.
    pub fn into_read_set(mut self) -> ReadSet {
        self.record_open_queries();
        self.reads
    }

    /// The schema in force.
    pub fn schema(&mut self) -> Arc<Schema> {
        self.read_schemas();
        self.catalog.active_schema().map_or_else(|| Arc::new(Schema::empty()), |row| row.schema.clone())
    }

    /// Turns the transaction into a request to commit it.
    pub(crate) fn into_request(mut self, reply: tokio::sync::oneshot::Sender<Result<Timestamp>>) -> Request {
        self.record_open_queries();
        Request { begin: self.timestamp(), reads: self.reads, writes: self.writes, writer: self.writer, reply }
    }

    fn record_open_queries(&mut self) {
        for (_, query) in self.queries.drain() {
            query.record(&mut self.reads);
        }
    }

    fn interval_count(&self) -> usize {
        self.reads.len() + self.queries.len()
    }

    /// Tables, indexes and schemas as the transaction sees them. What is used of it has to be recorded as read.
    pub(crate) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Records that all schemas were read.
    pub(crate) fn read_schemas(&mut self) {
        self.reads.record(SCHEMAS.index(0), KeyRange::all());
    }

    /// Reads a document by its id, without counting.
    async fn read(&mut self, table: &Table, id: InternalId) -> Result<Option<Current>> {
        let place = place(table, id);
        self.reads.record_point(place.by_id, &place.key);
        if let Some(write) = self.writes.get(place.document) {
            let old = write.old.clone();
            return Ok(write.new.clone().map(|document| Current { document, old }));
        }
        let found = match self.database.reader.cached(place.document, self.timestamp()) {
            Some(known) => known,
            None => self.database.reader.documents(&[place], self.timestamp()).await?.pop().flatten(),
        };
        Ok(found.map(|old| Current { document: old.document.clone(), old: Some(old) }))
    }

    /// Writes a document, without checks. Keeps the transaction's own catalog true.
    fn write(
        &mut self,
        table: &Table,
        id: InternalId,
        old: Option<Versioned>,
        new: Option<Arc<ConvexObject>>,
    ) -> Result<()> {
        let key = DocumentKey { tablet: table.tablet, id };
        if Catalog::describes(key) {
            Arc::make_mut(&mut self.catalog).apply(key, new.as_deref())?;
        }
        self.writes.set(table, key, old, new);
        Ok(())
    }

    /// A new id.
    fn new_id(&mut self) -> InternalId {
        let mut random = [0; 14];
        self.rng.fill_bytes(&mut random);
        // Only nearness depends on the day, so that it wraps in the year 2149 does no harm.
        InternalId::new(random, (self.unix_nanos / NANOS_PER_DAY) as u16)
    }

    /// Inserts a row into a table of the system.
    pub(crate) fn insert_system(&mut self, table: &SystemTable, content: ConvexObject) -> Result<InternalId> {
        let id = self.new_id();
        self.put_system(table, id, None, Some(content))?;
        Ok(id)
    }

    /// Gives a row of a table of the system new content, or deletes it (`None`).
    pub(crate) async fn replace_system_row(
        &mut self,
        table: &SystemTable,
        id: InternalId,
        content: Option<ConvexObject>,
    ) -> Result<()> {
        let Some(rows) = self.catalog.tablet(table.tablet()).cloned() else { return Ok(()) };
        let old = self.read(&rows, id).await?;
        self.put_system(table, id, old, content)
    }

    /// Writes a row of a table of the system: `old` is what it replaces.
    fn put_system(
        &mut self,
        table: &SystemTable,
        id: InternalId,
        old: Option<Current>,
        content: Option<ConvexObject>,
    ) -> Result<()> {
        let Some(table) = self.catalog.tablet(table.tablet()).cloned() else { return Ok(()) };
        let creation_time = old.as_ref().and_then(|old| old.document.get("_creationTime").cloned());
        let new = content.map(|mut content| {
            let given = content.remove("_creationTime");
            let creation_time = creation_time.or(given).unwrap_or(ConvexValue::Float64(self.next_creation_time));
            content.insert("_id".to_owned(), table.document_id(id).to_string().into());
            content.insert("_creationTime".to_owned(), creation_time);
            Arc::new(content)
        });
        self.write(&table, id, old.and_then(|old| old.old), new)
    }
}

impl TableMapping for Transaction {
    /// For the validators of arguments and results. Does not count as read: a number never gets another table.
    fn table_name(&self, number: TableNumber) -> Option<&str> {
        self.catalog.table_name(number)
    }
}

/// Where a document of a table is.
fn place(table: &Table, id: InternalId) -> Place {
    let document = DocumentKey { tablet: table.tablet, id };
    Place { document, by_id: table.by_id().id, key: id_key(table.document_id(id)) }
}

/// The keys that start with the values encoded in a prefix.
fn with_prefix(prefix: Vec<u8>) -> KeyRange {
    let end = Some(prefix_end(&prefix));
    KeyRange { start: prefix, end }
}
