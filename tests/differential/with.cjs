// `with` statements.
var o = { a: 1, f() { return this === o; }, get g() { return "getter"; }, [Symbol.unscopables]: { hidden: true }, hidden: 5 };
var a = "outer a", hidden = "outer hidden", only = "outer only";
with (o) {
  console.log(a, f(), g, hidden, only, typeof missing, typeof a);
  a = 2;
  only = 3;
  var declared = 7;
  hidden = 9;
}
console.log(o.a, a, only, declared, hidden, o.hidden);

// Closures, nesting, arguments, deletion, generators.
function nested(x) {
  with (x) {
    var y = 5;
    a += 10;
    let z = 1;
    with ({ z: 2, q: 3 }) console.log(z, q, delete q, typeof q);
    return function () { return [a, y, z, arguments.length]; };
  }
}
var object = { a: 1, y: 0 };
console.log(nested(object)(1, 2), object);
const deep = (w) => { with (w) return () => () => value; };
console.log(deep({ value: 42 })()());
function* generates(w) { with (w) { yield value; value = 2; yield value; } }
console.log([...generates({ value: 1 })]);
with ([1, 2, 3]) { console.log(length, join("-")); for (var i = 0; i < length; i++) console.log(i); }
try { with (null) ; } catch (error) { console.log(error.name); }

// Every kind of assignment.
var q;
with ({ x: 1, y: 2, u: undefined, n: 1 }) {
  ({ a: x, b: y } = { a: 10, b: 20 });
  [q, y] = [1, 99];
  u ??= 4;
  n++;
  console.log(x, y, q, u, n, n--, n);
}
for (var key in { k: 1 }) with ({ key: 2 }) console.log(key);
