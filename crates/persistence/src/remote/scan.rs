//! Scans in pages.
//!
//! The server orders entries by the prefixes of their keys ([`super::keys`]). Long keys with the same prefix are read
//! together, wherever a page would have ended, and put in order here.

use futures::future::BoxFuture;

use super::keys::{MAX_PREFIX, join, prefixes};
use crate::{IndexRow, Key, KeyRange, Order, Result, Versioned, successor};

/// Entries of the first page if a scan wants many.
const FIRST_PAGE: usize = 256;
/// Entries of a page at most.
const MAX_PAGE: usize = 1024;

/// The newest entry of a key.
pub struct Entry {
    /// The indexed beginning of the key.
    pub prefix: Vec<u8>,
    /// The rest of a long key.
    pub suffix: Option<Vec<u8>>,
    /// Where the key leads, or `None` if it leads nowhere.
    pub versioned: Option<Versioned>,
}

/// A server that reads an index at a timestamp.
pub trait Pages: Sync {
    /// The newest entries of the first keys, at most `limit`, whose prefixes are in a range.
    fn page(&self, prefixes: KeyRange, order: Order, limit: usize) -> BoxFuture<'_, Result<Vec<Entry>>>;
}

/// The first rows of a range.
pub async fn scan(pages: &dyn Pages, range: &KeyRange, order: Order, limit: usize) -> Result<Vec<IndexRow>> {
    let mut rows = Vec::new();
    let mut rest = prefixes(range);
    let mut size = limit.min(FIRST_PAGE);
    while rows.len() < limit && !rest.is_empty() {
        let mut page = pages.page(rest.clone(), order, size).await?;
        let complete = page.len() < size;
        let Some(last) = page.last().map(|entry| entry.prefix.clone()) else { break };
        if !complete && last.len() == MAX_PREFIX {
            page.retain(|entry| entry.prefix != last);
            page.extend(pages.page(KeyRange::point(&last), order, usize::MAX).await?);
        }
        let mut found: Vec<(Key, Versioned)> = page
            .into_iter()
            .filter_map(|entry| Some((join(entry.prefix, entry.suffix.as_deref()), entry.versioned?)))
            .filter(|(key, _)| range.contains(key))
            .collect();
        match order {
            Order::Ascending => {
                found.sort_by(|(one, _), (other, _)| one.cmp(other));
                rest.start = successor(&last);
            }
            Order::Descending => {
                found.sort_by(|(one, _), (other, _)| other.cmp(one));
                rest.end = Some(last);
            }
        }
        rows.extend(found.into_iter().map(|(key, versioned)| IndexRow { key, versioned }));
        if complete {
            break;
        }
        // Many keys that lead nowhere are not to be passed over one by one.
        size = (size * 2).min(MAX_PAGE);
    }
    rows.truncate(limit);
    Ok(rows)
}
