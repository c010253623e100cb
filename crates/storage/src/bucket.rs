//! Files in a bucket of an S3-compatible store, through signed addresses: nothing but plain HTTP is asked of it, so that stores
//! which know no checksums or other additions to the protocol do.

use std::fmt;
use std::io;
use std::ops::Range;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use reqwest::header::{ETAG, RANGE};
use reqwest::{Client, Method, Response, StatusCode, Url};
use rusty_s3::actions::{CreateMultipartUpload, ListObjectsV2, S3Action};
use rusty_s3::{Bucket as Address, Credentials, UrlStyle};
use sha2::{Digest, Sha256};

use crate::files::{ByteStream, FileKey, Written};

/// Bytes of a part of a large file. Stores want at least 5 MiB, and at most 10,000 parts.
const PART: usize = 8 << 20;
/// How long a signed address is valid.
const VALIDITY: Duration = Duration::from_secs(900);
/// Tries of a request that the store cannot answer for the moment, and the pause after the first.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(200);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Characters of an error of the store that are told.
const TOLD: usize = 300;

/// Where a bucket is, and who may use it.
#[derive(Clone)]
pub struct BucketOptions {
    /// Its name.
    pub name: String,
    /// `us-east-1`, say.
    pub region: String,
    /// Address of the store; Amazon's own if there is none.
    pub endpoint: Option<String>,
    /// Whether the bucket's name is part of the path, not of the host.
    pub path_style: bool,
    /// Id of the access key.
    pub access_key_id: String,
    /// The access key.
    pub secret_access_key: String,
    /// Token of temporary keys.
    pub session_token: Option<String>,
}

/// A bucket.
#[derive(Clone)]
pub struct Bucket {
    address: Address,
    credentials: Credentials,
    client: Client,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.address.base_url().as_str()).finish()
    }
}

