// Copies, literals, arrays and JSON: what has a fast path, and what must not take it.
const show = (...values) => console.log(...values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))));
const descriptors = (object) =>
  Reflect.ownKeys(object)
    .map((key) => {
      const { value, writable, enumerable, configurable, get } = Object.getOwnPropertyDescriptor(object, key);
      return `${String(key)}=${get ? "get" : JSON.stringify(value)}:${+!!writable}${+enumerable}${+configurable}`;
    })
    .join(" ");

// ---- object spread and rest ----
{
  const plain = { a: 1, b: 2, c: 3, d: 4, e: 5 };
  const copy = { ...plain, b: "two", z: 26 };
  show(descriptors(copy), descriptors(plain));
  copy.more = 1;
  copy.and = 2;
  copy.further = 3;
  show(Object.keys(copy), Object.keys(plain));
  const { b, ...rest } = plain;
  rest.b = "new";
  show(b, rest, plain);
  const { a: a1, b: b1, c: c1, d: d1, e: e1, ...nothing } = plain;
  show([a1, b1, c1, d1, e1], nothing, Object.getPrototypeOf(nothing) === Object.prototype);
  const one = "a", two = "c";
  const { [one]: x, [two]: y, ...others } = plain;
  show(x, y, others);
  const { missing, ...all } = plain;
  show(missing === undefined, all);
  const { a, ...sameKeysAgain } = { a: 1, b: 2 };
  const { b: bb, ...otherKeys } = { a: 1, b: 2 };
  show(a, bb, sameKeysAgain, otherKeys);
}
{
  const odd = { x: 1 };
  Object.defineProperty(odd, "hidden", { value: 2, enumerable: false, configurable: true, writable: true });
  Object.defineProperty(odd, "fixed", { value: 3, enumerable: true });
  let reads = 0;
  Object.defineProperty(odd, "got", { get: () => ++reads, enumerable: true, configurable: true });
  odd[Symbol.for("s")] = "symbol";
  odd[3] = "three";
  odd[1] = "one";
  show(descriptors({ ...odd }));
  const { x, ...rest } = odd;
  show(x, descriptors(rest), reads);
  show(descriptors({ ...Object.freeze({ p: 1, q: 2 }) }));
  const inherited = Object.create({ up: 1 }, { own: { value: 1, enumerable: true } });
  show(descriptors({ ...inherited }));
  show({ ...null, ...undefined, ..."hi", ...[7, 8], ...5, ...true });
  const nothing = Object.create(null);
  nothing.k = "v";
  show({ ...nothing }, Object.getPrototypeOf({ ...nothing }) === Object.prototype);
  class Point {
    #secret = 1;
    x = 1;
    y = 2;
    get secret() {
      return this.#secret;
    }
  }
  show({ ...new Point() }, Object.keys({ ...new Point() }));
  const proxy = new Proxy({ a: 1, b: 2 }, {
    ownKeys: () => (console.log("ownKeys"), ["b", "a"]),
    getOwnPropertyDescriptor: (target, key) => (console.log("descriptor", key), Reflect.getOwnPropertyDescriptor(target, key)),
    get: (target, key) => (console.log("get", key), target[key]),
  });
  show({ ...proxy });
  const { a, ...fromProxy } = proxy;
  show(fromProxy);
  const deleted = { a: 1, b: 2, c: 3 };
  delete deleted.b;
  show({ ...deleted }, { ...deleted, b: 9 });
  const big = Object.fromEntries(Array.from({ length: 200 }, (_, i) => ["k" + i, i]));
  const { k7, ...almost } = { ...big };
  show(k7, Object.keys(almost).length, almost.k199, almost.k7 === undefined);
  const wide = Object.fromEntries(Array.from({ length: 63 }, (_, i) => ["w" + i, i]));
  const wider = { ...wide, extra: 1, more: 2, still: 3 };
  show(Object.keys(wider).length, wider.w62, wider.still);
}

