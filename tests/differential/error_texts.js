// What errors call the things that are iterated, called and constructed.
const messageOf = (work) => {
  try {
    work();
    console.log('no error');
  } catch (error) {
    console.log(error.message);
  }
};
const messageOfAsync = async (work) => {
  try {
    await work();
    console.log('no error');
  } catch (error) {
    console.log(error.message);
  }
};
let nothing;
const object = {};
const nil = null;
const five = 5;
const nested = { a: { b: {} }, nothing: undefined, five: () => 5 };
const f = () => {};
class K {}

// for…of
messageOf(() => { for (const x of object); });
messageOf(() => { for (const x of nothing); });
messageOf(() => { for (const x of nil); });
messageOf(() => { for (const x of 5); });
messageOf(() => { for (const x of five); });
messageOf(() => { for (const x of nested.a.b); });
messageOf(() => { for (const x of nested["a"]); });
messageOf(() => { for (const x of nested.five()); });
messageOf(() => { for (const x of new K()); });
messageOf(() => { for (const x of { a: 1 }); });
messageOf(() => { for (const x of nothing ?? 5); });
messageOf(() => { for (const x of five + 1); });
messageOf(() => { for (const x of !five); });
messageOf(() => { for (const x of -five); });
messageOf(() => { for (const x of nested?.x); });
messageOf(() => { for (const x of f()); });
messageOf(() => { for (const x of this_is.missing); });

// array patterns
messageOf(() => { const [x] = f(); });
messageOf(() => { const [x] = nested.five(); });
messageOf(() => { const [x] = nested.x; });
messageOf(() => { const [x] = nested.a; });
messageOf(() => { const [x] = new K(); });
messageOf(() => { const [x] = nothing ?? 5; });
messageOf(() => { const [x] = five + 1; });
messageOf(() => { const [x] = !five; });
messageOf(() => { const [x] = { a: 1 }; });
messageOf(() => { const [x] = nothing ? 1 : 2; });
messageOf(() => { const [x] = null; });
messageOf(() => { const [x] = undefined; });
messageOf(() => { const [x] = true; });
messageOf(() => { const [x] = 10n; });
messageOf(() => { const [x] = () => 1; });
messageOf(() => { const [x] = class {}; });
messageOf(() => { const [x] = /x/; });
messageOf(() => { const [x] = five; });
messageOf(() => { const [x] = object; });
messageOf(() => { const [x] = (five, 5); });
messageOf(() => { const [x] = typeof five === "x"; });
messageOf(() => { let x; [x] = nothing; });
messageOf(() => { let x; [x] = object; });
messageOf(() => { let x; [x] = nested.five(); });
messageOf(() => { const [[x]] = [object]; });
messageOf(() => { (([x]) => x)(5); });
messageOf(() => { (([x]) => x)(); });
messageOf(() => { (([x] = 5) => x)(); });
messageOf(() => { try { throw 5; } catch ([x]) {} });
messageOf(() => { for (const [a, b] of [5]); });
messageOf(() => { for (const [a, b] of [nothing]); });
messageOf(() => { let a; for ([a] of [5]); });
messageOf(() => { for (const [[a]] of [[1]]); });
messageOf(() => { for (const { x } of [nothing]); });

// spreads
messageOf(() => { [...object]; });
messageOf(() => { [...nothing]; });
messageOf(() => { [...5]; });
messageOf(() => { [1, ...nested.a]; });
messageOf(() => { [...nested.five()]; });
messageOf(() => { [...new K()]; });
messageOf(() => { [...(() => {})()]; });
messageOf(() => { f(...object); });
messageOf(() => { f(...nothing); });
messageOf(() => { f(...5); });
messageOf(() => { f(...nested.nothing); });
messageOf(() => { f(...(nothing || null)); });
messageOf(() => { f(...void 0); });
messageOf(() => { f(...5, 2); });
messageOf(() => { f(1, ...nothing, 2); });
messageOf(() => { new Map(...nothing); });
messageOf(() => { new Map(...object); });
messageOf(() => { new Map(...5, 1); });
messageOf(() => { f(...{ [Symbol.iterator]: 5 }); });
messageOf(() => { f(...{ [Symbol.iterator]() { return 5; } }); });
messageOf(() => { [...{ [Symbol.iterator]: 5 }]; });