impl Bucket {
    pub(crate) fn new(options: BucketOptions) -> io::Result<Self> {
        let endpoint = options.endpoint.unwrap_or_else(|| format!("https://s3.{}.amazonaws.com", options.region));
        let invalid = |error: &dyn fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{endpoint:?} is no address of an S3 store: {error}"))
        };
        let style = if options.path_style { UrlStyle::Path } else { UrlStyle::VirtualHost };
        let url = Url::parse(&endpoint).map_err(|error| invalid(&error))?;
        let address = Address::new(url, style, options.name, options.region).map_err(|error| invalid(&error))?;
        let credentials = match options.session_token {
            Some(token) => Credentials::new_with_token(options.access_key_id, options.secret_access_key, token),
            None => Credentials::new(options.access_key_id, options.secret_access_key),
        };
        let client = Client::builder().connect_timeout(CONNECT_TIMEOUT).build().map_err(io::Error::other)?;
        Ok(Self { address, credentials, client })
    }

    pub(crate) async fn write(&self, content: ByteStream) -> io::Result<Written> {
        let key = FileKey::random();
        let mut content = Parts { content, hash: Sha256::new(), size: 0 };
        let first = content.next().await?;
        if first.len() < PART {
            let url = self.address.put_object(Some(&self.credentials), key.as_str()).sign(VALIDITY);
            self.request(Method::PUT, url, first).await?;
        } else {
            self.write_parts(&key, first, &mut content).await?;
        }
        Ok(Written { key, sha256: content.hash.finalize().into(), size: content.size })
    }

    /// Writes a large file part by part; it is there when all of it is.
    async fn write_parts(&self, key: &FileKey, first: Bytes, rest: &mut Parts) -> io::Result<()> {
        let credentials = Some(&self.credentials);
        let begin = self.address.create_multipart_upload(credentials, key.as_str()).sign(VALIDITY);
        let begun = text(self.request(Method::POST, begin, Bytes::new()).await?).await?;
        let upload = CreateMultipartUpload::parse_response(&begun).map_err(io::Error::other)?;
        let upload = upload.upload_id();
        let written = self.send_parts(key, upload, first, rest).await;
        if written.is_err() {
            let abort = self.address.abort_multipart_upload(credentials, key.as_str(), upload).sign(VALIDITY);
            if let Err(error) = self.request(Method::DELETE, abort, Bytes::new()).await {
                tracing::warn!(%error, %key, "parts of a file that was not finished stay in the bucket");
            }
        }
        written
    }

    async fn send_parts(&self, key: &FileKey, upload: &str, first: Bytes, rest: &mut Parts) -> io::Result<()> {
        let credentials = Some(&self.credentials);
        let (mut tags, mut part) = (Vec::new(), first);
        while !part.is_empty() {
            let number = u16::try_from(tags.len() + 1).map_err(|_| io::Error::other("the file has too many parts"))?;
            let url = self.address.upload_part(credentials, key.as_str(), number, upload).sign(VALIDITY);
            let sent = self.request(Method::PUT, url, part).await?;
            let tag = sent.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
            tags.push(tag.ok_or_else(|| io::Error::other("the S3 store names no ETag of a part"))?.to_owned());
            part = rest.next().await?;
        }
        let tags = tags.iter().map(String::as_str);
        let end = self.address.complete_multipart_upload(credentials, key.as_str(), upload, tags);
        let url = end.sign(VALIDITY);
        let answer = text(self.request(Method::POST, url, end.body().into()).await?).await?;
        // The status comes before the end of the work, so a failure is in the body.
        if answer.contains("<Error>") { Err(refused(StatusCode::OK, &answer)) } else { Ok(()) }
    }

    pub(crate) async fn read(&self, key: &FileKey, range: Range<u64>) -> io::Result<Option<ByteStream>> {
        let url = self.address.get_object(Some(&self.credentials), key.as_str()).sign(VALIDITY);
        let mut request = self.client.get(url);
        if !range.is_empty() {
            request = request.header(RANGE, format!("bytes={}-{}", range.start, range.end - 1));
        }
        let response = request.send().await.map_err(io::Error::other)?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let response = check(response).await?;
        if range.is_empty() {
            return Ok(Some(stream::empty().boxed()));
        }
        let pieces = stream::try_unfold(response, |mut response| async {
            let piece = response.chunk().await.map_err(io::Error::other)?;
            Ok(piece.map(|piece| (piece, response)))
        });
        Ok(Some(pieces.boxed()))
    }

    pub(crate) async fn remove(&self, key: &FileKey) -> io::Result<()> {
        let url = self.address.delete_object(Some(&self.credentials), key.as_str()).sign(VALIDITY);
        self.request(Method::DELETE, url, Bytes::new()).await.map(drop)
    }

    pub(crate) async fn older_than(&self, age: Duration) -> io::Result<Vec<FileKey>> {
        let latest = Timestamp::now().checked_sub(age).map_err(io::Error::other)?;
        let (mut old, mut next) = (Vec::new(), None);
        loop {
            let mut list = self.address.list_objects_v2(Some(&self.credentials));
            if let Some(token) = next {
                list.with_continuation_token(token);
            }
            let url = list.sign(VALIDITY);
            let answer = text(self.request(Method::GET, url, Bytes::new()).await?).await?;
            let page = ListObjectsV2::parse_response(&answer).map_err(io::Error::other)?;
            for object in page.contents {
                let is_old = object.last_modified.parse::<Timestamp>().is_ok_and(|written| written <= latest);
                // What is not ours has another kind of name.
                old.extend(FileKey::parse(&object.key).filter(|_| is_old));
            }
            next = page.next_continuation_token;
            if next.is_none() {
                return Ok(old);
            }
        }
    }

    /// Sends a request that may be repeated, until the store accepts or refuses it.
    async fn request(&self, method: Method, url: Url, body: Bytes) -> io::Result<Response> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            match self.client.request(method.clone(), url.clone()).body(body.clone()).send().await {
                Ok(response) if !is_passing(response.status()) => return check(response).await,
                Ok(response) => tracing::warn!(status = %response.status(), "the S3 store is asked again"),
                Err(error) => tracing::warn!(error = %error.without_url(), "the S3 store is asked again"),
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        let last = self.client.request(method, url).body(body).send().await;
        check(last.map_err(|error| io::Error::other(error.without_url()))?).await
    }
}

fn is_passing(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

async fn check(response: Response) -> io::Result<Response> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    Err(refused(status, &text(response).await.unwrap_or_default()))
}

fn refused(status: StatusCode, answer: &str) -> io::Error {
    let told: String = answer.chars().take(TOLD).collect();
    io::Error::other(format!("the S3 store answered {status}: {told}"))
}

async fn text(response: Response) -> io::Result<String> {
    response.text().await.map_err(|error| io::Error::other(error.without_url()))
}

/// Content in parts of `PART` bytes, the last of which is shorter.
struct Parts {
    content: ByteStream,
    hash: Sha256,
    size: u64,
}

impl Parts {
    /// The next part, empty after the last.
    async fn next(&mut self) -> io::Result<Bytes> {
        let mut part = BytesMut::new();
        while part.len() < PART
            && let Some(piece) = self.content.try_next().await?
        {
            part.extend_from_slice(&piece);
        }
        self.hash.update(&part);
        self.size += part.len() as u64;
        Ok(part.freeze())
    }
}
