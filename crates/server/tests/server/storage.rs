//! Files: uploads, downloads, and what functions do with them.

use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{App, Server};

const APP: &str = r#"
import { query, mutation, action, call, all } from "./_deps/lib.js";

export const uploadUrl = mutation({ handler: () => call("1.0/storageGenerateUploadUrl", {}) });
export const url = query({ handler: ({ storageId }) => call("1.0/storageGetUrl", { storageId }) });
export const metadata = query({ handler: ({ storageId }) => call("1.0/storageGetMetadata", { storageId }) });
export const rows = query({ handler: () => all("_storage") });
export const remove = mutation({ handler: ({ storageId }) => call("1.0/storageDelete", { storageId }) });
export const keep = mutation({
  handler: async ({ blob, fail }) => {
    const id = await call("1.0/storageStore", { blob, contentType: "text/plain" });
    if (fail) throw new Error("undone");
    return [id, await call("1.0/storageGet", { storageId: id })];
  },
});
export const copy = action({
  handler: async ({ storageId }) => {
    const blob = await Convex.jsSyscall("storage/getBlob", { storageId });
    const text = await blob.text();
    const copied = await Convex.jsSyscall("storage/storeBlob", { blob: new Blob([text, text], { type: "text/copy" }) });
    return [blob.type, await call("1.0/storageGetUrl", { storageId: copied })];
  },
});
export const removeInAction = action({ handler: ({ storageId }) => call("1.0/storageDelete", { storageId }) });
"#;

const SHA256_OF_TEXT: &str = "mC2ePrmW9VnmM/TRlN7zdh2Qn1o7ZH0ahR/q1nwyydE=";

async fn server() -> Server {
    let server = Server::start_with_v8().await;
    server.deploy(App::new().module("app.js", APP)).await;
    server
}