// ---- keys of literals behind a spread ----
{
  Object.defineProperty(Object.prototype, "trap", { set() { console.log("setter of the prototype"); }, configurable: true });
  const make = (source, value) => ({ ...source, trap: value, 0: "zero", "1x": "no index" });
  for (let i = 0; i < 3; i++) show(descriptors(make({ a: i }, i)), descriptors(make({ trap: "old", a: i }, i)));
  delete Object.prototype.trap;
  const over = (source) => ({ get x() { return "getter"; }, ...source, x: "data" });
  for (const source of [{}, { x: 1 }, { y: 2 }, { x: 3, y: 4 }]) show(descriptors(over(source)));
  const frozenSource = Object.freeze({ x: 1, y: 2 });
  const sealed = (source) => ({ ...source, x: 5 });
  for (const source of [frozenSource, { x: 1, y: 2 }, frozenSource]) show(descriptors(sealed(source)));
  const own = (source) => ({ ...source, __proto__: Array.prototype, length: 3 });
  show(descriptors(own({ a: 1 })), Array.isArray(own({})), own({}) instanceof Array);
  class Base {
    constructor(seed) {
      if (seed === 1) Object.defineProperty(this, "field", { get: () => "base", configurable: true, enumerable: false });
      if (seed === 2) this.field = "assigned";
      if (seed === 3) Object.defineProperty(this, "field", { value: "fixed", writable: false, configurable: true });
      if (seed === 4) return [1, 2];
      if (seed === 5) return Object.freeze({});
      if (seed === 6) Object.defineProperty(this, "field", { value: "fixed" });
    }
  }
  class Derived extends Base {
    field = "field";
    other = this.field + "!";
  }
  for (let seed = 0; seed < 7; seed++) {
    try {
      show(descriptors(new Derived(seed)));
    } catch (error) {
      show(seed, error.constructor.name + ": " + error.message);
    }
  }
}

// ---- array rest, spread, slice, splice, unshift, shift, fill with holes and patched prototypes ----
const arrays = () => {
  const holey = [1, , 3, , 5];
  const [first, ...rest] = holey;
  show(first, rest, rest.length, 0 in rest, Object.keys([...holey]).length);
  const sliced = holey.slice(1, 4);
  show(Object.keys(sliced), sliced.length, Object.keys(holey.slice(3)), holey.slice(-1), holey.slice(4, 1));
  const spliced = [0, , 2, , 4, 5];
  const removed = spliced.splice(1, 3, "a");
  show(Object.keys(removed), removed.length, Object.keys(spliced), spliced.length);
  const shifted = [1, , 3];
  show(shifted.shift(), Object.keys(shifted), shifted.unshift("x", "y"), Object.keys(shifted));
  const filled = [1, , 3, ,].fill(9, 1, 3);
  show(Object.keys(filled), filled.length, [1, 2].fill(0, 5), [1, 2, 3].fill(0, 2, 1));
  const many = Array.from({ length: 100 }, (_, i) => i);
  many.unshift(...many.slice(0, 50));
  many.splice(10, 120, "only");
  show(many);
  const grown = [];
  for (let i = 0; i < 40; i++) grown.unshift(i), i % 3 === 0 && grown.splice(1, 0, -i, -i - 1), i % 7 === 0 && grown.shift();
  show(grown);
  const sparse = [];
  sparse[5000] = "far";
  const [, ...far] = sparse;
  show(far.length, far[4999], [...sparse].length, sparse.slice(4999).length, Object.keys(sparse.slice(4999)));
};
arrays();
Array.prototype[1] = "inherited";
arrays();
delete Array.prototype[1];
{
  const strange = Object.setPrototypeOf([1, , 3], { 1: "mine", __proto__: Array.prototype });
  show(strange.slice(0, 3), Object.keys(Array.prototype.slice.call(strange, 0)));
  show(Array.prototype.splice.call(strange, 1, 1), strange.length);
  class Stack extends Array {}
  const stack = Stack.from([1, 2, 3]);
  show(stack.slice(1) instanceof Stack, stack.splice(0, 1) instanceof Stack, [...stack], stack.length);
  const [head, ...tail] = stack;
  show(head, tail, tail instanceof Stack);
  const frozen = Object.freeze([1, 2, 3]);
  for (const act of [(a) => a.shift(), (a) => a.unshift(0), (a) => a.splice(0, 1), (a) => a.fill(0)]) {
    try {
      act(frozen);
    } catch (error) {
      show(error.message);
    }
  }
  const original = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function* () {
    yield "patched";
    yield* original.call(this);
  };
  const [p, ...q] = [1, 2];
  show(p, q.length, [...[3, 4]].length, Math.max(...[NaN].slice(0, 0)) === -Infinity);
  Array.prototype[Symbol.iterator] = original;
  const changing = [1, 2, 3, 4];
  const [c0, c1 = changing.pop(), ...c2] = changing;
  show(c0, c1, c2);
  const [m0, { n } = changing.push("late"), ...m1] = [1, { n: 2 }, 3];
  show(m0, n, m1);
}

