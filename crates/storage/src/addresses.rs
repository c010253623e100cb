//! Addresses of uploads and files.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::FileKey;

/// How long an upload address is valid.
const UPLOAD_VALID_MS: u64 = 3_600_000;

/// Makes addresses of a deployment, and tells whether those of uploads are its own.
#[derive(Clone)]
pub struct Addresses {
    origin: String,
    secret: [u8; 32],
}

/// An upload token that is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It was not made here.
    #[error("The upload token is not valid. Get an upload URL with `ctx.storage.generateUploadUrl()`.")]
    Invalid,
    /// It was made more than an hour ago.
    #[error("The upload token has expired: an upload URL is valid for one hour. Get a new one.")]
    Expired,
}

impl Addresses {
    /// Addresses below `origin`, whose uploads are signed with `secret`.
    pub fn new(origin: impl Into<String>, secret: [u8; 32]) -> Self {
        Self { origin: origin.into(), secret }
    }

    /// An address to upload one file to, valid for an hour; `now_ms` is in milliseconds since the epoch.
    pub fn upload(&self, now_ms: u64) -> String {
        let expires = now_ms.saturating_add(UPLOAD_VALID_MS);
        let tag = hex::encode(self.mac(expires).finalize().into_bytes());
        format!("{}/api/storage/upload?token={expires:x}.{tag}", self.origin)
    }

    /// The address of a file. Whoever knows it can read the file.
    pub fn file(&self, key: &FileKey) -> String {
        format!("{}/api/storage/{key}", self.origin)
    }

    /// Whether an upload with this token is accepted.
    ///
    /// # Errors
    /// It is not.
    pub fn check_token(&self, token: &str, now_ms: u64) -> Result<(), TokenError> {
        let (expires, tag) = token.split_once('.').ok_or(TokenError::Invalid)?;
        let expires = u64::from_str_radix(expires, 16).map_err(|_| TokenError::Invalid)?;
        let tag = hex::decode(tag).map_err(|_| TokenError::Invalid)?;
        self.mac(expires).verify_slice(&tag).map_err(|_| TokenError::Invalid)?;
        if expires < now_ms { Err(TokenError::Expired) } else { Ok(()) }
    }

    fn mac(&self, expires: u64) -> Hmac<Sha256> {
        // HMAC takes keys of any length, so a 64-byte block made from the secret always fits.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&self.secret);
        let mut mac = Hmac::<Sha256>::new((&block).into());
        mac.update(b"upload");
        mac.update(&expires.to_be_bytes());
        mac
    }
}
