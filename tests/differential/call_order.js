// The method is read before the arguments are evaluated, and each part of a template is converted before the next.
const log = [];
const say = (what) => (log.push(what), what);
function attempt(name, body) {
  log.length = 0;
  let result;
  try {
    result = String(body());
  } catch (error) {
    result = `${error.name}: ${error.message}`;
  }
  console.log(name, result, log.join());
}
const object = {
  get method() {
    say("get");
    return (...values) => values.join("+");
  },
  get value() {
    return say("value");
  },
  toString() {
    return say("text");
  },
};
let nothing;
attempt("getter, then argument", () => object.method(object.value));
attempt("getter, then an undeclared name", () => object.method(undeclared));
attempt("no object", () => nothing.method(undeclared));
attempt("no object, an argument that calls", () => nothing.method(say("argument")));
attempt("no object, an argument that reads", () => nothing.method(object.value));
attempt("no object, literals", () => nothing.method(1, "a", [], {}));
attempt("not a function", () => object.value(say("argument")));
attempt("not a function, undeclared", () => object.value(undeclared));
attempt("no such method", () => object.missing(say("argument")));
attempt("call of nothing", () => nothing.call(undeclared));
attempt("apply", () => object.method.apply(object.value, [say("argument")]));
attempt("spread", () => object.method(...[object.value, say("more")]));
attempt("no object, spread", () => nothing.method(...say("ab")));
attempt("optional", () => nothing?.method(undeclared));
attempt("optional call", () => object.missing?.(undeclared));
attempt("optional call of a getter", () => object.method?.(object.value));
attempt("chained", () => object.method(object.value).concat(object.value, say("end")));
attempt("in its dead zone", () => {
  const result = object.method(later);
  const later = 1;
  return result + later;
});
attempt("an argument changes the method", () => {
  const box = { f: () => "old" };
  return box.f((box.f = () => "new"));
});
attempt("an argument changes the object", () => {
  let box = { f: () => "old" };
  return box.f((box = { f: () => "new" }));
});
attempt("a getter changes an argument", () => {
  let value = "old";
  const box = {
    get f() {
      value = "new";
      return (given) => given;
    },
  };
  return box.f(value);
});
attempt("proxy", () => new Proxy(object, { get: (target, key) => (say(`proxy ${key}`), target[key]) }).method(object.value));
attempt("of a primitive", () => "abc".slice(object.value.length - 4, say("b").length + 1));
const list = [];
attempt("push", () => list.push(list.length, list.push("inner"), object.value) + list.join());

attempt("template", () => `${object} ${object.value} ${object}`);
attempt("template, undeclared", () => `${object} ${undeclared}`);
attempt("template of a symbol", () => `${Symbol("s")} ${say("later")}`);
attempt("template of a symbol at the end", () => `${say("before")} ${Symbol("s")}`);
attempt("template whose conversion changes a variable", () => {
  let value = "old";
  const changing = { toString: () => (value = "new") };
  return `${value} ${changing} ${value}`;
});
attempt("template of primitives", () => `${1} ${-0} ${1.5} ${10n} ${null} ${undefined} ${true} ${"text"} ${[1, [2]]}`);
async function waits() {
  log.length = 0;
  const text = `${object} ${await say("awaited")} ${object}`;
  const called = object.method(await object.value);
  console.log(text, called, log.join());
}
await waits();
