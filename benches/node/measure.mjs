// Measures one kernel on this Node: node measure.mjs KERNEL.js ROUNDS
// Prints {"checksum", "fresh", "warm"}: milliseconds of the first call in a fresh context (fastest of several contexts),
// and of a call when everything is warm (fastest batch).
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import vm from "node:vm";

const [path, rounds] = process.argv.slice(2);
// In a function of its own, as in a module: bindings at the top level of a vm context are slow properties of its global.
const body = readFileSync(path, "utf8").replace(/^export /gm, "");
const source = `globalThis.kernel = (() => {\n${body}\nreturn kernel;\n})();`;
const script = new vm.Script(source, { filename: path });

function fresh() {
  const context = vm.createContext({});
  script.runInContext(context);
  return context.kernel;
}

async function timed(calls, kernel) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) await kernel();
  return (performance.now() - start) / calls;
}

let firstCall = Infinity;
for (let i = 0; i < 5; i++) firstCall = Math.min(firstCall, await timed(1, fresh()));

const kernel = fresh();
const checksum = String(await kernel());
const once = await timed(3, kernel);
const calls = Math.max(1, Math.ceil(120 / Math.max(once, 0.001)));
let warm = Infinity;
for (let i = 0; i < Number(rounds); i++) warm = Math.min(warm, await timed(Math.min(calls, 100_000), kernel));
console.log(JSON.stringify({ checksum, fresh: firstCall, warm }));
