//! Query streams and pages.

use std::sync::Arc;

use convex_wasm_knobs::{DEFAULT_QUERY_PREFETCH, MAX_PAGE_BYTES_READ, MAX_PAGE_ROWS_READ};
use convex_wasm_persistence::{Key, KeyRange, Order};
use convex_wasm_values::names::check_identifier;
use convex_wasm_values::value::object_size;
use convex_wasm_values::{ConvexObject, ConvexValue};
use serde_json::Value as Json;

use super::Transaction;
use super::scan::IndexScan;
use crate::catalog::{Index, IndexState, Table};
use crate::query::cursor::Position;
use crate::query::range::key_range;
use crate::query::{Operator, Query, Source};
use crate::system_tables::check_readable;
use crate::{Error, Page, PageArgs, PageStatus, QueryId, ReadSet, Result};

/// Most rows of a page that make sense.
const MAX_PAGE_SIZE: f64 = 1e9;
/// Part of a soft limit from which on a client should split its page.
const SPLIT_RECOMMENDED: f64 = 0.75;

/// A query that is being run.
pub struct QueryStream {
    table: Option<Arc<Table>>,
    /// `None` if the table does not exist.
    scan: Option<IndexScan>,
    operators: Vec<Operator>,
    /// Rows that each operator has seen.
    seen: Vec<usize>,
}

/// What reading on in a query gives.
enum Step {
    /// A row.
    Row(Key, Arc<ConvexObject>),
    /// A row was read and dropped.
    Dropped(Key, Arc<ConvexObject>),
    /// There is nothing more.
    End,
}

/// Where an index is and which part of it a query reads.
struct Plan {
    table: Arc<Table>,
    index: Arc<Index>,
    range: KeyRange,
}

impl QueryStream {
    fn new(plan: Option<Plan>, order: Order, operators: Vec<Operator>, prefetch: usize) -> Self {
        // Without a filter a limit says how many rows are needed.
        let chunk = match operators.first() {
            Some(Operator::Limit(limit)) => prefetch.min(*limit),
            _ => prefetch,
        };
        let table = plan.as_ref().map(|plan| plan.table.clone());
        let scan = plan.map(|plan| IndexScan::new(plan.index.id, plan.range, order, chunk));
        Self { table, scan, seen: vec![0; operators.len()], operators }
    }

    /// Adds what was read so far to a read set.
    pub fn record(self, reads: &mut ReadSet) {
        if let Some(scan) = self.scan {
            scan.record(reads);
        }
    }

    /// Whether a limit has been reached, so that no more rows need to be read.
    fn is_at_limit(&self) -> bool {
        self.operators
            .iter()
            .zip(&self.seen)
            .any(|(operator, seen)| matches!(operator, Operator::Limit(limit) if seen >= limit))
    }

    /// Whether the row gets through all operators.
    fn passes(&mut self, document: &ConvexObject) -> Result<bool> {
        for (operator, seen) in self.operators.iter().zip(&mut self.seen) {
            match operator {
                Operator::Filter(expression) if !expression.matches(document)? => return Ok(false),
                _ => *seen += 1,
            }
        }
        Ok(true)
    }
}

impl Transaction {
    /// `1.0/queryStream`: prepares a query; reads no documents.
    pub fn query_stream(&mut self, query: &Json) -> Result<QueryId> {
        self.counters.check_intervals(self.interval_count())?;
        let query = Query::from_json(query)?;
        let plan = self.plan(&query)?;
        let stream = QueryStream::new(plan, query.order, query.operators, DEFAULT_QUERY_PREFETCH.get());
        let id = QueryId(self.next_query);
        self.next_query += 1;
        self.queries.insert(id, stream);
        Ok(id)
    }

    /// `1.0/queryStreamNext`: the next row, or `None` at the end.
    pub async fn query_next(&mut self, query: QueryId) -> Result<Option<Arc<ConvexObject>>> {
        let Some(mut stream) = self.queries.remove(&query) else {
            return Err(Error::developer("QueryNotFound", format!("There is no query with the ID {}.", query.0)));
        };
        let row = loop {
            match self.step(&mut stream).await {
                Ok(Step::Dropped(..)) => {}
                Ok(Step::Row(_, document)) => break Ok(Some(document)),
                Ok(Step::End) => break Ok(None),
                Err(error) => break Err(error),
            }
        };
        self.queries.insert(query, stream);
        row
    }

