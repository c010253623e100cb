// Proxy: traps and invariants; Reflect.
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
const tr = [];
const handler = new Proxy(
  {},
  {
    get(_, name) {
      return (...args) => {
        tr.push(
          name +
            "(" +
            args
              .slice(1)
              .map((a) =>
                typeof a === "symbol" ? String(a) : typeof a === "object" || typeof a === "function" ? typeof a : a,
              )
              .join() +
            ")",
        );
        return Reflect[name](...args);
      };
    },
  },
);
const target = {
  a: 1,
  get g() {
    return this === p;
  },
  m() {
    return this === p;
  },
};
const p = new Proxy(target, handler);
const run = (name, f) => {
  tr.length = 0;
  let r;
  try {
    r = f();
    r = typeof r === "object" && r ? show(r) : String(r);
  } catch (e) {
    r = String(e);
  }
  log(name, r, tr.join(" "));
};
run("get", () => p.a);
run("getter", () => p.g);
run("call", () => p.m());
run("set", () => (p.b = 2));
run("has", () => "a" in p);
run("delete", () => delete p.b);
run("keys", () => Object.keys(p));
run("names", () => Object.getOwnPropertyNames(p));
run("entries", () => Object.entries(p));
run("assign", () => Object.assign({}, p));
run("spread", () => ({ ...p }));
run("assign to", () => Object.assign(p, { c: 3 }));
run("forin", () => {
  const k = [];
  for (const x in p) k.push(x);
  return k.join();
});
run("json", () => JSON.stringify(p));
run("gpo", () => Object.getPrototypeOf(p) === Object.prototype);
run("spo", () => Object.setPrototypeOf(p, null) === p);
run("spo2", () => Object.setPrototypeOf(p, Object.prototype) === p);
run("ext", () => Object.isExtensible(p));
run("define", () => Object.defineProperty(p, "d", { value: 4, configurable: true }) === p);
run("gopd", () => Object.getOwnPropertyDescriptor(p, "d"));
run("instanceof", () => p instanceof Object);
run("hasOwn", () => p.hasOwnProperty("a"));
run("rest", () => {
  const { a, ...r } = p;
  return r;
});
run("freeze", () => Object.isFrozen(Object.freeze(p)));
run("inherit get", () => Object.create(p).a);
run("inherit set", () => {
  const o = Object.create(new Proxy({}, handler));
  o.z = 1;
  return show(o);
});
run("reflect set receiver", () => Reflect.set(new Proxy({}, handler), "x", 1, new Proxy({}, handler)));
const fp = new Proxy(
  function (a, b) {
    return [this === undefined ? "undef" : typeof this, a, b, new.target === undefined].join();
  },
  {
    apply(t2, th, args) {
      return "applied " + args.length + " " + String(th);
    },
    construct(t2, args, nt) {
      return { args: args.length, nt: nt === fp };
    },
  },
);
log(
  fp(1, 2),
  fp.call("th", 1),
  fp.apply(null, [1, 2, 3, 4, 5]),
  show(new fp(1)),
  typeof fp,
  Reflect.apply(fp, 1, [2]),
  show(Reflect.construct(fp, [1, 2])),
);
const fp2 = new Proxy(
  class K {
    constructor(x) {
      this.x = x;
      this.nt = new.target === fp2;
    }
  },
  {},
);
log(show(new fp2(5)));
attempt(() => fp2());
class D extends fp2 {
  constructor() {
    super(9);
  }
}
log(show(new D()), new D() instanceof fp2);
attempt(() => new new Proxy(() => 1, {})());
attempt(() => new Proxy({}, {})());
attempt(
  () =>
    new new Proxy(function () {}, {
      construct() {
        return 1;
      },
    })(),
);
attempt(() => Proxy());
attempt(() => new Proxy(1, {}));
attempt(() => new Proxy({}, null));
attempt(() => new Proxy({}, { get: 1 }).x);
log(Proxy.length, Proxy.name, "prototype" in Proxy);
const rv = Proxy.revocable({}, {});
rv.revoke();
rv.revoke();
for (const f of [
  () => rv.proxy.x,
  () => (rv.proxy.x = 1),
  () => "x" in rv.proxy,
  () => delete rv.proxy.x,
  () => Object.keys(rv.proxy),
  () => Object.getPrototypeOf(rv.proxy),
  () => Object.isExtensible(rv.proxy),
  () => Array.isArray(rv.proxy),
  () => new Proxy(rv.proxy, {}) && "ok",
  () => typeof rv.proxy,
])
  attempt(f);
