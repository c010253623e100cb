// Two clients of the npm package, as two browser windows, against one server. Usage: node clients.mjs URL, in the app's folder.
// It writes `restart` when it wants the server killed and started again, and goes on when it reads a line.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { createInterface } from "node:readline/promises";

const require = createRequire(`${process.cwd()}/`);
const { ConvexClient } = require("convex/browser");
const { anyApi: api } = require("convex/server");

const [writer, reader] = [1, 2].map(() => new ConvexClient(process.argv[2], { logger: false }));

/** Everything a subscription delivers, and a way to wait for it. */
function watch(query, args) {
  const seen = { updates: [], errors: [] };
  let wake = () => {};
  seen.stop = reader.onUpdate(
    query,
    args,
    (value) => (seen.updates.push(value), wake()),
    (error) => (seen.errors.push(error), wake()),
  );
  seen.until = async (condition) => {
    while (!condition(seen)) await new Promise((resolve) => (wake = resolve));
    return seen.updates.at(-1);
  };
  return seen;
}

const ann = await writer.mutation(api.users.register, { name: "Ann", email: "ann@example.com" });
await writer.mutation(api.channels.create, { name: "general", createdBy: ann });

// What one writes, the other sees.
const messages = watch(api.messages.recent, { channel: "general", limit: 100 });
assert.deepEqual(await messages.until((seen) => seen.updates.length > 0), []);
await writer.mutation(api.messages.send, { channel: "general", author: ann, body: "hello" });
const [hello] = await messages.until((seen) => seen.updates.at(-1).length === 1);
assert.equal(hello.body, "hello");

// Mutations of one client run in order, and none is lost or doubled.
const bodies = Array.from({ length: 30 }, (_, i) => `message ${i}`);
await Promise.all(bodies.map((body) => writer.mutation(api.messages.send, { channel: "general", author: ann, body })));
const all = await messages.until((seen) => seen.updates.at(-1).length === 31);
assert.deepEqual(all.map((message) => message.body), ["hello", ...bodies]);

// A query that nothing touched is not delivered again; one that throws tells why, and recovers.
const quiet = watch(api.users.get, { id: ann });
assert.equal((await quiet.until((seen) => seen.updates.length > 0))._id, ann);
const failing = watch(api.messages.recent, { channel: "later", limit: 5 });
await failing.until((seen) => seen.errors.length + seen.updates.length > 0);
await assert.rejects(writer.mutation(api.messages.send, { channel: "general", author: ann, body: "x".repeat(2001) }));
await writer.mutation(api.channels.create, { name: "later", createdBy: ann });
assert.deepEqual(await failing.until((seen) => seen.updates.length > 0), []);
assert.equal(quiet.updates.length, 1);

// The server dies while a mutation is on its way: it happens once, and what was watched goes on.
const count = watch(api.counters.value, { name: "n" });
await count.until((seen) => seen.updates.length > 0);
for (let i = 1; i <= 5; i++) await writer.mutation(api.counters.increment, { name: "n" });
const lines = createInterface({ input: process.stdin });
const pending = [1, 2, 3].map(() => writer.mutation(api.counters.increment, { name: "n" }));
console.log("restart");
await new Promise((resolve) => lines.once("line", resolve));
await Promise.all(pending);
await count.until((seen) => seen.updates.at(-1) >= 8);
assert.equal(count.updates.at(-1), 8);
assert.deepEqual(count.updates, [...count.updates].sort((a, b) => a - b));
assert.ok(quiet.updates.length <= 2, "an unchanged result was delivered again and again");

// What is watched no more is not delivered.
messages.stop();
const delivered = messages.updates.length;
await writer.mutation(api.messages.send, { channel: "general", author: ann, body: "unseen" });
await writer.mutation(api.counters.increment, { name: "n" });
await count.until((seen) => seen.updates.at(-1) >= 9);
assert.equal(messages.updates.length, delivered);

await Promise.all([writer.close(), reader.close()]);
lines.close();
console.log("done");
