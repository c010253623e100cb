//! The lives of a process on one disk, each ended by a crash, a shutdown or nothing left to do.

use std::sync::Arc;
use std::time::Duration;

use convex_wasm_database::{Database, MemoryPersistence, Options, RetentionOptions, World, WriteLogOptions};
use convex_wasm_values::Schema;
use parking_lot::Mutex;
use tokio::runtime::Runtime;

use crate::chance::Chance;
use crate::check;
use crate::client::Client;
use crate::disk::{Disk, Faults};
use crate::history::{History, Outcome};
use crate::workload::{self, INDEXES, Op, Query, TABLES};

/// When a simulation begins, in nanoseconds.
const EPOCH: u64 = 1_760_000_000_000_000_000;

/// A clock that runs on simulated time, and randomness from the seed.
struct SimulatedWorld {
    chance: Chance,
    /// What the clock shows when the life begins. It may lie before the end of the last life.
    start: u64,
    begun: tokio::time::Instant,
}

impl World for SimulatedWorld {
    fn unix_nanos(&self) -> u64 {
        let elapsed = u64::try_from(self.begun.elapsed().as_nanos()).unwrap();
        // Now and then the clock is set back by up to a second.
        let back = if self.chance.one_in(10) { self.chance.below(1_000_000_000) as u64 } else { 0 };
        self.start + elapsed - back
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        self.chance.fill(bytes);
    }
}

/// Runs everything that follows from a seed, checks it, and returns it.
pub fn simulate(seed: u64) -> History {
    let chance = Chance::new(seed);
    let store = MemoryPersistence::new();
    let history = Arc::new(Mutex::new(History::default()));
    for _ in 0..1 + chance.below(4) {
        live(&chance, &store, &history);
    }
    let mut history = Arc::into_inner(history).unwrap().into_inner();
    let timeline = check::check(&mut history, &store);
    check_end(&chance, &store, timeline.newest(), &history);
    history
}

fn faults(chance: &Chance) -> Faults {
    let sometimes = |once_in: usize| if chance.one_in(2) { once_in } else { 0 };
    Faults {
        slowness: *chance.pick(&[1, 5, 50]),
        read_fails: sometimes(100),
        write_refused: sometimes(30),
        answer_lost: sometimes(60),
        connection_lost: sometimes(40),
        crash: sometimes(60),
    }
}

/// A runtime on this thread alone, whose time passes only when nothing else is left to do.
fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

async fn open(chance: &Chance, disk: &Arc<Disk>) -> Database {
    let start = EPOCH + chance.below(10_000_000_000) as u64;
    let world = SimulatedWorld { chance: chance.clone(), start, begun: tokio::time::Instant::now() };
    let options = Options {
        world: Arc::new(world),
        cache_size: *chance.pick(&[0, 5_000, 50_000, 1 << 20]),
        max_bytes_written_per_second: *chance.pick(&[0, 10_000]),
        write_log: write_log(chance),
        retention: retention(chance),
    };
    loop {
        // A read that fails while the database is opened makes the process end; somebody starts it again.
        if let Ok(database) = Database::open_with(disk.clone(), options.clone()).await {
            return database;
        }
    }
}

/// Often so short that snapshots get out of reach while they are in use.
fn write_log(chance: &Chance) -> WriteLogOptions {
    let min_retention = Duration::from_millis(*chance.pick(&[10, 100, 10_000]));
    WriteLogOptions { min_retention, max_retention: 2 * min_retention, soft_max_size: *chance.pick(&[1_000, 1 << 20]) }
}

/// Often so eager that what was replaced goes at once.
fn retention(chance: &Chance) -> RetentionOptions {
    let index_delay = Duration::from_millis(*chance.pick(&[0, 20, 500]));
    RetentionOptions {
        index_delay,
        document_delay: index_delay * *chance.pick(&[0, 1, 3]),
        chunk: 1 + chance.below(10),
        pause: Duration::from_millis(1 + chance.below(20) as u64),
        idle: Duration::from_millis(1 + chance.below(50) as u64),
    }
}

fn live(chance: &Chance, store: &MemoryPersistence, history: &Arc<Mutex<History>>) {
    let disk = Arc::new(Disk::new(store.clone(), chance.clone(), faults(chance)));
    let runtime = runtime();
    runtime.block_on(async {
        tokio::select! {
            // Without a fixed order the choice would not come from the seed.
            biased;
            () = disk.death() => {}
            () = serve(chance, &disk, history) => {}
        }
    });
    // Every task dies with the process.
    drop(runtime);
}

async fn serve(chance: &Chance, disk: &Arc<Disk>, history: &Arc<Mutex<History>>) {
    let database = open(chance, disk).await;
    assert!(Some(database.latest_timestamp()) >= history.lock().acknowledged, "an acknowledged commit was lost");
    let client = |number: usize| Client {
        database: database.clone(),
        chance: chance.clone(),
        history: history.clone(),
        unix_nanos: EPOCH + number as u64,
    };
    let mut tasks = Vec::new();
    for number in 0..1 + chance.below(5) {
        tasks.push(tokio::spawn(client(number).write(2 + chance.below(10))));
    }
    for number in 0..chance.below(3) {
        tasks.push(tokio::spawn(client(number).read_pages()));
        tasks.push(tokio::spawn(client(number).watch()));
    }
    tasks.push(tokio::spawn(client(9).change_schema(chance.below(4))));
    if chance.one_in(4) {
        tokio::time::sleep(Duration::from_millis(chance.below(200) as u64)).await;
        database.clone().shut_down().await;
    }
    for task in tasks {
        task.await.unwrap();
    }
}

/// On a disk that works everything is as the model says, by every way to it.
fn check_end(chance: &Chance, store: &MemoryPersistence, model: &crate::model::Model, history: &History) {
    let disk = Arc::new(Disk::new(store.clone(), chance.clone(), Faults::default()));
    let (chance, end) = (chance.clone(), Arc::new(Mutex::new(History::default())));
    runtime().block_on(async {
        let database = open(&chance, &disk).await;
        assert!(Some(database.latest_timestamp()) >= history.acknowledged);
        database.set_schema(&Schema::from_json(&workload::schema(|_, _| true)).unwrap()).await.unwrap();
        let client = Client { database, chance, history: end.clone(), unix_nanos: EPOCH };
        let indexes = || [None].into_iter().chain(INDEXES.map(Some));
        for table in TABLES {
            for query in indexes().flat_map(|index| [true, false].map(|down| Query::all(table, index, down))) {
                client.read(Op::Query(query)).await;
            }
            client.read(Op::Count(table)).await;
        }
    });
    for record in &end.lock().records {
        assert!(!record.steps.iter().any(|(_, outcome)| matches!(outcome, Outcome::Refused(_))), "{record:?}");
        model.clone().replay(&record.steps, "at the end");
    }
}
