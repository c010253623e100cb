// Suspension points in loops, branches, try statements and generators: what is live must come back.
const log = (...a) => console.log(...a);
const sleep = (v, fail) => fail ? Promise.reject(new Error("f" + v)) : Promise.resolve(v);
async function a1(n) { let s = 0, t = 0.5; for (let i = 0; i < n; i++) { if (i % 3 === 0) { s += await sleep(i); } else t *= 1.5; try { if (i % 4 === 1) await sleep(i, true); } catch (e) { s += e.message.length; } finally { s++; } } return [s, t]; }
async function a2(xs) { const out = []; outer: for (const x of xs) { for (const y of xs) { if (y > x) continue outer; if (x === 3) break outer; out.push(await sleep(x * y)); } } return out.join(); }
function* g1(n) { let i = 0, d = 0.1; try { while (i < n) { const r = yield i * d; if (r) i += r; i++; d += 0.25; } return "done"; } finally { log("fin", i, d); } }
function* g2(a = (log("param"), 5)) { const r = yield* g1(a); yield r; }
async function* ag(n) { for (let i = 0; i < n; i++) { yield sleep(i); } }
async function a3() { let s = 0; for await (const x of ag(5)) { s += x; if (s > 5) break; } return s; }
const a4 = async (f) => { try { return await f(); } catch (e) { return "caught " + e.message; } finally { log("fin4"); } };
async function a5(flag) { let x = 1; if (flag) { x = "s"; await null; x += 1; } else { x = 2.5; await null; x += 1; } const b = x === 3.5; await null; return b ? x : typeof x; }
async function irr(n) { let i = 0; let k = n & 1; while (true) { if (k) { await null; k = 0; } i++; if (i > n) return i; switch (i % 3) { case 0: await null; case 1: k = i; break; default: continue; } } }
(async () => {
  log(await a1(10), await a2([1, 2, 3, 4]));
  const g = g1(5); log(g.next(), g.next(1), g.next(), g.return(9), g.next());
  const h = g2(); log("made"); log([...h]); const q = g2(2); log(q.next(), q.next()); try { q.throw(new Error("x")); } catch (e) { log(e.message); } log(q.next());
  log(await a3(), await a4(() => sleep(1)), await a4(() => sleep(2, true)), await a4(() => { throw new Error("sync"); }));
  log(await a5(true), await a5(false), await irr(20), await irr(7));
  const early = g1(3); log(early.return(4), early.next()); const e2 = g1(3); try { e2.throw(new Error("early")); } catch (e) { log(e.message); }
  log(await Promise.all([1, 2, 3].map(async (x) => { await null; return x * 2; })));
  class K { #p = 1; async m(x) { await null; return this.#p + x; } *[Symbol.iterator]() { yield* [this.#p, 2]; } static async s() { return await new K().m(5); } }
  log(await new K().m(2), [...new K()], await K.s());
  async function args() { await null; return arguments.length + arguments[3]; } log(await args(1, 2, 3, 4));
  async function rest(a, b, c, d, ...r) { await null; return [a, b, c, d, r.length, r[1]]; } log(await rest(1, 2, 3, 4, 5, 6));
  const [x, y = await sleep(4), ...z] = [1, undefined, 3, 4]; log(x, y, z);
})().catch((e) => log("FAILED", e.message, e.stack));
