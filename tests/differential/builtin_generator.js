// Generator objects.
const text = (value) => {
  try {
    return String(value);
  } catch {
    return "?";
  }
};
const log = (...values) => console.log(values.map(text).join(" "));
const show = (value) => JSON.stringify(value);
const attempt = (body) => {
  try {
    log("ok", body());
  } catch (error) {
    log(error instanceof Error ? error.name + ": " + error.message : "thrown " + text(error));
  }
};
function* g(a) {
  try {
    const x = yield a;
    log("got", x);
    yield x * 2;
    return "end";
  } finally {
    log("fin");
  }
}
{
  const it = g(1);
  log(show(it.next("ignored")), show(it.next(21)), show(it.next()), show(it.next()));
  const it2 = g(1);
  it2.next();
  log(show(it2.return("r")), show(it2.next()));
  const it3 = g(1);
  log(show(it3.return("early")), show(it3.next()));
  const it4 = g(1);
  it4.next();
  attempt(() => it4.throw(new Error("inj")));
  log(show(it4.next()));
  attempt(() => {
    const s = (function* () {
      s.next();
    })();
    s.next();
  });
  log(
    Object.prototype.toString.call(it),
    it[Symbol.iterator]() === it,
    Object.getPrototypeOf(g).constructor.name,
    g.prototype instanceof Object,
    Object.getPrototypeOf(it) === g.prototype,
    "constructor" in g.prototype,
  );
  attempt(() => new g());
  attempt(() => g.prototype.next.call({}));
  attempt(() => Object.getPrototypeOf(g).prototype.next.call(1));
}
const GF = Object.getPrototypeOf(function* () {});
log(
  GF[Symbol.toStringTag],
  GF.prototype[Symbol.toStringTag],
  Object.getOwnPropertyNames(GF.prototype).sort().join(),
  Object.getPrototypeOf(async () => 1)[Symbol.toStringTag],
  Object.getPrototypeOf(async function* () {}).prototype[Symbol.toStringTag],
  GF.prototype.next.length,
  GF.prototype.next.name,
);
