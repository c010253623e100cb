// Generators: protocol, yield everywhere, return and throw through finally, yield*, spreading.
function* basic(a, b = a * 2) { const x = yield a; console.log("received", x); const y = yield b + (x ?? 0); return [x, y].join(); }
const g = basic(1); console.log(JSON.stringify([g.next("ignored"), g.next(10), g.next("y"), g.next()]));
function* fin() { try { yield 1; yield 2; } catch (e) { console.log("caught", e); yield "recovered"; } finally { console.log("cleanup"); yield "from finally"; } return "end"; }
let f = fin(); console.log(JSON.stringify([f.next(), f.throw("err"), f.next(), f.next()]));
f = fin(); console.log(JSON.stringify([f.next(), f.return("ret"), f.next(), f.next()]));
f = fin(); console.log(JSON.stringify([f.return("early"), f.next()])); f = fin(); try { f.throw(new Error("unstarted")); } catch (e) { console.log(e.message); } console.log(JSON.stringify(f.next()));
function* inner() { try { const r = yield "i1"; console.log("inner got", r); yield "i2"; return "inner result"; } finally { console.log("inner cleanup"); } }
function* outer() { const r = yield* inner(); console.log("delegate gave", r); yield* [10, 20]; yield* "ab"; return yield* (function* () { return "nested"; })(); }
console.log([...outer()].join()); const o = outer(); console.log(JSON.stringify([o.next(), o.next("sent"), o.return("stop"), o.next()]));
const o2 = outer(); o2.next(); try { o2.throw(new Error("into delegate")); } catch (e) { console.log(e.message); }
function* custom() { yield* { [Symbol.iterator]() { let n = 0; return { next(v) { console.log("next", v); return { done: n++ > 1, value: n }; }, return(v) { console.log("return", v); return { done: true, value: v + "!" }; } }; } }; }
const c = custom(); for (const r of [c.next("a"), c.next("b"), c.return("c")]) console.log(r.value, r.done);
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } } const [f0, f1, f2, , f4] = fib(); console.log(f0, f1, f2, f4);
for (const x of fib()) { if (x > 20) break; if (x % 2) continue; console.log(x); }
const iterable = { *[Symbol.iterator]() { for (let i = 3; i--; ) yield i; } }; console.log([...iterable].join(), Math.max(...iterable), new Set(iterable).size, Array.from(iterable, (x) => x * 2).join(), Object.fromEntries([...iterable].map((x) => ["k" + x, x])).k2);
class Tree { constructor(v, l, r) { Object.assign(this, { v, l, r }); } *[Symbol.iterator]() { if (this.l) yield* this.l; yield this.v; if (this.r) yield* this.r; } } console.log([...new Tree(2, new Tree(1), new Tree(4, new Tree(3)))].join());
function* expressions() { const a = [yield 1, yield 2]; const o = { k: yield 3, [yield 4]: yield 5 }; const s = `${yield 6}-${yield 7}`; const r = (yield 8) + (yield 9); f2call(yield 10, ...(yield 11)); return [a, JSON.stringify(o), s, r].join("|"); } function f2call(...x) { console.log("call", x.join()); }
const ex = expressions(); let step = ex.next(); while (!step.done) step = ex.next(step.value === 11 ? [1, 2] : step.value * 10); console.log(step.value);
function* closes() { for (const x of (function* () { try { yield 1; yield 2; } finally { console.log("inner iterator closed"); } })()) { try { yield x; } finally { console.log("loop finally"); } } } const cl = closes(); cl.next(); console.log(JSON.stringify(cl.return("R")));
function* labelled() { a: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { const k = () => i * 10 + j; if (j === 1) continue a; if (i === 2) break a; yield k; } } } console.log([...labelled()].map((k) => k()).join());
function* args() { yield arguments.length; yield* arguments; yield this?.tag; } console.log([...args.call({ tag: "this" }, 7, 8)].join());
const gp = Object.getPrototypeOf(basic); console.log(typeof basic.prototype, basic() instanceof basic, gp[Symbol.toStringTag], String(basic()), basic.name, basic.length);
try { new basic(); } catch (e) { console.log(e.name); } const running = (function* () { try { running.next(); } catch (e) { yield e.name; } })(); console.log(running.next().value);
function* paramThrow(a = (() => { throw new Error("eager"); })()) {} try { paramThrow(); } catch (e) { console.log(e.message); }
function* switchYield(x) { switch (yield x) { case 1: yield "one"; case 2: yield "two"; break; default: yield "default"; } } const sw = switchYield(0); sw.next(); console.log(sw.next(1).value, sw.next().value, sw.next().done);
const genObj = { *m() { yield this.v; }, v: 5, async *am() { yield 1; } }; console.log(genObj.m().next().value); function* empty() {} console.log(JSON.stringify(empty().next())); function* noValue() { const r = yield; return r; } const nv = noValue(); console.log(JSON.stringify(nv.next()), JSON.stringify(nv.next("v")));
function* cond(x) { const r = x ? yield "a" : yield "b"; const l = (yield "c") || (yield "d"); let z; z ??= yield "e"; return [r, l, z].join(); } const cg = cond(1); console.log(cg.next().value, cg.next("A").value, cg.next(0).value, cg.next("D").value, cg.next("E").value);
