// Checks the sync protocol message by message. Usage: node sync_peer.mjs URL ADMIN_KEY; the example is deployed at URL.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { BINARY, open } from "./websocket.mjs";

const [url, key] = process.argv.slice(2);
const NOTHING = { querySet: 0, identity: 0, ts: "AAAAAAAAAAA=" };
const ts = (text) => Buffer.from(text, "base64").readBigUInt64LE();

async function connected(sessionId = randomUUID(), more = {}) {
  const peer = await open(url, "/api/1.49.0/sync");
  peer.say({ type: "Connect", sessionId, connectionCount: 0, lastCloseReason: "InitialConnect", clientTs: 1, ...more });
  return peer;
}

/** A transition, which must begin where the last one ended. */
async function transition(peer) {
  const message = await peer.next();
  assert.equal(message?.type, "Transition", JSON.stringify(message));
  assert.deepEqual(message.startVersion, peer.version ?? NOTHING);
  assert.ok(ts(message.endVersion.ts) >= ts(message.startVersion.ts));
  peer.version = message.endVersion;
  return message.modifications;
}

/** A mutation's answer, and what transitions told up to the one behind it that is as new as it. */
async function mutate(peer, requestId, udfPath, args) {
  peer.say({ type: "Mutation", requestId, udfPath, args: [args] });
  return answered(peer, requestId);
}

async function answered(peer, requestId) {
  const modifications = [];
  let response;
  while ((response = await peer.next()).type === "Transition") {
    peer.messages.unshift(response);
    modifications.push(...(await transition(peer)));
  }
  assert.equal(response.type, "MutationResponse", JSON.stringify(response));
  assert.equal(response.requestId, requestId);
  if (response.success || response.errorData !== undefined) {
    do modifications.push(...(await transition(peer)));
    while (ts(peer.version.ts) < ts(response.ts ?? NOTHING.ts));
  }
  return { ...response, modifications };
}

const modify = (peer, baseVersion, modifications) =>
  peer.say({ type: "ModifyQuerySet", baseVersion, newVersion: baseVersion + 1, modifications });
const add = (queryId, udfPath, args, more = {}) => ({ type: "Add", queryId, udfPath, args: [args], ...more });

/** What a peer is told last when it makes a mistake. */
async function fatal(peer, pattern) {
  const said = await peer.end();
  const error = said.find(({ type }) => type === "FatalError");
  assert.match(error?.error ?? JSON.stringify(said), pattern);
}

// A transition is owed for each change of the query set, even if nothing is in it.
const session = randomUUID();
const peer = await connected(session);
modify(peer, 0, [add(0, "counters:value", { name: "n" })]);
assert.deepEqual(await transition(peer), [{ type: "QueryUpdated", queryId: 0, value: 0, logLines: [], journal: null }]);
assert.deepEqual({ ...peer.version, ts: 0 }, { querySet: 1, identity: 0, ts: 0 });
modify(peer, 1, []);
assert.deepEqual(await transition(peer), []);
assert.equal(peer.version.querySet, 2);

// A mutation is answered before the transition that shows it; a transition follows even if no query changed.
const first = await mutate(peer, 0, "counters:increment", { name: "n" });
assert.deepEqual(first.modifications.map(({ value }) => value), [1]);
const quiet = await mutate(peer, 1, "counters:increment", { name: "unwatched" });
assert.ok(quiet.success && quiet.modifications.length === 0);

// Mutations run in order, and one that fails changes nothing. An error with data is followed by a transition, for which
// clients in Rust and Python wait.
for (let requestId = 2; requestId < 6; requestId++) {
  peer.say({ type: "Mutation", requestId, udfPath: "counters:increment", args: [{ name: "n" }] });
}
const answers = [];
let reflected = false;
while (answers.length < 4 || !reflected) {
  const message = await peer.next();
  if (message.type === "MutationResponse") {
    answers.push(message);
  } else {
    peer.messages.unshift(message);
    await transition(peer);
    reflected = answers.length === 4 && ts(peer.version.ts) >= ts(answers[3].ts);
  }
}
assert.deepEqual(answers.map(({ requestId }) => requestId), [2, 3, 4, 5]);
const failed = await mutate(peer, 6, "users:register", { name: "", email: "" });
assert.ok(!failed.success && failed.errorData.code === "InvalidProfile" && failed.ts === undefined);

