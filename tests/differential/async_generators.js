// Async generators and for await: order, early exit, errors, delegation.
const log = []; const say = (...text) => log.push(text.join(" "));
async function* numbers(n) { try { for (let i = 0; i < n; i++) { await null; yield i; } return "done"; } finally { await null; say("numbers closed"); } }
async function main() {
  for await (const x of numbers(3)) say("got", x);
  for await (const x of numbers(9)) { if (x === 1) continue; if (x === 3) break; say("partial", x); }
  say(await (async () => { for await (const x of numbers(9)) { if (x === 2) return "returned " + x; } })());
  try { for await (const x of numbers(9)) { throw new Error("body threw " + x); } } catch (e) { say(e.message); }
  const g = numbers(2); say(JSON.stringify([await g.next(), await g.next(), await g.next(), await g.next()]));
  const q = numbers(3); say(JSON.stringify(await Promise.all([q.next(), q.next(), q.return("R"), q.next()])));
  const t = numbers(3); await t.next(); try { await t.throw(new Error("thrown in")); } catch (e) { say(e.message); }
  async function* both() { const r = yield* numbers(2); say("delegate result", r); yield* [Promise.resolve("p"), "s"]; yield* (function* () { yield 1; })(); } const all = []; for await (const x of both()) all.push(x); say(all.join());
  async function* yieldsPromise() { const got = yield Promise.resolve("unwrapped"); say("got", got); try { yield Promise.reject(new Error("rejected yield")); } catch (e) { say("caught", e.message); } return Promise.resolve("awaited return"); } const yp = yieldsPromise(); say(JSON.stringify([await yp.next(), await yp.next("sent")]));
  const custom = { [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ done: n > 1, value: n++ }), return: async (v) => { say("custom return"); return {}; } }; } }; for await (const x of custom) { say("custom", x); if (x === 1) break; }
  const badReturn = { [Symbol.asyncIterator]: () => ({ next: () => ({ value: 1 }), return: () => 5 }) }; try { for await (const x of badReturn) break; } catch (e) { say(e.name); }
  try { for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("next rejected")), return() { say("must not close"); } }) }) ; } catch (e) { say(e.message); }
  try { for await (const x of 5) ; } catch (e) { say(e.name, e.message); } for await (const x of [1, Promise.resolve(2)]) say("mixed", x);
  try { for await (const x of [Promise.reject(new Error("array rejection"))]) ; } catch (e) { say(e.message); }
  for await (const { a, b: [c] = ["dflt"] } of [{ a: 1 }, { a: 2, b: [3] }]) say(a, c);
  class Stream { #items = [1, 2]; async *[Symbol.asyncIterator]() { for (const item of this.#items) yield item * 10; } static async *from(...xs) { yield* xs; } } const sum = []; for await (const x of new Stream()) sum.push(x); for await (const x of Stream.from("a", "b")) sum.push(x); say(sum.join());
  outer: for await (const x of numbers(3)) { for await (const y of numbers(3)) { if (y === 1) continue outer; if (x === 2) break outer; say("nested", x, y); } }
  const fns = []; for await (const x of numbers(3)) fns.push(() => x); say(fns.map((f) => f()).join());
  const ret = numbers(5); await ret.next(); say(JSON.stringify(await ret.return(Promise.resolve("waited")))); const un = numbers(5); say(JSON.stringify(await un.return("unstarted")), JSON.stringify(await un.next()));
  async function* finallyYield() { try { yield 1; } finally { yield "cleanup value"; say("after cleanup yield"); } } const fy = finallyYield(); await fy.next(); say(JSON.stringify(await fy.return("x")), JSON.stringify(await fy.next()), JSON.stringify(await fy.next()));
  async function* errors() { throw new Error("at start"); } try { await errors().next(); } catch (e) { say(e.message); }
  say(Object.prototype.toString.call(numbers(1)), typeof numbers(1)[Symbol.asyncIterator]);
}
main().then(() => console.log(log.join("\n")), (error) => console.log(log.join("\n"), "failed", String(error)));
