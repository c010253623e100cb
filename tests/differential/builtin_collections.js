// Map, Set, the algebra of sets, and weak collections.
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
const m = new Map([
  [NaN, 1],
  [0, 2],
  ["a", 3],
]);
m.set(-0, 4).set(NaN, 5).set(1n, 6).set(1.0, "one");
log(
  m.size,
  m.get(0),
  Object.is([...m.keys()][1], 0),
  m.get(NaN),
  m.get(BigInt("1")),
  m.get(1),
  m.has("a"),
  m.has("b"),
  m.delete("a"),
  m.delete("a"),
  show([...m.values()]),
);
{
  const k = "x" + "y".repeat(3);
  const mm = new Map([["xyyy", 1]]);
  log(mm.get(k), mm.get("x" + "yyy"));
  const big = new Map();
  for (let i = 0; i < 5000; i++) big.set("k" + i, i);
  let s = 0;
  for (let i = 0; i < 5000; i += 2) big.delete("k" + i);
  for (const [kk, v] of big) s += v;
  log(big.size, s, big.get("k4999"), big.get("k4998"), big.keys().next().value);
  for (let i = 0; i < 5000; i++) big.delete("k" + i);
  log(big.size, [...big].length);
  big.set(1.5, "f");
  log(big.get(1.5), big.get(3 / 2));
}
// changes during iteration
{
  const x = new Map([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  const seen = [];
  for (const [k] of x) {
    seen.push(k);
    if (k === 1) {
      x.delete(2);
      x.set(4, 4);
    }
    if (k === 3) {
      x.delete(1);
      x.set(1, "again");
    }
    if (seen.length > 10) break;
  }
  log(seen);
  const s2 = [];
  x.forEach((v, k, self) => {
    s2.push(k, v, self === x);
    if (k === 4) x.clear();
    if (s2.length < 12) x.set("n" + s2.length, 1);
  });
  log(s2);
}
{
  const s = new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  const seen = [];
  for (const v of s) {
    seen.push(v);
    for (let i = 1; i < 20; i++) if (i !== v) s.delete(i);
    s.add(100);
  }
  log(seen);
  const it = s.values();
  let guard = 0;
  for (const v of it) {
    s.clear();
    s.add(7);
    if (guard++ > 5) break;
  }
  log(show(it.next()), [...s]);
  s.add(8);
  log(show(it.next()));
}
log(
  [...new Set("hello")],
  new Set([1, 1, "1"]).size,
  [...new Set([3, 1, 3]).entries()].join("|"),
  new Set().add(-0).has(0),
  Set.prototype.keys === Set.prototype.values,
  Set.prototype[Symbol.iterator] === Set.prototype.values,
  Map.prototype[Symbol.iterator] === Map.prototype.entries,
);
attempt(() => Map());
attempt(() => new Map(5));
attempt(() => new Map([1]));
attempt(() => new Map([[1, 2], null]));
attempt(() => new Set(5));
attempt(() => Map.prototype.get.call({}, 1));
attempt(() => Set.prototype.add.call([], 1));
attempt(() => Object.getOwnPropertyDescriptor(Map.prototype, "size").get.call(new Set()));
attempt(() => new Map().forEach(5));
attempt(() => new Map([]).entries().next.call({}));
attempt(() => Map.prototype.set.call(new Set(), 1, 2));
log(
  String(new Map()),
  Object.prototype.toString.call(new Map().entries()),
  Object.prototype.toString.call(new Set().values()),
  Map.length,
  Set.length,
  Map.name,
  Map[Symbol.species] === Map,
);
class M2 extends Map {
  constructor(it) {
    super(it);
    this.extra = 1;
  }
  set(k, v) {
    return super.set(k, v + "!");
  }
}
log(new M2([[1, "a"]]).get(1), new M2().extra, new M2() instanceof Map);
class S2 extends Set {
  add(v) {
    return super.add(v * 2);
  }
}
log([...new S2([1, 2])]);
{
  const closed = [];
  const iter = {
    [Symbol.iterator]() {
      return {
        next: () => ({ value: 1, done: false }),
        return() {
          closed.push("r");
          return {};
        },
      };
    },
  };
  attempt(() => new Map(iter));
  attempt(() => new WeakSet(iter));
  log(closed);
}
log([...Map.groupBy([1, 2, 3, -0, 0], (x) => (x > 1 ? "big" : x))].map(([k, v]) => String(k) + ":" + v).join(";"));
attempt(() => Map.groupBy(null));
attempt(() => Map.groupBy([1], 5));
const A = new Set([1, 2, 3]),
  B = new Set([3, 4, 2]);
log(
  [...A.union(B)],
  [...A.intersection(B)],
  [...A.difference(B)],
  [...A.symmetricDifference(B)],
  A.isSubsetOf(B),
  new Set([3]).isSubsetOf(A),
  A.isSupersetOf(new Set([1])),
  A.isDisjointFrom(B),
  A.isDisjointFrom(new Set([9])),
  [...A.union(new Map([[9, 1]]))],
  [...new Set([1, 2, 3, 4]).intersection(B)],
  [...new Set([9, 8, 7, 3]).difference(new Set([3]))],
);
attempt(() => A.union([1]));
attempt(() => A.union(1));
attempt(() => A.union({ size: 1 }));
attempt(() => A.union({ size: NaN, has() {}, keys() {} }));
attempt(() => A.union({ size: -1, has() {}, keys() {} }));
attempt(() =>
  A.union({
    size: 1,
    has() {},
    keys() {
      return 1;
    },
  }),
);
{
  const tr = [];
  const like = {
    get size() {
      tr.push("size");
      return 2;
    },
    get has() {
      tr.push("get has");
      return (v) => {
        tr.push("has " + v);
        return v === 2;
      };
    },
    get keys() {
      tr.push("get keys");
      return () => {
        tr.push("keys");
        let i = 2;
        return {
          get next() {
            tr.push("get next");
            return () => ({ value: i, done: i++ > 4 });
          },
          return() {
            tr.push("ret");
            return {};
          },
        };
      };
    },
  };
  for (const n of [
    "union",
    "intersection",
    "difference",
    "symmetricDifference",
    "isSubsetOf",
    "isSupersetOf",
    "isDisjointFrom",
  ]) {
    tr.length = 0;
    const r = A[n](like);
    log(n, typeof r === "boolean" ? r : [...r], tr.join());
  }
}
const ko = {};
const wm = new WeakMap([[ko, 1]]);
log(wm.get(ko), wm.has({}), wm.delete(ko), wm.has(ko), wm.set(ko, 2) === wm, wm.get(1));
attempt(() => wm.set(1, 1));
attempt(() => new WeakMap([[1, 2]]));
attempt(() => wm.set(Symbol.for("q"), 1));
log(wm.set(Symbol("q"), 1) === wm);
const ws = new WeakSet([ko]);
log(ws.has(ko), ws.has(1), ws.delete(1));
attempt(() => ws.add("x"));
attempt(() => WeakMap.prototype.get.call(new Map(), 1));
log(
  new WeakRef(ko).deref() === ko,
  Object.prototype.toString.call(new WeakRef(ko)),
  Object.prototype.toString.call(wm),
  Object.prototype.toString.call(ws),
);
attempt(() => new WeakRef(1));
attempt(() => new FinalizationRegistry());
const fr = new FinalizationRegistry(() => {});
log(fr.register(ko, 1, ko), fr.unregister(ko), fr.unregister(ko), Object.prototype.toString.call(fr));
attempt(() => fr.register(1));
attempt(() => fr.register(ko, ko));
attempt(() => fr.unregister(1));
attempt(() => WeakSet());
for (const c of [Map, Set, WeakMap, WeakSet, WeakRef, FinalizationRegistry])
  log(c.name, Object.getOwnPropertyNames(c.prototype).filter((name) => !name.startsWith("getOrInsert") /* newer than Node 22 */).sort().join(), Object.getOwnPropertyNames(c).sort().join());

// A set made from a list holds 0 for −0, as `add` does.
console.log([...new Set([0.5, -0])], new Set([-0]).values().next(), [...new Set([0, -0])], [...new Map([[-0, -0]])]);
