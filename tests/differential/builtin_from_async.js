// Array.fromAsync: sources, mapping, closing, order of microtasks.
const log = [];
const show = (label, promise) => promise.then((value) => console.log(label, value), (error) => console.log(label, "rejected", String(error)));
async function* numbers() { try { yield 1; yield 2; yield 3; } finally { log.push("closed"); } }
async function main() {
  await show("array", Array.fromAsync([1, Promise.resolve(2), 3]));
  await show("async generator", Array.fromAsync(numbers()));
  await show("mapped", Array.fromAsync(numbers(), async (value, index) => value * 10 + index));
  await show("array-like", Array.fromAsync({ length: 3, 0: "a", 2: Promise.resolve("c") }));
  await show("mapped array-like", Array.fromAsync({ length: 2, 0: 1, 1: 2 }, (value) => Promise.resolve(-value)));
  await show("map throws", Array.fromAsync(numbers(), () => { throw new Error("mapper"); }));
  await show("map rejects", Array.fromAsync(numbers(), () => Promise.reject(new Error("later"))));
  await show("element rejects", Array.fromAsync([Promise.reject(new Error("element"))]));
  await show("sync iterator", Array.fromAsync(new Set([1, Promise.resolve(2)])));
  await show("null", Array.fromAsync(null));
  await show("mapper", Array.fromAsync([], 1));
  class Mine { constructor(...args) { log.push(`new ${args.length}`); } }
  const mine = await Array.fromAsync.call(Mine, [1, 2]);
  console.log(mine instanceof Mine, mine.length, mine[1], log.join());
  const order = [];
  const pending = Array.fromAsync([0]).then(() => order.push("fromAsync"));
  const ticks = (async () => { for (let i = 0; i < 6; i++) { await null; order.push(i); } })();
  await Promise.all([pending, ticks]);
  console.log(order.join(" "), Array.fromAsync.length, Array.fromAsync.name);
}
main();
