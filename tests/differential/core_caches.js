// Property sites that see many shapes, getters, prototypes that change, primitives, globals.
const mk = v => ({ get x() { return v; }, set x(n) { v = n; } });
const g = o => o.x; const a = mk(1), b = mk(2);
console.log(g(a), g(a), g(b), g(a), g(b)); Object.defineProperty(a, 'x', { get: () => 'new' }); console.log(g(a), g(b));
const s = (o, v) => { o.x = v; return o.x; }; console.log(s(b, 5), s(mk(1), 7), s(b, 6));
class P { get x() { return 'P' + this.v; } } class Q extends P { } const p = new Q(); p.v = 1; const q = new Q(); q.v = 2; console.log(g(p), g(q), g(p));
Object.defineProperty(P.prototype, 'x', { get() { return 'R' + this.v; }, configurable: true }); console.log(g(p), g(q));
Object.defineProperty(q, 'x', { value: 'own', writable: true, configurable: true }); console.log(g(p), g(q)); delete q.x; console.log(g(q));
const ns = {}; for (const k of ['aa', 'bb']) Object.defineProperty(ns, k, { get: () => k, enumerable: true }); const gg = o => o.aa + o.bb; console.log(gg(ns), gg(ns), gg(ns));
const f1 = () => { }, f2 = function () { }; const gn = f => f.name + f.length; console.log(gn(f1), gn(f2), gn(class Z { }), gn(Math.max), gn(f1.bind()));
const gp = f => f.prototype; console.log(gp(f1), typeof gp(f2), typeof gp(function* () { }), gp(async () => { }), gp(f1));
const d = {}; for (let i = 0; i < 200; i++) d['p' + i] = i; const gd = o => o.p150; console.log(gd(d), gd(d)); delete d.p150; console.log(gd(d)); d.p150 = 'x'; console.log(gd(d));
const e1 = new Error('a'), e2 = new Error('b'); const gm = e => e.message + (typeof e.stack); console.log(gm(e1), gm(e2), gm(e1));
const arr = [1, 2]; const gl = o => o.length; console.log(gl(arr), gl('abc'), gl({ length: 9 }), gl(function (a, b) { }), gl(new Uint8Array(4)), gl(arr.concat(3)));
const gt = o => o.toString(); console.log(gt(1), gt('s'), gt([1, 2]), gt({}), gt(null ?? true), gt(Symbol('q')), gt(5n), gt(() => 1));
Number.prototype.dbl = function () { return this * 2; }; const gdbl = n => n.dbl(); console.log(gdbl(2), gdbl(2.5)); Number.prototype.dbl = function () { return 'redefined'; }; console.log(gdbl(2)); delete Number.prototype.dbl; try { gdbl(1); } catch (e) { console.log(e.message); }
const setters = [{}, { y: 1 }, Object.freeze({ z: 1 }), Object.create({ set z(v) { this._z = v; } }), Object.preventExtensions({}), []]; for (let r = 0; r < 2; r++) for (const o of setters) { try { o.z = r; console.log(o.z, o._z); } catch (e) { console.log(e.message); } }
globalThis.gx = 1; const rg = () => gx; console.log(rg(), rg()); globalThis.gx = 2; console.log(rg()); delete globalThis.gx; try { rg(); } catch (e) { console.log(e.message); } Object.defineProperty(globalThis, 'gx', { get: () => 'acc', configurable: true }); console.log(rg(), typeof gx);
class S { static a = 1; static get b() { return this.a + 1; } } class T extends S { } const gs = c => c.a + ':' + c.b; console.log(gs(S), gs(T)); T.a = 10; console.log(gs(S), gs(T)); S.a = 5; console.log(gs(S), gs(T));
const o1 = Object.create(null); o1.k = 1; console.log(o1.k, o1.toString, 'k' in o1); const proto = { v: 1 }; const c1 = Object.create(proto); const gv = o => o.v; console.log(gv(c1)); Object.setPrototypeOf(c1, { v: 2 }); console.log(gv(c1)); proto.v = 3; console.log(gv(Object.create(proto)));
function Ctor() { this.a = 1; } Ctor.prototype.m = function () { return this.a; }; const ci = new Ctor(); console.log(ci.m()); Ctor.prototype = { m() { return 'other'; } }; console.log(ci.m(), new Ctor().m());
