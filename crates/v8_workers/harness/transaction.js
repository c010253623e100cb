// Runs a query or a mutation in a context of its own. The event loop never turns for the backend: between microtasks the
// thread waits for its answers, so an execution is as deterministic as they are.
"use strict";
const vm = require("node:vm");
const { COMMAND, REPORT, receive, send } = require("./channel");
const { createHost } = require("./host");
const { describe } = require("./failure");

/** Goes on when no microtask is left and rejections nobody handles have been reported. */
const turn = () => new Promise((done) => setImmediate(done));

let realm;

/** Evaluates the realm's text in a new context. */
function createRealm(host) {
  realm ??= new vm.Script(`(function (host) { "use strict";\n${REALM}\n})`, { filename: "node:convex-wasm/realm" });
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  return { context, ...realm.runInContext(context)(host) };
}

/** Does in advance what every execution needs: a parked worker has the time for it. */
function prepare() {
  createRealm(createHost({ generation: 0, phase: "import", queue: [] }));
}

/** Answers operations in the order of issue, each after everything the last one led to. */
async function answer(state, errorOf) {
  const operations = state.queue.splice(0);
  const asked = operations.filter((operation) => operation.work === undefined);
  if (asked.length > 0) {
    send(state.generation, REPORT.BATCH, asked.flatMap(({ name, argument }) => [name, argument]));
    const { fields } = receive(COMMAND.ANSWERS);
    asked.forEach((operation, index) => (operation.answer = fields[index]));
  }
  for (const { work, answer, resolve, reject } of operations) {
    if (work !== undefined) await work().then(resolve, reject);
    else if (answer[0] === "!") reject(errorOf(answer.slice(1)));
    else resolve(answer.slice(1));
    await turn();
    if (state.outcome !== undefined) return;
  }
}

/** Answers operations until `settled` or until nothing can settle it any more; tells which. */
async function proceed(state, errorOf, settled) {
  await turn();
  while (!settled()) {
    if (state.queue.length === 0) return false;
    await answer(state, errorOf);
  }
  return true;
}

/** Runs it; answers the report that ends it. */
async function run(program, request, generation) {
  const { path, name, method, argument, phase, timeMs, seed } = request;
  const isProgram = phase === "program";
  const state = {
    generation, phase: "import", timeMs: request.importTimeMs, seed: request.importSeed, random: undefined,
    queue: [], outcome: undefined, reusable: true,
  };
  if (isProgram) Object.assign(state, { phase, timeMs, seed });
  const fail = (reason) => (state.outcome ??= { failed: describe(reason) });
  process.on("unhandledRejection", fail).on("uncaughtException", fail);
  try {
    const host = createHost(state);
    const log = host.log;
    if (!isProgram) host.log = () => {};
    const { context, errorOf, call } = createRealm(host);
    const refuseImport = () => {
      const message = "Can't use dynamic import in queries and mutations.";
      throw errorOf(JSON.stringify({ message, code: "NoDynamicImport" }));
    };
    let namespace;
    program.instantiate(path, context, refuseImport).then((loaded) => (namespace = loaded), fail);
    const isLoaded = () => namespace !== undefined || state.outcome !== undefined;
    if (!(await proceed(state, errorOf, isLoaded))) return [REPORT.STUCK, []];
    host.log = log;
    if (isProgram) await proceed(state, errorOf, () => state.outcome !== undefined);
    if (isProgram || state.outcome !== undefined) return finish(state);
    Object.assign(state, { phase, timeMs, seed, random: undefined });
    send(generation, REPORT.STARTED, []);
    call(namespace[name], method, argument, (value) => (state.outcome ??= { value: String(value) }), fail);
    const ended = await proceed(state, errorOf, () => state.outcome !== undefined);
    return ended ? finish(state) : [REPORT.STUCK, []];
  } finally {
    process.off("unhandledRejection", fail).off("uncaughtException", fail);
  }
}

function finish({ outcome, reusable }) {
  const { value = "", failed } = outcome ?? {};
  const [kind, text] = failed === undefined ? [REPORT.DONE, value] : [REPORT.FAILED, failed];
  return [kind, [text, reusable ? "1" : "0"]];
}

module.exports = { prepare, run };
