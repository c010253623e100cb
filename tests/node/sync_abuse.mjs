// Clients that misbehave, beside one that does not and must notice nothing. Usage: node sync_abuse.mjs URL SEED
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { BINARY, CLOSE, PING, TEXT, open } from "./websocket.mjs";

const [url, seed] = process.argv.slice(2);
const PATH = "/api/1.49.0/sync";

/** Mulberry32: small, and the same for the same seed. */
let state = Number(seed);
function random(below) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % below;
}
const pick = (list) => list[random(list.length)];

async function call(kind, path, args) {
  const body = JSON.stringify({ path, args, format: "json" });
  const response = await fetch(`${url}/api/${kind}`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return response.json();
}

const connect = () => ({ type: "Connect", sessionId: randomUUID(), connectionCount: 0, lastCloseReason: "x" });
const SAMPLES = [
  connect,
  () => ({ type: "Authenticate", baseVersion: random(2), tokenType: pick(["None", "User", "Admin", "X"]), value: "a.b.c" }),
  () => ({
    type: "ModifyQuerySet",
    baseVersion: random(2),
    newVersion: random(3),
    modifications: [
      { type: pick(["Add", "Remove"]), queryId: random(3), udfPath: pick(["users:list", "x", "", "a:b:c"]), args: [{}] },
    ],
  }),
  () => ({ type: "Mutation", requestId: random(4), udfPath: "counters:increment", args: [{ name: "fuzz" }] }),
  () => ({ type: "Action", requestId: random(4), udfPath: "none:such", args: [] }),
  () => ({ type: "Event", eventType: "x", event: null }),
];
const VALUES = [null, -1, 1e300, 2 ** 32, "", "\u0000", [], {}, [[[[]]]], true, { $integer: "x" }, "AAAAAAAAAAA="];

/** A message with something wrong in it, or nothing. */
function message() {
  const message = pick(SAMPLES)();
  if (random(2) === 0) message[pick(Object.keys(message))] = pick(VALUES);
  let text = JSON.stringify(message);
  if (random(4) === 0) text = text.slice(0, random(text.length));
  if (random(8) === 0) text = text.replace(/\d/, () => "9".repeat(random(40)));
  if (random(64) === 0) text = "[".repeat(100_000);
  return text;
}

// Sessions of random messages: each one ends, and none takes the server with it.
for (let round = 0; round < 300; round++) {
  const peer = await open(url, PATH);
  if (random(4) > 0) peer.say(connect());
  for (let i = random(6); i >= 0; i--) {
    if (random(10) === 0) peer.frame(pick([TEXT, BINARY, CLOSE, PING, 3, 11]), Buffer.from([random(256), random(256)]));
    else peer.say(message());
  }
  if (random(3) === 0) await peer.vanish();
  else peer.frame(CLOSE, Buffer.from([3, 232])), peer.socket.end(), await peer.end();
}
for (let round = 0; round < 200; round++) {
  const path = pick(["query", "mutation", "action", "function", "query_batch", "query_at_ts", "run/users/list", "import/finish_upload"]);
  const body = message();
  const response = await fetch(`${url}/api/${path}`, { method: "POST", body });
  assert.ok(response.status < 500, `${path} answered ${response.status} to ${body}`);
}

// Connections that open and drop, many at once.
for (let wave = 0; wave < 10; wave++) {
  const peers = await Promise.all(Array.from({ length: 200 }, () => open(url, PATH)));
  for (const peer of peers) peer.say(connect());
  await Promise.all(peers.map((peer) => peer.vanish()));
}

// One that watches much and does not read, while others write: they are not slowed, and it gets the newest in the end.
const ann = (await call("mutation", "users:register", { name: "Ann", email: "ann@example.com" })).value;
await call("mutation", "channels:create", { name: "slow", createdBy: ann });
const slow = await open(url, PATH);
slow.say(connect());
const query = { udfPath: "messages:recent", args: [{ channel: "slow", limit: 1000 }] };
const modifications = Array.from({ length: 6 }, (_, queryId) => ({ type: "Add", queryId, ...query }));
slow.say({ type: "ModifyQuerySet", baseVersion: 0, newVersion: 1, modifications });
slow.pause();
const body = "x".repeat(2_000);
for (let i = 0; i < 300; i++) {
  const { status } = await call("mutation", "messages:send", { channel: "slow", author: ann, body });
  assert.equal(status, "success");
}
slow.resume();
let transitions = 0;
for (let newest = 0; newest < 300; transitions++) {
  const { type, modifications } = await slow.next();
  assert.equal(type, "Transition");
  for (const { value } of modifications) newest = Math.max(newest, value.length);
}
assert.ok(transitions < 300, "a client that did not read was sent everything");
assert.equal((await call("query", "counters:value", { name: "messages" })).value, 300);
console.log("done");
process.exit();