// ---- JSON ----
{
  const awkward = ['"', "\\", "\b\f\n\r\t\v\0", "\x1f\x20\x7f\x80\xff", "\u2028\u2029", "\ud800", "\udc00x", "😀", "é".repeat(20), "𝒳".repeat(9)];
  for (const text of awkward) {
    for (const pad of [0, 1, 7, 8, 15, 16, 17, 31, 32, 33]) {
      const string = "x".repeat(pad) + text + "y".repeat(pad);
      const json = JSON.stringify({ [string]: string });
      if (JSON.stringify(JSON.parse(json)) !== json) show("differs", pad, escape(text));
      show(json.length, escape(json.slice(pad, pad + 24)));
    }
  }
  for (const key of ["", "k", '"', "a\\b", "0", "00", "1e3", "ключ", "a".repeat(40), "\u{1f600}"]) {
    const text = JSON.stringify([{ [key]: 1, z: 2 }, { [key]: 3, z: 4 }, { [key + "x"]: 5 }, { z: 6, [key]: 7 }]);
    show(text, JSON.stringify(JSON.parse(text)));
  }
  for (const text of ['{"a":1,"a":2}', '{"a":1,"b":2,"a":3,"c":4}', '{"__proto__":1,"x":2}', '[{"a\\u0062":1},{"ab":2}]', '{"b":1,"1":2,"0":3,"a":4}'])
    show(text, JSON.stringify(JSON.parse(text)), Object.keys(JSON.parse(text)));
  for (const number of ["0", "-0", "1", "-1", "2147483647", "-2147483648", "2147483648", "4294967296", "999999999999999", "9007199254740993", "1.5", "-0.0", "0.1e1", "1E400", "123456789012345678901234567890", "5e-324", "0.000001", "1e21"])
    show(number, Object.is(JSON.parse(number), Number(number)), JSON.stringify([Number(number)]));
  for (const bad of ["", "{", "[", '{"a"', '{"a":', '{"a":1', '{"a":1,', "[1,", "[1", '"', '"\\', '"\\u12', "01", "1.", "1e", "-", "+1", "nul", "tru", '{"a":1,}', "[1,]", "\u00a01", '"\n"', "{a:1}", "1 2"]) {
    try {
      JSON.parse(bad);
      show("parsed", bad);
    } catch (error) {
      show(error.name, error.message);
    }
  }
  show(JSON.stringify([1, -1, 10, 99, 100, 101, 12345, 1234567890, 2147483647, -2147483648, 1e15, 1720000000002.25, 0.1, 1e21, 1e-7, -0]));
  show([7, 10, 99, 100, 1000, 9999, 10000, 123456, 1000000, 2147483647, -2147483648, -7, -10].map(String));
}
{
  const shaped = () => [{ a: 1, b: "x" }, { a: 2, b: "y" }];
  show(JSON.stringify(shaped()));
  Object.prototype.toJSON = function () {
    return "patched";
  };
  show(JSON.stringify(shaped()), JSON.stringify({ a: 1 }));
  delete Object.prototype.toJSON;
  show(JSON.stringify(shaped()));
  Array.prototype.toJSON = () => "array";
  show(JSON.stringify({ list: shaped() }));
  delete Array.prototype.toJSON;
  String.prototype.toJSON = () => "string";
  Number.prototype.toJSON = () => "number";
  show(JSON.stringify(shaped()));
  delete String.prototype.toJSON;
  delete Number.prototype.toJSON;
  BigInt.prototype.toJSON = function () {
    return `${this}n`;
  };
  show(JSON.stringify({ big: 12n }));
  delete BigInt.prototype.toJSON;
  const patchesLater = {
    first: 1,
    get second() {
      Object.prototype.toJSON = () => "late";
      return { inner: 1 };
    },
    third: { inner: 2 },
  };
  show(JSON.stringify([patchesLater, { a: 1 }]));
  delete Object.prototype.toJSON;
  const shrinking = { a: 1, get b() { delete this.c; return 2; }, c: 3, d: 4 };
  show(JSON.stringify(shrinking));
  const growing = { a: { toJSON() { growing.z = 1; delete growing.c; return "A"; } }, b: 2, c: 3 };
  show(JSON.stringify(growing), JSON.stringify(growing));
  class Dated {
    at = new Date(0);
    #hidden = 1;
    symbol = Symbol("s");
    method() {}
    nothing = undefined;
    list = [undefined, Symbol("t"), () => 1, NaN, -Infinity, null];
  }
  show(JSON.stringify(new Dated()), JSON.stringify(new Dated(), null, 2), JSON.stringify(new Dated(), ["list", "at"]));
  show(JSON.stringify({ b: 1, 2: 1, a: 1, 1: 1 }), JSON.stringify(Object.create({ up: 1 }, { own: { value: 1, enumerable: true } })));
  show(JSON.stringify({ a: [{ b: 1 }, { b: 2 }] }, (key, value) => (key === "b" ? value + 1 : value)));
  const wide = { a: 1, é: "é", 字: "字", b: { 字: 1 } };
  show(escape(JSON.stringify([wide, wide])), JSON.parse(JSON.stringify([wide, wide])));
}

