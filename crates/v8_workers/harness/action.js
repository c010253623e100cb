// Runs an action or HTTP action, in the worker's own realm, with the platform's event loop, `fetch`, timers and
// streams. The worker serves nothing after it.
"use strict";
const vm = require("node:vm");
const process = require("node:process");
const { inspect } = require("node:util");
const { AsyncLocalStorage, AsyncResource } = require("node:async_hooks");
const { COMMAND, REPORT, listen, send } = require("./channel");
const { randomNumbers } = require("./chacha");
const { describe } = require("./failure");
const { httpCalls, storageCalls } = require("./objects");
const { createStreams } = require("./streams");

const LEVELS = { debug: "0", log: "1", info: "2", warn: "3", error: "4" };
/** Globals of the default runtime that the language does not have. */
const GLOBALS = [
  "AbortController", "AbortSignal", "Blob", "ByteLengthQueuingStrategy", "CountQueuingStrategy", "Crypto", "CryptoKey",
  "CustomEvent", "DOMException", "Event", "EventTarget", "File", "FormData", "Headers", "Performance", "PerformanceEntry",
  "PerformanceMark", "PerformanceMeasure", "ReadableByteStreamController", "ReadableStream", "ReadableStreamBYOBReader",
  "ReadableStreamBYOBRequest", "ReadableStreamDefaultController", "ReadableStreamDefaultReader", "Request", "Response",
  "SubtleCrypto", "TextDecoder", "TextDecoderStream", "TextEncoder", "TextEncoderStream", "TransformStream",
  "TransformStreamDefaultController", "URL", "URLSearchParams", "WebAssembly", "WritableStream",
  "WritableStreamDefaultController", "WritableStreamDefaultWriter", "atob", "btoa", "clearInterval", "clearTimeout",
  "crypto", "fetch", "performance", "queueMicrotask", "setInterval", "setTimeout", "structuredClone",
];

/** Where the platform's `fetch` is, in stacks. */
const FETCH = "node:internal/deps/undici";
/** Globals that the platform's `fetch` looks for whenever it connects. Nobody else finds them. */
const OF_FETCH = ["Buffer", "MessageChannel", "MessagePort", "clearImmediate", "global", "setImmediate"];

function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}

let wanted;
let used;

/** Does what every action needs, in advance if there is time. */
function prepare() {
  if (wanted !== undefined) return;
  wanted = new Set([...Reflect.ownKeys(vm.createContext(vm.constants.DONT_CONTEXTIFY)), ...GLOBALS]);
  used = OF_FETCH.map((name) => [name, globalThis[name]]);
  require("node:net");
  inspect({});
}

/** Does what many actions need and no snapshot can hold: `fetch` and its classes are loaded when one of them is touched. */
function warm() {
  prepare();
  void globalThis.Response;
}

/** Removes every global that the default runtime does not have. */
function removePlatformGlobals() {
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!wanted.has(name)) delete globalThis[name];
  const fromFetch = () => new Error().stack.includes(FETCH);
  for (const [name, value] of used) {
    Object.defineProperty(globalThis, name, { get: () => (fromFetch() ? value : undefined), configurable: true });
  }
}

/** Whether `called` was called by the platform's `fetch`. */
function isCalledByFetch(called) {
  const { stackTraceLimit } = Error;
  const here = {};
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(here, called);
  Error.stackTraceLimit = stackTraceLimit;
  return String(here.stack).includes(FETCH);
}

/** Timers are numbers, as in browsers, but for the platform's `fetch`, which wants its own. */
function installTimers() {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const timers = new Map();
  let last = 0;
  const starter = (start, once) =>
    function startTimer(callback, delay, ...values) {
      if (isCalledByFetch(startTimer)) return start(callback, delay, ...values);
      const id = ++last;
      const run = () => {
        if (once) timers.delete(id);
        callback(...values);
      };
      timers.set(id, start(run, delay));
      return id;
    };
  const stopper = (stop) => (id) => {
    stop(typeof id === "object" ? id : timers.get(id));
    timers.delete(id);
  };
  define("setTimeout", starter(setTimeout, true));
  define("setInterval", starter(setInterval, false));
  define("clearTimeout", stopper(clearTimeout));
  define("clearInterval", stopper(clearInterval));
}

function installClock(state) {
  const System = Date;
  function ActionDate(...values) {
    const given = values.length === 0 ? [ActionDate.now()] : values;
    return new.target === undefined ? new System(given[0]).toString() : Reflect.construct(System, given, new.target);
  }
  const now = System.now;
  Object.defineProperties(ActionDate, Object.getOwnPropertyDescriptors(System));
  Object.defineProperty(ActionDate, "now", { value: () => (state.importing ? Math.floor(state.importTimeMs) : now()) });
  Object.defineProperty(System.prototype, "constructor", { value: ActionDate });
  define("Date", ActionDate);
  Math.random = () => (state.random ??= randomNumbers(state.importing ? state.importSeed : state.seed))();
}

