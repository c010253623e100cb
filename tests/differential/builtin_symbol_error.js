// Symbol, Error and its subclasses, global values.
const text = (value) => {
  try {
    return String(value);
  } catch {
    return "?";
  }
};
const log = (...values) => console.log(values.map(text).join(" "));
const show = (value) => JSON.stringify(value);
const attempt = (body) => {
  try {
    log("ok", body());
  } catch (error) {
    log(error instanceof Error ? error.name + ": " + error.message : "thrown " + text(error));
  }
};
// symbols
log(
  Symbol("x").toString(),
  Symbol("x").description,
  Symbol().description,
  Symbol("").description,
  Symbol.for("k") === Symbol.for("k"),
  Symbol.keyFor(Symbol.for("k")),
  Symbol.keyFor(Symbol.iterator),
  Object(Symbol.iterator) == Symbol.iterator,
  typeof Object(Symbol()),
  Symbol.prototype[Symbol.toStringTag],
  Object(Symbol("q")).description,
  Symbol.iterator.toString(),
  show({ [Symbol("h")]: 1 }),
);
attempt(() => Symbol.keyFor("x"));
attempt(() => new Symbol());
attempt(() => Symbol() + "");
attempt(() => +Symbol());
attempt(() => `${Symbol("a")}`);
attempt(() => Symbol.prototype.toString.call(1));
attempt(() => Symbol.prototype.description);
attempt(() => Symbol.prototype.valueOf.call({}));
log(
  Object.getOwnPropertyNames(Symbol).sort().join(),
  Object(Symbol("z"))[Symbol.toPrimitive]("string").toString(),
  Symbol[Symbol.toPrimitive],
);
// errors
const e = new Error("m", { cause: 5 });
log(
  String(e),
  e.cause,
  Object.keys(e),
  Object.getOwnPropertyNames(e).join(),
  "cause" in new Error("x", {}),
  new Error().message,
  Object.hasOwn(new Error(), "message"),
  new Error(undefined).message,
  new Error(null).message,
  Error("no new") instanceof Error,
  e.stack.split("\n")[0],
);
for (const E of [TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) {
  const x = new E("q");
  log(
    E.name,
    E.length,
    String(x),
    x instanceof Error,
    Object.getPrototypeOf(E) === Error,
    E.prototype.name,
    E.prototype.message === "",
    Object.prototype.toString.call(x),
    x.constructor === E,
  );
}
const ae = new AggregateError([1, 2], "agg", { cause: 3 });
log(String(ae), ae.errors, ae.cause, Object.getOwnPropertyNames(ae).join(), AggregateError.length);
attempt(() => new AggregateError(1));
class My extends Error {
  constructor(m) {
    super(m);
    this.name = "My";
    this.extra = 1;
  }
}
const my = new My("boo");
log(String(my), my instanceof My, my.stack.split("\n")[0], show(my), Object.prototype.toString.call(my));
class My2 extends Error {}
My2.prototype.name = "My2";
log(String(new My2("x")), new My2("x").stack.split("\n")[0]);
attempt(() => Error.prototype.toString.call(1));
log(
  Error.prototype.toString.call({ name: "N", message: "M" }),
  Error.prototype.toString.call({}),
  Error.prototype.toString.call({ name: "", message: "M" }),
  Error.prototype.toString.call({ name: "N", message: "" }),
);
const holder = { name: "H", message: "hm" };
Error.captureStackTrace(holder);
log(holder.stack.split("\n")[0], Object.getOwnPropertyDescriptor(holder, "stack") !== undefined);
attempt(() => Error.captureStackTrace(1));
log(Error.stackTraceLimit, Object.getOwnPropertyNames(Error.prototype).filter((name) => name !== "stack" /* newer than Node 22 */).sort().join());
const de = new DOMException("msg", "AbortError");
log(
  de.name,
  de.message,
  de.code,
  de instanceof Error,
  String(de),
  Object.prototype.toString.call(de),
  DOMException.ABORT_ERR,
  new DOMException().name,
);
log(isNaN("x"), isNaN(undefined), isFinite("5"), isFinite(Infinity), typeof globalThis, undefined, NaN, Infinity);
attempt(() => isNaN(Symbol()));
attempt(() => isFinite(1n));
log(
  show(Object.getOwnPropertyDescriptor(globalThis, "NaN")),
  show(Object.getOwnPropertyDescriptor(globalThis, "undefined")),
  Object.getOwnPropertyDescriptor(globalThis, "Array").enumerable,
);
