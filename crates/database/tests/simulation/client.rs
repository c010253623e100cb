//! The clients: tasks that run transactions, read pages, watch queries and change the schema.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_database::{Begin, Database, DocumentArg, Error, Result, Timestamp, Transaction};
use convex_wasm_values::{ConvexObject, ConvexValue, Schema};
use parking_lot::Mutex;
use serde_json::json;

use crate::chance::Chance;
use crate::history::{End, History, Outcome, Record, Watch};
use crate::model::sort_key;
use crate::workload::{self, MARKERS, Op};

/// What all clients of a life share.
#[derive(Clone)]
pub struct Client {
    pub database: Database,
    pub chance: Chance,
    pub history: Arc<Mutex<History>>,
    pub unix_nanos: u64,
}

/// Runs one operation. An error that is not the function's fault ends the transaction.
async fn run(transaction: &mut Transaction, op: &Op) -> Result<Outcome> {
    let argument = |id: &str| DocumentArg { id: id.to_owned(), table: None, is_system: false };
    let arguments = |id: &str, value: &serde_json::Value| json!({"id": id, "value": value});
    let outcome = match op {
        Op::Get(id) => transaction.get(&argument(id)).await.map(Outcome::Document),
        Op::Insert { table, value } => {
            let arg = serde_json::from_value(json!({"table": table, "value": value})).unwrap();
            match transaction.insert(&arg).await {
                Ok(id) => transaction.get(&argument(&id.to_string())).await.map(Outcome::Document),
                Err(error) => Err(error),
            }
        }
        Op::Patch { id, value } => {
            let arg = serde_json::from_value(arguments(id, value)).unwrap();
            transaction.patch(&arg).await.map(|document| Outcome::Document(Some(document)))
        }
        Op::Replace { id, value } => {
            let arg = serde_json::from_value(arguments(id, value)).unwrap();
            transaction.replace(&arg).await.map(|document| Outcome::Document(Some(document)))
        }
        Op::Delete(id) => transaction.delete(&argument(id)).await.map(|document| Outcome::Document(Some(document))),
        Op::Query(query) => collect(transaction, query).await.map(Outcome::Rows),
        Op::Page { query, cursor, size, .. } => {
            page(transaction, query, cursor, *size).await.map(|(outcome, _)| outcome)
        }
        Op::Count(table) => transaction.count(table).map(Outcome::Count),
        Op::BeginNested => {
            transaction.begin_nested();
            Ok(Outcome::Done)
        }
        Op::CommitNested => {
            transaction.commit_nested();
            Ok(Outcome::Done)
        }
        Op::RollBackNested => {
            transaction.rollback_nested();
            Ok(Outcome::Done)
        }
    };
    outcome.or_else(|error| if error.is_developer() { Ok(Outcome::Refused(error.code())) } else { Err(error) })
}

async fn collect(transaction: &mut Transaction, query: &workload::Query) -> Result<Vec<Arc<ConvexObject>>> {
    let query = transaction.query_stream(&query.to_json())?;
    let mut rows = Vec::new();
    while let Some(row) = transaction.query_next(query).await? {
        rows.push(row);
    }
    Ok(rows)
}

async fn page(
    transaction: &mut Transaction,
    query: &workload::Query,
    cursor: &Option<String>,
    size: usize,
) -> Result<(Outcome, String)> {
    let args = json!({"query": query.to_json(), "cursor": cursor, "pageSize": size, "version": "1.49.0"});
    let page = transaction.query_page(&serde_json::from_value(args).unwrap()).await?;
    let object = |row: ConvexValue| match row {
        ConvexValue::Object(row) => Arc::new(row),
        other => panic!("{other:?} is no document"),
    };
    let rows = page.page.into_iter().map(object).collect();
    Ok((Outcome::Page { rows, is_done: page.is_done }, page.continue_cursor))
}

impl Client {
    fn begin(&self) -> (Transaction, usize) {
        let mut id_seed = [0; 32];
        self.chance.fill(&mut id_seed);
        let begin = Begin { id_seed, unix_nanos: self.unix_nanos, writer: None, journal: None };
        let transaction = self.database.begin(begin);
        let mut history = self.history.lock();
        assert!(Some(transaction.timestamp()) >= history.acknowledged, "an acknowledged commit is not visible");
        let snapshot = transaction.timestamp();
        history.records.push(Record { snapshot, steps: Vec::new(), end: End::Unknown });
        (transaction, history.records.len() - 1)
    }

    fn end(&self, number: usize, end: End) {
        self.history.lock().records[number].end = end;
    }

    fn step(&self, number: usize, op: Op, outcome: Outcome) {
        let mut history = self.history.lock();
        if let (Op::Insert { table, .. }, Outcome::Document(Some(document))) = (&op, &outcome)
            && *table != MARKERS
        {
            history.ids.push(document["_id"].as_str().unwrap().to_owned());
        }
        history.records[number].steps.push((op, outcome));
    }

    /// Runs transactions, until one cannot be committed any more.
    pub async fn write(self, transactions: usize) {
        for _ in 0..transactions {
            let writes = !self.chance.one_in(4);
            let (mut transaction, number) = self.begin();
            if self.operate(&mut transaction, number, writes).await.is_err() {
                self.end(number, End::Aborted);
                continue;
            }
            if !self.commit(transaction, number).await {
                return;
            }
            self.chance.pause(20).await;
        }
    }

