// Promise: combinators, subclasses, and the order of microtasks.
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
const tick = (name, n) => {
  let p = Promise.resolve();
  for (let i = 1; i <= n; i++) {
    const k = i;
    p = p.then(() => log("tick", k));
  }
};
tick("t", 12);
const thenable = (v) => ({
  then(r) {
    log("then called");
    r(v);
  },
});
Promise.all([1, Promise.resolve(2), thenable(3)]).then((v) => log("all", v));
Promise.all([]).then((v) => log("all empty", show(v)));
Promise.all([Promise.reject(new Error("x")), Promise.reject(2)]).catch((e) => log("all rej", String(e)));
Promise.allSettled([1, Promise.reject(2), thenable(3)]).then((v) => log("settled", show(v)));
Promise.any([Promise.reject(1), Promise.resolve(2)]).then((v) => log("any", v));
Promise.any([Promise.reject(1), Promise.reject(2)]).catch((e) =>
  log("any rej", String(e), e.errors, e.constructor.name),
);
Promise.any([]).catch((e) => log("any empty", String(e)));
Promise.race([new Promise(() => {}), Promise.resolve("r"), 3]).then((v) => log("race", v));
Promise.race([Promise.reject("rr")]).catch((v) => log("race rej", v));
for (const m of ["all", "allSettled", "any", "race"]) {
  Promise[m](5).catch((e) => log(m, String(e)));
  Promise[m]().catch((e) => log(m, String(e)));
  attempt(() => Promise[m].call(1));
  attempt(() => Promise[m].call(undefined, []));
}
const { promise, resolve, reject } = Promise.withResolvers();
promise.then((v) => log("wr", v));
resolve(1);
reject(2);
resolve(3);
attempt(() => Promise.withResolvers.call(1));
attempt(() => Promise());
attempt(() => new Promise());
attempt(() => new Promise(5));
attempt(() => Promise.resolve.call(1));
attempt(() => Promise.prototype.then.call(1));
attempt(() => Promise.prototype.finally.call(1));
attempt(() => Promise.reject.call());
new Promise((r) => {
  r(1);
  throw new Error("ignored");
}).then((v) => log("first wins", v));
new Promise(() => {
  throw new Error("thrown");
}).catch((e) => log("caught", String(e)));
const self = new Promise((r) => setTimeoutLike(() => r(self)));
function setTimeoutLike(f) {
  Promise.resolve().then(f);
}
self.catch((e) => log("cycle", String(e)));
Promise.resolve(1)
  .finally(() => log("fin"))
  .then((v) => log("after fin", v));
Promise.reject(1)
  .finally(() => 2)
  .catch((v) => log("fin rej", v));
Promise.resolve(1)
  .finally(() => {
    throw 5;
  })
  .catch((v) => log("fin throw", v));
Promise.resolve(1)
  .finally(() => Promise.reject(6))
  .catch((v) => log("fin reject", v));
Promise.resolve(7)
  .finally(8)
  .then((v) => log("fin noncallable", v));
Promise.resolve(1)
  .then(5)
  .then((v) => log("pass", v));
Promise.reject(1)
  .then(null, (v) => v + 1)
  .then((v) => log("recovered", v));
class MyP extends Promise {
  constructor(ex) {
    super(ex);
    this.mine = true;
  }
  static get [Symbol.species]() {
    return MyP;
  }
  then(a, b) {
    log("MyP.then");
    return super.then(a, b);
  }
}
const mp = new MyP((r) => r(1));
log(
  mp instanceof MyP,
  mp.then((x) => x) instanceof MyP,
  MyP.resolve(1).mine,
  MyP.resolve(mp) === mp,
  Promise.resolve(mp) === mp,
  MyP.all([mp, 2]) instanceof MyP,
);
MyP.all([mp, 2]).then((v) => log("MyP.all", v));
(async () => {
  log("await MyP", await mp);
})();
{
  const orig = Promise.prototype.then;
  Promise.prototype.then = function (...a) {
    log("patched then");
    return orig.apply(this, a);
  };
  Promise.all([Promise.resolve(1)]);
  (async () => {
    await Promise.resolve(1);
  })();
  Promise.prototype.then = orig;
}
{
  const orig = Promise.resolve;
  Promise.resolve = function (v) {
    log("patched resolve", v);
    return orig.call(this, v);
  };
  Promise.all([1, 2]);
  Promise.resolve = orig;
}
{
  const it = {
    [Symbol.iterator]() {
      let i = 0;
      return {
        next() {
          if (i++ === 1) throw new Error("iter");
          return { value: i, done: false };
        },
        return() {
          log("ret");
          return {};
        },
      };
    },
  };
  Promise.all(it).catch((e) => log(String(e)));
}
// order of microtasks across forms
(async () => {
  log("a1");
  await null;
  log("a2");
  await Promise.resolve();
  log("a3");
  await thenable(1);
  log("a4");
})();
(async () => {
  const r = await (async () => {
    await 0;
    return Promise.resolve("inner");
  })();
  log(r);
})();
Promise.resolve()
  .then(() => {
    log("p1");
    return Promise.resolve("ret");
  })
  .then((v) => log("p2", v));
Promise.resolve()
  .then(() => log("q1"))
  .then(() => log("q2"))
  .then(() => log("q3"))
  .then(() => log("q4"))
  .then(() => log("q5"));
queueMicrotask(() => log("micro"));
(async () => {
  try {
    await Promise.all([Promise.reject(new Error("pa")), 1]);
  } catch (e) {
    log("async caught", String(e));
  } finally {
    log("async finally");
  }
})();
(async function* () {
  try {
    yield 1;
    yield Promise.resolve(2);
  } finally {
    log("ag fin");
  }
})[Symbol.toStringTag];
(async () => {
  async function* ag() {
    const x = yield 1;
    log("ag got", x);
    try {
      yield Promise.resolve(2);
    } finally {
      log("ag fin");
    }
    return 3;
  }
  const it = ag();
  log(show(await it.next("z")), show(await it.next("y")), show(await it.return("q")), show(await it.next()));
  for await (const v of ag()) log("fa", v);
  for await (const v of [1, Promise.resolve(2)]) log("fas", v);
  const it2 = ag();
  const ps = [it2.next(), it2.next(), it2.next(), it2.next()];
  log(show(await Promise.all(ps)));
  try {
    for await (const v of [Promise.reject("rejected")]) log(v);
  } catch (e2) {
    log("fa caught", e2);
  }
  attempt(() =>
    Object.getPrototypeOf(ag)
      .prototype.next.call(1)
      .catch((e3) => log(String(e3))),
  );
})();
log(
  Object.getOwnPropertyNames(Promise.prototype).sort().join(),
  Promise.length,
  Promise.all.length,
  Promise.name,
  Promise[Symbol.species] === Promise,
  Object.prototype.toString.call(Promise.resolve()),
);
