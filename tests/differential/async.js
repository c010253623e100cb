// Async functions: order of microtasks, await in every position, errors through try/finally.
const log = []; const say = (text) => log.push(text);
const tick = (value, n = 1) => { let p = Promise.resolve(value); for (let i = 1; i < n; i++) p = p.then((v) => v); return p; };
async function order() { say("start"); await null; say("after 1"); await tick("x", 3); say("after 2"); return "returned"; }
order().then(say); Promise.resolve().then(() => say("then 1")).then(() => say("then 2")); say("sync");
const arrow = async (x) => (await x) + 1; arrow(tick(4)).then((v) => say("arrow " + v));
const object = { async method(...xs) { let sum = 0; for (const x of xs) sum += await x; return sum + this.base; }, base: 100 }; object.method(1, tick(2), 3).then((v) => say("method " + v));
class K { static async make() { const k = new K(); await null; k.ready = true; return k; } async #p() { return await "private"; } async call() { return [await this.#p(), this.ready].join(); } } K.make().then((k) => k.call()).then(say);
async function throws() { await null; throw new TypeError("async error"); }
async function catches() { try { await throws(); } catch (error) { return "caught " + error.message; } finally { await tick(0, 2); say("async finally"); } } catches().then(say);
async function returnInFinally() { try { return await tick("try"); } finally { say("cleanup after return"); await null; } } returnInFinally().then(say);
async function rejectsParams(a = (() => { throw new Error("param"); })()) { return a; } rejectsParams().catch((e) => say("param rejected " + e.message));
async function noAwait() { say("runs at once"); return 1; } noAwait(); say("after noAwait");
async function parallel() { const [a, b, { c }] = await Promise.all([tick(1, 3), tick(2), { c: 3 }]); return a + b + c; } parallel().then((v) => say("all " + v));
async function settled() { const results = await Promise.allSettled([tick(1), throws(), Promise.reject("no")]); return results.map((r) => r.status + (r.value ?? r.reason?.message ?? r.reason)).join(); } settled().then(say);
async function loops() { const out = []; for (let i = 0; i < 3; i++) { const f = () => i; await null; out.push(f()); } let n = 0; while ((await tick(n)) < 2) n++; do { n += await 1; } while (n < 4); outer: for (const x of [1, 2, 3]) { for (const y of [1, 2]) { if (await tick(x === 2)) continue outer; if (x === 3) break outer; out.push([x, await y].join("")); } } return out.join() + n; } loops().then(say);
async function expressions() { const o = { a: 1, f(x, y) { return [this.a, x, y].join(""); } }; let x = 1; x += await 2; const arr = [await 1, x, ...(await [7, 8])]; const r = o.f(await "p", await "q"); const t = `${await "t1"}-${await "t2"}`; const c = (await true) ? await "yes" : await "no"; const l = (await null) ?? (await "dflt"); const obj = { [await "k"]: await "v", ...(await { z: 1 }) }; o.a = await 5; o["a"] += await 6; delete (await o).f; return [arr, r, t, c, l, JSON.stringify(obj), o.a, "f" in o, typeof (await Symbol), -(await 3), (await 2) ** (await 3)].join("|"); } expressions().then(say);
async function order2() { let x = 1; const r = x + (await (x = 10, 5)) + x; return r; } order2().then((v) => say("order2 " + v));
async function switchAwait(v) { switch (await v) { case await 1: return "one"; case 2: { const z = await "two"; return z; } default: return await "default"; } } Promise.all([1, 2, 3].map(switchAwait)).then((v) => say(v.join()));
const thenable = { then(resolve) { say("thenable called"); resolve("thenable value"); } }; (async () => say(await thenable))();
(async () => { try { await Promise.reject(new Error("rejected")); } catch ({ message }) { say(message); } })();
(async () => { try { await { get then() { throw new Error("then getter"); } }; } catch (e) { say(e.message); } })();
async function recursion(n) { return n === 0 ? 0 : n + (await recursion(n - 1)); } recursion(50).then((v) => say("sum " + v));
async function nested() { const inner = async () => { const deepest = async () => { await null; return [typeof this, arguments.length].join(); }; return await deepest(); }; return inner(); } nested(1, 2).then(say);
new Promise((resolve, reject) => { resolve(1); reject(2); }).then((v) => say("once " + v));
Promise.race([tick("slow", 5), tick("fast", 1)]).then(say); Promise.any([Promise.reject(1), tick("any")]).then(say); Promise.any([Promise.reject(1)]).catch((e) => say(e.constructor.name + e.errors.join()));
Promise.resolve(1).finally(() => say("finally 1")).then((v) => say("kept " + v)); Promise.reject(new Error("r")).finally(() => 5).catch((e) => say("kept error " + e.message));
queueMicrotask(() => say("microtask"));
async function tryLoop() { for (let i = 0; ; i++) { try { if (i < 2) throw i; return "done at " + i; } catch (e) { await null; say("retry " + e); continue; } finally { await null; say("fin " + i); } } } tryLoop().then(say);
function* gen() { yield 1; } (async () => { for await (const x of gen()) say("sync iterated " + x); for await (const x of [tick("p1"), "p2"]) say(x); })();
const report = () => console.log(log.join("\n")); let wait = Promise.resolve(); for (let i = 0; i < 300; i++) wait = wait.then(() => {}); wait.then(report);
