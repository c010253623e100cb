// `Convex.jsSyscall` in actions: operations on objects that are no JSON.
"use strict";

/** By name; `operate` asks the backend, `streams` carries bytes. */
function objectCalls(operate, streams) {
  const { AbortController, Blob, Request, Response } = globalThis;
  const aborting = new AbortController();
  return {
    requestFromConvexJson: ({ convexJson: { url, method, headerPairs, streamId } }) => {
      const body = streamId === null ? undefined : streams.receive(streamId);
      return new Request(url, { method, headers: headerPairs, body, duplex: "half", signal: aborting.signal });
    },
    convexJsonFromResponse: ({ response }) => {
      if (!(response instanceof Response)) throw new TypeError("An HTTP action must return a Response.");
      const { status, headers, body, url } = response;
      const streamId = body === null ? null : streams.start(body, () => aborting.abort());
      return { status, headerPairs: [...headers], streamId, url };
    },
    "storage/storeBlob": async ({ blob, options }) => {
      const streamId = streams.start(blob.stream());
      const argument = { streamId, contentType: blob.type, sha256: options?.sha256 };
      return JSON.parse(await operate("storage/store", JSON.stringify(argument)));
    },
    "storage/getBlob": async ({ storageId }) => {
      const found = JSON.parse(await operate("storage/get", JSON.stringify({ storageId })));
      if (found === null) return null;
      const bytes = await new Response(streams.receive(found.streamId)).blob();
      return new Blob([bytes], { type: found.contentType ?? "" });
    },
  };
}

module.exports = { objectCalls };
