//! Files: what they are called, and where they are kept.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use rand::RngCore;

use crate::bucket::{Bucket, BucketOptions};
use crate::folder::Folder;

/// Bytes that come in pieces.
pub type ByteStream = BoxStream<'static, io::Result<Bytes>>;

/// The name of a file: a random UUID that nobody can guess.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileKey(String);

impl FileKey {
    pub(crate) fn random() -> Self {
        let mut bytes = [0; 16];
        rand::rng().fill_bytes(&mut bytes);
        // Version 4, variant 1; see RFC 9562.
        bytes[6] = (bytes[6] & 0x0f) | 0x40;
        bytes[8] = (bytes[8] & 0x3f) | 0x80;
        let hex = hex::encode(bytes);
        Self([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
    }

    /// The key in a text, if it is a UUID in lowercase.
    pub fn parse(text: &str) -> Option<Self> {
        let is_right = |(at, byte): (usize, u8)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        };
        (text.len() == 36 && text.bytes().enumerate().all(is_right)).then(|| Self(text.to_owned()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub key: FileKey,
    /// Hash of its content.
    pub sha256: [u8; 32],
    /// Bytes of its content.
    pub size: u64,
}

/// Where files are kept.
#[derive(Clone)]
pub enum Files {
    /// In a folder.
    Folder(Folder),
    /// In a bucket of an S3-compatible store.
    Bucket(Bucket),
}

impl Files {
    /// Uses a folder, which is made if it does not exist. Files that were not finished are removed.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn open(folder: impl Into<PathBuf>) -> io::Result<Self> {
        Folder::open(folder.into()).map(Self::Folder)
    }

    /// Uses a bucket, which must exist.
    ///
    /// # Errors
    /// The options do not make sense.
    pub fn in_bucket(options: BucketOptions) -> io::Result<Self> {
        Bucket::new(options).map(Self::Bucket)
    }

    /// Writes a new file. When this returns it is durable; if it fails there is none.
    ///
    /// # Errors
    /// The stream fails, or the store.
    pub async fn write(&self, content: ByteStream) -> io::Result<Written> {
        match self {
            Self::Folder(folder) => folder.write(content).await,
            Self::Bucket(bucket) => bucket.write(content).await,
        }
    }

    /// Bytes of a file, in pieces; `None` if there is no such file.
    ///
    /// # Errors
    /// The store fails.
    pub async fn read(&self, key: &FileKey, range: Range<u64>) -> io::Result<Option<ByteStream>> {
        match self {
            Self::Folder(folder) => folder.read(key, range).await,
            Self::Bucket(bucket) => bucket.read(key, range).await,
        }
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// The store fails.
    pub async fn remove(&self, key: &FileKey) -> io::Result<()> {
        match self {
            Self::Folder(folder) => folder.remove(key).await,
            Self::Bucket(bucket) => bucket.remove(key).await,
        }
    }

    /// The files that were written at least this long ago.
    ///
    /// # Errors
    /// The store fails.
    pub async fn older_than(&self, age: Duration) -> io::Result<Vec<FileKey>> {
        match self {
            Self::Folder(folder) => folder.older_than(age).await,
            Self::Bucket(bucket) => bucket.older_than(age).await,
        }
    }
}
