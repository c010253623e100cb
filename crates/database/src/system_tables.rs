//! The tables of the system itself.
//!
//! They are not listed in `_tables`: their names, numbers and indexes are part of the program, so that the tables which
//! describe all others can be read before anything is known.

use convex_wasm_persistence::{IndexId, TabletId};
use convex_wasm_values::{FieldPath, InternalId, TableNumber};

use crate::{Error, Result};

/// Tables of the system that functions may read, through `db.system`.
const READABLE: [&str; 2] = ["_storage", "_scheduled_functions"];

/// A table of the system.
pub struct SystemTable {
    /// The name; starts with an underscore.
    pub name: &'static str,
    /// Convex's number of this table.
    pub number: TableNumber,
    /// Indexes besides `by_id` and `by_creation_time`: name and fields.
    pub indexes: &'static [(&'static str, &'static [&'static str])],
}

/// Tables of users: `name`, `number`.
pub const TABLES: SystemTable =
    SystemTable { name: "_tables", number: TableNumber(513), indexes: &[("by_name", &["name"])] };

/// Indexes of users' tables: `table_id`, `name`, `fields`, `state`, `staged`.
pub const INDEX: SystemTable =
    SystemTable { name: "_index", number: TableNumber(514), indexes: &[("by_table_and_name", &["table_id", "name"])] };

/// What a deployment consists of: `name`, `sha256`, `size`, `metadata`.
pub const SOURCE_PACKAGES: SystemTable =
    SystemTable { name: "_source_packages", number: TableNumber(524), indexes: &[("by_name", &["name"])] };

/// Environment variables: `name`, `value`.
pub const ENVIRONMENT_VARIABLES: SystemTable =
    SystemTable { name: "_environment_variables", number: TableNumber(525), indexes: &[("by_name", &["name"])] };

/// Mutations of clients' sessions that were carried out, so that one that is sent again is not: `name`, `answer`.
pub const SESSION_REQUESTS: SystemTable =
    SystemTable { name: "_session_requests", number: TableNumber(529), indexes: &[("by_name", &["name"])] };

/// The active schema and the one that is to replace it: `state`, `schema` (as JSON text), `error`, `table`.
pub const SCHEMAS: SystemTable = SystemTable { name: "_schemas", number: TableNumber(532), indexes: &[] };

/// Functions that run again and again: `name`, `schedule` (as JSON text), `function`, `args`, `nextTime`, `state`.
pub const CRON_JOBS: SystemTable = SystemTable {
    name: "_cron_jobs",
    number: TableNumber(531),
    indexes: &[("by_name", &["name"]), ("by_state", &["state.kind", "nextTime"])],
};

/// Functions that are to run once at a time, and those that did, as functions see them: `name`, `args`, `scheduledTime`,
/// `completedTime`, `state`.
pub const SCHEDULED_FUNCTIONS: SystemTable = SystemTable {
    name: "_scheduled_functions",
    number: TableNumber(539),
    indexes: &[("by_state", &["state.kind", "scheduledTime"]), ("by_completed_time", &["completedTime"])],
};

/// Files, as functions see them: `sha256` (base64), `size`, `contentType`.
pub const STORAGE: SystemTable = SystemTable { name: "_storage", number: TableNumber(540), indexes: &[] };

/// Where the content of files is: `name` (the key), `file` (the id). Convex has no such table.
pub const FILE_KEYS: SystemTable = SystemTable {
    name: "_file_keys",
    number: TableNumber(768),
    indexes: &[("by_name", &["name"]), ("by_file", &["file"])],
};

/// All of them.
pub const ALL: [&SystemTable; 10] = [
    &TABLES,
    &INDEX,
    &SOURCE_PACKAGES,
    &ENVIRONMENT_VARIABLES,
    &SESSION_REQUESTS,
    &CRON_JOBS,
    &SCHEMAS,
    &SCHEDULED_FUNCTIONS,
    &STORAGE,
    &FILE_KEYS,
];

impl SystemTable {
    /// The table in the store.
    pub fn tablet(&self) -> TabletId {
        TabletId(fixed_id(self.number, 0))
    }

    /// The index at a position: 0 is `by_id`, 1 is `by_creation_time`, then come the declared ones.
    pub fn index(&self, position: u32) -> IndexId {
        IndexId(fixed_id(self.number, position + 1))
    }

    /// Names and key fields of all indexes, in the order of [`SystemTable::index`].
    pub fn all_indexes(&self) -> Vec<(&'static str, Vec<FieldPath>)> {
        let declared = self.indexes.iter().map(|(name, fields)| {
            let fields = fields.iter().filter_map(|field| FieldPath::parse(field).ok());
            (*name, fields.chain([FieldPath::creation_time()]).collect())
        });
        [("by_id", Vec::new()), ("by_creation_time", vec![FieldPath::creation_time()])]
            .into_iter()
            .chain(declared)
            .collect()
    }
}

/// Refuses names of tables that functions may not read.
pub fn check_readable(name: &str) -> Result<()> {
    if name.starts_with('_') && !READABLE.contains(&name) {
        return Err(Error::developer("SystemTableError", format!("Table `{name}` cannot be read by functions.")));
    }
    Ok(())
}

/// Ids of the system's own tables and indexes start with zeros, which a random id never does.
fn fixed_id(table: TableNumber, part: u32) -> InternalId {
    let mut bytes = [0; InternalId::LENGTH];
    bytes[8..12].copy_from_slice(&table.0.to_be_bytes());
    bytes[12..].copy_from_slice(&part.to_be_bytes());
    InternalId(bytes)
}