// A query that throws says why, and recovers; one that is removed and added again is told again.
modify(peer, 2, [add(1, "messages:recent", { channel: "later" }), { type: "Remove", queryId: 0 }]);
const changes = await transition(peer);
assert.deepEqual(changes.map(({ type, queryId }) => [type, queryId]).sort(), [["QueryFailed", 1], ["QueryRemoved", 0]]);
assert.equal(changes.find(({ type }) => type === "QueryFailed").errorData.code, "NotFound");
const { result: ann } = await mutate(peer, 7, "users:register", { name: "Ann", email: "ann@example.com" });
const { modifications } = await mutate(peer, 8, "channels:create", { name: "later", createdBy: ann });
assert.deepEqual(modifications.map(({ type, value }) => [type, value]), [["QueryUpdated", []]]);
modify(peer, 3, [add(0, "counters:value", { name: "n" })]);
assert.deepEqual((await transition(peer)).map(({ value }) => value), [5]);

// The page of a query is fixed by its journal, which is echoed and taken back.
const { result: channel } = await mutate(peer, 9, "channels:create", { name: "paged", createdBy: ann });
const page = { channel, paginationOpts: { numItems: 2, cursor: null, id: 1 } };
for (let i = 0; i < 3; i++) await mutate(peer, 10 + i, "messages:send", { channel: "paged", author: ann, body: `${i}` });
modify(peer, 4, [add(2, "messages:page", page)]);
const [paged] = await transition(peer);
assert.equal(paged.value.page.length, 2);
assert.equal(typeof paged.journal, "string");
await mutate(peer, 13, "messages:send", { channel: "paged", author: ann, body: "3" });

// A session that comes back: state from nothing, what it sends again happens once, the page is as long as it was.
await peer.vanish();
const again = await connected(session, { maxObservedTimestamp: peer.version.ts });
modify(again, 0, [add(2, "messages:page", page, { journal: paged.journal })]);
const [resumed] = await transition(again);
assert.equal(resumed.value.page.length, 3);
assert.equal(resumed.journal, paged.journal);
const repeated = await mutate(again, 0, "counters:increment", { name: "n" });
assert.equal(repeated.result, first.result);
modify(again, 1, [add(3, "counters:value", { name: "n" })]);
assert.deepEqual((await transition(again)).map(({ value }) => value), [5]);

// Identities have versions, too. Internal functions look as if they did not exist until an admin asks.
const missing = await mutate(again, 20, "users:remove", { id: ann });
assert.match(missing.result, /Could not find public function/);
again.say({ type: "Authenticate", baseVersion: 0, tokenType: "Admin", value: key });
await transition(again);
assert.equal(again.version.identity, 1);
assert.ok((await mutate(again, 21, "users:remove", { id: ann })).success);
again.say({ type: "Authenticate", baseVersion: 1, tokenType: "None" });
await transition(again);
assert.equal(again.version.identity, 2);
again.say({ type: "Authenticate", baseVersion: 2, tokenType: "Admin", value: "wrong|00" });
const [refused] = await again.end();
assert.deepEqual([refused.type, refused.baseVersion, refused.authUpdateAttempted], ["AuthError", 2, true]);

// Mistakes end the connection with a reason.
const mistakes = [
  [/BaseVersionMismatch/, (peer) => modify(peer, 1, [])],
  [/BaseVersionMismatch/, (peer) => peer.say({ type: "Authenticate", baseVersion: 3, tokenType: "None" })],
  [/not valid/, (peer) => peer.say("{")],
  [/not valid/, (peer) => peer.say({ type: "Unheard" })],
  [/text frames/, (peer) => peer.frame(BINARY, Buffer.from("{}"))],
  [/twice/, (peer) => peer.say({ type: "Connect", sessionId: randomUUID(), connectionCount: 1, lastCloseReason: "" })],
  [/not in the query set/, (peer) => modify(peer, 0, [{ type: "Remove", queryId: 7 }])],
  [/already/, (peer) => modify(peer, 0, [add(1, "users:list", {}), add(1, "users:list", {})])],
  [/component/, (peer) => modify(peer, 0, [add(1, "users:list", {}, { componentPath: "child" })])],
];
for (const [pattern, make] of mistakes) {
  const wrong = await connected();
  make(wrong);
  await fatal(wrong, pattern);
}
const early = await open(url, "/api/1.49.0/sync");
early.say({ type: "Mutation", requestId: 0, udfPath: "counters:increment", args: [{ name: "n" }] });
await fatal(early, /Connect/);

// A client that has seen more than there is: this is not the database that it knows.
const future = await connected(randomUUID(), { maxObservedTimestamp: "/////////38=" });
assert.deepEqual(await future.end(), [{ closed: 1011, reason: "InternalServerError" }]);
console.log("done");
process.exit();