// calls with arguments after a spread
messageOf(() => { (nothing)(...[1], 2); });
messageOf(() => { (nil)(...[1], 2); });
messageOf(() => { (five)(...[1], 2); });
messageOf(() => { ("abc")(...[1], 2); });
messageOf(() => { (object)(...[1], 2); });
messageOf(() => { ([1, 2])(...[1], 2); });
messageOf(() => { (Symbol("a"))(...[1], 2); });
messageOf(() => { (10n)(...[1], 2); });
messageOf(() => { (true)(...[1], 2); });
messageOf(() => { (nested.x)(...[1], 2); });
messageOf(() => { ((class {}))(...[1], 2); });
messageOf(() => { ((class A {}))(...[1], 2); });
messageOf(() => { nothing(...[1]); });
messageOf(() => { nothing(1, ...[1]); });
messageOf(() => { nothing(...[1], ...[2]); });
messageOf(() => { new nothing(...[1], 2); });
messageOf(() => { new (() => 1)(...[1], 2); });
messageOf(() => { new object(...[1], 2); });
messageOf(() => { new nothing(1, ...[1]); });

// callees
messageOf(() => { (!nothing)(); });
messageOf(() => { (-five)(); });
messageOf(() => { (typeof five)(); });
messageOf(() => { (void five)(); });
messageOf(() => { (delete nested.zz)(); });
messageOf(() => { (nothing ? nothing : five)(); });
messageOf(() => { (nothing ?? five)(); });
messageOf(() => { (object && five)(); });
messageOf(() => { (nothing || five)(); });
messageOf(() => { (1, 2, five)(); });
messageOf(() => { (nothing = 5)(); });
messageOf(() => { (five + five * 2)(); });
messageOf(() => { nested?.x(); });
messageOf(() => { nested?.["x"](); });
messageOf(() => { nested?.[five](); });
messageOf(() => { nested["x"](); });
messageOf(() => { nested[five](); });
messageOf(() => { /a/g(); });
messageOf(() => { String.raw`x`(); });
messageOf(() => { [1, , five].x(); });
messageOf(() => { [...[1]].x(); });
messageOf(() => { ({ a: 1, b() {} }).x(); });
messageOf(() => { nested.five()(); });
messageOf(() => { (nothing++)(); });
messageOf(() => { (++nothing)(); });

// asynchronous iteration and delegation
await messageOfAsync(async () => { for await (const x of object); });
await messageOfAsync(async () => { for await (const x of nothing); });
await messageOfAsync(async () => { for await (const x of 5); });
await messageOfAsync(async () => { for await (const x of nested.a); });
await messageOfAsync(async () => { for await (const x of Object(1)); });
await messageOfAsync(async () => { for await (const x of nested.five()); });
await messageOfAsync(async () => { for (const x of await object); });
await messageOfAsync(async () => { for (const x of (await object).foo); });
await messageOfAsync(async () => { for (const x of await 5); });
await messageOfAsync(async () => { const [x] = await object; });
await messageOfAsync(async () => { [...(await object)]; });

// Destructuring of nothing: parameters, patterns that begin with a default value.
messageOf(() => (({ x }) => x)(null));
messageOf(() => (({ x }) => x)());
messageOf(() => ((a, { x }) => x)(1, null));
messageOf(() => (({ x = 1 }) => x)());
messageOf(() => (({ x = 1, y }) => x)(null));
messageOf(() => (({ y, x = 1 }) => x)());
messageOf(() => { const { x = 1 } = nothing; });
messageOf(() => { const { x: y = 1 } = nested.nothing; });
messageOf(() => { let x; ({ x = 1 } = nothing); });
messageOf(() => { let x; ({ x: x = 1 } = nil); });
messageOf(() => { for (const { x = 1 } of [null]); });
messageOf(() => { const { nothing: { x = 1 } } = nested; });
// Keys of `in` are named without calling anything.
messageOf(() => ({}) in five);
messageOf(() => ({ toString() { return 'called'; } }) in nil);
messageOf(() => f in 'string');
messageOf(() => 'key' in five);
messageOf(() => Symbol('s') in nothing);
