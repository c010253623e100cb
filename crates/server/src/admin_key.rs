//! Admin keys: `<instance name>|<hex>`.
//!
//! The hex is a version byte (`01`), 16 random bytes and an HMAC-SHA-256 over the version, those bytes and the instance
//! name, keyed with the instance secret. A key is valid as long as the instance keeps its name and secret.

use hmac::{Hmac, Mac};
use rand::RngCore;
use sha2::Sha256;

const VERSION: u8 = 1;
const NONCE_LENGTH: usize = 16;
const TAG_LENGTH: usize = 32;

/// The secret of an instance: 32 bytes from which admin keys derive.
#[derive(Clone)]
pub struct InstanceSecret([u8; 32]);

/// A secret that is not 64 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("an instance secret is 64 hexadecimal digits")]
pub struct InvalidSecret;

impl InstanceSecret {
    /// A new random secret.
    pub fn generate() -> Self {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        Self(bytes)
    }

    /// The secret as 64 hexadecimal digits.
    pub fn to_hex(&self) -> String {
        hex::encode(self.0)
    }

    /// Issues an admin key for the instance `name`.
    pub fn issue(&self, name: &str) -> String {
        let mut payload = vec![VERSION];
        let mut nonce = [0; NONCE_LENGTH];
        rand::rng().fill_bytes(&mut nonce);
        payload.extend_from_slice(&nonce);
        let tag = self.mac(&payload, name).finalize().into_bytes();
        payload.extend_from_slice(&tag);
        format!("{name}|{}", hex::encode(payload))
    }

    /// Whether `key` was issued with this secret for the instance `name`. A prefix such as `prod:` is ignored.
    pub fn accepts(&self, key: &str, name: &str) -> bool {
        let key = key.split_once(':').map_or(key, |(_, key)| key);
        let Some((key_name, payload)) = key.split_once('|') else { return false };
        let Ok(payload) = hex::decode(payload) else { return false };
        if key_name != name || payload.len() != 1 + NONCE_LENGTH + TAG_LENGTH || payload[0] != VERSION {
            return false;
        }
        let (signed, tag) = payload.split_at(1 + NONCE_LENGTH);
        self.mac(signed, name).verify_slice(tag).is_ok()
    }

    /// The secret with which addresses of uploads are signed.
    pub fn upload_key(&self) -> [u8; 32] {
        self.mac(&[], "uploads").finalize().into_bytes().into()
    }

    fn mac(&self, signed: &[u8], name: &str) -> Hmac<Sha256> {
        // HMAC takes keys of any length, so a 64-byte block made from the secret always fits.
        let mut block = [0; 64];
        block[..32].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new((&block).into());
        mac.update(b"admin key");
        mac.update(signed);
        mac.update(name.as_bytes());
        mac
    }
}

impl std::str::FromStr for InstanceSecret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let bytes = hex::decode(text.trim()).map_err(|_| InvalidSecret)?;
        Ok(Self(bytes.try_into().map_err(|_| InvalidSecret)?))
    }
}