    /// `1.0/queryCleanup`: forgets a query; whether it existed.
    pub fn query_cleanup(&mut self, query: QueryId) -> bool {
        match self.queries.remove(&query) {
            Some(stream) => {
                stream.record(&mut self.reads);
                true
            }
            None => false,
        }
    }

    /// `1.0/queryPage`: one page of a query.
    pub async fn query_page(&mut self, args: &PageArgs) -> Result<Page> {
        let limits = PageLimits::new(args)?;
        self.counters.check_intervals(self.interval_count())?;
        self.start_page()?;
        let query = Query::from_json(&args.query)?;
        let cursor = args.cursor.as_ref().map(|cursor| self.database.cursors.open(cursor, &args.query)).transpose()?;
        // Only the page of the outermost function is in the journal.
        let journal = self.journal.clone().filter(|_| self.frames.len() == 1);
        let end_cursor = args.end_cursor.clone().or(journal);
        let end = end_cursor.map(|cursor| self.database.cursors.open(&cursor, &args.query)).transpose()?;

        let mut plan = self.plan(&query)?;
        if let Some(plan) = &mut plan {
            cursor.iter().for_each(|cursor| cursor.cut_start(&mut plan.range, query.order));
            end.iter().for_each(|end| end.cut_end(&mut plan.range, query.order));
        }
        let prefetch = if end.is_some() { limits.max_rows } else { limits.page_size };
        let mut stream = QueryStream::new(plan, query.order, query.operators, prefetch);
        let read = self.read_page(&mut stream, &limits, end.is_some()).await;
        stream.record(&mut self.reads);
        let read = read?;

        let position = match &read.cut {
            Some(key) => Position::After(key.clone()),
            None => end.clone().unwrap_or(Position::End),
        };
        let continue_cursor = self.database.cursors.seal(&position, &args.query)?;
        if self.frames.len() == 1 {
            self.new_journal = Some(continue_cursor.clone());
        }
        let middle = (read.rows.len() > 2).then(|| read.rows.len().div_ceil(2) - 1);
        let split_cursor = match middle.and_then(|middle| read.rows.get(middle)) {
            Some((key, _)) => Some(self.database.cursors.seal(&Position::After(key.clone()), &args.query)?),
            None => None,
        };
        Ok(Page {
            is_done: position == Position::End,
            continue_cursor,
            split_cursor,
            page_status: limits.status(&read, end.is_some()),
            page: read
                .rows
                .into_iter()
                .map(|(_, document)| ConvexValue::Object(ConvexObject::clone(&document)))
                .collect(),
        })
    }

    /// `1.0/count`: documents of a table. Depends on the whole table, but does not read it.
    pub fn count(&mut self, table: &str) -> Result<u64> {
        let Some(table) = self.queried_table(table)? else { return Ok(0) };
        self.reads.record(table.by_id().id, KeyRange::all());
        let stored = self.database.snapshots.count(table.tablet, self.timestamp())?;
        Ok(stored.saturating_add_signed(self.writes.gain(table.tablet)))
    }

