//! HTTP/1.1 on one connection that is kept alive: as little as a load generator needs.

use anyhow::{Context, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection.
pub struct Connection {
    stream: TcpStream,
    host: String,
    received: Vec<u8>,
}

impl Connection {
    /// Connects to the server at `url`.
    pub async fn open(url: &str) -> anyhow::Result<Self> {
        let host = url.strip_prefix("http://").context("the address begins with http://")?.to_owned();
        let stream = TcpStream::connect(&host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host, received: Vec::new() })
    }

    /// The bytes of a POST of JSON.
    pub fn request(&self, path: &str, body: &str) -> Vec<u8> {
        let (host, length) = (&self.host, body.len());
        let head = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n");
        format!("{head}Content-Length: {length}\r\n\r\n{body}").into_bytes()
    }

    /// Sends a request and reads the body of the answer, which must be 200.
    pub async fn send(&mut self, request: &[u8]) -> anyhow::Result<Vec<u8>> {
        self.stream.write_all(request).await?;
        self.received.clear();
        let head = loop {
            if let Some(end) = find(&self.received, b"\r\n\r\n") {
                break end + 4;
            }
            self.read().await?;
        };
        let text = std::str::from_utf8(&self.received[..head])?.to_ascii_lowercase();
        let (_, after) = text.split_once("content-length:").context("the answer has no length")?;
        let length: usize = after.split("\r\n").next().unwrap_or_default().trim().parse()?;
        while self.received.len() < head + length {
            self.read().await?;
        }
        let body = self.received[head..].to_vec();
        ensure!(text.starts_with("http/1.1 200"), "{text}{}", String::from_utf8_lossy(&body));
        Ok(body)
    }

    async fn read(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.received).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
