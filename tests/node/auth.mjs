// The npm clients with users' tokens. Usage: node auth.mjs URL ISSUER, in the app's folder; the app is that of tests/auth.rs.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const { ConvexClient, ConvexHttpClient } = require("convex/browser");
const { anyApi: api } = require("convex/server");
const [url, issuer] = process.argv.slice(2);

/** A token of a user that lives so many seconds. */
async function token(sub, seconds) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: "chat", sub, iat: now, exp: now + seconds };
  const response = await fetch(`${issuer}/sign`, { method: "POST", body: JSON.stringify({ alg: "RS256", claims }) });
  return response.json();
}

const http = new ConvexHttpClient(url, { logger: false });
http.setAuth(await token("ann", 600));
assert.equal((await http.query(api.who.user, {})).subject, "ann");
http.clearAuth();
assert.equal(await http.query(api.who.user, {}), null);

// A live query follows who the client is.
const client = new ConvexClient(url, { logger: false });
const seen = [];
let wake = () => {};
client.onUpdate(api.who.user, {}, (user) => (seen.push(user?.subject ?? null), wake()));
const until = async (subject) => {
  while (seen.at(-1) !== subject) await new Promise((resolve) => (wake = resolve));
};
await until(null);
client.setAuth(() => token("ann", 600));
await until("ann");
assert.equal((await client.mutation(api.who.change, {})).subject, "ann");

// A token that is refused is asked for again; the second one is good.
let asked = 0;
client.setAuth(async () => (asked++ === 0 ? token("bob", -60) : token("bob", 600)));
await until("bob");
assert.ok(asked >= 2);

client.client.clearAuth?.();
await client.close();
