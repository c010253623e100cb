// `arguments` of sloppy functions with simple parameter lists: elements and parameters are the same, until they are not.
const show = (...values) => console.log(values.map((value) => String(value)).join(" "));

(function (a, b, c) {
  a = 1;
  arguments[1] = "two";
  c = 3;
  show(a, b, c, arguments.length, arguments[0], arguments[1], arguments[2]);
  arguments[0]++;
  b += "!";
  show(a, arguments[1], Object.keys(arguments), JSON.stringify(arguments));
  console.log(arguments);
})(10, 20);

(function (a, a) {
  a = "changed";
  show(arguments[0], arguments[1]);
  arguments[0] = "first";
  show(a);
})(1, 2);

(function (a) {
  const read = () => a;
  const write = (value) => { a = value; };
  const element = () => arguments[0];
  arguments[0] = 5;
  show(read(), element());
  write(6);
  show(arguments[0], element());
  (function () { arguments[0] = 7; })(1);
  show(a);
})(1);

function leak(a) { return [arguments, () => a, (value) => { a = value; }]; }
const [leaked, get, set] = leak(1, 2);
leaked[0] = "through";
show(get());
set("back");
show(leaked[0], Object.prototype.toString.call(leaked), leaked.callee === leak, [...leaked], Array.from(leaked));

(function (a) {
  show(delete arguments[0], a, arguments[0], 0 in arguments);
  arguments[0] = 2;
  show(a, arguments[0]);
  a = 3;
  show(a, arguments[0]);
})(1);

(function (a) {
  Object.defineProperty(arguments, "0", { configurable: false });
  a = 2;
  show(arguments[0], delete arguments[0], JSON.stringify(Object.getOwnPropertyDescriptor(arguments, "0")));
  arguments[0] = 3;
  show(a);
  Object.defineProperty(arguments, "0", { value: 4 });
  show(a, arguments[0]);
  Object.defineProperty(arguments, "0", { writable: false });
  a = 5;
  arguments[0] = 6;
  show(a, arguments[0], JSON.stringify(Object.getOwnPropertyDescriptor(arguments, "0")));
  try {
    Object.defineProperty(arguments, "0", { value: 7 });
  } catch (error) {
    show(error);
  }
})(1);

(function (a) {
  a = 2;
  Object.defineProperty(arguments, "0", { writable: false });
  show(arguments[0]);
  a = 3;
  show(arguments[0], a);
})(1);

(function (a) {
  Object.defineProperty(arguments, "0", { value: 2, writable: false, enumerable: false });
  show(a, arguments[0], Object.keys(arguments));
  a = 3;
  show(arguments[0]);
})(1);

(function (a) {
  Object.defineProperty(arguments, "0", { get() { return "got"; }, set(value) { show("set", value); } });
  a = 2;
  show(arguments[0], a);
  arguments[0] = 3;
  show(a);
})(1);

(function (a, b) {
  Object.freeze(arguments);
  a = 2;
  arguments[1] = 3;
  show(a, b, arguments[0], arguments[1], Object.isFrozen(arguments));
})(1, 2);

(function (a) {
  Object.seal(arguments);
  a = 2;
  arguments[0]++;
  show(a, arguments[0], Object.isSealed(arguments));
})(1);

(function (a) {
  const child = Object.create(arguments);
  child[0] = "own";
  show(a, child[0], arguments[0]);
  Reflect.set(arguments, "0", "other", {});
  show(a, Reflect.set(arguments, "0", "reflected"), a);
})(1);

(function (a) {
  "use strict";
  a = 2;
  arguments[0] = 3;
  show(a, arguments[0]);
})(1);

(function (a, b = 2) {
  a = 2;
  show(a, arguments[0]);
})(1);

(function (a, ...rest) {
  a = 2;
  show(a, arguments[0], rest);
})(1, 5);

(function ({ a }) {
  a = 2;
  show(a, arguments[0].a);
})({ a: 1 });

(function (a) {
  arguments.length = 0;
  a = 2;
  show(arguments[0], arguments.length, Array.prototype.slice.call(arguments).length);
})(1);

const object = {
  method(a) { a = 2; return arguments[0]; },
  set value(a) { a = 3; show(arguments[0]); },
  *generator(a) { yield arguments[0]; a = yield a; yield arguments[0]; arguments[0] = "last"; yield a; },
  async later(a) { await null; a = "awaited"; await null; return arguments[0]; },
};
show(object.method(1));
object.value = 1;
const generator = object.generator("first");
show(generator.next().value, generator.next().value, generator.next("sent").value, generator.next().value);
object.later(1).then(show);

(function (a) {
  function a() {}
  show(typeof a, typeof arguments[0]);
})(1);

(function (a) {
  var a;
  show(a);
  var a = 2;
  show(arguments[0]);
})(1);

(function (a) {
  Array.prototype.push.call(arguments, "pushed");
  Array.prototype.reverse.call(arguments);
  show(a, [...arguments]);
})(1);

// `var arguments` is the same object; functions and parameters of that name are others.
(function (a) {
  show(arguments.length, typeof arguments);
  var arguments;
  arguments[0] = 2;
  show(a);
  var arguments = "own";
  show(arguments, a);
})(1);
(function () {
  if (false) { var arguments; }
  show(arguments.length, (() => arguments[1])(), (() => { var arguments; return arguments; })());
})(1, 2);
(function () { function arguments() {} show(typeof arguments); })(1);
(function (arguments) { var arguments; show(arguments); })(1);
(function () { let arguments; show(arguments); })(1);
(function () { { let arguments = "block"; show(arguments); } show(arguments.length); })(1);
