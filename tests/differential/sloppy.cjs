// Sloppy code: functions in blocks, and variables that texts given to eval create.
{ function inBlock() { return 1; } }
console.log(inBlock());
function aroundTheBlock() {
  const types = [typeof h];
  { types.push(typeof h); function h() {} h = 1; types.push(typeof h); }
  types.push(typeof h);
  return types;
}
console.log(aroundTheBlock());
function keepsLet() { let h = "let"; { function h() {} } return typeof h; }
function keepsParameter(h) { { function h() {} } return typeof h; }
console.log(keepsLet(), keepsParameter(1));
function branches(c) { if (c) function k() { return "yes"; } else function k() { return "no"; } return k(); }
console.log(branches(1), branches(0));
function cases() { switch (1) { case 0: function s() { return "s"; } case 1: return [typeof s, s()]; } }
console.log(cases());
function last() { { function f() { return "first"; } function f() { return "second"; } } return f(); }
console.log(last());
function caught() { try { throw null; } catch (f) { { function f() { return 123; } } } return f(); }
function caughtPattern() { try { throw {}; } catch ({ f }) { { function f() {} } } return typeof f; }
console.log(caught(), caughtPattern());
function onlyGenerators() { { function* g() {} async function a() {} } return [typeof g, typeof a]; }
console.log(onlyGenerators());

// Direct eval.
function creates() { eval("var x = 1; function g() { return x + 1; }"); return [x, g(), delete x, typeof x]; }
console.log(creates());
function assigns(a) { eval("var a; a = a + 1; var b = 5"); return [a, b]; }
console.log(assigns(1));
function conflicts() { let l = 1; try { eval("var l = 2"); } catch (error) { return [l, error.name, error.message]; } }
console.log(conflicts());
var x = "outer";
function shadows() {
  const before = typeof y + x;
  eval('var x = "inner", y = 1');
  const closure = () => x;
  return [before, x, closure(), y];
}
console.log(shadows());
function values() { return [eval("var z = 3; z * 2"), eval("1;var q = 2;"), eval("for (var i = 0; i < 3; i++) i;"), i]; }
console.log(values());
function patterns() { eval("var { a, b: [c] } = { a: 1, b: [2] }, d = 3; for (var [e] of [[4]]); for (var f in { g: 1 });"); return [a, c, d, e, f]; }
console.log(patterns());
function hoists() { eval('{ function f() { return "first"; } }{ function f() { return "second"; } }'); return f(); }
console.log(hoists());
function overParameter(f) { eval("var init = f; { function f() {} }"); return [init, typeof f]; }
console.log(overParameter(123));
try { throw null; } catch (error) {
  eval("function error() {}");
  eval("var error; for (var error in []) {}");
  console.log(error);
}
function inner() { return eval('(function () { return eval("var deep = 1; deep") + (typeof deep === "undefined" ? 0 : 10); })()'); }
function twice() { eval('eval("var nested = 4")'); return nested; }
console.log(inner(), twice());
function* generates() { eval("var y = 1"); yield y; y = 2; yield y; }
console.log([...generates()], (() => { eval("var inArrow = 1"); return inArrow; })());
function strict() { "use strict"; eval("var hidden = 1"); return typeof hidden; }
console.log(strict());
(0, eval)("var indirect = 7; function self() { return this === globalThis; }");
console.log(indirect, self(), delete globalThis.indirect, typeof indirect);
for (const text of [() => (0, eval)("super.x"), () => (0, eval)("}")]) {
  try { text(); } catch (error) { console.log(error.name); }
}

// The name of a function expression is the function, whatever is assigned to it.
const named = function self() { (() => { self = 1; })(); return self === named; };
console.log(named());

// `super.x = value` fails silently in sloppy methods.
{
  const sloppy = { set() { super.x = 1; super["y"] = 2; return Object.keys(this).join(); } };
  console.log(sloppy.set.call({}), sloppy.set.call(Object.freeze({ z: 1 })));
  const strict = { set() { "use strict"; super.x = 1; } };
  try {
    strict.set.call(Object.freeze({}));
  } catch (error) {
    console.log(String(error));
  }
}
