// What the Node runtime is: Node's own realm and modules, whose standard streams are not those of the worker.
"use strict";
const { isBuiltin } = require("node:module");
const process = require("node:process");
const vm = require("node:vm");

/** Modules of Node; each is made once. */
function platformModules() {
  const made = new Map();
  return (specifier) => {
    if (!isBuiltin(specifier)) return undefined;
    let module = made.get(specifier);
    if (module === undefined) {
      const exported = require(specifier);
      const names = new Set(["default", ...Object.keys(exported)]);
      const evaluate = function () {
        for (const name of names) this.setExport(name, name === "default" ? exported : exported[name]);
      };
      made.set(specifier, (module = new vm.SyntheticModule([...names], evaluate, { identifier: specifier })));
    }
    return module;
  };
}

/** `require` of Node's own modules, for packages that were written for it. */
function platformRequire(name) {
  if (isBuiltin(name)) return require(name);
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
}

/** What Node's console has beyond the default runtime's. */
const CONSOLE = {
  assert: (condition, ...values) => void (condition || console.error("Assertion failed", ...values)),
  dir: (value) => console.log(value),
  dirxml: (...values) => console.log(...values),
  table: (value) => console.log(value),
  group: (...values) => console.log(...values),
  groupCollapsed: (...values) => console.log(...values),
  groupEnd: () => {},
};

/** Gives the program streams of its own: the worker's carry messages. Each line that it writes is a console line. */
function installStreams(write) {
  const { Readable, Writable } = require("node:stream");
  const sink = (level) => {
    let rest = "";
    return new Writable({
      write(chunk, _encoding, done) {
        const lines = `${rest}${chunk}`.split("\n");
        rest = lines.pop();
        for (const line of lines) write(level, line);
        done();
      },
    });
  };
  const streams = { stdin: Readable.from([]), stdout: sink("log"), stderr: sink("error") };
  for (const [name, value] of Object.entries(streams)) Object.defineProperty(process, name, { value, configurable: true });
}

/** What the exports of all modules are, for the analysis of a push. */
async function describeExports(program, load) {
  const found = [];
  const paths = [...program.sources.keys()].filter((path) => !path.startsWith("_deps/"));
  for (const path of paths) {
    const namespace = await load(path);
    for (const [name, value] of Object.entries(namespace)) {
      if (value === null || !["function", "object"].includes(typeof value)) continue;
      const kind = ["Query", "Mutation", "Action"].find((candidate) => value[`is${candidate}`] === true);
      if (kind === undefined && value.isHttp !== true) continue;
      found.push({
        module: path, name, kind: kind === undefined ? "httpAction" : kind.toLowerCase(),
        visibility: value.isInternal === true ? "internal" : "public",
        args: value.exportArgs?.() ?? null, returns: value.exportReturns?.() ?? null,
      });
    }
  }
  return JSON.stringify(found);
}

module.exports = { CONSOLE, platformModules, platformRequire, installStreams, describeExports };