const rf = Proxy.revocable(function () {}, {});
rf.revoke();
attempt(() => rf.proxy());
attempt(() => new rf.proxy());
log(typeof rf.proxy);
// invariants
const nc = Object.defineProperty({}, "k", { value: 1 });
const ncw = Object.defineProperty({}, "k", { value: 1, writable: true });
const acc = Object.defineProperty({}, "k", { set: undefined, get: undefined });
const ne = Object.preventExtensions({ k: 1 });
const P = (tg, h) => new Proxy(tg, h);
("use strict");
attempt(() => P(nc, { get: () => 2 }).k);
attempt(() => P(nc, { get: () => 1 }).k);
attempt(() => P(acc, { get: () => 1 }).k);
attempt(() => Reflect.set(P(nc, { set: () => true }), "k", 2));
attempt(() => Reflect.set(P(nc, { set: () => true }), "k", 1));
attempt(() => Reflect.set(P(acc, { set: () => true }), "k", 2));
attempt(() => "k" in P(nc, { has: () => false }));
attempt(() => "k" in P(ne, { has: () => false }));
attempt(() => Reflect.deleteProperty(P(nc, { deleteProperty: () => true }), "k"));
attempt(() => Reflect.deleteProperty(P(ne, { deleteProperty: () => true }), "k"));
attempt(() => Reflect.ownKeys(P(nc, { ownKeys: () => [] })));
attempt(() => Reflect.ownKeys(P(ne, { ownKeys: () => ["k", "z"] })));
attempt(() => Reflect.ownKeys(P({}, { ownKeys: () => ["a", "a"] })));
attempt(() => Reflect.ownKeys(P({}, { ownKeys: () => [1] })));
attempt(() => Reflect.ownKeys(P({}, { ownKeys: () => 1 })));
attempt(() => Reflect.ownKeys(P({}, { ownKeys: () => ({ length: 2, 0: "x", 1: Symbol.iterator }) })).map(String));
attempt(() => Object.keys(P({}, { ownKeys: () => ["a"] })));
attempt(() =>
  Object.keys(
    P(
      {},
      { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) },
    ),
  ),
);
attempt(() => Object.getPrototypeOf(P({}, { getPrototypeOf: () => 1 })));
attempt(() => Object.getPrototypeOf(P(ne, { getPrototypeOf: () => null })));
attempt(() => Object.setPrototypeOf(P(ne, { setPrototypeOf: () => true }), null));
attempt(() => Object.setPrototypeOf(P({}, { setPrototypeOf: () => false }), null));
attempt(() => Object.isExtensible(P({}, { isExtensible: () => false })));
attempt(() => Object.isExtensible(P(ne, { isExtensible: () => true })));
attempt(() => Object.preventExtensions(P({}, { preventExtensions: () => true })));
attempt(() => Object.preventExtensions(P({}, { preventExtensions: () => false })));
attempt(() => Reflect.preventExtensions(P({}, { preventExtensions: () => false })));
const G = (tg, r) => Object.getOwnPropertyDescriptor(P(tg, { getOwnPropertyDescriptor: () => r }), "k");
attempt(() => G({}, 1));
attempt(() => G(nc, undefined));
attempt(() => G(ne, undefined));
attempt(() => show(G({}, { value: 1, configurable: true })));
attempt(() => G({}, { value: 1, configurable: false }));
attempt(() => G(nc, { value: 2 }));
attempt(() => G(ne, { value: 1, configurable: true }) && "ok");
attempt(() => G(Object.preventExtensions({}), { value: 1, configurable: true }));
attempt(() => show(G(nc, { value: 1 })));
attempt(() => G(ncw, { value: 1, writable: false, configurable: false }));
attempt(() => G({ k: 1 }, { value: 1, configurable: false }));
const Dp = (tg, d) => Object.defineProperty(P(tg, { defineProperty: () => true }), "k", d) && "ok";
attempt(() => Dp({}, { value: 1, configurable: false }));
attempt(() => Dp(ne, { value: 1 }));
attempt(() => Dp(Object.preventExtensions({}), { value: 1 }));
attempt(() => Dp(nc, { value: 2 }));
attempt(() => Dp(ncw, { value: 1, writable: false, configurable: false }));
attempt(() => Dp({ k: 1 }, { configurable: false }));
attempt(() => Dp({}, { value: 1, configurable: true }));
attempt(() => Object.defineProperty(P({}, { defineProperty: () => false }), "k", {}));
attempt(() => {
  "use strict";
  P({}, { set: () => false }).q = 1;
});
attempt(() => {
  "use strict";
  delete P({}, { deleteProperty: () => false }).q;
});
// convex's api object
const functionName = Symbol.for("functionName");
const createApi = (parts = []) =>
  new Proxy(
    {},
    {
      get(_, prop) {
        if (typeof prop === "string") return createApi([...parts, prop]);
        if (prop === functionName) {
          const path = parts.slice(0, -1).join("/");
          const e = parts[parts.length - 1];
          return e === "default" ? path : path + ":" + e;
        }
        if (prop === Symbol.toStringTag) return "FunctionReference";
        return undefined;
      },
    },
  );
