//! Files of apps: their content, in a folder or in an S3-compatible store, and the addresses under which clients reach it.
//!
//! What a file is (its id, size, hash and type) is in the database. Here it is a name, a random UUID, and bytes. A file is
//! written before the database hears of it and removed after the database has forgotten it, so there may be files that
//! belong to nothing; [`Files::older_than`] finds them. There is never a row without its file.

mod addresses;
mod bucket;
mod files;
mod folder;

pub use addresses::{Addresses, TokenError};
pub use bucket::{Bucket, BucketOptions};
pub use files::{ByteStream, FileKey, Files, Written};
pub use folder::Folder;

/// The files of a deployment and their addresses.
pub struct Storage {
    /// Their content.
    pub files: Files,
    /// Where clients reach them.
    pub addresses: Addresses,
}
