// yield* passes iterator results of sync delegates on as they are, and awaits what async delegates get.
const log = [];
const inner = {
  [Symbol.iterator]() { return this; },
  next(v) { log.push(["next", v]); return { get value() { log.push("value read"); return v; }, done: v === "end", extra: v }; },
};
function* outer() { return yield* inner; }
const generator = outer();
console.log(generator.next("a").extra, generator.next("b").extra, JSON.stringify(log));
const last = generator.next("end");
console.log(last.value, last.done, last.extra, JSON.stringify(log));

function* values() { yield 1; return yield* [2, 3]; }
console.log([...values()], Math.max(...values()));

const reads = [];
const source = {
  get [Symbol.asyncIterator]() { reads.push("async"); return undefined; },
  get [Symbol.iterator]() { reads.push("sync"); return function* () { try { yield 1; yield 2; } finally { reads.push("closed"); } }; },
};
async function* asyncOuter() { try { yield* source; } finally { reads.push("left"); } }
const asyncGenerator = asyncOuter();
console.log(JSON.stringify(await asyncGenerator.next()));
console.log(JSON.stringify(await asyncGenerator.return(Promise.resolve("back"))), reads.join());
