// Calls the deployed app through the published client, checks every answer, and tells what happened.
// Usage: node demo.mjs URL SITE
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { performance } from "node:perf_hooks";
import { ConvexHttpClient } from "convex/browser";
import { anyApi as api } from "convex/server";

const url = process.argv[2] ?? "http://127.0.0.1:3210";
const site = process.argv[3] ?? "http://127.0.0.1:3211";
const client = new ConvexHttpClient(url, { logger: false });

async function timed(call) {
  const start = performance.now();
  const value = await call();
  return [value, performance.now() - start];
}

const [ann, firstMutation] = await timed(() =>
  client.mutation(api.users.register, { name: " Ann ", email: "Ann@Example.com", color: "#cc3300" }),
);
const bob = await client.mutation(api.users.register, { name: "Bob", email: "bob@example.com" });
const user = await client.query(api.users.get, { id: ann });
assert.equal(user.name, "Ann");
assert.equal(user.email, "ann@example.com");

const general = await client.mutation(api.channels.create, { name: "general", topic: "Everything", createdBy: ann });
await assert.rejects(client.mutation(api.channels.create, { name: "general", createdBy: bob }), /There is a channel/);

for (let i = 0; i < 25; i++) {
  await client.mutation(api.messages.send, {
    channel: "general",
    author: i % 2 === 0 ? ann : bob,
    body: i % 5 === 0 ? `Hello @bob@example.com, this is number ${i}` : `Message ${i}`,
  });
}
const recent = await client.query(api.messages.recent, { channel: "general", limit: 3 });
assert.deepEqual(
  recent.map(({ author, body }) => [author, body]),
  [
    ["Ann", "Message 22"],
    ["Bob", "Message 23"],
    ["Ann", "Message 24"],
  ],
);

const bodies = [];
let cursor = null;
for (;;) {
  const page = await client.query(api.messages.page, { channel: general, paginationOpts: { numItems: 10, cursor } });
  bodies.push(...page.page.map(({ body }) => body));
  if (page.isDone) break;
  cursor = page.continueCursor;
}
assert.equal(bodies.length, 25);
assert.equal(new Set(bodies).size, 25);

await assert.rejects(client.mutation(api.users.register, { name: "", email: "nobody" }), (error) => {
  assert.equal(error.data.code, "InvalidProfile");
  assert.deepEqual(
    error.data.issues.map(({ field }) => field),
    ["name", "email"],
  );
  return true;
});
await assert.rejects(client.query(api.users.get, { id: "no id" }), /ArgumentValidationError/);
await assert.rejects(client.mutation(api.users.remove, { id: bob }), /Could not find public function/);

const results = await Promise.all(Array.from({ length: 50 }, () => client.mutation(api.counters.increment, { name: "clicks" })));
assert.equal(new Set(results).size, 50);
assert.equal(await client.query(api.counters.value, { name: "clicks" }), 50);
assert.equal(await client.mutation(api.counters.reset, { name: "clicks" }), 0);

const statistics = await client.query(api.messages.statistics, { channel: general });
assert.deepEqual(
  statistics.map(({ messages }) => messages).sort((a, b) => a - b),
  [12, 13],
);

// An action reads a page of another server, and its mutation keeps the title.
const page = createServer((_, response) => response.end("<html><title> A page </title></html>"));
await new Promise((listening) => page.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${page.address().port}/`;
assert.equal(await client.action(api.previews.fetchTitle, { url: address }), "A page");
assert.equal(await client.query(api.previews.titleOf, { url: address }), "A page");
await client.action(api.previews.fetchTitle, { url: `${address}soon`, keepFor: 1 });
page.close();

// HTTP actions: a webhook, and a page of text.
const posted = await fetch(`${site}/messages`, {
  method: "POST",
  body: JSON.stringify({ channel: "general", author: bob, body: "From a webhook" }),
});
assert.equal(posted.status, 201);
const text = await (await fetch(`${site}/channels/general`)).text();
assert.match(text, /^Bob: From a webhook$/m);
assert.equal((await fetch(`${site}/nothing`)).status, 404);

// A file is uploaded, shared and downloaded.
const content = "a file of some length";
const uploaded = await fetch(await client.mutation(api.files.uploadUrl, {}), {
  method: "POST",
  headers: { "Content-Type": "text/plain" },
  body: content,
});
const { storageId } = await uploaded.json();
await client.mutation(api.files.share, { file: storageId, name: "notes.txt" });
const [file] = await client.query(api.files.list, {});
assert.deepEqual([file.name, file.size], ["notes.txt", content.length]);
assert.equal(await (await fetch(file.url, { headers: { Range: "bytes=2-5" } })).text(), "file");

// Scheduled functions run once each, and the cron job forgets what is too old, and nothing else.
await client.mutation(api.counters.addLater, { name: "later", times: 20 });
while ((await client.query(api.counters.value, { name: "later" })) < 20);
while ((await client.query(api.previews.titleOf, { url: `${address}soon` })) !== null);
assert.equal(await client.query(api.counters.value, { name: "later" }), 20);
assert.equal(await client.query(api.previews.titleOf, { url: address }), "A page");

const [, firstQuery] = await timed(() => client.query(api.counters.value, { name: "messages" }));
let thousandth = 0;
for (let i = 0; i < 1_000; i++) {
  [, thousandth] = await timed(() => client.query(api.counters.value, { name: "messages" }));
}
const milliseconds = (value) => `${value.toFixed(2)} ms`;
console.log(`All answers were right: ${bodies.length} messages read in pages, 50 conflicting increments counted,`);
console.log("  a page read by an action, a webhook answered, a file uploaded, 20 scheduled functions and a cron job run.");
console.log(`Latency over HTTP, seen by the client: first mutation ${milliseconds(firstMutation)},`);
console.log(`  first query ${milliseconds(firstQuery)}, thousandth ${milliseconds(thousandth)}.`);
