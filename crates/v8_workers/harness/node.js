// What the Node runtime is: Node's own realm and modules, whose standard streams are not those of the worker.
"use strict";
const { createRequire, isBuiltin } = require("node:module");
const { join } = require("node:path");
const process = require("node:process");
const { types } = require("node:util");
const vm = require("node:vm");

/** A path or an address, not the name of a package. */
const PATH = /^[./]|^[a-z]+:\//;

/** Modules of Node, and of the packages in the folder `packages` if it is not empty: `require`, and `module`, which makes each once. */
function createPlatform(packages) {
  const fromPackages = packages === "" ? undefined : createRequire(join(packages, "package.json"));
  const made = new Map();
  const find = (specifier) => {
    if (isBuiltin(specifier)) return require;
    return PATH.test(specifier) ? undefined : fromPackages;
  };
  return {
    require: (name) => {
      const found = find(name);
      if (found === undefined) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
      return found(name);
    },
    module: (specifier) => {
      const found = find(specifier);
      if (found !== undefined && !made.has(specifier)) made.set(specifier, moduleOf(specifier, found(specifier)));
      return made.get(specifier);
    },
  };
}

/** A module with what a module of the platform exports, of whichever kind it is. */
function moduleOf(identifier, exported) {
  const main = types.isModuleNamespaceObject(exported) ? exported.default : exported;
  const names = new Set(["default", ...Object.keys(Object(exported))]);
  const evaluate = function () {
    for (const name of names) this.setExport(name, name === "default" ? main : exported[name]);
  };
  return new vm.SyntheticModule([...names], evaluate, { identifier });
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

module.exports = { CONSOLE, createPlatform, installStreams, describeExports };
