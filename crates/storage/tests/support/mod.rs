//! A small S3 store: objects, uploads in parts and lists, for requests with signed addresses.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use convex_wasm_storage::BucketOptions;
use hmac::{Hmac, Mac};
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

const SECRET: &str = "a secret";
/// Objects in a page of a list.
const PAGE: usize = 2;

#[derive(Default)]
pub struct Store {
    pub objects: BTreeMap<String, Bytes>,
    /// Parts by upload and number.
    pub parts: BTreeMap<(String, u16), Bytes>,
    uploads: u32,
    /// Requests that are answered as if the store were busy.
    pub failures: u32,
}

/// A store that runs, and what is in it.
pub async fn store() -> (BucketOptions, Arc<Mutex<Store>>) {
    let store = Arc::new(Mutex::new(Store::default()));
    let routes = Router::new().route("/bucket", any(answer)).route("/bucket/", any(answer));
    let router =
        routes.route("/bucket/{key}", any(answer)).layer(DefaultBodyLimit::disable()).with_state(store.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let options = BucketOptions {
        name: "bucket".to_owned(),
        region: "us-east-1".to_owned(),
        endpoint: Some(endpoint),
        path_style: true,
        access_key_id: "key".to_owned(),
        secret_access_key: SECRET.to_owned(),
        session_token: None,
    };
    (options, store)
}

async fn answer(
    State(store): State<Arc<Mutex<Store>>>,
    method: Method,
    path: Option<Path<String>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let key = path.map_or_else(String::new, |Path(key)| key);
    let query = query.unwrap_or_default();
    if !is_signed(&method, &key, &query, &headers) {
        return (StatusCode::FORBIDDEN, "<Error><Code>SignatureDoesNotMatch</Code></Error>").into_response();
    }
    let parameters: BTreeMap<_, _> = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let parameter = |name| parameters.get(name).map(|value| percent_decode_str(value).decode_utf8_lossy().into_owned());
    let mut store = store.lock();
    if store.failures > 0 {
        store.failures -= 1;
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    match (method.as_str(), parameter("uploadId")) {
        ("PUT", Some(upload)) => {
            let number: u16 = parameter("partNumber").unwrap().parse().unwrap();
            store.parts.insert((upload, number), body);
            [(header::ETAG, format!("\"{number}\""))].into_response()
        }
        ("POST", Some(upload)) => {
            let parts = std::mem::take(&mut store.parts);
            let (mut whole, mut expected) = (Vec::new(), 1);
            for (_, part) in parts.into_iter().filter(|((of, _), _)| *of == upload) {
                assert!(String::from_utf8_lossy(&body).contains(&format!("<PartNumber>{expected}</PartNumber>")));
                whole.extend_from_slice(&part);
                expected += 1;
            }
            store.objects.insert(key, whole.into());
            "<CompleteMultipartUploadResult/>".into_response()
        }
        ("DELETE", Some(upload)) => {
            store.parts.retain(|(of, _), _| *of != upload);
            StatusCode::NO_CONTENT.into_response()
        }
        ("POST", None) => {
            store.uploads += 1;
            let upload = store.uploads;
            format!("<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>{key}</Key><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>").into_response()
        }
        ("PUT", None) => {
            store.objects.insert(key, body);
            StatusCode::OK.into_response()
        }
        ("DELETE", None) => {
            store.objects.remove(&key);
            StatusCode::NO_CONTENT.into_response()
        }
        ("GET", None) if key.is_empty() => list(&store, parameter("continuation-token")).into_response(),
        ("GET", None) => match store.objects.get(&key) {
            Some(object) => part_of(object, &headers),
            None => (StatusCode::NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>").into_response(),
        },
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn part_of(object: &Bytes, headers: &HeaderMap) -> Response {
    let Some(range) = headers.get(header::RANGE) else { return object.clone().into_response() };
    let (first, last) = range.to_str().unwrap().strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    let end = (last.parse::<usize>().unwrap() + 1).min(object.len());
    (StatusCode::PARTIAL_CONTENT, object.slice(first.parse().unwrap()..end)).into_response()
}

fn list(store: &Store, after: Option<String>) -> String {
    let after = after.unwrap_or_default();
    let mut keys = store.objects.keys().filter(|key| **key > after);
    let mut page = String::new();
    let mut last = String::new();
    for key in keys.by_ref().take(PAGE) {
        page += &format!(
            "<Contents><Key>{key}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><ETag>\"1\"</ETag><Size>1</Size></Contents>"
        );
        last.clone_from(key);
    }
    if keys.next().is_some() {
        page += &format!("<NextContinuationToken>{last}</NextContinuationToken>");
    }
    format!("<ListBucketResult><MaxKeys>{PAGE}</MaxKeys>{page}</ListBucketResult>")
}

/// Checks a signed address, see "Authenticating Requests: Using Query Parameters" of the S3 reference.
fn is_signed(method: &Method, key: &str, query: &str, headers: &HeaderMap) -> bool {
    let Some((_, signature)) = query.split_once("X-Amz-Signature=") else { return false };
    let signature = signature.split('&').next().unwrap_or_default();
    let mut signed: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("X-Amz-Signature=")).collect();
    signed.sort_unstable();
    let value = |name: &str| signed.iter().find_map(|pair| pair.strip_prefix(name)).unwrap_or_default();
    let (time, credential) = (value("X-Amz-Date="), value("X-Amz-Credential=").replace("%2F", "/"));
    let Some(scope) = credential.strip_prefix("key/") else { return false };
    let host = headers.get(header::HOST).unwrap().to_str().unwrap();
    let path = if key.is_empty() { "/bucket/".to_owned() } else { format!("/bucket/{key}") };
    let asked = format!("{method}\n{path}\n{}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD", signed.join("&"));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex::encode(Sha256::digest(asked)));
    let mut secret = format!("AWS4{SECRET}").into_bytes();
    for part in scope.split('/') {
        secret = mac(&secret, part);
    }
    hex::encode(mac(&secret, &text)) == signature
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}
