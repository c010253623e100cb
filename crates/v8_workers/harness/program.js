// The modules of a deployment, and the code V8 made of them.
"use strict";
const vm = require("node:vm");

/** Most modules whose code is kept. */
const CODE_CACHE_ENTRIES = 64;

class Program {
  /** `modules` are pairs of path and source; `digest` names harness and modules. */
  constructor(digest, modules) {
    this.digest = digest;
    this.sources = new Map(modules);
    this.code = new Map();
  }

  /** Compiles every module in advance. (Node has no modules while it builds a snapshot.) */
  compileAll() {
    for (const path of this.sources.keys()) this.compile(path, undefined, undefined);
  }

  /** A new instance of a module. Its code is made once: a program never changes, so a path names one source. */
  compile(path, context, importModuleDynamically) {
    const initializeImportMeta = (meta) => void (meta.url = `convex:/${path}`);
    const cachedData = this.code.get(path);
    const identifier = `convex:/${path}`;
    const options = { context, identifier, importModuleDynamically, initializeImportMeta, cachedData };
    const module = new vm.SourceTextModule(this.sources.get(path), options);
    if (options.cachedData === undefined) this.keep(path, module.createCachedData());
    return module;
  }

  keep(path, code) {
    if (this.code.size >= CODE_CACHE_ENTRIES) this.code.delete(this.code.keys().next().value);
    this.code.set(path, code);
  }

  /** Links and evaluates a module and all it imports in a context; answers its namespace. `platform` has other modules. */
  async instantiate(path, context, importModuleDynamically, loaded = new Map(), platform = undefined) {
    const load = (target) => {
      if (!this.sources.has(target)) throw new Error(`Could not find module ${target}`);
      let module = loaded.get(target);
      if (module === undefined) loaded.set(target, (module = this.compile(target, context, importModuleDynamically)));
      return module;
    };
    const module = load(path);
    if (module.status === "unlinked") {
      await module.link((specifier, referrer) => platform?.(specifier) ?? load(resolve(specifier, referrer.identifier)));
    }
    await module.evaluate();
    return module.namespace;
  }

  /** Like `instantiate` for a module and for what it imports later, of which there is one instance each. */
  instantiateAll(path, platform = undefined) {
    const loaded = new Map();
    const importer = async (specifier, referrer) => {
      const found = platform?.(specifier);
      if (found !== undefined) {
        if (found.status === "unlinked") await found.link(() => undefined);
        await found.evaluate();
        return found;
      }
      const target = resolve(specifier, referrer.identifier);
      await this.instantiate(target, undefined, importer, loaded, platform);
      return loaded.get(target);
    };
    return this.instantiate(path, undefined, importer, loaded, platform);
  }
}

/** The path that a specifier names, seen from the module with this identifier. */
function resolve(specifier, identifier) {
  return new URL(specifier, `file:///${identifier.slice("convex:/".length)}`).pathname.slice(1);
}

module.exports = { Program, resolve };
