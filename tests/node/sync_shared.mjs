// Many clients that watch the same are served by few executions. Usage: node sync_shared.mjs URL ADMIN_KEY
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { open } from "./websocket.mjs";

const [url, key] = process.argv.slice(2);
const CLIENTS = 100;
const headers = { authorization: `Convex ${key}`, "convex-client": "npm-cli-1.49.0" };

/** How often the watched query ran. */
async function executions() {
  const response = await fetch(`${url}/api/stream_function_logs?cursor=1`, { headers });
  const { entries } = await response.json();
  return entries.filter(({ identifier, cachedResult }) => /^counters.*value$/.test(identifier) && !cachedResult).length;
}

/** Waits until a client is told a value. */
async function told(peer, value) {
  for (;;) {
    const message = await peer.next();
    assert.equal(message?.type, "Transition", JSON.stringify(message));
    if (message.modifications.some((modification) => modification.value === value)) return;
  }
}

const peers = await Promise.all(Array.from({ length: CLIENTS }, () => open(url, "/api/1.49.0/sync")));
for (const peer of peers) {
  peer.say({ type: "Connect", sessionId: randomUUID(), connectionCount: 0, lastCloseReason: "InitialConnect" });
  const query = { type: "Add", queryId: 0, udfPath: "counters:value", args: [{ name: "shared" }] };
  peer.say({ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications: [query] });
}
await Promise.all(peers.map((peer) => told(peer, 0)));
for (let value = 1; value <= 3; value++) {
  const body = JSON.stringify({ path: "counters:increment", args: { name: "shared" } });
  await fetch(`${url}/api/mutation`, { method: "POST", headers: { "content-type": "application/json" }, body });
  await Promise.all(peers.map((peer) => told(peer, value)));
}
// Four values, each asked for by all clients at once. A client may ask for a snapshot that the others have left behind.
const ran = await executions();
assert.ok(ran >= 4 && ran < 40, `${ran} executions for ${4 * CLIENTS} results`);
console.log("done");
process.exit();