// ---- searching, case and comparing, at every distance from the end of a block of 16 ----
{
  const found = [];
  for (let length = 1; length < 40; length += 3) {
    const base = "abcdefghijklmnopqrstuvwxyz0123456789ABCD".slice(0, length);
    for (const needle of [base[0], base.slice(-1), base.slice(-2), base.slice(0, 2), base.slice(1, length - 1), base, base + "x", "ba", "é"])
      found.push(base.indexOf(needle), base.indexOf(needle, length >> 1), (base + base).indexOf(needle, 1), base.lastIndexOf(needle));
    found.push(base.toUpperCase(), (base + "É").toLowerCase(), (base + "ß").toUpperCase(), base.toLowerCase() === base);
    for (let at = 0; at < length; at += 2) {
      const other = base.slice(0, at) + "~" + base.slice(at + 1);
      found.push(+(base < other), +(other < base), +(base === other), +(base === other.replace("~", base[at])), +(base.slice(0, at) < base));
    }
  }
  show(found.join());
  show("aXbXc".replace("X", "$&$&"), "aXbXc".replace("X", "-"), "x".repeat(100).replace("x", "") === "x".repeat(99));
  const long = "head ".repeat(30) + "needle" + " tail".repeat(30);
  show(long.replace("needle", "pin"), long.replace("needle", "").length, long.replace("absent", "pin") === long, long.replace("", "start ").slice(0, 12));
  show(long.replaceAll("head", "H"), "aaaa".replaceAll("aa", "b"), "abc".replaceAll("", "-"));
  show(["b", "a\0", "a", "a\xff", "a\u0100", "aa", ""].sort(), ["é", "e", "z", "\u{1f600}", "\uffff"].sort());
}

