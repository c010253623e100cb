// lodash-es, whole: collections, objects, strings, functions and sequences.
import * as all from "lodash-es";
import _ from "lodash-es";

const show = (name, value) => console.log(name, JSON.stringify(value));

const users = [
  { user: "barney", age: 36, active: true, tags: ["a", "b"], at: { x: 1, y: [1, 2, { z: 3 }] } },
  { user: "fred", age: 40, active: false, tags: ["b"], at: { x: 2, y: [] } },
  { user: "pebbles", age: 1, active: true, tags: [], at: { x: 3, y: [9] } },
  { user: "barney", age: 34, active: false, tags: ["c", "a"], at: { x: 4, y: null } },
];

show("exports", Object.keys(all).length);
show("chunk", _.chunk([1, 2, 3, 4, 5], 2));
show("groupBy", _.groupBy(users, "user"));
show("countBy", _.countBy(users, (u) => u.age > 35));
show("keyBy", _.keyBy(users, "age"));
show("orderBy", _.orderBy(users, ["user", "age"], ["asc", "desc"]).map((u) => u.age));
show("sortBy", _.sortBy(users, [(u) => u.user, "age"]).map((u) => u.age));
show("partition", _.partition(users, "active").map((part) => part.length));
show("uniqBy", _.uniqBy(users, "user").length);
show("differenceWith", _.differenceWith(users, [users[0]], _.isEqual).length);
show("intersection", _.intersection([2, 1, 2], [2, 3], [2]));
show("xor", _.xor([2, 1], [2, 3]));
show("zipObjectDeep", _.zipObjectDeep(["a.b[0].c", "a.b[1].d"], [1, 2]));
show("unzipWith", _.unzipWith([[1, 10], [2, 20]], _.add));
show("flattenDeep", _.flattenDeep([1, [2, [3, [4]], 5]]));
show("take/drop", [_.takeRightWhile([1, 2, 3, 4], (n) => n > 2), _.dropWhile([1, 2, 3], (n) => n < 3)]);
show("sampleSize", _.sampleSize([1, 2, 3], 5).length);
show("get", [_.get(users[0], "at.y[2].z"), _.get(users[0], ["at", "q"], "default")]);
show("set", _.set({ a: [{ b: 1 }] }, "a[0].c.d", 7));
show("unset", (() => { const o = { a: { b: 1, c: 2 } }; _.unset(o, "a.b"); return o; })());
show("merge", _.merge({ a: [{ b: 2 }, { d: 4 }] }, { a: [{ c: 3 }, { e: 5 }] }));
show("mergeWith", _.mergeWith({ a: [1] }, { a: [2] }, (x, y) => (Array.isArray(x) ? x.concat(y) : undefined)));
show("defaultsDeep", _.defaultsDeep({ a: { b: 2 } }, { a: { b: 1, c: 3 } }));
show("pick/omit", [_.pick(users[0], ["user", "at.x"]), _.omit(users[1], ["at", "tags"])]);
show("mapKeys/mapValues", [_.mapKeys({ a: 1 }, (v, k) => k + v), _.mapValues({ a: { n: 1 } }, "n")]);
show("invertBy", _.invertBy({ a: 1, b: 2, c: 1 }));
show("transform", _.transform([2, 3, 4], (acc, n) => { acc.push(n * n); return n % 2 === 0; }, []));
show("toPairsIn", _.toPairsIn(Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })));

const deep = { d: new Date(0), r: /x/gi, m: new Map([[1, { a: 1 }]]), s: new Set([1]), n: NaN, b: new Uint8Array([1, 2]), u: undefined };
deep.self = deep;
const copy = _.cloneDeep(deep);
show("cloneDeep", [copy !== deep, copy.self === copy, copy.d.getTime(), String(copy.r), copy.m.get(1), copy.s.has(1), copy.b.length]);
show("isEqual", [_.isEqual(copy, deep), _.isEqual([1, { a: [NaN] }], [1, { a: [NaN] }]), _.isEqual(new Set([1]), new Set([2]))]);
show("isMatch", _.isMatch(users[0], { at: { x: 1 } }));
show("isX", [_.isPlainObject({}), _.isPlainObject(new (class A {})()), _.isEmpty(new Map()), _.isArguments((function () { return arguments; })()), _.isError(new TypeError()), _.isInteger(3), _.isNaN(NaN), _.isNative(Array.prototype.push), _.isWeakMap(new WeakMap())]);

show("camelCase", ["Foo Bar", "--foo-bar--", "__FOO_BAR__", "éàÉ 1st thing"].map(_.camelCase));
show("kebab/snake/start", [_.kebabCase("fooBarBaz"), _.snakeCase("Foo2Bar"), _.startCase("--foo-bar--")]);
show("deburr/escape", [_.deburr("déjà vu"), _.escape("<a & 'b'>"), _.unescape("&lt;b&gt;"), _.escapeRegExp("[a](b)")]);
show("pad/trunc", [_.pad("abc", 8, "_-"), _.truncate("hi-diddly-ho there, neighborino", { length: 24, separator: " " }), _.words("fred, barney, & pebbles", /[^, ]+/g)]);
show("case", [_.upperFirst("fred"), _.lowerCase("--Foo-Bar--"), _.repeat("*", 3), _.startsWith("abc", "b", 1), _.split("a-b-c", "-", 2)]);

let calls = 0;
const once = _.once(() => ++calls);
once(); once();
const memo = _.memoize((n) => { calls++; return n * 2; });
memo(2); memo(2);
show("once/memoize", [calls, memo.cache.size]);
show("curry", [_.curry((a, b, c) => [a, b, c])(1)(2)(3), _.curry((a, b, c) => [a, b, c])(1)(_, 3)(2)]);
show("partial/flip", [_.partial((a, b) => a + b, _, "!")("hi"), _.flip((...xs) => xs)(1, 2, 3), _.rearg((a, b, c) => [a, b, c], [2, 0, 1])("b", "c", "a")]);
show("flow", [_.flow([_.add, (n) => n * n])(1, 2), _.flowRight([(n) => n * n, _.add])(1, 2)]);
show("negate/over", [_.filter([1, 2, 3], _.negate((n) => n % 2 === 0)), _.over([Math.max, Math.min])(1, 2, 3), _.conforms({ b: (n) => n > 1 })({ b: 2 })]);

show("chain", _(users).filter("active").map("tags").flatten().uniq().sort().value());
show("lazy", _.chain([1, 2, 3, 4, 5, 6]).map((n) => n * 3).filter((n) => n % 2 === 0).take(2).value());
show("math", [_.sumBy(users, "age"), _.meanBy(users, "age"), _.maxBy(users, "age").user, _.round(4.006, 2), _.floor(-4.1), _.ceil(6040, -2), _.clamp(-10, -5, 5), _.inRange(3, 2, 4)]);
show("range/times", [_.range(0, 20, 5), _.rangeRight(4), _.times(3, String), _.uniqueId("p") !== _.uniqueId("p"), _.toPath("a[0].b['c']")]);
show("sorted", [_.sortedIndexBy([{ x: 4 }, { x: 5 }], { x: 4 }, "x"), _.sortedUniq([1, 1, 2]), _.zipWith([1, 2], [10, 20], [100, 200], (a, b, c) => a + b + c)]);
