// Captured variables, per-iteration bindings, dead zones, hoisting, recursion.
const fs = []; for (let i = 0; i < 3; i++) { fs.push(() => i, () => i++); }
console.log(fs.map((f) => f()).join(), fs.map((f) => f()).join());
const gs = []; for (let i = 0, next = () => ++i; i < 4; next()) { gs.push(() => i); if (gs.length > 5) break; i++; }
console.log(gs.map((f) => f()).join());
const hs = []; for (const x of [1, 2, 3]) { let y = x * 2; hs.push(() => x + y++); } console.log(hs.map((f) => f() + f()).join());
const ks = []; for (var v = 0; v < 3; v++) ks.push(() => v); console.log(ks.map((f) => f()).join());
for (const k in { a: 1, b: 2 }) fs.push(() => k); console.log(fs.at(-1)(), fs.at(-2)());
function counter() { let count = 0; return { up: () => ++count, get value() { return count; }, reset() { count = 0; } }; }
const c1 = counter(), c2 = counter(); c1.up(); c1.up(); c2.up(); console.log(c1.value, c2.value); c1.reset(); console.log(c1.value);
try { early; let early = 1; } catch (error) { console.log(error.name, error.message); }
try { (() => lateConst)(); } catch (error) { console.log(error.message); }
const lateConst = 5; console.log((() => lateConst)());
try { lateConst = 6; } catch (error) { console.log(error.name, error.message); }
try { assigned = 1; let assigned; } catch (error) { console.log(error.message); }
try { new K(); class K {} } catch (error) { console.log(error.message); }
try { undeclared; } catch (error) { console.log(error.name, error.message); }
try { undeclaredAssigned = 1; } catch (error) { console.log(error.name, error.message); }
console.log(hoisted(3)); function hoisted(n) { return n ? hoisted(n - 1) + inner() : 0; function inner() { return 1; } }
console.log(typeof blockScoped); { console.log(blockScoped()); function blockScoped() { return "block"; } }
const fact = function self(n) { return n < 2 ? 1 : n * self(n - 1); }; console.log(fact(10), fact.name);
const frozenName = function named() { try { named = 1; } catch (error) { return error.message; } }; console.log(frozenName());
let chain = (a) => (b) => (c) => (d) => [a, b, c, d].join(""); console.log(chain(1)(2)(3)(4));
function deep() { let a = 1; { let b = 2; { let c = 3; return () => { a++; { let d = 4; return () => a + b + c++ + d; } }; } } }
const dd = deep(); const e1 = dd(), e2 = dd(); console.log(e1(), e1(), e2());
function params(a, b = a + 1, c = () => a + b, ...rest) { a = 10; return [a, b, c(), rest.join("|")].join(); }
console.log(params(1), params(1, 2), params(1, 2, () => "own", 4, 5), params.length);
function shadow(x) { { let x = 2; x++; } var x; return x; } console.log(shadow(7));
function argumentsHere() { arguments[0] = 9; return [arguments.length, arguments[0], (() => arguments[1])()].join(); } console.log(argumentsHere(1, 2, 3));
function argsCaptured(a) { return () => [...arguments].join() + a; } console.log(argsCaptured(1, 2)());
function mutate(a) { const g = () => a++; g(); g(); return a; } console.log(mutate(5));
const self = { name: "self", arrow() { return (() => this.name)(); }, nested() { return (() => () => this.name)()(); } }; console.log(self.arrow(), self.nested());
function NewTarget() { return (() => new.target === NewTarget)(); } console.log(NewTarget(), Object.keys(new (function () { this.t = new.target !== undefined; })()).join());
const names = [() => {}, function () {}, class {}].map((f) => f.name); console.log(JSON.stringify(names));
const arrow = () => {}, { destructured = () => {} } = {}, obj = { prop: () => {}, method() {}, get g() { return 1; }, ["comp" + 1]: () => {}, async am() {}, *gm() {} };
let assignedName; assignedName = function () {}; console.log(arrow.name, destructured.name, obj.prop.name, obj.method.name, obj.comp1.name, obj.am.name, obj.gm.name, assignedName.name);
console.log(Object.getOwnPropertyDescriptor(obj, "g").get.name, (function (a, b = 1, c) {}).length, ((...r) => r).length);
let x1 = "outer"; { const read = () => x1; let x2 = "inner"; const read2 = () => x2 + read(); x1 = "changed"; x2 += "!"; console.log(read2()); }
function loopClosure(n) { const r = []; let i = 0; while (i < n) { const k = i; r.push(() => k * 10); i++; } return r.map((f) => f()).join(); } console.log(loopClosure(4));
const compose = (...f) => (x) => f.reduceRight((y, g) => g(y), x); console.log(compose((x) => x + 1, (x) => x * 2)(5));
var redefined = 1; var redefined = 2; function twice() { return 1; } console.log(redefined, twice());
console.log([1, 2, 3].map((x) => { if (x > 1) { const y = x; return () => y; } return () => 0; }).map((f) => f()).join());
try { switch (1) { case 0: let sv = 0; case 1: sv = 5; } } catch (error) { console.log(error.message); }
