//! Limits of a transaction.

use convex_wasm_knobs::{
    TRANSACTION_MAX_NUM_SCHEDULED, TRANSACTION_MAX_NUM_USER_WRITES, TRANSACTION_MAX_READ_SET_INTERVALS,
    TRANSACTION_MAX_READ_SIZE_BYTES, TRANSACTION_MAX_READ_SIZE_ROWS,
    TRANSACTION_MAX_SCHEDULED_TOTAL_ARGUMENT_SIZE_BYTES, TRANSACTION_MAX_USER_WRITE_SIZE_BYTES,
};

use crate::{Error, Result};

/// One limit of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Used so far.
    pub used: usize,
    /// What is allowed.
    pub max: usize,
}

/// What a transaction used, for `1.0/getTransactionMetrics`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Documents read, dropped rows included.
    pub documents_read: Limit,
    /// Their bytes.
    pub bytes_read: Limit,
    /// Index intervals read.
    pub intervals_read: Limit,
    /// Documents written.
    pub documents_written: Limit,
    /// Their bytes.
    pub bytes_written: Limit,
    /// Functions scheduled.
    pub functions_scheduled: Limit,
    /// Bytes of their arguments.
    pub scheduled_args_bytes: Limit,
}

/// What counts toward the limits. Tables of the system do not.
#[derive(Default)]
pub struct Counters {
    documents_read: usize,
    bytes_read: usize,
    documents_written: usize,
    bytes_written: usize,
    functions_scheduled: usize,
    scheduled_args_bytes: usize,
    /// Whether reads and writes are only counted.
    unlimited: bool,
}

const READ_LESS: &str = "Consider using smaller limits in your queries, paginating your queries, or using indexed \
                         queries with a selective index range.";
const WRITE_LESS: &str = "Consider splitting the work into several mutations.";

impl Counters {
    /// From now on reads and writes are only counted.
    pub fn lift(&mut self) {
        self.unlimited = true;
    }

    /// Whether reads and writes are only counted.
    pub fn are_lifted(&self) -> bool {
        self.unlimited
    }

    /// Counts a document that was read.
    pub fn read(&mut self, size: usize) -> Result<()> {
        self.documents_read += 1;
        self.bytes_read += size;
        if self.are_lifted() {
            return Ok(());
        }
        let documents = TRANSACTION_MAX_READ_SIZE_ROWS.get();
        if self.documents_read > documents {
            return exceeded("TooManyDocumentsRead", "documents read", &documents.to_string(), READ_LESS);
        }
        let bytes = TRANSACTION_MAX_READ_SIZE_BYTES.get();
        if self.bytes_read > bytes {
            return exceeded("TooManyBytesRead", "bytes read", &format!("{bytes} bytes"), READ_LESS);
        }
        Ok(())
    }

    /// Checks whether one more interval may be read.
    pub fn check_intervals(&self, intervals: usize) -> Result<()> {
        let max = TRANSACTION_MAX_READ_SET_INTERVALS.get();
        if intervals >= max && !self.are_lifted() {
            return exceeded("TooManyReads", "index ranges read", &max.to_string(), READ_LESS);
        }
        Ok(())
    }

    /// Counts a document that is to be written.
    pub fn write(&mut self, size: usize) -> Result<()> {
        self.documents_written += 1;
        self.bytes_written += size;
        if self.are_lifted() {
            return Ok(());
        }
        let documents = TRANSACTION_MAX_NUM_USER_WRITES.get();
        if self.documents_written > documents {
            return exceeded("TooManyWrites", "documents written", &documents.to_string(), WRITE_LESS);
        }
        let bytes = TRANSACTION_MAX_USER_WRITE_SIZE_BYTES.get();
        if self.bytes_written > bytes {
            return exceeded("TooManyBytesWritten", "bytes written", &format!("{bytes} bytes"), WRITE_LESS);
        }
        Ok(())
    }

    /// Counts a function that is to run later, with arguments of some bytes.
    pub fn schedule(&mut self, size: usize) -> Result<()> {
        self.functions_scheduled += 1;
        self.scheduled_args_bytes += size;
        let functions = TRANSACTION_MAX_NUM_SCHEDULED.get();
        if self.functions_scheduled > functions {
            return Err(Error::developer(
                "TooManyFunctionsScheduled",
                format!("Too many functions scheduled by this mutation (limit: {functions})"),
            ));
        }
        let bytes = TRANSACTION_MAX_SCHEDULED_TOTAL_ARGUMENT_SIZE_BYTES.get();
        if self.scheduled_args_bytes > bytes {
            return Err(Error::developer(
                "ScheduledFunctionsArgumentsTooLarge",
                format!(
                    "Too large total size of the arguments of scheduled functions from this mutation (limit: {bytes} bytes)"
                ),
            ));
        }
        Ok(())
    }

    /// The counters beside their limits.
    pub fn usage(&self, intervals: usize) -> Usage {
        Usage {
            documents_read: Limit { used: self.documents_read, max: TRANSACTION_MAX_READ_SIZE_ROWS.get() },
            bytes_read: Limit { used: self.bytes_read, max: TRANSACTION_MAX_READ_SIZE_BYTES.get() },
            intervals_read: Limit { used: intervals, max: TRANSACTION_MAX_READ_SET_INTERVALS.get() },
            documents_written: Limit { used: self.documents_written, max: TRANSACTION_MAX_NUM_USER_WRITES.get() },
            bytes_written: Limit { used: self.bytes_written, max: TRANSACTION_MAX_USER_WRITE_SIZE_BYTES.get() },
            functions_scheduled: Limit { used: self.functions_scheduled, max: TRANSACTION_MAX_NUM_SCHEDULED.get() },
            scheduled_args_bytes: Limit {
                used: self.scheduled_args_bytes,
                max: TRANSACTION_MAX_SCHEDULED_TOTAL_ARGUMENT_SIZE_BYTES.get(),
            },
        }
    }
}

fn exceeded(code: &'static str, what: &str, limit: &str, advice: &str) -> Result<()> {
    Err(Error::developer(code, format!("Too many {what} in a single function execution (limit: {limit}). {advice}")))
}
