// Streams of bytes between an action and the backend. Each sends one piece and waits until the other side wants more.
"use strict";
const { COMMAND, REPORT, send } = require("./channel");

/** Bytes of the largest piece. */
const PIECE = 256 << 10;

/** `hold` and `release` keep the event loop alive while something is awaited from the backend. */
function createStreams(generation, hold, release) {
  const { ReadableStream, Uint8Array } = globalThis;
  const readers = new Map();
  const writers = new Map();
  const sending = new Set();
  const watched = new Map();
  let last = 0;

  const settle = (waiting, id, use) => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    release();
    use(entry);
  };

  /** The stream that the backend sends under this name. */
  function receive(id) {
    const pull = (controller) => {
      send(generation, REPORT.PULL, [id]);
      hold();
      return new Promise((resolve) => readers.set(id, { controller, resolve }));
    };
    const cancel = () => {
      settle(readers, id, ({ resolve }) => resolve());
      send(generation, REPORT.CANCEL, [id]);
    };
    return new ReadableStream({ type: "bytes", pull, cancel }, { highWaterMark: 0 });
  }

  /** Calls `ended` at the end of a stream without content. Nobody waits for it: it holds the event loop no longer. */
  function whenEnded(id, ended) {
    watched.set(id, ended);
    send(generation, REPORT.PULL, [id]);
  }

  async function write(id, stream, canceled) {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return send(generation, REPORT.END, [id, ""]);
        if (!(value instanceof Uint8Array)) throw new TypeError("A stream of bytes has pieces that are no Uint8Array.");
        for (let at = 0; at < value.length; at += PIECE) {
          hold();
          const wanted = new Promise((resolve) => writers.set(id, resolve));
          send(generation, REPORT.PIECE, [id, value.subarray(at, at + PIECE)]);
          if (!(await wanted)) {
            canceled();
            return await reader.cancel();
          }
        }
      }
    } catch (error) {
      send(generation, REPORT.END, [id, String(error)]);
    }
  }

  /** Begins to send a stream; the name under which the backend finds it. */
  function start(stream, canceled = () => {}) {
    const id = `w${++last}`;
    const written = write(id, stream, canceled);
    sending.add(written);
    written.then(() => sending.delete(written));
    return id;
  }

  /** Takes a frame that is about a stream. */
  function take(kind, [id, content]) {
    if (kind === COMMAND.PIECE) {
      settle(readers, id, ({ controller, resolve }) => {
        controller.enqueue(new Uint8Array(content));
        resolve();
      });
    } else if (watched.has(id)) {
      watched.get(id)();
    } else if (kind === COMMAND.END) {
      settle(readers, id, ({ controller, resolve }) => {
        if (content !== "") controller.error(new TypeError(content));
        else {
          controller.close();
          controller.byobRequest?.respond(0);
        }
        resolve();
      });
    } else if (kind === COMMAND.PULL) settle(writers, id, (resolve) => resolve(content === ""));
  }

  /** Settles when everything that was to be sent has been. */
  const allSent = () => Promise.all([...sending]);

  return { receive, whenEnded, start, take, allSent };
}

module.exports = { createStreams };
