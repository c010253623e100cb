// Declarations with `using` and `await using`.
const fails = (message) => { if (message) throw new Error(message); };
const resource = (name, message) => ({
  name,
  [Symbol.dispose]() { console.log("dispose", this.name); fails(message); },
});
const asyncResource = (name, message) => ({
  name,
  async [Symbol.asyncDispose]() { console.log("dispose later", this.name); fails(message); },
});

// Every way out of a scope.
{
  using a = resource("a"), b = resource("b"), nothing = null;
  console.log("body", a.name, b.name, nothing);
}
function returns() {
  using a = resource("function");
  return 5;
}
console.log(returns());
function* generates() {
  using a = resource("generator");
  yield 1;
  yield 2;
}
for (const value of generates()) { console.log(value); break; }
for (using x of [resource(1), resource(2), resource(3)]) {
  if (x.name === 1) continue;
  console.log("iteration", x.name);
  break;
}
for (using outer = resource("loop"), counter = { n: 0, [Symbol.dispose]() { console.log("counter", this.n); } }; counter.n < 2; counter.n++) {
  console.log(outer.name, counter.n);
}
class Static {
  static {
    using a = resource("static block");
    console.log("in static block");
  }
}

// Errors, those that are suppressed too.
try {
  using a = resource("a", "disposal of a");
  using b = resource("b", "disposal of b");
  throw new Error("body");
} catch (error) {
  console.log(error.name, error.message, error instanceof SuppressedError, error instanceof Error);
  console.log(error.error.message, "|", error.suppressed.error.message, "|", error.suppressed.suppressed.message);
}
for (const value of [5, {}, { [Symbol.dispose]: 1 }]) {
  try { using a = value; } catch (error) { console.log(error.name); }
}
try { early; using early = null; } catch (error) { console.log(error.message); }

// Asynchronous disposal.
async function awaits() {
  await using a = asyncResource("a");
  await using nothing = undefined;
  using b = resource("b");
  await using c = resource("c");
  console.log("body");
  return 7;
}
console.log(await awaits());
async function rejects() {
  try {
    await using a = asyncResource("a", "disposal of a");
    await using b = asyncResource("b", "disposal of b");
    throw new Error("body");
  } catch (error) {
    console.log(error.error.message, "|", error.suppressed.error.message, "|", error.suppressed.suppressed.message);
  }
}
await rejects();
for await (await using x of [asyncResource(1), asyncResource(2)]) console.log("iteration", x.name);

using last = resource("module");
await using lastToo = asyncResource("module too");
console.log("end of the module");
