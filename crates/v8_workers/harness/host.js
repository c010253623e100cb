// What the realm of a query or mutation asks of the platform and of the backend.
"use strict";
const { inspect, format, types } = require("node:util");
const { COMMAND, REPORT, receive, send } = require("./channel");
const { randomNumbers } = require("./chacha");

const LEVELS = { debug: "0", log: "1", info: "2", warn: "3", error: "4" };
const DATABASE = /^1\.0\/(?:get$|query|insert|shallowMerge|replace|remove|count|db\/)/;
/** Made at once, as the guest does; the platform has only promises for them. */
const DIGESTS = { __proto__: null, "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512" };
const KINDS = [
  ["View", ArrayBuffer.isView],
  ["ArrayBuffer", types.isAnyArrayBuffer],
  ["Date", types.isDate],
  ["RegExp", types.isRegExp],
  ["Map", types.isMap],
  ["Set", types.isSet],
  ["Error", types.isNativeError],
  ["Boolean", types.isBooleanObject],
  ["Number", types.isNumberObject],
  ["String", types.isStringObject],
  ["BigInt", types.isBigIntObject],
  ["Array", Array.isArray],
];
/** Objects with an inner state that no copy could have. */
const UNCLONABLE = [types.isPromise, types.isWeakMap, types.isWeakSet, types.isProxy, types.isSymbolObject];

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const typedArrayName = Object.getOwnPropertyDescriptor(typedArray, Symbol.toStringTag).get;

/** A copy of an array of the realm, whose methods the program may have changed. */
function copy(values) {
  const copied = [];
  for (let i = 0; i < values.length; i++) copied.push(values[i]);
  return copied;
}

const refusal = (message, code) => `!${JSON.stringify({ message, code })}`;

/** Sends a question and waits for its reply, with the whole thread. */
function ask(generation, ...question) {
  send(generation, REPORT.ASK, question);
  return receive(COMMAND.REPLY).fields[0];
}

/**
 * The host of one execution. `state.phase` is `import`, `query`, `mutation` or `program`; questions that have to wait
 * are put into `state.queue`, in the order of issue.
 */
function createHost(state) {
  const { generation } = state;
  const inPhase = (name) => {
    if (state.phase === "query" || state.phase === "mutation") return undefined;
    return DATABASE.test(name)
      ? refusal("Can't use database at import time.", "NoDbDuringImport")
      : refusal(`Can't use syscall \`${name}\` at import time.`, "NoSyscallDuringImport");
  };
  const shared = new TextEncoder();
  return {
    __proto__: null,
    refusal: inPhase,
    syscall: (name, argument) => inPhase(name) ?? ask(generation, "syscall", name, argument),
    enqueue: (name, argument, resolve, reject) => state.queue.push({ name, argument, resolve, reject }),
    jsSyscall: (name, _argument, fail) => {
      if (!name.startsWith("storage/")) return fail(refusal(`Unknown operation ${name}`, "UnknownOperation"));
      const text = "Can't use `storage.store()` or `storage.get()` in queries and mutations. Please consider using an " +
        "action. See https://docs.convex.dev/functions/actions for more details.";
      return fail(refusal(text, "NoStorageInQueriesOrMutations"));
    },
    variable: (name) => ask(generation, "variable", name, ""),
    variableNames: () => ask(generation, "names", "", ""),
    now: () => Math.floor(state.timeMs),
    performanceNow: () => (state.phase === "program" ? performance.now() : 0),
    random: () => (state.random ??= randomNumbers(state.seed))(),
    log: (level, line) => send(generation, REPORT.LOG, [LEVELS[level], line]),
    format: (values) => {
      const copied = copy(values);
      return state.phase === "program" ? format(...copied) : copied.map((value) => inspect(value)).join(" ");
    },
    isForeign: (error) => error instanceof Error,
    describe: ({ name, message }) => ({ name, message }),
    utf8Length: (text) => Buffer.byteLength(text),
    encodeInto: (text, bytes) => shared.encodeInto(text, bytes),
    decoder: (encoding, options) => new TextDecoder(encoding, options),
    atob: (text) => atob(text),
    btoa: (text) => btoa(text),
    parseUrl: (text, base) => (URL.canParse(text, base) ? new URL(text, base) : undefined),
    parseQuery: (query) => JSON.stringify([...new URLSearchParams(query)]),
    formatQuery: (pairs) => new URLSearchParams(JSON.parse(pairs)).toString(),
    kindOf: (value) => {
      const kind = KINDS.find(([, is]) => is(value))?.[0];
      return kind ?? (UNCLONABLE.some((is) => is(value)) ? "Other" : "Object");
    },
    viewName: (view) => (types.isDataView(view) ? "DataView" : typedArrayName.call(view)),
    isKey: (value) => types.isCryptoKey(value),
    hash: (algorithm, data) => {
      const digest = DIGESTS[algorithm.toUpperCase()];
      if (digest === undefined || !(ArrayBuffer.isView(data) || types.isAnyArrayBuffer(data))) return undefined;
      const bytes = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
      return new Uint8Array(require("node:crypto").createHash(digest).update(bytes).digest()).buffer;
    },
    subtle: (name, values, resolve, reject) =>
      state.queue.push({ work: () => crypto.subtle[name](...copy(values)), resolve, reject }),
    borrow: (name) => {
      state.reusable = false;
      return globalThis[name] ?? require("node:async_hooks")[name];
    },
  };
}

module.exports = { createHost };
