// Calls: spread, rest, defaults, this, call/apply/bind, optional calls, tagged templates.
const list = (...xs) => xs.join(); console.log(list(...[1, 2], 3, ..."ab", ...new Set([4, 4])), Math.max(...[3, 1], 2), list(...[]), [...[1], ...[], ...[2, [3]]].length);
console.log(new Array(...[1, 2, 3]).length, new Date(...[2020, 0, 2]).getFullYear(), String.fromCharCode(...[72, 105]));
const o = { v: 1, f(...a) { return this.v + list(...a); } }; console.log(o.f(...[1, 2]), o["f"](...[3]), o?.f(...[4]), o.f?.(5), o.missing?.(6), (0, o.f)?.name);
try { (0, o.f)(1); } catch (e) { console.log(e.name); } console.log((o.f)(7), (o?.f)(8), (() => o.f)().call({ v: 2 }, 9), o.f.apply({ v: 3 }, [1, 2]), o.f.bind({ v: 4 }, "bound")("rest"));
const n = null, u = { a: { b: () => ({ c: 5 }), arr: [1, [2]] } }; console.log(n?.x, n?.x.y.z, n?.[0], n?.(), n?.x(), u?.a?.b?.().c, u.a?.["arr"]?.[1]?.[0], u.x?.y.z.w(), delete u?.a?.zzz, delete n?.a, u.a.arr?.length);
let evaluated = 0; n?.[evaluated++]; n?.f(evaluated++); console.log(evaluated, (n?.a ?? "fallback"), `${u?.a?.arr}`);
try { u.nope.x; } catch (e) { console.log(e.message); } try { u.a?.nope.x; } catch (e) { console.log(e.message); } try { n?.x.y; (n?.x).y; } catch (e) { console.log(e.message); }
function tag(strings, ...values) { return strings.raw.join("|") + "/" + strings.join("|") + "/" + values.join(); } console.log(tag`a${1}b\n${2}c`, tag``, `plain ${1 + 1} and ${`nested ${"x"}`}`, `multi
line`, `\u{1F600}${"\x41"}`.length);
const sites = []; function keep(s) { sites.push(s); return s; } for (let i = 0; i < 2; i++) keep`same${i}`; keep`same${0}`; console.log(sites[0] === sites[1], sites[1] === sites[2], Object.isFrozen(sites[0]), Object.isFrozen(sites[0].raw), keep`\unicode`[0]);
const obj = { t(s) { return this.name + s[0]; }, name: "obj" }; console.log(obj.t`x`, obj["t"]`y`, new (class { m() { return tag`${this.p}`; } p = "P"; })().m());
function defaults(a, b = a, { c = b, d } = {}, [e = c] = [], f = () => [a, b, c, d, e].join()) { return f(); } console.log(defaults(1), defaults(1, 2, { d: 4 }, [5]), defaults(undefined, undefined));
function count() { return arguments.length; } console.log(count(), count(undefined), count(...[1, 2, 3]), count.length, (function () { return typeof this; })(), (() => typeof this)());
(function iife() { console.log("iife", typeof iife); })(); (() => console.log("arrow iife"))(); !(function () { console.log("bang iife"); })(); void (async () => {})();
const curry = (f) => function c(...a) { return a.length >= f.length ? f(...a) : (...b) => c(...a, ...b); }; console.log(curry((a, b, c) => a + b + c)(1)(2)(3));
const memo = ((cache) => (x) => cache[x] ??= x * x)({}); console.log(memo(4), memo(4)); const { call } = Function.prototype; console.log(call.call(function () { return this.z; }, { z: "called" }));
function manyArgs(a, b, c, d, e, f, g) { return [a, b, c, d, e, f, g, arguments.length].join(); } console.log(manyArgs(1, 2, 3, 4, 5, 6, 7, 8), manyArgs(1), manyArgs(...Array.from({ length: 6 }, (_, i) => i)));
function mixed(a, ...rest) { rest.push(a); return () => rest.concat(a).join(); } console.log(mixed(1, 2, 3)()); const getter = { get f() { return () => "from getter"; } }; console.log(getter.f());
console.log(((a, b) => a + b).toString(), (function named(x) { return x; }).toString(), class T { m() {} }.toString(), o.f.toString());
console.log([1, 2, 3].map(String).join(), ["1", "2"].map(Number).join(), [3, 1, 2].sort((a, b) => a - b).join(), [..."cab"].sort().join(""), ["a"].concat(...[["b"], ["c"]]).join());
const deepCall = (n) => (n === 0 ? 0 : 1 + deepCall(n - 1)); console.log(deepCall(1000)); function forever() { return forever() + 1; } try { forever(); } catch (e) { console.log(e instanceof RangeError, e.message); }
function thrower() { throw { custom: true }; } try { thrower(); } catch (e) { console.log(e.custom); } try { throw null; } catch (e) { console.log(e); } try { throw undefined; } catch (e) { console.log(e); }
try { undefinedFunction(); } catch (e) { console.log(e.message); } try { o.a.b.c(); } catch (e) { console.log(e.message); } try { o.v(); } catch (e) { console.log(e.message); } try { o.f().g(); } catch (e) { console.log(e.message); } try { new o.v(); } catch (e) { console.log(e.message); } try { new (() => {})(); } catch (e) { console.log(e.message); } try { list(...5); } catch (e) { console.log(e.name); } try { [...{}]; } catch (e) { console.log(e.name); } try { o["x" + 1](); } catch (e) { console.log(e.message); } try { (function () {})()(); } catch (e) { console.log(e.message); }
let side = ""; const s = (x) => ((side += x), s); s("a")(s("b") && "c")(s("d") && "e"); console.log(side); side = ""; try { undefined.method(s("arg")); } catch { console.log("arguments not evaluated:", side === ""); }
const selfNamed = function again(n) { return n === 1 ? n : again(n - 1) * n; }; const selfPassed = function me(n) { return n ? [n].map(() => me).map((f) => f(n - 1))[0] + 1 : 0; }; console.log(selfNamed(5), selfPassed(3), (function loop(n) { const next = loop; return n > 3 ? n : next(n + 1); })(0));
