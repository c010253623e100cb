// import() evaluates a module when it is reached, once, and rejects with what its evaluation throws.
console.log("main");
const lazy = import("./lazy.js");
console.log("requested");
console.log((await lazy).value, (await import("./lazy.js")) === (await lazy));
for (let attempt = 0; attempt < 2; attempt++) {
  await import("./failing.js").catch((error) => console.log(error.message));
}
await import("./unlinkable.js").catch((error) => console.log(error.name));
await import("./missing.js").catch((error) => console.log(error instanceof Error));
const { waited } = await import("./waiting.js");
console.log(waited);

// Modules whose names only run time knows, among those that the code writes.
const leaf = "./leaf.js";
const choose = (condition) => import(condition ? leaf : "./none.js");
console.log((await import(leaf)) === (await import("./leaf.js")), (await choose(true)) === (await import(leaf)));
console.log((await import({ toString: () => "./leaf.js" }, {})) === (await import(leaf, undefined)));
for (const [specifier, options] of [
  [{ toString() { throw new RangeError("abrupt"); } }],
  [Symbol()],
  [leaf, 5],
  [leaf, { with: 5 }],
  [leaf, { with: { type: 5 } }],
  [leaf, { get with() { throw new RangeError("abrupt"); } }],
]) {
  await import(specifier, options).catch((error) => console.log(error.name));
}
try { import((() => { throw new RangeError("synchronous"); })()); } catch (error) { console.log(error.message); }