// ---- for…in ----
{
  const keys = (object, body) => {
    const seen = [];
    for (const key in object) {
      seen.push(key);
      body?.(object, key);
    }
    return seen.join();
  };
  const make = () => ({ a: 1, b: 2, c: 3 });
  show(keys(make()), keys(make(), (object) => delete object.c), keys(make(), (object) => (object.d = 4)));
  show(keys(make(), (object) => { delete object.c; object.c = 1; }), keys(make(), (object) => Object.setPrototypeOf(object, { c: 1, z: 1 })));
  Object.prototype.everywhere = 1;
  show(keys(make()), keys(Object.create(make())), keys([1, 2]));
  delete Object.prototype.everywhere;
  Object.defineProperty(Object.prototype, "silent", { value: 1, configurable: true });
  show(keys(make()), keys({ silent: 1, x: 2 }));
  delete Object.prototype.silent;
  class Base { x = 1; method() {} }
  class Sub extends Base { y = 2; other() {} get z() { return 1; } }
  show(keys(new Sub()), keys(Object.create(new Sub(), { own: { value: 1, enumerable: true } })));
  Base.prototype.late = 1;
  show(keys(new Sub()));
  Object.defineProperty(Base.prototype, "late", { enumerable: false });
  show(keys(new Sub()), keys({ __proto__: { b: 1, a: 2 }, a: 3 }), keys({ __proto__: Object.create(null, { h: { value: 1 } }), h: 2, g: 3 }));
  show(keys(Object.create({ a: 1 }, { a: { value: 2, enumerable: false } })), keys(new Proxy(make(), {})), keys({ 2: 1, 1: 1, a: 1 }), keys(null), keys("ab"));
}

// ---- the rest of the arrays ----
{
  const holey = [1, , 3];
  show(holey.with(0, 9), holey.toSpliced(1, 0, "x"), holey.toReversed(), Object.keys(holey.concat([4, , 6])), holey.concat(holey).length);
  show(holey.indexOf(undefined), holey.includes(undefined), [1.5, 2, NaN].includes(NaN), [1, 2].indexOf(2.0), [0.5 + 0.5].indexOf(1), [-0].includes(0), ["a", "b"].indexOf("b"));
  show([1, [2, [3]], null, undefined, , 4.5, -7, "s", true, 12n].map(String).join("|"), [1, [2, [3]], null, undefined, 4.5].join("-"), [[], [[]]].join());
  const cyclic = [1];
  cyclic.push(cyclic, 2);
  show(cyclic.join(), String(cyclic), [{ toString: () => [7, 8].join("+") }, 9].join());
  const source = new Set([1, 2, 3, 4]);
  source.delete(2);
  show([...source.union(new Set([2, 9]))], [...source.difference(new Set([1]))], [...source.symmetricDifference(new Set([4, 5]))], [...source]);
  const copy = source.union(new Set());
  copy.delete(1);
  copy.add(1);
  show([...copy], [...source], Object.entries({ b: 1, a: [2] }), [...new Map([[1, 2]]).entries()]);
}

// ---- numbers with few decimals, and what looks like them ----
{
  const texts = [0.01, 0.1, 0.25, 0.5, 0.07, 0.29, 1.1, 1.15, 9.99, 10.01, 99.995, 100.1, 1e-7, 0.001, 0.005, 4.35, 8.325, 1720000000002.25, 9999999999999.99, 99999999999999.99, 123456789012.34, 12345678.9, 100000000.01, 1e8 + 0.5, 1e13 + 0.5, 1e15 + 0.5, 2 ** 31, 2 ** 32 + 1, 1e10, 1e14, 1e15, 1e16, 1e20, 1e21, 2 ** 53, 0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308];
  show(texts.map(String).join(" "), texts.map((number) => `${-number}`).join(" "), JSON.stringify(texts));
  let hash = 0;
  for (let i = 1; i < 40000; i++) {
    for (const number of [i / 100, i / 10, i * 1.01, i / 1000, i * 1e8 + i / 100, -i / 100]) {
      const text = String(number);
      if (Number(text) !== number) show("differs", text);
      for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
    }
  }
  show(hash);
}

