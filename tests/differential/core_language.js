// Classes, patterns, operators, loops, literals: the language in small pieces.
class A { static #count = 0; #priv = 1; static { A.init = 'ok'; } get #acc() { return this.#priv; } set #acc(v) { this.#priv = v; } #meth() { return 'm' + this.#priv; } static #sm() { return 'sm'; } test() { this.#acc = 5; return [this.#acc, this.#meth(), A.#sm(), #priv in this, #priv in {}, ++this.#priv, this.#priv++, this.#priv]; } static inc() { return ++A.#count; } }
console.log(new A().test().join(), A.inc(), A.inc(), A.init);
class B extends A { constructor() { const r = super(); console.log(r === this, new.target.name); this.z = super.test().length; } static inc() { return super.inc() * 10; } }
console.log(new B().z, B.inc());
class C { constructor() { return { custom: 1 }; } } class D extends C { #x = 2; static g(o) { return o.#x; } } console.log(D.g(new D()), new D().custom);
const o = { __proto__: { greet() { return 'hi ' + this.n; } }, n: 'x', greet() { return super.greet() + '!'; } }; console.log(o.greet());
class E1 { ['a' + 1] = 1; static ['s' + 1] = 2; 'quoted key' = 3; 5 = 'five'; static async *[Symbol.asyncIterator]() { } } console.log(JSON.stringify(new E1()), E1.s1, typeof E1[Symbol.asyncIterator]);
class F { f = () => this.v; v = 9; static self = this; } console.log(new F().f(), F.self === F);
function NT() { return new.target === NT; } console.log(NT(), typeof new NT());
console.log(Reflect.construct(function () { return this; }, [], Array) instanceof Array, Reflect.construct(Date, [0], Object) instanceof Date);
class Err extends Error { constructor(m, o) { super(m, o); } get name() { return 'Custom'; } } const er = new Err('m', { cause: 1 }); console.log(String(er), er.cause, er instanceof Err, er.stack.split('\n')[0], Object.prototype.hasOwnProperty.call(er, 'stack'));
class M extends Map { get(k) { return super.get(k) ?? 'def'; } } const m = new M([['a', 1]]); console.log(m.get('a'), m.get('zz'), m.size, m instanceof Map);
class Arr extends Array { last() { return this[this.length - 1]; } } const ar = new Arr(1, 2, 3); console.log(ar.last(), ar.length, ar.map(x => x + 1).last(), Arr.of(7).last(), [...ar].length, ar.concat([4]) instanceof Arr); ar.length = 1; console.log(ar.last(), JSON.stringify(ar));
const { a, ...others } = { a: 1, b: 2 }; console.log(a, others.b);
const [x = 1, { y = 2, ...z } = { w: 3 }, ...[p, q]] = [undefined, undefined, 4, 5]; console.log(x, y, JSON.stringify(z), p, q);
let i = 0; const arr2 = [0, 0, 0]; arr2[i++] = arr2[i++] = i; console.log(arr2.join(), i); [i, arr2[0]] = [arr2[0], i]; console.log(i, arr2[0]);
const swap = { a: 1, b: 2 };[swap.a, swap.b] = [swap.b, swap.a]; console.log(swap.a, swap.b);
for (const { k, v = 'd' } of [{ k: 1 }, { k: 2, v: 3 }]) console.log(k, v); for (var [kk, vv] of new Map([[1, 2]])) console.log(kk, vv);
const fns = []; for (let j = 0, g = () => j; j < 2; j++) fns.push(() => j, g); console.log(fns.map(f => f()).join());
for (const k in 'ab') console.log(k); for (const k in [7, 8]) console.log(typeof k); for (const k in null) console.log('no'); var fk; for (fk in { q: 1 }); console.log(fk);
console.log([..."a\u{1F600}b"].length, `\u{1F600}`.codePointAt(0), String.raw`\n${1}`);
console.log(0 ?? 1, null?.x, undefined?.[0], (void 0)?.(), ({ a: { b: () => 'c' } }).a?.b?.(), ({}).x?.y.z.w, delete ({}).x?.y);
let la = null; la ??= 5; la &&= la + 1; la ||= 9; console.log(la); const lo = { n: 0 }; lo.n ||= 'set'; lo.m ??= 'new'; console.log(JSON.stringify(lo));
console.log(1 < 2 < 3, 3 > 2 > 1, [] + [], [1] == 1, null == undefined, NaN != NaN, '2' > '12', 2 > '12', 'b' > 'a', typeof typeof 1, !!'' + 1, +'' + +' 12 ', -'3', ~'5', 7 & '3', '5' << 1, 2 ** -1, (-8) ** (1 / 3), 5 / 0, -5 % 5, 0.1 * 3, 1e300 * 1e10, 0xff, 0b11, 0o17, 1_000);
console.log(((a, b) => a + b).length, (function (a, b = 1, c) { }).length, ((...r) => r).length, (({ a }, [b]) => 1).length);
var self = function fact(n) { return n < 2 ? 1 : n * fact(n - 1); }; console.log(self(10), self.name); const named = class Inner { static n() { return Inner.name; } }; console.log(named.n(), named.name);
try { Object.freeze([1]).push(2); } catch (e) { console.log(e.message); } try { null.x; } catch { console.log('optional catch'); }
const it = { from: 1, to: 3, *[Symbol.iterator]() { for (let v = this.from; v <= this.to; v++) yield v; } }; console.log([...it].join(), Math.max(...it), Array.from(it, v => v * 2).join(), new Set(it).size, Object.fromEntries([...it].map(v => [v, v])), Promise.all.length);
const wm = new WeakMap(), key = {}; wm.set(key, 1); console.log(wm.get(key), wm.has({}), new WeakRef(key).deref() === key); const sym = Symbol('desc'); console.log({ [sym]: 1 }[sym], sym.toString(), sym.description, Object.getOwnPropertySymbols({ [sym]: 1 }).length);
const tag = (s, ...v) => s.map((q, j) => q + (v[j] ?? '')).join('') + '|' + s.raw[0]; console.log(tag`a\t${1}b${2}`, (x => x)`t`[0]);
console.log([3, 1, 2].sort().join(), [3, 1, 10].sort().join(), ['b', 'a'].sort((m, n) => m < n ? -1 : 1).join(), [1, 2, 3].reverse().join(), [1, [2, [3]]].flat().length, [1, 2].flatMap(v => [v, v]).join(), Array(3).fill().map((_, j) => j).join(), [, 1].findIndex(v => v === undefined), [1, 2, 3].copyWithin(0, 1).join(), [5, 1].with?.(0, 9)?.join() ?? '9,1');
lbl: for (const u of [1, 2, 3]) { for (; ;) { if (u === 2) continue lbl; if (u === 3) break lbl; break; } console.log('u', u); } do { var once = true; } while (false); console.log(once); 
switch (typeof null) { case 'object': { const scoped = 1; console.log('obj', scoped); } case 'x': console.log('fall'); break; default: console.log('no'); } console.log(((() => { try { return 1; } finally { console.log('f'); } })()), (() => { try { throw 1; } catch (e) { return 'c' + e; } finally { } })(), (() => { l: try { return 1; } finally { break l; } return 2; })());
console.log(new Date(Date.UTC(2024, 1, 29)).toISOString(), JSON.stringify({ d: new Date(0), u: undefined, f() { }, n: null, nan: NaN, nested: { toJSON() { return 'tj'; } }, big: [1.5, -0, 1e21] }), JSON.stringify([undefined, () => 1, Symbol()]), JSON.stringify('\u2028"\\\n\ud800'), JSON.stringify({ a: 1, b: [1, { c: 2 }] }, null, 2), JSON.stringify({ a: 1, b: 2 }, ['a']), JSON.stringify({ a: 1 }, (k, v) => typeof v === 'number' ? v + 1 : v), JSON.parse('{"a":[1,{"b":null}]}', (k, v) => v === null ? 'N' : v).a[1].b);
