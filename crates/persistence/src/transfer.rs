//! Moving everything from one store to another.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{IndexEntry, PersistenceError, Portable, Result, Revision, Timestamp, WriteBatch};

/// Revisions or entries that are moved at once.
const PAGE: usize = 256;

/// What a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Revisions of documents.
    pub revisions: u64,
    /// Entries of indexes.
    pub entries: u64,
    /// Globals.
    pub globals: u64,
    /// Blobs.
    pub blobs: u64,
    /// A sum of the hashes of all of them, in whichever order they come, in hexadecimal.
    pub hash: String,
}

/// How far a transfer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferProgress {
    /// So many revisions are copied.
    Revisions(u64),
    /// So many entries of indexes are copied.
    Entries(u64),
    /// So many blobs are copied.
    Blobs(u64),
    /// So much of what was copied has been read back.
    Verified(u64),
}

/// Copies everything from one store to an empty one, reads it back, and compares counts and hashes.
///
/// Globals come last: a store without them was not copied to its end.
///
/// # Errors
/// [`PersistenceError::NotEmpty`] with the name given for the target; [`PersistenceError::Damaged`] if what is read back is
/// something else.
pub async fn transfer(
    from: &dyn Portable,
    to: &dyn Portable,
    target: &str,
    mut progress: impl FnMut(TransferProgress),
) -> Result<Totals> {
    if !is_empty(to).await? {
        return Err(PersistenceError::NotEmpty { database: target.to_owned() });
    }
    let mut written = Sum::default();
    let mut pages = Pages::of(from);
    while let Some(page) = pages.next().await? {
        written.add(&page)?;
        match page {
            Page::Revisions(revisions) => {
                to.write(WriteBatch { revisions, entries: Vec::new() }).await?;
                progress(TransferProgress::Revisions(written.totals.revisions));
            }
            Page::Entries(entries) => {
                to.write(WriteBatch { revisions: Vec::new(), entries }).await?;
                progress(TransferProgress::Entries(written.totals.entries));
            }
            Page::Blob(content) => {
                to.put_blob(content).await?;
                progress(TransferProgress::Blobs(written.totals.blobs));
            }
            Page::Globals(globals) => to.set_globals(globals).await?,
        }
    }
    let mut read = Sum::default();
    let mut pages = Pages::of(to);
    while let Some(page) = pages.next().await? {
        read.add(&page)?;
        let totals = &read.totals;
        progress(TransferProgress::Verified(totals.revisions + totals.entries + totals.blobs));
    }
    let (written, read) = (written.finish(), read.finish());
    if written != read {
        return Err(PersistenceError::damaged(format!("{written:?} was written to {target}, and {read:?} is there")));
    }
    Ok(written)
}

async fn is_empty(store: &dyn Portable) -> Result<bool> {
    Ok(store.max_timestamp().await? == Timestamp::MIN
        && store.entries(None, 1).await?.is_empty()
        && store.globals().await?.is_empty()
        && store.blobs().await?.is_empty())
}

/// A part of what a store holds.
enum Page {
    Revisions(Vec<Revision>),
    Entries(Vec<IndexEntry>),
    Blob(bytes::Bytes),
    Globals(Vec<(String, serde_json::Value)>),
}

/// Everything that a store holds, part by part.
struct Pages<'a> {
    store: &'a dyn Portable,
    next: Next,
}

/// What comes next.
enum Next {
    Revisions { after: Timestamp },
    Entries { after: Option<IndexEntry> },
    Blobs(std::vec::IntoIter<crate::BlobId>),
    End,
}

impl<'a> Pages<'a> {
    fn of(store: &'a dyn Portable) -> Self {
        Self { store, next: Next::Revisions { after: Timestamp::MIN } }
    }

    async fn next(&mut self) -> Result<Option<Page>> {
        loop {
            match &mut self.next {
                Next::Revisions { after } => {
                    let revisions = self.store.revisions(*after, PAGE).await?;
                    match revisions.last() {
                        Some(last) => *after = last.timestamp,
                        None => self.next = Next::Entries { after: None },
                    }
                    if !revisions.is_empty() {
                        return Ok(Some(Page::Revisions(revisions)));
                    }
                }
                Next::Entries { after } => {
                    let entries = self.store.entries(after.take(), PAGE).await?;
                    match entries.last() {
                        Some(last) => *after = Some(last.clone()),
                        None => self.next = Next::Blobs(self.store.blobs().await?.into_iter()),
                    }
                    if !entries.is_empty() {
                        return Ok(Some(Page::Entries(entries)));
                    }
                }
                Next::Blobs(ids) => match ids.next() {
                    Some(id) => {
                        let missing = || PersistenceError::damaged(format!("the blob {id} is not there"));
                        return Ok(Some(Page::Blob(self.store.get_blob(id).await?.ok_or_else(missing)?)));
                    }
                    None => {
                        self.next = Next::End;
                        return Ok(Some(Page::Globals(self.store.globals().await?)));
                    }
                },
                Next::End => return Ok(None),
            }
        }
    }
}

/// Counts and hashes.
#[derive(Default)]
struct Sum {
    totals: Totals,
    hash: u128,
}

impl Sum {
    fn add(&mut self, page: &Page) -> Result<()> {
        match page {
            Page::Revisions(revisions) => {
                self.totals.revisions += revisions.len() as u64;
                for revision in revisions {
                    let content = revision.content.as_deref().map(serde_json::to_string).transpose();
                    let content = content.map_err(|error| PersistenceError::Failed(error.to_string()))?;
                    self.item(&("revision", revision.timestamp, revision.key, content, revision.previous));
                }
            }
            Page::Entries(entries) => {
                self.totals.entries += entries.len() as u64;
                entries.iter().for_each(|entry| self.item(entry));
            }
            Page::Blob(content) => {
                self.totals.blobs += 1;
                self.item(&crate::BlobId::of(content));
            }
            Page::Globals(globals) => {
                self.totals.globals += globals.len() as u64;
                let globals: BTreeMap<_, _> = globals.iter().map(|(name, value)| (name, value.to_string())).collect();
                self.item(&globals);
            }
        }
        Ok(())
    }

    /// Adds the hash of an item's debug form, which names all that is in it.
    fn item(&mut self, item: &impl std::fmt::Debug) {
        let hash: [u8; 32] = Sha256::digest(format!("{item:?}")).into();
        let (half, _) = hash.split_at(16);
        self.hash = half.iter().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte)).wrapping_add(self.hash);
    }

    fn finish(self) -> Totals {
        Totals { hash: format!("{:032x}", self.hash), ..self.totals }
    }
}
