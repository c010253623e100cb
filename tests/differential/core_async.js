// Order of microtasks, async functions and generators, promises and thenables, yield* and for await.
const log = []; const L = (...x) => log.push(x.join(' '));
async function seq() {
  // order tests
  Promise.resolve().then(()=>L('p1')).then(()=>L('p2')).then(()=>L('p3')).then(()=>L('p4')).then(()=>L('p5'));
  (async () => { L('a0'); await undefined; L('a1'); await Promise.resolve(); L('a2'); await new Promise(r=>r()); L('a3'); await { then(r){ r(); } }; L('a4'); })();
  (async () => { const r = await (async () => Promise.resolve('inner'))(); L('ret', r); })();
  (async () => { try { await (async () => { throw new Error('x'); })(); } catch (e) { L('caught', e.message); } finally { L('fin'); } })();
  new Promise((_, j) => j('rej')).catch(e => L('c', e)).finally(() => L('f1')).then(() => L('t'));
  await Promise.all([1, Promise.resolve(2), (async()=>3)()]).then(x => L('all', x));
  await Promise.race([new Promise(()=>{}), Promise.resolve('r')]).then(x => L('race', x));
  await Promise.any([Promise.reject(1), Promise.resolve('any')]).then(x => L('any', x));
  await Promise.any([Promise.reject(1)]).catch(e => L(e.constructor.name, e.errors, e.message));
  const gen = (async function* () { try { L('start'); const x = yield 1; L('x', x); yield Promise.resolve(2); await 0; yield 3; return 4; } finally { L('gfin'); await 0; L('gfin2'); } })();
  L(JSON.stringify(await gen.next()), JSON.stringify(await gen.next('X')), JSON.stringify(await gen.return('R')), JSON.stringify(await gen.next()));
  const g2 = (async function* () { yield 1; yield 2; })();
  const rs = await Promise.all([g2.next(), g2.next(), g2.next(), g2.return(9), g2.next()]); L(JSON.stringify(rs));
  const g3 = (async function* () { throw new Error('g3'); })(); await g3.next().catch(e => L(e.message)); L(JSON.stringify(await g3.next()));
  const g4 = (async function* () { try { yield 1 } catch (e) { L('in', e); yield 'c' } })(); await g4.next(); L(JSON.stringify(await g4.throw('T'))); L(JSON.stringify(await g4.next()));
  async function* inner() { try { const r = yield 'i1'; L('r', r); yield 'i2'; } finally { L('inner fin'); } return 'iret'; }
  async function* outer() { const v = yield* inner(); L('v', v); yield 'o'; }
  const og = outer(); L(JSON.stringify([await og.next(), await og.next('q'), await og.next(), await og.next()]));
  const og2 = outer(); await og2.next(); L(JSON.stringify(await og2.return('bye'))); 
  const og3 = outer(); await og3.next(); await og3.throw(new Error('thr')).catch(e=>L(e.message));
  for await (const x of (function*(){ yield 1; yield Promise.resolve(2); })()) L('fa', x);
  try { for await (const x of [Promise.reject(new Error('far'))]) L(x); } catch (e) { L('E', e.message); }
  const ai = { [Symbol.asyncIterator]() { let i = 0; return { next() { return Promise.resolve({ value: i++, done: i > 3 }); }, return() { L('ret called'); return Promise.resolve({}); } }; } };
  for await (const x of ai) { L('ai', x); if (x === 1) break; }
  outer: for await (const x of ai) { for (const y of [1,2]) { if (y === 2) continue outer; L(x, y); } }
  try { for await (const x of ai) { throw new Error('body'); } } catch (e) { L(e.message); }
  class A { async m() { return super.toString === Object.prototype.toString; } async *g() { yield this.v; } v = 7; static async s(){ return this.name; } #p = 1; async priv(){ await 0; return this.#p; } }
  const a = new A(); L(await a.m(), (await a.g().next()).value, await A.s(), await a.priv());
  const arrow = async (x, ...r) => { await 0; return [x, r.length, this === undefined]; }; L(await arrow(1, 2, 3));
  async function args() { await 0; return arguments.length + [...arguments].join(); } L(await args(1,2,3,4,5));
  async function defs({ a = 1, b: { c } = { c: 2 } } = {}, [d, ...e] = [3, 4, 5]) { await 0; return [a, c, d, e]; } L(JSON.stringify(await defs()));
  async function defThrow(x = (() => { throw new Error('def'); })()) {} await defThrow().catch(e => L('rejected', e.message));
  function* gthrow(x = (() => { throw new Error('gdef'); })()) {} try { gthrow(); } catch (e) { L('sync', e.message); }
  let n = 0; while (true) { n++; if (n % 2) { await 0; continue; } if (n > 5) break; } L('n', n);
  const sw = async v => { switch (v) { case await Promise.resolve(1): return 'one'; case 2: await 0; return 'two'; default: return 'def'; } }; L(await sw(1), await sw(2), await sw(3));
  const o = { x: await Promise.resolve(1), [await 'k']: await 2, ...(await { z: 3 }) }; L(JSON.stringify(o));
  const f = await (async () => { try { return await Promise.reject(1); } catch { return 'caught'; } finally { await 0; L('finally'); } })(); L(f);
  const f2 = await (async () => { try { return 'try'; } finally { await 0; } })(); L(f2);
  const f3 = await (async () => { for (const x of [1,2,3]) { try { await 0; if (x == 2) return x; } finally { await 0; L('ff', x); } } })(); L(f3);
  L(await Promise.allSettled([1, Promise.reject(2)]).then(JSON.stringify));
  const {promise, resolve} = Promise.withResolvers ? Promise.withResolvers() : (()=>{ let resolve; const promise = new Promise(r=>resolve=r); return {promise, resolve}; })(); resolve('wr'); L(await promise);
  class P2 extends Promise { then(a, b) { L('P2.then'); return super.then(a, b); } } L(await new P2(r => r('p2v'))); const p2 = P2.resolve(1); L(p2 instanceof P2, p2.then(x=>x) instanceof P2, P2.all([1]) instanceof P2); await Promise.all([p2]);
  const t2 = { get then() { throw new Error('getter'); } }; await (async () => t2)().catch(e => L(e.message));
  let rr; const pp = new Promise(r => rr = r); rr(pp); await pp.catch(e => L(e.message));
  await Promise.reject(new TypeError('te')).catch(e => L(e instanceof TypeError));
  L(await [1,2,3].reduce(async (acc, x) => (await acc) + x, 0));
  const results = []; await Promise.all([3,1,2].map(async (x) => { for (let i = 0; i < x; i++) await 0; results.push(x); })); L(results);
  L(Object.prototype.toString.call(Promise.resolve()), Object.prototype.toString.call((async()=>{})), Object.prototype.toString.call(gen), typeof gen[Symbol.asyncIterator], gen[Symbol.asyncIterator]() === gen);
}
// generators
function* fibg() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } }
const first = []; for (const x of fibg()) { if (x > 50) break; first.push(x); } console.log(first.join());
function* two() { try { yield 1; yield 2; } catch (e) { yield 'caught ' + e; } finally { yield 'fin'; } return 'end'; }
let g = two(); console.log(JSON.stringify([g.next(), g.throw('E'), g.next(), g.next(), g.next()]));
g = two(); console.log(JSON.stringify([g.return(5), g.next()])); g = two(); console.log(JSON.stringify([g.next(), g.return(5), g.next(), g.next()]));
const obj = { *gen() { yield* [1, 2]; return 3; }, async am() { return 1; }, get [Symbol.toStringTag]() { return 'Tag'; } }; console.log([...obj.gen()].join(), String(obj));
function* del() { const r = yield* (function* () { const x = yield 'a'; return x + '!'; })(); yield r; } g = del(); console.log(g.next().value, g.next('v').value);
console.log(Object.prototype.toString.call(g), g[Symbol.iterator]() === g, typeof g.next, Object.getPrototypeOf(del).constructor.name);
function* tree(t) { if (!t) return; yield* tree(t.l); yield t.v; yield* tree(t.r); } console.log([...tree({ v: 2, l: { v: 1 }, r: { v: 3, r: { v: 4 } } })].join());
const [d1, , d3 = 'def', ...dr] = (function* () { yield 1; yield 2; yield undefined; yield 4; yield 5; })(); console.log(d1, d3, dr.join());
const itr = { [Symbol.iterator]() { return { next: () => ({ done: true }) , return() { console.log('never'); } }; } }; const [nn] = itr; console.log(nn);
try { const { x } = undefined; } catch (e) { console.log(e.message); }
console.log([...'ab'].entries().next().value.join(), [...new Map([[1, 2]]).entries()].join(), [...new Set([1, 1, 2])].join(), Math.max(...[1, 2], ...new Set([9])));
function spreadArgs(...a) { return a.length; } console.log(spreadArgs(...'abc', ...[1, 2], 3));
label: { console.log('in'); break label; }
console.log([1, 2, 3, 4].findLast(x => x % 2), [3, 1, 2].toSorted().join(), Object.groupBy ? JSON.stringify(Object.groupBy([1, 2, 3], x => x % 2 ? 'o' : 'e')) : '{"o":[1,3],"e":[2]}', structuredClone(new Map([[1, { a: [1] }]])).get(1).a[0]);
seq().then(() => console.log(log.join('\n')), e => console.log('FAIL', e.stack, log.join('\n')));
