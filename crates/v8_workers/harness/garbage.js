// What executions leave behind. V8 knows of no end of an execution: left alone it would let the contexts of hundreds pile up to
// the limit of the heap, where an execution that is no larger than the others may meet it.
"use strict";
const v8 = require("node:v8");
const vm = require("node:vm");

/** Part of the heap's limit that what earlier executions left may take. */
const ALLOWED = 1 / 4;

let collect;

/** A function that collects all garbage; the option that gives it is on for a moment only, so no guest sees it. */
function collector() {
  v8.setFlagsFromString("--expose-gc");
  const gc = vm.runInNewContext("gc");
  v8.setFlagsFromString("--no-expose-gc");
  return gc;
}

function isCrowded() {
  const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics();
  return used > limit * ALLOWED;
}

/** Makes room for the next execution. What cannot be freed ends the worker: the next execution finds it dead, and gets another. */
function makeRoom() {
  if (!isCrowded()) return;
  collect ??= collector();
  collect();
  if (isCrowded()) process.exit();
}

module.exports = { makeRoom };
