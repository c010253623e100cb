//! Documents that come from elsewhere and keep their ids and creation times.

use std::sync::Arc;

use convex_wasm_persistence::KeyRange;
use convex_wasm_values::value::object_size;
use convex_wasm_values::{ConvexObject, ConvexValue, DocumentId, TableNumber};

use super::Transaction;
use super::documents::{check_document, with_system_fields};
use crate::catalog::{FIRST_USER_TABLE, Table, table_document};
use crate::system_tables::TABLES;
use crate::{Error, Result};

impl Transaction {
    /// Makes ids of a table carry this number, as those of documents that will be imported do. Creates the table if it does
    /// not exist. Tables without documents can change their number, so one that has the wanted number gives way.
    pub async fn claim_table(&mut self, name: &str, number: TableNumber) -> Result<()> {
        self.reads.record(TABLES.index(0), KeyRange::all());
        let table = self.table_to_write(name)?;
        if table.number == number {
            return Ok(());
        }
        if number.0 < FIRST_USER_TABLE {
            return Err(unclaimable(name, "its ids are those of a table of the system"));
        }
        if let Some(holder) = self.catalog.table_by_number(number).cloned() {
            let free = self.catalog.next_table_number();
            self.renumber(&holder, free).await?;
        }
        self.renumber(&table, number).await
    }

    async fn renumber(&mut self, table: &Table, number: TableNumber) -> Result<()> {
        if self.count(&table.name)? > 0 {
            let reason = format!("its ids do not fit those that table \"{}\" has already", table.name);
            return Err(unclaimable(&table.name, &reason));
        }
        self.replace_system_row(&TABLES, table.tablet.0, Some(table_document(&table.name, number))).await
    }

    /// Inserts a document; `_id` and `_creationTime` are kept if it has them.
    pub async fn import(&mut self, table: &str, mut document: ConvexObject) -> Result<()> {
        let table = self.table_to_write(table)?;
        let given = document.remove("_id");
        let created = document.remove("_creationTime");
        let internal = match &given {
            None => self.new_id(),
            Some(id) => {
                let id = id.as_str().and_then(|id| id.parse::<DocumentId>().ok());
                id.filter(|id| id.table == table.number)
                    .map(|id| id.internal)
                    .ok_or_else(|| invalid(format!("{given:?} is no id of table \"{}\"", table.name)))?
            }
        };
        let created = match created {
            None => {
                self.next_creation_time = self.next_creation_time.next_up();
                self.next_creation_time
            }
            Some(ConvexValue::Float64(time)) if time.is_finite() && time > 0.0 => time,
            Some(other) => return Err(invalid(format!("{other:?} is no `_creationTime`"))),
        };
        let id = table.document_id(internal);
        if given.is_some() && self.read(&table, internal).await?.is_some() {
            return Err(invalid(format!("table \"{}\" has a document {id} already", table.name)));
        }
        let content = self.check_content(&table, document).await?;
        let document = with_system_fields(content, id, created);
        check_document(&document)?;
        self.counters.write(object_size(&document))?;
        self.write(&table, internal, None, Some(Arc::new(document)))
    }
}

fn invalid(reason: String) -> Error {
    Error::developer("ImportFormatError", format!("The import is not valid: {reason}."))
}

fn unclaimable(table: &str, reason: &str) -> Error {
    Error::developer("TableConflict", format!("Table \"{table}\" cannot be imported with its ids: {reason}."))
}
