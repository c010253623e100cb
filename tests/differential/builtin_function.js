// Function: call, apply, bind, toString, instanceof.
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
const f = function f(a, b, ...c) {
  return [this, a, b === undefined ? 2 : b, c.length].join("|");
};
log(
  f.call(1, 2),
  f.apply("t", [1, 2, 3, 4]),
  f.bind(9, 8)(7),
  f.bind(9).bind(10, 1)(2),
  f.apply(null),
  f.apply(null, { length: 2, 0: "x" }),
);
attempt(() => f.apply(null, 1));
attempt(() => Function.prototype.bind.call({}));
log(
  f.length,
  f.name,
  f.bind().name,
  f.bind(null, 1).length,
  (() => 1).bind().name,
  Object.defineProperty(function () {}, "name", { value: 5 }).bind().name,
  Object.defineProperty(function () {}, "length", { value: Infinity }).bind(null, 1).length,
  Object.defineProperty(function () {}, "length", { value: -5 }).bind().length,
);
class C {
  constructor(x, y) {
    this.s = [x, y].join();
    this.nt = new.target.name;
  }
}
const B = C.bind(null, 1);
log(show(new B(2)), new B(2) instanceof C, new B(3) instanceof B, "prototype" in B);
attempt(() => B());
const Bd = function () {
  return new.target === Bd2;
};
const Bd2 = Bd.bind();
log(typeof new Bd2());
log(
  f.toString(),
  (() => 1).toString(),
  C.toString().slice(0, 9),
  Math.max.toString(),
  class {
    static m() {}
  }.m.toString(),
  {
    get x() {
      return 1;
    },
  }
    .__lookupGetter__("x")
    .toString(),
  async function* ag() {}.toString(),
  f.bind().toString(),
);
attempt(() => Function.prototype.toString.call({}));
log(
  Function.prototype.toString.call(new Proxy(f, {})),
  String(Function.prototype),
  Function.prototype(),
  Function.prototype.length,
  Function.prototype.name,
);
log(
  f instanceof Function,
  Function.prototype[Symbol.hasInstance].call(C, new C()),
  Function.prototype[Symbol.hasInstance].call(1, {}),
  C[Symbol.hasInstance](1),
);
attempt(() => ({}) instanceof (() => 1));
attempt(() => ({}) instanceof 1);
attempt(() => ({}) instanceof {});
log(1 instanceof { [Symbol.hasInstance]: (v) => v === 1 });
attempt(() => {
  function g() {}
  g.prototype = 5;
  return {} instanceof g;
});
attempt(() => f.caller);
attempt(() =>
  (function () {
    "use strict";
    return arguments.callee;
  })(),
);
log(Object.getOwnPropertyNames(Function.prototype).sort().join());
