// What is told of a thrown value: its name, message and text, a ConvexError's data, and the frames of its stack.
"use strict";

const FRAME = /^ {4}at (async )?(?:(.*?) \()?convex:\/(?:user\/)?([^():]+(?:\.js)?):(\d+):(\d+)\)?$/;
/** What waits for an element of a combinator has no place in a file. */
const COMBINATOR = /^ {4}at async (Promise\.\w+ \(index \d+\))$/;
/** V8 writes the receiver and the alias of methods, `Object.handler [as f]`; what is told is the function's name. */
const RECEIVER = /^(?:new )?(?:[\w$<>]+\.)*/;

function text(read) {
  try {
    const value = read();
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function frames(reason) {
  const stack = text(() => reason.stack) ?? "";
  const found = [];
  for (const line of stack.split("\n")) {
    const combinator = COMBINATOR.exec(line);
    if (combinator !== null) found.push({ path: "", function: combinator[1], is_async: true, line: 0, column: 0 });
    const match = FRAME.exec(line);
    if (match === null) continue;
    const name = (match[2] ?? "").replace(/ \[as .*\]$/, "").replace(RECEIVER, "");
    const isNamed = name !== "" && name !== "<anonymous>";
    const [path, is_async] = [match[3], match[1] !== undefined];
    found.push({ path, function: isNamed ? name : "", is_async, line: match[4] - 1, column: match[5] - 1 });
  }
  return found;
}

const MARK = Symbol.for("ConvexError");

function isConvexError(reason) {
  try {
    return typeof reason === "object" && reason !== null && Object.hasOwn(reason, MARK);
  } catch {
    return false;
  }
}

/** JSON text of a thrown value, whatever its getters do. */
function describe(reason) {
  const shown = text(() => String(reason)) ?? "[object]";
  return JSON.stringify({
    name: text(() => reason.name) ?? "Error",
    message: text(() => reason.message) ?? shown,
    text: shown,
    data: isConvexError(reason) ? text(() => reason.data) : undefined,
    stack: frames(reason),
  });
}

module.exports = { describe };
