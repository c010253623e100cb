//! A WebSocket client (RFC 6455) that holds little, so that thousands of them fit beside a server.

use anyhow::{Context, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const TEXT: u8 = 1;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A connection.
pub struct WebSocket {
    stream: TcpStream,
    received: Vec<u8>,
}

impl WebSocket {
    /// Connects to a path of the server at `url`.
    pub async fn open(url: &str, path: &str) -> anyhow::Result<Self> {
        let host = url.strip_prefix("http://").context("the address begins with http://")?;
        let mut stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut socket = Self { stream, received: Vec::new() };
        loop {
            if let Some(end) = socket.received.windows(4).position(|window| window == b"\r\n\r\n") {
                ensure!(socket.received.starts_with(b"HTTP/1.1 101"), "the server did not switch to WebSocket");
                socket.received.drain(..end + 4);
                return Ok(socket);
            }
            socket.read().await?;
        }
    }

    /// Sends a text.
    pub async fn say(&mut self, text: &str) -> anyhow::Result<()> {
        self.frame(TEXT, text.as_bytes()).await
    }

    /// The next text.
    pub async fn next(&mut self) -> anyhow::Result<String> {
        loop {
            let Some((kind, start, end)) = self.whole_frame() else {
                self.read().await?;
                continue;
            };
            let content = self.received[start..end].to_vec();
            self.received.drain(..end);
            match kind {
                TEXT => return Ok(String::from_utf8(content)?),
                PING => self.frame(PONG, &content).await?,
                PONG => {}
                _ => bail!("the server ended the session: {}", String::from_utf8_lossy(&content)),
            }
        }
    }

    /// Kind of the first frame, and where its content begins and ends, if all of it is there.
    fn whole_frame(&self) -> Option<(u8, usize, usize)> {
        let [first, second] = *self.received.first_chunk()?;
        let (start, length) = match second & 127 {
            126 => (4, usize::from(u16::from_be_bytes(*self.received.get(2..)?.first_chunk()?))),
            127 => (10, usize::try_from(u64::from_be_bytes(*self.received.get(2..)?.first_chunk()?)).ok()?),
            short => (2, usize::from(short)),
        };
        let end = start + length;
        (self.received.len() >= end).then_some((first & 15, start, end))
    }

    /// Sends a frame, masked with zeros.
    async fn frame(&mut self, kind: u8, content: &[u8]) -> anyhow::Result<()> {
        let mut frame = vec![0x80 | kind];
        match u16::try_from(content.len()) {
            Ok(length @ 0..126) => frame.push(0x80 | length as u8),
            Ok(length) => {
                frame.push(0x80 | 126);
                frame.extend(length.to_be_bytes());
            }
            Err(_) => bail!("no message of a benchmark is so long"),
        }
        frame.extend([0; 4]);
        frame.extend(content);
        Ok(self.stream.write_all(&frame).await?)
    }

    async fn read(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.received).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}
