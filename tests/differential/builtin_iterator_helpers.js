// Iterator: helpers and Iterator.from.
const text = (value) => {
  try {
    return String(value);
  } catch {
    return "?";
  }
};
const log = (...values) => console.log(values.map(text).join(" "));
// Those that came after Node 22.
const newer = ["chunks", "concat", "includes", "join", "windows", "zip", "zipKeyed"];
const show = (value) => JSON.stringify(value);
const attempt = (body) => {
  try {
    log("ok", body());
  } catch (error) {
    log(error instanceof Error ? error.name + ": " + error.message : "thrown " + text(error));
  }
};
function* nat() {
  let i = 0;
  try {
    while (true) yield i++;
  } finally {
    log("closed");
  }
}
log(
  nat()
    .map((x) => x * 2)
    .filter((x) => x % 3 === 0)
    .take(3)
    .toArray(),
  nat().drop(5).take(2).toArray(),
  nat()
    .flatMap((x) => [x, -x])
    .take(4)
    .toArray(),
  nat().some((x) => x > 3),
  nat().every((x) => x < 3),
  nat().find((x) => x > 4),
  nat()
    .take(4)
    .reduce((a, b) => a + b),
  nat()
    .take(3)
    .reduce((a, b) => a + b, "s"),
  [...nat().take(0)],
  [1, 2]
    .values()
    .map((x, i) => x + ":" + i)
    .toArray(),
);
{
  const acc = [];
  [1, 2].values().forEach((v, i) => acc.push(v, i));
  log(acc);
}
attempt(() => [].values().map());
attempt(() => [].values().take(-1));
attempt(() => [].values().take(NaN));
attempt(() => [].values().drop("x"));
attempt(() => [].values().reduce((a) => a));
attempt(() => Iterator.prototype.map.call(1, (x) => x));
attempt(() =>
  [1]
    .values()
    .flatMap((x) => 1)
    .next(),
);
attempt(() =>
  [1]
    .values()
    .flatMap((x) => "ab")
    .next(),
);
attempt(() => Iterator());
attempt(() => new Iterator());
attempt(() => Iterator.from(1));
log(
  Iterator.from("ab").toArray(),
  Iterator.from([1, 2])
    .map((x) => x + 1)
    .toArray(),
  Iterator.from({
    next() {
      return { done: this.d, value: (this.d = true) };
    },
  }).toArray(),
);
class It extends Iterator {
  next() {
    return { done: true };
  }
}
log(
  new It().toArray(),
  new It() instanceof Iterator,
  Object.prototype.toString.call(new It()),
  Object.prototype.toString.call(nat().map((x) => x)),
);
{
  const h = nat().map((x) => x);
  log(show(h.next()), show(h.return()), show(h.next()), show(h.return()));
  const h2 = nat().take(1);
  log(show(h2.return()), show(h2.next()));
}
attempt(() =>
  nat()
    .map((x) => {
      throw new Error("in map");
    })
    .next(),
);
log(
  Object.getOwnPropertyNames(Iterator.prototype).filter((name) => !newer.includes(name)).sort().join(),
  Object.getOwnPropertyNames(Iterator).filter((name) => !newer.includes(name)).sort().join(),
  Object.getOwnPropertyNames(Object.getPrototypeOf([].values().map((x) => x)))
    .sort()
    .join(),
);
