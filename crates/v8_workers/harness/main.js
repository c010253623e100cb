// A worker: parked until a command comes, then running for one guest.
"use strict";
const { startupSnapshot } = require("node:v8");
const { COMMAND, REPORT, receive, send } = require("./channel");
const { Program } = require("./program");
const { makeRoom } = require("./garbage");

function requestOf(fields) {
  const [, mode, path, name, method, argument, phase, timeMs, seed, importTimeMs, importSeed, variables, packages] = fields;
  return {
    mode, path, name, method, argument, phase, seed, importSeed, variables, packages,
    timeMs: Number(timeMs), importTimeMs: Number(importTimeMs),
  };
}

/** Runs commands; waiting for one ends when the backend is gone. */
async function serve(program) {
  if (program !== undefined) send(0, REPORT.READY, [program.digest]);
  for (;;) {
    const { kind, generation, fields } = receive();
    if (kind === COMMAND.LOAD) {
      const [digest, ...modules] = fields;
      const pairs = [];
      for (let i = 0; i < modules.length; i += 2) pairs.push([modules[i], modules[i + 1]]);
      program = new Program(digest, pairs);
      send(generation, REPORT.READY, [digest]);
    } else if (kind === COMMAND.PREPARE) {
      program.compileAll();
      require("./transaction").prepare();
      require("./action").warm();
      send(generation, REPORT.READY, [program.digest]);
    } else if (kind === COMMAND.RUN && program?.digest !== fields[0]) {
      send(generation, REPORT.WRONG, [program?.digest ?? ""]);
    } else if (kind === COMMAND.RUN) {
      const request = requestOf(fields);
      if (request.mode !== "transaction") return void require("./action").run(program, request, generation);
      send(generation, ...(await require("./transaction").run(program, request, generation)));
      makeRoom();
    }
  }
}

/** Begins: now, or whenever the snapshot that is being built is restored. */
function start(digest, modules) {
  if (!startupSnapshot.isBuildingSnapshot()) return void serve(undefined);
  require("./transaction");
  const program = new Program(digest, modules);
  startupSnapshot.setDeserializeMainFunction(() => void serve(program));
}

module.exports = { start };
