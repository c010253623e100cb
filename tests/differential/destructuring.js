// Destructuring in declarations, parameters, assignments, loops; iterator closing.
const { a, b: renamed, c = "default", d: { e, ...inner }, ...others } = { a: 1, b: 2, d: { e: 3, f: 4 }, g: 5, h: 6 };
console.log(a, renamed, c, e, JSON.stringify(inner), JSON.stringify(others));
const [x, , y = "dy", [z], ...tail] = [1, 2, undefined, [3], 4, 5]; console.log(x, y, z, tail.join());
const key = "dyn"; const { [key]: dyn, [`${key}2`]: dyn2 = 7, 0: zero, "quoted-key": quoted, 1.5: num } = { dyn: 1, 0: "zero", "quoted-key": "q", 1.5: "n" }; console.log(dyn, dyn2, zero, quoted, num);
function f({ p, q: [r, s = r] = [1] } = {}, [t, u] = "xy") { return [p, r, s, t, u].join(); } console.log(f(), f({ p: 9, q: [8] }, [7, 6]), f.length);
let m = 1, n = 2; [m, n] = [n, m]; console.log(m, n);
const o = {}; [o.first, o["second"], ...o.rest] = "hello"; console.log(JSON.stringify(o));
({ v: o.v, w: o.w = "dw", ...o.more } = { v: 1, k: 2 }); console.log(JSON.stringify(o));
let nestedA, nestedB; ({ l: [nestedA, { k: nestedB = "kb" } = {}] } = { l: [1] }); console.log(nestedA, nestedB);
console.log(([m] = [5, 6]).length, m);
for (const [k, { v }] of [["a", { v: 1 }], ["b", { v: 2 }]]) console.log(k, v);
for (const { length } of ["one", "three"]) console.log(length);
let fk; for ({ fk = "none" } of [{ fk: 1 }, {}]) console.log(fk);
for (const [i, ch] of [..."ab"].entries()) console.log(i, ch);
try { const { q } = null; } catch (error) { console.log(error.name, error.message); }
try { const { q } = undefined; } catch (error) { console.log(error.message); }
try { const bad = undefined; const { q: { r } } = bad; } catch (error) { console.log(error.message); }
try { (({ q }) => q)(); } catch (error) { console.log(error.message); }
try { const [q] = null; } catch (error) { console.log(error.name); }
try { const [q] = {}; } catch (error) { console.log(error.name); }
try { const {} = null; } catch (error) { console.log(error.name); }
const log = [];
function* source() { try { yield 1; yield 2; yield 3; } finally { log.push("closed"); } }
const [one] = source(); const [...all] = source(); const [p1, p2, p3, p4] = source(); console.log(one, all.join(), p1, p2, p3, p4, log.join());
try { const [{ x: { y } }] = [{}]; } catch (error) { console.log(error.message); }
log.length = 0; try { const [bad = (() => { throw new Error("in default"); })()] = (function* () { try { yield undefined; } finally { log.push("closed on throw"); } })(); } catch (error) { console.log(error.message, log.join()); }
const order = []; const tr = (t, v) => (order.push(t), v);
({ [tr("k1", "a")]: tr("t1", {}).x, [tr("k2", "b")]: tr("t2", {}).x = tr("d2", 1) } = { a: 1 }); console.log(order.join());
const withGetters = { get one() { order.push("get one"); return 1; }, get two() { order.push("get two"); return undefined; } }; order.length = 0;
const { one: g1, two: g2 = tr("default two", 2) } = withGetters; console.log(g1, g2, order.join());
const { length } = "string"; const { toFixed } = 1; console.log(length, typeof toFixed);
const fnDefault = ({ cb = (x) => x * 2 } = {}) => cb; console.log(fnDefault()(4), fnDefault().name);
const swap = { a: 1, b: 2 }; [swap.a, swap.b] = [swap.b, swap.a]; console.log(swap.a, swap.b);
const [s1 = 1, s2 = s1, s3 = s1 + s2] = [5]; console.log(s1, s2, s3);
const { ...copy } = { deep: { same: 1 } }; console.log(copy.deep.same);
const sym = Symbol("s"); const { [sym]: bySym, ...noSym } = { [sym]: "S", k: 1 }; console.log(bySym, Object.getOwnPropertySymbols(noSym).length);
let captured; { const { cap, ...capRest } = { cap: 1, r1: 2 }; captured = () => cap + capRest.r1; } console.log(captured());
function restParams(first, ...[second, ...third]) { return [first, second, third.length].join(); } console.log(restParams(1, 2, 3, 4));
const arr = [1, 2, 3]; let idx = 0; [arr[idx++], arr[idx++]] = [10, 20]; console.log(arr.join(), idx);
let va; const chained = ({ va } = { va: 3, vb: 4 }); console.log(va, chained.vb);
catchIt: try { throw [1, { two: 2 }]; } catch ([first, { two }]) { console.log(first, two); }