    /// Notes that the running function reads its one page.
    fn start_page(&mut self) -> Result<()> {
        match self.frames.last_mut() {
            Some(frame) if frame.paginated && !self.counters.are_lifted() => Err(Error::developer(
                "MultiplePaginatedDatabaseQueries",
                "This query or mutation function ran multiple paginated queries. Convex only supports a single \
                 paginated query in each function.",
            )),
            Some(frame) => {
                frame.paginated = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Reads on in a query by one row.
    async fn step(&mut self, stream: &mut QueryStream) -> Result<Step> {
        if stream.is_at_limit() {
            return Ok(Step::End);
        }
        let Some(scan) = &mut stream.scan else { return Ok(Step::End) };
        let next = scan.next(&self.database.reader, self.timestamp(), &self.writes).await?;
        let Some((key, document)) = next else { return Ok(Step::End) };
        if let Some(table) = &stream.table {
            self.count_read(table, document.clone())?;
        }
        let passes = stream.passes(&document)?;
        Ok(if passes { Step::Row(key, document) } else { Step::Dropped(key, document) })
    }

    async fn read_page(&mut self, stream: &mut QueryStream, limits: &PageLimits, to_end: bool) -> Result<PageRead> {
        let mut read = PageRead::default();
        while to_end || read.rows.len() < limits.page_size {
            if read.rows_read >= limits.max_rows || read.bytes_read >= limits.max_bytes {
                read.is_over_limit = true;
                return Ok(read);
            }
            let (key, document, passes) = match self.step(stream).await? {
                Step::Row(key, document) => (key, document, true),
                Step::Dropped(key, document) => (key, document, false),
                Step::End => {
                    read.cut = None;
                    return Ok(read);
                }
            };
            read.rows_read += 1;
            read.bytes_read += object_size(&document);
            read.cut = Some(key.clone());
            if passes {
                read.rows.push((key, document));
            }
        }
        Ok(read)
    }

    /// The table of a query. That it exists, or not, counts as read.
    fn queried_table(&mut self, name: &str) -> Result<Option<Arc<Table>>> {
        check_identifier(name).map_err(|error| Error::developer("InvalidTableName", error))?;
        check_readable(name)?;
        Ok(self.table(name))
    }

    /// Finds the index and the part of it that a query reads; `None` if the table does not exist.
    fn plan(&mut self, query: &Query) -> Result<Option<Plan>> {
        let table = self.queried_table(query.table())?;
        let (index_name, range) = match &query.source {
            Source::Table(_) => ("by_creation_time", &[][..]),
            Source::Index { index, range, .. } => (index.as_str(), range.as_slice()),
        };
        let described = format!("{}.{index_name}", query.table());
        let Some(table) = table else {
            // The schema makes its tables, so a table that does not exist has the built-in indexes only.
            return match index_name {
                "by_id" | "by_creation_time" => Ok(None),
                _ => Err(index_not_found(&described)),
            };
        };
        let indexes = self.indexes(&table, index_name);
        let index = usable_index(&indexes, &described)?;
        let range = key_range(&described, &index.query_fields(), range)?;
        Ok(Some(Plan { table, index, range }))
    }
}

fn usable_index(indexes: &[Arc<Index>], described: &str) -> Result<Arc<Index>> {
    match indexes.iter().find(|index| index.state == IndexState::Enabled && !index.staged) {
        Some(index) => Ok(index.clone()),
        None if indexes.iter().any(|index| index.staged) => Err(Error::developer(
            "IndexStagedError",
            format!("Index {described} is currently staged and not available to query until it is enabled."),
        )),
        None if indexes.is_empty() => Err(index_not_found(described)),
        None => Err(Error::developer(
            "IndexBackfillingError",
            format!("Index {described} is currently backfilling and not available to query yet."),
        )),
    }
}

fn index_not_found(described: &str) -> Error {
    Error::developer("IndexNotFoundError", format!("Index {described} not found."))
}

/// How much of a query makes a page.
struct PageLimits {
    page_size: usize,
    max_rows: usize,
    max_bytes: usize,
}

/// The rows of a page and where it ended.
#[derive(Default)]
struct PageRead {
    rows: Vec<(Key, Arc<ConvexObject>)>,
    /// The last row that was read, dropped or not, or `None` if the range was read to its end.
    cut: Option<Key>,
    rows_read: usize,
    bytes_read: usize,
    /// Whether a soft limit ended the page.
    is_over_limit: bool,
}

impl PageLimits {
    fn new(args: &PageArgs) -> Result<Self> {
        if args.page_size.is_nan() || args.page_size < 1.0 {
            return Err(Error::developer(
                "NoDocumentsForPagination",
                "Must request at least 1 document while paginating.",
            ));
        }
        if args.page_size > MAX_PAGE_SIZE {
            return Err(Error::developer("PageSizeTooLarge", format!("Page size {} is too large.", args.page_size)));
        }
        let soft_limit = |name: &str, given: Option<f64>, default: usize| match given {
            None => Ok(default),
            Some(limit) if limit >= 1.0 => Ok(default.min(limit as usize)),
            Some(limit) => {
                Err(Error::developer("InvalidPaginationLimit", format!("{name} must be at least 1, got {limit}.")))
            }
        };
        Ok(Self {
            page_size: args.page_size as usize,
            max_rows: soft_limit("maximumRowsRead", args.maximum_rows_read, MAX_PAGE_ROWS_READ.get())?,
            max_bytes: soft_limit("maximumBytesRead", args.maximum_bytes_read, MAX_PAGE_BYTES_READ.get())?,
        })
    }

    fn status(&self, read: &PageRead, to_end: bool) -> Option<PageStatus> {
        let near = |used: usize, max: usize| used as f64 > max as f64 * SPLIT_RECOMMENDED;
        if read.is_over_limit && to_end {
            Some(PageStatus::SplitRequired)
        } else if near(read.rows_read, self.max_rows) || near(read.bytes_read, self.max_bytes) {
            Some(PageStatus::SplitRecommended)
        } else {
            None
        }
    }
}
