// Object: statics and prototype.
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
log(show(Object.assign({ a: 1 }, null, { b: 2, a: 3 }, "xy", undefined, 5)));
attempt(() => Object.assign(Object.freeze({ x: 1 }), { x: 2 }));
attempt(() => Object.assign(null));
const order = {};
order.b = 1;
order[2] = 1;
order.a = 1;
order[1] = 1;
order[Symbol.for("s")] = 1;
order["-1"] = 1;
order["01"] = 1;
log(Object.keys(order), Reflect.ownKeys(order).map(String));
log(show(Object.entries({ x: 1, y: [2] })), show(Object.values("abc")), Object.keys("ab"), Object.keys([1, , 3]));
const acc = {
  get v() {
    delete this.w;
    return 1;
  },
  w: 2,
  z: 3,
};
log(show(Object.entries(acc)));
const acc2 = {
  get v() {
    this.added = 1;
    return 1;
  },
  w: 2,
};
log(show(Object.values(acc2)), show(Object.keys(acc2)));
log(
  show(
    Object.fromEntries(
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
    ),
  ),
  show(
    Object.fromEntries([
      [1, 2],
      [Symbol.iterator, 3],
    ]),
  ),
);
attempt(() => Object.fromEntries(null));
attempt(() => Object.fromEntries([1]));
attempt(() => Object.fromEntries([null]));
attempt(() => Object.fromEntries(5));
const d = (o, k) => {
  const p = Object.getOwnPropertyDescriptor(o, k);
  return p && show({ ...p, get: typeof p.get, set: typeof p.set });
};
const def = Object.defineProperty({}, "x", { value: 1 });
log(d(def, "x"), d(def, "y"));
attempt(() => {
  "use strict";
  def.x = 2;
});
attempt(() => Object.defineProperty(def, "x", { value: 2 }));
attempt(() => Object.defineProperty(def, "x", { value: 1 }) === def);
attempt(() => Object.defineProperty(def, "x", { get() {} }));
attempt(() => Object.defineProperty({}, "x", { get: 1 }));
attempt(() => Object.defineProperty({}, "x", { set: "a" }));
attempt(() => Object.defineProperty({}, "x", { get() {}, value: 1 }));
attempt(() => Object.defineProperty(1, "x", {}));
attempt(() => Object.defineProperty({}, "x", 1));
attempt(() => Object.defineProperty({}, "x", "abc"));
attempt(() => Object.defineProperty(Object.preventExtensions({}), "x", { value: 1 }));
log(
  show(
    Object.getOwnPropertyDescriptors({
      a: 1,
      get b() {
        return 1;
      },
    }),
  ),
);
log(
  d(
    Object.defineProperties(
      {},
      {
        a: { value: 1, enumerable: true },
        b: {
          get() {
            return 2;
          },
          configurable: true,
        },
      },
    ),
    "b",
  ),
);
attempt(() => Object.defineProperties({}, null));
attempt(() => Object.defineProperties({}, { x: 1 }));
const proto = { inherited: 1 };
const child = Object.create(proto, { own: { value: 2, enumerable: true } });
log(child.inherited, child.own, Object.getPrototypeOf(child) === proto, show(child));
attempt(() => Object.create());
attempt(() => Object.create(1));
attempt(() => Object.create("x"));
log(Object.getPrototypeOf(Object.create(null)));
attempt(() => Object.getPrototypeOf(null));
log(Object.getPrototypeOf(1) === Number.prototype, Object.getPrototypeOf("") === String.prototype);
attempt(() => Object.setPrototypeOf(null, {}));
attempt(() => Object.setPrototypeOf({}, 1));
attempt(() => Object.setPrototypeOf({}));
log(Object.setPrototypeOf(1, null));
attempt(() => Object.setPrototypeOf(Object.preventExtensions({}), {}));
attempt(() => {
  const a = {};
  Object.setPrototypeOf(a, Object.create(a));
});
attempt(() => {
  const a = {};
  a.__proto__ = Object.create(a);
});
attempt(() => {
  Object.prototype.__proto__ = {};
});
attempt(() => Object.setPrototypeOf(Object.prototype, {}));
log(Object.setPrototypeOf(Object.prototype, null) === Object.prototype);
const o1 = {};
o1.__proto__ = 5;
log(Object.getPrototypeOf(o1) === Object.prototype);
o1.__proto__ = null;
log(Object.getPrototypeOf(o1), o1.__proto__);
log({ __proto__: proto }.inherited, Object.hasOwn({ ["__proto__"]: 1 }, "__proto__"));
log(Object.is(NaN, NaN), Object.is(0, -0), Object.is("a", "a"), Object.is({}, {}));
// integrity
const fr = Object.freeze({
  a: 1,
  b: { c: 2 },
  get g() {
    return 1;
  },
});
log(
  Object.isFrozen(fr),
  Object.isSealed(fr),
  Object.isExtensible(fr),
  Object.isFrozen(1),
  Object.isFrozen({}),
  Object.isFrozen(Object.preventExtensions({})),
);
attempt(() => {
  "use strict";
  fr.a = 2;
});
attempt(() => {
  "use strict";
  fr.n = 2;
});
attempt(() => {
  "use strict";
  delete fr.a;
});
fr.b.c = 3;
log(fr.b.c);
const se = Object.seal({ a: 1 });
se.a = 2;
log(se.a, Object.isSealed(se), Object.isFrozen(se));
attempt(() => {
  "use strict";
  delete se.a;
});
attempt(() => {
  "use strict";
  se.q = 1;
});
const fa = Object.freeze([1, 2]);
attempt(() => fa.push(3));
attempt(() => fa.pop());
attempt(() => {
  "use strict";
  fa[0] = 5;
});
attempt(() => {
  "use strict";
  fa.length = 0;
});
attempt(() => fa.sort());
attempt(() => fa.reverse());
attempt(() => fa.shift());
attempt(() => fa.unshift(1));
attempt(() => fa.splice(0, 1));
attempt(() => fa.fill(0));
log(fa, Object.isFrozen(fa));
const sa = Object.seal([1, 2]);
sa[0] = 9;
log(sa);
attempt(() => sa.push(1));
attempt(() => sa.pop());
attempt(() => {
  "use strict";
  sa.length = 1;
});
log(sa.length);
log(Object.isFrozen(Object.freeze(function f() {})), Object.isFrozen("x"));
// prototype
log(
  Object.prototype.toString.call([]),
  Object.prototype.toString.call(null),
  Object.prototype.toString.call(undefined),
  Object.prototype.toString.call(() => 1),
  Object.prototype.toString.call(new Error("x")),
  Object.prototype.toString.call(1),
  Object.prototype.toString.call("s"),
  Object.prototype.toString.call(true),
  Object.prototype.toString.call(Symbol()),
  Object.prototype.toString.call(new Map()),
  Object.prototype.toString.call(Promise.resolve()),
  Object.prototype.toString.call(
    (function () {
      return arguments;
    })(),
  ),
  Object.prototype.toString.call({ [Symbol.toStringTag]: "Tag" }),
  Object.prototype.toString.call({ [Symbol.toStringTag]: 1 }),
  Object.prototype.toString.call(function* () {}),
  Object.prototype.toString.call((function* () {})()),
  Object.prototype.toString.call(async () => 1),
  Object.prototype.toString.call(new Proxy([], {})),
  Object.prototype.toString.call(globalThis).slice(0, 8),
  Object.prototype.toString.call(Reflect),
  Object.prototype.toString.call(new Uint8Array(1)),
);
log(
  { a: 1 }.hasOwnProperty("a"),
  [1].hasOwnProperty(0),
  "ab".hasOwnProperty(1),
  "ab".hasOwnProperty("length"),
  [].hasOwnProperty("length"),
  (() => 1).hasOwnProperty("name"),
);
attempt(() => Object.prototype.hasOwnProperty.call(null, "x"));
attempt(() => Object.hasOwn(null, "x"));
log(Object.hasOwn({ x: 1 }, "x"), Object.hasOwn("abc", "1"));
log(proto.isPrototypeOf(child), child.isPrototypeOf(proto), Object.prototype.isPrototypeOf.call(proto, 1));
attempt(() => Object.prototype.isPrototypeOf.call(null, {}));
log({ a: 1 }.propertyIsEnumerable("a"), [].propertyIsEnumerable("length"), child.propertyIsEnumerable("inherited"));
log(
  {}.toLocaleString(),
  {
    toString() {
      return "ts";
    },
  }.toLocaleString(),
);
attempt(() => Object.prototype.toLocaleString.call(null));
attempt(() => Object.prototype.valueOf.call(undefined));
const dg = {};
dg.__defineGetter__("x", function () {
  return 7;
});
dg.__defineSetter__("x", function (v) {
  this.s = v;
});
dg.x = 4;
log(
  dg.x,
  dg.s,
  typeof dg.__lookupGetter__("x"),
  typeof dg.__lookupSetter__("x"),
  dg.__lookupGetter__("nope"),
  d(dg, "x"),
);
attempt(() => ({}).__defineGetter__("x", 1));
attempt(() => ({}).__defineSetter__("x", 1));
log(
  typeof Object(1),
  typeof Object("s"),
  Object(null) instanceof Object,
  Object(fr) === fr,
  new Object(1) instanceof Number,
);
class Sub extends Object {
  constructor() {
    super(1);
    this.q = 1;
  }
}
log(new Sub() instanceof Sub, show(new Sub()));
log(
  Object.getOwnPropertyNames("ab"),
  Object.getOwnPropertyNames([1]),
  Object.getOwnPropertyNames(function f(a, b) {
    "use strict";
  }),
  Object.getOwnPropertyNames((a) => a),
  Object.getOwnPropertyNames(
    class {
      static m() {}
    },
  ),
);
log(Object.getOwnPropertySymbols({ [Symbol("a")]: 1, [Symbol.iterator]: 2 }).map(String));
log(
  show(Object.groupBy([1, 2, 3, 4], (x) => (x % 2 ? "odd" : "even"))),
  Object.getPrototypeOf(Object.groupBy([], (x) => x)),
);
log(show(Object.groupBy("hello", (c) => c)));
attempt(() => Object.groupBy(null, (x) => x));
attempt(() => Object.groupBy([1]));
log(
  Object.name,
  Object.length,
  Object.assign.length,
  Object.prototype.toString.name,
  Object.getOwnPropertyDescriptor(Object.prototype, "__proto__").get.name,
);
log(Object.getOwnPropertyNames(Object).sort());
log(Object.getOwnPropertyNames(Object.prototype).sort());
// dictionary-size objects keep their order
const big = {};
for (let i = 0; i < 300; i++) big["k" + i] = i;
for (let i = 0; i < 300; i += 3) delete big["k" + i];
big.k0 = "again";
log(Object.keys(big).length, Object.keys(big).slice(-3), Object.values(big).slice(0, 4), Object.entries(big).at(-1));
