// `Convex.jsSyscall` in actions: operations on objects that are no JSON.
"use strict";
const { Blob } = require("node:buffer");

/** Those of HTTP actions, by name; `streams` carries bytes. */
function httpCalls(streams) {
  const { AbortController, Request, Response } = globalThis;
  const aborting = new AbortController();
  return {
    requestFromConvexJson: ({ convexJson: { url, method, headerPairs, streamId, signal } }) => {
      const body = streamId === null ? undefined : streams.receive(streamId);
      streams.whenEnded(signal, () => aborting.abort());
      return new Request(url, { method, headers: headerPairs, body, duplex: "half", signal: aborting.signal });
    },
    convexJsonFromResponse: ({ response }) => {
      if (!(response instanceof Response)) throw new TypeError("An HTTP action must return a Response.");
      const { status, headers, body, url } = response;
      const streamId = body === null ? null : streams.start(body, () => aborting.abort());
      return { status, headerPairs: [...headers], streamId, url };
    },
  };
}

/** Those of files, by name; `operate` asks the backend. They make do without `Response`: `fetch` and its classes load slowly. */
function storageCalls(operate, streams) {
  return {
    "storage/storeBlob": async ({ blob, options }) => {
      const streamId = streams.start(blob.stream());
      const argument = { streamId, contentType: blob.type, sha256: options?.sha256 };
      return JSON.parse(await operate("storage/store", JSON.stringify(argument)));
    },
    "storage/getBlob": async ({ storageId }) => {
      const found = JSON.parse(await operate("storage/get", JSON.stringify({ storageId })));
      if (found === null) return null;
      const pieces = [];
      for await (const piece of streams.receive(found.streamId)) pieces.push(piece);
      return new Blob(pieces, { type: found.contentType ?? "" });
    },
  };
}

module.exports = { httpCalls, storageCalls };
