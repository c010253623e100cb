//! Hash functions and what is built of them: HMAC (RFC 2104), HKDF (RFC 5869), PBKDF2 (RFC 8018).

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// SHA-1
    Sha1,
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
}

impl Hash {
    /// The function of this name, whatever its case.
    pub fn named(name: &str) -> Option<Hash> {
        [Hash::Sha1, Hash::Sha256, Hash::Sha384, Hash::Sha512]
            .into_iter()
            .find(|hash| hash.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Hash::Sha1 => "SHA-1",
            Hash::Sha256 => "SHA-256",
            Hash::Sha384 => "SHA-384",
            Hash::Sha512 => "SHA-512",
        }
    }

    /// The digest of all pieces, one after the other.
    pub fn digest(self, pieces: &[&[u8]]) -> Vec<u8> {
        fn of<D: Digest>(pieces: &[&[u8]]) -> Vec<u8> {
            let mut digest = D::new();
            pieces.iter().for_each(|piece| digest.update(piece));
            digest.finalize().to_vec()
        }
        match self {
            Hash::Sha1 => of::<Sha1>(pieces),
            Hash::Sha256 => of::<Sha256>(pieces),
            Hash::Sha384 => of::<Sha384>(pieces),
            Hash::Sha512 => of::<Sha512>(pieces),
        }
    }

    /// Bytes of a block.
    fn block_size(self) -> usize {
        match self {
            Hash::Sha1 | Hash::Sha256 => 64,
            Hash::Sha384 | Hash::Sha512 => 128,
        }
    }

    /// The keyed hash of all pieces.
    pub fn hmac(self, key: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
        let mut block = if key.len() > self.block_size() { self.digest(&[key]) } else { key.to_vec() };
        block.resize(self.block_size(), 0);
        let padded = |pad: u8| block.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
        let (inner_pad, outer_pad) = (padded(0x36), padded(0x5C));
        let mut inner = vec![inner_pad.as_slice()];
        inner.extend_from_slice(pieces);
        self.digest(&[&outer_pad, &self.digest(&inner)])
    }

    /// `length` bytes derived from a secret; `None` if that is more than 255 digests.
    pub fn hkdf(self, secret: &[u8], salt: &[u8], info: &[u8], length: usize) -> Option<Vec<u8>> {
        let key = self.hmac(salt, &[secret]);
        let (mut out, mut last) = (vec![], vec![]);
        let mut counter = 0_u8;
        while out.len() < length {
            counter = counter.checked_add(1)?;
            last = self.hmac(&key, &[&last, info, &[counter]]);
            out.extend_from_slice(&last);
        }
        out.truncate(length);
        Some(out)
    }

    /// `length` bytes derived from a password.
    pub fn pbkdf2(self, password: &[u8], salt: &[u8], iterations: u32, length: usize) -> Vec<u8> {
        let mut out = vec![];
        let mut block = 0_u32;
        while out.len() < length {
            block += 1;
            let mut last = self.hmac(password, &[salt, &block.to_be_bytes()]);
            let mut sum = last.clone();
            for _ in 1..iterations {
                last = self.hmac(password, &[&last]);
                sum.iter_mut().zip(&last).for_each(|(sum, byte)| *sum ^= byte);
            }
            out.extend_from_slice(&sum);
        }
        out.truncate(length);
        out
    }
}
