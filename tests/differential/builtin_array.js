// Array: methods, on dense arrays, arrays with holes, array-likes, subclasses and proxies.
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
const holes = [1, , 3];
const like = { length: 3, 0: "a", 2: "c" };
const seen = (f) => {
  const s = [];
  f((v, i, a) => {
    s.push(show(v) + "@" + i);
    return v > 1;
  });
  return s;
};
for (const m of [
  "forEach",
  "map",
  "filter",
  "some",
  "every",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flatMap",
]) {
  log(
    m,
    seen((f) => log(show([holes[m](f)]))),
    seen((f) => Array.prototype[m].call(like, f)),
  );
  attempt(() => [][m]());
  attempt(() => [1][m]({}));
  attempt(() => [1][m]("x"));
  attempt(() => Array.prototype[m].call(null, () => 1));
}
log(
  [1, 2, 3].reduce((a, b) => a + b),
  [1, 2, 3].reduceRight((a, b) => a + "-" + b),
  [].reduce((a, b) => a, 5),
  [, 1, , 2].reduce((a, b) => a + b),
);
attempt(() => [].reduce((a, b) => a));
attempt(() => [, ,].reduceRight((a, b) => a));
attempt(() => [1].reduce());
// changing during callbacks
{
  const a = [1, 2, 3];
  const s = [];
  a.forEach((v, i) => {
    s.push(v);
    if (i === 0) {
      a.push(4);
      a[1] = "x";
      delete a[2];
    }
  });
  log(s, a);
}
{
  const a = [1, 2, 3, 4];
  log(
    a.map((v, i) => {
      a.length = 2;
      return v;
    }).length,
    a.filter(() => true),
  );
}
{
  const a = [1, 2, 3];
  log(
    a.find((v, i) => {
      a.length = 0;
      return i === 2;
    }),
    a.length,
  );
}
{
  const a = [1, 2, 3];
  const r = a.reduce((acc, v) => {
    if (v === 1) a.splice(1, 2);
    return acc + v;
  }, 0);
  log(r);
}
log(
  [1, 2, 3].indexOf(2),
  [1, 2, 3].indexOf(2, 2),
  [NaN].indexOf(NaN),
  [1, 2, 3].indexOf(3, -1),
  [1, , 3].indexOf(undefined),
  [1, 2, 1].lastIndexOf(1),
  [1, 2, 1].lastIndexOf(1, -2),
  [1].lastIndexOf(1, undefined),
  [NaN].includes(NaN),
  [, 1].includes(undefined),
  [1, 2].includes(1, 1),
  ["a"].indexOf("a"),
  [1.0].indexOf(1),
  [0].includes(-0),
  [1n].indexOf(1n),
  [].lastIndexOf(1),
);
log(
  [1, [2, [3, [4]]], , 5].flat().length,
  show([1, [2, [3, [4]]]].flat(Infinity)),
  show([[1], [[2]]].flat(0)),
  show([1, 2].flatMap((x) => [x, [x * 2]])),
  show([1, [2, [3]]].flat("1")),
  show([[1, , 2]].flat()),
);
log(
  show([1, 2, 3, 4].slice(1, -1)),
  show([1, , 3].slice()),
  1 in [1, , 3].slice(),
  show(Array.prototype.slice.call("abc", 1)),
  show([1, 2].slice(5)),
  show([1, 2, 3].slice(-2)),
  show([1, 2, 3].slice(NaN, 2.9)),
);
log(
  show([1].concat(2, [3, [4]], "x", [, 5])),
  show([].concat({ length: 1, 0: "s", [Symbol.isConcatSpreadable]: true })),
  show([1].concat(Object.assign([2], { [Symbol.isConcatSpreadable]: false }))),
);
attempt(() => Array.prototype.concat.call(null));
{
  const a = [1, 2, 3, 4, 5];
  log(
    show(a.splice(1, 2, "a", "b", "c")),
    show(a),
    show(a.splice(-1)),
    show(a.splice(0, 0, 9)),
    show(a),
    show(a.splice()),
    show(a.splice(undefined)),
    show(a),
    show([1, 2, 3].splice(1, undefined)),
  );
}
{
  const a = [1, , 3, , 5];
  log(show(a.splice(1, 3, 7)), show(a), a.length);
}
{
  const o = { length: 3, 0: 1, 1: 2, 2: 3 };
  log(show(Array.prototype.splice.call(o, 0, 1)), show(o));
}
{
  const a = [];
  log(
    a.push(1, 2),
    a.push(),
    a.pop(),
    a.pop(),
    a.pop(),
    a.length,
    a.unshift(3, 4),
    a.unshift(),
    a.shift(),
    a.shift(),
    a.shift(),
    show(a),
  );
}
{
  const a = [1, , 3];
  log(a.shift(), show(a), 0 in a);
  a.unshift("q");
  log(show(a), 1 in a, a.length);
}
{
  const o = {};
  log(
    Array.prototype.push.call(o, "x", "y"),
    show(o),
    Array.prototype.pop.call(o),
    show(o),
    Array.prototype.shift.call(o),
    show(o),
    Array.prototype.unshift.call(o, 1, 2),
    show(o),
  );
}
{
  const a = [];
  for (let i = 0; i < 2000; i++) a.unshift(i);
  log(a[0], a[1999], a.length);
  let s = 0;
  while (a.length) s += a.shift();
  log(s);
}
log(
  show([1, 2, 3].reverse()),
  show([1, , 3, 4].reverse()),
  show([1, 2, 3].fill(0, 1)),
  show(new Array(3).fill("x")),
  show([1, 2, 3].fill(9, -1)),
  show([1, 2, 3, 4, 5].copyWithin(0, 3)),
  show([1, 2, 3, 4, 5].copyWithin(1, 0, 3)),
  show([1, , 3].copyWithin(0, 1)),
  show(Array.prototype.reverse.call({ length: 3, 0: 1 })),
);
log(
  [1, [2, [3]], null, undefined, , true].join(),
  [1, 2].join("--"),
  [].join(),
  [null].join("x"),
  String([[], [[]]]),
  [1, 2].join(undefined),
  [1, 2].join(null),
  Array.prototype.join.call("abc", "-"),
  [{}, () => 1].toString(),
);
attempt(() => [Symbol()].join());
{
  const c = [1];
  c.push(c, [c]);
  log(c.join(";"));
}
log(
  [1.5, "a", null].toLocaleString(),
  Array.prototype.toString.call({ join: () => "J" }),
  Array.prototype.toString.call({}),
);
log(
  [1, 2, 3].at(-1),
  [1].at(1),
  [1, 2, 3].at("1"),
  [1].at(NaN),
  show([3, 1, 2].toSorted()),
  show([1, 2, 3].toReversed()),
  show([1, , 3].toReversed()),
  show([1, 2, 3].toSpliced(1, 1, "x", "y")),
  show([1, 2].with(0, 5)),
  show([1, 2, 3].toSorted((a, b) => b - a)),
  show([1, 2, 3].toSpliced()),
  show([1, 2, 3].toSpliced(1)),
);
attempt(() => [1].with(1, 0));
attempt(() => [1].with(-2, 0));
attempt(() => [1].toSorted(1));
log(
  show(Array.from("a😀b")),
  show(Array.from({ length: 2 }, (v, i) => i)),
  show(Array.from([1, 2], (x) => x * 2)),
  show(Array.from(new Set([1, 1, 2]))),
  show(Array.from(new Map([[1, 2]]))),
  show(Array.from(like)),
  show(Array.from(5)),
  show(Array.of(7, undefined)),
  show(Array.from([1, , 3])),
);
attempt(() => Array.from(null));
attempt(() => Array.from([1], 5));
attempt(() => Array.from({ [Symbol.iterator]: 1 }));
{
  const log2 = [];
  const it = {
    [Symbol.iterator]() {
      let i = 0;
      return {
        next: () => ({ value: i++, done: false }),
        return() {
          log2.push("closed");
          return {};
        },
      };
    },
  };
  attempt(() =>
    Array.from(it, (x) => {
      if (x === 2) throw new Error("stop");
      return x;
    }),
  );
  log(log2);
  const [a, b] = it;
  log(a, b, log2);
}
class MyArr extends Array {
  get last() {
    return this[this.length - 1];
  }
}
{
  const m = MyArr.from([1, 2, 3]);
  log(
    m instanceof MyArr,
    m.last,
    m.map((x) => x * 2) instanceof MyArr,
    m.filter((x) => x > 1).last,
    m.length,
    Array.isArray(m),
    m.slice(1).constructor.name,
    m.concat([4]).last,
    new MyArr(3).length,
    MyArr.of(1, 2).last,
    m.splice(0, 1).constructor.name,
    m.flat().constructor.name,
    m.toSorted().constructor.name,
    show(m),
  );
}
class Sp extends Array {
  static get [Symbol.species]() {
    return Array;
  }
}
log(new Sp(1, 2).map((x) => x).constructor.name, Sp.from([1]).constructor.name);
{
  const a = [1, 2];
  a.constructor = {
    [Symbol.species]: function (n) {
      this.n = n;
    },
  };
  log(show(a.map((x) => x + 1)));
  a.constructor = undefined;
  log(show(a.map((x) => x)));
  a.constructor = 5;
  attempt(() => a.map((x) => x));
  a.constructor = { [Symbol.species]: null };
  log(show(a.slice()));
  a.constructor = { [Symbol.species]: 1 };
  attempt(() => a.filter((x) => x));
}
log(
  new Array(3).length,
  show(Array(2)),
  show(new Array("3")),
  show(Array(1, 2)),
  new Array(5000).fill(1).reduce((a, b) => a + b),
);
attempt(() => new Array(-1));
attempt(() => new Array(1.5));
attempt(() => Array(4294967296));
attempt(() => {
  [].length = -1;
});
attempt(() => {
  [].length = 1.5;
});
{
  const a = [1, 2, 3];
  a.length = 1;
  log(show(a));
  a.length = 3;
  log(show(a), 2 in a);
  a[10] = 1;
  log(a.length, Object.keys(a));
  a[4294967295] = 1;
  log(a.length);
  a["3"] = "s";
  log(a[3]);
  a[100000] = 1;
  log(a.length, Object.keys(a).length, a.indexOf(1, 50));
  a.length = 2;
  log(show(a));
}
log(
  [...[1, 2].entries()].join("|"),
  [...[1, , 2].keys()],
  [...["a", "b"].values()],
  [][Symbol.iterator] === [].values,
  Object.prototype.toString.call([].values()),
  typeof [].values().next,
);
{
  const a = [1, 2];
  const it = a.values();
  it.next();
  a.push(3);
  log([...it], show(it.next()));
  a.push(4);
  log(show(it.next()));
}
attempt(() => [].values().next.call({}));
log(
  Object.keys(Array.prototype[Symbol.unscopables]).join(),
  Object.getPrototypeOf(Array.prototype[Symbol.unscopables]),
);
log(Object.getOwnPropertyNames(Array.prototype).sort().join(), Object.getOwnPropertyNames(Array).sort().join());
log(Array.isArray(new Proxy([], {})), Array.isArray({ __proto__: Array.prototype }), Array.isArray(Array.prototype));
attempt(() => Array.prototype.push.call({ length: 2 ** 53 - 1 }, 1));
attempt(() => Array.prototype.unshift.call({ length: 2 ** 53 - 1 }, 1));
log(Array.prototype.indexOf.call({ length: 2 ** 53 - 1, [2 ** 53 - 2]: "e" }, "e", 2 ** 53 - 3));
{
  Array.prototype[1] = "proto";
  const h = [1, , 3];
  log(h[1], h.map((x) => x).join(), h.indexOf("proto"), show(h.slice()), [...h].join(), h.includes("proto"));
  h.sort();
  log(show(h));
  const p = [];
  p.push(1, 2);
  log(show(p));
  delete Array.prototype[1];
  log(show([1, , 3]));
}
{
  const tr = [];
  const p = new Proxy([1, 2, 3], {
    get(o, k) {
      tr.push("get " + String(k));
      return Reflect.get(o, k);
    },
    has(o, k) {
      tr.push("has " + String(k));
      return Reflect.has(o, k);
    },
    set(o, k, v) {
      tr.push("set " + String(k));
      return Reflect.set(o, k, v);
    },
    deleteProperty(o, k) {
      tr.push("del " + String(k));
      return Reflect.deleteProperty(o, k);
    },
    defineProperty(o, k, dd) {
      tr.push("def " + String(k));
      return Reflect.defineProperty(o, k, dd);
    },
    getOwnPropertyDescriptor(o, k) {
      tr.push("gopd " + String(k));
      return Reflect.getOwnPropertyDescriptor(o, k);
    },
  });
  const run = (name, f) => {
    tr.length = 0;
    let r;
    try {
      r = show(f());
    } catch (e) {
      r = String(e);
    }
    log(name, r, tr.join(","));
  };
  run("map", () => p.map((x) => x));
  run("shift", () => p.shift());
  run("push", () => p.push(5));
  run("splice", () => p.splice(0, 1, 7, 8));
  run("reverse", () => p.reverse());
  run("sort", () => p.sort());
  run("indexOf", () => p.indexOf(8));
  run("includes", () => p.includes(99));
  run("join", () => p.join());
  run("concat", () => p.concat([1]));
  run("slice", () => p.slice(1));
  run("fill", () => p.fill(0, 1));
  run("unshift", () => p.unshift(1));
  run("pop", () => p.pop());
  run("flat", () => p.flat());
  run("copyWithin", () => p.copyWithin(0, 1));
  run("at", () => p.at(-1));
  run("toSorted", () => p.toSorted());
  run("with", () => p.with(0, 1));
  run("every", () => p.every((x) => true));
  run("lastIndexOf", () => p.lastIndexOf(42));
  run("findLast", () => p.findLast(() => false));
  run("from", () => Array.from(p));
  run("spread", () => [...p]);
  run("entries", () => [...p.entries()]);
  run("length0", () => {
    p.length = 0;
    return p;
  });
}
