// Stacks of errors: frames, names, positions, and the async functions that wait. Only frames of this file are shown, and
// methods only where V8 names them after the class that has them.
const frames = (error) =>
  error.stack
    .split("\n")
    .filter((line) => !line.includes("node:") && !line.includes("<anonymous>"))
    .join("\n")
    .replace(/(?:file:\/\/|convex:)[^ ()]*\//g, "");
const show = (label, error) => console.log(label + "\n" + frames(error));
const caught = (run) => {
  try {
    run();
  } catch (error) {
    return error;
  }
};

// Functions, methods, constructors, accessors.
class Service {
  static async create() { return await new Service().load(); }
  async load() { const x = await this.fetch(1); return x; }
  async fetch(n) { await null; throw new Error("fetch"); }
  sync() { throw new Error("sync"); }
  static make() { throw new Error("make"); }
  get prop() { throw new Error("prop"); }
  set prop(v) { throw new Error("setprop"); }
  #secret() { throw new Error("secret"); }
  callSecret() { this.#secret(); }
}
class Broken { constructor() { throw new Error("broken"); } }
class Inherits extends Broken {}
class Custom extends Error { constructor(m) { super(m); this.name = "Custom"; } }
class Plain extends Error {}
function plain() { return Error("called without new"); }
for (const [name, run] of Object.entries({
  method: () => new Service().sync(),
  static: () => Service.make(),
  getter: () => new Service().prop,
  setter: () => { new Service().prop = 1; },
  private: () => new Service().callSecret(),
  constructor: () => new Broken(),
  implicit: () => new Inherits(),
  subclass: () => { throw new Custom("c"); },
  bare: () => { throw new Plain("c"); },
  called: () => { throw plain(); },
  nested: () => { (function named() { (() => { throw new Error("arrow"); })(); })(); },
  builtin: () => { [3, 1].sort(function compare() { throw new Error("compare"); }); },
  property: () => { null.foo; },
})) show(name, caught(run));

// What asks an iterator for its next value.
function* generator() { yield 1; throw new Error("generator"); }
show("loop", caught(function loop() { for (const item of generator()) { item; } }));
show("assigned", caught(function loop() { let item; for (item of generator()) { item; } }));
show("spread", caught(function spread() { return [1, ...generator()]; }));

// The limit.
function deep(n) { return n ? deep(n - 1) : new Error("deep"); }
for (const limit of [2, 0, 2.7, -1, 20, NaN]) {
  Error.stackTraceLimit = limit;
  show("limit " + limit, deep(12));
}
for (const limit of [undefined, "3", null]) {
  Error.stackTraceLimit = limit;
  console.log(deep(5).stack, Object.getOwnPropertyNames(deep(5)));
}
delete Error.stackTraceLimit;
console.log(deep(5).stack);
Error.stackTraceLimit = 10;

// captureStackTrace.
const target = {};
function capture() { Error.captureStackTrace(target, capture); }
function caller() { capture(); }
caller();
show("below a function", target);
const other = {};
Error.captureStackTrace(other, deep);
console.log(JSON.stringify(other.stack));
const named = { name: "N", message: "M" };
Error.captureStackTrace(named);
show("named", named);
function recursive(n) { if (n) return recursive(n - 1); const holder = {}; Error.captureStackTrace(holder, recursive); return holder; }
show("recursive", recursive(2));
class Captured extends Error { constructor(m) { super(m); Error.captureStackTrace(this, this.constructor); } }
class Again extends Captured { constructor(m) { super(m); } }
function make() { return new Again("x"); }
show("in a constructor", make());
show("constructor that did not run", Reflect.construct(Error, ["x"], Again));

// The header is of the time of reading.
const changed = new TypeError("orig");
changed.message = "changed";
console.log(changed.stack.split("\n")[0]);

// Async functions.
const tick = () => Promise.resolve();
async function inner() { await tick(); throw new Error("inner"); }
async function outer() { const value = 1 + await inner(); return value; }
async function late() { for (let i = 0; i < 5; i++) await tick(); throw new Error("late"); }
async function returns() { return late(); }
(async function driver() {
  for (const [name, run] of Object.entries({
    chain: () => outer(),
    methods: () => Service.create(),
    all: async () => { await Promise.all([tick(), outer()]); },
    settled: async () => { await Promise.allSettled([outer()]).then((results) => { throw results[0].reason; }); },
    race: async () => { await Promise.race([inner()]); },
    generator: async () => { for await (const x of (async function* values() { yield 1; await inner(); })()); },
    then: async () => { await tick().then(() => { throw new Error("then"); }); },
    finally: async () => { await inner().finally(() => {}); },
    anonymous: async () => { await (async () => { await inner(); })(); },
    rethrown: async () => { try { await inner(); } catch (error) { await tick(); throw error; } },
    returned: async () => { await returns(); },
    resolved: async () => { await new Promise((resolve) => resolve(late())); },
    adopted: async () => { await tick().then(() => late()); },
    two: async () => { const shared = late(); shared.catch(() => {}); await shared; },
    map: async () => { await Promise.all([tick(), 2].map(async (x) => { await x; null.foo; })); },
    microtask: async () => { throw await new Promise((resolve) => queueMicrotask(() => resolve(new Error("q")))); },
  })) {
    try {
      await run();
    } catch (error) {
      show(name, error);
    }
  }
})();