    async fn operate(&self, transaction: &mut Transaction, number: usize, writes: bool) -> Result<()> {
        let mut depth = 0;
        for _ in 0..self.chance.below(7) {
            let ids = self.history.lock().ids.clone();
            // The newest documents are the ones that others want, too.
            let op = workload::next(&self.chance, &ids[ids.len().saturating_sub(8)..], writes, depth);
            match op {
                Op::BeginNested => depth += 1,
                Op::CommitNested | Op::RollBackNested => depth -= 1,
                _ => {}
            }
            let outcome = run(transaction, &op).await?;
            self.step(number, op, outcome);
            self.chance.pause(5).await;
        }
        for _ in 0..depth {
            transaction.commit_nested();
            self.step(number, Op::CommitNested, Outcome::Done);
        }
        if writes {
            let op = Op::Insert { table: MARKERS, value: json!({"marker": number}) };
            let outcome = run(transaction, &op).await?;
            self.step(number, op, outcome);
        }
        Ok(())
    }

    /// Commits; whether the database takes further commits.
    async fn commit(&self, transaction: Transaction, number: usize) -> bool {
        let (begun, writes) = (transaction.timestamp(), transaction.has_writes());
        let before = self.history.lock().acknowledged;
        let result = self.database.commit(transaction).await;
        match result {
            Ok(committed) if writes => {
                let timestamp = committed.timestamp;
                assert!(timestamp > begun && Some(timestamp) > before, "the order of commits is not that of real time");
                assert!(self.database.latest_timestamp() >= timestamp, "a commit is in the future");
                self.end(number, End::Committed(timestamp));
                let mut history = self.history.lock();
                history.acknowledged = history.acknowledged.max(Some(timestamp));
                true
            }
            Ok(committed) => {
                assert_eq!(committed.timestamp, begun);
                self.end(number, End::Aborted);
                true
            }
            Err(Error::Conflict(conflict)) => {
                assert!(conflict.timestamp > begun);
                self.end(number, End::Conflict);
                true
            }
            Err(Error::OutOfRetention { .. }) => {
                self.end(number, End::Aborted);
                true
            }
            Err(error) => !matches!(error, Error::ShutDown),
        }
    }

    /// Reads something in a transaction of its own.
    pub async fn read(&self, op: Op) {
        let (mut transaction, number) = self.begin();
        let outcome = run(&mut transaction, &op).await.unwrap();
        self.end(number, End::Aborted);
        self.step(number, op, outcome);
    }

    /// Reads a query page by page, each page in a transaction of its own.
    pub async fn read_pages(self) {
        let query = workload::paged_query(&self.chance);
        let (mut cursor, mut after) = (None, None);
        for _ in 0..10 {
            let size = 1 + self.chance.below(4);
            let (mut transaction, number) = self.begin();
            let read = page(&mut transaction, &query, &cursor, size).await;
            self.end(number, End::Aborted);
            let Ok((outcome, next)) = read else { return };
            let op = Op::Page { query: query.clone(), cursor, after: after.clone(), size };
            let Outcome::Page { rows, is_done } = &outcome else { return };
            after = rows.last().map(|row| sort_key(&query, row)).or(after);
            let is_done = *is_done;
            self.step(number, op, outcome);
            self.history.lock().summary.pages += 1;
            if is_done {
                return;
            }
            cursor = Some(next);
            self.chance.pause(20).await;
        }
    }

    /// Runs a query and waits for a while until its result is not valid any more.
    pub async fn watch(self) {
        for _ in 0..3 {
            let (mut transaction, number) = self.begin();
            let query = Op::Query(workload::paged_query(&self.chance));
            let read = run(&mut transaction, &query).await;
            self.end(number, End::Aborted);
            let Ok(outcome @ Outcome::Rows(_)) = read else { return };
            self.step(number, query.clone(), outcome);
            let from = transaction.timestamp();
            let reads = Arc::new(transaction.into_read_set());
            self.chance.pause(20).await;
            let Ok(mut subscription) = self.database.subscribe(reads, from) else { return };
            let patience = Duration::from_millis(self.chance.below(100) as u64);
            let waited = tokio::time::timeout(patience, subscription.invalidated()).await;
            let invalidated = match waited {
                Ok(Ok(conflict)) => Some(conflict.timestamp),
                Ok(Err(_)) => return,
                Err(_) => None,
            };
            let checked = subscription.check().unwrap_or_else(|conflict| Timestamp(conflict.timestamp.0 - 1));
            self.history.lock().watches.push(Watch { query, from, invalidated, checked });
        }
    }

    /// Changes the schema a few times.
    pub async fn change_schema(self, times: usize) {
        for _ in 0..times {
            let mut wanted = [0; 16];
            self.chance.fill(&mut wanted);
            let mut bits = (0..).map(|bit: usize| wanted[bit % 16] % 3 > 0);
            let indexes: std::collections::BTreeMap<_, _> = workload::TABLES
                .iter()
                .flat_map(|table| workload::INDEXES.iter().map(move |(index, _)| (*table, *index)))
                .map(|index| (index, bits.next().unwrap()))
                .collect();
            let schema = Schema::from_json(&workload::schema(|table, index| indexes[&(table, index)])).unwrap();
            // It may be overwritten or conflict, or the store may fail: the next one will tell.
            if let Ok(id) = self.database.submit_schema(&schema).await {
                let _ = self.database.wait_for_schema(&id, Duration::from_millis(200)).await;
                let (mut transaction, number) = self.begin();
                self.end(number, End::Aborted);
                if transaction.activate_schema(&id).await.is_ok() {
                    let _ = self.database.commit(transaction).await;
                }
            }
            self.chance.pause(50).await;
        }
    }
}
