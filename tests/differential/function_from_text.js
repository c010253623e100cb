// Functions made of text that the compiler can foresee.
const attempt = (body) => {
  try {
    console.log(body());
  } catch (error) {
    console.log(error.name);
  }
};
console.log(Function("return this")() === globalThis, Function("a", "b", "return a + b")(1, 2));
console.log(new Function("a,b", "c", "return a * b + c")(2, 3, 4), new Function("x", "y", "").length);
const body = "return typeof nowhere";
console.log(new Function(body)(), Function("x", `return x ${"*"} 2`)(4), Function("", "return arguments.length")(1, 2));
console.log(String(new Function("a", "return a")), Function("a", "/* b */", "return a // c").toString());

// Each call makes a new function, which belongs to no scope and to sloppy code.
const make = () => Function("return arguments.callee");
console.log(make() === make(), make()() === make(), make().name, Object.keys(make()).length, new (make())() instanceof Object);
console.log(Function("implicit = 010; return delete globalThis.implicit")(), Function("'use strict'; return this")());
console.log(Function("'use strict'; a => a; return typeof this").call(5));
console.log(Reflect.construct(Function, ["return 1"], class extends Array {}) instanceof Array);

// Texts put together of what functions are called with, and of properties.
function subclass(name) {
  return new Function(`return class My${name} extends ${name} {}`)();
}
console.log(subclass("Map").name, new (subclass("Set"))([1]).size);
console.log([{ source: "1 + 1" }, { source: "[3].length" }].map((entry) => new Function("return " + entry.source)()));

// Early errors are thrown when the function is made.
attempt(() => new Function("return ("));
attempt(() => new Function("/*", "*/){"));
attempt(() => Function("a", "'use strict'; with (a) {}"));
attempt(() => Function("a", "a", "'use strict'"));
attempt(() => Function("a,", "return 1")());
attempt(() => Function("super()"));
attempt(() => new Function({ toString() { throw new RangeError("asked"); } }));

const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor;
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
const AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {}).constructor;
console.log([...GeneratorFunction("a", "yield a; yield 2")(1)], GeneratorFunction("yield 1").toString());
AsyncFunction("a", "return await a")(Promise.resolve(3)).then(console.log);
AsyncGeneratorFunction("yield 4")().next().then(console.log);
console.log(Object.getPrototypeOf(AsyncFunction) === Function, GeneratorFunction().name, AsyncFunction("a", "b", "").length);

// Functions of sloppy code that nobody may look into have nothing there.
const sloppy = Function("return 1");
console.log(sloppy.caller, sloppy.arguments);
attempt(() => make.caller);
