//! Streams of bytes between an action and its host. Each side sends one piece and waits until the other wants more.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use parking_lot::Mutex;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Bytes that come in pieces.
pub type ByteStream = BoxStream<'static, io::Result<Bytes>>;

/// The streams of one action. Clones are the same.
#[derive(Clone, Default)]
pub struct Streams(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    last: u64,
    /// Streams to the worker.
    outgoing: HashMap<String, ByteStream>,
    /// Where pieces from the worker go.
    senders: HashMap<String, Sender<io::Result<Bytes>>>,
    /// Streams from the worker that nobody has asked for yet.
    receivers: HashMap<String, Receiver<io::Result<Bytes>>>,
}

impl Streams {
    /// Offers a stream to the worker; the name under which it finds it.
    pub fn send(&self, stream: ByteStream) -> String {
        let mut table = self.0.lock();
        table.last += 1;
        let id = format!("h{}", table.last);
        table.outgoing.insert(id.clone(), stream);
        id
    }

    /// The stream that the worker sends under a name. One that is dropped before its end is canceled in the worker.
    pub fn receive(&self, id: &str) -> ByteStream {
        let mut table = self.0.lock();
        // All of it may have arrived already; then its sender is gone.
        if !table.receivers.contains_key(id) {
            table.sender(id);
        }
        match table.receivers.remove(id) {
            Some(receiver) => {
                stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver))).boxed()
            }
            None => {
                let error = io::Error::other(format!("the stream {id} was taken already"));
                stream::once(async { Err(error) }).boxed()
            }
        }
    }

    /// Takes a stream to the worker, to read its next piece.
    pub(crate) fn take_outgoing(&self, id: &str) -> Option<ByteStream> {
        self.0.lock().outgoing.remove(id)
    }

    /// Puts it back.
    pub(crate) fn keep_outgoing(&self, id: String, stream: ByteStream) {
        self.0.lock().outgoing.insert(id, stream);
    }

    /// Where the pieces of a stream from the worker go.
    pub(crate) fn sender(&self, id: &str) -> Sender<io::Result<Bytes>> {
        self.0.lock().sender(id)
    }

    /// Takes it: no more pieces come.
    pub(crate) fn take_sender(&self, id: &str) -> Sender<io::Result<Bytes>> {
        let mut table = self.0.lock();
        let sender = table.sender(id);
        table.senders.remove(id);
        sender
    }

    /// The worker is gone: what it was sending ends with an error.
    pub(crate) fn close(&self) {
        let mut table = self.0.lock();
        for (_, sender) in table.senders.drain() {
            // A reader with a piece waiting meets the end after it, and notices by the length it was told, if any.
            let _ = sender.try_send(Err(io::Error::other("the action ended before its stream did")));
        }
        table.outgoing.clear();
    }
}

impl Table {
    fn sender(&mut self, id: &str) -> Sender<io::Result<Bytes>> {
        if let Some(sender) = self.senders.get(id) {
            return sender.clone();
        }
        let (sender, receiver) = mpsc::channel(1);
        self.senders.insert(id.to_owned(), sender.clone());
        self.receivers.insert(id.to_owned(), receiver);
        sender
    }
}