// ---- Object.assign, instanceof, and collections poured into arrays ----
{
  const source = { a: 1, b: 2, c: 3, d: 4, e: 5 };
  const attempt = (body) => {
    try {
      return body();
    } catch (error) {
      return `${error.constructor.name}: ${error.message}`;
    }
  };
  show(descriptors(Object.assign({}, source, { z: 1 })), descriptors(Object.assign({}, source)), descriptors(Object.assign({ e: 0 }, source)));
  Object.defineProperty(Object.prototype, "c", { set(value) { console.log("setter", value); }, configurable: true });
  show(descriptors(Object.assign({}, source)), descriptors({ ...source }));
  Object.defineProperty(Object.prototype, "c", { value: 1, writable: false, configurable: true });
  show(attempt(() => descriptors(Object.assign({}, source))), descriptors({ ...source }));
  delete Object.prototype.c;
  show(descriptors(Object.assign({}, source)), attempt(() => descriptors(Object.assign(Object.freeze({}), source))));
  show(attempt(() => descriptors(Object.assign(Object.preventExtensions({}), source))), attempt(() => Object.assign(Object.freeze({}), {})));
  const own = JSON.parse('{"__proto__":[1],"x":1}');
  show(Object.getPrototypeOf(Object.assign({}, own)).length, descriptors({ ...own }));
  const target = {};
  show(Object.assign(target, source) === target, Object.assign({}, [7], "hi", null, { f() {} }.f.length), Object.assign({}, { get g() { return 1; } }));

  class Animal {}
  class Dog extends Animal {}
  class Odd {
    static [Symbol.hasInstance](value) {
      return value === 1;
    }
  }
  function Old() {}
  const bound = Dog.bind(null);
  const tests = () => [new Dog() instanceof Animal, new Dog() instanceof Dog, {} instanceof Dog, 1 instanceof Odd, 2 instanceof Odd, new Old() instanceof Old, new Dog() instanceof bound, [] instanceof Object, Object instanceof Function].map(Number).join("");
  show(tests(), tests());
  Object.defineProperty(Old, Symbol.hasInstance, { value: () => "truthy", configurable: true });
  show(tests(), 3 instanceof Old);
  Object.defineProperty(Animal, Symbol.hasInstance, { value: () => false, configurable: true });
  show(tests(), new Animal() instanceof Dog);
  delete Animal[Symbol.hasInstance];
  delete Old[Symbol.hasInstance];
  const swapped = Object.setPrototypeOf(function () {}, Odd);
  show(tests(), 1 instanceof swapped, attempt(() => ({}) instanceof (() => {})), attempt(() => ({}) instanceof {}), attempt(() => 1 instanceof (() => {})));

  const map = new Map([["a", 1], ["b", 2], ["c", 3]]);
  map.delete("b");
  map.set("d", 4);
  const set = new Set(map.keys());
  const used = map.values();
  used.next();
  show([...map.keys()], [...map.values()], [...map], [...map.entries()], [...set], [...used], [...used], Array.from(set), Array.from(map.values()), Array.from(map), Array.from(set, (item) => item + "!"));
  const [first, ...others] = set;
  show(first, others, Math.max(...map.values()), [0, ...set, ...map.keys()].length);
  class List extends Array {}
  show(List.from(set) instanceof List, Array.from.call(Object, set).length, [...new Set()], Array.from(new Map()));
  const prototype = Object.getPrototypeOf(new Set().values());
  const { next } = prototype;
  let calls = 0;
  prototype.next = function () {
    calls++;
    return next.call(this);
  };
  show([...set].length, Array.from(set.values()).length, calls);
  prototype.next = next;
  const iterator = set.values();
  show([...iterator], iterator.next(), [...iterator]);
  const live = new Set([1]);
  const lazy = live.values();
  live.add(2);
  show([...lazy]);
}
