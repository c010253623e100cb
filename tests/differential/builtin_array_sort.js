// sort: order, stability, and the very questions V8 asks the comparator.
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
log(
  [3, 1, 2].sort(),
  [10, 9, 1, undefined, , "b", null].sort(),
  ["b", "a", "C"].sort(),
  [3, 2, 1].sort(undefined),
  [true, false, NaN, -1, "x", -2].sort(),
);
attempt(() => [1].sort(1));
attempt(() => [1].sort(null));
attempt(() =>
  [1, 2].sort(() => {
    throw new Error("cmp");
  }),
);
attempt(() => [1, 2].sort(() => Symbol()));
log(
  [2, 1, 3].sort((a, b) => "" + (a - b)),
  [3, 1, 2].sort((a, b) => a < b),
  [3, 1, 2].sort((a, b) => (a > b ? true : false)),
  [3, 1, 2].sort(() => NaN),
  [3, 1, 2].sort(() => undefined),
);
{
  const a = [5, 1, 4];
  a.sort((x, y) => {
    a.length = 0;
    return x - y;
  });
  log(a);
}
{
  const a = [, 3, undefined, 1];
  a.sort();
  log(show(a), 3 in a, a.length);
}
log(show(Array.prototype.sort.call({ length: 3, 0: 2, 2: 1 })));
{
  const recs = [];
  for (let i = 0; i < 1000; i++) recs.push({ k: (i * 7919) % 13, i });
  recs.sort((a, b) => a.k - b.k);
  log(recs.every((r, i) => i === 0 || recs[i - 1].k < r.k || (recs[i - 1].k === r.k && recs[i - 1].i < r.i)));
}
// the same questions as V8 in the same order, also from comparators that contradict themselves
let seed = 1;
const rnd = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
for (const n of [2, 3, 10, 31, 32, 33, 63, 64, 65, 100, 257, 1000, 3000]) {
  const mk = [
    () => Array.from({ length: n }, () => Math.floor(rnd() * n)),
    () => Array.from({ length: n }, (_, i) => i),
    () => Array.from({ length: n }, (_, i) => n - i),
    () => Array.from({ length: n }, (_, i) => (i % 5 === 0 ? Math.floor(rnd() * n) : i)),
    () => Array.from({ length: n }, (_, i) => (i < n / 2 ? i * 2 : (i - n / 2) * 2 + 1)),
    () => Array.from({ length: n }, () => Math.floor(rnd() * 4)),
  ];
  mk.forEach((make, kind) => {
    const a = make();
    let calls = 0,
      h = 0;
    a.sort((x, y) => {
      calls++;
      h = (h * 31 + x * 7 + y) | 0;
      return x - y;
    });
    const b = make();
    b.sort((x, y) => x > y);
    const c = make();
    let s2 = 7;
    c.sort(() => (s2 = (s2 * 1103515245 + 12345) % 2147483648) / 2147483648 - 0.5);
    const hash = (z) => z.reduce((p, q) => (p * 31 + q) | 0, 7);
    log("sort", n, kind, calls, h, hash(a), hash(b), hash(c));
  });
}