impl Server {
    async fn upload(&self, content: &'static str, digest: Option<&str>) -> (u16, Value) {
        let url = self.mutation("app:uploadUrl", json!({})).await["value"].as_str().unwrap().to_owned();
        let mut request = Client::new().post(url).header("content-type", "text/plain").body(content);
        if let Some(digest) = digest {
            request = request.header("digest", digest);
        }
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    async fn url_of(&self, id: &Value) -> String {
        self.query("app:url", json!({ "storageId": id })).await["value"].as_str().unwrap().to_owned()
    }
}

async fn get(url: &str, range: Option<&str>) -> (u16, Option<String>, String) {
    let mut request = Client::new().get(url);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    let response = request.send().await.unwrap();
    let range = response.headers().get("content-range").map(|value| value.to_str().unwrap().to_owned());
    (response.status().as_u16(), range, response.text().await.unwrap())
}

#[tokio::test]
async fn an_uploaded_file_can_be_downloaded_and_described() {
    let server = server().await;
    let (status, body) = server.upload("text", Some(&format!("sha-256={SHA256_OF_TEXT}"))).await;
    assert_eq!(status, 200, "{body}");
    let id = &body["storageId"];
    let url = server.url_of(id).await;
    let response = reqwest::get(&url).await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/plain");
    assert_eq!(header("digest"), format!("sha-256={SHA256_OF_TEXT}"));
    assert_eq!((header("content-length"), header("accept-ranges")), ("4".to_owned(), "bytes".to_owned()));
    assert_eq!(response.text().await.unwrap(), "text");

    let metadata = server.query("app:metadata", json!({ "storageId": id })).await["value"].clone();
    let hex = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1";
    assert_eq!((&metadata["sha256"], &metadata["size"]), (&json!(hex), &json!(4.0)), "{metadata}");
    let rows = server.query("app:rows", json!({})).await["value"].clone();
    assert_eq!(rows[0]["_id"], *id);
    assert_eq!((&rows[0]["sha256"], &rows[0]["contentType"]), (&json!(SHA256_OF_TEXT), &json!("text/plain")));
    assert_eq!(rows[0].as_object().unwrap().len(), 5, "{rows}");

    let server = server.restart().await;
    assert_eq!(server.query("app:metadata", json!({ "storageId": id })).await["value"]["size"], json!(4.0));
}

#[tokio::test]
async fn uploads_without_a_right_to_or_with_another_content_are_refused() {
    let server = server().await;
    let refused = server.post("/api/storage/upload?token=1.00", "x").send().await.unwrap();
    assert_eq!(refused.status().as_u16(), 401);
    assert_eq!(refused.json::<Value>().await.unwrap()["code"], "StorageTokenInvalid");
    let (status, body) = server.upload("other", Some(&format!("sha-256={SHA256_OF_TEXT}"))).await;
    assert_eq!((status, &body["code"]), (400, &json!("Sha256Mismatch")));
    assert_eq!(server.query("app:rows", json!({})).await["value"], json!([]));
    for (path, status, code) in [
        ("/api/storage/nothing", 400, "InvalidStoragePath"),
        ("/api/storage/01234567-89ab-4cde-8f01-23456789abcd", 404, "FileNotFound"),
    ] {
        let response = server.get(path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.json::<Value>().await.unwrap()["code"], code);
    }
}

#[tokio::test]
async fn a_range_of_a_file_can_be_downloaded() {
    let server = server().await;
    let (_, body) = server.upload("0123456789", None).await;
    let url = server.url_of(&body["storageId"]).await;
    let partial = |range: &str, text: &str| (206, Some(format!("bytes {range}/10")), text.to_owned());
    assert_eq!(get(&url, Some("bytes=2-4")).await, partial("2-4", "234"));
    assert_eq!(get(&url, Some("bytes=7-")).await, partial("7-9", "789"));
    assert_eq!(get(&url, Some("bytes=-3")).await, partial("7-9", "789"));
    assert_eq!(get(&url, Some("bytes=5-99")).await, partial("5-9", "56789"));
    assert_eq!(get(&url, Some("bytes=10-")).await.0, 416);
    assert_eq!(get(&url, Some("bytes=0-1,3-4")).await.0, 416);
    assert_eq!(get(&url, Some("bytes=4-2")).await, (200, None, "0123456789".to_owned()));
    let (_, empty) = server.upload("", None).await;
    assert_eq!(get(&server.url_of(&empty["storageId"]).await, Some("bytes=0-1")).await, (200, None, String::new()));
}

#[tokio::test]
async fn functions_store_read_and_delete_files() {
    let server = server().await;
    let kept = server.mutation("app:keep", json!({ "blob": "dGV4dA==", "fail": false })).await["value"].clone();
    assert_eq!(kept[1], json!({ "blob": "dGV4dA==", "contentType": "text/plain" }));
    server.mutation("app:keep", json!({ "blob": "dGV4dA==", "fail": true })).await;
    assert_eq!(server.query("app:rows", json!({})).await["value"].as_array().unwrap().len(), 1);

    let copied = server.call("action", "app:copy", json!({ "storageId": kept[0] })).await;
    assert_eq!(copied["value"][0], "text/plain", "{copied}");
    assert_eq!(get(copied["value"][1].as_str().unwrap(), None).await.2, "texttext");

    let url = server.url_of(&kept[0]).await;
    let key = url.rsplit_once('/').unwrap().1;
    assert_eq!(server.query("app:url", json!({ "storageId": key })).await["value"], url.as_str());
    let remove = json!({ "storageId": kept[0] });
    assert_eq!(server.mutation("app:remove", remove.clone()).await["status"], "success");
    assert_eq!(get(&url, None).await.0, 404);
    assert_eq!(server.query("app:url", remove.clone()).await["value"], Value::Null);
    for answer in
        [server.mutation("app:remove", remove.clone()).await, server.call("action", "app:removeInAction", remove).await]
    {
        let expected = format!("storage id {} not found", kept[0].as_str().unwrap());
        assert!(answer["errorMessage"].as_str().unwrap().contains(&expected), "{answer}");
    }
    let wrong = server.mutation("app:remove", json!({ "storageId": "x" })).await;
    assert!(
        wrong["errorMessage"].as_str().unwrap().contains("Invalid argument `storageId` for `storage.delete`"),
        "{wrong}"
    );
}