const api = createApi();
log(api.messages.list[functionName], api.a.b.default[functionName], Object.prototype.toString.call(api.x));
// Reflect
log(
  Reflect.ownKeys({ b: 1, a: 2, 1: 0, [Symbol.iterator]: 1 }).map(String),
  Reflect.has({ x: 1 }, "x"),
  Reflect.get(
    {
      get x() {
        return this.y;
      },
    },
    "x",
    { y: 5 },
  ),
  show(
    (() => {
      const o = {
        set x(v) {
          this.z = v;
        },
      };
      const r = {};
      return [Reflect.set(o, "x", 1, r), r];
    })(),
  ),
  Reflect.defineProperty(Object.freeze({}), "x", {}),
  Reflect.deleteProperty(Object.freeze({ a: 1 }), "a"),
  show(Reflect.getOwnPropertyDescriptor({ a: 1 }, "a")),
  Reflect.getPrototypeOf([]) === Array.prototype,
  Reflect.setPrototypeOf(Object.freeze({}), null),
  Reflect.setPrototypeOf(Object.prototype, {}),
  Reflect.isExtensible({}),
  Reflect.preventExtensions({}),
  Reflect.apply(Math.max, null, [1, 2]),
  Reflect.construct(Date, [2020, 1], Array) instanceof Array,
  Reflect.set({}, "x", 1, 5),
);
attempt(() => Reflect.get(1));
attempt(() => Reflect.apply(1));
attempt(() => Reflect.apply(() => 1, null));
attempt(() => Reflect.construct(1));
attempt(() => Reflect.construct(function () {}, [], 1));
attempt(() => Reflect.construct(() => 1, []));
attempt(() => Reflect.ownKeys(1));
attempt(() => Reflect.setPrototypeOf({}, 1));
attempt(() => Reflect.defineProperty({}, "x", 1));
log(Object.getOwnPropertyNames(Reflect).sort().join(), String(Reflect));