function installConsole(write, base = {}) {
  const timers = new Map();
  const line = (level, values) => write(level, values.map((value) => inspect(value)).join(" "));
  const elapsed = (label, values) => {
    if (!timers.has(label)) return write("warn", `Timer '${label}' does not exist`);
    const time = `${label}: ${(performance.now() - timers.get(label)).toFixed(1)}ms`;
    write("info", [time, ...values.map((value) => inspect(value))].join(" "));
  };
  const console = {
    __proto__: base,
    trace: (...values) => {
      const here = {};
      Error.captureStackTrace(here, console.trace);
      write("log", values.map((value) => inspect(value)).join(" ") + here.stack.slice(here.stack.indexOf("\n")));
    },
    time: (label = "default") => void timers.set(`${label}`, performance.now()),
    timeLog: (label = "default", ...values) => elapsed(`${label}`, values),
    timeEnd: (label = "default") => {
      elapsed(`${label}`, []);
      timers.delete(`${label}`);
    },
  };
  for (const level of Object.keys(LEVELS)) console[level] = (...values) => line(level, values);
  define("console", console);
}

function errorOf(refusal) {
  const { message, code, data } = JSON.parse(refusal);
  const error = new Error(message);
  if (data !== undefined) error.data = JSON.parse(data);
  if (code !== undefined) error.code = code;
  return error;
}

/** `Convex`, whose operations are answered one by one, in whatever order they are done; answers what HTTP actions need. */
function installConvex(state, generation) {
  const pending = new Map();
  let last = 0;
  let awaited = 0;
  const input = listen(({ kind, fields }) => {
    if (kind !== COMMAND.ANSWER) return streams.take(kind, fields);
    const [id, answer] = fields;
    const operation = pending.get(id);
    if (operation === undefined) return;
    pending.delete(id);
    release();
    if (answer[0] === "!") operation.reject(errorOf(answer.slice(1)));
    else operation.resolve(answer.slice(1));
  });
  const hold = () => {
    if (awaited++ === 0) input.ref();
  };
  const release = () => {
    if (--awaited === 0) input.unref();
  };
  const streams = createStreams(generation, hold, release);
  // With nothing to wait for the event loop ends, and with it the action: its promise can never settle.
  input.unref();
  const refused = (message, code) => Object.assign(new Error(message), { code });
  const operate = (name, argument) => {
    if (state.importing) throw refused(`Can't use syscall \`${name}\` at import time.`, "NoSyscallDuringImport");
    return new Promise((resolve, reject) => {
      const id = String(++last);
      pending.set(id, { resolve, reject });
      hold();
      send(generation, REPORT.OPERATION, [id, String(name), String(argument)]);
    });
  };
  const objects = { ...storageCalls(operate, streams), ...(state.mode === "http" ? httpCalls(streams) : {}) };
  define("Convex", {
    syscall: (name) => {
      throw refused(`Unknown operation ${name}`, "UnknownOperation");
    },
    asyncSyscall: operate,
    jsSyscall: (name, argument) => {
      if (!Object.hasOwn(objects, name)) throw refused(`Unknown operation ${name}`, "UnknownOperation");
      return objects[name](argument);
    },
  });
  return { operate, streams };
}

async function inDefaultRuntime(program, { mode, path, name, method, argument, variables }, state, { write, generation }) {
  prepare();
  removePlatformGlobals();
  installTimers();
  installClock(state);
  installConsole(write);
  const { operate, streams } = installConvex(state, generation);
  define("process", { env: JSON.parse(variables) });
  define("self", globalThis);
  define("AsyncLocalStorage", AsyncLocalStorage);
  define("AsyncResource", AsyncResource);
  const namespace = await program.instantiateAll(path);
  begin(state, generation);
  if (mode === "action") return namespace[name][method]("", argument);
  const response = await namespace[name].runRequest(argument, method);
  await operate("http/respond", response);
  await streams.allSent();
  return "";
}

async function inNode(program, request, state, { write, generation }) {
  const { mode, path, name, method, argument, variables, packages } = request;
  const { CONSOLE, createPlatform, installStreams, describeExports } = require("./node");
  installConsole(write, CONSOLE);
  installStreams(write);
  installConvex(state, generation);
  process.env = JSON.parse(variables);
  const platform = createPlatform(packages);
  define("require", platform.require);
  const load = (module) => program.instantiateAll(module, platform.module);
  if (mode === "describe") return describeExports(program, load);
  const namespace = await load(path);
  begin(state, generation);
  return namespace[name][method]("", argument);
}

/** Modules are evaluated; the function begins. */
function begin(state, generation) {
  state.importing = false;
  state.random = undefined;
  send(generation, REPORT.STARTED, []);
}

/** Runs it. The backend ends the process after the last report. */
function run(program, request, generation) {
  const { mode } = request;
  const state = { ...request, importing: true, random: undefined };
  let ended = false;
  const end = (kind, text) => {
    if (ended) return;
    ended = true;
    send(generation, kind, [text, "0"]);
  };
  const fail = (reason) => end(REPORT.FAILED, describe(reason));
  process.on("unhandledRejection", fail).on("uncaughtException", fail).on("beforeExit", () => end(REPORT.STUCK, ""));
  const write = (level, line) => {
    if (!state.importing && !ended) send(generation, REPORT.LOG, [LEVELS[level], line]);
  };
  const call = mode === "action" || mode === "http" ? inDefaultRuntime : inNode;
  const called = call(program, request, state, { write, generation });
  called.then((value) => end(REPORT.DONE, String(value)), fail);
}

module.exports = { warm, run };
