// Two browser windows on the example's page. Usage: node two_windows.mjs URL CHROMIUM; the example is deployed at URL.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [url, chromium] = process.argv.slice(2);
const root = resolve(import.meta.dirname, "../../examples/chat/web");
const require = createRequire(`${root}/`);
const { build, preview } = await import(pathToFileURL(require.resolve("vite")));

process.env.VITE_CONVEX_URL = url;
const outDir = mkdtempSync(join(tmpdir(), "chat-web-"));
await build({ root, logLevel: "error", build: { outDir, emptyOutDir: true } });
const page = await preview({ root, build: { outDir }, preview: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
const address = page.resolvedUrls.local[0];
const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"], protocolTimeout: 60_000 });

/** A window of somebody's own, signed in. */
async function open(name) {
  const window = await (await browser.createBrowserContext()).newPage();
  window.on("pageerror", (error) => assert.fail(`${name}'s page: ${error}`));
  await window.goto(address);
  await window.type("input[name=name]", name);
  await window.type("input[name=email]", `${name.toLowerCase()}@example.com`);
  await window.click("button");
  await window.waitForSelector("nav");
  return window;
}

/** Types into a field and presses Enter. */
async function enter(window, field, text) {
  await (await window.waitForSelector(`input[name=${field}]`)).type(`${text}\n`);
}

/** Waits until a message is shown that the server has. */
const shown = (window, text) => window.waitForFunction(
  (text) => [...document.querySelectorAll("li:not(.sending) span")].some((span) => span.textContent === text),
  {},
  text,
);
const count = (window) => window.$$eval("li", (messages) => messages.length);

try {
  const ann = await open("Ann");
  const bob = await open("Bob");
  await enter(ann, "channel", "general");
  await Promise.all([ann, bob].map((window) => window.waitForSelector("input[name=body]")));

  // What one writes appears in the other's window, and in one's own before the server has it.
  await ann.evaluate(() => {
    window.early = [];
    new MutationObserver(() =>
      window.early.push(...[...document.querySelectorAll("li.sending span")].map((span) => span.textContent)),
    ).observe(document.body, { childList: true, subtree: true });
  });
  await enter(ann, "body", "Hello Bob");
  await Promise.all([shown(ann, "Hello Bob"), shown(bob, "Hello Bob")]);
  assert.ok((await ann.evaluate(() => window.early)).includes("Hello Bob"), "the message was not shown early");
  assert.equal(await count(ann), 1, "the early message was not replaced by the real one");
  await enter(bob, "body", "Hello Ann");
  await Promise.all([shown(ann, "Hello Ann"), shown(bob, "Hello Ann")]);

  // Pages: more messages than one page are there when they are asked for, and the list stays whole while it grows.
  for (let i = 0; i < 28; i++) await enter(bob, "body", `Number ${i}`);
  await shown(ann, "Number 27");
  const late = await open("Cy");
  await shown(late, "Number 27");
  assert.equal(await count(late), 20);
  await late.click("section > button");
  await shown(late, "Hello Bob");
  assert.equal(await count(late), 30);
  await enter(ann, "body", "The last one");
  await shown(late, "The last one");
  assert.equal(await count(late), 31);
  console.log("done");
} finally {
  await browser.close();
  await page.close();
  rmSync(outDir, { recursive: true });
}
process.exit();
