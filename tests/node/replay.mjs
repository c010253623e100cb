// Runs recorded executions on V8, with the recorded answers to every question, and tells what came out differently.
// Usage: node --experimental-vm-modules replay.mjs < {"modules":[{path,source}],"executions":[…]}; prints a JSON array.
import { readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import vm from "node:vm";
import { randomNumbers } from "./chacha.mjs";

const { modules, executions } = JSON.parse(readFileSync(0, "utf8"));
const sources = new Map(modules.map(({ path, source }) => [path, source]));

/** Answers questions from the recording; a question that was not asked there is a difference. */
class Host {
  constructor(operations) {
    this.queues = new Map();
    for (const operation of operations) {
      const queue = this.queues.get(operation.kind) ?? [];
      queue.push(operation);
      this.queues.set(operation.kind, queue);
    }
    this.pending = [];
    this.differences = [];
  }

  ask(kind, name, argument) {
    const recorded = this.queues.get(kind)?.shift();
    if (recorded === undefined || recorded.name !== name || recorded.argument !== argument) {
      this.differences.push({ what: "operation", v8: { kind, name, argument }, wasm: recorded ?? null });
      throw new Error("the executions differ");
    }
    const { value, error } = recorded.answer;
    if (error !== undefined) {
      throw Object.assign(new Error(error.message), error.data === undefined ? {} : { data: JSON.parse(error.data) });
    }
    return value;
  }

  askLater(name, argument) {
    return new Promise((resolve, reject) => this.pending.push({ name, argument, resolve, reject }));
  }

  /** Answers batch after batch, each answer after everything the last one led to, until `settled` says stop. */
  async answer(settled) {
    while (await turn(), !settled()) {
      const batch = this.pending.splice(0);
      if (batch.length === 0) return;
      for (const { name, argument, resolve, reject } of batch) {
        try {
          resolve(this.ask("asyncSyscall", name, argument));
        } catch (error) {
          reject(error);
        }
        await turn();
      }
    }
  }

  unasked() {
    return [...this.queues.values()].flat();
  }
}

function contextFor(execution, host, lines) {
  const log = (level) => (...values) => lines.push({ level, message: values.map((value) => inspect(value)).join(" ") });
  const context = vm.createContext({
    console: { debug: log("debug"), log: log("log"), info: log("info"), warn: log("warn"), error: log("error") },
    Convex: {
      syscall: (name, argument) => host.ask("syscall", name, argument),
      asyncSyscall: (name, argument) => host.askLater(name, argument),
    },
    process: { env: new Proxy({}, { get: (_, name) => host.ask("environment", name, "") ?? undefined }) },
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
    structuredClone,
    now: execution.timeMs,
    random: randomNumbers(Buffer.from(execution.seed, "hex")),
  });
  vm.runInContext(
    `{
      const fixed = Math.floor(now), System = Date, next = random;
      delete globalThis.now; delete globalThis.random;
      globalThis.Date = class Date extends System {
        constructor(...values) { if (values.length === 0) super(fixed); else super(...values); }
        static now() { return fixed; }
      };
      Math.random = () => next();
    }`,
    context,
  );
  return context;
}

async function load(path, context) {
  const loaded = new Map();
  const get = (target) => {
    if (!loaded.has(target)) {
      loaded.set(target, new vm.SourceTextModule(sources.get(target), { context, identifier: target }));
    }
    return loaded.get(target);
  };
  const entry = get(path);
  await entry.link((specifier, referrer) => get(new URL(specifier, `file:///${referrer.identifier}`).pathname.slice(1)));
  await entry.evaluate();
  return entry.namespace;
}

async function replay(execution) {
  const host = new Host(execution.operations);
  const lines = [];
  const context = contextFor(execution, host, lines);
  const [path, name = "default"] = execution.function.split(":");
  const file = path.endsWith(".js") ? path : `${path}.js`;
  const registered = (await load(file, context))[name];
  lines.length = 0;
  let outcome;
  registered[execution.method](execution.arguments).then(
    (value) => (outcome = { value }),
    (error) => (outcome = { thrown: { text: String(error), data: typeof error?.data === "string" ? error.data : null } }),
  );
  await host.answer(() => outcome !== undefined);
  const differences = host.differences;
  const compare = (what, v8, wasm) => isDeepStrictEqual(v8, wasm) || differences.push({ what, v8, wasm });
  compare("outcome", outcome, execution.outcome);
  compare("console", lines, execution.logLines);
  compare("operations that V8 did not ask for", [], host.unasked());
  return differences.map((difference) => ({ function: execution.function, ...difference }));
}

const differences = [];
for (const execution of executions) differences.push(...(await replay(execution)));
console.log(JSON.stringify(differences));
